/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vendors' event names that neither our tables nor sysfs know, by libpfm4 when it is installed. */
#include "metric/event_parser.h"

#include "base/library.h"
#include "base/vec.h"

#include <perfmon/pfmlib_perf_event.h>

struct libpfm {
    typeof(pfm_initialize) *initialize;
    typeof(pfm_get_os_event_encoding) *get_os_event_encoding;
};

static const struct library libpfm_library = {
    .names = {"libpfm.so.4"}, .package = "libpfm4", .purpose = "vendors' event names"};

static const struct library_symbol libpfm_symbols[] = {
    LIBRARY_SYMBOL(struct libpfm, initialize, "pfm_initialize"),
    LIBRARY_SYMBOL(struct libpfm, get_os_event_encoding, "pfm_get_os_event_encoding"),
};

bool event_libpfm_parse(struct event_parser *parser, struct view word, struct error *err)
{
    struct libpfm libpfm;
    struct error missing;
    (void)err;
    if (!library_load(&libpfm_library, libpfm_symbols, array_count(libpfm_symbols), &libpfm, &missing) ||
        libpfm.initialize() != PFM_SUCCESS)
        return false;
    const char *name = arena_string_n(parser->arena, word.text, word.length);
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t encoding = {.attr = &attr, .size = sizeof(encoding)};
    if (libpfm.get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT, &encoding) != PFM_SUCCESS)
        return false;
    struct event_spec *event = event_append(parser, attr.type, attr.config);
    event->name = name;
    event->attr.config1 = attr.config1;
    event->attr.config2 = attr.config2;
    event->attr.exclude_user = attr.exclude_user;
    event->attr.exclude_kernel = attr.exclude_kernel;
    event->attr.exclude_hv = attr.exclude_hv;
    event->attr.precise_ip = attr.precise_ip;
    return true;
}
