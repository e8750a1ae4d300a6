/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/exits/exit_table.h"

#include <math.h>
#include <stdlib.h>

/*
 * Writes of these arm a guest's timer: IA32_TSC_DEADLINE, the initial count of an x2APIC's timer, and the counts of
 * Hyper-V's four.
 */
static const uint64_t arming_msrs[] = {0x6e0, 0x838, 0x400000b1, 0x400000b3, 0x400000b5, 0x400000b7};
/* The same count in the page of an APIC that isn't an x2APIC, at its usual address. */
static const uint64_t arming_address = 0xfee00380;
enum { MMIO_WRITE = 2, LINES_MOST = 4096 };

/* Of TDX guests' calls, beside those that stand for a reason of VMX. Source: Intel GHCI 1.5, table 3-1. */
static const struct {
    uint64_t leaf;
    const char *name;
} call_names[] = {
    {0x10000, "GetTdVmCallInfo"},           {0x10001, "MapGPA"}, {0x10002, "GetQuote"}, {0x10003, "ReportFatalError"},
    {0x10004, "SetupEventNotifyInterrupt"}, {0x10005, "Service"}};

static const struct {
    uint64_t number;
    const char *name;
} msr_names[] = {
    {0x10, "TSC"},
    {0x1b, "APIC_BASE"},
    {0x3b, "TSC_ADJUST"},
    {0x48, "SPEC_CTRL"},
    {0x49, "PRED_CMD"},
    {0x6e0, "TSC_DEADLINE"},
    {0x808, "X2APIC_TPR"},
    {0x80b, "X2APIC_EOI"},
    {0x830, "X2APIC_ICR"},
    {0x832, "X2APIC_LVT_TIMER"},
    {0x838, "X2APIC_TIMER_COUNT"},
    {0x83f, "X2APIC_SELF_IPI"},
    {0x40000070, "HV_EOI"},
    {0x400000b0, "HV_STIMER0_CONFIG"},
    {0x400000b1, "HV_STIMER0_COUNT"},
    {0x1a0, "MISC_ENABLE"},
    {0x38f, "PERF_GLOBAL_CTRL"},
    {0x4b564d00, "KVM_WALL_CLOCK"},
    {0x4b564d01, "KVM_SYSTEM_TIME"},
    {0x4b564d03, "KVM_STEAL_TIME"},
    {0x4b564d04, "KVM_PV_EOI"},
    {0xc0000080, "EFER"},
    {0xc0000100, "FS_BASE"},
    {0xc0000101, "GS_BASE"},
    {0xc0000102, "KERNEL_GS_BASE"},
};

struct building {
    struct exit_table *table;
    const struct exits *exits;
    const struct exit_table_options *options;
    struct arena *arena;
    enum exit_isa usual_isa; /* of a table whose rows have numbers without names */
    uint64_t **buckets;      /* by line; NULL: none */
    struct hashmap line_map;
    const struct exit_reason **named; /* by string, what exit_reason_named found; not_named: nothing */
};

static const struct exit_reason not_named;

static bool is_wanted(const struct building *building, uint32_t thread)
{
    return building->options->only_vcpu < 0 || building->exits->threads[thread].vcpu == building->options->only_vcpu;
}

/* ---- names ---- */

struct identity {
    const char *name;
    enum exit_isa isa;
    enum exit_class class;
    uint64_t reason;
    bool numbered;
};

static const char *errno_reason(struct arena *arena, uint64_t reason)
{
    return reason == EXIT_ERRNO + 4 ? "interrupted by a signal"
                                    : arena_printf(arena, "error %llu", (unsigned long long)(reason - EXIT_ERRNO));
}

/* A name is looked up once, however many exits have it. */
static const struct exit_reason *reason_named(const struct building *building, uint32_t name)
{
    const struct exit_reason **slot = &building->named[name];
    if (!*slot) {
        const struct exit_reason *row = exit_reason_named(EXIT_ISA_NONE, strings_text(&building->exits->strings, name));
        *slot = row ? row : &not_named;
    }
    return *slot == &not_named ? NULL : *slot;
}

/* A call of a TDX guest: its leaf is a reason of VMX, or one of the interface's own. */
static struct identity identity_of_call(const struct building *building, const struct exit_tally *tally)
{
    const struct exit_reason *row = tally->reason < 0x10000 ? exit_reason_find(EXIT_ISA_VMX, tally->reason) : NULL;
    const char *name = tally->name ? strings_text(&building->exits->strings, tally->name) : row ? row->name : NULL;
    for (size_t at = 0; !name && at < array_count(call_names); at++)
        name = call_names[at].leaf == tally->reason ? call_names[at].name : NULL;
    name = name ? arena_printf(building->arena, "TDVMCALL %s", name)
                : arena_printf(building->arena, "TDVMCALL 0x%llx", (unsigned long long)tally->reason);
    return (struct identity){.name = name, .reason = tally->reason, .numbered = !tally->name};
}

/* Names in tables come with or without EXIT_REASON_: the same exit has the same name everywhere. */
static struct identity identity_named(const struct building *building, const struct exit_tally *tally)
{
    const char *name = strings_text(&building->exits->strings, tally->name);
    bool numbered = tally->reason != UINT64_MAX;
    uint64_t number;
    if (view_u64(view_of(name), 0, &number) && numbered) {
        const struct exit_reason *row = exit_reason_find(building->usual_isa, number);
        if (row && building->usual_isa != EXIT_ISA_NONE)
            return (struct identity){row->name, row->isa, row->class, number, true};
        return (struct identity){arena_printf(building->arena, "reason %llu", (unsigned long long)number),
                                 EXIT_ISA_NONE, EXIT_CLASS_OTHER, number, true};
    }
    const struct exit_reason *row = reason_named(building, tally->name);
    if (row && (!building->exits->is_table || !numbered || row->number == tally->reason))
        return (struct identity){row->name, row->isa, row->class, row->number, true};
    return (struct identity){name, tally->isa, EXIT_CLASS_OTHER, numbered ? tally->reason : 0,
                             numbered && building->exits->is_table};
}

static struct identity identity_of(const struct building *building, const struct exit_tally *tally)
{
    const struct exit_point_row *point = &exit_points[tally->point];
    struct identity identity = {.isa = tally->isa, .reason = tally->reason, .numbered = true};
    if (tally->point == EXIT_POINT_TDVMCALL)
        return identity_of_call(building, tally);
    if (tally->name)
        return identity_named(building, tally);
    if (tally->point == EXIT_POINT_USERSPACE && tally->reason > EXIT_ERRNO) {
        identity.name = errno_reason(building->arena, tally->reason);
        return identity;
    }
    if (tally->point != EXIT_POINT_EXIT && tally->point != EXIT_POINT_USERSPACE) {
        const char *name = tally->reason < array_count(point->rows) ? point->rows[tally->reason] : NULL;
        identity.name =
            name ? name : arena_printf(building->arena, "%s %llu", point->name, (unsigned long long)tally->reason);
        return identity;
    }
    /* VMX says in the high half whether an entry failed. */
    uint64_t number = tally->isa == EXIT_ISA_VMX ? tally->reason & 0xffff : tally->reason;
    /* A trace that can't name a reason doesn't say whose number it is. */
    enum exit_isa isa =
        tally->point == EXIT_POINT_EXIT && tally->isa == EXIT_ISA_NONE ? building->usual_isa : tally->isa;
    bool named = tally->point == EXIT_POINT_USERSPACE || isa != EXIT_ISA_NONE;
    const struct exit_reason *row = named ? exit_reason_find(isa, number) : NULL;
    const char *word = named ? exits_word(building->exits, isa, number) : NULL;
    identity.isa = isa;
    bool failed = tally->isa == EXIT_ISA_VMX && tally->reason >> 31 & 1;
    identity.class = row ? row->class : EXIT_CLASS_OTHER;
    identity.name = word  ? word
                    : row ? row->name
                          : arena_printf(building->arena, "reason %llu", (unsigned long long)number);
    if (failed)
        identity.name = arena_printf(building->arena, "%s FAILED_VMENTRY", identity.name);
    return identity;
}

static void usual_isa_find(struct building *building)
{
    for (size_t at = 0; at < building->exits->tally_count; at++) {
        const struct exit_tally *tally = &building->exits->tallies[at];
        const struct exit_reason *row =
            tally->name && tally->point == EXIT_POINT_EXIT ? reason_named(building, tally->name) : NULL;
        if (row && row->isa != EXIT_ISA_NONE)
            building->usual_isa = row->isa;
    }
}

/* ---- lines ---- */

static bool line_equal(const void *context, uint32_t id, const void *key)
{
    const struct exit_line *line = &((const struct exit_table *)context)->lines[id], *sought = key;
    return line->point == sought->point && strcmp(line->name, sought->name) == 0;
}

static uint32_t line_find(const struct building *building, enum exit_point point, const char *name, uint64_t *ret_hash)
{
    struct exit_line sought = {.point = point, .name = name};
    *ret_hash = hash_combine(hash_bytes(name, strlen(name)), point);
    return hashmap_find(&building->line_map, *ret_hash, line_equal, building->table, &sought);
}

static size_t line_of(struct building *building, const struct exit_tally *tally)
{
    struct identity identity = identity_of(building, tally);
    struct exit_table *table = building->table;
    uint64_t hash;
    uint32_t found = line_find(building, tally->point, identity.name, &hash);
    if (found == HASHMAP_ABSENT && table->line_count >= LINES_MOST) {
        identity = (struct identity){.name = EXIT_MORE_REASONS};
        found = line_find(building, tally->point, identity.name, &hash);
    }
    if (found != HASHMAP_ABSENT)
        return found;
    hashmap_add(&building->line_map, hash, (uint32_t)table->line_count);
    table->lines[table->line_count] = (struct exit_line){
        .name = arena_string(building->arena, identity.name),
        .point = tally->point,
        .isa = identity.isa,
        .class = identity.class,
        .numbered = identity.numbered,
        .reason = identity.reason,
        .total_ns = not_measured("no end of such an exit was seen"),
    };
    return table->line_count++;
}

static void line_add(struct building *building, const struct exit_tally *tally)
{
    size_t at = line_of(building, tally);
    struct exit_line *line = &building->table->lines[at];
    line->count += tally->count;
    if (!tally->timed)
        return;
    line->timed += tally->timed;
    line->total_ns = measured_as((line->total_ns.known ? line->total_ns.value : 0) + tally->total_ns);
    if (tally->has_range) {
        double least = (double)tally->min_ns, most = (double)tally->max_ns;
        line->min_ns = measured_as(line->min_ns.known && line->min_ns.value < least ? line->min_ns.value : least);
        line->max_ns = measured_as(line->max_ns.known && line->max_ns.value > most ? line->max_ns.value : most);
    }
    if (!tally->buckets)
        return;
    if (!building->buckets[at])
        building->buckets[at] = arena_array(building->arena, uint64_t, EXIT_BUCKETS);
    for (size_t bucket = 0; bucket < EXIT_BUCKETS; bucket++)
        building->buckets[at][bucket] += tally->buckets[bucket];
}

/* Within a bucket evenly, and never beyond what was measured. */
static struct measured bucket_quantile(const uint64_t *buckets, double ratio, const struct exit_line *line)
{
    uint64_t sum = 0, before = 0;
    for (size_t at = 0; at < EXIT_BUCKETS; at++)
        sum += buckets[at];
    if (!sum)
        return not_measured("no end of such an exit was seen");
    double rank = ratio * (double)(sum - 1);
    for (unsigned at = 0; at < EXIT_BUCKETS; before += buckets[at++]) {
        if (!buckets[at] || rank >= (double)(before + buckets[at]))
            continue;
        double low = (double)exit_bucket_start_ns(at), high = (double)exit_bucket_start_ns(at + 1);
        double value = low + (high - low) * (rank - (double)before + 0.5) / (double)buckets[at];
        value = line->max_ns.known && value > line->max_ns.value ? line->max_ns.value : value;
        return measured_as(line->min_ns.known && value < line->min_ns.value ? line->min_ns.value : value);
    }
    return not_measured("no end of such an exit was seen");
}

static void bucket_range(const uint64_t *buckets, struct exit_line *line)
{
    line->min_ns = line->max_ns = not_measured("no end of such an exit was seen");
    for (unsigned at = 0; at < EXIT_BUCKETS; at++) {
        if (buckets[at] && !line->min_ns.known)
            line->min_ns = measured_as((double)exit_bucket_start_ns(at));
        if (buckets[at])
            line->max_ns = measured_as((double)exit_bucket_start_ns(at + 1));
    }
}

static void line_finish(struct building *building, size_t at, const uint64_t *point_counts)
{
    struct exit_table *table = building->table;
    struct exit_line *line = &table->lines[at];
    const char *why = building->exits->is_table ? "the table has no such times" : "no end of such an exit was seen";
    line->share = point_counts[line->point] ? measured_as((double)line->count / (double)point_counts[line->point])
                                            : not_measured("there were none");
    line->per_second = measured_ratio(measured_as((double)line->count), table->seconds);
    if (!line->total_ns.known)
        line->total_ns.why_not = why;
    line->mean_ns = line->total_ns.known ? measured_as(line->total_ns.value / (double)line->timed) : line->total_ns;
    /* Some ends may be missing (an exit that had begun before): the rest is taken to last as long. */
    struct measured all =
        line->total_ns.known ? measured_as(line->mean_ns.value * (double)line->count * 1e-9) : line->total_ns;
    line->vcpu_share =
        line->class == EXIT_CLASS_IDLE ? not_measured("the guest was idle") : measured_ratio(all, table->vcpu_seconds);
    line->min_ns = line->min_ns.known ? line->min_ns : not_measured(why);
    line->max_ns = line->max_ns.known ? line->max_ns : not_measured(why);
    line->p50_ns = line->p99_ns = not_measured(building->exits->is_table ? "a table has no single times" : why);
    if (building->buckets[at]) {
        if (building->options->interval)
            bucket_range(building->buckets[at], line);
        line->p50_ns = bucket_quantile(building->buckets[at], 0.5, line);
        line->p99_ns = bucket_quantile(building->buckets[at], 0.99, line);
    }
}

static int line_compare(const void *a, const void *b)
{
    const struct exit_line *left = a, *right = b;
    if (left->point != right->point)
        return (left->point > right->point) - (left->point < right->point);
    bool left_idle = left->class == EXIT_CLASS_IDLE, right_idle = right->class == EXIT_CLASS_IDLE;
    if (left_idle != right_idle)
        return left_idle - right_idle;
    return left->count != right->count ? (left->count < right->count) - (left->count > right->count)
                                       : strcmp(left->name, right->name);
}

/* ---- sums ---- */

static void classes_sum(struct exit_table *table)
{
    double handler = 0, idle = 0;
    bool any = false, any_idle = false, whole = true;
    for (size_t at = 0; at < table->line_count; at++) {
        const struct exit_line *line = &table->lines[at];
        if (line->point != table->counted)
            continue;
        table->exits += line->count;
        table->interrupts += line->class == EXIT_CLASS_INTERRUPT ? line->count : 0;
        table->preemption_timer += line->class == EXIT_CLASS_TIMER ? line->count : 0;
        table->armings += line->class == EXIT_CLASS_ARMING ? line->count : 0;
        table->idle += line->class == EXIT_CLASS_IDLE ? line->count : 0;
        double all = line->mean_ns.known ? line->mean_ns.value * (double)line->count : 0;
        if (line->class == EXIT_CLASS_IDLE) {
            idle += all;
            any_idle |= line->mean_ns.known;
        } else {
            handler += all;
            any |= line->mean_ns.known;
            whole &= line->mean_ns.known;
        }
    }
    table->why_uncounted = table->exits ? NULL : table->why_uncounted;
    const char *why = table->is_table ? "the table has no times"
                      : table->exits  ? "no exit's end was seen"
                                      : "there were no exits";
    why = table->why_uncounted                          ? table->why_uncounted
          : table->exits && table->idle == table->exits ? "there were none but idle ones"
                                                        : why;
    table->handler_ns = any ? measured_as(handler) : not_measured(why);
    why = any_idle || !table->is_table ? why : "the table has no times";
    table->idle_ns = any_idle ? measured_as(idle)
                              : not_measured(table->idle || table->why_uncounted ? why : "there were no idle exits");
    struct measured seconds = any && whole ? measured_as(handler * 1e-9)
                              : any ? not_measured("the ends of some reasons' exits were not seen") : not_measured(why);
    table->handler_share = measured_ratio(seconds, table->vcpu_seconds);
}

static bool is_arming(const struct exit_use *use)
{
    if (use->is_rip)
        return false;
    if (use->point == EXIT_POINT_MMIO)
        return use->reason == MMIO_WRITE && use->value == arming_address;
    bool any = false;
    for (size_t msr = 0; use->point == EXIT_POINT_MSR && use->reason == 1 && msr < array_count(arming_msrs); msr++)
        any |= use->value == arming_msrs[msr];
    return any;
}

/* Which writes were the timer's is known where kvm_msr was looked at, and each write's MSR was kept. */
static void armings_find(struct building *building)
{
    struct exit_table *table = building->table;
    if (!building->exits->watches[EXIT_POINT_MSR] || building->exits->is_table)
        return;
    uint64_t armings = 0, written = 0, kept = 0;
    for (size_t at = 0; at < building->exits->use_count; at++) {
        const struct exit_use *use = &building->exits->uses[at];
        if (!is_wanted(building, use->thread))
            continue;
        kept += use->point == EXIT_POINT_MSR && use->reason == 1 && !use->is_rip ? use->count : 0;
        armings += is_arming(use) ? use->count : 0;
    }
    for (size_t at = 0; at < building->exits->tally_count; at++) {
        const struct exit_tally *tally = &building->exits->tallies[at];
        bool may_write = tally->point == EXIT_POINT_MSR && tally->reason != 0;
        written += may_write && is_wanted(building, tally->thread) ? tally->count : 0;
    }
    if (kept < written)
        return;
    for (size_t at = 0; at < table->line_count; at++)
        if (table->lines[at].point == table->counted && table->lines[at].isa == EXIT_ISA_VMX &&
            table->lines[at].reason == 77)
            return; /* what a TDCALL was for isn't in kvm_msr: all of them, as an upper bound */
    table->armings = armings;
    table->armings_exact = true;
}

/* ---- uses and vCPUs ---- */

static const char *symbol_of(const struct building *building, const struct exit_use *use)
{
    const char *symbol = NULL;
    if (use->is_rip && building->options->symbol)
        symbol = building->options->symbol(building->options->symbol_context, use->value);
    for (size_t at = 0; !use->is_rip && use->point == EXIT_POINT_MSR && at < array_count(msr_names); at++)
        if (msr_names[at].number == use->value)
            return msr_names[at].name;
    return symbol ? arena_string(building->arena, symbol) : NULL;
}

static int use_compare(const void *a, const void *b)
{
    const struct exit_use_line *left = a, *right = b;
    if (left->is_rip != right->is_rip)
        return left->is_rip - right->is_rip;
    if (left->object != right->object)
        return (left->object > right->object) - (left->object < right->object);
    if (left->count != right->count)
        return (left->count < right->count) - (left->count > right->count);
    return left->value != right->value ? (left->value > right->value) - (left->value < right->value)
                                       : strcmp(left->name, right->name);
}

static int use_key_compare(const void *a, const void *b)
{
    const struct exit_use_line *left = a, *right = b;
    int names = strcmp(left->name, right->name);
    if (names || left->is_rip != right->is_rip)
        return names ? names : left->is_rip - right->is_rip;
    return (left->value > right->value) - (left->value < right->value);
}

/* Those of all threads together. */
static void uses_build(struct building *building)
{
    struct exit_table *table = building->table;
    table->uses = arena_array(building->arena, struct exit_use_line, building->exits->use_count + 1);
    size_t count = 0, kept = 0;
    for (size_t at = 0; at < building->exits->use_count; at++) {
        const struct exit_use *use = &building->exits->uses[at];
        if (!use->count || !is_wanted(building, use->thread))
            continue;
        struct exit_tally tally = {.point = use->point, .isa = use->isa, .reason = use->reason, .name = use->name};
        table->uses[count++] =
            (struct exit_use_line){.name = arena_string(building->arena, identity_of(building, &tally).name),
                                   .object = exit_points[use->point].object,
                                   .is_rip = use->is_rip,
                                   .value = use->value,
                                   .count = use->count,
                                   .symbol = symbol_of(building, use)};
    }
    qsort(table->uses, count, sizeof(*table->uses), use_key_compare);
    for (size_t at = 0; at < count; at++) {
        if (kept && use_key_compare(&table->uses[kept - 1], &table->uses[at]) == 0)
            table->uses[kept - 1].count += table->uses[at].count;
        else
            table->uses[kept++] = table->uses[at];
    }
    table->use_count = kept;
    qsort(table->uses, kept, sizeof(*table->uses), use_compare);
}

static int vcpu_compare(const void *a, const void *b)
{
    const struct exit_vcpu_line *left = a, *right = b;
    if (left->pid != right->pid)
        return (left->pid > right->pid) - (left->pid < right->pid);
    if (left->vcpu != right->vcpu)
        return (left->vcpu > right->vcpu) - (left->vcpu < right->vcpu);
    return (left->tid > right->tid) - (left->tid < right->tid);
}

/* Threads that left a guest: one that only set mappings isn't a vCPU's. */
static void vcpus_build(struct building *building)
{
    struct exit_table *table = building->table;
    const struct exits *exits = building->exits;
    struct exit_vcpu_line *all = arena_array(building->arena, struct exit_vcpu_line, exits->thread_count + 1);
    for (size_t at = 0; at < exits->thread_count; at++)
        all[at] = (struct exit_vcpu_line){.pid = exits->threads[at].pid,
                                          .tid = exits->threads[at].tid,
                                          .vcpu = exits->threads[at].vcpu,
                                          .migrations = exits->threads[at].migrations,
                                          .handled_ns = not_measured("no exit's end was seen")};
    for (size_t at = 0; at < exits->tally_count; at++) {
        const struct exit_tally *tally = &exits->tallies[at];
        if (tally->point != table->counted || !is_wanted(building, tally->thread))
            continue;
        struct exit_vcpu_line *line = &all[tally->thread];
        line->exits += tally->count;
        if (tally->timed && identity_of(building, tally).class != EXIT_CLASS_IDLE)
            line->handled_ns = measured_as((line->handled_ns.known ? line->handled_ns.value : 0) + tally->total_ns);
    }
    table->vcpus = all;
    for (size_t at = 0; at < exits->thread_count && !exits->is_table; at++)
        if (all[at].exits && all[at].tid) { /* sums by counters have no threads */
            table->migrations += all[at].migrations;
            all[table->vcpu_count++] = all[at];
        }
    qsort(table->vcpus, table->vcpu_count, sizeof(*table->vcpus), vcpu_compare);
}

void exit_table_build(struct exit_table *table, const struct exits *exits, const struct exit_table_options *options,
                      struct arena *arena)
{
    struct building building = {table, exits, options, arena,
                                .buckets = arena_array(arena, uint64_t *, exits->tally_count + 1)};
    uint64_t point_counts[EXIT_POINT_COUNT] = {0};
    building.named = arena_array(arena, const struct exit_reason *, strings_count(&exits->strings) + 1);
    *table = (struct exit_table){
        .lines = arena_array(arena, struct exit_line, exits->tally_count + 1),
        .counted = exits->fires_exit ? EXIT_POINT_EXIT : EXIT_POINT_USERSPACE,
        .lost = exits->lost,
        .lost_uses = exits->lost_uses,
        .is_table = exits->is_table,
    };
    if (!exits->is_table && !exits->fires_exit && !exits->watches[EXIT_POINT_USERSPACE])
        table->why_uncounted = exits->watches[EXIT_POINT_EXIT]
                                   ? "no kvm_exit came, and kvm_userspace_exit wasn't looked at"
                                   : "neither kvm_exit nor kvm_userspace_exit was looked at";
    double seconds = options->seconds > 0 ? options->seconds : exits->seconds;
    table->seconds = seconds > 0
                         ? measured_as(seconds)
                         : not_measured(exits->is_table ? "the table doesn't say over how long (--duration says it)"
                                                        : "it lasted no time that was recorded");
    usual_isa_find(&building);
    vcpus_build(&building);
    uint64_t vcpus = options->vcpus ? options->vcpus : table->vcpu_count;
    table->vcpu_seconds =
        !table->seconds.known ? table->seconds
        : vcpus               ? measured_as((double)vcpus * seconds)
                : not_measured(exits->is_table ? "the table doesn't say of how many vCPUs (--vcpus says it)"
                                               : "no vCPU was seen");
    for (size_t at = 0; at < exits->tally_count; at++)
        if (is_wanted(&building, exits->tallies[at].thread) && exits->tallies[at].count) {
            line_add(&building, &exits->tallies[at]);
            point_counts[exits->tallies[at].point] += exits->tallies[at].count;
        }
    for (size_t at = 0; at < table->line_count; at++)
        line_finish(&building, at, point_counts);
    qsort(table->lines, table->line_count, sizeof(*table->lines), line_compare);
    classes_sum(table);
    armings_find(&building);
    uses_build(&building);
    hashmap_done(&building.line_map);
}

const struct exit_line *exit_table_line(const struct exit_table *table, enum exit_point point, const char *name)
{
    for (size_t at = 0; at < table->line_count; at++)
        if (table->lines[at].point == point && strcmp(table->lines[at].name, name) == 0)
            return &table->lines[at];
    return NULL;
}
