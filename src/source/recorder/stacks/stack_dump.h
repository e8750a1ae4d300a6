/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where is the copy of the user's stack in a sample that the kernel wrote, and how much of it was really copied?
 *
 * The kernel reserves what was asked for and says behind it how many bytes it found; the rest is left over from
 * before. Our samples only: they begin with identifier, ip, thread, time.
 */
#ifndef PLUMB_SOURCE_RECORDER_STACKS_STACK_DUMP_H
#define PLUMB_SOURCE_RECORDER_STACKS_STACK_DUMP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_dump {
    size_t size_at; /* where the dump's size stands in the payload; the dump is behind it */
    uint64_t size_bytes, used_bytes;
    uint64_t stack_pointer; /* where the dump begins; 0: not among the registers */
};

/* Where the call chain stands; SIZE_MAX when there is none or the payload is too short. */
size_t sample_chain_at(const struct perf_event_attr *attr, const uint8_t *payload, size_t payload_bytes);
/*
 * Where the sample's last field ends. What lies behind isn't ours: a software event that several recordings want at
 * once passes one perf_sample_data to all of them, and the kernel (6.2 and later) adds the dump of one to the size of
 * the next. payload_bytes when the fields don't tell.
 */
size_t sample_end(const struct perf_event_attr *attr, const uint8_t *payload, size_t payload_bytes);
/* False when the sample carries no dump. */
bool stack_dump_find(const struct perf_event_attr *attr, const uint8_t *payload, size_t payload_bytes,
                     struct stack_dump *ret_dump);
/* Whatever lies from this address on isn't used either. */
void stack_dump_end_at(struct stack_dump *dump, uint64_t addr);
/* Cut the unused part off. Returns the payload's new size, a multiple of 8. */
size_t stack_dump_trim(const struct stack_dump *dump, uint8_t *payload, size_t payload_bytes);

#endif
