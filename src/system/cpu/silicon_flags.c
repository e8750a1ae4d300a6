/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/silicon_flags.h"

#include <stdio.h>
#include <string.h>

static const char *const weight_names[SILICON_WEIGHTS] = {"much", "some", "little"};

const char *silicon_weight_name(enum silicon_weight weight)
{
    return weight_names[weight];
}

static const struct silicon_set *set_of(const struct cpu_identity *identity)
{
    for (size_t at = 0; identity->microarchitecture && at < silicon_set_row_count; at++)
        if (strcmp(silicon_set_rows[at].key, identity->microarchitecture->key) == 0)
            return &silicon_set_rows[at];
    return NULL;
}

void silicon_missing_find(struct silicon_missing *missing, const struct cpu_identity *identity)
{
    *missing = (struct silicon_missing){0};
    if (!identity->flags[0] || strncmp(identity->flags, " cpuid ", 7) == 0) {
        missing->why_not = "the flags of /proc/cpuinfo are unknown";
        return;
    }
    missing->set = set_of(identity);
    if (!missing->set) {
        missing->why_not = "what this processor's silicon has isn't in data/silicon_flags.tsv";
        return;
    }
    for (size_t at = 0; at < silicon_flag_row_count && missing->count < SILICON_MISSING_MOST; at++) {
        char padded[40];
        snprintf(padded, sizeof(padded), " %s ", silicon_flag_rows[at].name);
        if (strstr(missing->set->flags, padded) && !cpu_identity_has_flag(identity, silicon_flag_rows[at].name))
            missing->flags[missing->count++] = &silicon_flag_rows[at];
    }
}
