/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "decode/exits/btf_parameters.h"

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
