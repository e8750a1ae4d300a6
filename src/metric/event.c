/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/event.h"

#include "base/scope.h"
#include "base/vec.h"
#include "metric/event_name.h"
#include "metric/event_parser.h"

#include <stdlib.h>
#include <unistd.h>

/* What letters behind the last ':' or '/' ask for. */
struct modifiers {
    bool user, kernel, hypervisor, guest, host, idle;
    bool pinned, exclusive, sample_read, weak;
    int precise;
    bool precise_max;
};

struct event_spec *event_append(struct event_parser *parser, uint32_t type, uint64_t config)
{
    struct event_spec *event = vec_push(parser->list);
    *event = (struct event_spec){
        .attr = {.type = type, .size = sizeof(struct perf_event_attr), .config = config},
        .scale = 1,
        .group = EVENT_NO_GROUP,
        .table_row = -1,
    };
    /* A host's cycles without its guests', as perf counts; other PMUs refuse the bit. */
    event->attr.exclude_guest = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
    return event;
}

static bool modifiers_parse(struct view letters, struct modifiers *modifiers)
{
    struct modifiers parsed = *modifiers;
    for (size_t at = 0; at < letters.length; at++) {
        bool *flag = NULL;
        switch (letters.text[at]) {
        case 'u': flag = &parsed.user; break;
        case 'k': flag = &parsed.kernel; break;
        case 'h': flag = &parsed.hypervisor; break;
        case 'G': flag = &parsed.guest; break;
        case 'H': flag = &parsed.host; break;
        case 'I': flag = &parsed.idle; break;
        case 'D': flag = &parsed.pinned; break;
        case 'e': flag = &parsed.exclusive; break;
        case 'S': flag = &parsed.sample_read; break;
        case 'W': flag = &parsed.weak; break;
        case 'P': flag = &parsed.precise_max; break;
        case 'p': parsed.precise++; break;
        default: return false;
        }
        if (flag)
            *flag = true;
    }
    if (parsed.precise > 3)
        return false;
    *modifiers = parsed;
    return true;
}

static void modifiers_apply(struct event_spec *event, const struct modifiers *modifiers)
{
    struct perf_event_attr *attr = &event->attr;
    if (modifiers->user || modifiers->kernel || modifiers->hypervisor) {
        attr->exclude_user = !modifiers->user;
        attr->exclude_kernel = !modifiers->kernel;
        attr->exclude_hv = !modifiers->hypervisor;
    }
    if (modifiers->guest || modifiers->host) {
        attr->exclude_host = !modifiers->host;
        attr->exclude_guest = !modifiers->guest;
    }
    if (modifiers->idle)
        attr->exclude_idle = 1;
    if (modifiers->precise || modifiers->precise_max)
        attr->precise_ip = modifiers->precise_max ? 3 : (unsigned)modifiers->precise & 3;
    event->precise_max |= modifiers->precise_max;
    attr->pinned |= modifiers->pinned;
    attr->exclusive |= modifiers->exclusive;
    event->sample_read |= modifiers->sample_read;
}

/* A group's letters that change what is counted also show in its members' names. */
static void group_modifiers_name(struct event_parser *parser, struct event_spec *event, struct view letters)
{
    char shown[16];
    size_t count = 0;
    for (size_t at = 0; at < letters.length && count + 1 < sizeof(shown); at++)
        if (strchr("ukhGHIpP", letters.text[at]))
            shown[count++] = letters.text[at];
    shown[count] = '\0';
    if (!count)
        return;
    bool has_own = strchr(event->name, ':') && event->attr.type != PERF_TYPE_TRACEPOINT;
    event->name = arena_printf(parser->arena, "%s%s%s", event->name, has_own ? "" : ":", shown);
}

struct cursor {
    struct view whole, rest;
};

static bool at_char(const struct cursor *cursor, char c)
{
    return cursor->rest.length && cursor->rest.text[0] == c;
}

static size_t column_of(const struct cursor *cursor, struct view word)
{
    return (size_t)(word.text - cursor->whole.text) + 1;
}

static bool fail_at(const struct cursor *cursor, struct view word, enum error_kind kind, const char *what,
                    struct error *err)
{
    if (word.length == cursor->whole.length)
        return error_set(err, kind, "%s '%.*s'", what, (int)word.length, word.text);
    return error_set(err, kind, "%s '%.*s' (column %zu of '%.*s')", what, (int)word.length, word.text,
                     column_of(cursor, word), (int)cursor->whole.length, cursor->whole.text);
}

/* Names that hold slashes and commas of their own: mem:0x10/4, uprobe:/bin/x:f. */
static bool is_probe(struct view word)
{
    return view_starts(word, "mem:") || view_starts(word, "uprobe:") || view_starts(word, "uretprobe:");
}

/* Cut the next event's text: to ',' or '}' outside of /…/ and quotes. */
static struct view word_take(struct cursor *cursor)
{
    struct view rest = cursor->rest;
    bool probe = is_probe(rest), in_terms = false;
    char quote = '\0';
    size_t end = 0;
    for (; end < rest.length; end++) {
        char c = rest.text[end];
        if (quote) {
            quote = c == quote ? '\0' : quote;
        } else if (in_terms && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == '/' && !probe) {
            in_terms = !in_terms;
        } else if (!in_terms && (c == ',' || c == '}')) {
            break;
        }
    }
    cursor->rest = view_skip(rest, end);
    return view_trim((struct view){rest.text, end});
}

static bool raw_parse(struct view name, uint64_t *ret_config)
{
    return name.length >= 2 && name.length <= 17 && name.text[0] == 'r' &&
           view_u64(view_skip(name, 1), 16, ret_config);
}

/* Core PMUs of a hybrid processor, which each count "cycles" on their own CPUs. */
static const char *const hybrid_pmus[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};

static bool hybrid_append(struct event_parser *parser, struct view name, struct error *err)
{
    if (!sysroot_exists(parser->root, EVENT_PMU_FOLDER "/cpu_core/cpus"))
        return false;
    bool any = false;
    for (size_t at = 0; at < array_count(hybrid_pmus); at++) {
        if (!sysroot_exists(parser->root, EVENT_PMU_FOLDER "/%s/cpus", hybrid_pmus[at]))
            continue;
        struct view text = view_of(
            arena_printf(parser->arena, "%s/%.*s/", hybrid_pmus[at], (int)name.length, name.text));
        if (!event_pmu_parse(parser, view_of(hybrid_pmus[at]), name, text, err))
            return false;
        any = true;
    }
    return any;
}

/* Software, hardware, cache and raw events: names that need no sysfs. */
static bool fixed_parse(struct event_parser *parser, struct view name, struct error *err)
{
    size_t count;
    const struct event_name *names = event_name_table(&count);
    int row = event_name_find(name);
    uint64_t config;
    struct event_spec *event = NULL;
    bool is_cache = row < 0 && event_cache_parse(name, &config);
    bool is_hardware = row >= 0 && names[row].type == PERF_TYPE_HARDWARE;
    if ((is_cache || is_hardware) && hybrid_append(parser, name, err))
        return true;
    if (err->kind)
        return false;
    if (row >= 0) {
        event = event_append(parser, names[row].type, names[row].config);
        event->unit = names[row].unit;
        event->scale = names[row].scale;
        event->table_row = row;
    } else if (is_cache) {
        event = event_append(parser, PERF_TYPE_HW_CACHE, config);
    } else if (raw_parse(name, &config)) {
        event = event_append(parser, PERF_TYPE_RAW, config);
    } else {
        return false;
    }
    event->name = arena_string_n(parser->arena, name.text, name.length);
    return true;
}

/* name/terms/modifiers */
static bool slashed_parse(struct event_parser *parser, struct view word, struct view *ret_modifiers,
                          struct error *err)
{
    struct view rest = word, pmu = view_cut(&rest, '/');
    const char *end = rest.length ? memrchr(rest.text, '/', rest.length) : NULL;
    if (!end)
        return error_set(err, ERROR_USAGE, "'%.*s' lacks its closing '/'", (int)word.length, word.text);
    struct view terms = {rest.text, (size_t)(end - rest.text)};
    *ret_modifiers = view_skip(rest, terms.length + 1);
    if (ret_modifiers->length && ret_modifiers->text[0] == ':')
        *ret_modifiers = view_skip(*ret_modifiers, 1);
    struct view text = {word.text, word.length - ret_modifiers->length};
    if (view_ends(text, ":"))
        text.length--;
    size_t before = parser->list->count;
    if (!fixed_parse(parser, pmu, err)) {
        if (err->kind || !event_pmu_parse(parser, pmu, terms, text, err))
            return false;
        return true;
    }
    for (size_t at = before; at < parser->list->count; at++)
        if (!event_terms_apply(parser, &parser->list->items[at], terms, err))
            return false;
    return true;
}

/* Recognise the word's family and append its events without modifiers. */
static bool family_parse(struct event_parser *parser, struct view word, struct view *ret_modifiers,
                         struct error *err)
{
    *ret_modifiers = (struct view){word.text + word.length, 0};
    if (view_starts(word, "mem:"))
        return event_breakpoint_parse(parser, word, ret_modifiers, err);
    if (is_probe(word))
        return event_uprobe_parse(parser, word, ret_modifiers, err);
    if (memchr(word.text, '/', word.length))
        return slashed_parse(parser, word, ret_modifiers, err);
    struct view rest = word, name = view_cut(&rest, ':');
    bool has_colon = name.length < word.length;
    if (!name.length)
        return false;
    if (fixed_parse(parser, name, err) ||
        (!err->kind && event_pmu_alias_parse(parser, name, err)) ||
        (!err->kind && event_table_parse(parser, name, err))) {
        *ret_modifiers = rest;
        return true;
    }
    if (err->kind)
        return false;
    struct view point = view_cut(&rest, ':');
    *ret_modifiers = rest;
    if (has_colon && event_tracepoint_parse(parser, name, point, err))
        return true;
    struct error problem = *err;
    *ret_modifiers = (struct view){word.text + word.length, 0};
    if (!event_libpfm_parse(parser, word, err)) {
        *err = problem;
        return false;
    }
    *err = (struct error){0};
    return true;
}

struct nearest {
    const char *word;
    struct {
        char name[96];
        size_t distance;
    } best[6];
    size_t count;
};

static size_t nearness(const char *word, const char *name)
{
    size_t length = strlen(word), limit = length < 4 ? 1 : length < 9 ? 2 : 3;
    size_t distance = text_distance(word, name);
    if (distance <= limit)
        return distance;
    if (length >= 3 && (strstr(name, word) || (strlen(name) >= 4 && strstr(word, name))))
        return limit + 1;
    return SIZE_MAX;
}

static void nearest_visit(void *context, const char *name)
{
    struct nearest *nearest = context;
    size_t distance = nearness(nearest->word, name);
    if (distance == SIZE_MAX || strlen(name) >= sizeof(nearest->best[0].name))
        return;
    size_t at = nearest->count < array_count(nearest->best) ? nearest->count++ : array_count(nearest->best);
    if (at == array_count(nearest->best) && nearest->best[--at].distance <= distance)
        return;
    for (; at > 0 && nearest->best[at - 1].distance > distance; at--)
        nearest->best[at] = nearest->best[at - 1];
    snprintf(nearest->best[at].name, sizeof(nearest->best[at].name), "%s", name);
    nearest->best[at].distance = distance;
}

static void nearest_find(struct event_parser *parser, const char *word, char *names, size_t size)
{
    struct nearest nearest = {.word = word};
    const struct sysroot *root = parser->root;
    size_t count;
    const struct event_name *table = event_name_table(&count);
    for (size_t at = 0; at < count; at++) {
        nearest_visit(&nearest, table[at].name);
        if (table[at].alias)
            nearest_visit(&nearest, table[at].alias);
    }
    char cache[64];
    uint64_t config;
    for (size_t at = 0; event_cache_name(at, cache, sizeof(cache), &config); at++)
        nearest_visit(&nearest, cache);
    event_pmu_alias_each(root, nearest_visit, &nearest);
    event_table_each(parser, nearest_visit, &nearest);
    if (strchr(word, ':'))
        event_tracepoint_each(root, nearest_visit, &nearest);
    names[0] = '\0';
    for (size_t at = 0; at < nearest.count; at++) {
        size_t used = strlen(names);
        if (used + strlen(nearest.best[at].name) + 3 < size)
            snprintf(names + used, size - used, "%s%s", used ? ", " : "", nearest.best[at].name);
    }
}

void event_nearest(const char *word, const struct sysroot *root, char *names, size_t size)
{
    struct event_list list = {0};
    struct event_parser parser = {.list = &list, .root = root};
    nearest_find(&parser, word, names, size);
    event_table_done(&parser);
}

static bool event_unknown(struct event_parser *parser, const struct cursor *cursor, struct view word,
                          struct error *err)
{
    char names[300];
    scoped_free char *text = memory_printf("%.*s", (int)word.length, word.text);
    nearest_find(parser, text, names, sizeof(names));
    fail_at(cursor, word, ERROR_USAGE, "unknown event", err);
    if (parser->table_problem.kind)
        return error_hint(err, "PLUMB_TABLES gives no names: %.300s", parser->table_problem.message);
    if (strcmp(text, "duration_time") == 0 || strcmp(text, "user_time") == 0 || strcmp(text, "system_time") == 0)
        return error_hint(err,
                          "plumb stat prints elapsed, user and system time below the counts; the event task-clock is "
                          "CPU time");
    return error_hint(err, names[0] ? "did you mean %s? (plumb list shows all)" : "plumb list shows all%s", names);
}

static bool event_parse(struct event_parser *parser, struct cursor *cursor, int group, struct error *err)
{
    struct view word = word_take(cursor), letters;
    size_t before = parser->list->count;
    struct error problem = {0};
    if (!word.length)
        return fail_at(cursor, cursor->whole, ERROR_USAGE, "an event is missing in", err);
    if (!family_parse(parser, word, &letters, &problem)) {
        if (!problem.kind)
            return event_unknown(parser, cursor, word, err);
        *err = problem;
        return word.length == cursor->whole.length ? false
                                                   : error_wrap(err, "event '%.*s'", (int)word.length, word.text);
    }
    struct modifiers modifiers = {0};
    if (!modifiers_parse(letters, &modifiers)) {
        fail_at(cursor, word, ERROR_USAGE, "unknown modifier in", err);
        return error_hint(err, "modifiers are u k h (user, kernel, hypervisor), G H (guest, host), I (not idle), "
                               "p pp ppp P (precise), S D e W");
    }
    for (size_t at = before; at < parser->list->count; at++) {
        struct event_spec *event = &parser->list->items[at];
        modifiers_apply(event, &modifiers);
        event->group = group;
        bool named = view_find(word, "name=") >= 0;
        if (letters.length && !named)
            event->name = arena_printf(parser->arena, "%s%s%.*s", event->name,
                                       event->name[strlen(event->name) - 1] == '/' ? "" : ":", (int)letters.length,
                                       letters.text);
    }
    return true;
}

static bool group_finish(struct event_parser *parser, struct cursor *cursor, size_t first, struct error *err)
{
    struct modifiers modifiers = {0};
    if (!at_char(cursor, '}'))
        return fail_at(cursor, cursor->whole, ERROR_USAGE, "a '{' without its '}' in", err);
    cursor->rest = view_skip(cursor->rest, 1);
    struct view letters = {cursor->rest.text, 0};
    if (at_char(cursor, ':')) {
        cursor->rest = view_skip(cursor->rest, 1);
        letters = word_take(cursor);
    }
    if (!modifiers_parse(letters, &modifiers))
        return fail_at(cursor, letters, ERROR_USAGE, "unknown group modifier", err);
    for (size_t at = first; at < parser->list->count; at++) {
        struct event_spec *event = &parser->list->items[at];
        modifiers_apply(event, &modifiers);
        event->weak_group = modifiers.weak;
        group_modifiers_name(parser, event, letters);
        /* Pinned and exclusive are the leader's: the kernel refuses them on a member. */
        event->attr.pinned = event->attr.pinned && at == first;
        event->attr.exclusive = event->attr.exclusive && at == first;
    }
    return true;
}

/* {a,b}:mods or name{a,b} */
static bool group_parse(struct event_parser *parser, struct cursor *cursor, struct error *err)
{
    size_t first = parser->list->count;
    int group = parser->list->group_count++;
    cursor->rest = view_skip(cursor->rest, 1);
    for (;;) {
        if (!event_parse(parser, cursor, group, err))
            return false;
        if (!at_char(cursor, ','))
            break;
        cursor->rest = view_skip(cursor->rest, 1);
    }
    return group_finish(parser, cursor, first, err);
}

static bool list_parse(struct event_parser *parser, struct cursor *cursor, struct error *err)
{
    for (;;) {
        while (cursor->rest.length && strchr(" \t\n", cursor->rest.text[0]))
            cursor->rest = view_skip(cursor->rest, 1);
        bool good = at_char(cursor, '{') ? group_parse(parser, cursor, err)
                                         : event_parse(parser, cursor, EVENT_NO_GROUP, err);
        if (!good)
            return false;
        if (!cursor->rest.length)
            return true;
        if (!at_char(cursor, ','))
            return fail_at(cursor, cursor->rest, ERROR_USAGE, "expected ',' before", err);
        cursor->rest = view_skip(cursor->rest, 1);
    }
}

bool event_list_parse(struct event_list *list, const char *text, const struct sysroot *root, struct arena *arena,
                      struct error *err)
{
    struct event_parser parser = {.list = list, .root = root, .arena = arena};
    size_t count = list->count;
    int groups = list->group_count;
    struct cursor cursor = {.whole = view_of(text), .rest = view_of(text)};
    bool good = list_parse(&parser, &cursor, err);
    event_table_done(&parser);
    for (size_t at = count; good && at < list->count; at++)
        good = event_is_safe(&list->items[at], root, err);
    if (!good) {
        list->count = count; /* nothing of a refused list stays */
        list->group_count = groups;
    }
    return good;
}

void event_list_done(struct event_list *list)
{
    vec_done(list);
    list->group_count = 0;
}

/* Encodings of fixed counter 3 and of the metrics register behind it: event 0, umask 4 or 0x80 and up. */
static bool is_fixed_counter_3(const struct event_spec *event, const struct sysroot *root)
{
    uint64_t event_code = event->attr.config & 0xff, mask = event->attr.config >> 8 & 0xff;
    if (event_code != 0 || (mask != 0x04 && mask < 0x80))
        return false;
    if (event->attr.type == PERF_TYPE_RAW)
        return true;
    return event->pmu && event->attr.type > PERF_TYPE_BREAKPOINT && event_pmu_is_core(root, event->pmu);
}

static bool is_other_vendor(const struct sysroot *root)
{
    char head[4096];
    scoped_fd int fd = sysroot_open(root, "/proc/cpuinfo");
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));
    struct view text = {head, got > 0 ? (size_t)got : 0};
    return got > 0 && view_find(text, "GenuineIntel") < 0;
}

bool event_is_safe(const struct event_spec *event, const struct sysroot *root, struct error *err)
{
    if (!is_fixed_counter_3(event, root) || is_other_vendor(root))
        return true;
    const char *pmu = event->pmu ? event->pmu : "cpu";
    if (sysroot_exists(root, EVENT_PMU_FOLDER "/%s/events/slots", pmu) &&
        sysroot_exists(root, EVENT_PMU_FOLDER "/%s/events/topdown-retiring", pmu))
        return true;
    error_set(err, ERROR_UNSUPPORTED, "event '%s' (config %#llx) is refused: it would use fixed counter 3", event->name,
              (unsigned long long)event->attr.config);
    return error_hint(err, "sysfs doesn't list slots and topdown-retiring here; on some clouds opening it all the same "
                           "crashes the guest's kernel");
}

enum event_kernel_part event_kernel_part(const struct event_spec *event)
{
    const struct perf_event_attr *attr = &event->attr;
    if (attr->type == PERF_TYPE_TRACEPOINT)
        return strncmp(event->name, "syscalls:", 9) == 0 ? EVENT_KERNEL_KEPT : EVENT_KERNEL_ALL;
    if (attr->type != PERF_TYPE_SOFTWARE)
        return EVENT_KERNEL_SOME;
    switch (attr->config) {
    case PERF_COUNT_SW_CPU_CLOCK:
    case PERF_COUNT_SW_TASK_CLOCK:
        return EVENT_KERNEL_KEPT;
    case PERF_COUNT_SW_CONTEXT_SWITCHES:
    case PERF_COUNT_SW_CPU_MIGRATIONS:
    case PERF_COUNT_SW_CGROUP_SWITCHES:
        return EVENT_KERNEL_ALL;
    default:
        return EVENT_KERNEL_SOME;
    }
}

bool event_is_probe(const struct event_spec *event)
{
    return event->pmu && (strcmp(event->pmu, "uprobe") == 0 || strcmp(event->pmu, "kprobe") == 0);
}

bool event_is_handed_on(const struct event_list *list, size_t index)
{
    const struct event_spec *event = &list->items[index];
    for (size_t at = 0; event->group != EVENT_NO_GROUP && at < list->count; at++)
        if (list->items[at].group == event->group && event_is_probe(&list->items[at]))
            return false;
    return !event_is_probe(event);
}
