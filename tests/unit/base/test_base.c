/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digits.h"
#include "base/error.h"
#include "base/hashmap.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

Test(text, a_list_has_commas_or_blanks)
{
    static const struct {
        const char *list;
        const char *items[4];
    } cases[] = {{"7838 7837", {"7838", "7837"}}, {"1,2,3", {"1", "2", "3"}}, {" 1 , 2\n", {"1", "2"}}, {"1,,2", {"1", "", "2"}}, {"12", {"12"}}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct view rest = view_of(cases[at].list);
        for (size_t item = 0; item < 4 && cases[at].items[item]; item++)
            cr_expect(view_equal(view_item(&rest), cases[at].items[item]), "case %zu, item %zu", at, item);
        cr_expect_eq(rest.length, 0, "case %zu", at);
    }
}

Test(text, a_slip_of_the_fingers_is_near)
{
    static const char *const near[][2] = {{"top", "tpo"}, {"stat", "tsat"}, {"top", "topp"}, {"output", "outptu"}, {"event", "evnt"}},
                             *const far[][2] = {{"top", "foo"}, {"pid", "cpu"}, {"stat", "spot"}, {"output", "input"}};
    for (size_t at = 0; at < array_count(near); at++)
        cr_expect(text_is_slip(near[at][0], near[at][1]), "%s", near[at][1]);
    for (size_t at = 0; at < array_count(far); at++)
        cr_expect_not(text_is_slip(far[at][0], far[at][1]), "%s", far[at][1]);
}

Test(error, wraps_from_the_inside_out)
{
    struct error err = {0};
    cr_assert_not(error_system(&err, ENOENT, "can't read '%s'", "/x"));
    error_wrap(&err, "reading the topology");
    cr_assert_str_eq(err.message, "reading the topology: can't read '/x': No such file or directory");
    cr_assert_eq(err.kind, ERROR_NOT_FOUND);
    cr_assert_eq(err.sys_errno, ENOENT);
}

Test(bytes, fail_once_and_stay_failed)
{
    const uint8_t data[] = {1, 2, 3, 4, 5, 6};
    struct edge edge = edge_copy(data, sizeof(data));
    struct bytes bytes = bytes_of(edge.bytes, edge.size_bytes, false);
    cr_assert_eq(read_u32(&bytes), 0x04030201u);
    cr_assert_eq(read_u32(&bytes), 0);
    cr_assert(bytes.failed);
    cr_assert_eq(read_u8(&bytes), 0, "a failed cursor reads nothing more");
    bytes = bytes_of(edge.bytes, edge.size_bytes, true);
    cr_assert_eq(read_u32(&bytes), 0x01020304u);
    cr_assert_null(read_string(&bytes), "no NUL before the end");
    edge_free(&edge);
}

Test(text, columns_are_letters_not_bytes)
{
    static const struct { const char *text; size_t columns; } rows[] = {
        {"", 0}, {"seven77", 7}, {"eight888", 8}, {"nine99999", 9}, {"µs", 2}, {"a µ within the ninth", 20}, {"ααααααααα", 9}, {"1234567ß9", 9}, {"…", 1}, {"𝄞 clef", 6},
    };
    for (size_t at = 0; at < array_count(rows); at++)
        cr_assert_eq(text_columns(rows[at].text), rows[at].columns, "%s", rows[at].text);
}

Test(text, numbers_are_read_whole_or_not_at_all)
{
    static const struct {
        const char *text;
        int base;
        bool good;
        uint64_t value;
    } cases[] = {
        {"0", 10, true, 0},
        {"18446744073709551615", 10, true, UINT64_MAX},
        {"18446744073709551616", 10, false, 0},
        {"0x1F", 0, true, 31},
        {"1f", 16, true, 31},
        {"", 10, false, 0},
        {"12x", 10, false, 0},
        {"-1", 10, false, 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        uint64_t value = 77;
        cr_assert_eq(view_u64(view_of(cases[at].text), cases[at].base, &value), cases[at].good, "%s", cases[at].text);
        cr_assert_eq(value, cases[at].good ? cases[at].value : 77, "%s", cases[at].text);
    }
    int64_t negative;
    cr_assert(view_i64(VIEW("-9223372036854775808"), &negative));
    cr_assert_eq(negative, INT64_MIN);
    cr_assert_not(view_i64(VIEW("9223372036854775808"), &negative));
}

Test(text, lines_and_words)
{
    struct view rest = VIEW("one two\r\n\nlast"), line;
    cr_assert(view_line(&rest, &line) && view_equal(line, "one two"));
    struct view words = line;
    cr_assert(view_equal(view_word(&words), "one") && view_equal(view_word(&words), "two"));
    cr_assert_eq(view_word(&words).length, 0);
    cr_assert(view_line(&rest, &line) && line.length == 0);
    cr_assert(view_line(&rest, &line) && view_equal(line, "last"));
    cr_assert_not(view_line(&rest, &line));
}

Test(text, words_are_the_same_whatever_their_case)
{
    static const char *const units[] = {"Slots", "Core_Clocks"};
    cr_expect(view_equal_caseless(VIEW("TMA_Slots"), "tma_slots"));
    cr_expect(!view_equal_caseless(VIEW("slots"), "slot"), "a beginning is not the word");
    cr_expect(view_equal_caseless((struct view){0}, ""), "a view of nothing has no text to look at");
    cr_expect(view_starts_caseless(VIEW("TMA_Slots"), "tma_"));
    cr_expect(!view_starts_caseless(VIEW("tm"), "tma_"));
    cr_expect(view_mentions(VIEW("an SGEMM kernel"), "gemm"));
    cr_expect(view_is_any_caseless(VIEW("core_clocks"), units, 2));
    cr_expect(!view_is_any_caseless(VIEW("clocks"), units, 2));
}

Test(strings, equal_text_has_one_id)
{
    struct strings strings;
    strings_init(&strings);
    char name[32];
    uint32_t ids[500];
    for (int at = 0; at < 500; at++) {
        snprintf(name, sizeof(name), "symbol_%d", at);
        ids[at] = strings_intern(&strings, name);
    }
    for (int at = 0; at < 500; at++) {
        snprintf(name, sizeof(name), "symbol_%d", at);
        cr_assert_eq(strings_intern(&strings, name), ids[at]);
        cr_assert_str_eq(strings_text(&strings, ids[at]), name);
    }
    cr_assert_eq(strings_intern(&strings, ""), 0);
    cr_assert_eq(strings_count(&strings), 501);
    strings_done(&strings);
}

Test(json, what_is_not_a_number_is_null_and_bad_utf8_is_mended)
{
    struct text out = {0};
    struct json_writer json;
    json_begin(&json, &out);
    json.compact = true;
    json_object_open(&json, NULL);
    json_double(&json, "nan", NAN);
    json_double(&json, "third", 0.1);
    json_string(&json, "text", "a\"b\\\n\x01\xff\xc3\xa9");
    json_array_open(&json, "empty");
    json_array_close(&json);
    json_object_close(&json);
    cr_assert_str_eq(text_string(&out), "{\"nan\": null,\"third\": 0.1,\"text\": \"a\\\"b\\\\\\n\\u0001\\ufffd\xc3\xa9\","
                                        "\"empty\": []}\n");
    text_done(&out);
}

Test(arena, blocks_are_zeroed_and_aligned)
{
    struct arena arena;
    arena_init(&arena);
    for (size_t size = 1; size < 200000; size = size * 3 + 1) {
        unsigned char *block = arena_alloc(&arena, size);
        cr_assert_eq((uintptr_t)block % 16, 0);
        for (size_t at = 0; at < size; at++)
            cr_assert_eq(block[at], 0);
        memset(block, 0xaa, size);
    }
    cr_assert_str_eq(arena_printf(&arena, "%d-%s", 4, "x"), "4-x");
    arena_done(&arena);
}

Test(text, numbers_as_tools_print_them)
{
    double value = -1;
    cr_expect(view_grouped(VIEW("1,234.5"), &value) && value == 1234.5);
    cr_expect(view_grouped(VIEW("0"), &value) && value == 0);
    cr_expect(view_grouped(VIEW("12,345"), &value) && value == 12345);
    cr_expect(view_grouped(VIEW("12,34,567"), &value) && value == 1234567);
    /* LC_ALL=de_DE: perf's own tables have commas before the fraction. */
    cr_expect(view_grouped(VIEW("50,25"), &value) && value == 50.25);
    cr_expect(view_grouped(VIEW("0,125"), &value) && value == 0.125);
    cr_expect(view_grouped(VIEW("1.234,5"), &value) && value == 1234.5);
    cr_expect(view_grouped(VIEW("1.234.567"), &value) && value == 1234567);
    cr_expect(view_grouped(VIEW("8'330'778"), &value) && value == 8330778);
    cr_expect(view_count(VIEW("1.234"), &value) && value == 1234);
    cr_expect(view_count(VIEW("1,234"), &value) && value == 1234);
    cr_expect(view_count(VIEW("0.613"), &value) && value == 0.613);
    cr_expect(view_count(VIEW("1234.567"), &value) && value == 1234.567, "no group has four digits");
    cr_expect(view_count(VIEW("12.50"), &value) && value == 12.5);
    cr_expect(view_decimal(VIEW("1,234"), &value) && value == 1.234);
    cr_expect(view_decimal(VIEW("1.234"), &value) && value == 1.234);
    cr_expect(view_decimal(VIEW("7"), &value) && value == 7);
    cr_expect(view_duration(VIEW("0,50us"), &value) && value > 0.499e-6 && value < 0.501e-6);
    cr_expect(view_duration(VIEW("3.25us"), &value) && value > 3.2499e-6 && value < 3.2501e-6);
    cr_expect(view_duration(VIEW("7s"), &value) && value == 7);
    value = -1;
    static const char *const none[] = {"", "s", "ms", "-1", "+1", "1e30", "inf", "nan", ",1x", "1 2", "1.2.3,4.5,6", "12345678901234567890123456789012345678901", "5'", "'123", "8'33"};
    for (size_t at = 0; at < sizeof(none) / sizeof(none[0]); at++)
        cr_expect(!view_grouped(view_of(none[at]), &value) && !view_count(view_of(none[at]), &value) && !view_decimal(view_of(none[at]), &value) && !view_duration(view_of(none[at]), &value) && value == -1, "'%s'", none[at]);
}

Test(text, hundredths_are_those_of_printf)
{
    static const double values[] = {0, -0.0, 0.004999, 0.005, 0.015, 0.125, 0.375, 2.675, 0.994999999, 0.995, 9.995, 99.994999999999, 99.995, 100, 1234567.125,
                                    999999999.994, 1e9, 1e15, 1e300, -3.14159, NAN, INFINITY};
    uint64_t state = 5;
    struct text text = {0};
    for (int at = 0; at < 20000; at++) {
        state = hash_u64(state + (uint64_t)at);
        double value = (size_t)at < array_count(values) ? values[at] : (double)(state >> 32) / (double)(1 + (state & 0xffff));
        if (at % 3 == 0 && (size_t)at >= array_count(values))
            value = (double)(state % 100000) / 1000; /* many stand in the middle between two */
        char expected[400];
        snprintf(expected, sizeof(expected), "%.2f", value);
        text_clear(&text);
        text_add_hundredths(&text, value);
        cr_assert_str_eq(text_string(&text), expected);
    }
    text_done(&text);
}

Test(text, what_is_printed_has_room)
{
    struct text text = {0};
    for (int width = 1; width < 500; width += 7) {
        size_t before = text.length;
        text_printf(&text, "%*d|", width, width);
        cr_assert_eq(text.length, before + (size_t)width + 1);
        cr_assert_eq(strlen(text_string(&text)), text.length);
        cr_assert_eq(text.bytes[text.length - 1], '|');
    }
    text_done(&text);
}

Test(text, a_long_name_loses_what_stands_in_its_brackets)
{
    static const struct {
        const char *name, *wanted;
        size_t columns;
    } rows[] = {
        {"main", "main", 20},
        {"std::sort<int*, less<int>>(int*, int*)", "std::sort<..>(int*, int*)", 25},
        {"std::sort<int*, less<int>>(int*, int*)", "std::sort<..>(..)", 20},
        {"a<b, f->c>::operator<<(std::ostream&)", "a<..>::operator<<(..)", 21},
        {"a::operator()(std::vector<int>)", "a::operator()(..)", 20},
        {"vector<open(", "vecto..", 7},
        {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6", "\xc3\xa4\xc3\xb6..", 4},
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        struct text out = {0};
        text_add_name(&out, rows[at].name, rows[at].columns);
        cr_expect_str_eq(text_string(&out), rows[at].wanted);
        text_done(&out);
    }
}

/* As printf writes them, at each number of digits. */
Test(digits, are_those_of_printf)
{
    char wanted[64], made[64];
    for (unsigned digits = 0; digits < 20; digits++) {
        uint64_t power = 1;
        for (unsigned at = 0; at < digits; at++)
            power *= 10;
        for (int near = -1; near < 2; near++) {
            uint64_t value = power + (uint64_t)near;
            *digits_decimal(made, value, 12, ' ') = '\0';
            snprintf(wanted, sizeof(wanted), "%12" PRIu64, value);
            cr_assert_str_eq(made, wanted);
            *digits_decimal(made, value, 3, '0') = '\0';
            snprintf(wanted, sizeof(wanted), "%03" PRIu64, value);
            cr_assert_str_eq(made, wanted);
        }
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t value = UINT64_C(0x9f3c52a17be640d8) >> bit;
        *digits_hex_wide(made, value) = '\0';
        snprintf(wanted, sizeof(wanted), "%16" PRIx64, value);
        cr_assert_str_eq(made, wanted);
    }
    *digits_decimal(made, UINT64_MAX, 0, ' ') = '\0';
    cr_assert_str_eq(made, "18446744073709551615");
    *digits_hex_wide(made, 0) = '\0';
    cr_assert_str_eq(made, "               0");
}
