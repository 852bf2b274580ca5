// The lowest set bit of 256, against a loop.
module contract (
    input clock,
    input [255:0] bits
);
    wire any;
    wire [7:0] index;
    CORE core (.*);

    reg [7:0] lowest;
    integer i;
    always @* begin
        lowest = 0;
        for (i = 255; i >= 0; i = i - 1) if (bits[i]) lowest = i;
    end

    always @(posedge clock) begin
        assert (any == |bits);
        assert (index == lowest);
        cover (index == 255);
    end
endmodule
