/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb flamegraph: a recording's stacks, or folded ones, as one interactive picture. */
#include "command/command_table.h"
#include "command/options.h"
#include "command/recording/stack_input.h"

#include "base/scope.h"
#include "decode/folded_text.h"
#include "render/profile/flamegraph.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct flamegraph_options {
    struct stack_input stacks;
    const char *output, *weight, *title;
    uint64_t width;
    double narrowest;
    bool inverted, reverse;
};

#define AT(member) offsetof(struct flamegraph_options, member)

static const struct option_row flamegraph_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to read: a recording, or folded stacks"},
    RECORDING_INPUT_ROWS_OF(flamegraph_options, stacks.recording),
    {'e', "event", OPTION_TEXT, AT(stacks.event), "NAME",
     "samples of this event (default: the first that has samples)"},
    {0, NULL, OPTION_HEADING, 0, NULL, "output"},
    {'o', "output", OPTION_TEXT, AT(output), "FILE", "write there instead of to standard output"},
    {0, "title", OPTION_TEXT, AT(title), "TEXT", "heading of the picture (default: Flame graph)"},
    {0, "width", OPTION_U64, AT(width), "PIXELS", "how wide (default: 1200)"},
    {0, "min-width", OPTION_DOUBLE, AT(narrowest), "PIXELS",
     "fold frames narrower than this into their callers (default: 0.5; 0: none)"},
    {0, "inverted", OPTION_FLAG, AT(inverted), NULL, "the root at the top, as icicles hang"},
    {0, "reverse", OPTION_FLAG, AT(reverse), NULL, "merge stacks from the sampled function on: who called what is hot"},
    {0, "weight", OPTION_TEXT, AT(weight), "samples|period",
     "widths are samples (default), or what they stand for: time, cycles"},
    {0, "inline", OPTION_FLAG, AT(stacks.inlines), NULL, "inlined functions are frames (default)"},
    {'q', "quiet", OPTION_FLAG, AT(stacks.quiet), NULL, "no notes"},
    {0},
};

struct flamegraph {
    struct flamegraph_options options;
    const struct context *context;
    struct flame flame;
};

static bool by_period(const struct flamegraph_options *options)
{
    return options->weight && strcmp(options->weight, "period") == 0;
}

static bool flamegraph_parse(struct flamegraph *flamegraph, int argc, char **argv, struct error *err)
{
    struct flamegraph_options *options = &flamegraph->options;
    int first;
    if (!options_parse(flamegraph_rows, OPTIONS_ANYWHERE, argc, argv, options, &first, err))
        return false;
    if (first < argc)
        return error_set(err, ERROR_USAGE, "unexpected '%s'; what to read is given by -i", argv[first]);
    if (options->weight && strcmp(options->weight, "samples") != 0 && !by_period(options))
        return error_set(err, ERROR_USAGE, "--weight is samples or period, not '%s'", options->weight);
    if (options->width < FLAMEGRAPH_WIDTH_LEAST || options->width > FLAMEGRAPH_WIDTH_MOST)
        return error_set(err, ERROR_USAGE, "--width is from %d to %d pixels, not %" PRIu64, FLAMEGRAPH_WIDTH_LEAST,
                         FLAMEGRAPH_WIDTH_MOST, options->width);
    if (!(options->narrowest >= 0 && options->narrowest <= 100))
        return error_set(err, ERROR_USAGE, "--min-width is from 0 to 100 pixels");
    return true;
}

/* ---- what is read ---- */

/* Looked at, not taken: whoever reads next gets it, too. -1: it can't be had. */
static ssize_t beginning_of(int fd, char *bytes, size_t size)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return -1;
    if (!S_ISFIFO(status.st_mode))
        return pread(fd, bytes, size, 0);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    ssize_t there = tee(fd, ends[1], size, 0);
    ssize_t count = there > 0 ? read(ends[0], bytes, (size_t)there) : there;
    close(ends[0]);
    close(ends[1]);
    return count;
}

static bool is_recording(int fd)
{
    static const char *const magics[] = {"PERFILE2", "2ELIFREP", "PERFFILE"};
    char bytes[8];
    ssize_t count = beginning_of(fd, bytes, sizeof(bytes));
    for (size_t at = 0; count > 0 && at < array_count(magics); at++)
        if (memcmp(bytes, magics[at], (size_t)count) == 0)
            return true;
    return count < 0; /* then its reader says what is wrong */
}

static bool read_all(int fd, struct text *out, struct error *err)
{
    char bytes[1 << 16];
    for (;;) {
        ssize_t count = read(fd, bytes, sizeof(bytes));
        if (count < 0 && errno != EINTR)
            return error_system(err, errno, "can't read the stacks");
        if (count == 0)
            return true;
        text_append(out, bytes, count > 0 ? (size_t)count : 0);
    }
}

/* Returns how many lines are no stacks. */
static uint64_t folded_add(struct flame *flame, struct view text)
{
    static const enum flame_kind kinds[] = {[FOLDED_UNMARKED] = FLAME_UNKNOWN, [FOLDED_KERNEL] = FLAME_KERNEL,
                                            [FOLDED_JIT] = FLAME_JIT, [FOLDED_INLINED] = FLAME_UNKNOWN};
    struct folded_line line;
    uint64_t unread = 0;
    while (folded_text_next(&text, &line, &unread)) {
        struct view name;
        enum folded_mark mark;
        while (folded_frame_next(&line.frames, &name, &mark))
            flame_push(flame, name.text, name.length, kinds[mark]);
        flame_stack(flame, line.count);
    }
    return unread;
}

/* ---- what is drawn ---- */

static bool flamegraph_write(struct flamegraph *flamegraph, const char *path, const char *event, const char *unit,
                             struct error *err)
{
    const struct flamegraph_options *options = &flamegraph->options;
    scoped_text struct text out = {0}, subtitle = {0};
    if (!flamegraph->flame.total)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no stacks", path);
    flame_finish(&flamegraph->flame);
    text_printf(&subtitle, "%s: %" PRIu64 " %s%s%s", strcmp(path, "-") == 0 ? "standard input" : path,
                flamegraph->flame.total, unit, event ? " of " : "", event ? event : "");
    if (options->reverse)
        text_add(&subtitle, ", callers upon what they called");
    flamegraph_svg(&out, &(struct flamegraph_request){.flame = &flamegraph->flame,
                                                      .title = options->title ? options->title : "Flame graph",
                                                      .subtitle = text_string(&subtitle),
                                                      .unit = unit,
                                                      .width = options->width,
                                                      .narrowest = options->narrowest,
                                                      .inverted = options->inverted});
    return result_write(flamegraph->context, options->output, &out, err);
}

static bool flamegraph_folded(struct flamegraph *flamegraph, int fd, const char *path, struct error *err)
{
    const struct flamegraph_options *options = &flamegraph->options;
    scoped_text struct text text = {0};
    if (options->stacks.event || by_period(options))
        return error_set(err, ERROR_USAGE, "--event and --weight are for recordings, and '%s' is folded text", path);
    if (!read_all(fd, &text, err))
        return false;
    uint64_t unread = folded_add(&flamegraph->flame, text_view(&text));
    if (unread && flamegraph->flame.total && !options->stacks.quiet)
        fprintf(flamegraph->context->talk, "note: %" PRIu64 " lines are no stacks and were left out\n", unread);
    return flamegraph_write(flamegraph, path, NULL, "samples", err) ||
           (unread && err->kind == ERROR_NOT_FOUND &&
            error_hint(err, "a recording, or lines such as \"main;work;leaf 12\", are wanted"));
}

static bool flamegraph_profile(void *context, const struct stacks *stacks, struct error *err)
{
    struct flamegraph *flamegraph = context;
    const struct flamegraph_options *options = &flamegraph->options;
    const struct profile_event *chosen = &stacks->profile->events[stacks->event];
    flame_add_profile(&flamegraph->flame, stacks->profile, stacks->event, by_period(options));
    return flamegraph_write(flamegraph, recording_input_path(&options->stacks.recording), chosen->name,
                            !by_period(options) ? "samples" : chosen->counts_ns ? "ns" : "events", err);
}

static bool flamegraph_read(struct flamegraph *flamegraph, struct error *err)
{
    const struct stack_input *stacks = &flamegraph->options.stacks;
    const char *path = recording_input_path(&stacks->recording);
    scoped_fd int opened = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : opened;
    if (fd >= 0 && !is_recording(fd))
        return flamegraph_folded(flamegraph, fd, path, err);
    return stack_input_read(stacks, flamegraph->context, &(struct stack_use){flamegraph, flamegraph_profile}, err);
}

static bool flamegraph_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct flamegraph flamegraph = {
        .context = context,
        .options = {
            .stacks = {.recording = RECORDING_INPUT_DEFAULTS, .inlines = true, .of_one_event = true, .any_order = true},
            .width = 1200,
            .narrowest = 0.5}};
    const struct flamegraph_options *options = &flamegraph.options;
    bool done = flamegraph_parse(&flamegraph, argc, argv, err);
    if (done) {
        flame_init(&flamegraph.flame,
                   &(struct flame_options){.leaf_first = options->reverse,
                                           .share_least =
                                               options->narrowest / (double)(options->width - 2 * FLAMEGRAPH_MARGIN)});
        done = flamegraph_read(&flamegraph, err);
        flame_done(&flamegraph.flame);
    }
    options_done(flamegraph_rows, &flamegraph.options);
    return done;
}

const struct command command_flamegraph = {
    .name = "flamegraph",
    .summary = "a recording's stacks as one interactive SVG file",
    .usage = "plumb flamegraph [-i FILE] [-o FILE.svg] [options]",
    .options = flamegraph_rows,
    .run = flamegraph_run,
};
