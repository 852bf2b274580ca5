// A path with something under way is looked at again and again, and never twice within 10 cycles (22 in a NIC). One path is followed.
module contract (
    input clock,
    input reset,
    input hold,
    input sent,
    input [1:0] sent_path,
    // What is under way on the followed path is all resolved; something is on the others.
    input resolved,
    input others
);
    (* anyconst *) reg [1:0] followed;
    reg [1:0] path1, path2, path3, path4;
    // Something is under way on the followed path: now, and at its look four cycles ago.
    reg some = 0, some1 = 0, some2 = 0, some3 = 0, some4 = 0;
    reg [4:0] since = 31;
    reg [5:0] unseen = 0;
    wire looks, busy;
    wire [1:0] path;
    wire active = path4 == followed ? some4 : others;
    CORE core (.*);

    wire mine = looks && path == followed;
    always @(posedge clock) begin
        if (sent) assume (!busy && !reset);
        {path1, path2, path3, path4} <= {path, path1, path2, path3};
        {some1, some2, some3, some4} <= reset ? 4'b0 : {some, some1, some2, some3};
        some <= !reset && ((sent && sent_path == followed) || (some && !resolved));
        since <= mine ? 0 : since == 31 ? 31 : since + 1;
        unseen <= reset || hold || !some || mine ? 0 : unseen + 1;
        if (hold) assert (!looks);
        if (mine) assert (since >= 9);
        assert (unseen < 20);
        cover (mine && since == 11);
    end
endmodule
