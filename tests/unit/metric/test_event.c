/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "metric/event.h"

#include <linux/hw_breakpoint.h>
#include <sys/stat.h>

/* A machine in a folder: a core PMU, two uncore PMUs, a few tracepoints. */
static const struct {
    const char *path, *content;
} machine_files[] = {
    {"/sys/bus/event_source/devices/cpu/type", "4\n"},
    {"/sys/bus/event_source/devices/cpu/format/event", "config:0-7\n"},
    {"/sys/bus/event_source/devices/cpu/format/umask", "config:8-15\n"},
    {"/sys/bus/event_source/devices/cpu/format/edge", "config:18\n"},
    {"/sys/bus/event_source/devices/cpu/format/inv", "config:23\n"},
    {"/sys/bus/event_source/devices/cpu/format/cmask", "config:24-31\n"},
    {"/sys/bus/event_source/devices/cpu/format/ldlat", "config1:0-15\n"},
    {"/sys/bus/event_source/devices/cpu/format/split", "config2:0-3,32-35\n"},
    {"/sys/bus/event_source/devices/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
    {"/sys/bus/event_source/devices/power/type", "9\n"},
    {"/sys/bus/event_source/devices/power/cpumask", "0\n"},
    {"/sys/bus/event_source/devices/power/format/event", "config:0-7\n"},
    {"/sys/bus/event_source/devices/power/events/energy-pkg", "event=0x02\n"},
    {"/sys/bus/event_source/devices/power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n"},
    {"/sys/bus/event_source/devices/power/events/energy-pkg.unit", "Joules\n"},
    {"/sys/bus/event_source/devices/uncore_imc_0/type", "20\n"},
    {"/sys/bus/event_source/devices/uncore_imc_0/cpumask", "0,8\n"},
    {"/sys/bus/event_source/devices/uncore_imc_0/format/event", "config:0-7\n"},
    {"/sys/bus/event_source/devices/uncore_imc_1/type", "21\n"},
    {"/sys/bus/event_source/devices/uncore_imc_1/format/event", "config:0-7\n"},
    {"/sys/bus/event_source/devices/uprobe/type", "8\n"},
    {"/sys/kernel/tracing/events/sched/sched_switch/id", "311\n"},
    {"/sys/kernel/tracing/events/sched/sched_wakeup/id", "312\n"},
    {"/sys/kernel/tracing/events/irq/irq_entry/id", "400\n"},
    {"/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n"},
};

static void folders_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

static void file_write(const char *folder, const char *path, const char *content)
{
    char full[512];
    snprintf(full, sizeof(full), "%s%s", folder, path);
    folders_make(full);
    scoped_file FILE *file = fopen(full, "we");
    cr_assert(file, "%s", full);
    fputs(content, file);
}

struct machine {
    char folder[64];
    struct sysroot root;
    struct arena arena;
    struct event_list list;
};

static void machine_init(struct machine *machine)
{
    *machine = (struct machine){.folder = "/tmp/plumb-event-XXXXXX"};
    cr_assert(mkdtemp(machine->folder));
    for (size_t at = 0; at < array_count(machine_files); at++)
        file_write(machine->folder, machine_files[at].path, machine_files[at].content);
    sysroot_init(&machine->root, machine->folder);
}

static void machine_done(struct machine *machine)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -r '%s'", machine->folder);
    cr_assert_eq(system(command), 0);
    event_list_done(&machine->list);
    arena_done(&machine->arena);
}

static bool parse(struct machine *machine, const char *text, struct error *err)
{
    machine->list.count = 0;
    *err = (struct error){0};
    return event_list_parse(&machine->list, text, &machine->root, &machine->arena, err);
}

Test(event, names_and_encodings)
{
    static const struct {
        const char *text, *name;
        uint32_t type;
        uint64_t config, config1, config2;
    } cases[] = {
        {"cycles", "cycles", PERF_TYPE_HARDWARE, 0},
        {"cpu-cycles:u", "cpu-cycles:u", PERF_TYPE_HARDWARE, 0},
        {"branches", "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
        {"cs", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
        {"faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
        {"L1-dcache-load-misses", "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000},
        {"l1d-read-miss", "l1d-read-miss", PERF_TYPE_HW_CACHE, 0x10000},
        {"L1-dcache-loads", "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0},
        {"L1-dcache", "L1-dcache", PERF_TYPE_HW_CACHE, 0},
        {"LLC-store-misses", "LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102},
        {"dTLB-misses", "dTLB-misses", PERF_TYPE_HW_CACHE, 0x10003},
        {"LLC-speculative-read-miss", "LLC-speculative-read-miss", PERF_TYPE_HW_CACHE, 0x10202},
        {"branch-loads", "branch-loads", PERF_TYPE_HW_CACHE, 5},
        {"node-stores", "node-stores", PERF_TYPE_HW_CACHE, 0x106},
        {"r1a8", "r1a8", PERF_TYPE_RAW, 0x1a8},
        {"cpu/event=0x3c,umask=0x1,cmask=2,inv,edge/", "cpu/event=0x3c,umask=0x1,cmask=2,inv,edge/", 4, 0x284013c},
        {"cpu/event=0x3c,name=foo/u", "foo", 4, 0x3c},
        {"cpu/event=0x3c,name='a,b'/", "a,b", 4, 0x3c},
        {"cpu/mem-loads,ldlat=30/", "cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30},
        {"mem-loads", "mem-loads", 4, 0x1cd, 3},
        {"cpu/config=0x1b1,split=0x21/", "cpu/config=0x1b1,split=0x21/", 4, 0x1b1, 0, 0x200000001},
        {"sched:sched_switch", "sched:sched_switch", PERF_TYPE_TRACEPOINT, 311},
        {"sched:sched_switch:k", "sched:sched_switch:k", PERF_TYPE_TRACEPOINT, 311},
        {"uprobe:/bin/x:0x40", "uprobe:/bin/x:0x40", 8, 0, 0, 0x40},
        {"cycles/name=mine/", "mine", PERF_TYPE_HARDWARE, 0},
    };
    struct machine machine;
    machine_init(&machine);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct error err;
        cr_assert(parse(&machine, cases[at].text, &err), "%s: %s", cases[at].text, err.message);
        cr_assert_eq(machine.list.count, 1, "%s", cases[at].text);
        const struct event_spec *event = &machine.list.items[0];
        cr_expect_str_eq(event->name, cases[at].name);
        cr_expect_eq(event->attr.type, cases[at].type, "%s", cases[at].text);
        cr_expect_eq(event->attr.config, cases[at].config, "%s: %llx", cases[at].text, event->attr.config);
        if (event->attr.type != 8)
            cr_expect_eq(event->attr.config1, cases[at].config1, "%s: %llx", cases[at].text, event->attr.config1);
        cr_expect_eq(event->attr.config2, cases[at].config2, "%s: %llx", cases[at].text, event->attr.config2);
    }
    machine_done(&machine);
}

Test(event, mistakes_are_named)
{
    static const struct {
        const char *text;
        enum error_kind kind;
        const char *message, *hint;
    } cases[] = {
        {"cyclse", ERROR_USAGE, "unknown event 'cyclse'", "cycles"},
        {"cs,cyclse", ERROR_USAGE, "unknown event 'cyclse' (column 4 of 'cs,cyclse')", "cycles"},
        {"sched:sched_swich", ERROR_USAGE, "unknown event 'sched:sched_swich'", "sched:sched_switch"},
        {"cycles:z", ERROR_USAGE, "unknown modifier in 'cycles:z'", "ukh"},
        {"cycles:pppp", ERROR_USAGE, "unknown modifier", NULL},
        {"", ERROR_USAGE, "an event is missing", NULL},
        {"cs,", ERROR_USAGE, "an event is missing", NULL},
        {",cs", ERROR_USAGE, "an event is missing", NULL},
        {"{cs,faults", ERROR_USAGE, "without its '}'", NULL},
        {"cs}", ERROR_USAGE, "expected ','", NULL},
        {"{}", ERROR_USAGE, "an event is missing", NULL},
        {"cpu/event=0x3c", ERROR_USAGE, "closing '/'", NULL},
        {"cpu/event=0x1ff/", ERROR_USAGE, "too large", NULL},
        {"cpu/event=zz/", ERROR_USAGE, "'zz' is no number", NULL},
        {"cpu/evnt=1/", ERROR_USAGE, "no event or term 'evnt'", "umask"},
        {"nopmu/event=1/", ERROR_USAGE, "no PMU 'nopmu'", "cpu, power"},
        {"mem:zz:r", ERROR_USAGE, "no address", NULL},
        {"mem:0x10/3:r", ERROR_USAGE, "1, 2, 4 or 8", NULL},
        {"mem:0x10:rq:u", ERROR_USAGE, "r, w and x", NULL},
        {"uprobe:/bin/x", ERROR_USAGE, "form uprobe:PATH:SYMBOL", NULL},
        {"r0400", ERROR_UNSUPPORTED, "fixed counter 3", "crashes"},
        {"r8000", ERROR_UNSUPPORTED, "fixed counter 3", "crashes"},
        {"cpu/event=0,umask=0x83/", ERROR_UNSUPPORTED, "fixed counter 3", "crashes"},
        {"cpu/config=0x400/", ERROR_UNSUPPORTED, "fixed counter 3", "crashes"},
    };
    struct machine machine;
    machine_init(&machine);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct error err;
        cr_expect_not(parse(&machine, cases[at].text, &err), "%s", cases[at].text);
        cr_expect_eq(machine.list.count, 0);
        cr_expect_eq(err.kind, cases[at].kind, "%s: %s", cases[at].text, err.message);
        cr_expect(strstr(err.message, cases[at].message), "%s: %s", cases[at].text, err.message);
        if (cases[at].hint && strcmp(cases[at].hint, "ukh") != 0)
            cr_expect(strstr(err.hint, cases[at].hint), "%s: hint %s", cases[at].text, err.hint);
    }
    /* the same events where sysfs says that the counter is whole */
    struct error err;
    file_write(machine.folder, "/sys/bus/event_source/devices/cpu/events/slots", "event=0x00,umask=0x4\n");
    cr_assert_not(parse(&machine, "slots", &err));
    file_write(machine.folder, "/sys/bus/event_source/devices/cpu/events/topdown-retiring", "event=0x00,umask=0x80\n");
    cr_assert(parse(&machine, "slots,r8000", &err), "%s", err.message);
    machine_done(&machine);
}

Test(event, modifiers_and_groups)
{
    struct machine machine;
    struct error err;
    machine_init(&machine);
    cr_assert(parse(&machine, "cycles:ukp,{cs,faults:k}:uDS,{cycles,instructions}:W,cycles:GI,cycles:P", &err), "%s",
              err.message);
    const struct event_spec *event = machine.list.items;
    cr_assert_eq(machine.list.count, 7);
    cr_assert(!event[0].attr.exclude_user && !event[0].attr.exclude_kernel && event[0].attr.exclude_hv);
    cr_assert(event[0].attr.precise_ip == 1 && event[0].attr.exclude_guest);
    cr_assert_eq(event[0].group, EVENT_NO_GROUP);
    cr_assert(event[1].group == 0 && event[2].group == 0 && event[3].group == 1 && event[4].group == 1);
    cr_assert_str_eq(event[1].name, "cs:u");
    cr_assert(event[1].attr.exclude_kernel && event[1].attr.pinned && !event[2].attr.pinned);
    cr_assert(event[1].sample_read && event[2].sample_read && !event[3].sample_read);
    cr_assert(event[3].weak_group && event[4].weak_group && !event[1].weak_group);
    cr_assert_str_eq(event[3].name, "cycles");
    cr_assert(event[5].attr.exclude_host && !event[5].attr.exclude_guest && event[5].attr.exclude_idle);
    cr_assert(event[6].precise_max && event[6].attr.precise_ip == 3);
    machine_done(&machine);
}

Test(event, globs_prefixes_units_and_probes)
{
    struct machine machine;
    struct error err;
    machine_init(&machine);
    cr_assert(parse(&machine, "sched:*,*:irq_*", &err), "%s", err.message);
    cr_assert_eq(machine.list.count, 3);
    cr_assert_str_eq(machine.list.items[1].name, "sched:sched_wakeup");
    cr_assert_str_eq(machine.list.items[2].name, "irq:irq_entry");

    cr_assert(parse(&machine, "power/energy-pkg/", &err), "%s", err.message);
    cr_assert_str_eq(machine.list.items[0].unit, "Joules");
    cr_assert(machine.list.items[0].scale > 2.3e-10 && machine.list.items[0].scale < 2.4e-10);
    cr_assert_eq(machine.list.items[0].cpu_count, 1);

    cr_assert(parse(&machine, "uncore_imc/event=4/,imc/event=4/", &err), "%s", err.message);
    cr_assert_eq(machine.list.count, 4);
    cr_assert(machine.list.items[0].one_of_several && machine.list.items[0].attr.type == 20);
    cr_assert(machine.list.items[0].cpu_count == 2 && machine.list.items[0].cpus[1] == 8);
    cr_assert_eq(machine.list.items[1].attr.type, 21);

    cr_assert(parse(&machine, "mem:0x1000/8:w:u,mem:0x2000:x,mem:0x3000:k", &err), "%s", err.message);
    event_list_done(&(struct event_list){0});
    const struct event_spec *event = machine.list.items;
    cr_assert(event[0].attr.bp_addr == 0x1000 && event[0].attr.bp_len == 8 && event[0].attr.bp_type == HW_BREAKPOINT_W);
    cr_assert(event[0].attr.exclude_kernel);
    cr_assert(event[1].attr.bp_type == HW_BREAKPOINT_X && event[1].attr.bp_len == sizeof(long));
    cr_assert(event[2].attr.bp_type == HW_BREAKPOINT_RW && event[2].attr.bp_len == 4 && event[2].attr.exclude_user);

    cr_assert(parse(&machine, "uprobe:/lib/libc.so.6:malloc+0x4:u,uretprobe:/bin/x:f", &err), "%s", err.message);
    event = machine.list.items;
    cr_assert_str_eq(event[0].probe_path, "/lib/libc.so.6");
    cr_assert_str_eq(event[0].probe_symbol, "malloc");
    cr_assert(event[0].probe_addend == 4 && event[0].attr.config == 0 && event[0].attr.exclude_kernel);
    cr_assert_eq(event[1].attr.config, 1);
    machine_done(&machine);
}

/* A processor's own names, out of plumb's table for the model that /proc/cpuinfo tells. */
Test(event, names_of_the_processors_own_table)
{
    static const struct {
        const char *text;
        uint64_t config, config1;
        bool user_only;
    } cases[] = {
        {"mem_load_retired.l3_miss", 0x20d1, 0, false},
        {"MEM_LOAD_RETIRED.L3_MISS:u", 0x20d1, 0, true},
        {"frontend_retired.latency_ge_16", 0x1c6, 0x601006, false},
        {"ocr.streaming_wr.any_response", 0x12a, 0x10800, false},
        {"inst_retired.any", 0xc0, 0, false},
        {"uops_executed.cycles_ge_3", 0x30001b1, 0, false},
    };
    char path[256];
    struct sysroot root;
    struct error err = {0};
    if (!test_machine("sapphire-rapids-host", path, sizeof(path)))
        cr_skip_test("no machines were made");
    unsetenv("PLUMB_TABLES");
    sysroot_init(&root, path);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct event_list list = {0};
        struct arena arena = {0};
        cr_assert(event_list_parse(&list, cases[at].text, &root, &arena, &err), "%s: %s", cases[at].text, err.message);
        cr_assert_eq(list.count, 1);
        cr_assert_str_eq(list.items[0].name, cases[at].text);
        cr_assert_eq(list.items[0].attr.config, cases[at].config, "%s: %#llx", cases[at].text,
                     (unsigned long long)list.items[0].attr.config);
        cr_assert_eq(list.items[0].attr.config1, cases[at].config1);
        cr_assert_eq(list.items[0].attr.exclude_kernel, cases[at].user_only);
        event_list_done(&list);
        arena_done(&arena);
    }
    struct event_list list = {0};
    struct arena arena = {0};
    cr_assert_not(event_list_parse(&list, "mem_load_retired.l3_mis", &root, &arena, &err));
    cr_assert(strstr(err.hint, "mem_load_retired.l3_miss"), "%s", err.hint);
    list.tables = "/there/is/no/such/folder";
    cr_assert_not(event_list_parse(&list, "mem_load_retired.l3_miss", &root, &arena, &err));
    cr_assert(strstr(err.message, "/there/is/no/such/folder"), "%s", err.message);
    event_list_done(&list);
    arena_done(&arena);
}
