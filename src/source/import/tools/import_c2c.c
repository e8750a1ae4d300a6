/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_c2c.h"

#include "base/scope.h"
#include "base/vec.h"

enum { FUNCTIONS_MOST = 32 };

struct shared_function {
    struct view name, object;
    double hitm;
};

/* Of the first line: what was read and written there at one offset. */
struct shared_offset {
    struct view offset;
    struct view name, place; /* of the function with most of it, "stats.c:88" (length 0: not told) */
    double most;             /* what that one has */
    bool of_several;         /* functions */
    struct view writer;      /* a function; length 0: none was seen, or several */
    bool writers_differ;
    double hitm, stores; /* 0..1 of the line's */
    double cpus;         /* 0: not told */
};

enum { OFFSETS_MOST = 32, STORES_MOST = 3 };

struct pareto {
    struct shared_function functions[FUNCTIONS_MOST];
    size_t count;
    struct shared_offset offsets[OFFSETS_MOST];
    size_t offset_count, lines;
    struct view first; /* line */
    double first_hitm;
    double first_stores[STORES_MOST];
    double stores[STORES_MOST]; /* of the line whose code is read: that hit, missed, and what isn't known */
    double remote, local;       /* of the same */
    double all;                 /* of all lines */
    bool of_hitm;               /* the heading says so */
};

static bool is_same(struct view one, struct view other)
{
    return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
}

static bool count_read(struct view word, double *ret_count)
{
    uint64_t count;
    if (!view_u64(word, 10, &count))
        return false;
    *ret_count = (double)count;
    return true;
}

static bool share_read(struct view word, double *ret_ratio)
{
    double percent;
    if (!view_ends(word, "%") || !view_decimal((struct view){word.text, word.length - 1}, &percent) ||
        !(percent >= 0 && percent <= 100))
        return false;
    *ret_ratio = percent / 100;
    return true;
}

/* Blank lines, remarks and rules stand in these tables. */
static bool is_between(struct view line)
{
    line = view_trim(line);
    for (size_t at = 0; !view_starts(line, "#") && at < line.length; at++)
        if (line.text[at] != '-' && line.text[at] != '=' && line.text[at] != ' ')
            return false;
    return true;
}

/* ---- the lines ---- */

struct shared_line {
    struct view address;
    double share, hitm, loads; /* loads: -1: its table has none of them */
};

/* "Hitm    Total  LclHitm  RmtHitm  records    Loads": where all loads of a line stand. */
static bool has_loads(struct view heading)
{
    static const char *const names[] = {"Hitm", "Total", "LclHitm", "RmtHitm", "records", "Loads"};
    struct view word;
    size_t at = 0;
    while (at < array_count(names) && (word = view_word(&heading)).length)
        at = view_equal(word, names[at]) ? at + 1 : view_equal(word, names[0]) ? 1 : 0;
    return at == array_count(names);
}

/* "0  0x7f2c40018a80  0  171204  92.11%  297174  166903  130271 …": its share of all HITM, and how many these are. */
static bool line_read(struct view line, bool with_loads, struct shared_line *ret_line)
{
    double index, share, hitm, other, loads;
    struct view address, word;
    if (!count_read(view_word(&line), &index) || !view_starts(address = view_word(&line), "0x"))
        return false;
    while ((word = view_word(&line)).length && !view_ends(word, "%"))
        continue;
    if (!share_read(word, &share) || !count_read(view_word(&line), &hitm))
        return false;
    bool counted = with_loads && count_read(view_word(&line), &other) && count_read(view_word(&line), &other) &&
                   count_read(view_word(&line), &other) && count_read(view_word(&line), &loads);
    *ret_line = (struct shared_line){address, share, hitm, counted ? loads : -1};
    return true;
}

/* Those that somebody, or perf itself, left out. */
static void others_put(struct text *out, double hitm, double share)
{
    static const double ROUNDED = 0.005;
    if (share > 0 && share < 1 - ROUNDED)
        text_printf(out, "@hitm_of_line[others]: %.0f\n", hitm / share - hitm);
}

/* Of all lines together how many loads hit a changed copy: what perf's summary says, where that was left out. */
static void loads_put(struct text *out, double hitm, double loads)
{
    if (loads >= hitm && hitm > 0)
        text_printf(out, "\nLoads of shared lines : %.0f\nHITM of shared lines : %.0f\n", loads, hitm);
}

static bool lines_put(struct text *out, struct view *rest)
{
    struct view line;
    struct shared_line one;
    bool of_hitm = false, any = false, with_loads = false;
    double hitm = 0, share = 0, loads = 0;
    for (struct view after = *rest; view_line(&after, &line);) {
        of_hitm |= view_find(line, "Hitm") >= 0;
        with_loads |= has_loads(line);
        if (is_between(line)) /* behind the last row it isn't taken away */
            continue;
        if (!of_hitm || !line_read(line, with_loads, &one))
            break;
        text_printf(out, "%s@hitm_of_line[line %.*s]: %.15g\n", any ? "" : "\n", (int)one.address.length,
                    one.address.text, one.hitm);
        hitm += one.hitm;
        share += one.share;
        loads = one.loads < 0 || loads < 0 ? -1 : loads + one.loads;
        any = true;
        *rest = after;
    }
    others_put(out, hitm, share);
    loads_put(out, hitm, any ? loads : -1);
    return any;
}

/* ---- the code ---- */

/* "0      271      219        0        0            0x602180": a line, its remote HITM and its local ones. */
static bool pareto_line_read(struct pareto *pareto, struct view line)
{
    double index, remote, local, other;
    struct view word;
    if (!count_read(view_word(&line), &index) || !count_read(view_word(&line), &remote) ||
        !count_read(view_word(&line), &local))
        return false;
    size_t kinds = 0;
    double stores[STORES_MOST] = {0};
    for (; count_read(word = view_word(&line), &other); kinds++)
        stores[kinds < STORES_MOST ? kinds : STORES_MOST - 1] = other;
    if (!view_starts(word, "0x") || view_word(&line).length)
        return false;
    memcpy(pareto->stores, stores, sizeof(stores));
    if (!pareto->lines)
        memcpy(pareto->first_stores, stores, sizeof(stores));
    pareto->first = pareto->lines ? pareto->first : word;
    pareto->first_hitm = pareto->lines ? pareto->first_hitm : remote + local;
    pareto->lines++;
    pareto->remote = remote;
    pareto->local = local;
    pareto->all += remote + local;
    return true;
}

static void function_add(struct pareto *pareto, struct view name, struct view object, double hitm)
{
    size_t at = 0;
    while (at < pareto->count && !is_same(pareto->functions[at].name, name))
        at++;
    if (at == FUNCTIONS_MOST)
        return;
    if (at == pareto->count)
        pareto->functions[pareto->count++] = (struct shared_function){.name = name, .object = object};
    pareto->functions[at].hitm += hitm;
}

/* "24.9%  25.1%  0x8  0  1  0x4012a6  …  1": behind the shares of HITM those of stores, an offset, at last its CPUs. */
static void offset_add(struct pareto *pareto, struct view line, double hitm, struct view name, struct view place)
{
    double all = 0, stored = 0, share = 0, cpus = 0, count;
    struct view word;
    for (size_t kind = 0; share_read(word = view_word(&line), &share); kind++)
        stored += kind < STORES_MOST ? share * pareto->stores[kind] : 0;
    for (size_t kind = 0; kind < STORES_MOST; kind++)
        all += pareto->stores[kind];
    struct view offset = word;
    while ((word = view_word(&line)).length)
        cpus = count_read(word, &count) ? count : 0;
    size_t at = 0;
    while (at < pareto->offset_count && !is_same(pareto->offsets[at].offset, offset))
        at++;
    if (pareto->lines != 1 || !view_starts(offset, "0x") || at == OFFSETS_MOST)
        return;
    if (at == pareto->offset_count)
        pareto->offsets[pareto->offset_count++] = (struct shared_offset){.offset = offset};
    struct shared_offset *one = &pareto->offsets[at];
    double own = (pareto->first_hitm > 0 ? hitm / pareto->first_hitm : 0) + (all > 0 ? stored / all : 0);
    one->of_several |= one->name.length && !is_same(one->name, name);
    if (own > one->most || !one->name.length) {
        one->most = own;
        one->name = name;
        one->place = place;
    }
    if (stored > 0) {
        one->writers_differ |= one->writer.length && !is_same(one->writer, name);
        one->writer = name;
    }
    one->hitm += pareto->first_hitm > 0 ? hitm / pareto->first_hitm : 0;
    one->stores += all > 0 ? stored / all : 0;
    one->cpus += cpus;
}

/* "0.00%  45.66%  0.00%  0.00%  0x0  0  1  0x400b84  …  [.] add_sample  srv  srv.c:144  0": of this line's. */
static bool pareto_code_read(struct pareto *pareto, struct view line)
{
    double remote, local;
    ptrdiff_t mark = view_find(line, "[.] ");
    mark = mark >= 0 ? mark : view_find(line, "[k] ");
    struct view before = mark >= 0 ? (struct view){line.text, (size_t)mark} : line;
    struct view behind = mark >= 0 ? view_trim(view_skip(line, (size_t)mark + 4)) : (struct view){0};
    if (!behind.length || !share_read(view_word(&before), &remote) || !share_read(view_word(&before), &local))
        return false;
    double hitm = remote * pareto->remote + local * pareto->local;
    ptrdiff_t end = view_find(behind, "  ");
    struct view name = end < 0 ? behind : (struct view){behind.text, (size_t)end};
    behind = view_skip(behind, name.length);
    struct view object = view_word(&behind), place = view_word(&behind), number = place;
    uint64_t source_line;
    bool is_place = view_cut(&number, ':').length && view_u64(number, 10, &source_line);
    offset_add(pareto, before, hitm, name, is_place ? place : (struct view){0});
    function_add(pareto, name, object, hitm);
    return true;
}

/* " in tx_worker at stats.c:121"; nothing where several functions use it. */
static void function_put(struct text *out, const struct shared_offset *one)
{
    if (one->of_several || !one->name.length)
        return;
    text_printf(out, " in %.*s", (int)one->name.length, one->name.text);
    if (one->place.length)
        text_printf(out, " at %.*s", (int)one->place.length, one->place.text);
}

/* At which offsets of the first line loads hit changed copies. */
static void offsets_put(struct text *out, const struct pareto *pareto)
{
    for (size_t at = 0; at < pareto->offset_count; at++) {
        const struct shared_offset *one = &pareto->offsets[at];
        text_printf(out, "%s@hitm_at_offset[offset %.*s of line %.*s by %.0f CPUs", at ? "" : "\n",
                    (int)one->offset.length, one->offset.text, (int)pareto->first.length, pareto->first.text,
                    one->cpus);
        function_put(out, one);
        text_printf(out, "]: %.0f\n", pareto->first_hitm * one->hitm);
    }
}

/* At which of them it was written: a table of its own, behind another one. */
static void stores_put(struct text *out, const struct pareto *pareto)
{
    double stores = 0;
    for (size_t kind = 0; kind < STORES_MOST; kind++)
        stores += pareto->first_stores[kind];
    for (size_t at = 0; stores > 0 && at < pareto->offset_count; at++) {
        const struct shared_offset *one = &pareto->offsets[at];
        text_printf(out, "@stores_at_offset[stores at offset %.*s of line %.*s", (int)one->offset.length,
                    one->offset.text, (int)pareto->first.length, pareto->first.text);
        if (one->writer.length && !one->writers_differ)
            text_printf(out, " in %.*s", (int)one->writer.length, one->writer.text);
        text_printf(out, "]: %.0f\n", stores * one->stores);
    }
    text_add_char(out, '\n');
}

static bool pareto_put(struct text *out, struct view *rest)
{
    struct pareto pareto = {.count = 0};
    struct view line;
    struct view begin = *rest;
    for (struct view after = *rest; view_line(&after, &line);) {
        pareto.of_hitm |= view_find(line, "RmtHitm") >= 0;
        if (is_between(line))
            continue;
        if (!pareto.of_hitm || !(pareto_line_read(&pareto, line) || pareto_code_read(&pareto, line)))
            break;
        *rest = after;
    }
    bool any = pareto.count && pareto.all > 0;
    *rest = any ? *rest : begin;
    if (!any)
        return false;
    offsets_put(out, &pareto);
    text_add(out, "\n# Samples of event 'HITM'\n");
    for (size_t at = 0; at < pareto.count; at++) {
        const struct shared_function *one = &pareto.functions[at];
        double percent = 100 * one->hitm / pareto.all;
        if (percent > 0 && percent < 100.5) /* each is rounded */
            text_printf(out, "%.4g%%  %.*s  [.] %.*s\n", percent < 100 ? percent : 100, (int)one->object.length,
                        one->object.text, (int)one->name.length, one->name.text);
    }
    text_add_char(out, '\n');
    stores_put(out, &pareto);
    return true;
}

struct view import_c2c_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
        if (view_find(line, "Shared Data Cache Line Table") >= 0)
            turned |= lines_put(&out, &rest);
        else if (view_find(line, "Shared Cache Line Distribution Pareto") >= 0)
            turned |= pareto_put(&out, &rest);
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
