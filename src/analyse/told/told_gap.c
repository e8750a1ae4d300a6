/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_gap.h"

#include "analyse/told/told_reading.h"
#include "analyse/told/told_words.h"

#include <string.h>

/* The number that ends before this place, "18 %", "18%", which is moved to its beginning. */
static bool number_back(const char *plain, const char **place, double *ret_number)
{
    const char *end = *place;
    while (end > plain && end[-1] == ' ')
        end--;
    const char *begin = end;
    while (begin > plain && ((begin[-1] >= '0' && begin[-1] <= '9') || begin[-1] == '.'))
        begin--;
    *place = begin;
    return begin < end && view_double((struct view){begin, (size_t)(end - begin)}, ret_number);
}

/* "20 to 40 %", "20-40 %", "between 20 and 40 %": the least of a range whose most has the sign at `place`. */
static bool range_before(const char *plain, const char *place, double *ret_least)
{
    static const char *const joints[] = {"to", "-", "\xe2\x80\x93", "...", "and"};
    double most;
    if (!number_back(plain, &place, &most))
        return false;
    struct view ahead = view_trim((struct view){plain, (size_t)(place - plain)});
    for (size_t at = 0; at < array_count(joints); at++) {
        if (!view_ends(ahead, joints[at]))
            continue;
        const char *end = ahead.text + ahead.length - strlen(joints[at]);
        bool joined = number_back(plain, &end, ret_least) && *ret_least > 0 && *ret_least < most;
        return joined && (strcmp(joints[at], "and") != 0 || words_end(plain, end, WORDS_RANGE_BETWEEN));
    }
    return false;
}

static bool gap_of_times(const char *plain, struct interval *ret_gap)
{
    double times;
    for (const char *at = strpbrk(plain, "xt"); at; at = strpbrk(at + 1, "xt")) {
        const char *before = at;
        bool is_times = at[0] == 'x' ? !is_of_word(at[1]) : text_starts(at, "times ");
        if (is_times && number_back(plain, &before, &times) && times > 1 && times < 1000) {
            *ret_gap = interval_exactly(1 - 1 / times);
            return true;
        }
    }
    if (!plain_has(plain, WORDS_GAP_HALF))
        return false;
    *ret_gap = interval_exactly(0.5);
    return true;
}

/*
 * "18% ~ 125% lower", "12 % slower", "20 to 40 % longer", "1.3x slower". Whether a share is of the faster side's time
 * or of its speed is known of "longer" and of "throughput 35 % lower" alone; of the speed, which is as much of the
 * slower side's time. Else the lower end takes it as so much more time, the upper as so much less speed. Of 125 % less
 * speed there is none: then both shares are of the time, as both were told in one way.
 */
bool told_gap_numbers(const char *plain, struct interval *ret_gap)
{
    double first = 0, last = 0, number, least_of_range;
    bool of_time = false;
    for (const char *at = strchr(plain, '%'); at; at = strchr(at + 1, '%')) {
        const char *before = at;
        if (!number_back(plain, &before, &number) || !(number > 0))
            continue;
        bool is_range = range_before(plain, at, &least_of_range);
        first = first > 0 ? first : (is_range ? least_of_range : number) / 100;
        last = number / 100;
        of_time = words_at(at + 1, WORDS_GAP_OF_TIME);
    }
    if (first <= 0 || last <= 0)
        return gap_of_times(plain, ret_gap);
    double least = first < last ? first : last, most = first < last ? last : first;
    bool of_rate = most < 1 && plain_has(plain, WORDS_GAP_RATE) && plain_has(plain, WORDS_GAP_PERCENT_LOWER);
    double low = of_rate && !of_time ? least : 1 - 1 / (1 + least),
           high = most < 1 && !of_time ? most : 1 - 1 / (1 + most);
    *ret_gap = interval_of(low, (low + high) / 2, high);
    return true;
}

bool told_gap_of(const struct reading *reading, struct interval *ret_gap)
{
    const char *plain = reading->plain.text;
    bool named = reading->change != CHANGE_NONE;
    if (named && plain_has(plain, WORDS_GAP_MADE))
        return false;
    /* "throughput 35 % lower", of what is compared */
    bool lower = !named && plain_has(plain, WORDS_SPEED_RATE) && plain_has(plain, WORDS_GAP_PERCENT_LOWER);
    return (plain_has(plain, WORDS_GAP_TOLD) || lower) && told_gap_numbers(plain, ret_gap);
}
