/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pprof's profile.proto, by field number; protocol buffers' wire format: a number is a varint, all else has its length
 * before it.
 */
#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"
#include "render/profile/profile.h"

enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2 };

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRINGS = 6,
    PROFILE_DEFAULT_TYPE = 14
};
enum value_type_field { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum mapping_field { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum location_field { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum line_field { LINE_FUNCTION = 1 };
enum function_field { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

struct writing {
    struct text *out;
    const struct profile_request *request;
    struct strings strings;
    vec(uint32_t) files; /* string ids of the mappings, whose ids are one more than where they stand here */
};

static void add_varint(struct text *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        text_add_char(out, (char)(value | 0x80));
    text_add_char(out, (char)value);
}

static void add_number(struct text *out, unsigned field, uint64_t value)
{
    add_varint(out, field << 3 | WIRE_VARINT);
    add_varint(out, value);
}

static void add_bytes(struct text *out, unsigned field, const struct text *bytes)
{
    add_varint(out, field << 3 | WIRE_BYTES);
    add_varint(out, bytes->length);
    text_append(out, text_string(bytes), bytes->length);
}

static uint32_t string_of(struct writing *writing, const char *text)
{
    return strings_intern(&writing->strings, text ? text : "");
}

static void add_value_type(struct writing *writing, const char *event, const char *suffix, const char *unit)
{
    scoped_text struct text type = {0}, message = {0};
    text_printf(&type, "%s_%s", event, suffix);
    add_number(&message, VALUE_TYPE, string_of(writing, text_string(&type)));
    add_number(&message, VALUE_UNIT, string_of(writing, unit));
    add_bytes(writing->out, PROFILE_SAMPLE_TYPE, &message);
}

/* Two columns for each event: its samples, and what they stand for. */
static void add_value_types(struct writing *writing)
{
    const struct stack_profile *profile = writing->request->profile;
    for (uint32_t event = 0; event < profile->event_count; event++) {
        if (!profile_wants(writing->request, event))
            continue;
        add_value_type(writing, profile->events[event].name, "sample", "count");
        add_value_type(writing, profile->events[event].name, "event",
                       profile->events[event].counts_ns ? "nanoseconds" : "count");
    }
}

static void add_sample(struct writing *writing, const struct profile_stack *stack)
{
    const struct profile_request *request = writing->request;
    scoped_text struct text locations = {0}, values = {0}, label = {0}, message = {0};
    for (uint32_t at = 0; at < stack->count; at++)
        add_varint(&locations, (uint64_t)request->profile->frames[stack->first + at] + 1);
    for (uint32_t event = 0; event < request->profile->event_count; event++) {
        if (!profile_wants(request, event))
            continue;
        add_varint(&values, event == stack->event ? stack->samples : 0);
        add_varint(&values, event == stack->event ? stack->period : 0);
    }
    add_number(&label, LABEL_KEY, string_of(writing, "comm"));
    add_number(&label, LABEL_TEXT, string_of(writing, stack->comm));
    add_bytes(&message, SAMPLE_LOCATIONS, &locations);
    add_bytes(&message, SAMPLE_VALUES, &values);
    add_bytes(&message, SAMPLE_LABEL, &label);
    add_bytes(writing->out, PROFILE_SAMPLE, &message);
}

static uint64_t mapping_of(struct writing *writing, const char *path)
{
    uint32_t file = string_of(writing, path);
    size_t at = 0;
    while (at < writing->files.count && writing->files.items[at] != file)
        at++;
    if (at == writing->files.count)
        *vec_push(&writing->files) = file;
    return at + 1;
}

/* The first mapping is taken for the program: the binary, not the kernel, in which most of it was. */
static void add_program(struct writing *writing)
{
    const struct stack_profile *profile = writing->request->profile;
    const struct places *places = profile->places;
    vec(uint64_t) samples = {0}; /* by dso */
    for (size_t at = 0; at < places->count; at++)
        while (places->items[at].dso_id != UINT32_MAX && samples.count <= places->items[at].dso_id)
            *vec_push(&samples) = 0;
    const char *program = NULL;
    uint64_t most = 0;
    for (size_t at = 0; at < profile->count; at++) {
        const struct place *leaf = &places->items[profile->frames[profile->items[at].first]];
        bool is_file = leaf->dso_path && leaf->dso_path[0] == '/' && leaf->dso_id < samples.count;
        if (!is_file || (samples.items[leaf->dso_id] += profile->items[at].samples) <= most)
            continue;
        most = samples.items[leaf->dso_id];
        program = leaf->dso_path;
    }
    vec_done(&samples);
    if (program)
        mapping_of(writing, program);
}

/* Each place is a location and a function of the same number. */
static void add_place(struct writing *writing, uint64_t id, const struct place *place)
{
    scoped_text struct text name = {0}, line = {0}, location = {0}, function = {0};
    place_add_name(&name, place);
    add_number(&line, LINE_FUNCTION, id);
    add_number(&location, LOCATION_ID, id);
    add_number(&location, LOCATION_MAPPING, mapping_of(writing, place->dso_path));
    add_number(&location, LOCATION_ADDRESS, place->addr);
    add_bytes(&location, LOCATION_LINE, &line);
    add_bytes(writing->out, PROFILE_LOCATION, &location);
    add_number(&function, FUNCTION_ID, id);
    add_number(&function, FUNCTION_NAME, string_of(writing, text_string(&name)));
    add_number(&function, FUNCTION_SYSTEM_NAME, string_of(writing, text_string(&name)));
    add_number(&function, FUNCTION_FILE, string_of(writing, place->dso_path));
    add_bytes(writing->out, PROFILE_FUNCTION, &function);
}

static void add_mappings(struct writing *writing)
{
    for (size_t at = 0; at < writing->files.count; at++) {
        scoped_text struct text message = {0};
        add_number(&message, MAPPING_ID, at + 1);
        add_number(&message, MAPPING_FILE, writing->files.items[at]);
        add_number(&message, MAPPING_HAS_FUNCTIONS, 1);
        add_bytes(writing->out, PROFILE_MAPPING, &message);
    }
}

static void add_strings(struct writing *writing)
{
    for (uint32_t id = 0; id < strings_count(&writing->strings); id++) {
        scoped_text struct text string = {0};
        text_add(&string, strings_text(&writing->strings, id));
        add_bytes(writing->out, PROFILE_STRINGS, &string);
    }
}

void profile_pprof(struct text *out, const struct profile_request *request)
{
    struct writing writing = {.out = out, .request = request};
    strings_init(&writing.strings); /* number 0 is the empty one, as the format has it */
    add_value_types(&writing);
    for (size_t at = 0; at < request->profile->count; at++)
        if (profile_wants(request, request->profile->items[at].event))
            add_sample(&writing, &request->profile->items[at]);
    add_program(&writing);
    for (size_t at = 0; at < request->profile->places->count; at++)
        add_place(&writing, at + 1, &request->profile->places->items[at]);
    add_mappings(&writing);
    add_strings(&writing);
    vec_done(&writing.files);
    strings_done(&writing.strings);
}
