/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests: virtual machines over /dev/kvm whose guest does a known amount of what leaves the guest, and nothing else.
 *
 * Usage: guest_runner [--writes N] [--cpuids N] [--msrs N] [--mmios N] [--halts N] [--pages N [--backing 4k|2m]]
 *                     [--memory anon|memfd|hugetlb] [--skew 1] [--log 1] [--extra N] [--guests N] [--rounds N] [--pause-ms N] [--hold] [--die-after N]
 *
 * A guest has one vCPU (a thread "vcpuG") in 64-bit mode with identity page tables of 2 MiB pages, and works in phases, each ended by
 * HLT, which is an exit to us as there is no interrupt controller: N writes to port 0xe9, N CPUIDs of leaf 0x40000000,
 * N reads of MSR 0x10, N reads of address 0xd0000000 (nobody's), N writes to fresh 4 KiB pages of memory that starts at 32
 * MiB. --pages runs at CPL 3, all else at CPL 0. --backing says which pages our own mapping of that memory has
 * (they are there before the guest begins). --rounds does all but the pages again; --pause-ms: between rounds.
 * --memory says of what that memory is: anon (as without), memfd, hugetlb (reserved 2 MiB pages). --skew 1 has it lie a page later within 2 MiB than
 * the guest's addresses, --log 1 has KVM log its writes, --extra N adds N slots of 64 KiB with holes between them, from 0x80000000 on, every second
 * one read-only.
 * --hold keeps the guests until standard input ends. --die-after: the process kills itself (SIGKILL) after N exits.
 * --wait: nothing begins before a line of standard input.
 * --chase N (a power of two up to 8192, alone): a guest follows pointers at CPL 3 through N lines: side by side, then one a page of N pages
 * that its own tables map by 2 MiB, then by 4 KiB; --backing is the host's page size. Prints the picoseconds of a step of each in turn.
 *
 * Prints "ready" when the machines stand, then what was done in all guests, and "done": a line each, "NAME COUNT", where exits are returns of
 * KVM_RUN. Exit status: 0; 77 with a reason when there is no KVM; 1 when a guest did what it shouldn't.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
    LOW_BYTES = 2 << 20,
    TABLE_TOP = 0x10000, /* PML4; behind it the PDPT, then four page directories */
    CODE = 0x1000,
    STACK = 0x8000,
    TOUCHED = 32 << 20,
    HUGE = 2 << 20,
    PAGE = 4096,
    SMALL_TABLES = 0x20000, /* page tables of the memory that is touched, for a second mapping by 4 KiB at 1 GiB */
    SMALL_AT = 1 << 30,
    CHASE_MOST = 8192,
    CHASE_ROUNDS = 15
};
static const uint64_t MMIO = 0xd0000000, EXTRA = 0x80000000;

/* Each phase: rcx is the number of turns, rbx the address; ends with hlt. */
static const uint8_t code_write[] = {0xb0, 0x2e, 0x66, 0xba, 0xe9, 0x00, /* mov al,'.'; mov dx,0xe9 */
                                     0xee, 0xff, 0xc9, 0x75, 0xfb, 0xf4}; /* out dx,al; dec ecx; jnz; hlt */
static const uint8_t code_cpuid[] = {0x89, 0xcf,                          /* mov edi,ecx */
                                     0xb8, 0, 0, 0, 0x40, 0x0f, 0xa2,     /* mov eax,0x40000000; cpuid */
                                     0xff, 0xcf, 0x75, 0xf5, 0xf4};       /* dec edi; jnz; hlt */
static const uint8_t code_msr[] = {0x89, 0xcf, 0xb9, 0x10, 0, 0, 0, 0x0f, 0x32, /* mov edi,ecx; mov ecx,0x10; rdmsr */
                                   0xff, 0xcf, 0x75, 0xf5, 0xf4};
static const uint8_t code_mmio[] = {0x8b, 0x03, 0xff, 0xc9, 0x75, 0xfa, 0xf4}; /* mov eax,[rbx]; dec ecx; jnz; hlt */
/* inc byte [rbx]; add rbx,4096; dec ecx; jnz; then a write to port 0xe8, as hlt isn't had at CPL 3 */
static const uint8_t code_touch[] = {0xfe, 0x03, 0x48, 0x81, 0xc3, 0, 0x10, 0, 0, 0xff, 0xc9, 0x75, 0xf3, 0xe6, 0xe8, 0xeb, 0xfe};
static const uint8_t code_halt[] = {0xf4};
/* twice round from rbx in ecx steps, then timed in edi steps: cycles in rax, then a write to port 0xe8 */
static const uint8_t code_chase[] = {0x48, 0x8b, 0x1b, 0xff, 0xc9, 0x75, 0xf9,                   /* mov rbx,[rbx]; dec ecx; jnz */
                                     0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0,       /* rdtsc; shl rdx,32; or rax,rdx */
                                     0x49, 0x89, 0xc0, 0x89, 0xf9,                               /* mov r8,rax; mov ecx,edi */
                                     0x48, 0x8b, 0x1b, 0xff, 0xc9, 0x75, 0xf9,
                                     0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0,
                                     0x4c, 0x29, 0xc0, 0xe6, 0xe8, 0xeb, 0xfe};                  /* sub rax,r8; out 0xe8,al */

enum phase { WRITES, CPUIDS, MSRS, MMIOS, HALTS, PAGES, CHASE, PHASES };
static const struct {
    const char *name;
    const uint8_t *code;
    size_t bytes;
} phases[PHASES] = {
    {"writes", code_write, sizeof(code_write)}, {"cpuids", code_cpuid, sizeof(code_cpuid)},
    {"msrs", code_msr, sizeof(code_msr)},       {"mmios", code_mmio, sizeof(code_mmio)},
    {"halts", code_halt, sizeof(code_halt)},    {"pages", code_touch, sizeof(code_touch)},
    {"chase", code_chase, sizeof(code_chase)},
};

struct settings {
    uint64_t counts[PHASES], guests, rounds, pause_ms, die_after, skew, log, extra;
    const char *memory;
    bool huge, hold, wait;
};

struct guest {
    const struct settings *settings;
    pthread_t thread;
    pthread_barrier_t *ready, *begin;
    unsigned number;
    int kvm, vm, vcpu;
    uint8_t *low, *touched;
    struct kvm_run *run;
    uint64_t exits, done[PHASES], chase_from;
    bool failed;
};

static int fail(const char *what)
{
    fprintf(stderr, "guest_runner: %s: %s\n", what, strerror(errno));
    return 1;
}

/* kind NULL: anonymous memory. */
static uint8_t *memory_of(size_t bytes, bool huge, const char *kind)
{
    bool reserved = kind && strcmp(kind, "hugetlb") == 0;
    int fd = kind && strcmp(kind, "anon") != 0 ? memfd_create("guest", MFD_CLOEXEC | (reserved ? MFD_HUGETLB : 0)) : -1;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes + HUGE) != 0)
        return NULL;
    uint8_t *map = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return NULL;
    map = (uint8_t *)(((uintptr_t)map + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
    if (!reserved)
        madvise(map, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += PAGE)
        map[at] = 0;
    return map;
}

static int slot_set(int vm, unsigned slot, uint64_t guest_addr, void *memory, size_t bytes, uint32_t flags)
{
    struct kvm_userspace_memory_region region = {
        .slot = slot, .flags = flags, .guest_phys_addr = guest_addr, .memory_size = bytes, .userspace_addr = (uintptr_t)memory};
    return ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region);
}

/* 4 GiB, one to one, by 2 MiB pages that CPL 3 may write. */
static void tables_write(uint8_t *low)
{
    uint64_t *top = (void *)(low + TABLE_TOP), *second = top + 512, *third = second + 512;
    top[0] = (TABLE_TOP + PAGE) | 7;
    for (uint64_t at = 0; at < 4; at++)
        second[at] = (TABLE_TOP + PAGE * (2 + at)) | 7;
    for (uint64_t at = 0; at < 4 * 512; at++)
        third[at] = at * HUGE | 0x87;
    uint64_t *small = (void *)(low + SMALL_TABLES);
    for (uint64_t at = 0; at < CHASE_MOST; at++)
        small[at] = (TOUCHED + at * PAGE) | 7;
    for (uint64_t at = 0; at < CHASE_MOST / 512; at++)
        third[SMALL_AT / HUGE + at] = (SMALL_TABLES + at * PAGE) | 7;
}

static void segments_set(struct kvm_sregs *sregs, unsigned level)
{
    struct kvm_segment code = {.limit = 0xffffffff, .selector = (uint16_t)(0x8 | level), .type = 11, .present = 1,
                               .dpl = (uint8_t)level, .s = 1, .l = 1, .g = 1};
    struct kvm_segment data = code;
    data.type = 3;
    data.selector = (uint16_t)(0x10 | level);
    data.l = 0;
    data.db = 1;
    sregs->cs = code;
    sregs->ds = sregs->es = sregs->fs = sregs->gs = sregs->ss = data;
}

static int state_set(struct guest *guest, enum phase phase)
{
    unsigned level = phase >= PAGES ? 3 : 0;
    struct kvm_sregs sregs;
    if (ioctl(guest->vcpu, KVM_GET_SREGS, &sregs) < 0)
        return -1;
    segments_set(&sregs, level);
    sregs.cr0 = 0x80050033;
    sregs.cr3 = TABLE_TOP;
    sregs.cr4 = 0x20;
    sregs.efer = 0x500;
    struct kvm_regs regs = {.rip = CODE + 0x100 * phase, .rsp = STACK, .rflags = 2 | (level ? 3 << 12 : 0),
                            .rcx = guest->settings->counts[phase], .rbx = phase == MMIOS ? MMIO : TOUCHED};
    if (phase == CHASE)
        regs.rcx = regs.rdi = 2 * guest->settings->counts[CHASE], regs.rbx = guest->chase_from;
    return ioctl(guest->vcpu, KVM_SET_SREGS, &sregs) < 0 ? -1 : ioctl(guest->vcpu, KVM_SET_REGS, &regs);
}

static bool guest_make(struct guest *guest)
{
    size_t touched = ((guest->settings->counts[PAGES] + guest->settings->counts[CHASE]) * PAGE + HUGE - 1) / HUGE * HUGE;
    guest->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    guest->vm = guest->kvm < 0 ? -1 : ioctl(guest->kvm, KVM_CREATE_VM, 0);
    if (guest->vm < 0)
        return false;
    const struct settings *settings = guest->settings;
    size_t skew = settings->skew ? PAGE : 0;
    guest->low = memory_of(LOW_BYTES, false, NULL);
    guest->touched = touched ? memory_of(touched + (skew ? HUGE : 0), settings->huge, settings->memory) : NULL;
    if (!guest->low || slot_set(guest->vm, 0, 0, guest->low, LOW_BYTES, 0) < 0)
        return false;
    if (touched && !guest->touched)
        return false;
    if (guest->touched)
        guest->touched += skew;
    if (touched && slot_set(guest->vm, 1, TOUCHED, guest->touched, touched, settings->log ? KVM_MEM_LOG_DIRTY_PAGES : 0) < 0)
        return false;
    uint8_t *extra = settings->extra ? memory_of(HUGE, false, NULL) : NULL;
    for (unsigned at = 0; at < settings->extra; at++)
        if (!extra || slot_set(guest->vm, 2 + at, EXTRA + at * UINT64_C(0x20000), extra, 0x10000, at % 2 ? KVM_MEM_READONLY : 0) < 0)
            return false;
    tables_write(guest->low);
    for (unsigned phase = 0; phase < PHASES; phase++)
        memcpy(guest->low + CODE + 0x100 * phase, phases[phase].code, phases[phase].bytes);
    guest->vcpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
    int bytes = ioctl(guest->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
    if (guest->vcpu < 0 || bytes < 0)
        return false;
    guest->run = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, guest->vcpu, 0);
    return guest->run != MAP_FAILED;
}

/* One phase up to its end; false: the guest did what it shouldn't. */
static bool phase_run(struct guest *guest, enum phase phase)
{
    if (state_set(guest, phase) < 0)
        return false;
    for (;;) {
        if (ioctl(guest->vcpu, KVM_RUN, 0) < 0) {
            if (errno == EINTR)
                continue;
            return false;
        }
        guest->exits++;
        if (guest->settings->die_after && guest->exits >= guest->settings->die_after)
            raise(SIGKILL);
        if (guest->run->exit_reason == KVM_EXIT_HLT)
            return true;
        if (guest->run->exit_reason == KVM_EXIT_IO && guest->run->io.port == 0xe8)
            return true;
        if (guest->run->exit_reason != KVM_EXIT_IO && guest->run->exit_reason != KVM_EXIT_MMIO) {
            fprintf(stderr, "guest_runner: %s: exit reason %u, suberror %u\n", phases[phase].name, guest->run->exit_reason,
                    guest->run->internal.suberror);
            return false;
        }
    }
}

/* As the probe of the same purpose lays it: src/probe/guest/host_page.c. */
static void chain_lay(struct guest *guest, uint64_t base, bool dense)
{
    uint64_t nodes = guest->settings->counts[CHASE];
    guest->chase_from = base;
    for (uint64_t at = 0; at < nodes; at++) {
        uint64_t next = (at * 1664525 + 1013904223) & (nodes - 1);
        uint64_t target = base + (dense ? next * 64 : next * PAGE + next / 16 % 64 * 64);
        memcpy(guest->touched + (dense ? at * 64 : at * PAGE + at / 16 % 64 * 64), &target, sizeof(target));
    }
}

static double tsc_hz(void)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    uint64_t from = __builtin_ia32_rdtsc();
    double seconds = 0;
    while (seconds < 0.01) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        seconds = (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9;
    }
    return (double)(__builtin_ia32_rdtsc() - from) / seconds;
}

static bool chase_run(struct guest *guest)
{
    static const struct {
        const char *name;
        uint64_t base;
        bool dense;
    } arms[] = {{"chase_dense_ps", TOUCHED, true}, {"chase_2m_ps", TOUCHED, false}, {"chase_4k_ps", SMALL_AT, false}};
    double hz = tsc_hz();
    for (int round = 0; round < CHASE_ROUNDS; round++)
        for (unsigned arm = 0; arm < 3; arm++) {
            struct kvm_regs regs;
            chain_lay(guest, arms[arm].base, arms[arm].dense);
            if (!phase_run(guest, CHASE) || ioctl(guest->vcpu, KVM_GET_REGS, &regs) < 0)
                return false;
            printf("%s %.0f\n", arms[arm].name, (double)regs.rax * 1e12 / hz / (2 * (double)guest->settings->counts[CHASE]));
        }
    return true;
}

static void *guest_run(void *context)
{
    struct guest *guest = context;
    const struct settings *settings = guest->settings;
    char name[16];
    snprintf(name, sizeof(name), "vcpu%u", guest->number % 10000);
    prctl(PR_SET_NAME, name);
    guest->failed = !guest_make(guest);
    if (guest->failed)
        fail("a machine can't be made");
    pthread_barrier_wait(guest->ready);
    pthread_barrier_wait(guest->begin);
    for (uint64_t round = 0; round < settings->rounds && !guest->failed; round++) {
        for (enum phase phase = 0; phase < PHASES && !guest->failed; phase++) {
            if (!settings->counts[phase] || (phase == PAGES && round))
                continue;
            if (phase == CHASE) {
                guest->failed = !chase_run(guest);
                guest->done[phase]++;
                continue;
            }
            for (uint64_t turn = 0; turn < (phase == HALTS ? settings->counts[phase] : 1) && !guest->failed; turn++)
                guest->failed = !phase_run(guest, phase);
            guest->done[phase] += settings->counts[phase];
        }
        if (settings->pause_ms && round + 1 < settings->rounds)
            usleep((useconds_t)settings->pause_ms * 1000);
    }
    return NULL;
}

static bool settings_read(struct settings *settings, int argc, char **argv)
{
    for (int at = 1; at < argc; at++) {
        const char *word = argv[at];
        if (strcmp(word, "--hold") == 0)
            settings->hold = true;
        else if (strcmp(word, "--wait") == 0)
            settings->wait = true;
        else if (at + 1 >= argc || strncmp(word, "--", 2) != 0)
            return false;
        else if (strcmp(word, "--memory") == 0)
            settings->memory = argv[++at];
        else if (strcmp(word, "--backing") == 0)
            settings->huge = strcmp(argv[++at], "2m") == 0;
        else {
            uint64_t value = strtoull(argv[++at], NULL, 10), *place = NULL;
            for (unsigned phase = 0; phase < PHASES; phase++)
                if (strcmp(word + 2, phases[phase].name) == 0)
                    place = &settings->counts[phase];
            place = strcmp(word, "--guests") == 0 ? &settings->guests : strcmp(word, "--rounds") == 0 ? &settings->rounds
                  : strcmp(word, "--pause-ms") == 0 ? &settings->pause_ms : strcmp(word, "--die-after") == 0
                  ? &settings->die_after : strcmp(word, "--skew") == 0 ? &settings->skew : strcmp(word, "--log") == 0 ? &settings->log
                  : strcmp(word, "--extra") == 0 ? &settings->extra : place;
            if (!place)
                return false;
            *place = value;
        }
    }
    uint64_t chase = settings->counts[CHASE];
    if (chase & (chase - 1) || chase > CHASE_MOST || (chase && (settings->guests > 1 || settings->counts[PAGES])))
        return false;
    return settings->guests >= 1 && settings->guests <= 1000;
}

static void wait_for_line(bool until_end)
{
    int letter;
    while ((letter = getchar()) != EOF && (until_end || letter != '\n'))
        ;
}

static int guests_report(const struct guest *guests, const struct settings *settings)
{
    uint64_t exits = 0, done[PHASES] = {0};
    bool failed = false;
    for (uint64_t at = 0; at < settings->guests; at++) {
        failed |= guests[at].failed;
        exits += guests[at].exits;
        for (unsigned phase = 0; phase < PHASES; phase++)
            done[phase] += guests[at].done[phase];
    }
    for (unsigned phase = 0; phase < PHASES; phase++)
        printf("%s %llu\n", phases[phase].name, (unsigned long long)done[phase]);
    printf("exits %llu\ndone\n", (unsigned long long)exits);
    fflush(stdout);
    if (settings->hold)
        wait_for_line(true);
    return failed;
}

int main(int argc, char **argv)
{
    struct settings settings = {.guests = 1, .rounds = 1};
    if (!settings_read(&settings, argc, argv)) {
        fprintf(stderr, "guest_runner: see the head of tests/tools/guest_runner.c\n");
        return 2;
    }
    if (access("/dev/kvm", R_OK | W_OK) != 0) {
        fail("no /dev/kvm");
        return 77;
    }
    pthread_barrier_t ready, begin;
    pthread_barrier_init(&ready, NULL, (unsigned)settings.guests + 1);
    pthread_barrier_init(&begin, NULL, (unsigned)settings.guests + 1);
    struct guest *guests = calloc(settings.guests, sizeof(*guests));
    if (!guests)
        return fail("no memory");
    for (uint64_t at = 0; at < settings.guests; at++) {
        guests[at] = (struct guest){.settings = &settings, .ready = &ready, .begin = &begin, .number = (unsigned)at};
        if (pthread_create(&guests[at].thread, NULL, guest_run, &guests[at]))
            return fail("no thread");
    }
    pthread_barrier_wait(&ready);
    printf("ready\n");
    fflush(stdout);
    if (settings.wait)
        wait_for_line(false);
    pthread_barrier_wait(&begin);
    for (uint64_t at = 0; at < settings.guests; at++)
        pthread_join(guests[at].thread, NULL);
    int status = guests_report(guests, &settings);
    free(guests);
    return status;
}
