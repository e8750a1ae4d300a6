/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples events of a target into a perf.data file: the engine of `plumb record` and of `plumb diagnose`.
 *
 *     workload_start(&workload, argv, err);
 *     target_of_workload(&target, workload.pid, &arena);
 *     recorder_open(&recorder, &request, kernel, root, err);
 *     workload_release(&workload, err);                    // a workload's events start at its exec;
 *     recorder_enable(recorder, err);                      // other targets' (and delayed ones) start here
 *     while (!workload_wait(&workload, 0))
 *         recorder_poll(recorder, 100, err);               // ring buffers to the file
 *     recorder_finish(recorder, &result, err);
 *     recorder_free(recorder);
 *
 * Any number of events with rates, registers and call chains of their own; a tracking event beside them
 * carries mmap, comm, fork, exit, switch and the other side records. One ring buffer for each CPU (or for
 * each thread, per_thread). The file is readable by perf at any moment.
 * Does not support: the AUX area (intel_pt), overwrite mode, more than one cgroup, directories.
 */
#ifndef PLUMB_SOURCE_RECORDER_RECORDER_H
#define PLUMB_SOURCE_RECORDER_RECORDER_H

#include "base/error.h"
#include "metric/event.h"
#include "source/live/target.h"
#include "system/kernel.h"
#include "system/sysroot.h"

#define RECORDER_NO_CLOCK        (-1)
#define RECORDER_STACK_BYTES     8192u  /* of a dwarf dump unless said otherwise */
#define RECORDER_STACK_MOST      65528u
/* PERF_REG_* bits of the general registers, ip, sp and flags of this machine; 0: not known here. */
extern const uint64_t recorder_all_registers;

enum callchain_mode {
    CALLCHAIN_NONE,
    CALLCHAIN_FRAME_POINTERS,
    CALLCHAIN_DWARF, /* user registers and a copy of the stack's top; unwound by the reader */
    CALLCHAIN_LBR,
    CALLCHAIN_AUTO, /* frame pointers, or dwarf when a short measurement shows that most stacks need it */
};

struct recorder_event {
    const char *name;
    struct perf_event_attr attr; /* what to count, as event_spec has it; no sampling fields */
    bool precise_max;            /* lower attr.precise_ip until it opens */
    int group;                   /* as in event_spec */
    bool weak_group;             /* sampled apart if the group doesn't fit */
    bool sample_read;            /* its group's leader samples and reads the others */
    bool stays;                  /* never handed on to children and new threads: event_is_handed_on */
    const int *cpus;             /* an uncore PMU's CPUs, or NULL */
    size_t cpu_count;
    const char *filter;         /* of a tracepoint, in the kernel's language; NULL: every one */
    uint64_t frequency, period; /* samples per second, or events per sample; the other is 0 */
    enum callchain_mode callchain;
    uint32_t stack_bytes;                         /* dwarf dump; 0: RECORDER_STACK_BYTES */
    uint64_t user_registers, interrupt_registers; /* PERF_REG_* bits */
    uint64_t sample_type;                         /* more PERF_SAMPLE_* bits: ADDR, WEIGHT, PHYS_ADDR, … */
    uint64_t branch_sample_type;                  /* 0: no branch stack */
    uint32_t copied_stack_bytes; /* copy that much of the stack as well, beside a chain by frame pointers; 0: no */
    /*
     * … at a bounded rate: into buffers of its own that are emptied now and then, the event being stopped while they
     * are full and taken a hundred times a second of each thread at most. It may come as often as it likes.
     */
    bool is_paced;
};

/* The event that spec describes, with no rate and nothing but the basics in its samples. */
struct recorder_event recorder_event_of(const struct event_spec *spec);

struct recorder_request {
    const struct recorder_event *events;
    size_t event_count;
    const struct target *target;
    const char *output; /* a path; "-": the pipe format to pipe_fd */
    int pipe_fd;
    char *const *command_line; /* of the recorder, for the CMDLINE feature; NULL-terminated */
    bool no_inherit;           /* children and new threads are not followed */
    bool per_thread;           /* a ring buffer per thread instead of per CPU; implies no_inherit */
    bool delayed;              /* a workload's events wait for recorder_enable instead of its exec */
    bool user_only, kernel_only;
    bool user_chains_only, kernel_chains_only;
    bool no_bpf_programs; /* don't record that they are loaded */
    bool no_build_ids;    /* don't read them from the files at the end */
    bool record_switches;   /* PERF_RECORD_SWITCH */
    bool record_data_mmaps; /* mappings that aren't executable as well */
    bool record_cgroups;    /* samples carry their cgroup; existing cgroups are named */
    int clock_id;           /* CLOCK_*, or RECORDER_NO_CLOCK for perf's own */
    int compression_level;  /* 0: none */
    size_t ring_bytes;      /* a power of two; 0: chosen */
    bool keep_files;        /* copy sampled binaries that their paths don't lead to (source/recorder/files_apart.h) */
    bool keep_code;         /* copy hot anonymous executable pages (source/recorder/recorder_code.h) */
    int wake_fd;            /* recorder_poll also returns when it is readable; -1: none */
};

/* What came of it. */
struct recorder_result {
    uint64_t samples, bytes;
    uint64_t lost_samples; /* from the counters themselves where the kernel has them, else lost_records */
    uint64_t lost_records; /* as LOST records said, but those of paced events: samples and side records alike */
    uint64_t throttles, broken_bytes;
    uint64_t first_ns, last_ns; /* time of the samples; 0: none */
    uint64_t exited_ns;         /* when the last thread of the started program's process ended; 0: not seen */
    enum callchain_mode callchain; /* what AUTO became; else as asked; NONE without chains */
    uint64_t user_stacks, stacks_at_root; /* frame-pointer chains looked at, and those that end at a thread's root */
    bool stacks_judged;                   /* whether there were enough of them to say */
    uint64_t stack_dumps, stack_dumps_full; /* dwarf: copied, and of these as long as was asked for: perhaps cut */
    uint64_t code_pages, code_bytes;        /* copied from anonymous executable memory */
    size_t files_kept;                      /* binaries copied to ~/.debug */
    size_t ring_bytes, ring_count;
    /* how often and how long paced events were stopped, as they came too often */
    uint64_t paced_pauses, paced_paused_ns;
    uint64_t paced_lost;                    /* of their samples; not among lost_samples */
};

struct recorder;

/*
 * Create the output, open the events on the target, map the buffers, and write what already exists there.
 * Errors: the output can't be created; an event that can't be opened, with cause and remedy; ERROR_LIMIT
 * (descriptors, locked memory). On failure no file is left behind and path.old is back in its place.
 */
MUST_CHECK bool recorder_open(struct recorder **ret_recorder, const struct recorder_request *request,
                              const struct kernel *kernel, const struct sysroot *root, struct error *err);
MUST_CHECK bool recorder_enable(struct recorder *recorder, struct error *err);
void recorder_disable(struct recorder *recorder);
/* Let the event of that name (NULL: all) sample or pause. Errors: ERROR_NOT_FOUND, no such event. */
MUST_CHECK bool recorder_switch(struct recorder *recorder, const char *event, bool on, struct error *err);
/* recorder_poll also returns when this descriptor is readable; -1: none. It stays its owner's. */
void recorder_watch(struct recorder *recorder, int fd);
uint64_t recorder_bytes(const struct recorder *recorder); /* written so far */
/* of these, records of events that come at their own rate */
uint64_t recorder_unpaced_bytes(const struct recorder *recorder);
/*
 * Wait until a buffer fills, wake_fd is readable, a signal arrives or timeout_ms passes; then empty all
 * buffers into the file. Errors: ERROR_LIMIT (disk full), ERROR_SYSTEM; the file stays readable.
 */
MUST_CHECK bool recorder_poll(struct recorder *recorder, int timeout_ms, struct error *err);
/* wake_fd was readable, or a signal came, when the recorder waited last: look at what it stands for. */
bool recorder_woken(const struct recorder *recorder);
/* Every thread that is recorded has ended. */
bool recorder_target_ended(const struct recorder *recorder);
/* Stop, empty the buffers, write what is known only now. ret_result is filled also on failure. */
MUST_CHECK bool recorder_finish(struct recorder *recorder, struct recorder_result *ret_result, struct error *err);
/*
 * Write a small recording with at most a few hundred of the stack dumps, evenly over the time, and the mappings
 * that explain them to fd, in the pipe format: what unwinding them says stands for the whole. After the finish.
 */
MUST_CHECK bool recorder_excerpt_write(const struct recorder *recorder, int fd, struct error *err);
/* Remove the file and bring path.old back: the target never ran. */
void recorder_discard(struct recorder *recorder);
void recorder_free(struct recorder *recorder); /* NULL is allowed */

/*
 * What the user should know: "event X samples user space only, because …", smaller buffers, an unwinder
 * chosen. Grows during open, poll and finish. Owner: the recorder.
 */
size_t recorder_note_count(const struct recorder *recorder);
const char *recorder_note(const struct recorder *recorder, size_t index);

#endif
