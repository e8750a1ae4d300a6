/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/tracepoint_text.h"

#include "base/arena.h"
#include "base/hashmap.h"
#include "base/library.h"
#include "base/scope.h"
#include "base/vec.h"
#include "decode/tracepoint_format.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <unistd.h>

enum {
    DIGITS_MOST = 3,       /* of a width */
    RAW_BYTES_MOST = 64 << 10,
    /*
     * A field may begin anywhere in RAW_BYTES_MOST and an offset in the data says up to 64 KiB more, as does its
     * length: that much behind the data is ours and zero.
     */
    PADDING_BYTES = 4 * RAW_BYTES_MOST,
    DEPTH_MOST = 64,
    TRIAL_SECONDS = 5
};

struct traceevent {
    typeof(tep_alloc) *alloc;
    typeof(tep_free) *free;
    typeof(tep_set_loglevel) *set_loglevel;
    typeof(tep_set_long_size) *set_long_size;
    typeof(tep_set_file_bigendian) *set_file_bigendian;
    typeof(tep_set_local_bigendian) *set_local_bigendian;
    typeof(tep_parse_event) *parse_event;
    typeof(tep_find_event) *find_event;
    typeof(tep_find_any_field) *find_any_field;
    typeof(tep_print_field) *print_field;
    typeof(tep_read_number) *read_number;
    typeof(tep_print_event) *print_event;
    typeof(tep_register_print_string) *register_print_string;
    typeof(tep_set_function_resolver) *set_function_resolver;
    typeof(trace_seq_init) *seq_init;
    typeof(trace_seq_reset) *seq_reset;
    typeof(trace_seq_destroy) *seq_destroy;
    typeof(trace_seq_terminate) *seq_terminate;
};

#define FUNCTION(member, name) LIBRARY_SYMBOL(struct traceevent, member, name)

static const struct library library = {{"libtraceevent.so.1"}, "libtraceevent1", "showing the fields of tracepoints"};
static const struct library_symbol functions[] = {
    FUNCTION(alloc, "tep_alloc"),
    FUNCTION(free, "tep_free"),
    FUNCTION(set_loglevel, "tep_set_loglevel"),
    FUNCTION(set_long_size, "tep_set_long_size"),
    FUNCTION(set_file_bigendian, "tep_set_file_bigendian"),
    FUNCTION(set_local_bigendian, "tep_set_local_bigendian"),
    FUNCTION(parse_event, "tep_parse_event"),
    FUNCTION(find_event, "tep_find_event"),
    FUNCTION(find_any_field, "tep_find_any_field"),
    FUNCTION(print_field, "tep_print_field"),
    FUNCTION(read_number, "tep_read_number"),
    FUNCTION(print_event, "tep_print_event"),
    FUNCTION(register_print_string, "tep_register_print_string"),
    FUNCTION(set_function_resolver, "tep_set_function_resolver"),
    FUNCTION(seq_init, "trace_seq_init"),
    FUNCTION(seq_reset, "trace_seq_reset"),
    FUNCTION(seq_destroy, "trace_seq_destroy"),
    FUNCTION(seq_terminate, "trace_seq_terminate"),
};
_Static_assert(array_count(functions) == sizeof(struct traceevent) / sizeof(void *), "every function is loaded");

struct tracepoint_text {
    struct traceevent lib;
    struct tep_handle *tep;
    struct trace_seq seq;
    tracepoint_function_at *function_at;
    void *function_context;
    int long_bytes;
    bool big_endian;
    struct hashmap trusted; /* ids of formats that were looked through */
    uint8_t *data;          /* a sample's bytes and PADDING_BYTES of zeros */
    size_t data_used;
};

bool tracepoint_text_new(struct tracepoint_text **ret_text, struct error *err)
{
    struct traceevent lib;
    if (!library_load(&library, functions, array_count(functions), &lib, err))
        return false;
    struct tracepoint_text *text = memory_alloc(sizeof(*text));
    text->lib = lib;
    text->tep = lib.alloc();
    if (!text->tep) {
        free(text);
        return error_set(err, ERROR_LIMIT, "libtraceevent has no memory");
    }
    lib.set_loglevel(TEP_LOG_NONE); /* what it can't read is said by us, once */
    text->long_bytes = sizeof(long);
    text->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    lib.set_long_size(text->tep, text->long_bytes);
    enum tep_endian here = text->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN;
    lib.set_local_bigendian(text->tep, here);
    lib.set_file_bigendian(text->tep, here);
    lib.seq_init(&text->seq);
    text->data = memory_alloc(RAW_BYTES_MOST + PADDING_BYTES);
    *ret_text = text;
    return true;
}

void tracepoint_text_free(struct tracepoint_text *text)
{
    if (!text)
        return;
    text->lib.seq_destroy(&text->seq);
    text->lib.free(text->tep);
    hashmap_done(&text->trusted);
    free(text->data);
    free(text);
}

static char *function_name(void *context, unsigned long long *addr, char **ret_module)
{
    const struct tracepoint_text *text = context;
    uint64_t start = *addr;
    const char *name = text->function_at(text->function_context, *addr, &start);
    *addr = start;
    *ret_module = NULL;
    return (char *)(uintptr_t)name; /* the library only reads it */
}

void tracepoint_text_names(struct tracepoint_text *text, tracepoint_function_at *function_at, void *context)
{
    text->function_at = function_at;
    text->function_context = context;
    (void)text->lib.set_function_resolver(text->tep, function_name, text);
}

/* ---- what is given to the library ---- */

static bool fields_fit(const struct tep_format_field *field)
{
    for (; field; field = field->next)
        if (field->offset < 0 || field->size < 0 || field->offset > RAW_BYTES_MOST || field->size > RAW_BYTES_MOST)
            return false;
    return true;
}

/* Widths that would fill memory: many digits, or a number from the data ('*') for other than a bit list or a text. */
static bool widths_fit(const char *format)
{
    unsigned digits = 0;
    for (const char *at = format; at && *at; at++) {
        digits = *at >= '0' && *at <= '9' ? digits + 1 : 0;
        bool taken = *at == '*' && at[1] != 'p' && !(at > format && at[-1] == '.' && at[1] == 's');
        if (digits > DIGITS_MOST || taken)
            return false;
    }
    return true;
}

static bool atom_value(const struct tep_print_arg *arg, uint64_t *ret_value)
{
    if (!arg || arg->type != TEP_PRINT_ATOM || !arg->atom.atom)
        return false;
    struct view text = view_of(arg->atom.atom);
    while (text.length && strchr("uUlL", text.text[text.length - 1]))
        text.length--;
    return view_u64(text, 0, ret_value);
}

static bool args_are_sound(const struct tep_print_arg *arg, unsigned depth);

static bool op_is_sound(const struct tep_print_arg *arg, unsigned depth)
{
    const struct tep_print_arg_op *op = &arg->op;
    uint64_t divisor;
    if (!op->op || !op->right || !args_are_sound(op->right, depth))
        return false;
    bool divides = op->op[0] == '/' || op->op[0] == '%';
    if (divides && (!atom_value(op->right, &divisor) || !divisor))
        return false;
    return !op->left || args_are_sound(op->left, depth);
}

/* Counts are looked at when the data is there (arrays_fit). */
static bool arg_is_sound(const struct tep_print_arg *arg, unsigned depth)
{
    switch (arg->type) {
    case TEP_PRINT_OP:
        return op_is_sound(arg, depth);
    case TEP_PRINT_TYPE:
        return args_are_sound(arg->typecast.item, depth);
    case TEP_PRINT_FLAGS:
        return args_are_sound(arg->flags.field, depth);
    case TEP_PRINT_SYMBOL:
        return args_are_sound(arg->symbol.field, depth);
    case TEP_PRINT_HEX:
    case TEP_PRINT_HEX_STR:
        return args_are_sound(arg->hex.field, depth) && args_are_sound(arg->hex.size, depth);
    case TEP_PRINT_INT_ARRAY:
        return args_are_sound(arg->int_array.field, depth) && args_are_sound(arg->int_array.count, depth) &&
               args_are_sound(arg->int_array.el_size, depth);
    case TEP_PRINT_DYNAMIC_ARRAY:
        return !arg->dynarray.index || args_are_sound(arg->dynarray.index, depth);
    case TEP_PRINT_FUNC:
        return false; /* none was registered */
    default:
        return true;
    }
}

static bool args_are_sound(const struct tep_print_arg *arg, unsigned depth)
{
    if (!arg || depth > DEPTH_MOST)
        return false;
    for (; arg; arg = arg->next)
        if (!arg_is_sound(arg, depth + 1))
            return false;
    return true;
}

/* The library tells by the data's first two bytes what it prints; ours have to be what we looked through. */
static bool type_comes_first(const struct tep_event *event)
{
    const struct tep_format_field *field = event->format.common_fields;
    return field && strcmp(field->name, "common_type") == 0 && field->offset == 0 && field->size == 2;
}

/* One that the library couldn't read to its end is printed by its fields. */
static bool is_unread(const struct tep_event *event)
{
    return event->flags & (int)TEP_EVENT_FL_FAILED;
}

static bool event_is_sound(const struct tep_event *event)
{
    if (!event || !type_comes_first(event) || !fields_fit(event->format.fields) ||
        !fields_fit(event->format.common_fields))
        return false;
    return is_unread(event) || (widths_fit(event->print_fmt.format) &&
                                (!event->print_fmt.args || args_are_sound(event->print_fmt.args, 0)));
}

struct checked_format {
    const char *system;
    struct view format;
    uint64_t id;
};

/* Whether it is sound is seen in a handle of its own: once added, an event stays. */
static bool format_is_sound(const struct tracepoint_text *text, const struct checked_format *checked)
{
    struct tep_handle *trial = text->lib.alloc();
    if (!trial)
        return false;
    text->lib.set_long_size(trial, text->long_bytes);
    scoped_text struct text copy = {0}; /* the library looks for the text's end */
    text_append(&copy, checked->format.text, checked->format.length);
    (void)text->lib.parse_event(trial, text_string(&copy), copy.length, checked->system);
    bool sound = event_is_sound(text->lib.find_event(trial, (int)checked->id));
    text->lib.free(trial);
    return sound;
}

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
/* What the library does wrong in the child is what the child is for: it ends, and that is no find. */
static void child_reports_nothing(void)
{
    int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    __sanitizer_set_death_callback(NULL);
    if (null_fd >= 0)
        __sanitizer_set_report_fd((void *)(intptr_t)null_fd);
}
#else
static void child_reports_nothing(void)
{
}
#endif

/*
 * Whether the library gets through these formats: a child tries, since it may end with a signal at what only looks like
 * one, and the file may be anybody's.
 */
static bool formats_survive(const struct tracepoint_text *text, const struct checked_format *formats, size_t count)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
    pid_t child = fork();
    if (child == 0) {
        for (size_t at = 0; at < array_count(fatal); at++)
            signal(fatal[at], SIG_DFL);
        prctl(PR_SET_DUMPABLE, 0);
        child_reports_nothing();
        alarm(TRIAL_SECONDS);
        for (size_t at = 0; at < count; at++)
            (void)format_is_sound(text, &formats[at]);
        _exit(0);
    }
    int status = -1;
    pid_t ended = -1;
    while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    return child > 0 && ended == child && status == 0;
}

static bool format_add(struct tracepoint_text *text, const struct checked_format *checked)
{
    if (text->lib.find_event(text->tep, (int)checked->id) || !format_is_sound(text, checked))
        return false;
    scoped_text struct text copy = {0};
    text_append(&copy, checked->format.text, checked->format.length);
    (void)text->lib.parse_event(text->tep, text_string(&copy), copy.length, checked->system);
    if (!event_is_sound(text->lib.find_event(text->tep, (int)checked->id)))
        return false;
    hashmap_add(&text->trusted, hash_u64(checked->id), 1);
    return true;
}

bool tracepoint_text_add(struct tracepoint_text *text, const char *system, struct view format)
{
    struct checked_format checked = {.system = system, .format = format};
    return tracepoint_format_check(format, &checked.id) && formats_survive(text, &checked, 1) &&
           format_add(text, &checked);
}

/*
 * Texts that the kernel keeps and events name by address: 0xADDRESS : "text". The library takes a line's end and a
 * quote from the end without looking how long a text is: each has both.
 */
static void add_printk(struct tracepoint_text *text, struct view lines)
{
    for (struct view line; view_line(&lines, &line);) {
        uint64_t address;
        struct view number = view_trim(view_cut(&line, ':'));
        struct view said = view_trim(line);
        if (said.length < 2 || said.text[0] != '"' || !view_u64(number, 0, &address))
            continue;
        said.length = strnlen(said.text, said.length);
        said.length -= said.length > 1 && said.text[said.length - 1] == '"';
        bool ends = said.length > 2 && memcmp(said.text + said.length - 2, "\\n", 2) == 0;
        scoped_text struct text copy = {0};
        text_append(&copy, said.text, said.length);
        text_add(&copy, ends ? "\"" : "\\n\"");
        (void)text->lib.register_print_string(text->tep, text_string(&copy), address);
    }
}

void tracepoint_text_add_recorded(struct tracepoint_text *text, const struct tracing_data *data)
{
    text->long_bytes = (int)data->long_bytes;
    text->big_endian = data->big_endian;
    text->lib.set_long_size(text->tep, text->long_bytes);
    text->lib.set_file_bigendian(text->tep, data->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
    vec(struct checked_format) formats = {0};
    struct tracing_system at = tracing_data_begin(data);
    for (struct view format; tracing_data_next(&at, &format);) {
        struct checked_format checked = {.system = at.name, .format = format};
        if (tracepoint_format_check(format, &checked.id))
            *vec_push(&formats) = checked;
    }
    bool all = formats_survive(text, formats.items, formats.count);
    vec_for_each(&formats, checked)
        if (all || formats_survive(text, checked, 1))
            (void)format_add(text, checked);
    vec_done(&formats);
    add_printk(text, data->printk);
}

bool tracepoint_text_knows(const struct tracepoint_text *text, uint64_t id)
{
    return hashmap_find(&text->trusted, hash_u64(id), NULL, NULL, NULL) != HASHMAP_ABSENT;
}

/* ---- one sample ---- */

/* A count in an array's expression: a constant, a field, a dynamic array's length, or such divided or multiplied. */
static bool count_of(const struct tracepoint_text *text, const struct tep_print_arg *arg, uint64_t *ret_count)
{
    uint64_t left, right;
    if (atom_value(arg, ret_count))
        return true;
    if (arg->type == TEP_PRINT_TYPE)
        return count_of(text, arg->typecast.item, ret_count);
    const struct tep_format_field *field = arg->type == TEP_PRINT_FIELD               ? arg->field.field
                                           : arg->type == TEP_PRINT_DYNAMIC_ARRAY_LEN ? arg->dynarray.field
                                                                                      : NULL;
    if (field) {
        uint64_t value = text->lib.read_number(text->tep, text->data + field->offset, field->size);
        *ret_count = arg->type == TEP_PRINT_FIELD ? value : value >> 16 & 0xffff;
        return true;
    }
    if (arg->type != TEP_PRINT_OP || !arg->op.left || !count_of(text, arg->op.left, &left) ||
        !count_of(text, arg->op.right, &right) || left > UINT32_MAX || right > UINT32_MAX)
        return false;
    if (strcmp(arg->op.op, "/") == 0)
        *ret_count = left / right; /* not 0: op_is_sound */
    else if (strcmp(arg->op.op, "*") == 0)
        *ret_count = left * right;
    else
        return false;
    return true;
}

/* The library walks as many elements as the data says: they must lie within it and its padding. */
static bool arrays_fit(const struct tracepoint_text *text, const struct tep_print_arg *arg)
{
    for (; arg; arg = arg->next) {
        uint64_t count = 0, size = 1;
        bool hex = arg->type == TEP_PRINT_HEX || arg->type == TEP_PRINT_HEX_STR;
        if (hex && !count_of(text, arg->hex.size, &count))
            return false;
        if (arg->type == TEP_PRINT_INT_ARRAY && (!count_of(text, arg->int_array.count, &count) ||
                                                 !count_of(text, arg->int_array.el_size, &size)))
            return false;
        if (count > RAW_BYTES_MOST || size > sizeof(uint64_t) || count * size > RAW_BYTES_MOST)
            return false;
        if (arg->type == TEP_PRINT_OP && (!arrays_fit(text, arg->op.left) || !arrays_fit(text, arg->op.right)))
            return false;
    }
    return true;
}

static bool data_is_of(const struct tracepoint_text *text, uint64_t id)
{
    const uint8_t *type = text->data;
    return (text->big_endian ? (uint64_t)type[0] << 8 | type[1] : (uint64_t)type[1] << 8 | type[0]) == id;
}

static void data_take(struct tracepoint_text *text, const void *raw, size_t size_bytes)
{
    if (text->data_used > size_bytes)
        memset(text->data + size_bytes, 0, text->data_used - size_bytes);
    memcpy(text->data, raw, size_bytes);
    text->data_used = size_bytes;
}

bool tracepoint_text_print(struct tracepoint_text *text, uint64_t id, uint32_t cpu, const void *raw, size_t size_bytes,
                           struct text *out)
{
    if (size_bytes > RAW_BYTES_MOST || !tracepoint_text_knows(text, id))
        return false;
    struct tep_event *event = text->lib.find_event(text->tep, (int)id);
    data_take(text, raw, size_bytes);
    if (!event || !data_is_of(text, id) || (!is_unread(event) && !arrays_fit(text, event->print_fmt.args)))
        return false;
    struct tep_record record = {.cpu = (int)cpu, .size = (int)size_bytes, .data = text->data};
    text->lib.seq_reset(&text->seq);
    text->lib.print_event(text->tep, &text->seq, &record, "%s", TEP_PRINT_INFO);
    text->lib.seq_terminate(&text->seq);
    if (text->seq.state != TRACE_SEQ__GOOD)
        return false;
    text_append(out, text->seq.buffer, text->seq.len);
    return true;
}

static struct tep_format_field *field_of(struct tracepoint_text *text, uint64_t id, const char *name)
{
    struct tep_event *event = tracepoint_text_knows(text, id) ? text->lib.find_event(text->tep, (int)id) : NULL;
    return event ? text->lib.find_any_field(event, name) : NULL;
}

bool tracepoint_text_has_field(struct tracepoint_text *text, uint64_t id, const char *name)
{
    return field_of(text, id, name) != NULL;
}

void tracepoint_text_fields(struct tracepoint_text *text, uint64_t id, void (*visit)(void *context, const char *name),
                            void *context)
{
    struct tep_event *event = tracepoint_text_knows(text, id) ? text->lib.find_event(text->tep, (int)id) : NULL;
    for (struct tep_format_field *field = event ? event->format.fields : NULL; field; field = field->next)
        visit(context, field->name);
}

/* "value" of "... name=value ...", where that stands at the beginning of a word. */
static bool printed_value(struct view printed, const char *name, struct view *ret_value)
{
    while (printed.length) {
        struct view value = view_word(&printed), word = view_cut(&value, '=');
        if (!view_equal(word, name) || !value.length)
            continue;
        *ret_value = value;
        return true;
    }
    return false;
}

static bool field_print(struct tracepoint_text *text, struct tep_format_field *field, size_t size_bytes,
                        struct text *out)
{
    if ((size_t)field->offset + (size_t)field->size > size_bytes)
        return false;
    text->lib.seq_reset(&text->seq);
    text->lib.print_field(&text->seq, text->data, field);
    text->lib.seq_terminate(&text->seq);
    if (text->seq.state != TRACE_SEQ__GOOD)
        return false;
    text_append(out, text->seq.buffer, text->seq.len);
    return true;
}

bool tracepoint_text_field(struct tracepoint_text *text, uint64_t id, uint32_t cpu, const void *raw, size_t size_bytes,
                           const char *name, struct text *out)
{
    scoped_text struct text printed = {0};
    struct tep_format_field *field = field_of(text, id, name);
    struct view value;
    if (!field || !tracepoint_text_print(text, id, cpu, raw, size_bytes, &printed))
        return false;
    if (!printed_value(text_view(&printed), name, &value))
        return field_print(text, field, size_bytes, out);
    text_append(out, value.text, value.length);
    return true;
}
