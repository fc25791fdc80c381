// Scans, by an invocation for each span of a row or, if TEAM is defined, by workgroups.
#ifdef TEAM
#include "families/scan_team.glsl"
#else
#include "families/scan_alone.glsl"
#endif
