/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "symbol/names/kallsyms.h"
#include "symbol/names/kept_kallsyms.h"

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
    snprintf(path, sizeof(path), "%s/plumb/kernel_functions", folder);
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

static bool is_alike(const struct running_kernel *names, const struct running_kernel *same)
{
    bool alike = names->index.symbols.count == same->index.symbols.count && names->text_addr == same->text_addr;
    for (size_t at = 0; alike && at < names->index.symbols.count; at++) {
        const struct indexed_symbol *a = &names->index.symbols.items[at], *b = &same->index.symbols.items[at];
        struct view name = indexed_symbol_name(a), same_name = indexed_symbol_name(b);
        alike = a->start == b->start && a->end == b->end && a->enclosing == b->enclosing &&
                name.length == same_name.length && memcmp(name.text, same_name.text, name.length) == 0;
    }
    return alike;
}

static bool is_kept(const char *table)
{
    struct running_kernel names, same = kernel_of(table);
    bool is_there = kept_kallsyms_read(&root, &names) && is_alike(&names, &same);
    running_kernel_done(&names);
    running_kernel_done(&same);
    return is_there;
}

static void write_table(const char *table)
{
    struct running_kernel names = kernel_of(table);
    kept_kallsyms_write(&root, &names);
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
    struct running_kernel names = kernel_of(TABLE), damaged;
    struct text packed = {0};
    kept_kallsyms_pack(&packed, &names);
    for (size_t bit = 0; bit <= 8 * packed.length; bit++) {
        damaged = (struct running_kernel){0};
        text_append(&damaged.text, packed.bytes, bit % 8 ? packed.length : bit / 8);
        if (bit % 8 && bit / 8 < packed.length)
            damaged.text.bytes[bit / 8] ^= (char)(1 << bit % 8);
        size_t letters = 0;
        if (kept_kallsyms_unpack(&damaged))
            vec_for_each (&damaged.index.symbols, symbol) {
                cr_assert_leq(symbol->start, symbol->end);
                letters += strnlen(symbol->name, symbol->name_length);
            }
        cr_assert_leq(letters, 3 * packed.length);
        running_kernel_done(&damaged);
    }
    running_kernel_done(&names);
    text_done(&packed);
}
