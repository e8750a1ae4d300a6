/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who runs and what is mapped: threads and address spaces of the model, as records tell them. */
#ifndef PLUMB_CAPTURE_FILLING_TASKS_H
#define PLUMB_CAPTURE_FILLING_TASKS_H

#include "capture/filling/filling_state.h"

/* The thread of that number now, with an address space; a new one when nobody told of it. */
uint32_t capture_thread(struct capture *capture, uint32_t pid, uint32_t tid);
/* What was met is looked up anew: another source. */
void capture_forget_threads(struct capture_state *state);
/* Put what a record other than a sample says into the model. */
void capture_apply_task(struct capture *capture, const struct record *record);

#endif
