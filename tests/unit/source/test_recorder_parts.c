/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/bytes.h"
#include "decode/code_page.h"
#include "source/recorder/elf_build_id.h"
#include "source/recorder/recorder_code.h"
#include "source/recorder/stacks/recorder_stacks.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Build ids. */

static const uint8_t notes[] = {
    4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 9, 9, 9, 9,              /* another note */
    4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4, 5, 0, 0, 0, /* the id, padded */
};

Test(elf_build_id, is_found_behind_other_notes_and_never_past_the_end)
{
    for (size_t size = 0; size <= sizeof(notes); size++) {
        struct edge edge = edge_copy(notes, size);
        struct build_id id = {0};
        bool whole = size >= sizeof(notes) - 3; /* the last padding may be missing */
        cr_assert_eq(elf_build_id_of_notes(edge.bytes, size, false, &id), whole, "%zu bytes", size);
        cr_assert_eq(id.size_bytes, whole ? 5 : 0);
        edge_free(&edge);
    }
}

Test(elf_build_id, of_a_file_that_is_cut_or_damaged_is_none_or_some_but_no_crash)
{
    char path[] = "/tmp/plumb-elf-XXXXXX";
    int self = open("/proc/self/exe", O_RDONLY), fd = mkstemp(path);
    uint8_t head[4096];
    struct build_id id;
    cr_assert(elf_build_id_read(self, &id), "our own build has one");
    cr_assert(pread(self, head, sizeof(head), 0) == (ssize_t)sizeof(head));
    for (off_t size = 0; size < 1024; size += 7) {
        cr_assert(ftruncate(fd, 0) == 0 && pwrite(fd, head, (size_t)size, 0) == size);
        (void)elf_build_id_read(fd, &id);
    }
    for (unsigned bit = 0; bit < 1024 * 8; bit += 3) {
        head[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert(pwrite(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head));
        (void)elf_build_id_read(fd, &id);
        head[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    close(self);
    close(fd);
    unlink(path);
}

/* Copies of code. */

Test(code_page, comes_back_as_it_went_and_is_refused_when_cut)
{
    struct text record = {0};
    const uint8_t code[] = {0x90, 0xc3, 0xcc};
    code_page_encode(&record, &(struct code_page){.pid = 7, .time_ns = 8, .runtime_addr = 0x7000, .size_bytes = 3, .bytes = code});
    cr_assert_eq(record.length % 8, 0);
    struct perf_event_header header;
    memcpy(&header, record.bytes, sizeof(header));
    cr_assert_eq(header.type, CODE_PAGE_RECORD_TYPE);
    cr_assert_eq(header.size, record.length);
    size_t payload = record.length - sizeof(header), needed = 40 + sizeof(code);
    for (size_t size = 0; size <= payload; size++) {
        struct edge edge = edge_copy(record.bytes + sizeof(header), size);
        struct code_page page;
        struct error err = {0};
        bool good = code_page_decode((struct bytes_view){edge.bytes, size}, false, &page, &err);
        cr_assert_eq(good, size >= needed, "%zu bytes", size);
        if (good)
            cr_assert(page.pid == 7 && page.time_ns == 8 && page.runtime_addr == 0x7000 && page.size_bytes == 3 &&
                      memcmp(page.bytes, code, 3) == 0);
        edge_free(&edge);
    }
    text_done(&record);
}

static unsigned records_in(const struct text *out)
{
    unsigned count = 0;
    for (size_t at = 0; at < out->length; count++) {
        struct perf_event_header header;
        memcpy(&header, out->bytes + at, sizeof(header));
        at += header.size;
    }
    return count;
}

Test(recorder_code, copies_hot_pages_without_a_file_and_again_once_they_changed)
{
    struct recorder_code code;
    struct text out = {0};
    uint32_t pid = (uint32_t)getpid();
    long page = sysconf(_SC_PAGESIZE);
    uint8_t *area = mmap(NULL, (size_t)page * 3, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t start = (uint64_t)(uintptr_t)area;
    recorder_code_init(&code);
    recorder_code_mapped(&code, pid, 10, start, (uint64_t)page * 3, "//anon");
    recorder_code_mapped(&code, pid, 10, 0x1000, 0x1000, "/usr/bin/true");
    recorder_code_sampled(&code, pid, 0x1800); /* a file's */
    recorder_code_sampled(&code, pid + 1, start); /* somebody else's */
    recorder_code_copy(&code, 1, &out);
    cr_assert_eq(records_in(&out), 0);
    recorder_code_sampled(&code, pid, start + 5);
    recorder_code_sampled(&code, pid, start + 6);
    recorder_code_copy(&code, 1, &out);
    cr_assert_eq(records_in(&out), 1, "one page, once");
    recorder_code_sampled(&code, pid, start + (uint64_t)page * 2 - 1);
    recorder_code_copy(&code, 1, &out);
    cr_assert_eq(records_in(&out), 3, "an instruction may go on in the next page");
    for (int changed = 0; changed < 2; changed++) {
        area[9] = (uint8_t)changed;
        for (int at = 0; at < (changed ? 300 : 20); at++)
            recorder_code_sampled(&code, pid, start + 5);
        recorder_code_copy(&code, 2, &out);
        cr_assert_eq(records_in(&out), changed ? 4 : 3, "only what has changed comes again");
    }
    recorder_code_forked(&code, pid + 1, pid, 20);
    recorder_code_forget(&code, pid, 9); /* told late, of before its code was mapped */
    text_clear(&out);
    recorder_code_sampled(&code, pid, start + (uint64_t)page);
    cr_assert_eq(code.wanted.count, 1);
    code.wanted.count = code.pages.count = 0;
    recorder_code_forget(&code, pid, 30);
    recorder_code_mapped(&code, pid, 29, start, (uint64_t)page, "//anon"); /* of the program that it was */
    recorder_code_mapped(&code, pid + 2, 40, start, (uint64_t)page, "//anon");
    recorder_code_sampled(&code, pid, start + (uint64_t)page);
    recorder_code_sampled(&code, pid + 1, start + (uint64_t)page);
    cr_assert_eq(code.wanted.count, 1, "the child has its parent's code; the parent is another program now");
    recorder_code_done(&code);
    text_done(&out);
    munmap(area, (size_t)page * 3);
}

/* Chains that reach the root. */

struct code_map {
    uint64_t start;
    const char *path;
};

static const struct code_map dynamic_maps[] = {
    {0x400000, "/usr/bin/program"}, {0x7f0000000000, "/usr/lib/libc.so.6"}, {0x7f0000200000, "/usr/lib/libx.so"}, {0}};
static const struct code_map static_maps[] = {{0x400000, "/usr/bin/program"}, {0}};

static void map_all(struct recorder_stacks *stacks, uint32_t pid, uint64_t time_ns, const struct code_map *maps,
                    uint64_t moved)
{
    for (; maps->path; maps++)
        recorder_stacks_mapped(stacks, pid, time_ns, maps->start + moved, 0x100000, 0x1000, maps->path);
}

static struct stack_share share_of(const struct code_map *maps, uint64_t end, unsigned threads)
{
    struct recorder_stacks stacks = {0};
    map_all(&stacks, 7, 1, maps, 0);
    for (uint64_t at = 0; at < 10; at++)
        for (unsigned thread = 0; thread < threads; thread++) {
            const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000, (uint64_t)PERF_CONTEXT_USER,
                                      0x400000 + at, 0x400100, end};
            recorder_stacks_add(&stacks, 7, 7 + thread, at, chain, 6);
        }
    struct stack_share share = recorder_stacks_share(&stacks);
    recorder_stacks_done(&stacks);
    return share;
}

Test(recorder_stacks, what_counts_as_the_root)
{
    static const struct {
        const char *what;
        const struct code_map *maps;
        uint64_t end;
        unsigned threads;
        bool root;
    } cases[] = {
        {"main's caller in the C library", dynamic_maps, 0x7f0000000100, 1, true},
        {"somewhere in a library", dynamic_maps, 0x7f0000200100, 1, false},
        {"the same place in two threads", dynamic_maps, 0x7f0000200100, 2, true},
        {"data", dynamic_maps, 0x600100, 1, false},
        {"nowhere", dynamic_maps, 0x1, 1, false},
        {"a static program", static_maps, 0x400200, 1, true},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct stack_share share = share_of(cases[at].maps, cases[at].end, cases[at].threads);
        cr_assert_eq(share.judged, 10 * cases[at].threads, "%s", cases[at].what);
        cr_assert_eq(share.at_root, cases[at].root ? share.judged : 0, "%s", cases[at].what);
    }
}

/* From another CPU's buffer, what came first may be told last: fork, exec, mappings by their times, in any order. */
Test(recorder_stacks, what_is_told_late_wipes_nothing_out)
{
    static const char *const orders[] = {"fem", "mfe", "mef", "emf", "efm", "fme"};
    for (size_t order = 0; order < array_count(orders); order++) {
        struct recorder_stacks stacks = {0};
        map_all(&stacks, 99, 1, static_maps, 0x10000000);
        for (const char *at = orders[order]; *at; at++) {
            if (*at == 'f')
                recorder_stacks_forked(&stacks, 7, 99, 10);
            else if (*at == 'e')
                recorder_stacks_execed(&stacks, 7, 20);
            else
                map_all(&stacks, 7, 30, dynamic_maps, 0);
        }
        const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, 0x400010, 0x7f0000000100};
        for (uint64_t at = 0; at < 10; at++)
            recorder_stacks_add(&stacks, 7, 7, at, chain, 3);
        struct stack_share share = recorder_stacks_share(&stacks);
        cr_expect_eq(share.judged, 10, "%s", orders[order]);
        cr_expect_eq(share.at_root, 10, "%s", orders[order]);
        cr_expect_eq(stacks.processes.items[1].ranges.count, 3, "%s: its parent's are gone", orders[order]);
        recorder_stacks_done(&stacks);
    }
}

/* Programs so short that each is seen once: the same place of the C library, wherever it is mapped, is their root. */
Test(recorder_stacks, short_processes_of_one_program)
{
    for (int whole = 0; whole < 2; whole++) {
        struct recorder_stacks stacks = {0};
        for (uint32_t pid = 100; pid < 5000; pid++) {
            uint64_t moved = (uint64_t)pid << 12;
            recorder_stacks_forked(&stacks, pid, 99, pid);
            recorder_stacks_execed(&stacks, pid, pid + 1);
            map_all(&stacks, pid, pid + 2, dynamic_maps, moved);
            const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, 0x400010 + moved,
                                      0x7f0000000100 + moved + (whole ? 0 : pid % 1000 * 16)};
            recorder_stacks_add(&stacks, pid, pid, pid, chain, 3);
            recorder_stacks_ended(&stacks, pid);
        }
        const uint64_t unknown[] = {(uint64_t)PERF_CONTEXT_USER, 1, 2};
        recorder_stacks_add(&stacks, 6000, 6000, 1, unknown, 3);
        struct stack_share share = recorder_stacks_share(&stacks);
        cr_assert_eq(share.judged, 4900, "a process whose mappings aren't known isn't judged");
        if (whole)
            cr_assert_eq(share.at_root, share.judged);
        else
            cr_assert_lt(share.at_root, share.judged / 100);
        recorder_stacks_done(&stacks);
    }
}

Test(recorder_stacks, leaves_without_a_caller_and_rare_threads)
{
    struct recorder_stacks stacks = {0};
    map_all(&stacks, 7, 1, dynamic_maps, 0);
    const uint64_t leaf[] = {(uint64_t)PERF_CONTEXT_USER, 0x7f0000000100}, kernel[] = {(uint64_t)PERF_CONTEXT_KERNEL, 1};
    for (int at = 0; at < 5; at++)
        recorder_stacks_add(&stacks, 7, 7, 1, leaf, 2);
    recorder_stacks_add(&stacks, 7, 7, 1, kernel, 2); /* not a user stack */
    const uint64_t whole[] = {(uint64_t)PERF_CONTEXT_USER, 0x400000, 0x7f0000000100};
    recorder_stacks_add(&stacks, 7, 8, 1, whole, 3);
    struct stack_share share = recorder_stacks_share(&stacks);
    cr_assert_eq(share.judged, 5, "a thread with one stack isn't judged");
    cr_assert_eq(share.at_root, 0);
    recorder_stacks_done(&stacks);
}
