/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of many met the most samples?
 */
#ifndef PLUMB_ANALYSE_SAMPLED_H
#define PLUMB_ANALYSE_SAMPLED_H

#include <stddef.h>
#include <stdint.h>

struct sampled {
    uint64_t samples;
    uint32_t index; /* into whatever the caller counts them for */
};

/* The most first; of alike ones the lower index. */
void sampled_sort(struct sampled *items, size_t count);
/* Those of one index added up, then sorted. Returns how many are left. */
size_t sampled_join(struct sampled *items, size_t count);

#endif
