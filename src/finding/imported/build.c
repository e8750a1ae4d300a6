/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is an unoptimised build being timed? By the command that built it, functions of a profile that any optimiser puts
 * into their callers, and hot lines that load variables from the stack.
 *
 * A command that names no -O and either of the others are enough. Nothing here rules it out: what wasn't imported may
 * say so. What optimising returns isn't told; that of these functions hardly anything stays is the least of it.
 */
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <string.h>

/* What they do is a load, an addition, or nothing: no optimised program has them as functions of their own. */
static const struct {
    const char *begins;
    bool any; /* else by the method alone */
} classes[] = {{"std::", false},
               {"Eigen::", false},
               {"__gnu_cxx::__normal_iterator<", true},
               {"std::move<", true},
               {"std::forward<", true},
               {"std::__addressof<", true},
               {"std::addressof<", true},
               {"std::get<", true},
               {"std::__niter_base<", true},
               {"core::iter::range::", true},
               {"core::slice::index::", true},
               {"core::ptr::mut_ptr::", true},
               {"core::ptr::const_ptr::", true},
               {"<core::ops::range::Range", true},
               {"core::num::", true}};

static const char *const methods[] = {"operator[]", "operator*", "operator->", "begin", "end",   "cbegin",
                                      "cend",       "size",      "data",       "empty", "front", "back",
                                      "coeff",      "coeffRef",  "derived",    "rows",  "cols",  "outerStride"};

/* "operator[]" of "std::vector<float, std::allocator<float> >::operator[](unsigned long)" */
static struct view method_of(const char *name)
{
    static const char word[] = "operator";
    const char *method = name;
    int depth = 0;
    for (const char *at = name; *at && !(depth == 0 && *at == '('); at++) {
        if (depth == 0 && strncmp(at, word, sizeof(word) - 1) == 0)
            return (struct view){at, sizeof(word) - 1 + strcspn(at + sizeof(word) - 1, "(<")};
        depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
        if (depth == 0 && at[0] == ':' && at[1] == ':')
            method = at + 2;
    }
    return (struct view){method, strcspn(method, "(<")};
}

/*
 * "std::vector<float>::size (inlined)" is a part of its caller, and what stands in the library itself no header's: none
 * of these.
 */
static bool is_wrapper(const struct imported_row *row)
{
    const char *name = row->name;
    bool is_named = false, is_of_library = strstr(row->where, "libstdc++") || strstr(row->where, "libc++");
    for (size_t at = 0; at < array_count(classes) && !is_of_library && !strstr(name, "(inlined)"); at++) {
        if (strncmp(name, classes[at].begins, strlen(classes[at].begins)) != 0)
            continue;
        struct view method = method_of(name);
        is_named |= classes[at].any;
        for (size_t one = 0; one < array_count(methods); one++)
            is_named |= view_equal(method, methods[one]);
    }
    return is_named;
}

/* "g++ -g a.cpp -o app": what it makes is another program than that whose functions these are. */
static bool makes_another(const char *command, const char *binary)
{
    static const char option[] = " -o ";
    const char *name = strstr(command, option);
    if (!name || !binary[0] || binary[0] == '[')
        return false;
    name += sizeof(option) - 1;
    size_t length = strcspn(name, " ");
    for (size_t at = length; at-- > 0;)
        if (name[at] == '/') {
            name += at + 1;
            length -= at + 1;
            break;
        }
    bool is_part = length > 2 && strncmp(name + length - 2, ".o", 2) == 0; /* of whichever is linked of it */
    return !is_part && (strlen(binary) != length || strncmp(name, binary, length) != 0);
}

struct wrappers {
    double share; /* 0..1 of the samples */
    const struct imported_row *first;
    const char *file;
};

static struct wrappers wrappers_of(const struct imported *imported)
{
    struct wrappers most = {.share = 0};
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        struct wrappers here = {.file = table->file};
        for (size_t row = 0; row < table->count && table->kind == IMPORTED_REPORT; row++) {
            if (!is_wrapper(&table->rows[row]))
                continue;
            here.share += table->rows[row].number / 100;
            here.first = here.first && here.first->number >= table->rows[row].number ? here.first : &table->rows[row];
        }
        most = here.share > most.share && here.share <= 1 ? here : most;
    }
    return most;
}

/* The hottest line that reaches for a variable of the stack frame; NULL: none does. */
static const struct imported_row *reload_of(const struct imported *imported, const char **ret_file)
{
    const struct imported_row *hottest = NULL;
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        for (size_t row = 0; row < table->count && table->kind == IMPORTED_ANNOTATE; row++) {
            bool is_hotter = !hottest || table->rows[row].number > hottest->number;
            if (!strstr(table->rows[row].name, "(%rbp)") || !is_hotter)
                continue;
            hottest = &table->rows[row];
            *ret_file = table->file;
        }
    }
    return hottest;
}

static void wrappers_say(struct finding *finding, const struct wrappers *wrappers)
{
    finding_evidence(finding, finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT,
                     "imported-wrappers", VALUE_TEXT("function", wrappers->first->name),
                     VALUE_SHARE("share", interval_exactly(wrappers->share)), VALUE_TEXT("file", wrappers->file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
}

static void reload_say(struct finding *finding, const struct imported_row *line, const char *file)
{
    struct value values[] = {VALUE_TEXT("line", line->name), VALUE_SHARE("share", interval_exactly(line->number / 100)),
                             VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT,
                         "imported-reload", values, array_count(values));
    if (finding->verdict != VERDICT_SUPPORTED)
        finding_set_add(finding, &finding->reason, "imported-reload", values, array_count(values));
}

/* The command says so, and what was sampled goes with it. */
static void build_say(struct finding *finding, const char *command, const char *file, const struct wrappers *wrappers)
{
    struct value values[] = {
        VALUE_TEXT("title", finding->hypothesis->title), VALUE_TEXT("command", command),
        VALUE_TEXT("beside",
                   wrappers->first
                       ? arena_printf(finding->arena,
                                      ", and functions that any optimiser puts into their callers hold %.3g %% of the "
                                      "samples at least, %s first",
                                      100 * wrappers->share, name_for_sentence(wrappers->first->name, finding->arena))
                       : ", and its hot code loads variables from the stack"),
        VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    bool is_supported = finding->verdict == VERDICT_SUPPORTED;
    finding_evidence_add(finding, is_supported ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-built",
                         values, array_count(values));
    finding_set_add(finding, is_supported ? &finding->headline : &finding->reason,
                    is_supported ? "imported-built-headline" : "imported-built-open", values, array_count(values));
    finding_advise(finding, "imported-advice-built", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

bool imported_build_test(const struct results *results, struct finding *finding)
{
    const char *file = NULL, *listing = NULL;
    const struct imported_row *plain = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_BUILT_PLAIN, &file),
                              *reload = reload_of(results->imported, &listing);
    struct wrappers wrappers = wrappers_of(results->imported);
    bool has_wrappers = wrappers.share >= results->effect,
         has_reload = reload && reload->number / 100 >= results->effect;
    if (imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_BUILT_OPTIMISED, NULL))
        plain = NULL; /* which of both was timed isn't told */
    if (plain && has_wrappers && makes_another(plain->where, wrappers.first->where))
        plain = NULL;
    if (!plain && !has_reload)
        return false;
    wrappers.first = has_wrappers ? wrappers.first : NULL;
    finding->verdict = plain && (has_wrappers || has_reload) ? VERDICT_SUPPORTED : VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->gain_unmeasured = true;
    finding->is_estimate = false;
    finding->is_own_doing = finding->verdict == VERDICT_SUPPORTED;
    finding->of = OF_CPU_TIME;
    finding->imported_kinds |= plain ? 1u << ORIGIN_CODE : 0;
    finding->imported_kinds |= has_wrappers ? 1u << ORIGIN_SAMPLES : 0;
    if (plain)
        build_say(finding, plain->where, file, &wrappers);
    if (has_wrappers)
        wrappers_say(finding, &wrappers);
    if (has_reload)
        reload_say(finding, reload, listing);
    return true;
}
