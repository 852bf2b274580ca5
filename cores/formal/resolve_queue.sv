// A path waits once at most, none is lost, the oldest comes first, and there is a place for every path.
module contract (
    input clock,
    input reset,
    input push,
    input [1:0] path,
    input pop
);
    wire valid;
    wire [1:0] head;
    wire busy;
    CORE core (.*);

    // An arbitrary path, and how many wait before it.
    (* anyconst *) reg [1:0] mine;
    reg waits = 0;
    reg [3:0] before = 0, count = 0;
    reg [3:0] set = 0;
    // A push is looked up a cycle later.
    reg asked = 0;
    reg [1:0] asked_path = 0;
    wire enters = asked && !set[asked_path];

    always @(posedge clock) begin
        if (pop) assume (valid);
        if (busy) assume (!push);
        asked <= push && !reset;
        asked_path <= path;
        if (reset) begin
            waits <= 0;
            count <= 0;
            set <= 0;
        end else begin
            count <= count + enters - pop;
            if (enters) set[asked_path] <= 1;
            if (pop) set[head] <= 0;
            if (enters && asked_path == mine) begin
                waits <= 1;
                before <= count - pop;
            end else if (waits && pop) begin
                if (before == 0) waits <= 0;
                before <= before - 1;
            end
        end
        assert (count <= 4);
        assert (valid == (count != 0));
        if (valid) assert (set[head]);
        if (waits) assert (set[mine]);
        if (waits && before == 0) assert (valid && head == mine);
        if (waits && before != 0) assert (head != mine);
        cover (count == 4);
        cover (waits && before == 2 && pop && push);
    end
endmodule
