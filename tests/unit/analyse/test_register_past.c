/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses whose registers a load has overwritten, computed again from what is left. */
#include "loop_code.h"

#include "analyse/code/register_past.h"
#include "base/vec.h"

enum { RAX, RBX, RCX, RDX, RSI, RDI }; /* as in samples */

static const uint64_t sampled[] = {[RAX] = 0xfffff1234, [RBX] = 3, [RCX] = 0x80, [RDX] = 0xdead, [RSI] = 0x7f0000000000, [RDI] = 0xffff};

static bool value_sampled(const void *context, unsigned number, uint64_t *ret_value)
{
    (void)context;
    *ret_value = number < array_count(sampled) ? sampled[number] : 0;
    return number < array_count(sampled);
}

/* The load is the last row but one: the sample comes before the last. */
static bool index_of(const char *hex, uint32_t entry, uint64_t *ret_value)
{
    struct loop_code code;
    uint16_t marks[LOOP_CODE_MOST] = {0};
    loop_code_decode(&code, hex);
    if (entry < code.count)
        marks[entry] = MARK_ELSEWHERE;
    const struct register_past past = {code.rows, marks, NULL, code.count - 1, code.count - 2, value_sampled, NULL};
    return register_past_value(&past, RDX, ret_value);
}

Test(register_past, what_it_was_made_of_is_computed_again)
{
    static const struct {
        const char *what, *hex;
        bool known;
        uint64_t value;
    } cases[] = {
        {"a masked copy", "4889c2" "4821fa" "488b14d6" "4885d2", true, 0x1234},
        {"a shifted copy", "4889c2" "48c1ea14" "488b14d6" "4885d2", true, 0xffff},
        {"a product", "4889c2" "480fafd3" "488b14d6" "4885d2", true, 3 * 0xfffff1234ull},
        {"the low byte", "0fb6d0" "488b14d6" "4885d2", true, 0x34},
        {"32 bits of a copy, masked by a number", "89c2" "81e2ff0f0000" "488b14d6" "4885d2", true, 0x234},
        {"lea of two registers", "488d544108" "488b14d6" "4885d2", true, 0x80 + 2 * 0xfffff1234ull + 8},
        {"lea", "488d5040" "488b14d6" "4885d2", true, 0xfffff1274},
        {"loaded", "488b10" "488b14d6" "4885d2", false, 0},
        {"of what was overwritten since", "4889c2" "4831c0" "488b14d6" "4885d2", false, 0},
        {"its own old value", "4821fa" "488b14d6" "4885d2", false, 0},
        {"not overwritten", "488b04d6" "4885d2", true, 0xdead},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        uint64_t value = 0;
        bool known = index_of(cases[at].hex, UINT32_MAX, &value);
        cr_expect_eq(known, cases[at].known, "%s", cases[at].what);
        cr_expect(!known || value == cases[at].value, "%s: %#llx", cases[at].what, (unsigned long long)value);
    }
}

/* "mov 0x47(%rax),%rdx; add %rbx,%rdx; mov (%rdx,%rdi,4),%edx": where it loads from, other samples know. */
Test(register_past, what_was_loaded_is_what_other_samples_found)
{
    struct loop_code code;
    uint16_t marks[LOOP_CODE_MOST] = {0};
    struct loaded_value loaded[LOOP_CODE_MOST] = {0};
    uint64_t value;
    loop_code_decode(&code, "488b5047" "4801da" "8b14ba" "4885d2");
    const struct register_past past = {code.rows, marks, loaded, code.count - 1, code.count - 2, value_sampled, NULL};
    loaded_value_note(&loaded[0], 0x5000);
    loaded_value_note(&loaded[0], 0x5000);
    cr_assert_not(register_past_value(&past, RDX, &value), "two may agree by chance");
    loaded_value_note(&loaded[0], 0x5000);
    cr_assert(register_past_value(&past, RDX, &value));
    cr_assert_eq(value, 0x5003);
    marks[1] = MARK_ELSEWHERE;
    cr_assert_not(register_past_value(&past, RDX, &value), "it may not have come from that load");
    marks[1] = MARK_LANDING;
    cr_assert(register_past_value(&past, RDX, &value), "behind a branch that wasn't taken");
    loaded_value_note(&loaded[0], 0x6000);
    cr_assert_not(register_past_value(&past, RDX, &value), "another array another time");
}

Test(register_past, where_control_comes_from_elsewhere_nothing_before_is_known)
{
    uint64_t value;
    cr_assert(index_of("4889c2" "4821fa" "488b14d6" "4885d2", 0, &value), "the first row itself was run");
    cr_assert_not(index_of("4889c2" "4821fa" "488b14d6" "4885d2", 1, &value));
    cr_assert_not(index_of("4889c2" "4821fa" "488b14d6" "4885d2", 2, &value));
}
