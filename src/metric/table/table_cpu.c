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
        snprintf(id, sizeof(cpu->ids[0]), "0x00000000%02xf%04x", row->family, model << 4);
    else
        snprintf(id, sizeof(cpu->ids[0]), "%s-%u-%02X-%X", vendor_names[row->vendor], row->family, model, stepping);
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
    if (!cpu->id_count && (strchr(word, '-') || strncmp(word, "0x", 2) == 0) && strlen(word) < sizeof(cpu->ids[0]))
        snprintf(cpu->ids[cpu->id_count++], sizeof(cpu->ids[0]), "%s", word);
    for (size_t at = 0; !cpu->microarchitecture && cpu->id_count && at < microarchitecture_row_count; at++) {
        const struct microarchitecture *row = &microarchitecture_rows[at];
        struct table_cpu candidate = {0};
        for (uint32_t model = row->model_first; model <= row->model_last && !cpu->microarchitecture; model++) {
            candidate.id_count = 0;
            id_add(&candidate, row, model, row->stepping_first);
            char *end = candidate.ids[0] + strlen(candidate.ids[0]);
            if (row->vendor != MICROARCHITECTURE_ARM)
                end = strrchr(candidate.ids[0], '-');
            if (strncasecmp(word, candidate.ids[0], (size_t)(end - candidate.ids[0])) == 0) {
                uint64_t stepping = 0;
                const char *last = strrchr(word, '-');
                bool has_stepping = row->vendor != MICROARCHITECTURE_ARM && strlen(word) > (size_t)(end - candidate.ids[0]);
                if (has_stepping && view_u64(view_of(last + 1), 16, &stepping) &&
                    (stepping < row->stepping_first || stepping > row->stepping_last))
                    continue;
                cpu->microarchitecture = row;
                cpu->name = row->key;
            }
        }
    }
}

bool table_cpu_from_identity(struct table_cpu *cpu, const struct cpu_identity *identity)
{
    *cpu = (struct table_cpu){.microarchitecture = identity->microarchitecture};
    if (!identity->microarchitecture || !identity->model.known)
        return false;
    cpu->name = identity->microarchitecture->key;
    id_add(cpu, identity->microarchitecture, (uint32_t)identity->model.value,
           identity->stepping.known ? (uint32_t)identity->stepping.value : 0);
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
