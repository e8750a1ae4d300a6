/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/vector_library.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WORDS_MOST = 12,
    PIECE_BYTES = 1 << 20,
    OVERLAP_BYTES = 64 /* more than a variable's name */
};

static const uint64_t FILE_BYTES_MOST = UINT64_C(2) << 30;

/* From the libraries' manuals; how they name their functions from their sources. */
static const struct library_row {
    const char *name;
    const char *below_avx512, *below_avx2;
    const char *file;     /* how the names of its files begin */
    const char *variable; /* stands in a file that obeys it; NULL: the loader or others read it */
    bool makes_code;      /* at run time, into anonymous memory */
    /* Of its functions, where it stands in a file with others. */
    const char *prefixes[WORDS_MOST], *suffixes[WORDS_MOST], *parts[WORDS_MOST];
} rows[] = {
    [VECTOR_ONEDNN] = {.name = "oneDNN",
                       .below_avx512 = "ONEDNN_MAX_CPU_ISA=AVX2",
                       .below_avx2 = "ONEDNN_MAX_CPU_ISA=SSE41",
                       .file = "libdnnl",
                       .variable = "MAX_CPU_ISA",
                       .makes_code = true,
                       .prefixes = {"dnnl", "_ZN4dnnl", "_ZNK4dnnl"},
                       .parts = {"dnnl::impl"}},
    [VECTOR_OPENBLAS] = {.name = "OpenBLAS",
                         .below_avx512 = "OPENBLAS_CORETYPE=Haswell",
                         .below_avx2 = "OPENBLAS_CORETYPE=Nehalem",
                         .file = "libopenblas",
                         .variable = "OPENBLAS_CORETYPE",
                         .suffixes = {"_SKYLAKEX", "_COOPERLAKE", "_SAPPHIRERAPIDS", "_HASWELL", "_ZEN", "_EXCAVATOR",
                                      "_SANDYBRIDGE", "_NEHALEM", "_STEAMROLLER", "_PILEDRIVER", "_BULLDOZER"}},
    [VECTOR_MKL] = {.name = "MKL",
                    .below_avx512 = "MKL_ENABLE_INSTRUCTIONS=AVX2",
                    .below_avx2 = "MKL_ENABLE_INSTRUCTIONS=SSE4_2",
                    .file = "libmkl",
                    .variable = "MKL_ENABLE_INSTRUCTIONS",
                    .prefixes = {"mkl_"}},
    [VECTOR_ATEN] = {.name = "ATen",
                     .below_avx512 = "ATEN_CPU_CAPABILITY=avx2",
                     .below_avx2 = "ATEN_CPU_CAPABILITY=default",
                     .file = "libtorch_cpu",
                     .variable = "ATEN_CPU_CAPABILITY",
                     .prefixes = {"_ZN2at", "_ZNK2at", "at::"},
                     .parts = {"at::native", "at::vec"}},
    [VECTOR_NUMPY] = {.name = "NumPy",
                      .below_avx512 = "NPY_DISABLE_CPU_FEATURES=AVX512F,AVX512CD,AVX512_SKX",
                      .below_avx2 = "NPY_DISABLE_CPU_FEATURES=AVX2,FMA3",
                      .file = "_multiarray_umath",
                      .variable = "NPY_DISABLE_CPU_FEATURES",
                      .suffixes = {"_AVX512F", "_AVX512_SKX", "_avx512f", "_avx512_skx", "_AVX2", "_avx2",
                                   "_FMA3__AVX2"}},
    [VECTOR_LIBC] = {.name = "the C library's string functions",
                     .below_avx512 = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW",
                     .below_avx2 = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2",
                     .file = "libc.so",
                     .variable = "glibc.cpu.hwcaps",
                     .parts = {"_evex", "_avx512_unaligned", "_avx512_no_vzeroupper", "_avx2", "_avx_unaligned"}},
};
_Static_assert(array_count(rows) == VECTOR_LIBRARIES, "a row for each library");

/* ---- which file obeys which variable ---- */

/* In pieces that overlap: a file that is cut short meanwhile is no fault of ours, as it would be mapped. */
static unsigned file_search(const char *path)
{
    unsigned found = 0;
    size_t kept = 0;
    ssize_t got;
    struct stat status;
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || (uint64_t)status.st_size > FILE_BYTES_MOST)
        return 0;
    scoped_free char *bytes = memory_alloc(PIECE_BYTES);
    while ((got = read(fd, bytes + kept, PIECE_BYTES - kept)) > 0) {
        size_t count = kept + (size_t)got;
        for (size_t row = 0; row < array_count(rows); row++)
            if (!(found & 1u << row) && memmem(bytes, count, rows[row].variable, strlen(rows[row].variable)))
                found |= 1u << row;
        kept = count < OVERLAP_BYTES ? count : OVERLAP_BYTES;
        memmove(bytes, bytes + count - kept, kept);
    }
    return found;
}

struct file_answer {
    const char *path;
    unsigned obeys; /* a bit for each row */
};

struct search {
    struct file_answer *answers;
    size_t count;
    unsigned makes_code; /* rows that make code, have a file in the process and were seen at work */
};

/* Each file is read once. */
static unsigned file_obeys(struct search *search, const char *path)
{
    for (size_t at = 0; at < search->count; at++)
        if (strcmp(search->answers[at].path, path) == 0)
            return search->answers[at].obeys;
    unsigned obeys = path[0] == '/' ? file_search(path) : 0;
    search->answers[search->count++] = (struct file_answer){path, obeys};
    return obeys;
}

/* ---- whose is a function? ---- */

static bool name_fits(const struct library_row *row, const char *name)
{
    bool fits = false;
    for (size_t at = 0; at < WORDS_MOST && row->prefixes[at]; at++)
        fits |= view_starts(view_of(name), row->prefixes[at]);
    for (size_t at = 0; at < WORDS_MOST && row->suffixes[at]; at++)
        fits |= view_ends(view_of(name), row->suffixes[at]);
    for (size_t at = 0; at < WORDS_MOST && row->parts[at]; at++)
        fits |= strstr(name, row->parts[at]) != NULL;
    return fits;
}

static bool is_anonymous(const struct stall_function *function)
{
    return view_starts(view_of(function->dso_path), "//anon") || view_starts(view_of(function->dso_path), "[anon") ||
           view_starts(view_of(function->name), "[JIT]");
}

/* In a row's own code, in its file or in one that holds a copy. */
static bool is_of(struct search *search, const struct library_row *row, const struct stall_function *function)
{
    size_t at = (size_t)(row - rows);
    return view_starts(view_of(function->dso), row->file) ||
           (name_fits(row, function->name) && (file_obeys(search, function->dso_path) & 1u << at));
}

static void function_add(struct search *search, const struct stall_function *function, struct vector_library *libraries,
                         struct arena *arena)
{
    for (size_t at = 0; at < array_count(rows); at++) {
        const struct library_row *row = &rows[at];
        bool by_code = is_anonymous(function) && (search->makes_code & 1u << at);
        if (!by_code && !is_of(search, row, function))
            continue;
        libraries[at].samples += function->samples;
        if (!libraries[at].where)
            libraries[at].where =
                by_code ? "code that it makes at run time" : arena_printf(arena, "in %s", function->dso);
        return;
    }
}

void vector_libraries_find(const struct stalls *stalls, const struct address_spaces *spaces,
                           const struct strings *strings, struct vector_library *ret_libraries, struct arena *arena)
{
    size_t most = stalls->function_count + spaces->dso_count;
    struct search search = {.answers = arena_array(arena, struct file_answer, most + 1)};
    bool has_code = false;
    unsigned worked = 0; /* a file that is only mapped made no code: others may have */
    for (size_t at = 0; at < array_count(rows); at++)
        ret_libraries[at] = (struct vector_library){
            .name = rows[at].name, .below_avx512 = rows[at].below_avx512, .below_avx2 = rows[at].below_avx2};
    for (size_t at = 0; at < stalls->function_count; at++)
        has_code |=
            !stalls->functions[at].is_kernel && stalls->functions[at].dso_path && is_anonymous(&stalls->functions[at]);
    for (size_t at = 0; has_code && at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        for (size_t row = 0;
             row < array_count(rows) && !function->is_kernel && function->dso && function->dso_path && function->name;
             row++)
            worked |= rows[row].makes_code && is_of(&search, &rows[row], function) ? 1u << row : 0;
    }
    for (size_t dso = 0; has_code && dso < spaces->dso_count; dso++) {
        if (spaces->dsos[dso].kind != DSO_FILE)
            continue;
        unsigned obeys = file_obeys(&search, strings_text(strings, spaces->dsos[dso].path));
        for (size_t at = 0; at < array_count(rows); at++)
            search.makes_code |= rows[at].makes_code ? obeys & worked & 1u << at : 0;
    }
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        if (!function->is_kernel && function->dso && function->dso_path && function->name)
            function_add(&search, function, ret_libraries, arena);
    }
    for (size_t at = 0; at < array_count(rows); at++)
        ret_libraries[at].share =
            stalls->sample_count ? (double)ret_libraries[at].samples / (double)stalls->sample_count : 0;
}

const struct vector_library *vector_library_hottest(const struct vector_library *libraries, double least)
{
    const struct vector_library *hottest = &libraries[0];
    for (size_t at = 1; at < VECTOR_LIBRARIES; at++)
        if (libraries[at].samples > hottest->samples)
            hottest = &libraries[at];
    return hottest->samples && hottest->share >= least ? hottest : NULL;
}
