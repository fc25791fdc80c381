// Matrices, each of which one workgroup, a team, does together; or several teams, where a launch does so little of
// the work that they need not meet. Before it includes this, a kernel defines BASES, the names of the bases of its
// bindings, and EXTRA, its further parameters; it defines `unit(matrix)`. A task that sums does it alone, in an
// order that depends on nothing but sizes, so that results do not depend on how many members there are.
#include "math/scalar.glsl"

layout(local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    uint first, end, BASES;
    uint teams;  // of a matrix
    EXTRA
} push;

#define MOST_MEMBERS 128
uint member, members;  // of those that do a matrix
#define OWN (gl_GlobalInvocationID.x % gl_WorkGroupSize.x)

// Wait for the team, and see what it wrote.
void meet() {
    memoryBarrierBuffer();
    memoryBarrierShared();
    barrier();
}

void unit(uint matrix);

void run() {
    for (uint n = push.first + gl_GlobalInvocationID.x / gl_WorkGroupSize.x; n < push.end; n += gl_NumWorkGroups.x) {
        members = push.teams * gl_WorkGroupSize.x;
        member = n % push.teams * gl_WorkGroupSize.x + OWN;
        unit(n / push.teams);
    }
}
