/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/evidence.h"

#include "analyse/bottleneck/confidence.h"
#include "analyse/bottleneck/code_index.h"
#include "analyse/bottleneck/crowd.h"
#include "analyse/bottleneck/dependence.h"
#include "analyse/bottleneck/recoverable.h"
#include "analyse/bottleneck/thresholds.h"
#include "base/cache_line.h"
#include "base/vec.h"

#include <stdlib.h>

static void add(struct bottleneck_verdict *verdict, const char *origin, const char *text)
{
    if (verdict->evidence_count < BOTTLENECK_EVIDENCE_MOST)
        verdict->evidence[verdict->evidence_count++] = (struct bottleneck_evidence){origin, text};
}

static const char *bytes_text(struct arena *arena, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < array_count(units); unit++)
        bytes /= 1024;
    return arena_printf(arena, "%.3g %s", bytes, units[unit]);
}

/* ---- from the samples ---- */

static const double SHOWN_LEAST = 0.005; /* what rounds to 0 % is no evidence */

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

enum { REPEATS_MOST = 4096 };

/*
 * How many bytes one call of a string instruction moves: samples meet it anywhere on its way, half of it being left in
 * the middle. 0: too few say so.
 */
static double string_bytes(const struct leading *leading, uint32_t row)
{
    const struct bottleneck_request *request = leading->request;
    const struct region *region = leading->look->region;
    const struct instruction *here = &region->code->items[row];
    double left[REPEATS_MOST];
    size_t count = 0;
    struct index_part own = code_index_placed(request->index, region->function);
    for (size_t at = 0; at < own.count && count < REPEATS_MOST; at++) {
        const struct stall_sample *placed = &request->stalls->placed[own.items[at]];
        uint64_t value;
        if (placed->sampled == row &&
            samples_register(&request->recording->samples, &request->recording->samples.items[placed->sample],
                             here->repeat_register, &value))
            left[count++] = (double)value;
    }
    if (count < WORKING_SET_ADDRESSES_LEAST)
        return 0;
    qsort(left, count, sizeof(*left), double_compare);
    return 2 * left[count / 2] * (here->memory.size_bytes ? here->memory.size_bytes : 1);
}

static void string_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    uint32_t row = leading->look->hottest[leading->cause];
    const struct instruction *here = row != UINT32_MAX ? &leading->look->region->code->items[row] : NULL;
    if (!here || !here->repeats || here->flags_written) /* scas, cmps: they end where the data say so */
        return;
    double bytes = string_bytes(leading, row);
    if (bytes >= 1)
        add(verdict, "registers",
            arena_printf(arena, "one call of it moves about %s: half of that was left in the middle of its samples",
                         bytes_text(arena, bytes)));
}

static const char *piece_word(const struct leading *leading)
{
    return leading->look->region->is_loop ? "loop" : "function";
}

static void samples_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct loop_look *look = leading->look;
    double part = look->region->samples ? look->samples[leading->cause] / (double)look->region->samples : 0;
    if (verdict->instruction && part >= SHOWN_LEAST)
        add(verdict, "samples",
            arena_printf(arena, "%.0f %% of the %s's samples wait so, most at %s", part * 100, piece_word(leading),
                         verdict->instruction));
}

static void entered_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    add(verdict, "samples",
        arena_printf(arena,
                     "%.0f %% of the samples fall %s the first instruction of a function, where calls "
                     "through a register or table lead: what such a call waits for is its target",
                     leading->entered * 100, leading->request->stalls->restarts_behind ? "on or right behind" : "on"));
}

static void guesses_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct guesses *guesses = &leading->look->guesses;
    const char *where = leading->request->stalls->restarts_behind ? "right behind " : "";
    if (leading->look->is_along) {
        add(verdict, "samples",
            arena_printf(arena, "loops that call the %s in each turn wait for wrong guesses: it begins anew with them",
                         piece_word(leading)));
        return;
    }
    if (guesses->evenness >= bottleneck_thresholds.even_least)
        add(verdict, "samples",
            arena_printf(arena, "samples fall on %.0f %% of the %s's instructions: retirement starts anew anywhere, as "
                                "after wrong guesses", guesses->evenness * 100, piece_word(leading)));
    if (leading->cause == CAUSE_INDIRECT && leading->entered > 0)
        entered_evidence(verdict, leading, arena);
    else if (leading->cause == CAUSE_INDIRECT && leading->request->calls_are_guessed)
        add(verdict, "samples",
            arena_printf(arena,
                         "calls through a register or table lead to the %s, and samples gather right behind its first "
                         "instruction",
                         piece_word(leading)));
    else if (leading->cause == CAUSE_INDIRECT)
        add(verdict, "code",
            arena_printf(arena, "%.0f %% of the samples %s jumps or calls whose target is looked up%s",
                         guesses->table_share * 100, *where ? "right behind where" : "around", *where ? " lead" : ""));
    else
        add(verdict, "code",
            arena_printf(arena, "%.0f %% of the samples %swhere %s leads (%.0f %% of the instructions)",
                         guesses->landing_share * 100, where,
                         guesses->branches == 1 ? "its branch"
                                                : arena_printf(arena, "one of %u branches", guesses->branches),
                         guesses->landing_rows * 100));
}

/* Beside a turn's bound, what it takes: measured, or at most, by a rate that may be too low and never too high. */
static const char *measured_text(const struct loop_look *look, struct arena *arena)
{
    const struct loop_bound *bound = &look->resources.bound;
    if (look->pace.measured_cycles.known)
        return arena_printf(arena, "; measured: %.3g", look->pace.measured_cycles.value);
    if (look->pace.over_bound_most > 0)
        return arena_printf(arena, "; measured: %.3g at most", look->pace.over_bound_most * bound->cycles);
    return "";
}

static void even_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct loop_look *look = leading->look;
    const struct resources *use = &look->resources;
    const struct loop_bound *bound = &use->bound;
    double evenness = look->guesses.evenness;
    if (!leading->look->region->is_loop) { /* what comes round in a function isn't known */
        double quick =
            leading->look->region->samples ? leading->look->quick / (double)leading->look->region->samples : 0;
        if (quick >= SHOWN_LEAST)
            add(verdict, "samples",
                arena_printf(arena,
                             "%.0f %% of the function's samples stand at quick instructions, whose neighbours "
                             "show no wait for data, arithmetic or wrong guesses",
                             quick * 100));
        return;
    }
    static const double ONE_WAY_LEAST = 0.1; /* an interpreter's dispatch: each turn goes another way through it */
    if (evenness < ONE_WAY_LEAST) {
        add(verdict, "samples",
            arena_printf(arena,
                         "samples fall on %.2g %% of the loop's instructions: what a turn runs of them, and how long "
                         "that must take, isn't known",
                         evenness * 100));
        return;
    }
    if (evenness <= bottleneck_thresholds.even_most)
        add(verdict, "samples",
            arena_printf(arena,
                         "samples fall on %.0f %% of the loop's instructions: it retires in the same groups each turn, "
                         "as what waits for nothing does",
                         evenness * 100));
    if (bound->known)
        add(verdict, "code",
            arena_printf(arena,
                         "a turn takes %.2f cycles at least%s: %.2f to issue, %.2f on its busiest units, %.2f by its "
                         "longest chain of results%s",
                         bound->cycles, bound->is_lower ? " (more: not all costs are known)" : "",
                         bound->frontend_cycles, bound->unit_cycles, bound->chain.cycles, measured_text(look, arena)));
    else
        add(verdict, "code",
            arena_printf(arena,
                         "a turn needs %s cycles to issue, %s for loads, %s for floating point, %s for single units",
                         short_number_of(use->issue).text, short_number_of(use->loads).text,
                         short_number_of(use->fp).text, short_number_of(use->single).text));
}

static void footprint_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct footprint *footprint = leading->footprint;
    if (footprint_waits(footprint)) {
        add(verdict, "samples",
            arena_printf(
                arena,
                "%.0f %% of the samples in spread-out code fall where code comes in (a line begins, a jump or call "
                "leads there or returns), where %.0f %% of its instructions are",
                footprint->starts * 100, footprint->starts_expected * 100));
        add(verdict, "code",
            arena_printf(arena, "%s %s of code are in use (%s were met), the nearest cache holds %s%s",
                         footprint->is_least ? "at least" : "about", bytes_text(arena, footprint->bytes),
                         bytes_text(arena, (double)leading->request->stalls->met_lines * 64),
                         bytes_text(arena, footprint->cache_bytes),
                         leading->request->machine->code_bytes > 0 ? "" : " on most cores: this one's isn't known"));
        return;
    }
    add(verdict, "samples",
        arena_printf(arena, "%.0f %% of the samples fall where a line of code begins, where 25 %% would evenly",
                     footprint->line_share * 100));
    add(verdict, "code", arena_printf(arena, "%.0f different instructions in %s of code lines were met, or more",
                                      footprint->addresses, bytes_text(arena, footprint->least_bytes)));
}

static const char *guessed_text(const struct footprint *footprint, struct arena *arena)
{
    double guessed = footprint->guessed + footprint->guessed_cases;
    return guessed < SHOWN_LEAST
               ? ""
               : arena_printf(arena, "; %.0f %% more than evenly where branches or tables lead", guessed * 100);
}

/* Of what no loop or function shows by itself. */
static void apart_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct footprint *footprint = leading->footprint;
    if (!footprint)
        return;
    if (verdict->class == BOTTLENECK_MIXED && footprint_waits(footprint))
        footprint_evidence(verdict, leading, arena);
    else if (leading->cause == CAUSE_INDIRECT && leading->entered > 0)
        entered_evidence(verdict, leading, arena);
    else if (leading->small >= SHOWN_LEAST)
        add(verdict, "samples",
            arena_printf(arena,
                         "%.0f %% of the samples fall on quick instructions of code in pieces too small to "
                         "show anything by themselves%s",
                         leading->small * 100, guessed_text(footprint, arena)));
}

/* Code without a loop, or a long turn. */
static void straight_evidence(struct bottleneck_verdict *verdict, const struct loop_look *look, struct arena *arena)
{
    const struct straight_bound *straight = &look->resources.straight;
    const char *once = look->region->is_loop ? "a turn of it" : "a call of it";
    add(verdict, "code",
        arena_printf(arena,
                     "%s is %u instructions, whose results need one another: %.0f cycles from its beginning to its end "
                     "by this core's costs, where issue takes %.0f and its busiest units %.0f",
                     once, straight->row_count, straight->chain.cycles, straight->frontend_cycles,
                     straight->unit_cycles));
    add(verdict, "code",
        arena_printf(arena, "that is farther than a core looks ahead: %.0f cycles each at least, if none waits for the "
                            "one before",
                     straight->overlapped_cycles));
}

/* " (add, cmp, cmovl)": by what the chain goes from turn to turn; "": its instructions have no names, or are many. */
static const char *chain_words(const struct region *region, const struct loop_result_chain *chain, struct arena *arena)
{
    enum { WORDS_MOST = 4 };
    const char *words = "";
    uint32_t count = 0;
    for (uint32_t at = 0; at < chain->row_count; at++) {
        const char *word = region->code->items[chain->rows[at]].mnemonic;
        if (!word || ++count > WORDS_MOST)
            return "";
        words = arena_printf(arena, "%s%s%s", words, *words ? ", " : " (", word);
    }
    return *words ? arena_printf(arena, "%s)", words) : "";
}

static void chain_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    static const char *const texts[CAUSE_COUNT] = {
        [CAUSE_LATENCY_CHAIN] = "what it computes is needed by itself in the next turn, and that takes longest",
        [CAUSE_DIVIDE] = "divisions and square roots have one unit, which takes one at a time",
        [CAUSE_FP] = "floating-point arithmetic without a chain long enough to explain it",
        [CAUSE_PORTS] = "the code asks more of one unit than of issue",
        [CAUSE_STORE_FORWARDING] = "what is loaded was stored to the same place a moment ago",
        [CAUSE_L1_LATENCY] = "each address comes out of a load before",
        [CAUSE_ATOMIC] = "an atomic operation waits for all loads and stores before it, and those behind wait for it",
    };
    const struct loop_look *look = leading->look;
    const struct loop_bound *bound = &look->resources.bound;
    if (verdict->cause == CAUSE_DIVIDE && has_divide_chain(look->region))
        add(verdict, "code",
            bound->known && !bound->is_lower
                ? arena_printf(arena,
                               "each division needs the result of the one before: how long one takes counts, not how "
                               "many the divider takes in; the chain takes %.2f cycles a turn by this core's costs, "
                               "the divider %.2f%s",
                               bound->chain.cycles, bound->divider_cycles, measured_text(look, arena))
                : "each division needs the result of the one before: how long one takes counts, not how many the "
                  "divider takes in");
    else if (verdict->cause == CAUSE_FP && look->fp_is_unexplained)
        add(verdict, "code",
            arena_printf(arena,
                         "arithmetic: a turn takes %.3g cycles, measured, though by this core's costs %.2f to issue, "
                         "%.2f on its busiest units and %.2f by its longest chain: it takes longer than it should; "
                         "denormal numbers would",
                         look->pace.over_bound * bound->cycles, bound->frontend_cycles, bound->unit_cycles,
                         bound->chain.cycles));
    else if (verdict->cause == CAUSE_FP && !look->region->is_loop)
        add(verdict, "code",
            "floating-point arithmetic outside loops: whether its units or a chain of results within a call hold it up "
            "isn't known");
    else if (verdict->cause == CAUSE_STORE_FORWARDING && 2 * look->blocked >= look->samples[CAUSE_STORE_FORWARDING])
        add(verdict, "code",
            "it loads at once what several narrower stores wrote right before: no store can hand that on, and the load "
            "waits until they are in the cache");
    else if (verdict->cause == CAUSE_STORE_FORWARDING && resources_chain(&look->resources) == CAUSE_STORE_FORWARDING)
        add(verdict, "code",
            arena_printf(arena,
                         "what a turn loads was stored to the same place in the turn before: that and what is computed "
                         "between takes "
                         "%.2f cycles a turn by this core's costs, issue %.2f",
                         bound->chain.cycles, bound->frontend_cycles));
    else if (verdict->cause == CAUSE_LATENCY_CHAIN && resources_straight(&look->resources) == STRAIGHT_SURE)
        straight_evidence(verdict, look, arena);
    else if (verdict->cause == CAUSE_LATENCY_CHAIN && bound->known && !bound->is_lower)
        add(verdict, "code",
            arena_printf(
                arena,
                "what it computes is needed by itself in the next turn%s: %.2f cycles a turn by this core's costs, "
                "where issue takes %.2f and its busiest units %.2f%s",
                chain_words(look->region, &bound->chain, arena), bound->chain.cycles, bound->frontend_cycles,
                bound->unit_cycles, measured_text(look, arena)));
    else if (verdict->cause == CAUSE_PORTS && bound->known && !bound->is_lower)
        add(verdict, "code",
            arena_printf(arena,
                         "the code asks more of one kind of unit (%s) than of issue: %.2f cycles a turn by this core's "
                         "costs, where issue takes %.2f%s",
                         unit_kind_name(bound->unit_kind), bound->unit_cycles, bound->frontend_cycles,
                         measured_text(look, arena)));
    else if (texts[verdict->cause])
        add(verdict, "code", arena_string(arena, texts[verdict->cause]));
}

/* ---- from the addresses ---- */

/* "256 MiB (250 to 260 MiB)", or what it is at least. */
static const char *set_text(struct arena *arena, const struct touched_memory *touched)
{
    struct interval lines = touched->lines_bytes;
    if (!lines.known)
        return arena_printf(arena, "at least %s", bytes_text(arena, touched->lines_least_bytes));
    if (lines.high <= 1.1 * lines.low)
        return bytes_text(arena, lines.mid);
    return arena_printf(arena, "%s (%s to %s)", bytes_text(arena, lines.mid), bytes_text(arena, lines.low),
                        bytes_text(arena, lines.high));
}

static const char *pages_text(struct arena *arena, const struct touched_memory *touched)
{
    struct interval pages = touched->pages_bytes;
    bool apart = pages.known && (!touched->lines_bytes.known || pages.mid > 1.5 * touched->lines_bytes.mid);
    return apart ? arena_printf(arena, " in about %s of pages", bytes_text(arena, pages.mid)) : "";
}

static double lines_of(const struct touched_memory *touched)
{
    return touched->lines_bytes.known ? touched->lines_bytes.mid : touched->lines_least_bytes;
}

/*
 * A walk by columns comes back to a line in its next pass: what that long lies between is one pass, not all that it
 * ever goes over.
 */
static const char *walker_text(const struct loop_look *look, bool differ, struct arena *arena)
{
    const struct reach *reach = &look->reach;
    double stride = (double)reach->set.stride_bytes;
    const char *who = differ ? "its hottest access" : "it";
    bool in_order = look->ruled_out_line_ns > 0; /* then samples alone lay so far apart */
    if (stride <= CACHE_LINE_BYTES || reach->set.one_place_in_stride || in_order)
        return who;
    return arena_printf(arena, "in a pass by steps of %s %s", bytes_text(arena, stride), who);
}

static const char *window_text(const struct reach *reach, struct arena *arena)
{
    return reach->window_bytes > 0
               ? arena_printf(arena, ", at any time over %s at most", bytes_text(arena, reach->window_bytes))
               : "";
}

/* Where it reaches, true of the number of bytes that stands before it. */
static const char *where_text(const struct reach *reach, double bytes, const struct bottleneck_machine *machine,
                              struct arena *arena)
{
    static const char *const where[] = {"", "within the first cache", "beyond the first cache, within the second",
                                        "beyond the second cache"};
    const char *sizes =
        arena_printf(arena, "%s and %s", bytes_text(arena, machine->l1_bytes), bytes_text(arena, machine->l2_bytes));
    if (reach->is_crowded)
        return crowd_text(reach, machine, sizes, arena);
    bool is_over = reach->level == LEVEL_L1 && bytes > machine->l1_bytes;
    return arena_printf(arena, "%s (%s)",
                        is_over                ? "little more than the first cache holds"
                        : reach->level_is_open ? "beyond the first cache"
                                               : where[reach->level],
                        sizes);
}

/* All of its accesses go over so much more than the one that says the level that this is no longer true of them. */
static bool is_less_than_all(const struct reach *reach, double own, double all,
                             const struct bottleneck_machine *machine)
{
    return all > 1.5 * own ||
           (reach->level == LEVEL_L1 && all > bottleneck_thresholds.set_over_cache * machine->l1_bytes) ||
           (reach->level == LEVEL_L2 && reach->window_bytes <= 0 && all > machine->l2_bytes);
}

const struct touched_memory *evidence_memory(const struct loop_look *look, const struct bottleneck_machine *machine)
{
    const struct touched_memory *all = &look->touched, *own = look->reach.touched.known ? &look->reach.touched : all;
    return is_less_than_all(&look->reach, lines_of(own), lines_of(all), machine) ? own : all;
}

/* How far the access reaches that says the level; and how far all of them, where that is much more. */
static void reach_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct reach *reach = &leading->look->reach;
    const struct touched_memory *all = &leading->look->touched, *own = reach->touched.known ? &reach->touched : all;
    if (!reach->known || !all->known || lines_of(own) < 1)
        return;
    const struct bottleneck_machine *machine = leading->request->machine;
    const struct touched_memory *said = evidence_memory(leading->look, machine);
    bool differ = said != all;
    add(verdict, "addresses",
        arena_printf(
            arena, "%s goes over %s of lines%s%s, %s%s%s", walker_text(leading->look, differ, arena),
            set_text(arena, said), pages_text(arena, said), window_text(reach, arena),
            where_text(reach, reach->window_bytes > 0 ? reach->window_bytes : lines_of(said), machine, arena),
            differ ? arena_printf(arena, "; all of them over %s%s", set_text(arena, all), pages_text(arena, all)) : "",
            all->goes_once ? "; each part once, as far as was seen" : ""));
}

/* Where the wait shows at an instruction that another's access holds up: that one. */
static void operand_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct region *region = leading->look->region;
    uint32_t at = leading->look->operand_row;
    if (at == UINT32_MAX)
        return;
    const struct instruction *row = &region->code->items[at];
    const struct stall_function *function = &leading->request->stalls->functions[region->function];
    const char *text = arena_printf(arena, "the access at %llx", (unsigned long long)row->addr);
    for (size_t shown = 0; shown < function->row_count; shown++)
        if (function->rows[shown].shown_addr == row->addr)
            text = function->rows[shown].text;
    add(verdict, "code",
        arena_printf(arena,
                     row->is_store ? "a turn waits for %s: in order it would be walked faster than that"
                                   : "what a turn computes needs what %s loads: samples stand behind it, where the "
                                     "result is",
                     text));
}

/* Either reason that `reach` has for it. */
static const char *translation_text(const struct reach *reach, struct arena *arena)
{
    double stride = (double)reach->set.stride_bytes;
    if (stride < 1 || reach->set.one_place_in_stride)
        return "far more pages than lines: translations miss before data does";
    return arena_printf(
        arena, "in steps of %s nearly each access is to another page than the last: it waits for its translation first",
        bytes_text(arena, stride));
}

/* Where no addresses say how far it reaches. */
static void pace_evidence(struct bottleneck_verdict *verdict, const struct loop_look *look, struct arena *arena)
{
    if (!look->reach.known && look->paced_level > LEVEL_L1)
        add(verdict, "rate",
            arena_printf(arena,
                         "a turn of its loop takes %s cycles, and %s when all that it loads is in the first cache",
                         short_number_of(look->pace.measured_cycles.value).text,
                         short_number_of(look->resources.bound.cycles).text));
}

static const char *walk_text(const struct reach *reach, const struct bottleneck_machine *machine, struct arena *arena)
{
    double ns = reach->own_line_ns, gb_s = CACHE_LINE_BYTES / ns, most_gb_s = machine->read_bytes_s.high * 1e-9;
    if (machine->read_bytes_s.known && gb_s > most_gb_s)
        return arena_printf(arena,
                            "its addresses move on by %.3g bytes in a ns, where one core reads %.3g GB/s here: it "
                            "leaves lines out, or not all of them come from memory",
                            gb_s, most_gb_s);
    if (reach->arrays > 1)
        return arena_printf(
            arena, "it walks through %u arrays in order, a line of 64 bytes of each in about %.3g ns (%.3g GB/s each)",
            reach->arrays, ns, gb_s);
    return arena_printf(arena, "it walks in order, a line of 64 bytes in about %.3g ns (%.3g GB/s)", ns, gb_s);
}

bool leading_row_is(const struct leading *leading, bool (*is_such)(const struct region *region, uint32_t row))
{
    uint32_t row = leading->look ? leading->look->hottest[leading->cause] : UINT32_MAX;
    return row != UINT32_MAX && is_such(leading->look->region, row);
}

/* So many pages that translations would be what it waits for, had the probe not shown otherwise. */
static void refuted_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct access_cost *cost = leading->look->reach.is_wide_spread && verdict->cause != CAUSE_TLB
                                         ? crowd_pages_refuted(leading->request, leading->look->region)
                                         : NULL;
    if (cost)
        add(verdict, "probe",
            arena_printf(arena,
                         "its pattern costs %.3g ns an access on 4 KiB pages and %.3g ns on 2 MiB pages: it isn't "
                         "their translations that it waits for",
                         cost->ns_small.mid, cost->ns_huge.mid));
}

/* Another access of the loop goes where its last result says. */
static bool is_beside_chase(const struct leading *leading)
{
    const struct region *region = leading->look->region;
    bool chases = false;
    for (uint32_t row = region->rows.first; row <= region->rows.last && !chases; row++)
        chases = region_holds(region, row) && region->code->items[row].is_load && is_chased(region, row);
    return chases;
}

static void memory_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct reach *reach = &leading->look->reach;
    switch (verdict->cause) {
    case CAUSE_LATENCY:
        add(verdict, "code",
            leading_row_is(leading, is_chased_by_calls)
                ? "it calls itself with a pointer that was loaded through the one that it came with: nothing can be "
                  "fetched meanwhile"
                : "each address comes out of a load before: nothing can be fetched meanwhile");
        pace_evidence(verdict, leading->look, arena);
        break;
    case CAUSE_L2:
        pace_evidence(verdict, leading->look, arena);
        break;
    case CAUSE_BANDWIDTH:
        add(verdict, reach->line_ns > 0 ? "rate" : "code",
            reach->line_ns > 0 ? walk_text(reach, leading->request->machine, arena)
                               : "it walks through memory in order");
        break;
    case CAUSE_PARALLEL_MISSES:
        add(verdict, "code",
            leading_row_is(leading, is_passed_by_calls)
                ? "its pointer comes with a call or back from one: whether it waits for the miss before isn't seen"
            : is_beside_chase(leading)
                ? "its own address leads to no next miss, though its loop goes from load to load beside it: what that "
                  "leads to is known a step at a time"
                : "no address waits for the miss before it: several are under way at a time");
        pace_evidence(verdict, leading->look, arena);
        break;
    case CAUSE_TLB:
        add(verdict, "addresses", translation_text(&leading->look->reach, arena));
        break;
    default:
        break;
    }
    refuted_evidence(verdict, leading, arena);
    if (leading->look->is_prefetched)
        add(verdict, "code", "it asks for data ahead by itself");
}

static void stepped_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    const struct trace_summary *trace = leading->request->trace;
    if (!leading->stepped || !leading->stepped->known)
        return;
    if (verdict->evidence_count == BOTTLENECK_EVIDENCE_MOST) /* it outweighs whatever came last */
        verdict->evidence_count--;
    struct interval rate = trace->all.per_1000;
    const char *misses =
        trace->line_misses.known
            ? arena_printf(arena, ", %s to %s misses of its nearest cache for code",
                           short_number_of(trace->line_misses.low).text, short_number_of(trace->line_misses.high).text)
            : "";
    add(verdict, "probe",
        arena_printf(
            arena,
            "of 1000 instructions as they ran %s branches are guessed wrong (%s to %s; targets %s)%s: %.0f to %.0f %% "
            "of the time for wrong guesses",
            short_number_of(rate.mid).text, short_number_of(rate.low).text, short_number_of(rate.high).text,
            short_number_of(trace->indirect.per_1000.known ? trace->indirect.per_1000.mid : 0).text, misses,
            leading->stepped->guessed.low * 100, leading->stepped->guessed.high * 100));
}

static void splits_evidence(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    double split = leading->look->resources.split_ratio;
    if (split >= bottleneck_thresholds.split_least)
        add(verdict, "addresses",
            arena_printf(arena,
                         "%.0f %% of the loads of its code cross from one line of 64 bytes into the next: each takes "
                         "a load unit twice",
                         split * 100));
}

/* Of memory that no cache near it holds, in order: no faster than one core was measured to read here. */
static bool is_rate_true(const struct leading *leading)
{
    const struct interval *read = &leading->request->machine->read_bytes_s;
    bool is_near = leading->look->reach.level <= LEVEL_L2;
    return is_near || !read->known || CACHE_LINE_BYTES / leading->look->ruled_out_line_ns * 1e9 <= read->high;
}

static void reasons_find(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    if (verdict->class == BOTTLENECK_FRONTEND) {
        footprint_evidence(verdict, leading, arena);
        return;
    }
    if (!leading->look) {
        apart_evidence(verdict, leading, arena);
        return;
    }
    bool is_walk_ruled_out = leading->look->ruled_out_line_ns > 0 && verdict->class != BOTTLENECK_MEMORY;
    enum bottleneck_class lead = bottleneck_class_of(leading->cause); /* of a mixed verdict: its first part */
    if (lead == BOTTLENECK_RETIRING || (verdict->class == BOTTLENECK_CORE && !verdict->instruction))
        even_evidence(verdict, leading, arena);
    else if (lead == BOTTLENECK_BAD_SPECULATION)
        guesses_evidence(verdict, leading, arena);
    else {
        samples_evidence(verdict, leading, arena);
        string_evidence(verdict, leading, arena);
    }
    splits_evidence(verdict, leading, arena);
    if (verdict->class == BOTTLENECK_MEMORY || verdict->class == BOTTLENECK_MIXED ||
        leading->look->reach.level == LEVEL_L1 || is_walk_ruled_out)
        reach_evidence(verdict, leading, arena);
    if (verdict->class == BOTTLENECK_MEMORY || verdict->class == BOTTLENECK_MIXED)
        operand_evidence(verdict, leading, arena);
    if (verdict->class == BOTTLENECK_MEMORY)
        memory_evidence(verdict, leading, arena);
    if (verdict->class == BOTTLENECK_CORE)
        chain_evidence(verdict, leading, arena);
    if (is_walk_ruled_out && is_rate_true(leading))
        add(verdict, "rate",
            arena_printf(arena, "memory is gone through in order, a line in about %.3g ns: %s",
                         leading->look->ruled_out_line_ns,
                         leading->look->walk_is_own_pace ? "what its instructions take by themselves"
                                                         : "too slowly to wait for it"));
}

/* Of the CPU time, what shows wrong guesses of targets by where it stands; 0: not known. */
static double targets_shown(const struct leading *leading)
{
    double all = (double)leading->request->stalls->sample_count;
    if (leading->entered > 0 || !leading->look || all <= 0)
        return leading->entered;
    return leading->look->guesses.table_share * leading->around / all;
}

/*
 * Samples right behind where looked-up targets lead waited for them. What else is quick around them may as well be the
 * work itself, or dispatch that is guessed right: it counts at the upper end alone.
 */
static void targets_share_widen(struct bottleneck_verdict *verdict, const struct leading *leading)
{
    double shown = targets_shown(leading), high = verdict->share.high;
    if (verdict->cause == CAUSE_INDIRECT && shown > 0 && shown < verdict->share.low)
        verdict->share = interval_of(shown, (shown + high) / 2, high);
}

/* That nothing is waited for is more than that no wait was seen. */
static void busy_note(struct bottleneck_verdict *verdict, const struct leading *leading)
{
    const struct loop_look *look = leading->look;
    bool is_known = look && look->pace.over_bound_most > 0 && !look->resources.bound.is_lower;
    bool is_paced = is_known && look->pace.over_bound_most < bottleneck_thresholds.bound_met;
    bool is_slower = is_known && look->pace.over_bound > bottleneck_thresholds.bound_met;
    verdict->busy_is_shown =
        verdict->class == BOTTLENECK_RETIRING && ((verdict->confidence == ESTIMATE_HIGH && !is_slower) || is_paced);
    if (verdict->class == BOTTLENECK_RETIRING && !verdict->busy_is_shown)
        verdict->recoverable_why =
            is_slower
                ? "no wait was seen, though a turn was measured to take longer than its instructions must: fewer of "
                  "them are faster for certain, what else is stays open"
                : "no wait was seen, and how long a turn takes was not measured: fewer instructions are faster for "
                  "certain, what else is stays open";
}

bool leading_is_contended(const struct leading *leading)
{
    return (double)leading->request->stalls->contended_samples >= 0.5 * leading->samples;
}

void verdict_explain(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena)
{
    double all = (double)leading->request->stalls->sample_count;
    recoverable_find(verdict, leading->look, leading->request->machine, all > 0 ? leading->around / all : 0,
                     targets_shown(leading), arena);
    if (verdict->recoverable.known && leading_is_contended(leading)) /* the other threads' part isn't known */
        verdict->recoverable.low = 0;
    reasons_find(verdict, leading, arena);
    stepped_evidence(verdict, leading, arena);
    verdict_confidence_find(verdict, leading);
    busy_note(verdict, leading);
    targets_share_widen(verdict, leading);
}
