/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/pages/pages.h"

#include "base/scope.h"
#include "base/vec.h"
#include "render/pages/pages_rows.h"
#include "render/pages/pages_words.h"

enum {
    MAPPINGS_MOST = 12, /* in text; JSON has all */
};

static void add_sizes(struct page *page, const struct page_sizes *sizes, uint64_t base_page_bytes)
{
    char label[40];
    uint64_t present = sizes->base + sizes->huge + sizes->gigantic;
    snprintf(label, sizeof(label), "on %llu KiB pages", (unsigned long long)(base_page_bytes >> 10));
    pages_size_row(page, label, sizes->base, present, PAGE_WARNING);
    pages_size_row(page, "on 2 MiB pages", sizes->huge, present, PAGE_GOOD);
    pages_size_row(page, "on 1 GiB pages", sizes->gigantic, present, PAGE_GOOD);
    if (sizes->hugetlb)
        pages_size_row(page, "  of them reserved", sizes->hugetlb, 0, PAGE_PLAIN);
    if (sizes->swapped)
        pages_size_row(page, "swapped out", sizes->swapped, 0, PAGE_BAD);
}

static bool same_story(const struct mapping_coverage *a, const struct mapping_coverage *b)
{
    return a->small.backing == b->small.backing && a->small.cause == b->small.cause;
}

/* Mappings alike in cause say it once. */
static void add_mappings(struct page *page, const struct page_coverage *coverage, uint64_t least_bytes)
{
    size_t shown = 0, left = 0;
    uint64_t left_bytes = 0;
    const struct mapping_coverage *before = NULL;
    for (size_t at = 0; at < coverage->mapping_count; at++) {
        const struct mapping_coverage *mapping = &coverage->mappings[at];
        if (!mapping->sizes.base || mapping->sizes.base < least_bytes || (least_bytes && shown == MAPPINGS_MOST)) {
            left += mapping->sizes.base > 0;
            left_bytes += mapping->sizes.base;
            continue;
        }
        if (!shown++) {
            page_heading(page, "MAPPINGS WITH SMALL PAGES");
            page_add(page, PAGE_FAINT, "         small         huge\n");
        }
        bool again = before && same_story(before, mapping);
        pages_mapping_rows(page, mapping, coverage->why_known && !again);
        if (coverage->why_known && again && mapping->small.small_bytes &&
            mapping->small.backing != PAGE_BACKING_HUGETLB)
            pages_sentence(page, mapping->small.certain ? "why:    " : "maybe:  ", PAGE_FAINT, "as the one before");
        before = mapping;
    }
    if (left && shown) {
        char amount[32];
        pages_bytes_print(amount, sizeof(amount), left_bytes);
        page_printf(page, PAGE_FAINT, "  %12s in %zu more (--all shows them)\n", amount, left);
    }
}

static void add_folios(struct page *page, const struct page_coverage *coverage)
{
    const struct page_folios *folios = coverage->folios;
    page_heading(page, folios->all ? "FOLIOS UNDER SMALL PAGES (all looked at)"
                                   : "FOLIOS UNDER SMALL PAGES (drawn at random)");
    if (folios->why_not[0]) {
        pages_sentence(page, "not measured: ", PAGE_WARNING, folios->why_not);
        return;
    }
    for (int order = 0; order < FOLIO_ORDERS; order++) {
        struct interval share = page_folio_share(folios, order);
        if (!folios->pages[order] || !share.known)
            continue;
        text_printf(page->out, "  %6llu KiB  %5.1f %%",
                    (unsigned long long)((coverage->pages->base_page_bytes << order) >> 10), share.mid * 100);
        if (!folios->all)
            page_printf(page, PAGE_FAINT, "  [%.1f .. %.1f]", share.low * 100, share.high * 100);
        text_add(page->out, "\n");
    }
    page_printf(page, PAGE_FAINT, "  %llu pages looked at, %llu gone meanwhile\n",
                (unsigned long long)folios->looked_at, (unsigned long long)folios->vanished);
}

static void add_nodes(struct page *page, const struct page_nodes *nodes)
{
    page_heading(page, "NUMA NODES");
    if (nodes->why_not[0]) {
        pages_sentence(page, "not measured: ", PAGE_WARNING, nodes->why_not);
        return;
    }
    uint64_t all = 0;
    for (size_t node = 0; node < nodes->node_count; node++)
        all += nodes->bytes[node];
    for (size_t node = 0; node < nodes->node_count; node++) {
        char label[24];
        snprintf(label, sizeof(label), "node %zu", node);
        pages_size_row(page, label, nodes->bytes[node], all, PAGE_PLAIN);
    }
}

static void add_process(struct page *page, const struct pages_report *report, const struct page_coverage *coverage)
{
    char title[160];
    snprintf(title, sizeof(title), "PAGES OF %s (process %d)", coverage->command, coverage->pages->pid);
    page_heading(page, title);
    page_printf(page, PAGE_FAINT, "  %s", page_method_words(coverage->pages->method));
    if (report->seen_at_s >= 0)
        page_printf(page, PAGE_FAINT, "; %.2f s after its start, when most was present", report->seen_at_s);
    text_add(page->out, "\n");
    add_sizes(page, &coverage->sizes, coverage->pages->base_page_bytes);
    add_mappings(page, coverage, report->least_bytes);
    if (coverage->folios)
        add_folios(page, coverage);
    if (coverage->nodes)
        add_nodes(page, coverage->nodes);
}

static void fact_row(struct page *page, const char *label, const struct fact_number *fact, int64_t unit_bytes)
{
    char amount[32];
    text_printf(page->out, "  %-34s ", label);
    if (fact->known) {
        pages_bytes_print(amount, sizeof(amount), (uint64_t)(fact->value * unit_bytes));
        text_printf(page->out, "%12s\n", amount);
    } else {
        page_paragraph(page, PAGE_FAINT, 37, 37, fact->why);
    }
}

static void add_machine(struct page *page, const struct pages_report *report)
{
    const struct huge_page *policy = report->policy;
    page_heading(page, report->is_case ? "THE MACHINE, when the case was made" : "THE MACHINE");
    text_printf(page->out, "  transparent huge pages: %s",
                policy->enabled.known ? policy->enabled.text : policy->enabled.why);
    if (policy->shmem_enabled.known)
        text_printf(page->out, "; in shared memory: %s", policy->shmem_enabled.text);
    if (policy->defrag.known)
        text_printf(page->out, "; defrag: %s", policy->defrag.text);
    text_add(page->out, "\n");
    if (report->is_case)
        return;
    fact_row(page, "anonymous, in huge pages", &policy->anonymous_kib, 1024);
    fact_row(page, "shared, mapped huge", &policy->shmem_mapped_kib, 1024);
    fact_row(page, "files, in huge pages", &policy->file_kib, 1024);
    fact_row(page, "free", &report->supply->free_bytes, 1);
    fact_row(page, "  in whole blocks of 2 MiB and more", &report->supply->free_block_bytes, 1);
    if (policy->reserved_total.known && policy->reserved_page_kib.known)
        text_printf(page->out, "  reserved (hugetlb): %lld pages of %lld KiB, %lld free\n",
                    (long long)policy->reserved_total.value, (long long)policy->reserved_page_kib.value,
                    (long long)(policy->reserved_free.known ? policy->reserved_free.value : 0));
}

static void add_table(struct page *page, const struct pages_report *report)
{
    page_heading(page, "PROCESSES, by memory on small pages");
    page_add(page, PAGE_FAINT, "      pid         small         2 MiB         1 GiB       swapped  name\n");
    for (size_t at = 0; at < report->process_count; at++) {
        const struct page_sizes *sizes = &report->processes[at].sizes;
        const uint64_t columns[] = {sizes->base, sizes->huge, sizes->gigantic, sizes->swapped};
        text_printf(page->out, "  %7d", report->processes[at].pages->pid);
        for (size_t column = 0; column < array_count(columns); column++) {
            char amount[32];
            pages_bytes_print(amount, sizeof(amount), columns[column]);
            text_printf(page->out, "  %12s", columns[column] ? amount : "none");
        }
        text_printf(page->out, "  %s\n", report->processes[at].command);
    }
}

static void add_hits(struct page *page, const char *what, const char *why_not, const struct page_hits *hits)
{
    if (!hits->base_share.known) {
        pages_sentence(page, "not measured: ", PAGE_WARNING, why_not);
        return;
    }
    page_printf(page, PAGE_STRONG, "  %.0f %% of sampled %s hit small pages", hits->base_share.mid * 100, what);
    page_printf(page, PAGE_FAINT, "  [%.0f .. %.0f], of %llu", hits->base_share.low * 100, hits->base_share.high * 100,
                (unsigned long long)(hits->base + hits->huge));
    if (hits->unknown)
        page_printf(page, PAGE_FAINT, "; of %llu more the page isn't known", (unsigned long long)hits->unknown);
    text_add(page->out, "\n");
}

static void add_use(struct page *page, const struct pages_report *report)
{
    page_heading(page, "WHAT SAMPLES SAY OF THEM");
    add_hits(page, "loads and stores",
             "no sampled load's or store's address could be computed and found on a page that is known",
             &report->use->data);
    const struct stall_group *busiest = report->use->busiest;
    if (busiest)
        text_printf(page->out, "  most of those: %s, '%s' in %s\n", report->stalls->functions[busiest->function].name,
                    busiest->row.text, busiest->area);
    add_hits(page, "instructions", "no sampled instruction lies on a page that is known", &report->use->code);
}

void pages_text(struct page *page, const struct pages_report *report)
{
    if (report->note)
        page_paragraph(page, PAGE_WARNING, 0, 0, report->note);
    if (report->is_system) {
        add_machine(page, report);
        add_table(page, report);
        return;
    }
    for (size_t at = 0; at < report->process_count; at++)
        add_process(page, report, &report->processes[at]);
    if (report->use)
        add_use(page, report);
    add_machine(page, report);
}
