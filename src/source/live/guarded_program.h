/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the kernel end our counting when this program is executed?
 *
 * It detaches every event from a task whose exec makes it more than its user may look into: setuid and setgid programs
 * of others, programs with file capabilities, programs that may be executed but not read (begin_new_exec() in
 * fs/exec.c). What was counted until then stays, and reads as a small number, which must not be taken for the
 * program's.
 */
#ifndef PLUMB_SOURCE_LIVE_GUARDED_PROGRAM_H
#define PLUMB_SOURCE_LIVE_GUARDED_PROGRAM_H

/* Why, in words ("setuid"), or NULL: it doesn't. Looks the program up as execvp does. */
const char *guarded_program_why(const char *program);

#endif
