// New data: only an able path on a plane with room is chosen, on the plane whose turn it is, and none is served twice in a round while another could be.
module contract (
    input clock,
    input [3:0] able,
    input [3:0] live,
    input [2:0] plane_0,
    input [2:0] plane_1,
    input [2:0] plane_2,
    input [2:0] plane_3,
    input [2:0] room,
    input [2:0] last_plane,
    input [3:0] served
);
    wire found;
    wire [3:0] path;
    wire [2:0] chosen;
    wire [3:0] served_next;
    CORE core (.*);

    (* anyconst *) reg [1:0] other;
    wire [11:0] planes = {plane_3, plane_2, plane_1, plane_0};
    wire [1:0] number = {path[3] | path[2], path[3] | path[1]};
    wire [2:0] plane = planes >> (number * 3);
    wire [2:0] other_plane = planes >> (other * 3);
    wire [2:0] in_turn = (chosen > last_plane) ? chosen - last_plane : chosen + 3 - last_plane;
    wire [2:0] other_in_turn = (other_plane > last_plane) ? other_plane - last_plane : other_plane + 3 - last_plane;
    wire other_able = ((able >> other) & 1) && ((room >> other_plane) & 1);
    wire other_live = (live >> other) & 1;
    wire other_served = (served >> other) & 1;
    wire other_served_next = (served_next >> other) & 1;
    wire again = |(served & path);
    always @(posedge clock) begin
        assume (plane_0 < 3 && plane_1 < 3 && plane_2 < 3 && plane_3 < 3 && last_plane < 3);
        assume (!(able & ~live));
        if (other_able) assert (found);
        if (found) begin
            assert (path == 4'b0001 << number);
            assert ((able & path) && ((room >> plane) & 1));
            assert (chosen == plane);
            assert (served_next & path);
            if (other_able) begin
                assert (in_turn <= other_in_turn);
                if (other_plane == chosen && again) assert (other_served && other >= number);
                if (other_plane == chosen && !other_served) assert (other >= number);
            end
            if (other != number) begin
                assert (other_served_next == (other_served && !(again && other_live && other_plane == chosen)));
            end
        end
        cover (found && path == 4'b1000 && chosen == last_plane && again);
    end
endmodule
