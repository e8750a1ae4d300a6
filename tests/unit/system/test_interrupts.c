/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "system/host/interrupts.h"

static const char x86_text[] = "           CPU0       CPU2       \n"
                               " 24:          1          0  IO-APIC   5-edge      ACPI:Ged\n"
                               " 36:          0         70 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
                               "LOC:       1000       2000   Local timer interrupts\n"
                               "RES:         10         20   Rescheduling interrupts\n"
                               "CAL:          3          4   Function call interrupts\n"
                               "ERR:          9\n"
                               "MIS:          9\n";
static const char arm_text[] = "           CPU0       CPU1       \n"
                               " 11:        500        600     GICv3  27 Level     arch_timer\n"
                               "IPI0:        7          8       Rescheduling interrupts\n";

Test(interrupts, by_kind_and_cpu)
{
    struct cpu_interrupts cpus[4];
    cr_assert_eq(cpu_interrupts_parse(view_of(x86_text), cpus, 4), 2);
    cr_expect(cpus[0].cpu == 0 && cpus[0].timer == 1000 && cpus[0].ipi == 13 && cpus[0].other == 1);
    cr_expect(cpus[1].cpu == 2 && cpus[1].timer == 2000 && cpus[1].ipi == 24 && cpus[1].other == 70);
    cr_assert_eq(cpu_interrupts_parse(view_of(arm_text), cpus, 4), 2);
    cr_expect(cpus[0].timer == 500 && cpus[0].ipi == 7 && cpus[1].timer == 600 && cpus[1].ipi == 8);
}

Test(interrupts, no_more_than_there_is_room_for)
{
    struct cpu_interrupts cpus[1];
    cr_assert_eq(cpu_interrupts_parse(view_of(x86_text), cpus, 1), 1);
    cr_expect_eq(cpus[0].timer, 1000);
    cr_expect_eq(cpu_interrupts_parse(view_of(""), cpus, 1), 0);
    cr_expect_eq(cpu_interrupts_parse(view_of("LOC: 1 2\n"), cpus, 1), 0);
}

Test(interrupts, cut_anywhere_it_does_no_harm)
{
    for (size_t length = 0; length < sizeof(x86_text); length++) {
        struct cpu_interrupts cpus[4];
        cr_expect(cpu_interrupts_parse((struct view){x86_text, length}, cpus, 4) <= 2);
    }
}
