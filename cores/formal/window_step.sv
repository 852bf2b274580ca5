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

    // The change is a cycle older than the window.
    reg [7:0] grown = 0;
    reg [19:0] loss = 0;
    reg [18:0] last_step = 0;
    reg [8:0] last_cap = 1;
    reg told = 0;
    wire [20:0] highest = {last_cap, 12'h0};
    always @(posedge clock) begin
        {loss, grown} <= change;
        last_step <= step;
        last_cap <= cap;
        told <= 1;
        assume (cap >= 1 && cap <= 256 && step <= 19'h40000);
        if (told) begin
            assume (window >= 4096 && window <= highest && credit < 21'h100000);
            assert (window_after >= 4096 && window_after <= highest);
            assert (credit_after < 21'h100000);
            assert ({2'b0, window_after} <= {2'b0, window} + last_step);
            assert ({2'b0, window_after} + loss >= window);
            if (grown == 0) assert (window_after <= window);
            if (loss == 0) assert (window_after >= window);
            cover (window_after > window && loss != 0 && window_after != highest);
            cover (window_after == highest && window < highest - 4096);
            cover (credit_after == 21'hffff);
        end
    end
endmodule
