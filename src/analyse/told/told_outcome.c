/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_outcome.h"

#include "analyse/told/told_change.h"
#include "analyse/told/told_compared.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_setting.h"
#include "analyse/told/told_words.h"

#include <ctype.h>
#include <string.h>

/* "set to never" denies nothing. */
static bool has_denial(const char *text)
{
    bool names_setting = told_names_setting(text);
    for (struct view rest = view_of(text), word; (word = view_word(&rest)).length;)
        if ((word_is(word, WORDS_OUTCOME_DENIAL) || view_ends(word, "n't")) &&
            !(names_setting && view_equal(word, "never")))
            return true;
    return false;
}

/* ---- answers gathered from one sentence ---- */

struct answers {
    bool said[OUTCOME_COUNT];
    bool unclear;
};

/* "1.3x", "30%", "twice": how many times. */
static bool is_multiple(struct view word)
{
    return word_is(word, WORDS_OUTCOME_MULTIPLE) || view_ends(word, "%") ||
           (view_ends(word, "x") && word.length > 1 && isdigit((unsigned char)word.text[0]));
}

/* "as fast as bare metal", where it was slower. */
static void gone_phrases(struct answers *answers, const char *text)
{
    for (struct match phrase = match_in(text, WORDS_OUTCOME_GONE); match_next(&phrase);) {
        const char *ahead = phrase.begin;
        struct view word = word_back(text, &ahead);
        if (words_at(phrase.end, WORDS_GAP_CLAUSE)) /* "the same performance gap" */
            continue;
        bool as_before = words_at(phrase.end, WORDS_OUTCOME_AS_IT_WAS);
        if (is_multiple(word) && (as_before || words_at(phrase.end, WORDS_SMALL_WITH)))
            continue; /* "twice as fast as before": what it gained tells (analyse/told/told_amount) */
        if (plain_has(phrase.begin, WORDS_OUTCOME_BY_PART))
            answers->said[OUTCOME_SHRANK] = true;
        else if (word_is(word, WORDS_OUTCOME_DENIAL) || view_ends(word, "n't") || is_multiple(word) ||
                 words_at(phrase.end, WORDS_SMALL_WITH))
            answers->unclear = true;
        else if (as_before && !words_at(phrase.end, WORDS_OUTCOME_BEFORE_IT))
            answers->said[OUTCOME_STAYED] = true;
        else
            answers->said[word_is(word, WORDS_OUTCOME_PARTLY) ? OUTCOME_SHRANK : OUTCOME_GONE] = true;
    }
}

/* "as fast in the confidential guest as in a plain one" */
static void as_fast_phrases(struct answers *answers, const char *text)
{
    for (struct match phrase = match_in(text, WORDS_OUTCOME_AS_FAST); match_next(&phrase);) {
        const char *ahead = phrase.begin;
        if (!plain_has(phrase.end, WORDS_OUTCOME_AS))
            continue;
        if (is_multiple(word_back(text, &ahead)))
            answers->unclear = true;
        else
            answers->said[OUTCOME_GONE] = true;
    }
}

/* "to the run time", which "to the compile time" isn't */
static bool is_of_speed(const char *to)
{
    enum { SPAN_MOST = 5 };
    for (size_t words = 0; words < SPAN_MOST && *to && *to != ','; words++) {
        to += strspn(to, " ");
        if (words_at(to, WORDS_OUTCOME_TO_OTHER) || words_at(to, WORDS_OUTCOME_TO_SPEED))
            return !words_at(to, WORDS_OUTCOME_TO_OTHER);
        to += strcspn(to, " ");
    }
    return false;
}

/* "no difference to the memory use", "in the number of crashes": of how fast it is that says nothing. */
static bool is_of_another_measure(const char *text)
{
    for (struct match what = match_in(text, WORDS_OUTCOME_NO_WHAT); match_next(&what);) {
        const char *to = words_at(what.end, WORDS_OUTCOME_TO);
        if (to && !is_of_speed(to))
            return true;
    }
    return false;
}

/*
 * "no change", "no measurable difference"; "there is no difference between the two" that were compared says that they
 * are alike now, "made no difference between them" either.
 */
static void nothing_phrases(struct answers *answers, const char *text)
{
    static const struct word_rule nothing = {WORDS_OUTCOME_NO, .behind = WORDS_OUTCOME_NO_WHAT, .within = 3};
    static const struct word_rule alike = {WORDS_OUTCOME_NO, .ahead = WORDS_OUTCOME_IS_NO,
                                           .behind = WORDS_OUTCOME_NO_WHAT, .within = 3};
    if (!rules_hold(text, &nothing, 1))
        return;
    if (is_of_another_measure(text)) {
        answers->unclear = true;
        return;
    }
    bool compared = plain_has(text, WORDS_COMPARED_NAMES), are_alike = compared && rules_hold(text, &alike, 1);
    answers->said[OUTCOME_GONE] |= are_alike;
    answers->unclear |= compared && !are_alike;
    answers->said[OUTCOME_STAYED] |= !compared;
}

/* "takes the same time", but "takes the same time as the plain guest" is as the other side does. */
static void same_time_phrases(struct answers *answers, const char *text)
{
    for (struct match phrase = match_in(text, WORDS_OUTCOME_SAME_TIME); match_next(&phrase);) {
        const char *as = words_at(phrase.end, WORDS_OUTCOME_AS);
        bool compares = as && !words_at(as, WORDS_OUTCOME_AS_IT_WAS);
        answers->said[compares ? OUTCOME_GONE : OUTCOME_STAYED] = true;
    }
}

/* "The same as the plain one within noise": what the noise is of stands before it in its clause. */
static bool is_as_another(const char *text, const char *place)
{
    for (struct match same = match_in(text, WORDS_OUTCOME_SAME_AS); match_next(&same) && same.end < place;) {
        struct view between = {same.end, (size_t)(place - same.end)};
        if (!words_at(same.end, WORDS_OUTCOME_AS_IT_WAS) && view_find(between, " , ") < 0)
            return true;
    }
    return false;
}

static void stayed_phrases(struct answers *answers, const char *text)
{
    static const struct word_rule nothing = {WORDS_OUTCOME_NOTHING, .ahead = WORDS_OUTCOME_NOTHING_AHEAD,
                                             .behind = WORDS_OUTCOME_NOTHING_DONE};
    static const struct word_rule neither = {WORDS_OUTCOME_DID, .earlier = WORDS_OUTCOME_NEITHER};
    /* by how much tells whether that is as it was */
    bool still = plain_has(text, WORDS_SMALL_STILL);
    bool slower = plain_has(text, WORDS_OUTCOME_SLOWER) ||
                  (plain_has(text, WORDS_OUTCOME_LONGER) && !plain_has(text, WORDS_OUTCOME_NO_LONGER));
    const char *back = told_takes_back(text);
    answers->unclear |= back && plain_has(back, WORDS_SMALL_STILL); /* with it or without */
    answers->said[OUTCOME_STAYED] |= plain_has(text, WORDS_OUTCOME_STAYED) || rules_hold(text, &nothing, 1) ||
                                     rules_hold(text, &neither, 1) || (still && slower);
    for (struct match faster = match_in(text, WORDS_OUTCOME_NO_FASTER); match_next(&faster);) {
        const char *than = words_at(faster.end, WORDS_OUTCOME_THAN);
        if (than && !words_at(than, WORDS_OUTCOME_AS_IT_WAS))
            answers->unclear = true; /* than another machine */
        else
            answers->said[OUTCOME_STAYED] = true;
    }
    for (struct match noise = match_in(text, WORDS_OUTCOME_NOISE); match_next(&noise);)
        if (plain_has(text, WORDS_COMPARED_NAMES) ||
            is_as_another(text, noise.begin)) /* the gap is, not what the change made: its clause says so */
            continue;
        else if (words_at(noise.end, WORDS_SMALL_OF)) /* of what? */
            answers->unclear = true;
        else
            answers->said[OUTCOME_STAYED] = true;
}

/* "still 44 min", "stayed at 3.9k tps": as it was; not "still 2 s more". */
static void amount_stayed(struct answers *answers, const char *text)
{
    for (struct match stays = match_in(text, WORDS_OUTCOME_STAYING); match_next(&stays);) {
        struct quantity amount;
        const char *begin = stays.end;
        for (const char *end; (end = words_at(begin, WORDS_OUTCOME_ABOUT));)
            begin = end;
        bool is_near = quantity_next(begin, text, &amount) && strspn(begin, " ~") == (size_t)(amount.begin - begin);
        if (!is_near || (amount.kind != QUANTITY_TIME && amount.kind != QUANTITY_RATE))
            continue;
        if (words_at(amount.end, WORDS_OUTCOME_THAN_OTHER))
            answers->unclear = true;
        else
            answers->said[OUTCOME_STAYED] = true;
    }
}

/* ---- clauses about the gap ---- */

enum verb { VERB_NONE, VERB_STAY, VERB_GO, VERB_SHRINK, VERB_UNCLEAR };

static enum verb verb_of(const char *clause)
{
    bool go = plain_has(clause, WORDS_VERB_GO), stay = plain_has(clause, WORDS_VERB_STAY),
         shrink = plain_has(clause, WORDS_VERB_SHRINK), denied = has_denial(clause),
         partly = plain_has(clause, WORDS_OUTCOME_PARTLY);
    if (plain_has(clause, WORDS_VERB_LEFT) && !denied)
        return go || plain_has(clause, WORDS_VERB_GROW) ? VERB_UNCLEAR : VERB_SHRINK;
    stay &= !plain_has(clause, WORDS_VERB_AS_LARGE) || !partly;
    if (plain_has(clause, WORDS_VERB_GROW) || (stay && (go || shrink)))
        return VERB_UNCLEAR;
    if (plain_has(clause, WORDS_VERB_TO_ZERO))
        return denied || stay ? VERB_UNCLEAR : VERB_GO;
    if (denied)
        return go || stay ? VERB_UNCLEAR : shrink || plain_has(clause, WORDS_VERB_MOVE) ? VERB_STAY : VERB_NONE;
    if (go)
        return shrink || partly ? VERB_SHRINK : VERB_GO;
    return stay ? VERB_STAY : shrink ? VERB_SHRINK : VERB_NONE;
}

static void verb_note(struct answers *answers, enum verb verb)
{
    answers->said[OUTCOME_STAYED] |= verb == VERB_STAY;
    answers->said[OUTCOME_GONE] |= verb == VERB_GO;
    answers->said[OUTCOME_SHRANK] |= verb == VERB_SHRINK;
    answers->unclear |= verb == VERB_UNCLEAR;
}

/* What the clauses before left: the last verb, and whether one of them was about the gap. */
struct clauses {
    enum verb before;
    bool had_gap;
};

/* "nohz_full removed the gap" */
static bool removes_gap(const char *clause)
{
    static const struct word_rule removal = {WORDS_VERB_REMOVE, .behind = WORDS_GAP_CLAUSE, .within = 4};
    return rules_hold(clause, &removal, 1);
}

/* The verb of a clause about the gap: its own, or that of the clause before. */
static enum verb gap_verb(const char *clause, enum verb verb, enum verb before)
{
    if (verb != VERB_NONE)
        return verb;
    if (has_denial(clause)) /* "the exits fell, but the gap didn't" */
        return before == VERB_SHRINK ? VERB_STAY : VERB_UNCLEAR;
    if (plain_has(clause, WORDS_VERB_ALIKE))
        return before;
    return !removes_gap(clause) ? VERB_NONE : plain_has(clause, WORDS_OUTCOME_PARTLY) ? VERB_SHRINK : VERB_GO;
}

/* Of a clause about how fast something is, where it stayed so. */
static enum verb speed_verb(const char *clause)
{
    bool same = plain_has(clause, WORDS_VERB_THE_SAME);
    if (!plain_has(clause, WORDS_SPEED_MEASURE))
        return VERB_NONE;
    if (same && plain_has(clause, WORDS_VERB_OF_TWO)) /* as one another */
        return VERB_GO;
    return !same || plain_has(clause, WORDS_VERB_REMAIN) ? VERB_STAY : VERB_NONE;
}

static void clause_note(struct answers *answers, const char *clause, struct clauses *clauses)
{
    enum verb verb = verb_of(clause);
    bool of_gap = plain_has(clause, WORDS_GAP_CLAUSE) || plain_has(clause, WORDS_GAP_SPIKES);
    if (of_gap)
        verb_note(answers, verb = gap_verb(clause, verb, clauses->before));
    else if (clauses->had_gap && plain_has(clause, WORDS_GAP_IT) && plain_has(clause, WORDS_GAP_STAYS))
        verb_note(answers, verb == VERB_STAY ? VERB_STAY : VERB_UNCLEAR); /* "but on ours it stayed" */
    else if (verb == VERB_STAY)
        verb_note(answers, speed_verb(clause));
    clauses->before = verb == VERB_NONE ? clauses->before : verb;
    clauses->had_gap |= of_gap;
}

static void gap_clauses(struct answers *answers, const char *text)
{
    struct clauses clauses = {.before = VERB_NONE};
    struct plain_sentence clause;
    for (const char *next; *text; text = next) {
        const char *end = clause_end(text, WORDS_JOINT_ANY, &next);
        plain_sentence_of(&clause, (struct view){text, (size_t)(end - text)});
        clause_note(answers, clause.text, &clauses);
    }
}

/* "30 % faster", "1.3x faster": how much the sentence says elsewhere. */
static void faster_note(struct answers *answers, const char *text)
{
    const char *place = plain_find(text, WORDS_OUTCOME_FASTER);
    struct view word = place ? word_back(text, &place) : (struct view){0};
    bool times = view_equal(word, "times") || (view_ends(word, "x") && word_is_number(word));
    if (!place || !(view_ends(word, "%") || times))
        return;
    if (plain_has(text, WORDS_SMALL_STILL) || has_denial(text))
        answers->unclear = true; /* which side is? */
    else
        answers->said[OUTCOME_FASTER] = true;
}

/* ---- together ---- */

/* "tried: CHANGE (SIDES): OUTCOME", for whoever writes for plumb. */
static void tried_note(struct answers *answers, const char *text)
{
    answers->said[OUTCOME_STAYED] = plain_has(text, WORDS_TRIED_STAYED);
    answers->said[OUTCOME_GONE] = plain_has(text, WORDS_TRIED_GONE);
    answers->said[OUTCOME_SHRANK] = plain_has(text, WORDS_TRIED_SHRANK);
}

static void prose_note(struct answers *answers, const char *plain)
{
    struct plain_sentence cut;
    told_compared_cut(&cut, plain);
    const char *text = cut.text;
    gone_phrases(answers, text);
    as_fast_phrases(answers, text);
    nothing_phrases(answers, text);
    stayed_phrases(answers, text);
    same_time_phrases(answers, text);
    amount_stayed(answers, text);
    gap_clauses(answers, text);
    faster_note(answers, text);
    /* "did not help until we pinned it as well": alone it wasn't enough, and had its part */
    answers->unclear |= answers->said[OUTCOME_STAYED] && plain_has(text, WORDS_OUTCOME_UNTIL);
    /* "then it was back": unless the change was taken back */
    answers->unclear |= answers->said[OUTCOME_GONE] && told_comes_back(text) && !told_takes_back(text);
}

bool outcome_is_denied(const struct plain_sentence *plain)
{
    return has_denial(plain->text);
}

/* "the vCPUs do not halt any more , … and it went from 61k to 87k": another thing is denied than what is told. */
static bool is_denied_of_another(struct view clause)
{
    struct plain_sentence plain;
    struct quantities all;
    bool has_amount = false;
    plain_sentence_of(&plain, clause);
    quantities_of(plain.text, &all);
    for (size_t at = 0; at < all.count; at++)
        has_amount |= all.items[at].kind != QUANTITY_BARE;
    return !has_amount && !words_at(plain.text, WORDS_OUTCOME_PRONOUN) && !plain_has(plain.text, WORDS_COUNT_SPEED) &&
           !told_changes_in(plain.text);
}

bool outcome_amounts_are_denied(const struct plain_sentence *plain)
{
    const char *text = plain->text;
    struct plain_sentence clause;
    bool denied = false;
    for (const char *next; *text && !denied; text = next) {
        struct view piece = {text, (size_t)(clause_end(text, WORDS_JOINT_ANY, &next) - text)};
        plain_sentence_of(&clause, piece);
        denied = has_denial(clause.text) && !is_denied_of_another(piece);
    }
    return denied;
}

bool outcome_is_doubtful(const struct plain_sentence *plain)
{
    return told_is_supposed(plain->text) || told_is_of_others(plain->text) || has_denial(plain->text);
}

enum outcome_reading outcome_of(struct view sentence, const struct plain_sentence *plain, enum outcome *ret_outcome)
{
    struct answers answers = {.unclear = false};
    int count = 0;
    bool is_tried = view_starts(sentence, "tried:");
    if (is_tried)
        tried_note(&answers, plain->text);
    else
        prose_note(&answers, plain->text);
    for (int at = 0; at < OUTCOME_COUNT; at++) {
        count += answers.said[at];
        if (answers.said[at])
            *ret_outcome = (enum outcome)at;
    }
    if (!count && !answers.unclear)
        return OUTCOME_UNTOLD;
    bool doubtful = !is_tried && (told_is_supposed(plain->text) || told_is_of_others(plain->text));
    return count > 1 || answers.unclear || doubtful ? OUTCOME_UNCLEAR : OUTCOME_READ;
}
