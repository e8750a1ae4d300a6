/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which frames of a stack stand between the program and the kernel, so that what they call isn't what the program does?
 *
 * By the file's name, else by the function's. Does not support: libraries of a program's own.
 */
#ifndef PLUMB_ANALYSE_TIME_LIBRARY_FRAMES_H
#define PLUMB_ANALYSE_TIME_LIBRARY_FRAMES_H

#include "model/recording.h"

/* Of the C library, C++'s, OpenMP's. */
bool frame_is_library(const struct recording *recording, uint32_t location);
/* Of a program that carries its C library within itself: what of it calls or waits. */
bool frame_is_library_function(const char *name);
/* What wraps such calls and is compiled into the program. */
bool frame_is_wrapper(const char *name);

#endif
