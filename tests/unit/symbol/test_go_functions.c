/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function table of a Go program, in a file made here: whole, cut off at every length, and with every bit flipped. */
#include "test.h"

#include "symbol/elf/elf_file.h"
#include "symbol/elf/go_functions.h"

#include <elf.h>
#include <string.h>

enum { FUNCTIONS = 3, TEXT_ADDR = 0x401000, TEXT_BYTES = 0x100, NAMES_AT = 72, PAIRS_AT = 128, TABLE_BYTES = 256 };

struct table { /* as Go 1.20 writes it */
    uint32_t magic;
    uint8_t zeros[2], least_length, word_bytes;
    uint64_t functions, files, text, names, units, file_names, lines, pairs;
    char text_of_names[PAIRS_AT - NAMES_AT];
    uint32_t starts[FUNCTIONS * 2 + 1]; /* begin, description; where the last one ends */
    struct {
        uint32_t start, name;
    } descriptions[FUNCTIONS];
    uint8_t rest[TABLE_BYTES - PAIRS_AT - 4 * (FUNCTIONS * 2 + 1) - 8 * FUNCTIONS];
};

struct program {
    Elf64_Ehdr header;
    Elf64_Shdr sections[5];
    char section_names[64];
    struct table table;
};

static void program_make(struct program *program, uint32_t magic, uint64_t text_addr)
{
    static const char names[] = "\0main.main\0main.(*tree).add\0runtime.mallocgc";
    static const uint32_t name_at[FUNCTIONS] = {1, 11, 28}, starts[FUNCTIONS + 1] = {0, 0x20, 0x60, 0xa0};
    *program = (struct program){
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_EXEC,
                   .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_shoff = offsetof(struct program, sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5, .e_shstrndx = 3},
        .sections = {{0},
                     {.sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = TEXT_ADDR, .sh_size = TEXT_BYTES},
                     {.sh_name = 7, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_offset = offsetof(struct program, table),
                      .sh_size = sizeof(struct table)},
                     {.sh_name = 18, .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct program, section_names), .sh_size = 64},
                     {.sh_name = 28, .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC}},
        .section_names = "\0.text\0.gopclntab\0.shstrtab\0.go.buildinfo\0.data.rel.ro",
        .table = {.magic = magic, .least_length = 1, .word_bytes = 8, .functions = FUNCTIONS, .text = text_addr, .names = NAMES_AT,
                  .pairs = PAIRS_AT},
    };
    memcpy(program->table.text_of_names, names, sizeof(names));
    for (uint32_t at = 0; at <= FUNCTIONS; at++)
        program->table.starts[2 * at] = starts[at];
    for (uint32_t at = 0; at < FUNCTIONS; at++) {
        program->table.starts[2 * at + 1] = (uint32_t)(offsetof(struct table, descriptions) - PAIRS_AT + at * 8);
        program->table.descriptions[at].name = name_at[at];
        program->table.descriptions[at].start = starts[at];
    }
}

/* How many functions; ret_second: the name at its second function, "" for none. */
static size_t functions_of(const void *bytes, size_t size_bytes, char *ret_second)
{
    struct elf_file elf;
    struct symbol_index index = {0};
    *ret_second = '\0';
    if (!elf_file_of_bytes(&elf, bytes, size_bytes, NULL))
        return 0;
    size_t count = go_functions_read(&elf, &index);
    cr_assert_eq(count, index.symbols.count);
    symbol_index_sort(&index, false);
    uint32_t second = symbol_index_find(&index, TEXT_ADDR + 0x5f);
    if (second != SYMBOL_INDEX_NONE)
        snprintf(ret_second, 32, "%.31s", index.symbols.items[second].name);
    symbol_index_done(&index);
    elf_file_close(&elf);
    return count;
}

Test(go_functions, names_and_sizes_of_a_stripped_program)
{
    static const struct {
        uint32_t magic;
        uint64_t text_addr;
        size_t functions;
    } rows[] = {{0xfffffff1, TEXT_ADDR, FUNCTIONS}, {0xfffffff0, TEXT_ADDR, FUNCTIONS}, {0xfffffff1, 0, FUNCTIONS}, {0xfffffffb, TEXT_ADDR, 0}};
    struct program program;
    char second[32];
    for (size_t row = 0; row < array_count(rows); row++) {
        program_make(&program, rows[row].magic, rows[row].text_addr);
        cr_assert_eq(functions_of(&program, sizeof(program), second), rows[row].functions, "row %zu", row);
        cr_assert_str_eq(second, rows[row].functions ? "main.(*tree).add" : "");
    }
}

/* A C linker puts the table among data that are relocated once; only a program of Go is looked through for it. */
Test(go_functions, a_table_without_a_section_of_its_own)
{
    enum { BEFORE = 16, RELOCATED_NAME = 42, NO_NAME = 0 };
    struct program program;
    char second[32];
    program_make(&program, 0xfffffff1, 0);
    program.sections[2].sh_name = RELOCATED_NAME;
    program.sections[2].sh_offset -= BEFORE;
    program.sections[2].sh_size += BEFORE;
    cr_expect_eq(functions_of(&program, sizeof(program), second), FUNCTIONS);
    cr_expect_str_eq(second, "main.(*tree).add");
    program.sections[4].sh_name = NO_NAME;
    cr_expect_eq(functions_of(&program, sizeof(program), second), 0);
}

Test(go_functions, damaged)
{
    struct program program;
    char second[32];
    program_make(&program, 0xfffffff1, TEXT_ADDR);
    struct edge edge = edge_copy(&program, sizeof(program));
    for (size_t bit = 0; bit < 8 * sizeof(program); bit++) {
        edge.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert_leq(functions_of(edge.bytes, edge.size_bytes, second), TABLE_BYTES / 8);
        edge.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    edge_free(&edge);
    for (size_t size = 0; size < sizeof(program); size++) {
        edge = edge_copy(&program, size);
        cr_assert_leq(functions_of(edge.bytes, size, second), FUNCTIONS);
        edge_free(&edge);
    }
}
