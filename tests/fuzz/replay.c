/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fuzz target without a fuzzer: runs it over the seeds named on the command line, whole, cut at every length up to
 * 16 KiB (a longer one at sampled lengths, too), and with bits flipped: each of a short one, else sampled ones. Inputs
 * end at an unmapped page. The choice of lengths and bits is the same in every run.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

enum {
    EVERY_LENGTH_BYTES = 16 * 1024,
    SAMPLED = 500,
    MOST_BYTES_PER_SEED = 64 * 1024 * 1024,
    MOST_SAMPLING_S = 10 /* of all seeds together: the fuzzer goes on where this ends */
};

struct page_end {
    uint8_t *fence; /* the first byte that can't be read */
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct page_end page_end_new(size_t most_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (most_bytes / page + 1) * page;
    uint8_t *mapping = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping + bytes, page, PROT_NONE) != 0) {
        perror("mmap");
        exit(1);
    }
    return (struct page_end){.fence = mapping + bytes};
}

static void run_prefix(const struct page_end *end, const uint8_t *bytes, size_t size_bytes, int64_t flipped_bit)
{
    uint8_t *input = end->fence - size_bytes;
    if (size_bytes)
        memcpy(input, bytes, size_bytes);
    if (flipped_bit >= 0)
        input[flipped_bit / 8] ^= (uint8_t)(1 << flipped_bit % 8);
    LLVMFuzzerTestOneInput(input, size_bytes);
}

static bool time_is_left(void)
{
    static time_t end_s;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (end_s == 0)
        end_s = now.tv_sec + MOST_SAMPLING_S;
    return now.tv_sec < end_s;
}

static void replay(const uint8_t *bytes, size_t size_bytes)
{
    struct page_end end = page_end_new(size_bytes);
    uint64_t random = 0x9e3779b97f4a7c15u;
    size_t budget_bytes = MOST_BYTES_PER_SEED;
    run_prefix(&end, bytes, size_bytes, -1);
    for (size_t length = 0; length < size_bytes && length <= EVERY_LENGTH_BYTES; length++)
        run_prefix(&end, bytes, length, -1);
    size_t bits = 8 * size_bytes;
    for (size_t at = 0; at < SAMPLED && at < bits && budget_bytes > 2 * size_bytes && time_is_left(); at++) {
        if (size_bytes > EVERY_LENGTH_BYTES)
            run_prefix(&end, bytes, next_random(&random) % size_bytes, -1);
        run_prefix(&end, bytes, size_bytes, (int64_t)(bits <= SAMPLED ? at : next_random(&random) % bits));
        budget_bytes -= 2 * size_bytes;
    }
}

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    size_t size_bytes = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size_bytes + 1);
    int failed = !bytes || fread(bytes, 1, size_bytes, file) != size_bytes;
    if (!failed)
        replay(bytes, size_bytes);
    free(bytes);
    fclose(file);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int at = 1; at < argc; at++)
        failed |= replay_file(argv[at]);
    return failed;
}
