/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/host_profile.h"

#include "base/partition_point.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "symbol/code_bundle.h"

#include <stdlib.h>

static const struct {
    const char *key, *words;
} parts[] = {
    [HOST_GUEST] = {"guest", "in guests"},
    [HOST_GUEST_ENTRY] = {"guest_entry", "into and out of guests"},
    [HOST_GUEST_EXITS] = {"guest_exits", "handling guests' exits"},
    [HOST_PROFILER] = {"profiler", "the profiler's own cost"},
    [HOST_IDLE] = {"idle", "idle"},
    [HOST_KERNEL] = {"kernel", "the kernel, else"},
    [HOST_USER] = {"user", "programs"},
};
_Static_assert(array_count(parts) == HOST_PART_COUNT, "words for each part");

const char *host_part_key(enum host_part part)
{
    return parts[part].key;
}

const char *host_part_words(enum host_part part)
{
    return parts[part].words;
}

/* ---- names ---- */

/* The first row of that letter or a later one. */
static size_t first_row_of(char letter)
{
    return partition_point(host_symbol_rows, host_symbol_row_count, item->name[0] < letter);
}

/* How much of a name a row's begins: all of the row's own, or nothing. */
static size_t length_begun(const char *row, const char *name)
{
    size_t length = 0;
    while (row[length] && row[length] == name[length])
        length++;
    return row[length] ? 0 : length;
}

const struct host_symbol *host_symbol_find(const char *name)
{
    const struct host_symbol *found = NULL;
    size_t found_length = 0;
    for (size_t at = name ? first_row_of(name[0]) : host_symbol_row_count;
         at < host_symbol_row_count && host_symbol_rows[at].name[0] == name[0]; at++) {
        const struct host_symbol *row = &host_symbol_rows[at];
        size_t length = length_begun(row->name, name);
        /* "vmx_vcpu_run.cold" is the same function */
        bool whole = length && (row->is_prefix || name[length] == 0 || name[length] == '.');
        if (whole && length >= found_length) {
            found = row;
            found_length = length;
        }
    }
    return found;
}

enum { PARTS_KNOWN = 0x80 };
_Static_assert(HOST_PART_COUNT < 8, "a part is a bit of seven");

static bool is_of(uint8_t bits, enum host_part part)
{
    return bits >> part & 1;
}

/* False: there is no room for another name. */
static bool name_add(struct host_name *names, size_t *count, const char *name, double weight)
{
    for (size_t at = 0; at < *count; at++)
        if (strcmp(names[at].name, name) == 0) {
            names[at].weight += weight;
            return true;
        }
    if (*count == HOST_NAMES_MOST)
        return false;
    names[(*count)++] = (struct host_name){name, weight};
    return true;
}

static void profiler_add(struct host_profile *profile, const char *name, double weight)
{
    if (!name_add(profile->profiler, &profile->profiler_count, name, weight))
        profile->profiler_rest += weight;
}

static enum host_part part_of(struct host_profile *profile, const struct host_sample *sample)
{
    if (sample->mode == CPU_MODE_GUEST_KERNEL || sample->mode == CPU_MODE_GUEST_USER)
        return HOST_GUEST;
    bool in_kernel = sample->mode == CPU_MODE_KERNEL;
    if (in_kernel && is_of(sample->own | sample->callers, HOST_PROFILER)) {
        profiler_add(profile, sample->name ? sample->name : "[not named]", sample->weight);
        return HOST_PROFILER;
    }
    if (sample->recorder) {
        profiler_add(profile, sample->recorder, sample->weight);
        return HOST_PROFILER;
    }
    if (sample->is_idle)
        return HOST_IDLE;
    if (!in_kernel)
        return HOST_USER;
    return is_of(sample->own, HOST_GUEST_ENTRY)       ? HOST_GUEST_ENTRY
           : is_of(sample->callers, HOST_GUEST_ENTRY) ? HOST_GUEST_EXITS
                                                      : HOST_KERNEL;
}

void host_profile_add(struct host_profile *profile, const struct host_sample *sample)
{
    enum host_part part = part_of(profile, sample);
    profile->weights[part] += sample->weight;
    if (part == HOST_KERNEL && sample->program) /* of more names than there is room for each has little */
        (void)name_add(profile->callers, &profile->caller_count, sample->program, sample->weight);
    profile->total += sample->weight;
    profile->guest_kernel += sample->mode == CPU_MODE_GUEST_KERNEL ? sample->weight : 0;
    profile->guest_user += sample->mode == CPU_MODE_GUEST_USER ? sample->weight : 0;
}

static int name_compare(const void *a, const void *b)
{
    const struct host_name *left = a, *right = b;
    if (left->weight < right->weight || left->weight > right->weight)
        return left->weight < right->weight ? 1 : -1;
    return strcmp(left->name, right->name);
}

void host_profile_sort(struct host_profile *profile)
{
    qsort(profile->profiler, profile->profiler_count, sizeof(*profile->profiler), name_compare);
    qsort(profile->callers, profile->caller_count, sizeof(*profile->callers), name_compare);
}

double host_profile_share(const struct host_profile *profile, enum host_part part)
{
    return profile->total > 0 ? profile->weights[part] / profile->total : 0;
}

bool host_profile_has_guests(const struct host_profile *profile)
{
    return profile->weights[HOST_GUEST] > 0 || profile->weights[HOST_GUEST_ENTRY] > 0 ||
           profile->weights[HOST_GUEST_EXITS] > 0;
}

/* ---- of a recording ---- */

void host_naming_init(struct host_naming *naming, const struct recording *recording,
                      const char *(*name)(void *, uint32_t), void *data)
{
    size_t locations = recording->samples.location_count, stacks = recording->samples.stack_count;
    *naming = (struct host_naming){
        .recording = recording,
        .name = name,
        .data = data,
        .names = memory_alloc(memory_product(locations + 1, sizeof(*naming->names))),
        .own = memory_alloc(locations + 1),
        .callers = memory_alloc(stacks + 1),
    };
    memset(naming->own, 0, locations + 1);
    memset(naming->callers, 0, stacks + 1);
}

void host_naming_done(struct host_naming *naming)
{
    free(naming->names);
    free(naming->own);
    free(naming->callers);
}

static uint8_t own_parts(struct host_naming *naming, uint32_t location)
{
    if (!naming->own[location]) {
        naming->names[location] = naming->name(naming->data, location);
        naming->own[location] = PARTS_KNOWN | host_part_bit(host_symbol_find(naming->names[location]));
    }
    return naming->own[location];
}

/* Of the kernel's frames behind the sampled one. */
static uint8_t caller_parts(struct host_naming *naming, uint32_t stack)
{
    const struct samples *samples = &naming->recording->samples;
    if (stack == STACK_NONE || stack >= samples->stack_count)
        return 0;
    if (naming->callers[stack])
        return naming->callers[stack];
    uint8_t bits = PARTS_KNOWN;
    for (uint32_t at = samples->stacks[stack].of_callers ? 0 : 1; at < samples->stacks[stack].count; at++) {
        uint32_t location = samples->frames[samples->stacks[stack].first + at];
        if (samples->locations[location].cpu_mode != CPU_MODE_KERNEL)
            break;
        bits |= own_parts(naming, location);
    }
    naming->callers[stack] = bits;
    return bits;
}

struct host_sample host_naming_sample(struct host_naming *naming, uint32_t location, uint32_t stack)
{
    struct host_sample sample = {.mode = naming->recording->samples.locations[location].cpu_mode};
    if (sample.mode != CPU_MODE_KERNEL)
        return sample;
    sample.own = own_parts(naming, location);
    sample.callers = caller_parts(naming, stack);
    sample.name = naming->names[location];
    return sample;
}

struct bundle_names {
    const struct recording *recording;
    const struct code_bundle *bundle;
};

static const char *bundle_name(void *data, uint32_t location)
{
    const struct bundle_names *names = data;
    const struct bundle_function *function = code_bundle_find(names->bundle, names->recording, location);
    return function && function->is_named ? function->name : NULL;
}

static bool counts_time(const struct recorded_event *event)
{
    return !event->counts_again && !recorded_event_is_switch(event) &&
           (event->counts_ns || strncmp(event->name, "cycles", strlen("cycles")) == 0);
}

/*
 * By thread: of the process that recorded, or forked by such a one; what executes another program is the watched
 * command. Owner: the caller.
 */
static bool *recorder_threads(const struct recording *recording)
{
    const struct threads *threads = &recording->threads;
    bool *own = memory_alloc(threads->count + 1);
    for (size_t at = 0; at < threads->count; at++) {
        const struct thread *thread = &threads->items[at];
        uint32_t parent = thread->parent_pid ? threads_find(threads, thread->parent_pid) : THREAD_NONE;
        bool is_forked = parent < at && own[parent] && !thread->has_executed;
        own[at] = recording->watcher_pid && (thread->pid == recording->watcher_pid || is_forked);
    }
    return own;
}

void host_profile_of(struct host_profile *profile, const struct recording *recording, const struct code_bundle *bundle)
{
    const struct samples *samples = &recording->samples;
    struct bundle_names names = {recording, bundle};
    scoped(host_naming_done) struct host_naming naming;
    host_naming_init(&naming, recording, bundle_name, &names);
    scoped_free bool *own = recorder_threads(recording);
    *profile = (struct host_profile){0};
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *item = &samples->items[at];
        if (item->location == LOCATION_NONE || item->event >= recording->event_count ||
            !counts_time(&recording->events[item->event]))
            continue;
        const char *comm = strings_text(&recording->strings, item->comm);
        struct host_sample sample = host_naming_sample(&naming, item->location, item->stack);
        bool is_known = item->thread < recording->threads.count;
        sample.is_idle = is_known && recording->threads.items[item->thread].tid == 0;
        sample.program = is_known ? comm : NULL;
        sample.recorder = is_known && own[item->thread] ? comm : NULL;
        sample.weight = (double)item->period;
        host_profile_add(profile, &sample);
    }
    host_profile_sort(profile);
}

/* ---- what is 100 % ---- */

const char *host_recorder_of(const char *const *words, size_t count)
{
    const char *slash = count && words[0] ? strrchr(words[0], '/') : NULL;
    return !count || !words[0] || !words[0][0] ? NULL : slash && slash[1] ? slash + 1 : words[0];
}

/* Letters of perf record and plumb record that take a value, in the same word or the next. */
static const char letters_with_value[] = "eFcCptumojrGkSI";
static const char *const words_with_value[] = {
    "event",  "count",    "freq",       "output",           "call-graph", "cpu",       "pid",        "tid",
    "uid",    "cgroup",   "mmap-pages", "branch-filter",    "user-regs",  "intr-regs", "clockid",    "delay",
    "filter", "realtime", "max-size",   "switch-max-files", "group-size", "duration",  "aux-sample", "proc-map-timeout",
};

struct scoping {
    struct host_scope scope;
    const char *const *words;
    size_t count, at;
    struct arena *arena;
};

static const char *next_word(struct scoping *scoping)
{
    return scoping->at + 1 < scoping->count ? scoping->words[++scoping->at] : NULL;
}

/* CPUs say more than "all of them", and either more than a program, which then only says how long. */
static void scope_raise(struct scoping *scoping, enum host_scope_kind kind, const char *list)
{
    bool lists = kind == HOST_SCOPE_CPUS || (kind == HOST_SCOPE_PROCESSES && scoping->scope.kind != HOST_SCOPE_CPUS);
    if (lists || scoping->scope.kind < kind)
        scoping->scope = (struct host_scope){kind, list ? arena_string(scoping->arena, list) : NULL};
}

static void short_options(struct scoping *scoping, const char *letters)
{
    for (; *letters; letters++) {
        if (*letters == 'a' && scoping->scope.kind != HOST_SCOPE_CPUS)
            scope_raise(scoping, HOST_SCOPE_MACHINE, NULL);
        if (!strchr(letters_with_value, *letters))
            continue;
        const char *value = letters[1] ? letters + 1 : next_word(scoping);
        if (*letters == 'C')
            scope_raise(scoping, HOST_SCOPE_CPUS, value);
        if (*letters == 'p' || *letters == 't')
            scope_raise(scoping, HOST_SCOPE_PROCESSES, value);
        return;
    }
}

static void long_option(struct scoping *scoping, const char *word)
{
    struct view rest = view_of(word), name = view_cut(&rest, '=');
    const char *value = strchr(word, '=') ? strchr(word, '=') + 1 : NULL;
    for (size_t at = 0; at < array_count(words_with_value) && !value; at++)
        if (view_equal(name, words_with_value[at]))
            value = next_word(scoping);
    if (view_equal(name, "all-cpus") && scoping->scope.kind != HOST_SCOPE_CPUS)
        scope_raise(scoping, HOST_SCOPE_MACHINE, NULL);
    if (view_equal(name, "cpu"))
        scope_raise(scoping, HOST_SCOPE_CPUS, value);
    if (view_equal(name, "pid") || view_equal(name, "tid"))
        scope_raise(scoping, HOST_SCOPE_PROCESSES, value);
}

struct host_scope host_scope_of(const char *const *words, size_t count, struct arena *arena)
{
    struct scoping scoping = {.words = words, .count = count, .arena = arena};
    while (scoping.at < count && words[scoping.at] && strcmp(words[scoping.at], "record") != 0)
        scoping.at++;
    for (scoping.at++; scoping.at < count && words[scoping.at]; scoping.at++) {
        const char *word = words[scoping.at];
        if (word[0] != '-' || strcmp(word, "--") == 0) {
            scope_raise(&scoping, HOST_SCOPE_PROGRAM, NULL);
            break;
        }
        if (word[1] == '-')
            long_option(&scoping, word + 2);
        else
            short_options(&scoping, word + 1);
    }
    return scoping.scope;
}

static const char *whose(struct host_scope scope, struct arena *arena)
{
    switch (scope.kind) {
    case HOST_SCOPE_PROGRAM:
        return "the program that was started, with what it started";
    case HOST_SCOPE_PROCESSES:
        return scope.list ? arena_printf(arena, "the processes or threads %s", scope.list)
                          : "the processes that were watched";
    case HOST_SCOPE_CPUS:
        return !scope.list ? "the CPUs that were recorded"
                           : arena_printf(arena, "CPU%s %s", strpbrk(scope.list, ",-") ? "s" : "", scope.list);
    case HOST_SCOPE_MACHINE:
        return "all CPUs";
    case HOST_SCOPE_UNKNOWN:
        break;
    }
    return "what was recorded (the file doesn't say whether CPUs or processes)";
}

const char *host_denominator(struct host_scope scope, const struct host_whole *whole, struct arena *arena)
{
    bool of_cpus = host_scope_is_of_cpus(scope);
    const char *what = whole->counts_ns ? of_cpus ? "the time of" : "the CPU time of"
                                        : arena_printf(arena, "all '%s' of", whole->event);
    const char *idle = !of_cpus             ? ""
                       : whole->without_idle ? ", without idle time (exclude_idle)"
                       : whole->counts_ns    ? ", idle time included"
                       : strstr(whole->event, "cycles") || strstr(whole->event, "instructions")
                           ? ", which a halted CPU has none of: hardly any idle time"
                           : "";
    return arena_printf(arena, "%s %s%s%s%s", what, whose(scope, arena), idle,
                        whole->user_only ? ", outside the kernel only" : "",
                        of_cpus && whole->without_guests ? "; guests' own is left out (exclude_guest)" : "");
}
