/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saved runs: plumb compare's, hyperfine's and perf stat's JSON. */
#include "experiment/saved_runs.h"

#include "base/scope.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    scoped(saved_runs_done) struct saved_runs runs;
    struct error err = {0};
    saved_runs_init(&runs);
    if (!saved_runs_parse(&runs, (struct view){(const char *)bytes, size_bytes}, "fuzz", &err))
        return 0;
    if (runs.arm_count > 64)
        return 0;
    struct run_table table;
    saved_runs_table(&runs, &table);
    for (size_t block = 0; block < table.block_count; block++)
        for (size_t arm = 0; arm < table.arm_count; arm++)
            for (size_t at = 0; at < table.quantity_count; at++) {
                struct measured cell = run_table_cell(&table, block, arm, at);
                if (cell.known ? !isfinite(cell.value) : !cell.why_not)
                    abort();
            }
    run_table_done(&table);
    return 0;
}
