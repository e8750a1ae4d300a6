/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which samples does a user want: of these CPUs, processes and threads, from this stretch of time? */
#ifndef PLUMB_COMMAND_SAMPLE_FILTER_H
#define PLUMB_COMMAND_SAMPLE_FILTER_H

#include "base/error.h"
#include "command/options.h"
#include "model/recording.h"

#include <stddef.h>

struct sample_filter_options {
    const char *cpus, *time, *pids, *tids; /* NULL: all */
};

/* Rows for an option table whose values struct has such a member. */
#define SAMPLE_FILTER_ROWS(values, member) SAMPLE_FILTER_ROWS_OF(values, member, "only samples from this stretch of time, in seconds")
#define SAMPLE_FILTER_ROWS_OF(values, member, time_help)                                                          \
    {'C', "cpu", OPTION_LIST, offsetof(struct values, member.cpus), "LIST",                                       \
     "only samples taken on these CPUs, such as 0-3,8"},                                                          \
        {0, "time", OPTION_TEXT, offsetof(struct values, member.time), "FROM,UNTIL", time_help},                  \
        {0, "pid", OPTION_LIST, offsetof(struct values, member.pids), "LIST", "only samples of these processes"}, \
        {0, "tid", OPTION_LIST, offsetof(struct values, member.tids), "LIST", "only samples of these threads"}

struct sample_filter {
    const char *pids, *tids;
    uint64_t from_ns, until_ns;
    int *cpus;
    size_t cpu_count;
    bool is_given;    /* not all samples pass */
    bool cpu_missing; /* --cpu, and a sample that doesn't say where it was taken */
};

/* ret_filter is to be released in any case, and holds on to the options' texts. Errors: ERROR_USAGE. */
MUST_CHECK bool sample_filter_init(struct sample_filter *ret_filter, const struct sample_filter_options *options, struct error *err);
void sample_filter_done(struct sample_filter *filter);
bool sample_filter_passes(struct sample_filter *filter, const struct recording *recording, const struct sample *sample);
/* After the last sample. Errors: ERROR_USAGE when --cpu asked what the recording doesn't say. */
MUST_CHECK bool sample_filter_check(const struct sample_filter *filter, struct error *err);

#endif
