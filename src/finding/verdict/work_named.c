/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/work_named.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/called.h"
#include "finding/family.h"
#include "finding/wording.h"

#include <string.h>

static const struct name_pattern expressions[] = {
    /* glibc's regexec.c */
    {.dso = "libc", .prefix = "re_"},
    {.dso = "libc", .prefix = "transit_state"},
    {.dso = "libc", .prefix = "check_"},
    {.dso = "libc", .prefix = "sift_"},
    {.dso = "libc", .prefix = "merge_state"},
    {.dso = "libc", .prefix = "get_subexp"},
    {.dso = "libc", .prefix = "match_ctx_"},
    {.dso = "libc", .prefix = "build_trtable"},
    {.dso = "libc", .prefix = "expand_bkref"},
    {.dso = "libc", .prefix = "search_cur_bkref"},
    {.dso = "libc", .prefix = "calc_eclosure"},
    {.dso = "libc", .prefix = "group_nodes"},
    {.dso = "libc", .prefix = "clean_state_log"},
    {.dso = "libc", .prefix = "update_cur_sifted"},
    {.dso = "libc", .name = "regexec"},
    {.dso = "libpcre"},
    {.dso = "libpcre2-8"},
    {.dso = "libre2"},
    {.dso = "libonig"},
    {.prefix = "regex_automata::"},
    {.prefix = "regex::"},
    {.prefix = "std::__detail::_Executor"},
    {.name = "RawMatch"},
};
static const struct name_pattern string_ends[] = {
    {.word = "strlen"}, {.word = "strnlen"}, {.word = "strcat"}, {.word = "strncat"}, {.word = "rawmemchr"},
};
static const struct name_pattern formatting[] = {
    {.word = "Formatter"},     {.prefix = "fmt.(*pp)"},    {.prefix = "fmt.(*fmt)"},
    {.prefix = "core::fmt::"}, {.prefix = "alloc::fmt::"}, {.prefix = "std::__format::"},
};
static const struct name_pattern documents[] = {
    {.word = "JsonParse"},        {.word = "JsonParser"},     {.word = "JsonStringify"}, {.word = "JsonStringifier"},
    {.prefix = "encoding/json."}, {.prefix = "serde_json::"}, {.prefix = "nlohmann::"},  {.prefix = "rapidjson::"},
};
static const struct name_pattern cloning[] = {{.suffix = "::clone"}, {.suffix = "::to_vec"}, {.suffix = "::to_owned"}};
static const struct name_pattern buckets[] = {
    {.word = "M_find_before_node"},
    {.word = "M_find_node"},
    {.name = "g_hash_table_lookup_node"},
};
static const struct name_pattern numbers_read[] = {
    {.dso = "libc", .word = "strtod"},
    {.dso = "libc", .word = "strtof"},
    {.dso = "libc", .word = "strtol"},
    {.dso = "libc", .word = "strtoul"},
    {.dso = "libc", .prefix = "____strtod"},
    {.dso = "libc", .prefix = "__GI_____strtod"},
    {.dso = "libc", .prefix = "____strtol"},
    {.dso = "libc", .prefix = "str_to_mpn"},
    {.dso = "libc", .prefix = "round_and_return"},
};
static const struct name_pattern numbers_written[] = {
    {.dso = "libc", .word = "printf_fp"},    {.dso = "libc", .prefix = "__printf_"},
    {.dso = "libc", .prefix = "hack_digit"}, {.dso = "libc", .word = "vfprintf"},
    {.dso = "libc", .prefix = "_itoa"},
};
static const struct name_pattern locale[] = {
    {.dso = "libc", .word = "mbrtowc"},        {.dso = "libc", .word = "wcrtomb"},
    {.dso = "libc", .word = "mbrlen"},         {.dso = "libc", .word = "mbsrtowcs"},
    {.dso = "libc", .word = "btowc"},          {.dso = "libc", .prefix = "__gconv_"},
    {.dso = "libc", .prefix = "__iswctype"},   {.dso = "libc", .prefix = "isw"},
    {.dso = "libc", .prefix = "tow"},          {.dso = "libc", .word = "strcoll"},
    {.dso = "libc", .word = "strxfrm"},        {.dso = "libc", .word = "wcscoll"},
    {.dso = "libc", .prefix = "get_next_seq"},
};
static const struct name_pattern remainders[] = {{.dso = "libm", .prefix = "__fmod"},
                                                 {.dso = "libm", .prefix = "fmod"},
                                                 {.dso = "libm", .prefix = "__ieee754_fmod"}};
static const struct name_pattern references[] = {
    {.name = "jv_copy"},          {.name = "jv_free"},        {.prefix = "g_object_ref"},
    {.prefix = "g_object_unref"}, {.prefix = "swift_retain"}, {.prefix = "swift_release"},
    {.prefix = "objc_retain"},    {.prefix = "objc_release"}, {.prefix = "std::_Sp_counted_base"},
    {.name = "Py_IncRef"},        {.name = "Py_DecRef"},
};
static const struct name_pattern compressing[] = {
    {.prefix = "deflate"},
    {.prefix = "compress_block"},
    {.prefix = "longest_match"},
    {.prefix = "fill_window"},
    {.prefix = "slide_hash"},
    {.prefix = "ZSTD_compress"},
    {.prefix = "LZ4_compress"},
    {.prefix = "BZ2_compress"},
    {.prefix = "BZ2_blockSort"},
    {.prefix = "BZ2_bzCompress"},
    {.prefix = "BrotliEncoder"},
    {.prefix = "lzma_code"},
    {.prefix = "libdeflate_", .suffix = "_compress"},
};
static const struct name_pattern decompressing[] = {
    {.prefix = "inflate"},
    {.prefix = "ZSTD_decompress"},
    {.prefix = "LZ4_decompress"},
    {.prefix = "BZ2_decompress"},
    {.prefix = "BZ2_bzDecompress"},
    {.prefix = "BrotliDecoder"},
    {.prefix = "libdeflate_", .suffix = "_decompress"},
};
static const struct name_pattern lua_tables[] = {
    {.dso = "lua", .prefix = "lua_geti"},    {.dso = "lua", .prefix = "lua_seti"},
    {.dso = "lua", .prefix = "lua_compare"}, {.dso = "liblua", .prefix = "lua_geti"},
    {.dso = "liblua", .prefix = "lua_seti"}, {.dso = "liblua", .prefix = "lua_compare"},
};
static const struct name_pattern sorting[] = {
    {.dso = "libc", .prefix = "msort_with_tmp"},
    {.dso = "libc", .prefix = "qsort"},
    {.dso = "libc", .prefix = "__qsort"},
    {.prefix = "std::__introsort"},
    {.prefix = "std::__adjust_heap"},
    {.prefix = "std::__merge_"},
    {.prefix = "core::slice::sort"},
    {.prefix = "alloc::slice::merge"},
    {.prefix = "pg_qsort"},
    {.prefix = "qsort_tuple"},
    {.prefix = "qsort_ssup"},
};
static const struct name_pattern paths[] = {{.prefix = "xmlXPath"}, {.prefix = "xsltEvalXPath"}};
static const struct name_pattern digests[] = {
    {.word = "sha256"},    {.word = "sha512"},  {.word = "sha1"},  {.word = "md5"},       {.prefix = "crc32"},
    {.prefix = "SHA256_"}, {.prefix = "SHA1_"}, {.prefix = "XXH"}, {.prefix = "adler32"},
};

#define KIND(words, names, advice)                                                                                     \
    {                                                                                                                  \
        words, names, array_count(names), advice, 0, ""                                                                \
    }
#define COMPILING(words, of, threads, advice)                                                                          \
    {                                                                                                                  \
        "compiling " words, NULL, 0, advice, CALLED_COMPILING_##of, threads                                            \
    }
static const struct work_kind {
    const char *words;
    const struct name_pattern *names;
    size_t count;
    const char *advice; /* key; NULL: none */
    /* told by all that it calls (enum called), or by threads that do nothing else, "a|b"; 0: of no such class */
    unsigned called;
    const char *threads;
} kinds[] = {
    KIND("matching regular expressions", expressions, "work-expressions"),
    KIND("putting values into formatted text", formatting, "work-formatting"),
    KIND("reading and writing JSON", documents, "work-documents"),
    KIND("copying values with all that they hold (clone)", cloning, "work-cloning"),
    KIND("looking for a key among the entries of a hash table's bucket", buckets, "work-buckets"),
    KIND("looking for where strings end (strlen, strcat and their like)", string_ends, "work-strings"),
    KIND("reading numbers from text", numbers_read, "work-numbers"),
    KIND("writing numbers as text", numbers_written, "work-numbers"),
    KIND("characters and their order by the locale (mbrtowc, strcoll and their like)", locale, "work-locale"),
    KIND("remainders of floating-point numbers (fmod)", remainders, NULL),
    KIND("counting references", references, NULL),
    KIND("compressing", compressing, "work-compressing"),
    KIND("decompressing", decompressing, NULL),
    KIND("Lua's table library (table.sort and its like)", lua_tables, "work-lua-tables"),
    KIND("sorting", sorting, NULL),
    KIND("searching documents by XPath", paths, "work-paths"),
    KIND("checksums and digests", digests, NULL),
    COMPILING("JavaScript to machine code by V8's optimising compilers", JAVASCRIPT, "", "work-compiling-javascript"),
    COMPILING("Java bytecode to machine code by HotSpot's C1 and C2", JAVA, "C2 CompilerThre|C1 CompilerThre",
              "work-compiling-java"),
    COMPILING(".NET code to machine code by its RyuJIT", DOTNET, "", "work-compiling-dotnet"),
    COMPILING("Lua traces to machine code by LuaJIT", LUA, "", NULL),
};

/* array_count(kinds): of none. */
static size_t kind_of(const char *name, const char *dso)
{
    const struct stall_function function = {.name = name, .dso = dso ? dso : ""};
    for (size_t kind = 0; kind < array_count(kinds); kind++)
        for (size_t at = 0; at < kinds[kind].count; at++)
            if (function_has_name(&function, &kinds[kind].names[at]))
                return kind;
    return array_count(kinds);
}

/* What has no kind of its own does what its callers, or those behind them, are at. */
static bool callers_count(const struct stall_function *function, const struct stall_caller *callers, uint32_t count,
                          double *samples)
{
    bool met = false;
    for (uint32_t at = 0; at < count && function->stacks; at++) {
        size_t kind = kind_of(callers[at].name, callers[at].dso);
        if (kind == array_count(kinds))
            continue;
        samples[kind] += (double)function->samples * (double)callers[at].stacks / (double)function->stacks;
        met = true;
    }
    return met;
}

static bool is_named_among(const char *comm, const char *names)
{
    for (const char *at = names; *at; at += strcspn(at, "|"), at += *at == '|') {
        size_t length = strcspn(at, "|");
        if (strncmp(comm, at, length) == 0)
            return true;
    }
    return false;
}

/* Of all CPU time, 0..1. */
static double share_of_threads(const struct activity *activity, const char *names)
{
    double own_s = 0, all_s = 0;
    for (uint32_t at = 0; names[0] && activity && activity->threads && at < activity->thread_count; at++) {
        const struct activity_thread *thread = &activity->threads[at];
        all_s += thread->user_s + thread->system_s;
        own_s += is_named_among(thread->comm, names) ? thread->user_s + thread->system_s : 0;
    }
    return all_s > 0 ? own_s / all_s : 0;
}

/* By names where no stack was copied, else by all that it calls; a runtime without names still names its threads. */
static double samples_compiling(const struct results *results, const struct work_kind *kind)
{
    const struct stalls *stalls = results->stalls;
    double named = 0, called = samples_called_of(results, (enum called)kind->called, true),
           threads = share_of_threads(results->activity, kind->threads) * (double)stalls->sample_count;
    for (size_t at = 0; at < stalls->function_count; at++)
        if (function_is_called(&stalls->functions[at], (enum called)kind->called))
            named += (double)stalls->functions[at].samples;
    called = called > named ? called : named;
    return called > threads ? called : threads;
}

struct work_named work_named_of(const struct results *results, struct arena *arena)
{
    static const double SHOWN_LEAST = 0.1, MOST = 0.5;
    const struct stalls *stalls = results->stalls;
    double samples[array_count(kinds)] = {0};
    struct work_named work = {0};
    size_t advised = 0;
    for (size_t at = 0; stalls && at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        size_t kind = function->is_kernel ? array_count(kinds) : kind_of(function->name, function->dso);
        if (kind < array_count(kinds))
            samples[kind] += (double)function->samples;
        else if (!function->is_kernel && !callers_count(function, function->callers, function->caller_count, samples))
            (void)callers_count(function, function->owners, function->owner_count, samples);
    }
    for (size_t kind = 0; stalls && kind < array_count(kinds); kind++)
        if (kinds[kind].called)
            samples[kind] = samples_compiling(results, &kinds[kind]);
    scoped_text struct text out = {0};
    for (size_t shown = 0; shown < array_count(work.advice) + 1; shown++) {
        size_t best = 0;
        for (size_t kind = 1; kind < array_count(kinds); kind++)
            best = samples[kind] > samples[best] ? kind : best;
        double share = stalls && stalls->sample_count ? samples[best] / (double)stalls->sample_count : 0;
        if (share < SHOWN_LEAST)
            break;
        text_printf(&out, "%s%s (%.0f %%)", shown ? ", " : "", kinds[best].words, share * 100);
        work.is_most |= share >= MOST;
        if (kinds[best].advice && advised < array_count(work.advice))
            work.advice[advised++] = wording_find("verdict", kinds[best].advice);
        samples[best] = 0;
    }
    if (out.length)
        work.sentence = arena_printf(arena, "By the names of functions, its work is %s.", text_string(&out));
    return work;
}
