// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * How fast does oneDNN do it? One primitive (matmul or ReLU) over the caller's buffers, made once and run
 * often. libdnnl is opened at the first use, so that a reference run neither needs it nor pays for it; it
 * takes its thread count from OMP_NUM_THREADS, which must be set before that.
 *
 * Built without oneDNN's headers, library_job_new always fails and says so.
 * Supports oneDNN 2.x only: 3.x has another C interface.
 */
#pragma once

#include "matmul_reference.h"

#include <stdbool.h>

struct library_job;

enum library_operation { LIBRARY_MATMUL, LIBRARY_RELU };

/* Errors: NULL, with the reason in ret_reason (a static string or one that lives until the next call). */
struct library_job *library_job_new(enum library_operation operation, const struct prb *prb, float *src,
                                    float *wei, float *dst, const char **ret_reason);
bool library_job_run(struct library_job *job, const char **ret_reason);
void library_job_free(struct library_job *job);
