/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_c2c.h"

#include "base/scope.h"
#include "base/vec.h"

enum { FUNCTIONS_MOST = 32 };

struct shared_function {
    struct view name, object;
    double hitm;
};

struct pareto {
    struct shared_function functions[FUNCTIONS_MOST];
    size_t count;
    double remote, local; /* of the line whose code is read */
    double all;           /* of all lines */
    bool of_hitm;         /* the heading says so */
};

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
    double share, hitm;
};

/* "0  0x7f2c40018a80  0  171204  92.11%  297174  166903  130271 …": its share of all HITM, and how many these are. */
static bool line_read(struct view line, struct shared_line *ret_line)
{
    double index, share, hitm;
    struct view address, word;
    if (!count_read(view_word(&line), &index) || !view_starts(address = view_word(&line), "0x"))
        return false;
    while ((word = view_word(&line)).length && !view_ends(word, "%"))
        continue;
    if (!share_read(word, &share) || !count_read(view_word(&line), &hitm))
        return false;
    *ret_line = (struct shared_line){address, share, hitm};
    return true;
}

/* Those that somebody, or perf itself, left out. */
static void others_put(struct text *out, double hitm, double share)
{
    static const double ROUNDED = 0.005;
    if (share > 0 && share < 1 - ROUNDED)
        text_printf(out, "@hitm_of_line[others]: %.0f\n", hitm / share - hitm);
}

static bool lines_put(struct text *out, struct view *rest)
{
    struct view line;
    struct shared_line one;
    bool of_hitm = false, any = false;
    double hitm = 0, share = 0;
    for (struct view after = *rest; view_line(&after, &line);) {
        of_hitm |= view_find(line, "Hitm") >= 0;
        if (is_between(line)) /* behind the last row it isn't taken away */
            continue;
        if (!of_hitm || !line_read(line, &one))
            break;
        text_printf(out, "%s@hitm_of_line[line %.*s]: %.15g\n", any ? "" : "\n", (int)one.address.length,
                    one.address.text, one.hitm);
        hitm += one.hitm;
        share += one.share;
        any = true;
        *rest = after;
    }
    others_put(out, hitm, share);
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
    while (count_read(word = view_word(&line), &other))
        continue;
    if (!view_starts(word, "0x") || view_word(&line).length)
        return false;
    pareto->remote = remote;
    pareto->local = local;
    pareto->all += remote + local;
    return true;
}

static void function_add(struct pareto *pareto, struct view name, struct view object, double hitm)
{
    size_t at = 0;
    while (at < pareto->count && !(pareto->functions[at].name.length == name.length &&
                                   memcmp(pareto->functions[at].name.text, name.text, name.length) == 0))
        at++;
    if (at == FUNCTIONS_MOST)
        return;
    if (at == pareto->count)
        pareto->functions[pareto->count++] = (struct shared_function){.name = name, .object = object};
    pareto->functions[at].hitm += hitm;
}

/* "0.00%  45.66%  0.00%  0.00%  0x0  0  1  0x400b84  …  [.] add_sample  srv  srv.c:144  0": of this line's. */
static bool pareto_code_read(struct pareto *pareto, struct view line)
{
    double remote, local;
    ptrdiff_t mark = view_find(line, "[.] ");
    mark = mark >= 0 ? mark : view_find(line, "[k] ");
    struct view behind = mark >= 0 ? view_trim(view_skip(line, (size_t)mark + 4)) : (struct view){0};
    if (!behind.length || !share_read(view_word(&line), &remote) || !share_read(view_word(&line), &local))
        return false;
    ptrdiff_t end = view_find(behind, "  ");
    struct view name = end < 0 ? behind : (struct view){behind.text, (size_t)end};
    behind = view_skip(behind, name.length);
    function_add(pareto, name, view_word(&behind), remote * pareto->remote + local * pareto->local);
    return true;
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
    text_add(out, "\n# Samples of event 'HITM'\n");
    for (size_t at = 0; at < pareto.count; at++) {
        const struct shared_function *one = &pareto.functions[at];
        double percent = 100 * one->hitm / pareto.all;
        if (percent > 0 && percent < 100.5) /* each is rounded */
            text_printf(out, "%.4g%%  %.*s  [.] %.*s\n", percent < 100 ? percent : 100, (int)one->object.length,
                        one->object.text, (int)one->name.length, one->name.text);
    }
    text_add_char(out, '\n');
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
