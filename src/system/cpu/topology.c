/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/topology.h"

#include "base/scope.h"
#include "base/vec.h"

enum {
    CACHES_PER_CPU_MOST = 16,
    NODES_MOST = 4096
};

static int id_read(const struct sysroot *root, int cpu, const char *name)
{
    int64_t id;
    return sysroot_i64(root, &id, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name) && id >= 0 ? (int)id : -1;
}

/* The node is the number in the name of a folder (a link) nodeN of the CPU. */
static int node_of(const struct sysroot *root, int cpu)
{
    scoped_dir DIR *folder = sysroot_opendir(root, "/sys/devices/system/cpu/cpu%d", cpu);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        uint64_t node;
        struct view name = view_of(entry->d_name);
        if (view_starts(name, "node") && view_u64(view_skip(name, 4), 10, &node) && node < NODES_MOST)
            return (int)node;
    }
    return -1;
}

/* "processor : N" lines, for machines (and fixtures) whose sysfs has no list of online CPUs. */
static bool cpus_of_cpuinfo(const struct sysroot *root, int **ret_cpus, size_t *ret_count)
{
    scoped_text struct text file = {0};
    struct error ignored;
    vec(int) cpus = {0};
    if (!sysroot_read(root, &file, &ignored, "/proc/cpuinfo"))
        return false;
    struct view rest = text_view(&file), line;
    while (view_line(&rest, &line)) {
        uint64_t cpu;
        struct view value = line, key = view_trim(view_cut(&value, ':'));
        if (view_equal(key, "processor") && view_u64(view_trim(value), 10, &cpu) && cpu < 65536)
            *vec_push(&cpus) = (int)cpu;
    }
    *ret_cpus = cpus.items;
    *ret_count = cpus.count;
    return cpus.count > 0;
}

static void online_read(struct topology *topology, const struct sysroot *root, struct arena *arena)
{
    scoped_text struct text list = {0};
    struct error ignored;
    scoped_free int *cpus = NULL;
    size_t count = 0;
    fact_word_read(&topology->online, root, "/sys/devices/system/cpu/online");
    bool have = sysroot_read(root, &list, &ignored, "/sys/devices/system/cpu/online") &&
                cpu_list_parse((struct view){list.bytes, list.length}, &cpus, &count) && count;
    if (!have && !cpus_of_cpuinfo(root, &cpus, &count) && !sysroot_online_cpus(root, &cpus, &count, &ignored))
        return;
    topology->cpus = arena_array(arena, struct topology_cpu, count);
    topology->cpu_count = count;
    for (size_t at = 0; at < count; at++)
        topology->cpus[at] = (struct topology_cpu){
            .cpu = cpus[at],
            .socket = id_read(root, cpus[at], "physical_package_id"),
            .die = id_read(root, cpus[at], "die_id"),
            .cluster = id_read(root, cpus[at], "cluster_id"),
            .core = id_read(root, cpus[at], "core_id"),
            .node = node_of(root, cpus[at]),
            .first_sibling = cpus[at],
            .siblings = 1,
        };
}

/* core_cpus_list is the newer name of thread_siblings_list; only online CPUs count. */
static void siblings_read(struct topology *topology, const struct sysroot *root)
{
    for (size_t at = 0; at < topology->cpu_count; at++) {
        struct topology_cpu *cpu = &topology->cpus[at];
        char line[1024];
        scoped_free int *siblings = NULL;
        size_t count = 0;
        const char *path = "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list";
        if (!sysroot_line(root, line, sizeof(line), path, cpu->cpu) ||
            !cpu_list_parse(view_of(line), &siblings, &count))
            continue;
        cpu->siblings = 0;
        for (size_t sibling = count; sibling-- > 0;)
            if (topology_cpu_find(topology, siblings[sibling])) {
                cpu->siblings++;
                cpu->first_sibling = siblings[sibling];
            }
    }
}

static uint64_t place_of(const struct topology_cpu *cpu, bool with_die, bool with_core)
{
    uint64_t place = (uint64_t)(cpu->socket + 1) << 40;
    place |= with_die ? (uint64_t)(cpu->die + 1) << 24 : 0;
    return place | (with_core ? (uint64_t)(cpu->core + 1) : 0);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void count_places(struct fact_number *fact, const struct topology *topology, bool with_die, bool with_core)
{
    scoped_free uint64_t *places = memory_alloc(memory_product(topology->cpu_count + 1, sizeof(*places)));
    for (size_t at = 0; at < topology->cpu_count; at++) {
        const struct topology_cpu *cpu = &topology->cpus[at];
        if (cpu->socket < 0 || (with_core && cpu->core < 0)) {
            fact_number_absent(fact, "sysfs has no topology of CPU %d", cpu->cpu);
            return;
        }
        places[at] = place_of(cpu, with_die, with_core);
    }
    qsort(places, topology->cpu_count, sizeof(*places), compare_u64);
    int64_t different = 0;
    for (size_t at = 0; at < topology->cpu_count; at++)
        different += at == 0 || places[at] != places[at - 1];
    if (different)
        fact_number_set(fact, different);
    else
        fact_number_absent(fact, "neither sysfs nor /proc/cpuinfo lists a CPU");
}

static void threads_count(struct topology *topology)
{
    int most = 0;
    for (size_t at = 0; at < topology->cpu_count; at++)
        most = topology->cpus[at].siblings > most ? topology->cpus[at].siblings : most;
    if (most && topology->cores.known)
        fact_number_set(&topology->threads_per_core, most);
    else
        fact_number_absent(&topology->threads_per_core, "sysfs has no topology");
}

/* "32K", "36608K", "2M" */
static int64_t size_parse(const char *text)
{
    char *end;
    uint64_t value;
    struct view digits = {text, strspn(text, "0123456789")};
    if (!view_u64(digits, 10, &value) || value > INT64_MAX >> 20)
        return -1;
    end = (char *)text + digits.length;
    return (int64_t)(*end == 'K' ? value << 10 : *end == 'M' ? value << 20 : value);
}

static int64_t cache_number(const struct sysroot *root, int cpu, int index, const char *name)
{
    int64_t value;
    return sysroot_i64(root, &value, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index, name) ? value : -1;
}

static bool cache_read(struct topology_cache *cache, bool *ret_first_of_sharers, const struct sysroot *root, int cpu,
                       int index)
{
    char line[1024];
    *cache = (struct topology_cache){.level = (int)cache_number(root, cpu, index, "level"), .shared_by = -1};
    if (cache->level < 0 || !sysroot_line(root, cache->type, sizeof(cache->type),
                                          "/sys/devices/system/cpu/cpu%d/cache/index%d/type", cpu, index))
        return false;
    cache->size_bytes = -1;
    if (sysroot_line(root, line, sizeof(line), "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, index))
        cache->size_bytes = size_parse(line);
    cache->line_bytes = cache_number(root, cpu, index, "coherency_line_size");
    cache->ways = cache_number(root, cpu, index, "ways_of_associativity");
    cache->sets = cache_number(root, cpu, index, "number_of_sets");
    *ret_first_of_sharers = true;
    scoped_free int *sharers = NULL;
    size_t count = 0;
    if (sysroot_line(root, line, sizeof(line), "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", cpu,
                     index) &&
        cpu_list_parse(view_of(line), &sharers, &count) && count) {
        cache->shared_by = (int)count;
        *ret_first_of_sharers = sharers[0] == cpu;
    }
    return true;
}

static bool cache_same(const struct topology_cache *a, const struct topology_cache *b)
{
    return a->level == b->level && strcmp(a->type, b->type) == 0 && a->size_bytes == b->size_bytes;
}

static void caches_read(struct topology *topology, const struct sysroot *root, struct arena *arena)
{
    vec(struct topology_cache) caches = {0};
    for (size_t at = 0; at < topology->cpu_count; at++)
        for (int index = 0; index < CACHES_PER_CPU_MOST; index++) {
            struct topology_cache cache;
            bool first;
            if (!cache_read(&cache, &first, root, topology->cpus[at].cpu, index))
                break;
            struct topology_cache *known = NULL;
            vec_for_each(&caches, seen)
                if (cache_same(seen, &cache))
                    known = seen;
            if (!known) {
                known = vec_push(&caches);
                *known = cache;
            }
            known->instances += first;
        }
    topology->cache_count = caches.count;
    if (caches.count)
        topology->caches = arena_copy(arena, caches.items, caches.count * sizeof(*caches.items));
    vec_done(&caches);
}

/* "Node 0 MemTotal:       263921380 kB" */
static void node_memory(struct fact_number *fact, struct view rest, const char *key, int node)
{
    struct view line;
    while (view_line(&rest, &line)) {
        uint64_t kib;
        view_word(&line), view_word(&line); /* "Node", its number */
        if (view_equal(view_word(&line), key) && view_u64(view_word(&line), 10, &kib)) {
            fact_number_set(fact, (int64_t)kib);
            return;
        }
    }
    fact_number_absent(fact, "node %d's meminfo has no %s", node, key);
}

static void node_read(struct topology_node *node, const struct sysroot *root, int number, struct arena *arena)
{
    char line[4096];
    scoped_text struct text memory = {0};
    struct error ignored;
    *node = (struct topology_node){.node = number, .cpus = "", .distances = ""};
    if (sysroot_line(root, line, sizeof(line), "/sys/devices/system/node/node%d/cpulist", number))
        node->cpus = arena_string(arena, line);
    if (sysroot_line(root, line, sizeof(line), "/sys/devices/system/node/node%d/distance", number))
        node->distances = arena_string(arena, line);
    bool have = sysroot_read(root, &memory, &ignored, "/sys/devices/system/node/node%d/meminfo", number);
    struct view content = {text_string(&memory), have ? memory.length : 0};
    node_memory(&node->memory_kib, content, "MemTotal:", number);
    node_memory(&node->free_kib, content, "MemFree:", number);
}

static void nodes_read(struct topology *topology, const struct sysroot *root, struct arena *arena)
{
    char line[1024];
    scoped_free int *nodes = NULL;
    size_t count = 0;
    if (!sysroot_line(root, line, sizeof(line), "/sys/devices/system/node/online") ||
        !cpu_list_parse(view_of(line), &nodes, &count) || !count)
        return;
    topology->nodes = arena_array(arena, struct topology_node, count);
    topology->node_count = count;
    for (size_t at = 0; at < count; at++)
        node_read(&topology->nodes[at], root, nodes[at], arena);
}

void topology_read(struct topology *topology, const struct sysroot *root, struct arena *arena)
{
    *topology = (struct topology){0};
    online_read(topology, root, arena);
    siblings_read(topology, root);
    count_places(&topology->sockets, topology, false, false);
    count_places(&topology->dies, topology, true, false);
    count_places(&topology->cores, topology, true, true);
    threads_count(topology);
    caches_read(topology, root, arena);
    nodes_read(topology, root, arena);
    fact_word_read(&topology->possible, root, "/sys/devices/system/cpu/possible");
    fact_word_read(&topology->offline, root, "/sys/devices/system/cpu/offline");
    fact_word_read(&topology->smt_control, root, "/sys/devices/system/cpu/smt/control");
    fact_number_read(&topology->smt_active, root, "/sys/devices/system/cpu/smt/active");
    fact_word_read(&topology->hybrid_core_cpus, root, "/sys/bus/event_source/devices/cpu_core/cpus");
    fact_word_read(&topology->hybrid_atom_cpus, root, "/sys/bus/event_source/devices/cpu_atom/cpus");
}

const struct topology_cpu *topology_cpu_find(const struct topology *topology, int cpu)
{
    size_t low = 0, high = topology->cpu_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (topology->cpus[middle].cpu == cpu)
            return &topology->cpus[middle];
        if (topology->cpus[middle].cpu < cpu)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
