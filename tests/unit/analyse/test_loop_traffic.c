/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_code.h"

#include "analyse/loop/loop_traffic.h"

struct traffic_case {
    const char *what, *hex;
    uint32_t streams, trips, least_trips;
    double bytes, least_bytes;
    uint32_t fixed, unknown;
};

static const struct traffic_case cases[] = {
    {"ReLU out of place: read, read for ownership, write", "c5fc100c06c5f45fc8c5fc110c074883c0204839d075e9", 2, 3, 2, 96, 64, 0, 0},
    {"the same with non-temporal stores", "c5fc100c06c5f45fc8c5fc2b0c074883c0204839d075e9", 2, 2, 2, 64, 64, 0, 0},
    {"in place", "c5fc5f0fc5fc110f4883c7204839d775ef", 1, 2, 2, 64, 64, 0, 0},
    {"eight bytes of each page: a line each", "488b074881c7001000004839d775f1", 1, 1, 1, 64, 64, 0, 0},
    {"three neighbours are one stream", "f30f1047fcf30f5807f30f584704f30f11064883c7044883c6044839d775e1", 2, 3, 2, 12, 8, 0, 0},
    {"a histogram: the counters' places aren't followed, the stack's stays", "8b07ff0486ff45f84883c7044839d775ef", 1, 1, 1, 4, 4, 1, 2},
    {"a ring by a conditional move: copied, one int a turn", "8b0c86890c87488d500131c04939d0480f45c249ffc975e8", 2, 3, 2, 12, 8, 0, 0},
    {"through copies of the pointer", "4889c2488b0a488d42084c39c075f1", 1, 1, 1, 8, 8, 0, 0},
    {"four times 32 bytes: two lines", "c5fc1007c5fc104f20c5fc105740c5fc105f604881c7800000004839d775e1", 1, 1, 1, 128, 128, 0, 0},
};

static struct loop_traffic traffic_of(const char *hex, const struct loop_sample *sample)
{
    struct loop_code code;
    struct arena arena;
    struct loop_traffic traffic;
    arena_init(&arena);
    loop_code_decode(&code, hex);
    struct loop_path path = loop_path_of(code.rows, (struct loop_rows){0, code.count - 1}, NULL, &arena);
    loop_traffic_of(&traffic, &path, sample);
    arena_done(&arena);
    return traffic;
}

Test(loop_traffic, streams_trips_and_bytes)
{
    for (size_t at = 0; at < sizeof(cases) / sizeof(*cases); at++) {
        const struct traffic_case *one = &cases[at];
        struct loop_traffic traffic = traffic_of(one->hex, NULL);
        cr_assert(traffic.known, "%s", one->what);
        cr_expect_eq(traffic.stream_count, one->streams, "%s: %u streams", one->what, traffic.stream_count);
        cr_expect_eq(traffic.trips, one->trips, "%s: %u trips", one->what, traffic.trips);
        cr_expect_eq(traffic.least_trips, one->least_trips, "%s", one->what);
        cr_expect_eq(traffic.extra_trips, one->trips - one->least_trips, "%s", one->what);
        cr_expect_float_eq(traffic.bytes, one->bytes, 0.01, "%s: %g bytes", one->what, traffic.bytes);
        cr_expect_float_eq(traffic.least_bytes, one->least_bytes, 0.01, "%s: %g bytes", one->what, traffic.least_bytes);
        cr_expect_eq(traffic.fixed_count, one->fixed, "%s", one->what);
        cr_expect_eq(traffic.unknown_loads + traffic.unknown_stores, one->unknown, "%s: %u and %u", one->what, traffic.unknown_loads, traffic.unknown_stores);
    }
}

Test(loop_traffic, two_pointers_to_the_same_memory_are_one_stream)
{
    const uint64_t same[] = {0x40, 0x100000, 0x100000}, apart[] = {0x40, 0x100000, 0x900000}; /* rax, rsi, rdi */
    struct loop_sample sample = {.mask = 1 << 0 | 1 << 4 | 1 << 5, .values = same};
    cr_expect_eq(traffic_of(cases[0].hex, &sample).trips, 2, "in place, after all");
    sample.values = apart;
    cr_expect_eq(traffic_of(cases[0].hex, &sample).trips, 3);
}
