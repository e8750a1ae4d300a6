/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/reference.h"

#include "base/text.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Words of another time, and of a good one. */
static const char *const references[] = {"baseline",
                                         "(good",
                                         "good one",
                                         "good run",
                                         "good hour",
                                         "good time",
                                         "good times",
                                         "good state",
                                         "good host",
                                         "good node",
                                         "good box",
                                         "good period",
                                         "known good",
                                         "was good",
                                         "healthy",
                                         "for comparison",
                                         "for reference",
                                         "compare with",
                                         "compare to",
                                         "compared with",
                                         "compared to",
                                         "before it got",
                                         "before it was",
                                         "before it became",
                                         "before it turned",
                                         "when it was fine",
                                         "when all was well",
                                         "while it was fine",
                                         "still fast",
                                         "still fine",
                                         "was fast",
                                         "was fine",
                                         "was ok",
                                         "as it should be",
                                         "known-good",
                                         "yesterday",
                                         "last week",
                                         "last night",
                                         "the day before",
                                         "this morning",
                                         "earlier today"};

/* The time that is complained about, whatever else is said. */
static const char *const complaints[] = {
    "bad",      "slow",     "broken",     "degraded", "hang",     "stall",          "problem", "worse",
    "not good", "no good",  "isn't good", "spike",    "incident", "still the same", "happen",  "happened",
    "happens",  "occurred", "started",    "alarm",    "alert",    "complained",     "outage"};

/* "before it got slow", "before it was bad": of the time without it. */
static const char *const before[] = {"before it", "until it", "not yet"};

static const char *found_in(const char *text, const char *const *phrases, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        size_t length = strlen(phrases[at]);
        for (const char *here = text; *here; here++) {
            bool begins = here == text || !isalnum((unsigned char)here[-1]);
            bool ends = begins && strncasecmp(here, phrases[at], length) == 0 && !islower((unsigned char)here[length]);
            if (ends)
                return here;
        }
    }
    return NULL;
}

bool imported_is_reference(const struct imported_table *table)
{
    bool is_one = found_in(table->heading, references, array_count(references)) != NULL;
    bool complains = found_in(table->heading, complaints, array_count(complaints)) != NULL &&
                     !found_in(table->heading, before, array_count(before));
    return is_one && !complains;
}

const struct imported_row *imported_reference_row(const struct imported *imported, const char *name)
{
    const struct imported_row *found = NULL;
    bool beside = false;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count; row++) {
            const struct imported_table *table = &imported->tables[at];
            if (table->kind != IMPORTED_SYSTEM || strcmp(table->rows[row].name, name) != 0)
                continue;
            bool is_one = imported_is_reference(table);
            found = is_one ? &table->rows[row] : found;
            beside |= !is_one;
        }
    return beside ? found : NULL;
}
