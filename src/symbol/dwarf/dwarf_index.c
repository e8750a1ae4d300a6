/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dwarf/dwarf_index.h"

#include "base/hashmap.h"
#include "base/partition_point.h"
#include "base/scope.h"
#include "base/vec.h"
#include "symbol/demangle.h"
#include "symbol/dwarf/kept_dwarf.h"
#include "symbol/dwarf/packaged_unit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEPTH_MOST = 256,         /* of nested scopes: deeper ones are not followed */
    RANGES_MOST = 1 << 20     /* of one entry */
};

struct line_row {
    uint64_t addr;
    const char *path; /* owner: libdw */
    uint32_t line;
    bool is_end; /* of a run of code: addresses from here on have no line */
};

/* A range of addresses that one function, or one inlined copy of one, covers. */
struct scope {
    uint64_t start, end;
    uint32_t enclosing; /* index into the same array, UINT32_MAX: none */
    uint32_t entry;     /* into unit->entries */
    uint32_t depth;
};

/* A function, or an inlined copy of one. Most are never asked for: what they say is read when they are. */
struct scope_entry {
    Dwarf_Die die;
    const char *function; /* NULL: unknown */
    uint32_t call_file; /* inlined: where the call stood, as a number of the unit's files; UINT32_MAX: unknown */
    uint32_t call_line;
    bool is_inlined, is_read;
};

typedef vec(struct scope) scope_list;

struct function {
    uint64_t start, end;
    Dwarf_Die die;
    bool is_loaded;
    scope_list scopes; /* sorted; the function itself and what was inlined into it */
};

struct unit {
    Dwarf_Die skeleton; /* has the line table */
    Dwarf_Die die;      /* has the functions: the same, or the split unit's */
    bool lines_loaded, functions_loaded;
    bool is_of_c;                         /* whose types hold no functions */
    vec(struct line_row) rows;            /* sorted by address */
    vec(struct function) functions;       /* sorted by start, one per range */
    vec(struct scope_entry) entries;
    Dwarf_Files *files;
    size_t file_count;
    const char *folder; /* DW_AT_comp_dir, or NULL */
    const char *joined_path, *joined; /* the path that was joined with it last, and what came of that */
};

struct unit_range {
    uint64_t start, end;
    uint32_t unit;
    uint64_t reach; /* the furthest end of this and all ranges before it */
};

struct dwarf_index {
    struct libdw api;
    int fd;
    Elf *elf, *whole_elf;
    Dwarf *dwarf; /* what functions are told by … ; NULL: what is kept has done so far */
    Dwarf *whole; /* … and lines: the same, or opened when the first line is asked for */
    bool demangle, lines_first;
    struct kept_dwarf *kept; /* or NULL */
    struct split_package *package; /* of split units, or NULL … */
    vec(struct packaged_unit) packaged; /* … and those read of it */
    const char *missing; /* name of the first split unit that wasn't found */
    /* the file of names that are shared with other binaries, where one was asked for and it isn't there */
    const char *shared_missing;
    struct arena arena;
    struct strings paths; /* joined with their unit's folder */
    struct hashmap unit_by_offset;
    vec(struct unit *) units;
    Dwarf_Aranges *aranges;
    bool all_units_read;
    vec(struct unit_range) unit_ranges; /* sorted by start; only when all units were read */
};

/* Of variables, macros and stacks nothing is asked. */
static bool is_needed(const char *section, bool lines)
{
    static const char *const others[] = {".debug_loclists", ".debug_loc", ".debug_macro", ".debug_macinfo",
                                         ".debug_frame"};
    for (size_t at = 0; at < array_count(others); at++)
        if (strcmp(section, others[at]) == 0)
            return false;
    return lines || strcmp(section, ".debug_line") != 0;
}

/*
 * libdw unpacks all sections of a compressed file at once: hide those that aren't needed. Returns whether the lines are
 * hidden.
 */
static bool sections_hide(const struct libdw *api, Elf *elf, bool lines)
{
    bool hidden = false;
    size_t names;
    GElf_Shdr header;
    if (api->elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = api->elf_nextscn(elf, section));) {
        const char *name = api->gelf_getshdr(section, &header) ? api->elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || !(header.sh_flags & SHF_COMPRESSED) || is_needed(name, lines))
            continue;
        header.sh_type = SHT_NOBITS;
        hidden |= api->gelf_update_shdr(section, &header) != 0 && strcmp(name, ".debug_line") == 0;
    }
    return hidden;
}

/* What is changed in the file is ours alone. Returns NULL when it has no DWARF. */
static Dwarf *open_file(const struct libdw *api, int fd, bool lines, Elf **ret_elf, bool *ret_hides_lines)
{
    *ret_elf = api->elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    *ret_hides_lines = *ret_elf && sections_hide(api, *ret_elf, lines);
    return *ret_elf ? api->begin_elf(*ret_elf, DWARF_C_READ, NULL) : api->begin(fd, DWARF_C_READ);
}

static bool open_dwarf(struct dwarf_index *index, struct error *err)
{
    const struct libdw *api = &index->api;
    bool hides_lines;
    index->dwarf = open_file(api, index->fd, index->lines_first, &index->elf, &hides_lines);
    if (!index->dwarf)
        return error_set(err, ERROR_NOT_FOUND, "no DWARF: %s", api->errmsg(-1));
    index->whole = hides_lines ? NULL : index->dwarf;
    size_t count;
    if (api->getaranges(index->dwarf, &index->aranges, &count) != 0)
        index->aranges = NULL;
    return true;
}

bool dwarf_index_new(struct dwarf_index **ret_index, int fd, bool demangle_names, bool lines_first,
                     struct kept_dwarf *kept, struct error *err)
{
    struct dwarf_index *index = memory_alloc(sizeof(*index));
    *index = (struct dwarf_index){.fd = fd, .demangle = demangle_names, .lines_first = lines_first, .kept = kept};
    arena_init(&index->arena);
    strings_init(&index->paths);
    bool is_usable = libdw_load(&index->api, err);
    if (is_usable)
        index->api.elf_version(EV_CURRENT);
    if (is_usable && (!kept || kept_dwarf_is_empty(kept)))
        is_usable = open_dwarf(index, err);
    if (!is_usable)
        dwarf_index_free(index);
    else
        *ret_index = index;
    return is_usable;
}

void dwarf_index_add_package(struct dwarf_index *index, struct split_package *package)
{
    split_package_free(index->package);
    index->package = package;
}

static const char *string_attribute(const struct dwarf_index *index, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return index->api.attr_integrate(die, name, &attribute) ? index->api.formstring(&attribute) : NULL;
}

static const char *split_file_name(const struct dwarf_index *index, Dwarf_Die *skeleton)
{
    const char *name = string_attribute(index, skeleton, DW_AT_dwo_name);
    return name ? name : string_attribute(index, skeleton, DW_AT_GNU_dwo_name);
}

/* The folder of the file that is indexed, with its slash; empty where that can't be known. */
static void own_folder(const struct dwarf_index *index, char folder[PATH_MAX])
{
    char link[32];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", index->fd);
    ssize_t length = readlink(link, folder, PATH_MAX - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(folder, '/');
    folder[slash ? slash + 1 - folder : 0] = '\0';
}

/*
 * The .dwo file of a unit, where libdw looks for it as well: beside the binary, then where it was compiled; -1:
 * neither. Owner: the caller.
 */
static int open_split_file(const struct dwarf_index *index, Dwarf_Die *skeleton, const char *name)
{
    enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK };
    char folder[PATH_MAX], path[2 * PATH_MAX];
    const char *compiled_in = string_attribute(index, skeleton, DW_AT_comp_dir);
    if (name[0] == '/')
        return open(name, HOW);
    own_folder(index, folder);
    snprintf(path, sizeof(path), "%s%s", folder, name);
    int fd = open(path, HOW);
    if (fd >= 0 || !compiled_in)
        return fd;
    snprintf(path, sizeof(path), "%s/%s", compiled_in, name);
    return open(path, HOW);
}

/*
 * The split part of a unit, from the package, or from a .dwo file that libdw can't read: it knows one section of units
 * in each.
 */
static bool unpack(struct dwarf_index *index, Dwarf_Die *skeleton, Dwarf_Die *ret_split)
{
    struct packaged_unit unit;
    bool found = index->package && packaged_unit_open(&unit, &index->api, index->package, index->fd, skeleton);
    const char *name = split_file_name(index, skeleton);
    scoped_fd int fd = found || !name ? -1 : open_split_file(index, skeleton, name);
    struct split_package *file;
    if (fd >= 0 && split_file_open(&file, fd, NULL)) {
        found = packaged_unit_open(&unit, &index->api, file, index->fd, skeleton);
        split_package_free(file);
    }
    if (!found)
        return false;
    *ret_split = unit.split;
    *vec_push(&index->packaged) = unit;
    return true;
}

/* The unit whose compile or skeleton entry this is; its split part, when its file is there. */
static uint32_t unit_of_die(struct dwarf_index *index, Dwarf_Die *die)
{
    Dwarf_Off offset = index->api.dieoffset(die);
    uint32_t found = hashmap_find(&index->unit_by_offset, offset, NULL, NULL, NULL);
    if (found != HASHMAP_ABSENT)
        return found;
    struct unit *unit = memory_alloc(sizeof(*unit));
    *unit = (struct unit){.skeleton = *die, .die = *die};
    uint8_t kind = 0;
    Dwarf_Half version;
    Dwarf_Die cu, split;
    memset(&split, 0, sizeof(split));
    bool is_split =
        index->api.cu_info(die->cu, &version, &kind, &cu, &split, NULL, NULL, NULL) == 0 && kind == DW_UT_skeleton;
    if (is_split && (index->api.tag(&split) == DW_TAG_compile_unit || unpack(index, die, &split)))
        unit->die = split;
    else if (is_split && !index->missing)
        index->missing = split_file_name(index, die);
    uint32_t id = (uint32_t)index->units.count;
    *vec_push(&index->units) = unit;
    hashmap_add(&index->unit_by_offset, offset, id);
    return id;
}

static int unit_range_compare(const void *a, const void *b)
{
    const struct unit_range *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Ranges of all units, from their own entries: for binaries whose compiler wrote no .debug_aranges. */
static void read_all_units(struct dwarf_index *index)
{
    const struct libdw *api = &index->api;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint8_t kind;
    index->all_units_read = true;
    while (api->get_units(index->dwarf, cu, &cu, NULL, &kind, &die, NULL) == 0) {
        if (kind != DW_UT_compile && kind != DW_UT_skeleton)
            continue;
        Dwarf_Addr base, start, end;
        ptrdiff_t at = 0;
        for (int left = RANGES_MOST; left > 0 && (at = api->ranges(&die, at, &base, &start, &end)) > 0; left--)
            if (start < end)
                *vec_push(&index->unit_ranges) = (struct unit_range){start, end, unit_of_die(index, &die), 0};
    }
    if (!index->unit_ranges.count)
        return;
    qsort(index->unit_ranges.items, index->unit_ranges.count, sizeof(struct unit_range), unit_range_compare);
    uint64_t reach = 0;
    vec_for_each(&index->unit_ranges, range)
    {
        reach = range->end > reach ? range->end : reach;
        range->reach = reach;
    }
}

static struct unit *unit_by_ranges(struct dwarf_index *index, uint64_t addr)
{
    size_t low = partition_point(index->unit_ranges.items, index->unit_ranges.count, item->start <= addr);
    while (low-- > 0 && index->unit_ranges.items[low].reach > addr)
        if (index->unit_ranges.items[low].end > addr)
            return index->units.items[index->unit_ranges.items[low].unit];
    return NULL;
}

static struct unit *unit_at(struct dwarf_index *index, uint64_t addr)
{
    const struct libdw *api = &index->api;
    if (!index->dwarf && !open_dwarf(index, NULL))
        return NULL;
    Dwarf_Arange *arange = index->aranges ? api->getarange_addr(index->aranges, addr) : NULL;
    Dwarf_Addr start;
    Dwarf_Word length;
    Dwarf_Off offset;
    Dwarf_Die die, cu;
    uint8_t address_bytes, offset_bytes;
    bool has_unit = arange && api->getarangeinfo(arange, &start, &length, &offset) == 0;
    uint32_t known = has_unit ? hashmap_find(&index->unit_by_offset, offset, NULL, NULL, NULL) : HASHMAP_ABSENT;
    if (known != HASHMAP_ABSENT)
        return index->units.items[known];
    if (has_unit && api->offdie(index->dwarf, offset, &die) && api->diecu(&die, &cu, &address_bytes, &offset_bytes)) {
        uint32_t unit = unit_of_die(index, &cu);
        return index->units.items[unit];
    }
    if (!index->all_units_read)
        read_all_units(index);
    return unit_by_ranges(index, addr);
}

/* The unit's entry where the line tables are. */
static bool skeleton_with_lines(struct dwarf_index *index, struct unit *unit, Dwarf_Die *ret_die)
{
    const struct libdw *api = &index->api;
    *ret_die = unit->skeleton;
    if (index->whole == index->dwarf)
        return true;
    bool hides_lines;
    if (!index->whole)
        index->whole = open_file(api, index->fd, true, &index->whole_elf, &hides_lines);
    return index->whole && api->offdie(index->whole, api->dieoffset(&unit->skeleton), ret_die);
}

static void load_lines(struct dwarf_index *index, struct unit *unit)
{
    const struct libdw *api = &index->api;
    Dwarf_Lines *lines;
    Dwarf_Die skeleton;
    size_t count;
    unit->lines_loaded = true;
    unit->folder = string_attribute(index, &unit->skeleton, DW_AT_comp_dir);
    if (!skeleton_with_lines(index, unit, &skeleton))
        return;
    if (api->getsrcfiles(&skeleton, &unit->files, &unit->file_count) != 0)
        unit->files = NULL;
    if (api->getsrclines(&skeleton, &lines, &count) != 0)
        return;
    vec_reserve(&unit->rows, count);
    uint64_t last = 0;
    for (size_t at = 0; at < count; at++) {
        Dwarf_Line *line = api->onesrcline(lines, at);
        Dwarf_Addr addr;
        int number = 0;
        bool is_end = false;
        if (!line || api->lineaddr(line, &addr) != 0 || addr < last) /* libdw sorts them */
            continue;
        api->lineno(line, &number);
        api->lineendsequence(line, &is_end);
        *vec_push(&unit->rows) = (struct line_row){addr, api->linesrc(line, NULL, NULL), (uint32_t)number, is_end};
        last = addr;
    }
}

static const struct line_row *row_at(const struct unit *unit, uint64_t addr)
{
    size_t low = partition_point(unit->rows.items, unit->rows.count, item->addr <= addr);
    return low && !unit->rows.items[low - 1].is_end ? &unit->rows.items[low - 1] : NULL;
}

/* The function's linkage name as the programmer wrote it, or its plain name. */
static const char *function_name(struct dwarf_index *index, Dwarf_Die *die)
{
    const char *linkage = string_attribute(index, die, DW_AT_linkage_name);
    if (!linkage)
        linkage = string_attribute(index, die, DW_AT_MIPS_linkage_name);
    if (linkage && index->demangle) {
        char *plain = demangle(linkage, false);
        if (plain) {
            linkage = arena_string(&index->arena, plain);
            free(plain);
            return linkage;
        }
    }
    return linkage ? linkage : string_attribute(index, die, DW_AT_name);
}

/* dwz moves what several binaries have into a file that each of them names (.gnu_debugaltlink). */
static void note_nameless(struct dwarf_index *index)
{
    const char *shared;
    const void *build_id;
    if (!index->shared_missing && index->api.altlink(index->dwarf, &shared, &build_id) > 0 &&
        !index->api.getalt(index->dwarf))
        index->shared_missing = shared;
}

static uint32_t entry_add(struct unit *unit, const Dwarf_Die *die, bool is_inlined)
{
    *vec_push(&unit->entries) = (struct scope_entry){.die = *die, .is_inlined = is_inlined, .call_file = UINT32_MAX};
    return (uint32_t)(unit->entries.count - 1);
}

static const struct scope_entry *entry_read(struct dwarf_index *index, struct unit *unit, uint32_t id)
{
    const struct libdw *api = &index->api;
    struct scope_entry *entry = &unit->entries.items[id];
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    if (entry->is_read)
        return entry;
    entry->is_read = true;
    entry->function = function_name(index, &entry->die);
    if (!entry->function)
        note_nameless(index);
    if (entry->is_inlined && api->attr(&entry->die, DW_AT_call_line, &attribute) &&
        api->formudata(&attribute, &number) == 0)
        entry->call_line = (uint32_t)number;
    if (entry->is_inlined && api->attr(&entry->die, DW_AT_call_file, &attribute) &&
        api->formudata(&attribute, &number) == 0 && number < UINT32_MAX)
        entry->call_file = (uint32_t)number;
    return entry;
}

static void scopes_add(struct dwarf_index *index, scope_list *scopes, Dwarf_Die *die, uint32_t entry, uint32_t depth)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    for (int left = RANGES_MOST; left > 0 && (at = index->api.ranges(die, at, &base, &start, &end)) > 0; left--)
        if (start < end)
            *vec_push(scopes) = (struct scope){start, end, UINT32_MAX, entry, depth};
}

/* Collect what was inlined below parent, lexical blocks included. */
static void collect_inlined(struct dwarf_index *index, struct unit *unit, Dwarf_Die *parent, scope_list *scopes,
                            uint32_t depth)
{
    const struct libdw *api = &index->api;
    Dwarf_Die die;
    if (depth >= DEPTH_MOST || api->child(parent, &die) != 0)
        return;
    do {
        int tag = api->tag(&die);
        if (tag == DW_TAG_inlined_subroutine)
            scopes_add(index, scopes, &die, entry_add(unit, &die, true), depth);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
            tag == DW_TAG_catch_block)
            collect_inlined(index, unit, &die, scopes, depth + 1);
    } while (api->siblingof(&die, &die) == 0);
}

static int scope_compare(const void *a, const void *b)
{
    const struct scope *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

static void load_function(struct dwarf_index *index, struct unit *unit, struct function *function)
{
    Dwarf_Die die = function->die;
    function->is_loaded = true;
    scopes_add(index, &function->scopes, &die, entry_add(unit, &die, false), 0);
    collect_inlined(index, unit, &die, &function->scopes, 1);
    scope_list *scopes = &function->scopes;
    if (scopes->count)
        qsort(scopes->items, scopes->count, sizeof(struct scope), scope_compare);
    for (size_t at = 1; at < scopes->count; at++) {
        uint32_t outer = (uint32_t)at - 1;
        while (outer != UINT32_MAX && scopes->items[outer].end <= scopes->items[at].start)
            outer = scopes->items[outer].enclosing;
        scopes->items[at].enclosing = outer;
    }
}

static bool holds_functions(const struct unit *unit, int tag)
{
    bool is_type = tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
                   tag == DW_TAG_enumeration_type;
    return tag == DW_TAG_namespace || tag == DW_TAG_module || (is_type && !unit->is_of_c);
}

static bool unit_is_of_c(const struct dwarf_index *index, struct unit *unit)
{
    static const int of_c[] = {DW_LANG_C, DW_LANG_C89, DW_LANG_C99, DW_LANG_C11};
    int language = index->api.srclang(&unit->die);
    for (size_t at = 0; at < array_count(of_c); at++)
        if (language == of_c[at])
            return true;
    return false;
}

static void collect_functions(struct dwarf_index *index, struct unit *unit, Dwarf_Die *parent, unsigned depth)
{
    const struct libdw *api = &index->api;
    Dwarf_Die die;
    if (depth >= DEPTH_MOST || api->child(parent, &die) != 0)
        return;
    do {
        int tag = api->tag(&die);
        Dwarf_Addr base, start, end;
        ptrdiff_t at = 0;
        if (tag == DW_TAG_subprogram)
            for (int left = RANGES_MOST; left > 0 && (at = api->ranges(&die, at, &base, &start, &end)) > 0; left--)
                if (start < end)
                    *vec_push(&unit->functions) = (struct function){start, end, die, false, {0}};
        if (holds_functions(unit, tag) && api->haschildren(&die) > 0)
            collect_functions(index, unit, &die, depth + 1);
    } while (api->siblingof(&die, &die) == 0);
}

static int function_compare(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->die.addr > y->die.addr) - (x->die.addr < y->die.addr);
}

static struct function *function_at(struct dwarf_index *index, struct unit *unit, uint64_t addr)
{
    if (!unit->functions_loaded) {
        unit->functions_loaded = true;
        unit->is_of_c = unit_is_of_c(index, unit);
        collect_functions(index, unit, &unit->die, 0);
        if (unit->functions.count)
            qsort(unit->functions.items, unit->functions.count, sizeof(struct function), function_compare);
    }
    size_t low = partition_point(unit->functions.items, unit->functions.count, item->start <= addr);
    return low && unit->functions.items[low - 1].end > addr ? &unit->functions.items[low - 1] : NULL;
}

static uint32_t scope_at(const struct function *function, uint64_t addr)
{
    const struct scope *scopes = function->scopes.items;
    size_t low = partition_point(scopes, function->scopes.count, item->start <= addr);
    uint32_t at = low ? (uint32_t)(low - 1) : UINT32_MAX;
    while (at != UINT32_MAX && scopes[at].end <= addr)
        at = scopes[at].enclosing;
    return at;
}

/* The path with its unit's folder in front when it is relative, so that the file can be found. */
static const char *whole_path(struct dwarf_index *index, struct unit *unit, const char *path)
{
    if (!path || path[0] == '/' || !unit->folder)
        return path;
    if (path == unit->joined_path) /* libdw's own text of the file: one for all its lines */
        return unit->joined;
    char joined[4096];
    int length = snprintf(joined, sizeof(joined), "%s/%s", unit->folder, path);
    if (length < 0 || (size_t)length >= sizeof(joined))
        return path;
    unit->joined_path = path;
    unit->joined = strings_text(&index->paths, strings_intern_n(&index->paths, joined, (size_t)length));
    return unit->joined;
}

static const char *call_path(struct dwarf_index *index, struct unit *unit, const struct scope_entry *entry)
{
    return unit->files && entry->call_file < unit->file_count
               ? whole_path(index, unit, index->api.filesrc(unit->files, entry->call_file, NULL, NULL))
               : NULL;
}

/* The function at the address with what was inlined into it, or NULL. */
static struct function *function_loaded(struct dwarf_index *index, struct unit *unit, uint64_t elf_addr)
{
    struct function *function = function_at(index, unit, elf_addr);
    if (function && !function->is_loaded)
        load_function(index, unit, function);
    return function;
}

/* Where what stands in scope `at` was inlined into; UINT32_MAX: it is the function itself. */
static uint32_t scope_outer(const struct unit *unit, const struct function *function, uint32_t at, uint64_t elf_addr)
{
    const struct scope *scope = &function->scopes.items[at];
    at = unit->entries.items[scope->entry].is_inlined ? scope->enclosing : UINT32_MAX;
    /* Ranges that overlap without nesting: only those that hold the address count. */
    while (at != UINT32_MAX && function->scopes.items[at].end <= elf_addr)
        at = function->scopes.items[at].enclosing;
    return at;
}

/* A function's scopes with all their names, as far as its range is its alone. */
static void keep_function(struct dwarf_index *index, struct unit *unit, const struct function *function, uint64_t end)
{
    vec(struct kept_scope) scopes = {0};
    vec_for_each(&function->scopes, scope)
    {
        const struct scope_entry *entry = entry_read(index, unit, scope->entry);
        *vec_push(&scopes) =
            (struct kept_scope){scope->start, scope->end, entry->function, scope->enclosing, entry->is_inlined};
    }
    if (!index->shared_missing) /* it may have shown now that names are missing */
        kept_dwarf_learn_function(index->kept, function->start, end, scopes.items, scopes.count);
    vec_done(&scopes);
}

static void keep_told(struct dwarf_index *index)
{
    vec_for_each(&index->units, unit)
        for (size_t at = 0; at < (*unit)->functions.count; at++) {
            const struct function *function = &(*unit)->functions.items[at];
            uint64_t next = at + 1 < (*unit)->functions.count ? function[1].start : UINT64_MAX;
            uint64_t end = function->end < next ? function->end : next; /* beyond it another is found */
            if (function->is_loaded && end > function->start)
                keep_function(index, *unit, function, end);
        }
    kept_dwarf_write(index->kept);
}

void dwarf_index_free(struct dwarf_index *index)
{
    if (!index)
        return;
    if (index->kept && index->dwarf && !index->missing && !index->shared_missing)
        keep_told(index);
    kept_dwarf_free(index->kept);
    vec_for_each(&index->units, unit)
    {
        vec_for_each(&(*unit)->functions, function)
            vec_done(&function->scopes);
        vec_done(&(*unit)->functions);
        vec_done(&(*unit)->rows);
        vec_done(&(*unit)->entries);
        free(*unit);
    }
    vec_done(&index->units);
    vec_done(&index->unit_ranges);
    hashmap_done(&index->unit_by_offset);
    arena_done(&index->arena);
    strings_done(&index->paths);
    vec_for_each(&index->packaged, unit)
        packaged_unit_done(unit, &index->api);
    vec_done(&index->packaged);
    split_package_free(index->package);
    if (index->whole && index->whole != index->dwarf)
        index->api.end(index->whole);
    if (index->dwarf)
        index->api.end(index->dwarf);
    if (index->elf)
        index->api.elf_end(index->elf);
    if (index->whole_elf)
        index->api.elf_end(index->whole_elf);
    free(index);
}

static const struct line_row *row_loaded(struct dwarf_index *index, struct unit *unit, uint64_t elf_addr)
{
    if (!unit->lines_loaded)
        load_lines(index, unit);
    return row_at(unit, elf_addr);
}

static struct kept_line line_of(struct dwarf_index *index, uint64_t elf_addr)
{
    struct unit *unit = unit_at(index, elf_addr);
    const struct line_row *row = unit ? row_loaded(index, unit, elf_addr) : NULL;
    return row ? (struct kept_line){whole_path(index, unit, row->path), row->line, true} : (struct kept_line){0};
}

bool dwarf_index_line(struct dwarf_index *index, uint64_t elf_addr, struct source_line *ret_line)
{
    struct kept_line line;
    if (!index->kept || !kept_dwarf_line(index->kept, elf_addr, &line)) {
        line = line_of(index, elf_addr);
        if (index->kept && index->dwarf)
            kept_dwarf_learn_line(index->kept, elf_addr, &line);
    }
    if (line.is_known)
        *ret_line = (struct source_line){.path = line.path, .line = line.number};
    return line.is_known;
}

size_t dwarf_index_lines(struct dwarf_index *index, uint64_t elf_addr, struct source_line *ret_lines, size_t most)
{
    struct unit *unit = most ? unit_at(index, elf_addr) : NULL;
    if (!unit)
        return 0;
    const struct line_row *row = row_loaded(index, unit, elf_addr);
    struct function *function = function_loaded(index, unit, elf_addr);
    if (!row && !function)
        return 0;
    struct source_line line = {.path = row ? whole_path(index, unit, row->path) : NULL, .line = row ? row->line : 0};
    size_t count = 0;
    for (uint32_t at = function ? scope_at(function, elf_addr) : UINT32_MAX; at != UINT32_MAX && count < most;
         at = scope_outer(unit, function, at, elf_addr)) {
        const struct scope_entry *entry = entry_read(index, unit, function->scopes.items[at].entry);
        line.function = entry->function;
        ret_lines[count++] = line;
        line = (struct source_line){.path = call_path(index, unit, entry), .line = entry->call_line};
    }
    if (!count)
        ret_lines[count++] = line;
    return count;
}

size_t dwarf_index_functions(struct dwarf_index *index, uint64_t elf_addr, const char **ret_functions, size_t most)
{
    size_t count = 0;
    if (index->kept && kept_dwarf_functions(index->kept, elf_addr, ret_functions, most, &count))
        return count;
    struct unit *unit = unit_at(index, elf_addr);
    const struct function *function = unit ? function_loaded(index, unit, elf_addr) : NULL;
    if (!function && index->kept && index->dwarf)
        kept_dwarf_learn_function(index->kept, elf_addr, elf_addr + 1, NULL, 0);
    for (uint32_t at = function ? scope_at(function, elf_addr) : UINT32_MAX; at != UINT32_MAX && count < most;
         at = scope_outer(unit, function, at, elf_addr))
        ret_functions[count++] = entry_read(index, unit, function->scopes.items[at].entry)->function;
    return count;
}

const char *dwarf_index_missing(const struct dwarf_index *index)
{
    return index->missing;
}

const char *dwarf_index_shared_missing(const struct dwarf_index *index)
{
    return index->shared_missing;
}

const char *dwarf_index_producer(struct dwarf_index *index, uint64_t elf_addr)
{
    struct unit *unit = unit_at(index, elf_addr);
    return unit ? string_attribute(index, &unit->die, DW_AT_producer) : NULL;
}
