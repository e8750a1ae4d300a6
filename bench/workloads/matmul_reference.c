// SPDX-License-Identifier: GPL-3.0-or-later
#include "matmul_reference.h"

/*
 * The offsets stay functions of the problem, and the problem stays behind a pointer: in a build without
 * optimisation every element then pays for calls and for reloading prb's fields, next to the one load that
 * really waits for memory.
 */
static inline int64_t src_off_f(const struct prb *prb, int64_t m, int64_t k)
{
    return m * prb->src_strides[0] + k * prb->src_strides[1];
}

static inline int64_t wei_off_f(const struct prb *prb, int64_t k, int64_t n)
{
    return k * prb->wei_strides[0] + n * prb->wei_strides[1];
}

static inline int64_t dst_off_f(const struct prb *prb, int64_t m, int64_t n)
{
    return m * prb->dst_strides[0] + n * prb->dst_strides[1];
}

void compute_ref_matmul(const struct prb *prb, const float *src, const float *wei, float *dst,
                        int64_t m_begin, int64_t m_end)
{
    const int src_zp = prb->src_zero_point;
    const int wei_zp = prb->wei_zero_point;

    for (int64_t m = m_begin; m < m_end; m++) {
        for (int64_t n = 0; n < prb->n; n++) {
            float sum = 0;
            for (int64_t k = 0; k < prb->k; k++) {
                float s = src[src_off_f(prb, m, k)] - src_zp;
                float w =
                    wei[wei_off_f(prb, k, n)] - wei_zp; // k walks wei by a whole row: n * 4 bytes for ab
                sum += s * w;
            }
            dst[dst_off_f(prb, m, n)] = sum;
        }
    }
}

void compute_ref_relu(const float *src, float *dst, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        dst[i] = src[i] > 0 ? src[i] : 0;
}

const char *reference_build(void)
{
#ifdef __OPTIMIZE__
    return "optimised";
#else
    return "unoptimised";
#endif
}
