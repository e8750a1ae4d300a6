/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who can name the addresses of a dso? Each giver is one const object in its own file; symboliser.c lists
 * them in the order in which they are asked.
 *
 * A giver builds one table of names per dso (or one for all the dsos it serves, when `is_shared`), once, and
 * says why when it can't. Looking up is the same for all of them.
 */
#ifndef PLUMB_SYMBOL_NAMES_NAME_GIVER_H
#define PLUMB_SYMBOL_NAMES_NAME_GIVER_H

#include "base/arena.h"
#include "symbol/dso_files.h"
#include "symbol/names/jit_dump.h"
#include "symbol/names/kept_kallsyms.h"
#include "symbol/symbol_index.h"
#include "symbol/symboliser.h"

enum names_key {
    NAMES_BY_ELF_ADDR,    /* index holds ELF addresses of `elf`; dso_addr is a file offset */
    NAMES_BY_RUNTIME_ADDR /* index holds runtime addresses, as of now: recorded address + shift */
};

struct names {
    enum names_key key;
    struct symbol_index index;
    struct kept_kallsyms kept; /* instead of the index, where its count isn't 0 */
    const struct elf_file *elf; /* NAMES_BY_ELF_ADDR */
    const struct binary *binary; /* whose bytes the names point into; NULL: no file's */
    uint64_t shift;             /* NAMES_BY_RUNTIME_ADDR; wraps */
    uint64_t shift_from;        /* recorded addresses from here on have no names (modules of another boot); 0: none */
    struct arena arena;         /* what the names point into, unless it is a file */
    struct text text;
    struct view dump; /* a jitdump, mapped, that the names point into … */
    struct jit_functions jit_functions; /* … and what else it says of its functions */
    char *remark; /* what these names lack: "'/x' is stripped: …"; or NULL. Owner: arena */
};

struct naming {
    const struct recording *recording;
    const struct symboliser_options *options;
    struct dso_files *files;
};

struct name_giver {
    const char *title;
    bool is_shared; /* one table serves all dsos */
    bool (*serves)(const struct naming *naming, const struct dso *dso);
    bool (*load)(const struct naming *naming, uint32_t dso, struct names *names, struct error *err);
};

extern const struct name_giver vmlinux_names, kallsyms_names, elf_names, vdso_names, bpf_names, jit_dump_names,
    perf_map_names;

#endif
