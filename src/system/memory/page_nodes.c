/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/page_nodes.h"

#include "base/scope.h"

/* "N3=512" */
static bool node_parse(struct view word, uint64_t *node, uint64_t *pages)
{
    if (!view_starts(word, "N"))
        return false;
    word = view_skip(word, 1);
    struct view number = view_cut(&word, '=');
    return view_u64(number, 10, node) && *node < PAGE_NODES_MOST && view_u64(word, 10, pages);
}

static void line_add(struct page_nodes *nodes, struct view line)
{
    struct view rest = line;
    uint64_t page_kib = 4, node, pages;
    ptrdiff_t size = view_find(line, "kernelpagesize_kB=");
    if (size >= 0) {
        struct view tail = view_skip(line, (size_t)size + strlen("kernelpagesize_kB="));
        if (!view_u64(view_word(&tail), 10, &page_kib) || page_kib > UINT32_MAX)
            return;
    }
    for (struct view word = view_word(&rest); word.length; word = view_word(&rest))
        if (node_parse(word, &node, &pages) && pages < UINT64_MAX / 1024 / (page_kib + 1)) {
            nodes->bytes[node] += pages * page_kib * 1024;
            nodes->node_count = node + 1 > nodes->node_count ? node + 1 : nodes->node_count;
        }
}

void page_nodes_parse(struct page_nodes *nodes, struct view text)
{
    struct view line;
    while (view_line(&text, &line))
        line_add(nodes, line);
}

void page_nodes_read(struct page_nodes *nodes, const struct sysroot *root, pid_t pid)
{
    scoped_text struct text text = {0};
    struct error err = {0};
    *nodes = (struct page_nodes){.node_count = 0};
    if (!sysroot_read(root, &text, &err, "/proc/%d/numa_maps", pid)) {
        snprintf(nodes->why_not, sizeof(nodes->why_not), "%.*s", (int)sizeof(nodes->why_not) - 1, err.message);
        return;
    }
    page_nodes_parse(nodes, text_view(&text));
}
