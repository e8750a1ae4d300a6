/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which CPUs are there, and which share a core, a die, a socket, a node, a cache?
 *
 * Invariants: cpus is sorted by number and lists the online ones; an id that sysfs does not tell is -1. A core is named
 * by (socket, die, core): core numbers repeat in other sockets.
 */
#ifndef PLUMB_SYSTEM_CPU_TOPOLOGY_H
#define PLUMB_SYSTEM_CPU_TOPOLOGY_H

#include "base/arena.h"
#include "system/fact.h"

struct topology_cpu {
    int cpu, socket, die, cluster, core, node;
    int first_sibling; /* lowest online CPU of its core; itself when alone */
    int siblings;      /* online hardware threads of its core */
};

struct topology_cache {
    int level;
    char type[16];     /* "Data", "Instruction", "Unified" */
    int64_t size_bytes, line_bytes, ways, sets; /* -1: not told */
    int instances;     /* how many such caches the online CPUs have */
    int shared_by;     /* CPUs that share one, -1: not told */
};

struct topology_node {
    int node;
    const char *cpus;            /* "0-15"; "" for a node with memory only */
    struct fact_number memory_kib, free_kib;
    const char *distances;       /* "10 21" */
};

struct topology {
    struct topology_cpu *cpus;
    size_t cpu_count;
    struct topology_cache *caches;
    size_t cache_count;
    struct topology_node *nodes;
    size_t node_count;
    struct fact_number sockets, dies, cores, threads_per_core;
    struct fact_word online, possible, offline, smt_control; /* "on", "off", "forceoff", "notsupported" */
    struct fact_number smt_active;
    struct fact_word hybrid_core_cpus, hybrid_atom_cpus;     /* known only on hybrid processors */
};

/* Owner of what the pointers name: arena. */
void topology_read(struct topology *topology, const struct sysroot *root, struct arena *arena);

/* The CPU's entry, or NULL: not online. */
const struct topology_cpu *topology_cpu_find(const struct topology *topology, int cpu);

#endif
