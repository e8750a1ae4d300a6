/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF files named by recordings from anywhere: headers, symbol tables, PLT, notes, links to debug files. */
#include "symbol/unwind/call_frames.h"
#include "symbol/elf/frame_table.h"
#include "symbol/elf/class_tables.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/go_functions.h"
#include "symbol/elf/mini_debuginfo.h"
#include "symbol/elf/table_records.h"
#include "symbol/known_constants.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct elf_file elf, mini;
    struct symbol_index functions = {0}, objects = {0};
    struct arena arena;
    const char *name;
    uint32_t crc;
    uint64_t addr;
    if (!elf_file_of_bytes(&elf, bytes, size_bytes, NULL))
        return 0;
    arena_init(&arena);
    elf_symbols_read(&elf, SHT_SYMTAB, ELF_FUNCTIONS, &functions);
    elf_symbols_read(&elf, SHT_DYNSYM, ELF_FUNCTIONS, &functions);
    elf_symbols_read(&elf, SHT_SYMTAB, ELF_OBJECTS, &objects);
    elf_plt_read(&elf, &arena, &functions);
    go_functions_read(&elf, &functions);
    symbol_index_sort(&functions, false);
    symbol_index_sort(&objects, false);
    vec_for_each(&functions.symbols, symbol)
        if (symbol->end < symbol->start)
            abort(); /* the contract of the index */
    elf_build_id(&elf);
    elf_debug_link(&elf, &name, &crc);
    for (uint64_t offset = 0; offset < size_bytes; offset += 101)
        if (elf_addr_of_offset(&elf, offset, &addr)) {
            symbol_index_find(&functions, addr);
            elf_code_section_at(&elf, addr);
            struct bytes_view view = elf_bytes_at(&elf, addr, 64);
            if (view.size_bytes && (view.bytes < bytes || view.bytes + view.size_bytes > bytes + size_bytes))
                abort();
        }
    struct placed_pointers pointers;
    placed_pointers_read(&pointers, &elf);
    for (size_t at = 0; at < pointers.items.count && at < 100; at++) {
        uint64_t target = pointers.items.items[at].target;
        class_of_virtual(&pointers, target);
        table_record_name(&pointers, target);
        struct bytes_view constants = elf_constant_bytes(&elf, target, 512);
        if (constants.size_bytes)
            (void)known_table(constants.bytes, constants.size_bytes, 0, KNOWN_COUNTED_FROM);
    }
    placed_pointers_done(&pointers);
    struct frame_index frames;
    frame_index_build(&frames, &elf);
    for (size_t at = 0; at < frames.entries.count && at < 100; at++) {
        struct frame_description description;
        struct frame_rules rules;
        if (frame_index_find(&frames, &elf, frames.entries.items[at].start, &description))
            (void)frame_rules_at(&description, description.end - 1, &rules);
        (void)frame_table_find(&elf, frames.entries.items[at].start, &description);
    }
    vec_done(&frames.entries);
    if (mini_debuginfo_open(&elf, &arena, &mini, NULL))
        elf_file_close(&mini);
    symbol_index_done(&functions);
    symbol_index_done(&objects);
    arena_done(&arena);
    elf_file_close(&elf);
    return 0;
}
