// Householder's reflection I - tau v v^H whose adjoint turns a vector in the buffer `a` into a real multiple of its first
// element's axis. The vector is replaced by that multiple, followed by v without its first element, which is 1. A team
// does it together; each member gets tau. The vector is scaled by a power of two, so that squares neither overflow nor vanish.
#include "families/team_largest.glsl"
#include "families/sums.glsl"

SCALAR reflector(uint at, uint step, uint count) {
    SCALAR alpha = a[at];
    REAL most = magnitude(imaginary_part(alpha));  // which must vanish too
    uint place = 0;
    for (uint i = 1 + member; i < count; i += members) {
        REAL size = largest_part(a[at + i * step]);
        if (beyond(size, most)) most = size;
    }
    team_largest(most, place);
    if (is_zero(most)) return scalar(ZERO);
    if (beyond(magnitude(real_part(alpha)), most)) most = magnitude(real_part(alpha));
    REAL scale = scale_for(most);
    TEAM_SUM_OF(square, i, count, times(times(a[at + i * step], scale), conjugate(times(a[at + i * step], scale))))
    alpha = times(alpha, scale);
    SCALAR beta = scalar(with_sign(root(real_part(square)), negative(real_part(alpha))));
    SCALAR divisor = minus(alpha, beta);
    for (uint i = 1 + member; i < count; i += members)
        a[at + i * step] = over(times(a[at + i * step], scale), divisor);
    if (member == 0) a[at] = over(beta, scale);
    meet();
    return over(minus(beta, alpha), real_part(beta));
}
