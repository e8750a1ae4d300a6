/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb exits: why guests leave, how often and for how long; two hosts or guests side by side. */
#include "command/exits/exits.h"

#include "analyse/exits/exit_comparison.h"
#include "base/scope.h"
#include "capture/exits/exits_input.h"
#include "command/command_table.h"
#include "symbol/names/kallsyms.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>

#define AT(member) offsetof(struct exits_options, member)

static const struct option_row option_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "whose exits"},
    {'a', "all", OPTION_FLAG, AT(all), NULL, "all guests of this host (the default without -p, -i and a program)"},
    {'p', "pid", OPTION_LIST, AT(processes), "PID[,PID]", "the guests of these virtual machine monitors"},
    {'i', "input", OPTION_TEXT, AT(input), "FILE",
     "read a recording, a trace, a table of another tool, or what --json wrote"},
    {0, "compare", OPTION_FLAG, AT(compare), NULL, "two such files, A and B, side by side"},
    {0, "vcpu", OPTION_TEXT, AT(vcpu), "N", "only vCPUs of this number"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how"},
    {0, "duration", OPTION_DOUBLE, AT(seconds), "S", "watch for so long; of a table: over how long it was counted"},
    {'I', "interval-print", OPTION_U64, AT(interval_ms), "MS",
     "print what came in each interval, and the whole at the end"},
    {0, "instructions", OPTION_FLAG, AT(instructions), NULL, "count the guest's instructions that leave it as well"},
    {0, "method", OPTION_TEXT, AT(method), "bpf|tracepoint|perf|count",
     "only so: programs in the kernel, at tracepoints only; records; numbers only"},
    {0, "vcpus", OPTION_U64, AT(vcpus), "N",
     "how many vCPUs there are, where that can't be seen: for shares of their time"},
    {0, "guest-kallsyms", OPTION_TEXT, AT(guest_kallsyms), "FILE",
     "name the guest kernel's instructions from its /proc/kallsyms"},
    {0, "effect", OPTION_DOUBLE, AT(effect_percent), "PERCENT",
     "with --compare: what is too little to matter (default: 5)"},
    {0, "round-trip", OPTION_TEXT, AT(round_trip), "US[,US]",
     "with --compare: what leaving and entering costs at most beside the handler, on A and on B, in microseconds"},
    {0, NULL, OPTION_HEADING, 0, NULL, "output"},
    {'x', "field-separator", OPTION_TEXT, AT(separator), "SEP", "a line a reason, fields with this between them"},
    {'j', "json", OPTION_FLAG, AT(json), NULL, "a JSON object, which -i and --compare read again"},
    {'v', "verbose", OPTION_COUNT, AT(verbose), NULL, "all ports, MSRs, addresses, instructions and vCPUs"},
    {0},
};

void exits_note(struct exits_notes *notes, const char *format, ...)
{
    scoped_text struct text text = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    *vec_push(notes) = arena_string(notes->arena, text_string(&text));
}

/* ---- the guest's symbols ---- */

struct guest_symbols {
    struct symbol_index index;
    struct text text;
    char name[300];
};

static void guest_symbols_done(struct guest_symbols *symbols)
{
    symbol_index_done(&symbols->index);
    text_done(&symbols->text);
}

static bool guest_symbols_read(struct guest_symbols *symbols, const char *path, struct error *err)
{
    struct sysroot anywhere;
    scoped_free char *whole = path ? realpath(path, NULL) : NULL;
    if (!path)
        return true;
    if (!whole)
        return error_set(err, ERROR_NOT_FOUND, "there is no file '%s'", path);
    sysroot_init(&anywhere, NULL);
    if (!sysroot_read(&anywhere, &symbols->text, err, "%s", whole) ||
        !kallsyms_parse(text_view(&symbols->text), &symbols->index, err))
        return error_wrap(err, "the guest's symbols in '%s'", path);
    return true;
}

static const char *guest_symbol(void *context, uint64_t rip)
{
    struct guest_symbols *symbols = context;
    uint32_t found = symbol_index_find(&symbols->index, rip);
    if (found == SYMBOL_INDEX_NONE)
        return NULL;
    const struct indexed_symbol *symbol = &symbols->index.symbols.items[found];
    struct view name = indexed_symbol_name(symbol);
    snprintf(symbols->name, sizeof(symbols->name), "%.*s+0x%llx", (int)(name.length < 250 ? name.length : 250),
             name.text, (unsigned long long)(rip - symbol->start));
    return symbols->name;
}

/* ---- printing ---- */

struct exit_table_options exits_table_options(const struct exits_options *options, const struct guest_symbols *symbols)
{
    struct exit_table_options table = {.seconds = options->seconds, .vcpus = options->vcpus, .only_vcpu = -1};
    if (options->vcpu)
        (void)view_i64(view_of(options->vcpu), &table.only_vcpu);
    if (options->guest_kallsyms) {
        table.symbol = guest_symbol;
        table.symbol_context = (void *)symbols;
    }
    return table;
}

bool exits_show(struct context *context, const struct exits_options *options, const struct exits *exits,
                const struct exit_table_options *table_options, const struct exit_report *report, struct error *err)
{
    struct arena arena;
    struct exit_table table;
    scoped_text struct text out = {0};
    bool good = true;
    arena_init(&arena);
    exit_table_build(&table, exits, table_options, &arena);
    if (options->json) {
        struct json_writer json;
        json_begin(&json, &out);
        json.compact = report->at_s >= 0;
        json_object_open(&json, NULL);
        exit_table_json(&json, &table, report);
        if (report->at_s < 0)
            exits_write_json(&json, exits);
        json_object_close(&json);
        text_add_char(&out, '\n');
    } else if (options->separator) {
        scoped_text struct text remarks = {0};
        exit_table_fields(&out, &table, report);
        exit_table_remarks(&remarks, &table, report);
        if (!text_write_file(&remarks, context->talk))
            good = error_system(err, errno, "can't write the remarks");
    } else {
        struct page page = page_for(&out, context->out);
        exit_table_text(&page, &table, report);
    }
    arena_done(&arena);
    if (good && (!text_write_file(&out, context->out) || fflush(context->out) != 0))
        return error_system(err, errno, "can't write the table");
    return good;
}

/* ---- files ---- */

/* side: "A: ", or "" of a single file. */
static void input_notes(struct exits_notes *notes, const char *side, const struct exits *exits,
                        const struct exits_input *input)
{
    if (input->broken_off[0])
        exits_note(notes, "%sthe recording breaks off: %s: what comes behind is missing", side, input->broken_off);
    if (input->lines_unread)
        exits_note(notes, "%s%llu line%s in no form that plumb knows: nothing was read from %s", side,
                   (unsigned long long)input->lines_unread, input->lines_unread == 1 ? " is" : "s are",
                   input->lines_unread == 1 ? "it" : "them");
    if (input->rows_again)
        exits_note(
            notes,
            "%s%llu rows come again: the file holds several tables, which are added up. That is wrong for tables of "
            "different hosts (give each a "
            "file of its own) and for sums so far (bpftrace that prints a map without clearing it: keep the last)",
            side, (unsigned long long)input->rows_again);
    if (input->has_parts)
        exits_note(notes, "%sof keys with several parts the last is taken for the reason", side);
    if (input->part)
        exits_note(notes, "%sthe table is of %s, which are a part of the exits: shares and sums are of these alone",
                   side, input->part);
    if (input->broken)
        exits_note(notes, "%s%llu events end before their fields do: they were left out", side,
                   (unsigned long long)input->broken);
    if (input->layout[0])
        exits_note(
            notes,
            "%s%s has no format with the fields that plumb reads, here or in the recording: its events were left out",
            side, input->layout);
    if (!exits->is_table && exits->fires_exit && !exits->watches[EXIT_POINT_ENTRY])
        exits_note(notes, "%sthere is no kvm_entry, so that how long exits took isn't known", side);
}

/* What a file says of itself comes first: 0, as the exits have it. */
static double input_seconds(const struct exits_options *options, const struct exits *exits, struct exits_notes *notes,
                            const char *side)
{
    if (!options->seconds || exits->seconds <= 0)
        return options->seconds;
    exits_note(notes, "%s--duration is for tables that don't say it: this one tells of %.4g s", side, exits->seconds);
    return 0;
}

static bool input_show(struct context *context, const struct exits_options *options,
                       const struct guest_symbols *symbols, struct error *err)
{
    struct exits exits;
    struct exits_input input;
    struct arena arena;
    arena_init(&arena);
    exits_init(&exits);
    struct exits_notes notes = {.arena = &arena};
    bool good = exits_read(&exits, &input, options->input, err);
    if (good) {
        input_notes(&notes, "", &exits, &input);
        struct exit_report report = {
            .heading = options->input, .at_s = -1, .separator = options->separator, .verbose = options->verbose > 0,
            .method = arena_printf(&arena, "read from a %s; counts and times are its own",
                                   strcmp(input.kind, "plumb exits") == 0 ? "file of plumb exits --json" : input.kind),
            .notes = notes.items, .note_count = notes.count};
        struct exit_table_options table_options = exits_table_options(options, symbols);
        table_options.seconds = input_seconds(options, &exits, &notes, "");
        report.notes = notes.items;
        report.note_count = notes.count;
        good = exits_show(context, options, &exits, &table_options, &report, err);
    }
    vec_done(&notes);
    exits_done(&exits);
    arena_done(&arena);
    return good;
}

static bool round_trips_parse(const char *text, double *ret_a, double *ret_b, struct error *err)
{
    struct view b = view_of(text ? text : ""), a = view_cut(&b, ',');
    *ret_a = *ret_b = 0;
    if (!text)
        return true;
    if (!view_double(a, ret_a) || *ret_a <= 0 || (b.length && (!view_double(b, ret_b) || *ret_b <= 0)))
        return error_set(err, ERROR_USAGE, "--round-trip takes microseconds, one number or A,B, not '%s'", text);
    *ret_b = b.length ? *ret_b : *ret_a;
    return true;
}

static bool comparison_print(struct context *context, const struct exits_options *options,
                             const struct exit_comparison *comparison, const struct exit_comparison_report *report,
                             struct error *err)
{
    scoped_text struct text out = {0};
    if (options->json) {
        struct json_writer json;
        json_begin(&json, &out);
        exit_comparison_json(&json, comparison, report);
        text_add_char(&out, '\n');
    } else {
        struct page page = page_for(&out, context->out);
        exit_comparison_text(&page, comparison, report);
    }
    return text_write_file(&out, context->out) || error_system(err, errno, "can't write the comparison");
}

static bool files_compare(struct context *context, const struct exits_options *options, char *const files[2],
                          struct error *err)
{
    struct exits sides[2];
    struct exits_input input;
    struct exit_table tables[2];
    struct exit_comparison comparison;
    struct arena arena;
    double round_trips[2];
    struct exits_notes notes = {.arena = &arena};
    bool good = round_trips_parse(options->round_trip, &round_trips[0], &round_trips[1], err);
    arena_init(&arena);
    for (size_t at = 0; at < 2; at++)
        exits_init(&sides[at]);
    struct exit_table_options table_options = exits_table_options(options, NULL);
    for (size_t at = 0; at < 2 && good; at++) {
        good = exits_read(&sides[at], &input, files[at], err);
        if (!good)
            break;
        input_notes(&notes, at ? "B: " : "A: ", &sides[at], &input);
        table_options.seconds = input_seconds(options, &sides[at], &notes, at ? "B: " : "A: ");
        exit_table_build(&tables[at], &sides[at], &table_options, &arena);
    }
    if (good) {
        exit_compare(&comparison, &tables[0], &tables[1], options->effect_percent / 100, round_trips[0], round_trips[1],
                     &arena);
        struct exit_comparison_report report = {
            .names = {files[0], files[1]}, .notes = notes.items, .note_count = notes.count};
        good = comparison_print(context, options, &comparison, &report, err);
    }
    vec_done(&notes);
    for (size_t at = 0; at < 2; at++)
        exits_done(&sides[at]);
    arena_done(&arena);
    return good;
}

/* ---- the command ---- */

static const double SECONDS_LEAST = 1e-3, SECONDS_MOST = 1e8;
enum { INTERVAL_MS_MOST = 86400000, VCPUS_MOST = 1 << 20 };

/* An option that is given takes what it is given: 0 is none of these. */
static bool numbers_take(struct exits_options *options, struct error *err)
{
    if (options->seconds == 0 || options->interval_ms == 0 || options->vcpus == 0)
        return error_set(err, ERROR_USAGE, "%s is more than 0",
                         options->seconds == 0       ? "--duration"
                         : options->interval_ms == 0 ? "-I"
                                                     : "--vcpus");
    options->seconds = options->seconds == -DBL_MAX ? 0 : options->seconds;
    options->interval_ms = options->interval_ms == UINT64_MAX ? 0 : options->interval_ms;
    options->vcpus = options->vcpus == UINT64_MAX ? 0 : options->vcpus;
    return true;
}

static bool options_check(const struct exits_options *options, int operands, struct error *err)
{
    int64_t vcpu;
    if (options->json && options->separator)
        return error_set(err, ERROR_USAGE, "-j and -x exclude each other");
    if (!(options->seconds == 0 || (options->seconds >= SECONDS_LEAST && options->seconds <= SECONDS_MOST)))
        return error_set(err, ERROR_USAGE, "--duration takes seconds, %g to %g", SECONDS_LEAST, SECONDS_MOST);
    if (options->interval_ms > INTERVAL_MS_MOST)
        return error_set(err, ERROR_USAGE, "-I takes milliseconds, 1 to %d", INTERVAL_MS_MOST);
    if (options->vcpus > VCPUS_MOST)
        return error_set(err, ERROR_USAGE, "--vcpus takes how many vCPUs there are, 1 to %d", VCPUS_MOST);
    if (!(options->effect_percent > 0 && options->effect_percent < 100))
        return error_set(err, ERROR_USAGE, "--effect takes a percentage");
    if (options->vcpu && (!view_i64(view_of(options->vcpu), &vcpu) || vcpu < 0 || vcpu > 1 << 20))
        return error_set(err, ERROR_USAGE, "--vcpu takes a vCPU's number, not '%s'", options->vcpu);
    if (!options->compare && (options->round_trip || options->effect_percent != 5))
        return error_set(err, ERROR_USAGE, "--effect and --round-trip need --compare");
    bool live = options->all || options->processes || options->interval_ms || options->instructions || options->method;
    if ((options->compare || options->input) && live)
        return error_set(err, ERROR_USAGE, "-a, -p, -I, --instructions and --method are for watching, not for files");
    if (options->all && options->processes)
        return error_set(err, ERROR_USAGE, "-a and -p exclude each other");
    if (options->processes && operands)
        return error_set(err, ERROR_USAGE,
                         "-p and a program exclude each other (-a -- PROGRAM watches all guests meanwhile)");
    if (options->input && operands)
        return error_set(err, ERROR_USAGE, "a file and a program exclude each other");
    if (options->compare && (options->input || options->separator || options->guest_kallsyms || options->verbose))
        return error_set(
            err, ERROR_USAGE,
            "--compare takes two files, and goes with --duration, --vcpus, --vcpu, --effect, --round-trip and -j");
    if (options->compare && operands != 2) {
        error_set(err, ERROR_USAGE, "--compare takes two files, A and B");
        return operands < 2 ? false : error_hint(err, "options come before the files");
    }
    return true;
}

static bool exits_command_run(struct context *context, const struct exits_options *options, int count, char **operands,
                              struct error *err)
{
    struct guest_symbols symbols = {0};
    if (!options_check(options, count, err))
        return false;
    if (options->compare)
        return files_compare(context, options, operands, err);
    bool good = guest_symbols_read(&symbols, options->guest_kallsyms, err) &&
                (options->input ? input_show(context, options, &symbols, err)
                                : exits_live(context, options, &symbols, operands, err));
    guest_symbols_done(&symbols);
    return good;
}

static bool exits_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct exits_options options = {
        .effect_percent = 5, .seconds = -DBL_MAX, .interval_ms = UINT64_MAX, .vcpus = UINT64_MAX};
    int first;
    bool good = options_parse(option_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &options, &first, err) &&
                numbers_take(&options, err) && exits_command_run(context, &options, argc - first, argv + first, err);
    options_done(option_rows, &options);
    return good;
}

const struct command command_exits = {
    .name = "exits",
    .summary = "why guests leave for the hypervisor, how often and for how long",
    .usage = "plumb exits [options] [-a | -p PID | -i FILE | --compare A B] [--] [command [arguments]]",
    .options = option_rows,
    .run = exits_run,
};
