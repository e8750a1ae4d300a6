/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/symboliser.h"

#include "base/hashmap.h"
#include "base/scope.h"
#include "base/vec.h"
#include "symbol/demangle.h"
#include "symbol/dwarf/dwarf_index.h"
#include "symbol/dwarf/kept_dwarf.h"
#include "symbol/dwarf/libdw_functions.h"
#include "symbol/dwarf/split_package.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/kernel_code.h"
#include "symbol/names/jit_dump.h"
#include "symbol/names/name_giver.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>

/* In the order in which they are asked. A vmlinux that the user named goes before kallsyms: see giver_order. */
static const struct name_giver *const givers[] = {
    &kallsyms_names, &vmlinux_names, &elf_names, &vdso_names, &bpf_names, &jit_dump_names, &perf_map_names,
};

enum {
    GIVER_COUNT = array_count(givers),
    NAME_BYTES_MOST = 64 * 1024
};

#define NOT_ASKED (UINT32_MAX - 1)

/* One giver's table for one dso, or for all. */
struct table {
    bool loaded, usable;
    struct names names;
    struct error error;
};

struct dso_names {
    struct table *tables[GIVER_COUNT]; /* shared ones belong to the symboliser */
    bool has_unnamed;                  /* some address asked for had no name */
    char *complaint;
    bool lines_opened;
    struct dwarf_index *dwarf; /* NULL: none */
    struct error line_error;
    bool packed_by_zstd; /* its DWARF, so that nothing reads it */
    struct symbol_index objects; /* variables, for operands; read on first use */
    bool objects_read;
    bool dump_is_mapped;  /* its process's jitdump, as far as the recording was read … */
    uint32_t dump_sought; /* … when so many dsos were known */
};

struct symboliser {
    const struct recording *recording;
    struct symboliser_options options;
    struct dso_files *files;
    struct kernel_code *kernel_code;
    struct arena arena;
    struct table *shared[GIVER_COUNT];
    struct dso_names **dsos;
    size_t dso_capacity;
    vec(struct symbol) symbols;
    vec(const char *) signatures; /* by symbol; NULL: not made yet */
    struct hashmap symbol_by_key;
    vec(uint32_t) location_symbols; /* by location; NOT_ASKED */
};

struct place {
    uint32_t dso;
    uint64_t dso_addr, runtime_addr;
};

bool symboliser_new(struct symboliser **ret_symboliser, const struct recording *recording,
                    const struct symboliser_options *options, struct error *err)
{
    (void)err; /* nothing is opened before it is asked for */
    struct symboliser *symboliser = memory_alloc(sizeof(*symboliser));
    *symboliser = (struct symboliser){.recording = recording, .options = *options};
    arena_init(&symboliser->arena);
    /* The caller's strings may go, as when the source they came from is closed. */
    const char **strings[] = {&symboliser->options.symbol_folder, &symboliser->options.kallsyms_path,
                              &symboliser->options.vmlinux_path, &symboliser->options.kernel_release};
    for (size_t at = 0; at < array_count(strings); at++)
        *strings[at] = *strings[at] ? arena_string(&symboliser->arena, *strings[at]) : NULL;
    symboliser->files = dso_files_new(recording, &symboliser->options);
    symboliser->kernel_code = kernel_code_new(&symboliser->options, recording, symboliser->files);
    *ret_symboliser = symboliser;
    return true;
}

static void table_free(struct table *table)
{
    if (!table)
        return;
    symbol_index_done(&table->names.index);
    kept_kallsyms_done(&table->names.kept);
    arena_done(&table->names.arena);
    text_done(&table->names.text);
    jit_functions_done(&table->names.jit_functions);
    jit_dump_close(table->names.dump);
    free(table);
}

static void dso_names_free(struct dso_names *names)
{
    if (!names)
        return;
    for (size_t at = 0; at < GIVER_COUNT; at++)
        if (!givers[at]->is_shared)
            table_free(names->tables[at]);
    free(names->complaint);
    dwarf_index_free(names->dwarf);
    symbol_index_done(&names->objects);
    free(names);
}

void symboliser_free(struct symboliser *symboliser)
{
    if (!symboliser)
        return;
    for (size_t at = 0; at < symboliser->dso_capacity; at++)
        dso_names_free(symboliser->dsos[at]);
    for (size_t at = 0; at < GIVER_COUNT; at++)
        table_free(symboliser->shared[at]);
    free(symboliser->dsos);
    vec_done(&symboliser->symbols);
    vec_done(&symboliser->signatures);
    vec_done(&symboliser->location_symbols);
    hashmap_done(&symboliser->symbol_by_key);
    kernel_code_free(symboliser->kernel_code);
    dso_files_free(symboliser->files);
    arena_done(&symboliser->arena);
    free(symboliser);
}

void symboliser_move(struct symboliser *symboliser, const struct recording *recording)
{
    symboliser->recording = recording;
    dso_files_move(symboliser->files, recording);
    kernel_code_move(symboliser->kernel_code, recording);
    for (size_t at = 0; at < symboliser->dso_capacity; at++)
        if (symboliser->dsos[at])
            symboliser->dsos[at]->has_unnamed = false;
}

static struct dso_names *dso_names_of(struct symboliser *symboliser, uint32_t dso)
{
    if (dso >= symboliser->dso_capacity) {
        size_t before = symboliser->dso_capacity, wanted = symboliser->recording->spaces.dso_count;
        if (dso >= wanted)
            return NULL;
        symboliser->dsos = memory_resize(symboliser->dsos, memory_product(wanted, sizeof(struct dso_names *)));
        memset(symboliser->dsos + before, 0, (wanted - before) * sizeof(struct dso_names *));
        symboliser->dso_capacity = wanted;
    }
    if (!symboliser->dsos[dso]) {
        symboliser->dsos[dso] = memory_alloc(sizeof(struct dso_names));
        *symboliser->dsos[dso] = (struct dso_names){0};
    }
    return symboliser->dsos[dso];
}

static struct table *table_load(struct symboliser *symboliser, size_t giver, uint32_t dso)
{
    struct table *table = memory_alloc(sizeof(*table));
    *table = (struct table){.loaded = true};
    arena_init(&table->names.arena);
    struct naming naming = {symboliser->recording, &symboliser->options, symboliser->files};
    table->usable = givers[giver]->load(&naming, dso, &table->names, &table->error);
    return table;
}

/* The giver's table for the dso, or NULL when it doesn't serve it. */
static struct table *table_of(struct symboliser *symboliser, size_t giver, uint32_t dso)
{
    struct dso_names *names = dso_names_of(symboliser, dso);
    struct naming naming = {symboliser->recording, &symboliser->options, symboliser->files};
    if (!names || !givers[giver]->serves(&naming, &symboliser->recording->spaces.dsos[dso]))
        return NULL;
    if (!names->tables[giver] && givers[giver]->is_shared && symboliser->shared[giver])
        names->tables[giver] = symboliser->shared[giver];
    if (!names->tables[giver])
        names->tables[giver] = table_load(symboliser, giver, dso);
    if (givers[giver]->is_shared)
        symboliser->shared[giver] = names->tables[giver];
    return names->tables[giver];
}

/* The address under which names knows the place; false when it can't know it. */
static bool names_address(const struct names *names, const struct place *place, uint64_t *ret_address)
{
    if (names->key == NAMES_BY_ELF_ADDR)
        return elf_addr_of_offset(names->elf, place->dso_addr, ret_address);
    if (names->shift && names->shift_from && place->runtime_addr >= names->shift_from)
        return false;
    *ret_address = place->runtime_addr + names->shift;
    return true;
}

/* The symbol's name without its version ("memcpy@@GLIBC_2.14"); "@plt" stays. */
static struct view without_version(struct view name)
{
    if (view_ends(name, "@plt"))
        return name;
    const char *at = name.length > 1 ? memchr(name.text + 1, '@', name.length - 1) : NULL;
    return at ? (struct view){name.text, (size_t)(at - name.text)} : name;
}

/* Demangled, or NULL; what follows a PLT entry's name stays behind it. */
static const char *plain_name(struct symboliser *symboliser, const char *raw, bool with_parameters)
{
    struct view name = view_of(raw);
    bool is_plt = view_ends(name, "@plt");
    char *bare = is_plt ? memory_printf("%.*s", (int)(name.length - 4), raw) : NULL;
    char *plain = demangle(bare ? bare : raw, with_parameters);
    const char *kept = plain ? arena_printf(&symboliser->arena, "%s%s", plain, is_plt ? "@plt" : "") : NULL;
    free(bare);
    free(plain);
    return kept;
}

static uint64_t symbol_key(uint32_t dso, size_t giver, uint32_t at)
{
    /* Unique: givers are few, and dsos and symbols are 32-bit ids whose combination is hashed twice. */
    return hash_combine(hash_u64((uint64_t)dso << 8 | giver), at);
}

struct symbol_identity {
    uint32_t dso;
    uint64_t dso_addr, size_bytes;
};

static bool symbol_equal(const void *context, uint32_t id, const void *key)
{
    const struct symboliser *symboliser = context;
    const struct symbol_identity *wanted = key;
    const struct symbol *symbol = &symboliser->symbols.items[id];
    return symbol->dso == wanted->dso && symbol->dso_addr == wanted->dso_addr &&
           symbol->size_bytes == wanted->size_bytes;
}

/* The names point into the file: what is written over it would be other functions' names. */
static bool names_stand(struct table *table)
{
    table->usable = !table->names.binary || binary_stands(table->names.binary, &table->error);
    return table->usable;
}

/* SYMBOL_NONE: the file of the names is no longer what it was. */
static uint32_t symbol_intern(struct symboliser *symboliser, const struct place *place, size_t giver,
                              struct table *table, uint32_t at, const struct indexed_symbol *found, uint64_t address)
{
    const struct names *names = &table->names;
    const struct dso *dso = &symboliser->recording->spaces.dsos[place->dso];
    struct symbol_identity identity = {place->dso, place->dso_addr - (address - found->start),
                                       found->end - found->start};
    uint64_t hash = symbol_key(place->dso, giver, at);
    uint32_t id = hashmap_find(&symboliser->symbol_by_key, hash, symbol_equal, symboliser, &identity);
    if (id != HASHMAP_ABSENT)
        return id; /* its name was copied when it was met first */
    if (!names_stand(table))
        return SYMBOL_NONE;
    struct view whole = indexed_symbol_name(found), name = without_version(whole);
    if (name.length > NAME_BYTES_MOST)
        name.length = NAME_BYTES_MOST;
    const char *raw = arena_string_n(&symboliser->arena, name.text, name.length);
    const char *plain = symboliser->options.demangle ? plain_name(symboliser, raw, false) : NULL;
    const char *shown = plain ? plain : raw;
    if (!plain && symboliser->options.versions && whole.length <= NAME_BYTES_MOST)
        shown = arena_string_n(&symboliser->arena, whole.text, whole.length);
    id = (uint32_t)symboliser->symbols.count;
    *vec_push(&symboliser->symbols) = (struct symbol){
        .dso = place->dso,
        .name = shown,
        .raw_name = raw,
        .dso_addr = identity.dso_addr,
        .size_bytes = identity.size_bytes,
        .size_known = found->size_known,
        .shown_addr = names->key == NAMES_BY_ELF_ADDR ? found->start : found->start - names->shift,
        .is_kernel = dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_BPF,
        .is_global = found->binding != SYMBOL_LOCAL,
    };
    *vec_push(&symboliser->signatures) = NULL;
    hashmap_add(&symboliser->symbol_by_key, hash, id);
    return id;
}

/* A vmlinux named by the user is believed before kallsyms. */
static size_t giver_order(const struct symboliser *symboliser, size_t turn)
{
    bool vmlinux_first = symboliser->options.vmlinux_path != NULL;
    return vmlinux_first && turn < 2 ? 1 - turn : turn;
}

/* Its number in the table, or SYMBOL_INDEX_NONE. */
static uint32_t names_find(const struct names *names, uint64_t address, struct indexed_symbol *ret_found)
{
    if (names->kept.count)
        return kept_kallsyms_find(&names->kept, address, ret_found);
    uint32_t at = symbol_index_find(&names->index, address);
    if (at != SYMBOL_INDEX_NONE)
        *ret_found = names->index.symbols.items[at];
    return at;
}

static uint32_t symbol_find(struct symboliser *symboliser, const struct place *place)
{
    for (size_t turn = 0; turn < GIVER_COUNT; turn++) {
        size_t giver = giver_order(symboliser, turn);
        struct table *table = table_of(symboliser, giver, place->dso);
        uint64_t address;
        if (!table || !table->usable || !names_address(&table->names, place, &address))
            continue;
        struct indexed_symbol found;
        uint32_t at = names_find(&table->names, address, &found);
        if (at == SYMBOL_INDEX_NONE)
            continue;
        uint32_t id = symbol_intern(symboliser, place, giver, table, at, &found, address);
        if (id != SYMBOL_NONE)
            return id;
        break;
    }
    return SYMBOL_NONE;
}

struct dso_files *symboliser_files(struct symboliser *symboliser)
{
    return symboliser->files;
}

uint32_t symboliser_symbol_id(struct symboliser *symboliser, uint32_t location)
{
    const struct samples *samples = &symboliser->recording->samples;
    if (location >= samples->location_count)
        return SYMBOL_NONE;
    if (location >= symboliser->location_symbols.count) {
        vec_reserve(&symboliser->location_symbols, samples->location_count);
        while (symboliser->location_symbols.count < samples->location_count)
            symboliser->location_symbols.items[symboliser->location_symbols.count++] = NOT_ASKED;
    }
    uint32_t *cached = &symboliser->location_symbols.items[location];
    if (*cached == NOT_ASKED) {
        const struct location *where = &samples->locations[location];
        struct place place = {where->dso, where->dso_addr, where->runtime_addr};
        *cached = where->dso < symboliser->recording->spaces.dso_count ? symbol_find(symboliser, &place) : SYMBOL_NONE;
    }
    struct dso_names *nameless =
        *cached == SYMBOL_NONE ? dso_names_of(symboliser, samples->locations[location].dso) : NULL;
    if (nameless)
        nameless->has_unnamed = true;
    return *cached;
}

const struct symbol *symboliser_symbol(struct symboliser *symboliser, uint32_t symbol_id)
{
    return symbol_id < symboliser->symbols.count ? &symboliser->symbols.items[symbol_id] : NULL;
}

const char *symboliser_signature(struct symboliser *symboliser, uint32_t symbol_id)
{
    if (symbol_id >= symboliser->symbols.count)
        return NULL;
    const char **signature = &symboliser->signatures.items[symbol_id];
    const char *raw = symboliser->symbols.items[symbol_id].raw_name;
    if (!*signature && symboliser->options.demangle)
        *signature = plain_name(symboliser, raw, true);
    if (!*signature)
        *signature = raw;
    return *signature;
}

const char *symboliser_complaint(struct symboliser *symboliser, uint32_t dso)
{
    struct dso_names *names = dso_names_of(symboliser, dso);
    if (!names || !names->has_unnamed)
        return NULL;
    if (names->complaint)
        return names->complaint;
    scoped_text struct text text = {0};
    for (size_t turn = 0; turn < GIVER_COUNT; turn++) {
        struct table *table = table_of(symboliser, giver_order(symboliser, turn), dso);
        const char *reason = !table ? NULL : !table->usable ? table->error.message : table->names.remark;
        if (reason)
            text_printf(&text, "%s%s", text.length ? "; " : "", reason);
        if (table && !table->usable && table->error.hint[0])
            text_printf(&text, " (%s)", table->error.hint);
    }
    names->complaint = text.length ? text_steal(&text) : memory_string("no symbol covers some of its addresses");
    return names->complaint;
}

/* A package that can't be read is as good as none: its units' .dwo files are named as missing then. */
static void add_package(struct symboliser *symboliser, struct dwarf_index *dwarf, const struct binary *binary)
{
    scoped_fd int fd = binary_open_package(binary, symboliser->options.root);
    struct split_package *package;
    if (fd >= 0 && split_package_open(&package, fd, NULL))
        dwarf_index_add_package(dwarf, package);
}

/* zstd's, which libdw reads from elfutils 0.189 on. */
static bool is_packed_by_zstd(const struct elf_file *elf)
{
    const struct elf_section *section = elf_section_named(elf, ".debug_info");
    struct bytes_view bytes =
        section && section->flags & SHF_COMPRESSED ? elf_section_bytes(elf, section) : (struct bytes_view){0};
    static const uint8_t kinds[][4] = {{2, 0, 0, 0}, {0, 0, 0, 2}}; /* ELFCOMPRESS_ZSTD in either byte order */
    return bytes.size_bytes >= sizeof(kinds[0]) && (memcmp(bytes.bytes, kinds[0], sizeof(kinds[0])) == 0 ||
                                                    memcmp(bytes.bytes, kinds[1], sizeof(kinds[1])) == 0);
}

#define PACKED_BY_ZSTD                                                                                                 \
    "debug information is compressed with zstd, which libdw reads from elfutils 0.189 on (objcopy "                    \
    "--decompress-debug-sections "                                                                                     \
    "unpacks it)"

/* NULL stays where there is none, with the reason kept. */
static void dso_dwarf_open(struct symboliser *symboliser, struct dso_names *names, uint32_t dso, bool for_lines)
{
    struct binary *binary = dso_files_debug(symboliser->files, dso, &names->line_error);
    if (!binary)
        return;
    bool demangles = symboliser->options.demangle;
    int fd = binary->debug_fd >= 0 ? binary->debug_fd : binary->fd;
    const struct elf_file *elf = binary->debug.bytes ? &binary->debug : &binary->elf;
    if (fd < 0 || (!elf_section_named(elf, ".debug_info") && !elf_section_named(elf, ".zdebug_info"))) {
        error_set(&names->line_error, ERROR_NOT_FOUND, "'%s' has no debug information%s%s", binary->path,
                  binary->tried.length ? ": tried " : "", text_string(&binary->tried));
    } else if (dwarf_index_new(&names->dwarf, fd, demangles, for_lines, demangles ? kept_dwarf_open(fd) : NULL,
                               &names->line_error)) {
        add_package(symboliser, names->dwarf, binary);
    } else {
        names->dwarf = NULL;
        names->packed_by_zstd = is_packed_by_zstd(elf);
        if (names->packed_by_zstd)
            error_set(&names->line_error, ERROR_UNSUPPORTED, "its " PACKED_BY_ZSTD);
    }
}

/*
 * The DWARF of a dso, opened on first use, to ask for lines or functions alone; NULL with the reason kept when there is
 * none.
 */
static struct dwarf_index *dso_dwarf(struct symboliser *symboliser, uint32_t dso, bool for_lines,
                                     const struct elf_file **ret_elf)
{
    struct dso_names *names = dso_names_of(symboliser, dso);
    if (!names)
        return NULL;
    if (!names->lines_opened)
        dso_dwarf_open(symboliser, names, dso, for_lines);
    names->lines_opened = true;
    if (!names->dwarf)
        return NULL;
    *ret_elf = &dso_files_binary(symboliser->files, dso, NULL)->elf;
    return names->dwarf;
}

/* The address in the DWARF of a dso's address. */
static bool dwarf_address(struct symboliser *symboliser, uint32_t dso, uint64_t dso_addr, const struct elf_file *elf,
                          uint64_t *ret_addr)
{
    const struct dso *info = &symboliser->recording->spaces.dsos[dso];
    if (info->kind == DSO_KERNEL)
        return kernel_code_elf_addr(symboliser->kernel_code, dso_addr, ret_addr);
    return elf_addr_of_offset(elf, dso_addr, ret_addr);
}

/* What the jitdump of the process says, or NULL: it wrote none that can be read. */
static const struct names *jit_dump_of(struct symboliser *symboliser, uint32_t dso)
{
    for (size_t giver = 0; giver < GIVER_COUNT; giver++) {
        struct table *table = givers[giver] == &jit_dump_names && dso < symboliser->recording->spaces.dso_count
                                  ? table_of(symboliser, giver, dso)
                                  : NULL;
        if (table && table->usable && table->names.dump.length)
            return &table->names;
    }
    return NULL;
}

/* The functions of the dump, and where the one that holds an address begins; NULL: it knows none there. */
static const struct jit_functions *jit_functions_at(struct symboliser *symboliser, uint32_t dso, uint64_t addr,
                                                    uint64_t *ret_start)
{
    const struct names *names = jit_dump_of(symboliser, dso);
    uint32_t at = names ? symbol_index_find(&names->index, addr) : SYMBOL_INDEX_NONE;
    if (at == SYMBOL_INDEX_NONE)
        return NULL;
    *ret_start = names->index.symbols.items[at].start;
    return &names->jit_functions;
}

static bool jit_line(struct symboliser *symboliser, uint32_t dso, uint64_t dso_addr, struct source_line *ret_line)
{
    uint64_t start;
    const struct jit_functions *functions = jit_functions_at(symboliser, dso, dso_addr, &start);
    return functions && jit_line_find(functions, start, dso_addr, ret_line);
}

bool symboliser_jit_frame(struct symboliser *symboliser, uint32_t dso, uint64_t runtime_addr,
                          struct frame_description *ret_description)
{
    const struct address_spaces *spaces = &symboliser->recording->spaces;
    struct dso_names *names = dso_names_of(symboliser, dso);
    if (!names)
        return false;
    /* Names are read once, and the process may map its dump only later: as yet another file. */
    if (!names->dump_is_mapped && names->dump_sought != spaces->dso_count)
        names->dump_is_mapped = jit_dump_path(symboliser->recording, spaces->dsos[dso].owner_pid) != NULL;
    names->dump_sought = spaces->dso_count;
    uint64_t start;
    const struct jit_functions *functions =
        names->dump_is_mapped ? jit_functions_at(symboliser, dso, runtime_addr, &start) : NULL;
    return functions && jit_frame_find(functions, start, runtime_addr, ret_description);
}

size_t symboliser_lines_at(struct symboliser *symboliser, uint32_t dso, uint64_t dso_addr,
                           struct source_line *ret_lines, size_t most)
{
    const struct elf_file *elf;
    uint64_t addr;
    if (most && jit_line(symboliser, dso, dso_addr, ret_lines))
        return 1;
    struct dwarf_index *dwarf = dso_dwarf(symboliser, dso, true, &elf);
    if (!dwarf || !dwarf_address(symboliser, dso, dso_addr, elf, &addr))
        return 0;
    return dwarf_index_lines(dwarf, addr, ret_lines, most);
}

size_t symboliser_lines(struct symboliser *symboliser, uint32_t location, struct source_line *ret_lines, size_t most)
{
    const struct samples *samples = &symboliser->recording->samples;
    if (location >= samples->location_count)
        return 0;
    const struct location *where = &samples->locations[location];
    return symboliser_lines_at(symboliser, where->dso, where->dso_addr, ret_lines, most);
}

/* The DWARF that speaks of a location, and its address there; NULL when none does. */
static struct dwarf_index *location_dwarf(struct symboliser *symboliser, uint32_t location, bool for_lines,
                                          uint64_t *ret_addr)
{
    const struct samples *samples = &symboliser->recording->samples;
    const struct elf_file *elf;
    if (location >= samples->location_count)
        return NULL;
    const struct location *where = &samples->locations[location];
    struct dwarf_index *dwarf = dso_dwarf(symboliser, where->dso, for_lines, &elf);
    return dwarf && dwarf_address(symboliser, where->dso, where->dso_addr, elf, ret_addr) ? dwarf : NULL;
}

size_t symboliser_functions(struct symboliser *symboliser, uint32_t location, const char **ret_functions, size_t most)
{
    uint64_t addr;
    struct dwarf_index *dwarf = location_dwarf(symboliser, location, false, &addr);
    return dwarf ? dwarf_index_functions(dwarf, addr, ret_functions, most) : 0;
}

bool symboliser_line(struct symboliser *symboliser, uint32_t location, struct source_line *ret_line)
{
    uint64_t addr;
    const struct samples *samples = &symboliser->recording->samples;
    if (location < samples->location_count &&
        jit_line(symboliser, samples->locations[location].dso, samples->locations[location].dso_addr, ret_line))
        return true;
    struct dwarf_index *dwarf = location_dwarf(symboliser, location, true, &addr);
    return dwarf && dwarf_index_line(dwarf, addr, ret_line);
}

const char *symboliser_line_complaint(struct symboliser *symboliser, uint32_t dso)
{
    const struct elf_file *elf;
    struct dso_names *names = dso_names_of(symboliser, dso);
    const struct names *dump = jit_dump_of(symboliser, dso);
    if (!names || (dump && dump->jit_functions.have_lines) || dso_dwarf(symboliser, dso, true, &elf))
        return NULL;
    return names->line_error.message;
}

const char *symboliser_inline_complaint(struct symboliser *symboliser, uint32_t dso)
{
    struct dso_names *names = dso_names_of(symboliser, dso);
    if (names && names->packed_by_zstd)
        return "inlined functions and source lines are unknown: its " PACKED_BY_ZSTD;
    const char *missing = names && names->dwarf ? dwarf_index_missing(names->dwarf) : NULL;
    const char *shared = names && names->dwarf ? dwarf_index_shared_missing(names->dwarf) : NULL;
    if (shared)
        return arena_printf(
            &symboliser->arena,
            "inlined functions have no names: '%s' is missing, a file of debug information that several binaries share "
            "(dwz; Debian has it in the same -dbgsym package)",
            shared);
    return missing ? arena_printf(
                         &symboliser->arena,
                         "inlined functions are unknown where '%s' or its like is missing, which the "
                         "compiler split off: keep the .dwo files, or their package (dwp, llvm-dwp) beside the binary "
                         "under its name and .dwp",
                         missing)
                   : NULL;
}

const char *symboliser_producer(struct symboliser *symboliser, uint32_t location)
{
    uint64_t addr;
    struct dwarf_index *dwarf = location_dwarf(symboliser, location, false, &addr);
    return dwarf ? dwarf_index_producer(dwarf, addr) : NULL;
}

/* The part of a process's JIT code from addr on that one copy in the recording holds. */
static struct bytes_view copied_piece(const struct recording *recording, uint32_t pid, uint64_t addr,
                                      uint64_t size_bytes)
{
    for (size_t at = recording->code_pages_count; at-- > 0;) { /* the latest copy */
        const struct code_pages *pages = &recording->code_pages[at];
        if (pages->pid != pid || addr < pages->runtime_addr || addr - pages->runtime_addr >= pages->size_bytes)
            continue;
        uint64_t skipped = addr - pages->runtime_addr, left = pages->size_bytes - skipped;
        return (struct bytes_view){pages->bytes + skipped, size_bytes < left ? size_bytes : left};
    }
    return (struct bytes_view){0};
}

/* The same over as many copies as follow each other without a gap: pages are copied as they are found hot. */
static struct bytes_view copied_code(struct symboliser *symboliser, uint32_t pid, uint64_t addr, uint64_t size_bytes)
{
    const struct recording *recording = symboliser->recording;
    struct bytes_view whole = copied_piece(recording, pid, addr, size_bytes);
    uint64_t joined = whole.size_bytes;
    while (joined && joined < size_bytes) {
        struct bytes_view piece = copied_piece(recording, pid, addr + joined, size_bytes - joined);
        if (!piece.size_bytes)
            break;
        joined += piece.size_bytes;
    }
    if (joined == whole.size_bytes)
        return whole;
    uint8_t *bytes = arena_array(&symboliser->arena, uint8_t, joined);
    for (uint64_t at = 0; at < joined;) {
        struct bytes_view piece = copied_piece(recording, pid, addr + at, joined - at);
        memcpy(bytes + at, piece.bytes, piece.size_bytes);
        at += piece.size_bytes;
    }
    return (struct bytes_view){bytes, joined};
}

/* The same in the jitdump of the process. */
static struct bytes_view dumped_code(struct symboliser *symboliser, uint32_t dso, uint64_t addr, uint64_t size_bytes)
{
    uint64_t start;
    const struct jit_functions *functions = jit_functions_at(symboliser, dso, addr, &start);
    struct view found = functions ? jit_code_find(functions, start, addr) : (struct view){0};
    return (struct bytes_view){(const uint8_t *)found.text, found.length < size_bytes ? found.length : size_bytes};
}

static bool file_code_read(struct symboliser *symboliser, uint32_t dso, uint64_t size_bytes, struct code *code,
                           struct bytes_view *ret_bytes, struct error *err)
{
    const struct dso *info = &symboliser->recording->spaces.dsos[dso];
    struct binary *binary = dso_files_binary(symboliser->files, dso, err);
    uint64_t addr;
    if (!binary) {
        *ret_bytes = dso_files_image(symboliser->files, dso, code->dso_addr, size_bytes);
        code->path = strings_text(&symboliser->recording->strings, info->path);
        code->shown_addr = code->dso_addr;
        return ret_bytes->size_bytes > 0;
    }
    if (!binary_stands(binary, err))
        return false;
    if (elf_addr_of_offset(&binary->elf, code->dso_addr, &addr)) {
        *ret_bytes = elf_bytes_at(&binary->elf, addr, size_bytes);
        code->shown_addr = addr;
    }
    code->path = binary->path;
    const char *architecture = elf_architecture(&binary->elf);
    if (architecture)
        code->architecture = architecture;
    if (!ret_bytes->size_bytes)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no bytes at offset 0x%llx", binary->path,
                         (unsigned long long)code->dso_addr);
    return true;
}

/* Fill code with size bytes from dso_addr on, from wherever the dso's bytes are. */
static bool code_read(struct symboliser *symboliser, uint32_t dso, uint64_t dso_addr, uint64_t size_bytes,
                      struct code *code, struct error *err)
{
    const struct dso *info = &symboliser->recording->spaces.dsos[dso];
    struct bytes_view bytes = {0};
    code->dso_addr = dso_addr;
    code->architecture = symboliser->recording->architecture;
    if (info->kind == DSO_FILE || info->kind == DSO_VDSO) {
        if (!file_code_read(symboliser, dso, size_bytes, code, &bytes, err))
            return false;
    } else if (info->kind == DSO_KERNEL || info->kind == DSO_MODULE || info->kind == DSO_BPF) {
        if (!kernel_code_read(symboliser->kernel_code, dso_addr, size_bytes, &bytes, &code->path, err))
            return false;
        code->shown_addr = dso_addr;
    } else {
        bytes = copied_code(symboliser, info->owner_pid, dso_addr, size_bytes);
        code->path = "code copied into the recording";
        if (!bytes.size_bytes) {
            bytes = dumped_code(symboliser, dso, dso_addr, size_bytes);
            code->path = "the jitdump";
        }
        code->shown_addr = dso_addr;
        if (!bytes.size_bytes)
            return error_set(err, ERROR_NOT_FOUND,
                             "the code of '%s' at 0x%llx is in no file, and was not copied when it was recorded",
                             strings_text(&symboliser->recording->strings, info->name), (unsigned long long)dso_addr);
    }
    code->bytes = bytes.bytes;
    code->size_bytes = bytes.size_bytes;
    return true;
}

bool symboliser_code(struct symboliser *symboliser, uint32_t symbol_id, struct code *ret_code, struct error *err)
{
    if (symbol_id >= symboliser->symbols.count)
        return error_set(err, ERROR_NOT_FOUND, "no such symbol");
    const struct symbol *symbol = &symboliser->symbols.items[symbol_id];
    struct code code = {.symbol_id = symbol_id};
    if (!code_read(symboliser, symbol->dso, symbol->dso_addr, symbol->size_bytes, &code, err))
        return error_wrap(err, "no code of '%s'", symbol->name);
    *ret_code = code;
    return true;
}

bool symboliser_bounds(struct symboliser *symboliser, uint32_t location, uint64_t *ret_dso_addr,
                       uint64_t *ret_size_bytes)
{
    const struct samples *samples = &symboliser->recording->samples;
    if (location >= samples->location_count)
        return false;
    const struct location *where = &samples->locations[location];
    const struct dso *info = &symboliser->recording->spaces.dsos[where->dso];
    struct binary *binary = info->kind == DSO_FILE || info->kind == DSO_VDSO
                                ? dso_files_binary(symboliser->files, where->dso, NULL) : NULL;
    uint64_t addr;
    struct frame_description function;
    if (!binary || !elf_addr_of_offset(&binary->elf, where->dso_addr, &addr) ||
        !binary_frame_find(binary, addr, &function))
        return false;
    *ret_dso_addr = where->dso_addr - (addr - function.start);
    *ret_size_bytes = function.end - function.start;
    return true;
}

bool symboliser_code_around(struct symboliser *symboliser, uint32_t location, size_t before, size_t after,
                            struct code *ret_code, struct error *err)
{
    const struct samples *samples = &symboliser->recording->samples;
    if (location >= samples->location_count)
        return error_set(err, ERROR_NOT_FOUND, "no such location");
    const struct location *where = &samples->locations[location];
    struct code code = {.symbol_id = SYMBOL_NONE};
    uint64_t start = where->dso_addr > before ? where->dso_addr - before : 0;
    bool reaches = code_read(symboliser, where->dso, start, where->dso_addr - start + after, &code, err) &&
                   code.size_bytes > where->dso_addr - start;
    if (!reaches && !code_read(symboliser, where->dso, where->dso_addr, after, &code, err))
        return false;
    *ret_code = code;
    return true;
}

static void objects_read(struct symboliser *symboliser, uint32_t dso, struct dso_names *names)
{
    names->objects_read = true;
    struct binary *binary = dso_files_debug(symboliser->files, dso, NULL);
    if (!binary)
        return;
    if (!elf_symbols_read(&binary->elf, SHT_SYMTAB, ELF_OBJECTS, &names->objects) &&
        (!binary->debug.bytes || !elf_symbols_read(&binary->debug, SHT_SYMTAB, ELF_OBJECTS, &names->objects)))
        elf_symbols_read(&binary->elf, SHT_DYNSYM, ELF_OBJECTS, &names->objects);
    symbol_index_sort(&names->objects, false);
}

const char *symboliser_name_at(struct symboliser *symboliser, uint32_t dso, uint64_t shown_addr, uint64_t *ret_offset)
{
    struct dso_names *names = dso_names_of(symboliser, dso);
    if (!names)
        return NULL;
    const struct dso *info = &symboliser->recording->spaces.dsos[dso];
    struct place place = {dso, shown_addr, shown_addr};
    struct binary *binary = NULL;
    if (info->kind == DSO_FILE || info->kind == DSO_VDSO) {
        binary = dso_files_binary(symboliser->files, dso, NULL);
        if (!binary)
            return NULL;
    }
    if (!binary || (elf_code_section_at(&binary->elf, shown_addr) &&
                    elf_offset_of_addr(&binary->elf, shown_addr, &place.dso_addr))) {
        uint32_t id = symbol_find(symboliser, &place);
        if (id != SYMBOL_NONE) {
            *ret_offset = shown_addr - symboliser->symbols.items[id].shown_addr;
            return symboliser_signature(symboliser, id);
        }
    }
    if (!binary)
        return NULL;
    if (!names->objects_read)
        objects_read(symboliser, dso, names);
    uint32_t at = symbol_index_find(&names->objects, shown_addr);
    if (at == SYMBOL_INDEX_NONE)
        return NULL;
    const struct indexed_symbol *object = &names->objects.symbols.items[at];
    struct view name = without_version(indexed_symbol_name(object));
    const char *raw = arena_string_n(&symboliser->arena, name.text, name.length);
    const char *plain = symboliser->options.demangle ? plain_name(symboliser, raw, true) : NULL;
    *ret_offset = shown_addr - object->start;
    return plain ? plain : raw;
}

/* The file whose writable mapping ends where the memory without a file begins: a segment's zeros (.bss) go on there. */
static uint32_t dso_before(const struct recording *recording, const struct location *where, uint64_t *ret_file_offset)
{
    const struct address_spaces *spaces = &recording->spaces;
    const struct mapping *anonymous = address_spaces_find(spaces, where->space, where->runtime_addr);
    const struct mapping *before =
        anonymous && anonymous->start ? address_spaces_find(spaces, where->space, anonymous->start - 1) : NULL;
    if (!before || spaces->dsos[before->dso].kind != DSO_FILE || !(before->protection & PROT_WRITE))
        return DSO_NONE;
    *ret_file_offset = address_spaces_dso_addr(spaces, before, where->runtime_addr);
    return before->dso;
}

const char *symboliser_data_name(struct symboliser *symboliser, uint32_t location, uint64_t *ret_offset)
{
    const struct location *where = &symboliser->recording->samples.locations[location];
    const struct address_spaces *spaces = &symboliser->recording->spaces;
    if (where->dso >= spaces->dso_count)
        return NULL;
    uint32_t dso = where->dso;
    uint64_t addr = where->runtime_addr, file_offset = where->dso_addr;
    if (spaces->dsos[dso].kind == DSO_ANONYMOUS) {
        uint32_t before = dso_before(symboliser->recording, where, &file_offset);
        struct binary *binary = before == DSO_NONE ? NULL : dso_files_binary(symboliser->files, before, NULL);
        if (binary && elf_data_addr_of_offset(&binary->elf, file_offset, &addr))
            dso = before;
    } else if (spaces->dsos[dso].kind == DSO_FILE) {
        struct binary *binary = dso_files_binary(symboliser->files, dso, NULL);
        if (!binary || !elf_data_addr_of_offset(&binary->elf, file_offset, &addr))
            return NULL;
    }
    return symboliser_name_at(symboliser, dso, addr, ret_offset);
}

bool symboliser_reads_lines(struct error *err)
{
    struct libdw libdw;
    return libdw_load(&libdw, err);
}
