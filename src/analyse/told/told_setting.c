/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_setting.h"

#include "analyse/told/told_words.h"

#include <string.h>

struct setting {
    enum treatment treatment;
    enum words file, made, other; /* made, other: values */
};

static const struct setting settings[] = {
    {TREATMENT_PAGES, WORDS_SETTING_PAGES, WORDS_SETTING_PAGES_ON, WORDS_SETTING_PAGES_OFF},
    {TREATMENT_NO_SMT, WORDS_SETTING_SMT, WORDS_SETTING_SMT_OFF, WORDS_SETTING_SMT_ON},
    {TREATMENT_GOVERNOR, WORDS_SETTING_GOVERNOR, WORDS_SETTING_GOVERNOR_FAST, WORDS_SETTING_GOVERNOR_SLOW},
    {TREATMENT_NO_QUOTA, WORDS_SETTING_QUOTA, WORDS_SETTING_QUOTA_NONE, WORDS_NONE},
};

/* Quotes and brackets around it are no part of the value. */
static enum change_reading value_reading(const struct setting *setting, struct view word)
{
    while (word.length && strchr("'[", word.text[0]))
        word = view_skip(word, 1);
    while (word.length && strchr("']", word.text[word.length - 1]))
        word.length--;
    if (word_is(word, setting->made))
        return CHANGE_MADE;
    return word_is(word, setting->other) ? CHANGE_TAKEN_BACK : CHANGE_NONE;
}

/* "echo never > ", "echo never | sudo tee ": the value before the file. */
static enum change_reading echoed(const struct setting *setting, const char *plain, const char *file)
{
    while (file > plain && file[-1] != ' ')
        file--;
    struct view into = word_back(plain, &file), value = {0};
    bool put = view_ends(into, ">") || view_ends(into, "tee");
    while (put && file > plain && (!value.length || word_is(value, WORDS_SETTING_PIPE)))
        value = word_back(plain, &file);
    return put ? value_reading(setting, value) : CHANGE_NONE;
}

/* "to always", "set it to always" behind it; a value that merely stands there is how it was found. */
static enum change_reading put_behind(const struct setting *setting, const char *behind)
{
    enum { NEAR_WORDS = 4 };
    enum change_reading found = CHANGE_NONE;
    struct view rest = view_of(behind), before = {0}, word;
    for (size_t at = 0; (word = view_word(&rest)).length; at++, before = word) {
        enum change_reading here = value_reading(setting, word);
        if (here != CHANGE_NONE && view_equal(before, "to"))
            return here;
        if (here == CHANGE_MADE && at == 1 && view_equal(before, "="))
            return here;
        if (here != CHANGE_NONE && at < NEAR_WORDS)
            found = CHANGE_NOT_MADE;
    }
    return found;
}

enum change_reading told_setting_of(const char *plain, enum treatment *ret_treatment)
{
    for (size_t at = 0; at < array_count(settings); at++) {
        struct match file = match_in(plain, settings[at].file);
        if (!match_next(&file))
            continue;
        enum change_reading reading = echoed(&settings[at], plain, file.begin);
        reading = reading == CHANGE_NONE ? put_behind(&settings[at], file.end) : reading;
        if (reading == CHANGE_NONE)
            continue;
        *ret_treatment = settings[at].treatment;
        return reading;
    }
    return CHANGE_NONE;
}

bool told_names_setting(const char *plain)
{
    bool named = false;
    for (size_t at = 0; at < array_count(settings) && !named; at++)
        named = plain_has(plain, settings[at].file);
    return named;
}
