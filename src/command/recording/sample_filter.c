/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/recording/sample_filter.h"

#include "base/text.h"
#include "base/vec.h"
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
        return error_hint(err, "write FROM,UNTIL in seconds, such as 12.5,13 or ,13, or shares: 10%%-20%%,50%%-60%%, "
                               "or 10%%/2 for the second tenth");
    }
    *ret_from_ns = from_ns;
    *ret_until_ns = until_ns;
    return true;
}

static bool share_parse(struct view text, double *ret_share)
{
    double percent;
    if (!text.length || text.text[text.length - 1] != '%')
        return false;
    text.length--;
    if (!view_double(text, &percent) || !(percent >= 0 && percent <= 100))
        return false;
    *ret_share = percent / 100;
    return true;
}

/* "10%-20%", or "10%/2": the second tenth. */
static bool share_window_parse(struct view text, struct sample_window *ret_window)
{
    struct view until = text, from;
    uint64_t number;
    double length;
    if (view_find(text, "/") >= 0) {
        from = view_cut(&until, '/');
        if (!share_parse(from, &length) || !view_u64(until, 10, &number) || number < 1 ||
            (double)number * length > 1 + 1e-9)
            return false;
        *ret_window = (struct sample_window){.from = (double)(number - 1) * length, .until = (double)number * length};
        return true;
    }
    from = view_cut(&until, '-');
    return share_parse(from, &ret_window->from) && share_parse(until, &ret_window->until) &&
           ret_window->from <= ret_window->until;
}

static bool share_windows_parse(const char *text, struct sample_filter *filter, struct error *err)
{
    filter->is_relative = true;
    for (struct view rest = view_of(text); rest.length;) {
        struct sample_window *window = &filter->windows[filter->window_count];
        if (filter->window_count == SAMPLE_WINDOWS_MOST ||
            !share_window_parse(view_trim(view_cut(&rest, ',')), window)) {
            error_set(err, ERROR_USAGE, "'%s' is not a stretch of time", text);
            return error_hint(err,
                              "shares of the recording's time are written 10%%-20%%, 10%%-20%%,50%%-60%% (%d at the "
                              "most), or 10%%/2 for the second tenth",
                              SAMPLE_WINDOWS_MOST);
        }
        filter->window_count++;
    }
    return true;
}

static bool windows_parse(const char *text, struct sample_filter *filter, struct error *err)
{
    if (strchr(text, '%'))
        return share_windows_parse(text, filter, err);
    filter->window_count = 1;
    return time_window_parse(text, &filter->windows[0].from_ns, &filter->windows[0].until_ns, err);
}

bool sample_filter_place(struct sample_filter *filter, const struct source_facts *facts, struct error *err)
{
    if (!filter->is_relative)
        return true;
    if (facts->last_sample_ns <= facts->first_sample_ns) {
        error_set(err, ERROR_USAGE, "%s doesn't say when its samples begin and end",
                  facts->is_pipe ? "a pipe" : "the recording");
        return error_hint(err, "give --time in seconds, as plumb script prints them");
    }
    double length = (double)(facts->last_sample_ns - facts->first_sample_ns);
    for (size_t at = 0; at < filter->window_count; at++) {
        struct sample_window *window = &filter->windows[at];
        window->from_ns = facts->first_sample_ns + (uint64_t)(window->from * length + 0.5);
        window->until_ns = facts->first_sample_ns + (uint64_t)(window->until * length + 0.5);
    }
    return true;
}

bool sample_filter_begin(struct sample_filter *filter, const struct source_facts *facts, struct error *err)
{
    if (!filter->window_count || filter->is_relative)
        return true;
    if (!facts->first_sample_ns) {
        error_set(err, ERROR_USAGE, "%s doesn't say when its samples begin",
                  facts->is_pipe ? "a pipe" : "the recording");
        return error_hint(err, "give --time without --reltime, as plumb script prints times then");
    }
    struct sample_window *window = &filter->windows[0];
    window->from_ns += facts->first_sample_ns;
    window->until_ns =
        window->until_ns > UINT64_MAX - facts->first_sample_ns ? UINT64_MAX : window->until_ns + facts->first_sample_ns;
    return true;
}

static bool is_within(const struct sample_filter *filter, uint64_t time_ns)
{
    for (size_t at = 0; at < filter->window_count; at++) {
        const struct sample_window *window = &filter->windows[at];
        bool is_last = at + 1 == filter->window_count;
        if (time_ns >= window->from_ns && (time_ns < window->until_ns || (is_last && time_ns == window->until_ns)))
            return true;
    }
    return !filter->window_count;
}

bool sample_filter_init(struct sample_filter *ret_filter, const struct sample_filter_options *options,
                        struct error *err)
{
    *ret_filter = (struct sample_filter){
        .pids = options->pids,
        .tids = options->tids,
        .on.event = options->from_event,
        .off.event = options->until_event,
        .is_off = options->from_event,
        .shows_switches = options->with_switches,
        .needs_order = options->from_event || options->until_event,
    };
    ret_filter->is_given = options->cpus || options->time || options->pids || options->tids || ret_filter->needs_order;
    if (options->time && !windows_parse(options->time, ret_filter, err))
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

bool sample_filter_passes_cpu(const struct sample_filter *filter, uint32_t cpu)
{
    bool listed = !filter->cpus;
    for (size_t at = 0; at < filter->cpu_count; at++)
        listed |= (uint32_t)filter->cpus[at] == cpu;
    return listed;
}

/* Whether the sample is of the event that is waited for; learns by the way whether the recording has such an event. */
static bool is_switch(struct sample_switch *of, const struct recording *recording, const struct sample *sample)
{
    for (size_t at = 0; of->event && !of->is_known && at < recording->event_count; at++)
        of->is_known = recording->events[at].name && strcmp(recording->events[at].name, of->event) == 0;
    const char *name = sample->event < recording->event_count ? recording->events[sample->event].name : NULL;
    return of->is_known && name && strcmp(name, of->event) == 0;
}

/* As perf has it: what switches on is waited for while nothing passes, what switches off while samples do. */
static bool is_switched_on(struct sample_filter *filter, const struct recording *recording, const struct sample *sample)
{
    bool is_on = is_switch(&filter->on, recording, sample), is_off = is_switch(&filter->off, recording, sample);
    bool changes = filter->is_off ? is_on : is_off;
    if (!changes)
        return !filter->is_off;
    filter->is_off = !filter->is_off;
    return filter->shows_switches;
}

bool sample_filter_matches(struct sample_filter *filter, const struct recording *recording, const struct sample *sample)
{
    const struct thread *thread = &recording->threads.items[sample->thread];
    if (filter->needs_order && !is_switched_on(filter, recording, sample))
        return false;
    if (!is_within(filter, sample->time_ns))
        return false;
    if ((filter->pids && !number_listed(filter->pids, thread->pid)) ||
        (filter->tids && !number_listed(filter->tids, thread->tid)))
        return false;
    filter->cpu_missing |= filter->cpus && sample->cpu == UINT32_MAX;
    return sample_filter_passes_cpu(filter, sample->cpu);
}

bool sample_filter_check(const struct sample_filter *filter, struct error *err)
{
    const struct sample_switch *const switches[] = {&filter->on, &filter->off};
    for (size_t at = 0; at < array_count(switches); at++)
        if (switches[at]->event && !switches[at]->is_known)
            return error_set(err, ERROR_USAGE, "the recording has no event '%s'", switches[at]->event);
    if (!filter->cpu_missing)
        return true;
    error_set(err, ERROR_USAGE, "the recording doesn't say which CPU its samples were taken on");
    return error_hint(err, "leave out --cpu, or record with -a or --sample-cpu");
}
