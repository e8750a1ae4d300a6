/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_doubt.h"

#include "analyse/told/told_quantity.h"
#include "analyse/told/told_words.h"
#include "base/vec.h"

#include <string.h>

/* ---- what may be ---- */

static const struct word_rule weakening[] = {
    {WORDS_DOUBT_WEAKENING},
    {WORDS_SMALL_NOT, .behind = WORDS_RUN_IN_EFFECT},
    {WORDS_RUN_WRONG, .behind = WORDS_RUN_THING}, /* "on the wrong host" */
    {WORDS_RUN_NAMED, .behind = WORDS_RUN_BROKE}, /* "that run skipped the checkpoint" */
    {WORDS_RUN_THAT, .behind = WORDS_RUN_IT_BROKE},
    {WORDS_RUN_WAS, .behind = WORDS_RUN_CONDITION}, /* "that was with half of the input" */
};

static const struct word_rule supposed[] = {
    {WORDS_DOUBT_SUPPOSING},
    {WORDS_SMALL_NOT, .behind = WORDS_DOUBT_DONE},
    {WORDS_DOUBT_CAN, .not_behind = WORDS_DOUBT_SEEN}, /* "it can make": but not what can be seen */
    {WORDS_DOUBT_TRY,
     .not_behind = WORDS_DOUBT_NOT_ASKED}, /* "try huge pages" asks for it; "try 1" is the name of one */
};

/* "up to 30 % faster": an upper bound of many. */
static bool is_at_most(const char *plain)
{
    struct quantity most;
    for (struct match bound = match_in(plain, WORDS_DOUBT_AT_MOST); match_next(&bound);)
        if (quantity_next(bound.end, plain, &most) && most.begin == bound.end + 1 &&
            (most.kind == QUANTITY_PERCENT || *most.end == 'x' || words_at(most.end, WORDS_AMOUNT_TIMES)))
            return true;
    return false;
}

bool told_is_weakening(const char *plain)
{
    return rules_hold(plain, weakening, array_count(weakening));
}

bool told_is_supposed(const char *plain)
{
    return rules_hold(plain, supposed, array_count(supposed)) || is_at_most(plain) || told_is_weakening(plain);
}

/* ---- what others said, and other machines ---- */

static const struct word_rule of_others[] = {
    {WORDS_OTHERS_NAMED},
    {WORDS_OTHERS_SAYING, .not_ahead = WORDS_OTHERS_SELVES},
    {WORDS_OTHERS_SAW, .not_ahead = WORDS_OTHERS_DOING},
    {WORDS_OTHERS_PERSON, .behind = WORDS_DONE_CHANGING},
    {WORDS_OTHERS_PERSON, .behind = WORDS_OTHERS_SAW},
    {WORDS_OTHERS_ON_OLD, .not_ahead = WORDS_SMALL_COMPARING, .not_later = WORDS_BESIDE_THE_NEW},
    {WORDS_OTHERS_HEARD, .not_ahead = WORDS_OTHERS_OWN},
    {WORDS_OTHERS_ACCORDING, .skip_behind = WORDS_OTHERS_ARTICLES, .not_behind = WORDS_OTHERS_OWN},
    /* "on his machine", "in a different cluster"; but "as fast as on the other machine" compares */
    {WORDS_OTHERS_WHOSE, .skip_ahead = WORDS_OTHERS_ARTICLES, .ahead = WORDS_OTHERS_PLACE,
     .not_further = WORDS_SMALL_COMPARING, .behind = WORDS_OTHERS_MACHINE, .within = 3},
    /* "The AMD box with huge pages is faster": it may be so for all that it has otherwise */
    {WORDS_OTHERS_HAVING, .ahead = WORDS_OTHERS_THING, .not_further = WORDS_OTHERS_COMPARED,
     .not_behind = WORDS_OTHERS_BOTH, .not_later = WORDS_SMALL_NOW},
    {WORDS_OTHERS_HAVING, .ahead = WORDS_OTHERS_SIDE, .further = WORDS_OTHERS_KIND, .not_behind = WORDS_OTHERS_BOTH,
     .not_later = WORDS_SMALL_NOW},
    {WORDS_OTHERS_ELSEWHERE, .not_ahead = WORDS_SMALL_COMPARING}, /* "in the lab" */
    {WORDS_OTHERS_OURS, .earlier = WORDS_OTHERS_AGAINST},         /* "gone on the AMD box, but not on ours" */
    {WORDS_OTHERS_IN, .behind = WORDS_OTHERS_YEAR},
};

bool told_is_of_others(const char *plain)
{
    return rules_hold(plain, of_others, array_count(of_others));
}

/* ---- what it does once ---- */

/* An amount or a verb of an outcome stands just behind it. */
static bool is_amount_of(const char *behind)
{
    enum { NOUNS_MOST = 3 };
    const char *end = *behind == ' ' ? behind : NULL;
    for (size_t nouns = 0; end && nouns < NOUNS_MOST; nouns++, behind = end ? end : behind)
        end = words_at(behind, WORDS_PHASE_NOUN);
    return *behind == ' ' && words_at(behind, WORDS_PHASE_BECAME);
}

/* A time, a rate or "faster" stands in the rest of the clause; rates of what is counted are no speed. */
static bool has_amount_behind(const char *behind, const char *plain, bool is_counted)
{
    const char *ignored, *end = clause_end(behind, WORDS_JOINT_PLAIN, &ignored);
    const char *faster = plain_find(behind, WORDS_OUTCOME_FASTER);
    struct quantity amount;
    if (faster && faster < end)
        return true;
    for (const char *at = behind; quantity_next(at, plain, &amount) && amount.begin < end; at = amount.end)
        if ((amount.kind == QUANTITY_TIME && !quantity_is_of_window(plain, &amount)) ||
            (!is_counted && (amount.kind == QUANTITY_RATE || words_at(amount.end, WORDS_SMALL_TO))))
            return true;
    return false;
}

uint64_t told_phases_of(const char *plain)
{
    enum { PHASES_MOST = 32 }; /* as many the groups' heads allow */
    uint64_t found = 0;
    for (struct match phase = match_in(plain, WORDS_PHASE_ONCE); match_next(&phase);)
        found |= is_amount_of(phase.end) ? UINT64_C(1) << phase.index : 0;
    for (struct match part = match_in(plain, WORDS_PHASE_PART); match_next(&part);)
        if (is_amount_of(part.end) &&
            has_amount_behind(part.end, plain,
                              piece_has((struct view){part.begin, (size_t)(part.end - part.begin)}, WORDS_COUNT_NAMED)))
            found |= UINT64_C(1) << (PHASES_MOST + part.index);
    return found;
}

/* ---- what was taken back ---- */

bool told_comes_back(const char *plain)
{
    static const struct word_rule back = {WORDS_BACK_CAME, .not_behind = WORDS_SMALL_TO};
    return rules_hold(plain, &back, 1);
}

bool told_is_retraction(const char *plain)
{
    return words_at(plain, WORDS_BACK_RETRACTION);
}

/* "Switched on again and it stayed at 38 s": where one of the group has that behind it. */
static const char *kept_behind(const char *plain, enum words group)
{
    for (struct match back = match_in(plain, group); match_next(&back);)
        if (plain_has(back.end, WORDS_BACK_KEPT) && !told_comes_back(back.end))
            return back.begin;
    return NULL;
}

/* "It stayed there after the limit had been set again": where it says that it stayed, ahead of one of the group. */
static const char *kept_ahead(const char *plain, enum words group)
{
    const char *kept = plain_find(plain, WORDS_BACK_KEPT_AHEAD);
    return kept && plain_has(kept, group) ? kept : NULL;
}

const char *told_outlasts(const char *plain, bool adds)
{
    const enum words groups[] = {WORDS_BACK_REVERTED, adds ? WORDS_BACK_OFF : WORDS_BACK_ON};
    const char *place = plain_find(plain, WORDS_BACK_SO_DID);
    for (size_t at = 0; at < array_count(groups) && !place; at++) {
        const char *behind = kept_behind(plain, groups[at]);
        place = behind ? behind : kept_ahead(plain, groups[at]);
    }
    return place;
}

const char *told_takes_back(const char *plain)
{
    return plain_find(plain, WORDS_BACK_TAKEN);
}

/* ---- whose a heading says it is ---- */

bool told_heads_others(const char *heading)
{
    struct plain_sentence plain;
    struct view last = view_of(heading);
    for (ptrdiff_t at; (at = view_find(last, ". ")) >= 0;) /* what stands before may speak of ourselves */
        last = view_skip(last, (size_t)at + 2);
    plain_sentence_of(&plain, last);
    return (plain_has(plain.text, WORDS_HEADING_OTHERS) && !plain_has(plain.text, WORDS_HEADING_OWN)) ||
           (plain_has(plain.text, WORDS_HEADING_ELSEWHERE) && !plain_has(plain.text, WORDS_HEADING_THIS_TIME)) ||
           (plain_has(plain.text, WORDS_HEADING_BESIDE) && plain_has(plain.text, WORDS_HEADING_WELL));
}
