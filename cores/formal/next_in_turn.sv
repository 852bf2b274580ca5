// The first requester after `last`, going round: nobody is passed over.
module contract (
    input clock,
    input [3:0] request,
    input [2:0] last
);
    wire found;
    wire [2:0] pick;
    wire [3:0] grant;
    CORE core (.*);

    (* anyconst *) reg [1:0] other;
    // How far after `last`: 1 for the next, 4 for `last` itself.
    function [2:0] after(input [2:0] number);
        after = (number > last) ? number - last : number + 4 - last;
    endfunction

    always @(posedge clock) begin
        assume (last < 4);
        assert (found == |request);
        if (!found) assert (grant == 0 && pick == 0);
        if (found) begin
            assert (pick < 4 && request[pick[1:0]]);
            assert (grant == 4'b1 << pick);
            if (request[other]) assert (after(pick) <= after({1'b0, other}));
        end
        cover (found && pick == last);
        cover (found && pick < last);
    end
endmodule
