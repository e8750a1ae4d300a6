/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/report/report_traits.h"

#include "base/cache_line.h"
#include "base/scope.h"
#include "base/vec.h"
#include "command/report/report_words.h"
#include "decode/memory_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLICE_NS = 100000000, /* unless told otherwise */
};

static const uint64_t weights = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;

static const struct trait_word {
    const char *word, *heading;
    enum trait_kind kind;
    enum trait_form form;
    uint64_t needs;
    const char *how_recorded;
} trait_words[] = {
    {"weight", "Weight", TRAIT_KIND_WEIGHT, TRAIT_SUM, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "record -W"},
    {"local_weight", "Local Weight", TRAIT_KIND_WEIGHT, TRAIT_NUMBER, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT,
     "record -W"},
    {"ins_lat", "INSTR Latency", TRAIT_KIND_LATENCY, TRAIT_SUM, PERF_SAMPLE_WEIGHT_STRUCT, "record -W"},
    {"local_ins_lat", "Local INSTR Latency", TRAIT_KIND_LATENCY, TRAIT_NUMBER, PERF_SAMPLE_WEIGHT_STRUCT, "record -W"},
    {"p_stage_cyc", "Retire Latency", TRAIT_KIND_RETIRE, TRAIT_SUM, PERF_SAMPLE_WEIGHT_STRUCT, "record -W"},
    {"local_p_stage_cyc", "Local Retire Latency", TRAIT_KIND_RETIRE, TRAIT_NUMBER, PERF_SAMPLE_WEIGHT_STRUCT,
     "record -W"},
    {"mem", "Memory access", TRAIT_KIND_MEMORY, TRAIT_TEXT, PERF_SAMPLE_DATA_SRC, "record -d"},
    {"tlb", "TLB access", TRAIT_KIND_TLB, TRAIT_TEXT, PERF_SAMPLE_DATA_SRC, "record -d"},
    {"snoop", "Snoop", TRAIT_KIND_SNOOP, TRAIT_TEXT, PERF_SAMPLE_DATA_SRC, "record -d"},
    {"locked", "Locked", TRAIT_KIND_LOCK, TRAIT_TEXT, PERF_SAMPLE_DATA_SRC, "record -d"},
    {"blocked", "Blocked", TRAIT_KIND_BLOCK, TRAIT_TEXT, PERF_SAMPLE_DATA_SRC, "record -d"},
    {"dso_daddr", "Data Object", TRAIT_KIND_DATA_DSO, TRAIT_TEXT, PERF_SAMPLE_ADDR, "record -d"},
    {"symbol_daddr", "Data Symbol", TRAIT_KIND_DATA_SYMBOL, TRAIT_LOCATION, PERF_SAMPLE_ADDR, "record -d"},
    {"dcacheline", "Data Cacheline", TRAIT_KIND_DATA_LINE, TRAIT_LOCATION, PERF_SAMPLE_ADDR, "record -d"},
    {"phys_daddr", "Data Physical Address", TRAIT_KIND_DATA_PHYSICAL, TRAIT_TEXT, PERF_SAMPLE_PHYS_ADDR,
     "record --phys-data"},
    {"symbol_iaddr", "Code Symbol", TRAIT_KIND_CODE_SYMBOL, TRAIT_LOCATION, PERF_SAMPLE_IP, "record"},
    {"addr", "Address", TRAIT_KIND_CODE_ADDR, TRAIT_TEXT, PERF_SAMPLE_IP, "record"},
    {"srcfile", "Source File", TRAIT_KIND_CODE_FILE, TRAIT_LOCATION, PERF_SAMPLE_IP, "record"},
    {"symbol_size", "Symbol size", TRAIT_KIND_CODE_SIZE, TRAIT_LOCATION, PERF_SAMPLE_IP, "record"},
    {"cgroup", "Cgroup", TRAIT_KIND_CGROUP, TRAIT_TEXT, PERF_SAMPLE_CGROUP, "record --all-cgroups"},
    {"code_page_size", "Code Page Size", TRAIT_KIND_CODE_PAGE, TRAIT_TEXT, PERF_SAMPLE_CODE_PAGE_SIZE,
     "record --code-page-size"},
    {"data_page_size", "Data Page Size", TRAIT_KIND_DATA_PAGE, TRAIT_TEXT, PERF_SAMPLE_DATA_PAGE_SIZE,
     "record --data-page-size"},
    {"time", "Time", TRAIT_KIND_SLICE, TRAIT_TIME, PERF_SAMPLE_TIME, "record -T"},
    {"trace", "Trace output", TRAIT_KIND_TRACE, TRAIT_TEXT, PERF_SAMPLE_RAW, "record -e SYSTEM:EVENT"},
};

void report_traits_init(struct report_traits *traits)
{
    *traits = (struct report_traits){.slice_ns = SLICE_NS};
    sample_traits_init(&traits->values);
}

void report_traits_done(struct report_traits *traits)
{
    sample_traits_done(&traits->values);
    tracepoint_reader_done(&traits->tracepoints);
    arena_done(&traits->words);
    free(traits->cgroups);
}

size_t report_traits_words(const char **words, size_t most)
{
    size_t count = array_count(trait_words) < most ? array_count(trait_words) : most;
    for (size_t at = 0; at < count; at++)
        words[at] = trait_words[at].word;
    return count;
}

static enum hotspot_column trait_add(struct report_traits *traits, const struct report_trait *wanted,
                                     const struct trait *shown)
{
    if (traits->values.count == TRAITS_MOST)
        return COLUMN_COUNT;
    traits->wanted[traits->values.count] = *wanted;
    traits->values.items[traits->values.count] = *shown;
    return COLUMN_TRAIT + traits->values.count++;
}

/* "field", "event.field" or "system:event.field". */
static enum hotspot_column field_add(struct report_traits *traits, struct view word)
{
    const char *whole = arena_string_n(&traits->words, word.text, word.length), *point = strrchr(whole, '.');
    struct report_trait wanted = {.kind = TRAIT_KIND_FIELD, .needs = PERF_SAMPLE_RAW, .word = whole};
    wanted.field = point ? point + 1 : whole;
    wanted.event = point ? arena_string_n(&traits->words, whole, (size_t)(point - whole)) : NULL;
    return trait_add(traits, &wanted, &(struct trait){.heading = wanted.field, .right = true});
}

enum hotspot_column report_traits_word(struct report_traits *traits, struct view word, bool can_be_field)
{
    for (size_t at = 0; at < traits->values.count; at++)
        if (view_equal(word, traits->wanted[at].word))
            return COLUMN_TRAIT + at;
    for (size_t at = 0; at < array_count(trait_words); at++) {
        const struct trait_word *known = &trait_words[at];
        if (view_equal(word, known->word))
            return trait_add(traits,
                             &(struct report_trait){.kind = known->kind, .needs = known->needs, .word = known->word},
                             &(struct trait){.heading = known->heading, .form = known->form});
    }
    return can_be_field ? field_add(traits, word) : COLUMN_COUNT;
}

/* ---- what the recording holds ---- */

static bool is_tracepoint(const struct source_event *event)
{
    return event->attr.type == PERF_TYPE_TRACEPOINT && event->attr.sample_type & PERF_SAMPLE_RAW;
}

static bool event_is_meant(const struct report_trait *trait, const struct source_event *event)
{
    if (!trait->event)
        return true;
    const char *bare = strchr(event->name, ':');
    return strcmp(trait->event, event->name) == 0 || (bare && strcmp(trait->event, bare + 1) == 0);
}

/* The field of an event that a trait means, or NULL: it has no such place. */
static const char *field_of(const struct report_traits *traits, const struct report_trait *trait, size_t event)
{
    const struct event_fields *fields = trait->field ? NULL : &traits->fields[event];
    return !fields ? trait->field : trait->place < fields->count ? fields->names[trait->place] : NULL;
}

static bool event_has_field(struct report_traits *traits, const struct report_trait *trait, const struct source *source,
                            size_t at, struct error *why)
{
    const struct source_event *event = &source->events[at];
    const char *field = field_of(traits, trait, at);
    return field && is_tracepoint(event) && event_is_meant(trait, event) &&
           tracepoint_reader_learn(&traits->tracepoints, source, event, why) &&
           tracepoint_text_has_field(traits->tracepoints.text, event->attr.config, field);
}

static bool field_is_held(struct report_traits *traits, const struct report_trait *trait, const struct source *source,
                          struct error *why)
{
    for (size_t at = 0; at < source->event_count; at++)
        if (event_has_field(traits, trait, source, at, why))
            return true;
    return false;
}

bool report_traits_shown(struct report_traits *traits, const struct source *source, uint32_t event,
                         enum hotspot_column column)
{
    const struct report_trait *trait = column < COLUMN_TRAIT ? NULL : &traits->wanted[column - COLUMN_TRAIT];
    struct error ignored = {0};
    if (!trait || trait->kind != TRAIT_KIND_FIELD || event >= source->event_count)
        return true;
    if (!event_has_field(traits, trait, source, event, &ignored))
        return false;
    traits->values.items[column - COLUMN_TRAIT].heading = field_of(traits, trait, event);
    return true;
}

static const char *how_recorded(enum trait_kind kind)
{
    for (size_t at = 0; at < array_count(trait_words); at++)
        if (trait_words[at].kind == kind)
            return trait_words[at].how_recorded;
    return "record -e SYSTEM:EVENT";
}

bool report_traits_check(struct report_traits *traits, const struct source *source, struct error *err)
{
    for (size_t at = 0; at < traits->values.count; at++) {
        const struct report_trait *trait = &traits->wanted[at];
        uint64_t held = 0;
        for (size_t event = 0; event < source->event_count; event++)
            held |= source->events[event].attr.sample_type;
        struct error why = {0};
        if (trait->kind == TRAIT_KIND_FIELD && !field_is_held(traits, trait, source, &why)) {
            sort_key_unknown(view_of(trait->word), err);
            return why.message[0] ? error_hint(err, "fields of tracepoints: %s", why.message) : false;
        }
        if (!(held & trait->needs)) {
            error_set(err, ERROR_USAGE, "the recording holds nothing that '%s' could show", trait->word);
            return error_hint(err, "%s makes one that does, where the machine can", how_recorded(trait->kind));
        }
    }
    return true;
}

struct field_gathering {
    struct report_traits *traits;
    struct event_fields *fields;
};

static void gather_field(void *context, const char *name)
{
    struct field_gathering *gathering = context;
    if (gathering->fields->count < TRAITS_MOST)
        gathering->fields->names[gathering->fields->count] = arena_string(&gathering->traits->words, name);
    gathering->fields->count++;
}

bool report_traits_all_fields(struct report_traits *traits, const struct source *source,
                              enum hotspot_column ret_columns[TRAITS_MOST], size_t *ret_count, struct error *err)
{
    struct error ignored = {0};
    size_t most = 0;
    traits->fields = arena_array(&traits->words, struct event_fields, source->event_count + 1);
    for (size_t at = 0; at < source->event_count; at++) {
        const struct source_event *event = &source->events[at];
        struct field_gathering gathering = {traits, &traits->fields[at]};
        if (is_tracepoint(event) && tracepoint_reader_learn(&traits->tracepoints, source, event, &ignored))
            tracepoint_text_fields(traits->tracepoints.text, event->attr.config, gather_field, &gathering);
        if (traits->fields[at].count > TRAITS_MOST - traits->values.count)
            return error_set(err, ERROR_USAGE,
                             "'%s' has %zu fields, more than can be columns: name some of them as keys", event->name,
                             traits->fields[at].count);
        most = traits->fields[at].count > most ? traits->fields[at].count : most;
    }
    for (size_t place = 0; place < most; place++)
        ret_columns[place] =
            trait_add(traits,
                      &(struct report_trait){
                          .kind = TRAIT_KIND_FIELD, .needs = PERF_SAMPLE_RAW, .word = "trace_fields", .place = place},
                      &(struct trait){.heading = "", .right = true});
    *ret_count = most;
    return most || error_set(err, ERROR_USAGE, "no tracepoint of the recording has fields that can be read");
}

/* ---- values ---- */

static void add_trace(struct report_traits *traits, const struct report_trait *trait, const struct source *source,
                      const struct record_sample *record, const struct sample *sample, struct text *out)
{
    const struct source_event *event = &source->events[sample->event];
    const struct bytes_view *raw = &sample_rest(record)->raw;
    struct error ignored = {0};
    uint64_t id = event->attr.config;
    bool told = is_tracepoint(event) && tracepoint_reader_learn(&traits->tracepoints, source, event, &ignored);
    if (told && trait->kind == TRAIT_KIND_TRACE)
        told = tracepoint_text_print(traits->tracepoints.text, id, sample->cpu, raw->bytes, raw->size_bytes, out);
    const char *field = trait->kind == TRAIT_KIND_FIELD ? field_of(traits, trait, sample->event) : NULL;
    if (told && trait->kind == TRAIT_KIND_FIELD)
        told =
            field && event_is_meant(trait, event) &&
            tracepoint_text_field(traits->tracepoints.text, id, sample->cpu, raw->bytes, raw->size_bytes, field, out);
    if (!told)
        text_add(out, "N/A");
}

static void add_data_dso(struct capture *capture, const struct record *record, const struct sample *sample,
                         struct text *out)
{
    const struct recording *recording = &capture->recording;
    uint32_t space = recording->threads.items[sample->thread].space;
    uint32_t location =
        record->sample.addr ? capture_locate(capture, space, record->sample.addr, record->cpu_mode) : LOCATION_NONE;
    uint32_t dso = location == LOCATION_NONE ? UINT32_MAX : recording->samples.locations[location].dso;
    text_add(out, dso < recording->spaces.dso_count
                      ? strings_text(&recording->strings, recording->spaces.dsos[dso].name)
                      : "[unknown]");
}

static void add_physical(struct text *out, const struct record_sample *record, const struct sample *sample,
                         const struct capture *capture)
{
    uint32_t location = sample->location;
    bool kernel =
        location != LOCATION_NONE && capture->recording.samples.locations[location].cpu_mode == CPU_MODE_KERNEL;
    if (sample_rest(record)->phys_addr)
        text_printf(out, "[%c] %#.16" PRIx64, kernel ? 'k' : '.', sample_rest(record)->phys_addr);
    else
        text_add(out, "[.] N/A");
}

static void add_cgroup(struct text *out, const struct report_traits *traits, uint64_t id)
{
    for (size_t at = traits->cgroup_count; at-- > 0;)
        if (traits->cgroups[at].id == id) {
            text_add(out, traits->cgroups[at].path);
            return;
        }
    text_add(out, "N/A");
}

void report_traits_learn(struct report_traits *traits, const struct record *record)
{
    if (record->kind != RECORD_CGROUP)
        return;
    traits->cgroups = vec_reserve_bytes(traits->cgroups, &traits->cgroup_capacity, traits->cgroup_count + 1,
                                        sizeof(*traits->cgroups));
    traits->cgroups[traits->cgroup_count++] = (struct report_cgroup){
        record->cgroup.id, arena_string_n(&traits->words, record->cgroup.path, strlen(record->cgroup.path))};
}

static void add_text(struct report_traits *traits, const struct report_trait *trait, struct capture *capture,
                     const struct source *source, const struct record *record, const struct sample *sample,
                     struct text *out)
{
    const struct record_sample *raw = &record->sample;
    switch (trait->kind) {
    case TRAIT_KIND_MEMORY:
        memory_source_level(out, sample_rest(raw)->data_src);
        break;
    case TRAIT_KIND_TLB:
        memory_source_tlb(out, sample_rest(raw)->data_src);
        break;
    case TRAIT_KIND_SNOOP:
        memory_source_snoop(out, sample_rest(raw)->data_src);
        break;
    case TRAIT_KIND_LOCK:
        text_add(out, memory_source_lock(sample_rest(raw)->data_src));
        break;
    case TRAIT_KIND_BLOCK:
        memory_source_block(out, sample_rest(raw)->data_src);
        break;
    case TRAIT_KIND_DATA_DSO:
        add_data_dso(capture, record, sample, out);
        break;
    case TRAIT_KIND_CODE_PAGE:
        memory_page_size(out, sample_rest(raw)->code_page_size);
        break;
    case TRAIT_KIND_DATA_PAGE:
        memory_page_size(out, sample_rest(raw)->data_page_size);
        break;
    case TRAIT_KIND_TRACE:
    case TRAIT_KIND_FIELD:
        add_trace(traits, trait, source, raw, sample, out);
        break;
    case TRAIT_KIND_DATA_PHYSICAL:
        add_physical(out, raw, sample, capture);
        break;
    case TRAIT_KIND_CODE_ADDR:
        text_printf(out, "%#" PRIx64, raw->ip);
        break;
    case TRAIT_KIND_CGROUP:
        add_cgroup(out, traits, sample_rest(raw)->cgroup);
        break;
    default:
        break; /* numbers and locations */
    }
}

static uint64_t location_of(enum trait_kind kind, struct capture *capture, const struct record *record,
                            const struct sample *sample)
{
    uint64_t addr = record->sample.addr;
    if (kind != TRAIT_KIND_DATA_SYMBOL && kind != TRAIT_KIND_DATA_LINE)
        return sample->location;
    uint32_t space = capture->recording.threads.items[sample->thread].space;
    if (kind == TRAIT_KIND_DATA_LINE)
        addr -= addr % CACHE_LINE_BYTES;
    return addr ? capture_locate(capture, space, addr, addr >> 63 ? CPU_MODE_KERNEL : CPU_MODE_USER) : LOCATION_NONE;
}

static uint64_t number_of(enum trait_kind kind, uint64_t slice_ns, const struct record_sample *record,
                          const struct sample *sample)
{
    switch (kind) {
    case TRAIT_KIND_WEIGHT:
        return record->sample_type & weights ? sample_rest(record)->weight : 0;
    case TRAIT_KIND_LATENCY:
        return sample_rest(record)->weight_var2;
    case TRAIT_KIND_RETIRE:
        return sample_rest(record)->weight_var3;
    default:
        return sample->time_ns / slice_ns * slice_ns;
    }
}

uint32_t report_traits_of(struct report_traits *traits, struct capture *capture, const struct source *source,
                          const struct record *record, const struct sample *sample)
{
    struct trait_set set = {0};
    scoped_text struct text text = {0};
    for (size_t at = 0; at < traits->values.count; at++) {
        const struct report_trait *trait = &traits->wanted[at];
        if (traits->values.items[at].form == TRAIT_LOCATION) {
            set.values[at] = location_of(trait->kind, capture, record, sample);
            continue;
        }
        if (traits->values.items[at].form != TRAIT_TEXT) {
            set.values[at] = number_of(trait->kind, traits->slice_ns, &record->sample, sample);
            continue;
        }
        text_clear(&text);
        add_text(traits, trait, capture, source, record, sample, &text);
        set.values[at] = sample_traits_text(&traits->values, text_view(&text));
    }
    return sample_traits_intern(&traits->values, &set);
}

/* ---- names, when all is read ---- */

struct naming {
    const struct report_traits *traits;
    const struct recording *recording;
    struct symboliser *symboliser;
};

static void add_code_symbol(const struct naming *naming, uint32_t id, char level, struct text *out)
{
    uint32_t symbol = symboliser_symbol_id(naming->symboliser, id);
    if (symbol == SYMBOL_NONE)
        text_printf(out, "[%c] %#.16" PRIx64, level, naming->recording->samples.locations[id].runtime_addr);
    else
        text_printf(out, "[%c] %s", level, symboliser_symbol(naming->symboliser, symbol)->name);
}

/* The line of a file is shown as the file has it: so it is the same one to all who map it. */
static void add_data_symbol(const struct naming *naming, uint32_t id, char level, bool in_file, struct text *out)
{
    const struct location *location = &naming->recording->samples.locations[id];
    uint64_t offset = 0;
    const char *name = symboliser_data_name(naming->symboliser, id, &offset);
    text_printf(out, "[%c] ", level);
    if (!name)
        text_printf(out, "%#.16" PRIx64, in_file ? location->dso_addr : location->runtime_addr);
    else
        text_printf(out, "%s+0x%" PRIx64, name, offset);
}

static void add_file(const struct naming *naming, uint32_t id, struct text *out)
{
    struct source_line line;
    bool known = symboliser_line(naming->symboliser, id, &line) && line.path;
    const char *slash = known ? strrchr(line.path, '/') : NULL;
    text_add(out, !known ? "." : slash ? slash + 1 : line.path);
}

static void add_name(void *context, size_t trait, uint32_t id, struct text *out)
{
    const struct naming *naming = context;
    enum trait_kind kind = naming->traits->wanted[trait].kind;
    if (id == LOCATION_NONE) {
        text_add(out, "[.] N/A");
        return;
    }
    char level = naming->recording->samples.locations[id].cpu_mode == CPU_MODE_KERNEL ? 'k' : '.';
    uint32_t symbol = SYMBOL_NONE;
    switch (kind) {
    case TRAIT_KIND_CODE_SYMBOL:
        add_code_symbol(naming, id, level, out);
        break;
    case TRAIT_KIND_CODE_FILE:
        add_file(naming, id, out);
        break;
    case TRAIT_KIND_CODE_SIZE:
        symbol = symboliser_symbol_id(naming->symboliser, id); /* at the right of its column, as perf's */
        if (symbol == SYMBOL_NONE)
            text_printf(out, "%*s", (int)strlen("Symbol size"), "unknown");
        else
            text_printf(out, "%*" PRIu64, (int)strlen("Symbol size"),
                        symboliser_symbol(naming->symboliser, symbol)->size_bytes);
        break;
    default:
        add_data_symbol(naming, id, level, kind == TRAIT_KIND_DATA_LINE, out);
        break;
    }
}

bool report_traits_are_named(const struct report_traits *traits)
{
    for (size_t at = 0; at < traits->values.count; at++)
        if (traits->values.items[at].form == TRAIT_LOCATION)
            return true;
    return false;
}

void report_traits_settle(struct report_traits *traits, struct sample_tally *tally, const struct recording *recording,
                          struct symboliser *symboliser)
{
    struct naming naming = {traits, recording, symboliser};
    scoped_free uint32_t *settled = sample_traits_settle(&traits->values, add_name, &naming);
    for (size_t at = 0; at < tally->count; at++)
        if (tally->items[at].traits != TRAITS_NONE)
            tally->items[at].traits = settled[tally->items[at].traits];
}
