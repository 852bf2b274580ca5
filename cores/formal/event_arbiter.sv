// Events of three planes leave one at a time: each plane's in order, none lost, none twice, none waits for more than two others.
module contract (
    input clock,
    input reset,
    input [465:0] frame_0,
    input [465:0] frame_1,
    input [465:0] frame_2,
    input frame_valid_0,
    input frame_valid_1,
    input frame_valid_2,
    input out_ready
);
    wire frame_ready_0, frame_ready_1, frame_ready_2, out_valid;
    wire [465:0] out;
    wire [2:0] out_plane;
    CORE core (.*);

    // One plane, one of its events, and one bit of that are followed.
    (* anyconst *) reg [1:0] plane;
    (* anyconst *) reg [8:0] place;
    (* anyconst *) reg [4:0] number;
    wire [2:0] ready = {frame_ready_2, frame_ready_1, frame_ready_0};
    wire [2:0] valid = {frame_valid_2, frame_valid_1, frame_valid_0};
    wire [465:0] frame = plane == 0 ? frame_0 : plane == 1 ? frame_1 : frame_2;
    wire in_bit = frame >> place, out_bit = out >> place;
    wire mine = (valid >> plane) & 1;
    wire goes_in = mine && ((ready >> plane) & 1);
    wire comes_out = out_valid && out_ready && out_plane == plane;
    reg [4:0] taken = 0, given = 0;
    reg word = 0;
    reg [1:0] others = 0;
    reg began = 0;

    always @(posedge clock) begin
        assume (plane < 3);
        began <= 1;
        taken <= reset ? 0 : taken + goes_in;
        given <= reset ? 0 : given + comes_out;
        if (goes_in && taken == number) word <= in_bit;
        others <= (reset || goes_in || !mine) ? 0 : others + |(valid & ready);
        assert ((ready & (ready - 1)) == 0);
        assert ((ready & ~valid) == 0);
        assert (taken - given <= 1);
        if (out_valid) assert (out_plane < 3);
        if (out_valid && out_plane == plane) assert (taken != given);
        if (taken != given) assert (out_valid && out_plane == plane);
        if (out_valid && out_plane == plane && given == number) assert (out_bit == word);
        assert (others <= 2);
        if (began && $past(out_valid && !out_ready && !reset)) begin
            assert (out_valid);
            assert ($stable(out_bit) && $stable(out_plane));
        end
        cover (given == 3 && others == 2);
    end
endmodule
