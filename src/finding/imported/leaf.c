/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/leaf.h"

#include "analyse/imported_pair.h"
#include "analyse/topdown/topdown_reported.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/topdown_rows.h"
#include "finding/wording.h"

#include <math.h>
#include <string.h>

static bool row_has(const struct topdown_row *row, const struct topdown_node *leaf)
{
    for (size_t at = 0; at < TOPDOWN_ROW_METRICS && row->metrics[at]; at++)
        if (topdown_node_is_named(leaf, row->metrics[at]))
            return true;
    return false;
}

/* "divisions and square roots, chains of dependent arithmetic"; "": no open cause is a part of that class. */
static const char *parts_of(const struct topdown_node *leaf, const struct findings *findings, struct arena *arena)
{
    const char *parts = "";
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        bool is_part = false;
        for (const struct topdown_row *row = topdown_row_of(finding->hypothesis->id, NULL); row;
             row = topdown_row_of(finding->hypothesis->id, row))
            is_part |= row_has(row, leaf);
        if (is_part && finding->verdict == VERDICT_UNDECIDED)
            parts = arena_printf(arena, "%s%s%s", parts, parts[0] ? ", " : "", finding->hypothesis->title);
    }
    return parts;
}

/* As its file spells it. */
static const struct imported_row *row_printed(const struct imported *imported, const struct topdown_node *leaf,
                                              const char **ret_file)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; imported->tables[at].kind == IMPORTED_METRICS && row < imported->tables[at].count; row++)
            if (topdown_node_is_named(leaf, imported->tables[at].rows[row].name)) {
                *ret_file = imported->tables[at].file;
                return &imported->tables[at].rows[row];
            }
    return NULL;
}

/* Another table says quite another number of it: which of them the case is about isn't known. */
static bool tables_differ(const struct imported *imported, const struct imported_row *row)
{
    static const double TIMES_MOST = 1.5;
    bool differ = false;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t other = 0; other < imported->tables[at].count; other++) {
            const struct imported_row *one = &imported->tables[at].rows[other];
            bool same = imported->tables[at].kind == IMPORTED_METRICS && strcmp(one->name, row->name) == 0;
            differ |= same && (one->number > TIMES_MOST * row->number || row->number > TIMES_MOST * one->number);
        }
    return differ;
}

static bool has_parts(const struct topdown_tree *tree, size_t leaf, bool known)
{
    for (size_t at = 0; at < tree->count; at++)
        if (tree->nodes[at].level && tree->nodes[at].parent == leaf && (!known || tree->nodes[at].value.known))
            return true;
    return false;
}

static bool is_within_memory(const struct topdown_tree *tree, size_t leaf)
{
    for (size_t at = leaf; at < tree->count; at = tree->nodes[at].parent)
        if (strcasestr(tree->nodes[at].name, "memory"))
            return true;
    return false;
}

/* What a trial took away is by its own metrics most of the class: it is what the class is about, and not beside it. */
static bool has_most_of(const struct finding *culprit, double share)
{
    static const double MOST_OF = 0.5;
    return culprit->counted_beside >= MOST_OF * share;
}

static struct imported_leaf leaf_told(const struct topdown_tree *tree, const struct results *results,
                                      const struct findings *findings, const struct finding *culprit,
                                      struct arena *arena)
{
    struct imported_leaf told = {0};
    const char *file = NULL;
    const struct topdown_node *leaf = tree->leaf < tree->count ? &tree->nodes[tree->leaf] : NULL;
    const struct imported_row *row = leaf ? row_printed(results->imported, leaf, &file) : NULL;
    if (!row || tables_differ(results->imported, row) ||
        (culprit && (!culprit->recoverable.known || finding_most_returned(culprit) * 2 >= row->number / 100 ||
                     has_most_of(culprit, row->number / 100))))
        return told;
    const char *parts = parts_of(leaf, findings, arena);
    struct value values[] = {
        VALUE_TEXT("file", file),         VALUE_TEXT("origin", IMPORTED_WORDS),
        VALUE_TEXT("metric", row->name),  VALUE_SHARE("share", interval_exactly(row->number / 100)),
        VALUE_TEXT("about", leaf->about), VALUE_TEXT("parts", parts)};
    told.words =
        wording_fill(arena, wording_find("verdict", parts[0] ? "leaf-parts" : "leaf"), values, array_count(values));
    told.is_of_memory = is_within_memory(tree, tree->leaf);
    if (strncmp(row->name, "tma_", 4) == 0 && has_parts(tree, tree->leaf, false) && !has_parts(tree, tree->leaf, true))
        told.advice = wording_fill(arena, wording_find("verdict", "next-leaf"), values, array_count(values));
    return told;
}

/* otherwise: where no table has it. */
static double percent_of(const struct results *results, const char *metric, double otherwise)
{
    struct measured number = imported_number(results->imported, IMPORTED_METRICS, metric, NULL);
    return number.known ? number.value : otherwise;
}

/*
 * What finishes much, waits for little and is arithmetic does its work: there is no culprit to look for. By its own
 * metric, or since it is known to multiply matrices.
 */
static bool is_compute_bound(const struct results *results, const struct imported_hot *hot)
{
    static const double RETIRES_LEAST = 30, LITTLE = 10, ARITHMETIC_LEAST = 30, MOST_OF = 0.5;
    bool is_arithmetic = percent_of(results, "tma_fp_arith", 0) >= ARITHMETIC_LEAST ||
                         (hot->function && hot->share >= MOST_OF && imported_multiplies(hot->function));
    return is_arithmetic && percent_of(results, "tma_retiring", 0) >= RETIRES_LEAST &&
           percent_of(results, "tma_memory_bound", 100) <= LITTLE &&
           percent_of(results, "tma_frontend_bound", 0) <= LITTLE &&
           percent_of(results, "tma_bad_speculation", 0) <= LITTLE;
}

/* Nothing: words NULL. */
static struct imported_leaf compute_told(const struct results *results, struct arena *arena)
{
    const char *file = NULL;
    struct imported_hot hot = imported_hot_of(results->imported);
    struct measured retiring = imported_number(results->imported, IMPORTED_METRICS, "tma_retiring", &file),
                    core = imported_number(results->imported, IMPORTED_METRICS, "tma_core_bound", NULL),
                    arithmetic = imported_number(results->imported, IMPORTED_METRICS, "tma_fp_arith", NULL);
    if (!is_compute_bound(results, &hot))
        return (struct imported_leaf){0};
    struct value values[] = {
        VALUE_TEXT("file", file),
        VALUE_TEXT("origin", IMPORTED_WORDS),
        VALUE_SHARE("retiring", interval_exactly(retiring.value / 100)),
        VALUE_SHARE("memory", interval_exactly(percent_of(results, "tma_memory_bound", 0) / 100)),
        VALUE_TEXT("arithmetic",
                   arithmetic.known
                       ? arena_printf(arena, ", floating-point arithmetic (tma_fp_arith) is %.3g %%", arithmetic.value)
                       : ""),
        VALUE_TEXT("core", core.known
                               ? arena_printf(arena, ", %.3g %% wait for units or results of the core", core.value)
                               : "")};
    return (struct imported_leaf){
        .words = wording_fill(arena, wording_find("verdict", "leaf-compute"), values, array_count(values)),
        .advice = wording_fill(arena, wording_find("verdict", "next-compute"), values, array_count(values))};
}

struct imported_leaf imported_leaf_of(const struct results *results, const struct findings *findings,
                                      const struct finding *culprit, struct arena *arena)
{
    struct topdown_reported reported;
    if (!topdown_reported_find(&reported, results->imported, arena))
        return (struct imported_leaf){0};
    struct imported_leaf compute = culprit ? (struct imported_leaf){0} : compute_told(results, arena);
    if (compute.words) {
        topdown_reported_done(&reported);
        return compute;
    }
    struct imported_leaf told = leaf_told(&reported.tree, results, findings, culprit, arena);
    topdown_reported_done(&reported);
    return told;
}

/* ", right behind 'idiv %rcx'": samples often fall there; "": behind nothing slow. */
static const char *behind_words(const struct imported_hot *hot, struct arena *arena)
{
    return hot->behind ? arena_printf(arena, ", right behind '%s'", hot->behind) : "";
}

/* The only function that sentences name; NULL: none, or several. */
static const char *function_told(const struct told *told)
{
    for (size_t at = 1; told && at < told->function_count; at++)
        if (strcmp(told->functions[at], told->functions[0]) != 0)
            return NULL;
    return told && told->function_count ? told->functions[0] : NULL;
}

/* " of f": as the listing says it, or sentences do. */
static const char *listed_words(const struct results *results, const char *listed, struct arena *arena)
{
    const char *function = listed ? listed : function_told(results->told);
    return function ? arena_printf(arena, " of %s", function) : "";
}

/* What the hottest line does, or what it stands behind. */
static const char *how_words(const struct imported_hot *hot, struct arena *arena)
{
    return hot->line_is_hottest    ? ": it reads memory"
           : hot->store_is_hottest ? ": it writes memory"
                                   : behind_words(hot, arena);
}

/* Of a listing without a profile beside it, or whose function no profile names. */
static const char *line_words(const struct results *results, const struct imported_hot *hot, struct arena *arena)
{
    static const double MUCH = 25; /* percent */
    const struct imported_row *hottest = hot->hottest;
    bool told = hottest && (hot->line_is_hottest || hot->store_is_hottest || hot->behind);
    bool is_load = !told && hot->line; /* of a line of source, whose share is more */
    double percent = is_load ? hot->line_share * 100 : told ? hottest->number : 0;
    if (percent < MUCH)
        return NULL;
    const char *listed = is_load ? hot->listed : hottest->where[0] ? hottest->where : NULL;
    struct value values[] = {VALUE_TEXT("line", is_load ? hot->line : hottest->name),
                             VALUE_TEXT("of", listed_words(results, listed, arena)),
                             VALUE_SHARE("share", interval_exactly(percent / 100)),
                             VALUE_TEXT("how", how_words(hot, arena)),
                             VALUE_TEXT("file", hot->hottest_file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", is_load ? "hot-load" : "hot-line"), values, array_count(values));
}

/* ", first at 'mov %rdx,%r8', right behind 'idiv %rcx'"; "": no listing */
static const char *first_words(const struct imported_hot *hot, bool is_of_memory, struct arena *arena)
{
    if (is_of_memory && hot->line && !hot->store_is_hottest)
        return arena_printf(arena, ", first at '%s'", hot->line);
    return hot->hottest ? arena_printf(arena, ", first at '%s'%s", hot->hottest->name, behind_words(hot, arena)) : "";
}

static const double SAID_FROM = 0.2; /* of the samples: below it a function is one among many */

const char *imported_hot_words(const struct results *results, bool is_of_memory, struct arena *arena)
{
    struct imported_hot hot = results->imported ? imported_hot_of(results->imported) : (struct imported_hot){0};
    if (!hot.function || hot.share < SAID_FROM)
        return line_words(results, &hot, arena);
    struct value values[] = {
        VALUE_TEXT("function", hot.function),
        VALUE_TEXT("file", hot.file),
        VALUE_TEXT("origin", IMPORTED_WORDS),
        VALUE_TEXT("where", hot.where[0] ? arena_printf(arena, " (%s)", hot.where) : ""),
        VALUE_TEXT("line", first_words(&hot, is_of_memory, arena)),
        VALUE_TEXT("samples", arena_printf(arena, "%.4g %%", hot.share * 100)),
        VALUE_TEXT("event", hot.event[0] ? arena_printf(arena, "%s samples", hot.event) : "samples")};
    return wording_fill(arena, wording_find("verdict", "hot"), values, array_count(values));
}

const char *imported_hot_beside(const struct results *results, const struct finding *culprit, const char *sentence,
                                struct arena *arena)
{
    struct imported_hot hot = results->imported ? imported_hot_of(results->imported) : (struct imported_hot){0};
    bool is_of_memory = culprit && strcmp(culprit->hypothesis->family, "memory") == 0;
    bool is_one = hot.function && hot.share >= SAID_FROM;
    return is_one && !strstr(sentence, hot.function) ? imported_hot_words(results, is_of_memory, arena) : NULL;
}

/* What the cycles differ by is next to nothing of what the times do. */
static bool cycles_are_alike(const struct imported_pair *pair)
{
    static const double NEXT_TO_NOTHING = 0.1;
    double longer = 1 / (1 - pair->gap.value) - 1, more = 1 / (1 - pair->cycles.value) - 1;
    return pair->cycles.known && fabs(more) < NEXT_TO_NOTHING * longer;
}

const char *imported_cycles_words(const struct imported_pair *pair, struct arena *arena)
{
    static const double ALIKE = 0.03;
    double more = pair->cycles.known ? 1 / (1 - pair->cycles.value) - 1 : 0;
    if (fabs(more) < ALIKE)
        return "about as many cycles";
    return arena_printf(arena, "%.2g %% %s cycles", fabs(more) * 100, more > 0 ? "more" : "fewer");
}

/* "; it left a CPU 941220 times, the other 41220"; "": not counted, or not much more often. */
static const char *switches_words(const struct imported_pair *pair, struct arena *arena)
{
    static const double MORE = 2;
    struct measured many = imported_arm_count(&pair->slow, "context-switches"),
                    few = imported_pair_fast(pair, "context-switches");
    if (!many.known || !few.known || many.value < MORE * few.value || many.value <= 0)
        return "";
    return arena_printf(arena, "; it left a CPU %.0f times (context-switches), the other %.0f%s", many.value, few.value,
                        pair->is_window ? " for as many instructions" : "");
}

static const char *length_words(const struct imported_pair *pair, struct arena *arena)
{
    double slow = pair->slow.window_s.value, fast = pair->fast.window_s.value;
    return !pair->by_time ? "by task-clock"
           : fabs(slow - fast) < 0.02 * fast + 1e-9
               ? arena_printf(arena, "%.3g s", slow)
               : arena_printf(arena, "%.3g s and %.3g s, each second of them", slow, fast);
}

/* ", at the same clock"; "": it wasn't, or isn't known. */
static const char *same_clock_words(const struct imported_pair *pair, struct arena *arena)
{
    static const double ALIKE = 0.02;
    const struct imported_part *clock = &pair->parts[FACTOR_CLOCK];
    if (!clock->slow.known || !clock->fast.known ||
        fabs(clock->slow.value - clock->fast.value) > ALIKE * clock->fast.value)
        return "";
    return arena_printf(arena, ", at the same clock (%.3g GHz)", clock->slow.value * 1e-9);
}

/* Of two windows: how much less was done in the slower one, and by what. */
static const char *window_words(const struct imported *imported, const struct imported_pair *pair, struct arena *arena)
{
    static const char *const keys[FACTOR_COUNT + 1] = {
        [FACTOR_RATE] = "window-rate", [FACTOR_CLOCK] = "window-clock", [FACTOR_BUSY] = "window-busy"};
    enum imported_factor most = imported_pair_most(pair);
    const struct imported_part *part = most < FACTOR_COUNT ? &pair->parts[most] : NULL;
    /* cycles for each instruction are told the other way round */
    double slow = !part                 ? 0
                  : most == FACTOR_RATE ? 1 / part->slow.value
                                        : part->slow.value,
           fast = !part                 ? 0
                  : most == FACTOR_RATE ? 1 / part->fast.value
                                        : part->fast.value,
           scale = most == FACTOR_CLOCK ? 1e-9 : 1;
    struct value how[] = {VALUE_TEXT("slow", arena_printf(arena, "%.3g", slow * scale)),
                          VALUE_TEXT("fast", arena_printf(arena, "%.3g", fast * scale)),
                          VALUE_TEXT("clock", same_clock_words(pair, arena)),
                          VALUE_TEXT("switches", switches_words(pair, arena)),
                          VALUE_TEXT("cycles", imported_cycles_words(pair, arena))};
    const char *key = keys[most] ? keys[most] : cycles_are_alike(pair) ? "window-none" : NULL;
    const char *words =
        key ? wording_fill(arena, wording_find("verdict", key), how, array_count(how)) : "by what isn't told";
    const char *label = pair->slow.table->label;
    struct value values[] = {VALUE_TEXT("length", length_words(pair, arena)),
                             VALUE_TEXT("which", label && label[0] ? arena_printf(arena, " (%s)", label) : ""),
                             VALUE_TEXT("gap", arena_printf(arena, "%.3g %%", pair->gap.value * 100)),
                             VALUE_TEXT("how", words), VALUE_TEXT("file", pair->slow.table->file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    const char *sentence = imported_pair_is_open(imported, pair) ? "window-open" : "window";
    return wording_fill(arena, wording_find("verdict", sentence), values, array_count(values));
}

const char *imported_wait_words(const struct imported_pair *pair, struct arena *arena)
{
    static const double ALIKE = 0.03;
    const struct imported_part *busy = &pair->parts[FACTOR_BUSY];
    if (!pair->by_time || !busy->slow.known || !busy->fast.known)
        return "(whether it waited as well isn't known)";
    const char *how = busy->slow.value < (1 - ALIKE) * busy->fast.value   ? "and waiting more as well"
                      : busy->fast.value < (1 - ALIKE) * busy->slow.value ? "with more CPUs"
                                                                          : "without waiting more";
    return arena_printf(arena, "%s (%.3g and %.3g CPUs in use)", how, busy->slow.value, busy->fast.value);
}

/* Of runs of different work: how long each instruction took, where that differs as well. */
static const char *rate_words(const struct imported_pair *pair, struct arena *arena)
{
    static const double DIFFERENT = 1.25;
    const struct imported_part *rate = &pair->parts[FACTOR_RATE];
    if (!rate->slow.known || !rate->fast.known || rate->slow.value < DIFFERENT * rate->fast.value)
        return "";
    return arena_printf(arena, "; the slower one also takes %.3g cycles for each of them, the other %.3g",
                        rate->slow.value, rate->fast.value);
}

/* What most of the difference is, where counts tell. */
static const char *factor_words(const struct imported_pair *pair, enum imported_factor most, struct arena *arena)
{
    static const char *const keys[] = {[FACTOR_WORK] = "gap-work",
                                       [FACTOR_RATE] = "gap-rate",
                                       [FACTOR_CLOCK] = "gap-clock",
                                       [FACTOR_BUSY] = "gap-busy"};
    if (most == FACTOR_COUNT)
        return pair->by_time && cycles_are_alike(pair) ? "as many cycles, so it ran at a lower clock or waited" : "";
    const struct imported_part *part = &pair->parts[most];
    double scale = most == FACTOR_CLOCK ? 1e-9 : 1;
    struct value values[] = {
        VALUE_TEXT("slow", most == FACTOR_WORK ? arena_printf(arena, "%.15g", part->slow.value)
                                               : arena_printf(arena, "%.3g", part->slow.value * scale)),
        VALUE_TEXT("fast", most == FACTOR_WORK ? arena_printf(arena, "%.15g", part->fast.value)
                                               : arena_printf(arena, "%.3g", part->fast.value * scale)),
        VALUE_TEXT("less", arena_printf(arena, "%.3g %%", fabs(1 - part->fast.value / part->slow.value) * 100)),
        VALUE_TEXT("lower", arena_printf(arena, "%.2g %%", fabs(1 - part->slow.value / part->fast.value) * 100)),
        VALUE_TEXT("switches", switches_words(pair, arena)),
        VALUE_TEXT("cycles", imported_cycles_words(pair, arena)),
        VALUE_TEXT("rate", rate_words(pair, arena)),
        VALUE_TEXT("waited", imported_wait_words(pair, arena))};
    return wording_fill(
        arena, wording_find("verdict", most == FACTOR_CLOCK && pair->is_of_user ? "gap-clock-user" : keys[most]),
        values, array_count(values));
}

/* " (8.2 s with 8386784008 cycles, 7.9 s with 8014232049: …)"; "": they have no cycles. */
static const char *cycles_words(const struct imported_pair *pair, struct arena *arena)
{
    struct measured more = imported_arm_count(&pair->slow, "cycles"), fewer = imported_arm_count(&pair->fast, "cycles");
    if (!more.known || !fewer.known)
        return "";
    const char *how = factor_words(pair, imported_pair_most(pair), arena), *colon = how[0] ? ": " : "";
    if (!pair->by_time)
        return arena_printf(arena, " (%.15g and %.15g cycles%s%s)", more.value, fewer.value, colon, how);
    return arena_printf(arena, " (%.4g s with %.15g cycles, %.4g s with %.15g%s%s)", pair->slow.elapsed_s.value,
                        more.value, pair->fast.elapsed_s.value, fewer.value, colon, how);
}

static const char *length_name(const struct imported_pair *pair)
{
    return pair->by_time ? "time" : pair->by_cpu_time ? "CPU time" : "cycles";
}

/* Of the only two timed runs; not measured: there are others, or it may be chance. */
static struct measured gap_of_two(const struct imported *imported)
{
    struct imported_two two;
    struct measured spread = imported_spread_of(imported);
    bool is_one = imported_two_of(imported, &two) && !(spread.known && two.gap <= spread.value);
    return is_one ? measured_as(two.gap) : not_measured("no two runs were timed");
}

/* Of the runs' times, or of their cycles where no times stand beside them. */
static struct measured gap_of(const struct results *results, struct imported_pair *pair, bool *ret_is_pair)
{
    struct measured gap = results->imported ? imported_gap_of(results->imported) : not_measured("");
    *ret_is_pair = results->imported && imported_pair_of(results->imported, pair);
    return gap.known || !results->imported ? gap : *ret_is_pair ? pair->gap : gap_of_two(results->imported);
}

/* Who told of trials that were read isn't told that there are none. */
static const char *support_words(const struct told *told)
{
    bool is_tried = told && (told->trial_count || told->unnamed_count);
    return wording_find("verdict", is_tried ? "support-tried" : "support-none");
}

const char *imported_gap_words(const struct results *results, struct arena *arena)
{
    struct imported_pair pair;
    bool is_pair;
    struct measured gap = gap_of(results, &pair, &is_pair);
    if (!gap.known || gap.value < results->effect)
        return NULL;
    if (is_pair && pair.is_window && pair.gap.value >= gap.value)
        return arena_printf(arena, "%s: no table and no trial supports a cause of it",
                            window_words(results->imported, &pair, arena));
    bool by_itself = is_pair && !pair.by_time && !imported_gap_of(results->imported).known;
    struct value values[] = {VALUE_TEXT("gap", arena_printf(arena, "%.1f %%", gap.value * 100)),
                             VALUE_TEXT("what", by_itself ? length_name(&pair) : "time"),
                             VALUE_TEXT("runs", is_pair ? cycles_words(&pair, arena) : ""),
                             VALUE_TEXT("support", support_words(results->told)), VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "gap-open"), values, array_count(values));
}

/* "1.412 ± 0.093 s" */
static const char *mean_words(const struct imported_row *run, struct arena *arena)
{
    return run->seconds > 0 ? arena_printf(arena, "%.4g \xc2\xb1 %.3g s", run->number, run->seconds)
                            : arena_printf(arena, "%.4g s", run->number);
}

const char *imported_noise_words(const struct results *results, struct arena *arena)
{
    struct imported_two two;
    struct measured spread = imported_spread_of(results->imported);
    if (!results->imported || !imported_two_of(results->imported, &two) || !spread.known || two.gap > spread.value)
        return NULL;
    struct value values[] = {VALUE_TEXT("gap", arena_printf(arena, "%.2g %%", two.gap * 100)),
                             VALUE_TEXT("slow", two.slow->name),
                             VALUE_TEXT("fast", two.fast->name),
                             VALUE_SHARE("spread", interval_exactly(spread.value)),
                             VALUE_TEXT("more", mean_words(two.slow, arena)),
                             VALUE_TEXT("less", mean_words(two.fast, arena)),
                             VALUE_TEXT("file", two.file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "gap-noise"), values, array_count(values));
}

const char *imported_gap_beyond(const struct results *results, const struct finding *culprit, struct arena *arena)
{
    static const double MOST_OF = 0.75;
    struct imported_pair pair;
    bool is_pair;
    struct measured gap = gap_of(results, &pair, &is_pair);
    if (!gap.known || !is_pair || culprit->of != OF_CPU_TIME || !culprit->recoverable.known ||
        !culprit->gain_unmeasured || culprit->recoverable.high >= MOST_OF * gap.value ||
        imported_lead_words(results, culprit, arena))
        return NULL;
    return imported_gap_words(results, arena);
}

/* The least that its own evidence says of it; 1: no share is told. */
static double least_said(const struct finding *culprit)
{
    const struct evidence *said = culprit->evidence_count ? &culprit->evidence[0] : NULL;
    for (size_t at = 0; said && at < said->value_count; at++)
        if (said->values[at].unit == UNIT_SHARE)
            return said->values[at].number.low;
    return 1;
}

const char *imported_contradiction(const struct findings *findings, const struct finding *culprit, struct arena *arena)
{
    const struct finding *most = NULL;
    for (size_t at = 0; at < findings->count; at++)
        if (findings->items[at].verdict == VERDICT_UNDECIDED && findings->items[at].contradicted > 0 &&
            (!most || findings->items[at].contradicted > most->contradicted))
            most = &findings->items[at];
    if (!most || !most->reason || (culprit && most->contradicted <= least_said(culprit)))
        return NULL;
    struct value values[] = {VALUE_TEXT("cause", most->hypothesis->title), VALUE_TEXT("reason", most->reason)};
    return wording_fill(arena, wording_find("verdict", "contradiction"), values, array_count(values));
}

/* Whatever is supported returns less than a third of the gap that was told. */
static bool is_far_below_told(const struct told *told, const struct findings *findings)
{
    static const double FAR_BELOW = 1.0 / 3;
    bool is_below = told && told->gap.known && told->gap_sentence && !told->gap_is_of_latency;
    for (size_t at = 0; at < findings->count && is_below; at++) {
        const struct finding *finding = &findings->items[at];
        is_below &= finding->verdict != VERDICT_SUPPORTED ||
                    (finding->recoverable.known && finding->recoverable.high < FAR_BELOW * told->gap.low);
    }
    return is_below;
}

static const char *gap_told(const struct results *results, const struct findings *findings, const char *key,
                            struct arena *arena)
{
    if (results->stalls || !is_far_below_told(results->told, findings))
        return NULL;
    struct value values[] = {VALUE_SHARE("gap", results->told->gap),
                             VALUE_TEXT("support", support_words(results->told)),
                             VALUE_TEXT("sentence", results->told->gap_sentence), VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", key), values, array_count(values));
}

const char *imported_gap_told(const struct results *results, const struct findings *findings,
                              const struct finding *culprit, struct arena *arena)
{
    return culprit ? gap_told(results, findings, "gap-told", arena) : NULL;
}

static bool is_ruled_out(const struct findings *findings, const char *id)
{
    for (size_t at = 0; at < findings->count; at++)
        if (finding_is(&findings->items[at], id))
            return findings->items[at].verdict == VERDICT_RULED_OUT;
    return false;
}

/* What such a difference is mostly of, as far as nothing rules it out; NULL: of what kind it is isn't told. */
static const char *candidates_of(const struct told *told, const struct findings *findings, struct arena *arena)
{
    static const struct {
        bool of_guest;
        const char *id, *words; /* id: NULL: no cause of ours */
    } causes[] = {
        {true, "small-pages", "page sizes in the guest"},
        {true, "host-small-pages", "page sizes of its memory on the host"},
        {true, "numa-remote", "memory on another node than its CPUs"},
        {true, "vm-exits", "exits to the hypervisor"},
        {true, NULL, "what protects its memory, where something does (encryption, bounce buffers)"},
        {false, "avx512-licence", "a clock lowered for wide vectors (a build with 256 bits, in turns, would tell)"}};
    const char *words = NULL;
    bool of_guest = told->gap_sentence && told_names_guest(view_of(told->gap_sentence));
    for (size_t at = 0; at < array_count(causes); at++)
        if ((causes[at].of_guest ? of_guest : told->names_wide) &&
            (!causes[at].id || !is_ruled_out(findings, causes[at].id)))
            words = words ? arena_printf(arena, "%s, %s", words, causes[at].words) : causes[at].words;
    return words;
}

const char *imported_gap_told_open(const struct results *results, const struct findings *findings,
                                   const struct finding *culprit, struct arena *arena)
{
    const char *words = gap_told(results, findings, culprit ? "gap-told-open" : "gap-told-all", arena),
               *candidates = words ? candidates_of(results->told, findings, arena) : NULL;
    struct value value = VALUE_TEXT("causes", candidates);
    return candidates ? arena_printf(arena, "%s. %s", words,
                                     wording_fill(arena, wording_find("verdict", "gap-candidates"), &value, 1))
                      : words;
}

enum imported_factor imported_differ_by(const struct results *results)
{
    struct imported_pair pair;
    bool differ = results->imported && imported_pair_of(results->imported, &pair) &&
                  pair.gap.value >= results->effect;
    return differ ? imported_pair_most(&pair) : FACTOR_COUNT;
}

const char *imported_rate_advice(const struct results *results)
{
    return imported_differ_by(results) == FACTOR_RATE ? wording_find("verdict", "next-rate") : NULL;
}

/* More CPUs that each do less in a cycle: what they share holds them up. */
static const char *hindered_words(const struct imported_part *rate, struct arena *arena)
{
    static const double MORE = 1.1;
    if (rate->fast.value < MORE * rate->slow.value)
        return "";
    struct value values[] = {VALUE_TEXT("slow", arena_printf(arena, "%.3g", rate->slow.value)),
                             VALUE_TEXT("fast", arena_printf(arena, "%.3g", rate->fast.value))};
    return wording_fill(arena, wording_find("verdict", "gap-hindered"), values, array_count(values));
}

/* That the faster one is that with wide vectors, by its cycles at a lowered clock; "": it isn't, or nobody counted. */
static const char *wide_words(const struct imported_pair *pair)
{
    static const char *const events[] = {"core_power.lvl2_turbo_license", "core_power.lvl1_turbo_license"};
    static const double LEAST = 0.01, FAR_FEWER = 0.1;
    for (size_t at = 0; at < array_count(events); at++) {
        struct measured wide = measured_ratio(imported_arm_count(&pair->fast, events[at]),
                                              imported_arm_count(&pair->fast, "cycles")),
                        narrow = measured_ratio(imported_arm_count(&pair->slow, events[at]),
                                                imported_arm_count(&pair->slow, "cycles"));
        if (wide.known && narrow.known && wide.value >= LEAST && narrow.value <= FAR_FEWER * wide.value)
            return wording_find("verdict", "lead-wide");
    }
    return "";
}

bool imported_wide_pays(const struct results *results)
{
    struct imported_pair pair;
    return results->imported && imported_pair_of(results->imported, &pair) && pair.gap.value >= results->effect &&
           imported_pair_most(&pair) == FACTOR_WORK && !pair.is_window && wide_words(&pair)[0];
}

/* Of two windows of as much work: the one that executed more for it took more CPU time. */
static const char *load_words(const struct imported_pair *pair, struct arena *arena)
{
    const struct imported_part *work = &pair->parts[FACTOR_WORK];
    const char *one = pair->slow.table->label, *other = pair->fast.table->label;
    struct value values[] = {
        VALUE_TEXT("one", one && one[0] ? one : "one of them"),
        VALUE_TEXT("other", other && other[0] ? other : "the other"),
        VALUE_TEXT("what", length_name(pair)),
        VALUE_TEXT("longer", arena_printf(arena, "%.3g %%", (1 / (1 - pair->gap.value) - 1) * 100)),
        VALUE_TEXT("more", arena_printf(arena, "%.3g %%", (work->slow.value / work->fast.value - 1) * 100)),
        VALUE_TEXT("count", arena_printf(arena, "%.15g", work->slow.value)),
        VALUE_TEXT("fewer", arena_printf(arena, "%.15g", work->fast.value)),
        VALUE_TEXT("rate", rate_words(pair, arena)),
        VALUE_TEXT("file", pair->slow.table->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "lead-load"), values, array_count(values));
}

const char *imported_lead_words(const struct results *results, const struct finding *culprit, struct arena *arena)
{
    struct imported_pair pair;
    if (!results->imported || !imported_pair_of(results->imported, &pair) || pair.gap.value < results->effect)
        return NULL;
    enum imported_factor most = imported_pair_most(&pair);
    bool is_told = culprit && (culprit->of == OF_ELAPSED || /* by a trial */
                               finding_is(culprit, "avx512-licence") || finding_is(culprit, "frequency") ||
                               finding_is(culprit, "thermal-power"));
    static const char *const keys[FACTOR_COUNT + 1] = {
        [FACTOR_WORK] = "lead-work", [FACTOR_CLOCK] = "lead-clock", [FACTOR_BUSY] = "lead-busy"};
    if (pair.is_window) /* by its cycles a cause that is supported says more */
        return is_told || (culprit && most == FACTOR_RATE) ? NULL : window_words(results->imported, &pair, arena);
    if (pair.slow.is_window && most == FACTOR_WORK && !is_told)
        return load_words(&pair, arena);
    static const double ALONE_MOST = 1.1;
    const struct imported_part *busy = &pair.parts[FACTOR_BUSY], *rate = &pair.parts[FACTOR_RATE];
    bool is_of_threads = most == FACTOR_BUSY && busy->fast.value > ALONE_MOST;
    bool is_of_user = most == FACTOR_CLOCK && pair.is_of_user;
    const char *key = is_of_threads ? "lead-threads" : is_of_user ? "lead-clock-user" : keys[most];
    if (!key || is_told)
        return NULL;
    struct value values[] = {VALUE_TEXT("what", length_name(&pair)),
                             VALUE_TEXT("gap", arena_printf(arena, "%.3g %%", pair.gap.value * 100)),
                             VALUE_TEXT("which", pair.is_only ? "the two runs" : "the slowest and the fastest run"),
                             VALUE_TEXT("how", factor_words(&pair, most, arena)),
                             VALUE_TEXT("slow", busy->slow.known ? arena_printf(arena, "%.3g", busy->slow.value) : ""),
                             VALUE_TEXT("fast", busy->fast.known ? arena_printf(arena, "%.3g", busy->fast.value) : ""),
                             VALUE_TEXT("wide", most == FACTOR_WORK ? wide_words(&pair) : ""),
                             VALUE_TEXT("hindered", is_of_threads && rate->part < 0 ? hindered_words(rate, arena) : ""),
                             VALUE_TEXT("file", pair.slow.table->file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", key), values, array_count(values));
}
