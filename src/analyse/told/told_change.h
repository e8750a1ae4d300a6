/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a sentence say was changed: huge pages, a pinned thread, another allocator, mitigations switched off?
 *
 * A table of the names that kernels, processors and tools give these; whether something was brought in or taken away is
 * read from the words beside it, and must be what a trial of it does ("with huge pages", "without SMT"), or the taking
 * back of it ("dropping huge pages"), or the state without it ("small pages"). Does not support: changes that are told
 * without such a name ("on the other machine"). The file of a setting is one with the value that is put into it
 * (analyse/told/told_setting), some are told by a size (analyse/told/told_size).
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_CHANGE_H
#define PLUMB_ANALYSE_TOLD_TOLD_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

enum treatment {
    TREATMENT_TICK,         /* nohz_full, tickless: fewer timer interrupts */
    TREATMENT_PAGES,        /* huge pages */
    TREATMENT_NARROW,       /* no AVX-512 */
    TREATMENT_LOCAL_MEMORY, /* memory on the node that it runs on */
    TREATMENT_VCPU_PINNING, /* the host's threads that run a guest's CPUs */
    TREATMENT_PINNING,      /* threads kept on their CPUs */
    TREATMENT_NO_SMT,
    TREATMENT_PREFETCH,       /* by instructions of the program */
    TREATMENT_NO_MITIGATIONS, /* of speculation, at each entry to the kernel */
    TREATMENT_ALLOCATOR,
    TREATMENT_GOVERNOR, /* the highest clock */
    TREATMENT_NO_QUOTA,
    TREATMENT_NO_SWAP,
    TREATMENT_PADDING,        /* data of each thread on cache lines of its own */
    TREATMENT_FLUSH,          /* denormal numbers taken for zero */
    TREATMENT_OPTIMISED,      /* a build with -O2 */
    TREATMENT_INTERLEAVE,     /* memory on all nodes in turns */
    TREATMENT_POWER,          /* a higher limit of power */
    TREATMENT_KEPT_MEMORY,    /* freed memory isn't given back to the kernel */
    TREATMENT_FEWER_THREADS,  /* of one program: what they fought over may be CPUs, locks, lines or memory */
    TREATMENT_CODE_PAGES,     /* huge pages for code */
    TREATMENT_NO_LIMIT,       /* some limit that isn't named: the processor time's where that is what it is about */
    TREATMENT_HEAP,           /* a larger one, or a higher threshold, so that garbage is collected less often */
    TREATMENT_BUFFER,         /* a larger one: more data with each system call */
    TREATMENT_LESS_UNROLLING, /* smaller code */
    TREATMENT_MORE_MEMORY,    /* of the machine */
    TREATMENT_MEMORY_LIMIT,   /* of a control group, a higher one */
    TREATMENT_NO_BRANCHES,    /* code without the branch, or data in an order that it is guessed by */
    TREATMENT_FINER_LOCK,     /* or none */
    TREATMENT_NO_DIVISION,
    TREATMENT_WIDER,            /* a build for the machine's vectors */
    TREATMENT_FAULTED_AHEAD,    /* memory, or used again */
    TREATMENT_BATCHED_CALLS,    /* more with each system call */
    TREATMENT_MOVED_INTERRUPTS, /* to other CPUs */
    TREATMENT_OWN_HOST,         /* no other guests */
    TREATMENT_NO_INSTRUMENTATION,
    TREATMENT_COMPACT_CODE,    /* laid out by a profile, or made smaller */
    TREATMENT_THREADS_PER_CPU, /* no more than CPUs */
    TREATMENT_CLOCK_SOURCE,    /* the TSC, which is read without leaving the program */
    TREATMENT_FLAT_DATA,       /* an array in place of linked nodes */
    TREATMENT_NO_COPIES,
    TREATMENT_NO_DISK,       /* no waits for one: files in memory, writes that nobody waits for */
    TREATMENT_NO_BALANCING,  /* the kernel moves no pages to the node of who uses them */
    TREATMENT_NO_HUGE_PAGES, /* nobody gets any: as a trial that helped (analyse/told/told_trial) */
    TREATMENT_FASTER_DISK,
    TREATMENT_BATCHED_COMMITS, /* more with each transaction, so that fewer wait for the disk */
    TREATMENT_MORE_CPUS,
    TREATMENT_HALT_POLL, /* a guest's CPU that has nothing to do isn't left at once, by the host or by itself */
    TREATMENT_MORE_THREADS,
    TREATMENT_SET_THREADS,     /* to a number; what it was before isn't told */
    TREATMENT_SMALLER_NUMBERS, /* of what a model or a matrix is made of */
    /* these take no one cause away */
    TREATMENT_NO_IDLE_STATES, /* that take long to wake up from */
    TREATMENT_NO_HARDWARE_PREFETCH,
    TREATMENT_KERNEL_VERSION,
    TREATMENT_MOVED_MEMORY, /* to a node by its number: which one it was on, or is used on, isn't told */
    TREATMENT_COUNT
};

enum change_reading {
    CHANGE_NONE, /* it names none */
    CHANGE_MADE,
    CHANGE_TAKEN_BACK, /* "dropping huge pages", "enabling SMT again" */
    CHANGE_NOT_MADE,   /* the state without it, or that isn't clear: "without huge pages", "4 KiB pages" */
    CHANGE_SEVERAL
};

/*
 * Which change a plain sentence (analyse/told/told_plain), or a part of one, names. ret_treatment: untouched where it
 * names none.
 */
enum change_reading told_change_of(const char *plain, enum treatment *ret_treatment);
/* All that it names, made or not, as bits. */
uint64_t told_changes_in(const char *plain);
/* The same, where all of them were made and no other thing beside them is told; 0: else. */
uint64_t told_changes_made(const char *plain);
/* Whether a trial of it adds what it is named by, or takes that away ("SMT"); false: the words say both. */
bool told_change_adds(enum treatment treatment, bool *ret_adds);
/* Where it names the state without it ("small pages", "without"); NULL: nowhere. */
const char *told_state_without(const char *plain, enum treatment treatment);
/* One that is named beside the other is the same: "the limit" is the processor time's. */
bool told_change_is_part(enum treatment treatment, enum treatment whole);
/* "software prefetching" */
const char *told_change_name(enum treatment treatment);
/* That huge pages were switched off, not only that small ones are there. */
bool told_has_no_huge_pages(const char *plain);

#endif
