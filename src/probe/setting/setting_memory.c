/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of memory: huge pages, moving, swapping and merging pages. */
#include "probe/setting/setting_row.h"

void setting_read_huge_pages(struct setting *setting, const struct setting_reader *reader)
{
    const struct huge_page *page = &reader->machine->huge_page;
    if (!page->enabled.known) {
        setting_unknown_word(setting, &page->enabled);
        return;
    }
    setting_value(setting, fact_is(&page->enabled, "madvise") ? SETTING_FINE : SETTING_NOTE, "%s; defrag %s",
                  page->enabled.text, page->defrag.known ? page->defrag.text : "unknown");
    if (fact_is(&page->enabled, "always"))
        setting_effect(setting, "documented: Linux transhuge",
                       "whether memory gets huge pages depends on fragmentation and on khugepaged meanwhile: TLB "
                       "misses differ between runs");
    else if (fact_is(&page->enabled, "never"))
        setting_effect(setting, "documented: Linux transhuge",
                       "no program gets huge pages unless it maps hugetlbfs: TLB-bound programs stay so");
}

void setting_read_numa_balancing(struct setting *setting, const struct setting_reader *reader)
{
    const struct memory_placement *memory = &reader->machine->memory;
    size_t nodes = reader->machine->topology.node_count;
    if (!memory->numa_balancing.known) {
        setting_unknown_number(setting, &memory->numa_balancing);
        return;
    }
    bool matters = memory->numa_balancing.value && nodes > 1;
    setting_value(setting, matters ? SETTING_DISTORTS : SETTING_FINE, "%lld, %zu node%s",
                  (long long)memory->numa_balancing.value, nodes, nodes == 1 ? "" : "s");
    if (!matters)
        return;
    setting_effect(setting, "documented: Linux numa_balancing",
                   "the kernel unmaps pages to see who uses them and moves them: extra faults, and placement that "
                   "changes during a run%s",
                   memory->pages_migrated.known && memory->pages_migrated.value ? " (it has moved pages since boot)"
                                                                                : "");
    setting_write_number(setting, reader, "/proc/sys/kernel/numa_balancing", 0, memory->numa_balancing.value);
}

void setting_read_swap(struct setting *setting, const struct setting_reader *reader)
{
    const struct memory_placement *memory = &reader->machine->memory;
    if (!memory->swap_total_kib.known || !memory->swap_free_kib.known) {
        setting_unknown_number(setting, &memory->swap_total_kib);
        return;
    }
    int64_t used = memory->swap_total_kib.value - memory->swap_free_kib.value;
    if (!memory->swap_total_kib.value) {
        setting_value(setting, SETTING_FINE, "none");
        return;
    }
    setting_value(setting, used > 0 ? SETTING_DISTORTS : SETTING_FINE, "%lld of %lld MiB used", (long long)(used >> 10),
                  (long long)(memory->swap_total_kib.value >> 10));
    if (used > 0) {
        setting_effect(setting, "documented: Linux vm",
                       "pages that were swapped out come back by major faults of some 100 us to 10 ms each");
        if (memory->swappiness.known)
            setting_write_number(setting, reader, "/proc/sys/vm/swappiness", 1, memory->swappiness.value);
    }
}

void setting_read_same_page_merging(struct setting *setting, const struct setting_reader *reader)
{
    struct fact_number run;
    fact_number_read(&run, reader->root, "/sys/kernel/mm/ksm/run");
    if (!run.known) {
        setting_unknown_number(setting, &run);
        return;
    }
    setting_value(setting, run.value == 1 ? SETTING_DISTORTS : SETTING_FINE, "%s", run.value == 1 ? "running" : "off");
    if (run.value != 1)
        return;
    setting_effect(setting, "documented: Linux ksm",
                   "a kernel thread scans memory and makes equal pages shared: writes to them fault");
    setting_write_one(setting, reader, "/sys/kernel/mm/ksm/run", "0", "1");
}
