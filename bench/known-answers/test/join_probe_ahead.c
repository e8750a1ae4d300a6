/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same probe, with the slot of the sixteenth next key prefetched. */
#define AHEAD 16
#include "join_probe.c"
