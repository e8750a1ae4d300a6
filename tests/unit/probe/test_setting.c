/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "probe/setting/setting.h"

struct examined {
    struct machine machine;
    struct settings settings;
};

static void examine(const char *name, struct examined *out)
{
    static struct capabilities none;
    char path[1024];
    struct sysroot root;
    struct error err = {0};
    if (!test_machine(name, path, sizeof(path)))
        cr_skip_test("no machine fixtures: run through tests/run.py");
    sysroot_init(&root, path);
    cr_assert(machine_read(&root, NULL, &out->machine, &err));
    capabilities_measure(&none, NULL, &root, &out->machine);
    settings_read(&out->settings, &root, &out->machine, &none, &out->machine.cpu_time, &out->machine.arena);
}

static const struct setting *find(const struct settings *settings, const char *key)
{
    for (size_t at = 0; at < settings->count; at++)
        if (strcmp(settings->items[at].key, key) == 0)
            return &settings->items[at];
    cr_assert_fail("no setting '%s'", key);
    return NULL;
}

Test(setting, what_distorts_on_which_machine)
{
    static const struct {
        const char *machine, *key;
        enum setting_state state;
    } cases[] = {
        {"sapphire-rapids-host", "governor", SETTING_DISTORTS},       {"sapphire-rapids-host", "turbo", SETTING_DISTORTS},
        {"sapphire-rapids-host", "energy-preference", SETTING_DISTORTS}, {"sapphire-rapids-host", "numa-balancing", SETTING_DISTORTS},
        {"sapphire-rapids-host", "nmi-watchdog", SETTING_DISTORTS},   {"sapphire-rapids-host", "idle-states", SETTING_NOTE},
        {"sapphire-rapids-host", "clocksource", SETTING_FINE},        {"sapphire-rapids-host", "paranoid", SETTING_DISTORTS},
        {"neoverse-v2-host", "governor", SETTING_FINE},               {"neoverse-v2-host", "turbo", SETTING_UNKNOWN},
        {"neoverse-v2-host", "smt", SETTING_FINE},                    {"neoverse-v2-host", "paranoid", SETTING_FINE},
        {"icelake-aws-guest", "steal", SETTING_DISTORTS},             {"icelake-aws-guest", "governor", SETTING_UNKNOWN},
        {"container-cgroup-v1", "cpu-quota", SETTING_DISTORTS},       {"container-cgroup-v2", "cpu-quota", SETTING_DISTORTS},
        {"tdx-guest", "nmi-watchdog", SETTING_FINE},                  {"zen4-host", "cpu-quota", SETTING_FINE},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct examined examined;
        examine(cases[at].machine, &examined);
        const struct setting *setting = find(&examined.settings, cases[at].key);
        cr_assert_eq(setting->state, cases[at].state, "%s %s: %s", cases[at].machine, cases[at].key, setting->value);
        cr_assert(setting->value[0]);
        cr_assert_eq(setting->effect[0] != '\0', setting->basis != NULL, "an effect has a basis, and nothing else has");
        machine_done(&examined.machine);
    }
}

Test(setting, the_script_sets_and_puts_back)
{
    struct examined examined;
    struct text script = {0};
    examine("sapphire-rapids-host", &examined);
    settings_script(&examined.settings, &script);
    cr_assert(strstr(text_string(&script), "put 'performance' /sys/devices/system/cpu/cpufreq/policy*/scaling_governor"));
    cr_assert(strstr(text_string(&script), "put 'powersave' /sys/devices/system/cpu/cpufreq/policy*/scaling_governor"));
    cr_assert(strstr(text_string(&script), "put '1' /sys/devices/system/cpu/intel_pstate/no_turbo"));
    cr_assert(strstr(text_string(&script), "put '0' /sys/devices/system/cpu/intel_pstate/no_turbo"));
    FILE *shell = popen("sh -n", "w");
    cr_assert(shell);
    fputs(text_string(&script), shell);
    cr_assert_eq(pclose(shell), 0, "a shell accepts it");
    text_done(&script);
    machine_done(&examined.machine);
}
