/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_reading.h"

#include "analyse/told/told_doubt.h"
#include "analyse/told/told_words.h"

#include <string.h>

void reading_of(struct reading *ret_reading, struct view sentence)
{
    ret_reading->sentence = sentence;
    ret_reading->treatment = TREATMENT_COUNT;
    plain_sentence_of(&ret_reading->plain, sentence);
    ret_reading->change = told_change_of(ret_reading->plain.text, &ret_reading->treatment);
}

bool reading_is_doubted(const struct reading *reading)
{
    return told_is_supposed(reading->plain.text) || told_is_of_others(reading->plain.text);
}

enum outcome_reading reading_outcome(const struct reading *reading, enum outcome *ret_outcome)
{
    return outcome_of(reading->sentence, &reading->plain, ret_outcome);
}

bool reading_tells_outcome(const struct reading *reading, enum outcome_reading how)
{
    enum outcome ignored;
    return reading_outcome(reading, &ignored) == how;
}

/* ---- what somebody did ---- */

/* "trial 1 ,", "test #2 ,": what follows is what was tried. */
static bool is_numbered(const char *plain)
{
    struct view rest = view_of(plain), word = view_word(&rest), number = view_word(&rest);
    while (word.length && strchr("#-+0123456789.)", word.text[0])) { /* of a list, or a heading */
        word = number;
        number = view_word(&rest);
    }
    return word_is(word, WORDS_DONE_TRIAL) && (word_is_number(number) || view_starts(number, "#"));
}

/* "I have set": somebody did, as "we have it set" doesn't say. */
static bool is_perfect(const char *plain, const char *place)
{
    return word_is(word_back(plain, &place), WORDS_DONE_HAVING) && word_is(word_back(plain, &place), WORDS_DONE_WHO);
}

/* "The lab has it disabled", "it is enabled there": how it is, not what somebody did. */
static bool is_state(const char *plain, const char *place)
{
    enum { BACK_MOST = 3 };
    bool having = false;
    if (is_perfect(plain, place))
        return false;
    for (size_t back = 0; back < BACK_MOST; back++) {
        struct view word = word_back(plain, &place);
        if (word_is(word, WORDS_DONE_DOING) || view_equal(word, ","))
            return having && view_equal(word, ",");
        having |= word_is(word, WORDS_DONE_HAVING);
    }
    return having;
}

bool reading_is_done(const struct reading *reading)
{
    const char *plain = reading->plain.text;
    bool done = is_numbered(plain);
    for (struct match verb = match_in(plain, WORDS_DONE_CHANGING); !done && match_next(&verb);)
        done = (verb.begin == plain || verb.begin[-1] != '/') &&
               (!is_state(plain, verb.begin) || words_at(verb.begin, WORDS_DONE_DEPLOYING));
    return done && !reading_is_doubted(reading);
}
