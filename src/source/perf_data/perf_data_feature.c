/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/perf_data/perf_data_internal.h"

#include "base/text.h"

#include <inttypes.h>

/* u32 length, then that many bytes that hold a NUL-terminated string and padding; NULL when damaged. */
static const char *read_feature_string(struct perf_data *data, struct bytes *in)
{
    uint32_t size = read_u32(in);
    const uint8_t *bytes = bytes_take(in, size);
    if (!bytes)
        return NULL;
    return arena_string_n(&data->arena, (const char *)bytes, strnlen((const char *)bytes, size));
}

static void read_command_line(struct perf_data *data, struct bytes *in)
{
    uint32_t count = read_u32(in);
    if (in->failed || count > bytes_left(in) / 4)
        return;
    const char **words = arena_array(&data->arena, const char *, count);
    for (uint32_t at = 0; at < count; at++) {
        words[at] = read_feature_string(data, in);
        if (!words[at])
            return;
    }
    data->source.facts.command_line = words;
    data->source.facts.command_line_count = count;
}

/* Which event an EVENT_DESC entry speaks of: by its first id; by position when it has none. */
static uint32_t described_event(const struct perf_data *data, struct bytes ids, uint32_t position)
{
    uint32_t event = bytes_left(&ids) >= 8 ? record_layouts_event(&data->layouts, read_u64(&ids)) : HASHMAP_ABSENT;
    return event == HASHMAP_ABSENT ? position : event;
}

static void read_event_descriptions(struct perf_data *data, struct bytes *in)
{
    uint32_t count = read_u32(in), attr_size = read_u32(in);
    for (uint32_t at = 0; at < count && !in->failed; at++) {
        const uint8_t *attr_bytes = bytes_take(in, attr_size);
        uint32_t id_count = read_u32(in);
        const char *name = read_feature_string(data, in);
        if (id_count > bytes_left(in) / 8)
            return;
        const uint8_t *ids = bytes_take(in, (size_t)id_count * 8);
        if (in->failed || !name || !ids || !attr_bytes)
            return;
        struct bytes id_bytes = bytes_of(ids, (size_t)id_count * 8, data->swapped);
        perf_data_event_rename(data, described_event(data, id_bytes, at), view_of(name));
        /* A file may keep its ids here only. */
        for (uint32_t id = 0; id < id_count && at < data->events.count && !data->events.items[at].id_count; id++)
            record_layouts_add_id(&data->layouts, read_u64(&id_bytes), at);
    }
}

static void read_groups(struct perf_data *data, struct bytes *in)
{
    uint32_t count = read_u32(in);
    for (uint32_t at = 0; at < count && !in->failed; at++) {
        const char *name = read_feature_string(data, in);
        uint32_t leader = read_u32(in), members = read_u32(in);
        if (in->failed || !name || leader >= data->events.count || members > data->events.count - leader)
            return;
        data->events.items[leader].group_name = name[0] && strcmp(name, "{anon_group}") != 0 ? name : NULL;
        for (uint32_t member = 0; member < members; member++)
            data->events.items[leader + member].leader = leader;
    }
}

static void read_pmu_mappings(struct perf_data *data, struct bytes *in)
{
    struct text mappings = {0};
    uint32_t count = read_u32(in);
    for (uint32_t at = 0; at < count && !in->failed; at++) {
        uint32_t type = read_u32(in);
        const char *name = read_feature_string(data, in);
        if (name)
            text_printf(&mappings, "%s%s = %" PRIu32, at ? ", " : "", name, type);
    }
    if (mappings.length)
        data->source.facts.pmu_mappings = arena_string_n(&data->arena, mappings.bytes, mappings.length);
    text_done(&mappings);
}

static void read_clock_data(struct source_facts *facts, struct bytes *in)
{
    uint32_t version = read_u32(in), id = read_u32(in);
    uint64_t wall_ns = read_u64(in), clock_ns = read_u64(in);
    if (in->failed || version != 1)
        return;
    facts->clock_id = id;
    facts->clock_wall_ns = wall_ns;
    facts->clock_ns = clock_ns;
}

static void read_compression(struct source_facts *facts, struct bytes *in)
{
    facts->is_compressed = true;
    read_u32(in); /* version */
    read_u32(in); /* 1: zstd */
    facts->compression_level = read_u32(in);
    facts->compression_ratio = read_u32(in);
}

static void read_build_ids(struct perf_data *data, struct bytes in)
{
    data->build_id_cursor = in;
    /* The oldest files have no pid, so that the name seems to begin four bytes too late. */
    static const char kernel[] = "[kernel.kallsyms]", shifted[] = "nel.kallsyms]";
    size_t name_at = RECORD_HEADER_BYTES + 4 + 24;
    data->build_id_quirk = bytes_left(&in) >= name_at + sizeof(kernel) &&
                           memcmp(in.at + name_at, shifted, sizeof(shifted)) == 0;
}

struct text_feature {
    unsigned number;
    size_t offset; /* of a const char * in struct source_facts */
};

static const struct text_feature text_features[] = {
    {FEATURE_HOSTNAME, offsetof(struct source_facts, hostname)},
    {FEATURE_OS_RELEASE, offsetof(struct source_facts, os_release)},
    {FEATURE_VERSION, offsetof(struct source_facts, tool_version)},
    {FEATURE_ARCH, offsetof(struct source_facts, architecture)},
    {FEATURE_CPU_DESCRIPTION, offsetof(struct source_facts, cpu_description)},
    {FEATURE_CPU_ID, offsetof(struct source_facts, cpu_id)},
};

struct bytes_feature {
    unsigned number;
    size_t offset; /* of a struct bytes_view in struct source_facts */
};

static const struct bytes_feature bytes_features[] = {
    {FEATURE_TRACING_DATA, offsetof(struct source_facts, tracing_data)},
    {FEATURE_CPU_TOPOLOGY, offsetof(struct source_facts, machine[MACHINE_CPUS])},
    {FEATURE_NUMA_TOPOLOGY, offsetof(struct source_facts, machine[MACHINE_NODES])},
    {FEATURE_CACHE, offsetof(struct source_facts, machine[MACHINE_CACHES])},
    {FEATURE_MEMORY_TOPOLOGY, offsetof(struct source_facts, machine[MACHINE_MEMORY])},
};

static void keep_bytes_feature(struct source_facts *facts, unsigned number, struct bytes in)
{
    for (size_t at = 0; at < array_count(bytes_features); at++)
        if (bytes_features[at].number == number)
            *(struct bytes_view *)((char *)facts + bytes_features[at].offset) =
                (struct bytes_view){in.at, bytes_left(&in)};
}

static void read_text_feature(struct perf_data *data, unsigned number, struct bytes *in)
{
    for (size_t at = 0; at < array_count(text_features); at++)
        if (text_features[at].number == number)
            *(const char **)((char *)&data->source.facts + text_features[at].offset) = read_feature_string(data, in);
}

void perf_data_read_feature(struct perf_data *data, unsigned number, struct bytes in)
{
    struct source_facts *facts = &data->source.facts;
    facts->features |= number < 64 ? UINT64_C(1) << number : 0;
    switch (number) {
    case FEATURE_BUILD_ID:
        read_build_ids(data, in);
        break;
    case FEATURE_CPU_COUNT:
        facts->cpus_available = read_u32(&in);
        facts->cpus_online = read_u32(&in);
        break;
    case FEATURE_TOTAL_MEMORY:
        facts->total_memory_kib = read_u64(&in);
        break;
    case FEATURE_COMMAND_LINE:
        read_command_line(data, &in);
        break;
    case FEATURE_EVENT_DESCRIPTION:
        read_event_descriptions(data, &in);
        break;
    case FEATURE_BRANCH_STACK: /* a flag: its section is empty */
        facts->has_branch_records = true;
        break;
    case FEATURE_PMU_MAPPINGS:
        read_pmu_mappings(data, &in);
        break;
    case FEATURE_GROUP_DESCRIPTION:
        read_groups(data, &in);
        break;
    case FEATURE_SAMPLE_TIME:
        facts->first_sample_ns = read_u64(&in);
        facts->last_sample_ns = read_u64(&in);
        break;
    case FEATURE_CLOCK_ID:
        facts->clock_resolution_ns = read_u64(&in);
        break;
    case FEATURE_COMPRESSED:
        read_compression(facts, &in);
        break;
    case FEATURE_CLOCK_DATA:
        read_clock_data(facts, &in);
        break;
    default:
        keep_bytes_feature(facts, number, in);
        read_text_feature(data, number, &in);
    }
}

void perf_data_read_features(struct perf_data *data, const uint64_t bitmap[4])
{
    if (data->data_size_missing)
        return; /* the recorder died before it wrote them */
    uint64_t table = data->data.offset + data->data.size_bytes;
    data->source.facts.feature_offset = table;
    struct bytes sections = bytes_of(data->map + table, data->map_bytes - table, data->swapped);
    for (unsigned number = 0; number < FEATURE_COUNT; number++) {
        if (!(bitmap[number / 64] >> number % 64 & 1))
            continue;
        uint64_t offset = read_u64(&sections), size = read_u64(&sections);
        if (sections.failed || offset > data->map_bytes || size > data->map_bytes - offset)
            perf_data_cut_off(data, data->map_bytes,
                              "what its header says of feature %u would go on to offset %" PRIu64, number,
                              offset + size);
        else
            perf_data_read_feature(data, number, bytes_of(data->map + offset, size, data->swapped));
    }
}

bool perf_data_next_build_id(struct perf_data *data, struct record *ret_record)
{
    struct bytes *cursor = &data->build_id_cursor;
    struct bytes header = *cursor;
    read_u32(&header);
    uint16_t misc = read_u16(&header), size = read_u16(&header);
    size_t fixed = RECORD_HEADER_BYTES + (data->build_id_quirk ? 0 : 4) + 24;
    const uint8_t *entry = size > fixed ? bytes_take(cursor, size) : NULL;
    if (!entry)
        return false;
    struct bytes in = bytes_of(entry + RECORD_HEADER_BYTES, size - RECORD_HEADER_BYTES, data->swapped);
    memset(ret_record, 0, sizeof(*ret_record));
    ret_record->kind = RECORD_BUILD_ID;
    ret_record->type = 67;
    ret_record->misc = misc;
    ret_record->cpu_mode = (enum cpu_mode)(misc & PERF_RECORD_MISC_CPUMODE_MASK);
    ret_record->build_id.pid = data->build_id_quirk ? UINT32_MAX : read_u32(&in);
    const uint8_t *id = bytes_take(&in, 24);
    uint8_t id_size = misc & (1 << 15) && id[BUILD_ID_BYTES_MOST] <= BUILD_ID_BYTES_MOST ? id[BUILD_ID_BYTES_MOST]
                                                                                        : BUILD_ID_BYTES_MOST;
    ret_record->build_id.build_id.size_bytes = id_size;
    memcpy(ret_record->build_id.build_id.bytes, id, id_size);
    ret_record->build_id.path = read_string(&in);
    return !in.failed;
}
