/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_doubt.h"

#include "analyse/told/told_quantity.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

static struct view word_at(const char *place)
{
    struct view rest = view_of(place);
    return view_word(&rest);
}

/* ---- what may be ---- */

/* "we can try", "it can make": but not what can be seen. */
static bool can_be(const char *plain)
{
    static const char *const seen[] = {"see", "tell", "say", "confirm", "report", "reproduce", "measure", "now", NULL};
    for (const char *place = plain_find(plain, "can "); place; place = plain_find(place + 1, "can "))
        if (!word_is(word_at(place + 4), seen))
            return true;
    return false;
}

/* "try huge pages" asks for it; "try 1" is the name of one. */
static bool is_asked_for(const char *plain)
{
    for (const char *place = plain_find(plain, "try "); place; place = plain_find(place + 1, "try ")) {
        struct view word = word_at(place + 4);
        if (word.length && !isdigit((unsigned char)word.text[0]) && word.text[0] != '#' && word.text[0] != ',')
            return true;
    }
    return false;
}

/* "up to 30 % faster": an upper bound of many. */
static bool is_at_most(const char *plain)
{
    struct quantity most;
    for (const char *place = plain_find(plain, "up to "); place; place = plain_find(place + 1, "up to "))
        if (quantity_next(place, plain, &most) && most.begin == place + strlen("up to ") &&
            (most.kind == QUANTITY_PERCENT || *most.end == 'x' || plain_starts(most.end, " times")))
            return true;
    return false;
}

/* "that run skipped the checkpoint" */
static bool is_other_run(const char *plain)
{
    static const char *const runs[] = {
        "that run ",  "this run ",   "these runs ",      "those runs ", "the run ",
        "that test ", "that trial ", "that number ",     "that one ",   "that measurement ",
        "this one ",  "the trial ",  "the measurement ", "that "};
    static const char *const other[] = {"skipped", "skips",   "lacked", "missed",   "omitted", "left",
                                        "crashed", "aborted", "died",   "stopped",  "didn't",  "wasn't",
                                        "weren't", "hadn't",  "failed", "finished", NULL};
    for (size_t at = 0; at < array_count(runs); at++)
        for (const char *place = plain_find(plain, runs[at]); place; place = plain_find(place + 1, runs[at])) {
            struct view rest = view_of(place + strlen(runs[at])), word = view_word(&rest), next = view_word(&rest);
            bool denied = (view_equal(word, "was") || view_equal(word, "had") || view_equal(word, "did")) &&
                          (view_equal(next, "not") || view_equal(next, "only") || view_equal(next, "no"));
            bool bare =
                strcmp(runs[at], "that ") == 0 && !word_is(next, (const char *const[]){"counted", "valid", NULL});
            if (bare && view_ends(word, "n't")) /* "that wasn't it" is an outcome */
                continue;
            bool finished = view_equal(word, "finished") && !view_starts(next, "early");
            if ((word_is(word, other) && !finished) || (denied && !bare))
                return true;
        }
    return false;
}

/* "that was with half of the input", "it was on the wrong host": of other conditions. */
static bool is_other_condition(const char *plain)
{
    static const char *const being[] = {"that was ", "those were ", "this was ", "these were ", "that is ", "that's "};
    static const char *const condition[] = {"with", "without", "on",     "before",    "after", "only",
                                            "bare", "another", "under",  "the wrong", "a",     "different",
                                            "from", "still",   "native", "just",      "wrong", NULL};
    for (size_t at = 0; at < array_count(being); at++)
        for (const char *place = plain_find(plain, being[at]); place; place = plain_find(place + 1, being[at])) {
            struct view rest = view_of(place + strlen(being[at])), word = view_word(&rest);
            if (word_is(word, condition) || (view_equal(word, "the") && view_equal(view_word(&rest), "wrong")))
                return true;
        }
    return false;
}

bool told_is_weakening(const char *plain)
{
    static const char *const words[] = {"wrong host",
                                        "wrong machine",
                                        "wrong box",
                                        "wrong guest",
                                        "wrong vm",
                                        "wrong file",
                                        "wrong column",
                                        "wrong build",
                                        "wrong binary",
                                        "wrong server",
                                        "wrong kernel",
                                        "wrong node",
                                        "typo",
                                        "misspel",
                                        "mistyped",
                                        "not in effect",
                                        "not in force",
                                        "not effective",
                                        "never in force",
                                        "not running",
                                        "wasn't running",
                                        "weren't running",
                                        "not loaded",
                                        "wasn't loaded",
                                        "was never set",
                                        "never applied",
                                        "not honoured",
                                        "not honored",
                                        "anonhugepages was 0",
                                        "anonhugepages were 0",
                                        "anonhugepages is 0",
                                        "of the input",
                                        "half the input",
                                        "smaller input",
                                        "smaller data",
                                        "not reproduc",
                                        "couldn't reproduce",
                                        "could not reproduce",
                                        "can't reproduce",
                                        "cannot reproduce",
                                        "never reproduced",
                                        "didn't reproduce",
                                        "did not reproduce",
                                        "cache was warm",
                                        "cache was cold",
                                        "not comparable",
                                        "had no effect because",
                                        "skipped the ",
                                        "booted without it",
                                        NULL};
    return plain_has(plain, words) || is_other_run(plain) || is_other_condition(plain);
}

static const char *const supposing[] = {"should",
                                        "would",
                                        "might",
                                        "could",
                                        "may ",
                                        "if ",
                                        "whether ",
                                        "i doubt",
                                        "doubt that",
                                        "not sure",
                                        "unsure",
                                        "unlikely",
                                        "plan , ",
                                        "plans , ",
                                        "ideas , ",
                                        "forgot",
                                        "not active",
                                        "wasn't active",
                                        "isn't active",
                                        "inactive",
                                        "not in force",
                                        "take effect",
                                        "ignored",
                                        "failed",
                                        "not applied",
                                        "wasn't applied",
                                        "anonhugepages stayed",
                                        "anonhugepages is 0",
                                        "anonhugepages are 0",
                                        "anonhugepages was 0",
                                        "anonhugepages , 0",
                                        "expect",
                                        "perhaps",
                                        "maybe",
                                        "probably",
                                        "hope",
                                        "plan to",
                                        "will ",
                                        "? ",
                                        "not tried",
                                        "haven't tried",
                                        "hasn't tried",
                                        "didn't try",
                                        "never tried",
                                        "target is",
                                        "our target",
                                        "targets ",
                                        "target , ",
                                        "goal",
                                        "objective ",
                                        "slo ",
                                        "sla ",
                                        "would be nice",
                                        "budget",
                                        "going to",
                                        "gonna ",
                                        "want to",
                                        "wants to",
                                        "planning",
                                        "planned",
                                        "next step",
                                        "next , ",
                                        "todo",
                                        "to do , ",
                                        "to be done",
                                        "suggest",
                                        "propos",
                                        "recommend",
                                        "supposed",
                                        "assum",
                                        "i guess",
                                        "my guess",
                                        "our guess",
                                        "we guess",
                                        "ought to",
                                        "'ll ",
                                        "let's ",
                                        "let us ",
                                        "unless ",
                                        "wonder",
                                        "imagine",
                                        "in theory",
                                        "theoretic",
                                        "believe",
                                        "i think",
                                        "we think",
                                        "tomorrow",
                                        "next week",
                                        "yet to ",
                                        "not yet",
                                        "have to ",
                                        "has to ",
                                        "need to ",
                                        "needs to be",
                                        "wish ",
                                        "promis",
                                        "in case ",
                                        "suppose",
                                        "the plan ",
                                        "the idea ",
                                        "please ",
                                        "by design",
                                        "simulat",
                                        "model says",
                                        "estimate",
                                        "on paper",
                                        "presumab",
                                        "fingers crossed",
                                        "seem",
                                        "regardless",
                                        "irrespective",
                                        "no matter",
                                        "or not ",
                                        "independent of",
                                        "false alarm",
                                        "scratch that",
                                        "never mind",
                                        "nevermind",
                                        "my mistake",
                                        "mistaken",
                                        "correction , ",
                                        "nope , ",
                                        "oops , ",
                                        "forget that ",
                                        "sorry , ",
                                        "wrong , ",
                                        "edit , ",
                                        "appears to",
                                        "feels ",
                                        "felt ",
                                        "as far as i remember",
                                        "iirc",
                                        NULL};

bool told_is_supposed(const char *plain)
{
    return plain_has(plain, supposing) || strstr(plain, " ? ") || can_be(plain) || is_asked_for(plain) ||
           is_at_most(plain) || told_is_weakening(plain);
}

/* ---- what others said ---- */

/* One's own tools say what is there. */
static const char *const own_sources[] = {
    "perf",         "toplev",      "vtune",    "numastat", "plumb",   "bpftrace",   "top",     "htop",    "mpstat",
    "turbostat",    "pcm",         "pgbench",  "wrk",      "fio",     "sysbench",   "our",     "my",      "hyperfine",
    "benchmark",    "profile",     "profiler", "counters", "log",     "logs",       "numbers", "metrics", "measurement",
    "measurements", "dashboard",   "graph",    "graphs",   "grafana", "prometheus", "tool",    "kernel",  "dmesg",
    "it",           "enabled",     "cat",      "time",     "ycsb",    "likwid",     "uprof",   "test",    "tests",
    "trial",        "trials",      "result",   "results",  "data",    "run",        "runs",    "table",   "output",
    "experiment",   "experiments", NULL};

static bool is_said_by_others(const char *plain)
{
    static const char *const saying[] = {"says ",      "said ",  "claims ", "claimed ", "reports ", "reported ",
                                         "told ",      "heard ", "swears ", "swore ",   "insists ", "insisted ",
                                         "mentioned ", "wrote ", "writes ", "states ",  "posted ",  "saw "};
    static const char *const selves[] = {"i", "we", "which", "that", NULL};
    static const char *const accounts[] = {"told", "heard", NULL};
    for (size_t at = 0; at < array_count(saying); at++)
        for (const char *place = plain_find(plain, saying[at]); place; place = plain_find(place + 1, saying[at])) {
            const char *ahead = place;
            struct view who = word_back(plain, &ahead);
            bool by_self = !who.length || word_is(who, selves) || view_equal(who, ",");
            if (word_is(who, own_sources) || view_find(who, "/") >= 0 ||
                (by_self && !word_is(word_at(place), accounts)))
                continue;
            return true;
        }
    return false;
}

static bool is_according(const char *plain)
{
    static const char *const articles[] = {"the", "a", "this", "that", "these", "those", "initial", NULL};
    for (const char *place = plain_find(plain, "according to "); place;
         place = plain_find(place + 1, "according to ")) {
        struct view rest = view_of(place + strlen("according to ")), word = view_word(&rest);
        while (word_is(word, articles))
            word = view_word(&rest);
        if (!word_is(word, own_sources))
            return true;
    }
    return false;
}

/* ---- other machines ---- */

/* "on his machine", "in a different cluster", but "as fast as on the other machine" compares. */
static bool is_elsewhere(const char *plain)
{
    static const char *const owners[] = {" his ",         " her ",        " their ",     " another ",
                                         " other ",       " different ",  " someone's ", " somebody's ",
                                         " colleague's ", " customer's ", " vendor's ",  " friend's ",
                                         " a second ",    " fast ",       " faster ",    " good "};
    static const char *const machines[] = {"machine",     "box",   "laptop",   "server",      "system",      "cluster",
                                           "workstation", "setup", "platform", "environment", "desktop",     "hardware",
                                           "rig",         "one",   "tests",    "benchmark",   "measurement", "fleet",
                                           "deployment",  "site",  "end",      "side"};
    static const char *const places[] = {"on", "in", "at", NULL}, *const comparing[] = {"as", "than", "like", NULL};
    enum { WORDS_BETWEEN = 3 };
    for (size_t at = 0; at < array_count(owners); at++)
        for (const char *place = strstr(plain, owners[at]); place; place = strstr(place + 1, owners[at])) {
            struct view rest = view_of(place + strlen(owners[at])), word;
            const char *ahead = place;
            struct view where = word_back(plain, &ahead);
            where = view_equal(where, "the") || view_equal(where, "a") ? word_back(plain, &ahead) : where;
            bool is_subject = !where.length || view_equal(where, ",");
            if (!is_subject && (!word_is(where, places) || word_is(word_back(plain, &ahead), comparing)))
                continue;
            for (size_t words = 0; words < WORDS_BETWEEN && (word = view_word(&rest)).length && word.text[0] != ',';
                 words++)
                for (size_t name = 0; name < array_count(machines); name++)
                    if (view_starts(word, machines[name]))
                        return true;
        }
    return false;
}

/* "The AMD box with huge pages is faster": it may be so for all that it has otherwise. */
static bool is_of_another_thing(const char *plain)
{
    static const char *const things[] = {"machine", "box", "cluster", "laptop", NULL};
    static const char *const sides[] = {"guest", "vm", "host", "td", "kernel", "server", "instance", "one", NULL};
    static const char *const others[] = {"other",  "old",   "new",   "fast",   "faster",
                                         "second", "first", "plain", "legacy", NULL};
    static const char *const having[] = {" with ", " has ", " had ", " having "};
    for (size_t at = 0; at < array_count(having); at++)
        for (const char *place = strstr(plain, having[at]); place; place = strstr(place + 1, having[at])) {
            const char *ahead = place;
            struct view thing = word_back(plain, &ahead), kind = word_back(plain, &ahead);
            bool now = plain_starts(place, " with and without") || plain_find(place, "now ");
            if (!now && kind.length && (word_is(thing, things) || (word_is(thing, sides) && word_is(kind, others))) &&
                !view_equal(kind, "than") && !view_equal(kind, "as"))
                return true;
        }
    return false;
}

/* "in the lab", but "as in the lab" compares. */
static bool is_tried_elsewhere(const char *plain)
{
    static const char *const places[] = {"in the lab ",  "in staging ",   "on staging ",   "in the test environment",
                                         "on a laptop ", "on my laptop ", "in the cloud ", "at home "};
    static const char *const comparing[] = {"as", "than", "like", NULL};
    for (size_t at = 0; at < array_count(places); at++) {
        const char *place = plain_find(plain, places[at]);
        if (place && !word_is(word_back(plain, &place), comparing))
            return true;
    }
    return false;
}

/* "gone on the AMD box, but not on ours" */
static bool is_of_ours_otherwise(const char *plain)
{
    static const char *const ours[] = {"on ours",  "on our ",  "for us ", "in our case",
                                       "with us ", "on mine ", "for ours"};
    static const char *const against[] = {" but ",     " not ",   " though ", " although ", " however ",
                                          " whereas ", " while ", " yet ",    " never ",    " except "};
    for (size_t at = 0; at < array_count(ours); at++) {
        const char *place = plain_find(plain, ours[at]);
        for (size_t word = 0; place && word < array_count(against); word++) {
            const char *joint = strstr(plain, against[word]);
            if (joint && joint < place)
                return true;
        }
    }
    return plain_find(plain, "but here ") || plain_find(plain, "but not here") || plain_find(plain, "not here ");
}

/* "in 2019": another time. */
static bool is_of_year(const char *plain)
{
    for (const char *place = plain_find(plain, "in "); place; place = plain_find(place + 1, "in ")) {
        struct view word = word_at(place + 3);
        if (word.length == 4 && (view_starts(word, "19") || view_starts(word, "20")) &&
            isdigit((unsigned char)word.text[2]) && isdigit((unsigned char)word.text[3]))
            return true;
    }
    return false;
}

bool told_is_of_others(const char *plain)
{
    static const char *const words[] = {"colleague",
                                        "coworker",
                                        "co-worker",
                                        "a friend",
                                        "someone else",
                                        "somebody else",
                                        "another team",
                                        "the other team",
                                        "other people",
                                        "people say",
                                        "users say",
                                        "i read ",
                                        "we read ",
                                        "blog",
                                        "forum",
                                        "reddit",
                                        "stack overflow",
                                        "stackoverflow",
                                        "hacker news",
                                        "mailing list",
                                        "the docs",
                                        "the documentation",
                                        "the manual",
                                        "white paper",
                                        "'s note ",
                                        "'s guide",
                                        "tuning guide",
                                        "best practice",
                                        "handbook",
                                        "whitepaper",
                                        "an article",
                                        "the article",
                                        "a paper",
                                        "the paper",
                                        "release notes",
                                        "changelog",
                                        "apparently",
                                        "allegedly",
                                        "supposedly",
                                        "rumour",
                                        "rumor",
                                        "folklore",
                                        "known to ",
                                        "vendor",
                                        "customer",
                                        "a talk",
                                        "the talk",
                                        "chatgpt",
                                        "the internet",
                                        "back when",
                                        "back then",
                                        "years ago",
                                        "months ago",
                                        "last year",
                                        "in the past",
                                        "at the time ",
                                        "historically",
                                        "upstream",
                                        "in general",
                                        "generally",
                                        "usually",
                                        "typically",
                                        NULL};
    return plain_has(plain, words) || is_said_by_others(plain) || is_according(plain) || is_elsewhere(plain) ||
           is_of_ours_otherwise(plain) || is_of_year(plain) || is_tried_elsewhere(plain) || is_of_another_thing(plain);
}

/* ---- what it does once ---- */

static const char *const phases[] = {
    "boot",          "boots",      "booting",    "startup",        "start-up",       "start up",
    "starts up",     "starts",     "warmup",     "warm-up",        "warm up",        "shutdown",
    "shutting down", "restart",    "reboot",     "initialisation", "initialization", "init",
    "installation",  "install",    "deployment", "backup",         "live migration", "checkpointing",
    "snapshotting",  "logging in", "login",      "unit tests",     "test suite"};
/* What a program does beside its work, or a part of it; brackets end the name of a function. */
static const char *const parts[] = {
    "page faults", "page fault",   "faults",   "gc",        "gc pause",         "gc pauses",
    "pause",       "pauses",       "the copy", "copying",   "system time",      "sys time",
    "kernel time", "memory usage", "rss",      "footprint", "page walks",       "exits",
    "interrupts",  "system calls", "syscalls", "fsync",     "context switches", ", ( ) ,"};
_Static_assert(array_count(phases) + array_count(parts) <= 64, "a bit each");

/* An amount or a verb of an outcome stands just behind it. */
static bool is_amount_of(const char *behind)
{
    static const char *const nouns[] = {"time", "times", "phase", "process", "duration", "itself",  "of",
                                        "the",  "vm",    "guest", "machine", "server",   "program", NULL};
    static const char *const verbs[] = {
        "became", "becomes", "got",    "gets", "is",    "was",    "takes",    "took",     "went",     "goes", "dropped",
        "drops",  "fell",    "runs",   "ran",  "needs", "needed", "finishes", "finished", "improved", "sped", "shrank",
        "halved", "about",   "faster", "much", "now",   "stayed", "were",     "are",      NULL};
    struct view rest = view_of(behind), word = view_word(&rest);
    for (size_t at = 0; at < 3 && word_is(word, nouns); at++)
        word = view_word(&rest);
    return word.length && (word_is(word, verbs) || isdigit((unsigned char)word.text[0]));
}

/* A time, a rate or "faster" stands in the rest of the clause. */
static bool has_amount_behind(const char *behind, const char *plain)
{
    static const char *const joints[] = {" , ", " and ", " but ", " while "};
    size_t length = strlen(behind);
    struct quantity amount;
    for (size_t at = 0; at < array_count(joints); at++) {
        const char *joint = strstr(behind, joints[at]);
        length = joint && (size_t)(joint - behind) < length ? (size_t)(joint - behind) : length;
    }
    const char *faster = plain_find(behind, "faster");
    if (faster && (size_t)(faster - behind) < length)
        return true;
    for (const char *at = behind; quantity_next(at, plain, &amount) && amount.begin < behind + length; at = amount.end)
        if (amount.kind == QUANTITY_TIME || amount.kind == QUANTITY_RATE || plain_starts(amount.end, " to "))
            return true;
    return false;
}

static bool has_part(const char *plain, const char *name)
{
    for (const char *place = strstr(plain, name); place; place = strstr(place + 1, name)) {
        const char *behind = place + strlen(name);
        bool begins = place == plain || !is_of_word(place[-1]) || !is_of_word(name[0]);
        if (begins && *behind == ' ' && is_amount_of(behind) && has_amount_behind(behind, plain))
            return true;
    }
    return false;
}

uint64_t told_phases_of(const char *plain)
{
    uint64_t found = 0;
    for (size_t at = 0; at < array_count(phases); at++)
        for (const char *place = plain_find(plain, phases[at]); place; place = plain_find(place + 1, phases[at])) {
            const char *behind = place + strlen(phases[at]);
            if (*behind == ' ' && is_amount_of(behind))
                found |= UINT64_C(1) << at;
        }
    for (size_t at = 0; at < array_count(parts); at++)
        if (has_part(plain, parts[at]))
            found |= UINT64_C(1) << (array_count(phases) + at);
    return found;
}

/* ---- what was taken back ---- */

bool told_comes_back(const char *plain)
{
    static const char *const back[] = {"was back ",   "is back ",    "came back ",    "comes back ",   "there again ",
                                       "reappeared ", "slow again ", "slower again ", "has returned ", "had returned "};
    for (size_t at = 0; at < array_count(back); at++) {
        const char *place = plain_find(plain, back[at]);
        if (place && !plain_starts(place + strlen(back[at]), "to "))
            return true;
    }
    return false;
}

bool told_is_retraction(const char *plain)
{
    static const char *const words[] = {"false alarm",  "scratch that", "never mind", "nevermind",
                                        "my mistake",   "correction ",  "nope ",      "wrong ",
                                        "forget that ", "sorry ",       "oops ",      "edit "};
    while (*plain == ' ')
        plain++;
    for (size_t at = 0; at < array_count(words); at++)
        if (plain_starts(plain, words[at]))
            return true;
    return false;
}

const char *told_takes_back(const char *plain)
{
    static const char *const back[] = {"revert",
                                       "rolled back",
                                       "rolled it back",
                                       "rolling back",
                                       "rolling it back",
                                       "undid ",
                                       "undoing",
                                       "undone",
                                       "switched back",
                                       "switching back",
                                       "turned it off again",
                                       "turned them off again",
                                       "turned it back",
                                       "turned that off again",
                                       "set it back",
                                       "put it back",
                                       "took it out",
                                       "took it back",
                                       "taking it out",
                                       "taking it back",
                                       "backed it out",
                                       "backed out",
                                       "without it ",
                                       "without them "};
    for (size_t at = 0; at < array_count(back); at++) {
        const char *place = plain_find(plain, back[at]);
        if (place)
            return place;
    }
    return NULL;
}
