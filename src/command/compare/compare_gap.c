/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_gap.h"

#include "base/scope.h"
#include "base/vec.h"
#include "capture/exits/exits_input.h"
#include "render/comparison/host_gap.h"

#include <math.h>
#include <stdlib.h>

struct gap_run {
    struct context *context;
    const struct compare_gap_request *request;
    struct arena arena;
    struct gap_case host, guest;
    struct exits host_exits, guest_exits;
    struct exit_table host_table, guest_table;
    struct gap_notes notes;
    enum denominator of;
    struct measured host_work, guest_work;
};

/* ---- what was said ---- */

static bool work_parse(struct gap_run *run, struct error *err)
{
    const char *typed = run->request->options->work;
    double host = 0, guest = 0;
    run->host_work = run->guest_work = not_measured("--work was not given");
    if (!typed)
        return true;
    struct view rest = view_of(typed), first = view_cut(&rest, ',');
    if (!run->request->options->host)
        return error_set(err, ERROR_USAGE, "--work tells two cases' amounts of work: it goes with --host and --guest");
    if (!view_double(view_trim(first), &host) || !view_double(view_trim(rest), &guest) || !(host > 0) || !(guest > 0) ||
        !isfinite(host) || !isfinite(guest))
        return error_set(err, ERROR_USAGE,
                         "--work expects HOST,GUEST: how much work each did, in the same unit, not '%s'", typed);
    run->host_work = measured_as(host);
    run->guest_work = measured_as(guest);
    return true;
}

static bool quantity_parse(struct gap_run *run, struct error *err)
{
    const char *typed = run->request->quantity;
    run->of = typed && strcmp(typed, "cpu") == 0 ? OF_CPU_TIME : OF_ELAPSED;
    if (typed && strcmp(typed, "cpu") != 0 && strcmp(typed, "wall") != 0)
        return error_set(err, ERROR_USAGE, "--host and --guest split elapsed or CPU time: --by wall or cpu, not '%s'",
                         typed);
    return true;
}

static bool options_hold(struct gap_run *run, struct error *err)
{
    const struct compare_gap_options *options = run->request->options;
    if (!options->guest) {
        error_set(err, ERROR_USAGE, "--host without --guest: there is no gap of a host alone");
        return error_hint(err, "--guest CASE alone works, and says what is missing");
    }
    if (options->host_exits && !options->host)
        return error_set(err, ERROR_USAGE, "--host-exits goes with --host");
    if (!(options->exits_seconds >= 0) || !isfinite(options->exits_seconds))
        return error_set(err, ERROR_USAGE, "--exits-seconds expects seconds");
    return work_parse(run, err) && quantity_parse(run, err);
}

/* ---- what was measured ---- */

static bool case_load(struct gap_case *side, const char *name, const char *folder, struct error *err)
{
    side->name = name;
    side->folder = folder;
    side->is_loaded = loaded_case_read(&side->loaded, folder, err);
    return side->is_loaded || error_wrap(err, "the %s's case '%s'", name, folder);
}

/* A table of another tool that the case imported: sums by reason. It says neither how long nor of how many vCPUs. */
static bool exits_imported(struct gap_run *run, const struct gap_case *side, struct exit_table *table)
{
    const struct imported *imported = side->loaded.results.imported;
    struct imported_exits sums = imported_exits_of(imported);
    if (!imported || !sums.count.known)
        return false;
    if (run->request->options->exits_seconds <= 0) {
        gap_note(
            &run->notes, &run->arena,
            "the %s's case imported a table of exits ('%s') that doesn't say over how long: --exits-seconds S uses it",
            side->name, sums.file);
        return false;
    }
    *table = (struct exit_table){.exits = (uint64_t)sums.count.value,
                                 .idle = (uint64_t)sums.idle,
                                 .counted = EXIT_POINT_EXIT,
                                 .seconds = measured_as(run->request->options->exits_seconds),
                                 .vcpu_seconds = not_measured("the table doesn't say of how many vCPUs"),
                                 .is_table = true};
    table->handler_ns = sums.seconds.known ? measured_as(sums.seconds.value * 1e9) : sums.seconds;
    return true;
}

/* A file that was named, else what the case keeps of plumb exits --json. */
static bool exits_load(struct gap_run *run, const struct gap_case *side, const char *file, struct exits *exits,
                       struct exit_table *table, struct gap_side *ret_side, struct error *err)
{
    scoped_free char *kept = memory_printf("%s/exits.json", side->folder);
    struct exits_input input;
    if (!file && !case_part_exists(side->folder, "exits.json")) {
        if (exits_imported(run, side, table)) {
            ret_side->exits = table;
            ret_side->exits_file = "the table that the case imported";
        }
        return true;
    }
    const char *path = file ? file : kept;
    if (!exits_read(exits, &input, path, err))
        return error_wrap(err, "the exits of the %s", side->name);
    struct exit_table_options options = {.seconds = exits->seconds > 0 ? 0 : run->request->options->exits_seconds,
                                         .only_vcpu = -1};
    exit_table_build(table, exits, &options, &run->arena);
    ret_side->exits = table;
    ret_side->exits_file = file ? arena_string(&run->arena, file) : "exits.json of the case";
    return true;
}

static enum gap_backing backing_of_verdict(const char *verdict)
{
    static const struct {
        const char *verdict;
        enum gap_backing backing;
    } rows[] = {
        {"host_huge", GAP_BACKING_HUGE},     {"both_huge", GAP_BACKING_HUGE},     {"host_small", GAP_BACKING_SMALL},
        {"split_by_kvm", GAP_BACKING_SMALL}, {"split_by_nx", GAP_BACKING_SMALL}, {"private_small", GAP_BACKING_SMALL},
        {"skewed", GAP_BACKING_SMALL},       {"logged", GAP_BACKING_SMALL},
    };
    for (size_t at = 0; at < array_count(rows); at++)
        if (strcmp(rows[at].verdict, verdict) == 0)
            return rows[at].backing;
    return GAP_BACKING_UNKNOWN;
}

static bool pages_judge(struct gap_run *run, struct json_value guests, const char *file, enum gap_backing *ret_backing,
                        struct error *err)
{
    size_t count = json_count(guests);
    if (!json_is_list(guests) || !count) {
        error_set(err, ERROR_FORMAT, "'%s' tells of no guest", file);
        return error_hint(err, "plumb pages --vm PID --json writes such a file, on the host while the guest runs");
    }
    enum gap_backing backing = backing_of_verdict(json_text_or(json_member(json_item(guests, 0), "verdict"), ""));
    for (size_t at = 1; at < count; at++)
        if (backing_of_verdict(json_text_or(json_member(json_item(guests, at), "verdict"), "")) != backing) {
            error_set(err, ERROR_FORMAT, "'%s' tells of %zu guests whose pages differ", file, count);
            return error_hint(err, "plumb pages --vm PID --json writes of one guest alone");
        }
    const char *sentence = json_text_or(json_member(json_item(guests, 0), "sentence"), "");
    if (backing == GAP_BACKING_UNKNOWN)
        gap_note(&run->notes, &run->arena, "--guest-pages doesn't tell which pages stand behind the guest: %s",
                 sentence);
    *ret_backing = backing;
    return true;
}

static bool pages_load(struct gap_run *run, enum gap_backing *ret_backing, struct error *err)
{
    enum { BYTES_MOST = 64 << 20 };
    const char *file = run->request->options->guest_pages;
    struct sysroot anywhere;
    sysroot_init(&anywhere, NULL);
    scoped_text struct text content = {0};
    scoped_json struct json_document *document = NULL;
    if (!file)
        return true;
    scoped_free char *whole = realpath(file, NULL);
    if (!whole)
        return error_set(err, ERROR_NOT_FOUND, "there is no '%s'", file);
    if (!sysroot_read(&anywhere, &content, err, "%s", whole))
        return error_wrap(err, "--guest-pages");
    if (content.length > BYTES_MOST)
        return error_set(err, ERROR_FORMAT, "'%s' is too large for what plumb pages writes", file);
    if (!json_document_parse(&document, text_view(&content), err))
        return error_wrap(err, "--guest-pages '%s'", file);
    return pages_judge(run, json_member(json_root(document), "guests"), file, ret_backing, err);
}

/*
 * The guest's own probe, where no host's file tells: it saw some of the memory, which is enough to say small, and too
 * little to say huge.
 */
static void backing_of_probe(struct gap_side *guest)
{
    const struct guest_costs *probed = guest->results->guest;
    if (guest->backing != GAP_BACKING_UNKNOWN) {
        guest->backing_from = "--guest-pages";
    } else if (probed && probed->backing.verdict == HOST_BACKING_SMALL) {
        guest->backing = GAP_BACKING_SMALL;
        guest->backing_from = "by latency, guest.json";
    }
}

/* ---- how long a run of it took ---- */

static struct interval cpu_of_runs(const struct run_spread *runs)
{
    scoped_free double *values = memory_alloc(memory_product(runs->count + 1, sizeof(*values)));
    size_t count = 0;
    for (size_t at = 0; at < runs->count; at++) {
        const struct run_row *row = &runs->rows[at];
        if (row->exit_code == 0 && !row->interrupted && row->user_s.known && row->system_s.known)
            values[count++] = row->user_s.value + row->system_s.value;
    }
    return median_interval(values, count);
}

static void whole_find(struct gap_run *run, const struct gap_case *side, struct gap_side *ret_side)
{
    const struct results *results = &side->loaded.results;
    const struct run_spread *runs = results->runs;
    struct measured time = run->of == OF_CPU_TIME ? side->loaded.run.cpu_s : side->loaded.run.elapsed_s;
    if (runs && runs->count)
        ret_side->whole_s = run->of == OF_CPU_TIME ? cpu_of_runs(runs) : runs->median_s;
    else if (time.known && time.value > 0)
        ret_side->whole_s = interval_exactly(time.value);
    if (!ret_side->whole_s.known)
        ret_side->why_no_whole = time.why_not ? time.why_not : "no run of it ended well";
    bool whole_work = strcmp(side->loaded.manifest.scope, "started") == 0 && side->loaded.manifest.child_ended;
    if (run->guest_work.known || whole_work || !run->request->options->host)
        return;
    ret_side->whole_s = (struct interval){0};
    ret_side->why_no_whole =
        arena_printf(&run->arena,
                     "the %s's program was watched for a while, not from its start to its end: --work HOST,GUEST "
                     "tells how much each did",
                     side->name);
}

static bool side_find(struct gap_run *run, struct gap_case *side, const char *exits_file, struct exits *exits,
                      struct exit_table *table, struct gap_side *ret_side, struct error *err)
{
    *ret_side = (struct gap_side){.results = &side->loaded.results, .scale = 1};
    whole_find(run, side, ret_side);
    return exits_load(run, side, exits_file, exits, table, ret_side, err);
}

/* ---- what is shown ---- */

static void runs_note(struct gap_run *run, const struct gap_case *side)
{
    if (!side->loaded.results.runs)
        gap_note(&run->notes, &run->arena,
                 "one run in the %s's case: how far runs differ isn't known, and the gap's interval leaves it out "
                 "(plumb diagnose --runs 9)",
                 side->name);
}

static struct gap_side_report side_report(const struct gap_case *side, struct measured work)
{
    return (struct gap_side_report){.folder = side->folder,
                                    .command = side->loaded.manifest.command,
                                    .surroundings = side->loaded.results.surroundings,
                                    .runs = side->loaded.results.runs ? side->loaded.results.runs->count : 1,
                                    .work = work};
}

static void gap_print(struct gap_run *run, const struct host_gap *gap)
{
    scoped_text struct text out = {0};
    struct page page = page_for(&out, run->context->out);
    struct gap_side_report host = {0};
    if (gap->has_host) {
        host = side_report(&run->host, run->host_work);
        runs_note(run, &run->host);
        runs_note(run, &run->guest);
        gap_note(&run->notes, &run->arena,
                 "both times were taken while plumb sampled: its interrupts cost a guest more than a host");
    }
    struct gap_report report = {.gap = gap,
                                .host = gap->has_host ? &host : NULL,
                                .guest = side_report(&run->guest, run->guest_work),
                                .notes = run->notes.items,
                                .note_count = run->notes.count};
    if (run->request->json)
        host_gap_json(&out, &report, &run->arena);
    else
        host_gap_text(&page, &report, &run->arena);
    fputs(text_string(&out), run->context->out);
}

static bool is_small(const struct host_gap *gap)
{
    double most = gap->effect * gap->host_s.mid;
    return gap->gap_s.known && gap->gap_s.high < most && gap->gap_s.low > -most;
}

static bool gap_make(struct gap_run *run, struct error *err)
{
    const struct compare_gap_options *options = run->request->options;
    struct gap_side host, guest;
    struct host_gap gap;
    bool both = options->host != NULL;
    if (!case_load(&run->guest, "guest", options->guest, err) ||
        (both && !case_load(&run->host, "host", options->host, err)) ||
        !compare_gap_check(both ? &run->host : NULL, &run->guest, run->request->force, &run->notes, &run->arena, err) ||
        !side_find(run, &run->guest, options->guest_exits, &run->guest_exits, &run->guest_table, &guest, err) ||
        (both && !side_find(run, &run->host, options->host_exits, &run->host_exits, &run->host_table, &host, err)) ||
        !pages_load(run, &guest.backing, err))
        return false;
    backing_of_probe(&guest);
    if (both && run->host_work.known)
        host.scale = run->guest_work.value / run->host_work.value;
    struct gap_request request = {
        .host = both ? &host : NULL, .guest = &guest, .of = run->of, .effect = run->request->effect};
    host_gap_split(&gap, &request, &run->arena);
    gap_print(run, &gap);
    run->context->exit_code = gap.leading == GAP_CAUSE_COUNT && !is_small(&gap) ? EXIT_CODE_INCONCLUSIVE : EXIT_CODE_OK;
    return true;
}

bool compare_gap_run(struct context *context, const struct compare_gap_request *request, struct error *err)
{
    struct gap_run *run = memory_alloc(sizeof(*run));
    *run = (struct gap_run){.context = context, .request = request};
    arena_init(&run->arena);
    exits_init(&run->host_exits);
    exits_init(&run->guest_exits);
    bool good = options_hold(run, err) && gap_make(run, err);
    if (run->host.is_loaded)
        loaded_case_done(&run->host.loaded);
    if (run->guest.is_loaded)
        loaded_case_done(&run->guest.loaded);
    exits_done(&run->host_exits);
    exits_done(&run->guest_exits);
    arena_done(&run->arena);
    free(run);
    return good;
}
