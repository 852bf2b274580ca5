// Four words in distributed RAM: in order, once, after 1 cycle; stable while stalled; `push_ready` falls only by a push.
module contract (
    input clock,
    input reset,
    input [3:0] push,
    input push_valid,
    input pop_ready
);
    wire push_ready, pop_valid;
    wire [3:0] pop;
    CORE core (.*);

    (* anyconst *) reg [5:0] number;
    reg [5:0] pushed = 0, popped = 0;
    reg [3:0] word = 0;
    reg began = 0;
    wire goes_in = push_valid && push_ready;
    wire comes_out = pop_valid && pop_ready;

    always @(posedge clock) begin
        began <= 1;
        pushed <= reset ? 0 : pushed + goes_in;
        popped <= reset ? 0 : popped + comes_out;
        if (goes_in && pushed == number) word <= push;
        assert (pop_valid == (pushed != popped));
        assert (push_ready == (pushed - popped < 4));
        if (pop_valid && popped == number) assert (pop == word);
        if (began && $past(pop_valid && !pop_ready && !reset)) begin
            assert (pop_valid);
            assert ($stable(pop));
        end
        if (began && $past(push_ready) && !push_ready) assert ($past(goes_in));
        cover (popped == 2 && pushed == 6);
    end
endmodule
