/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/arena.h"
#include "base/vec.h"
#include "symbol/code_bundle.h"

#include <sys/mman.h>

/* Two containers, each with its own build at one path, and generated code of two processes at one address. */
static uint32_t location_in(struct recording *recording, uint32_t pid, const char *path, uint8_t build)
{
    uint32_t space = address_spaces_begin(&recording->spaces, pid);
    struct record_mmap map = {.pid = pid, .start = 0x400000, .size_bytes = 0x100000, .path = path,
                              .has_details = true, .protection = PROT_READ | PROT_EXEC};
    if (build)
        map.build_id = (struct build_id){.size_bytes = 20, .bytes = {build, 0xa5}};
    address_spaces_map(&recording->spaces, &recording->strings, space, &map, 0);
    const struct mapping *mapping = address_spaces_find(&recording->spaces, space, 0x400000);
    struct location location = {.dso = mapping->dso, .space = space, .dso_addr = 0x1010,
                                .runtime_addr = 0x401010, .cpu_mode = CPU_MODE_USER};
    return samples_location(&recording->samples, &location);
}

#define BUILD(first) first "a5000000000000000000000000000000000000"

static struct code_bundle bundle_of(const char *text, struct arena *arena)
{
    struct json_document *document = NULL;
    struct code_bundle bundle;
    struct error err = {0};
    cr_assert(json_document_parse(&document, view_of(text), &err), "%s", err.message);
    cr_assert(code_bundle_read(&bundle, json_root(document), arena, &err), "%s", err.message);
    json_document_free(document);
    return bundle;
}

#define FUNCTION(dso, name, more) "{\"dso\":\"" dso "\",\"name\":\"" name "\",\"address\":\"0x1000\",\"size\":64" more "}"

static const char two_builds[] =
    "{\"schema\":2,\"architecture\":\"x86_64\",\"functions\":["
    FUNCTION("/app/server", "of_one", ",\"build_id\":\"" BUILD("01") "\"") ","
    FUNCTION("/app/server", "of_two", ",\"build_id\":\"" BUILD("02") "\"") ","
    FUNCTION("//anon", "of_ten", ",\"pid\":10") ","
    FUNCTION("//anon", "of_eleven", ",\"pid\":11") "]}";

static const char *name_at(const struct code_bundle *bundle, const struct recording *recording, uint32_t location)
{
    const struct bundle_function *function = code_bundle_find(bundle, recording, location);
    return function ? function->name : "none";
}

Test(code_bundle, one_path_holds_the_functions_of_several_builds)
{
    struct recording recording;
    struct arena arena = {0};
    recording_init(&recording);
    uint32_t one = location_in(&recording, 1, "/app/server", 1), two = location_in(&recording, 2, "/app/server", 2);
    uint32_t other = location_in(&recording, 3, "/app/server", 3);
    uint32_t ten = location_in(&recording, 10, "//anon", 0), eleven = location_in(&recording, 11, "//anon", 0);
    struct code_bundle bundle = bundle_of(two_builds, &arena);
    scoped_text struct text written = {0};
    code_bundle_write(&bundle, &written);
    struct code_bundle again = bundle_of(text_string(&written), &arena);
    const struct code_bundle *const both[] = {&bundle, &again};
    for (size_t at = 0; at < 2; at++) {
        cr_expect_str_eq(name_at(both[at], &recording, one), "of_one");
        cr_expect_str_eq(name_at(both[at], &recording, two), "of_two");
        cr_expect_str_eq(name_at(both[at], &recording, other), "none");
        cr_expect_str_eq(name_at(both[at], &recording, ten), "of_ten");
        cr_expect_str_eq(name_at(both[at], &recording, eleven), "of_eleven");
    }
    arena_done(&arena);
    recording_done(&recording);
}

Test(code_bundle, a_case_of_before_is_found_by_path)
{
    struct recording recording;
    struct arena arena = {0};
    recording_init(&recording);
    uint32_t one = location_in(&recording, 1, "/app/server", 1);
    struct code_bundle bundle = bundle_of("{\"schema\":1,\"functions\":[" FUNCTION("/app/server", "server", "") "]}", &arena);
    cr_expect_str_eq(name_at(&bundle, &recording, one), "server");
    arena_done(&arena);
    recording_done(&recording);
}

Test(code_bundle, a_broken_build_id_is_an_error)
{
    static const char *const broken[] = {
        ",\"build_id\":\"0\"", ",\"build_id\":\"0g\"", ",\"pid\":4294967296",
        ",\"build_id\":\"" BUILD("01") BUILD("01") "\"",
    };
    for (size_t at = 0; at < array_count(broken); at++) {
        struct arena arena = {0};
        scoped_text struct text text = {0};
        text_printf(&text, "{\"schema\":2,\"functions\":[{\"dso\":\"a\",\"name\":\"b\",\"address\":1,\"size\":1%s}]}", broken[at]);
        struct json_document *document = NULL;
        struct code_bundle bundle;
        struct error err = {0};
        cr_assert(json_document_parse(&document, view_of(text_string(&text)), &err), "%s", err.message);
        cr_expect_not(code_bundle_read(&bundle, json_root(document), &arena, &err), "%s", broken[at]);
        json_document_free(document);
        arena_done(&arena);
    }
}
