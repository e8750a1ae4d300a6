/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb export: a recording's stacks in the formats of other tools. */
#include "command/command_table.h"
#include "command/options.h"
#include "command/recording/stack_input.h"

#include "base/scope.h"
#include "render/profile/profile.h"

#include <string.h>

struct export_options {
    struct stack_input stacks;
    const char *output, *weight;
};

#define AT(member) offsetof(struct export_options, member)

static const struct option_row export_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to read"},
    RECORDING_INPUT_ROWS_OF(export_options, stacks.recording),
    {'e', "event", OPTION_TEXT, AT(stacks.event), "NAME",
     "only samples of this event (default: all; of folded and firefox: the first that has samples)"},
    {0, NULL, OPTION_HEADING, 0, NULL, "output"},
    {'o', "output", OPTION_TEXT, AT(output), "FILE", "write there instead of to standard output"},
    {0, "weight", OPTION_TEXT, AT(weight), "samples|period", "what the numbers of folded count (default: samples)"},
    {0, "inline", OPTION_FLAG, AT(stacks.inlines), NULL, "inlined functions are frames (default)"},
    {'q', "quiet", OPTION_FLAG, AT(stacks.quiet), NULL, "no notes"},
    {0},
};

struct export_format {
    const char *name;
    void (*write)(struct text *out, const struct profile_request *request);
    bool of_one_event; /* its numbers are of one kind */
    bool with_times;   /* it tells samples one by one */
    bool is_sorted;    /* whatever order the stacks come in */
};

static const struct export_format formats[] = {
    {"folded", profile_folded, .of_one_event = true, .is_sorted = true},
    {"pprof", profile_pprof},
    {"speedscope", profile_speedscope},
    {"firefox", profile_firefox, .of_one_event = true, .with_times = true},
    {"csv", profile_csv},
    {"json", profile_json},
};

struct exporting {
    struct export_options options;
    const struct export_format *format;
    const struct context *context;
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
    if (options->weight && exporting->format->write != profile_folded)
        return error_set(err, ERROR_USAGE, "--weight is for folded: %s holds both", exporting->format->name);
    return true;
}

static bool export_write(void *context, const struct stacks *stacks, struct error *err)
{
    const struct exporting *exporting = context;
    const struct export_options *options = &exporting->options;
    struct profile_request request = {.profile = stacks->profile, .series = stacks->series, .event = stacks->event,
                                      .by_period = options->weight && strcmp(options->weight, "period") == 0,
                                      .name = recording_input_path(&options->stacks.recording)};
    scoped_text struct text out = {0};
    if (!result_open(exporting->context, options->output, &request.file, err))
        return false;
    exporting->format->write(&out, &request);
    return result_close(request.file, options->output, &out, err);
}

static bool export_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct exporting exporting = {.options = {.stacks = {.recording = RECORDING_INPUT_DEFAULTS, .inlines = true}},
                                  .context = context};
    struct stack_use use = {&exporting, export_write};
    bool done = export_parse(&exporting, argc, argv, err);
    if (done) {
        exporting.options.stacks.of_one_event = exporting.format->of_one_event;
        exporting.options.stacks.with_times = exporting.format->with_times;
        exporting.options.stacks.any_order = exporting.format->is_sorted;
        done = stack_input_read(&exporting.options.stacks, context, &use, err);
    }
    options_done(export_rows, &exporting.options);
    return done;
}

const struct command command_export = {
    .name = "export",
    .summary = "a recording's stacks for other tools: folded, pprof, speedscope, firefox, csv, json",
    .usage = "plumb export folded|pprof|speedscope|firefox|csv|json [-i FILE] [options]",
    .options = export_rows,
    .run = export_run,
};
