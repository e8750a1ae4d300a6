/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "source/import/tools/import_columns.h"
#include "source/import/tools/import_counts.h"
#include "source/import/import_markdown.h"
#include "source/import/tools/import_perfspect.h"
#include "base/scope.h"
#include "source/import/tools/import_stacks.h"
#include "source/import/import_text.h"
#include "source/import/tools/import_thousands.h"
#include "source/import/tools/import_vtune.h"
#include "source/import/system/import_system.h"

static const struct {
    const char *text;
    enum import_kind kind;
    const char *holds;
} cases[] = {
    {"@reason[48]: 5121   EXIT_REASON_EPT_VIOLATION\n@reason[77]: 137299   EXIT_REASON_TDCALL\n", IMPORT_EXITS,
     "142420 exits for 2 reasons: EXIT_REASON_TDCALL 96.4 %"},
    {"39.92%    16.34%  [kernel.kallsyms]  [k] vmx_vcpu_run\n", IMPORT_REPORT, "vmx_vcpu_run 39.9 %"},
    {"   33.94 :   4011a2:  mov 0x58(%rax),%rax\n", IMPORT_ANNOTATE, "mov 0x58(%rax),%rax 33.9 %"},
    {"# started\n  8,330,778,710      cycles  # x\n", IMPORT_STAT, "8330778710 cycles"},
    {"0.164\n0.160 s\n0.162 seconds\n", IMPORT_RUNS, "3 runs, 0.16 to 0.164 s, median 0.162 s"},
    {"0.164\n0.160 s\n0.162 seconds\n0.170 s\n", IMPORT_RUNS, "4 runs, 0.16 to 0.17 s, median 0.163 s"},
    {"NNC: 0.164 s\nATen: 0.161 s\nSpeedup (ATen/NNC): 0.97\n", IMPORT_RUNS, "2 runs, 0.161 to 0.164 s"},
    {"real\t0m1.250s\nuser\t0m1.1s\n", IMPORT_RUNS, "1 runs, 1.25 to 1.25 s"},
    {"33.94% mov     0x58(%rax),%rax\n42%  auto w = 3;\n", IMPORT_ANNOTATE, "auto w = 3; 42.0 %"},
    {"    61.20%  18230  RAM hit  [.] probe      join     [.] 0x7f2a  [anon]  Local RAM  None\n", IMPORT_REPORT, "probe 61.2 %"},
    {"| 99.73%   | python  | libmkl_avx512.so.2    | [.] sgemm_t_n23_b0 |\n", IMPORT_REPORT, "sgemm_t_n23_b0 99.7 %"},
    {"| TopdownL1 | 88.8% | tma_backend_bound |\n|    | 4.3% | tma_frontend_bound |\n", IMPORT_METRICS,
     "tma_backend_bound 88.8 %, tma_frontend_bound 4.3 %"},
    {"  TopdownL2  #  75.5 %  tma_memory_bound\n| tma_dram_bound | 66.5 % |\n", IMPORT_METRICS, "tma_dram_bound 66.5 %"},
    {"MSR_WRITE  1000  49.5%  8.1%  0.50us  40.21us  2.00us ( +- 1.2% )\nHLT 10 1% 90% 1us 1ms 500us ( +- 1% )\n",
     IMPORT_EXITS, "1010 exits for 2 reasons: MSR_WRITE 99.0 %"},
    {"@usecs:\n[64, 128)  20118 |@@@@@@|\n[128, 256)  4410 |@ |\n[2K, 4K)  12 | |\n", IMPORT_HISTOGRAM, "24540 values in 3 ranges, the middle one in [64, 128)"},
    {"     usecs               : count     distribution\n         4 -> 7          : 12      |*   |\n       256 -> 511        : 41203    |****|\n", IMPORT_HISTOGRAM, "the most in 256 -> 511"},
    {"@[ksys_read]: 20118\n@[do_sys_openat2]: 411\n", IMPORT_MAP, "20529 in all for 2 keys: ksys_read 98.0 %"},
    {"@[31337]: 20118\n@[4711]: 411\n", IMPORT_MAP, "20529 in all"}, /* processes, not reasons */
    {"@[48]: 20118\n@[1]: 411\n", IMPORT_EXITS, "reason 48 98.0 %"},
    {"@exits[npf]: 20118\n", IMPORT_EXITS, "npf 100.0 %"},
    {"8 workers, of which\n", IMPORT_UNKNOWN, "1 lines in no form"},
    {"nothing here\n", IMPORT_UNKNOWN, "1 lines in no form"},
    {"", IMPORT_UNKNOWN, "0 lines"},
};

Test(import_text, tells_tools_apart)
{
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena;
        arena_init(&arena);
        struct imported_text imported = import_text_read(view_of(cases[at].text), &arena);
        cr_assert_eq(imported.kind, cases[at].kind, "%s: %s", cases[at].text, imported.origin);
        cr_assert(strstr(imported.summary, cases[at].holds), "%s", imported.summary);
        arena_done(&arena);
    }
}

Test(import_text, survives_truncation_at_every_length)
{
    for (size_t at = 0; at < array_count(cases); at++)
        for (size_t length = 0; length <= strlen(cases[at].text); length++) {
            struct arena arena;
            arena_init(&arena);
            struct edge edge = edge_copy(cases[at].text, length);
            struct imported_text imported = import_text_read((struct view){(char *)edge.bytes, length}, &arena);
            cr_assert_not_null(imported.summary);
            edge_free(&edge);
            arena_done(&arena);
        }
}

Test(import_text, rows_keep_times_and_shares)
{
    struct arena arena;
    arena_init(&arena);
    struct imported_text exits = import_text_read(view_of("MSR_WRITE 1000 49.5% 8.1% 0.50us 40.21us 2.00us ( +- 1.2% )\n"), &arena);
    cr_assert_eq(exits.row_count, 1);
    cr_expect_float_eq(exits.rows[0].seconds, 0.002, 1e-9);
    struct imported_text stat = import_text_read(
        view_of(" 12.50 msec task-clock  #  0.9 CPUs utilized\n  1,000  cycles  # 2 GHz   (66.64%)\n 5 branch-misses\n"), &arena);
    cr_assert_eq(stat.row_count, 3);
    cr_expect_float_eq(stat.rows[0].number, 12.5e6, 1e-3);
    cr_expect_float_eq(stat.rows[1].running_ratio, 0.6664, 1e-9);
    cr_expect_str_eq(stat.rows[1].name, "cycles");
    cr_expect_float_eq(stat.rows[2].running_ratio, 1, 1e-9);
    arena_done(&arena);
}

static const char document[] =
    "Two tables and a remark.\n\nWhat the kernel was doing then:\n```\n# Samples: 1K of event 'cache-misses'\n99.73%  app  libx.so.2  [.] sgemm\n```\n"
    "```\ntma_dram_bound 66.5 %\ntma_mem_latency 4.3 %\n```\n\nAnd what it then counted:\n\n 1,000 cycles\n 5 branch-misses\n\n 0.25 seconds time elapsed\n";

Test(import_text, toplevs_tree_has_the_names_that_are_published)
{
    struct arena arena;
    arena_init(&arena);
    struct imported_text tree = import_text_read(
        view_of("BE             Backend_Bound                                          % Slots                       82.0   [ 3.0%]\n"
                "C0 BE/Mem      Backend_Bound.Memory_Bound.DRAM_Bound.MEM_Bandwidth    % Clocks                      58.3   <==\n"),
        &arena);
    cr_assert_eq(tree.kind, IMPORT_METRICS);
    cr_assert_eq(tree.row_count, 2);
    cr_expect_str_eq(tree.rows[0].name, "tma_backend_bound");
    cr_expect_float_eq(tree.rows[0].number, 82, 1e-9);
    cr_expect_str_eq(tree.rows[1].name, "tma_mem_bandwidth");
    cr_expect_float_eq(tree.rows[1].number, 58.3, 1e-9);
    arena_done(&arena);
}

Test(import_text, metrics_side_by_side_are_turned)
{
    static const char columns[] = " Performance counter stats for 'system wide':\n\n %  tma_frontend_bound       %  tma_backend_bound\n\n   7.1     71.9\n\n 1.0 seconds\n";
    struct arena arena;
    arena_init(&arena);
    struct imported_text tree = import_text_read(import_columns_turned(view_of(columns), &arena), &arena);
    cr_assert_eq(tree.kind, IMPORT_METRICS);
    cr_assert_eq(tree.row_count, 2);
    cr_expect_str_eq(tree.rows[1].name, "tma_backend_bound");
    cr_expect_float_eq(tree.rows[1].number, 71.9, 1e-9);
    struct view other = view_of("% tma_a % tma_b\n 1 2 3\n");
    cr_expect_eq(import_columns_turned(other, &arena).text, other.text, "as many numbers as names, or nothing");
    arena_done(&arena);
}

Test(import_text, the_time_of_several_runs_has_how_far_they_differ)
{
    struct arena arena;
    arena_init(&arena);
    struct imported_text stat;
    struct view rest = view_of(" 1,000 cycles:u ( +- 0.10% )\n 5 branch-misses:u ( +- 1% )\n\n 4.310 +- 0.012 seconds time elapsed ( +- 0.28% )\n");
    cr_assert(import_text_next(&rest, &arena, &stat));
    cr_assert_eq(stat.kind, IMPORT_STAT);
    cr_expect_float_eq(stat.elapsed_s, 4.31, 1e-9);
    arena_done(&arena);
}

Test(import_text, a_document_has_several_tables)
{
    struct arena arena;
    struct imported_text table;
    struct view rest = view_of(document);
    arena_init(&arena);
    cr_assert(import_text_next(&rest, &arena, &table));
    cr_expect_eq(table.kind, IMPORT_REPORT);
    cr_expect_str_eq(table.heading, "What the kernel was doing then");
    cr_expect_str_eq(table.event, "cache-misses");
    cr_expect_str_eq(table.rows[0].where, "libx.so.2");
    cr_assert(import_text_next(&rest, &arena, &table), "a gap and rows of another kind begin another table");
    cr_expect_eq(table.kind, IMPORT_METRICS);
    cr_expect_eq(table.row_count, 2);
    cr_assert(import_text_next(&rest, &arena, &table));
    cr_expect_eq(table.kind, IMPORT_STAT);
    cr_expect_float_eq(table.elapsed_s, 0.25, 1e-9);
    cr_expect_str_eq(table.heading, "And what it then counted");
    cr_expect_not(import_text_next(&rest, &arena, &table));
    arena_done(&arena);
}

Test(import_text, documents_survive_truncation_and_flipped_bits)
{
    for (size_t length = 0; length <= strlen(document); length++)
        for (int flip = 0; flip < 2; flip++) {
            struct arena arena;
            struct imported_text table;
            arena_init(&arena);
            struct edge edge = edge_copy(document, length);
            if (flip && length)
                ((unsigned char *)edge.bytes)[length / 2] ^= (unsigned char)(1u << length % 8);
            struct view rest = {(char *)edge.bytes, length};
            while (import_text_next(&rest, &arena, &table))
                cr_assert(table.summary && table.heading && table.event);
            edge_free(&edge);
            arena_done(&arena);
        }
}

Test(import_text, metrics_beside_counts_are_a_table_of_their_own)
{
    static const char text[] = "  1,000,000      cycles\n  2,000,000      instructions    #    2.00  insn per cycle\n"
                               "  3,000,000      branches\n         TopdownL1        #     12.3 %  tma_backend_bound\n"
                               "                          #     60.0 %  tma_retiring   (66.64%)\n  1.5 seconds time elapsed\n";
    struct arena arena;
    arena_init(&arena);
    struct view rest = view_of(text);
    struct imported_text table, beside;
    cr_assert(import_text_next(&rest, &arena, &table));
    cr_expect_eq(table.kind, IMPORT_STAT);
    cr_expect_eq(table.row_count, 3);
    cr_assert(import_text_beside(&table, &arena, &beside));
    cr_expect_eq(beside.kind, IMPORT_METRICS);
    cr_assert_eq(beside.row_count, 2);
    cr_expect_str_eq(beside.rows[1].name, "tma_retiring");
    cr_expect_float_eq(beside.rows[1].number, 60, 1e-9);
    cr_expect(!import_text_next(&rest, &arena, &table));
    struct imported_text alone = import_text_read(view_of("  1,000 cycles\n"), &arena);
    cr_expect(!import_text_beside(&alone, &arena, &beside));
    arena_done(&arena);
}

static const char listing[] = " Percent \xe2\x94\x82      Disassembly of section .text:\n         \xe2\x94\x82    0000000000401136 <scan_rows>:\n"
                              "    0.12 \xe2\x94\x82        push   %rbp\n   41.33 \xe2\x94\x82" "30:     mov    0x10(%rdi,%rax,8),%rdx\n"
                              "    7.01 \xe2\x94\x82  \xe2\x94\x82     add    %rdx,%rsi\n    0.40 \xe2\x94\x82      \xe2\x86\x91 jne    30\n";

Test(import_text, listings_with_bars)
{
    struct arena arena;
    arena_init(&arena);
    struct imported_text table = import_text_read(view_of(listing), &arena);
    cr_assert_eq(table.kind, IMPORT_ANNOTATE);
    cr_assert_eq(table.row_count, 4);
    cr_expect_str_eq(table.rows[1].name, "mov    0x10(%rdi,%rax,8),%rdx");
    cr_expect_float_eq(table.rows[1].number, 41.33, 1e-9);
    cr_expect_str_eq(table.rows[1].where, "scan_rows");
    cr_expect_str_eq(table.rows[2].name, "add    %rdx,%rsi", "what is drawn between bars is no code");
    cr_expect_str_eq(table.rows[3].name, "jne    30");
    arena_done(&arena);
}

Test(import_text, a_number_behind_a_name_is_a_time_where_that_shows)
{
    static const struct {
        const char *text;
        double seconds; /* 0: no runs */
    } cases_of[] = {{"THPeligible:    1\n", 0}, {"before: 0.164\n", 0.164}, {"with huge pages: 172 ms\n", 0.172}, {"old build: 4.5 minutes\n", 270}, {"new: 12 s\n", 12}};
    for (size_t at = 0; at < array_count(cases_of); at++) {
        struct arena arena;
        arena_init(&arena);
        struct imported_text table = import_text_read(view_of(cases_of[at].text), &arena);
        cr_expect_eq(table.kind, cases_of[at].seconds > 0 ? IMPORT_RUNS : IMPORT_UNKNOWN, "%s", cases_of[at].text);
        if (table.kind == IMPORT_RUNS)
            cr_expect_float_eq(table.rows[0].number, cases_of[at].seconds, 1e-9, "%s", cases_of[at].text);
        arena_done(&arena);
    }
}

static const char *const counted_forms[] = {
    "# started on Mon Nov  2\n\n8386784008,,cycles:u,2401000000,100.00,,\n583958024,,branch-misses:u,2401000000,100.00,,\n164.03,msec,task-clock:u,164030000,100.00,0.998,CPUs utilized\n",
    "8386784008;;cycles:u;2401000000;100.00;;\n583958024;;branch-misses:u;2401000000;100.00;;\n",
    "{\"counter-value\" : \"8386784008.000000\", \"unit\" : \"\", \"event\" : \"cycles:u\", \"event-runtime\" : 24, \"pcnt-running\" : 100.00}\n"
    "{\"counter-value\" : \"583958024\", \"unit\" : \"\", \"event\" : \"branch-misses:u\", \"event-runtime\" : 24, \"pcnt-running\" : 100.00}\n",
    "#  time  counts unit events\n     1.000893421      8,386,784,000      cycles:u \n     1.000893421        583,958,000      branch-misses:u \n"
    "     2.001893421      8      cycles:u \n     2.001893421        24      branch-misses:u \n",
    "S0-D0-C0   2   8,386,784,000  cycles:u\nS0-D0-C0   2   583,958,000  branch-misses:u\nS0-D0-C1   2   8  cycles:u\nS0-D0-C1   2   24  branch-misses:u\n\n  10.0 seconds time elapsed\n",
    "CPU0   8,386,784,000  cycles:u\nCPU0  583,958,000  branch-misses:u\nCPU1   8  cycles:u\nCPU1   24  branch-misses:u\n",
};

Test(import_text, counts_in_machine_forms_and_by_parts_are_added_up)
{
    for (size_t at = 0; at < array_count(counted_forms); at++) {
        struct arena arena;
        arena_init(&arena);
        struct imported_text table = import_text_read(import_counts_turned(view_of(counted_forms[at]), &arena), &arena);
        cr_assert_eq(table.kind, IMPORT_STAT, "%s", counted_forms[at]);
        cr_assert_geq(table.row_count, 2);
        cr_expect_str_eq(table.rows[0].name, "cycles:u");
        cr_expect_float_eq(table.rows[0].number, 8386784008, 0.1, "%s", counted_forms[at]);
        cr_expect_float_eq(table.rows[1].number, 583958024, 0.1);
        arena_done(&arena);
    }
}

/* A file of columns that aren't perf's is read once: line by line with all that follows, this takes minutes and all memory. */
Test(import_text, columns_of_others_are_read_once, .timeout = 30)
{
    enum { ROWS = 20000 };
    struct arena arena;
    scoped_text struct text text = {0};
    arena_init(&arena);
    text_add(&text, "station,temperature,humidity,pressure\n");
    for (int at = 0; at < ROWS; at++)
        text_printf(&text, "%d,%d.5,%d,1013\n", at, at % 30, at % 100);
    cr_expect_eq(import_counts_turned(text_view(&text), &arena).text, text.bytes);
    cr_expect_null(arena.newest, "nothing of it is kept");
    text_add(&text, "\nAnd what perf counted:\n\n8386784008,,cycles:u,2401000000,100.00,,\n");
    struct view turned = import_counts_turned(text_view(&text), &arena);
    cr_expect(view_find(turned, "8386784008 cycles:u (100.00%)") >= 0);
    arena_done(&arena);
}

Test(import_text, a_share_of_the_time_that_is_not_said_is_all_of_it)
{
    static const struct {
        const char *line;
        double running_ratio;
    } lines[] = {{" 1,000 cycles  (66.64%)\n", 0.6664}, {" 1,000 cycles\n", 1}, {" 1,000 cycles (+-0.04%)\n", 1}, {" 1,000 cycles (0.00%)\n", 0}, {" 1,000 cycles (50,25%)\n", 0.5025}};
    for (size_t at = 0; at < array_count(lines); at++) {
        struct arena arena;
        arena_init(&arena);
        struct imported_text table = import_text_read(view_of(lines[at].line), &arena);
        cr_assert_eq(table.row_count, 1);
        cr_expect_float_eq(table.rows[0].running_ratio, lines[at].running_ratio, 1e-9, "%s", lines[at].line);
        arena_done(&arena);
    }
}

Test(import_text, prose_and_plain_counts_stay_as_they_are)
{
    static const char *const texts[] = {"1,000 cycles\n", "We ran 3, 4, 5 and 6 threads, then none.\n", "LOC: 912 922 Local timer interrupts\n", "MSR_WRITE 1000 49.5% 8.1% 0.50us 40.21us 2.00us\n",
                                        "| 99.73% | python | libmkl | [.] sgemm |\n|---|---|---|---|\n"};
    for (size_t at = 0; at < array_count(texts); at++) {
        struct arena arena;
        arena_init(&arena);
        struct view text = view_of(texts[at]);
        cr_expect_eq(import_counts_turned(text, &arena).text, text.text, "%s", texts[at]);
        cr_expect_eq(import_markdown_turned(text, &arena).text, text.text, "%s", texts[at]);
        arena_done(&arena);
    }
}

/* Rows of perf mem report: the binary stands behind the symbol, the access before it. */
Test(import_text, binaries_of_memory_samples_stand_behind_the_symbol)
{
    struct arena arena;
    arena_init(&arena);
    struct imported_text table =
        import_text_read(view_of("    61.20%  18230  RAM hit  [.] probe      join     [.] 0x7f2a  [anon]  None\n"
                                 "    20.10%   8123  L3 miss  [.] insert     libtable.so  [.] 0x7f2b  [heap]  None\n"
                                 "    12.00%  join  libc.so.6  [.] memcpy\n"), &arena);
    cr_assert_eq(table.row_count, 3);
    cr_expect_str_eq(table.rows[0].name, "probe");
    cr_expect_str_eq(table.rows[0].where, "join");
    cr_expect_str_eq(table.rows[1].where, "libtable.so");
    cr_expect_str_eq(table.rows[2].name, "memcpy");
    cr_expect_str_eq(table.rows[2].where, "libc.so.6");
    arena_done(&arena);
}

Test(import_text, one_word_and_a_colon_head_a_block_of_their_own)
{
    struct view line = view_of("TDX:"), counts = view_of("cycles:");
    cr_expect(import_text_is_prose(line, true, view_of("\n 10 cycles\n")));
    cr_expect_not(import_text_is_prose(counts, true, view_of("10\n")), "a row");
    cr_expect_not(import_text_is_prose(counts, false, view_of("\n")), "the last row of a table");
}

static const char run_a_row[] = "| kernel | cycles | core_power.lvl2_turbo_license | time |\n|---|---:|---:|---:|\n| **JIT** | 8,386 | 583 | 172 ms |\n| JIT, narrow | 8,014 | 0 | 161 ms |\n";
static const char run_a_column[] = "| exit reason | plain | TDX |\n|---|---|---|\n| HLT | 120 | 7 |\n| MSR_WRITE | 8,800 | 9 |\n";

Test(import_text, markdown_tables_with_a_run_a_row_or_a_column)
{
    struct arena arena;
    struct imported_text table;
    arena_init(&arena);
    struct view rest = import_markdown_turned(view_of(run_a_row), &arena);
    cr_assert(import_text_next(&rest, &arena, &table));
    cr_expect_eq(table.kind, IMPORT_STAT);
    cr_expect_str_eq(table.heading, "These numbers are of JIT");
    cr_assert_eq(table.row_count, 2);
    cr_expect_float_eq(table.rows[1].number, 583, 1e-9);
    cr_expect_float_eq(table.elapsed_s, 0.172, 1e-9);
    cr_assert(import_text_next(&rest, &arena, &table));
    cr_expect_str_eq(table.heading, "These numbers are of JIT, narrow");
    cr_assert(import_text_next(&rest, &arena, &table));
    cr_expect_eq(table.kind, IMPORT_RUNS);
    cr_assert_eq(table.row_count, 2);
    cr_expect_str_eq(table.rows[1].name, "JIT, narrow");
    rest = import_markdown_turned(view_of(run_a_column), &arena);
    for (size_t at = 0; at < 2; at++) {
        cr_assert(import_text_next(&rest, &arena, &table));
        cr_expect_eq(table.kind, IMPORT_EXITS);
        cr_assert_eq(table.row_count, 2);
        cr_expect_float_eq(table.rows[1].number, at ? 9 : 8800, 1e-9);
    }
    cr_expect_str_eq(table.rows[0].name, "HLT");
    arena_done(&arena);
}

Test(import_text, markdown_tables_have_any_number_of_columns)
{
    enum { COLUMNS = 300 };
    struct arena arena;
    struct text table = {0};
    arena_init(&arena);
    text_add(&table, "| run |");
    for (int at = 0; at < COLUMNS; at++)
        text_printf(&table, " note%d |", at);
    text_add(&table, " cycles |\n|---|");
    for (int at = 0; at <= COLUMNS; at++)
        text_add(&table, "---|");
    text_add(&table, "\n| wide |");
    for (int at = 0; at < COLUMNS; at++)
        text_add(&table, " x |");
    text_add(&table, " 9,386,784,008 |\n");
    struct view turned = import_markdown_turned(text_view(&table), &arena);
    cr_expect(view_find(turned, "9386784008 cycles") >= 0);
    text_done(&table);
    arena_done(&arena);
}

Test(import_text, rows_that_were_not_read_are_told)
{
    scoped_text struct text out = {0};
    cr_expect_eq(import_text_unread(view_of("1,000 cycles\nLOC:   912   922   Local timer interrupts\nWords  of 3 people.\n# 1  2\n"), IMPORT_STAT, &out), 2);
    cr_expect(strstr(text_string(&out), "LOC:"));
    text_clear(&out);
    cr_expect_eq(import_text_unread(view_of(" 1,000 cycles # 2 GHz\n  0.25 seconds time elapsed\n"), IMPORT_STAT, &out), 0);
}

Test(import_text, turned_forms_survive_truncation_and_flipped_bits)
{
    const char *texts[array_count(counted_forms) + 3];
    memcpy(texts, counted_forms, sizeof(counted_forms));
    texts[array_count(counted_forms)] = run_a_row;
    texts[array_count(counted_forms) + 1] = run_a_column;
    texts[array_count(counted_forms) + 2] = listing;
    for (size_t at = 0; at < array_count(texts); at++)
        for (size_t length = 0; length <= strlen(texts[at]); length++)
            for (int flip = 0; flip < 2; flip++) {
                struct arena arena;
                struct imported_text table;
                scoped_text struct text unread = {0};
                arena_init(&arena);
                struct edge edge = edge_copy(texts[at], length);
                if (flip && length)
                    ((unsigned char *)edge.bytes)[length / 2] ^= (unsigned char)(1u << length % 8);
                struct view rest = {(char *)edge.bytes, length};
                rest = import_counts_turned(import_markdown_turned(rest, &arena), &arena);
                while (import_text_next(&rest, &arena, &table))
                    import_text_unread(table.segment, table.kind, &unread);
                edge_free(&edge);
                arena_done(&arena);
            }
}

/* Of the first table that has it, or of one alone. */
static double fact_in(const struct import_facts *facts, size_t first, size_t behind, const char *name)
{
    for (size_t table = first; table < behind && table < facts->count; table++)
        for (size_t at = 0; at < facts->tables[table].row_count; at++)
            if (strcmp(facts->tables[table].rows[at].name, name) == 0)
                return facts->tables[table].rows[at].number;
    return -1;
}

Test(import_text, tools_that_look_at_the_whole_system)
{
    static const struct {
        const char *text, *fact;
        double percent; /* -1: it isn't said */
    } printed[] = {
        {"10:11:01 AM  CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n10:11:02 AM  all  52.10  0.00  2.10  0.00  0.00  0.20  41.30  0.00  0.00  4.30\n"
         "10:11:02 AM  0  51.00  0.00  2.00  0.00  0.00  0.00  90.00  0.00  0.00  4.00\nAverage:  all  52.55  0.00  2.05  0.00  0.00  0.20  41.05  0.00  0.00  4.15\n",
         "%steal", 41.05},
        {"10:11:01     CPU     %user     %nice   %system   %iowait    %steal     %idle\n10:11:02     all     10,00      0,00      5,00     30,00      2,00     53,00\n"
         "10:11:03     all     10,00      0,00      5,00     40,00      4,00     41,00\n",
         "%steal", 3},
        {" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  3 4194300 112004 1200 90112 21 18 21100 18300 5100 9120 11 9 12 2 0\n"
         " 0  4 4210100 110220 1180 90004 22120 17900 22200 18000 5200 9300 10  8 13 60  0\n 1  3 4200500 111520 1190 90090 20900 18100 21010 18200 5150 9210 12  9 11 70  0\n",
         "%iowait while it swapped", 65},
        {" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  3 0 112004 1200 90112 0 0 21100 18300 5100 9120 11 9 12 68 0\n", "%iowait while it swapped", 0},
        {"nr_periods 1000\nnr_throttled 200\nthen\nnr_periods 1600\nnr_throttled 350\n", "nr_throttled / nr_periods", 25},
        {"| field | before | after |\n|---|---|---|\n| nr_periods | 1000 | 1600 |\n| nr_throttled | 200 | 350 |\n", "nr_throttled / nr_periods", 25},
        {"nr_periods 0\nnr_throttled 0\n", "nr_throttled / nr_periods", -1},
        {"nr_periods 600\nnr_throttled 300\nthrottled_usec 300000\n", "nr_throttled / nr_periods", 50},
        {"nr_periods 600\nnr_throttled 300\nthrottled_usec 300000\n", "throttled_usec", 300000},
        {"nr_periods 600\nnr_throttled 300\nthrottled_time 300000000\n", "throttled_usec", 300000},
        {"cpu.max: 150000 100000\nnr_periods 600\nnr_throttled 300\n", "quota, us", 150000},
        {"$ cat cpu.max\nmax 100000\n", "quota, us", -1},
        {"$ cat cpu.cfs_quota_us\n50000\n", "quota, us", 50000},
        {"150000 100000\n", "quota, us", -1}, /* of anything */
        {"nr_periods 600\nnr_throttled 581\nthrottled_usec 181000000\n", "nr_throttled / nr_periods", 581 / 6.}, /* threads of several CPUs add up */
        {"Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIRQ\n-\t-\t1797\t99.81\t1800\t2400\t410201\n0\t0\t1799\t99.90\t2000\t2400\t10201\n", "1 - Bzy_MHz / TSC_MHz", 25},
        {"Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIRQ\n-\t-\t3797\t99.81\t3800\t2400\t410201\n", "1 - Bzy_MHz / TSC_MHz", -1},
        {" 9.495 seconds time elapsed\n\n 3.0 seconds user\n 6.0 seconds sys\n", "sys / (user + sys)", 100 * 6.0 / 9},
        {"\tUser time (seconds): 41.0\n\tSystem time (seconds): 19.0\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 2:00.00\n", "1 - (user + sys) / elapsed", 50},
        {"  Load Operations                   :      69679\n  Load Local HITM                   :      14071\n  Load Remote HITM                  :       8331\n", "HITM / loads", 100 * 22402.0 / 69679},
        {"%Cpu(s): 11.0 us,  9.0 sy,  0.0 ni, 12.0 id, 60.0 wa,  0.0 hi,  0.2 si,  8.0 st\n", "%steal", 8},
        {"                  Node 0          Node 1           Total\nPrivate  1.20  40871.22  40872.42\nTotal    400.0    1600.0    2000.0\n", "memory on its fullest node / all", 80},
        {"                  Node 0          Node 1           Total\nTotal    400.0    1600.0    1000.0\n", "memory on its fullest node / all", -1},
        {"Total    400.0    1600.0    2000.0\n", "memory on its fullest node / all", -1}, /* of a table of anything */
        {"Core CPU Avg_MHz Busy% Bzy_MHz TSC_MHz IRQ\n- - 1797 99.81 1800 2400 410201\n\n[ 12.5] mce: CPU3: Core temperature above threshold, cpu clock throttled (total events = 1)\n",
         "1 - Bzy_MHz / TSC_MHz, throttled by heat,", 25},
        {"Core CPU Avg_MHz Busy% Bzy_MHz TSC_MHz IRQ\n- - 1797 99.81 1800 2400 410201\n\nWe looked whether the cpu clock throttled: it wasn't.\n", "1 - Bzy_MHz / TSC_MHz", 25},
        {" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  3 0 112004 1200 90112 21 18 21100 18300 5100 9120 11 9 12 2 0\n"
         " 0  4 0 110220 1180 90004 22100 17900 22200 18000 5200 9300 10  8 13 60  0\n\n"
         "CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\nall  52.10  0.00  2.10  30.00  0.00  0.20  41.30  0.00  0.00  4.30\n",
         "%iowait", -1}, /* that was for swapping */
        {" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  3 0 112004 1200 90112 21 18 21100 18300 5100 9120 11 9 12 2 0\n"
         " 0  4 0 110220 1180 90004 2 1 22200 18000 5200 9300 10  8 13 60  0\n", "%iowait", 60}, /* that hardly */
        {" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  3 0 112004 1200 90112 21 18 21100 18300 5100 9120 11 9 12 2 0\n"
         " 0  4 0 110220 1180 90004 2 1 22200 18000 5200 9300 10  8 13 60  0\n", "%iowait while it swapped", -1},
        {"|-- NODE 0 Memory (MB/s):  9000.0 --||-- NODE 1 Memory (MB/s):       1000.0 --|\n", "traffic of the busiest node / all", 90},
        {" contended   total wait     max wait     avg wait         type   caller\n 48213     60.00 s      42.11 ms      1.48 ms     spinlock   f+0x1\n 2105  20.00 s  88.00 ms  6.37 ms  rwsem:W   g+0x92\n",
         "waits for spinning locks / for locks", 75},
        {"user 1.0 and sys 2.0 %idle %sys of it\n", "%sys", -1},
    };
    for (size_t at = 0; at < array_count(printed); at++) {
        struct arena arena;
        struct import_facts facts;
        arena_init(&arena);
        struct view turned = import_system_turned(view_of(printed[at].text), &arena, &facts);
        cr_expect_float_eq(fact_in(&facts, 0, SIZE_MAX, printed[at].fact), printed[at].percent, 1e-9, "%zu %s: %g", at, printed[at].fact, fact_in(&facts, 0, SIZE_MAX, printed[at].fact));
        cr_expect(turned.text == printed[at].text || facts.count || printed[at].percent < 0, "%zu", at);
        for (size_t length = 0; length < strlen(printed[at].text); length++)
            (void)import_system_turned((struct view){printed[at].text, length}, &arena, &facts);
        arena_done(&arena);
    }
}

#define MPSTAT "10:11:01  CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n"
#define MPSTAT_AVERAGE "Average:  CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n"
#define VMSTAT " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"

/* As before and after a change: they aren't mixed. */
Test(import_text, each_table_of_a_system_has_its_facts_and_heading)
{
    static const struct {
        const char *text, *fact;
        double first, second; /* -1: there is none */
        const char *heading;  /* of the second; NULL: whatever */
    } tables[] = {
        {"Before the change, under load:\n\n" MPSTAT "10:11:02  all  52.10  0.00  2.10  0.00  0.00  0.20  41.00  0.00  0.00  4.60\nAverage:  all  52.10  0.00  2.10  0.00  0.00  0.20  40.00  0.00  0.00  5.60\n\n"
         "And after it, under load:\n\n" MPSTAT "10:21:02  all  92.10  0.00  2.10  0.00  0.00  0.20  1.00  0.00  0.00  4.60\nAverage:  all  92.10  0.00  2.10  0.00  0.00  0.20  2.00  0.00  0.00  3.60\n",
         "%steal", 40, 2, "And after it, under load"},
        {MPSTAT "10:11:02  all  52.10  0.00  2.10  0.00  0.00  0.20  41.00  0.00  0.00  4.60\n## After\n" MPSTAT "10:21:02  all  92.10  0.00  2.10  0.00  0.00  0.20  1.00  0.00  0.00  4.60\n", "%steal", 41, 1, "After"},
        /* Intervals of one run, each CPU's row, and the average under its own heading. */
        {MPSTAT "10:11:02  all  52.10  0.00  2.10  0.00  0.00  0.20  41.00  0.00  0.00  4.60\n10:11:02  0  1.00  0.00  2.10  0.00  0.00  0.20  90.00  0.00  0.00  4.60\n\n" MPSTAT
         "10:11:03  all  52.10  0.00  2.10  0.00  0.00  0.20  21.00  0.00  0.00  4.60\n\n" MPSTAT_AVERAGE "Average:  all  52.10  0.00  2.10  0.00  0.00  0.20  31.50  0.00  0.00  4.60\nAverage:  0  52.10  0.00  2.10  0.00  0.00  0.20  9.00  0.00  0.00  4.60\n\n" MPSTAT
         "10:21:02  all  92.10  0.00  2.10  0.00  0.00  0.20  1.00  0.00  0.00  4.60\n",
         "%steal", 31.5, 1, ""},
        {VMSTAT " 1  3 0 112 1200 90112 0 0 21 18 51 91 11 9 12 2 7\n 1  3 0 112 1200 90112 0 0 21 18 51 91 11 9 12 2 40\n\nAnd an hour later there was:\n\n" VMSTAT
         " 1  3 0 112 1200 90112 0 0 21 18 51 91 11 9 12 2 7\n 1  3 0 112 1200 90112 0 0 21 18 51 91 11 9 12 2 4\n",
         "%steal", 40, 4, "And an hour later there was"},
        {MPSTAT "10:11:02  all  52.10  0.00  2.10  0.00  0.00  0.20  41.00  0.00  0.00  4.60\n\n" VMSTAT " 1  3 0 112 1200 90112 0 0 21 18 51 91 11 9 12 2 7\n 1  3 0 112 1200 90112 0 0 21 18 51 91 11 9 12 2 40\n", "%steal", 41, 40, ""},
        {"%Cpu(s): 11.0 us,  9.0 sy,  0.0 ni, 12.0 id, 60.0 wa,  0.0 hi,  0.2 si,  8.0 st\n%Cpu(s): 11.0 us,  9.0 sy,  0.0 ni, 12.0 id, 60.0 wa,  0.0 hi,  0.2 si,  6.0 st\n\nThen, on the other host:\n"
         "%Cpu(s): 11.0 us,  9.0 sy,  0.0 ni, 12.0 id, 60.0 wa,  0.0 hi,  0.2 si,  1.0 st\n", "%steal", 7, 1, "Then, on the other host"},
        {"Node 0  Node 1  Total\nTotal 1.0 9.0 10.0\n\nNode 0  Node 1  Total\nTotal 4.0 6.0 10.0\n", "memory on its fullest node / all", 90, 60, ""},
    };
    for (size_t at = 0; at < array_count(tables); at++) {
        struct arena arena;
        struct import_facts facts;
        arena_init(&arena);
        (void)import_system_turned(view_of(tables[at].text), &arena, &facts);
        cr_assert_eq(facts.count, 2, "%zu: %zu", at, facts.count);
        cr_expect_float_eq(fact_in(&facts, 0, 1, tables[at].fact), tables[at].first, 1e-9, "%zu: %g", at, fact_in(&facts, 0, 1, tables[at].fact));
        cr_expect_float_eq(fact_in(&facts, 1, 2, tables[at].fact), tables[at].second, 1e-9, "%zu: %g", at, fact_in(&facts, 1, 2, tables[at].fact));
        cr_expect_str_eq(facts.tables[1].heading, tables[at].heading);
        arena_done(&arena);
    }
}

/* What they print between one look and the next is no heading of people's. */
Test(import_text, looks_of_one_run_of_a_tool_are_one_table)
{
    static const char head[] = "top - 13:00:01 up 4 days,  4:41,  0 user,  load average: 11.65, 10.17, 9.96\nTasks: 300 total,   1 running, 299 sleeping,   0 stopped,   0 zombie\n";
    static const char tail[] = "MiB Mem :  32000.0 total,   1200.0 free,   9000.0 used,  21800.0 buff/cache\nMiB Swap:      0.0 total,      0.0 free,      0.0 used.  22000.0 avail Mem\n\n"
                               "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n   4711 root      20   0 1200000  90000  12000 R  99.0   0.3   1:02.03 batch\n\n";
    static const char traffic[] = "|-- NODE 0 Memory (MB/s):  9000.0 --||-- NODE 1 Memory (MB/s):       1000.0 --|\n\nTime elapsed: 1005 ms\nCalled sleep function for 1000 ms\n\n";
    struct arena arena;
    struct import_facts facts;
    arena_init(&arena);
    const char *top = arena_printf(&arena, "%s%%Cpu(s): 11.0 us,  9.0 sy,  0.0 ni, 12.0 id, 60.0 wa,  0.0 hi,  0.2 si,  8.0 st\n%s%s%%Cpu(s): 11.0 us,  9.0 sy,  0.0 ni, 12.0 id, 60.0 wa,  0.0 hi,  0.2 si,  2.0 st\n%s",
                                   head, tail, head, tail);
    (void)import_system_turned(view_of(top), &arena, &facts);
    cr_assert_eq(facts.count, 1, "%zu", facts.count);
    cr_expect_float_eq(fact_in(&facts, 0, 1, "%steal"), 5, 1e-9);
    (void)import_system_turned(view_of(arena_printf(&arena, "%s%s", traffic, traffic)), &arena, &facts);
    cr_assert_eq(facts.count, 2, "%zu", facts.count); /* what goes to memory, and which node has it */
    cr_expect_float_eq(fact_in(&facts, 1, 2, "traffic of the busiest node / all"), 90, 1e-9);
    arena_done(&arena);
}

Test(import_text, perfspects_metrics_have_the_names_that_are_published)
{
    struct arena arena;
    arena_init(&arena);
    struct view turned = import_perfspect_turned(view_of("metric,mean,min\nTMA_....DRAM_Bound(%),52.9,50.8\nmetric_TMA_Retiring(%),20.4,19\nCPI,2.4,2\n"), &arena);
    cr_expect(view_find(turned, "52.9 % tma_dram_bound\n20.4 % tma_retiring\nCPI") > 0);
    arena_done(&arena);
}

Test(import_text, thousands_apart_by_blanks_and_metrics_of_a_sentence)
{
    struct arena arena;
    arena_init(&arena);
    struct view turned = import_markdown_turned(view_of("| run | cycles | instructions |\n|---|--:|--:|\n| one | 12 004 338 112 | 1 2 |\n"), &arena);
    cr_expect(view_find(turned, "12004338112 cycles") >= 0 && view_find(turned, "instructions\n") < 0);
    turned = import_columns_turned(view_of("It has tma_mem_bandwidth 72.6%, tma_dram_bound is 66.5 %. Less by 3 %.\n"), &arena);
    cr_expect(view_find(turned, "72.6 % tma_mem_bandwidth\n66.5 % tma_dram_bound\n") == 0);
    turned = import_columns_turned(view_of("tma_mem_bandwidth and tma_dram_bound are 66.5 %.\n"), &arena);
    cr_expect(view_find(turned, "tma_mem_bandwidth and") == 0, "whose share it is isn't clear");
    arena_done(&arena);
}

Test(import_text, counts_in_other_languages_lists_and_stacks)
{
    static const char german[] = " 3,50 msec task-clock\n 44.120.903.881 cycles\n 1.234 page-faults\n\n 1,234 seconds time elapsed\n";
    static const char french[] = "    44 120 903 881      cycles:u\n     1\xe2\x80\xaf" "637\xe2\x80\xaf" "900      branch-misses\n 1 200 300 4   x\n 1 200 words\n";
    struct arena arena;
    arena_init(&arena);
    struct view turned = import_thousands_turned(view_of(french), &arena);
    cr_expect(view_find(turned, "44120903881      cycles:u\n1637900      branch-misses\n 1 200 300 4   x\n 1 200 words\n") == 0, "%.*s", (int)turned.length, turned.text);
    for (size_t length = 0; length < sizeof(french) - 1; length++)
        (void)import_thousands_turned((struct view){french, length}, &arena);
    struct imported_text table;
    struct view rest = view_of(german);
    cr_assert(import_text_next(&rest, &arena, &table) && table.row_count == 3);
    cr_expect_float_eq(table.rows[0].number, 3.5e6, 1e-3);
    cr_expect_float_eq(table.rows[1].number, 44120903881, 0.1);
    cr_expect_float_eq(table.rows[2].number, 1234, 1e-9, "counts have no fraction");
    cr_expect_float_eq(table.elapsed_s, 1.234, 1e-9, "and seconds no thousands apart");
    cr_expect_eq(import_text_read(view_of("1. nohz_full\n2. THP=always\n"), &arena).kind, IMPORT_UNKNOWN, "items of a list are no counts");
    cr_expect_eq(import_text_read(view_of("    do_futex\n        88102931\n    io_schedule\n        110223\n"), &arena).kind, IMPORT_UNKNOWN, "counts of stacks are no seconds");
    cr_expect_eq(import_text_read(view_of("12\n13\n"), &arena).kind, IMPORT_RUNS);
    arena_done(&arena);
}

Test(import_text, vtunes_metrics_and_hot_functions_are_turned)
{
    static const char summary[] = "Elapsed Time: 61.204s\n    Back-End Bound: 90.5% of Pipeline Slots\n     | A remark.\n        DRAM Bound: 71.8% of Clockticks\n"
                                  "            Memory Bandwidth: 67.9% of Clockticks\n    Average CPU Frequency: 2.9 GHz\n    Wrong: 790.5% of Clockticks\n";
    static const char hot[] = "Function            Module          CPU Time  % of CPU Time(%)\n------------------  --------------  --------  ----------------\n"
                              "jit_ker             [Dynamic code]  2871.1s              88.2%\nstd::map<int, int>  libx.so         98.0s                 3.0%\n\nAnd so on.\n";
    struct arena arena;
    arena_init(&arena);
    struct imported_text tree = import_text_read(import_vtune_turned(view_of(summary), &arena), &arena);
    cr_assert_eq(tree.kind, IMPORT_METRICS);
    cr_assert_eq(tree.row_count, 3);
    cr_expect_str_eq(tree.rows[0].name, "tma_backend_bound");
    cr_expect_str_eq(tree.rows[1].name, "tma_dram_bound");
    cr_expect_str_eq(tree.rows[2].name, "tma_mem_bandwidth");
    cr_expect_float_eq(tree.rows[2].number, 67.9, 1e-9);
    struct imported_text report = import_text_read(import_vtune_turned(view_of(hot), &arena), &arena);
    cr_assert_eq(report.kind, IMPORT_REPORT);
    cr_assert_eq(report.row_count, 2);
    cr_expect_str_eq(report.rows[0].name, "jit_ker");
    cr_expect_str_eq(report.rows[0].where, "[Dynamic_code]");
    cr_expect_str_eq(report.rows[1].name, "std::map<int, int>");
    struct view other = view_of("Memory Bandwidth: 77.9% of what there is\n");
    cr_expect_eq(import_vtune_turned(other, &arena).text, other.text);
    arena_done(&arena);
}

Test(import_text, folded_stacks_are_taken_out)
{
    struct arena arena;
    struct import_stacks stacks;
    arena_init(&arena);
    struct view rest = import_stacks_turned(view_of("Off the CPU:\nmain;work;futex_wait;schedule 4711\n1,000 cycles\n    main;operator new(unsigned long) 12\nfor (;; at++) { 3\na; b 12\n8386784008;;cycles:u;2401000000;100.00;;\n"), &arena, &stacks);
    cr_assert_eq(stacks.count, 2);
    cr_expect(view_equal(stacks.items[0].frames, "main;work;futex_wait;schedule") && stacks.items[0].count == 4711);
    cr_expect(view_equal(stacks.items[1].frames, "main;operator new(unsigned long)"));
    cr_expect(view_starts(rest, "Off the CPU:\n1,000 cycles\n"));
    struct view none = view_of("no stack\n");
    cr_expect_eq(import_stacks_turned(none, &arena, &stacks).text, none.text);
    arena_done(&arena);
}

Test(import_text, stacks_with_a_frame_a_line_are_taken_out)
{
    struct arena arena;
    struct import_stacks stacks;
    arena_init(&arena);
    struct view rest = import_stacks_turned(view_of("Tracing off-CPU time (us)\n\n    finish_task_switch.isra.0\n    do_futex\n    --\n    [unknown]\n    main\n    -                svc (4711)\n        48211\n\n"
                                                    "@[\n    schedule+0x12\n    fsync+10\n    operator new(unsigned long)+5\n, svc]: 12\n@us[\n    schedule\n]: x\n    1,000 cycles\n    5 branch-misses\n"),
                                            &arena, &stacks);
    cr_assert_eq(stacks.count, 2);
    cr_expect(view_equal(stacks.items[0].frames, "main;[unknown];do_futex;finish_task_switch.isra.0") && stacks.items[0].count == 48211);
    cr_expect(view_equal(stacks.items[1].frames, "operator new(unsigned long);fsync;schedule") && stacks.items[1].count == 12);
    cr_expect(view_find(rest, "]: x\n    1,000 cycles\n") > 0);
    arena_done(&arena);
}

static double share_of_fact(const char *text, const char *name)
{
    struct arena arena;
    struct import_facts facts;
    arena_init(&arena);
    import_system_turned(view_of(text), &arena, &facts);
    double number = fact_in(&facts, 0, SIZE_MAX, name);
    arena_done(&arena);
    return number;
}

Test(import_text, page_sizes_nodes_and_delays_are_shares)
{
    static const char pages[] = "anonymous memory on small pages / all of it", delay[] = "ready without a CPU / ready or running", nodes[] = "pages given to other nodes / all";
    cr_expect_float_eq(share_of_fact("Anonymous:  1000 kB\nAnonHugePages:  250 kB\nAnonymous:  1000 kB\nAnonHugePages:  250 kB\n", pages), 75, 1e-9);
    cr_expect_float_eq(share_of_fact("AnonHugePages:         0 kB\n", pages), 100, 1e-9, "none of whatever there is");
    cr_expect_lt(share_of_fact("AnonHugePages:      2048 kB\n", pages), 0, "of how much isn't told");
    cr_expect_lt(share_of_fact("AnonHugePages:  0 kB\nHugePages_Total:  9000\nHugePages_Free:  12\n", pages), 0, "hugetlbfs is in use, by whom isn't told");
    cr_expect_float_eq(share_of_fact("AnonHugePages:  0 kB\nHugePages_Total:  9000\nHugePages_Free:  9000\n", pages), 100, 1e-9);
    cr_expect_float_eq(share_of_fact("local_node    75   0\nother_node    10   15\n", nodes), 25, 1e-9);
    cr_expect_float_eq(share_of_fact("  batchd:(8)   |  600.000 ms |   1000 | avg:   0.400 ms | max:  31.2 ms |\n  idler:7   |  1.000 ms |   9 | avg:  50.000 ms | max:  9 ms |\n  TOTAL:  |  601.000 ms |  1009 |\n", delay), 40, 1e-9);
    cr_expect_float_eq(share_of_fact("   79371.874569 [0011]  gcc[31949]      0.014      1.000      3.000\n   79371.874591 [0010]  <idle>      9.0   0.000   9.0\n   79371.874610 [0009]  gcc[31949]   0.0   1.0   3.0\n", delay), 25, 1e-9);
}
