/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of the event parser share: each recognises one family of names and appends its events.
 *
 * Each returns false with err->kind == ERROR_NONE when the word is not of its family, and with an error when
 * it is but says something wrong.
 */
#ifndef PLUMB_METRIC_EVENT_PARSER_H
#define PLUMB_METRIC_EVENT_PARSER_H

#include "base/text.h"
#include "metric/event.h"

struct metric_table;

struct event_parser {
    struct event_list *list;
    const struct sysroot *root;
    struct arena *arena;
    struct metric_table *table; /* private to event_table.c */
    int table_state;
    struct error table_problem; /* why PLUMB_TABLES could not be read */
};

#define EVENT_PMU_FOLDER "/sys/bus/event_source/devices"

/* Append an event with the defaults of its kind. */
struct event_spec *event_append(struct event_parser *parser, uint32_t type, uint64_t config);

/* A PMU's own terms: "cpu/event=0x3c,umask=1/", "uncore_imc/cas_count_read/". text is the whole word. */
bool event_pmu_parse(struct event_parser *parser, struct view pmu, struct view terms, struct view text,
                     struct error *err);
/* A name that some PMU lists in its events folder. */
bool event_pmu_alias_parse(struct event_parser *parser, struct view name, struct error *err);
/* Terms that any event may have: name=, period=, freq=, config=; "cycles/name=x/". */
bool event_terms_apply(struct event_parser *parser, struct event_spec *event, struct view terms, struct error *err);
/* PMU of the processor's cores, when name is one; hybrid parts have several. */
bool event_pmu_is_core(const struct sysroot *root, const char *pmu);
bool event_pmu_type(const struct sysroot *root, const char *pmu, uint32_t *ret_type);

/* A name of the processor's own table, or of published ones; modifiers are left to the caller. */
bool event_table_parse(struct event_parser *parser, struct view name, struct error *err);
void event_table_done(struct event_parser *parser);

/* "system:name", globs in both. */
bool event_tracepoint_parse(struct event_parser *parser, struct view system, struct view name, struct error *err);
/* "mem:ADDR[/LEN][:rwx]"; *ret_rest is what follows (modifiers). */
bool event_breakpoint_parse(struct event_parser *parser, struct view word, struct view *ret_modifiers,
                            struct error *err);
/* "uprobe:PATH:SYMBOL[+OFFSET]", "uprobe:PATH:0xOFFSET", "uretprobe:…"; modifiers after a last ':'. */
bool event_uprobe_parse(struct event_parser *parser, struct view word, struct view *ret_modifiers,
                        struct error *err);

/* A vendor's name that libpfm4 knows, with its own modifiers: "INST_RETIRED:ANY_P:u". */
bool event_libpfm_parse(struct event_parser *parser, struct view word, struct error *err);

/* Call visit with every name that sysfs or tracefs lists; for nearest names and plumb list. */
typedef void event_visit(void *context, const char *name);
/* Say why there are no tracepoints: tracefs is not mounted, or not for us; the remedy is the hint. Returns false. */
bool event_tracefs_missing(const struct sysroot *root, struct error *err);
void event_tracepoint_each(const struct sysroot *root, event_visit *visit, void *context);
void event_pmu_alias_each(const struct sysroot *root, event_visit *visit, void *context); /* "pmu/alias/" */

void event_table_each(struct event_parser *parser, event_visit *visit, void *context);

#endif
