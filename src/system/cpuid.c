/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpuid.h"

#include "base/scope.h"
#include "base/vec.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static void leaf_live(uint32_t leaf, uint32_t subleaf, struct cpuid_leaf *out)
{
    __cpuid_count(leaf, subleaf, out->eax, out->ebx, out->ecx, out->edx);
}

/* Leaves beyond the range's highest answer with the data of another leaf (Intel) or zeros (AMD): not asked. */
static bool cpuid_live(uint32_t leaf, uint32_t subleaf, struct cpuid_leaf *out)
{
    struct cpuid_leaf highest;
    leaf_live(leaf & 0xf0000000u, 0, &highest);
    bool hypervisor = (leaf & 0xf0000000u) == 0x40000000u;
    if (hypervisor) {
        struct cpuid_leaf features;
        leaf_live(1, 0, &features);
        if (!(features.ecx >> 31 & 1))
            return false; /* bare metal: the range does not exist */
        if (highest.eax < 0x40000000u)
            highest.eax = 0x40000001u; /* some hypervisors leave the highest leaf 0 */
    }
    if (leaf > highest.eax)
        return false;
    leaf_live(leaf, subleaf, out);
    return true;
}
#else
static bool cpuid_live(uint32_t leaf, uint32_t subleaf, struct cpuid_leaf *out)
{
    (void)leaf, (void)subleaf, (void)out;
    return false;
}
#endif

static bool hex_word(struct view *line, uint32_t *ret_value)
{
    uint64_t value;
    struct view word = view_word(line);
    if (view_starts(word, "0x"))
        word = view_skip(word, 2);
    if (!view_u64(word, 16, &value) || value > UINT32_MAX)
        return false;
    *ret_value = (uint32_t)value;
    return true;
}

static bool cpuid_snapshot(const struct sysroot *root, uint32_t leaf, uint32_t subleaf, struct cpuid_leaf *out)
{
    scoped_text struct text file = {0};
    struct error ignored;
    if (!sysroot_read(root, &file, &ignored, "/plumb/cpuid"))
        return false;
    struct view rest = text_view(&file), line;
    while (view_line(&rest, &line)) {
        uint32_t at, sub;
        struct cpuid_leaf found;
        if (hex_word(&line, &at) && hex_word(&line, &sub) && at == leaf && sub == subleaf &&
            hex_word(&line, &found.eax) && hex_word(&line, &found.ebx) && hex_word(&line, &found.ecx) &&
            hex_word(&line, &found.edx)) {
            *out = found;
            return true;
        }
    }
    return false;
}

bool cpuid_read(const struct sysroot *root, uint32_t leaf, uint32_t subleaf, struct cpuid_leaf *ret_leaf)
{
    return sysroot_is_live(root) ? cpuid_live(leaf, subleaf, ret_leaf)
                                 : cpuid_snapshot(root, leaf, subleaf, ret_leaf);
}

void cpuid_write(struct text *out)
{
    static const struct {
        uint32_t leaf, subleaves;
    } wanted[] = {
        {0x0, 1},        {0x1, 1},        {0x2, 1},        {0x4, 5},        {0x6, 1},        {0x7, 3},
        {0xa, 1},        {0xb, 2},        {0x14, 2},       {0x15, 1},       {0x16, 1},       {0x1a, 1},
        {0x1c, 1},       {0x1f, 3},       {0x21, 1},       {0x23, 4},       {0x40000000, 1}, {0x40000001, 1},
        {0x40000003, 1}, {0x4000000c, 1}, {0x40000010, 1}, {0x80000000, 1}, {0x80000001, 1}, {0x80000007, 1},
        {0x80000008, 1}, {0x8000001b, 1}, {0x8000001d, 4}, {0x8000001e, 1}, {0x8000001f, 1}, {0x80000022, 1},
    };
    for (size_t at = 0; at < array_count(wanted); at++)
        for (uint32_t sub = 0; sub < wanted[at].subleaves; sub++) {
            struct cpuid_leaf leaf;
            if (cpuid_live(wanted[at].leaf, sub, &leaf))
                text_printf(out, "%08x %x %08x %08x %08x %08x\n", wanted[at].leaf, sub, leaf.eax, leaf.ebx, leaf.ecx,
                            leaf.edx);
        }
}

void cpuid_signature(const struct cpuid_leaf *leaf, char ret_signature[13])
{
    memcpy(ret_signature, &leaf->ebx, 4);
    memcpy(ret_signature + 4, &leaf->ecx, 4);
    memcpy(ret_signature + 8, &leaf->edx, 4);
    ret_signature[12] = '\0';
}
