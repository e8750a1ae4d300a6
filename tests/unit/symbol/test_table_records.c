/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of names and functions in a stripped shared object made here: whole, and with every bit flipped. */
#include "test.h"

#include "symbol/elf/table_records.h"

#include <elf.h>
#include <string.h>

enum { TEXT_ADDR = 0x10000, TEXT_BYTES = 0x1000, WORDS = 64, RELOCATIONS_MOST = 48, NAME_BYTES = 8, NAMES = 16 };

struct object {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[6];
    char section_names[64];
    Elf64_Rela relocations[RELOCATIONS_MOST];
    char names[NAMES][NAME_BYTES];
    uint64_t data[WORDS];
};

#define AT(member) offsetof(struct object, member)
#define WORD_ADDR(word) (AT(data) + 8u * (unsigned)(word))
#define FUNCTION(number) (TEXT_ADDR + 16u * (unsigned)(number))
#define NAME(number) (AT(names) + NAME_BYTES * (unsigned)(number))

/* layout: a word each: N a name, the next; F a function, the next; p a pointer to data; 0, 1: that number. */
static void object_make(struct object *object, const char *layout)
{
    static const char section_names[] = "\0.text\0.rodata\0.data.rel.ro\0.rela.dyn\0.shstrtab";
    size_t count = 0, names = 0, functions = 0;
    memset(object, 0, sizeof(*object));
    object->header = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_DYN,
                                  .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr), .e_phoff = AT(segment),
                                  .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1, .e_shoff = AT(sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 6, .e_shstrndx = 5};
    object->segment = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = sizeof(*object), .p_memsz = sizeof(*object)};
    const Elf64_Shdr sections[6] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = TEXT_ADDR, .sh_size = TEXT_BYTES},
        {.sh_name = 7, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = AT(names), .sh_offset = AT(names), .sh_size = sizeof(object->names)},
        {.sh_name = 15, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE, .sh_addr = AT(data), .sh_offset = AT(data), .sh_size = sizeof(object->data)},
        {.sh_name = 28, .sh_type = SHT_RELA, .sh_flags = SHF_ALLOC, .sh_offset = AT(relocations), .sh_size = sizeof(object->relocations), .sh_entsize = sizeof(Elf64_Rela)},
        {.sh_name = 38, .sh_type = SHT_STRTAB, .sh_offset = AT(section_names), .sh_size = sizeof(section_names)},
    };
    memcpy(object->sections, sections, sizeof(sections));
    memcpy(object->section_names, section_names, sizeof(section_names));
    for (size_t at = 0; at < NAMES; at++)
        snprintf(object->names[at], NAME_BYTES, "name%c", (char)('A' + at));
    for (size_t word = 0; layout[word]; word++) {
        uint64_t target = layout[word] == 'N' ? NAME(names++) : layout[word] == 'F' ? FUNCTION(functions++) : layout[word] == 'p' ? WORD_ADDR(0) : 0;
        cr_assert(count < RELOCATIONS_MOST && word < WORDS);
        if (target)
            object->relocations[count++] = (Elf64_Rela){WORD_ADDR(word), ELF64_R_INFO(0, R_X86_64_RELATIVE), (int64_t)target};
        else
            object->data[word] = (uint64_t)(layout[word] - '0');
    }
}

static const char *name_in(const void *bytes, size_t size_bytes, uint64_t function, char *ret_name)
{
    struct elf_file elf;
    struct placed_pointers pointers;
    *ret_name = '\0';
    if (!elf_file_of_bytes(&elf, bytes, size_bytes, NULL))
        return ret_name;
    placed_pointers_read(&pointers, &elf);
    struct view name = table_record_name(&pointers, function);
    snprintf(ret_name, 80, "%.*s", (int)name.length, name.text ? name.text : "");
    placed_pointers_done(&pointers);
    elf_file_close(&elf);
    return ret_name;
}

Test(table_records, the_name_beside_a_function)
{
    static const struct {
        const char *layout;
        unsigned function;
        const char *name;
    } rows[] = {
        {"NF1NF1NF1NF100", 1, "nameB"},           /* commands */
        {"NF1NF1NF1NF100", 3, "nameD"},
        {"NFNFNFNF", 2, "nameC"},
        {"FNFNFNFN", 2, ""},                      /* names behind functions */
        {"NNpp1FFF1NNpp1FFF1NNpp1FFF", 4, "nameC"}, /* a name, a description, data, then several functions */
        {"NNpp1FFF1NNpp1FFF1NNpp1FFF", 8, "nameE"},
        {"NF10000p1F0F", 0, ""},                  /* one of a kind is chance */
        {"N00FFp1N00FFp1N00FFp1N00FF", 2, ""},    /* classes without type information behind other data */
        {"NF1NF1NF1NF100", 4, ""},                /* in no table */
    };
    struct object object;
    char name[80];
    for (size_t row = 0; row < array_count(rows); row++) {
        object_make(&object, rows[row].layout);
        cr_expect_str_eq(name_in(&object, sizeof(object), FUNCTION(rows[row].function), name), rows[row].name, "row %zu: '%s'", row, name);
    }
}

Test(table_records, a_function_of_two_names_has_none)
{
    struct object object;
    char name[80];
    object_make(&object, "NF1NF1NF1NF100");
    object.relocations[3].r_addend = object.relocations[1].r_addend;
    cr_expect_str_eq(name_in(&object, sizeof(object), FUNCTION(0), name), "");
    cr_expect_str_eq(name_in(&object, sizeof(object), FUNCTION(3), name), "nameD");
}

Test(table_records, damaged)
{
    struct object object;
    char name[80];
    object_make(&object, "NNpp1FFF1NNpp1FFF1NNpp1FFF");
    struct edge edge = edge_copy(&object, sizeof(object));
    for (size_t bit = 0; bit < 8 * sizeof(object); bit++) {
        edge.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        (void)name_in(edge.bytes, edge.size_bytes, FUNCTION(bit % 9), name);
        edge.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    edge_free(&edge);
    for (size_t size = 0; size < sizeof(object); size++) {
        edge = edge_copy(&object, size);
        (void)name_in(edge.bytes, size, FUNCTION(4), name);
        edge_free(&edge);
    }
}
