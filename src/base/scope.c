/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void scope_free(void *pointer_to_pointer)
{
    free(*(void **)pointer_to_pointer);
}

void scope_close(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

void scope_fclose(FILE **file)
{
    if (*file)
        fclose(*file);
}

void scope_closedir(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

void scope_kill_child(const pid_t *pid)
{
    if (*pid <= 0)
        return;
    kill(*pid, SIGKILL);
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
