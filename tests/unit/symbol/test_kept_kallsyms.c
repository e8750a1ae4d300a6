/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "symbol/names/kallsyms.h"
#include "symbol/names/running_kernel.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE "ffffffff81000000 T _text\nffffffff81000100 t second\nffffffffc0000000 t third\t[module]\n"
#define OTHER "ffffffff81000000 T other\n"

static struct sysroot root;
static char folder[] = "/tmp/plumb-kept-XXXXXX", path[64];

static void begin(void)
{
    sysroot_init(&root, NULL);
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/plumb/kernel_symbols", folder);
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

static struct running_kernel kernel_of(const char *table)
{
    struct running_kernel names = {.text_addr = 0xffffffff81000000};
    struct error err = {0};
    text_add(&names.text, table);
    cr_assert(kallsyms_parse(text_view(&names.text), &names.index, &err), "%s", err.message);
    return names;
}

/* By its first and its last byte; the byte behind it is another's, or nobody's. */
static bool has_function(const struct kept_kallsyms *kept, uint32_t number, const struct indexed_symbol *same)
{
    struct indexed_symbol first, last, behind;
    struct view name = indexed_symbol_name(same);
    return kept_kallsyms_find(kept, same->start, &first) == number &&
           kept_kallsyms_find(kept, same->end - 1, &last) == number &&
           kept_kallsyms_find(kept, same->end, &behind) != number && first.start == same->start &&
           first.end == same->end && last.start == same->start && first.binding == same->binding &&
           first.name_length == name.length && memcmp(first.name, name.text, name.length) == 0;
}

static bool is_alike(const struct kept_kallsyms *kept, const struct running_kernel *same)
{
    bool alike = kept->count == same->index.symbols.count && kept->text_addr == same->text_addr;
    for (uint32_t at = 0; alike && at < same->index.symbols.count; at++)
        alike = has_function(kept, at, &same->index.symbols.items[at]);
    return alike;
}

static bool is_kept(const char *table)
{
    struct kept_kallsyms kept;
    struct running_kernel same = kernel_of(table);
    bool is_there = kept_kallsyms_open(&root, &kept), alike = is_there && is_alike(&kept, &same);
    if (is_there)
        kept_kallsyms_done(&kept);
    running_kernel_done(&same);
    return alike;
}

static void write_table(const char *table)
{
    struct running_kernel names = kernel_of(table);
    kept_kallsyms_write(&root, &names.index, names.text_addr);
    running_kernel_done(&names);
}

/* Where this user may not ask which BPF programs there are, nothing is kept: nothing to test. */
static void keep(void)
{
    write_table(TABLE);
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
    write_table(OTHER);
    cr_assert(is_kept(OTHER));
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

/* Cut anywhere, or with any bit the other way round: refused, or names that are there. */
Test(kept_kallsyms, damage_is_refused_or_harmless)
{
    struct running_kernel names = kernel_of(TABLE);
    struct text packed = {0};
    cr_assert(kept_kallsyms_pack(&packed, &names.index, names.text_addr));
    for (size_t bit = 0; bit < 8 * packed.length; bit++) {
        size_t length = bit % 8 ? packed.length : bit / 8;
        char *bytes = malloc(length + 1);
        memcpy(bytes, packed.bytes, length);
        if (bit % 8)
            bytes[bit / 8] ^= (char)(1 << bit % 8);
        struct kept_kallsyms kept;
        struct indexed_symbol found;
        size_t letters = 0;
        if (kept_kallsyms_of((struct view){bytes, length}, &kept))
            vec_for_each (&names.index.symbols, symbol)
                if (kept_kallsyms_find(&kept, symbol->start, &found) != SYMBOL_INDEX_NONE)
                    letters += strnlen(found.name, found.name_length);
        cr_assert_leq(letters, 3 * packed.length);
        free(bytes);
    }
    running_kernel_done(&names);
    text_done(&packed);
}
