// A FIFO whose writer takes back: only committed words come out, once, in order; a rollback leaves the committed ones.
module contract (
    input clock,
    input reset,
    input [3:0] push,
    input push_valid,
    input commit,
    input rollback,
    input pop_ready
);
    wire push_ready, pop_valid;
    wire [3:0] pop;
    wire [1:0] level;
    CORE core (.*);

    (* anyconst *) reg [5:0] number;
    reg [5:0] pushed = 0, committed = 0, popped = 0;
    reg [3:0] word = 0;
    reg began = 0;
    wire goes_in = push_valid && push_ready;
    wire comes_out = pop_valid && pop_ready;
    wire [5:0] pushed_now = pushed + goes_in;

    always @(posedge clock) begin
        began <= 1;
        pushed <= reset ? 0 : rollback ? committed : pushed_now;
        committed <= reset ? 0 : (commit && !rollback) ? pushed_now : committed;
        popped <= reset ? 0 : popped + comes_out;
        // A number may be pushed again after a rollback: the last word counts.
        if (goes_in && pushed == number) word <= push;
        assert (level == pushed - popped);
        if (pop_valid) assert (popped != committed);
        if (pop_valid && popped == number) assert (pop == word);
        if (began && $past(pop_valid && !pop_ready && !reset)) begin
            assert (pop_valid);
            assert ($stable(pop));
        end
        cover (popped == 4);
        cover (rollback && pushed == committed + 2 && popped == 2);
    end
endmodule
