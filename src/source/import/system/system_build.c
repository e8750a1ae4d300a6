/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By which command was a program built: does it ask the compiler to optimise?
 *
 * gcc and its like don't unless a command says -O, cargo and rustc unless it says --release or -O. A command that only
 * links, or takes options from elsewhere (make, $CXXFLAGS, @file), tells nothing.
 * Does not support: compilers that optimise by themselves (icx, nvc, go).
 */
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "g++", "/usr/bin/gcc-12", "aarch64-linux-gnu-g++" */
static bool is_compiler(struct view word)
{
    static const char *const names[] = {"gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran"};
    for (size_t at = word.length; at-- > 0;)
        if (word.text[at] == '/') {
            word = view_skip(word, at + 1);
            break;
        }
    size_t end = word.length;
    while (end && (isdigit((unsigned char)word.text[end - 1]) || word.text[end - 1] == '.'))
        end--;
    if (end && end < word.length && word.text[end - 1] == '-')
        word.length = end - 1;
    for (size_t at = 0; at < array_count(names); at++) {
        size_t length = strlen(names[at]);
        bool is_cross =
            word.length > length && view_ends(word, names[at]) && word.text[word.length - length - 1] == '-';
        if (view_equal(word, names[at]) || (is_cross && view_find(word, "linux") >= 0))
            return true;
    }
    return false;
}

static bool is_source(struct view word)
{
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".f", ".f90", ".f95", ".F90", ".rs"};
    for (size_t at = 0; at < array_count(ends); at++)
        if (view_ends(word, ends[at]) && word.length > strlen(ends[at]))
            return true;
    return false;
}

static bool begins_other(struct view word)
{
    static const char *const others[] = {"&&", "||", "|", ";", ">", "2>"};
    for (size_t at = 0; at < array_count(others); at++)
        if (view_equal(word, others[at]))
            return true;
    return false;
}

struct command {
    bool has_source, optimises, is_unsure; /* is_unsure: its options stand elsewhere, or it makes no program */
    struct view text;
};

/* "-O2", "-Ofast"; -O0 asks for none, and of -Og it isn't told how much that is. */
static void option_take(struct command *command, struct view word)
{
    static const char *const none[] = {"-E", "-M", "-MM", "-fsyntax-only", "--version", "-v"};
    bool is_level = view_starts(word, "-O") && !view_equal(word, "-O0");
    command->optimises |= is_level && !view_equal(word, "-Og");
    command->is_unsure |= view_equal(word, "-Og") || word.text[0] == '@' || memchr(word.text, '$', word.length);
    for (size_t at = 0; at < array_count(none); at++)
        command->is_unsure |= view_equal(word, none[at]);
}

/* From the compiler's name on. */
static struct command command_read(const struct words *words, size_t at)
{
    struct command command = {.text = words->items[at]};
    for (at++; at < words->count && !begins_other(words->items[at]); at++) {
        struct view word = words->items[at];
        bool is_end = false;
        for (; word.length && strchr(";`',:.)", word.text[word.length - 1]); word.length--)
            is_end = true;
        if (word.length) {
            command.has_source |= word.text[0] != '-' && is_source(word);
            option_take(&command, word);
            command.text.length = (size_t)(word.text + word.length - command.text.text);
        }
        if (is_end)
            break;
    }
    return command;
}

/* "cargo build" makes a program that isn't optimised, "cargo bench" and "--release" one that is. */
static bool cargo_read(const struct words *words, size_t at, struct command *ret)
{
    bool builds = at + 1 < words->count && view_equal(words->items[at], "cargo") &&
                  (view_equal(words->items[at + 1], "build") || view_equal(words->items[at + 1], "run"));
    if (!builds)
        return false;
    *ret = (struct command){.has_source = true, .text = words->items[at]};
    for (at++; at < words->count && !view_equal(words->items[at], "--") && !begins_other(words->items[at]); at++) {
        struct view word = words->items[at];
        ret->optimises |= view_starts(word, "--release") || view_equal(word, "-r");
        ret->is_unsure |= view_starts(word, "--profile");
        ret->text.length = (size_t)(word.text + word.length - ret->text.text);
    }
    return true;
}

/* Only what stands as a command does: at the line's begin, behind a prompt, or in quotes. */
static bool is_as_command(const struct words *words, size_t at)
{
    static const char *const before[] = {"$", "#", "%", "+", ">", "time", "&&", "sudo"};
    for (size_t one = 0; at && one < array_count(before); one++)
        if (view_equal(words->items[at - 1], before[one]))
            return true;
    return !at || words->items[at].text[-1] == '`';
}

/* "CXXFLAGS=-O2", "make CFLAGS='-O3 -g'": of what else is built. */
static bool flags_optimise(struct view line, const struct words *words)
{
    bool is_of_flags = view_find(line, "FLAGS") >= 0, optimises = false;
    for (size_t at = 0; at < words->count && is_of_flags; at++) {
        ptrdiff_t place = view_find(words->items[at], "-O");
        struct view level = place < 0 ? (struct view){0} : view_skip(words->items[at], (size_t)place + 2);
        optimises |= level.length && strchr("123fs", level.text[0]);
    }
    return optimises;
}

void system_build_note(struct system_reading *reading, struct view line)
{
    struct words words;
    struct command command;
    words_of(line, &words);
    reading->build_optimises |= flags_optimise(line, &words);
    for (size_t at = 0; at < words.count; at++) {
        struct view word = words.items[at];
        bool is_quoted = view_starts(word, "`");
        words.items[at] = view_skip(word, is_quoted);
        if (is_compiler(words.items[at]))
            command = command_read(&words, at);
        else if (!cargo_read(&words, at, &command))
            continue;
        bool is_command = is_quoted || is_as_command(&words, at);
        reading->build_optimises |= command.optimises;
        if (!is_command || !command.has_source || command.is_unsure || command.optimises)
            continue;
        (void)snprintf(reading->build_words, sizeof(reading->build_words), "%.*s", (int)command.text.length,
                       command.text.text);
    }
}
