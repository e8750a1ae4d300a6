/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_import.h"

#include "analyse/imported.h"
#include "analyse/profile/folded_profile.h"
#include "analyse/profile/host_profile.h"
#include "analyse/told/told.h"
#include "analyse/told/told_share.h"
#include "base/json/json_writer.h"
#include "base/scope.h"
#include "base/vec.h"
#include "capture/case/case_folder.h"
#include "capture/exits/exits_input.h"
#include "command/diagnose/diagnose_ours.h"
#include "command/diagnose/diagnose_passed.h"
#include "source/import/tools/import_c2c.h"
#include "source/import/tools/import_cachegrind.h"
#include "source/import/tools/import_chains.h"
#include "source/import/tools/import_children.h"
#include "source/import/tools/import_columns.h"
#include "source/import/tools/import_counts.h"
#include "source/import/import_csv.h"
#include "source/import/tools/import_dumps.h"
#include "source/import/tools/import_hyperfine.h"
#include "source/import/import_labelled.h"
#include "source/import/import_labels.h"
#include "source/import/tools/import_likwid.h"
#include "source/import/import_listed.h"
#include "source/import/import_markdown.h"
#include "source/import/tools/import_perfspect.h"
#include "source/import/tools/import_pprof.h"
#include "source/import/import_prose.h"
#include "source/import/import_run_list.h"
#include "source/import/tools/import_stacks.h"
#include "source/import/import_tabs.h"
#include "source/import/import_text.h"
#include "source/import/tools/import_thousands.h"
#include "source/import/import_timed.h"
#include "source/import/tools/import_uprof.h"
#include "source/import/tools/import_vtune.h"
#include "source/import/system/counting_period.h"
#include "source/import/system/import_system.h"
#include "system/sysroot.h"

#include <stdlib.h>

struct importing {
    const char *folder;
    struct arena arena;
    vec(struct imported_table) tables;
    struct json_writer statements;
    struct text exits;        /* what plumb exits --json wrote, once more; empty: none was imported */
    bool of_others;           /* what is read is of others: it is shown */
    struct exits_period said; /* by a person beside the files */
    struct text said_words;   /* all of it, a line each */
    struct text beside_words; /* of files without stacks, which may tell of those in others */
};

static void statement_write(struct json_writer *json, const char *origin, const char *file, const char *text)
{
    json_object_open(json, NULL);
    json_string(json, "origin", origin);
    if (file)
        json_string(json, "file", file);
    json_string(json, "text", text);
    json_object_close(json);
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void table_keep(struct importing *importing, const char *path, const struct imported_text *text)
{
    struct imported_row *rows = arena_array(&importing->arena, struct imported_row, text->row_count + 1);
    for (size_t at = 0; at < text->row_count; at++)
        rows[at] = (struct imported_row){text->rows[at].name,    text->rows[at].number,
                                         text->rows[at].seconds, text->rows[at].running_ratio,
                                         text->rows[at].where,   text->rows[at].callers ? text->rows[at].callers : ""};
    *vec_push(&importing->tables) = (struct imported_table){.kind = imported_kind_named(text->origin),
                                                            .file = arena_string(&importing->arena, file_of(path)),
                                                            .rows = rows,
                                                            .count = text->row_count,
                                                            .heading = text->heading,
                                                            .label = text->label,
                                                            .event = text->event,
                                                            .elapsed_s = text->elapsed_s,
                                                            .rows_unread = (double)text->rows_unread};
}

/* What a table ranks, and has shares of, is of the rows that were read. */
static void rows_unread_note(struct importing *importing, struct imported_text *text)
{
    text->rows_unread = import_text_rows_unread(text);
    if (text->rows_unread)
        text->summary = arena_printf(&importing->arena, "of the rows that were read (not: %zu): %s", text->rows_unread,
                                     text->summary);
}

/* What plumb exits --json wrote keeps its counts and times: plumb compare --guest reads them from the case. */
static bool exits_keep(struct importing *importing, const char *path, struct view content, const char **ret_summary,
                       struct error *err)
{
    struct exits exits;
    struct exits_input input;
    struct json_writer json;
    exits_init(&exits);
    bool good = exits_read_json(&exits, &input, content, err);
    if (good) {
        uint64_t count = 0;
        for (size_t at = 0; at < exits.tally_count; at++)
            count += exits.tallies[at].count;
        *ret_summary = arena_printf(&importing->arena, "%llu events of guests in %.3g s", (unsigned long long)count,
                                    exits.seconds);
        text_clear(&importing->exits);
        json_begin(&json, &importing->exits);
        json_object_open(&json, NULL);
        json_double(&json, "seconds", exits.seconds);
        json_u64(&json, "lost", exits.lost);
        exits_write_json(&json, &exits);
        json_object_close(&json);
    }
    exits_done(&exits);
    return good || error_wrap(err, "importing '%s'", path);
}

static bool is_exits_json(struct view content)
{
    return view_starts(view_trim(content), "{") && view_find(content, "\"kvm_exit_fires\"") >= 0;
}

/* Where the words of the next table of exits begin, and over which time those before were counted. */
struct exits_near {
    struct view text;
    double seconds;
    size_t parts; /* so far: of many the rest is one table, as of a tool that prints it every second */
};

/* A profile of a host: what of it is the profiler's own doing, and what the way into guests. NULL: none of either. */
static const char *host_summary(struct importing *importing, const struct imported_text *text)
{
    double sums[HOST_PART_COUNT] = {0};
    scoped_text struct text names = {0};
    for (size_t at = 0; text->kind == IMPORT_REPORT && at < text->row_count; at++) {
        const struct host_symbol *known = host_symbol_find(text->rows[at].name);
        if (!known)
            continue;
        sums[known->part] += text->rows[at].self;
        if (known->part == HOST_PROFILER)
            text_printf(&names, "%s%s %.4g %%", names.length ? ", " : "", text->rows[at].name, text->rows[at].self);
    }
    if (!(sums[HOST_PROFILER] > 0) && !(sums[HOST_GUEST_ENTRY] > 0))
        return NULL;
    return arena_printf(&importing->arena,
                        "; a profile of a host: %.4g %% of it, of whatever its 100 %% are, fall on the way into guests "
                        "and out of them, where their own "
                        "time is found, too, and %.4g %% are the profiler's own cost%s%s%s",
                        sums[HOST_GUEST_ENTRY], sums[HOST_PROFILER], names.length ? " (" : "", text_string(&names),
                        names.length ? ")" : "");
}

/* Functions whose shares a text tells, as a report has them. */
struct told_functions {
    vec(struct import_row) rows;
};

static void functions_add(struct importing *importing, struct told_functions *functions, struct view sentence)
{
    struct told_share shares[TOLD_SHARES_MOST];
    for (size_t at = 0, count = told_shares_in(sentence, shares); at < count; at++)
        *vec_push(&functions->rows) = (struct import_row){
            .name = arena_string_n(&importing->arena, shares[at].function.text, shares[at].function.length),
            .number = shares[at].percent,
            .self = shares[at].percent,
            .where = ""};
}

static void functions_keep(struct importing *importing, const char *path, struct told_functions *functions)
{
    const struct imported_text table = {.kind = IMPORT_REPORT,
                                        .origin = import_kind_name(IMPORT_REPORT),
                                        .rows = functions->rows.items,
                                        .row_count = functions->rows.count,
                                        .heading = "",
                                        .event = "",
                                        .summary = ""};
    if (functions->rows.count)
        table_keep(importing, path, &table);
    vec_done(&functions->rows);
}

/* What somebody quotes is shown, and decides nothing. */
static bool table_state(struct importing *importing, const char *path, const struct imported_text *text)
{
    if (importing->of_others || told_heads_others(text->heading) || (text->above && told_heads_others(text->above))) {
        statement_write(
            &importing->statements, "of others", path,
            arena_printf(&importing->arena,
                         "%s: %s. By the words %s%s%s it is of others, or doesn't hold, and decides nothing",
                         text->origin, text->summary, text->heading[0] ? "above it (\"" : "beside it", text->heading,
                         text->heading[0] ? "\")" : ""));
        return false;
    }
    const char *origin = arena_printf(&importing->arena, "imported, not measured by plumb: %s", text->origin);
    const char *host = host_summary(importing, text);
    statement_write(&importing->statements, origin, path,
                    host ? arena_printf(&importing->arena, "%s%s", text->summary, host) : text->summary);
    table_keep(importing, path, text);
    return true;
}

/* What perf kvm's sums have beyond its rows: of those somebody left some out. */
static void others_add(struct importing *importing, struct imported_text *table, const struct exits_period *period)
{
    static const double ROUNDED = 0.02;
    double seconds = 0, count = 0;
    for (size_t at = 0; at < table->row_count; at++) {
        seconds += table->rows[at].seconds;
        count += table->rows[at].number;
    }
    if (!(period->sum_s > (1 + ROUNDED) * seconds) || !(seconds > 0))
        return;
    struct import_row *rows = arena_array(&importing->arena, struct import_row, table->row_count + 1);
    memcpy(rows, table->rows, table->row_count * sizeof(*rows));
    rows[table->row_count++] = (struct import_row){.name = IMPORTED_EXITS_OTHERS,
                                                   .number = period->count > count ? period->count - count : 0,
                                                   .seconds = period->sum_s - seconds,
                                                   .where = ""};
    table->rows = rows;
}

/* The time over which exits were counted, and of how many CPUs, stand in the words around them. */
static void exits_state(struct importing *importing, const char *path, struct view segment, struct view document,
                        struct exits_near *near)
{
    enum { PARTS_MOST = 16 };
    struct view part;
    while (segment.length) {
        part = segment;
        if (near->parts++ >= PARTS_MOST || !exits_part_cut(&segment, &part))
            segment.length = 0;
        struct imported_text table = import_text_read(part, &importing->arena);
        struct view words = {near->text.text, (size_t)(part.text + part.length - near->text.text)};
        near->text = view_skip(part, part.length);
        if (table.kind != IMPORT_EXITS)
            continue;
        struct exits_period period = exits_period_read(words, document);
        near->seconds = period.seconds > 0  ? period.seconds
                        : near->seconds > 0 ? near->seconds /* of the one before, where it has none */
                                            : importing->said.seconds;
        period.cpus = period.cpus > 0 ? period.cpus : importing->said.cpus;
        table.elapsed_s = near->seconds;
        table.heading = import_text_heading(period.heading, &importing->arena);
        others_add(importing, &table, &period);
        rows_unread_note(importing, &table);
        if (table_state(importing, path, &table))
            importing->tables.items[importing->tables.count - 1].cpus = period.cpus;
    }
}

/* The sentence of a paragraph that named a change last, and left open what came of it; and one that named any. */
struct left_open {
    struct view sentence, named;
};

static bool is_one_paragraph(struct view first, struct view last)
{
    const char *end = last.text + last.length;
    return first.length && end > first.text && end - first.text <= SENTENCE_MOST &&
           view_find((struct view){first.text, (size_t)(end - first.text)}, "\n\n") < 0;
}

static void reason_write(struct importing *importing, const char *origin, const char *path, struct view sentence,
                         const char *why)
{
    statement_write(&importing->statements, origin, path,
                    arena_printf(&importing->arena, "\"%.*s\": %s", (int)sentence.length, sentence.text, why));
}

/* One that names a change and numbers, and was taken for nothing, isn't dropped in silence. */
static void passed_state(struct importing *importing, const char *path, struct view sentence,
                         const struct told_context *context, const struct left_open *open)
{
    bool behind = open && is_one_paragraph(open->named, sentence);
    const char *why = told_is_useful(sentence, context) ? NULL : passed_why(sentence, behind);
    if (why)
        reason_write(importing, TOLD_ORIGIN_PASSED, path, sentence, why);
}

/* A sentence that sounds like a trial and wasn't taken for one is shown with the reason. */
static void unread_state(struct importing *importing, const char *path, struct view sentence,
                         const struct told_context *context, struct left_open *open)
{
    const char *why = told_why_unread(sentence, context);
    const char *behind =
        open && is_one_paragraph(open->sentence, sentence) ? told_why_unread_behind(sentence, context) : NULL;
    why = behind ? behind : why;
    if (behind) /* with what it may be of */
        sentence = (struct view){open->sentence.text, (size_t)(sentence.text + sentence.length - open->sentence.text)};
    if (why)
        reason_write(importing, TOLD_ORIGIN_UNREAD, path, sentence, why);
    else
        passed_state(importing, path, sentence, context, open);
    if (open && passed_names_change(sentence))
        open->named = sentence;
    if (open && told_leaves_open(sentence, context))
        open->sentence = sentence;
    else if (open && !why && told_is_useful(sentence, context))
        open->sentence.length = 0;
}

/* "Set it to always", with the sentence before it that named the file of that setting: it isn't always the last one. */
static struct view with_setting(struct importing *importing, struct view sentence, struct view *setting)
{
    struct view last = *setting;
    if (told_mentions_setting(sentence)) {
        *setting = sentence;
        return sentence;
    }
    return last.length && told_puts_setting(sentence)
               ? view_of(arena_printf(&importing->arena, "%.*s %.*s", (int)last.length, last.text, (int)sentence.length,
                                      sentence.text))
               : sentence;
}

static bool has_counts(const struct imported *tables)
{
    bool has = false;
    for (size_t at = 0; at < tables->count; at++)
        has |= tables->tables[at].kind == IMPORTED_STAT;
    return has;
}

/* What trials are compared with in other sentences. */
struct needs {
    bool state;
    uint32_t bases; /* a bit each, in the order of the text */
};

static struct needs needs_of(struct view all, struct told_context context)
{
    struct needs needs = {.bases = 0};
    for (struct view sentence; (sentence = told_passage(&all, &context)).length;) {
        needs.state |= told_needs_states(sentence, &context);
        needs.bases |= told_bases_used(sentence, &context);
        told_bases_take(&context.bases, sentence);
    }
    return needs;
}

/* It tells one of the bases that are needed, which are noted then. */
static bool has_base(struct told_context *context, struct view sentence, const struct needs *needs)
{
    size_t before = context->bases.count;
    told_bases_take(&context->bases, sentence);
    bool has = false;
    for (size_t at = before; at < context->bases.count; at++)
        has |= needs->bases >> at & 1;
    return has;
}

/* What was tried by no name that is known. */
struct unnamed {
    struct told_unnamed items[UNNAMED_MOST];
    size_t count;
};

static struct unnamed unnamed_in(struct view text, const struct told_context *context)
{
    struct unnamed all = {.count = 0};
    while (all.count < UNNAMED_MOST && told_unnamed_next(&text, context, &all.items[all.count]))
        all.count++;
    return all;
}

/* What the sentence tells is understood so. */
static bool is_unnamed(const struct unnamed *unnamed, struct view sentence)
{
    bool found = false;
    for (size_t at = 0; at < unnamed->count; at++) {
        struct view passage = unnamed->items[at].passage;
        found |= !unnamed->items[at].is_of_several && passage.text + passage.length == sentence.text + sentence.length;
    }
    return found;
}

static void unnamed_keep(struct importing *importing, const char *path, const struct unnamed *unnamed)
{
    for (size_t at = 0; at < unnamed->count; at++)
        statement_write(
            &importing->statements, TOLD_ORIGIN_UNNAMED, path,
            arena_string_n(&importing->arena, unnamed->items[at].passage.text, unnamed->items[at].passage.length));
}

/* Of a document's prose the sentences that tell of a trial, a gap, a loop's size or a function. */
static void sentences_keep(struct importing *importing, const char *path, struct view all)
{
    enum { SENTENCES_MOST = 16 };
    const struct imported tables = {importing->tables.items, importing->tables.count};
    struct told_context context = told_context_in(all);
    if (!(context.states.slow > 0) || context.states.fast <= 0) {
        struct told_states of_runs = told_states_of_runs(&tables);
        context.states = of_runs.slow > 0 ? of_runs : context.states;
    }
    context.has_quota |= told_has_quota(&tables);
    struct told_functions functions = {0};
    struct view sentence, setting = {0};
    struct left_open open = {.sentence = {0}};
    bool needs_guest = context.has_host; /* which tells whose host it is */
    bool needs_wide = has_counts(&tables); /* whose clock such vectors may lower */
    const struct needs needs = needs_of(all, context);
    const struct unnamed unnamed = unnamed_in(all, &context);
    for (size_t kept = 0; kept < SENTENCES_MOST && (sentence = told_passage(&all, &context)).length;) {
        struct view passage = sentence, whole = with_setting(importing, sentence, &setting);
        if (!is_unnamed(&unnamed, passage))
            unread_state(importing, path, whole, &context, whole.text == sentence.text ? &open : NULL);
        sentence = whole;
        bool names_guest = needs_guest && told_names_guest(sentence);
        bool names_wide = needs_wide && told_names_wide(sentence);
        bool is_lone = needs.state && told_is_lone_state(sentence, &context);
        bool is_useful = told_is_useful(sentence, &context), is_base = has_base(&context, passage, &needs);
        if (!names_guest && !names_wide && !is_lone && !is_base && !is_useful)
            continue;
        needs_guest &= !names_guest;
        needs_wide &= !names_wide;
        statement_write(&importing->statements, TOLD_ORIGIN, path,
                        arena_string_n(&importing->arena, sentence.text, sentence.length));
        functions_add(importing, &functions, sentence);
        kept++;
    }
    unnamed_keep(importing, path, &unnamed);
    functions_keep(importing, path, &functions);
}

/* What is said in several sayings is read together. */
static void saying_keep(struct importing *importing, const char *saying, struct told_context *context)
{
    struct view rest = view_of(saying), sentence;
    struct told_functions functions = {0};
    struct left_open open = {.sentence = {0}};
    statement_write(&importing->statements, "said by a person", NULL, saying);
    const struct unnamed unnamed = unnamed_in(rest, context);
    while ((sentence = told_passage(&rest, context)).length) {
        if (!is_unnamed(&unnamed, sentence))
            unread_state(importing, NULL, sentence, context, &open);
        told_bases_take(&context->bases, sentence);
        functions_add(importing, &functions, sentence);
    }
    functions_keep(importing, "what was said", &functions);
}

static void sayings_keep(struct importing *importing, const struct option_texts *sayings)
{
    struct view *all = arena_array(&importing->arena, struct view, sayings->count + 1);
    for (size_t at = 0; at < sayings->count; at++)
        all[at] = view_of(sayings->items[at]);
    struct told_context context = told_context_of(all, sayings->count);
    for (size_t at = 0; at < sayings->count; at++)
        saying_keep(importing, sayings->items[at], &context);
}

/* Rows that nobody read are said: what they hold took no part. */
static void rows_unread_state(struct importing *importing, const char *path, struct view text, enum import_kind kind)
{
    scoped_text struct text lines = {0};
    size_t count = importing->of_others ? 0 : import_text_unread(text, kind, &lines);
    if (count)
        statement_write(&importing->statements, "not read", path,
                        arena_printf(&importing->arena,
                                     "%zu line%s that look%s like rows of a table in no form that plumb knows: %s",
                                     count, count > 1 ? "s" : "", count > 1 ? "" : "s", text_string(&lines)));
}

enum { WAIT_TIMES_MOST = 3 };

/* Of the time of all threads what they waited, where the document tells how long that was. */
static size_t waits_of_time(const struct folded_profile *profile, struct view document,
                            struct import_row ret_rows[WAIT_TIMES_MOST])
{
    static const double CLOCKS_DIFFER = 1.05, ALONE_LEAST = 0.8;
    struct waits_period period = waits_period_read(document);
    double window_us = 1e6 * period.seconds, all_us = window_us * period.threads;
    /* what waits all the time that was looked at, and no longer, is one thread */
    if (period.of_one && profile->off >= ALONE_LEAST * window_us && profile->off <= CLOCKS_DIFFER * window_us)
        all_us = window_us;
    const struct {
        const char *name, *who;
        double waited_us;
    } kinds[WAIT_TIMES_MOST] = {
        {FOLDED_LOCKS_TIME, profile->lock.name ? profile->lock.name : "", profile->by_kind[WAIT_LOCK]},
        {FOLDED_STORAGE_TIME, "", profile->by_kind[WAIT_DISK] + profile->by_kind[WAIT_FAULT]},
        {FOLDED_NETWORK_TIME, "", profile->by_kind[WAIT_NETWORK]},
    };
    size_t count = 0;
    for (size_t at = 0; at < WAIT_TIMES_MOST; at++) {
        double share = all_us > 0 ? kinds[at].waited_us / all_us : 0;
        if (period.in_us && share > 0 && share <= 1 && profile->off <= CLOCKS_DIFFER * all_us)
            ret_rows[count++] = (struct import_row){
                .name = kinds[at].name, .where = kinds[at].who, .number = 100 * share, .self = 100 * share,
                .seconds = 1e-6 * kinds[at].waited_us};
    }
    return count;
}

/* What tells for how long stacks were watched: words of the file itself, said ones, or those of files beside it. */
static void stacks_words(const struct importing *importing, struct view file, struct view own_words, struct text *out)
{
    text_append(out, text_string(&importing->said_words), importing->said_words.length);
    text_append(out, own_words.text, own_words.length);
    if (waits_period_read(text_view(out)).seconds > 0)
        return;
    struct view beside = text_view(&importing->beside_words), line;
    while (view_line(&beside, &line))
        if (!waits_are_of_other(line, file))
            text_printf(out, "\n%.*s", (int)line.length, line.text);
}

/* Folded stacks: hot functions as a report has them, or what was waited for. */
static void stacks_keep(struct importing *importing, const char *path, const struct import_stacks *stacks,
                        struct view own_words)
{
    scoped_text struct text document = {0};
    const struct view file = view_of(file_of(path));
    stacks_words(importing, file, own_words, &document);
    struct arena *arena = &importing->arena;
    struct folded_stack *items = arena_array(arena, struct folded_stack, stacks->count + 1);
    struct folded_profile profile;
    struct folded_share shares[FOLDED_SHARES];
    struct import_row rows[FOLDED_FUNCTIONS_MOST + WAIT_TIMES_MOST];
    scoped_text struct text words = {0};
    for (size_t at = 0; at < stacks->count; at++)
        items[at] = (struct folded_stack){stacks->items[at].frames, (double)stacks->items[at].count};
    folded_profile_of(items, stacks->count, waits_were_written(text_view(&document), file), &profile, arena);
    bool waits = profile.off > profile.on, in_us = waits && waits_period_read(text_view(&document)).in_us;
    size_t count = waits ? folded_shares_of(&profile, shares) : profile.function_count;
    for (size_t at = 0; at < count; at++) {
        double percent = 100 * (waits ? shares[at].share : profile.functions[at].share);
        rows[at] = (struct import_row){.name = waits ? shares[at].name : profile.functions[at].name,
                                       .where = waits ? shares[at].who : "",
                                       .seconds = in_us ? 1e-6 * shares[at].weight : 0,
                                       .number = percent,
                                       .self = percent};
        if (at < 3)
            text_printf(&words, "; %s %.4g %%", rows[at].name, percent);
    }
    if (waits)
        count += waits_of_time(&profile, text_view(&document), &rows[count]);
    const struct imported_text table = {.kind = waits ? IMPORT_UNKNOWN : IMPORT_REPORT,
                                        .origin = waits ? SYSTEM_TABLE : import_kind_name(IMPORT_REPORT),
                                        .rows = rows,
                                        .row_count = count,
                                        .heading = "",
                                        .event = "",
                                        .summary = arena_printf(arena, "%zu stacks%s%s", stacks->count,
                                                                waits ? ", off the CPU" : "", text_string(&words))};
    if (stacks->count)
        (void)table_state(importing, path, &table);
}

/* Stacks that somebody looked at: where most of them stand. */
static void dumps_keep(struct importing *importing, const char *path, const struct import_dumps *dumps)
{
    struct import_row rows[DUMP_ROWS_MOST];
    scoped_text struct text words = {0};
    size_t count = import_dumps_rows(dumps, &importing->arena, rows);
    text_printf(&words, "%zu stacks that were looked at, or counts of such", dumps->count);
    for (size_t at = 0; at < count; at++)
        text_printf(&words, "; %s: %.4g %%", rows[at].where, rows[at].number);
    const struct imported_text table = {.kind = IMPORT_UNKNOWN,
                                        .origin = SYSTEM_TABLE,
                                        .rows = rows,
                                        .row_count = count,
                                        .heading = "",
                                        .event = "",
                                        .summary = arena_string(&importing->arena, text_string(&words))};
    if (dumps->count)
        (void)table_state(importing, path, &table);
}

/* A text in which every tool's tables have the form that import_text_next reads, and what else stands in it. */
struct turned {
    struct view lines, prose, trials;
    struct import_facts facts;
    struct import_stacks stacks;
    struct import_dumps dumps;
};

/* Behind it, as a paragraph of their own. */
static struct view prose_with(struct view prose, struct view sentences, struct arena *arena)
{
    scoped_text struct text out = {0};
    if (!sentences.length)
        return prose;
    text_append(&out, prose.text, prose.length);
    text_add(&out, "\n");
    text_append(&out, sentences.text, sentences.length);
    return (struct view){arena_copy(arena, out.bytes, out.length), out.length};
}

static struct turned turned_of(struct view text, struct arena *arena)
{
    struct turned turned;
    text = import_dumps_turned(import_labelled_turned(text, arena, &turned.trials), arena, &turned.dumps);
    struct view labels = turned.trials.length ? (struct view){0} : import_labels_sentences(text, arena);
    struct view lines = import_pprof_turned(import_c2c_turned(import_cachegrind_turned(text, arena), arena), arena);
    lines = import_children_turned(import_chains_turned(import_timed_turned(lines, arena), arena), arena);
    lines = import_hyperfine_turned(lines, arena, &turned.prose);
    lines = import_uprof_turned(import_likwid_turned(lines, arena), arena);
    lines = import_stacks_turned(import_thousands_turned(lines, arena), arena, &turned.stacks);
    lines = import_system_turned(import_vtune_turned(lines, arena), arena, &turned.facts);
    lines = import_csv_turned(import_perfspect_turned(lines, arena), arena);
    lines = import_listed_turned(import_markdown_turned(import_tabs_turned(lines, arena), arena), arena);
    lines = import_columns_turned(import_prose_turned(import_run_list_turned(lines, arena), arena), arena);
    turned.lines = import_counts_turned(lines, arena);
    turned.prose = prose_with(turned.prose, labels, arena);
    return turned;
}

/* "before" of "before/cpu.stat": which of several looks it is stands there, where no line above the counts says it. */
static const char *folder_of(const char *path, struct arena *arena)
{
    const char *end = strrchr(path, '/'), *begin = end;
    while (begin && begin > path && begin[-1] != '/')
        begin--;
    return end ? arena_string_n(arena, begin, (size_t)(end - begin)) : "";
}

/* How many there were. */
static size_t tables_state(struct importing *importing, const char *path, const struct turned *turned)
{
    struct imported_text text;
    struct view lines = turned->lines, rest = lines, unread = lines;
    struct exits_near near = {.text = lines};
    size_t tables = 0;
    const char *above = "";
    for (; import_text_next(&rest, &importing->arena, &text); tables++) {
        struct imported_text beside;
        size_t before = (size_t)(text.segment.text - unread.text);
        rows_unread_state(importing, path, (struct view){unread.text, before}, IMPORT_UNKNOWN);
        bool is_column = strncmp(text.heading, IMPORT_COLUMN_HEADING, sizeof(IMPORT_COLUMN_HEADING) - 1) == 0;
        above = text.above = is_column && !text.above[0] ? above : text.above; /* of all columns of one table */
        if (text.kind == IMPORT_REPORT)
            rows_unread_note(importing, &text);
        if (text.kind == IMPORT_EXITS)
            exits_state(importing, path, text.segment, lines, &near);
        else
            (void)table_state(importing, path, &text);
        if (import_text_beside(&text, &importing->arena, &beside))
            (void)table_state(importing, path, &beside);
        rows_unread_state(importing, path, text.segment, text.kind);
        unread = view_skip(lines, (size_t)(text.segment.text + text.segment.length - lines.text));
    }
    rows_unread_state(importing, path, unread, IMPORT_UNKNOWN);
    for (size_t at = 0; at < turned->facts.count; at++) {
        struct imported_text *facts = &turned->facts.tables[at];
        if (strcmp(facts->origin, SYSTEM_GROUP) == 0 && !facts->heading[0])
            facts->heading = folder_of(path, &importing->arena);
        (void)table_state(importing, path, facts);
    }
    return tables + turned->facts.count;
}

/* Sentences that would tell of a trial, and are of others, or of a plan; how many. */
static size_t sentences_pass(struct importing *importing, const char *path, struct view all)
{
    const struct told_context context = told_context_in(all);
    struct view sentence;
    size_t count = 0;
    while ((sentence = told_passage(&all, &context)).length)
        if (told_is_useful(sentence, &context) && ++count)
            statement_write(
                &importing->statements, "of others", path,
                arena_printf(&importing->arena,
                             "\"%.*s\": by the words above or beside it it is of others, of a plan or taken "
                             "back, and decides nothing",
                             (int)sentence.length, sentence.text));
    return count;
}

static void others_state(struct importing *importing, const char *path, struct view text)
{
    if (!text.length)
        return;
    struct turned turned = turned_of(text, &importing->arena);
    importing->of_others = true;
    size_t count = tables_state(importing, path, &turned) + turned.stacks.count + turned.dumps.count;
    stacks_keep(importing, path, &turned.stacks, text);
    dumps_keep(importing, path, &turned.dumps);
    importing->of_others = false;
    count += sentences_pass(importing, path, import_text_without_rows(turned.prose, &importing->arena));
    if (!count)
        statement_write(&importing->statements, "of others", path,
                        "lines that by the words above or beside them are of others, of a plan or taken back, and that "
                        "decide nothing");
}

static void nothing_state(struct importing *importing, const char *path, const struct turned *turned)
{
    struct imported_text text = import_text_read(turned->lines, &importing->arena);
    if (turned->facts.was_read)
        text.summary = "lines of the system's tools, which tell no share of the time of any cause";
    statement_write(&importing->statements,
                    arena_printf(&importing->arena, "imported, not measured by plumb: %s", text.origin), path,
                    text.summary);
}

/* Rows and timed commands that differ in a change alone, as a sentence of what came of it. */
static void labelled_keep(struct importing *importing, const char *path, struct view sentences)
{
    static const struct told_context none;
    struct view sentence;
    while (view_line(&sentences, &sentence)) {
        const struct unnamed unnamed = unnamed_in(sentence, &none);
        const char *origin = unnamed.count ? TOLD_ORIGIN_UNNAMED : TOLD_ORIGIN;
        statement_write(&importing->statements, origin, path,
                        arena_string_n(&importing->arena, sentence.text, sentence.length));
    }
}

/* What a file of the kernel's holds is told by its name alone: it stands above it, as "tail" puts it. */
static void name_add(struct text *out, const char *path)
{
    static const char *const kinds[] = {"cpu", "io", "memory"}, *const limits[] = {"cpu.max", "cpu.cfs_quota_us",
                                                                                   "cpu.cfs_period_us"};
    const char *slash = strrchr(path, '/');
    struct view name = view_of(slash ? slash + 1 : path);
    for (size_t at = 0; at < array_count(kinds) && view_find(name, "pressure") >= 0; at++)
        if (view_find(name, kinds[at]) >= 0)
            text_printf(out, "==> %s.pressure <==\n", kinds[at]);
    for (size_t at = 0; at < array_count(limits); at++)
        if (view_find(name, limits[at]) >= 0)
            text_printf(out, "==> %s <==\n", limits[at]);
}

static bool content_read(const char *path, struct text *content, struct error *err)
{
    struct sysroot anywhere;
    sysroot_init(&anywhere, NULL);
    scoped_free char *whole = path[0] == '/' ? memory_string(path) : realpath(path, NULL);
    if (!whole)
        return error_set(err, ERROR_NOT_FOUND, "there is no '%s' to import", path);
    return sysroot_read(&anywhere, content, err, "%s", whole) || error_wrap(err, "importing");
}

static bool import_file(struct importing *importing, const char *path, struct error *err)
{
    scoped_text struct text content = {0};
    if (!content_read(path, &content, err))
        return false;
    scoped_text struct text named = {0};
    name_add(&named, path);
    text_append(&named, text_string(&content), content.length);
    struct view all = text_view(&named);
    const char *summary = "";
    if (is_exits_json(all)) {
        if (!exits_keep(importing, path, all, &summary, err))
            return false;
        statement_write(&importing->statements, "imported: exits, as plumb exits --json wrote them", path, summary);
        return true;
    }
    struct document_parts parts = document_parts_of(all, &importing->arena);
    struct turned turned = turned_of(parts.ours, &importing->arena);
    size_t tables = tables_state(importing, path, &turned);
    stacks_keep(importing, path, &turned.stacks, parts.ours);
    dumps_keep(importing, path, &turned.dumps);
    if (!tables && !turned.stacks.count && !turned.dumps.count && !parts.others.length)
        nothing_state(importing, path, &turned);
    others_state(importing, path, parts.others);
    labelled_keep(importing, path, turned.trials);
    sentences_keep(importing, path, import_text_without_rows(turned.prose, &importing->arena));
    return true;
}

static bool statements_keep(struct importing *importing, struct error *err)
{
    scoped_json struct json_document *before = NULL;
    if (case_part_exists(importing->folder, "statements.json") &&
        !case_part_json(importing->folder, "statements.json", &before, err))
        return false;
    struct json_value list = json_member(json_root(before), "statements");
    for (size_t at = 0; at < json_count(list); at++)
        statement_write(&importing->statements, json_text_or(json_member(json_item(list, at), "origin"), "imported"),
                        json_text_or(json_member(json_item(list, at), "file"), NULL),
                        json_text_or(json_member(json_item(list, at), "text"), ""));
    return true;
}

static bool tables_keep(struct importing *importing, struct error *err)
{
    scoped_json struct json_document *before = NULL;
    struct imported imported;
    if (!case_part_exists(importing->folder, "imports.json"))
        return true;
    if (!case_part_json(importing->folder, "imports.json", &before, err))
        return false;
    if (!imported_read(&imported, json_root(before), &importing->arena, err))
        return error_wrap(err, "'%s/imports.json'", importing->folder);
    for (size_t at = 0; at < imported.count; at++)
        *vec_push(&importing->tables) = imported.tables[at];
    return true;
}

static bool tables_write(struct importing *importing, struct error *err)
{
    if (!importing->tables.count)
        return true;
    const struct imported imported = {importing->tables.items, importing->tables.count};
    scoped_text struct text out = {0};
    struct json_writer json;
    json_begin(&json, &out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    json_array_open(&json, "imports");
    imported_tables_write(&json, &imported);
    json_array_close(&json);
    json_object_close(&json);
    return case_part_write(importing->folder, "imports.json", &out, err);
}

/* A case may consist of nothing but what others measured. */
static bool case_ensure(const char *folder, struct error *err)
{
    const char *nothing = "nothing was measured by plumb in this case";
    if (case_part_exists(folder, "manifest.json"))
        return true;
    const struct case_manifest manifest = {
        .command = "",
        .scope = "imported",
        .target_options = "(imported)",
        .effect = 0.05,
        .elapsed_s = not_measured(nothing),
        .user_s = not_measured(nothing),
        .system_s = not_measured(nothing),
    };
    return case_folder_create(folder, err) && case_manifest_write(&manifest, folder, err);
}

/* "10 s of one busy vCPU": of what the files counted, where they don't say it. */
static void said_period_read(struct importing *importing, const struct option_texts *sayings)
{
    for (size_t at = 0; at < sayings->count; at++) {
        struct view saying = view_of(sayings->items[at]);
        struct exits_period period = exits_period_read(saying, saying);
        importing->said.seconds = period.seconds > 0 ? period.seconds : importing->said.seconds;
        importing->said.cpus = period.cpus > 0 ? period.cpus : importing->said.cpus;
        text_printf(&importing->said_words, "%s\n", sayings->items[at]);
    }
}

/* Words of whole documents may tell of stacks in another file. */
static bool beside_read(struct importing *importing, const struct option_texts *files, struct error *err)
{
    enum { WORDS_MOST = 1 << 20 }; /* what somebody wrote is shorter */
    for (size_t at = 0; files->count > 1 && at < files->count; at++) {
        scoped_text struct text content = {0};
        struct import_stacks stacks;
        if (!content_read(files->items[at], &content, err))
            return false;
        if (content.length > WORDS_MOST)
            continue;
        (void)import_stacks_turned(text_view(&content), &importing->arena, &stacks);
        if (!stacks.count)
            text_printf(&importing->beside_words, "%s\n", text_string(&content));
    }
    return true;
}

static bool add_all(struct importing *importing, const struct option_texts *files, const struct option_texts *sayings,
                    struct error *err)
{
    if (!statements_keep(importing, err) || !tables_keep(importing, err))
        return false;
    said_period_read(importing, sayings);
    if (!beside_read(importing, files, err))
        return false;
    for (size_t at = 0; at < files->count; at++)
        if (!import_file(importing, files->items[at], err))
            return false;
    sayings_keep(importing, sayings);
    return true;
}

bool diagnose_import(const char *folder, const struct option_texts *files, const struct option_texts *sayings,
                     struct error *err)
{
    if (!files->count && !sayings->count)
        return true;
    struct importing importing = {.folder = folder};
    scoped_text struct text out = {0};
    arena_init(&importing.arena);
    json_begin(&importing.statements, &out);
    json_object_open(&importing.statements, NULL);
    json_u64(&importing.statements, "schema", 1);
    json_array_open(&importing.statements, "statements");
    bool added = add_all(&importing, files, sayings, err);
    json_array_close(&importing.statements);
    json_object_close(&importing.statements);
    /* Nothing is written unless all of it could be read. */
    added = added && case_ensure(folder, err) && case_part_write(folder, "statements.json", &out, err) &&
            tables_write(&importing, err) &&
            (!importing.exits.length || case_part_write(folder, "exits.json", &importing.exits, err));
    text_done(&importing.exits);
    text_done(&importing.said_words);
    text_done(&importing.beside_words);
    vec_done(&importing.tables);
    arena_done(&importing.arena);
    return added;
}
