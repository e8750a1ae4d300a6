/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/term_spec.h"

#include "base/scope.h"
#include "base/vec.h"
#include "metric/event_parser.h"
#include "system/pmu/pmu_list.h"

#include <stdlib.h>

enum {
    SLOTS_UMASK = 0x04, /* of event code 0: fixed counter 3 */
    FIELD_FIRST = 0x80, /* and the fields of PERF_METRICS behind it */
    FIELD_LAST = 0x87,
    FIELDS_OF_FIRST_LEVEL = 4,
    FIELDS_ALL = 8,
};

struct finder {
    const struct sysroot *root;
    struct arena *arena;
    const char *core_pmu; /* NULL: there is none */
    unsigned fields;
};

static int name_compare(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

const char *term_core_pmu(const struct sysroot *root, struct arena *arena)
{
    static const char *const usual[] = {"cpu", "cpu_core", "armv8_pmuv3_0", "armv8_pmuv3"};
    for (size_t at = 0; at < array_count(usual); at++)
        if (sysroot_exists(root, EVENT_PMU_FOLDER "/%s/type", usual[at]))
            return usual[at];
    vec(char *) names = {0};
    scoped_dir DIR *dir = sysroot_opendir(root, EVENT_PMU_FOLDER);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (pmu_name_is_core(entry->d_name))
            *vec_push(&names) = arena_string(arena, entry->d_name);
    if (names.count)
        qsort(names.items, names.count, sizeof(*names.items), name_compare);
    const char *first = names.count ? names.items[0] : NULL;
    vec_done(&names);
    return first;
}

static unsigned fields_of(const struct sysroot *root, const char *pmu)
{
    if (!pmu || !sysroot_exists(root, EVENT_PMU_FOLDER "/%s/events/slots", pmu) ||
        !sysroot_exists(root, EVENT_PMU_FOLDER "/%s/events/topdown-retiring", pmu))
        return 0;
    return sysroot_exists(root, EVENT_PMU_FOLDER "/%s/events/topdown-heavy-ops", pmu) ? FIELDS_ALL
                                                                                      : FIELDS_OF_FIRST_LEVEL;
}

unsigned term_topdown_fields(const struct sysroot *root)
{
    struct arena arena;
    arena_init(&arena);
    unsigned fields = fields_of(root, term_core_pmu(root, &arena));
    arena_done(&arena);
    return fields;
}

/* Why fixed counter 3 or a field behind it may not be touched; NULL: it may, or the term is none of them. */
static const char *fixed_counter_3_refused(const struct finder *finder, const struct table_term *term)
{
    const struct event_code *code = &term->code;
    bool is_field = code->umask >= FIELD_FIRST && code->umask <= FIELD_LAST;
    if (term->pmu || !code->known || code->event || (code->umask != SLOTS_UMASK && !is_field))
        return NULL;
    if (!finder->fields)
        return "sysfs doesn't list slots and topdown-retiring here: PERF_METRICS isn't passed on to this guest, or the "
               "kernel is too old";
    if (is_field && code->umask - FIELD_FIRST >= finder->fields)
        return "this processor's PERF_METRICS has the first level only";
    return NULL;
}

/* Why it has no encoding at all; NULL: it has one. */
static const char *encoding_missing(const struct finder *finder, const struct table_term *term)
{
    if (term->kind == TERM_LATENCY)
        return "its cycles to retirement are sampled, not counted";
    if (!term->code.known)
        return "these tables don't say how it is encoded";
    if (!term->pmu && !finder->core_pmu)
        return "the kernel shows no PMU of the cores";
    return NULL;
}

static void specs_keep(const struct finder *finder, struct term_spec *spec, const struct event_list *list,
                       const char *name)
{
    struct event_spec *specs = arena_copy(finder->arena, list->items, list->count * sizeof(*list->items));
    for (size_t at = 0; at < list->count; at++) {
        specs[at].name = name;
        specs[at].group = EVENT_NO_GROUP;
    }
    *spec = (struct term_spec){.specs = specs, .count = list->count};
}

static void term_find(const struct finder *finder, const struct table_term *term, struct term_spec *spec)
{
    struct event_list list = {0};
    struct error problem = {0};
    const char *refused = encoding_missing(finder, term);
    spec->hint = "";
    spec->why_not = refused ? refused : fixed_counter_3_refused(finder, term);
    if (spec->why_not)
        return;
    struct text text = {0};
    table_term_write(term, finder->core_pmu, &text);
    if (event_list_parse(&list, text_string(&text), finder->root, finder->arena, &problem)) {
        specs_keep(finder, spec, &list, term->name);
    } else {
        spec->why_not = arena_string(finder->arena, problem.message);
        spec->hint = arena_string(finder->arena, problem.hint);
    }
    event_list_done(&list);
    text_done(&text);
}

void term_specs_find(struct term_spec *ret_specs, const struct metric_table *table, const bool *wanted,
                     const struct sysroot *root, struct arena *arena)
{
    struct finder finder = {.root = root, .arena = arena, .core_pmu = term_core_pmu(root, arena)};
    finder.fields = fields_of(root, finder.core_pmu);
    for (size_t at = 0; at < table->terms.count; at++) {
        ret_specs[at] = (struct term_spec){.hint = ""};
        if (!wanted || wanted[at])
            term_find(&finder, &table->terms.items[at], &ret_specs[at]);
    }
}
