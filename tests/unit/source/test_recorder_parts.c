/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/bytes.h"
#include "decode/code_page.h"
#include "source/recorder/elf_build_id.h"
#include "source/recorder/recorder_code.h"
#include "source/recorder/recorder_stacks.h"

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
    recorder_code_mapped(&code, pid, start, (uint64_t)page * 3, "//anon");
    recorder_code_mapped(&code, pid, 0x1000, 0x1000, "/usr/bin/true");
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
    recorder_code_forked(&code, pid + 1, pid);
    recorder_code_forget(&code, pid);
    text_clear(&out);
    recorder_code_sampled(&code, pid, start + (uint64_t)page);
    recorder_code_sampled(&code, pid + 1, start + (uint64_t)page);
    cr_assert_eq(code.wanted.count, 1, "the child has its parent's code; the parent is another program now");
    recorder_code_done(&code);
    text_done(&out);
    munmap(area, (size_t)page * 3);
}

/* Chains that reach the root. */

static char fixture_folder[] = "/tmp/plumb-stacks-XXXXXX";

static void fixture_remove(void)
{
    static const char *const parts[] = {"proc/7/maps", "proc/7", "proc", "."};
    char path[200];
    for (size_t at = 0; at < 4; at++) {
        snprintf(path, sizeof(path), "%s/%s", fixture_folder, parts[at]);
        if (at == 3)
            path[strlen(fixture_folder)] = '\0';
        remove(path);
    }
}

static struct sysroot *fixture_root(const char *maps)
{
    static struct sysroot root;
    char *folder = fixture_folder;
    char path[200];
    cr_assert(mkdtemp(folder));
    static const char *const parts[] = {"proc", "proc/7"};
    for (size_t at = 0; at < 2; at++) {
        snprintf(path, sizeof(path), "%s/%s", folder, parts[at]);
        cr_assert(mkdir(path, 0700) == 0);
    }
    snprintf(path, sizeof(path), "%s/proc/7/maps", folder);
    FILE *file = fopen(path, "w");
    fputs(maps, file);
    fclose(file);
    sysroot_init(&root, folder);
    return &root;
}

static const char dynamic_maps[] = "00400000-00500000 r-xp 00000000 fe:00 1   /usr/bin/program\n"
                                   "00600000-00700000 rw-p 00000000 fe:00 1   /usr/bin/program\n"
                                   "7f0000000000-7f0000100000 r-xp 00000000 fe:00 2   /usr/lib/libc.so.6\n"
                                   "7f0000200000-7f0000300000 r-xp 00000000 fe:00 3   /usr/lib/libx.so\n";
static const char static_maps[] = "00400000-00500000 r-xp 00000000 fe:00 1   /usr/bin/program\n";

static struct stack_share share_of(const char *maps, uint64_t end, unsigned threads)
{
    struct recorder_stacks stacks;
    recorder_stacks_init(&stacks, fixture_root(maps));
    for (uint64_t at = 0; at < 10; at++)
        for (unsigned thread = 0; thread < threads; thread++) {
            const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000, (uint64_t)PERF_CONTEXT_USER,
                                      0x400000 + at, 0x400100, end};
            recorder_stacks_add(&stacks, 7, 7 + thread, at, chain, 6);
        }
    struct stack_share share = recorder_stacks_share(&stacks);
    recorder_stacks_done(&stacks);
    fixture_remove();
    return share;
}

Test(recorder_stacks, what_counts_as_the_root)
{
    static const struct {
        const char *what, *maps;
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
        pid_t pid = fork();
        if (pid == 0) {
            struct stack_share share = share_of(cases[at].maps, cases[at].end, cases[at].threads);
            _exit(share.judged == 10 * cases[at].threads && share.at_root == (cases[at].root ? share.judged : 0) ? 0 : 1);
        }
        int status;
        waitpid(pid, &status, 0);
        cr_assert_eq(status, 0, "%s", cases[at].what);
    }
}

Test(recorder_stacks, leaves_without_a_caller_and_rare_threads, .fini = fixture_remove)
{
    struct recorder_stacks stacks;
    recorder_stacks_init(&stacks, fixture_root(dynamic_maps));
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
