/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of a sample what most of those ask who count samples: who, where, how much and its call chain; read without decoding
 * a whole record.
 */
#ifndef PLUMB_DECODE_SAMPLE_HEAD_H
#define PLUMB_DECODE_SAMPLE_HEAD_H

#include "decode/layout.h"

struct sample_head {
    uint64_t sample_type; /* PERF_SAMPLE_*: what was recorded */
    uint64_t time, ip, addr, period; /* 0 where it wasn't */
    uint32_t pid, tid, cpu;          /* UINT32_MAX where it wasn't */
    uint32_t event;                  /* as struct record has it */
    uint16_t misc;
    enum cpu_mode cpu_mode;
    struct u64_view callchain; /* with its PERF_CONTEXT_* marks, as recorded */
};

struct sample_head sample_head_of(const struct record *record);
/*
 * The same from a sample's bytes: its header, and as many as that says. False where it isn't to be had like this: of
 * another byte order, with more than a head (struct sample_rest), or damaged; record_decode() tells.
 */
bool sample_head_read(struct record_layouts *layouts, const uint8_t *bytes, struct sample_head *ret_head);
/* Whether that can be so for any sample of these events. */
bool sample_heads_suffice(const struct record_layouts *layouts);

#endif
