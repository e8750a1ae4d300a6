/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_class.h"

#include "base/vec.h"
#include "source/import/import_text.h"

#include <ctype.h>
#include <math.h>

static const char *const tops[CLASS_TOPS] = {"Frontend_Bound", "Backend_Bound", "Bad_Speculation", "Retiring"};

static const struct {
    const char *said, *published;
} in_words[] = {{"Frontend Bound", "tma_frontend_bound"},
                {"Front-End Bound", "tma_frontend_bound"},
                {"Front End Bound", "tma_frontend_bound"},
                {"Backend Bound", "tma_backend_bound"},
                {"Back-End Bound", "tma_backend_bound"},
                {"Back End Bound", "tma_backend_bound"},
                {"Bad Speculation", "tma_bad_speculation"},
                {"Memory Bound", "tma_memory_bound"},
                {"Core Bound", "tma_core_bound"}};

static void lower_add(struct text *out, struct view text)
{
    for (size_t at = 0; at < text.length; at++)
        text_add_char(out, (char)tolower((unsigned char)text.text[at]));
}

/* "tma_dram_bound (%)", "tma_dram_bound [ratio]" without what stands in brackets. */
static struct view without_unit(struct view cell, enum share_unit *ret_unit)
{
    *ret_unit = SHARE_UNSAID;
    if (!view_ends(cell, ")") && !view_ends(cell, "]"))
        return cell;
    ptrdiff_t open = view_find(cell, "(") > 0 ? view_find(cell, "(") : view_find(cell, "[");
    if (open <= 0)
        return cell;
    *ret_unit = share_unit_of(view_skip(cell, (size_t)open + 1));
    return *ret_unit ? view_trim((struct view){cell.text, (size_t)open}) : cell;
}

/* AMD's, by the paths that uProf prints. */
static const struct {
    const char *printed, *published;
} of_amd[] = {{"Frontend_Bound.Latency", "frontend_bound_latency"},
              {"Frontend_Bound.BW", "frontend_bound_bandwidth"},
              {"Bad_Speculation.Mispredicts", "bad_speculation_mispredicts"},
              {"Bad_Speculation.Pipeline_Restarts", "bad_speculation_pipeline_restarts"},
              {"Backend_Bound.Memory", "backend_bound_memory"},
              {"Backend_Bound.CPU", "backend_bound_cpu"},
              {"Retiring.Fastpath", "retiring_fastpath"},
              {"Retiring.Microcode", "retiring_microcode"}};

/* "Backend_Bound.Memory_Bound", perhaps behind toplev's abbreviation: "BE/Mem Backend_Bound.Memory_Bound". */
static bool path_named(struct view cell, struct text *ret_name)
{
    struct view behind = cell, abbreviation = view_word(&behind);
    behind = view_trim(behind);
    cell = behind.length && abbreviation.length <= strlen("BE/Mem") ? behind : cell;
    for (size_t at = 0; at < CLASS_TOPS; at++) {
        if (!view_starts(cell, tops[at]) || view_find(cell, " ") >= 0 ||
            (cell.length > strlen(tops[at]) && cell.text[strlen(tops[at])] != '.'))
            continue;
        struct view last = cell;
        for (struct view rest = cell; rest.length;)
            last = view_cut(&rest, '.');
        text_add(ret_name, "tma_");
        lower_add(ret_name, last);
        return last.length > 0;
    }
    return false;
}

bool import_class_named(struct view cell, struct text *ret_name, enum share_unit *ret_unit)
{
    cell = without_unit(cell, ret_unit);
    text_clear(ret_name);
    for (size_t at = 0; at < array_count(in_words); at++)
        if (view_equal_caseless(cell, in_words[at].said)) {
            text_add(ret_name, in_words[at].published);
            return true;
        }
    for (size_t at = 0; at < array_count(of_amd); at++)
        if (view_equal(cell, of_amd[at].printed)) {
            text_add(ret_name, of_amd[at].published);
            return true;
        }
    if (path_named(cell, ret_name))
        return true;
    text_clear(ret_name);
    bool capitals = view_starts(cell, "TMA_");
    if (view_starts(cell, "TMA_."))
        for (text_add(ret_name, "tma_"), cell = view_skip(cell, strlen("TMA_")); view_starts(cell, ".");)
            cell = view_skip(cell, 1); /* PerfSpect's points are levels */
    if (capitals)
        lower_add(ret_name, cell);
    else
        text_append(ret_name, cell.text, cell.length);
    return view_find(cell, " ") < 0 && import_text_is_class(text_view(ret_name));
}

bool share_is_of_others(struct view heading)
{
    static const char *const words[] = {"ratio", "change", "delta", "diff", "speedup", "\xce\x94"};
    for (size_t at = 0; at < array_count(words); at++)
        if (view_has_word(heading, words[at]) && view_find(heading, "(") < 0)
            return true;
    return false;
}

enum share_unit share_unit_of(struct view words)
{
    static const char *const percent[] = {"%", "percent", "per cent", "pct"}, *const ratio[] = {"ratio", "fraction"};
    for (size_t at = 0; at < array_count(percent); at++)
        if (view_has_word(words, percent[at]))
            return SHARE_PERCENT;
    for (size_t at = 0; at < array_count(ratio); at++)
        if (view_has_word(words, ratio[at]))
            return SHARE_RATIO;
    return SHARE_UNSAID;
}

bool share_value_of(struct view cell, double *ret_value, enum share_unit *ret_unit)
{
    bool sign = view_ends(cell, "%");
    cell.length -= sign;
    cell = view_trim(cell);
    *ret_unit = sign ? SHARE_PERCENT : SHARE_UNSAID;
    return cell.length && isdigit((unsigned char)cell.text[0]) && view_decimal(cell, ret_value) && isfinite(*ret_value);
}

void share_scale_add(struct share_scale *scale, const char *published, double value, enum share_unit unit)
{
    scale->said[unit] = true;
    scale->most = value > scale->most ? value : scale->most;
    const char *name = strncmp(published, "tma_", 4) == 0 ? published + 4 : published;
    for (size_t at = 0; at < CLASS_TOPS; at++)
        if (strcasecmp(name, tops[at]) == 0) {
            scale->tops[at]++;
            scale->top_sum += value;
        }
}

/* By the sum of the first level, of as many runs as the table has; by a number that no ratio reaches. */
static enum share_unit unit_by_numbers(const struct share_scale *scale)
{
    static const double ROUNDED = 0.04,
                        RATIO_MOST = 1.1; /* a class that is computed from several events may exceed 1 */
    bool whole = scale->tops[0] > 0;
    for (size_t at = 1; at < CLASS_TOPS; at++)
        whole &= scale->tops[at] == scale->tops[0];
    double mean = whole ? scale->top_sum / (double)scale->tops[0] : 0;
    if (whole && fabs(mean - 1) <= ROUNDED)
        return SHARE_RATIO;
    return scale->most > RATIO_MOST ? SHARE_PERCENT : SHARE_UNSAID;
}

bool share_percent_of(const struct share_scale *scale, double value, enum share_unit unit, double *ret_share)
{
    if (unit == SHARE_UNSAID && scale->said[SHARE_PERCENT] != scale->said[SHARE_RATIO])
        unit = scale->said[SHARE_PERCENT] ? SHARE_PERCENT : SHARE_RATIO;
    if (unit == SHARE_UNSAID)
        unit = unit_by_numbers(scale);
    double percent = unit == SHARE_RATIO ? 100 * value : value;
    if (unit == SHARE_UNSAID || !(percent >= 0 && percent <= 100))
        return false;
    *ret_share = percent;
    return true;
}
