/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A nightly report: walks the ledger's scattered records, then runs a forecast whose every term waits for the last.
 * Arguments: bytes of the records, 1 when the forecast's terms do not wait (both for the proof only). */
#include "driver.h"

struct record { struct record *next; uint64_t amount; char text[48]; };
static struct record *at;
static double forecast = 0.3, coefficient[8];
static uint64_t total;
static bool apart;

APART static uint64_t part_1(uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += at->amount;
        at = at->next;
    }
    return sum;
}

static inline double term(double x) {
    double r = coefficient[7];
    for (int k = 6; k >= 0; k--)
        r = r * x + coefficient[k];
    return r;
}

APART static double part_2(double v, int count) {
    double sum = 0;
    if (apart)
        for (int i = 0; i < count; i++)
            sum += term(v + i * 1e-9);
    else
        for (int i = 0; i < count; i++)
            v = term(v);
    return v + sum * 1e-9;
}

static uint64_t step(void) {
    total += part_1(1700);
    forecast = part_2(forecast, 20000);
    return 1;
}

int main(int argc, char **argv) {
    uint64_t count = argument(argc, argv, 2, 128u << 20) / sizeof(struct record);
    apart = argument(argc, argv, 3, 0);
    struct record *records = memory_take(count * sizeof *records, false);
    uint64_t factor = 0x9e3779b1u;
    for (uint64_t i = 0; i < count; i++) {
        records[i].next = &records[((i & (count - 1)) * ((factor & ~7u) | 5u) + 0x3c6ef373u) & (count - 1)];
        records[i].amount = i & 1;
    }
    at = records;
    for (int i = 0; i < 8; i++)
        coefficient[i] = 0.3 / (i + 1);
    int status = drive(argc, argv, step);
    return total == 1 && forecast == 1 ? 1 : status;
}
