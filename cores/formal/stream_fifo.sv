// A FIFO of 3 words: everything that goes in comes out once, in order, unchanged, within 2 cycles.
module contract (
    input clock,
    input reset,
    input [3:0] push,
    input push_valid,
    input pop_ready
);
    wire push_ready, pop_valid;
    wire [3:0] pop;
    wire [1:0] level, space;
    CORE core (.*);

    // The word with an arbitrary number is followed through.
    (* anyconst *) reg [5:0] number;
    reg [5:0] pushed = 0, popped = 0;
    reg [3:0] word = 0;
    reg [1:0] idle = 0;
    reg began = 0;
    wire goes_in = push_valid && push_ready;
    wire comes_out = pop_valid && pop_ready;

    always @(posedge clock) begin
        began <= 1;
        pushed <= reset ? 0 : pushed + goes_in;
        popped <= reset ? 0 : popped + comes_out;
        if (goes_in && pushed == number) word <= push;
        idle <= (reset || pop_valid || pushed == popped) ? 0 : idle + 1;
        assert (level == pushed - popped);
        assert (space == 3 - level);
        assert (push_ready == (level != 3));
        if (pop_valid) assert (pushed != popped);
        if (pop_valid && popped == number) assert (pop == word);
        assert (idle < 2);
        if (began && $past(pop_valid && !pop_ready && !reset)) begin
            assert (pop_valid);
            assert ($stable(pop));
        end
        cover (popped == 6 && level == 0);
        cover (level == 3 && popped == 2);
    end
endmodule
