// A word leaves two cycles after its address, and is the last that was written in any cycle before.
module contract (
    input clock,
    input write_enable,
    input [2:0] write_address,
    input [3:0] write_data,
    input [2:0] read_address
);
    wire [3:0] read_data;
    CORE core (.*);

    (* anyconst *) reg [2:0] place;
    reg [3:0] word = 0;
    reg asked = 0, mine = 0, fresh = 0;
    wire mine_written = write_enable && write_address == place;

    always @(posedge clock) begin
        if (mine_written) word <= write_data;
        asked <= read_address == place;
        mine <= asked;
        fresh <= mine_written;
        if (mine) assert (read_data == word);
        cover (mine && fresh && word == 5);
    end
endmodule
