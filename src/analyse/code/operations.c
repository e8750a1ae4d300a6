/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/operations.h"

#include "base/scope.h"
#include "base/vec.h"

#include <string.h>

enum {
    MNEMONICS_MOST = 24,
    LOOP_ROWS_MOST = 64,  /* a longer loop does several things */
    ROWS_AROUND = 12,     /* a core works at more instructions than that at once */
    NAMES_MOST = 24,      /* of one kind that are counted apart */
};

/*
 * Beginnings of Intel's names; of vector instructions without the v before them. least: share of the computing ones
 * around, for code that is at that.
 */
static const struct operation_rule {
    const char *words;
    double least;
    const char *mnemonics[MNEMONICS_MOST];
    uint32_t rows_least; /* so many of them */
} rules[] = {
    [OPERATION_AES] = {"encrypts or decrypts by AES instructions", 0, {"aes"}},
    [OPERATION_SHA] = {"computes digests by SHA instructions", 0, {"sha1", "sha256", "sha512"}},
    [OPERATION_CHECKSUM] = {"computes CRCs or products without carries, as checksums and AES-GCM do",
                            0,
                            {"crc32", "pclmul"}},
    [OPERATION_DIFFERENCES] = {"adds up differences of bytes, as where blocks of pictures are compared",
                               1. / 16,
                               {NULL}},
    [OPERATION_TRANSFORMED] = {"adds up the sizes of sums and differences of 16-bit integers, as where blocks of "
                               "pictures are compared after a transform",
                               0,
                               {NULL}},
    [OPERATION_SQUARES] = {"adds up squares of 16-bit integers, as where blocks of pictures are compared",
                           1. / 24,
                           {NULL}},
    [OPERATION_BYTE_SEARCH] = {"looks for bytes, many at once", 1. / 16, {"pcmpestr", "pcmpistr", "pmovmskb"}},
    [OPERATION_WIDE_PRODUCTS] =
        {"multiplies words to products twice as long, as for large numbers, a modulus or division by a constant",
         1. / 16,
         {NULL}},
    [OPERATION_X87] = {"computes with x87 floating-point numbers",
                       1. / 4,
                       {"fld", "fst", "fmul", "fadd", "fsub", "fdiv", "fxch", "fchs", "fcom", "fucom", "fild", "fist"}},
    [OPERATION_VECTOR_FP] = {"computes with floating-point numbers, several at once", 1. / 5, {NULL}},
    [OPERATION_SCALAR_FP] = {"computes with floating-point numbers one at a time", 1. / 5, {NULL}},
    [OPERATION_SMALL_PRODUCTS] = {"multiplies vectors of 8- and 16-bit integers, as filters and transforms do",
                                  1. / 8,
                                  {"pmadd", "pmulh", "pmullw"}},
    [OPERATION_SMALL_INTEGERS] = {"adds up or compares vectors of 8- and 16-bit integers",
                                  1. / 5,
                                  {"paddb", "paddw", "padds", "paddus", "psubb", "psubw", "psubs", "psubus", "pavg",
                                   "pabsb", "pabsw", "pminub", "pminsw", "pmaxub", "pmaxsw", "pack", "phadd", "phsub"}},
    [OPERATION_INTEGER_VECTORS] = {"computes with vectors of 32- and 64-bit integers",
                                   1. / 5,
                                   {"paddd", "paddq", "psubd", "psubq", "pmulld", "pmuludq", "pmuldq", "pslld", "psllq",
                                    "psrld", "psrlq", "psrad", "prol", "pror", "pternlog", "pminsd", "pmaxsd",
                                    "pcmpeqd", "pcmpgtd"}},
    [OPERATION_ROTATIONS] = {"mixes words by rotating them, as hashes and ciphers do", 1. / 8, {"rol", "ror"}, 4},
    [OPERATION_DIVISIONS] = {"divides integers", 1. / 32, {NULL}},
    [OPERATION_PRODUCTS] = {"multiplies integers", 1. / 12, {NULL}},
    [OPERATION_BITS] = {"counts, finds or gathers bits",
                        1. / 12,
                        {"popcnt", "tzcnt", "lzcnt", "bsf", "bsr", "pext", "pdep"}},
    [OPERATION_BYTES] = {"loads single bytes", 1. / 6, {NULL}},
};
_Static_assert(array_count(rules) == OPERATION_COUNT, "a rule for each operation");

const char *operation_words(enum operation operation)
{
    return rules[operation].words;
}

/* The same of 128-bit code and of wider. */
static const char *plain_name(const struct instruction *row)
{
    return row->mnemonic + (row->mnemonic[0] == 'v');
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* "imul %ecx,%eax" keeps half of it. */
static bool is_wide_product(const struct instruction *row)
{
    enum { WORD_BITS = 64 };
    return row->operation_bits == WORD_BITS &&
           (strcmp(row->mnemonic, "mul") == 0 || strcmp(row->mnemonic, "mulx") == 0);
}

/* Whether vector registers are given values in this code, and none of them is cleared. */
static bool are_given(const struct stall_code *code, uint32_t vectors)
{
    uint32_t given = 0, cleared = 0;
    for (uint32_t at = 0; at < code->count; at++) {
        const struct instruction *row = &code->items[at];
        bool clears = row->mnemonic && begins(plain_name(row), "pxor") && !(row->vector_reads & ~row->vector_writes) &&
                      !row->memory.is_present;
        given |= clears ? 0 : row->vector_writes & ~row->vector_reads;
        cleared |= clears ? row->vector_writes : 0;
    }
    return !(vectors & ~given) && !(vectors & cleared);
}

/* Against a register that holds 0 it only adds up bytes. */
static bool is_difference(const struct stall_code *code, const struct instruction *row)
{
    const char *plain = plain_name(row);
    return strcmp(plain, "mpsadbw") == 0 || strcmp(plain, "dbpsadbw") == 0 ||
           (strcmp(plain, "psadbw") == 0 && (row->memory.is_present || are_given(code, row->vector_reads)));
}

/* A vector times itself, its neighbours added up. */
static bool is_square(const struct instruction *row, const char *plain)
{
    return strcmp(plain, "pmaddwd") == 0 && !row->memory.is_present && __builtin_popcount(row->vector_reads) == 1;
}

/* Arithmetic: what moves or clears such numbers computes nothing. */
static bool computes_fp(const struct instruction *row)
{
    bool computes =
        row->class == INSTRUCTION_FP || row->class == INSTRUCTION_FP_DIV || row->class == INSTRUCTION_LOAD_OP;
    static const char *const logic[] = {"xor", "and", "or"};
    for (size_t at = 0; at < array_count(logic); at++)
        computes &= !begins(plain_name(row), logic[at]);
    return computes && row->is_fp;
}

static bool is_of(const struct stall_code *code, const struct instruction *row, enum operation operation)
{
    switch (operation) {
    case OPERATION_DIFFERENCES:
        return is_difference(code, row);
    case OPERATION_SQUARES:
        return is_square(row, plain_name(row));
    case OPERATION_WIDE_PRODUCTS:
        return is_wide_product(row);
    case OPERATION_VECTOR_FP:
        return computes_fp(row) && !row->is_scalar_fp && row->vector_bits >= 128;
    case OPERATION_SCALAR_FP:
        return computes_fp(row) && row->is_scalar_fp;
    case OPERATION_DIVISIONS:
        return strcmp(row->mnemonic, "div") == 0 || strcmp(row->mnemonic, "idiv") == 0;
    case OPERATION_PRODUCTS:
        return strcmp(row->mnemonic, "imul") == 0 || begins(row->mnemonic, "mul");
    case OPERATION_BYTES:
        return row->is_load && row->memory.size_bytes == 1 && !row->is_store;
    default:
        break;
    }
    for (size_t at = 0; at < MNEMONICS_MOST && rules[operation].mnemonics[at]; at++)
        if (begins(plain_name(row), rules[operation].mnemonics[at]))
            return true;
    return false;
}

/* The loop around a row, where it is short; else a few rows on both sides, within that loop or the function. */
static struct loop_rows around(const struct stall_code *code, uint32_t row)
{
    struct loop_rows rows = code->loops ? code->loops[row] : (struct loop_rows){UINT32_MAX, 0};
    bool in_loop = rows.first != UINT32_MAX;
    if (in_loop && rows.last - rows.first < LOOP_ROWS_MOST)
        return rows;
    uint32_t first = in_loop ? rows.first : 0, last = in_loop ? rows.last : (uint32_t)code->count - 1;
    return (struct loop_rows){row - first > ROWS_AROUND ? row - ROWS_AROUND : first,
                              last - row > ROWS_AROUND ? row + ROWS_AROUND : last};
}

/* What brings numbers to where they are computed with serves any kind of computing. */
static bool only_moves(const struct instruction *row)
{
    static const char *const names[] = {"lea",     "mov",    "pbroadcast", "broadcast", "punpck", "unpck",
                                        "pshuf",   "shuf",   "perm",       "pblend",    "blend",  "palign",
                                        "extract", "insert", "pextr",      "pinsr",     "psrldq", "pslldq"};
    bool moves = row->class == INSTRUCTION_MOVE || row->class == INSTRUCTION_LOAD || row->class == INSTRUCTION_STORE ||
                 row->class == INSTRUCTION_NOP || row->class == INSTRUCTION_PREFETCH;
    for (size_t at = 0; at < array_count(names) && !moves; at++)
        moves = begins(plain_name(row), names[at]);
    return moves;
}

struct looked_at { /* a function's code, and what its rows are for, each looked up once */
    const struct stall_code *code;
    uint32_t *masks; /* by row, one bit for each operation; 0: not looked up yet */
};

enum { COUNTS = 1 << OPERATION_COUNT, LOOKED_UP = 2 << OPERATION_COUNT };

static uint32_t mask_of(const struct looked_at *looked, uint32_t at)
{
    const struct instruction *row = &looked->code->items[at];
    if (looked->masks[at])
        return looked->masks[at];
    uint32_t mask = LOOKED_UP | (row->mnemonic && !only_moves(row) ? COUNTS : 0);
    for (int operation = 0; operation < OPERATION_COUNT && row->mnemonic; operation++)
        mask |= is_of(looked->code, row, (enum operation)operation) ? UINT32_C(1) << operation : 0;
    return looked->masks[at] = mask;
}

/*
 * Sums and differences go into absolute values and nothing is stored: they are added up, as after a Hadamard
 * transform. What is only transformed, or quantised, is multiplied or stored. The transform of a block is longer than
 * the rows around a sample.
 */
static bool compares_transformed(const struct stall_code *code, struct loop_rows rows)
{
    enum { FURTHER = 24, PAIRS_LEAST = 3 };
    uint32_t sums = 0, differences = 0, absolutes = 0;
    uint32_t first = rows.first, last = rows.last;
    for (int row = 0; row < FURTHER && first && code->items[first - 1].falls_through; row++)
        first--;
    for (int row = 0; row < FURTHER && last + 1 < code->count && code->items[last].falls_through; row++)
        last++;
    for (uint32_t at = first; at <= last; at++) {
        const struct instruction *row = &code->items[at];
        const char *plain = row->mnemonic ? plain_name(row) : "";
        if (begins(plain, "pmulh") || begins(plain, "psign") || begins(plain, "pack"))
            return false;
        sums += strcmp(plain, "paddw") == 0;
        differences += strcmp(plain, "psubw") == 0;
        absolutes += strcmp(plain, "pabsw") == 0;
    }
    return absolutes > 1 && sums >= PAIRS_LEAST && differences >= PAIRS_LEAST;
}

/* OPERATION_COUNT: nothing that tells. */
static enum operation operation_around(const struct looked_at *looked, struct loop_rows rows)
{
    uint32_t counted = 0, of[OPERATION_COUNT] = {0};
    for (uint32_t at = rows.first; at <= rows.last; at++) {
        uint32_t mask = mask_of(looked, at);
        counted += (mask & COUNTS) != 0;
        for (int operation = 0; operation < OPERATION_COUNT; operation++)
            of[operation] += mask >> operation & 1;
    }
    for (int operation = 0; operation < OPERATION_COUNT; operation++)
        if (operation == OPERATION_TRANSFORMED
                ? of[OPERATION_SMALL_INTEGERS] && compares_transformed(looked->code, rows)
                : of[operation] && of[operation] >= rules[operation].rows_least &&
                      of[operation] >= rules[operation].least * counted)
            return (enum operation)operation;
    return OPERATION_COUNT;
}

struct named_samples {
    const char *mnemonic;
    double samples;
};

struct tally {
    double samples[OPERATION_COUNT];
    struct named_samples names[OPERATION_COUNT][NAMES_MOST]; /* samples around each, as often as it stands there */
};

static void name_add(struct named_samples *names, const char *mnemonic, double samples)
{
    size_t at = 0;
    while (at < NAMES_MOST && names[at].mnemonic && strcmp(names[at].mnemonic, mnemonic) != 0)
        at++;
    if (at == NAMES_MOST)
        return;
    names[at].mnemonic = mnemonic;
    names[at].samples += samples;
}

static void row_add(struct tally *tally, const struct looked_at *looked, uint32_t row, double samples)
{
    struct loop_rows rows = around(looked->code, row);
    enum operation operation = operation_around(looked, rows);
    if (operation == OPERATION_COUNT)
        return;
    tally->samples[operation] += samples;
    for (uint32_t at = rows.first; at <= rows.last; at++)
        if (mask_of(looked, at) >> (operation == OPERATION_TRANSFORMED ? OPERATION_SMALL_INTEGERS : operation) & 1)
            name_add(tally->names[operation], looked->code->items[at].mnemonic, samples);
}

static void function_add(struct tally *tally, const struct stall_code *code)
{
    if (!code->count || !code->hits)
        return;
    scoped_free uint32_t *masks = memory_alloc(memory_product(code->count, sizeof(*masks)));
    memset(masks, 0, code->count * sizeof(*masks));
    const struct looked_at looked = {code, masks};
    for (uint32_t row = 0; row < code->count; row++) {
        uint64_t samples = code->hits[row] + (row ? 0 : code->entry_hits);
        if (samples)
            row_add(tally, &looked, row, (double)samples);
    }
}

static const char *first_name(const struct named_samples *names)
{
    const struct named_samples *best = names;
    for (size_t at = 1; at < NAMES_MOST; at++)
        best = names[at].samples > best->samples ? &names[at] : best;
    return best->mnemonic;
}

struct operations operations_of(const struct stalls *stalls)
{
    struct tally tally = {0};
    for (size_t at = 0; stalls->codes && at < stalls->function_count; at++)
        if (!stalls->functions[at].is_kernel)
            function_add(&tally, &stalls->codes[at]);
    struct operations operations = {0};
    for (int operation = 0; operation < OPERATION_COUNT; operation++) {
        operations.samples[operation] = tally.samples[operation];
        operations.mnemonics[operation] = first_name(tally.names[operation]);
    }
    return operations;
}
