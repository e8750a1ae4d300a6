/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the kernel and its modules: /proc/kallsyms of the recorded boot, else the symbols of its vmlinux. */
#include "base/scope.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/names/kallsyms.h"
#include "symbol/names/kept_kallsyms.h"
#include "symbol/names/name_giver.h"
#include "symbol/names/running_kernel.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/utsname.h>

/* Modules live above the kernel image on x86-64 and below it elsewhere; only these addresses are known. */
#define X86_MODULES_START 0xffffffffc0000000u

static bool is_x86(const struct recording *recording)
{
    return strcmp(recording->architecture, "x86_64") == 0;
}

/* Build id of the running kernel, from the notes it exports; size 0 when unknown. */
static struct build_id running_build_id(const struct sysroot *root)
{
    struct build_id id = {0};
    scoped_text struct text notes = {0};
    if (!sysroot_read(root, &notes, NULL, "/sys/kernel/notes"))
        return id;
    struct bytes at = bytes_of(text_string(&notes), notes.length, false);
    while (bytes_left(&at) >= 12) {
        uint32_t name_bytes = read_u32(&at), value_bytes = read_u32(&at), type = read_u32(&at);
        const uint8_t *name = bytes_take(&at, ((uint64_t)name_bytes + 3) & ~(uint64_t)3);
        const uint8_t *value = bytes_take(&at, ((uint64_t)value_bytes + 3) & ~(uint64_t)3);
        if (!name || !value)
            break;
        if (type == NT_GNU_BUILD_ID && name_bytes == 4 && memcmp(name, "GNU", 4) == 0 &&
            value_bytes <= BUILD_ID_BYTES_MOST) {
            id.size_bytes = (uint8_t)value_bytes;
            memcpy(id.bytes, value, value_bytes);
            break;
        }
    }
    return id;
}

/* Refuse this machine's kallsyms when anything recorded says that it was another kernel. */
static bool kernel_is_recorded(const struct naming *naming, struct error *err)
{
    const struct sysroot *root = naming->options->root;
    uint32_t kernel = recorded_kernel_dso(naming->recording);
    struct build_id running = running_build_id(root), none = {0};
    const struct build_id *recorded =
        kernel == DSO_NONE ? &none : &naming->recording->spaces.dsos[kernel].build_id;
    char release[256];
    if (recorded->size_bytes && running.size_bytes) {
        if (build_id_equal(recorded, &running))
            return true;
        char text[2 * BUILD_ID_BYTES_MOST + 1];
        build_id_text(recorded, text);
        return error_set(err, ERROR_NOT_FOUND,
                         "the recording is of another kernel (build id %.12s…) than the running one", text);
    }
    if (naming->options->kernel_release && sysroot_line(root, release, sizeof(release), "/proc/sys/kernel/osrelease") &&
        strcmp(release, naming->options->kernel_release) != 0)
        return error_set(err, ERROR_NOT_FOUND, "the recording is of kernel %s, running is %s",
                         naming->options->kernel_release, release);
    struct utsname name;
    if (strcmp(naming->recording->architecture, "unknown") != 0 && sysroot_is_live(root) && uname(&name) == 0 &&
        strcmp(name.machine, naming->recording->architecture) != 0)
        return error_set(err, ERROR_NOT_FOUND, "the recording is of a kernel for %s, running is one for %s",
                         naming->recording->architecture, name.machine);
    return true;
}

/* A recorder that was killed leaves nothing about its machine: then the place of the kernel's code must speak. */
static bool is_unnamed(const struct naming *naming)
{
    uint32_t kernel = recorded_kernel_dso(naming->recording);
    return !naming->options->kernel_release && strcmp(naming->recording->architecture, "unknown") == 0 &&
           (kernel == DSO_NONE || !naming->recording->spaces.dsos[kernel].build_id.size_bytes);
}

static uint64_t names_text_addr(const struct symbol_index *index)
{
    uint32_t at = symbol_index_named(index, "_text");
    if (at == SYMBOL_INDEX_NONE)
        at = symbol_index_named(index, "_stext");
    return at == SYMBOL_INDEX_NONE ? 0 : index->symbols.items[at].start;
}

/* Where kallsyms' kernel begins, read before duplicates were dropped: _text shares its address with others. */
static uint64_t kallsyms_text_addr(struct view text)
{
    struct view line;
    while (view_line(&text, &line)) {
        if (!view_ends(line, " _text") && !view_ends(line, " _stext"))
            continue;
        uint64_t addr;
        if (view_u64(view_word(&line), 16, &addr))
            return addr;
    }
    return 0;
}

static bool read_whole(const char *path, struct text *text, struct error *err)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    char buffer[65536];
    ssize_t got = -1;
    while (fd >= 0 && (got = read(fd, buffer, sizeof(buffer))) > 0 && text->length < (size_t)1 << 28)
        text_append(text, buffer, (size_t)got);
    return got >= 0 || error_system(err, errno, "can't read '%s'", path);
}

/* Who may see the addresses: kallsyms_show_value() of the kernel. Only the remedy depends on it. */
static void hidden_explain(const struct sysroot *root, struct error *err)
{
    int64_t restricted = 1, paranoid = 2;
    bool known = sysroot_i64(root, &restricted, "/proc/sys/kernel/kptr_restrict");
    if (!sysroot_i64(root, &paranoid, "/proc/sys/kernel/perf_event_paranoid") || !known)
        error_hint(err, "run plumb as root or with CAP_SYSLOG");
    else if (restricted > 1)
        error_hint(
            err,
            "kernel.kptr_restrict is %lld, which hides them from root as well: as root, sysctl kernel.kptr_restrict=1",
            (long long)restricted);
    else if (restricted == 0 && paranoid > 1)
        error_hint(err, "run plumb as root or with CAP_SYSLOG, or as root: sysctl kernel.perf_event_paranoid=1");
    else
        error_hint(err, "run plumb as root or with CAP_SYSLOG (kernel.kptr_restrict is %lld)", (long long)restricted);
}

bool running_kernel_read(const struct sysroot *root, struct running_kernel *ret_names, struct error *err)
{
    struct running_kernel names = {0};
    if (kept_kallsyms_open(root, &names.kept)) {
        names.text_addr = names.kept.text_addr;
        *ret_names = names;
        return true;
    }
    bool good = sysroot_read(root, &names.text, err, "/proc/kallsyms");
    if (good && !kallsyms_parse(text_view(&names.text), &names.index, err)) {
        good = false;
        if (err->kind == ERROR_PERMISSION)
            hidden_explain(root, err);
    }
    if (!good) {
        running_kernel_done(&names);
        return false;
    }
    names.text_addr = kallsyms_text_addr(text_view(&names.text));
    kept_kallsyms_write(root, &names.index, names.text_addr);
    *ret_names = names;
    return true;
}

void running_kernel_done(struct running_kernel *names)
{
    text_done(&names->text);
    symbol_index_done(&names->index);
    kept_kallsyms_done(&names->kept);
}

/* Of the running kernel, from here or from whoever read them already. */
static bool running_names(const struct naming *naming, struct names *names, uint64_t *ret_text_addr, struct error *err)
{
    const struct symboliser_options *options = naming->options;
    struct running_kernel running;
    if (!kernel_is_recorded(naming, err))
        return false;
    if (!(options->kernel_ahead ? kernel_ahead_take(options->kernel_ahead, &running, err)
                                : running_kernel_read(options->root, &running, err)))
        return false;
    names->text = running.text;
    names->index = running.index;
    names->kept = running.kept;
    *ret_text_addr = running.text_addr;
    return true;
}

static bool listed_names(const char *path, struct names *names, uint64_t *ret_text_addr, struct error *err)
{
    if (!read_whole(path, &names->text, err) || !kallsyms_parse(text_view(&names->text), &names->index, err))
        return false;
    *ret_text_addr = kallsyms_text_addr(text_view(&names->text));
    return true;
}

static bool kallsyms_load(const struct naming *naming, uint32_t dso, struct names *names, struct error *err)
{
    (void)dso;
    const char *path = naming->options->kallsyms_path;
    uint64_t recorded, now = 0;
    if (!(path ? listed_names(path, names, &now, err) : running_names(naming, names, &now, err)))
        return false;
    names->key = NAMES_BY_RUNTIME_ADDR;
    if (!path && is_unnamed(naming) && (!recorded_kernel_text(naming->recording, &recorded) || now != recorded))
        return error_set(err, ERROR_NOT_FOUND, "the recording doesn't say which kernel it is of, and that one's code "
                                               "lay elsewhere than the running one's");
    if (recorded_kernel_text(naming->recording, &recorded) && now && now != recorded) {
        names->shift = now - recorded; /* another boot: the kernel was put elsewhere, modules anywhere */
        names->shift_from = is_x86(naming->recording) ? X86_MODULES_START : 0;
    }
    return true;
}

static bool vmlinux_load(const struct naming *naming, uint32_t dso, struct names *names, struct error *err)
{
    (void)dso;
    uint32_t kernel = recorded_kernel_dso(naming->recording);
    struct binary *binary = kernel == DSO_NONE ? NULL : dso_files_binary(naming->files, kernel, err);
    if (!binary)
        return kernel == DSO_NONE ? error_set(err, ERROR_NOT_FOUND, "the recording maps no kernel") : false;
    if (!elf_symbols_read(&binary->elf, SHT_SYMTAB, ELF_FUNCTIONS, &names->index))
        return error_set(err, ERROR_NOT_FOUND, "'%s' has no symbol table", binary->path);
    uint64_t recorded;
    uint64_t linked = 0;
    struct symbol_index *index = &names->index;
    linked = names_text_addr(index); /* before sorting drops what shares its address */
    symbol_index_sort(index, false);
    names->key = NAMES_BY_RUNTIME_ADDR;
    if (recorded_kernel_text(naming->recording, &recorded) && linked)
        names->shift = linked - recorded;
    names->shift_from = is_x86(naming->recording) ? X86_MODULES_START : 0;
    return true;
}

static bool kernel_serves(const struct naming *naming, const struct dso *dso)
{
    return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE;
}

static bool vmlinux_serves(const struct naming *naming, const struct dso *dso)
{
    return dso->kind == DSO_KERNEL;
}

/* BPF programs are in kallsyms too, and may have been there before the recording began. */
static bool bpf_serves(const struct naming *naming, const struct dso *dso)
{
    return dso->kind == DSO_BPF;
}

static bool bpf_load(const struct naming *naming, uint32_t dso, struct names *names, struct error *err)
{
    const struct recording *recording = naming->recording;
    const struct address_space *space = &recording->spaces.items[SPACE_KERNEL];
    const char *name = strings_text(&recording->strings, recording->spaces.dsos[dso].name);
    names->key = NAMES_BY_RUNTIME_ADDR;
    for (size_t at = 0; recording->spaces.count > SPACE_KERNEL && at < space->count; at++)
        if (space->mappings[at].dso == dso)
            symbol_index_add(&names->index, space->mappings[at].start,
                             space->mappings[at].end - space->mappings[at].start,
                             (struct indexed_symbol){.name = name, .name_length = SYMBOL_NAME_UNMEASURED});
    symbol_index_sort(&names->index, true);
    return names->index.symbols.count || error_set(err, ERROR_NOT_FOUND, "the recording names no BPF program here");
}

const struct name_giver kallsyms_names = {
    .title = "kallsyms", .is_shared = true, .serves = kernel_serves, .load = kallsyms_load};
const struct name_giver vmlinux_names = {
    .title = "vmlinux", .is_shared = true, .serves = vmlinux_serves, .load = vmlinux_load};
const struct name_giver bpf_names = {.title = "BPF ksymbols", .serves = bpf_serves, .load = bpf_load};
