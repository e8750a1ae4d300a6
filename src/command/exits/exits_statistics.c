/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/exits/exits_statistics.h"

#include "system/host/kvm_statistics.h"

static const char *const figure_names[] = {"exits",          "io_exits",     "mmio_exits",     "halt_exits",
                                           "irq_exits",      "signal_exits", "irq_injections", "hypercalls",
                                           "insn_emulation", "pf_taken",     "pf_fixed",       "tlb_flush"};
_Static_assert(array_count(figure_names) == EXITS_FIGURES, "a name for each figure");

void exits_statistics_read(struct exits_statistics *statistics, const struct exits_processes *processes,
                           const struct sysroot *root, struct arena *arena)
{
    struct error none = {0};
    struct kvm_machine *machines;
    size_t count;
    *statistics = (struct exits_statistics){0};
    if (!kvm_machines_list(root, &machines, &count, arena, &none))
        return;
    statistics->machines = machines;
    for (size_t at = 0; at < count; at++)
        if (!processes || exits_processes_cover(processes, root, machines[at].pid))
            machines[statistics->count++] = machines[at];
    statistics->facts = arena_alloc(arena, memory_product(statistics->count + 1, sizeof(*statistics->facts)));
    for (size_t at = 0; at < statistics->count; at++)
        for (size_t figure = 0; figure < EXITS_FIGURES; figure++)
            kvm_statistic_read(&statistics->facts[at][figure], root, &machines[at], figure_names[figure]);
}

static const struct fact_number *fact_before(const struct exits_statistics *before, const struct kvm_machine *machine,
                                             size_t figure)
{
    for (size_t at = 0; at < before->count; at++)
        if (before->machines[at].creator == machine->creator && before->machines[at].fd == machine->fd)
            return &before->facts[at][figure];
    return NULL;
}

size_t exits_statistics_since(const struct exits_statistics *before, const struct exits_statistics *now,
                              const struct exit_machine **ret_machines, struct exits_notes *notes)
{
    size_t refused = 0, asked = 0, count = 0;
    const char *why = NULL;
    struct exit_machine *machines = arena_array(notes->arena, struct exit_machine, now->count + 1);
    for (size_t at = 0; at < now->count; at++) {
        struct exit_machine *machine = &machines[count];
        *machine = (struct exit_machine){.pid = now->machines[at].pid,
                                         .creator = now->machines[at].creator,
                                         .pid_is_guess = now->machines[at].is_guess,
                                         .figures = arena_array(notes->arena, struct exit_figure, EXITS_FIGURES)};
        for (size_t figure = 0; figure < EXITS_FIGURES; figure++) {
            const struct fact_number *fact = &now->facts[at][figure],
                                     *then = fact_before(before, &now->machines[at], figure);
            int64_t old = then && then->known ? then->value : 0;
            asked++;
            refused += !fact->known;
            why = fact->known ? why : fact->why;
            if (fact->known && (!then || then->known) && fact->value != old)
                machine->figures[machine->figure_count++] =
                    (struct exit_figure){figure_names[figure], fact->value - old};
        }
        count += machine->figure_count > 0;
    }
    if (refused)
        exits_note(notes, "%zu of %zu of kvm's statistics refuse to be read: %s", refused, asked, why);
    *ret_machines = machines;
    return count;
}
