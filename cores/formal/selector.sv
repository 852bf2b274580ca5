// New data: only an able path of the plane is chosen, and none is served twice in a round while another could be.
module contract (
    input clock,
    input [3:0] able,
    input [3:0] there,
    input [3:0] served
);
    wire [3:0] path;
    wire [3:0] served_next;
    CORE core (.*);

    (* anyconst *) reg [1:0] other;
    wire [1:0] number = {path[3] | path[2], path[3] | path[1]};
    wire other_able = (able >> other) & 1;
    wire other_there = (there >> other) & 1;
    wire other_served = (served >> other) & 1;
    wire other_served_next = (served_next >> other) & 1;
    wire again = |(served & path);
    always @(posedge clock) begin
        assume (!(able & ~there));
        if (other_able) assert (path);
        if (path) begin
            assert (path == 4'b0001 << number);
            assert (able & path);
            assert (served_next & path);
            if (other_able && again) assert (other_served && other >= number);
            if (other_able && !other_served) assert (other >= number);
            if (other != number) begin
                assert (other_served_next == (other_served && !(again && other_there)));
            end
        end
        cover (path == 4'b1000 && again);
    end
endmodule
