/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/report/report_host.h"

#include "base/scope.h"

#include <stdlib.h>

enum { NAMES_SHOWN = 5 };

static const char *place_name(void *data, uint32_t location)
{
    return places_at(data, location)->symbol;
}

static void profile_make(struct host_profile *profile, const struct report_host_request *request)
{
    const struct recording *recording = request->places->recording;
    const struct source_facts *facts = &request->source->facts;
    const char *recorder = host_recorder_of(facts->command_line, facts->command_line_count);
    scoped(host_naming_done) struct host_naming naming;
    host_naming_init(&naming, recording, place_name, request->places);
    *profile = (struct host_profile){0};
    uint32_t idle_comm = strings_find_n(&recording->strings, "swapper", strlen("swapper"));
    uint32_t recorder_comm =
        recorder ? strings_find_n(&recording->strings, recorder, strlen(recorder)) : HASHMAP_ABSENT;
    for (size_t at = 0; at < request->tally->count; at++) {
        const struct tally_item *item = &request->tally->items[at];
        if (item->event != request->event || item->location == LOCATION_NONE)
            continue;
        struct host_sample sample = host_naming_sample(&naming, item->location, item->stack);
        /* Items aren't told apart by thread unless asked: the idle threads' name is the kernel's own. */
        sample.is_idle = recording->threads.items[item->thread].tid == 0 || item->comm == idle_comm;
        sample.recorder = item->comm == recorder_comm ? recorder : NULL;
        sample.weight = (double)item->period;
        host_profile_add(profile, &sample);
    }
    host_profile_sort(profile);
}

static void profiler_names(struct text *out, const struct host_profile *profile, const char *recorder)
{
    for (size_t at = 0; at < profile->profiler_count && at < NAMES_SHOWN; at++)
        text_printf(
            out, "# %21.2f%%  %s%s\n", 100 * profile->profiler[at].weight / profile->total, profile->profiler[at].name,
            recorder && strcmp(profile->profiler[at].name, recorder) == 0 ? ": processes of the recorder's name" : "");
    if (profile->profiler_count > NAMES_SHOWN)
        text_printf(out, "# %22s  and %zu functions more\n", "", profile->profiler_count - NAMES_SHOWN);
}

static void add_parts(struct text *out, const struct host_profile *profile, const char *recorder)
{
    text_add(out, "#\n# Whose time, each sample once:\n");
    for (enum host_part part = 0; part < HOST_PART_COUNT; part++) {
        text_printf(out, "# %9.2f%%  %s", 100 * host_profile_share(profile, part), host_part_words(part));
        if (part == HOST_GUEST && profile->weights[part] > 0)
            text_printf(out, ": their kernels %.2f%%, their programs %.2f%%",
                        100 * profile->guest_kernel / profile->total, 100 * profile->guest_user / profile->total);
        if (part == HOST_GUEST_ENTRY && profile->weights[part] > 0)
            text_add(out, ": what can't see into guests finds their time there, with what that way costs");
        text_add(out, "\n");
        if (part == HOST_PROFILER)
            profiler_names(out, profile, recorder);
    }
}

static bool is_of_host(struct host_scope scope, const struct host_profile *profile)
{
    return host_scope_is_of_cpus(scope) || profile->weights[HOST_GUEST] > 0 || profile->weights[HOST_GUEST_ENTRY] > 0;
}

bool report_host_is_of_cpus(const struct source *source)
{
    scoped(arena_done) struct arena arena;
    arena_init(&arena);
    return host_scope_is_of_cpus(host_scope_of(source->facts.command_line, source->facts.command_line_count, &arena));
}

void report_host_lines(struct text *out, const struct report_host_request *request)
{
    scoped(arena_done) struct arena arena;
    arena_init(&arena);
    const struct source_facts *facts = &request->source->facts;
    const struct recorded_event *event = &request->places->recording->events[request->event];
    const struct perf_event_attr *attr =
        request->event < request->source->event_count ? &request->source->events[request->event].attr : NULL;
    struct host_scope scope = host_scope_of(facts->command_line, facts->command_line_count, &arena);
    const struct host_whole whole = {.counts_ns = event->counts_ns,
                                     .user_only = event->user_only,
                                     .event = event->name,
                                     .without_idle = attr && attr->exclude_idle,
                                     .without_guests = attr && attr->exclude_guest && !event->counts_ns};
    struct host_profile profile;
    profile_make(&profile, request);
    text_printf(out, "# 100%% is %s%s\n", host_denominator(scope, &whole, &arena),
                request->is_filtered ? "; of that, what --cpu, --time, --pid and --tid let through" : "");
    if (is_of_host(scope, &profile) && profile.total > 0)
        add_parts(out, &profile, host_recorder_of(facts->command_line, facts->command_line_count));
    text_add(out, "#\n");
}
