/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/touch_cost.h"

#include "base/arena.h"
#include "base/scope.h"
#include "probe/guest/cycle_counter.h"
#include "system/memory/spare_memory.h"

#include <sys/mman.h>

enum { PAGE_BYTES = 4096, USED_PAGES = 1024, SPARE_PART = 16 };

/* A fault out there takes microseconds; half of one beyond the usual touch is no jitter. */
static const double SLOW_NS = 500;
enum { SLOW_TIMES = 3 };

static void touches_time(volatile char *bytes, size_t pages, double counter_ns, double *ret_ns)
{
    for (size_t at = 0; at < pages; at++) {
        uint64_t start = cycle_counter();
        bytes[at * PAGE_BYTES] = 1;
        ret_ns[at] = (double)(cycle_counter() - start) * counter_ns;
    }
}

static char *region_map(size_t bytes)
{
    char *region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED)
        return NULL;
    (void)madvise(region, bytes, MADV_NOHUGEPAGE);
    return region;
}

/* Twice: what the second time touches, the first time gave back. */
static bool used_time(double counter_ns, double *ret_ns)
{
    size_t bytes = (size_t)USED_PAGES * PAGE_BYTES;
    char *region = region_map(bytes);
    if (!region)
        return false;
    touches_time(region, USED_PAGES, counter_ns, ret_ns);
    (void)madvise(region, bytes, MADV_DONTNEED);
    touches_time(region, USED_PAGES, counter_ns, ret_ns);
    munmap(region, bytes);
    return true;
}

static size_t slow_find(const double *ns, size_t count, double bound_ns, double *ret_slow)
{
    size_t slow = 0;
    for (size_t at = 0; at < count; at++)
        if (ns[at] > bound_ns)
            ret_slow[slow++] = ns[at];
    return slow;
}

void touch_costs_judge(struct guest_costs *costs, const double *used_ns, size_t used, const double *old_ns, size_t old)
{
    struct guest_value *host = &costs->costs[GUEST_COST_HOST_FAULT];
    struct interval usual = quartile_interval(used_ns, used);
    costs->costs[GUEST_COST_TOUCH_USED].value = usual;
    costs->costs[GUEST_COST_TOUCH_OLD].value = quartile_interval(old_ns, old);
    costs->touched_pages = old;
    double bound_ns = usual.high * SLOW_TIMES > usual.high + SLOW_NS ? usual.high * SLOW_TIMES : usual.high + SLOW_NS;
    scoped_free double *slow = memory_alloc((used + old + 1) * sizeof(*slow));
    size_t slow_used = slow_find(used_ns, used, bound_ns, slow), slow_old = slow_find(old_ns, old, bound_ns, slow);
    struct interval before = wilson_interval((double)slow_used, (double)used, (double)used);
    struct interval share = wilson_interval((double)slow_old, (double)old, (double)old);
    costs->host_fault_share = share;
    if (!share.known || share.low <= before.high) {
        host->why_not = "no more of the pages touched were slow than of pages used a moment ago: the host had them all";
        return;
    }
    struct interval times = quartile_interval(slow, slow_old);
    host->value = interval_of(times.low - usual.mid, times.mid - usual.mid, times.high - usual.mid);
}

void touch_costs_measure(struct guest_costs *costs, const struct sysroot *root, size_t most_bytes, double counter_ns)
{
    uint64_t spare = spare_memory_bytes(root);
    size_t bytes = spare == SPARE_MEMORY_UNKNOWN     ? 0
                   : spare / SPARE_PART < most_bytes ? (size_t)(spare / SPARE_PART)
                                                     : most_bytes;
    size_t pages = bytes / PAGE_BYTES;
    scoped_free double *used = memory_alloc(USED_PAGES * sizeof(*used));
    scoped_free double *old = memory_alloc((pages + 1) * sizeof(*old));
    char *region = pages >= USED_PAGES ? region_map(bytes) : NULL;
    if (!region || !used_time(counter_ns, used)) {
        costs->costs[GUEST_COST_TOUCH_USED].why_not = costs->costs[GUEST_COST_TOUCH_OLD].why_not =
            costs->costs[GUEST_COST_HOST_FAULT].why_not =
                "too little memory is free, or left below the limit of its control group";
        if (region)
            munmap(region, bytes);
        return;
    }
    touches_time(region, pages, counter_ns, old);
    munmap(region, bytes);
    touch_costs_judge(costs, used, USED_PAGES, old, pages);
}
