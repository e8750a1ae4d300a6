/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/doctor/doctor.h"

#include "base/json/json_writer.h"
#include "base/scope.h"
#include "base/vec.h"

/*
 * An unknown fact is null in its place, and its reason stands in the document's "unknown" object under the fact's path
 * ("topology.sockets"): a reader that wants numbers meets only numbers and null.
 */
struct unknown {
    char path[96];
    const char *why;
};

struct writer {
    struct json_writer json;
    const char *section;
    vec(struct unknown) unknown;
};

static void remember_unknown(struct writer *writer, const char *key, const char *why)
{
    struct unknown *unknown = vec_push(&writer->unknown);
    snprintf(unknown->path, sizeof(unknown->path), "%s.%s", writer->section, key);
    unknown->why = why;
}

static void number(struct writer *writer, const char *key, const struct fact_number *fact)
{
    if (fact->known) {
        json_i64(&writer->json, key, fact->value);
        return;
    }
    json_null(&writer->json, key);
    remember_unknown(writer, key, fact->why);
}

static void word(struct writer *writer, const char *key, const struct fact_word *fact)
{
    if (fact->known) {
        json_string(&writer->json, key, fact->text);
        return;
    }
    json_null(&writer->json, key);
    remember_unknown(writer, key, fact->why);
}

static void section_open(struct writer *writer, const char *key)
{
    writer->section = key;
    json_object_open(&writer->json, key);
}

static void section_close(struct writer *writer)
{
    json_object_close(&writer->json);
}

/* ---- machine -------------------------------------------------------------------------------------------- */

static void cpu_section(struct writer *writer, const struct machine *machine)
{
    const struct cpu_identity *cpu = &machine->cpu;
    struct json_writer *json = &writer->json;
    section_open(writer, "cpu");
    word(writer, "architecture", &cpu->architecture);
    word(writer, "vendor", &cpu->vendor);
    word(writer, "model_name", &cpu->model_name);
    number(writer, "family", &cpu->family);
    number(writer, "model", &cpu->model);
    number(writer, "stepping", &cpu->stepping);
    if (cpu->vendor_kind == MICROARCHITECTURE_ARM)
        number(writer, "variant", &cpu->variant);
    json_string(json, "microarchitecture", cpu->microarchitecture ? cpu->microarchitecture->key : NULL);
    json_string(json, "microarchitecture_name", cpu->microarchitecture ? cpu->microarchitecture->name : NULL);
    if (!cpu->microarchitecture)
        remember_unknown(writer, "microarchitecture", "not in data/microarchitectures.tsv");
    word(writer, "microcode", &cpu->microcode);
    json_bool(json, "microcode_differs", cpu->microcode_differs);
    json_bool(json, "model_differs", cpu->model_differs);
    section_close(writer);
}

static void caches_array(struct json_writer *json, const struct topology *topology)
{
    json_array_open(json, "caches");
    for (size_t at = 0; at < topology->cache_count; at++) {
        const struct topology_cache *cache = &topology->caches[at];
        const struct {
            const char *key;
            int64_t value;
        } numbers[] = {{"size_bytes", cache->size_bytes},
                       {"line_bytes", cache->line_bytes},
                       {"ways", cache->ways},
                       {"sets", cache->sets},
                       {"shared_by", cache->shared_by}};
        json_object_open(json, NULL);
        json_i64(json, "level", cache->level);
        json_string(json, "type", cache->type);
        json_i64(json, "instances", cache->instances);
        for (size_t each = 0; each < array_count(numbers); each++)
            if (numbers[each].value >= 0)
                json_i64(json, numbers[each].key, numbers[each].value);
            else
                json_null(json, numbers[each].key);
        json_object_close(json);
    }
    json_array_close(json);
}

static void nodes_array(struct writer *writer, const struct topology *topology)
{
    json_array_open(&writer->json, "nodes");
    for (size_t at = 0; at < topology->node_count; at++) {
        const struct topology_node *node = &topology->nodes[at];
        json_object_open(&writer->json, NULL);
        json_i64(&writer->json, "node", node->node);
        json_string(&writer->json, "cpus", node->cpus);
        number(writer, "memory_kib", &node->memory_kib);
        json_string(&writer->json, "distances", node->distances);
        json_object_close(&writer->json);
    }
    json_array_close(&writer->json);
}

static void topology_section(struct writer *writer, const struct topology *topology)
{
    section_open(writer, "topology");
    word(writer, "cpus_online", &topology->online);
    json_u64(&writer->json, "cpu_count", topology->cpu_count);
    number(writer, "sockets", &topology->sockets);
    number(writer, "dies", &topology->dies);
    number(writer, "cores", &topology->cores);
    number(writer, "threads_per_core", &topology->threads_per_core);
    word(writer, "smt_control", &topology->smt_control);
    caches_array(&writer->json, topology);
    nodes_array(writer, topology);
    section_close(writer);
}

static void clock_section(struct writer *writer, const struct machine *machine, const struct capabilities *all)
{
    const struct cpu_frequency *frequency = &machine->frequency;
    section_open(writer, "clock");
    word(writer, "driver", &frequency->driver);
    word(writer, "governor", &frequency->governor);
    json_bool(&writer->json, "governor_differs", frequency->governor_differs);
    word(writer, "energy_preference", &frequency->energy_preference);
    number(writer, "min_khz", &frequency->min_khz);
    number(writer, "max_khz", &frequency->max_khz);
    number(writer, "base_khz", &frequency->base_khz);
    number(writer, "turbo", &frequency->turbo);
    number(writer, "measured_khz", &all->clock_khz);
    word(writer, "clocksource", &machine->clocksource.current);
    word(writer, "clocksources_available", &machine->clocksource.available);
    word(writer, "idle_driver", &machine->idle.driver);
    number(writer, "idle_states", &machine->idle.state_count);
    number(writer, "deepest_idle_latency_us", &machine->idle.deepest_latency_us);
    word(writer, "isolated_cpus", &machine->isolation.isolated);
    word(writer, "nohz_full_cpus", &machine->isolation.nohz_full);
    section_close(writer);
}

static void place_section(struct writer *writer, const struct machine *machine)
{
    const struct virtualisation *virtualisation = &machine->virtualisation;
    struct json_writer *json = &writer->json;
    section_open(writer, "place");
    json_string(json, "hypervisor", hypervisor_name(virtualisation->hypervisor));
    json_string(json, "hypervisor_evidence", virtualisation->evidence);
    json_string(json, "confidential", confidential_name(virtualisation->confidential));
    json_string(json, "confidential_evidence", virtualisation->confidential_evidence);
    json_bool(json, "is_guest", virtualisation_is_guest(virtualisation));
    word(writer, "vendor", &virtualisation->vendor);
    word(writer, "product", &virtualisation->product);
    json_string(json, "container", container_name(machine->container.kind));
    json_string(json, "container_evidence", machine->container.evidence);
    word(writer, "kernel", &machine->limits.kernel_release);
    section_close(writer);
}

static void rights_section(struct writer *writer, const struct machine *machine)
{
    const struct process_rights *rights = &machine->rights;
    const struct perf_limits *limits = &machine->limits;
    static const char *const doors[] = {[PERF_DOOR_NOT_ASKED] = "not asked",
                                        [PERF_DOOR_OPEN] = "open",
                                        [PERF_DOOR_REFUSED] = "refused before the kernel",
                                        [PERF_DOOR_ABSENT] = "absent"};
    section_open(writer, "rights");
    number(writer, "user", &rights->user);
    number(writer, "capabilities", &rights->capabilities);
    json_bool(&writer->json, "perfmon", process_has_perfmon(rights));
    json_bool(&writer->json, "bpf", process_has(rights, PROCESS_CAP_BPF) || process_has(rights, PROCESS_CAP_SYS_ADMIN));
    json_bool(&writer->json, "ptrace", process_has(rights, PROCESS_CAP_SYS_PTRACE));
    number(writer, "in_first_user_namespace", &rights->in_first_user_namespace);
    number(writer, "seccomp_mode", &rights->seccomp_mode);
    json_string(&writer->json, "perf_event_open", doors[machine->perf_door]);
    number(writer, "open_files_soft", &rights->open_files_soft);
    number(writer, "open_files_hard", &rights->open_files_hard);
    number(writer, "locked_memory_soft", &rights->locked_memory_soft);
    number(writer, "perf_event_paranoid", &limits->paranoid);
    number(writer, "perf_event_mlock_kib", &limits->mlock_kib);
    number(writer, "perf_event_max_sample_rate", &limits->max_sample_rate);
    number(writer, "perf_cpu_time_max_percent", &limits->cpu_time_max_percent);
    number(writer, "kptr_restrict", &limits->kptr_restrict);
    word(writer, "lockdown", &limits->lockdown);
    word(writer, "tracefs", &limits->tracefs);
    section_close(writer);
}

static void cgroup_section(struct writer *writer, const struct cgroup_cpu *cgroup)
{
    section_open(writer, "cgroup");
    if (cgroup->version)
        json_i64(&writer->json, "version", cgroup->version);
    else
        json_null(&writer->json, "version");
    word(writer, "path", &cgroup->path);
    json_bool(&writer->json, "limited", cgroup->limited);
    if (cgroup->limited)
        json_double(&writer->json, "quota_cpus", cgroup->quota_cpus);
    else
        json_null(&writer->json, "quota_cpus");
    number(writer, "quota_us", &cgroup->quota_us);
    number(writer, "period_us", &cgroup->period_us);
    number(writer, "periods", &cgroup->periods);
    number(writer, "throttled_periods", &cgroup->throttled_periods);
    number(writer, "throttled_us", &cgroup->throttled_us);
    number(writer, "weight", &cgroup->weight);
    word(writer, "cpus", &cgroup->cpus);
    section_close(writer);
}

static void memory_section(struct writer *writer, const struct machine *machine)
{
    section_open(writer, "memory");
    number(writer, "total_kib", &machine->memory.total_kib);
    number(writer, "available_kib", &machine->memory.available_kib);
    number(writer, "swap_total_kib", &machine->memory.swap_total_kib);
    number(writer, "numa_balancing", &machine->memory.numa_balancing);
    word(writer, "huge_pages", &machine->huge_page.enabled);
    word(writer, "huge_pages_defrag", &machine->huge_page.defrag);
    word(writer, "huge_pages_shmem", &machine->huge_page.shmem_enabled);
    number(writer, "huge_pages_anonymous_kib", &machine->huge_page.anonymous_kib);
    number(writer, "huge_page_fault_alloc", &machine->huge_page.fault_alloc);
    number(writer, "huge_page_fault_fallback", &machine->huge_page.fault_fallback);
    number(writer, "reserved_huge_pages", &machine->huge_page.reserved_total);
    section_close(writer);
}

/* ---- PMU ------------------------------------------------------------------------------------------------ */

static void entries_object(struct json_writer *json, const char *key, const struct pmu_entries *entries)
{
    json_object_open(json, key);
    for (size_t at = 0; at < entries->count; at++)
        json_string(json, entries->items[at].name, entries->items[at].value);
    json_object_close(json);
}

static void pmus_array(struct writer *writer, const struct pmu_list *pmus)
{
    json_array_open(&writer->json, "pmus");
    for (size_t at = 0; at < pmus->count; at++) {
        const struct pmu *pmu = &pmus->items[at];
        json_object_open(&writer->json, NULL);
        json_string(&writer->json, "name", pmu->name);
        if (pmu->type.known)
            json_i64(&writer->json, "type", pmu->type.value);
        else
            json_null(&writer->json, "type");
        json_string(&writer->json, "cpumask", pmu->cpumask.known ? pmu->cpumask.text : NULL);
        json_u64(&writer->json, "events", pmu->events.count);
        entries_object(&writer->json, "formats", &pmu->formats);
        entries_object(&writer->json, "caps", &pmu->caps);
        json_object_close(&writer->json);
    }
    json_array_close(&writer->json);
}

static void pmu_section(struct writer *writer, const struct machine *machine, const struct capabilities *all)
{
    const struct pmu_architectural *leaf = &machine->architectural;
    section_open(writer, "pmu");
    json_string(&writer->json, "tier", pmu_tier_key(all->tier));
    json_string(&writer->json, "tier_name", pmu_tier_name(all->tier));
    json_string(&writer->json, "can_say", all->saying);
    json_string(&writer->json, "tier_reason", all->tier_reason);
    number(writer, "group_size", &all->group_size);
    number(writer, "group_size_accepted", &all->group_size_accepted);
    word(writer, "fixed_counters", &all->fixed_counters);
    number(writer, "precise_skid_percent", &all->skid_percent);
    number(writer, "sample_rate_hz", &all->sample_rate_hz);
    json_bool(&writer->json, "topdown_metrics_listed", pmu_has_topdown(pmu_find_core(&machine->pmus)));
    number(writer, "cpuid_version", &leaf->version);
    number(writer, "cpuid_programmable", &leaf->programmable);
    number(writer, "cpuid_fixed", &leaf->fixed);
    number(writer, "cpuid_width_bits", &leaf->width_bits);
    number(writer, "cpuid_branch_records", &leaf->branch_records);
    pmus_array(writer, &machine->pmus);
    section_close(writer);
}

static void capabilities_array(struct json_writer *json, const struct capabilities *all)
{
    json_array_open(json, "capabilities");
    for (enum capability_id id = 0; id < CAPABILITY_COUNT; id++) {
        const struct capability *capability = &all->items[id];
        json_object_open(json, NULL);
        json_string(json, "id", capability_key(id));
        json_string(json, "title", capability_title(id));
        json_string(json, "group", capability_group(id));
        json_string(json, "use", capability_use(id));
        json_string(json, "verdict", capability_verdict_name(capability->verdict));
        json_string(json, "measured", capability->measured[0] ? capability->measured : NULL);
        if (capability->expected.known)
            json_i64(json, "expected", capability->expected.value);
        else
            json_null(json, "expected");
        if (capability->counted.known)
            json_i64(json, "counted", capability->counted.value);
        else
            json_null(json, "counted");
        json_string(json, "blocker", capability->blocker == BLOCKER_NONE ? NULL : blocker_name(capability->blocker));
        json_string(json, "errno", capability_errno_name(capability->sys_errno));
        json_string(json, "reason", capability->reason[0] ? capability->reason : NULL);
        json_string(json, "remedy", capability->remedy[0] ? capability->remedy : NULL);
        json_object_close(json);
    }
    json_array_close(json);
}

static void settings_array(struct json_writer *json, const struct settings *settings)
{
    json_array_open(json, "settings");
    for (size_t at = 0; at < settings->count; at++) {
        const struct setting *setting = &settings->items[at];
        json_object_open(json, NULL);
        json_string(json, "id", setting->key);
        json_string(json, "title", setting->title);
        json_string(json, "state", setting_state_name(setting->state));
        json_string(json, "value", setting->value);
        json_string(json, "effect", setting->effect[0] ? setting->effect : NULL);
        json_string(json, "basis", setting->basis);
        json_array_open(json, "writes");
        for (size_t each = 0; each < setting->write_count; each++) {
            json_object_open(json, NULL);
            json_string(json, "path", setting->writes[each].path);
            json_string(json, "wanted", setting->writes[each].wanted);
            json_string(json, "now", setting->writes[each].now);
            json_object_close(json);
        }
        json_array_close(json);
        json_object_close(json);
    }
    json_array_close(json);
}

static void mitigations_object(struct json_writer *json, const struct mitigations *mitigations)
{
    json_object_open(json, "mitigations");
    for (size_t at = 0; at < mitigations->count; at++)
        json_string(json, mitigations->items[at].vulnerability, mitigations->items[at].state);
    json_object_close(json);
}

/* ---- virtual machines ----------------------------------------------------------------------------------- */

static void vcpus_array(struct writer *writer, const struct virtual_machine *machine)
{
    json_array_open(&writer->json, "vcpus");
    for (size_t at = 0; at < machine->vcpu_count; at++) {
        const struct vcpu *vcpu = &machine->vcpus[at];
        json_object_open(&writer->json, NULL);
        json_i64(&writer->json, "vcpu", vcpu->number);
        json_i64(&writer->json, "tid", vcpu->tid);
        json_bool(&writer->json, "pinned", vcpu->pinned);
        word(writer, "allowed_cpus", &vcpu->allowed);
        number(writer, "last_cpu", &vcpu->last_cpu);
        number(writer, "last_node", &vcpu->last_node);
        json_object_close(&writer->json);
    }
    json_array_close(&writer->json);
}

static void virtual_machines_array(struct writer *writer, const struct virtual_machines *machines)
{
    writer->section = "virtual_machines";
    json_array_open(&writer->json, "virtual_machines");
    for (size_t at = 0; at < machines->count; at++) {
        const struct virtual_machine *machine = &machines->items[at];
        json_object_open(&writer->json, NULL);
        json_i64(&writer->json, "pid", machine->pid);
        json_string(&writer->json, "monitor", machine->monitor);
        vcpus_array(writer, machine);
        json_array_open(&writer->json, "memory_bytes_by_node");
        for (int64_t node = 0; machine->node_count.known && node < machine->node_count.value; node++)
            json_i64(&writer->json, NULL, machine->node_bytes[node]);
        json_array_close(&writer->json);
        number(writer, "vcpus_away_from_memory", &machine->remote_vcpus);
        json_object_close(&writer->json);
    }
    json_array_close(&writer->json);
}

static void unknown_object(struct writer *writer)
{
    json_object_open(&writer->json, "unknown");
    for (size_t at = 0; at < writer->unknown.count; at++) {
        bool repeated = false;
        for (size_t before = 0; before < at && !repeated; before++)
            repeated = strcmp(writer->unknown.items[before].path, writer->unknown.items[at].path) == 0;
        if (!repeated)
            json_string(&writer->json, writer->unknown.items[at].path, writer->unknown.items[at].why);
    }
    json_object_close(&writer->json);
}

void doctor_json(struct text *out, const struct doctor_report *report)
{
    struct writer writer = {.section = ""};
    struct json_writer *json = &writer.json;
    const struct machine *machine = report->machine;
    json_begin(json, out);
    json_object_open(json, NULL);
    json_string(json, "schema", "plumb-doctor");
    json_i64(json, "version", DOCTOR_JSON_VERSION);
    json_string(json, "plumb", PLUMB_VERSION);
    json_string(json, "source", machine->live ? "live" : "snapshot");
    cpu_section(&writer, machine);
    topology_section(&writer, &machine->topology);
    clock_section(&writer, machine, report->capabilities);
    place_section(&writer, machine);
    rights_section(&writer, machine);
    cgroup_section(&writer, &machine->cgroup);
    memory_section(&writer, machine);
    pmu_section(&writer, machine, report->capabilities);
    capabilities_array(json, report->capabilities);
    settings_array(json, report->settings);
    mitigations_object(json, &machine->mitigations);
    virtual_machines_array(&writer, &machine->virtual_machines);
    unknown_object(&writer);
    json_object_close(json);
    text_add_char(out, '\n');
    vec_done(&writer.unknown);
}
