/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders that another program writes, in two pieces: each line is one order, whatever came before it. The first byte says where it is cut. */
#include "base/scope.h"
#include "capture/control.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES_MOST = 32768, LINE_MOST = 255 }; /* less than a pipe holds */

/* The next line that isn't empty, as the protocol says: up to a line feed or NUL. */
static bool line_expected(const uint8_t *bytes, size_t size, size_t *at, size_t *ret_length)
{
    for (; *at < size; *at += *ret_length + 1) {
        for (*ret_length = 0; *at + *ret_length < size && bytes[*at + *ret_length] != '\n' && bytes[*at + *ret_length];)
            ++*ret_length;
        if (*ret_length)
            return *at + *ret_length < size || *ret_length > LINE_MOST; /* what is too long is told before it ends */
    }
    return false;
}

static void order_check(const struct control_order *order, const uint8_t *line, size_t length)
{
    size_t kept = length > LINE_MOST ? LINE_MOST : length;
    if (strlen(order->line) != kept || memcmp(order->line, line, kept) != 0 || (length > LINE_MOST && order->command != CONTROL_UNKNOWN))
        abort();
    if (order->event && (order->event <= order->line || order->event >= order->line + kept))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int ends[2];
    char where[32];
    struct control control;
    struct control_order order;
    struct error err = {0};
    size_t at = 0, length, cut = size ? bytes[0] : 0;
    size = size > BYTES_MOST ? BYTES_MOST : size;
    cut = cut > size ? size : cut;
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0)
        return 0;
    scoped_fd int reader = ends[0], writer = ends[1];
    snprintf(where, sizeof(where), "fd:%d", reader);
    if (!control_open(&control, where, &err))
        abort();
    for (size_t piece = 0; piece < 2; piece++) {
        size_t from = piece ? cut : 0, to = piece ? size : cut;
        if (write(writer, bytes + from, to - from) != (ssize_t)(to - from))
            abort();
        while (control_next(&control, &order)) {
            if (!line_expected(bytes, size, &at, &length))
                abort();
            order_check(&order, bytes + at, length);
            at += length + 1;
        }
    }
    if (line_expected(bytes, size, &at, &length))
        abort();
    control_done(&control);
    return 0;
}
