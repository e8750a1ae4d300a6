/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "source/import_columns.h"
#include "source/import_text.h"

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
    {"NNC: 0.164 s\nATen: 0.161 s\nSpeedup (ATen/NNC): 0.97\n", IMPORT_RUNS, "2 runs, 0.161 to 0.164 s"},
    {"real\t0m1.250s\nuser\t0m1.1s\n", IMPORT_RUNS, "1 runs, 1.25 to 1.25 s"},
    {"33.94% mov     0x58(%rax),%rax\n42%  auto w = 3;\n", IMPORT_ANNOTATE, "auto w = 3; 42.0 %"},
    {"| 99.73%   | python  | libmkl_avx512.so.2    | [.] sgemm_t_n23_b0 |\n", IMPORT_REPORT, "sgemm_t_n23_b0 99.7 %"},
    {"| TopdownL1 | 88.8% | tma_backend_bound |\n|    | 4.3% | tma_frontend_bound |\n", IMPORT_METRICS,
     "tma_backend_bound 88.8 %, tma_frontend_bound 4.3 %"},
    {"  TopdownL2  #  75.5 %  tma_memory_bound\n| tma_dram_bound | 66.5 % |\n", IMPORT_METRICS, "tma_dram_bound 66.5 %"},
    {"MSR_WRITE  1000  49.5%  8.1%  0.50us  40.21us  2.00us ( +- 1.2% )\nHLT 10 1% 90% 1us 1ms 500us ( +- 1% )\n",
     IMPORT_EXITS, "1010 exits for 2 reasons: MSR_WRITE 99.0 %"},
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
