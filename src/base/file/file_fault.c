/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/file_fault.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The page that isn't in the file any more becomes one of zeros; what can't be mended so ends us as it would have. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE); /* async-signal-safe: signal-safety(7) */
    void *page = (void *)((uintptr_t)info->si_addr & ~(uintptr_t)(page_bytes - 1));
    bool mended = info->si_code == BUS_ADRERR &&
                  mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (!mended)
        signal(number, SIG_DFL);
    errno = saved;
}

void file_faults_survive(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

struct file_stamp file_stamp_of(int fd)
{
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return (struct file_stamp){.known = false};
    return (struct file_stamp){status.st_size, nanoseconds(status.st_mtim), true};
}

bool file_stamp_changed(const struct file_stamp *stamp, int fd)
{
    struct file_stamp now = file_stamp_of(fd);
    return stamp->known && now.known && (now.size_bytes != stamp->size_bytes || now.modified_ns != stamp->modified_ns);
}
