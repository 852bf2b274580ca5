// New data takes a live path of the plane granted, never one whose window is full, whatever is under way and not seen yet.
// One path is followed; all that is written about the others is arbitrary.
module contract (
    input clock,
    input reset,
    input connection,
    input [1:0] room,
    // C0: new data is wanted; or a path known by number sends something else.
    input want,
    input other,
    input [1:0] other_path,
    input [1:0] other_plane,
    // What commits, ACKs and resolutions tell of other paths, and that the followed path's move on.
    input [135:0] noise_transmit,
    input [96:0] noise_snapshot,
    input [40:0] noise_resolved,
    input [40:0] noise_window,
    input acknowledged,
    input resolves
);
    (* anyconst *) reg [1:0] followed;
    (* anyconst *) reg live;
    (* anyconst *) reg plane;
    (* anyconst *) reg [7:0] window;
    (* anyconst *) reg [7:0] law;
    (* anyconst *) reg [7:0] first_open;
    (* anyconst *) reg [8:0] first_span;
    wire [7:0] fixed = window > 239 ? 239 : window;
    wire [7:0] cap = fixed < law ? fixed : law;

    // Looks, and the pipeline of choices: C0, C1, N0, N1, N2, and the cycle in which the commit is seen.
    reg [3:0] looked_at;
    reg [4:0] age = 0;
    reg valid1 = 0, valid2 = 0, fresh1, fresh2, owner1, owner2;
    reg [1:0] known1, plane1 = 0, plane2 = 0;
    reg mine1 = 0, mine2 = 0, mine3 = 0, new1 = 0, new2 = 0, new3 = 0;
    // The followed path: what it has sent and seen answered, and what is open with all choices counted.
    reg [7:0] tsn, resolved, open;
    reg [8:0] psn, cum, span;
    wire begins = age == 1;
    wire ready = age > 4;

    wire found, tight;
    wire [1:0] grant, able, path, unseen;
    wire [23:0] limits;
    wire sends = ready && want && found && !other;
    wire [1:0] touched = plane1 | plane2;
    wire valid = valid1, fresh = fresh1;
    wire [15:0] known = known1;
    wire [135:0] transmit = begins ? {71'b0, 16'b0, tsn, 15'b0, psn, 14'b0, followed, 1'b1}
        : mine3 ? {71'b0, 16'b0, tsn + 8'd1, 15'b0, psn + {8'b0, new3}, 14'b0, followed, 1'b1} : noise_transmit;
    wire [96:0] snapshot = begins || acknowledged
        ? {56'b0, 15'b0, begins ? cum : cum + 9'd1, 14'b0, followed, 1'b1} : noise_snapshot;
    wire [40:0] resolved_write = begins || resolves
        ? {16'b0, begins ? resolved : resolved + 8'd1, 14'b0, followed, 1'b1} : noise_resolved;
    wire [40:0] window_limits = begins
        ? {law > 9 ? law - 8'd9 : 8'd0, law - 8'd1, law, 14'b0, followed, 1'b1} : noise_window;
    wire [92:0] path_write = begins ? {72'b0, 2'b0, plane, live, 14'b0, followed, 1'b1} : 93'b0;
    CORE core (.resolved(resolved_write), .*);

    wire mine = valid2 && owner2 == followed[1] && path[followed[0]];
    always @(posedge clock) begin
        assume (window > 0 && law > 0 && law <= 239 && first_open <= cap && first_span <= 16);
        assume (noise_transmit[16:3] == 0 && !(noise_transmit[0] && noise_transmit[2:1] == followed));
        assume (noise_snapshot[16:3] == 0 && !(noise_snapshot[0] && noise_snapshot[2:1] == followed));
        assume (noise_resolved[16:3] == 0 && !(noise_resolved[0] && noise_resolved[2:1] == followed));
        assume (noise_window[16:3] == 0 && !(noise_window[0] && noise_window[2:1] == followed));
        assume (other_plane == 1 || other_plane == 2);
        if (other) assume (ready);
        if (other && other_path == followed) assume (live && other_plane == 1 << plane && open < 250);
        if (resolves) assume (ready && resolved != tsn);
        if (acknowledged) assume (ready && cum != psn);

        age <= reset ? 0 : age == 31 ? 31 : age + 1;
        looked_at <= {looked_at, connection};
        valid1 <= !reset && (sends || other);
        fresh1 <= sends;
        known1 <= other_path;
        owner1 <= other ? other_path[1] : looked_at[3];
        plane1 <= reset ? 0 : other ? other_plane : sends ? grant : 0;
        plane2 <= reset ? 0 : plane1;
        valid2 <= !reset && valid1;
        fresh2 <= fresh1;
        owner2 <= owner1;
        {mine1, mine2, mine3} <= reset ? 0 : {mine, mine1, mine2};
        {new1, new2, new3} <= {fresh2, new1, new2};

        if (age == 0) begin
            tsn <= first_open;
            resolved <= 0;
            open <= first_open;
            psn <= first_span;
            cum <= 0;
            span <= first_span;
        end else begin
            tsn <= tsn + mine3;
            psn <= psn + (mine3 && new3);
            resolved <= resolved + resolves;
            cum <= cum + acknowledged;
            open <= open + mine - resolves;
            span <= span + (mine && fresh2) - acknowledged;
        end

        if (valid2) assert (path == 1 || path == 2);
        if (mine && fresh2) begin
            assert (live && plane2[plane]);
            assert (open < cap);
            assert (span < 16);
        end
        cover (mine && fresh2 && open == cap - 1 && cap > 1);
        cover (mine && fresh2 && mine1 && new1 && mine2 && new2);
    end
endmodule
