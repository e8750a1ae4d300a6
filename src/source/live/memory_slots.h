/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of which pieces is a running guest's memory made, as KVM knows them?
 *
 * No file tells others than the monitor. They are read from KVM's own structures: from our task to the monitor's, its
 * descriptor of the machine, and the tree of slots in it, by the offsets that the kernel's types (BTF) give. That it is
 * the right machine shows by the number of the thread that made it, which stands in it as in debugfs. Nothing is
 * locked: a tree that changes meanwhile is read again. Does not support: kernels before 5.17, which kept an array; the
 * second address space (system management mode), which has the same memory.
 */
#ifndef PLUMB_SOURCE_LIVE_MEMORY_SLOTS_H
#define PLUMB_SOURCE_LIVE_MEMORY_SLOTS_H

#include "base/arena.h"
#include "base/error.h"
#include "source/live/kernel_memory.h"
#include "system/host/kvm_statistics.h"
#include "system/host/memory_slot.h"

struct memory_slots_reader;

/* For this machine's guests. NULL: they can't be read here, and err says why. */
struct memory_slots_reader *memory_slots_reader_new(const struct sysroot *root, const struct kernel *kernel,
                                                    struct error *err);
void memory_slots_reader_free(struct memory_slots_reader *reader);
/*
 * Whose it is, where that was a guess by numbers: the process with a machine at that descriptor that this thread made.
 */
void memory_slots_owner_find(const struct memory_slots_reader *reader, const struct sysroot *root,
                             struct kvm_machine *machine);
/* slots->why_not where they aren't known. */
void memory_slots_read(const struct memory_slots_reader *reader, const struct kvm_machine *machine,
                       struct memory_slots *slots, struct arena *arena);

#endif
