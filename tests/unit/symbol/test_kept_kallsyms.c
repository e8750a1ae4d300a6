/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "symbol/names/kept_kallsyms.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE "ffffffff81000000 T _text\nffffffff81000100 t second\n"

static struct sysroot root;
static char folder[] = "/tmp/plumb-kept-XXXXXX", path[64];

static void begin(void)
{
    sysroot_init(&root, NULL);
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/plumb/kallsyms", folder);
    setenv("XDG_CACHE_HOME", folder, true);
}

static void end(void)
{
    char inner[64];
    snprintf(inner, sizeof(inner), "%s/plumb", folder);
    (void)unlink(path);
    (void)rmdir(inner);
    (void)rmdir(folder);
}

TestSuite(kept_kallsyms, .init = begin, .fini = end);

static bool is_kept(const char *table)
{
    scoped_text struct text text = {0};
    bool is_there = kept_kallsyms_read(&root, &text);
    return is_there && strcmp(text_string(&text), table) == 0;
}

/* Where this user may not ask which BPF programs there are, nothing is kept: nothing to test. */
static void keep(void)
{
    kept_kallsyms_write(&root, view_of(TABLE));
    if (!is_kept(TABLE))
        cr_skip_test("the kernel doesn't tell this user what its table of symbols depends on");
}

Test(kept_kallsyms, what_was_kept_is_read)
{
    cr_assert_not(is_kept(TABLE));
    keep();
    cr_assert(is_kept(TABLE));
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    kept_kallsyms_write(&root, view_of("ffffffff81000000 T other\n"));
    cr_assert(is_kept("ffffffff81000000 T other\n"));
}

Test(kept_kallsyms, not_what_others_may_read_or_what_holds_no_more)
{
    keep();
    cr_assert_eq(chmod(path, 0644), 0);
    cr_assert_not(is_kept(TABLE));
    cr_assert_eq(chmod(path, 0600), 0);
    cr_assert(is_kept(TABLE));
    FILE *file = fopen(path, "r+");
    cr_assert(fseek(file, 14, SEEK_SET) == 0 && fputc('x', file) == 'x' && fclose(file) == 0, "of another state");
    cr_assert_not(is_kept(TABLE));
    cr_assert_eq(truncate(path, 20), 0);
    cr_assert_not(is_kept(TABLE));
}

Test(kept_kallsyms, of_another_machine_nothing)
{
    keep();
    sysroot_init(&root, folder);
    cr_assert_not(is_kept(TABLE));
}
