/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processor vulnerabilities does the kernel see, and what does it do about each? */
#ifndef PLUMB_SYSTEM_CPU_MITIGATION_H
#define PLUMB_SYSTEM_CPU_MITIGATION_H

#include "base/arena.h"
#include "system/fact.h"

struct mitigation {
    const char *vulnerability; /* "spectre_v2" */
    const char *state;         /* "Mitigation: Retpolines; …", "Vulnerable", "Not affected" */
};

struct mitigations {
    struct mitigation *items; /* sorted by name */
    size_t count;
    struct fact_number active, vulnerable; /* how many say "Mitigation", "Vulnerable" */
};

/* Owner: arena. */
void mitigations_read(struct mitigations *mitigations, const struct sysroot *root, struct arena *arena);

#endif
