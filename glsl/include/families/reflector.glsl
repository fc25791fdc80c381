// Householder's reflection I - tau v v^T that turns a vector in the buffer `a` into a multiple of its first element's
// axis. The vector is replaced by that multiple, followed by v without its first element, which is 1. A team does it
// together; each member gets tau. The vector is scaled by a power of two, so that squares neither overflow nor vanish.
#include "families/team_largest.glsl"
#include "families/sums.glsl"

REAL reflector(uint at, uint step, uint count) {
    REAL most = ZERO, alpha = a[at];
    uint place = 0;
    for (uint i = 1 + member; i < count; i += members) {
        REAL size = magnitude(a[at + i * step]);
        if (beyond(size, most)) most = size;
    }
    team_largest(most, place);
    if (is_zero(most)) return ZERO;
    if (beyond(magnitude(alpha), most)) most = magnitude(alpha);
    REAL scale = scale_for(most);
    TEAM_SUM_OF(square, i, count, times(times(a[at + i * step], scale), times(a[at + i * step], scale)))
    alpha = times(alpha, scale);
    REAL beta = with_sign(root(square), negative(alpha)), divisor = minus(alpha, beta);
    for (uint i = 1 + member; i < count; i += members)
        a[at + i * step] = over(times(a[at + i * step], scale), divisor);
    if (member == 0) a[at] = over(beta, scale);
    meet();
    return over(minus(beta, alpha), beta);
}
