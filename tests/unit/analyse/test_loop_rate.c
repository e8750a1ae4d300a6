/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_code.h"

#include "analyse/loop/loop_rate.h"

#include <math.h>

enum { RAX = 0, RBX = 1, RCX = 2, RDX = 3, RSI = 4, RDI = 5, R8 = 16, SAMPLES_MOST = 60000, REGISTERS = 4 };

#define BY_POINTER "c5fc10074883c7204839d772f3" /* vmovups (%rdi),%ymm0; add $32,%rdi; cmp %rdx,%rdi; jb */
#define BY_COUNTER "480fafc348ffc975f7"         /* imul %rbx,%rax; dec %rcx; jnz */
#define BY_BOTH    "480fafc34c01c648ffc975f4"   /* …; add %r8,%rsi; dec %rcx; jnz */

/* ---- which registers count ---- */

struct induction_case {
    const char *what, *hex;
    uint32_t first, last;
    uint64_t numbers; /* of the registers that count */
};

static const struct induction_case inductions[] = {
    {"a pointer", BY_POINTER, 0, 3, 1 << RDI},
    {"a counter; what imul makes doesn't count", BY_COUNTER, 0, 2, 1 << RCX},
    {"by a register that is kept, too", BY_BOTH, 0, 3, 1 << RCX | 1 << RSI},
    {"what a branch leads past doesn't count", "833f057e044883c6044883c7044839d772ee", 0, 5, 1 << RDI},
    {"the loop around moves the pointer on: it doesn't count turns of the inner one",
     "4c89c9480fafc34883c70848ffc975f34c01d749ffc875e8", 1, 4, 1 << RCX},
    {"a call changes what it may: only registers that calls keep count", "4883c708e8f7ffffff48ffcb48ffc975ef", 0, 4, 1 << RBX},
};

Test(loop_rate, registers_that_count_turns)
{
    for (size_t at = 0; at < sizeof(inductions) / sizeof(*inductions); at++) {
        const struct induction_case *one = &inductions[at];
        struct loop_code code;
        struct loop_inductions found;
        uint64_t numbers = 0;
        loop_code_decode(&code, one->hex);
        loop_inductions_find(&found, code.rows, code.count, (struct loop_rows){one->first, one->last});
        for (uint32_t item = 0; item < found.count; item++)
            numbers |= (uint64_t)1 << found.items[item].number;
        cr_expect_eq(numbers, one->numbers, "%s: %#llx", one->what, (unsigned long long)numbers);
    }
}

/* ---- synthetic samples ---- */

enum entry {       /* how the loop begins anew */
    ENTRY_SAME,    /* over the same data: nothing shows it but the registers that count */
    ENTRY_ELSEWHERE, /* over other data, and its end is kept in a register */
    ENTRY_ONWARD,  /* where it stopped, plus a gap; its end is kept in a register */
    ENTRY_COUNTED, /* the pointer goes on over a gap, the counter begins anew */
    ENTRIES
};

struct scene {
    double turn_ns, run_ns;   /* of one turn; from entry to leaving */
    double run_spread, between_ns; /* relative; outside of the loop */
    double period_ns[2];
    bool at_once; /* two events at once, else one that changes between the periods */
    double jitter_ns, cost_ns;
    double seconds;
    enum entry entry;
    size_t stretch_samples; /* so many samples are of one stretch of time; 0: all */
};

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

static double uniform(uint64_t *state)
{
    return (double)(random_next(state) >> 11) / (double)(1ull << 53);
}

static double log_uniform(uint64_t *state, double low, double high)
{
    return low * pow(high / low, uniform(state));
}

struct world {
    const struct scene *scene;
    uint64_t *random;
    double worked_ns, run_start_ns, run_ns; /* work so far; this run began at, lasts */
    uint64_t base, runs;
    struct loop_sample *samples;
    uint64_t mask; /* registers that samples have: those that the loop uses */
    uint64_t (*values)[REGISTERS];
    size_t count;
};

static void run_begin(struct world *world)
{
    const struct scene *scene = world->scene;
    uint64_t turns = (uint64_t)(world->run_ns / scene->turn_ns);
    world->run_start_ns += world->run_ns + scene->between_ns;
    world->runs++;
    if (scene->entry == ENTRY_ELSEWHERE)
        world->base = (random_next(world->random) & 0xffffff) << 12;
    else if (scene->entry == ENTRY_ONWARD || scene->entry == ENTRY_COUNTED)
        world->base += turns * 32 * 5;
    world->run_ns = scene->run_ns * (1 + scene->run_spread * (2 * uniform(world->random) - 1));
}

static void sample_take(struct world *world, double time_ns, uint32_t event)
{
    const struct scene *scene = world->scene;
    double work_ns = time_ns - (double)world->count * scene->cost_ns;
    if (world->count >= SAMPLES_MOST)
        return;
    if (work_ns > world->worked_ns)
        world->worked_ns = work_ns;
    while (world->worked_ns >= world->run_start_ns + world->run_ns + scene->between_ns)
        run_begin(world);
    double within_ns = world->worked_ns - world->run_start_ns;
    uint64_t turn = (uint64_t)(within_ns / scene->turn_ns), turns = (uint64_t)(world->run_ns / scene->turn_ns);
    uint64_t *values = world->values[world->count];
    const uint64_t all[REGISTERS] = {
        turns - turn, /* rcx */
        scene->entry == ENTRY_SAME || scene->entry == ENTRY_COUNTED ? 77 : world->base + turns * 32, /* rdx */
        world->base + turn * 32, world->base + turn * 32, /* rsi, rdi */
    };
    for (uint32_t number = RCX, packed = 0; number <= RDI; number++)
        if (world->mask >> number & 1)
            values[packed++] = all[number - RCX];
    world->samples[world->count] = (struct loop_sample){.time_ns = (uint64_t)time_ns, .thread = 7, .event = event, .values = values,
                                                        .row = within_ns < world->run_ns ? 0 : LOOP_ROW_OUTSIDE,
                                                        .mask = world->mask};
    if (scene->stretch_samples)
        world->samples[world->count].stretch = (uint32_t)(world->count / scene->stretch_samples);
    world->count++;
}

/* One event half the time at one period, half at the other, a tenth of a second each; or both at once. */
static void samples_make(struct world *world)
{
    const struct scene *scene = world->scene;
    double next_ns[2] = {scene->period_ns[0] * uniform(world->random), scene->period_ns[1] * uniform(world->random)};
    for (double time_ns = 0; time_ns < scene->seconds * 1e9 && world->count < SAMPLES_MOST;) {
        uint32_t event = scene->at_once ? next_ns[1] < next_ns[0] : (uint64_t)(time_ns / 1e8) & 1;
        if (!scene->at_once && next_ns[event] < time_ns)
            next_ns[event] = time_ns + scene->period_ns[event];
        time_ns = next_ns[event];
        next_ns[event] += scene->period_ns[event];
        sample_take(world, time_ns - log(1 - uniform(world->random)) * scene->jitter_ns, event);
    }
}

static struct loop_rate rate_within(const struct scene *scene, const char *hex, uint64_t *random, double most_per_s)
{
    struct loop_code code;
    struct loop_rate rate;
    struct world world = {.scene = scene, .random = random, .samples = calloc(SAMPLES_MOST, sizeof(struct loop_sample)),
                          .values = calloc(SAMPLES_MOST, sizeof(*world.values)), .base = 1 << 20, .run_ns = scene->run_ns};
    loop_code_decode(&code, hex);
    for (uint32_t at = 0; at < code.count; at++)
        world.mask |= (code.rows[at].writes | code.rows[at].reads) & (1 << RCX | 1 << RDX | 1 << RSI | 1 << RDI);
    samples_make(&world);
    struct loop_rate_request request = {.rows = code.rows, .row_count = code.count, .loop = {0, code.count - 1}, .samples = world.samples,
                                        .sample_count = world.count, .most_per_s = most_per_s};
    loop_rate_find(&rate, &request);
    free(world.samples);
    free(world.values);
    return rate;
}

static struct loop_rate rate_of(const struct scene *scene, const char *hex, uint64_t *random)
{
    return rate_within(scene, hex, random, 0);
}

static struct scene scene_any(uint64_t *random, bool at_once)
{
    static const double periods[][2] = {{232e3, 1e6}, {100e3, 430e3}, {250e3, 1.075e6}, {1e6, 4.3e6}, {500e3, 1.9e6}};
    size_t which = random_next(random) % (sizeof(periods) / sizeof(*periods));
    double run_ns = log_uniform(random, 20e3, 5e6);
    struct scene scene = {.run_ns = run_ns, .turn_ns = log_uniform(random, 0.4, 200), .between_ns = run_ns * 0.1 * uniform(random) * uniform(random),
                          .period_ns = {periods[which][0], periods[which][1]}, .at_once = at_once, .jitter_ns = 4e3 * uniform(random),
                          .cost_ns = 3e3 + 17e3 * uniform(random) * uniform(random), .seconds = 0.5 + 2 * uniform(random)};
    scene.run_spread = (double[]){0, 0, 0.03, 0.5}[random_next(random) % 4];
    scene.entry = random_next(random) % ENTRIES;
    return scene;
}

/* More on request: PLUMB_LOOP_TRIALS=20000. */
static int trials_wanted(int usual)
{
    const char *asked = getenv("PLUMB_LOOP_TRIALS");
    return asked ? (int)strtoul(asked, NULL, 10) : usual;
}

/* Loops of 20 us to 5 ms, entered again and again: no wrong rate is ever accepted, and long loops' rates are. */
static void sweep(bool at_once, int trials)
{
    uint64_t random = 0x9e3779b97f4a7c15u;
    int accepted = 0, wrong = 0, long_loops = 0, long_accepted = 0, middling = 0, middling_accepted = 0;
    for (int trial = 0; trial < trials; trial++) {
        struct scene scene = scene_any(&random, at_once);
        const char *hex = scene.entry == ENTRY_COUNTED ? "480fafc34883c72048ffc975f3" : scene.entry == ENTRY_SAME && (trial & 1) ? BY_COUNTER : BY_POINTER;
        struct loop_rate rate = rate_of(&scene, hex, &random);
        double ratio = rate.rate_per_s * scene.turn_ns / 1e9;
        bool is_long = scene.run_ns > 4 * scene.period_ns[1], is_middling = !is_long && scene.run_ns > 3 * scene.period_ns[0];
        accepted += rate.accepted;
        long_loops += is_long;
        long_accepted += is_long && rate.accepted;
        middling += is_middling;
        middling_accepted += is_middling && rate.accepted;
        if (rate.accepted && fabs(ratio - 1) > 0.2) {
            wrong++;
            cr_log_error("accepted %.2f times the truth: turn %.1f ns, run %.0f us +- %.0f %%, periods %.0f and %.0f us, entry %d", ratio,
                         scene.turn_ns, scene.run_ns / 1e3, 100 * scene.run_spread, scene.period_ns[0] / 1e3, scene.period_ns[1] / 1e3, scene.entry);
        }
        cr_expect(rate.accepted || rate.why_not, "a refusal says why");
    }
    cr_log_info("%d trials, %d accepted, %d of %d long ones, %d of %d shorter than the slower timer's distances", trials, accepted, long_accepted, long_loops,
                middling_accepted, middling);
    cr_expect_eq(wrong, 0, "%d wrong of %d accepted", wrong, accepted);
    if (at_once)
        cr_expect_geq(middling_accepted, middling * 19 / 20, "%d of %d loops of middling length", middling_accepted, middling);
    if (at_once)
        cr_expect_geq(long_accepted, long_loops * 9 / 10, "%d of %d long loops", long_accepted, long_loops);
}

Test(loop_rate, no_aliased_rate_is_accepted_from_two_events, .timeout = 120)
{
    sweep(true, trials_wanted(400));
}

Test(loop_rate, no_aliased_rate_is_accepted_from_one_event_at_two_periods, .timeout = 120)
{
    sweep(false, trials_wanted(150));
}

Test(loop_rate, a_loop_that_goes_on_has_its_rate)
{
    uint64_t random = 42;
    struct scene scene = {.turn_ns = 2.5, .run_ns = 1e12, .period_ns = {232e3, 1e6}, .at_once = true, .jitter_ns = 2e3, .cost_ns = 5e3, .seconds = 2};
    struct loop_rate rate = rate_of(&scene, BY_POINTER, &random);
    cr_assert(rate.accepted, "%s", rate.why_not);
    cr_expect_float_eq(rate.rate_per_s, 4e8, 8e6, "%g", rate.rate_per_s);
    cr_expect_float_eq(rate.sample_cost_ns, 5e3, 1.5e3, "%g", rate.sample_cost_ns);
    cr_expect_eq(rate.number, RDI);
    cr_expect_eq(rate.step, 32);
}

Test(loop_rate, one_period_is_refused_and_two_of_one_event_do_for_endless_loops)
{
    uint64_t random = 42;
    struct scene scene = {.turn_ns = 2.5, .run_ns = 1e12, .period_ns = {232e3, 1e6}, .at_once = true, .cost_ns = 5e3, .seconds = 1};
    struct loop_rate rate = rate_of(&scene, BY_POINTER, &random);
    cr_assert(rate.accepted);
    scene.at_once = false; /* at even distances, but never seen to begin anew */
    rate = rate_of(&scene, BY_POINTER, &random);
    cr_assert(rate.accepted, "%s", rate.why_not);
    scene.period_ns[1] = 232e3; /* one period only */
    rate = rate_of(&scene, BY_POINTER, &random);
    cr_assert(!rate.accepted && rate.why_not && !rate.rate_per_s);
}

Test(loop_rate, faster_than_it_can_turn_is_refused)
{
    uint64_t random = 42;
    struct scene scene = {.turn_ns = 2.5, .run_ns = 1e12, .period_ns = {232e3, 1e6}, .at_once = true, .cost_ns = 5e3, .seconds = 1};
    cr_expect(rate_within(&scene, BY_POINTER, &random, 3.9e8).accepted);
    cr_expect_not(rate_within(&scene, BY_POINTER, &random, 2e8).accepted);
}

/* Between two stretches of a phase the program was in other phases: such samples are no neighbours. */
Test(loop_rate, samples_of_two_stretches_make_no_pair)
{
    uint64_t random = 42;
    struct scene scene = {.turn_ns = 2.5, .run_ns = 1e12, .period_ns = {232e3, 1e6}, .at_once = true, .cost_ns = 5e3, .seconds = 1, .stretch_samples = 400};
    struct loop_rate rate = rate_of(&scene, BY_POINTER, &random);
    cr_assert(rate.accepted, "%s", rate.why_not);
    cr_expect_float_eq(rate.rate_per_s, 4e8, 8e6, "%g", rate.rate_per_s);
    scene.stretch_samples = 1;
    rate = rate_of(&scene, BY_POINTER, &random);
    uint32_t pairs = 0;
    for (size_t at = 0; at < LOOP_SCALES; at++)
        pairs += rate.scales[at].pairs;
    cr_expect(!rate.accepted && pairs == 0, "%u", pairs);
}

/* Where a sample costs as much as in a guest whose timers are exits: the shortest distances show that cost, and decide nothing. */
Test(loop_rate, a_sample_may_cost_as_much_as_the_shortest_distance)
{
    uint64_t random = 42;
    struct scene scene = {.turn_ns = 2.5, .run_ns = 3e7, .period_ns = {232e3, 1e6}, .at_once = true, .jitter_ns = 2e3, .cost_ns = 19e3, .seconds = 2};
    struct loop_rate rate = rate_of(&scene, BY_POINTER, &random);
    cr_assert(rate.accepted, "%s", rate.why_not);
    cr_expect_float_eq(rate.rate_per_s, 4e8, 2e7, "%g", rate.rate_per_s);
}

static bool agree_within(double found, double true_value, double part)
{
    return fabs(found - true_value) <= part * true_value;
}

/* A moment at half the speed, met by two timers by turns; all else, which one timer saw at even distances, says otherwise. */
Test(loop_rate, what_a_slow_moment_shows_twice_does_not_outweigh_all_else)
{
    enum { FAST = 1400, SLOW = 96 };
    for (int usual = 0; usual < 2; usual++) { /* without the usual speed the slow one is all there is */
        uint64_t random = 42, pointer = 1 << 20, end = UINT64_MAX / 2;
        double time_ns = 0;
        struct loop_code code;
        struct loop_rate rate;
        struct loop_sample samples[FAST + SLOW];
        uint64_t values[FAST + SLOW][2];
        size_t count = 0;
        loop_code_decode(&code, BY_POINTER);
        for (int at = usual ? 0 : FAST; at < FAST + SLOW; at++, count++) {
            bool slow = at >= FAST;
            double distance_ns = !slow ? 231e3 : at % 4 == 0 ? 338e3 * (0.8 + 0.4 * uniform(&random)) : 37e3 * (0.6 + 0.8 * uniform(&random));
            time_ns += distance_ns;
            pointer += (uint64_t)(distance_ns * (slow ? 0.5 : 0.84)) * 32;
            values[count][0] = end, values[count][1] = pointer;
            samples[count] = (struct loop_sample){.time_ns = (uint64_t)time_ns, .thread = 7, .event = slow ? 1 + (uint32_t)at % 2 : 0, .values = values[count], .mask = 1 << RDX | 1 << RDI};
        }
        struct loop_rate_request request = {.rows = code.rows, .row_count = code.count, .loop = {0, code.count - 1}, .samples = samples, .sample_count = count};
        loop_rate_find(&rate, &request);
        cr_expect(usual ? !rate.accepted || rate.rate_per_s > 0.7e9 : rate.accepted && agree_within(rate.rate_per_s, 0.5e9, 0.1), "%d: %g, %s", usual, rate.rate_per_s,
                  rate.why_not);
    }
}

/*
 * A core that is shared: from moment to moment a turn takes once, twice or four times as long. Runs of so many turns each, over other data: those in
 * which two samples fall are the slow ones; where nothing but its counter shows that the loop was entered again, fast ones look slow.
 * The rate is of all the time, not of its usual moments.
 */
struct shared_core {
    uint64_t *random;
    double fast_share, fast_ns, time_ns, speed_until_ns, turn_ns, turns;
};

static void shared_core_run(struct shared_core *core, double until_ns)
{
    while (core->time_ns < until_ns) {
        if (core->time_ns >= core->speed_until_ns) {
            core->speed_until_ns = core->time_ns + log_uniform(core->random, 200e3, 3e6);
            core->turn_ns = uniform(core->random) < core->fast_share ? core->fast_ns : 6;
        }
        double to_ns = fmin(until_ns, core->speed_until_ns);
        core->turns += (to_ns - core->time_ns) / core->turn_ns;
        core->time_ns = to_ns;
    }
}

static struct loop_rate rate_on_shared_core(uint64_t *random, bool is_counted, double run_turns, double fast_ns, double *ret_mean_per_s)
{
    enum { COUNT = 10000 };
    struct shared_core core = {.random = random, .fast_share = 0.2 + 0.6 * uniform(random), .fast_ns = fast_ns};
    struct loop_sample *samples = calloc(COUNT, sizeof(*samples));
    uint64_t (*values)[2] = calloc(COUNT, sizeof(*values));
    double next_ns[2] = {332e3 * uniform(random), 1.335e6 * uniform(random)};
    struct loop_code code;
    struct loop_rate rate;
    loop_code_decode(&code, is_counted ? BY_COUNTER : BY_POINTER);
    for (size_t at = 0; at < COUNT; at++) {
        uint32_t event = next_ns[1] < next_ns[0];
        shared_core_run(&core, next_ns[event]);
        next_ns[event] += event ? 1.335e6 : 332e3;
        double run = floor(core.turns / run_turns);
        values[at][0] = (1 << 20) + (uint64_t)((run + 1) * run_turns * 1.5) * 32;
        values[at][1] = values[at][0] - (uint64_t)((run + 1) * run_turns - core.turns) * 32;
        if (is_counted)
            values[at][0] = (uint64_t)((run + 1) * run_turns - core.turns);
        samples[at] = (struct loop_sample){.time_ns = (uint64_t)core.time_ns, .thread = 7, .event = event, .values = values[at],
                                           .mask = is_counted ? 1 << RCX : 1 << RDX | 1 << RDI};
    }
    struct loop_rate_request request = {.rows = code.rows, .row_count = code.count, .loop = {0, code.count - 1}, .samples = samples, .sample_count = COUNT};
    loop_rate_find(&rate, &request);
    *ret_mean_per_s = core.turns / core.time_ns * 1e9;
    free(samples);
    free(values);
    return rate;
}

Test(loop_rate, runs_that_two_samples_fall_into_are_the_slow_ones)
{
    uint64_t random = 42;
    int accepted = 0, long_accepted = 0, trials = trials_wanted(400);
    for (int trial = 0; trial < trials; trial++) {
        double run_ns = log_uniform(&random, 40e3, 3e6), mean_per_s, fast_ns = trial % 2 ? 3 : 1.5;
        bool is_counted = trial & 2;
        struct loop_rate rate = rate_on_shared_core(&random, is_counted, run_ns / 4.5, fast_ns, &mean_per_s);
        cr_expect(!rate.accepted || agree_within(rate.rate_per_s, mean_per_s, 0.1), "runs of %.0f us, %.1f ns: %.2f of the mean", run_ns / 1e3, fast_ns, rate.rate_per_s / mean_per_s);
        cr_expect(rate.accepted || rate.why_not);
        accepted += rate.accepted;
    }
    for (int trial = 0; trial < 10; trial++) {
        double mean_per_s;
        struct loop_rate rate = rate_on_shared_core(&random, false, 1e7, 5, &mean_per_s);
        long_accepted += rate.accepted;
        cr_expect(!rate.accepted || agree_within(rate.rate_per_s, mean_per_s, 0.03), "runs of 40 ms: %.3f of the mean", rate.rate_per_s / mean_per_s);
    }
    cr_expect_geq(long_accepted, 5, "%d of 10 runs of 40 ms", long_accepted);
    cr_expect_geq(accepted, trials / 50, "%d of %d accepted", accepted, trials);
}

/* 60 thousand blocks, each with a jump: what runs once a turn is found in one pass over them. */
Test(loop_rate, a_loop_of_many_jumps_takes_no_time, .timeout = 10)
{
    enum { BLOCKS = 60000 };
    struct instruction *rows = calloc(2 * BLOCKS + 1, sizeof(*rows));
    for (size_t at = 0; at <= 2 * BLOCKS; at++)
        rows[at] = (struct instruction){.addr = 0x1000 + at * 8, .length = 8, .class = at % 2 ? INSTRUCTION_BRANCH : INSTRUCTION_INT,
                                        .step_register = at % 2 ? REGISTER_NONE : RCX, .step_by = REGISTER_NONE, .step = 1, .falls_through = true,
                                        .writes = at % 2 ? 0 : 1 << RCX, .reads = 1 << RCX, .operation_bits = 64,
                                        .has_target = at % 2, .target = 0x1000 + (at + 1) * 8};
    rows[2 * BLOCKS] = (struct instruction){.addr = 0x1000 + 16 * BLOCKS, .class = INSTRUCTION_BRANCH, .has_target = true, .target = 0x1000,
                                            .step_register = REGISTER_NONE, .step_by = REGISTER_NONE};
    struct loop_inductions found;
    loop_inductions_find(&found, rows, 2 * BLOCKS + 1, (struct loop_rows){0, 2 * BLOCKS});
    cr_expect(found.count == 1 && found.items[0].number == RCX && found.items[0].step == BLOCKS, "%u", found.count);
    free(rows);
}
