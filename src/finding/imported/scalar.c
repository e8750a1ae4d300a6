/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is floating-point work done one number at a time, by the classes that a tree has of it, by the processor's counts, or
 * by the instructions of a listing?
 *
 * That it could be done several at a time no class says: it is open, and named.
 */
#include "base/share_names.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"

#include <string.h>

static const double MUCH = 0.15, FAR_MORE = 4;

struct counted {
    double scalar, vector, instructions;
    bool has_scalar, has_vector;
    const char *file;
};

/* fp_arith_inst_retired.scalar_double, or likwid's fp_arith_inst_retired_scalar_double: of one table. */
static struct counted counts_of(const struct imported_table *table)
{
    static const char counts[] = "fp_arith_inst_retired";
    struct counted found = {.file = table->file};
    for (size_t at = 0; table->kind == IMPORTED_STAT && at < table->count; at++) {
        const struct imported_row *row = &table->rows[at];
        bool is_one = strncmp(row->name, counts, sizeof(counts) - 1) == 0 && imported_is_counted(row);
        bool scalar = is_one && strstr(row->name, "scalar"), vector = is_one && strstr(row->name, "packed");
        found.scalar += scalar ? row->number : 0;
        found.vector += vector ? row->number : 0;
        found.has_scalar |= scalar;
        found.has_vector |= vector;
        if (strcmp(row->name, "instructions") == 0)
            found.instructions = row->number;
    }
    return found;
}

/* ---- a listing ---- */

struct listed {
    double scalar, vector; /* percent of the samples */
    const struct imported_row *hottest;
    double waited; /* percent of the samples at the one load that has most */
    bool computes; /* not all of it are loads and stores */
    const char *file;
};

/* "vmaxss %xmm1,%xmm0,%xmm0", "mulsd (%rax),%xmm2": 's' of one number, 'p' of several; 0: it is neither. */
static char packing_of(const char *line, bool *ret_computes)
{
    static const char *const works[] = {"add", "sub", "mul", "div", "max", "min", "sqrt", "fmadd", "fmsub", "fnmadd"};
    line += *line == 'v';
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789");
    bool is_known = strncmp(line, "mov", 3) == 0;
    if (length < 5 || !strchr("sd", line[length - 1]) || !strchr("sp", line[length - 2]) || !strstr(line, "%xmm"))
        return length > 5 && line[length - 2] == 'p' && strstr(line, "mm") ? 'p' : 0;
    for (size_t at = 0; at < array_count(works); at++)
        if (strncmp(line, works[at], strlen(works[at])) == 0)
            is_known = *ret_computes = true;
    return is_known ? line[length - 2] : 0;
}

/* "movss (%rdi,%rdx,4),%xmm1": what it waits for is memory, or the address. */
static bool is_move_from_memory(const char *line)
{
    const char *operand = strchr(line, ' '), *memory = strchr(line, '('), *register_behind = strstr(line, "),%");
    return (strncmp(line, "mov", 3) == 0 || strncmp(line, "vmov", 4) == 0) && operand && memory && register_behind;
}

static struct listed listed_of(const struct imported_table *table)
{
    struct listed found = {.file = table->file};
    for (size_t at = 0; table->kind == IMPORTED_ANNOTATE && at < table->count; at++) {
        const struct imported_row *row = &table->rows[at];
        bool computes = false;
        char packing = packing_of(row->name, &computes);
        found.scalar += packing == 's' ? row->number : 0;
        found.vector += packing == 'p' ? row->number : 0;
        found.computes |= packing == 's' && computes;
        if (packing == 's' && is_move_from_memory(row->name))
            found.waited = row->number > found.waited ? row->number : found.waited;
        if (packing == 's' && (!found.hottest || row->number > found.hottest->number))
            found.hottest = row;
    }
    return found;
}

static bool listing_test(const struct results *results, struct finding *finding)
{
    static const double MOST_OF = 50; /* percent */
    struct listed found = {.file = NULL};
    for (size_t at = 0; at < results->imported->count && found.scalar < MOST_OF; at++)
        found = listed_of(&results->imported->tables[at]);
    if (found.scalar < MOST_OF || found.waited >= MOST_OF || !found.computes || found.scalar < FAR_MORE * found.vector)
        return false;
    struct value values[] = {VALUE_SHARE("scalar", interval_exactly(found.scalar < 100 ? found.scalar / 100 : 1)),
                             VALUE_TEXT("line", found.hottest->name), VALUE_TEXT("file", found.file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
    finding->pointed = found.scalar / 100;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-scalar-listed", values,
                         array_count(values));
    finding_set_add(finding, &finding->reason, "imported-scalar-listed", values, array_count(values));
    finding_advise(finding, "advice-one", NO_VALUES);
    return true;
}

/* By rates that likwid made of its counts. */
static bool rates_test(const struct results *results, struct finding *finding)
{
    const char *file = NULL;
    const struct imported_row *row = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_SCALAR, &file);
    double share = row ? row->number / 100 : 0;
    if (share < MUCH)
        return listing_test(results, finding);
    struct value values[] = {VALUE_SHARE("scalar", interval_exactly(share)), VALUE_TEXT("rates", row->where),
                             VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    finding->pointed = share;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-scalar-rates", values,
                         array_count(values));
    finding_set_add(finding, &finding->reason, "imported-scalar-rates", values, array_count(values));
    finding_advise(finding, "advice-one", NO_VALUES);
    return true;
}

/* Of the first table that has both. */
static bool counts_test(const struct results *results, struct finding *finding)
{
    struct counted found = {.file = NULL};
    for (size_t at = 0; at < results->imported->count && !(found.has_scalar && found.has_vector); at++)
        found = counts_of(&results->imported->tables[at]);
    double share = found.instructions > 0 ? found.scalar / found.instructions : 0;
    if (!found.has_scalar || !found.has_vector || share < MUCH || found.scalar < FAR_MORE * found.vector)
        return rates_test(results, finding);
    share = share < 1 ? share : 1; /* one that multiplies and adds counts twice */
    struct value values[] = {VALUE_SHARE("scalar", interval_exactly(share)), VALUE_COUNT("vector", found.vector),
                             VALUE_COUNT("count", found.scalar), VALUE_TEXT("file", found.file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    finding->pointed = share;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-scalar-counted", values,
                         array_count(values));
    finding_set_add(finding, &finding->reason, "imported-scalar-open", values, array_count(values));
    finding_advise(finding, "advice-one", NO_VALUES);
    return true;
}

bool imported_scalar_test(const struct results *results, struct finding *finding)
{
    const char *file = NULL, *ignored;
    struct measured scalar = imported_number(results->imported, IMPORTED_METRICS, "tma_fp_scalar", &file),
                    vector = imported_number(results->imported, IMPORTED_METRICS, "tma_fp_vector", &ignored);
    double share = scalar.known ? scalar.value / 100 : 0, wide = vector.known ? vector.value / 100 : 0;
    if (share < results->effect || !vector.known || share < FAR_MORE * wide)
        return counts_test(results, finding);
    struct value values[] = {VALUE_SHARE("scalar", interval_exactly(share)),
                             VALUE_SHARE("vector", interval_exactly(wide)), VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    finding->pointed = share >= MUCH ? share : 0;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-scalar", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-scalar", values, array_count(values));
    finding_advise(finding, "advice-one", NO_VALUES);
    return true;
}
