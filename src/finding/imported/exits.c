/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What another tool's tables of exits say: their time outside the guest, of the time over which they were counted, is a
 * fact, where both and the number of virtual CPUs are told. Of two tables the reason by which they differ most is said.
 */
#include "analyse/exits/exit_reason.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/imported/exits.h"
#include "finding/wording.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/*
 * What the tables don't have: the way out and in again, which their clocks leave out, and what waking a halted CPU
 * takes. Upper ends, for bounds alone.
 */
static const double ENTRY_S = 2e-6, WAKING_S = 20e-6;

/* ---- words ---- */

static const char *seconds_words(double seconds, struct arena *arena)
{
    return seconds >= 1      ? arena_printf(arena, "%.3g s", seconds)
           : seconds >= 1e-3 ? arena_printf(arena, "%.3g ms", 1e3 * seconds)
           : seconds >= 1e-6 ? arena_printf(arena, "%.3g us", 1e6 * seconds)
                             : arena_printf(arena, "%.3g ns", 1e9 * seconds);
}

/* "48" is a number of the processor's. */
static const char *reason_words(const char *name, struct arena *arena)
{
    static const char *const prefixes[] = {"EXIT_REASON_", "SVM_EXIT_"};
    uint64_t number;
    for (size_t at = 0; at < array_count(prefixes); at++)
        name += strncmp(name, prefixes[at], strlen(prefixes[at])) == 0 ? strlen(prefixes[at]) : 0;
    if (!view_u64(view_of(name), 0, &number))
        return name;
    const struct exit_reason *intel = exit_reason_find(EXIT_ISA_VMX, number),
                             *amd = exit_reason_find(EXIT_ISA_SVM, number);
    return intel ? arena_printf(arena, "reason %s (%s on Intel)", name, intel->name)
           : amd ? arena_printf(arena, "reason %s (%s on AMD)", name, amd->name)
                 : arena_printf(arena, "reason %s", name);
}

/* "the old host in 5 s" is the old host. */
static struct view without_period(struct view label)
{
    static const char *const before[] = {" in ", " for ", " over ", " within ", " during "};
    for (size_t at = 0; at < array_count(before); at++) {
        ptrdiff_t place = view_find(label, before[at]);
        size_t behind = place > 0 ? (size_t)place + strlen(before[at]) : 0;
        if (behind && behind < label.length && isdigit((unsigned char)label.text[behind]))
            label.length = (size_t)place;
    }
    return label;
}

static bool names_a_guest(struct view words)
{
    static const char *const names[] = {"guest", "vm", "instance", "td", "machine"};
    for (struct view word; (word = view_word(&words)).length;)
        for (size_t at = 0; at < array_count(names); at++) {
            size_t length = strlen(names[at]);
            if (view_starts_caseless(word, names[at]) &&
                (word.length == length || !isalpha((unsigned char)word.text[length])))
                return true;
        }
    return false;
}

/* "10 seconds", "5 s of each": no name. */
static bool is_period(struct view piece)
{
    return piece.length && isdigit((unsigned char)piece.text[0]);
}

/* "VM exits", "kvm_stat on the host": what was counted, and nobody's name. */
static bool is_of_counting(struct view piece)
{
    static const char *const words[] = {"exit", "kvm_stat", "bpftrace", "perf"};
    for (size_t at = 0; at < array_count(words); at++)
        if (view_find(piece, words[at]) >= 0)
            return true;
    return false;
}

/* Of pieces between commas the one that names a guest, else the first that may be a name. */
static struct view piece_of(struct view heading)
{
    struct view first = {0}, named = {0};
    for (ptrdiff_t comma = 0; comma >= 0 && !named.length;) {
        comma = view_find(heading, ", ");
        struct view piece = view_trim(comma >= 0 ? (struct view){heading.text, (size_t)comma} : heading);
        heading = view_skip(heading, comma >= 0 ? (size_t)comma + 2 : 0);
        bool may_be = !is_period(piece) && !(is_of_counting(piece) && comma >= 0);
        first = first.length || !may_be ? first : piece;
        named = may_be && !is_of_counting(piece) && names_a_guest(piece) ? piece : named;
    }
    return named.length ? named : first;
}

/* What a heading calls the guest: its last sentence, up to a bracket or comma; length 0: that is no name. */
static struct view label_in(struct view heading)
{
    static const char *const before[] = {"and ", "then ", "first ", "second ", "now ", "exits of ", "exits on ", "on "};
    enum { LABEL_MOST = 40, WORDS_MOST = 5 };
    for (ptrdiff_t at; (at = view_find(heading, ". ")) >= 0;)
        heading = view_skip(heading, (size_t)at + 2);
    while (view_starts(heading, "#") || view_starts(heading, " ") || view_starts(heading, "*"))
        heading = view_skip(heading, 1);
    for (size_t at = 0; at < array_count(before); at++)
        if (heading.length > strlen(before[at]) && view_starts_caseless(heading, before[at])) {
            heading = view_skip(heading, strlen(before[at]));
            at = (size_t)-1; /* another may stand behind it */
        }
    heading = piece_of(heading); /* "kvm_stat on the host, plain guest:" */
    if (!heading.length)
        return heading;
    size_t length = strcspn(heading.text, "(,:;`");
    heading = without_period(view_trim((struct view){heading.text, length < heading.length ? length : heading.length}));
    size_t words = 0;
    for (struct view rest = heading; view_word(&rest).length;)
        words++;
    return heading.length <= LABEL_MOST && words <= WORDS_MOST ? heading : (struct view){0};
}

static const char *label_of(const struct imported_table *table, const struct imported_table *other, bool is_first,
                            struct arena *arena)
{
    struct view label = label_in(view_of(table->heading)), beside = label_in(view_of(other->heading));
    bool differ = label.length && beside.length &&
                  (label.length != beside.length || memcmp(label.text, beside.text, label.length) != 0);
    if (differ)
        return arena_string_n(arena, label.text, label.length);
    return strcmp(table->file, other->file) != 0 ? table->file : is_first ? "the first table" : "the second table";
}

struct difference {
    const char *words;  /* "guest B left 1200340 times for io, guest A never"; NULL: they don't differ so */
    bool is_foremost;   /* the reason is the one that takes most in the table that took longest */
};

static bool is_of_fast(const char *label, const struct told *told)
{
    scoped_text struct text lower = {0};
    for (; *label; label++)
        text_add_char(&lower, (char)tolower((unsigned char)*label));
    return told_is_of_fast(text_view(&lower), &told->states);
}

/*
 * Of whom it is asked why it is slow: what it alone leaves for comes first. NULL: which is the slower one isn't told,
 * or it has nothing for itself.
 */
static const char *alone_words(const struct told *told, const struct imported_exits_gap *gap, const char *more,
                               const char *fewer, struct arena *arena)
{
    bool more_is_fast = is_of_fast(more, told), fewer_is_fast = is_of_fast(fewer, told);
    if (more_is_fast == fewer_is_fast || !more_is_fast)
        return NULL;
    struct imported_exits_alone alone = imported_exits_alone_of(gap->fewer, gap->more);
    if (!alone.reason.name)
        return NULL;
    const char *alike =
        alone.alike > 0 ? arena_printf(arena, ", where %s left %.15g times for what that asks for", more, alone.alike)
                        : "";
    return arena_printf(arena, "%s alone left %.15g times for %s%s", fewer, alone.reason.count,
                        reason_words(alone.reason.name, arena), alike);
}

static struct difference difference_of(const struct results *results, const struct imported_exits *exits,
                                       struct arena *arena)
{
    struct imported_exits_gap gap = imported_exits_gap_of(results->imported);
    if (!gap.known || gap.more->rows_unread > 0 || gap.fewer->rows_unread > 0) /* what it has none of may be there */
        return (struct difference){0};
    bool first = gap.more < gap.fewer;
    const char *one = label_of(gap.more, gap.fewer, first, arena),
               *other = label_of(gap.fewer, gap.more, !first, arena);
    const char *took = gap.by_time ? arena_printf(arena, " (%s)", seconds_words(gap.most.seconds, arena)) : "";
    const char *beside = gap.by_time && gap.least.count > 0
                             ? arena_printf(arena, " (%s)", seconds_words(gap.least.seconds, arena))
                             : "";
    const char *others = gap.least.count > 0 ? arena_printf(arena, "%.15g times%s", gap.least.count, beside) : "never";
    const char *words = arena_printf(arena, "%s left %.15g times for %s%s, %s %s", one, gap.most.count,
                                     reason_words(gap.most.name, arena), took, other, others);
    const char *alone = alone_words(results->told, &gap, one, other, arena);
    return (struct difference){alone ? arena_printf(arena, "%s; %s", alone, words) : words,
                               gap.more == exits->table && exits->foremost.name &&
                                   strcasecmp(gap.most.name, exits->foremost.name) == 0};
}

/* Of two guests whose exits have no times, the one that is asked about: the slower one, where that is told. */
static struct imported_exits exits_asked(const struct results *results, struct arena *arena)
{
    struct imported_exits_gap gap = imported_exits_gap_of(results->imported);
    struct imported_exits most = imported_exits_of(results->imported);
    if (!gap.known || gap.by_time || most.seconds.known || !results->told)
        return most;
    bool more_is_fast = is_of_fast(label_of(gap.more, gap.fewer, gap.more < gap.fewer, arena), results->told),
         fewer_is_fast = is_of_fast(label_of(gap.fewer, gap.more, gap.fewer < gap.more, arena), results->told);
    return more_is_fast == fewer_is_fast ? most : imported_exits_in(more_is_fast ? gap.fewer : gap.more);
}

/* ---- what to do ---- */

bool imported_reads_slow_clock(const char *function)
{
    static const char *const readers[] = {"read_hpet", "acpi_pm_read", "acpi_pm_read_verified", "read_pmtmr"};
    for (size_t reader = 0; reader < array_count(readers); reader++)
        if (strcmp(function, readers[reader]) == 0)
            return true;
    return false;
}

/* Clocks that a hypervisor emulates, by who reads them in a profile, or by what the kernel says it uses. */
static bool reads_clock(const struct imported *imported)
{
    for (size_t at = 0; at < imported->count; at++) {
        if (imported->tables[at].kind == IMPORTED_CLOCK)
            return true;
        for (size_t row = 0; row < imported->tables[at].count; row++)
            if (imported_reads_slow_clock(imported->tables[at].rows[row].name))
                return true;
    }
    return false;
}

static const char *advice_key(const struct imported *imported, const char *name)
{
    static const struct {
        const char *name, *key;
    } reasons[] = {{"IO_INSTRUCTION", "advice-device"},
                   {"io", "advice-device"},
                   {"EPT_MISCONFIG", "advice-device"},
                   {"EPT_VIOLATION", "advice-unmapped"},
                   {"npf", "advice-nested-fault"},
                   {"CPUID", "advice-cpuid"},
                   {"cpuid", "advice-cpuid"},
                   {"PAUSE_INSTRUCTION", "advice-pause"},
                   {"pause", "advice-pause"}};
    uint64_t number;
    bool numbered = view_u64(view_of(name), 0, &number);
    const struct exit_reason *reason =
        numbered ? exit_reason_find(EXIT_ISA_VMX, number) : exit_reason_named(EXIT_ISA_NONE, name);
    reason = reason || !numbered ? reason : exit_reason_find(EXIT_ISA_SVM, number);
    for (size_t at = 0; reason && at < array_count(reasons); at++)
        if (strcmp(reason->name, reasons[at].name) == 0)
            return strcmp(reasons[at].key, "advice-device") == 0 && reads_clock(imported) ? "advice-clock"
                                                                                          : reasons[at].key;
    enum exit_class class = reason ? reason->class : EXIT_CLASS_OTHER;
    return class == EXIT_CLASS_INTERRUPT                              ? "advice-interrupts"
           : class == EXIT_CLASS_ARMING || class == EXIT_CLASS_TIMER ? "advice-arming"
                                                                      : "advice-other";
}

/* ---- the verdict ---- */

enum telling {
    TELLS_NO_PERIOD,
    TELLS_IMPOSSIBLE,
    TELLS_NO_CPUS, /* much on one of them */
    TELLS_SPREAD,  /* much on one, little on all */
    TELLS_NEAR,
    TELLS_UNREAD, /* little, by the rows that were read */
    TELLS_LITTLE,
    TELLS_MUCH,
};

static enum telling telling_of(const struct imported_exits *exits, double effect, double *ret_bound)
{
    static const double CLOCKS_DIFFER = 1.05;
    double period = exits->table->elapsed_s, cpus = exits->table->cpus, seconds = exits->seconds.value;
    if (!(period > 0))
        return TELLS_NO_PERIOD;
    if (cpus > 0 && seconds > CLOCKS_DIFFER * period * cpus)
        return TELLS_IMPOSSIBLE;
    *ret_bound =
        (seconds + exits->left_out_s + ENTRY_S * (exits->count.value - exits->idle) + WAKING_S * exits->idle) / period;
    if (*ret_bound < effect)
        return exits->table->rows_unread > 0 ? TELLS_UNREAD : TELLS_LITTLE;
    if (seconds < effect * period)
        return TELLS_NEAR;
    if (!(cpus > 0))
        return TELLS_NO_CPUS;
    return seconds >= effect * period * cpus ? TELLS_MUCH : TELLS_SPREAD;
}

static const char *const telling_keys[] = {
    [TELLS_NO_PERIOD] = "imported-exits-undecided", [TELLS_IMPOSSIBLE] = "imported-exits-impossible",
    [TELLS_NO_CPUS] = "imported-exits-cpus",        [TELLS_SPREAD] = "imported-exits-spread",
    [TELLS_NEAR] = "imported-exits-near",           [TELLS_LITTLE] = "imported-exits-bound",
    [TELLS_MUCH] = "imported-exits-headline",       [TELLS_UNREAD] = "imported-exits-unread",
};

/* "160 s (20.0 s on 8 virtual CPUs)" */
static const char *period_words(const struct imported_table *table, struct arena *arena)
{
    const char *period = seconds_words(table->elapsed_s, arena);
    return !(table->cpus > 0) ? period
           : table->cpus > 1  ? arena_printf(arena, "%s (%s on %.15g virtual CPUs)",
                                             seconds_words(table->elapsed_s * table->cpus, arena), period, table->cpus)
                              : arena_printf(arena, "%s on one virtual CPU", period);
}

/* As it stands; a number with its name. */
static const char *commonest_words(const struct imported_exits *exits, struct arena *arena)
{
    uint64_t number;
    return view_u64(view_of(exits->commonest), 0, &number) ? reason_words(exits->commonest, arena) : exits->commonest;
}

/* " in the rows that were read (not: 2)"; "": all were */
static const char *read_words(const struct imported_table *table, struct arena *arena)
{
    bool all = !(table->rows_unread > 0);
    return all ? "" : arena_printf(arena, " in the rows that were read (not: %.15g)", table->rows_unread);
}

/*
 * Without times: what all of them may have taken, of one virtual CPU's. Exits that the kernel handles by itself take a
 * few us, those for a device or memory may take far more.
 */
static double untimed_most(const struct imported_exits *exits)
{
    static const double SHORT_S = 10e-6, LONG_S = 100e-6;
    double most_s = 0;
    for (size_t at = 0; at < exits->table->count; at++) {
        const struct exit_reason *reason = exit_reason_named(EXIT_ISA_NONE, exits->table->rows[at].name);
        enum exit_class class = reason ? reason->class : EXIT_CLASS_OTHER;
        most_s += exits->table->rows[at].number *
                  (class == EXIT_CLASS_OTHER ? LONG_S : class == EXIT_CLASS_IDLE ? WAKING_S : SHORT_S);
    }
    return exits->table->elapsed_s > 0 && !(exits->table->rows_unread > 0) ? most_s / exits->table->elapsed_s : 1;
}

static void without_times(const struct results *results, struct finding *finding, const struct imported_exits *exits,
                          const char *differ)
{
    double most = untimed_most(exits);
    struct value values[] = {VALUE_TEXT("origin", IMPORTED_WORDS), VALUE_COUNT("exits", exits->count.value),
                             VALUE_TEXT("reason", commonest_words(exits, finding->arena)),
                             VALUE_SHARE("share", interval_exactly(exits->commonest_share)),
                             VALUE_TEXT("file", exits->file), VALUE_TEXT("differ", differ ? differ : ""),
                             VALUE_TEXT("read", read_words(exits->table, finding->arena)),
                             VALUE_SHARE("bound", interval_exactly(most)),
                             VALUE_TEXT("period", seconds_words(exits->table->elapsed_s, finding->arena))};
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-exits", values, array_count(values));
    if (most < results->effect) {
        finding_decide_bound(finding, most, results->effect);
        finding->of = OF_ELAPSED;
        finding_set_add(finding, &finding->reason, "imported-exits-rare", values, array_count(values));
        return;
    }
    finding_set_add(finding, &finding->reason, differ ? "imported-exits-more" : "imported-exits-untimed", values,
                    array_count(values));
}

static void with_times(const struct results *results, struct finding *finding, const struct imported_exits *exits,
                       struct difference difference)
{
    const char *differ = difference.words;
    double bound = 0;
    const struct imported_exits_reason *foremost = &exits->foremost;
    enum telling telling = telling_of(exits, results->effect, &bound);
    const char *name = foremost->name ? foremost->name : exits->commonest;
    struct value values[] = {
        VALUE_TEXT("origin", IMPORTED_WORDS),
        VALUE_COUNT("exits", exits->count.value),
        VALUE_TEXT("reason", reason_words(name, finding->arena)),
        VALUE_COUNT("count", foremost->count),
        VALUE_SECONDS("took", interval_exactly(foremost->seconds)),
        VALUE_SECONDS("each", interval_exactly(foremost->count > 0 ? foremost->seconds / foremost->count : 0)),
        VALUE_TEXT("file", exits->file),
        VALUE_SECONDS("seconds", interval_exactly(exits->seconds.value)),
        VALUE_TEXT("period", period_words(exits->table, finding->arena)),
        VALUE_SHARE("bound", interval_exactly(bound)),
        VALUE_TEXT("differ", differ ? differ : ""),
        VALUE_TEXT("read", read_words(exits->table, finding->arena)),
    };
    finding_evidence_add(finding, telling == TELLS_MUCH ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT,
                         "imported-exit-times", values, array_count(values));
    if (telling == TELLS_LITTLE) {
        finding_decide_bound(finding, bound, results->effect);
        finding->of = OF_ELAPSED;
    }
    if (telling != TELLS_MUCH) {
        finding_set_add(finding, &finding->reason, telling_keys[telling], values, array_count(values));
        if (differ && telling != TELLS_LITTLE)
            finding_set(finding, reason, "imported-exits-times-more", VALUE_TEXT("differ", differ),
                        VALUE_TEXT("rest", finding->reason));
        return;
    }
    double share = exits->seconds.value / (exits->table->elapsed_s * exits->table->cpus);
    finding_decide_fact(finding, interval_exactly(share < 1 ? share : 1), results->effect);
    finding->of = OF_ELAPSED;
    finding->is_own_doing = true; /* somebody counted them because it was slow */
    finding_set_add(finding, &finding->headline,
                    differ && difference.is_foremost ? "imported-exits-headline-differ" : telling_keys[telling], values,
                    array_count(values));
    finding_advise_add(finding, advice_key(results->imported, name), values, array_count(values));
    finding_set_add(finding, &finding->confirm, "confirm-exits", values, array_count(values));
}

/*
 * Without its period a host's table decides nothing: beside a run of ours it may have been a part of that.
 */
bool imported_exits_test(const struct results *results, struct finding *finding)
{
    struct imported_exits exits = exits_asked(results, finding->arena);
    if (!exits.count.known)
        return false;
    struct difference difference = difference_of(results, &exits, finding->arena);
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->remedy = NULL;
    finding->evidence_count = 0;
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    if (exits.seconds.known)
        with_times(results, finding, &exits, difference);
    else
        without_times(results, finding, &exits, difference.words);
    if (difference.words)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-exits-differ",
                         VALUE_TEXT("differ", difference.words), VALUE_TEXT("file", exits.file),
                         VALUE_TEXT("origin", IMPORTED_WORDS));
    return true;
}

/* ---- beside a gap that is told ---- */

/* Halts left out; of a second where both tell over which time they were counted. */
static double busy_exits(const struct imported_table *table, const struct imported_table *other)
{
    struct imported_exits exits = imported_exits_in(table);
    double count = exits.count.value - exits.idle;
    return table->elapsed_s > 0 && other->elapsed_s > 0 ? count / table->elapsed_s : count;
}

const char *imported_exits_with_gap(const struct results *results, const struct findings *findings, const char *key,
                                    struct arena *arena)
{
    static const double MANY_TIMES = 10;
    struct imported_exits_gap gap = imported_exits_gap_of(results->imported);
    const struct finding *exits = findings_find(findings, "vm-exits");
    if (!results->told || !gap.known || !exits || exits->verdict != VERDICT_UNDECIDED)
        return NULL;
    const char *more = label_of(gap.more, gap.fewer, gap.more < gap.fewer, arena),
               *fewer = label_of(gap.fewer, gap.more, gap.fewer < gap.more, arena);
    if (busy_exits(gap.more, gap.fewer) < MANY_TIMES * busy_exits(gap.fewer, gap.more) ||
        is_of_fast(more, results->told)) /* whoever has more of them is the faster one */
        return NULL;
    struct value values[] = {VALUE_SHARE("gap", results->told->gap),
                             VALUE_TEXT("sentence", results->told->gap_sentence),
                             VALUE_TEXT("origin", IMPORTED_WORDS),
                             VALUE_TEXT("more", more),
                             VALUE_TEXT("fewer", fewer),
                             VALUE_COUNT("count", imported_exits_in(gap.more).count.value),
                             VALUE_COUNT("others", imported_exits_in(gap.fewer).count.value),
                             VALUE_TEXT("file", gap.more->file)};
    return wording_fill(arena, wording_find("verdict", key), values, array_count(values));
}
