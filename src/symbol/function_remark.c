/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/function_remark.h"

#include "base/hashmap.h"
#include "base/scope.h"
#include "symbol/demangle.h"
#include "symbol/disassembly.h"
#include "symbol/dso_files.h"
#include "symbol/elf/class_tables.h"
#include "symbol/elf/place_uses.h"
#include "symbol/elf/table_records.h"
#include "symbol/known_constants.h"
#include "symbol/told_text.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODE_MOST = 256 * 1024, /* of a function that is read */
    APART_MOST = 16,        /* parts that were set apart */
    ASSERTED_MOST = 2,
    KNOWN_MOST = 2,         /* algorithms that are named */
    FILES_MOST = 16,
    TEXTS_MOST = 32,        /* that it may be told by */
    OTHERS_MOST = 3,        /* that refer to the same text: more, and it tells nothing */
    TEXT_LEAST = 6, TEXT_MOST = 400,
    LETTERS_LEAST_TOLD = 8, /* "error: %s" is anybody's */
    LETTERS_TOLD = 40, /* more of them tell no more */
    COLUMNS_LEAST = 24,
    GENERAL_REGISTERS = 64,
};

static const double LETTERS_LEAST = 0.7; /* and blanks, of a text that says something */

struct opened { /* a dso's tables, by its number */
    bool is_read;
    struct binary *binary; /* NULL: not to be read */
    struct placed_pointers pointers;
    bool has_uses; /* they were counted: only where a text tells */
    struct place_uses uses;
};

struct function_remarks {
    struct symboliser *symboliser;
    const struct recording *recording;
    struct disassembler *disassembler;
    struct opened *opened;
    size_t count;
};

struct function_remarks *function_remarks_new(struct symboliser *symboliser, const struct recording *recording)
{
    struct disassembler *disassembler;
    struct error ignored;
    if (strcmp(recording->architecture, "x86_64") != 0 ||
        !disassembler_new(&disassembler, recording->architecture, SYNTAX_ATT, &ignored))
        return NULL;
    struct function_remarks *remarks = memory_alloc(sizeof(*remarks));
    size_t count = recording->spaces.dso_count;
    *remarks = (struct function_remarks){symboliser, recording, disassembler,
                                         memory_alloc(memory_product(count + 1, sizeof(*remarks->opened))), count};
    memset(remarks->opened, 0, (count + 1) * sizeof(*remarks->opened));
    return remarks;
}

void function_remarks_free(struct function_remarks *remarks)
{
    if (!remarks)
        return;
    for (size_t at = 0; at < remarks->count; at++) {
        placed_pointers_done(&remarks->opened[at].pointers);
        place_uses_done(&remarks->opened[at].uses);
    }
    free(remarks->opened);
    disassembler_free(remarks->disassembler);
    free(remarks);
}

static struct opened *open_dso(struct function_remarks *remarks, uint32_t dso)
{
    struct opened *opened = &remarks->opened[dso];
    if (!opened->is_read) {
        opened->is_read = true;
        opened->binary = dso_files_binary(symboliser_files(remarks->symboliser), dso, NULL);
        if (opened->binary)
            placed_pointers_read(&opened->pointers, &opened->binary->elf);
    }
    return opened->binary ? opened : NULL;
}

/* ---- texts ---- */

struct told {
    struct view asserted[ASSERTED_MOST]; /* the names that assertions print: its own, and those of what was inlined */
    size_t asserted_count;
    struct told_file {
        struct view path;
        size_t places;
    } files[FILES_MOST]; /* of Rust's panics: its own, and those of what was inlined */
    size_t file_count;
    struct view record;            /* the name beside it in a table */
    const char *known[KNOWN_MOST]; /* algorithms whose constants it refers to */
    size_t known_count;
    struct told_text {
        struct view text;
        uint64_t place;
        size_t letters;
        unsigned uses; /* by this function */
    } texts[TEXTS_MOST];
    size_t text_count;
};

/* Up to what a sentence in brackets and quotes can't hold. */
static struct view quotable(struct view text)
{
    size_t length = 0;
    while (length < text.length && isprint((unsigned char)text.text[length]) && !strchr("\"(){}\\", text.text[length]))
        length++;
    return view_trim((struct view){text.text, length});
}

static struct view constants_at(const struct elf_file *elf, uint64_t addr)
{
    struct bytes_view bytes = elf_constant_bytes(elf, addr, TEXT_MOST);
    return (struct view){(const char *)bytes.bytes, bytes.size_bytes};
}

/* How many letters a text has that says something; 0: it says nothing. */
static size_t letters_of(struct view text)
{
    size_t letters = 0, blanks = 0, row = 0, longest = 0;
    for (size_t at = 0; at < text.length; at++) {
        bool is_letter = isalpha((unsigned char)text.text[at]);
        letters += is_letter;
        blanks += text.text[at] == ' ';
        row = is_letter ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    bool says = text.length >= TEXT_LEAST && longest >= 4 && letters >= LETTERS_LEAST_TOLD &&
                (double)(letters + blanks) >= LETTERS_LEAST * (double)text.length;
    return !says ? 0 : letters < LETTERS_TOLD ? letters : LETTERS_TOLD;
}

/* Rust hands its panics a place: a file's name, how long that is, line and column. */
static struct view panic_file(const struct opened *opened, uint64_t addr)
{
    const struct placed_pointer *name = placed_pointer_at(&opened->pointers, addr);
    struct bytes_view rest = name ? elf_bytes_at(&opened->binary->elf, addr + 8, 8) : (struct bytes_view){0};
    if (rest.size_bytes < 8)
        return (struct view){0};
    struct bytes at = bytes_of(rest.bytes, rest.size_bytes, false);
    uint64_t length = read_u64(&at);
    struct view text =
        length && length < TEXT_MOST ? constants_at(&opened->binary->elf, name->target) : (struct view){0};
    if (text.length < length || !length)
        return (struct view){0};
    text.length = length;
    return view_ends(text, ".rs") && quotable(text).length == length ? text : (struct view){0};
}

static bool is_rust(const struct opened *opened)
{
    static const char mark[] = "/rustc/"; /* what its standard library's own panics print */
    const struct elf_section *section = elf_section_named(&opened->binary->elf, ".rodata");
    struct bytes_view bytes = section ? elf_section_bytes(&opened->binary->elf, section) : (struct bytes_view){0};
    return bytes.size_bytes && memmem(bytes.bytes, bytes.size_bytes, mark, strlen(mark));
}

static bool is_same(struct view a, struct view b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static void take_file(struct told *told, struct view path)
{
    if (!path.length || text_is_of_a_library(path))
        return;
    size_t at = 0;
    while (at < told->file_count && !is_same(told->files[at].path, path))
        at++;
    if (at == FILES_MOST)
        return;
    if (at == told->file_count)
        told->files[told->file_count++].path = path;
    told->files[at].places++;
}

static void take_known(struct told *told, const char *words)
{
    for (size_t at = 0; at < told->known_count; at++)
        if (words && strcmp(told->known[at], words) == 0)
            return;
    if (words && told->known_count < KNOWN_MOST)
        told->known[told->known_count++] = words;
}

/* Constant data that it refers to. */
static void take_table(struct told *told, const struct elf_file *elf, uint64_t place, enum known_use use)
{
    enum { BYTES = 512 };
    uint64_t before = KNOWN_BEFORE_MOST;
    struct bytes_view bytes = elf_constant_bytes(elf, place - before, before + BYTES);
    if (!bytes.size_bytes) { /* it begins the section */
        before = 0;
        bytes = elf_constant_bytes(elf, place, BYTES);
    }
    take_known(told, bytes.size_bytes ? known_table(bytes.bytes, bytes.size_bytes, before, use) : NULL);
}

/* One number, or a vector of the same ones, that an instruction loads from constant data; false: it is neither. */
static bool loaded_number(const struct elf_file *elf, uint64_t place, size_t size_bytes, size_t element,
                          int64_t *ret_number)
{
    struct bytes_view view = elf_constant_bytes(elf, place, size_bytes);
    uint64_t first = 0;
    if (size_bytes < element || view.size_bytes < size_bytes)
        return false;
    memcpy(&first, view.bytes, element);
    for (size_t at = element; at + element <= size_bytes; at += element)
        if (memcmp(view.bytes, view.bytes + at, element) != 0)
            return false;
    *ret_number = (int64_t)first;
    return true;
}

static void take_number(struct told *told, struct known_numbers *numbers, int64_t number)
{
    take_known(told, known_numbers_take(numbers, number));
}

static void take_text(struct told *told, const struct opened *opened, uint64_t place)
{
    take_file(told, panic_file(opened, place));
    for (size_t at = 0; at < told->text_count; at++)
        if (told->texts[at].place == place) {
            told->texts[at].uses++;
            return;
        }
    struct view text = elf_constant_text(&opened->binary->elf, place);
    bool tells = !text_is_of_a_library(text) && !text_is_anybodys(text);
    size_t letters = tells ? letters_of(quotable(text)) : 0;
    if (letters && told->text_count < TEXTS_MOST)
        told->texts[told->text_count++] = (struct told_text){quotable(text), place, letters, 1};
}

/* One that nobody else refers to tells most, however short; what many do tells nothing. Empty: none tells. */
static struct view telling_text(const struct told *told, struct opened *opened)
{
    if (told->text_count && !opened->has_uses) {
        opened->has_uses = true;
        place_uses_read(&opened->uses, &opened->binary->elf);
    }
    const struct told_text *best = NULL;
    bool best_is_own = false;
    for (size_t at = 0; at < told->text_count; at++) {
        const struct told_text *text = &told->texts[at];
        unsigned all = place_uses_at(&opened->uses, text->place), others = all > text->uses ? all - text->uses : 0;
        bool is_better = !best || (others == 0) > best_is_own ||
                         ((others == 0) == best_is_own && text->letters > best->letters);
        if (others > OTHERS_MOST || !is_better)
            continue;
        best = text;
        best_is_own = others == 0;
    }
    return best ? best->text : (struct view){0};
}

/* ---- code ---- */

/* Which function's own name these take, and in which argument. */
static const struct asserting {
    const char *name;
    const char *argument;
} asserting[] = {
    {"__assert_fail@plt", "rcx"},
    {"g_return_if_fail_warning@plt", "rsi"},
    {"g_assertion_message_expr@plt", "rcx"},
};

struct reading {
    struct function_remarks *remarks;
    uint32_t dso;
    struct opened *opened;
    uint64_t start, end;              /* of the function: ELF addresses */
    uint64_t places[GENERAL_REGISTERS]; /* by register: the address that it was last given; 0: none */
    uint64_t apart[APART_MOST];
    size_t apart_count;
    struct known_numbers numbers;
    struct told told;
};

/* "lea place(%rip),%rdi"; at a fixed address "mov $place,%edi", too. */
static bool gives_place(const struct reading *reading, const struct instruction *row, uint64_t *ret_place)
{
    const char *mnemonic = row->mnemonic ? row->mnemonic : "";
    bool is_relative = strcmp(mnemonic, "lea") == 0 && row->sum_from == REGISTER_NONE && row->scaled == REGISTER_NONE &&
                       row->address_parts == 2;
    bool is_fixed = reading->opened->binary->elf.type == ET_EXEC && strcmp(mnemonic, "mov") == 0 &&
                    row->has_immediate && !row->is_store && row->writes;
    *ret_place = is_relative ? row->addr + row->length + (uint64_t)row->sum : (uint64_t)row->immediate;
    return is_relative || is_fixed;
}

/* Data that it accesses where they stand: "movdqa place(%rip),%xmm0"; at a fixed address "mov place(,%rax,4)", too. */
static bool accesses_place(const struct reading *reading, const struct instruction *row, uint64_t *ret_place)
{
    const struct memory_operand *memory = &row->memory;
    bool is_fixed = memory->is_present && !memory->is_relative && memory->segment == REGISTER_NONE &&
                    reading->opened->binary->elf.type == ET_EXEC && memory->displacement > 0;
    *ret_place = (memory->is_relative ? row->addr : 0) + (uint64_t)memory->displacement;
    return (memory->is_present && memory->is_relative) || is_fixed;
}

/* What it adds to a sum of registers: "lea 0x5a827999(%rax,%rcx),%edx"; or another number that it holds. */
static bool holds_number(const struct instruction *row, int64_t *ret_number)
{
    bool adds = row->mnemonic && strcmp(row->mnemonic, "lea") == 0 &&
                (row->sum_from != REGISTER_NONE || row->scaled != REGISTER_NONE);
    *ret_number = adds ? row->sum : row->immediate;
    return adds || row->has_immediate;
}

static void read_constants(struct reading *reading, const struct instruction *row, bool gives, uint64_t place)
{
    const struct elf_file *elf = &reading->opened->binary->elf;
    int64_t number;
    bool accesses = !gives && accesses_place(reading, row, &place);
    bool is_counted = gives || row->memory.index != REGISTER_NONE || row->memory.base != REGISTER_NONE;
    if (gives || accesses)
        take_table(&reading->told, elf, place, is_counted ? KNOWN_COUNTED_FROM : KNOWN_READ);
    for (size_t element = 4; accesses && row->is_load && element <= 8; element += 4)
        if (loaded_number(elf, place, row->memory.size_bytes, element, &number))
            take_number(&reading->told, &reading->numbers, number);
    if (holds_number(row, &number))
        take_number(&reading->told, &reading->numbers, number);
}

static void take_asserted(struct told *told, struct view name)
{
    name = quotable(name);
    for (size_t at = 0; at < told->asserted_count; at++)
        if (is_same(told->asserted[at], name))
            return;
    if (name.length && told->asserted_count < ASSERTED_MOST)
        told->asserted[told->asserted_count++] = name;
}

static void read_call(struct reading *reading, const struct instruction *row)
{
    const char *architecture = reading->remarks->recording->architecture;
    uint64_t offset = 0;
    const char *name =
        row->has_target ? symboliser_name_at(reading->remarks->symboliser, reading->dso, row->target, &offset) : NULL;
    for (size_t at = 0; name && !offset && at < array_count(asserting); at++)
        for (unsigned number = 0; strcmp(name, asserting[at].name) == 0 && number < GENERAL_REGISTERS; number++)
            if (reading->places[number] && strcmp(register_name(architecture, number), asserting[at].argument) == 0)
                take_asserted(&reading->told,
                              elf_constant_text(&reading->opened->binary->elf, reading->places[number]));
}

/* Its description begins with what a function does first: no function's beginning, but a part of one. */
static bool is_set_apart(const struct frame_description *part)
{
    enum {
        ADVANCE_LOCATION = 1,
        FIRST_OPERATION = 6,
        OPERATION_NOP = 0,
        OPERATION_ADVANCE_FIRST = 2,
        OPERATION_ADVANCE_LAST = 4
    };
    struct bytes own = part->own;
    uint8_t first = read_u8(&own);
    return !own.failed && first >> FIRST_OPERATION != ADVANCE_LOCATION && first != OPERATION_NOP &&
           !(first >= OPERATION_ADVANCE_FIRST && first <= OPERATION_ADVANCE_LAST);
}

/* The function, or the part of one, that a branch leaves this code for. */
static bool leaves_for(const struct reading *reading, const struct instruction *row, struct frame_description *ret_part)
{
    bool jumps = row->class == INSTRUCTION_BRANCH || row->class == INSTRUCTION_JUMP;
    bool leaves = jumps && row->has_target && (row->target < reading->start || row->target >= reading->end);
    return leaves && binary_frame_find(reading->opened->binary, row->target, ret_part) &&
           ret_part->start != reading->start;
}

static void read_branch(struct reading *reading, const struct instruction *row)
{
    struct frame_description part;
    if (reading->apart_count == APART_MOST || !leaves_for(reading, row, &part) || !is_set_apart(&part))
        return;
    for (size_t at = 0; at < reading->apart_count; at++)
        if (reading->apart[at] == part.start)
            return;
    reading->apart[reading->apart_count++] = part.start;
}

static void read_code(struct reading *reading, uint64_t start, uint64_t size_bytes)
{
    struct bytes_view code =
        elf_bytes_at(&reading->opened->binary->elf, start, size_bytes < CODE_MOST ? size_bytes : CODE_MOST);
    struct instruction row;
    memset(reading->places, 0, sizeof(reading->places));
    for (size_t into = 0; into < code.size_bytes; into += row.length) {
        if (!disassembler_next(reading->remarks->disassembler, code.bytes + into, code.size_bytes - into, start + into,
                               &row) ||
            !row.length)
            return;
        uint64_t place;
        bool gives = gives_place(reading, &row, &place);
        for (unsigned number = 0; number < GENERAL_REGISTERS; number++)
            if (row.writes >> number & 1)
                reading->places[number] = gives ? place : 0;
        if (gives)
            take_text(&reading->told, reading->opened, place);
        read_constants(reading, &row, gives, place);
        if (row.class == INSTRUCTION_CALL)
            read_call(reading, &row);
        read_branch(reading, &row);
        if (!row.falls_through)
            memset(reading->places, 0, sizeof(reading->places));
    }
}

static void read_apart(struct reading *reading)
{
    struct frame_description part;
    for (size_t at = 0; at < reading->apart_count; at++)
        if (binary_frame_find(reading->opened->binary, reading->apart[at], &part))
            read_code(reading, part.start, part.end - part.start);
}

/* ---- words ---- */

/* A text of at most so many columns, cut behind a word. */
static const char *cut(struct view text, size_t columns, struct arena *arena)
{
    if (text.length <= columns)
        return arena_string_n(arena, text.text, text.length);
    size_t length = columns - 2;
    while (length > columns / 2 && text.text[length] != ' ')
        length--;
    return arena_printf(arena, "%.*s..", (int)length, text.text);
}

/* The file that it has most to do with, from its crate on. */
static struct view file_of(const struct told *told)
{
    static const char registry[] = "/registry/";
    const struct told_file *most = &told->files[0];
    for (size_t at = 1; at < told->file_count; at++)
        most = told->files[at].places > most->places ? &told->files[at] : most;
    const char *crate = memmem(most->path.text, most->path.length, registry, strlen(registry));
    return crate ? view_skip(most->path, (size_t)(crate - most->path.text) + strlen(registry)) : most->path;
}

/* The end of a file's path says most. */
static const char *file_cut(struct view path, size_t columns, struct arena *arena)
{
    while (path.length > columns) {
        const char *slash = memchr(path.text + 1, '/', path.length - 1);
        if (!slash)
            return cut(path, columns, arena);
        path = view_skip(path, (size_t)(slash + 1 - path.text));
    }
    return arena_string_n(arena, path.text, path.length);
}

static const char *class_words(const struct opened *opened, uint64_t start, size_t columns, struct arena *arena)
{
    static const char lead[] = "a virtual function of ", ending[] = "typeinfo for ";
    const char *mangled = class_of_virtual(&opened->pointers, start);
    scoped_free char *plain = mangled ? demangle(arena_printf(arena, "_ZTI%s", mangled), true) : NULL;
    if (!plain || strncmp(plain, ending, strlen(ending)) != 0)
        return NULL;
    scoped_text struct text out = {0};
    text_add(&out, lead);
    text_add_name(&out, plain + strlen(ending), columns - strlen(lead));
    return arena_string(arena, text_string(&out));
}

/* "AES's S-box and the table of CRC-32": as many as there is room for. */
static const char *known_words(const struct told *told, size_t columns, struct arena *arena)
{
    static const char both[] = " and ";
    size_t first = strlen(told->known[0]);
    if (told->known_count > 1 && first + strlen(both) + strlen(told->known[1]) <= columns)
        return arena_printf(arena, "%s%s%s", told->known[0], both, told->known[1]);
    return cut(view_of(told->known[0]), columns, arena);
}

static const char *told_words(const struct told *told, struct view text, size_t columns, struct arena *arena)
{
    static const char asserts[] = "asserts as \"\"", both[] = "\", \"", refers[] = "refers to \"\"",
                      beside[] = "beside \"\" in a table";
    if (told->asserted_count > 1 &&
        told->asserted[0].length + told->asserted[1].length + strlen(asserts) + strlen(both) <= columns)
        return arena_printf(arena, "asserts as \"%.*s%s%.*s\"", (int)told->asserted[0].length, told->asserted[0].text,
                            both, (int)told->asserted[1].length, told->asserted[1].text);
    if (told->asserted_count)
        return arena_printf(arena, "asserts as \"%s\"", cut(told->asserted[0], columns - strlen(asserts), arena));
    if (told->record.length)
        return arena_printf(arena, "beside \"%s\" in a table",
                            cut(quotable(told->record), columns - strlen(beside), arena));
    if (told->known_count)
        return arena_printf(arena, "uses %s", known_words(told, columns - strlen("uses "), arena));
    if (told->file_count)
        return arena_printf(arena, "refers to \"%s\"", file_cut(file_of(told), columns - strlen(refers), arena));
    if (text.length)
        return arena_printf(arena, "refers to \"%s\"", cut(text, columns - strlen(refers), arena));
    return NULL;
}

static bool reading_begin(struct reading *reading, struct function_remarks *remarks, uint32_t dso, uint64_t dso_addr,
                          uint64_t size_bytes)
{
    struct opened *opened =
        dso < remarks->count && remarks->recording->spaces.dsos[dso].kind == DSO_FILE ? open_dso(remarks, dso) : NULL;
    uint64_t start;
    if (!opened || !elf_addr_of_offset(&opened->binary->elf, dso_addr, &start))
        return false;
    *reading =
        (struct reading){.remarks = remarks, .dso = dso, .opened = opened, .start = start, .end = start + size_bytes};
    return true;
}

const char *function_remark(struct function_remarks *remarks, uint32_t dso, uint64_t dso_addr, uint64_t size_bytes,
                            size_t columns, struct arena *arena)
{
    struct reading reading;
    if (columns < COLUMNS_LEAST || !reading_begin(&reading, remarks, dso, dso_addr, size_bytes))
        return NULL;
    const char *class = class_words(reading.opened, reading.start, columns, arena);
    if (class)
        return class;
    bool of_rust = is_rust(reading.opened); /* its texts have no ends, so that neighbours run into one another */
    if (!of_rust)
        reading.told.record = table_record_name(&reading.opened->pointers, reading.start);
    read_code(&reading, reading.start, size_bytes);
    read_apart(&reading);
    struct view text = of_rust ? (struct view){0} : telling_text(&reading.told, reading.opened);
    return told_words(&reading.told, text, columns, arena);
}

bool function_set_apart_from(struct function_remarks *remarks, uint32_t dso, uint64_t dso_addr, uint64_t size_bytes,
                             uint64_t *ret_dso_addr)
{
    struct reading reading;
    struct frame_description own, whole;
    struct instruction row;
    if (!reading_begin(&reading, remarks, dso, dso_addr, size_bytes) ||
        !binary_frame_find(reading.opened->binary, reading.start, &own) || !is_set_apart(&own))
        return false;
    struct bytes_view code =
        elf_bytes_at(&reading.opened->binary->elf, reading.start, size_bytes < CODE_MOST ? size_bytes : CODE_MOST);
    for (size_t into = 0; into < code.size_bytes; into += row.length) {
        if (!disassembler_next(remarks->disassembler, code.bytes + into, code.size_bytes - into, reading.start + into,
                               &row) ||
            !row.length)
            return false;
        if (leaves_for(&reading, &row, &whole) && row.target != whole.start && !is_set_apart(&whole))
            return elf_offset_of_addr(&reading.opened->binary->elf, whole.start, ret_dso_addr);
    }
    return false;
}
