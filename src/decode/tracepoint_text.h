/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a tracepoint's raw data say, in the words of its own format?
 *
 * libtraceevent reads the format and prints the fields. It trusts both, so what it gets is looked through first: a
 * format whose fields, nesting or counts could lead it out of the data isn't given to it, and a child reads each before
 * we do.
 * Does not support: plugins of libtraceevent.
 */
#ifndef PLUMB_DECODE_TRACEPOINT_TEXT_H
#define PLUMB_DECODE_TRACEPOINT_TEXT_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "decode/tracing_data.h"

struct tracepoint_text;

/* Errors: ERROR_UNSUPPORTED when libtraceevent isn't installed. */
MUST_CHECK bool tracepoint_text_new(struct tracepoint_text **ret_text, struct error *err);
void tracepoint_text_free(struct tracepoint_text *text); /* NULL is fine */
/* The kernel's function that holds an address and where it begins, or NULL; valid until the next call. */
typedef const char *tracepoint_function_at(void *context, uint64_t addr, uint64_t *ret_start);
/* Functions that events name by address are looked up so; else the addresses are shown. */
void tracepoint_text_names(struct tracepoint_text *text, tracepoint_function_at *function_at, void *context);
/* All formats of a recording; before any other. */
void tracepoint_text_add_recorded(struct tracepoint_text *text, const struct tracing_data *data);
/* One format, as a tracepoint's file "format" has it. False: it isn't one, or can't be trusted. */
bool tracepoint_text_add(struct tracepoint_text *text, const char *system, struct view format);
bool tracepoint_text_knows(const struct tracepoint_text *text, uint64_t id);
/* Append the fields of raw data of tracepoint id. False: nothing is appended, the format isn't known or trusted. */
bool tracepoint_text_print(struct tracepoint_text *text, uint64_t id, uint32_t cpu, const void *raw, size_t size_bytes,
                           struct text *out);
/* Whether tracepoint id has a field of that name. */
bool tracepoint_text_has_field(struct tracepoint_text *text, uint64_t id, const char *name);
/* Its fields, in order, without those that all tracepoints have. */
void tracepoint_text_fields(struct tracepoint_text *text, uint64_t id, void (*visit)(void *context, const char *name),
                            void *context);
/*
 * Append one field of raw data, as the printed fields have it ("name=value", up to a blank); one that isn't printed so
 * is told by its type. False: nothing is appended.
 */
bool tracepoint_text_field(struct tracepoint_text *text, uint64_t id, uint32_t cpu, const void *raw, size_t size_bytes,
                           const char *name, struct text *out);

#endif
