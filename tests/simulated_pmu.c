/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulated_pmu.h"

#include "base/arena.h"
#include "base/vec.h"
#include "simulated_rates.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    FIRST_FD = 100000, /* above any real descriptor, so that a mix-up with close(2) is EBADF */
    FIRST_ID = 7000,
    COUNTERS_MOST = 32,
    MUX_INTERVAL_NS = 4000000,
};

#define CONFIG_SLOTS 0x0400u /* type raw: fixed counter 3 */

struct counter {
    bool open;
    int fd, leader; /* index of its leader; its own when it leads */
    struct perf_event_attr attr;
    const struct simulated_rule *rule;
    pid_t pid;
    int cpu;
    bool task_ended;
    bool enabled, error; /* error: pinned and not schedulable */
    bool on_pmu, ran_in_window;
    double value;
    double since_read; /* of slots and their topdown events: not told yet */
    uint64_t enabled_ns, running_ns, id, thread_ns;
    uint8_t *ring;
    size_t ring_bytes;
    int output; /* descriptor of the event into whose ring it writes; 0: its own */
};

struct tried {
    uint32_t type;
    uint64_t config;
    unsigned precise;
};

struct simulated_pmu {
    struct kernel kernel;
    struct simulated_plan plan;
    vec(struct counter) counters;
    vec(struct tried) tried;
    size_t first_open; /* no counter before it is open: passes leave thousands of closed ones behind */
    bool settled;      /* everything enabled is on the PMU, whoever's turn it is, until a system call changes something */
    double *truth;     /* of each rule */
    struct simulated_draw *draws; /* of each rule */
    uint64_t now_ns, rotation;
    uint64_t next_id;
};

static int refuse(int errno_value)
{
    errno = errno_value;
    return -1;
}

/* ---- which events fit together ------------------------------------------------------------------------ */

struct fit {
    const struct counter *wanted[COUNTERS_MOST];
    unsigned count;
};

static bool is_slots(const struct counter *counter)
{
    return counter->attr.type == PERF_TYPE_RAW && counter->attr.config == CONFIG_SLOTS;
}

/* The counters that will do: fixed ones above the general ones. */
static uint64_t counters_of(const struct counter *counter, unsigned free_counters, unsigned free_fixed)
{
    const struct simulated_rule *rule = counter->rule;
    uint64_t fixed = (uint64_t)(rule->fixed & free_fixed) << 32;
    if (is_slots(counter))
        return fixed; /* fixed counter 3 or none */
    return fixed | (rule->counters ? rule->counters & free_counters : free_counters);
}

/* Give event `at` a counter; who has it moves on, if it can. */
static bool assign_one(const uint64_t *wishes, unsigned at, int *owners, uint64_t *tried)
{
    for (uint64_t open = wishes[at] & ~*tried; open; open = wishes[at] & ~*tried) {
        unsigned counter = (unsigned)__builtin_ctzll(open);
        *tried |= UINT64_C(1) << counter;
        if (owners[counter] < 0 || assign_one(wishes, (unsigned)owners[counter], owners, tried)) {
            owners[counter] = (int)at;
            return true;
        }
    }
    return false;
}

static bool assign(const struct fit *fit, unsigned free_counters, unsigned free_fixed)
{
    uint64_t wishes[COUNTERS_MOST];
    int owners[64];
    memset(owners, -1, sizeof(owners));
    for (unsigned at = 0; at < fit->count; at++) {
        uint64_t tried = 0;
        wishes[at] = counters_of(fit->wanted[at], free_counters, free_fixed);
        if (!assign_one(wishes, at, owners, &tried))
            return false;
    }
    return true;
}

static unsigned low_bits(unsigned count)
{
    return count >= 32 ? ~0u : (1u << count) - 1;
}

/* Whether no register needs more values at a time than it has. */
static bool registers_fit(const struct simulated_pmu *pmu, const struct fit *fit)
{
    unsigned used[SIMULATED_REGISTERS] = {0};
    for (unsigned at = 0; at < fit->count; at++) {
        enum simulated_register needs = fit->wanted[at]->rule->needs_register;
        bool again = needs == SIMULATED_NO_REGISTER;
        for (unsigned before = 0; before < at && !again; before++)
            again = fit->wanted[before]->rule->needs_register == needs &&
                    fit->wanted[before]->attr.config1 == fit->wanted[at]->attr.config1;
        used[needs] += !again;
        if (pmu->plan.registers[needs] && used[needs] > pmu->plan.registers[needs])
            return false;
    }
    return true;
}

static bool fits(const struct simulated_pmu *pmu, const struct fit *fit, bool with_other_users)
{
    if (!registers_fit(pmu, fit))
        return false;
    unsigned taken = with_other_users ? pmu->plan.taken : 0;
    unsigned general = taken >= pmu->plan.programmable ? 0 : low_bits(pmu->plan.programmable) & ~low_bits(taken);
    unsigned fixed = low_bits(pmu->plan.fixed) & ~(with_other_users ? pmu->plan.taken_fixed : 0);
    return assign(fit, general, fixed);
}

/* Add the group's hardware members; false when one of them is never scheduled. */
static bool fit_add_group(const struct simulated_pmu *pmu, struct fit *fit, size_t leader)
{
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++) {
        const struct counter *counter = &pmu->counters.items[at];
        if (!counter->open || counter->leader != (int)leader || (!counter->enabled && at != leader))
            continue;
        if (counter->rule->needs == SIMULATED_NEVER)
            return false;
        if (counter->rule->needs != SIMULATED_HARDWARE)
            continue;
        if (fit->count == COUNTERS_MOST)
            return false;
        fit->wanted[fit->count++] = counter;
    }
    return true;
}

static enum simulated_core core_now(const struct simulated_pmu *pmu)
{
    if (!pmu->plan.core_move_ns)
        return SIMULATED_BIG_CORE;
    return pmu->now_ns / pmu->plan.core_move_ns % 2 ? SIMULATED_SMALL_CORE : SIMULATED_BIG_CORE;
}

/* A group of the other kind of core waits, and keeps nobody from the counters. */
static bool is_elsewhere(const struct simulated_pmu *pmu, size_t leader)
{
    enum simulated_core core = pmu->counters.items[leader].rule->core;
    return core != SIMULATED_ANY_CORE && core != core_now(pmu);
}

static bool group_is_software(const struct simulated_pmu *pmu, size_t leader)
{
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++) {
        const struct counter *counter = &pmu->counters.items[at];
        if (counter->open && counter->leader == (int)leader && counter->rule->needs != SIMULATED_SOFTWARE)
            return false;
    }
    return true;
}

static void group_put(struct simulated_pmu *pmu, size_t leader)
{
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++) {
        struct counter *counter = &pmu->counters.items[at];
        if (counter->open && counter->leader == (int)leader && counter->enabled)
            counter->on_pmu = true;
    }
}

/*
 * One pass over a context's groups, in rotated order; once one does not fit, no further hardware group is tried. False: not
 * all are put.
 */
static bool schedule_groups(struct simulated_pmu *pmu, pid_t pid, int cpu, bool pinned, struct fit *fit)
{
    size_t leaders[1024], leader_count = 0;
    for (size_t at = pmu->first_open; at < pmu->counters.count && leader_count < array_count(leaders); at++) {
        struct counter *counter = &pmu->counters.items[at];
        if (counter->open && counter->leader == (int)at && counter->enabled && !counter->error && counter->pid == pid &&
            counter->cpu == cpu && (bool)counter->attr.pinned == pinned)
            leaders[leader_count++] = at;
    }
    bool can_add = true, all_put = true;
    for (size_t step = 0; step < leader_count; step++) {
        size_t leader = leaders[(step + (pinned ? 0 : pmu->rotation)) % leader_count];
        if (group_is_software(pmu, leader)) {
            group_put(pmu, leader);
            continue;
        }
        if (is_elsewhere(pmu, leader)) {
            all_put = false;
            continue;
        }
        struct fit with = *fit;
        bool put = can_add && fit_add_group(pmu, &with, leader) && fits(pmu, &with, true);
        if (put) {
            *fit = with;
            group_put(pmu, leader);
        } else if (pinned) {
            pmu->counters.items[leader].error = true;
        } else {
            can_add = false;
        }
        all_put &= put;
    }
    return all_put;
}

static void schedule(struct simulated_pmu *pmu)
{
    if (pmu->settled)
        return;
    bool all_put = !pmu->plan.core_move_ns;
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++)
        pmu->counters.items[at].on_pmu = false;
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++) {
        const struct counter *first = &pmu->counters.items[at];
        bool seen = !first->open;
        for (size_t before = pmu->first_open; before < at && !seen; before++)
            seen = pmu->counters.items[before].open && pmu->counters.items[before].pid == first->pid &&
                   pmu->counters.items[before].cpu == first->cpu;
        if (seen)
            continue;
        struct fit fit = {.count = 0};
        all_put &= schedule_groups(pmu, first->pid, first->cpu, true, &fit);
        all_put &= schedule_groups(pmu, first->pid, first->cpu, false, &fit);
    }
    pmu->settled = all_put;
}

/* ---- time ----------------------------------------------------------------------------------------------- */

static unsigned rule_number(const struct simulated_pmu *pmu, const struct counter *counter)
{
    return (unsigned)(counter->rule - pmu->plan.rules);
}

/* Whether the counter tells its counts in PERF_METRICS' way: at each read, in steps. */
static bool has_steps(const struct simulated_pmu *pmu, const struct counter *counter)
{
    return pmu->plan.topdown_steps != SIMULATED_NO_STEPS && is_slots(&pmu->counters.items[counter->leader]) &&
           (is_slots(counter) || counter->rule->needs == SIMULATED_METRIC);
}

/* The kernel's read: slots and metrics register are read, told, and begin again at 0. */
static void steps_tell(struct simulated_pmu *pmu, int leader)
{
    struct counter *slots = &pmu->counters.items[leader];
    double all = slots->since_read;
    if (!has_steps(pmu, slots))
        return;
    vec_for_each(&pmu->counters, counter) {
        if (!counter->open || counter->leader != leader || !has_steps(pmu, counter))
            continue;
        double field = all > 0 ? 255 * counter->since_read / all : 0;
        field = pmu->plan.topdown_steps == SIMULATED_CUT ? floor(field) : floor(field + 0.5);
        counter->value += counter == slots ? all : all * field / 255;
        counter->since_read = 0;
    }
}

static void truth_add(struct simulated_pmu *pmu, uint64_t duration_ns)
{
    for (unsigned rule = 0; rule < pmu->plan.rule_count; rule++)
        if (pmu->plan.rules[rule].core == SIMULATED_ANY_CORE || pmu->plan.rules[rule].core == core_now(pmu))
            pmu->truth[rule] += simulated_rate(&pmu->plan, rule, pmu->now_ns, &pmu->draws[rule]) * (double)duration_ns / 1e9;
}

static void slice(struct simulated_pmu *pmu, uint64_t duration_ns)
{
    schedule(pmu);
    truth_add(pmu, duration_ns);
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++) {
        struct counter *counter = &pmu->counters.items[at];
        if (!counter->open || !counter->enabled || counter->task_ended || !pmu->counters.items[counter->leader].enabled)
            continue;
        if (!counter->error)
            counter->enabled_ns += duration_ns;
        if (!counter->on_pmu)
            continue;
        counter->running_ns += duration_ns;
        counter->ran_in_window = true;
        double times = counter->rule->faster_by_cpu && counter->cpu > 0 ? counter->cpu + 1 : 1;
        unsigned rule = rule_number(pmu, counter);
        double more = times * simulated_rate(&pmu->plan, rule, pmu->now_ns, &pmu->draws[rule]) * (double)duration_ns / 1e9;
        *(has_steps(pmu, counter) ? &counter->since_read : &counter->value) += more;
    }
    pmu->now_ns += duration_ns;
}

void simulated_pmu_run(struct simulated_pmu *pmu, uint64_t duration_ns)
{
    uint64_t interval = pmu->plan.mux_interval_ns ? pmu->plan.mux_interval_ns : MUX_INTERVAL_NS;
    while (duration_ns) {
        uint64_t step = duration_ns < interval ? duration_ns : interval;
        slice(pmu, step);
        pmu->rotation++;
        duration_ns -= step;
    }
}

static uint64_t thread_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A leader's window is its enabled siblings' window, too. */
static void window_start(struct simulated_pmu *pmu, struct counter *counter)
{
    if (!counter->enabled) {
        vec_for_each(&pmu->counters, member)
            if (member->open && (member == counter || (member->leader == counter->fd - FIRST_FD && member->enabled))) {
                member->ran_in_window = false;
                member->thread_ns = thread_clock_ns();
            }
    }
    counter->enabled = true;
    counter->error = false;
}

/* ---- samples -------------------------------------------------------------------------------------------- */

struct sample_bytes {
    uint8_t bytes[4096];
    size_t size;
};

static void put(struct sample_bytes *out, const void *data, size_t size)
{
    if (out->size + size <= sizeof(out->bytes)) {
        memcpy(out->bytes + out->size, data, size);
        out->size += size;
    }
}

static void put_u64(struct sample_bytes *out, uint64_t value)
{
    put(out, &value, sizeof(value));
}

static void put_u32_pair(struct sample_bytes *out, uint32_t first, uint32_t second)
{
    put(out, &first, sizeof(first));
    put(out, &second, sizeof(second));
}

static void put_registers(struct sample_bytes *out, const struct counter *counter)
{
    put_u64(out, PERF_SAMPLE_REGS_ABI_64);
    for (unsigned bit = 0; bit < 64; bit++)
        if (counter->attr.sample_regs_user >> bit & 1)
            put_u64(out, counter->rule->register_value ? counter->rule->register_value : 0x1000 + bit);
}

static void put_branches(struct sample_bytes *out, const struct counter *counter, uint64_t ip)
{
    put_u64(out, 2);
    for (unsigned at = 0; at < 2; at++) {
        put_u64(out, counter->rule->branch_from ? counter->rule->branch_from : ip - 16 - at);
        put_u64(out, ip);
        put_u64(out, 0);
    }
}

static void sample_build(const struct simulated_pmu *pmu, const struct counter *counter, uint64_t ip,
                         struct sample_bytes *out)
{
    uint64_t type = counter->attr.sample_type;
    if (type & PERF_SAMPLE_IDENTIFIER)
        put_u64(out, counter->id);
    if (type & PERF_SAMPLE_IP)
        put_u64(out, ip);
    if (type & PERF_SAMPLE_TID)
        put_u32_pair(out, (uint32_t)counter->pid, (uint32_t)counter->pid);
    if (type & PERF_SAMPLE_TIME)
        put_u64(out, pmu->now_ns);
    if (type & PERF_SAMPLE_ADDR)
        put_u64(out, counter->rule->sample_addr);
    if (type & PERF_SAMPLE_ID)
        put_u64(out, counter->id);
    if (type & PERF_SAMPLE_STREAM_ID)
        put_u64(out, counter->id);
    if (type & PERF_SAMPLE_CPU)
        put_u32_pair(out, counter->cpu < 0 ? 0 : (uint32_t)counter->cpu, 0);
    if (type & PERF_SAMPLE_PERIOD)
        put_u64(out, counter->attr.sample_period);
    if (type & PERF_SAMPLE_CALLCHAIN) {
        put_u64(out, 2);
        put_u64(out, (uint64_t)-512); /* PERF_CONTEXT_USER */
        put_u64(out, ip);
    }
    if (type & PERF_SAMPLE_BRANCH_STACK)
        put_branches(out, counter, ip);
    if (type & PERF_SAMPLE_REGS_USER)
        put_registers(out, counter);
    if (type & PERF_SAMPLE_STACK_USER)
        put_u64(out, 0); /* no stack could be copied */
}

static uint8_t *ring_of(const struct simulated_pmu *pmu, const struct counter *counter)
{
    return counter->output ? pmu->counters.items[counter->output - FIRST_FD].ring : counter->ring;
}

static void ring_write(const struct simulated_pmu *pmu, const struct counter *counter, const void *data, size_t size)
{
    struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)ring_of(pmu, counter);
    uint8_t *start = (uint8_t *)page + page->data_offset;
    for (size_t at = 0; at < size; at++)
        start[(page->data_head + at) % page->data_size] = ((const uint8_t *)data)[at];
    page->data_head += size;
}

static void samples_emit(struct simulated_pmu *pmu, struct counter *counter)
{
    if (!ring_of(pmu, counter) || !counter->attr.sample_period || !counter->ran_in_window)
        return;
    const struct simulated_rule *rule = counter->rule;
    for (unsigned at = 0; at < rule->samples_per_window; at++) {
        struct sample_bytes body = {.size = 0};
        sample_build(pmu, counter, rule->sample_ip_of ? rule->sample_ip_of(at) : rule->sample_ip, &body);
        struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER,
                                           .size = (uint16_t)(sizeof(header) + body.size)};
        ring_write(pmu, counter, &header, sizeof(header));
        ring_write(pmu, counter, body.bytes, body.size);
    }
}

/* sample_id_all: what ends every record that is no sample. */
static void put_sample_id(const struct simulated_pmu *pmu, const struct counter *counter, struct sample_bytes *out)
{
    uint64_t type = counter->attr.sample_id_all ? counter->attr.sample_type : 0;
    if (type & PERF_SAMPLE_TID)
        put_u32_pair(out, (uint32_t)counter->pid, (uint32_t)counter->pid);
    if (type & PERF_SAMPLE_TIME)
        put_u64(out, pmu->now_ns);
    if (type & PERF_SAMPLE_ID)
        put_u64(out, counter->id);
    if (type & PERF_SAMPLE_STREAM_ID)
        put_u64(out, counter->id);
    if (type & PERF_SAMPLE_CPU)
        put_u32_pair(out, counter->cpu < 0 ? 0 : (uint32_t)counter->cpu, 0);
    if (type & PERF_SAMPLE_IDENTIFIER)
        put_u64(out, counter->id);
}

static void code_emit(struct simulated_pmu *pmu, struct counter *counter)
{
    enum { DEVICE_INODE_GENERATION = 24, PROTECTION = 5 /* r-x */ };
    const struct simulated_code *code = &pmu->plan.code;
    struct sample_bytes body = {.size = 0};
    const uint8_t zeroes[DEVICE_INODE_GENERATION] = {0};
    if (!code->path || !counter->attr.mmap2 || !ring_of(pmu, counter))
        return;
    put_u32_pair(&body, (uint32_t)counter->pid, (uint32_t)counter->pid);
    put_u64(&body, code->start);
    put_u64(&body, code->bytes);
    put_u64(&body, code->offset);
    put(&body, zeroes, sizeof(zeroes));
    put_u32_pair(&body, PROTECTION, MAP_PRIVATE);
    put(&body, code->path, strlen(code->path) + 1);
    put(&body, zeroes, (8 - body.size % 8) % 8);
    put_sample_id(pmu, counter, &body);
    struct perf_event_header header = {.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER, .size = (uint16_t)(sizeof(header) + body.size)};
    ring_write(pmu, counter, &header, sizeof(header));
    ring_write(pmu, counter, body.bytes, body.size);
}

static void window_close(struct simulated_pmu *pmu, struct counter *counter)
{
    if (!counter->enabled || !counter->ran_in_window)
        return;
    counter->value += (double)counter->rule->per_window;
    if (counter->rule->thread_clock)
        counter->value += (double)(thread_clock_ns() - counter->thread_ns);
    samples_emit(pmu, counter);
    counter->ran_in_window = false;
}

static void window_end(struct simulated_pmu *pmu, struct counter *counter)
{
    vec_for_each(&pmu->counters, member)
        if (member->open && member != counter && member->leader == counter->fd - FIRST_FD)
            window_close(pmu, member);
    window_close(pmu, counter);
    counter->enabled = false;
    counter->on_pmu = false;
}

/* ---- the system calls ----------------------------------------------------------------------------------- */

static struct counter *counter_of(struct simulated_pmu *pmu, int fd)
{
    if (fd < FIRST_FD || (size_t)(fd - FIRST_FD) >= pmu->counters.count || !pmu->counters.items[fd - FIRST_FD].open)
        return NULL;
    return &pmu->counters.items[fd - FIRST_FD];
}

static const struct simulated_rule *rule_of(const struct simulated_pmu *pmu, const struct perf_event_attr *attr)
{
    for (unsigned at = 0; at < pmu->plan.rule_count; at++) {
        const struct simulated_rule *rule = &pmu->plan.rules[at];
        uint64_t mask = rule->config_mask ? rule->config_mask : UINT64_MAX;
        if (rule->type == attr->type && (rule->any_config || (rule->config & mask) == (attr->config & mask)))
            return rule;
    }
    return NULL;
}

static int open_refusal(const struct simulated_pmu *pmu, const struct perf_event_attr *attr,
                        const struct simulated_rule *rule, pid_t pid, int cpu)
{
    if (pmu->plan.open_errno)
        return pmu->plan.open_errno;
    if (pmu->plan.fd_limit && simulated_pmu_open_count(pmu) >= pmu->plan.fd_limit)
        return EMFILE;
    if (pid == -1 && cpu == -1)
        return EINVAL;
    if (cpu >= (int)(pmu->plan.cpus ? pmu->plan.cpus : 1))
        return ENODEV;
    if ((pmu->plan.kernel_refused && !attr->exclude_kernel) || (pmu->plan.cpu_refused && pid == -1))
        return EACCES;
    if (!rule)
        return ENOENT;
    if (rule->open_errno)
        return rule->open_errno;
    if (attr->sample_period && rule->no_sampling)
        return EOPNOTSUPP;
    if ((rule->whole_cpus_only && pid != -1) || (rule->no_filter && (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv)))
        return EINVAL;
    if (rule->needs == SIMULATED_HARDWARE && (int)attr->precise_ip > rule->precise_max)
        return EOPNOTSUPP;
    if ((attr->sample_type & PERF_SAMPLE_BRANCH_STACK) && !rule->branch_stack)
        return EOPNOTSUPP;
    return 0;
}

/* What Linux refuses about a group when its new member arrives; 0 when nothing. */
static int group_refusal(struct simulated_pmu *pmu, size_t member)
{
    struct counter *counter = &pmu->counters.items[member], *leader = &pmu->counters.items[counter->leader];
    if (counter->rule->needs == SIMULATED_METRIC && (leader == counter || !is_slots(leader)))
        return EINVAL;
    if (leader->rule->core && counter->rule->core && leader->rule->core != counter->rule->core)
        return EINVAL; /* of different PMUs */
    if (leader != counter &&
        (leader->leader != counter->leader || leader->pid != counter->pid || leader->cpu != counter->cpu ||
         counter->attr.pinned))
        return EINVAL;
    struct fit fit = {.count = 0};
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++) {
        const struct counter *other = &pmu->counters.items[at];
        if (!other->open || other->leader != counter->leader || other->rule->needs != SIMULATED_HARDWARE)
            continue;
        if (fit.count == COUNTERS_MOST)
            return EINVAL;
        fit.wanted[fit.count++] = other;
    }
    return fits(pmu, &fit, false) ? 0 : EINVAL;
}

static int simulated_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                          unsigned long flags)
{
    struct simulated_pmu *pmu = context;
    const unsigned long known_flags = PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC;
    if (!pmu->plan.open_errno && (flags & ~known_flags))
        return refuse(EINVAL); /* the kernel looks at the flags before anything else */
    *vec_push(&pmu->tried) = (struct tried){attr->type, attr->config, attr->sample_period ? attr->precise_ip : 0};
    const struct simulated_rule *rule = rule_of(pmu, attr);
    int refusal = open_refusal(pmu, attr, rule, pid, cpu);
    if (refusal)
        return refuse(refusal);
    if (group_fd != -1 && !counter_of(pmu, group_fd))
        return refuse(EBADF);
    size_t index = pmu->counters.count;
    *vec_push(&pmu->counters) = (struct counter){
        .open = true, .fd = FIRST_FD + (int)index, .leader = group_fd == -1 ? (int)index : group_fd - FIRST_FD,
        .attr = *attr, .rule = rule, .pid = pid, .cpu = cpu, .enabled = !attr->disabled, .id = pmu->next_id++};
    pmu->settled = false;
    refusal = group_refusal(pmu, index);
    if (refusal) {
        pmu->counters.count--;
        return refuse(refusal);
    }
    return FIRST_FD + (int)index;
}

typedef void change(struct simulated_pmu *pmu, struct counter *counter);

static void counter_reset(struct simulated_pmu *pmu, struct counter *counter)
{
    counter->value = counter->since_read = 0;
    (void)pmu;
}

static void change_each(struct simulated_pmu *pmu, struct counter *counter, bool whole_group, change *apply)
{
    if (!whole_group) {
        apply(pmu, counter);
        return;
    }
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++)
        if (pmu->counters.items[at].open && pmu->counters.items[at].leader == counter->leader)
            apply(pmu, &pmu->counters.items[at]);
}

static int simulated_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    struct simulated_pmu *pmu = context;
    struct counter *counter = counter_of(pmu, fd);
    if (!counter)
        return refuse(EBADF);
    bool group = argument & PERF_IOC_FLAG_GROUP;
    switch (request) {
    case PERF_EVENT_IOC_REFRESH:
    case PERF_EVENT_IOC_ENABLE:
        pmu->settled = false;
        change_each(pmu, counter, request == PERF_EVENT_IOC_ENABLE && group, window_start);
        return 0;
    case PERF_EVENT_IOC_DISABLE:
        if (pmu->plan.step_ns)
            simulated_pmu_run(pmu, pmu->plan.step_ns);
        pmu->settled = false;
        change_each(pmu, counter, group, window_end);
        return 0;
    case PERF_EVENT_IOC_RESET:
        change_each(pmu, counter, group, counter_reset);
        return 0;
    case PERF_EVENT_IOC_ID:
        *(uint64_t *)argument = counter->id;
        return 0;
    case PERF_EVENT_IOC_PERIOD:
        counter->attr.sample_period = *(uint64_t *)argument;
        return 0;
    case PERF_EVENT_IOC_SET_OUTPUT:
        if ((int)argument != -1 && !counter_of(pmu, (int)argument))
            return refuse(EBADF);
        counter->output = (int)argument == -1 ? 0 : (int)argument;
        return 0;
    case PERF_EVENT_IOC_SET_FILTER:
    case PERF_EVENT_IOC_PAUSE_OUTPUT:
        return 0;
    default:
        return refuse(ENOTTY);
    }
}

struct reading {
    uint64_t words[4 + 3 * 256];
    size_t count;
};

static void reading_add(struct reading *reading, uint64_t word)
{
    if (reading->count < array_count(reading->words))
        reading->words[reading->count++] = word;
}

static void reading_add_value(struct reading *reading, const struct counter *counter, uint64_t format)
{
    reading_add(reading, (uint64_t)(counter->value + 1e-6));
    if ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) && !(format & PERF_FORMAT_GROUP))
        reading_add(reading, counter->enabled_ns);
    if ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) && !(format & PERF_FORMAT_GROUP))
        reading_add(reading, counter->running_ns);
    if (format & PERF_FORMAT_ID)
        reading_add(reading, counter->id);
    if (format & PERF_FORMAT_LOST)
        reading_add(reading, 0);
}

static void reading_add_group(struct reading *reading, const struct simulated_pmu *pmu, const struct counter *leader)
{
    uint64_t format = leader->attr.read_format, members = 0;
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++)
        members += pmu->counters.items[at].open && pmu->counters.items[at].leader == leader->leader;
    reading_add(reading, members);
    if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        reading_add(reading, leader->enabled_ns);
    if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        reading_add(reading, leader->running_ns);
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++)
        if (pmu->counters.items[at].open && pmu->counters.items[at].leader == leader->leader)
            reading_add_value(reading, &pmu->counters.items[at], format);
}

static ssize_t simulated_read(void *context, int fd, void *buffer, size_t size_bytes)
{
    struct simulated_pmu *pmu = context;
    struct counter *counter = counter_of(pmu, fd);
    if (!counter)
        return refuse(EBADF);
    if (pmu->plan.step_ns && counter->enabled)
        simulated_pmu_run(pmu, pmu->plan.step_ns);
    if (pmu->counters.items[counter->leader].error)
        return 0;
    struct reading reading = {.count = 0};
    steps_tell(pmu, counter->leader);
    if (counter->attr.read_format & PERF_FORMAT_GROUP)
        reading_add_group(&reading, pmu, counter);
    else
        reading_add_value(&reading, counter, counter->attr.read_format);
    size_t bytes = reading.count * sizeof(uint64_t);
    if (size_bytes < bytes)
        return refuse(ENOSPC);
    memcpy(buffer, reading.words, bytes);
    return (ssize_t)bytes;
}

static void *simulated_mmap(void *context, size_t size_bytes, int protection, int flags, int fd, off_t offset_bytes)
{
    struct counter *counter = counter_of(context, fd);
    (void)protection, (void)flags;
    if (!counter || offset_bytes || counter->ring || size_bytes < 4096) {
        errno = counter ? EINVAL : EBADF;
        return MAP_FAILED;
    }
    void *ring = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ring == MAP_FAILED)
        return ring;
    struct perf_event_mmap_page *page = ring;
    page->data_offset = 4096;
    page->data_size = size_bytes - 4096;
    counter->ring = ring;
    counter->ring_bytes = size_bytes;
    return ring;
}

static int simulated_munmap(void *context, void *address, size_t size_bytes)
{
    struct simulated_pmu *pmu = context;
    vec_for_each(&pmu->counters, counter)
        if (counter->ring == address)
            counter->ring = NULL;
    return munmap(address, size_bytes);
}

static int simulated_close(void *context, int fd)
{
    struct simulated_pmu *pmu = context;
    struct counter *counter = counter_of(pmu, fd);
    if (!counter)
        return refuse(EBADF);
    /* members of a closed leader become singletons, as in perf_group_detach */
    for (size_t at = pmu->first_open; at < pmu->counters.count; at++)
        if (pmu->counters.items[at].leader == fd - FIRST_FD && at != (size_t)(fd - FIRST_FD))
            pmu->counters.items[at].leader = (int)at;
    counter->open = pmu->settled = false;
    while (pmu->first_open < pmu->counters.count && !pmu->counters.items[pmu->first_open].open)
        pmu->first_open++;
    return 0;
}

static int simulated_bpf(void *context, int command, union bpf_attr *attr, unsigned int size_bytes)
{
    const struct simulated_pmu *pmu = context;
    (void)command, (void)attr, (void)size_bytes;
    return refuse(pmu->plan.bpf_errno ? pmu->plan.bpf_errno : EPERM);
}

static long simulated_ptrace(void *context, int request, pid_t pid, uint64_t address, uint64_t data)
{
    const struct simulated_pmu *pmu = context;
    (void)request, (void)pid, (void)address, (void)data;
    return refuse(pmu->plan.ptrace_errno ? pmu->plan.ptrace_errno : EPERM);
}

/* ---- life ----------------------------------------------------------------------------------------------- */

struct simulated_pmu *simulated_pmu_new(const struct simulated_plan *plan)
{
    struct simulated_pmu *pmu = memory_alloc(sizeof(*pmu));
    *pmu = (struct simulated_pmu){.plan = *plan, .next_id = FIRST_ID};
    pmu->truth = memory_alloc((plan->rule_count + 1) * sizeof(*pmu->truth));
    memset(pmu->truth, 0, (plan->rule_count + 1) * sizeof(*pmu->truth));
    pmu->draws = memory_alloc((plan->rule_count + 1) * sizeof(*pmu->draws));
    memset(pmu->draws, 0, (plan->rule_count + 1) * sizeof(*pmu->draws));
    pmu->kernel = (struct kernel){
        .context = pmu,
        .perf_event_open = simulated_open,
        .ioctl = simulated_ioctl,
        .read = simulated_read,
        .mmap = simulated_mmap,
        .munmap = simulated_munmap,
        .close = simulated_close,
        .bpf = simulated_bpf,
        .ptrace = simulated_ptrace,
    };
    return pmu;
}

void simulated_pmu_free(struct simulated_pmu *pmu)
{
    vec_for_each(&pmu->counters, counter)
        if (counter->ring)
            munmap(counter->ring, counter->ring_bytes);
    vec_done(&pmu->counters);
    vec_done(&pmu->tried);
    free(pmu->truth);
    free(pmu->draws);
    free(pmu);
}

const struct kernel *simulated_pmu_kernel(struct simulated_pmu *pmu)
{
    return &pmu->kernel;
}

void simulated_pmu_exec(struct simulated_pmu *pmu, pid_t pid)
{
    pmu->settled = false;
    vec_for_each(&pmu->counters, counter)
        if (counter->open && counter->attr.enable_on_exec && counter->pid == pid) {
            window_start(pmu, counter);
            code_emit(pmu, counter);
        }
}

void simulated_pmu_taken_set(struct simulated_pmu *pmu, unsigned counters, unsigned fixed)
{
    pmu->plan.taken = counters;
    pmu->plan.taken_fixed = fixed;
    pmu->settled = false;
}

void simulated_pmu_tasks_end(struct simulated_pmu *pmu, bool (*lives)(pid_t pid))
{
    vec_for_each(&pmu->counters, counter)
        if (counter->open && counter->pid > 0 && !counter->task_ended)
            counter->task_ended = !lives(counter->pid);
}

void simulated_pmu_step_set(struct simulated_pmu *pmu, uint64_t step_ns)
{
    pmu->plan.step_ns = step_ns;
}

double simulated_pmu_truth(const struct simulated_pmu *pmu, uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {.type = type, .config = config};
    const struct simulated_rule *rule = rule_of(pmu, &attr);
    return rule ? pmu->truth[rule - pmu->plan.rules] : 0;
}

uint64_t simulated_pmu_now_ns(const struct simulated_pmu *pmu)
{
    return pmu->now_ns;
}

unsigned simulated_pmu_open_count(const struct simulated_pmu *pmu)
{
    unsigned count = 0;
    vec_for_each(&pmu->counters, counter)
        count += counter->open;
    return count;
}

unsigned simulated_pmu_opens_tried(const struct simulated_pmu *pmu)
{
    return (unsigned)pmu->tried.count;
}

bool simulated_pmu_was_tried(const struct simulated_pmu *pmu, uint32_t type, uint64_t config)
{
    vec_for_each(&pmu->tried, tried)
        if (tried->type == type && tried->config == config)
            return true;
    return false;
}

unsigned simulated_pmu_precise_tried(const struct simulated_pmu *pmu)
{
    unsigned most = 0;
    vec_for_each(&pmu->tried, tried)
        most = tried->precise > most ? tried->precise : most;
    return most;
}
