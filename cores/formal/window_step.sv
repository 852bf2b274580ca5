// A congestion window stays between one packet and its cap; only deliveries raise it, by one step at most; nothing but the
// law's word lowers it. 4,096 is a packet.
module contract (
    input clock,
    input [20:0] window,
    input [20:0] credit,
    input [27:0] change,
    input [18:0] step,
    input [8:0] cap
);
    wire [20:0] window_after;
    wire [20:0] credit_after;
    CORE core (.*);

    wire [7:0] grown = change[7:0];
    wire [19:0] loss = change[27:8];
    wire [20:0] highest = {cap, 12'h0};
    always @(posedge clock) begin
        assume (cap >= 1 && cap <= 256 && step <= 19'h40000);
        assume (window >= 4096 && window <= highest && credit < 21'h100000);
        assert (window_after >= 4096 && window_after <= highest);
        assert (credit_after < 21'h100000);
        assert ({2'b0, window_after} <= {2'b0, window} + step);
        assert ({2'b0, window_after} + loss >= window);
        if (grown == 0) assert (window_after <= window);
        if (loss == 0) assert (window_after >= window);
        cover (window_after > window && loss != 0 && window_after != highest);
        cover (window_after == highest && window < highest - 4096);
        cover (credit_after == 21'hffff);
    end
endmodule
