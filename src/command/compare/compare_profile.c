/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_profile.h"

#include "analyse/code/instructions.h"
#include "analyse/profile/hottest.h"
#include "base/scope.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "capture/case/case_folder.h"
#include "command/recording/recording_input.h"
#include "experiment/profiling_runner.h"
#include "probe/skid.h"
#include "probe/skid_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FREQUENCY = 2000
};

static const char *const labels[] = {"A", "B"};

static bool folder_new(char **ret_folder, struct error *err)
{
    const char *place = getenv("TMPDIR");
    scoped_free char *folder = memory_printf("%s/plumb-compare.XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder))
        return error_system(err, errno, "can't make a folder for profiles ('%s')", folder);
    *ret_folder = memory_string(folder);
    return true;
}

static void folder_remove(const struct profiling_setup *setup, const struct profile_request *request)
{
    for (size_t block = 0; block < request->blocks; block++) {
        scoped_free char *of_a = profiling_runner_path(setup, block, labels[0]);
        scoped_free char *of_b = profiling_runner_path(setup, block, labels[1]);
        unlink(of_a);
        unlink(of_b);
    }
    rmdir(setup->folder);
}

/*
 * The program itself has the same name in both: two builds of it in files of different names are what one compares.
 * Pages that a process wrote itself are called after the process, which is another one in each run.
 */
static const char *file_shown(const struct recording *recording, const struct dso *dso,
                              const struct experiment_arm *arm)
{
    const char *slash = strrchr(arm->argv[0], '/'), *name = strings_text(&recording->strings, dso->name);
    if (dso->kind == DSO_ANONYMOUS)
        return "generated code";
    return strcmp(name, slash ? slash + 1 : arm->argv[0]) == 0 ? "(the program)" : name;
}

/* Where what is found goes: one run's place in the profiles. */
struct sampled_run {
    struct run_profiles *profiles;
    size_t block;
    bool is_b;
    const struct experiment_arm *arm;
    double cpu_s;               /* of the run; 0: its samples are FREQUENCY a second */
    double seconds_per_sample;
    uint32_t event;             /* the one that samples time; a case has others, such as switches */
    bool lands_one_late;        /* behind the instruction that stalled, as diagnose places it */
};

static const char *symbol_name(struct symboliser *symboliser, const struct hot_symbol *hot)
{
    bool named = hot->symbol_id != SYMBOL_NONE;
    return named ? symboliser_symbol(symboliser, hot->symbol_id)->name : "(unnamed code)";
}

/* The widest vectors of the innermost loop around: which instruction of it got the sample is chance. */
static enum vector_width loop_width(const struct instructions *in, size_t row)
{
    enum vector_width widest = instruction_vector_width(&in->rows[row].instruction);
    if (in->rows[row].loop == LOOP_NONE)
        return widest;
    const struct code_loop *loop = &in->loops[in->rows[row].loop];
    for (uint32_t at = loop->first; at <= loop->last; at++) {
        enum vector_width width = instruction_vector_width(&in->rows[at].instruction);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static const char *width_label(enum vector_width width)
{
    static const char *const names[VECTOR_WIDTH_COUNT] = {
        [VECTOR_WIDTH_NONE] = "code without vectors",    [VECTOR_WIDTH_SCALAR] = "scalar floating point",
        [VECTOR_WIDTH_64] = "code on 64-bit vectors",    [VECTOR_WIDTH_128] = "code on 128-bit vectors",
        [VECTOR_WIDTH_256] = "code on 256-bit vectors",  [VECTOR_WIDTH_512] = "code on 512-bit vectors",
        [VECTOR_WIDTH_SCALABLE] = "code on scalable vectors"};
    return names[width];
}

/* In code that has no name its place means nothing in the next run: its text does, without where it jumps. */
static void instruction_label(struct text *out, const struct instructions *in, const struct instruction_row *row,
                              bool named)
{
    const char *text = row->text ? row->text : "?";
    if (named)
        text_printf(out, "%s+0x%llx ", in->symbol, (unsigned long long)(row->dso_addr - in->rows[0].dso_addr));
    size_t length = !named && row->instruction.has_target ? strcspn(text, " ") : strlen(text);
    bool blank = false;
    for (size_t at = 0; at < length; at++) { /* the columns of a listing are one blank here */
        bool is_blank = text[at] == ' ' || text[at] == '\t';
        if (!is_blank || !blank)
            text_add_char(out, is_blank ? ' ' : text[at]);
        blank = is_blank;
    }
}

/* Of the event that samples time. */
static double weight_of(const struct sampled_run *run, const struct instructions *in, const double *weights, size_t row)
{
    double weight = 0;
    for (size_t event = 0; event < in->event_count; event++)
        weight += in->events[event].event == run->event ? weights[row * in->event_count + event] : 0;
    return weight;
}

static void add_instructions(const struct sampled_run *run, const struct instructions *in, bool named, const char *file)
{
    uint64_t outside = 0;
    for (size_t event = 0; event < in->event_count; event++)
        outside += in->events[event].event == run->event ? in->events[event].outside : 0;
    for (size_t row = 0; row < in->row_count; row++) {
        double sampled = weight_of(run, in, in->sampled, row), stalled = weight_of(run, in, in->stalled, row);
        scoped_text struct text label = {0};
        instruction_label(&label, in, &in->rows[row], named);
        if (stalled > 0)
            profile_difference_add(&run->profiles->instructions, run->block, run->is_b, text_string(&label), file,
                                   stalled * run->seconds_per_sample);
        if (sampled > 0)
            profile_difference_add(&run->profiles->widths, run->block, run->is_b, width_label(loop_width(in, row)), "",
                                   sampled * run->seconds_per_sample);
    }
    if (outside)
        profile_difference_add(&run->profiles->widths, run->block, run->is_b, "code that was not read", "",
                               (double)outside * run->seconds_per_sample);
}

/* Functions are looked into from this share of a run's samples on. */
static const double look_share_least = 0.02;

enum {
    LOOKS_MOST = 16
};

static bool look_into(const struct sampled_run *run, const struct instructions_request *request, bool named,
                      const char *file)
{
    struct instructions in;
    struct error why = {0}; /* code that can't be had is one of the widths */
    if (!instructions_analyse(&in, request, &why))
        return false;
    bool sampled = in.event_count > 0;
    if (sampled)
        add_instructions(run, &in, named, file);
    instructions_done(&in);
    return sampled;
}

static void add_symbols(const struct sampled_run *run, const struct capture *capture, struct symboliser *symboliser,
                        uint64_t total)
{
    const struct recording *recording = &capture->recording;
    scoped_free struct hot_symbol *symbols = NULL;
    size_t count = hot_symbols(recording, symboliser, run->event, &symbols), looks = 0;
    scoped(code_samples_done) struct code_samples samples;
    code_samples_init(&samples, recording);
    for (size_t at = 0; at < count; at++) {
        uint32_t index = recording->samples.locations[symbols[at].location].dso;
        const struct dso *dso = &recording->spaces.dsos[index];
        const char *file = file_shown(recording, dso, run->arm);
        double seconds = (double)symbols[at].samples * run->seconds_per_sample;
        profile_difference_add(&run->profiles->functions, run->block, run->is_b, symbol_name(symboliser, &symbols[at]),
                               file, seconds);
        struct instructions_request request = {.recording = recording,
                                               .symboliser = symboliser,
                                               .samples = &samples,
                                               .symbol_id = symbols[at].symbol_id,
                                               .location = symbols[at].location,
                                               .with_text = true,
                                               .skid_one = run->lands_one_late,
                                               .by_number = true};
        bool wanted = looks < LOOKS_MOST && seconds >= look_share_least * (double)total * run->seconds_per_sample;
        looks += wanted;
        if (!wanted || !look_into(run, &request, symbols[at].symbol_id != SYMBOL_NONE, file))
            profile_difference_add(&run->profiles->widths, run->block, run->is_b, "code that was not read", "",
                                   seconds);
    }
}

/* Which binaries a run loaded, as facts: the program, the C library, each with its build id. */

struct binary_fact {
    const char *name, *path, *build_id;
};

struct binaries {
    struct binary_fact *items;
    size_t count, capacity;
};

static const char *build_id_text(const struct build_id *id, struct arena *arena)
{
    const char *text = "";
    for (size_t at = 0; at < id->size_bytes; at++)
        text = arena_printf(arena, "%s%02x", text, id->bytes[at]);
    return text;
}

/* "x86-64-v3" of …/glibc-hwcaps/x86-64-v3/libfoo.so: which of several builds the loader chose. */
static const char *level_of(const char *path, struct arena *arena)
{
    const char *folder = strstr(path, "/glibc-hwcaps/");
    if (!folder)
        return "";
    folder += strlen("/glibc-hwcaps/");
    return arena_printf(arena, ", built for %.*s", (int)strcspn(folder, "/"), folder);
}

static void binaries_take(struct binaries *binaries, const struct recording *recording,
                          const struct experiment_arm *arm, struct arena *arena)
{
    for (size_t at = 0; at < recording->spaces.dso_count; at++) {
        const struct dso *dso = &recording->spaces.dsos[at];
        const char *path = strings_text(&recording->strings, dso->path);
        if (dso->kind != DSO_FILE || path[0] != '/')
            continue;
        const char *name = arena_string(arena, file_shown(recording, dso, arm));
        *vec_push(binaries) = (struct binary_fact){name, arena_printf(arena, "%s%s", path, level_of(path, arena)),
                                                   build_id_text(&dso->build_id, arena)};
    }
}

static const struct binary_fact *binary_named(const struct binaries *binaries, const char *name)
{
    vec_for_each(binaries, binary)
        if (strcmp(binary->name, name) == 0)
            return binary;
    return NULL;
}

static void binaries_differ(struct fact_differences *facts, struct arena *arena, const struct binaries *a,
                            const struct binaries *b)
{
    vec_for_each(a, of_a) {
        const struct binary_fact *of_b = binary_named(b, of_a->name);
        bool ids_known = of_b && *of_a->build_id && *of_b->build_id;
        bool same =
            of_b && (ids_known ? strcmp(of_a->build_id, of_b->build_id) == 0 : strcmp(of_a->path, of_b->path) == 0);
        if (same)
            continue;
        const char *name = arena_printf(arena, "%s%s", of_a->name, ids_known ? ", build id" : "");
        *vec_push(facts) = (struct fact_difference){.name = name,
                                                    .a = ids_known ? of_a->build_id : of_a->path,
                                                    .b = !of_b       ? "not loaded"
                                                         : ids_known ? of_b->build_id
                                                                     : of_b->path,
                                                    .declared = true};
    }
    vec_for_each(b, of_b)
        if (!binary_named(a, of_b->name))
            *vec_push(facts) =
                (struct fact_difference){.name = of_b->name, .a = "not loaded", .b = of_b->path, .declared = true};
}

static uint32_t time_event(const struct recording *recording)
{
    static const char *const names[] = {"cpu-clock", "task-clock", "cycles", "cpu-cycles"};
    for (uint32_t at = 0; at < recording->event_count; at++)
        for (size_t name = 0; name < array_count(names); name++)
            if (recording->events[at].name &&
                strncmp(recording->events[at].name, names[name], strlen(names[name])) == 0)
                return at;
    return 0;
}

static uint64_t samples_of(const struct recording *recording, uint32_t event)
{
    uint64_t count = 0;
    for (size_t at = 0; at < recording->samples.count; at++)
        if (recording->samples.items[at].event == event)
            count += recording->samples.items[at].alike + 1;
    return count;
}

static bool add_profile(const struct context *context, struct sampled_run *run, const char *path,
                        struct binaries *binaries, struct arena *arena, struct error *err)
{
    struct recording_input input = RECORDING_INPUT_DEFAULTS;
    struct source *source = NULL;
    struct capture capture;
    struct capture_options options = {.keep_samples = true, .stacks = STACKS_NONE};
    input.path = path;
    if (!recording_input_open(&input, &source, err))
        return false;
    capture_init(&capture);
    struct recording_names names = {.input = &input, .context = context, .capture = &capture, .source = source};
    bool good = capture_fill_with(&capture, source, &options, err) && recording_names_begin(&names, err);
    run->event = time_event(&capture.recording);
    uint64_t samples = good ? samples_of(&capture.recording, run->event) : 0;
    run->seconds_per_sample = run->cpu_s > 0 && samples ? run->cpu_s / (double)samples : 1.0 / FREQUENCY;
    if (good)
        add_symbols(run, &capture, names.symboliser, samples);
    if (good && run->block == 0)
        binaries_take(binaries, &capture.recording, run->arm, arena);
    recording_names_done(&names);
    capture_done(&capture);
    source->ops->close(source);
    return good;
}

static char *view_text(struct view view, struct arena *arena)
{
    return arena_printf(arena, "%.*s", (int)view.length, view.length ? view.text : "");
}

/* Where the recording of a block is; owner: the caller (free). */
typedef char *profile_path(const void *context, size_t block, bool is_b);

struct profile_reading {
    const struct context *context;
    const struct experiment_arm *a, *b;
    size_t blocks;
    profile_path *path;
    const void *path_context;
    const double *cpu_s; /* of the runs of A, then of B; NULL: FREQUENCY samples a second */
    struct fact_differences *facts;
    struct arena *arena;
    bool lands_one_late[2]; /* samples of A, of B */
};

static bool read_profiles(const struct profile_reading *reading, struct run_profiles *profiles, struct error *err)
{
    struct binaries binaries[2] = {{0}, {0}};
    bool good = true;
    for (size_t at = 0; good && at < 2 * reading->blocks; at++) {
        bool is_b = at % 2;
        size_t block = at / 2;
        scoped_free char *path = reading->path(reading->path_context, block, is_b);
        struct sampled_run run = {
            .profiles = profiles, .block = block, .is_b = is_b, .arm = is_b ? reading->b : reading->a};
        run.lands_one_late = reading->lands_one_late[is_b];
        run.cpu_s = reading->cpu_s ? reading->cpu_s[is_b ? reading->blocks + block : block] : 0;
        good = add_profile(reading->context, &run, path, &binaries[is_b], reading->arena, err);
    }
    if (good && reading->blocks)
        binaries_differ(reading->facts, reading->arena, &binaries[0], &binaries[1]);
    vec_done(&binaries[0]);
    vec_done(&binaries[1]);
    profile_difference_finish(&profiles->functions, reading->blocks);
    profile_difference_finish(&profiles->instructions, reading->blocks);
    profile_difference_finish(&profiles->widths, reading->blocks);
    return good;
}

/* What runs here were sampled by, by the self-test's verdict of this boot, or measured now. */
static bool samples_land_one_late(const struct context *context)
{
    enum skid_verdict verdict;
    struct skid_result result;
    if (skid_cache_read(context->root, &verdict))
        return verdict == SKID_ONE;
    if (!skid_measure(context->kernel, SKID_OF_CPU_CLOCK, SKID_WHOLE, &result, NULL))
        return false;
    skid_cache_write(context->root, result.verdict);
    return result.verdict == SKID_ONE;
}

static char *path_of_block(const void *context, size_t block, bool is_b)
{
    return profiling_runner_path(context, block, labels[is_b]);
}

static char *path_in_case(const void *context, size_t block, bool is_b)
{
    const struct saved_profiles *saved = context;
    const char *folder = is_b ? saved->case_b : saved->case_a;
    return block ? memory_printf("%s/perf.data.%zu", folder, block + 1) : memory_printf("%s/perf.data", folder);
}

/* What the self-test beside its runs said; a case without one is read as it was sampled. */
static bool case_lands_one_late(const char *folder)
{
    static const char file[] = "costs.json";
    scoped_json struct json_document *document = NULL;
    struct error why = {0};
    if (!case_part_exists(folder, file) || !case_part_json(folder, file, &document, &why))
        return false;
    return json_truth_or(json_member(json_member(json_root(document), "skid"), "one_behind"), false);
}

bool compare_profile_cases(const struct context *context, const struct saved_profiles *saved,
                           struct run_profiles *profiles, struct error *err)
{
    struct view command_a = view_of(saved->command_a), command_b = view_of(saved->command_b);
    char *argv_a[] = {view_text(view_word(&command_a), saved->arena), NULL};
    char *argv_b[] = {view_text(view_word(&command_b), saved->arena), NULL};
    struct experiment_arm a = {.argv = argv_a}, b = {.argv = argv_b};
    struct profile_reading reading = {.context = context,
                                      .a = &a,
                                      .b = &b,
                                      .blocks = saved->runs,
                                      .path = path_in_case,
                                      .path_context = saved,
                                      .cpu_s = saved->cpu_s,
                                      .facts = saved->facts,
                                      .arena = saved->arena,
                                      .lands_one_late = {case_lands_one_late(saved->case_a),
                                                         case_lands_one_late(saved->case_b)}};
    return read_profiles(&reading, profiles, err);
}

bool compare_profile(const struct context *context, const struct profile_request *request,
                     struct run_profiles *profiles, struct error *err)
{
    scoped_free char *folder = NULL;
    if (!folder_new(&folder, err))
        return false;
    size_t blocks = request->blocks;
    struct experiment_arm arms[] = {*request->a, *request->b};
    arms[0].label = labels[0]; /* the files' names: the user's may differ in what no file name can hold */
    arms[1].label = labels[1];
    struct profiling_setup setup = {.kernel = context->kernel,
                                    .root = context->root,
                                    .folder = folder,
                                    .prepare = request->prepare,
                                    .frequency = FREQUENCY};
    struct experiment_request experiment = {.arms = arms,
                                            .arm_count = 2,
                                            .seed = request->seed,
                                            .keep_failed = request->keep_failed,
                                            .runner = profiling_runner_interface(&setup),
                                            .policy = experiment_policy_fixed(&blocks)};
    scoped(experiment_result_done) struct experiment_result result = {0};
    bool late = samples_land_one_late(context);
    bool good = experiment_run_blocks(&experiment, &result, err) &&
                read_profiles(&(struct profile_reading){.context = context,
                                                        .a = request->a,
                                                        .b = request->b,
                                                        .blocks = result.table.block_count,
                                                        .path = path_of_block,
                                                        .path_context = &setup,
                                                        .facts = request->facts,
                                                        .arena = request->arena,
                                                        .lands_one_late = {late, late}},
                              profiles, err);
    folder_remove(&setup, request);
    return good;
}
