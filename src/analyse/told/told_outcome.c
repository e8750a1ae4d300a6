/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_outcome.h"

#include "analyse/told/told_change.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_quantity.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

/* The word that ends before this place: within the same text. */
static struct view word_before(const char *text, const char *place)
{
    while (place > text && place[-1] == ' ')
        place--;
    const char *begin = place;
    while (begin > text && begin[-1] != ' ')
        begin--;
    return (struct view){begin, (size_t)(place - begin)};
}

static bool is_denial(struct view word)
{
    static const char *const denials[] = {"not", "never", "hardly", "barely", "cannot", "neither", "nor", NULL};
    return word_is(word, denials) || view_ends(word, "n't");
}

/* "set to never" denies nothing. */
static bool has_denial(const char *text)
{
    bool names_setting = told_names_setting(text);
    for (struct view rest = view_of(text), word; (word = view_word(&rest)).length;)
        if (is_denial(word) && !(names_setting && view_equal(word, "never")))
            return true;
    return false;
}

/* ---- what is compared ---- */

/* Stands for the two things between which there was a gap, where a sentence names them. */
#define COMPARED "between_the_two "

/* How long the names of the two are, up to a verb, a mark or another part of the sentence; 0: no two things. */
static size_t compared_length(const char *behind)
{
    /* between what was measured with and without a change there is no gap of before; nor is there in a range */
    static const char *const states[] = {"with",     "without", "before", "after",    "on",    "off",   "enabled",
                                         "disabled", "runs",    "builds", "settings", "modes", "tests", NULL};
    static const char *const ends[] = {
        "is",       "was",        "are",     "were",     "becomes",     "became",   "has",       "had",
        "did",      "does",       "still",   "now",      "any",         "anymore",  "when",      "once",
        "in",       "fell",       "went",    "goes",     "drops",       "dropped",  "got",       "gets",
        "by",       "to",         "remains", "stays",    "stayed",      "all",      "almost",    "then",
        "closed",   "narrowed",   "shrank",  "vanished", "disappeared", "persists", "persisted", "remained",
        "vanishes", "disappears", "closes",  "shrinks",  "widened",     "grew",     "halved",    "completely",
        "nearly",   "but",        "could",   "would",    "should",      "will",     "cannot",    "can",
        "may",      "might",      "doesn't", "didn't",   "isn't",       "wasn't",   "entirely",  "largely",
        "mostly",   "unchanged",  "of",      NULL};
    enum { WORDS_MOST = 14 };
    struct view rest = view_of(behind), word;
    const char *end = behind;
    bool joined = false, counted = false;
    for (size_t words = 0; words < WORDS_MOST && (word = view_word(&rest)).length; words++) {
        if (word_is(word, states) || isdigit((unsigned char)word.text[0]))
            return 0;
        if (word_is(word, ends) || word.text[0] == ',')
            break;
        joined |= view_equal(word, "and") || view_equal(word, "vs");
        counted |= view_equal(word, "two") || view_equal(word, "both") || view_equal(word, "them");
        end = word.text + word.length;
    }
    return joined || counted ? (size_t)(end - behind) : 0;
}

/* "the gap between a plain guest and a confidential one closed": their names are no clauses and have no verbs. */
static void compared_cut(struct plain_sentence *ret_cut, const char *plain)
{
    size_t length = 0, between = strlen("between ");
    for (const char *at = plain; *at && length + sizeof(COMPARED) < sizeof(ret_cut->text);) {
        bool begins = at > plain && at[-1] == ' ' && plain_starts(at, "between ");
        size_t names = begins ? compared_length(at + between) : 0;
        if (names) {
            memcpy(ret_cut->text + length, COMPARED, strlen(COMPARED));
            length += strlen(COMPARED);
            at += between + names;
            at += *at == ' ';
        } else {
            ret_cut->text[length++] = *at++;
        }
    }
    ret_cut->text[length] = '\0';
}

/* ---- answers gathered from one sentence ---- */

struct answers {
    bool said[OUTCOME_COUNT];
    bool unclear;
};

static const char *const partly[] = {"almost", "nearly", "mostly", "partly", "half", NULL};

/* "as fast as before" is as it was. */
static bool is_of_before(const char *behind)
{
    return plain_find(behind, "before ") == behind || plain_find(behind, "without ") == behind ||
           plain_find(behind, "it was ") == behind || plain_find(behind, "from before ") == behind;
}

static void gone_note(struct answers *answers, const char *text, const char *place, size_t length)
{
    static const char *const times[] = {"twice", "x", "times", "%", "percent", "third", NULL};
    struct view word = word_before(text, place);
    const char *behind = place + length + strspn(place + length, " ");
    bool counted = word_is(word, times) || view_ends(word, "%") ||
                   (view_ends(word, "x") && word.length > 1 && isdigit((unsigned char)word.text[0]));
    if (is_denial(word) || counted || plain_find(behind, "with ") == behind)
        answers->unclear = true;
    else if (is_of_before(behind))
        answers->said[OUTCOME_STAYED] = true;
    else
        answers->said[word_is(word, partly) ? OUTCOME_SHRANK : OUTCOME_GONE] = true;
}

/* "as fast in the confidential guest as in a plain one" */
static void as_fast_note(struct answers *answers, const char *text)
{
    static const char *const places[] = {"as fast in ", "as fast on ", "as fast inside "};
    for (size_t at = 0; at < array_count(places); at++) {
        const char *place = plain_find(text, places[at]);
        if (place && plain_find(place + strlen(places[at]), "as "))
            gone_note(answers, text, place, strlen(places[at]));
    }
}

static void gone_phrases(struct answers *answers, const char *text)
{
    static const char *const phrases[] = {"as fast as",
                                          "equally fast",
                                          "to the same speed",
                                          "the same speed",
                                          "the same performance",
                                          "the same throughput",
                                          "became the same",
                                          "becomes the same",
                                          "on par with",
                                          "performs the same as",
                                          "performed the same as",
                                          "runs the same as",
                                          "performs as well as",
                                          "performed as well as",
                                          "matched that of",
                                          "matches that of",
                                          "equals that of",
                                          "equalled that of",
                                          "matched the performance",
                                          "matches the performance",
                                          "no different from",
                                          "perform identically",
                                          "performs identically",
                                          "performed identically",
                                          "reaches the performance of",
                                          "reached the performance of",
                                          "reaches the throughput of",
                                          "reached the throughput of",
                                          "reaches the speed of",
                                          "reached the speed of",
                                          "caught up",
                                          "catches up",
                                          "no longer slower",
                                          "no slower than",
                                          "closed the gap",
                                          "closes the gap",
                                          "close the gap",
                                          "indistinguishable",
                                          "back to normal",
                                          NULL};
    for (const char *const *phrase = phrases; *phrase; phrase++) {
        const char *place = plain_find(text, *phrase);
        if (place && (plain_find(place, "by half") || plain_find(place, "halfway") || plain_find(place, "partly")))
            answers->said[OUTCOME_SHRANK] = true;
        else if (place)
            gone_note(answers, text, place, strlen(*phrase));
    }
}

/* "there is no difference between the two" that were compared; "made no difference between them" is either. */
static void difference_note(struct answers *answers, const char *text, const char *no)
{
    static const char *const being[] = {"is", "was", "there's", "see", "saw", "find", "found", "be", NULL};
    if (word_is(word_before(text, no), being))
        answers->said[OUTCOME_GONE] = true;
    else
        answers->unclear = true;
}

/* "no change", "no measurable difference" */
static void nothing_phrases(struct answers *answers, const char *text)
{
    static const char *const nouns[] = {"change",  "difference", "effect", "improvement", "gain",
                                        "benefit", "speedup",    "impact", "influence",   NULL};
    for (const char *place = plain_find(text, "no "); place; place = plain_find(place + 1, "no ")) {
        struct view rest = view_of(place + 2), word;
        for (size_t words = 0; words < 3 && (word = view_word(&rest)).length; words++)
            if (word_is(word, nouns)) {
                if (plain_find(rest.text, COMPARED))
                    difference_note(answers, text, place);
                else
                    answers->said[OUTCOME_STAYED] = true;
                break;
            }
    }
}

static void stayed_phrases(struct answers *answers, const char *text)
{
    static const char *const phrases[] = {"did not help",
                                          "didn't help",
                                          "does not help",
                                          "doesn't help",
                                          "did nothing",
                                          "does nothing",
                                          "not change anything",
                                          "didn't change anything",
                                          "did not change",
                                          "didn't change",
                                          "did not matter",
                                          "didn't matter",
                                          "to no avail",
                                          "changed nothing",
                                          "changes nothing",
                                          "nothing changed",
                                          "without effect",
                                          "as slow as",
                                          "still slower",
                                          "still as slow",
                                          "just as slow",
                                          "equally slow",
                                          "no faster",
                                          "not faster",
                                          "isn't faster",
                                          "no better",
                                          "no dice",
                                          "didn't do anything",
                                          "not do anything",
                                          "nothing came of",
                                          NULL};
    static const char *const noise[] = {"within noise",
                                        "within the noise",
                                        "in the noise",
                                        "within the error",
                                        "within run-to-run",
                                        "lost in noise",
                                        NULL};
    /* by how much tells whether that is as it was */
    bool still_slower =
        plain_find(text, "still ") &&
        (plain_find(text, "slower ") || (plain_find(text, "longer ") && !plain_find(text, "no longer ")));
    const char *back = told_takes_back(text);
    answers->unclear |= back && plain_find(back, "still "); /* with it or without */
    answers->said[OUTCOME_STAYED] |=
        plain_has(text, phrases) || strstr(text, ", nothing ") || plain_starts(text, " nothing ,") || still_slower;
    for (const char *const *words = noise; *words; words++) {
        const char *place = plain_find(text, *words);
        const char *behind = place ? place + strlen(*words) : "";
        if (place && plain_find(text, COMPARED))
            continue; /* the gap is, not what the change made: a clause of it says so */
        if (place && strncmp(behind + strspn(behind, " "), "of ", 3) == 0)
            answers->unclear = true; /* of what? */
        else if (place)
            answers->said[OUTCOME_STAYED] = true;
    }
}

/* "takes the same time", but "takes the same time as the plain guest" is as the other side does. */
static void same_time_note(struct answers *answers, const char *text)
{
    static const char *const phrases[] = {"took the same time ",   "takes the same time ", "needs the same time ",
                                          "needed the same time ", "took just as long ",   "takes just as long "};
    for (size_t at = 0; at < array_count(phrases); at++) {
        const char *place = plain_find(text, phrases[at]);
        const char *behind = place ? place + strlen(phrases[at]) : "";
        bool compares = place && plain_starts(behind, "as ") && !is_of_before(behind + strlen("as "));
        answers->said[OUTCOME_STAYED] |= place && !compares;
        answers->said[OUTCOME_GONE] |= compares;
    }
}

/* "still 44 min", "stayed at 3.9k tps": as it was; not "still 2 s more". */
static void amount_stayed(struct answers *answers, const char *text)
{
    static const char *const staying[] = {"still ",       "stayed at ",  "stays at ",
                                          "remained at ", "remains at ", "unchanged at "};
    static const char *const between[] = {"at",     "about", "around", "some", "roughly", "takes", "took", "needs",
                                          "needed", "is",    "was",    "it's", "the",     "~",     ",",    NULL};
    static const char *const of_other[] = {"more",  "slower", "longer", "behind", "off",   "above", "over",
                                           "to",    "faster", "less",   "too",    "short", "away",  "from",
                                           "later", "apart",  "of",     "better", NULL};
    for (size_t at = 0; at < array_count(staying); at++)
        for (const char *place = plain_find(text, staying[at]); place; place = plain_find(place + 1, staying[at])) {
            struct quantity amount;
            const char *begin = place + strlen(staying[at]);
            struct view rest = view_of(begin), word = view_word(&rest);
            while (word_is(word, between)) {
                begin = rest.text;
                word = view_word(&rest);
            }
            bool is_near = quantity_next(begin, text, &amount) && strspn(begin, " ~") == (size_t)(amount.begin - begin);
            if (!is_near || (amount.kind != QUANTITY_TIME && amount.kind != QUANTITY_RATE))
                continue;
            struct view behind = view_of(amount.end), next = view_word(&behind);
            if (word_is(next, of_other))
                answers->unclear = true;
            else
                answers->said[OUTCOME_STAYED] = true;
        }
}

/* ---- clauses about the gap ---- */

enum verb { VERB_NONE, VERB_STAY, VERB_GO, VERB_SHRINK, VERB_UNCLEAR };

static enum verb verb_of(const char *clause)
{
    static const char *const gone[] = {"gone",          "vanish",       "disappear",
                                       "closed",        "closes",       "eliminat",
                                       "is zero",       "no gap",       "no slowdown",
                                       "went away",     "goes away",    "negligible",
                                       "insignificant", "within noise", "within the noise",
                                       "in the noise",  "erased",       "erases",
                                       "bridges",       "bridged",      NULL};
    static const char *const stayed[] = {"still",    "stay",     "remain", "persist",   "unchanged", "unaffected",
                                         "the same", "as large", "as big", "as before", NULL};
    static const char *const shrank[] = {"shrank", "shrunk",  "shrink",    "halv",    "fell",  "falls",
                                         "drop",   "smaller", "narrow",    "decreas", "reduc", "down to",
                                         "half",   "a third", "went down", NULL};
    static const char *const grew[] = {"grew",    "grow", "widen",   "larger", "bigger",
                                       "increas", "wors", "doubled", "rose",   NULL};
    static const char *const moved[] = {"change", "move", "affect", "budge", "improve", NULL};
    bool go = plain_has(clause, gone), stay = plain_has(clause, stayed), shrink = plain_has(clause, shrank),
         denied = has_denial(clause);
    if (plain_find(clause, "remaining ") && !denied) /* what is left of it */
        return go || plain_has(clause, grew) ? VERB_UNCLEAR : VERB_SHRINK;
    stay &= !plain_find(clause, "as large") || !plain_has(clause, partly);
    if (plain_has(clause, grew) || (stay && (go || shrink)))
        return VERB_UNCLEAR;
    if (plain_find(clause, "to zero"))
        return denied || stay ? VERB_UNCLEAR : VERB_GO;
    if (denied)
        return go || stay ? VERB_UNCLEAR : shrink || plain_has(clause, moved) ? VERB_STAY : VERB_NONE;
    if (go)
        return shrink || plain_has(clause, partly) ? VERB_SHRINK : VERB_GO;
    return stay ? VERB_STAY : shrink ? VERB_SHRINK : VERB_NONE;
}

static void verb_note(struct answers *answers, enum verb verb)
{
    answers->said[OUTCOME_STAYED] |= verb == VERB_STAY;
    answers->said[OUTCOME_GONE] |= verb == VERB_GO;
    answers->said[OUTCOME_SHRANK] |= verb == VERB_SHRINK;
    answers->unclear |= verb == VERB_UNCLEAR;
}

static bool names_gap(const char *clause)
{
    static const char *const gaps[] = {"gap",
                                       "slowdown",
                                       "slow-down",
                                       "penalty",
                                       "performance difference",
                                       "difference in performance",
                                       "difference " COMPARED,
                                       NULL};
    return plain_has(clause, gaps);
}

/* What the clauses before left: the last verb, and whether one of them was about the gap. */
struct clauses {
    enum verb before;
    bool had_gap;
};

/* "nohz_full removed the gap" */
static bool removes_gap(const char *clause)
{
    static const char *const removing[] = {"removed ", "removes ",   "fixed ",     "fixes ",     "cured ",
                                           "cures ",   "wiped out ", "took away ", "got rid of "};
    enum { BETWEEN = 28 };
    for (size_t at = 0; at < array_count(removing); at++) {
        const char *place = plain_find(clause, removing[at]);
        struct plain_sentence object;
        if (!place)
            continue;
        const char *behind = place + strlen(removing[at]);
        plain_sentence_of(&object, (struct view){behind, strnlen(behind, BETWEEN)});
        if (names_gap(object.text))
            return true;
    }
    return false;
}

/* "but on ours it stayed": the gap that a clause before named. */
static bool is_of_it(const char *clause)
{
    static const char *const of_it[] = {"it ", "that ", "this ", NULL};
    static const char *const stays[] = {"stay",     "remain",    "persist",   "is still there", "was still there",
                                        "is there", "was there", "came back", "returned",       "is back",
                                        NULL};
    return plain_has(clause, of_it) && plain_has(clause, stays);
}

static void clause_note(struct answers *answers, const char *clause, struct clauses *clauses)
{
    static const char *const speeds[] = {"performance", "throughput", "runtime", "run time",
                                         "latency",     "the time",   "speed",   NULL};
    static const char *const two[] = {"both guests", "both vms",   "both machines", "both kernels", "both builds",
                                      "of both",     "of the two", "both were",     COMPARED,       NULL};
    static const char *const alike[] = {"so did",  "so does",  "so has",  "so is",     "so was",     "too ",
                                        "as well", "likewise", "with it", "with them", "along with", NULL};
    enum verb verb = verb_of(clause);
    if (names_gap(clause)) {
        if (verb == VERB_NONE && has_denial(clause)) /* "the exits fell, but the gap didn't" */
            verb = clauses->before == VERB_SHRINK ? VERB_STAY : VERB_UNCLEAR;
        else if (verb == VERB_NONE && plain_has(clause, alike))
            verb = clauses->before;
        else if (verb == VERB_NONE && removes_gap(clause))
            verb = plain_has(clause, partly) ? VERB_SHRINK : VERB_GO;
        verb_note(answers, verb);
    } else if (clauses->had_gap && is_of_it(clause)) {
        verb_note(answers, verb == VERB_STAY ? VERB_STAY : VERB_UNCLEAR);
    } else if (verb == VERB_STAY && plain_has(clause, speeds) && plain_find(clause, "the same") &&
               plain_has(clause, two)) {
        verb_note(answers, VERB_GO); /* as one another */
    } else if (verb == VERB_STAY && plain_has(clause, speeds) &&
               (!plain_find(clause, "the same") || plain_find(clause, "stay") || plain_find(clause, "remain"))) {
        verb_note(answers, verb);
    }
    clauses->before = verb == VERB_NONE ? clauses->before : verb;
    clauses->had_gap |= names_gap(clause);
}

/* Where the next clause begins, and how long what parts them is; NULL: there is none. */
static const char *clause_end(const char *text, size_t *ret_length)
{
    static const char *const joints[] = {" , ",      " but ",      " and ",     " yet ", " while ",
                                         " though ", " although ", " whereas ", NULL};
    const char *nearest = NULL;
    for (const char *const *joint = joints; *joint; joint++) {
        const char *place = strstr(text, *joint);
        if (place && (!nearest || place < nearest)) {
            nearest = place;
            *ret_length = strlen(*joint);
        }
    }
    return nearest;
}

static void gap_clauses(struct answers *answers, const char *text)
{
    struct clauses clauses = {.before = VERB_NONE};
    struct plain_sentence clause;
    for (const char *end = text; end;) {
        size_t joint = 0;
        end = clause_end(text, &joint);
        plain_sentence_of(&clause, (struct view){text, end ? (size_t)(end - text) : strlen(text)});
        clause_note(answers, clause.text, &clauses);
        text = end ? end + joint - 1 : text;
    }
}

/* "30 % faster", "1.3x faster": how much the sentence says elsewhere. */
static void faster_note(struct answers *answers, const char *text)
{
    const char *place = plain_find(text, "faster");
    struct view word = place ? word_before(text, place) : (struct view){0};
    bool times =
        view_equal(word, "times") || (view_ends(word, "x") && word.length > 1 && isdigit((unsigned char)word.text[0]));
    if (!place || !(view_ends(word, "%") || times))
        return;
    if (plain_find(text, "still") || has_denial(text))
        answers->unclear = true; /* which side is? */
    else
        answers->said[OUTCOME_FASTER] = true;
}

/* "then it was back": unless the change was taken back. */
static void return_note(struct answers *answers, const char *text)
{
    answers->unclear |= answers->said[OUTCOME_GONE] && told_comes_back(text) && !told_takes_back(text);
}

/* ---- together ---- */

/* "tried: CHANGE (SIDES): OUTCOME", for whoever writes for plumb. */
static void tried_note(struct answers *answers, const char *text)
{
    answers->said[OUTCOME_STAYED] = plain_find(text, "stayed");
    answers->said[OUTCOME_GONE] = plain_find(text, "gone");
    answers->said[OUTCOME_SHRANK] = plain_find(text, "shrank");
}

bool outcome_is_denied(const struct plain_sentence *plain)
{
    return has_denial(plain->text);
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
    if (is_tried) {
        tried_note(&answers, plain->text);
    } else {
        struct plain_sentence cut;
        compared_cut(&cut, plain->text);
        gone_phrases(&answers, cut.text);
        as_fast_note(&answers, cut.text);
        nothing_phrases(&answers, cut.text);
        stayed_phrases(&answers, cut.text);
        same_time_note(&answers, cut.text);
        amount_stayed(&answers, cut.text);
        gap_clauses(&answers, cut.text);
        faster_note(&answers, cut.text);
        return_note(&answers, cut.text);
    }
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
