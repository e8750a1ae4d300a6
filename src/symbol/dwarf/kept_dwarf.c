/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dwarf/kept_dwarf.h"

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
    uint32_t functions, scopes, lines, texts, text_bytes, unused;
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

/* Of one address that was asked for. */
struct line {
    uint64_t addr;
    uint32_t path; /* UINT32_MAX: none */
    uint32_t number;
    uint32_t is_known, unused; /* 0: the address has no line */
};

struct table {
    vec(struct function) functions; /* sorted, none reaches into the next */
    vec(struct scope) scopes;
    vec(struct line) lines; /* sorted, one for each address */
};

struct kept_dwarf {
    char file_name[24], head[HEAD_BYTES + 1];
    struct text text;
    struct table known;
    vec(const char *) texts; /* names of functions and paths, in text */
    struct table learnt;     /* in the order in which it was; sorted when it is written */
    struct strings learnt_texts;
};

static void table_done(struct table *table)
{
    vec_done(&table->functions);
    vec_done(&table->scopes);
    vec_done(&table->lines);
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

static bool lines_hold(const struct table *table)
{
    for (size_t at = 1; at < table->lines.count; at++)
        if (table->lines.items[at].addr <= table->lines.items[at - 1].addr)
            return false;
    return true;
}

static bool texts_split(struct kept_dwarf *kept, struct view text, size_t count)
{
    vec_reserve(&kept->texts, count);
    for (size_t at = 0; at < count; at++) {
        const char *end = text.length ? memchr(text.text, 0, text.length) : NULL;
        if (!end)
            return false;
        *vec_push(&kept->texts) = text.text;
        text = view_skip(text, (size_t)(end - text.text) + 1);
    }
    return true;
}

static bool is_text(uint32_t id, size_t count)
{
    return id == UINT32_MAX || id < count;
}

static bool texts_hold(const struct kept_dwarf *kept)
{
    vec_for_each(&kept->known.scopes, scope)
        if (!is_text(scope->name, kept->texts.count))
            return false;
    vec_for_each(&kept->known.lines, line)
        if (!is_text(line->path, kept->texts.count))
            return false;
    return true;
}

/* Room for what the counts say, where the rest is long enough for it. */
static bool table_reserve(struct table *table, const struct counts *counts, size_t left_bytes)
{
    if (counts->functions > left_bytes / sizeof(struct function) ||
        counts->scopes > left_bytes / sizeof(struct scope) || counts->lines > left_bytes / sizeof(struct line) ||
        counts->texts > left_bytes)
        return false;
    vec_reserve(&table->functions, counts->functions);
    vec_reserve(&table->scopes, counts->scopes);
    vec_reserve(&table->lines, counts->lines);
    table->functions.count = counts->functions;
    table->scopes.count = counts->scopes;
    table->lines.count = counts->lines;
    return true;
}

static bool parse(struct kept_dwarf *kept)
{
    struct view rest = text_view(&kept->text);
    struct counts counts;
    struct table *known = &kept->known;
    return take(&rest, &counts, sizeof(counts)) && table_reserve(known, &counts, rest.length) &&
           take(&rest, known->functions.items, counts.functions * sizeof(struct function)) &&
           take(&rest, known->scopes.items, counts.scopes * sizeof(struct scope)) &&
           take(&rest, known->lines.items, counts.lines * sizeof(struct line)) && rest.length == counts.text_bytes &&
           functions_hold(known) && lines_hold(known) && texts_split(kept, rest, counts.texts) && texts_hold(kept);
}

static struct kept_dwarf *nothing_kept(void)
{
    struct kept_dwarf *kept = memory_alloc(sizeof(*kept));
    *kept = (struct kept_dwarf){0};
    strings_init(&kept->learnt_texts);
    return kept;
}

/* What doesn't hold is as good as not there. */
static void read_kept(struct kept_dwarf *kept)
{
    if (parse(kept))
        return;
    table_done(&kept->known);
    vec_done(&kept->texts);
}

struct kept_dwarf *kept_dwarf_of(struct view body)
{
    struct kept_dwarf *kept = nothing_kept();
    text_append(&kept->text, body.text, body.length);
    read_kept(kept);
    return kept;
}

/* Which file it is, and that nobody changed it since. */
static bool identify(struct kept_dwarf *kept, int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    const uint64_t place[] = {status.st_dev, status.st_ino};
    const uint64_t state[] = {(uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
                              (uint64_t)status.st_mtim.tv_nsec, (uint64_t)status.st_ctim.tv_sec,
                              (uint64_t)status.st_ctim.tv_nsec};
    uint64_t of_place = hash_bytes(place, sizeof(place)), of_state = hash_bytes(state, sizeof(state));
    snprintf(kept->file_name, sizeof(kept->file_name), "dwarf.%02x", (unsigned)(of_place % FILES_MOST));
    snprintf(kept->head, sizeof(kept->head), "# dwarf 1 of %016" PRIx64 " \n", hash_combine(of_place, of_state));
    return true;
}

struct kept_dwarf *kept_dwarf_open(int fd)
{
    struct kept_dwarf *kept = nothing_kept();
    if (identify(kept, fd) && cache_file_read(kept->file_name, view_of(kept->head), BYTES_MOST, &kept->text))
        read_kept(kept);
    return kept;
}

void kept_dwarf_free(struct kept_dwarf *kept)
{
    if (!kept)
        return;
    text_done(&kept->text);
    table_done(&kept->known);
    vec_done(&kept->texts);
    table_done(&kept->learnt);
    strings_done(&kept->learnt_texts);
    free(kept);
}

bool kept_dwarf_is_empty(const struct kept_dwarf *kept)
{
    return !kept->known.functions.count && !kept->known.lines.count;
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

bool kept_dwarf_functions(const struct kept_dwarf *kept, uint64_t elf_addr, const char **ret_functions, size_t most,
                          size_t *ret_count)
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
        ret_functions[count++] = scopes[at].name == UINT32_MAX ? NULL : kept->texts.items[scopes[at].name];
    *ret_count = count;
    return true;
}

bool kept_dwarf_line(const struct kept_dwarf *kept, uint64_t elf_addr, struct kept_line *ret_line)
{
    const struct line *lines = kept->known.lines.items;
    size_t low = partition_point(lines, kept->known.lines.count, item->addr < elf_addr);
    if (low == kept->known.lines.count || lines[low].addr != elf_addr)
        return false;
    const char *path = lines[low].path == UINT32_MAX ? NULL : kept->texts.items[lines[low].path];
    *ret_line = (struct kept_line){path, lines[low].number, lines[low].is_known};
    return true;
}

static uint32_t text_learn(struct kept_dwarf *kept, const char *text)
{
    return text ? strings_intern(&kept->learnt_texts, text) : UINT32_MAX;
}

void kept_dwarf_learn_line(struct kept_dwarf *kept, uint64_t elf_addr, const struct kept_line *line)
{
    *vec_push(&kept->learnt.lines) =
        (struct line){elf_addr, text_learn(kept, line->path), line->number, line->is_known, 0};
}

void kept_dwarf_learn_function(struct kept_dwarf *kept, uint64_t start, uint64_t end, const struct kept_scope *scopes,
                               size_t scope_count)
{
    struct table *learnt = &kept->learnt;
    *vec_push(&learnt->functions) =
        (struct function){start, end, (uint32_t)learnt->scopes.count, (uint32_t)scope_count};
    for (size_t at = 0; at < scope_count; at++)
        *vec_push(&learnt->scopes) = (struct scope){scopes[at].start,      scopes[at].end,
                                                    scopes[at].enclosing,  text_learn(kept, scopes[at].name),
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
static void functions_join(const struct table *known, const struct table *learnt, struct table *out)
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

static int by_addr(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

/* All lines, sorted; of an address that was learnt twice either: the file didn't change between. */
static void lines_join(const struct table *known, const struct table *learnt, struct table *out)
{
    vec_reserve(&out->lines, known->lines.count + learnt->lines.count);
    vec_for_each(&known->lines, line)
        *vec_push(&out->lines) = *line;
    vec_for_each(&learnt->lines, line)
        *vec_push(&out->lines) = *line;
    if (out->lines.count)
        qsort(out->lines.items, out->lines.count, sizeof(struct line), by_addr);
    size_t kept = 0;
    vec_for_each(&out->lines, line)
        if (!kept || out->lines.items[kept - 1].addr != line->addr)
            out->lines.items[kept++] = *line;
    out->lines.count = kept;
}

static uint32_t renamed(struct kept_dwarf *kept, uint32_t text)
{
    return text == UINT32_MAX ? UINT32_MAX : text_learn(kept, kept->texts.items[text]);
}

static void texts_rename(struct kept_dwarf *kept)
{
    vec_for_each(&kept->known.scopes, scope)
        scope->name = renamed(kept, scope->name);
    vec_for_each(&kept->known.lines, line)
        line->path = renamed(kept, line->path);
}

static void add_items(struct text *body, const void *items, size_t size_bytes)
{
    if (size_bytes)
        text_append(body, items, size_bytes);
}

static void body_make(const struct table *table, const struct strings *texts, struct text *ret_body)
{
    scoped_text struct text text = {0};
    for (uint32_t id = 0; id < strings_count(texts); id++)
        text_append(&text, strings_text(texts, id), strlen(strings_text(texts, id)) + 1);
    struct counts counts = {
        (uint32_t)table->functions.count, (uint32_t)table->scopes.count, (uint32_t)table->lines.count,
        (uint32_t)strings_count(texts),   (uint32_t)text.length,         0};
    add_items(ret_body, &counts, sizeof(counts));
    add_items(ret_body, table->functions.items, table->functions.count * sizeof(struct function));
    add_items(ret_body, table->scopes.items, table->scopes.count * sizeof(struct scope));
    add_items(ret_body, table->lines.items, table->lines.count * sizeof(struct line));
    add_items(ret_body, text.bytes, text.length);
}

/* What another wrote meanwhile, a program or a thread with an index of its own, isn't lost. */
static void read_anew(struct kept_dwarf *kept)
{
    struct text now = {0};
    if (!cache_file_read(kept->file_name, view_of(kept->head), BYTES_MOST, &now)) {
        text_done(&now);
        return;
    }
    table_done(&kept->known);
    vec_done(&kept->texts);
    text_done(&kept->text);
    kept->text = now;
    read_kept(kept);
}

static size_t learnt_bytes(const struct kept_dwarf *kept)
{
    const struct table *learnt = &kept->learnt;
    size_t bytes = learnt->functions.count * sizeof(struct function) + learnt->scopes.count * sizeof(struct scope) +
                   learnt->lines.count * sizeof(struct line);
    for (uint32_t id = 0; id < strings_count(&kept->learnt_texts); id++)
        bytes += strlen(strings_text(&kept->learnt_texts, id)) + 1;
    return bytes;
}

void kept_dwarf_write(struct kept_dwarf *kept)
{
    struct table *learnt = &kept->learnt;
    if (!kept->file_name[0] || (!learnt->functions.count && !learnt->lines.count))
        return;
    read_anew(kept);
    if (kept->text.length + learnt_bytes(kept) > BYTES_MOST)
        table_done(&kept->known); /* full: what is kept begins anew with what was asked for last */
    struct table all = {0};
    scoped_text struct text body = {0};
    texts_rename(kept);
    if (learnt->functions.count)
        qsort(learnt->functions.items, learnt->functions.count, sizeof(struct function), by_start);
    functions_join(&kept->known, learnt, &all);
    lines_join(&kept->known, learnt, &all);
    body_make(&all, &kept->learnt_texts, &body);
    if (body.length <= BYTES_MOST)
        cache_file_write(kept->file_name, view_of(kept->head), text_view(&body));
    table_done(&all);
}
