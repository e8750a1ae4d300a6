/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which line do threads fight over, by perf c2c's list of them? */
#include "finding/family.h"
#include "finding/imported/evidence.h"

#include <string.h>

/* As source/import/import_c2c calls each of them. */
static const char line_named[] = "line 0x";

/* The line with most of the hits of its table, and its share of them (0..1); NULL: none is told. */
static const struct imported_row *line_hottest(const struct imported *imported, double *ret_share,
                                               const char **ret_file)
{
    const struct imported_row *hottest = NULL;
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        double sum = 0;
        for (size_t row = 0; row < table->count && table->kind == IMPORTED_MAP; row++)
            sum += table->rows[row].number;
        for (size_t row = 0; row < table->count && sum > 0 && table->kind == IMPORTED_MAP; row++) {
            const struct imported_row *here = &table->rows[row];
            if (strncmp(here->name, line_named, sizeof(line_named) - 1) != 0 ||
                (hottest && here->number <= hottest->number))
                continue;
            hottest = here;
            *ret_share = here->number / sum;
            *ret_file = table->file;
        }
    }
    return hottest;
}

void imported_shared_line_add(const struct results *results, struct finding *finding)
{
    static const double MOST_OF = 0.5;
    double share = 0;
    const char *file = NULL;
    bool is_asked =
        strcmp(finding->hypothesis->id, "contended-lines") == 0 && finding->verdict != VERDICT_RULED_OUT;
    const struct imported_row *line = is_asked ? line_hottest(results->imported, &share, &file) : NULL;
    if (!line)
        return;
    struct value name = VALUE_TEXT("line", line->name), part = VALUE_SHARE("share", interval_exactly(share));
    finding_evidence(finding, finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT,
                     "imported-line-shared", name, part, VALUE_TEXT("file", file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    if (share >= MOST_OF && finding->headline && finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "imported-line-headline", VALUE_TEXT("headline", finding->headline), name, part);
}
