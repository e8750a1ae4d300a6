/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of "key value" or "key: value unit" lines (/proc/vmstat, /proc/meminfo, cpu.stat): one pass, many facts.
 *
 * A key that the file lacks makes its fact absent, naming file and key.
 */
#ifndef PLUMB_SYSTEM_KEY_VALUE_H
#define PLUMB_SYSTEM_KEY_VALUE_H

#include "system/fact.h"

struct key_fact {
    const char *key; /* without the colon */
    struct fact_number *fact;
};

/* path must be a plain path (no format). */
void key_facts_read(const struct key_fact *keys, size_t count, const struct sysroot *root, const char *path);

#endif
