/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What others wrote about VM exits: traces, tables, plumb's own JSON, and tracepoints' formats. */
#include "analyse/exits/exit_comparison.h"
#include "capture/exits/exits_input.h"
#include "decode/exits/tracepoint_fields.h"

#include <math.h>
#include <stdlib.h>

static void table_check(const struct exits *exits)
{
    struct arena arena;
    struct exit_table table;
    struct exit_comparison comparison;
    struct exit_table_options options = {.only_vcpu = -1, .seconds = 1, .vcpus = 1};
    arena_init(&arena);
    exit_table_build(&table, exits, &options, &arena);
    for (size_t at = 0; at < table.line_count; at++)
        if (table.lines[at].mean_ns.known && !isfinite(table.lines[at].mean_ns.value))
            abort();
    exit_compare(&comparison, &table, &table, 0.05, 0, 0, &arena);
    arena_done(&arena);
}

static void format_check(struct exits *exits, struct view format)
{
    static const uint8_t record[64];
    exits_words_read(exits, format);
    for (size_t point = 0; point < EXIT_POINT_COUNT; point++)
        for (size_t at = 0; at < EXIT_OPERAND_COUNT; at++) {
            struct tracepoint_field field = tracepoint_field_find(format, exit_points[point].fields[at]);
            struct bytes in = bytes_of(record, sizeof(record), false);
            if (field.bytes && !tracepoint_field_read(&field, &in) && in.failed && field.offset + field.bytes <= sizeof(record))
                abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct view text = {(const char *)bytes, size_bytes};
    struct error err = {0};
    for (int kind = 0; kind < 3; kind++) {
        struct exits exits;
        struct exits_input input = {0};
        exits_init(&exits);
        if (kind == 0)
            (void)exits_read_text(&exits, &input, text);
        else if (kind == 1)
            (void)!exits_read_json(&exits, &input, text, &err);
        else
            format_check(&exits, text);
        table_check(&exits);
        exits_done(&exits);
    }
    return 0;
}
