/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told.h"

#include "analyse/told/told_doubt.h"
#include "analyse/told/told_label.h"
#include "analyse/told/told_side.h"
#include "base/scope.h"
#include "base/vec.h"

#include <string.h>
#include <strings.h>

/* Where the words stand, whatever their case, beginning a word; NULL: nowhere. */
static const char *word_place(struct view text, const char *words)
{
    size_t length = strlen(words);
    for (size_t at = 0; at + length <= text.length; at++)
        if (strncasecmp(text.text + at, words, length) == 0 && (at == 0 || !is_of_word(text.text[at - 1])))
            return text.text + at;
    return NULL;
}

/* ---- how large the gap was ---- */

/* The number that ends before this place, "18 %", "18%", which is moved to its beginning. */
static bool number_back(const char *plain, const char **place, double *ret_number)
{
    const char *end = *place;
    while (end > plain && end[-1] == ' ')
        end--;
    const char *begin = end;
    while (begin > plain && ((begin[-1] >= '0' && begin[-1] <= '9') || begin[-1] == '.'))
        begin--;
    *place = begin;
    return begin < end && view_double((struct view){begin, (size_t)(end - begin)}, ret_number);
}

static bool number_before(const char *plain, const char *place, double *ret_number)
{
    return number_back(plain, &place, ret_number);
}

/* "20 to 40 %", "20-40 %": the least of a range whose most has the sign at `place`. */
static bool range_before(const char *plain, const char *place, double *ret_least)
{
    static const char *const joints[] = {" to ", "-", " - ", "\xe2\x80\x93", " \xe2\x80\x93 ", " ... ", " and "};
    double most;
    if (!number_back(plain, &place, &most))
        return false;
    struct view ahead = {plain, (size_t)(place - plain)};
    for (size_t at = 0; at < array_count(joints); at++) {
        if (!view_ends(ahead, joints[at]))
            continue;
        const char *end = place - strlen(joints[at]);
        bool joined = number_back(plain, &end, ret_least) && *ret_least > 0 && *ret_least < most;
        bool between = view_ends((struct view){plain, (size_t)(end - plain)}, "between ");
        return joined && (between || strcmp(joints[at], " and ") != 0);
    }
    return false;
}

static bool gap_of_times(const char *plain, struct interval *ret_gap)
{
    static const char *const halves[] = {"twice as slow",
                                         "half as fast",
                                         "half the speed",
                                         "half the throughput",
                                         "twice as long",
                                         "twice the time",
                                         NULL};
    double times;
    for (const char *at = strpbrk(plain, "xt"); at; at = strpbrk(at + 1, "xt")) {
        bool is_times = at[0] == 'x' ? !is_of_word(at[1]) : strncmp(at, "times ", 6) == 0;
        if (is_times && number_before(plain, at, &times) && times > 1 && times < 1000) {
            *ret_gap = interval_exactly(1 - 1 / times);
            return true;
        }
    }
    if (!plain_has(plain, halves))
        return false;
    *ret_gap = interval_exactly(0.5);
    return true;
}

/* "20 % longer", "20 % more time": of the faster side's time, and of nothing else. */
static bool is_of_time(const char *sign)
{
    const char *behind = sign + 1;
    return plain_starts(behind, " longer ") || plain_starts(behind, " more time ") ||
           plain_starts(behind, " more run time ") || plain_starts(behind, " more wall time ");
}

/*
 * "18% ~ 125% lower", "12 % slower", "20 to 40 % longer", "1.3x slower". Whether a share is of the faster side's time
 * or of its speed is known of "longer" alone. Else the lower end takes it as so much more time, the upper as so much
 * less speed. Of 125 % less speed there is none: then both shares are of the time, as both were told in one way.
 */
static bool gap_numbers(const char *plain, struct interval *ret_gap)
{
    double first = 0, last = 0, number, least_of_range;
    bool of_time = false;
    for (const char *at = strchr(plain, '%'); at; at = strchr(at + 1, '%'))
        if (number_before(plain, at, &number) && number > 0) {
            bool is_range = range_before(plain, at, &least_of_range);
            first = first > 0 ? first : (is_range ? least_of_range : number) / 100;
            last = number / 100;
            of_time = is_of_time(at);
        }
    if (first <= 0 || last <= 0)
        return gap_of_times(plain, ret_gap);
    double least = first < last ? first : last, most = first < last ? last : first;
    double low = 1 - 1 / (1 + least), high = most < 1 && !of_time ? most : 1 - 1 / (1 + most);
    *ret_gap = interval_of(low, (low + high) / 2, high);
    return true;
}

static bool gap_read(const char *plain, struct interval *ret_gap)
{
    static const char *const slower[] = {
        "slower",       "lower than",     "as slow as",          "longer",      "more time", "as long as",
        "half as fast", "half the speed", "half the throughput", "faster than", NULL};
    static const char *const rates[] = {"throughput", "performance", "requests", "req/s", NULL};
    enum treatment ignored;
    bool lower = plain_has(plain, rates) && strstr(plain, "% lower ") &&
                 told_change_of(plain, &ignored) == CHANGE_NONE; /* "throughput 35 % lower", of what is compared */
    return (plain_has(plain, slower) || lower) && gap_numbers(plain, ret_gap);
}

/* ---- what was tried ---- */

/* Why no trial was read from a sentence that sounds like one. */
enum trial_reading {
    TRIAL_NONE,
    TRIAL_READ,
    TRIAL_OUTCOME_UNCLEAR,
    TRIAL_CHANGE_UNCLEAR,
    TRIAL_CHANGE_UNKNOWN,
    TRIAL_OF_OTHERS,
    TRIAL_OF_PHASE
};

/* What the words say and what the numbers say must go together. */
static enum outcome_reading pair_read(const struct plain_sentence *plain, struct interval gain,
                                      enum outcome_reading by_words, struct told_trial *trial)
{
    static const double SMALL = 0.05;
    if (outcome_is_doubtful(plain) || by_words == OUTCOME_UNCLEAR)
        return OUTCOME_UNCLEAR;
    if (by_words == OUTCOME_READ && trial->outcome == OUTCOME_STAYED)
        return gain.low < SMALL ? OUTCOME_READ : OUTCOME_UNCLEAR;
    if (by_words == OUTCOME_READ && trial->outcome == OUTCOME_SHRANK) /* these may be what the gap was */
        return OUTCOME_READ;
    trial->outcome = OUTCOME_FASTER;
    trial->number = interval_clamped(gain, 0, 1);
    return OUTCOME_READ;
}

static enum outcome_reading part_read(const struct plain_sentence *plain, const struct told_return *returned,
                                      enum outcome_reading by_words, struct told_trial *trial)
{
    bool all = returned->of_gap.known && returned->of_gap.low >= 1;
    bool other = by_words == OUTCOME_READ && trial->outcome == OUTCOME_STAYED;
    if (outcome_is_doubtful(plain) || other)
        return OUTCOME_UNCLEAR;
    trial->outcome = all ? OUTCOME_GONE : OUTCOME_SHRANK;
    trial->returned = *returned;
    return OUTCOME_READ;
}

/*
 * "With it the batch takes 43.1 s", where two states were told: as much of their difference came back as lies between.
 */
static enum outcome_reading state_read(const struct plain_sentence *plain, const struct told_states *states,
                                       struct interval gain, double of_gap, enum outcome_reading by_words,
                                       struct told_trial *trial)
{
    static const double HARDLY = 0.05;
    bool alone = states->fast <= 0; /* how fast it could be wasn't told */
    bool gone = !alone && of_gap >= 1 - HARDLY, stayed = of_gap <= HARDLY;
    bool other = by_words == OUTCOME_READ && (trial->outcome == OUTCOME_STAYED ? !stayed : stayed);
    if (outcome_is_doubtful(plain) || by_words == OUTCOME_UNCLEAR || other)
        return OUTCOME_UNCLEAR;
    trial->outcome = gone ? OUTCOME_GONE : stayed ? OUTCOME_STAYED : alone ? OUTCOME_FASTER : OUTCOME_SHRANK;
    if (trial->outcome == OUTCOME_SHRANK)
        trial->returned = (struct told_return){.share = interval_clamped(gain, 0, 1)};
    if (trial->outcome == OUTCOME_FASTER)
        trial->number = interval_clamped(gain, 0, 1);
    return OUTCOME_READ;
}

static enum outcome_reading outcome_read(struct view sentence, const struct plain_sentence *plain,
                                         const struct told_states *states, struct told_trial *trial)
{
    struct told_return returned;
    struct told_pair pair;
    struct interval gain;
    double of_gap;
    enum outcome_reading by_words = outcome_of(sentence, plain, &trial->outcome);
    if (view_starts(sentence, "tried:"))
        return by_words;
    if (told_returned(plain->text, &returned))
        return part_read(plain, &returned, by_words, trial);
    if (told_pair_of(plain->text, &pair))
        return pair_read(plain, pair.gain, by_words, trial);
    if (told_gain(plain->text, &gain))
        return pair_read(plain, gain, by_words, trial);
    if (states->slow > 0 && told_state_gain(plain->text, states, &gain, &of_gap))
        return state_read(plain, states, gain, of_gap, by_words, trial);
    if (by_words == OUTCOME_READ && told_states_differ(plain->text, states)) /* "gone , 41 s , later 52 s again" */
        return OUTCOME_UNCLEAR;
    if (by_words == OUTCOME_READ)
        gap_numbers(plain->text, &trial->number);
    return by_words;
}

/*
 * One that was taken back, or is told by its two states, tells how much it returns; in words of outcomes it would be
 * another's.
 */
static bool tells_by_numbers(const char *plain, enum change_reading change)
{
    struct told_pair pair;
    struct interval gain;
    bool pairs = told_pair_of(plain, &pair);
    return (pairs && pair.change != TREATMENT_COUNT && change != CHANGE_SEVERAL) ||
           (change == CHANGE_TAKEN_BACK && (pairs || told_gain(plain, &gain)));
}

/* Without a change that is known by its name: two amounts in order, or one beside two states, tell of another. */
static bool tells_another_change(const char *plain, const struct told_states *states)
{
    struct told_states two;
    struct told_pair pair;
    struct interval gain;
    double of_gap;
    return (told_pair_of(plain, &pair) && !told_states_of(plain, &two)) ||
           (states->slow > 0 && !states->are_of_runs && told_state_gain(plain, states, &gain, &of_gap));
}

/* "One rank on one pinned core: 212.4 s on bare metal, 246.9 s in the instance": both were run so. */
static bool is_circumstance(const char *plain)
{
    static const char *const changing[] = {"with ",      "without ",    "after ",        "before ",  "off ",
                                           "disabled ",  "we pinned",   "i pinned",      "pinning ", "pinned the ",
                                           "pinned it ", "pinned all ", "pinned to one", "set ",     "switched",
                                           "enabled",    "tried",       "booted",        "now ",     NULL};
    static const uint32_t of_both = 1u << TREATMENT_PINNING | 1u << TREATMENT_VCPU_PINNING | 1u << TREATMENT_GOVERNOR;
    uint32_t named = told_changes_in(plain);
    return !named || (!(named & ~of_both) && !plain_has(plain, changing));
}

/* A change that makes two states of a program isn't what they are compared for. */
static bool states_of(struct view sentence, struct told_states *ret_states)
{
    struct plain_sentence plain;
    struct told_pair pair;
    plain_sentence_of(&plain, sentence);
    return sentence.length <= SENTENCE_MOST && is_circumstance(plain.text) && told_states_of(plain.text, ret_states) &&
           (!told_changes_in(plain.text) || !told_pair_of(plain.text, &pair));
}

static enum trial_reading trial_read(struct view sentence, const struct told_context *context, struct told_trial *trial)
{
    static const char *const of_speed[] = {"gap",      "slow",  "fast", "throughput", "runtime",
                                           "run time", "speed", "%",    NULL};
    struct plain_sentence plain;
    plain_sentence_of(&plain, sentence);
    enum change_reading change = told_change_of(plain.text, &trial->treatment);
    struct told_states two;
    if (change != CHANGE_NONE && states_of(sentence, &two)) /* what both were run with */
        return TRIAL_NONE;
    if (change == CHANGE_NONE) /* most sentences: how anything came out isn't looked for */
        return tells_another_change(plain.text, &context->states) && !view_ends(sentence, ":") ? TRIAL_CHANGE_UNKNOWN
                                                                                               : TRIAL_NONE;
    /* "With the performance governor:" heads what was printed then */
    bool is_tried = view_starts(sentence, "tried:"), is_done = told_is_done(plain.text) && !view_ends(sentence, ":");
    change = tells_by_numbers(plain.text, change) ? CHANGE_MADE : change;
    enum outcome_reading outcome = outcome_read(sentence, &plain, &context->states, trial);
    bool of_numbers = told_has_amount(plain.text) || (change == CHANGE_MADE && plain_has(plain.text, of_speed));
    if (outcome == OUTCOME_UNTOLD)
        return of_numbers || (is_done && change != CHANGE_NOT_MADE) ? TRIAL_OUTCOME_UNCLEAR : TRIAL_NONE;
    if (change != CHANGE_MADE)
        return TRIAL_CHANGE_UNCLEAR;
    if (!is_tried && told_is_of_others(plain.text))
        return TRIAL_OF_OTHERS;
    if (!is_tried && (told_phases_of(plain.text) & ~context->phases))
        return TRIAL_OF_PHASE;
    struct told_sides sides = told_sides_of(plain.text);
    trial->on_host = sides.on_host;
    trial->on_guest = sides.on_guest;
    trial->is_of_latency = told_is_of_latency(plain.text);
    return outcome == OUTCOME_READ ? TRIAL_READ : TRIAL_OUTCOME_UNCLEAR;
}

/* ---- what is there already ---- */

struct pages_there {
    bool on_host, on_guest;
};

/* "The VM's memory sits on 1 GiB hugetlbfs pages, that was so from the beginning." */
static struct pages_there pages_there_of(struct view sentence)
{
    static const char *const being[] = {
        "sits on",        "sit on",    "lies on",     "lives on",   "backed by",
        "backed with",    "already",   "uses ",       "use ",       "has ",
        "have ",          "runs on",   "run on",      "was so",     "from the beginning",
        "from the start", "all along", "always been", "comes from", NULL};
    static const char *const host[] = {"vm's memory",      "guest's memory",      "guest memory",   "vm memory",
                                       "memory of the vm", "memory of the guest", "the host",       "hypervisor",
                                       "mem-path",         "memorybacking",       "memory-backend", NULL};
    static const char *const guest[] = {"in the guest",   "inside the guest", "inside the vm",
                                        "in the vm",      "within the vm",    "the guest already",
                                        "the guest uses", "the guest has",    NULL};
    struct plain_sentence plain;
    enum treatment treatment = TREATMENT_COUNT;
    enum outcome outcome;
    plain_sentence_of(&plain, sentence);
    bool is_there = told_change_of(plain.text, &treatment) == CHANGE_MADE && treatment == TREATMENT_PAGES &&
                    plain_has(plain.text, being) && !told_is_supposed(plain.text) && !told_is_of_others(plain.text) &&
                    !told_has_amount(plain.text) && outcome_of(sentence, &plain, &outcome) == OUTCOME_UNTOLD;
    bool on_host = is_there && plain_has(plain.text, host), on_guest = is_there && plain_has(plain.text, guest);
    return on_host != on_guest ? (struct pages_there){on_host, on_guest} : (struct pages_there){false, false};
}

/* ---- code ---- */

/* "the hot loop is only ~1000 bytes", "loop: 1.5 KiB of code" */
static double loop_bytes_of(struct view sentence)
{
    const char *loop = word_place(sentence, "loop");
    struct view rest = loop ? view_skip(sentence, (size_t)(loop - sentence.text)) : (struct view){0}, word;
    double number = 0;
    for (size_t words = 0; words < 10 && (word = view_word(&rest)).length; words++) {
        double read;
        while (word.length && (word.text[0] == '~' || word.text[0] == '('))
            word = view_skip(word, 1);
        bool unit = number > 0 && (word_place(word, "bytes") == word.text || view_equal(word, "B"));
        bool kilo = number > 0 && (word_place(word, "KiB") == word.text || word_place(word, "KB") == word.text);
        if (unit || kilo)
            return number * (kilo ? 1024 : 1);
        number = view_grouped(word, &read) ? read : 0;
    }
    return 0;
}

/* "compute_ref_matmul()" in a sentence, which a line of code isn't. */
static struct view function_in(struct view sentence, size_t from)
{
    static const char *const of_code[] = {"{", "}", ";", "=", "<", "$", "|", "\xe2\x94\x82", NULL};
    for (const char *const *mark = of_code; *mark; mark++)
        if (view_find(sentence, *mark) >= 0)
            return (struct view){0};
    for (size_t at = from; at + 1 < sentence.length; at++) {
        size_t begin = at;
        while (sentence.text[at] == '(' && sentence.text[at + 1] == ')' && begin > from &&
               is_of_word(sentence.text[begin - 1]))
            begin--;
        if (at - begin > 3)
            return (struct view){sentence.text + begin, at - begin};
    }
    return (struct view){0};
}

/* ---- together ---- */

/* What a change made slower is no gap that was there before. */
static bool is_made(const char *plain)
{
    static const char *const made[] = {"made it ",    "makes it ", "made everything ", "became ", "got ",
                                       "turned out ", NULL};
    enum treatment ignored;
    return told_change_of(plain, &ignored) != CHANGE_NONE && plain_has(plain, made);
}

static bool gap_of(struct view sentence, struct interval *ret_gap)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, sentence);
    return !is_made(plain.text) && gap_read(plain.text, ret_gap);
}

static bool is_of_latency(struct view sentence)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, sentence);
    return told_is_of_latency(plain.text);
}

static uint64_t phases_of(struct view sentence)
{
    struct plain_sentence plain;
    struct interval gap;
    struct told_states states;
    if (sentence.length > SENTENCE_MOST)
        return 0;
    plain_sentence_of(&plain, sentence);
    uint64_t phases = told_phases_of(plain.text); /* most sentences have none */
    return phases && (gap_of(sentence, &gap) || states_of(sentence, &states)) ? phases : 0;
}

struct told_context told_context_in(struct view text)
{
    static const struct told_states none;
    struct told_context context = {.phases = 0};
    for (struct view sentence; (sentence = told_passage(&text, &none)).length;) {
        struct told_states states;
        if (!(context.states.slow > 0) && states_of(sentence, &states))
            context.states = states;
        context.phases |= phases_of(sentence);
    }
    return context;
}

struct told_states told_states_in(struct view text)
{
    return told_context_in(text).states;
}

bool told_has_quota(const struct imported *imported)
{
    bool has = false;
    for (size_t at = 0; at < imported->count && !has; at++)
        for (size_t row = 0; row < imported->tables[at].count; row++)
            has |= strstr(imported->tables[at].rows[row].name, "throttled") &&
                   strstr(imported->tables[at].rows[row].name, "nr_periods");
    return has;
}

struct told_states told_states_of_runs(const struct imported *imported)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = imported_arms_of(imported, arms), timed = 0;
    struct told_states states = {.are_of_runs = true};
    for (size_t at = 0; at < count; at++) {
        double seconds = arms[at].elapsed_s.known ? arms[at].elapsed_s.value : 0;
        if (!(seconds > 0))
            continue;
        states.fast = timed && states.slow > seconds ? seconds : timed ? states.slow : 0;
        states.slow = states.slow > seconds ? states.slow : seconds;
        timed++;
    }
    bool differ = timed == 1 || (timed == 2 && states.fast < states.slow);
    return differ ? states : (struct told_states){0};
}

bool told_is_useful(struct view sentence, const struct told_context *context)
{
    struct told_trial trial = {0};
    struct told_states two;
    struct interval gap;
    struct pages_there there =
        sentence.length <= SENTENCE_MOST ? pages_there_of(sentence) : (struct pages_there){.on_host = false};
    return sentence.length <= SENTENCE_MOST &&
           (there.on_host || there.on_guest || trial_read(sentence, context, &trial) == TRIAL_READ ||
            gap_of(sentence, &gap) || states_of(sentence, &two) || loop_bytes_of(sentence) > 0 ||
            function_in(sentence, 0).length > 0);
}

const char *told_why_unread(struct view sentence, const struct told_context *context)
{
    struct told_trial trial = {0};
    switch (sentence.length <= SENTENCE_MOST ? trial_read(sentence, context, &trial) : TRIAL_NONE) {
    case TRIAL_READ:
        return trial.treatment == TREATMENT_NO_LIMIT && !context->has_quota ? "which limit it means isn't told" : NULL;
    case TRIAL_OUTCOME_UNCLEAR:
        return "what came of it isn't clear";
    case TRIAL_CHANGE_UNCLEAR:
        return "which change it tells of isn't clear";
    case TRIAL_CHANGE_UNKNOWN:
        return "it tells of no change that plumb knows by its name";
    case TRIAL_OF_OTHERS:
        return "it tells what others said, or of another machine";
    case TRIAL_OF_PHASE:
        return "it tells of a part of what the program does, which isn't all that is asked about";
    default:
        return NULL;
    }
}

/* ---- what wasn't understood ---- */

bool told_leaves_open(struct view sentence, const struct told_context *context)
{
    struct plain_sentence plain;
    struct told_trial trial = {0};
    enum treatment treatment;
    if (sentence.length > SENTENCE_MOST || view_ends(sentence, ":") || view_starts(sentence, "#"))
        return false;
    plain_sentence_of(&plain, sentence);
    enum change_reading change = told_change_of(plain.text, &treatment);
    return (change == CHANGE_MADE || change == CHANGE_SEVERAL) && !told_is_supposed(plain.text) &&
           !told_is_of_others(plain.text) && trial_read(sentence, context, &trial) != TRIAL_READ;
}

const char *told_why_unread_behind(struct view sentence, const struct told_context *context)
{
    struct plain_sentence plain;
    struct told_trial trial = {0};
    enum treatment treatment;
    enum outcome outcome;
    if (sentence.length > SENTENCE_MOST)
        return NULL;
    plain_sentence_of(&plain, sentence);
    if (told_change_of(plain.text, &treatment) != CHANGE_NONE || told_is_supposed(plain.text) ||
        told_is_of_others(plain.text))
        return NULL;
    bool tells = trial_read(sentence, context, &trial) == TRIAL_CHANGE_UNKNOWN ||
                 outcome_of(sentence, &plain, &outcome) == OUTCOME_READ;
    return tells ? "whether it tells what came of that change isn't clear" : NULL;
}

/* "The other day Ruth saw it 4 % faster without it": on whose word, and yet of what was tried here. */
static bool is_of_the_same(const char *plain)
{
    static const char *const seen[] = {"saw it",   "had it ",       "measured it", "got it ",
                                       "saw this", "measured this", "timed it",    NULL};
    static const char *const elsewhere[] = {"on her ",  "on his ",   "on their ", "on hers",      "on another ",
                                            "other ma", "other box", "other sys", "other server", NULL};
    return plain_has(plain, seen) && !plain_has(plain, elsewhere);
}

/* The changes of which it may tell how they came out; 0: of none. */
static uint32_t unread_changes(struct view sentence, const struct told_context *context)
{
    static const char *const counted[] = {"miss", "exits", "faults", "walks", "interrupts", "meminfo", "smaps", NULL};
    struct plain_sentence plain;
    enum treatment treatment;
    enum outcome outcome;
    struct pages_there there = pages_there_of(sentence);
    plain_sentence_of(&plain, sentence);
    enum change_reading change = told_change_of(plain.text, &treatment);
    bool is_untold = outcome_of(sentence, &plain, &outcome) == OUTCOME_UNTOLD;
    bool is_heading = view_starts(sentence, "#") || view_ends(sentence, ":");
    if (change == CHANGE_NONE || change == CHANGE_NOT_MADE || is_heading || there.on_host || there.on_guest ||
        (is_untold && (!told_has_amount(plain.text) || plain_has(plain.text, counted))) ||
        told_is_supposed(plain.text) || (told_is_of_others(plain.text) && !is_of_the_same(plain.text)) ||
        (told_phases_of(plain.text) & ~context->phases))
        return 0;
    return told_changes_in(plain.text);
}

static void unread_take(struct told *told, const char *text, struct arena *arena)
{
    const struct told_context context = {.states = told->states, .phases = told->phases};
    struct view sentence = view_of(text), rest = sentence;
    size_t end = 0;
    for (ptrdiff_t at; (at = view_find(rest, "\": ")) >= 0; rest = view_skip(rest, (size_t)at + 1))
        end = (size_t)(rest.text - text) + (size_t)at;
    if (!end || text[0] != '"' || end - 1 > SENTENCE_MOST || told->unread_count == TOLD_UNREAD_MOST)
        return;
    sentence = (struct view){text + 1, end - 1};
    uint32_t changes = unread_changes(sentence, &context);
    if (changes)
        told->unread[told->unread_count++] =
            (struct told_unread){arena_string_n(arena, sentence.text, sentence.length), changes};
}

const char *told_unread_of(const struct told *told, enum treatment treatment)
{
    for (size_t at = 0; at < told->unread_count; at++)
        if (told->unread[at].changes >> treatment & 1)
            return told->unread[at].sentence;
    return NULL;
}

bool told_heads_others(const char *heading)
{
    static const char *const others[] = {"example ",
                                         "example,",
                                         "examples ",
                                         "manual ",
                                         "manuals ",
                                         "documentation",
                                         "the docs",
                                         "tutorial",
                                         "textbook",
                                         "blog",
                                         "forum",
                                         "stack overflow",
                                         "stackoverflow",
                                         "white paper",
                                         "whitepaper",
                                         "the paper",
                                         "a paper",
                                         "article",
                                         "et al",
                                         "release notes",
                                         "colleague",
                                         "vendor",
                                         "quoted",
                                         "quoting",
                                         "taken from",
                                         "according to intel",
                                         "according to amd",
                                         "the talk",
                                         "a talk",
                                         "slides of ",
                                         "tuning guide",
                                         "handbook",
                                         NULL};
    static const char *const elsewhere[] = {"reference machine", "reference system",  "another machine",
                                            "the other machine", "different machine", NULL};
    static const char *const own[] = {"our ", "ours", "my ", "mine ", "we ", NULL};
    /* another machine of one's own, where it isn't slow */
    static const char *const beside[] = {"laptop", "desktop", "workstation", "at home", NULL};
    static const char *const well[] = {"fine", "fast", "no problem", "not slow", "instead", "does not show", NULL};
    struct plain_sentence plain;
    struct view last = view_of(heading);
    for (ptrdiff_t at; (at = view_find(last, ". ")) >= 0;) /* what stands before may speak of ourselves */
        last = view_skip(last, (size_t)at + 2);
    plain_sentence_of(&plain, last);
    return (plain_has(plain.text, others) && !plain_has(plain.text, own)) || plain_has(plain.text, elsewhere) ||
           (plain_has(plain.text, beside) && plain_has(plain.text, well));
}

/* ---- all that was told ---- */

static void sentence_take(struct told *told, struct view sentence, struct arena *arena)
{
    struct told_trial trial = {0};
    const struct told_context context = {.states = told->states, .phases = told->phases};
    const char *kept = arena_string_n(arena, sentence.text, sentence.length);
    if (told->trial_count < TOLD_TRIALS_MOST && trial_read(sentence, &context, &trial) == TRIAL_READ) {
        trial.sentence = kept;
        told->trials[told->trial_count++] = trial;
    }
    struct pages_there there = pages_there_of(sentence);
    if (!told->host_pages_sentence && there.on_host)
        told->host_pages_sentence = kept;
    if (!told->guest_pages_sentence && there.on_guest)
        told->guest_pages_sentence = kept;
    struct interval gap;
    if (!told->gap.known && gap_of(sentence, &gap)) {
        told->gap = gap;
        told->gap_sentence = kept;
        told->gap_is_of_latency = is_of_latency(sentence);
    }
    double bytes = loop_bytes_of(sentence);
    if (told->loop_bytes <= 0 && bytes > 0) {
        told->loop_bytes = bytes;
        told->loop_sentence = kept;
    }
    struct view name = function_in(sentence, 0);
    while (name.length && told->function_count < TOLD_FUNCTIONS_MOST) {
        told->functions[told->function_count++] = arena_string_n(arena, name.text, name.length);
        name = function_in(sentence, (size_t)(name.text - sentence.text) + name.length + 2);
    }
}

static void states_gap(struct told *told, struct view sentence, struct arena *arena)
{
    told->phases |= phases_of(sentence);
    if (told->states.slow > 0 || !states_of(sentence, &told->states))
        return;
    told->gap = told_states_gap(&told->states);
    told->gap_sentence = arena_string_n(arena, sentence.text, sentence.length);
    told->gap_is_of_latency = is_of_latency(sentence);
}

typedef void take_sentence(struct told *told, struct view sentence, struct arena *arena);

static void sentences_take(struct told *told, const struct statements *statements, take_sentence *take,
                           struct arena *arena)
{
    for (size_t at = 0; statements && at < statements->count; at++) {
        const struct statement *statement = &statements->items[at];
        if (!strstr(statement->origin, TOLD_ORIGIN) && strcmp(statement->origin, "said by a person") != 0)
            continue;
        struct view text = view_of(statement->text), sentence;
        while ((sentence = told_passage(&text, &told->states)).length)
            if (sentence.length <= SENTENCE_MOST)
                take(told, sentence, arena);
    }
}

/* The states that were compared first: trials may be told by what they came to beside them. */
void told_of(struct told *ret_told, const struct statements *statements, const struct imported *imported,
             struct arena *arena)
{
    *ret_told = (struct told){0};
    sentences_take(ret_told, statements, states_gap, arena);
    if (!(ret_told->states.slow > 0)) {
        ret_told->states = told_states_of_runs(imported);
        if (ret_told->states.fast > 0)
            ret_told->gap = told_states_gap(&ret_told->states);
    }
    sentences_take(ret_told, statements, sentence_take, arena);
    for (size_t at = 0; statements && at < statements->count; at++)
        if (strcmp(statements->items[at].origin, TOLD_ORIGIN_UNREAD) == 0)
            unread_take(ret_told, statements->items[at].text, arena);
}
