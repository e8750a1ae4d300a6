/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of elfutils' libdw, and of libelf below it, that plumb uses, loaded on first use. */
#ifndef PLUMB_SYMBOL_DWARF_LIBDW_FUNCTIONS_H
#define PLUMB_SYMBOL_DWARF_LIBDW_FUNCTIONS_H

#include "base/error.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

struct libdw {
    typeof(elf_version) *elf_version;
    typeof(elf_begin) *elf_begin;
    typeof(elf_memory) *elf_memory;
    typeof(elf_end) *elf_end;
    typeof(elf_nextscn) *elf_nextscn;
    typeof(elf_strptr) *elf_strptr;
    typeof(elf_getshdrstrndx) *elf_getshdrstrndx;
    typeof(gelf_getshdr) *gelf_getshdr;
    typeof(gelf_update_shdr) *gelf_update_shdr;
    typeof(dwarf_begin) *begin;
    typeof(dwarf_begin_elf) *begin_elf;
    typeof(dwarf_end) *end;
    typeof(dwarf_errmsg) *errmsg;
    typeof(dwarf_get_units) *get_units;
    typeof(dwarf_cu_info) *cu_info;
    typeof(dwarf_getaranges) *getaranges;
    typeof(dwarf_getarange_addr) *getarange_addr;
    typeof(dwarf_getarangeinfo) *getarangeinfo;
    typeof(dwarf_offdie) *offdie;
    typeof(dwarf_diecu) *diecu;
    typeof(dwarf_tag) *tag;
    typeof(dwarf_child) *child;
    typeof(dwarf_siblingof) *siblingof;
    typeof(dwarf_haschildren) *haschildren;
    typeof(dwarf_dieoffset) *dieoffset;
    typeof(dwarf_ranges) *ranges;
    typeof(dwarf_lowpc) *lowpc;
    typeof(dwarf_attr) *attr;
    typeof(dwarf_attr_integrate) *attr_integrate;
    typeof(dwarf_formstring) *formstring;
    typeof(dwarf_formudata) *formudata;
    typeof(dwarf_getsrclines) *getsrclines;
    typeof(dwarf_onesrcline) *onesrcline;
    typeof(dwarf_lineaddr) *lineaddr;
    typeof(dwarf_lineno) *lineno;
    typeof(dwarf_linesrc) *linesrc;
    typeof(dwarf_lineendsequence) *lineendsequence;
    typeof(dwarf_getsrcfiles) *getsrcfiles;
    typeof(dwarf_filesrc) *filesrc;
    typeof(dwarf_srclang) *srclang;
    typeof(dwarf_getalt) *getalt;
    typeof(dwelf_dwarf_gnu_debugaltlink) *altlink;
};

/* Errors: ERROR_UNSUPPORTED when libdw isn't installed. */
MUST_CHECK bool libdw_load(struct libdw *ret_libdw, struct error *err);

#endif
