/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of other tools, imported into a case. */
#include "analyse/profile/folded_profile.h"
#include "analyse/told/told.h"
#include "analyse/told/told_share.h"
#include "source/import/tools/import_c2c.h"
#include "source/import/tools/import_cachegrind.h"
#include "source/import/tools/import_chains.h"
#include "source/import/tools/import_children.h"
#include "source/import/tools/import_columns.h"
#include "source/import/tools/import_counts.h"
#include "source/import/import_csv.h"
#include "source/import/tools/import_dumps.h"
#include "source/import/tools/import_hyperfine.h"
#include "source/import/import_labelled.h"
#include "source/import/import_labels.h"
#include "source/import/tools/import_likwid.h"
#include "source/import/import_markdown.h"
#include "source/import/tools/import_perfspect.h"
#include "source/import/import_pieces.h"
#include "source/import/tools/import_pprof.h"
#include "source/import/import_prose.h"
#include "source/import/import_run_list.h"
#include "source/import/tools/import_stacks.h"
#include "source/import/import_tabs.h"
#include "source/import/import_text.h"
#include "source/import/import_timed.h"
#include "source/import/tools/import_thousands.h"
#include "source/import/tools/import_uprof.h"
#include "source/import/tools/import_vtune.h"
#include "source/import/system/counting_period.h"
#include "source/import/system/import_system.h"

#include <math.h>
#include <stdlib.h>

static void waits_check(const struct import_stacks *stacks, struct arena *arena)
{
    struct folded_stack *items = arena_array(arena, struct folded_stack, stacks->count + 1);
    struct folded_profile profile;
    struct folded_share shares[FOLDED_SHARES];
    for (size_t at = 0; at < stacks->count; at++)
        items[at] = (struct folded_stack){stacks->items[at].frames, (double)stacks->items[at].count};
    folded_profile_of(items, stacks->count, false, &profile, arena);
    for (size_t at = folded_shares_of(&profile, shares); at-- > 0;)
        if (!(shares[at].share >= 0 && shares[at].share <= 1 + 1e-9))
            abort();
}

static void dumps_check(struct view text, struct arena *arena)
{
    struct import_dumps dumps;
    struct import_row rows[DUMP_ROWS_MOST];
    (void)import_dumps_turned(text, arena, &dumps);
    for (size_t at = import_dumps_rows(&dumps, arena, rows); at-- > 0;)
        if (!(rows[at].number >= 0 && rows[at].number <= 100))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct arena arena;
    arena_init(&arena);
    struct view text = {.text = (const char *)bytes, .length = size_bytes};
    struct imported_text imported = import_text_read(text, &arena);
    if (!imported.summary)
        abort();
    for (size_t at = 0; at < imported.row_count; at++)
        if (!isfinite(imported.rows[at].number) || !isfinite(imported.rows[at].seconds))
            abort();
    dumps_check(text, &arena);
    struct exits_period period = exits_period_read(text, text);
    if (!(period.seconds >= 0 && period.cpus >= 0 && isfinite(period.seconds) && isfinite(period.cpus)))
        abort();
    struct waits_period waits = waits_period_read(text);
    if (!(isfinite(waits.seconds) && isfinite(waits.threads)))
        abort();
    for (struct view parts = text, part; exits_part_cut(&parts, &part);)
        if (!part.length)
            abort();
    struct piece piece;
    const char *end = text.text;
    for (struct view left = text; import_piece_next(&left, text, &piece); end = piece.text.text + piece.text.length)
        if (!piece.text.length || piece.text.text < end ||
            piece.text.text + piece.text.length > text.text + text.length)
            abort();
    struct import_facts facts;
    struct import_stacks stacks;
    struct view prose, sentence, trials, rest = import_labelled_turned(text, &arena, &trials);
    (void)import_labels_sentences(text, &arena);
    rest = import_pprof_turned(import_c2c_turned(import_cachegrind_turned(rest, &arena), &arena), &arena);
    rest = import_children_turned(import_chains_turned(import_timed_turned(rest, &arena), &arena), &arena);
    rest = import_hyperfine_turned(rest, &arena, &prose);
    rest = import_uprof_turned(import_likwid_turned(rest, &arena), &arena);
    rest = import_stacks_turned(import_thousands_turned(rest, &arena), &arena, &stacks);
    waits_check(&stacks, &arena);
    rest = import_system_turned(import_vtune_turned(rest, &arena), &arena, &facts);
    for (size_t at = 0; at < facts.count; at++)
        for (size_t row = 0; row < facts.tables[at].row_count; row++)
            if (!(facts.tables[at].rows[row].number >= 0) ||
                (facts.tables[at].rows[row].number > 100 && strcmp(facts.tables[at].origin, SYSTEM_TURBOSTAT) != 0 &&
                 strcmp(facts.tables[at].origin, SYSTEM_BANDWIDTH) != 0 &&
                 strcmp(facts.tables[at].origin, SYSTEM_PLACES) != 0))
                abort();
    rest = import_csv_turned(import_perfspect_turned(rest, &arena), &arena);
    rest = import_run_list_turned(import_markdown_turned(import_tabs_turned(rest, &arena), &arena), &arena);
    rest = import_prose_turned(rest, &arena);
    rest = import_counts_turned(import_columns_turned(rest, &arena), &arena);
    struct text unread = {0};
    while (import_text_next(&rest, &arena, &imported)) {
        if (!imported.summary || !imported.heading || !isfinite(imported.elapsed_s))
            abort();
        import_text_unread(imported.segment, imported.kind, &unread);
    }
    text_done(&unread);
    struct told_context context = told_context_in(text);
    while ((sentence = told_passage(&text, &context)).length) {
        (void)told_bases_used(sentence, &context);
        told_bases_take(&context.bases, sentence);
        (void)told_is_useful(sentence, &context);
        (void)told_why_unread(sentence, &context);
        struct told_share shares[TOLD_SHARES_MOST];
        for (size_t at = told_shares_in(sentence, shares); at-- > 0;)
            if (!shares[at].function.length || !(shares[at].percent >= 0 && shares[at].percent <= 100))
                abort();
    }
    arena_done(&arena);
    return 0;
}
