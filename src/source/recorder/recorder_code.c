/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder_code.h"

#include "decode/code_page.h"

#include <sys/uio.h>
#include <unistd.h>

enum {
    PAGE_BYTES_MOST = 32768, /* larger pages are copied in part */
    COPIED_BYTES_MOST = 64 << 20,
    INSTRUCTION_BYTES_MOST = 16,
    COPY_AGAIN_FACTOR = 16
};

void recorder_code_init(struct recorder_code *code)
{
    long page = sysconf(_SC_PAGESIZE);
    *code = (struct recorder_code){.page_bytes = page > PAGE_BYTES_MOST ? PAGE_BYTES_MOST : (uint64_t)page};
}

void recorder_code_done(struct recorder_code *code)
{
    vec_for_each(&code->processes, process)
        vec_done(&process->ranges);
    vec_done(&code->processes);
    vec_done(&code->pages);
    vec_done(&code->wanted);
    hashmap_done(&code->processes_by_pid);
    hashmap_done(&code->pages_by_key);
}

static struct code_process *process_find(const struct recorder_code *code, uint32_t pid)
{
    uint32_t known = hashmap_find(&code->processes_by_pid, hash_u64(pid), NULL, NULL, NULL);
    return known == HASHMAP_ABSENT ? NULL : &code->processes.items[known];
}

static struct code_process *process_add(struct recorder_code *code, uint32_t pid)
{
    struct code_process *known = process_find(code, pid);
    if (known)
        return known;
    hashmap_add(&code->processes_by_pid, hash_u64(pid), (uint32_t)code->processes.count);
    struct code_process *process = vec_push(&code->processes);
    *process = (struct code_process){.pid = pid};
    return process;
}

static bool has_no_file(const char *path)
{
    struct view name = view_of(path);
    return view_starts(name, "//anon") || path[0] == '[' || path[0] == '\0' || view_starts(name, "/memfd:") ||
           view_starts(name, "/dev/zero") || view_starts(name, "/SYSV") || view_starts(name, "anon_inode:") ||
           view_starts(name, "/anon_hugepage") || view_ends(name, " (deleted)");
}

static void range_add(struct code_process *process, uint64_t start, uint64_t end, uint64_t since_ns)
{
    /* A mapping that grows, or is protected anew, comes again: keep one range for it. */
    vec_for_each(&process->ranges, range)
        if (start <= range->end && range->start <= end) {
            range->start = start < range->start ? start : range->start;
            range->end = end > range->end ? end : range->end;
            range->since_ns = since_ns > range->since_ns ? since_ns : range->since_ns;
            return;
        }
    *vec_push(&process->ranges) = (struct code_range){start, end, since_ns};
}

void recorder_code_mapped(struct recorder_code *code, uint32_t pid, uint64_t time_ns, uint64_t start,
                          uint64_t size_bytes, const char *path)
{
    if (!has_no_file(path) || start + size_bytes <= start)
        return;
    struct code_process *process = process_add(code, pid);
    if (time_ns >= process->began_ns)
        range_add(process, start, start + size_bytes, time_ns);
}

void recorder_code_forked(struct recorder_code *code, uint32_t pid, uint32_t parent, uint64_t time_ns)
{
    if (pid == parent || !process_find(code, parent))
        return;
    struct code_process *child = process_add(code, pid);
    if (child->began_ns > time_ns) /* it became another program since */
        return;
    const struct code_process *source = process_find(code, parent);
    vec_for_each(&source->ranges, range)
        range_add(child, range->start, range->end, range->since_ns);
}

void recorder_code_forget(struct recorder_code *code, uint32_t pid, uint64_t time_ns)
{
    struct code_process *process = process_add(code, pid);
    size_t kept = 0;
    process->began_ns = time_ns > process->began_ns ? time_ns : process->began_ns;
    vec_for_each (&process->ranges, range)
        if (range->since_ns >= time_ns)
            process->ranges.items[kept++] = *range;
    process->ranges.count = kept;
}

static void want_page(struct recorder_code *code, uint32_t pid, uint64_t addr, uint64_t ip)
{
    enum { LINES = 64 };
    uint64_t key = hash_combine(hash_u64(pid), addr);
    uint32_t index = hashmap_find(&code->pages_by_key, key, NULL, NULL, NULL);
    if (index == HASHMAP_ABSENT) {
        index = (uint32_t)code->pages.count;
        hashmap_add(&code->pages_by_key, key, index);
        *vec_push(&code->pages) = (struct hot_page){.pid = pid, .addr = addr, .next_copy = 1};
    }
    struct hot_page *page = &code->pages.items[index];
    uint64_t line = UINT64_C(1) << (ip > addr ? (ip - addr) / (code->page_bytes / LINES) : 0);
    bool new_line = !(page->lines & line);
    page->lines |= line;
    if (++page->samples >= page->next_copy)
        page->next_copy *= COPY_AGAIN_FACTOR;
    else if (!new_line)
        return;
    *vec_push(&code->wanted) = index;
}

void recorder_code_sampled(struct recorder_code *code, uint32_t pid, uint64_t ip)
{
    const struct code_process *process = code->processes.count ? process_find(code, pid) : NULL;
    if (!process)
        return;
    vec_for_each(&process->ranges, range) {
        if (ip < range->start || ip >= range->end)
            continue;
        uint64_t addr = ip - ip % code->page_bytes, next = addr + code->page_bytes;
        want_page(code, pid, addr, ip);
        if (next - ip < INSTRUCTION_BYTES_MOST && next < range->end)
            want_page(code, pid, next, ip);
        return;
    }
}

static void copy_page(struct recorder_code *code, struct hot_page *page, uint64_t time_ns, struct text *out)
{
    uint8_t bytes[PAGE_BYTES_MOST];
    struct iovec to = {bytes, code->page_bytes}, from = {(void *)(uintptr_t)page->addr, code->page_bytes};
    ssize_t got = process_vm_readv((pid_t)page->pid, &to, 1, &from, 1, 0);
    if (got <= 0)
        return;
    uint64_t content = hash_bytes(bytes, (size_t)got);
    if (content == page->content)
        return;
    page->content = content;
    code->copied_pages++;
    code->copied_bytes += (uint64_t)got;
    code_page_encode(out, &(struct code_page){.pid = page->pid, .time_ns = time_ns, .runtime_addr = page->addr,
                                              .size_bytes = (uint64_t)got, .bytes = bytes});
}

void recorder_code_copy(struct recorder_code *code, uint64_t time_ns, struct text *out)
{
    vec_for_each(&code->wanted, index)
        if (code->copied_bytes < COPIED_BYTES_MOST)
            copy_page(code, &code->pages.items[*index], time_ns, out);
    code->wanted.count = 0;
}
