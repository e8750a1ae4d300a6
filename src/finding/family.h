/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hypotheses by family, and the steps that their tests share. */
#ifndef PLUMB_FINDING_FAMILY_H
#define PLUMB_FINDING_FAMILY_H

#include "finding/hypothesis.h"

#define FAMILY_MEMORY \
    &hypothesis_small_pages, &hypothesis_cache_misses, &hypothesis_dram_latency, &hypothesis_cache_levels, \
    &hypothesis_bandwidth, &hypothesis_extra_trips, &hypothesis_stores, &hypothesis_numa_remote, \
    &hypothesis_false_sharing
#define FAMILY_CORE \
    &hypothesis_divider, &hypothesis_mispredicts, &hypothesis_machine_clears, &hypothesis_latency_chain, \
    &hypothesis_load_chain, &hypothesis_forwarding, &hypothesis_aliasing, &hypothesis_port_pressure, \
    &hypothesis_denormals, &hypothesis_narrow_vectors, &hypothesis_avx512_licence, &hypothesis_front_end, \
    &hypothesis_uop_cache, &hypothesis_decoding, &hypothesis_atomics, &hypothesis_smt_sharing
#define FAMILY_BUILD                                                                                                   \
    &hypothesis_unoptimised, &hypothesis_checking_code, &hypothesis_instrumented, &hypothesis_emulated,                \
        &hypothesis_interpreter
#define FAMILY_LIBRARY                                                                                                 \
    &hypothesis_allocation, &hypothesis_garbage_collection, &hypothesis_exceptions, &hypothesis_copying,               \
        &hypothesis_spinning
#define FAMILY_SYSTEM \
    &hypothesis_waiting, &hypothesis_lock_turns, &hypothesis_quota, &hypothesis_steal, \
    &hypothesis_oversubscribed, &hypothesis_affinity, &hypothesis_migrations, &hypothesis_page_faults, \
    &hypothesis_system_calls, &hypothesis_interrupts, &hypothesis_kernel_locks, &hypothesis_start_and_exit, \
    &hypothesis_swap, &hypothesis_single_threaded, &hypothesis_vm_exits, &hypothesis_timer_tick, \
    &hypothesis_host_pages, &hypothesis_frequency, &hypothesis_clock_limits

extern const struct hypothesis hypothesis_small_pages, hypothesis_cache_misses, hypothesis_dram_latency,
    hypothesis_cache_levels, hypothesis_bandwidth, hypothesis_extra_trips, hypothesis_stores,
    hypothesis_numa_remote, hypothesis_false_sharing;
extern const struct hypothesis hypothesis_divider, hypothesis_mispredicts, hypothesis_machine_clears,
    hypothesis_latency_chain, hypothesis_load_chain, hypothesis_forwarding, hypothesis_aliasing,
    hypothesis_port_pressure, hypothesis_denormals, hypothesis_narrow_vectors, hypothesis_avx512_licence,
    hypothesis_front_end, hypothesis_uop_cache, hypothesis_decoding, hypothesis_atomics,
    hypothesis_smt_sharing;
extern const struct hypothesis hypothesis_unoptimised, hypothesis_checking_code, hypothesis_instrumented,
    hypothesis_emulated, hypothesis_interpreter;
extern const struct hypothesis hypothesis_allocation, hypothesis_garbage_collection, hypothesis_exceptions,
    hypothesis_copying, hypothesis_spinning;
extern const struct hypothesis hypothesis_waiting, hypothesis_lock_turns, hypothesis_quota, hypothesis_steal,
    hypothesis_oversubscribed, hypothesis_affinity, hypothesis_migrations, hypothesis_page_faults,
    hypothesis_system_calls, hypothesis_interrupts, hypothesis_kernel_locks, hypothesis_start_and_exit,
    hypothesis_swap, hypothesis_single_threaded, hypothesis_vm_exits, hypothesis_timer_tick,
    hypothesis_host_pages, hypothesis_frequency, hypothesis_clock_limits;

/* A share of the samples as a share of what the finding counts in. */
struct interval share_of_run(const struct results *results, const struct finding *finding, struct interval share);
/* finding_decide and finding_decide_bound by a share of anything. */
void finding_decide_share(struct finding *finding, const struct results *results, struct share share);
void finding_bound_share(struct finding *finding, const struct results *results, struct share most);
struct measured cpus_allowed_to(const struct activity *activity);
/* How the elapsed time is divided: the page's table prints the same. */
struct time_shares shares_of_time(const struct results *results);
/* Of the children that ran before it was watched, one that uses more CPU time than the target; NULL: none. */
const struct activity_child *waiting_busy_child(const struct results *results);
/* There is such a one, and its waits are for processes (wait4 and its like): then that is what it waits for. */
bool waiting_is_for_busy_process(const struct results *results);
/* Where such a wait began, in words: "fetch", "epoll_wait (called below serve)". */
const char *waiting_place(const struct wait_row *row, struct arena *arena);
/* The part in which it slept. */
struct interval share_asleep(const struct results *results);
/* hits of all samples as such a share, Wilson. */
struct interval share_of_samples(const struct results *results, const struct finding *finding, double hits);
/* The same for stalled instructions and for functions by name: what could not be told may be such, too. */
struct interval share_of_stalls(const struct results *results, const struct finding *finding, double hits);
struct interval share_of_names(const struct results *results, const struct finding *finding, double hits);
/* Whether a known emulator is at work. */
bool is_emulated(const struct results *results);
/* Whether it is of a known interpreter. */
bool function_is_interpreters(const struct stall_function *function);
/*
 * Where the hottest function is of a library that is known to have a quicker twin: that twin as advice, and the
 * comparison with it as the check. False: it isn't, nothing was changed.
 */
bool library_advise(const struct results *results, struct finding *finding);
bool library_is_plain(const struct results *results);
/*
 * What to do about the script that an interpreter runs: as advice, where interpreters have most of the time. False:
 * they have not.
 */
bool script_advise(const struct results *results, struct finding *finding);
/* What a function means in a script that has a good part of the time: as advice, before any profiler of scripts. */
void script_advise_meaning(const struct results *results, struct finding *finding);
/*
 * The same for the hottest interpreter that is at work or calls what is, however little it has itself: what its user
 * changes is the script. NULL: there is none. Owner: static.
 */
const char *script_advice_beside(const struct results *results);
/*
 * Whether its user can't change the code: all that was sampled of it outside the kernel lies where distributions and
 * package managers put programs and libraries, or is an interpreter's, nothing was compiled at run time, and as far as
 * stacks were copied no code of its own calls that directly.
 */
bool code_is_foreign(const struct results *results);
/* Stall attribution holds; else fills the finding as not testable. */
bool stalls_are_attributed(const struct results *results, struct finding *finding);
/* "ruled out: at most X % …" with the upper end of what was decided. */
void finding_reason_bound(struct finding *finding, const char *key, struct interval bound);

/*
 * The estimate lays so much at one of these causes (bits by enum bottleneck_cause), and is not unsure of it: then what
 * was undecided is a fact whose gain isn't measured. false: it says nothing of it.
 */
bool decide_by_estimate(const struct results *results, struct finding *finding, unsigned causes);
/* The same without words of its own: of what a finding counts, the estimate's share. */
bool estimate_decides(const struct results *results, struct finding *finding, unsigned causes,
                      struct interval *ret_share);
#define CAUSE_BIT(cause) (1u << (cause))

/* Samples that the estimated bottleneck lays at some causes (CAUSE_BIT), 0 without one. */
double estimated_mass(const struct results *results, unsigned causes);

/* The same, or what a remedy of them may return by it, if that is more: no bound of the same may be smaller. */
double estimated_samples(const struct results *results, unsigned causes);

/*
 * The same, or what another run of the same code may lay there, if that is more: a class at a border is its largest
 * cause's.
 */
double estimated_most(const struct results *results, unsigned causes);

/* What the estimate lays at some causes, of all samples, as wide as it leaves their class. */
struct interval estimated_range(const struct results *results, unsigned causes);

/* What a function without a name tells of itself is in `tells` alone; in `word`, too, where it asserts by a name. */
struct name_pattern {
    const char *name;   /* the whole name, but for what the compiler or linker adds: "free", not "freeze"; NULL: any */
    const char *prefix; /* begins so: families that reserve it ("__asan_"); NULL: any */
    const char *suffix; /* ends so; NULL: any */
    const char *word;   /* whole words somewhere in it: "memcpy" in "__memcpy_avx"; NULL: any */
    const char *tells;  /* has no name, and refers to a text with this; NULL: any */
    const char *dso;    /* its binary but for the version: "python" is python3.11, "bash" not bashful; NULL: any */
    bool is_guess;      /* anybody may call a function so: proves nothing */
};
bool function_has_name(const struct stall_function *function, const struct name_pattern *pattern);
/* One of them, and no guess. */
bool function_has_some_name(const struct stall_function *function, const struct name_pattern *patterns, size_t count);
/* Its name is made of its place, "libgs.so.10.00+0x2df670", or it is code that was made at run time, without one. */
bool function_is_nameless(const struct stall_function *function);
/* A collector's for certain: by its name or, without one, by who calls it. */
bool function_collects(const struct stalls *stalls, const struct stall_function *function);
/* By its name it allocates or frees for others, for certain. function: may be NULL */
bool function_allocates(const struct results *results, const char *function);
/*
 * Where that function copies or clears memory for one caller most of all: the one advice is to copy less there. False:
 * it doesn't, or nobody knows for whom. function: may be NULL.
 */
bool copying_advise(const struct results *results, struct finding *finding, const char *function);
/* By its name it refers or checks: a guess. */
bool function_name_checks(const char *name);
/* By what a system call does, the keys of its advice and of what confirms it, in [system-calls]; false: of no kind. */
bool system_call_keys(const char *call, const char **ret_advice, const char **ret_confirm);
/* Of a runtime of OpenMP: it hands out turns of a loop, which it does by atomic operations. */
bool function_hands_out(const struct stall_function *function);
/* It looks for packets, completions or messages in a loop; and the keys of what to say, to do, and to confirm it by. */
bool function_polls(const struct stall_function *function);
const char *polling_headline(const struct stall_function *function);
const char *polling_advice(const struct stall_function *function);
const char *polling_confirm(const struct stall_function *function);
/* Samples in functions that lock or wait in user space. */
uint64_t locking_samples(const struct stalls *stalls);
/* Samples in calls into the kernel that waits for locks lead to: contention makes them, no lock without it. */
double futex_samples_of_locks(const struct kernel_time *kernel, const struct wait_rows *waits);

/*
 * Several streams in turns look like steps from one to the next: that each goes in order, and that bandwidth is waited
 * for, the estimate knows from the code and from how fast it went. One answer for both.
 */
bool group_goes_in_order(const struct results *results, const struct stall_group *group);

struct name_matches {
    uint64_t samples; /* certain ones */
    uint64_t guessed; /* by a name that anybody may use */
    const struct stall_function *hottest;         /* of the certain; NULL: none matched */
    const struct stall_function *hottest_guessed; /* NULL: none */
};
/* Functions whose names match one of the patterns. */
struct name_matches functions_named(const struct stalls *stalls, const struct name_pattern *patterns, size_t count);
/*
 * Enough samples of what runs are of this runtime's functions; false of a whole machine, of which nobody knows whose
 * calls and pages are meant.
 */
bool runs_runtime(const struct results *results, const struct name_pattern *runtime);
/*
 * Decide by the time in such functions: where the name is certain, a fact; what leaving them out returns is at most
 * that. A guess by name only keeps it from being ruled out.
 */
void test_function_names(const struct results *results, struct finding *finding, const struct name_pattern *patterns,
                         size_t count);
void test_name_matches(const struct results *results, struct finding *finding, const struct name_matches *found);

#endif
