/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One sample as lines of text, field by field as perf script writes them.
 *
 * Numbers are formatted here; what a location is called is kept as whole lines, which a sample's text borrows.
 */
#ifndef PLUMB_COMMAND_SCRIPT_SCRIPT_TEXT_H
#define PLUMB_COMMAND_SCRIPT_SCRIPT_TEXT_H

#include "analyse/profile/places.h"
#include "base/arena.h"
#include "base/spliced_text.h"
#include "capture/capture.h"
#include "decode/tracepoint_text.h"
#include "symbol/disassembly.h"
#include "symbol/symboliser.h"

enum script_field {
    FIELD_COMM = 1 << 0,
    FIELD_PID = 1 << 1,
    FIELD_TID = 1 << 2,
    FIELD_CPU = 1 << 3,
    FIELD_TIME = 1 << 4,
    FIELD_PERIOD = 1 << 5,
    FIELD_EVENT = 1 << 6,
    FIELD_TRACE = 1 << 7,
    FIELD_ADDR = 1 << 8,
    FIELD_WEIGHT = 1 << 9,
    FIELD_IP = 1 << 10,
    FIELD_SYM = 1 << 11,
    FIELD_SYMOFF = 1 << 12,
    FIELD_DSO = 1 << 13,
    FIELD_SRCLINE = 1 << 14,
    FIELD_IREGS = 1 << 15,
    FIELD_UREGS = 1 << 16,
    FIELD_BRSTACK = 1 << 17,
    FIELD_PHYS_ADDR = 1 << 18,
    FIELD_DATA_PAGE_SIZE = 1 << 19,
    FIELD_CODE_PAGE_SIZE = 1 << 20,
    FIELD_CGROUP = 1 << 21,
    FIELD_MISC = 1 << 22,
    FIELD_FLAGS = 1 << 23,
    FIELD_DATA_SRC = 1 << 24,
    FIELD_INS_LAT = 1 << 25,
    FIELD_RETIRE_LAT = 1 << 26,
    FIELD_BRSTACKSYM = 1 << 27,
    FIELD_INSN = 1 << 28,
    FIELD_INSNLEN = 1 << 29,
    FIELD_BRSTACKOFF = 1 << 30,
    FIELD_BLANK = 1u << 31, /* what only decoded hardware traces have, and other recordings leave out */
};

/* What one location is called, kept from the first time on: whole lines. */
struct script_name {
    uint64_t ip;            /* that its lines begin with */
    const char *lines;      /* SPLICE_PADDING bytes more can be read */
    const uint32_t *begins; /* where each line begins */
    uint32_t length, count; /* of all; of lines, 0: not yet made */
};

struct script_names {
    struct script_name *items; /* by location */
    size_t count, capacity;
};

/* What a sample's time is counted from. */
enum script_clock {
    CLOCK_RECORDED,
    CLOCK_FIRST,   /* from what was printed first */
    CLOCK_PREVIOUS /* from what was printed before it */
};

struct script_text {
    struct spliced_text out; /* borrows the lines of names */
    bool nanoseconds, hide_chains;
    enum script_clock clock;
    uint64_t clock_zero_ns; /* 0: nothing was printed yet */
    uint32_t stack_most;
    const char *stops; /* functions that end a stack, with commas; NULL: none */
    unsigned event_name_width;
    struct tracepoint_text *tracepoints; /* NULL: raw bytes are shown */
    size_t memory_width; /* of the widest data_src so far: what follows stands below each other */
    struct disassembler *disassembler; /* NULL until an instruction's length was asked for */
    bool no_disassembler;
    struct symboliser *symboliser;
    struct places *places;
    struct capture *capture;
    const struct source *source;
    struct script_names names[16]; /* by which of FIELD_SYM to FIELD_SRCLINE they have */
    struct arena lines;            /* of names: they stay */
    struct text scratch;
};

/* Whether a list with commas has a name. */
bool script_name_listed(const char *list, const char *name);

void script_text_done(struct script_text *script);
/* Append the sample with these fields (enum script_field). */
void script_text_sample(struct script_text *script, unsigned fields, const struct record *record,
                        const struct sample *sample);

/* Append a record that is no sample (script_record_is_shown), with those of the fields that all records have. */
void script_text_record(struct script_text *script, unsigned fields, const struct record *record);

#endif
