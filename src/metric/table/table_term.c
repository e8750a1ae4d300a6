/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events as formulas write them: names with modifiers, in both publishers' spelling, and how perf would spell them. */
#include "metric/event_name.h"
#include "metric/table/table_build.h"

#include <ctype.h>

/* Fields of the register that holds a CPU's top-down shares, and what sysfs calls them. */
static const struct {
    const char *field, *alias;
    uint64_t umask;
} topdown_fields[] = {
    {"perf_metrics.retiring", "topdown-retiring", 0x80},
    {"perf_metrics.bad_speculation", "topdown-bad-spec", 0x81},
    {"perf_metrics.frontend_bound", "topdown-fe-bound", 0x82},
    {"perf_metrics.backend_bound", "topdown-be-bound", 0x83},
    {"perf_metrics.heavy_operations", "topdown-heavy-ops", 0x84},
    {"perf_metrics.branch_mispredicts", "topdown-br-mispredict", 0x85},
    {"perf_metrics.fetch_latency", "topdown-fetch-lat", 0x86},
    {"perf_metrics.memory_bound", "topdown-mem-bound", 0x87},
};

/* Events outside the cores, which core tables name in formulas without saying their encoding. */
static const struct {
    const char *prefix, *pmu, *more;
} elsewhere[] = {
    {"unc_cha_", "uncore_cha", NULL},   {"unc_c_", "uncore_cbox", NULL},   {"unc_m2m_", "uncore_m2m", NULL},
    {"unc_m_", "uncore_imc", NULL},     {"unc_mchbm_", "uncore_hbm", NULL}, {"unc_upi_", "uncore_upi", NULL},
    {"unc_iio_", "uncore_iio", NULL},   {"unc_i_", "uncore_irp", NULL},    {"unc_p_", "uncore_pcu", NULL},
    {"unc_b2cmi_", "uncore_b2cmi", NULL}, {"unc_", "uncore", NULL},
    {"freerun_pkg_energy_status", "power", "energy-pkg"},
    {"freerun_dram_energy_status", "power", "energy-ram"},
    {"msr_event", "msr", NULL},
};

/* Which counter counts an event whose published code is the fixed counter's number, as Linux takes it. */
static const struct {
    const char *name;
    uint64_t event, umask;
    bool any_thread;
} fixed_codes[] = {
    {"inst_retired.any", 0xc0, 0, false},
    {"cpu_clk_unhalted.thread", 0x3c, 0, false},
    {"cpu_clk_unhalted.core", 0x3c, 0, false},
    {"cpu_clk_unhalted.thread_any", 0x3c, 0, true},
};

static void event_take(struct metric_table *table, uint32_t index, struct table_term *term)
{
    const struct table_event *event = &table->events.items[index];
    term->event = index;
    term->pmu = event->pmu;
    term->code = event->code;
    if (event->fixed >= 0)
        for (size_t at = 0; at < array_count(fixed_codes); at++)
            if (strcmp(event->name, fixed_codes[at].name) == 0) {
                term->code.event = fixed_codes[at].event;
                term->code.umask = fixed_codes[at].umask;
                term->code.any_thread = fixed_codes[at].any_thread;
            }
}

static bool topdown_take(const struct metric_table *table, struct view name, struct table_term *term)
{
    uint32_t slots = table_event_find(table, VIEW("topdown.slots"));
    if (slots == TABLE_NONE)
        return false;
    if (view_equal_caseless(name, "slots")) {
        term->event = slots;
        term->code = table->events.items[slots].code;
        return true;
    }
    for (size_t at = 0; at < array_count(topdown_fields); at++)
        if (view_equal_caseless(name, topdown_fields[at].field) ||
            view_equal_caseless(name, topdown_fields[at].alias)) {
            term->code = (struct event_code){.known = true, .umask = topdown_fields[at].umask};
            return true;
        }
    return false;
}

/* Names that the kernel itself knows; perf writes them in formulas, too. */
static bool generic_take(struct metric_table *table, struct view name, struct table_term *term)
{
    uint64_t config;
    if (event_name_find(name) < 0 && !event_cache_parse(name, &config))
        return false;
    term->pmu = "";
    term->code = (struct event_code){.known = true, .more = arena_string_n(&table->arena, name.text, name.length)};
    return true;
}

static bool elsewhere_take(struct view name, struct table_term *term)
{
    for (size_t at = 0; at < array_count(elsewhere); at++)
        if (view_starts_caseless(name, elsewhere[at].prefix)) {
            term->pmu = elsewhere[at].pmu;
            term->code = (struct event_code){.known = elsewhere[at].more != NULL, .more = elsewhere[at].more};
            return true;
        }
    return false;
}

/* Without "[0]": the first instance of an event outside the cores. */
static struct view instance_cut(struct view name, struct table_term *term)
{
    const char *bracket = memchr(name.text, '[', name.length);
    if (bracket) {
        term->one_unit = true;
        name.length = (size_t)(bracket - name.text);
    }
    return name;
}

/* ---- raw: what the register that selects an event holds ---- */

/* Sources: Intel SDM 3B, IA32_PERFEVTSELx; AMD APM 2, PerfEvtSeln; Arm ARM, PMEVTYPERn.evtCount. */
static void config_take(const struct metric_table *table, uint64_t config, struct event_code *code)
{
    enum microarchitecture_vendor vendor = metric_table_vendor(table);
    code->known = true;
    code->event = config & 0xffff;
    if (vendor == MICROARCHITECTURE_ARM)
        return;
    code->event = (config & 0xff) | (vendor == MICROARCHITECTURE_AMD ? config >> 32 << 8 & 0xf00 : 0);
    code->umask = config >> 8 & 0xff;
    code->edge = config >> 18 & 1;
    code->any_thread = vendor == MICROARCHITECTURE_INTEL && (config >> 21 & 1);
    code->invert = config >> 23 & 1;
    code->cmask = config >> 24 & 0xff;
}

/* perf's rNNN: hexadecimal. */
static bool raw_take(const struct metric_table *table, struct view name, struct table_term *term)
{
    uint64_t config;
    if (name.length < 2 || name.text[0] != 'r' || !isxdigit((unsigned char)name.text[1]) ||
        !view_u64(view_skip(name, 1), 16, &config))
        return false;
    config_take(table, config, &term->code);
    return true;
}

static bool event_named_take(struct metric_table *table, struct view name, struct table_term *term)
{
    name = instance_cut(name, term);
    uint32_t index = table_event_find(table, name);
    if (index != TABLE_NONE)
        event_take(table, index, term);
    return index != TABLE_NONE || topdown_take(table, name, term) || elsewhere_take(name, term) ||
           generic_take(table, name, term) || raw_take(table, name, term);
}

/* ---- perfmon's modifiers: c1, e1, i1, u0x80, sup, user, percore, name=value ---- */

static void more_add(struct metric_table *table, struct event_code *code, struct view key, struct view value)
{
    code->more = arena_printf(&table->arena, "%s%s%.*s=%.*s", code->more ? code->more : "", code->more ? "," : "",
                              (int)key.length, key.text, (int)value.length, value.text);
}

static bool term_flag_take(struct view word, struct table_term *term)
{
    if (view_equal_caseless(word, "sup"))
        term->kernel_only = true;
    else if (view_equal_caseless(word, "user"))
        term->user_only = true;
    else if (view_equal_caseless(word, "percore"))
        term->whole_core = true;
    else if (view_equal_caseless(word, "one_unit"))
        term->one_unit = true;
    else if (view_equal_caseless(word, "retire_latency"))
        term->kind = TERM_LATENCY;
    else
        return view_equal_caseless(word, "perf_metrics") || view_equal_caseless(word, "eq1");
    return true;
}

/* perf's letters: u k R and those that change what is allowed, not what is counted. */
static bool letters_take(struct view word, struct table_term *term)
{
    for (size_t at = 0; at < word.length; at++)
        if (!strchr("ukhGHIpPRDSWe", word.text[at]))
            return false;
    for (size_t at = 0; at < word.length; at++) {
        term->user_only |= word.text[at] == 'u';
        term->kernel_only |= word.text[at] == 'k';
        if (word.text[at] == 'R')
            term->kind = TERM_LATENCY;
    }
    if (term->user_only && term->kernel_only)
        term->user_only = term->kernel_only = false;
    return word.length > 0;
}

static bool number_modifier_take(struct view word, struct table_term *term)
{
    uint64_t number;
    if (word.length < 2 || !view_u64(view_skip(word, 1), 0, &number))
        return false;
    switch (tolower((unsigned char)word.text[0])) {
    case 'c': term->code.cmask = number; return true;
    case 'e': term->code.edge = number != 0; return true;
    case 'i': term->code.invert = number != 0; return true;
    case 'u': term->code.umask = number; return true;
    default: return false;
    }
}

static bool modifier_take(struct metric_table *table, struct view word, struct table_term *term)
{
    struct view value = word, key = view_cut(&value, '=');
    if (key.length == word.length)
        return number_modifier_take(word, term) || term_flag_take(word, term) || letters_take(word, term);
    if (view_equal_caseless(key, "ocr_msr_val"))
        return view_u64(value, 0, &term->code.offcore);
    more_add(table, &term->code, key, value);
    return true;
}

/* ---- perf's terms inside pmu/…/ ---- */

static bool code_term_take(struct event_code *code, struct view key, uint64_t number)
{
    static const struct {
        const char *key;
        size_t offset;
    } numbers[] = {
        {"event", offsetof(struct event_code, event)},       {"umask", offsetof(struct event_code, umask)},
        {"cmask", offsetof(struct event_code, cmask)},       {"offcore_rsp", offsetof(struct event_code, offcore)},
        {"frontend", offsetof(struct event_code, frontend)}, {"ldlat", offsetof(struct event_code, latency)},
    };
    for (size_t at = 0; at < array_count(numbers); at++)
        if (view_equal(key, numbers[at].key)) {
            memcpy((char *)code + numbers[at].offset, &number, sizeof(number));
            code->known |= at == 0;
            return true;
        }
    bool *flag = view_equal(key, "edge") ? &code->edge
                 : view_equal(key, "inv") ? &code->invert
                 : view_equal(key, "any") ? &code->any_thread : NULL;
    if (flag)
        *flag = number != 0;
    return flag != NULL;
}

/* They change nothing of what is counted. */
static bool is_of_sampling(struct view key)
{
    return view_equal(key, "period") || view_equal(key, "freq") || view_equal(key, "name") ||
           view_equal(key, "metric-id");
}

static void slashed_term_take(struct metric_table *table, struct view part, struct table_term *term)
{
    struct view value = part, key = view_cut(&value, '=');
    bool is_pair = key.length < part.length;
    uint64_t number = 1;
    if (is_pair && !is_of_sampling(key) && !view_u64(value, 0, &number)) {
        more_add(table, &term->code, key, value);
        return;
    }
    if (code_term_take(&term->code, key, number) || is_of_sampling(key))
        return;
    if (is_pair && !term->pmu && view_equal(key, "config"))
        config_take(table, number, &term->code);
    else if (is_pair)
        more_add(table, &term->code, key, value);
    else if (term->event == TABLE_NONE && !term->code.known) /* an event of that PMU's own folder in sysfs */
        term->code = (struct event_code){.known = true, .more = arena_string_n(&table->arena, part.text, part.length)};
}

/* A hybrid's small cores (cpu_atom) have tables of their own. */
bool table_is_core_pmu(struct view pmu)
{
    return view_equal(pmu, "cpu") || view_equal(pmu, "cpu_core") || view_starts(pmu, "armv8_");
}

/* pmu@terms@modifiers, or the same with slashes. */
static bool slashed_resolve(struct metric_table *table, struct view name, struct table_term *term)
{
    char mark = memchr(name.text, '@', name.length) ? '@' : '/';
    const char *first = memchr(name.text, mark, name.length), *last = memrchr(name.text, mark, name.length);
    if (!first || first == last || first == name.text)
        return false;
    struct view pmu = {name.text, (size_t)(first - name.text)}, terms = {first + 1, (size_t)(last - first - 1)};
    struct view letters = {last + 1, (size_t)(name.text + name.length - last - 1)}, rest = terms;
    struct view event = view_cut(&rest, ',');
    uint32_t index = table_event_find(table, event);
    term->pmu = table_is_core_pmu(pmu) ? NULL : arena_string_n(&table->arena, pmu.text, pmu.length);
    if (index != TABLE_NONE) {
        const char *named = term->pmu;
        event_take(table, index, term);
        term->pmu = named ? named : term->pmu;
    } else if (term->pmu || !(topdown_take(table, event, term) || raw_take(table, event, term))) {
        rest = terms;
    }
    while (rest.length) {
        struct view part = view_trim(view_cut(&rest, ','));
        if (part.length)
            slashed_term_take(table, part, term);
    }
    if (letters.length && letters.text[0] == ':')
        letters = view_skip(letters, 1);
    return !letters.length || letters_take(letters, term);
}

static bool colons_resolve(struct metric_table *table, struct view name, struct table_term *term, struct error *err)
{
    struct view rest = name, event = view_cut(&rest, ':');
    if (!event_named_take(table, event, term))
        return error_set(err, ERROR_NOT_FOUND, "these tables have no event '%.*s'", (int)event.length, event.text);
    while (rest.length) {
        struct view word = view_cut(&rest, ':');
        if (view_starts(event, "MSR_EVENT") || view_starts(event, "msr_event")) {
            struct view value = word, key = view_cut(&value, '=');
            more_add(table, &term->code, key, value);
        } else if (!modifier_take(table, word, term)) {
            return error_set(err, ERROR_NOT_FOUND, "'%.*s' has a modifier that plumb doesn't know: '%.*s'",
                             (int)name.length, name.text, (int)word.length, word.text);
        }
    }
    return true;
}

/* The name that inputs go by: in lower case, without what changes nothing. */
static const char *canonical_name(struct metric_table *table, struct view name)
{
    char *lower = (char *)table_lower(table, name);
    char *meaningless = strstr(lower, ":perf_metrics");
    if (meaningless)
        memmove(meaningless, meaningless + strlen(":perf_metrics"), strlen(meaningless + strlen(":perf_metrics")) + 1);
    for (char *at = lower; *at; at++)
        if (*at == '@')
            *at = '/';
    return lower;
}

bool table_term_resolve(struct metric_table *table, struct view name, uint32_t *ret_term, struct error *err)
{
    struct table_term term = {.event = TABLE_NONE};
    if (memchr(name.text, '@', name.length) || memchr(name.text, '/', name.length)) {
        if (!slashed_resolve(table, name, &term))
            return error_set(err, ERROR_NOT_FOUND, "'%.*s' is no event as perf writes them", (int)name.length,
                             name.text);
    } else if (!colons_resolve(table, name, &term, err)) {
        return false;
    }
    term.name = canonical_name(table, name);
    *ret_term = table_term_put(table, &term);
    return true;
}

/* ---- as perf spells it ---- */

static void pair_write(struct text *text, const char *key, uint64_t value, bool *first)
{
    if (!value)
        return;
    text_printf(text, "%s%s=0x%llx", *first ? "" : ",", key, (unsigned long long)value);
    *first = false;
}

static void code_write(const struct event_code *code, bool is_core, struct text *text)
{
    bool first = true, by_name = code->more && !strchr(code->more, '=');
    if (by_name) {
        text_add(text, code->more);
        return;
    }
    text_printf(text, "event=0x%llx", (unsigned long long)code->event);
    first = false;
    pair_write(text, "umask", code->umask, &first);
    pair_write(text, is_core ? "cmask" : "thresh", code->cmask, &first);
    pair_write(text, "inv", code->invert, &first);
    pair_write(text, "edge", code->edge, &first);
    pair_write(text, "any", code->any_thread, &first);
    pair_write(text, "offcore_rsp", code->offcore, &first);
    pair_write(text, "frontend", code->frontend, &first);
    pair_write(text, "ldlat", code->latency, &first);
    if (code->more)
        text_printf(text, ",%s", code->more);
}

static void encoding_write(const char *pmu, const struct event_code *code, const char *core_pmu, const char *letters,
                           struct text *text)
{
    if (pmu && !pmu[0]) { /* the kernel's own name */
        text_printf(text, "%s%s%s", code->more, letters[0] ? ":" : "", letters);
        return;
    }
    text_printf(text, "%s/", pmu ? pmu : core_pmu);
    code_write(code, !pmu, text);
    text_printf(text, "/%s", letters);
}

const char *table_term_topdown_name(const struct metric_table *table, const struct table_term *term)
{
    enum { FIXED_SLOTS = 3 };
    const struct event_code *code = &term->code;
    if (term->pmu || !code->known || code->event || code->cmask || code->edge || code->invert)
        return NULL;
    if (term->event != TABLE_NONE && table->events.items[term->event].fixed == FIXED_SLOTS)
        return "slots";
    for (size_t at = 0; at < array_count(topdown_fields); at++)
        if (term->event == TABLE_NONE && code->umask == topdown_fields[at].umask)
            return topdown_fields[at].alias;
    return NULL;
}

void table_term_write(const struct table_term *term, const char *core_pmu, struct text *text)
{
    encoding_write(term->pmu, &term->code, core_pmu, term->user_only ? "u" : term->kernel_only ? "k" : "", text);
}

void table_event_write(const struct table_event *event, const char *core_pmu, struct text *text)
{
    struct event_code code = event->code;
    for (size_t at = 0; event->fixed >= 0 && at < array_count(fixed_codes); at++)
        if (strcmp(event->name, fixed_codes[at].name) == 0) {
            code.event = fixed_codes[at].event;
            code.umask = fixed_codes[at].umask;
            code.any_thread = fixed_codes[at].any_thread;
        }
    encoding_write(event->pmu, &code, core_pmu, "", text);
}
