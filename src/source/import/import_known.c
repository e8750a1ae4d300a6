/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_known.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_class.h"

#include <ctype.h>

enum { WORDS_MOST = 64 };

/* perf's own names, and how those of processors begin. Words of plain English aren't among them. */
static const char *const events[] = {"branch-misses", "cache-misses",     "cache-references", "ref-cycles",
                                     "bus-cycles",    "page-faults",      "minor-faults",     "major-faults",
                                     "task-clock",    "context-switches", "cpu-migrations",   "cpu-clock"};
/* Which grow since the machine started, or a group of it. */
static const char *const kept_by_kernel[] = {
    "nr_throttled", "throttled_usec", "nr_periods",          "pgmajfault",
    "pswpin",       "pswpout",        "core_throttle_count", "package_throttle_count"};
static const char *const beginnings[] = {"LLC-",
                                         "L1-dcache-",
                                         "L1-icache-",
                                         "dTLB-",
                                         "iTLB-",
                                         "stalled-cycles-",
                                         "topdown-",
                                         "mem_load_",
                                         "mem_inst_",
                                         "cpu_clk_",
                                         "cycle_activity.",
                                         "l1d",
                                         "l2_rqsts.",
                                         "offcore_",
                                         "br_inst_",
                                         "br_misp_",
                                         "dtlb_",
                                         "itlb_",
                                         "idq",
                                         "uops_",
                                         "resource_stalls.",
                                         "machine_clears.",
                                         "ld_blocks",
                                         "exe_activity.",
                                         "arith.",
                                         "core_power.",
                                         "assists.",
                                         "fp_arith_",
                                         "inst_retired.",
                                         "topdown.",
                                         "frontend_retired.",
                                         "ls_",
                                         "ex_ret_"};
/* These are words, too: of a line of few words alone. */
static const char *const words_too[] = {"cycles", "instructions", "branches", "slots", "cpu-cycles"};

/* Without marks of prose and Markdown, and what perf puts behind a name for its mode. */
static struct view name_bare(struct view word)
{
    while (word.length > 1 && strchr("`*(\"'[|", word.text[0]) && word.text[0])
        word = view_skip(word, 1);
    while (word.length > 1 && strchr("`*)\"':,;].=|", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    return word;
}

static bool is_same(struct view word, const char *name)
{
    size_t length = strlen(name);
    return view_starts_caseless(word, name) && (word.length == length || word.text[length] == ':');
}

static bool is_one_of(struct view word, const char *const names[], size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (is_same(word, names[at]))
            return true;
    return false;
}

static bool is_kept_by_kernel(struct view word)
{
    ptrdiff_t folder = view_find(word, "thermal_throttle/");
    word = folder >= 0 ? view_skip(word, (size_t)folder + strlen("thermal_throttle/")) : word;
    return is_one_of(word, kept_by_kernel, array_count(kept_by_kernel));
}

static bool is_counted_event(struct view word)
{
    if (is_one_of(word, events, array_count(events)))
        return true;
    for (size_t at = 0; at < array_count(beginnings); at++) {
        size_t length = strlen(beginnings[at]);
        if (word.length > length && view_starts_caseless(word, beginnings[at]) &&
            (memchr(word.text, '.', word.length) || memchr(word.text, '-', word.length)))
            return true;
    }
    return false;
}

static bool is_event(struct view word, bool alone)
{
    return is_kept_by_kernel(word) || is_counted_event(word) ||
           (alone && is_one_of(word, words_too, array_count(words_too)));
}

static bool is_class(struct view word)
{
    scoped_text struct text name = {0};
    enum share_unit unit;
    return word.length < 80 && import_class_named(word, &name, &unit) && memchr(word.text, '_', word.length) != NULL;
}

bool import_known_is_name(struct view word)
{
    return is_class(word) || is_event(word, true);
}

/* "1.2e9", "3,000,000"; not "1.2", which is 12 hundred in some places, and may be of a turn in others */
static bool is_whole(struct view number, double *ret_count)
{
    bool plain = memchr(number.text, '.', number.length) == NULL && view_grouped(number, ret_count);
    bool exponent = memchr(number.text, 'e', number.length) != NULL && view_double(number, ret_count);
    return number.length && isdigit((unsigned char)number.text[0]) && (plain || exponent) && *ret_count >= 0;
}

bool import_known_count(struct view line, struct view *ret_name, double *ret_count)
{
    static const double WORD_LEAST = 1e4; /* of a program's run; of a loop's turn there are fewer */
    line = view_trim(line);
    line = view_starts(line, "- ") || view_starts(line, "* ") ? view_trim(view_skip(line, 2)) : line;
    size_t sign = line.length;
    while (sign && line.text[sign - 1] != ':' && line.text[sign - 1] != '=')
        sign--;
    if (!sign)
        return false;
    struct view number = name_bare(view_trim(view_skip(line, sign))),
                name = name_bare(view_trim((struct view){line.text, sign - 1}));
    bool word = is_one_of(name, words_too, array_count(words_too));
    double count;
    if (!(word || is_counted_event(name)) || !is_whole(number, &count) || (word && count < WORD_LEAST))
        return false;
    *ret_name = name;
    *ret_count = count;
    return true;
}

/* "0.66", "66%", "1.2e9", "3,000,000", "41M" */
static bool is_number(struct view word, double *ret_value)
{
    word = name_bare(word);
    word = view_starts(word, "~") ? view_skip(word, 1) : word;
    word.length -= view_ends(word, "%");
    double ignored;
    if (!word.length || !isdigit((unsigned char)word.text[0]))
        return false;
    bool plain = view_decimal(word, ret_value) || view_double(word, ret_value);
    struct view before = {word.text, word.length - 1};
    bool with_suffix = !plain && strchr("kKMGBT", word.text[word.length - 1]) && word.text[word.length - 1] &&
                       view_decimal(before, &ignored);
    *ret_value = plain ? *ret_value : 2; /* such a one is no share */
    return plain || with_suffix;
}

static bool is_between(struct view word)
{
    static const char *const words[] = {"=", ":", "|", "is", "was", "at", "about", "of", "->", "~", "%", ","};
    for (size_t at = 0; at < array_count(words); at++)
        if (view_equal(word, words[at]))
            return true;
    return false;
}

struct words {
    struct view items[WORDS_MOST];
    size_t count;
};

/* Commas and such part words where no number has them: "tma_dram_bound,0.66". */
static void words_of(struct view line, struct words *words)
{
    words->count = 0;
    for (struct view word = view_word(&line); word.length && words->count < WORDS_MOST; word = view_word(&line)) {
        for (const char *mark = ",;=:"; *mark && words->count + 1 < WORDS_MOST; mark++) {
            const char *at = memchr(word.text, *mark, word.length);
            size_t length = at ? (size_t)(at - word.text) : 0;
            if (!length || !isalpha((unsigned char)word.text[0]) || length + 1 == word.length ||
                !isdigit((unsigned char)at[1]))
                continue;
            words->items[words->count++] = (struct view){word.text, length};
            word = view_skip(word, length + 1);
            struct view rest = word;
            word = view_cut(&rest, *mark == ',' || *mark == ';' ? *mark : ' ');
        }
        words->items[words->count++] = word;
    }
}

/* The number next to the word, over what stands between; false: there is none. */
static bool number_beside(const struct words *words, size_t name, double *ret_value)
{
    enum { BETWEEN_MOST = 2 };
    for (size_t step = 1; step <= BETWEEN_MOST + 1; step++) {
        if (name + step >= words->count)
            break;
        if (is_number(words->items[name + step], ret_value))
            return true;
        if (!is_between(words->items[name + step]))
            break;
    }
    for (size_t step = 1; step <= BETWEEN_MOST + 1 && step <= name; step++) {
        if (is_number(words->items[name - step], ret_value))
            return true;
        if (!is_between(words->items[name - step]))
            break;
    }
    return false;
}

static bool counted(struct view line, bool classes_alone, double *ret_value)
{
    enum { ALONE_MOST = 4 };
    struct words words;
    words_of(line, &words);
    for (size_t at = 0; at < words.count; at++) {
        struct view name = name_bare(words.items[at]);
        if ((is_class(name) || (!classes_alone && is_event(name, words.count <= ALONE_MOST))) &&
            number_beside(&words, at, ret_value))
            return true;
    }
    return false;
}

bool import_known_counted(struct view line)
{
    double ignored;
    line = view_trim(line);
    return !view_starts(line, "#") && !view_starts(line, "$") && counted(line, false, &ignored);
}

bool import_known_may_be_ratio(struct view line)
{
    static const double RATIO_MOST = 1.1;
    double value;
    return counted(line, true, &value) && value <= RATIO_MOST && view_find(line, "%") < 0;
}

static bool is_time_of_day(struct view word)
{
    word = name_bare(word);
    return (word.length == 5 || word.length == 8) && isdigit((unsigned char)word.text[0]) &&
           isdigit((unsigned char)word.text[1]) && word.text[2] == ':' && isdigit((unsigned char)word.text[3]) &&
           isdigit((unsigned char)word.text[4]);
}

bool import_known_is_chat(struct view line)
{
    enum { NAME_WORDS_MOST = 3, SAID_LEAST = 2 };
    line = view_trim(line);
    bool quoted = view_starts(line, ">") || view_starts(line, "**") || view_starts(line, "<") || view_starts(line, "[");
    size_t said = 0;
    struct words words;
    words_of(line, &words);
    for (size_t at = 0; quoted && at <= NAME_WORDS_MOST && at < words.count; at++)
        if (is_time_of_day(words.items[at]))
            for (size_t word = at + 1; word < words.count; word++)
                said += words.items[word].length > 1 && isalpha((unsigned char)words.items[word].text[0]);
    return said >= SAID_LEAST;
}
