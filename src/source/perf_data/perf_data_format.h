/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers of the perf.data file format that no kernel header has: feature bits and the records that tools
 * write among the kernel's.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PLUMB_SOURCE_PERF_DATA_PERF_DATA_FORMAT_H
#define PLUMB_SOURCE_PERF_DATA_PERF_DATA_FORMAT_H

#include <linux/perf_event.h>
#include <stdint.h>

#define PERF_DATA_MAGIC 0x32454c4946524550u /* "PERFILE2", read as little-endian */

#define PERF_DATA_HEADER_BYTES      104
#define PERF_DATA_PIPE_HEADER_BYTES 16
/* What perf 6.1 knows of an attribute; newer fields would be 0. */
#define PERF_DATA_ATTR_BYTES PERF_ATTR_SIZE_VER7
#define PERF_DATA_RECORD_MOST 65528 /* perf_event_header.size is 16 bits; a multiple of 8 */

enum perf_data_feature_bit {
    FEATURE_TRACING_DATA = 1,
    FEATURE_BUILD_ID,
    FEATURE_HOSTNAME,
    FEATURE_OS_RELEASE,
    FEATURE_VERSION,
    FEATURE_ARCH,
    FEATURE_NR_CPUS,
    FEATURE_CPU_DESC,
    FEATURE_CPU_ID,
    FEATURE_TOTAL_MEM,
    FEATURE_CMDLINE,
    FEATURE_EVENT_DESC,
    FEATURE_CPU_TOPOLOGY,
    FEATURE_NUMA_TOPOLOGY,
    FEATURE_BRANCH_STACK,
    FEATURE_PMU_MAPPINGS,
    FEATURE_GROUP_DESC,
    FEATURE_AUXTRACE,
    FEATURE_STAT,
    FEATURE_CACHE,
    FEATURE_SAMPLE_TIME,
    FEATURE_MEM_TOPOLOGY,
    FEATURE_CLOCK_ID,
    FEATURE_DIR_FORMAT,
    FEATURE_BPF_PROG_INFO,
    FEATURE_BPF_BTF,
    FEATURE_COMPRESSED,
    FEATURE_CPU_PMU_CAPS,
    FEATURE_CLOCK_DATA,
    FEATURE_HYBRID_TOPOLOGY,
    FEATURE_PMU_CAPS,
    FEATURE_END,
};

enum perf_data_user_record {
    USER_RECORD_ATTR = 64,
    USER_RECORD_EVENT_TYPE = 65, /* unused since 2013; all readers skip it: see source/recorder/recorder_code.h */
    USER_RECORD_TRACING_DATA = 66,
    USER_RECORD_BUILD_ID = 67,
    USER_RECORD_FINISHED_ROUND = 68,
    USER_RECORD_FEATURE = 80,
    USER_RECORD_COMPRESSED = 81,
    USER_RECORD_FINISHED_INIT = 82,
};

#endif
