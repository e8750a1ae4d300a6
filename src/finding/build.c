/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes in how the program was built, or in which program is being timed at all. */
#include "base/vec.h"
#include "finding/family.h"

#include <string.h>

/* Unoptimised code reaches for its frame in about half of its instructions, optimised code in few. */
static const double FRAME_DENSITY_OF_UNOPTIMISED = 0.33;
/*
 * That may be lack of registers, too, or saving them all (stubs of a just-in-time compiler): variables must be loaded right
 * behind being stored as well. With a frame pointer fewer of them will do.
 */
static const double RELOAD_DENSITY_OF_UNOPTIMISED = 0.03, RELOAD_DENSITY_WITH_FRAME = 0.02;

enum built {
    BUILT_UNKNOWN,
    BUILT_OPTIMISED,
    BUILT_UNOPTIMISED
};

/* gcc writes its options into the producer; without any -O it did not optimise. clang writes none. */
static enum built built_by_producer(const char *producer)
{
    if (!producer || strncmp(producer, "GNU ", 4) != 0)
        return BUILT_UNKNOWN;
    if (strstr(producer, "GNU AS") || !strstr(producer, " -m"))
        return BUILT_UNKNOWN;
    const char *option = NULL;
    for (const char *at = strstr(producer, " -O"); at; at = strstr(at + 1, " -O"))
        option = at; /* the last one counts */
    if (!option || option[3] == '0')
        return BUILT_UNOPTIMISED;
    return BUILT_OPTIMISED;
}

static bool looks_unoptimised(const struct stall_function *function)
{
    return function->frame_density >= FRAME_DENSITY_OF_UNOPTIMISED &&
           function->reload_density >= (function->has_frame ? RELOAD_DENSITY_WITH_FRAME : RELOAD_DENSITY_OF_UNOPTIMISED);
}

static double stack_share(const struct stall_function *function)
{
    return function->attributed >= 50 ? (double)function->stack_samples / (double)function->attributed : 0;
}

static void unoptimised_test(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    double told = 0, shaped = 0, unknown = 0;
    const struct stall_function *hottest = NULL;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        if (function->is_kernel)
            continue;
        enum built built = built_by_producer(function->producer);
        bool shape = looks_unoptimised(function);
        told += built == BUILT_UNOPTIMISED ? (double)function->samples : 0;
        shaped += built == BUILT_UNKNOWN && shape ? (double)function->samples : 0;
        unknown += built == BUILT_UNKNOWN && !function->has_code ? (double)function->samples : 0;
        if (!hottest && (built == BUILT_UNOPTIMISED || (built == BUILT_UNKNOWN && shape)))
            hottest = function;
    }
    struct interval share = share_of_samples(results, finding, told + shaped);
    struct interval blind = share_of_samples(results, finding, unknown);
    struct interval most = share_of_samples(results, finding, told + shaped + unknown);
    share = share.known ? interval_of(share.low, share.mid, most.high) : share;
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    if (!hottest) {
        finding_set(finding, reason, "blind", VALUE_SHARE("share", blind));
        return;
    }
    finding->subject = hottest->name;
    if (built_by_producer(hottest->producer) == BUILT_UNOPTIMISED)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "producer", VALUE_TEXT("function", hottest->name),
                         VALUE_TEXT("producer", hottest->producer));
    if (hottest->frame_density > 0)
        finding_evidence(finding, looks_unoptimised(hottest) ? WEIGHT_FOR : WEIGHT_CONTEXT,
                         ORIGIN_CODE, "shape", VALUE_TEXT("function", hottest->name),
                         VALUE_SHARE("density", interval_exactly(hottest->frame_density)),
                         VALUE_SHARE("stack", interval_exactly(stack_share(hottest))));
    finding_set(finding, reason, "gain", NO_VALUES);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline", VALUE_TEXT("function", hottest->name), VALUE_SHARE("share", share));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_unoptimised = {
    .id = "unoptimised-build",
    .family = "build",
    .title = "an unoptimised build is being timed",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = unoptimised_test,
};

/* All of them guesses: what is called so may be the product. */
static const struct name_pattern checking_names[] = {
    {.word = "ref", .is_guess = true},   {.word = "reference", .is_guess = true}, {.word = "verify", .is_guess = true},
    {.word = "check", .is_guess = true}, {.word = "checker", .is_guess = true},   {.word = "validate", .is_guess = true},
    {.word = "assert", .is_guess = true},
};

static void checking_code_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, checking_names, array_count(checking_names));
}

const struct hypothesis hypothesis_checking_code = {
    .id = "checking-code",
    .family = "build",
    .title = "a reference or checking routine is being timed",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = checking_code_test,
};

static const struct name_pattern instrumented_names[] = {
    {.prefix = "__asan_"},     {.prefix = "__tsan_"},      {.prefix = "__msan_"},  {.prefix = "__ubsan_"},
    {.prefix = "__sanitizer"}, {.prefix = "__gcov_"},      {.name = "mcount"},     {.name = "__fentry__"},
    {.name = "_mcount"},       {.dso = "libasan"},         {.dso = "libtsan"},     {.dso = "libubsan"},
    {.prefix = "__llvm_profile"}, {.dso = "memcheck"},     {.dso = "vgpreload"},   {.word = "AddressSanitizer"},
};

static void instrumented_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, instrumented_names, array_count(instrumented_names));
}

const struct hypothesis hypothesis_instrumented = {
    .id = "instrumented-build",
    .family = "build",
    .title = "sanitizer, coverage or profiling code",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = instrumented_test,
};

/*
 * Loops that fetch the next operation, and the operations they lead to. Of V8's built-in code, which node carries as
 * machine code, only the handlers of its bytecodes are that.
 */
#define DISPATCH_LOOPS                                                                                              \
    {.prefix = "_PyEval_"}, {.prefix = "Builtins_", .suffix = "Handler"}, {.prefix = "Builtins_Interpreter"},         \
        {.word = "BytecodeHandler"}, {.prefix = "luaV_execute"}, {.prefix = "Perl_pp_"}, {.prefix = "Perl_runops"},   \
        {.prefix = "sqlite3VdbeExec"}, {.name = "vm_exec_core"}, {.name = "execute_ex"}, {.word = "RawMatch"},        \
        {.prefix = "ZEND_", .suffix = "_HANDLER"}, {.name = "JS_CallInternal"}, {.name = "TEBCresume"},               \
        {.name = "jq_next"}, {.dso = "bash"}, {.dso = "dash"}

static const struct name_pattern dispatch_names[] = {DISPATCH_LOOPS};

/* … and what belongs to them and nothing else: an interpreter's own binary does what a script asks for. */
static const struct name_pattern interpreter_names[] = {
    DISPATCH_LOOPS,
    {.name = "PyObject_Call"}, {.dso = "python"}, {.dso = "libpython"}, {.dso = "perl"}, {.dso = "libperl"}, {.dso = "ruby"},
    {.dso = "libruby"}, {.prefix = "luaV_"}, {.dso = "lua"}, {.dso = "liblua"}, {.dso = "php"}, {.prefix = "sqlite3Vdbe"},
    {.dso = "mawk"}, {.dso = "gawk"}, {.dso = "tclsh"}, {.dso = "libtcl"},
};

static bool is_dispatch(const struct stall_function *function)
{
    for (size_t at = 0; at < array_count(dispatch_names); at++)
        if (function_has_name(function, &dispatch_names[at]))
            return true;
    return false;
}

/* What a hot C function of an interpreter means in the script. */
static const struct {
    const char *prefix, *meaning;
} meanings[] = {
    {"list_contains", "'x in list' looks at one element after the other: use a set or dict"},
    {"long_richcompare", "comparing integers, often for 'x in list': use a set or dict"},
    {"unicode_concatenate", "strings put together piece by piece: collect them and ''.join()"},
    {"list_insert", "inserting at the front of a list moves all of it: collections.deque"},
    {"gc_collect_main", "the garbage collector: fewer objects alive, or gc.freeze() after start-up"},
    {"long_mul", "arithmetic on integers beyond one machine word"},
    {"sre_ucs", "a regular expression of the re module"},
    {"dict_", "dictionary access"},
    {"sqlite3Vdbe", "SQL statements: rows are visited one by one"},
    {"RawMatch", "a regular expression that V8 interprets: nested repetitions backtrack"},
};

static const char *script_advice(const struct stall_function *function)
{
    static const struct name_pattern sqlite[] = {{.prefix = "sqlite3"}}, regexp[] = {{.word = "RawMatch"}};
    static const struct name_pattern python[] = {{.dso = "python"}, {.dso = "libpython"}, {.prefix = "_PyEval_"}};
    static const struct name_pattern node[] = {{.prefix = "Builtins_"}, {.word = "BytecodeHandler"}, {.dso = "node"}};
    static const struct name_pattern shell[] = {{.dso = "bash"}, {.dso = "dash"}};
    static const struct name_pattern perl[] = {{.dso = "perl"}, {.dso = "libperl"}};
    static const struct {
        const struct name_pattern *patterns;
        size_t count;
        const char *advice;
    } kinds[] = {
        {sqlite, array_count(sqlite), "advice-sqlite"}, {regexp, array_count(regexp), "advice-regexp"},
        {python, array_count(python), "advice-python"}, {node, array_count(node), "advice-node"},
        {shell, array_count(shell), "advice-shell"},    {perl, array_count(perl), "advice-perl"},
    };
    for (size_t kind = 0; kind < array_count(kinds); kind++)
        for (size_t at = 0; at < kinds[kind].count; at++)
            if (function_has_name(function, &kinds[kind].patterns[at]))
                return kinds[kind].advice;
    return "advice";
}

/* CPython's: the collection itself and what it calls for each object. */
static double collector_samples(const struct stalls *stalls)
{
    static const struct name_pattern names[] = {
        {.name = "gc_collect_main"}, {.name = "gc_collect_region"}, {.name = "visit_decref"}, {.name = "visit_reachable"}, {.name = "deduce_unreachable"},
        {.name = "subtract_refs"}, {.name = "update_refs"}, {.name = "move_unreachable"}, {.name = "untrack_tuples"}, {.name = "tupletraverse"},
        {.name = "dict_traverse"}, {.name = "list_traverse"}, {.name = "subtype_traverse"}, {.name = "func_traverse"},
    };
    return (double)functions_named(stalls, names, array_count(names)).samples;
}

static void advise_on_script(const struct results *results, struct finding *finding, const char *advice)
{
    struct interval collecting = share_of_samples(results, finding, collector_samples(results->stalls));
    if (strcmp(advice, "advice-python") == 0 && collecting.low >= results->effect)
        finding_advise(finding, "advice-python-gc", VALUE_SHARE("share", collecting));
    finding_advise(finding, advice, NO_VALUES);
}

bool function_is_interpreters(const struct stall_function *function)
{
    for (size_t at = 0; at < array_count(interpreter_names) && !function->is_kernel; at++)
        if (function_has_name(function, &interpreter_names[at]))
            return true;
    return false;
}

bool script_advise(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    if (!stalls)
        return false;
    const struct name_matches matches = functions_named(stalls, interpreter_names, array_count(interpreter_names));
    const char *advice = matches.hottest ? script_advice(matches.hottest) : "advice";
    if (matches.samples * 2 < stalls->user_samples || strcmp(advice, "advice") == 0)
        return false;
    advise_on_script(results, finding, advice);
    return true;
}

/* A large switch in one hot function is an interpreter's loop, or some other machine of states. */
static const struct stall_function *table_function(const struct stalls *stalls, double effect)
{
    enum { CASES_LEAST = 16 };
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        if (!function->is_kernel && function->table_cases >= CASES_LEAST && function->share.low >= effect &&
            function->table_samples * 20 >= function->attributed && function->attributed)
            return function;
    }
    return NULL;
}

static void interpreter_test(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    test_function_names(results, finding, interpreter_names, array_count(interpreter_names));
    const struct stall_function *table = table_function(stalls, results->effect);
    if (finding->verdict != VERDICT_SUPPORTED && table) {
        finding_decide_bound(finding, share_of_samples(results, finding, (double)table->samples).high, results->effect);
        finding->verdict = VERDICT_UNDECIDED;
        finding->subject = table->name;
        finding->remedy = NULL;
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "table", VALUE_TEXT("function", table->name),
                         VALUE_COUNT("cases", table->table_cases));
        finding_set(finding, reason, "table", VALUE_TEXT("function", table->name),
                    VALUE_COUNT("cases", table->table_cases));
        finding_readvise(finding, "advice-table", NO_VALUES);
        return;
    }
    if (!finding->advice_count)
        return;
    const struct name_matches matches = functions_named(stalls, interpreter_names, array_count(interpreter_names));
    if (finding->verdict == VERDICT_SUPPORTED && matches.hottest && !is_dispatch(matches.hottest))
        finding_set(finding, headline, "headline-runtime", VALUE_TEXT("function", matches.hottest->name), VALUE_TEXT("dso", matches.hottest->dso),
                    VALUE_SHARE("share", share_of_names(results, finding, (double)matches.samples)),
                    VALUE_SHARE("own", share_of_samples(results, finding, (double)matches.hottest->samples)));
    finding->advice_count = 0;
    advise_on_script(results, finding, script_advice(matches.hottest ? matches.hottest : matches.hottest_guessed));
    for (size_t at = 0, said = 0; at < stalls->function_count && said < 2; at++)
        for (size_t row = 0; row < array_count(meanings) && stalls->functions[at].share.mid >= results->effect; row++)
            if (strncmp(stalls->functions[at].name, meanings[row].prefix, strlen(meanings[row].prefix)) == 0) {
                finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "meaning",
                                 VALUE_TEXT("function", stalls->functions[at].name),
                                 VALUE_SHARE("share", stalls->functions[at].share),
                                 VALUE_TEXT("meaning", meanings[row].meaning));
                said++;
            }
}

const struct hypothesis hypothesis_interpreter = {
    .id = "interpreter",
    .family = "build",
    .title = "interpreted code",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = interpreter_test,
};
