/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_side.h"

#include "analyse/told/told_quantity.h"
#include "analyse/told/told_words.h"

#include <string.h>

/* "the job in the guest": what takes its time there, and no change. */
static bool is_of_work(const char *plain, const char *place)
{
    return word_is(word_back(plain, &place), WORDS_SIDE_WORK);
}

/* "the guest reaches 41000 tps", "guest performance became the same": how it came out there. */
static bool is_subject_of_outcome(const char *behind)
{
    struct quantity amount;
    const char *rest = behind + strcspn(behind, " ");
    struct view word = word_at(rest);
    if (words_at(rest, WORDS_SIDE_OUTCOME))
        return true;
    /* "gets 41000 tps", "at 41000 tps" */
    bool has_amount = word.length && word.text[0] != ',' && quantity_next(word.text, behind, &amount) &&
                      (amount.kind == QUANTITY_TIME || amount.kind == QUANTITY_RATE);
    return has_amount && (size_t)(amount.begin - word.text) <= word.length + 1;
}

enum place_kind {
    PLACE_NONE,  /* it is what is compared, or what takes its time there */
    PLACE_LOOSE, /* named, and not by where it is: "guest THP off" */
    PLACE_AT     /* "in the guest", "on host and guest" */
};

/* By the words before it, back to the clause's beginning; PLACE_LOOSE: they don't tell. */
static enum place_kind kind_ahead(const char *plain, const char *name, const char *behind)
{
    enum { BACK_MOST = 3 };
    bool several = *behind == 's' && behind[1] == ' ', ends = words_at(behind, WORDS_SMALL_COMMA);
    for (size_t back = 0; back < BACK_MOST; back++) {
        struct view word = word_back(plain, &name);
        if (word_is(word, WORDS_SIDE_BESIDE) || (several && word_is(word, WORDS_SIDE_COMPARED)))
            return PLACE_NONE;
        bool is_within = word_is(word, WORDS_SIDE_WITHIN);
        const char *ahead = name;
        if (is_within && (word_is(word_back(plain, &ahead), WORDS_SMALL_COMPARING) || is_of_work(plain, name)))
            return PLACE_NONE;
        bool joined = word_is(word, WORDS_SIDE_JOINING) || (ends && view_equal(word, ","));
        if (is_within || (joined && word_is(word_back(plain, &name), WORDS_SIDE_OTHER)))
            return PLACE_AT;
        if (word.length && word.text[0] == ',')
            break;
    }
    return PLACE_LOOSE;
}

/*
 * Whether a host or guest that is named is where something was changed: "in the guest" is, what is compared isn't ("the
 * gap between the guests", "the guest was as fast", "as on the host"), nor what the host does for it ("behind the
 * guest").
 */
static enum place_kind place_kind_of(const char *plain, const char *name, const char *behind)
{
    bool is_guests = !words_at(name, WORDS_SIDE_HOST_WORD);
    if (words_at(name, WORDS_SIDE_MEMFD) || /* the host's memory behind a guest, by KVM's name */
        (is_guests && words_at(behind, WORDS_SIDE_BACKING)) ||
        (is_guests && words_at(behind, WORDS_SIDE_MEMORY) && plain_has(plain, WORDS_SIDE_HOST_WORD)))
        return PLACE_NONE;
    if (words_at(name, WORDS_SIDE_WITHIN)) /* "in the vm" has its own */
        return is_of_work(plain, name) ? PLACE_NONE : PLACE_AT;
    enum place_kind kind = kind_ahead(plain, name, behind);
    if (kind == PLACE_LOOSE)
        kind = words_at(behind, WORDS_SIDE_JOINED) ? PLACE_AT : kind;
    return kind == PLACE_LOOSE && is_subject_of_outcome(behind) ? PLACE_NONE : kind;
}

/* "guest left alone", "(guest THP off again)", "not on the host" */
static bool is_left_alone(const char *plain, const char *name, const char *behind)
{
    return words_at(behind, WORDS_SIDE_LEFT) || words_end(plain, name, WORDS_SIDE_NOT);
}

struct side {
    const char *at, *loose; /* the last place that it is at, the first where it is only named; NULL: there is none */
    bool alone, left;
};

static struct side side_of(const char *plain, enum words names)
{
    struct side side = {.at = NULL};
    for (struct match name = match_in(plain, names); match_next(&name);) {
        const char *ahead = name.begin;
        struct view only = word_back(plain, &ahead);
        enum place_kind kind = place_kind_of(plain, name.begin, name.end);
        if (kind == PLACE_NONE)
            continue;
        side.at = kind == PLACE_AT && name.begin > side.at ? name.begin : side.at;
        side.loose = kind == PLACE_LOOSE && (!side.loose || name.begin < side.loose) ? name.begin : side.loose;
        side.left |= is_left_alone(plain, name.begin, name.end);
        while (word_is(only, WORDS_SIDE_SMALL))
            only = word_back(plain, &ahead);
        side.alone |= words_at(name.end, WORDS_SIDE_ALONE) || view_equal(only, "only");
    }
    return side;
}

/* "in addition", but not "as well as the plain one". */
static bool is_added(const char *plain)
{
    static const struct word_rule added[] = {
        {WORDS_SIDE_ADDED}, {WORDS_SIDE_AS_WELL, .not_ahead = WORDS_SIDE_DOING, .not_behind = WORDS_SMALL_COMPARING}};
    return rules_hold(plain, added, array_count(added));
}

/* One that is only named behind the place of the change is what that was tried for. */
static bool is_changed(const struct side *side, const struct side *other)
{
    return side->at || (side->loose && !(other->at && other->at < side->loose));
}

struct told_sides told_sides_of(const char *plain)
{
    struct side on_host = side_of(plain, WORDS_SIDE_HOST), on_guest = side_of(plain, WORDS_SIDE_GUEST);
    bool host_named = is_changed(&on_host, &on_guest), guest_named = is_changed(&on_guest, &on_host);
    if (on_host.alone || on_guest.left)
        return (struct told_sides){.on_host = true};
    if (on_guest.alone || on_host.left)
        return (struct told_sides){.on_guest = true};
    /* "too": to what was changed there */
    bool both = plain_has(plain, WORDS_SIDE_BOTH) || ((host_named || guest_named) && is_added(plain));
    return (struct told_sides){.on_host = host_named || both, .on_guest = guest_named || both};
}
