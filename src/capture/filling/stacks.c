/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/filling/stacks.h"

#include "base/table_memory.h"
#include "capture/filling/places.h"
#include "decode/layout.h"

enum {
    CHAIN_WAYS = 4, /* of a line of slots, a cache line */
};

/* The mode that a mark in a call chain begins; false for marks nobody knows. */
static bool context_mode(uint64_t mark, enum cpu_mode *ret_mode)
{
    switch (mark) {
    case PERF_CONTEXT_HV:
        *ret_mode = CPU_MODE_HYPERVISOR;
        return true;
    case PERF_CONTEXT_KERNEL:
        *ret_mode = CPU_MODE_KERNEL;
        return true;
    case PERF_CONTEXT_USER:
        *ret_mode = CPU_MODE_USER;
        return true;
    case PERF_CONTEXT_GUEST:
    case PERF_CONTEXT_GUEST_KERNEL:
        *ret_mode = CPU_MODE_GUEST_KERNEL;
        return true;
    case PERF_CONTEXT_GUEST_USER:
        *ret_mode = CPU_MODE_GUEST_USER;
        return true;
    default:
        return false;
    }
}

/* Locations of frames into state->frames; returns how many. */
static size_t chain_locate(struct capture *capture, uint32_t space, const struct chain_part *part)
{
    const struct u64_view *chain = &part->words;
    enum cpu_mode mode = part->mode;
    size_t count = 0, most = FRAMES_MOST - (size_t)part->of_callers;
    for (uint32_t at = 0; at < chain->count && count < most; at++) {
        uint64_t ip = u64_view_at(chain, at);
        if (ip == CONTEXT_USER_DEFERRED) {
            at++; /* a cookie; the frames come in a record of their own */
            continue;
        }
        if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
            if (!context_mode(ip, &mode))
                break;
            continue;
        }
        capture->state->frame_ips[count] = ip;
        capture->state->frames[count++] = capture_place(capture, space, ip, mode);
    }
    return count;
}

/*
 * Words go to the two halves in turns, up to the mark `until`, which ends the part. swapped: a constant, for code
 * without questions.
 */
__attribute__((always_inline)) static inline void chain_hash_as(struct chain_ahead *chain, uint64_t until, uint32_t pid,
                                                                bool swapped)
{
    const struct u64_view words = {chain->part.words.bytes, chain->part.words.count, swapped};
    uint64_t a = 0, b = (uint64_t)chain->part.mode * 2 + chain->part.of_callers + 1, marks = 0;
    uint32_t at = 0;
    for (; at < words.count; at++) {
        uint64_t word = u64_view_at(&words, at);
        if (word >= (uint64_t)PERF_CONTEXT_MAX) {
            if (word == until)
                break;
            marks++;
        }
        uint64_t mixed = (b ^ word) * 0x9e3779b97f4a7c15u;
        b = a;
        a = mixed ^ mixed >> 29;
    }
    chain->part.words.count = at;
    chain->is_kernel = chain->part.mode == CPU_MODE_KERNEL && !marks;
    chain->hash[0] = hash_combine(a, b + at);
    chain->hash[1] = hash_u64(b ^ a << 32 ^ a >> 32 ^ (chain->is_kernel ? 0 : (uint64_t)pid << 17));
}

static void chain_hash(struct chain_ahead *chain, uint64_t until, uint32_t pid)
{
    if (chain->part.words.swapped)
        chain_hash_as(chain, until, pid, true);
    else
        chain_hash_as(chain, until, pid, false);
}

/* The hash's line of slots: whatever is mapped meanwhile, it is the same. */
static struct chain_slot *chain_line(struct capture_state *state, const struct chain_ahead *chain)
{
    return &state->chains[(chain->hash[1] >> 32) * CHAIN_WAYS & (CHAINS_KEPT - 1)];
}

/* Where the chain's stack is, or an empty slot for it: what has been there longest makes room. */
static struct chain_slot *chain_slot(struct capture *capture, uint32_t space, const struct chain_ahead *chain)
{
    const struct address_space *spaces = capture->recording.spaces.items;
    uint64_t mapped = chain->is_kernel ? 0 : hash_u64(((uint64_t)space << 32 | spaces[space].generation) + 1);
    uint64_t key = hash_combine(chain->hash[0], mapped + spaces[SPACE_KERNEL].generation);
    uint32_t more_key = (uint32_t)chain->hash[1];
    struct chain_slot *line = chain_line(capture->state, chain);
    for (size_t way = 0; way < CHAIN_WAYS; way++)
        if (line[way].key == key && line[way].more_key == more_key)
            return &line[way];
    memmove(line + 1, line, (CHAIN_WAYS - 1) * sizeof(*line));
    *line = (struct chain_slot){.key = key, .more_key = more_key};
    return line;
}

/*
 * The stack of a recorded chain. Chains repeat: the address spaces are asked only for those not met lately.
 * Two different chains with equal keys of 96 bits would be taken for one; that is less likely than a memory error.
 */
static uint32_t chain_stack(struct capture *capture, uint32_t space, const struct chain_ahead *chain)
{
    struct samples *samples = &capture->recording.samples;
    const struct chain_part *part = &chain->part;
    struct chain_slot *slot = chain_slot(capture, space, chain);
    if (!slot->stack_behind) {
        size_t count = chain_locate(capture, space, part);
        const uint32_t *frames = capture->state->frames;
        slot->stack_behind =
            1 + (part->of_callers ? samples_callers(samples, frames, count) : samples_stack(samples, frames, count));
    }
    return slot->stack_behind - 1;
}

/* What is left of a stack that nobody keeps. */
static uint32_t frames_left(struct capture_state *state, size_t count)
{
    state->frame_count = count;
    return STACK_NONE;
}

/* The instruction where the program stood: the outermost frame known when nobody unwinds the stack dump. */
static size_t leaf_of_registers(const struct capture *capture, const struct record_sample *sample, uint64_t *ret_ip)
{
    static const struct {
        const char *architecture;
        unsigned number;
    } ips[] = {{"x86_64", 8}, {"i686", 8}, {"aarch64", 32}, {"armv7l", 15}, {"riscv64", 0}, {"ppc64le", 32}};
    for (size_t at = 0; at < array_count(ips); at++)
        if (strcmp(ips[at].architecture, capture->recording.architecture) == 0)
            return sample_register(&sample_rest(sample)->user_registers, ips[at].number, ret_ip);
    return 0;
}

/* A chain by frame pointers may stand beside the dump: the dump knows more. */
static struct u64_view kernel_part(const struct u64_view *chain)
{
    struct u64_view part = *chain;
    for (part.count = 0; part.count < chain->count; part.count++)
        if (u64_view_at(chain, part.count) == (uint64_t)PERF_CONTEXT_USER)
            break;
    return part;
}

uint32_t capture_unwound_stack(struct capture *capture, uint32_t space, const struct record_sample *sample)
{
    struct capture_state *state = capture->state;
    const struct capture_unwinder *unwinder = state->options->unwinder;
    size_t user = unwinder ? unwinder->unwind(unwinder->context, &capture->recording, space, sample, state->unwound,
                                              UNWOUND_MOST)
                           : 0;
    struct u64_view kernel = kernel_part(&sample->callchain);
    if (!user && kernel.count < sample->callchain.count)
        kernel = sample->callchain;
    else if (!user)
        user = leaf_of_registers(capture, sample, state->unwound);
    state->unwound_count = user;
    size_t count = chain_locate(capture, space, &(struct chain_part){.words = kernel, .mode = CPU_MODE_USER});
    for (size_t at = 0; at < user && count < FRAMES_MOST; at++) {
        state->frame_ips[count] = state->unwound[at];
        state->frames[count++] = capture_place(capture, space, state->unwound[at], CPU_MODE_USER);
    }
    if (state->options->frames_only)
        return frames_left(state, count);
    return samples_stack(&capture->recording.samples, state->frames, count);
}

/*
 * What is wanted of a chain. The sampled instruction stands behind its first mark, unless the chain was made otherwise.
 */
static struct chain_part chain_part(const struct capture_options *options, const struct sample_head *head)
{
    const struct u64_view *chain = &head->callchain;
    struct chain_part whole = {.words = *chain, .mode = CPU_MODE_USER}, callers = {.of_callers = true};
    if (!options->callers_apart || !(head->sample_type & PERF_SAMPLE_IP) || chain->count < 2 ||
        u64_view_at(chain, 1) != head->ip || head->ip >= (uint64_t)PERF_CONTEXT_MAX ||
        !context_mode(u64_view_at(chain, 0), &callers.mode) || callers.mode != head->cpu_mode)
        return whole;
    callers.words = (struct u64_view){chain->bytes + (size_t)2 * 8, chain->count - 2, chain->swapped};
    return callers;
}

bool capture_chain_leaves_kernel(const struct u64_view *chain)
{
    return kernel_part(chain).count < chain->count;
}

bool capture_has_dump(const struct capture_options *options, const struct record_sample *sample)
{
    return options->stacks == STACKS_ALL && sample_rest(sample)->user_stack.size_bytes &&
           sample_rest(sample)->user_registers.abi;
}

uint32_t capture_chain_stack(struct capture *capture, uint32_t space, const struct chain_ahead *chain)
{
    capture->state->unwound_count = capture->state->frame_count = 0;
    if (!chain->is_wanted)
        return STACK_NONE;
    if (capture->state->options->frames_only)
        return frames_left(capture->state, chain_locate(capture, space, &chain->part));
    return chain_stack(capture, space, chain);
}

void capture_look_at_chain(struct capture_state *state, const struct sample_head *head, struct chain_ahead *chain)
{
    const struct capture_options *options = state->options;
    chain->hash[0] = chain->hash[1] = 0;
    chain->is_wanted =
        head->callchain.count &&
        (options->stacks == STACKS_ALL || (options->stacks == STACKS_IN_KERNEL && head->cpu_mode == CPU_MODE_KERNEL));
    if (!chain->is_wanted)
        return;
    chain->part = chain_part(options, head);
    if (options->frames_only) {
        chain->part.words = options->stacks == STACKS_ALL ? chain->part.words : kernel_part(&chain->part.words);
        return;
    }
    if (!state->chains)
        state->chains = table_memory_alloc(CHAINS_KEPT, sizeof(*state->chains));
    chain_hash(chain, options->stacks == STACKS_ALL ? 0 : (uint64_t)PERF_CONTEXT_USER, head->pid);
    __builtin_prefetch(chain_line(state, chain));
}

size_t capture_unwound(const struct capture *capture, const uint64_t **ret_ips)
{
    *ret_ips = capture->state->unwound;
    return capture->state->unwound_count;
}

struct capture_frames capture_frames(const struct capture *capture)
{
    const struct capture_state *state = capture->state;
    return (struct capture_frames){state->frames, state->frame_ips, state->frame_count};
}
