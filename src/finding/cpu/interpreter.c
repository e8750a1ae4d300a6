/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An interpreter's work for its script: fetching operations, and what its compiled functions are asked to do. */
#include "base/scope.h"
#include "base/vec.h"
#include "finding/called.h"
#include "finding/cpu/collector.h"
#include "finding/cpu/script_parts.h"
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/wording.h"

#include <stdlib.h>
#include <string.h>

/*
 * Loops that fetch the next operation, and the operations they lead to. Of V8's built-in code, which node carries as
 * machine code, only the handlers of its bytecodes are that.
 */
#define DISPATCH_LOOPS                                                                                                 \
    {.prefix = "_PyEval_"}, {.prefix = "Builtins_", .suffix = "Handler"}, {.prefix = "Builtins_Interpreter"},          \
        {.word = "BytecodeHandler"}, {.prefix = "luaV_execute"}, {.prefix = "Perl_pp_"}, {.prefix = "Perl_runops"},    \
        {.prefix = "sqlite3VdbeExec"}, {.name = "vm_exec_core"}, {.name = "execute_ex"}, {.word = "RawMatch"},         \
        {.prefix = "ZEND_", .suffix = "_HANDLER"}, {.name = "JS_CallInternal"}, {.name = "TEBCresume"},                \
        {.name = "jq_next"}, {.name = "caml_interprete"}, {.dso = "vvp", .prefix = "of_"},                             \
        {.dso = "vvp", .name = "vthread_run"}, {.prefix = "octave::tree_"}, {.dso = "bash"},                           \
    {                                                                                                                  \
        .dso = "dash"                                                                                                  \
    }

static const struct name_pattern dispatch_names[] = {DISPATCH_LOOPS};

/* These walk trees by many functions: which of them fetch and which do the work isn't told apart. */
#define WALKERS                                                                                                        \
    {.prefix = "genie_"}, {.dso = "picolisp"},                                                                         \
    {                                                                                                                  \
        .name = "ecl_interpret"                                                                                        \
    }

static const struct name_pattern walker_names[] = {WALKERS};

/* … and what belongs to them and nothing else: an interpreter's own binary does what a script asks for. */
static const struct name_pattern interpreter_names[] = {
    DISPATCH_LOOPS,          {.name = "PyObject_Call"},
    {.dso = "python"},       {.dso = "libpython"},
    {.dso = "perl"},         {.dso = "libperl"},
    {.dso = "ruby"},         {.dso = "libruby"},
    {.dso = "mruby"},        {.dso = "libmruby"},
    {.name = "mrb_vm_exec"}, {.prefix = "luaV_"},
    {.dso = "lua"},          {.dso = "liblua"},
    {.dso = "luajit"},       {.dso = "libluajit"},
    {.dso = "php"},          {.prefix = "sqlite3Vdbe"},
    {.dso = "mawk"},         {.dso = "gawk"},
    {.dso = "tclsh"},        {.dso = "libtcl"},
    {.dso = "libR"},         {.dso = "liboctinterp"},
    {.dso = "libguile-3"},   {.dso = "ocamlrun"},
    {.dso = "libswipl"},     {.dso = "vvp"},
    {.dso = "libsqlite3"},   WALKERS,
};

static bool is_interpreting(const struct stall_function *function)
{
    return function_has_some_name(function, interpreter_names, array_count(interpreter_names));
}

/* What a hot C function of an interpreter means in the script. */
static const struct {
    const char *prefix, *meaning;
    bool is_remedy; /* it says what to write instead */
} meanings[] = {
    {"list_contains", "'x in list' looks at one element after the other: use a set or dict", true},
    {"long_richcompare", "comparing integers, often for 'x in list': use a set or dict", true},
    {"PyUnicode_RichCompare", "comparing strings, often for 'x in list': use a set or dict", true},
    {"unicode_concatenate", "strings put together piece by piece: collect them and ''.join()", true},
    {"PyBytes_FromStringAndSize",
     "bytes are copied: a slice copies what is left each time, an offset or a memoryview doesn't", true},
    {"unicode_subscript", "a slice of a string copies it: keep an offset", true},
    {"list_slice", "a slice of a list copies it: keep an index, or itertools.islice", true},
    {"list_insert", "inserting at the front of a list moves all of it: collections.deque", true},
    {"rb_ary_includes", "include? of an Array looks at one element after the other: use a Set or Hash", true},
    {"rb_equal", "objects are compared one by one, as include? and index of an Array do: use a Set or Hash", true},
    {"rb_str_plus", "String + copies both into a new one: << appends in place", true},
    {"zif_in_array", "in_array() looks at one element after the other: isset() on keys", true},
    {"gc_collect_main", "the garbage collector: fewer objects alive, or gc.freeze() after start-up"},
    {"long_mul", "arithmetic on integers beyond one machine word"},
    {"sre_ucs", "a regular expression of the re module"},
    {"dict_", "dictionary access"},
    {"sqlite3Vdbe", "SQL statements: rows are visited one by one"},
    {"RawMatch", "a regular expression that V8 interprets: nested repetitions backtrack"},
};

static const char *script_advice(const struct stall_function *function)
{
    static const struct {
        struct name_pattern of;
        const char *advice;
    } kinds[] = {
        /* the first that fits counts */
        {{.dso = "libsqlite3"}, "advice-sqlite"}, {{.prefix = "sqlite3"}, "advice-sqlite"},
        {{.word = "RawMatch"}, "advice-regexp"},  {{.dso = "python"}, "advice-python"},
        {{.dso = "libpython"}, "advice-python"},  {{.prefix = "_PyEval_"}, "advice-python"},
        {{.prefix = "Builtins_"}, "advice-node"}, {{.word = "BytecodeHandler"}, "advice-node"},
        {{.dso = "node"}, "advice-node"},         {{.dso = "bash"}, "advice-shell"},
        {{.dso = "dash"}, "advice-shell"},        {{.dso = "perl"}, "advice-perl"},
        {{.dso = "libperl"}, "advice-perl"},      {{.name = "caml_interprete"}, "advice-ocaml"},
        {{.dso = "libR"}, "advice-arrays"},       {{.dso = "liboctinterp"}, "advice-arrays"},
        {{.dso = "luajit"}, "advice-luajit"},     {{.dso = "libluajit"}, "advice-luajit"},
        {{.dso = "ruby"}, "advice-ruby"},         {{.dso = "libruby"}, "advice-ruby"},
        {{.dso = "php"}, "advice-php"},           {{.dso = "lua"}, "advice-lua"},
        {{.dso = "liblua"}, "advice-lua"},        {{.dso = "gawk"}, "advice-gawk"},
        {{.dso = "tclsh"}, "advice-tcl"},         {{.dso = "libtcl"}, "advice-tcl"},
        {{.dso = "vvp"}, "advice-vvp"},           {{.name = "ecl_interpret"}, "advice-ecl"},
    };
    for (size_t at = 0; at < array_count(kinds); at++)
        if (function_has_name(function, &kinds[at].of))
            return kinds[at].advice;
    return "advice";
}

static const struct name_pattern collector_names[] = {PYTHON_COLLECTOR};

static double collector_samples(const struct stalls *stalls)
{
    return (double)functions_named(stalls, collector_names, array_count(collector_names)).samples;
}

/* Python compiled ahead, by mypyc or Cython: it calls the interpreter's library, and nothing of it is interpreted. */
static const struct name_pattern ahead_names[] = {
    {.prefix = "CPyDef_"}, {.prefix = "CPyPy_"},     {.prefix = "__pyx_"},
    {.prefix = "__Pyx_"},  {.prefix = "CPyTagged_"}, {.word = "__mypyc"},
};

static bool is_compiled_ahead(const struct stall_function *function)
{
    return !function->is_kernel && (function_has_some_name(function, ahead_names, array_count(ahead_names)) ||
                                    strstr(function->dso, "__mypyc."));
}

/* The hottest of such functions, where they have a fifth of the time that the interpreter's library has; else NULL. */
static const struct stall_function *compiled_ahead(const struct stalls *stalls, double *ret_samples)
{
    static const double PART_LEAST = 0.2;
    const struct stall_function *hottest = NULL;
    double own = 0, library = 0;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        bool is_ahead = is_compiled_ahead(function);
        own += is_ahead ? (double)function->samples : 0;
        bool is_python = strcmp(script_advice(function), "advice-python") == 0;
        library += !is_ahead && is_python && function_is_interpreters(function) ? (double)function->samples : 0;
        hottest = is_ahead && !hottest ? function : hottest;
    }
    *ret_samples = own;
    return own >= PART_LEAST * library ? hottest : NULL;
}

/* NULL: nobody knows what it means in a script. */
static const char *meaning_of(const struct stall_function *function, bool only_remedies)
{
    for (size_t row = 0; row < array_count(meanings); row++)
        if ((meanings[row].is_remedy || !only_remedies) &&
            strncmp(function->name, meanings[row].prefix, strlen(meanings[row].prefix)) == 0)
            return meanings[row].meaning;
    return NULL;
}

/* Of a library's function that an interpreter's calls most of all: what that means. */
static const char *remedy_of(const struct stall_function *function)
{
    const struct stall_caller *callers[] = {function->caller_count ? &function->callers[0] : NULL,
                                            function->owner_count ? &function->owners[0] : NULL};
    const char *remedy = meaning_of(function, true);
    for (size_t at = 0; at < array_count(callers) && !remedy; at++) {
        const struct stall_caller *caller = callers[at];
        const struct stall_function called_by = {.name = caller && caller->name ? caller->name : ""};
        if (caller && 2 * (uint64_t)caller->stacks > function->stacks)
            remedy = meaning_of(&called_by, true);
    }
    return remedy;
}

void script_advise_meaning(const struct results *results, struct finding *finding)
{
    static const double PART_LEAST = 0.2;
    const struct stalls *stalls = results->stalls;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        const char *remedy = function->share.mid >= PART_LEAST ? remedy_of(function) : NULL;
        if (!remedy)
            continue;
        finding_advise(finding, "advice-meaning", VALUE_TEXT("function", function->name),
                       VALUE_SHARE("share", function->share), VALUE_TEXT("meaning", remedy));
        return;
    }
}

/* Statements are read and made into code each time, unless they are kept. Unknown: that is no good part. */
static struct interval share_of_preparing(const struct results *results, const struct finding *finding)
{
    static const double PART_LEAST = 0.1;
    struct interval share = share_called_of(results, finding, CALLED_PREPARING);
    return share.known && share.low >= PART_LEAST ? share : (struct interval){0};
}

static void advise_on_script(const struct results *results, struct finding *finding, const char *advice)
{
    struct interval collecting = share_of_samples(results, finding, collector_samples(results->stalls));
    double ahead = 0;
    const struct stall_function *compiled =
        strcmp(advice, "advice-python") == 0 ? compiled_ahead(results->stalls, &ahead) : NULL;
    if (compiled) {
        finding_advise(finding, "advice-python-ahead", VALUE_TEXT("function", compiled->name),
                       VALUE_SHARE("share", share_of_samples(results, finding, ahead)));
        return;
    }
    struct interval preparing = share_of_preparing(results, finding);
    if (strcmp(advice, "advice-sqlite") == 0 && preparing.known)
        finding_advise(finding, "advice-sqlite-prepared", VALUE_SHARE("share", preparing),
                       VALUE_TEXT("of", denominator_name(finding->of)));
    if (strcmp(advice, "advice-python") == 0 && collecting.low >= results->effect)
        finding_advise(finding, "advice-python-gc", VALUE_SHARE("share", collecting));
    script_advise_meaning(results, finding);
    finding_advise(finding, advice, NO_VALUES);
}

bool function_is_interpreters(const struct stall_function *function)
{
    for (size_t at = 0; at < array_count(interpreter_names) && !function->is_kernel; at++)
        if (function_has_name(function, &interpreter_names[at]))
            return true;
    return false;
}

/* By binary, most samples first: a script's interpreter may call that of another language (SQL). */
struct interpreters {
    struct name_matches items[8];
    size_t count;
};

static int matches_compare(const void *a, const void *b)
{
    const struct name_matches *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

static struct interpreters interpreters_of(const struct stalls *stalls)
{
    struct interpreters found = {.count = 0};
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        size_t to = 0;
        if (!function_is_interpreters(function))
            continue;
        while (to < found.count && strcmp(found.items[to].hottest->dso, function->dso) != 0)
            to++;
        if (to == array_count(found.items))
            continue;
        found.count += to == found.count;
        found.items[to].hottest = found.items[to].hottest ? found.items[to].hottest : function;
        found.items[to].samples += function->samples;
    }
    qsort(found.items, found.count, sizeof(*found.items), matches_compare);
    return found;
}

bool script_advise(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    if (!stalls)
        return false;
    const struct name_matches matches = functions_named(stalls, interpreter_names, array_count(interpreter_names));
    const struct interpreters each = interpreters_of(stalls);
    const char *advice = each.count ? script_advice(each.items[0].hottest) : "advice";
    if (matches.samples * 2 < stalls->user_samples || strcmp(advice, "advice") == 0)
        return false;
    advise_on_script(results, finding, advice);
    return true;
}

static const char *advice_of_callers(const struct stall_caller *callers, uint32_t count)
{
    for (uint32_t at = 0; at < count; at++) {
        const struct stall_function caller = {.name = callers[at].name, .dso = callers[at].dso ? callers[at].dso : ""};
        if (caller.name && function_is_interpreters(&caller))
            return script_advice(&caller);
    }
    return NULL;
}

const char *script_advice_beside(const struct results *results)
{
    static const double MATTERS = 0.01; /* less may be a wrapper that only started it */
    const struct stalls *stalls = results->stalls;
    const char *advice = NULL;
    for (size_t at = 0; at < stalls->function_count && !advice; at++) {
        const struct stall_function *function = &stalls->functions[at];
        if ((double)function->samples < MATTERS * (double)stalls->sample_count)
            continue;
        if (function_is_interpreters(function))
            advice = script_advice(function);
        if (!advice && !function->is_kernel)
            advice = advice_of_callers(function->callers, function->caller_count);
        if (!advice && !function->is_kernel)
            advice = advice_of_callers(function->owners, function->owner_count);
    }
    return advice && strcmp(advice, "advice") != 0 ? wording_find("common", advice) : NULL;
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

static double interpreting_samples(const struct stalls *stalls, const char *dso)
{
    double samples = 0;
    for (size_t at = 0; at < stalls->function_count; at++)
        if (!stalls->functions[at].is_kernel && strcmp(stalls->functions[at].dso, dso) == 0 &&
            function_has_some_name(&stalls->functions[at], dispatch_names, array_count(dispatch_names)))
            samples += (double)stalls->functions[at].samples;
    return samples;
}

/* "; libpython3.11.so.1.0 takes 22 to 24 % beside it": another that matters; "": none does. */
static const char *beside_said(const struct results *results, struct finding *finding,
                               const struct interpreters *interpreters)
{
    if (interpreters->count < 2)
        return "";
    const struct name_matches *second = &interpreters->items[1];
    struct value share = VALUE_SHARE("", share_of_samples(results, finding, (double)second->samples));
    if (!share.number.known || share.number.low < results->effect)
        return "";
    scoped_text struct text out = {0};
    text_printf(&out, "; %s takes ", second->hottest->dso);
    value_print(&out, &share);
    text_add(&out, " beside it");
    return arena_string(finding->arena, text_string(&out));
}

/* All of that library serves statements, whatever its functions are called: its share is the binary's. */
static bool is_sqlite_library(const struct stall_function *function)
{
    static const struct name_pattern library = {.dso = "libsqlite3"};
    return function_has_name(function, &library);
}

/*
 * Fetching operations is one thing, the compiled functions that they call are another: no compiler of scripts makes
 * those faster.
 */
static void interpreter_or_runtime(const struct results *results, struct finding *finding,
                                   const struct interpreters *interpreters)
{
    const struct name_matches *matches = &interpreters->items[0];
    double interpreting = interpreting_samples(results->stalls, matches->hottest->dso);
    struct script_parts parts = script_parts_of(results, finding, matches->hottest->dso);
    bool is_unknown = parts.nameless * 2 >= (double)matches->samples; /* what they do isn't known */
    double ahead = 0;
    bool is_sqlite = is_sqlite_library(matches->hottest);
    const struct stall_function *compiled = is_sqlite ? NULL : compiled_ahead(results->stalls, &ahead);
    bool interprets = interpreting * 2 >= (double)matches->samples;
    bool walks = function_has_some_name(matches->hottest, walker_names, array_count(walker_names));
    if (!is_sqlite && !interprets && is_unknown && !compiled && finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline-unnamed", VALUE_TEXT("dso", matches->hottest->dso),
                    VALUE_SHARE("share", share_of_samples(results, finding, (double)matches->samples)));
    if (!is_sqlite && (interprets || (is_unknown && !compiled)))
        return;
    struct value share = VALUE_SHARE("share", share_of_samples(results, finding, (double)matches->samples));
    struct interval own = share_of_samples(results, finding, interpreting);
    const char *headline = is_sqlite                            ? "headline-sqlite"
                           : parts.said && compiled             ? "headline-ahead-parts"
                           : compiled                           ? "headline-ahead"
                           : parts.said                         ? "headline-parts"
                           : walks                              ? "headline-asked"
                           : own.high < SCRIPT_PART_SHOWN_LEAST ? "headline-compiled"
                                                                : "headline-runtime";
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, headline, VALUE_TEXT("dso", matches->hottest->dso), share,
                    VALUE_TEXT("parts", parts.said ? parts.said : ""), VALUE_SHARE("interpreting", own),
                    VALUE_SHARE("ahead", share_of_samples(results, finding, ahead)),
                    VALUE_TEXT("beside", beside_said(results, finding, interpreters)));
    if (parts.said)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "parts", VALUE_TEXT("parts", parts.said));
    finding_set(finding, confirm, "confirm-runtime", NO_VALUES);
}

/* What the larger one of several takes, where that is enough by itself; else of all. */
static void decide_by_larger(const struct results *results, struct finding *finding,
                             const struct interpreters *interpreters)
{
    test_function_names(results, finding, interpreter_names, array_count(interpreter_names));
    if (finding->verdict != VERDICT_SUPPORTED || interpreters->count < 2 ||
        share_of_names(results, finding, (double)interpreters->items[0].samples).low < results->effect)
        return;
    finding->evidence_count = finding->advice_count = 0;
    test_name_matches(results, finding, &interpreters->items[0]);
}

static void interpreter_test(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    const struct interpreters interpreters = interpreters_of(stalls);
    decide_by_larger(results, finding, &interpreters);
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
    if (!finding->advice_count || !interpreters.count)
        return;
    const char *advice = script_advice(interpreters.items[0].hottest);
    finding->advice_count = 0;
    advise_on_script(results, finding, advice);
    interpreter_or_runtime(results, finding, &interpreters);
    bool prepares = share_of_preparing(results, finding).known;
    if (strcmp(advice, "advice-sqlite") == 0)
        finding_set(finding, confirm, prepares ? "confirm-sqlite-prepared" : "confirm-sqlite", NO_VALUES);
    if (strcmp(advice, "advice-regexp") == 0)
        finding_set(finding, confirm, "confirm-regexp", NO_VALUES);
    for (size_t at = 0, said = 0; at < stalls->function_count && said < 2; at++) {
        const struct stall_function *function = &stalls->functions[at];
        const char *meaning = function->share.mid >= results->effect ? meaning_of(function, false) : NULL;
        if (!meaning)
            continue;
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "meaning", VALUE_TEXT("function", function->name),
                         VALUE_SHARE("share", function->share), VALUE_TEXT("meaning", meaning));
        said++;
    }
}

const struct hypothesis hypothesis_interpreter = {
    .id = "interpreter",
    .family = "build",
    .title = "a known interpreter's work for its script",
    .rule = "a fact when a known interpreter's code holds the effect; a large jump table leaves it undecided; ruled "
            "out when "
            "less could be such",
    .gain = "0 to that share",
    .overturn = "the hot part through a compiled library, or half of the script's work",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = interpreter_test,
    .has_function = is_interpreting,
    .advice_for = script_advice,
};
