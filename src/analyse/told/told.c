/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told.h"

#include "analyse/told/told_label.h"
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

/* The number that ends before this place: "18 %", "18%". */
static bool number_before(const char *plain, const char *place, double *ret_number)
{
    const char *end = place;
    while (end > plain && end[-1] == ' ')
        end--;
    const char *begin = end;
    while (begin > plain && ((begin[-1] >= '0' && begin[-1] <= '9') || begin[-1] == '.'))
        begin--;
    return begin < end && view_double((struct view){begin, (size_t)(end - begin)}, ret_number);
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

/*
 * "18% ~ 125% lower", "12 % slower", "1.3x slower". Whether a share is of the faster side's time or of its speed isn't
 * known: the lower end takes it as so much more time, the upper as so much less speed. Of 125 % less speed there is
 * none: then both shares are of the time, as both were told in one way.
 */
static bool gap_numbers(const char *plain, struct interval *ret_gap)
{
    double first = 0, last = 0, number;
    for (const char *at = strchr(plain, '%'); at; at = strchr(at + 1, '%'))
        if (number_before(plain, at, &number) && number > 0) {
            first = first > 0 ? first : number / 100;
            last = number / 100;
        }
    if (first <= 0 || last <= 0)
        return gap_of_times(plain, ret_gap);
    double least = first < last ? first : last, most = first < last ? last : first;
    double low = 1 - 1 / (1 + least), high = most < 1 ? most : 1 - 1 / (1 + most);
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

/* The word that ends before this place, which is moved to its beginning; empty: there is none. */
static struct view word_back(const char *plain, const char **place)
{
    const char *end = *place;
    while (end > plain && end[-1] == ' ')
        end--;
    const char *begin = end;
    while (begin > plain && begin[-1] != ' ')
        begin--;
    *place = begin;
    return (struct view){begin, (size_t)(end - begin)};
}

/*
 * Whether a host or guest that is named is where something was changed: "in the guest" is, what is compared isn't ("the
 * gap between the guests", "the guest was as fast"), nor what the host does for it ("behind the guest").
 */
static bool is_side(const char *plain, const char *name, const char *behind)
{
    static const char *const within[] = {"in", "on", "inside", "within", NULL}, *const joining[] = {"and", "&", NULL};
    static const char *const other_side[] = {"host", "guest", "hypervisor", NULL};
    static const char *const beside[] = {"behind", "between", "backing", "beneath", "under", NULL};
    static const char *const compared[] = {"both", "two", NULL};
    static const char *const verbs[] = {"was",  "is",   "were", "are",    "became", "becomes", "took",
                                        "takes", "ran", "runs", "needed", "needs",  "caught",  NULL};
    enum { WORDS_BACK = 3 };
    bool located = false, several = *behind == 's' && behind[1] == ' ';
    if (plain_starts(name, "guest_memfd") || plain_starts(name, "guest memfd"))
        return false; /* the host's memory behind a guest, by KVM's name */
    for (size_t back = 0; back < WORDS_BACK && !located; back++) {
        struct view word = word_back(plain, &name);
        if (word_is(word, beside) || (several && word_is(word, compared)))
            return false;
        located =
            word_is(word, within) || (word_is(word, joining) && word_is(word_back(plain, &name), other_side));
    }
    struct view rest = view_of(behind + strcspn(behind, " "));
    return located || !word_is(view_word(&rest), verbs);
}

/* "guest left alone", "(guest THP off again)", "not on the host" */
static bool is_left_alone(const char *plain, const char *name, const char *behind)
{
    static const char *const after[] = {" unchanged",   " untouched",     " left ",     " was left ", " kept ",
                                        " off ",        " thp off ",      " as before", " on 4",      " on small ",
                                        " without huge", " without thp", NULL};
    static const char *const before[] = {"not", "off", NULL};
    for (const char *const *words = after; *words; words++)
        if (strncmp(behind, *words, strlen(*words)) == 0)
            return true;
    struct view article = word_back(plain, &name), place = word_back(plain, &name);
    return view_equal(article, "the") && (view_equal(place, "in") || view_equal(place, "on")) &&
           word_is(word_back(plain, &name), before);
}

struct side {
    bool named, alone, left;
};

static struct side side_of(const char *plain, const char *const *names)
{
    struct side side = {.named = false};
    for (const char *const *name = names; *name; name++)
        for (const char *at = plain_find(plain, *name); at; at = plain_find(at + 1, *name)) {
            const char *behind = at + strlen(*name), *ahead = at;
            struct view only = word_back(plain, &ahead);
            if (!is_side(plain, at, behind))
                continue;
            side.named = true;
            side.left |= is_left_alone(plain, at, behind);
            side.alone |= strncmp(behind, " only ", 6) == 0 || strncmp(behind, " alone ", 7) == 0;
            while (word_is(only, (const char *const[]){"the", "on", "in", NULL}))
                only = word_back(plain, &ahead);
            side.alone |= view_equal(only, "only");
        }
    return side;
}

static void sides_read(const char *plain, struct told_trial *trial)
{
    static const char *const host[] = {"host", "hypervisor", NULL}, *const guest[] = {"guest",         "inside the vm",
                                                                                      "in the vm",     "in the td ",
                                                                                      "inside the td", NULL};
    static const char *const both[] = {"both sides", "on both", "either side", NULL};
    static const char *const added[] = {"as well", "too ", "in addition", "additionally", "on top", NULL};
    struct side on_host = side_of(plain, host), on_guest = side_of(plain, guest);
    bool to_other = (on_host.named || on_guest.named) && plain_has(plain, added); /* to what was changed there */
    trial->on_host = on_host.named || plain_has(plain, both) || to_other;
    trial->on_guest = on_guest.named || plain_has(plain, both) || to_other;
    if (on_host.alone || on_guest.left) {
        trial->on_host = true;
        trial->on_guest = false;
    } else if (on_guest.alone || on_host.left) {
        trial->on_host = false;
        trial->on_guest = true;
    }
}

/* Why no trial was read from a sentence that sounds like one. */
enum trial_reading { TRIAL_NONE, TRIAL_READ, TRIAL_OUTCOME_UNCLEAR, TRIAL_CHANGE_UNCLEAR, TRIAL_CHANGE_UNKNOWN };

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

static enum trial_reading trial_read(struct view sentence, const struct told_states *states, struct told_trial *trial)
{
    static const char *const of_speed[] = {"gap",      "slow",  "fast", "throughput", "runtime",
                                           "run time", "speed", "%",    NULL};
    struct plain_sentence plain;
    plain_sentence_of(&plain, sentence);
    enum change_reading change = told_change_of(plain.text, &trial->treatment);
    if (change == CHANGE_NONE) /* most sentences: how anything came out isn't looked for */
        return tells_another_change(plain.text, states) ? TRIAL_CHANGE_UNKNOWN : TRIAL_NONE;
    change = tells_by_numbers(plain.text, change) ? CHANGE_MADE : change;
    enum outcome_reading outcome = outcome_read(sentence, &plain, states, trial);
    bool of_numbers = told_has_amount(plain.text) || (change == CHANGE_MADE && plain_has(plain.text, of_speed));
    if (outcome == OUTCOME_UNTOLD)
        return of_numbers ? TRIAL_OUTCOME_UNCLEAR : TRIAL_NONE;
    if (change != CHANGE_MADE)
        return TRIAL_CHANGE_UNCLEAR;
    sides_read(plain.text, trial);
    return outcome == OUTCOME_READ ? TRIAL_READ : TRIAL_OUTCOME_UNCLEAR;
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

/* A change that makes two states of a program isn't what they are compared for. */
static bool states_of(struct view sentence, struct told_states *ret_states)
{
    struct plain_sentence plain;
    enum treatment ignored;
    plain_sentence_of(&plain, sentence);
    return sentence.length <= SENTENCE_MOST && told_change_of(plain.text, &ignored) == CHANGE_NONE &&
           told_states_of(plain.text, ret_states);
}

struct told_states told_states_in(struct view text)
{
    struct told_states states;
    for (struct view sentence; (sentence = told_passage(&text)).length;)
        if (states_of(sentence, &states))
            return states;
    return (struct told_states){0};
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

bool told_is_useful(struct view sentence, const struct told_states *states)
{
    struct told_trial trial = {0};
    struct told_states two;
    struct interval gap;
    return sentence.length <= SENTENCE_MOST &&
           (trial_read(sentence, states, &trial) == TRIAL_READ || gap_of(sentence, &gap) || states_of(sentence, &two) ||
            loop_bytes_of(sentence) > 0 || function_in(sentence, 0).length > 0);
}

const char *told_why_unread(struct view sentence, const struct told_states *states)
{
    struct told_trial trial = {0};
    switch (sentence.length <= SENTENCE_MOST ? trial_read(sentence, states, &trial) : TRIAL_NONE) {
    case TRIAL_OUTCOME_UNCLEAR:
        return "what came of it isn't clear";
    case TRIAL_CHANGE_UNCLEAR:
        return "which change it tells of isn't clear";
    case TRIAL_CHANGE_UNKNOWN:
        return "it tells of no change that plumb knows by its name";
    default:
        return NULL;
    }
}

static const char TRIED[] = "tried:";

/* An item of a list: "- ", "+ ", "3. ", "3) ". */
static bool is_item(struct view line)
{
    size_t blanks = 0, digits = 0;
    while (blanks < line.length && line.text[blanks] == ' ')
        blanks++;
    line = view_skip(line, blanks);
    while (digits < line.length && digits < 3 && line.text[digits] >= '0' && line.text[digits] <= '9')
        digits++;
    if (digits)
        return line.length > digits + 1 && (line.text[digits] == '.' || line.text[digits] == ')') &&
               line.text[digits + 1] == ' ';
    return view_starts(line, "- ") || view_starts(line, "+ ") || view_starts(line, "\xe2\x80\xa2 ");
}

static bool ends_sentence(struct view text, size_t at)
{
    char c = text.text[at], next = at + 1 < text.length ? text.text[at + 1] : '\n';
    bool blank = next == ' ' || next == '\n' || next == '\t' || next == '\r';
    if (c == '\n' && is_item(view_skip(text, at + 1)))
        return true;
    if (c == '\n')
        return next == '\n' || next == '`' || next == '|' || next == '@' || next == '#' || next == '*' ||
               next == '\r' || view_starts(view_skip(text, at + 1), TRIED);
    /* a colon often stands between what was tried and what came of it */
    return (c == '.' || c == '!' || c == '?' || c == ';') && blank;
}

struct view told_sentence(struct view *text)
{
    struct view sentence = {0};
    while (!sentence.length && text->length) {
        size_t end = 0;
        *text = view_trim(*text);
        if (view_starts(*text, "```")) { /* a fence belongs to no sentence */
            struct view fence;
            (void)view_line(text, &fence);
            continue;
        }
        /* Markdown's headings, and trials in our own form */
        bool is_line = view_starts(*text, "#") || view_starts(*text, TRIED);
        while (end < text->length && !(is_line ? text->text[end] == '\n' : ends_sentence(*text, end)))
            end++;
        sentence = view_trim((struct view){text->text, end < text->length && text->text[end] != '\n' ? end + 1 : end});
        *text = view_skip(*text, end < text->length ? end + 1 : end);
    }
    return sentence;
}

/* "THP off: 4.2 s. THP on: 3.1 s.": each has one amount, and both together tell of one change. */
static bool is_other_half(struct view first, struct view second)
{
    struct plain_sentence one, other, both;
    struct told_pair pair;
    plain_sentence_of(&one, first);
    plain_sentence_of(&other, second);
    plain_sentence_of(&both, (struct view){first.text, (size_t)(second.text + second.length - first.text)});
    return told_has_amount(one.text) && told_has_amount(other.text) && !told_pair_of(one.text, &pair) &&
           !told_pair_of(other.text, &pair) && told_pair_of(both.text, &pair) && pair.change != TREATMENT_COUNT &&
           !told_names_state(both.text);
}

/* "We booted with nohz_full. It made no difference.": the first says what was changed, the second what came of it. */
static bool is_continued(struct view first, struct view second)
{
    static const char *const changing[] = {"tried",   "enabl",      "boot",       "switch",  "turned", "moved",
                                           "rebuilt", "recompiled", "changed",    "applied", "added",  "reran",
                                           "ran ",    "deployed",   "configured", NULL};
    static const char *const referring[] = {" it ",          " this ",  " that ",      " there ",     " no ",
                                            " nothing ",     " result", " afterwards", " after that", " the gap",
                                            " the slowdown", " still",  NULL};
    struct plain_sentence one, other;
    enum treatment treatment;
    enum outcome outcome;
    plain_sentence_of(&one, first);
    plain_sentence_of(&other, second);
    bool refers = false;
    for (const char *const *words = referring; *words; words++)
        refers |= strncmp(other.text, *words, strlen(*words)) == 0;
    refers |= plain_find(other.text, "still ") != NULL; /* whoever is named: as before what the first one tells of */
    return refers && plain_has(one.text, changing) && told_change_of(one.text, &treatment) == CHANGE_MADE &&
           outcome_of(first, &one, &outcome) == OUTCOME_UNTOLD &&
           told_change_of(other.text, &treatment) == CHANGE_NONE &&
           outcome_of(second, &other, &outcome) == OUTCOME_READ;
}

/* "41 s on bare metal. 52 s in the guest.": each has one state with its amount. */
static bool is_other_state(struct view first, struct view second)
{
    struct plain_sentence one, other, both;
    struct told_states states;
    enum treatment ignored;
    plain_sentence_of(&one, first);
    plain_sentence_of(&other, second);
    plain_sentence_of(&both, (struct view){first.text, (size_t)(second.text + second.length - first.text)});
    return told_has_amount(one.text) && told_has_amount(other.text) && told_names_state(one.text) &&
           told_names_state(other.text) && told_change_of(both.text, &ignored) == CHANGE_NONE &&
           told_states_of(both.text, &states);
}

struct view told_passage(struct view *text)
{
    struct view first = told_sentence(text), rest = *text, second = told_sentence(&rest);
    if (!first.length || !second.length || first.length + second.length > SENTENCE_MOST / 2 ||
        !(is_continued(first, second) || is_other_half(first, second) || is_other_state(first, second)))
        return first;
    *text = rest;
    return (struct view){first.text, (size_t)(second.text + second.length - first.text)};
}

static void sentence_take(struct told *told, struct view sentence, struct arena *arena)
{
    struct told_trial trial = {0};
    const char *kept = arena_string_n(arena, sentence.text, sentence.length);
    if (told->trial_count < TOLD_TRIALS_MOST && trial_read(sentence, &told->states, &trial) == TRIAL_READ) {
        trial.sentence = kept;
        told->trials[told->trial_count++] = trial;
    }
    struct interval gap;
    if (!told->gap.known && gap_of(sentence, &gap)) {
        told->gap = gap;
        told->gap_sentence = kept;
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
    if (told->states.slow > 0 || !states_of(sentence, &told->states))
        return;
    told->gap = told_states_gap(&told->states);
    told->gap_sentence = arena_string_n(arena, sentence.text, sentence.length);
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
        while ((sentence = told_passage(&text)).length)
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
}
