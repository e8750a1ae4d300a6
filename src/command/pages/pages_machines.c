/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/guest_pages.h"
#include "base/clock.h"
#include "base/scope.h"
#include "capture/exits/mapping_levels.h"
#include "command/pages/pages.h"
#include "render/pages/guest_pages.h"
#include "source/live/memory_slots.h"
#include "source/live/workload.h"
#include "system/host/process_list.h"
#include "system/host/virtual_machine.h"

#include <errno.h>
#include <time.h>

static const struct {
    const char *name;
    size_t offset;
} statistics[] = {
    {"pages_4k", offsetof(struct guest_pages, pages_4k)},
    {"pages_2m", offsetof(struct guest_pages, pages_2m)},
    {"pages_1g", offsetof(struct guest_pages, pages_1g)},
    {"nx_lpage_splits", offsetof(struct guest_pages, splits_by_nx)},
};

/* Shadow page tables: the vendor's module says that it has no second translation, or KVM runs without either (PVM). */
static bool is_shadow(const struct sysroot *root)
{
    static const char *const parameters[] = {"/sys/module/kvm_intel/parameters/ept",
                                             "/sys/module/kvm_amd/parameters/npt"};
    for (size_t at = 0; at < array_count(parameters); at++) {
        char word[8];
        if (sysroot_line(root, word, sizeof(word), "%s", parameters[at]))
            return word[0] == 'N' || word[0] == '0';
    }
    return sysroot_exists(root, "/sys/module/kvm");
}

static const struct page_coverage *coverage_take(struct pages_take *take, const struct huge_page *policy, pid_t pid,
                                                 const char **ret_why_not)
{
    struct error err = {0};
    struct arena *arena = &take->arena;
    struct process_pages *pages = arena_new(arena, struct process_pages);
    struct huge_page_supply *supply = arena_new(arena, struct huge_page_supply);
    struct page_coverage *coverage = arena_new(arena, struct page_coverage);
    if (!pid || !process_pages_read(take->context->root, take->context->kernel, pid, pages, arena, &err)) {
        *ret_why_not = pid ? arena_string(arena, err.message) : "the process that made it isn't found";
        return NULL;
    }
    huge_page_supply_read(supply, take->context->root, pid, arena);
    *coverage = page_coverage_of(pages, policy, supply, arena);
    return coverage;
}

/* Slots that can't be read cost their own lines only. */
struct slots_source {
    struct memory_slots_reader *reader;
    struct error refused;
};

static void slots_take(struct guest_report *report, struct pages_take *take, const struct slots_source *source,
                       const struct kvm_machine *machine)
{
    struct memory_slots *slots = arena_new(&take->arena, struct memory_slots);
    if (!source->reader) {
        report->slots_why_not = arena_string(&take->arena, source->refused.message);
        return;
    }
    memory_slots_read(source->reader, machine, slots, &take->arena);
    report->slots_why_not = slots->why_not;
    if (slots->why_not)
        return;
    struct guest_slots *covered = arena_new(&take->arena, struct guest_slots);
    *covered = guest_slots_of(slots, report->coverage, &take->arena);
    report->slots = covered;
}

static const char *monitor_name(struct pages_take *take, pid_t pid)
{
    char name[64];
    return sysroot_line(take->context->root, name, sizeof(name), "/proc/%d/comm", pid)
               ? arena_string(&take->arena, name)
               : "?";
}

static void report_fill(struct guest_report *report, struct pages_take *take, const struct huge_page *policy,
                        const struct kvm_machine *machine, const struct slots_source *source, bool shadow)
{
    const struct sysroot *root = take->context->root;
    report->guest = (struct guest_pages){.machine = *machine, .shadow = shadow};
    report->no_why = take->options->no_why;
    for (size_t at = 0; at < array_count(statistics); at++)
        kvm_statistic_read((struct fact_number *)((char *)&report->guest + statistics[at].offset), root, machine,
                           statistics[at].name);
    report->guest.has_private = kvm_machine_has_private(root, machine);
    report->coverage = coverage_take(take, policy, machine->pid, &report->why_not);
    slots_take(report, take, source, machine);
    guest_pages_judge(&report->guest, report->coverage, report->slots);
    report->monitor = monitor_name(take, machine->pid);
}

static void pause_s(double seconds)
{
    enum { STEP_NS = 20 * 1000 * 1000 };
    for (int64_t left_ns = (int64_t)(seconds * 1e9); left_ns > 0 && !workload_stop_requested(); left_ns -= STEP_NS)
        nanosleep(&(struct timespec){.tv_nsec = left_ns < STEP_NS ? left_ns : STEP_NS}, NULL);
}

/* What KVM sets for them within the time asked for; the reports' own levels are read afterwards. */
static void levels_watch(struct pages_take *take, struct guest_report *reports, const struct kvm_machine *machines,
                         size_t count)
{
    struct mapping_levels *levels = arena_array(&take->arena, struct mapping_levels, count + 1);
    workload_forward_signals(NULL); /* an interrupt ends the count, and what there is is shown */
    double begun_s = clock_s(CLOCK_MONOTONIC);
    for (size_t at = 0; at < count; at++)
        mapping_levels_begin(&levels[at], machines[at].pid, take->context->kernel, take->context->root, &take->arena);
    pause_s(take->options->seconds);
    double passed_s = clock_s(CLOCK_MONOTONIC) - begun_s;
    for (size_t at = 0; at < count; at++) {
        mapping_levels_end(&levels[at]);
        memcpy(reports[at].set, levels[at].set, sizeof(reports[at].set));
        reports[at].set_seconds = passed_s;
    }
}

static bool pid_parse(const char *word, uint64_t *ret_pid, struct error *err)
{
    *ret_pid = 0;
    return strcmp(word, "all") == 0 || (view_u64(view_of(word), 10, ret_pid) && *ret_pid) ||
           error_set(err, ERROR_USAGE, "--vm takes the process id of a monitor or 'all', not '%s'", word);
}

/* Monitors by name that have no machine of KVM's: they are no less somebody's guests. */
static size_t emulated_list(struct pages_take *take, const struct kvm_machine *known, size_t known_count,
                            struct kvm_machine **ret_monitors)
{
    struct process_list list = {0};
    size_t count = 0;
    process_list_read(&list, take->context->root);
    *ret_monitors = arena_array(&take->arena, struct kvm_machine, list.count + 1);
    for (size_t at = 0; at < list.count; at++) {
        char name[64];
        bool has_kvm = kvm_process_has_machine(take->context->root, list.items[at].pid);
        for (size_t which = 0; which < known_count; which++)
            has_kvm = has_kvm || known[which].pid == list.items[at].pid;
        if (!has_kvm && sysroot_line(take->context->root, name, sizeof(name), "/proc/%d/comm", list.items[at].pid) &&
            virtual_machine_is_monitor(name))
            (*ret_monitors)[count++] = (struct kvm_machine){.pid = list.items[at].pid};
    }
    process_list_done(&list);
    return count;
}

static bool any_has_machine(const struct sysroot *root)
{
    struct process_list list = {0};
    bool found = false;
    process_list_read(&list, root);
    for (size_t at = 0; at < list.count && !found; at++)
        found = kvm_process_has_machine(root, list.items[at].pid);
    process_list_done(&list);
    return found;
}

static void emulated_fill(struct guest_report *report, struct pages_take *take, const struct huge_page *policy,
                          const struct kvm_machine *monitor)
{
    report->guest = (struct guest_pages){.machine = *monitor, .is_emulated = true};
    report->no_why = take->options->no_why;
    fact_number_absent(&report->guest.pages_4k, "the monitor has no machine of KVM's");
    report->guest.pages_2m = report->guest.pages_1g = report->guest.splits_by_nx = report->guest.pages_4k;
    report->coverage = coverage_take(take, policy, monitor->pid, &report->why_not);
    report->slots_why_not = "the monitor has no machine of KVM's";
    guest_pages_judge(&report->guest, report->coverage, NULL);
    report->monitor = monitor_name(take, monitor->pid);
}

/* Those that were asked for come first; returns how many. */
static size_t asked_for(struct kvm_machine *machines, size_t count, uint64_t pid)
{
    size_t kept = 0;
    for (size_t at = 0; at < count; at++)
        if (!pid || (uint64_t)machines[at].pid == pid)
            machines[kept++] = machines[at];
    return kept;
}

struct guests {
    struct guest_report *reports;
    size_t count;
};

/* Without KVM there may yet be emulated ones. */
static bool guests_find(struct pages_take *take, uint64_t pid, struct guests *guests, struct error *err)
{
    const struct sysroot *root = take->context->root;
    struct kvm_machine *machines = NULL, *emulated;
    struct huge_page policy;
    struct error no_kvm = {0};
    size_t count = 0;
    bool has_kvm = kvm_machines_list(root, &machines, &count, &take->arena, &no_kvm);
    struct slots_source source = {
        .reader = count ? memory_slots_reader_new(root, take->context->kernel, &source.refused) : NULL};
    for (size_t at = 0; source.reader && at < count; at++)
        memory_slots_owner_find(source.reader, root, &machines[at]);
    /* Who has a machine that we may not see isn't taken for an emulator. */
    size_t emulated_count =
        has_kvm || no_kvm.kind == ERROR_NOT_FOUND ? emulated_list(take, machines, count, &emulated) : 0;
    size_t shown = asked_for(machines, count, pid),
           shown_emulated = emulated_count ? asked_for(emulated, emulated_count, pid) : 0;
    huge_page_read(&policy, root);
    guests->count = shown + shown_emulated;
    guests->reports = arena_array(&take->arena, struct guest_report, guests->count + 1);
    if (take->options->seconds > 0 && shown)
        levels_watch(take, guests->reports, machines, shown);
    for (size_t at = 0; at < shown; at++)
        report_fill(&guests->reports[at], take, &policy, &machines[at], &source, is_shadow(root));
    memory_slots_reader_free(source.reader);
    for (size_t at = 0; at < shown_emulated; at++)
        emulated_fill(&guests->reports[shown + at], take, &policy, &emulated[at]);
    if (!has_kvm && (!shown_emulated || any_has_machine(root))) {
        *err = no_kvm;
        return false;
    }
    return guests->count || !pid ||
           error_set(err, ERROR_NOT_FOUND, "process %llu runs no KVM guest", (unsigned long long)pid);
}

/* Only where it would change something for one of them. */
static bool returns_measure(const struct pages_take *take, const struct guests *guests, struct nested_walk *walk)
{
    bool gains = false;
    for (size_t at = 0; at < guests->count; at++)
        gains = gains || guest_report_gains(&guests->reports[at]);
    if (gains && !take->options->no_why)
        nested_walk_measure(walk, take->context->root, take->context->kernel);
    return gains && !take->options->no_why;
}

bool pages_show_machines(struct pages_take *take, FILE *file, struct error *err)
{
    struct guests guests;
    uint64_t pid;
    if (!pid_parse(take->options->machines, &pid, err) || !guests_find(take, pid, &guests, err))
        return false;
    scoped_text struct text out = {0};
    struct page page = page_for(&out, file);
    struct nested_walk measured;
    const struct nested_walk *walk = returns_measure(take, &guests, &measured) ? &measured : NULL;
    if (take->options->json)
        guest_pages_json(&out, guests.reports, guests.count, walk);
    else
        guest_pages_text(&page, guests.reports, guests.count, walk);
    return text_write_file(&out, file) || error_system(err, errno, "can't write the result");
}
