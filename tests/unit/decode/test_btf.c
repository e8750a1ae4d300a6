/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "decode/btf.h"

/* One function of two parameters: types 1 INT, 2 FUNC_PROTO, 3 FUNC. */
static size_t btf_make(uint8_t *out)
{
    static const char strings[] = "\0int\0__data\0port\0__bpf_trace_pio";
    const uint32_t types[] = {1, 1u << 24, 4, 32,                 /* int */
                              0, 13u << 24 | 2, 0, 5, 1, 12, 1,   /* (__data, port) */
                              17, 12u << 24, 2};                  /* the function */
    const uint32_t head[] = {0x0001eb9f, 24, 0, sizeof(types), sizeof(types), sizeof(strings)};
    memcpy(out, head, sizeof(head));
    memcpy(out + sizeof(head), types, sizeof(types));
    memcpy(out + sizeof(head) + sizeof(types), strings, sizeof(strings));
    return sizeof(head) + sizeof(types) + sizeof(strings);
}

static bool knows(const void *bytes, size_t size, const char *function, const char *parameter)
{
    const char *names[] = {parameter, NULL};
    struct btf btf;
    struct view none = {0};
    bool good = btf_begin(&btf, (struct view){bytes, size}, none, "__bpf_trace_") && btf_has_parameters(&btf, function, 1, names, 2);
    btf_done(&btf);
    return good;
}

Test(btf, names_of_parameters)
{
    uint8_t bytes[256];
    size_t size = btf_make(bytes);
    cr_assert(knows(bytes, size, "__bpf_trace_pio", "port"));
    cr_assert_not(knows(bytes, size, "__bpf_trace_pio", "size"));
    cr_assert_not(knows(bytes, size, "__bpf_trace_msr", "port"));
    cr_assert(knows(bytes, size, "__bpf_trace_pio", NULL));
}

/* struct outer { int; union { struct { int inner; }; }; int bits:3 }: types 1 INT, 2 the struct within, 3 the union, 4 the outer one. */
static size_t btf_of_structs(uint8_t *out)
{
    static const char strings[] = "\0int\0inner\0outer\0bits\0first";
    const uint32_t types[] = {1, 1u << 24, 4, 32,
                              0, 4u << 24 | 1, 4, 5, 1, 0,
                              0, 5u << 24 | 1, 4, 0, 2, 0,
                              11, 1u << 31 | 4u << 24 | 3, 12, 22, 1, 0, 0, 3, 32, 17, 1, 3u << 24 | 67};
    const uint32_t head[] = {0x0001eb9f, 24, 0, sizeof(types), sizeof(types), sizeof(strings)};
    memcpy(out, head, sizeof(head));
    memcpy(out + sizeof(head), types, sizeof(types));
    memcpy(out + sizeof(head) + sizeof(types), strings, sizeof(strings));
    return sizeof(head) + sizeof(types) + sizeof(strings);
}

static size_t members(const void *bytes, size_t size, struct btf_member *asked, size_t count)
{
    struct btf btf;
    struct view file = {bytes, size}, none = {0};
    size_t found = btf_begin(&btf, file, none, "\001") ? btf_members_find(&btf, asked, count) : 0;
    btf_done(&btf);
    return found;
}

Test(btf, places_of_members)
{
    uint8_t bytes[512];
    struct btf_member asked[] = {{"outer", "first"}, {"outer", "inner"}, {"outer", "bits"}, {"outer", "none"}, {"int", "first"}};
    cr_assert_eq(members(bytes, btf_of_structs(bytes), asked, 5), 2);
    cr_assert(asked[0].found && asked[0].offset_bytes == 0 && asked[1].found && asked[1].offset_bytes == 4);
    cr_assert_not(asked[2].found || asked[3].found || asked[4].found, "a bit field has no place in bytes");
}

Test(btf, members_survive_cuts_and_flips)
{
    uint8_t bytes[512];
    size_t size = btf_of_structs(bytes);
    for (size_t at = 0; at < 9 * size; at++) {
        size_t length = at < size ? at : size;
        uint8_t copy[512];
        memcpy(copy, bytes, size);
        if (at >= size)
            copy[(at - size) / 8] ^= (uint8_t)(1 << (at - size) % 8);
        struct edge edge = edge_copy(copy, length);
        struct btf_member asked[] = {{"outer", "first"}, {"outer", "inner"}};
        (void)members(edge.bytes, length, asked, 2);
        edge_free(&edge);
    }
}

Test(btf, survives_cuts_and_flips)
{
    uint8_t bytes[256];
    size_t size = btf_make(bytes);
    for (size_t at = 0; at < 9 * size; at++) {
        size_t length = at < size ? at : size;
        uint8_t copy[256];
        memcpy(copy, bytes, size);
        if (at >= size)
            copy[(at - size) / 8] ^= (uint8_t)(1 << (at - size) % 8);
        struct edge edge = edge_copy(copy, length);
        (void)knows(edge.bytes, length, "__bpf_trace_pio", "port");
        edge_free(&edge);
    }
}

Test(btf, of_this_kernel)
{
    FILE *file = fopen("/sys/kernel/btf/vmlinux", "re");
    if (!file)
        cr_skip_test("this kernel has no type information");
    size_t most = 64 << 20, size;
    uint8_t *bytes = malloc(most);
    cr_assert(bytes);
    size = fread(bytes, 1, most, file);
    fclose(file);
    const char *names[] = {"regs", "id", NULL};
    struct btf btf;
    struct view none = {0};
    cr_assert(btf_begin(&btf, (struct view){(char *)bytes, size}, none, "__bpf_trace_"));
    cr_assert(btf_has_parameters(&btf, "__bpf_trace_sys_enter", 1, names, 3));
    btf_done(&btf);
    free(bytes);
}
