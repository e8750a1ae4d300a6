/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What profiles, listings and sentences of others say of code: which is hot, how large its loop is, whether its name is
 * a check's.
 */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "finding/wording.h"

#include "analyse/profile/host_profile.h"

#include <string.h>

/* ---- hot code ---- */

static bool begins_so(const char *line, const char *const *mnemonics, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (strncmp(line, mnemonics[at], strlen(mnemonics[at])) == 0)
            return true;
    return false;
}

static bool has_memory_operand(const char *line)
{
    const char *open = strchr(line, '(');
    return open && open[1] == '%' && strncmp(line, "lea", 3) != 0 && strncmp(line, "nop", 3) != 0;
}

/* In AT&T syntax what is written stands last, a mask behind it: of two operands, but for what only compares. */
static bool writes_memory(const char *line)
{
    static const char *const comparing[] = {"cmp",   "test",   "ucomis", "comis",    "vucomis", "vcomis",
                                            "vtest", "vptest", "ptest",  "bt ",      "btl ",    "btq ",
                                            "push",  "call",   "jmp",    "prefetch", "nop"};
    static const char *const alone[] = {"inc", "dec", "neg", "not", "set", "fst", "fist", "pop"};
    const char *open = strrchr(line, '('), *close = open ? strchr(open, ')') : NULL;
    if (!has_memory_operand(line) || !close || begins_so(line, comparing, array_count(comparing)))
        return false;
    bool is_last = !close[1] || strchr(" {#<", close[1]), has_two = false;
    for (const char *at = line; at < open; at++)
        has_two |= *at == ',';
    return is_last && (has_two || begins_so(line, alone, array_count(alone)));
}

/* A store alone reads nothing; an addition to memory does both, and so does a copy from memory to memory. */
static bool reads_memory(const char *line)
{
    static const char *const storing[] = {"mov",   "vmov",      "kmov",      "pextr",   "vpextr",  "extract",
                                          "vextr", "vpextr",    "vcompress", "vpcomp",  "vpscat",  "vscatter",
                                          "set",   "fst",       "fist",      "pop",     "maskmov", "vmaskmov",
                                          "vpmov", "vpmaskmov", "vcvtps2ph", "stmxcsr", "vstmxcsr"};
    bool is_one = strchr(line, '(') == strrchr(line, '(');
    return has_memory_operand(line) &&
           !(is_one && writes_memory(line) && begins_so(line, storing, array_count(storing)));
}

/* Instructions that are slow by themselves, by how their lines begin. */
static const struct {
    const char *id, *what;
    bool is_prefix; /* of a family of names */
    const char *mnemonic;
} slow_kinds[] = {
    {"divider", "an integer division", false, "div"},
    {"divider", "an integer division", false, "divq"},
    {"divider", "an integer division", false, "divl"},
    {"divider", "an integer division", true, "idiv"},
    {"divider", "an integer division", false, "udiv"},
    {"divider", "an integer division", false, "sdiv"},
    {"divider", "a division", true, "divs"},
    {"divider", "a division", true, "divp"},
    {"divider", "a division", true, "vdiv"},
    {"divider", "a division", true, "fdiv"},
    {"divider", "a square root", true, "sqrt"},
    {"divider", "a square root", true, "vsqrt"},
    {"divider", "a square root", true, "fsqrt"},
    {"atomics", "an atomic operation", true, "lock "},
    {"atomics", "a fence", false, "mfence"},
    {"atomics", "an atomic operation", true, "ldaxr"},
    {"atomics", "an atomic operation", true, "stlxr"},
    {"atomics", "an atomic operation", true, "ldadd"},
    {"atomics", "an atomic operation", true, "cas"},
    {"latency-chain", "a multiplication", true, "imul"},
    {"latency-chain", "a multiplication", true, "muls"},
    {"latency-chain", "a multiplication", true, "vmuls"},
    {"latency-chain", "an addition", true, "adds"},
    {"latency-chain", "an addition", true, "vadds"},
    {"latency-chain", "a multiplication with an addition", true, "vfm"},
    {"spinning", "a pause of a loop that waits", false, "pause"},
    {"spinning", "a pause of a loop that waits", false, "yield"},
};

/* "an integer division"; NULL: it isn't slow in the way that the hypothesis is about. */
static const char *slow_kind_of(const char *line, const char *id)
{
    bool exchanges = strncmp(line, "xchg", 4) == 0 && strchr(line, '('); /* locks without saying so */
    if (exchanges && strcmp(id, "atomics") == 0)
        return "an atomic operation";
    for (size_t at = 0; at < array_count(slow_kinds); at++) {
        size_t length = strlen(slow_kinds[at].mnemonic);
        if (strcmp(slow_kinds[at].id, id) == 0 && strncmp(line, slow_kinds[at].mnemonic, length) == 0 &&
            (slow_kinds[at].is_prefix || !line[length] || line[length] == ' '))
            return slow_kinds[at].what;
    }
    return NULL;
}

/* Of numbers with a point: multiplied, added, divided; not moved or compared. */
static bool is_arithmetic(const char *line)
{
    static const char *const operations[] = {"mul", "add", "sub", "div", "sqrt"}, *const kinds[] = {"ss", "sd", "ps",
                                                                                                    "pd"};
    const char *name = line + (line[0] == 'v' || line[0] == 'f');
    static const char *const fused[] = {"vfm", "vfnm", "fmad", "fml", "fms"};
    for (size_t at = 0; at < array_count(operations); at++) {
        size_t length = strlen(operations[at]);
        if (strncmp(name, operations[at], length) == 0 &&
            (line[0] == 'f' || begins_so(name + length, kinds, array_count(kinds))))
            return true;
    }
    return begins_so(line, fused, array_count(fused));
}

/* Beside counts of it: what any arithmetic would be without them is told of denormal numbers then. */
static const char *counted_kind_of(const char *line, const char *id)
{
    bool is_denormal = strcmp(id, "denormals") == 0;
    return !is_denormal          ? slow_kind_of(line, id)
           : is_arithmetic(line) ? "arithmetic that denormal numbers slow down"
                                 : NULL;
}

struct slow_line {
    const struct imported_row *row;
    const struct imported_table *table;
    const char *what;
};

/* The line of that kind with the most samples, where it has many. */
static bool slow_line_find(const struct imported *imported, const char *id,
                           const char *(*kind_of)(const char *line, const char *id), struct slow_line *ret)
{
    static const double MANY = 25; /* percent of the samples of its listing */
    *ret = (struct slow_line){0};
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0;
             row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_ANNOTATE; row++) {
            const struct imported_row *here = &imported->tables[at].rows[row];
            const char *what = kind_of(here->name, id);
            if (what && here->number >= MANY && (!ret->row || here->number > ret->row->number))
                *ret = (struct slow_line){here, &imported->tables[at], what};
        }
    return ret->row;
}

static bool is_hottest_of(const struct imported_table *listing, size_t row)
{
    for (size_t at = 0; at < listing->count; at++)
        if (listing->rows[at].number > listing->rows[row].number)
            return false;
    return true;
}

/*
 * The line with most samples of a listing, where one of that kind stands before it; NULL: there is none. What a
 * division takes falls behind it nearly always, what shorter ones take less often.
 */
static const struct imported_row *slow_line_before(const struct imported *imported, const char *id,
                                                   struct slow_line *ret)
{
    static const double MOST_OF_ALL = 50, MANY = 25;
    double least = strcmp(id, "divider") == 0 ? MANY : MOST_OF_ALL;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 1;
             row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_ANNOTATE; row++) {
            const struct imported_row *here = &imported->tables[at].rows[row], *before = here - 1;
            const char *what = slow_kind_of(before->name, id);
            if (!what || slow_kind_of(here->name, id) || here->number < least || has_memory_operand(here->name) ||
                strcmp(here->where, before->where) != 0 || !is_hottest_of(&imported->tables[at], row))
                continue;
            *ret = (struct slow_line){before, &imported->tables[at], what};
            return here;
        }
    return NULL;
}

static void say_line_behind(struct finding *finding, const struct slow_line *slow, const struct imported_row *after)
{
    struct value values[] = {
        VALUE_TEXT("line", slow->row->name),
        VALUE_TEXT("after", after->name),
        VALUE_SHARE("share", interval_exactly(after->number / 100)),
        VALUE_TEXT("of", after->where[0] ? arena_printf(finding->arena, " (%s)", after->where) : ""),
        VALUE_TEXT("what", slow->what),
        VALUE_TEXT("file", slow->table->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->subject = slow->row->name;
    finding->function = slow->row->where[0] ? slow->row->where : NULL;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-instruction-before", values,
                         array_count(values));
    finding_set_add(finding, &finding->reason, "imported-instruction-before", values, array_count(values));
}

static void say_slow_line(struct finding *finding, const struct slow_line *slow, bool agrees)
{
    struct value values[] = {
        VALUE_TEXT("line", slow->row->name),
        VALUE_SHARE("share", interval_exactly(slow->row->number / 100)),
        VALUE_TEXT("of", slow->row->where[0] ? arena_printf(finding->arena, " (%s)", slow->row->where) : ""),
        VALUE_TEXT("what", slow->what),
        VALUE_TEXT("file", slow->table->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->subject = slow->row->name;
    finding->function = slow->row->where[0] ? slow->row->where : NULL;
    finding_evidence_add(finding, agrees ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-instruction",
                         values, array_count(values));
    if (!agrees)
        finding_set_add(finding, &finding->reason, "imported-instruction-open", values, array_count(values));
}

/* So much of its listing, and it is what is to be looked at first. */
static const double POINTS_LEAST = 0.5;

/* A listing alone: which instruction it is that has the samples, it tells; what that cost it doesn't. */
bool imported_listing_test(const struct results *results, struct finding *finding)
{
    struct slow_line slow;
    const struct imported_row *after = NULL;
    if (!slow_line_find(results->imported, finding->hypothesis->id, slow_kind_of, &slow) &&
        !(after = slow_line_before(results->imported, finding->hypothesis->id, &slow)))
        return false;
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding->remedy = NULL;
    finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
    finding->pointed = (after ? after : slow.row)->number / 100;
    if (after)
        say_line_behind(finding, &slow, after);
    else
        say_slow_line(finding, &slow, false);
    if (finding->pointed >= POINTS_LEAST)
        imported_advise(finding);
    return true;
}

/* Which arithmetic it is, and whose where a listing or a profile tells. */
static void name_arithmetic(const struct results *results, struct finding *finding, const struct slow_line *slow)
{
    struct imported_hot hot = imported_hot_of(results->imported);
    const struct told *told = results->told;
    const char *only = told && told->function_count == 1 ? told->functions[0] : NULL,
               *function = slow->row->where[0] ? slow->row->where
                           : hot.function      ? hot.function
                                               : only;
    finding_set(finding, headline, "imported-headline-arithmetic",
                VALUE_TEXT("headline", finding->headline ? finding->headline : finding->hypothesis->title),
                VALUE_TEXT("line", slow->row->name),
                VALUE_TEXT("of", function ? arena_printf(finding->arena, " of %s", function) : ""),
                VALUE_SHARE("share", interval_exactly(slow->row->number / 100)));
}

/* Of all lines of a listing that stand right behind one of that kind, and are none themselves. */
static double percent_behind(const struct imported_table *listing, const char *id)
{
    double percent = 0;
    for (size_t row = 1; row < listing->count; row++) {
        const struct imported_row *here = &listing->rows[row], *before = here - 1;
        bool is_behind = slow_kind_of(before->name, id) && !slow_kind_of(here->name, id) &&
                         !has_memory_operand(here->name) && strcmp(here->where, before->where) == 0;
        percent += is_behind ? here->number : 0;
    }
    return percent;
}

/* Samples fall one instruction behind a division: beside counts of the divider they agree. */
static void behind_line_add(struct finding *finding, const struct slow_line *slow)
{
    double percent = percent_behind(slow->table, finding->hypothesis->id);
    struct value values[] = {
        VALUE_TEXT("line", slow->row->name),
        VALUE_SHARE("share", interval_exactly(percent < 100 ? percent / 100 : 1)),
        VALUE_TEXT("of", slow->row->where[0] ? arena_printf(finding->arena, " of %s", slow->row->where) : ""),
        VALUE_TEXT("headline", finding->headline ? finding->headline : finding->hypothesis->title),
        VALUE_TEXT("what", slow->what),
        VALUE_TEXT("file", slow->table->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->subject = slow->row->name;
    finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-instruction-behind", values,
                         array_count(values));
    finding_set_add(finding, &finding->headline, "imported-headline-behind", values, array_count(values));
}

/* Beside counts that support the cause, its instruction agrees. */
static void slow_line_add(const struct results *results, struct finding *finding)
{
    struct slow_line slow;
    if (!slow_line_find(results->imported, finding->hypothesis->id, counted_kind_of, &slow)) {
        if (finding_is(finding, "divider") && slow_line_before(results->imported, finding->hypothesis->id, &slow))
            behind_line_add(finding, &slow);
        return;
    }
    say_slow_line(finding, &slow, true);
    if (finding_is(finding, "denormals"))
        name_arithmetic(results, finding, &slow);
    finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
    if (strcmp(slow.what, "an integer division") == 0)
        finding_advise(finding, "advice-integer", NO_VALUES);
}

/* The division or the root before a line that is none: samples often fall on what stands behind it; NULL. */
static const char *slow_before(const struct imported_table *listing, size_t row)
{
    const struct imported_row *here = &listing->rows[row], *before = row ? here - 1 : NULL;
    bool is_behind = before && slow_kind_of(before->name, "divider") && !slow_kind_of(here->name, "divider");
    return is_behind && strcmp(before->where, here->where) == 0 ? before->name : NULL;
}

static void hottest_take(struct imported_hot *hot, const struct imported_table *listing, size_t row)
{
    if (hot->hottest && listing->rows[row].number <= hot->hottest->number)
        return;
    hot->hottest = &listing->rows[row];
    hot->hottest_file = listing->file;
    hot->behind = slow_before(listing, row);
}

struct imported_hot imported_hot_of(const struct imported *imported)
{
    struct imported_hot hot = {.event = ""};
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        bool report = table->kind == IMPORTED_REPORT, listing = table->kind == IMPORTED_ANNOTATE;
        for (size_t row = 0; row < table->count; row++) {
            const struct imported_row *here = &table->rows[row];
            double share = here->number / 100;
            if (listing)
                hottest_take(&hot, table, row);
            if (report && share > hot.share && !host_symbol_find(here->name)) {
                hot.function = here->name;
                hot.where = here->where;
                hot.share = share;
                hot.event = table->event;
                hot.file = table->file;
            }
            if (listing && share > hot.line_share && reads_memory(here->name)) {
                hot.line = here->name;
                hot.listed = here->where[0] ? here->where : NULL;
                hot.line_share = share;
                hot.file = hot.file ? hot.file : table->file;
            }
            if (listing && writes_memory(here->name) && (!hot.store || here->number > hot.store->number)) {
                hot.store = here;
                hot.store_file = table->file;
            }
        }
    }
    hot.line_is_hottest = hot.line && hot.line_share >= hot.hottest->number / 100;
    hot.store_is_hottest = hot.store && hot.store->number >= hot.hottest->number;
    return hot;
}

/* What waits for stores waits at lines that write. */
static void take_store(struct imported_hot *hot)
{
    const struct imported_row *store = hot->store;
    hot->line = store ? store->name : NULL;
    hot->listed = store && store->where[0] ? store->where : NULL;
    hot->line_share = store ? store->number / 100 : 0;
    hot->line_is_hottest = hot->store_is_hottest;
    hot->file = hot->function || !store ? hot->file : hot->store_file;
}

bool imported_multiplies(const char *function)
{
    static const char *const words[] = {"gemm", "gemv", "matmul", "mul_mat", "vec_dot", "inner_product"};
    for (size_t at = 0; at < array_count(words); at++)
        if (view_mentions(view_of(function), words[at]))
            return true;
    return false;
}

/* Below that a function is one among others. */
static const double MOST_OF = 0.5;

struct spread {
    size_t count; /* of functions that have a part worth telling; 0: one has most, or it isn't known */
    double least;
};

/* Of the report that has the hottest function. */
static struct spread spread_of(const struct imported *imported, const struct imported_hot *hot)
{
    static const double TOLD_FROM = 0.05;
    enum { COUNT_LEAST = 3 };
    struct spread spread = {0, TOLD_FROM};
    for (size_t at = 0; hot->function && hot->share < MOST_OF && at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        for (size_t row = 0; row < table->count && table->kind == IMPORTED_REPORT; row++)
            spread.count += strcmp(table->file, hot->file) == 0 && strcmp(table->event, hot->event) == 0 &&
                            table->rows[row].number / 100 >= TOLD_FROM && !host_symbol_find(table->rows[row].name);
    }
    spread.count = spread.count >= COUNT_LEAST ? spread.count : 0;
    return spread;
}

static void spread_add(struct finding *finding, const struct imported_hot *hot, struct spread spread)
{
    bool is_bandwidth = finding_is(finding, "memory-bandwidth");
    struct value values[] = {
        VALUE_TEXT("function", hot->function),
        VALUE_TEXT("count", arena_printf(finding->arena, "%zu functions", spread.count)),
        VALUE_SHARE("least", interval_exactly(spread.least)),
        VALUE_TEXT("samples", arena_printf(finding->arena, "%.4g %%", hot->share * 100)),
        VALUE_TEXT("event", hot->event[0] ? arena_printf(finding->arena, "%s samples", hot->event) : "samples"),
        VALUE_TEXT("file", hot->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-spread", values, array_count(values));
    if (is_bandwidth)
        finding_advise_add(finding, "imported-advice-spread", values, array_count(values));
}

/* Its name says that its weights have 8 bits or fewer: "vec_dot_q8_0_q8_0", "gemm_s8u8s32". */
static bool has_small_weights(const char *function)
{
    static const char *const pieces[] = {"q8_", "q6_", "q5_", "q4_", "q3_", "q2_", "iq4", "int8", "int4", "s8", "u8"};
    for (size_t at = 0; at < array_count(pieces); at++)
        if (strcasestr(function, pieces[at]))
            return true;
    return false;
}

void imported_bandwidth_advise(const struct results *results, struct finding *finding, const struct imported_hot *hot)
{
    bool is_matrix = hot->function && hot->share >= MOST_OF && imported_multiplies(hot->function);
    if (is_matrix) {
        finding_advise(finding, "imported-advice-batch", VALUE_TEXT("function", hot->function));
        finding_advise(finding,
                       has_small_weights(hot->function) ? "imported-advice-fewer-bits" : "imported-advice-weights",
                       NO_VALUES);
    } else {
        finding_advise(finding, "advice", NO_VALUES);
        finding_advise(finding, "advice-types", NO_VALUES);
    }
    finding_advise(finding, "imported-advice-sockets", NO_VALUES);
    finding_advise(finding, "imported-advice-prefetch", NO_VALUES);
    finding_set(finding, confirm, is_matrix ? "imported-confirm-batch" : "confirm", NO_VALUES);
    /* Siblings counted in cycles may overlap, and exceed a parent counted in slots. */
    struct measured bandwidth = imported_number(results->imported, IMPORTED_METRICS, "tma_mem_bandwidth", NULL);
    struct measured latency = imported_number(results->imported, IMPORTED_METRICS, "tma_mem_latency", NULL);
    struct measured parent = imported_number(results->imported, IMPORTED_METRICS, "tma_dram_bound", NULL);
    if (bandwidth.known && latency.known && parent.known && bandwidth.value + latency.value > parent.value)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-siblings",
                         VALUE_SHARE("sum", interval_exactly((bandwidth.value + latency.value) / 100)),
                         VALUE_SHARE("parent", interval_exactly(parent.value / 100)));
}

/*
 * Samples of one kind of miss say where that kind falls, and nothing of others; those of time or cycles say only which
 * code is hot.
 */
enum telling { TELLS_OTHERS, TELLS_HOT, TELLS_CAUSE };

static enum telling event_tells(const char *event, const char *id)
{
    static const struct {
        const char *part, *ids[6];
    } kinds[] = {
        {"l3_miss", {"memory-bandwidth", "dram-latency", "cache-misses", "numa-remote", "extra-trips"}},
        {"dram", {"memory-bandwidth", "dram-latency", "cache-misses", "numa-remote", "extra-trips"}},
        {"LLC-load", {"memory-bandwidth", "dram-latency", "cache-misses", "numa-remote", "extra-trips"}},
        {"l2_miss", {"memory-bandwidth", "dram-latency", "cache-misses", "l2-l3-latency"}},
        {"HITM", {"contended-lines"}},
        {"dtlb", {"small-pages"}},
        {"dTLB", {"small-pages"}},
        {"br_misp", {"branch-mispredicts"}},
        {"branch-miss", {"branch-mispredicts"}},
    };
    for (size_t kind = 0; kind < array_count(kinds); kind++) {
        if (!strstr(event, kinds[kind].part))
            continue;
        for (size_t at = 0; at < array_count(kinds[kind].ids) && kinds[kind].ids[at]; at++)
            if (strcmp(kinds[kind].ids[at], id) == 0)
                return TELLS_CAUSE;
        return TELLS_OTHERS;
    }
    return TELLS_HOT;
}

void imported_advise(struct finding *finding)
{
    static const char *const keys[] = {"advice", "told-advice", "imported-advice"};
    for (size_t at = 0; at < array_count(keys) && !finding->advice_count; at++) {
        const char *words = wording_find(finding->hypothesis->id, keys[at]);
        if (words && !strchr(words, '{'))
            finding_advise(finding, keys[at], NO_VALUES);
    }
}

void imported_hot_bound(const struct results *results, struct finding *finding)
{
    struct finding again = *finding;
    again.evidence_count = again.advice_count = again.open_count = 0;
    again.headline = NULL;
    imported_hot_add(results, &again, finding->recoverable.high);
    finding->headline = again.headline ? again.headline : finding->headline;
}

void imported_hot_add(const struct results *results, struct finding *finding, double share)
{
    struct imported_hot hot = imported_hot_of(results->imported);
    bool is_of_stores = finding_is(finding, "stores");
    if (is_of_stores)
        take_store(&hot);
    struct spread spread = spread_of(results->imported, &hot);
    bool memory = strcmp(finding->hypothesis->family, "memory") == 0;
    enum telling telling = event_tells(hot.event, finding->hypothesis->id);
    bool is_told = hot.function && hot.share >= MOST_OF && telling != TELLS_OTHERS;
    /* That its hottest line reads memory goes with waiting for memory; that it writes, with waiting for stores. */
    bool agrees = telling == TELLS_CAUSE || (memory && hot.line && hot.line_is_hottest);
    if (is_told) {
        struct value values[] = {
            VALUE_TEXT("function", hot.function),
            VALUE_TEXT("where", hot.where[0] ? hot.where : "no binary named"),
            VALUE_TEXT("title", finding->hypothesis->title),
            VALUE_SHARE("share", interval_exactly(share)),
            VALUE_TEXT("samples", arena_printf(finding->arena, "%.4g %%", hot.share * 100)),
            VALUE_TEXT("event", hot.event[0] ? arena_printf(finding->arena, "%s samples", hot.event) : "samples"),
            VALUE_TEXT("file", hot.file),
            VALUE_TEXT("origin", IMPORTED_WORDS),
            VALUE_TEXT("line", memory && hot.line ? arena_printf(finding->arena, " at '%s'", hot.line) : "")};
        finding->subject = hot.line && memory ? hot.line : hot.function;
        finding_evidence_add(finding, agrees ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-function",
                             values, array_count(values));
        finding_set_add(finding, &finding->headline, agrees ? "imported-headline-hot" : "imported-headline-where",
                        values, array_count(values));
        finding->imported_kinds |= agrees ? 1u << ORIGIN_SAMPLES : 0;
    }
    bool is_listed = memory && hot.line && hot.line_is_hottest && !hot.function; /* a listing alone */
    if (is_listed) {
        struct value values[] = {VALUE_TEXT("title", finding->hypothesis->title),
                                 VALUE_SHARE("share", interval_exactly(share)),
                                 VALUE_TEXT("of", hot.listed ? arena_printf(finding->arena, " of %s", hot.listed) : ""),
                                 VALUE_TEXT("line", hot.line),
                                 VALUE_TEXT("samples", arena_printf(finding->arena, "%.4g %%", hot.line_share * 100)),
                                 VALUE_TEXT("file", hot.file),
                                 VALUE_TEXT("origin", IMPORTED_WORDS)};
        finding->subject = hot.line;
        finding_set_add(finding, &finding->headline, "imported-headline-line", values, array_count(values));
        finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
    }
    if (memory && hot.line && (is_told || is_listed))
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT,
                         is_of_stores ? "imported-line-stores" : "imported-line", VALUE_TEXT("line", hot.line),
                         VALUE_SHARE("share", interval_exactly(hot.line_share)), VALUE_TEXT("file", hot.file),
                         VALUE_TEXT("origin", IMPORTED_WORDS));
    if (spread.count && telling == TELLS_CAUSE)
        spread_add(finding, &hot, spread);
    slow_line_add(results, finding);
    if (finding_is(finding, "memory-bandwidth"))
        imported_bandwidth_advise(results, finding, &hot);
    else
        imported_advise(finding);
}

/* ---- the size of a loop ---- */

/*
 * The least first-level cache for code since 2008 is 32 KiB; the cache of decoded instructions with the least room has
 * 32 sets of 8 lines, three at most for 32 bytes of code: so much fits, however short the instructions are.
 */
static const struct {
    const char *id;
    double bytes;
    bool is_for_fitting; /* what doesn't fit is decoded each time, and whether that is slow its size doesn't say */
} rooms[] = {
    {"front-end", 32 * 1024}, {"uop-cache", 32.0 * 8 / 3 * 32}, {"decoding", 32.0 * 8 / 3 * 32, true}};

/*
 * What counts say that support a cause which the size of its code would rule out; NULL: none do. What is decoded anew
 * although it fits may be slow to decode.
 */
static const char *counted_against(const struct results *results, const struct finding *finding)
{
    struct finding counted = *finding;
    counted.hypothesis = finding_is(finding, "decoding") ? &hypothesis_uop_cache : finding->hypothesis;
    counted.evidence_count = counted.advice_count = counted.open_count = counted.imported_kinds = 0;
    bool supports = imported_count_test(results, &counted) && counted.verdict == VERDICT_SUPPORTED;
    return supports && counted.evidence_count ? counted.evidence[0].text : NULL;
}

/* is_fitting: asks whether it is small enough to rule the cause out; else whether it is too large for that. */
static bool loop_test(const struct results *results, const struct told *told, struct finding *finding, bool is_fitting)
{
    for (size_t at = 0; at < array_count(rooms); at++) {
        if (strcmp(rooms[at].id, finding->hypothesis->id) != 0 || told->loop_bytes <= 0 || told->loop_differs)
            continue;
        bool fits = told->loop_bytes < rooms[at].bytes;
        if (fits != is_fitting || (!fits && rooms[at].is_for_fitting))
            return false;
        const char *against = fits ? counted_against(results, finding) : NULL;
        struct value values[] = {VALUE_BYTES("code", told->loop_bytes), VALUE_BYTES("room", rooms[at].bytes),
                                 VALUE_TEXT("sentence", told->loop_sentence),
                                 VALUE_TEXT("evidence", against ? against : "")};
        finding->is_estimate = false;
        finding->remedy = NULL;
        finding_decide_bound(finding, fits && !against ? 0 : 1, results->effect);
        if (!fits || against)
            finding->recoverable = (struct interval){0};
        finding->imported_kinds |= 1u << ORIGIN_CODE;
        finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "told-loop", values, array_count(values));
        finding_set_add(finding, &finding->reason,
                        against ? "told-loop-against"
                        : fits  ? "told-loop-fits"
                                : "told-loop-large",
                        values, array_count(values));
        return true;
    }
    return false;
}

/* Beside counts that support it: that the hot code doesn't fit is another kind of evidence. */
void imported_loop_add(const struct results *results, struct finding *finding)
{
    const struct told *told = results->told;
    for (size_t at = 0; at < array_count(rooms); at++)
        if (finding->verdict == VERDICT_SUPPORTED && strcmp(rooms[at].id, finding->hypothesis->id) == 0 &&
            !rooms[at].is_for_fitting && told->loop_bytes >= rooms[at].bytes && !told->loop_differs) {
            finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "told-loop-large",
                             VALUE_BYTES("code", told->loop_bytes), VALUE_BYTES("room", rooms[at].bytes),
                             VALUE_TEXT("sentence", told->loop_sentence));
            finding->imported_kinds |= 1u << ORIGIN_CODE;
        }
}

/* ---- names ---- */

static bool check_test(const struct results *results, const struct told *told, struct finding *finding)
{
    const char *found = NULL, *file = "a sentence";
    if (!finding_is(finding, "checking-code"))
        return false;
    for (size_t at = 0; at < told->function_count && !found; at++)
        found = function_name_checks(told->functions[at]) ? told->functions[at] : NULL;
    for (size_t at = 0; at < results->imported->count && !found; at++) {
        const struct imported_table *table = &results->imported->tables[at];
        for (size_t row = 0; row < table->count && table->kind == IMPORTED_REPORT && !found; row++)
            if (table->rows[row].number / 100 >= results->effect && function_name_checks(table->rows[row].name)) {
                found = table->rows[row].name;
                file = table->file;
            }
    }
    if (!found)
        return false;
    struct value values[] = {VALUE_TEXT("function", found), VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding->remedy = NULL;
    finding->subject = found;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-check", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-check", values, array_count(values));
    finding_advise(finding, "advice", NO_VALUES);
    return true;
}

bool imported_code_test(const struct results *results, struct finding *finding)
{
    return loop_test(results, results->told, finding, true) || check_test(results, results->told, finding);
}

bool imported_loop_test(const struct results *results, struct finding *finding)
{
    return loop_test(results, results->told, finding, false);
}
