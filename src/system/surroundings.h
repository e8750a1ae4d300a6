/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The facts about the machine that a diagnosis leans on, few and plain, so that a case can keep them.
 *
 * Taken from struct machine; a fact that wasn't known there is "" or not measured here, never 0.
 */
#ifndef PLUMB_SYSTEM_SURROUNDINGS_H
#define PLUMB_SYSTEM_SURROUNDINGS_H

#include "base/arena.h"
#include "base/json/json_reader.h"
#include "base/json/json_writer.h"
#include "base/measured.h"
#include "system/machine.h"

struct surroundings {
    const char *cpu, *microarchitecture, *kernel; /* "" when unknown */
    const char *hypervisor; /* "bare metal", "KVM", …; "" when unknown */
    const char *confidential; /* "" unless it is a confidential guest */
    const char *thp_enabled, *thp_defrag, *thp_shmem; /* "always", "madvise", "never", "" */
    const char *governor, *frequency_driver;
    const char *nohz_full, *isolated_cpus, *mitigations; /* "none": known to be empty */
    const char *clocksource;      /* "tsc", "kvm-clock"; "" when unknown */
    const char *instruction_sets; /* what code chooses its loops by: "sse4_2 avx2 fma"; "" when unknown */
    bool is_guest, has_avx2, has_avx512;
    struct measured cpus_online, nodes, memory_bytes, available_bytes;
    struct measured l1d_bytes, l1i_bytes, l2_bytes, l3_bytes;
    struct measured l1d_sets, l2_sets; /* not measured in older cases */
    struct measured numa_balancing, swap_bytes;
    struct measured clock_most_hz; /* the hardware's highest, of the first CPU */
    struct measured pmu_counters; /* general counters of the core PMU; not measured: there is none, and why */
};

void surroundings_take(struct surroundings *surroundings, const struct machine *machine, struct arena *arena);
/* The widest vectors that integers and floating-point numbers have there; 0: not known. */
double surroundings_widest_bits(const struct surroundings *surroundings);
void surroundings_write(const struct surroundings *surroundings, struct text *out);
/* Errors: ERROR_FORMAT. Owner: arena. */
MUST_CHECK bool surroundings_read(struct surroundings *surroundings, struct json_value root, struct arena *arena,
                                  struct error *err);

/* What two measurements must have in common to be comparable, and here have not. */
struct surroundings_difference {
    const char *name;   /* "governor" */
    const char *a, *b;  /* as text; "" when unknown. Owner: arena */
};
/* At most `most` of them; only what both know. Returns how many. */
size_t surroundings_compare(const struct surroundings *a, const struct surroundings *b,
                            struct surroundings_difference *ret_differences, size_t most, struct arena *arena);
/* The members alone, into an object that is open. */
void surroundings_members(const struct surroundings *surroundings, struct json_writer *json);

#endif
