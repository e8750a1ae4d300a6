/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_choice.h"

#include "base/scope.h"
#include "metric/table/table_folder.h"
#include "system/cpu/identity.h"

#include <stdlib.h>

static void builtin_cpus_name(struct text *text)
{
    const char *cpu;
    for (size_t at = 0; (cpu = metric_table_builtin_cpu(at)); at++)
        text_printf(text, "%s%s", at ? ", " : "", cpu);
}

static bool cpu_unknown(const struct table_choice *choice, const struct cpu_identity *identity, struct error *err)
{
    char name[128];
    scoped_text struct text cpus = {0};
    builtin_cpus_name(&cpus);
    cpu_identity_describe(identity, name, sizeof(name));
    if (choice->cpu)
        error_set(err, ERROR_NOT_FOUND, "plumb has no events and metrics of its own for '%s'", choice->cpu);
    else
        error_set(err, ERROR_NOT_FOUND, "plumb has no events and metrics of its own for this CPU, %s", name);
    return error_hint(err, "it has them for %s; --tables FOLDER loads published ones", text_string(&cpus));
}

bool metric_table_choose(struct metric_table *table, const struct table_choice *choice, const struct sysroot *root,
                         struct error *err)
{
    struct arena arena = {0};
    struct table_cpu cpu = {.name = choice->cpu};
    struct cpu_identity identity = {0};
    const char *folder = choice->folder ? choice->folder : getenv("PLUMB_TABLES");
    bool known = true;
    if (choice->cpu) {
        table_cpu_from_word(&cpu, choice->cpu, &arena);
    } else {
        cpu_identity_read(&identity, root, &arena);
        known = table_cpu_from_identity(&cpu, &identity);
    }
    bool good = known;
    if (good && folder && folder[0])
        good = metric_table_load(table, folder, &cpu, TABLE_FORM_READABLE, err);
    else if (!good || !metric_table_builtin(table, cpu.name, choice->extent))
        good = cpu_unknown(choice, &identity, err);
    if (good && cpu.exact[0])
        table->cpu_id = arena_string(&table->arena, cpu.exact);
    arena_done(&arena);
    return good;
}
