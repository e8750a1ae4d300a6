/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_system.h"

#include "base/scope.h"
#include "base/vec.h"

#include <ctype.h>

/* ---- what was met ---- */

enum fact {
    FACT_STEAL,
    FACT_IO_WAIT,
    FACT_INTERRUPTS,
    FACT_SOFT_INTERRUPTS,
    FACT_KERNEL,
    FACT_PAGED_IN,
    FACT_PAGED_OUT,
    FACT_BUSY_CLOCK,
    FACT_NOMINAL_CLOCK,
    FACT_COLUMNS, /* those above stand in columns, those below one a line */
    FACT_PERIODS = FACT_COLUMNS,
    FACT_THROTTLED,
    FACT_USER_S,
    FACT_KERNEL_S,
    FACT_ELAPSED_S,
    FACT_LOADS,
    FACT_MODIFIED,
    FACT_MODIFIED_REMOTE,
    FACT_FULLEST_NODE, /* MB of its memory, by numastat */
    FACT_ALL_NODES,
    FACT_BUSIEST_NODE, /* MB/s, by pcm-memory */
    FACT_NODES_TRAFFIC,
    FACT_SPIN_WAITS_S, /* by perf lock contention */
    FACT_LOCK_WAITS_S,
    FACT_ANONYMOUS, /* kB, by smaps or meminfo */
    FACT_ANONYMOUS_HUGE,
    FACT_HUGETLB,      /* of hugetlbfs: pages, or kB */
    FACT_HUGETLB_FREE,
    FACT_LOCAL_PAGES, /* by numastat: given to who ran on their node, and to others */
    FACT_OTHER_PAGES,
    FACT_HEAT, /* how often a limit of heat was said to be reached */
    FACT_COUNT
};

struct met {
    double first, last, sum;
    size_t count;
    bool is_final; /* the tool's own average */
};

enum { TASKS_MOST = 64, TASK_NAME_MOST = 48 };

/* Of one that perf sched tells of. */
struct task {
    char name[TASK_NAME_MOST];
    double run_ms, delay_ms;
};

struct system_text {
    struct met met[FACT_COUNT];
    struct task tasks[TASKS_MOST];
    size_t task_count;
    struct text out;
    bool turned;
};

static void meet(struct system_text *system, enum fact fact, double value)
{
    struct met *met = &system->met[fact];
    met->first = met->count ? met->first : value;
    met->last = value;
    met->sum += value;
    met->count++;
}

static double mean_of(const struct met *met)
{
    return met->count ? met->sum / (double)met->count : 0;
}

/* Of a counter that was printed twice what was added between. */
static double growth_of(const struct met *met)
{
    return met->count > 1 ? met->last - met->first : met->last;
}

/* ---- tables with headings ---- */

enum { WORDS_MOST = 64 };

struct words {
    struct view items[WORDS_MOST];
    size_t count;
};

static void words_of(struct view line, struct words *words)
{
    words->count = 0;
    for (struct view word = view_word(&line); word.length && words->count < WORDS_MOST; word = view_word(&line))
        words->items[words->count++] = word;
}

static bool has(const struct words *words, const char *word)
{
    for (size_t at = 0; at < words->count; at++)
        if (view_equal(words->items[at], word))
            return true;
    return false;
}

static const struct {
    const char *heading;
    enum fact fact;
} columns[] = {{"%steal", FACT_STEAL},   {"st", FACT_STEAL},     {"%iowait", FACT_IO_WAIT}, {"wa", FACT_IO_WAIT},       {"%irq", FACT_INTERRUPTS},     {"%soft", FACT_SOFT_INTERRUPTS}, {"%sys", FACT_KERNEL},
               {"%system", FACT_KERNEL}, {"sy", FACT_KERNEL},    {"si", FACT_PAGED_IN},     {"so", FACT_PAGED_OUT},     {"Bzy_MHz", FACT_BUSY_CLOCK},  {"TSC_MHz", FACT_NOMINAL_CLOCK}};

static bool is_heading(const struct words *words)
{
    bool shares = has(words, "%idle") && (has(words, "%sys") || has(words, "%system"));
    bool vmstat = has(words, "si") && has(words, "so") && has(words, "us") && has(words, "sy") && has(words, "wa");
    return shares || vmstat || (has(words, "Bzy_MHz") && has(words, "TSC_MHz"));
}

static bool is_number(struct view word)
{
    double ignored;
    return view_grouped(word, &ignored);
}

/* How the whole machine is called in a column of CPUs. */
static bool is_of_all(const struct words *heading, const struct words *row)
{
    bool by_cpu = has(heading, "CPU") || has(heading, "Core");
    return !by_cpu || has(row, "all") || (row->count && view_equal(row->items[0], "-"));
}

/* False: no row of this table. What stands at the right end has its heading there; a row may have more or fewer words before. */
static bool row_read(struct system_text *system, const struct words *heading, const struct words *row)
{
    enum { NUMBERS_LEAST = 5 };
    size_t numbers = 0;
    while (numbers < row->count && is_number(row->items[row->count - 1 - numbers]))
        numbers++;
    bool shorter = row->count + 2 < heading->count && !has(heading, "Bzy_MHz"); /* turbostat says of a package once what is its own */
    if (numbers < NUMBERS_LEAST || shorter || row->count > heading->count + 2)
        return false;
    bool is_final = view_starts(row->items[0], "Average");
    for (size_t back = 1; back <= numbers && back <= heading->count && is_of_all(heading, row); back++)
        for (size_t at = 0; at < array_count(columns); at++) {
            struct met *met = &system->met[columns[at].fact];
            double value;
            if (!view_equal(heading->items[heading->count - back], columns[at].heading) || met->is_final || !view_grouped(row->items[row->count - back], &value))
                continue;
            if (is_final)
                *met = (struct met){.is_final = true};
            meet(system, columns[at].fact, value);
        }
    return true;
}

static void without_first(struct met *met)
{
    met->sum -= met->first;
    met->count--;
}

/* Heading and rows; false: this line is no heading. */
static bool table_read(struct system_text *system, struct view line, struct view *rest)
{
    struct words heading, row;
    struct met before[FACT_COLUMNS];
    words_of(line, &heading);
    if (!is_heading(&heading))
        return false;
    memcpy(before, system->met, sizeof(before));
    size_t rows = 0;
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        words_of(line, &row);
        bool read = row_read(system, &heading, &row);
        if (row.count && !read && !is_heading(&row))
            break;
        rows += read;
    }
    for (size_t at = 0; at < FACT_COLUMNS && rows > 1 && has(&heading, "swpd"); at++)
        if (system->met[at].count > before[at].count && !before[at].count)
            without_first(&system->met[at]);
    return true;
}

/* ---- one a line ---- */

/* "6:41.20", "1:02:03": hours, minutes, seconds. */
static bool clock_of(struct view text, double *ret_seconds)
{
    double seconds = 0, part;
    while (text.length) {
        if (!view_double(view_cut(&text, ':'), &part) || part < 0)
            return false;
        seconds = 60 * seconds + part;
    }
    *ret_seconds = seconds;
    return true;
}

static bool line_read(struct system_text *system, struct view line)
{
    static const struct {
        const char *begins;
        enum fact fact;
    } lines[] = {{"nr_periods", FACT_PERIODS},       {"nr_throttled", FACT_THROTTLED},           {"User time (seconds):", FACT_USER_S},         {"System time (seconds):", FACT_KERNEL_S},
                 {"Load Operations", FACT_LOADS},    {"Load Local HITM", FACT_MODIFIED},         {"Load Remote HITM", FACT_MODIFIED_REMOTE},
                 {"Anonymous:", FACT_ANONYMOUS},     {"AnonPages:", FACT_ANONYMOUS},             {"AnonHugePages:", FACT_ANONYMOUS_HUGE},       {"Private_Hugetlb:", FACT_HUGETLB},
                 {"HugePages_Total:", FACT_HUGETLB}, {"HugePages_Free:", FACT_HUGETLB_FREE},     {"local_node", FACT_LOCAL_PAGES},              {"other_node", FACT_OTHER_PAGES}};
    static const char elapsed[] = "Elapsed (wall clock) time (h:mm:ss or m:ss):";
    double value;
    line = view_trim(line);
    if (view_starts(line, "Linux ") && view_ends(line, "CPU)")) /* above the tables of mpstat and sar */
        return true;
    if (view_starts(line, elapsed) && clock_of(view_trim(view_skip(line, sizeof(elapsed) - 1)), &value)) {
        meet(system, FACT_ELAPSED_S, value);
        return true;
    }
    for (size_t at = 0; at < array_count(lines); at++) {
        struct view rest = view_skip(line, strlen(lines[at].begins)), word;
        if (!view_starts(line, lines[at].begins) || (rest.length && (isalnum((unsigned char)rest.text[0]) || rest.text[0] == '_')))
            continue;
        size_t numbers = 0;
        while ((word = view_word(&rest)).length)
            if (view_grouped(word, &value)) {
                meet(system, lines[at].fact, value);
                numbers++;
            } else if (!view_equal(word, ":") && !view_equal(word, "|")) {
                break;
            }
        return numbers > 0;
    }
    return false;
}

/* "3.102113000 seconds user", as perf stat puts below its counts; the elapsed time stays where it is. */
static bool times_read(struct system_text *system, struct view line)
{
    struct view rest = line;
    double value;
    if (!view_grouped(view_word(&rest), &value))
        return false;
    rest = view_trim(rest);
    if (view_starts(rest, "seconds time elapsed"))
        meet(system, FACT_ELAPSED_S, value);
    bool user = view_starts(rest, "seconds user"), kernel = view_starts(rest, "seconds sys");
    if (user || kernel)
        meet(system, user ? FACT_USER_S : FACT_KERNEL_S, value);
    return user || kernel;
}

/* "%Cpu(s): 11.0 us,  9.0 sy,  0.0 ni, 12.0 id, 68.0 wa,  0.0 hi,  0.2 si,  0.0 st", as top has it. */
static bool top_read(struct system_text *system, struct view line)
{
    static const struct {
        const char *name;
        enum fact fact;
    } shares[] = {{"st", FACT_STEAL}, {"wa", FACT_IO_WAIT}, {"sy", FACT_KERNEL}, {"hi", FACT_INTERRUPTS}, {"si", FACT_SOFT_INTERRUPTS}};
    static const char head[] = "%Cpu(s):";
    if (!view_starts(line, head))
        return false;
    for (struct view rest = view_skip(line, sizeof(head) - 1); rest.length;) {
        struct view word = view_word(&rest), name = view_word(&rest);
        double value;
        name.length -= view_ends(name, ",");
        for (size_t at = 0; at < array_count(shares); at++)
            if (view_equal(name, shares[at].name) && view_grouped(word, &value))
                meet(system, shares[at].fact, value);
    }
    return true;
}

/* "Total  46.36  61683.98  61730.34": of each node and of all, as numastat -p has it. */
static bool nodes_read(struct system_text *system, struct view line)
{
    struct words words;
    double most = 0, sum = 0, value = 0;
    words_of(line, &words);
    if (words.count < 4 || !view_equal(words.items[0], "Total"))
        return false;
    for (size_t at = 1; at < words.count; at++) {
        if (!view_grouped(words.items[at], &value))
            return false;
        if (at + 1 == words.count)
            break;
        most = value > most ? value : most;
        sum += value;
    }
    if (!(value > 0) || sum < 0.99 * value || sum > 1.01 * value) /* the last is what all have together */
        return false;
    meet(system, FACT_FULLEST_NODE, most);
    meet(system, FACT_ALL_NODES, sum);
    return true;
}

/* The rows above that one, of which it is the sum, and their heading. */
static bool node_parts_read(struct view line)
{
    static const char *const parts[] = {"Huge", "Heap", "Stack", "Private"};
    struct words words;
    words_of(line, &words);
    if (words.count > 4 && view_equal(words.items[0], "Node") && view_equal(words.items[words.count - 1], "Total"))
        return true;
    for (size_t at = 0; at < array_count(parts) && words.count >= 3; at++)
        if (view_equal(words.items[0], parts[at]) && is_number(words.items[1]) && is_number(words.items[2]))
            return true;
    return false;
}

/* "|-- NODE 0 Memory (MB/s):  131320.32 --||-- NODE 1 Memory (MB/s):       97.01 --|" */
static bool traffic_read(struct system_text *system, struct view line)
{
    static const char each[] = "Memory (MB/s):";
    double most = 0, sum = 0, value;
    size_t nodes = 0;
    if (view_find(line, "NODE ") < 0)
        return false;
    for (ptrdiff_t at; (at = view_find(line, each)) >= 0; nodes++) {
        line = view_skip(line, (size_t)at + sizeof(each) - 1);
        struct view rest = line;
        if (!view_grouped(view_word(&rest), &value))
            return false;
        most = value > most ? value : most;
        sum += value;
    }
    if (nodes < 2)
        return false;
    meet(system, FACT_BUSIEST_NODE, most);
    meet(system, FACT_NODES_TRAFFIC, sum);
    return true;
}

/* "48213  71.22 s  42.11 ms  1.48 ms  spinlock  rwsem_down_write_slowpath+0x1a4": how often, in all, at most, on average. */
static bool locks_read(struct system_text *system, struct view line)
{
    static const char *const spinning[] = {"spinlock", "rwlock"}, *const sleeping[] = {"mutex", "rwsem", "rtmutex", "percpu-rwsem", "rt-mutex", "semaphore"};
    enum { TOTAL = 1, UNIT = 2, TYPE = 7 };
    struct words words;
    double count, total;
    words_of(line, &words);
    if (words.count <= TYPE || !view_grouped(words.items[0], &count))
        return false;
    scoped_text struct text duration = {0};
    text_append(&duration, words.items[TOTAL].text, words.items[TOTAL].length);
    text_append(&duration, words.items[UNIT].text, words.items[UNIT].length);
    bool spins = false, sleeps = false;
    for (size_t at = 0; at < array_count(spinning); at++)
        spins |= view_starts(words.items[TYPE], spinning[at]);
    for (size_t at = 0; at < array_count(sleeping); at++)
        sleeps |= view_starts(words.items[TYPE], sleeping[at]);
    if (!(spins || sleeps) || !view_duration(text_view(&duration), &total))
        return false;
    meet(system, FACT_SPIN_WAITS_S, spins ? total : 0);
    meet(system, FACT_LOCK_WAITS_S, total);
    return true;
}

/* ---- perf sched ---- */

static void task_add(struct system_text *system, struct view name, double run_ms, double delay_ms)
{
    char kept[TASK_NAME_MOST] = "";
    size_t length = name.length < sizeof(kept) - 1 ? name.length : sizeof(kept) - 1, at = 0;
    if (length)
        memcpy(kept, name.text, length);
    while (at < system->task_count && strcmp(system->tasks[at].name, kept) != 0)
        at++;
    if (at == TASKS_MOST)
        return;
    if (at == system->task_count)
        memcpy(system->tasks[system->task_count++].name, kept, sizeof(kept));
    system->tasks[at].run_ms += run_ms;
    system->tasks[at].delay_ms += delay_ms;
}

/* "batchd:(8) | 41203.118 ms | 91203 | avg:   0.412 ms | max: …", as perf sched latency has it. */
static bool latency_read(struct system_text *system, struct view line)
{
    struct view name = view_trim(view_cut(&line, '|')), run = view_cut(&line, '|'), count = view_trim(view_cut(&line, '|')), mean = view_trim(view_cut(&line, '|'));
    double run_ms, switches, mean_ms;
    if (!view_grouped(view_word(&run), &run_ms) || !view_equal(view_word(&run), "ms") || !view_grouped(count, &switches))
        return false;
    if (view_equal(name, "TOTAL:"))
        return true;
    if (!view_starts(mean, "avg:"))
        return false;
    mean = view_skip(mean, strlen("avg:"));
    if (!view_grouped(view_word(&mean), &mean_ms) || run_ms < 0 || mean_ms < 0)
        return false;
    task_add(system, name, run_ms, switches * mean_ms);
    return true;
}

/* "79371.874569 [0011]  gcc[31949]   0.014   0.000   1.148", as perf sched timehist has it: waits, delays and runs. */
static bool timehist_read(struct system_text *system, struct view line)
{
    enum { TIMES = 3 };
    struct view time = view_word(&line), cpu = view_word(&line), name = view_trim(line), word;
    double ignored, times[TIMES];
    size_t count = 0;
    if (!view_double(time, &ignored) || view_find(time, ".") < 1 || !view_starts(cpu, "[") || !view_ends(cpu, "]"))
        return false;
    for (struct view rest = name; count < TIMES && (word = view_word(&rest)).length;)
        if (view_double(word, &times[count]) && times[count] >= 0)
            name.length = count++ ? name.length : (size_t)(word.text - name.text);
        else if (count)
            return false;
    name = view_trim(name);
    if (count < TIMES || !name.length)
        return false;
    if (!view_starts(name, "<idle>"))
        task_add(system, name, times[2], times[1]);
    return true;
}

/* Of those that ran much, the one that was ready without a CPU for the largest part. */
static const struct task *task_delayed_most(const struct system_text *system)
{
    static const double MUCH = 0.05;
    const struct task *most = NULL;
    double busiest_ms = 0;
    for (size_t at = 0; at < system->task_count; at++)
        busiest_ms = system->tasks[at].run_ms > busiest_ms ? system->tasks[at].run_ms : busiest_ms;
    for (size_t at = 0; at < system->task_count; at++) {
        const struct task *here = &system->tasks[at];
        bool more = !most || here->delay_ms * (most->delay_ms + most->run_ms) > most->delay_ms * (here->delay_ms + here->run_ms);
        if (here->run_ms > 0 && here->run_ms >= MUCH * busiest_ms && more)
            most = here;
    }
    return most;
}

/* ---- heat ---- */

/* What the kernel says when it lowers the clock. */
static void heat_read(struct system_text *system, struct view line)
{
    static const char *const said[] = {"temperature above threshold", "temperature/speed normal", "clock throttled", "THERMAL_THROTTLE"};
    for (size_t at = 0; at < array_count(said); at++)
        if (view_find(line, said[at]) >= 0) {
            meet(system, FACT_HEAT, 1);
            return;
        }
}

/* "TMA_....DRAM_Bound(%),52.9,50.8,…": the first number is the mean. */
static bool metric_read(struct system_text *system, struct view line)
{
    scoped_text struct text name = {0};
    struct view rest = line, word = view_trim(view_cut(&rest, ','));
    double percent;
    word = view_starts(word, "metric_") ? view_skip(word, strlen("metric_")) : word;
    if (!view_starts(word, "TMA_") || !view_ends(word, "(%)") || !view_grouped(view_trim(view_cut(&rest, ',')), &percent) || percent > 100)
        return false;
    for (size_t at = strlen("TMA_"); at + strlen("(%)") < word.length; at++)
        if (word.text[at] != '.')
            text_add_char(&name, (char)tolower((unsigned char)word.text[at]));
    text_printf(&system->out, "%.15g %% tma_%s\n", percent, text_string(&name));
    return true;
}

/* ---- what follows ---- */

enum { ROWS_MOST = 20 };

struct facts {
    struct import_row rows[ROWS_MOST];
    size_t count;
};

static void fact_add(struct facts *facts, const char *name, double part, double whole)
{
    if (!(whole > 0) || !(part >= 0) || part > whole)
        return;
    facts->rows[facts->count++] = (struct import_row){.name = name, .number = 100 * part / whole, .self = 100 * part / whole, .where = ""};
}

static void shares_add(const struct system_text *system, struct facts *facts)
{
    static const struct {
        enum fact fact;
        const char *name;
    } shares[] = {{FACT_STEAL, "%steal"}, {FACT_IO_WAIT, "%iowait"}, {FACT_KERNEL, "%sys"}};
    const struct met *met = system->met;
    bool swapped = met[FACT_PAGED_IN].sum + met[FACT_PAGED_OUT].sum > 0; /* then that is what storage was waited for */
    for (size_t at = 0; at < array_count(shares); at++)
        if (met[shares[at].fact].count && !(swapped && shares[at].fact == FACT_IO_WAIT))
            fact_add(facts, shares[at].name, mean_of(&met[shares[at].fact]), 100);
    if (met[FACT_INTERRUPTS].count && met[FACT_SOFT_INTERRUPTS].count)
        fact_add(facts, "%irq + %soft", mean_of(&met[FACT_INTERRUPTS]) + mean_of(&met[FACT_SOFT_INTERRUPTS]), 100);
    if (met[FACT_PAGED_IN].count && met[FACT_PAGED_OUT].count && met[FACT_IO_WAIT].count)
        fact_add(facts, "%iowait while it swapped", swapped ? mean_of(&met[FACT_IO_WAIT]) : 0, 100);
}

/* How much of a program's memory is on small pages; where hugetlbfs is in use, that isn't told. */
static void pages_add(const struct met *met, struct facts *facts)
{
    double huge = met[FACT_ANONYMOUS_HUGE].sum, all = met[FACT_ANONYMOUS].sum;
    bool reserved = met[FACT_HUGETLB].sum > met[FACT_HUGETLB_FREE].sum, told = all > 0 || huge <= 0; /* none of it: whatever all of it is */
    if (met[FACT_ANONYMOUS_HUGE].count && !reserved && told)
        fact_add(facts, "anonymous memory on small pages / all of it", all > 0 ? all - huge : 1, all > 0 ? all : 1);
}

static void facts_of(const struct system_text *system, struct facts *facts)
{
    const struct met *met = system->met;
    facts->count = 0;
    shares_add(system, facts);
    if (met[FACT_PERIODS].count && met[FACT_THROTTLED].count)
        fact_add(facts, "nr_throttled / nr_periods", growth_of(&met[FACT_THROTTLED]), growth_of(&met[FACT_PERIODS]));
    if (met[FACT_BUSY_CLOCK].count && met[FACT_NOMINAL_CLOCK].count)
        fact_add(facts, met[FACT_HEAT].count ? "1 - Bzy_MHz / TSC_MHz, throttled by heat," : "1 - Bzy_MHz / TSC_MHz", mean_of(&met[FACT_NOMINAL_CLOCK]) - mean_of(&met[FACT_BUSY_CLOCK]), mean_of(&met[FACT_NOMINAL_CLOCK]));
    /* Of several programs' times it isn't known which belong together. */
    if (met[FACT_USER_S].count == 1 && met[FACT_KERNEL_S].count == 1) {
        double cpu_s = met[FACT_USER_S].last + met[FACT_KERNEL_S].last;
        fact_add(facts, "sys / (user + sys)", met[FACT_KERNEL_S].last, cpu_s);
        if (met[FACT_ELAPSED_S].count == 1)
            fact_add(facts, "1 - (user + sys) / elapsed", met[FACT_ELAPSED_S].last - cpu_s, met[FACT_ELAPSED_S].last);
    }
    if (met[FACT_ALL_NODES].count)
        fact_add(facts, "memory on its fullest node / all", met[FACT_FULLEST_NODE].last, met[FACT_ALL_NODES].last);
    if (met[FACT_NODES_TRAFFIC].count)
        fact_add(facts, "traffic of the busiest node / all", met[FACT_BUSIEST_NODE].sum, met[FACT_NODES_TRAFFIC].sum);
    if (met[FACT_LOCK_WAITS_S].count) {
        fact_add(facts, "waits for spinning locks / for locks", met[FACT_SPIN_WAITS_S].sum, met[FACT_LOCK_WAITS_S].sum);
        fact_add(facts, "waits for sleeping locks / for locks", met[FACT_LOCK_WAITS_S].sum - met[FACT_SPIN_WAITS_S].sum, met[FACT_LOCK_WAITS_S].sum);
    }
    pages_add(met, facts);
    if (met[FACT_LOCAL_PAGES].count && met[FACT_OTHER_PAGES].count)
        fact_add(facts, "pages given to other nodes / all", met[FACT_OTHER_PAGES].sum, met[FACT_LOCAL_PAGES].sum + met[FACT_OTHER_PAGES].sum);
    const struct task *delayed = task_delayed_most(system);
    if (delayed)
        fact_add(facts, "ready without a CPU / ready or running", delayed->delay_ms, delayed->delay_ms + delayed->run_ms);
    if (met[FACT_LOADS].count == 1 && met[FACT_MODIFIED].count == 1)
        fact_add(facts, "HITM / loads", met[FACT_MODIFIED].last + met[FACT_MODIFIED_REMOTE].last, met[FACT_LOADS].last);
}

static void facts_keep(const struct facts *facts, struct arena *arena, struct view text, struct imported_text *ret_facts)
{
    scoped_text struct text summary = {0};
    struct import_row *rows = arena_array(arena, struct import_row, facts->count + 1);
    for (size_t at = 0; at < facts->count; at++) {
        rows[at] = facts->rows[at];
        text_printf(&summary, "%s%s %.4g %%", at ? "; " : "", rows[at].name, rows[at].number);
    }
    *ret_facts = (struct imported_text){.kind = IMPORT_UNKNOWN, .origin = SYSTEM_TABLE, .summary = arena_string(arena, text_string(&summary)), .rows = rows, .row_count = facts->count,
                                        .heading = "", .event = "", .segment = text};
}

/* The line with blanks for the bars of a table of Markdown. */
static struct view without_bars(struct view line, struct text *copy)
{
    text_clear(copy);
    for (size_t at = 0; at < line.length; at++)
        text_add_char(copy, line.text[at] == '|' || line.text[at] == '`' ? ' ' : line.text[at]);
    return text_view(copy);
}

struct view import_system_turned(struct view text, struct arena *arena, struct imported_text *ret_facts)
{
    scoped_text struct text plain = {0};
    struct system_text system = {.turned = false};
    struct facts facts;
    struct view line, rest = text;
    while (view_line(&rest, &line)) {
        struct view bare = without_bars(line, &plain);
        heat_read(&system, line);
        if (table_read(&system, line, &rest) || line_read(&system, bare) || top_read(&system, line) || nodes_read(&system, line) || node_parts_read(line) || latency_read(&system, line) || timehist_read(&system, line) || traffic_read(&system, line) || locks_read(&system, line) || times_read(&system, line)) {
            text_add_char(&system.out, '\n');
            system.turned = true;
        } else if (metric_read(&system, line)) {
            system.turned = true;
        } else {
            text_append(&system.out, line.text, line.length);
            text_add_char(&system.out, '\n');
        }
    }
    facts_of(&system, &facts);
    facts_keep(&facts, arena, text, ret_facts);
    struct view turned = system.turned ? (struct view){arena_copy(arena, system.out.bytes, system.out.length), system.out.length} : text;
    text_done(&system.out);
    return turned;
}
