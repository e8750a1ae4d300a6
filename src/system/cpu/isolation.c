/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/isolation.h"

#include "base/scope.h"

static void parameter_read(struct fact_word *fact, const struct sysroot *root, const char *name)
{
    scoped_text struct text file = {0};
    struct error unread = {0};
    if (!sysroot_read(root, &file, &unread, "/proc/cmdline")) {
        fact_word_absent(fact, "%.130s", unread.message);
        return;
    }
    struct view rest = text_view(&file);
    fact_word_set(fact, VIEW(""));
    for (struct view word = view_word(&rest); word.length; word = view_word(&rest)) {
        struct view value = word;
        if (view_equal(view_trim(view_cut(&value, '=')), name))
            fact_word_set(fact, value);
    }
}

static void allowed_read(struct fact_word *fact, const struct sysroot *root)
{
    scoped_text struct text file = {0};
    struct error ignored;
    fact_word_absent(fact, "'/proc/self/status' has no Cpus_allowed_list");
    if (!sysroot_read(root, &file, &ignored, "/proc/self/status"))
        return;
    struct view rest = text_view(&file), line;
    while (view_line(&rest, &line)) {
        struct view value = line;
        if (view_equal(view_cut(&value, ':'), "Cpus_allowed_list"))
            fact_word_set(fact, value);
    }
}

void cpu_isolation_read(struct cpu_isolation *isolation, const struct sysroot *root)
{
    *isolation = (struct cpu_isolation){0};
    fact_word_read(&isolation->isolated, root, "/sys/devices/system/cpu/isolated");
    fact_word_read(&isolation->nohz_full, root, "/sys/devices/system/cpu/nohz_full");
    if (fact_is(&isolation->nohz_full, "(null)"))
        fact_word_set(&isolation->nohz_full, VIEW("")); /* how older kernels print an empty mask */
    parameter_read(&isolation->rcu_nocbs, root, "rcu_nocbs");
    parameter_read(&isolation->mitigations, root, "mitigations");
    allowed_read(&isolation->allowed_cpus, root);
}
