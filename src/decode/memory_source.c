/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/memory_source.h"

#include "base/vec.h"

#include <inttypes.h>
#include <stddef.h>

/* A field of union perf_mem_data_src (include/uapi/linux/perf_event.h): where its bits begin, and how many. */
struct source_part {
    unsigned shift, bits;
};

static const struct source_part op = {0, 5}, level = {5, 14}, snoop = {19, 5}, lock = {24, 2}, tlb = {26, 7},
                                level_number = {33, 4}, remote = {37, 1}, snoop_more = {38, 2}, block = {40, 3},
                                hops = {43, 3};

static uint64_t part_of(uint64_t data_src, struct source_part part)
{
    return data_src >> part.shift & ((UINT64_C(1) << part.bits) - 1);
}

/* Names of a part's bits, lowest first; NULL: hit and miss, which stand behind all others. */
static const char *const op_names[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};
static const char *const level_names[] = {
    "N/A", NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)", "Remote RAM (2 hops)",
    "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached"};
static const char *const snoop_names[] = {"N/A", "None", "Hit", "Miss", "HitM"};
static const char *const snoop_more_names[] = {"Fwd", "Peer"};
static const char *const tlb_names[] = {"N/A", NULL, NULL, "L1", "L2", "Walker", "Fault"};
static const char *const lock_names[] = {"N/A", "Yes"};
/* Those above its bit 0, which is N/A. */
static const char *const block_names[] = {"Data", "Addr"};
/* By value. */
static const char *const level_number_names[16] = {
    [1] = "L1", [2] = "L2", [3] = "L3", [4] = "L4", [5] = "L5", [6] = "L6", [7] = "L7", [8] = "L8",
    [9] = "CXL", [10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM", [14] = "PMEM", [15] = "N/A"};
static const char *const hop_names[8] = {"", "core, same node ", "node, same socket ", "socket, same board ", "board "};

enum {
    IS_HIT = 1 << 1,
    IS_MISS = 1 << 2
};

static void add_alternative(struct text *out, size_t begin, const char *name)
{
    text_add(out, out->length > begin ? " or " : "");
    text_add(out, name);
}

static void add_bits(struct text *out, size_t begin, uint64_t bits, const char *const *names, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (bits >> at & 1 && names[at])
            add_alternative(out, begin, names[at]);
}

/* The first alone of the bits that are set. */
static const char *first_name(uint64_t bits, const char *const *names, size_t count, const char *none)
{
    for (size_t at = 0; at < count; at++)
        if (bits >> at & 1)
            return names[at];
    return none;
}

static void add_outcome(struct text *out, uint64_t bits)
{
    text_add(out, bits & IS_HIT ? " hit" : "");
    text_add(out, bits & IS_MISS ? " miss" : "");
}

void memory_source_level(struct text *out, uint64_t data_src)
{
    uint64_t bits = part_of(data_src, level), number = part_of(data_src, level_number), hop = part_of(data_src, hops);
    size_t begin = out->length;
    text_add(out, part_of(data_src, remote) ? "Remote " : "");
    size_t named = out->length;
    if (hop)
        text_add(out, hop_names[hop] ? hop_names[hop] : "");
    else
        add_bits(out, named, bits, level_names, array_count(level_names));
    if (number && hop)
        text_add(out, level_number_names[number]);
    else if (number)
        add_alternative(out, named, level_number_names[number]);
    if (out->length == begin)
        text_add(out, "N/A");
    add_outcome(out, bits);
}

void memory_source_snoop(struct text *out, uint64_t data_src)
{
    size_t begin = out->length;
    add_bits(out, begin, part_of(data_src, snoop), snoop_names, array_count(snoop_names));
    add_bits(out, begin, part_of(data_src, snoop_more), snoop_more_names, array_count(snoop_more_names));
    if (out->length == begin)
        text_add(out, "N/A");
}

void memory_source_tlb(struct text *out, uint64_t data_src)
{
    size_t begin = out->length;
    add_bits(out, begin, part_of(data_src, tlb), tlb_names, array_count(tlb_names));
    if (out->length == begin)
        text_add(out, "N/A");
    add_outcome(out, part_of(data_src, tlb));
}

void memory_source_block(struct text *out, uint64_t data_src)
{
    uint64_t bits = part_of(data_src, block);
    if (!bits || bits & 1)
        text_add(out, " N/A");
    for (size_t at = 0; at < array_count(block_names) && !(bits & 1); at++)
        if (bits >> (at + 1) & 1)
            text_printf(out, " %s", block_names[at]);
}

const char *memory_source_lock(uint64_t data_src)
{
    return first_name(part_of(data_src, lock), lock_names, array_count(lock_names), "No");
}

void memory_source_text(struct text *out, uint64_t data_src)
{
    text_printf(out, "|OP %s|LVL ", first_name(part_of(data_src, op), op_names, array_count(op_names), "No"));
    memory_source_level(out, data_src);
    text_add(out, "|SNP ");
    memory_source_snoop(out, data_src);
    text_add(out, "|TLB ");
    memory_source_tlb(out, data_src);
    text_printf(out, "|LCK %s|BLK ", memory_source_lock(data_src));
    memory_source_block(out, data_src);
}

void memory_page_size(struct text *out, uint64_t bytes)
{
    static const char units[] = "BKMGT";
    size_t unit = 0;
    for (; bytes >= 1024 && units[unit + 1]; unit++)
        bytes /= 1024;
    if (bytes)
        text_printf(out, "%" PRIu64 "%c", bytes, units[unit]);
    else
        text_add(out, "N/A");
}
