/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do wrong guesses hold up beyond the function that they are made in? What a loop calls in each turn begins anew
 * with it; and where the function called guesses wrong on its way out, that shows behind the call. By the callers that
 * copied stacks tell. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_CALL_GUESSES_H
#define PLUMB_ANALYSE_BOTTLENECK_CALL_GUESSES_H

#include "analyse/bottleneck/loop_look.h"

/* Looks again, or moves samples, where that is so. looks: count of them, of all regions. */
void call_guesses_join(struct loop_look *looks, size_t count, const struct bottleneck_request *request,
                       struct arena *arena);

#endif
