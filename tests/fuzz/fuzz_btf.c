/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kernel's type information, alone and as a module's on top of itself. */
#include "decode/btf.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static const char *const names[] = {"port", "size", NULL};
    struct view file = {(const char *)bytes, size_bytes}, none = {0};
    for (int module = 0; module < 2; module++) {
        struct btf btf;
        struct btf_member members[] = {{"kvm", "memslots"}, {"outer", "inner"}};
        if (btf_begin(&btf, file, module ? file : none, "__bpf_trace_")) {
            (void)btf_has_parameters(&btf, "__bpf_trace_pio", 1, names, 3);
            (void)btf_members_find(&btf, members, 2);
        }
        btf_done(&btf);
    }
    return 0;
}
