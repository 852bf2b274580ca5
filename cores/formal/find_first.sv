// The lowest set bit of 16, against a loop.
module contract (
    input clock,
    input [15:0] bits
);
    wire any;
    wire [3:0] index;
    CORE core (.*);

    reg [3:0] lowest;
    integer i;
    always @* begin
        lowest = 0;
        for (i = 15; i >= 0; i = i - 1) if (bits[i]) lowest = i;
    end

    always @(posedge clock) begin
        assert (any == |bits);
        assert (index == lowest);
        cover (index == 15);
    end
endmodule
