/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, source lines, inlined frames and code bytes for locations: an ordered list of name givers, asked
 * in turn until one answers (kernel, ELF symbol table, vdso, perf map, BPF, unknown), each saying why it
 * could not.
 *
 * Answers are cached per dso; each binary is read once, when something in it is first asked for. A file
 * that isn't the recorded one (by build id) is never used. Does not support: fetching from the network
 * unless asked (debuginfod).
 */
#ifndef PLUMB_SYMBOL_SYMBOLISER_H
#define PLUMB_SYMBOL_SYMBOLISER_H

#include "base/arena.h"
#include "base/error.h"
#include "model/recording.h"
#include "symbol/kernel_ahead.h"
#include "system/sysroot.h"

struct frame_description;
struct symboliser;

#define SYMBOL_NONE UINT32_MAX

struct symbol {
    uint32_t dso;
    const char *name;     /* demangled, without parameters; owner: the symboliser */
    const char *raw_name; /* as in the symbol table, without symbol version */
    uint64_t dso_addr, size_bytes; /* size 0: unknown */
    bool size_known;      /* else it reaches to the next one, however far that is */
    uint64_t shown_addr; /* where it begins as objdump shows it: ELF address for files, else the runtime address */
    bool is_kernel;
    bool is_global;
};

struct source_line {
    const char *path; /* as the compiler wrote it, directory joined; NULL: unknown */
    uint32_t line;    /* 0: unknown */
    const char *function; /* whose body it is: the inlined function's name, last the function itself; NULL: unknown */
};

struct symboliser_options {
    const struct sysroot *root;  /* for /proc/kallsyms, /tmp/perf-PID.map, binaries */
    const char *symbol_folder;   /* --symfs, or NULL */
    const char *kallsyms_path;   /* or NULL: /proc/kallsyms, unless the recording is of another kernel */
    const char *vmlinux_path;    /* -k, or NULL: looked for by build id and release */
    const char *kernel_release;  /* of the recorded machine (source_facts.os_release); NULL: unknown */
    struct kernel_ahead *kernel_ahead; /* names of the running kernel that are being read; NULL: none are */
    bool demangle;
    bool versions; /* names keep theirs ("cfree@GLIBC_2.2.5"), as perf shows them */
    bool debuginfod;
};

/* Owner: the caller (symboliser_free). recording must outlive it. */
MUST_CHECK bool symboliser_new(struct symboliser **ret_symboliser, const struct recording *recording,
                               const struct symboliser_options *options, struct error *err);
void symboliser_free(struct symboliser *symboliser);
/*
 * Go on with a recording that begins with the same dsos and locations as the one so far: their names stay. What was
 * asked for so far doesn't count for symboliser_complaint().
 */
void symboliser_move(struct symboliser *symboliser, const struct recording *recording);

/* Id of the symbol that holds the location, or SYMBOL_NONE; stable, so equal ids mean the same symbol. */
uint32_t symboliser_symbol_id(struct symboliser *symboliser, uint32_t location);
const struct symbol *symboliser_symbol(struct symboliser *symboliser, uint32_t symbol_id);
/* Demangled with parameters ("Foo::bar(int) const [clone .cold]"). Owner: the symboliser. */
const char *symboliser_signature(struct symboliser *symboliser, uint32_t symbol_id);
/*
 * Innermost first: inlined functions, then the function itself; returns how many were written (at most
 * most); 0 when there is no DWARF.
 */
size_t symboliser_lines(struct symboliser *symboliser, uint32_t location, struct source_line *ret_lines, size_t most);
/* The innermost of these lines alone, without its function: cheaper still. */
bool symboliser_line(struct symboliser *symboliser, uint32_t location, struct source_line *ret_line);
/*
 * Which functions these lines are in, last the function itself: cheaper, for who doesn't want the lines. 0 when no
 * DWARF tells.
 */
size_t symboliser_functions(struct symboliser *symboliser, uint32_t location, const char **ret_functions, size_t most);
/* The same as symboliser_lines for any address of a dso, sampled or not. */
size_t symboliser_lines_at(struct symboliser *symboliser, uint32_t dso, uint64_t dso_addr,
                           struct source_line *ret_lines, size_t most);
/*
 * Why locations of a dso have no names, or NULL when those asked for all have: "'/x' is stripped …; tried …".
 */
const char *symboliser_complaint(struct symboliser *symboliser, uint32_t dso);
/*
 * Whether DWARF can be read here; else err says what is missing. Names come without it, source lines and inlined
 * functions don't.
 */
MUST_CHECK bool symboliser_reads_lines(struct error *err);
/*
 * Why locations of a dso that were asked for lack inlined functions though it has DWARF, or NULL: a part that was split
 * off, or that it shares with other binaries, isn't there.
 * Owner: the symboliser.
 */
const char *symboliser_inline_complaint(struct symboliser *symboliser, uint32_t dso);
/* Why a dso has no source lines, or NULL when it has: no DWARF, no libdw. */
const char *symboliser_line_complaint(struct symboliser *symboliser, uint32_t dso);

/* One function's code, for disassembly. */
struct code {
    uint32_t symbol_id;
    uint64_t dso_addr;   /* of bytes[0] */
    uint64_t shown_addr; /* of bytes[0]: see struct symbol */
    const uint8_t *bytes;
    size_t size_bytes;
    const char *architecture; /* "x86_64", "aarch64" */
    const char *path; /* of the file that was read, or where else the bytes come from */
};
/* Errors: which paths were tried. Owner of the bytes: the symboliser. */
MUST_CHECK bool symboliser_code(struct symboliser *symboliser, uint32_t symbol_id, struct code *ret_code,
                                struct error *err);
/*
 * Where the function begins and ends that holds an unnamed location, by the binary's frame descriptions; false
 * when they don't say.
 */
bool symboliser_bounds(struct symboliser *symboliser, uint32_t location, uint64_t *ret_dso_addr,
                       uint64_t *ret_size_bytes);
/*
 * How the caller of a JIT compiler's code is found, by the jitdump of its process as far as the recording was read;
 * false when that doesn't say. At runtime addresses. Owner of what it refers to: the symboliser.
 */
bool symboliser_jit_frame(struct symboliser *symboliser, uint32_t dso, uint64_t runtime_addr,
                          struct frame_description *ret_description);
/* As much code as there is around an unnamed location: at most before bytes before it and after behind it. */
MUST_CHECK bool symboliser_code_around(struct symboliser *symboliser, uint32_t location, size_t before, size_t after,
                                       struct code *ret_code, struct error *err);

/*
 * The function or variable of a dso at an address as objdump shows it: for branch targets and data operands.
 * Returns NULL when nothing is known. Owner: the symboliser.
 */
const char *symboliser_name_at(struct symboliser *symboliser, uint32_t dso, uint64_t shown_addr,
                               uint64_t *ret_offset);

/*
 * The function or variable at an address that data was read from or written to, and how far behind its beginning; NULL:
 * nothing is known.
 */
const char *symboliser_data_name(struct symboliser *symboliser, uint32_t location, uint64_t *ret_offset);

/* How the binary was built, as far as it says: DW_AT_producer of the unit that holds the location. */
const char *symboliser_producer(struct symboliser *symboliser, uint32_t location);

#endif
