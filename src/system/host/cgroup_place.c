/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/cgroup_place.h"

#include "base/scope.h"

#include <string.h>

static void view_store(char *out, size_t out_size, struct view view)
{
    size_t length = view.length < out_size ? view.length : out_size - 1;
    if (length)
        memcpy(out, view.text, length);
    out[length] = '\0';
}

static bool list_has(struct view list, const char *word)
{
    while (list.length)
        if (view_equal(view_cut(&list, ','), word))
            return true;
    return false;
}

/* proc(5) mountinfo: "36 35 98:0 /root /point options … - type source superoptions". */
static bool mount_matches(struct view line, const char *type, const char *controller, struct cgroup_place *place)
{
    for (int field = 0; field < 3; field++)
        view_word(&line);
    struct view root = view_word(&line), point = view_word(&line);
    ptrdiff_t dash = view_find(line, " - ");
    if (dash < 0)
        return false;
    line = view_skip(line, (size_t)dash + 3);
    struct view found_type = view_word(&line);
    view_word(&line);
    if (!view_equal(found_type, type) || (controller && !list_has(view_trim(line), controller)))
        return false;
    place->found = true;
    view_store(place->root, sizeof(place->root), root);
    view_store(place->point, sizeof(place->point), point);
    return true;
}

struct cgroup_place cgroup_place_find(const struct sysroot *root, const char *type, const char *controller)
{
    scoped_text struct text file = {0};
    struct error ignored;
    struct cgroup_place place = {.found = false};
    if (!sysroot_read(root, &file, &ignored, "/proc/self/mountinfo"))
        return place;
    struct view rest = text_view(&file), line;
    while (view_line(&rest, &line))
        if (mount_matches(line, type, controller, &place))
            break;
    return place;
}

/* The path of /proc/PID/cgroup: v2's line is "0::/path", v1's "4:cpu,cpuacct:/path". */
bool cgroup_path_find(const struct sysroot *root, pid_t pid, const char *controller, char *path, size_t path_size)
{
    scoped_text struct text file = {0};
    struct error ignored;
    bool have = pid > 0 ? sysroot_read(root, &file, &ignored, "/proc/%d/cgroup", (int)pid)
                        : sysroot_read(root, &file, &ignored, "/proc/self/cgroup");
    struct view rest = {text_string(&file), have ? file.length : 0}, line;
    while (view_line(&rest, &line)) {
        struct view number = view_cut(&line, ':'), controllers = view_cut(&line, ':');
        bool wanted = controller ? list_has(controllers, controller) : view_equal(number, "0") && !controllers.length;
        if (!wanted)
            continue;
        view_store(path, path_size, view_trim(line));
        return true;
    }
    return false;
}

/* Below the mount point: the group's path without the part that the mount itself starts at. */
const char *cgroup_path_below(const struct cgroup_place *place, const char *path)
{
    size_t length = strlen(place->root);
    if (strcmp(place->root, "/") == 0)
        return strcmp(path, "/") == 0 ? "" : path;
    if (strncmp(path, place->root, length) == 0 && (path[length] == '/' || path[length] == '\0'))
        return path + length;
    return ""; /* a container that sees the host's path: its own group is the mount itself */
}
