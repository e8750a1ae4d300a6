/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/identity.h"

#include "base/scope.h"
#include "system/cpuid.h"

#include <sys/auxv.h>
#include <sys/utsname.h>

struct cpuinfo {
    struct view vendor, model_name, family, model, stepping, microcode, flags;
    struct view implementer, part, variant, revision;
    bool microcode_differs, model_differs;
};

/* The member a key of /proc/cpuinfo belongs to, or NULL. Arm's "CPU revision" is the stepping's kin. */
static struct view *member_of(struct cpuinfo *info, struct view key)
{
    const struct {
        const char *key;
        struct view *member;
    } keys[] = {
        {"vendor_id", &info->vendor}, {"model name", &info->model_name}, {"cpu family", &info->family},
        {"model", &info->model},      {"stepping", &info->stepping},     {"microcode", &info->microcode},
        {"flags", &info->flags},      {"Features", &info->flags},        {"CPU implementer", &info->implementer},
        {"CPU part", &info->part},    {"CPU variant", &info->variant},   {"CPU revision", &info->revision},
    };
    for (size_t at = 0; at < sizeof(keys) / sizeof(keys[0]); at++)
        if (view_equal(key, keys[at].key))
            return keys[at].member;
    return NULL;
}

static bool view_same(struct view a, struct view b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static struct cpuinfo cpuinfo_parse(struct view rest)
{
    struct cpuinfo info = {0};
    struct view line;
    while (view_line(&rest, &line)) {
        struct view value = line, key = view_trim(view_cut(&value, ':'));
        struct view *member = member_of(&info, key);
        value = view_trim(value);
        if (!member)
            continue;
        if (!member->text)
            *member = value;
        else if (member == &info.microcode && !view_same(*member, value))
            info.microcode_differs = true;
        else if ((member == &info.model || member == &info.part) && !view_same(*member, value))
            info.model_differs = true;
    }
    return info;
}

static void number_of(struct fact_number *fact, struct view text, const char *name)
{
    uint64_t value;
    if (text.length && view_u64(text, 0, &value))
        fact_number_set(fact, (int64_t)value);
    else
        fact_number_absent(fact, "/proc/cpuinfo has no '%s'", name);
}

static void word_of(struct fact_word *fact, struct view text, const char *name)
{
    if (text.text)
        fact_word_set(fact, text);
    else
        fact_word_absent(fact, "/proc/cpuinfo has no '%s'", name);
}

static enum microarchitecture_vendor vendor_kind_of(struct view vendor)
{
    static const struct {
        const char *name;
        enum microarchitecture_vendor kind;
    } vendors[] = {{"GenuineIntel", MICROARCHITECTURE_INTEL}, {"AuthenticAMD", MICROARCHITECTURE_AMD},
                   {"HygonGenuine", MICROARCHITECTURE_HYGON}};
    for (size_t at = 0; at < sizeof(vendors) / sizeof(vendors[0]); at++)
        if (view_equal(vendor, vendors[at].name))
            return vendors[at].kind;
    return MICROARCHITECTURE_UNKNOWN_VENDOR;
}

/* Those that decide something here, by /proc/cpuinfo's names: CPUID leaf 1, ECX bit 31, and leaf 7, EBX. */
static void flags_from_cpuid(struct cpu_identity *identity, const struct sysroot *root, struct arena *arena)
{
    struct cpuid_leaf one, seven;
    bool guest = cpuid_read(root, 1, 0, &one) && one.ecx >> 31;
    if (!cpuid_read(root, 7, 0, &seven))
        seven = (struct cpuid_leaf){0};
    bool avx2 = seven.ebx >> 5 & 1, avx512 = seven.ebx >> 16 & 1;
    identity->flags = arena_printf(arena, " cpuid%s%s%s ", guest ? " hypervisor" : "", avx2 ? " avx2" : "",
                                   avx2 && avx512 ? " avx512f" : "");
}

/* Family, model and stepping out of CPUID leaf 1, as the vendors' manuals say to add the extended parts. */
static void identity_from_cpuid(struct cpu_identity *identity, const struct sysroot *root, struct arena *arena)
{
    struct cpuid_leaf zero, one;
    if (!cpuid_read(root, 0, 0, &zero) || !cpuid_read(root, 1, 0, &one))
        return;
    char name[13];
    struct cpuid_leaf ordered = {.ebx = zero.ebx, .ecx = zero.edx, .edx = zero.ecx};
    cpuid_signature(&ordered, name);
    fact_word_set(&identity->vendor, view_of(name));
    identity->vendor_kind = vendor_kind_of(view_of(name));
    uint32_t family = one.eax >> 8 & 0xf, model = one.eax >> 4 & 0xf;
    if (family == 6 || family == 15)
        model |= (one.eax >> 16 & 0xf) << 4;
    if (family == 15)
        family += one.eax >> 20 & 0xff;
    fact_number_set(&identity->family, family);
    fact_number_set(&identity->model, model);
    fact_number_set(&identity->stepping, one.eax & 0xf);
    if (!identity->flags[0])
        flags_from_cpuid(identity, root, arena);
}

static void architecture_read(struct cpu_identity *identity, const struct sysroot *root, const struct cpuinfo *info)
{
    struct utsname name;
    fact_word_read(&identity->architecture, root, "/plumb/architecture");
    if (!identity->architecture.known && sysroot_is_live(root) && uname(&name) == 0)
        fact_word_set(&identity->architecture, view_of(name.machine));
    else if (!identity->architecture.known && info->implementer.text)
        fact_word_set(&identity->architecture, VIEW("aarch64"));
    else if (!identity->architecture.known && info->vendor.text)
        fact_word_set(&identity->architecture, VIEW("x86_64"));
}

static void arm_fill(struct cpu_identity *identity, const struct cpuinfo *info)
{
    identity->vendor_kind = MICROARCHITECTURE_ARM;
    fact_word_set(&identity->vendor, view_equal(info->implementer, "0x41") ? VIEW("Arm") : info->implementer);
    number_of(&identity->family, info->implementer, "CPU implementer");
    number_of(&identity->model, info->part, "CPU part");
    number_of(&identity->stepping, info->revision, "CPU revision");
    number_of(&identity->variant, info->variant, "CPU variant");
}

#ifdef __aarch64__
/* Without /proc/cpuinfo: the kernel answers a program that reads the main ID register (HWCAP_CPUID, bit 11). */
static void identity_elsewhere(struct cpu_identity *identity, const struct sysroot *root, struct arena *arena)
{
    uint64_t midr;
    if (!sysroot_is_live(root) || !(getauxval(AT_HWCAP) & 1u << 11)) {
        identity_from_cpuid(identity, root, arena); /* a snapshot's */
        return;
    }
    __asm__("mrs %0, midr_el1" : "=r"(midr));
    identity->vendor_kind = MICROARCHITECTURE_ARM;
    fact_word_set(&identity->vendor, (midr >> 24 & 0xff) == 0x41 ? VIEW("Arm") : VIEW("Arm's licensee"));
    fact_number_set(&identity->family, (int64_t)(midr >> 24 & 0xff));
    fact_number_set(&identity->model, (int64_t)(midr >> 4 & 0xfff));
    fact_number_set(&identity->stepping, (int64_t)(midr & 0xf));
    fact_number_set(&identity->variant, (int64_t)(midr >> 20 & 0xf));
}
#else
static void identity_elsewhere(struct cpu_identity *identity, const struct sysroot *root, struct arena *arena)
{
    identity_from_cpuid(identity, root, arena);
}
#endif

static void x86_fill(struct cpu_identity *identity, const struct cpuinfo *info)
{
    word_of(&identity->vendor, info->vendor, "vendor_id");
    identity->vendor_kind = vendor_kind_of(info->vendor);
    number_of(&identity->family, info->family, "cpu family");
    number_of(&identity->model, info->model, "model");
    number_of(&identity->stepping, info->stepping, "stepping");
    fact_number_absent(&identity->variant, "only Arm has a variant");
}

void cpu_identity_read(struct cpu_identity *identity, const struct sysroot *root, struct arena *arena)
{
    *identity = (struct cpu_identity){.flags = ""};
    scoped_text struct text file = {0};
    struct error unread;
    bool have = sysroot_read(root, &file, &unread, "/proc/cpuinfo");
    struct cpuinfo info = cpuinfo_parse((struct view){text_string(&file), have ? file.length : 0});
    architecture_read(identity, root, &info);
    word_of(&identity->model_name, info.model_name, "model name");
    word_of(&identity->microcode, info.microcode, "microcode");
    identity->microcode_differs = info.microcode_differs;
    identity->model_differs = info.model_differs;
    if (info.flags.text)
        identity->flags = arena_printf(arena, " %.*s ", (int)info.flags.length, info.flags.text);
    if (info.implementer.text)
        arm_fill(identity, &info);
    else
        x86_fill(identity, &info);
    if (!identity->family.known)
        identity_elsewhere(identity, root, arena);
    if (identity->family.known && identity->model.known && identity->stepping.known)
        identity->microarchitecture =
            microarchitecture_find(identity->vendor_kind, (uint32_t)identity->family.value,
                                   (uint32_t)identity->model.value, (uint32_t)identity->stepping.value);
}

bool cpu_identity_has_flag(const struct cpu_identity *identity, const char *flag)
{
    char padded[64];
    snprintf(padded, sizeof(padded), " %s ", flag);
    return strstr(identity->flags, padded) != NULL;
}

void cpu_identity_describe(const struct cpu_identity *identity, char *out, size_t out_size)
{
    if (identity->microarchitecture)
        snprintf(out, out_size, "%s", identity->microarchitecture->name);
    else if (identity->family.known && identity->model.known)
        snprintf(out, out_size, "family %lld model %lld (not in plumb's table)", (long long)identity->family.value,
                 (long long)identity->model.value);
    else
        snprintf(out, out_size, "unknown processor");
}
