/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be counted on one CPU model, and what can be computed from it: its events with their encodings, its metrics
 * with formula, threshold and place in the top-down tree.
 *
 * A table comes from plumb's own data (table_builtin.h) or from published JSON (table_folder.h); both give the same
 * struct. Formulas are resolved when the table is loaded: every name is a term (an event with its modifiers), another
 * metric or a constant. What could not be resolved is said in the metric's `problem`, and its value is "not measured,
 * because" of that; the rest of the table stands.
 * Shares are fractions (0.2), `scale` and `unit` say how to show them. Owner of everything: the table.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_H
#define PLUMB_METRIC_TABLE_TABLE_H

#include "base/hashmap.h"
#include "base/vec.h"
#include "metric/expression/expression.h"
#include "system/cpu/microarchitecture.h"

#define TABLE_NONE UINT32_MAX

/* What a formula needs that no counter gives. */
enum table_constant {
    TABLE_SMT_ON,
    TABLE_TSC_HZ,    /* ticks a second */
    TABLE_TSC_TICKS, /* during the measurement */
    TABLE_SECONDS,   /* that the measurement took */
    TABLE_MILLISECONDS,
    TABLE_USER_SECONDS,
    TABLE_SYSTEM_SECONDS,
    TABLE_THREADS_PER_CORE,
    TABLE_SOCKETS,
    TABLE_CORES_PER_SOCKET,
    TABLE_CHAS_PER_SOCKET,
    TABLE_CPUS,
    TABLE_CPUS_ONLINE,
    TABLE_CPUS_PER_SOCKET,
    TABLE_CORES,
    TABLE_DIES,
    TABLE_SLOTS,     /* an Arm PMU's caps/slots */
    TABLE_CORE_WIDE, /* counted for whole cores, not threads */
    TABLE_HAS_PMEM,
    TABLE_CONSTANT_COUNT
};

struct event_code {
    uint64_t event, umask, cmask;
    bool known; /* false: these tables name the event, but don't say how it is encoded */
    bool invert, edge, any_thread;
    uint64_t offcore, frontend, latency; /* values of the extra registers; 0: none */
    const char *more;                    /* further terms in perf's spelling ("filter_tid=1"), or NULL */
};

struct table_event {
    const char *name;  /* in lower case */
    const char *about; /* "" when nothing is said */
    const char *pmu;   /* sysfs name or its beginning ("uncore_imc"); NULL: the core's */
    struct event_code code;
    uint32_t counters;      /* mask of the general counters it may use; 0: not said */
    int fixed;              /* the fixed counter that counts it, or -1 */
    uint64_t period;        /* suggested for sampling; 0: not said */
    unsigned precise;       /* 0, 1, 2 */
    double latency_default; /* cycles to retirement when they aren't sampled; 0: none published */
    const char *errata;     /* or NULL */
    bool alone;             /* asks for all other events to be off */
};

enum term_kind {
    TERM_COUNT,
    TERM_LATENCY,  /* :retire_latency: mean cycles, sampled; not a count */
};

/* An event as a formula wants it counted. */
struct table_term {
    const char *name; /* in lower case, modifiers included: what inputs go by */
    enum term_kind kind;
    uint32_t event;   /* TABLE_NONE: not of these tables; code and pmu still say what is known */
    const char *pmu;
    struct event_code code;
    bool user_only, kernel_only, whole_core, one_unit;
};

enum table_reference_kind { REFERENCE_TERM, REFERENCE_METRIC, REFERENCE_CONSTANT, REFERENCE_NUMBER, REFERENCE_MISSING };

struct table_reference {
    enum table_reference_kind kind;
    enum expression_use use;
    uint32_t index; /* of the term, metric or constant */
    double number;  /* REFERENCE_NUMBER: its value; REFERENCE_METRIC: what its value is multiplied by */
    const char *text; /* the name, for has_event and strcmp_cpuid_str */
};

struct table_formula {
    const char *text; /* "" : there is none */
    struct expression expression;
    const struct table_reference *references; /* one for each name of the expression */
};

struct table_metric {
    const char *name;   /* "Fetch_Latency", as its table writes it */
    const char *about;  /* "" when nothing is said */
    const char *also;   /* another name it is known by, or "" */
    const char *groups; /* "BadSpec;TmaL2", or "" */
    const char *domain; /* "Slots", "Clocks_Estimated", …, or "" */
    const char *see_also; /* "$issueBM" tags that link related nodes, or "" */
    const char *unit;     /* "%", "GHz", … or "" */
    double scale;         /* value * scale is in unit */
    const char *parent_name; /* "" : none */
    uint32_t parent;      /* index, or TABLE_NONE */
    unsigned level;       /* 1 … of a tree's node; 0: an information metric */
    struct table_formula value;
    double factor;        /* the value is factor times what the formula gives */
    bool by_rate;         /* the formula wants counts a second, and a duration of one second */
    struct table_formula threshold;
    const uint32_t *locate; /* terms to sample with, the best first */
    size_t locate_count;
    bool never_grouped;   /* MetricConstraint or MetricgroupNoGroup: its events may not share a group */
    const char *problem;  /* why it can't be computed, or NULL */
};

struct metric_table {
    struct arena arena;
    const char *key;    /* "SKX" */
    const char *source; /* "built in", or the folder */
    const char *cpu_id; /* "GenuineIntel-6-8F-4", "0x00000000410fd493", when a processor's own was said; else NULL */
    vec(struct table_event) events;
    vec(struct table_metric) metrics;
    vec(struct table_term) terms;
    uint32_t *order; /* metrics, each after those that it refers to */
    struct hashmap event_names, metric_names, term_names;
    uint32_t also[16]; /* metrics that have another name, too */
    size_t also_count;
};

void metric_table_done(struct metric_table *table);

/* Whose CPU it is, by its key. */
enum microarchitecture_vendor metric_table_vendor(const struct metric_table *table);

/* Index by name in any case, or TABLE_NONE. */
uint32_t table_event_find(const struct metric_table *table, struct view name);
uint32_t table_metric_find(const struct metric_table *table, struct view name);
/* The same by a name that a tool printed: "tma_x", "Backend_Bound.Memory_Bound", "x". */
uint32_t table_metric_printed(const struct metric_table *table, const char *name);

/*
 * The term that "EVENT:c1:e1" (perfmon) or "cpu@EVENT\,cmask\=1@k", "EVENT:u" (Linux) stands for, added when it is new.
 * False: no such event here, and none that other tables could have; err says which word isn't known.
 */
MUST_CHECK bool table_term_resolve(struct metric_table *table, struct view name, uint32_t *ret_term, struct error *err);

/* How perf spells it: "cpu/event=0x28,umask=0x20,cmask=0x1/k". core_pmu: "cpu", "cpu_core", "armv8_pmuv3_0". */
void table_term_write(const struct table_term *term, const char *core_pmu, struct text *text);
/*
 * "slots", "topdown-retiring", …: the kernel's name of fixed counter 3 and of the fields behind it; NULL: it is none of
 * them.
 */
const char *table_term_topdown_name(const struct metric_table *table, const struct table_term *term);
void table_event_write(const struct table_event *event, const char *core_pmu, struct text *text);

struct table_inputs {
    const struct measured *terms; /* one for each of the table's terms */
    struct measured constants[TABLE_CONSTANT_COUNT];
    const struct measured *given; /* metrics' values that are known already and taken as they are; NULL: none */
    const char *cpu_id; /* what strcmp_cpuid_str compares with (the table's own, mostly), or NULL */
    bool (*has_event)(void *context, const char *name); /* NULL: what the table has */
    struct measured (*source_count)(void *context, const char *name); /* NULL: not measured */
    void *context;
};

/* Every metric's value and what its threshold says; arrays of metrics.count. */
struct table_values {
    struct measured *metrics;
    enum expression_verdict *flagged; /* EXPRESSION_UNKNOWN also where there is no threshold */
};

/* Owner of the arrays: arena. */
void table_evaluate(const struct metric_table *table, const struct table_inputs *inputs,
                    struct table_values *ret_values, struct arena *arena);

/* A metric and the metrics that its value is computed from, in the order of evaluation: itself last. */
struct table_closure {
    const uint32_t *metrics;
    size_t count;
};

/* Owner: arena. */
void table_closure_find(struct table_closure *ret_closure, const struct metric_table *table, uint32_t metric,
                        struct arena *arena);
/* The value of the closure's metric; scratch: metrics.count places, of which only the closure's are written. */
struct measured table_closure_value(const struct metric_table *table, const struct table_closure *closure,
                                    const struct table_inputs *inputs, struct measured *scratch);
/* What a metric's threshold says when the metrics have these values (metrics.count of them); terms are the inputs'. */
enum expression_verdict table_threshold_verdict(const struct metric_table *table, uint32_t metric,
                                                const struct table_inputs *inputs, struct measured *metrics);

/*
 * Mark the terms that a metric's value is computed from, through other metrics, too: an array of terms.count. Constants
 * that are known (TABLE_CONSTANT_COUNT of them; NULL: none is) leave out what stands in the branch that they don't
 * choose.
 */
void table_terms_needed(const struct metric_table *table, uint32_t metric, const struct measured *constants,
                        bool *terms);

/* Constants of which nothing is known yet; name by name what a formula calls them. */
void table_inputs_clear(struct table_inputs *inputs);

#endif
