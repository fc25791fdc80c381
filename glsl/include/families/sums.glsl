// Sums in runs of 64 terms: the terms of a run are added one after the other, and so are the sums of runs.
#define RUN_OF_SUM 64
#define SUM_OF(sum, i, start, end, term)                                                      \
    SCALAR sum = scalar(ZERO);                                                                \
    for (uint run_start = start; run_start < end; run_start += RUN_OF_SUM) {                  \
        SCALAR run_sum = scalar(ZERO);                                                        \
        for (uint i = run_start; i < min(run_start + RUN_OF_SUM, end); i++) run_sum = plus(run_sum, term); \
        sum = plus(sum, run_sum);                                                             \
    }

// The same for one team, of which each member adds runs: longer ones where there are more than MOST_RUNS.
#define MOST_RUNS 128
shared SCALAR run_sums[MOST_RUNS];

#define TEAM_SUM_OF(sum, i, count, term)                                                      \
    uint length_of_run = max(RUN_OF_SUM, (count + MOST_RUNS - 1) / MOST_RUNS);                \
    meet();                                                                                   \
    for (uint run_start = member * length_of_run; run_start < count; run_start += members * length_of_run) { \
        SCALAR run_sum = scalar(ZERO);                                                        \
        for (uint i = run_start; i < min(run_start + length_of_run, count); i++) run_sum = plus(run_sum, term); \
        run_sums[run_start / length_of_run] = run_sum;                                        \
    }                                                                                         \
    meet();                                                                                   \
    SCALAR sum = scalar(ZERO);                                                                \
    for (uint run = 0; run * length_of_run < count; run++) sum = plus(sum, run_sums[run]);
