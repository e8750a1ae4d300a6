/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_beside.h"

#include "analyse/told/told_change.h"
#include "analyse/told/told_near.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_words.h"

#include <string.h>

/* ---- what a machine or a program is made of ---- */

/* "two vcpus", "8 more vcpus", "twice the memory", "kernel 6.9", "a newer qemu": begins so. */
static bool is_other_thing(struct view text)
{
    enum { SPAN_MOST = 5 };
    bool counted = false;
    struct view word;
    for (size_t words = 0; words < SPAN_MOST && (word = view_word(&text)).length && word.text[0] != ','; words++) {
        struct view ahead = text, next = view_word(&ahead);
        if (word_is(word, WORDS_BESIDE_THING))
            return counted || (word_is_number(next) && next.text[0] != '#' && !word_is(next, WORDS_BESIDE_NO_VERSION));
        bool is_kind = word_is(word, WORDS_BESIDE_KIND);
        counted |= is_kind;
        if (!is_kind && !word_is(word, WORDS_BESIDE_SMALL))
            return false;
    }
    return false;
}

/* Nothing but small words between the beginning of the last noun phrase and its end: "gave it two vcpus". */
static bool ends_in_other_thing(const char *plain, const char *end)
{
    enum { BACK_MOST = 3 };
    const char *phrase_end = end;
    for (size_t back = 0; back < BACK_MOST; back++) {
        struct view word = word_back(plain, &end);
        if (!word.length || word.text[0] == ',' || view_equal(word, "and"))
            return false;
        if (is_other_thing((struct view){end, (size_t)(phrase_end - end)}))
            return true;
    }
    return false;
}

/* The number behind "gcc", "kernel", which is its version; empty: none stands there. */
static struct view version_behind(const struct match *thing)
{
    struct view next = word_at(thing->end);
    struct view word = {thing->begin, (size_t)(thing->end - thing->begin)};
    bool is_version = word_is_number(next) && next.text[0] != '#' && !word_is(word, WORDS_BESIDE_NO_VERSION);
    return is_version ? next : (struct view){0};
}

/* "gcc 9 , glibc malloc" against "gcc 13 , jemalloc" */
static bool versions_differ(const char *plain)
{
    for (struct match thing = match_in(plain, WORDS_BESIDE_THING); match_next(&thing);) {
        struct view version = version_behind(&thing);
        struct match again = match_in(thing.end, WORDS_BESIDE_THING);
        while (version.length && match_next(&again)) {
            struct view other = again.index == thing.index ? version_behind(&again) : (struct view){0};
            if (other.length && (other.length != version.length || memcmp(other.text, version.text, other.length) != 0))
                return true;
        }
    }
    return false;
}

/* ---- together with a change ---- */

/* The rest of the clause up to here names a change. */
static bool names_change(const char *begin, const char *end, size_t most)
{
    struct plain_sentence piece;
    size_t length = strcspn(begin, ",");
    length = length < (size_t)(end - begin) ? length : (size_t)(end - begin);
    plain_sentence_of(&piece, (struct view){begin, length < most ? length : most});
    return told_changes_in(piece.text);
}

/* "two vCPUs and nohz_full=1", "nohz_full and kernel 6.9", "enabled huge pages and gave it 8 more vCPUs" */
static bool is_beside_another_thing(const char *plain)
{
    enum { NEAR_CHANGE = 40 };
    for (struct match joint = match_in(plain, WORDS_BESIDE_JOINT); match_next(&joint);) {
        struct view ahead = {plain, (size_t)(joint.begin - plain)};
        ahead = view_skip(ahead, ahead.length > NEAR_MOST ? ahead.length - NEAR_MOST : 0);
        if (piece_has(ahead, WORDS_BESIDE_COMPARED)) /* "on the old and the new kernel" */
            continue;
        const char *given = words_at(joint.end, WORDS_BESIDE_GIVING);
        if (is_other_thing(view_of(given ? given : joint.end)) ||
            (ends_in_other_thing(plain, joint.begin) &&
             names_change(joint.end, joint.end + strlen(joint.end), NEAR_CHANGE)))
            return true;
    }
    return false;
}

/* "and the new glibc", "moved to Debian 13": another thing was changed with it, by no name that is known here. */
static bool is_joined_by_unknown(const char *plain)
{
    enum { NEAR_BEHIND = 30 };
    for (struct match joined = match_in(plain, WORDS_BESIDE_UNKNOWN); match_next(&joined);) {
        const char *with = strstr(joined.end, " with "), *end = with ? with : joined.end + strlen(joined.end);
        if (!names_change(joined.end, end, NEAR_BEHIND))
            return true;
    }
    return false;
}

/* "the release that switched to it": what else it brought isn't told. */
static const struct word_rule bundled = {WORDS_BESIDE_WHICH, .behind = WORDS_BESIDE_BRINGING};

/* What stands there tells how it came out: "and the kernel was just as slow". */
static bool tells_outcome(const char *place)
{
    const char *next;
    struct view piece = {place, (size_t)(clause_end(place, WORDS_JOINT_PLAIN, &next) - place)};
    return piece_has(piece, WORDS_OUTCOME_STAYED) || piece_has(piece, WORDS_OUTCOME_GONE) ||
           piece_has(piece, WORDS_VERB_STAY);
}

/* An amount that isn't only a number, in this clause. */
static bool has_amount(const char *place, const char *plain)
{
    const char *end = place + strcspn(place, ",");
    struct quantity amount;
    for (; quantity_next(place, plain, &amount) && amount.begin < end; place = amount.end)
        if (amount.kind != QUANTITY_BARE)
            return true;
    return false;
}

/* "the replay went from 10 s to 7 s": a subject, and what became of it. */
static bool is_measured(const char *place, const char *plain)
{
    enum { SUBJECT_MOST = 4 };
    struct view rest = view_of(place), word;
    for (size_t words = 0; words <= SUBJECT_MOST && (word = view_word(&rest)).length && word.text[0] != ','; words++)
        if (word_is(word, WORDS_BESIDE_MEASURED))
            return has_amount(word.text, plain);
    return false;
}

/* "and its EPT has 99 % huge entries": what is seen of the change. */
static bool is_share_seen(const char *place)
{
    enum { SUBJECT_MOST = 3 };
    struct view rest = view_of(place), word;
    for (size_t words = 0; words <= SUBJECT_MOST && (word = view_word(&rest)).length && word.text[0] != ','; words++)
        if (word_is(word, WORDS_BESIDE_SHOWING))
            return word_is_number(word = view_word(&rest)) &&
                   (view_ends(word, "%") || view_equal(view_word(&rest), "%"));
    return false;
}

/* "and rewriting the inner loop": another thing was changed, whatever it is. */
static bool is_joined_by_another(const char *plain)
{
    for (struct match joint = match_in(plain, WORDS_BESIDE_ADDING); match_next(&joint);) {
        const char *behind = joint.end, *ahead = joint.begin;
        for (const char *small; (small = words_at(behind, WORDS_BESIDE_SMALL_WORDS)) ||
                                (small = words_at(behind, WORDS_BESIDE_SWITCHING));)
            behind = small;
        if (!words_at(behind, WORDS_BESIDE_OF_IT) && !word_is(word_back(plain, &ahead), WORDS_BESIDE_OLD) &&
            !tells_outcome(behind) && !is_measured(behind, plain) && !is_share_seen(behind) &&
            !names_change(behind, behind + strlen(behind), NEAR_MOST))
            return true;
    }
    return false;
}

/* ---- what is admitted behind it ---- */

/* The clause says that something was done, beside a change that it doesn't name: "I also restarted it". */
static bool admits(struct view clause)
{
    static const struct word_rule we_also = {WORDS_BESIDE_WE_ALSO, .not_behind = WORDS_BESIDE_SEEN};
    struct plain_sentence plain;
    plain_sentence_of(&plain, clause);
    bool did = plain_has(plain.text, WORDS_BESIDE_ALSO) && plain_has(plain.text, WORDS_BESIDE_DID);
    return (did || rules_hold(plain.text, &we_also, 1)) && !told_changes_in(plain.text);
}

bool told_admits_another(const char *plain)
{
    static const struct word_rule load = {WORDS_BESIDE_LOAD_IS, .behind = WORDS_BESIDE_LOAD_LESS, .within = 5};
    return plain_has(plain, WORDS_BESIDE_LOAD) || rules_hold(plain, &load, 1) || admits(view_of(plain));
}

/* "… , although I also restarted it" */
static bool is_admitted_behind(const char *plain)
{
    const char *next;
    for (struct match joint = match_in(plain, WORDS_BESIDE_ADMITTING); match_next(&joint);)
        if (admits((struct view){joint.end, (size_t)(clause_end(joint.end, WORDS_JOINT_ANY, &next) - joint.end)}))
            return true;
    return false;
}

bool told_changes_another(const char *plain)
{
    static const struct word_rule fresh = {WORDS_BESIDE_THE_NEW, .not_ahead = WORDS_BESIDE_OLD};
    return told_admits_another(plain) || is_admitted_behind(plain) || versions_differ(plain) ||
           words_at(plain, WORDS_BESIDE_WITH_OLD) || rules_hold(plain, &fresh, 1) || rules_hold(plain, &bundled, 1) ||
           is_joined_by_another(plain) || is_joined_by_unknown(plain) || is_beside_another_thing(plain);
}
