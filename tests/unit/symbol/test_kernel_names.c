/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel names and code, and JIT names, out of a folder that stands for the machine's root. */
#include "test.h"

#include "base/vec.h"
#include "symbol/symboliser.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>

#define TEXT_THEN 0xffffffff9b000000u /* where the recorded kernel was */
#define TEXT_NOW  0xffffffff81000000u /* where this boot put it */

struct machine {
    char folder[64];
    struct recording recording;
    struct sysroot root;
    struct symboliser *symboliser;
};

static void put(const struct machine *machine, const char *path, const void *bytes, size_t size_bytes)
{
    char full[PATH_MAX];
    snprintf(full, sizeof(full), "%s%s", machine->folder, path);
    for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "we");
    cr_assert(file && fwrite(bytes, 1, size_bytes, file) == size_bytes, "%s", full);
    fclose(file);
}

static void put_text(const struct machine *machine, const char *path, const char *text)
{
    put(machine, path, text, strlen(text));
}

static const char kallsyms_text[] = "ffffffff81000000 T _text\n"
                                    "ffffffff81000100 T do_syscall\n"
                                    "ffffffff81000200 T _etext\n"
                                    "ffffffffc0001000 t mod_fn\t[mod]\n";

static void machine_open(struct machine *machine, uint64_t text_then)
{
    *machine = (struct machine){.folder = "/tmp/plumb-test-XXXXXX"};
    cr_assert(mkdtemp(machine->folder));
    sysroot_init(&machine->root, machine->folder);
    recording_init(&machine->recording);
    machine->recording.architecture = "x86_64";
    machine->recording.kernel_text_addr = text_then;
    put_text(machine, "/proc/kallsyms", kallsyms_text);
    put_text(machine, "/proc/sys/kernel/osrelease", "6.1.0-test\n");
}

static void machine_symbolise(struct machine *machine, const char *release)
{
    struct symboliser_options options = {.root = &machine->root, .demangle = true, .kernel_release = release};
    struct error err = {0};
    cr_assert(symboliser_new(&machine->symboliser, &machine->recording, &options, &err));
}

static void machine_close(struct machine *machine)
{
    char command[128];
    symboliser_free(machine->symboliser);
    recording_done(&machine->recording);
    snprintf(command, sizeof(command), "rm -r '%s'", machine->folder);
    cr_assert_eq(system(command), 0);
}

static uint32_t kernel_location(struct machine *machine, uint64_t addr)
{
    struct location location = {.dso = address_spaces_kernel_dso(&machine->recording.spaces), .space = SPACE_KERNEL,
                                .dso_addr = addr, .runtime_addr = addr, .cpu_mode = CPU_MODE_KERNEL};
    return samples_location(&machine->recording.samples, &location);
}

static const char *name_of(struct machine *machine, uint32_t location)
{
    uint32_t id = symboliser_symbol_id(machine->symboliser, location);
    return id == SYMBOL_NONE ? "" : symboliser_symbol(machine->symboliser, id)->name;
}

Test(kernel_names, of_this_boot)
{
    struct machine machine;
    machine_open(&machine, TEXT_NOW);
    uint32_t in_kernel = kernel_location(&machine, TEXT_NOW + 0x110), in_module = kernel_location(&machine, 0xffffffffc0001004);
    machine_symbolise(&machine, "6.1.0-test");
    cr_assert_str_eq(name_of(&machine, in_kernel), "do_syscall");
    cr_assert_str_eq(name_of(&machine, in_module), "mod_fn");
    cr_assert(symboliser_symbol(machine.symboliser, symboliser_symbol_id(machine.symboliser, in_kernel))->is_kernel);
    machine_close(&machine);
}

/* Read by another thread: to one symboliser they are handed over, the next reads them anew, and why there are none is told, too. */
Test(kernel_names, read_ahead_are_the_same)
{
    static const struct {
        const char *text, *name;
    } cases[] = {{kallsyms_text, "do_syscall"}, {"0000000000000000 T _text\n", ""}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct machine machine;
        machine_open(&machine, TEXT_NOW);
        put_text(&machine, "/proc/kallsyms", cases[at].text);
        uint32_t location = kernel_location(&machine, TEXT_NOW + 0x110);
        struct kernel_ahead *ahead = kernel_ahead_begin(&machine.root);
        for (int turn = 0; turn < 2; turn++) {
            struct symboliser_options options = {.root = &machine.root, .kernel_release = "6.1.0-test", .kernel_ahead = ahead};
            struct error err = {0};
            symboliser_free(machine.symboliser);
            cr_assert(symboliser_new(&machine.symboliser, &machine.recording, &options, &err));
            cr_expect_str_eq(name_of(&machine, location), cases[at].name);
            const char *complaint = symboliser_complaint(machine.symboliser, machine.recording.samples.locations[location].dso);
            cr_expect(cases[at].name[0] ? !complaint : strstr(complaint, "hides the kernel's addresses") != NULL, "%s", complaint);
        }
        kernel_ahead_free(ahead);
        machine_close(&machine);
    }
}

/* Nobody took them: the work is waited for. */
Test(kernel_names, read_ahead_in_vain)
{
    struct machine machine;
    machine_open(&machine, TEXT_NOW);
    kernel_ahead_free(kernel_ahead_begin(&machine.root));
    kernel_ahead_free(NULL);
    machine_close(&machine);
}

Test(kernel_names, of_another_boot_are_shifted_and_modules_are_not_guessed)
{
    struct machine machine;
    machine_open(&machine, TEXT_THEN);
    uint32_t in_kernel = kernel_location(&machine, TEXT_THEN + 0x110), in_module = kernel_location(&machine, 0xffffffffc0001004);
    machine_symbolise(&machine, "6.1.0-test");
    cr_assert_str_eq(name_of(&machine, in_kernel), "do_syscall");
    const struct symbol *symbol = symboliser_symbol(machine.symboliser, symboliser_symbol_id(machine.symboliser, in_kernel));
    cr_assert_eq(symbol->dso_addr, TEXT_THEN + 0x100);
    cr_assert_str_eq(name_of(&machine, in_module), "");
    machine_close(&machine);
}

Test(kernel_names, of_another_kernel_are_refused_by_release_and_by_build_id)
{
    struct machine machine;
    machine_open(&machine, TEXT_NOW);
    uint32_t place = kernel_location(&machine, TEXT_NOW + 0x110);
    machine_symbolise(&machine, "5.10.0-other");
    cr_assert_str_eq(name_of(&machine, place), "");
    const char *complaint = symboliser_complaint(machine.symboliser, address_spaces_kernel_dso(&machine.recording.spaces));
    cr_assert(complaint && strstr(complaint, "5.10.0-other"), "%s", complaint);
    symboliser_free(machine.symboliser);
    static const uint8_t notes[] = "\x04\0\0\0\x04\0\0\0\x03\0\0\0GNU\0\x01\x02\x03\x04";
    put(&machine, "/sys/kernel/notes", notes, sizeof(notes) - 1);
    machine.recording.spaces.dsos[address_spaces_kernel_dso(&machine.recording.spaces)].build_id =
        (struct build_id){.size_bytes = 4, .bytes = {9, 9, 9, 9}};
    machine_symbolise(&machine, "6.1.0-test");
    cr_assert_str_eq(name_of(&machine, place), "");
    symboliser_free(machine.symboliser);
    machine.recording.spaces.dsos[address_spaces_kernel_dso(&machine.recording.spaces)].build_id =
        (struct build_id){.size_bytes = 4, .bytes = {1, 2, 3, 4}};
    machine_symbolise(&machine, "6.1.0-test");
    cr_assert_str_eq(name_of(&machine, place), "do_syscall");
    machine_close(&machine);
}

Test(kernel_names, hidden_addresses_are_complained_about)
{
    struct machine machine;
    machine_open(&machine, TEXT_NOW);
    put_text(&machine, "/proc/kallsyms", "0000000000000000 T _text\n");
    uint32_t place = kernel_location(&machine, TEXT_NOW + 0x110);
    machine_symbolise(&machine, NULL);
    cr_assert_str_eq(name_of(&machine, place), "");
    const char *complaint = symboliser_complaint(machine.symboliser, address_spaces_kernel_dso(&machine.recording.spaces));
    cr_assert(strstr(complaint, "hides the kernel's addresses") && strstr(complaint, "CAP_SYSLOG"), "%s", complaint);
    machine_close(&machine);
}

Test(kernel_names, code_comes_from_kcore)
{
    struct machine machine;
    machine_open(&machine, TEXT_NOW);
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment;
        uint8_t code[512];
    } core = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_CORE,
                   .e_machine = EM_X86_64, .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1},
        .segment = {.p_type = PT_LOAD, .p_vaddr = TEXT_NOW, .p_filesz = 512, .p_memsz = 512},
    };
    core.segment.p_offset = (uint64_t)((char *)core.code - (char *)&core);
    for (size_t at = 0; at < sizeof(core.code); at++)
        core.code[at] = (uint8_t)at;
    put(&machine, "/proc/kcore", &core, sizeof(core));
    uint32_t place = kernel_location(&machine, TEXT_NOW + 0x110), far = kernel_location(&machine, TEXT_NOW + 0x900000);
    machine_symbolise(&machine, "6.1.0-test");
    struct code code;
    struct error err = {0};
    cr_assert(symboliser_code(machine.symboliser, symboliser_symbol_id(machine.symboliser, place), &code, &err), "%s", err.message);
    cr_assert_eq(code.size_bytes, 0x100);
    cr_assert_eq(memcmp(code.bytes, core.code + 0x100, 0x100), 0);
    cr_assert_str_eq(code.path, "/proc/kcore");
    cr_assert_not(symboliser_code_around(machine.symboliser, far, 0, 16, &code, &err));
    cr_assert(strstr(err.message, "kcore") && err.hint[0]);
    machine_close(&machine);
}

static uint32_t jit_location(struct machine *machine, uint64_t addr)
{
    uint32_t space = address_spaces_begin(&machine->recording.spaces, 12);
    struct record_mmap map = {.pid = 12, .start = 0x10000, .size_bytes = 0x10000, .path = "//anon", .has_details = true,
                              .protection = PROT_READ | PROT_EXEC};
    address_spaces_map(&machine->recording.spaces, &machine->recording.strings, space, &map, 0);
    struct location location = {.dso = address_spaces_find(&machine->recording.spaces, space, addr)->dso, .space = space,
                                .dso_addr = addr, .runtime_addr = addr, .cpu_mode = CPU_MODE_USER};
    return samples_location(&machine->recording.samples, &location);
}

Test(jit_names, by_the_pid_inside_the_container_and_its_own_tmp)
{
    struct machine machine;
    machine_open(&machine, 0);
    uint32_t place = jit_location(&machine, 0x10010);
    put_text(&machine, "/proc/12/status", "Name:\tnode\nNSpid:\t12\t3\n");
    put_text(&machine, "/proc/12/root/tmp/perf-3.map", "10000 40 inside()\n");
    put_text(&machine, "/tmp/perf-12.map", "10000 40 outside()\n");
    machine_symbolise(&machine, NULL);
    cr_assert_str_eq(name_of(&machine, place), "inside()");
    machine_close(&machine);
}

Test(jit_names, of_a_process_that_is_gone_and_code_from_the_copied_pages)
{
    struct machine machine;
    machine_open(&machine, 0);
    uint32_t place = jit_location(&machine, 0x10010);
    put_text(&machine, "/tmp/perf-12.map", "10000 40 outside()\n");
    uint8_t page[256] = {[0] = 0x90, [63] = 0xc3};
    struct code_pages pages = {.pid = 12, .runtime_addr = 0x10000, .bytes = page, .size_bytes = sizeof(page)};
    machine.recording.code_pages = &pages;
    machine.recording.code_pages_count = 1;
    machine_symbolise(&machine, NULL);
    cr_assert_str_eq(name_of(&machine, place), "outside()");
    struct code code;
    struct error err = {0};
    cr_assert(symboliser_code(machine.symboliser, symboliser_symbol_id(machine.symboliser, place), &code, &err), "%s", err.message);
    cr_assert(code.size_bytes == 64 && code.bytes[63] == 0xc3);
    machine.recording.code_pages = NULL;
    machine.recording.code_pages_count = 0;
    cr_assert_not(symboliser_code(machine.symboliser, 0, &code, &err));
    machine_close(&machine);
}

Test(jit_names, code_over_several_copied_pages_is_read_as_one)
{
    struct machine machine;
    machine_open(&machine, 0);
    uint32_t place = jit_location(&machine, 0x10010);
    uint8_t page[3][16];
    struct code_pages pages[3];
    for (uint8_t at = 0; at < 3; at++) {
        memset(page[at], at, sizeof(page[at]));
        /* the first two follow each other, the third comes after a gap */
        pages[at] = (struct code_pages){
            .pid = 12, .runtime_addr = 0x10000 + (at == 2 ? 48u : at * 16u), .bytes = page[at], .size_bytes = 16};
    }
    machine.recording.code_pages = pages;
    machine.recording.code_pages_count = 3;
    machine_symbolise(&machine, NULL);
    struct code code;
    struct error err = {0};
    cr_assert(symboliser_code_around(machine.symboliser, place, 0x10, 64, &code, &err), "%s", err.message);
    cr_assert(code.size_bytes == 32 && code.bytes[15] == 0 && code.bytes[16] == 1 && code.bytes[31] == 1);
    /* bytes before a gap that the location lies behind are of no use */
    pages[0].runtime_addr = 0xfff0;
    pages[0].size_bytes = 8;
    cr_assert(symboliser_code_around(machine.symboliser, place, 0x18, 64, &code, &err), "%s", err.message);
    cr_assert_eq(code.dso_addr, 0x10010);
    cr_assert_eq(code.size_bytes, 16);
    machine.recording.code_pages = NULL;
    machine.recording.code_pages_count = 0;
    machine_close(&machine);
}

Test(jit_names, without_a_map_the_paths_tried_and_the_remedy_are_said)
{
    struct machine machine;
    machine_open(&machine, 0);
    uint32_t place = jit_location(&machine, 0x10010);
    machine_symbolise(&machine, NULL);
    cr_assert_str_eq(name_of(&machine, place), "");
    const char *complaint = symboliser_complaint(machine.symboliser, machine.recording.samples.locations[place].dso);
    cr_assert(strstr(complaint, "/tmp/perf-12.map") && strstr(complaint, "--perf-basic-prof"), "%s", complaint);
    machine_close(&machine);
}
