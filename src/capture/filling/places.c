/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/filling/places.h"

uint32_t capture_locate(struct capture *capture, uint32_t space, uint64_t runtime_addr, enum cpu_mode mode)
{
    struct recording *recording = &capture->recording;
    struct location location = {
        .dso = address_spaces_unknown_dso(&recording->spaces),
        .space = space,
        .dso_addr = runtime_addr,
        .runtime_addr = runtime_addr,
        .cpu_mode = mode,
    };
    const struct mapping *mapping = NULL;
    if (mode == CPU_MODE_USER) {
        mapping = address_spaces_find(&recording->spaces, space, runtime_addr);
    } else if (mode == CPU_MODE_KERNEL) {
        location.space = SPACE_KERNEL;
        /*
         * Code of modules loaded later has no mapping, but the kernel's table of symbols knows it. An address of the
         * lower half, taken just as the kernel was entered, isn't the kernel's when that lives in the upper one.
         */
        const struct address_space *kernel = &recording->spaces.items[SPACE_KERNEL];
        if (kernel->count && kernel->mappings[0].start >> 63 <= runtime_addr >> 63)
            location.dso = address_spaces_kernel_dso(&recording->spaces);
        mapping = address_spaces_find(&recording->spaces, SPACE_KERNEL, runtime_addr);
    }
    if (mapping) {
        location.dso = mapping->dso;
        location.dso_addr = address_spaces_dso_addr(&recording->spaces, mapping, runtime_addr);
    }
    return samples_location(&recording->samples, &location);
}

static struct address_slot *address_slot(struct capture_state *state, uint64_t ip)
{
    return &state->addresses[hash_u64(ip) & (ADDRESSES_KEPT - 1)];
}

/* capture_locate, with what it said before. Kernel code is the same to all processes. */
uint32_t capture_place(struct capture *capture, uint32_t space, uint64_t ip, enum cpu_mode mode)
{
    struct address_slot *slot = address_slot(capture->state, ip);
    uint32_t mapped_in = mode == CPU_MODE_KERNEL ? SPACE_KERNEL : space;
    uint32_t generation = capture->recording.spaces.items[mapped_in].generation;
    if (slot->used && slot->ip == ip && slot->space == mapped_in && slot->mode == mode &&
        slot->generation == generation)
        return slot->location;
    *slot = (struct address_slot){.ip = ip,
                               .space = mapped_in,
                               .generation = generation,
                               .location = capture_locate(capture, space, ip, mode),
                               .mode = (uint8_t)mode,
                               .used = true};
    return slot->location;
}

void capture_fetch_place(struct capture_state *state, uint64_t ip)
{
    __builtin_prefetch(address_slot(state, ip));
}
