// No message is given more bytes than it has; each ends once, in its order, when none is missing; no buffer is taken twice.
module contract (
    input clock,
    input valid,
    input wanted,
    input stream,
    input beyond,
    input [2:0] message,
    input [2:0] offset,
    input [1:0] payload,
    input [2:0] length,
    input takes,
    input [1:0] receive,
    input into_buffer,
    input post_valid,
    input post_stream,
    input [2:0] post_length
);
    wire refused, post_ready, whole_valid, asked_valid, loading, backlog, busy;
    wire [66:0] verdict;
    wire [16:0] posted, retired;
    wire [161:0] whole;
    wire [143:0] asked;
    wire [15:0] vanished;
    reg [3:0] there = 0;
    reg was_refused = 0;
    // What the packet says is accepted only if the tracker lets it pass.
    wire accepted = there[3] && wanted && !was_refused;
    CORE core (
        .clock(clock), .reset(1'b0),
        .part({33'b0, into_buffer && takes, 30'b0, takes ? receive : 2'b0, takes, 29'b0, length, 14'b0, payload, 29'b0, offset, 13'b0, message, beyond, 15'b0, stream}),
        .refused(refused), .accepted(accepted), .ask(113'b0), .verdict(verdict),
        .post({93'b0, post_length, 64'b0, 15'b0, post_stream}), .post_valid(post_valid), .post_ready(post_ready), .hold(1'b0), .posted(posted),
        .whole(whole), .whole_valid(whole_valid), .asked(asked), .asked_valid(asked_valid), .vanished(vanished), .retired(retired), .start(1'b0), .start_connection(1'b0),
        .loading(loading), .backlog(backlog), .busy(busy)
    );

    // One stream, and one of its first messages.
    (* anyconst *) reg mine;
    (* anyconst *) reg [1:0] number;
    reg [3:0] at_stream = 0, took = 0;
    reg [11:0] at_message = 0, at_length = 0;
    reg [7:0] at_payload = 0, at_receive = 0;
    reg [2:0] said = 0, got = 0;
    reg [1:0] buffer = 0;
    reg seen = 0, ended = 0;
    reg [15:0] next = 0;
    reg took_one = 0;
    wire of_mine = accepted && at_stream[3] == mine;
    wire here = of_mine && at_message[11:9] == number;
    wire ends = whole_valid && whole[15:0] == mine;
    wire ends_here = ends && whole[31:16] == number;

    reg held = 0, held_stream = 0;
    reg [2:0] held_length = 0;

    always @(posedge clock) begin
        there <= {there[2:0], valid};
        was_refused <= refused;
        at_stream <= {at_stream[2:0], stream};
        took <= {took[2:0], takes};
        at_message <= {at_message[8:0], message};
        at_payload <= {at_payload[5:0], payload};
        at_length <= {at_length[8:0], length};
        at_receive <= {at_receive[5:0], receive};
        // A post stands until it is taken.
        held <= post_valid && !post_ready;
        held_stream <= post_stream;
        held_length <= post_length;
        if (held) assume (post_valid && post_stream == held_stream && post_length == held_length);

        if (here) begin
            seen <= 1;
            got <= got + at_payload[7:6];
            said <= at_length[11:9];
            took_one <= took[3];
            buffer <= at_receive[7:6];
            assert (!ended);
            assert ({1'b0, got} + {2'b0, at_payload[7:6]} <= {1'b0, at_length[11:9]});
            if (seen) assert (said == at_length[11:9] && took_one == took[3]);
            if (seen && took[3]) assert (buffer == at_receive[7:6]);
        end
        if (of_mine && !here && seen && took_one && took[3]) assert (at_receive[7:6] != buffer);
        if (ends) begin
            next <= next + 1;
            assert (whole[31:16] == next);
        end
        if (ends_here) begin
            ended <= 1;
            assert (!ended && seen && got == said && whole[63:32] == said);
        end
        cover (ends && next == 1 && whole[97]);
        cover (here && seen && got == 3 && at_payload[7:6] == 2);
    end
endmodule
