/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/work_runner.h"

#include "base/scope.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OUTPUT_BYTES_MOST = 4 << 20 /* its end, where such numbers stand */
};

static bool is_word_byte(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || letter == '-';
}

/* The number at the start of the text, behind blanks, '=' or ':'. */
static bool amount_at(struct view text, double *ret_amount)
{
    size_t skipped = 0, length = 0;
    while (skipped < text.length && strchr(" \t=:", text.text[skipped]) && text.text[skipped])
        skipped++;
    if (!skipped)
        return false;
    text = view_skip(text, skipped);
    while (length < text.length && (isdigit((unsigned char)text.text[length]) || strchr("+-.eE", text.text[length])) &&
           text.text[length])
        length++;
    while (length && !isdigit((unsigned char)text.text[length - 1])) /* "12." at the end of a sentence */
        length--;
    double amount;
    if (!view_double((struct view){text.text, length}, &amount) || !(amount > 0))
        return false;
    *ret_amount = amount;
    return true;
}

bool work_amount_find(struct view output, const char *word, double *ret_amount)
{
    size_t length = strlen(word), at = 0;
    bool found = false;
    for (ptrdiff_t step; length && (step = view_find(view_skip(output, at), word)) >= 0; at += (size_t)step + length) {
        size_t start = at + (size_t)step;
        if (start == 0 || !is_word_byte(output.text[start - 1]))
            found |= amount_at(view_skip(output, start + length), ret_amount);
    }
    return found;
}

bool work_runner_init(struct work_runner *runner, struct error *err)
{
    const char *place = getenv("TMPDIR");
    runner->path = memory_printf("%s/plumb-output-XXXXXX", place && place[0] ? place : "/tmp");
    scoped_fd int fd = mkstemp(runner->path);
    if (fd < 0) {
        int reason = errno;
        free(runner->path);
        runner->path = NULL;
        return error_system(err, reason, "can't make a file for what the command prints") ||
               error_hint(err, "set TMPDIR to a folder that can be written");
    }
    size_t count = runner->inner.quantity_count;
    runner->quantities = memory_alloc(memory_product(count + 1, sizeof(*runner->quantities)));
    memcpy(runner->quantities, runner->inner.quantities, count * sizeof(*runner->quantities));
    runner->quantities[count] = (struct run_quantity){
        "per-work", runner->by_cpu ? "CPU time of a unit of work" : "wall time of a unit of work", RUN_SECONDS};
    return true;
}

void work_runner_done(struct work_runner *runner)
{
    if (runner->path)
        unlink(runner->path);
    free(runner->path);
    free(runner->quantities);
    runner->path = NULL;
    runner->quantities = NULL;
}

static bool output_read(const char *path, struct text *output)
{
    scoped_file FILE *file = fopen(path, "re");
    char bytes[1 << 14];
    size_t got;
    if (!file)
        return false;
    if (fseek(file, -(long)OUTPUT_BYTES_MOST, SEEK_END) != 0)
        rewind(file); /* it is shorter */
    while ((got = fread(bytes, 1, sizeof(bytes), file)) > 0)
        text_append(output, bytes, got);
    return !ferror(file);
}

static struct measured per_work(const struct work_runner *runner, struct measured time)
{
    scoped_text struct text output = {0};
    double amount;
    if (!output_read(runner->path, &output) ||
        !work_amount_find(text_view(&output), runner->word, &amount))
        return not_measured("the command printed no amount of work");
    return time.known ? measured_as(time.value / amount) : time;
}

/* `sh` only opens the file and becomes the command: same process, and the same for all arms. */
static bool work_run(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                     int *ret_exit_code, struct error *err)
{
    static const char *const start[] = {"sh", "-c", "out=$1; shift; exec \"$@\" >\"$out\"", "sh"};
    struct work_runner *runner = context;
    vec(char *) argv = {0};
    for (size_t at = 0; at < array_count(start); at++)
        *vec_push(&argv) = (char *)start[at];
    *vec_push(&argv) = runner->path;
    for (char *const *word = arm->argv; *word; word++)
        *vec_push(&argv) = *word;
    *vec_push(&argv) = NULL;
    struct experiment_arm redirected = *arm;
    redirected.argv = argv.items;
    bool ran = runner->inner.run(runner->inner.context, &redirected, block, ret_cells, ret_exit_code, err);
    if (ran)
        ret_cells[runner->inner.quantity_count] = per_work(runner, ret_cells[runner->by_cpu ? CHILD_CPU : CHILD_WALL]);
    vec_done(&argv);
    return ran;
}

struct experiment_runner work_runner_interface(struct work_runner *runner)
{
    return (struct experiment_runner){.context = runner,
                                      .quantities = runner->quantities,
                                      .quantity_count = runner->inner.quantity_count + 1,
                                      .run = work_run};
}
