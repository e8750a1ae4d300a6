// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Where does a workload's memory live, and in pages of which size? A buffer is anonymous memory that begins
 * on a 2 MiB boundary and has an inaccessible guard on either side, so that its mapping never merges with a
 * neighbour's and the kernel's count of its huge pages is its own. What the policy asks for and what the
 * kernel gave are two things: print buffer_huge_bytes(), not the policy.
 *
 * Does not support hugetlbfs or 1 GiB pages. Running out of memory ends the program.
 * Owner: whoever called buffer_init calls buffer_done.
 */
#pragma once

#include <stddef.h>

enum page_policy { PAGES_DEFAULT, PAGES_4K, PAGES_THP };

struct buffer {
    void *data;
    size_t size_bytes;
    void *reserved;
    size_t reserved_bytes;
};

/* Names the policy of --pages (4k, thp, default); ends the program when there is none of that name. */
enum page_policy page_policy_parse(const char *text);
const char *page_policy_name(enum page_policy policy);

/* Maps size_bytes of zeroes, not yet touched: pages appear at the first write. */
void buffer_init(struct buffer *buffer, size_t size_bytes, enum page_policy policy);
void buffer_done(struct buffer *buffer);

/* Bytes of this buffer in transparent huge pages now; -1 when the kernel doesn't say. */
long long buffer_huge_bytes(const struct buffer *buffer);
