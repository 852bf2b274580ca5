// New data: only a path with headroom on a plane with room is chosen, on the plane whose turn it is, with the most headroom there.
module contract (
    input clock,
    input [8:0] headroom_0,
    input [8:0] headroom_1,
    input [8:0] headroom_2,
    input [8:0] headroom_3,
    input [2:0] plane_0,
    input [2:0] plane_1,
    input [2:0] plane_2,
    input [2:0] plane_3,
    input [2:0] room,
    input [2:0] last_plane
);
    wire found;
    wire [7:0] path;
    wire [2:0] chosen;
    wire [8:0] most;
    CORE core (.*);

    (* anyconst *) reg [1:0] other;
    wire [8:0] headroom = path[1] ? (path[0] ? headroom_3 : headroom_2) : (path[0] ? headroom_1 : headroom_0);
    wire [2:0] plane = path[1] ? (path[0] ? plane_3 : plane_2) : (path[0] ? plane_1 : plane_0);
    wire [8:0] other_headroom = other[1] ? (other[0] ? headroom_3 : headroom_2) : (other[0] ? headroom_1 : headroom_0);
    wire [2:0] other_plane = other[1] ? (other[0] ? plane_3 : plane_2) : (other[0] ? plane_1 : plane_0);
    wire [2:0] in_turn = (chosen > last_plane) ? chosen - last_plane : chosen + 3 - last_plane;
    wire [2:0] other_in_turn = (other_plane > last_plane) ? other_plane - last_plane : other_plane + 3 - last_plane;
    wire has_room = (room >> plane) & 1;
    wire other_able = other_headroom != 0 && ((room >> other_plane) & 1);
    always @(posedge clock) begin
        assume (plane_0 < 3 && plane_1 < 3 && plane_2 < 3 && plane_3 < 3 && last_plane < 3);
        if (other_able) assert (found);
        if (found) begin
            assert (path < 4);
            assert (headroom != 0 && has_room);
            assert (chosen == plane && most == headroom);
            if (other_able) begin
                assert (in_turn <= other_in_turn);
                if (other_plane == chosen) assert (other_headroom <= headroom);
            end
        end
        cover (found && path == 3 && chosen == last_plane);
    end
endmodule
