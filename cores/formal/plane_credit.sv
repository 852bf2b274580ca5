// Four places: room says whether one is free, spare whether two are.
module contract (
    input clock,
    input reset,
    input claim,
    input forfeit,
    input leave
);
    wire room, spare;
    CORE core (.*);

    reg [2:0] claimed = 0;
    always @(posedge clock) begin
        if (claim) assume (room);
        assume (forfeit + leave <= claimed);
        claimed <= reset ? 0 : claimed + claim - forfeit - leave;
        assert (claimed <= 4);
        assert (room == (claimed < 4));
        assert (spare == (claimed < 3));
        cover (claimed == 4);
    end
endmodule
