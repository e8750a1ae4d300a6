/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb pages: which page sizes back a program's memory, and why not larger ones. */
#include "command/pages/pages.h"

#include "analyse/memory/page_coverage.h"
#include "base/json/json_reader.h"
#include "base/scope.h"
#include "base/vec.h"
#include "command/command_table.h"
#include "command/diagnose/diagnose_case.h"
#include "command/options.h"
#include "render/pages/pages.h"
#include "source/live/target.h"
#include "system/host/process_list.h"
#include "system/memory/process_pages_json.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    LEAST_MIB = 2,
    FOLIOS_DRAWN = 4000,
    INTERVAL_MS = 1000,
    PROCESSES_SHOWN = 25,
};

#define FIELD(member) offsetof(struct pages_options, member)

static const struct option_row option_rows[] = {
    {'p', "pid", OPTION_TEXT, FIELD(processes), "PID[,PID...]", "these processes"},
    {'a', "system", OPTION_FLAG, FIELD(system), NULL, "all processes, in a table, and the machine"},
    {0, "vm", OPTION_TEXT, FIELD(machines), "PID|all", "KVM guests: how their memory is mapped, and what backs it"},
    {0, "case", OPTION_TEXT, FIELD(case_folder), "DIR", "the page maps that a diagnosis kept"},
    {0, "folios", OPTION_FLAG, FIELD(folios), NULL,
     "also in folios of which sizes the small pages lie (needs CAP_SYS_ADMIN)"},
    {0, "numa", OPTION_FLAG, FIELD(nodes), NULL, "also on which nodes the memory lies"},
    {0, "exact", OPTION_FLAG, FIELD(exact), NULL, "look at every page for --folios instead of some thousands"},
    {0, "no-why", OPTION_FLAG, FIELD(no_why), NULL,
     "page sizes only, which is several times faster on large processes"},
    {0, "watch", OPTION_FLAG, FIELD(watch), NULL,
     "a line an interval: page sizes, faults, huge pages given, collapsed and split"},
    {'I', "interval", OPTION_U64, FIELD(interval_ms), "MS", "of --watch (default 1000)"},
    {0, "duration", OPTION_DOUBLE, FIELD(seconds), "S",
     "end --watch after that long; with --vm: count so long at which levels KVM sets entries"},
    {0, "all", OPTION_FLAG, FIELD(all), NULL, "show every mapping"},
    {0, "least", OPTION_U64, FIELD(least_mib), "MIB", "show mappings with that much on small pages (default 2)"},
    {0, "sysroot", OPTION_TEXT, FIELD(sysroot), "DIR",
     "read /proc and /sys below it: a folder of plumb doctor --snapshot, or a fixture"},
    {'o', "output", OPTION_TEXT, FIELD(output), "FILE",
     "write there instead of to standard output, which a command may use itself"},
    {'j', "json", OPTION_FLAG, FIELD(json), NULL, "print one JSON document"},
    {0},
};

static bool options_check(const struct pages_options *options, bool has_program, struct error *err)
{
    int ways = (options->processes != NULL) + options->system + (options->case_folder != NULL) +
               (options->machines != NULL) + has_program;
    if (ways != 1)
        return error_set(err, ERROR_USAGE,
                         ways ? "one of -p, --system, --vm, --case and a command, not several"
                              : "whose pages? -p PID, --system, --vm PID|all, --case DIR or a command");
    if (options->exact && !options->folios)
        return error_set(err, ERROR_USAGE, "--exact is about --folios, which is not asked for");
    if (options->watch &&
        (options->system || options->machines || options->case_folder || options->folios || options->nodes))
        return error_set(err, ERROR_USAGE,
                         "--watch follows one process (-p PID) or a command, and shows page sizes only");
    if (!options->watch && (options->interval_ms != INTERVAL_MS || (options->seconds > 0 && !options->machines)))
        return error_set(err, ERROR_USAGE,
                         "--interval is of --watch, --duration of --watch and --vm, which are not asked for");
    if (options->interval_ms < 10 || options->seconds < 0)
        return error_set(err, ERROR_USAGE, "--interval takes 10 ms and more, --duration no less than 0 s");
    if (options->machines && (options->folios || options->nodes))
        return error_set(err, ERROR_USAGE,
                         "--vm takes neither --folios nor --numa: for those, look at the monitor with -p");
    if (options->case_folder && (options->folios || options->nodes))
        return error_set(err, ERROR_USAGE, "--folios and --numa look at running processes; a case keeps neither");
    return true;
}

static void command_name(const struct context *context, pid_t pid, char *name, size_t size)
{
    if (!sysroot_line(context->root, name, size, "/proc/%d/comm", pid))
        snprintf(name, size, "?");
}

static void look_closer(struct pages_take *take, struct page_map *map)
{
    if (take->options->folios) {
        struct page_folios *folios = arena_new(&take->arena, struct page_folios);
        page_folios_read(folios, take->context->root, &map->pages, take->options->exact ? 0 : FOLIOS_DRAWN, 1);
        map->folios = folios;
    }
    if (take->options->nodes) {
        struct page_nodes *nodes = arena_new(&take->arena, struct page_nodes);
        page_nodes_read(nodes, take->context->root, map->pages.pid);
        map->nodes = nodes;
    }
}

bool page_map_take(struct pages_take *take, pid_t pid, struct error *err)
{
    struct page_map map = {.folios = NULL};
    bool full = !take->options->no_why && !take->options->system;
    if (!(full ? process_pages_read : process_pages_read_split)(take->context->root, take->context->kernel, pid,
                                                                &map.pages, &take->arena, err)) {
        *(err->kind == ERROR_PERMISSION ? &take->refused : &take->gone) += 1;
        return false;
    }
    command_name(take->context, pid, map.command, sizeof(map.command));
    if (full)
        huge_page_supply_read(&map.supply, take->context->root, pid, &take->arena);
    look_closer(take, &map);
    *vec_push(&take->maps) = map;
    return true;
}

static bool take_processes(struct pages_take *take, struct error *err)
{
    struct target target;
    const struct target_request request = {.processes = take->options->processes};
    if (!target_resolve(&target, &request, take->context->root, &take->arena, err))
        return false;
    bool good = true;
    for (size_t at = 0; good && at < target.thread_count; at++)
        if (!at || target.threads[at].pid != target.threads[at - 1].pid)
            good = page_map_take(take, target.threads[at].pid, err);
    target_done(&target);
    return good;
}

static bool take_system(struct pages_take *take, struct error *err)
{
    struct process_list list = {0};
    struct error ignored = {0};
    process_list_read(&list, take->context->root);
    for (size_t at = 0; at < list.count; at++)
        (void)page_map_take(take, list.items[at].pid, &ignored);
    process_list_done(&list);
    return take->maps.count || error_set(err, ERROR_PERMISSION, "no process's memory can be read here");
}

/* What the case says of the machine then: this one's policy and free memory are none of its. */
static void case_supply(struct page_map *map)
{
    static const char why[] = "a case doesn't keep it";
    struct fact_number *facts[] = {&map->supply.process_allowed,  &map->supply.free_bytes,
                                   &map->supply.free_block_bytes, &map->supply.group_limit_bytes,
                                   &map->supply.group_used_bytes, &map->supply.empty_most};
    for (size_t at = 0; at < array_count(facts); at++)
        fact_number_absent(facts[at], "%s", why);
}

static bool take_case(struct pages_take *take, struct error *err)
{
    scoped_text struct text text = {0};
    scoped_json struct json_document *document = NULL;
    struct process_pages *pages;
    size_t count;
    const char *path = arena_printf(&take->arena, "%s/pages.json", take->options->case_folder);
    struct sysroot here;
    sysroot_init(&here, NULL);
    if (!sysroot_read(&here, &text, err, "%s", path) ||
        !json_document_parse(&document, text_view(&text), err) ||
        !process_pages_parse(&pages, &count, json_root(document), &take->arena, err))
        return error_wrap(err, "'%s'", path);
    for (size_t at = 0; at < count; at++) {
        struct page_map map = {.pages = pages[at], .command = "as kept"};
        case_supply(&map);
        *vec_push(&take->maps) = map;
    }
    return count || error_set(err, ERROR_NOT_FOUND, "'%s' holds no process", path);
}

static int compare_small(const void *a, const void *b)
{
    const struct page_coverage *left = a, *right = b;
    return (left->sizes.base < right->sizes.base) - (left->sizes.base > right->sizes.base);
}

static const char *note_of(struct pages_take *take)
{
    if (!take->refused)
        return NULL;
    const char *more =
        take->refused == 1 ? "1 more process" : arena_printf(&take->arena, "%zu more processes", take->refused);
    if (geteuid() == 0)
        return arena_printf(&take->arena, "%s could not be looked at, although plumb runs as root", more);
    return arena_printf(
        &take->arena,
        "%s may not be looked at by this user: as root, or with CAP_SYS_PTRACE and CAP_PERFMON, %s counted, too", more,
        take->refused == 1 ? "it is" : "they are");
}

static void word_set(struct fact_word *fact, const char *word)
{
    if (word && word[0])
        fact_word_set(fact, view_of(word));
    else
        fact_word_absent(fact, "the case doesn't say it");
}

/* The policy in force when the case was made. */
static void case_policy(struct huge_page *policy, const struct surroundings *surroundings)
{
    static const char why[] = "a case doesn't keep it";
    *policy = (struct huge_page){.size_count = 0};
    struct fact_number *facts[] = {
        &policy->anonymous_kib,  &policy->shmem_mapped_kib,         &policy->file_kib,
        &policy->reserved_total, &policy->khugepaged_pages_to_scan, &policy->khugepaged_scan_sleep_ms};
    for (size_t at = 0; at < array_count(facts); at++)
        fact_number_absent(facts[at], "%s", why);
    word_set(&policy->enabled, surroundings->thp_enabled);
    word_set(&policy->defrag, surroundings->thp_defrag);
    word_set(&policy->shmem_enabled, surroundings->thp_shmem);
}

/*
 * Of the case beyond its page maps: the machine it was made on, and where its samples went. False: there is nothing
 * else in it.
 */
static bool case_join(struct pages_take *take, struct loaded_case *loaded, struct huge_page *policy,
                      struct page_use *use)
{
    struct error none = {0};
    if (!loaded_case_read(loaded, take->options->case_folder, &none)) {
        case_policy(policy, &(struct surroundings){.thp_enabled = ""});
        return false;
    }
    case_policy(policy, &loaded->surroundings);
    *use = page_use_of(&loaded->stalls, loaded->has_recording ? &loaded->capture.recording : NULL, loaded->pages,
                       loaded->pages_count);
    return true;
}

static struct page_coverage *coverages_of(struct pages_take *take, const struct huge_page *policy)
{
    struct page_coverage *processes = arena_array(&take->arena, struct page_coverage, take->maps.count + 1);
    bool why =
        !take->options->no_why && !take->options->system && !(take->options->case_folder && !policy->enabled.known);
    for (size_t at = 0; at < take->maps.count; at++) {
        const struct page_map *map = &take->maps.items[at];
        processes[at] = page_coverage_of(&map->pages, why ? policy : NULL, &map->supply, &take->arena);
        processes[at].command = map->command;
        processes[at].folios = map->folios;
        processes[at].nodes = map->nodes;
    }
    qsort(processes, take->maps.count, sizeof(*processes), compare_small);
    return processes;
}

static bool report_write(const struct pages_options *options, struct pages_report *report, FILE *file,
                         struct error *err)
{
    scoped_text struct text out = {0};
    struct page page = page_for(&out, file);
    if (!options->json && options->system && !options->all && report->process_count > PROCESSES_SHOWN)
        report->process_count = PROCESSES_SHOWN;
    if (options->json)
        pages_json(&out, report);
    else
        pages_text(&page, report);
    return text_write_file(&out, file) || error_system(err, errno, "can't write the result");
}

static bool show(struct pages_take *take, FILE *file, struct error *err)
{
    const struct pages_options *options = take->options;
    struct huge_page policy;
    struct loaded_case loaded;
    struct page_use use;
    struct huge_page_supply machine = take->maps.items[0].supply;
    bool joined = options->case_folder && case_join(take, &loaded, &policy, &use);
    if (!options->case_folder) {
        huge_page_read(&policy, take->context->root);
        huge_page_supply_read(&machine, take->context->root, take->maps.items[0].pages.pid, &take->arena);
    }
    struct pages_report report = {.processes = coverages_of(take, &policy),
                                  .process_count = take->maps.count,
                                  .policy = &policy,
                                  .supply = &machine,
                                  .least_bytes = options->all ? 0 : options->least_mib << 20,
                                  .seen_at_s = take->seen_at_s,
                                  .is_system = options->system,
                                  .is_case = options->case_folder,
                                  .note = note_of(take),
                                  .use = joined ? &use : NULL,
                                  .stalls = joined ? &loaded.stalls : NULL};
    bool good = report_write(options, &report, file, err);
    if (joined)
        loaded_case_done(&loaded);
    return good;
}

static bool take_maps(struct pages_take *take, char **program, struct error *err)
{
    const struct pages_options *options = take->options;
    return options->processes     ? take_processes(take, err)
           : options->system      ? take_system(take, err)
           : options->case_folder ? take_case(take, err)
                                  : pages_run_program(take, program, err);
}

static bool watch(struct pages_take *take, char **program, FILE *file, struct error *err)
{
    uint64_t pid;
    if (!take->options->processes)
        return pages_watch_program(take, program, file, err);
    if (!view_u64(view_of(take->options->processes), 10, &pid) || !pid || pid > INT32_MAX)
        return error_set(err, ERROR_USAGE, "--watch takes one process id, not '%s'", take->options->processes);
    return pages_watch(take, (pid_t)pid, NULL, file, err);
}

static bool answer(struct pages_take *take, char **program, FILE *file, struct error *err)
{
    if (take->options->watch)
        return watch(take, program, file, err);
    if (take->options->machines)
        return pages_show_machines(take, file, err);
    return take_maps(take, program, err) && show(take, file, err);
}

static bool pages_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct pages_options options = {.least_mib = LEAST_MIB, .interval_ms = INTERVAL_MS};
    int first;
    if (!options_parse(option_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &options, &first, err) ||
        !options_check(&options, first < argc, err))
        return false;
    struct sysroot root;
    struct context elsewhere = *context;
    sysroot_init(&root, options.sysroot);
    if (options.sysroot)
        elsewhere.root = &root;
    struct pages_take take = {.context = &elsewhere, .options = &options, .seen_at_s = -1};
    arena_init(&take.arena);
    scoped_file FILE *file = options.output ? fopen(options.output, "we") : NULL;
    bool good = (!options.output || file || error_system(err, errno, "can't write '%s'", options.output)) &&
                answer(&take, argv + first, file ? file : context->out, err);
    context->exit_code = elsewhere.exit_code;
    vec_done(&take.maps);
    arena_done(&take.arena);
    return good;
}

const struct command command_pages = {
    .name = "pages",
    .summary = "which page sizes back a program's memory, and why not larger ones",
    .usage = "plumb pages [options] -p PID | --system | --vm PID|all | --case DIR | [--] command [arguments]",
    .options = option_rows,
    .run = pages_run,
};
