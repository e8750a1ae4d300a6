/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks a singly linked list of records of one cache line and adds up a field.
 * Arguments: bytes of all records, 1 when the records lie in list order, 1 for pages of 2 MiB. */
#include "driver.h"
#ifndef BYTES
#define BYTES (256u << 20)
#endif
#ifndef LARGE
#define LARGE (BYTES > (64u << 20))
#endif
#ifndef SPACED
#define SPACED 0
#endif
#ifndef ORDERED
#define ORDERED 0
#endif

struct record { struct record *next; uint64_t id; char text[48]; };
static struct record *at;
static uint64_t total;

APART static const struct record *run(const struct record *record, uint64_t count) {
#if SPACED
    const struct record *first = record;
#endif
    uint64_t sum = 0;
#if SPACED
    for (uint64_t i = 0; i < count / 256; i++)
        for (record = first; record < first + 256; record++)
            sum += record->id;
#else
    for (uint64_t i = 0; i < count; i++) {
        sum += record->id;
        record = record->next;
    }
#endif
    total += sum;
    return record;
}

static uint64_t step(void) {
    const struct record *last = run(at, 20480);
#if !SPACED
    at = (struct record *)last;
#else
    (void)last;
#endif
    return 20480;
}

int main(int argc, char **argv) {
    uint64_t count = argument(argc, argv, 2, BYTES) / sizeof(struct record);
    bool ordered = argument(argc, argv, 3, ORDERED);
    struct record *records = memory_take(count * sizeof *records, argument(argc, argv, 4, LARGE));
    /* A generator of full period modulo the power of two: every record is visited once a round. */
    uint64_t factor = (count / 8 * 5 + (count >> 5) * 3) / 8 * 8 + 5;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t next = ordered ? i + 1 : (i * (factor ^ 0x58) + 0x3c6ef373u % count * 2 + 1);
        records[i].next = &records[next & (count - 1)];
        records[i].id = i & 1;
    }
    at = records;
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
