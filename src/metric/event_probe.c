/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints on data or code, and probes at an instruction of a user program. */
#include "metric/event_parser.h"

#include <linux/hw_breakpoint.h>

static bool access_parse(struct view letters, uint32_t *ret_type)
{
    uint32_t type = 0;
    for (size_t at = 0; at < letters.length; at++) {
        char letter = letters.text[at];
        uint32_t bit = letter == 'r'   ? HW_BREAKPOINT_R
                       : letter == 'w' ? HW_BREAKPOINT_W
                       : letter == 'x' ? HW_BREAKPOINT_X
                                       : 0;
        if (!bit || (type & bit))
            return false;
        type |= bit;
    }
    *ret_type = type;
    return type != 0;
}

static bool length_parse(struct view text, uint64_t *ret_length, struct error *err)
{
    uint64_t length;
    bool good = view_u64(text, 0, &length) && (length == 1 || length == 2 || length == 4 || length == 8);
    if (!good)
        return error_set(err, ERROR_USAGE, "a breakpoint's length is 1, 2, 4 or 8 bytes, not '%.*s'",
                         (int)text.length, text.text);
    *ret_length = length;
    return true;
}

bool event_breakpoint_parse(struct event_parser *parser, struct view word, struct view *ret_modifiers,
                            struct error *err)
{
    struct view rest = view_skip(word, strlen("mem:"));
    struct view place = view_cut(&rest, ':'), access = view_cut(&rest, ':');
    bool has_length = place.length && memchr(place.text, '/', place.length);
    struct view length_text = place, address_text = view_cut(&length_text, '/');
    uint64_t address, length = sizeof(uint32_t);
    uint32_t type = HW_BREAKPOINT_R | HW_BREAKPOINT_W;
    if (!view_u64(address_text, 0, &address))
        return error_set(err, ERROR_USAGE, "'%.*s' is no address in '%.*s'", (int)address_text.length,
                         address_text.text, (int)word.length, word.text);
    if (access.length && !rest.length && !access_parse(access, &type))
        rest = access; /* mem:ADDR:u */
    else if (access.length && !access_parse(access, &type))
        return error_set(err, ERROR_USAGE, "a breakpoint's access is of r, w and x, not '%.*s'", (int)access.length,
                         access.text);
    if (type & HW_BREAKPOINT_X)
        length = sizeof(long);
    if (has_length && !length_parse(length_text, &length, err))
        return false;
    struct event_spec *event = event_append(parser, PERF_TYPE_BREAKPOINT, 0);
    event->attr.bp_type = type;
    event->attr.bp_addr = address;
    event->attr.bp_len = length;
    size_t named = word.length - rest.length - (rest.length ? 1 : 0);
    event->name = arena_string_n(parser->arena, word.text, named);
    *ret_modifiers = rest;
    return true;
}

/* PATH:PLACE[:MODIFIERS]; a path may hold colons only when PLACE follows the last but one. */
static bool uprobe_split(struct view rest, struct view *ret_path, struct view *ret_place, struct view *ret_modifiers)
{
    const char *last = rest.length ? memrchr(rest.text, ':', rest.length) : NULL;
    if (!last)
        return false;
    struct view tail = {last + 1, (size_t)(rest.text + rest.length - last - 1)};
    struct view head = {rest.text, (size_t)(last - rest.text)};
    *ret_modifiers = (struct view){tail.text, 0};
    const char *before = head.length ? memrchr(head.text, ':', head.length) : NULL;
    if (before && tail.length && tail.length <= 3 && strspn(tail.text, "ukhGHpPDSIeW") >= tail.length) {
        *ret_modifiers = tail;
        tail = (struct view){before + 1, (size_t)(head.text + head.length - before - 1)};
        head.length = (size_t)(before - head.text);
    }
    *ret_path = head;
    *ret_place = tail;
    return head.length > 0 && tail.length > 0;
}

bool event_uprobe_parse(struct event_parser *parser, struct view word, struct view *ret_modifiers, struct error *err)
{
    bool at_return = view_starts(word, "uretprobe:");
    struct view rest = word, path, place;
    view_cut(&rest, ':');
    if (!uprobe_split(rest, &path, &place, ret_modifiers))
        return error_set(err, ERROR_USAGE, "'%.*s' is not of the form uprobe:PATH:SYMBOL or uprobe:PATH:0xOFFSET",
                         (int)word.length, word.text);
    uint32_t type;
    if (!event_pmu_type(parser->root, "uprobe", &type)) {
        error_set(err, ERROR_UNSUPPORTED, "this kernel has no uprobe PMU");
        return error_hint(err, "it needs Linux 4.17 with CONFIG_UPROBE_EVENTS");
    }
    uint64_t offset = 0, addend = 0;
    struct view addend_text = place, symbol = view_cut(&addend_text, '+');
    bool by_number = view_u64(place, 0, &offset);
    if (!by_number && addend_text.length && !view_u64(addend_text, 0, &addend))
        return error_set(err, ERROR_USAGE, "'%.*s' is no offset in '%.*s'", (int)addend_text.length,
                         addend_text.text, (int)word.length, word.text);
    const char *file = arena_string_n(parser->arena, path.text, path.length);
    struct event_spec *event = event_append(parser, type, at_return ? 1 : 0);
    event->pmu = "uprobe";
    event->attr.uprobe_path = (uintptr_t)file;
    event->attr.probe_offset = offset;
    if (!by_number) {
        event->probe_path = file;
        event->probe_symbol = arena_string_n(parser->arena, symbol.text, symbol.length);
        event->probe_addend = addend;
    }
    size_t named = word.length - (ret_modifiers->length ? ret_modifiers->length + 1 : 0);
    event->name = arena_string_n(parser->arena, word.text, named);
    return true;
}

bool event_list_resolve_probes(struct event_list *list, event_symbol_offset *offset, void *context, struct error *err)
{
    for (size_t at = 0; at < list->count; at++) {
        struct event_spec *event = &list->items[at];
        uint64_t file_offset = 0;
        if (!event->probe_symbol)
            continue;
        if (!offset(context, event->probe_path, event->probe_symbol, &file_offset, err))
            return error_wrap(err, "event '%s'", event->name);
        event->attr.probe_offset = file_offset + event->probe_addend;
        event->probe_symbol = NULL;
    }
    return true;
}
