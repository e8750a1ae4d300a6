/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/code_bundle.h"

#include "base/json/json_writer.h"
#include "base/partition_point.h"
#include "base/scope.h"
#include "base/vec.h"
#include "symbol/disassembly.h"
#include "symbol/dwarf/libdw_functions.h"
#include "symbol/function_remark.h"

enum {
    CODE_BYTES_MOST = 1 << 20, /* of one function; generated giants are cut */
    SMALL_CODE_BYTES_MOST = 1 << 20, /* of all functions below the least share together */
    COMPLAINTS_MOST = 16,
    SCHEMA = 2, /* of code.json; 1 had no build_id and pid */
    PIECE_GAP = 1024, /* further apart, generated code counts as two pieces */
    UNSIZED_MOST = 4096, /* so far a symbol without a size names what no frame description ends */
    /* columns: as long as a name in a sentence may be, and what remains of a long one */
    REMARKED_NAME_MOST = 70, REMARK_LEAST = 48,
    PIECE_END = 64,   /* so much behind the last sample belongs to a piece: the end of its loop */
};

static const char *dso_path(const struct recording *recording, uint32_t dso)
{
    return strings_text(&recording->strings, recording->spaces.dsos[dso].path);
}

/* Whose addresses these are: a path says it only together with the build, or the process. */
static int owner_compare(const struct bundle_function *left, const struct bundle_function *right)
{
    int by_dso = strcmp(left->dso, right->dso);
    if (by_dso)
        return by_dso;
    if (left->build_id.size_bytes != right->build_id.size_bytes)
        return left->build_id.size_bytes < right->build_id.size_bytes ? -1 : 1;
    int by_build = memcmp(left->build_id.bytes, right->build_id.bytes, left->build_id.size_bytes);
    if (by_build)
        return by_build;
    return (left->owner_pid > right->owner_pid) - (left->owner_pid < right->owner_pid);
}

static int function_compare(const void *a, const void *b)
{
    const struct bundle_function *left = a, *right = b;
    int by_owner = owner_compare(left, right);
    if (by_owner)
        return by_owner;
    return (left->dso_addr > right->dso_addr) - (left->dso_addr < right->dso_addr);
}

static int line_compare(const void *a, const void *b)
{
    const struct bundle_line *left = a, *right = b;
    return (left->dso_addr > right->dso_addr) - (left->dso_addr < right->dso_addr);
}

/* A function without anything yet, of this binary. */
static struct bundle_function function_in(const struct recording *recording, uint32_t dso_id)
{
    const struct dso *dso = &recording->spaces.dsos[dso_id];
    return (struct bundle_function){
        .dso = dso_path(recording, dso_id),
        .build_id = dso->build_id,
        .owner_pid = dso->kind == DSO_ANONYMOUS ? dso->owner_pid : 0,
    };
}

struct maker {
    const struct recording *recording;
    struct symboliser *symboliser;
    struct arena *arena;
    uint64_t *hits;         /* by location: samples */
    struct hashmap by_symbol;
    vec(struct bundle_function) functions;
    vec(uint32_t) symbol_ids;      /* beside functions */
    vec(uint64_t) function_hits;
    vec(uint32_t) some_location;
    uint32_t *function_of;  /* by location: index of functions, or UINT32_MAX */
};

static void maker_count(struct maker *maker)
{
    const struct samples *samples = &maker->recording->samples;
    for (size_t at = 0; at < samples->count; at++)
        if (samples->items[at].location < samples->location_count)
            maker->hits[samples->items[at].location]++;
}

/* Index of the function under this key; a new one is for the caller to fill. */
static uint32_t maker_function(struct maker *maker, uint64_t key, uint32_t symbol_id, uint32_t location, bool *is_new)
{
    uint32_t at = hashmap_find(&maker->by_symbol, key, NULL, NULL, NULL);
    *is_new = at == HASHMAP_ABSENT;
    if (!*is_new)
        return at;
    at = (uint32_t)maker->functions.count;
    hashmap_add(&maker->by_symbol, key, at);
    (void)vec_push(&maker->functions);
    *vec_push(&maker->symbol_ids) = symbol_id;
    *vec_push(&maker->function_hits) = 0;
    *vec_push(&maker->some_location) = location;
    return at;
}

static struct bundle_function *maker_begin(struct maker *maker, uint32_t at, uint32_t dso)
{
    struct bundle_function *function = &maker->functions.items[at];
    *function = function_in(maker->recording, dso);
    function->dso = arena_string(maker->arena, function->dso);
    return function;
}

/* A function that no symbol names, in the bounds that its frame description gives: "gzip+0x5a20". */
static bool maker_unnamed(struct maker *maker, uint32_t location, uint32_t *ret_at)
{
    const struct location *where = &maker->recording->samples.locations[location];
    uint64_t start, size_bytes;
    if (!symboliser_bounds(maker->symboliser, location, &start, &size_bytes) || where->dso_addr - start >= size_bytes)
        return false;
    bool is_new;
    *ret_at = maker_function(maker, hash_combine(hash_u64(where->dso), start), SYMBOL_NONE, location, &is_new);
    if (!is_new)
        return true;
    struct bundle_function *function = maker_begin(maker, *ret_at, where->dso);
    function->name = arena_printf(
        maker->arena, "%s+0x%llx",
        strings_text(&maker->recording->strings, maker->recording->spaces.dsos[where->dso].name),
        (unsigned long long)start);
    function->dso_addr = function->shown_addr = start;
    function->size_bytes = size_bytes;
    return true;
}

static uint32_t maker_named(struct maker *maker, uint32_t location, uint32_t id)
{
    bool is_new;
    uint32_t at = maker_function(maker, hash_u64(id), id, location, &is_new);
    const struct symbol *symbol = symboliser_symbol(maker->symboliser, id);
    struct bundle_function *function = is_new ? maker_begin(maker, at, symbol->dso) : &maker->functions.items[at];
    if (is_new) {
        function->name = arena_string(maker->arena, symbol->name);
        function->dso_addr = symbol->dso_addr;
        function->size_bytes = symbol->size_bytes;
        function->shown_addr = symbol->shown_addr;
        function->is_kernel = symbol->is_kernel;
        function->is_named = true;
    }
    /* A symbol without a size still has to hold the locations that it was found for. */
    uint64_t reach = maker->recording->samples.locations[location].dso_addr - function->dso_addr + 1;
    if (function->size_bytes < reach)
        function->size_bytes = reach;
    return at;
}

/*
 * Hand-written code has neither sizes nor frame descriptions, and of hundreds of functions in a row one may be
 * exported: what lies far behind it is others.
 */
static bool symbol_reaches(const struct maker *maker, uint32_t id, uint32_t location)
{
    const struct symbol *symbol = symboliser_symbol(maker->symboliser, id);
    uint64_t behind = maker->recording->samples.locations[location].dso_addr - symbol->dso_addr, start, size_bytes;
    if (symbol->size_known || behind < UNSIZED_MOST || maker->recording->spaces.dsos[symbol->dso].kind != DSO_FILE)
        return true;
    return symboliser_bounds(maker->symboliser, location, &start, &size_bytes) && start == symbol->dso_addr;
}

static void maker_add_symbol(struct maker *maker, uint32_t location)
{
    uint32_t id = symboliser_symbol_id(maker->symboliser, location), at = UINT32_MAX;
    maker->function_of[location] = UINT32_MAX;
    if (id != SYMBOL_NONE && symbol_reaches(maker, id, location))
        at = maker_named(maker, location, id);
    else if (!maker_unnamed(maker, location, &at))
        return;
    maker->function_of[location] = at;
    maker->function_hits.items[at] += maker->hits[location];
    if (maker->hits[location])
        maker->some_location.items[at] = location;
}

struct generated { /* a sampled place in code that neither a symbol nor a frame description holds */
    uint32_t dso;
    uint64_t addr;
    uint32_t location;
};

static int generated_compare(const void *a, const void *b)
{
    const struct generated *left = a, *right = b;
    if (left->dso != right->dso)
        return left->dso < right->dso ? -1 : 1;
    return (left->addr > right->addr) - (left->addr < right->addr);
}

static enum dso_kind dso_kind_of(const struct maker *maker, uint32_t dso)
{
    return dso == DSO_NONE ? DSO_UNKNOWN : maker->recording->spaces.dsos[dso].kind;
}

static const char *piece_name(const struct maker *maker, uint32_t dso, uint64_t addr)
{
    bool is_file = dso_kind_of(maker, dso) == DSO_FILE;
    return arena_printf(maker->arena, "%s+0x%llx",
                        is_file ? strings_text(&maker->recording->strings, maker->recording->spaces.dsos[dso].name)
                                : "[JIT]",
                        (unsigned long long)addr);
}

/*
 * JIT code without names, and a binary's hand-written code: samples near one another are one piece. It begins at the
 * lowest of them, since a sampled address is the start of an instruction, and what lies before may not be.
 */
static void maker_add_piece(struct maker *maker, const struct generated *places, size_t count)
{
    bool is_new;
    uint32_t first = places[0].location;
    const struct location *where = &maker->recording->samples.locations[first];
    uint64_t key = hash_combine(hash_u64(where->dso), places[0].addr);
    uint32_t at = maker_function(maker, key, SYMBOL_NONE, first, &is_new);
    struct bundle_function *function = maker_begin(maker, at, where->dso);
    function->name = piece_name(maker, where->dso, places[0].addr);
    function->dso_addr = function->shown_addr = places[0].addr;
    function->size_bytes = places[count - 1].addr - places[0].addr + PIECE_END;
    for (size_t place = 0; place < count; place++) {
        maker->function_of[places[place].location] = at;
        maker->function_hits.items[at] += maker->hits[places[place].location];
    }
}

static void maker_add_generated(struct maker *maker)
{
    const struct samples *samples = &maker->recording->samples;
    vec(struct generated) places = {0};
    for (uint32_t at = 0; at < samples->location_count; at++) {
        const struct location *where = &samples->locations[at];
        enum dso_kind kind = dso_kind_of(maker, where->dso);
        if (maker->function_of[at] == UINT32_MAX && maker->hits[at] && (kind == DSO_ANONYMOUS || kind == DSO_FILE))
            *vec_push(&places) = (struct generated){where->dso, where->dso_addr, at};
    }
    if (places.count)
        qsort(places.items, places.count, sizeof(*places.items), generated_compare);
    for (size_t first = 0; first < places.count;) {
        size_t end = first + 1;
        while (end < places.count && places.items[end].dso == places.items[first].dso &&
               places.items[end].addr - places.items[end - 1].addr < PIECE_GAP)
            end++;
        maker_add_piece(maker, places.items + first, end - first);
        first = end;
    }
    vec_done(&places);
}

static void maker_add_lines(struct maker *maker, size_t at)
{
    vec(struct bundle_line) lines = {0};
    const struct samples *samples = &maker->recording->samples;
    struct bundle_function *function = &maker->functions.items[at];
    for (size_t location = 0; location < samples->location_count; location++) {
        if (maker->function_of[location] != at)
            continue;
        /* The stalled instruction is the one before the sampled address: its line is found by that. */
        for (uint64_t back = 0; back < 2; back++) {
            uint64_t addr = samples->locations[location].dso_addr;
            if (addr < function->dso_addr + back)
                continue;
            struct source_line chain[8];
            size_t depth = symboliser_lines_at(maker->symboliser, samples->locations[location].dso, addr - back,
                                               chain, array_count(chain));
            if (!depth || !chain[0].path)
                continue;
            *vec_push(&lines) = (struct bundle_line){
                .dso_addr = addr - back,
                .path = arena_string(maker->arena, chain[0].path),
                .line = chain[0].line,
                .function = depth > 1 && chain[0].function ? arena_string(maker->arena, chain[0].function) : NULL,
            };
        }
    }
    if (lines.count)
        qsort(lines.items, lines.count, sizeof(*lines.items), line_compare);
    function->line_count = lines.count;
    function->lines = arena_copy(maker->arena, lines.items ? lines.items : (struct bundle_line *)"",
                                 lines.count * sizeof(*lines.items));
    vec_done(&lines);
}

static void maker_add_bytes(struct maker *maker, size_t at)
{
    struct bundle_function *function = &maker->functions.items[at];
    struct code code;
    struct error ignored;
    uint32_t id = maker->symbol_ids.items[at], location = maker->some_location.items[at];
    uint64_t into = maker->recording->samples.locations[location].dso_addr - function->dso_addr;
    bool read = id != SYMBOL_NONE
                    ? symboliser_code(maker->symboliser, id, &code, &ignored)
                    : symboliser_code_around(maker->symboliser, location, into, function->size_bytes - into, &code,
                                             &ignored);
    if (read && code.dso_addr == function->dso_addr) {
        function->shown_addr = code.shown_addr;
        function->byte_count = code.size_bytes < CODE_BYTES_MOST ? code.size_bytes : CODE_BYTES_MOST;
        function->bytes = arena_copy(maker->arena, code.bytes, function->byte_count);
    }
}

/*
 * The lowest place shortly before the piece that a jump in it leads to: its loop begins there. Or where it begins now.
 */
static uint64_t earliest_target(const struct maker *maker, const struct bundle_function *piece)
{
    struct disassembler *disassembler;
    struct error ignored;
    uint64_t earliest = piece->shown_addr;
    if (!piece->bytes || !disassembler_new(&disassembler, maker->recording->architecture, SYNTAX_ATT, &ignored))
        return earliest;
    struct instruction row;
    for (size_t into = 0; into < piece->byte_count; into += row.length) {
        if (!disassembler_next(disassembler, piece->bytes + into, piece->byte_count - into, piece->shown_addr + into,
                               &row) ||
            !row.length)
            break;
        bool jumps = row.has_target && (row.class == INSTRUCTION_BRANCH || row.class == INSTRUCTION_JUMP);
        if (jumps && row.target < earliest && piece->shown_addr - row.target < PIECE_GAP)
            earliest = row.target;
        if (row.class == INSTRUCTION_RETURN)
            break;
    }
    disassembler_free(disassembler);
    return earliest;
}

/* Whether another function reaches into what lies between an address and the piece. */
static bool is_held(const struct maker *maker, const struct bundle_function *piece, uint64_t dso_addr)
{
    vec_for_each (&maker->functions, other)
        if (other != piece && other->dso_addr < piece->dso_addr && other->dso_addr + other->size_bytes > dso_addr &&
            owner_compare(other, piece) == 0)
            return true;
    return false;
}

/*
 * A piece begins at its lowest sample. Where no sample falls on a loop's first instruction (it retires along), the way
 * back tells of it.
 */
static void maker_extend_piece(struct maker *maker, size_t at)
{
    struct bundle_function *piece = &maker->functions.items[at];
    uint64_t earliest = earliest_target(maker, piece), back = piece->shown_addr - earliest;
    if (!back || is_held(maker, piece, piece->dso_addr - back))
        return;
    struct bundle_function before = *piece;
    piece->dso_addr -= back;
    piece->shown_addr -= back;
    piece->size_bytes += back;
    piece->bytes = NULL;
    maker_add_bytes(maker, at);
    if (!piece->bytes)
        *piece = before;
    else
        piece->name =
            piece_name(maker, maker->recording->samples.locations[maker->some_location.items[at]].dso, piece->dso_addr);
}

static void maker_add_code(struct maker *maker, size_t at)
{
    struct bundle_function *function = &maker->functions.items[at];
    uint32_t location = maker->some_location.items[at];
    maker_add_bytes(maker, at);
    uint64_t start, size_bytes;
    if (maker->symbol_ids.items[at] == SYMBOL_NONE && !function->is_kernel &&
        !symboliser_bounds(maker->symboliser, location, &start, &size_bytes))
        maker_extend_piece(maker, at);
    const char *producer = symboliser_producer(maker->symboliser, location);
    function->producer = producer ? arena_string(maker->arena, producer) : NULL;
    maker_add_lines(maker, at);
}

/* ---- lines of callers ---- */

enum { CALLER_FRAMES = 24 }; /* of a stack: the kernel's, the C library's and some callers */

struct wanted_line {
    uint32_t function, location;
    bool is_call; /* it is where a call returns to, which may be the next line's */
};

static int wanted_compare(const void *a, const void *b)
{
    const struct wanted_line *left = a, *right = b;
    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    return (left->location > right->location) - (left->location < right->location);
}

/* Its stacks were copied, and tell more than frame pointers do. */
static bool has_copied_stacks(const struct recorded_event *event)
{
    return recorded_event_is_switch(event) || event->counts_again;
}

/* Frames of threads that left their CPU or were sampled with their stack, in functions whose lines aren't kept yet. */
static struct wanted_line *wanted_lines(const struct maker *maker, size_t *ret_count)
{
    const struct samples *samples = &maker->recording->samples;
    vec(struct wanted_line) wanted = {0};
    scoped_free bool *seen = memory_alloc(samples->stack_count + 1), *taken = memory_alloc(samples->location_count + 1);
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (sample->stack == STACK_NONE || seen[sample->stack] ||
            !has_copied_stacks(&maker->recording->events[sample->event]))
            continue;
        seen[sample->stack] = true;
        const struct stack *stack = &samples->stacks[sample->stack];
        bool is_call = false; /* the innermost of the program is where it stood, be it in a fault */
        for (uint32_t depth = 0; depth < stack->count && depth < CALLER_FRAMES; depth++) {
            uint32_t location = samples->frames[stack->first + depth], function = maker->function_of[location];
            bool is_new = function != UINT32_MAX && !taken[location] && !maker->functions.items[function].line_count &&
                          samples->locations[location].cpu_mode == CPU_MODE_USER;
            taken[location] = true;
            if (is_new)
                *vec_push(&wanted) = (struct wanted_line){function, location, is_call};
            is_call |= samples->locations[location].cpu_mode == CPU_MODE_USER;
        }
    }
    *ret_count = wanted.count;
    return wanted.items;
}

/* Headers of the system are compiled into a program, too: "condition_variable:102" is nobody's own line. */
static size_t own_line(const struct source_line *chain, size_t depth)
{
    for (size_t at = 0; at < depth; at++)
        if (chain[at].path && strncmp(chain[at].path, "/usr/include/", strlen("/usr/include/")) != 0 &&
            strncmp(chain[at].path, "/usr/lib/", strlen("/usr/lib/")) != 0)
            return at;
    return 0;
}

static bool line_at(const struct maker *maker, uint32_t location, bool is_call, struct bundle_line *ret_line)
{
    struct source_line chain[8];
    const struct location *where = &maker->recording->samples.locations[location];
    size_t depth =
        symboliser_lines_at(maker->symboliser, where->dso, where->dso_addr - is_call, chain, array_count(chain));
    size_t own = own_line(chain, depth);
    if (!depth || !chain[own].path)
        return false;
    *ret_line = (struct bundle_line){
        .dso_addr = where->dso_addr,
        .path = arena_string(maker->arena, chain[own].path),
        .line = chain[own].line,
        .function = own + 1 < depth && chain[own].function ? arena_string(maker->arena, chain[own].function) : NULL,
    };
    return true;
}

static void maker_add_caller_lines(struct maker *maker)
{
    size_t count;
    scoped_free struct wanted_line *wanted = wanted_lines(maker, &count);
    if (count)
        qsort(wanted, count, sizeof(*wanted), wanted_compare);
    for (size_t first = 0, end; first < count; first = end) {
        struct bundle_function *function = &maker->functions.items[wanted[first].function];
        for (end = first + 1; end < count && wanted[end].function == wanted[first].function;)
            end++;
        function->lines = arena_array(maker->arena, struct bundle_line, end - first);
        for (size_t at = first; at < end; at++)
            function->line_count +=
                line_at(maker, wanted[at].location, wanted[at].is_call, &function->lines[function->line_count]);
        qsort(function->lines, function->line_count, sizeof(*function->lines), line_compare);
    }
}

/* ---- functions without a name ---- */

/* Of the samples, in it or in what it calls: smaller ones are in no sentence. */
static const double REMARKED_LEAST = 0.02;

/* By function: samples whose stack it is on, at least once. Owner: the caller (free). */
static uint64_t *hits_with_callees(const struct maker *maker)
{
    const struct samples *samples = &maker->recording->samples;
    size_t count = maker->functions.count;
    uint64_t *hits = memory_alloc((count + 1) * sizeof(*hits));
    scoped_free uint64_t *stacks = memory_alloc((samples->stack_count + 1) * sizeof(*stacks));
    /* the stack that a function was met on last, counted from 1 */
    scoped_free uint32_t *met = memory_alloc((count + 1) * sizeof(*met));
    memcpy(hits, maker->function_hits.items ? maker->function_hits.items : (uint64_t *)"", count * sizeof(*hits));
    memset(stacks, 0, (samples->stack_count + 1) * sizeof(*stacks));
    memset(met, 0, (count + 1) * sizeof(*met));
    for (size_t at = 0; at < samples->count; at++)
        if (samples->items[at].stack < samples->stack_count)
            stacks[samples->items[at].stack]++;
    for (uint32_t at = 0; at < samples->stack_count; at++) {
        for (uint32_t depth = 1; stacks[at] && depth < samples->stacks[at].count; depth++) {
            uint32_t function = maker->function_of[samples->frames[samples->stacks[at].first + depth]];
            if (function == UINT32_MAX || met[function] == at + 1)
                continue;
            met[function] = at + 1;
            hits[function] += stacks[at];
        }
    }
    return hits;
}

/* What compilers call it where symbols tell: "m4+0xefb0.cold", of "m4+0xefb0" or of the function that has its name. */
static const char *set_apart_name(const struct maker *maker, uint32_t dso, uint64_t whole)
{
    vec_for_each (&maker->functions, function)
        if (function->is_named && function->dso_addr == whole &&
            strcmp(function->dso, dso_path(maker->recording, dso)) == 0)
            return arena_printf(maker->arena, "%s.cold", function->name);
    return arena_printf(maker->arena, "%s.cold", piece_name(maker, dso, whole));
}

/* "m4+0x4c20 (refers to "bad symbol type in call_macro")": what it tells of itself stands behind its place. */
static void maker_add_remarks(struct maker *maker)
{
    scoped_free uint64_t *hits = hits_with_callees(maker);
    struct function_remarks *remarks = function_remarks_new(maker->symboliser, maker->recording);
    for (size_t at = 0; remarks && at < maker->functions.count; at++) {
        struct bundle_function *function = &maker->functions.items[at];
        uint32_t dso = maker->recording->samples.locations[maker->some_location.items[at]].dso;
        size_t used = text_columns(function->name) + strlen(" ()");
        bool is_told = !function->is_named && !function->is_kernel && hits[at] &&
                       (double)hits[at] >= REMARKED_LEAST * (double)maker->recording->samples.count;
        if (!is_told || dso == DSO_NONE)
            continue;
        uint64_t whole;
        if (function_set_apart_from(remarks, dso, function->dso_addr, function->size_bytes, &whole)) {
            function->name = set_apart_name(maker, dso, whole);
            continue;
        }
        size_t columns = used + REMARK_LEAST < REMARKED_NAME_MOST ? REMARKED_NAME_MOST - used : REMARK_LEAST;
        const char *remark =
            function_remark(remarks, dso, function->dso_addr, function->size_bytes, columns, maker->arena);
        if (remark)
            function->name = arena_printf(maker->arena, "%s (%s)", function->name, remark);
        function->is_told = remark != NULL;
    }
    function_remarks_free(remarks);
}

struct small_function {
    uint64_t hits;
    size_t at;
};

static int small_compare(const void *a, const void *b)
{
    const struct small_function *left = a, *right = b;
    if (left->hits != right->hits)
        return left->hits < right->hits ? 1 : -1;
    return (left->at > right->at) - (left->at < right->at);
}

/* Thousands of functions that hold little each may hold all of it together: their instructions, without lines. */
static void maker_add_small(struct maker *maker, double least)
{
    vec(struct small_function) small = {0};
    for (size_t at = 0; at < maker->functions.count; at++) {
        uint64_t hits = maker->function_hits.items[at];
        if (hits && (double)hits < least && !maker->functions.items[at].is_kernel)
            *vec_push(&small) = (struct small_function){hits, at};
    }
    if (small.count)
        qsort(small.items, small.count, sizeof(*small.items), small_compare);
    uint64_t bytes = 0;
    for (size_t at = 0; at < small.count; at++) {
        uint64_t size = maker->functions.items[small.items[at].at].size_bytes;
        if (size > SMALL_CODE_BYTES_MOST - bytes)
            continue;
        bytes += size;
        maker_add_bytes(maker, small.items[at].at);
    }
    vec_done(&small);
}

/* Names that are missing in files with less of the samples change no verdict. */
static const double UNNAMED_LEAST = 0.01;

static void maker_add_complaints(struct maker *maker, struct code_bundle *bundle)
{
    bundle->complaints = arena_array(maker->arena, const char *, COMPLAINTS_MOST);
    struct libdw libdw;
    struct error missing = {0};
    if (!libdw_load(&libdw, &missing))
        bundle->complaints[bundle->complaint_count++] =
            arena_printf(maker->arena, "%s (%s)", missing.message, missing.hint);
    const struct samples *samples = &maker->recording->samples;
    size_t dso_count = maker->recording->spaces.dso_count;
    scoped_free uint64_t *unnamed = memory_alloc((dso_count + 1) * sizeof(*unnamed));
    memset(unnamed, 0, (dso_count + 1) * sizeof(*unnamed));
    for (size_t at = 0; at < samples->location_count; at++) {
        uint32_t function = maker->function_of[at];
        if (function == UINT32_MAX || !maker->functions.items[function].is_named)
            unnamed[samples->locations[at].dso] += maker->hits[at];
    }
    for (size_t dso = 0; dso < dso_count; dso++) {
        bool matters = (double)unnamed[dso] >= UNNAMED_LEAST * (double)samples->count && unnamed[dso];
        const char *complaint = matters ? symboliser_complaint(maker->symboliser, (uint32_t)dso) : NULL;
        if (!complaint || bundle->complaint_count >= COMPLAINTS_MOST)
            continue;
        const char *name = strings_text(&maker->recording->strings, maker->recording->spaces.dsos[dso].name);
        double percent = 100 * (double)unnamed[dso] / (double)samples->count;
        bundle->complaints[bundle->complaint_count++] =
            strstr(complaint, name)
                ? arena_printf(maker->arena, "%.0f %% of the samples: %s", percent, complaint)
                : arena_printf(maker->arena, "%.0f %% of the samples: %s: %s", percent, name, complaint);
    }
}

void code_bundle_make(struct code_bundle *bundle, const struct recording *recording, struct symboliser *symboliser,
                      double least_share, struct arena *arena)
{
    size_t locations = recording->samples.location_count;
    struct maker maker = {.recording = recording, .symboliser = symboliser, .arena = arena};
    maker.function_of = memory_alloc(memory_product(locations + 1, sizeof(*maker.function_of)));
    maker.hits = memory_alloc(memory_product(locations + 1, sizeof(*maker.hits)));
    memset(maker.hits, 0, (locations + 1) * sizeof(*maker.hits));
    maker_count(&maker);
    for (size_t at = 0; at < locations; at++)
        maker_add_symbol(&maker, (uint32_t)at);
    maker_add_generated(&maker);
    double least = least_share * (double)recording->samples.count;
    for (size_t at = 0; at < maker.functions.count; at++)
        if (maker.function_hits.items[at] && (double)maker.function_hits.items[at] >= least)
            maker_add_code(&maker, at);
    maker_add_caller_lines(&maker);
    maker_add_small(&maker, least);
    maker_add_remarks(&maker);
    *bundle = (struct code_bundle){.architecture = arena_string(arena, recording->architecture), .has_owners = true};
    maker_add_complaints(&maker, bundle);
    bundle->count = maker.functions.count;
    bundle->functions = arena_array(arena, struct bundle_function, bundle->count + 1);
    if (bundle->count) {
        memcpy(bundle->functions, maker.functions.items, bundle->count * sizeof(*bundle->functions));
        qsort(bundle->functions, bundle->count, sizeof(*bundle->functions), function_compare);
    }
    free(maker.function_of);
    free(maker.hits);
    hashmap_done(&maker.by_symbol);
    vec_done(&maker.functions);
    vec_done(&maker.symbol_ids);
    vec_done(&maker.function_hits);
    vec_done(&maker.some_location);
}

/* ---- JSON ---- */

static void json_hex(struct json_writer *json, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "0x%llx", (unsigned long long)value);
    json_string(json, key, digits);
}

static void write_bytes(struct json_writer *json, const char *key, const uint8_t *bytes, size_t count)
{
    scoped_text struct text hex = {0};
    for (size_t at = 0; at < count; at++) {
        text_add_char(&hex, "0123456789abcdef"[bytes[at] >> 4]);
        text_add_char(&hex, "0123456789abcdef"[bytes[at] & 15]);
    }
    json_string(json, key, text_string(&hex));
}

static void write_function(struct json_writer *json, const struct bundle_function *function)
{
    json_object_open(json, NULL);
    json_string(json, "dso", function->dso);
    json_string(json, "name", function->name);
    json_hex(json, "address", function->dso_addr);
    json_u64(json, "size", function->size_bytes);
    json_hex(json, "shown", function->shown_addr);
    if (function->is_kernel)
        json_bool(json, "kernel", true);
    if (!function->is_named)
        json_bool(json, "unnamed", true);
    if (function->is_told)
        json_bool(json, "told", true);
    if (function->build_id.size_bytes)
        write_bytes(json, "build_id", function->build_id.bytes, function->build_id.size_bytes);
    if (function->owner_pid)
        json_u64(json, "pid", function->owner_pid);
    if (function->bytes)
        write_bytes(json, "bytes", function->bytes, function->byte_count);
    if (function->producer)
        json_string(json, "producer", function->producer);
    if (function->line_count) {
        json_array_open(json, "lines");
        for (size_t at = 0; at < function->line_count; at++) {
            const struct bundle_line *line = &function->lines[at];
            json_object_open(json, NULL);
            json_hex(json, "address", line->dso_addr);
            json_string(json, "path", line->path);
            json_u64(json, "line", line->line);
            if (line->function)
                json_string(json, "inlined", line->function);
            json_object_close(json);
        }
        json_array_close(json);
    }
    json_object_close(json);
}

void code_bundle_write(const struct code_bundle *bundle, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", SCHEMA);
    json_string(&json, "architecture", bundle->architecture);
    json_array_open(&json, "functions");
    for (size_t at = 0; at < bundle->count; at++)
        write_function(&json, &bundle->functions[at]);
    json_array_close(&json);
    json_array_open(&json, "complaints");
    for (size_t at = 0; at < bundle->complaint_count; at++)
        json_string(&json, NULL, bundle->complaints[at]);
    json_array_close(&json);
    json_object_close(&json);
}

/* Pairs of hexadecimal digits into bytes, which has room for half as many. */
static bool read_bytes(const char *hex, uint8_t *bytes)
{
    size_t digits = strlen(hex);
    if (digits % 2)
        return false;
    for (size_t at = 0; at < digits; at += 2) {
        uint64_t byte;
        if (!view_u64((struct view){hex + at, 1}, 16, &byte))
            return false;
        uint64_t low;
        if (!view_u64((struct view){hex + at + 1, 1}, 16, &low))
            return false;
        bytes[at / 2] = (uint8_t)(byte << 4 | low);
    }
    return true;
}

static bool read_owner(struct bundle_function *function, struct json_value value)
{
    const char *build_id = json_text_or(json_member(value, "build_id"), "");
    uint64_t pid = json_unsigned_or(json_member(value, "pid"), 0);
    size_t size = strlen(build_id) / 2;
    if (size > sizeof(function->build_id.bytes) || pid > UINT32_MAX)
        return false;
    function->build_id.size_bytes = (uint8_t)size;
    function->owner_pid = (uint32_t)pid;
    return read_bytes(build_id, function->build_id.bytes);
}

static bool read_code(struct bundle_function *function, struct json_value value, struct arena *arena)
{
    const char *hex = json_text_or(json_member(value, "bytes"), NULL);
    if (!hex)
        return true;
    function->byte_count = strlen(hex) / 2;
    uint8_t *bytes = arena_alloc(arena, function->byte_count + 1);
    function->bytes = bytes;
    return read_bytes(hex, bytes);
}

static bool read_function(struct bundle_function *function, struct json_value value, struct arena *arena)
{
    const char *dso = json_text_or(json_member(value, "dso"), NULL);
    const char *name = json_text_or(json_member(value, "name"), NULL);
    if (!dso || !name || !json_unsigned(json_member(value, "address"), &function->dso_addr) ||
        !json_unsigned(json_member(value, "size"), &function->size_bytes))
        return false;
    function->dso = arena_string(arena, dso);
    function->name = arena_string(arena, name);
    function->shown_addr = json_unsigned_or(json_member(value, "shown"), function->dso_addr);
    function->is_named = !json_truth_or(json_member(value, "unnamed"), false);
    function->is_told = json_truth_or(json_member(value, "told"), false);
    function->is_kernel = json_truth_or(json_member(value, "kernel"), false);
    const char *producer = json_text_or(json_member(value, "producer"), NULL);
    function->producer = producer ? arena_string(arena, producer) : NULL;
    if (!read_owner(function, value) || !read_code(function, value, arena))
        return false;
    struct json_value lines = json_member(value, "lines");
    function->lines = arena_array(arena, struct bundle_line, json_count(lines) + 1);
    for (size_t at = 0; at < json_count(lines); at++) {
        struct json_value item = json_item(lines, at);
        struct bundle_line *line = &function->lines[function->line_count];
        const char *path = json_text_or(json_member(item, "path"), NULL);
        const char *inlined = json_text_or(json_member(item, "inlined"), NULL);
        if (!path || !json_unsigned(json_member(item, "address"), &line->dso_addr))
            return false;
        line->path = arena_string(arena, path);
        line->line = (uint32_t)json_unsigned_or(json_member(item, "line"), 0);
        line->function = inlined ? arena_string(arena, inlined) : NULL;
        function->line_count++;
    }
    qsort(function->lines, function->line_count, sizeof(*function->lines), line_compare);
    return true;
}

bool code_bundle_read(struct code_bundle *bundle, struct json_value root, struct arena *arena, struct error *err)
{
    struct json_value functions = json_member(root, "functions");
    if (!json_is_list(functions))
        return error_set(err, ERROR_FORMAT, "no list 'functions'");
    *bundle = (struct code_bundle){
        .architecture = arena_string(arena, json_text_or(json_member(root, "architecture"), "x86_64")),
        .has_owners = json_unsigned_or(json_member(root, "schema"), 1) >= SCHEMA,
        .functions = arena_array(arena, struct bundle_function, json_count(functions) + 1),
    };
    for (size_t at = 0; at < json_count(functions); at++)
        if (!read_function(&bundle->functions[bundle->count++], json_item(functions, at), arena))
            return error_set(err, ERROR_FORMAT, "function %zu lacks a name or an address, or has broken bytes", at);
    qsort(bundle->functions, bundle->count, sizeof(*bundle->functions), function_compare);
    struct json_value complaints = json_member(root, "complaints");
    bundle->complaints = arena_array(arena, const char *, json_count(complaints) + 1);
    for (size_t at = 0; at < json_count(complaints); at++)
        bundle->complaints[bundle->complaint_count++] =
            arena_string(arena, json_text_or(json_item(complaints, at), ""));
    return true;
}

/* ---- lookup ---- */

static const struct bundle_function *function_holding(const struct code_bundle *bundle,
                                                      const struct bundle_function *key)
{
    size_t low = partition_point(bundle->functions, bundle->count, function_compare(item, key) <= 0);
    if (!low)
        return NULL;
    const struct bundle_function *function = &bundle->functions[low - 1];
    bool holds = owner_compare(function, key) == 0 && key->dso_addr - function->dso_addr < function->size_bytes;
    return holds ? function : NULL;
}

const struct bundle_function *code_bundle_find(const struct code_bundle *bundle, const struct recording *recording,
                                               uint32_t location)
{
    if (location >= recording->samples.location_count)
        return NULL;
    const struct location *place = &recording->samples.locations[location];
    struct bundle_function key = function_in(recording, place->dso);
    key.dso_addr = place->dso_addr;
    const struct bundle_function *found = function_holding(bundle, &key);
    if (found || bundle->has_owners)
        return found;
    key.build_id = (struct build_id){0};
    key.owner_pid = 0;
    return function_holding(bundle, &key);
}

bool bundle_functions_share_addresses(const struct bundle_function *one, const struct bundle_function *other)
{
    if (one->is_kernel || other->is_kernel)
        return one->is_kernel && other->is_kernel;
    if (one->owner_pid || other->owner_pid)
        return one->owner_pid == other->owner_pid;
    return strcmp(one->dso, other->dso) == 0 && one->build_id.size_bytes == other->build_id.size_bytes &&
           memcmp(one->build_id.bytes, other->build_id.bytes, one->build_id.size_bytes) == 0;
}

const char *bundle_name_at(void *context, uint64_t addr, uint64_t *ret_offset)
{
    const struct bundle_place *place = context;
    for (size_t at = 0; at < place->bundle->count; at++) {
        const struct bundle_function *function = &place->bundle->functions[at];
        if (!function->shown_addr || addr - function->shown_addr >= function->size_bytes ||
            !bundle_functions_share_addresses(place->from, function))
            continue;
        *ret_offset = addr - function->shown_addr;
        return function->name;
    }
    return NULL;
}

const struct bundle_line *bundle_function_line(const struct bundle_function *function, uint64_t dso_addr,
                                               uint64_t size_bytes)
{
    for (size_t at = 0; at < function->line_count; at++)
        if (function->lines[at].dso_addr - dso_addr < size_bytes)
            return &function->lines[at];
    return NULL;
}
