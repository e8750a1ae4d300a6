/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a trial that somebody told of says: a cause that was taken away without effect is none, and one whose absence
 * closed the gap is.
 *
 * By words, so never surer than LOW by itself. A trial that changed two things at once supports their common finding
 * and leaves open which. How much it returned decides where somebody told that.
 */
#include "analyse/exits/exit_reason.h"
#include "analyse/imported_window.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "finding/wording.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct finding *finding, const char *id)
{
    return strcmp(finding->hypothesis->id, id) == 0;
}

/* Pages were changed on one side alone: its own counts most, then both. Ticks and vectors have no sides. */
static int nearness(const struct told_trial *trial, bool is_host)
{
    bool both = trial->on_host == trial->on_guest;
    return trial->treatment != TREATMENT_PAGES || both ? 1 : trial->on_host == is_host ? 2 : 0;
}

/* A part is no more than the whole gap, where that was told. */
static struct interval part_returned(const struct told *told, const struct told_return *returned)
{
    struct interval share = returned->share;
    if (returned->of_gap.known && told->gap.known)
        return interval_product(returned->of_gap, told->gap);
    if (!share.known || !told->gap.known || told->gap.high < share.low)
        return share;
    return interval_clamped(share, 0, told->gap.high);
}

/* The same change, by how much faster it was with it: how large the gap was that a trial closed; NULL: none. */
static const struct told_trial *sized_by(const struct told *told, const struct told_trial *trial)
{
    if (trial->outcome != OUTCOME_GONE || told->gap.known)
        return NULL;
    for (size_t at = 0; at < told->trial_count; at++) {
        const struct told_trial *other = &told->trials[at];
        bool is_of_side = (other->on_host == trial->on_host && other->on_guest == trial->on_guest) ||
                          (!other->on_host && !other->on_guest);
        if (other->treatment == trial->treatment && other->outcome == OUTCOME_FASTER && is_of_side)
            return other;
    }
    return NULL;
}

/* How much of the time the trial returned; unknown: nobody told. */
static struct interval returned_by(const struct told *told, const struct told_trial *trial)
{
    switch (trial->outcome) {
    case OUTCOME_FASTER:
        return trial->number;
    case OUTCOME_GONE:
        return trial->is_of_spikes     ? (struct interval){0}
               : sized_by(told, trial) ? sized_by(told, trial)->number
                                       : told->gap;
    case OUTCOME_SHRANK:
        return part_returned(told, &trial->returned);
    default:
        return (struct interval){0};
    }
}

/* It returned something, and less than is asked about. */
static bool is_small(const struct told *told, const struct told_trial *trial, double effect)
{
    struct interval returned = returned_by(told, trial);
    return trial->outcome != OUTCOME_GONE && returned.known && returned.high < effect;
}

enum effect_kind { EFFECT_NONE, EFFECT_PART, EFFECT_ALL };

static enum effect_kind kind_of(const struct told *told, const struct told_trial *trial, double effect)
{
    if (trial->outcome == OUTCOME_STAYED || is_small(told, trial, effect))
        return EFFECT_NONE;
    return trial->outcome == OUTCOME_SHRANK ? EFFECT_PART : EFFECT_ALL;
}

bool imported_trial_helped(const struct told *told, const struct told_trial *trial, double effect)
{
    return kind_of(told, trial, effect) != EFFECT_NONE;
}

/* "Half of the gap is gone" and "61 GFLOP/s before, 70 after" of a gap to 80 say the same. */
static bool are_alike(const struct told *told, const struct told_trial *one, const struct told_trial *other,
                      double effect)
{
    const struct told_trial *part = one->outcome == OUTCOME_SHRANK ? one : other, *amount = part == one ? other : one;
    bool is_within = part->outcome == OUTCOME_SHRANK && amount->outcome == OUTCOME_FASTER && amount->number.known &&
                     told->gap.known && amount->number.high < told->gap.high;
    return kind_of(told, one, effect) == kind_of(told, other, effect) ||
           (is_within && kind_of(told, part, effect) != EFFECT_NONE && kind_of(told, amount, effect) != EFFECT_NONE);
}

/* The same, with an amount that the other one lacks. */
static bool is_told_closer(const struct told *told, const struct told_trial *one, const struct told_trial *found,
                           bool is_host, double effect)
{
    return nearness(one, is_host) == nearness(found, is_host) && are_alike(told, one, found, effect) &&
           found->outcome == OUTCOME_SHRANK && !found->returned.share.known && one->outcome == OUTCOME_FASTER;
}

/* ret_contrary: another trial of the same that came out otherwise; NULL: none. */
static const struct told_trial *trial_of_side(const struct told *told, enum treatment treatment, bool is_host,
                                              double effect, const struct told_trial **ret_contrary)
{
    const struct told_trial *found = NULL;
    *ret_contrary = NULL;
    for (size_t at = 0; at < told->trial_count; at++) {
        const struct told_trial *one = &told->trials[at];
        if (one->treatment == treatment && (!found || nearness(one, is_host) > nearness(found, is_host) ||
                                            is_told_closer(told, one, found, is_host, effect)))
            found = one;
    }
    for (size_t at = 0; found && at < told->trial_count; at++) {
        const struct told_trial *other = &told->trials[at];
        if (other->treatment == treatment && nearness(other, is_host) == nearness(found, is_host) &&
            !are_alike(told, other, found, effect))
            *ret_contrary = other;
    }
    return found;
}

static bool has_calls(const struct imported *imported)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count; row++)
            if (strstr(imported->tables[at].rows[row].name, "system calls") ||
                strcmp(imported->tables[at].rows[row].name, SHARE_KERNEL) == 0)
                return true;
    return false;
}

static bool has_helped(const struct results *results, enum treatment treatment)
{
    const struct told *told = results->told;
    bool helped = false;
    for (size_t at = 0; at < told->trial_count; at++)
        helped |=
            told->trials[at].treatment == treatment && kind_of(told, &told->trials[at], results->effect) != EFFECT_NONE;
    return helped;
}

static bool counts_decoding(const struct imported *imported)
{
    return imported && imported_number(imported, IMPORTED_STAT, "idq.mite_uops", NULL).known;
}

/* A function that copies is the hottest: what is allocated ahead isn't copied each time it grows. */
static bool copies_most(const struct imported *imported)
{
    struct imported_hot hot = imported ? imported_hot_of(imported) : (struct imported_hot){0};
    return hot.function && (strstr(hot.function, "memmove") || strstr(hot.function, "memcpy"));
}

/* No run that was counted kept more than one CPU busy: any number of threads is more. */
static bool is_of_one_cpu(const struct imported *imported)
{
    static const double ALONE_MOST = 1.5;
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    double most = 0;
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++) {
        struct measured busy = measured_ratio(imported_arm_cpu_s(&arms[at]), imported_arm_length(&arms[at]));
        most = busy.known ? fmax(most, busy.value) : most;
    }
    return most > 0 && most < ALONE_MOST;
}

/* By its metric memory that is busy is as much as is asked about: smaller numbers may spare arithmetic alone, too. */
static bool waits_for_bandwidth(const struct results *results)
{
    struct measured own = results->imported
                              ? imported_number(results->imported, IMPORTED_METRICS, "tma_mem_bandwidth", NULL)
                              : not_measured("");
    return own.known && own.value / 100 >= results->effect;
}

/* What a change that may take one of several causes away was about is told by what was counted. */
static bool is_of_cause(const struct results *results, const struct finding *finding, enum treatment treatment)
{
    static const double CACHE_BYTES = 32 * 1024; /* of instructions, at least */
    double loop = results->told->loop_bytes;
    switch (treatment) {
    case TREATMENT_TICK: /* exits that no tick makes, which a trial of theirs decides */
        return !is(finding, "vm-exits") || !has_helped(results, TREATMENT_HALT_POLL);
    case TREATMENT_NO_LIMIT:
        return told_has_quota(results->imported) || results->told->names_quota;
    case TREATMENT_BUFFER:
        return has_calls(results->imported);
    case TREATMENT_FAULTED_AHEAD:
        return is(finding, "copying") == copies_most(results->imported);
    case TREATMENT_SMALLER_NUMBERS:
        return waits_for_bandwidth(results);
    case TREATMENT_LESS_UNROLLING: /* by how large the loop was, or that decoding was counted */
        return loop > 0 ? is(finding, "front-end") == (loop > CACHE_BYTES)
                        : is(finding, "uop-cache") && counts_decoding(results->imported);
    default:
        return true;
    }
}

enum {
    MAY_FAIL = 1, /* though the cause is there: without effect it says little */
    OPENS = 2,    /* with effect it leaves open what the hypothesis's "told-open" says */
    UNSURE = 4    /* with effect it may have been another cause, too: "told-unsure" says which */
};

/* What is tried against a cause. */
static const struct attempt {
    const char *id;
    enum treatment treatment;
    unsigned how;
} attempts[] = {{"vm-exits", TREATMENT_TICK, 0},
                {"vm-exits", TREATMENT_HALT_POLL, MAY_FAIL | OPENS}, /* others may take the time */
                {"timer-tick", TREATMENT_TICK, 0},
                {"small-pages", TREATMENT_PAGES, 0},
                {"host-small-pages", TREATMENT_PAGES, 0},
                {"avx512-licence", TREATMENT_NARROW, 0},
                {"numa-remote", TREATMENT_LOCAL_MEMORY, 0},
                {"steal", TREATMENT_VCPU_PINNING, OPENS},
                {"migrations", TREATMENT_PINNING, OPENS},
                {"smt-sharing", TREATMENT_NO_SMT, 0},
                {"dram-latency", TREATMENT_PREFETCH, 0},
                {"system-calls", TREATMENT_NO_MITIGATIONS, MAY_FAIL | OPENS}, /* they cost without them, too */
                {"allocation", TREATMENT_ALLOCATOR, MAY_FAIL | OPENS},        /* the other one may cost as much */
                {"frequency", TREATMENT_GOVERNOR, 0},
                {"cpu-quota", TREATMENT_NO_QUOTA, 0},
                {"swap", TREATMENT_NO_SWAP, MAY_FAIL}, /* mapped files are read back all the same */
                {"contended-lines", TREATMENT_PADDING, 0},
                {"denormals", TREATMENT_FLUSH, 0},
                {"unoptimised-build", TREATMENT_OPTIMISED, 0},
                {"numa-remote", TREATMENT_INTERLEAVE, 0},
                {"numa-remote", TREATMENT_MOVED_MEMORY, MAY_FAIL}, /* it may lie as far off there */
                {"thermal-power", TREATMENT_POWER, 0},
                {"page-faults", TREATMENT_KEPT_MEMORY, 0},
                {"oversubscribed", TREATMENT_THREADS_PER_CPU, 0},
                {"oversubscribed", TREATMENT_FEWER_THREADS, UNSURE},
                {"system-calls", TREATMENT_CLOCK_SOURCE, 0},
                {"front-end", TREATMENT_CODE_PAGES, MAY_FAIL}, /* misses of the caches stay as many on huge pages */
                {"cpu-quota", TREATMENT_NO_LIMIT, 0},
                {"garbage-collection", TREATMENT_HEAP, MAY_FAIL}, /* a larger one has more to go over */
                {"system-calls", TREATMENT_BUFFER, MAY_FAIL},
                {"front-end", TREATMENT_LESS_UNROLLING, MAY_FAIL},
                {"uop-cache", TREATMENT_LESS_UNROLLING, MAY_FAIL},
                {"swap", TREATMENT_MORE_MEMORY, MAY_FAIL},
                {"branch-mispredicts", TREATMENT_NO_BRANCHES, MAY_FAIL}, /* compilers may have made it so before */
                {"lock-turns", TREATMENT_FINER_LOCK, MAY_FAIL},
                {"divider", TREATMENT_NO_DIVISION, MAY_FAIL},
                {"narrow-vectors", TREATMENT_WIDER, MAY_FAIL},
                {"page-faults", TREATMENT_FAULTED_AHEAD, MAY_FAIL}, /* they may only have come earlier */
                {"copying", TREATMENT_FAULTED_AHEAD, MAY_FAIL},
                {"idle-cpus", TREATMENT_MORE_THREADS, MAY_FAIL | OPENS}, /* they may take turns */
                {"idle-cpus", TREATMENT_SET_THREADS, MAY_FAIL | UNSURE},
                {"memory-bandwidth", TREATMENT_SMALLER_NUMBERS, MAY_FAIL | OPENS},
                {"page-faults", TREATMENT_NO_BALANCING, MAY_FAIL}, /* most faults are of other kinds */
                {"system-calls", TREATMENT_BATCHED_CALLS, MAY_FAIL},
                {"interrupts", TREATMENT_MOVED_INTERRUPTS, 0},
                {"steal", TREATMENT_OWN_HOST, 0},
                {"instrumented-build", TREATMENT_NO_INSTRUMENTATION, 0},
                {"front-end", TREATMENT_COMPACT_CODE, MAY_FAIL},
                {"load-chain", TREATMENT_FLAT_DATA, MAY_FAIL},
                {"copying", TREATMENT_NO_COPIES, 0},
                {"waiting", TREATMENT_NO_DISK, MAY_FAIL}, /* it waits for much else */
                {"waiting", TREATMENT_FASTER_DISK, MAY_FAIL},
                {"oversubscribed", TREATMENT_MORE_CPUS, UNSURE},
                {"small-pages", TREATMENT_NO_HUGE_PAGES, 0},
                {"host-small-pages", TREATMENT_NO_HUGE_PAGES, 0},
                {"page-faults", TREATMENT_NO_HUGE_PAGES, MAY_FAIL}}; /* their number grows */

static bool attempt_is(const struct finding *finding, enum treatment treatment, unsigned how)
{
    for (size_t at = 0; at < array_count(attempts); at++)
        if (attempts[at].treatment == treatment && is(finding, attempts[at].id))
            return attempts[at].how & how;
    return false;
}

static const struct told_trial *trial_for(const struct results *results, const struct finding *finding,
                                          const struct told_trial **ret_contrary)
{
    const struct told_trial *found = NULL;
    for (size_t at = 0; at < array_count(attempts) && !found; at++)
        if (is(finding, attempts[at].id) && is_of_cause(results, finding, attempts[at].treatment))
            found = trial_of_side(results->told, attempts[at].treatment, is(finding, "host-small-pages"),
                                  results->effect, ret_contrary);
    return found;
}

static double sum_of(const struct imported_table *table, const char *part)
{
    double sum = 0;
    for (size_t row = 0; row < table->count; row++)
        sum += !part || strcasestr(table->rows[row].name, part) ? table->rows[row].number : 0;
    return sum;
}

static const struct imported_table *exits_table(const struct imported *imported, size_t wanted)
{
    for (size_t at = 0; at < imported->count; at++)
        if (imported->tables[at].kind == IMPORTED_EXITS && wanted-- == 0)
            return &imported->tables[at];
    return NULL;
}

static const char *table_words(const struct imported_table *table)
{
    return table->heading[0] ? table->heading : table->file;
}

/* Two tables beside one another: how many exits each side had. */
static void say_exits(const struct results *results, struct finding *finding)
{
    const struct imported_table *first = exits_table(results->imported, 0), *second = exits_table(results->imported, 1);
    if (first && second)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-beside",
                         VALUE_TEXT("one", table_words(first)), VALUE_COUNT("count", sum_of(first, NULL)),
                         VALUE_TEXT("other", table_words(second)), VALUE_COUNT("others", sum_of(second, NULL)),
                         VALUE_TEXT("file", second->file));
}

/* Pages that were missing behind the guest: many on one side alone go with small pages there. */
static void say_violations(const struct results *results, struct finding *finding)
{
    const struct imported_table *first = exits_table(results->imported, 0), *second = exits_table(results->imported, 1);
    if (!first || !second)
        return;
    double one = sum_of(first, "EPT_VIOLATION") + sum_of(first, "NPF"),
           other = sum_of(second, "EPT_VIOLATION") + sum_of(second, "NPF");
    if ((one <= 0 && other <= 0) || (one < 10 * other && other < 10 * one))
        return;
    const struct imported_table *most = one > other ? first : second;
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-violations",
                     VALUE_TEXT("one", table_words(most)), VALUE_COUNT("count", one > other ? one : other),
                     VALUE_COUNT("others", one > other ? other : one));
}

/* Of all but halts those exits that no timer makes, by their time where the table has it. */
struct tickless {
    double share; /* 0..1; 0: no table */
    const char *reason;
    bool by_time;
};

static const struct exit_reason *reason_of(const char *name)
{
    uint64_t number;
    bool numbered = view_u64(view_of(name), 0, &number);
    const struct exit_reason *reason =
        numbered ? exit_reason_find(EXIT_ISA_VMX, number) : exit_reason_named(EXIT_ISA_NONE, name);
    return reason || !numbered ? reason : exit_reason_find(EXIT_ISA_SVM, number);
}

/* Its timer's interrupt goes this way, or it is armed so: whether a tick made such an exit isn't told. */
static bool may_be_of_tick(const struct exit_reason *reason)
{
    static const char *const names[] = {"INTERRUPT_WINDOW",
                                        "TPR_BELOW_THRESHOLD",
                                        "APIC_ACCESS",
                                        "APIC_WRITE",
                                        "EOI_INDUCED",
                                        "vintr",
                                        "write_cr8",
                                        "avic_unaccelerated_access",
                                        "vmgexit", /* of what the guest asks for, its writes of MSRs are one kind */
                                        "KVM_EXIT_INTR",
                                        "KVM_EXIT_IRQ_WINDOW_OPEN",
                                        "KVM_EXIT_IOAPIC_EOI",
                                        "KVM_EXIT_X86_WRMSR"};
    for (size_t at = 0; at < array_count(names); at++)
        if (strcmp(reason->name, names[at]) == 0)
            return true;
    return reason->class != EXIT_CLASS_OTHER;
}

static struct tickless tickless_of(const struct imported *imported)
{
    struct tickless found = {.by_time = imported_exits_of(imported).seconds.known};
    double all = 0, others = 0, most = 0;
    for (size_t at = 0; exits_table(imported, at); at++)
        for (size_t row = 0; row < exits_table(imported, at)->count; row++) {
            const struct imported_row *here = &exits_table(imported, at)->rows[row];
            const struct exit_reason *reason = reason_of(here->name);
            double amount = found.by_time ? here->seconds : here->number;
            bool is_other = !reason || !may_be_of_tick(reason);
            all += reason && reason->class == EXIT_CLASS_IDLE ? 0 : amount;
            others += is_other ? amount : 0;
            found.reason = is_other && amount > most ? here->name : found.reason;
            most = is_other && amount > most ? amount : most;
        }
    found.share = all > 0 ? others / all : 0;
    return found;
}

/* What came back is of the time that requests take each. */
static bool is_of_latency(const struct told *told, const struct told_trial *trial)
{
    bool by_gap = trial->outcome == OUTCOME_GONE || (trial->outcome == OUTCOME_SHRANK && !trial->returned.share.known);
    return trial->is_of_latency || (by_gap && told->gap_is_of_latency);
}

static void say_trial(struct finding *finding, const struct told_trial *trial, enum weight weight)
{
    finding_evidence(finding, weight, ORIGIN_STATEMENT, "told-trial", VALUE_TEXT("sentence", trial->sentence));
    finding->imported_kinds |= 1u << ORIGIN_RUNS;
}

static void rule_out(const struct results *results, const struct told *told, struct finding *finding,
                     const struct told_trial *trial)
{
    bool small = trial->outcome != OUTCOME_STAYED;
    struct interval returned = small ? returned_by(told, trial) : (struct interval){0};
    finding->verdict = VERDICT_RULED_OUT;
    finding->by_trial = !small || is_of_latency(told, trial);
    finding->of = OF_ELAPSED;
    finding->recoverable = finding->by_trial ? (struct interval){0} : returned;
    say_trial(finding, trial, WEIGHT_FOR);
    if (trial->treatment == TREATMENT_TICK)
        say_exits(results, finding);
    finding_set(finding, reason,
                !small              ? "told-stayed"
                : finding->by_trial ? "told-small-latency"
                                    : "told-small",
                VALUE_TEXT("sentence", trial->sentence), VALUE_SHARE("gain", returned));
}

static bool is_said(const struct finding *finding, const char *sentence)
{
    bool found = false;
    for (size_t at = 0; at < finding->evidence_count && !found; at++)
        found = strstr(finding->evidence[at].text, sentence);
    return found;
}

static void leave_open(struct finding *finding, const char *key, const struct told_trial *trial)
{
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    if (!is_said(finding, trial->sentence))
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-trial",
                         VALUE_TEXT("sentence", trial->sentence));
    finding_set(finding, reason, key, VALUE_TEXT("sentence", trial->sentence));
}

/* As the sentence rounds it: 1.41 of 1.412. */
static bool is_rounded(double number, const char *said, const char *end)
{
    const char *point = memchr(said, '.', (size_t)(end - said));
    double step = pow(10, point ? (double)(point + 1 - end) : 0);
    return fabs(strtod(said, NULL) - number) <= step / 2 * 1.001;
}

/* A run that tells how far its like differ took that long. */
static bool is_of_spread_run(const struct imported *imported, double factor, const char *said, const char *end)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_RUNS; row++) {
            const struct imported_row *run = &imported->tables[at].rows[row];
            if (run->seconds > 0 && is_rounded(run->number / factor, said, end))
                return true;
        }
    return false;
}

/* The sentence has times, and none of them is of a run that tells its spread: it speaks of other runs. */
static bool is_of_other_runs(const struct imported *imported, const char *sentence)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"seconds", 1}, {"sec", 1}, {"ms", 1e-3}};
    bool has_times = false;
    for (const char *at = sentence, *end; *at; at = end) {
        end = at + strspn(at, "0123456789.");
        bool is_number = end > at && (at == sentence || !isalnum((unsigned char)at[-1]));
        const char *unit = end + (*end == ' ');
        size_t length = strspn(unit, "abcdefghijklmnopqrstuvwxyz");
        for (size_t one = 0; one < array_count(units) && is_number; one++) {
            if (strlen(units[one].unit) != length || strncmp(unit, units[one].unit, length) != 0)
                continue;
            has_times = true;
            if (is_of_spread_run(imported, units[one].seconds, at, end))
                return false;
        }
        end += end == at;
    }
    return has_times;
}

/* It returned no more than runs of one thing differ by, as somebody measured beside it: that may be chance. */
static bool is_within_spread(const struct results *results, const struct told_trial *trial)
{
    struct interval returned = returned_by(results->told, trial);
    struct measured spread = imported_spread_of(results->imported);
    if (spread.known && is_of_other_runs(results->imported, trial->sentence))
        return false;
    return trial->outcome != OUTCOME_STAYED && returned.known && spread.known && returned.high <= spread.value;
}

static void leave_to_chance(const struct results *results, struct finding *finding, const struct told_trial *trial)
{
    struct value spread = VALUE_SHARE("spread", interval_exactly(imported_spread_of(results->imported).value));
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-trial", VALUE_TEXT("sentence", trial->sentence));
    finding_set(finding, reason, "told-spread", VALUE_TEXT("sentence", trial->sentence),
                VALUE_SHARE("gain", returned_by(results->told, trial)), spread);
}

/* A smaller gap than there was: the cause was a part of it, and how much of it isn't told. */
static bool is_partial(const struct told *told, const struct told_trial *trial)
{
    static const double AS_LARGE = 0.8;
    bool less = trial->number.known && told->gap.known && trial->number.high < AS_LARGE * told->gap.high;
    return (trial->outcome == OUTCOME_SHRANK && !returned_by(told, trial).known) ||
           (trial->outcome == OUTCOME_STAYED && less);
}

/* It is faster by less than what it is slower than another by. */
static bool is_less_than_gap(const struct told *told, const struct told_trial *trial)
{
    static const double AS_LARGE = 0.8;
    return trial->outcome == OUTCOME_FASTER && trial->number.known && told->gap.known &&
           trial->number.high < AS_LARGE * told->gap.low;
}

/*
 * The gap that the trial closed is what it returned, where somebody said how large that was; or by as much as it is
 * faster.
 */
static void decide_by_gap(const struct results *results, const struct told *told, struct finding *finding,
                          const struct told_trial *trial)
{
    struct interval returned = returned_by(told, trial);
    finding->verdict = VERDICT_SUPPORTED;
    finding->of = OF_ELAPSED;
    finding->gain_unmeasured = !returned.known;
    finding->is_own_doing = true; /* somebody asked about this gap, whoever makes it */
    finding->recoverable = returned;
    if (!returned.known)
        return;
    if (returned.low < results->effect)
        finding->verdict = returned.high < results->effect ? VERDICT_RULED_OUT : VERDICT_UNDECIDED;
    if (is_of_latency(told, trial)) {
        finding->gain_unmeasured = true;
        finding->recoverable = (struct interval){0};
        finding_leave_open(finding, "told-latency", VALUE_SHARE("gain", returned),
                           VALUE_TEXT("change", told_change_name(trial->treatment)));
    }
    if (trial->outcome == OUTCOME_SHRANK || is_less_than_gap(told, trial))
        finding_leave_open(finding, "told-rest", VALUE_TEXT("change", told_change_name(trial->treatment)));
    if (sized_by(told, trial))
        say_trial(finding, sized_by(told, trial), WEIGHT_FOR);
    if (trial->outcome != OUTCOME_FASTER && told->gap_sentence)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-gap",
                         VALUE_TEXT("sentence", told->gap_sentence));
}

static const char *where_words(const struct told_trial *trial)
{
    static const char *const words[2][2] = {{"", " in the guest"}, {" on the host", " on host and guest"}};
    return words[trial->on_host][trial->on_guest];
}

static const char *outcome_words(const struct told_trial *trial)
{
    static const char *const words[OUTCOME_COUNT] = {[OUTCOME_GONE] = "the gap was gone",
                                                     [OUTCOME_FASTER] = "it was faster",
                                                     [OUTCOME_SHRANK] = "a part of the gap was gone",
                                                     [OUTCOME_STAYED] = "the gap stayed"};
    static const char *const of_spikes[OUTCOME_COUNT] = {[OUTCOME_GONE] = "what was slower at times was gone",
                                                         [OUTCOME_SHRANK] =
                                                             "a part of what was slower at times was gone",
                                                         [OUTCOME_STAYED] = "what was slower at times stayed so"};
    return trial->is_of_spikes && of_spikes[trial->outcome] ? of_spikes[trial->outcome] : words[trial->outcome];
}

static void say_there(struct finding *finding, const char *sentence)
{
    if (sentence)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-there", VALUE_TEXT("sentence", sentence));
}

/* The side that was tried first; the other where nobody says that it has them. */
static void advise_pages(const struct told *told, struct finding *finding, const struct told_trial *trial)
{
    bool has_sides = trial->on_host || trial->on_guest, guest_first = trial->on_guest && !trial->on_host;
    const char *there = guest_first ? told->host_pages_sentence : trial->on_guest ? NULL : told->guest_pages_sentence;
    const char *first = guest_first ? "told-advice-guest" : "told-advice-host",
               *second = guest_first ? "told-advice-host" : "told-advice-guest";
    finding_advise(finding, has_sides ? first : "told-advice", NO_VALUES);
    if (has_sides && !there)
        finding_advise(finding, second, NO_VALUES);
    if (has_sides)
        say_there(finding, there);
}

static void support_pages(const struct results *results, const struct told *told, struct finding *finding,
                          const struct told_trial *trial)
{
    bool both = trial->on_host && trial->on_guest;
    struct imported_hot hot = imported_hot_of(results->imported);
    const char *function = told->function_count ? told->functions[0] : hot.listed ? hot.listed : hot.function;
    decide_by_gap(results, told, finding, trial);
    say_trial(finding, trial, WEIGHT_FOR);
    say_violations(results, finding);
    if (hot.line) {
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-line", VALUE_TEXT("line", hot.line),
                         VALUE_SHARE("share", interval_exactly(hot.line_share)), VALUE_TEXT("file", hot.file),
                         VALUE_TEXT("origin", IMPORTED_WORDS));
        finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
        finding->subject = hot.line;
    }
    const char *loads = hot.line ? arena_printf(finding->arena, " ('%s')", hot.line) : "";
    finding_set(finding, headline, function ? "told-headline" : "told-change",
                VALUE_TEXT("function", function ? function : ""), VALUE_TEXT("loads", loads),
                VALUE_TEXT("title", finding->hypothesis->title),
                VALUE_TEXT("change", arena_printf(finding->arena, "%s%s", told_change_name(trial->treatment),
                                                  where_words(trial))),
                VALUE_TEXT("where", where_words(trial)), VALUE_TEXT("outcome", outcome_words(trial)),
                VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, returner, "told-returner", NO_VALUES);
    if (finding->verdict != VERDICT_SUPPORTED)
        finding_set(finding, reason, "told-undecided", VALUE_TEXT("sentence", trial->sentence));
    if (both)
        finding_leave_open(finding, "told-both", NO_VALUES);
    advise_pages(told, finding, trial);
    finding_set(finding, confirm, both ? "told-confirm-both" : "told-confirm", NO_VALUES);
}

static bool pages_test(const struct results *results, const struct told *told, struct finding *finding,
                       const struct told_trial *trial)
{
    bool both = trial->on_host == trial->on_guest, is_host = is(finding, "host-small-pages");
    if (is_host && !trial->on_host && !trial->on_guest)
        return false; /* no word of a host */
    if (!both && is_host != trial->on_host) {
        if (kind_of(told, trial, results->effect) == EFFECT_NONE)
            return false;
        const char *there = is_host ? told->host_pages_sentence : told->guest_pages_sentence;
        leave_open(finding, "told-other-side", trial);
        if (there)
            finding_set(finding, reason, "told-there", VALUE_TEXT("sentence", there));
        return true;
    }
    if (kind_of(told, trial, results->effect) == EFFECT_NONE)
        rule_out(results, told, finding, trial);
    else if (both && is_host)
        leave_open(finding, "told-both", trial);
    else
        support_pages(results, told, finding, trial);
    return true;
}

void imported_pages_there_beside(const struct results *results, struct finding *finding)
{
    const char *there = results->told->data_pages_sentence;
    bool of_walks = imported_number(results->imported, IMPORTED_METRICS, "tma_dtlb_load", NULL).known;
    if (!there || !is(finding, "small-pages") || finding->verdict != VERDICT_UNDECIDED || of_walks ||
        finding->pointed > 0 || !(finding->imported_kinds & 1u << ORIGIN_COUNTERS))
        return;
    finding->recoverable = (struct interval){0};
    say_there(finding, there);
    finding_set(finding, reason, "told-data-there", VALUE_TEXT("sentence", there));
}

/* Ticks are some of the exits: how many of them went with it, a table or the sentence must tell. */
static bool tells_exits(const struct results *results, const struct told_trial *trial)
{
    return exits_table(results->imported, 0) || strcasestr(trial->sentence, "exit");
}

/* Exits that no tick makes are as many without it: most of them, and the trial tells nothing of their cost. */
static bool stays_open_for_others(const struct results *results, struct finding *finding,
                                  const struct told_trial *trial)
{
    static const double MOST_OF = 0.5;
    struct tickless others = tickless_of(results->imported);
    if (!is(finding, "vm-exits") || others.share < MOST_OF)
        return false;
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    say_trial(finding, trial, WEIGHT_CONTEXT);
    finding_set(finding, reason, "told-tickless", VALUE_TEXT("sentence", trial->sentence),
                VALUE_SHARE("share", interval_exactly(others.share)),
                VALUE_TEXT("of", others.by_time ? "the time outside the guest" : "the exits"),
                VALUE_TEXT("reason", others.reason), VALUE_TEXT("origin", IMPORTED_WORDS));
    return true;
}

static bool tick_test(const struct results *results, const struct told *told, struct finding *finding,
                      const struct told_trial *trial)
{
    if (is(finding, "vm-exits") && !tells_exits(results, trial))
        return false;
    if (kind_of(told, trial, results->effect) == EFFECT_NONE && stays_open_for_others(results, finding, trial))
        return true;
    if (kind_of(told, trial, results->effect) == EFFECT_NONE) {
        rule_out(results, told, finding, trial);
        return true;
    }
    if (is(finding, "vm-exits"))
        return false;
    decide_by_gap(results, told, finding, trial);
    say_trial(finding, trial, WEIGHT_FOR);
    say_exits(results, finding);
    finding_set(finding, headline, "told-headline", VALUE_TEXT("outcome", outcome_words(trial)),
                VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, returner, "told-returner", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
    return true;
}

void imported_tick_beside(const struct results *results, struct finding *finding)
{
    const struct told_trial *contrary, *trial = trial_for(results, finding, &contrary);
    if (trial && !contrary && finding->verdict == VERDICT_SUPPORTED &&
        kind_of(results->told, trial, results->effect) != EFFECT_NONE)
        say_trial(finding, trial, WEIGHT_FOR);
}

static const char *own_or(const struct finding *finding, const char *own, const char *common)
{
    return wording_find(finding->hypothesis->id, own) ? own : common;
}

/* It may have been another cause, but for a table of the system that has this one. */
static bool is_counted_too(const struct results *results, const struct told *told, struct finding *finding,
                           const struct told_trial *trial)
{
    struct finding counted = *finding;
    counted.evidence_count = counted.advice_count = counted.open_count = counted.imported_kinds = 0;
    if (!imported_system_test(results, &counted) || counted.verdict != VERDICT_SUPPORTED)
        return false;
    *finding = counted;
    decide_by_gap(results, told, finding, trial);
    say_trial(finding, trial, WEIGHT_FOR);
    return true;
}

/* A class says that it is less than is asked about: with that goes that its remedy had no effect. */
static bool is_small_by_class(const struct results *results, const struct finding *finding)
{
    struct finding classed = *finding;
    classed.evidence_count = classed.advice_count = classed.open_count = classed.imported_kinds = 0;
    classed.verdict = VERDICT_UNDECIDED;
    return imported_metric_test(results, &classed) && classed.verdict == VERDICT_RULED_OUT;
}

/* A change that takes one cause away and has no sides. */
static bool change_test(const struct results *results, const struct told *told, struct finding *finding,
                        const struct told_trial *trial)
{
    /* a change that may fail although the cause is there */
    const char *stays_open = wording_find(finding->hypothesis->id, "told-stays-open");
    bool without_effect = kind_of(told, trial, results->effect) == EFFECT_NONE;
    if (without_effect && trial->treatment == TREATMENT_INTERLEAVE)
        return false; /* of interleaved memory most is on another node, too */
    if (without_effect && attempt_is(finding, trial->treatment, MAY_FAIL)) {
        say_trial(finding, trial, WEIGHT_CONTEXT);
        finding->imported_kinds = 0;
        return false;
    }
    if (without_effect && stays_open) {
        if (is_small_by_class(results, finding))
            return false;
        leave_open(finding, "told-stays-open", trial);
        return true;
    }
    if (without_effect) {
        rule_out(results, told, finding, trial);
        return true;
    }
    bool are_more = trial->treatment == TREATMENT_SET_THREADS && is_of_one_cpu(results->imported);
    if (attempt_is(finding, trial->treatment, UNSURE) && !are_more) {
        if (!is_counted_too(results, told, finding, trial))
            leave_open(finding, trial->treatment == TREATMENT_MORE_CPUS ? "told-unsure-cpus" : "told-unsure", trial);
        return true;
    }
    decide_by_gap(results, told, finding, trial);
    say_trial(finding, trial, WEIGHT_FOR);
    finding_set(finding, headline, "told-change", VALUE_TEXT("title", finding->hypothesis->title),
                VALUE_TEXT("change", told_change_name(trial->treatment)), VALUE_TEXT("outcome", outcome_words(trial)),
                VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, returner, "told-change-returner", VALUE_TEXT("change", told_change_name(trial->treatment)));
    if (finding->verdict != VERDICT_SUPPORTED)
        finding_set(finding, reason, trial->outcome == OUTCOME_SHRANK ? "told-shrank" : "told-undecided",
                    VALUE_TEXT("sentence", trial->sentence));
    if (trial->treatment == TREATMENT_INTERLEAVE)
        finding_leave_open(finding, "told-interleave", NO_VALUES);
    if (trial->treatment == TREATMENT_LESS_UNROLLING && !(told->loop_bytes > 0))
        finding_leave_open(finding, "told-loop-open", NO_VALUES);
    if (attempt_is(finding, trial->treatment, OPENS))
        finding_leave_open(finding, "told-open", NO_VALUES);
    finding_advise(finding, own_or(finding, "told-advice", "told-change-advice"),
                   VALUE_TEXT("change", told_change_name(trial->treatment)));
    finding_set(finding, confirm, "told-change-confirm", VALUE_TEXT("change", told_change_name(trial->treatment)));
    return true;
}

/* Whatever a sentence says that wasn't understood: as few as were counted can't cost more. */
static bool is_counted_out(const struct results *results, const struct finding *finding)
{
    struct finding counted = *finding;
    counted.evidence_count = counted.advice_count = counted.open_count = counted.imported_kinds = 0;
    counted.verdict = VERDICT_UNDECIDED;
    return imported_count_test(results, &counted) && counted.verdict == VERDICT_RULED_OUT;
}

/* Is there a guest, so that "on the host" is beneath it? */
static bool has_guest(const struct results *results)
{
    const struct surroundings *machine = results->surroundings;
    return results->told->names_guest || results->guest || exits_table(results->imported, 0) ||
           (machine && machine->is_guest);
}

/* Where there is no guest, the host is the machine itself. */
static const struct told_trial *without_host(const struct results *results, const struct told_trial *trial,
                                             struct told_trial *copy)
{
    bool has_sides = trial->treatment == TREATMENT_PAGES || trial->treatment == TREATMENT_NO_HUGE_PAGES;
    if (!has_sides || !trial->on_host || has_guest(results))
        return trial;
    *copy = *trial;
    copy->on_host = false;
    return copy;
}

/* One without huge pages that helped; NULL: there is none, or what it brought may be chance. */
static const struct told_trial *pages_off_trial(const struct results *results)
{
    const struct told_trial *contrary,
        *trial = trial_of_side(results->told, TREATMENT_NO_HUGE_PAGES, false, results->effect, &contrary);
    bool helped = trial && !contrary && kind_of(results->told, trial, results->effect) != EFFECT_NONE;
    return helped && !is_within_spread(results, trial) ? trial : NULL;
}

/* Small pages hold up nothing that is better with them alone; whole huge ones may (imported_pages_off_beside). */
static bool pages_off_test(const struct results *results, struct finding *finding, const struct told_trial *trial)
{
    bool is_host = is(finding, "host-small-pages");
    bool other_side = is_host ? !trial->on_host : trial->on_host && !trial->on_guest;
    if (is(finding, "page-faults") || other_side || !pages_off_trial(results) ||
        told_unread_of(results->told, TREATMENT_PAGES))
        return false;
    finding->verdict = VERDICT_RULED_OUT;
    finding->by_trial = finding->is_trial_with = true;
    finding->of = OF_ELAPSED;
    finding->recoverable = (struct interval){0};
    say_trial(finding, trial, WEIGHT_FOR);
    finding_set(finding, reason, "told-pages-off", VALUE_TEXT("sentence", trial->sentence));
    return true;
}

void imported_pages_off_beside(const struct results *results, struct finding *finding)
{
    const struct told_trial *trial = is(finding, "page-faults") ? pages_off_trial(results) : NULL;
    if (!trial || finding->verdict != VERDICT_SUPPORTED)
        return;
    say_trial(finding, trial, WEIGHT_FOR);
    finding_leave_open(finding, "told-pages-off-open", NO_VALUES);
    finding->advice_count = 0; /* which may be huge pages */
    finding_advise(finding, "told-pages-off-advice", NO_VALUES);
    finding_set(finding, confirm, "told-change-confirm", VALUE_TEXT("change", told_change_name(trial->treatment)));
}

bool imported_trial_test(const struct results *results, struct finding *finding)
{
    const struct told *told = results->told;
    struct told_trial copy;
    const struct told_trial *contrary, *trial = trial_for(results, finding, &contrary);
    if (!trial)
        return false;
    trial = without_host(results, trial, &copy);
    finding->is_estimate = false;
    finding->remedy = NULL;
    if (trial->treatment == TREATMENT_NO_HUGE_PAGES)
        return pages_off_test(results, finding, trial);
    if (!contrary && trial->treatment == TREATMENT_PAGES && kind_of(told, trial, results->effect) != EFFECT_NONE)
        contrary = pages_off_trial(results);
    if (contrary) {
        leave_open(finding, "told-contrary", trial);
        say_trial(finding, contrary, WEIGHT_CONTEXT);
        return true;
    }
    if (is_within_spread(results, trial)) {
        leave_to_chance(results, finding, trial);
        return true;
    }
    const char *unread = told_unread_of(told, trial->treatment);
    if (unread && is_counted_out(results, finding))
        return false;
    if (unread && strncmp(trial->sentence, "tried:", 6) != 0) { /* which says it in our own form */
        leave_open(finding, "told-unread", trial);
        finding_set(finding, reason, "told-unread", VALUE_TEXT("sentence", unread));
        return true;
    }
    const char *outlasted = told_outlasted(told, trial);
    if (outlasted && kind_of(told, trial, results->effect) != EFFECT_NONE) {
        leave_open(finding, "told-outlasted", &(struct told_trial){.sentence = outlasted});
        say_trial(finding, trial, WEIGHT_CONTEXT);
        return true;
    }
    if (trial->treatment == TREATMENT_NARROW && kind_of(told, trial, results->effect) != EFFECT_NONE)
        return false; /* what was counted tells more */
    if (is_partial(told, trial)) {
        leave_open(finding, "told-shrank", trial);
        return true;
    }
    switch (trial->treatment) {
    case TREATMENT_PAGES:
        return pages_test(results, told, finding, trial);
    case TREATMENT_TICK:
        return tick_test(results, told, finding, trial);
    case TREATMENT_NARROW:
        rule_out(results, told, finding, trial);
        return true;
    default:
        return change_test(results, told, finding, trial);
    }
}

const char *imported_trial_of_none(const struct results *results, size_t index, struct arena *arena)
{
    const struct told *told = results->told;
    bool is_one = told && index < told->trial_count;
    for (size_t at = 0; at < array_count(attempts) && is_one; at++)
        is_one = attempts[at].treatment != told->trials[index].treatment;
    if (!is_one || kind_of(told, &told->trials[index], results->effect) == EFFECT_NONE ||
        is_within_spread(results, &told->trials[index]))
        return NULL;
    struct value values[] = {VALUE_TEXT("change", told_change_name(told->trials[index].treatment)),
                             VALUE_TEXT("sentence", told->trials[index].sentence),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "trial-of-none"), values, array_count(values));
}

/* A trial of it that changed nothing, and may have failed although the cause is there; NULL: there is none. */
static const char *failed_trial(const struct results *results, enum treatment treatment)
{
    const struct told *told = results->told;
    for (size_t at = 0; at < told->trial_count; at++)
        if (told->trials[at].treatment == treatment && kind_of(told, &told->trials[at], results->effect) == EFFECT_NONE)
            return told->trials[at].sentence;
    return NULL;
}

/* Why a sentence of this attempt leaves the cause open, and which it is; NULL: none does. */
static const char *open_key(const struct results *results, const struct attempt *attempt, const char **ret_sentence)
{
    if ((*ret_sentence = told_unread_of(results->told, attempt->treatment)))
        return "told-not-understood";
    bool of_faults = attempt->treatment == TREATMENT_NO_HUGE_PAGES && strcmp(attempt->id, "page-faults") == 0;
    const struct told_trial *off = of_faults ? pages_off_trial(results) : NULL;
    if (off) {
        *ret_sentence = off->sentence;
        return "told-pages-off-unseen";
    }
    const struct told_trial any = {.treatment = attempt->treatment};
    if ((*ret_sentence = told_outlasted(results->told, &any)))
        return "told-outlasted";
    *ret_sentence = attempt->how & MAY_FAIL ? failed_trial(results, attempt->treatment) : NULL;
    return *ret_sentence ? "told-failed" : NULL;
}

bool imported_unread_test(const struct results *results, struct finding *finding)
{
    const char *key = NULL, *sentence = NULL;
    for (size_t at = 0; at < array_count(attempts) && !key; at++)
        if (is(finding, attempts[at].id) && is_of_cause(results, finding, attempts[at].treatment))
            key = open_key(results, &attempts[at], &sentence);
    if (!key)
        return false;
    finding->is_estimate = false;
    finding->remedy = NULL;
    leave_open(finding, key, &(struct told_trial){.sentence = sentence});
    return true;
}

bool imported_narrow_test(const struct results *results, struct finding *finding)
{
    const struct told_trial *contrary, *trial = trial_for(results, finding, &contrary);
    if (!trial || trial->treatment != TREATMENT_NARROW)
        return false;
    finding->is_estimate = false;
    finding->remedy = NULL;
    if (imported_clock_test(results, finding))
        say_trial(finding, trial, WEIGHT_FOR);
    else
        leave_open(finding, "told-narrow", trial);
    return true;
}
