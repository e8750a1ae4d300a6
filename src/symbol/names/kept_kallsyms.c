/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/kept_kallsyms.h"

#include "base/cache_folder.h"
#include "base/hashmap.h"
#include "base/own_file.h"
#include "base/scope.h"
#include "system/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BYTES_MOST = 64 << 20,
    HEAD_BYTES = 32, /* a line that is no symbol's: what the table holds for */
    BPF_PROGRAMS_MOST = 1 << 16,
};

/* Name, size and where it is; how often it is used changes all the time. */
static uint64_t hash_module(uint64_t hash, struct view line)
{
    enum { NAME, SIZE, USES, USERS, STATE, ADDRESS, WORDS };
    for (int at = 0; at < WORDS; at++) {
        struct view word = view_word(&line);
        if (at == NAME || at == SIZE || at == ADDRESS)
            hash = hash_combine(hash, hash_bytes(word.text, word.length));
    }
    return hash;
}

/* A kernel that takes no modules has no list of them. */
static bool hash_modules(const struct sysroot *root, uint64_t *hash)
{
    scoped_text struct text modules = {0};
    struct error err = {0};
    if (!sysroot_read(root, &modules, &err, "/proc/modules"))
        return err.kind == ERROR_NOT_FOUND;
    struct view rest = text_view(&modules), line;
    while (view_line(&rest, &line))
        *hash = hash_module(*hash, line);
    return true;
}

/* Their numbers are never used again. */
static bool hash_bpf_programs(uint64_t *hash)
{
    const struct kernel *kernel = kernel_live();
    union bpf_attr attr = {0};
    for (int at = 0; at < BPF_PROGRAMS_MOST; at++) {
        if (kernel->bpf(kernel->context, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) != 0)
            return errno == ENOENT;
        *hash = hash_combine(*hash, attr.next_id);
        attr.start_id = attr.next_id;
    }
    return false;
}

/* What a table of now holds for; false: that can't be told. */
static bool head_of(const struct sysroot *root, char ret_head[HEAD_BYTES + 1])
{
    char boot[BOOT_ID_BYTES];
    if (!sysroot_boot_id(root, boot))
        return false;
    uint64_t hash = hash_bytes(boot, strlen(boot));
    if (!hash_modules(root, &hash) || !hash_bpf_programs(&hash))
        return false;
    snprintf(ret_head, HEAD_BYTES + 1, "# kallsyms of %016" PRIx64 " \n", hash);
    return true;
}

/* Nobody else's, nor anybody else's to read: addresses of the kernel's code are a secret on many machines. */
static bool is_own(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 077) && status.st_size > HEAD_BYTES &&
           status.st_size <= BYTES_MOST;
}

static bool read_on(int fd, struct text *text)
{
    char buffer[65536];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof(buffer))) > 0 && text->length < BYTES_MOST)
        text_append(text, buffer, (size_t)got);
    return got == 0;
}

bool kept_kallsyms_read(const struct sysroot *root, struct text *ret_text)
{
    char folder[PATH_MAX], path[PATH_MAX + 16], head[HEAD_BYTES + 1], kept[HEAD_BYTES];
    if (!sysroot_is_live(root) || !cache_folder(folder))
        return false;
    snprintf(path, sizeof(path), "%s/kallsyms", folder);
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || !is_own(fd) || !head_of(root, head) || read(fd, kept, sizeof(kept)) != (ssize_t)sizeof(kept) || memcmp(kept, head, sizeof(kept)) != 0)
        return false;
    if (read_on(fd, ret_text))
        return true;
    text_clear(ret_text);
    return false;
}

static bool write_whole(int fd, const char *bytes, size_t size_bytes)
{
    while (size_bytes) {
        ssize_t written = write(fd, bytes, size_bytes);
        if (written <= 0)
            return false;
        bytes += written;
        size_bytes -= (size_t)written;
    }
    return true;
}

void kept_kallsyms_write(const struct sysroot *root, struct view text)
{
    char folder[PATH_MAX], path[PATH_MAX + 16], unfinished[PATH_MAX + 32], head[HEAD_BYTES + 1];
    if (!sysroot_is_live(root) || !cache_folder(folder) || text.length > BYTES_MOST - HEAD_BYTES || !head_of(root, head))
        return;
    cache_folder_make(folder);
    snprintf(path, sizeof(path), "%s/kallsyms", folder);
    snprintf(unfinished, sizeof(unfinished), "%s.%d", path, (int)getpid());
    scoped_fd int fd = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    if (!write_whole(fd, head, HEAD_BYTES) || !write_whole(fd, text.text, text.length) || rename(unfinished, path) != 0)
        (void)own_file_remove(fd, unfinished);
}
