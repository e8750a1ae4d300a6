/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/pages/pages_rows.h"

#include "base/scope.h"
#include "render/pages/pages_words.h"

enum {
    BAR_COLUMNS = 40,
    INDENT = 6,
};

void pages_bytes_print(char *out, size_t size, uint64_t bytes)
{
    if (bytes >= UINT64_C(1) << 30)
        snprintf(out, size, "%.2f GiB", (double)bytes / 0x1p30);
    else if (bytes >= UINT64_C(1) << 20)
        snprintf(out, size, "%.1f MiB", (double)bytes / 0x1p20);
    else
        snprintf(out, size, "%llu KiB", (unsigned long long)(bytes >> 10));
}

void pages_size_row(struct page *page, const char *label, uint64_t bytes, uint64_t of, enum page_meaning meaning)
{
    char amount[32];
    pages_bytes_print(amount, sizeof(amount), bytes);
    double share = of ? (double)bytes / (double)of : 0;
    text_printf(page->out, "  %-18s %12s", label, bytes ? amount : "none");
    if (of && bytes) {
        text_printf(page->out, " %5.1f %%  ", share * 100);
        for (int at = 0; at < (int)(share * BAR_COLUMNS + 0.5); at++)
            page_add(page, meaning, page->unicode ? "█" : "#");
    }
    text_add(page->out, "\n");
}

void pages_sentence(struct page *page, const char *label, enum page_meaning meaning, const char *words)
{
    text_add_repeated(page->out, " ", INDENT);
    page_add(page, meaning, label);
    page_paragraph(page, PAGE_PLAIN, INDENT + text_columns(label), INDENT + text_columns(label), words);
}

static void add_why(struct page *page, const struct small_pages *small)
{
    const struct small_page_words *words = small_page_words_of(small);
    scoped_text struct text reason = {0};
    text_add(&reason, words->reason);
    if (small->mount && (small->cause == SMALL_PAGE_FILE || small->cause == SMALL_PAGE_TMPFS_NEVER))
        text_printf(&reason, " (%s on %s)", small->mount->type, small->mount->point);
    if (small->policy_file)
        text_printf(&reason, "; the file in force is %s", small->policy_file);
    if (!small->certain && small->backlog_s >= 0)
        text_printf(&reason, "; at its present pace khugepaged takes %.0f s to look at that much once",
                    small->backlog_s);
    pages_sentence(page, small->certain ? "why:    " : "maybe:  ", PAGE_WARNING, text_string(&reason));
    if (words->remedy)
        pages_sentence(page, "remedy: ", PAGE_GOOD, words->remedy);
}

void pages_mapping_rows(struct page *page, const struct mapping_coverage *mapping, bool why_known)
{
    char small[32], huge[32];
    const struct page_area *area = mapping->area;
    pages_bytes_print(small, sizeof(small), mapping->sizes.base);
    pages_bytes_print(huge, sizeof(huge), mapping->sizes.huge + mapping->sizes.gigantic);
    text_printf(page->out, "  %12s %12s  %s  ", small, mapping->sizes.huge + mapping->sizes.gigantic ? huge : "none",
                area->protection);
    page_printf(page, PAGE_STRONG, "%s", area->path[0] ? area->path : "anonymous memory");
    page_printf(page, PAGE_FAINT, "  %llx-%llx\n", (unsigned long long)area->start, (unsigned long long)area->end);
    if (why_known && mapping->small.small_bytes && mapping->small.backing != PAGE_BACKING_HUGETLB)
        add_why(page, &mapping->small);
}
