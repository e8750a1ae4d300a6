/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_reading.h"

#include "metric/table/table_build.h"
#include "system/cpu/microarchitecture.h"

#include <ctype.h>
#include <math.h>

/* perf's generic names, and what vendors call the same. */
static const struct {
    const char *names[3], *vendors[4];
} generic[] = {
    {{"cycles", "cpu-cycles", "cpu_cycles"}, {"cpu_clk_unhalted.thread", "ls_not_halted_cyc", "cpu_cycles"}},
    {{"instructions"}, {"inst_retired.any", "ex_ret_instr", "inst_retired"}},
    {{"ref-cycles"}, {"cpu_clk_unhalted.ref_tsc"}},
    {{"branches", "branch-instructions"}, {"br_inst_retired.all_branches"}},
    {{"branch-misses"}, {"br_misp_retired.all_branches", "ex_ret_brn_misp", "br_mis_pred_retired"}},
};

/* perf's name into its base and its letters: "cycles:u", "cpu_core/cycles/u" (so a hybrid's are printed). */
static void generic_cut(struct view name, struct view *ret_base, struct view *ret_letters)
{
    struct view rest = name, pmu = view_cut(&rest, '/'), inside = view_cut(&rest, '/');
    bool slashed = pmu.length < name.length && table_is_core_pmu(pmu);
    *ret_letters = slashed ? rest : name;
    *ret_base = slashed ? inside : view_cut(ret_letters, ':');
    if (ret_letters->length && ret_letters->text[0] == ':')
        *ret_letters = view_skip(*ret_letters, 1);
}

static struct view generic_undo(struct metric_table *table, struct view name)
{
    struct view base, letters;
    generic_cut(name, &base, &letters);
    for (size_t at = 0; at < array_count(generic); at++)
        for (size_t word = 0; word < array_count(generic[at].names) && generic[at].names[word]; word++)
            for (size_t vendor = 0; view_equal(base, generic[at].names[word]) && generic[at].vendors[vendor]; vendor++)
                if (table_event_find(table, view_of(generic[at].vendors[vendor])) != TABLE_NONE)
                    return view_of(arena_printf(&table->arena, "%s%s%.*s", generic[at].vendors[vendor],
                                                letters.length ? ":" : "", (int)letters.length, letters.text));
    return name;
}

/* "uncore_imc_0" is one of "uncore_imc". */
static bool same_pmu(const char *term, const char *read)
{
    if (!term || !read)
        return term == read;
    size_t length = strlen(term);
    return strcmp(term, read) == 0 || (length && strncmp(term, read, length) == 0 && read[length] == '_' &&
                                       isdigit((unsigned char)read[length + 1]));
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_code(const struct event_code *a, const struct event_code *b)
{
    return a->event == b->event && a->umask == b->umask && a->cmask == b->cmask && a->invert == b->invert &&
           a->edge == b->edge && a->any_thread == b->any_thread && a->offcore == b->offcore &&
           a->frontend == b->frontend && a->latency == b->latency && same_text(a->more, b->more);
}

enum { SAME_NOT, SAME_BUT_FOR_PRIVILEGE, SAME };

static int sameness(const struct table_term *term, const struct table_term *read)
{
    bool known = term->code.known && read->code.known;
    bool same = known ? same_pmu(term->pmu, read->pmu) && same_code(&term->code, &read->code)
                      : strcmp(term->name, read->name) == 0;
    if (!same || term->kind != read->kind || term->one_unit != read->one_unit || term->whole_core != read->whole_core)
        return SAME_NOT;
    if (term->user_only == read->user_only && term->kernel_only == read->kernel_only)
        return SAME;
    return !term->user_only && !term->kernel_only && read->user_only ? SAME_BUT_FOR_PRIVILEGE : SAME_NOT;
}

static const char NOT_COUNTED[] = "it was not counted";

/* perf's tool events, and what options and rows call constants. times: of the reading's set. */
static bool constant_take(struct table_readings *ret, struct measured *times, const struct table_reading *reading)
{
    static const struct {
        const char *name;
        enum table_constant constant;
    } names[] = {
        {"duration_time", TABLE_SECONDS},   {"user_time", TABLE_USER_SECONDS}, {"system_time", TABLE_SYSTEM_SECONDS},
        {"smt_on", TABLE_SMT_ON},           {"#smt_on", TABLE_SMT_ON},         {"system_tsc_freq", TABLE_TSC_HZ},
        {"#system_tsc_freq", TABLE_TSC_HZ}, {"num_cpus", TABLE_CPUS},          {"num_cpus_online", TABLE_CPUS_ONLINE},
        {"num_cores", TABLE_CORES},         {"num_dies", TABLE_DIES},          {"num_packages", TABLE_SOCKETS},
        {"slots_per_cycle", TABLE_SLOTS},   {"core_wide", TABLE_CORE_WIDE},    {"has_pmem", TABLE_HAS_PMEM},
    };
    for (size_t at = 0; at < array_count(names); at++) {
        if (strcmp(names[at].name, reading->name) != 0)
            continue;
        bool is_time = names[at].constant >= TABLE_SECONDS && names[at].constant <= TABLE_SYSTEM_SECONDS;
        struct measured value = reading->count;
        /* perf counts times in ns, unless its unit says otherwise */
        if (is_time && value.known)
            value.value *= strcmp(reading->unit, "msec") == 0 ? 1e-3
                           : strcmp(reading->unit, "s") == 0 || strcmp(reading->unit, "sec") == 0 ? 1 : 1e-9;
        struct measured *place = is_time ? &times[names[at].constant] : &ret->inputs.constants[names[at].constant];
        if (!place->known)
            *place = value;
        return true;
    }
    return false;
}

struct measured table_slots_per_cycle(const struct metric_table *table)
{
    for (size_t at = 0; at < microarchitecture_row_count; at++)
        if (microarchitecture_rows[at].slots && strcmp(microarchitecture_rows[at].key, table->key) == 0)
            return measured_as(microarchitecture_rows[at].slots);
    return not_measured("neither the PMU nor plumb's data say how many slots a cycle has");
}

/* What follows from the constants that are known. */
static void constants_complete(struct table_inputs *inputs, const struct metric_table *table)
{
    struct measured *constants = inputs->constants;
    if (!constants[TABLE_SLOTS].known)
        constants[TABLE_SLOTS] = table_slots_per_cycle(table);
    if (constants[TABLE_SECONDS].known)
        constants[TABLE_MILLISECONDS] = measured_as(constants[TABLE_SECONDS].value * 1000);
    if (constants[TABLE_SECONDS].known && constants[TABLE_TSC_HZ].known && !constants[TABLE_TSC_TICKS].known)
        constants[TABLE_TSC_TICKS] = measured_as(constants[TABLE_SECONDS].value * constants[TABLE_TSC_HZ].value);
    if (constants[TABLE_SMT_ON].known && !constants[TABLE_THREADS_PER_CORE].known)
        constants[TABLE_THREADS_PER_CORE] = measured_as(constants[TABLE_SMT_ON].value != 0 ? 2 : 1);
    if (!constants[TABLE_CPUS].known)
        constants[TABLE_CPUS] = constants[TABLE_CPUS_ONLINE];
}

/* One set's counts. */
struct counted_set {
    struct measured *terms;
    int *sameness;
    const char **pmus; /* the reading's, of each term */
    struct measured times[TABLE_CONSTANT_COUNT];
    double scale;
};

struct filling {
    struct table_readings *ret;
    struct metric_table *table;
    struct counted_set *sets;
    struct measured *terms; /* of all sets */
    size_t term_count;      /* of the formulas; those behind are readings' own */
};

/* Counts of several PMUs of a kind are parts of one; the same event under two names is one. */
static void term_give(struct filling *filling, struct counted_set *set, size_t term,
                      const struct table_reading *reading, const char *pmu, int same)
{
    struct measured *value = &set->terms[term];
    if (same < set->sameness[term])
        return;
    bool is_part = value->known && same == set->sameness[term] && reading->count.known;
    if (is_part && same_text(pmu, set->pmus[term]))
        return;
    if (reading->count.known || !value->known)
        *value = is_part ? measured_as(value->value + reading->count.value) : reading->count;
    if (reading->running_ratio < filling->ret->running_ratio[term])
        filling->ret->running_ratio[term] = reading->running_ratio;
    set->sameness[term] = same;
    set->pmus[term] = pmu;
}

static bool reading_give(struct filling *filling, const struct table_reading *reading, uint32_t read)
{
    bool any = false;
    for (size_t at = 0; at < filling->term_count; at++) {
        const struct table_term *term = &filling->table->terms.items[read];
        int same = sameness(&filling->table->terms.items[at], term);
        if (same == SAME_NOT)
            continue;
        filling->ret->user_only |= same == SAME_BUT_FOR_PRIVILEGE;
        term_give(filling, &filling->sets[reading->set], at, reading, term->pmu, same);
        any = true;
    }
    return any;
}

/* ---- several sets become one ---- */

static bool is_of(const struct filling *filling, size_t term, size_t generic_index)
{
    for (size_t at = 0; at < array_count(generic[0].vendors) && generic[generic_index].vendors[at]; at++)
        if (strcmp(filling->table->terms.items[term].name, generic[generic_index].vendors[at]) == 0)
            return true;
    return false;
}

/* How many sets counted a term, and the mean of them. */
static size_t sets_of(const struct filling *filling, size_t term, double *ret_mean)
{
    size_t count = 0;
    double sum = 0;
    for (size_t set = 0; set < filling->ret->set_count; set++)
        if (filling->sets[set].terms[term].known && filling->sets[set].terms[term].value > 0) {
            sum += filling->sets[set].terms[term].value;
            count++;
        }
    *ret_mean = count ? sum / (double)count : 0;
    return count;
}

/* What the sets have in common: what most of them counted, cycles when there is a choice. */
static void sets_scale(struct filling *filling)
{
    enum { CYCLES = 0 };
    size_t best = 0, most = 0, sets = filling->ret->set_count;
    double mean, best_mean = 0;
    for (size_t term = 0; term < filling->term_count; term++) {
        size_t count = filling->table->terms.items[term].kind == TERM_COUNT ? sets_of(filling, term, &mean) : 0;
        if (count > most || (count && count == most && is_of(filling, term, CYCLES) && !is_of(filling, best, CYCLES))) {
            most = count;
            best = term;
            best_mean = mean;
        }
    }
    for (size_t set = 0; set < sets; set++) {
        struct measured common = most > 1 ? filling->sets[set].terms[best] : not_measured("");
        bool scalable = common.known && common.value > 0;
        filling->sets[set].scale = scalable ? best_mean / common.value : 1;
        filling->ret->sets_unscaled += sets > 1 && !scalable;
    }
}

static void instructions_compare(struct filling *filling)
{
    enum { INSTRUCTIONS = 1 };
    for (size_t term = 0; term < filling->term_count; term++) {
        double mean, most = 0, fewest = INFINITY;
        if (!is_of(filling, term, INSTRUCTIONS) || sets_of(filling, term, &mean) < 2)
            continue;
        for (size_t set = 0; set < filling->ret->set_count; set++) {
            struct measured value = filling->sets[set].terms[term];
            if (!value.known || value.value <= 0)
                continue;
            most = fmax(most, value.value);
            fewest = fmin(fewest, value.value);
        }
        filling->ret->instructions_spread = (most - fewest) / mean;
    }
}

/* The mean of the sets that know it, each on the common scale; of a latency as it is. */
static struct measured sets_mean(const struct filling *filling, const struct measured *first, size_t stride_bytes,
                                 bool scaled)
{
    struct measured mean = *first;
    double sum = 0;
    size_t known = 0;
    for (size_t set = 0; set < filling->ret->set_count; set++) {
        const struct measured *value = (const struct measured *)((const char *)first + set * stride_bytes);
        if (value->known) {
            sum += value->value * (scaled ? filling->sets[set].scale : 1);
            known++;
        } else if (value->why_not && !known && mean.why_not && strcmp(mean.why_not, NOT_COUNTED) == 0) {
            mean = *value;
        }
    }
    return known ? measured_as(sum / (double)known) : mean;
}

static void sets_merge(struct filling *filling, size_t terms_each)
{
    struct table_readings *ret = filling->ret;
    sets_scale(filling);
    instructions_compare(filling);
    for (size_t term = 0; term < filling->term_count; term++) {
        bool is_count = filling->table->terms.items[term].kind == TERM_COUNT;
        filling->terms[term] =
            sets_mean(filling, &filling->sets[0].terms[term], terms_each * sizeof(struct measured), is_count);
        for (size_t set = 0; set < ret->set_count; set++)
            if (filling->sets[set].terms[term].known)
                ret->term_sets[term] |= UINT64_C(1)
                                        << (set < TABLE_READING_SETS_MOST ? set : TABLE_READING_SETS_MOST - 1);
    }
    for (size_t at = TABLE_SECONDS; at <= TABLE_SYSTEM_SECONDS; at++) {
        struct measured time = sets_mean(filling, &filling->sets[0].times[at], sizeof(struct counted_set), true);
        if (time.known && !ret->inputs.constants[at].known)
            ret->inputs.constants[at] = time;
    }
}

/* The published mean latency where none was sampled. */
static void latencies_default(struct filling *filling)
{
    for (size_t at = 0; at < filling->term_count; at++) {
        const struct table_term *term = &filling->table->terms.items[at];
        double published = term->event != TABLE_NONE ? filling->table->events.items[term->event].latency_default : 0;
        if (term->kind != TERM_LATENCY || filling->terms[at].known || published <= 0)
            continue;
        filling->terms[at] = measured_as(published);
        filling->ret->latency_default[at] = true;
    }
}

static void sets_init(struct filling *filling, size_t terms, struct arena *arena)
{
    size_t sets = filling->ret->set_count;
    struct measured *values = arena_array(arena, struct measured, sets * terms);
    int *same = arena_array(arena, int, sets * terms);
    const char **pmus = arena_array(arena, const char *, sets * terms);
    filling->sets = arena_array(arena, struct counted_set, sets);
    for (size_t at = 0; at < sets * terms; at++)
        values[at] = not_measured(NOT_COUNTED);
    for (size_t set = 0; set < sets; set++) {
        filling->sets[set] = (struct counted_set){
            .terms = values + set * terms, .sameness = same + set * terms, .pmus = pmus + set * terms};
        for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
            filling->sets[set].times[at] = not_measured(NOT_COUNTED);
    }
}

void table_readings_fill(struct table_readings *ret, struct metric_table *table, const struct table_reading *readings,
                         size_t count, const struct measured *constants, struct arena *arena)
{
    size_t terms = table->terms.count, all = terms + count + 1, sets = 1;
    for (size_t at = 0; at < count; at++)
        sets = readings[at].set >= sets ? readings[at].set + 1 : sets;
    *ret = (struct table_readings){.running_ratio = arena_array(arena, double, all),
                                   .latency_default = arena_array(arena, bool, all), .set_count = sets,
                                   .term_sets = arena_array(arena, uint64_t, all),
                                   .strange = arena_array(arena, const char *, count + 1)};
    struct filling filling = {
        .ret = ret, .table = table, .term_count = terms, .terms = arena_array(arena, struct measured, all)};
    table_inputs_clear(&ret->inputs);
    for (size_t at = 0; constants && at < TABLE_CONSTANT_COUNT; at++)
        if (constants[at].known)
            ret->inputs.constants[at] = constants[at];
    sets_init(&filling, terms + 1, arena);
    for (size_t at = 0; at < all; at++)
        filling.terms[at] = not_measured(NOT_COUNTED);
    for (size_t at = 0; at < terms; at++)
        ret->running_ratio[at] = 1;
    for (size_t at = 0; at < count; at++) {
        uint32_t read;
        struct error unknown = {0};
        if (constant_take(ret, filling.sets[readings[at].set].times, &readings[at]))
            continue;
        if (!table_term_resolve(table, generic_undo(table, view_of(readings[at].name)), &read, &unknown) ||
            !reading_give(&filling, &readings[at], read))
            ret->strange[ret->strange_count++] = readings[at].name;
    }
    sets_merge(&filling, terms + 1);
    ret->inputs.cpu_id = table->cpu_id;
    latencies_default(&filling);
    constants_complete(&ret->inputs, table);
    ret->inputs.terms = filling.terms;
}
