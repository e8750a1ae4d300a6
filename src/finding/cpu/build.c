/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes in how the program was built, or in which program is being timed at all. */
#include "base/scope.h"
#include "base/vec.h"
#include "finding/cpu/collector.h"
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/wording.h"

#include <string.h>

/* Unoptimised code reaches for its frame in about half of its instructions, optimised code in few. */
static const double FRAME_DENSITY_OF_UNOPTIMISED = 0.33;
/*
 * That may be lack of registers, too, or saving them all (stubs of a just-in-time compiler): variables must be loaded
 * right behind being stored as well. With a frame pointer fewer of them will do. Variables that must lie in memory
 * (volatile) look the same; the others of such code stay in registers.
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
    return !function->keeps_values && function->frame_density >= FRAME_DENSITY_OF_UNOPTIMISED &&
           function->reload_density >=
               (function->has_frame ? RELOAD_DENSITY_WITH_FRAME : RELOAD_DENSITY_OF_UNOPTIMISED);
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
    bool is_generated = function_is_generated(hottest);
    if (is_generated && finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline-generated", VALUE_TEXT("function", hottest->name),
                    VALUE_SHARE("share", share));
    finding_advise(finding, is_generated ? "advice-generated" : "advice", NO_VALUES);
    finding_set(finding, confirm, is_generated ? "confirm-generated" : "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_unoptimised = {
    .id = "unoptimised-build",
    .family = "build",
    .title = "an unoptimised build is being timed",
    .rule =
        "a fact when the compiler's note, or code that keeps variables in its frame and none in registers from turn to "
        "turn of a loop, covers at least the effect; ruled out when less could be such",
    .gain = "0 to that share",
    .overturn = "both builds, -O0 and -O2, in turns",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = unoptimised_test,
};

/* All of them guesses: what is called so may be the product. */
static const struct name_pattern checking_names[] = {
    {.word = "ref", .is_guess = true},     {.word = "reference", .is_guess = true},
    {.word = "verify", .is_guess = true},  {.word = "check", .is_guess = true},
    {.word = "checker", .is_guess = true}, {.word = "validate", .is_guess = true},
    {.word = "assert", .is_guess = true},
};

bool function_name_checks(const char *name)
{
    const struct stall_function function = {.name = name, .dso = ""};
    for (size_t at = 0; at < array_count(checking_names); at++)
        if (function_has_name(&function, &checking_names[at]))
            return true;
    return false;
}

static void checking_code_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, checking_names, array_count(checking_names));
}

const struct hypothesis hypothesis_checking_code = {
    .id = "checking-code",
    .family = "build",
    .title = "a reference or checking routine is being timed",
    .rule =
        "names alone never support it: undecided when functions named like checks hold the effect; ruled out when they "
        "can't",
    .gain = "0 to that share",
    .overturn = "the program without its check",
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

static bool is_instrumenting(const struct stall_function *function)
{
    return function_has_some_name(function, instrumented_names, array_count(instrumented_names));
}

static void instrumented_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, instrumented_names, array_count(instrumented_names));
}

const struct hypothesis hypothesis_instrumented = {
    .id = "instrumented-build",
    .family = "build",
    .title = "sanitizer, coverage or profiling code",
    .rule =
        "a fact when functions of sanitizers, coverage or profilers hold the effect; ruled out when less could be such",
    .gain = "0 to that share",
    .overturn = "a build without the instrumentation",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = instrumented_test,
    .has_function = is_instrumenting,
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
        {.name = "jq_next"}, {.name = "caml_interprete"}, {.prefix = "octave::tree_"}, {.dso = "bash"}, {.dso = "dash"}

static const struct name_pattern dispatch_names[] = {DISPATCH_LOOPS};
static const double PART_SHOWN_LEAST = 0.02;

/* … and what belongs to them and nothing else: an interpreter's own binary does what a script asks for. */
static const struct name_pattern interpreter_names[] = {
    DISPATCH_LOOPS,        {.name = "PyObject_Call"}, {.dso = "python"},       {.dso = "libpython"},
    {.dso = "perl"},       {.dso = "libperl"},        {.dso = "ruby"},         {.dso = "libruby"},
    {.dso = "mruby"},      {.dso = "libmruby"},       {.name = "mrb_vm_exec"}, {.prefix = "luaV_"},
    {.dso = "lua"},        {.dso = "liblua"},         {.dso = "luajit"},       {.dso = "libluajit"},
    {.dso = "php"},        {.prefix = "sqlite3Vdbe"}, {.dso = "mawk"},         {.dso = "gawk"},
    {.dso = "tclsh"},      {.dso = "libtcl"},         {.dso = "libR"},         {.dso = "liboctinterp"},
    {.dso = "libguile-3"}, {.dso = "ocamlrun"},       {.dso = "libswipl"},
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
    {"list_insert", "inserting at the front of a list moves all of it: collections.deque", true},
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
    static const struct name_pattern ocaml[] = {{.name = "caml_interprete"}};
    static const struct name_pattern luajit[] = {{.dso = "luajit"}, {.dso = "libluajit"}};
    static const struct name_pattern arrays[] = {{.dso = "libR"}, {.dso = "liboctinterp"}};
    static const struct {
        const struct name_pattern *patterns;
        size_t count;
        const char *advice;
    } kinds[] = {
        {sqlite, array_count(sqlite), "advice-sqlite"}, {regexp, array_count(regexp), "advice-regexp"},
        {python, array_count(python), "advice-python"}, {node, array_count(node), "advice-node"},
        {shell, array_count(shell), "advice-shell"},    {perl, array_count(perl), "advice-perl"},
        {ocaml, array_count(ocaml), "advice-ocaml"},    {arrays, array_count(arrays), "advice-arrays"},
        {luajit, array_count(luajit), "advice-luajit"},
    };
    for (size_t kind = 0; kind < array_count(kinds); kind++)
        for (size_t at = 0; at < kinds[kind].count; at++)
            if (function_has_name(function, &kinds[kind].patterns[at]))
                return kinds[kind].advice;
    return "advice";
}

static const struct name_pattern collector_names[] = {PYTHON_COLLECTOR};

static double collector_samples(const struct stalls *stalls)
{
    return (double)functions_named(stalls, collector_names, array_count(collector_names)).samples;
}

/* What an interpreter's compiled functions do for a script, by their names; the first that fits counts. */
static const struct name_pattern interpreting_names[] = {DISPATCH_LOOPS};
static const struct name_pattern sorting_names[] = {
    {.prefix = "list_sort"},           {.prefix = "merge_"},      {.prefix = "gallop_"},
    {.prefix = "binarysort"},          {.prefix = "count_run"},   {.prefix = "unsafe_"},
    {.prefix = "safe_object_compare"}, {.prefix = "PyList_Sort"}, {.prefix = "builtin_sorted"},
    {.prefix = "reverse_slice"},
};
static const struct name_pattern expression_names[] = {
    {.prefix = "sre_"},     {.prefix = "SRE"},    {.prefix = "_sre"},
    {.prefix = "pattern_"}, {.prefix = "state_"}, {.prefix = "match_"},
};
static const struct name_pattern lookup_names[] = {
    {.prefix = "dict"},
    {.prefix = "PyDict"},
    {.prefix = "_PyDict"},
    {.prefix = "unicodekeys_"},
    {.prefix = "insertdict"},
    {.prefix = "insert_to_"},
    {.prefix = "find_empty_slot"},
    {.prefix = "lookdict"},
    {.prefix = "_Py_dict_lookup"},
    {.prefix = "set_"},
    {.prefix = "PySet"},
    {.prefix = "_PySet"},
    {.prefix = "do_lookup"},
    {.prefix = "compare_unicode"},
};
static const struct name_pattern object_names[] = {
    {.word = "dealloc"},          {.prefix = "_Py_Dealloc"},     {.prefix = "_PyObject_Malloc"},
    {.prefix = "_PyObject_Free"}, {.prefix = "PyObject_Malloc"}, {.prefix = "PyObject_Free"},
    {.prefix = "_PyObject_GC"},   {.prefix = "PyObject_GC"},     {.prefix = "gc_alloc"},
    {.prefix = "_PyObject_New"},  {.prefix = "PyTuple_New"},     {.prefix = "PyList_New"},
    {.prefix = "PyMem_"},         {.prefix = "_PyMem_"},         {.prefix = "free_list"},
    {.prefix = "pymalloc"},
};
static const struct name_pattern string_names[] = {
    {.prefix = "unicode_"},   {.prefix = "PyUnicode"}, {.prefix = "_PyUnicode"}, {.prefix = "split_"},
    {.prefix = "ucs1lib"},    {.prefix = "ucs2lib"},   {.prefix = "asciilib"},   {.prefix = "stringlib"},
    {.prefix = "fastsearch"}, {.prefix = "bytes_"},    {.prefix = "PyBytes"},
};
static const struct name_pattern digits_names[] = {
    {.prefix = "_Py_dg_"},
    {.name = "quorem"},
    {.name = "bigcomp"},
    {.name = "multadd"},
    {.name = "pow5mult"},
    {.name = "d2b"},
    {.name = "s2b"},
    {.name = "b2d"},
    {.prefix = "_Py_set_387controlword"},
    {.prefix = "_Py_get_387controlword"},
    {.prefix = "PyOS_double_to_string"},
    {.prefix = "PyOS_string_to_double"},
    {.prefix = "format_float"},
    {.prefix = "float_repr"},
    {.prefix = "long_to_decimal_string"},
};
static const struct name_pattern number_names[] = {
    {.prefix = "long_"},    {.prefix = "PyLong"},    {.prefix = "_PyLong"}, {.prefix = "x_add"},
    {.prefix = "x_sub"},    {.prefix = "x_divrem"},  {.prefix = "x_mul"},   {.prefix = "k_mul"},
    {.prefix = "l_mod"},    {.prefix = "l_divmod"},  {.prefix = "float_"},  {.prefix = "PyFloat"},
    {.prefix = "PyNumber"}, {.prefix = "binary_op"},
};

/* Perl's, which its distributions leave the names of what other files may call. */
static const struct name_pattern perl_expression_names[] = {
    {.prefix = "Perl_regexec"},   {.prefix = "Perl_pregexec"}, {.prefix = "Perl_re_"},    {.prefix = "S_reg"},
    {.prefix = "S_find_byclass"}, {.prefix = "Perl_fbm_"},     {.name = "Perl_pp_match"}, {.name = "Perl_pp_subst"},
};
static const struct name_pattern perl_lookup_names[] = {
    {.prefix = "Perl_hv_"}, {.prefix = "S_hv_"}, {.prefix = "S_share_hek"}, {.prefix = "S_hsplit"}};
static const struct name_pattern perl_value_names[] = {
    {.prefix = "Perl_sv_free"},      {.prefix = "Perl_sv_clear"},   {.prefix = "Perl_newSV"},
    {.prefix = "Perl_sv_newmortal"}, {.prefix = "Perl_sv_2mortal"}, {.prefix = "Perl_leave_scope"},
    {.prefix = "Perl_free_tmps"},    {.prefix = "Perl_sv_upgrade"}, {.prefix = "Perl_safesys"},
};
static const struct name_pattern perl_string_names[] = {
    {.prefix = "Perl_sv_cat"},  {.prefix = "Perl_sv_set"}, {.prefix = "Perl_sv_cmp"},  {.prefix = "Perl_sv_eq"},
    {.prefix = "Perl_do_join"}, {.name = "Perl_pp_split"}, {.name = "Perl_pp_concat"}, {.prefix = "Perl_sv_gets"},
};
static const struct name_pattern perl_number_names[] = {
    {.prefix = "Perl_my_atof"},
    {.prefix = "Perl_grok_"},
    {.prefix = "Perl_sv_2nv"},
    {.prefix = "Perl_sv_2iv"},
    {.prefix = "Perl_looks_like_number"},
};

struct script_part {
    const char *what;
    const struct name_pattern *names;
    size_t count;
};
#define PART(what, names) {what, names, array_count(names)}

enum { SCRIPT_PARTS_MOST = 10 };
static const struct script_language {
    struct name_pattern files[2];
    struct script_part parts[SCRIPT_PARTS_MOST]; /* what NULL: no more */
} script_languages[] = {
    {{{.dso = "python"}, {.dso = "libpython"}},
     {PART("interpreting", interpreting_names), PART("sorting", sorting_names),
      PART("regular expressions", expression_names), PART("the garbage collector", collector_names),
      PART("making and freeing objects", object_names), PART("looking up in dicts and sets", lookup_names),
      PART("strings", string_names), PART("numbers as text and back", digits_names), PART("numbers", number_names)}},
    {{{.dso = "perl"}, {.dso = "libperl"}},
     {PART("regular expressions", perl_expression_names), PART("looking up in hashes", perl_lookup_names),
      PART("making and freeing values", perl_value_names), PART("strings", perl_string_names),
      PART("numbers", perl_number_names), PART("interpreting", interpreting_names)}},
};

static const struct script_language *language_of(const struct stall_function *function)
{
    for (size_t at = 0; at < array_count(script_languages); at++)
        for (size_t file = 0; file < array_count(script_languages[at].files); file++)
            if (function_has_name(function, &script_languages[at].files[file]))
                return &script_languages[at];
    return NULL;
}

/* SCRIPT_PARTS_MOST: of none. */
static size_t part_of(const struct script_language *language, const struct stall_function *function)
{
    for (size_t part = 0; part < SCRIPT_PARTS_MOST && language->parts[part].what; part++)
        for (size_t at = 0; at < language->parts[part].count; at++)
            if (function_has_name(function, &language->parts[part].names[at]))
                return part;
    return SCRIPT_PARTS_MOST;
}

static bool is_nameless(const struct stall_function *function)
{
    return strstr(function->name, "+0x");
}

struct script_work {
    const struct script_language *language; /* of the hottest that has one; NULL: none */
    double samples[SCRIPT_PARTS_MOST];
    double nameless; /* samples of functions without a name that nobody with one was seen to call */
};

/* A function without a name does what those with one asked for that called it, as far as stacks were copied. */
static double work_of_callers(struct script_work *work, const struct stall_function *function,
                              const struct stall_caller *callers, uint32_t count)
{
    double taken = 0;
    for (uint32_t at = 0; at < count && function->stacks; at++) {
        const struct stall_function caller = {.name = callers[at].name, .dso = callers[at].dso};
        size_t part = part_of(work->language, &caller);
        double samples = (double)function->samples * (double)callers[at].stacks / (double)function->stacks;
        if (part == SCRIPT_PARTS_MOST)
            continue;
        work->samples[part] += samples;
        taken += samples;
    }
    return taken;
}

static struct script_work script_work_of(const struct stalls *stalls, const char *dso)
{
    struct script_work work = {0};
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        const struct script_language *language = language_of(function);
        double taken = 0;
        work.language = work.language ? work.language : language;
        if (language && language == work.language) {
            size_t part = part_of(language, function);
            if (part < SCRIPT_PARTS_MOST)
                work.samples[part] += (double)function->samples;
            else if (is_nameless(function))
                taken = work_of_callers(&work, function, function->callers, function->caller_count);
            if (part == SCRIPT_PARTS_MOST && is_nameless(function) && taken <= 0)
                taken = work_of_callers(&work, function, function->owners, function->owner_count);
        }
        if (strcmp(function->dso, dso) == 0 && is_nameless(function) && taken < (double)function->samples)
            work.nameless += (double)function->samples - taken;
    }
    return work;
}

/* "sorting 24 %, interpreting 9.0 %", largest first; NULL: the names of its functions say nothing. */
static const char *parts_text(const struct results *results, const struct finding *finding, struct script_work work)
{
    enum { PARTS_SHOWN = 5 };
    scoped_text struct text out = {0};
    for (size_t shown = 0; shown < PARTS_SHOWN && work.language; shown++) {
        size_t best = 0;
        for (size_t part = 1; part < SCRIPT_PARTS_MOST; part++)
            best = work.samples[part] > work.samples[best] ? part : best;
        struct interval share = share_of_samples(results, finding, work.samples[best]);
        if (!share.known || share.mid < PART_SHOWN_LEAST)
            break;
        struct value value = VALUE_SHARE("", interval_exactly(share.mid));
        text_printf(&out, "%s%s ", shown ? ", " : "", work.language->parts[best].what);
        value_print(&out, &value);
        work.samples[best] = 0;
    }
    return out.length ? arena_string(finding->arena, text_string(&out)) : NULL;
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
        library += !is_ahead && function_is_interpreters(function) ? (double)function->samples : 0;
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

/* What a function means that has a good part of the time, before any profiler of scripts. */
static void advise_on_meaning(const struct results *results, struct finding *finding)
{
    static const double PART_LEAST = 0.2;
    const struct stalls *stalls = results->stalls;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        const char *meaning = function->share.mid >= PART_LEAST ? meaning_of(function, true) : NULL;
        if (!meaning)
            continue;
        finding_advise(finding, "advice-meaning", VALUE_TEXT("function", function->name),
                       VALUE_SHARE("share", function->share), VALUE_TEXT("meaning", meaning));
        return;
    }
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
    if (strcmp(advice, "advice-python") == 0 && collecting.low >= results->effect)
        finding_advise(finding, "advice-python-gc", VALUE_SHARE("share", collecting));
    advise_on_meaning(results, finding);
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

/*
 * Fetching operations is one thing, the compiled functions that they call are another: no compiler of scripts makes
 * those faster.
 */
static void interpreter_or_runtime(const struct results *results, struct finding *finding,
                                   const struct name_matches *matches)
{
    double interpreting = (double)functions_named(results->stalls, dispatch_names, array_count(dispatch_names)).samples;
    struct script_work work = script_work_of(results->stalls, matches->hottest->dso);
    bool is_unknown = work.nameless * 2 >= (double)matches->samples; /* what they do isn't known */
    double by_ahead = 0;
    if (interpreting * 2 >= (double)matches->samples || (is_unknown && !compiled_ahead(results->stalls, &by_ahead)))
        return;
    const char *parts = parts_text(results, finding, work);
    struct value share = VALUE_SHARE("share", share_of_samples(results, finding, (double)matches->samples));
    struct interval own = share_of_samples(results, finding, interpreting);
    double ahead = 0;
    const struct stall_function *compiled = compiled_ahead(results->stalls, &ahead);
    const char *headline = parts && compiled             ? "headline-ahead-parts"
                           : compiled                    ? "headline-ahead"
                           : parts                       ? "headline-parts"
                           : own.high < PART_SHOWN_LEAST ? "headline-compiled"
                                                         : "headline-runtime";
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, headline, VALUE_TEXT("dso", matches->hottest->dso), share,
                    VALUE_TEXT("parts", parts ? parts : ""), VALUE_SHARE("interpreting", own),
                    VALUE_SHARE("ahead", share_of_samples(results, finding, ahead)));
    if (parts)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "parts", VALUE_TEXT("parts", parts));
    finding_set(finding, confirm, "confirm-runtime", NO_VALUES);
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
    const char *advice = script_advice(matches.hottest ? matches.hottest : matches.hottest_guessed);
    finding->advice_count = 0;
    advise_on_script(results, finding, advice);
    if (matches.hottest)
        interpreter_or_runtime(results, finding, &matches);
    if (strcmp(advice, "advice-sqlite") == 0 || strcmp(advice, "advice-regexp") == 0)
        finding_set(finding, confirm, strcmp(advice, "advice-sqlite") == 0 ? "confirm-sqlite" : "confirm-regexp",
                    NO_VALUES);
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
    .title = "an interpreter's work for its script",
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
