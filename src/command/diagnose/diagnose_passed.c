/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_passed.h"

#include "analyse/told/told_amount.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_reading.h"

#include <ctype.h>

/* "2 mib", "12 gb": how large something is, and no outcome. */
static bool is_size(const struct quantity *amount)
{
    static const char *const units[] = {"b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "bytes", "bit", "bits"};
    struct view unit = word_at(amount->end);
    bool is_one = false;
    for (size_t at = 0; at < array_count(units); at++)
        is_one |= view_equal(unit, units[at]);
    return is_one || (isalpha((unsigned char)*amount->end) && amount->kind == QUANTITY_BARE); /* "2m", "6.1-rc3" */
}

static size_t amounts_in(const char *plain)
{
    size_t count = 0;
    struct quantity amount;
    for (const char *at = plain; quantity_next(at, plain, &amount); at = amount.end)
        count += !is_size(&amount);
    return count;
}

/* Two times, rates or shares of one kind: "is now 2 % , down from 41 %". */
static bool has_pair(const char *plain)
{
    static const enum quantity_kind kinds[] = {QUANTITY_TIME, QUANTITY_RATE, QUANTITY_PERCENT};
    struct quantities all;
    struct quantity first, last;
    bool has = false;
    quantities_of(plain, &all);
    for (size_t at = 0; at < array_count(kinds); at++)
        has |= quantities_pair(&all, kinds[at], &first, &last);
    return has;
}

static bool is_listed_at_all(const struct reading *reading)
{
    static const char *const others[] = {"#", "$ ", "export "}; /* headings and commands */
    bool is_other = view_ends(reading->sentence, ":");
    for (size_t at = 0; at < array_count(others); at++)
        is_other |= view_starts(reading->sentence, others[at]);
    return !is_other && !told_is_supposed(reading->plain.text);
}

/* "Moving the interrupts", "Sharded it 64 ways": something was done, and this is what came of it. */
static bool begins_with_doing(const char *plain)
{
    static const char *const others[] = {
        "during",    "following",  "according", "regarding", "considering", "including", "concerning", "something",
        "anything",  "everything", "nothing",   "being",     "based",       "compared",  "measured",   "observed",
        "sampled",   "recorded",   "captured",  "collected", "averaged",    "repeated",  "tested",     "expected",
        "estimated", "indeed",     "need",      "speed",     "used",        "timed",     "profiled",   "attached"};
    struct view first = word_at(plain);
    bool is_one = view_ends(first, "ing") || view_ends(first, "ed");
    for (size_t at = 0; at < array_count(others); at++)
        is_one &= !view_equal(first, others[at]);
    return is_one;
}

/* What came of something, in words or by how much. */
static bool tells_effect(const struct reading *reading)
{
    static const char *const multiples[] = {"doubled", "halved", "tripled", "quadrupled"};
    const char *plain = reading->plain.text;
    bool tells = !reading_tells_outcome(reading, OUTCOME_UNTOLD) || told_has_amount(plain) || has_pair(plain);
    struct quantity amount;
    for (const char *at = plain; !tells && quantity_next(at, plain, &amount); at = amount.end)
        tells = amount.kind == QUANTITY_PERCENT;
    for (size_t at = 0; at < array_count(multiples) && !tells; at++)
        tells = has_word(view_of(plain), view_of(multiples[at]));
    return tells;
}

bool passed_names_change(struct view sentence)
{
    struct reading reading;
    if (sentence.length > SENTENCE_MOST)
        return false;
    reading_of(&reading, sentence);
    return is_listed_at_all(&reading) && told_changes_in(reading.plain.text) != 0;
}

const char *passed_why(struct view sentence, bool behind_change)
{
    struct reading reading;
    if (sentence.length > SENTENCE_MOST)
        return NULL;
    reading_of(&reading, sentence);
    const char *plain = reading.plain.text;
    if (!is_listed_at_all(&reading))
        return NULL;
    bool has_address = view_find(sentence, "://") >= 0; /* the numbers in it are none of an outcome */
    if (told_changes_in(plain))
        return (amounts_in(plain) && !has_address && reading_is_done(&reading)) || tells_effect(&reading)
                   ? "it names a change, and whether it tells what came of it isn't clear"
                   : NULL;
    if (begins_with_doing(plain) && tells_effect(&reading))
        return "it tells of no change that plumb knows by its name";
    return behind_change && has_pair(plain) ? "whether it tells what came of a change named before it isn't clear"
                                            : NULL;
}
