/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/machine_text.h"

#include <inttypes.h>

/* u32 length, then that many bytes with a string that ends in NUL; fails the cursor where there is none. */
static const char *read_padded_string(struct bytes *in)
{
    uint32_t size_bytes = read_u32(in);
    const uint8_t *bytes = bytes_take(in, size_bytes);
    if (bytes && size_bytes && memchr(bytes, 0, size_bytes))
        return (const char *)bytes;
    in->failed = true;
    return "";
}

static void add_siblings(struct text *out, struct bytes *in, const char *what)
{
    uint32_t count = read_u32(in);
    for (uint32_t at = 0; at < count && !in->failed; at++) {
        const char *whose = read_padded_string(in);
        text_printf(out, "# sibling %-7s : %s\n", what, whose);
    }
}

/*
 * Sockets stand before cores, the ids of each CPU behind both, then dies and theirs: each of these parts may be
 * missing, in older files.
 */
static void add_cpus(struct text *out, struct bytes *in, uint32_t cpus)
{
    enum { IDS_BYTES = 8, DIE_BYTES = 4 };
    struct text threads = {0};
    add_siblings(out, in, "sockets");
    add_siblings(&threads, in, "threads");
    const uint8_t *ids = cpus <= bytes_left(in) / IDS_BYTES ? bytes_take(in, (size_t)cpus * IDS_BYTES) : NULL;
    bool has_dies = ids && bytes_left(in) >= sizeof(uint32_t);
    if (has_dies)
        add_siblings(out, in, "dies");
    const uint8_t *dies =
        has_dies && cpus <= bytes_left(in) / DIE_BYTES ? bytes_take(in, (size_t)cpus * DIE_BYTES) : NULL;
    text_append(out, threads.bytes ? threads.bytes : "", threads.length);
    text_done(&threads);
    for (uint32_t cpu = 0; ids && cpu < cpus; cpu++) {
        text_printf(out, "# CPU %" PRIu32 ": Core ID %" PRId32, cpu,
                    (int32_t)stored_u32(ids + cpu * IDS_BYTES, in->swapped));
        if (dies)
            text_printf(out, ", Die ID %" PRId32, (int32_t)stored_u32(dies + cpu * DIE_BYTES, in->swapped));
        text_printf(out, ", Socket ID %" PRId32 "\n", (int32_t)stored_u32(ids + cpu * IDS_BYTES + 4, in->swapped));
    }
    if (!ids && !in->failed)
        text_add(out, "# Core ID and Socket ID information is not available\n");
}

static void add_nodes(struct text *out, struct bytes *in, uint32_t cpus)
{
    uint32_t count = read_u32(in);
    for (uint32_t at = 0; at < count && !in->failed; at++) {
        uint32_t node = read_u32(in);
        uint64_t total_kib = read_u64(in), free_kib = read_u64(in);
        const char *whose = read_padded_string(in);
        text_printf(out, "# node%" PRIu32 " meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n", node,
                    total_kib, free_kib);
        text_printf(out, "# node%" PRIu32 " cpu list : %s\n", node, whose);
    }
}

static void add_caches(struct text *out, struct bytes *in, uint32_t cpus)
{
    uint32_t version = read_u32(in), count = read_u32(in);
    in->failed |= version != 1;
    text_add(out, "# CPU cache info:\n");
    for (uint32_t at = 0; at < count && !in->failed; at++) {
        uint32_t level = read_u32(in);
        bytes_take(in, 3 * sizeof(uint32_t)); /* bytes of a line, sets, ways */
        const char *type = read_padded_string(in), *size = read_padded_string(in), *whose = read_padded_string(in);
        text_printf(out, "#  L%" PRIu32 " %-15s %8s [%s]\n", level, type, size, whose);
    }
}

/* 25769803776 as "24G": rounded down, to whole units of which there are two or more. */
static void add_size(struct text *out, uint64_t bytes)
{
    static const char units[] = "BKMG";
    size_t unit = 0;
    for (; bytes / 1024 > 1 && units[unit + 1]; unit++)
        bytes /= 1024;
    text_printf(out, "%" PRIu64 "%c", bytes, units[unit]);
}

static bool bit_at(const struct bytes *words, uint64_t bit)
{
    return stored_u64(words->at + bit / 64 * 8, words->swapped) >> bit % 64 & 1;
}

/* Appends the set bits' numbers as "0-23,32"; returns how many are set. */
static uint64_t add_bits(struct text *out, const struct bytes *words, uint64_t count)
{
    uint64_t set = 0;
    for (uint64_t at = 0; at < count; at++) {
        if (!bit_at(words, at))
            continue;
        uint64_t first = at;
        while (at + 1 < count && bit_at(words, at + 1))
            at++;
        text_printf(out, "%s%" PRIu64, set ? "," : "", first);
        if (at > first)
            text_printf(out, "-%" PRIu64, at);
        set += at - first + 1;
    }
    return set;
}

static void add_memory(struct text *out, struct bytes *in, uint32_t cpus)
{
    uint64_t version = read_u64(in), block_bytes = read_u64(in), count = read_u64(in);
    in->failed |= version != 1;
    text_printf(out, "# memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n", count, block_bytes);
    struct text blocks = {0};
    for (uint64_t at = 0; at < count && !in->failed; at++) {
        uint64_t node = read_u64(in);
        read_u64(in); /* as many bits as follow */
        uint64_t bits = read_u64(in), words = bits / 64 + !!(bits % 64);
        struct bytes map = *in;
        if (words > bytes_left(in) / 8 || !bytes_take(in, words * 8))
            in->failed = true;
        text_truncate(&blocks, 0);
        uint64_t set = in->failed ? 0 : add_bits(&blocks, &map, bits);
        text_printf(out, "#  %3" PRIu64 " [", node);
        add_size(out, set * block_bytes);
        text_printf(out, "]: %s\n", text_string(&blocks));
    }
    text_done(&blocks);
}

bool machine_text(struct text *out, enum machine_part part, struct bytes in, uint32_t cpus)
{
    static void (*const adds[MACHINE_PARTS])(struct text *, struct bytes *, uint32_t) = {
        [MACHINE_CPUS] = add_cpus,
        [MACHINE_NODES] = add_nodes,
        [MACHINE_CACHES] = add_caches,
        [MACHINE_MEMORY] = add_memory,
    };
    size_t before = out->length;
    adds[part](out, &in, cpus);
    if (in.failed)
        text_truncate(out, before);
    return !in.failed;
}
