/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb doctor: what can be measured here, what stands in the way, which settings distort. */
#include "command/command_table.h"

#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "command/options.h"
#include "probe/capability/capability.h"
#include "probe/guest/guest_probe.h"
#include "probe/setting/setting.h"
#include "render/doctor/doctor.h"
#include "render/doctor/guest.h"
#include "system/snapshot/snapshot.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

struct doctor_options {
    bool json, script, guest, verbose;
    const char *snapshot, *sysroot, *require;
};

#define FIELD(member) offsetof(struct doctor_options, member)

static const struct option_row option_rows[] = {
    {0, "json", OPTION_FLAG, FIELD(json), NULL, "print one JSON document instead of text"},
    {0, "script", OPTION_FLAG, FIELD(script), NULL,
     "print a shell script that sets distorting settings right and puts them back"},
    {0, "guest", OPTION_FLAG, FIELD(guest), NULL,
     "what being a guest costs here: exits, ticks, pages behind it, instructions it hides"},
    {0, "require", OPTION_TEXT, FIELD(require), "CLASS,…",
     "exit 3 unless these classes work (names as in --json's id)"},
    {0, "snapshot", OPTION_TEXT, FIELD(snapshot), "PATH",
     "write the machine's facts as a folder, or a file when PATH ends in .tar"},
    {0, "sysroot", OPTION_TEXT, FIELD(sysroot), "DIR",
     "read such a folder instead of this machine; nothing is measured then"},
    {'v', "verbose", OPTION_FLAG, FIELD(verbose), NULL, "show also the settings that are fine"},
    {0},
};

struct doctor {
    const struct sysroot *root;
    struct machine machine;
    struct capabilities capabilities;
    struct settings settings;
};

/* ---- --require ------------------------------------------------------------------------------------------ */

static bool unknown_class(struct view word, struct error *err)
{
    char name[64], nearest[200] = "";
    snprintf(name, sizeof(name), "%.*s", (int)word.length, word.text);
    error_set(err, ERROR_USAGE, "--require: unknown class '%s'", name);
    for (enum capability_id id = 0; id < CAPABILITY_COUNT; id++) {
        size_t used = strlen(nearest);
        const char *key = capability_key(id);
        if (text_distance(key, name) <= 3 || (word.length >= 3 && strncmp(key, name, word.length) == 0))
            snprintf(nearest + used, sizeof(nearest) - used, "%s%s", used ? ", " : "", key);
    }
    return nearest[0] ? error_hint(err, "did you mean %s?", nearest)
                      : error_hint(err, "plumb doctor --json lists the ids");
}

static bool class_of(struct view word, enum capability_id *ret_id, struct error *err)
{
    char key[64];
    snprintf(key, sizeof(key), "%.*s", (int)word.length, word.text);
    enum capability_id id = capability_by_key(key);
    if (id == CAPABILITY_COUNT)
        return unknown_class(word, err);
    *ret_id = id;
    return true;
}

static bool require_check(const char *list, struct error *err)
{
    struct view rest = view_of(list);
    enum capability_id id = CAPABILITY_COUNT;
    if (!rest.length)
        return error_set(err, ERROR_USAGE, "--require names no class");
    while (rest.length)
        if (!class_of(view_trim(view_cut(&rest, ',')), &id, err))
            return false;
    return true;
}

/* 3 when a required class does not work, 4 when it could not be measured. */
static int require_judge(const struct capabilities *all, const char *list, FILE *talk)
{
    struct view rest = view_of(list);
    int code = EXIT_CODE_OK;
    while (rest.length) {
        enum capability_id id = CAPABILITY_COUNT;
        struct error ignored;
        if (!class_of(view_trim(view_cut(&rest, ',')), &id, &ignored))
            continue;
        const struct capability *capability = &all->items[id];
        if (capability->verdict == CAPABILITY_WORKS || capability->verdict == CAPABILITY_PARTLY)
            continue;
        bool unmeasured = capability->verdict == CAPABILITY_NOT_MEASURED;
        fprintf(talk, "plumb doctor: required '%s' %s: %s\n", capability_key(id),
                unmeasured ? "was not measured" : "does not work", capability->reason);
        if (!unmeasured)
            code = EXIT_CODE_FINDING;
        else if (code == EXIT_CODE_OK)
            code = EXIT_CODE_INCONCLUSIVE;
    }
    return code;
}

/* ---- stages --------------------------------------------------------------------------------------------- */

static bool snapshot_root(struct sysroot *root, const char *folder, struct error *err)
{
    struct stat status;
    if (stat(folder, &status) != 0)
        return error_system(err, errno, "can't read '%s'", folder);
    if (!S_ISDIR(status.st_mode)) {
        error_set(err, ERROR_USAGE, "'%s' is no folder", folder);
        return error_hint(err, "unpack a .tar snapshot first: mkdir DIR && tar -xf FILE -C DIR");
    }
    if (strlen(folder) + 1 >= sizeof(root->prefix))
        return error_set(err, ERROR_USAGE, "the path '%.100s…' is too long", folder);
    sysroot_init(root, folder);
    if (!sysroot_exists(root, "/proc") && !sysroot_exists(root, "/sys")) {
        error_set(err, ERROR_NOT_FOUND, "'%s' holds neither proc nor sys", folder);
        return error_hint(err, "plumb doctor --snapshot DIR writes such a folder");
    }
    return true;
}

static bool examine(struct doctor *doctor, const struct kernel *kernel, struct error *err)
{
    struct cpu_time later;
    if (!machine_read(doctor->root, kernel, &doctor->machine, err))
        return false;
    capabilities_measure(&doctor->capabilities, kernel, doctor->root, &doctor->machine);
    cpu_time_read(&later, doctor->root);
    settings_read(&doctor->settings, doctor->root, &doctor->machine, &doctor->capabilities, &later,
                  &doctor->machine.arena);
    return true;
}

static bool snapshot_take(const struct doctor *doctor, const char *path, const struct doctor_report *report, FILE *talk,
                          struct error *err)
{
    struct archive *archive;
    scoped_text struct text json = {0};
    if (!archive_open(&archive, path, err))
        return false;
    doctor_json(&json, report);
    bool good = snapshot_write(archive, doctor->root, &doctor->machine, err) &&
                archive_add_file(archive, "/plumb/doctor.json", json.bytes, json.length, err);
    size_t count = archive_count(archive);
    if (!good) {
        archive_abandon(archive);
        return false;
    }
    if (!archive_close(archive, err))
        return false;
    fprintf(talk, "plumb doctor: %zu files in '%s'; no environment, no command lines, no host name\n", count, path);
    return true;
}

static bool print(const struct doctor *doctor, const struct doctor_options *options, struct context *context,
                  struct error *err)
{
    const struct doctor_report report = {&doctor->machine, &doctor->capabilities, &doctor->settings, options->verbose};
    scoped_text struct text out = {0};
    if (options->snapshot)
        return snapshot_take(doctor, options->snapshot, &report, context->talk, err);
    if (options->script) {
        settings_script(&doctor->settings, &out);
    } else if (options->json) {
        doctor_json(&out, &report);
    } else {
        struct page page = page_for(&out, context->out);
        doctor_text(&page, &report);
    }
    return text_write_file(&out, context->out) || error_system(err, errno, "can't write the result");
}

/* ---- --guest -------------------------------------------------------------------------------------------- */

static void share_set(struct fact_number *fact, bool known, double ratio, const char *why)
{
    if (known)
        fact_number_set(fact, (int64_t)(ratio * 1e6 + 0.5));
    else
        fact_number_absent(fact, "%s", why);
}

static void guest_measure(struct doctor *doctor, const struct kernel *kernel, struct guest_costs *costs)
{
    const struct cpu_isolation *isolation = &doctor->machine.isolation;
    const struct guest_probe_request request = {
        .is_guest = true,
        .isolated = isolation->isolated.known ? isolation->isolated.text : NULL,
        .nohz_full = isolation->nohz_full.known ? isolation->nohz_full.text : NULL,
    };
    capabilities_measure(&doctor->capabilities, kernel, doctor->root, &doctor->machine);
    guest_probe_measure(costs, doctor->root, &request);
}

/* A page of its own, for whoever asks what the machine around this one takes. */
static bool guest_print(struct doctor *doctor, const struct doctor_options *options, struct context *context,
                        struct error *err)
{
    struct guest_costs costs;
    struct silicon_missing missing;
    struct guest_report report = {.machine = &doctor->machine, .missing = &missing, .verbose = options->verbose};
    struct cpu_time later;
    double ratio = 0;
    scoped_text struct text out = {0};
    silicon_missing_find(&missing, &doctor->machine.cpu);
    if (virtualisation_is_guest(&doctor->machine.virtualisation)) {
        guest_measure(doctor, context->kernel, &costs);
        report.costs = &costs;
        report.capabilities = &doctor->capabilities;
    }
    cpu_time_read(&later, doctor->root);
    bool known = cpu_time_steal_ratio_since_boot(&later, &ratio);
    share_set(&report.steal_boot_millionths, known, ratio, "/proc/stat has no steal");
    known = doctor->machine.live && cpu_time_steal_ratio(&doctor->machine.cpu_time, &later, &ratio);
    share_set(&report.steal_now_millionths, known, ratio, doctor->machine.live ? "no tick passed" : "a snapshot");
    if (options->json) {
        guest_json(&out, &report);
    } else {
        struct page page = page_for(&out, context->out);
        guest_text(&page, &report);
    }
    return text_write_file(&out, context->out) || error_system(err, errno, "can't write the result");
}

static bool options_check(const struct doctor_options *options, struct error *err)
{
    int outputs = options->json + options->script + (options->snapshot != NULL);
    if (outputs > 1)
        return error_set(err, ERROR_USAGE, "--json, --script and --snapshot exclude each other");
    if (options->snapshot && options->sysroot)
        return error_set(err, ERROR_USAGE, "--snapshot writes this machine, --sysroot reads another: choose one");
    if (options->guest && (options->script || options->snapshot || options->require))
        return error_set(err, ERROR_USAGE,
                         "--guest is a page of its own: --script, --snapshot and --require go without it");
    return !options->require || require_check(options->require, err);
}

static bool doctor_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct doctor_options options = {0};
    struct sysroot other;
    struct doctor doctor = {.root = context->root};
    int operand;
    if (!options_parse(option_rows, OPTIONS_ANYWHERE, argc, argv, &options, &operand, err))
        return false;
    if (operand < argc)
        return error_set(err, ERROR_USAGE, "unexpected '%s'", argv[operand]);
    if (!options_check(&options, err) || (options.sysroot && !snapshot_root(&other, options.sysroot, err)))
        return false;
    if (options.sysroot)
        doctor.root = &other;
    if (options.guest) {
        if (!machine_read(doctor.root, context->kernel, &doctor.machine, err))
            return false;
        bool printed = guest_print(&doctor, &options, context, err);
        machine_done(&doctor.machine);
        return printed;
    }
    if (!examine(&doctor, context->kernel, err))
        return false;
    bool good = print(&doctor, &options, context, err);
    if (good && options.require)
        context->exit_code = require_judge(&doctor.capabilities, options.require, context->talk);
    machine_done(&doctor.machine);
    return good;
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "what can be measured here, what stands in the way, what distorts",
    .usage = "plumb doctor [options]",
    .options = option_rows,
    .run = doctor_run,
};
