// A packet is accepted once, whatever else arrives on its path, and the cumulative point never passes one that is not.
module contract (
    input clock,
    input path,
    input [23:0] psn,
    input take,
    input bad,
    input [3:0] rider
);
    wire fresh, duplicate, beyond, accepted, gap, loading, busy, rider_path;
    wire [3:0] rider_out;
    wire [40:0] advance;
    // The path begins at PSN 0: that is what an empty table says.
    CORE core (
        .clock(clock), .reset(1'b0), .path(path), .psn(psn), .take(take), .bad(bad), .fresh(fresh), .duplicate(duplicate),
        .beyond(beyond), .accepted(accepted), .gap(gap), .rider(rider), .rider_out(rider_out), .rider_path(rider_path),
        .advance(advance), .load(1'b0), .load_path(1'b0), .load_psn(24'b0), .loading(loading), .busy(busy)
    );

    // One path, and one of the PSNs of its first window.
    (* anyconst *) reg mine;
    (* anyconst *) reg [4:0] number;
    reg [2:0] at_path = 0;
    reg [23:0] psn1 = 0, psn2 = 0, psn3 = 0;
    reg took = 0, was_bad = 0, seen = 0;
    wire here = took && at_path[2] == mine && psn3 == number;
    wire moved = advance[0] && advance[16:1] == mine;
    wire [23:0] cum = advance[40:17];

    always @(posedge clock) begin
        at_path <= {at_path[1:0], path};
        psn1 <= psn;
        psn2 <= psn1;
        psn3 <= psn2;
        took <= take;
        was_bad <= bad;
        if (here && accepted) seen <= 1;
        assert (fresh + duplicate + beyond == took);
        assert (accepted == (fresh && !was_bad));
        if (here && seen) assert (duplicate);
        if (here && !seen) assert (fresh);
        if (moved && !seen && !(here && accepted)) assert (cum <= number);
        cover (moved && cum == 3);
        cover (here && seen && number == 1);
    end
endmodule
