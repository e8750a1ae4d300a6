/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What classes and causes are called. */
#include "analyse/bottleneck/bottleneck.h"

static const struct {
    enum bottleneck_class class;
    const char *name;
} causes[CAUSE_COUNT] = {
    [CAUSE_UNKNOWN] = {BOTTLENECK_UNKNOWN, NULL},
    [CAUSE_LATENCY] = {BOTTLENECK_MEMORY, "latency"},
    [CAUSE_BANDWIDTH] = {BOTTLENECK_MEMORY, "bandwidth"},
    [CAUSE_PARALLEL_MISSES] = {BOTTLENECK_MEMORY, "parallel_misses"},
    [CAUSE_TLB] = {BOTTLENECK_MEMORY, "tlb"},
    [CAUSE_L2] = {BOTTLENECK_MEMORY, "l2"},
    [CAUSE_LATENCY_CHAIN] = {BOTTLENECK_CORE, "latency_chain"},
    [CAUSE_DIVIDE] = {BOTTLENECK_CORE, "divide"},
    [CAUSE_FP] = {BOTTLENECK_CORE, "fp"},
    [CAUSE_PORTS] = {BOTTLENECK_CORE, "ports"},
    [CAUSE_STORE_FORWARDING] = {BOTTLENECK_CORE, "store_forwarding"},
    [CAUSE_L1_LATENCY] = {BOTTLENECK_CORE, "l1_latency"},
    [CAUSE_ATOMIC] = {BOTTLENECK_CORE, "atomic"},
    [CAUSE_CONDITIONAL] = {BOTTLENECK_BAD_SPECULATION, "conditional"},
    [CAUSE_INDIRECT] = {BOTTLENECK_BAD_SPECULATION, "indirect"},
    [CAUSE_FOOTPRINT] = {BOTTLENECK_FRONTEND, "footprint"},
    [CAUSE_RETIRING] = {BOTTLENECK_RETIRING, NULL},
};

const char *bottleneck_class_name(enum bottleneck_class class)
{
    static const char *const names[BOTTLENECK_CLASS_COUNT] = {
        "unknown", "memory", "core", "bad_speculation", "frontend", "retiring", "mixed"};
    return names[class];
}

const char *bottleneck_subclass_name(enum bottleneck_cause cause)
{
    return causes[cause].name;
}

enum bottleneck_class bottleneck_class_of(enum bottleneck_cause cause)
{
    return causes[cause].class;
}

const char *bottleneck_level_name(enum bottleneck_level level)
{
    static const char *const names[] = {NULL, "l1", "l2", "beyond"};
    return names[level];
}

const char *bottleneck_confidence_name(enum bottleneck_confidence confidence)
{
    static const char *const names[] = {"none", "low", "medium", "high"};
    return names[confidence];
}

double bottleneck_memory_mass(const struct bottleneck_loop *loop)
{
    double memory = 0;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        memory += bottleneck_class_of((enum bottleneck_cause)cause) == BOTTLENECK_MEMORY ? loop->masses[cause] : 0;
    return memory;
}
