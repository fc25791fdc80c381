// Choices without a branch: both sides are computed. `?:` itself branches unless its operands are plain
// variables or constants, and so do && and ||; some drivers take long to compile many branches.
#ifndef SELECT_HEAD
#define SELECT_HEAD

uint select(bool which, uint yes, uint no) { return which ? yes : no; }
int select(bool which, int yes, int no) { return which ? yes : no; }
uvec2 select(bool which, uvec2 yes, uvec2 no) { return which ? yes : no; }
uvec4 select(bool which, uvec4 yes, uvec4 no) { return which ? yes : no; }
bool both(bool a, bool b) { return a && b; }
bool either(bool a, bool b) { return a || b; }

#endif
