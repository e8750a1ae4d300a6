/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/jit_dump.h"

#include "base/hashmap.h"
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
    CODE_MOVE = 1
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
    struct jit_code code;  /* CODE_LOAD whole; CODE_MOVE: the new address and the size */
    uint64_t index; /* by which a CODE_MOVE names what was loaded */
};

/* The next record; false at the end, or where the cursor failed: at a record that its own size or the file doesn't hold. */
static bool dump_next(struct bytes *cursor, struct jit_record *ret_record)
{
    if (!bytes_left(cursor))
        return false;
    struct jit_record record = {.id = read_u32(cursor)};
    uint32_t size_bytes = read_u32(cursor);
    read_u64(cursor); /* time */
    const uint8_t *rest = size_bytes < RECORD_HEADER_BYTES ? NULL : bytes_take(cursor, size_bytes - RECORD_HEADER_BYTES);
    if (!rest) {
        cursor->failed = true;
        return false;
    }
    struct bytes body = bytes_of(rest, size_bytes - RECORD_HEADER_BYTES, cursor->swapped);
    if (record.id == CODE_LOAD || record.id == CODE_MOVE) {
        bytes_take(&body, 2 * sizeof(uint32_t) + sizeof(uint64_t)); /* process, thread, and an address that isn't where it runs */
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
    cursor->failed = body.failed;
    *ret_record = record;
    return !body.failed;
}

static void add_code(struct symbol_index *index, const struct jit_code *code)
{
    if (code->size_bytes && code->name.length && code->name.length < SYMBOL_NAME_UNMEASURED)
        symbol_index_add(index, code->addr, code->size_bytes,
                         (struct indexed_symbol){.name = code->name.text, .name_length = (uint32_t)code->name.length});
}

bool jit_dump_parse(struct view dump, struct symbol_index *index, struct error *err)
{
    struct bytes cursor;
    if (!dump_begin(dump, &cursor))
        return error_set(err, ERROR_FORMAT, "no jitdump: its header should begin with \"JiTD\" and be %d bytes or longer", HEADER_BYTES);
    struct hashmap loaded = {0};
    vec(struct view) names = {0};
    struct jit_record record;
    size_t offset = dump.length - bytes_left(&cursor);
    while (dump_next(&cursor, &record)) {
        offset = dump.length - bytes_left(&cursor);
        if (record.id == CODE_LOAD) {
            add_code(index, &record.code);
            hashmap_put(&loaded, record.index, (uint32_t)names.count);
            *vec_push(&names) = record.code.name;
        } else if (record.id == CODE_MOVE) {
            uint32_t at = hashmap_find(&loaded, record.index, NULL, NULL, NULL);
            record.code.name = at == HASHMAP_ABSENT ? (struct view){0} : names.items[at];
            add_code(index, &record.code);
        }
    }
    symbol_index_sort(index, true);
    hashmap_done(&loaded);
    vec_done(&names);
    return !cursor.failed || error_set(err, ERROR_FORMAT, "the record at offset %zu of %zu is cut off or damaged", offset, dump.length);
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
