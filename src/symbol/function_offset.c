/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/function_offset.h"

#include "base/scope.h"
#include "symbol/elf/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>

/* A few names that look like the one sought, as "a, b"; "" when none do. */
static void near_names(const struct symbol_index *index, const char *sought, char *names, size_t size)
{
    size_t count = 0;
    names[0] = '\0';
    for (size_t at = 0; at < index->symbols.count && count < 5; at++) {
        struct view name = indexed_symbol_name(&index->symbols.items[at]);
        char word[128];
        if (name.length >= sizeof(word))
            continue;
        snprintf(word, sizeof(word), "%.*s", (int)name.length, name.text);
        bool near = strlen(sought) >= 3 && (text_distance(word, sought) <= 1 || strstr(word, sought));
        size_t used = strlen(names);
        if (!near || used + name.length + 3 > size)
            continue;
        snprintf(names + used, size - used, "%s%s", used ? ", " : "", word);
        count++;
    }
}

static bool symbol_missing(const struct symbol_index *index, const char *path, const char *symbol, struct error *err)
{
    char names[300];
    if (!index->symbols.count) {
        error_set(err, ERROR_NOT_FOUND, "'%s' has no symbol table", path);
        return error_hint(err, "give the offset in the file instead: uprobe:%s:0xOFFSET", path);
    }
    near_names(index, symbol, names, sizeof(names));
    error_set(err, ERROR_NOT_FOUND, "'%s' has no function '%s'", path, symbol);
    return names[0] ? error_hint(err, "did you mean %s?", names) : error_hint(err, "nm -D and nm list its functions");
}

static bool offset_find(const struct elf_file *elf, const char *path, const char *symbol, uint64_t *ret_file_offset,
                        struct error *err)
{
    struct symbol_index index = {0};
    elf_symbols_read(elf, SHT_SYMTAB, ELF_FUNCTIONS, &index);
    elf_symbols_read(elf, SHT_DYNSYM, ELF_FUNCTIONS, &index);
    uint32_t found = symbol_index_named(&index, symbol);
    bool good = found != SYMBOL_INDEX_NONE;
    if (!good)
        symbol_missing(&index, path, symbol, err);
    else if (!elf_offset_of_addr(elf, index.symbols.items[found].start, ret_file_offset))
        good = error_set(err, ERROR_FORMAT, "'%s': '%s' lies outside of the file", path, symbol);
    symbol_index_done(&index);
    return good;
}

bool function_offset(void *context, const char *path, const char *symbol, uint64_t *ret_file_offset, struct error *err)
{
    (void)context;
    struct elf_file elf;
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system(err, errno, "can't read '%s'", path);
    if (!elf_file_open(&elf, fd, err))
        return error_wrap(err, "'%s'", path);
    bool good = offset_find(&elf, path, symbol, ret_file_offset, err);
    elf_file_close(&elf);
    return good;
}
