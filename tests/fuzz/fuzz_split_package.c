/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A binary and its package of split units, or a .dwo file: four bytes say how long the binary is, then both follow. */
#include "symbol/dwarf/dwarf_index.h"
#include "symbol/dwarf/split_package.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
    FRAMES_MOST = 32,
    INPUT_BYTES_MOST = 64 * 1024
};

static int file_of(const uint8_t *bytes, size_t size_bytes)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, bytes, size_bytes) == (ssize_t)size_bytes)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void ask_all(struct dwarf_index *index)
{
    struct source_line lines[FRAMES_MOST];
    for (uint64_t addr = 0x1000; addr < 0x1400; addr += 3) {
        size_t count = dwarf_index_lines(index, addr, lines, FRAMES_MOST);
        for (size_t at = 0; at < count && at < FRAMES_MOST; at++)
            if ((lines[at].function && !lines[at].function[0]) || (lines[at].path && !lines[at].path[0]))
                continue; /* touched: it must be readable */
    }
    dwarf_index_missing(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct bytes input = bytes_of(bytes, size_bytes, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    uint32_t binary_bytes = read_u32(&input);
    if (input.failed || size_bytes > INPUT_BYTES_MOST || binary_bytes > bytes_left(&input))
        return 0;
    int binary = file_of(input.at, binary_bytes), file = file_of(input.at + binary_bytes, bytes_left(&input) - binary_bytes);
    struct split_package *package = NULL;
    struct dwarf_index *index;
    if (file >= 0 && !split_package_open(&package, file, NULL) && !split_file_open(&package, file, NULL))
        package = NULL;
    if (binary >= 0 && dwarf_index_new(&index, binary, true, false, NULL, NULL)) {
        dwarf_index_add_package(index, package);
        ask_all(index);
        dwarf_index_free(index);
    } else {
        split_package_free(package);
    }
    close(binary);
    close(file);
    return 0;
}
