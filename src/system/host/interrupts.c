/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/interrupts.h"

#include <string.h>

static size_t cpus_of_header(struct view header, struct cpu_interrupts *ret_cpus, size_t most)
{
    size_t count = 0;
    for (struct view word = view_word(&header); word.length && count < most; word = view_word(&header)) {
        uint64_t cpu;
        if (!view_starts(word, "CPU") || !view_u64(view_skip(word, 3), 10, &cpu) || cpu > UINT32_MAX)
            break;
        ret_cpus[count++] = (struct cpu_interrupts){.cpu = (uint32_t)cpu};
    }
    return count;
}

static bool view_has(struct view text, const char *word)
{
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= text.length; at++)
        if (memcmp(text.text + at, word, length) == 0)
            return true;
    return false;
}

static uint64_t *counter_of(struct cpu_interrupts *cpu, struct view label, bool is_arm_timer)
{
    static const char *const between_cpus[] = {"RES", "CAL", "TLB", "IWI"};
    if (is_arm_timer || view_equal(label, "LOC"))
        return &cpu->timer;
    for (size_t at = 0; at < sizeof(between_cpus) / sizeof(between_cpus[0]); at++)
        if (view_equal(label, between_cpus[at]))
            return &cpu->ipi;
    return view_starts(label, "IPI") ? &cpu->ipi : &cpu->other;
}

size_t cpu_interrupts_parse(struct view proc_interrupts, struct cpu_interrupts *ret_cpus, size_t most)
{
    struct view line;
    size_t count = view_line(&proc_interrupts, &line) ? cpus_of_header(line, ret_cpus, most) : 0;
    while (count && view_line(&proc_interrupts, &line)) {
        bool is_arm_timer = view_has(line, "arch_timer");
        struct view label = view_trim(view_cut(&line, ':'));
        /* errors of the controller: one number, of no CPU */
        if (view_equal(label, "ERR") || view_equal(label, "MIS") || view_equal(label, "Err"))
            continue;
        for (size_t at = 0; at < count; at++) {
            uint64_t value;
            if (!view_u64(view_word(&line), 10, &value))
                break;
            *counter_of(&ret_cpus[at], label, is_arm_timer) += value;
        }
    }
    return count;
}
