/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/elf_build_id.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/scope.h"

#include <endian.h>
#include <unistd.h>

enum {
    HEADER_BYTES = 64,
    SEGMENTS_MOST = 128,
    SEGMENT_BYTES_MOST = 64,
    NOTES_BYTES_MOST = 64 * 1024,
    CLASS_64 = 2,
    ORDER_BIG = 2,
    TYPE_NOTE = 4,
    NOTE_BUILD_ID = 3
};

struct elf {
    int fd;
    bool is_64, swapped;
    uint64_t segments_at;
    uint16_t segment_bytes, segment_count;
};

bool elf_build_id_of_notes(const void *notes, size_t size_bytes, bool swapped, struct build_id *ret_id)
{
    struct bytes cursor = bytes_of(notes, size_bytes, swapped);
    while (bytes_left(&cursor) >= 12) {
        uint32_t name_bytes = read_u32(&cursor), id_bytes = read_u32(&cursor), type = read_u32(&cursor);
        const uint8_t *name = bytes_take(&cursor, ((size_t)name_bytes + 3) & ~(size_t)3);
        /* The last description may end without its padding. */
        const uint8_t *id = bytes_take(&cursor, id_bytes);
        if (!name || !id)
            return false;
        if (type == NOTE_BUILD_ID && name_bytes == 4 && memcmp(name, "GNU", 4) == 0 && id_bytes > 0 &&
            id_bytes <= BUILD_ID_BYTES_MOST) {
            *ret_id = (struct build_id){.size_bytes = (uint8_t)id_bytes};
            memcpy(ret_id->bytes, id, id_bytes);
            return true;
        }
        if (bytes_left(&cursor) && !bytes_take(&cursor, -(size_t)id_bytes & 3))
            return false;
    }
    return false;
}

static bool read_header(struct elf *elf)
{
    uint8_t header[HEADER_BYTES];
    if (pread(elf->fd, header, sizeof(header), 0) != (ssize_t)sizeof(header) || memcmp(header, "\177ELF", 4) != 0)
        return false;
    elf->is_64 = header[4] == CLASS_64;
    elf->swapped = (header[5] == ORDER_BIG) != (__BYTE_ORDER == __BIG_ENDIAN);
    struct bytes cursor = bytes_of(header, sizeof(header), elf->swapped);
    bytes_take(&cursor, elf->is_64 ? 32 : 28);
    elf->segments_at = elf->is_64 ? read_u64(&cursor) : read_u32(&cursor);
    cursor.at = header + (elf->is_64 ? 54 : 42);
    elf->segment_bytes = read_u16(&cursor);
    elf->segment_count = read_u16(&cursor);
    return elf->segment_bytes >= (elf->is_64 ? 56 : 32) && elf->segment_bytes <= SEGMENT_BYTES_MOST &&
           elf->segment_count <= SEGMENTS_MOST;
}

static bool read_segment_notes(const struct elf *elf, struct bytes segment, struct build_id *ret_id)
{
    uint32_t type = read_u32(&segment);
    if (elf->is_64)
        read_u32(&segment); /* flags */
    uint64_t at = elf->is_64 ? read_u64(&segment) : read_u32(&segment);
    bytes_take(&segment, elf->is_64 ? 16 : 8); /* addresses */
    uint64_t size = elf->is_64 ? read_u64(&segment) : read_u32(&segment);
    if (segment.failed || type != TYPE_NOTE || size == 0 || size > NOTES_BYTES_MOST || at > INT64_MAX)
        return false;
    scoped_free uint8_t *notes = memory_alloc((size_t)size);
    ssize_t got = pread(elf->fd, notes, (size_t)size, (off_t)at);
    return got > 0 && elf_build_id_of_notes(notes, (size_t)got, elf->swapped, ret_id);
}

bool elf_build_id_read(int fd, struct build_id *ret_id)
{
    struct elf elf = {.fd = fd};
    if (!read_header(&elf) || elf.segments_at > INT64_MAX)
        return false;
    uint8_t segments[SEGMENTS_MOST * SEGMENT_BYTES_MOST];
    size_t size = (size_t)elf.segment_bytes * elf.segment_count;
    if (size == 0 || pread(fd, segments, size, (off_t)elf.segments_at) != (ssize_t)size)
        return false;
    for (size_t at = 0; at < elf.segment_count; at++)
        if (read_segment_notes(&elf, bytes_of(segments + at * elf.segment_bytes, elf.segment_bytes, elf.swapped),
                               ret_id))
            return true;
    return false;
}
