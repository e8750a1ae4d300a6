/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of packet_check: the table's index does not wait for the last step. */
#define FREE 1
#include "packet_check.c"
