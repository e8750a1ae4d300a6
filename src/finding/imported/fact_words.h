/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How is what a tool's numbers give called in a sentence ("… is 12 %")? Rows keep their formulas as names. */
#ifndef PLUMB_FINDING_IMPORTED_FACT_WORDS_H
#define PLUMB_FINDING_IMPORTED_FACT_WORDS_H

/* The name itself where it can be read already. */
const char *imported_fact_words(const char *fact);

#endif
