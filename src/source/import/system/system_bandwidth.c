/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many bytes went to memory and back in a second (likwid-perfctr as import_likwid hands it on, pcm-memory), and the
 * most that the machine is said to give: STREAM's and MLC's own tables, "STREAM triad gives 378 GB/s", "38 GB/s of the
 * ~300 the socket can do", "the theoretical peak is 204.8 GB/s".
 *
 * Does not support: a most of each socket, core or channel (of how many of them isn't known), and of anything but
 * memory.
 */
#include "base/node_told.h"
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <string.h>

/* ---- words ---- */

static struct view bare(struct view word)
{
    while (word.length && strchr("(\"'`*_[~<>=", word.text[0]) && word.text[0])
        word = view_skip(word, 1);
    while (word.length && strchr(")\"'`*_,;:!?]", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    word.length -= view_ends(word, ".");
    return word;
}

static bool has_any(const struct words *words, const char *const *wanted, size_t count)
{
    for (size_t at = 0; at < words->count; at++)
        if (view_is_any_caseless(bare(words->items[at]), wanted, count))
            return true;
    return false;
}

/* In MB/s; 0: it is no rate. */
static double unit_of(struct view word)
{
    static const struct {
        const char *unit;
        double mb;
    } units[] = {{"GB/s", 1e3},      {"GB/sec", 1e3},  {"GByte/s", 1e3}, {"GBytes/s", 1e3}, {"GBps", 1e3},
                 {"GiB/s", 1073.74}, {"MB/s", 1},      {"MByte/s", 1},   {"MBytes/s", 1},   {"MiB/s", 1.048576},
                 {"TB/s", 1e6}};
    word = bare(word);
    for (size_t at = 0; at < array_count(units); at++)
        if (view_equal(word, units[at].unit))
            return units[at].mb;
    return 0;
}

/* "378" in front of "GB/s", or "378GB/s" in one word: in MB/s; 0: no rate begins there. */
static double rate_at(const struct words *words, size_t at)
{
    struct view word = bare(words->items[at]);
    size_t digits = 0;
    double number;
    while (digits < word.length && (isdigit((unsigned char)word.text[digits]) || word.text[digits] == '.'))
        digits++;
    if (!digits || !view_decimal((struct view){word.text, digits}, &number) || !(number > 0))
        return 0;
    double unit = digits < word.length        ? unit_of(view_skip(word, digits))
                  : at + 1 < words->count ? unit_of(words->items[at + 1])
                                              : 0;
    return number * unit;
}

/* ---- what was used ---- */

static void rate_meet(struct system_reading *reading, double mb)
{
    static const double MB_MOST = 1e9; /* no machine's */
    if (mb > 0 && mb < MB_MOST)
        system_meet(system_table_of(reading, TOOL_BANDWIDTH), FACT_MEMORY_RATE, mb);
}

bool system_bandwidth_read(struct system_reading *reading, struct view line)
{
    static const char system_all[] = "System Memory Throughput(MB/s):", rates[] = "Best Rate MB/s",
                      all_reads[] = "ALL Reads";
    double value;
    struct view rest = view_trim(line);
    if (view_starts(rest, IMPORT_MEMORY_RATE)) {
        rest = view_skip(rest, strlen(IMPORT_MEMORY_RATE));
        if (view_double(view_word(&rest), &value))
            rate_meet(reading, value);
        return true;
    }
    ptrdiff_t at = view_find(line, system_all);
    if (at >= 0) {
        rest = view_skip(line, (size_t)at + sizeof(system_all) - 1);
        if (view_grouped(view_word(&rest), &value))
            rate_meet(reading, value);
        return true;
    }
    if (view_find(line, rates) >= 0)
        return reading->in_stream = true;
    struct view name = view_word(&rest);
    static const char *const others[] = {"Copy:", "Scale:", "Add:"};
    bool triad = view_equal(name, "Triad:");
    if (reading->in_stream && (triad || view_is_any_caseless(name, others, array_count(others))) &&
        view_grouped(view_word(&rest), &value)) {
        reading->attained_mb = triad && value > reading->attained_mb ? value : reading->attained_mb;
        return true;
    }
    rest = view_trim(line);
    if (!view_starts(rest, all_reads))
        return false;
    rest = view_trim(view_skip(rest, sizeof(all_reads) - 1));
    if (view_starts(rest, ":"))
        rest = view_skip(rest, 1);
    if (!view_grouped(view_word(&rest), &value) || !(value > 0))
        return false;
    reading->attained_mb = value > reading->attained_mb ? value : reading->attained_mb;
    return true;
}

/* ---- the most there is ---- */

/* Of something else than memory, or of a part of the machine whose number isn't known. */
static bool is_of_others(const struct words *words)
{
    static const char *const others[] = {"disk", "disks", "nvme", "ssd",   "network", "nic",  "pcie", "gpu",
                                         "link", "links", "l1",   "l2",    "l3",      "llc",  "cache", "upi",
                                         "xgmi", "per",   "each", "core's"},
                             *const parts[] = {"core", "thread", "channel", "dimm", "socket", "node"};
    if (has_any(words, others, array_count(others)))
        return true;
    for (size_t at = 1; at < words->count; at++)
        if (view_is_any_caseless(bare(words->items[at]), parts, array_count(parts)) &&
            (view_equal_caseless(words->items[at - 1], "a") || view_equal_caseless(words->items[at - 1], "every")))
            return true;
    return false;
}

/* How the most that a machine gives was found: by a benchmark of memory, or by its data sheet. */
enum most { MOST_NONE, MOST_ATTAINED, MOST_IN_THEORY };

static enum most most_told(const struct words *words, size_t at)
{
    static const char *const benchmarks[] = {"triad", "mbw", "mlc", "likwid-bench", "likwid-bench's"},
                             *const after[] = {"triad", "copy", "benchmark"},
                             *const in_theory[] = {"theoretical", "theoretically", "nominal"};
    struct view word = bare(words->items[at]),
                next = at + 1 < words->count ? bare(words->items[at + 1]) : (struct view){0};
    if (view_equal(word, "STREAM") || view_is_any_caseless(word, benchmarks, array_count(benchmarks)) ||
        (view_equal_caseless(word, "stream") && view_is_any_caseless(next, after, array_count(after))) ||
        (view_equal_caseless(word, "can") && (view_equal_caseless(next, "do") || view_equal_caseless(next, "deliver") ||
                                              view_equal_caseless(next, "give"))))
        return MOST_ATTAINED;
    bool of_machine = view_equal_caseless(word, "peak") &&
                      (view_equal_caseless(next, "bandwidth") || view_equal_caseless(next, "memory"));
    return of_machine || view_is_any_caseless(word, in_theory, array_count(in_theory)) ? MOST_IN_THEORY : MOST_NONE;
}

static void most_meet(struct system_reading *reading, enum most kind, double mb)
{
    double *kept = kind == MOST_ATTAINED ? &reading->attained_mb : &reading->nominal_mb;
    reading->most_differs |= *kept > 0 && (mb > 1.1 * *kept || mb < 0.9 * *kept);
    *kept = mb > *kept ? mb : *kept;
}

/* "38 GB/s of the ~300 the socket can do", "371 of the 378 GB/s": what is used of the most; false: no such words. */
static bool part_of_most(struct system_reading *reading, const struct words *words)
{
    static const char *const between[] = {"the",  "its", "about",       "around", "roughly",
                                          "some", "a",   "theoretical", "our"},
                             *const of_memory[] = {"memory", "dram",      "ram",        "ddr4",
                                                   "ddr5",   "bandwidth", "pcm-memory", "pcm",
                                                   "likwid", "socket",    "channels",   "likwid-perfctr",
                                                   "mlc",    "stream",    "umc",        "imc"};
    for (size_t at = 1; at + 1 < words->count; at++) {
        size_t behind = at + 1;
        if (!view_equal_caseless(words->items[at], "of"))
            continue;
        while (behind + 1 < words->count &&
               view_is_any_caseless(bare(words->items[behind]), between, array_count(between)))
            behind++;
        double most = rate_at(words, behind), number, used_number;
        size_t used_at = unit_of(words->items[at - 1]) > 0 && at >= 2 ? at - 2 : at - 1;
        double used = rate_at(words, used_at), unit = unit_of(words->items[at - 1]);
        if (!(most > 0) && used > 0 && view_decimal(bare(words->items[behind]), &number))
            most = number * (unit > 0 ? unit : 0);
        if (!(used > 0) && most > 0 && view_decimal(bare(words->items[at - 1]), &used_number) &&
            behind + 1 < words->count)
            used = used_number * unit_of(words->items[behind + 1]);
        if (!(used > 0 && most > 0) || !has_any(words, of_memory, array_count(of_memory)))
            continue;
        rate_meet(reading, used);
        most_meet(reading, MOST_ATTAINED, most);
        return true;
    }
    return false;
}

/* The only rate of its sentence, or the one right behind such words. */
static void most_note(struct system_reading *reading, const struct words *words)
{
    enum { NEAR = 5 };
    size_t rates = 0, behind = 0;
    double only = 0, near = 0;
    enum most kind = MOST_NONE, near_kind = MOST_NONE;
    for (size_t at = 0, since = NEAR; at < words->count; at++, since++) {
        enum most here = most_told(words, at);
        double rate = rate_at(words, at);
        kind = here && !(kind == MOST_ATTAINED) ? here : kind;
        since = here ? 0 : since;
        near_kind = here ? here : near_kind;
        rates += rate > 0;
        only = rate > 0 ? rate : only;
        if (rate > 0 && since < NEAR) {
            near = rate;
            behind++;
        }
        since = rate > 0 ? NEAR : since;
    }
    if (kind && rates == 1)
        most_meet(reading, kind, only);
    else if (behind == 1)
        most_meet(reading, near_kind, near);
}

/* "1 socket", "on this socket": that all traffic is one node's is no surprise then. */
static bool is_on_one_socket(struct view line)
{
    static const char *const one[] = {"1", "one", "single", "this"};
    struct words words;
    words_of(line, &words);
    for (size_t at = 0; at + 1 < words.count; at++)
        if (view_is_any_caseless(bare(words.items[at]), one, array_count(one)) &&
            view_equal_caseless(bare(words.items[at + 1]), "socket"))
            return true;
    return false;
}

void system_bandwidth_note(struct system_reading *reading, struct view line)
{
    int node = node_told_in(line);
    reading->on_one_socket |= is_on_one_socket(line);
    reading->nodes_differ |= node >= 0 && reading->runs_on && reading->runs_on != (size_t)node + 1;
    reading->runs_on = node >= 0 ? (size_t)node + 1 : reading->runs_on;
    if (view_find(line, "B/s") < 0 && view_find(line, "GByte") < 0 && view_find(line, "GBps") < 0)
        return;
    while (line.length) {
        ptrdiff_t end = view_find(line, ". ");
        struct words words;
        words_of((struct view){line.text, end < 0 ? line.length : (size_t)end + 1}, &words);
        line = end < 0 ? (struct view){0} : view_skip(line, (size_t)end + 2);
        if (!is_of_others(&words) && !part_of_most(reading, &words))
            most_note(reading, &words);
    }
}
