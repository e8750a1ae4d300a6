/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which part of a guest's memory is which part of its monitor's? One piece as KVM was told of it
 * (KVM_SET_USER_MEMORY_REGION).
 */
#ifndef PLUMB_SYSTEM_HOST_MEMORY_SLOT_H
#define PLUMB_SYSTEM_HOST_MEMORY_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_slot {
    uint64_t guest_addr, bytes; /* guest-physical */
    uint64_t host_addr;         /* in the monitor */
    int id;
    bool logged;    /* KVM notes each page that is written (KVM_MEM_LOG_DIRTY_PAGES), and maps small ones for it */
    bool read_only; /* a ROM */
    bool is_private; /* the guest may have private memory here (guest_memfd), which the monitor doesn't map */
};

struct memory_slots {
    struct memory_slot *items; /* by guest address; owner: arena */
    size_t count;
    const char *why_not; /* not NULL: they are not known */
};

#endif
