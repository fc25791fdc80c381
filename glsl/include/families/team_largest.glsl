// The largest magnitude that the members of one team hand in, and its place; of equal ones, the first place.
shared REAL handed_in[MOST_MEMBERS];
shared uint handed_in_at[MOST_MEMBERS];

void team_largest(inout REAL most, inout uint at) {
    meet();  // after the last ones have been read
    handed_in[OWN] = most;
    handed_in_at[OWN] = at;
    meet();
    for (uint k = 0; k < gl_WorkGroupSize.x; k++) {
        REAL other = handed_in[k];
        uint place = handed_in_at[k];
        bool better = beyond(other, most) || !beyond(most, other) && place < at;
        most = better ? other : most;
        at = better ? place : at;
    }
}
