/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/topdown/topdown_machine.h"

#include "base/scope.h"
#include "capture/counters/event_trial.h"
#include "metric/table/table_architectural.h"
#include "metric/table/table_choice.h"
#include "metric/table/table_general.h"
#include "metric/term_spec.h"
#include "system/cpu/identity.h"
#include "system/cpu/tsc.h"
#include "system/host/virtualisation.h"
#include "system/pmu/architectural.h"

#include <string.h>

enum { FIXED_SLOTS = 1u << 3 };

struct asker {
    struct topdown_machine *machine;
    const struct kernel *kernel;
    const struct sysroot *root;
};

/* ---- does an event open here? ------------------------------------------------------------------------------ */

static bool spec_opens(const struct asker *asker, const struct event_spec *spec, struct error *ret_reason)
{
    return event_trial_opens(spec, asker->kernel, asker->root, &asker->machine->arena, ret_reason);
}

static bool word_opens(const struct asker *asker, const char *word, struct error *ret_reason)
{
    struct event_list list = {0};
    bool good = event_list_parse(&list, word, asker->root, &asker->machine->arena, ret_reason) && list.count &&
                spec_opens(asker, &list.items[0], ret_reason);
    event_list_done(&list);
    return good;
}

/* By the tables' name, or the kernel's for the architectural ones. */
static bool event_countable(void *context, const char *event)
{
    const struct asker *asker = context;
    struct metric_table *table = &asker->machine->table;
    struct error unknown = {0};
    uint32_t term;
    if (!strchr(event, '.'))
        return word_opens(asker, event, &unknown);
    if (!asker->machine->has_table || table_event_find(table, view_of(event)) == TABLE_NONE ||
        !table_term_resolve(table, view_of(event), &term, &unknown))
        return false;
    struct term_spec *specs = arena_array(&asker->machine->arena, struct term_spec, table->terms.count + 1);
    bool *wanted = arena_array(&asker->machine->arena, bool, table->terms.count + 1);
    wanted[term] = true;
    term_specs_find(specs, table, wanted, asker->root, &asker->machine->arena);
    return specs[term].count == 1 && spec_opens(asker, &specs[term].specs[0], &unknown);
}

/* Cycles are what every form divides by. */
static bool cycles_open(const struct asker *asker, struct error *err)
{
    struct error reason = {0};
    struct virtualisation virtualisation = {0};
    if (word_opens(asker, "cycles", &reason))
        return true;
    if (reason.kind == ERROR_PERMISSION) {
        error_set(err, ERROR_PERMISSION, "hardware counters may not be used: %s", reason.message);
        return error_hint(err, "%s", reason.hint);
    }
    struct cpu_identity identity;
    cpu_identity_read(&identity, asker->root, &asker->machine->arena);
    virtualisation_read(&virtualisation, asker->root, &identity);
    bool guest = virtualisation_is_guest(&virtualisation);
    error_set(err, ERROR_UNSUPPORTED, "no hardware counters, so no top-down tree: %s%s%s%s", reason.message,
              guest ? " [guest of " : "", guest ? hypervisor_name(virtualisation.hypervisor) : "", guest ? "]" : "");
    return error_hint(
        err, "plumb diagnose estimates the bottleneck without counters; plumb doctor names what hides them and what "
             "would bring them; counts from another machine: plumb topdown --from FILE --cpu NAME");
}

/* ---- counters ---------------------------------------------------------------------------------------------- */

static void pmu_find(struct topdown_machine *machine, const struct cpu_identity *identity, const struct sysroot *root)
{
    enum { GENERAL_USUAL = 4 };
    struct pmu_architectural told = {0};
    unsigned fields = term_topdown_fields(root);
    pmu_architectural_read(&told, root, identity);
    bool counted = told.programmable.known && told.programmable.value > 0;
    uint32_t fixed = told.fixed_mask.known && told.fixed_mask.value  ? (uint32_t)told.fixed_mask.value
                     : told.fixed.known && told.fixed.value < 32     ? (1u << told.fixed.value) - 1
                                                                     : UINT32_MAX;
    if (!machine->has_table || !schedule_pmu_of_model(machine->table.key, machine->smt ? 2 : 1, &machine->pmu))
        machine->pmu = schedule_pmu_architectural(counted ? (unsigned)told.programmable.value : GENERAL_USUAL, fixed);
    if (fields < machine->pmu.topdown_fields)
        machine->pmu.topdown_fields = fields;
    schedule_pmu_limit(&machine->pmu, counted ? (unsigned)told.programmable.value : SCHEDULE_GENERAL_MOST,
                       machine->pmu.topdown_fields ? fixed | FIXED_SLOTS : fixed & ~(uint32_t)FIXED_SLOTS);
}

static void constants_find(struct topdown_machine *machine, const struct topology *topology, const struct asker *asker)
{
    struct measured *constants = machine->constants;
    char line[32];
    uint64_t slots;
    const char *pmu = term_core_pmu(asker->root, &machine->arena);
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        constants[at] = not_measured("it isn't known on this machine");
    constants[TABLE_SMT_ON] = measured_as(machine->smt);
    constants[TABLE_THREADS_PER_CORE] = measured_as(machine->smt ? 2 : 1);
    constants[TABLE_TSC_HZ] = tsc_hertz(asker->kernel);
    if (topology->cpu_count) {
        constants[TABLE_CPUS] = measured_as((double)topology->cpu_count);
        constants[TABLE_CPUS_ONLINE] = constants[TABLE_CPUS];
    }
    if (topology->sockets.known)
        constants[TABLE_SOCKETS] = measured_as((double)topology->sockets.value);
    if (topology->cores.known)
        constants[TABLE_CORES] = measured_as((double)topology->cores.value);
    if (pmu && sysroot_line(asker->root, line, sizeof(line), "/sys/bus/event_source/devices/%s/caps/slots", pmu) &&
        view_u64(view_trim(view_of(line)), 0, &slots) && slots)
        constants[TABLE_SLOTS] = measured_as((double)slots);
}

/* ---- the form ---------------------------------------------------------------------------------------------- */

static bool key_is(const struct topdown_machine *machine, const char *const *keys, size_t count)
{
    for (size_t at = 0; machine->has_table && at < count; at++)
        if (strcmp(machine->table.key, keys[at]) == 0)
            return true;
    return false;
}

/* Whether this CPU model has never more than what this one offers: that is no news. */
static bool form_is_usual(const struct topdown_machine *machine)
{
    struct schedule_pmu usual;
    const struct topdown_form *form = machine->choice.form;
    return machine->has_table && form->levels && schedule_pmu_of_model(machine->table.key, 1, &usual) &&
           machine->pmu.topdown_fields == usual.topdown_fields && form->fields == usual.topdown_fields;
}

static void notes_take(struct topdown_machine *machine)
{
    const struct topdown_choice *choice = &machine->choice;
    if (form_is_usual(machine))
        return;
    for (size_t at = 0; at < choice->passed_over_count && machine->has_table; at++)
        if (choice->passed_over[at].form->levels && (at == 0 || choice->form->levels == 0))
            *vec_push(&machine->notes) = arena_printf(&machine->arena, "not by %s: %s",
                                                      choice->passed_over[at].form->name, choice->passed_over[at].why);
    if (choice->passed_over_count)
        *vec_push(&machine->notes) = arena_printf(&machine->arena, "this is %s; it says %s, and doesn't say %s",
                                                  choice->form->name, choice->form->says, choice->form->says_not);
}

/* Whether the ladder of forms is about this processor: it counts slots of its own, or of whole cores. */
static bool has_forms(const struct topdown_machine *machine, bool whole_core)
{
    bool slots = false;
    vec_for_each(&machine->table.events, event)
        slots |= !event->pmu && event->fixed >= 0 && 1u << event->fixed == FIXED_SLOTS;
    return slots || whole_core;
}

static bool counts_whole_cores(const struct topdown_machine *machine)
{
    static const char *const whole_core[] = {"SKX", "CLX", "CPX"};
    return key_is(machine, whole_core, array_count(whole_core));
}

bool topdown_machine_is_general(const struct topdown_machine *machine)
{
    return machine->choice.form && machine->levels && !machine->choice.form->fields && !counts_whole_cores(machine);
}

static bool form_find(struct topdown_machine *machine, struct asker *asker, struct error *err)
{
    if (machine->has_table && !has_forms(machine, counts_whole_cores(machine))) {
        machine->levels = 2;
        return true;
    }
    struct topdown_means means = {.model = machine->has_table ? machine->table.key : NULL,
                                  .topdown_fields = machine->pmu.topdown_fields,
                                  .general = (unsigned)__builtin_popcount(machine->pmu.general),
                                  .countable = event_countable,
                                  .context = asker};
    topdown_form_choose(&machine->choice, &means);
    machine->levels = machine->choice.form->levels;
    machine->slots_are_the_cores = machine->smt && counts_whole_cores(machine);
    notes_take(machine);
    if (!machine->levels) {
        if (machine->has_table)
            metric_table_done(&machine->table);
        metric_table_architectural(&machine->table);
        machine->has_table = true;
        return true;
    }
    if (topdown_machine_is_general(machine))
        return metric_table_use_general(&machine->table, err);
    return true;
}

bool topdown_machine_find(struct topdown_machine *machine, const char *tables, const struct kernel *kernel,
                          const struct sysroot *root, struct error *err)
{
    struct cpu_identity identity;
    struct error unknown = {0};
    struct asker asker = {.machine = machine, .kernel = kernel, .root = root};
    const struct table_choice choice = {.folder = tables, .extent = TABLE_WHOLE};
    *machine = (struct topdown_machine){0};
    arena_init(&machine->arena);
    if (!cycles_open(&asker, err))
        return false;
    machine->has_table = metric_table_choose(&machine->table, &choice, root, &unknown);
    if (!machine->has_table && (tables || unknown.kind != ERROR_NOT_FOUND)) {
        *err = unknown;
        return false;
    }
    if (!machine->has_table)
        *vec_push(&machine->notes) = arena_string(&machine->arena, unknown.message);
    topology_read(&machine->topology, root, &machine->arena);
    const struct topology *topology = &machine->topology;
    cpu_identity_read(&identity, root, &machine->arena);
    cpu_identity_describe(&identity, machine->processor, sizeof(machine->processor));
    machine->smt = topology->smt_active.known
                       ? topology->smt_active.value == 1
                       : topology->threads_per_core.known && topology->threads_per_core.value > 1;
    pmu_find(machine, &identity, root);
    constants_find(machine, topology, &asker);
    return form_find(machine, &asker, err);
}

void topdown_machine_done(struct topdown_machine *machine)
{
    if (machine->has_table)
        metric_table_done(&machine->table);
    vec_done(&machine->notes);
    arena_done(&machine->arena);
}
