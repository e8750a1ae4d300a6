/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of virtual functions in a stripped shared object made here: whole, cut off at every length, and with every bit flipped. */
#include "test.h"

#include "symbol/elf/class_tables.h"

#include <elf.h>
#include <string.h>

enum { TEXT_ADDR = 0x10000, TEXT_BYTES = 0x1000, WORDS = 64, RELOCATIONS_MOST = 48, NAMES_BYTES = 128 };

/* Where in the data what stands, in words. */
enum {
    SHAPE_TYPE = 0,   /* its kind's table, name */
    ROUND_TYPE = 4,   /* its kind's table, name, base */
    BALL_TYPE = 8,
    OTHER_TYPE = 12,
    SHAPE_TABLE = 16, /* to the top, type, functions */
    ROUND_TABLE = 24,
    BALL_TABLE = 32,
    OTHER_TABLE = 40,
    ROW_OF_FUNCTIONS = ROUND_TYPE + 3, /* behind a class's type information stand functions that are in no class */
    SECOND_BALL_TABLE = 48, /* of a base that lies 16 bytes into it */
};

/* The functions. */
enum { DRAW = TEXT_ADDR + 0x10, ROLL = TEXT_ADDR + 0x40, BOUNCE = TEXT_ADDR + 0x80, SHARED = TEXT_ADDR + 0xc0, ALONE = TEXT_ADDR + 0x100, SPUN = TEXT_ADDR + 0x140, FREE = TEXT_ADDR + 0x180 };

struct object {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[7];
    char section_names[64];
    Elf64_Sym symbols[5];
    char symbol_names[NAMES_BYTES];
    Elf64_Rela relocations[RELOCATIONS_MOST];
    char class_names[64];
    uint64_t data[WORDS];
};

#define AT(member) offsetof(struct object, member)
#define WORD_ADDR(word) (AT(data) + 8u * (unsigned)(word))

static void place(struct object *object, size_t *count, uint64_t word, uint64_t target)
{
    object->relocations[(*count)++] = (Elf64_Rela){WORD_ADDR(word), ELF64_R_INFO(0, R_X86_64_RELATIVE), (int64_t)target};
}

static void place_symbol(struct object *object, size_t *count, uint64_t word, uint32_t symbol, int64_t addend)
{
    object->relocations[(*count)++] = (Elf64_Rela){WORD_ADDR(word), ELF64_R_INFO(symbol, R_X86_64_64), addend};
}

static void type_make(struct object *object, size_t *count, unsigned word, uint32_t kind, unsigned name, unsigned base)
{
    place_symbol(object, count, word, kind, 16);
    place(object, count, word + 1, AT(class_names) + name);
    if (base != WORDS)
        place(object, count, word + 2, WORD_ADDR(base));
}

static void object_make(struct object *object)
{
    static const char names[] = "\0_ZTVN10__cxxabiv117__class_type_infoE\0_ZTVN10__cxxabiv120__si_class_type_infoE\0__cxa_pure_virtual";
    static const char section_names[] = "\0.text\0.data.rel.ro\0.rela.dyn\0.dynsym\0.dynstr\0.shstrtab";
    enum { CLASS = 1, DERIVED, PURE };
    size_t count = 0;
    memset(object, 0, sizeof(*object));
    object->header = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_DYN,
                                  .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr), .e_phoff = AT(segment),
                                  .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1, .e_shoff = AT(sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 7, .e_shstrndx = 6};
    object->segment = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = sizeof(*object), .p_memsz = sizeof(*object)};
    const Elf64_Shdr sections[7] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = TEXT_ADDR, .sh_size = TEXT_BYTES},
        {.sh_name = 7, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE, .sh_addr = AT(data), .sh_offset = AT(data), .sh_size = sizeof(object->data)},
        {.sh_name = 20, .sh_type = SHT_RELA, .sh_flags = SHF_ALLOC, .sh_offset = AT(relocations), .sh_size = sizeof(object->relocations), .sh_link = 4, .sh_entsize = sizeof(Elf64_Rela)},
        {.sh_name = 30, .sh_type = SHT_DYNSYM, .sh_flags = SHF_ALLOC, .sh_offset = AT(symbols), .sh_size = sizeof(object->symbols), .sh_link = 5, .sh_entsize = sizeof(Elf64_Sym)},
        {.sh_name = 38, .sh_type = SHT_STRTAB, .sh_flags = SHF_ALLOC, .sh_offset = AT(symbol_names), .sh_size = NAMES_BYTES},
        {.sh_name = 46, .sh_type = SHT_STRTAB, .sh_offset = AT(section_names), .sh_size = sizeof(section_names)},
    };
    memcpy(object->sections, sections, sizeof(sections));
    memcpy(object->section_names, section_names, sizeof(section_names));
    memcpy(object->symbol_names, names, sizeof(names));
    memcpy(object->class_names, "5Shape\0005Round\0004Ball\0005Other", 27);
    object->symbols[CLASS].st_name = 1;
    object->symbols[DERIVED].st_name = 39;
    object->symbols[PURE].st_name = 80;
    type_make(object, &count, SHAPE_TYPE, CLASS, 0, WORDS);
    type_make(object, &count, ROUND_TYPE, DERIVED, 7, SHAPE_TYPE);
    type_make(object, &count, BALL_TYPE, DERIVED, 14, ROUND_TYPE);
    type_make(object, &count, OTHER_TYPE, DERIVED, 20, SHAPE_TYPE);
    place(object, &count, ROW_OF_FUNCTIONS, FREE);
    place(object, &count, SHAPE_TABLE + 1, WORD_ADDR(SHAPE_TYPE));
    place_symbol(object, &count, SHAPE_TABLE + 2, PURE, 0);
    place(object, &count, SHAPE_TABLE + 3, DRAW);
    place(object, &count, ROUND_TABLE + 1, WORD_ADDR(ROUND_TYPE));
    place(object, &count, ROUND_TABLE + 2, ROLL);
    place(object, &count, ROUND_TABLE + 3, DRAW);
    place(object, &count, BALL_TABLE + 1, WORD_ADDR(BALL_TYPE));
    place(object, &count, BALL_TABLE + 2, BOUNCE);
    place(object, &count, BALL_TABLE + 3, SHARED);
    place(object, &count, BALL_TABLE + 4, ROLL);
    place(object, &count, OTHER_TABLE + 1, WORD_ADDR(OTHER_TYPE));
    place(object, &count, OTHER_TABLE + 2, SHARED);
    place(object, &count, OTHER_TABLE + 3, ALONE);
    object->data[SECOND_BALL_TABLE] = -UINT64_C(16);
    place(object, &count, SECOND_BALL_TABLE + 1, WORD_ADDR(BALL_TYPE));
    place(object, &count, SECOND_BALL_TABLE + 2, SPUN);
    cr_assert_leq(count, RELOCATIONS_MOST);
}

static const char *class_in(const void *bytes, size_t size_bytes, uint64_t function, char *ret_name, size_t room)
{
    struct elf_file elf;
    struct placed_pointers pointers;
    *ret_name = '\0';
    if (!elf_file_of_bytes(&elf, bytes, size_bytes, NULL))
        return NULL;
    placed_pointers_read(&pointers, &elf);
    const char *class = class_of_virtual(&pointers, function);
    if (class)
        snprintf(ret_name, room, "%s", class);
    placed_pointers_done(&pointers);
    elf_file_close(&elf);
    return class ? ret_name : NULL;
}

Test(class_tables, the_class_that_a_function_is_of)
{
    static const struct {
        uint64_t function;
        const char *class;
    } rows[] = {
        {DRAW, "5Shape"},   /* inherited: behind a pure virtual one */
        {ROLL, "5Round"},
        {BOUNCE, "4Ball"},
        {SHARED, "5Shape"}, /* of two classes: what both are derived from */
        {ALONE, "5Other"},
        {SPUN, "4Ball"},    /* of its second table */
        {FREE, NULL},       /* a row of functions that no table is */
        {TEXT_ADDR + 0x200, NULL},
        {0, NULL},
    };
    struct object object;
    char name[64];
    object_make(&object);
    for (size_t row = 0; row < array_count(rows); row++) {
        const char *class = class_in(&object, sizeof(object), rows[row].function, name, sizeof(name));
        cr_assert((!class && !rows[row].class) || (class && rows[row].class && strcmp(class, rows[row].class) == 0), "row %zu: %s", row, class ? class : "none");
    }
}

Test(class_tables, classes_that_nothing_joins_name_no_function)
{
    struct object object;
    char name[64];
    object_make(&object);
    for (size_t at = 0; at < RELOCATIONS_MOST; at++) /* Other is derived from nothing here */
        if (object.relocations[at].r_offset == WORD_ADDR(OTHER_TYPE + 2))
            object.relocations[at].r_info = 0;
    cr_assert_null(class_in(&object, sizeof(object), SHARED, name, sizeof(name)));
    cr_assert_str_eq(class_in(&object, sizeof(object), ALONE, name, sizeof(name)), "5Other");
}

Test(class_tables, damaged)
{
    struct object object;
    char name[64];
    object_make(&object);
    struct edge edge = edge_copy(&object, sizeof(object));
    for (size_t bit = 0; bit < 8 * sizeof(object); bit++) {
        edge.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        (void)class_in(edge.bytes, edge.size_bytes, bit % 2 ? SHARED : ROLL, name, sizeof(name));
        edge.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    edge_free(&edge);
    for (size_t size = 0; size < sizeof(object); size++) {
        edge = edge_copy(&object, size);
        (void)class_in(edge.bytes, size, ROLL, name, sizeof(name));
        edge_free(&edge);
    }
}
