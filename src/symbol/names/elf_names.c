/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names from a binary's symbol tables, its debug file's, its compressed mini debug info, and its PLT; and the vdso's.
 */
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/go_functions.h"
#include "symbol/elf/mini_debuginfo.h"
#include "symbol/names/name_giver.h"

#include <elf.h>

/* The full table where there is one: the binary's own, its debug file's, the one in .gnu_debugdata, or Go's. */
static size_t read_full_table(const struct naming *naming, uint32_t dso, struct binary *binary, struct names *names)
{
    size_t found = elf_symbols_read(&binary->elf, SHT_SYMTAB, ELF_FUNCTIONS, &names->index);
    if (found)
        return found;
    dso_files_debug(naming->files, dso, NULL);
    if (binary->debug.bytes)
        found = elf_symbols_read(&binary->debug, SHT_SYMTAB, ELF_FUNCTIONS, &names->index);
    if (found)
        return found;
    /* What was inflated stays in the names' arena, which the names point into. */
    struct elf_file mini;
    struct error err = {0};
    if (mini_debuginfo_open(&binary->elf, &names->arena, &mini, &err)) {
        found = elf_symbols_read(&mini, SHT_SYMTAB, ELF_FUNCTIONS, &names->index);
        elf_file_close(&mini);
    } else if (err.kind != ERROR_NOT_FOUND) {
        names->remark = arena_printf(&names->arena, "%s", err.message);
    }
    return found ? found : go_functions_read(&binary->elf, &names->index);
}

static bool elf_load(const struct naming *naming, uint32_t dso, struct names *names, struct error *err)
{
    struct binary *binary = dso_files_binary(naming->files, dso, err);
    if (!binary)
        return false;
    names->key = NAMES_BY_ELF_ADDR;
    names->elf = &binary->elf;
    names->binary = binary;
    size_t full = read_full_table(naming, dso, binary, names);
    bool has_own_table = full && elf_section_of_type(&binary->elf, SHT_SYMTAB);
    size_t exported = has_own_table ? 0 : elf_symbols_read(&binary->elf, SHT_DYNSYM, ELF_FUNCTIONS, &names->index);
    elf_plt_read(&binary->elf, &names->arena, &names->index);
    symbol_index_sort(&names->index, false);
    if (!binary_stands(binary, err))
        return false;
    if (!full)
        names->remark = arena_printf(
            &names->arena, "'%s' is stripped, %zu exported functions have names%s%s; no debug file: tried %s",
            binary->path, exported, names->remark ? "; " : "", names->remark ? names->remark : "",
            binary->tried.length ? text_string(&binary->tried) : "none (no build id, no .gnu_debuglink)");
    return true;
}

static bool elf_serves(const struct naming *naming, const struct dso *dso)
{
    return dso->kind == DSO_FILE;
}

static bool vdso_serves(const struct naming *naming, const struct dso *dso)
{
    return dso->kind == DSO_VDSO;
}

const struct name_giver elf_names = {.title = "ELF symbol table", .serves = elf_serves, .load = elf_load};
const struct name_giver vdso_names = {.title = "vdso", .serves = vdso_serves, .load = elf_load};
