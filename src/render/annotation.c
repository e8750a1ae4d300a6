/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/annotation.h"

#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

enum {
    PERCENT_COLUMNS = 8,
    PERIOD_COLUMNS = 14,
    LOOPS_DRAWN = 6, /* nested deeper than that, the innermost are drawn */
    RULE_COLUMNS = 100
};

static const char *const number_names[] = {
    [NUMBER_PERCENT] = "Percent", [NUMBER_SAMPLES] = "Samples", [NUMBER_PERIOD] = "Period"};
static const double hot_percent = 5, warm_percent = 0.5, share_worth_saying = 0.005;

struct page {
    struct text *out;
    const struct annotation *annotation;
    const struct instructions *in;
    bool shows_stalled;
    size_t loop_columns;
    int address_columns;
    size_t raw_columns; /* of instructions' bytes; 0: not shown */
    uint32_t hottest; /* the row that stalled most, or got most samples; ROW_NONE */
};

static int number_columns(const struct page *page)
{
    return page->annotation->number == NUMBER_PERIOD ? PERIOD_COLUMNS : PERCENT_COLUMNS;
}

static double percent_of(const struct page *page, const double *weights, uint32_t row, size_t event)
{
    const struct instruction_event *of = &page->in->events[event];
    double total = page->annotation->of_recording ? of->recording_weight : of->weight;
    return total > 0 ? 100 * weights[row * page->in->event_count + event] / total : 0;
}

static void add_color(const struct page *page, const char *code)
{
    if (page->annotation->color)
        text_printf(page->out, "\033[%sm", code);
}

static void add_number(const struct page *page, const double *weights, uint32_t row, size_t event)
{
    double percent = percent_of(page, weights, row, event);
    bool hot = percent >= hot_percent, warm = percent >= warm_percent;
    if (percent <= 0 || percent < page->annotation->percent_least) {
        text_add_repeated(page->out, " ", (size_t)number_columns(page));
        return;
    }
    if (hot || warm)
        add_color(page, hot ? "31" : "32");
    if (page->annotation->number == NUMBER_PERCENT)
        text_printf(page->out, "%*.2f", PERCENT_COLUMNS, percent);
    else
        text_printf(page->out, "%*.0f", number_columns(page), weights[row * page->in->event_count + event]);
    if (hot || warm)
        add_color(page, "0");
}

/* The columns in front of " : ", empty. */
static void add_blank_shares(const struct page *page)
{
    size_t columns = page->in->event_count + page->shows_stalled;
    text_add_repeated(page->out, " ", (size_t)number_columns(page) * (columns ? columns : 1));
    text_add(page->out, " : ");
}

static void add_shares(const struct page *page, uint32_t row)
{
    for (size_t event = 0; event < page->in->event_count; event++) {
        add_number(page, page->in->sampled, row, event);
        if (event == 0 && page->shows_stalled)
            add_number(page, page->in->stalled, row, 0);
    }
    if (!page->in->event_count)
        text_add_repeated(page->out, " ", (size_t)number_columns(page));
    text_add(page->out, " : ");
}

/* The loop of that depth (1: outermost) around a row, or LOOP_NONE. */
static uint32_t loop_at_depth(const struct instructions *in, uint32_t row, uint32_t depth)
{
    uint32_t loop = in->rows[row].loop;
    while (loop != LOOP_NONE && in->loops[loop].depth > depth)
        loop = in->loops[loop].parent;
    return loop != LOOP_NONE && in->loops[loop].depth == depth ? loop : LOOP_NONE;
}

/* One column for each nesting depth: where the loop begins, its body, its jump back. */
static void add_loops(const struct page *page, uint32_t row)
{
    bool unicode = page->annotation->unicode;
    const char *head = unicode ? "┌" : ",", *body = unicode ? "│" : "|", *tail = unicode ? "└" : "`";
    const char *link = NULL;
    for (uint32_t depth = 1; depth <= page->loop_columns; depth++) {
        uint32_t id = loop_at_depth(page->in, row, depth);
        const struct code_loop *loop = id == LOOP_NONE ? NULL : &page->in->loops[id];
        const struct instruction *instruction = &page->in->rows[row].instruction;
        bool is_head = loop && loop->head == row;
        bool closes = loop && instruction->has_target &&
                      instruction->target == page->in->rows[loop->head].instruction.addr &&
                      instruction->class != INSTRUCTION_CALL;
        if (!loop)
            text_add(page->out, link ? link : " ");
        else if (is_head)
            text_add(page->out, head);
        else if (closes)
            text_add(page->out, row == loop->last ? tail : unicode ? "├" : "+");
        else
            text_add(page->out, link ? link : body);
        if (is_head || closes)
            link = unicode ? "─" : "-";
    }
    if (page->loop_columns)
        text_add(page->out, !link ? " "
                            : loop_at_depth(page->in, row, 1) != LOOP_NONE && page->in->rows[row].loop != LOOP_NONE &&
                                    page->in->loops[page->in->rows[row].loop].head == row
                                ? ">"
                                : link);
}

static void add_stalled_mark(const struct page *page, uint32_t row)
{
    if (page->hottest != row)
        return;
    double percent = percent_of(page, page->in->stalled, row, 0);
    bool moved = page->shows_stalled &&
                 page->in->sampled[row * page->in->event_count] < page->in->stalled[row * page->in->event_count];
    text_printf(page->out, "   <== %s %.1f%%",
                page->shows_stalled || page->annotation->attribution == ATTRIBUTION_EXACT ? "stalls" : "sampled most,",
                percent);
    if (moved)
        text_add(page->out, " (sampled one later)");
}

static void add_source(const struct page *page, const char *lines)
{
    struct view rest = view_of(lines), line;
    while (view_line(&rest, &line)) {
        add_blank_shares(page);
        add_color(page, "34");
        text_append(page->out, line.text, line.length);
        add_color(page, "0");
        text_add_char(page->out, '\n');
    }
}

/* As objdump has them: bytes, or words where all instructions are words. */
static void add_raw(const struct page *page, const struct instruction_row *item)
{
    size_t start = page->out->length, count = item->instruction.length;
    bool word = strcmp(page->in->code.architecture, "aarch64") == 0;
    for (size_t at = 0; at < count; at++)
        text_printf(page->out, "%02x%s", item->bytes[word ? count - 1 - at : at], word ? "" : " ");
    size_t columns = page->out->length - start;
    text_add_repeated(page->out, " ", columns < page->raw_columns ? page->raw_columns - columns + 1 : 1);
}

static size_t raw_columns(const struct instructions *in)
{
    size_t longest = 0;
    for (size_t row = 0; row < in->row_count; row++)
        longest = in->rows[row].instruction.length > longest ? in->rows[row].instruction.length : longest;
    return 3 * longest;
}

static void add_row(const struct page *page, uint32_t row)
{
    const struct instruction_row *item = &page->in->rows[row];
    if (page->annotation->source && page->annotation->source[row])
        add_source(page, page->annotation->source[row]);
    add_shares(page, row);
    add_loops(page, row);
    text_printf(page->out, " %*" PRIx64 ":  ", page->address_columns, item->instruction.addr);
    if (page->raw_columns)
        add_raw(page, item);
    text_add(page->out, item->text ? item->text : "");
    add_stalled_mark(page, row);
    text_add_char(page->out, '\n');
}

static void add_header(const struct page *page)
{
    const struct instructions *in = page->in;
    size_t start = page->out->length;
    int columns = number_columns(page);
    for (size_t event = 0; event < in->event_count; event++) {
        const char *name = in->event_count == 1 || !in->events[event].name ? number_names[page->annotation->number]
                                                                           : in->events[event].name;
        text_printf(page->out, "%*.*s", columns, columns - 1, name);
        if (event == 0 && page->shows_stalled)
            text_printf(page->out, "%*s", columns, "Stalled");
    }
    if (!in->event_count)
        text_add_repeated(page->out, " ", (size_t)columns);
    text_printf(page->out, " | Source code & Disassembly of %s for ", in->dso);
    for (size_t event = 0; event < in->event_count; event++)
        text_printf(page->out, "%s%s", event ? ", " : "", in->events[event].name ? in->events[event].name : "?");
    if (in->event_count)
        text_printf(page->out, " (%" PRIu64 " samples, percent: %s %s)", in->events[0].samples,
                    page->annotation->of_recording ? "global" : "local",
                    page->annotation->by_number ? "hits" : "period");
    else
        text_add(page->out, "no event: nothing was sampled here");
    size_t length = page->out->length - start;
    text_add_char(page->out, '\n');
    text_add_repeated(page->out, "-", length < 200 ? length : 200);
    text_add_char(page->out, '\n');
    add_blank_shares(page);
    text_printf(page->out, "%016" PRIx64 " <%s>:\n", in->code.shown_addr, in->symbol);
}

static void add_loop_line(const struct page *page, const struct code_loop *loop, const char *title)
{
    const struct instructions *in = page->in;
    const struct instruction *last = &in->rows[loop->last].instruction;
    enum { L1I_BYTES = 32 * 1024 };
    text_printf(page->out, "  %-16s%" PRIx64 "..%" PRIx64 ", depth %u: %.1f%% of the samples", title,
                in->rows[loop->first].instruction.addr, last->addr, loop->depth, 100 * loop->share);
    if (loop->share - loop->own_share > share_worth_saying)
        text_printf(page->out, " (%.1f%% outside inner loops)", 100 * loop->own_share);
    text_printf(page->out, "; %u instructions, %u bytes in %u cache line%s%s\n", loop->row_count, loop->code_bytes,
                loop->code_lines, loop->code_lines == 1 ? "" : "s",
                loop->code_bytes > L1I_BYTES ? ", more than a 32 KiB L1 instruction cache" : "");
}

static void add_shares_line(const struct page *page, const char *title, const double *shares, size_t count,
                            const char *(*name)(unsigned))
{
    bool any = false;
    bool printed[64] = {0};
    text_printf(page->out, "  %-16s", title);
    for (size_t turn = 0; turn < count && turn < array_count(printed); turn++) {
        size_t best = count;
        for (size_t at = 0; at < count; at++)
            if (!printed[at] && shares[at] >= share_worth_saying && (best == count || shares[at] > shares[best]))
                best = at;
        if (best == count)
            break;
        printed[best] = true;
        text_printf(page->out, "%s%s %.1f%%", any ? ", " : "", name((unsigned)best), 100 * shares[best]);
        any = true;
    }
    text_add(page->out, any ? "\n" : "no samples\n");
}

static const char *class_name(unsigned class)
{
    return instruction_class_name(class);
}

static const char *width_name(unsigned width)
{
    return width == VECTOR_WIDTH_NONE ? "no vector" : vector_width_name(width);
}

static void add_bytes(struct text *out, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < array_count(units)) {
        bytes /= 1024;
        unit++;
    }
    text_printf(out, bytes < 10 && unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

static void add_size(struct text *out, const char *grain, const struct interval *size, double least)
{
    text_printf(out, "%s ", grain);
    if (size->known) {
        add_bytes(out, size->mid);
        text_add(out, " (");
        add_bytes(out, size->low);
        text_add(out, " to ");
        add_bytes(out, size->high);
        text_add(out, ")");
    } else {
        text_add(out, "at least ");
        add_bytes(out, least);
    }
}

static void add_data_summary(const struct page *page, const struct data_summary *summary)
{
    struct text *out = page->out;
    if (summary->row == ROW_NONE)
        text_add(out, "    all");
    else
        text_printf(out, "    %" PRIx64, page->in->rows[summary->row].instruction.addr);
    text_printf(out, ": %zu addresses, %s", summary->address_count, data_pattern_name(summary->pattern));
    if (summary->stride_from_code)
        text_printf(out, " (the loop steps by %" PRIu64 " bytes)", summary->stride_bytes);
    else if (summary->stride_bytes)
        text_printf(out, " (%.0f%% of the steps are multiples of %" PRIu64 " bytes)", 100 * summary->stride_share,
                    summary->stride_bytes);
    text_add(out, "; touched: ");
    add_size(out, "lines", &summary->line_bytes, summary->line_bytes_least);
    text_add(out, ", ");
    add_size(out, "pages", &summary->page_bytes, summary->page_bytes_least);
    if (summary->pattern == PATTERN_SEQUENTIAL)
        text_add(out, "; a sweep: its size is underestimated");
    if (summary->next_address_count)
        text_printf(out, "; %zu are the next address of a chase", summary->next_address_count);
    text_add_char(out, '\n');
}

/* For which samples no address is known, and why; most first. */
static void add_refusals(const struct page *page)
{
    const struct data_addresses *data = page->annotation->addresses;
    bool printed[REFUSED_REASON_COUNT] = {0}, any = false;
    for (int turn = 0; turn < REFUSED_REASON_COUNT; turn++) {
        int most = -1;
        for (int at = 0; at < REFUSED_REASON_COUNT; at++)
            if (!printed[at] && data->refused[at] && (most < 0 || data->refused[at] > data->refused[most]))
                most = at;
        if (most < 0)
            break;
        printed[most] = true;
        text_printf(page->out, "%s %s %.1f%%", any ? "," : "    not known:", data_refusal_name((enum data_refusal)most),
                    100 * (double)data->refused[most] / (double)data->sample_count);
        any = true;
    }
    if (any)
        text_add(page->out, " of the samples\n");
}

static void add_data(const struct page *page)
{
    const struct data_addresses *data = page->annotation->addresses;
    struct text *out = page->out;
    double share = data->sample_count ? 100 * (double)data->count / (double)data->sample_count : 0;
    text_printf(out, "  %-16s", "data addresses");
    if (!data->count)
        text_add(out, "none known\n");
    else
        text_printf(out, "%s, for %.1f%% of the samples\n",
                    data->from_hardware ? "recorded by the hardware" : "computed from sampled registers", share);
    if (data->count && !data->all.known)
        text_printf(out, "    %zu addresses: %s, nothing is said\n", data->count, data->all.reason);
    if (data->all.known) {
        for (size_t at = 0; at < data->row_count && at < 4; at++)
            add_data_summary(page, &data->rows[at]);
        if (data->row_count != 1)
            add_data_summary(page, &data->all);
        text_add(out, "    in:");
        for (size_t at = 0; at < data->mapping_count && at < 4; at++)
            text_printf(out, "%s %s %.1f%%", at ? "," : "", data->mappings[at].name,
                        100 * data->mappings[at].share.mid);
        text_add(out, data->code_mappings_only ? "; only code was recorded: plumb record -d adds the mappings of data\n"
                                               : "\n");
    }
    add_refusals(page);
}

static void add_attribution(const struct page *page)
{
    const struct instructions *in = page->in;
    if (page->shows_stalled) {
        text_printf(
            page->out,
            "  %s: where samples fell. Stalled: the instruction that ran before, which held them up: samples land one\n"
            "  instruction late (%s).",
            in->event_count > 1 ? in->events[0].name : number_names[page->annotation->number],
            page->annotation->attribution_source);
        if (in->stalled_elsewhere[0] > 0)
            text_printf(page->out, " %.1f%% belong to code outside this function or to indirect jumps.",
                        100 * in->stalled_elsewhere[0] / in->events[0].weight);
        text_add_char(page->out, '\n');
    } else if (page->annotation->attribution != ATTRIBUTION_EXACT) {
        text_printf(
            page->out,
            "  Attribution is as recorded (%s): what stalled is at or before the instruction with the samples.\n",
            page->annotation->attribution_source);
    }
    if (in->events[0].outside)
        text_printf(page->out,
                    "  %" PRIu64 " samples fell between instructions: the code is not what ran, or changed.\n",
                    in->events[0].outside);
}

static void add_summary(const struct page *page)
{
    const struct instructions *in = page->in;
    text_add_char(page->out, '\n');
    if (!in->event_count)
        return;
    add_attribution(page);
    if (in->hottest_loop != LOOP_NONE)
        add_loop_line(page, &in->loops[in->hottest_loop], "hottest loop");
    else
        text_printf(page->out, "  %-16snone of the samples is in a loop of this function\n", "hottest loop");
    if (in->has_indirect_jumps)
        text_printf(page->out, "  %-16sloops through indirect jumps (switches) are not seen\n", "");
    add_shares_line(page, page->shows_stalled ? "stalled on" : "sampled on", in->class_share, INSTRUCTION_CLASS_COUNT,
                    class_name);
    add_shares_line(page, "vector width", in->width_share, VECTOR_WIDTH_COUNT, width_name);
    if (page->annotation->addresses)
        add_data(page);
    if (in->line_complaint)
        text_printf(page->out, "  %-16snone: %s\n", "source lines", in->line_complaint);
    if (in->text_complaint)
        text_printf(page->out, "  %-16s%s\n", "instructions", in->text_complaint);
}

void annotation_text(struct text *out, const struct annotation *annotation)
{
    const struct instructions *in = annotation->instructions;
    struct page page = {.out = out, .annotation = annotation, .in = in,
                        .shows_stalled = in->event_count && in->events[0].is_shifted,
                        .raw_columns = annotation->raw ? raw_columns(in) : 0,
                        .hottest = instructions_hottest_row(in, 0, true)};
    for (size_t at = 0; at < in->loop_count; at++)
        if (in->loops[at].depth > page.loop_columns)
            page.loop_columns = in->loops[at].depth < LOOPS_DRAWN ? in->loops[at].depth : LOOPS_DRAWN;
    uint64_t last = in->row_count ? in->rows[in->row_count - 1].instruction.addr : 0;
    for (page.address_columns = 1; last >>= 4;)
        page.address_columns++;
    if (!annotation->quiet)
        add_header(&page);
    for (uint32_t row = 0; row < in->row_count; row++)
        add_row(&page, row);
    if (!annotation->quiet)
        add_summary(&page);
}
