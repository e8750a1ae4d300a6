/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of the PMUs that sysfs describes: bit fields in format/, names in events/, CPUs in cpumask. */
#include "metric/event_parser.h"

#include "base/scope.h"
#include "base/vec.h"
#include "metric/event_name.h"
#include "system/pmu/pmu_list.h"

#include <fnmatch.h>
#include <stdlib.h>

enum {
    TERM_BYTES = 256,
    ALIAS_DEPTH_MOST = 2
};

bool event_pmu_type(const struct sysroot *root, const char *pmu, uint32_t *ret_type)
{
    uint64_t type;
    if (!sysroot_u64(root, &type, EVENT_PMU_FOLDER "/%s/type", pmu) || type > UINT32_MAX)
        return false;
    *ret_type = (uint32_t)type;
    return true;
}

/* Only core PMUs know guests, hosts and privilege levels; on hybrid parts each has a `cpus` file. */
bool event_pmu_is_core(const struct sysroot *root, const char *pmu)
{
    return pmu_name_is_core(pmu) || sysroot_exists(root, EVENT_PMU_FOLDER "/%s/cpus", pmu);
}

static uint64_t *config_field(struct perf_event_attr *attr, struct view name)
{
    if (view_equal(name, "config"))
        return (uint64_t *)&attr->config;
    if (view_equal(name, "config1"))
        return (uint64_t *)&attr->config1;
    if (view_equal(name, "config2"))
        return (uint64_t *)&attr->config2;
    return NULL;
}

/* Spread value over the bits that a format such as "config:0-7,32-35" names, lowest first. */
static bool bits_place(struct perf_event_attr *attr, struct view format, uint64_t value, struct view key,
                       struct error *err)
{
    uint64_t *field = config_field(attr, view_cut(&format, ':'));
    uint64_t left = value, most = 0;
    unsigned width = 0;
    if (!field)
        return error_set(err, ERROR_FORMAT, "sysfs describes '%.*s' in a way this plumb doesn't know",
                         (int)key.length, key.text);
    while (format.length) {
        struct view high_text = view_cut(&format, ','), low_text = view_cut(&high_text, '-');
        uint64_t low, high;
        if (!view_u64(low_text, 10, &low) || low > 63)
            return error_set(err, ERROR_FORMAT, "sysfs format of '%.*s' is broken", (int)key.length, key.text);
        if (!view_u64(high_text, 10, &high))
            high = low;
        for (uint64_t bit = low; bit <= high && bit < 64; bit++, width++) {
            *field = (*field & ~(1ull << bit)) | (left & 1) << bit;
            left >>= 1;
        }
    }
    most = width >= 64 ? UINT64_MAX : (1ull << width) - 1;
    return left == 0 || error_set(err, ERROR_USAGE, "%.*s=%#llx is too large: at most %#llx", (int)key.length,
                                  key.text, (unsigned long long)value, (unsigned long long)most);
}

/* The next term, "key" or "key=value"; commas inside quotes don't end it. */
static bool term_next(struct view *rest, struct view *ret_key, struct view *ret_value, bool *ret_has_value)
{
    if (!rest->length)
        return false;
    size_t end = 0;
    char quote = '\0';
    for (; end < rest->length && (quote || rest->text[end] != ','); end++) {
        char c = rest->text[end];
        if (c == '\'' || c == '"')
            quote = quote == c ? '\0' : quote ? quote : c;
    }
    struct view term = {rest->text, end};
    *rest = view_skip(*rest, end + 1);
    term = view_trim(term);
    *ret_has_value = term.length && memchr(term.text, '=', term.length);
    *ret_key = view_cut(&term, '=');
    *ret_value = term;
    return true;
}

static struct view unquoted(struct view value)
{
    bool quoted = value.length >= 2 && (value.text[0] == '\'' || value.text[0] == '"') &&
                  value.text[value.length - 1] == value.text[0];
    return quoted ? (struct view){value.text + 1, value.length - 2} : value;
}

enum term_result {
    TERM_UNKNOWN,
    TERM_DONE,
    TERM_WRONG
};

static enum term_result term_common(struct event_parser *parser, struct event_spec *event, struct view key,
                                    struct view value, bool has_value, struct error *err)
{
    uint64_t *number = view_equal(key, "period")                                 ? &event->period
                       : view_equal(key, "freq") || view_equal(key, "frequency") ? &event->frequency
                                                                                 : config_field(&event->attr, key);
    bool is_name = view_equal(key, "name");
    if (!is_name && !number)
        return TERM_UNKNOWN;
    if (!has_value || !value.length) {
        error_set(err, ERROR_USAGE, "'%.*s' needs a value", (int)key.length, key.text);
        return TERM_WRONG;
    }
    if (is_name) {
        value = unquoted(value);
        event->name = arena_string_n(parser->arena, value.text, value.length);
        return TERM_DONE;
    }
    if (!view_u64(value, 0, number)) {
        error_set(err, ERROR_USAGE, "'%.*s' is no number in '%.*s=%.*s'", (int)value.length, value.text,
                  (int)key.length, key.text, (int)value.length, value.text);
        return TERM_WRONG;
    }
    return TERM_DONE;
}

bool event_terms_apply(struct event_parser *parser, struct event_spec *event, struct view terms, struct error *err)
{
    struct view key, value;
    bool has_value;
    while (term_next(&terms, &key, &value, &has_value)) {
        enum term_result result = term_common(parser, event, key, value, has_value, err);
        if (result == TERM_WRONG)
            return false;
        if (result == TERM_UNKNOWN) {
            error_set(err, ERROR_USAGE, "'%.*s' is no term of this event", (int)key.length, key.text);
            return error_hint(err, "it takes name=, period=, freq=");
        }
    }
    return true;
}

static bool pmu_terms(struct event_parser *parser, struct event_spec *event, const char *pmu, struct view terms,
                      int depth, struct error *err);

static void alias_facts(struct event_parser *parser, struct event_spec *event, const char *pmu, const char *alias)
{
    char line[TERM_BYTES];
    double scale;
    if (sysroot_line(parser->root, line, sizeof(line), EVENT_PMU_FOLDER "/%s/events/%s.unit", pmu, alias) && line[0])
        event->unit = arena_string(parser->arena, line);
    if (sysroot_line(parser->root, line, sizeof(line), EVENT_PMU_FOLDER "/%s/events/%s.scale", pmu, alias) &&
        view_double(view_of(line), &scale))
        event->scale = scale;
    if (sysroot_line(parser->root, line, sizeof(line), EVENT_PMU_FOLDER "/%s/events/%s.per-pkg", pmu, alias))
        event->per_package = strcmp(line, "1") == 0;
}

static bool terms_wrong(struct event_parser *parser, const char *pmu, struct view key, struct error *err)
{
    char names[300] = "";
    static const char *const folders[] = {"events", "format"};
    for (size_t at = 0; at < array_count(folders); at++) {
        scoped_dir DIR *dir = sysroot_opendir(parser->root, EVENT_PMU_FOLDER "/%s/%s", pmu, folders[at]);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            size_t used = strlen(names);
            if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.') &&
                used + strlen(entry->d_name) + 3 < sizeof(names))
                snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", entry->d_name);
        }
    }
    error_set(err, ERROR_USAGE, "PMU '%s' has no event or term '%.*s'", pmu, (int)key.length, key.text);
    return error_hint(err, "it has %s%sconfig, config1, config2, name, period", names, names[0] ? ", " : "");
}

static enum term_result term_alias(struct event_parser *parser, struct event_spec *event, const char *pmu,
                                   const char *key, int depth, struct error *err)
{
    scoped_text struct text content = {0};
    if (depth >= ALIAS_DEPTH_MOST || strchr(key, '.') || strchr(key, '/') ||
        !sysroot_exists(parser->root, EVENT_PMU_FOLDER "/%s/events/%s", pmu, key))
        return TERM_UNKNOWN;
    if (!sysroot_read(parser->root, &content, err, EVENT_PMU_FOLDER "/%s/events/%s", pmu, key) ||
        !pmu_terms(parser, event, pmu, view_trim(view_of(text_string(&content))), depth + 1, err))
        return TERM_WRONG;
    alias_facts(parser, event, pmu, key);
    return TERM_DONE;
}

static enum term_result term_format(struct event_parser *parser, struct event_spec *event, const char *pmu,
                                    struct view key, struct view value, bool has_value, struct error *err)
{
    char format[TERM_BYTES];
    uint64_t number = 1;
    if (memchr(key.text, '/', key.length) ||
        !sysroot_line(parser->root, format, sizeof(format), EVENT_PMU_FOLDER "/%s/format/%.*s", pmu, (int)key.length,
                      key.text))
        return TERM_UNKNOWN;
    if (view_equal(value, "?")) {
        error_set(err, ERROR_USAGE, "this event of PMU '%s' wants a value for '%.*s'", pmu, (int)key.length, key.text);
        return TERM_WRONG;
    }
    if (has_value && !view_u64(value, 0, &number)) {
        error_set(err, ERROR_USAGE, "'%.*s' is no number in '%.*s=%.*s'", (int)value.length, value.text,
                  (int)key.length, key.text, (int)value.length, value.text);
        return TERM_WRONG;
    }
    return bits_place(&event->attr, view_of(format), number, key, err) ? TERM_DONE : TERM_WRONG;
}

/* A later term overrides an earlier one, so that an alias can be refined: cpu/mem-loads,ldlat=30/. */
static bool pmu_terms(struct event_parser *parser, struct event_spec *event, const char *pmu, struct view terms,
                      int depth, struct error *err)
{
    struct view key, value;
    bool has_value;
    while (term_next(&terms, &key, &value, &has_value)) {
        char name[TERM_BYTES];
        if (!key.length || key.length >= sizeof(name))
            return error_set(err, ERROR_USAGE, "an empty or overlong term for PMU '%s'", pmu);
        snprintf(name, sizeof(name), "%.*s", (int)key.length, key.text);
        enum term_result result = has_value ? TERM_UNKNOWN : term_alias(parser, event, pmu, name, depth, err);
        if (result == TERM_UNKNOWN)
            result = term_format(parser, event, pmu, key, value, has_value, err);
        if (result == TERM_UNKNOWN)
            result = term_common(parser, event, key, value, has_value, err);
        if (result == TERM_WRONG)
            return false;
        if (result == TERM_UNKNOWN)
            return terms_wrong(parser, pmu, key, err);
    }
    return true;
}

static void pmu_cpus(struct event_parser *parser, struct event_spec *event, const char *pmu)
{
    static const char *const files[] = {"cpumask", "cpus"};
    char line[4096];
    int *cpus = NULL;
    size_t count = 0;
    for (size_t at = 0; at < array_count(files); at++)
        if (sysroot_line(parser->root, line, sizeof(line), EVENT_PMU_FOLDER "/%s/%s", pmu, files[at]) && line[0] &&
            cpu_list_parse(view_of(line), &cpus, &count) && count) {
            event->cpus = arena_copy(parser->arena, cpus, count * sizeof(int));
            event->cpu_count = count;
            event->cpus_are_core = at == 1;
            break;
        }
    free(cpus);
}

/* The legacy names that a hybrid prefix may carry: cpu_core/cycles/. */
static bool pmu_legacy(struct event_parser *parser, struct event_spec *event, struct view terms)
{
    uint64_t config;
    struct view first = view_cut(&terms, ',');
    int row = event_name_find(first);
    size_t count;
    const struct event_name *names = event_name_table(&count);
    if (row >= 0 && names[row].type == PERF_TYPE_HARDWARE) {
        event->attr.config = names[row].config | (uint64_t)event->attr.type << 32;
        event->attr.type = PERF_TYPE_HARDWARE;
        event->table_row = row;
        return true;
    }
    if (event_cache_parse(first, &config)) {
        event->attr.config = config | (uint64_t)event->attr.type << 32;
        event->attr.type = PERF_TYPE_HW_CACHE;
        return true;
    }
    return false;
}

static bool pmu_append(struct event_parser *parser, const char *pmu, struct view terms, struct view text,
                       struct error *err)
{
    uint32_t type;
    if (!event_pmu_type(parser->root, pmu, &type))
        return error_set(err, ERROR_FORMAT, "PMU '%s' has no type in sysfs", pmu);
    bool core = event_pmu_is_core(parser->root, pmu);
    struct event_spec *event = event_append(parser, type, 0);
    event->pmu = arena_string(parser->arena, pmu);
    event->name = arena_string_n(parser->arena, text.text, text.length);
    event->attr.exclude_guest = core;
    pmu_cpus(parser, event, pmu);
    if (core && pmu_legacy(parser, event, terms)) {
        view_cut(&terms, ',');
        return event_terms_apply(parser, event, terms, err);
    }
    return pmu_terms(parser, event, pmu, terms, 0, err);
}

/* "imc" and "uncore_imc" stand for uncore_imc_0, uncore_imc_1, …; globs for what they match. */
static bool pmu_matches(const char *candidate, const char *wanted)
{
    if (strpbrk(wanted, "*?["))
        return fnmatch(wanted, candidate, 0) == 0;
    const char *tail = strncmp(candidate, "uncore_", 7) == 0 && strncmp(wanted, "uncore_", 7) != 0 ? candidate + 7
                                                                                                     : candidate;
    size_t length = strlen(wanted);
    if (strncmp(tail, wanted, length) != 0)
        return false;
    tail += length;
    tail += *tail == '_';
    return *tail == '\0' || strspn(tail, "0123456789") == strlen(tail);
}

static int compare_pmu(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

struct pmu_names {
    char **items;
    size_t count, capacity;
};

static void pmu_names_done(struct pmu_names *names)
{
    vec_for_each(names, name) free(*name);
    vec_done(names);
}

static void pmu_names_find(const struct sysroot *root, const char *wanted, struct pmu_names *names)
{
    scoped_dir DIR *dir = sysroot_opendir(root, EVENT_PMU_FOLDER);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.' && (!wanted || pmu_matches(entry->d_name, wanted)))
            *vec_push(names) = memory_string(entry->d_name);
    if (names->count)
        qsort(names->items, names->count, sizeof(*names->items), compare_pmu);
}

static bool pmu_missing(struct event_parser *parser, const char *pmu, struct error *err)
{
    scoped(pmu_names_done) struct pmu_names all = {0};
    char names[300] = "";
    pmu_names_find(parser->root, NULL, &all);
    vec_for_each(&all, name)
    {
        size_t used = strlen(names);
        if (used + strlen(*name) + 3 < sizeof(names))
            snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", *name);
    }
    error_set(err, ERROR_USAGE, "this machine has no PMU '%s'", pmu);
    return error_hint(err, names[0] ? "it has %s" : "it has none in " EVENT_PMU_FOLDER "%s", names);
}

bool event_pmu_parse(struct event_parser *parser, struct view pmu, struct view terms, struct view text,
                     struct error *err)
{
    char wanted[128];
    if (!pmu.length || pmu.length >= sizeof(wanted))
        return error_set(err, ERROR_USAGE, "'%.*s' names no PMU", (int)text.length, text.text);
    snprintf(wanted, sizeof(wanted), "%.*s", (int)pmu.length, pmu.text);
    if (sysroot_exists(parser->root, EVENT_PMU_FOLDER "/%s/type", wanted))
        return pmu_append(parser, wanted, terms, text, err);
    scoped(pmu_names_done) struct pmu_names found = {0};
    pmu_names_find(parser->root, wanted, &found);
    if (!found.count)
        return pmu_missing(parser, wanted, err);
    vec_for_each(&found, name)
    {
        if (!pmu_append(parser, *name, terms, text, err))
            return false;
        parser->list->items[parser->list->count - 1].one_of_several = found.count > 1;
    }
    return true;
}

bool event_pmu_alias_parse(struct event_parser *parser, struct view name, struct error *err)
{
    scoped(pmu_names_done) struct pmu_names all = {0};
    size_t before = parser->list->count;
    if (memchr(name.text, '.', name.length) || memchr(name.text, '/', name.length))
        return false;
    pmu_names_find(parser->root, NULL, &all);
    vec_for_each(&all, pmu)
    {
        if (!sysroot_exists(parser->root, EVENT_PMU_FOLDER "/%s/events/%.*s", *pmu, (int)name.length, name.text))
            continue;
        if (!pmu_append(parser, *pmu, name, name, err))
            return false;
    }
    for (size_t at = before; at < parser->list->count && parser->list->count - before > 1; at++)
        parser->list->items[at].one_of_several = !parser->list->items[at].cpus_are_core;
    return parser->list->count > before;
}

void event_pmu_alias_each(const struct sysroot *root, event_visit *visit, void *context)
{
    scoped(pmu_names_done) struct pmu_names all = {0};
    pmu_names_find(root, NULL, &all);
    vec_for_each(&all, pmu)
    {
        scoped_dir DIR *dir = sysroot_opendir(root, EVENT_PMU_FOLDER "/%s/events", *pmu);
        scoped(pmu_names_done) struct pmu_names aliases = {0};
        for (struct dirent *entry; dir && (entry = readdir(dir));)
            if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.'))
                *vec_push(&aliases) = memory_string(entry->d_name);
        if (aliases.count)
            qsort(aliases.items, aliases.count, sizeof(*aliases.items), compare_pmu);
        vec_for_each(&aliases, alias)
        {
            scoped_free char *full = memory_printf("%s/%s/", *pmu, *alias);
            visit(context, full);
        }
    }
}
