/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder_features.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/scope.h"
#include "metric/event.h"
#include "source/recorder/record_compressor.h"
#include "source/recorder/recorder.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

struct gathering {
    perf_data_features *features;
    const struct recorder_features_input *input;
    const struct sysroot *root;
    struct utsname machine;
};

static void add_string(struct gathering *gathering, enum perf_data_feature_bit bit, const char *string)
{
    if (string[0])
        perf_data_add_string(perf_data_features_add(gathering->features, bit), string);
}

/* A number in the middle of a section that only later is known. */
static void put_u32(struct text *out, size_t at, uint32_t value)
{
    memcpy(out->bytes + at, &value, sizeof(value));
}

static size_t reserve_u32(struct text *out)
{
    perf_data_add_u32(out, 0);
    return out->length - sizeof(uint32_t);
}

/* CPUs. */

static bool cpuinfo_field(const struct text *cpuinfo, const char *name, struct view *ret_value)
{
    struct view rest = text_view(cpuinfo), line;
    while (view_line(&rest, &line)) {
        struct view value = line;
        if (!view_equal(view_trim(view_cut(&value, ':')), name))
            continue;
        *ret_value = view_trim(value);
        return true;
    }
    return false;
}

static void add_cpu_id(struct gathering *gathering, const struct text *cpuinfo)
{
    struct view vendor, family, model, stepping;
    struct text id = {0};
    if (cpuinfo_field(cpuinfo, "vendor_id", &vendor) && cpuinfo_field(cpuinfo, "cpu family", &family) &&
        cpuinfo_field(cpuinfo, "model", &model) && cpuinfo_field(cpuinfo, "stepping", &stepping)) {
        text_printf(&id, "%.*s,%.*s,%.*s,%.*s", (int)vendor.length, vendor.text, (int)family.length, family.text,
                    (int)model.length, model.text, (int)stepping.length, stepping.text);
    } else {
        char midr[64];
        if (sysroot_line(gathering->root, midr, sizeof(midr),
                         "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"))
            text_add(&id, midr);
    }
    add_string(gathering, FEATURE_CPU_ID, text_string(&id));
    text_done(&id);
}

static void add_cpu_identity(struct gathering *gathering)
{
    scoped_text struct text cpuinfo = {0};
    struct view name;
    if (!sysroot_read(gathering->root, &cpuinfo, NULL, "/proc/cpuinfo"))
        return;
    if (cpuinfo_field(&cpuinfo, "model name", &name) || cpuinfo_field(&cpuinfo, "Processor", &name)) {
        struct text description = {0};
        text_append(&description, name.text, name.length);
        add_string(gathering, FEATURE_CPU_DESC, text_string(&description));
        text_done(&description);
    }
    add_cpu_id(gathering, &cpuinfo);
}

struct cpus {
    int *online, *present;
    size_t online_count, present_count;
};

static void read_cpu_list(const struct sysroot *root, const char *name, int **ret_cpus, size_t *ret_count)
{
    char line[4096];
    if (!sysroot_line(root, line, sizeof(line), "/sys/devices/system/cpu/%s", name) ||
        !cpu_list_parse(view_of(line), ret_cpus, ret_count)) {
        *ret_cpus = NULL;
        *ret_count = 0;
    }
}

static void add_cpu_counts(struct gathering *gathering, const struct cpus *cpus)
{
    if (!cpus->online_count || !cpus->present_count)
        return;
    struct text *out = perf_data_features_add(gathering->features, FEATURE_NR_CPUS);
    perf_data_add_u32(out, (uint32_t)cpus->present[cpus->present_count - 1] + 1);
    perf_data_add_u32(out, (uint32_t)cpus->online_count);
}

/* The different lines of one topology file over all CPUs ("0-1" for each core or package). */
static void add_sibling_lists(struct gathering *gathering, struct text *out, const struct cpus *cpus,
                              const char *file)
{
    vec(char *) lists = {0};
    for (size_t at = 0; at < cpus->online_count; at++) {
        char line[1024];
        if (!sysroot_line(gathering->root, line, sizeof(line), "/sys/devices/system/cpu/cpu%d/topology/%s",
                          cpus->online[at], file))
            continue;
        bool known = false;
        vec_for_each(&lists, list)
            known |= strcmp(*list, line) == 0;
        if (!known)
            *vec_push(&lists) = memory_string(line);
    }
    perf_data_add_u32(out, (uint32_t)lists.count);
    vec_for_each(&lists, list) {
        perf_data_add_string(out, *list);
        free(*list);
    }
    vec_done(&lists);
}

static uint32_t topology_id(const struct gathering *gathering, int cpu, const char *file)
{
    int64_t id;
    if (!sysroot_i64(gathering->root, &id, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, file))
        id = -1;
    return (uint32_t)id;
}

static void add_cpu_topology(struct gathering *gathering, const struct cpus *cpus)
{
    if (!cpus->online_count || !cpus->present_count ||
        !sysroot_exists(gathering->root, "/sys/devices/system/cpu/cpu%d/topology/core_id", cpus->online[0]))
        return;
    const struct sysroot *root = gathering->root;
    int count = cpus->present[cpus->present_count - 1] + 1, first = cpus->online[0];
    bool new_names = sysroot_exists(root, "/sys/devices/system/cpu/cpu%d/topology/package_cpus_list", first);
    struct text *out = perf_data_features_add(gathering->features, FEATURE_CPU_TOPOLOGY);
    add_sibling_lists(gathering, out, cpus, new_names ? "package_cpus_list" : "core_siblings_list");
    add_sibling_lists(gathering, out, cpus, new_names ? "core_cpus_list" : "thread_siblings_list");
    for (int cpu = 0; cpu < count; cpu++) {
        perf_data_add_u32(out, topology_id(gathering, cpu, "core_id"));
        perf_data_add_u32(out, topology_id(gathering, cpu, "physical_package_id"));
    }
    if (!sysroot_exists(root, "/sys/devices/system/cpu/cpu%d/topology/die_cpus_list", first))
        return;
    add_sibling_lists(gathering, out, cpus, "die_cpus_list");
    for (int cpu = 0; cpu < count; cpu++)
        perf_data_add_u32(out, topology_id(gathering, cpu, "die_id"));
}

struct cache {
    uint32_t level, line_bytes, sets, ways;
    char type[32], size[32], cpus[256];
};

static bool read_cache(const struct gathering *gathering, int cpu, int index, struct cache *cache)
{
    const struct sysroot *root = gathering->root;
    static const char folder[] = "/sys/devices/system/cpu";
    uint64_t level, line_bytes, sets, ways;
    if (!sysroot_u64(root, &level, "%s/cpu%d/cache/index%d/level", folder, cpu, index) ||
        !sysroot_u64(root, &line_bytes, "%s/cpu%d/cache/index%d/coherency_line_size", folder, cpu, index) ||
        !sysroot_u64(root, &sets, "%s/cpu%d/cache/index%d/number_of_sets", folder, cpu, index) ||
        !sysroot_u64(root, &ways, "%s/cpu%d/cache/index%d/ways_of_associativity", folder, cpu, index) ||
        !sysroot_line(root, cache->type, sizeof(cache->type), "%s/cpu%d/cache/index%d/type", folder, cpu, index) ||
        !sysroot_line(root, cache->size, sizeof(cache->size), "%s/cpu%d/cache/index%d/size", folder, cpu, index) ||
        !sysroot_line(root, cache->cpus, sizeof(cache->cpus), "%s/cpu%d/cache/index%d/shared_cpu_list", folder, cpu,
                      index))
        return false;
    cache->level = (uint32_t)level;
    cache->line_bytes = (uint32_t)line_bytes;
    cache->sets = (uint32_t)sets;
    cache->ways = (uint32_t)ways;
    return true;
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
    return a->level == b->level && strcmp(a->type, b->type) == 0 && strcmp(a->cpus, b->cpus) == 0;
}

static int by_level(const void *a, const void *b)
{
    const struct cache *left = a, *right = b;
    return left->level < right->level ? -1 : left->level > right->level;
}

static void add_caches(struct gathering *gathering, const struct cpus *cpus)
{
    vec(struct cache) caches = {0};
    for (size_t at = 0; at < cpus->online_count; at++) {
        struct cache cache;
        for (int index = 0; read_cache(gathering, cpus->online[at], index, &cache); index++) {
            bool known = false;
            vec_for_each(&caches, other)
                known |= same_cache(other, &cache);
            if (!known)
                *vec_push(&caches) = cache;
        }
    }
    if (caches.count) {
        qsort(caches.items, caches.count, sizeof(caches.items[0]), by_level);
        struct text *out = perf_data_features_add(gathering->features, FEATURE_CACHE);
        perf_data_add_u32(out, 1);
        perf_data_add_u32(out, (uint32_t)caches.count);
        vec_for_each(&caches, cache) {
            perf_data_add_u32(out, cache->level);
            perf_data_add_u32(out, cache->line_bytes);
            perf_data_add_u32(out, cache->sets);
            perf_data_add_u32(out, cache->ways);
            perf_data_add_string(out, cache->type);
            perf_data_add_string(out, cache->size);
            perf_data_add_string(out, cache->cpus);
        }
    }
    vec_done(&caches);
}

/* Memory. */

static bool meminfo_kib(const struct text *meminfo, const char *name, uint64_t *ret_kib)
{
    struct view rest = text_view(meminfo), line;
    while (view_line(&rest, &line)) {
        ptrdiff_t at = view_find(line, name);
        if (at < 0)
            continue;
        struct view value = view_skip(line, (size_t)at + strlen(name));
        return view_u64(view_word(&value), 10, ret_kib);
    }
    return false;
}

static void add_total_memory(struct gathering *gathering)
{
    scoped_text struct text meminfo = {0};
    uint64_t total;
    if (sysroot_read(gathering->root, &meminfo, NULL, "/proc/meminfo") && meminfo_kib(&meminfo, "MemTotal:", &total))
        perf_data_add_u64(perf_data_features_add(gathering->features, FEATURE_TOTAL_MEM), total);
}

static void read_nodes(const struct sysroot *root, int **ret_nodes, size_t *ret_count)
{
    char line[1024];
    if (!sysroot_line(root, line, sizeof(line), "/sys/devices/system/node/online") ||
        !cpu_list_parse(view_of(line), ret_nodes, ret_count)) {
        *ret_nodes = NULL;
        *ret_count = 0;
    }
}

static void add_node(struct gathering *gathering, struct text *out, int node)
{
    scoped_text struct text meminfo = {0};
    uint64_t total = 0, unused = 0;
    char cpus[1024];
    if (sysroot_read(gathering->root, &meminfo, NULL, "/sys/devices/system/node/node%d/meminfo", node)) {
        meminfo_kib(&meminfo, "MemTotal:", &total);
        meminfo_kib(&meminfo, "MemFree:", &unused);
    }
    if (!sysroot_line(gathering->root, cpus, sizeof(cpus), "/sys/devices/system/node/node%d/cpulist", node))
        cpus[0] = '\0';
    perf_data_add_u32(out, (uint32_t)node);
    perf_data_add_u64(out, total);
    perf_data_add_u64(out, unused);
    perf_data_add_string(out, cpus);
}

/* Which blocks of physical memory belong to a node: readers print it as ranges. */
static void add_node_blocks(struct gathering *gathering, struct text *out, int node)
{
    uint64_t bits = 0;
    vec(uint64_t) words = {0};
    scoped_dir DIR *folder = sysroot_opendir(gathering->root, "/sys/devices/system/node/node%d", node);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        uint64_t block;
        if (strncmp(entry->d_name, "memory", 6) != 0 || !view_u64(view_of(entry->d_name + 6), 10, &block) ||
            block > (1u << 20))
            continue;
        while (words.count <= block / 64)
            *vec_push(&words) = 0;
        words.items[block / 64] |= 1ull << block % 64;
        bits = block >= bits ? block + 1 : bits;
    }
    perf_data_add_u64(out, (uint64_t)node);
    perf_data_add_u64(out, bits);
    perf_data_add_u64(out, bits);
    vec_for_each(&words, word)
        perf_data_add_u64(out, *word);
    vec_done(&words);
}

static void add_memory_topology(struct gathering *gathering, const int *nodes, size_t count)
{
    char line[64];
    uint64_t block_bytes;
    if (!sysroot_line(gathering->root, line, sizeof(line), "/sys/devices/system/memory/block_size_bytes") ||
        !view_u64(view_of(line), 16, &block_bytes))
        return;
    struct text *out = perf_data_features_add(gathering->features, FEATURE_MEM_TOPOLOGY);
    perf_data_add_u64(out, 1);
    perf_data_add_u64(out, block_bytes);
    perf_data_add_u64(out, count);
    for (size_t at = 0; at < count; at++)
        add_node_blocks(gathering, out, nodes[at]);
}

static void add_nodes(struct gathering *gathering)
{
    int *nodes = NULL;
    size_t count = 0;
    read_nodes(gathering->root, &nodes, &count);
    if (count) {
        struct text *out = perf_data_features_add(gathering->features, FEATURE_NUMA_TOPOLOGY);
        perf_data_add_u32(out, (uint32_t)count);
        for (size_t at = 0; at < count; at++)
            add_node(gathering, out, nodes[at]);
        add_memory_topology(gathering, nodes, count);
    }
    free(nodes);
}

/* PMUs. */

static void add_pmu_mappings(struct gathering *gathering)
{
    scoped_dir DIR *folder = sysroot_opendir(gathering->root, "/sys/bus/event_source/devices");
    if (!folder)
        return;
    struct text *out = perf_data_features_add(gathering->features, FEATURE_PMU_MAPPINGS);
    size_t count_at = reserve_u32(out);
    uint32_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        uint64_t type;
        if (entry->d_name[0] == '.' ||
            !sysroot_u64(gathering->root, &type, "/sys/bus/event_source/devices/%s/type", entry->d_name))
            continue;
        perf_data_add_u32(out, (uint32_t)type);
        perf_data_add_string(out, entry->d_name);
        count++;
    }
    put_u32(out, count_at, count);
}

static void add_cpu_pmu_caps(struct gathering *gathering)
{
    scoped_dir DIR *folder = sysroot_opendir(gathering->root, "/sys/bus/event_source/devices/cpu/caps");
    if (!folder)
        return;
    struct text *out = perf_data_features_add(gathering->features, FEATURE_CPU_PMU_CAPS);
    size_t count_at = reserve_u32(out);
    uint32_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char value[128];
        if (entry->d_name[0] == '.' ||
            !sysroot_line(gathering->root, value, sizeof(value), "/sys/bus/event_source/devices/cpu/caps/%s",
                          entry->d_name))
            continue;
        perf_data_add_string(out, entry->d_name);
        perf_data_add_string(out, value);
        count++;
    }
    put_u32(out, count_at, count);
}

/* The recording itself. */

static void add_command_line(struct gathering *gathering)
{
    char *const *words = gathering->input->command_line;
    if (!words)
        return;
    uint32_t count = 0;
    while (words[count])
        count++;
    struct text *out = perf_data_features_add(gathering->features, FEATURE_CMDLINE);
    perf_data_add_u32(out, count);
    for (uint32_t at = 0; at < count; at++)
        perf_data_add_string(out, words[at]);
}

static void add_event_descriptions(struct gathering *gathering)
{
    const struct recorder_features_input *input = gathering->input;
    struct text *out = perf_data_features_add(gathering->features, FEATURE_EVENT_DESC);
    perf_data_add_u32(out, (uint32_t)input->event_count);
    perf_data_add_u32(out, PERF_DATA_ATTR_BYTES);
    for (size_t at = 0; at < input->event_count; at++) {
        const struct perf_data_event *event = &input->events[at];
        struct perf_event_attr attr = event->attr;
        attr.size = PERF_DATA_ATTR_BYTES;
        text_append(out, (const char *)&attr, PERF_DATA_ATTR_BYTES);
        perf_data_add_u32(out, (uint32_t)event->id_count);
        perf_data_add_string(out, event->name);
        for (size_t id = 0; id < event->id_count; id++)
            perf_data_add_u64(out, event->ids[id]);
    }
}

static void add_groups(struct gathering *gathering)
{
    const struct recorder_features_input *input = gathering->input;
    struct text groups = {0};
    uint32_t count = 0;
    for (size_t at = 0; input->groups && at < input->event_count;) {
        size_t end = at + 1;
        while (input->groups[at] != EVENT_NO_GROUP && end < input->event_count &&
               input->groups[end] == input->groups[at])
            end++;
        if (end > at + 1) {
            perf_data_add_string(&groups, "{anon_group}");
            perf_data_add_u32(&groups, (uint32_t)at);
            perf_data_add_u32(&groups, (uint32_t)(end - at));
            count++;
        }
        at = end;
    }
    if (count) {
        struct text *out = perf_data_features_add(gathering->features, FEATURE_GROUP_DESC);
        perf_data_add_u32(out, count);
        text_append(out, groups.bytes, groups.length);
    }
    text_done(&groups);
}

static void add_clock(struct gathering *gathering)
{
    int clock_id = gathering->input->clock_id;
    struct timespec resolution;
    if (clock_id == RECORDER_NO_CLOCK || clock_getres((clockid_t)clock_id, &resolution) != 0)
        return;
    perf_data_add_u64(perf_data_features_add(gathering->features, FEATURE_CLOCK_ID), (uint64_t)resolution.tv_nsec);
    struct text *out = perf_data_features_add(gathering->features, FEATURE_CLOCK_DATA);
    perf_data_add_u32(out, 1);
    perf_data_add_u32(out, (uint32_t)clock_id);
    perf_data_add_u64(out, clock_ns(CLOCK_REALTIME));
    perf_data_add_u64(out, clock_ns(clock_id));
}

void recorder_features_add_compression(struct text *out, int level, uint32_t ratio)
{
    enum { VERSION = 1, ZSTD = 1 };
    perf_data_add_u32(out, VERSION);
    perf_data_add_u32(out, ZSTD);
    perf_data_add_u32(out, (uint32_t)level);
    perf_data_add_u32(out, ratio);
    perf_data_add_u32(out, COMPRESSOR_UNPACKED_MOST);
}

void recorder_features_gather(perf_data_features *features, const struct recorder_features_input *input,
                              const struct sysroot *root)
{
    struct gathering gathering = {.features = features, .input = input, .root = root};
    struct cpus cpus = {0};
    uname(&gathering.machine);
    read_cpu_list(root, "online", &cpus.online, &cpus.online_count);
    read_cpu_list(root, "present", &cpus.present, &cpus.present_count);
    add_string(&gathering, FEATURE_HOSTNAME, gathering.machine.nodename);
    add_string(&gathering, FEATURE_OS_RELEASE, gathering.machine.release);
    add_string(&gathering, FEATURE_VERSION, "plumb " PLUMB_VERSION);
    add_string(&gathering, FEATURE_ARCH, gathering.machine.machine);
    add_cpu_counts(&gathering, &cpus);
    add_cpu_identity(&gathering);
    add_total_memory(&gathering);
    add_command_line(&gathering);
    add_event_descriptions(&gathering);
    add_cpu_topology(&gathering, &cpus);
    add_nodes(&gathering);
    if (input->branch_stacks)
        perf_data_features_add(features, FEATURE_BRANCH_STACK);
    add_pmu_mappings(&gathering);
    add_groups(&gathering);
    add_caches(&gathering, &cpus);
    text_append(perf_data_features_add(features, FEATURE_SAMPLE_TIME), (const char[16]){0}, 16);
    add_clock(&gathering);
    if (input->compression_level)
        recorder_features_add_compression(perf_data_features_add(features, FEATURE_COMPRESSED),
                                          input->compression_level, 1);
    add_cpu_pmu_caps(&gathering);
    free(cpus.online);
    free(cpus.present);
}
