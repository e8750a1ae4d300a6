/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows that pages of processes and of guests share. */
#ifndef PLUMB_RENDER_PAGES_PAGES_ROWS_H
#define PLUMB_RENDER_PAGES_PAGES_ROWS_H

#include "analyse/memory/page_coverage.h"
#include "render/page.h"

void pages_bytes_print(char *out, size_t size, uint64_t bytes);
/* An amount with its share of `of` as a bar; of 0: no share. */
void pages_size_row(struct page *page, const char *label, uint64_t bytes, uint64_t of, enum page_meaning meaning);
/* An indented paragraph behind its label. */
void pages_sentence(struct page *page, const char *label, enum page_meaning meaning, const char *words);
/* A mapping, and below it why it is small and what to do. */
void pages_mapping_rows(struct page *page, const struct mapping_coverage *mapping, bool why_known);

#endif
