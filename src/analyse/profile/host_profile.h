/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whose time does a profile of a host's CPUs show: its guests', the way into and out of them, idling, the profile's own
 * cost, the rest?
 *
 * Each sample is laid at one part. The profile's own cost is told by names (data/host_symbols.tsv) in the sampled
 * function and in those that called it, and by the recorder's own process. A guest's time is told by the sample itself
 * where the event sees into guests; else it is found at the way in and out, together with what that way costs: the two
 * can't be told apart there. Handling exits is told by call chains. Does not support: kernels that name nothing (what
 * can't be named is the kernel's), costs of the profiler outside sampled code, such as interrupts that come while
 * others are off.
 */
#ifndef PLUMB_ANALYSE_PROFILE_HOST_PROFILE_H
#define PLUMB_ANALYSE_PROFILE_HOST_PROFILE_H

#include "base/arena.h"
#include "model/recording.h"

enum host_part {
    HOST_GUEST,       /* sampled inside a guest */
    HOST_GUEST_ENTRY, /* on the way into one and out of it */
    HOST_GUEST_EXITS, /* in the kernel, called from the loop around a guest: handling its exits */
    HOST_PROFILER,    /* the profile's own cost */
    HOST_IDLE,
    HOST_KERNEL,
    HOST_USER,
    HOST_PART_COUNT
};

const char *host_part_key(enum host_part part);   /* "guest_entry" */
const char *host_part_words(enum host_part part);

struct host_symbol {
    const char *name;
    bool is_prefix;
    enum host_part part;
    const char *words;
};

extern const struct host_symbol host_symbol_rows[];
extern const size_t host_symbol_row_count;

/* NULL: it is neither the profiler's nor of the way into a guest. */
const struct host_symbol *host_symbol_find(const char *name);

/* The part that a kernel function's name stands for, as a bit; 0: none, or no name. */
static inline uint8_t host_part_bit(const struct host_symbol *symbol)
{
    return symbol ? (uint8_t)(1u << symbol->part) : 0;
}

struct host_sample {
    enum cpu_mode mode;
    bool is_idle;           /* of the idle thread */
    const char *program;    /* whose thread it was; NULL: not known */
    const char *recorder;   /* name of its process where that is the recorder's; else NULL */
    const char *name;       /* of the sampled kernel function; NULL: not named */
    uint8_t own, callers;   /* parts of that function, of those of the kernel that called it: bits */
    double weight;
};

/* What the kernel's functions of a recording stand for; each location and each stack is looked at once. */
struct host_naming {
    const struct recording *recording;
    const char *(*name)(void *data, uint32_t location); /* NULL: not named. Lives as long as data. */
    void *data;
    const char **names;
    uint8_t *own, *callers; /* by location, by stack: parts, and whether that is known yet */
};

void host_naming_init(struct host_naming *naming, const struct recording *recording,
                      const char *(*name)(void *, uint32_t), void *data);
void host_naming_done(struct host_naming *naming);
/* Mode, name and parts of a sample at the location; the stack may be STACK_NONE. */
struct host_sample host_naming_sample(struct host_naming *naming, uint32_t location, uint32_t stack);

enum { HOST_NAMES_MOST = 48 };

struct host_name { /* a function, or the recorder's process, that cost */
    const char *name;
    double weight;
};

struct host_profile {
    double weights[HOST_PART_COUNT], total;
    double guest_kernel, guest_user; /* of HOST_GUEST */
    struct host_name profiler[HOST_NAMES_MOST]; /* of HOST_PROFILER: by function, most first once sorted */
    size_t profiler_count;
    double profiler_rest; /* of functions beyond those */
    /* of HOST_KERNEL: by the program whose thread it was, its calls and what interrupted it; most first once sorted */
    struct host_name callers[HOST_NAMES_MOST];
    size_t caller_count;
};

struct code_bundle;

/*
 * Of all samples that count time or cycles, the idle threads' included. Names: of the bundle, which must outlive it.
 * Who recorded is told by its process and those that it forked, never by a name that another program may have.
 */
void host_profile_of(struct host_profile *profile, const struct recording *recording,
                     const struct code_bundle *bundle);
/* Whether guests show in it at all. */
bool host_profile_has_guests(const struct host_profile *profile);

/* Strings must outlive the profile. */
void host_profile_add(struct host_profile *profile, const struct host_sample *sample);
void host_profile_sort(struct host_profile *profile);
/* 0..1; 0 where nothing was added. */
double host_profile_share(const struct host_profile *profile, enum host_part part);

/* ---- what is 100 % ---- */

enum host_scope_kind {
    HOST_SCOPE_UNKNOWN,   /* the recording doesn't tell */
    HOST_SCOPE_PROGRAM,
    HOST_SCOPE_PROCESSES,
    HOST_SCOPE_CPUS,      /* those of a list */
    HOST_SCOPE_MACHINE
};

struct host_scope {
    enum host_scope_kind kind;
    const char *list; /* of CPUs, or processes; NULL: not said */
};

/*
 * The name of the process that recorded, by the first of these words; NULL: not known. Another process may have the
 * same name.
 */
const char *host_recorder_of(const char *const *words, size_t count);
/* From the words of `perf record` or `plumb record`, as the recording's header keeps them. Owner of list: arena. */
struct host_scope host_scope_of(const char *const *words, size_t count, struct arena *arena);
static inline bool host_scope_is_of_cpus(struct host_scope scope)
{
    return scope.kind == HOST_SCOPE_CPUS || scope.kind == HOST_SCOPE_MACHINE;
}

struct host_whole { /* of an event */
    bool counts_ns, user_only, without_idle, without_guests;
    const char *event;
};

/* "the time of CPU 5, idle time included". Owner: arena. */
const char *host_denominator(struct host_scope scope, const struct host_whole *whole, struct arena *arena);

#endif
