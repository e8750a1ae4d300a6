/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/kernel_code.h"

#include "base/arena.h"
#include "base/scope.h"
#include "symbol/elf/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    CODE_BYTES_MOST = 1024 * 1024,
    KCORE_HEADER_BYTES = 64 * 1024
};

struct kernel_code {
    const struct symboliser_options *options;
    const struct recording *recording;
    struct dso_files *files;
    struct arena arena;
    bool linked_known;
    uint64_t linked_text; /* vmlinux's _text; 0: not found */
};

struct kernel_code *kernel_code_new(const struct symboliser_options *options, const struct recording *recording,
                                    struct dso_files *files)
{
    struct kernel_code *code = memory_alloc(sizeof(*code));
    *code = (struct kernel_code){.options = options, .recording = recording, .files = files};
    arena_init(&code->arena);
    return code;
}

void kernel_code_free(struct kernel_code *code)
{
    if (!code)
        return;
    arena_done(&code->arena);
    free(code);
}

void kernel_code_move(struct kernel_code *code, const struct recording *recording)
{
    code->recording = recording;
}

static uint64_t linked_text_addr(const struct elf_file *elf)
{
    struct symbol_index index = {0};
    elf_symbols_read(elf, SHT_SYMTAB, ELF_FUNCTIONS, &index);
    uint32_t at = symbol_index_named(&index, "_text");
    if (at == SYMBOL_INDEX_NONE)
        at = symbol_index_named(&index, "_stext");
    uint64_t addr = at == SYMBOL_INDEX_NONE ? 0 : index.symbols.items[at].start;
    symbol_index_done(&index);
    return addr;
}

static struct binary *vmlinux(struct kernel_code *code, struct error *err)
{
    uint32_t kernel = recorded_kernel_dso(code->recording);
    if (kernel != DSO_NONE)
        return dso_files_binary(code->files, kernel, err);
    error_set(err, ERROR_NOT_FOUND, "the recording maps no kernel");
    return NULL;
}

bool kernel_code_elf_addr(struct kernel_code *code, uint64_t runtime_addr, uint64_t *ret_addr)
{
    struct binary *binary = vmlinux(code, NULL);
    uint64_t recorded;
    if (!binary)
        return false;
    if (!code->linked_known) {
        code->linked_known = true;
        code->linked_text = linked_text_addr(&binary->elf);
    }
    bool known = recorded_kernel_text(code->recording, &recorded) && code->linked_text;
    *ret_addr = known ? runtime_addr + (code->linked_text - recorded) : runtime_addr;
    return true;
}

/* Where in /proc/kcore a kernel address is; false when no segment holds it. */
static bool kcore_place(int fd, uint64_t addr, uint64_t *ret_offset, uint64_t *ret_left)
{
    scoped_free uint8_t *header = memory_alloc(KCORE_HEADER_BYTES);
    ssize_t got = pread(fd, header, KCORE_HEADER_BYTES, 0);
    struct bytes at = bytes_of(header, got > 0 ? (size_t)got : 0, false);
    if (bytes_left(&at) < sizeof(Elf64_Ehdr) || memcmp(header, ELFMAG, SELFMAG) != 0 ||
        header[EI_CLASS] != ELFCLASS64)
        return false;
    Elf64_Ehdr elf;
    memcpy(&elf, header, sizeof(elf));
    for (size_t number = 0; number < elf.e_phnum; number++) {
        uint64_t place = elf.e_phoff + number * elf.e_phentsize;
        Elf64_Phdr segment;
        if (place > (uint64_t)got || (uint64_t)got - place < sizeof(segment))
            return false;
        memcpy(&segment, header + place, sizeof(segment));
        if (segment.p_type != PT_LOAD || addr < segment.p_vaddr || addr - segment.p_vaddr >= segment.p_filesz)
            continue;
        *ret_offset = segment.p_offset + (addr - segment.p_vaddr);
        *ret_left = segment.p_filesz - (addr - segment.p_vaddr);
        return true;
    }
    return false;
}

static bool kcore_read(struct kernel_code *code, uint64_t addr, uint64_t size_bytes, struct bytes_view *ret_bytes,
                       struct error *err)
{
    char release[256];
    const struct sysroot *root = code->options->root;
    if (code->options->kernel_release &&
        (!sysroot_line(root, release, sizeof(release), "/proc/sys/kernel/osrelease") ||
         strcmp(release, code->options->kernel_release) != 0))
        return error_set(err, ERROR_NOT_FOUND, "/proc/kcore is of another kernel");
    scoped_fd int fd = sysroot_open(root, "/proc/kcore");
    if (fd < 0)
        return error_system(err, errno, "can't read '/proc/kcore'");
    uint64_t offset, left;
    if (!kcore_place(fd, addr, &offset, &left))
        return error_set(err, ERROR_NOT_FOUND, "/proc/kcore doesn't hold 0x%llx", (unsigned long long)addr);
    if (size_bytes > left)
        size_bytes = left;
    uint8_t *bytes = arena_alloc(&code->arena, size_bytes);
    ssize_t got = pread(fd, bytes, size_bytes, (off_t)offset);
    if (got <= 0)
        return error_system(err, got < 0 ? errno : EIO, "can't read '/proc/kcore'");
    *ret_bytes = (struct bytes_view){bytes, (uint64_t)got};
    return true;
}

bool kernel_code_read(struct kernel_code *code, uint64_t runtime_addr, uint64_t size_bytes,
                      struct bytes_view *ret_bytes, const char **ret_path, struct error *err)
{
    struct error kcore_error = {0}, vmlinux_error = {0};
    uint64_t addr;
    if (size_bytes > CODE_BYTES_MOST)
        size_bytes = CODE_BYTES_MOST;
    bool asked_for = code->options->vmlinux_path != NULL;
    if (!asked_for && kcore_read(code, runtime_addr, size_bytes, ret_bytes, &kcore_error)) {
        *ret_path = "/proc/kcore";
        return true;
    }
    struct binary *binary = vmlinux(code, &vmlinux_error);
    if (binary && kernel_code_elf_addr(code, runtime_addr, &addr)) {
        *ret_bytes = elf_bytes_at(&binary->elf, addr, size_bytes);
        *ret_path = binary->path;
        if (ret_bytes->size_bytes)
            return true;
        error_set(&vmlinux_error, ERROR_NOT_FOUND, "'%s' holds no bytes at 0x%llx", binary->path,
                  (unsigned long long)addr);
    }
    error_set(err, ERROR_NOT_FOUND, "%s%s%s", kcore_error.message, asked_for ? "" : "; ", vmlinux_error.message);
    bool forbidden = kcore_error.sys_errno == EACCES || kcore_error.sys_errno == EPERM;
    return error_hint(err, "name the kernel's vmlinux with -k%s",
                      forbidden ? ", or run plumb as root: /proc/kcore is for root" : "");
}
