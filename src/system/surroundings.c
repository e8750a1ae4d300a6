/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/surroundings.h"

#include "base/json/json_measured.h"
#include "base/vec.h"

#include <sys/utsname.h>

static const char *word_of(const struct fact_word *fact, struct arena *arena)
{
    return fact->known ? arena_string(arena, fact->text) : "";
}

/* An empty list is one, and differs from others. */
static const char *list_of(const struct fact_word *fact, struct arena *arena)
{
    return !fact->known ? "" : *fact->text ? arena_string(arena, fact->text) : "none";
}

/* A kernel that can't do without ticks has no such file beside that of isolated CPUs: none of them runs without. */
static const char *nohz_of(const struct cpu_isolation *isolation, struct arena *arena)
{
    bool is_lacking = !isolation->nohz_full.known && isolation->isolated.known;
    return is_lacking ? "none" : list_of(&isolation->nohz_full, arena);
}

static struct measured number_of(const struct fact_number *fact, double unit, struct arena *arena)
{
    return fact->known ? measured_as((double)fact->value * unit) : not_measured(arena_string(arena, fact->why));
}

/* but: of the two kinds that a level may have apart, 'I' or 'D', the other one. */
static struct measured cache_of(const struct topology *topology, int level, char but)
{
    for (size_t at = 0; at < topology->cache_count; at++) {
        const struct topology_cache *cache = &topology->caches[at];
        if (cache->level == level && cache->type[0] != but && cache->size_bytes > 0)
            return measured_as((double)cache->size_bytes);
    }
    return not_measured("the machine doesn't tell its caches");
}

/* Lines whose numbers are alike modulo that compete for the same places. */
static struct measured sets_of(const struct topology *topology, int level, char but)
{
    for (size_t at = 0; at < topology->cache_count; at++) {
        const struct topology_cache *cache = &topology->caches[at];
        if (cache->level == level && cache->type[0] != but && cache->size_bytes > 0 && cache->ways > 0 &&
            cache->line_bytes > 0)
            return measured_as((double)(cache->size_bytes / (cache->ways * cache->line_bytes)));
    }
    return not_measured("the machine doesn't tell its caches' ways");
}

static struct measured counters_of(const struct machine *machine, struct arena *arena)
{
    if (!pmu_find_core(&machine->pmus))
        return not_measured(!(machine->architectural.version.known && machine->architectural.version.value == 0)
                                ? "the kernel drives no core PMU"
                            : machine->cpu.vendor_kind == MICROARCHITECTURE_INTEL
                                ? "the hypervisor hides the PMU (CPUID leaf 0AH is empty)"
                                : "the hypervisor hides the PMU (CPUID leaf 80000022H is empty)");
    return number_of(&machine->architectural.programmable, 1, arena);
}

/* Flags of /proc/cpuinfo by which libraries and compilers choose one loop or another. */
static const char *const instruction_sets[] = {
    "sse4_1",
    "sse4_2",
    "ssse3",
    "popcnt",
    "abm",
    "bmi1",
    "bmi2",
    "movbe",
    "adx",
    "erms",
    "fsrm",
    "f16c",
    "fma",
    "aes",
    "pclmulqdq",
    "sha_ni",
    "avx",
    "avx2",
    "avx_vnni",
    "avx_ifma",
    "vaes",
    "vpclmulqdq",
    "gfni",
    "avx512f",
    "avx512dq",
    "avx512cd",
    "avx512bw",
    "avx512vl",
    "avx512ifma",
    "avx512vbmi",
    "avx512_vbmi2",
    "avx512_vnni",
    "avx512_bitalg",
    "avx512_vpopcntdq",
    "avx512_bf16",
    "avx512_fp16",
    "amx_tile",
    "amx_int8",
    "amx_bf16",
    /* AArch64 */
    "asimd",
    "asimddp",
    "asimdhp",
    "atomics",
    "sve",
    "sve2",
    "i8mm",
    "bf16",
    "svei8mm",
    "svebf16",
    "sme",
};

static const char *instruction_sets_of(const struct cpu_identity *cpu, struct arena *arena)
{
    const char *list = "";
    for (size_t at = 0; at < array_count(instruction_sets); at++)
        if (cpu_identity_has_flag(cpu, instruction_sets[at]))
            list = arena_printf(arena, "%s%s%s", list, *list ? " " : "", instruction_sets[at]);
    return list;
}

void surroundings_take(struct surroundings *surroundings, const struct machine *machine, struct arena *arena)
{
    const struct virtualisation *vm = &machine->virtualisation;
    char described[160];
    cpu_identity_describe(&machine->cpu, described, sizeof(described));
    struct utsname names = {0};
    bool named = machine->live && uname(&names) == 0;
    size_t cpus = machine->topology.cpu_count, nodes = machine->topology.node_count;
    *surroundings = (struct surroundings){
        .cpu = word_of(&machine->cpu.model_name, arena),
        .microarchitecture = arena_string(arena, described),
        .kernel = named ? arena_string(arena, names.release) : "",
        .hypervisor = vm->hypervisor == HYPERVISOR_UNKNOWN ? "" : hypervisor_name(vm->hypervisor),
        .confidential = vm->confidential == CONFIDENTIAL_NONE ? "" : confidential_name(vm->confidential),
        .thp_enabled = word_of(&machine->huge_page.enabled, arena),
        .thp_defrag = word_of(&machine->huge_page.defrag, arena),
        .thp_shmem = word_of(&machine->huge_page.shmem_enabled, arena),
        .governor = word_of(&machine->frequency.governor, arena),
        .frequency_driver = word_of(&machine->frequency.driver, arena),
        .nohz_full = nohz_of(&machine->isolation, arena),
        .isolated_cpus = list_of(&machine->isolation.isolated, arena),
        .mitigations = list_of(&machine->isolation.mitigations, arena),
        .clocksource = word_of(&machine->clocksource.current, arena),
        .instruction_sets = instruction_sets_of(&machine->cpu, arena),
        .is_guest = virtualisation_is_guest(vm),
        .has_avx2 = cpu_identity_has_flag(&machine->cpu, "avx2"),
        .has_avx512 = cpu_identity_has_flag(&machine->cpu, "avx512f"),
        .cpus_online = cpus ? measured_as((double)cpus) : not_measured("/sys doesn't list the CPUs"),
        .nodes = nodes ? measured_as((double)nodes) : not_measured("/sys doesn't list memory nodes"),
        .memory_bytes = number_of(&machine->memory.total_kib, 1024, arena),
        .available_bytes = number_of(&machine->memory.available_kib, 1024, arena),
        .l1d_bytes = cache_of(&machine->topology, 1, 'I'),
        .l1i_bytes = cache_of(&machine->topology, 1, 'D'),
        .l2_bytes = cache_of(&machine->topology, 2, 'I'),
        .l3_bytes = cache_of(&machine->topology, 3, 'I'),
        .l1d_sets = sets_of(&machine->topology, 1, 'I'),
        .l2_sets = sets_of(&machine->topology, 2, 'I'),
        .numa_balancing = number_of(&machine->memory.numa_balancing, 1, arena),
        .swap_bytes = number_of(&machine->memory.swap_total_kib, 1024, arena),
        .clock_most_hz = number_of(&machine->frequency.hardware_max_khz, 1000, arena),
        .pmu_counters = counters_of(machine, arena),
    };
}

double surroundings_widest_bits(const struct surroundings *surroundings)
{
    return surroundings->has_avx512                    ? 512
           : surroundings->has_avx2                    ? 256
           : surroundings->cpu && surroundings->cpu[0] ? 128
                                                       : 0;
}

/* ---- JSON: one table for both directions ---- */

enum field_kind {
    FIELD_WORD,
    FIELD_TRUTH,
    FIELD_MEASURED
};

static const struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    bool alike; /* where it differs, times can't be compared */
} fields[] = {
#define FIELD(member, kind) {#member, kind, offsetof(struct surroundings, member), false}
#define ALIKE(member, kind) {#member, kind, offsetof(struct surroundings, member), true}
    ALIKE(cpu, FIELD_WORD),
    ALIKE(microarchitecture, FIELD_WORD),
    ALIKE(kernel, FIELD_WORD),
    ALIKE(hypervisor, FIELD_WORD),
    ALIKE(confidential, FIELD_WORD),
    ALIKE(thp_enabled, FIELD_WORD),
    ALIKE(thp_defrag, FIELD_WORD),
    FIELD(thp_shmem, FIELD_WORD),
    ALIKE(governor, FIELD_WORD),
    ALIKE(frequency_driver, FIELD_WORD),
    ALIKE(nohz_full, FIELD_WORD),
    ALIKE(isolated_cpus, FIELD_WORD),
    ALIKE(mitigations, FIELD_WORD),
    ALIKE(clocksource, FIELD_WORD),
    ALIKE(instruction_sets, FIELD_WORD),
    FIELD(is_guest, FIELD_TRUTH),
    FIELD(has_avx2, FIELD_TRUTH),
    FIELD(has_avx512, FIELD_TRUTH),
    ALIKE(cpus_online, FIELD_MEASURED),
    ALIKE(nodes, FIELD_MEASURED),
    ALIKE(memory_bytes, FIELD_MEASURED),
    FIELD(available_bytes, FIELD_MEASURED),
    FIELD(l1d_bytes, FIELD_MEASURED),
    FIELD(l1i_bytes, FIELD_MEASURED),
    FIELD(l2_bytes, FIELD_MEASURED),
    FIELD(l3_bytes, FIELD_MEASURED),
    FIELD(l1d_sets, FIELD_MEASURED),
    FIELD(l2_sets, FIELD_MEASURED),
    ALIKE(numa_balancing, FIELD_MEASURED),
    FIELD(swap_bytes, FIELD_MEASURED),
    FIELD(clock_most_hz, FIELD_MEASURED),
    FIELD(pmu_counters, FIELD_MEASURED),
#undef FIELD
#undef ALIKE
};

void surroundings_members(const struct surroundings *surroundings, struct json_writer *json)
{
    for (size_t at = 0; at < array_count(fields); at++) {
        const char *member = (const char *)surroundings + fields[at].offset;
        if (fields[at].kind == FIELD_WORD)
            json_string(json, fields[at].name, *(const char *const *)(const void *)member);
        else if (fields[at].kind == FIELD_TRUTH)
            json_bool(json, fields[at].name, *(const bool *)member);
        else
            json_measured(json, fields[at].name, *(const struct measured *)(const void *)member);
    }
}

void surroundings_write(const struct surroundings *surroundings, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    surroundings_members(surroundings, &json);
    json_object_close(&json);
}

/* The member as text; "" when it is not known. */
static const char *member_text(const struct surroundings *surroundings, const struct field *field, struct arena *arena)
{
    const char *member = (const char *)surroundings + field->offset;
    const struct measured *measured = (const struct measured *)(const void *)member;
    switch (field->kind) {
    case FIELD_WORD:
        return *(const char *const *)(const void *)member;
    case FIELD_TRUTH:
        return *(const bool *)member ? "yes" : "no";
    case FIELD_MEASURED:
        break;
    }
    return measured->known ? arena_printf(arena, "%.15g", measured->value) : "";
}

size_t surroundings_compare(const struct surroundings *a, const struct surroundings *b,
                            struct surroundings_difference *ret_differences, size_t most, struct arena *arena)
{
    size_t count = 0;
    for (size_t at = 0; at < array_count(fields) && count < most; at++) {
        if (!fields[at].alike)
            continue;
        const char *of_a = member_text(a, &fields[at], arena), *of_b = member_text(b, &fields[at], arena);
        if (*of_a && *of_b && strcmp(of_a, of_b) != 0)
            ret_differences[count++] = (struct surroundings_difference){fields[at].name, of_a, of_b};
    }
    return count;
}

bool surroundings_read(struct surroundings *surroundings, struct json_value root, struct arena *arena,
                       struct error *err)
{
    if (!json_is_record(root))
        return error_set(err, ERROR_FORMAT, "machine facts are not an object");
    *surroundings = (struct surroundings){0};
    for (size_t at = 0; at < array_count(fields); at++) {
        char *member = (char *)surroundings + fields[at].offset;
        struct json_value value = json_member(root, fields[at].name);
        if (fields[at].kind == FIELD_WORD)
            *(const char **)(void *)member = arena_string(arena, json_text_or(value, ""));
        else if (fields[at].kind == FIELD_TRUTH)
            *(bool *)member = json_truth_or(value, false);
        else
            *(struct measured *)(void *)member = json_measured_or(value, arena);
    }
    return true;
}
