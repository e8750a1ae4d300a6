/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/script/script_text.h"

#include "command/script/script_record.h"

#include "base/arena.h"
#include "base/digits.h"
#include "base/vec.h"
#include "decode/layout.h"
#include "decode/memory_source.h"

#include <inttypes.h>

#define FIELDS_OF_NAMES (FIELD_SYM | FIELD_SYMOFF | FIELD_DSO | FIELD_SRCLINE)

enum {
    BEFORE_NAME = 1 + HEX_WIDTH, /* of a frame's line: a tab and the address */
    MISC_WIDTH = 6,
    FLAGS_WIDTH = 24             /* of what hardware traces say of a branch, which samples don't */
};

void script_text_done(struct script_text *script)
{
    spliced_text_done(&script->out);
    arena_done(&script->lines);
    text_done(&script->scratch);
    for (size_t at = 0; at < array_count(script->names); at++)
        vec_done(&script->names[at]);
    disassembler_free(script->disassembler);
}

/* ---- numbers ---- */

/* Decimal at the right of at least `width` columns. */
static void add_decimal(struct text *out, uint64_t value, size_t width, char fill)
{
    text_end(out, digits_decimal(text_room(out, width + DIGITS_MOST), value, width, fill));
}

static void add_address(struct text *out, uint64_t value)
{
    text_end(out, digits_hex_wide(text_room(out, HEX_WIDTH), value));
}

/* pids are signed where they mean "nobody". */
static void add_id(struct text *out, uint32_t id, size_t width)
{
    if ((int32_t)id < 0)
        text_printf(out, "%*" PRId32, (int)width, (int32_t)id);
    else
        add_decimal(out, id, width, ' ');
}

/* ---- the line's head ---- */

static void add_comm(struct script_text *script, uint32_t name, uint32_t tid, bool padded)
{
    const char *comm = strings_text(&script->capture->recording.strings, name);
    char number[16];
    if (!comm[0]) {
        snprintf(number, sizeof(number), ":%" PRId32, (int32_t)tid);
        comm = number;
    }
    size_t length = strlen(comm);
    if (padded && length < 16)
        text_append(&script->out.own, "                ", 16 - length);
    text_append(&script->out.own, comm, length);
    text_add_char(&script->out.own, ' ');
}

static uint64_t clock_time(struct script_text *script, uint64_t time_ns)
{
    uint64_t zero_ns = script->clock_zero_ns ? script->clock_zero_ns : time_ns;
    if (script->clock == CLOCK_RECORDED)
        return time_ns;
    script->clock_zero_ns = script->clock == CLOCK_FIRST ? zero_ns : time_ns;
    return time_ns - zero_ns;
}

static void add_time(struct script_text *script, uint64_t recorded_ns)
{
    const uint64_t billion = 1000000000, time_ns = clock_time(script, recorded_ns);
    add_decimal(&script->out.own, time_ns / billion, 5, ' ');
    text_add_char(&script->out.own, '.');
    if (script->nanoseconds)
        add_decimal(&script->out.own, time_ns % billion, 9, '0');
    else
        add_decimal(&script->out.own, time_ns % billion / 1000, 6, '0');
    text_append(&script->out.own, ": ", 2);
}

static void add_threads(struct script_text *script, unsigned fields, const struct record *record)
{
    struct text *out = &script->out.own;
    if (fields & FIELD_PID) {
        add_id(out, record->who.pid, 5);
        if (fields & FIELD_TID) {
            size_t before = out->length + 1;
            text_add_char(out, '/');
            add_id(out, record->who.tid, 1);
            while (out->length - before < 5)
                text_add_char(out, ' ');
        }
        text_add_char(out, ' ');
    } else if (fields & FIELD_TID) {
        add_id(out, record->who.tid, 5);
        text_add_char(out, ' ');
    }
}

static void add_cpu(struct text *out, uint32_t cpu)
{
    text_add_char(out, '[');
    add_decimal(out, cpu, 3, '0');
    text_append(out, "] ", 2);
}

/* In which mode it was taken, and what else the kernel says of it, in six columns. */
static void add_misc(struct text *out, const struct record *record)
{
    static const char letters[] = {[CPU_MODE_KERNEL] = 'K',
                                   [CPU_MODE_USER] = 'U',
                                   [CPU_MODE_HYPERVISOR] = 'H',
                                   [CPU_MODE_GUEST_KERNEL] = 'G',
                                   [CPU_MODE_GUEST_USER] = 'g'};
    size_t begin = out->length;
    if (record->cpu_mode != CPU_MODE_UNKNOWN && (size_t)record->cpu_mode < sizeof(letters))
        text_add_char(out, letters[record->cpu_mode]);
    if (record->kind == RECORD_MMAP && record->mmap.is_data)
        text_add_char(out, 'M');
    if (record->kind == RECORD_COMM && record->comm.is_exec)
        text_add_char(out, 'E');
    if (record->kind == RECORD_SWITCH && record->context_switch.out)
        text_add(out, record->context_switch.preempted ? "Sp" : "S");
    while (out->length - begin < MISC_WIDTH)
        text_add_char(out, ' ');
}

static void add_event(struct script_text *script, const struct sample *sample)
{
    const char *name = script->capture->recording.events[sample->event].name;
    size_t length = strlen(name);
    for (size_t at = length; at < script->event_name_width; at++)
        text_add_char(&script->out.own, ' ');
    text_append(&script->out.own, name, length);
    text_append(&script->out.own, ": ", 2);
}

/* ---- names of locations ---- */

/* perf's users look for this name: tools that fold stacks know code compiled at run time by it. */
static void add_dso(struct script_text *script, struct text *out, const struct place *place)
{
    const struct recording *recording = &script->capture->recording;
    const struct dso *dso = place->dso_id < recording->spaces.dso_count ? &recording->spaces.dsos[place->dso_id] : NULL;
    text_add_char(out, '(');
    if (dso && dso->kind == DSO_ANONYMOUS && strncmp(place->dso, "[JIT]", 5) == 0)
        text_printf(out, "/tmp/perf-%" PRIu32 ".map", dso->owner_pid);
    else
        text_add(out, dso && (dso->kind == DSO_MODULE || dso->kind == DSO_KERNEL) ? place->dso : place->dso_path);
    text_add_char(out, ')');
}

static void add_name(struct script_text *script, struct text *out, unsigned fields, uint32_t place_id,
                     uint64_t dso_addr)
{
    const struct place *place = &script->places->items[place_id];
    if (fields & FIELD_SYM) {
        text_add_char(out, ' ');
        text_add(out, place->symbol ? place->symbol : "[unknown]");
        if (place->symbol && fields & FIELD_SYMOFF) {
            text_add(out, "+0x");
            text_add_hex(out, dso_addr - place->addr);
        }
    }
    if (fields & FIELD_DSO && !place->is_inlined) {
        text_add_char(out, ' ');
        add_dso(script, out, place);
    }
    if (fields & FIELD_SRCLINE && place->line) {
        text_add(out, "\n  ");
        text_add(out, place->line);
    }
    if (place->is_inlined)
        text_add(out, " (inlined)");
}

/* Whole lines, "\t   ip name+0x1 (dso)\n": the location and the functions inlined there, behind each other. */
static void name_make(struct script_text *script, unsigned fields, uint32_t location, uint64_t ip,
                      struct script_name *ret_name)
{
    uint64_t dso_addr = script->capture->recording.samples.locations[location].dso_addr;
    struct text *lines = &script->scratch;
    const uint32_t *frames;
    size_t count = places_frames(script->places, location, &frames);
    uint32_t *begins = arena_array(&script->lines, uint32_t, count);
    text_clear(lines);
    for (size_t at = 0; at < count; at++) {
        begins[at] = (uint32_t)lines->length;
        text_add_char(lines, '\t');
        add_address(lines, ip);
        add_name(script, lines, fields, frames[at], dso_addr);
        text_add_char(lines, '\n');
    }
    *ret_name =
        (struct script_name){.ip = ip, .length = (uint32_t)lines->length, .count = (uint32_t)count, .begins = begins};
    text_add_repeated(lines, " ", SPLICE_PADDING);
    ret_name->lines = arena_copy(&script->lines, lines->bytes, lines->length);
}

_Static_assert(FIELDS_OF_NAMES / FIELD_SYM < sizeof(((struct script_text *)NULL)->names) / sizeof(struct script_names),
               "FIELD_SYM to FIELD_SRCLINE follow each other");

/* The location's name with these fields: events may differ in them. */
static const struct script_name *name_of(struct script_text *script, unsigned fields, uint32_t location, uint64_t ip)
{
    struct script_names *names = &script->names[(fields & FIELDS_OF_NAMES) / FIELD_SYM];
    size_t needed = script->capture->recording.samples.location_count;
    if (names->count < needed) {
        vec_reserve(names, needed);
        memset(names->items + names->count, 0, (needed - names->count) * sizeof(*names->items));
        names->count = needed;
    }
    struct script_name *name = &names->items[location];
    if (!name->count)
        name_make(script, fields, location, ip, name);
    return name;
}

/* A location's lines stand ready for the address where it was met first, which most often is the one it has again. */
static void add_frame(struct script_text *script, unsigned fields, uint64_t ip, uint32_t location)
{
    const struct script_name *name = name_of(script, fields, location, ip);
    if (name->ip == ip)
        return spliced_text_borrow(&script->out, name->lines, name->length);
    char *to = text_room(&script->out.own, name->length);
    memcpy(to, name->lines, name->length);
    text_end(&script->out.own, to + name->length);
    for (uint32_t at = 0; at < name->count; at++)
        digits_hex_wide(to + name->begins[at] + 1, ip);
}

bool script_name_listed(const char *list, const char *name)
{
    for (struct view rest = view_of(list); rest.length;)
        if (view_equal(view_cut(&rest, ','), name))
            return true;
    return false;
}

/* Whether a stack ends here: at a function of --stop-bt, inlined or not. */
static bool stops_at(struct script_text *script, uint32_t location)
{
    const uint32_t *frames;
    size_t count = script->stops ? places_frames(script->places, location, &frames) : 0;
    for (size_t at = 0; at < count; at++) {
        const char *symbol = script->places->items[frames[at]].symbol;
        if (symbol && script_name_listed(script->stops, symbol))
            return true;
    }
    return false;
}

static void add_chain(struct script_text *script, unsigned fields, const struct capture_frames *frames)
{
    size_t most = script->stack_most && script->stack_most < frames->count ? script->stack_most : frames->count;
    text_add_char(&script->out.own, '\n');
    for (size_t at = 0; at < most; at++) {
        add_frame(script, fields, frames->ips[at], frames->locations[at]);
        if (stops_at(script, frames->locations[at]))
            break;
    }
}

static void add_leaf(struct script_text *script, unsigned fields, const struct sample *sample)
{
    text_add_char(&script->out.own, ' ');
    add_address(&script->out.own, sample->ip);
    if (sample->location == LOCATION_NONE)
        return;
    const struct script_name *name = name_of(script, fields, sample->location, sample->ip);
    size_t begin = name->begins[name->count - 1] + BEFORE_NAME;
    spliced_text_borrow(&script->out, name->lines + begin, name->length - begin - 1); /* without the line's end */
}

/* ---- other fields ---- */

static const char *const x86_registers[] = {
    "AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP",  "IP",  "FLAGS", "CS",  "SS",
    "DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15",
};

static void add_register_name(struct text *out, const char *architecture, unsigned number)
{
    char name[16];
    bool x86 = strcmp(architecture, "x86_64") == 0 || strcmp(architecture, "i686") == 0;
    if (x86 && number < array_count(x86_registers))
        snprintf(name, sizeof(name), "%s", x86_registers[number]);
    else if (x86 && number >= 32 && number < 64 && number % 2 == 0)
        snprintf(name, sizeof(name), "XMM%u", (number - 32) / 2);
    else if (strcmp(architecture, "aarch64") == 0 && number <= 32)
        snprintf(name, sizeof(name), "%s%.0u", number == 30 ? "lr" : number == 31 ? "sp" : number == 32 ? "pc" : "x",
                 number < 30 ? number : 0);
    else
        snprintf(name, sizeof(name), "r%u", number);
    text_printf(out, "%5s", name);
}

static void add_registers(struct script_text *script, const struct sample_registers *registers)
{
    struct text *out = &script->out.own;
    text_printf(out, " ABI:%" PRIu64 " ", registers->abi);
    uint32_t index = 0;
    for (unsigned number = 0; number < REGISTERS_MOST && index < registers->values.count; number++) {
        if (!(registers->mask >> number & 1))
            continue;
        add_register_name(out, script->capture->recording.architecture, number);
        text_printf(out, ":0x%" PRIx64 " ", u64_view_at(&registers->values, index++));
    }
}

/* PERF_BR_*; the last says that the type stands in a field of its own. */
static const char *branch_type(uint64_t flags)
{
    static const char *const types[16] = {"",         "COND", "UNCOND",  "IND",    "CALL",
                                          "IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
                                          "COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX"};
    static const char *const more[16] = {"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
                                         "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5"};
    uint64_t type = flags >> 20 & 15;
    const char *name = type == 15 ? more[flags >> 26 & 15] : types[type];
    return name ? name : "";
}

static void add_branch_flags(struct text *out, uint64_t flags)
{
    bool mispredicted = flags & 1, predicted = flags >> 1 & 1;
    text_printf(out, "/%c/%c/%c/%u/%s ", predicted ? 'P' : mispredicted ? 'M' : '-', flags >> 2 & 1 ? 'X' : '-',
                flags >> 3 & 1 ? 'A' : '-', (unsigned)(flags >> 4 & 0xffff), branch_type(flags));
}

/* Whose code an end of a branch is, or may be. */
static enum cpu_mode branch_mode(uint64_t addr)
{
    return addr >> 63 ? CPU_MODE_KERNEL : CPU_MODE_USER;
}

/* Where an address stands in its file, in the kernel from where that begins; elsewhere itself. */
static uint64_t offset_of(const struct script_text *script, uint32_t space, uint64_t addr)
{
    const struct address_spaces *spaces = &script->capture->recording.spaces;
    bool is_kernel = branch_mode(addr) == CPU_MODE_KERNEL;
    const struct mapping *mapping = address_spaces_find(spaces, is_kernel ? SPACE_KERNEL : space, addr);
    if (!mapping)
        return addr;
    return is_kernel ? addr - mapping->start : address_spaces_dso_addr(spaces, mapping, addr);
}

/* " 0x1/0x2/P/-/-/3/ ", or what offsets these are within their files; each with its file, where files are asked for. */
static void add_branches(struct script_text *script, unsigned fields, const struct record_sample *raw,
                         const struct sample *sample, bool offsets)
{
    struct text *out = &script->out.own;
    uint32_t space = script->capture->recording.threads.items[sample->thread].space;
    for (uint32_t at = 0; at < sample_branch_count(raw); at++) {
        struct branch_entry branch = sample_branch(raw, at);
        const uint64_t ends[] = {branch.from, branch.to};
        for (size_t end = 0; end < array_count(ends); end++) {
            text_add(out, end ? "/0x" : " 0x");
            text_add_hex(out, offsets ? offset_of(script, space, ends[end]) : ends[end]);
            if (fields & FIELD_DSO)
                add_dso(script, out,
                        places_at(script->places,
                                  capture_locate(script->capture, space, ends[end], branch_mode(ends[end]))));
        }
        add_branch_flags(out, branch.flags);
    }
}

/* One end of a branch: "name+0x1(dso)". */
static void add_branch_end(struct script_text *script, unsigned fields, uint32_t space, uint64_t addr)
{
    struct text *out = &script->out.own;
    uint32_t location = capture_locate(script->capture, space, addr, branch_mode(addr));
    const struct place *place = places_at(script->places, location);
    text_add(out, place->symbol ? place->symbol : "[unknown]");
    if (place->symbol) {
        text_add(out, "+0x");
        text_add_hex(out, script->capture->recording.samples.locations[location].dso_addr - place->addr);
    }
    if (fields & FIELD_DSO)
        add_dso(script, out, place);
}

static void add_named_branches(struct script_text *script, unsigned fields, const struct record_sample *raw,
                               const struct sample *sample)
{
    uint32_t space = script->capture->recording.threads.items[sample->thread].space;
    for (uint32_t at = 0; at < sample_branch_count(raw); at++) {
        struct branch_entry branch = sample_branch(raw, at);
        add_branch_end(script, fields, space, branch.from);
        text_add_char(&script->out.own, '/');
        add_branch_end(script, fields, space, branch.to);
        add_branch_flags(&script->out.own, branch.flags);
    }
}

/* Whether the address is one that a function or variable may have: that of a page fault. */
static bool addr_has_name(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_PAGE_FAULTS || attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
            attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void add_data_address(struct script_text *script, unsigned fields, uint64_t addr, const struct sample *sample)
{
    struct text *out = &script->out.own;
    add_address(out, addr);
    if (!(fields & (FIELD_SYM | FIELD_DSO)) || !addr_has_name(&script->source->events[sample->event].attr))
        return;
    uint32_t space = script->capture->recording.threads.items[sample->thread].space;
    uint32_t location = capture_locate(script->capture, space, addr, branch_mode(addr));
    uint64_t offset = 0;
    const char *name = symboliser_data_name(script->symboliser, location, &offset);
    if (fields & FIELD_SYM) {
        text_add_char(out, ' ');
        text_add(out, name ? name : "[unknown]");
        if (name && fields & FIELD_SYMOFF) {
            text_add(out, "+0x");
            text_add_hex(out, offset);
        }
    }
    if (fields & FIELD_DSO) {
        text_add_char(out, ' ');
        add_dso(script, out, places_at(script->places, location));
    }
}

/* How long the instruction at the beginning of some code is; 0: no decoder tells. */
static size_t instruction_length(struct script_text *script, const struct code *code)
{
    struct instruction instruction;
    struct error ignored = {0};
    if (!script->disassembler && !script->no_disassembler)
        script->no_disassembler = !disassembler_new(&script->disassembler, code->architecture, SYNTAX_ATT, &ignored);
    return script->disassembler &&
                   disassembler_next(script->disassembler, code->bytes, code->size_bytes, 0, &instruction) &&
                   instruction.class != INSTRUCTION_BAD
               ? instruction.length
               : 0;
}

/* The sampled instruction, where its code is at hand. */
static void add_instruction(struct script_text *script, unsigned fields, const struct sample *sample)
{
    enum { INSTRUCTION_BYTES_MOST = 16 };
    struct code code;
    struct error ignored = {0};
    if (sample->location == LOCATION_NONE ||
        !symboliser_code_around(script->symboliser, sample->location, 0, INSTRUCTION_BYTES_MOST, &code, &ignored))
        return;
    size_t length = instruction_length(script, &code);
    if (length && fields & FIELD_INSNLEN)
        text_printf(&script->out.own, " ilen: %zu", length);
    if (length && fields & FIELD_INSN)
        text_add(&script->out.own, " insn:");
    for (size_t at = 0; fields & FIELD_INSN && at < length; at++)
        text_printf(&script->out.own, " %02x", code.bytes[at]);
}

static void add_memory(struct script_text *script, uint64_t data_src)
{
    size_t begin = script->out.own.length;
    add_address(&script->out.own, data_src);
    text_add_char(&script->out.own, ' ');
    memory_source_text(&script->out.own, data_src);
    if (script->out.own.length - begin > script->memory_width)
        script->memory_width = script->out.own.length - begin;
    while (script->out.own.length - begin < script->memory_width)
        text_add_char(&script->out.own, ' ');
}

static void add_page_size(struct text *out, uint64_t bytes)
{
    text_add_char(out, ' ');
    memory_page_size(out, bytes);
}

static void add_trace(struct script_text *script, const struct record_sample *record, const struct sample *sample)
{
    struct text *out = &script->out.own;
    const struct bytes_view *raw = &sample_rest(record)->raw;
    uint64_t id = script->source->events[sample->event].attr.config;
    if (script->tracepoints &&
        tracepoint_text_print(script->tracepoints, id, sample->cpu, raw->bytes, raw->size_bytes, out))
        return;
    text_add(out, "raw");
    for (uint64_t at = 0; at < raw->size_bytes; at++) {
        text_add_char(out, ' ');
        text_add_char(out, "0123456789abcdef"[raw->bytes[at] >> 4]);
        text_add_char(out, "0123456789abcdef"[raw->bytes[at] & 15]);
    }
}

void script_text_sample(struct script_text *script, unsigned fields, const struct record *record,
                        const struct sample *sample)
{
    struct text *out = &script->out.own;
    const struct record_sample *raw = &record->sample;
    struct capture_frames frames = capture_frames(script->capture);
    bool chain = fields & FIELD_IP && frames.count && !script->hide_chains;
    bool has_chains = raw->sample_type & PERF_SAMPLE_CALLCHAIN && !script->hide_chains;
    if (fields & FIELD_COMM)
        add_comm(script, sample->comm, script->capture->recording.threads.items[sample->thread].tid,
                 !(fields & FIELD_IP && has_chains));
    add_threads(script, fields, record);
    if (fields & FIELD_CPU)
        add_cpu(out, sample->cpu);
    if (fields & FIELD_MISC)
        add_misc(out, record);
    if (fields & FIELD_TIME)
        add_time(script, sample->time_ns);
    if (fields & FIELD_PERIOD) {
        add_decimal(out, sample->period, 10, ' ');
        text_add_char(out, ' ');
    }
    if (fields & FIELD_EVENT)
        add_event(script, sample);
    if (fields & FIELD_FLAGS)
        text_printf(out, "%*s", FLAGS_WIDTH, "");
    if (fields & FIELD_TRACE && raw->sample_type & PERF_SAMPLE_RAW)
        add_trace(script, raw, sample);
    if (fields & FIELD_ADDR)
        add_data_address(script, fields, raw->addr, sample);
    if (fields & FIELD_DATA_SRC)
        add_memory(script, sample_rest(raw)->data_src);
    if (fields & FIELD_WEIGHT)
        add_decimal(out, sample_rest(raw)->weight, 16, ' ');
    if (fields & FIELD_INS_LAT)
        add_decimal(out, sample_rest(raw)->weight_var2, 16, ' ');
    if (chain)
        add_chain(script, fields, &frames);
    else if (fields & FIELD_IP)
        add_leaf(script, fields, sample);
    if (fields & FIELD_IREGS)
        add_registers(script, &sample_rest(raw)->interrupt_registers);
    if (fields & FIELD_UREGS)
        add_registers(script, &sample_rest(raw)->user_registers);
    if (fields & FIELD_BRSTACK)
        add_branches(script, fields, raw, sample, false);
    if (fields & FIELD_BRSTACKSYM)
        add_named_branches(script, fields, raw, sample);
    if (fields & FIELD_BRSTACKOFF)
        add_branches(script, fields, raw, sample, true);
    if (fields & (FIELD_INSN | FIELD_INSNLEN))
        add_instruction(script, fields, sample);
    if (fields & FIELD_PHYS_ADDR)
        add_address(out, sample_rest(raw)->phys_addr);
    if (fields & FIELD_CGROUP)
        text_printf(out, " cgroup %" PRIu64, sample_rest(raw)->cgroup);
    if (fields & FIELD_DATA_PAGE_SIZE)
        add_page_size(out, sample_rest(raw)->data_page_size);
    if (fields & FIELD_CODE_PAGE_SIZE)
        add_page_size(out, sample_rest(raw)->code_page_size);
    if (fields & FIELD_RETIRE_LAT)
        add_decimal(out, sample_rest(raw)->weight_var3, 16, ' ');
    text_add_char(out, '\n');
}

/* ---- records that are no samples ---- */

void script_text_record(struct script_text *script, unsigned fields, const struct record *record)
{
    struct text *out = &script->out.own;
    const struct source_event *event = &script->source->events[record->event];
    const struct threads *threads = &script->capture->recording.threads;
    bool has_chains = event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !script->hide_chains;
    struct record told = *record; /* as if it had said of itself what others do */
    uint32_t tid = script_record_thread(record);
    if (!event->attr.sample_id_all)
        script_record_complete(&told);
    uint32_t thread = threads_find(threads, tid);
    uint32_t comm = thread == THREAD_NONE ? 0 : threads->items[thread].comm;
    if (fields & FIELD_COMM && tid == 0)
        text_add(out, fields & FIELD_IP && has_chains ? "swapper " : "         swapper ");
    else if (fields & FIELD_COMM)
        add_comm(script, comm, tid, !(fields & FIELD_IP && has_chains));
    add_threads(script, fields, &told);
    if (fields & FIELD_CPU)
        add_cpu(out, told.who.cpu);
    if (fields & FIELD_MISC)
        add_misc(out, &told);
    if (fields & FIELD_TIME)
        add_time(script, told.who.time);
    script_record_text(out, record);
}
