/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "command/diagnose/diagnose_collection.h"
#include "metric/event.h"
#include "probe/skid.h"

#include <time.h>

enum {
    POLL_MS = 50
};

static const char *with_hint(struct collection *collection, const struct error *err)
{
    return err->hint[0] ? arena_printf(&collection->arena, "%s (%s)", err->message, err->hint) : err->message;
}

static void gap(struct collection *collection, const char *what, const struct error *err)
{
    case_manifest_gap(&collection->manifest, &collection->arena, what, with_hint(collection, err));
}

/* ---- samples ---- */

/*
 * Samples are counted, so each must stand for as much: a frequency of cycles is approached anew by each thread, from
 * bursts of samples of a few cycles each, and a program of many short processes would be all starts. The timer's
 * frequency is a period already.
 */
void recording_rate(struct recorder_event *event, bool by_cycles, uint64_t frequency)
{
    static const double USUAL_HZ = 3e9;
    event->frequency = by_cycles ? 0 : frequency;
    event->period = by_cycles ? (uint64_t)(USUAL_HZ / (double)frequency) : 0;
}

/* of the samples: so many have one with a stack; room for a frame with tables in it (bzip2's sort: 4.5 KiB) */
enum { SAMPLED_EVENTS = 4, STACKS_SHARE = 8, STACK_BYTES = 8192 };

/*
 * The event that the self-test of stalls chose; the same a quarter as often, whose samples fall into every distance
 * from the first's, so that a loop's rate is known at two rates of looking (analyse/loop); the same now and then with
 * the stack, which tells who called a function that keeps no frame pointer; and every switch away from a CPU.
 */
static size_t sampled_events(const struct event_list *events, struct collection *collection,
                             struct recorder_event sampled[SAMPLED_EVENTS])
{
    size_t count = 0;
    uint64_t frequency = collection->request->frequency, quarter = frequency / 4 | 1; /* no common beat */
    sampled[count] = recorder_event_of(&events->items[0]);
    recording_rate(&sampled[count], collection->by_cycles, frequency);
    sampled[count].callchain = CALLCHAIN_FRAME_POINTERS;
    sampled[count++].user_registers = recorder_all_registers;
    if (!collection->by_cycles && frequency / quarter >= 2) {
        sampled[count] = recorder_event_of(&events->items[0]);
        sampled[count].name = arena_printf(&collection->arena, "%s:u", sampled[count].name);
        sampled[count].attr.exclude_kernel = 1;
        sampled[count].frequency = quarter;
        sampled[count++].user_registers = recorder_all_registers;
    }
    sampled[count] = recorder_event_of(&events->items[1]); /* the timer takes no counter away from what is counted */
    sampled[count].name = arena_printf(&collection->arena, "%s-stacks:u", sampled[count].name);
    sampled[count].attr.exclude_kernel = 1;
    sampled[count].frequency = frequency / STACKS_SHARE | 1;
    sampled[count].callchain = CALLCHAIN_FRAME_POINTERS;
    sampled[count++].copied_stack_bytes = STACK_BYTES;
    if (events->count < 3)
        return count;
    sampled[count] = recorder_event_of(&events->items[2]);
    sampled[count].period = 1;
    sampled[count].callchain = CALLCHAIN_FRAME_POINTERS;
    /* Who waits stands in the C library, which often has no frame pointers: the stack tells who called it. */
    sampled[count].copied_stack_bytes = RECORDER_STACK_BYTES;
    sampled[count].is_paced = true;
    return count + 1;
}

static const char *next_output(struct collection *collection)
{
    scoped_free char *name = case_recording_name(collection->recordings);
    return arena_printf(&collection->arena, "%s/%s", collection->folder, name);
}

static bool recorder_start(struct collection *collection, bool user_only, struct error *err)
{
    struct event_list events = {0};
    const struct context *context = collection->context;
    /* Without the kernel nobody is seen to leave a CPU: that happens in there. */
    static const char *const cycles[] = {"cycles", "cycles:p", "cycles:pp", "cycles:ppp"};
    const char *clock = collection->by_cycles ? cycles[collection->precise] : "cpu-clock";
    const char *names =
        arena_printf(&collection->arena, user_only ? "%s,cpu-clock" : "%s,cpu-clock,context-switches", clock);
    bool opened = event_list_parse(&events, names, context->root, &collection->arena, err);
    if (opened) {
        struct recorder_event sampled[SAMPLED_EVENTS];
        char name[] = "plumb", command[] = "diagnose";
        char *const no_command[] = {name, command, NULL};
        struct recorder_request request = {
            .events = sampled,
            .event_count = sampled_events(&events, collection, sampled),
            .target = &collection->target,
            .output = next_output(collection),
            .pipe_fd = -1,
            .command_line = collection->request->argv ? collection->request->argv : no_command,
            .user_only = user_only,
            .record_switches = true,
            .clock_id = COLLECTION_CLOCK,
            .keep_code = true,
            .keep_files = true, /* of a container or another root, which may be gone when names are looked up */
            .wake_fd = collection->has_workload ? collection->workload.pid_fd : ends_fd(collection),
        };
        opened = recorder_open(&collection->recorder, &request, context->kernel, context->root, err);
    }
    event_list_done(&events);
    return opened;
}

/* Precise cycles, plain ones where the self-test holds for them, the timer. False: there is nothing less. */
static bool less_precise(struct collection *collection)
{
    bool was_by_cycles = collection->by_cycles;
    collection->by_cycles = collection->precise && collection->plain_cycles_fit;
    collection->precise = 0;
    return was_by_cycles;
}

static void samples_open(struct collection *collection)
{
    struct error err = {0}, again = {0};
    if (recorder_start(collection, false, &err))
        return;
    while (less_precise(collection)) { /* the PMU is another's now, or can't be had so for this target */
        err = (struct error){0};
        if (recorder_start(collection, false, &err))
            return;
    }
    if (err.kind == ERROR_PERMISSION && recorder_start(collection, true, &again)) {
        gap(collection, "the kernel's share", &err);
        return;
    }
    collection->recorder = NULL;
    gap(collection, "samples", &err);
}

/* ---- counters ---- */

static void counters_add(struct collection *collection, const struct counter_total *totals, size_t count)
{
    if (!collection->counted) {
        collection->counted = arena_array(&collection->arena, struct named_count, count + 1);
        collection->counted_count = count;
        for (size_t at = 0; at < count; at++)
            collection->counted[at] = (struct named_count){
                .name = arena_string(&collection->arena, totals[at].name),
                .hardware = totals[at].hardware,
                .count = measured_as(0),
                .running_ratio = 1,
            };
    }
    /* A sum over runs is known when each run's count is; it is as exact as its worst. */
    for (size_t at = 0; at < count && at < collection->counted_count; at++) {
        struct named_count *item = &collection->counted[at];
        const struct counter_total *total = &totals[at];
        item->user_only |= total->user_only;
        if (!item->count.known)
            continue;
        if (!total->count.known) {
            item->count = not_measured(arena_string(&collection->arena, total->count.why_not));
            continue;
        }
        item->count.value += total->count.value;
        item->running_ratio = total->running_ratio < item->running_ratio ? total->running_ratio : item->running_ratio;
    }
}

static void counters_finish(struct collection *collection, struct run_row *row)
{
    const struct counter_total *totals;
    if (!collection->counters)
        return;
    size_t count = counter_set_finish(collection->counters, &totals);
    counters_add(collection, totals, count);
    for (size_t at = 0; at < count; at++) {
        const struct counter_total *total = &totals[at];
        struct measured value = total->count;
        if (!value.known)
            value.why_not = arena_string(&collection->arena, value.why_not);
        if (strcmp(total->name, "task-clock") == 0)
            row->cpu_s = value.known ? measured_as(value.value * 1e-9) : value;
        if (strcmp(total->name, "cycles") == 0)
            row->cycles = value;
        if (strcmp(total->name, "instructions") == 0)
            row->instructions = value;
    }
    counter_set_free(collection->counters);
    collection->counters = NULL;
}

/* ---- both ---- */

/*
 * The level that samples land on the very instruction with; of those that open only the highest is asked: less isn't
 * more exact. 0: none.
 */
static unsigned precise_level(const struct kernel *kernel, enum skid_effort effort)
{
    enum { LEVEL_MOST = 3 };
    struct skid_result skid;
    struct error ignored;
    for (unsigned level = LEVEL_MOST; level; level--)
        if (skid_measure(kernel, skid_event_of_cycles(level), effort, &skid, &ignored))
            return skid.verdict == SKID_EXACT && skid_registers_fit(&skid) ? level : 0;
    return 0;
}

/*
 * Cycles where they interrupt at all and stalls can be told by them: they see code that holds interrupts off, and
 * don't beat with the kernel's timers; precisely sampled where that is shown to name the stalled instruction. Else the
 * timer.
 */
void recording_choose(struct collection *collection)
{
    struct skid_result skid;
    struct error ignored;
    const struct kernel *kernel = collection->context->kernel;
    enum skid_effort effort = collection->request->sparing ? SKID_SPARING : SKID_WHOLE;
    collection->plain_cycles_fit =
        skid_measure(kernel, SKID_OF_CYCLES, effort, &skid, &ignored) && skid.verdict == SKID_ONE;
    collection->precise = precise_level(kernel, effort);
    collection->by_cycles = collection->precise || collection->plain_cycles_fit;
}

static bool counters_open_in(struct collection *collection, bool turns, struct error *err)
{
    if (counter_set_open(&collection->counters, &collection->target, turns, collection->context->kernel,
                         collection->context->root, err))
        return true;
    collection->counters = NULL;
    return false;
}

void recording_open(struct collection *collection)
{
    struct error err = {0};
    collection->recordings++;
    samples_open(collection);
    if (collection->tree && counters_open_in(collection, true, &err) && tree_open(collection))
        return;
    counter_set_free(collection->counters);
    collection->counters = NULL;
    if (!counters_open_in(collection, false, &err))
        gap(collection, "counters", &err);
}

void recording_start(struct collection *collection)
{
    struct error refused = {0};
    if (collection->counters)
        counter_set_start(collection->counters);
    tree_start(collection);
    if (!collection->recorder || recorder_enable(collection->recorder, &refused))
        return;
    gap(collection, "samples", &refused);
    recorder_free(collection->recorder);
    collection->recorder = NULL;
}

void recording_wait(struct collection *collection)
{
    struct error err = {0};
    int wait_ms = tree_wait_ms(collection, POLL_MS);
    if (!collection->recorder) {
        struct timespec pause = {0, wait_ms * 1000000};
        nanosleep(&pause, NULL);
        return;
    }
    if (recorder_poll(collection->recorder, wait_ms, &err))
        return;
    gap(collection, "the rest of the samples", &err);
    struct recorder_result ignored;
    (void)!recorder_finish(collection->recorder, &ignored, &err);
    recorder_free(collection->recorder);
    collection->recorder = NULL;
}

static void note_once(struct collection *collection, const char *note)
{
    for (size_t at = 0; at < collection->manifest.gap_count; at++)
        if (strcmp(collection->manifest.gaps[at].why, note) == 0)
            return;
    case_manifest_gap(&collection->manifest, &collection->arena, "note", note);
}

void recording_finish(struct collection *collection, struct run_row *row)
{
    collection->exited_ns = 0;
    tree_finish(collection);
    counters_finish(collection, row);
    if (!collection->recorder)
        return;
    struct recorder_result recorded = {0};
    struct error broken = {0};
    if (!recorder_finish(collection->recorder, &recorded, &broken))
        gap(collection, "the end of the recording", &broken);
    if (recorded.files_kept)
        fprintf(collection->context->talk,
                "plumb diagnose: %zu sampled %s that no path here leads to (of a container, or deleted): kept in "
                "~/.debug, where names are looked up\n",
                recorded.files_kept, recorded.files_kept == 1 ? "binary" : "binaries");
    collection->exited_ns = recorded.lost_records ? 0 : recorded.exited_ns;
    row->samples = recorded.samples;
    collection->samples += recorded.samples;
    collection->lost_samples += recorded.lost_samples;
    for (size_t at = 0; at < recorder_note_count(collection->recorder); at++)
        note_once(collection, recorder_note(collection->recorder, at));
    recorder_free(collection->recorder);
    collection->recorder = NULL;
}

void recording_discard(struct collection *collection)
{
    if (collection->recorder)
        recorder_discard(collection->recorder);
    recorder_free(collection->recorder);
    collection->recorder = NULL;
    tree_discard(collection);
    counter_set_free(collection->counters);
    collection->counters = NULL;
}
