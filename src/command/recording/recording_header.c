/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/recording/recording_header.h"

#include "base/vec.h"
#include "decode/machine_text.h"

#include <inttypes.h>
#include <time.h>

static const char *const sample_type_names[] = {
    "IP",           "TID",       "TIME",         "ADDR",         "READ",     "CALLCHAIN", "ID",
    "CPU",          "PERIOD",    "STREAM_ID",    "RAW",          "BRANCH_STACK", "REGS_USER", "STACK_USER",
    "WEIGHT",       "DATA_SRC",  "IDENTIFIER",   "TRANSACTION",  "REGS_INTR", "PHYS_ADDR", "AUX",
    "CGROUP",       "DATA_PAGE_SIZE", "CODE_PAGE_SIZE", "WEIGHT_STRUCT",
};
/* The order in which perf names them. */
static const unsigned char sample_type_order[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                                  13, 16, 18, 15, 14, 17, 19, 20, 21, 22, 23, 24};
_Static_assert(sizeof(sample_type_order) == array_count(sample_type_names), "each bit has its place");
static const char *const feature_names[] = {
    [1] = "TRACING_DATA",
    "BUILD_ID",
    "HOSTNAME",
    "OSRELEASE",
    "VERSION",
    "ARCH",
    "NRCPUS",
    "CPUDESC",
    "CPUID",
    "TOTAL_MEM",
    "CMDLINE",
    "EVENT_DESC",
    "CPU_TOPOLOGY",
    "NUMA_TOPOLOGY",
    "BRANCH_STACK",
    "PMU_MAPPINGS",
    "GROUP_DESC",
    "AUXTRACE",
    "STAT",
    "CACHE",
    "SAMPLE_TIME",
    "MEM_TOPOLOGY",
    "CLOCKID",
    "DIR_FORMAT",
    "BPF_PROG_INFO",
    "BPF_BTF",
    "COMPRESSED",
    "CPU_PMU_CAPS",
    "CLOCK_DATA",
    "HYBRID_TOPOLOGY",
    "PMU_CAPS",
};
enum {
    FEATURE_CPU_TOPOLOGY = 13,
    FEATURE_NUMA_TOPOLOGY = 14,
    FEATURE_CACHE = 20,
    FEATURE_MEMORY_TOPOLOGY = 22,
    FEATURE_CLOCK_DATA = 29
};
static const char *const clock_names[] = {
    [CLOCK_REALTIME] = "realtime", [CLOCK_MONOTONIC] = "monotonic", [CLOCK_MONOTONIC_RAW] = "monotonic_raw",
    [CLOCK_REALTIME_COARSE] = "realtime_coarse", [CLOCK_MONOTONIC_COARSE] = "monotonic_coarse",
    [CLOCK_BOOTTIME] = "boottime", [CLOCK_TAI] = "tai",
};
static const char *const read_format_names[] = {"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST"};
static const char *const branch_type_names[] = {
    "USER",     "KERNEL",    "HV",        "ANY",      "ANY_CALL",   "ANY_RETURN", "IND_CALL",
    "ABORT_TX", "IN_TX",     "NO_TX",     "COND",     "CALL_STACK", "IND_JUMP",   "CALL",
    "NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",  "COUNTERS",
};

static void add_bits(struct text *out, uint64_t value, const char *const *names, size_t count)
{
    bool first = true;
    for (size_t bit = 0; bit < 64; bit++) {
        if (!(value >> bit & 1))
            continue;
        if (bit < count)
            text_printf(out, "%s%s", first ? "" : "|", names[bit]);
        else
            text_printf(out, "%sbit%zu", first ? "" : "|", bit);
        first = false;
    }
}

static void add_sample_type(struct text *out, uint64_t type)
{
    const char *between = ", sample_type = ";
    for (size_t at = 0; at < array_count(sample_type_order); at++)
        if (type >> sample_type_order[at] & 1) {
            text_printf(out, "%s%s", between, sample_type_names[sample_type_order[at]]);
            between = "|";
        }
    uint64_t unknown = type >> array_count(sample_type_names) << array_count(sample_type_names);
    text_add(out, unknown ? between : "");
    add_bits(out, unknown, sample_type_names, array_count(sample_type_names));
}

static void add_field(struct text *out, const char *name, uint64_t value)
{
    if (value)
        text_printf(out, ", %s = %" PRIu64, name, value);
}

static void add_flags(struct text *out, const struct perf_event_attr *attr)
{
    const struct {
        const char *name;
        unsigned value;
    } flags[] = {
        {"disabled", attr->disabled}, {"inherit", attr->inherit}, {"pinned", attr->pinned},
        {"exclusive", attr->exclusive}, {"exclude_user", attr->exclude_user}, {"exclude_kernel", attr->exclude_kernel},
        {"exclude_hv", attr->exclude_hv}, {"exclude_idle", attr->exclude_idle}, {"mmap", attr->mmap},
        {"comm", attr->comm}, {"freq", attr->freq}, {"inherit_stat", attr->inherit_stat},
        {"enable_on_exec", attr->enable_on_exec}, {"task", attr->task}, {"watermark", attr->watermark},
        {"precise_ip", attr->precise_ip}, {"mmap_data", attr->mmap_data}, {"sample_id_all", attr->sample_id_all},
        {"exclude_host", attr->exclude_host}, {"exclude_guest", attr->exclude_guest},
        {"exclude_callchain_kernel", attr->exclude_callchain_kernel},
        {"exclude_callchain_user", attr->exclude_callchain_user}, {"mmap2", attr->mmap2},
        {"comm_exec", attr->comm_exec}, {"use_clockid", attr->use_clockid}, {"context_switch", attr->context_switch},
        {"write_backward", attr->write_backward}, {"namespaces", attr->namespaces}, {"ksymbol", attr->ksymbol},
        {"bpf_event", attr->bpf_event}, {"aux_output", attr->aux_output}, {"cgroup", attr->cgroup},
        {"text_poke", attr->text_poke}, {"build_id", attr->build_id}, {"inherit_thread", attr->inherit_thread},
        {"remove_on_exec", attr->remove_on_exec}, {"sigtrap", attr->sigtrap},
    };
    for (size_t at = 0; at < array_count(flags); at++)
        add_field(out, flags[at].name, flags[at].value);
}

static void add_event(struct text *out, const struct source_event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    text_printf(out, "# event : name = %s, ", event->name);
    for (size_t at = 0; at < event->id_count; at++)
        text_printf(out, "%s%" PRIu64, at ? ", " : ", id = { ", event->ids[at]);
    text_add(out, event->id_count ? " }" : "");
    text_printf(out, ", type = %" PRIu32 ", size = %" PRIu32, attr->type, attr->size);
    if (attr->config)
        text_printf(out, ", config = 0x%" PRIx64, (uint64_t)attr->config);
    if (attr->sample_period)
        text_printf(out, ", { sample_period, sample_freq } = %" PRIu64, (uint64_t)attr->sample_period);
    add_sample_type(out, attr->sample_type);
    text_add(out, attr->read_format ? ", read_format = " : "");
    add_bits(out, attr->read_format, read_format_names, array_count(read_format_names));
    add_flags(out, attr);
    add_field(out, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
    add_field(out, "bp_type", attr->bp_type);
    if (attr->config1)
        text_printf(out, ", { bp_addr, config1 } = 0x%" PRIx64, (uint64_t)attr->config1);
    if (attr->config2)
        text_printf(out, ", { bp_len, config2 } = 0x%" PRIx64, (uint64_t)attr->config2);
    text_add(out, attr->branch_sample_type ? ", branch_sample_type = " : "");
    add_bits(out, attr->branch_sample_type, branch_type_names, array_count(branch_type_names));
    if (attr->sample_regs_user)
        text_printf(out, ", sample_regs_user = 0x%" PRIx64, (uint64_t)attr->sample_regs_user);
    add_field(out, "sample_stack_user", attr->sample_stack_user);
    if (attr->use_clockid && attr->clockid)
        text_printf(out, ", clockid = %d", attr->clockid);
    if (attr->sample_regs_intr)
        text_printf(out, ", sample_regs_intr = 0x%" PRIx64, (uint64_t)attr->sample_regs_intr);
    add_field(out, "sample_max_stack", attr->sample_max_stack);
    text_add_char(out, '\n');
}

static void add_text(struct text *out, const char *name, const char *value)
{
    if (value)
        text_printf(out, "# %s : %s\n", name, value);
}

static void add_times(struct text *out, const struct source_facts *facts)
{
    if (!facts->last_sample_ns)
        return;
    const uint64_t billion = 1000000000;
    text_printf(out, "# time of first sample : %" PRIu64 ".%06" PRIu64 "\n", facts->first_sample_ns / billion,
                facts->first_sample_ns % billion / 1000);
    text_printf(out, "# time of last sample : %" PRIu64 ".%06" PRIu64 "\n", facts->last_sample_ns / billion,
                facts->last_sample_ns % billion / 1000);
    text_printf(out, "# sample duration : %10.3f ms\n",
                (double)(facts->last_sample_ns - facts->first_sample_ns) / 1e6);
}

static void add_groups(struct text *out, const struct source *source)
{
    for (size_t leader = 0; leader < source->event_count; leader++) {
        struct text members = {0};
        for (size_t at = leader + 1; at < source->event_count; at++)
            if (source->events[at].leader == leader)
                text_printf(&members, ",%s", source->events[at].name);
        if (members.length)
            text_printf(out, "# group: %s{%s%s}\n",
                        source->events[leader].group_name ? source->events[leader].group_name : "",
                        source->events[leader].name, members.bytes);
        text_done(&members);
    }
}

static void add_clock_times(struct text *out, const struct source_facts *facts)
{
    const uint64_t billion = 1000000000;
    const char *name = facts->clock_id < array_count(clock_names) ? clock_names[facts->clock_id] : NULL;
    time_t seconds = (time_t)(facts->clock_wall_ns / billion);
    struct tm local;
    char date[64];
    name = name ? name : "unknown";
    strftime(date, sizeof(date), "%F %T", localtime_r(&seconds, &local));
    text_printf(out, "# clockid: %s (%" PRIu32 ")\n", name, facts->clock_id);
    text_printf(
        out, "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n",
        date, facts->clock_wall_ns % billion / 1000, facts->clock_wall_ns / billion,
        facts->clock_wall_ns % billion / 1000, facts->clock_ns / billion, facts->clock_ns % billion, name);
}

static void add_missing(struct text *out, const struct source_facts *facts)
{
    text_add(out, "# missing features: ");
    for (size_t at = 1; at < array_count(feature_names); at++)
        if (!(facts->features >> at & 1))
            text_printf(out, "%s ", feature_names[at]);
    text_add_char(out, '\n');
}

/* What is long, and shown when asked for: of which CPUs, caches and memory the machine is made. */
static void add_machine(struct text *out, const struct source_facts *facts, bool whole, unsigned feature,
                        enum machine_part part)
{
    const struct bytes_view *bytes = &facts->machine[part];
    if (!(facts->features >> feature & 1))
        return;
    if (!whole)
        text_printf(out, "# %s info available, use -I to display\n", feature_names[feature]);
    else if (!bytes->bytes || !machine_text(out, part, bytes_of(bytes->bytes, bytes->size_bytes, facts->is_swapped),
                                            facts->cpus_available))
        text_printf(out, "# %s info is damaged, or of another version\n", feature_names[feature]);
}

/* In the order of the features' numbers, as perf has it. */
static void add_features_behind_events(struct text *out, const struct source *source, bool whole)
{
    const struct source_facts *facts = &source->facts;
    add_machine(out, facts, whole, FEATURE_CPU_TOPOLOGY, MACHINE_CPUS);
    add_machine(out, facts, whole, FEATURE_NUMA_TOPOLOGY, MACHINE_NODES);
    text_add(out, facts->has_branch_records ? "# contains samples with branch stack\n" : "");
    if (facts->pmu_mappings)
        text_printf(out, "# pmu mappings: %s\n", facts->pmu_mappings);
    add_groups(out, source);
    add_machine(out, facts, whole, FEATURE_CACHE, MACHINE_CACHES);
    add_times(out, facts);
    add_machine(out, facts, whole, FEATURE_MEMORY_TOPOLOGY, MACHINE_MEMORY);
    if (facts->clock_resolution_ns)
        text_printf(out, "# clockid frequency: %g MHz\n", 1e3 / (double)facts->clock_resolution_ns);
    if (facts->is_compressed)
        text_printf(out, "# compressed : Zstd, level = %" PRIu32 ", ratio = %" PRIu32 "\n", facts->compression_level,
                    facts->compression_ratio);
    if (facts->features >> FEATURE_CLOCK_DATA & 1)
        add_clock_times(out, facts);
    if (!facts->is_pipe)
        add_missing(out, facts);
}

void recording_header_text(struct text *out, const struct source *source, bool whole)
{
    const struct source_facts *facts = &source->facts;
    text_add(out, "# ========\n");
    if (facts->captured_on_s) {
        time_t seconds = (time_t)facts->captured_on_s;
        struct tm local;
        char date[64];
        strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", localtime_r(&seconds, &local));
        text_printf(out, "# captured on    : %s\n", date);
    }
    if (!facts->is_pipe) {
        /* Version 1 of the header is what perf calls PERFILE2's. */
        text_printf(out, "# header version : %" PRIu32 "\n", facts->header_version ? facts->header_version - 1 : 0);
        text_printf(out,
                    "# data offset    : %" PRIu64 "\n# data size      : %" PRIu64 "\n# feat offset    : %" PRIu64 "\n",
                    facts->data_offset, facts->data_size_bytes, facts->feature_offset);
    }
    add_text(out, "hostname", facts->hostname);
    add_text(out, "os release", facts->os_release);
    add_text(out, "perf version", facts->tool_version);
    add_text(out, "arch", facts->architecture);
    if (facts->cpus_available)
        text_printf(out, "# nrcpus online : %" PRIu32 "\n# nrcpus avail : %" PRIu32 "\n", facts->cpus_online,
                    facts->cpus_available);
    add_text(out, "cpudesc", facts->cpu_description);
    add_text(out, "cpuid", facts->cpu_id);
    if (facts->total_memory_kib)
        text_printf(out, "# total memory : %" PRIu64 " kB\n", facts->total_memory_kib);
    if (facts->command_line_count)
        text_add(out, "# cmdline : ");
    for (size_t at = 0; at < facts->command_line_count; at++)
        text_printf(out, "%s ", facts->command_line[at]);
    text_add(out, facts->command_line_count ? "\n" : "");
    for (size_t at = 0; at < source->event_count; at++)
        add_event(out, &source->events[at]);
    add_features_behind_events(out, source, whole);
    text_add(out, "# ========\n#\n");
}

void recording_losses_report(FILE *talk, const struct source_losses *losses)
{
    if (losses->cut_off[0])
        fprintf(talk,
                "warning: the recording is cut off %s; its recorder was killed or the file is incomplete; what is "
                "there is shown\n",
                losses->cut_off);
    if (losses->lost_events)
        fprintf(talk,
                "warning: %" PRIu64 " events were lost in %" PRIu64 " places: buffers were full; record with larger "
                "ones (-m)\n",
                losses->lost_events, losses->lost_records);
    if (losses->lost_samples)
        fprintf(talk, "warning: the kernel dropped %" PRIu64 " samples\n", losses->lost_samples);
    if (losses->throttles)
        fprintf(talk, "note: the kernel throttled sampling %" PRIu64 " times: a lower frequency (-F) avoids it\n",
                losses->throttles);
    if (losses->unknown_records)
        fprintf(talk, "note: %" PRIu64 " records of unknown types were skipped\n", losses->unknown_records);
    if (losses->out_of_order)
        fprintf(talk, "note: %" PRIu64 " records came out of time order\n", losses->out_of_order);
    if (losses->auxtrace_bytes)
        fprintf(talk, "note: %" PRIu64 " bytes of hardware trace data were skipped: plumb does not decode them\n",
                losses->auxtrace_bytes);
}
