/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/output_likeness.h"

#include <string.h>

/* The command's outputs; ret_first: the first of them. */
static struct output_seen seen_of(const struct run_outputs *outputs, const char *label, const char *again,
                                  const struct run_output **ret_first)
{
    struct output_seen seen = {0};
    const struct run_output *first = NULL;
    for (size_t at = 0; at < outputs->count; at++) {
        const struct run_output *output = &outputs->items[at];
        if (strcmp(output->arm, label) != 0 && (!again || strcmp(output->arm, again) != 0))
            continue;
        first = first ? first : output;
        seen.bytes_least = seen.runs && seen.bytes_least < output->bytes ? seen.bytes_least : output->bytes;
        seen.bytes_most = seen.runs && seen.bytes_most > output->bytes ? seen.bytes_most : output->bytes;
        seen.varies |= output->bytes != first->bytes || output->digest != first->digest;
        seen.runs++;
    }
    *ret_first = first;
    return seen;
}

const struct quantity_effect *output_written(const struct comparison *comparison)
{
    static const char name[] = "written-bytes";
    for (size_t at = 0; at < comparison->effect_count; at++)
        if (strcmp(comparison->effects[at].quantity->name, name) == 0)
            return &comparison->effects[at];
    return strcmp(comparison->decisive.quantity->name, name) == 0 ? &comparison->decisive : NULL;
}

/* All that a counted run writes anywhere is less than half of what it printed when that was read. */
static bool is_less_unread(const struct output_seen *seen, const struct interval *written)
{
    return seen->runs && written->known && 2 * written->high < (double)seen->bytes_least;
}

void output_likeness_judge(struct output_likeness *likeness, const struct comparison *comparison,
                           const struct run_outputs *outputs, const char *again)
{
    const struct run_output *of_a, *of_b;
    *likeness = (struct output_likeness){0};
    likeness->a = seen_of(outputs, comparison->a->label, again, &of_a);
    likeness->b = seen_of(outputs, comparison->b->label, NULL, &of_b);
    const struct quantity_effect *written = output_written(comparison);
    if (written && !written->why_not) {
        likeness->a.is_less_unread = is_less_unread(&likeness->a, &written->a);
        likeness->b.is_less_unread = is_less_unread(&likeness->b, &written->b);
    }
    if (!of_a || !of_b)
        likeness->verdict = OUTPUT_NOT_READ;
    else if (likeness->a.varies || likeness->b.varies)
        likeness->verdict = OUTPUT_VARIES;
    else
        likeness->verdict = of_a->bytes == of_b->bytes && of_a->digest == of_b->digest ? OUTPUT_SAME : OUTPUT_OTHER;
}
