/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Release by scope: a variable declared `scoped_fd int fd = -1;` is released when it leaves its block.
 * Hand ownership over with fd_steal(&fd), pointer_steal(&p).
 */
#ifndef PLUMB_BASE_SCOPE_H
#define PLUMB_BASE_SCOPE_H

#include <dirent.h>
#include <stdio.h>
#include <sys/types.h>

#define scoped(release_function) __attribute__((cleanup(release_function)))

void scope_free(void *pointer_to_pointer);
void scope_close(const int *fd);
void scope_fclose(FILE **file);
void scope_closedir(DIR **dir);
/* Kill (SIGKILL) and reap the child, when *pid > 0. */
void scope_kill_child(const pid_t *pid);

#define scoped_free  scoped(scope_free)
#define scoped_fd    scoped(scope_close)
#define scoped_file  scoped(scope_fclose)
#define scoped_dir   scoped(scope_closedir)
#define scoped_child scoped(scope_kill_child)

static inline int fd_steal(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

#define pointer_steal(pointer)                                                                                    \
    ({                                                                                                            \
        __auto_type taken_ = *(pointer);                                                                          \
        *(pointer) = NULL;                                                                                        \
        taken_;                                                                                                   \
    })

#endif
