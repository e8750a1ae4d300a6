/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/wide_code.h"

#include "base/vec.h"

#include <string.h>

const char *wide_kind_words(enum wide_kind kind)
{
    static const char *const words[] = {
        [WIDE_NONE] = "no wide code",
        [WIDE_HEAVY_256] = "256-bit arithmetic on floating-point numbers, or products",
        [WIDE_LIGHT_512] = "512-bit moves, logic or integer sums",
        [WIDE_HEAVY_512] = "512-bit arithmetic on floating-point numbers, or products",
    };
    _Static_assert(array_count(words) == WIDE_KINDS, "words for each kind");
    return words[kind];
}

static bool begins(const char *mnemonic, const char *prefix)
{
    return mnemonic && strncmp(mnemonic, prefix, strlen(prefix)) == 0;
}

/* Products of integers and fused operations by name: their class says no more than "vector", or "load and compute". */
static bool is_heavy(const struct instruction *instruction)
{
    static const char *const products[] = {"vpmul", "vpmadd", "vpdp", "vfm", "vfnm", "v4fm", "vp4dp"};
    for (size_t at = 0; at < array_count(products); at++)
        if (begins(instruction->mnemonic, products[at]))
            return true;
    static const char *const logic[] = {"vxor", "vand", "vor"};
    for (size_t at = 0; at < array_count(logic); at++)
        if (begins(instruction->mnemonic, logic[at]))
            return false;
    bool computes = instruction->class == INSTRUCTION_FP || instruction->class == INSTRUCTION_FP_DIV ||
                    instruction->class == INSTRUCTION_LOAD_OP;
    return instruction->is_fp && computes;
}

enum wide_kind instruction_wide_kind(const struct instruction *instruction)
{
    if (instruction->vector_bits < 256 || instruction->is_scalar_fp)
        return WIDE_NONE;
    bool heavy = is_heavy(instruction);
    if (instruction->vector_bits >= 512)
        return heavy ? WIDE_HEAVY_512 : WIDE_LIGHT_512;
    return heavy ? WIDE_HEAVY_256 : WIDE_NONE;
}

struct hottest { /* of one kind in one function */
    uint64_t samples, most;
    const char *mnemonic;
};

static void code_add(struct wide_code *wide, const struct stall_function *function, const struct stall_code *code,
                     uint64_t most[WIDE_KINDS])
{
    struct hottest here[WIDE_KINDS] = {0};
    for (size_t at = 0; at < code->count; at++) {
        enum wide_kind kind = instruction_wide_kind(&code->items[at]);
        uint64_t hits = code->hits ? code->hits[at] : 0;
        if (kind == WIDE_NONE)
            continue;
        wide->stands[kind] = true;
        here[kind].samples += hits;
        if (!here[kind].mnemonic || hits > here[kind].most) {
            here[kind].mnemonic = code->items[at].mnemonic;
            here[kind].most = hits;
        }
    }
    for (int kind = WIDE_HEAVY_256; kind < WIDE_KINDS; kind++) {
        wide->samples[kind] += here[kind].samples;
        if (!here[kind].mnemonic || (wide->function[kind] && here[kind].samples <= most[kind]))
            continue;
        most[kind] = here[kind].samples;
        wide->function[kind] = function;
        wide->mnemonic[kind] = here[kind].mnemonic;
    }
}

struct wide_code wide_code_of(const struct stalls *stalls)
{
    struct wide_code wide = {0};
    uint64_t most[WIDE_KINDS] = {0};
    for (size_t at = 0; stalls->codes && at < stalls->function_count; at++)
        if (!stalls->functions[at].is_kernel)
            code_add(&wide, &stalls->functions[at], &stalls->codes[at], most);
    return wide;
}

uint64_t wide_code_samples(const struct wide_code *code)
{
    return code->samples[WIDE_HEAVY_256] + code->samples[WIDE_LIGHT_512] + code->samples[WIDE_HEAVY_512];
}
