/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do the addresses of a recording mean to a reader? Locations become places: a function (or an inlined
 * one, or a bare address) of a dso. Each location is named once; equal places have equal ids.
 */
#ifndef PLUMB_ANALYSE_PROFILE_PLACES_H
#define PLUMB_ANALYSE_PROFILE_PLACES_H

#include "base/hashmap.h"
#include "base/text.h"
#include "model/recording.h"
#include "symbol/symboliser.h"

#define PLACE_NONE UINT32_MAX

struct place {
    const char *dso;      /* as reports show it: "libc.so.6", "[kernel.kallsyms]" */
    const char *dso_path; /* as recorded */
    const char *symbol;   /* NULL: nothing names the address */
    const char *line;     /* "file.c:12", or NULL when not asked for */
    uint64_t addr;        /* within the dso: of the symbol, or the nameless address itself */
    uint64_t runtime_addr; /* where one of its samples was */
    uint64_t apart_addr;  /* within the dso, where options.addresses tells instructions apart; else 0 */
    uint32_t symbol_id;   /* SYMBOL_NONE without one */
    uint32_t dso_id;      /* one of those it was seen in */
    char level;           /* '.' user, 'k' kernel, 'g' guest kernel, 'u' guest user, 'H' hypervisor */
    bool is_inlined;
    bool is_mapped;       /* something was mapped at the address */
};

/* What is said instead of a source line that nobody knows. */
enum unknown_line {
    UNKNOWN_LINE_OFFSET,  /* "function+16" */
    UNKNOWN_LINE_ADDRESS, /* "dso[1a2b]"; nothing where nothing is mapped */
    UNKNOWN_LINE_NONE,
};

struct places_options {
    bool inlines; /* frames of inlined functions count as frames */
    bool lines;   /* tell source lines apart */
    enum unknown_line unknown_lines;
    bool whole_paths; /* of source files, not their names alone */
    bool addresses; /* tell instructions apart */
    bool kernel_bare; /* addresses in the kernel stay bare, for who shows no symbols: its table takes long to read */
};

struct place_span {
    uint32_t first, count; /* into frames; count 0: not yet named */
};

struct places {
    struct place *items;
    size_t count, capacity;
    struct hashmap map;
    struct place_span *spans; /* by location */
    size_t span_count, span_capacity;
    uint32_t *frames;
    size_t frame_count, frame_capacity;
    struct strings texts;
    struct recording *recording;
    struct symboliser *symboliser;
    struct places_options options;
};

/* symboliser NULL: addresses stay bare. */
void places_init(struct places *places, struct recording *recording, struct symboliser *symboliser,
                 struct places_options options);
void places_done(struct places *places);
/* The function that holds the location. LOCATION_NONE gives a nameless place. */
uint32_t places_of(struct places *places, uint32_t location);
/* The same where it was asked for before, else PLACE_NONE. */
uint32_t places_known(const struct places *places, uint32_t location);
/* That function itself. Valid until the next location is named: items move as they grow. */
const struct place *places_at(struct places *places, uint32_t location);
/* The location's frames, innermost first: inlined functions, then the function. Valid until the next call. */
size_t places_frames(struct places *places, uint32_t location, const uint32_t **ret_frames);
/*
 * How many of a stack's locations, leaf first, are code: at its end an unwinder that lost its way names words of the
 * stack, the heap or no mapping at all, which are nobody's caller. At least `least`.
 */
size_t stack_code_count(const struct recording *recording, const uint32_t *locations, size_t count, size_t least);
/* What a frame of a stack is called: its symbol, or "[dso]" where nothing names it. */
void place_add_name(struct text *out, const struct place *place);

#endif
