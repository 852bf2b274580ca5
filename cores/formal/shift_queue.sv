// A queue of 3 words whose head stays in sight: in order, once; what is not heard changes nothing.
module contract (
    input clock,
    input reset,
    input push,
    input [3:0] data,
    input pop
);
    wire room, valid;
    wire [3:0] head;
    CORE core (.*);

    (* anyconst *) reg [5:0] number;
    reg [5:0] pushed = 0, popped = 0;
    reg [3:0] word = 0;
    wire goes_in = push && room;
    wire comes_out = pop && valid;

    always @(posedge clock) begin
        pushed <= reset ? 0 : pushed + goes_in;
        popped <= reset ? 0 : popped + comes_out;
        if (goes_in && pushed == number) word <= data;
        assert (valid == (pushed != popped));
        assert (room == (pushed - popped < 3));
        if (valid && popped == number) assert (head == word);
        cover (popped == 5 && !room);
        cover (goes_in && comes_out && pushed - popped == 2);
    end
endmodule
