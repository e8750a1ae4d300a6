/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/counting_period.h"

#include "base/vec.h"
#include "decode/exits/exit_text.h"
#include "source/import/import_text.h"
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

enum { SECONDS_MOST = 24 * 3600, CPUS_MOST = 4096 };

/* ---- words ---- */

/* Without the marks around it. */
static struct view bare(struct view word)
{
    while (word.length && strchr("(\"'`*_[", word.text[0]) && word.text[0])
        word = view_skip(word, 1);
    while (word.length && strchr(")\"'`*_,.;:!?]", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    return word;
}

static bool number_of(struct view word, double *ret_number)
{
    static const char *const names[] = {"one",   "two",   "three", "four", "five",   "six",
                                        "seven", "eight", "nine",  "ten",  "eleven", "twelve"};
    static const struct {
        const char *name;
        double number;
    } others[] = {{"single", 1}, {"fifteen", 15}, {"twenty", 20}, {"thirty", 30}, {"sixty", 60}};
    for (size_t at = 0; at < array_count(names); at++)
        if (view_equal_caseless(word, names[at])) {
            *ret_number = (double)at + 1;
            return true;
        }
    for (size_t at = 0; at < array_count(others); at++)
        if (view_equal_caseless(word, others[at].name)) {
            *ret_number = others[at].number;
            return true;
        }
    return word.length && isdigit((unsigned char)word.text[0]) && view_decimal(word, ret_number) && *ret_number > 0;
}

static double unit_of(struct view word)
{
    static const char *const seconds[] = {"s", "sec", "secs", "second", "seconds"}, *const minutes[] = {"min", "mins",
                                                                                                        "minute",
                                                                                                        "minutes"};
    return view_is_any_caseless(word, seconds, array_count(seconds))   ? 1
           : view_is_any_caseless(word, minutes, array_count(minutes)) ? 60
                                                                       : 0;
}

/* "10s", "10-second" in one word, or "10 s" in two, of which the second is passed. */
static bool duration_at(const struct words *words, size_t at, size_t *ret_end, double *ret_seconds)
{
    struct view word = bare(words->items[at]);
    double number, unit;
    size_t digits = 0;
    while (digits < word.length && (isdigit((unsigned char)word.text[digits]) || word.text[digits] == '.'))
        digits++;
    struct view rest = view_skip(word, digits);
    rest = view_starts(rest, "-") ? view_skip(rest, 1) : rest;
    *ret_end = at + 1;
    if (digits && digits < word.length && (unit = unit_of(rest)) > 0 &&
        number_of((struct view){word.text, digits}, &number)) {
        *ret_seconds = number * unit;
        return true;
    }
    bool ends = bare(words->items[at]).length < words->items[at].length &&
                strchr(",.;:)", words->items[at].text[words->items[at].length - 1]);
    if (ends || at + 1 == words->count || !number_of(word, &number) ||
        !((unit = unit_of(bare(words->items[at + 1]))) > 0))
        return false;
    *ret_end = at + 2;
    *ret_seconds = number * unit;
    return true;
}

/* ---- the time ---- */

/* What counts exits is spoken of. */
static bool is_of_counting(struct view line)
{
    static const char *const counting[] = {"perf kvm", "kvm stat", "kvm_exit", "bpftrace", "trace-cmd",
                                           "kvmexit",  "exits",    "vm-exit",  "vmexit",   "kvm_stat"};
    for (size_t at = 0; at < array_count(counting); at++)
        if (view_mentions(line, counting[at]))
            return true;
    return false;
}

static bool ends_with_any(struct view word, const char *marks)
{
    return word.length && word.text[word.length - 1] && strchr(marks, word.text[word.length - 1]);
}

/* The sentence says how long a program took, or the clause how much something changed. */
static bool is_of_a_run(const struct words *words, size_t at, size_t end)
{
    static const char *const taking[] = {"took",     "takes",   "take",    "needs", "needed",    "finishes",
                                         "finished", "ends",    "ended",   "done",  "completes", "completed",
                                         "lasts",    "lasted",  "falls",   "fell",  "rises",     "rose",
                                         "costs",    "returns", "runtime", "speed", "latency",   "instead"},
                             *const beside[] = {"from",  "every", "waits", "waited",  "spent", "lost",
                                                "total", "after", "later", "outside", "than"},
                             *const changed[] = {"longer", "faster", "slower", "more", "less", "later", "earlier"};
    enum { NEAR = 4 };
    for (size_t back = 1; back <= at; back++) {
        struct view word = words->items[at - back];
        if (ends_with_any(word, ".;!?"))
            break;
        bool near = back <= NEAR && view_is_any_caseless(bare(word), beside, array_count(beside));
        if (near || view_is_any_caseless(bare(word), taking, array_count(taking)))
            return true;
    }
    return end < words->count && view_is_any_caseless(bare(words->items[end]), changed, array_count(changed));
}

/* "interval:s:10", behind which it is printed and cleared, or ends. */
static double interval_of_line(struct view line)
{
    static const char mark[] = "interval:s:";
    ptrdiff_t at = view_find(line, mark);
    double seconds;
    if (at < 0)
        return 0;
    struct view rest = view_skip(line, (size_t)at + sizeof(mark) - 1);
    size_t digits = 0;
    while (digits < rest.length && isdigit((unsigned char)rest.text[digits]))
        digits++;
    bool once = view_find(rest, "exit()") >= 0 || view_find(rest, "clear(") >= 0;
    return once && view_double((struct view){rest.text, digits}, &seconds) ? seconds : 0;
}

/* "sleep 10", "timeout 10s" of a command. */
static double command_seconds(const struct words *words, size_t at)
{
    struct view word = bare(words->items[at]), next;
    double seconds;
    if (!(view_equal_caseless(word, "sleep") || view_equal_caseless(word, "timeout")) || at + 1 == words->count)
        return 0;
    next = bare(words->items[at + 1]);
    next.length -= view_ends(next, "s");
    return number_of(next, &seconds) ? seconds : 0;
}

/* The last that a line tells; 0: none. loosely: what stands behind a comma is meant, too. */
static double seconds_told(struct view line, bool loosely)
{
    static const char *const before[] = {"in", "within", "for", "over", "during"};
    struct words words;
    double found = interval_of_line(line), seconds;
    words_of(line, &words);
    for (size_t at = 0, end = 0; at < words.count; at = end) {
        end = at + 1;
        double asked = command_seconds(&words, at);
        if (asked > 0) {
            found = asked;
            end = at + 2;
            continue;
        }
        if (!duration_at(&words, at, &end, &seconds) || is_of_a_run(&words, at, end))
            continue;
        struct view last = words.items[end - 1];
        bool said = at && view_is_any_caseless(bare(words.items[at - 1]), before, array_count(before));
        bool of_load = end < words.count && view_equal_caseless(bare(words.items[end]), "of");
        bool opens = !at || words.items[at].text[0] == '(' ||
                     strchr(".,:;(", words.items[at - 1].text[words.items[at - 1].length - 1]);
        bool closes = end == words.count || strchr(",.;:)", last.text[last.length - 1]) ||
                      view_equal_caseless(bare(words.items[end]), "each");
        if (said || of_load || (opens && (closes || loosely)))
            found = seconds;
    }
    return found <= SECONDS_MOST ? found : 0;
}

static struct view sentence_cut(struct view *line)
{
    ptrdiff_t end = view_find(*line, ". ");
    struct view sentence = {line->text, end < 0 ? line->length : (size_t)end + 1};
    *line = view_skip(*line, sentence.length);
    return sentence;
}

static double seconds_in(struct view line)
{
    double found = seconds_told(line, false);
    while (line.length) {
        struct view sentence = sentence_cut(&line);
        double seconds = is_of_counting(sentence) ? seconds_told(sentence, true) : 0;
        found = seconds > 0 ? seconds : found;
    }
    return found;
}

/* ---- virtual CPUs ---- */

struct cpus {
    double count, busy; /* 0: not told */
    bool differ, busy_differ;
};

static void cpus_meet(struct cpus *cpus, double count, bool busy)
{
    double *kept = busy ? &cpus->busy : &cpus->count;
    bool *differ = busy ? &cpus->busy_differ : &cpus->differ;
    if (!(count >= 1 && count <= CPUS_MOST) || count > floor(count))
        return;
    *differ |= *kept > 0 && (count > *kept || count < *kept);
    *kept = count;
}

/* "1-vCPU", "4vCPUs": what stands before the word itself; "-" where nothing does. */
static bool is_vcpu(struct view word, struct view *ret_before)
{
    static const char mark[] = "vcpu";
    for (size_t at = 0; at + sizeof(mark) - 1 <= word.length; at++) {
        if (strncasecmp(word.text + at, mark, sizeof(mark) - 1) != 0)
            continue;
        struct view behind = view_skip(word, at + sizeof(mark) - 1);
        *ret_before = (struct view){word.text, at};
        if (view_ends(*ret_before, "-"))
            ret_before->length--;
        return !behind.length || view_equal_caseless(behind, "s");
    }
    return false;
}

static void cpus_of_line(struct view line, struct cpus *cpus)
{
    struct words words;
    double count;
    words_of(line, &words);
    for (size_t at = 0; at < words.count; at++) {
        struct view word = bare(words.items[at]), before = {0};
        if (view_equal_caseless(word, "-smp") && at + 1 < words.count) {
            struct view value = words.items[at + 1];
            value = view_starts(value, "cpus=") ? view_skip(value, strlen("cpus=")) : value;
            if (number_of(bare(view_cut(&value, ',')), &count))
                cpus_meet(cpus, count, false);
        }
        if (!is_vcpu(word, &before))
            continue;
        struct view last = at ? bare(words.items[at - 1]) : (struct view){0},
                    second = at > 1 ? bare(words.items[at - 2]) : (struct view){0};
        bool busy = view_equal_caseless(last, "busy") ||
                    (at + 1 < words.count && view_equal_caseless(bare(words.items[at + 1]), "busy"));
        bool described = busy || view_equal_caseless(last, "pinned") || view_equal_caseless(last, "virtual") ||
                         view_equal_caseless(last, "dedicated");
        if (before.length ? number_of(before, &count)
                          : number_of(last, &count) || (described && number_of(second, &count)))
            cpus_meet(cpus, count, busy);
        else if (view_ends(words.items[at], ":") && at + 1 < words.count &&
                 number_of(bare(words.items[at + 1]), &count)) /* "vCPUs: 4" */
            cpus_meet(cpus, count, false);
    }
}

static bool is_of_all(struct view line)
{
    static const char *const all[] = {"each", "both", "same", "all", "every", "identical", "alike", "either"};
    struct words words;
    words_of(line, &words);
    for (size_t at = 0; at < words.count; at++)
        if (view_is_any_caseless(bare(words.items[at]), all, array_count(all)))
            return true;
    return false;
}

/* of_all: where it is said of each guest alone. */
static double cpus_in(struct view text, bool of_all)
{
    struct cpus cpus = {.count = 0};
    for (struct view line; view_line(&text, &line);)
        while (line.length) {
            struct view sentence = sentence_cut(&line);
            if (!of_all || is_of_all(sentence))
                cpus_of_line(sentence, &cpus);
        }
    if (cpus.busy_differ)
        return 0;
    return cpus.busy > 0 ? cpus.busy : cpus.differ ? 0 : cpus.count;
}

/* ---- together ---- */

static bool is_title(struct view line)
{
    return view_mentions(line, "Analyze events for") ||
           (view_mentions(line, "VM-EXIT") && view_mentions(line, "Samples"));
}

bool exits_part_cut(struct view *text, struct view *ret_part)
{
    enum { KEYS_MOST = 256 };
    struct view keys[KEYS_MOST], line, rest = *text, end = *text; /* end: behind the last row */
    struct exit_row row;
    size_t count = 0;
    while (view_line(&rest, &line)) {
        bool again = false;
        if (!exit_text_row(line, &row))
            continue;
        for (size_t at = 0; at < count; at++)
            again |= keys[at].length == row.key.length && memcmp(keys[at].text, row.key.text, row.key.length) == 0;
        if (again) {
            *ret_part = (struct view){text->text, (size_t)(end.text - text->text)};
            *text = end;
            return true;
        }
        if (count < KEYS_MOST)
            keys[count++] = row.key;
        end = rest;
    }
    *ret_part = *text;
    *text = view_skip(*text, text->length);
    return ret_part->length > 0;
}

static double number_behind(struct view line, const char *mark)
{
    ptrdiff_t at = view_find(line, mark);
    struct view rest = at < 0 ? (struct view){0} : view_skip(line, (size_t)at + strlen(mark));
    size_t length = 0;
    double number;
    while (length < rest.length &&
           (isdigit((unsigned char)rest.text[length]) ||
            (rest.text[length] == '.' && length + 1 < rest.length && isdigit((unsigned char)rest.text[length + 1]))))
        length++;
    return length && view_double((struct view){rest.text, length}, &number) ? number : 0;
}

/* "Total Samples:54, Total events handled time:4021.30us.", within a few lines behind a table's last row. */
static void sums_read(struct view behind, struct exits_period *period)
{
    enum { NEAR = 4 };
    struct view line;
    struct exit_row row;
    for (size_t lines = 0; lines < NEAR && view_line(&behind, &line) && !exit_text_row(line, &row); lines++) {
        double seconds = number_behind(line, KVM_STAT_SECONDS);
        period->seconds = seconds > 0 && seconds <= SECONDS_MOST ? seconds : period->seconds;
        double all = number_behind(line, "Total Samples:"), took_us = number_behind(line, "Total events handled time:");
        if (!(all > 0 && took_us > 0))
            continue;
        period->count = all;
        period->sum_s = 1e-6 * took_us;
        return;
    }
}

static bool is_of_several(struct view text)
{
    struct view part;
    return exits_part_cut(&text, &part) && text.length;
}

struct exits_period exits_period_read(struct view near, struct view document)
{
    enum { ABOVE = 2 };
    struct exits_period period = {.seconds = 0};
    struct view line, above[ABOVE] = {{0}};
    struct exit_row row;
    bool in_table = false;
    double seconds = 0;
    struct view last = view_skip(near, near.length); /* behind the last row */
    for (struct view rest = near; view_line(&rest, &line);) {
        if (exit_text_row(line, &row)) {
            in_table = true;
            last = rest;
            continue;
        }
        if (import_text_is_gap(line) || is_title(line))
            continue;
        if (is_of_counting(line) && (seconds = seconds_in(line)) > 0)
            period.seconds = seconds;
        if (view_mentions(line, "kvm_stat -1") || view_mentions(line, "kvm_stat --once"))
            period.seconds = 1;
        if (!in_table) {
            above[0] = above[1];
            above[1] = line;
        }
    }
    if (last.text && document.text <= last.text && last.text <= document.text + document.length)
        sums_read(view_skip(document, (size_t)(last.text - document.text)), &period);
    for (size_t at = 0; at < ABOVE; at++) /* which say it nearer */
        if ((seconds = seconds_in(above[at])) > 0)
            period.seconds = seconds;
    if (above[1].length && (isalpha((unsigned char)view_trim(above[1]).text[0]) || strchr("#*`", above[1].text[0])))
        period.heading = above[1];
    bool of_several = is_of_several(document); /* and what is said of one isn't said of the other */
    period.cpus = cpus_in(above[ABOVE - 1], false);
    if (!(period.cpus > 0) && !of_several)
        period.cpus = cpus_in(near, false);
    if (!(period.cpus > 0))
        period.cpus = cpus_in(document, of_several);
    return period;
}

/* ---- waits ---- */

/* "-p", "-df -p": its value stands behind it; "-f" has none. */
static bool takes_value(struct view option)
{
    static const char *const names[] = {"--pid",
                                        "--tid",
                                        "--state",
                                        "--min-block-time",
                                        "--max-block-time",
                                        "--stack-storage-size",
                                        "--perf-max-stack-depth"};
    bool is_long = view_starts(option, "--"), is_short = option.length > 1 && !is_long && option.text[0] == '-';
    return is_long ? view_is_any_caseless(option, names, array_count(names))
                   : is_short && strchr("ptmM", option.text[option.length - 1]) != NULL;
}

/* Behind an option's value at that word: "3117", "$(pidof app)", "`pidof app`". */
static size_t value_end(const struct words *words, size_t at)
{
    char closes = '\0';
    if (at < words->count && view_starts(words->items[at], "$("))
        closes = ')';
    else if (at < words->count && view_starts(words->items[at], "`"))
        closes = '`';
    for (size_t end = at; closes && end < words->count; end++) {
        struct view word = view_skip(words->items[end], end == at); /* behind what opens it */
        if (word.length && memchr(word.text, closes, word.length))
            return end + 1;
    }
    return at + 1;
}

/* "offcputime-bpfcc -df -p 3117 30": the number that belongs to no option. */
static double offcpu_seconds(struct view line)
{
    struct words words;
    size_t at = 0;
    double found;
    words_of(line, &words);
    while (at < words.count && !view_mentions(words.items[at], "offcputime"))
        at++;
    for (at += 1; at < words.count && words.items[at].text[0] == '-';) {
        size_t end = takes_value(words.items[at]) && at + 1 < words.count ? value_end(&words, at + 1) : at + 1;
        if (end - at <= 2 && ends_with_any(words.items[end - 1], "`,:;)"))
            return 0; /* there ends the command */
        at = end;
    }
    struct view word = at < words.count ? bare(words.items[at]) : (struct view){0};
    bool is_number = word.length && isdigit((unsigned char)word.text[0]) && view_double(word, &found);
    return is_number && found > 0 && found <= SECONDS_MOST ? found : 0;
}

/* "64 threads", "64 worker threads"; told in two ways: not told. */
static double threads_in(struct view text)
{
    struct cpus threads = {.count = 0};
    for (struct view line; view_line(&text, &line);) {
        struct words words;
        double count;
        words_of(line, &words);
        for (size_t at = 1; at < words.count; at++) {
            bool threads_word = view_equal_caseless(bare(words.items[at]), "threads") ||
                                view_equal_caseless(bare(words.items[at]), "thread");
            if (threads_word && (number_of(bare(words.items[at - 1]), &count) ||
                                 (at > 1 && number_of(bare(words.items[at - 2]), &count))))
                cpus_meet(&threads, count, false);
        }
    }
    return threads.differ ? 0 : threads.count;
}

/* "20 s of 8 threads": for how long and of how many at once; 0: it isn't said so. */
static double threads_of_period(struct view line)
{
    struct words words;
    double seconds, count;
    words_of(line, &words);
    for (size_t at = 0, end = 0; at < words.count; at = end)
        if (duration_at(&words, at, &end, &seconds) && end + 2 < words.count &&
            view_equal_caseless(words.items[end], "of") && number_of(bare(words.items[end + 1]), &count) &&
            (view_equal_caseless(bare(words.items[end + 2]), "threads") ||
             view_equal_caseless(bare(words.items[end + 2]), "thread")))
            return count;
    return 0;
}

/* "of 160 thread-seconds"; told in two ways: not told. */
static double thread_seconds_in(struct view text)
{
    struct cpus told = {.count = 0};
    for (struct view line; view_line(&text, &line);) {
        struct words words;
        double count;
        words_of(line, &words);
        for (size_t at = 1; at < words.count; at++)
            if (view_equal_caseless(bare(words.items[at]), "thread-seconds") &&
                number_of(bare(words.items[at - 1]), &count))
                cpus_meet(&told, count, false);
    }
    return told.differ ? 0 : told.count;
}

/* "offcputime -f -p 4410 10" */
static bool is_of_one(struct view line)
{
    struct words words;
    uint64_t id;
    words_of(line, &words);
    for (size_t at = 0; at + 1 < words.count; at++)
        if ((view_equal(words.items[at], "-p") || view_equal(words.items[at], "-t")) &&
            view_u64(bare(words.items[at + 1]), 10, &id))
            return true;
    return false;
}

/* "Off-CPU time in us", "@wait_ns[" of bpftrace, which is turned into us */
static bool is_in_us(struct view line)
{
    struct words words;
    words_of(line, &words);
    for (size_t at = 1; at < words.count; at++)
        if (view_equal_caseless(bare(words.items[at]), "us") && view_equal_caseless(words.items[at - 1], "in"))
            return true;
    bool is_map = view_starts(line, "@") && view_ends(view_trim(line), "["),
         has_unit = view_mentions(line, "_us") || view_mentions(line, "_ns") || view_mentions(line, "_ms");
    return (is_map && has_unit) || view_mentions(line, "microseconds") || view_mentions(line, "(us");
}

/* How many threads it was says best who says for how long; elsewhere it may be another run's. */
struct waits_period waits_period_read(struct view document)
{
    struct waits_period period = {.threads = 0};
    struct cpus beside = {.count = 0};
    struct view whole = document;
    for (struct view line; view_line(&document, &line);) {
        bool tool = view_mentions(line, "offcputime"), command = tool && view_find(line, " -") >= 0;
        double seconds = command ? offcpu_seconds(line) : 0;
        seconds = seconds > 0 || !(tool || view_mentions(line, "off-cpu") || view_mentions(line, "bpftrace"))
                      ? seconds
                      : seconds_in(line);
        period.seconds = seconds > 0 ? seconds : period.seconds;
        period.in_us |= tool || is_in_us(line);
        period.of_one |= command && seconds > 0 && is_of_one(line);
        if (seconds > 0 && threads_of_period(line) > 0)
            cpus_meet(&beside, threads_of_period(line), false);
        else if (seconds > 0)
            for (struct view rest = line, sentence; rest.length && (sentence = sentence_cut(&rest)).length;)
                if (seconds_in(sentence) > 0 || command)
                    cpus_meet(&beside, threads_in(sentence), false);
    }
    period.threads = beside.differ ? 0 : beside.count > 0 ? beside.count : threads_in(whole);
    if (!(period.threads > 0) && period.seconds > 0)
        period.threads = thread_seconds_in(whole) / period.seconds;
    period.of_one &= !(period.threads > 0) && !beside.differ;
    return period;
}

/* "off.folded" of "offcputime -f 30 > out/off.folded"; length 0: it writes none. */
static struct view file_written(struct view line)
{
    ptrdiff_t at = view_find(line, "> ");
    struct view rest =
        at >= 0 && view_mentions(line, "offcputime") ? view_skip(line, (size_t)at + 1) : (struct view){0};
    struct view path = bare(view_word(&rest));
    for (size_t end = path.length; end > 0; end--)
        if (path.text[end - 1] == '/')
            return view_skip(path, end);
    return path;
}

bool waits_were_written(struct view document, struct view file)
{
    bool were = false;
    for (struct view line; view_line(&document, &line);)
        were |= file.length && views_equal_caseless(file_written(line), file);
    return were;
}

bool waits_are_of_other(struct view line, struct view file)
{
    struct view written = file_written(line);
    return written.length && !views_equal_caseless(written, file);
}

/* "-p 812", "-t $(pidof app)" */
static bool is_of_program(struct view command)
{
    static const char *const options[] = {"-p", "-t", "--pid", "--tid"};
    struct words words;
    bool is_one = false;
    words_of(command, &words);
    for (size_t at = 0; at < words.count; at++)
        is_one |= view_is_any_caseless(words.items[at], options, array_count(options));
    return is_one;
}

struct waits_period locks_period_read(struct view command, struct view document)
{
    struct waits_period period = {.seconds = seconds_in(command), .of_one = is_of_program(command)};
    double of_sentence = threads_in(command);
    period.threads = of_sentence > 0 ? of_sentence : threads_in(document);
    if (!(period.threads > 0) && period.seconds > 0)
        period.threads = thread_seconds_in(document) / period.seconds;
    return period;
}

/* ---- calls ---- */

/* "-f", "-cf", "-ff", "--follow-forks" */
static bool follows(const struct words *words)
{
    for (size_t at = 0; at < words->count; at++) {
        struct view word = bare(words->items[at]);
        bool is_short = view_starts(word, "-") && !view_starts(word, "--");
        if (view_starts(word, "--follow") || (is_short && memchr(word.text, 'f', word.length)))
            return true;
    }
    return false;
}

double calls_seconds_read(struct view line)
{
    static const char *const alone[] = {"one", "single", "a"};
    struct words words;
    bool of_one = false;
    words_of(line, &words);
    size_t tool = 0;
    while (tool < words.count && !view_equal_caseless(bare(words.items[tool]), "strace"))
        tool++;
    if (view_find(line, "perf trace") >= 0) /* whose threads have a table each */
        return seconds_in(line);
    for (size_t at = tool; at < words.count; at++)
        of_one |=
            view_equal(words.items[at], "-p") || view_is_any_caseless(bare(words.items[at]), alone, array_count(alone));
    return tool < words.count && of_one && !follows(&words) ? seconds_in(line) : 0;
}
