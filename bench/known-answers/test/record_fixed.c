/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of record_walk: records of one length. */
#define FIXED 1
#include "record_walk.c"
