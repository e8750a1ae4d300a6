/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_side.h"

#include "analyse/told/told_quantity.h"
#include "analyse/told/told_words.h"

#include <string.h>

static const char *const articles[] = {"the", "a", "an", "our", "its", "this", "both", NULL};
static const char *const within[] = {"in", "on", "inside", "within", NULL};

/* "the job in the guest": what takes its time there, and no change. */
static bool is_of_work(const char *plain, const char *place)
{
    static const char *const work[] = {"job",         "run",        "batch", "build",       "program",    "benchmark",
                                       "workload",    "test",       "query", "loop",        "time",       "runtime",
                                       "latency",     "throughput", "speed", "task",        "simulation", "compile",
                                       "performance", "service",    "app",   "application", NULL};
    return word_is(word_back(plain, &place), work);
}

/* "the guest reaches 41000 tps", "guest performance became the same": how it came out there. */
static bool is_subject_of_outcome(const char *behind)
{
    static const char *const verbs[] = {
        "was",       "is",      "were",    "are",      "became",   "becomes",  "took",     "takes",    "ran",
        "runs",      "needed",  "needs",   "caught",   "did",      "does",     "showed",   "shows",    "performs",
        "performed", "reached", "reaches", "achieved", "achieves", "finished", "finishes", "manages",  "managed",
        "scores",    "scored",  "went",    "goes",     "dropped",  "improved", "stayed",   "remained", NULL};
    static const char *const measures[] = {"performance", "throughput", "runtime", "latency", "speed", "time", NULL};
    struct quantity amount;
    struct view rest = view_of(behind + strcspn(behind, " ")), word = view_word(&rest);
    if (word_is(word, verbs) || word_is(word, measures))
        return true;
    /* "gets 41000 tps", "at 41000 tps" */
    bool has_amount = word.length && word.text[0] != ',' && quantity_next(word.text, behind, &amount) &&
                      (amount.kind == QUANTITY_TIME || amount.kind == QUANTITY_RATE);
    return has_amount && (size_t)(amount.begin - word.text) <= word.length + 1;
}

/* "guest and host": what is told of one is told of the other. */
static bool is_joined(const char *behind)
{
    static const char *const next[] = {
        " and host",    " and guest",      " and the host", " and the guest", " & host", " & guest",     "+host",
        "+guest",       " + host",         " + guest",      "/host",          "/guest",  " and in the ", " and inside ",
        " and on the ", " and hypervisor", " , host , ",    " , guest , ",    NULL};
    for (const char *const *words = next; *words; words++)
        if (plain_starts(behind, *words))
            return true;
    return false;
}

/* "the guest's memory": the host's behind it. */
static bool is_memory(const char *behind)
{
    static const char *const memory[] = {"'s memory", "'s memfd", "'s ram", " memory", " memfd", " ram ", NULL};
    for (const char *const *words = memory; *words; words++)
        if (plain_starts(behind, *words))
            return true;
    return false;
}

enum place_kind {
    PLACE_NONE,  /* it is what is compared, or what takes its time there */
    PLACE_LOOSE, /* named, and not by where it is: "guest THP off" */
    PLACE_AT     /* "in the guest", "on host and guest" */
};

/*
 * Whether a host or guest that is named is where something was changed: "in the guest" is, what is compared isn't ("the
 * gap between the guests", "the guest was as fast", "as on the host"), nor what the host does for it ("behind the
 * guest").
 */
static enum place_kind place_kind_of(const char *plain, const char *name, const char *behind)
{
    static const char *const joining[] = {"and", "&", NULL}, *const comparing[] = {"as", "like", "than", NULL};
    static const char *const other_side[] = {"host", "guest", "hypervisor", NULL};
    static const char *const beside[] = {"behind", "between", "backing", "beneath", "under", NULL};
    static const char *const compared[] = {"both", "two", NULL};
    enum { WORDS_BACK = 3 };
    bool located = false, several = *behind == 's' && behind[1] == ' ', ends = plain_starts(behind, " , ");
    if (plain_starts(name, "guest_memfd") || plain_starts(name, "guest memfd"))
        return PLACE_NONE; /* the host's memory behind a guest, by KVM's name */
    if (is_memory(behind) && plain_has(plain, (const char *const[]){"host", "hypervisor", NULL}))
        return PLACE_NONE;
    for (const char *const *words = within; *words; words++) { /* "in the vm" has its own */
        size_t length = strlen(*words);
        if (strncmp(name, *words, length) == 0 && name[length] == ' ')
            return is_of_work(plain, name) ? PLACE_NONE : PLACE_AT;
    }
    for (size_t back = 0; back < WORDS_BACK && !located; back++) {
        struct view word = word_back(plain, &name);
        if (word_is(word, beside) || (several && word_is(word, compared)))
            return PLACE_NONE;
        bool is_within = word_is(word, within);
        const char *ahead = name;
        if (is_within && (word_is(word_back(plain, &ahead), comparing) || is_of_work(plain, name)))
            return PLACE_NONE;
        bool joined = word_is(word, joining) || (ends && view_equal(word, ","));
        located = is_within || (joined && word_is(word_back(plain, &name), other_side));
        if (!located && !word_is(word, articles) && word.length && word.text[0] == ',')
            break;
    }
    return located || is_joined(behind) ? PLACE_AT : is_subject_of_outcome(behind) ? PLACE_NONE : PLACE_LOOSE;
}

/* "guest left alone", "(guest THP off again)", "not on the host" */
static bool is_left_alone(const char *plain, const char *name, const char *behind)
{
    static const char *const after[] = {" unchanged",    " untouched",   " left ",     " was left ", " kept ",
                                        " off ",         " thp off ",    " as before", " on 4",      " on small ",
                                        " without huge", " without thp", NULL};
    static const char *const before[] = {"not", "off", NULL};
    for (const char *const *words = after; *words; words++)
        if (strncmp(behind, *words, strlen(*words)) == 0)
            return true;
    struct view article = word_back(plain, &name), place = word_back(plain, &name);
    return view_equal(article, "the") && (view_equal(place, "in") || view_equal(place, "on")) &&
           word_is(word_back(plain, &name), before);
}

struct side {
    const char *at, *loose; /* the last place that it is at, the first where it is only named; NULL: there is none */
    bool alone, left;
};

static struct side side_of(const char *plain, const char *const *names)
{
    struct side side = {.at = NULL};
    for (const char *const *name = names; *name; name++)
        for (const char *at = plain_find(plain, *name); at; at = plain_find(at + 1, *name)) {
            const char *behind = at + strlen(*name), *ahead = at;
            struct view only = word_back(plain, &ahead);
            enum place_kind kind = place_kind_of(plain, at, behind);
            if (kind == PLACE_NONE)
                continue;
            side.at = kind == PLACE_AT && at > side.at ? at : side.at;
            side.loose = kind == PLACE_LOOSE && (!side.loose || at < side.loose) ? at : side.loose;
            side.left |= is_left_alone(plain, at, behind);
            side.alone |= strncmp(behind, " only ", 6) == 0 || strncmp(behind, " alone ", 7) == 0;
            while (word_is(only, (const char *const[]){"the", "on", "in", NULL}))
                only = word_back(plain, &ahead);
            side.alone |= view_equal(only, "only");
        }
    return side;
}

/* "in addition", but not "as well as the plain one". */
static bool is_added(const char *plain)
{
    static const char *const added[] = {"too ", "in addition", "additionally", "on top", NULL};
    static const char *const doing[] = {"did", "does", "do", "performs", "performed", NULL};
    for (const char *place = plain_find(plain, "as well"); place; place = plain_find(place + 1, "as well")) {
        const char *ahead = place;
        if (!plain_starts(place, "as well as ") && !word_is(word_back(plain, &ahead), doing))
            return true;
    }
    return plain_has(plain, added);
}

/* One that is only named behind the place of the change is what that was tried for. */
static bool is_changed(const struct side *side, const struct side *other)
{
    return side->at || (side->loose && !(other->at && other->at < side->loose));
}

struct told_sides told_sides_of(const char *plain)
{
    static const char *const host[] = {"host",         "hypervisor",        "in the flavor",  "in the flavour",
                                       "compute node", "behind the guest",  "behind the vm",  "behind the td ",
                                       "behind guest", "backing the guest", "backing the vm", NULL};
    static const char *const guest[] = {"guest",         "inside the vm",       "in the vm",       "in the td ",
                                        "inside the td", "inside the instance", "in the instance", NULL};
    static const char *const both[] = {"both sides", "on both", "either side", NULL};
    struct side on_host = side_of(plain, host), on_guest = side_of(plain, guest);
    bool host_named = is_changed(&on_host, &on_guest), guest_named = is_changed(&on_guest, &on_host);
    bool to_other = (host_named || guest_named) && is_added(plain); /* to what was changed there */
    struct told_sides sides = {.on_host = host_named || plain_has(plain, both) || to_other,
                               .on_guest = guest_named || plain_has(plain, both) || to_other};
    if (on_host.alone || on_guest.left) {
        sides.on_host = true;
        sides.on_guest = false;
    } else if (on_guest.alone || on_host.left) {
        sides.on_host = false;
        sides.on_guest = true;
    }
    return sides;
}
