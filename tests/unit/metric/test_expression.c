/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "metric/expression/expression.h"

#include <math.h>

/* What the names in the tests are worth; `gone` was not measured. */
static const struct {
    const char *name;
    double value;
} worth[] = {
    {"a", 2},   {"b", 3},       {"zero", 0},  {"big", 1e300}, {"cpu@EV,cmask=4@k", 7}, {"topdown-be-bound", 11},
    {"EV:u", 5}, {"#smt_on", 1}, {"128b_x", 9}, {"0x6", 6},    {"ocr.x:ocr_msr_val=0x10", 13},
    {"uncore_cha_0@event=0x1@", 17}, {"a[0]", 19}, {"if_more", 23}, {"min", 29},
};

static struct measured worth_of(void *context, size_t index)
{
    const struct expression *expression = context;
    const struct expression_name *name = &expression->names[index];
    if (name->use == EXPRESSION_USE_HAS_EVENT)
        return measured_as(strcmp(name->name, "a") == 0);
    if (name->use == EXPRESSION_USE_SOURCE_COUNT)
        return measured_as(12);
    if (name->use == EXPRESSION_USE_CPU_MATCHES)
        return measured_as(strcmp(name->name, "0x410fd493") == 0);
    for (size_t at = 0; at < array_count(worth); at++)
        if (strcmp(worth[at].name, name->name) == 0)
            return measured_as(worth[at].value);
    return not_measured("it was not counted");
}

static struct measured value_in(const char *text, enum expression_dialect dialect)
{
    struct arena arena = {0};
    struct expression expression;
    struct error err = {0};
    cr_assert(expression_parse(&expression, view_of(text), dialect, &arena, &err), "%s: %s", text, err.message);
    struct measured value = expression_value(&expression, worth_of, &expression);
    arena_done(&arena);
    return value;
}

Test(expression, both_grammars_give_the_values_they_say)
{
    static const struct {
        const char *text;
        double expected;
        enum expression_dialect dialect;
    } cases[] = {
        {"1 + 2 * 3", 7, 0},
        {"(1 + 2) * 3", 9, 0},
        {"10 - 2 - 3", 5, 0},
        {"100 / 10 / 2", 5, 0},
        {"7 % 4 * 2", 6, 0},
        {"7.9 % 4.2", 3, 0}, /* of whole numbers, as perf has it */
        {"-a + b", 1, 0},
        {"- - a", 2, 0},
        {"1e9 / 1E+3", 1e6, 0},
        {".5 + 2.", 2.5, 0},
        {"6.103515625e-5 * 16384", 1, 0},
        {"a > 1 & b > 2", 1, 0},
        {"a > 1 && b > 5 | 1", 1, 0},
        {"a > 1 ^ b > 1", 0, 0},
        {"1 | 0 & 0", 1, 0},
        {"a < b == 1", 1, 0},
        {"a > = 2", 1, 0},
        {"a >= 3", 0, 0},
        {"a < = 2", 1, 0},
        {"a <= 1", 0, 0},
        {"a != b", 1, 0},
        {"!zero", 1, 0},
        {"a if b > 2 else zero", 2, 0},
        {"a if b < 2 else b if a > 1 else 5", 3, 0},
        {"(a if #smt_on else b) * 10", 20, 0},
        {"1 + a if zero else b", 3, 0}, /* the condition binds loosest */
        {"min(a, b) + max(a, b)", 5, 0},
        {"min + 1", 30, 0},
        {"max(0, min(1, a - b))", 0, 0},
        {"d_ratio(a, 4)", .5, 0},
        {"has_event(a) + has_event(c)", 1, 0},
        {"source_count(uncore_cha@EV@)", 12, 0},
        {"strcmp_cpuid_str(0x410fd493) | strcmp_cpuid_str(0x410fd490) ^ 1", 1, 0},
        {"cpu@EV\\,cmask\\=4@k * 2", 14, 0},
        {"cpu@EV\\\\,cmask\\\\=4@k", 7, 0}, /* escaped twice */
        {"topdown\\-be\\-bound - 1", 10, 0},
        {"topdown\\-be\\-bound", 11, 0},
        {"EV:u/5", 1, 0},
        {"uncore_cha_0@event\\=0x1@", 17, 0},
        {"128b_x + 0x6", 15, 0}, /* the longest match is a name, as in perf */
        {"if_more", 23, 0},
        {"ocr.x:ocr_msr_val=0x10 + 1", 14, EXPRESSION_PERFMON},
        {"(b / a[0]) * 19", 3, EXPRESSION_PERFMON},
        {"( a > 1 ) & ( b > 2 )", 1, EXPRESSION_PERFMON},
        {"100 * ( a / ( b ) )", 200.0 / 3, EXPRESSION_PERFMON},
        {"a>=2", 1, EXPRESSION_PERFMON},
        {"a==2", 1, EXPRESSION_PERFMON},
        {"\t a\n* b ", 6, EXPRESSION_PERFMON},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct measured value = value_in(cases[at].text, cases[at].dialect);
        cr_assert(value.known, "%s: %s", cases[at].text, value.why_not);
        cr_assert(fabs(value.value - cases[at].expected) <= 1e-12 * fabs(cases[at].expected), "%s: %.17g, not %.17g",
                  cases[at].text, value.value, cases[at].expected);
    }
}

Test(expression, what_was_not_measured_stays_so_and_is_never_0_or_infinite)
{
    static const struct {
        const char *text, *why; /* part of the reason */
    } unknown[] = {
        {"gone", "not counted"},
        {"gone * 0", "not counted"},
        {"0 * gone + 1", "not counted"},
        {"max(0, gone)", "not counted"},
        {"max(gone, 0)", "not counted"},
        {"min(gone, 0)", "not counted"},
        {"a / zero", "nothing to divide"},
        {"zero / zero", "nothing to divide"},
        {"max(0, a / zero)", "nothing to divide"},
        {"1 - zero / zero", "nothing to divide"},
        {"d_ratio(a, zero)", "nothing to divide"},
        {"a % zero", "nothing to divide"},
        {"a % .5", "nothing to divide"},
        {"big * big", "beyond"},
        {"big * big * zero", "beyond"},
        {"1e999", "beyond"},
        {"a if gone else b", "not counted"},
        {"gone > 1", "not counted"},
        {"1 & gone", "not counted"},
        {"0 | gone", "not counted"},
        {"0 ^ gone", "not counted"},
        {"!gone", "not counted"},
        {"-gone", "not counted"},
        {"NaN + 1", "no value"},
    };
    for (size_t at = 0; at < array_count(unknown); at++) {
        struct measured value = value_in(unknown[at].text, EXPRESSION_LINUX);
        cr_assert_not(value.known, "%s: %g", unknown[at].text, value.value);
        cr_assert(strstr(value.why_not, unknown[at].why), "%s: %s", unknown[at].text, value.why_not);
        cr_assert_eq(expression_verdict_of(value), EXPRESSION_UNKNOWN);
    }
    static const struct {
        const char *text;
        double expected;
    } decided[] = {
        {"0 & gone", 0}, {"gone & 0", 0}, {"1 | gone", 1}, {"gone | 1", 1}, {"a if gone else a", 2},
        {"a if 1 else gone", 2}, {"gone if 0 else b", 3}, {"1 if a > zero else a / zero", 1},
    };
    for (size_t at = 0; at < array_count(decided); at++) {
        struct measured value = value_in(decided[at].text, EXPRESSION_LINUX);
        cr_assert(value.known && value.value == decided[at].expected, "%s", decided[at].text);
    }
}

Test(expression, what_is_no_formula_is_refused_with_its_place)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "a value was expected at the end"}, {"a +", "at the end"},          {"(a", "')'"},
        {"a b", "an operator"},                   {"a )", "an operator was expected at column 3"},
        {"min(a)", "','"},                        {"min(a, b", "')'"},             {"a if b", "'else'"},
        {"* a", "at column 1"},                   {"if", "a value"},               {"a if else b", "a value"},
        {"#", "behind '#'"},                      {"has_event(", "a name"},        {"a $ b", "an operator"},
        {"1 = 2", "an operator"},                 {"..", "a value"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena = {0};
        struct expression expression;
        struct error err = {0};
        if (strcmp(cases[at].text, "..") == 0) { /* a name of dots is a name */
            cr_assert(expression_parse(&expression, view_of(cases[at].text), EXPRESSION_LINUX, &arena, &err));
        } else {
            cr_assert_not(expression_parse(&expression, view_of(cases[at].text), EXPRESSION_LINUX, &arena, &err), "%s",
                          cases[at].text);
            cr_assert(err.kind == ERROR_FORMAT && strstr(err.message, cases[at].message), "%s: %s", cases[at].text,
                      err.message);
        }
        arena_done(&arena);
    }
}

static void text_try(const char *bytes, size_t size)
{
    struct edge edge = edge_copy(bytes, size);
    for (int dialect = EXPRESSION_LINUX; dialect <= EXPRESSION_PERFMON; dialect++) {
        struct arena arena = {0};
        struct expression expression;
        struct error err = {0};
        if (expression_parse(&expression, (struct view){(const char *)edge.bytes, size}, (enum expression_dialect)dialect, &arena, &err)) {
            struct measured value = expression_value(&expression, worth_of, &expression);
            cr_assert(!value.known || isfinite(value.value));
        } else {
            cr_assert(err.message[0]);
        }
        arena_done(&arena);
    }
    edge_free(&edge);
}

Test(expression, survives_cuts_flips_and_depth)
{
    static const char text[] = "100 * (min(a, cpu@EV\\,cmask\\=4@k) if #smt_on > = 1 else d_ratio(a[0], -1.5e-3)) & !has_event(x) | b % 3";
    char copy[sizeof(text)];
    for (size_t length = 0; length < sizeof(text); length++)
        text_try(text, length);
    for (size_t bit = 0; bit < 8 * (sizeof(text) - 1); bit++) {
        memcpy(copy, text, sizeof(text));
        copy[bit / 8] ^= (char)(1 << bit % 8);
        text_try(copy, sizeof(text) - 1);
    }
    static const char *const deep[] = {"(", "-", "!", "a if ", "min(", "1 if 1 else ", "1+", "a*"};
    for (size_t at = 0; at < array_count(deep); at++) {
        struct text many = {0};
        text_add_repeated(&many, deep[at], 20000);
        text_add(&many, "1");
        text_try(many.bytes, many.length);
        text_done(&many);
    }
}

Test(expression, a_long_sum_is_no_deep_one)
{
    struct text many = {0};
    text_add_repeated(&many, "1+", 50000);
    text_add(&many, "1");
    struct measured value = value_in(many.bytes, EXPRESSION_LINUX);
    cr_assert(value.known && value.value == 50001);
    text_done(&many);
}

/* ---- what a value depends on ------------------------------------------------------------------------------- */

static struct measured only_k(void *context, size_t index)
{
    const struct expression *expression = context;
    const char *name = expression->names[index].name;
    return name[0] == 'k' ? measured_as(name[1] - '0') : not_measured("to be counted");
}

static const struct {
    const char *text, *needed; /* letters */
} dependences[] = {
    {"a + b", "ab"},
    {"a if k1 else b", "a"},
    {"a if k0 else b", "b"},
    {"a if c else b", "abc"},
    {"a / (b if k1 else c / d) + (e if k0 else a)", "ab"},
    {"(a if k0 else b) if k1 else c", "b"},
    {"a if k0 & c else b", "b"},
    {"a if k1 > 0 else b", "a"},
    {"min(a, k1)", "a"},
    {"a if k1 else a + b", "a"},
    {"k1 + k0", ""},
};

Test(expression, names_of_the_branch_not_taken_are_not_needed)
{
    for (size_t at = 0; at < array_count(dependences); at++) {
        struct arena arena;
        struct expression expression;
        struct error err = {0};
        arena_init(&arena);
        cr_assert(expression_parse(&expression, view_of(dependences[at].text), EXPRESSION_PERFMON, &arena, &err), "%s", err.message);
        bool *needed = arena_array(&arena, bool, expression.name_count + 1);
        char letters[32] = "";
        expression_names_needed(&expression, only_k, &expression, needed);
        for (char letter = 'a'; letter <= 'e'; letter++)
            for (size_t name = 0; name < expression.name_count; name++)
                if (needed[name] && expression.names[name].name[0] == letter)
                    letters[strlen(letters)] = letter;
        cr_expect_str_eq(letters, dependences[at].needed, "%s: %s", dependences[at].text, letters);
        arena_done(&arena);
    }
}
