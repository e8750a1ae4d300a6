/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told.h"

#include "analyse/told/told_doubt.h"
#include "analyse/told/told_gap.h"
#include "analyse/told/told_near.h"
#include "analyse/told/told_order.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_reading.h"
#include "analyse/told/told_side.h"
#include "analyse/told/told_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- what is there already ---- */

struct pages_there {
    bool on_host, on_guest;
};

/* "The VM's memory sits on 1 GiB hugetlbfs pages, that was so from the beginning." */
static struct pages_there pages_there_of(const struct reading *reading)
{
    const char *plain = reading->plain.text;
    bool is_there = reading->change == CHANGE_MADE && reading->treatment == TREATMENT_PAGES &&
                    plain_has(plain, WORDS_THERE_IS) && !reading_is_doubted(reading) && !told_has_amount(plain) &&
                    reading_tells_outcome(reading, OUTCOME_UNTOLD);
    bool on_host = is_there && plain_has(plain, WORDS_THERE_HOST),
         on_guest = is_there && plain_has(plain, WORDS_THERE_GUEST);
    return (struct pages_there){on_host && !on_guest, on_guest && !on_host};
}

/* "A 20 GB hash table on 1 GiB pages" */
static bool names_data_pages(const struct reading *reading)
{
    const char *plain = reading->plain.text, *place = plain_find(plain, WORDS_PAGES);
    return place && words_end(plain, place, WORDS_THERE_DATA) && reading->treatment == TREATMENT_PAGES &&
           reading->change == CHANGE_MADE && !reading_is_doubted(reading) && !reading_is_done(reading) &&
           !plain_has(plain, WORDS_SMALL_WITH) && reading_tells_outcome(reading, OUTCOME_UNTOLD) &&
           !told_has_amount(plain);
}

/* ---- code ---- */

/* Where the words stand, whatever their case, beginning a word; NULL: nowhere. */
static const char *word_place(struct view text, const char *words)
{
    size_t length = strlen(words);
    for (size_t at = 0; at + length <= text.length; at++)
        if (strncasecmp(text.text + at, words, length) == 0 && (at == 0 || !is_of_word(text.text[at - 1])))
            return text.text + at;
    return NULL;
}

/* A number with a unit of bytes behind it: in bytes; 0: it is none. */
static double bytes_of(double number, struct view unit)
{
    bool is_bytes = word_place(unit, "bytes") == unit.text || view_equal(unit, "B");
    bool is_kilo = word_place(unit, "KiB") == unit.text || word_place(unit, "KB") == unit.text;
    return !unit.length ? 0 : number * (is_kilo ? 1024 : is_bytes ? 1 : 0);
}

/* "the hot loop is only ~1000 bytes", "loop: 1.5 KiB", "the hot loop is unrolled, and objdump says it is 71 KB" */
static double loop_bytes_of(struct view sentence)
{
    enum { SPAN_MOST = 10, SPAN_IS_MOST = 16 };
    const char *loop = word_place(sentence, "loop");
    struct view rest = loop ? view_skip(sentence, (size_t)(loop - sentence.text)) : (struct view){0}, word,
                before = {0};
    double number = 0, read, bytes;
    for (size_t words = 0; words < SPAN_IS_MOST && (word = view_word(&rest)).length; words++, before = word) {
        while (word.length && (word.text[0] == '~' || word.text[0] == '('))
            word = view_skip(word, 1);
        if (number > 0 && (bytes = bytes_of(number, word)) > 0)
            return bytes;
        bool is_near = words < SPAN_MOST - 1 || word_is(before, WORDS_LOOP_IS);
        number = is_near && view_grouped(word, &read) ? read : 0;
    }
    return 0;
}

/* "I unrolled it less, so that the loop is 290 bytes": what was measured before isn't of that size. */
static bool is_loop_behind_change(const struct reading *reading)
{
    const char *plain = reading->plain.text;
    bool made = (reading->change == CHANGE_MADE || reading->change == CHANGE_SEVERAL) && reading_is_done(reading);
    struct match from = match_in(plain, WORDS_SMALL_FROM);
    bool from_size = false; /* "from 71 KB to 290 bytes": the first is before it */
    while (match_next(&from)) {
        struct view rest = view_of(from.end), number = view_word(&rest);
        from_size |= word_is_number(number) && bytes_of(1, view_word(&rest)) > 0;
    }
    return (made || plain_has(plain, WORDS_LOOP_AFTER)) && !from_size;
}

/* "compute_ref_matmul()" in a sentence, which a line of code isn't. */
static struct view function_in(struct view sentence, size_t from)
{
    enum { NAME_LEAST = 4 };
    for (size_t at = 0; at < sentence.length; at++)
        if (sentence.text[at] && strchr("{};=<$|", sentence.text[at]))
            return (struct view){0};
    if (view_find(sentence, "\xe2\x94\x82") >= 0) /* of a box */
        return (struct view){0};
    for (size_t at = from; at + 1 < sentence.length; at++) {
        size_t begin = at;
        while (sentence.text[at] == '(' && sentence.text[at + 1] == ')' && begin > from &&
               is_of_word(sentence.text[begin - 1]))
            begin--;
        if (at - begin >= NAME_LEAST)
            return (struct view){sentence.text + begin, at - begin};
    }
    return (struct view){0};
}

/* ---- what of a text its sentences are read by ---- */

/* Of the phases that a text asks about: it names a gap or its states in them. */
static uint64_t phases_of(const struct reading *reading)
{
    struct interval gap;
    struct told_states states;
    uint64_t phases = told_phases_of(reading->plain.text); /* most sentences have none */
    return phases && (told_gap_of(reading, &gap) || told_compares_states(reading, &states)) ? phases : 0;
}

/* "We run under a CPU quota": what "the limit" is, elsewhere in the text. */
static bool names_quota(const struct reading *reading)
{
    return plain_has(reading->plain.text, WORDS_QUOTA) && !reading_is_doubted(reading);
}

/* "this requires 3 trips to memory instead of 2" */
static bool names_trips(const struct reading *reading)
{
    const char *trips = plain_find(reading->plain.text, WORDS_TRIPS);
    return trips && plain_has(trips, WORDS_TRIPS_FEWER) && !reading_is_doubted(reading);
}

/* "When I patched the benchmark to do a fair comparison, the results were": what follows was timed without them. */
static bool mends_trips(const struct reading *reading)
{
    const char *plain = reading->plain.text, *place = plain_find(plain, WORDS_TRIPS_MENDED);
    return place && !near_is_denied(plain, place) && !reading_is_doubted(reading) &&
           plain_has(plain, WORDS_TRIPS_MENDING) &&
           (view_ends(reading->sentence, ":") || view_ends(reading->sentence, ";") ||
            plain_has(plain, WORDS_TRIPS_RESULT));
}

/* "Same traffic (4,000 req/s)": of what is compared. */
static bool names_same_load(const struct reading *reading)
{
    const char *plain = reading->plain.text, *place = plain_find(plain, WORDS_LOAD_SAME);
    return place && !words_end(plain, place, WORDS_LOAD_NOT) && !near_has(plain, place, WORDS_LOAD_NOT) &&
           !reading_is_doubted(reading);
}

static bool changes_host(const struct reading *reading)
{
    struct told_sides sides = {0};
    if (reading->change != CHANGE_NONE && reading->treatment == TREATMENT_PAGES)
        sides = told_sides_of(reading->plain.text);
    return sides.on_host && !sides.on_guest;
}

bool told_names_guest(struct view sentence)
{
    return piece_has(sentence, WORDS_THERE_MACHINE);
}

bool told_names_wide(struct view sentence)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, sentence);
    return plain_has(plain.text, WORDS_WIDE);
}

static bool statement_names_guest(const char *text)
{
    bool found = false;
    struct view rest = view_of(text), sentence;
    while (!found && (sentence = told_sentence(&rest)).length)
        found = told_names_guest(sentence);
    return found;
}

/* "## Merger": what follows is of something else than what stands above, unless it names a change, or a trial. */
static bool begins_section(const struct reading *reading)
{
    bool is_head_of_columns = view_find(reading->sentence, "  ") >= 0;
    return view_starts(reading->sentence, "#") && !is_head_of_columns && reading->change == CHANGE_NONE &&
           !plain_has(reading->plain.text, WORDS_LABEL_SECTION);
}

void told_bases_take(struct told_bases *bases, struct view passage)
{
    struct told_states states;
    struct reading reading;
    for (struct view sentence; (sentence = told_sentence(&passage)).length && sentence.length <= SENTENCE_MOST;) {
        reading_of(&reading, sentence);
        const char *plain = reading.plain.text;
        bool is_plain = reading.change == CHANGE_NONE || reading.change == CHANGE_NOT_MADE ||
                        told_is_circumstance(plain, told_changes_in(plain));
        if (!is_plain) /* what follows may have come of it */
            return;
        if (begins_section(&reading))
            told_bases_close(bases);
        if (!reading_is_doubted(&reading) && !told_phases_of(plain) && !told_takes_back(plain) &&
            !told_compares_states(&reading, &states) && !told_names_state(plain)) /* "in the guest": the other one's */
            told_bases_note(bases, plain);
    }
}

/* Of the sentences of a text in turn: whether this one may tell what came of a change, which is no state without it. */
static bool is_behind_change(struct told_lone *lone, const struct reading *reading)
{
    struct view change = lone->change;
    const char *end = reading->sentence.text;
    bool is_behind = change.length && reading->change == CHANGE_NONE &&
                     view_find((struct view){change.text, (size_t)(end - change.text)}, "\n\n") < 0;
    bool is_open = (reading->change == CHANGE_MADE || reading->change == CHANGE_SEVERAL) && reading_is_done(reading) &&
                   !told_has_amount(reading->plain.text) && reading_tells_outcome(reading, OUTCOME_UNTOLD);
    lone->change = is_open ? reading->sentence : (struct view){0};
    return is_behind;
}

/* "p99 is 38 ms": as it is without any change, or in a state that is none. */
static void lone_take(struct told_lone *lone, const struct reading *reading)
{
    bool is_plain = reading->change == CHANGE_NONE || reading->change == CHANGE_NOT_MADE;
    const char *plain = reading->plain.text;
    if (is_plain && !reading_is_doubted(reading) && !told_phases_of(plain) && !told_takes_back(plain) &&
        told_lone_state_of(plain, &lone->state))
        lone->count++;
}

static void context_take(struct told_context *context, struct told_lone *lone, struct view text)
{
    static const struct told_context none;
    struct reading reading;
    lone->change = (struct view){0};
    for (struct view sentence; (sentence = told_passage(&text, &none)).length;) {
        struct told_states states;
        if (sentence.length > SENTENCE_MOST)
            continue;
        reading_of(&reading, sentence);
        if (!(context->states.slow > 0) && told_compares_states(&reading, &states))
            context->states = states;
        context->phases |= phases_of(&reading);
        context->has_quota |= names_quota(&reading);
        if (!is_behind_change(lone, &reading))
            lone_take(lone, &reading);
        context->has_gap |= told_names_gap(&reading);
        context->has_host |= changes_host(&reading);
    }
}

struct told_context told_context_of(const struct view *texts, size_t count)
{
    struct told_context context = {.phases = 0};
    struct told_lone lone = {.count = 0};
    for (size_t at = 0; at < count; at++)
        context_take(&context, &lone, texts[at]);
    if (!(context.states.slow > 0) && lone.count == 1)
        context.states = lone.state;
    return context;
}

struct told_context told_context_in(struct view text)
{
    return told_context_of(&text, 1);
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

static void run_name(struct told_states *states, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    states->run[0] = '\0';
    for (size_t at = 0; length < sizeof(states->run) && at <= length && name; at++)
        states->run[at] = (char)tolower((unsigned char)name[at]);
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
        if (seconds > states.slow)
            run_name(&states, arms[at].name);
        states.fast = timed && states.slow > seconds ? seconds : timed ? states.slow : 0;
        states.slow = states.slow > seconds ? states.slow : seconds;
        timed++;
    }
    bool differ = timed == 1 || (timed == 2 && states.fast < states.slow);
    return differ ? states : (struct told_states){0};
}

/* ---- one sentence ---- */

bool told_is_useful(struct view sentence, const struct told_context *context)
{
    struct told_trial trial = {0};
    struct told_states two;
    struct interval gap;
    struct reading reading;
    if (sentence.length > SENTENCE_MOST)
        return false;
    reading_of(&reading, sentence);
    struct pages_there there = pages_there_of(&reading);
    return there.on_host || there.on_guest || names_data_pages(&reading) ||
           told_trial_of(&reading, context, &trial) == TRIAL_READ || told_gap_of(&reading, &gap) ||
           told_compares_states(&reading, &two) || loop_bytes_of(sentence) > 0 || function_in(sentence, 0).length > 0 ||
           names_quota(&reading) || names_same_load(&reading) || names_trips(&reading) || mends_trips(&reading);
}

bool told_needs_states(struct view sentence, const struct told_context *context)
{
    struct told_context without = *context;
    struct told_trial trial = {0};
    struct reading reading;
    if (sentence.length > SENTENCE_MOST)
        return false;
    without.states = (struct told_states){0};
    without.bases.count = 0;
    reading_of(&reading, sentence);
    return told_trial_of(&reading, context, &trial) == TRIAL_READ &&
           told_trial_of(&reading, &without, &trial) != TRIAL_READ;
}

uint32_t told_bases_used(struct view sentence, const struct told_context *context)
{
    struct told_trial trial = {.bases = 0};
    struct reading reading;
    if (sentence.length > SENTENCE_MOST)
        return 0;
    reading_of(&reading, sentence);
    (void)told_trial_of(&reading, context, &trial);
    return trial.bases;
}

bool told_is_lone_state(struct view sentence, const struct told_context *context)
{
    struct told_lone lone = {.count = 0};
    struct reading reading;
    if (sentence.length > SENTENCE_MOST || context->states.fast > 0 || context->states.are_of_runs)
        return false;
    reading_of(&reading, sentence);
    lone_take(&lone, &reading);
    return lone.count == 1 && context->states.slow > 0 && !(lone.state.slow < context->states.slow) &&
           !(lone.state.slow > context->states.slow);
}

const char *told_why_unread(struct view sentence, const struct told_context *context)
{
    static const char *const whys[] = {
        [TRIAL_OUTCOME_UNCLEAR] = "what came of it isn't clear",
        [TRIAL_CHANGE_UNCLEAR] = "which change it tells of isn't clear",
        [TRIAL_CHANGE_UNKNOWN] = "it tells of no change that plumb knows by its name",
        [TRIAL_OF_OTHERS] = "it tells what others said, or of another machine",
        [TRIAL_OF_PHASE] = "it tells of a part of what the program does, which isn't all that is asked about"};
    struct told_trial trial = {0};
    struct reading reading;
    if (sentence.length > SENTENCE_MOST)
        return NULL;
    reading_of(&reading, sentence);
    enum trial_reading read = told_trial_of(&reading, context, &trial);
    if (read == TRIAL_CHANGE_UNCLEAR && reading.change == CHANGE_SEVERAL)
        return "it tells of several changes at once";
    return read == TRIAL_READ && trial.treatment == TREATMENT_NO_LIMIT && !context->has_quota
               ? "which limit it means isn't told"
               : whys[read];
}

bool told_leaves_open(struct view sentence, const struct told_context *context)
{
    struct told_trial trial = {0};
    struct reading reading;
    if (sentence.length > SENTENCE_MOST || view_ends(sentence, ":") || view_starts(sentence, "#"))
        return false;
    reading_of(&reading, sentence);
    return (reading.change == CHANGE_MADE || reading.change == CHANGE_SEVERAL) && !reading_is_doubted(&reading) &&
           !told_is_circumstance(reading.plain.text, told_changes_in(reading.plain.text)) &&
           told_trial_of(&reading, context, &trial) != TRIAL_READ;
}

/* An amount that may be compared with what was told before. */
static bool has_base(const char *plain, const struct told_context *context)
{
    struct interval ignored;
    uint32_t used;
    (void)told_base_gain(plain, &context->bases, !(context->states.fast > 0), &ignored, &used);
    return used;
}

const char *told_why_unread_behind(struct view sentence, const struct told_context *context)
{
    struct told_trial trial = {0};
    struct reading reading;
    if (sentence.length > SENTENCE_MOST)
        return NULL;
    reading_of(&reading, sentence);
    if (reading.change != CHANGE_NONE || reading_is_doubted(&reading))
        return NULL;
    bool tells = told_trial_of(&reading, context, &trial) == TRIAL_CHANGE_UNKNOWN ||
                 reading_tells_outcome(&reading, OUTCOME_READ) || has_base(reading.plain.text, context);
    return tells ? "whether it tells what came of that change isn't clear" : NULL;
}

/* ---- what wasn't understood ---- */

/* "The other day Ruth saw it 4 % faster without it": on whose word, and yet of what was tried here. */
static bool is_of_the_same(const char *plain)
{
    return plain_has(plain, WORDS_OTHERS_SAW_IT) && !plain_has(plain, WORDS_OTHERS_ON_THEIRS);
}

/* The changes of which it may tell how they came out; 0: of none. */
static uint64_t unread_changes(const struct reading *reading, const struct told_context *context)
{
    const char *plain = reading->plain.text;
    bool is_heading = view_starts(reading->sentence, "#") || view_ends(reading->sentence, ":");
    if (reading->change == CHANGE_NONE || reading->change == CHANGE_NOT_MADE || is_heading || told_is_supposed(plain) ||
        (told_is_of_others(plain) && !is_of_the_same(plain)) || (told_phases_of(plain) & ~context->phases))
        return 0;
    struct pages_there there = pages_there_of(reading);
    struct told_pair pair;
    bool tells = !reading_tells_outcome(reading, OUTCOME_UNTOLD) || told_pair_of(plain, &pair) ||
                 (told_has_amount(plain) && !plain_has(plain, WORDS_COUNT_NAMED));
    struct told_trial trial = {0};
    tells &= told_trial_of(reading, context, &trial) != TRIAL_NONE;
    return tells && !there.on_host && !there.on_guest ? told_changes_in(plain) : 0;
}

static struct told_context context_of(const struct told *told)
{
    return (struct told_context){
        .states = told->states, .bases = told->bases, .phases = told->phases, .has_gap = told->names_gap};
}

/* A statement that says '"SENTENCE": why'. */
static void unread_take(struct told *told, const char *text, struct arena *arena)
{
    const struct told_context context = context_of(told);
    struct view rest = view_of(text);
    struct told_trial trial = {0};
    struct reading reading;
    size_t end = 0;
    for (ptrdiff_t at; (at = view_find(rest, "\": ")) >= 0; rest = view_skip(rest, (size_t)at + 1))
        end = (size_t)(rest.text - text) + (size_t)at;
    if (!end || text[0] != '"' || end - 1 > SENTENCE_MOST || told->unread_count == TOLD_UNREAD_MOST)
        return;
    struct view all = {text + 1, end - 1}, behind = all;
    bool is_alone = told_sentence(&behind).length == all.length;
    reading_of(&reading, all);
    if (is_alone && told_trial_of(&reading, &context, &trial) == TRIAL_READ) /* beside what its own text didn't have */
        return;
    if (!told->unknown_sentence && reading.change == CHANGE_NONE &&
        told_trial_of(&reading, &context, &trial) == TRIAL_CHANGE_UNKNOWN)
        told->unknown_sentence = arena_string_n(arena, text + 1, end - 1);
    uint64_t changes = unread_changes(&reading, &context);
    if (changes)
        told->unread[told->unread_count++] = (struct told_unread){arena_string_n(arena, text + 1, end - 1), changes};
}

const char *told_unread_of(const struct told *told, enum treatment treatment)
{
    for (size_t at = 0; at < told->unread_count; at++)
        if (told->unread[at].changes >> treatment & 1)
            return told->unread[at].sentence;
    return NULL;
}

/* Pages of the host, and pages of the guest, are two things. */
static bool are_apart(const struct told_trial *one, const struct told_trial *other)
{
    bool have_sides = one->on_host != one->on_guest && other->on_host != other->on_guest;
    return one->treatment == TREATMENT_PAGES && have_sides && one->on_host != other->on_host;
}

const char *told_outlasted(const struct told *told, const struct told_trial *trial)
{
    for (size_t at = 0; at < told->outlasted_count; at++)
        if (told->outlasted[at].treatment == trial->treatment && !are_apart(&told->outlasted[at], trial))
            return told->outlasted[at].sentence;
    return NULL;
}

/* ---- all that was told ---- */

static void outlasted_add(struct told *told, const struct told_trial *trial, const char *kept)
{
    if (told->outlasted_count == TOLD_UNREAD_MOST)
        return;
    told->outlasted[told->outlasted_count] = *trial;
    told->outlasted[told->outlasted_count++].sentence = kept;
}

static void trial_take(struct told *told, const struct reading *reading, const char *kept)
{
    struct told_trial trial = {.sentence = kept};
    const struct told_context context = context_of(told);
    if (told_trial_of(reading, &context, &trial) != TRIAL_READ)
        return;
    uint64_t treatments = trial.also | UINT64_C(1) << trial.treatment;
    if (trial.outlasted) {
        outlasted_add(told, &trial, kept);
        return;
    }
    for (int at = 0; at < TREATMENT_COUNT && told->trial_count < TOLD_TRIALS_MOST; at++)
        if (treatments >> at & 1) {
            trial.treatment = (enum treatment)at;
            told->trials[told->trial_count++] = trial;
        }
}

static void gap_take(struct told *told, const struct reading *reading, struct interval gap, const char *kept)
{
    told->gap = gap;
    told->gap_sentence = kept;
    told->gap_is_of_latency = told_is_of_latency(reading->plain.text);
}

static void code_take(struct told *told, const struct reading *reading, const char *kept, struct arena *arena)
{
    static const double ALIKE = 0.1;
    struct view sentence = reading->sentence;
    bool of_another = reading_is_doubted(reading) || plain_has(reading->plain.text, WORDS_LOOP_OTHER) ||
                      is_loop_behind_change(reading);
    double bytes = of_another ? 0 : loop_bytes_of(sentence);
    told->loop_differs |= told->loop_bytes > 0 && bytes > 0 && fabs(bytes / told->loop_bytes - 1) > ALIKE;
    if (told->loop_bytes <= 0 && bytes > 0) {
        told->loop_bytes = bytes;
        told->loop_sentence = kept;
    }
    if (!told->load_sentence && names_same_load(reading))
        told->load_sentence = kept;
    if (!told->trips_sentence && names_trips(reading))
        told->trips_sentence = kept;
    if (told->trips_sentence && mends_trips(reading))
        told->trips_mended_sentence = kept;
    struct view name = function_in(sentence, 0);
    while (name.length && told->function_count < TOLD_FUNCTIONS_MOST) {
        told->functions[told->function_count++] = arena_string_n(arena, name.text, name.length);
        name = function_in(sentence, (size_t)(name.text - sentence.text) + name.length + 2);
    }
}

static void sentence_take(struct told *told, const struct reading *reading, struct arena *arena)
{
    const char *kept = arena_string_n(arena, reading->sentence.text, reading->sentence.length);
    struct pages_there there = pages_there_of(reading);
    struct interval gap;
    trial_take(told, reading, kept);
    told->names_quota |= names_quota(reading);
    if (!told->host_pages_sentence && there.on_host)
        told->host_pages_sentence = kept;
    if (!told->guest_pages_sentence && there.on_guest)
        told->guest_pages_sentence = kept;
    if (!told->data_pages_sentence && names_data_pages(reading))
        told->data_pages_sentence = kept;
    if (!told->gap.known && told_gap_of(reading, &gap))
        gap_take(told, reading, gap, kept);
    code_take(told, reading, kept, arena);
    told_bases_take(&told->bases, reading->sentence);
}

/* Its only amount is what the trial came to, and not what it began with: "a run with SMT on took 38 s, too". */
static bool is_as_good(const char *plain, const struct told_trial *trial)
{
    static const double NEAR = 0.25; /* of what the trial returned */
    struct quantities all;
    struct plain_sentence of_trial;
    struct quantity before, after;
    enum treatment ignored;
    quantities_of(plain, &all);
    const struct quantity *one = &all.items[0];
    if (all.count != 1 || (one->kind != QUANTITY_TIME && one->kind != QUANTITY_RATE))
        return false;
    plain_sentence_of(&of_trial, view_of(trial->sentence));
    return told_pair_in_order(of_trial.text, one->kind, &before, &after, &ignored) &&
           quantity_units_agree(one->unit, after.unit) &&
           fabs(one->value - after.value) < NEAR * fabs(before.value - after.value);
}

/* "The CPU limit", and "the limit" beside it. */
static bool is_same_change(enum treatment one, enum treatment other)
{
    return one == other || told_change_is_part(other, one);
}

static bool is_same_side(const struct told_trial *trial, const struct reading *reading)
{
    struct told_sides sides = told_sides_of(reading->plain.text);
    const struct told_trial other = {
        .treatment = trial->treatment, .on_host = sides.on_host, .on_guest = sides.on_guest};
    return !are_apart(trial, &other);
}

/* What it is without the change, or once it was taken back, speaks against a trial where that is as good. */
static void control_take(struct told *told, const struct reading *reading, struct arena *arena)
{
    bool is_without = reading->change == CHANGE_NOT_MADE || reading->change == CHANGE_TAKEN_BACK;
    for (size_t at = 0; is_without && at < told->trial_count && !reading_is_doubted(reading); at++)
        if (is_same_change(told->trials[at].treatment, reading->treatment) &&
            is_same_side(&told->trials[at], reading) && is_as_good(reading->plain.text, &told->trials[at]))
            outlasted_add(told, &told->trials[at],
                          arena_string_n(arena, reading->sentence.text, reading->sentence.length));
}

static void states_take(struct told *told, const struct reading *reading, struct arena *arena)
{
    told->phases |= phases_of(reading);
    told->names_gap |= told_names_gap(reading);
    if (!is_behind_change(&told->lone, reading))
        lone_take(&told->lone, reading);
    if (!(told->states.slow > 0) && told_compares_states(reading, &told->states))
        gap_take(told, reading, told_states_gap(&told->states),
                 arena_string_n(arena, reading->sentence.text, reading->sentence.length));
}

/* Whose pages were huge already wasn't changed, though both are huge then: "with huge pages on the host, too". */
static void sides_settle(struct told *told)
{
    for (size_t at = 0; at < told->trial_count; at++) {
        struct told_trial *trial = &told->trials[at];
        bool both = trial->treatment == TREATMENT_PAGES && trial->on_host && trial->on_guest;
        trial->on_guest &= !(both && told->guest_pages_sentence);
        trial->on_host &= !(both && told->host_pages_sentence && !told->guest_pages_sentence);
    }
}

typedef void take_sentence(struct told *told, const struct reading *reading, struct arena *arena);

static void sentences_take(struct told *told, const struct statements *statements, take_sentence *take,
                           struct arena *arena)
{
    struct reading reading;
    for (size_t at = 0; statements && at < statements->count; at++) {
        const struct statement *statement = &statements->items[at];
        if (!strstr(statement->origin, TOLD_ORIGIN) && strcmp(statement->origin, "said by a person") != 0)
            continue;
        struct view text = view_of(statement->text), sentence;
        struct told_context context = context_of(told);
        told->lone.change = (struct view){0};
        for (; (sentence = told_passage(&text, &context)).length; context = context_of(told))
            if (sentence.length <= SENTENCE_MOST) {
                reading_of(&reading, sentence);
                take(told, &reading, arena);
            }
    }
}

/* On one line. */
static const char *line_of(struct view passage, struct arena *arena)
{
    char *line = arena_string_n(arena, passage.text, passage.length), *to = line;
    for (const char *from = line; *from; from++) {
        char c = isspace((unsigned char)*from) ? ' ' : *from;
        if (c != ' ' || to == line || to[-1] != ' ')
            *to++ = c;
    }
    *to = '\0';
    return line;
}

/* Between quotes: two sentences as two. */
static const char *quoted_of(const struct told_unnamed *one, struct arena *arena)
{
    struct view ahead = {one->passage.text, (size_t)(one->sentence.text - one->passage.text)};
    const char *sentence = line_of(one->sentence, arena);
    return ahead.length ? arena_printf(arena, "%s\" and then \"%s", line_of(view_trim(ahead), arena), sentence)
                        : sentence;
}

/* What it was before stood in the sentence ahead. */
static void named_take(struct told *told, const struct told_unnamed *one, const char *line)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, view_of(line));
    struct told_sides sides = told_sides_of(plain.text);
    if (told->trial_count < TOLD_TRIALS_MOST)
        told->trials[told->trial_count++] = (struct told_trial){.treatment = one->treatment,
                                                                .outcome = OUTCOME_FASTER,
                                                                .number = interval_clamped(one->gain, 0, 1),
                                                                .on_host = sides.on_host,
                                                                .on_guest = sides.on_guest,
                                                                .is_of_latency = one->is_of_latency,
                                                                .sentence = line};
}

/* In what was said, and in what was found in imported texts. */
static void unnamed_take(struct told *told, const struct statement *statement, struct arena *arena)
{
    const struct told_context context = context_of(told);
    struct view text = view_of(statement->text);
    struct told_unnamed one;
    bool is_found = strcmp(statement->origin, TOLD_ORIGIN_UNNAMED) == 0;
    if (!is_found && strcmp(statement->origin, "said by a person") != 0)
        return;
    while (told->unnamed_count < UNNAMED_MOST && told_unnamed_next(&text, &context, &one))
        if (one.treatment != TREATMENT_COUNT)
            named_take(told, &one, quoted_of(&one, arena));
        else
            told->unnamed[told->unnamed_count++] =
                (struct told_tried){quoted_of(&one, arena), one.gain, one.is_of_latency};
}

/* The states that were compared first: trials may be told by what they came to beside them. */
void told_of(struct told *ret_told, const struct statements *statements, const struct imported *imported,
             struct arena *arena)
{
    *ret_told = (struct told){0};
    sentences_take(ret_told, statements, states_take, arena);
    if (!(ret_told->states.slow > 0)) {
        ret_told->states = told_states_of_runs(imported);
        if (ret_told->states.fast > 0)
            ret_told->gap = told_states_gap(&ret_told->states);
    }
    if (!(ret_told->states.slow > 0) && ret_told->lone.count == 1)
        ret_told->states = ret_told->lone.state;
    sentences_take(ret_told, statements, sentence_take, arena);
    sentences_take(ret_told, statements, control_take, arena);
    sides_settle(ret_told);
    for (size_t at = 0; statements && at < statements->count; at++) {
        ret_told->names_guest |= statement_names_guest(statements->items[at].text);
        ret_told->names_wide |= told_names_wide(view_of(statements->items[at].text));
        if (strcmp(statements->items[at].origin, TOLD_ORIGIN_UNREAD) == 0)
            unread_take(ret_told, statements->items[at].text, arena);
        unnamed_take(ret_told, &statements->items[at], arena);
    }
}
