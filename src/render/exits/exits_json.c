/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_measured.h"
#include "render/exits/exits.h"

static void line_json(struct json_writer *json, const char *key, const struct exit_line *line)
{
    if (!line) {
        json_null(json, key);
        return;
    }
    json_object_open(json, key);
    json_string(json, "name", line->name);
    json_string(json, "point", exit_points[line->point].name);
    json_string(json, "class", exit_class_name(line->class));
    if (line->numbered)
        json_u64(json, "reason", line->reason);
    else
        json_null(json, "reason");
    json_u64(json, "count", line->count);
    json_u64(json, "timed", line->timed);
    json_measured(json, "share", line->share);
    json_measured(json, "per_second", line->per_second);
    json_measured(json, "total_ns", line->total_ns);
    json_measured(json, "min_ns", line->min_ns);
    json_measured(json, "mean_ns", line->mean_ns);
    json_measured(json, "p50_ns", line->p50_ns);
    json_measured(json, "p99_ns", line->p99_ns);
    json_measured(json, "max_ns", line->max_ns);
    json_measured(json, "vcpu_share", line->vcpu_share);
    json_object_close(json);
}

static void sum_json(struct json_writer *json, const char *name, const char *why_uncounted, uint64_t sum)
{
    if (why_uncounted)
        json_measured(json, name, not_measured(why_uncounted));
    else
        json_u64(json, name, sum);
}

static void sums_json(struct json_writer *json, const struct exit_table *table)
{
    const char *why = table->why_uncounted;
    json_string(json, "counted", exit_points[table->counted].name);
    sum_json(json, "exits", why, table->exits);
    sum_json(json, "idle_exits", why, table->idle);
    sum_json(json, "timer_interrupts", why, table->interrupts + table->preemption_timer);
    sum_json(json, "external_interrupts", why, table->interrupts);
    sum_json(json, "preemption_timer", why, table->preemption_timer);
    sum_json(json, "timer_armings", table->armings_exact ? NULL : why, table->armings);
    json_bool(json, "timer_armings_exact", table->armings_exact);
    json_measured(json, "handler_ns", table->handler_ns);
    json_measured(json, "idle_ns", table->idle_ns);
    json_measured(json, "handler_share", table->handler_share);
    json_measured(json, "vcpu_seconds", table->vcpu_seconds);
    json_u64(json, "migrations", table->migrations);
}

static void machines_json(struct json_writer *json, const struct exit_report *report)
{
    json_array_open(json, "machines");
    for (size_t at = 0; at < report->machine_count; at++) {
        const struct exit_machine *machine = &report->machines[at];
        json_object_open(json, NULL);
        if (machine->pid)
            json_i64(json, "pid", machine->pid);
        else
            json_null(json, "pid");
        json_bool(json, "pid_is_guess", machine->pid_is_guess);
        json_i64(json, "creator", machine->creator);
        json_object_open(json, "added");
        for (size_t figure = 0; figure < machine->figure_count; figure++)
            json_i64(json, machine->figures[figure].name, machine->figures[figure].value);
        json_object_close(json);
        json_object_close(json);
    }
    json_array_close(json);
}

static void notes_json(struct json_writer *json, const char *const *notes, size_t count)
{
    json_array_open(json, "notes");
    for (size_t at = 0; at < count; at++)
        json_string(json, NULL, notes[at]);
    json_array_close(json);
}

void exit_table_json(struct json_writer *json, const struct exit_table *table, const struct exit_report *report)
{
    json_string(json, "of", report->heading);
    json_string(json, "method", report->method);
    if (report->at_s >= 0)
        json_double(json, "at_s", report->at_s);
    if (table->seconds.known)
        json_double(json, "seconds", table->seconds.value);
    else
        json_null(json, "seconds");
    json_u64(json, "lost", table->lost);
    json_u64(json, "lost_objects", table->lost_uses);
    sums_json(json, table);
    json_array_open(json, "rows");
    for (size_t at = 0; at < table->line_count; at++)
        line_json(json, NULL, &table->lines[at]);
    json_array_close(json);
    json_array_open(json, "objects");
    for (size_t at = 0; at < table->use_count; at++) {
        const struct exit_use_line *use = &table->uses[at];
        char value[24];
        json_object_open(json, NULL);
        json_string(json, "name", use->name);
        json_string(json, "kind", use->is_rip ? "rip" : exit_object_name(use->object));
        snprintf(value, sizeof(value), "0x%llx", (unsigned long long)use->value); /* JSON's numbers end at 2^63 */
        json_string(json, "value", value);
        json_string(json, "symbol", use->symbol);
        json_u64(json, "count", use->count);
        json_object_close(json);
    }
    json_array_close(json);
    json_array_open(json, "vcpus");
    for (size_t at = 0; at < table->vcpu_count; at++) {
        const struct exit_vcpu_line *vcpu = &table->vcpus[at];
        json_object_open(json, NULL);
        if (vcpu->pid)
            json_u64(json, "pid", vcpu->pid);
        else
            json_null(json, "pid");
        json_u64(json, "tid", vcpu->tid);
        if (vcpu->vcpu >= 0)
            json_u64(json, "vcpu", (uint64_t)vcpu->vcpu);
        else
            json_null(json, "vcpu");
        json_u64(json, "exits", vcpu->exits);
        json_measured(json, "handled_ns", vcpu->handled_ns);
        json_u64(json, "migrations", vcpu->migrations);
        json_object_close(json);
    }
    json_array_close(json);
    machines_json(json, report);
    notes_json(json, report->notes, report->note_count);
}

static void side_json(struct json_writer *json, const char *key, const char *name, const struct exit_table *table,
                      const struct exit_burden *burden)
{
    json_object_open(json, key);
    json_string(json, "of", name);
    json_measured(json, "seconds", table->seconds);
    sums_json(json, table);
    json_measured(json, "burden_low", burden->low);
    json_measured(json, "burden_high", burden->high);
    json_double(json, "round_trip_us", burden->round_trip_us);
    json_bool(json, "round_trip_given", burden->round_trip_given);
    json_measured(json, "dear_enough_us", burden->dear_enough_us);
    json_object_close(json);
}

void exit_comparison_json(struct json_writer *json, const struct exit_comparison *comparison,
                          const struct exit_comparison_report *report)
{
    json_object_open(json, NULL);
    side_json(json, "a", report->names[0], comparison->a, &comparison->burden_a);
    side_json(json, "b", report->names[1], comparison->b, &comparison->burden_b);
    json_double(json, "effect", comparison->effect);
    json_measured(json, "gap_low", comparison->gap_low);
    json_measured(json, "gap_high", comparison->gap_high);
    json_string(json, "verdict", exit_verdict_name(comparison->verdict));
    json_string(json, "why", comparison->why);
    json_array_open(json, "rows");
    for (size_t at = 0; at < comparison->pair_count; at++) {
        const struct exit_pair *pair = &comparison->pairs[at];
        json_object_open(json, NULL);
        json_string(json, "name", pair->name);
        line_json(json, "a", pair->a);
        line_json(json, "b", pair->b);
        json_measured(json, "rate_ratio", pair->rate_ratio);
        json_measured(json, "cost_ratio", pair->cost_ratio);
        json_object_close(json);
    }
    json_array_close(json);
    notes_json(json, report->notes, report->note_count);
    json_object_close(json);
}
