/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which samples does a user want: of these CPUs, processes and threads, from this stretch of time? */
#ifndef PLUMB_COMMAND_RECORDING_SAMPLE_FILTER_H
#define PLUMB_COMMAND_RECORDING_SAMPLE_FILTER_H

#include "base/error.h"
#include "command/options.h"
#include "model/recording.h"
#include "source/source.h"

#include <stddef.h>

struct sample_filter_options {
    const char *cpus, *time, *pids, *tids; /* NULL: all */
    const char *from_event, *until_event;  /* NULL: from the first, to the last sample */
    bool with_switches;
};

/* Rows for an option table whose values struct has such a member. */
#define SAMPLE_FILTER_ROWS(values, member)                                                                             \
    SAMPLE_FILTER_ROWS_OF(values, member, "only samples from this stretch of time, in seconds or as 10%-20%")
#define SAMPLE_FILTER_ROWS_OF(values, member, time_help)                                                          \
    {'C', "cpu", OPTION_LIST, offsetof(struct values, member.cpus), "LIST",                                       \
     "only samples taken on these CPUs, such as 0-3,8"},                                                          \
        {0, "time", OPTION_TEXT, offsetof(struct values, member.time), "FROM,UNTIL", time_help},                  \
        {0, "pid", OPTION_LIST, offsetof(struct values, member.pids), "LIST", "only samples of these processes"}, \
        {0, "tid", OPTION_LIST, offsetof(struct values, member.tids), "LIST", "only samples of these threads"}

/* Rows more, for who takes samples in the order of time. */
#define SAMPLE_SWITCH_ROWS(values, member)                                                                             \
    {0,           "switch-on",                                                                                         \
     OPTION_TEXT, offsetof(struct values, member.from_event),                                                          \
     "EVENT",     "only what follows a sample of this event"},                                                         \
        {0,           "switch-off",                                                                                    \
         OPTION_TEXT, offsetof(struct values, member.until_event),                                                     \
         "EVENT",     "nothing that follows a sample of this event, until --switch-on's"},                             \
    {                                                                                                                  \
        0, "show-on-off-events", OPTION_FLAG, offsetof(struct values, member.with_switches), NULL,                     \
            "samples of these two events as well"                                                                      \
    }

struct sample_window {
    double from, until; /* as shares of the recording's time, 0..1 */
    uint64_t from_ns, until_ns;
};

enum {
    SAMPLE_WINDOWS_MOST = 16,
};

/* An event at whose samples others begin or cease to pass. */
struct sample_switch {
    const char *event; /* NULL: none */
    bool is_known;     /* the recording has it */
};

struct sample_filter {
    const char *pids, *tids;
    struct sample_switch on, off;
    bool is_off, shows_switches;
    /* of time; with several the end of all but the last is the first moment behind it */
    struct sample_window windows[SAMPLE_WINDOWS_MOST];
    size_t window_count;
    bool is_relative; /* windows are shares, not placed yet */
    int *cpus;
    size_t cpu_count;
    bool is_given;    /* not all samples pass */
    bool needs_order; /* which ones do depends on those before them: they are to be given in the order of time */
    bool cpu_missing; /* --cpu, and a sample that doesn't say where it was taken */
};

/* ret_filter is to be released in any case, and holds on to the options' texts. Errors: ERROR_USAGE. */
MUST_CHECK bool sample_filter_init(struct sample_filter *ret_filter, const struct sample_filter_options *options,
                                   struct error *err);
/*
 * Shares of time are placed by when the recording's samples begin and end. Errors: ERROR_USAGE when it doesn't say so.
 */
MUST_CHECK bool sample_filter_place(struct sample_filter *filter, const struct source_facts *facts, struct error *err);
void sample_filter_done(struct sample_filter *filter);
/* sample_filter_passes() where not all do. */
bool sample_filter_matches(struct sample_filter *filter, const struct recording *recording,
                           const struct sample *sample);
static inline bool sample_filter_passes(struct sample_filter *filter, const struct recording *recording,
                                        const struct sample *sample)
{
    return !filter->is_given || sample_filter_matches(filter, recording, sample);
}
/* Whether --cpu lets what happened there through. */
bool sample_filter_passes_cpu(const struct sample_filter *filter, uint32_t cpu);
/*
 * Times count from the recording's first sample, not from the clock's zero. Errors: ERROR_USAGE when it doesn't say
 * when that was.
 */
MUST_CHECK bool sample_filter_begin(struct sample_filter *filter, const struct source_facts *facts, struct error *err);
/*
 * After the last sample. Errors: ERROR_USAGE when --cpu asked what the recording doesn't say, or it has no such event.
 */
MUST_CHECK bool sample_filter_check(const struct sample_filter *filter, struct error *err);

#endif
