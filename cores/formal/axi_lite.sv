// AXI4-Lite: each access is answered once and in order; answers hold until taken; a whole word is written once, a part never.
module contract (
    input clock,
    input reset,
    input [15:0] awaddr,
    input awvalid,
    input [31:0] wdata,
    input [3:0] wstrb,
    input wvalid,
    input bready,
    input [15:0] araddr,
    input arvalid,
    input rready,
    input write_wait,
    input [31:0] read_data
);
    wire awready, wready, bvalid, arready, rvalid, write;
    wire [1:0] bresp, rresp;
    wire [31:0] rdata, write_data;
    wire [15:0] write_address, read_address;
    CORE core (.*);

    (* anyconst *) reg [3:0] number;
    reg [3:0] addresses = 0, words = 0, answers = 0, reads = 0, results = 0;
    reg [15:0] address = 0, asked = 0;
    reg [31:0] word = 0;
    reg whole = 0;
    reg began = 0;

    always @(posedge clock) begin
        began <= 1;
        assume (reset == !began);
        if (!reset) begin
            if (awvalid && awready) addresses <= addresses + 1;
            if (wvalid && wready) words <= words + 1;
            if (bvalid && bready) answers <= answers + 1;
            if (arvalid && arready) reads <= reads + 1;
            if (rvalid && rready) results <= results + 1;
        end
        if (awvalid && awready && addresses == number) address <= awaddr;
        if (arvalid && arready && !reset) asked <= araddr;
        if (wvalid && wready && words == number) begin
            word <= wdata;
            whole <= &wstrb;
        end
        // No answer before both halves, no write without both, none while it must wait.
        if (bvalid) assert (answers != addresses && answers != words);
        if (write) assert (!write_wait && addresses != answers && words != answers);
        if (write && answers == number) begin
            assert (whole);
            assert (write_address == {address[15:2], 2'b0} && write_data == word);
        end
        if (bvalid && answers == number) assert (bresp == (whole ? 0 : 2));
        if (rvalid) assert (reads != results);
        assert (reads - results <= 1);
        if (reads != results && !rvalid) assert (read_address == {asked[15:2], 2'b0});
        if (began && $past(reads != results && !rvalid)) assert (rvalid && rdata == $past(read_data));
        if (began && $past(bvalid && !bready)) assert (bvalid && $stable(bresp));
        if (began && $past(rvalid && !rready)) assert (rvalid && $stable(rdata));
        cover (answers == 2 && results == 2);
    end
endmodule
