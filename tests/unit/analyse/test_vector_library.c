/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/code/vector_library.h"

#include <stdlib.h>
#include <unistd.h>

struct place {
    struct arena arena;
    struct strings strings;
    struct address_spaces spaces;
    struct dso dsos[4];
};

/* A file of 3 MiB with a word at the end of its first piece, where a reader of pieces could miss it. */
static char *file_with(const char *word, struct arena *arena)
{
    char *path = arena_string(arena, "/tmp/plumb-library.XXXXXX");
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    size_t size = 3 << 20;
    char *bytes = calloc(1, size);
    if (word)
        memcpy(bytes + (1 << 20) - 5, word, strlen(word));
    cr_assert(write(fd, bytes, size) == (ssize_t)size);
    free(bytes);
    close(fd);
    return path;
}

static void place_init(struct place *place)
{
    memset(place, 0, sizeof(*place));
    arena_init(&place->arena);
    strings_init(&place->strings);
    place->spaces.dsos = place->dsos;
}

static void place_done(struct place *place)
{
    strings_done(&place->strings);
    arena_done(&place->arena);
}

static const struct vector_library *found(struct place *place, struct stall_function *functions, size_t count,
                                          struct vector_library *libraries)
{
    struct stalls stalls = {.functions = functions, .function_count = count};
    for (size_t at = 0; at < count; at++)
        stalls.sample_count += functions[at].samples;
    vector_libraries_find(&stalls, &place->spaces, &place->strings, libraries, &place->arena);
    return vector_library_hottest(libraries, 0.1);
}

Test(vector_library, a_file_is_known_by_its_name)
{
    struct place place;
    struct vector_library libraries[VECTOR_LIBRARIES];
    struct stall_function functions[] = {
        {.name = "main", .dso = "program", .dso_path = "/nowhere/program", .samples = 40},
        {.name = "sgemm_kernel_HASWELL", .dso = "libopenblas.so.0", .dso_path = "/nowhere/libopenblas.so.0", .samples = 50},
        {.name = "clear_page", .dso = "[kernel]", .dso_path = "[kernel.kallsyms]", .samples = 10, .is_kernel = true}};
    place_init(&place);
    const struct vector_library *library = found(&place, functions, 3, libraries);
    cr_assert(library == &libraries[VECTOR_OPENBLAS] && library->samples == 50);
    cr_assert_float_eq(library->share, 0.5, 1e-9);
    place_done(&place);
}

Test(vector_library, a_copy_inside_a_program_is_known_by_its_functions_and_its_variable)
{
    struct place place;
    struct vector_library libraries[VECTOR_LIBRARIES];
    place_init(&place);
    char *with = file_with("OPENBLAS_CORETYPE", &place.arena), *without = file_with(NULL, &place.arena);
    struct stall_function functions[] = {{.name = "main", .dso = "program", .dso_path = with, .samples = 40},
                                         {.name = "dgemm_kernel_SKYLAKEX", .dso = "program", .dso_path = with, .samples = 60}};
    const struct vector_library *library = found(&place, functions, 2, libraries);
    cr_assert(library == &libraries[VECTOR_OPENBLAS] && library->samples == 60, "main is no library's");
    functions[1].dso_path = without;
    cr_assert_null(found(&place, functions, 2, libraries), "it doesn't obey the variable");
    unlink(with);
    unlink(without);
    place_done(&place);
}

Test(vector_library, code_made_at_run_time_is_that_of_a_library_that_makes_some)
{
    struct place place;
    struct vector_library libraries[VECTOR_LIBRARIES];
    place_init(&place);
    char *with = file_with("MAX_CPU_ISA", &place.arena);
    struct stall_function functions[] = {{.name = "[unknown]", .dso = "//anon", .dso_path = "//anon", .samples = 60},
                                         {.name = "dnnl_primitive_execute", .dso = "program", .dso_path = with, .samples = 1}};
    cr_assert_null(found(&place, functions, 1, libraries), "anybody's");
    place.dsos[0] = (struct dso){.kind = DSO_FILE, .path = strings_intern(&place.strings, with)};
    place.spaces.dso_count = 1;
    cr_assert_null(found(&place, functions, 1, libraries), "a file that is mapped, of which nothing ran");
    const struct vector_library *library = found(&place, functions, 2, libraries);
    cr_assert(library == &libraries[VECTOR_ONEDNN] && strstr(library->where, "run time"));
    unlink(with);
    place_done(&place);
}

Test(vector_library, without_samples_there_is_none)
{
    struct place place;
    struct vector_library libraries[VECTOR_LIBRARIES];
    place_init(&place);
    cr_assert_null(found(&place, NULL, 0, libraries));
    cr_assert_float_eq(libraries[0].share, 0, 1e-9);
    place_done(&place);
}
