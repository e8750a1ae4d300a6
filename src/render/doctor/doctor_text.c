/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/doctor/doctor.h"

#include "base/scope.h"
#include "base/vec.h"

enum {
    LABEL_COLUMN = 2,
    VALUE_COLUMN = 16,
    TITLE_WIDTH = 31,
    REASON_COLUMN = 6
};

static void row(struct page *page, const char *label, const char *value)
{
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_add(page, PAGE_FAINT, label);
    page_pad(page, label, VALUE_COLUMN - LABEL_COLUMN);
    page_paragraph(page, PAGE_PLAIN, VALUE_COLUMN, VALUE_COLUMN, value);
}

/* ---- machine -------------------------------------------------------------------------------------------- */

static void add_number(struct text *out, const struct fact_number *fact, const char *singular, const char *plural)
{
    if (out->length)
        text_add(out, ", ");
    if (fact->known)
        text_printf(out, "%lld %s", (long long)fact->value, fact->value == 1 ? singular : plural);
    else
        text_printf(out, "%s unknown", plural);
}

static void processor_row(struct page *page, const struct cpu_identity *cpu)
{
    scoped_text struct text line = {0};
    char name[80];
    cpu_identity_describe(cpu, name, sizeof(name));
    text_printf(&line, "%s", name);
    if (cpu->microarchitecture)
        text_printf(&line, " (%s)", cpu->microarchitecture->key);
    if (cpu->model_name.known)
        text_printf(&line, ": %s", cpu->model_name.text);
    if (cpu->vendor_kind == MICROARCHITECTURE_ARM && cpu->model.known && cpu->variant.known && cpu->stepping.known)
        text_printf(&line, "; part 0x%llx r%lldp%lld", (long long)cpu->model.value, (long long)cpu->variant.value,
                    (long long)cpu->stepping.value);
    else if (cpu->family.known && cpu->model.known && cpu->stepping.known)
        text_printf(&line, "; family %lld model %lld stepping %lld", (long long)cpu->family.value,
                    (long long)cpu->model.value, (long long)cpu->stepping.value);
    if (cpu->microcode.known)
        text_printf(&line, "; microcode %s%s", cpu->microcode.text, cpu->microcode_differs ? " (CPUs differ!)" : "");
    row(page, "processor", text_string(&line));
}

static void add_bytes(struct text *out, int64_t bytes)
{
    if (bytes >= INT64_C(1) << 30)
        text_printf(out, "%.1f GiB", (double)bytes / 0x1p30);
    else if (bytes >= INT64_C(1) << 20)
        text_printf(out, "%.4g MiB", (double)bytes / 0x1p20);
    else
        text_printf(out, "%lld KiB", (long long)(bytes >> 10));
}

static void topology_rows(struct page *page, const struct topology *topology, const struct memory_placement *memory)
{
    scoped_text struct text line = {0}, caches = {0};
    struct fact_number cpus = {.known = topology->cpu_count > 0, .value = (int64_t)topology->cpu_count};
    struct fact_number nodes = {.known = topology->node_count > 0, .value = (int64_t)topology->node_count};
    add_number(&line, &topology->sockets, "socket", "sockets");
    if (topology->dies.known && topology->sockets.known && topology->dies.value > topology->sockets.value)
        add_number(&line, &topology->dies, "die", "dies");
    add_number(&line, &topology->cores, "core", "cores");
    add_number(&line, &cpus, "CPU online", "CPUs online");
    add_number(&line, &nodes, "NUMA node", "NUMA nodes");
    if (memory->total_kib.known) {
        text_add(&line, ", ");
        add_bytes(&line, memory->total_kib.value * 1024);
    }
    row(page, "topology", text_string(&line));
    for (size_t at = 0; at < topology->cache_count; at++) {
        const struct topology_cache *cache = &topology->caches[at];
        const char *kind = strcmp(cache->type, "Data") == 0 ? "d" : strcmp(cache->type, "Instruction") == 0 ? "i" : "";
        text_printf(&caches, "%sL%d%s ", caches.length ? ", " : "", cache->level, kind);
        if (cache->size_bytes >= 0)
            add_bytes(&caches, cache->size_bytes);
        else
            text_add(&caches, "of unknown size");
        if (cache->instances > 1)
            text_printf(&caches, " x%d", cache->instances);
    }
    row(page, "caches", caches.length ? text_string(&caches) : "unknown: sysfs lists none");
}

static void place_rows(struct page *page, const struct machine *machine)
{
    scoped_text struct text line = {0};
    const struct virtualisation *virtualisation = &machine->virtualisation;
    text_printf(&line, "%s%s", hypervisor_name(virtualisation->hypervisor),
                virtualisation_is_guest(virtualisation) ? " guest" : "");
    if (virtualisation->confidential != CONFIDENTIAL_NONE)
        text_printf(&line, ", %s (%s)", confidential_name(virtualisation->confidential),
                    virtualisation->confidential_evidence);
    text_printf(&line, ": %s", virtualisation->evidence);
    if (virtualisation->product.known && virtualisation->vendor.known)
        text_printf(&line, "; %s %s", virtualisation->vendor.text, virtualisation->product.text);
    row(page, "runs on", text_string(&line));
    text_clear(&line);
    if (machine->container.kind != CONTAINER_NONE) {
        text_printf(&line, "%s: %s", container_name(machine->container.kind), machine->container.evidence);
        row(page, "container", text_string(&line));
        text_clear(&line);
    }
    text_printf(&line, "%s", machine->limits.kernel_release.known ? machine->limits.kernel_release.text : "unknown");
    if (machine->limits.paranoid.known)
        text_printf(&line, "; perf_event_paranoid %lld", (long long)machine->limits.paranoid.value);
    else
        text_printf(&line, "; perf_event_paranoid unknown (%s)", machine->limits.paranoid.why);
    if (machine->limits.lockdown.known && strcmp(machine->limits.lockdown.text, "none") != 0)
        text_printf(&line, "; locked down: %s", machine->limits.lockdown.text);
    row(page, "kernel", text_string(&line));
}

static void rights_row(struct page *page, const struct process_rights *rights)
{
    static const struct {
        enum process_capability capability;
        const char *name;
    } names[] = {{PROCESS_CAP_PERFMON, "PERFMON"},
                 {PROCESS_CAP_BPF, "BPF"},
                 {PROCESS_CAP_SYS_ADMIN, "SYS_ADMIN"},
                 {PROCESS_CAP_SYS_PTRACE, "SYS_PTRACE"},
                 {PROCESS_CAP_SYSLOG, "SYSLOG"}};
    scoped_text struct text line = {0};
    if (rights->user.known)
        text_printf(&line, "uid %lld; ", (long long)rights->user.value);
    if (!rights->capabilities.known) {
        text_printf(&line, "capabilities unknown (%s)", rights->capabilities.why);
    } else {
        size_t before = line.length;
        for (size_t at = 0; at < array_count(names); at++)
            if (rights->capabilities.value >> names[at].capability & 1)
                text_printf(&line, "%s%s", line.length == before ? "CAP_" : " ", names[at].name);
        text_add(&line, line.length == before ? "no capability that matters" : "");
        if (fact_equals(&rights->in_first_user_namespace, 0))
            text_add(&line, " (in a user namespace: they do not count for perf)");
    }
    if (rights->open_files_soft.known)
        text_printf(&line, "; %lld open files", (long long)rights->open_files_soft.value);
    if (rights->seccomp_mode.known && rights->seccomp_mode.value)
        text_printf(&line, "; under seccomp (mode %lld)", (long long)rights->seccomp_mode.value);
    row(page, "this process", text_string(&line));
}

static void clock_row(struct page *page, const struct machine *machine, const struct capabilities *all)
{
    scoped_text struct text line = {0};
    if (all->clock_khz.known)
        text_printf(&line, "%.2f GHz while measuring", (double)all->clock_khz.value / 1e6);
    else
        text_printf(&line, "not measured: %s", all->clock_khz.why);
    if (machine->frequency.governor.known)
        text_printf(&line, "; governor %s", machine->frequency.governor.text);
    if (machine->clocksource.current.known)
        text_printf(&line, "; clocksource %s", machine->clocksource.current.text);
    row(page, "clock", text_string(&line));
}

static void pmu_row(struct page *page, const struct machine *machine)
{
    scoped_text struct text line = {0};
    const struct pmu *core = pmu_find_core(&machine->pmus);
    const struct pmu_architectural *leaf = &machine->architectural;
    if (core)
        text_printf(&line, "%s with %zu events in sysfs%s", core->name, core->events.count,
                    pmu_has_topdown(core) ? ", PERF_METRICS among them" : "");
    else
        text_add(&line, machine->pmus.folder.known ? "no core PMU in sysfs" : machine->pmus.folder.why);
    for (size_t at = 0; core && at < machine->pmus.count; at++) { /* hybrid: each kind of core has one */
        const struct pmu *other = &machine->pmus.items[at];
        if (other != core && pmu_name_is_core(other->name))
            text_printf(&line, "; %s with %zu%s%s", other->name, other->events.count,
                        other->cpus.known ? ", on CPUs " : "", other->cpus.known ? other->cpus.text : "");
    }
    if (leaf->version.known && leaf->version.value && leaf->programmable.known && leaf->fixed.known)
        text_printf(&line, "; CPUID: version %lld, %lld programmable and %lld fixed counters",
                    (long long)leaf->version.value, (long long)leaf->programmable.value, (long long)leaf->fixed.value);
    else if (leaf->version.known)
        text_printf(&line, "; CPUID: version %lld", (long long)leaf->version.value);
    row(page, "PMU", text_string(&line));
}

static void machine_section(struct page *page, const struct doctor_report *report)
{
    const struct machine *machine = report->machine;
    page_heading(page, "machine");
    processor_row(page, &machine->cpu);
    topology_rows(page, &machine->topology, &machine->memory);
    clock_row(page, machine, report->capabilities);
    place_rows(page, machine);
    rights_row(page, &machine->rights);
    pmu_row(page, machine);
}

/* ---- capabilities --------------------------------------------------------------------------------------- */

static const struct {
    const char *unicode, *ascii;
    enum page_meaning meaning;
} verdict_marks[] = {
    [CAPABILITY_NOT_MEASURED] = {"?", "?", PAGE_FAINT}, [CAPABILITY_WORKS] = {"✓", "+", PAGE_GOOD},
    [CAPABILITY_PARTLY] = {"~", "~", PAGE_WARNING},      [CAPABILITY_WRONG] = {"!", "!", PAGE_BAD},
    [CAPABILITY_BLOCKED] = {"✗", "x", PAGE_BAD},
};

static void mark(struct page *page, enum capability_verdict verdict)
{
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_add(page, verdict_marks[verdict].meaning,
             page->unicode ? verdict_marks[verdict].unicode : verdict_marks[verdict].ascii);
    text_add_char(page->out, ' ');
}

/* What stands in the way and how to remove it, below a capability. */
static void obstacle(struct page *page, const struct capability *capability)
{
    scoped_text struct text line = {0};
    if (!capability->reason[0])
        return;
    text_add(&line, capability->reason);
    if (capability->blocker != BLOCKER_NONE)
        text_printf(&line, " [%s%s%s]", blocker_name(capability->blocker), capability->sys_errno ? "; " : "",
                    capability->sys_errno ? capability_errno_name(capability->sys_errno) : "");
    text_add_repeated(page->out, " ", REASON_COLUMN);
    page_paragraph(page, PAGE_PLAIN, REASON_COLUMN, REASON_COLUMN, text_string(&line));
    if (!capability->remedy[0])
        return;
    const char *arrow = page->unicode ? "→ " : "-> ";
    text_add_repeated(page->out, " ", REASON_COLUMN);
    text_add(page->out, arrow);
    page_paragraph(page, PAGE_PLAIN, REASON_COLUMN + text_columns(arrow), REASON_COLUMN + text_columns(arrow),
                   capability->remedy);
}

static bool same_obstacle(const struct capability *a, const struct capability *b)
{
    return (a->verdict == CAPABILITY_BLOCKED || a->verdict == CAPABILITY_NOT_MEASURED) && a->verdict == b->verdict &&
           a->blocker == b->blocker && strcmp(a->reason, b->reason) == 0 && strcmp(a->remedy, b->remedy) == 0;
}

/* Neighbours with the same obstacle share one entry: a machine without a PMU is one fact, not twelve. */
static enum capability_id capability_entry(struct page *page, const struct capabilities *all, enum capability_id id)
{
    const struct capability *capability = &all->items[id];
    const char *group = capability_group(id);
    scoped_text struct text titles = {0};
    enum capability_id next = id;
    while (next < CAPABILITY_COUNT && strcmp(capability_group(next), group) == 0 &&
           (next == id || same_obstacle(capability, &all->items[next]))) {
        text_printf(&titles, "%s%s", next == id ? "" : ", ", capability_title(next));
        next++;
    }
    mark(page, capability->verdict);
    if (capability->measured[0]) {
        text_add(page->out, text_string(&titles));
        page_pad(page, text_string(&titles), TITLE_WIDTH);
        page_paragraph(page, PAGE_PLAIN, LABEL_COLUMN + 2 + TITLE_WIDTH, LABEL_COLUMN + 2 + TITLE_WIDTH,
                       capability->measured);
    } else {
        page_paragraph(page, PAGE_PLAIN, LABEL_COLUMN + 2, LABEL_COLUMN + 2, text_string(&titles));
    }
    obstacle(page, capability);
    return next;
}

static void capability_sections(struct page *page, const struct capabilities *all)
{
    const char *group = NULL;
    for (enum capability_id id = 0; id < CAPABILITY_COUNT;) {
        if (!group || strcmp(group, capability_group(id)) != 0) {
            group = capability_group(id);
            page_heading(page, group);
        }
        id = capability_entry(page, all, id);
    }
}

static void tier_section(struct page *page, const struct capabilities *all)
{
    static const enum page_meaning meanings[] = {[PMU_TIER_NOT_MEASURED] = PAGE_FAINT, [PMU_TIER_NONE] = PAGE_WARNING,
                                                 [PMU_TIER_ARCHITECTURAL] = PAGE_WARNING, [PMU_TIER_FULL] = PAGE_GOOD};
    scoped_text struct text line = {0};
    page_heading(page, "what plumb can say here");
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_printf(page, meanings[all->tier], "PMU: %s.", pmu_tier_name(all->tier));
    text_printf(&line, " (%s)", all->tier_reason);
    text_add_char(page->out, ' ');
    page_paragraph(page, PAGE_FAINT, LABEL_COLUMN + 7 + text_columns(pmu_tier_name(all->tier)), LABEL_COLUMN,
                   text_string(&line));
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_paragraph(page, PAGE_PLAIN, LABEL_COLUMN, LABEL_COLUMN, all->saying);
}

/* ---- settings ------------------------------------------------------------------------------------------- */

static void setting_entry(struct page *page, const struct setting *setting)
{
    static const struct {
        const char *mark;
        enum page_meaning meaning;
    } marks[] = {[SETTING_UNKNOWN] = {"?", PAGE_FAINT},
                 [SETTING_FINE] = {"+", PAGE_GOOD},
                 [SETTING_NOTE] = {"-", PAGE_FAINT},
                 [SETTING_DISTORTS] = {"!", PAGE_WARNING}};
    enum { SETTING_WIDTH = 24 };
    scoped_text struct text line = {0};
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_add(page, marks[setting->state].meaning, marks[setting->state].mark);
    text_printf(page->out, " %s", setting->title);
    page_pad(page, setting->title, SETTING_WIDTH);
    page_paragraph(page, PAGE_PLAIN, LABEL_COLUMN + 2 + SETTING_WIDTH, LABEL_COLUMN + 2 + SETTING_WIDTH,
                   setting->value);
    if (!setting->effect[0])
        return;
    text_printf(&line, "%s (%s)", setting->effect, setting->basis ? setting->basis : "");
    text_add_repeated(page->out, " ", REASON_COLUMN);
    page_paragraph(page, PAGE_FAINT, REASON_COLUMN, REASON_COLUMN, text_string(&line));
}

/* Those that need no words of their own, by name: the fine ones, and the ones that this machine does not tell. */
static void listed_settings(struct page *page, const struct settings *settings, enum setting_state state,
                            const char *mark_text, enum page_meaning meaning, const char *label, const char *tail)
{
    scoped_text struct text line = {0};
    for (size_t at = 0; at < settings->count; at++)
        if (settings->items[at].state == state)
            text_printf(&line, "%s%s", line.length ? ", " : "", settings->items[at].title);
    if (!line.length)
        return;
    text_add(&line, tail);
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_add(page, meaning, mark_text);
    text_printf(page->out, " %s: ", label);
    page_paragraph(page, PAGE_PLAIN, LABEL_COLUMN + strlen(label) + 4, LABEL_COLUMN + 2, text_string(&line));
}

static void settings_section(struct page *page, const struct doctor_report *report)
{
    static const enum setting_state order[] = {SETTING_DISTORTS, SETTING_NOTE, SETTING_UNKNOWN, SETTING_FINE};
    const struct settings *settings = report->settings;
    bool fixable = false;
    page_heading(page, "settings that distort a measurement");
    for (size_t state = 0; state < (report->verbose ? array_count(order) : 2); state++)
        for (size_t at = 0; at < settings->count; at++)
            if (settings->items[at].state == order[state]) {
                setting_entry(page, &settings->items[at]);
                fixable |= order[state] == SETTING_DISTORTS && settings->items[at].write_count;
            }
    if (!report->verbose) {
        listed_settings(page, settings, SETTING_UNKNOWN, "?", PAGE_FAINT, "unknown here", " (-v says why)");
        listed_settings(page, settings, SETTING_FINE, "+", PAGE_GOOD, "fine", "");
    }
    if (fixable)
        page_add(page, PAGE_FAINT,
                 "  plumb doctor --script > tune.sh writes the commands that set these right and put them back\n");
}

/* ---- virtual machines ----------------------------------------------------------------------------------- */

static void machine_memory(struct text *line, const struct virtual_machine *machine)
{
    if (!machine->node_count.known) {
        text_printf(line, "; memory by node unknown (%s)", machine->node_count.why);
        return;
    }
    text_add(line, "; memory");
    for (int64_t node = 0; node < machine->node_count.value; node++)
        if (machine->node_bytes[node]) {
            text_printf(line, " node %lld: ", (long long)node);
            add_bytes(line, machine->node_bytes[node]);
        }
    if (machine->remote_vcpus.known)
        text_printf(line, "; %lld vCPU%s away from most of it", (long long)machine->remote_vcpus.value,
                    machine->remote_vcpus.value == 1 ? "" : "s");
}

static void virtual_machines_section(struct page *page, const struct virtual_machines *machines)
{
    if (!machines->count)
        return;
    page_heading(page, "virtual machines on this host");
    for (size_t at = 0; at < machines->count; at++) {
        const struct virtual_machine *machine = &machines->items[at];
        scoped_text struct text line = {0};
        char label[40];
        size_t pinned = 0;
        for (size_t vcpu = 0; vcpu < machine->vcpu_count; vcpu++)
            pinned += machine->vcpus[vcpu].pinned;
        snprintf(label, sizeof(label), "pid %d", machine->pid);
        text_printf(&line, "%s: ", machine->monitor);
        if (machine->vcpu_count)
            text_printf(&line, "%zu vCPUs, %zu pinned", machine->vcpu_count, pinned);
        else
            text_add(&line, "vCPU threads have no names (QEMU: -name debug-threads=on)");
        machine_memory(&line, machine);
        row(page, label, text_string(&line));
    }
}

void doctor_text(struct page *page, const struct doctor_report *report)
{
    machine_section(page, report);
    capability_sections(page, report->capabilities);
    tier_section(page, report->capabilities);
    settings_section(page, report);
    virtual_machines_section(page, &report->machine->virtual_machines);
}
