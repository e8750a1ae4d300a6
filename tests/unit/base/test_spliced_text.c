/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/spliced_text.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

enum { LINES = 300 };

/* Lines of length 0 to LINES - 1 by hand, with the padding that borrowing asks for. */
static char *borrowed_make(size_t length)
{
    char *line = malloc(length + SPLICE_PADDING);
    memset(line, 'a' + (int)(length % 26), length);
    memset(line + length, '!', SPLICE_PADDING);
    return line;
}

/* Text of own and borrowed runs in turns, the same as `plain`. */
static void texts_fill(struct spliced_text *text, struct text *plain, char *const lines[LINES], size_t runs)
{
    for (size_t at = 0; at < runs; at++) {
        size_t length = at * 7919 % LINES;
        spliced_text_borrow(text, lines[length], length);
        text_append(plain, lines[length], length);
        if (at % 3)
            continue;
        text_printf(&text->own, "<%zu>", at);
        text_printf(plain, "<%zu>", at);
    }
}

Test(spliced_text, is_written_as_it_was_put_together)
{
    static const size_t runs[] = {0, 1, 2, 100, 20000}; /* the last one is written in several pieces */
    char *lines[LINES];
    struct text buffer = {0}, plain = {0};
    struct spliced_text text = {0};
    for (size_t at = 0; at < LINES; at++)
        lines[at] = borrowed_make(at);
    for (size_t at = 0; at < sizeof(runs) / sizeof(runs[0]); at++) {
        char *bytes;
        size_t size;
        FILE *file = open_memstream(&bytes, &size);
        texts_fill(&text, &plain, lines, runs[at]);
        cr_assert_eq(spliced_text_bytes(&text), text.own.length + runs[at] * sizeof(struct splice));
        cr_assert(spliced_text_write_file(&text, &buffer, file));
        cr_assert(spliced_text_bytes(&text) == 0 && buffer.length == 0, "both can be used again");
        fclose(file);
        cr_assert_eq(size, plain.length);
        cr_assert_eq(memcmp(bytes, text_string(&plain), size), 0);
        text_clear(&plain);
        free(bytes);
    }
    for (size_t at = 0; at < LINES; at++)
        free(lines[at]);
    text_done(&buffer);
    text_done(&plain);
    spliced_text_done(&text);
}

Test(spliced_text, long_runs_of_either_kind_are_written_whole)
{
    enum { LONG_BYTES = 3 << 20 };
    struct text buffer = {0};
    struct spliced_text text = {0};
    char *bytes, *run = borrowed_make(LONG_BYTES);
    size_t size;
    FILE *file = open_memstream(&bytes, &size);
    text_append(&text.own, run, LONG_BYTES);
    spliced_text_borrow(&text, run, LONG_BYTES);
    text_add(&text.own, "end");
    cr_assert(spliced_text_write_file(&text, &buffer, file));
    fclose(file);
    cr_assert_eq(size, 2 * (size_t)LONG_BYTES + 3);
    cr_assert(memcmp(bytes, run, LONG_BYTES) == 0 && memcmp(bytes + LONG_BYTES, run, LONG_BYTES) == 0);
    cr_assert_str_eq(bytes + 2 * (size_t)LONG_BYTES, "end");
    free(bytes);
    free(run);
    text_done(&buffer);
    spliced_text_done(&text);
}

Test(spliced_text, what_could_not_be_written_is_told)
{
    struct text buffer = {0};
    struct spliced_text text = {0};
    FILE *full = fopen("/dev/full", "w");
    setvbuf(full, NULL, _IONBF, 0);
    text_add(&text.own, "text");
    cr_assert_not(spliced_text_write_file(&text, &buffer, full));
    cr_assert_eq(errno, ENOSPC);
    cr_assert(spliced_text_bytes(&text) == 0 && buffer.length == 0);
    fclose(full);
    text_done(&buffer);
    spliced_text_done(&text);
}
