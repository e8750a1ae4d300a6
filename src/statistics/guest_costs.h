/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does being a guest cost, seen from inside: ways out to the hypervisor, pages that the host has to find first,
 * waking from idle, ticks, and is this memory on small pages behind the guest?
 *
 * The plain result of probe/guest, and what is judged from its raw numbers alone. It stands here so that probe/,
 * finding/ and render/ may all see it. A figure is the median with its quartiles, or why it isn't known.
 * Does not support: counting exits (nobody can from in here), telling how long the host was away within a figure.
 */
#ifndef PLUMB_STATISTICS_GUEST_COSTS_H
#define PLUMB_STATISTICS_GUEST_COSTS_H

#include "base/json/json_writer.h"
#include "statistics/interval.h"

enum guest_cost { /* all in nanoseconds */
    GUEST_COST_CPUID,        /* CPUID of leaf 0 */
    GUEST_COST_CPUID_HOST,   /* CPUID of leaf 40000000H, the hypervisor's own: a TDX module hands it on */
    GUEST_COST_CLOCK,        /* RDTSC */
    /* first write to a page of memory that this guest used a moment ago: its own fault alone */
    GUEST_COST_TOUCH_USED,
    GUEST_COST_TOUCH_OLD,    /* the same on memory that was free for longest */
    GUEST_COST_HOST_FAULT,   /* by how much the slow ones of these are slower: the host had no page there */
    GUEST_COST_WAKE_POLLED,  /* a thread on another CPU wakes; that CPU was kept from going idle */
    GUEST_COST_WAKE_IDLE,    /* the same; that CPU was idle (HLT) */
    /* how long after its timer was due a sleeping thread runs; its CPU was kept from going idle */
    GUEST_COST_TIMER_POLLED,
    GUEST_COST_TIMER_IDLE,   /* the same; its CPU was idle (HLT) */
    GUEST_COST_IPI,          /* one CPU interrupts another and has its answer */
    GUEST_COST_TICK,         /* what one tick of this kernel takes from a thread that computes */
    GUEST_COST_INTERRUPTION, /* what one interruption takes that is none of this kernel's ticks */
    GUEST_COSTS
};

struct guest_value {
    struct interval value;
    const char *why_not; /* when the interval isn't known. Owner: static, or the arena of who read it */
};

enum guest_cpu_kind {
    GUEST_CPU_ORDINARY,
    GUEST_CPU_ISOLATED, /* isolcpus= */
    GUEST_CPU_NOHZ_FULL
};

/* One CPU on which a thread computed alone for a while. */
struct guest_cpu {
    uint32_t cpu;
    enum guest_cpu_kind kind;
    double span_s;            /* for so long */
    double timer_per_s;       /* local timer interrupts that the kernel counted there; negative: not counted */
    double interrupts_per_s;  /* all of them */
    double gaps_per_s;        /* interruptions that the thread itself saw, none longer than GUEST_GAP_LONG_NS */
    double lost_ratio;        /* their share of the time that longer ones left it */
    double long_ratio;        /* share of its time that longer ones took: others ran, in the guest or on the host */
    /* interruptions as regular as a host's tick, which this kernel didn't count; 0: none found */
    double host_hz;
};

enum {
    GUEST_CPUS_MOST = 3, /* one of each kind */
    GUEST_GAP_LONG_NS = 200 * 1000
};

enum host_backing_verdict {
    HOST_BACKING_UNKNOWN, /* can't be told, because */
    HOST_BACKING_HUGE,    /* what is huge in here is huge out there */
    HOST_BACKING_SMALL    /* small pages behind the guest's huge ones */
};

struct host_backing {
    enum host_backing_verdict verdict;
    const char *why_not;                    /* HOST_BACKING_UNKNOWN */
    /* a load: lines side by side; one a page on 2 MiB pages; on 4 KiB pages */
    struct interval dense_ns, huge_ns, small_ns;
    /* of the walk that small pages cost in here, what huge ones cost all the same: median, 95 % */
    struct interval ratio;
    struct interval likely; /* share of the rounds that say "small": Wilson, 95 % */
    uint32_t rounds;
    uint64_t pages;         /* 4 KiB pages gone over in a round */
};

struct guest_costs {
    struct guest_value costs[GUEST_COSTS];
    struct interval host_fault_share; /* of first touches of old memory that were slow: Wilson; unknown: not tried */
    uint64_t touched_pages;
    struct guest_value kernel_hz;     /* ticks a second that the kernel is built for */
    struct guest_cpu cpus[GUEST_CPUS_MOST];
    uint32_t cpu_count;
    const char *why_no_cpus;          /* NULL unless cpu_count is 0 */
    struct host_backing backing;
    double elapsed_s, own_cpu_s, taken_at_s; /* what measuring took; taken_at_s: since 1970 */
};

const char *guest_cost_key(enum guest_cost cost);         /* "cpuid_ns": its member in JSON */
const char *guest_cpu_kind_name(enum guest_cpu_kind kind);   /* "nohz_full" */
const char *host_backing_name(enum host_backing_verdict verdict); /* "small" */
/* The figure; unknown where costs is NULL. */
struct interval guest_cost(const struct guest_costs *costs, enum guest_cost cost);

/* Whether the instruction leaves the guest, by what it took: YES beyond any processor's own time for it. */
enum guest_leaves { GUEST_LEAVES_UNKNOWN, GUEST_LEAVES_NO, GUEST_LEAVES_YES };
enum guest_leaves guest_cost_leaves(const struct guest_costs *costs, enum guest_cost cost);

/* ---- judged from raw numbers ---- */

struct guest_gap { /* a stretch in which a thread that reads the clock again and again saw none of it */
    double at_ns, length_ns; /* at: where it ended, since the beginning */
};

/*
 * What do these gaps of one CPU, span_ns long in all, say? tick_hz: of this kernel there (0: not known). Fills the gap
 * members of ret_cpu and, where gaps come as regularly as such ticks, what they took.
 */
void guest_gaps_judge(const struct guest_gap *gaps, size_t count, double span_ns, double tick_hz,
                      struct guest_cpu *ret_cpu, struct guest_value *ret_tick, struct guest_value *ret_other);

/*
 * Rounds of three times each. Dense lines need few translations whatever the pages; one line a page of 4 KiB needs more
 * than a TLB holds. If the host's pages are huge, too, one line a page of a huge page is as fast as dense.
 */
void host_backing_judge(const double *dense_ns, const double *huge_ns, const double *small_ns, size_t rounds,
                       struct host_backing *ret_pages);

/* Members alone, into an object that is open. */
void guest_costs_members(const struct guest_costs *costs, struct json_writer *json);

#endif
