/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"
#include "decode/tracepoint_format.h"
#include "decode/tracepoint_text.h"

#define HEAD "name: sample\nID: 300\nformat:\n"                                                      \
             "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                   \
             "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(declared, offset, size) "\tfield:" declared ";\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"
#define PRINT(text) "\nprint fmt: " text "\n"

struct printed {
    const char *format, *expected; /* NULL: not printed */
};

static const uint8_t raw[] = {
    300 & 255, 300 >> 8, 0, 0, 7, 0, 0, 0, /* common */
    2, 0, 0, 0,                            /* 8: kind */
    24, 0, 4, 0,                           /* 12: data, 4 bytes at 24 */
    255, 255, 255, 255,                    /* 16: huge */
    28, 0, 255, 255,                       /* 20: a text said to be 64 KiB long */
    1, 2, 3, 4, 't', 'e', 'x', 't',
};

static const struct printed rows[] = {
    {HEAD FIELD("u32 kind", 8, 4) PRINT("\"kind=%u %s\", REC->kind, __print_symbolic(REC->kind, { 2, \"TWO\" })"),
     "kind=2 TWO"},
    {HEAD FIELD("__data_loc u8[] data", 12, 4) PRINT("\"%s\", __print_hex(__get_dynamic_array(data), 4)"),
     "01 02 03 04"},
    {HEAD FIELD("__data_loc char[] text", 20, 4) PRINT("\"text=%s\", __get_str(text)"), "text="}, /* longer than the data */
    /* An unread one is shown by its fields. */
    {HEAD FIELD("u32 kind", 8, 4) PRINT("\"%u\", unknown_function(REC->kind)"), "[FAILED TO PARSE] kind=2"},
    /* Beyond the data, or counted by it. */
    {HEAD FIELD("__data_loc u8[] data", 12, 4) FIELD("u32 huge", 16, 4)
         PRINT("\"%s\", __print_hex(__get_dynamic_array(data), REC->huge)"), NULL},
    {HEAD FIELD("u32 kind", 8, 4) FIELD("u32 huge", 16, 4)
         PRINT("\"%d\", REC->huge / (REC->kind - 2)"), NULL},
    {HEAD FIELD("u32 kind", 8, 4) PRINT("\"%999999999u\", REC->kind"), NULL},
    {HEAD FIELD("u32 kind", 8, 4) FIELD("u32 huge", 16, 4) PRINT("\"%*u\", REC->huge, REC->kind"), NULL},
    {HEAD FIELD("u32 kind", 99999999, 4) PRINT("\"%u\", REC->kind"), NULL},
    {HEAD FIELD("u32 kind", 8, -4) PRINT("\"%u\", REC->kind"), NULL},
    {"name: sample\nID: 300\nformat:\n" FIELD("unsigned short common_type", 2, 2) "\n" FIELD("u32 kind", 8, 4)
         PRINT("\"%u\", REC->kind"), NULL},
};

static struct tracepoint_text *text_new(void)
{
    struct tracepoint_text *text = NULL;
    struct error err = {0};
    if (!tracepoint_text_new(&text, &err))
        cr_skip_test("%s", err.message);
    return text;
}

Test(tracepoint, fields_are_printed_and_what_leads_astray_is_not)
{
    for (size_t at = 0; at < array_count(rows); at++) {
        struct tracepoint_text *text = text_new();
        scoped_text struct text out = {0};
        bool printed = tracepoint_text_add(text, "system", view_of(rows[at].format)) &&
                       tracepoint_text_print(text, 300, 0, raw, sizeof(raw), &out);
        cr_expect_eq(printed, rows[at].expected != NULL, "row %zu", at);
        if (printed && rows[at].expected)
            cr_expect_str_eq(text_string(&out), rows[at].expected, "row %zu", at);
        tracepoint_text_free(text);
    }
}

Test(tracepoint, data_of_another_event_is_not_printed)
{
    struct tracepoint_text *text = text_new();
    scoped_text struct text out = {0};
    cr_assert(tracepoint_text_add(text, "system", view_of(rows[0].format)));
    cr_expect_not(tracepoint_text_print(text, 301, 0, raw, sizeof(raw), &out));
    uint8_t other[sizeof(raw)] = {1};
    cr_expect_not(tracepoint_text_print(text, 300, 0, other, sizeof(other), &out));
    cr_expect_eq(out.length, 0);
    tracepoint_text_free(text);
}

Test(tracepoint, a_format_is_whole_or_none)
{
    static const char format[] = HEAD FIELD("char comm[16]", 8, 16) PRINT("\"comm=%s\", REC->comm");
    uint64_t id;
    cr_assert(tracepoint_format_check(view_of(format), &id));
    cr_expect_eq(id, 300);
    for (size_t length = 0; length < sizeof(format) - 1; length++)
        cr_expect_not(tracepoint_format_check((struct view){format, length}, &id), "%zu bytes", length);
}

static void add_u64(struct text *out, uint64_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

static void add_u32(struct text *out, uint32_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

static const char printk[] = "0x10 : \"Begin\"\n";

static struct text recorded(void)
{
    struct text out = {0};
    text_append(&out, "\x17\x08\x44tracing0.6", 14);
    text_append(&out, (const char[]){__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 8}, 2);
    add_u32(&out, 4096);
    text_append(&out, "header_page", 12);
    add_u64(&out, 0);
    text_append(&out, "header_event", 13);
    add_u64(&out, 0);
    add_u32(&out, 0);
    add_u32(&out, 1);
    text_append(&out, "system", 7);
    add_u32(&out, 1);
    add_u64(&out, strlen(rows[0].format));
    text_add(&out, rows[0].format);
    add_u32(&out, 0);
    add_u32(&out, sizeof(printk) - 1);
    text_add(&out, printk);
    return out;
}

Test(tracepoint, a_recording_holds_formats_and_texts_of_the_kernel)
{
    scoped_text struct text bytes = recorded();
    struct tracing_data data;
    struct error err = {0};
    struct view format;
    cr_assert(tracing_data_read(bytes.bytes, bytes.length, &data, &err), "%s", err.message);
    struct tracing_system at = tracing_data_begin(&data);
    cr_assert(tracing_data_next(&at, &format));
    cr_expect_str_eq(at.name, "system");
    cr_expect(view_equal(format, rows[0].format));
    cr_expect_not(tracing_data_next(&at, &format));
    cr_expect(view_equal(data.printk, printk));
    for (size_t length = 0; length < bytes.length; length++) {
        scoped_free char *cut = memory_alloc(length + 1);
        memcpy(cut, bytes.bytes, length);
        if (!tracing_data_read(cut, length, &data, &err))
            continue;
        at = tracing_data_begin(&data);
        while (tracing_data_next(&at, &format))
            cr_assert_leq(format.text + format.length, cut + length);
    }
}

Test(tracepoint, texts_of_the_kernel_may_be_shorter_than_the_library_reads)
{
    static const struct view texts[] = {
        {"0x10 : \"\n", 9},      {"0x10 : \"\"\n", 10},   {"0x10 : \"a\n", 10},      {"0x10 : \"\\n\n", 11},
        {"0x10 : \"\"\"\n", 11}, {"0x10 : \"\0end\"\n", 14}, {"0x10 : \"a\0end\"\n", 15}, {"0x10 : \"Begin\"", 14},
    };
    for (size_t at = 0; at < array_count(texts); at++) {
        struct tracepoint_text *text = text_new();
        struct tracing_data data = {.long_bytes = 8, .printk = texts[at]};
        tracepoint_text_add_recorded(text, &data);
        tracepoint_text_free(text);
    }
}
