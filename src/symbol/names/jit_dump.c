/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/jit_dump.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/host/pid_namespace.h"

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
    /*
     * of the ELF file that perf inject makes of each function: V8 adds it to the addresses of its lines, so that they
     * suit that file
     */
    ELF_HEADER_BYTES = 64
};

#define NO_LINES (UINT32_MAX - 1) /* in place of a table's; HASHMAP_ABSENT is another */

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
    struct jit_code code;  /* CODE_LOAD whole; CODE_MOVE: the new address and the size */
    uint64_t index; /* by which a CODE_MOVE names what was loaded */
    struct jit_line_table lines; /* DEBUG_INFO: of code that is about to be loaded */
};

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
    if (record.id == CODE_LOAD || record.id == CODE_MOVE) {
        /* process, thread, and an address that isn't where it runs */
        bytes_take(&body, 2 * sizeof(uint32_t) + sizeof(uint64_t));
        if (record.id == CODE_MOVE)
            read_u64(&body); /* where it was */
        record.code.addr = read_u64(&body);
        record.code.size_bytes = read_u64(&body);
        record.index = read_u64(&body);
    }
    if (record.id == CODE_LOAD) {
        size_t left = bytes_left(&body);
        const uint8_t *end = left ? memchr(body.at, 0, left) : NULL;
        record.code.name = (struct view){(const char *)body.at, end ? (size_t)(end - body.at) : 0};
        bytes_take(&body, record.code.name.length + 1);
        record.code.bytes = bytes_take(&body, record.code.size_bytes);
    }
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

/* Returns its place, or NO_LINES. */
static uint32_t lines_add(struct jit_lines *lines, const struct jit_line_table *table)
{
    bool begins_early;
    if (!table_is_whole(table, &begins_early))
        return NO_LINES;
    lines->begins_early |= begins_early;
    *vec_push(&lines->tables) = *table;
    return (uint32_t)(lines->tables.count - 1);
}

bool jit_lines_find(const struct jit_lines *lines, uint64_t start, uint64_t addr, struct source_line *ret_line)
{
    uint32_t at = hashmap_find(&lines->by_start, start, NULL, NULL, NULL);
    if (at >= lines->tables.count)
        return false;
    const struct jit_line_table *table = &lines->tables.items[at];
    struct bytes cursor = table->entries;
    struct jit_line entry = {0}, found = {0};
    uint64_t wanted = table->code_addr + (addr - start) + (lines->begins_early ? 0 : ELF_HEADER_BYTES);
    for (uint64_t left = table->count; left > 0 && entry_next(&cursor, &entry); left--)
        if (entry.addr <= wanted && (!found.path || entry.addr >= found.addr))
            found = entry;
    if (found.path && found.path[0] && found.number)
        *ret_line = (struct source_line){.path = found.path, .line = found.number};
    return found.path && found.path[0] && found.number;
}

void jit_lines_done(struct jit_lines *lines)
{
    vec_done(&lines->tables);
    hashmap_done(&lines->by_start);
}

/* ---- all of it ---- */

/* What was loaded, for what may be said of it later. */
struct loaded {
    struct view name;
    uint32_t lines; /* place of its table, or NO_LINES */
};

struct parsing {
    struct symbol_index *index;
    struct jit_lines *lines;
    struct hashmap by_number;
    vec(struct loaded) loaded;
    struct jit_line_table pending; /* of the code that comes next */
};

static void add_code(struct parsing *parsing, const struct jit_code *code, uint32_t lines)
{
    if (!code->size_bytes || !code->name.length || code->name.length >= SYMBOL_NAME_UNMEASURED)
        return;
    symbol_index_add(parsing->index, code->addr, code->size_bytes,
                     (struct indexed_symbol){.name = code->name.text, .name_length = (uint32_t)code->name.length});
    if (lines != NO_LINES || hashmap_find(&parsing->lines->by_start, code->addr, NULL, NULL, NULL) != HASHMAP_ABSENT)
        hashmap_put(&parsing->lines->by_start, code->addr, lines);
}

static void add_loaded(struct parsing *parsing, const struct jit_record *record)
{
    bool has_lines = bytes_left(&parsing->pending.entries) && parsing->pending.code_addr == record->code.addr;
    struct loaded loaded = {record->code.name, has_lines ? lines_add(parsing->lines, &parsing->pending) : NO_LINES};
    parsing->pending = (struct jit_line_table){0};
    add_code(parsing, &record->code, loaded.lines);
    hashmap_put(&parsing->by_number, record->index, (uint32_t)parsing->loaded.count);
    *vec_push(&parsing->loaded) = loaded;
}

static void add_moved(struct parsing *parsing, struct jit_record *record)
{
    uint32_t at = hashmap_find(&parsing->by_number, record->index, NULL, NULL, NULL);
    if (at == HASHMAP_ABSENT)
        return;
    record->code.name = parsing->loaded.items[at].name;
    add_code(parsing, &record->code, parsing->loaded.items[at].lines);
}

bool jit_dump_parse(struct view dump, struct symbol_index *index, struct jit_lines *lines, struct error *err)
{
    struct bytes cursor;
    if (!dump_begin(dump, &cursor))
        return error_set(err, ERROR_FORMAT,
                         "no jitdump: its header should begin with \"JiTD\" and be %d bytes or longer", HEADER_BYTES);
    struct parsing parsing = {.index = index, .lines = lines};
    struct jit_record record;
    size_t offset = dump.length - bytes_left(&cursor);
    while (dump_next(&cursor, &record)) {
        offset = dump.length - bytes_left(&cursor);
        if (record.id == CODE_LOAD)
            add_loaded(&parsing, &record);
        else if (record.id == CODE_MOVE)
            add_moved(&parsing, &record);
        else if (record.id == DEBUG_INFO)
            parsing.pending = record.lines;
    }
    symbol_index_sort(index, true);
    hashmap_done(&parsing.by_number);
    vec_done(&parsing.loaded);
    return !cursor.failed ||
           error_set(err, ERROR_FORMAT, "the record at offset %zu of %zu is cut off or damaged", offset, dump.length);
}

struct view jit_dump_code(struct view dump, uint64_t addr)
{
    struct view found = {0};
    struct bytes cursor;
    struct jit_record record;
    if (!dump_begin(dump, &cursor))
        return found;
    while (dump_next(&cursor, &record)) {
        uint64_t before = addr - record.code.addr;
        if (record.id == CODE_LOAD && before < record.code.size_bytes)
            found = (struct view){(const char *)record.code.bytes + before, record.code.size_bytes - before};
    }
    return found;
}
