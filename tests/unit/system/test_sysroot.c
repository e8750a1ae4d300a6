/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "system/sysroot.h"

Test(cpu_list, reads_ranges_and_refuses_the_rest)
{
    static const struct {
        const char *text;
        bool good;
        size_t count;
    } cases[] = {
        {"0", true, 1}, {"0-3,8,10-11\n", true, 7}, {"", true, 0},        {"3,1,1-2", true, 3},
        {"4-2", false, 0}, {"a", false, 0},         {"0-99999999", false, 0}, {"1,,2", false, 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        int *cpus = NULL;
        size_t count = 0;
        cr_assert_eq(cpu_list_parse(view_of(cases[at].text), &cpus, &count), cases[at].good, "%s", cases[at].text);
        cr_assert_eq(count, cases[at].count, "%s", cases[at].text);
        free(cpus);
    }
}

Test(sysroot, a_missing_file_is_named_without_the_prefix)
{
    struct sysroot root;
    sysroot_init(&root, "/nonexistent/");
    struct text out = {0};
    struct error err = {0};
    cr_assert_not(sysroot_read(&root, &out, &err, "/proc/%s", "stat"));
    cr_assert_eq(err.kind, ERROR_NOT_FOUND);
    cr_assert(strstr(err.message, "'/proc/stat'"));
    text_done(&out);
}
