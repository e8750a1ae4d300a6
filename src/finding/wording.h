/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sentences of data/advice.txt, compiled in: found by hypothesis and key, filled with values.
 *
 * A key that isn't there is our mistake (assert), and a unit test walks all keys that the tests of hypotheses use.
 */
#ifndef PLUMB_FINDING_WORDING_H
#define PLUMB_FINDING_WORDING_H

#include "finding/finding.h"

/* Places in wording_texts. No pointers: a start relocates none of them. */
struct wording {
    uint32_t section; /* hypothesis id, or "verdict" */
    uint32_t key;
    uint32_t text; /* with {name} places */
};

/* Sorted by section, then key; generated from data/advice.txt. Owner: static. */
extern const char wording_texts[];
extern const struct wording wording_table[];
extern const size_t wording_count;

/* The template, or NULL. */
const char *wording_find(const char *section, const char *key);
/* The template with each {name} replaced by its value. Owner: arena. */
const char *wording_fill(struct arena *arena, const char *template_text, const struct value *values, size_t count);
/* A sentence of the verdict's, filled. Owner: arena. */
#define verdict_words(arena, key, ...)                                                                                \
    wording_fill((arena), wording_find("verdict", (key)), (const struct value[]){__VA_ARGS__},                        \
                 sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
/* A value as a person reads it: "61 to 74 %", "256 MiB", "4.1 s". */
void value_print(struct text *out, const struct value *value);
void print_bytes(struct text *out, double bytes);
void print_seconds(struct text *out, double seconds);

#endif
