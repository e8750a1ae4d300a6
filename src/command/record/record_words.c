/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/record/record_words.h"

#include "base/vec.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

struct named_bits {
    const char *name;
    uint64_t bits;
};

#if defined(__x86_64__)
static const struct named_bits registers[] = {
    {"ax", 1 << 0},   {"bx", 1 << 1},   {"cx", 1 << 2},   {"dx", 1 << 3},   {"si", 1 << 4},   {"di", 1 << 5},
    {"bp", 1 << 6},   {"sp", 1 << 7},   {"ip", 1 << 8},   {"flags", 1 << 9}, {"cs", 1 << 10}, {"ss", 1 << 11},
    {"r8", 1 << 16},  {"r9", 1 << 17},  {"r10", 1 << 18}, {"r11", 1 << 19}, {"r12", 1 << 20}, {"r13", 1 << 21},
    {"r14", 1 << 22}, {"r15", 1 << 23},
};
#elif defined(__aarch64__)
#define X(n) {"x" #n, 1ull << (n)}
static const struct named_bits registers[] = {
    X(0),  X(1),  X(2),  X(3),  X(4),  X(5),  X(6),  X(7),  X(8),  X(9),  X(10),
    X(11), X(12), X(13), X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21),
    X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), {"lr", 1ull << 30}, {"sp", 1ull << 31}, {"pc", 1ull << 32},
};
#undef X
#else
static const struct named_bits registers[] = {{NULL, 0}};
#endif

static const struct named_bits branch_filters[] = {
    {"u", PERF_SAMPLE_BRANCH_USER},
    {"k", PERF_SAMPLE_BRANCH_KERNEL},
    {"hv", PERF_SAMPLE_BRANCH_HV},
    {"any", PERF_SAMPLE_BRANCH_ANY},
    {"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
    {"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
    {"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
    {"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
    {"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
    {"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
    {"cond", PERF_SAMPLE_BRANCH_COND},
    {"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
    {"call", PERF_SAMPLE_BRANCH_CALL},
    {"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
    {"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
};

static const struct named_bits clocks[] = {
    {"realtime", CLOCK_REALTIME},  {"real", CLOCK_REALTIME},         {"r", CLOCK_REALTIME},
    {"monotonic", CLOCK_MONOTONIC}, {"mono", CLOCK_MONOTONIC},       {"m", CLOCK_MONOTONIC},
    {"monotonic_raw", CLOCK_MONOTONIC_RAW}, {"raw", CLOCK_MONOTONIC_RAW},
    {"boottime", CLOCK_BOOTTIME},  {"boot", CLOCK_BOOTTIME},         {"b", CLOCK_BOOTTIME},
    {"tai", CLOCK_TAI},            {"clock_realtime", CLOCK_REALTIME}, {"clock_monotonic", CLOCK_MONOTONIC},
    {"clock_monotonic_raw", CLOCK_MONOTONIC_RAW}, {"clock_boottime", CLOCK_BOOTTIME}, {"clock_tai", CLOCK_TAI},
};

static bool lookup(const struct named_bits *table, size_t count, struct view word, const char *what,
                   uint64_t *ret_bits, struct error *err)
{
    char lower[32] = "", names[300] = "";
    for (size_t at = 0; at < word.length && at + 1 < sizeof(lower); at++)
        lower[at] = (char)(word.text[at] >= 'A' && word.text[at] <= 'Z' ? word.text[at] + 32 : word.text[at]);
    for (size_t at = 0; at < count; at++) {
        if (table[at].name && strcmp(table[at].name, lower) == 0) {
            *ret_bits = table[at].bits;
            return true;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
                 table[at].name ? table[at].name : "none");
    }
    error_set(err, ERROR_USAGE, "'%.*s' is no %s", (int)word.length, word.text, what);
    return error_hint(err, "there are %s", names);
}

static bool parse_bits(const struct named_bits *table, size_t count, const char *list, const char *what,
                       uint64_t *ret_bits, struct error *err)
{
    struct view rest = view_of(list);
    uint64_t all = 0;
    while (rest.length) {
        uint64_t bits = 0;
        if (!lookup(table, count, view_trim(view_cut(&rest, ',')), what, &bits, err))
            return false;
        all |= bits;
    }
    *ret_bits = all;
    return true;
}

bool registers_parse(const char *list, uint64_t *ret_mask, struct error *err)
{
    *ret_mask = 0;
    if (!list)
        return true;
    if (!recorder_all_registers)
        return error_set(err, ERROR_UNSUPPORTED, "sampling registers isn't known on this architecture");
    if (!list[0]) {
        *ret_mask = recorder_all_registers;
        return true;
    }
    return parse_bits(registers, array_count(registers), list, "register", ret_mask, err);
}

bool branches_parse(bool any, const char *filter_list, uint64_t *ret_type, struct error *err)
{
    static const uint64_t levels = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
    uint64_t filters = 0;
    if (filter_list &&
        !parse_bits(branch_filters, array_count(branch_filters), filter_list, "kind of branch", &filters, err))
        return false;
    if (filters && !(filters & ~levels))
        filters |= PERF_SAMPLE_BRANCH_ANY;
    *ret_type = (any ? PERF_SAMPLE_BRANCH_ANY : 0) | filters;
    return true;
}

bool clock_parse(const char *name, int *ret_clock, struct error *err)
{
    uint64_t clock = 0;
    if (!lookup(clocks, array_count(clocks), view_of(name), "clock", &clock, err))
        return false;
    *ret_clock = (int)clock;
    return true;
}

/* A number of units, or of what a letter behind it says. False: neither, 0, or too large. */
static bool sized(const char *word, uint64_t unit_bytes, uint64_t *ret_bytes)
{
    static const char units[] = "BKMG";
    struct view number = view_of(word);
    const char *unit = number.length ? strchr(units, number.text[number.length - 1] & ~32) : NULL;
    uint64_t count;
    if (unit && *unit) {
        number.length--;
        unit_bytes = 1ull << (10 * (unit - units));
    }
    return view_u64(number, 10, &count) && count && !__builtin_mul_overflow(count, unit_bytes, ret_bytes);
}

bool ring_bytes_parse(const char *word, size_t *ret_bytes, struct error *err)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), asked, bytes = page;
    if (!sized(word, page, &asked) || asked > 1ull << 40)
        return error_set(err, ERROR_USAGE, "option '-m' expects a number of pages or a size such as 4M, not '%s'",
                         word);
    while (bytes < asked)
        bytes *= 2;
    *ret_bytes = (size_t)bytes;
    return true;
}

bool size_parse(const char *word, const char *option, uint64_t *ret_bytes, struct error *err)
{
    return sized(word, 1, ret_bytes) ||
           error_set(err, ERROR_USAGE, "option '%s' expects a size such as 500K or 2G, not '%s'", option, word);
}

bool callchain_parse(const char *word, enum callchain_mode *ret_mode, uint32_t *ret_stack_bytes, struct error *err)
{
    struct view rest = view_of(word), mode = view_cut(&rest, ',');
    uint64_t bytes = RECORDER_STACK_BYTES;
    bool has_size = mode.length < strlen(word);
    if (view_equal(mode, "fp")) {
        *ret_mode = CALLCHAIN_FRAME_POINTERS;
    } else if (view_equal(mode, "dwarf")) {
        *ret_mode = CALLCHAIN_DWARF;
    } else if (view_equal(mode, "lbr")) {
        *ret_mode = CALLCHAIN_LBR;
    } else if (view_equal(mode, "auto")) {
        *ret_mode = CALLCHAIN_AUTO;
    } else if (view_equal(mode, "no") || view_equal(mode, "none")) {
        *ret_mode = CALLCHAIN_NONE;
    } else {
        error_set(err, ERROR_USAGE, "option '--call-graph' has no mode '%.*s'", (int)mode.length, mode.text);
        return error_hint(err, "there are fp, dwarf[,BYTES], lbr, auto, none");
    }
    bool takes_size = *ret_mode == CALLCHAIN_DWARF || *ret_mode == CALLCHAIN_AUTO;
    if (has_size && (!takes_size || !view_u64(rest, 0, &bytes) || bytes == 0))
        return error_set(err, ERROR_USAGE, "option '--call-graph' can't make a size of '%.*s'", (int)rest.length,
                         rest.text);
    bytes = (bytes + 7) & ~(uint64_t)7;
    if (bytes > RECORDER_STACK_MOST)
        return error_set(err, ERROR_USAGE, "a stack dump has at most %u bytes, not %llu", RECORDER_STACK_MOST,
                         (unsigned long long)bytes);
    *ret_stack_bytes = (uint32_t)bytes;
    return true;
}

bool count_parse(const char *word, const char *option, uint64_t *ret_count, struct error *err)
{
    return (view_u64(view_of(word), 0, ret_count) && *ret_count > 0) ||
           error_set(err, ERROR_USAGE, "option '%s' expects a number above 0, not '%s'", option, word);
}
