// A transfer becomes bursts that follow each other without a gap, in sum its beats, none across a multiple of 4 KiB.
module contract (
    input clock,
    input reset,
    input start,
    input [63:0] address,
    input [15:0] beats,
    input burst_ready
);
    wire busy, free, burst_valid;
    wire [63:0] burst_address;
    wire [7:0] burst_len;
    CORE core (.*);

    reg [63:0] next = 0;
    reg [16:0] left = 0;
    reg began = 0;
    wire [11:0] offset = burst_address[11:0];
    wire [12:0] last_byte = offset + 8 * (burst_len + 1) - 1;

    always @(posedge clock) begin
        began <= 1;
        if (start) assume (free && beats != 0 && address < 64'hFFFF_FFFF_0000_0000);
        assert (busy == burst_valid);
        assert (free == (left == 0 || (burst_ready && burst_len + 1 == left)));
        assert (burst_valid == (left != 0));
        if (burst_valid) begin
            assert (burst_address == next);
            assert (burst_len + 1 <= left);
            assert (burst_len < 16);
            assert (!last_byte[12]);
            assert (burst_address[2:0] == 0);
        end
        if (start) begin
            next <= {address[63:3], 3'b0};
            left <= beats;
        end else if (burst_valid && burst_ready) begin
            next <= next + 8 * (burst_len + 1);
            left <= left - burst_len - 1;
        end
        if (reset) left <= 0;
        if (began && $past(burst_valid && !burst_ready && !reset)) begin
            assert (burst_valid);
            assert ($stable(burst_address) && $stable(burst_len));
        end
        cover (start && burst_valid && burst_ready);
        cover (burst_valid && burst_ready && left == burst_len + 1 && burst_len == 2 && $past(burst_valid && burst_ready && burst_len == 15, 1));
    end
endmodule
