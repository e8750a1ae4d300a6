/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/clocksource.h"

#include "base/vec.h"

void clocksource_read(struct clocksource *clocksource, const struct sysroot *root)
{
    const char *folder = "/sys/devices/system/clocksource/clocksource0/%s";
    fact_word_read(&clocksource->current, root, folder, "current_clocksource");
    fact_word_read(&clocksource->available, root, folder, "available_clocksource");
}

bool clocksource_name_is_fast(const char *name)
{
    static const char *const fast[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"};
    for (size_t at = 0; at < array_count(fast); at++)
        if (strcmp(name, fast[at]) == 0)
            return true;
    return false;
}

bool clocksource_is_fast(const struct clocksource *clocksource)
{
    return clocksource->current.known && clocksource_name_is_fast(clocksource->current.text);
}
