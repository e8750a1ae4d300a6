/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/profile/flamegraph.h"

#include "base/scope.h"
#include "base/vec.h"

#include <inttypes.h>

enum { /* pixels; the script has the first and third, too */
    ROW = 18,
    ABOVE = 84,
    LABEL_MARGIN = 3,
    BELOW = 92,
};

static const double character_px = 7.3;

static const struct {
    const char *class, *name;
} kinds[FLAME_KIND_COUNT] = {
    [FLAME_UNKNOWN] = {"unknown", "of unknown kind"},
    [FLAME_THREAD] = {"thread", "thread names"},
    [FLAME_PROGRAM] = {"program", "program"},
    [FLAME_LIBRARY] = {"shared", "libraries"},
    [FLAME_KERNEL] = {"kernel", "kernel"},
    [FLAME_JIT] = {"jit", "JIT"},
};

/* The first `letters` of a name, as XML's text: what XML can't hold is a replacement character. */
static void add_escaped(struct text *out, const char *name, size_t letters)
{
    size_t length = strlen(name);
    for (size_t at = 0; at < length && letters; letters--) {
        size_t bytes = utf8_length(name + at, length - at);
        unsigned char c = (unsigned char)name[at];
        bool not_a_character =
            bytes == 3 && (memcmp(name + at, "\xef\xbf\xbe", 3) == 0 || memcmp(name + at, "\xef\xbf\xbf", 3) == 0);
        if (c == '&' || c == '<' || c == '>' || c == '"')
            text_add(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;");
        else if (!bytes || c < 0x20 || c == 0x7f || not_a_character)
            text_add(out, c == '\t' || c == '\n' ? " " : "\xef\xbf\xbd");
        else
            text_append(out, name + at, bytes);
        at += bytes ? bytes : 1;
    }
}

static void add_text(struct text *out, const char *string)
{
    add_escaped(out, string, SIZE_MAX);
}

/* Letters of a string as add_escaped counts them. */
static size_t letters_of(const char *string)
{
    size_t length = strlen(string), letters = 0;
    for (size_t at = 0, bytes; at < length; at += bytes ? bytes : 1, letters++)
        bytes = utf8_length(string + at, length - at);
    return letters;
}

struct drawing {
    struct text *out;
    const struct flamegraph_request *request;
    double px_per_weight;
    size_t levels; /* with the root's */
};

struct open_node {
    uint32_t node;
    size_t level;
    uint64_t start;
};

static void add_label(struct text *out, const char *name, double x, double y, double width)
{
    size_t most = width > 2 * LABEL_MARGIN ? (size_t)((width - 2 * LABEL_MARGIN) / character_px) : 0,
           letters = letters_of(name);
    if (most < 3)
        return;
    text_printf(out, "<text x=\"%.1f\" y=\"%.0f\">", x + LABEL_MARGIN, y + 13);
    add_escaped(out, name, letters <= most ? letters : most - 2);
    text_printf(out, "%s</text>", letters <= most ? "" : "..");
}

/* Neighbours of one colour are told apart by a shade that their names decide. */
static bool is_alternate(const char *name)
{
    return hash_bytes(name, strlen(name)) & 1;
}

static void add_node(const struct drawing *drawing, const struct open_node *open)
{
    const struct flamegraph_request *request = drawing->request;
    const struct call_node *node = &request->flame->tree.items[open->node];
    bool is_root = open->node == CALL_TREE_ROOT;
    const struct flame_frame *frame = is_root ? NULL : &request->flame->frames[node->place];
    const char *name = is_root ? "all" : frame->name;
    double x = FLAMEGRAPH_MARGIN + (double)open->start * drawing->px_per_weight,
           width = (double)node->total * drawing->px_per_weight;
    double y = (double)(ABOVE + ROW * (request->inverted ? open->level : drawing->levels - 1 - open->level));
    text_printf(drawing->out,
                "<g class=\"f %s%s\" data-s=\"%" PRIu64 "\" data-w=\"%" PRIu64 "\" data-l=\"%zu\"><title>",
                is_root ? "all" : kinds[frame->kind].class, is_alternate(name) ? " alt" : "", open->start, node->total,
                open->level);
    add_text(drawing->out, name);
    text_printf(drawing->out, "\n%" PRIu64 " ", node->total);
    add_text(drawing->out, request->unit);
    text_printf(drawing->out, ", %.2f %%</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>",
                100 * (double)node->total / (double)request->flame->total, x, y, width, ROW);
    add_label(drawing->out, name, x, y, width);
    text_add(drawing->out, "</g>\n");
}

/* Each before what it called, the heaviest first. */
static void add_frames(const struct drawing *drawing)
{
    const struct call_tree *tree = &drawing->request->flame->tree;
    vec(struct open_node) open = {0};
    *vec_push(&open) = (struct open_node){CALL_TREE_ROOT, 0, 0};
    while (open.count) {
        struct open_node at = open.items[--open.count];
        add_node(drawing, &at);
        size_t first = open.count;
        uint64_t start = at.start;
        for (uint32_t child = tree->items[at.node].first_child; child != CALL_NODE_NONE;
             child = tree->items[child].next_sibling) {
            *vec_push(&open) = (struct open_node){child, at.level + 1, start};
            start += tree->items[child].total;
        }
        for (size_t low = first, high = open.count; low + 1 < high; low++) { /* the first of them is read next */
            struct open_node other = open.items[--high];
            open.items[high] = open.items[low];
            open.items[low] = other;
        }
    }
    vec_done(&open);
}

static void add_tools(struct text *out, const struct flamegraph_request *request)
{
    text_printf(
        out,
        "<foreignObject x=\"%d\" y=\"50\" width=\"%" PRIu64
        "\" height=\"30\"><div xmlns=\"http://www.w3.org/1999/xhtml\" class=\"tools\">"
        "<input id=\"search\" type=\"search\" placeholder=\"search functions: /\" aria-label=\"search functions\"/>"
        "<button id=\"reset\" type=\"button\" disabled=\"disabled\" title=\"Escape\">reset zoom</button>"
        "<button id=\"invert\" type=\"button\" title=\"i\">turn over</button></div></foreignObject>\n",
        FLAMEGRAPH_MARGIN, request->width - 2 * FLAMEGRAPH_MARGIN);
}

/* The kinds that there are, each with what it took itself. */
static void add_legend(struct text *out, const struct flamegraph_request *request, size_t y)
{
    const struct flame *flame = request->flame;
    double x = FLAMEGRAPH_MARGIN;
    for (size_t kind = 0; kind < FLAME_KIND_COUNT; kind++) {
        if (!flame->self_of_kind[kind])
            continue;
        scoped_text struct text label = {0};
        text_printf(&label, "%s %.1f %%", kinds[kind].name,
                    100 * (double)flame->self_of_kind[kind] / (double)flame->total);
        double width = 18 + (double)label.length * character_px + 16;
        if (x > FLAMEGRAPH_MARGIN && x + width > (double)request->width) {
            x = FLAMEGRAPH_MARGIN;
            y += ROW;
        }
        text_printf(out,
                    "<g class=\"%s\"><rect x=\"%.0f\" y=\"%zu\" width=\"12\" height=\"12\"/></g><text class=\"faint\" "
                    "x=\"%.0f\" y=\"%zu\">%s</text>\n",
                    kinds[kind].class, x, y - 10, x + 18, y, text_string(&label));
        x += width;
    }
}

static void add_notes(struct text *out, const struct flamegraph_request *request, size_t y)
{
    const struct flame *flame = request->flame;
    scoped_text struct text note = {0};
    if (flame->folded)
        text_printf(&note, "Frames below %g px are folded into their callers: %.2f %% of all %s.", request->narrowest,
                    100 * (double)flame->folded / (double)flame->total, request->unit);
    if (flame->cut_stacks)
        text_printf(&note, "%s%" PRIu64 " stacks deeper than %d were cut.", note.length ? " " : "", flame->cut_stacks,
                    FLAME_DEPTH_MOST);
    text_printf(out, "<text id=\"notes\" class=\"faint\" x=\"%d\" y=\"%zu\">", FLAMEGRAPH_MARGIN, y);
    add_text(out, text_string(&note));
    text_add(out, "</text>\n");
}

static void add_heading(struct text *out, const struct flamegraph_request *request, size_t height)
{
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
                "width=\"%" PRIu64 "\" height=\"%zu\" viewBox=\"0 0 %" PRIu64 " %zu\">\n<title>",
                request->width, height, request->width, height);
    add_text(out, request->title);
    text_printf(out, "</title>\n<desc>Made by plumb %s</desc>\n<style>\n", PLUMB_VERSION);
    text_append(out, flamegraph_style_bytes, flamegraph_style_length);
    text_printf(
        out, "</style>\n<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n<text id=\"title\" x=\"%d\" y=\"24\">",
        FLAMEGRAPH_MARGIN);
    add_text(out, request->title);
    text_printf(out, "</text>\n<text class=\"faint\" x=\"%d\" y=\"42\">", FLAMEGRAPH_MARGIN);
    add_text(out, request->subtitle);
    text_add(out, "</text>\n");
}

void flamegraph_svg(struct text *out, const struct flamegraph_request *request)
{
    const struct flame *flame = request->flame;
    double inside = (double)(request->width - 2 * FLAMEGRAPH_MARGIN);
    struct drawing drawing = {
        .out = out, .request = request, .px_per_weight = inside / (double)flame->total, .levels = flame->depth + 1};
    size_t below = ABOVE + ROW * drawing.levels;
    add_heading(out, request, below + BELOW);
    add_tools(out, request);
    text_printf(out,
                "<g id=\"frames\" tabindex=\"0\" role=\"application\" aria-label=\"flame graph: arrow keys move, Enter "
                "zooms, Escape resets, / "
                "searches, i turns it over\" data-width=\"%.0f\" data-left=\"%d\" data-top=\"%d\" data-levels=\"%zu\" "
                "data-inverted=\"%s\" data-unit=\"",
                inside, FLAMEGRAPH_MARGIN, ABOVE, drawing.levels, request->inverted ? "yes" : "no");
    add_text(out, request->unit);
    text_add(out, "\">\n");
    add_frames(&drawing);
    text_add(out, "</g>\n");
    text_printf(out, "<text id=\"details\" aria-live=\"polite\" x=\"%d\" y=\"%zu\"> </text>\n", FLAMEGRAPH_MARGIN,
                below + 18);
    text_printf(out,
                "<text id=\"matched\" aria-live=\"polite\" x=\"%" PRIu64 "\" y=\"42\" text-anchor=\"end\"></text>\n",
                request->width - FLAMEGRAPH_MARGIN);
    add_notes(out, request, below + 36);
    add_legend(out, request, below + 56);
    text_add(out, "<script><![CDATA[\n");
    text_append(out, flamegraph_script_bytes, flamegraph_script_length);
    text_add(out, "]]></script>\n</svg>\n");
}
