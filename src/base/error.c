/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
    [ERROR_NONE] = "none",
    [ERROR_USAGE] = "usage",
    [ERROR_SYSTEM] = "system",
    [ERROR_PERMISSION] = "permission",
    [ERROR_UNSUPPORTED] = "unsupported",
    [ERROR_FORMAT] = "format",
    [ERROR_NOT_FOUND] = "not-found",
    [ERROR_LIMIT] = "limit",
    [ERROR_INTERRUPTED] = "interrupted",
    [ERROR_HELP] = "help",
};
_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == ERROR_KIND_COUNT, "a name for every kind");

const char *error_kind_name(enum error_kind kind)
{
    return kind_names[kind];
}

bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    if (!err)
        return false;
    err->kind = kind;
    err->sys_errno = 0;
    err->hint[0] = '\0';
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof(err->message), format, args);
    va_end(args);
    return false;
}

static enum error_kind kind_of_errno(int sys_errno)
{
    switch (sys_errno) {
    case EPERM:
    case EACCES:
        return ERROR_PERMISSION;
    case ENOENT:
    case ESRCH:
        return ERROR_NOT_FOUND;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return ERROR_LIMIT;
    case EINTR:
        return ERROR_INTERRUPTED;
    default:
        return ERROR_SYSTEM;
    }
}

bool error_system(struct error *err, int sys_errno, const char *format, ...)
{
    if (!err)
        return false;
    err->kind = kind_of_errno(sys_errno);
    err->sys_errno = sys_errno;
    err->hint[0] = '\0';
    va_list args;
    va_start(args, format);
    int length = vsnprintf(err->message, sizeof(err->message), format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof(err->message))
        snprintf(err->message + length, sizeof(err->message) - (size_t)length, ": %s", strerror(sys_errno));
    return false;
}

bool error_wrap(struct error *err, const char *format, ...)
{
    if (!err)
        return false;
    char inner[sizeof(err->message)];
    memcpy(inner, err->message, sizeof(inner));
    va_list args;
    va_start(args, format);
    int length = vsnprintf(err->message, sizeof(err->message), format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof(err->message))
        snprintf(err->message + length, sizeof(err->message) - (size_t)length, ": %s", inner);
    return false;
}

bool error_hint(struct error *err, const char *format, ...)
{
    if (!err)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(err->hint, sizeof(err->hint), format, args);
    va_end(args);
    return false;
}
