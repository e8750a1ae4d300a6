/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/jit_dump.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/host/pid_namespace.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
    MAGIC = 0x4a695444, /* "JiTD" */
    HEADER_BYTES = 40,
    RECORD_HEADER_BYTES = 16,
    CODE_LOAD = 0,
    CODE_MOVE = 1,
    DEBUG_INFO = 2,
    UNWINDING_INFO = 4,
    /*
     * of the ELF file that perf inject makes of each function: V8 adds it to the addresses of its lines, so that they
     * suit that file
     */
    ELF_HEADER_BYTES = 64,
    FRAMES_ALIGNMENT = 8 /* of the frame tables behind the code in that file: they are relative to their place */
};

/* ---- the file ---- */

/* Whether a path ends in /jit-NUMBER.dump; the number is the process's own, which a container's counts from 1. */
static bool is_dump(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct view name = view_of(slash ? slash + 1 : path);
    uint64_t number;
    return view_starts(name, "jit-") && view_ends(name, ".dump") && name.length > strlen("jit-.dump") &&
           view_u64((struct view){name.text + 4, name.length - strlen("jit-.dump")}, 10, &number);
}

const char *jit_dump_path(const struct recording *recording, uint32_t pid)
{
    const struct address_spaces *spaces = &recording->spaces;
    for (size_t space = spaces->count; space-- > 0;) {
        if (spaces->items[space].pid != pid || space == SPACE_KERNEL)
            continue;
        for (size_t at = 0; at < spaces->items[space].count; at++) {
            const struct dso *dso = &spaces->dsos[spaces->items[space].mappings[at].dso];
            const char *path = strings_text(&recording->strings, dso->path);
            if (dso->kind == DSO_FILE && is_dump(path))
                return path;
        }
    }
    return NULL;
}

bool jit_dump_open(const struct sysroot *root, uint32_t pid, const char *path, struct view *ret_dump, struct error *err)
{
    scoped_fd int fd = sysroot_open(root, "/proc/%u/root%s", pid, path);
    if (fd < 0)
        fd = sysroot_open(root, "%s", path);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_system(err, errno, "can't read the jitdump '%s'", path);
    if (!S_ISREG(status.st_mode) || status.st_size < HEADER_BYTES)
        return error_set(err, ERROR_FORMAT, "'%s' is no jitdump: it has no header", path);
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return error_system(err, errno, "can't map the jitdump '%s'", path);
    *ret_dump = (struct view){bytes, (size_t)status.st_size};
    return true;
}

void jit_dump_close(struct view dump)
{
    if (dump.text)
        munmap((void *)dump.text, dump.length);
}

/* ---- what is in it ---- */

/* Past the header, in the dump's byte order; false: it is none. */
static bool dump_begin(struct view dump, struct bytes *ret_cursor)
{
    struct bytes cursor = bytes_of(dump.text, dump.length, false);
    uint32_t magic = read_u32(&cursor);
    cursor.swapped = magic != MAGIC;
    if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
        return false;
    read_u32(&cursor); /* version */
    uint32_t size_bytes = read_u32(&cursor);
    if (size_bytes < HEADER_BYTES || !bytes_take(&cursor, size_bytes - 3 * sizeof(uint32_t)))
        return false;
    *ret_cursor = cursor;
    return true;
}

struct jit_record {
    uint32_t id;
    uint64_t addr, size_bytes; /* CODE_LOAD, CODE_MOVE: where it runs from now on */
    uint64_t index;            /* by which a CODE_MOVE names what was loaded */
    struct view name, code;    /* CODE_LOAD */
    struct jit_line_table lines;   /* DEBUG_INFO: of code that is about to be loaded */
    struct jit_frame_table frames; /* UNWINDING_INFO: the same */
};

static void read_code(struct bytes *body, struct jit_record *record)
{
    /* process, thread, and an address that isn't where it runs */
    bytes_take(body, 2 * sizeof(uint32_t) + sizeof(uint64_t));
    if (record->id == CODE_MOVE)
        read_u64(body); /* where it was */
    record->addr = read_u64(body);
    record->size_bytes = read_u64(body);
    record->index = read_u64(body);
    if (record->id == CODE_MOVE)
        return;
    size_t left = bytes_left(body);
    const uint8_t *end = left ? memchr(body->at, 0, left) : NULL;
    record->name = (struct view){(const char *)body->at, end ? (size_t)(end - body->at) : 0};
    bytes_take(body, record->name.length + 1);
    const uint8_t *code = bytes_take(body, record->size_bytes);
    record->code = (struct view){(const char *)code, code ? record->size_bytes : 0};
}

/* Tables whose sizes contradict each other are none. */
static void read_frames(struct bytes *body, struct jit_frame_table *frames)
{
    uint64_t size_bytes = read_u64(body);
    uint64_t header_bytes = read_u64(body);
    read_u64(body); /* as much of it as was mapped behind the code; perf maps its own */
    if (header_bytes > size_bytes || size_bytes > bytes_left(body))
        return;
    const char *bytes = (const char *)bytes_take(body, size_bytes);
    *frames = (struct jit_frame_table){(struct view){bytes, bytes ? size_bytes : 0}, bytes ? header_bytes : 0};
}

/*
 * The next record; false at the end, or where the cursor failed: at a record that its own size or the file doesn't
 * hold.
 */
static bool dump_next(struct bytes *cursor, struct jit_record *ret_record)
{
    if (!bytes_left(cursor))
        return false;
    struct jit_record record = {.id = read_u32(cursor)};
    uint32_t size_bytes = read_u32(cursor);
    read_u64(cursor); /* time */
    const uint8_t *rest =
        size_bytes < RECORD_HEADER_BYTES ? NULL : bytes_take(cursor, size_bytes - RECORD_HEADER_BYTES);
    if (!rest) {
        cursor->failed = true;
        return false;
    }
    struct bytes body = bytes_of(rest, size_bytes - RECORD_HEADER_BYTES, cursor->swapped);
    if (record.id == CODE_LOAD || record.id == CODE_MOVE)
        read_code(&body, &record);
    if (record.id == UNWINDING_INFO)
        read_frames(&body, &record.frames);
    if (record.id == DEBUG_INFO) {
        record.lines.code_addr = read_u64(&body);
        record.lines.count = read_u64(&body);
        record.lines.entries = body;
    }
    cursor->failed = body.failed;
    *ret_record = record;
    return !body.failed;
}

/* ---- lines ---- */

struct jit_line {
    uint64_t addr;
    uint32_t number;
    const char *path; /* as the first of those that share it has it */
};

/*
 * The next of a table's entries, and in entry the one before it, whose path it may share; false at the end, and at what
 * is damaged.
 */
static bool entry_next(struct bytes *cursor, struct jit_line *entry)
{
    static const char same_path[] = "\xff";
    uint64_t addr = read_u64(cursor);
    uint32_t number = read_u32(cursor);
    read_u32(cursor); /* discriminator */
    size_t left = bytes_left(cursor);
    const uint8_t *end = left && !cursor->failed ? memchr(cursor->at, 0, left) : NULL;
    if (!end)
        return false;
    const char *path = (const char *)bytes_take(cursor, (size_t)(end - cursor->at) + 1);
    *entry = (struct jit_line){addr, number, entry->path && strcmp(path, same_path) == 0 ? entry->path : path};
    return true;
}

static bool is_text(const char *path)
{
    while ((unsigned char)*path >= ' ')
        path++;
    return !*path;
}

/*
 * Whether the entries are as many as the table says, fill it, and name files. V8's of some releases (Node.js 18 to 20)
 * have what happened to lie in freed memory for the names of scripts.
 */
static bool table_is_whole(const struct jit_line_table *table, bool *ret_begins_early)
{
    enum { PADDING_MOST = 7 };
    struct bytes cursor = table->entries;
    struct jit_line entry = {0};
    *ret_begins_early = false;
    for (uint64_t at = 0; at < table->count; at++) {
        if (!entry_next(&cursor, &entry) || !is_text(entry.path))
            return false;
        *ret_begins_early |= entry.addr - table->code_addr < ELF_HEADER_BYTES;
    }
    return table->count && bytes_left(&cursor) <= PADDING_MOST;
}

static const struct jit_function *function_at(const struct jit_functions *functions, uint64_t start)
{
    uint32_t at = hashmap_find(&functions->by_start, start, NULL, NULL, NULL);
    return at == HASHMAP_ABSENT ? NULL : &functions->items.items[at];
}

bool jit_line_find(const struct jit_functions *functions, uint64_t start, uint64_t addr, struct source_line *ret_line)
{
    const struct jit_function *function = function_at(functions, start);
    if (!function || !function->lines.count)
        return false;
    struct bytes cursor = function->lines.entries;
    struct jit_line entry = {0}, found = {0};
    uint64_t wanted = function->lines.code_addr + (addr - start) + (functions->begin_early ? 0 : ELF_HEADER_BYTES);
    for (uint64_t left = function->lines.count; left > 0 && entry_next(&cursor, &entry); left--)
        if (entry.addr <= wanted && (!found.path || entry.addr >= found.addr))
            found = entry;
    if (found.path && found.path[0] && found.number)
        *ret_line = (struct source_line){.path = found.path, .line = found.number};
    return found.path && found.path[0] && found.number;
}

/* ---- code and frames ---- */

struct view jit_code_find(const struct jit_functions *functions, uint64_t start, uint64_t addr)
{
    const struct jit_function *function = function_at(functions, start);
    if (!function || addr - start >= function->code.length)
        return (struct view){0};
    return view_skip(function->code, addr - start);
}

bool jit_frame_find(const struct jit_functions *functions, uint64_t start, uint64_t addr,
                    struct frame_description *ret_description)
{
    const struct jit_function *function = function_at(functions, start);
    if (!function || !function->frames.header_bytes)
        return false;
    const struct view bytes = function->frames.bytes;
    uint64_t tables_addr = (start + function->code.length + FRAMES_ALIGNMENT - 1) & ~(uint64_t)(FRAMES_ALIGNMENT - 1);
    struct elf_segment segments[] = {
        {.type = PT_LOAD, .addr = tables_addr, .file_bytes = bytes.length},
        {.type = PT_GNU_EH_FRAME, .addr = tables_addr + bytes.length - function->frames.header_bytes},
    };
    const struct elf_file tables = {.bytes = (const uint8_t *)bytes.text,
                                    .size_bytes = bytes.length,
                                    .is_64 = true,
                                    .swapped = functions->swapped,
                                    .segments = segments,
                                    .segment_count = array_count(segments)};
    return frame_table_find(&tables, addr, ret_description);
}

void jit_functions_done(struct jit_functions *functions)
{
    vec_done(&functions->items);
    hashmap_done(&functions->by_start);
}

/* ---- all of it ---- */

struct parsing {
    struct symbol_index *index;
    struct jit_functions *functions;
    struct hashmap by_number; /* what was loaded, for what may be said of it later */
    struct jit_line_table lines;   /* of the code that comes next */
    struct jit_frame_table frames; /* the same */
};

/* What has no size or no name hides nothing that was there before. */
static void add_function(struct parsing *parsing, uint64_t addr, const struct jit_function *function)
{
    if (!function->size_bytes || !function->name.length || function->name.length >= SYMBOL_NAME_UNMEASURED)
        return;
    struct indexed_symbol symbol = {.name = function->name.text, .name_length = (uint32_t)function->name.length};
    symbol_index_add(parsing->index, addr, function->size_bytes, symbol);
    hashmap_put(&parsing->functions->by_start, addr, (uint32_t)parsing->functions->items.count);
    *vec_push(&parsing->functions->items) = *function;
}

static void add_loaded(struct parsing *parsing, const struct jit_record *record)
{
    struct jit_function function = {record->name, record->size_bytes, record->code, .frames = parsing->frames};
    bool begins_early = false;
    if (bytes_left(&parsing->lines.entries) && parsing->lines.code_addr == record->addr &&
        table_is_whole(&parsing->lines, &begins_early))
        function.lines = parsing->lines;
    parsing->functions->begin_early |= begins_early && function.lines.count;
    parsing->functions->have_lines |= function.lines.count > 0;
    parsing->lines = (struct jit_line_table){0};
    parsing->frames = (struct jit_frame_table){0};
    size_t before = parsing->functions->items.count;
    add_function(parsing, record->addr, &function);
    if (parsing->functions->items.count > before)
        hashmap_put(&parsing->by_number, record->index, (uint32_t)before);
}

/* The same code stands elsewhere: what was said of it is read as if it had been loaded there. */
static void add_moved(struct parsing *parsing, const struct jit_record *record)
{
    uint32_t at = hashmap_find(&parsing->by_number, record->index, NULL, NULL, NULL);
    if (at == HASHMAP_ABSENT)
        return;
    struct jit_function moved = parsing->functions->items.items[at];
    moved.size_bytes = record->size_bytes;
    add_function(parsing, record->addr, &moved);
}

bool jit_dump_parse(struct view dump, struct symbol_index *index, struct jit_functions *functions, struct error *err)
{
    struct bytes cursor;
    if (!dump_begin(dump, &cursor))
        return error_set(err, ERROR_FORMAT,
                         "no jitdump: its header should begin with \"JiTD\" and be %d bytes or longer", HEADER_BYTES);
    struct parsing parsing = {.index = index, .functions = functions};
    struct jit_record record;
    size_t offset = dump.length - bytes_left(&cursor);
    functions->swapped = cursor.swapped;
    while (dump_next(&cursor, &record)) {
        offset = dump.length - bytes_left(&cursor);
        switch (record.id) {
        case CODE_LOAD: add_loaded(&parsing, &record); break;
        case CODE_MOVE: add_moved(&parsing, &record); break;
        case DEBUG_INFO: parsing.lines = record.lines; break;
        case UNWINDING_INFO: parsing.frames = record.frames; break;
        default: break;
        }
    }
    symbol_index_sort(index, true);
    hashmap_done(&parsing.by_number);
    return !cursor.failed ||
           error_set(err, ERROR_FORMAT, "the record at offset %zu of %zu is cut off or damaged", offset, dump.length);
}
