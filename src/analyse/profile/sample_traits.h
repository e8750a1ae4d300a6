/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What else tells samples apart, beside where they fell and who was there: weights, what memory answered, the fields of
 * a tracepoint. Each such key is a trait with a value for every sample; the values of one sample together are interned
 * as a set, so that a tally need only count by the set's number.
 */
#ifndef PLUMB_ANALYSE_PROFILE_SAMPLE_TRAITS_H
#define PLUMB_ANALYSE_PROFILE_SAMPLE_TRAITS_H

#include "base/hashmap.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define TRAITS_MOST 32
#define TRAITS_NONE UINT32_MAX

enum trait_form {
    TRAIT_TEXT,
    TRAIT_NUMBER,
    TRAIT_SUM,  /* a number, shown for all samples of a row together: value times samples */
    TRAIT_TIME, /* nanoseconds, shown as seconds */
    TRAIT_LOCATION, /* becomes a text when names are known: sample_traits_settle() */
};

struct trait {
    const char *heading; /* of its column; not ours */
    enum trait_form form;
    bool right; /* stands at the right of its column */
};

/* A number, or the id of a text of the traits' own. */
struct trait_set {
    uint64_t values[TRAITS_MOST]; /* those behind sample_traits.count are 0 */
};

struct sample_traits {
    struct trait items[TRAITS_MOST];
    size_t count;
    bool nanoseconds; /* times are shown with nine digits, not six */
    struct trait_set *sets;
    size_t set_count, set_capacity;
    struct hashmap set_map;
    struct strings texts;
};

void sample_traits_init(struct sample_traits *traits);
void sample_traits_done(struct sample_traits *traits);
uint64_t sample_traits_text(struct sample_traits *traits, struct view text);
uint32_t sample_traits_intern(struct sample_traits *traits, const struct trait_set *set);
/* How the text of a location is found; adds it to `out`. */
typedef void (*trait_text_add)(void *context, size_t trait, uint32_t location, struct text *out);
/*
 * Make texts of the sets' locations; ret_sets[set] is the set that it becomes, of those there were. Owner: the caller.
 */
uint32_t *sample_traits_settle(struct sample_traits *traits, trait_text_add add, void *context);
/* The value of a set, as its column shows it for a row of so many samples. */
void sample_traits_show(const struct sample_traits *traits, uint32_t set, size_t trait, uint64_t samples,
                        struct text *out);
/* Numbers ascend, texts go by the alphabet. */
int sample_traits_order(const struct sample_traits *traits, uint32_t a, uint32_t b, size_t trait);

#endif
