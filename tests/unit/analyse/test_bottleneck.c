/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each rule of the estimate on stalls made up for it: loops written instruction by instruction, samples where they would fall. */
#include "test.h"

#include "analyse/bottleneck/bottleneck.h"
#include "analyse/bottleneck/code_index.h"
#include "analyse/bottleneck/crowd.h"
#include "analyse/bottleneck/dependence.h"
#include "analyse/bottleneck/footprint.h"
#include "analyse/bottleneck/loop_look.h"
#include "analyse/bottleneck/recoverable.h"
#include "analyse/bottleneck/stepped.h"
#include "analyse/bottleneck/thresholds.h"
#include "base/text.h"
#include "loop_code.h"
#include "model/recording.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MOST = 260,
    FUNCTIONS_MOST = 3,
    ADDRESSES = 1000,
    SAMPLES = 1000,
};

struct made_up {
    struct arena arena;
    struct stalls stalls;
    struct stall_function functions[FUNCTIONS_MOST];
    struct stall_code codes[FUNCTIONS_MOST];
    struct instruction rows[FUNCTIONS_MOST][ROWS_MOST];
    uint64_t hits[FUNCTIONS_MOST][ROWS_MOST], sampled[FUNCTIONS_MOST][ROWS_MOST];
    uint16_t marks[FUNCTIONS_MOST][ROWS_MOST];
    struct loop_rows loops[FUNCTIONS_MOST][ROWS_MOST];
    struct stall_address addresses[2 * ADDRESSES];
    struct recording recording;
    struct bottleneck_machine machine;
    struct access_costs costs;
    struct bottleneck result;
};

static void make_up(struct made_up *made)
{
    memset(made, 0, sizeof(*made));
    arena_init(&made->arena);
    made->machine = (struct bottleneck_machine){
        .l1_bytes = 32 << 10, .l2_bytes = 1 << 20, .caches_known = true, .base_page_bytes = 4096};
    made->stalls = (struct stalls){.attributed = true, .functions = made->functions, .codes = made->codes,
                                   .addresses = made->addresses};
    recording_init(&made->recording);
}

static void function_begin(struct made_up *made, const char *name)
{
    size_t at = made->stalls.function_count++;
    made->functions[at] = (struct stall_function){.name = name, .dso = "a.out", .dso_path = "/a.out", .has_code = true};
    made->codes[at] = (struct stall_code){.items = made->rows[at], .hits = made->hits[at], .sampled = made->sampled[at],
                                          .marks = made->marks[at], .loops = made->loops[at], .tried = true, .marked = true};
}

/* Its samples fall on the row behind it. */
static struct instruction *row_add(struct made_up *made, enum instruction_class class, uint64_t stalled)
{
    size_t function = made->stalls.function_count - 1;
    struct stall_code *code = &made->codes[function];
    struct instruction *row = &code->items[code->count];
    *row = (struct instruction){
        .addr = 0x1000 * (function + 1) + code->count * 4,
        .length = 4,
        .class = class,
        .falls_through = true,
        .step_register = REGISTER_NONE,
        .step_by = REGISTER_NONE,
        .reads = class == INSTRUCTION_INT,
        .memory = {.base = REGISTER_NONE, .index = REGISTER_NONE, .segment = REGISTER_NONE, .scale = 1}};
    code->hits[code->count] = stalled;
    code->sampled[code->count + 1] += stalled;
    code->count++;
    made->functions[function].samples += stalled;
    made->functions[function].attributed += stalled;
    made->stalls.sample_count += stalled;
    made->stalls.user_samples += stalled;
    made->stalls.attributed_samples += stalled;
    return row;
}

static struct instruction *access_add(struct made_up *made, enum instruction_class class, uint8_t base, uint64_t stalled)
{
    struct instruction *row = row_add(made, class, stalled);
    row->is_load = class != INSTRUCTION_STORE;
    row->is_store = class == INSTRUCTION_STORE || class == INSTRUCTION_UPDATE;
    row->memory.is_present = true;
    row->memory.base = base;
    row->memory.size_bytes = 8;
    row->reads = (uint64_t)1 << base;
    return row;
}

/* A branch back to the first row: all of it is a loop, whose head follows it. */
static void loop_close(struct made_up *made, uint64_t stalled)
{
    size_t function = made->stalls.function_count - 1;
    struct instruction *jump = row_add(made, INSTRUCTION_BRANCH, stalled);
    struct stall_code *code = &made->codes[function];
    jump->has_target = true;
    jump->target = code->items[0].addr;
    code->sampled[0] += stalled;
    code->sampled[code->count] -= stalled;
    for (size_t at = 0; at < code->count; at++)
        code->loops[at] = (struct loop_rows){0, (uint32_t)code->count - 1};
}

/* Addresses of a row, in no order, over so many bytes, each at the beginning of a line. */
static void addresses_add(struct made_up *made, uint32_t row, uint64_t over_bytes)
{
    uint64_t state = 88172645463325252u;
    for (int at = 0; at < ADDRESSES; at++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        made->addresses[made->stalls.address_count++] = (struct stall_address){
            .time_ns = (uint64_t)at * 333000, .addr = (1ull << 40) + state % (over_bytes / 64) * 64,
            .function = (uint32_t)made->stalls.function_count - 1, .instruction = row};
    }
}

static const struct bottleneck_verdict *verdict_of(struct made_up *made)
{
    const struct bottleneck_request request = {
        .stalls = &made->stalls, .recording = &made->recording, .machine = &made->machine, .costs = &made->costs};
    bottleneck_find(&made->result, &request, &made->arena);
    return &made->result.program;
}

static void done(struct made_up *made)
{
    recording_done(&made->recording);
    arena_done(&made->arena);
}

static void expect(struct made_up *made, enum bottleneck_class class, enum bottleneck_cause cause)
{
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_str_eq(bottleneck_class_name(verdict->class), bottleneck_class_name(class), "%s, because %s",
                     bottleneck_class_name(verdict->class), verdict->why_not);
    cr_assert_eq(verdict->cause, cause, "%s", bottleneck_subclass_name(verdict->cause));
    if (class == BOTTLENECK_RETIRING || class == BOTTLENECK_MIXED)
        return;
    const struct interval *gain = &verdict->recoverable;
    cr_assert(gain->known && verdict->recoverable_how, "a cause can be removed");
    bool is_open = verdict->sampled.known && verdict->share.low <= 0; /* all of it at a border: it may be nothing */
    cr_assert((gain->low > 0 || is_open) && gain->low <= gain->mid && gain->mid <= gain->high && gain->high <= 1);
}

/* A pointer chase over so much memory. */
static void chase(struct made_up *made, uint64_t over_bytes)
{
    make_up(made);
    function_begin(made, "walk");
    struct instruction *load = access_add(made, INSTRUCTION_LOAD, 3, SAMPLES - 10);
    load->writes = 1 << 3;
    row_add(made, INSTRUCTION_INT, 10);
    loop_close(made, 0);
    addresses_add(made, 0, over_bytes);
}

/* Down the columns of a matrix, one after the other: steps are multiples of 32 KiB and 64 bytes, on pages of either size. */
static void columns(struct made_up *made, bool on_huge_pages)
{
    enum { STRIDE = (32 << 10) + 64, ROWS = 8192 };
    make_up(made);
    function_begin(made, "columns");
    access_add(made, INSTRUCTION_LOAD, 3, SAMPLES - 10);
    row_add(made, INSTRUCTION_INT, 10);
    loop_close(made, 0);
    for (uint64_t at = 0; at < ADDRESSES; at++)
        made->addresses[made->stalls.address_count++] = (struct stall_address){
            .time_ns = at * 333000, .addr = (1ull << 40) + at * 2654435761u % ROWS * STRIDE + at / 4 * 64, .instruction = 0,
            .on_base_page = !on_huge_pages, .on_huge_page = on_huge_pages};
}

Test(bottleneck, a_prefetch_that_keeps_a_loop_waiting_waits_for_memory)
{
    for (int waits = 0; waits < 2; waits++) {
        struct made_up *made = calloc(1, sizeof(*made));
        make_up(made);
        function_begin(made, "join");
        for (int at = 0; at < 8; at++)
            row_add(made, INSTRUCTION_INT, waits ? 20 : 100);
        struct instruction *ahead = access_add(made, INSTRUCTION_PREFETCH, 3, waits ? 800 : 100);
        ahead->is_load = false;
        loop_close(made, 40);
        enum bottleneck_class class = verdict_of(made)->class;
        cr_assert_eq(class == BOTTLENECK_MEMORY, waits, "%s", bottleneck_class_name(class));
        done(made);
        free(made);
    }
}

/* One line in each of 8192 pages: no TLB holds the translations, and few sets of the caches the lines; then the same lines side by side. */
Test(bottleneck, lines_far_apart_wait_for_translations)
{
    enum { PAGES = 8192 };
    static const uint64_t apart[] = {4096, 64};
    for (int at = 0; at < 2; at++) {
        struct made_up *made = calloc(1, sizeof(*made));
        chase(made, 64);
        uint64_t state = 88172645463325252u;
        for (int each = 0; each < ADDRESSES; each++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            made->addresses[each].addr = (1ull << 40) + state % PAGES * apart[at];
            made->addresses[each].on_base_page = true;
        }
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->cause, at ? CAUSE_L2 : CAUSE_TLB, "%s", bottleneck_subclass_name(verdict->cause));
        if (!at)
            cr_assert(verdict->confidence == ESTIMATE_MEDIUM && strstr(verdict->why_not, "share few sets"), "%s", verdict->why_not);
        done(made);
        free(made);
    }
}

/* As many translations as there are small pages, or 128 of huge ones: every TLB holds these. */
Test(bottleneck, huge_pages_leave_no_translation_to_wait_for)
{
    struct made_up made;
    columns(&made, false);
    expect(&made, BOTTLENECK_MEMORY, CAUSE_TLB);
    bool says = false; /* of what the lines are: a column, not the matrix */
    for (size_t at = 0; at < made.result.program.evidence_count; at++)
        says |= strncmp(made.result.program.evidence[at].text, "in a pass by steps of", strlen("in a pass by steps of")) == 0;
    cr_expect(says);
    done(&made);
    columns(&made, true);
    expect(&made, BOTTLENECK_MEMORY, CAUSE_PARALLEL_MISSES);
    done(&made);
}

/* What the program waits for overwrote its own address; a pointer beside it is loaded from one place, which says nothing of where the wait goes. */
static bool evidence_says(const struct bottleneck_verdict *verdict, const char *wanted)
{
    bool says = false;
    for (size_t at = 0; at < verdict->evidence_count; at++)
        says |= strstr(verdict->evidence[at].text, wanted) != NULL;
    return says;
}

/* What a probe of the very pattern saved on huge pages says more than how many pages it goes over. */
Test(bottleneck, pages_that_a_probe_found_to_return_nothing_are_not_waited_for)
{
    static const struct {
        const char *function;
        uint64_t instruction;
        double ratio_low;
        enum bottleneck_cause cause;
    } cases[] = {{"columns", 0x1000, 0.97, CAUSE_PARALLEL_MISSES},
                 {"columns", 0x1000, 0.8, CAUSE_TLB},
                 {"columns", 0x3000, 0.97, CAUSE_TLB},
                 {"rows", 0x1000, 0.97, CAUSE_TLB}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        columns(&made, false);
        struct access_cost cost = {.known = true,
                                   .function = cases[at].function,
                                   .instruction = cases[at].instruction,
                                   .ns_small = interval_exactly(7.5),
                                   .ns_huge = interval_exactly(7.4),
                                   .ratio = interval_of(cases[at].ratio_low, 0.99, 1.02)};
        made.costs = (struct access_costs){.items = &cost, .count = 1};
        expect(&made, BOTTLENECK_MEMORY, cases[at].cause);
        cr_expect_eq(evidence_says(&made.result.program, "on 2 MiB pages"), cases[at].cause != CAUSE_TLB);
        done(&made);
    }
}

/* 8192 lines 64 KiB apart, on a core with 64 and 1024 sets: 1 and 16 of them; 72 KiB apart, all of a page's eighth. */
Test(bottleneck, lines_of_a_column_share_few_sets)
{
    struct arena arena;
    arena_init(&arena);
    struct bottleneck_machine machine = {.l1_bytes = 48 << 10, .l2_bytes = 1 << 20, .l1_sets = 64, .l2_sets = 1024};
    struct reach reach = {.known = true,
                          .level = LEVEL_BEYOND,
                          .is_crowded = true,
                          .crowding = 64,
                          .lines_bytes = 512 << 10,
                          .set = {.stride_bytes = 64 << 10}};
    struct bottleneck_crowd crowd = crowd_of(&reach, &machine);
    cr_assert(crowd.lines == 8192 && crowd.l1_used == 1 && crowd.l2_used == 16 && crowd.step_bytes == 65536);
    const char *text = crowd_text(&reach, &machine, "48 KiB and 1 MiB", &arena);
    cr_expect_str_eq(text,
                     "which the second cache has room for (48 KiB and 1 MiB), but they share 16 of its 1024 sets");
    machine.l1_sets = machine.l2_sets = 0; /* an older case */
    cr_expect(strstr(crowd_text(&reach, &machine, "", &arena), "few of its sets"));
    cr_expect(crowd_of(&reach, &machine).lines == 8192 && crowd_of(&reach, &machine).l2_used == 0);
    reach.is_crowded = false;
    cr_expect_eq(crowd_of(&reach, &machine).lines, 0);
    reach.is_crowded = true;
    reach.set.one_place_in_stride = true; /* granules of an allocator, in no order: nobody pads these */
    cr_expect_eq(crowd_of(&reach, &machine).lines, 0);
    arena_done(&arena);
}

Test(bottleneck, a_few_known_addresses_do_not_speak_for_the_hidden_ones)
{
    static uint32_t lost[ROWS_MOST];
    for (unsigned hidden = 0; hidden < 2; hidden++) {
        struct made_up made;
        make_up(&made);
        function_begin(&made, "walk");
        access_add(&made, INSTRUCTION_LOAD, 3, 60);
        struct instruction *load = access_add(&made, INSTRUCTION_LOAD, 4, SAMPLES - 70);
        load->writes = 1 << 4;
        made.marks[0][1] = MARK_ADDRESSED;
        row_add(&made, INSTRUCTION_INT, 10);
        loop_close(&made, 0);
        addresses_add(&made, 0, 16 << 10);
        lost[1] = hidden ? SAMPLES - 70 : 0;
        made.codes[0].lost = lost;
        (void)verdict_of(&made);
        double near = made.result.masses[CAUSE_L1_LATENCY];
        cr_expect(hidden ? near < 0.2 : near > 0.8, "hidden %u: %f, %s", hidden, near, bottleneck_class_name(made.result.program.class));
        done(&made);
    }
}

/* A chase of which no address is known: how long its turns take says where it goes. */
static enum bottleneck_level level_paced(double cycles, uint32_t branches, double both_ways)
{
    struct region region = {0};
    struct loop_look look = {.region = &region};
    look.resources.bound = (struct loop_bound){.known = true, .cycles = 6, .chain = {.cycles = 6, .kind_cycles = {[CHAIN_LOAD] = 5, [CHAIN_OTHER] = 1}}};
    look.pace.measured_cycles = measured_as(cycles);
    look.guesses.branches = branches;
    look.guesses.both_ways = both_ways;
    return loop_look_level(&look);
}

/* A look-up by loaded indices of which no address is known: what it waits for, beside quick instructions. */
Test(bottleneck, a_load_without_addresses_is_placed_by_its_pace)
{
    static const struct {
        double cycles, bound, share;
        uint32_t branches;
        bool is_lower, waits;
    } cases[] = {
        {38, 1.3, 0.9, 0, false, true},   /* as measured: 100 MiB, several misses at a time */
        {12, 1.3, 0.9, 0, false, false},  /* the second cache, or the third with several at a time */
        {38, 1.3, 0.5, 0, false, false},  /* half of the samples wait elsewhere */
        {130, 100, 0.9, 0, false, false}, /* a shared core, and a chain */
        {38, 1.3, 0.9, 1, false, false},  /* a branch may be guessed wrong */
        {38, 1.3, 0.9, 0, true, false},   /* it may take more than is known of it */
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_look look = {0};
        look.pace.measured_cycles = measured_as(cases[at].cycles);
        look.resources.bound = (struct loop_bound){.known = true, .is_lower = cases[at].is_lower, .cycles = cases[at].bound};
        look.guesses.branches = cases[at].branches;
        cr_expect_eq(loop_look_waits_beyond(&look, cases[at].share), cases[at].waits, "%zu", at);
    }
    struct loop_look unpaced = {.pace.measured_cycles = not_measured("no rate"), .resources.bound = {.known = true, .cycles = 1}};
    cr_expect_not(loop_look_waits_beyond(&unpaced, 1));
}

Test(bottleneck, a_chase_without_addresses_is_placed_by_its_pace)
{
    cr_assert_eq(level_paced(6.5, 0, 0), LEVEL_L1);
    cr_assert_eq(level_paced(15, 0, 0), LEVEL_L2);
    cr_assert_eq(level_paced(386, 0, 0), LEVEL_BEYOND);
    cr_assert_eq(level_paced(26, 0, 0), LEVEL_NONE, "neither");
    cr_assert_eq(level_paced(15, 1, 0), LEVEL_NONE, "a branch may be guessed wrong now and then");
    cr_assert_eq(level_paced(386, 1, 0.9), LEVEL_NONE, "it goes both ways");
}

Test(bottleneck, a_locked_operation_is_its_own_cause)
{
    struct made_up made;
    make_up(&made);
    function_begin(&made, "count");
    struct instruction *add = access_add(&made, INSTRUCTION_ATOMIC, 3, SAMPLES - 10);
    add->is_store = true;
    row_add(&made, INSTRUCTION_INT, 10);
    loop_close(&made, 0);
    expect(&made, BOTTLENECK_CORE, CAUSE_ATOMIC);
    cr_assert_eq(made.result.program.confidence, ESTIMATE_HIGH);
    done(&made);
    /* The same where threads take turns at its line: what is waited for may be the other thread. */
    make_up(&made);
    function_begin(&made, "count");
    add = access_add(&made, INSTRUCTION_ATOMIC, 3, SAMPLES - 10);
    add->is_store = true;
    row_add(&made, INSTRUCTION_INT, 10);
    loop_close(&made, 0);
    made.stalls.contended_samples = SAMPLES;
    cr_assert_eq(verdict_of(&made)->confidence, ESTIMATE_LOW);
    done(&made);
}

/* A tight loop, too short to show how evenly it is met, that waits for a load of which no address is known: it isn't busy. */
Test(bottleneck, what_waits_for_the_unknown_is_not_busy)
{
    struct made_up made;
    make_up(&made);
    function_begin(&made, "walk");
    access_add(&made, INSTRUCTION_LOAD, 3, SAMPLES - 10)->writes = 1 << 3;
    loop_close(&made, 10);
    const struct bottleneck_verdict *verdict = verdict_of(&made);
    cr_assert_eq(verdict->class, BOTTLENECK_UNKNOWN, "%s", bottleneck_class_name(verdict->class));
    done(&made);
}

/* Nearly all of a short run in one loop of quick instructions: too few samples to tell wrong guesses from none. */
Test(bottleneck, a_short_run_is_not_busy_for_want_of_samples)
{
    struct made_up made;
    make_up(&made);
    function_begin(&made, "turns");
    for (int at = 0; at < 6; at++)
        row_add(&made, INSTRUCTION_INT, 25);
    loop_close(&made, 0);
    const struct bottleneck_verdict *verdict = verdict_of(&made);
    cr_assert_eq(verdict->class, BOTTLENECK_UNKNOWN, "%s", bottleneck_class_name(verdict->class));
    cr_expect_float_eq(made.result.lack.share, 1, 1e-9, "%g", made.result.lack.share);
    cr_expect_eq(made.result.lack.runs, 2, "%u", made.result.lack.runs);
    done(&made);
}

/* What enough samples tell nothing of more of them don't tell, either; fewer than any estimate needs lack all. */
Test(bottleneck, more_samples_are_asked_for_where_they_are_few)
{
    static const struct {
        uint64_t samples; /* of a row of six */
        double share;
        unsigned runs;
    } cases[] = {{40, 0, 0}, {20, 1, 2}, {10, 1, 4}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        function_begin(&made, "turns");
        for (int row = 0; row < 6; row++)
            row_add(&made, INSTRUCTION_INT, cases[at].samples);
        loop_close(&made, 0);
        (void)verdict_of(&made);
        cr_expect_float_eq(made.result.lack.share, cases[at].share, 1e-9, "%zu: %g", at, made.result.lack.share);
        cr_expect_eq(made.result.lack.runs, cases[at].runs, "%zu: %u", at, made.result.lack.runs);
        done(&made);
    }
}

/* ---- what ran ---- */

Test(bottleneck, a_trace_bounds_what_wrong_guesses_take)
{
    struct trace_summary trace = {.bursts = 5, .instructions = 20000, .code_lines = 8};
    trace.all.per_1000 = interval_of(60, 66, 70);
    trace.conditional.per_1000 = interval_of(60, 66, 70);
    trace.indirect.per_1000 = interval_of(0, 0, 1);
    struct stepped stepped = stepped_of(&trace);
    cr_assert(stepped.known);
    cr_assert_not(stepped.is_indirect);
    cr_assert_gt(stepped.guessed.low, 0.4);
    cr_assert_lt(stepped.guessed.high, 0.9);
    cr_assert_not(stepped.fetched.known, "misses that weren't told aren't none");
    trace.all.per_1000 = interval_of(0, 0, 0);
    cr_assert_eq(stepped_of(&trace).guessed.high, 0);
    trace.bursts = 2;
    cr_assert_not(stepped_of(&trace).known, "two bursts may have missed what it does at other times");
    cr_assert_not(stepped_of(NULL).known);
}

/* ---- much code ---- */

enum { SPREAD_FUNCTIONS = 64, SPREAD_ROWS = 64 };

struct much_code {
    struct made_up made;
    struct stall_function functions[SPREAD_FUNCTIONS];
    struct stall_code codes[SPREAD_FUNCTIONS];
    struct instruction rows[SPREAD_FUNCTIONS][SPREAD_ROWS];
    uint64_t counts[SPREAD_FUNCTIONS][3][SPREAD_ROWS];
    uint16_t marks[SPREAD_FUNCTIONS][SPREAD_ROWS];
    struct loop_rows loops[SPREAD_FUNCTIONS][SPREAD_ROWS];
};

/* Functions of 8 lines of 8 instructions; one sample falls into each line: on its first instruction, or anywhere in turn. */
static struct much_code *much_code_new(bool at_lines)
{
    struct much_code *much = calloc(1, sizeof(*much));
    make_up(&much->made);
    struct stalls *stalls = &much->made.stalls;
    stalls->functions = much->functions;
    stalls->codes = much->codes;
    stalls->function_count = SPREAD_FUNCTIONS;
    for (size_t at = 0; at < SPREAD_FUNCTIONS; at++) {
        struct stall_code *code = &much->codes[at];
        much->functions[at] = (struct stall_function){.name = "part", .dso = "a.out", .dso_path = "/a.out", .has_code = true};
        *code = (struct stall_code){.items = much->rows[at], .hits = much->counts[at][0], .sampled = much->counts[at][1],
                                    .marks = much->marks[at], .loops = much->loops[at], .count = SPREAD_ROWS, .tried = true, .marked = true};
        for (size_t row = 0; row < SPREAD_ROWS; row++) {
            code->items[row] = (struct instruction){.addr = 0x10000 * (at + 1) + row * 8, .length = 8, .class = INSTRUCTION_INT, .falls_through = true,
                .memory = {.base = REGISTER_NONE, .index = REGISTER_NONE, .segment = REGISTER_NONE, .scale = 1}};
            code->loops[row].first = UINT32_MAX;
        }
        for (size_t line = 0; line < SPREAD_ROWS / 8; line++) {
            size_t row = line * 8 + (at_lines ? 0 : (line + at) % 8);
            code->sampled[row]++;
            code->hits[row ? row - 1 : 0]++;
            much->functions[at].samples++;
            much->functions[at].attributed++;
            stalls->sample_count++;
            stalls->user_samples++;
            stalls->attributed_samples++;
        }
    }
    stalls->met_lines = stalls->single_lines = stalls->sample_count;
    stalls->double_lines = 40;
    return much;
}

static struct footprint footprint_find(struct much_code *much)
{
    const struct bottleneck_request request = {
        .stalls = &much->made.stalls, .recording = &much->made.recording, .machine = &much->made.machine};
    return footprint_of(&request);
}

static void much_code_free(struct much_code *much)
{
    done(&much->made);
    free(much);
}

/* Which of its rows run isn't known of code that is in no loop: tables between functions look like code, too. */
Test(bottleneck, units_are_counted_in_loops_alone)
{
    for (int is_loop = 0; is_loop < 2; is_loop++) {
        struct made_up *made = calloc(1, sizeof(*made));
        make_up(made);
        function_begin(made, "multiplies");
        for (int row = 0; row < 12; row++)
            row_add(made, INSTRUCTION_INT, SAMPLES / 12)->is_store = row % 3;
        if (is_loop)
            loop_close(made, 0);
        cr_expect_eq(verdict_of(made)->cause == CAUSE_PORTS, is_loop, "%d", is_loop);
        done(made);
        free(made);
    }
}

/* Much code, each piece with a few samples: no piece stands for it, and no figure of nothing is evidence. */
Test(bottleneck, code_in_small_pieces_names_no_piece)
{
    struct much_code *much = much_code_new(false);
    for (size_t at = 0; at < SPREAD_FUNCTIONS; at++)
        for (size_t row = 0; row < SPREAD_ROWS; row++)
            much->codes[at].items[row].class = INSTRUCTION_MUL;
    const struct bottleneck_verdict *verdict = verdict_of(&much->made);
    cr_assert_eq(verdict->cause, CAUSE_PORTS);
    cr_assert_null(verdict->function, "each holds one in 64: %s", verdict->function);
    for (size_t at = 0; at < verdict->evidence_count; at++)
        cr_assert_neq(strncmp(verdict->evidence[at].text, "0 %", 3), 0, "%s", verdict->evidence[at].text);
    much_code_free(much);
}

/* Each of many functions adds to the same place: a store is long done when another turn comes to its own. */
Test(bottleneck, much_code_that_counts_in_one_place_waits_for_nothing_certain)
{
    struct much_code *much = much_code_new(false);
    for (size_t at = 0; at < SPREAD_FUNCTIONS; at++)
        for (size_t row = 0; row < SPREAD_ROWS; row++) {
            struct instruction *here = &much->codes[at].items[row];
            here->class = INSTRUCTION_UPDATE;
            here->is_load = here->is_store = here->memory.is_present = true;
            here->memory.base = 3;
        }
    (void)verdict_of(&much->made);
    cr_assert_eq(much->made.result.masses[CAUSE_STORE_FORWARDING], 0);
    much_code_free(much);
}

/*
 * Calls every other instruction: code comes in at three of four, so that few are left to show how samples fall evenly. Four in five
 * samples fall there, which shows a quarter of the wait at most; the pieces are quick by themselves.
 */
static struct much_code *calls_new(uint64_t in_line)
{
    struct much_code *much = much_code_new(true);
    for (size_t at = 0; at < SPREAD_FUNCTIONS; at++) {
        struct stall_code *code = &much->codes[at];
        for (size_t line = 0; line < SPREAD_ROWS / 8; line++) {
            code->items[line * 8 + 1].class = code->items[line * 8 + 3].class = INSTRUCTION_CALL;
            if ((at * 8 + line) % 5)
                continue;
            code->sampled[line * 8]--;
            code->sampled[line * 8 + 6]++;
            code->hits[line ? line * 8 - 1 : 0]--;
            code->hits[line * 8 + 5]++;
        }
    }
    much->made.stalls.line_pairs = (double)in_line;
    return much;
}

Test(bottleneck, code_that_comes_in_everywhere_is_waited_for_by_what_is_quick)
{
    struct much_code *much = calls_new(0);
    struct footprint footprint = footprint_find(much);
    cr_assert(footprint_waits(&footprint) && footprint.is_hidden, "%.2f", footprint.starts_expected);
    cr_assert_lt(footprint.waited.mid, 0.4);
    const struct bottleneck_verdict *verdict = verdict_of(&much->made);
    cr_assert_eq(verdict->class, BOTTLENECK_FRONTEND, "%s", bottleneck_class_name(verdict->class));
    cr_assert_lt(verdict->confidence, ESTIMATE_HIGH);
    much_code_free(much);
    much = calls_new(1000); /* pairs that a tenth of it, used alike, would make: some of it is met again and again, and stays */
    footprint = footprint_find(much);
    cr_assert_not(footprint.is_hidden);
    much_code_free(much);
}

Test(bottleneck, code_beyond_the_second_cache_hides_a_part_of_its_wait)
{
    struct much_code *much = much_code_new(true);
    much->made.machine.l2_bytes = 512 << 10;
    cr_assert(footprint_find(much).is_hidden);
    much->made.machine.l2_bytes = 2 << 20;
    cr_assert_not(footprint_find(much).is_hidden);
    much_code_free(much);
}

/* Nine of ten samples fall in code that isn't known. */
Test(bottleneck, what_a_tenth_of_the_samples_tells_is_not_likely)
{
    struct much_code *much = calls_new(1000000);
    much->made.stalls.sample_count *= 10;
    much->made.stalls.user_samples *= 10;
    const struct bottleneck_verdict *verdict = verdict_of(&much->made);
    cr_assert_eq(verdict->class, BOTTLENECK_RETIRING, "%s", bottleneck_class_name(verdict->class));
    cr_assert_eq(verdict->confidence, ESTIMATE_LOW);
    cr_assert(strstr(verdict->why_not, "nothing could be told"), "%s", verdict->why_not);
    much_code_free(much);
}

Test(bottleneck, few_lines_met_twice_make_no_endless_code)
{
    struct much_code *much = much_code_new(true);
    much->made.stalls.double_lines = 0;
    struct footprint footprint = footprint_find(much);
    cr_assert_lt(footprint.bytes, 1 << 20, "%.0f", footprint.bytes);
    cr_assert(footprint.is_least);
    much_code_free(much);
}

/* Samples show that nearly all waits for code; what ran misses too rarely for more than three fifths. */
Test(bottleneck, no_more_waits_for_code_than_what_ran_allows)
{
    struct much_code *much = much_code_new(true);
    struct trace_summary trace = {.bursts = 5, .instructions = 20000, .code_lines = 8};
    trace.all.per_1000 = trace.conditional.per_1000 = interval_of(0, 0, 1);
    trace.line_misses = interval_of(20, 22, 25);
    const struct bottleneck_request request = {
        .stalls = &much->made.stalls, .recording = &much->made.recording, .machine = &much->made.machine, .trace = &trace};
    bottleneck_find(&much->made.result, &request, &much->made.arena);
    const struct bottleneck_verdict *verdict = &much->made.result.program;
    cr_assert_eq(verdict->class, BOTTLENECK_FRONTEND);
    cr_assert_leq(verdict->share.high, 0.61, "%.3f", verdict->share.high);
    much_code_free(much);
}

/* A machine whose nearest cache for code holds more isn't waiting for as much. */
Test(bottleneck, the_nearest_cache_is_this_machines)
{
    struct much_code *much = much_code_new(true);
    much->made.machine.code_bytes = 4 << 20;
    struct footprint footprint = footprint_find(much);
    cr_assert_not(footprint_waits(&footprint));
    cr_assert_eq(footprint.cache_bytes, 4 << 20);
    much_code_free(much);
}

/* The branch at the end of a loop, of which samples stand at the head and behind it. */
Test(bottleneck, the_way_back_to_a_loops_head_is_no_guess_that_goes_both_ways)
{
    struct much_code *much = much_code_new(false);
    for (size_t at = 0; at < SPREAD_FUNCTIONS; at++) {
        struct stall_code *code = &much->codes[at];
        struct instruction *row = &code->items[SPREAD_ROWS - 4];
        row->class = INSTRUCTION_BRANCH;
        row->has_target = true;
        row->target = code->items[8].addr;
        code->sampled[8] += 20;
        code->sampled[SPREAD_ROWS - 3] += 20;
    }
    much->made.stalls.user_samples = much->made.stalls.sample_count += SPREAD_FUNCTIONS * 40;
    cr_assert_lt(footprint_find(much).guessed, 0.05);
    much_code_free(much);
}

Test(bottleneck, waits_for_code_where_samples_fall_on_lines_of_much_code)
{
    struct much_code *much = much_code_new(true);
    struct footprint footprint = footprint_find(much);
    cr_assert(footprint_waits(&footprint));
    cr_assert_gt(footprint.waited.low, 0.7);
    cr_assert_gt(footprint.bytes, 128 << 10, "lines that no sample met count too: %.0f", footprint.bytes);
    much_code_free(much);
}

Test(bottleneck, waits_for_no_code_where_samples_fall_evenly)
{
    struct much_code *much = much_code_new(false);
    struct footprint footprint = footprint_find(much);
    cr_assert_not(footprint_waits(&footprint), "%.3f", footprint.waited.mid);
    much_code_free(much);
}

Test(bottleneck, waits_for_no_code_that_the_cache_holds)
{
    struct much_code *much = much_code_new(true);
    much->made.stalls.single_lines = 2; /* every line was met again and again: there are no others */
    much->made.stalls.met_lines = 256;
    struct footprint footprint = footprint_find(much);
    cr_assert_not(footprint_waits(&footprint), "%.0f bytes", footprint.bytes);
    much_code_free(much);
}

/* Every line's sample falls behind a branch: one that always goes on is code that comes late, one that goes both ways a guess. */
static void branches_add(struct much_code *much, bool both)
{
    for (size_t at = 0; at < SPREAD_FUNCTIONS; at++)
        for (size_t line = 0; line + 1 < SPREAD_ROWS / 8; line++) {
            struct instruction *row = &much->codes[at].items[line * 8 + 2];
            uint64_t *sampled = &much->codes[at].sampled[line * 8];
            row->class = INSTRUCTION_BRANCH;
            row->has_target = true;
            row->target = row->addr + 3 * 8;
            sampled[0] = sampled[1] = sampled[2] = sampled[3] = sampled[4] = sampled[5] = sampled[6] = sampled[7] = 0;
            sampled[3] = both ? 1 : 2;
            sampled[5] = both ? 1 : 0;
        }
    much->made.stalls.user_samples = much->made.stalls.sample_count *= 2;
}

Test(bottleneck, guesses_wrong_only_where_branches_go_both_ways)
{
    for (int both = 0; both < 2; both++) {
        struct much_code *much = much_code_new(true);
        branches_add(much, both);
        struct footprint footprint = footprint_find(much);
        if (both)
            cr_assert_gt(footprint.guessed, 0.4, "%.3f", footprint.guessed);
        else
            cr_assert_lt(footprint.guessed, 0.05, "%.3f", footprint.guessed);
        cr_assert_eq(footprint_waits(&footprint) && footprint.waited.mid > 0.5, !both, "%.3f", footprint.waited.mid);
        much_code_free(much);
    }
}

Test(bottleneck, a_chase_beyond_the_caches_waits_for_memory)
{
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 512 << 20);
    expect(made, BOTTLENECK_MEMORY, CAUSE_LATENCY);
    cr_assert_eq(made->result.program.level, LEVEL_BEYOND);
    cr_assert_eq(made->result.program.confidence, ESTIMATE_HIGH);
    cr_assert(made->result.program.share.known && made->result.program.share.low > 0.9);
    cr_assert(made->result.program.evidence_count >= 2);
    done(made);
    free(made);
}

Test(bottleneck, the_same_within_the_first_cache_is_the_cores)
{
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 16 << 10);
    expect(made, BOTTLENECK_CORE, CAUSE_L1_LATENCY);
    cr_assert_eq(made->result.program.level, LEVEL_L1);
    cr_assert_lt(made->result.program.confidence, ESTIMATE_HIGH, "looks like memory: never sure");
    done(made);
    chase(made, 300 << 10);
    expect(made, BOTTLENECK_MEMORY, CAUSE_L2);
    done(made);
    free(made);
}

/* Loads whose addresses are computed. */
static void gather(struct made_up *made, uint64_t over_bytes, bool prefetched)
{
    make_up(made);
    function_begin(made, "pick");
    row_add(made, prefetched ? INSTRUCTION_PREFETCH : INSTRUCTION_INT, 5);
    struct instruction *load = access_add(made, INSTRUCTION_LOAD_OP, 3, SAMPLES - 10);
    load->writes = 1 << 5;
    row_add(made, INSTRUCTION_INT, 5);
    loop_close(made, 0);
    addresses_add(made, 1, over_bytes);
}

Test(bottleneck, computed_addresses_miss_side_by_side)
{
    struct made_up *made = calloc(1, sizeof(*made));
    gather(made, 512 << 20, false);
    expect(made, BOTTLENECK_MEMORY, CAUSE_PARALLEL_MISSES);
    cr_assert_eq(made->result.program.confidence, ESTIMATE_HIGH);
    done(made);
    gather(made, 512 << 20, true);
    expect(made, BOTTLENECK_MEMORY, CAUSE_PARALLEL_MISSES);
    cr_assert_lt(made->result.program.confidence, ESTIMATE_HIGH, "what is asked for ahead may have come");
    done(made);
    free(made);
}

/* Of 4 MiB in the end, and a window of 64 KiB at any time (a compressor's): what is looked up lies in the second cache. */
Test(bottleneck, a_window_that_moves_lies_in_the_second_cache)
{
    struct made_up *made = calloc(1, sizeof(*made));
    gather(made, 64 << 10, false);
    for (uint64_t at = 0; at < ADDRESSES; at++)
        made->addresses[at].addr += at * 64 * 64;
    expect(made, BOTTLENECK_MEMORY, CAUSE_L2);
    cr_assert_eq(made->result.program.level, LEVEL_L2);
    bool is_said = false;
    for (size_t at = 0; at < made->result.program.evidence_count; at++)
        is_said |= strstr(made->result.program.evidence[at].text, "at any time over") != NULL;
    cr_assert(is_said);
    for (uint64_t at = 0; at < ADDRESSES; at++)
        made->addresses[at].addr = (1ull << 40) + at * 7919 % ADDRESSES * 64 * 64;
    expect(made, BOTTLENECK_MEMORY, CAUSE_PARALLEL_MISSES);
    done(made);
    free(made);
}

Test(bottleneck, a_division_is_the_dividers)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "rest");
    row_add(made, INSTRUCTION_DIV, SAMPLES - 100)->divides = true;
    row_add(made, INSTRUCTION_INT, 100);
    loop_close(made, 0);
    expect(made, BOTTLENECK_CORE, CAUSE_DIVIDE);
    done(made);
    free(made);
}

static bool evidence_says(const struct bottleneck_verdict *verdict, const char *wanted);

/* A sum of quotients stands at the addition; without a division before it, the same is the addition's own matter. */
Test(bottleneck, arithmetic_that_needs_a_quotient_waits_for_the_divider)
{
    for (int divided = 0; divided < 2; divided++) {
        struct made_up *made = calloc(1, sizeof(*made));
        make_up(made);
        function_begin(made, "harmonic");
        row_add(made, divided ? INSTRUCTION_FP_DIV : INSTRUCTION_FP, 60)->divides = divided;
        row_add(made, INSTRUCTION_FP, SAMPLES - 60);
        loop_close(made, 0);
        made->marks[0][1] = divided ? MARK_DIVIDED : 0;
        enum bottleneck_cause cause = verdict_of(made)->cause;
        cr_assert_eq(cause, divided ? CAUSE_DIVIDE : CAUSE_FP, "%s", bottleneck_subclass_name(cause));
        done(made);
        free(made);
    }
}

/* Divisions that wait for one another are no matter of how many the unit takes in. */
Test(bottleneck, a_chain_of_divisions_is_said_as_one)
{
    for (int chained = 0; chained < 2; chained++) {
        struct made_up *made = calloc(1, sizeof(*made));
        make_up(made);
        function_begin(made, "rest");
        row_add(made, INSTRUCTION_DIV, SAMPLES - 100)->divides = true;
        row_add(made, INSTRUCTION_INT, 100);
        loop_close(made, 0);
        made->marks[0][0] = chained ? MARK_DIVIDE_CHAIN : 0;
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->cause, CAUSE_DIVIDE);
        cr_expect_eq(evidence_says(verdict, "each division needs the result of the one before"), chained);
        cr_expect_eq(evidence_says(verdict, "takes one at a time"), !chained);
        cr_expect(chained ? verdict->recoverable.low < 0.2 : verdict->recoverable.low > 0.2, "%f", verdict->recoverable.low);
        done(made);
        free(made);
    }
}

Test(bottleneck, a_count_in_memory_is_forwarded)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "count");
    access_add(made, INSTRUCTION_LOAD, 3, 300)->writes = 1 << 2;
    row_add(made, INSTRUCTION_INT, 100);
    access_add(made, INSTRUCTION_STORE, 3, 600);
    loop_close(made, 0);
    addresses_add(made, 0, 128);
    addresses_add(made, 2, 128);
    expect(made, BOTTLENECK_CORE, CAUSE_STORE_FORWARDING);
    cr_assert_lt(made->result.program.confidence, ESTIMATE_HIGH);
    done(made);
    free(made);
}

static const struct bottleneck_verdict *stored_and_loaded(struct made_up *made, uint16_t stored_bytes, uint16_t loaded_bytes, uint64_t loading)
{
    make_up(made);
    function_begin(made, "bodies");
    row_add(made, INSTRUCTION_FP, 1000 - loading)->is_fp = true;
    struct instruction *store = access_add(made, INSTRUCTION_STORE, 3, 20), *load;
    store->is_fp = true;
    store->memory.size_bytes = stored_bytes;
    load = access_add(made, INSTRUCTION_LOAD, 3, loading);
    load->is_fp = true;
    load->memory.size_bytes = loaded_bytes;
    loop_close(made, 0);
    addresses_add(made, 2, 128);
    return verdict_of(made);
}

Test(bottleneck, numbers_that_are_stored_and_loaded_wait_for_their_arithmetic)
{
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict = stored_and_loaded(made, 8, 8, 300);
    cr_assert_eq(verdict->class, BOTTLENECK_CORE);
    cr_assert_eq(verdict->cause, CAUSE_FP, "%s", bottleneck_subclass_name(verdict->cause));
    done(made);
    free(made);
}

/* Two numbers loaded at once where one was just stored: nothing hands them on. */
Test(bottleneck, a_load_of_more_than_was_just_stored_is_blocked)
{
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict = stored_and_loaded(made, 8, 16, 800);
    cr_assert_eq(verdict->cause, CAUSE_STORE_FORWARDING, "%s", bottleneck_subclass_name(verdict->cause));
    done(made);
    verdict = stored_and_loaded(made, 16, 8, 800);
    cr_assert_neq(verdict->cause, CAUSE_STORE_FORWARDING, "a part of what was stored is handed on");
    done(made);
    free(made);
}

/* Both counts are looked at behind the call that one was raised for; without the atomic they are there at once. */
Test(bottleneck, a_load_of_what_an_atomic_changed_waits_for_it)
{
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_atomic = 0; is_atomic < 2; is_atomic++) {
        make_up(made);
        function_begin(made, "owners");
        struct instruction *raised = access_add(made, is_atomic ? INSTRUCTION_ATOMIC : INSTRUCTION_STORE, 3, 200);
        raised->is_load = is_atomic;
        raised->is_store = true;
        raised->memory.size_bytes = 8;
        row_add(made, INSTRUCTION_CALL, 0)->writes = 1;
        access_add(made, INSTRUCTION_LOAD, 3, 700)->memory.size_bytes = 8;
        loop_close(made, 0);
        addresses_add(made, 2, 128);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->cause == CAUSE_ATOMIC, is_atomic, "%s", bottleneck_subclass_name(verdict->cause));
        done(made);
    }
    free(made);
}

/* Counts by a random choice: in one of eight places, or in one. */
Test(bottleneck, counts_that_seldom_meet_come_late_with_the_wrong_guess)
{
    static const uint64_t hits[] = {40, 250, 90, 100, 240, 90, 90};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_one_place = 0; is_one_place < 2; is_one_place++) {
        make_up(made);
        function_begin(made, "columns");
        for (int at = 0; at < 7; at++) {
            struct instruction *row = row_add(made, at == 1 ? INSTRUCTION_BRANCH : INSTRUCTION_INT, hits[at]);
            row->has_target = at == 1;
            row->target = row->addr + 4 * 4;
        }
        access_add(made, INSTRUCTION_UPDATE, 3, 400)->is_load = true;
        loop_close(made, 0);
        addresses_add(made, 7, is_one_place ? 64 : 512);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->cause, CAUSE_CONDITIONAL, "%s", bottleneck_subclass_name(verdict->cause));
        cr_assert_eq(verdict->second.cause, is_one_place ? CAUSE_STORE_FORWARDING : CAUSE_UNKNOWN, "%s", bottleneck_subclass_name(verdict->second.cause));
        done(made);
    }
    free(made);
}

/* An if in a loop; samples on every row, or on two. */
static void branches(struct made_up *made, bool guessed_wrong)
{
    static const uint64_t spread[] = {40, 250, 90, 100, 240, 90, 90, 100}, gathered[] = {0, 0, 500, 0, 0, 0, 0, 500};
    make_up(made);
    function_begin(made, "choose");
    for (int at = 0; at < 8; at++) {
        struct instruction *row = row_add(made, at == 1 ? INSTRUCTION_BRANCH : INSTRUCTION_INT,
                                          guessed_wrong ? spread[at] : gathered[at]);
        if (at != 1)
            continue;
        row->has_target = true;
        row->target = row->addr + 4 * 4;
    }
    loop_close(made, 0);
}

Test(bottleneck, wrong_guesses_spread_samples_and_right_ones_gather_them)
{
    struct made_up *made = calloc(1, sizeof(*made));
    branches(made, true);
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL);
    done(made);
    branches(made, false);
    expect(made, BOTTLENECK_RETIRING, CAUSE_RETIRING);
    cr_assert_not(made->result.program.recoverable.known);
    cr_assert_not_null(made->result.program.recoverable_why);
    done(made);
    free(made);
}

Test(bottleneck, a_branch_that_no_sample_stands_behind_is_not_guessed_wrong)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "rounds");
    for (int at = 0; at < 10; at++) {
        struct instruction *row = row_add(made, at == 8 ? INSTRUCTION_BRANCH : at == 9 ? INSTRUCTION_NOP : INSTRUCTION_INT,
                                          at >= 8 ? 0 : 130); /* behind it lies padding */
        row->has_target = at == 8;
        row->target = 0x9000; /* out of the function: never taken */
    }
    made->sampled[0][9] = 0;
    loop_close(made, 0);
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
}

/*
 * One turn: a choice between two ways of 4 instructions, then 10 more. Of a wrong guess the second instruction of a way has the samples;
 * where all retires in step, they fall on few others.
 */
static struct made_up *choice_behind(bool restarts_behind, uint64_t at_second, uint64_t elsewhere)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->stalls.restarts_behind = restarts_behind;
    function_begin(made, "choose");
    struct instruction *branch = row_add(made, INSTRUCTION_BRANCH, 0);
    branch->has_target = true;
    for (int at = 0; at < 18; at++)
        row_add(made, INSTRUCTION_INT, at == 0 || at == 4 ? at_second : at == 12 || at == 15 ? elsewhere : 0);
    branch->target = made->codes[0].items[5].addr;
    loop_close(made, 0);
    return made;
}

Test(bottleneck, samples_of_few_instructions_show_wrong_guesses_where_the_self_test_says_so)
{
    struct made_up *made = choice_behind(true, 400, 100);
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL);
    cr_assert_eq(made->result.program.confidence, ESTIMATE_HIGH, "nothing else puts samples behind an instruction that can't wait");
    done(made);
    free(made);
    made = choice_behind(true, 400, 100);
    for (int way = 1; way <= 5; way += 4)
        made->rows[0][way].class = INSTRUCTION_VECTOR; /* which may be what waits */
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL);
    cr_assert_eq(made->result.program.confidence, ESTIMATE_MEDIUM);
    done(made);
    free(made);
    made = choice_behind(true, 50, 450);
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
    made = choice_behind(false, 400, 100); /* elsewhere the first instruction would have them */
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
}

/* Clear evidence has the samples' error alone; one near its threshold may be another run's other class, and the interval says so. */
Test(bottleneck, what_is_laid_near_a_threshold_widens_the_interval)
{
    struct made_up *made = choice_behind(true, 400, 100);
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->class, BOTTLENECK_BAD_SPECULATION);
    cr_expect_not(verdict->sampled.known, "%f at a border", verdict->at_border);
    double clear = verdict->share.high - verdict->share.low;
    done(made);
    free(made);
    bool met = false;
    for (uint64_t behind = 100; behind < 400; behind += 20) { /* somewhere between the two the class turns */
        made = choice_behind(true, behind, 500 - behind);
        verdict = verdict_of(made);
        if (verdict->class == BOTTLENECK_BAD_SPECULATION && verdict->sampled.known) {
            met = true;
            cr_expect(verdict->share.low < verdict->sampled.low && verdict->share.high - verdict->share.low > 2 * clear,
                      "%f to %f", verdict->share.low, verdict->share.high);
            cr_expect(verdict->at_border > 0.5 && verdict->confidence != ESTIMATE_MEDIUM);
            cr_expect(verdict->recoverable.low <= verdict->share.low);
        }
        done(made);
        free(made);
    }
    cr_expect(met);
}

/* In a mix, what a loop with a branch that goes both ways shows may be another run's wrong guesses, or none; divisions stay what they are. */
Test(bottleneck, a_part_of_a_mix_is_as_wide_as_its_branches_leave_it)
{
    for (int branches = 0; branches < 2; branches++) {
        struct made_up *made = choice_behind(true, 50, 450);
        if (!branches)
            made->rows[0][0].class = INSTRUCTION_INT, made->rows[0][0].has_target = false;
        function_begin(made, "rest");
        row_add(made, INSTRUCTION_DIV, 1000)->divides = true;
        row_add(made, INSTRUCTION_INT, 0);
        loop_close(made, 0);
        enum bottleneck_class class = verdict_of(made)->class;
        cr_assert_eq(class, BOTTLENECK_MIXED, "%s", bottleneck_class_name(class));
        const struct interval *busy = &made->result.classes[BOTTLENECK_RETIRING], *core = &made->result.classes[BOTTLENECK_CORE];
        cr_assert(busy->known && core->known);
        cr_expect_eq(busy->low < 0.1, branches, "%f to %f", busy->low, busy->high);
        cr_expect(core->high - core->low < 0.1, "%f to %f", core->low, core->high);
        done(made);
        free(made);
    }
}

/* By copied stacks, most calls of a function come from another one. */
static void called_by(struct made_up *made, uint32_t callee, const char *caller)
{
    struct stall_function *function = &made->functions[callee];
    function->stacks = 20;
    function->callers[0] = (struct stall_caller){.name = caller, .dso = "a.out", .stacks = 18};
    function->caller_count = 1;
}

/* A sort's loop, and the comparison that it calls: what that loads from the second cache comes late with each new beginning. */
Test(bottleneck, what_a_loop_with_wrong_guesses_calls_begins_anew_with_it)
{
    for (int is_called = 0; is_called < 2; is_called++) {
        struct made_up *made = choice_behind(true, 400, 100);
        function_begin(made, "less");
        access_add(made, INSTRUCTION_LOAD, 3, 700)->writes = 1 << 2;
        row_add(made, INSTRUCTION_INT, 200);
        row_add(made, INSTRUCTION_RETURN, 0)->falls_through = false;
        addresses_add(made, 0, 512 << 10);
        if (is_called)
            called_by(made, 1, "choose");
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_expect_eq(verdict->class, is_called ? BOTTLENECK_BAD_SPECULATION : BOTTLENECK_MIXED, "%s", bottleneck_class_name(verdict->class));
        cr_expect_lt(verdict->confidence, ESTIMATE_HIGH, "the loop alone shows it");
        done(made);
        free(made);
    }
}

/* A comparison that guesses wrong on its way out: what shows it then lies behind the call, in the function that calls. */
Test(bottleneck, wrong_guesses_of_what_was_called_show_behind_the_call)
{
    for (int is_called = 0; is_called < 2; is_called++) {
        struct made_up *made = choice_behind(true, 400, 100);
        function_begin(made, "sort");
        row_add(made, INSTRUCTION_INT, 50);
        row_add(made, INSTRUCTION_CALL, 800)->has_target = true;
        row_add(made, INSTRUCTION_INT, 50);
        loop_close(made, 0);
        if (is_called)
            called_by(made, 0, "sort");
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_expect_eq(verdict->class, is_called ? BOTTLENECK_BAD_SPECULATION : BOTTLENECK_MIXED, "%s", bottleneck_class_name(verdict->class));
        done(made);
        free(made);
    }
}

/*
 * Runs of a length that nothing foretells: an inner loop of four instructions, and eight around it. A wrong guess at its end shows
 * behind the first instruction that follows it, in the outer loop; one that it goes on, within it. What both load comes as late as
 * anything does behind a wrong guess.
 */
static struct made_up *runs_of_bytes(uint64_t at_end, uint64_t at_next)
{
    enum { HEAD = 2, BACK = 5, LAST = 11 };
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->stalls.restarts_behind = true;
    function_begin(made, "runs");
    access_add(made, INSTRUCTION_LOAD, 6, 200);
    row_add(made, INSTRUCTION_INT, 0);
    row_add(made, INSTRUCTION_INT, at_next);
    access_add(made, INSTRUCTION_STORE, 3, 200);
    row_add(made, INSTRUCTION_INT, 0);
    struct instruction *back = row_add(made, INSTRUCTION_BRANCH, 0);
    back->has_target = true;
    back->target = made->codes[0].items[HEAD].addr;
    for (int row = BACK + 1; row < LAST; row++)
        row_add(made, INSTRUCTION_INT, row == BACK + 1 ? at_end : 0);
    loop_close(made, 0);
    for (int row = HEAD; row <= BACK; row++)
        made->loops[0][row] = (struct loop_rows){HEAD, BACK};
    return made;
}

Test(bottleneck, wrong_guesses_of_how_long_a_loop_goes_on_show_in_the_loop_around_it)
{
    struct made_up *made = runs_of_bytes(400, 200);
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL);
    done(made);
    free(made);
    made = runs_of_bytes(500, 70); /* most wrong guesses are that it goes on: its end comes unforeseen */
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL);
    done(made);
    free(made);
    made = runs_of_bytes(400, 10); /* always as long: what retires in step stands at the same end each time */
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
    made = runs_of_bytes(10, 400);
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
}

/* A loop's way out and its way back have a few samples, as each of its instructions does that retires evenly: no guess is open there. */
Test(bottleneck, a_few_samples_at_the_end_of_a_busy_loop_are_no_guess)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->stalls.restarts_behind = true;
    function_begin(made, "busy");
    for (int at = 0; at < 8; at++)
        row_add(made, INSTRUCTION_INT, at ? 136 : 18);
    loop_close(made, 30);
    row_add(made, INSTRUCTION_INT, 2);
    row_add(made, INSTRUCTION_INT, 0);
    made->codes[0].loops[9] = made->codes[0].loops[10] = (struct loop_rows){UINT32_MAX, 0};
    cr_assert_eq(verdict_of(made)->class, BOTTLENECK_RETIRING, "%s", made->result.program.why_not);
    done(made);
    free(made);
}

/* As many samples stand right behind what waits for nothing as where the ways of a branch begin: all of it retires in step. */
Test(bottleneck, places_as_hot_as_any_other_show_no_wrong_guess)
{
    for (int waits = 0; waits < 2; waits++) {
        struct made_up *made = choice_behind(true, 280, 220);
        for (int row = 12; row < 18; row++)
            made->rows[0][row].reads = waits;
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_expect_eq(verdict->class == BOTTLENECK_BAD_SPECULATION, waits, "%s", bottleneck_class_name(verdict->class));
        done(made);
        free(made);
    }
}

/* A loop of six instructions, two of which wrong guesses show on: that many samples are no wonder there by their number alone. */
static struct made_up *short_choice(uint64_t at_one, uint64_t at_other)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->stalls.restarts_behind = true;
    function_begin(made, "choose");
    struct instruction *branch = row_add(made, INSTRUCTION_BRANCH, 0);
    branch->has_target = true;
    branch->target = branch->addr + 3 * branch->length;
    for (int at = 0; at < 4; at++)
        row_add(made, INSTRUCTION_INT, at == 0 ? at_one : at == 2 ? at_other : 0);
    loop_close(made, SAMPLES - at_one - at_other);
    return made;
}

/*
 * A leaf that is called for each byte: all of its calls pass a branch by. at_branch: samples on the instructions that lead straight
 * to that.
 */
static struct made_up *passed_by(uint64_t at_branch)
{
    enum { PAST = 8 };
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->stalls.restarts_behind = true;
    function_begin(made, "leaf");
    for (int at = 0; at <= PAST + 3; at++) {
        bool jumps = at == 3, chooses = at == 7;
        struct instruction *row = row_add(made,
                                          jumps     ? INSTRUCTION_JUMP
                                          : chooses ? INSTRUCTION_BRANCH
                                                    : INSTRUCTION_INT,
                                          at < 3                         ? 100
                                          : at == 4                      ? at_branch
                                          : at == PAST || at == PAST + 1 ? 300
                                                                         : 0);
        row->reads = 1;
        row->ends_block = row->has_target = jumps || chooses;
        row->falls_through = !jumps;
        row->target = row->addr + (jumps ? PAST - 3 : 2) * row->length;
    }
    row_add(made, INSTRUCTION_RETURN, 0)->falls_through = false;
    return made;
}

Test(bottleneck, where_a_branch_that_never_ran_leads_no_wrong_guess_shows)
{
    for (int runs = 0; runs < 2; runs++) {
        struct made_up *made = passed_by(runs ? 50 : 0);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_expect_eq(verdict->class == BOTTLENECK_BAD_SPECULATION, runs, "%s", bottleneck_class_name(verdict->class));
        cr_expect_lt(verdict->confidence, ESTIMATE_HIGH, "it may be what its calls take");
        done(made);
        free(made);
    }
}

/* Halving: one branch over a move, whose two ways show side by side; a loop's end that shows it a little adds instructions, and few samples. */
static struct made_up *halving(uint64_t at_ways)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->stalls.restarts_behind = true;
    function_begin(made, "search");
    for (int at = 0; at < 3; at++)
        row_add(made, INSTRUCTION_INT, at ? 250 - at_ways / 2 : 20);
    struct instruction *branch = row_add(made, INSTRUCTION_BRANCH, 250 - at_ways / 2);
    branch->has_target = true;
    branch->target = branch->addr + 2 * branch->length;
    row_add(made, INSTRUCTION_INT, at_ways);
    row_add(made, INSTRUCTION_INT, at_ways);
    row_add(made, INSTRUCTION_INT, 40);
    loop_close(made, 40);
    row_add(made, INSTRUCTION_INT, 60)->falls_through = true;
    row_add(made, INSTRUCTION_INT, 0);
    made->codes[0].loops[8] = made->codes[0].loops[9] = (struct loop_rows){UINT32_MAX, 0};
    return made;
}

Test(bottleneck, one_branch_shows_wrong_guesses_beside_ends_that_hardly_do)
{
    struct made_up *made = halving(200);
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL);
    done(made);
    free(made);
    made = halving(20);
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
}

Test(bottleneck, wrong_guesses_show_in_short_loops)
{
    struct made_up *made = short_choice(450, 90);
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL);
    done(made);
    free(made);
    made = short_choice(530, 10);
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
}

Test(bottleneck, jumps_through_a_table)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "decode");
    for (int at = 0; at < 4; at++)
        row_add(made, INSTRUCTION_INT, 120);
    row_add(made, INSTRUCTION_JUMP, 400);
    row_add(made, INSTRUCTION_INT, 120);
    loop_close(made, 0);
    made->marks[0][4] = made->marks[0][5] = MARK_TABLE;
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_INDIRECT);
    cr_assert_lt(made->result.program.confidence, ESTIMATE_HIGH);
    done(made);
    free(made);
}

/* One instruction in four leads to another or is led to: as many samples there say nothing of guesses. */
Test(bottleneck, tables_without_waiting_for_targets_are_not_blamed)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "decode");
    for (int at = 0; at < 6; at++)
        row_add(made, INSTRUCTION_INT, 120);
    row_add(made, INSTRUCTION_JUMP, 130);
    row_add(made, INSTRUCTION_INT, 130);
    loop_close(made, 0);
    made->marks[0][7] = MARK_TABLE;
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
}

/* On a processor that shows a wrong guess on the second instruction of its way: 4 cases of 2 instructions, `first` and `second` samples. */
static struct made_up *cases_behind(uint64_t first, uint64_t second)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->stalls.restarts_behind = true;
    function_begin(made, "decode");
    row_add(made, INSTRUCTION_INT, 300);
    row_add(made, INSTRUCTION_JUMP, first)->falls_through = false; /* what waits for it falls where it leads */
    made->marks[0][1] = MARK_TABLE;
    for (int at = 0; at < 4; at++) {
        made->marks[0][made->codes[0].count] = MARK_TABLE;
        row_add(made, INSTRUCTION_INT, second);
        row_add(made, INSTRUCTION_INT, first);
    }
    loop_close(made, 100);
    return made;
}

Test(bottleneck, wrong_targets_show_behind_the_first_instruction_where_the_self_test_says_so)
{
    struct made_up *made = cases_behind(2, 90);
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_INDIRECT);
    double shown = 4 * 90 / (double)made->stalls.sample_count;
    cr_assert_float_eq(made->result.program.share.low, shown, 0.02, "the others may be what is done in any case: %g", made->result.program.share.low);
    cr_assert_gt(made->result.program.share.high, 0.9);
    cr_assert_lt(made->result.program.confidence, ESTIMATE_HIGH, "late code and loads of tables look alike");
    done(made);
    free(made);
    made = cases_behind(90, 2); /* they retire in step: each group begins with a case */
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
    made = cases_behind(60, 100); /* a third behind them, half as many again as before */
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_INDIRECT);
    done(made);
    free(made);
    made = cases_behind(80, 100); /* too even to tell */
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_BAD_SPECULATION);
    done(made);
    free(made);
    made = cases_behind(200, 340); /* as clang's copies of a jump show it: two of five samples behind are enough, whatever stands before them */
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_INDIRECT);
    done(made);
    free(made);
}

/* Functions of one instruction and a return, which a call through a register leads to. */
static struct made_up *callees_behind(uint64_t first, uint64_t second)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->stalls.restarts_behind = true;
    function_begin(made, "caller");
    row_add(made, INSTRUCTION_CALL, 10);
    row_add(made, INSTRUCTION_INT, 200);
    loop_close(made, 0);
    for (int at = 0; at < 2; at++) {
        function_begin(made, "callee");
        row_add(made, INSTRUCTION_INT, second);
        row_add(made, INSTRUCTION_RETURN, 0)->falls_through = false;
        made->codes[1 + at].entry_hits = first;
        made->stalls.sample_count += first;
        made->stalls.user_samples += first;
        made->stalls.blind_samples += first;
    }
    return made;
}

Test(bottleneck, wrongly_guessed_calls_show_behind_the_first_instruction_where_the_self_test_says_so)
{
    struct made_up *made = callees_behind(150, 150);
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_INDIRECT);
    done(made);
    free(made);
    made = callees_behind(150, 10);
    cr_assert_neq(verdict_of(made)->cause, CAUSE_INDIRECT);
    done(made);
    free(made);
}

/* One comparison for all calls of a sort: where they lead is known, whatever waits there. */
Test(bottleneck, calls_that_lead_to_one_function_are_guessed_right)
{
    struct made_up *made = callees_behind(150, 150);
    made->codes[2].entry_hits = 10;
    made->codes[2].sampled[1] = 10;
    cr_assert_neq(verdict_of(made)->cause, CAUSE_INDIRECT);
    done(made);
    free(made);
}

/* Two sorts, each with a comparison of its own; or one that calls either by turns. */
Test(bottleneck, each_caller_that_leads_to_one_function_is_guessed_right)
{
    for (int apart = 0; apart < 2; apart++) {
        struct made_up *made = callees_behind(150, 150);
        for (int at = 0; at < 2; at++) {
            struct stall_function *callee = &made->functions[1 + at];
            callee->stacks = 20;
            callee->caller_count = 1;
            callee->callers[0] = (struct stall_caller){.name = apart && at ? "other" : "caller", .dso = "a.out", .stacks = 19};
        }
        cr_expect_eq(verdict_of(made)->cause == CAUSE_INDIRECT, !apart);
        done(made);
        free(made);
    }
}

/* By copied stacks: what a fixed call leads to is no guess, whatever else waits there. */
Test(bottleneck, functions_that_are_called_directly_are_no_wrong_guesses)
{
    struct made_up *made = callees_behind(150, 150);
    made->stalls.entry_stacks = 20;
    made->stalls.entry_lookups = 3;
    cr_assert_neq(verdict_of(made)->cause, CAUSE_INDIRECT);
    made->stalls.entry_lookups = 17;
    expect(made, BOTTLENECK_BAD_SPECULATION, CAUSE_INDIRECT);
    done(made);
    free(made);
}

/* Beside divisions: look-ups in the second cache may be answered meanwhile; a chase in it waits for each. */
Test(bottleneck, look_ups_in_the_second_cache_may_overlap_and_a_chase_does_not)
{
    for (int chased = 0; chased < 2; chased++) {
        struct made_up *made = calloc(1, sizeof(*made));
        if (chased)
            chase(made, 256 << 10);
        else
            gather(made, 256 << 10, false);
        function_begin(made, "rest");
        row_add(made, INSTRUCTION_DIV, SAMPLES - 100)->divides = true;
        row_add(made, INSTRUCTION_INT, 0);
        loop_close(made, 0);
        cr_expect_eq(verdict_of(made)->class, BOTTLENECK_MIXED);
        const struct interval *memory = &made->result.classes[BOTTLENECK_MEMORY];
        cr_expect_gt(made->result.masses[CAUSE_L2], 0.4, "%f", made->result.masses[CAUSE_L2]);
        cr_expect(chased ? memory->low > 0.4 : memory->low < 0.05, "%f to %f", memory->low, memory->high);
        done(made);
        free(made);
    }
}

Test(bottleneck, two_loops_of_two_kinds_are_mixed)
{
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 512 << 20);
    function_begin(made, "rest");
    row_add(made, INSTRUCTION_DIV, SAMPLES - 100)->divides = true;
    row_add(made, INSTRUCTION_INT, 0);
    loop_close(made, 0);
    struct stall_row shown = {.shown_addr = made->rows[0][0].addr, .text = "mov (%rbx),%rbx"};
    made->functions[0].rows = &shown;
    made->functions[0].row_count = 1;
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->class, BOTTLENECK_MIXED);
    cr_assert_eq(verdict->second.class, BOTTLENECK_CORE);
    cr_assert_eq(verdict->second.cause, CAUSE_DIVIDE);
    cr_assert_not(verdict->recoverable.known);
    cr_assert_eq(made->result.loop_count, 2);
    cr_assert(verdict->evidence_count && view_starts(view_of(verdict->evidence[0].text), "99 % of the loop's samples wait so"), "%s",
              verdict->evidence[0].text);
    done(made);
    free(made);
}

Test(bottleneck, beside_another_that_takes_a_quarter_as_much_none_is_sure)
{
    static const struct {
        uint64_t divides;
        enum bottleneck_confidence confidence;
    } cases[] = {{SAMPLES / 10, ESTIMATE_HIGH}, {SAMPLES / 3, ESTIMATE_MEDIUM}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up *made = calloc(1, sizeof(*made));
        chase(made, 512 << 20);
        function_begin(made, "rest");
        row_add(made, INSTRUCTION_DIV, cases[at].divides)->divides = true;
        row_add(made, INSTRUCTION_INT, 0);
        loop_close(made, 0);
        expect(made, BOTTLENECK_MEMORY, CAUSE_LATENCY);
        cr_expect_eq(made->result.program.confidence, cases[at].confidence, "%zu: %s", at, made->result.program.why_not);
        done(made);
        free(made);
    }
}

/* The hottest loop waits for memory, two others make up more, and use none: its memory isn't theirs. */
Test(bottleneck, the_memory_named_is_that_of_the_code_named)
{
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 512 << 20);
    for (int at = 0; at < 2; at++) {
        function_begin(made, "rest");
        row_add(made, INSTRUCTION_DIV, SAMPLES - 50)->divides = true;
        row_add(made, INSTRUCTION_INT, 0);
        loop_close(made, 0);
    }
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->class, BOTTLENECK_CORE);
    cr_assert_eq(verdict->set.at_least_bytes, 0, "%g", verdict->set.at_least_bytes);
    cr_assert_eq(verdict->level, LEVEL_NONE);
    done(made);
    free(made);
}

/* Quick instructions without a wait that shows; where threads take turns at the line that it counts in, that is no sign of being busy. */
Test(bottleneck, what_counts_in_a_line_of_several_threads_is_not_busy)
{
    struct made_up *made = calloc(1, sizeof(*made));
    for (int shared = 0; shared < 2; shared++) {
        make_up(made);
        function_begin(made, "count");
        for (int at = 0; at < 6; at++)
            row_add(made, INSTRUCTION_INT, SAMPLES / 6);
        access_add(made, INSTRUCTION_STORE, 3, 4);
        loop_close(made, 0);
        made->stalls.turns_samples =
            shared ? SAMPLES : 0; /* behind a branch, as well: what is busy waits for no guess */
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_expect_eq(verdict->class, shared ? BOTTLENECK_UNKNOWN : BOTTLENECK_RETIRING, "%s", bottleneck_class_name(verdict->class));
        cr_expect(!shared || strstr(verdict->why_not, "several threads write"), "%s", verdict->why_not);
        cr_expect(!shared || (made->result.loop_count && made->result.loops[0].verdict.class == BOTTLENECK_UNKNOWN));
        done(made);
    }
    free(made);
}

/* ---- loops as compilers make them, on a core whose costs are known ---- */

/* hits: samples that stalled at each of its rows. */
static void loop_make(struct made_up *made, const char *hex, const uint64_t *hits)
{
    struct loop_code code;
    loop_code_decode(&code, hex);
    make_up(made);
    made->machine.core = core_costs_find("CLX");
    cr_assert_not_null(made->machine.core);
    function_begin(made, "turns");
    for (uint32_t at = 0; at < code.count; at++) {
        struct instruction *row = row_add(made, INSTRUCTION_INT, hits[at]);
        uint64_t own = made->codes[0].count - 1;
        *row = code.rows[at];
        made->loops[0][own] = (struct loop_rows){0, code.count - 1};
    }
    made->sampled[0][0] += made->sampled[0][code.count];
    made->sampled[0][code.count] = 0;
}

static const struct bottleneck_verdict *loop_verdict(struct made_up *made, const char *hex, const uint64_t *hits)
{
    loop_make(made, hex, hits);
    return verdict_of(made);
}

/* A function without a loop: one step after the other, so many times, on a core that issues eight at once. */
static void straight_make(struct made_up *made, const char *step, int steps)
{
    static uint64_t hits[ROWS_MOST];
    char hex[4096] = "";
    for (int at = 0; at < steps; at++)
        strcat(hex, step);
    for (size_t at = 0; at < ROWS_MOST; at++)
        hits[at] = at < (size_t)steps ? SAMPLES / (uint64_t)steps : 0;
    loop_make(made, strcat(hex, "c3"), hits);
    made->machine.core = core_costs_find("ZEN5");
    for (size_t at = 0; at < made->codes[0].count; at++)
        made->loops[0][at] = (struct loop_rows){UINT32_MAX, UINT32_MAX};
}

/* As gcc 12 -O2 makes them: an index that wraps by a conditional move, and the greatest of all, which is an accumulator. */
Test(bottleneck, an_index_that_wraps_is_told_from_the_greatest_of_all)
{
    static const struct {
        const char *hex;
        bool is_index;
    } cases[] = {
        {"4c8d04874883c6044883c001f3410f10004839c8490f44c1f30f59c1f30f5846fcf3410f11004839d675d5", true},
        {"488b174883c7084839d0480f4cc24839f775ed", false},
    };
    static const uint64_t hits[16] = {250, 250, 250, 250};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up *made = calloc(1, sizeof(*made));
        (void)loop_verdict(made, cases[at].hex, hits);
        cr_assert_eq(made->result.loop_count, 1);
        cr_expect_eq(made->result.loops[0].is_chain_of_index, cases[at].is_index, "%zu", at);
        done(made);
        free(made);
    }
}

/* Four sums of 8 bytes at this place of their lines, 256 bytes on each turn. */
static const struct bottleneck_verdict *sums_at(struct made_up *made, uint64_t place)
{
    static const uint64_t hits[] = {250, 250, 0, 250, 250, 0, 0};
    static const uint32_t loads[] = {0, 1, 3, 4};
    loop_make(made, "4803104803704048050001000048037880480348c04c39c075e6", hits);
    made->machine.core = core_costs_find("ZEN5");
    for (size_t load = 0; load < array_count(loads); load++)
        for (uint64_t at = 0; at < 400; at++)
            made->addresses[made->stalls.address_count++] =
                (struct stall_address){.time_ns = at * 1000,
                                       .addr = (1ull << 40) + (at * 37 % 64 * 4 + load) * 64 + place,
                                       .instruction = loads[load]};
    return verdict_of(made);
}

/* Loads across two lines take their unit twice: as many of them as issue has room for are then what a turn takes. */
Test(bottleneck, loads_across_lines_take_their_unit_twice)
{
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict = sums_at(made, 60);
    cr_assert_eq(verdict->cause, CAUSE_PORTS, "%s: %s", bottleneck_class_name(verdict->class),
                 verdict->evidence_count ? verdict->evidence[1].text : verdict->why_not);
    cr_expect(evidence_says(verdict, "100 % of the loads of its code cross"));
    cr_expect_float_eq(verdict->split_ratio, 1, 1e-9);
    done(made);
    verdict = sums_at(made, 56);
    cr_assert_eq(verdict->cause, CAUSE_RETIRING, "%s", bottleneck_subclass_name(verdict->cause));
    cr_expect_eq(verdict->split_ratio, 0);
    cr_expect_not(evidence_says(verdict, "cross from one line"));
    cr_expect_not(verdict->busy_is_shown, "no rate was measured: a wait that isn't seen may be there");
    cr_expect(strstr(verdict->recoverable_why, "no wait was seen"), "%s", verdict->recoverable_why);
    done(made);
    free(made);
}

/* It ends by a look at the stack's guard: "jne" to a call that never returns, behind "ret"; hardly a sample falls on either. */
Test(bottleneck, the_way_out_that_has_samples_is_the_one_taken)
{
    struct made_up *made = calloc(1, sizeof(*made));
    char hex[2048] = "";
    static uint64_t hits[ROWS_MOST];
    for (int at = 0; at < 60; at++)
        strcat(hex, "01c8c1c00731d0");
    for (size_t at = 0; at < 180; at += 6)
        hits[at] = 30;
    hits[181] = 1; /* pop */
    loop_make(made, strcat(hex, "75025bc3e800000000"), hits);
    made->machine.core = core_costs_find("ZEN5");
    for (size_t at = 0; at < made->codes[0].count; at++)
        made->loops[0][at] = (struct loop_rows){UINT32_MAX, UINT32_MAX};
    expect(made, BOTTLENECK_CORE, CAUSE_LATENCY_CHAIN);
    done(made);
    free(made);
}

/* "add %ecx,%eax; rol $7,%eax; xor %edx,%eax", as a digest's steps. */
Test(bottleneck, quick_results_that_need_one_another_all_the_way_are_a_chain)
{
    static const char step[] = "01c8c1c00731d0";
    struct made_up *made = calloc(1, sizeof(*made));
    straight_make(made, step, 80);
    expect(made, BOTTLENECK_CORE, CAUSE_LATENCY_CHAIN);
    cr_assert_eq(made->result.program.confidence, ESTIMATE_MEDIUM, "one kind of evidence");
    cr_assert(made->result.loops[0].is_straight_chain);
    done(made);
    straight_make(made, step, 10); /* several calls are under way: nothing says that they wait for one another, or don't */
    expect(made, BOTTLENECK_RETIRING, CAUSE_RETIRING);
    cr_assert_float_eq(made->result.chains_open_ratio, 1, 0.01);
    done(made);
    straight_make(made, "01c801ca01cb01cd01ce01cf4101c84101c94101ca4101cb", 20); /* ten sums side by side */
    expect(made, BOTTLENECK_RETIRING, CAUSE_RETIRING);
    cr_assert_eq(made->result.chains_open_ratio, 0, "it issues for longer");
    done(made);
    free(made);
}

/*
 * Sums of numbers at random places, which a multiplication and an addition lead to: four cycles a turn. A load from the
 * second cache comes meanwhile, though it retires last; from further away it may.
 */
Test(bottleneck, loads_behind_a_chain_of_arithmetic_come_meanwhile)
{
    static const uint64_t hits[] = {10, 0, 0, 0, 0, 980, 0, 10};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_far = 0; is_far < 2; is_far++) {
        loop_make(made, "490fafc04801f84889c248c1ea280fb7d2490334d183e90175e6", hits);
        addresses_add(made, 5, is_far ? 8 << 20 : 512 << 10);
        expect(made, is_far ? BOTTLENECK_MEMORY : BOTTLENECK_CORE, is_far ? CAUSE_PARALLEL_MISSES : CAUSE_LATENCY_CHAIN);
        cr_expect_lt(made->result.program.confidence, ESTIMATE_HIGH);
        done(made);
    }
    free(made);
}

/*
 * Four sums over 64 KiB in order, four cycles of instructions a turn, which goes on by half a line: the second cache hands
 * lines over faster. Memory may not.
 */
Test(bottleneck, a_walk_slower_than_its_lines_come_waits_for_its_own_work)
{
    static const uint64_t hits[16] = {10, 40, 40, 700, 40, 20, 20, 20, 20, 20, 20, 20, 20, 10};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_far = 0; is_far < 2; is_far++) {
        loop_make(made, "4889ca4883c02048c1ea07483350e04801d1488b50e8488d14f24801d6488b50f04829fa4831d7488b50f84883ca014901d04939c175c9", hits);
        addresses_add(made, 3, is_far ? 64 << 20 : 64 << 10);
        expect(made, is_far ? BOTTLENECK_MEMORY : BOTTLENECK_RETIRING, is_far ? CAUSE_BANDWIDTH : CAUSE_RETIRING);
        cr_expect_lt(made->result.program.confidence, ESTIMATE_HIGH);
        done(made);
    }
    free(made);
}

/* h = mix(table[h & mask] ^ h): 13 cycles of arithmetic between the loads are a good part of a turn unless these miss all caches. */
Test(bottleneck, what_is_computed_between_chased_loads_takes_its_part)
{
    static const uint64_t hits[] = {0, 980, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_far = 0; is_far < 2; is_far++) {
        loop_make(made, "0fb7d0493304d04889c248c1ea214831c2480fafd74889d048c1e8214831c2480fafd64889d048c1e8214831d083e90175ce", hits);
        made->marks[0][1] = MARK_ADDRESSED;
        addresses_add(made, 1, is_far ? 512 << 20 : 512 << 10);
        expect(made, BOTTLENECK_MEMORY, is_far ? CAUSE_LATENCY : CAUSE_L2);
        cr_expect_eq(made->result.program.confidence == ESTIMATE_HIGH, is_far, "%s", made->result.program.why_not);
        done(made);
    }
    free(made);
}

/* Samples behind a call came when what it called returned: what it reads itself, or pushes, waits for no cache. */
Test(bottleneck, what_falls_behind_a_call_is_no_wait_for_data)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "sort");
    access_add(made, INSTRUCTION_LOAD, 3, 100)->writes = 1 << 2;
    struct instruction *call = access_add(made, INSTRUCTION_CALL, 7, 800);
    call->is_load = false;
    call->is_store = true;
    row_add(made, INSTRUCTION_INT, 100);
    loop_close(made, 0);
    addresses_add(made, 0, 512 << 10);
    cr_expect_neq(verdict_of(made)->class, BOTTLENECK_MEMORY, "%s", bottleneck_subclass_name(made->result.program.cause));
    done(made);
    free(made);
}

/*
 * A hash decides which way each turn goes: a wrong guess shows behind either way's first instruction, and the next hash's
 * multiplication comes late. Without wrong guesses such samples are the multiplication's.
 */
Test(bottleneck, arithmetic_behind_a_wrong_guess_waits_for_the_guess)
{
    static const char code[] = "4889d048c1e81d4831d0490fafc24c85c874094889f0488d3408eb074889f8488d3c084883c1014c01c24881f90020000075cd";
    static const uint64_t guessed[] = {0, 0, 0, 350, 0, 0, 200, 0, 0, 300, 0, 80, 0, 0, 0}, known[] = {0, 0, 0, 900, 0, 0, 10, 0, 0, 10, 0, 80, 0, 0, 0};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_guessed = 0; is_guessed < 2; is_guessed++) {
        loop_make(made, code, is_guessed ? guessed : known);
        made->stalls.restarts_behind = true;
        enum bottleneck_class class = verdict_of(made)->class;
        cr_assert_eq(class == BOTTLENECK_BAD_SPECULATION, is_guessed, "%s", bottleneck_class_name(class));
        if (is_guessed)
            cr_assert_lt(made->result.program.second.share.mid, 0.05, "nothing else is beside it");
        done(made);
    }
    free(made);
}

/* s += x[i + k] * c[k], two sums side by side: each turn adds to what the turn before added up. */
Test(bottleneck, a_sum_waits_for_itself_not_for_its_unit)
{
    static const uint64_t hits[] = {10, 10, 10, 10, 150, 650, 10, 150};
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict =
        loop_verdict(made, "f20f100401660f1014024883c008660f14c0660f59c2660f58c8483d0002000075de", hits);
    cr_assert_eq(verdict->class, BOTTLENECK_CORE);
    cr_assert_eq(verdict->cause, CAUSE_LATENCY_CHAIN, "%s", bottleneck_subclass_name(verdict->cause));
    done(made);
    free(made);
}

/* As many other instructions as issue takes in the time of one addition: nearly all samples stand at the addition, which waits for itself. */
Test(bottleneck, one_place_of_a_chain_as_long_as_issue_waits_for_itself)
{
    static const uint64_t hits[16] = {900, [13] = 100};
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict =
        loop_verdict(made, "f20f5804014883c2014883c6014883c7014983c0014983c1014983c2014983c3014983c4014983c5014983c6014983c7014883c3014883c008483d0010000075bf", hits);
    cr_assert_eq(verdict->cause, CAUSE_LATENCY_CHAIN, "%s", bottleneck_subclass_name(verdict->cause));
    cr_assert_not(made->result.loops[0].fp_is_unexplained);
    cr_assert_eq(verdict->confidence, ESTIMATE_LOW, "which of the two is longer isn't known");
    done(made);
    free(made);
}

/* What the tables say of code that nothing delays, and whether that is enough to be sure: what looks alike must be half as long at most. */
Test(bottleneck, what_tables_and_samples_show_is_sure_unless_something_looks_alike)
{
    static const struct {
        const char *code, *why;
        uint64_t hits[16];
        enum bottleneck_cause cause;
        bool is_sure;
    } rows[] = {
        {"f20f59c148ffce75f7", "mulsd %xmm1,%xmm0; dec; jne", {900, 50, 50, 50}, CAUSE_LATENCY_CHAIN, true},
        {"480fafc148ffce75f7", "imul %rcx,%rax; dec; jne: it, its unit and quick instructions show at the same place", {900, 50, 50, 50}, CAUSE_LATENCY_CHAIN, false},
        {"f20f59c1488b1748ffce75f4", "that load may miss", {900, 50, 50, 50}, CAUSE_LATENCY_CHAIN, false},
        {"f20f580748ffce75f7", "addsd (%rdi),%xmm0: one place stays near", {900, 50, 50, 50}, CAUSE_LATENCY_CHAIN, false},
        {"4801c84801ca4801cb4801cd4901c84901c94901ca4901cb4901cc4901cd4901ce48ffcf75da", "11 additions side by side; dec; jne", {100, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 20, 20},
         CAUSE_RETIRING, true},
        {"4801c84801ca4801cb4801cd48ffcf75ef", "four of them take hardly longer than one after the other", {200, 200, 200, 200, 100, 100}, CAUSE_RETIRING, false},
    };
    struct made_up *made = calloc(1, sizeof(*made));
    for (size_t row = 0; row < array_count(rows); row++) {
        const struct bottleneck_verdict *verdict = loop_verdict(made, rows[row].code, rows[row].hits);
        cr_assert_eq(verdict->cause, rows[row].cause, "%s: %s", rows[row].why, bottleneck_subclass_name(verdict->cause));
        cr_assert_eq(verdict->confidence == ESTIMATE_HIGH, rows[row].is_sure, "%s: %s", rows[row].why, verdict->why_not);
        done(made);
    }
    free(made);
}

/*
 * Sums beside sums of looked-up elements; the place is the turn's number, turned about and masked. Within 4 KiB it is
 * near, and may wait for a bank or for what a neighbour evicts; within one line there is nothing to wait for.
 */
Test(bottleneck, loads_at_computed_places_are_not_surely_undelayed)
{
    static const struct {
        const char *code;
        uint64_t bytes;
    } rows[] = {
        {"4889f04883f02a25ff01000048031cc74801f14801f24801f54901f04901f14901f24901f34901f44901f548ffc64c39f675cd", 4096},
        {"4889f04883f02a83e00748031cc74801f14801f24801f54901f04901f14901f24901f34901f44901f548ffc64c39f675cf", 64},
    };
    static const uint64_t hits[16] = {40, 40, 40, 300, 60, 60, 60, 60, 60, 60, 60, 60, 60, 20, 10, 10};
    struct made_up *made = calloc(1, sizeof(*made));
    for (size_t row = 0; row < array_count(rows); row++) {
        loop_make(made, rows[row].code, hits);
        addresses_add(made, 3, rows[row].bytes);
        expect(made, BOTTLENECK_RETIRING, CAUSE_RETIRING);
        cr_assert_eq(made->result.program.confidence == ESTIMATE_HIGH, rows[row].bytes == 64, "%s", made->result.program.why_not);
        done(made);
    }
    free(made);
}

/* Around a loop that never waits lies code: were it left at another turn each time, the wrong guess would show there. */
Test(bottleneck, a_loop_that_is_left_for_a_fifth_of_the_time_is_not_surely_busy)
{
    static const uint64_t hits[14] = {100, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 20, 20};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_left = 0; is_left < 2; is_left++) {
        loop_make(made, "4801c84801ca4801cb4801cd4901c84901c94901ca4901cb4901cc4901cd4901ce48ffcf75da", hits);
        made->stalls.sample_count = (uint64_t)((double)made->stalls.sample_count / (is_left ? 0.8 : 0.9));
        cr_assert_eq(verdict_of(made)->confidence == ESTIMATE_HIGH, !is_left, "%s", made->result.program.why_not);
        done(made);
    }
    free(made);
}

/* xor %edx,%edx; mov %r8,%rax; div %rcx; mov (%rdi,%rdx,8),%rsi; inc %r8; cmp; jne: its remainder is where to look, and the look-up waits. */
Test(bottleneck, a_division_that_says_where_to_look_may_be_memory)
{
    static const uint64_t at_division[] = {10, 10, 900, 30, 20, 10, 20}, at_load[] = {10, 10, 30, 900, 20, 10, 20};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int waits_at_load = 0; waits_at_load < 2; waits_at_load++) {
        loop_make(made, "31d24c89c048f7f1488b34d749ffc04d39c875ec", waits_at_load ? at_load : at_division);
        addresses_add(made, 3, 8 << 10);
        expect(made, BOTTLENECK_CORE, CAUSE_DIVIDE);
        cr_assert_eq(made->result.program.confidence == ESTIMATE_HIGH, !waits_at_load, "%s", made->result.program.why_not);
        done(made);
    }
    free(made);
}

/* The keys of a tree's node: where they lie comes out of the node before, in the loop around. Without that they are asked for side by side. */
Test(bottleneck, keys_of_a_node_that_was_loaded_wait_one_after_the_other)
{
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_led = 0; is_led < 2; is_led++) {
        make_up(made);
        function_begin(made, "find");
        row_add(made, INSTRUCTION_INT, 5);
        access_add(made, INSTRUCTION_LOAD, 3, SAMPLES - 60)->writes = 1 << 5; /* a key; its turn is a loop of its own */
        row_add(made, INSTRUCTION_INT, 5);
        loop_close(made, 5);
        access_add(made, INSTRUCTION_LOAD, is_led ? 3 : 6, 20)->writes = 1 << 3; /* the next node */
        loop_close(made, 5);
        made->rows[0][3].target = made->rows[0][1].addr;
        for (size_t row = 1; row <= 3; row++)
            made->loops[0][row] = (struct loop_rows){1, 3};
        addresses_add(made, 1, 512 << 20);
        expect(made, BOTTLENECK_MEMORY, is_led ? CAUSE_LATENCY : CAUSE_PARALLEL_MISSES);
        done(made);
    }
    free(made);
}

/* Swapping records: what is loaded from all over is stored there again; if turns met at one place, that would be waited for. */
Test(bottleneck, what_is_stored_where_it_was_loaded_is_not_surely_missed)
{
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_stored = 0; is_stored < 2; is_stored++) {
        make_up(made);
        function_begin(made, "swap");
        row_add(made, INSTRUCTION_INT, 5)->writes = 1 << 3;
        access_add(made, INSTRUCTION_LOAD, 3, SAMPLES - 10)->writes = 1 << 5;
        access_add(made, INSTRUCTION_STORE, is_stored ? 3 : 6, 0);
        loop_close(made, 5);
        addresses_add(made, 1, 512 << 20);
        expect(made, BOTTLENECK_MEMORY, CAUSE_PARALLEL_MISSES);
        cr_assert_eq(made->result.program.confidence == ESTIMATE_HIGH, !is_stored, "%s", made->result.program.why_not);
        done(made);
    }
    free(made);
}

Test(bottleneck, what_goes_over_the_nearest_cache_alone_delays_no_chain)
{
    static const uint64_t hits[] = {900, 50, 50, 50};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_near = 0; is_near < 2; is_near++) {
        loop_make(made, "f20f59c1488b1748ffce75f4", hits); /* mulsd %xmm1,%xmm0; mov (%rdi),%rdx; dec; jne */
        addresses_add(made, 1, is_near ? 8 << 10 : 30 << 10);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->cause, CAUSE_LATENCY_CHAIN, "%s", bottleneck_subclass_name(verdict->cause));
        cr_assert_eq(verdict->confidence == ESTIMATE_HIGH, is_near, "of 32 KiB a part is others'");
        done(made);
    }
    free(made);
}

/* movups (%rax),%xmm0; add $16,%rax; mulps; addps; movups %xmm0,-16(%rax); cmp; jne: as long as its samples show where it goes, it waits there. */
Test(bottleneck, arithmetic_waits_for_what_memory_gives_it)
{
    static const uint64_t hits[] = {0, 0, 300, 250, 450, 0, 0, 0};
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_far = 0; is_far < 2; is_far++) {
        loop_make(made, "0f10004883c0100f59c20f58c10f1140f04839c175ea", hits);
        addresses_add(made, 4, is_far ? 256 << 20 : 8 << 10);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->cause, is_far ? CAUSE_BANDWIDTH : CAUSE_RETIRING, "%s", bottleneck_subclass_name(verdict->cause));
        done(made);
    }
    free(made);
}

/* rep movsb: copies what the second cache holds, or what no cache does. */
Test(bottleneck, a_string_instruction_waits_for_the_cache_that_holds_its_data)
{
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_far = 0; is_far < 2; is_far++) {
        make_up(made);
        function_begin(made, "copy");
        access_add(made, INSTRUCTION_STRING, 4, SAMPLES - 20);
        row_add(made, INSTRUCTION_INT, 10);
        loop_close(made, 10);
        addresses_add(made, 0, is_far ? 256 << 20 : 200 << 10);
        expect(made, BOTTLENECK_MEMORY, is_far ? CAUSE_BANDWIDTH : CAUSE_L2);
        done(made);
    }
    free(made);
}

/* No two samples of it followed one another: but at its own pace it would read four times as fast as memory gives its data, and so it waits. */
Test(bottleneck, a_walk_without_a_rate_surely_waits_where_its_instructions_outrun_any_memory)
{
    static const uint64_t hits[] = {0, 0, 300, 250, 450, 0, 0, 0};
    static const double outrun_bytes_s = 3e9, not_outrun_bytes_s = 12e9;
    struct made_up *made = calloc(1, sizeof(*made));
    for (int is_outrun = 0; is_outrun < 2; is_outrun++) {
        loop_make(made, "0f10004883c0100f59c20f58c10f1140f04839c175ea", hits);
        made->machine.clock_hz = interval_exactly(3e9);
        made->machine.read_bytes_s = interval_exactly(is_outrun ? outrun_bytes_s : not_outrun_bytes_s);
        addresses_add(made, 4, 256 << 20);
        expect(made, BOTTLENECK_MEMORY, CAUSE_BANDWIDTH);
        cr_assert_eq(made->result.program.confidence == ESTIMATE_HIGH, is_outrun, "%s", made->result.program.why_not);
        done(made);
    }
    free(made);
}

/*
 * A hash by three multiplications in a row, and a sum of what is looked up by it within 512 KiB: samples stand at the load, which retires last.
 * turn_cycles: as many takes a turn; 0: no two samples followed one another.
 */
static const struct bottleneck_verdict *hashed(struct made_up *made, double turn_cycles)
{
    enum { STOPS = 400, COUNTER = 5, LOAD = 16 };
    static const uint64_t hits[19] = {[0] = 30, [1] = 30, [3] = 30, [13] = 30, [LOAD] = 880};
    static struct stall_sample placed[STOPS];
    loop_make(made, "4889de48c1ee214831de480faff14889f048c1e8214831f0480fafc54889c348c1eb214831c3490fafdf4801fb4883c7014889d84c21f04d0364c5004881ff400d030075bb", hits);
    made->machine.clock_hz = interval_exactly(3e9);
    addresses_add(made, LOAD, 512 << 10);
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(STOPS, sizeof(*samples->items));
    samples->registers = calloc(STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(STOPS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = samples->register_value_count = STOPS;
    uint64_t time_ns = 0;
    for (uint32_t at = 0; at < STOPS; at++) {
        samples->items[at] = (struct sample){.time_ns = time_ns, .ip = 0x1000, .stack = STACK_NONE, .registers = at};
        samples->registers[at] = (struct registers){.first = at, .mask = 1 << COUNTER};
        samples->register_values[at] = turn_cycles > 0 ? (uint64_t)((double)time_ns * 3 / turn_cycles) : 0;
        placed[at] = (struct stall_sample){.sample = at, .sampled = LOAD + 1, .stalled = LOAD};
        time_ns += 50000 + at * 7919 % 60000;
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = STOPS;
    return verdict_of(made);
}

Test(bottleneck, a_load_behind_a_chain_that_is_all_of_a_turn_holds_nothing_up)
{
    static const double turn_cycles[] = {17, 40, 0}; /* at most that: the rate isn't accepted */
    struct made_up *made = calloc(1, sizeof(*made));
    for (size_t at = 0; at < array_count(turn_cycles); at++) {
        const struct bottleneck_verdict *verdict = hashed(made, turn_cycles[at]);
        cr_expect_eq(verdict->cause, CAUSE_LATENCY_CHAIN, "%g: %s", turn_cycles[at], bottleneck_subclass_name(verdict->cause));
        cr_expect_lt(verdict->confidence, ESTIMATE_HIGH, "%g: %s", turn_cycles[at], verdict->why_not);
        done(made);
    }
    free(made);
}

/* Five points of a grid to one, at so many ns a line, each waiting at the load that comes to a new line; each sample takes its own time. */
static void stencil_walked(struct made_up *made, uint64_t line_ns, double read_bytes_s, uint64_t shortest_ns, uint64_t longer_ns, uint64_t interrupt_ns)
{
    enum { STOPS = 400, REGISTERS = 4 };
    uint64_t time_ns = 0, walked_ns = 0;
    static const uint64_t hits[] = {10, 10, 10, 10, 10, 700, 10, 10, 10, 10, 10};
    static const uint8_t numbers[REGISTERS] = {0, 3, 4, 5}; /* RAX, RDX, RSI, RDI */
    static struct stall_sample placed[STOPS];
    (void)loop_verdict(made, "f20f104008f20f58004883c208f20f584010f20f5844f808f20f5844f0084883c008f20f59c1f20f1142f84839c175d0", hits);
    made->machine.clock_hz = interval_exactly(3.1e9);
    made->machine.read_bytes_s = interval_exactly(read_bytes_s);
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(STOPS, sizeof(*samples->items));
    samples->registers = calloc(STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(STOPS * REGISTERS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = STOPS;
    samples->register_value_count = STOPS * REGISTERS;
    for (uint32_t at = 0; at < STOPS; at++) {
        uint64_t way = walked_ns * 64 / line_ns & ~(uint64_t)7;
        uint64_t values[REGISTERS] = {(1ull << 40) + way, (1ull << 41) + way, 2048, (uint64_t)-2048};
        uint64_t mask = 0;
        for (size_t one = 0; one < REGISTERS; one++) {
            mask |= (uint64_t)1 << numbers[one];
            samples->register_values[at * REGISTERS + one] = values[one];
        }
        samples->items[at] = (struct sample){.time_ns = time_ns, .ip = 0x1000, .stack = STACK_NONE, .registers = at, .thread = 0};
        samples->registers[at] = (struct registers){.first = at * REGISTERS, .mask = mask};
        placed[at] = (struct stall_sample){.sample = at, .sampled = 6, .stalled = 5};
        made->addresses[made->stalls.address_count++] = (struct stall_address){
            .time_ns = time_ns, .addr = values[0] + 8 + 8 * 2048, .function = 0, .instruction = 5};
        uint64_t gap_ns = shortest_ns + (longer_ns ? at * 7919 % longer_ns : 0);
        time_ns += gap_ns;
        walked_ns += gap_ns > interrupt_ns ? gap_ns - interrupt_ns : 0;
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = STOPS;
}

static void stencil_sampled(struct made_up *made, double read_bytes_s, uint64_t shortest_ns, uint64_t longer_ns, uint64_t interrupt_ns)
{
    stencil_walked(made, 50, read_bytes_s, shortest_ns, longer_ns, interrupt_ns);
}

static void stencil(struct made_up *made, double read_bytes_s)
{
    stencil_sampled(made, read_bytes_s, 100000, 0, 0);
}

/* What the samples themselves took is no time of the walk: a constant, a third of the shortest times. */
Test(bottleneck, a_walks_rate_is_without_the_samples_own_time)
{
    struct made_up *made = calloc(1, sizeof(*made));
    stencil_sampled(made, 9e9, 18000, 24000, 6000);
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->cause, CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(verdict->cause));
    const char *rate = NULL;
    for (size_t at = 0; at < verdict->evidence_count; at++)
        rate = strcmp(verdict->evidence[at].origin, "rate") == 0 ? verdict->evidence[at].text : rate;
    cr_assert(rate && strstr(rate, "arrays in order") && strstr(rate, "in about "), "%s", rate);
    double line_ns = strtod(strstr(rate, "in about ") + strlen("in about "), NULL);
    cr_assert(line_ns > 47 && line_ns < 53, "%s", rate);
    done(made);
    free(made);
}

/* Where a sample takes long, the other timer's comes before the walk has moved at all: the nearest pairs show no speed, farther ones do. */
Test(bottleneck, samples_that_come_while_a_walk_stands_still_do_not_hide_it)
{
    struct made_up *made = calloc(1, sizeof(*made));
    stencil_sampled(made, 9e9, 10000, 100000, 30000);
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->cause, CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(verdict->cause));
    bool says = false;
    for (size_t at = 0; at < verdict->evidence_count; at++)
        says |= strcmp(verdict->evidence[at].origin, "rate") == 0 && strstr(verdict->evidence[at].text, "arrays in order");
    cr_assert(says);
    done(made);
    free(made);
}

/* Whether it is too slow to wait for memory is asked of its own rate: with the samples' time it was 35 ns a line, of these 28. */
Test(bottleneck, a_walk_is_too_slow_by_its_own_rate)
{
    struct made_up *made = calloc(1, sizeof(*made));
    stencil_walked(made, 28, 60e9, 18000, 24000, 6000);
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_expect_neq(verdict->class, BOTTLENECK_MEMORY, "%s", bottleneck_subclass_name(verdict->cause));
    done(made);
    stencil_walked(made, 20, 60e9, 18000, 24000, 6000);
    verdict = verdict_of(made);
    cr_expect_eq(verdict->cause, CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(verdict->cause));
    done(made);
    free(made);
}

/* A walk as fast as its own instructions allow doesn't wait for memory; one that takes little longer isn't surely what memory holds up. */
Test(bottleneck, a_walk_at_its_own_pace_is_no_wait_for_memory)
{
    struct made_up *made = calloc(1, sizeof(*made));
    stencil_walked(made, 6, 9e9, 18000, 24000, 6000);
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_expect_neq(verdict->class, BOTTLENECK_MEMORY, "%s", bottleneck_subclass_name(verdict->cause));
    done(made);
    stencil_walked(made, 10, 9e9, 18000, 24000, 6000);
    verdict = verdict_of(made);
    cr_expect_eq(verdict->cause, CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(verdict->cause));
    cr_expect_lt(verdict->confidence, ESTIMATE_HIGH);
    done(made);
    stencil_walked(made, 20, 9e9, 18000, 24000, 6000);
    verdict = verdict_of(made);
    cr_expect_eq(verdict->cause, CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(verdict->cause));
    cr_expect_eq(verdict->confidence, ESTIMATE_HIGH);
    done(made);
    free(made);
}

/* Faster than its instructions can go: it began anew elsewhere between two samples, and what it left out took no time. */
Test(bottleneck, a_walk_that_leaps_has_no_rate)
{
    for (int leaps = 0; leaps < 2; leaps++) {
        struct made_up *made = calloc(1, sizeof(*made));
        stencil_walked(made, leaps ? 1 : 6, 60e9, 18000, 24000, 6000);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        bool says = false;
        for (size_t at = 0; at < verdict->evidence_count; at++)
            says |= strstr(verdict->evidence[at].text, "a line in about") != NULL;
        cr_expect_eq(says, !leaps, "%d", leaps);
        done(made);
        free(made);
    }
}

/*
 * A list that is moved on by one place, from its end, again and again: met anywhere on its way, at no rate. Each quarter of the time it
 * lies elsewhere, having grown; over so many bytes at a time. Frees nothing.
 */
static const struct bottleneck_verdict *list_moved(struct made_up *made, uint64_t over_bytes)
{
    enum { STOPS = 1000, REGISTERS = 3, PIECES = 4, PIECE_APART = 8 << 20 };
    static const uint8_t numbers[REGISTERS] = {4, 16, 17}; /* RSI, R8, R9 */
    static const uint64_t hits[] = {110, 0, 890, 0, 0};
    static struct stall_sample placed[STOPS];
    loop_make(made, "f3410f6f0431" "4883ee10" "410f11443010" "4839f7" "75eb", hits);
    made->machine.clock_hz = interval_exactly(4.2e9);
    made->machine.read_bytes_s = interval_exactly(20e9);
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(STOPS, sizeof(*samples->items));
    samples->registers = calloc(STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(STOPS * REGISTERS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = STOPS;
    samples->register_value_count = STOPS * REGISTERS;
    uint64_t state = 88172645463325252u;
    for (uint32_t at = 0; at < STOPS; at++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t list = (1ull << 40) + (uint64_t)at * PIECES / STOPS * PIECE_APART, way = state % (over_bytes / 16) * 16;
        uint64_t values[REGISTERS] = {way, list + 8, list}, mask = 0;
        for (size_t one = 0; one < REGISTERS; one++) {
            mask |= (uint64_t)1 << numbers[one];
            samples->register_values[at * REGISTERS + one] = values[one];
        }
        samples->items[at] = (struct sample){.time_ns = at * 330000, .ip = made->rows[0][3].addr, .stack = STACK_NONE, .registers = at};
        samples->registers[at] = (struct registers){.first = at * REGISTERS, .mask = mask};
        placed[at] = (struct stall_sample){.sample = at, .sampled = 3, .stalled = 2};
        made->addresses[made->stalls.address_count++] =
            (struct stall_address){.time_ns = at * 330000, .addr = list + way + 24, .function = 0, .instruction = 2};
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = STOPS;
    return verdict_of(made);
}

/* Where it lay one after the other adds up to more than the second cache holds; at any time that holds it, and its instructions keep up. */
Test(bottleneck, a_list_that_grew_to_other_places_is_no_larger_than_at_a_time)
{
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict = list_moved(made, 800 << 10);
    cr_expect_eq(verdict->cause, CAUSE_L2, "%s", bottleneck_subclass_name(verdict->cause));
    cr_expect_eq(verdict->confidence, ESTIMATE_LOW, "%s", verdict->why_not);
    done(made);
    verdict = list_moved(made, 1400 << 10);
    cr_expect_eq(verdict->cause, CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(verdict->cause));
    cr_expect_lt(verdict->confidence, ESTIMATE_HIGH, "so near to a cache's size nothing but a rate is sure");
    done(made);
    verdict = list_moved(made, 6 << 20);
    cr_expect_eq(verdict->cause, CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(verdict->cause));
    cr_expect_eq(verdict->confidence, ESTIMATE_HIGH, "%s", verdict->why_not);
    done(made);
    free(made);
}

/* A line in 20 ns of each of its streams is a fifth of what one core was measured to read: whatever it waits for, bandwidth is left. */
Test(bottleneck, a_walk_far_below_the_measured_bandwidth_is_not_surely_bandwidth)
{
    struct made_up *made = calloc(1, sizeof(*made));
    stencil_walked(made, 20, 9e9, 18000, 24000, 6000);
    cr_expect_eq(verdict_of(made)->confidence, ESTIMATE_HIGH, "%s", made->result.program.why_not);
    done(made);
    stencil_walked(made, 20, 60e9, 18000, 24000, 6000);
    cr_expect_eq(verdict_of(made)->confidence, ESTIMATE_LOW, "%s", made->result.program.why_not);
    done(made);
    free(made);
}

/*
 * A product of matrices in the wrong order: one load steps by so much, another goes in order, and their product is added up. Samples stand at
 * the multiplication, whose own operand is in order; a line of that in so many ns. columns: in one way of the stepping load.
 */
static const struct bottleneck_verdict *product(struct made_up *made, uint64_t step, uint64_t columns, double line_ns)
{
    enum { STOPS = 1000, REGISTERS = 4 };
    static const uint8_t numbers[REGISTERS] = {0, 2, 3, 4}; /* RAX, RCX, RDX, RSI */
    static const uint64_t hits[] = {10, 500, 90, 200, 100, 100, 0};
    static struct stall_sample placed[STOPS];
    loop_make(made, "f20f1002" "f20f5900" "f20f58c8" "4801f2" "4883c008" "4839c8" "75e8", hits);
    made->machine.clock_hz = interval_exactly(4.2e9);
    made->machine.read_bytes_s = interval_exactly(20e9);
    made->machine.l1_bytes = 48 << 10;
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(STOPS, sizeof(*samples->items));
    samples->registers = calloc(STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(STOPS * REGISTERS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = STOPS;
    samples->register_value_count = STOPS * REGISTERS;
    for (uint32_t at = 0; at < STOPS; at++) {
        uint64_t time_ns = at * 330000ull + at * 7919 % 97 * 1000;
        time_ns = at % 2 ? time_ns : time_ns + 250000;
        uint64_t turn = (uint64_t)((double)time_ns * 8 / line_ns), column = turn % columns;
        uint64_t values[REGISTERS] = {(1ull << 40) + turn * 8 % (6 << 20), (1ull << 40) + (6 << 20), (1ull << 41) + column * step, step}, mask = 0;
        for (size_t one = 0; one < REGISTERS; one++) {
            mask |= (uint64_t)1 << numbers[one];
            samples->register_values[at * REGISTERS + one] = values[one];
        }
        samples->items[at] = (struct sample){.time_ns = time_ns, .ip = made->rows[0][2].addr, .stack = STACK_NONE, .registers = at};
        samples->registers[at] = (struct registers){.first = at * REGISTERS, .mask = mask};
        placed[at] = (struct stall_sample){.sample = at, .sampled = 2, .stalled = 1};
        made->addresses[made->stalls.address_count++] =
            (struct stall_address){.time_ns = time_ns, .addr = values[0], .function = 0, .instruction = 1};
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = STOPS;
    return verdict_of(made);
}

/* Which load is waited for is said by where they go, not by which of them the result retires behind. */
Test(bottleneck, an_operand_that_a_load_brought_from_afar_is_waited_for)
{
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict = product(made, 7168, 896, 60);
    cr_expect_eq(verdict->class, BOTTLENECK_MEMORY, "%s", bottleneck_class_name(verdict->class));
    cr_expect_eq(verdict->cause, CAUSE_L2, "%s", bottleneck_subclass_name(verdict->cause));
    bool says = false;
    for (size_t at = 0; at < verdict->evidence_count; at++)
        says |= strstr(verdict->evidence[at].text, "what a turn computes needs") != NULL;
    cr_expect(says);
    done(made);
    verdict = product(made, 7168, 8960, 60);
    cr_expect_eq(verdict->cause, CAUSE_TLB, "%s", bottleneck_subclass_name(verdict->cause));
    done(made);
    verdict = product(made, 256, 100, 60);
    cr_expect_neq(verdict->cause, CAUSE_L2, "within the nearest cache: %s", bottleneck_subclass_name(verdict->cause));
    done(made);
    free(made);
}

Test(bottleneck, several_streams_share_what_one_has_and_wait_for_it)
{
    struct made_up *made = calloc(1, sizeof(*made));
    stencil(made, 9e9);
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->cause, CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(verdict->cause));
    cr_assert_lt(verdict->confidence, ESTIMATE_HIGH);
    done(made);
    stencil(made, 200e9);
    cr_assert_neq(verdict_of(made)->cause, CAUSE_BANDWIDTH, "no stream is so slow there");
    done(made);
    free(made);
}

enum { WALK_STOPS = 400, WALK_STEP_NS = 12000, WALK_POINTER = 3 };

/*
 * What the first row waits for, whose pointer is at these places at one sample after the other. overwrites: by a byte that it loads; every
 * other sample is taken before that. Frees it.
 */
static enum bottleneck_cause cause_met_at(struct made_up *made, const uint64_t places[WALK_STOPS], bool overwrites)
{
    static struct stall_sample placed[WALK_STOPS];
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(WALK_STOPS, sizeof(*samples->items));
    samples->registers = calloc(WALK_STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(WALK_STOPS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = samples->register_value_count = WALK_STOPS;
    for (uint32_t at = 0; at < WALK_STOPS; at++) {
        samples->items[at] = (struct sample){.time_ns = at * WALK_STEP_NS, .ip = 0x1004, .stack = STACK_NONE, .registers = at};
        samples->registers[at] = (struct registers){.first = at, .mask = 1 << WALK_POINTER};
        samples->register_values[at] = (1ull << 40) + places[at];
        bool is_before = overwrites && at % 2;
        placed[at] = (struct stall_sample){.sample = at, .sampled = !is_before, .stalled = is_before ? 2 : 0};
        made->addresses[made->stalls.address_count++] =
            (struct stall_address){.time_ns = at * WALK_STEP_NS, .addr = samples->register_values[at], .function = 0, .instruction = 0};
        samples->register_values[at] = overwrites && !is_before ? 'a' : samples->register_values[at];
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = WALK_STOPS;
    const struct bottleneck_verdict *verdict = verdict_of(made);
    enum bottleneck_cause cause = verdict->cause;
    done(made);
    free(made);
    return cause;
}

/*
 * A tree's keys: a loop over 15 of them, whose place and whose end are at these places at one sample after the other, and which begins
 * anywhere in 4 MiB. way_left: to its end.
 */
static enum bottleneck_cause keys_met(uint64_t way_left)
{
    enum { PLACE = 3, END = 5 };
    static const uint64_t hits[] = {900, 40, 30, 20, 10};
    static struct stall_sample placed[WALK_STOPS];
    struct made_up *made = calloc(1, sizeof(*made));
    loop_make(made, "4c3b0283d9ff4883c2084839fa75f1", hits);
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(WALK_STOPS, sizeof(*samples->items));
    samples->registers = calloc(WALK_STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(2 * WALK_STOPS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = WALK_STOPS;
    samples->register_value_count = 2 * WALK_STOPS;
    uint64_t state = 88172645463325252u;
    for (uint32_t at = 0; at < WALK_STOPS; at++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t place = (1ull << 40) + state % 16384 * 256;
        samples->items[at] = (struct sample){.time_ns = at * WALK_STEP_NS, .ip = made->rows[0][1].addr, .stack = STACK_NONE, .registers = at};
        samples->registers[at] = (struct registers){.first = 2 * at, .mask = 1 << PLACE | 1 << END};
        samples->register_values[2 * at] = place;
        samples->register_values[2 * at + 1] = place + way_left;
        placed[at] = (struct stall_sample){.sample = at, .sampled = 1, .stalled = 0};
        made->addresses[made->stalls.address_count++] = (struct stall_address){.time_ns = at * WALK_STEP_NS, .addr = place, .function = 0, .instruction = 0};
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = WALK_STOPS;
    enum bottleneck_cause cause = verdict_of(made)->cause;
    done(made);
    free(made);
    return cause;
}

/* By the code alone each of them goes through memory in order; one that ends after two lines goes where it begins. */
Test(bottleneck, a_loop_over_a_few_keys_is_no_walk_through_memory)
{
    cr_expect_eq(keys_met(120), CAUSE_PARALLEL_MISSES, "%s", bottleneck_subclass_name(keys_met(120)));
    cr_expect_eq(keys_met(1 << 20), CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(keys_met(1 << 20)));
}

/*
 * A tree's function that calls itself with a child: loaded through the pointer that it was called with, which lay on the stack meanwhile.
 * Or with what isn't loaded so.
 */
static const struct bottleneck_verdict *recursion(struct made_up *made, bool with_child)
{
    static const uint64_t hits[] = {0, 960, 20, 0, 10, 10, 0, 0};
    loop_make(made, with_child ? "4889442440" "488b5010" "4839d1" "740e" "488b542440" "488b4208" "e8e4ffffff" "c3"
                               : "4889442440" "488b5010" "4839d1" "740e" "488b542440" "488d4208" "e8e4ffffff" "c3", hits);
    for (uint32_t at = 0; at < made->codes[0].count; at++)
        made->loops[0][at] = (struct loop_rows){UINT32_MAX, UINT32_MAX};
    addresses_add(made, 1, 64 << 20);
    return verdict_of(made);
}

Test(bottleneck, a_chain_of_loads_passes_the_calls_of_what_calls_itself)
{
    struct made_up *made = calloc(1, sizeof(*made));
    for (int with_child = 0; with_child < 2; with_child++) {
        const struct bottleneck_verdict *verdict = recursion(made, with_child);
        cr_expect_eq(verdict->cause, with_child ? CAUSE_LATENCY : CAUSE_PARALLEL_MISSES, "%s", bottleneck_subclass_name(verdict->cause));
        cr_expect_eq(verdict->confidence, with_child ? ESTIMATE_MEDIUM : ESTIMATE_LOW, "%s", verdict->why_not);
        for (size_t at = 0; at < verdict->evidence_count; at++)
            cr_expect_null(strstr(verdict->evidence[at].text, "several are under way"), "%s", verdict->evidence[at].text);
        done(made);
    }
    free(made);
}

/* A loop over strings of a few words, each somewhere else: what is left of one is counted beside its place. left: of the sampled ones. */
static enum bottleneck_cause strings_compared(uint64_t left)
{
    enum { REGISTERS = 3 };
    static const uint8_t numbers[REGISTERS] = {1, 4, 5}; /* RBX, RSI, RDI */
    static const uint64_t hits[] = {20, 0, 0, 960, 10, 0, 0, 0, 0};
    static struct stall_sample placed[WALK_STOPS];
    struct made_up *made = calloc(1, sizeof(*made));
    loop_make(made, "4883fb08" "761b" "488b0e" "488b17" "4883c608" "4883c708" "4883eb08" "4839d1" "74e3", hits);
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(WALK_STOPS, sizeof(*samples->items));
    samples->registers = calloc(WALK_STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(REGISTERS * WALK_STOPS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = WALK_STOPS;
    samples->register_value_count = REGISTERS * WALK_STOPS;
    uint64_t state = 88172645463325252u;
    for (uint32_t at = 0; at < WALK_STOPS; at++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t place = (1ull << 40) + state % 65536 * 64, values[REGISTERS] = {left, 1ull << 41, place}, mask = 0;
        for (size_t one = 0; one < REGISTERS; one++) {
            mask |= (uint64_t)1 << numbers[one];
            samples->register_values[REGISTERS * at + one] = values[one];
        }
        samples->items[at] = (struct sample){.time_ns = at * WALK_STEP_NS, .ip = made->rows[0][4].addr, .stack = STACK_NONE, .registers = at};
        samples->registers[at] = (struct registers){.first = REGISTERS * at, .mask = mask};
        placed[at] = (struct stall_sample){.sample = at, .sampled = 4, .stalled = 3};
        made->addresses[made->stalls.address_count++] = (struct stall_address){.time_ns = at * WALK_STEP_NS, .addr = place, .function = 0, .instruction = 3};
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = WALK_STOPS;
    enum bottleneck_cause cause = verdict_of(made)->cause;
    done(made);
    free(made);
    return cause;
}

Test(bottleneck, strings_of_a_few_words_are_no_walk_through_memory)
{
    cr_expect_eq(strings_compared(16), CAUSE_PARALLEL_MISSES, "%s", bottleneck_subclass_name(strings_compared(16)));
    cr_expect_eq(strings_compared(1 << 20), CAUSE_BANDWIDTH, "%s", bottleneck_subclass_name(strings_compared(1 << 20)));
}

/* A loop of one load. step: what the code adds to its pointer a turn; 0: it doesn't say. */
static enum bottleneck_cause met_at(const uint64_t places[WALK_STOPS], int64_t step)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "goes");
    access_add(made, INSTRUCTION_LOAD_OP, WALK_POINTER, SAMPLES - 10)->writes = 1 << 5;
    struct instruction *moves = row_add(made, INSTRUCTION_INT, 10);
    moves->writes = 1 << WALK_POINTER;
    moves->step_register = step ? WALK_POINTER : REGISTER_NONE;
    moves->step_by = REGISTER_NONE;
    moves->step = step;
    loop_close(made, 0);
    return cause_met_at(made, places, false);
}

/* From node to node, each of which says where the next one is: all side by side. */
static enum bottleneck_cause list_in_order(double bytes_per_ns, double read_bytes_s)
{
    uint64_t places[WALK_STOPS];
    for (uint32_t at = 0; at < WALK_STOPS; at++)
        places[at] = ((uint64_t)(at * WALK_STEP_NS * bytes_per_ns) & ~63ull) + at * 7919 % 97 * 64;
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 64);
    made->stalls.address_count = 0;
    made->machine.read_bytes_s = interval_exactly(read_bytes_s);
    return cause_met_at(made, places, false);
}

/* A chase of two steps a turn: the one goes to even lines, the other to odd ones. */
Test(bottleneck, what_an_unrolled_chase_goes_over_is_what_all_its_steps_do)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "walk");
    for (uint32_t row = 0; row < 2; row++)
        access_add(made, INSTRUCTION_LOAD, 3, SAMPLES / 2)->writes = 1 << 3;
    row_add(made, INSTRUCTION_INT, 10);
    loop_close(made, 0);
    for (uint32_t row = 0; row < 2; row++) {
        addresses_add(made, row, 512 << 10);
        for (size_t at = row * ADDRESSES; at < (row + 1) * ADDRESSES; at++) {
            made->addresses[at].addr = (1ull << 40) + (made->addresses[at].addr - (1ull << 40)) * 2 + row * 64;
            made->addresses[at].time_ns = (2 * made->addresses[at].time_ns + row * 333000);
        }
    }
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert(verdict->set.lines_bytes > 750e3 && verdict->set.lines_bytes < 1.4e6, "%g", verdict->set.lines_bytes);
    done(made);
    free(made);
}

/* Byte for byte through a text, where each says how far to go on: what lies ahead is fetched meanwhile, at a line in 51 ns. */
Test(bottleneck, a_scan_whose_bytes_say_where_it_goes_on_does_not_wait_for_memory)
{
    uint64_t places[WALK_STOPS];
    for (uint32_t at = 0; at < WALK_STOPS; at++)
        places[at] = (uint64_t)(at * WALK_STEP_NS * 1.25) + at * 7919 % 97 * 8;
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 64);
    made->stalls.address_count = 0;
    made->rows[0][0].memory.size_bytes = 1;
    made->marks[0][0] = MARK_ADDRESSED;
    enum bottleneck_cause cause = cause_met_at(made, places, true);
    cr_assert_eq(cause, CAUSE_L1_LATENCY, "%s", bottleneck_subclass_name(cause));
}

/* Down the columns of a matrix whose rows are 16 KiB, four bytes on each time: 1024 lines in 8 sets of the second cache. */
Test(bottleneck, a_column_whose_lines_share_few_sets_leaves_the_cache)
{
    uint64_t places[WALK_STOPS];
    for (uint64_t at = 0; at < WALK_STOPS; at++)
        places[at] = at * 2654435761u % 1024 * 16384 + at / 64 * 4;
    cr_assert_neq(met_at(places, 16384), CAUSE_L2);
}

Test(bottleneck, a_list_whose_nodes_lie_in_order_is_read_as_fast_as_an_array)
{
    cr_assert_eq(list_in_order(8, 12e9), CAUSE_BANDWIDTH);
    cr_assert_eq(list_in_order(2, 12e9), CAUSE_LATENCY, "a line in 32 ns, where 5 would do");
}

/* At one speed, a page on each time, so that most lines on its way are never met; by what it moves, the code doesn't say. */
static enum bottleneck_cause down_a_column(double bytes_per_ns)
{
    uint64_t places[WALK_STOPS];
    for (uint32_t at = 0; at < WALK_STOPS; at++)
        places[at] = ((uint64_t)(at * WALK_STEP_NS * bytes_per_ns) & ~4095ull) % (256 << 20) + at * 64 % 4096;
    return met_at(places, 0);
}

Test(bottleneck, a_walk_along_a_column_is_not_in_order)
{
    cr_assert_neq(down_a_column(4096 / 5.0), CAUSE_BANDWIDTH);
    cr_assert_neq(down_a_column(140), CAUSE_BANDWIDTH, "waiting at each: still faster than any memory gives what lies between");
}

/* Its code goes from entry to entry in both: a hash table's few entries, each time of another bucket, and an array from end to end. */
Test(bottleneck, a_few_steps_each_time_elsewhere_are_no_walk)
{
    uint64_t buckets[WALK_STOPS], array[WALK_STOPS];
    unsigned short state[3] = {5, 7, 11};
    for (uint32_t at = 0; at < WALK_STOPS; at++) {
        buckets[at] = (uint64_t)(erand48(state) * (64 << 20)) & ~31ull;
        array[at] = (at * WALK_STEP_NS * 10ull % (64 << 20)) & ~31ull;
    }
    cr_assert_neq(met_at(buckets, 32), CAUSE_BANDWIDTH, "its misses, or their translations");
    cr_assert_eq(met_at(array, 32), CAUSE_BANDWIDTH);
}

/* Two loads a turn: one reads a constant, and nothing says that the other doesn't miss. */
Test(bottleneck, nothing_is_sure_of_a_loop_whose_other_access_is_not_known)
{
    static const uint64_t even[] = {100, 100, 100, 100, 100, 100, 100, 100, 100};
    struct made_up *made = calloc(1, sizeof(*made));
    for (uint32_t known = 1; known <= 2; known++) {
        (void)loop_verdict(made, "48030748031649ffc149ffc249ffc348ffc348ffc149ffc875e6", even);
        for (int at = 0; at < ADDRESSES; at++)
            made->addresses[made->stalls.address_count++] = (struct stall_address){
                .time_ns = (uint64_t)at * 333000, .addr = 1ull << 40, .function = 0, .instruction = (uint32_t)at % known};
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->class, BOTTLENECK_RETIRING);
        cr_assert_eq(verdict->confidence, known == 2 ? ESTIMATE_HIGH : ESTIMATE_MEDIUM, "of %u known", known);
        done(made);
    }
    free(made);
}

/* ---- what is whose ---- */

Test(bottleneck, each_function_and_row_has_its_own_addresses_in_the_order_in_which_they_came)
{
    static const struct stall_address hits[] = {{.function = 1, .instruction = 2}, {.function = 0, .instruction = 1},
                                                {.function = 1, .instruction = 0}, {.function = 1, .instruction = 2},
                                                {.function = 7, .instruction = 0}, {.function = 1, .instruction = 9}};
    static const struct stall_sample placed[] = {{.function = 1}, {.function = 0}, {.function = 1}};
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    for (int at = 0; at < 2; at++) {
        function_begin(made, "rest");
        for (int row = 0; row < 3; row++)
            row_add(made, INSTRUCTION_INT, 0);
    }
    made->stalls.addresses = (struct stall_address *)hits;
    made->stalls.address_count = sizeof(hits) / sizeof(hits[0]);
    made->stalls.placed = (struct stall_sample *)placed;
    made->stalls.placed_count = sizeof(placed) / sizeof(placed[0]);
    const struct code_index *index = code_index_new(&made->stalls, &made->arena);
    struct index_part part = code_index_row_addresses(index, 1, 2);
    cr_assert(part.count == 2 && part.items[0] == 0 && part.items[1] == 3);
    part = code_index_addresses(index, 1);
    cr_assert(part.count == 4 && part.items[0] == 0 && part.items[1] == 2 && part.items[2] == 3 && part.items[3] == 5);
    part = code_index_placed(index, 0);
    cr_assert(part.count == 1 && part.items[0] == 1);
    cr_assert_eq(code_index_row_addresses(index, 0, 0).count, 0);
    cr_assert_eq(code_index_addresses(index, 7).count, 0);
    made->stalls.addresses = NULL;
    made->stalls.placed = NULL;
    done(made);
    free(made);
}

/* Three runs of one program, whose memory lies elsewhere each time: the first has the most addresses. */
Test(bottleneck, addresses_are_of_one_process_where_it_has_enough)
{
    enum { OF_FIRST = 40, OF_OTHERS = 25 };
    static struct stall_address hits[OF_FIRST + 2 * OF_OTHERS];
    for (size_t at = 0; at < array_count(hits); at++)
        hits[at] = (struct stall_address){.addr = at * 64, .pid = at < OF_FIRST ? 1 : at < OF_FIRST + OF_OTHERS ? 2 : 3};
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "it");
    row_add(made, INSTRUCTION_INT, 0);
    made->stalls.addresses = hits;
    made->stalls.address_count = array_count(hits);
    const struct code_index *index = code_index_new(&made->stalls, &made->arena);
    cr_expect_eq(code_index_addresses(index, 0).count, OF_FIRST);
    cr_expect_eq(code_index_row_addresses(index, 0, 0).count, OF_FIRST);
    made->stalls.address_count = OF_OTHERS; /* too few of the first */
    hits[0].pid = 2;
    index = code_index_new(&made->stalls, &made->arena);
    cr_expect_eq(code_index_addresses(index, 0).count, OF_OTHERS);
    made->stalls.addresses = NULL;
    done(made);
    free(made);
}

/* volatile double x: x = x * c goes round through the stack; what multiplies waits for what was stored as much as what loads. */
Test(bottleneck, a_chain_through_memory_has_its_arithmetic_too)
{
    static const uint64_t hits[] = {350, 550, 90, 5, 5};
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict = loop_verdict(made, "f20f104424f8f20f59c1f20f114424f84883e80175ea", hits);
    cr_assert_eq(verdict->cause, CAUSE_STORE_FORWARDING, "%s", bottleneck_subclass_name(verdict->cause));
    cr_assert(verdict->recoverable.known && strcmp(verdict->recoverable_how, "what wider vectors leave of a turn") != 0);
    done(made);
    free(made);
}

/* ---- what a remedy returns ---- */

static double gain_kept(struct made_up *made, const char *hex)
{
    static const uint64_t hits[] = {660, 330, 10, 0, 0};
    loop_make(made, hex, hits);
    made->marks[0][0] = MARK_CHAINED;
    addresses_add(made, 0, 12 << 10);
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->cause, CAUSE_LATENCY_CHAIN, "%s", bottleneck_subclass_name(verdict->cause));
    double low = verdict->recoverable.low;
    done(made);
    return low;
}

/* sum += a[i]; b[i] = sum, or = another number: sums in parts side by side have to be put right at each step that is kept. */
Test(bottleneck, a_chain_whose_steps_are_kept_returns_less)
{
    struct made_up *made = calloc(1, sizeof(*made));
    double kept = gain_kept(made, "f20f580401f20f1104024883c0084839f875ed"), dropped = gain_kept(made, "f20f580401f20f110c024883c0084839f875ed");
    cr_assert(kept > 0 && kept < 0.75 * dropped, "%.3f %.3f", kept, dropped);
    free(made);
}

/* A turn measured at ten times its bound, which is a chain; issue takes a fifth of that. */
static double gain_high(enum bottleneck_class class, enum bottleneck_cause cause)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    struct stall_code code = {.items = made->rows[0], .marks = made->marks[0], .count = 1};
    struct region region = {.code = &code, .is_loop = true, .samples = SAMPLES};
    struct loop_look look = {.region = &region, .pace = {.over_bound = 10}};
    look.resources.bound = (struct loop_bound){.known = true, .cycles = 10, .frontend_cycles = 2, .unit_cycles = 1, .chain = {.cycles = 10}};
    memset(look.hottest, 0xff, sizeof(look.hottest));
    struct bottleneck_verdict verdict = {.class = class, .cause = cause, .share = interval_of(1, 1, 1)};
    recoverable_find(&verdict, &look, &made->machine, 1, 0, &made->arena);
    done(made);
    free(made);
    return verdict.recoverable.high;
}

Test(bottleneck, code_without_its_branch_has_turns_side_by_side)
{
    cr_assert_float_eq(gain_high(BOTTLENECK_MEMORY, CAUSE_PARALLEL_MISSES), 0.9, 1e-9);
    cr_assert_float_eq(gain_high(BOTTLENECK_MEMORY, CAUSE_BANDWIDTH), 0.99, 1e-9);
    cr_assert_float_eq(gain_high(BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL), 0.99, 1e-9);
}

/* A hash by a table, fed back: 18 cycles of a turn's 36 are its own, of which chains side by side leave little. */
Test(bottleneck, a_chase_with_arithmetic_may_return_more_than_its_misses)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    struct stall_code code = {.items = made->rows[0], .marks = made->marks[0], .count = 1};
    struct region region = {.code = &code, .is_loop = true, .samples = SAMPLES};
    struct loop_look look = {.region = &region, .pace = {.over_bound = 2}};
    look.resources.bound = (struct loop_bound){.known = true, .cycles = 18, .frontend_cycles = 3, .chain = {.cycles = 18}};
    struct bottleneck_verdict verdict = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_LATENCY, .share = interval_of(0.8, 0.8, 0.8)};
    made->marks[0][0] = MARK_ADDRESSED;
    recoverable_find(&verdict, &look, &made->machine, 1, 0, &made->arena);
    cr_expect(verdict.recoverable.low < 0.3 && verdict.recoverable.high > 0.9, "%.2f to %.2f", verdict.recoverable.low, verdict.recoverable.high);
    done(made);
    free(made);
}

/* Of what is laid at wrong guesses of targets, three tenths stand where only these put it. */
Test(bottleneck, targets_return_what_stands_where_they_lead_at_least)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    struct bottleneck_verdict verdict = {.class = BOTTLENECK_BAD_SPECULATION, .cause = CAUSE_INDIRECT, .share = interval_of(0.9, 0.9, 0.9)};
    recoverable_find(&verdict, NULL, &made->machine, 1, 0.3, &made->arena);
    cr_expect_float_eq(verdict.recoverable.low, 0.15, 1e-9);
    cr_expect_float_eq(verdict.recoverable.high, 0.9, 1e-9);
    recoverable_find(&verdict, NULL, &made->machine, 1, 0, &made->arena);
    cr_expect_float_eq(verdict.recoverable.low, 0.45, 1e-9, "where that isn't known");
    done(made);
    free(made);
}

/* Two such loops: what else is met in either returns with its misses, not in the hotter one alone. */
Test(bottleneck, what_misses_return_is_counted_in_all_loops_that_wait_so)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    for (int at = 0; at < 2; at++) {
        function_begin(made, "walk");
        access_add(made, INSTRUCTION_LOAD, 3, SAMPLES / 2 - 150)->writes = 1 << 3;
        row_add(made, INSTRUCTION_MUL, 150);
        loop_close(made, 0);
        addresses_add(made, 0, 256 << 20);
    }
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->class, BOTTLENECK_MEMORY);
    cr_assert(verdict->share.high < 0.8 && verdict->recoverable.high > 0.9, "%.3f", verdict->recoverable.high);
    done(made);
    free(made);
}

/* Nothing waits for what a walk across rows stores or loads: its misses stay when its walks of page tables go. */
Test(bottleneck, a_walk_across_pages_may_return_little)
{
    struct made_up made;
    columns(&made, false);
    const struct bottleneck_verdict *verdict = verdict_of(&made);
    cr_assert_eq(verdict->cause, CAUSE_TLB);
    cr_assert(verdict->recoverable.low > 0.05 && verdict->recoverable.low < 0.1, "%.3f", verdict->recoverable.low);
    done(&made);
}

/* Samples of a thread that never left its loop, near and far apart: so many cycles of 3 GHz a turn by its counter in RAX; it begins anew after so many turns. */
static void turns_seen(struct made_up *made, uint32_t row, double turn_cycles, uint64_t step, uint64_t run_turns)
{
    enum { STOPS = 800 };
    static struct stall_sample placed[STOPS];
    struct samples *samples = &made->recording.samples;
    made->machine.clock_hz = interval_exactly(3e9);
    samples->items = calloc(STOPS, sizeof(*samples->items));
    samples->registers = calloc(STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(STOPS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = samples->register_value_count = STOPS;
    uint64_t time_ns = 0;
    for (uint32_t at = 0; at < STOPS; at++) {
        samples->items[at] = (struct sample){.time_ns = time_ns, .ip = 0x1000, .stack = STACK_NONE, .registers = at};
        samples->registers[at] = (struct registers){.first = at, .mask = 1};
        samples->register_values[at] = step * ((uint64_t)((double)time_ns * 3 / turn_cycles) % run_turns);
        placed[at] = (struct stall_sample){.sample = at, .sampled = row + 1, .stalled = row};
        time_ns += (at % 3 ? 30000 : 300000) + at * 7919 % 20000;
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = STOPS;
}

static bool is_evidenced(const struct bottleneck_verdict *verdict, const char *word)
{
    bool found = false;
    for (size_t at = 0; at < verdict->evidence_count; at++)
        found |= strstr(verdict->evidence[at].text, word) != NULL;
    return found;
}

/*
 * a[i] = a[i] * c + b[i]: one multiplication holds nearly all samples. With numbers below the smallest normal one each turn takes
 * hundreds of cycles, and its rate says so; at its own pace, or where nobody knows, it isn't said to take longer than it should.
 */
Test(bottleneck, arithmetic_that_takes_longer_than_it_should_is_said)
{
    static const uint64_t slow[] = {5, 875, 110, 5, 5, 0, 0}, even[] = {400, 300, 10, 10, 290, 0, 0};
    static const char code[] = "f30f100403f30f59c1f30f580402f30f1104034883c004483d0010000075e1";
    static const double turn_cycles[] = {160, 1.9, 0};
    struct made_up *made = calloc(1, sizeof(*made));
    for (size_t at = 0; at < array_count(turn_cycles); at++) {
        loop_make(made, code, slow);
        if (turn_cycles[at] > 0)
            turns_seen(made, 1, turn_cycles[at], 4, UINT32_MAX);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        bool is_slower = turn_cycles[at] > 100;
        cr_assert_eq(made->result.loops[0].measured_cycles.known, turn_cycles[at] > 0, "%s", made->result.loops[0].measured_cycles.why_not);
        cr_assert_eq(verdict->cause, is_slower ? CAUSE_FP : CAUSE_RETIRING, "%g: %s", turn_cycles[at], bottleneck_class_name(verdict->class));
        cr_assert_eq(made->result.loops[0].fp_is_unexplained, is_slower);
        cr_assert_eq(is_evidenced(verdict, "measured"), turn_cycles[at] > 0, "beside the bound");
        cr_assert(!verdict->recoverable.known && verdict->recoverable_why);
        cr_assert(turn_cycles[at] > 0 || (verdict->confidence == ESTIMATE_LOW && strstr(verdict->why_not, "could not be measured")),
                  "it may take longer, or not: %s", verdict->why_not);
        done(made);
    }
    (void)loop_verdict(made, code, even);
    cr_assert_not(made->result.loops[0].fp_is_unexplained, "as it retires");
    done(made);
    free(made);
}

/* A sum down the columns of a matrix, 7200 bytes a step, or of an array; samples stand at the addition, as they do in some runs. */
Test(bottleneck, a_chain_beside_far_loads_is_no_more_than_likely_where_its_turn_was_not_measured)
{
    static const struct {
        const char *code;
        uint64_t step, run_turns;
        bool is_open;
    } rows[] = {{"f20f10004805201c0000f20f58c84839c175ed", 7200, 901, true},        /* movsd (%rax); add $7200,%rax; addsd; cmp; jne */
                {"f20f10004805201c0000f20f58c84839c175ed", 7200, UINT32_MAX, false}, /* measured */
                {"f20f10004805201c0000f20f58c84839c175ed", 7200, 9, false},          /* near */
                {"f20f10004883c00890f20f58c84839c175ee", 8, 90001, false}};          /* line by line */
    static const uint64_t hits[] = {20, 10, 940, 10, 10, 0};
    struct made_up *made = calloc(1, sizeof(*made));
    for (size_t at = 0; at < array_count(rows); at++) {
        loop_make(made, rows[at].code, hits);
        turns_seen(made, 2, 4.1, rows[at].step, rows[at].run_turns);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->cause, CAUSE_LATENCY_CHAIN, "%zu: %s", at, bottleneck_subclass_name(verdict->cause));
        cr_assert_eq(made->result.loops[0].loads_far, rows[at].is_open, "%zu", at);
        cr_assert_eq(verdict->confidence == ESTIMATE_LOW, rows[at].is_open, "%zu: %s", at, verdict->why_not);
        done(made);
    }
    free(made);
}

/* ---- what a remedy returns ---- */

static const struct bottleneck_verdict *vectors_verdict(struct made_up *made, uint16_t bits, double widest_bits)
{
    make_up(made);
    made->machine.widest_bits = widest_bits;
    function_begin(made, "scale");
    for (int at = 0; at < 2; at++) {
        struct instruction *row = row_add(made, INSTRUCTION_FP, SAMPLES / 2);
        row->vector_bits = bits;
        row->is_fp = true;
    }
    loop_close(made, 0);
    return verdict_of(made);
}

/* A function that no loop is around, and a loop that vectors can't compute: nothing says what wider ones would return. */
Test(bottleneck, wider_vectors_are_no_remedy_where_code_has_no_turns_for_them)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    made->machine.widest_bits = 512;
    function_begin(made, "sine");
    for (int at = 0; at < 4; at++) {
        struct instruction *row = row_add(made, INSTRUCTION_FP, SAMPLES / 4);
        row->vector_bits = 128;
        row->is_fp = row->is_scalar_fp = true;
    }
    row_add(made, INSTRUCTION_RETURN, 0);
    for (size_t at = 0; at < made->codes[0].count; at++)
        made->loops[0][at] = (struct loop_rows){UINT32_MAX, UINT32_MAX};
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->cause, CAUSE_FP, "%s", bottleneck_subclass_name(verdict->cause));
    cr_assert(!verdict->recoverable.known && strstr(verdict->recoverable_why, "no loop"));
    done(made);
    free(made);
}

/* Who wrote vectors by hand may write wider ones: that code which computes in them can't is nothing that its loop says. */
Test(bottleneck, a_loop_of_vectors_is_not_denied_wider_ones)
{
    static const struct {
        bool is_scalar;
        double widest_bits;
        const char *said;
    } cases[] = {{false, 512, "its vectors have 128 bits and this CPU's 512"}, {false, 128, "wider vectors can't compute it"}, {true, 512, "wider vectors can't compute it"}};
    struct made_up *made = calloc(1, sizeof(*made));
    for (size_t at = 0; at < array_count(cases); at++) {
        make_up(made);
        made->machine.widest_bits = cases[at].widest_bits;
        function_begin(made, "kernel");
        for (int row_at = 0; row_at < 4; row_at++) {
            struct instruction *row = row_add(made, row_at ? INSTRUCTION_FP : INSTRUCTION_FP_DIV, row_at ? SAMPLES / 3 : 0);
            row->vector_bits = 128;
            row->mnemonic = row_at ? "mulps" : "divps";
            row->is_fp = true;
            row->is_scalar_fp = cases[at].is_scalar;
        }
        loop_close(made, 0);
        const struct bottleneck_verdict *verdict = verdict_of(made);
        cr_assert_eq(verdict->cause, CAUSE_FP, "%s", bottleneck_subclass_name(verdict->cause));
        cr_expect(!verdict->recoverable.known && strstr(verdict->recoverable_why, cases[at].said), "%zu: %s", at, verdict->recoverable_why);
        done(made);
    }
    free(made);
}

Test(bottleneck, wider_vectors_return_what_this_machine_has)
{
    struct made_up *made = calloc(1, sizeof(*made));
    const struct bottleneck_verdict *verdict = vectors_verdict(made, 256, 256);
    cr_assert_eq(verdict->cause, CAUSE_FP);
    cr_assert_leq(verdict->recoverable.high, 0.5, "one instruction for two at most: %f", verdict->recoverable.high);
    cr_assert_eq(verdict->recoverable.low, 0);
    done(made);
    verdict = vectors_verdict(made, 128, 128);
    cr_assert_eq(verdict->recoverable.high, 0, "there is nothing wider: %f", verdict->recoverable.high);
    done(made);
    verdict = vectors_verdict(made, 256, 512);
    cr_assert(verdict->recoverable.low > 0.3 && verdict->recoverable.high > 0.7);
    done(made);
    verdict = vectors_verdict(made, 128, 0);
    cr_assert(verdict->recoverable.low == 0 && verdict->recoverable.high > 0.8, "not known what it has");
    done(made);
    free(made);
}

/* ---- string instructions ---- */

/* Stopped anywhere on its way through 8000 bytes, at most, of one search. */
static bool says_how_much_moves(struct made_up *made, uint8_t flags_written)
{
    enum { STOPS = 100, COUNTER = 2 };
    static struct stall_sample placed[STOPS];
    make_up(made);
    function_begin(made, "through");
    struct instruction *row = access_add(made, INSTRUCTION_STRING, 5, SAMPLES - 10);
    row->repeats = true;
    row->repeat_register = COUNTER;
    row->flags_written = flags_written;
    row->memory.size_bytes = 1;
    row_add(made, INSTRUCTION_INT, 10);
    loop_close(made, 0);
    addresses_add(made, 0, 64 << 20);
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(STOPS, sizeof(*samples->items));
    samples->registers = calloc(STOPS, sizeof(*samples->registers));
    samples->register_values = calloc(STOPS, sizeof(*samples->register_values));
    samples->count = samples->registers_count = samples->register_value_count = STOPS;
    for (uint32_t at = 0; at < STOPS; at++) {
        samples->items[at] = (struct sample){.stack = STACK_NONE, .registers = at, .thread = UINT32_MAX};
        samples->registers[at] = (struct registers){.first = at, .mask = 1 << COUNTER};
        samples->register_values[at] = at * 80;
        placed[at] = (struct stall_sample){.sample = at, .sampled = 0, .stalled = 0};
    }
    made->stalls.placed = placed;
    made->stalls.placed_count = STOPS;
    const struct bottleneck_verdict *verdict = verdict_of(made);
    bool says = false;
    for (size_t at = 0; at < verdict->evidence_count; at++)
        says |= strstr(verdict->evidence[at].text, "one call of it moves") != NULL;
    return says;
}

Test(bottleneck, a_search_that_ends_early_moves_no_known_amount)
{
    struct made_up *made = calloc(1, sizeof(*made));
    cr_assert(says_how_much_moves(made, 0));
    done(made);
    cr_assert_not(says_how_much_moves(made, 1), "what it left behind isn't what it had still to do");
    done(made);
    free(made);
}

/* The hottest load's answer decides where to go on, and both ways are taken. */
Test(bottleneck, a_search_waits_for_memory_and_guesses_wrong)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "seek");
    row_add(made, INSTRUCTION_INT, 20);
    access_add(made, INSTRUCTION_LOAD_OP, 3, SAMPLES - 40);
    struct instruction *branch = row_add(made, INSTRUCTION_BRANCH, 0);
    branch->has_target = true;
    branch->target = branch->addr + 2 * 4;
    row_add(made, INSTRUCTION_MOVE, 10);
    row_add(made, INSTRUCTION_INT, 10);
    loop_close(made, 0);
    made->sampled[0][2] = 0;
    made->sampled[0][3] = made->sampled[0][4] = SAMPLES / 2;
    addresses_add(made, 1, 256 << 20);
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->class, BOTTLENECK_MIXED, "%s", bottleneck_class_name(verdict->class));
    cr_assert_lt(verdict->confidence, ESTIMATE_HIGH);
    done(made);
    free(made);
}

/* ---- where nothing can be said ---- */

static void expect_unknown(struct made_up *made, const char *because)
{
    const struct bottleneck_verdict *verdict = verdict_of(made);
    cr_assert_eq(verdict->class, BOTTLENECK_UNKNOWN);
    cr_assert_eq(verdict->confidence, ESTIMATE_NONE);
    cr_assert_not(verdict->share.known || verdict->recoverable.known);
    cr_assert_not_null(strstr(verdict->why_not, because), "%s", verdict->why_not);
}

Test(bottleneck, it_says_when_it_does_not_know)
{
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 512 << 20);
    made->stalls.attributed = false;
    expect_unknown(made, "self-test");
    made->stalls.attributed = true;
    made->stalls.kernel_samples = SAMPLES * 2;
    made->stalls.sample_count = SAMPLES * 3;
    expect_unknown(made, "kernel");
    made->stalls.kernel_samples = 0;
    made->stalls.sample_count = 60;
    expect_unknown(made, "too few");
    made->stalls.sample_count = SAMPLES * 3;
    made->stalls.blind_samples = SAMPLES * 2;
    expect_unknown(made, "could not be told");
    const struct bottleneck_request waits = {.stalls = &made->stalls, .recording = &made->recording, .machine = &made->machine,
                                             .not_a_cpu_problem = "it waits"};
    bottleneck_find(&made->result, &waits, &made->arena);
    cr_assert_str_eq(made->result.program.why_not, "it waits");
    done(made);
    free(made);
}

/* A loop with a way out in its middle, met `seldom` times on it and `often` times where it goes on. */
static enum bottleneck_class class_with_exit(uint64_t seldom, uint64_t often)
{
    struct made_up *made = calloc(1, sizeof(*made));
    make_up(made);
    function_begin(made, "rounds");
    for (int at = 0; at < 4; at++)
        row_add(made, INSTRUCTION_INT, 300);
    struct instruction *leave = row_add(made, INSTRUCTION_BRANCH, often);
    for (int at = 0; at < 4; at++)
        row_add(made, INSTRUCTION_INT, 300);
    loop_close(made, 300);
    struct instruction *behind = row_add(made, INSTRUCTION_INT, 0);
    leave->has_target = true;
    leave->target = behind->addr;
    made->sampled[0][made->codes[0].count - 1] = seldom;
    enum bottleneck_class class = verdict_of(made)->class;
    done(made);
    free(made);
    return class;
}

Test(bottleneck, an_exit_that_hardly_a_sample_shows_is_no_guess)
{
    cr_assert_eq(class_with_exit(3, 6), BOTTLENECK_RETIRING, "nine samples of three thousand");
    cr_assert_neq(class_with_exit(400, 600), BOTTLENECK_RETIRING, "it ends often, and each end may be guessed wrong");
}

/* So few that hardly a line is met twice: they are more than the first cache holds, and may be far more than the second. */
Test(bottleneck, a_lower_bound_is_no_level)
{
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 512 << 20);
    made->stalls.address_count = 170;
    cr_assert_neq(verdict_of(made)->cause, CAUSE_L2);
    done(made);
    free(made);
}

Test(bottleneck, few_samples_never_make_it_sure)
{
    struct made_up *made = calloc(1, sizeof(*made));
    chase(made, 512 << 20);
    made->codes[0].hits[0] = 300;
    made->stalls.sample_count = 310;
    cr_assert_lt(verdict_of(made)->confidence, ESTIMATE_HIGH);
    done(made);
    free(made);
}

/* ---- code beyond its caches ---- */

static void code_samples(struct made_up *made, unsigned count, uint64_t offset_in_line)
{
    make_up(made);
    function_begin(made, "large");
    row_add(made, INSTRUCTION_INT, count);
    row_add(made, INSTRUCTION_INT, 0);
    loop_close(made, 0);
    made->recording.event_count = 1;
    made->recording.events = arena_array(&made->arena, struct recorded_event, 1);
    made->recording.events[0] = (struct recorded_event){.name = "cpu-clock", .counts_ns = true};
    struct samples *samples = &made->recording.samples;
    samples->items = calloc(count, sizeof(*samples->items));
    samples->locations = calloc(count, sizeof(*samples->locations));
    samples->count = samples->location_count = samples->capacity = samples->location_capacity = count;
    for (uint32_t at = 0; at < count; at++) {
        samples->locations[at] = (struct location){.runtime_addr = 0x400000 + at * 64 + offset_in_line, .cpu_mode = CPU_MODE_USER};
        samples->items[at] = (struct sample){.location = at, .stack = STACK_NONE, .registers = REGISTERS_NONE, .thread = UINT32_MAX};
    }
    made->stalls.hot_addresses = made->stalls.hot_code_lines = count;
}

Test(bottleneck, code_beyond_its_cache_shows_at_the_beginning_of_lines)
{
    struct made_up *made = calloc(1, sizeof(*made));
    code_samples(made, 3000, 0);
    expect(made, BOTTLENECK_FRONTEND, CAUSE_FOOTPRINT);
    cr_assert_eq(made->result.program.confidence, ESTIMATE_HIGH);
    done(made);
    code_samples(made, 3000, 24);
    cr_assert_neq(verdict_of(made)->class, BOTTLENECK_FRONTEND, "in the middle of lines nothing is fetched");
    done(made);
    free(made);
}

Test(bottleneck, every_class_and_cause_has_a_name)
{
    for (int class = 0; class < BOTTLENECK_CLASS_COUNT; class++)
        cr_assert_not_null(bottleneck_class_name((enum bottleneck_class)class));
    for (int cause = 1; cause < CAUSE_RETIRING; cause++) {
        cr_assert_not_null(bottleneck_subclass_name((enum bottleneck_cause)cause));
        cr_assert_neq(bottleneck_class_of((enum bottleneck_cause)cause), BOTTLENECK_UNKNOWN);
    }
}

/* Eight bytes are written one by one, four numbers by an index, and loaded at once; then others, one, and where the walk ended. */
Test(bottleneck, a_load_of_what_a_loop_wrote_piecewise_is_told_by_its_code)
{
    static const struct {
        const char *hex;
        uint32_t load; /* row */
        bool is_blocked;
    } cases[] = {{"4989f831c94889f24983c00148d3ea83c10883f25a418850ff83f94075e7488b07c3", 10, true},
                 {"31c089f201c28914874883c0014883f80475eff30f6f07c3", 7, true},
                 {"4989f831c94889f24983c00148d3ea83c10883f25a418850ff83f94075e7488b4740c3", 10, false},
                 {"4989f831c94889f24983c00148d3ea83c10883f25a418850ff83f94075e70fb607c3", 10, false},
                 {"4889f889f289174883c7044839cf75f3488b07c3", 6, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        struct loop_rows loops[LOOP_CODE_MOST];
        loop_code_decode(&code, cases[at].hex);
        code_loops_find(code.rows, code.count, loops);
        struct stall_code stalled = {.items = code.rows, .loops = loops, .count = code.count};
        struct region region = {.code = &stalled, .rows = {0, code.count - 1}};
        cr_assert(code.rows[cases[at].load].is_load, "%zu", at);
        cr_expect_eq(is_blocked_by_loop(&region, cases[at].load), cases[at].is_blocked, "%zu", at);
    }
}
