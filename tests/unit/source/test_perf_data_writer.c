/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/arena.h"
#include "source/perf_data/perf_data_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static char folder[] = "/tmp/plumb-writer-XXXXXX";

static const char *file_path(const char *name)
{
    static char path[200];
    if (strstr(folder, "XXXXXX"))
        cr_assert(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void remove_folder(void)
{
    static const char *const names[] = {"out", "out.old"};
    for (size_t at = 0; at < 2; at++)
        unlink(file_path(names[at]));
    rmdir(folder);
}

struct file {
    uint8_t bytes[1 << 20];
    size_t size;
};

static struct file *file_read(const char *path)
{
    struct file *file = memory_alloc(sizeof(*file));
    int fd = open(path, O_RDONLY);
    cr_assert(fd >= 0);
    ssize_t got = read(fd, file->bytes, sizeof(file->bytes));
    cr_assert(got >= 0);
    file->size = (size_t)got;
    close(fd);
    return file;
}

static uint64_t u64(const struct file *file, uint64_t at)
{
    uint64_t value;
    cr_assert_leq(at + 8, file->size, "offset %llu of %zu", (unsigned long long)at, file->size);
    memcpy(&value, file->bytes + at, sizeof(value));
    return value;
}

enum { MAGIC = 0, HEADER_SIZE = 8, ATTR_SIZE = 16, ATTRS = 24, DATA = 40, FEATURES = 72 };

static const uint64_t ids[] = {11, 12, 21};

static struct perf_data_writer *writer_begun(const char *path)
{
    static const struct perf_data_event events[] = {
        {.name = "cpu-clock", .attr = {.type = PERF_TYPE_SOFTWARE, .sample_freq = 77, .freq = 1}, .ids = ids, .id_count = 2},
        {.name = "dummy", .attr = {.type = PERF_TYPE_SOFTWARE, .config = 9}, .ids = ids + 2, .id_count = 1},
    };
    struct perf_data_writer *writer = NULL;
    struct error err = {0};
    cr_assert(perf_data_writer_create(&writer, path, -1, &err), "%s", err.message);
    perf_data_features features = {0};
    perf_data_add_string(perf_data_features_add(&features, FEATURE_ARCH), "x86_64"); /* out of order */
    perf_data_add_string(perf_data_features_add(&features, FEATURE_HOSTNAME), "here");
    text_append(perf_data_features_add(&features, FEATURE_SAMPLE_TIME), (const char[16]){0}, 16);
    cr_assert(perf_data_writer_begin(writer, events, 2, &features, &err), "%s", err.message);
    return writer;
}

struct test_record {
    struct perf_event_header header;
    uint64_t number[4];
};

static bool append(struct perf_data_writer *writer, unsigned count, struct error *err)
{
    for (unsigned at = 0; at < count; at++) {
        struct test_record record = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(record)}, .number = {at}};
        if (!perf_data_writer_append(writer, &record, sizeof(record), err))
            return false;
    }
    return true;
}

/* The rules every state of the file keeps; returns the number of whole records. */
static unsigned check_file(const struct file *file, bool wants_features)
{
    cr_assert_eq(memcmp(file->bytes, "PERFILE2", 8), 0);
    cr_assert_eq(u64(file, HEADER_SIZE), 104);
    cr_assert_eq(u64(file, ATTR_SIZE), 128 + 16);
    uint64_t attrs = u64(file, ATTRS), data = u64(file, DATA), data_size = u64(file, DATA + 8);
    cr_assert_eq(u64(file, ATTRS + 8), 2 * (128 + 16));
    cr_assert_eq(data % 8, 0);
    cr_assert_leq(data + data_size, file->size);
    struct perf_event_attr attr;
    memcpy(&attr, file->bytes + attrs, 128);
    cr_assert_eq(attr.size, 128);
    cr_assert_eq(attr.sample_freq, 77);
    cr_assert_eq(u64(file, attrs + 128 + 8), 16, "two ids");
    cr_assert_eq(u64(file, u64(file, attrs + 128)), 11);
    cr_assert_eq(u64(file, u64(file, attrs + 144 + 128)), 21);
    unsigned records = 0;
    for (uint64_t at = data; at < data + data_size; records++) {
        struct perf_event_header header;
        memcpy(&header, file->bytes + at, sizeof(header));
        cr_assert_eq(header.size, sizeof(struct test_record));
        cr_assert_eq(u64(file, at + 8), records);
        at += header.size;
    }
    uint64_t bits = u64(file, FEATURES), table = data + data_size;
    if (wants_features)
        cr_assert(bits, "features are there");
    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(bits >> bit & 1))
            continue;
        uint64_t offset = u64(file, table), size = u64(file, table + 8);
        cr_assert_leq(offset + size, file->size, "section %u lies in the file", bit);
        if (bit == FEATURE_HOSTNAME)
            cr_assert_str_eq((const char *)file->bytes + offset + 4, "here");
        if (bit == FEATURE_ARCH)
            cr_assert_str_eq((const char *)file->bytes + offset + 4, "x86_64");
        if (bit == FEATURE_BUILD_ID)
            cr_assert_eq(memcmp(file->bytes + offset, "late", 4), 0);
        table += 16;
    }
    return records;
}

Test(perf_data_writer, the_file_is_whole_after_every_commit, .fini = remove_folder)
{
    struct perf_data_writer *writer = writer_begun(file_path("out"));
    struct error err = {0};
    unsigned expected = 0;
    for (int round = 0; round < 5; round++) {
        struct file *file = file_read(file_path("out"));
        cr_assert_eq(check_file(file, true), expected, "committed records, features behind them");
        free(file);
        for (unsigned at = 0; at < 100; at++, expected++) {
            struct test_record record = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(record)}, .number = {expected}};
            cr_assert(perf_data_writer_append(writer, &record, sizeof(record), &err));
        }
        cr_assert(perf_data_writer_commit(writer, &err), "%s", err.message);
    }
    uint64_t span[2] = {5, 9};
    perf_data_writer_update(writer, FEATURE_SAMPLE_TIME, span, sizeof(span));
    perf_data_features late = {0};
    text_add(perf_data_features_add(&late, FEATURE_BUILD_ID), "late");
    cr_assert(perf_data_writer_finish(writer, &late, &err), "%s", err.message);
    perf_data_writer_free(writer);
    struct file *file = file_read(file_path("out"));
    cr_assert_eq(check_file(file, true), 500);
    cr_assert(u64(file, FEATURES) >> FEATURE_BUILD_ID & 1);
    free(file);
}

Test(perf_data_writer, a_full_disk_leaves_whole_records_and_their_table, .fini = remove_folder)
{
    signal(SIGXFSZ, SIG_IGN);
    struct perf_data_writer *writer = writer_begun(file_path("out"));
    struct stat status;
    cr_assert(stat(file_path("out"), &status) == 0);
    rlim_t empty = (rlim_t)status.st_size;
    perf_data_writer_free(writer);
    unsigned kept_before = 0;
    /* The limit falls on every byte of two records and of the table. */
    for (rlim_t limit = empty; limit < empty + 200; limit++) {
        struct error err = {0};
        struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY}, some = {limit, RLIM_INFINITY};
        unlink(file_path("out"));
        setrlimit(RLIMIT_FSIZE, &none);
        writer = writer_begun(file_path("out"));
        setrlimit(RLIMIT_FSIZE, &some);
        bool good = append(writer, 3, &err) && perf_data_writer_commit(writer, &err) && append(writer, 0, &err);
        setrlimit(RLIMIT_FSIZE, &none);
        struct file *file = file_read(file_path("out"));
        unsigned kept = check_file(file, true);
        free(file);
        cr_assert_eq(kept, good ? 3 : (unsigned)((limit - empty) / sizeof(struct test_record)), "limit %lu", (unsigned long)limit);
        cr_assert_geq(kept, kept_before);
        kept_before = kept;
        if (!good) {
            cr_assert_eq(err.kind, ERROR_LIMIT);
            perf_data_features late = {0};
            text_add(perf_data_features_add(&late, FEATURE_BUILD_ID), "late");
            cr_assert_not(perf_data_writer_finish(writer, &late, &err), "it stays failed");
        }
        perf_data_writer_free(writer);
    }
    cr_assert_eq(kept_before, 3, "the last limits were no limits");
}

Test(perf_data_writer, an_old_file_is_kept_and_comes_back, .fini = remove_folder)
{
    int fd = open(file_path("out"), O_CREAT | O_WRONLY, 0600);
    cr_assert(write(fd, "old", 3) == 3);
    close(fd);
    struct perf_data_writer *writer = writer_begun(file_path("out"));
    cr_assert(access(file_path("out.old"), F_OK) == 0);
    perf_data_writer_discard(writer);
    perf_data_writer_free(writer);
    struct file *file = file_read(file_path("out"));
    cr_assert_eq(file->size, 3);
    cr_assert(access(file_path("out.old"), F_OK) != 0);
    free(file);
}

Test(perf_data_writer, a_pipe_gets_attributes_and_features_as_records)
{
    int ends[2];
    cr_assert(pipe(ends) == 0);
    struct perf_data_writer *writer = NULL;
    struct error err = {0};
    cr_assert(perf_data_writer_create(&writer, "-", ends[1], &err));
    static const struct perf_data_event event = {.name = "cpu-clock", .ids = ids, .id_count = 2};
    perf_data_features features = {0};
    perf_data_add_string(perf_data_features_add(&features, FEATURE_HOSTNAME), "here");
    cr_assert(perf_data_writer_begin(writer, &event, 1, &features, &err));
    cr_assert(append(writer, 2, &err) && perf_data_writer_commit(writer, &err));
    perf_data_writer_free(writer);
    close(ends[1]);
    uint8_t bytes[4096];
    ssize_t got = read(ends[0], bytes, sizeof(bytes));
    cr_assert_gt(got, 16);
    cr_assert_eq(memcmp(bytes, "PERFILE2\x10\0\0\0\0\0\0\0", 16), 0);
    static const uint32_t types[] = {USER_RECORD_ATTR, USER_RECORD_FEATURE, PERF_RECORD_SAMPLE, PERF_RECORD_SAMPLE};
    ssize_t at = 16;
    for (size_t record = 0; record < sizeof(types) / sizeof(types[0]); record++) {
        struct perf_event_header header;
        cr_assert_leq(at + 8, got);
        memcpy(&header, bytes + at, sizeof(header));
        cr_assert_eq(header.type, types[record]);
        cr_assert_eq(header.size % 8, 0);
        at += header.size;
    }
    cr_assert_eq(at, got);
    close(ends[0]);
}

Test(perf_data_writer, a_reader_that_goes_away_is_an_error)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    cr_assert(pipe(ends) == 0);
    close(ends[0]);
    struct perf_data_writer *writer = NULL;
    struct error err = {0};
    static const struct perf_data_event event = {.name = "cpu-clock", .ids = ids, .id_count = 2};
    perf_data_features features = {0};
    cr_assert(perf_data_writer_create(&writer, "-", ends[1], &err));
    cr_assert_not(perf_data_writer_begin(writer, &event, 1, &features, &err));
    cr_assert_eq(err.kind, ERROR_SYSTEM);
    perf_data_writer_free(writer);
    close(ends[1]);
}

/* What a name that is no regular file stands for after a recording there began and was given up. */
static mode_t type_after_discard(const char *path)
{
    struct perf_data_writer *writer = NULL;
    struct error err = {0};
    if (perf_data_writer_create(&writer, path, -1, &err))
        perf_data_writer_discard(writer);
    perf_data_writer_free(writer);
    struct stat status;
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

Test(perf_data_writer, a_device_stays_a_device, .fini = remove_folder)
{
    const char *path = file_path("out");
    if (mknod(path, S_IFCHR | 0600, makedev(1, 7)) != 0)
        cr_skip_test("mknod is not permitted");
    cr_assert_eq(type_after_discard(path), S_IFCHR);
}

Test(perf_data_writer, no_block_device_or_socket_is_written, .fini = remove_folder)
{
    struct perf_data_writer *writer = NULL;
    struct error err = {0};
    const char *path = file_path("out");
    cr_assert_eq(mknod(path, S_IFSOCK | 0600, 0), 0);
    cr_assert_not(perf_data_writer_create(&writer, path, -1, &err));
    cr_assert(strstr(err.message, "socket"), "%s", err.message);
    struct stat status;
    cr_assert(lstat(path, &status) == 0 && S_ISSOCK(status.st_mode));
}

Test(perf_data_writer, what_is_no_file_is_not_replaced_by_the_old_recording, .fini = remove_folder)
{
    struct perf_data_writer *writer = NULL;
    struct error err = {0};
    char *old = strdup(file_path("out.old"));
    cr_assert_eq(mkfifo(old, 0600), 0);
    FILE *file = fopen(file_path("out"), "w");
    cr_assert(file && fputs("kept", file) >= 0 && fclose(file) == 0);
    cr_assert_not(perf_data_writer_create(&writer, file_path("out"), -1, &err));
    struct stat status;
    cr_assert(lstat(old, &status) == 0 && S_ISFIFO(status.st_mode));
    cr_assert(lstat(file_path("out"), &status) == 0 && status.st_size == 4);
    free(old);
}

Test(perf_data_writer, a_link_is_followed_and_stays, .fini = remove_folder)
{
    const char *link = file_path("out.old");
    cr_assert_eq(symlink("out", link), 0);
    FILE *file = fopen(file_path("out"), "w");
    cr_assert(file && fclose(file) == 0);
    cr_assert_eq(type_after_discard(file_path("out.old")), S_IFLNK);
    struct stat status;
    cr_assert(stat(file_path("out"), &status) == 0 && S_ISREG(status.st_mode), "an empty file that was there is gone");
}

Test(perf_data_writer, giving_up_puts_back_what_was_there, .fini = remove_folder)
{
    FILE *file = fopen(file_path("out"), "w");
    cr_assert(file && fputs("kept", file) >= 0 && fclose(file) == 0);
    cr_assert_eq(type_after_discard(file_path("out")), S_IFREG);
    struct stat status;
    cr_assert(lstat(file_path("out"), &status) == 0 && status.st_size == 4);
    cr_assert_neq(lstat(file_path("out.old"), &status), 0);
}
