/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How are rows called that tell where a process runs, and where its memory was looked at? source/import writes them,
 * finding reads them (IMPORTED_PLACES).
 */
#ifndef PLUMB_BASE_PLACE_NAMES_H
#define PLUMB_BASE_PLACE_NAMES_H

/* Its number: how many CPUs it used on average. */
#define PLACE_CPUS_USED "CPUs in use"
/* Behind it the process, or nothing where that isn't told; where: its CPUs, "0-23". */
#define PLACE_BOUND "CPUs that may be used, by "
/* Its number: how many CPUs the machine has. */
#define PLACE_CPUS_ALL "CPUs of the machine"
/* "node 1"; where: its CPUs. */
#define PLACE_NODE "node "
/* "memory of 8812": the process whose memory's nodes were told. */
#define PLACE_MEMORY "memory of "

#endif
