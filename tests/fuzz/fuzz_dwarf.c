/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug information of binaries that a recording names, as far as libdw hands it to the index of lines and inlines. */
#include "symbol/dwarf/dwarf_index.h"
#include "symbol/elf/elf_file.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FRAMES_MOST = 32,
    INPUT_BYTES_MOST = 64 * 1024
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct dwarf_index *index;
    struct source_line lines[FRAMES_MOST];
    const char *functions[FRAMES_MOST];
    struct elf_file elf;
    int fd = size_bytes <= INPUT_BYTES_MOST ? memfd_create("input", MFD_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    if (write(fd, bytes, size_bytes) == (ssize_t)size_bytes && elf_file_of_bytes(&elf, bytes, size_bytes, NULL)) {
        if (dwarf_index_new(&index, fd, true, size_bytes & 1, NULL, NULL)) {
            for (uint64_t addr = 0; addr < 0x5000; addr += 7) {
                size_t named = dwarf_index_functions(index, addr, functions, FRAMES_MOST);
                for (size_t at = 0; at < named && at < FRAMES_MOST; at++)
                    if (functions[at] && !functions[at][0])
                        continue;
                size_t count = dwarf_index_lines(index, addr, lines, FRAMES_MOST);
                for (size_t at = 0; at < count && at < FRAMES_MOST; at++)
                    if (lines[at].path && !lines[at].path[0])
                        continue; /* touched: it must be readable */
            }
            dwarf_index_producer(index, 0x1000);
            dwarf_index_free(index);
        }
        elf_file_close(&elf);
    }
    close(fd);
    return 0;
}
