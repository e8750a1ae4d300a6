/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/generated_said.h"

#include "base/scope.h"
#include "finding/family.h"
#include "finding/finding.h"
#include "finding/maker.h"
#include "finding/wording.h"

#include <string.h>

static const double SAID_LEAST = 0.2, ADVISED_LEAST = 0.1; /* of the samples */
static const double PIECE_LEAST = 0.01;
enum { PIECES_SAID = 3 };

struct generated {
    const struct stall_function *hottest;
    double share;
    size_t pieces;
    double shares[PIECES_SAID];
    bool is_image;
};

static struct generated generated_of(const struct stalls *stalls)
{
    struct generated generated = {0};
    for (size_t at = 0; stalls && at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        bool is_image = function_is_of_image(function);
        if (!function_is_nameless(function) || !(is_image || function_is_generated(function)))
            continue;
        if (!generated.hottest) {
            generated.hottest = function;
            generated.is_image = is_image;
        }
        generated.share += function->share.mid;
        if (function->share.mid < PIECE_LEAST)
            continue;
        if (generated.pieces < PIECES_SAID)
            generated.shares[generated.pieces] = function->share.mid;
        generated.pieces++;
    }
    return generated;
}

static const char *sentence_of(const struct generated *generated, struct arena *arena)
{
    scoped_text struct text out = {0};
    text_printf(&out, "%.0f %% of its CPU time is in ", generated->share * 100);
    if (generated->is_image)
        text_printf(&out, "compiled code of %s, the runtime's and the program's own, without names here",
                    generated->hottest->dso);
    else
        text_add(&out, "code that was compiled while it ran: what the program itself does, without names here");
    if (generated->pieces == 1)
        text_add(&out, ", nearly all of it in one piece");
    for (size_t at = 0; generated->pieces > 1 && at < generated->pieces && at < (size_t)PIECES_SAID; at++)
        text_printf(&out, "%s%.0f %%", at ? ", " : "; its pieces have ", generated->shares[at] * 100);
    if (generated->pieces > PIECES_SAID)
        text_printf(&out, "; %zu more %s less", generated->pieces - PIECES_SAID,
                    generated->pieces - PIECES_SAID > 1 ? "have" : "has");
    text_add_char(&out, '.');
    return arena_string(arena, text_string(&out));
}

struct generated_said generated_said(const struct results *results, struct arena *arena)
{
    static const double MOST = 0.5;
    struct generated generated = generated_of(results->stalls);
    struct generated_said said = {.is_most = generated.share >= MOST};
    if (generated.share >= SAID_LEAST)
        said.sentence = sentence_of(&generated, arena);
    if (generated.share >= ADVISED_LEAST && !is_emulated(results)) /* the names are the foreign program's */
        said.advice = verdict_words(
            arena, "next-jit", VALUE_SHARE("share", interval_exactly(generated.share)),
            VALUE_TEXT("how", wording_find("common", code_maker_of(results, generated.hottest)->names)));
    return said;
}
