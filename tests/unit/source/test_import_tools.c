/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/tools/import_c2c.h"
#include "source/import/tools/import_chains.h"
#include "source/import/tools/import_likwid.h"
#include "source/import/import_text.h"
#include "source/import/tools/import_uprof.h"
#include "source/import/system/import_system.h"

static double fact_in(const struct import_facts *facts, const char *name, const char **ret_where)
{
    for (size_t table = 0; table < facts->count; table++)
        for (size_t at = 0; at < facts->tables[table].row_count; at++)
            if (strcmp(facts->tables[table].rows[at].name, name) == 0) {
                *ret_where = facts->tables[table].rows[at].where;
                return facts->tables[table].rows[at].number;
            }
    return -1;
}

#define WAITING "of the time in system calls, waiting"
#define WORKING "of the time in system calls, what isn't waiting"
#define STRACE "% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n"
#define TRACE "   syscall            calls  errors  total       min       avg       max       stddev\n                                     (msec)    (msec)    (msec)    (msec)        (%)\n" \
              "   --------------- --------  ------ -------- --------- --------- ---------     ------\n"
#define MPSTAT "11:00:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
#define SAFE "[0.022s][info][gc,start    ] GC(0) Pause Young (Normal)\n"

Test(import_tools, system_calls_collectors_and_interrupts_of_one_cpu)
{
    static const struct {
        const char *text, *fact;
        double percent; /* -1: it isn't said */
        const char *where;
    } printed[] = {
        {STRACE " 75.00    0.300000       26999         4         2 wait4\n 25.00    0.100000           2     20003           read\n100.00    0.400000           2     20007         2 total\n", WAITING, 75, "4 calls of wait4"},
        {STRACE " 75.00    0.300000       26999         4         2 wait4\n 25.00    0.100000           2     20003           read\n", WORKING, 25, "20003 calls of read"},
        {STRACE "100.00    0.000000           0         4           read\n", WORKING, -1, ""}, /* no time at all */
        {" Summary of events:\n\n dd (14424), 8250 events, 99.9%\n\n" TRACE "   read                2003      0    30.0     0.010     0.015     0.138      1.06%\n   futex               2003      0    10.0     0.010     0.015     0.138      1.06%\n\n"
         " dd (14425), 82 events, 0.1%\n\n" TRACE "   read                2003      0    60.0     0.010     0.015     0.138      1.06%\n", WORKING, 90, "4006 calls of read"},
        {"gc 38 @0.290s 3%: 0.015+5.9+0.003 ms clock, 0.030+1.9/1.0/0+0.006 ms cpu, 3->5->3 MB, 4 MB goal, 2 P\n"
         "gc 39 @0.297s 12%: 0.015+5.9+0.003 ms clock, 0.030+1.9/1.0/0+0.006 ms cpu, 3->5->3 MB, 4 MB goal, 2 P\n", "garbage collection / time", 12, ""},
        {SAFE "[0.100s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->3M(96M) 40.000ms\n[0.150s][info][gc] GC(1) Concurrent Mark Cycle 30.0ms\n"
         "[1.000s][info][gc] GC(2) Pause Full (Ergonomics) 6M->3M(96M) 160.000ms\n", "pauses for garbage collection / elapsed, concurrent work left out", 20, ""},
        {"[10.0s][info][gc] GC(7) Pause Young (Normal) 6M->3M(96M) 900.000ms\n[11.0s][info][gc] GC(8) Pause Young (Normal) 6M->3M(96M) 100.000ms\n", "logged pauses for garbage collection / elapsed", 10, ""},
        {"[10.0s][info][gc] GC(7) Pause Young (Normal) 6M->3M(96M) 900.000ms\n[11.0s][info][gc] GC(8) Pause Young (Normal) 6M->3M(96M) 10.000ms\n"
         "[12.0s][info][gc] GC(9) Pause Young (Normal) 6M->3M(96M) 10.000ms\n[13.0s][info][gc] GC(10) Pause Young (Normal) 6M->3M(96M) 10.000ms\n", "pauses for garbage collection / elapsed", 1, ""},
        {"[10.0s][info][gc] GC(7) Pause Young (Normal) 6M->3M(96M) 900.000ms\n[11.0s][info][gc] GC(8) Pause Young (Normal) 6M->3M(96M) 10.000ms\n"
         "[12.0s][info][gc] GC(9) Pause Young (Normal) 6M->3M(96M) 10.000ms\n[13.0s][info][gc] GC(12) Pause Young (Normal) 6M->3M(96M) 10.000ms\n", "logged pauses for garbage collection / elapsed", 1, ""},
        {"1.000: [GC (Allocation Failure)  65536K->1234K(251392K), 0.9000000 secs]\n3.000: [Full GC (Ergonomics)  65536K->1234K(251392K), 0.5000000 secs]\n", "logged pauses for garbage collection / elapsed", 25, ""},
        {"[14428:0x43a95e40]      100 ms: Scavenge 3.9 (4.0) -> 3.7 (5.0) MB, 1.31 / 0.00 ms  (average mu = 1.000) allocation failure;\n"
         "[14428:0x43a95e40]      200 ms: Mark-Compact 125.3 (159.0) -> 18.6 (52.8) MB, 5.00 / 0.00 ms  (+ 7.0 ms in 12 steps since start) finalize\n", "logged pauses for garbage collection / elapsed, by a short log", 12, ""},
        {"  [ Real times consist of 0.300 seconds GC time, and 0.900 seconds non-GC time. ]\n", "garbage collection / time", 25, ""},
        {"  %GC     time      52.6%  (52.8% elapsed)\n", "garbage collection / time", 52.6, ""},
        {"    % Time in GC since last GC (%)                                 31\n", "garbage collection / time", 31, ""},
        {"gc: collecting generation 2...\ngc: done, 0 unreachable, 0 uncollectable, 0.5000s elapsed\nreal\t0m2.000s\nuser\t0m1.0s\nsys\t0m0.1s\n", "garbage collections / elapsed", 25, ""},
        {MPSTAT "11:00:06     all    4.10    0.00    3.20    0.00    0.00   48.10    0.00    0.00    0.00   44.60\n11:00:06       0    4.00    0.00    3.00    0.00    0.00    0.30    0.00    0.00    0.00   92.70\n"
         "11:00:06       1    2.00    0.00    1.00    0.00    1.00   95.00    0.00    0.00    0.00    1.00\n", "%irq + %soft of one CPU, which is full", 96, "1"},
        {MPSTAT "11:00:06     all    4.10    0.00    3.20    0.00    0.00   12.10    0.00    0.00    0.00   80.60\n11:00:06       0    4.00    0.00    3.00    0.00    0.00    0.30    0.00    0.00    0.00   92.70\n"
         "11:00:06       1    2.00    0.00    1.00    0.00    0.00   24.00    0.00    0.00    0.00   73.00\n", "%irq + %soft of one CPU, which has time left", 24, "1"},
        {MPSTAT "11:00:06     all    4.10    0.00    3.20    0.00    0.00   12.10    0.00    0.00    0.00   80.60\n11:00:06       0    4.00    0.00    3.00    0.00    0.00   20.00    0.00    0.00    0.00   73.00\n"
         "11:00:06       1    2.00    0.00    1.00    0.00    0.00   24.00    0.00    0.00    0.00   73.00\n", "%irq + %soft of one CPU, which has time left", -1, ""},
        {"                    CPU0       CPU1\n          HI:          1          0\n      NET_RX:        100        900\n", "packets' interrupts (NET_RX) on one CPU / on all", 90, "CPU1"},
        {"                    CPU0       CPU1\n      NET_RX:        100        900\n\n                    CPU0       CPU1\n      NET_RX:        180        920\n", "packets' interrupts (NET_RX) on one CPU / on all", 80, "CPU0"},
    };
    for (size_t at = 0; at < array_count(printed); at++) {
        struct arena arena;
        struct import_facts facts;
        const char *where = "";
        arena_init(&arena);
        (void)import_system_turned(view_of(printed[at].text), &arena, &facts);
        double percent = fact_in(&facts, printed[at].fact, &where);
        cr_expect_float_eq(percent, printed[at].percent, 1e-9, "%zu %s: %g", at, printed[at].fact, percent);
        cr_expect_str_eq(where, printed[at].where, "%zu: %s", at, where);
        for (size_t length = 0; length <= strlen(printed[at].text); length++) {
            struct edge edge = edge_copy(printed[at].text, length);
            if (length)
                ((unsigned char *)edge.bytes)[length / 2] ^= (unsigned char)(length % 3 == 0 ? 1u << length % 8 : 0);
            (void)import_system_turned((struct view){(char *)edge.bytes, length}, &arena, &facts);
            edge_free(&edge);
        }
        arena_done(&arena);
    }
}

static const char likwid[] = "CPU clock:\t2.49 GHz\n--------\nGroup 1: TMA\n+----+----+----+----+\n|           Event          | Counter | HWThread 0 | HWThread 1 |\n+----+----+----+----+\n|     INSTR_RETIRED_ANY    |  FIXC0  | 4000 |      12 |\n"
                             "|   CPU_CLK_UNHALTED_CORE  |  FIXC1  | 9000 |      nil |\n|   UOPS_ISSUED_ANY        |   PMC0  | 5e+03 |       - |\n+----+----+\n\n+----+----+\n| Event | Counter | Sum | Min | Max | Avg |\n+----+----+\n"
                             "| INSTR_RETIRED_ANY STAT | FIXC0 | 4012 | 12 | 4000 | 2006 |\n+----+\n\n+----+----+----+\n|        Metric        | HWThread 0 | HWThread 1 |\n+----+----+----+\n|  Runtime (RDTSC) [s] |     3.5 |     3.5 |\n| Runtime unhalted [s] |     3.0 |  1.0 |\n"
                             "|     Front End [%]    |     6 |    60 |\n|     Back End [%]     |    80 |    20 |\n+----+----+----+\n";
static const char likwid_csv[] = "STRUCT,Info,3,\nCPU name:,AMD EPYC 7763,,\nTABLE,Group 1 Raw,BRANCH,2,\nEvent,Counter,HWThread 0,\nRETIRED_INSTRUCTIONS,PMC0,9000,\nCPU_CLOCKS_UNHALTED,PMC1,10000,\nRETIRED_MISP_BRANCH_INSTR,PMC3,300,\n"
                                 "TABLE,Group 1 Metric,BRANCH,2,\nMetric,HWThread 0,,\nRuntime (RDTSC) [s],4.1,,\nBranch misprediction rate,0.03,,\n";
static const char uprof[] = "AMDuProfPcm Report\nProfile Time: 2026/06/02 10:26:42:615\nCORE METRICS,,,\nSystem (Aggregated),,,\nTotal_Dispatch_Slots,SMT_Disp_contention,Frontend_Bound,Backend_Bound,Backend_Bound.Memory,Retiring,\nProfiling started.\n"
                            "24000000000,0.10,8.00,70.00,60.00,19.90,\n24000000000,0.10,9.00,70.00,64.00,19.90,\n";
static const char uprof_rows[] = "AMD uProf, cumulative\nFrontend_Bound (%),12.5,\nBackend_Bound.CPU (%),31.5,\n";
static const char hottest[] = "AMD uProf (Version:5.3)\n\n\"10 HOTTEST FUNCTIONS (Sort Event - CPU_TIME)\"\nFUNCTION,CPU_TIME,Module\n\"spmv(int, double*)\",15.0,/opt/my app/solve\naxpy,2.0,/opt/solve\n\n10 HOTTEST MODULES (Sort Event - CPU_TIME)\nMODULE,CPU_TIME\n"
                              "/opt/solve,19\n/usr/lib/libc.so.6,1\n\n10 HOTTEST FUNCTIONS (Sort Event - IBS_LOAD)\nFUNCTION,IBS_LOAD,Module\nspmv,100,/opt/solve\n";

static struct view all_turned(struct view text, struct arena *arena)
{
    return import_uprof_turned(import_likwid_turned(text, arena), arena);
}

/* The number of a row of that kind, wherever it stands; -1: there is none. */
static double number_of(const char *text, enum import_kind kind, const char *name, struct arena *arena)
{
    struct imported_text table, beside;
    double found = -1;
    for (struct view rest = all_turned(view_of(text), arena); import_text_next(&rest, arena, &table);)
        for (int both = 0; both < 2; both++) {
            if (both && !import_text_beside(&table, arena, &beside))
                break;
            const struct imported_text *one = both ? &beside : &table;
            for (size_t at = 0; at < one->row_count && one->kind == kind; at++)
                if (strcmp(one->rows[at].name, name) == 0)
                    found = one->rows[at].number;
        }
    return found;
}

Test(import_tools, likwids_counts_and_classes_and_uprofs)
{
    static const struct {
        const char *text;
        enum import_kind kind;
        const char *name;
        double number;
    } rows[] = {
        {likwid, IMPORT_STAT, "instructions", 4012},
        {likwid, IMPORT_STAT, "cycles", 9000},
        {likwid, IMPORT_STAT, "uops_issued_any", 5000},
        {likwid, IMPORT_METRICS, "tma_backend_bound", 65}, /* as long as each ran */
        {likwid, IMPORT_METRICS, "tma_frontend_bound", 19.5},
        {likwid_csv, IMPORT_STAT, "branch-misses", 300},
        {likwid_csv, IMPORT_STAT, "cycles", 10000},
        {uprof, IMPORT_METRICS, "backend_bound_memory", 62},
        {uprof, IMPORT_METRICS, "frontend_bound", 8.5},
        {uprof_rows, IMPORT_METRICS, "backend_bound_cpu", 31.5},
        {hottest, IMPORT_REPORT, "spmv(int, double*)", 75},
        {hottest, IMPORT_REPORT, "spmv", -1}, /* of loads, not of time */
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        struct arena arena;
        arena_init(&arena);
        double number = number_of(rows[at].text, rows[at].kind, rows[at].name, &arena);
        cr_expect_float_eq(number, rows[at].number, 1e-9, "%zu %s: %g", at, rows[at].name, number);
        arena_done(&arena);
    }
    struct arena arena;
    arena_init(&arena);
    struct view other = view_of("| Event | what | it | was |\n1,2,3\n");
    cr_expect_eq(all_turned(other, &arena).text, other.text);
    arena_done(&arena);
}

static const char
    shared_lines[] =
        "  Shared Data Cache Line Table\n# ----  Tot  Load Hitm\n# Index  Address  Node  PA cnt  Hitm  Total  LclHitm  "
        "RmtHitm  records  Loads  Stores\n"
        "  0  0x6041c0  0  411  98.00%  1200  1000  200  9118  2400  1100\n\n  Shared Cache Line Distribution Pareto\n"
        "#  Num  RmtHitm  LclHitm  L1 Hit  L1 Miss  Offset\n  0  200  1000  1000  100  0x6041c0\n"
        " 50.00%  50.00%  40.00%  0.00%  0x0  0  1  0x402e1f  11  40  20  299  1  [.] take  pool\n"
        " 50.00%  50.00%  60.00%  100.00%  0x8  0  1  0x402e1f  11  40  20  299  1  [.] take  pool\n\n",
    scaled[] = "| model | threads | test | t/s |\n| --- | ---: | --- | ---: |\n| m | 8 | tg | 5.0 \u00b1 0.1 |\n| m | "
               "16 | tg | 5.5 \u00b1 0.1 |\n\n",
    away[] = "It runs on node 0.\n\n  Node 0  Node 1  Total\nHeap  10.0  20.0  30.0\nTotal  10.0  90.0  100.0\n";

static struct import_facts facts_in(struct view text, struct arena *arena)
{
    struct import_facts facts;
    (void)import_system_turned(import_c2c_turned(text, arena), arena, &facts);
    return facts;
}

Test(import_tools, shared_lines_rates_by_threads_and_memory_elsewhere)
{
    static const struct {
        const char *text, *fact;
        double percent;
    } told[] = {{shared_lines, "HITM / loads of shared lines", 50},
                {scaled, "work of each thread, of what it was with half as many", 55},
                {away, "memory on another node than it runs on / all", 90}};
    for (size_t at = 0; at < array_count(told); at++) {
        struct arena arena;
        const char *where = "";
        arena_init(&arena);
        struct import_facts facts = facts_in(view_of(told[at].text), &arena);
        cr_expect_float_eq(fact_in(&facts, told[at].fact, &where), told[at].percent, 1e-9, "%zu", at);
        arena_done(&arena);
    }
}

Test(import_tools, shared_lines_and_rates_survive_truncation_and_flipped_bits)
{
    static const char *const texts[] = {shared_lines, scaled, away};
    for (size_t at = 0; at < array_count(texts); at++)
        for (size_t length = 0; length <= strlen(texts[at]); length++)
            for (int flip = 0; flip < 2; flip++) {
                struct arena arena;
                arena_init(&arena);
                struct edge edge = edge_copy(texts[at], length);
                if (flip && length)
                    ((unsigned char *)edge.bytes)[length / 2] ^= (unsigned char)(1u << length % 8);
                (void)facts_in((struct view){(char *)edge.bytes, length}, &arena);
                edge_free(&edge);
                arena_done(&arena);
            }
}

Test(import_tools, they_survive_truncation_and_flipped_bits)
{
    static const char *const texts[] = {likwid, likwid_csv, uprof, uprof_rows, hottest};
    for (size_t at = 0; at < array_count(texts); at++)
        for (size_t length = 0; length <= strlen(texts[at]); length++)
            for (int flip = 0; flip < 2; flip++) {
                struct arena arena;
                struct imported_text table;
                arena_init(&arena);
                struct edge edge = edge_copy(texts[at], length);
                if (flip && length)
                    ((unsigned char *)edge.bytes)[length / 2] ^= (unsigned char)(1u << length % 8);
                struct view rest = all_turned((struct view){(char *)edge.bytes, length}, &arena);
                while (import_text_next(&rest, &arena, &table))
                    ;
                edge_free(&edge);
                arena_done(&arena);
            }
}

#define SPIN "    70.90%  scan  [kernel.kallsyms]  [k] spin\n"

static const struct {
    const char *tree, *callers; /* NULL: it is no tree */
} chains[] = {
    {"            |\n            ---spin\n               dput\n               __x64_sys_openat\n               scan<a, b>(int) (inlined)\n", "dput;__x64_sys_openat;scan<a, b>(int)"},
    {"            |\n            |--61.20%--lock\n            |          |\n            |           --60.90%--dput\n            |                     open\n            |\n             --9.40%--other\n", "lock;dput;open"},
    {"            |\n            ---_start\n               main\n               |\n                --70.10%--scan\n                          spin\n                          deeper\n", "scan;main;_start"},
    {"            |\n            ---_start\n               main\n", ""}, /* it isn't in there */
    {"            |\n            |--31.00%--one\n            |          root\n             --30.00%--other\n", ""},
    {"            |\n             --95.00%--dput\n                       |\n                       |--52.00%--open\n                        --48.00%--close\n", "dput;open"}, /* of the parent (fractal) */
    {"\n     6.10%  scan  [kernel.kallsyms]  [k] dput\n", NULL},
    {"The rest is less.\n", NULL},
};

Test(import_tools, callers_of_a_reports_rows_are_those_of_the_largest_branch)
{
    for (size_t at = 0; at < array_count(chains); at++) {
        struct arena arena;
        arena_init(&arena);
        struct view text = view_of(arena_printf(&arena, "%s%s\nThe end.\n", SPIN, chains[at].tree));
        struct view turned = import_chains_turned(text, &arena);
        struct imported_text table = import_text_read(turned, &arena);
        cr_assert(table.row_count && table.kind == IMPORT_REPORT, "%zu", at);
        cr_expect_str_eq(table.rows[0].name, "spin", "%zu: %s", at, table.rows[0].name);
        cr_expect_str_eq(table.rows[0].callers, chains[at].callers ? chains[at].callers : "", "%zu: %s", at, table.rows[0].callers);
        cr_expect_eq(turned.text == text.text, !chains[at].callers, "%zu", at);
        arena_done(&arena);
    }
}

Test(import_tools, chains_survive_truncation_and_flipped_bits)
{
    for (size_t at = 0; at < array_count(chains); at++) {
        struct arena arena;
        arena_init(&arena);
        const char *text = arena_printf(&arena, "%s%s", SPIN, chains[at].tree);
        for (size_t length = 0; length <= strlen(text); length++) {
            struct edge edge = edge_copy(text, length);
            if (length)
                ((unsigned char *)edge.bytes)[length / 2] ^= (unsigned char)(length % 3 == 0 ? 1u << length % 8 : 0);
            (void)import_chains_turned((struct view){(char *)edge.bytes, length}, &arena);
            edge_free(&edge);
        }
        arena_done(&arena);
    }
}

static const char places[] = "$ taskset -cp 8812\npid 8812's current affinity list: 0-3,8\nCpus_allowed_list:\t0-7\nNUMA node(s):  2\nNUMA node0 CPU(s):  0-23\nnode 1 cpus: 24 25 26\nNUMA node2 CPU(s):\n"
                             "Per-node process memory usage (in MBs) for PID 8812 (mysqld)\nreal 0m10.0s\nuser 0m12.0s\nsys 0m3.0s\n";

Test(import_tools, lists_of_cpus_are_kept_by_whose_they_are)
{
    static const char *const rows[][2] = {{"CPUs that may be used, by 8812", "0-3,8"}, {"CPUs that may be used, by ", "0-7"}, {"node 0", "0-23"}, {"node 1", "24,25,26"}, {"memory of 8812", ""}};
    struct arena arena;
    const char *where = NULL;
    arena_init(&arena);
    struct import_facts facts;
    (void)import_system_turned(view_of(places), &arena, &facts);
    cr_expect_float_eq(fact_in(&facts, "CPUs in use", &where), 1.5, 1e-9);
    for (size_t at = 0; at < array_count(rows); at++) {
        cr_expect_eq(fact_in(&facts, rows[at][0], &where), 0, "%s", rows[at][0]);
        cr_expect_str_eq(where, rows[at][1], "%s: %s", rows[at][0], where);
    }
    cr_expect_eq(fact_in(&facts, "node 2", &where), -1, "it has none");
    for (size_t length = 0; length < sizeof(places); length++) {
        struct edge edge = edge_copy(places, length);
        (void)import_system_turned((struct view){(char *)edge.bytes, length}, &arena, &facts);
        edge_free(&edge);
    }
    arena_done(&arena);
}
