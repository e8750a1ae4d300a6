/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server that knows 1024 forms: each is parsed, checked and answered by generated functions of its own, which lie in
 * three places. All forms come in turn. FEW takes the first sixteen only (for the proof). */
#include "driver.h"
#include "many.h"
#ifndef FEW
#define FEW 0
#endif

struct form { uint32_t kind, fields[4], errors, sum; };
static struct form form = {1, {3, 4, 5, 6}, 0, 0};

#define PARSE(n) \
    APART static UNUSED void parse_##n(struct form *f) { \
        f->fields[0] = (f->fields[0] ^ 0x31##n##u) + 0x21##n##u; \
        f->fields[2] = (f->fields[2] & 0xfffff##n##u) | 0x11##n##u; \
    }
#define CHECK(n) \
    APART static UNUSED void check_##n(struct form *f) { \
        if (f->kind == 0x51##n##u || f->kind == 0x61##n##u) \
            f->errors++; \
        if ((f->fields[2] & 0x11##n##u) == 0) \
            f->errors += 2; \
    }
#define ANSWER(n) \
    APART static UNUSED void answer_##n(struct form *f) { \
        parse_##n(f); \
        f->sum += f->fields[1] + 0x71##n##u; \
        check_##n(f); \
        f->fields[3] ^= f->sum; \
    }
#define ALL(M) NEAR_256(M, 0) NEAR_256(M, 1) NEAR_256(M, 2) NEAR_256(M, 3)
ALL(PARSE)
ALL(CHECK)
ALL(ANSWER)

#define TURN(n) answer_0##n(f); answer_2##n(f); answer_1##n(f); answer_3##n(f);
#define ONE(n) answer_##n(f);
APART static void run(struct form *f) {
#if FEW
    for (int i = 0; i < 64; i++) {
        NEAR_16(ONE, 00)
    }
#else
    FAR_256(TURN, )
#endif
}

static uint64_t step(void) {
    for (int i = 0; i < 40; i++)
        run(&form);
    return 40 * 1024;
}

int main(int argc, char **argv) {
    form.kind = (uint32_t)argc;
    int status = drive(argc, argv, step);
    return form.errors ? 1 : status;
}
