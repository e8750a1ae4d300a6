/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The leaf's event, sampled in one more run of the program, or in one more watch. */
#include "command/topdown/topdown_locate.h"
#include "source/recorder/recorder.h"

#include <string.h>

enum { FREQUENCY = 2000, POLL_MS = 100 };

#define line(located, arena, ...) (*vec_push(&(located)->lines) = arena_printf((arena), __VA_ARGS__))

struct sampling {
    struct topdown_located *located;
    const struct topdown_locating *locating;
    const struct topdown_events *events;
    const char *path;
    struct target target;
    struct recorder *recorder;
    const struct topdown_event *event;
    double seconds;
};

/* Whether another event may fare better. Permission, too: IBS can't leave the kernel out where others can. */
static bool is_of_the_event(const struct error *err)
{
    return err->kind == ERROR_UNSUPPORTED || err->kind == ERROR_SYSTEM || err->kind == ERROR_PERMISSION;
}

static bool event_open(struct sampling *sampling, const struct topdown_event *event, struct error *err)
{
    static char *const watched[] = {(char *)"plumb", (char *)"topdown", NULL};
    const struct topdown_locating *locating = sampling->locating;
    struct recorder_event sampled = recorder_event_of(&event->spec);
    if (event->why_not)
        return error_set(err, ERROR_UNSUPPORTED, "%s", event->why_not);
    sampled.name = event->name;
    sampled.frequency = FREQUENCY;
    sampled.period = 0;
    sampled.group = EVENT_NO_GROUP;
    sampled.precise_max = false; /* what is refused is asked for again here, where it is said */
    struct recorder_request request = {.events = &sampled,
                                       .event_count = 1,
                                       .target = &sampling->target,
                                       .output = sampling->path,
                                       .pipe_fd = -1,
                                       .command_line = locating->argv ? locating->argv : watched,
                                       .clock_id = RECORDER_NO_CLOCK,
                                       .keep_code = true,
                                       .wake_fd = -1};
    return recorder_open(&sampling->recorder, &request, locating->context->kernel, locating->context->root, err);
}

/* An event that was refused, once, unless it was taken less precisely. */
static void refused_say(const struct sampling *sampling, const struct topdown_event *refused, const struct error *why)
{
    const char *end = sampling->event > refused && strcmp(sampling->event->name, refused->name) == 0
                          ? "; it is sampled less precisely" : "";
    line(sampling->located, sampling->locating->arena, "%s %s: %s%s", refused->name,
         refused->kind == TOPDOWN_EVENT_PRECISE ? "can't be sampled precisely here" : "can't be sampled here",
         why->sys_errno ? strerror(why->sys_errno) : why->message, end);
}

/* The first event that opens; a name that was refused in several ways is said once, with the first reason. */
static bool any_open(struct sampling *sampling, struct error *err)
{
    const struct topdown_events *events = sampling->events;
    struct arena *arena = sampling->locating->arena;
    struct error *why = arena_array(arena, struct error, events->list.count + 1);
    for (size_t at = 0; at < events->list.count && !sampling->event; at++) {
        if (event_open(sampling, &events->list.items[at], &why[at]))
            sampling->event = &events->list.items[at];
        else if (!is_of_the_event(&why[at])) {
            *err = why[at];
            return false;
        }
    }
    if (!sampling->event) {
        if (events->list.count)
            *err = why[0];
        else
            error_set(err, ERROR_UNSUPPORTED, "there is no event for it");
        return false;
    }
    for (size_t at = 0; &events->list.items[at] < sampling->event; at++)
        if (at == 0 || strcmp(events->list.items[at].name, events->list.items[at - 1].name) != 0)
            refused_say(sampling, &events->list.items[at], &why[at]);
    return true;
}

static bool recorder_run(struct sampling *sampling, struct error *err)
{
    const struct pass_subject *subject = &sampling->locating->subject;
    if (!subject->release(subject->context, err) ||
        (sampling->target.kind != TARGET_WORKLOAD && !recorder_enable(sampling->recorder, err)))
        return false;
    uint64_t start_ns = subject->now_ns(subject->context);
    while (!subject->wait(subject->context, POLL_MS * 1000000ull))
        if (!recorder_poll(sampling->recorder, 0, err))
            return false;
    sampling->seconds = (double)(subject->now_ns(subject->context) - start_ns) / 1e9;
    return true;
}

static void progress_tell(const struct sampling *sampling)
{
    const struct topdown_locating *locating = sampling->locating;
    if (locating->progress)
        locating->progress(locating->progress_context,
                           arena_printf(locating->arena, "sampling %s", sampling->event->name));
}

bool topdown_sampling_make(struct topdown_sampling *ret_sampling, struct topdown_located *located,
                           const struct topdown_locating *locating, const struct topdown_events *events,
                           const char *path, struct error *err)
{
    struct sampling sampling = {
        .located = located, .locating = locating, .events = events, .path = path, .target = {.cgroup_fd = -1}};
    const struct pass_subject *subject = &locating->subject;
    struct recorder_result result = {0};
    bool good = subject->start(subject->context, &sampling.target, locating->arena, err) && any_open(&sampling, err);
    if (good) {
        progress_tell(&sampling);
        good = recorder_run(&sampling, err);
        struct error second = {0};
        good = recorder_finish(sampling.recorder, &result, good ? err : &second) && good;
        for (size_t at = 0; at < recorder_note_count(sampling.recorder); at++)
            line(located, locating->arena, "%s", recorder_note(sampling.recorder, at));
    }
    recorder_free(sampling.recorder);
    subject->finish(subject->context);
    if (good)
        *ret_sampling = (struct topdown_sampling){.event = sampling.event,
                                                  .samples = result.samples,
                                                  .lost = result.lost_samples,
                                                  .seconds = sampling.seconds};
    return good;
}
