/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Live exits, added up in the kernel: programs on kvm's tracepoints, and the maps that they fill.
 *
 * Raw tracepoints where their arguments suffice and the kernel's type information confirms their names; else
 * tracepoints, by the offsets of their formats. Everything hangs on descriptors of ours: whatever ends us, nothing is
 * left in the kernel. Does not support: kernels without BPF, or users without CAP_BPF and CAP_PERFMON (then others
 * count, see command/exits).
 */
#ifndef PLUMB_SOURCE_EXITS_EXIT_WATCH_H
#define PLUMB_SOURCE_EXITS_EXIT_WATCH_H

#include "base/error.h"
#include "source/exits/exit_program.h"
#include "system/kernel.h"
#include "system/sysroot.h"

struct exit_watch_request {
    const struct exit_point_row *points; /* EXIT_POINT_COUNT of them: exit_points, or a bench's own */
    bool wanted[EXIT_POINT_COUNT];
    bool only_followed; /* of threads that exit_watch_follow named, and those that they make */
    bool times, objects, rips;
    bool no_raw;        /* tracepoints only */
    uint32_t uses_most; /* objects and instructions that are kept apart; 0: as many as this machine may need */
    uint64_t vcpus;     /* how many there are at most; 0: not known */
};

enum exit_attachment { EXIT_ABSENT, EXIT_RAW, EXIT_TRACEPOINT };

struct exit_watch {
    const struct kernel *kernel;
    struct exit_dictionary dictionaries[EXIT_DICTIONARIES];
    uint32_t most[EXIT_DICTIONARIES]; /* how many entries each has place for at least */
    int blank_fd, lost_fd, followed_fd;
    enum exit_attachment attachments[EXIT_POINT_COUNT];
    int fds[2 * EXIT_POINT_COUNT + 2];
    size_t fd_count;
    bool has_slow; /* some are perf events, which the kernel lets go of slowly */
    char absent[300]; /* wanted points that this kernel has not, or whose fields aren't ours */
};

/*
 * Errors: ERROR_PERMISSION, ERROR_UNSUPPORTED (no BPF, no tracefs, none of the points), with the remedy. On failure
 * nothing is open.
 */
MUST_CHECK bool exit_watch_open(struct exit_watch *watch, const struct exit_watch_request *request,
                                const struct kernel *kernel, const struct sysroot *root, struct error *err);
MUST_CHECK bool exit_watch_follow(struct exit_watch *watch, uint32_t tid, struct error *err);
void exit_watch_close(struct exit_watch *watch);

/*
 * As it stands now; what is counted meanwhile may be seen or not. Cells come before threads, and lack the exits that
 * threads are in. A key may come twice: its parts add up.
 */
struct exit_watch_visitor {
    void *context;
    void (*cell)(void *context, const struct exit_cell_key *key, const struct exit_cell *cell);
    void (*use)(void *context, const struct exit_use_key *key, uint64_t count);
    void (*thread)(void *context, uint32_t tid, const struct exit_thread_state *state);
};
void exit_watch_read(const struct exit_watch *watch, const struct exit_watch_visitor *visitor);
/* Events that found no place in a map; and objects and instructions of them that didn't. */
uint64_t exit_watch_lost(const struct exit_watch *watch, uint64_t *ret_uses);

#endif
