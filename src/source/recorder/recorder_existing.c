/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder_existing.h"

#include "base/arena.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "base/vec.h"
#include "source/recorder/elf_build_id.h"
#include "source/perf_data/perf_data_format.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    KALLSYMS_CHUNK_BYTES = 64 * 1024,
    NAMESPACE_COUNT = 7,
    BPF_FUNCTIONS_MOST = 256,
    CGROUP_DEPTH_MOST = 32
};

struct writing {
    struct text *out;
    const struct recorder_existing_request *request;
    const struct kernel *kernel;
    const struct sysroot *root;
    struct hashmap known_files; /* of (device, inode) to an index in ids */
    vec(struct build_id) ids;
};

/* Records. */

static size_t record_begin(struct text *out, uint32_t type, uint16_t misc)
{
    size_t at = out->length;
    struct perf_event_header header = {.type = type, .misc = misc};
    text_append(out, (const char *)&header, sizeof(header));
    return at;
}

static void add_u16(struct text *out, uint16_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

static void add_u32(struct text *out, uint32_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

static void add_u64(struct text *out, uint64_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

static void add_padded_string(struct text *out, const char *string)
{
    size_t size = strlen(string) + 1;
    text_append(out, string, size);
    text_append(out, (const char[8]){0}, -size & 7);
}

static void record_end(struct text *out, size_t at)
{
    text_append(out, (const char[RECORDER_TRAILER_BYTES]){0}, RECORDER_TRAILER_BYTES);
    size_t size = out->length - at;
    uint16_t stored = (uint16_t)size;
    if (size > PERF_DATA_RECORD_MOST)
        out->length = at; /* a name as long as that has no place in a record */
    else
        memcpy(out->bytes + at + offsetof(struct perf_event_header, size), &stored, sizeof(stored));
}

struct mapping {
    uint32_t pid, tid;
    uint64_t start, end, file_offset;
    uint32_t device_major, device_minor, protection, flags;
    uint64_t inode;
    const char *path;
    struct build_id id;
    uint16_t misc;
};

static void add_mapping(struct text *out, const struct mapping *mapping)
{
    bool has_id = mapping->id.size_bytes != 0;
    size_t at = record_begin(out, PERF_RECORD_MMAP2,
                             (uint16_t)(mapping->misc | (has_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0)));
    add_u32(out, mapping->pid);
    add_u32(out, mapping->tid);
    add_u64(out, mapping->start);
    add_u64(out, mapping->end - mapping->start);
    add_u64(out, mapping->file_offset);
    if (has_id) {
        add_u32(out, mapping->id.size_bytes);
        text_append(out, (const char *)mapping->id.bytes, sizeof(mapping->id.bytes));
    } else {
        add_u32(out, mapping->device_major);
        add_u32(out, mapping->device_minor);
        add_u64(out, mapping->inode);
        add_u64(out, 0);
    }
    add_u32(out, mapping->protection);
    add_u32(out, mapping->flags);
    add_padded_string(out, mapping->path);
    record_end(out, at);
}

/* The kernel. */

struct kernel_text {
    uint64_t start, end; /* 0: not known */
    const char *symbol;
    bool addresses_shown; /* else every one of them is 0: kptr_restrict */
};

static void look_at_symbol(struct view line, struct kernel_text *text)
{
    struct view addr_word = view_word(&line);
    view_word(&line);
    struct view name = view_word(&line);
    uint64_t addr;
    bool is_text = view_equal(name, "_text"), is_stext = view_equal(name, "_stext");
    text->addresses_shown |= addr_word.length > 1 && addr_word.text[addr_word.length - 1] != '0';
    if (!is_text && !is_stext && !view_equal(name, "_etext"))
        return;
    if (!view_u64(addr_word, 16, &addr) || addr == 0)
        return;
    if (is_text || (is_stext && !text->start)) {
        text->start = addr;
        text->symbol = is_text ? "_text" : "_stext";
    } else if (!is_stext) {
        text->end = addr;
    }
}

/* Where the code is in physical memory tells its size without reading all of kallsyms. */
static uint64_t kernel_code_bytes(const struct sysroot *root)
{
    scoped_text struct text iomem = {0};
    struct view rest, line;
    if (!sysroot_read(root, &iomem, NULL, "/proc/iomem"))
        return 0;
    rest = (struct view){iomem.bytes, iomem.length};
    while (view_line(&rest, &line)) {
        uint64_t first, last;
        if (!view_ends(line, ": Kernel code"))
            continue;
        struct view start = view_trim(view_cut(&line, '-'));
        if (view_u64(start, 16, &first) && view_u64(view_word(&line), 16, &last) && last > first)
            return last - first + 1;
    }
    return 0;
}

/* Read kallsyms only as far as needed: the whole of it takes 30 ms. */
static void find_kernel_text(const struct sysroot *root, struct kernel_text *text)
{
    uint64_t code_bytes = kernel_code_bytes(root);
    scoped_fd int fd = sysroot_open(root, "/proc/kallsyms");
    scoped_free char *chunk = memory_alloc(KALLSYMS_CHUNK_BYTES);
    size_t kept = 0;
    ssize_t got = 0;
    while (fd >= 0 && (got = read(fd, chunk + kept, KALLSYMS_CHUNK_BYTES - kept)) > 0) {
        size_t size = kept + (size_t)got;
        const char *end = memrchr(chunk, '\n', size);
        size_t whole = end ? (size_t)(end - chunk) + 1 : size;
        struct view rest = {chunk, whole}, line;
        while (view_line(&rest, &line))
            look_at_symbol(line, text);
        kept = size - whole;
        memmove(chunk, chunk + whole, kept);
        if (text->start && strcmp(text->symbol, "_text") == 0 && code_bytes)
            text->end = text->start + code_bytes;
        if ((text->start && text->end) || !text->addresses_shown)
            break;
    }
}

static bool notes_build_id(const struct sysroot *root, struct build_id *ret_id, const char *path)
{
    scoped_text struct text notes = {0};
    return sysroot_read(root, &notes, NULL, "%s", path) &&
           elf_build_id_of_notes(notes.bytes, notes.length, false, ret_id);
}

static void add_kernel(struct writing *writing)
{
    struct kernel_text text = {0};
    find_kernel_text(writing->root, &text);
    if (!text.start || text.end <= text.start)
        return;
    char path[64];
    snprintf(path, sizeof(path), "[kernel.kallsyms]%s", text.symbol);
    struct mapping mapping = {
        .pid = (uint32_t)-1,
        .start = text.start,
        .end = text.end,
        .file_offset = text.start, /* readers relocate by comparing it with the symbol's address */
        .protection = PROT_EXEC,
        .path = path,
        .misc = PERF_RECORD_MISC_KERNEL,
    };
    if (!writing->request->build_ids || !notes_build_id(writing->root, &mapping.id, "/sys/kernel/notes"))
        mapping.id.size_bytes = 0;
    add_mapping(writing->out, &mapping);
}

/* The path of a module: the line "kernel/net/…/name.ko.xz: …" of modules.dep, in which '-' may stand for '_'. */
static bool module_file(const struct text *index, const char *release, const char *name, char *path, size_t path_size)
{
    struct view rest = text_view(index), line;
    size_t length = strlen(name);
    while (view_line(&rest, &line)) {
        struct view file = view_cut(&line, ':');
        const char *slash = memrchr(file.text, '/', file.length);
        size_t base = slash ? (size_t)(slash - file.text) + 1 : 0;
        struct view stem = view_skip(file, base);
        if (stem.length <= length || stem.text[length] != '.')
            continue;
        size_t at = 0;
        while (at < length && (stem.text[at] == name[at] || (stem.text[at] == '-' && name[at] == '_')))
            at++;
        if (at < length)
            continue;
        snprintf(path, path_size, "/lib/modules/%s/%.*s", release, (int)file.length, file.text);
        return true;
    }
    return false;
}

static void add_module(struct writing *writing, const struct text *index, const char *release, struct view line)
{
    char name[64], path[PATH_MAX], notes[256];
    struct view words[6];
    uint64_t size, addr;
    for (size_t at = 0; at < array_count(words); at++)
        words[at] = view_word(&line);
    if (!view_u64(words[1], 10, &size) || !view_starts(words[5], "0x") || !view_u64(words[5], 0, &addr) || !addr)
        return;
    snprintf(name, sizeof(name), "%.*s", (int)words[0].length, words[0].text);
    if (!module_file(index, release, name, path, sizeof(path)))
        snprintf(path, sizeof(path), "[%s]", name);
    struct mapping mapping = {.pid = (uint32_t)-1, .start = addr, .end = addr + size, .protection = PROT_EXEC,
                              .path = path, .misc = PERF_RECORD_MISC_KERNEL};
    snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", name);
    if (!writing->request->build_ids || !notes_build_id(writing->root, &mapping.id, notes))
        mapping.id.size_bytes = 0;
    add_mapping(writing->out, &mapping);
}

static void add_modules(struct writing *writing)
{
    scoped_text struct text modules = {0}, index = {0};
    struct utsname machine;
    if (!sysroot_read(writing->root, &modules, NULL, "/proc/modules") || !modules.length || uname(&machine) != 0)
        return;
    if (!sysroot_read(writing->root, &index, NULL, "/lib/modules/%s/modules.dep", machine.release))
        text_clear(&index);
    struct view rest = text_view(&modules), line;
    while (view_line(&rest, &line))
        add_module(writing, &index, machine.release, line);
}

/* BPF programs. */

static int bpf_call(const struct writing *writing, int command, union bpf_attr *attr)
{
    return writing->kernel->bpf(writing->kernel->context, command, attr, sizeof(*attr));
}

static void add_bpf_event(struct text *out, const struct bpf_prog_info *info)
{
    enum { LOADED = 1 };
    size_t at = record_begin(out, PERF_RECORD_BPF_EVENT, 0);
    add_u16(out, LOADED);
    add_u16(out, 0);
    add_u32(out, info->id);
    text_append(out, (const char *)info->tag, sizeof(info->tag));
    record_end(out, at);
}

static void add_bpf_function(struct text *out, const struct bpf_prog_info *info, const uint8_t *tag, uint64_t addr,
                             uint32_t size)
{
    enum { BPF_KSYMBOL = 1 };
    scoped_text struct text name = {0};
    text_add(&name, "bpf_prog_");
    for (size_t at = 0; at < sizeof(info->tag); at++)
        text_printf(&name, "%02x", tag[at]);
    if (info->name[0])
        text_printf(&name, "_%.*s", (int)sizeof(info->name), info->name);
    size_t at = record_begin(out, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL);
    add_u64(out, addr);
    add_u32(out, size);
    add_u16(out, BPF_KSYMBOL);
    add_u16(out, 0);
    add_padded_string(out, name.bytes);
    record_end(out, at);
}

static void add_bpf_program(struct writing *writing, int fd)
{
    uint64_t addrs[BPF_FUNCTIONS_MOST];
    uint32_t sizes[BPF_FUNCTIONS_MOST];
    uint8_t tags[BPF_FUNCTIONS_MOST][8];
    struct bpf_prog_info info = {
        .nr_jited_ksyms = BPF_FUNCTIONS_MOST,
        .jited_ksyms = (uint64_t)(uintptr_t)addrs,
        .nr_jited_func_lens = BPF_FUNCTIONS_MOST,
        .jited_func_lens = (uint64_t)(uintptr_t)sizes,
        .nr_prog_tags = BPF_FUNCTIONS_MOST,
        .prog_tags = (uint64_t)(uintptr_t)tags,
    };
    union bpf_attr attr = {.info = {.bpf_fd = (uint32_t)fd, .info_len = sizeof(info),
                                    .info = (uint64_t)(uintptr_t)&info}};
    if (bpf_call(writing, BPF_OBJ_GET_INFO_BY_FD, &attr) != 0)
        return;
    uint32_t count = info.nr_jited_ksyms < BPF_FUNCTIONS_MOST ? info.nr_jited_ksyms : BPF_FUNCTIONS_MOST;
    for (uint32_t at = 0; at < count && at < info.nr_jited_func_lens; at++)
        if (addrs[at])
            add_bpf_function(writing->out, &info, at < info.nr_prog_tags ? tags[at] : info.tag, addrs[at], sizes[at]);
    add_bpf_event(writing->out, &info);
}

static void add_bpf_programs(struct writing *writing)
{
    union bpf_attr attr = {0};
    while (bpf_call(writing, BPF_PROG_GET_NEXT_ID, &attr) == 0) {
        uint32_t id = attr.next_id;
        attr = (union bpf_attr){.prog_id = id};
        scoped_fd int fd = bpf_call(writing, BPF_PROG_GET_FD_BY_ID, &attr);
        if (fd >= 0)
            add_bpf_program(writing, fd);
        attr = (union bpf_attr){.start_id = id};
    }
}

/* Processes. */

static void add_comm(struct text *out, uint32_t pid, uint32_t tid, const char *comm)
{
    size_t at = record_begin(out, PERF_RECORD_COMM, 0);
    add_u32(out, pid);
    add_u32(out, tid);
    add_padded_string(out, comm);
    record_end(out, at);
}

static void add_fork(struct text *out, uint32_t pid, uint32_t tid, uint32_t parent)
{
    size_t at = record_begin(out, PERF_RECORD_FORK, 0);
    add_u32(out, pid);
    add_u32(out, parent);
    add_u32(out, tid);
    add_u32(out, parent);
    add_u64(out, 0); /* time */
    record_end(out, at);
}

static void add_namespaces(struct writing *writing, uint32_t pid)
{
    static const char *const names[NAMESPACE_COUNT] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
    struct stat status[NAMESPACE_COUNT];
    for (size_t at = 0; at < NAMESPACE_COUNT; at++) {
        scoped_fd int fd = sysroot_open(writing->root, "/proc/%u/ns/%s", pid, names[at]);
        if (fd < 0 || fstat(fd, &status[at]) != 0)
            return;
    }
    size_t begin = record_begin(writing->out, PERF_RECORD_NAMESPACES, 0);
    add_u32(writing->out, pid);
    add_u32(writing->out, pid);
    add_u64(writing->out, NAMESPACE_COUNT);
    for (size_t at = 0; at < NAMESPACE_COUNT; at++) {
        add_u64(writing->out, status[at].st_dev);
        add_u64(writing->out, status[at].st_ino);
    }
    record_end(writing->out, begin);
}

static bool read_file_build_id(const struct writing *writing, const struct mapping *mapping, struct build_id *ret_id)
{
    scoped_fd int fd = sysroot_open(writing->root, "/proc/%u/root%s", mapping->pid, mapping->path);
    struct stat status;
    /* A file that was replaced since it was mapped has another inode, and another id. */
    return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == mapping->inode &&
           elf_build_id_read(fd, ret_id);
}

static struct build_id file_build_id(struct writing *writing, const struct mapping *mapping)
{
    uint64_t device = (uint64_t)mapping->device_major << 32 | mapping->device_minor;
    uint64_t key = hash_combine(hash_u64(device), mapping->inode);
    uint32_t known = hashmap_find(&writing->known_files, key, NULL, NULL, NULL);
    if (known != HASHMAP_ABSENT)
        return writing->ids.items[known];
    struct build_id id = {0};
    if (!read_file_build_id(writing, mapping, &id))
        id.size_bytes = 0;
    hashmap_add(&writing->known_files, key, (uint32_t)writing->ids.count);
    *vec_push(&writing->ids) = id;
    return id;
}

/* "7f…-7f… r-xp 00001000 fe:00 332383   /usr/lib/…"; the path may hold blanks. */
static bool parse_mapping(struct view line, struct mapping *mapping, char *path, size_t path_size)
{
    struct view range = view_word(&line), rights = view_word(&line), offset = view_word(&line),
                device = view_word(&line), inode = view_word(&line), start = view_cut(&range, '-'),
                major = view_cut(&device, ':'), name = view_trim(line);
    uint64_t device_major, device_minor;
    if (rights.length < 4 || !view_u64(start, 16, &mapping->start) || !view_u64(range, 16, &mapping->end) ||
        !view_u64(offset, 16, &mapping->file_offset) || !view_u64(major, 16, &device_major) ||
        !view_u64(device, 16, &device_minor) || !view_u64(inode, 10, &mapping->inode))
        return false;
    mapping->device_major = (uint32_t)device_major;
    mapping->device_minor = (uint32_t)device_minor;
    mapping->protection = (rights.text[0] == 'r' ? PROT_READ : 0) | (rights.text[1] == 'w' ? PROT_WRITE : 0) |
                          (rights.text[2] == 'x' ? PROT_EXEC : 0);
    mapping->flags = rights.text[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
    if (name.length)
        snprintf(path, path_size, "%.*s", (int)name.length, name.text);
    else
        snprintf(path, path_size, "//anon");
    mapping->path = path;
    return true;
}

static void add_mappings(struct writing *writing, uint32_t pid)
{
    scoped_text struct text maps = {0};
    char path[PATH_MAX];
    struct view rest, line;
    if (!sysroot_read(writing->root, &maps, NULL, "/proc/%u/maps", pid))
        return;
    rest = (struct view){maps.bytes, maps.length};
    while (view_line(&rest, &line)) {
        struct mapping mapping = {.pid = pid, .tid = pid, .misc = PERF_RECORD_MISC_USER};
        if (!parse_mapping(line, &mapping, path, sizeof(path)))
            continue;
        bool executable = mapping.protection & PROT_EXEC;
        if (!executable && !writing->request->data_mappings)
            continue;
        if (!executable)
            mapping.misc |= PERF_RECORD_MISC_MMAP_DATA;
        else if (writing->request->build_ids && path[0] == '/' && mapping.inode)
            mapping.id = file_build_id(writing, &mapping);
        add_mapping(writing->out, &mapping);
    }
}

/* Fields of /proc/PID/stat behind the name, which may hold anything: state, parent. */
static bool parent_of(const struct sysroot *root, uint32_t pid, uint32_t *ret_parent)
{
    char line[1024];
    uint64_t parent;
    if (!sysroot_line(root, line, sizeof(line), "/proc/%u/stat", pid))
        return false;
    const char *behind = strrchr(line, ')');
    struct view rest = view_of(behind ? behind + 1 : "");
    view_word(&rest);
    if (!view_u64(view_word(&rest), 10, &parent))
        return false;
    *ret_parent = (uint32_t)parent;
    return true;
}

static void add_thread(struct writing *writing, uint32_t pid, uint32_t tid, uint32_t parent)
{
    char comm[64];
    if (!sysroot_line(writing->root, comm, sizeof(comm), "/proc/%u/task/%u/comm", pid, tid))
        return;
    add_fork(writing->out, pid, tid, parent);
    if (pid == tid)
        add_namespaces(writing, pid);
    add_comm(writing->out, pid, tid, comm);
}

static void add_process(struct writing *writing, uint32_t pid)
{
    uint32_t parent;
    if (!parent_of(writing->root, pid, &parent))
        return;
    scoped_dir DIR *tasks = sysroot_opendir(writing->root, "/proc/%u/task", pid);
    add_thread(writing, pid, pid, parent);
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        uint64_t tid;
        if (view_u64(view_of(entry->d_name), 10, &tid) && tid != pid)
            add_thread(writing, pid, (uint32_t)tid, pid);
    }
    add_mappings(writing, pid);
}

static void add_all_processes(struct writing *writing)
{
    scoped_dir DIR *processes = sysroot_opendir(writing->root, "/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        uint64_t pid;
        if (view_u64(view_of(entry->d_name), 10, &pid))
            add_process(writing, (uint32_t)pid);
    }
}

static void add_target_processes(struct writing *writing)
{
    const struct target *target = writing->request->target;
    pid_t last = 0;
    for (size_t at = 0; at < target->thread_count; at++) {
        bool repeated = target->threads[at].pid == last;
        for (size_t before = 0; before < at && !repeated; before++)
            repeated = target->threads[before].pid == target->threads[at].pid;
        last = target->threads[at].pid;
        if (!repeated)
            add_process(writing, (uint32_t)last);
    }
}

static void add_cgroup_processes(struct writing *writing, int folder, int depth)
{
    scoped_fd int list = openat(folder, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    scoped_file FILE *file = list >= 0 ? fdopen(list, "r") : NULL;
    if (file)
        list = -1;
    for (char line[64]; file && fgets(line, sizeof(line), file);) {
        uint64_t pid;
        if (view_u64(view_trim(view_of(line)), 10, &pid))
            add_process(writing, (uint32_t)pid);
    }
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    scoped_dir DIR *children = again >= 0 ? fdopendir(again) : NULL;
    for (struct dirent *entry; depth < CGROUP_DEPTH_MOST && children && (entry = readdir(children));) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        scoped_fd int child = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (child >= 0)
            add_cgroup_processes(writing, child, depth + 1);
    }
}

/* Cgroups. */

static bool cgroup_id(int folder, uint64_t *ret_id)
{
    struct {
        struct file_handle handle;
        uint64_t id;
    } named = {.handle.handle_bytes = sizeof(uint64_t)};
    int mount_id;
    if (name_to_handle_at(folder, "", &named.handle, &mount_id, AT_EMPTY_PATH) != 0)
        return false;
    memcpy(ret_id, named.handle.f_handle, sizeof(*ret_id));
    return true;
}

static void add_cgroup(struct writing *writing, int folder, const char *path, int depth)
{
    uint64_t id;
    if (cgroup_id(folder, &id)) {
        size_t at = record_begin(writing->out, PERF_RECORD_CGROUP, 0);
        add_u64(writing->out, id);
        add_padded_string(writing->out, path[0] ? path : "/");
        record_end(writing->out, at);
    }
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    scoped_dir DIR *children = again >= 0 ? fdopendir(again) : NULL;
    for (struct dirent *entry; depth < CGROUP_DEPTH_MOST && children && (entry = readdir(children));) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        scoped_fd int child = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        scoped_free char *child_path = memory_printf("%s/%s", path, entry->d_name);
        if (child >= 0)
            add_cgroup(writing, child, child_path, depth + 1);
    }
}

static void add_cgroups(struct writing *writing)
{
    char mount[PATH_MAX];
    if (!cgroup_mount_find(writing->root, mount, sizeof(mount)))
        return;
    scoped_fd int folder = sysroot_open(writing->root, "%s", mount);
    if (folder >= 0)
        add_cgroup(writing, folder, "", 0);
}

void recorder_existing_add(struct text *out, const struct recorder_existing_request *request,
                           const struct kernel *kernel, const struct sysroot *root)
{
    struct writing writing = {.out = out, .request = request, .kernel = kernel, .root = root};
    if (request->kernel_code) {
        add_kernel(&writing);
        add_modules(&writing);
        if (request->bpf_programs)
            add_bpf_programs(&writing);
    }
    if (request->cgroups)
        add_cgroups(&writing);
    switch (request->target->kind) {
    case TARGET_WORKLOAD:
        add_namespaces(&writing, (uint32_t)request->target->threads[0].pid);
        add_comm(out, (uint32_t)request->target->threads[0].pid, (uint32_t)request->target->threads[0].tid, "plumb");
        break;
    case TARGET_PROCESSES:
    case TARGET_THREADS:
        add_target_processes(&writing);
        break;
    case TARGET_CPUS:
        add_all_processes(&writing);
        break;
    case TARGET_CGROUP:
        add_cgroup_processes(&writing, request->target->cgroup_fd, 0);
        break;
    }
    hashmap_done(&writing.known_files);
    vec_done(&writing.ids);
}
