// Lost packets: in order, once; a push is on show in the next cycle; with `room` five pushes always fit.
module contract (
    input clock,
    input reset,
    input push,
    input [68:0] packet,
    input pop
);
    wire valid, room;
    wire [68:0] head;
    CORE core (.*);

    (* anyconst *) reg [6:0] number;
    reg [6:0] pushed = 0, popped = 0;
    reg [68:0] word = 0;
    // Pushes since `room` was last seen: with the one in that cycle five at most.
    reg [2:0] blind = 0;

    always @(posedge clock) begin
        if (pop) assume (valid);
        if (push) assume (room || blind < 4);
        blind <= (reset || room) ? 0 : blind + push;
        pushed <= reset ? 0 : pushed + push;
        popped <= reset ? 0 : popped + pop;
        if (push && pushed == number) word <= packet;
        assert (pushed - popped < 8);
        assert (valid == (pushed != popped));
        if (valid && popped == number) assert (head == word);
        cover (!room);
        cover (popped == 9 && valid);
    end
endmodule
