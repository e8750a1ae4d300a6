/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What are the causes of small pages called, and what does one do about them? For text and JSON alike. */
#ifndef PLUMB_RENDER_PAGES_PAGES_WORDS_H
#define PLUMB_RENDER_PAGES_PAGES_WORDS_H

#include "analyse/memory/page_coverage.h"

struct small_page_words {
    const char *id;     /* for JSON */
    const char *reason; /* one sentence without its full stop */
    const char *remedy; /* NULL: none is known */
};

const struct small_page_words *small_page_words_of(const struct small_pages *small);
const char *page_backing_name(enum page_backing backing);
const char *page_method_words(enum page_method method);

#endif
