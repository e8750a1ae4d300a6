/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts of the clock that wide vectors lower, with and without these vectors: the same program, its cycles at the
 * lowered clock gone, and less time.
 *
 * A lower clock takes time and leaves the cycles as they are: what the cycles changed by is something else, and is said
 * as open.
 */
#include "analyse/imported_pair.h"
#include "analyse/imported_window.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* By Intel's turbo tables, of the clock at most, at the first lowered clock and at the second. */
static const double FALL_FIRST = 0.15, FALL_MOST = 0.25;
static const double LOWERED_LEAST = 0.01; /* of the cycles: fewer are no lowered clock to speak of */
static const double CYCLES_DIFFER = 0.01;

/* One of the clocks that a core falls to for wide vectors. */
struct level {
    const char *words, *event;
    double fall;
};

static const struct level levels[] = {
    {"second", "core_power.lvl2_turbo_license", FALL_MOST},
    {"first", "core_power.lvl1_turbo_license", FALL_FIRST},
};

/* Of the time what it would be without the fall: cycles at a lower clock take longer than their part of all is. */
static double lost_of(const struct level *level, double lowered)
{
    return lowered * level->fall / (1 - level->fall + lowered * level->fall);
}

/* Of its cycles those at that lowered clock. */
static struct measured lowered_of(const struct imported_arm *arm, const struct level *level)
{
    return measured_ratio(imported_arm_count(arm, level->event), imported_arm_count(arm, "cycles"));
}

struct pair {
    const struct imported_arm *wide, *narrow, *other; /* other: another program without such cycles; NULL: none */
    double lowered; /* 0..1 of the cycles of the wide one */
    const struct level *level;
    bool by_cpu_time; /* no run's elapsed time is told */
};

/*
 * "jit, wide" and "jit, narrow", "jit (narrow)": what stands before is the program, what stands behind how it was built
 * or run.
 */
static size_t program_length(const char *name)
{
    size_t length = strcspn(name, ",(");
    while (length && name[length - 1] == ' ')
        length--;
    return length;
}

/* "avx512", "AVX2 build", "256 bit", "no-avx512": how it was built, and no program. */
static bool is_of_build(const char *name)
{
    enum { WIDTHS = 10 }; /* the first ones say which vectors */
    static const char *const words[] = {"avx",   "sse",     "wide",   "narrow", "512", "256",   "128",
                                        "zmm",   "ymm",     "xmm",    "bits",   "bit", "build", "built",
                                        "run",   "without", "with",   "width",  "off", "only",  "no",
                                        "on",    "f",       "2"};
    bool of_width = false;
    for (const char *at = name; *at;) {
        size_t length = 0, which = 0;
        for (which = 0; which < array_count(words); which++) {
            length = strlen(words[which]);
            if (strncasecmp(at, words[which], length) == 0)
                break;
        }
        bool is_word = which < array_count(words);
        of_width |= is_word && which < WIDTHS;
        if (!is_word && isalnum((unsigned char)*at))
            return false;
        at += is_word ? length : 1;
    }
    return of_width;
}

static bool same_program(const struct imported_arm *one, const struct imported_arm *other)
{
    if (!one->name || !other->name)
        return one->name == other->name;
    if (strcmp(one->table->file, other->table->file) == 0 && is_of_build(one->name) && is_of_build(other->name))
        return true;
    size_t length = program_length(one->name);
    return length && length == program_length(other->name) && strncasecmp(one->name, other->name, length) == 0;
}

static bool are_windows(const struct pair *pair)
{
    return pair->wide->is_window && pair->narrow->is_window;
}

static struct measured time_of(const struct pair *pair, const struct imported_arm *arm)
{
    return pair->by_cpu_time ? imported_arm_cpu_s(arm) : arm->elapsed_s;
}

static bool are_timed(const struct pair *pair)
{
    struct measured wide = time_of(pair, pair->wide), narrow = time_of(pair, pair->narrow);
    return wide.known && narrow.known && wide.value > 0 && narrow.value > 0;
}

static bool pair_at(const struct level *level, const struct imported_arm *arms, size_t count, struct pair *pair)
{
    *pair = (struct pair){.level = level};
    for (size_t at = 0; at < count; at++) {
        struct measured lowered = lowered_of(&arms[at], level);
        if (lowered.known && lowered.value >= LOWERED_LEAST && lowered.value > pair->lowered) {
            pair->wide = &arms[at];
            pair->lowered = lowered.value;
        }
    }
    for (size_t at = 0; pair->wide && at < count; at++) {
        struct measured lowered = lowered_of(&arms[at], level);
        if (&arms[at] == pair->wide || !lowered.known || lowered.value > pair->lowered / 10)
            continue;
        if (same_program(&arms[at], pair->wide))
            pair->narrow = &arms[at];
        else
            pair->other = &arms[at];
    }
    if (!pair->narrow || are_windows(pair))
        return pair->narrow;
    pair->by_cpu_time = !pair->wide->elapsed_s.known && !pair->narrow->elapsed_s.known;
    return are_timed(pair);
}

/* By the second lowered clock where that was met at all: what falls further costs more. */
static bool pair_find(const struct imported_arm *arms, size_t count, struct pair *pair)
{
    struct pair first;
    if (pair_at(&levels[0], arms, count, pair) || pair->wide || !pair_at(&levels[1], arms, count, &first))
        return pair->narrow && pair->wide && (are_windows(pair) || are_timed(pair));
    *pair = first;
    return true;
}

/* Heat and power limits lower the clock, too; whoever counted them can tell, and what they found is said. */
static bool throttling_told(const struct imported *imported, struct finding *finding)
{
    const char *none = NULL, *some = NULL;
    double most = 0;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count; row++) {
            const struct imported_row *here = &imported->tables[at].rows[row];
            bool is_named = strstr(here->name, "throttle") || strstr(here->name, "thermal"),
                 is_of_heat = (is_named && imported->tables[at].kind != IMPORTED_SYSTEM) ||
                              imported_counts_heat(&imported->tables[at], here);
            if (!is_of_heat || (imported->tables[at].kind == IMPORTED_STAT && !imported_is_counted(here)))
                continue;
            some = here->number > most ? here->name : some;
            most = here->number > most ? here->number : most;
            none = none && strstr(none, here->name) ? none
                   : none                           ? arena_printf(finding->arena, "%s, %s", none, here->name)
                                                    : here->name;
        }
    if (some)
        finding_set(finding, not_separated, "imported-throttled", VALUE_TEXT("event", some),
                    VALUE_COUNT("count", most));
    else if (none)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-not-throttled", VALUE_TEXT("events", none),
                         VALUE_TEXT("origin", IMPORTED_WORDS));
    return none;
}

/* "gemv_w" of "Performance counter stats for './gemv_w'"; NULL: no program is named, or one that starts another. */
static const char *program_of(const struct imported_arm *arm, struct arena *arena)
{
    static const char *const starters[] = {"taskset", "numactl", "env",    "sudo",    "nice",    "chrt",   "time", "sh",
                                           "bash",    "perf",    "stdbuf", "setarch", "python3", "python", "java"};
    const char *quote = strchr(arm->table->heading, '\'');
    size_t length = quote ? strcspn(quote + 1, " '") : 0;
    if (!length || !quote[1 + length])
        return NULL;
    const char *word = arena_string_n(arena, quote + 1, length), *slash = strrchr(word, '/');
    word = slash ? slash + 1 : word;
    for (size_t at = 0; at < array_count(starters); at++)
        if (strcmp(word, starters[at]) == 0)
            return NULL;
    return word[0] ? word : NULL;
}

/* The run's own name, or its program's where the other run is another program. */
static const char *owner_of(const struct pair *pair, struct arena *arena)
{
    if (pair->wide->name)
        return pair->wide->name;
    const char *wide = program_of(pair->wide, arena), *narrow = program_of(pair->narrow, arena);
    return wide && narrow && strcmp(wide, narrow) != 0 ? wide : NULL;
}

static void say_counts(struct finding *finding, const struct level *level, const struct imported_arm *arm)
{
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-lowered", VALUE_TEXT("file", arm->table->file),
                     VALUE_TEXT("origin", IMPORTED_WORDS),
                     VALUE_COUNT("cycles", imported_arm_count(arm, "cycles").value), VALUE_TEXT("which", level->words),
                     VALUE_TEXT("event", level->event),
                     VALUE_COUNT("lowered", imported_arm_count(arm, level->event).value));
}

/* By how much less it is without wide vectors, of what it was with them; below 0: it is more. */
static struct measured decrease_of(const struct pair *pair, const char *event)
{
    struct measured left =
        measured_ratio(imported_arm_count(pair->narrow, event), imported_arm_count(pair->wide, event));
    return left.known ? measured_as(1 - left.value) : left;
}

/* Fewer instructions at as many cycles for each explain fewer cycles: the build does less, whatever its clock is. */
static bool is_of_work(const struct pair *pair, double change)
{
    static const double MOST_OF = 0.75;
    struct measured work = decrease_of(pair, "instructions");
    return work.known && work.value * change > 0 && fabs(work.value) >= MOST_OF * fabs(change);
}

static const char *percent_words(double change, struct arena *arena)
{
    return arena_printf(arena, "%.1f %%", fabs(change) * 100);
}

static void leave_cycles_open(struct finding *finding, const struct pair *pair)
{
    struct measured change = decrease_of(pair, "cycles"), work = decrease_of(pair, "instructions");
    if (!change.known || fabs(change.value) < CYCLES_DIFFER)
        return;
    bool by_work = is_of_work(pair, change.value), fewer = change.value > 0;
    const char *key = by_work ? "imported-cycles-of-work" : fewer ? "imported-fewer-cycles" : "imported-more-cycles";
    finding_leave_open(finding, key, VALUE_TEXT("change", percent_words(change.value, finding->arena)),
                       VALUE_TEXT("how", fewer ? "fewer" : "more"),
                       VALUE_TEXT("work", work.known ? percent_words(work.value, finding->arena) : ""),
                       VALUE_COUNT("before", imported_arm_count(pair->wide, "cycles").value),
                       VALUE_COUNT("after", imported_arm_count(pair->narrow, "cycles").value),
                       VALUE_COUNT("did", imported_arm_count(pair->wide, "instructions").value),
                       VALUE_COUNT("does", imported_arm_count(pair->narrow, "instructions").value));
}

/* What else would look like it: less work, and what lowers a clock, too. */
static void leave_unseparated(const struct results *results, struct finding *finding, const struct pair *pair)
{
    struct measured change = decrease_of(pair, "cycles"), work = decrease_of(pair, "instructions");
    bool is_heat_told = throttling_told(results->imported, finding),
         in_windows = are_windows(pair);
    if (!is_heat_told && !imported_heat_is_ruled_out(results, finding->arena))
        finding_set(finding, not_separated, "imported-not-separated", NO_VALUES);
    const char *others = finding->not_separated;
    if (in_windows || !change.known || change.value < CYCLES_DIFFER || !is_of_work(pair, change.value))
        return;
    finding_set(finding, not_separated, "imported-work", VALUE_TEXT("work", percent_words(work.value, finding->arena)));
    if (others)
        finding->not_separated = arena_printf(finding->arena, "%s; and %s", finding->not_separated, others);
}

/* "", or that most of what the runs differ by is something else. */
static const char *smaller_words(double most, double gain, struct arena *arena)
{
    static const double MOST_OF = 0.5;
    return most >= MOST_OF * gain
               ? ""
               : arena_printf(arena, ", so that most of the %s is something else", percent_words(gain, arena));
}

/* Time = cycles / clock: what of the difference neither the fewer cycles nor the lowest clock can be. */
static void leave_rest_open(struct finding *finding, const struct pair *pair, double gain, double most)
{
    static const double REST_LEAST = 0.25; /* of the difference: runs of one time each differ, too */
    double wide = imported_arm_count(pair->wide, "cycles").value,
           narrow = imported_arm_count(pair->narrow, "cycles").value;
    double kept = wide > 0 && narrow < wide ? narrow / wide : 1;
    double rest = gain - (1 - kept * (1 - most));
    if (rest >= REST_LEAST * gain)
        finding_leave_open(finding, "imported-rest",
                           VALUE_TEXT("rest", arena_printf(finding->arena, "%.1f %%", rest * 100)));
}

/* ---- without counts of it: the mean clock ---- */

/* Hz while it ran; not measured: cycles or task-clock weren't counted. */
static struct measured clock_of(const struct imported_arm *arm)
{
    return measured_ratio(imported_arm_count(arm, "cycles"), imported_arm_cpu_s(arm));
}

static void say_clock(struct finding *finding, const struct imported_arm *arm)
{
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-clock", VALUE_TEXT("file", arm->table->file),
                     VALUE_TEXT("origin", IMPORTED_WORDS),
                     VALUE_COUNT("cycles", imported_arm_count(arm, "cycles").value),
                     VALUE_SECONDS("clock", interval_exactly(imported_arm_cpu_s(arm).value)),
                     VALUE_TEXT("ghz", arena_printf(finding->arena, "%.3g", clock_of(arm).value * 1e-9)));
}

/* Two builds of one program by their names, or somebody says so: else the narrow run may be another program's. */
static bool is_narrow_tried(const struct results *results, const struct pair *pair)
{
    bool tried = pair->wide->name && pair->narrow->name;
    for (size_t at = 0; at < results->told->trial_count; at++)
        tried |= results->told->trials[at].treatment == TREATMENT_NARROW;
    return tried;
}

static void narrow_advise(const struct results *results, struct finding *finding, const struct pair *pair)
{
    finding_advise(finding, is_narrow_tried(results, pair) ? "imported-advice-tried" : "imported-advice-narrow",
                   NO_VALUES);
    finding_advise(finding, "advice-gather", NO_VALUES);
}

/* Of the only two runs the slower one had the lower clock; somebody told that wide vectors are what they differ by. */
bool imported_clock_test(const struct results *results, struct finding *finding)
{
    struct imported_pair runs;
    bool timed = imported_pair_of(results->imported, &runs) && runs.is_only && runs.by_time;
    const struct imported_arm *wide = &runs.slow, *narrow = &runs.fast;
    if (!timed || !clock_of(wide).known || !clock_of(narrow).known)
        return false;
    double gain = runs.gap.value, drop = 1 - clock_of(wide).value / clock_of(narrow).value,
           most = fmin(drop, FALL_MOST);
    if (gain < results->effect || drop < results->effect)
        return false;
    struct pair pair = {.wide = wide, .narrow = narrow};
    finding->verdict = VERDICT_SUPPORTED;
    finding->of = OF_ELAPSED;
    finding->gain_unmeasured = true; /* as where its cycles were counted */
    finding->recoverable = interval_of(0, fmin(gain, most) / 2, fmin(gain, most));
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS | 1u << ORIGIN_RUNS;
    say_clock(finding, wide);
    say_clock(finding, narrow);
    finding_set(finding, headline, "imported-clock-headline",
                VALUE_TEXT("drop", arena_printf(finding->arena, "%.1f %%", drop * 100)),
                VALUE_TEXT("wide", arena_printf(finding->arena, "%.3g", clock_of(wide).value * 1e-9)),
                VALUE_TEXT("narrow", arena_printf(finding->arena, "%.3g", clock_of(narrow).value * 1e-9)),
                VALUE_TEXT("gain", arena_printf(finding->arena, "%.1f %%", gain * 100)),
                VALUE_TEXT("took", runs.is_window ? "as much work takes" : "it took"),
                VALUE_SHARE("most", interval_exactly(most)), VALUE_TEXT("origin", IMPORTED_WORDS),
                VALUE_TEXT("smaller", smaller_words(most, gain, finding->arena)));
    leave_unseparated(results, finding, &pair);
    if (!runs.is_window) /* else of other amounts of work */
        leave_cycles_open(finding, &pair);
    narrow_advise(results, finding, &pair);
    finding_set(finding, confirm, "imported-confirm",
                VALUE_TEXT("gain", arena_printf(finding->arena, "%.1f %%", gain * 100)));
    return true;
}

/* ---- with counts of it ---- */

/* What took longer without such cycles says nothing of what they cost another program. */
static bool other_program_test(const struct results *results, struct finding *finding, const struct pair *pair)
{
    double most = lost_of(pair->level, pair->lowered);
    if (!pair->wide || pair->narrow || !pair->other || most < results->effect || !pair->wide->name ||
        !pair->other->name || !pair->wide->elapsed_s.known || !pair->other->elapsed_s.known ||
        pair->other->elapsed_s.value <= pair->wide->elapsed_s.value)
        return false;
    finding_decide_bound(finding, most, results->effect);
    finding->of = OF_ELAPSED;
    finding->is_estimate = false;
    finding->remedy = NULL;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    say_counts(finding, pair->level, pair->wide);
    say_counts(finding, pair->level, pair->other);
    finding_set(finding, reason, "imported-other-program", VALUE_SHARE("lowered", interval_exactly(pair->lowered)),
                VALUE_TEXT("which", pair->level->words), VALUE_TEXT("name", pair->wide->name),
                VALUE_TEXT("other", pair->other->name), VALUE_SHARE("most", interval_exactly(most)),
                VALUE_TEXT("file", pair->wide->table->file), VALUE_TEXT("origin", IMPORTED_WORDS));
    return true;
}

static void say_both(struct finding *finding, const struct pair *pair)
{
    say_counts(finding, pair->level, pair->wide);
    say_counts(finding, pair->level, pair->narrow);
    if (pair->other)
        say_counts(finding, pair->level, pair->other);
}

/* Hz, by task-clock, or the cycles of each second of its time, which waiting makes fewer, too. */
static struct measured rate_of(const struct imported_arm *arm, bool is_clock)
{
    return is_clock ? clock_of(arm) : measured_ratio(imported_arm_count(arm, "cycles"), imported_arm_length(arm));
}

static double drop_of(const struct pair *pair, bool *ret_is_clock)
{
    *ret_is_clock = clock_of(pair->wide).known && clock_of(pair->narrow).known;
    struct measured wide = rate_of(pair->wide, *ret_is_clock), narrow = rate_of(pair->narrow, *ret_is_clock);
    return wide.known && narrow.known && narrow.value > 0 ? 1 - wide.value / narrow.value : 0;
}

/*
 * Both runs had one clock, by as many cycles in a second of their time as a clock makes: nothing that lowers it is what
 * they differ by, whatever cycles were counted at.
 */
static bool same_clock(const struct results *results, struct finding *finding, const struct pair *pair)
{
    static const double ALIKE = 0.003, CLOCK_MOST_HZ = 7e9; /* more: counts of many rounds, or of several CPUs */
    bool is_clock = false;
    double drop = drop_of(pair, &is_clock);
    struct measured wide = rate_of(pair->wide, is_clock), narrow = rate_of(pair->narrow, is_clock);
    bool are_clocks = wide.known && narrow.known && fmax(wide.value, narrow.value) <= CLOCK_MOST_HZ;
    if (!are_clocks || fabs(drop) >= fmin(ALIKE, results->effect))
        return false;
    finding_decide_bound(finding, fmax(drop, 0), results->effect);
    finding_set(finding, reason, is_clock ? "imported-same-clock" : "imported-same-rate",
                VALUE_TEXT("slow", arena_printf(finding->arena, "%.4g", wide.value * 1e-9)),
                VALUE_TEXT("fast", arena_printf(finding->arena, "%.4g", narrow.value * 1e-9)),
                VALUE_TEXT("file", pair->wide->table->file), VALUE_TEXT("origin", IMPORTED_WORDS));
    return true;
}

/* Further than tables of one machine have it: what was measured is what the clock fell. */
static const char *measured_words(const struct pair *pair, double lost, struct arena *arena)
{
    static const double MANY = 1e12; /* more than any machine's: a time of one round, and counts of many */
    bool is_clock = false;
    double drop = drop_of(pair, &is_clock), narrow = rate_of(pair->narrow, is_clock).value;
    const char *what = is_clock ? "clock" : "cycles of each second";
    if (drop <= lost)
        return "";
    if (narrow > MANY)
        return arena_printf(arena, ", as much as its %s fell (by %.1f %%)", what, drop * 100);
    return arena_printf(arena, ", as much as its %s fell (%.4g * 10^9 instead of %.4g)", what,
                        rate_of(pair->wide, is_clock).value * 1e-9, narrow * 1e-9);
}

/* " (24 % fewer instructions each second)": both builds may need another number of them, so that it is no gain. */
static const char *less_done_words(const struct pair *pair, struct arena *arena)
{
    struct measured rate = measured_ratio(imported_throughput(pair->wide), imported_throughput(pair->narrow));
    return rate.known && rate.value < 1
               ? arena_printf(arena, " (and %.1f %% fewer instructions)", (1 - rate.value) * 100)
               : "";
}

/*
 * Windows of a set length, with and without such vectors, are as long whatever they cost: what tells is how far the
 * clock fell. What was done in them differs by the build, too.
 */
static void windows_decide(const struct results *results, struct finding *finding, const struct pair *pair)
{
    bool is_clock = false;
    double drop = drop_of(pair, &is_clock), most = fmin(fmax(drop, 0), lost_of(pair->level, pair->lowered));
    const char *owner = owner_of(pair, finding->arena);
    struct value values[] = {VALUE_TEXT("origin", IMPORTED_WORDS),
                             VALUE_TEXT("gain", arena_printf(finding->arena, "%.1f %%", fabs(drop) * 100)),
                             VALUE_TEXT("how", is_clock ? "its clock" : "its cycles of each second"),
                             VALUE_TEXT("done", less_done_words(pair, finding->arena)),
                             VALUE_SHARE("lowered", interval_exactly(pair->lowered)),
                             VALUE_TEXT("which", pair->level->words),
                             VALUE_SHARE("most", interval_exactly(most)),
                             VALUE_TEXT("whose", owner ? arena_printf(finding->arena, "%s's", owner) : "its")};
    finding->is_estimate = false;
    finding->of = OF_ELAPSED;
    finding->remedy = NULL;
    finding->gain_unmeasured = true;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    say_both(finding, pair);
    if (drop < results->effect) {
        finding_decide_bound(finding, most, results->effect);
        if (!is_clock) { /* it may have been lower, and busy for longer */
            finding->verdict = VERDICT_UNDECIDED;
            finding->recoverable = (struct interval){0};
        }
        finding_set_add(finding, &finding->reason, "imported-window-same", values, array_count(values));
        return;
    }
    finding->verdict = VERDICT_SUPPORTED;
    finding->recoverable = interval_of(0, most / 2, most);
    leave_unseparated(results, finding, pair);
    finding_set_add(finding, &finding->headline, "imported-window-headline", values, array_count(values));
    if (!is_clock)
        finding_leave_open(finding, "imported-window-busy", NO_VALUES);
    narrow_advise(results, finding, pair);
    finding_set_add(finding, &finding->confirm, "imported-window-confirm", values, array_count(values));
}

/* What somebody tells of the same change goes with the counts. */
static void told_add(const struct results *results, struct finding *finding)
{
    for (size_t at = 0; at < results->told->trial_count; at++) {
        const struct told_trial *trial = &results->told->trials[at];
        if (trial->treatment == TREATMENT_NARROW && trial->outcome != OUTCOME_STAYED &&
            imported_trial_helped(results->told, trial, results->effect))
            finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "told-trial",
                             VALUE_TEXT("sentence", trial->sentence));
    }
}

/* Somebody took wide vectors out of the same program in vain; nothing told of that speaks against it. */
static bool is_narrow_in_vain(const struct results *results)
{
    const struct told *told = results->told;
    bool in_vain = false, helped = told_unread_of(told, TREATMENT_NARROW) != NULL;
    for (size_t at = 0; at < told->trial_count; at++) {
        const struct told_trial *trial = &told->trials[at];
        bool is_one = trial->treatment == TREATMENT_NARROW;
        helped |= is_one && imported_trial_helped(told, trial, results->effect);
        in_vain |= is_one && !imported_trial_helped(told, trial, results->effect);
    }
    return in_vain && !helped;
}

bool imported_licence_test(const struct results *results, struct finding *finding)
{
    static const double ALIKE = 0.02; /* of the time: less is chance */
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct pair pair;
    if (!pair_find(arms, imported_arms_of(results->imported, arms), &pair))
        return other_program_test(results, finding, &pair);
    if (are_windows(&pair)) {
        windows_decide(results, finding, &pair);
        return true;
    }
    double wide_s = time_of(&pair, pair.wide).value, narrow_s = time_of(&pair, pair.narrow).value;
    bool is_clock = false;
    double gain = 1 - narrow_s / wide_s, by_table = lost_of(pair.level, pair.lowered),
           most = fmax(by_table, drop_of(&pair, &is_clock));
    if (gain > 0 && is_narrow_in_vain(results)) /* these two differ by something else */
        return false;
    double high = gain < most ? gain : most, /* apart: of the longer one's time */
        apart = gain < 0 ? 1 - wide_s / narrow_s : gain;
    const char *owner = owner_of(&pair, finding->arena);
    struct value values[] = {
        VALUE_TEXT("origin", IMPORTED_WORDS),
        VALUE_SECONDS("before", interval_exactly(wide_s)),
        VALUE_SECONDS("after", interval_exactly(narrow_s)),
        VALUE_TEXT("which", pair.level->words),
        VALUE_TEXT("time", pair.by_cpu_time ? "CPU time" : "time"),
        VALUE_TEXT("gain", arena_printf(finding->arena, "%.1f %%", apart * 100)),
        VALUE_SHARE("lowered", interval_exactly(pair.lowered)),
        VALUE_SHARE("most", interval_exactly(high > 0 ? high : 0)),
        VALUE_SHARE("lost", interval_exactly(most)),
        VALUE_TEXT("smaller", arena_printf(finding->arena, "%s%s", measured_words(&pair, by_table, finding->arena),
                                           smaller_words(most, gain, finding->arena))),
        VALUE_TEXT("name", pair.wide->name ? pair.wide->name : "it"),
        VALUE_TEXT("whose", owner ? arena_printf(finding->arena, "%s's", owner) : "its")};
    finding->is_estimate = false;
    finding->of = pair.by_cpu_time ? OF_CPU_TIME : OF_ELAPSED;
    finding->remedy = NULL;
    finding->gain_unmeasured = true; /* of one run each nobody knows how far runs differ */
    finding->recoverable = high > 0 ? interval_of(0, high / 2, high) : interval_exactly(0);
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS | 1u << ORIGIN_RUNS;
    say_both(finding, &pair);
    finding_evidence_add(finding, gain > 0 ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-times", values,
                         sizeof(values) / sizeof(values[0]));
    if (gain <= -results->effect && most >= results->effect) { /* what it loses is no less for that */
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = interval_of(0, most / 2, most);
        finding_set_add(finding, &finding->reason, "imported-faster", values, sizeof(values) / sizeof(values[0]));
        return true;
    }
    struct measured spread = imported_spread_of(results->imported);
    if (spread.known && apart <= spread.value) { /* then it may be chance, either way */
        finding->verdict = VERDICT_UNDECIDED;
        finding_set(finding, reason, "imported-within-spread", VALUE_TEXT("gain", values[3].text),
                    VALUE_SHARE("lost", interval_exactly(most)), VALUE_SHARE("spread", interval_exactly(spread.value)),
                    VALUE_TEXT("origin", IMPORTED_WORDS));
        return true;
    }
    if (same_clock(results, finding, &pair))
        return true;
    if (gain < results->effect) {
        finding->verdict = VERDICT_RULED_OUT;
        finding->by_trial = true;
        finding_set_add(finding, &finding->reason, gain < -ALIKE ? "imported-longer" : "imported-as-long", values,
                        sizeof(values) / sizeof(values[0]));
        return true;
    }
    finding->verdict = VERDICT_SUPPORTED;
    told_add(results, finding);
    leave_unseparated(results, finding, &pair);
    finding_set_add(finding, &finding->headline, "imported-headline", values, sizeof(values) / sizeof(values[0]));
    leave_cycles_open(finding, &pair);
    leave_rest_open(finding, &pair, gain, most);
    narrow_advise(results, finding, &pair);
    finding_set_add(finding, &finding->confirm, "imported-confirm", values, sizeof(values) / sizeof(values[0]));
    return true;
}
