/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/layout.h"

#include "base/arena.h"
#include "base/vec.h"
#include "decode/sample_fields.h"

/* Bytes of the fields of `order` that sample_type has and that stand before `field`; LAYOUT_NOWHERE without it. */
static uint32_t field_at(uint64_t sample_type, const uint64_t *order, size_t count, uint64_t field)
{
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (order[i] == field)
            return sample_type & field ? at : LAYOUT_NOWHERE;
        at += sample_type & order[i] ? 8 : 0;
    }
    return LAYOUT_NOWHERE;
}

static const uint64_t sample_order[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
                                        PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID};
static const uint64_t trailer_order[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
                                         PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};

struct record_layout record_layout_of(const struct perf_event_attr *attr)
{
    uint64_t type = attr->sample_type;
    uint64_t id = type & PERF_SAMPLE_IDENTIFIER ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
    struct record_layout layout = {
        .sample_type = type,
        .read_format = attr->read_format,
        .branch_sample_type = attr->branch_sample_type,
        .user_registers = attr->sample_regs_user,
        .interrupt_registers = attr->sample_regs_intr,
        .sample_id_all = attr->sample_id_all,
        .is_head_alone = !(type & SAMPLE_REST),
        .sample_head_bytes = 8 * (uint32_t)__builtin_popcountll(type & SAMPLE_HEAD),
        .sample_time_at = field_at(type, sample_order, array_count(sample_order), PERF_SAMPLE_TIME),
        .sample_id_at = field_at(type, sample_order, array_count(sample_order), id),
        .trailer_time_at = LAYOUT_NOWHERE,
        .trailer_id_at = LAYOUT_NOWHERE,
    };
    if (!layout.sample_id_all)
        return layout;
    for (size_t at = 0; at < array_count(trailer_order); at++)
        layout.trailer_bytes += type & trailer_order[at] ? 8 : 0;
    layout.trailer_time_at = field_at(type, trailer_order, array_count(trailer_order), PERF_SAMPLE_TIME);
    layout.trailer_id_at = field_at(type, trailer_order, array_count(trailer_order), id);
    return layout;
}

void record_layouts_add(struct record_layouts *layouts, const struct perf_event_attr *attr)
{
    *vec_push(layouts) = record_layout_of(attr);
    const struct record_layout *first = layouts->items, *added = &layouts->items[layouts->count - 1];
    layouts->times_differ |= first->sample_time_at != added->sample_time_at ||
                             first->trailer_bytes != added->trailer_bytes ||
                             first->trailer_time_at != added->trailer_time_at;
}

static struct record_layouts_id *id_slot(struct record_layouts_id *slots, size_t capacity, uint64_t id)
{
    size_t at = hash_u64(id) & (capacity - 1);
    while (slots[at].event != HASHMAP_ABSENT && slots[at].id != id)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static void ids_grow(struct record_layouts *layouts)
{
    size_t capacity = layouts->id_capacity ? 2 * layouts->id_capacity : 64;
    struct record_layouts_id *slots = memory_alloc(memory_product(capacity, sizeof(*slots)));
    for (size_t at = 0; at < capacity; at++)
        slots[at].event = HASHMAP_ABSENT;
    for (size_t at = 0; at < layouts->id_capacity; at++)
        if (layouts->ids[at].event != HASHMAP_ABSENT)
            *id_slot(slots, capacity, layouts->ids[at].id) = layouts->ids[at];
    free(layouts->ids);
    layouts->ids = slots;
    layouts->id_capacity = capacity;
}

void record_layouts_add_id(struct record_layouts *layouts, uint64_t id, uint32_t event)
{
    /* The first event to claim an id keeps it: ids are unique in every honest file. */
    if (2 * (layouts->id_count + 1) > layouts->id_capacity)
        ids_grow(layouts);
    struct record_layouts_id *slot = id_slot(layouts->ids, layouts->id_capacity, id);
    if (slot->event != HASHMAP_ABSENT)
        return;
    *slot = (struct record_layouts_id){.id = id, .event = event};
    layouts->id_count++;
    layouts->last = *slot;
}

uint32_t record_layouts_event(const struct record_layouts *layouts, uint64_t id)
{
    return layouts->id_capacity ? id_slot(layouts->ids, layouts->id_capacity, id)->event : HASHMAP_ABSENT;
}

void record_layouts_done(struct record_layouts *layouts)
{
    vec_done(layouts);
    free(layouts->ids);
    layouts->ids = NULL;
    layouts->id_count = layouts->id_capacity = 0;
}

/*
 * The event that a record belongs to. Events of one file agree on where the id stands (the kernel's tools see
 * to it), so the first event's layout finds the id. Records that tools synthesise carry id 0: the first event.
 */
static uint32_t event_of(const struct record_layouts *layouts, uint32_t type, const uint8_t *payload, size_t size,
                         bool swapped)
{
    const struct record_layout *first = layouts->items;
    if (layouts->count == 1)
        return 0;
    size_t id_at;
    if (type == PERF_RECORD_SAMPLE) {
        id_at = first->sample_id_at;
    } else {
        if (!first->sample_id_all || first->trailer_id_at == LAYOUT_NOWHERE || size < first->trailer_bytes)
            return 0;
        /* From the end: an IDENTIFIER is the last word whatever else the events record. */
        id_at = size - first->trailer_bytes + first->trailer_id_at;
    }
    if (id_at == LAYOUT_NOWHERE || id_at + 8 > size)
        return 0;
    uint32_t event = record_layouts_event(layouts, stored_u64(payload + id_at, swapped));
    return event == HASHMAP_ABSENT ? 0 : event;
}

bool record_search_time(const struct record_layouts *layouts, uint32_t type, const uint8_t *payload,
                        size_t size_bytes, bool swapped, uint64_t *ret_time)
{
    if (!layouts->count || type >= 64 /* written by tools: no trailer */)
        return false;
    uint32_t event = layouts->times_differ ? event_of(layouts, type, payload, size_bytes, swapped) : 0;
    const struct record_layout *layout = &layouts->items[event];
    size_t time_at;
    if (type == PERF_RECORD_SAMPLE) {
        time_at = layout->sample_time_at;
    } else {
        if (layout->trailer_time_at == LAYOUT_NOWHERE || size_bytes < layout->trailer_bytes)
            return false;
        time_at = size_bytes - layout->trailer_bytes + layout->trailer_time_at;
    }
    if (time_at == LAYOUT_NOWHERE || time_at + 8 > size_bytes)
        return false;
    *ret_time = stored_u64(payload + time_at, swapped);
    return true;
}

/* ---- one record ---- */

struct decoding {
    struct bytes in;
    const struct record_layout *layout; /* NULL without events */
    struct record *record;
};

static uint64_t read_word(struct decoding *decoding)
{
    return read_u64(&decoding->in);
}

static struct u64_view take_words(struct decoding *decoding, uint64_t count)
{
    if (count > bytes_left(&decoding->in) / 8) {
        decoding->in.failed = true;
        return (struct u64_view){0};
    }
    const uint8_t *bytes = bytes_take(&decoding->in, (size_t)count * 8);
    return (struct u64_view){bytes, bytes ? (uint32_t)count : 0, decoding->in.swapped};
}

static struct bytes_view take_bytes(struct decoding *decoding, uint64_t count)
{
    if (count > bytes_left(&decoding->in)) {
        decoding->in.failed = true;
        return (struct bytes_view){0};
    }
    return (struct bytes_view){bytes_take(&decoding->in, (size_t)count), count};
}

static void decode_read_values(struct decoding *decoding, struct sample_rest *rest)
{
    uint64_t format = decoding->layout->read_format;
    rest->read_format = format;
    uint64_t words = 1 + !!(format & PERF_FORMAT_ID) + !!(format & READ_FORMAT_LOST);
    if (format & PERF_FORMAT_GROUP) {
        uint64_t count = read_word(decoding);
        rest->read_enabled_ns = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? read_word(decoding) : 0;
        rest->read_running_ns = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? read_word(decoding) : 0;
        if (count > UINT32_MAX / words)
            decoding->in.failed = true;
        else
            rest->read_values = take_words(decoding, count * words);
        return;
    }
    rest->read_single.value = read_word(decoding);
    rest->read_enabled_ns = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? read_word(decoding) : 0;
    rest->read_running_ns = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? read_word(decoding) : 0;
    rest->read_single.id = format & PERF_FORMAT_ID ? read_word(decoding) : 0;
    rest->read_single.lost = format & READ_FORMAT_LOST ? read_word(decoding) : 0;
}

static void decode_branches(struct decoding *decoding, struct sample_rest *rest)
{
    uint64_t count = read_word(decoding);
    if (decoding->layout->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
        rest->branch_hw_index = read_word(decoding);
    if (count > UINT32_MAX / 3) {
        decoding->in.failed = true;
        return;
    }
    rest->branches = take_words(decoding, 3 * count);
    if (decoding->layout->branch_sample_type & SAMPLE_BRANCH_COUNTERS)
        rest->branch_counters = take_words(decoding, count);
}

static void decode_registers(struct decoding *decoding, uint64_t mask, struct sample_registers *registers)
{
    registers->abi = read_word(decoding);
    if (!registers->abi)
        return;
    registers->mask = mask;
    registers->values = take_words(decoding, (uint64_t)__builtin_popcountll(mask));
}

static void decode_user_stack(struct decoding *decoding, struct sample_rest *rest)
{
    uint64_t size = read_word(decoding);
    if (!size)
        return;
    struct bytes_view stack = take_bytes(decoding, size);
    uint64_t filled = read_word(decoding);
    if (filled < stack.size_bytes)
        stack.size_bytes = filled;
    rest->user_stack = stack;
}

static void decode_weight(struct decoding *decoding, uint64_t type, struct sample_rest *rest)
{
    if (type & PERF_SAMPLE_WEIGHT) {
        rest->weight = read_word(decoding);
        return;
    }
    /* A u64 whose halves big-endian machines lay out so that the numbers read the same. */
    uint64_t word = read_word(decoding);
    rest->weight = word & UINT32_MAX;
    rest->weight_var2 = (uint16_t)(word >> 32);
    rest->weight_var3 = (uint16_t)(word >> 48);
}

static void decode_raw(struct decoding *decoding, struct sample_rest *rest)
{
    uint32_t size = read_u32(&decoding->in);
    rest->raw = take_bytes(decoding, size);
    /* 4 + size is a multiple of 8 in what the kernel writes; some tools leave the padding out of size. */
    uint64_t padding = (8 - (4 + (uint64_t)size) % 8) % 8;
    if (padding)
        take_bytes(decoding, padding < bytes_left(&decoding->in) ? padding : bytes_left(&decoding->in));
}

__attribute__((always_inline)) static inline void decode_sample_head(const uint8_t *head, uint64_t type, bool swapped,
                                                                     struct record *record)
{
    const struct sample_fields fields = sample_fields_read(head, type, swapped);
    struct record_sample *sample = &record->sample;
    sample->ip = fields.ip;
    sample->addr = fields.addr;
    sample->stream_id = fields.stream_id;
    sample->period = fields.period;
    record->who.id = fields.id;
    record->who.time = fields.time;
    record->who.pid = fields.pid;
    record->who.tid = fields.tid;
    record->who.cpu = fields.cpu;
    record->who.has_id = type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);
    record->who.has_thread = type & PERF_SAMPLE_TID;
    record->who.has_time = type & PERF_SAMPLE_TIME;
    record->who.has_cpu = type & PERF_SAMPLE_CPU;
}

/* What stands behind the chain. */
static void decode_sample_rest(struct decoding *decoding, uint64_t type, struct sample_rest *rest)
{
    if (type & PERF_SAMPLE_RAW)
        decode_raw(decoding, rest);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        decode_branches(decoding, rest);
    if (type & PERF_SAMPLE_REGS_USER)
        decode_registers(decoding, decoding->layout->user_registers, &rest->user_registers);
    if (type & PERF_SAMPLE_STACK_USER)
        decode_user_stack(decoding, rest);
    if (type & PERF_SAMPLE_WEIGHT_TYPE)
        decode_weight(decoding, type, rest);
    if (type & PERF_SAMPLE_DATA_SRC)
        rest->data_src = read_word(decoding);
    if (type & PERF_SAMPLE_TRANSACTION)
        rest->transaction = read_word(decoding);
    if (type & PERF_SAMPLE_REGS_INTR)
        decode_registers(decoding, decoding->layout->interrupt_registers, &rest->interrupt_registers);
    if (type & PERF_SAMPLE_PHYS_ADDR)
        rest->phys_addr = read_word(decoding);
    if (type & PERF_SAMPLE_CGROUP)
        rest->cgroup = read_word(decoding);
    if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
        rest->data_page_size = read_word(decoding);
    if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
        rest->code_page_size = read_word(decoding);
    if (type & PERF_SAMPLE_AUX) {
        rest->aux_size = read_word(decoding);
        take_bytes(decoding, rest->aux_size);
    }
}

static void decode_sample(struct decoding *decoding)
{
    struct record_sample *sample = &decoding->record->sample;
    uint64_t type = decoding->layout->sample_type;
    sample->sample_type = type;
    const uint8_t *head = bytes_take(&decoding->in, decoding->layout->sample_head_bytes);
    if (!head)
        return;
    if (decoding->in.swapped)
        decode_sample_head(head, type, true, decoding->record);
    else
        decode_sample_head(head, type, false, decoding->record);
    if (type & SAMPLE_REST) {
        sample->has_rest = true;
        sample->own_rest = sample_rest_none;
    }
    if (type & PERF_SAMPLE_READ)
        decode_read_values(decoding, &sample->own_rest);
    if (type & PERF_SAMPLE_CALLCHAIN)
        sample->callchain = take_words(decoding, read_word(decoding));
    if (type & SAMPLE_REST)
        decode_sample_rest(decoding, type, &sample->own_rest);
}

/* Split the sample_id trailer off the end of the payload and read it. */
static void decode_trailer(struct decoding *decoding)
{
    const struct record_layout *layout = decoding->layout;
    if (!layout || !layout->trailer_bytes)
        return;
    if (bytes_left(&decoding->in) < layout->trailer_bytes)
        return; /* synthesised by a tool that left it out */
    struct bytes trailer = bytes_of(decoding->in.end - layout->trailer_bytes, layout->trailer_bytes,
                                    decoding->in.swapped);
    struct record *record = decoding->record;
    if (layout->sample_type & PERF_SAMPLE_TID) {
        record->who.pid = read_u32(&trailer);
        record->who.tid = read_u32(&trailer);
        record->who.has_thread = true;
    }
    if (layout->sample_type & PERF_SAMPLE_TIME) {
        record->who.time = read_u64(&trailer);
        record->who.has_time = true;
    }
    if (layout->sample_type & PERF_SAMPLE_ID) {
        record->who.id = read_u64(&trailer);
        record->who.has_id = true;
    }
    if (layout->sample_type & PERF_SAMPLE_STREAM_ID)
        read_u64(&trailer);
    if (layout->sample_type & PERF_SAMPLE_CPU) {
        record->who.cpu = read_u32(&trailer);
        read_u32(&trailer);
        record->who.has_cpu = true;
    }
    if (layout->sample_type & PERF_SAMPLE_IDENTIFIER) {
        record->who.id = read_u64(&trailer);
        record->who.has_id = true;
    }
    decoding->in.end -= layout->trailer_bytes;
}

static void decode_mmap(struct decoding *decoding)
{
    struct record_mmap *map = &decoding->record->mmap;
    struct bytes *in = &decoding->in;
    map->is_data = decoding->record->misc & PERF_RECORD_MISC_MMAP_DATA;
    map->pid = read_u32(in);
    map->tid = read_u32(in);
    map->start = read_u64(in);
    map->size_bytes = read_u64(in);
    map->file_offset = read_u64(in);
    map->path = read_string(in);
}

static void decode_mmap2(struct decoding *decoding)
{
    struct record_mmap *map = &decoding->record->mmap;
    struct bytes *in = &decoding->in;
    map->is_data = decoding->record->misc & PERF_RECORD_MISC_MMAP_DATA;
    map->has_details = true;
    map->pid = read_u32(in);
    map->tid = read_u32(in);
    map->start = read_u64(in);
    map->size_bytes = read_u64(in);
    map->file_offset = read_u64(in);
    if (decoding->record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        uint8_t size = read_u8(in);
        bytes_take(in, 3);
        const uint8_t *id = bytes_take(in, BUILD_ID_BYTES_MOST);
        if (id && size <= BUILD_ID_BYTES_MOST) {
            map->build_id.size_bytes = size;
            memcpy(map->build_id.bytes, id, size);
        }
    } else {
        map->device_major = read_u32(in);
        map->device_minor = read_u32(in);
        map->inode = read_u64(in);
        map->inode_generation = read_u64(in);
    }
    map->protection = read_u32(in);
    map->flags = read_u32(in);
    map->path = read_string(in);
}

static void decode_comm(struct decoding *decoding)
{
    struct record_comm *comm = &decoding->record->comm;
    comm->is_exec = decoding->record->misc & PERF_RECORD_MISC_COMM_EXEC;
    comm->pid = read_u32(&decoding->in);
    comm->tid = read_u32(&decoding->in);
    comm->comm = read_string(&decoding->in);
}

static void decode_task(struct decoding *decoding)
{
    struct record_task *task = &decoding->record->task;
    task->pid = read_u32(&decoding->in);
    task->parent_pid = read_u32(&decoding->in);
    task->tid = read_u32(&decoding->in);
    task->parent_tid = read_u32(&decoding->in);
    task->time = read_u64(&decoding->in);
}

static void decode_lost(struct decoding *decoding)
{
    struct record_lost *lost = &decoding->record->lost;
    if (decoding->record->kind == RECORD_LOST)
        lost->id = read_u64(&decoding->in);
    lost->count = read_u64(&decoding->in);
}

static void decode_throttle(struct decoding *decoding)
{
    struct record_throttle *throttle = &decoding->record->throttle;
    throttle->time = read_u64(&decoding->in);
    throttle->id = read_u64(&decoding->in);
    throttle->stream_id = read_u64(&decoding->in);
}

static void decode_switch(struct decoding *decoding)
{
    struct record_switch *change = &decoding->record->context_switch;
    change->out = decoding->record->misc & PERF_RECORD_MISC_SWITCH_OUT;
    change->preempted = change->out && decoding->record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
    change->has_other = decoding->record->type == PERF_RECORD_SWITCH_CPU_WIDE;
    if (change->has_other) {
        change->other_pid = read_u32(&decoding->in);
        change->other_tid = read_u32(&decoding->in);
    }
}

static void decode_ksymbol(struct decoding *decoding)
{
    struct record_ksymbol *symbol = &decoding->record->ksymbol;
    symbol->addr = read_u64(&decoding->in);
    symbol->size_bytes = read_u32(&decoding->in);
    symbol->ksym_type = read_u16(&decoding->in);
    symbol->flags = read_u16(&decoding->in);
    symbol->name = read_string(&decoding->in);
}

static void decode_bpf_event(struct decoding *decoding)
{
    struct record_bpf_event *bpf = &decoding->record->bpf;
    bpf->type = read_u16(&decoding->in);
    bpf->flags = read_u16(&decoding->in);
    bpf->id = read_u32(&decoding->in);
    const uint8_t *tag = bytes_take(&decoding->in, sizeof(bpf->tag));
    if (tag)
        memcpy(bpf->tag, tag, sizeof(bpf->tag));
}

static void decode_namespaces(struct decoding *decoding)
{
    struct record_namespaces *namespaces = &decoding->record->namespaces;
    namespaces->pid = read_u32(&decoding->in);
    namespaces->tid = read_u32(&decoding->in);
    uint64_t count = read_word(decoding), most = bytes_left(&decoding->in) / 16;
    namespaces->links = take_words(decoding, 2 * (count < most ? count : most));
}

static void decode_cgroup(struct decoding *decoding)
{
    decoding->record->cgroup.id = read_u64(&decoding->in);
    decoding->record->cgroup.path = read_string(&decoding->in);
}

static void decode_read(struct decoding *decoding)
{
    struct record_read *read = &decoding->record->read;
    read->pid = read_u32(&decoding->in);
    read->tid = read_u32(&decoding->in);
    read->values = take_words(decoding, bytes_left(&decoding->in) / 8);
}

static void decode_build_id(struct decoding *decoding)
{
    struct record_build_id *id = &decoding->record->build_id;
    id->pid = read_u32(&decoding->in);
    const uint8_t *bytes = bytes_take(&decoding->in, 24); /* 20, or with MISC_BUILD_ID_SIZE its size behind them */
    uint8_t size = BUILD_ID_BYTES_MOST;
    if (bytes && decoding->record->misc & (1 << 15))
        size = bytes[BUILD_ID_BYTES_MOST] <= BUILD_ID_BYTES_MOST ? bytes[BUILD_ID_BYTES_MOST] : BUILD_ID_BYTES_MOST;
    if (bytes) {
        id->build_id.size_bytes = size;
        memcpy(id->build_id.bytes, bytes, size);
    }
    id->path = read_string(&decoding->in);
}

static void decode_deferred_chain(struct decoding *decoding)
{
    struct record_deferred_chain *deferred = &decoding->record->deferred;
    deferred->cookie = read_word(decoding);
    deferred->callchain = take_words(decoding, read_word(decoding));
}

static void decode_tracing_data(struct decoding *decoding)
{
    decoding->record->appendix.size_bytes = read_u32(&decoding->in);
}

static void decode_auxtrace(struct decoding *decoding)
{
    decoding->record->appendix.size_bytes = read_word(decoding);
}

static void decode_nothing(struct decoding *decoding)
{
    (void)decoding;
}

struct type_row {
    enum record_kind kind;
    void (*decode)(struct decoding *decoding);
};

/* By type as stored; absent rows are unknown. */
static const struct type_row type_rows[] = {
    [PERF_RECORD_MMAP] = {RECORD_MMAP, decode_mmap},
    [PERF_RECORD_LOST] = {RECORD_LOST, decode_lost},
    [PERF_RECORD_COMM] = {RECORD_COMM, decode_comm},
    [PERF_RECORD_EXIT] = {RECORD_EXIT, decode_task},
    [PERF_RECORD_THROTTLE] = {RECORD_THROTTLE, decode_throttle},
    [PERF_RECORD_UNTHROTTLE] = {RECORD_UNTHROTTLE, decode_throttle},
    [PERF_RECORD_FORK] = {RECORD_FORK, decode_task},
    [PERF_RECORD_READ] = {RECORD_READ, decode_read},
    [PERF_RECORD_SAMPLE] = {RECORD_SAMPLE, decode_sample},
    [PERF_RECORD_MMAP2] = {RECORD_MMAP, decode_mmap2},
    [PERF_RECORD_AUX] = {RECORD_AUX, decode_nothing},
    [PERF_RECORD_ITRACE_START] = {RECORD_ITRACE_START, decode_nothing},
    [PERF_RECORD_LOST_SAMPLES] = {RECORD_LOST_SAMPLES, decode_lost},
    [PERF_RECORD_SWITCH] = {RECORD_SWITCH, decode_switch},
    [PERF_RECORD_SWITCH_CPU_WIDE] = {RECORD_SWITCH, decode_switch},
    [PERF_RECORD_NAMESPACES] = {RECORD_NAMESPACES, decode_namespaces},
    [PERF_RECORD_KSYMBOL] = {RECORD_KSYMBOL, decode_ksymbol},
    [PERF_RECORD_BPF_EVENT] = {RECORD_BPF_EVENT, decode_bpf_event},
    [PERF_RECORD_CGROUP] = {RECORD_CGROUP, decode_cgroup},
    [PERF_RECORD_TEXT_POKE] = {RECORD_TEXT_POKE, decode_nothing},
    [21] = {RECORD_AUX_OUTPUT_HW_ID, decode_nothing},
    [22] = {RECORD_CALLCHAIN_DEFERRED, decode_deferred_chain},
    [64] = {RECORD_ATTR, decode_nothing},
    [65] = {RECORD_EVENT_TYPE, decode_nothing},
    [66] = {RECORD_TRACING_DATA, decode_tracing_data},
    [67] = {RECORD_BUILD_ID, decode_build_id},
    [68] = {RECORD_FINISHED_ROUND, decode_nothing},
    [69] = {RECORD_ID_INDEX, decode_nothing},
    [70] = {RECORD_AUXTRACE_INFO, decode_nothing},
    [71] = {RECORD_AUXTRACE, decode_auxtrace},
    [72] = {RECORD_AUXTRACE_ERROR, decode_nothing},
    [73] = {RECORD_THREAD_MAP, decode_nothing},
    [74] = {RECORD_CPU_MAP, decode_nothing},
    [75] = {RECORD_STAT_CONFIG, decode_nothing},
    [76] = {RECORD_STAT, decode_nothing},
    [77] = {RECORD_STAT_ROUND, decode_nothing},
    [78] = {RECORD_EVENT_UPDATE, decode_nothing},
    [79] = {RECORD_TIME_CONV, decode_nothing},
    [80] = {RECORD_HEADER_FEATURE, decode_nothing},
    [81] = {RECORD_COMPRESSED, decode_nothing},
    [82] = {RECORD_FINISHED_INIT, decode_nothing},
    [83] = {RECORD_COMPRESSED2, decode_nothing},
    [84] = {RECORD_BPF_METADATA, decode_nothing},
    [85] = {RECORD_SCHEDSTAT_CPU, decode_nothing},
    [86] = {RECORD_SCHEDSTAT_DOMAIN, decode_nothing},
};

const char *record_type_name(uint32_t type)
{
    if (type == PERF_RECORD_MMAP2)
        return "MMAP2";
    if (type == PERF_RECORD_SWITCH_CPU_WIDE)
        return "SWITCH_CPU_WIDE";
    return record_kind_name(type < array_count(type_rows) ? type_rows[type].kind : RECORD_UNKNOWN);
}

const enum cpu_mode record_cpu_modes[8] = {
    [PERF_RECORD_MISC_KERNEL] = CPU_MODE_KERNEL,
    [PERF_RECORD_MISC_USER] = CPU_MODE_USER,
    [PERF_RECORD_MISC_HYPERVISOR] = CPU_MODE_HYPERVISOR,
    [PERF_RECORD_MISC_GUEST_KERNEL] = CPU_MODE_GUEST_KERNEL,
    [PERF_RECORD_MISC_GUEST_USER] = CPU_MODE_GUEST_USER,
};

/* But for what a sample may leave as it is. */
static void record_clear(struct record *record, uint32_t type)
{
    if (type == PERF_RECORD_SAMPLE)
        memset(record, 0, offsetof(struct record, sample.own_rest));
    else
        memset(record, 0, sizeof(*record));
}

bool record_decode(const struct record_layouts *layouts, const uint8_t *bytes, size_t size_bytes, bool swapped,
                   struct record *ret_record, struct error *err)
{
    if (size_bytes < sizeof(struct perf_event_header))
        return error_set(err, ERROR_FORMAT, "a record of %zu bytes is too short for its header", size_bytes);
    struct decoding decoding = {.in = bytes_of(bytes + sizeof(struct perf_event_header),
                                               size_bytes - sizeof(struct perf_event_header), swapped),
                                .record = ret_record};
    uint32_t type = stored_u32(bytes, swapped);
    record_clear(ret_record, type);
    ret_record->type = type;
    ret_record->misc = stored_u16(bytes + 4, swapped);
    ret_record->cpu_mode = record_cpu_modes[ret_record->misc & PERF_RECORD_MISC_CPUMODE_MASK];
    ret_record->payload = (struct bytes_view){decoding.in.at, bytes_left(&decoding.in)};
    if (ret_record->type >= array_count(type_rows) || !type_rows[ret_record->type].decode)
        return true;
    const struct type_row *row = &type_rows[ret_record->type];
    if (ret_record->type < 64 && layouts->count) {
        ret_record->event = event_of(layouts, ret_record->type, decoding.in.at, bytes_left(&decoding.in), swapped);
        decoding.layout = &layouts->items[ret_record->event];
    }
    if (row->kind == RECORD_SAMPLE && !decoding.layout)
        return error_set(err, ERROR_FORMAT, "a sample, but no event says how to read it");
    ret_record->kind = row->kind;
    if (ret_record->type < 64 && row->kind != RECORD_SAMPLE)
        decode_trailer(&decoding);
    row->decode(&decoding);
    if (decoding.in.failed)
        return error_set(err, ERROR_FORMAT, "a %s record of %zu bytes ends in the middle of its fields",
                         record_kind_name(row->kind), size_bytes);
    return true;
}
