/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/event_name.h"

#include "base/vec.h"

#include <linux/perf_event.h>

#define HARDWARE(id, text, other)                                                                                 \
    {                                                                                                             \
        .name = (text), .alias = (other), .type = PERF_TYPE_HARDWARE, .config = (id), .scale = 1                  \
    }
#define SOFTWARE(id, text, other)                                                                                 \
    {                                                                                                             \
        .name = (text), .alias = (other), .type = PERF_TYPE_SOFTWARE, .config = (id), .scale = 1                  \
    }
#define CLOCK(id, text)                                                                                           \
    {                                                                                                             \
        .name = (text), .type = PERF_TYPE_SOFTWARE, .config = (id), .unit = "msec", .scale = 1e-6                 \
    }

static const struct event_name table[] = {
    HARDWARE(PERF_COUNT_HW_CPU_CYCLES, "cycles", "cpu-cycles"),
    HARDWARE(PERF_COUNT_HW_INSTRUCTIONS, "instructions", NULL),
    HARDWARE(PERF_COUNT_HW_CACHE_REFERENCES, "cache-references", NULL),
    HARDWARE(PERF_COUNT_HW_CACHE_MISSES, "cache-misses", NULL),
    HARDWARE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches", "branch-instructions"),
    HARDWARE(PERF_COUNT_HW_BRANCH_MISSES, "branch-misses", NULL),
    HARDWARE(PERF_COUNT_HW_BUS_CYCLES, "bus-cycles", NULL),
    HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend"),
    HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend"),
    HARDWARE(PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles", NULL),
    CLOCK(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"),
    CLOCK(PERF_COUNT_SW_TASK_CLOCK, "task-clock"),
    SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, "page-faults", "faults"),
    SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches", "cs"),
    SOFTWARE(PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations", "migrations"),
    SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults", NULL),
    SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults", NULL),
    SOFTWARE(PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults", NULL),
    SOFTWARE(PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults", NULL),
    SOFTWARE(PERF_COUNT_SW_DUMMY, "dummy", NULL),
    SOFTWARE(PERF_COUNT_SW_BPF_OUTPUT, "bpf-output", NULL),
    SOFTWARE(PERF_COUNT_SW_CGROUP_SWITCHES, "cgroup-switches", NULL),
};

const struct event_name *event_name_table(size_t *ret_count)
{
    *ret_count = array_count(table);
    return table;
}

int event_name_find(struct view name)
{
    for (size_t at = 0; at < array_count(table); at++)
        if (view_equal(name, table[at].name) || (table[at].alias && view_equal(name, table[at].alias)))
            return (int)at;
    return -1;
}

enum {
    CACHE_SPELLINGS = 5
};

struct cache_part {
    uint64_t id;
    const char *spellings[CACHE_SPELLINGS]; /* the usual one first */
};

static const struct cache_part caches[] = {
    {PERF_COUNT_HW_CACHE_L1D, {"L1-dcache", "l1-d", "l1d", "L1-data"}},
    {PERF_COUNT_HW_CACHE_L1I, {"L1-icache", "l1-i", "l1i", "L1-instruction"}},
    {PERF_COUNT_HW_CACHE_LL, {"LLC", "L2"}},
    {PERF_COUNT_HW_CACHE_DTLB, {"dTLB", "d-tlb", "Data-TLB"}},
    {PERF_COUNT_HW_CACHE_ITLB, {"iTLB", "i-tlb", "Instruction-TLB"}},
    {PERF_COUNT_HW_CACHE_BPU, {"branch", "branches", "bpu", "btb", "bpc"}},
    {PERF_COUNT_HW_CACHE_NODE, {"node"}},
};

static const struct cache_part operations[] = {
    {PERF_COUNT_HW_CACHE_OP_READ, {"load", "loads", "read"}},
    {PERF_COUNT_HW_CACHE_OP_WRITE, {"store", "stores", "write"}},
    {PERF_COUNT_HW_CACHE_OP_PREFETCH, {"prefetch", "prefetches", "speculative-read", "speculative-load"}},
};

static const struct cache_part results[] = {
    {PERF_COUNT_HW_CACHE_RESULT_ACCESS, {"refs", "Reference", "ops", "access"}},
    {PERF_COUNT_HW_CACHE_RESULT_MISS, {"misses", "miss"}},
};

/* Instructions are not stored to, and branches and instruction translations only read: what the kernel refuses. */
static bool operation_makes_sense(uint64_t cache, uint64_t operation)
{
    switch (cache) {
    case PERF_COUNT_HW_CACHE_L1I:
        return operation != PERF_COUNT_HW_CACHE_OP_WRITE;
    case PERF_COUNT_HW_CACHE_ITLB:
    case PERF_COUNT_HW_CACHE_BPU:
        return operation == PERF_COUNT_HW_CACHE_OP_READ;
    default:
        return true;
    }
}

/* Take the longest spelling that ends at '-' or at the end of *rest. */
static bool part_take(const struct cache_part *parts, size_t count, struct view *rest, uint64_t *ret_id)
{
    size_t longest = 0;
    for (size_t part = 0; part < count; part++)
        for (size_t at = 0; at < CACHE_SPELLINGS && parts[part].spellings[at]; at++) {
            size_t length = strlen(parts[part].spellings[at]);
            bool ends = rest->length == length || (rest->length > length && rest->text[length] == '-');
            if (ends && length > longest && view_starts(*rest, parts[part].spellings[at])) {
                longest = length;
                *ret_id = parts[part].id;
            }
        }
    *rest = view_skip(*rest, longest + (longest < rest->length && longest ? 1 : 0));
    return longest > 0;
}

bool event_cache_parse(struct view name, uint64_t *ret_config)
{
    uint64_t cache = 0, operation = PERF_COUNT_HW_CACHE_OP_READ, result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
    if (view_ends(name, "-") || !part_take(caches, array_count(caches), &name, &cache))
        return false;
    bool has_operation = false, has_result = false;
    while (name.length) {
        if (!has_operation && part_take(operations, array_count(operations), &name, &operation))
            has_operation = true;
        else if (!has_result && part_take(results, array_count(results), &name, &result))
            has_result = true;
        else
            return false;
    }
    if (!operation_makes_sense(cache, operation))
        return false;
    *ret_config = cache | operation << 8 | result << 16;
    return true;
}

const char *event_cache_name(size_t index, char *buffer, size_t size, uint64_t *ret_config)
{
    for (size_t cache = 0; cache < array_count(caches); cache++)
        for (size_t operation = 0; operation < array_count(operations); operation++)
            for (size_t result = 0; result < array_count(results); result++) {
                if (!operation_makes_sense(caches[cache].id, operations[operation].id) || index-- > 0)
                    continue;
                bool miss = results[result].id == PERF_COUNT_HW_CACHE_RESULT_MISS;
                snprintf(buffer, size, "%s-%s%s", caches[cache].spellings[0],
                         operations[operation].spellings[miss ? 0 : 1], miss ? "-misses" : "");
                *ret_config = caches[cache].id | operations[operation].id << 8 | results[result].id << 16;
                return buffer;
            }
    return NULL;
}
