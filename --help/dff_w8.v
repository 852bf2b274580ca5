// Emitted from Rust by metaroce-emit: change the Rust source, not this file.
`default_nettype none

module dff_w8 (
    input  wire [7:0] d,
    output reg  [7:0] q,
    input  wire clock
);

    initial q = 8'h0;

    always @(posedge clock) q <= d;

endmodule

`default_nettype wire
