/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event and metric tables in both published layouts: files one after another, each ended by a byte 0. */
#include "metric/table/table_folder.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static void table_try(const struct metric_table *table)
{
    struct arena arena = {0};
    struct table_inputs inputs;
    struct table_values values;
    struct measured *terms = arena_array(&arena, struct measured, table->terms.count + 1);
    struct text text = {0};
    for (size_t at = 0; at < table->terms.count; at++) {
        terms[at] = at % 5 == 4 ? not_measured("it was not counted") : measured_as((double)(at * 7 % 11));
        table_term_write(&table->terms.items[at], "cpu", &text);
    }
    for (size_t at = 0; at < table->events.count; at++)
        table_event_write(&table->events.items[at], "cpu", &text);
    table_inputs_clear(&inputs);
    inputs.terms = terms;
    table_evaluate(table, &inputs, &values, &arena);
    for (size_t at = 0; at < table->metrics.count; at++)
        if (values.metrics[at].known ? isnan(values.metrics[at].value) : !values.metrics[at].why_not)
            abort();
    text_done(&text);
    arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct view rest = {(const char *)bytes, size_bytes}, files[4];
    size_t count = 0;
    while (count < 4 && rest.length)
        files[count++] = view_cut(&rest, '\0');
    for (int form = TABLE_FORM_READABLE; form <= TABLE_FORM_EXPANDED; form++) {
        struct metric_table table;
        struct error err = {0};
        if (metric_table_load_texts(&table, files, count, (enum table_form)form, &err)) {
            table_try(&table);
            metric_table_done(&table);
        } else if (!err.kind || !err.message[0]) {
            abort();
        }
    }
    return 0;
}
