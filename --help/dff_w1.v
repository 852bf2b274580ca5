// Emitted from Rust by metaroce-emit: change the Rust source, not this file.
`default_nettype none

module dff_w1 (
    input  wire d,
    output reg  q,
    input  wire clock
);

    initial q = 1'b0;

    always @(posedge clock) q <= d;

endmodule

`default_nettype wire
