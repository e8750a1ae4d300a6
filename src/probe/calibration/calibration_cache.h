/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did the last full calibration of this machine say, and how old is it? One file in $XDG_CACHE_HOME/plumb (or
 * ~/.cache/plumb) for each CPU model, microcode, kernel, hypervisor and set of CPUs.
 *
 * A file that is damaged, of another machine or of the future counts as none. Only full calibrations are kept.
 */
#ifndef PLUMB_PROBE_CALIBRATION_CALIBRATION_CACHE_H
#define PLUMB_PROBE_CALIBRATION_CALIBRATION_CACHE_H

#include "statistics/calibration.h"
#include "system/cpu/identity.h"

enum {
    CALIBRATION_KEY_PARTS = 5
};

/* What a calibration holds for. */
struct calibration_key {
    const char *parts[CALIBRATION_KEY_PARTS]; /* CPU model, microcode, kernel, hypervisor, CPUs ("0-3,8") */
    const char *cpus;                         /* the last of them */
};

/* Of this machine and the CPUs that this thread may use. Owner: arena. */
void calibration_key_take(struct calibration_key *key, const struct sysroot *root, const struct cpu_identity *identity,
                          struct arena *arena);

/* False: none is kept. age_s: since it was measured. Owner: arena. */
MUST_CHECK bool calibration_cache_read(const struct calibration_key *key, struct calibration *ret_calibration,
                                       double *ret_age_s, struct arena *arena);
/* Where it was put; NULL: it could not be written, which is no error. Owner: arena. */
const char *calibration_cache_write(const struct calibration_key *key, const struct calibration *calibration,
                                    struct arena *arena);

#endif
