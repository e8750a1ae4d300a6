/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arm's Statistical Profiling Extension: its packets, and doctor's verdict on records that a test writes. */
#include "test.h"

#include "base/vec.h"
#include "probe/capability/capability.h"
#include "probe/capability/spe_packet.h"
#include "probe/known_work.h"
#include "simulated_pmu.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A record: instruction, latency, events, operation, context, data source, a padding, and a timestamp that ends it. */
static size_t record_put(uint8_t *out, uint64_t ip)
{
    static const uint8_t rest[] = {0x99, 2, 0, 0x52, 1, 0, 0x49, 0, 0x64, 1, 0, 0, 0, 0x43, 0, 0, 0x71, 1, 2, 3, 4, 5, 6, 7, 8};
    out[0] = 0xb0;
    for (int at = 0; at < 7; at++)
        out[1 + at] = (uint8_t)(ip >> 8 * at);
    out[8] = 0x80; /* exception level 0, not secure */
    memcpy(out + 9, rest, sizeof(rest));
    return 9 + sizeof(rest);
}

Test(spe, packets)
{
    uint8_t bytes[200];
    size_t size = record_put(bytes, UINT64_C(0x123456789abcd));
    size += record_put(bytes + size, UINT64_C(0xff0000fffff0));
    static const uint8_t more[] = {0x20, 0xb1, 1, 2, 3, 4, 5, 6, 7, 8, /* an extended header: address, index 1 */
                                   0x2a, 0x00, 0x00, 0x01};
    memcpy(bytes + size, more, sizeof(more));
    size += sizeof(more);
    struct bytes cursor = bytes_of(bytes, size, false);
    struct spe_packet packet;
    uint64_t instructions[4];
    size_t found = 0, ends = 0;
    while (spe_packet_next(&cursor, &packet)) {
        if (packet.kind == SPE_INSTRUCTION)
            instructions[found++ & 3] = packet.value;
        ends += packet.kind == SPE_END;
    }
    cr_assert_not(cursor.failed);
    cr_assert_geq(found, 2);
    cr_assert_eq(instructions[0], UINT64_C(0x123456789abcd));
    cr_assert_eq(instructions[1], UINT64_C(0xff0000fffff0));
    cr_assert_eq(ends, 3);
}

Test(spe, what_is_cut_or_no_packet_ends_the_reading)
{
    uint8_t bytes[200];
    size_t size = record_put(bytes, 0x1000);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = malloc(cut + 1); /* so that a sanitizer sees a byte too many */
        memcpy(copy, bytes, cut);
        struct bytes cursor = bytes_of(copy, cut, false);
        struct spe_packet packet;
        unsigned steps = 0;
        while (spe_packet_next(&cursor, &packet))
            cr_assert_lt(++steps, 100u);
        free(copy);
    }
    static const uint8_t wrong[] = {0x00, 0xff, 0xb0};
    struct bytes cursor = bytes_of(wrong, sizeof(wrong), false);
    struct spe_packet packet;
    cr_assert(spe_packet_next(&cursor, &packet));
    cr_assert_not(spe_packet_next(&cursor, &packet));
    cr_assert(cursor.failed);
}

/* The simulated kernel, with a buffer for SPE's records behind its second mmap. */
struct arm {
    struct kernel kernel;
    const struct kernel *below;
    struct perf_event_mmap_page *page;
    uint64_t spread; /* records name the load, and this many bytes behind it in turn */
    int aux_errno;
};

static struct arm arm; /* the kernel's functions have no room for a context of ours */

static void *arm_mmap(void *context, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (!offset) {
        void *ring = arm.below->mmap(context, size, protection, flags, fd, offset);
        arm.page = ring;
        return ring;
    }
    if (arm.aux_errno) {
        errno = arm.aux_errno;
        return MAP_FAILED;
    }
    uint8_t *aux = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t used = 0;
    for (unsigned at = 0; at < 50; at++)
        used += record_put(aux + used, known_work_sparse_load_addr() + (at & 1) * arm.spread);
    arm.page->aux_head = used;
    return aux;
}

static int arm_munmap(void *context, void *address, size_t size)
{
    return address == arm.page ? arm.below->munmap(context, address, size) : munmap(address, size);
}

static struct capability judged(const char *name, uint64_t spread, int aux_errno)
{
    static const struct simulated_rule rules[] = {
        {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9},
        {.type = 11, .any_config = true, .per_second = 0, .samples_per_window = 0}, /* arm_spe_0 of the fixture */
    };
    static struct capabilities all;
    char path[1024];
    struct sysroot root;
    struct machine machine;
    struct error err = {0};
    if (!test_machine(name, path, sizeof(path)))
        cr_skip_test("no machine fixtures: run through tests/run.py");
    sysroot_init(&root, path);
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .cpus = 8, .step_ns = 1000});
    cr_assert(machine_read(&root, NULL, &machine, &err));
    machine.live = true;
    machine.perf_door = PERF_DOOR_OPEN;
    arm = (struct arm){.below = simulated_pmu_kernel(pmu), .kernel = *simulated_pmu_kernel(pmu), .spread = spread, .aux_errno = aux_errno};
    arm.kernel.mmap = arm_mmap;
    arm.kernel.munmap = arm_munmap;
    capabilities_measure(&all, &arm.kernel, &root, &machine);
    cr_assert_eq(simulated_pmu_open_count(pmu), 0u);
    machine_done(&machine);
    simulated_pmu_free(pmu);
    return all.items[CAPABILITY_PRECISE];
}

Test(spe, works_when_records_name_the_load)
{
    struct capability row = judged("neoverse-v2-host", 0, 0);
    cr_assert_eq(row.verdict, CAPABILITY_WORKS, "%s", row.reason);
    cr_assert(strstr(row.measured, "100 % of 50"), "%s", row.measured);
}

Test(spe, is_wrong_when_they_name_its_neighbours)
{
    struct capability row = judged("neoverse-v2-host", 4, 0);
    cr_assert_eq(row.verdict, CAPABILITY_WRONG, "%s %s", row.measured, row.reason);
}

Test(spe, a_buffer_that_may_not_be_mapped_is_no_sign_of_a_missing_one)
{
    struct capability row = judged("neoverse-v2-host", 0, EPERM);
    cr_assert_eq(row.verdict, CAPABILITY_BLOCKED);
    cr_assert_eq(row.blocker, BLOCKER_LIMIT, "%s", row.reason);
}

Test(spe, where_none_is_listed_the_reason_is_the_hypervisor_or_the_driver)
{
    struct capability row = judged("graviton3-guest", 0, 0);
    cr_assert_eq(row.blocker, BLOCKER_HYPERVISOR, "%s", row.reason);
    cr_assert(strstr(row.reason, "arm_spe"), "%s", row.reason);
}
