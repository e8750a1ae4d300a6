/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of digest: four messages at once. */
#define MESSAGES 4
#include "digest.c"
