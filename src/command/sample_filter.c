/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/sample_filter.h"

#include "base/text.h"
#include "system/sysroot.h"

#include <stdlib.h>
#include <string.h>

static bool seconds_parse(struct view text, uint64_t *ret_ns)
{
    struct view fraction = text, whole = view_cut(&fraction, '.');
    uint64_t seconds, nanoseconds = 0;
    if (!view_u64(whole, 10, &seconds) || fraction.length > 9)
        return false;
    if (fraction.length && !view_u64(fraction, 10, &nanoseconds))
        return false;
    for (size_t digits = fraction.length; digits < 9; digits++)
        nanoseconds *= 10;
    return !__builtin_mul_overflow(seconds, (uint64_t)1000000000, ret_ns) &&
           !__builtin_add_overflow(*ret_ns, nanoseconds, ret_ns);
}

/* "SECONDS,SECONDS", either of which may be empty, as nanoseconds. */
static bool time_window_parse(const char *text, uint64_t *ret_from_ns, uint64_t *ret_until_ns, struct error *err)
{
    struct view until = view_of(text), from = view_cut(&until, ',');
    uint64_t from_ns = 0, until_ns = UINT64_MAX;
    bool good = strchr(text, ',') && (!from.length || seconds_parse(from, &from_ns)) &&
                (!until.length || seconds_parse(until, &until_ns)) && from_ns <= until_ns;
    if (!good) {
        error_set(err, ERROR_USAGE, "'%s' is not a stretch of time", text);
        return error_hint(err, "write FROM,UNTIL in seconds, such as 12.5,13 or ,13 (percentages are not supported)");
    }
    *ret_from_ns = from_ns;
    *ret_until_ns = until_ns;
    return true;
}

bool sample_filter_init(struct sample_filter *ret_filter, const struct sample_filter_options *options, struct error *err)
{
    *ret_filter = (struct sample_filter){
        .pids = options->pids,
        .tids = options->tids,
        .until_ns = UINT64_MAX,
        .is_given = options->cpus || options->time || options->pids || options->tids,
    };
    if (options->time && !time_window_parse(options->time, &ret_filter->from_ns, &ret_filter->until_ns, err))
        return false;
    if (options->cpus && !cpu_list_parse(view_of(options->cpus), &ret_filter->cpus, &ret_filter->cpu_count))
        return error_set(err, ERROR_USAGE, "'%s' is not a list of CPUs such as 0-3,8", options->cpus);
    return true;
}

void sample_filter_done(struct sample_filter *filter)
{
    free(filter->cpus);
    filter->cpus = NULL;
}

static bool number_listed(const char *list, uint32_t number)
{
    for (struct view rest = view_of(list); rest.length;) {
        uint64_t value;
        if (view_u64(view_trim(view_cut(&rest, ',')), 10, &value) && value == number)
            return true;
    }
    return false;
}

bool sample_filter_passes(struct sample_filter *filter, const struct recording *recording, const struct sample *sample)
{
    const struct thread *thread = &recording->threads.items[sample->thread];
    if (sample->time_ns < filter->from_ns || sample->time_ns > filter->until_ns)
        return false;
    if ((filter->pids && !number_listed(filter->pids, thread->pid)) || (filter->tids && !number_listed(filter->tids, thread->tid)))
        return false;
    if (!filter->cpus)
        return true;
    filter->cpu_missing |= sample->cpu == UINT32_MAX;
    for (size_t at = 0; at < filter->cpu_count; at++)
        if ((uint32_t)filter->cpus[at] == sample->cpu)
            return true;
    return false;
}

bool sample_filter_check(const struct sample_filter *filter, struct error *err)
{
    if (!filter->cpu_missing)
        return true;
    error_set(err, ERROR_USAGE, "the recording doesn't say which CPU its samples were taken on");
    return error_hint(err, "leave out --cpu, or record with -a or --sample-cpu");
}
