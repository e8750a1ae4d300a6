/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_size.h"

#include "analyse/told/told_near.h"
#include "analyse/told/told_words.h"

#include <ctype.h>
#include <string.h>

/* ---- one size ---- */

/* A number as it stands behind a setting, "400", "16g": in bytes, or whatever it counts. */
static bool size_read(const char **text, double *ret_size)
{
    static const char units[] = "kmgt";
    *text += strspn(*text, " ");
    size_t length = strspn(*text, "0123456789."), unit = 0;
    if (!length || !view_double((struct view){*text, length}, ret_size))
        return false;
    const char *behind = *text + length + ((*text)[length] == ' ');
    bool is_unit = *behind && strchr(units, *behind) && !isalpha((unsigned char)behind[strspn(behind, "kmgtib")]);
    *text = is_unit && (behind[-1] != ' ' || strchr("ib", behind[1])) ? behind : *text + length;
    if (!is_unit) /* "4 times" */
        return true;
    for (; units[unit] && **text != units[unit]; unit++)
        ;
    for (size_t thousands = 0; units[unit] && thousands <= unit; thousands++)
        *ret_size *= 1024;
    *text += strspn(*text, "kmgtib");
    return true;
}

/* What is said of the size of something, from here on: "from 64 to 8", "16g instead of 8g", "to 16g", "64 -> 4". */
struct resize {
    double before, after; /* 0: not told */
};

static struct resize resize_of(const char *behind)
{
    double first, last;
    bool is_from = words_at(behind, WORDS_SMALL_FROM);
    const char *filler = words_at(behind, WORDS_SIZE_FILLER);
    behind = filler ? filler : behind;
    if (!size_read(&behind, &first))
        return (struct resize){0};
    const char *counted = words_at(behind, WORDS_SIZE_COUNTED);
    behind = counted ? counted : behind;
    const char *becoming = words_at(behind, WORDS_SIZE_BECOMING);
    const char *other = becoming ? becoming : words_at(behind, is_from ? WORDS_SMALL_TO : WORDS_SIZE_INSTEAD);
    is_from |= becoming != NULL;
    if (!other)
        return (struct resize){.after = first};
    other += is_from ? 0 : strcspn(other, "0123456789,");
    if (!size_read(&other, &last))
        return (struct resize){.after = is_from ? 0 : first};
    return is_from ? (struct resize){first, last} : (struct resize){last, first};
}

/* "without it", "never set it" */
static bool is_lessened(const char *plain, const char *place)
{
    return near_has(plain, place, WORDS_SIZE_LESSENING) || near_is_denied(plain, place);
}

/* ---- what has a size ---- */

/* "16 threads instead of 256", "threads from 64 to 8"; false: it tells no two numbers of them. */
static bool threads_resized(const char *plain, struct resize *ret_resize)
{
    for (struct match against = match_in(plain, WORDS_THREADS_AGAINST); match_next(&against);) {
        const char *place = against.begin;
        if (view_double(word_back(plain, &place), &ret_resize->after) &&
            view_double(word_at(against.end), &ret_resize->before))
            return true;
    }
    for (struct match noun = match_in(plain, WORDS_THREADS_NOUN); match_next(&noun);) {
        *ret_resize = resize_of(noun.end);
        if (ret_resize->before > 0 && ret_resize->after > 0)
            return true;
    }
    return false;
}

/* Fewer of them, by "omp_num_threads=1", too: none can be fewer. */
static enum change_reading threads_in(const char *plain)
{
    struct resize resize;
    if (threads_resized(plain, &resize))
        return resize.after < resize.before ? CHANGE_MADE : CHANGE_NOT_MADE;
    enum change_reading found = CHANGE_NONE;
    for (struct match set = match_in(plain, WORDS_THREADS_VARIABLE); match_next(&set);) {
        resize = resize_of(set.end);
        if (text_starts(set.end, "1 ") || (resize.before > 0 && resize.after < resize.before))
            return CHANGE_MADE;
        found = CHANGE_NOT_MADE;
    }
    return found;
}

double told_threads_ratio(const char *plain)
{
    struct resize resize;
    if (threads_resized(plain, &resize))
        return resize.after / resize.before;
    return plain_has(plain, WORDS_THREADS_HALVED) ? 0.5 : plain_has(plain, WORDS_THREADS_DOUBLED) ? 2 : 0;
}

static enum change_reading more_threads_in(const char *plain)
{
    struct resize resize;
    if (threads_resized(plain, &resize))
        return resize.after > resize.before ? CHANGE_MADE : CHANGE_NONE;
    for (struct match set = match_in(plain, WORDS_THREADS_VARIABLE); match_next(&set);) {
        resize = resize_of(set.end);
        if (resize.before > 0 && resize.after > resize.before)
            return CHANGE_MADE;
    }
    return CHANGE_NONE;
}

/* "omp_num_threads=16" alone: whether they were more or fewer before isn't told. */
static enum change_reading set_threads_in(const char *plain)
{
    for (struct match set = match_in(plain, WORDS_THREADS_VARIABLE); match_next(&set);) {
        struct resize resize = resize_of(set.end);
        if (resize.before <= 0 && resize.after > 1)
            return CHANGE_MADE;
    }
    return CHANGE_NONE;
}

/* "GOGC=400", "raised -Xmx from 8g to 16g": the collector's settings, and whether they gave it more room. */
static enum change_reading heap_in(const char *plain)
{
    static const double DEFAULT_GOGC = 100; /* the first of the group */
    struct match setting = match_in(plain, WORDS_HEAP_SETTING);
    if (!match_next(&setting))
        return CHANGE_NONE;
    struct resize resize = resize_of(setting.end);
    double before = resize.before > 0 ? resize.before : setting.index == 0 ? DEFAULT_GOGC : 0;
    return resize.after > before && !is_lessened(plain, setting.begin) ? CHANGE_MADE : CHANGE_NOT_MADE;
}

/* "a 64 KiB buffer" alone: of two it isn't told which is the larger. */
static enum change_reading buffer_in(const char *plain)
{
    const char *found = NULL;
    for (struct match buffer = match_in(plain, WORDS_BUFFER_SIZED); match_next(&buffer);) {
        const char *size = buffer.begin;
        double bytes;
        if (!word_is_number(word_back(plain, &size))) /* "64 KiB", "64k" */
            (void)word_back(plain, &size);
        const char *end = size;
        if (!size_read(&end, &bytes) || !isalpha((unsigned char)end[-1]) || end + strspn(end, " ") != buffer.begin)
            continue;
        if (found)
            return CHANGE_NOT_MADE;
        found = size;
    }
    if (!found)
        return CHANGE_NONE;
    return is_lessened(plain, found) ? CHANGE_NOT_MADE : CHANGE_MADE;
}

/* "unrolled only 4 times", "unrolled just 8x" */
static bool is_unrolled_little(const char *end)
{
    static const double FEW = 16;
    double times;
    const char *few = words_at(end, WORDS_UNROLLING_FEW);
    struct view word = few ? word_at(few) : (struct view){0};
    word.length -= view_ends(word, "x");
    return few && view_double(word, &times) && times <= FEW;
}

/* "capping the unroll factor at 8", "unrolled less", "unrolled only 4 times": less of it alone makes code smaller. */
static enum change_reading unrolling_in(const char *plain)
{
    struct match unrolling = match_in(plain, WORDS_UNROLLING_DONE);
    if (!match_next(&unrolling))
        return CHANGE_NONE;
    const char *place = unrolling.begin, *end = place + strcspn(place, " ");
    const char *factor = words_at(end, WORDS_UNROLLING_FACTOR);
    end = factor ? factor : end;
    struct resize resize = resize_of(end);
    bool is_less = near_has(plain, place, WORDS_UNROLLING_LESS) || near_has(plain, place, WORDS_SIZE_LESSENING) ||
                   words_at(end, WORDS_UNROLLING_LESS_BEHIND) || is_unrolled_little(end) ||
                   (resize.before > 0 && resize.after < resize.before);
    bool is_more = near_has(plain, place, WORDS_UNROLLING_MORE) || (resize.before > 0 && resize.after > resize.before);
    return is_less && !is_more && !near_is_denied(plain, place) ? CHANGE_MADE : CHANGE_NOT_MADE;
}

/* "split it into 64 locks" */
static enum change_reading locks_in(const char *plain)
{
    double count;
    for (struct match locks = match_in(plain, WORDS_LOCK_NOUN); match_next(&locks);) {
        const char *place = locks.begin;
        if (view_double(word_back(plain, &place), &count) && count > 1 && words_end(plain, place, WORDS_LOCK_INTO) &&
            near_has(plain, place, WORDS_LOCK_ONE))
            return CHANGE_MADE;
    }
    return CHANGE_NONE;
}

/* "resized the VM to 16 GiB", "gave the guest 16 GiB of memory": of what runs it, not of a disk or a cache. */
static enum change_reading memory_in(const char *plain)
{
    for (struct match growing = match_in(plain, WORDS_MEMORY_GROWING); match_next(&growing);) {
        const char *machine = words_at(growing.end, WORDS_MEMORY_MACHINE);
        if (!machine)
            continue;
        const char *size = machine + strcspn(machine, "0123456789,");
        struct view before = {machine, (size_t)(size - machine)};
        const char *unit = size + strspn(size, "0123456789 ");
        const char *end = size < unit ? words_at(unit, WORDS_MEMORY_UNIT) : NULL;
        if (end && !words_at(end, WORDS_MEMORY_OF_DISK) && !piece_has(before, WORDS_MEMORY_OTHER))
            return CHANGE_MADE;
    }
    return CHANGE_NONE;
}

enum change_reading told_size_of(const char *plain, enum treatment treatment)
{
    switch (treatment) {
    case TREATMENT_FEWER_THREADS:
        return threads_in(plain);
    case TREATMENT_MORE_THREADS:
        return more_threads_in(plain);
    case TREATMENT_SET_THREADS:
        return set_threads_in(plain);
    case TREATMENT_HEAP:
        return heap_in(plain);
    case TREATMENT_BUFFER:
        return buffer_in(plain);
    case TREATMENT_LESS_UNROLLING:
        return unrolling_in(plain);
    case TREATMENT_FINER_LOCK:
        return locks_in(plain);
    case TREATMENT_MORE_MEMORY:
        return memory_in(plain);
    default:
        return CHANGE_NONE;
    }
}

bool told_is_small_raise(const char *plain, enum treatment treatment)
{
    static const double ENOUGH = 1.5; /* times as much */
    bool is_limit = treatment == TREATMENT_NO_QUOTA || treatment == TREATMENT_NO_LIMIT, found = false;
    struct match limit = match_in(plain, treatment == TREATMENT_NO_QUOTA ? WORDS_QUOTA : WORDS_LIMIT);
    while (is_limit && !found && match_next(&limit)) {
        struct resize resize = resize_of(limit.end);
        found = resize.before > 0 && resize.after < ENOUGH * resize.before;
    }
    return found;
}
