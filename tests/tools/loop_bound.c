/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests: the bounds of all loops in a piece of x86-64 code, a line each.
 * Usage: loop_bound CORE FILE OFFSET SIZE [-v]; FILE "-": hexadecimal bytes on standard input, a piece a line.
 */
#include "analyse/loop/loop_bound.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rows {
    struct instruction *items;
    size_t count, capacity;
};

static void print_chain(const char *name, const struct loop_result_chain *chain)
{
    printf(" %s=%.2f", name, chain->cycles);
    for (size_t kind = 0; kind < CHAIN_KINDS; kind++)
        if (chain->kind_cycles[kind] > 0)
            printf(" %s.%zu=%.2f", name, kind, chain->kind_cycles[kind]);
}

static void print_bound(const struct loop_bound *bound, const struct instruction *rows, struct loop_rows loop, bool verbose)
{
    struct text units = {0};
    printf("%#llx-%#llx", (unsigned long long)rows[loop.first].addr, (unsigned long long)rows[loop.last].addr);
    if (!bound->known) {
        printf(" unknown: %s\n", bound->why_not);
        return;
    }
    core_units_text(bound->core, bound->units, &units);
    printf(" cycles=%.2f limit='%s' frontend=%.2f slots=%.1f units=%.2f(%s) kind='%s'", bound->cycles, loop_limit_name(bound->limit),
           bound->frontend_cycles, bound->slots, bound->unit_cycles, text_string(&units), unit_kind_name(bound->unit_kind));
    print_chain("chain", &bound->chain);
    print_chain("same", &bound->chain_if_same);
    printf(" approximate=%d lower=%d unknown=%u(%s) rows=%u\n", bound->is_approximate, bound->is_lower, bound->unknown_count,
           bound->unknown_mnemonic ? bound->unknown_mnemonic : "", bound->row_count);
    for (uint32_t at = 0; verbose && at < bound->chain.row_count; at++)
        printf("    chain %#llx %s\n", (unsigned long long)rows[bound->chain.rows[at]].addr, rows[bound->chain.rows[at]].mnemonic);
    text_done(&units);
}

static void print_code(struct disassembler *disassembler, const struct core_costs *core, const uint8_t *bytes, size_t size, bool verbose)
{
    vec(struct instruction) rows = {0};
    struct instruction row;
    for (size_t at = 0; at < size && disassembler_next(disassembler, bytes + at, size - at, at, &row); at += row.length)
        *vec_push(&rows) = row;
    for (uint32_t at = 0; at < rows.count; at++) {
        const struct instruction *jump = &rows.items[at];
        struct loop_rows loop = {UINT32_MAX, at};
        if (!jump->has_target || jump->class == INSTRUCTION_CALL || jump->target > jump->addr)
            continue;
        for (uint32_t to = 0; to <= at; to++)
            if (rows.items[to].addr == jump->target)
                loop.first = to;
        if (loop.first == UINT32_MAX)
            continue;
        struct loop_bound bound;
        struct loop_bound_request request = {.rows = rows.items, .loop = loop, .core = core};
        loop_bound_find(&bound, &request);
        print_bound(&bound, rows.items, loop, verbose);
        if (verbose)
            for (uint32_t each = loop.first; each <= loop.last; each++) {
                struct instruction_cost cost = instruction_cost_of(core, &rows.items[each]);
                struct text text = {0};
                disassembler_text(disassembler, &rows.items[each], bytes + rows.items[each].addr, NULL, NULL, &text);
                printf("    %-50s known=%d latency=%.1f load=%.1f slots=%.1f", text_string(&text), cost.known, (double)cost.latency,
                       (double)cost.load_latency, (double)cost.slots);
                for (int part = 0; part < cost.part_count; part++)
                    printf(" %#x*%.1f", cost.parts[part].units, (double)cost.parts[part].cycles);
                printf("\n");
                text_done(&text);
            }
    }
    vec_done(&rows);
}

static size_t hex_read(const char *line, uint8_t *bytes, size_t most)
{
    size_t count = 0;
    for (unsigned value; count < most; line += 2) {
        while (*line == ' ')
            line++;
        if (sscanf(line, "%2x", &value) != 1)
            break;
        bytes[count++] = (uint8_t)value;
    }
    return count;
}

int main(int argc, char **argv)
{
    static uint8_t bytes[1 << 20];
    static char line[1 << 20];
    struct disassembler *disassembler;
    struct error err = {0};
    const struct core_costs *core = argc > 2 ? core_costs_find(argv[1]) : NULL;
    bool verbose = argc > 3 && strcmp(argv[argc - 1], "-v") == 0;
    if (!core || !disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err)) {
        fprintf(stderr, "loop_bound: %s\n", core ? err.message : "no such core");
        return 2;
    }
    if (strcmp(argv[2], "-") == 0) {
        while (fgets(line, sizeof(line), stdin))
            print_code(disassembler, core, bytes, hex_read(line, bytes, sizeof(bytes)), verbose);
    } else if (argc > 4) {
        FILE *file = fopen(argv[2], "rb");
        if (!file || fseek(file, (long)strtoull(argv[3], NULL, 0), SEEK_SET))
            return 2;
        size_t size = strtoull(argv[4], NULL, 0);
        print_code(disassembler, core, bytes, fread(bytes, 1, size < sizeof(bytes) ? size : sizeof(bytes), file), verbose);
        fclose(file);
    }
    disassembler_free(disassembler);
    return 0;
}
