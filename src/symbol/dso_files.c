/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dso_files.h"

#include "base/arena.h"
#include "base/file/file_fault.h"
#include "base/scope.h"
#include "base/vec.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct dso_file {
    bool searched, found, debug_searched, image_searched;
    struct bytes_view image; /* of a file that is no ELF file */
    struct binary binary;
    struct error error; /* why it wasn't found */
};

struct dso_files {
    const struct recording *recording;
    const struct symboliser_options *options;
    struct dso_file **items; /* by dso; NULL: not asked for */
    size_t capacity;
};

struct dso_files *dso_files_new(const struct recording *recording, const struct symboliser_options *options)
{
    struct dso_files *files = memory_alloc(sizeof(*files));
    *files = (struct dso_files){.recording = recording, .options = options};
    return files;
}

void dso_files_free(struct dso_files *files)
{
    if (!files)
        return;
    for (size_t at = 0; at < files->capacity; at++)
        if (files->items[at]) {
            binary_done(&files->items[at]->binary);
            if (files->items[at]->image.size_bytes)
                munmap((void *)(uintptr_t)files->items[at]->image.bytes, files->items[at]->image.size_bytes);
            free(files->items[at]);
        }
    free(files->items);
    free(files);
}

void dso_files_move(struct dso_files *files, const struct recording *recording)
{
    files->recording = recording;
}

uint32_t recorded_kernel_dso(const struct recording *recording)
{
    for (size_t at = 0; at < recording->spaces.dso_count; at++)
        if (recording->spaces.dsos[at].kind == DSO_KERNEL)
            return (uint32_t)at;
    return DSO_NONE;
}

bool recorded_kernel_text(const struct recording *recording, uint64_t *ret_addr)
{
    if (recording->kernel_text_addr)
        *ret_addr = recording->kernel_text_addr;
    return recording->kernel_text_addr != 0;
}

/* Size of the ELF image at base: up to the end of its section headers or segments. Our own vdso only. */
static size_t image_bytes(const uint8_t *base)
{
    Elf64_Ehdr header;
    memcpy(&header, base, sizeof(header));
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    size_t end = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
    for (size_t at = 0; at < header.e_phnum; at++) {
        Elf64_Phdr segment;
        memcpy(&segment, base + header.e_phoff + at * header.e_phentsize, sizeof(segment));
        if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > end)
            end = segment.p_offset + segment.p_filesz;
    }
    return end;
}

static bool vdso_find(struct binary *binary, const struct dso_files *files, const struct build_id *wanted,
                      struct error *err)
{
    *binary = (struct binary){.fd = -1, .debug_fd = -1};
    const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    char release[256];
    if (!image || !sysroot_is_live(files->options->root))
        return error_set(err, ERROR_NOT_FOUND, "the vdso's image is not at hand");
    if (!elf_file_of_bytes(&binary->elf, image, image_bytes(image), err))
        return error_wrap(err, "our own vdso");
    struct build_id ours = elf_build_id(&binary->elf);
    bool known_release = files->options->kernel_release &&
                         sysroot_line(files->options->root, release, sizeof(release), "/proc/sys/kernel/osrelease");
    bool fits = wanted->size_bytes ? build_id_equal(wanted, &ours)
                                   : !known_release || strcmp(release, files->options->kernel_release) == 0;
    const char *architecture = elf_architecture(&binary->elf);
    if (!fits || !architecture || strcmp(architecture, files->recording->architecture) != 0) {
        elf_file_close(&binary->elf);
        return error_set(err, ERROR_NOT_FOUND, "the recorded vdso is another kernel's than this machine's");
    }
    binary->path = memory_string("[vdso]");
    return true;
}

static bool vmlinux_at(struct binary *binary, const struct binary_request *like, const char *path, struct error *err)
{
    struct binary_request request = *like;
    request.path = path;
    return binary_find(binary, &request, err);
}

/* Add the places of a search that aren't listed yet; a list is for reading, so it ends after a few. */
static void tried_add(struct text *tried, size_t *left_out, const char *more)
{
    enum { TRIED_BYTES_MOST = 200 };
    for (const char *end; *more; more = end) {
        const char *next = strstr(more, ", '");
        end = next ? next + 2 : more + strlen(more);
        scoped_free char *place = memory_printf("%.*s", (int)((next ? next : end) - more), more);
        if (strstr(text_string(tried), place))
            continue;
        if (tried->length + strlen(place) > TRIED_BYTES_MOST)
            ++*left_out;
        else
            text_printf(tried, "%s%s", tried->length ? ", " : "", place);
    }
}

/* The kernel's own ELF file: the one asked for, or one whose build id is the recorded kernel's. */
static bool vmlinux_find(struct binary *binary, const struct dso_files *files, const struct binary_request *like,
                         struct error *err)
{
    static const char *const places[] = {"/boot/vmlinux-%s", "/usr/lib/debug/boot/vmlinux-%s",
                                         "/usr/lib/debug/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux"};
    const struct symboliser_options *options = files->options;
    if (options->vmlinux_path) {
        struct binary_request asked = *like;
        asked.symbol_folder = NULL;
        char resolved[4096];
        if (!realpath(options->vmlinux_path, resolved))
            return error_system(err, 2, "can't open '%s'", options->vmlinux_path);
        return vmlinux_at(binary, &asked, resolved, err);
    }
    scoped_text struct text tried = {0};
    size_t left_out = 0;
    if (!options->kernel_release && !like->build_id.size_bytes)
        return error_set(err, ERROR_NOT_FOUND, "the recording names neither release nor build id of its kernel");
    for (size_t at = 0; options->kernel_release && at < array_count(places); at++) {
        scoped_text struct text path = {0};
        text_printf(&path, places[at], options->kernel_release);
        if (vmlinux_at(binary, like, text_string(&path), err))
            return true;
        tried_add(&tried, &left_out, text_string(&binary->tried));
        binary_done(binary);
    }
    if (like->build_id.size_bytes && vmlinux_at(binary, like, "/vmlinux", err)) /* by build id, in the cache */
        return true;
    if (left_out)
        text_printf(&tried, " and %zu places more", left_out);
    error_set(err, ERROR_NOT_FOUND, "no vmlinux of the recorded kernel: tried %s", text_string(&tried));
    return error_hint(err, "install the kernel's debug package, or name its file with -k");
}

static void dso_file_search(struct dso_files *files, uint32_t dso, struct dso_file *file)
{
    const struct dso *info = &files->recording->spaces.dsos[dso];
    struct binary_request request = {
        .root = files->options->root,
        .symbol_folder = files->options->symbol_folder,
        .recording = files->recording,
        .dso = dso,
        .path = strings_text(&files->recording->strings, info->path),
        .build_id = info->build_id,
        .pid = info->owner_pid == UINT32_MAX ? 0 : info->owner_pid, /* the kernel's */
        .debuginfod = files->options->debuginfod,
    };
    file->searched = true;
    if (info->kind == DSO_VDSO)
        file->found = vdso_find(&file->binary, files, &info->build_id, &file->error);
    else if (info->kind == DSO_KERNEL)
        file->found = vmlinux_find(&file->binary, files, &request, &file->error);
    else if (info->kind == DSO_FILE || info->kind == DSO_MODULE)
        file->found = binary_find(&file->binary, &request, &file->error);
    else
        error_set(&file->error, ERROR_NOT_FOUND, "'%s' is no file", request.path);
}

static struct dso_file *dso_file_of(struct dso_files *files, uint32_t dso)
{
    if (dso >= files->capacity) {
        size_t before = files->capacity, wanted = files->recording->spaces.dso_count;
        files->items = memory_resize(files->items, memory_product(wanted, sizeof(struct dso_file *)));
        files->capacity = wanted;
        memset(files->items + before, 0, (wanted - before) * sizeof(struct dso_file *));
    }
    if (!files->items[dso]) {
        files->items[dso] = memory_alloc(sizeof(struct dso_file));
        *files->items[dso] = (struct dso_file){.binary = {.fd = -1, .debug_fd = -1}};
    }
    return files->items[dso];
}

struct binary *dso_files_binary(struct dso_files *files, uint32_t dso, struct error *err)
{
    if (dso >= files->recording->spaces.dso_count) {
        error_set(err, ERROR_NOT_FOUND, "no such dso");
        return NULL;
    }
    struct dso_file *file = dso_file_of(files, dso);
    if (!file->searched)
        dso_file_search(files, dso, file);
    if (!file->found && err)
        *err = file->error;
    return file->found ? &file->binary : NULL;
}

struct binary *dso_files_debug(struct dso_files *files, uint32_t dso, struct error *err)
{
    struct binary *binary = dso_files_binary(files, dso, err);
    if (!binary)
        return NULL;
    struct dso_file *file = dso_file_of(files, dso);
    if (!file->debug_searched && binary->fd >= 0) {
        const struct dso *info = &files->recording->spaces.dsos[dso];
        struct binary_request request = {
            .root = files->options->root,
            .symbol_folder = files->options->symbol_folder,
            .path = strings_text(&files->recording->strings, info->path),
            .build_id = info->build_id,
            .debuginfod = files->options->debuginfod,
        };
        binary_find_debug(binary, &request); /* its absence is in binary->tried */
    }
    file->debug_searched = true;
    return binary;
}

static struct bytes_view image_open(const struct dso_files *files, const struct dso *info)
{
    const char *folder = files->options->symbol_folder ? files->options->symbol_folder : "";
    const char *path = strings_text(&files->recording->strings, info->path);
    struct stat status;
    scoped_fd int fd = path[0] == '/' ? sysroot_open(files->options->root, "%s%s", folder, path) : -1;
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return (struct bytes_view){0};
    file_faults_survive();
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    return bytes == MAP_FAILED ? (struct bytes_view){0} : (struct bytes_view){bytes, (size_t)status.st_size};
}

struct bytes_view dso_files_image(struct dso_files *files, uint32_t dso, uint64_t offset, uint64_t size_bytes)
{
    const struct dso *info = &files->recording->spaces.dsos[dso];
    struct dso_file *file = dso_file_of(files, dso);
    bool is_other = info->kind == DSO_FILE && !info->build_id.size_bytes;
    if (!file->image_searched && is_other && !dso_files_binary(files, dso, NULL))
        file->image = image_open(files, info);
    file->image_searched = true;
    bool is_elf = file->image.size_bytes >= SELFMAG && memcmp(file->image.bytes, ELFMAG, SELFMAG) == 0;
    if (is_elf || offset >= file->image.size_bytes) /* a damaged one is no image of code */
        return (struct bytes_view){0};
    uint64_t left = file->image.size_bytes - offset;
    return (struct bytes_view){file->image.bytes + offset, left < size_bytes ? left : size_bytes};
}
