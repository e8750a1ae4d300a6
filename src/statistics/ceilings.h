/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What could the machine do while a program was measured? Calibrations of just before and just after, glimpses of the
 * clock and the issue rate on the program's own CPUs meanwhile, and the last full calibration that was kept:
 * calibration.json of a case.
 *
 * `now` is all of it together, and what others should use: the clock and the share of the issue width from the glimpses
 * where there were enough of them (they saw the CPU that the program ran on), else from before and after; a figure that
 * only the full calibration has comes from that one, and kept_age_s says how old it is.
 */
#ifndef PLUMB_STATISTICS_CEILINGS_H
#define PLUMB_STATISTICS_CEILINGS_H

#include "statistics/calibration.h"

struct ceilings_glimpse {
    double at_s; /* since watching began */
    uint32_t cpu;
    double clock_hz, issue; /* issue: instructions a cycle */
};

enum {
    CEILINGS_GLIMPSES_MOST = 4096, /* kept; a longer run keeps every other one, and so on */
    CEILINGS_GLIMPSES_LEAST = 4    /* for `now` to lean on them */
};

struct ceilings {
    struct calibration before, after, kept;
    bool has_before, has_after, has_kept;
    double kept_age_s; /* when the program was measured */
    struct ceilings_glimpse *glimpses;
    size_t glimpse_count;
    struct calibration now;
    bool share_is_of_target; /* now.share comes from glimpses on the program's own CPUs */
};

/* Fill `now` and share_is_of_target from the rest. */
void ceilings_settle(struct ceilings *ceilings);

/* NULL-safe, for those who need a number: unknown where nothing was measured. */
struct interval ceilings_figure(const struct ceilings *ceilings, enum calibration_figure figure);
/* Of the issue width of the core, 0..1, what it gave while the program ran. */
struct interval ceilings_share(const struct ceilings *ceilings);
/* "Your core is being shared": the middle of the share is below what our own kernels reach alone. */
bool ceilings_are_shared(const struct ceilings *ceilings);

/*
 * Whether a core can be like that: a look that an interruption spoilt is none. What isn't sound is not kept, and not
 * read.
 */
bool ceilings_glimpse_is_sound(const struct ceilings_glimpse *glimpse);

void ceilings_write(const struct ceilings *ceilings, struct text *out);
/* Settled. Errors: ERROR_FORMAT. Owner: arena. */
MUST_CHECK bool ceilings_read(struct ceilings *ceilings, struct json_value root, struct arena *arena,
                              struct error *err);

#endif
