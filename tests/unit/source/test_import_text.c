/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
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
