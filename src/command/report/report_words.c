/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/report/report_words.h"

#include "base/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    TRAIT_WORDS_MOST = 32,
};

struct column_word {
    const char *word;
    enum hotspot_column column;
};

static const struct column_word column_words[] = {
    {"overhead", COLUMN_OVERHEAD}, {"overhead_children", COLUMN_CHILDREN}, {"sample", COLUMN_SAMPLES},
    {"period", COLUMN_PERIOD},     {"comm", COLUMN_COMM},                  {"pid", COLUMN_PID},
    {"tid", COLUMN_TID},           {"dso", COLUMN_DSO},                    {"sym", COLUMN_SYMBOL},
    {"symbol", COLUMN_SYMBOL},     {"srcline", COLUMN_LINE},               {"cpu", COLUMN_CPU},
    {"dso_from", COLUMN_DSO_FROM},        {"dso_to", COLUMN_DSO_TO},
    {"symbol_from", COLUMN_SYMBOL_FROM},  {"symbol_to", COLUMN_SYMBOL_TO},
    {"srcline_from", COLUMN_LINE_FROM},   {"srcline_to", COLUMN_LINE_TO},
    {"mispredict", COLUMN_MISPREDICTED},  {"cycles", COLUMN_BRANCH_CYCLES},
    {"in_tx", COLUMN_IN_TRANSACTION},     {"abort", COLUMN_ABORT},
};

/* Keys of perf's that aren't had, and what serves instead. */
static const struct {
    const char *word, *instead;
} refused_keys[] = {
    {"parent", "--ignore-callees counts what functions call as theirs; -g caller shows who called"},
    {"socket", "-s cpu, or -C with the CPUs of a socket"},
    {"cgroup_id", "-s cgroup names it"},
    {"transaction", "script -F +flags, or -b with in_tx and abort"},
    {"dso_size", "-s dso"},
    {"addr_from", "-s symbol_from,srcline_from; script -F brstack prints addresses"},
    {"addr_to", "-s symbol_to,srcline_to; script -F brstack prints addresses"},
    {"overhead_sys", "-s dso parts the kernel from the rest"},
    {"overhead_us", "-s dso parts the kernel from the rest"},
    {"overhead_guest_sys", "-s dso parts guests from the rest"},
    {"overhead_guest_us", "-s dso parts guests from the rest"},
    {"ipc_null", "-b with cycles"},
    {"ipc_lbr", "-b with cycles"},
};

bool column_listed(const struct column_list *list, enum hotspot_column column)
{
    for (size_t at = 0; at < list->count; at++)
        if (list->items[at] == column)
            return true;
    return false;
}

void column_list_add(struct column_list *list, enum hotspot_column column)
{
    if (!column_listed(list, column) && list->count < HOTSPOT_COLUMNS_MOST)
        list->items[list->count++] = column;
}

/* The words nearest to an unknown one, as a hint. */
static bool unknown_word(struct view word, const char *what, const char *const *known, size_t count, struct error *err)
{
    char text[64], nearest[640] = "";
    snprintf(text, sizeof(text), "%.*s", (int)word.length, word.text);
    for (size_t at = 0; at < array_count(refused_keys); at++)
        if (view_equal(word, refused_keys[at].word)) {
            error_set(err, ERROR_USAGE, "plumb has no %s '%s'", what, text);
            return error_hint(err, "%s", refused_keys[at].instead);
        }
    error_set(err, ERROR_USAGE, "unknown %s '%s'", what, text);
    for (size_t at = 0; at < count; at++) {
        size_t used = strlen(nearest);
        bool near = text_distance(known[at], text) <= 2 || (word.length >= 2 && strstr(known[at], text));
        if (near)
            snprintf(nearest + used, sizeof(nearest) - used, "%s%s", used ? ", " : "", known[at]);
    }
    if (nearest[0])
        return error_hint(err, "did you mean %s?", nearest);
    for (size_t at = 0; at < count; at++) {
        size_t used = strlen(nearest);
        snprintf(nearest + used, sizeof(nearest) - used, "%s%s", used ? ", " : "", known[at]);
    }
    return error_hint(err, "there are: %s", nearest);
}

static size_t known_words(bool keys_only, bool with_traits, const char **known)
{
    size_t count = 0;
    for (size_t at = 0; at < array_count(column_words); at++)
        if (!keys_only || with_traits || column_words[at].column >= COLUMN_COMM)
            known[count++] = column_words[at].word;
    return with_traits ? count + report_traits_words(known + count, TRAIT_WORDS_MOST) : count;
}

bool sort_key_unknown(struct view word, struct error *err)
{
    const char *known[array_count(column_words) + TRAIT_WORDS_MOST];
    return unknown_word(word, "sort key", known, known_words(true, true, known), err);
}

/* Names of fields are the recording's: which there are shows when it has been opened. */
static bool can_be_field(struct view word)
{
    for (size_t at = 0; at < word.length; at++)
        if (!isalnum((unsigned char)word.text[at]) && !strchr("_.:-", word.text[at]))
            return false;
    return word.length > 0;
}

static enum hotspot_column column_of_word(struct view word, bool keys_only, struct report_traits *traits)
{
    for (size_t at = 0; at < array_count(column_words); at++)
        if (view_equal(word, column_words[at].word) && (!keys_only || traits || column_words[at].column >= COLUMN_COMM))
            return column_words[at].column;
    for (size_t at = 0; at < array_count(refused_keys); at++)
        if (view_equal(word, refused_keys[at].word))
            return COLUMN_COUNT;
    return traits ? report_traits_word(traits, word, can_be_field(word)) : COLUMN_COUNT;
}

bool columns_parse(const char *text, const char *what, bool keys_only, struct report_traits *traits,
                   struct column_list *list, struct error *err)
{
    const char *known[array_count(column_words) + TRAIT_WORDS_MOST];
    for (struct view rest = view_of(text); rest.length;) {
        struct view word = view_trim(view_cut(&rest, ','));
        enum hotspot_column column = column_of_word(word, keys_only, traits);
        if (column == COLUMN_COUNT)
            return unknown_word(word, what, known, known_words(keys_only, traits != NULL, known), err);
        column_list_add(list, column);
    }
    return list->count || error_set(err, ERROR_USAGE, "no %s given", what);
}

enum tree_word_kind {
    TREE_WORD_STYLE,
    TREE_WORD_ORDER,
    TREE_WORD_VALUE,
    TREE_WORD_KEY,
};

enum tree_key {
    TREE_BY_FUNCTION,
    TREE_BY_ADDRESS,
    TREE_BY_LINE,
};

static const struct {
    const char *word;
    enum tree_word_kind kind;
    int value;
} tree_words[] = {
    {"none", TREE_WORD_STYLE, TREE_NONE},      {"graph", TREE_WORD_STYLE, TREE_GRAPH},
    {"fractal", TREE_WORD_STYLE, TREE_FRACTAL}, {"flat", TREE_WORD_STYLE, TREE_FLAT},
    {"folded", TREE_WORD_STYLE, TREE_FOLDED},  {"caller", TREE_WORD_ORDER, true},
    {"callee", TREE_WORD_ORDER, false},        {"percent", TREE_WORD_VALUE, TREE_PERCENT},
    {"period", TREE_WORD_VALUE, TREE_PERIOD},  {"count", TREE_WORD_VALUE, TREE_SAMPLES},
    {"function", TREE_WORD_KEY, TREE_BY_FUNCTION}, {"address", TREE_WORD_KEY, TREE_BY_ADDRESS},
    {"srcline", TREE_WORD_KEY, TREE_BY_LINE},
};

/* The first number is the least share, the second the most branches. */
static bool tree_number_parse(double number, struct tree_options *tree, struct error *err)
{
    if (!tree->least_given)
        tree->percent_least = number;
    else if (number >= 0 && number <= UINT32_MAX)
        tree->most = (uint32_t)number;
    else
        return error_set(err, ERROR_USAGE, "so many branches can't be shown: %g", number);
    tree->least_given = true;
    return true;
}

static bool tree_word_parse(struct view word, struct tree_options *tree, struct error *err)
{
    const char *known[array_count(tree_words)];
    double number;
    if (view_double(word, &number))
        return tree_number_parse(number, tree, err);
    if (view_equal(word, "branch")) {
        error_set(err, ERROR_USAGE, "branch records aren't drawn in call graphs");
        return error_hint(err, "-b shows them as rows, script -F brstacksym one by one");
    }
    for (size_t at = 0; at < array_count(tree_words); at++) {
        known[at] = tree_words[at].word;
        if (!view_equal(word, tree_words[at].word))
            continue;
        if (tree_words[at].kind == TREE_WORD_STYLE) {
            tree->style = (enum tree_style)tree_words[at].value;
        } else if (tree_words[at].kind == TREE_WORD_ORDER) {
            tree->callers_first = tree_words[at].value;
        } else if (tree_words[at].kind == TREE_WORD_VALUE) {
            tree->value = (enum tree_value)tree_words[at].value;
        } else {
            tree->addresses = tree_words[at].value == TREE_BY_ADDRESS;
            tree->lines = tree_words[at].value != TREE_BY_FUNCTION;
        }
        return true;
    }
    return unknown_word(word, "call-graph word", known, array_count(tree_words), err);
}

bool tree_options_parse(const char *text, struct tree_options *tree, struct error *err)
{
    for (struct view rest = view_of(text); rest.length;)
        if (!tree_word_parse(view_trim(view_cut(&rest, ',')), tree, err))
            return false;
    return true;
}

bool column_widths_parse(const char *text, uint32_t ret_widths[HOTSPOT_COLUMNS_MOST], struct error *err)
{
    enum { WIDTH_MOST = 4096 };
    size_t count = 0;
    for (struct view rest = view_of(text); rest.length;) {
        struct view word = view_trim(view_cut(&rest, ','));
        uint64_t width;
        if (!view_u64(word, 10, &width) || width > WIDTH_MOST || count == HOTSPOT_COLUMNS_MOST)
            return error_set(err, ERROR_USAGE, "--column-widths expects numbers up to %d with commas, not '%s'",
                             WIDTH_MOST, text);
        ret_widths[count++] = (uint32_t)width;
    }
    return true;
}

bool time_slice_parse(const char *text, uint64_t *ret_slice_ns, struct error *err)
{
    const double least_s = 1e-9, most_s = 1e9;
    double seconds;
    if (!view_duration(view_of(text), &seconds) || seconds < least_s || seconds > most_s)
        return error_set(err, ERROR_USAGE, "--time-quantum expects a time from 1ns on, such as 10ms, not '%s'", text);
    *ret_slice_ns = (uint64_t)(seconds * 1e9 + 0.5);
    return true;
}
