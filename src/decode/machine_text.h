/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a recording's header say about the machine's CPUs, caches and memory, in perf's words (perf report -I)?
 *
 * Source: the kernel's tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PLUMB_DECODE_MACHINE_TEXT_H
#define PLUMB_DECODE_MACHINE_TEXT_H

#include "base/bytes.h"
#include "base/text.h"

/* Features of perf.data's header. */
enum machine_part {
    MACHINE_CPUS,   /* CPU_TOPOLOGY: who shares a socket, a die, a core */
    MACHINE_NODES,  /* NUMA_TOPOLOGY: memory and CPUs of the nodes */
    MACHINE_CACHES, /* CACHE: all caches, and whose they are */
    MACHINE_MEMORY, /* MEM_TOPOLOGY: which blocks of physical memory belong to which node */
    MACHINE_PARTS
};

/*
 * Append comment lines that say what the part's bytes hold; cpus: how many the header speaks of. False, with nothing
 * appended, where they are none of that part, or damaged.
 */
bool machine_text(struct text *out, enum machine_part part, struct bytes in, uint32_t cpus);

#endif
