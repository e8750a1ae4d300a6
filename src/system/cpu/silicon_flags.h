/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instructions and page-table features has this silicon that this kernel doesn't show: hidden by the hypervisor,
 * or switched off?
 *
 * By the rows of data/silicon_flags.tsv. Only flags that software gets faster by. Does not support: processors that
 * aren't tabled, and parts that lack what the others of their silicon have.
 */
#ifndef PLUMB_SYSTEM_CPU_SILICON_FLAGS_H
#define PLUMB_SYSTEM_CPU_SILICON_FLAGS_H

#include "system/cpu/identity.h"

enum silicon_weight { SILICON_MUCH, SILICON_SOME, SILICON_LITTLE, SILICON_WEIGHTS };

struct silicon_flag {
    const char *name;
    enum silicon_weight weight;
    const char *effect; /* what is slower without it */
};

struct silicon_set {
    const char *key;    /* of the microarchitecture: "CLX" */
    const char *flags;  /* " avx2 fma … " with blanks around */
    const char *source;
};

extern const struct silicon_flag silicon_flag_rows[]; /* those that matter most first */
extern const size_t silicon_flag_row_count;
extern const struct silicon_set silicon_set_rows[];
extern const size_t silicon_set_row_count;

enum { SILICON_MISSING_MOST = 96 };

struct silicon_missing {
    const struct silicon_set *set; /* NULL: not tabled, or its flags are unknown; why_not */
    const char *why_not;           /* Owner: static */
    const struct silicon_flag *flags[SILICON_MISSING_MOST]; /* those that matter most first */
    size_t count;
};

void silicon_missing_find(struct silicon_missing *missing, const struct cpu_identity *identity);

const char *silicon_weight_name(enum silicon_weight weight);

#endif
