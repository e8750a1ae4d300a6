/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_measured.h"
#include "base/json/json_writer.h"
#include "base/vec.h"
#include "render/pages/pages.h"
#include "render/pages/pages_words.h"
#include "statistics/json_interval.h"

static const char *const methods[] = {
    [PAGE_METHOD_SCAN] = "scan", [PAGE_METHOD_FLAGS] = "flags", [PAGE_METHOD_SMAPS] = "smaps"};

static void write_sizes(struct json_writer *json, const struct page_sizes *sizes)
{
    json_u64(json, "small_bytes", sizes->base);
    json_u64(json, "huge_bytes", sizes->huge);
    json_u64(json, "gigantic_bytes", sizes->gigantic);
    json_u64(json, "hugetlb_bytes", sizes->hugetlb);
    json_u64(json, "swapped_bytes", sizes->swapped);
}

static void write_why(struct json_writer *json, const struct small_pages *small)
{
    const struct small_page_words *words = small_page_words_of(small);
    json_object_open(json, "why_small");
    json_string(json, "cause", words->id);
    json_bool(json, "certain", small->certain);
    json_string(json, "reason", words->reason);
    json_string(json, "remedy", words->remedy);
    if (small->policy_file)
        json_string(json, "policy_file", small->policy_file);
    json_u64(json, "could_be_huge_bytes", small->could_be_bytes);
    if (small->backlog_s >= 0)
        json_double(json, "khugepaged_pass_s", small->backlog_s);
    json_object_close(json);
}

static void write_mapping(struct json_writer *json, const struct mapping_coverage *mapping, bool why_known)
{
    char address[24];
    json_object_open(json, NULL);
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)mapping->area->start);
    json_string(json, "start", address);
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)mapping->area->end);
    json_string(json, "end", address);
    json_string(json, "protection", mapping->area->protection);
    json_string(json, "path", mapping->area->path);
    json_u64(json, "kernel_page_bytes", mapping->area->kernel_page_bytes);
    write_sizes(json, &mapping->sizes);
    if (why_known) {
        json_string(json, "backing", page_backing_name(mapping->small.backing));
        if (mapping->small.small_bytes && mapping->small.backing != PAGE_BACKING_HUGETLB)
            write_why(json, &mapping->small);
    }
    json_object_close(json);
}

static void write_folios(struct json_writer *json, const struct page_coverage *coverage)
{
    const struct page_folios *folios = coverage->folios;
    json_object_open(json, "folios");
    json_string(json, "why_not", folios->why_not[0] ? folios->why_not : NULL);
    json_bool(json, "all", folios->all);
    json_u64(json, "looked_at", folios->looked_at);
    json_u64(json, "vanished", folios->vanished);
    json_array_open(json, "sizes");
    for (int order = 0; order < FOLIO_ORDERS; order++) {
        json_object_open(json, NULL);
        json_u64(json, "bytes", coverage->pages->base_page_bytes << order);
        json_u64(json, "pages", folios->pages[order]);
        json_interval(json, "share", page_folio_share(folios, order));
        json_object_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

static void write_nodes(struct json_writer *json, const struct page_nodes *nodes)
{
    json_object_open(json, "nodes");
    json_string(json, "why_not", nodes->why_not[0] ? nodes->why_not : NULL);
    json_array_open(json, "bytes");
    for (size_t node = 0; node < nodes->node_count; node++)
        json_u64(json, NULL, nodes->bytes[node]);
    json_array_close(json);
    json_object_close(json);
}

static void write_process(struct json_writer *json, const struct page_coverage *coverage)
{
    json_object_open(json, NULL);
    json_i64(json, "pid", coverage->pages->pid);
    json_string(json, "command", coverage->command);
    json_string(json, "method", methods[coverage->pages->method]);
    json_bool(json, "exact", coverage->pages->method != PAGE_METHOD_FLAGS);
    json_u64(json, "base_page_bytes", coverage->pages->base_page_bytes);
    write_sizes(json, &coverage->sizes);
    json_array_open(json, "mappings");
    for (size_t at = 0; at < coverage->mapping_count; at++)
        write_mapping(json, &coverage->mappings[at], coverage->why_known);
    json_array_close(json);
    if (coverage->folios)
        write_folios(json, coverage);
    if (coverage->nodes)
        write_nodes(json, coverage->nodes);
    json_object_close(json);
}

static void write_number(struct json_writer *json, const char *key, const struct fact_number *fact, int64_t factor)
{
    if (fact->known)
        json_i64(json, key, fact->value * factor);
    else
        json_null(json, key);
}

static void write_machine(struct json_writer *json, const struct pages_report *report)
{
    const struct huge_page *policy = report->policy;
    json_object_open(json, "machine");
    json_string(json, "enabled", policy->enabled.known ? policy->enabled.text : NULL);
    json_string(json, "shmem_enabled", policy->shmem_enabled.known ? policy->shmem_enabled.text : NULL);
    json_string(json, "defrag", policy->defrag.known ? policy->defrag.text : NULL);
    write_number(json, "anonymous_huge_bytes", &policy->anonymous_kib, 1024);
    write_number(json, "shared_huge_bytes", &policy->shmem_mapped_kib, 1024);
    write_number(json, "file_huge_bytes", &policy->file_kib, 1024);
    write_number(json, "free_bytes", &report->supply->free_bytes, 1);
    write_number(json, "free_in_blocks_bytes", &report->supply->free_block_bytes, 1);
    write_number(json, "reserved_pages", &policy->reserved_total, 1);
    write_number(json, "reserved_free_pages", &policy->reserved_free, 1);
    write_number(json, "reserved_page_bytes", &policy->reserved_page_kib, 1024);
    json_object_close(json);
}

static void write_hits(struct json_writer *json, const struct page_hits *hits)
{
    json_u64(json, "small_hits", hits->base);
    json_u64(json, "huge_hits", hits->huge);
    json_u64(json, "unknown_hits", hits->unknown);
    json_interval(json, "small_share", hits->base_share);
}

static void write_use(struct json_writer *json, const struct pages_report *report)
{
    const struct page_use *use = report->use;
    json_object_open(json, "use");
    write_hits(json, &use->data);
    json_string(json, "function", use->busiest ? report->stalls->functions[use->busiest->function].name : NULL);
    json_string(json, "instruction", use->busiest ? use->busiest->row.text : NULL);
    json_object_open(json, "code");
    write_hits(json, &use->code);
    json_object_close(json);
    json_object_close(json);
}

void pages_json(struct text *out, const struct pages_report *report)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    json_string(&json, "note", report->note);
    if (report->seen_at_s >= 0)
        json_double(&json, "seen_at_s", report->seen_at_s);
    json_array_open(&json, "processes");
    for (size_t at = 0; at < report->process_count; at++)
        write_process(&json, &report->processes[at]);
    json_array_close(&json);
    if (report->use)
        write_use(&json, report);
    write_machine(&json, report);
    json_object_close(&json);
}
