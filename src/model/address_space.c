/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/address_space.h"

#include "base/arena.h"
#include "base/partition_point.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
    DSO_ID_UNKNOWN,
    DSO_ID_KERNEL,
};

/* A forked process shares its parent's mappings until one of the two changes them. */
struct mapping_block {
    size_t references;
    size_t reserved; /* keeps items aligned */
    struct mapping items[];
};

static struct mapping_block *block_of(struct mapping *mappings)
{
    return (struct mapping_block *)((char *)mappings - sizeof(struct mapping_block));
}

static void block_release(struct mapping *mappings)
{
    if (mappings && --block_of(mappings)->references == 0)
        free(block_of(mappings));
}

static void left_release(struct address_space *space)
{
    block_release(space->left);
    space->left = NULL;
    space->left_count = 0;
}

/* Make the mappings this space's own, with room for `most` of them. */
static void mappings_own(struct address_space *space, size_t most)
{
    bool shared = space->mappings && block_of(space->mappings)->references > 1;
    if (space->mappings && !shared && most <= space->capacity)
        return;
    size_t capacity = most > space->capacity ? most + most / 2 + 8 : space->capacity;
    size_t bytes = sizeof(struct mapping_block) + memory_product(capacity, sizeof(struct mapping));
    struct mapping_block *block;
    if (space->mappings && !shared) {
        block = memory_resize(block_of(space->mappings), bytes);
    } else {
        block = memory_alloc(bytes);
        if (space->count)
            memcpy(block->items, space->mappings, space->count * sizeof(struct mapping));
        if (shared)
            block_of(space->mappings)->references--;
    }
    block->references = 1;
    space->mappings = block->items;
    space->capacity = capacity;
}

/* ---- dsos ---- */

static bool dso_equal(const void *context, uint32_t id, const void *key)
{
    const struct address_spaces *spaces = context;
    const struct dso *a = &spaces->dsos[id], *b = key;
    return a->kind == b->kind && a->path == b->path && a->build_id.size_bytes == b->build_id.size_bytes &&
           memcmp(a->build_id.bytes, b->build_id.bytes, a->build_id.size_bytes) == 0 &&
           (a->kind != DSO_ANONYMOUS || (a->owner_pid == b->owner_pid && a->name == b->name)); /* code or data */
}

static uint32_t dso_intern(struct address_spaces *spaces, const struct dso *dso)
{
    uint64_t hash = hash_combine(hash_u64(dso->path), (uint64_t)dso->kind);
    hash = hash_combine(hash, hash_bytes(dso->build_id.bytes, dso->build_id.size_bytes));
    hash = hash_combine(hash, dso->kind == DSO_ANONYMOUS ? dso->owner_pid : 0);
    uint32_t id = hashmap_find(&spaces->dso_by_key, hash, dso_equal, spaces, dso);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)spaces->dso_count;
    spaces->dsos =
        vec_reserve_bytes(spaces->dsos, &spaces->dso_capacity, spaces->dso_count + 1, sizeof(*spaces->dsos));
    spaces->dsos[spaces->dso_count++] = *dso;
    hashmap_add(&spaces->dso_by_key, hash, id);
    return id;
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *text, const char *suffix)
{
    return view_ends(view_of(text), suffix);
}

/* Memory that no file on disk holds, by how the kernel names it. */
static bool is_anonymous(const char *path)
{
    static const char *const prefixes[] = {"/anon_hugepage", "/dev/zero", "[heap]", "[stack", "[anon", "/SYSV",
                                           "/memfd:", "anon_inode:"};
    if (!path[0] || strcmp(path, "//anon") == 0)
        return true;
    for (size_t at = 0; at < array_count(prefixes); at++)
        if (starts(path, prefixes[at]))
            return true;
    return false;
}

static bool is_module_path(const char *path)
{
    static const char *const suffixes[] = {".ko", ".ko.gz", ".ko.xz", ".ko.zst"};
    for (size_t at = 0; at < array_count(suffixes); at++)
        if (ends(path, suffixes[at]))
            return true;
    return false;
}

static enum dso_kind kind_of(uint32_t space, const char *path)
{
    if (space == SPACE_KERNEL)
        return starts(path, "[kernel.kallsyms]") || ends(path, "vmlinux") ? DSO_KERNEL : DSO_MODULE;
    if (strcmp(path, "[vdso]") == 0 || strcmp(path, "[vdso32]") == 0 || strcmp(path, "[vdsox32]") == 0)
        return DSO_VDSO;
    if (strcmp(path, "[vsyscall]") == 0)
        return DSO_VSYSCALL;
    return is_anonymous(path) ? DSO_ANONYMOUS : DSO_FILE;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* "/lib/modules/…/nf_tables.ko.xz" is shown as "[nf_tables]". */
static uint32_t module_name(struct strings *strings, const char *path)
{
    if (path[0] == '[' || !is_module_path(path))
        return strings_intern(strings, last_part(path));
    char name[256];
    const char *base = last_part(path);
    int length = (int)(strstr(base, ".ko") - base);
    snprintf(name, sizeof(name), "[%.*s]", length > 250 ? 250 : length, base);
    for (char *at = name; *at; at++)
        *at = *at == '-' ? '_' : *at;
    return strings_intern(strings, name);
}

static uint32_t dso_name(struct strings *strings, enum dso_kind kind, const char *path, uint32_t pid, bool executable)
{
    char name[64];
    switch (kind) {
    case DSO_KERNEL:
        return strings_intern(strings, "[kernel.kallsyms]");
    case DSO_MODULE:
        return module_name(strings, path);
    case DSO_ANONYMOUS:
        if (!executable || starts(path, "/memfd:") || starts(path, "anon_inode:"))
            return strings_intern(strings, path[0] ? last_part(path) : "//anon");
        snprintf(name, sizeof(name), "[JIT] tid %" PRIu32, pid);
        return strings_intern(strings, name);
    default:
        return strings_intern(strings, last_part(path));
    }
}

static void build_id_fill(const struct address_spaces *spaces, struct dso *dso)
{
    if (dso->build_id.size_bytes)
        return;
    uint32_t known = hashmap_find(&spaces->build_id_by_path, hash_u64(dso->path), NULL, NULL, NULL);
    if (known != HASHMAP_ABSENT)
        dso->build_id = spaces->build_ids[known];
}

static bool is_executable(const struct record_mmap *map)
{
    return map->has_details ? map->protection & PROT_EXEC : !map->is_data;
}

static uint32_t dso_of_map(struct address_spaces *spaces, struct strings *strings, uint32_t space,
                           const struct record_mmap *map)
{
    enum dso_kind kind = kind_of(space, map->path);
    if (kind == DSO_KERNEL)
        return DSO_ID_KERNEL;
    struct dso dso = {
        .kind = kind,
        .path = strings_intern(strings, map->path),
        .name = dso_name(strings, kind, map->path, map->pid, is_executable(map)),
        .owner_pid = map->pid,
        .build_id = map->build_id,
    };
    build_id_fill(spaces, &dso);
    return dso_intern(spaces, &dso);
}

uint32_t address_spaces_unknown_dso(const struct address_spaces *spaces)
{
    (void)spaces;
    return DSO_ID_UNKNOWN;
}

uint32_t address_spaces_kernel_dso(const struct address_spaces *spaces)
{
    (void)spaces;
    return DSO_ID_KERNEL;
}

void address_spaces_build_id(struct address_spaces *spaces, struct strings *strings, const char *path,
                             const struct build_id *build_id, enum cpu_mode mode)
{
    bool from_image = mode == CPU_MODE_KERNEL && path[0] == '/' && starts(last_part(path), "vmlinux");
    if (from_image || starts(path, "[kernel.kallsyms]")) {
        struct dso *kernel = &spaces->dsos[DSO_ID_KERNEL];
        kernel->build_id = *build_id;
        if (from_image) /* as perf calls a kernel whose image the recorder had */
            kernel->name = strings_intern(strings, "[kernel.vmlinux]");
        return;
    }
    spaces->build_ids = vec_reserve_bytes(spaces->build_ids, &spaces->build_id_capacity, spaces->build_id_count + 1,
                                          sizeof(*spaces->build_ids));
    spaces->build_ids[spaces->build_id_count] = *build_id;
    hashmap_put(&spaces->build_id_by_path, hash_u64(strings_intern(strings, path)),
                (uint32_t)spaces->build_id_count++);
}

/* ---- spaces ---- */

void address_spaces_init(struct address_spaces *spaces, struct strings *strings)
{
    *spaces = (struct address_spaces){0};
    struct dso unknown = {.kind = DSO_UNKNOWN,
                          .path = strings_intern(strings, "[unknown]"),
                          .name = strings_intern(strings, "[unknown]"),
                          .owner_pid = UINT32_MAX};
    struct dso kernel = {.kind = DSO_KERNEL,
                         .path = strings_intern(strings, "[kernel.kallsyms]"),
                         .name = strings_intern(strings, "[kernel.kallsyms]"),
                         .owner_pid = UINT32_MAX};
    dso_intern(spaces, &unknown);
    dso_intern(spaces, &kernel);
    address_spaces_begin(spaces, UINT32_MAX);
}

void address_spaces_done(struct address_spaces *spaces)
{
    for (size_t at = 0; at < spaces->count; at++) {
        left_release(&spaces->items[at]);
        block_release(spaces->items[at].mappings);
    }
    vec_done(spaces);
    free(spaces->dsos);
    free(spaces->build_ids);
    hashmap_done(&spaces->dso_by_key);
    hashmap_done(&spaces->build_id_by_path);
    *spaces = (struct address_spaces){0};
}

uint32_t address_spaces_begin(struct address_spaces *spaces, uint32_t pid)
{
    uint32_t id = (uint32_t)spaces->count;
    *vec_push(spaces) = (struct address_space){.pid = pid};
    return id;
}

uint32_t address_spaces_fork(struct address_spaces *spaces, uint32_t parent_space, uint32_t pid)
{
    uint32_t id = address_spaces_begin(spaces, pid);
    struct address_space *child = &spaces->items[id], *parent = &spaces->items[parent_space];
    if (parent->mappings) {
        child->mappings = parent->mappings;
        child->count = parent->count;
        child->capacity = parent->capacity;
        block_of(parent->mappings)->references++;
    }
    return id;
}

void address_spaces_leave(struct address_spaces *spaces, uint32_t space)
{
    struct address_space *item = &spaces->items[space];
    left_release(item);
    item->left = item->mappings;
    item->left_count = item->count;
    item->mappings = NULL;
    item->count = item->capacity = 0;
    item->generation++;
}

/* Index of the first mapping that ends behind addr. */
static size_t first_ending_behind(const struct mapping *mappings, size_t count, uint64_t addr)
{
    return partition_point(mappings, count, item->end <= addr);
}

static const struct mapping *mapping_at(const struct mapping *mappings, size_t count, uint64_t addr)
{
    size_t at = first_ending_behind(mappings, count, addr);
    return at < count && mappings[at].start <= addr ? &mappings[at] : NULL;
}

const struct mapping *address_spaces_find(const struct address_spaces *spaces, uint32_t space, uint64_t addr)
{
    const struct address_space *item = &spaces->items[space];
    const struct mapping *found = mapping_at(item->mappings, item->count, addr);
    return found || !item->left ? found : mapping_at(item->left, item->left_count, addr);
}

static struct mapping mapping_from(const struct mapping *mapping, uint64_t start)
{
    struct mapping rest = *mapping;
    rest.file_offset += start - mapping->start;
    rest.start = start;
    return rest;
}

/* Cut [start, end) out of the space and put `added` (NULL: nothing) there. */
static void space_replace(struct address_space *space, uint64_t start, uint64_t end, const struct mapping *added)
{
    mappings_own(space, space->count + 2);
    size_t first = first_ending_behind(space->mappings, space->count, start), behind = first;
    struct mapping pieces[3];
    size_t piece_count = 0;
    while (behind < space->count && space->mappings[behind].start < end)
        behind++;
    if (first < behind && space->mappings[first].start < start) {
        pieces[piece_count] = space->mappings[first];
        pieces[piece_count++].end = start;
    }
    if (added)
        pieces[piece_count++] = *added;
    if (first < behind && space->mappings[behind - 1].end > end)
        pieces[piece_count++] = mapping_from(&space->mappings[behind - 1], end);
    memmove(space->mappings + first + piece_count, space->mappings + behind,
            (space->count - behind) * sizeof(struct mapping));
    memcpy(space->mappings + first, pieces, piece_count * sizeof(struct mapping));
    space->count = space->count - (behind - first) + piece_count;
    space->generation++;
}

static bool mapping_same(const struct mapping *a, const struct mapping *b)
{
    return a && a->start == b->start && a->end == b->end && a->dso == b->dso && a->file_offset == b->file_offset &&
           a->protection == b->protection;
}

void address_spaces_map(struct address_spaces *spaces, struct strings *strings, uint32_t space,
                        const struct record_mmap *map, uint64_t time_ns)
{
    uint64_t end;
    if (__builtin_add_overflow(map->start, map->size_bytes, &end) || (space == SPACE_KERNEL && !map->size_bytes))
        end = UINT64_MAX; /* the kernel's own mapping may reach to the end of the address space */
    if (end <= map->start)
        return;
    struct mapping mapping = {
        .start = map->start,
        .end = end,
        .file_offset = map->file_offset,
        .dso = dso_of_map(spaces, strings, space, map),
        .protection = map->has_details ? map->protection : 0,
        .since_ns = time_ns,
    };
    struct address_space *item = &spaces->items[space];
    if (item->exec_has_mapped && is_executable(map))
        left_release(item);
    item->exec_has_mapped = item->left && (item->exec_has_mapped || spaces->dsos[mapping.dso].kind == DSO_VDSO);
    if (mapping_same(mapping_at(item->mappings, item->count, map->start), &mapping))
        return;
    space_replace(item, map->start, end, &mapping);
}

void address_spaces_ksymbol(struct address_spaces *spaces, struct strings *strings,
                            const struct record_ksymbol *symbol, bool gone, uint64_t time_ns)
{
    uint64_t end;
    if (__builtin_add_overflow(symbol->addr, symbol->size_bytes, &end) || end <= symbol->addr)
        return;
    struct dso dso = {.kind = DSO_BPF,
                      .path = strings_intern(strings, symbol->name),
                      .name = strings_intern(strings, symbol->name),
                      .owner_pid = UINT32_MAX};
    struct mapping mapping = {.start = symbol->addr, .end = end, .since_ns = time_ns};
    if (!gone)
        mapping.dso = dso_intern(spaces, &dso);
    space_replace(&spaces->items[SPACE_KERNEL], symbol->addr, end, gone ? NULL : &mapping);
}

uint64_t address_spaces_dso_addr(const struct address_spaces *spaces, const struct mapping *mapping, uint64_t addr)
{
    switch (spaces->dsos[mapping->dso].kind) {
    case DSO_FILE:
    case DSO_VDSO:
    case DSO_VSYSCALL:
        return addr - mapping->start + mapping->file_offset;
    default:
        return addr;
    }
}
