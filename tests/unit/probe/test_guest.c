/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First touches: whose fault is slow? And the table of what others measured. */
#include "test.h"

#include "probe/guest/nested_walk.h"
#include "probe/guest/touch_cost.h"
#include "probe/guest/typical_cost.h"

#include <string.h>

enum { USED = 1024, OLD = 4096 };

static struct guest_costs touches(size_t slow_used, size_t slow_old)
{
    static double used[USED], old[OLD];
    struct guest_costs costs = {0};
    for (size_t at = 0; at < USED; at++)
        used[at] = at < slow_used ? 9000 : 600 + (double)(at % 50);
    for (size_t at = 0; at < OLD; at++)
        old[at] = at < slow_old ? 4650 : 610 + (double)(at % 50);
    touch_costs_judge(&costs, used, USED, old, OLD);
    return costs;
}

Test(touch_cost, the_host_faults_only_where_more_are_slow_than_of_recycled_pages)
{
    static const struct {
        size_t slow_used, slow_old;
        bool host;
    } cases[] = {{0, 0, false}, {5, 20, false}, {5, 400, true}, {0, OLD, true}, {0, 8, false}, {0, 60, true}};
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct guest_costs costs = touches(cases[at].slow_used, cases[at].slow_old);
        const struct guest_value *fault = &costs.costs[GUEST_COST_HOST_FAULT];
        cr_expect_eq(fault->value.known, cases[at].host, "%zu", at);
        cr_expect_eq(fault->why_not == NULL, cases[at].host, "%zu", at);
        cr_expect_eq(costs.touched_pages, OLD);
        cr_expect(costs.host_fault_share.low <= (double)cases[at].slow_old / OLD && costs.host_fault_share.high >= (double)cases[at].slow_old / OLD);
        if (cases[at].host)
            cr_expect_float_eq(fault->value.mid, 4650 - 624, 3, "%g", fault->value.mid);
    }
}

Test(typical_cost, every_row_is_of_a_cost_and_has_a_source)
{
    cr_assert(typical_cost_row_count > 0);
    for (size_t at = 0; at < typical_cost_row_count; at++) {
        bool known = false;
        for (enum guest_cost cost = 0; cost < GUEST_COSTS; cost++)
            known |= strcmp(guest_cost_key(cost), typical_cost_rows[at].key) == 0;
        cr_expect(known, "%s", typical_cost_rows[at].key);
        cr_expect(strlen(typical_cost_rows[at].source) > 8);
        cr_expect_eq(typical_cost_find(typical_cost_rows[at].key, typical_cost_rows[at].place), &typical_cost_rows[at]);
    }
    cr_expect_null(typical_cost_find("no_such_cost", TYPICAL_KVM));
}

static int refusing_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    (void)fd, (void)request, (void)argument;
    ++*(int *)context;
    return -1;
}

/* Whatever KVM refuses, there is a reason and no number. */
Test(guest_probe, a_kvm_that_refuses_is_told)
{
    struct kernel kernel = *kernel_live();
    struct sysroot live;
    struct nested_walk walk;
    int calls = 0;
    kernel.context = &calls;
    kernel.ioctl = refusing_ioctl;
    sysroot_init(&live, NULL);
    nested_walk_measure(&walk, &live, &kernel);
    cr_assert(walk.why_not && *walk.why_not);
    cr_assert_not(walk.times.known || walk.dense_ns.known);
    cr_assert_leq(calls, 1);
}
