/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/exits/exit_text.h"

#include "base/vec.h"

#include <math.h>

/* ---- numbers ---- */

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool count_of(struct view word, double *ret_count)
{
    double number;
    if (!view_grouped(word, &number) || number != floor(number))
        return false;
    *ret_count = number;
    return true;
}

static bool share_of(struct view word)
{
    double ignored;
    if (!view_ends(word, "%"))
        return false;
    word.length--;
    return view_grouped(word, &ignored);
}

/* ---- tables ---- */

/* "48", "1, 48", "0x30": the last part is the reason. */
static void key_read(struct view key, struct exit_row *row)
{
    struct view last = key, rest = key;
    while (rest.length)
        last = view_trim(view_cut(&rest, ','));
    row->has_number = view_u64(last, 0, &row->number);
    row->has_parts = last.length < key.length;
    row->name = row->has_number ? last : key;
}

static bool row_of_map(struct view line, struct exit_row *row)
{
    struct view key = view_cut(&line, ']');
    ptrdiff_t open = view_find(key, "[");
    if (open < 1 || !view_starts(line, ":"))
        return false;
    line = view_skip(line, 1);
    row->key = key;
    row->map = (struct view){key.text + 1, (size_t)open - 1};
    key = view_trim(view_skip(key, (size_t)open + 1));
    if (!key.length || !count_of(view_word(&line), &row->count))
        return false;
    struct view name = view_trim(line);
    key_read(key, row);
    row->name = name.length ? name : row->name;
    return true;
}

/* Behind the shares: one mean, or least, greatest and mean. */
static bool times_of(struct view rest, struct exit_row *row)
{
    double times[3] = {0};
    size_t count = 0;
    while (count < 3 && view_duration(view_word(&rest), &times[count]))
        count++;
    if (count != 1 && count != 3)
        return false;
    row->has_times = true;
    row->has_range = count == 3;
    row->min_s = times[0];
    row->max_s = times[1];
    row->seconds = row->count * times[count - 1];
    return count == 1 || (times[0] <= times[2] && times[2] <= times[1]);
}

/* Behind the first share: all in ns, its share, greatest, least, mean. */
static bool nanoseconds_of(struct view rest, struct exit_row *row)
{
    double total_ns, max_ns, min_ns, mean_ns;
    if (!view_grouped(view_word(&rest), &total_ns) || !share_of(view_word(&rest)) ||
        !view_grouped(view_word(&rest), &max_ns) || !view_grouped(view_word(&rest), &min_ns) ||
        !view_grouped(view_word(&rest), &mean_ns) || min_ns > max_ns)
        return false;
    row->has_times = row->has_range = true;
    row->seconds = total_ns * 1e-9;
    row->min_s = min_ns * 1e-9;
    row->max_s = max_ns * 1e-9;
    return true;
}

/* A name, which may have blanks ("PF excp"), then a count and its share. */
static bool row_of_perf(struct view line, struct exit_row *row)
{
    struct view rest = line, word;
    size_t words = 0;
    for (; (word = view_word(&rest)).length; words++) {
        struct view share_rest = rest;
        if (words && count_of(word, &row->count) && share_of(view_word(&share_rest))) {
            row->name = row->key = view_trim((struct view){line.text, (size_t)(word.text - line.text)});
            struct view second = share_rest;
            bool in_units = share_of(view_word(&second));
            return in_units ? times_of(second, row) : nanoseconds_of(share_rest, row);
        }
        if (words > 6)
            return false;
    }
    return false;
}

bool exit_text_row(struct view line, struct exit_row *ret_row)
{
    struct exit_row row = {0};
    line = view_trim(line);
    if (line.length > 1024 || !(view_starts(line, "@") ? row_of_map(line, &row) : row_of_perf(line, &row)))
        return false;
    *ret_row = row;
    return true;
}

static int map_rank(struct view map)
{
    return view_find(map, "reason") >= 0 ? 2 : view_find(map, "exit") >= 0;
}

struct view exit_text_map(struct view text)
{
    struct view best = {0};
    for (struct view line; view_line(&text, &line);) {
        struct exit_row row;
        line = view_trim(line);
        if (view_starts(line, "@") && exit_text_row(line, &row) && (!best.text || map_rank(row.map) > map_rank(best)))
            best = row.map;
    }
    return best;
}

const char *exit_text_part(const struct exit_row *row)
{
    if (!view_starts(row->name, "0x"))
        return NULL;
    return view_ends(row->name, ":POUT") || view_ends(row->name, ":PIN") ? "port accesses"
           : view_ends(row->name, ":W") || view_ends(row->name, ":R")    ? "MMIO or MSR accesses"
                                                                         : NULL;
}

/* ---- a trace's line: who, where and when ---- */

enum { CPU_DIGITS_MOST = 8 };

/* "[003]" with a blank behind it; what stands before and behind. */
static bool cut_cpu(struct view line, struct view *ret_before, struct view *ret_after, uint32_t *ret_cpu)
{
    for (size_t at = 0; at + 2 < line.length; at++) {
        struct view rest = view_skip(line, at);
        if (rest.text[0] != '[')
            continue;
        rest = view_skip(rest, 1);
        /* A CPU's number is short: a line of brackets costs no look at the rest of it for each. */
        struct view near = {rest.text, rest.length < CPU_DIGITS_MOST + 1 ? rest.length : CPU_DIGITS_MOST + 1};
        ptrdiff_t end = view_find(near, "]");
        if (end < 0)
            continue;
        struct view digits = {rest.text, (size_t)end};
        rest = view_skip(rest, (size_t)end + 1);
        uint64_t cpu;
        if (!rest.length || (rest.text[0] != ' ' && rest.text[0] != '\t') || !view_u64(digits, 10, &cpu) ||
            cpu > 1 << 20)
            continue;
        *ret_cpu = (uint32_t)cpu;
        *ret_before = view_trim((struct view){line.text, at});
        *ret_after = rest;
        return true;
    }
    return false;
}

static struct view last_of(struct view text, char separator)
{
    size_t at = text.length;
    while (at > 0 && text.text[at - 1] != separator)
        at--;
    return view_skip(text, at);
}

static bool id_of(struct view text, uint32_t *ret_id)
{
    uint64_t id;
    if (!view_u64(view_trim(text), 10, &id) || id > INT32_MAX)
        return false;
    *ret_id = (uint32_t)id;
    return true;
}

/* "CPU 0/KVM-1234", "qemu-1234  ( 1230)", "CPU 0/KVM  1230/1234", "qemu 1234" */
static bool read_who(struct view before, struct exit_event *event)
{
    if (view_ends(before, ")")) {
        struct view inside = last_of(before, '(');
        before.length -= inside.length + (inside.length < before.length);
        inside.length--;
        (void)id_of(inside, &event->process);
        before = view_trim(before);
    }
    struct view last = last_of(before, ' '), ids = last, process = view_cut(&ids, '/');
    if (id_of(ids, &event->thread) && id_of(process, &event->process))
        return true;
    return id_of(last, &event->thread) || id_of(last_of(before, '-'), &event->thread);
}

/* "1234.567890:", with up to nine digits, or a whole number of nanoseconds. */
static bool read_time(struct view word, uint64_t *ret_ns)
{
    if (!view_ends(word, ":"))
        return false;
    word.length--;
    struct view fraction = word, whole = view_cut(&fraction, '.');
    uint64_t seconds, nanoseconds = 0;
    if (!view_u64(whole, 10, &seconds) || !is_digit(whole.text[0]) || fraction.length > 9)
        return false;
    if (!fraction.length) {
        *ret_ns = seconds;
        return whole.length == word.length;
    }
    if (!view_u64(fraction, 10, &nanoseconds))
        return false;
    for (size_t digits = fraction.length; digits < 9; digits++)
        nanoseconds *= 10;
    return !__builtin_mul_overflow(seconds, (uint64_t)1000000000, ret_ns) &&
           !__builtin_add_overflow(*ret_ns, nanoseconds, ret_ns);
}

/* ---- and what ---- */

/* The number behind a word; base 16 where the kernel prints it so. */
static bool value_after(struct view rest, const char *key, int base, uint64_t *ret_value)
{
    struct view word, before = {0};
    while ((word = view_word(&rest)).length) {
        if (view_equal(before, key)) {
            if (view_ends(word, ",") || view_ends(word, ")"))
                word.length--;
            bool prefixed = view_starts(word, "0x");
            return view_u64(prefixed ? view_skip(word, 2) : word, prefixed ? 16 : base, ret_value);
        }
        before = word;
    }
    return false;
}

/* "0x4d", "77", "UNKNOWN (77)" are numbers; anything else is a name. */
static void reason_read(struct view name, struct exit_event *event)
{
    struct view inside = last_of(name, '(');
    if (inside.length < name.length && view_ends(inside, ")") && view_starts(name, "UNKNOWN"))
        name = (struct view){inside.text, inside.length - 1};
    if (!view_u64(name, 0, &event->reason))
        event->name = name;
}

static bool read_exit(struct view rest, struct exit_event *event)
{
    static const char reason[] = "reason ";
    uint64_t vcpu;
    if (value_after(rest, "vcpu", 10, &vcpu) && vcpu < 1 << 20)
        event->vcpu = (int64_t)vcpu;
    ptrdiff_t begin = view_find(rest, reason);
    if (begin < 0)
        return false;
    rest = view_skip(rest, (size_t)begin + sizeof(reason) - 1);
    ptrdiff_t end = view_find(rest, " rip ");
    struct view name = view_trim(end < 0 ? rest : (struct view){rest.text, (size_t)end});
    event->has_rip = value_after(rest, "rip", 16, &event->rip);
    if (!name.length || name.length > 48)
        return false;
    reason_read(name, event);
    return true;
}

static bool read_entry(struct view rest, struct exit_event *event)
{
    uint64_t vcpu;
    if (value_after(rest, "vcpu", 10, &vcpu) && vcpu < 1 << 20)
        event->vcpu = (int64_t)vcpu;
    return true;
}

/*
 * "reason KVM_EXIT_IO (2)", and one that the kernel has no word for: "reason 0x29 (41)"; an errno: "reason restart
 * (4)", "reason error (14)"
 */
static bool read_userspace(struct view rest, struct exit_event *event)
{
    struct view inside = last_of(rest, '(');
    if (!view_ends(inside, ")"))
        return false;
    inside.length--;
    if (!view_u64(inside, 10, &event->reason) || event->reason > 4095)
        return false;
    if (view_starts(rest, "reason restart ") || view_starts(rest, "reason error ")) {
        event->object = (uint64_t)-(int64_t)event->reason;
        event->has_object = true;
    }
    return true;
}

static bool read_pio(struct view rest, struct exit_event *event)
{
    event->reason = view_starts(rest, "pio_write");
    event->has_object = value_after(rest, "at", 16, &event->object);
    return event->has_object;
}

static bool read_cpuid(struct view rest, struct exit_event *event)
{
    event->has_object = value_after(rest, "func", 16, &event->object);
    return event->has_object;
}

static bool read_msr(struct view rest, struct exit_event *event)
{
    event->reason = view_starts(rest, "msr_write");
    event->has_object = value_after(rest, event->reason ? "msr_write" : "msr_read", 16, &event->object);
    return event->has_object;
}

static bool read_mmio(struct view rest, struct exit_event *event)
{
    static const char *const kinds[] = {"mmio unsatisfied-read ", "mmio read ", "mmio write "};
    event->has_object = value_after(rest, "gpa", 16, &event->object);
    for (size_t at = 0; at < array_count(kinds); at++)
        if (view_starts(rest, kinds[at])) {
            event->reason = at;
            return event->has_object;
        }
    return false;
}

static bool read_fast_mmio(struct view rest, struct exit_event *event)
{
    event->has_object = value_after(rest, "gpa", 16, &event->object);
    return event->has_object;
}

static bool read_hypercall(struct view rest, struct exit_event *event)
{
    event->has_object = value_after(rest, "nr", 16, &event->object);
    return event->has_object;
}

static bool read_page_fault(struct view rest, struct exit_event *event)
{
    event->has_rip = value_after(rest, "rip", 16, &event->rip);
    return true;
}

static bool read_spte(struct view rest, struct exit_event *event)
{
    return value_after(rest, "level", 10, &event->reason) && event->reason < 8;
}

static bool read_emulate(struct view rest, struct exit_event *event)
{
    view_cut(&rest, ':');
    event->has_rip = view_u64(view_cut(&rest, ':'), 16, &event->rip);
    return event->has_rip;
}

/* "rip: 1000 reason: MSR_WRITE p1: 6e0 p2: 0", or a number where the kernel has no word */
static bool read_tdvmcall(struct view rest, struct exit_event *event)
{
    static const char reason[] = "reason: ";
    ptrdiff_t begin = view_find(rest, reason), end = view_find(rest, " p1:");
    event->has_rip = value_after(rest, "rip:", 16, &event->rip);
    if (begin < 0 || end < begin + (ptrdiff_t)sizeof(reason))
        return false;
    struct view name =
        view_trim((struct view){rest.text + begin + sizeof(reason) - 1, (size_t)(end - begin) - (sizeof(reason) - 1)});
    if (!name.length || name.length > 48)
        return false;
    reason_read(name, event);
    return true;
}

static bool (*const readers[EXIT_POINT_COUNT])(struct view rest, struct exit_event *event) = {
    [EXIT_POINT_EXIT] = read_exit,           [EXIT_POINT_ENTRY] = read_entry,
    [EXIT_POINT_USERSPACE] = read_userspace, [EXIT_POINT_PIO] = read_pio,
    [EXIT_POINT_CPUID] = read_cpuid,         [EXIT_POINT_MSR] = read_msr,
    [EXIT_POINT_MMIO] = read_mmio,           [EXIT_POINT_FAST_MMIO] = read_fast_mmio,
    [EXIT_POINT_HYPERCALL] = read_hypercall, [EXIT_POINT_PAGE_FAULT] = read_page_fault,
    [EXIT_POINT_SET_SPTE] = read_spte,       [EXIT_POINT_EMULATE] = read_emulate,
    [EXIT_POINT_TDVMCALL] = read_tdvmcall,
};

bool exit_text_event(struct view line, struct exit_event *ret_event)
{
    struct exit_event event = {.vcpu = -1};
    struct view before, rest, word;
    if (line.length > 4096 || !cut_cpu(line, &before, &rest, &event.cpu) || !read_who(before, &event))
        return false;
    bool timed = false;
    for (size_t words = 0; !timed && words < 4 && (word = view_word(&rest)).length; words++)
        timed = read_time(word, &event.time_ns);
    word = view_word(&rest);
    /* Between the two: "(+5)" of trace-cmd report --ts-diff, the period of perf script -F +period. */
    uint64_t period;
    if (view_starts(word, "(+") || view_u64(word, 10, &period))
        word = view_word(&rest);
    if (!timed || !view_ends(word, ":"))
        return false;
    word.length--;
    event.point = exit_point_of(last_of(word, ':'));
    if (event.point == EXIT_POINT_COUNT || !readers[event.point] || !readers[event.point](view_trim(rest), &event))
        return false;
    *ret_event = event;
    return true;
}

/*
 * "PERF_RECORD_LOST lost 17" behind who and when, "# Total Lost Samples: 3", "Lost events: 3": the number behind these
 * words.
 */
static bool lost_of_perf(struct view line, uint64_t *ret_count)
{
    static const char *const words[] = {"PERF_RECORD_LOST lost ", "PERF_RECORD_LOST_SAMPLES lost ",
                                        "Total Lost Samples: ", "Lost events: "};
    for (size_t at = 0; at < array_count(words); at++) {
        ptrdiff_t begin = view_find(line, words[at]);
        struct view rest = begin < 0 ? (struct view){0} : view_skip(line, (size_t)begin + strlen(words[at]));
        if (begin >= 0 && view_u64(view_word(&rest), 10, ret_count) && *ret_count < (uint64_t)1 << 60)
            return true;
    }
    return false;
}

/* "CPU:2 [LOST 1234 EVENTS]", "CPU:2 [1234 EVENTS DROPPED]", "CPU:2 [EVENTS DROPPED]" */
bool exit_text_lost(struct view line, uint64_t *ret_count)
{
    line = view_trim(line);
    if (lost_of_perf(line, ret_count))
        return true;
    if (!view_starts(line, "CPU") || (view_find(line, " EVENTS]") < 0 && view_find(line, "EVENTS DROPPED") < 0))
        return false;
    struct view word;
    uint64_t count = 1, number;
    ptrdiff_t open = view_find(line, "[");
    for (line = view_skip(line, open < 0 ? 0 : (size_t)open + 1); (word = view_word(&line)).length;)
        if (view_u64(word, 10, &number) && number < (uint64_t)1 << 60)
            count = number;
    *ret_count = count;
    return true;
}
