/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/run_spread.h"

#include "base/json/json_measured.h"
#include "base/scope.h"

#include <stdlib.h>

void run_spread_sum_up(struct run_spread *spread)
{
    scoped_free double *whole = memory_alloc(memory_product(spread->count + 1, sizeof(*whole)));
    size_t count = 0;
    spread->failed = 0;
    for (size_t at = 0; at < spread->count; at++) {
        const struct run_row *row = &spread->rows[at];
        if (row->exit_code != 0 && !row->interrupted && spread->failed++ == 0)
            spread->first_failed = at;
        if (row->exit_code == 0 && !row->interrupted)
            whole[count++] = row->elapsed_s;
    }
    spread->median_s = count ? median_interval(whole, count) : (struct interval){0};
    for (size_t at = 0; at < count; at++) {
        spread->least_s = at && spread->least_s < whole[at] ? spread->least_s : whole[at];
        spread->most_s = at && spread->most_s > whole[at] ? spread->most_s : whole[at];
    }
}

void run_spread_write(const struct run_spread *spread, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    json_string(&json, "origin", spread->origin);
    json_array_open(&json, "runs");
    for (size_t at = 0; at < spread->count; at++) {
        const struct run_row *row = &spread->rows[at];
        json_object_open(&json, NULL);
        json_double(&json, "elapsed_s", row->elapsed_s);
        json_measured(&json, "user_s", row->user_s);
        json_measured(&json, "system_s", row->system_s);
        json_measured(&json, "cpu_s", row->cpu_s);
        json_measured(&json, "cycles", row->cycles);
        json_measured(&json, "instructions", row->instructions);
        json_measured(&json, "resident_most_bytes", row->resident_most_bytes);
        json_u64(&json, "samples", row->samples);
        json_i64(&json, "exit_code", row->exit_code);
        json_bool(&json, "interrupted", row->interrupted);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
}

static bool read_row(struct run_row *row, struct json_value value, struct arena *arena)
{
    *row = (struct run_row){
        .user_s = json_measured_or(json_member(value, "user_s"), arena),
        .system_s = json_measured_or(json_member(value, "system_s"), arena),
        .cpu_s = json_measured_or(json_member(value, "cpu_s"), arena),
        .cycles = json_measured_or(json_member(value, "cycles"), arena),
        .instructions = json_measured_or(json_member(value, "instructions"), arena),
        .resident_most_bytes = json_measured_or(json_member(value, "resident_most_bytes"), arena),
        .samples = json_unsigned_or(json_member(value, "samples"), 0),
        .interrupted = json_truth_or(json_member(value, "interrupted"), false),
    };
    double exit_code = json_number_or(json_member(value, "exit_code"), 0);
    row->exit_code = exit_code >= 0 && exit_code < 256 ? (int)exit_code : 255;
    return json_number(json_member(value, "elapsed_s"), &row->elapsed_s) && row->elapsed_s >= 0;
}

bool run_spread_read(struct run_spread *spread, struct json_value root, struct arena *arena, struct error *err)
{
    struct json_value list = json_member(root, "runs");
    if (!json_is_list(list))
        return error_set(err, ERROR_FORMAT, "no list 'runs'");
    *spread = (struct run_spread){
        .rows = arena_array(arena, struct run_row, json_count(list) + 1),
        .count = json_count(list),
        .origin = arena_string(arena, json_text_or(json_member(root, "origin"), "")),
    };
    for (size_t at = 0; at < spread->count; at++)
        if (!read_row(&spread->rows[at], json_item(list, at), arena))
            return error_set(err, ERROR_FORMAT, "run %zu has no elapsed time", at + 1);
    run_spread_sum_up(spread);
    return true;
}
