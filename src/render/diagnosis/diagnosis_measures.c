/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/diagnosis_measures.h"

#include "analyse/imported_pair.h"
#include "analyse/imported_window.h"
#include "analyse/trace/loop_turns.h"
#include "base/json/json_measured.h"
#include "statistics/json_interval.h"

#include <string.h>

enum {
    RUNS_LEAST = 6 /* for a median with a 95 % interval */
};

/* Which counts are told beside which: a share of it, or so many for each. */
static const struct {
    const char *name, *of, *words;
    bool as_share;
} beside[] = {
    {"instructions", "cycles", "per cycle", false},
    {"branch-misses", "branches", "of the branches", true},
    {"cache-misses", "cache-references", "of the references", true},
    {"LLC-load-misses", "LLC-loads", "of the loads there", true},
    {"L1-dcache-load-misses", "L1-dcache-loads", "of the loads", true},
    {"dTLB-load-misses", "dTLB-loads", "of the loads", true},
    {"stalled-cycles-frontend", "cycles", "of the cycles", true},
    {"stalled-cycles-backend", "cycles", "of the cycles", true},
};

static void add_ratio(struct text *out, const struct counter_summary *counters, const struct named_count *item)
{
    for (size_t at = 0; at < sizeof(beside) / sizeof(beside[0]); at++) {
        if (strcmp(beside[at].name, item->name) != 0)
            continue;
        struct measured ratio = measured_ratio(item->count, counter_of(counters, beside[at].of));
        if (!ratio.known)
            return;
        if (beside[at].as_share && ratio.value > 1)
            text_printf(out, "  suspect: more than the %s", beside[at].of);
        else if (beside[at].as_share)
            text_printf(out, "  %.2f %% %s", 100 * ratio.value, beside[at].words);
        else
            text_printf(out, "  %.2f %s", ratio.value, beside[at].words);
    }
}

/* Kernel counts are in other sections: this one is for what only a PMU tells. */
void counters_lines(struct text *out, const struct counter_summary *counters)
{
    if (!counter_summary_has_hardware(counters))
        return;
    for (size_t at = 0; at < counters->count; at++) {
        const struct named_count *item = &counters->items[at];
        if (!item->hardware || !item->count.known)
            continue;
        text_printf(out, "%-24s %20.0f%s", item->name, item->count.value, item->user_only ? "  user space only" : "");
        add_ratio(out, counters, item);
        if (item->running_ratio > 0 && item->running_ratio < 0.995)
            text_printf(out, "  scaled: counted in %.0f %% of the time", 100 * item->running_ratio);
        text_add_char(out, '\n');
    }
}

void runs_lines(struct text *out, const struct run_spread *runs)
{
    if (!runs || !runs->count)
        return;
    if (runs->median_s.known)
        text_printf(out, "%zu run%s: median %.4g s (%.4g to %.4g s%s), all within %.4g to %.4g s\n", runs->count,
                    runs->count == 1 ? "" : "s", runs->median_s.mid, runs->median_s.low, runs->median_s.high,
                    runs->count < RUNS_LEAST ? "; 95 % wants 6 runs" : ", 95 %", runs->least_s, runs->most_s);
    for (size_t at = 0, told = 0; at < runs->count && told < 4; at++) {
        const struct run_row *row = &runs->rows[at];
        if (row->interrupted)
            text_printf(out, "run %zu was ended after %.4g s\n", at + 1, row->elapsed_s);
        else if (row->exit_code)
            text_printf(out, "run %zu failed with status %d after %.4g s\n", at + 1, row->exit_code, row->elapsed_s);
        told += row->interrupted || row->exit_code;
    }
    if (runs->failed > 4)
        text_printf(out, "%zu runs failed in all\n", runs->failed);
}

/* Counts with the time that each took. */
static void imported_arm_lines(struct text *out, const struct imported *imported)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = imported_arms_of(imported, arms);
    for (size_t at = 0; at < count; at++) {
        struct measured cycles = imported_arm_count(&arms[at], "cycles");
        struct measured length = imported_arm_length(&arms[at]);
        if (!length.known || !cycles.known)
            continue;
        const char *label = arms[at].table->label, *name = arms[at].name ? arms[at].name : label ? label : "";
        text_printf(out, "%s%s%s: %s%.4g s, %.0f cycles\n", arms[at].table->file, name[0] ? ", " : "", name,
                    arms[at].is_window ? "a window of " : "", length.value, cycles.value);
    }
}

/* Of windows that they are none, and what is compared then; of a gap that was asked about instead of the usual. */
static void imported_effect_line(struct text *out, const struct results *results)
{
    struct imported_pair pair;
    struct imported_two two;
    struct measured gap = imported_gap_of(results->imported);
    const char *what = "they differ by";
    if (!gap.known && imported_two_of(results->imported, &two) && two.gap / 2 == results->effect)
        gap = measured_as(two.gap);
    if (!gap.known && results->told && results->told->gap.known) {
        gap = measured_as(results->told->gap.low);
        what = "the gap that is told is";
    }
    if (imported_pair_of(results->imported, &pair) && pair.is_window && pair.gap.value > 0)
        text_printf(out, "%s window does %.3g %% less each second, by its instructions\n",
                    imported_pair_is_open(results->imported, &pair) ? "one" : "the slower", 100 * pair.gap.value);
    if (imported_windows_are_of_other_work(results->imported))
        text_add(out, "the windows' instructions don't differ as the gap that is told does:\n"
                      "they are no measure of the work, and which window is the slower one isn't known\n");
    if (gap.known && gap.value / 2 == results->effect)
        text_printf(out, "%s %.2g %%: causes of half of that (%.2g %%) or more are asked about\n", what,
                    100 * gap.value, 100 * results->effect);
}

void imported_gain_lines(struct text *out, const struct results *results)
{
    const struct imported *imported = results->imported;
    struct imported_gain gain = imported_gain_of(imported);
    imported_arm_lines(out, imported);
    if (!gain.known) {
        imported_effect_line(out, results);
        return;
    }
    if (gain.name)
        text_printf(out, "%s, ", gain.name);
    if (strcmp(gain.before_file, gain.after_file) == 0)
        text_printf(out, "first and last in %s", gain.before_file);
    else
        text_printf(out, "%s -> %s", gain.before_file, gain.after_file);
    text_printf(out, ": median %.4g -> %.4g s, %+.1f %%", gain.before_s, gain.after_s, 100 * (gain.ratio - 1));
    if (gain.interval.known)
        text_printf(out, " (%+.1f to %+.1f %%, %zu and %zu runs, 95 %%)\n", 100 * (gain.interval.low - 1),
                    100 * (gain.interval.high - 1), gain.before_count, gain.after_count);
    else
        text_printf(out, " (%zu and %zu run%s: too few for an interval)\n", gain.before_count, gain.after_count,
                    gain.after_count == 1 ? "" : "s");
    imported_effect_line(out, results);
}

void counters_json(struct json_writer *json, const struct counter_summary *counters)
{
    json_array_open(json, "counters");
    for (size_t at = 0; counters && at < counters->count; at++) {
        const struct named_count *item = &counters->items[at];
        json_object_open(json, NULL);
        json_string(json, "name", item->name);
        json_measured(json, "count", item->count);
        if (item->running_ratio > 0)
            json_double(json, "running_ratio", item->running_ratio);
        else
            json_null(json, "running_ratio");
        json_bool(json, "hardware", item->hardware);
        json_bool(json, "user_only", item->user_only);
        json_string(json, "origin", counters->origin);
        json_object_close(json);
    }
    json_array_close(json);
}

void runs_json(struct json_writer *json, const struct run_spread *runs)
{
    if (!runs) {
        json_null(json, "runs");
        return;
    }
    json_object_open(json, "runs");
    json_string(json, "origin", runs->origin);
    json_u64(json, "count", runs->count);
    json_u64(json, "failed", runs->failed);
    json_interval(json, "median_s", runs->median_s);
    json_array_open(json, "each");
    for (size_t at = 0; at < runs->count; at++) {
        const struct run_row *row = &runs->rows[at];
        json_object_open(json, NULL);
        json_double(json, "elapsed_s", row->elapsed_s);
        json_measured(json, "cpu_s", row->cpu_s);
        json_measured(json, "cycles", row->cycles);
        json_measured(json, "instructions", row->instructions);
        json_measured(json, "resident_most_bytes", row->resident_most_bytes);
        json_u64(json, "samples", row->samples);
        json_i64(json, "exit_code", row->exit_code);
        json_bool(json, "interrupted", row->interrupted);
        json_object_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

static void imported_runs_json(struct json_writer *json, const struct imported *imported)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = imported_arms_of(imported, arms);
    json_array_open(json, "imported_runs");
    for (size_t at = 0; at < count; at++) {
        json_object_open(json, NULL);
        json_string(json, "file", arms[at].table->file);
        if (arms[at].name)
            json_string(json, "name", arms[at].name);
        else
            json_null(json, "name");
        json_measured(json, "elapsed_s", arms[at].elapsed_s);
        json_measured(json, "window_s", arms[at].window_s);
        json_array_open(json, "counts");
        for (size_t row = 0; row < arms[at].table->count; row++) {
            json_object_open(json, NULL);
            json_string(json, "name", arms[at].table->rows[row].name);
            json_double(json, "count", arms[at].table->rows[row].number);
            json_double(json, "running_ratio", arms[at].table->rows[row].running_ratio);
            json_object_close(json);
        }
        json_array_close(json);
        json_object_close(json);
    }
    json_array_close(json);
}

void imported_json(struct json_writer *json, const struct imported *imported)
{
    struct imported_gain gain = imported_gain_of(imported);
    json_array_open(json, "imported");
    imported_tables_write(json, imported);
    json_array_close(json);
    imported_runs_json(json, imported);
    if (!gain.known) {
        json_null(json, "imported_gain");
        return;
    }
    json_object_open(json, "imported_gain");
    json_string(json, "before", gain.before_file);
    json_string(json, "after", gain.after_file);
    json_double(json, "before_s", gain.before_s);
    json_double(json, "after_s", gain.after_s);
    json_double(json, "ratio", gain.ratio);
    json_interval(json, "ratio_interval", gain.interval);
    json_object_close(json);
}

/* ---- what the machine could do meanwhile ---- */

void ceilings_line(struct text *out, const struct ceilings *ceilings)
{
    struct interval share = ceilings_share(ceilings), clock = ceilings_figure(ceilings, CALIBRATION_CLOCK);
    const char *where =
        ceilings && ceilings->share_is_of_target ? "on its CPUs while it ran" : "before and after it ran";
    if (share.known && ceilings_are_shared(ceilings))
        text_printf(out, "your core is being shared: %.0f %% [%.0f .. %.0f] of issue width gone, %s (%.2f of %u "
                         "instructions a cycle)",
                    100 * (1 - share.mid), 100 * (1 - share.high), 100 * (1 - share.low), where,
                    share.mid * ceilings->now.issue_slots, ceilings->now.issue_slots);
    else if (clock.known)
        text_printf(out, "the core: %.2f GHz%s", clock.mid * 1e-9, share.known ? "" : ", ");
    if (share.known && !ceilings_are_shared(ceilings) && clock.known)
        text_printf(out, ", %.0f %% of its issue width, ", 100 * share.mid);
    if (clock.known && !ceilings_are_shared(ceilings))
        text_add(out, where);
}

void ceilings_json(struct json_writer *json, const struct ceilings *ceilings, const char *why_not)
{
    json_object_open(json, "calibration");
    if (!ceilings) {
        json_string(json, "not_measured", why_not ? why_not : "the machine was not calibrated beside the run");
        json_object_close(json);
        return;
    }
    json_bool(json, "shared", ceilings_are_shared(ceilings));
    json_bool(json, "share_is_of_target", ceilings->share_is_of_target);
    json_u64(json, "glimpses", ceilings->glimpse_count);
    if (ceilings->has_kept)
        json_double(json, "kept_age_s", ceilings->kept_age_s);
    else
        json_null(json, "kept_age_s");
    calibration_members(&ceilings->now, json);
    json_object_close(json);
}

/* ---- probes ---- */

static void add_rate(struct text *out, const char *what, struct interval per_1000, bool *is_list)
{
    if (!per_1000.known)
        return;
    text_printf(out, "%s%s %s (%s to %s)", *is_list ? ", " : " ", what, short_number_of(per_1000.mid).text,
                short_number_of(per_1000.low).text, short_number_of(per_1000.high).text);
    *is_list = true;
}

/* "  its hottest loop (97 % of them) turned 600 times each time it was entered (300 to 1200; 12 entries were met)" */
static void loop_line(struct text *out, const struct trace_summary *trace)
{
    static const double SHARE_LEAST = 0.25;
    struct interval turns = turns_per_entry(trace->loop_turns, trace->loop_entries);
    if (!turns.known || trace->loop_share < SHARE_LEAST)
        return;
    text_printf(out, "  its hottest loop (%.0f %% of them) turned ", trace->loop_share * 100);
    if (turns.high > 0)
        text_printf(out, "%s times (%s to %s) each time it was entered", short_number_of(turns.mid).text,
                    short_number_of(turns.low).text, short_number_of(turns.high).text);
    else
        text_printf(out, "%s times or more each time it was entered", short_number_of(turns.low).text);
    text_printf(out, "; %llu entr%s met\n", (unsigned long long)trace->loop_entries,
                trace->loop_entries == 1 ? "y was" : "ies were");
}

static void step_lines(struct text *out, const struct probe_step *step)
{
    const struct trace_summary *trace = &step->trace;
    text_printf(out,
                "step: %llu instructions in %llu burst%s; it was held for %s s in all, which is in the elapsed time\n",
                (unsigned long long)trace->instructions, (unsigned long long)trace->bursts,
                trace->bursts == 1 ? "" : "s", short_number_of(step->held_s).text);
    bool guesses = false, misses_told = false;
    text_add(out, "  wrong guesses per 1000 instructions, by a simulated predictor:");
    add_rate(out, "conditional", trace->conditional.per_1000, &guesses);
    add_rate(out, "indirect", trace->indirect.per_1000, &guesses);
    add_rate(out, "returns", trace->returns.per_1000, &guesses);
    text_add(out, guesses ? "\n" : " no branch was met\n");
    if (trace->still_learning)
        text_add(out, "  guesses still got better as the bursts went on: a processor that has run it for longer may "
                      "guess nearly all right\n");
    text_printf(out, "  code: %llu lines of 64 bytes on %llu pages met; %s lines and %s pages in 1000 instructions;",
                (unsigned long long)trace->code_lines, (unsigned long long)trace->code_pages,
                short_number_of(trace->lines_per_1000).text, short_number_of(trace->pages_per_1000).text);
    scoped_text struct text misses = {0};
    text_printf(&misses, "misses in 1000 of %u KiB:", trace->cache_lines * 64 / 1024);
    add_rate(out, text_string(&misses), trace->line_misses, &misses_told);
    text_add(out, "\n");
    loop_line(out, trace);
    for (size_t at = 0; at < PROBE_ENDS_MOST; at++)
        if (step->ends[at].bursts && strcmp(step->ends[at].words, "at the asked length") != 0)
            text_printf(out, "  %llu of the bursts ended %s\n", (unsigned long long)step->ends[at].bursts,
                        step->ends[at].words);
}

static void effect_lines(struct text *out, enum probe_kind kind, const struct probe_effect *effect)
{
    text_printf(out, "%s: ", probe_kind_name(kind));
    if (effect->subject)
        text_printf(out, "%s: ", effect->subject);
    if (effect->speed_up.known)
        text_printf(out, "%.2f times the speed (%.2f to %.2f)", effect->speed_up.mid, effect->speed_up.low,
                    effect->speed_up.high);
    if (effect->control.known)
        text_printf(out, ", our own control kernel %.2f (%.2f to %.2f)", effect->control.mid, effect->control.low,
                    effect->control.high);
    text_add(out, "\n");
    if (effect->verdict)
        text_printf(out, "  %s\n", effect->verdict);
}

void probes_lines(struct text *out, const struct probe_results *probes)
{
    for (int kind = 0; probes && kind < PROBE_KIND_COUNT; kind++) {
        const struct probe_result *result = &probes->of[kind];
        if (!result->asked)
            continue;
        if (!result->known)
            text_printf(out, "%s: not measured, because %s\n", probe_kind_name((enum probe_kind)kind),
                        result->why_not ? result->why_not : "of an unknown reason");
        else if (kind == PROBE_STEP)
            step_lines(out, &result->step);
        else
            effect_lines(out, (enum probe_kind)kind, &result->effect);
        for (size_t at = 0; at < result->note_count; at++)
            text_printf(out, "  %s\n", result->notes[at]);
    }
}

void probes_json(struct json_writer *json, const struct probe_results *probes)
{
    if (!probes) {
        json_null(json, "probes");
        return;
    }
    json_object_open(json, "probes");
    probe_results_members(json, probes);
    json_object_close(json);
}
