/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/schedule/table_request.h"

#include <string.h>

enum {
    FIXED_SLOTS = 3,
    FIELD_FIRST = 0x80, /* umask of PERF_METRICS' first field, event code 0 */
    FIELD_LAST = 0x87,
};

/* "": an event by the kernel's own name, of the cores unless it is one of software. */
static bool is_core(const char *pmu)
{
    return !pmu || !pmu[0] || strncmp(pmu, "cpu", 3) == 0 || strncmp(pmu, "armv8_pmuv3", 11) == 0;
}

static void event_register(struct schedule_event *event, const struct event_code *code)
{
    event->needs = code->offcore    ? SCHEDULE_OFFCORE
                   : code->frontend ? SCHEDULE_FRONTEND
                   : code->latency  ? SCHEDULE_LATENCY
                                    : SCHEDULE_NO_REGISTER;
    event->register_value = code->offcore | code->frontend | code->latency;
}

/* Instructions and cycles have codes for general counters, too; where nothing is said any will do. */
static void event_place(struct schedule_event *event, const struct table_event *row, const struct schedule_pmu *pmu)
{
    bool only_fixed = row && row->fixed > 1;
    event->fixed = row && row->fixed >= 0 ? UINT32_C(1) << row->fixed : 0;
    event->counters = only_fixed ? 0 : row && row->counters && row->fixed < 0 ? row->counters : pmu->general;
    event->kind = row && row->fixed == FIXED_SLOTS ? SCHEDULE_SLOTS : SCHEDULE_COUNTER;
    event->alone = row && row->alone;
}

static struct schedule_event event_of(const struct metric_table *table, const struct table_term *term,
                                      const struct schedule_pmu *pmu)
{
    struct schedule_event event = {.name = term->name, .kind = SCHEDULE_OUTSIDE};
    const struct event_code *code = &term->code;
    if (term->kind == TERM_LATENCY || !is_core(term->pmu))
        return event;
    if (code->known && !code->event && code->umask >= FIELD_FIRST && code->umask <= FIELD_LAST) {
        event.kind = SCHEDULE_TOPDOWN;
        event.field = (unsigned)(code->umask - FIELD_FIRST);
        return event;
    }
    event_place(&event, term->event == TABLE_NONE ? NULL : &table->events.items[term->event], pmu);
    event_register(&event, code);
    event.whole_core = code->any_thread || term->whole_core;
    return event;
}

static struct schedule_metric metric_of(const struct metric_table *table, uint32_t index,
                                        const struct measured *constants, struct arena *arena)
{
    const struct table_metric *metric = &table->metrics.items[index];
    bool *needed = arena_array(arena, bool, table->terms.count + 1);
    uint32_t *events = arena_array(arena, uint32_t, table->terms.count + 1);
    size_t count = 0;
    table_terms_needed(table, index, constants, needed);
    for (uint32_t term = 0; term < table->terms.count; term++)
        if (needed[term])
            events[count++] = term;
    return (struct schedule_metric){.name = metric->name, .events = {events, count}, .apart = metric->never_grouped};
}

void schedule_request_of_table(struct schedule_request *request, const struct metric_table *table,
                               const uint32_t *metrics, size_t metric_count, const struct schedule_pmu *pmu,
                               const struct measured *constants, struct arena *arena)
{
    struct schedule_event *events = arena_array(arena, struct schedule_event, table->terms.count + 1);
    struct schedule_metric *asked = arena_array(arena, struct schedule_metric, metric_count + 1);
    for (size_t term = 0; term < table->terms.count; term++)
        events[term] = event_of(table, &table->terms.items[term], pmu);
    for (size_t at = 0; at < metric_count; at++)
        asked[at] = metric_of(table, metrics[at], constants, arena);
    *request = (struct schedule_request){.events = events, .event_count = table->terms.count, .metrics = asked,
                                         .metric_count = metric_count, .pmus = pmu, .pmu_count = 1};
}
