/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dwarf/libdw_functions.h"

#include "base/library.h"
#include "base/vec.h"

#define FUNCTION(name) LIBRARY_SYMBOL(struct libdw, name, "dwarf_" #name)
#define ELF_FUNCTION(name) LIBRARY_SYMBOL(struct libdw, name, #name) /* of libelf, which libdw brings */

static const struct library library = {{"libdw.so.1"}, "libdw1", "reading source lines (DWARF)"};
static const struct library_symbol functions[] = {
    ELF_FUNCTION(elf_version),
    ELF_FUNCTION(elf_begin),
    ELF_FUNCTION(elf_end),
    ELF_FUNCTION(elf_nextscn),
    ELF_FUNCTION(elf_strptr),
    ELF_FUNCTION(elf_getshdrstrndx),
    ELF_FUNCTION(gelf_getshdr),
    ELF_FUNCTION(gelf_update_shdr),
    ELF_FUNCTION(elf_memory),
    FUNCTION(begin_elf),
    FUNCTION(lowpc),
    FUNCTION(begin),
    FUNCTION(end),
    FUNCTION(errmsg),
    FUNCTION(get_units),
    FUNCTION(cu_info),
    FUNCTION(getaranges),
    FUNCTION(getarange_addr),
    FUNCTION(getarangeinfo),
    FUNCTION(offdie),
    FUNCTION(diecu),
    FUNCTION(tag),
    FUNCTION(child),
    FUNCTION(siblingof),
    FUNCTION(haschildren),
    FUNCTION(dieoffset),
    FUNCTION(ranges),
    FUNCTION(attr),
    FUNCTION(attr_integrate),
    FUNCTION(formstring),
    FUNCTION(formudata),
    FUNCTION(getsrclines),
    FUNCTION(onesrcline),
    FUNCTION(lineaddr),
    FUNCTION(lineno),
    FUNCTION(linesrc),
    FUNCTION(lineendsequence),
    FUNCTION(getsrcfiles),
    FUNCTION(filesrc),
    FUNCTION(srclang),
    FUNCTION(getalt),
    LIBRARY_SYMBOL(struct libdw, altlink, "dwelf_dwarf_gnu_debugaltlink"),
};

_Static_assert(sizeof(functions) / sizeof(functions[0]) == sizeof(struct libdw) / sizeof(void *),
               "every function pointer is loaded");

bool libdw_load(struct libdw *ret_libdw, struct error *err)
{
    return library_load(&library, functions, array_count(functions), ret_libdw, err);
}
