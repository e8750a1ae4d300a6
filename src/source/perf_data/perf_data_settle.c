/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/perf_data/perf_data_settle.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file/file_fault.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "source/perf_data/perf_data_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct section {
    uint64_t offset, size_bytes;
};

/* An attribute whose samples carry dumps, and where it stands in the file: twice when the features describe it. */
struct dumping {
    struct perf_event_attr attr;
    size_t fixed_bytes; /* of a sample's payload, before its chain */
};

struct settling {
    const uint8_t *bytes;
    size_t size_bytes;
    const struct settled_stacks *stacks;
    const struct settle_sink *sink;
    struct section attrs, data;
    uint64_t attr_bytes, features[4];
    vec(struct dumping) dumping;
    struct hashmap by_id; /* of an event that dumps: index of dumping */
    struct text head;     /* what stands before the records, as it becomes */
    struct text record;   /* scratch */
    size_t next;          /* of the stacks */
    uint64_t written;     /* of the records */
};

static bool damaged(struct error *err, const char *what)
{
    return error_set(err, ERROR_FORMAT, "%s of the recording is damaged", what);
}

static struct bytes bytes_at(const struct settling *settling, struct section section)
{
    bool inside = section.offset <= settling->size_bytes && section.size_bytes <= settling->size_bytes - section.offset;
    struct bytes in =
        bytes_of(settling->bytes + (inside ? section.offset : 0), inside ? (size_t)section.size_bytes : 0, false);
    in.failed = !inside;
    return in;
}

static struct section read_section(struct bytes *in)
{
    struct section section;
    section.offset = read_u64(in);
    section.size_bytes = read_u64(in);
    return section;
}

static bool read_head(struct settling *settling, struct error *err)
{
    struct bytes in = bytes_of(settling->bytes, settling->size_bytes, false);
    uint64_t magic = read_u64(&in), size_bytes = read_u64(&in);
    settling->attr_bytes = read_u64(&in);
    settling->attrs = read_section(&in);
    settling->data = read_section(&in);
    read_section(&in); /* event types: unused since 2013 */
    for (size_t at = 0; at < array_count(settling->features); at++)
        settling->features[at] = read_u64(&in);
    if (in.failed || magic != PERF_DATA_MAGIC || size_bytes != PERF_DATA_HEADER_BYTES)
        return error_set(err, ERROR_UNSUPPORTED, "not a recording that this machine wrote to a file");
    bool ordered = settling->attrs.offset + settling->attrs.size_bytes <= settling->data.offset &&
                   settling->attrs.offset >= PERF_DATA_HEADER_BYTES;
    struct bytes data = bytes_at(settling, settling->data);
    return (ordered && !bytes_at(settling, settling->attrs).failed && !data.failed) || damaged(err, "the header");
}

/* ---- attributes ---- */

static const uint64_t dump_bits = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

static bool carries_dump(const struct perf_event_attr *attr)
{
    return attr->sample_type & PERF_SAMPLE_STACK_USER && attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
           attr->sample_type & PERF_SAMPLE_IDENTIFIER;
}

static bool is_plain(const struct perf_event_attr *attr)
{
    static const uint64_t between = PERF_SAMPLE_READ | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
    return !(attr->sample_type & between);
}

/* What stands behind the size of an attribute isn't ours to know; what we know stands at its beginning. */
static struct perf_event_attr read_attr(const uint8_t *bytes, size_t size_bytes)
{
    struct perf_event_attr attr = {0};
    memcpy(&attr, bytes, size_bytes < sizeof(attr) ? size_bytes : sizeof(attr));
    return attr;
}

/* The attribute at this place of the head, as its samples become. */
static void settle_attr(struct settling *settling, uint64_t offset, size_t size_bytes)
{
    struct perf_event_attr attr = read_attr((const uint8_t *)settling->head.bytes + offset, size_bytes);
    if (!carries_dump(&attr))
        return;
    attr.sample_type &= ~dump_bits;
    attr.sample_regs_user = 0;
    attr.sample_stack_user = 0;
    attr.exclude_callchain_user = 0;
    memcpy(settling->head.bytes + offset, &attr, size_bytes < sizeof(attr) ? size_bytes : sizeof(attr));
}

static bool add_dumping(struct settling *settling, const struct perf_event_attr *attr, struct section ids,
                        struct error *err)
{
    static const uint64_t words = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                  PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                                  PERF_SAMPLE_PERIOD;
    if (!is_plain(attr))
        return error_set(err, ERROR_UNSUPPORTED, "its stacks stand beside raw data or branch records");
    struct bytes in = bytes_at(settling, ids);
    if (in.failed)
        return damaged(err, "a list of events");
    while (bytes_left(&in) >= 8)
        hashmap_put(&settling->by_id, hash_u64(read_u64(&in)), (uint32_t)settling->dumping.count);
    *vec_push(&settling->dumping) = (struct dumping){
        .attr = *attr,
        .fixed_bytes = 8 * (size_t)__builtin_popcountll(attr->sample_type & words),
    };
    return true;
}

static bool settle_attrs(struct settling *settling, struct error *err)
{
    uint64_t entry_bytes = settling->attr_bytes;
    if (entry_bytes < PERF_ATTR_SIZE_VER0 + sizeof(struct section) || entry_bytes > settling->attrs.size_bytes)
        return damaged(err, "the list of attributes");
    size_t attr_bytes = (size_t)(entry_bytes - sizeof(struct section));
    uint64_t head_left = settling->data.offset; /* what the lists of ids take of it: none of them stands twice */
    for (uint64_t at = 0; at + entry_bytes <= settling->attrs.size_bytes; at += entry_bytes) {
        struct bytes in = bytes_at(settling, (struct section){settling->attrs.offset + at, entry_bytes});
        struct perf_event_attr attr = read_attr(bytes_take(&in, attr_bytes), attr_bytes);
        struct section ids = read_section(&in);
        if (ids.size_bytes > head_left || ids.offset > settling->data.offset - ids.size_bytes)
            return damaged(err, "a list of events");
        head_left -= ids.size_bytes;
        if (carries_dump(&attr) && !add_dumping(settling, &attr, ids, err))
            return false;
        settle_attr(settling, settling->attrs.offset + at, attr_bytes);
    }
    return true;
}

/* ---- features ---- */

static bool has_feature(const struct settling *settling, unsigned bit)
{
    return settling->features[bit / 64] >> bit % 64 & 1;
}

/* EVENT_DESC: count, size of an attribute; of each: attribute, number of ids, length and name, ids. */
static bool settle_descriptions(struct settling *settling, struct section section, struct error *err)
{
    struct bytes in = bytes_at(settling, section);
    uint32_t count = read_u32(&in), attr_bytes = read_u32(&in);
    for (uint32_t at = 0; at < count && !in.failed; at++) {
        const uint8_t *attr = bytes_take(&in, attr_bytes);
        uint32_t ids = read_u32(&in);
        uint32_t name_bytes = read_u32(&in);
        bytes_take(&in, name_bytes);
        bytes_take(&in, (size_t)ids * 8);
        if (!in.failed && attr_bytes >= PERF_ATTR_SIZE_VER0)
            settle_attr(settling, (uint64_t)(attr - settling->bytes), attr_bytes);
    }
    return !in.failed || damaged(err, "the description of the events");
}

/* The table behind the records. Sections stand before them, or behind it: those move with the records' end. */
static bool settle_features(struct settling *settling, struct text *table, struct section *ret_behind,
                            struct error *err)
{
    uint64_t data_end = settling->data.offset + settling->data.size_bytes;
    unsigned count = 0;
    for (unsigned bit = 0; bit < 256; bit++)
        count += has_feature(settling, bit);
    struct bytes in = bytes_at(settling, (struct section){data_end, (uint64_t)count * sizeof(struct section)});
    for (unsigned bit = 0; bit < 256; bit++) {
        struct section section;
        if (!has_feature(settling, bit))
            continue;
        section = read_section(&in);
        bool before = section.offset + section.size_bytes <= settling->data.offset;
        if (bytes_at(settling, section).failed || (!before && section.offset < data_end))
            return damaged(err, "the table of features");
        if (bit == FEATURE_COMPRESSED)
            return error_set(err, ERROR_UNSUPPORTED, "its records are packed");
        if (bit == FEATURE_EVENT_DESC && before && !settle_descriptions(settling, section, err))
            return false;
        text_append(table, (const char *)&section, sizeof(section));
    }
    *ret_behind = (struct section){data_end + table->length, settling->size_bytes - data_end - table->length};
    return !in.failed || damaged(err, "the table of features");
}

/* ---- records ---- */

static const struct settled_stack *stack_of(struct settling *settling, uint64_t file_offset)
{
    const struct settled_stacks *stacks = settling->stacks;
    while (settling->next < stacks->count && stacks->items[settling->next].file_offset < file_offset)
        settling->next++;
    if (settling->next == stacks->count || stacks->items[settling->next].file_offset != file_offset)
        return NULL;
    const struct settled_stack *stack = &stacks->items[settling->next];
    return stack->first <= stacks->ip_count && stack->count <= stacks->ip_count - stack->first ? stack : NULL;
}

struct chain {
    const uint8_t *ips;
    uint64_t count, kernel_count; /* kernel_count: before the mark of the user's part */
};

static uint64_t ip_at(const struct chain *chain, uint64_t at)
{
    uint64_t ip;
    memcpy(&ip, chain->ips + at * 8, sizeof(ip));
    return ip;
}

static struct chain read_chain(struct bytes *in)
{
    struct chain chain = {.count = read_u64(in)};
    if (chain.count > bytes_left(in) / 8)
        in->failed = true;
    chain.ips = bytes_take(in, in->failed ? 0 : (size_t)chain.count * 8);
    for (; !in->failed && chain.kernel_count < chain.count; chain.kernel_count++)
        if (ip_at(&chain, chain.kernel_count) == (uint64_t)PERF_CONTEXT_USER)
            break;
    return chain;
}

/* Registers and the dump, wherever they lead to. */
static void skip_dump(struct bytes *in, const struct perf_event_attr *attr)
{
    if (attr->sample_type & PERF_SAMPLE_REGS_USER && read_u64(in) != PERF_SAMPLE_REGS_ABI_NONE)
        bytes_take(in, 8 * (size_t)__builtin_popcountll(attr->sample_regs_user));
    uint64_t size_bytes = read_u64(in);
    if (size_bytes > bytes_left(in))
        in->failed = true;
    else if (size_bytes)
        bytes_take(in, (size_t)size_bytes);
    if (size_bytes)
        read_u64(in); /* how much of it was used */
}

static void add_u64(struct text *out, uint64_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

/*
 * Of frame pointers and the unwinder, who saw more: code that nobody describes often keeps frame pointers, and such
 * chains that break off do so at once. A register that was no frame pointer leads on through data: such places count
 * for nothing.
 */
static void add_chain(struct settling *settling, const struct chain *chain, const struct settled_stack *stack)
{
    struct text *out = &settling->record;
    if (!stack || !stack->count || stack->count < stack->recorded) {
        add_u64(out, chain->count);
        text_append(out, (const char *)chain->ips, (size_t)chain->count * 8);
        return;
    }
    add_u64(out, chain->kernel_count + 1 + stack->count);
    text_append(out, (const char *)chain->ips, (size_t)chain->kernel_count * 8);
    add_u64(out, (uint64_t)PERF_CONTEXT_USER);
    text_append(out, (const char *)(settling->stacks->ips + stack->first), (size_t)stack->count * 8);
}

static bool put(struct settling *settling, const void *bytes, size_t size_bytes, struct error *err)
{
    settling->written += size_bytes;
    return !size_bytes || settling->sink->put(settling->sink->context, bytes, size_bytes, err);
}

/* A sample as it becomes, in settling->record. A damaged one becomes nothing. */
static void settle_sample(struct settling *settling, const struct dumping *dumping, uint64_t file_offset,
                          struct perf_event_header header)
{
    struct bytes in = bytes_of(settling->bytes + file_offset, header.size, false);
    struct text *out = &settling->record;
    text_clear(out);
    bytes_take(&in, sizeof(header));
    const uint8_t *fixed = bytes_take(&in, dumping->fixed_bytes);
    struct chain chain = read_chain(&in);
    skip_dump(&in, &dumping->attr);
    if (in.failed)
        return;
    text_append(out, (const char *)&header, sizeof(header));
    text_append(out, (const char *)fixed, dumping->fixed_bytes);
    add_chain(settling, &chain, stack_of(settling, file_offset));
    text_append(out, (const char *)in.at, bytes_left(&in));
    if (out->length > PERF_DATA_RECORD_MOST) {
        text_clear(out);
        return;
    }
    header.size = (uint16_t)out->length;
    memcpy(out->bytes, &header, sizeof(header));
}

static const struct dumping *dumping_of(const struct settling *settling, struct bytes record,
                                        struct perf_event_header header)
{
    bytes_take(&record, sizeof(header));
    uint64_t id = read_u64(&record);
    if (header.type != PERF_RECORD_SAMPLE || record.failed)
        return NULL;
    uint32_t at = hashmap_find(&settling->by_id, hash_u64(id), NULL, NULL, NULL);
    return at == HASHMAP_ABSENT ? NULL : &settling->dumping.items[at];
}

/* What is left alone goes out in one piece up to the next sample with a dump. */
static bool settle_records(struct settling *settling, struct error *err)
{
    struct bytes in = bytes_at(settling, settling->data);
    const uint8_t *unwritten = in.at;
    while (bytes_left(&in) >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;
        memcpy(&header, in.at, sizeof(header));
        if (header.size < sizeof(header) || header.size > bytes_left(&in))
            break; /* it breaks off here: readers say so */
        if (header.type == USER_RECORD_COMPRESSED)
            return error_set(err, ERROR_UNSUPPORTED, "its records are packed");
        const struct dumping *dumping = dumping_of(settling, bytes_of(in.at, header.size, false), header);
        if (dumping) {
            settle_sample(settling, dumping, (uint64_t)(in.at - settling->bytes), header);
            if (!put(settling, unwritten, (size_t)(in.at - unwritten), err) ||
                !put(settling, settling->record.bytes, settling->record.length, err))
                return false;
            unwritten = in.at + header.size;
        }
        in.at += header.size;
    }
    return put(settling, unwritten, (size_t)(in.end - unwritten), err);
}

/* ---- all of it ---- */

/* How much shorter the records become is known only when they are written: they are gone through twice. */
static bool count_only(void *context, const void *bytes, size_t size_bytes, struct error *err)
{
    (void)context, (void)bytes, (void)size_bytes, (void)err;
    return true;
}

static bool measure_records(struct settling *settling, struct error *err)
{
    static const struct settle_sink nobody = {NULL, count_only};
    const struct settle_sink *sink = settling->sink;
    settling->sink = &nobody;
    bool good = settle_records(settling, err);
    settling->sink = sink;
    return good;
}

static void move_sections(struct text *table, uint64_t data_offset, uint64_t shorter_bytes)
{
    for (size_t at = 0; at + sizeof(struct section) <= table->length; at += sizeof(struct section)) {
        struct section section;
        memcpy(&section, table->bytes + at, sizeof(section));
        section.offset -= section.offset >= data_offset ? shorter_bytes : 0;
        memcpy(table->bytes + at, &section, sizeof(section));
    }
}

static bool settle_all(struct settling *settling, struct text *table, struct error *err)
{
    enum { DATA_SIZE_AT = 48 }; /* in the header: magic, two sizes, attributes, the data's offset */
    struct section behind = {0};
    if (!read_head(settling, err))
        return false;
    text_append(&settling->head, (const char *)settling->bytes, (size_t)settling->data.offset);
    if (!settle_attrs(settling, err) || !settle_features(settling, table, &behind, err) ||
        !measure_records(settling, err))
        return false;
    uint64_t size_bytes = settling->written;
    memcpy(settling->head.bytes + DATA_SIZE_AT, &size_bytes, sizeof(size_bytes));
    move_sections(table, settling->data.offset, settling->data.size_bytes - size_bytes);
    settling->next = 0;
    return put(settling, settling->head.bytes, settling->head.length, err) && settle_records(settling, err) &&
           put(settling, table->bytes, table->length, err) &&
           put(settling, settling->bytes + behind.offset, (size_t)behind.size_bytes, err);
}

bool perf_data_settle_bytes(const uint8_t *bytes, size_t size_bytes, const struct settled_stacks *stacks,
                            const struct settle_sink *sink, struct error *err)
{
    struct settling settling = {.bytes = bytes, .size_bytes = size_bytes, .stacks = stacks, .sink = sink};
    scoped_text struct text table = {0};
    bool good = settle_all(&settling, &table, err);
    vec_done(&settling.dumping);
    hashmap_done(&settling.by_id);
    text_done(&settling.head);
    text_done(&settling.record);
    return good;
}

static bool put_to_file(void *context, const void *bytes, size_t size_bytes, struct error *err)
{
    return fwrite(bytes, 1, size_bytes, context) == size_bytes ||
           error_system(err, errno, "can't write the recording anew");
}

/* Without a name until it is whole, where the file system can: whatever ends us, nothing is left behind. */
static int open_beside(const char *path, const char *beside, bool *ret_has_name)
{
    const char *slash = strrchr(path, '/');
    scoped_free char *folder = slash ? memory_printf("%.*s", (int)(slash - path + 1), path) : memory_string(".");
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    *ret_has_name = fd < 0;
    (void)unlink(beside); /* of one that was killed */
    return fd >= 0 ? fd : open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static bool name_give(int fd, const char *beside)
{
    char own[64];
    snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, own, AT_FDCWD, beside, AT_SYMLINK_FOLLOW) == 0;
}

static bool write_beside(int fd, const char *name_to_give, const uint8_t *bytes, size_t size_bytes,
                         const struct settled_stacks *stacks, struct error *err)
{
    FILE *file = fdopen(fd, "w");
    if (!file) {
        close(fd);
        return error_system(err, errno, "can't write the recording anew");
    }
    struct settle_sink sink = {file, put_to_file};
    bool good = perf_data_settle_bytes(bytes, size_bytes, stacks, &sink, err);
    if (good && fflush(file) != 0)
        good = error_system(err, errno, "can't write the recording anew");
    if (good && name_to_give && !name_give(fd, name_to_give))
        good = error_system(err, errno, "can't name the recording '%s'", name_to_give);
    if (fclose(file) != 0 && good)
        good = error_system(err, errno, "can't write the recording anew");
    return good;
}

bool perf_data_settle(const char *path, const struct settled_stacks *stacks, struct error *err)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_system(err, errno, "can't read '%s'", path);
    if (!S_ISREG(status.st_mode) || status.st_size < PERF_DATA_HEADER_BYTES)
        return error_set(err, ERROR_UNSUPPORTED, "'%s' is not a recording in a file", path);
    file_faults_survive();
    size_t size_bytes = (size_t)status.st_size;
    const uint8_t *bytes = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return error_system(err, errno, "can't map '%s'", path);
    scoped_free char *beside = memory_printf("%s.settling", path);
    bool has_name;
    int out = open_beside(path, beside, &has_name);
    bool good = out >= 0 || error_system(err, errno, "can't create '%s'", beside);
    if (good) {
        good = write_beside(out, has_name ? NULL : beside, bytes, size_bytes, stacks, err) &&
               (rename(beside, path) == 0 || error_system(err, errno, "can't replace '%s'", path));
        if (!good)
            unlink(beside);
    }
    munmap((void *)bytes, size_bytes);
    return good;
}
