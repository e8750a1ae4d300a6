/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Under which settings does an arm run: huge pages, CPUs, priority, address randomisation, the machine's own switches?
 *
 * Two kinds. What a process can be given (CPUs, nice value, memory node, no huge pages, no randomisation) is made in
 * the child before it execs, and its children inherit it. What only the machine has (a file below /sys or /proc) is
 * written before the run and put back behind it; should plumb be killed meanwhile, a guardian process puts it back.
 * While an experiment lasts, nobody else's experiment switches the same file.
 * Does not support: what needs a boot (kernel, nohz_full, isolated CPUs, a mitigation): run_settings_add says what to
 * do.
 */
#ifndef PLUMB_EXPERIMENT_RUN_SETTINGS_H
#define PLUMB_EXPERIMENT_RUN_SETTINGS_H

#include "base/arena.h"
#include "base/error.h"
#include "source/live/workload.h"
#include "system/host/guardian.h"
#include "system/sysroot.h"

enum {
    RUN_SETTINGS_MOST = 8
};

struct setting_kind;

struct run_setting {
    const struct setting_kind *kind;
    const char *key, *value; /* as typed */
    const int *cpus;         /* of "cpu" */
    size_t cpu_count;
    int64_t number;          /* of "nice" and "node" */
};

struct run_settings {
    struct run_setting items[RUN_SETTINGS_MOST];
    size_t count;
};

/* The keys that can be switched while the machine runs: "thp, cpu, nice, …". */
void run_settings_keys(struct text *out);
/* Whether the key is one of them. */
bool run_settings_known(const char *key);
/* The machine fact (system/surroundings) that a key switches, or NULL. */
const char *run_settings_fact(const char *key);

/*
 * Errors: ERROR_USAGE (no such key or value), ERROR_PERMISSION, ERROR_UNSUPPORTED (needs a boot; this machine lacks
 * it).
 */
MUST_CHECK bool run_settings_add(struct run_settings *settings, const char *key, const char *value,
                                 const struct sysroot *root, struct arena *arena, struct error *err);

/* The machine's switches that are ours to write until settings_lock_done. Zeroed: none yet. */
struct settings_lock {
    const struct setting_kind *kinds[RUN_SETTINGS_MOST];
    int fds[RUN_SETTINGS_MOST];
    size_t count;
};

/* Adds those that the settings (may be NULL) write. Errors: ERROR_LIMIT (another plumb writes one just now). */
MUST_CHECK bool settings_lock_add(struct settings_lock *lock, const struct run_settings *settings,
                                  const struct sysroot *root, struct error *err);
void settings_lock_done(struct settings_lock *lock);

/* What has to be put back, and who does it when we can't. */
struct settings_guard {
    struct arena arena;
    struct saved_setting {
        const char *path, *value, *wanted;
    } *saved;
    size_t count, capacity;
    struct guardian guardian;
};

/* Write the machine's part. settings and lock may be NULL. Owner: the caller (run_settings_leave), also on failure. */
MUST_CHECK bool run_settings_enter(const struct run_settings *settings, const struct settings_lock *lock,
                                   struct settings_guard *guard, const struct sysroot *root, struct error *err);
void run_settings_leave(struct settings_guard *guard);
/* The process's part, for workload_surroundings.prepare; context: struct run_settings. 0 or an errno. */
int run_settings_apply(const void *settings);

#endif
