/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why did guests leave, how often, for how long, and what of it is their timer, what is idling?
 *
 * Handler times are from an exit to the next entry; the world switch (and on TDX the TDX module) is outside: lower
 * bounds. Idle exits (HLT) last as long as the guest has nothing to do: they are kept apart and in no sum of times.
 */
#ifndef PLUMB_ANALYSE_EXITS_EXIT_TABLE_H
#define PLUMB_ANALYSE_EXITS_EXIT_TABLE_H

#include "analyse/exits/exit_reason.h"
#include "base/arena.h"
#include "base/measured.h"

struct exit_line {
    const char *name;
    enum exit_point point;
    enum exit_isa isa;
    enum exit_class class;
    bool numbered;
    uint64_t reason;
    uint64_t count, timed;
    struct measured share;                  /* of its tracepoint's */
    struct measured per_second, vcpu_share; /* vcpu_share: of the vCPUs' time, by handler times */
    struct measured total_ns, min_ns, mean_ns, p50_ns, p99_ns, max_ns;
};

/* An object or an instruction of the guest. */
struct exit_use_line {
    const char *name; /* the reason's */
    enum exit_object object;
    bool is_rip;
    uint64_t value, count;
    const char *symbol; /* of a rip or an MSR; NULL: not known */
};

struct exit_vcpu_line {
    uint32_t pid, tid;
    int64_t vcpu; /* -1: not known */
    uint64_t exits, migrations;
    struct measured handled_ns;
};

struct exit_table {
    /* exits, then returns to the monitor, then what was emulated; idle last of each; by count */
    struct exit_line *lines;
    size_t line_count;
    struct exit_use_line *uses; /* by count */
    size_t use_count;
    struct exit_vcpu_line *vcpus;
    size_t vcpu_count;
    /* the point whose sum is `exits`: kvm_exit, or kvm_userspace_exit where that isn't fired */
    enum exit_point counted;
    /* neither of them was looked at: all sums over exits are 0 and say nothing; NULL: they were counted */
    const char *why_uncounted;
    uint64_t exits, idle;    /* idle: of these */
    uint64_t interrupts, preemption_timer, armings;
    bool armings_exact;      /* the MSRs that were written are known */
    struct measured seconds, vcpu_seconds; /* vcpu_seconds: the vCPUs' time together */
    struct measured handler_ns, idle_ns, handler_share; /* without idle; handler_share: of vcpu_seconds */
    uint64_t lost, lost_uses, migrations;
    bool is_table;
};

struct exit_table_options {
    double seconds;     /* 0: as the exits say */
    uint64_t vcpus;     /* 0: as many as were seen */
    int64_t only_vcpu;  /* -1: all */
    bool interval;      /* a part of a longer watch: least and greatest are the buckets' */
    const char *(*symbol)(void *context, uint64_t rip); /* of the guest; NULL: none */
    void *symbol_context;
};

/* Strings and arrays: owner arena. */
void exit_table_build(struct exit_table *table, const struct exits *exits, const struct exit_table_options *options,
                      struct arena *arena);
/* The line of that name and point; NULL: none. */
const struct exit_line *exit_table_line(const struct exit_table *table, enum exit_point point, const char *name);

#endif
