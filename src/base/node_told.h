/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On which of the machine's memory nodes does something run, by a sentence? */
#ifndef PLUMB_BASE_NODE_TOLD_H
#define PLUMB_BASE_NODE_TOLD_H

#include "base/text.h"

/* 1 of "python runs on node 1 (taskset 40-79)"; -1: it doesn't say so. */
int node_told_in(struct view sentence);

#endif
