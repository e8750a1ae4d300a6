/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of CPython's garbage collector: the collection itself and what it calls for each object. */
#ifndef PLUMB_FINDING_CPU_COLLECTOR_H
#define PLUMB_FINDING_CPU_COLLECTOR_H

/* Rows of a table of struct name_pattern. */
#define PYTHON_COLLECTOR                                                                                               \
    {.name = "gc_collect_main"}, {.name = "gc_collect_region"}, {.name = "visit_decref"}, {.name = "visit_reachable"}, \
        {.name = "deduce_unreachable"}, {.name = "subtract_refs"}, {.name = "update_refs"},                            \
        {.name = "move_unreachable"}, {.name = "untrack_tuples"}, {.name = "tupletraverse"},                           \
        {.name = "dict_traverse"}, {.name = "list_traverse"}, {.name = "subtype_traverse"}, {.name = "func_traverse"}, \
        {.tells = "gc: objects in each generation", .dso = "python"},                                                  \
    {                                                                                                                  \
        .tells = "gc: objects in each generation", .dso = "libpython"                                                  \
    }

#endif
