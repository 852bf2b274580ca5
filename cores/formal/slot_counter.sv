// A message is done when as many packets are delivered as it has, and not before.
module contract (
    input clock,
    input reset,
    input load,
    input [24:0] packets,
    input delivered
);
    wire done;
    CORE core (.*);

    reg [24:0] left = 0;

    always @(posedge clock) begin
        left <= reset ? 0 : load ? packets : (delivered && left != 0) ? left - 1 : left;
        assert (done == (left == 0));
        cover (done && $past(left == 1) && $past(left == 2, 2));
    end
endmodule
