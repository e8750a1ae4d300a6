/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_cpu.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/cpu/identity.h"

#include <regex.h>
#include <stdlib.h>

static const char *const vendor_names[] = {
    [MICROARCHITECTURE_INTEL] = "GenuineIntel",
    [MICROARCHITECTURE_AMD] = "AuthenticAMD",
    [MICROARCHITECTURE_HYGON] = "HygonGenuine",
};

static void id_add(struct table_cpu *cpu, const struct microarchitecture *row, uint32_t model, uint32_t stepping)
{
    if (cpu->id_count == TABLE_CPU_IDS_MOST)
        return;
    char *id = cpu->ids[cpu->id_count++];
    if (row->vendor == MICROARCHITECTURE_ARM)
        snprintf(id, sizeof(cpu->ids[0]), "0x00000000%02x0f%04x", row->family, model << 4);
    else
        snprintf(id, sizeof(cpu->ids[0]), "%s-%u-%02X-%X", vendor_names[row->vendor], row->family, model, stepping);
}

/* An Arm's identification without variant and revision, which mapfiles don't tell apart. */
static void midr_normalise(char *id, size_t size)
{
    uint64_t midr;
    if (view_starts(view_of(id), "0x") && view_u64(view_of(id), 16, &midr))
        snprintf(id, size, "0x%016llx", (unsigned long long)(midr & ~0x00f0000full));
}

static bool row_has_id(const struct microarchitecture *row, const char *id)
{
    for (uint32_t model = row->model_first; model <= row->model_last; model++)
        for (uint32_t stepping = row->stepping_first; stepping <= row->stepping_last && stepping < 16; stepping++) {
            struct table_cpu candidate = {0};
            id_add(&candidate, row, model, stepping);
            const char *last = strrchr(candidate.ids[0], '-');
            size_t length = last ? (size_t)(last - candidate.ids[0]) : 0;
            if (strcasecmp(id, candidate.ids[0]) == 0 ||
                (last && strlen(id) == length && strncasecmp(id, candidate.ids[0], length) == 0))
                return true;
        }
    return false;
}

/* The row of an identification; without a stepping, the first that has the model. */
static void row_find(struct table_cpu *cpu)
{
    for (size_t at = 0; at < microarchitecture_row_count && !cpu->microarchitecture; at++)
        if (row_has_id(&microarchitecture_rows[at], cpu->ids[0])) {
            cpu->microarchitecture = &microarchitecture_rows[at];
            cpu->name = cpu->microarchitecture->key;
        }
}

void table_cpu_from_word(struct table_cpu *cpu, const char *word, struct arena *arena)
{
    *cpu = (struct table_cpu){.name = arena_string(arena, word)};
    for (size_t at = 0; at < microarchitecture_row_count; at++) {
        const struct microarchitecture *row = &microarchitecture_rows[at];
        if (strcasecmp(row->key, word) != 0 && strcasecmp(row->name, word) != 0)
            continue;
        if (!cpu->microarchitecture)
            cpu->microarchitecture = row;
        cpu->name = row->key;
        id_add(cpu, row, row->model_first, row->stepping_first);
    }
    if (!cpu->id_count && (strchr(word, '-') || strncmp(word, "0x", 2) == 0) && strlen(word) < sizeof(cpu->ids[0])) {
        snprintf(cpu->ids[0], sizeof(cpu->ids[0]), "%s", word);
        snprintf(cpu->exact, sizeof(cpu->exact), "%s", word);
        midr_normalise(cpu->ids[0], sizeof(cpu->ids[0]));
        cpu->id_count = 1;
    }
    if (!cpu->microarchitecture && cpu->id_count)
        row_find(cpu);
}

static void exact_set(struct table_cpu *cpu, const struct cpu_identity *identity)
{
    enum { ARCHITECTURE_BY_REGISTERS = 0xf };
    if (!identity->stepping.known)
        return;
    if (identity->vendor_kind != MICROARCHITECTURE_ARM)
        memcpy(cpu->exact, cpu->ids[0], sizeof(cpu->exact));
    else if (identity->variant.known && identity->family.known)
        snprintf(cpu->exact, sizeof(cpu->exact), "0x%016llx",
                 (unsigned long long)identity->family.value << 24 | (unsigned long long)identity->variant.value << 20 |
                     ARCHITECTURE_BY_REGISTERS << 16 | (unsigned long long)identity->model.value << 4 |
                     (unsigned long long)identity->stepping.value);
}

bool table_cpu_from_identity(struct table_cpu *cpu, const struct cpu_identity *identity)
{
    *cpu = (struct table_cpu){.microarchitecture = identity->microarchitecture};
    if (!identity->microarchitecture || !identity->model.known)
        return false;
    cpu->name = identity->microarchitecture->key;
    id_add(cpu, identity->microarchitecture, (uint32_t)identity->model.value,
           identity->stepping.known ? (uint32_t)identity->stepping.value : 0);
    exact_set(cpu, identity);
    return true;
}

/* The whole of text, or all but a stepping that the pattern doesn't speak of. */
static bool whole_match(const regex_t *regex, const char *text)
{
    regmatch_t match;
    size_t length = strlen(text);
    const char *last = strrchr(text, '-');
    if (regexec(regex, text, 1, &match, 0) != 0 || match.rm_so != 0)
        return false;
    return (size_t)match.rm_eo == length || (last && match.rm_eo == last - text);
}

bool table_cpu_matches(const struct table_cpu *cpu, struct view pattern)
{
    regex_t regex;
    scoped_free char *text = memory_printf("%.*s", (int)pattern.length, pattern.text);
    if (!pattern.length || pattern.length > 200 || regcomp(&regex, text, REG_EXTENDED | REG_ICASE) != 0)
        return false;
    bool matches = false;
    for (size_t at = 0; at < cpu->id_count && !matches; at++)
        matches = whole_match(&regex, cpu->ids[at]);
    regfree(&regex);
    return matches;
}
