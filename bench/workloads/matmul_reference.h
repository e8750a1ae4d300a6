// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What should a matrix product or a ReLU give? Plain loops in f32, as a library's correctness check has them:
 * slow on purpose. The file is compiled twice, unoptimised and optimised; reference_build() says which one
 * was linked.
 *
 * Shapes: src is m x k, wei is k x n, dst is m x n; the strides say how each lies in memory, in elements.
 * Does not support batches, bias, other types or runtime dimensions.
 */
#pragma once

#include <stdint.h>

struct prb {
    int64_t m, k, n;
    int64_t src_strides[2];
    int64_t wei_strides[2];
    int64_t dst_strides[2];
    int src_zero_point;
    int wei_zero_point;
};

/* Computes the rows [m_begin, m_end) of dst. */
void compute_ref_matmul(const struct prb *prb, const float *src, const float *wei, float *dst,
                        int64_t m_begin, int64_t m_end);

/* Computes dst[i] = max(src[i], 0) for i in [begin, end). */
void compute_ref_relu(const float *src, float *dst, int64_t begin, int64_t end);

/* "unoptimised" or "optimised", as the compiler itself said. */
const char *reference_build(void);
