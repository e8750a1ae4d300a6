/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What readers of single tools meet in a document: numbers by fact, of one printed table each. Internal to
 * source/import.
 *
 * system_columns  mpstat, sar, vmstat, turbostat: columns under their heading
 * system_lines a cgroup's cpu.stat, GNU time, perf stat's times, perf c2c's summary, smaps, meminfo, numastat's
 * counters: a number behind its name; top's line of shares system_nodes numastat -p, pcm-memory: what each node has
 * system_places   taskset, lscpu, numactl: where a process may run, and which CPUs a node has
 * system_locks    perf lock contention and report: how long locks were waited for
 * system_waits    perf sched latency and timehist: how long who waited
 * system_bandwidth  likwid, pcm-memory, STREAM, words: what goes to memory in a second, and the most that may
 * system_devices  iostat -x, sar -d: which device was busy, and how long its requests took
 * system_processes  pidstat: what processes ran and waited
 * system_servers  Redis' commandstats, MySQL's log of slow queries
 * system_log      the kernel's log: limits of heat
 * system_throttles  how often heat stopped a core, before and after: handed on as a count
 * system_build    compilers' commands: do they ask for optimising?
 * system_group    a cgroup's cpu.max: how many CPUs it may use
 * system_governor  /sys/…/cpufreq, cpupower: which clock the kernel asks for
 * system_softirqs  /proc/softirqs: which CPU takes them
 * system_calls    strace -c, perf trace -s: times by system call
 * system_events   kvm_stat: exits by reason, handed on as a table of them
 * system_plans    EXPLAIN ANALYZE: scans of whole tables that drop nearly all
 * system_collector  what collectors of garbage log
 * system_accesses  perf mem report: what sampled loads waited for
 * system_facts    shares of what was met
 *
 * A heading ends the tables above it, as does the tool's own beginning. What can only be told of a whole document
 * (counters that grow, several programs' times) is in one table of it.
 */
#ifndef PLUMB_SOURCE_IMPORT_SYSTEM_SYSTEM_READING_H
#define PLUMB_SOURCE_IMPORT_SYSTEM_SYSTEM_READING_H

#include "base/vec.h"
#include "source/import/import_text.h"

enum fact {
    FACT_STEAL,
    FACT_IO_WAIT,
    FACT_INTERRUPTS,
    FACT_SOFT_INTERRUPTS,
    FACT_KERNEL,
    FACT_PAGED_IN,
    FACT_PAGED_OUT,
    FACT_RUN_QUEUE,
    FACT_BLOCKS_IN,
    FACT_BLOCKS_OUT,
    FACT_BUSY_CLOCK,
    FACT_NOMINAL_CLOCK,
    FACT_IDLE,
    FACT_CORE_THROTTLES, /* by heat, since the start; degrees of the hottest core or package */
    FACT_CORE_DEGREES,
    FACT_PACKAGE_DEGREES,
    FACT_COLUMNS, /* those above stand in columns, those below one a line */
    FACT_PERIODS = FACT_COLUMNS,
    FACT_THROTTLED,
    FACT_THROTTLED_US,
    FACT_THROTTLED_NS, /* by the first version of control groups */
    FACT_GROUP_USED_US,
    FACT_USER_S,
    FACT_KERNEL_S,
    FACT_ELAPSED_S,
    FACT_CPU_PERCENT, /* of the elapsed time, where both aren't told */
    FACT_LOADS,
    FACT_MODIFIED,
    FACT_MODIFIED_REMOTE,
    FACT_LINE_LOADS, /* of the lines that perf c2c lists, as import_c2c sums them up */
    FACT_LINE_MODIFIED,
    FACT_FULLEST_NODE, /* MB of its memory, by numastat */
    FACT_ALL_NODES,
    FACT_BUSIEST_NODE, /* MB/s, by pcm-memory */
    FACT_NODES_TRAFFIC,
    FACT_SPIN_WAITS_S, /* by perf lock contention */
    FACT_LOCK_WAITS_S,
    FACT_ANONYMOUS, /* kB, by smaps or meminfo */
    FACT_ANONYMOUS_HUGE,
    FACT_HUGETLB, /* of hugetlbfs: pages, or kB */
    FACT_HUGETLB_FREE,
    FACT_LOCAL_PAGES, /* by numastat: given to who ran on their node, and to others */
    FACT_OTHER_PAGES,
    FACT_STALLED_STORAGE, /* percent of the time, by the kernel's accounts of pressure */
    FACT_STALLED_MEMORY,
    FACT_STALLED_CPU,
    FACT_NODE_USED_MOST, /* MB of all that is in use, by numactl */
    FACT_NODES_USED,
    FACT_COLLECTING,  /* percent of the time, by collectors of garbage that say so */
    FACT_COLLECTED_S, /* for how long that was so far, where it is told, and how often it collected */
    FACT_COLLECTED,
    FACT_SESSIONS, /* of a database, that are active; and of those, that wait for locks */
    FACT_SESSIONS_LOCKED,
    FACT_SESSIONS_LOGGING, /* that wait for the log to reach storage, and for other reads and writes */
    FACT_SESSIONS_STORING,
    FACT_SESSIONS_OPEN, /* all that have a transaction open; and of those, that wait for their client */
    FACT_SESSIONS_AT_CLIENT,
    FACT_MEMORY_HIGH, /* how often a group came up to these limits of its memory */
    FACT_MEMORY_MOST,
    FACT_SPIN_IMBALANCE_S, /* by VTune: of the CPU time of all threads */
    FACT_SPIN_LOCKS_S,
    FACT_SPIN_OF_S,
    FACT_SCALAR,      /* by likwid: scalar operations for each instruction */
    FACT_COMMANDS_US, /* by Redis: what all calls of a command took */
    FACT_QUERIES_S,   /* by MySQL's log of slow ones; and of that in waits for locks */
    FACT_QUERIES_LOCKED_S,
    FACT_PAUSE_S, /* by those that log each pause, and when that was since the start */
    FACT_PAUSE_AT_S,
    FACT_HEAP_KEPT, /* MB that a full collection left, and of how much */
    FACT_HEAP,
    FACT_COLLECTIONS_S, /* by Python's, which says no time of day */
    FACT_MEMORY_RATE,   /* MB/s of all memory */
    FACT_WEIGHT_MEMORY, /* percent of the time that sampled loads waited, by perf mem: of their own node, another */
    FACT_WEIGHT_REMOTE,
    FACT_LOAD,    /* average of the last minute */
    FACT_WHOLE_S, /* "The whole run took 21.42 s." */
    FACT_COUNT
};

struct met {
    double first, last, sum, most, least;
    size_t count;
};

enum { TASK_NAME_MOST = 48 };

/* Of one that perf sched or pidstat tells of; names are filled where it is added. */
struct task {
    char name[TASK_NAME_MOST];
    double run_ms, delay_ms; /* on a CPU, and ready without one */
    double io_ms, seen_ms;   /* waiting for storage, of the time that was looked at; 0: not told */
    double watched_ms;       /* the time that run_ms is of, of all its processes; 0: not told */
};

/* A row of turbostat's for the whole machine. */
struct clock_row {
    double mhz, busy_ratio; /* 0: not told */
};

enum { PACKAGES_MOST = 8 };

/* A processor of several by turbostat's rows of its CPUs; degrees and watts 0: not told. */
struct package {
    double number, mhz_sum, throttles, degrees, watts;
    size_t rows;
    char words[2 * TASK_NAME_MOST]; /* where facts were made of it */
};

/* Whose tables are kept apart. */
enum system_tool {
    TOOL_COLUMNS,
    TOOL_TOP,
    TOOL_NODES,
    TOOL_TRAFFIC,
    TOOL_LOCKS,
    TOOL_SCHEDULER,
    TOOL_PRESSURE,
    TOOL_DEVICES,
    TOOL_BANDWIDTH,
    TOOL_HARDWARE,
    TOOL_CALLS,
    TOOL_COLLECTOR,
    TOOL_SOFT_INTERRUPTS,
    TOOL_ACCESSES,
    TOOL_SESSIONS,
    TOOL_SERVER,
    TOOL_DOCUMENT
};

enum lock_kind { LOCK_UNKNOWN, LOCK_SPINS, LOCK_SLEEPS };

/* Where a lock was taken that was waited for, which it is, or who waited for whichever. */
struct lock {
    char caller[TASK_NAME_MOST];
    double wait_s;
    enum lock_kind kind;
    bool is_of_task; /* all of the task's, of whatever kinds: LOCK_UNKNOWN */
};

/* What the last heading of perf lock was of; _NS: its times have their unit there. */
enum locks_form { LOCKS_NONE, LOCKS_CONTENTION, LOCKS_TASKS, LOCKS_REPORT, LOCKS_REPORT_NS };

/* What a table of calls counts: the kernel's own CPU time (strace -c), or all time till they returned (-w). */
enum calls_clock { CALLS_CLOCK_UNKNOWN, CALLS_CLOCK_CPU, CALLS_CLOCK_WALL };

/* A system call's time in all threads: its own in the kernel, or till it returned, as it was asked for. */
struct call {
    char name[TASK_NAME_MOST];
    char said[TASK_NAME_MOST + 32]; /* "5401 calls of fsync", where their number is told */
    double seconds, count;
    bool waits;     /* it is for that */
    bool transfers; /* it reads or writes: it may wait, and may copy */
};

enum { CPU_NAME_MOST = 16 };

/* Interrupts of one CPU by its own row of mpstat. */
struct cpu_row {
    char name[CPU_NAME_MOST];
    double interrupts, idle, steal; /* percent of its time, sums over the rows */
    size_t count;
};

enum { DEVICE_AWAITS = 4 };

/* A block device by iostat or sar: sums over its reports. */
struct device {
    char name[TASK_NAME_MOST];
    size_t reports;                   /* all that were met */
    double util_sum;              /* from here on: of those that count */
    size_t counted;
    double requests[DEVICE_AWAITS];   /* a second: reads, writes, flushes, all of them */
    double took_ms[DEVICE_AWAITS];    /* of each kind all together */
};

/* A counter of one CPU's, which grows: of the first and last look. */
struct cpu_count {
    char name[CPU_NAME_MOST];
    double first, last;
    size_t looks;
};

/* What a log of pauses holds: all of them, and of a collector that works beside the program, too? */
struct pause_log {
    double last; /* collection by its number */
    bool is_numbered, has_gaps, is_concurrent;
    double stalled_s, stalled_until_s,
        stalls_from_s; /* threads that waited for memory, one at least; since the start */
    size_t stalls;
};

/* A mapping of smaps as its lines come. */
struct mapping {
    uint64_t start, end;
    bool has_huge; /* some of it is on huge pages */
};

enum { NODES_MOST = 8, SCALED_MOST = 32 };

/* What a table of rates says of so many threads. */
struct scaled_row {
    struct view test; /* by its column of that name; length 0: none */
    double threads, rate;
    bool is_of_time; /* told as a time, of which rate is one by that */
};

struct scaling {
    size_t threads, rate, test; /* columns from 1 of the table that is read; threads 0: none is */
    struct scaled_row rows[SCALED_MOST];
    size_t count;
};

struct system_table {
    struct pause_log pauses;
    size_t may_be_huge, none_huge, none_fits; /* areas that may have huge pages, that have none, without room for one */
    enum system_tool tool;
    struct view heading; /* the last one before it; length 0: none */
    struct met met[FACT_COUNT];
    vec(struct task) tasks;
    vec(struct lock) locks;
    vec(struct call) calls;
    vec(struct cpu_row) cpus;
    vec(struct clock_row) clocks;
    vec(struct cpu_count) received; /* packets' soft interrupts */
    vec(struct device) devices;
    bool is_of_iostat, has_begun; /* shares of all CPUs above its devices; its second report was met */
    char scaling_words[2 * TASK_NAME_MOST]; /* of rates by threads, where a fact was made of them */
    char rate_words[TASK_NAME_MOST];       /* of memory's bandwidth, where facts were made of it */
    char device_words[2 * TASK_NAME_MOST]; /* of the busiest one, where facts were made of them */
    char plan_words[256];
    char power_words[TASK_NAME_MOST];
    char heap_words[2 * TASK_NAME_MOST];
    char tasks_words[TASK_NAME_MOST], load_words[TASK_NAME_MOST]; /* of how many rows, and of how many CPUs */
    bool tells_busy;    /* turbostat's rows do; busiest_ratio: of the CPU that is busiest, else of all */
    double busiest_ratio;
    char lock_words[TASK_NAME_MOST];      /* which locks a database's sessions wait for most */
    char log_words[TASK_NAME_MOST], storage_words[TASK_NAME_MOST]; /* … and which events of storage */
    char command_words[2 * TASK_NAME_MOST], query_words[2 * TASK_NAME_MOST]; /* of a server, which takes most */
    char scalar_words[TASK_NAME_MOST];
    char group_words[TASK_NAME_MOST];     /* of a limit of memory */
    char client_words[TASK_NAME_MOST];    /* … and of their client */
    char busiest_process[TASK_NAME_MOST]; /* of top's rows, and how much of one CPU it used */
    double process_ratio;
    bool process_runs, any_waits; /* its state is R; a process's is D */
    double calls_s; /* for how long one thread's calls were watched; 0: not told */
    enum calls_clock calls_clock;
    size_t fullest_node; /* of numastat's columns */
    double node_mb[NODES_MOST];
    struct package packages[PACKAGES_MOST];
    size_t package_count;
    size_t heat_rows, hot_rows; /* of single CPUs: that tell how often heat throttled them, and that it did */
    bool has_ended;
    bool has_unread; /* rows of it have a form of their own: shares of the others would be wrong */
};

/* Which CPUs a process may use, or a node has, or whose memory was looked at: a row of IMPORTED_PLACES. */
struct place {
    const char *of;          /* PLACE_BOUND and its like */
    struct view whose, list; /* length 0: not told; owner: the text */
    bool is_mask;            /* the list is one in hexadecimal digits */
};

enum { GOVERNOR_NAME_MOST = 32 };

/* What the kernel's cpufreq says of itself; "" and 0: not told. */
struct governor {
    char name[GOVERNOR_NAME_MOST], driver[GOVERNOR_NAME_MOST];
    double least_mhz, most_mhz;
    bool differs; /* by CPU, or between two looks */
};

/* The file of a control group that was named last, whose content the next line is. */
enum group_file { GROUP_NONE, GROUP_MAX, GROUP_QUOTA, GROUP_PERIOD };

/* What a control group may have of the CPUs' time in each period; 0: not told, or no limit. */
struct group_limit {
    enum group_file named;
    double quota_us, period_us;
    bool differs; /* between two looks */
};

/* Of a query's plan with its times: of each loop. */
struct plan_node {
    struct view name, filter; /* length 0: none */
    double ms, rows, loops, removed;
};

struct plan {
    size_t roots; /* of as many plans */
    double total_ms;
    struct plan_node node, scan; /* the last one; of scans of whole tables the one that took longest */
};

struct system_reading {
    struct view document; /* all of it */
    struct plan plan;
    vec(struct place) places;
    struct governor governor;
    struct group_limit limit;
    struct view group_first, group_last;  /* what stands above the first and the last look at one; length 0: nothing */
    char build_words[4 * TASK_NAME_MOST]; /* the compiler's command that asks for no optimising; "": none */
    bool build_optimises;                 /* another one does */
    struct view cpufreq_file; /* whose content the next line is; length 0: none */
    bool in_cpupower;
    vec(struct system_table) tables;
    struct view heading;
    size_t nodes; /* columns of numastat's table; 0: its heading wasn't met */
    bool in_distances; /* of numactl */
    double node_size_mb; /* of the one that numactl told of last; 0: none */
    double calls_s;     /* for how long the next table of calls watched one thread; 0: not told */
    enum calls_clock calls_clock; /* of the next table */
    struct scaling scaling;
    bool on_one_socket; /* somebody says so */
    size_t runs_on;     /* the node that somebody says it runs on, from 1; 0: nobody does */
    bool nodes_differ;  /* several are told */
    int pressure;        /* 1 and up: whose file of pressure was named last; 0: none */
    bool of_threads;     /* top's rows are threads */
    bool in_summary;     /* of perf c2c: events by name */
    struct mapping mapping;
    double cpus;       /* of the machine, by a tool's head or by words; 0: not told */
    bool cpus_differ;  /* by what is told: of which of them isn't known */
    const char *clock; /* that is slow to read, and was said to be in use; NULL: none */
    enum locks_form locks;
    bool locks_begun; /* its rows have */
    double design_watts; /* "TDP 205 W"; 0: nobody says */
    bool was_hot; /* a limit of heat was said to be reached */
    /* MB/s that memory gives at most, by a benchmark and in theory, 0: not told; differs: told in several ways */
    double attained_mb, nominal_mb;
    bool most_differs, in_stream; /* in_stream: STREAM's table was met */
};

/* Ends the tables above it, but for the document's. Shape: a line of prose, kept as it stands. */
void system_heading(struct system_reading *reading, struct view heading);
/* A new one; valid until the next. */
struct system_table *system_table_begin(struct system_reading *reading, enum system_tool tool);
/* The tool's one that hasn't ended, or a new one. */
struct system_table *system_table_of(struct system_reading *reading, enum system_tool tool);
void system_meet(struct system_table *table, enum fact fact, double value);
/* To what was told of one of that name before. */
void system_task_add(struct system_reading *reading, struct view name, struct task task);
void system_reading_done(struct system_reading *reading);

/* Whether a line is of the tool, or the first of a table, whose other lines are skipped then. */
bool system_columns_read(struct system_reading *reading, struct view line, struct view *rest);
bool system_line_read(struct system_reading *reading, struct view line);
bool system_places_read(struct system_reading *reading, struct view line);
bool system_nodes_read(struct system_reading *reading, struct view line);
bool system_waits_read(struct system_reading *reading, struct view line);
bool system_locks_read(struct system_reading *reading, struct view line);
bool system_devices_read(struct system_reading *reading, struct view line, struct view *rest);
bool system_bandwidth_read(struct system_reading *reading, struct view line);
void system_bandwidth_note(struct system_reading *reading,
                           struct view line); /* words, which may be anything else, too */
bool system_sessions_read(struct system_reading *reading, struct view line, struct view *rest);
bool system_processes_read(struct system_reading *reading, struct view line, struct view *rest);
bool system_servers_read(struct system_reading *reading, struct view line, struct view rest);
/* "CPUs are 100 % busy", which may be anything else, too */
void system_busy_note(struct system_reading *reading, struct view line);
/* out: rows that name a function, for the readers of reports. */
bool system_accesses_read(struct system_reading *reading, struct view line, struct view *rest, struct text *out);
/* out: the rows in a form that the readers of exits know. */
bool system_events_read(struct view line, struct view *rest, struct text *out);
bool system_throttles_read(struct system_reading *reading, struct view line, struct text *out);
bool system_governor_read(struct system_reading *reading, struct view line);
/* which may be anything else, too */
void system_build_note(struct system_reading *reading, struct view line);
bool system_group_read(struct system_reading *reading, struct view line);
bool system_group_events_read(struct system_reading *reading, struct view line, struct view *rest);
/* "spin time by VTune, s: …", as source/import/tools/import_vtune hands it on. */
bool system_spin_read(struct system_reading *reading, struct view line);
bool system_scalar_read(struct system_reading *reading, struct view line); /* the same of import_likwid */
/* Its counts are looked at once more. */
void system_group_look(struct system_reading *reading);
bool system_softirqs_read(struct system_reading *reading, struct view line, struct view *rest);
bool system_calls_read(struct system_reading *reading, struct view line, struct view *rest);
void system_calls_note(struct system_reading *reading, struct view line); /* which may be anything else, too */
bool system_collector_read(struct system_reading *reading, struct view line);
bool system_scaling_read(struct system_reading *reading, struct view line);
void system_scaling_note(struct system_reading *reading, struct view line); /* which may be anything else, too */
/* Of one test the rows of which twice as many threads gained least; false: there are no such. */
bool system_scaling_worst(const struct scaling *scaling, const struct scaled_row **ret_few,
                          const struct scaled_row **ret_many);
bool system_plans_read(struct system_reading *reading, struct view line);
/* The part (0..1) of a query's time in one scan that drops nearly all of a table, which one to out; 0: none is told. */
double system_plan_dropped(const struct plan *plan, struct text *out);
void system_log_read(struct system_reading *reading, struct view line); /* which may be anything else, too */

/* Its name, and how long each of its requests took. */
void device_words(const struct device *device, struct text *out);

/* MB/s to all memory, or to one node's; 0: nobody tells. */
double system_memory_rate(const struct system_reading *reading, const struct system_table *table);

/* How system_events ends a table of exits of which it is told in how many seconds they were. */
#define KVM_STAT_SECONDS "# kvm_stat counted for "

enum { SYSTEM_ROWS_MOST = 48 };
/* Shares in percent, by what they are of, of one of its tables; returns how many were written. */
size_t system_facts_of(const struct system_reading *reading, struct system_table *table,
                       struct import_row ret_rows[SYSTEM_ROWS_MOST]);

/* ---- words of a line ---- */

enum { SYSTEM_WORDS_MOST = 64 };

struct words {
    struct view items[SYSTEM_WORDS_MOST];
    size_t count;
};

void words_of(struct view line, struct words *ret_words);

#endif
