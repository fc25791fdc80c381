// Scans, by an invocation for each span of a row or, if TEAM is defined, by workgroups; or reductions of SEGMENTS.
#if defined(SEGMENTS)
#include "families/segments.glsl"
#elif defined(TEAM)
#include "families/scan_team.glsl"
#else
#include "families/scan_alone.glsl"
#endif
