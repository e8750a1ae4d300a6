/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/topdown/topdown_locate.h"

#include "analyse/code/instructions.h"
#include "analyse/profile/hottest.h"
#include "base/scope.h"
#include "command/recording/recording_input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { FUNCTIONS_SHOWN = 3, ROWS_SHOWN = 4 };

#define line(located, arena, ...) (*vec_push(&(located)->lines) = arena_printf((arena), __VA_ARGS__))

/* ---- what it says ------------------------------------------------------------------------------------------ */

static void row_say(struct topdown_located *located, const struct instructions *in, uint32_t row, double share,
                    struct arena *arena)
{
    const struct instruction_row *at = &in->rows[row];
    const char *path = at->line.path ? strrchr(at->line.path, '/') : NULL;
    const char *file = path ? path + 1 : at->line.path;
    line(located, arena, "    %5.1f %%  %s+0x%llx  %s%s", share * 100, in->symbol,
         (unsigned long long)(at->dso_addr - in->rows[0].dso_addr), at->text ? at->text : "?",
         file && at->line.line ? arena_printf(arena, "  (%s:%u)", file, at->line.line) : "");
}

/* The function's instructions with most samples, as shares of its own. */
static void rows_say(struct topdown_located *located, const struct instructions *in, struct arena *arena)
{
    double left = in->events[0].weight;
    bool *said = arena_array(arena, bool, in->row_count + 1);
    for (unsigned shown = 0; shown < ROWS_SHOWN && left > 0; shown++) {
        uint32_t best = ROW_NONE;
        for (uint32_t row = 0; row < in->row_count; row++)
            if (!said[row] && in->sampled[row * in->event_count] > 0 &&
                (best == ROW_NONE || in->sampled[row * in->event_count] > in->sampled[best * in->event_count]))
                best = row;
        if (best == ROW_NONE)
            return;
        said[best] = true;
        row_say(located, in, best, in->sampled[best * in->event_count] / in->events[0].weight, arena);
    }
}

static void instructions_say(struct topdown_located *located, const struct recording *recording,
                             struct symboliser *symboliser, const struct hot_symbol *hot, struct arena *arena)
{
    struct instructions in;
    struct error why = {0};
    scoped(code_samples_done) struct code_samples samples;
    code_samples_init(&samples, recording);
    struct instructions_request request = {.recording = recording,
                                           .symboliser = symboliser,
                                           .samples = &samples,
                                           .symbol_id = hot->symbol_id,
                                           .location = hot->location,
                                           .with_text = true,
                                           .with_lines = true};
    if (!instructions_analyse(&in, &request, &why)) {
        line(located, arena, "    its instructions can't be shown: %s", why.message);
        return;
    }
    if (in.event_count)
        rows_say(located, &in, arena);
    instructions_done(&in);
}

static void functions_say(struct topdown_located *located, const struct recording *recording,
                          struct symboliser *symboliser, struct arena *arena)
{
    scoped_free struct hot_symbol *symbols = NULL;
    size_t count = hot_symbols(recording, symboliser, 0, &symbols);
    double all = 0;
    for (size_t at = 0; at < count; at++)
        all += symbols[at].weight;
    for (size_t at = 0; at < count && at < FUNCTIONS_SHOWN && all > 0; at++) {
        const struct dso *dso = &recording->spaces.dsos[recording->samples.locations[symbols[at].location].dso];
        bool named = symbols[at].symbol_id != SYMBOL_NONE;
        line(located, arena, "%5.1f %%  %s  (%s)", symbols[at].weight / all * 100,
             named ? symboliser_symbol(symboliser, symbols[at].symbol_id)->name : "code without a name",
             strings_text(&recording->strings, dso->name));
        if (at == 0)
            instructions_say(located, recording, symboliser, &symbols[at], arena);
    }
}

static bool recording_say(struct topdown_located *located, const struct topdown_locating *locating, const char *path,
                          struct error *err)
{
    struct recording_input input = RECORDING_INPUT_DEFAULTS;
    struct source *source = NULL;
    struct capture capture;
    struct symboliser *symboliser = NULL;
    input.path = path;
    if (!recording_input_open(&input, &source, err))
        return false;
    capture_init(&capture);
    bool good = capture_fill(&capture, source, NULL, true, err) &&
                recording_input_symboliser(&input, locating->context, &capture, source, &symboliser, err);
    if (good)
        functions_say(located, &capture.recording, symboliser, locating->arena);
    symboliser_free(symboliser);
    capture_done(&capture);
    source->ops->close(source);
    return good;
}

static const char *event_whose(const struct topdown_event *event, struct arena *arena)
{
    if (event->is_own)
        return "";
    return event->node[0] ? arena_printf(arena, ", the nearest event there is, of %s", event->node)
                          : ", as no event locates it";
}

/* What few samples, or none, may come of. */
static const char *number_say(const struct topdown_sampling *sampling, struct arena *arena)
{
    static const char *const short_lives = "a process that ends before its first is due has none: -a sees those, too";
    if (sampling->samples >= TOPDOWN_SAMPLES_FEW)
        return "";
    if (sampling->samples)
        return arena_printf(arena, " in %.2g s: too few to rank code by (%s)", sampling->seconds, short_lives);
    return arena_printf(
        arena,
        " in %.2g s, so no code to name: the run was too short, or it never occurred, or others hold its counter (%s)",
        sampling->seconds, short_lives);
}

static void event_say(struct topdown_located *located, const struct topdown_sampling *sampling, struct arena *arena)
{
    const struct topdown_event *event = sampling->event;
    static const char *const skids[] = {
        [TOPDOWN_EVENT_LATE] = "the event isn't precise: a sample lies some instructions behind its cause (often 5 to "
                               "80 cycles; after a stall, on the "
                               "instruction that waited or the next)",
        [TOPDOWN_EVENT_IBS] = "IBS samples lie on the very instruction, but are spread by how many operations there "
                              "are, not by how long they take"};
    line(located, arena, "%llu samples of %s%s%s", (unsigned long long)sampling->samples, event->name,
         event_whose(event, arena), number_say(sampling, arena));
    if (sampling->lost)
        line(located, arena, "%llu more were lost: the buffers were full", (unsigned long long)sampling->lost);
    if (sampling->samples && skids[event->kind])
        line(located, arena, "%s", skids[event->kind]);
}

bool topdown_locate(struct topdown_located *located, const struct topdown_locating *locating, struct error *err)
{
    char path[] = "/tmp/plumb-topdown-XXXXXX";
    struct topdown_events events = {0};
    struct topdown_sampling sampling;
    scoped_fd int fd = mkostemp(path, 0);
    if (fd < 0)
        return error_system(err, errno, "can't make a temporary file");
    topdown_events_find(&events, locating->table, locating->tree, locating->context->root, locating->arena);
    bool good = topdown_sampling_make(&sampling, located, locating, &events, path, err);
    if (good) {
        event_say(located, &sampling, locating->arena);
        good = !sampling.samples || recording_say(located, locating, path, err);
    }
    vec_done(&events.list);
    unlink(path);
    char *old = arena_printf(locating->arena, "%s.old", path);
    unlink(old);
    return good;
}
