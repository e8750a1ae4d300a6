/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One fact about the machine, or why it is unknown.
 *
 * Every reader in system/ fills these: a fact that no file told is `known == false` with the reason in `why`
 * ("'/sys/…/no_turbo' isn't there"), never 0 and never an empty string.
 */
#ifndef PLUMB_SYSTEM_FACT_H
#define PLUMB_SYSTEM_FACT_H

#include "system/sysroot.h"

struct fact_number {
    bool known;
    int64_t value;
    char why[136]; /* when not known */
};

struct fact_word {
    bool known;
    char text[160];
    char why[136]; /* when not known */
};

void fact_number_set(struct fact_number *fact, int64_t value);
__attribute__((format(printf, 2, 3))) void fact_number_absent(struct fact_number *fact, const char *format, ...);
/* The number (decimal, or hexadecimal with 0x) that the file holds in its first line. */
__attribute__((format(printf, 3, 4))) void fact_number_read(struct fact_number *fact, const struct sysroot *root,
                                                            const char *path, ...);

/* text is trimmed and cut to fit. */
void fact_word_set(struct fact_word *fact, struct view text);
__attribute__((format(printf, 2, 3))) void fact_word_absent(struct fact_word *fact, const char *format, ...);
/* The first line of the file; an empty file is a known, empty word. */
__attribute__((format(printf, 3, 4))) void fact_word_read(struct fact_word *fact, const struct sysroot *root,
                                                          const char *path, ...);
/* The bracketed word of a choice such as "always [madvise] never". */
__attribute__((format(printf, 3, 4))) void fact_word_read_choice(struct fact_word *fact, const struct sysroot *root,
                                                                 const char *path, ...);

/* known and equal */
bool fact_is(const struct fact_word *fact, const char *text);
bool fact_equals(const struct fact_number *fact, int64_t value);

#endif
