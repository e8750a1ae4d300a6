/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/capability/trial.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/scope.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

const struct trial_target TRIAL_SELF = {.pid = 0, .cpu = -1, .group_fd = -1, .flags = 0};

struct perf_event_attr trial_attr(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {.type = type, .size = sizeof(attr), .config = config, .disabled = 1};
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return attr;
}

static bool stopped(struct trial *trial, enum trial_stage stage, int sys_errno)
{
    trial->stage = stage;
    trial->sys_errno = sys_errno;
    return false;
}

bool trial_open(struct trial *trial, const struct kernel *kernel, const struct perf_event_attr *attr,
                const struct trial_target *target)
{
    *trial = (struct trial){.kernel = kernel, .fd = -1, .attr = *attr};
    trial->fd = kernel->perf_event_open(kernel->context, &trial->attr, target->pid, target->cpu, target->group_fd,
                                        target->flags);
    return trial->fd >= 0 || stopped(trial, TRIAL_OPEN, errno);
}

bool trial_ring(struct trial *trial, size_t data_pages)
{
    trial->ring_bytes = (data_pages + 1) * (size_t)sysconf(_SC_PAGESIZE);
    void *ring = trial->kernel->mmap(trial->kernel->context, trial->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                     trial->fd, 0);
    if (ring == MAP_FAILED)
        return stopped(trial, TRIAL_RING, errno);
    trial->ring = ring;
    return true;
}

bool trial_start(struct trial *trial)
{
    return trial->kernel->ioctl(trial->kernel->context, trial->fd, PERF_EVENT_IOC_ENABLE, 0) == 0 ||
           stopped(trial, TRIAL_START, errno);
}

bool trial_stop(struct trial *trial)
{
    return trial->kernel->ioctl(trial->kernel->context, trial->fd, PERF_EVENT_IOC_DISABLE, 0) == 0 ||
           stopped(trial, TRIAL_START, errno);
}

bool trial_read(struct trial *trial, struct trial_count *ret_count)
{
    uint64_t words[3] = {0};
    ssize_t got = trial->kernel->read(trial->kernel->context, trial->fd, words, sizeof(words));
    if (got != (ssize_t)sizeof(words))
        return stopped(trial, TRIAL_READ, got < 0 ? errno : 0);
    *ret_count = (struct trial_count){.value = words[0], .enabled_ns = words[1], .running_ns = words[2]};
    return true;
}

void trial_done(struct trial *trial)
{
    if (trial->ring)
        trial->kernel->munmap(trial->kernel->context, trial->ring, trial->ring_bytes);
    if (trial->fd >= 0)
        trial->kernel->close(trial->kernel->context, trial->fd);
    trial->ring = NULL;
    trial->fd = -1;
}

bool trial_measure(struct trial *trial, const struct kernel *kernel, const struct perf_event_attr *attr,
                   trial_work *work, void *context, struct trial_count *ret_count)
{
    bool good = trial_open(trial, kernel, attr, &TRIAL_SELF) && trial_start(trial);
    if (good) {
        work(context);
        good = trial_stop(trial) && trial_read(trial, ret_count);
    }
    trial_done(trial);
    return good;
}

/* ---- samples -------------------------------------------------------------------------------------------- */

static void chain_read(struct bytes *bytes, struct trial_sample *sample)
{
    uint64_t count = read_u64(bytes);
    for (uint64_t at = 0; at < count && !bytes->failed; at++) {
        uint64_t ip = read_u64(bytes);
        if (sample->chain_count < TRIAL_CHAIN_MOST)
            sample->chain[sample->chain_count++] = ip;
    }
}

static void branches_read(struct bytes *bytes, struct trial_sample *sample)
{
    uint64_t count = read_u64(bytes);
    for (uint64_t at = 0; at < count && !bytes->failed; at++) {
        uint64_t from = read_u64(bytes), to = read_u64(bytes);
        read_u64(bytes); /* flags */
        if (sample->branch_count < TRIAL_BRANCHES_MOST) {
            sample->branches[sample->branch_count].from = from;
            sample->branches[sample->branch_count++].to = to;
        }
    }
}

static void registers_read(struct bytes *bytes, struct trial_sample *sample, uint64_t mask)
{
    uint64_t abi = read_u64(bytes);
    for (unsigned number = 0; abi && number < TRIAL_REGISTERS_MOST; number++)
        if (mask >> number & 1)
            sample->registers[number] = read_u64(bytes);
    sample->has_registers = abi != 0 && !bytes->failed;
}

static void stack_read(struct bytes *bytes, struct trial_sample *sample)
{
    uint64_t size = read_u64(bytes);
    if (!size)
        return;
    bytes_take(bytes, size);
    sample->stack_bytes = read_u64(bytes);
}

/* Field order: perf_event_open(2), PERF_RECORD_SAMPLE. */
static bool sample_read(struct bytes bytes, const struct perf_event_attr *attr, uint16_t misc,
                        struct trial_sample *sample)
{
    uint64_t type = attr->sample_type;
    *sample = (struct trial_sample){.kernel_mode = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL};
    if (type & PERF_SAMPLE_IP)
        sample->ip = read_u64(&bytes);
    if (type & PERF_SAMPLE_ADDR)
        sample->addr = read_u64(&bytes);
    if (type & PERF_SAMPLE_CALLCHAIN)
        chain_read(&bytes, sample);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        branches_read(&bytes, sample);
    if (type & PERF_SAMPLE_REGS_USER)
        registers_read(&bytes, sample, attr->sample_regs_user);
    if (type & PERF_SAMPLE_STACK_USER)
        stack_read(&bytes, sample);
    return !bytes.failed;
}

static void record_take(struct trial *trial, struct bytes *bytes, trial_each *each, void *context,
                        struct trial_ring_totals *totals)
{
    uint32_t type = read_u32(bytes);
    uint16_t misc = read_u16(bytes), size = read_u16(bytes);
    const uint8_t *body = size >= 8 ? bytes_take(bytes, size - 8u) : NULL;
    struct trial_sample sample;
    if (!body) {
        totals->malformed++;
        bytes->failed = true;
        return;
    }
    struct bytes content = bytes_of(body, size - 8u, false);
    if (type == PERF_RECORD_LOST) {
        read_u64(&content);
        totals->lost += read_u64(&content);
    } else if (type == PERF_RECORD_THROTTLE) {
        totals->throttled++;
    } else if (type == PERF_RECORD_SAMPLE && sample_read(content, &trial->attr, misc, &sample)) {
        totals->samples++;
        each(&sample, context);
    } else if (type == PERF_RECORD_SAMPLE) {
        totals->malformed++;
    }
}

void trial_samples(struct trial *trial, trial_each *each, void *context, struct trial_ring_totals *ret_totals)
{
    struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)trial->ring;
    struct trial_ring_totals totals = {0};
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
    uint64_t offset = page->data_offset ? page->data_offset : (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t size = page->data_size ? page->data_size : trial->ring_bytes - offset;
    if (head < tail || head - tail > size || offset + size > trial->ring_bytes) {
        totals.malformed = 1;
        *ret_totals = totals;
        return;
    }
    size_t count = head - tail; /* copied out, so that a record that wraps lies in one piece */
    scoped_free uint8_t *copy = memory_alloc(count + 1);
    for (size_t at = 0; at < count; at++)
        copy[at] = trial->ring[offset + (tail + at) % size];
    struct bytes bytes = bytes_of(copy, count, false);
    while (bytes_left(&bytes) >= 8 && !bytes.failed)
        record_take(trial, &bytes, each, context, &totals);
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    *ret_totals = totals;
}
