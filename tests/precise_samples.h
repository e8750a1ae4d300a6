/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples that lie on the instruction before the one that a timer interrupted, as a PMU that samples precisely has them: real samples, read
 * by way of a buffer of our own in which each user address is moved back by one instruction. x86-64.
 *
 * Needs what a kernel gives: the event's buffer, and the memory of the process that was sampled. Addresses at which code
 * that was just jumped to begins move to what stands before it, wherever the jump came from.
 */
#ifndef PLUMB_TESTS_PRECISE_SAMPLES_H
#define PLUMB_TESTS_PRECISE_SAMPLES_H

#include "symbol/disassembly.h"
#include "system/kernel.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PRECISE_RINGS_MOST = 64, PRECISE_EVENTS_MOST = 1024, PRECISE_BACK = 48 };

struct precise_ring {
    struct perf_event_mmap_page *theirs, *ours; /* ours: NULL, it isn't used */
    size_t bytes, data_bytes;
    uint64_t taken;
    uint64_t sample_type; /* of the event that it was mapped by: all that share a buffer begin alike */
    bool all;             /* without an identifier its samples are that event's */
};

struct precise_event {
    int fd; /* -1: closed */
    uint64_t id, sample_type;
    bool is_precise;
};

struct precise_samples {
    struct precise_ring rings[PRECISE_RINGS_MOST];
    struct precise_event events[PRECISE_EVENTS_MOST];
    size_t event_count;
    struct disassembler *disassembler;
    bool loses_registers; /* they are of another moment, as where the PMU notes the address alone */
};

static bool precise_is(const struct precise_samples *samples, uint64_t id)
{
    for (size_t at = 0; at < samples->event_count; at++)
        if (samples->events[at].id == id)
            return samples->events[at].is_precise;
    return false;
}

/* Told of every event that may have a buffer, or write into another's. */
static void precise_opened(struct precise_samples *samples, const struct kernel *live, int fd, uint64_t sample_type, bool is_precise)
{
    uint64_t id = 0;
    if (fd < 0 || samples->event_count == PRECISE_EVENTS_MOST || live->ioctl(live->context, fd, PERF_EVENT_IOC_ID, (unsigned long)&id) != 0)
        return;
    samples->events[samples->event_count++] = (struct precise_event){fd, id, sample_type, is_precise};
}

static void precise_closed(struct precise_samples *samples, int fd)
{
    for (size_t at = 0; at < samples->event_count; at++)
        samples->events[at].fd = samples->events[at].fd == fd ? -1 : samples->events[at].fd;
}

/* Decoding finds its step within a few instructions wherever it begins: what most ways have right before the address. */
static uint64_t precise_before(struct precise_samples *samples, pid_t pid, uint64_t addr)
{
    uint8_t code[PRECISE_BACK];
    unsigned votes[PRECISE_BACK + 1] = {0}, most = 0;
    struct iovec here = {code, sizeof(code)}, there = {(void *)(addr - PRECISE_BACK), sizeof(code)}; /* NOLINT */
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)sizeof(code))
        return addr;
    for (size_t start = 0; start < PRECISE_BACK / 2; start++) {
        size_t at = start, before = 0;
        struct instruction one;
        while (at < PRECISE_BACK && disassembler_next(samples->disassembler, code + at, PRECISE_BACK - at, at, &one)) {
            before = at;
            at += one.length;
        }
        votes[before] += at == PRECISE_BACK;
    }
    for (unsigned at = 1; at < PRECISE_BACK; at++)
        most = votes[at] > votes[most] ? at : most;
    return votes[most] ? addr - PRECISE_BACK + most : addr;
}

static void precise_bytes(const struct precise_ring *ring, uint64_t offset, void *bytes, size_t count, bool put)
{
    uint8_t *data = (uint8_t *)ring->ours + ring->ours->data_offset;
    for (size_t at = 0; at < count; at++) {
        uint8_t *place = &data[(offset + at) & (ring->data_bytes - 1)];
        if (put)
            *place = ((uint8_t *)bytes)[at];
        else
            ((uint8_t *)bytes)[at] = *place;
    }
}

static void precise_record(struct precise_samples *samples, struct precise_ring *ring, uint64_t offset)
{
    uint64_t ip_at = offset + sizeof(struct perf_event_header) + (ring->sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0), ip, id;
    uint32_t pid = (uint32_t)getpid();
    precise_bytes(ring, ip_at, &ip, sizeof(ip), false);
    if (ring->sample_type & PERF_SAMPLE_TID)
        precise_bytes(ring, ip_at + 8, &pid, sizeof(pid), false);
    precise_bytes(ring, offset + sizeof(struct perf_event_header), &id, sizeof(id), false);
    if (ip >> 63 || !(ring->sample_type & PERF_SAMPLE_IDENTIFIER ? precise_is(samples, id) : ring->all))
        return;
    ip = precise_before(samples, (pid_t)pid, ip);
    precise_bytes(ring, ip_at, &ip, sizeof(ip), true);
    const uint64_t none[2] = {0};
    if (samples->loses_registers && ring->sample_type == (PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER))
        precise_bytes(ring, ip_at + 16, (void *)none, sizeof(none), true);
}

/* What has come since is read anew, as far as there is room. */
static void precise_pump(struct precise_samples *samples)
{
    for (struct precise_ring *ring = samples->rings; ring < samples->rings + PRECISE_RINGS_MOST; ring++) {
        if (!ring->ours)
            continue;
        uint64_t head = __atomic_load_n(&ring->theirs->data_head, __ATOMIC_ACQUIRE);
        if (head - __atomic_load_n(&ring->ours->data_tail, __ATOMIC_ACQUIRE) > ring->data_bytes)
            continue;
        const uint8_t *data = (const uint8_t *)ring->theirs + ring->theirs->data_offset;
        for (uint64_t at = ring->taken; at < head; at++)
            ((uint8_t *)ring->ours + ring->ours->data_offset)[at & (ring->data_bytes - 1)] = data[at & (ring->data_bytes - 1)];
        while (ring->taken < head) {
            struct perf_event_header header;
            precise_bytes(ring, ring->taken, &header, sizeof(header), false);
            if (header.type == PERF_RECORD_SAMPLE)
                precise_record(samples, ring, ring->taken);
            ring->taken += header.size;
        }
        __atomic_store_n(&ring->theirs->data_tail, ring->taken, __ATOMIC_RELEASE);
        __atomic_store_n(&ring->ours->data_head, ring->taken, __ATOMIC_RELEASE);
    }
}

/* The buffer of an event; theirs is what the kernel mapped. */
static void *precise_map(struct precise_samples *samples, int fd, void *theirs, size_t bytes)
{
    struct error err = {0};
    struct precise_ring *ring = samples->rings;
    const struct precise_event *event = samples->events;
    while (event < samples->events + samples->event_count && event->fd != fd)
        event++;
    if (event == samples->events + samples->event_count || theirs == MAP_FAILED)
        return theirs;
    while (ring < samples->rings + PRECISE_RINGS_MOST && ring->ours)
        ring++;
    if (ring == samples->rings + PRECISE_RINGS_MOST || (!samples->disassembler && !disassembler_new(&samples->disassembler, "x86_64", SYNTAX_ATT, &err)))
        return theirs;
    void *ours = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ours == MAP_FAILED)
        return theirs;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *ring = (struct precise_ring){.theirs = theirs, .ours = ours, .bytes = bytes, .data_bytes = bytes - page, .sample_type = event->sample_type, .all = event->is_precise};
    memcpy(ours, theirs, sizeof(struct perf_event_mmap_page));
    ring->ours->data_offset = page;
    ring->ours->data_size = ring->data_bytes;
    return ours;
}

static int precise_unmap(struct precise_samples *samples, void *address, size_t bytes)
{
    for (struct precise_ring *ring = samples->rings; ring < samples->rings + PRECISE_RINGS_MOST; ring++)
        if (ring->ours == address && address) {
            (void)munmap(ring->theirs, bytes);
            ring->ours = NULL;
        }
    return munmap(address, bytes);
}

#endif
