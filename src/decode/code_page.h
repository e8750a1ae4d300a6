/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A piece of a process's code as it stood in memory, kept in the recording because no file has it: JIT code,
 * the vdso, programs run from a memfd or deleted since.
 *
 * plumb record stores it as a record of type 65 (HEADER_EVENT_TYPE), which has had no use since 2013 and
 * which perf and others skip silently; the magic number tells ours from an ancient one. Behind the record
 * header, in the recording's byte order:
 *     u64 magic, u32 version (1), u32 pid, u64 time_ns (code was so at that time or shortly after),
 *     u64 runtime_addr, u64 size_bytes, bytes[size_bytes], zeros to a multiple of 8.
 * Pages that were hot later again and had changed come again; the last one before a sample is its code.
 */
#ifndef PLUMB_DECODE_CODE_PAGE_H
#define PLUMB_DECODE_CODE_PAGE_H

#include "base/error.h"
#include "base/text.h"
#include "decode/record.h"

#define CODE_PAGE_RECORD_TYPE 65

struct code_page {
    uint32_t pid;
    uint64_t time_ns, runtime_addr, size_bytes;
    const uint8_t *bytes; /* a view into the record */
};

/*
 * Read the payload (everything behind the header) of a RECORD_EVENT_TYPE.
 * Errors: ERROR_FORMAT when it is another tool's, or cut.
 */
MUST_CHECK bool code_page_decode(struct bytes_view payload, bool swapped, struct code_page *ret_page,
                                 struct error *err);
/* Append the whole record, header included; size_bytes at most 64000. */
void code_page_encode(struct text *out, const struct code_page *page);

#endif
