/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/text/sections.h"

#include "analyse/code/vector_width.h"
#include "base/scope.h"
#include "finding/wording.h"
#include "render/diagnosis/phase_section.h"

enum { SENTENCE_NAME_MOST = 60 };

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void row_line(struct sheet *sheet, const struct stall_row *row, double total)
{
    scoped_text struct text line = {0};
    double share = (double)row->samples / total;
    text_printf(&line, "      %5.1f %%  ", share * 100);
    size_t aside = sheet_width(sheet) < SHEET_WIDTH ? sheet_width(sheet) / 3 : 38, used = 15;
    text_fitted(&line, row->text, sheet_width(sheet) < SHEET_WIDTH ? sheet_width(sheet) - used - aside : 46);
    text_add(sheet->out, text_string(&line));
    scoped_text struct text where = {0};
    if (row->path)
        text_printf(&where, "  %s:%u", file_of(row->path), row->line);
    if (row->inlined)
        text_printf(&where, " (%s)", row->inlined);
    if (row->is_stack)
        text_add(&where, "  stack");
    scoped_text struct text cut = {0};
    text_fitted(&cut, text_string(&where), aside);
    sheet_coloured(sheet, SHEET_DIM, text_string(&cut));
    while (sheet->out->length && sheet->out->bytes[sheet->out->length - 1] == ' ')
        sheet->out->length--;
    text_add_char(sheet->out, '\n');
}

/* Where nothing names it, the binary is in the name already: then that has the room of both. */
static void name_and_binary(struct sheet *sheet, const struct stall_function *function)
{
    size_t length = strlen(function->dso), used = 2 + 8 + 3 + sheet_bar_columns(sheet);
    scoped_text struct text name = {0};
    if (strncmp(function->name, function->dso, length) == 0 && function->name[length] == '+') {
        text_shortened(&name, function->name,
                       sheet_width(sheet) > used + SHEET_NAME_LEAST ? sheet_width(sheet) - used : SHEET_NAME_LEAST);
        sheet_coloured(sheet, SHEET_BOLD, text_string(&name));
    } else {
        text_fitted(&name, function->name, sheet_column(sheet, 42));
        sheet_coloured(sheet, SHEET_BOLD, text_string(&name));
        text_add(sheet->out, "  ");
        sheet_coloured(sheet, SHEET_DIM, function->dso);
    }
    text_add_char(sheet->out, '\n');
}

/* By what, and how far behind the instruction that stalled samples land: shown by the self-test beside the run. */
static void sampling_line(struct sheet *sheet, const struct stalls *stalls)
{
    const struct access_costs *costs = sheet->diagnosis->results->costs;
    struct interval share = !costs ? (struct interval){0} : costs->exact ? costs->exact_ratio : costs->behind_ratio;
    if (!stalls->event || !stalls->attributed || !share.known)
        return;
    scoped_text struct text line = {0};
    text_printf(&line, "sampled by %s; %.0f to %.0f %% of the self-test's samples land %s", stalls->event,
                share.low * 100, share.high * 100,
                stalls->exact ? "on what stalled" : "one instruction behind the stall");
    sheet_labelled(sheet, SHEET_DIM, "  ", text_string(&line), 2);
}

static void callers_text(struct text *line, const struct stall_caller *callers, uint32_t count, uint64_t stacks)
{
    static const double LEAST = 0.05;
    for (uint32_t at = 0; at < count; at++) {
        double share = (double)callers[at].stacks / (double)stacks;
        if (at && share < LEAST)
            break;
        text_printf(line, "%s%s", at ? ", " : "", callers[at].name);
        if (callers[at].path)
            text_printf(line, " (%s:%u)", file_of(callers[at].path), callers[at].line);
        if (share < 1 - LEAST)
            text_printf(line, " %.0f %%", share * 100);
    }
}

/* By the stacks that were copied; a handful says nothing. */
static void callers_line(struct sheet *sheet, const struct stall_function *function)
{
    enum { STACKS_LEAST = 5 };
    if (function->stacks < STACKS_LEAST || !function->caller_count)
        return;
    scoped_text struct text line = {0};
    text_add(&line, "called by ");
    callers_text(&line, function->callers, function->caller_count, function->stacks);
    if (function->owner_count) {
        text_add(&line, "; for ");
        callers_text(&line, function->owners, function->owner_count, function->stacks);
    }
    text_add(sheet->out, "        ");
    sheet_paragraph(sheet, text_string(&line), 10, 8);
}

void sheet_code_section(struct sheet *sheet)
{
    const struct stalls *stalls = sheet->diagnosis->results->stalls;
    if (!stalls || !stalls->sample_count)
        return;
    scoped_text struct text aside = {0};
    text_printf(&aside, "%llu samples%s; instructions: %s", (unsigned long long)stalls->sample_count,
                sheet->diagnosis->results->sampled.known ? " of user code alone" : "",
                stalls->attributed ? "those that stalled" : "those that were interrupted");
    sheet_heading(sheet, "HOT CODE", text_string(&aside));
    sampling_line(sheet, stalls);
    double total = (double)stalls->sample_count;
    for (size_t at = 0; at < stalls->function_count && at < sheet->style->functions_most; at++) {
        const struct stall_function *function = &stalls->functions[at];
        double share = (double)function->samples / total;
        if (share < 0.01 && at)
            break;
        text_printf(sheet->out, "  %5.1f %%  ", share * 100);
        sheet_bar(sheet, share, SHEET_CYAN);
        text_add(sheet->out, "  ");
        name_and_binary(sheet, function);
        if (at < 3)
            callers_line(sheet, function);
        size_t rows = at == 0 ? 5 : at < 3 ? 2 : 0;
        for (size_t row = 0; row < function->row_count && row < rows; row++)
            if ((double)function->rows[row].samples >= 0.02 * total)
                row_line(sheet, &function->rows[row], total);
    }
}

void sheet_memory_section(struct sheet *sheet)
{
    const struct results *results = sheet->diagnosis->results;
    const struct stalls *stalls = results->stalls;
    if (!stalls || !stalls->group_count || stalls->groups[0].share.mid < 0.02)
        return;
    sheet_heading(sheet, "DATA IT WAITS FOR", "share of all samples; addresses from sampled registers");
    for (uint32_t at = 0; at < stalls->group_count && at < 4; at++) {
        const struct stall_group *group = &stalls->groups[at];
        const struct access_cost *cost = access_costs_of_group(results->costs, at);
        bool of_lines;
        struct set_size size = stall_group_size(group, &of_lines);
        if (group->share.mid < 0.02)
            break;
        scoped_text struct text line = {0};
        text_printf(&line, "%s in %s: ", stalls->functions[group->function].name, group->area);
        if (group->set.address_count < WORKING_SET_ADDRESSES_LEAST) {
            text_add(&line, "too few addresses to size it");
        } else {
            text_add(&line, size.known ? "about " : "at least ");
            print_bytes(&line, size.known ? size.bytes : size.at_least_bytes);
            text_add(&line, of_lines ? " of lines" : " of pages");
        }
        if (group->set.stride_bytes && !group->in_order) { /* a walk in order is met at steps of the sampling */
            text_add(&line, group->set.one_place_in_stride ? ", one place in every " : ", in steps of ");
            print_bytes(&line, (double)group->set.stride_bytes);
        }
        double sized = (double)(group->base_hits + group->huge_hits);
        if (sized > 0)
            text_printf(&line, "; %.0f %% on 4 KiB pages", 100 * (double)group->base_hits / sized);
        else
            text_add(&line, "; page sizes not known");
        if (group->in_order)
            text_add(&line, "; gone through in order");
        else if (cost && cost->known)
            text_printf(&line, "; such an access%s costs %.3g ns here, %.3g ns on 2 MiB pages",
                        cost->work_instructions ? " with the work around it" : "", cost->ns_small.mid,
                        cost->ns_huge.mid);
        char label[32];
        snprintf(label, sizeof(label), "  %5.1f %%  ", group->share.mid * 100);
        sheet_labelled(sheet, SHEET_PLAIN, label, text_string(&line), 11);
    }
}

void sheet_vector_section(struct sheet *sheet)
{
    const struct stalls *stalls = sheet->diagnosis->results->stalls;
    if (!stalls || !stalls->attributed || !sheet_has_samples(sheet))
        return;
    struct vector_width width = vector_width_of(stalls);
    static const char *const asides[] = {
        [VECTOR_WIDTH_UNKNOWN] = "not known: most of the hot instructions couldn't be read",
        [VECTOR_WIDTH_NONE] = "none: general registers alone",
        [VECTOR_WIDTH_SHARES] = "share of all samples at such instructions",
    };
    sheet_heading(sheet, "VECTOR WIDTH OF THE HOT CODE", asides[width.state]);
    if (width.state != VECTOR_WIDTH_SHARES)
        return;
    sheet_share_line(sheet, "no vectors", width.no_vectors, SHEET_DIM, "general registers, counting, jumps");
    for (size_t at = 0; at < VECTOR_WIDTH_COUNT; at++)
        if (width.shares[at] > 0)
            sheet_share_line(sheet, vector_width_words(at), width.shares[at], at ? SHEET_CYAN : SHEET_YELLOW, "");
}

/* What limits each phase: what the whole run's numbers average away. */
static void phase_limits(struct sheet *sheet)
{
    struct phase_line lines[PHASE_LINES_MOST];
    struct arena arena;
    arena_init(&arena);
    size_t count = phase_lines(lines, sheet->diagnosis, &arena);
    for (size_t at = 0; at < count; at++) {
        sheet_labelled(sheet, SHEET_BOLD, lines[at].label, lines[at].text, 5);
        if (lines[at].tree)
            sheet_topdown_tree(sheet, lines[at].tree);
    }
    arena_done(&arena);
}

void sheet_phase_section(struct sheet *sheet)
{
    const struct phase_rows *phases = sheet->diagnosis->phases;
    if (!phases || phases->count < 2)
        return;
    char aside[64];
    snprintf(aside, sizeof(aside), "%u different mixes in %zu stretches", phases->phase_count, phases->count);
    sheet_heading(sheet, "PHASES", aside);
    for (size_t at = 0; at < phases->count; at++) {
        const struct phase_row *row = &phases->items[at];
        scoped_text struct text line = {0};
        for (size_t function = 0;
             function < row->function_count && (!function || row->functions[function].share >= 0.01); function++) {
            text_add(&line, function ? ", " : "");
            text_add_name(&line, row->functions[function].name, SENTENCE_NAME_MOST);
            text_printf(&line, " %.0f %%", row->functions[function].share * 100);
        }
        char label[64];
        snprintf(label, sizeof(label), "%3u  %6.2f to %6.2f s   ", row->phase + 1, row->from_s, row->until_s);
        sheet_labelled(sheet, SHEET_PLAIN, label, text_string(&line), 25);
    }
    phase_limits(sheet);
}
