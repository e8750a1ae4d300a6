/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server's 2048 message handlers, each of some 300 bytes with checks that never fail, run in turn by a schedule that
 * never changes. FEW runs the first sixteen again and again (for the proof only). */
#include "driver.h"
#include "many.h"
#ifndef FEW
#define FEW 0
#endif

struct message { uint32_t kind, length, flags, sequence, window, sum; };
static struct message message = {1, 64, 0, 0, 100, 0};
static uint32_t failures;

APART static void fail(uint32_t where) {
    failures += where;
}

#define HANDLER(n) \
    APART static UNUSED void handle_##n(struct message *m) { \
        if (m->kind == 0x2##n##u) \
            fail(0x2##n##u); \
        m->sequence += 0x1##n##u; \
        if (m->length > 0x700##n##u) \
            fail(m->length); \
        m->sum ^= m->sequence + 0x4##n##u; \
        if (m->flags & 0x60##n##u) \
            fail(1); \
        m->window = (m->window & 0xff##n##u) | 0x10##n##u; \
        if (m->window == 0x3##n##u) \
            fail(2); \
    }
NEAR_256(HANDLER, 0)
NEAR_256(HANDLER, 1)
NEAR_256(HANDLER, 2)
NEAR_256(HANDLER, 3)
NEAR_256(HANDLER, 4)
NEAR_256(HANDLER, 5)
NEAR_256(HANDLER, 6)
NEAR_256(HANDLER, 7)

#define CALL(n) handle_##n(m);
APART static void run(struct message *m) {
#if FEW
    for (int i = 0; i < 128; i++) {
        NEAR_16(CALL, 00)
    }
#else
#define CALL_0(n) handle_0##n(m); handle_4##n(m); handle_2##n(m); handle_6##n(m); handle_1##n(m); handle_5##n(m); handle_3##n(m); handle_7##n(m);
    FAR_256(CALL_0, )
#endif
}

static uint64_t step(void) {
    for (int i = 0; i < 40; i++)
        run(&message);
    return 40 * 2048;
}

int main(int argc, char **argv) {
    message.kind = (uint32_t)argc;
    int status = drive(argc, argv, step);
    return failures ? 1 : status;
}
