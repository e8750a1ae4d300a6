/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dwarf/kept_functions.h"

#include "base/arena.h"
#include "base/file/cache_file.h"
#include "base/hashmap.h"
#include "base/partition_point.h"
#include "base/scope.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BYTES_MOST = 4 << 20, /* some ten thousand functions */
    FILES_MOST = 128,     /* half a GiB at the very most; a few MiB with everyday's work */
    HEAD_BYTES = 40
};

/* As they stand in the file, which no other machine reads: in this one's byte order. */
struct counts {
    uint32_t functions, scopes, names, name_bytes;
};

struct function {
    uint64_t start, end;
    uint32_t first, count; /* of its scopes */
};

struct scope {
    uint64_t start, end;
    uint32_t enclosing; /* counted from the function's first; UINT32_MAX: none */
    uint32_t name;      /* UINT32_MAX: none */
    uint32_t is_inlined, unused;
};

struct table {
    vec(struct function) functions; /* sorted, none reaches into the next */
    vec(struct scope) scopes;
};

struct kept_functions {
    char file_name[24], head[HEAD_BYTES + 1];
    struct text text;
    struct table known;
    vec(const char *) names; /* in text */
    struct table learnt;     /* in the order in which it was; sorted when it is written */
    struct strings learnt_names;
};

static void table_done(struct table *table)
{
    vec_done(&table->functions);
    vec_done(&table->scopes);
}

static bool take(struct view *from, void *to, size_t size_bytes)
{
    if (from->length < size_bytes)
        return false;
    if (size_bytes)
        memcpy(to, from->text, size_bytes);
    *from = view_skip(*from, size_bytes);
    return true;
}

static bool functions_hold(const struct table *table)
{
    uint64_t reached = 0;
    vec_for_each(&table->functions, function)
    {
        if (function->start < reached || function->end <= function->start || function->count > table->scopes.count ||
            function->first > table->scopes.count - function->count)
            return false;
        reached = function->end;
        for (uint32_t at = 0; at < function->count; at++) {
            uint32_t enclosing = table->scopes.items[function->first + at].enclosing;
            if (enclosing != UINT32_MAX && enclosing >= at)
                return false;
        }
    }
    return true;
}

static bool names_hold(struct kept_functions *kept, struct view text, size_t count)
{
    vec_reserve(&kept->names, count);
    for (size_t at = 0; at < count; at++) {
        const char *end = text.length ? memchr(text.text, 0, text.length) : NULL;
        if (!end)
            return false;
        *vec_push(&kept->names) = text.text;
        text = view_skip(text, (size_t)(end - text.text) + 1);
    }
    vec_for_each(&kept->known.scopes, scope)
        if (scope->name != UINT32_MAX && scope->name >= count)
            return false;
    return true;
}

static bool parse(struct kept_functions *kept)
{
    struct view rest = text_view(&kept->text);
    struct counts counts;
    struct table *known = &kept->known;
    if (!take(&rest, &counts, sizeof(counts)) || counts.functions > rest.length / sizeof(struct function) ||
        counts.scopes > rest.length / sizeof(struct scope) || counts.names > rest.length)
        return false;
    vec_reserve(&known->functions, counts.functions);
    vec_reserve(&known->scopes, counts.scopes);
    known->functions.count = counts.functions;
    known->scopes.count = counts.scopes;
    return take(&rest, known->functions.items, counts.functions * sizeof(struct function)) &&
           take(&rest, known->scopes.items, counts.scopes * sizeof(struct scope)) && rest.length == counts.name_bytes &&
           functions_hold(known) && names_hold(kept, rest, counts.names);
}

static struct kept_functions *nothing_kept(void)
{
    struct kept_functions *kept = memory_alloc(sizeof(*kept));
    *kept = (struct kept_functions){0};
    strings_init(&kept->learnt_names);
    return kept;
}

/* What doesn't hold is as good as not there. */
static void read_kept(struct kept_functions *kept)
{
    if (parse(kept))
        return;
    table_done(&kept->known);
    vec_done(&kept->names);
}

struct kept_functions *kept_functions_of(struct view body)
{
    struct kept_functions *kept = nothing_kept();
    text_append(&kept->text, body.text, body.length);
    read_kept(kept);
    return kept;
}

/* Which file it is, and that nobody changed it since. */
static bool identify(struct kept_functions *kept, int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    const uint64_t place[] = {status.st_dev, status.st_ino};
    const uint64_t state[] = {(uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec,
                              (uint64_t)status.st_ctim.tv_sec, (uint64_t)status.st_ctim.tv_nsec};
    uint64_t of_place = hash_bytes(place, sizeof(place)), of_state = hash_bytes(state, sizeof(state));
    snprintf(kept->file_name, sizeof(kept->file_name), "functions.%02x", (unsigned)(of_place % FILES_MOST));
    snprintf(kept->head, sizeof(kept->head), "# functions 1 of %016" PRIx64 " \n", hash_combine(of_place, of_state));
    return true;
}

struct kept_functions *kept_functions_open(int fd)
{
    struct kept_functions *kept = nothing_kept();
    if (identify(kept, fd) && cache_file_read(kept->file_name, view_of(kept->head), BYTES_MOST, &kept->text))
        read_kept(kept);
    return kept;
}

void kept_functions_free(struct kept_functions *kept)
{
    if (!kept)
        return;
    text_done(&kept->text);
    table_done(&kept->known);
    vec_done(&kept->names);
    table_done(&kept->learnt);
    strings_done(&kept->learnt_names);
    free(kept);
}

bool kept_functions_is_empty(const struct kept_functions *kept)
{
    return !kept->known.functions.count;
}

static const struct function *function_at(const struct table *table, uint64_t addr)
{
    size_t low = partition_point(table->functions.items, table->functions.count, item->start <= addr);
    const struct function *found = low ? &table->functions.items[low - 1] : NULL;
    return found && found->end > addr ? found : NULL;
}

/* The innermost of these that holds addr, from `at` outwards. */
static uint32_t holding(const struct scope *scopes, uint32_t at, uint64_t addr)
{
    while (at != UINT32_MAX && scopes[at].end <= addr)
        at = scopes[at].enclosing;
    return at;
}

static uint32_t innermost(const struct scope *scopes, uint32_t count, uint64_t addr)
{
    uint32_t low = (uint32_t)partition_point(scopes, count, item->start <= addr);
    return low ? holding(scopes, low - 1, addr) : UINT32_MAX;
}

bool kept_functions_tell(const struct kept_functions *kept, uint64_t elf_addr, const char **ret_functions, size_t most, size_t *ret_count)
{
    const struct function *function = function_at(&kept->known, elf_addr);
    if (!function)
        return false;
    *ret_count = 0;
    if (!function->count)
        return true;
    const struct scope *scopes = kept->known.scopes.items + function->first;
    size_t count = 0;
    for (uint32_t at = innermost(scopes, function->count, elf_addr); at != UINT32_MAX && count < most;
         at = scopes[at].is_inlined ? holding(scopes, scopes[at].enclosing, elf_addr) : UINT32_MAX)
        ret_functions[count++] = scopes[at].name == UINT32_MAX ? NULL : kept->names.items[scopes[at].name];
    *ret_count = count;
    return true;
}

static uint32_t name_learn(struct kept_functions *kept, const char *name)
{
    return name ? strings_intern(&kept->learnt_names, name) : UINT32_MAX;
}

void kept_functions_learn(struct kept_functions *kept, uint64_t start, uint64_t end, const struct kept_scope *scopes, size_t scope_count)
{
    struct table *learnt = &kept->learnt;
    *vec_push(&learnt->functions) = (struct function){start, end, (uint32_t)learnt->scopes.count, (uint32_t)scope_count};
    for (size_t at = 0; at < scope_count; at++)
        *vec_push(&learnt->scopes) = (struct scope){scopes[at].start, scopes[at].end, scopes[at].enclosing, name_learn(kept, scopes[at].name),
                                                    scopes[at].is_inlined, 0};
}

static int by_start(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Where it reaches into one that was added before it is left out: nobody could say which of them holds. */
static void function_put(struct table *out, struct function function, const struct scope *scopes)
{
    const struct function *last = out->functions.count ? &out->functions.items[out->functions.count - 1] : NULL;
    if (last && last->end > function.start)
        return;
    const uint32_t first = function.first; /* of no scopes at all there is no table */
    function.first = (uint32_t)out->scopes.count;
    *vec_push(&out->functions) = function;
    for (uint32_t at = 0; at < function.count; at++)
        *vec_push(&out->scopes) = scopes[first + at];
}

/* What was kept and isn't learnt anew, with what was learnt, whose names both are by now. */
static void join(const struct table *known, const struct table *learnt, struct table *out)
{
    size_t old = 0, new = 0;
    while (old < known->functions.count || new < learnt->functions.count) {
        const struct function *before = old < known->functions.count ? &known->functions.items[old] : NULL;
        const struct function *after = new < learnt->functions.count ? &learnt->functions.items[new] : NULL;
        bool is_gone = before && after && before->start < after->end && after->start < before->end;
        if (!is_gone && before && (!after || before->start < after->start))
            function_put(out, *before, known->scopes.items);
        else if (!is_gone) {
            function_put(out, *after, learnt->scopes.items);
            new++;
            continue;
        }
        old++;
    }
}

static void names_rename(struct kept_functions *kept)
{
    vec_for_each(&kept->known.scopes, scope)
        scope->name = scope->name == UINT32_MAX ? UINT32_MAX : name_learn(kept, kept->names.items[scope->name]);
}

static void body_make(const struct table *table, const struct strings *names, struct text *ret_body)
{
    scoped_text struct text text = {0};
    for (uint32_t id = 0; id < strings_count(names); id++)
        text_append(&text, strings_text(names, id), strlen(strings_text(names, id)) + 1);
    struct counts counts = {(uint32_t)table->functions.count, (uint32_t)table->scopes.count, (uint32_t)strings_count(names), (uint32_t)text.length};
    text_append(ret_body, (const char *)&counts, sizeof(counts));
    text_append(ret_body, (const char *)table->functions.items, table->functions.count * sizeof(struct function));
    if (table->scopes.count)
        text_append(ret_body, (const char *)table->scopes.items, table->scopes.count * sizeof(struct scope));
    if (text.length)
        text_append(ret_body, text.bytes, text.length);
}

void kept_functions_write(struct kept_functions *kept)
{
    if (!kept->file_name[0] || !kept->learnt.functions.count)
        return;
    struct table all = {0};
    scoped_text struct text body = {0};
    names_rename(kept);
    qsort(kept->learnt.functions.items, kept->learnt.functions.count, sizeof(struct function), by_start);
    join(&kept->known, &kept->learnt, &all);
    body_make(&all, &kept->learnt_names, &body);
    if (body.length <= BYTES_MOST)
        cache_file_write(kept->file_name, view_of(kept->head), text_view(&body));
    table_done(&all);
}
