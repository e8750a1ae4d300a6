/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb export: a recording's stacks in the formats of other tools. */
#include "command/command_table.h"
#include "command/options.h"
#include "command/recording_header.h"
#include "command/recording_input.h"

#include "analyse/code/stack_profile.h"
#include "base/scope.h"
#include "render/profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct export_options {
    struct recording_input input;
    const char *event, *output, *weight;
    bool inlines, quiet;
};

#define AT(member) offsetof(struct export_options, member)

static const struct option_row export_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to read"},
    RECORDING_INPUT_ROWS(export_options),
    {'e', "event", OPTION_TEXT, AT(event), "NAME", "only samples of this event (default: all; of folded: the first that has samples)"},
    {0, NULL, OPTION_HEADING, 0, NULL, "output"},
    {'o', "output", OPTION_TEXT, AT(output), "FILE", "write there instead of to standard output"},
    {0, "weight", OPTION_TEXT, AT(weight), "samples|period", "what the numbers of folded count (default: samples)"},
    {0, "inline", OPTION_FLAG, AT(inlines), NULL, "inlined functions are frames (default)"},
    {'q', "quiet", OPTION_FLAG, AT(quiet), NULL, "no notes"},
    {0},
};

struct export_format {
    const char *name;
    void (*write)(struct text *out, const struct profile_request *request);
    bool of_one_event; /* its numbers are of one kind */
};

static const struct export_format formats[] = {
    {"folded", profile_folded, true},
    {"pprof", profile_pprof, false},
    {"speedscope", profile_speedscope, false},
    {"csv", profile_csv, false},
    {"json", profile_json, false},
};

struct exporting {
    struct export_options options;
    const struct export_format *format;
    struct source *source;
    struct capture capture;
    struct sample_tally tally;
};

static bool format_find(struct exporting *exporting, const char *word, struct error *err)
{
    scoped_text struct text names = {0};
    for (size_t at = 0; at < array_count(formats); at++) {
        if (word && strcmp(formats[at].name, word) == 0) {
            exporting->format = &formats[at];
            return true;
        }
        text_printf(&names, "%s%s", at ? ", " : "", formats[at].name);
    }
    if (!word)
        return error_set(err, ERROR_USAGE, "a format is wanted: %s", text_string(&names));
    return error_set(err, ERROR_USAGE, "unknown format '%s': it is one of %s", word, text_string(&names));
}

static bool export_parse(struct exporting *exporting, int argc, char **argv, struct error *err)
{
    struct export_options *options = &exporting->options;
    int first;
    if (!options_parse(export_rows, OPTIONS_ANYWHERE, argc, argv, options, &first, err) ||
        !format_find(exporting, first < argc ? argv[first] : NULL, err))
        return false;
    if (first + 1 < argc)
        return error_set(err, ERROR_USAGE, "unexpected '%s'; the recording is given by -i", argv[first + 1]);
    if (options->weight && strcmp(options->weight, "samples") != 0 && strcmp(options->weight, "period") != 0)
        return error_set(err, ERROR_USAGE, "--weight is samples or period, not '%s'", options->weight);
    if (options->weight && !exporting->format->of_one_event)
        return error_set(err, ERROR_USAGE, "--weight is for folded: %s holds both", exporting->format->name);
    return true;
}

static bool count_sample(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    struct exporting *exporting = context;
    (void)capture, (void)record;
    if (sample)
        sample_tally_add(&exporting->tally, sample);
    return true;
}

static bool event_named(const struct exporting *exporting, uint32_t *ret_event, struct error *err)
{
    const struct recording *recording = &exporting->capture.recording;
    scoped_text struct text names = {0};
    for (uint32_t event = 0; event < recording->event_count; event++) {
        if (strcmp(recording->events[event].name, exporting->options.event) == 0) {
            *ret_event = event;
            return recording->events[event].sample_count ||
                   error_set(err, ERROR_NOT_FOUND, "event '%s' has no samples", exporting->options.event);
        }
        text_printf(&names, "%s%s", event ? ", " : "", recording->events[event].name);
    }
    return error_set(err, ERROR_USAGE, "the recording has no event '%s', but %s", exporting->options.event, text_string(&names));
}

/* Which events' samples: the one that was named, all, or the first where numbers of several can't be told apart. */
static bool event_choose(const struct exporting *exporting, FILE *talk, uint32_t *ret_event, struct error *err)
{
    const struct recording *recording = &exporting->capture.recording;
    if (exporting->options.event)
        return event_named(exporting, ret_event, err);
    *ret_event = PROFILE_ALL_EVENTS;
    for (uint32_t event = 0; exporting->format->of_one_event && event < recording->event_count; event++) {
        if (!recording->events[event].sample_count)
            continue;
        if (*ret_event == PROFILE_ALL_EVENTS)
            *ret_event = event;
        else if (!exporting->options.quiet)
            fprintf(talk, "note: samples of '%s' only; those of '%s' are left out (--event)\n", recording->events[*ret_event].name,
                    recording->events[event].name);
    }
    return true;
}

static bool result_write(const struct exporting *exporting, struct context *context, struct text *out, struct error *err)
{
    const char *path = exporting->options.output;
    FILE *file = path ? fopen(path, "we") : context->out;
    if (!file)
        return error_system(err, errno, "can't write '%s'", path);
    bool written = text_write_file(out, file) && fflush(file) == 0;
    int write_errno = errno;
    if (path && fclose(file) != 0 && written) {
        written = false;
        write_errno = errno;
    }
    return written || (!path && write_errno == EPIPE) || error_system(err, write_errno, "can't write '%s'", path ? path : "the result");
}

static bool export_write(struct exporting *exporting, struct context *context, struct symboliser *symboliser, struct error *err)
{
    struct profile_request request = {.by_period = exporting->options.weight && strcmp(exporting->options.weight, "period") == 0,
                                      .name = recording_input_path(&exporting->options.input)};
    if (!exporting->tally.count)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples", request.name);
    if (!event_choose(exporting, context->talk, &request.event, err))
        return false;
    struct places places;
    struct stack_profile profile;
    scoped_text struct text out = {0};
    places_init(&places, &exporting->capture.recording, symboliser, (struct places_options){.inlines = exporting->options.inlines});
    stack_profile_build(&profile, &exporting->tally, &exporting->capture.recording, &places);
    request.profile = &profile;
    exporting->format->write(&out, &request);
    stack_profile_done(&profile);
    places_done(&places);
    return result_write(exporting, context, &out, err);
}

static bool export_named(struct exporting *exporting, struct context *context, struct recording_names *names, struct error *err)
{
    struct capture_unwinder unwinder = recording_names_unwinder(names);
    struct capture_watch watch = {exporting, count_sample};
    struct capture_options options = {.watch = &watch, .unwinder = &unwinder};
    struct error trouble = {0};
    const char *path = recording_input_path(&exporting->options.input);
    bool complete = capture_fill_with(&exporting->capture, exporting->source, &options, &trouble);
    if (!complete && !exporting->tally.count)
        return (*err = trouble, error_wrap(err, "'%s'", path));
    if (!recording_names_begin(names, err))
        return false;
    if (!exporting->options.quiet)
        recording_losses_report(context->talk, &exporting->capture.losses);
    if (!export_write(exporting, context, names->symboliser, err))
        return false;
    /* Damage in the middle doesn't hide what came before it. */
    return complete || (*err = trouble, error_wrap(err, "'%s' is damaged, the result holds what came before", path));
}

static bool export_all(struct exporting *exporting, struct context *context, struct error *err)
{
    if (!recording_input_open(&exporting->options.input, &exporting->source, err))
        return false;
    struct recording_names names = {.input = &exporting->options.input, .context = context, .capture = &exporting->capture,
                                    .source = exporting->source};
    capture_init(&exporting->capture);
    bool done = export_named(exporting, context, &names, err);
    recording_names_done(&names);
    sample_tally_done(&exporting->tally);
    capture_done(&exporting->capture);
    exporting->source->ops->close(exporting->source);
    return done;
}

static bool export_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct exporting exporting = {.options = {.input = RECORDING_INPUT_DEFAULTS, .inlines = true}};
    bool done = export_parse(&exporting, argc, argv, err) && export_all(&exporting, context, err);
    options_done(export_rows, &exporting.options);
    return done;
}

const struct command command_export = {
    .name = "export",
    .summary = "a recording's stacks for other tools: folded, pprof, speedscope, csv, json",
    .usage = "plumb export FORMAT [-i FILE] [options]",
    .options = export_rows,
    .run = export_run,
};
