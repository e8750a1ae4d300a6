/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/trace/branch_predictor.h"

#include "base/arena.h"
#include "base/hashmap.h"

#include <stdlib.h>
#include <string.h>

enum {
    HISTORY_WORDS = 4, /* 256 branches */
    DIRECTION_TABLES = 7,
    TARGET_TABLES = 5,
    TABLE_ENTRIES = 2048,
    BASE_ENTRIES = 16384,
    RETURN_DEPTH = 32,
    COUNTER_LEAST = -4, /* three bits */
    COUNTER_MOST = 3,
    USEFUL_MOST = 3,
    TAG_MASK = 0x7ff,
};

static const unsigned direction_lengths[DIRECTION_TABLES] = {5, 11, 22, 44, 80, 140, 240};
static const unsigned target_lengths[TARGET_TABLES] = {4, 10, 24, 60, 140};

struct direction_entry {
    uint16_t tag;
    int8_t counter; /* below 0: not taken */
    uint8_t useful;
};

struct target_entry {
    uint64_t target;
    uint16_t tag;
    uint8_t confidence;
};

struct branch_predictor {
    uint64_t history[HISTORY_WORDS]; /* newest in bit 0 of word 0 */
    int8_t base[BASE_ENTRIES];       /* two bits: -2..1 */
    struct direction_entry directions[DIRECTION_TABLES][TABLE_ENTRIES];
    uint64_t base_targets[TABLE_ENTRIES];
    struct target_entry targets[TARGET_TABLES][TABLE_ENTRIES];
    uint64_t returns[RETURN_DEPTH];
    unsigned return_top, return_count;
};

struct branch_predictor *branch_predictor_new(void)
{
    struct branch_predictor *predictor = memory_alloc(sizeof(*predictor));
    memset(predictor, 0, sizeof(*predictor));
    memset(predictor->base, -1, sizeof(predictor->base)); /* a branch never met goes on below */
    return predictor;
}

void branch_predictor_free(struct branch_predictor *predictor)
{
    free(predictor);
}

void branch_predictor_interrupt(struct branch_predictor *predictor)
{
    memset(predictor->history, 0, sizeof(predictor->history));
    predictor->return_top = predictor->return_count = 0;
}

static void history_add(struct branch_predictor *predictor, bool bit)
{
    for (int word = HISTORY_WORDS - 1; word > 0; word--)
        predictor->history[word] = predictor->history[word] << 1 | predictor->history[word - 1] >> 63;
    predictor->history[0] = predictor->history[0] << 1 | bit;
}

static uint64_t history_hash(const struct branch_predictor *predictor, uint64_t ip, unsigned length)
{
    uint64_t hash = hash_u64(ip + length);
    for (unsigned word = 0; word * 64 < length; word++) {
        unsigned bits = length - word * 64;
        uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
        hash = hash_combine(hash, predictor->history[word] & mask);
    }
    return hash;
}

static size_t slot_of(uint64_t hash)
{
    return hash % TABLE_ENTRIES;
}

static uint16_t tag_of(uint64_t hash)
{
    return (uint16_t)((hash >> 40 & TAG_MASK) | (TAG_MASK + 1)); /* never that of an empty entry */
}

static int8_t counted(int8_t counter, bool up, int least, int most)
{
    return (int8_t)(up ? (counter < most ? counter + 1 : counter) : counter > least ? counter - 1 : counter);
}

/* ---- directions ---- */

/* After a wrong guess: an entry with a longer history may do better. */
static void direction_allocate(struct branch_predictor *predictor, const uint64_t *hashes, int from, bool taken)
{
    for (int table = from; table < DIRECTION_TABLES; table++) {
        struct direction_entry *entry = &predictor->directions[table][slot_of(hashes[table])];
        if (entry->useful) {
            entry->useful--;
            continue;
        }
        *entry = (struct direction_entry){tag_of(hashes[table]), taken ? 0 : -1, 0};
        return;
    }
}

bool branch_predictor_condition(struct branch_predictor *predictor, uint64_t ip, bool taken)
{
    uint64_t hashes[DIRECTION_TABLES];
    struct direction_entry *provider = NULL;
    int8_t *base = &predictor->base[hash_u64(ip) % BASE_ENTRIES];
    bool other = *base >= 0;
    int at = -1;
    for (int table = 0; table < DIRECTION_TABLES; table++) {
        hashes[table] = history_hash(predictor, ip, direction_lengths[table]);
        struct direction_entry *entry = &predictor->directions[table][slot_of(hashes[table])];
        if (entry->tag != tag_of(hashes[table]))
            continue;
        if (provider)
            other = provider->counter >= 0;
        provider = entry;
        at = table;
    }
    /* An entry that is new knows less than the one below it. */
    bool is_new = provider && !provider->useful && (provider->counter == 0 || provider->counter == -1);
    bool said = provider ? provider->counter >= 0 : other;
    bool guess = is_new ? other : said;
    if (provider && said != other)
        provider->useful =
            (uint8_t)(said == taken      ? (provider->useful < USEFUL_MOST ? provider->useful + 1 : USEFUL_MOST)
                      : provider->useful ? provider->useful - 1
                                         : 0);
    if (provider)
        provider->counter = counted(provider->counter, taken, COUNTER_LEAST, COUNTER_MOST);
    else
        *base = counted(*base, taken, -2, 1);
    if (said != taken)
        direction_allocate(predictor, hashes, at + 1, taken);
    history_add(predictor, taken);
    return guess == taken;
}

/* ---- targets ---- */

static void path_add(struct branch_predictor *predictor, uint64_t target)
{
    uint64_t hash = hash_u64(target);
    history_add(predictor, hash & 1);
    history_add(predictor, hash >> 1 & 1);
}

void branch_predictor_path(struct branch_predictor *predictor, uint64_t target)
{
    history_add(predictor, hash_u64(target) & 1);
}

bool branch_predictor_indirect(struct branch_predictor *predictor, uint64_t ip, uint64_t target)
{
    uint64_t hashes[TARGET_TABLES];
    struct target_entry *provider = NULL;
    uint64_t *base = &predictor->base_targets[slot_of(hash_u64(ip))];
    uint64_t guess = *base;
    int at = -1;
    for (int table = 0; table < TARGET_TABLES; table++) {
        hashes[table] = history_hash(predictor, ip, target_lengths[table]);
        struct target_entry *entry = &predictor->targets[table][slot_of(hashes[table])];
        if (entry->tag != tag_of(hashes[table]))
            continue;
        provider = entry;
        at = table;
        guess = entry->confidence || !*base ? entry->target : guess;
    }
    bool right = guess == target;
    if (provider && provider->target == target)
        provider->confidence = provider->confidence < USEFUL_MOST ? provider->confidence + 1 : USEFUL_MOST;
    else if (provider && provider->confidence)
        provider->confidence--;
    else if (provider)
        provider->target = target;
    *base = target;
    for (int table = at + 1; !right && table < TARGET_TABLES; table++) {
        struct target_entry *entry = &predictor->targets[table][slot_of(hashes[table])];
        if (entry->tag && entry->confidence) {
            entry->confidence--;
            continue;
        }
        *entry = (struct target_entry){target, tag_of(hashes[table]), 0};
        break;
    }
    path_add(predictor, target);
    return right;
}

void branch_predictor_call(struct branch_predictor *predictor, uint64_t return_to)
{
    predictor->return_top = (predictor->return_top + 1) % RETURN_DEPTH;
    predictor->returns[predictor->return_top] = return_to;
    if (predictor->return_count < RETURN_DEPTH)
        predictor->return_count++;
}

bool branch_predictor_return(struct branch_predictor *predictor, uint64_t target, bool *ret_known)
{
    *ret_known = predictor->return_count > 0;
    bool right = *ret_known && predictor->returns[predictor->return_top] == target;
    if (predictor->return_count) {
        predictor->return_count--;
        predictor->return_top = (predictor->return_top + RETURN_DEPTH - 1) % RETURN_DEPTH;
    }
    path_add(predictor, target);
    return right;
}
