/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_line.h"

#include "base/vec.h"
#include "decode/exits/exit_text.h"
#include "source/import/import_known.h"

#include <ctype.h>

static bool share_of(struct view word, double *ret_number)
{
    if (!view_ends(word, "%"))
        return false;
    word.length--;
    return view_grouped(word, ret_number);
}

/*
 * bpftrace's maps count anything: reasons have small numbers or names of their own kind, or the map is called by them.
 */
static bool is_of_exits(const struct exit_row *row)
{
    enum { REASON_MOST = 1100 };
    bool named = view_find(row->map, "reason") >= 0 || view_find(row->map, "exit") >= 0 ||
                 view_starts(row->name, "EXIT_REASON_");
    bool capitals = row->name.length > 0;
    for (size_t at = 0; at < row->name.length; at++)
        capitals &= isupper((unsigned char)row->name.text[at]) || isdigit((unsigned char)row->name.text[at]) ||
                    row->name.text[at] == '_';
    return !row->map.text || named || (row->has_number ? row->number <= REASON_MOST : capitals);
}

static bool row_of_exits(struct view line, struct import_line *row)
{
    struct exit_row exits;
    if (!exit_text_row(line, &exits) || !is_of_exits(&exits))
        return false;
    *row = (struct import_line){
        .number = exits.count, .name = exits.name, .map = exits.map, .seconds = exits.has_times ? exits.seconds : 0};
    return true;
}

static bool row_of_map(struct view line, struct import_line *row)
{
    struct exit_row counted;
    if (!exit_text_row(line, &counted) || !counted.map.text || is_of_exits(&counted))
        return false;
    *row = (struct import_line){.number = counted.count, .name = counted.name};
    return true;
}

/*
 * How long the range is that a line begins with: "[64, 128)" and "[0]" of bpftrace, "64 -> 127" of bcc; 0: there is
 * none.
 */
static size_t range_length(struct view line)
{
    bool digit = false;
    size_t at = 0;
    for (; at < line.length; at++) {
        char c = line.text[at];
        if (c == ']' || c == ')' || (c == ':' && view_find((struct view){line.text, at}, " -> ") > 0))
            break;
        digit |= isdigit((unsigned char)c) != 0;
        if (!isdigit((unsigned char)c) && !strchr("[(,. ->KMGT", c))
            return 0;
    }
    bool of_bpftrace = line.length && (line.text[0] == '[' || line.text[0] == '(');
    return digit && at < line.length && of_bpftrace == (line.text[at] != ':') ? at + 1 : 0;
}

/* "[64, 128)  20118 |@@@ |", "64 -> 127  : 20118  |*** |" */
static bool row_of_histogram(struct view line, struct import_line *row)
{
    line = view_trim(line);
    size_t length = range_length(line);
    struct view rest = view_skip(line, length);
    uint64_t count;
    if (!length || !view_u64(view_word(&rest), 10, &count))
        return false;
    row->number = (double)count;
    row->name = view_trim((struct view){line.text, length - (line.text[length - 1] == ':')});
    return true;
}

/* "RAM hit", "L2 miss", "N/A": of what perf mem has before its symbols that is the last word, and no binary. */
static bool is_of_access(struct view word)
{
    return view_equal(word, "hit") || view_equal(word, "miss") || view_equal(word, "N/A");
}

/* By what the kernel calls its threads; behind that stands the CPU, or what it is for. */
static bool is_kernel_thread(struct view command)
{
    static const char *const names[] = {"swapper",   "khugepaged", "kswapd", "kcompactd", "kworker", "ksoftirqd",
                                        "migration", "rcu_",       "rcuop/", "rcuog/",    "rcuos/",  "kthreadd",
                                        "irq/",      "jbd2/",      "ksmd",   "kauditd",   "cpuhp/",  "watchdog/"};
    for (size_t at = 0; at < array_count(names); at++) {
        size_t length = strlen(names[at]);
        bool is_open = strchr("_/", names[at][length - 1]) != NULL;
        if (view_starts(command, names[at]) &&
            (is_open || command.length == length || strchr("/:0123456789", command.text[length])))
            return true;
    }
    return false;
}

/* "31.22%  khugepaged  [kernel.kallsyms]": who ran stands before its binary, perhaps behind shares and samples. */
static bool is_of_kernel_thread(struct view before)
{
    struct view first = {0}, last = {0}, word;
    double ignored;
    while ((word = view_word(&before)).length) {
        bool is_share = !first.length && (view_ends(word, "%") || view_grouped(word, &ignored));
        first = first.length || is_share ? first : word;
        last = is_share ? last : word;
    }
    return last.text != first.text && (view_starts(last, "[") || view_starts(last, "vmlinux")) &&
           is_kernel_thread(first);
}

/* Names have single blanks in them, columns are further apart. */
static void symbol_read(struct view before, struct view behind, struct import_line *row)
{
    ptrdiff_t end = view_find(behind, "  ");
    struct view word;
    row->name = end < 0 ? behind : (struct view){behind.text, (size_t)end};
    bool is_kernels = is_of_kernel_thread(before);
    while ((word = view_word(&before)).length)
        row->where = word;
    if (is_kernels)
        row->where = view_of(IMPORT_KERNEL_THREAD);
    if (is_of_access(row->where)) {
        behind = view_skip(behind, row->name.length);
        row->where = view_word(&behind);
    }
}

/* "50.00%  90.00%  0.00%  0.00%  0x0 …  [.] take": perf c2c's shares are of one line of memory (import_c2c). */
static bool is_of_shared_line(struct view line)
{
    enum { SHARES_LEAST = 3 };
    struct view word = view_word(&line);
    size_t shares = 0;
    for (; view_ends(word, "%"); word = view_word(&line))
        shares++;
    return shares >= SHARES_LEAST && view_starts(word, "0x");
}

static bool row_of_report(struct view line, struct import_line *row)
{
    if (is_of_shared_line(line))
        return false;
    struct view first = view_word(&line);
    if (!view_ends(first, "%"))
        return false;
    first.length--;
    if (!view_grouped(first, &row->number))
        return false;
    /* With call chains there are two: of the function with what it called, and its own. */
    struct view rest = line, second = view_word(&rest);
    double own = row->number;
    if (view_ends(second, "%") && !view_grouped((struct view){second.text, second.length - 1}, &own))
        own = row->number;
    row->self = own;
    ptrdiff_t mark = view_find(line, "[.] ");
    mark = mark >= 0 ? mark : view_find(line, "[k] ");
    if (mark < 0)
        return false;
    ptrdiff_t called = view_find(line, IMPORT_CALLERS);
    row->callers = called > mark ? view_skip(line, (size_t)called + sizeof(IMPORT_CALLERS) - 1) : (struct view){0};
    line.length = called > mark ? (size_t)called : line.length;
    symbol_read((struct view){line.text, (size_t)mark}, view_trim(view_skip(line, (size_t)mark + 4)), row);
    return row->name.length > 0;
}

static bool is_metric(struct view word)
{
    return view_starts(word, "tma_") && word.length > strlen("tma_") && !view_ends(word, "_group");
}

/* What a reader wrote behind a line with an arrow is none of it. */
static struct view without_remark(struct view line)
{
    ptrdiff_t arrow = view_find(line, "--->");
    arrow = arrow >= 0 ? arrow : view_find(line, "<---");
    return arrow > 0 ? view_trim((struct view){line.text, (size_t)arrow}) : line;
}

/*
 * "41.33 │30:     mov    0x10(%rdi,%rax,8),%rdx": as perf annotate draws it, with labels, arrows of jumps, and more
 * columns.
 */
static bool row_behind_bar(struct view line, struct import_line *row)
{
    ptrdiff_t bar = view_find(line, IMPORT_LINE_BAR);
    if (bar < 0 || !view_grouped(view_trim((struct view){line.text, (size_t)bar}), &row->number) || row->number > 100)
        return false;
    for (; bar >= 0; bar = view_find(line, IMPORT_LINE_BAR))
        line = view_skip(line, (size_t)bar + sizeof(IMPORT_LINE_BAR) - 1);
    line = view_trim(line);
    struct view rest = line, label = view_trim(view_cut(&rest, ':'));
    uint64_t ignored;
    if (rest.length && view_u64(label, 16, &ignored))
        line = view_trim(rest);
    while (line.length && (line.text[0] & 0x80 || line.text[0] == ' '))
        line = view_skip(line, 1);
    row->name = line;
    return line.length > 1 && isalpha((unsigned char)line.text[0]);
}

/* "11:20:01", as tools of the system begin their lines, is no share with an address. */
static bool is_time_of_day(struct view text)
{
    static const char form[] = "dd:dd:dd";
    text = view_trim(text);
    bool is_one = text.length >= sizeof(form) - 1;
    for (size_t at = 0; is_one && at < sizeof(form) - 1; at++)
        is_one = form[at] == 'd' ? isdigit((unsigned char)text.text[at]) != 0 : text.text[at] == form[at];
    return is_one;
}

/* "steal. Somebody had": a full stop between two words, the second one with a capital letter. */
static bool has_two_sentences(struct view text)
{
    for (size_t at = 1; at + 2 < text.length; at++)
        if (islower((unsigned char)text.text[at - 1]) && text.text[at] == '.' && text.text[at + 1] == ' ' &&
            isupper((unsigned char)text.text[at + 2]))
            return true;
    return false;
}

/* "of the samples are in read_hpet", "slower, but": behind a share a part of a sentence, no line of code. */
static bool is_sentence(struct view text)
{
    static const char *const words[] = {"of",   "in",   "is", "are", "was",  "were", "on",     "at",    "to",
                                        "from", "with", "by", "and", "more", "less", "slower", "faster"};
    bool is_two = has_two_sentences(text);
    struct view word = view_word(&text);
    bool is_one = is_two || (word.length && view_ends(word, ",") && isalpha((unsigned char)word.text[0]));
    for (size_t at = 0; at < array_count(words); at++)
        is_one |= view_equal(word, words[at]);
    return is_one;
}

/* "jge b8", "jne 4011d0 <scan+0x30>": a jump of x86 with its address. */
static bool is_jump(struct view mnemonic, struct view rest)
{
    static const char *const jumps[] = {"ja",  "jae", "jb",  "jbe", "jc",  "je",   "jg",   "jge",  "jl",   "jle", "jmp",
                                        "jne", "jno", "jnp", "jns", "jnz", "jo",   "jp",   "js",   "jz",   "jna", "jnb",
                                        "jnc", "jng", "jnl", "jpe", "jpo", "jmpq", "jnae", "jnbe", "jnge", "jnle"};
    uint64_t ignored;
    struct view address = view_word(&rest);
    return view_is_any_caseless(mnemonic, jumps, sizeof(jumps) / sizeof(jumps[0])) && view_u64(address, 16, &ignored) &&
           (!view_trim(rest).length || view_starts(view_trim(rest), "<"));
}

/* "div    %r8", "vmovups %zmm3,(%rdi,%rdx,1)": a mnemonic, and registers of x86 behind it. */
static bool is_instruction(struct view text)
{
    enum { MNEMONIC_MOST = 16 };
    struct view rest = text, mnemonic = view_word(&rest);
    bool is_name = mnemonic.length > 1 && mnemonic.length <= MNEMONIC_MOST;
    for (size_t at = 0; at < mnemonic.length; at++)
        is_name &= islower((unsigned char)mnemonic.text[at]) || isdigit((unsigned char)mnemonic.text[at]);
    return is_name && (is_jump(mnemonic, rest) || view_starts(view_trim(rest), "%") || view_find(rest, "(%") >= 0 ||
                       view_find(rest, ",%") >= 0);
}

/* "33.94 :  4011a2: mov 0x58(%rax),%rax", or a share before a line of source or code. */
static bool row_of_annotate(struct view line, struct import_line *row)
{
    if (view_find(line, IMPORT_LINE_BAR) >= 0)
        return row_behind_bar(line, row);
    struct view rest = line, first = view_word(&rest);
    if (share_of(first, &row->number) && row->number <= 100) {
        row->name = without_remark(view_trim(rest));
        return row->name.length > 0 && !is_metric(row->name) && view_find(rest, "[.] ") < 0 &&
               view_find(rest, "[k] ") < 0 && !is_sentence(row->name);
    }
    if (is_time_of_day(line))
        return false;
    rest = view_trim(rest);
    rest = view_starts(rest, ":") ? view_trim(view_skip(rest, 1)) : rest;
    if (view_grouped(first, &row->number) && row->number <= 100 && is_instruction(rest)) {
        row->name = without_remark(rest);
        return true;
    }
    struct view percent = view_trim(view_cut(&line, ':'));
    if (!view_grouped(percent, &row->number) || row->number > 100 || !line.length)
        return false;
    struct view address = view_trim(view_cut(&line, ':'));
    uint64_t ignored;
    row->name = without_remark(view_trim(line));
    return row->name.length && view_u64(address, 16, &ignored);
}

static bool is_toplev_unit(struct view word)
{
    static const char *const units[] = {"Slots",       "Slots_Estimated",   "Slots_est",   "Clocks", "Clocks_Estimated",
                                        "Clocks_est",  "Clocks_Calculated", "Clocks_calc", "Stalls", "CoreClocks",
                                        "Core_Clocks", "Core_Execution",    "Uops"};
    return view_is_any_caseless(word, units, array_count(units)); /* versions differ in their capitals */
}

/* "Backend_Bound.Memory_Bound": a name of toplev's tree from its root on, which needs no unit to be known. */
static bool is_toplev_path(struct view name)
{
    static const char *const roots[] = {"Frontend_Bound", "Backend_Bound", "Bad_Speculation", "Retiring"};
    struct view root = view_cut(&name, '.');
    for (size_t at = 0; at < array_count(roots); at++)
        if (view_equal(root, roots[at]))
            return true;
    return false;
}

/*
 * "BE/Mem  Backend_Bound.Memory_Bound.DRAM_Bound  % Stalls  61.0": toplev's tree, with whatever else stands behind;
 * or "Backend_Bound.Memory_Bound  57.9", as people copy it.
 */
static bool row_of_toplev(struct view line, struct import_line *row)
{
    struct view word, name = {0};
    while ((word = view_word(&line)).length && !view_equal(word, "%") && !is_toplev_path(name))
        name = word;
    bool has_unit = view_equal(word, "%");
    struct view unit = has_unit ? view_word(&line) : (struct view){0}, number = has_unit ? view_word(&line) : word;
    if (has_unit ? !is_toplev_unit(unit) : !is_toplev_path(name))
        return false;
    number.length -= !has_unit && view_ends(number, "%");
    if (!name.length || name.text[0] < 'A' || name.text[0] > 'Z' || !view_grouped(number, &row->number))
        return false;
    for (struct view rest = name; rest.length;)
        row->name = view_cut(&rest, '.');
    row->is_of_toplev = true;
    return row->name.length && row->number >= 0 && row->number <= 100;
}

bool import_text_is_class(struct view word)
{
    static const char *const classes[] = {"frontend_bound", "backend_bound",   "bad_speculation", "frontend_memory",
                                          "backend_memory", "backend_core",    "frontend_core",   "smt_contention",
                                          "retiring_fastpath", "retiring_microcode"};
    if (is_metric(word))
        return true;
    for (size_t at = 0; at < array_count(classes); at++)
        if (view_starts(word, classes[at]) &&
            (word.length == strlen(classes[at]) || word.text[strlen(classes[at])] == '_'))
            return true;
    return false;
}

static struct view without_comma(struct view word)
{
    word.length -= view_ends(word, ",") || view_ends(word, ";");
    return word;
}

/* Without the marks of prose and Markdown around it: "`tma_dram_bound`:", "(tma_dram_bound)". */
static struct view name_alone(struct view word)
{
    while (word.length > 1 && strchr("`*(\"'", word.text[0]))
        word = view_skip(word, 1);
    while (word.length > 1 && strchr("`*)\"':,;", word.text[word.length - 1]))
        word.length--;
    return word;
}

/* "88.8 %  tma_backend_bound", "tma_dram_bound: 66.5%", with whatever else stands in the line. */
/* "If tma_dtlb_load is 12 %, …", "With huge pages it was …": a sentence of another state, or of none. */
static bool is_of_other_state(struct view line)
{
    static const char *const firsts[] = {"If", "When", "With", "Without", "After", "Before"};
    struct view first = view_word(&line);
    for (size_t at = 0; at < array_count(firsts); at++)
        if (view_equal(first, firsts[at]))
            return true;
    return false;
}

static bool row_of_metrics(struct view line, struct import_line *row)
{
    if (is_of_other_state(line))
        return false;
    if (row_of_toplev(line, row))
        return true;
    row->is_of_toplev = false;
    struct view word, before = {0};
    bool has_share = false, of_perf = view_find(line, "#") >= 0;
    row->name = (struct view){0};
    while ((word = view_word(&line)).length) {
        double percent;
        struct view name = name_alone(word), share = without_comma(word);
        if (import_text_is_class(name) || (of_perf && has_share && view_equal(name, "retiring")))
            row->name = name;
        else if (share_of(share, &percent) || (view_equal(share, "%") && view_grouped(before, &percent))) {
            row->number = percent;
            has_share = true;
        }
        before = word;
    }
    return row->name.length && has_share && row->number >= 0 && row->number <= 100;
}

/* "(66.64%)" at the end of a line: the share of the time in which it was counted; perf leaves out 100 %. */
static double running_of(struct view line)
{
    line = view_trim(line);
    double percent;
    for (size_t at = line.length; at > 0 && view_ends(line, "%)"); at--)
        if (line.text[at - 1] == '(') {
            struct view inside = {line.text + at, line.length - at - 1};
            return share_of(inside, &percent) && percent <= 100 ? percent / 100 : 1;
        }
    return 1;
}

/* "com.pool.Bag.borrow", "runtime.gcDrain", "std::sort": in code small letters follow capitals, in events none. */
static bool is_code_name(struct view name)
{
    bool is_camel = false;
    for (size_t at = 1; at < name.length; at++)
        is_camel |= isupper((unsigned char)name.text[at - 1]) && islower((unsigned char)name.text[at]);
    return view_find(name, "::") >= 0 || (is_camel && view_find(name, ".") > 0);
}

/* What perf calls events without any mark in them; all others have one: "branch-misses", "core_power.lvl2_license". */
static bool is_event_name(struct view name)
{
    static const char *const plain[] = {"cycles", "instructions", "branches", "faults", "migrations", "slots", "cs"};
    bool marked = false;
    for (size_t at = 1; at + 1 < name.length; at++)
        marked |= strchr("-_.:/", name.text[at]) != NULL;
    for (size_t at = 0; at < array_count(plain); at++)
        marked |= view_equal(name, plain[at]);
    char last = name.length ? name.text[name.length - 1] : 0;
    return marked && !is_code_name(name) && (name.text[0] | 32) >= 'a' && (name.text[0] | 32) <= 'z' &&
           (isalnum((unsigned char)last) || last == '/');
}

/* Behind an event's name stand what perf makes of it, or a reader's mark; a word belongs to a sentence. */
static bool is_behind_event(struct view rest)
{
    rest = view_trim(rest);
    return !rest.length || !isalpha((unsigned char)rest.text[0]);
}

/* "12.34 Joules power/energy-pkg/", "245.55 MiB uncore_imc/data_reads/": a unit stands before the event's name. */
static bool is_unit_of_count(struct view word)
{
    static const char *const units[] = {"Joules", "Bytes", "KiB", "MiB", "GiB", "MB", "W"};
    for (size_t at = 0; at < array_count(units); at++)
        if (view_equal(word, units[at]))
            return true;
    return false;
}

/* "<not counted>  EVENT", "<not supported>  EVENT": a number there is none. */
static bool refusal_of_stat(struct view line, struct import_line *row)
{
    static const struct {
        const char *printed, *where;
    } refusals[] = {{"<not counted>", "not counted"}, {"<not supported>", "not supported"}};
    line = view_trim(line);
    for (size_t at = 0; at < array_count(refusals); at++) {
        if (!view_starts(line, refusals[at].printed))
            continue;
        struct view rest = view_skip(line, strlen(refusals[at].printed));
        row->name = view_word(&rest);
        row->name = view_equal(row->name, "msec") ? view_word(&rest) : row->name;
        row->where = view_of(refusals[at].where);
        row->running_ratio = 0;
        return is_event_name(row->name);
    }
    return false;
}

/* "10,402,118,220  cycles  #  5.201 GHz": for how long a CPU had them; 0: it doesn't say. */
static double clock_seconds(struct view rest, double cycles)
{
    struct view word, before = {0};
    double ghz;
    if (view_find(rest, "#") < 0 || view_find(rest, "GHz") < 0)
        return 0;
    while ((word = view_word(&rest)).length) {
        if (view_equal(word, "GHz"))
            return view_double(before, &ghz) && ghz > 0 ? cycles / (ghz * 1e9) : 0;
        before = word;
    }
    return 0;
}

static bool row_of_stat(struct view line, struct import_line *row)
{
    if (refusal_of_stat(line, row))
        return true;
    row->running_ratio = 1;
    if (import_known_count(line, &row->name, &row->number))
        return !view_ends(row->name, "-clock"); /* in which unit isn't told */
    struct view whole = line, count = view_word(&line);
    /* "2." is an item of a list */
    if (!count.length || !isdigit((unsigned char)count.text[count.length - 1]) || !view_grouped(count, &row->number))
        return false;
    struct view name = view_word(&line);
    if (view_equal(name, "msec")) {
        name = view_word(&line);
        row->number *= 1e6; /* clocks count nanoseconds */
    } else if (is_unit_of_count(name)) {
        name = view_word(&line);
    } else {
        (void)!view_count(count, &row->number);
    }
    row->name = name;
    row->running_ratio = running_of(whole);
    row->seconds = view_starts(name, "cycles") || view_starts(name, "cpu") ? clock_seconds(line, row->number) : 0;
    return is_event_name(name) && is_behind_event(line);
}

/* "real 0m1.25s", as a shell's time has it. */
static bool shell_time_of(struct view line, struct import_line *row)
{
    struct view word = view_word(&line), minutes;
    double minute;
    if (!view_equal(word, "real"))
        return false;
    word = view_word(&line);
    minutes = view_cut(&word, 'm');
    if (!view_grouped(minutes, &minute) || !view_duration(word, &row->number))
        return false;
    row->number += 60 * minute;
    return true;
}

static const struct {
    const char *unit;
    double seconds;
} time_units[] = {{"s", 1},     {"sec", 1},   {"seconds", 1}, {"ms", 1e-3},   {"msec", 1e-3},
                  {"us", 1e-6}, {"ns", 1e-9}, {"min", 60},    {"minutes", 60}};

/*
 * "172ms", "172 ms", "4.2 minutes"; without a unit seconds, unless it stands behind several words or has no fraction
 * there: that could be anything.
 */
static bool seconds_of(struct view text, struct view name, double *ret_seconds)
{
    size_t digits = 0;
    while (digits < text.length &&
           (isdigit((unsigned char)text.text[digits]) || text.text[digits] == '.' || text.text[digits] == ','))
        digits++;
    struct view number = {text.text, digits}, unit = view_trim(view_skip(text, digits));
    if (!digits || !view_grouped(number, ret_seconds))
        return false;
    for (size_t at = 0; at < array_count(time_units); at++)
        if (view_equal(unit, time_units[at].unit)) {
            *ret_seconds *= time_units[at].seconds;
            return true;
        }
    return !unit.length && (!name.length || (view_find(number, ".") > 0 && view_find(name, " ") < 0));
}

/*
 * "1.412 s ± 0.093 s (1.301 s … 1.602 s, 10 runs)", "1.412 ± 0.093 s": the mean, how far runs differ, and the words of
 * that.
 */
static bool spread_of(struct view text, double *ret_seconds, double *ret_differ_s, struct view *ret_spread)
{
    ptrdiff_t sign = view_find(text, IMPORT_LINE_SPREAD);
    if (sign < 1)
        return false;
    struct view mean = view_trim((struct view){text.text, (size_t)sign}), spread = view_skip(text, (size_t)sign),
                behind = view_trim(view_skip(spread, sizeof(IMPORT_LINE_SPREAD) - 1)), number = view_word(&behind),
                unit = view_trim(behind), several_words = VIEW("a name");
    ptrdiff_t open = view_find(unit, "(");
    unit = view_trim(open >= 0 ? (struct view){unit.text, (size_t)open} : unit);
    double differs, factor = 0;
    for (size_t at = 0; at < array_count(time_units); at++)
        factor = view_equal(unit, time_units[at].unit) ? time_units[at].seconds : factor;
    if (!view_grouped(number, &differs) || !(factor > 0))
        return false;
    *ret_spread = spread;
    *ret_differ_s = differs * factor;
    if (seconds_of(mean, several_words, ret_seconds))
        return true;
    *ret_seconds = view_grouped(mean, ret_seconds) ? *ret_seconds * factor : -1;
    return *ret_seconds >= 0;
}

/* "Planning Time: 0.211 ms", "Paused Time: 0s": what a database, or a profiler, tells of one run beside its time. */
static bool is_part_of_run(struct view name)
{
    static const char *const parts[] = {"cpu", "effective", "paused", "spin", "overhead", "serial", "idle"};
    struct view word = view_word(&name), next = view_word(&name);
    return view_equal_caseless(word, "planning") || (view_is_any_caseless(word, parts, array_count(parts)) &&
                                                     view_equal_caseless(next, "time") && !view_trim(name).length);
}

/* Seconds, a run a line, perhaps behind a name: "0.164", "0.164 s", "before: 0.164 s". */
static bool row_of_runs(struct view line, struct import_line *row)
{
    enum { NAME_MOST = 40, INDENT_OF_COUNTS = 8 };
    size_t indent = line.length;
    line = view_trim(line);
    indent -= line.length;
    row->name = (struct view){0};
    line = view_starts(line, "- ") || view_starts(line, "* ") ? view_trim(view_skip(line, 2)) : line;
    /* the count below a stack, as the tools of bcc have it */
    if (indent >= INDENT_OF_COUNTS && view_u64(line, 10, &(uint64_t){0}))
        return false;
    if (shell_time_of(line, row))
        return true;
    row->is_bare = view_u64(line, 10, &(uint64_t){0});
    ptrdiff_t colon = view_find(line, ": ");
    bool named = colon > 0 && colon <= NAME_MOST;
    if (named)
        row->name = (struct view){line.text, (size_t)colon};
    if (is_part_of_run(row->name))
        return false;
    struct view time = view_trim(named ? view_skip(line, (size_t)colon + 1) : line);
    return spread_of(time, &row->number, &row->seconds, &row->where) || seconds_of(time, row->name, &row->number);
}

static bool (*const row_readers[])(struct view line, struct import_line *row) = {
    [IMPORT_EXITS] = row_of_exits, [IMPORT_REPORT] = row_of_report, [IMPORT_ANNOTATE] = row_of_annotate,
    [IMPORT_STAT] = row_of_stat,   [IMPORT_RUNS] = row_of_runs,     [IMPORT_METRICS] = row_of_metrics,
    [IMPORT_MAP] = row_of_map,     [IMPORT_HISTOGRAM] = row_of_histogram,
};

/* Tables in Markdown have bars between their columns. */
static struct view without_bars(struct view line, char *copy)
{
    if (view_find(line, "|") < 0 || line.length > IMPORT_LINE_MOST)
        return line;
    for (size_t at = 0; at < line.length; at++)
        copy[at] = line.text[at] == '|' ? ' ' : line.text[at];
    return (struct view){copy, line.length};
}

bool import_line_read(struct view line, enum import_kind kind, char copy[IMPORT_LINE_MOST],
                      struct import_line *ret_row)
{
    struct import_line row = {0};
    if (!row_readers[kind](without_bars(line, copy), &row))
        return false;
    *ret_row = row;
    return true;
}

unsigned import_line_kinds(struct view line)
{
    char copy[IMPORT_LINE_MOST];
    struct import_line row;
    unsigned kinds = 0;
    for (int kind = IMPORT_EXITS; kind < IMPORT_KIND_COUNT; kind++)
        kinds |= import_line_read(line, (enum import_kind)kind, copy, &row) ? 1u << kind : 0;
    return kinds;
}
