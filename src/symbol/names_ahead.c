/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names_ahead.h"

#include "base/vec.h"
#include "base/worker.h"

#include <string.h>

enum {
    LOCATIONS_AT_ONCE = 256, /* worth a thread */
    INLINES_MOST = 64
};

struct names_ahead {
    struct recording known; /* no more than its dsos, locations and what kernel it is of */
    struct symboliser *symboliser;
    struct worker worker;
    size_t named; /* locations that were asked for */
    struct names_wanted wanted;
    bool names_kernel; /* by whom its names are read meanwhile */
};

/* The kernel's names are another's work: who waited for them here would find no others meanwhile. */
static bool is_nameable(const struct recording *recording, const struct dso *dso)
{
    bool is_file =
        dso->kind == DSO_FILE && !view_ends(view_of(strings_text(&recording->strings, dso->path)), " (deleted)");
    return is_file || dso->kind == DSO_VDSO || dso->kind == DSO_ANONYMOUS;
}

static bool is_of_kernel(const struct dso *dso)
{
    return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE;
}

static void name_inlined(struct names_ahead *ahead, uint32_t location)
{
    const char *functions[INLINES_MOST];
    struct source_line lines[INLINES_MOST];
    if (ahead->wanted.lines && ahead->wanted.inlines)
        symboliser_lines(ahead->symboliser, location, lines, INLINES_MOST);
    else if (ahead->wanted.lines)
        symboliser_line(ahead->symboliser, location, lines);
    else if (ahead->wanted.inlines)
        symboliser_functions(ahead->symboliser, location, functions, INLINES_MOST);
}

bool names_ahead_tells(const struct names_ahead *ahead, uint32_t dso)
{
    const struct dso *asked = &ahead->known.spaces.dsos[dso];
    bool is_nameless = asked->kind == DSO_UNKNOWN || asked->kind == DSO_VSYSCALL;
    return is_nameless || (is_of_kernel(asked) && ahead->names_kernel) || is_nameable(&ahead->known, asked);
}

static void name_locations(struct names_ahead *ahead)
{
    const struct recording *known = &ahead->known;
    for (; ahead->named < known->samples.location_count; ahead->named++) {
        const struct location *location = &known->samples.locations[ahead->named];
        if (!is_nameable(known, &known->spaces.dsos[location->dso]))
            continue;
        uint32_t symbol = symboliser_symbol_id(ahead->symboliser, (uint32_t)ahead->named);
        if (symbol != SYMBOL_NONE && location->cpu_mode == CPU_MODE_USER)
            name_inlined(ahead, (uint32_t)ahead->named);
    }
}

static void work(void *context)
{
    struct names_ahead *ahead = context;
    const struct names_follower *follower = ahead->wanted.follower;
    name_locations(ahead);
    if (follower)
        follower->work(follower->context, ahead, &ahead->known, ahead->symboliser);
}

struct names_ahead *names_ahead_begin(const struct symboliser_options *options, struct names_wanted wanted)
{
    struct names_ahead *ahead = memory_alloc(sizeof(*ahead));
    *ahead = (struct names_ahead){.wanted = wanted, .names_kernel = options->kernel_ahead != NULL};
    recording_init(&ahead->known);
    ahead->known.spaces.dso_count = 0;
    struct error ignored = {0};
    if (!symboliser_new(&ahead->symboliser, &ahead->known, options, &ignored))
        ahead->symboliser = NULL;
    return ahead;
}

static void learn_dsos(struct recording *known, const struct recording *recording)
{
    struct address_spaces *spaces = &known->spaces;
    size_t count = recording->spaces.dso_count;
    spaces->dsos = vec_reserve_bytes(spaces->dsos, &spaces->dso_capacity, count, sizeof(*spaces->dsos));
    for (; spaces->dso_count < count; spaces->dso_count++) {
        struct dso dso = recording->spaces.dsos[spaces->dso_count];
        dso.path = strings_intern(&known->strings, strings_text(&recording->strings, dso.path));
        dso.name = strings_intern(&known->strings, strings_text(&recording->strings, dso.name));
        spaces->dsos[spaces->dso_count] = dso;
    }
}

static void learn_locations(struct samples *known, const struct samples *samples)
{
    known->locations = vec_reserve_bytes(known->locations, &known->location_capacity, samples->location_count,
                                         sizeof(*known->locations));
    memcpy(known->locations + known->location_count, samples->locations + known->location_count,
           (samples->location_count - known->location_count) * sizeof(*known->locations));
    known->location_count = samples->location_count;
}

static void learn_stacks(struct samples *known, const struct samples *samples)
{
    size_t stacks = samples->stack_count, frames = samples->frame_count;
    known->stacks = vec_reserve_bytes(known->stacks, &known->stack_capacity, stacks, sizeof(*known->stacks));
    known->frames = vec_reserve_bytes(known->frames, &known->frame_capacity, frames, sizeof(*known->frames));
    if (stacks > known->stack_count)
        memcpy(known->stacks + known->stack_count, samples->stacks + known->stack_count,
               (stacks - known->stack_count) * sizeof(*known->stacks));
    if (frames > known->frame_count)
        memcpy(known->frames + known->frame_count, samples->frames + known->frame_count,
               (frames - known->frame_count) * sizeof(*known->frames));
    known->stack_count = stacks;
    known->frame_count = frames;
}

static void learn_kernel(struct recording *known, const struct recording *recording)
{
    known->kernel_text_addr = recording->kernel_text_addr;
    if (strcmp(known->architecture, recording->architecture) != 0)
        known->architecture = arena_string(&known->arena, recording->architecture);
}

static bool is_worth_it(const struct names_ahead *ahead, const struct recording *recording)
{
    const struct names_follower *follower = ahead->wanted.follower;
    return recording->samples.location_count - ahead->known.samples.location_count >= LOCATIONS_AT_ONCE ||
           (follower && follower->waits(follower->context));
}

void names_ahead_tell(struct names_ahead *ahead, const struct recording *recording)
{
    const struct names_follower *follower = ahead->wanted.follower;
    /* the follower is asked while nobody works on it */
    if (!worker_is_idle(&ahead->worker) || !ahead->symboliser || !is_worth_it(ahead, recording))
        return;
    worker_end(&ahead->worker);
    if (!ahead->known.samples.location_count)
        learn_kernel(&ahead->known, recording);
    learn_dsos(&ahead->known, recording);
    learn_locations(&ahead->known.samples, &recording->samples);
    if (follower) {
        learn_stacks(&ahead->known.samples, &recording->samples);
        follower->learn(follower->context);
    }
    worker_begin(&ahead->worker, work, ahead);
}

/* Build ids may come late, and the kernel's own place. */
static bool was_right(const struct recording *known, const struct recording *recording)
{
    for (size_t at = 0; at < known->spaces.dso_count; at++)
        if (memcmp(&known->spaces.dsos[at].build_id, &recording->spaces.dsos[at].build_id, sizeof(struct build_id)) !=
            0)
            return false;
    return !known->samples.location_count || (known->kernel_text_addr == recording->kernel_text_addr &&
                                              strcmp(known->architecture, recording->architecture) == 0);
}

struct symboliser *names_ahead_take(struct names_ahead *ahead, const struct recording *recording)
{
    worker_end(&ahead->worker);
    struct symboliser *symboliser = was_right(&ahead->known, recording) ? ahead->symboliser : NULL;
    if (!symboliser)
        return NULL;
    ahead->symboliser = NULL;
    symboliser_move(symboliser, recording);
    return symboliser;
}

void names_ahead_free(struct names_ahead *ahead)
{
    if (!ahead)
        return;
    worker_end(&ahead->worker);
    symboliser_free(ahead->symboliser);
    recording_done(&ahead->known);
    free(ahead);
}
