/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A remedy fits what is mapped: allocating otherwise doesn't move a file's pages. */
#include "test.h"

#include "render/pages/pages_words.h"

Test(pages_words, small_mappings_of_files_are_not_allocated)
{
    static const struct {
        enum page_backing backing;
        bool allocated;
    } cases[] = {{PAGE_BACKING_FILE, false}, {PAGE_BACKING_ANONYMOUS, true}, {PAGE_BACKING_HEAP, true}};
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct small_pages small = {.backing = cases[at].backing, .cause = SMALL_PAGE_TOO_SMALL};
        const struct small_page_words *words = small_page_words_of(&small);
        cr_expect_str_eq(words->id, "too_small");
        cr_expect_eq(strstr(words->remedy, "aligned_alloc") != NULL, cases[at].allocated, "%s", words->remedy);
        cr_expect_eq(strstr(words->remedy, "CONFIG_READ_ONLY_THP_FOR_FS") == NULL, cases[at].allocated, "%s", words->remedy);
    }
}
