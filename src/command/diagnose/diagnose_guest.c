/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What exits, ticks and the pages behind this guest cost: measured once an hour, kept beside each case. */
#include "base/scope.h"
#include "command/diagnose/diagnose_collection.h"
#include "probe/guest/guest_cache.h"
#include "probe/guest/guest_probe.h"
#include "system/cpu/identity.h"
#include "system/cpu/isolation.h"
#include "system/host/virtualisation.h"

static const char *word_or(const struct fact_word *fact, const char *otherwise)
{
    return fact->known ? fact->text : otherwise;
}

static void guest_take(struct collection *collection, struct guest_costs *costs)
{
    const struct sysroot *root = collection->context->root;
    struct cpu_identity identity;
    struct virtualisation place;
    struct cpu_isolation isolation;
    cpu_isolation_read(&isolation, root);
    const char *cpus = word_or(&isolation.allowed_cpus, "");
    if (guest_cache_read(root, cpus, costs, &collection->arena))
        return;
    cpu_identity_read(&identity, root, &collection->arena);
    virtualisation_read(&place, root, &identity);
    const struct guest_probe_request request = {
        .quick = true,
        .is_guest = virtualisation_is_guest(&place),
        .isolated = word_or(&isolation.isolated, NULL),
        .nohz_full = word_or(&isolation.nohz_full, NULL),
    };
    progress_say(collection, "plumb: measuring what interruptions cost here");
    guest_probe_measure(costs, root, &request);
    /* What noise hid this time, the next diagnosis may find. */
    bool whole = costs->costs[GUEST_COST_TICK].value.known &&
                 (costs->backing.verdict != HOST_BACKING_UNKNOWN || !costs->backing.rounds);
    if (whole)
        guest_cache_write(root, cpus, costs);
}

bool write_guest(struct collection *collection, struct error *err)
{
    struct guest_costs costs;
    struct json_writer json;
    scoped_text struct text out = {0};
    guest_take(collection, &costs);
    json_begin(&json, &out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    guest_costs_members(&costs, &json);
    json_object_close(&json);
    case_manifest_part(&collection->manifest, "guest.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "guest.json", &out, err);
}
