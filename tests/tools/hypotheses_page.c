/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes doc/HYPOTHESES.md from the table of hypotheses and their wording: `make hypotheses`. */
#include "base/vec.h"
#include "finding/hypothesis.h"
#include "finding/wording.h"

#include <stdio.h>
#include <string.h>

static const char *const result_words[] = {
    [RESULT_RUN] = "elapsed and CPU time",
    [RESULT_ACTIVITY] = "/proc while it ran",
    [RESULT_STALLS] = "samples by instruction",
    [RESULT_COSTS] = "probes of its access patterns",
    [RESULT_KERNEL] = "samples in the kernel",
    [RESULT_WAITS] = "stacks of its waits",
    [RESULT_SURROUNDINGS] = "facts of the machine",
    [RESULT_COUNTERS] = "hardware counters",
    [RESULT_CEILINGS] = "the machine's ceilings meanwhile",
    [RESULT_PROBES] = "probes on the target (--probe)",
    [RESULT_BOTTLENECK] = "the estimated bottleneck",
    [RESULT_GUEST] = "what being a guest costs here",
    [RESULT_STATEMENTS] = "imported tables",
};
_Static_assert(array_count(result_words) == RESULT_KIND_COUNT, "words for each kind of result");

static void write_results(const char *label, unsigned mask)
{
    const char *between = "";
    printf("- %s: ", label);
    for (size_t kind = 0; kind < RESULT_KIND_COUNT; kind++)
        if (mask >> kind & 1) {
            printf("%s%s", between, result_words[kind]);
            between = ", ";
        }
    printf("%s\n", mask ? "" : "nothing else");
}

/* Sentences keep their places for values as "…". */
static void write_sentence(const char *text)
{
    for (; *text; text++) {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        if (end) {
            printf("…");
            text = end;
        } else if (*text == '<' || *text == '*' || *text == '_' || *text == '|') {
            printf("\\%c", *text);
        } else {
            putchar(*text);
        }
    }
}

static void write_keys(const char *section, const char *prefix, const char *label)
{
    bool any = false;
    size_t length = strlen(prefix);
    for (size_t at = 0; at < wording_count; at++) {
        const char *key = &wording_texts[wording_table[at].key];
        if (strcmp(&wording_texts[wording_table[at].section], section) != 0 || strncmp(key, prefix, length) != 0 ||
            (key[length] && key[length] != '-'))
            continue;
        if (!any)
            printf("- %s:\n", label);
        any = true;
        printf("  - ");
        write_sentence(&wording_texts[wording_table[at].text]);
        printf("\n");
    }
}

static void write_hypothesis(const struct hypothesis *hypothesis)
{
    printf("\n### %s (`%s`)\n\n", hypothesis->title, hypothesis->id);
    const struct {
        const char *label, *text;
    } lines[] = {{"Rule", hypothesis->rule}, {"Recoverable time", hypothesis->gain}, {"Cheapest experiment against it", hypothesis->overturn}};
    for (size_t at = 0; at < array_count(lines); at++) {
        printf("- %s: ", lines[at].label);
        write_sentence(lines[at].text);
        printf(".\n");
    }
    write_results("Needs", hypothesis->needs);
    if (hypothesis->uses & ~hypothesis->needs)
        write_results("Uses, when there", hypothesis->uses & ~hypothesis->needs);
    if (hypothesis->is_disturbance)
        printf("- Somebody else's doing: said beside the program's own causes, never before them.\n");
    write_keys(hypothesis->id, "advice", "Advice");
    write_keys(hypothesis->id, "remedy", "What would make it testable, or settle it");
}

static void write_family(const char *family, const char *heading)
{
    printf("\n## %s\n", heading);
    for (size_t at = 0; hypothesis_table[at]; at++)
        if (strcmp(hypothesis_table[at]->family, family) == 0)
            write_hypothesis(hypothesis_table[at]);
}

/* What the field calls it, where our names are others or it falls into several causes. */
static const struct field_name {
    const char *name, *ids[6];
} field_names[] = {
    {"DRAM bound", {"memory-bandwidth", "dram-latency", "numa-remote"}},
    {"L3 bound, L2 bound", {"l2-l3-latency", "cache-misses", "contended-lines"}},
    {"L1 bound", {"load-chain", "store-forwarding", "4k-aliasing", "small-pages", "atomics"}},
    {"store bound", {"stores", "small-pages", "contended-lines"}},
    {"TLB misses, page walks, 4 KiB pages", {"small-pages", "host-small-pages"}},
    {"false sharing, true sharing", {"contended-lines", "atomics"}},
    {"NUMA remote", {"numa-remote"}},
    {"bad speculation", {"branch-mispredicts", "machine-clears"}},
    {"core bound", {"divider", "latency-chain", "port-pressure", "denormals"}},
    {"FP assists", {"denormals"}},
    {"front-end bound", {"front-end", "uop-cache", "decoding", "branch-mispredicts"}},
    {"low clock", {"frequency", "thermal-power", "avx512-licence"}},
    {"GC, memory management", {"garbage-collection", "allocation", "page-faults"}},
    {"lock contention", {"lock-turns", "spinning", "kernel-locks", "contended-lines"}},
    {"I/O, sleeping, off-CPU time", {"waiting", "lock-turns", "swap"}},
    {"noisy neighbour", {"smt-sharing", "steal", "oversubscribed"}},
};

static bool is_cause(const char *id)
{
    for (size_t at = 0; hypothesis_table[at]; at++)
        if (strcmp(hypothesis_table[at]->id, id) == 0)
            return true;
    return false;
}

/* False: a name leads to a cause that isn't there. */
static bool write_field_names(void)
{
    printf("\n| in other tools and books | here |\n|---|---|\n");
    for (size_t at = 0; at < array_count(field_names); at++) {
        printf("| %s | ", field_names[at].name);
        for (size_t id = 0; id < array_count(field_names[at].ids) && field_names[at].ids[id]; id++) {
            if (!is_cause(field_names[at].ids[id]))
                return false;
            printf("%s`%s`", id ? ", " : "", field_names[at].ids[id]);
        }
        printf(" |\n");
    }
    return true;
}

int main(void)
{
    size_t count = 0;
    while (hypothesis_table[count])
        count++;
    printf("<!-- Made by `make hypotheses` from src/finding and data/advice.txt: edit those. -->\n"
           "# What plumb diagnose tests\n\n"
           "%zu causes, each with its rule. \"The effect\" is what *--effect* asks for (5 %% unless told otherwise). A verdict is made on the interval of "
           "recoverable time: all of it above the effect is supported, all of it below is ruled out, across it is undecided; \"a fact\" is a cause that is "
           "certainly there in that share, whatever its removal returns. What can't be had here is not testable, and says what would make it so. Where a "
           "measurement of plumb's leaves a cause open, imported tables are asked (plumb-diagnose(1), *--import*). \"…\" stands for a measured value.\n",
           count);
    if (!write_field_names())
        return 1;
    write_family("memory", "Memory");
    write_family("core", "Core");
    write_family("build", "Build");
    write_family("library", "Library");
    write_family("system", "System");
    return 0;
}
