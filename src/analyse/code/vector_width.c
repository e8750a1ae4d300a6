/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/vector_width.h"

static const struct {
    const char *key, *words;
} widths[VECTOR_WIDTH_COUNT] = {
    {"scalar_fp", "one number at a time"},
    {"bits_128", "128 bits"},
    {"bits_256", "256 bits"},
    {"bits_512", "512 bits"},
};

const char *vector_width_words(size_t at)
{
    return widths[at].words;
}

const char *vector_width_key(size_t at)
{
    return widths[at].key;
}

struct vector_width vector_width_of(const struct stalls *stalls)
{
    static const double MATTERS = 0.02;
    const uint64_t samples[VECTOR_WIDTH_COUNT] = {stalls->scalar_fp_samples, stalls->vector_samples[0],
                                                  stalls->vector_samples[1], stalls->vector_samples[2]};
    double total = (double)stalls->sample_count, read = (double)stalls->attributed_samples, any = 0;
    struct vector_width width = {.state = VECTOR_WIDTH_SHARES};
    if (!stalls->sample_count)
        return (struct vector_width){.state = VECTOR_WIDTH_UNKNOWN};
    for (size_t at = 0; at < VECTOR_WIDTH_COUNT; at++) {
        any += (double)samples[at];
        width.shares[at] = (double)samples[at] / total;
    }
    if (any < MATTERS * total) /* of code that can't be read nothing is known */
        width.state = read >= (double)stalls->user_samples / 2 ? VECTOR_WIDTH_NONE : VECTOR_WIDTH_UNKNOWN;
    width.no_vectors = (read > any ? read - any : 0) / total;
    return width;
}
