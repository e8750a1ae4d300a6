/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/write_behind.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

/* Numbers from 0 on, a line each, in pieces of many sizes, the lines' ends borrowed; returns whether each piece was taken. */
static bool numbers_written(struct write_behind *behind, unsigned lines)
{
    static const char end[1 + SPLICE_PADDING] = "\n";
    struct spliced_text text = {0};
    bool taken = true;
    for (unsigned at = 0; at < lines; at++) {
        text_printf(&text.own, "%u", at);
        spliced_text_borrow(&text, end, 1);
        if (spliced_text_bytes(&text) > 1 + at % 5000 && (at % 2 || write_behind_is_ready(behind))) {
            taken = write_behind_give(behind, &text) && taken;
            cr_assert_eq(spliced_text_bytes(&text), 0);
        }
    }
    taken = write_behind_give(behind, &text) && taken;
    spliced_text_done(&text);
    return taken;
}

Test(write_behind, pieces_come_out_in_order)
{
    for (int has_core = 0; has_core < 2; has_core++) {
        struct write_behind behind;
        char *bytes, *rest;
        size_t size;
        FILE *file = open_memstream(&bytes, &size);
        write_behind_begin(&behind, file);
        behind.has_core = has_core;
        cr_assert(numbers_written(&behind, 20000));
        cr_assert(write_behind_end(&behind) && write_behind_end(&behind));
        fclose(file);
        rest = bytes;
        for (unsigned at = 0; at < 20000; at++)
            cr_assert_eq(strtoul(rest, &rest, 10), at);
        cr_assert_str_eq(rest, "\n");
        free(bytes);
    }
}

Test(write_behind, what_could_not_be_written_is_told)
{
    for (int has_core = 0; has_core < 2; has_core++) {
        struct write_behind behind;
        FILE *full = fopen("/dev/full", "w");
        setvbuf(full, NULL, _IONBF, 0);
        write_behind_begin(&behind, full);
        behind.has_core = has_core;
        cr_assert_not(numbers_written(&behind, 2000));
        cr_assert_not(write_behind_end(&behind));
        cr_assert_eq(behind.write_errno, ENOSPC);
        fclose(full);
    }
}
