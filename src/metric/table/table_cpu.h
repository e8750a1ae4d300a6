/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which CPU model is meant, and do a publisher's patterns for CPUs mean it?
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_CPU_H
#define PLUMB_METRIC_TABLE_TABLE_CPU_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "system/cpu/microarchitecture.h"

struct cpu_identity;

enum { TABLE_CPU_IDS_MOST = 8 };

struct table_cpu {
    const char *name; /* "SPR": the key of plumb's own list, or the word that the user wrote */
    const struct microarchitecture *microarchitecture; /* NULL: only the name is known */
    char ids[TABLE_CPU_IDS_MOST][64]; /* "GenuineIntel-6-8F-4", "0x00000000410fd490": as the publishers write them */
    size_t id_count;
    char exact[64]; /* with variant and revision, or stepping; "": not said */
};

/*
 * From a word: a key of data/microarchitectures.tsv in any case ("skx", "Neoverse-V2"), a model's name ("Zen 4"), or an
 * identification ("GenuineIntel-6-8F-4"). A word that is none of these stays the name that a folder may have.
 */
void table_cpu_from_word(struct table_cpu *cpu, const char *word, struct arena *arena);
/* This machine; false when its processor isn't known. */
bool table_cpu_from_identity(struct table_cpu *cpu, const struct cpu_identity *identity);
/* Whether a mapfile's pattern means it. An Arm's revision and variant don't count. */
bool table_cpu_matches(const struct table_cpu *cpu, struct view pattern);

#endif
