/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/perf_data/perf_data_writer.h"

#include "base/arena.h"
#include "base/file/own_file.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 1 << 20,
    STRING_ALIGNMENT = 64,
    FEATURE_WORDS = 4
};

struct section {
    uint64_t offset, size;
};

struct file_header {
    uint64_t magic, size, attr_size;
    struct section attrs, data, event_types;
    uint64_t features[FEATURE_WORDS];
};
_Static_assert(sizeof(struct file_header) == PERF_DATA_HEADER_BYTES, "the file's header");

struct attr_entry {
    uint8_t attr[PERF_DATA_ATTR_BYTES];
    struct section ids;
};

struct feature_section {
    unsigned bit;
    struct section where;
};

struct perf_data_writer {
    char *path; /* NULL: a descriptor that isn't ours */
    char *old_path; /* what stood there was moved here, or NULL */
    int fd;
    bool is_pipe, created, failed, table_on_disk;
    struct error failure;
    struct file_header header; /* without feature bits */
    vec(struct feature_section) sections;
    uint64_t data_bytes; /* on disk, all of it whole records */
    uint8_t *buffer;
    size_t buffered;
    size_t flushed; /* bytes of the buffer that the last flush wrote; still there */
};

void perf_data_features_done(perf_data_features *features)
{
    vec_for_each(features, feature)
        text_done(&feature->bytes);
    vec_done(features);
}

struct text *perf_data_features_add(perf_data_features *features, enum perf_data_feature_bit bit)
{
    struct perf_data_feature *feature = vec_push(features);
    *feature = (struct perf_data_feature){.bit = bit};
    return &feature->bytes;
}

void perf_data_add_u32(struct text *out, uint32_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

void perf_data_add_u64(struct text *out, uint64_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

void perf_data_add_string(struct text *out, const char *string)
{
    static const char zeros[STRING_ALIGNMENT];
    size_t size = strlen(string) + 1;
    size_t padded = (size + STRING_ALIGNMENT - 1) / STRING_ALIGNMENT * STRING_ALIGNMENT;
    perf_data_add_u32(out, (uint32_t)padded);
    text_append(out, string, size);
    text_append(out, zeros, padded - size);
}

/* Write all or say why not; *ret_written tells how much got there in either case. Returns 0 or an errno. */
static int write_all(const struct perf_data_writer *writer, const void *bytes, size_t size, uint64_t at,
                     size_t *ret_written)
{
    size_t done = 0;
    int sys_errno = 0;
    while (done < size && !sys_errno) {
        const char *from = (const char *)bytes + done;
        ssize_t wrote = writer->is_pipe ? write(writer->fd, from, size - done)
                                        : pwrite(writer->fd, from, size - done, (off_t)(at + done));
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0)
            sys_errno = ENOSPC;
        else if (errno != EINTR)
            sys_errno = errno;
    }
    if (ret_written)
        *ret_written = done;
    return sys_errno;
}

static bool write_failed(struct perf_data_writer *writer, int sys_errno, struct error *err)
{
    const char *name = writer->path ? writer->path : "the output";
    error_system(&writer->failure, sys_errno, "can't write '%s'", name);
    if (sys_errno == ENOSPC || sys_errno == EDQUOT || sys_errno == EFBIG) {
        writer->failure.kind = ERROR_LIMIT;
        error_hint(&writer->failure, "what was written until then stays readable; -z compresses, -F lowers the rate, "
                                     "-o names a file elsewhere");
    }
    writer->failed = true;
    if (err)
        *err = writer->failure;
    return false;
}

/* Creating. */

/* What holds something already becomes path.old; a device, FIFO or link that has this name stays what it is. */
static bool keep_old(struct perf_data_writer *writer, struct error *err)
{
    struct stat status;
    if (lstat(writer->path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return true;
    scoped_free char *old_path = memory_printf("%s.old", writer->path);
    if (lstat(old_path, &status) == 0 && !S_ISREG(status.st_mode)) {
        error_set(err, ERROR_USAGE, "'%s' would become '%s', which is there and no regular file", writer->path,
                  old_path);
        return error_hint(err, "-o FILE writes the recording elsewhere");
    }
    if (rename(writer->path, old_path) != 0)
        return error_system(err, errno, "can't rename '%s' to '%s'", writer->path, old_path);
    writer->old_path = pointer_steal(&old_path);
    return true;
}

/*
 * A link to a file stays a link: the file itself is renamed and written. One to no name (/dev/stdout) is only opened.
 */
static void follow_link(struct perf_data_writer *writer)
{
    struct stat status;
    if (lstat(writer->path, &status) != 0 || !S_ISLNK(status.st_mode))
        return;
    char *target = realpath(writer->path, NULL);
    if (!target)
        return;
    free(writer->path);
    writer->path = target;
}

static int open_file(struct perf_data_writer *writer)
{
    int fd = open(writer->path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    writer->created = fd >= 0;
    if (fd >= 0 || errno != EEXIST)
        return fd;
    return open(writer->path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
}

static bool open_path(struct perf_data_writer *writer, struct error *err)
{
    struct stat status = {.st_mode = S_IFREG};
    bool exists = stat(writer->path, &status) == 0;
    if (exists && (S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode))) {
        error_set(err, ERROR_USAGE, "can't write a recording to '%s': it is a %s", writer->path,
                  S_ISBLK(status.st_mode) ? "block device" : "socket");
        return error_hint(err, "name a file, a FIFO or a character device, or - for stdout");
    }
    writer->is_pipe = exists && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
    if (!writer->is_pipe) {
        follow_link(writer);
        if (!keep_old(writer, err))
            return false;
    }
    writer->fd = writer->is_pipe ? open(writer->path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : open_file(writer);
    if (writer->fd >= 0)
        return true;
    error_system(err, errno, "can't create '%s'", writer->path);
    if (err && (err->sys_errno == EROFS || err->sys_errno == EACCES))
        error_hint(err, "-o FILE writes the recording elsewhere");
    return false;
}

bool perf_data_writer_create(struct perf_data_writer **ret_writer, const char *path, int pipe_fd, struct error *err)
{
    struct perf_data_writer *writer = memory_alloc(sizeof(*writer));
    writer->fd = -1;
    writer->buffer = memory_alloc(BUFFER_BYTES);
    if (strcmp(path, "-") == 0) {
        writer->fd = pipe_fd;
        writer->is_pipe = true;
    } else {
        writer->path = memory_string(path);
        if (!open_path(writer, err)) {
            perf_data_writer_discard(writer);
            perf_data_writer_free(writer);
            return false;
        }
    }
    *ret_writer = writer;
    return true;
}

bool perf_data_writer_is_pipe(const struct perf_data_writer *writer)
{
    return writer->is_pipe;
}

uint64_t perf_data_writer_bytes(const struct perf_data_writer *writer)
{
    return writer->data_bytes + writer->buffered;
}

void perf_data_writer_discard(struct perf_data_writer *writer)
{
    if (!writer->path || writer->is_pipe)
        return;
    bool removed = writer->fd < 0;
    if (!removed && writer->created)
        removed = own_file_remove(writer->fd, writer->path);
    else if (!removed && ftruncate(writer->fd, 0) != 0)
        return; /* an empty file was there; nothing more can be done to leave it so */
    struct stat status;
    if (removed && writer->old_path && lstat(writer->path, &status) != 0)
        rename(writer->old_path, writer->path);
}

void perf_data_writer_free(struct perf_data_writer *writer)
{
    if (!writer)
        return;
    if (writer->path)
        scope_close(&writer->fd);
    vec_done(&writer->sections);
    free(writer->buffer);
    free(writer->old_path);
    free(writer->path);
    free(writer);
}

/* Before the records. */

static int by_bit(const void *a, const void *b)
{
    const struct perf_data_feature *left = a, *right = b;
    return left->bit < right->bit ? -1 : left->bit > right->bit;
}

static void add_record_header(struct text *out, uint32_t type, uint16_t misc, size_t size)
{
    struct perf_event_header header = {.type = type, .misc = misc, .size = (uint16_t)size};
    text_append(out, (const char *)&header, sizeof(header));
}

static void add_attr(struct text *out, const struct perf_event_attr *attr)
{
    struct perf_event_attr stored = *attr;
    stored.size = PERF_DATA_ATTR_BYTES;
    text_append(out, (const char *)&stored, PERF_DATA_ATTR_BYTES);
}

/* An event with more ids than a record holds keeps the first ones; readers fall back to the only event. */
static void add_attr_record(struct text *out, const struct perf_data_event *event)
{
    size_t fixed = sizeof(struct perf_event_header) + PERF_DATA_ATTR_BYTES;
    size_t most = (PERF_DATA_RECORD_MOST - fixed) / sizeof(uint64_t);
    size_t count = event->id_count < most ? event->id_count : most;
    add_record_header(out, USER_RECORD_ATTR, 0, fixed + count * sizeof(uint64_t));
    add_attr(out, &event->attr);
    for (size_t at = 0; at < count; at++)
        perf_data_add_u64(out, event->ids[at]);
}

static void add_feature_record(struct text *out, const struct perf_data_feature *feature)
{
    static const char zeros[8];
    size_t padding = -feature->bytes.length & 7;
    size_t size = sizeof(struct perf_event_header) + sizeof(uint64_t) + feature->bytes.length + padding;
    if (size > PERF_DATA_RECORD_MOST)
        return;
    add_record_header(out, USER_RECORD_FEATURE, 0, size);
    perf_data_add_u64(out, feature->bit);
    text_append(out, feature->bytes.bytes, feature->bytes.length);
    text_append(out, zeros, padding);
}

static void add_tracing_data_record(struct text *out, const struct text *tracing)
{
    static const char zeros[8];
    size_t padding = -tracing->length & 7;
    /* Its bytes follow the record, padded; its own size counts only the 12 bytes that say how many. */
    add_record_header(out, USER_RECORD_TRACING_DATA, 0, sizeof(struct perf_event_header) + sizeof(uint32_t));
    perf_data_add_u32(out, (uint32_t)(tracing->length + padding));
    text_append(out, tracing->bytes, tracing->length);
    text_append(out, zeros, padding);
}

static void pipe_begin(struct text *out, const struct perf_data_event *events, size_t event_count,
                       const perf_data_features *features)
{
    perf_data_add_u64(out, PERF_DATA_MAGIC);
    perf_data_add_u64(out, PERF_DATA_PIPE_HEADER_BYTES);
    for (size_t at = 0; at < event_count; at++)
        add_attr_record(out, &events[at]);
    vec_for_each(features, feature)
        if (feature->bit != FEATURE_TRACING_DATA && feature->bit != FEATURE_SAMPLE_TIME)
            add_feature_record(out, feature);
    vec_for_each(features, feature)
        if (feature->bit == FEATURE_TRACING_DATA)
            add_tracing_data_record(out, &feature->bytes);
}

static void file_begin(struct perf_data_writer *writer, struct text *out, const struct perf_data_event *events,
                       size_t event_count, const perf_data_features *features)
{
    struct file_header *header = &writer->header;
    writer->sections.count = 0;
    text_append(out, (const char[sizeof(*header)]){0}, sizeof(*header)); /* written by the commit */
    for (size_t at = 0; at < event_count; at++)
        for (size_t id = 0; id < events[at].id_count; id++)
            perf_data_add_u64(out, events[at].ids[id]);
    *header = (struct file_header){
        .magic = PERF_DATA_MAGIC,
        .size = sizeof(*header),
        .attr_size = sizeof(struct attr_entry),
        .attrs = {.offset = out->length, .size = event_count * sizeof(struct attr_entry)},
    };
    struct section ids = {.offset = sizeof(*header)};
    for (size_t at = 0; at < event_count; at++) {
        ids.size = events[at].id_count * sizeof(uint64_t);
        add_attr(out, &events[at].attr);
        text_append(out, (const char *)&ids, sizeof(ids));
        ids.offset += ids.size;
    }
    vec_for_each(features, feature) {
        *vec_push(&writer->sections) =
            (struct feature_section){feature->bit, {.offset = out->length, .size = feature->bytes.length}};
        text_append(out, feature->bytes.bytes, feature->bytes.length);
    }
    while (out->length % 8)
        text_add_char(out, '\0');
    header->data.offset = out->length;
}

static bool failed_before(const struct perf_data_writer *writer, struct error *err)
{
    if (writer->failed && err)
        *err = writer->failure;
    return writer->failed;
}

bool perf_data_writer_begin(struct perf_data_writer *writer, const struct perf_data_event *events,
                            size_t event_count, perf_data_features *features, struct error *err)
{
    scoped_text struct text start = {0};
    if (failed_before(writer, err)) {
        perf_data_features_done(features);
        return false; /* what stands there is all that will */
    }
    if (features->count)
        qsort(features->items, features->count, sizeof(features->items[0]), by_bit);
    if (writer->is_pipe)
        pipe_begin(&start, events, event_count, features);
    else
        file_begin(writer, &start, events, event_count, features);
    perf_data_features_done(features);
    int sys_errno = write_all(writer, start.bytes, start.length, 0, NULL);
    if (sys_errno)
        return write_failed(writer, sys_errno, err);
    if (!writer->is_pipe) {
        writer->data_bytes = writer->buffered = writer->flushed = 0;
        (void)!ftruncate(writer->fd, (off_t)start.length); /* where it can't be cut, what is left isn't read */
    }
    writer->table_on_disk = false;
    return perf_data_writer_commit(writer, err);
}

void perf_data_writer_update(struct perf_data_writer *writer, enum perf_data_feature_bit bit, const void *bytes,
                             size_t size_bytes)
{
    vec_for_each(&writer->sections, section)
        if (section->bit == bit && section->where.size == size_bytes)
            (void)!write_all(writer, bytes, size_bytes, section->where.offset, NULL);
}

/* Records. */

static uint64_t data_end(const struct perf_data_writer *writer)
{
    return writer->header.data.offset + writer->data_bytes;
}

static int write_header(struct perf_data_writer *writer, bool with_features)
{
    struct file_header header = writer->header;
    header.data.size = writer->data_bytes;
    if (with_features)
        vec_for_each(&writer->sections, section)
            header.features[section->bit / 64] |= 1ull << section->bit % 64;
    int sys_errno = write_all(writer, &header, sizeof(header), 0, NULL);
    if (!sys_errno)
        writer->table_on_disk = with_features;
    return sys_errno;
}

static int write_table(const struct perf_data_writer *writer, size_t *ret_written)
{
    scoped_text struct text table = {0};
    vec_for_each(&writer->sections, section)
        text_append(&table, (const char *)&section->where, sizeof(section->where));
    return write_all(writer, table.bytes, table.length, data_end(writer), ret_written);
}

/* The whole records within the first `room` of the buffered bytes. */
static size_t whole_records(const struct perf_data_writer *writer, size_t room)
{
    size_t at = 0;
    struct perf_event_header header;
    while (at + sizeof(header) <= room) {
        memcpy(&header, writer->buffer + at, sizeof(header));
        if (header.size < sizeof(header) || at + header.size > room)
            break;
        at += header.size;
    }
    return at;
}

/* The disk took `written` of the buffer and no more: keep whole records, the table behind them. */
static void salvage(struct perf_data_writer *writer, size_t written)
{
    size_t table_bytes = writer->sections.count * sizeof(struct section);
    writer->data_bytes += written > table_bytes ? whole_records(writer, written - table_bytes) : 0;
    writer->buffered = 0;
    write_header(writer, write_table(writer, NULL) == 0);
}

static bool flush(struct perf_data_writer *writer, struct error *err)
{
    size_t size = writer->buffered, written = 0;
    if (size == 0)
        return true;
    int sys_errno = !writer->is_pipe && writer->table_on_disk ? write_header(writer, false) : 0;
    if (!sys_errno)
        sys_errno = write_all(writer, writer->buffer, size, data_end(writer), &written);
    if (sys_errno) {
        if (!writer->is_pipe)
            salvage(writer, written);
        return write_failed(writer, sys_errno, err);
    }
    writer->data_bytes += size;
    writer->flushed = size;
    writer->buffered = 0;
    return true;
}

bool perf_data_writer_append(struct perf_data_writer *writer, const void *records, size_t size_bytes,
                             struct error *err)
{
    if (failed_before(writer, err))
        return false;
    const uint8_t *from = records;
    while (size_bytes > 0) {
        /* Only whole records are buffered, so that the buffer always starts with one. */
        size_t room = BUFFER_BYTES - writer->buffered, take = 0;
        while (take < size_bytes) {
            struct perf_event_header header;
            memcpy(&header, from + take, sizeof(header));
            if (take + header.size > room || header.size == 0)
                break;
            take += header.size;
        }
        memcpy(writer->buffer + writer->buffered, from, take);
        writer->buffered += take;
        from += take;
        size_bytes -= take;
        if (size_bytes > 0 && !flush(writer, err))
            return false;
    }
    return true;
}

bool perf_data_writer_commit(struct perf_data_writer *writer, struct error *err)
{
    if (failed_before(writer, err) || !flush(writer, err))
        return false;
    if (writer->is_pipe || writer->table_on_disk)
        return true;
    size_t written = 0;
    int sys_errno = write_table(writer, &written);
    if (sys_errno) {
        /* The last records fitted, the table behind them didn't: take back what the last flush wrote. */
        writer->data_bytes -= writer->flushed;
        salvage(writer, writer->flushed + written);
    } else {
        sys_errno = write_header(writer, true);
    }
    return sys_errno ? write_failed(writer, sys_errno, err) : true;
}

/* Describe the late sections, which will stand behind the table that they make longer. */
static void add_late_sections(struct perf_data_writer *writer, const perf_data_features *late, uint64_t at)
{
    vec_for_each(late, feature) {
        struct feature_section section = {feature->bit, {.offset = at, .size = feature->bytes.length}};
        at += feature->bytes.length;
        size_t place = writer->sections.count;
        (void)vec_push(&writer->sections);
        for (; place > 0 && writer->sections.items[place - 1].bit > section.bit; place--)
            writer->sections.items[place] = writer->sections.items[place - 1];
        writer->sections.items[place] = section;
    }
}

static int write_late(struct perf_data_writer *writer, const perf_data_features *late, uint64_t at)
{
    int sys_errno = 0;
    vec_for_each(late, feature) {
        if (!sys_errno)
            sys_errno = write_all(writer, feature->bytes.bytes, feature->bytes.length, at, NULL);
        at += feature->bytes.length;
    }
    return sys_errno ? sys_errno : write_header(writer, false);
}

bool perf_data_writer_finish(struct perf_data_writer *writer, perf_data_features *late, struct error *err)
{
    bool good = perf_data_writer_commit(writer, err);
    if (good && !writer->is_pipe && late->count) {
        uint64_t at = data_end(writer) + (writer->sections.count + late->count) * sizeof(struct section);
        int sys_errno = write_late(writer, late, at);
        if (!sys_errno) {
            add_late_sections(writer, late, at);
            good = perf_data_writer_commit(writer, err);
        } else {
            good = write_failed(writer, sys_errno, err);
        }
    }
    perf_data_features_done(late);
    return good;
}
