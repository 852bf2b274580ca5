// Emitted from Rust by metaroce-emit: change the Rust source, not this file.
`default_nettype none

module dimmer (
    input  wire clock,
    input  wire [7:0] level,
    output wire light
);

    wire [7:0] count_d;
    wire [7:0] count_q;
    wire lit_d;
    wire lit_q;

    dff_w8 u_count (
        .d(count_d),
        .q(count_q),
        .clock(clock)
    );

    dff_w1 u_lit (
        .d(lit_d),
        .q(lit_q),
        .clock(clock)
    );

    assign light = lit_q;
    assign count_d = (count_q + 8'h1);
    assign lit_d = (count_q < level);

endmodule

`default_nettype wire
