/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/places.h"

#include "base/vec.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

enum {
    INLINES_MOST = 64
};

static const char levels[] = {
    [CPU_MODE_UNKNOWN] = 'H',    [CPU_MODE_KERNEL] = 'k',       [CPU_MODE_USER] = '.',
    [CPU_MODE_HYPERVISOR] = 'H', [CPU_MODE_GUEST_KERNEL] = 'g', [CPU_MODE_GUEST_USER] = 'u',
};

void places_init(struct places *places, struct recording *recording, struct symboliser *symboliser,
                 struct places_options options)
{
    *places = (struct places){.recording = recording, .symboliser = symboliser, .options = options};
    strings_init(&places->texts);
}

void places_done(struct places *places)
{
    vec_done(places);
    hashmap_done(&places->map);
    free(places->spans);
    free(places->frames);
    strings_done(&places->texts);
}

static const char *kept(struct places *places, const char *text)
{
    return strings_text(&places->texts, strings_intern(&places->texts, text));
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool place_equal(const void *context, uint32_t id, const void *key)
{
    const struct places *places = context;
    const struct place *a = &places->items[id], *b = key;
    return a->addr == b->addr && a->apart_addr == b->apart_addr && a->level == b->level &&
           a->is_inlined == b->is_inlined && a->dso == b->dso && same_text(a->dso_path, b->dso_path) &&
           same_text(a->line, b->line) &&
           /* two builds may have been mapped by one path (containers): their functions differ */
           same_text(a->symbol, b->symbol);
}

static uint64_t text_hash(const char *text)
{
    return text ? hash_bytes(text, strlen(text)) : 0;
}

static uint32_t place_intern(struct places *places, struct place *place)
{
    place->dso = kept(places, place->dso);
    uint64_t hash = hash_combine(hash_u64(place->addr ^ place->apart_addr << 1), (uint64_t)(uintptr_t)place->dso);
    hash = hash_combine(hash, text_hash(place->symbol));
    hash = hash_combine(hash, text_hash(place->line));
    uint32_t id = hashmap_find(&places->map, hash, place_equal, places, place);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)places->count;
    *vec_push(places) = *place;
    hashmap_add(&places->map, hash, id);
    return id;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "file.c:12", or what can be said instead: "function+16", "dso[1a2b]". */
static const char *line_text(struct places *places, const struct place *place, const struct source_line *line,
                             uint64_t dso_addr)
{
    char text[PATH_MAX + 16];
    if (line && line->path && line->line)
        snprintf(text, sizeof(text), "%s:%u", places->options.whole_paths ? line->path : last_part(line->path),
                 line->line);
    else if (places->options.unknown_lines == UNKNOWN_LINE_NONE ||
             (places->options.unknown_lines == UNKNOWN_LINE_ADDRESS && !place->is_mapped))
        return NULL;
    else if (place->symbol && places->options.unknown_lines == UNKNOWN_LINE_OFFSET)
        snprintf(text, sizeof(text), "%s+%" PRIu64, place->symbol, dso_addr - place->addr);
    else
        snprintf(text, sizeof(text), "%s[%" PRIx64 "]", place->dso, dso_addr);
    return kept(places, text);
}

static void add_frame(struct places *places, struct place_span *span, uint32_t place)
{
    places->frames = vec_reserve_bytes(places->frames, &places->frame_capacity, places->frame_count + 1,
                                       sizeof(*places->frames));
    places->frames[places->frame_count++] = place;
    span->count++;
}

static uint32_t symbol_of_location(const struct places *places, uint32_t location)
{
    bool stays_bare =
        places->options.kernel_bare && places->recording->samples.locations[location].cpu_mode == CPU_MODE_KERNEL;
    return places->symboliser && !stays_bare ? symboliser_symbol_id(places->symboliser, location) : SYMBOL_NONE;
}

static struct place place_of_location(struct places *places, uint32_t location)
{
    struct recording *recording = places->recording;
    const struct location *at = &recording->samples.locations[location];
    const struct dso *dso = &recording->spaces.dsos[at->dso];
    struct place place = {
        .dso = strings_text(&recording->strings, dso->name),
        .dso_path = strings_text(&recording->strings, dso->path),
        .addr = at->dso_addr,
        .runtime_addr = at->runtime_addr,
        .apart_addr = places->options.addresses ? at->dso_addr : 0,
        .symbol_id = symbol_of_location(places, location),
        .dso_id = at->dso,
        .is_mapped = dso->kind != DSO_UNKNOWN,
        .level = levels[at->cpu_mode],
    };
    if (place.symbol_id != SYMBOL_NONE) {
        const struct symbol *symbol = symboliser_symbol(places->symboliser, place.symbol_id);
        place.symbol = symbol->name;
        place.addr = symbol->dso_addr;
    }
    return place;
}

/* Lines, or their functions alone when nobody asked for more. */
static size_t lines_of(struct places *places, uint32_t location, struct source_line lines[INLINES_MOST])
{
    const char *functions[INLINES_MOST];
    if (places->options.lines && !places->options.inlines)
        return symboliser_line(places->symboliser, location, &lines[0]);
    if (places->options.lines)
        return symboliser_lines(places->symboliser, location, lines, INLINES_MOST);
    size_t count =
        places->options.inlines ? symboliser_functions(places->symboliser, location, functions, INLINES_MOST) : 0;
    for (size_t at = 0; at < count; at++)
        lines[at] = (struct source_line){.function = functions[at]};
    return count;
}

/* Name a location: inlined functions first, then the function that holds it, which is the span's last. */
static struct place_span span_of(struct places *places, uint32_t location)
{
    struct place_span span = {.first = (uint32_t)places->frame_count};
    struct place place = place_of_location(places, location);
    uint64_t dso_addr = places->recording->samples.locations[location].dso_addr;
    struct source_line lines[INLINES_MOST];
    size_t count = place.symbol && place.level == '.' ? lines_of(places, location, lines) : 0;
    for (size_t at = 0; places->options.inlines && at + 1 < count; at++) {
        struct place inlined = place;
        inlined.is_inlined = true;
        inlined.symbol = kept(places, lines[at].function ? lines[at].function : "[inlined]");
        inlined.line = places->options.lines ? line_text(places, &inlined, &lines[at], dso_addr) : NULL;
        add_frame(places, &span, place_intern(places, &inlined));
    }
    if (places->options.lines)
        place.line = line_text(places, &place, count ? &lines[0] : NULL, dso_addr);
    add_frame(places, &span, place_intern(places, &place));
    return span;
}

static const struct place_span *span_at(struct places *places, uint32_t location)
{
    size_t needed = places->recording->samples.location_count;
    if (places->span_count < needed) {
        places->spans = vec_reserve_bytes(places->spans, &places->span_capacity, needed, sizeof(*places->spans));
        memset(places->spans + places->span_count, 0, (needed - places->span_count) * sizeof(*places->spans));
        places->span_count = needed;
    }
    if (!places->spans[location].count)
        places->spans[location] = span_of(places, location);
    return &places->spans[location];
}

uint32_t places_of(struct places *places, uint32_t location)
{
    if (location == LOCATION_NONE) {
        struct place nowhere = {
            .dso = "[unknown]", .dso_path = "", .symbol_id = SYMBOL_NONE, .dso_id = DSO_NONE, .level = '.'};
        return place_intern(places, &nowhere);
    }
    const struct place_span *span = span_at(places, location);
    return places->frames[span->first + span->count - 1];
}

uint32_t places_known(const struct places *places, uint32_t location)
{
    if (location >= places->span_count || !places->spans[location].count)
        return PLACE_NONE;
    return places->frames[places->spans[location].first + places->spans[location].count - 1];
}

const struct place *places_at(struct places *places, uint32_t location)
{
    uint32_t place = places_of(places, location); /* may move the items */
    return &places->items[place];
}

size_t places_frames(struct places *places, uint32_t location, const uint32_t **ret_frames)
{
    const struct place_span *span = span_at(places, location);
    *ret_frames = places->frames + span->first;
    return span->count;
}

void place_add_name(struct text *out, const struct place *place)
{
    if (place->symbol)
        text_add(out, place->symbol);
    else
        text_printf(out, place->dso && place->dso[0] == '[' ? "%s" : "[%s]",
                    place->dso && place->dso[0] ? place->dso : "unknown");
}

/*
 * Memory that is mapped, but not to be run, and addresses of no mapping. Where protections weren't recorded nothing is
 * known.
 */
static bool is_no_code(const struct recording *recording, uint32_t id)
{
    enum { EXECUTABLE = 4 }; /* PROT_EXEC of mmap(2) */
    const struct location *location = &recording->samples.locations[id];
    if (location->dso == DSO_NONE || recording->spaces.dsos[location->dso].kind == DSO_UNKNOWN)
        return true;
    if (recording->spaces.dsos[location->dso].kind != DSO_ANONYMOUS || location->space >= recording->spaces.count)
        return false;
    const struct mapping *mapping = address_spaces_find(&recording->spaces, location->space, location->runtime_addr);
    return mapping && mapping->dso == location->dso && mapping->protection && !(mapping->protection & EXECUTABLE);
}

size_t stack_code_count(const struct recording *recording, const uint32_t *locations, size_t count, size_t least)
{
    while (count > least && is_no_code(recording, locations[count - 1]))
        count--;
    return count;
}
