/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/pages/guest_pages.h"

#include "base/json/json_writer.h"
#include "base/scope.h"
#include "base/vec.h"
#include "render/pages/pages_rows.h"
#include "render/pages/pages_words.h"
#include "statistics/json_interval.h"
#include "system/memory/page_frames.h"

#include <stdlib.h>

static const struct {
    const char *id, *sentence, *remedy;
    enum page_meaning meaning;
} verdicts[] = {
    [GUEST_PAGES_UNKNOWN] = {"unknown", "KVM's levels can't be read here, so how the host maps this guest is not known",
                             NULL, PAGE_WARNING},
    [GUEST_PAGES_NONE] = {"nothing_mapped", "nothing of this guest's memory is mapped yet", NULL, PAGE_PLAIN},
    [GUEST_PAGES_EMULATED] = {"emulated",
                              "this monitor has no machine of KVM's: it translates its guest's instructions itself "
                              "(QEMU's TCG), which costs far more than any page size",
                              "give it KVM (QEMU -accel kvm, with access to /dev/kvm)", PAGE_WARNING},
    [GUEST_PAGES_HOST_HUGE] =
        {"host_huge",
         "the host maps this guest huge: if it waits for address translation, its own page size is at fault",
         "inside the guest: plumb pages -p PID says why a program's memory is on small pages there", PAGE_GOOD},
    [GUEST_PAGES_BOTH_HUGE] =
        {"both_huge",
         "this guest and its host both use huge pages for what is mapped: page size is not what it waits for", NULL,
         PAGE_GOOD},
    [GUEST_PAGES_BACKING_SMALL] =
        {"host_small",
         "the host is at fault: what backs this guest's memory is on small pages, so KVM can map nothing larger",
         "put the backing on huge pages (why it isn't stands below) and start the guest anew or collapse its memory. "
         "Reserved pages are sure: QEMU -object memory-backend-memfd,hugetlb=on,hugetlbsize=2M; "
         "libvirt <memoryBacking><hugepages/></memoryBacking>; Cloud Hypervisor --memory hugepages=on; Firecracker "
         "\"huge_pages\": \"2M\"",
         PAGE_BAD},
    [GUEST_PAGES_SPLIT] = {"split_by_kvm", "the host is at fault: the backing is huge, yet KVM maps it in small pages",
                           "dirty logging (a live migration, or a backup that tracks pages) that has just ended leaves "
                           "small entries behind; where the memory slots below aren't known, it may go on, "
                           "or they may lie otherwise within 2 MiB than their backing. --duration 5 shows at which "
                           "levels entries are set now",
                           PAGE_BAD},
    [GUEST_PAGES_SKEWED] = {"skewed",
                            "the host is at fault: the backing is huge, but the guest's addresses lie otherwise within "
                            "2 MiB than the monitor's, so KVM can't map 2 MiB at once",
                            "place the guest's memory in the monitor so that both addresses leave the same remainder "
                            "by 2 MiB: an aligned allocation for memory that starts at an "
                            "aligned guest address (QEMU's backends do: -object memory-backend-memfd,align=2M)",
                            PAGE_BAD},
    [GUEST_PAGES_LOGGED] = {"logged",
                            "the host is at fault: the backing is huge, but KVM logs this guest's writes (dirty "
                            "logging), for which it maps small pages",
                            "end the live migration, the backup, or the display that tracks pages; KVM maps huge pages "
                            "again as the guest touches them",
                            PAGE_BAD},
    [GUEST_PAGES_SPLIT_BY_NX] = {"split_by_nx",
                                 "the host is at fault: KVM split huge pages that the guest executes from, its "
                                 "mitigation of iTLB multihit (nx_huge_pages)",
                                 "where the CPU isn't affected or the guests are trusted: kvm.nx_huge_pages=never; "
                                 "else leave it: pages come back as recovery runs",
                                 PAGE_BAD},
    [GUEST_PAGES_SHADOW_SMALL] = {"shadow_small",
                                  "the backing is huge, but KVM keeps shadow page tables for this guest (no EPT or "
                                  "NPT, or PVM), and their entries are as small as the guest's own pages",
                                  "huge pages inside the guest: plumb pages -p PID there says why there are none",
                                  PAGE_WARNING},
    [GUEST_PAGES_PRIVATE] = {"private_small",
                             "KVM maps this guest in small pages; its memory is private (guest_memfd), so what backs "
                             "it is not measurable from the monitor's mappings, which show the shared part only",
                             "guest_memfd gives huge pages only on kernels that support them there; ask for "
                             "hugetlb-backed guest_memfd, or a larger base page",
                             PAGE_BAD},
    [GUEST_PAGES_BACKING_UNKNOWN] = {"backing_unknown",
                                     "KVM maps this guest in small pages; what backs it is not known", NULL,
                                     PAGE_WARNING},
};
_Static_assert(array_count(verdicts) == GUEST_PAGES_VERDICT_COUNT, "words for every verdict");

static void add_levels(struct page *page, const struct guest_pages *guest)
{
    static const char *const labels[] = {"at 4 KiB", "at 2 MiB", "at 1 GiB"};
    const struct fact_number *levels[] = {&guest->pages_4k, &guest->pages_2m, &guest->pages_1g};
    uint64_t all = 0, bytes[3] = {0};
    for (int at = 0; at < 3; at++) {
        bytes[at] = levels[at]->known && levels[at]->value > 0 ? (uint64_t)levels[at]->value << (12 + 9 * at) : 0;
        all += bytes[at];
    }
    page_printf(page, PAGE_FAINT, "  mapped by KVM%s\n",
                guest->shadow ? " (shadow page tables: the smaller of the guest's and the host's page)" : "");
    for (int at = 0; at < 3; at++)
        if (levels[at]->known)
            pages_size_row(page, labels[at], bytes[at], all, at ? PAGE_GOOD : PAGE_WARNING);
        else
            pages_sentence(page, "not measured: ", PAGE_WARNING, levels[at]->why);
    if (guest->splits_by_nx.known && guest->splits_by_nx.value > 0)
        text_printf(page->out, "  split by nx_huge_pages now: %lld\n", (long long)guest->splits_by_nx.value);
}

static void add_set(struct page *page, const struct guest_report *report)
{
    if (report->set_seconds <= 0)
        return;
    if (!report->set[0].known) {
        pages_sentence(page, "set meanwhile: not measured: ", PAGE_WARNING, report->set[0].why);
        return;
    }
    text_printf(page->out, "  set by KVM within %.1f s: %lld entries of 4 KiB, %lld of 2 MiB, %lld of 1 GiB\n",
                report->set_seconds, (long long)report->set[0].value, (long long)report->set[1].value,
                (long long)report->set[2].value);
}

/* ---- memory slots ---- */

enum { SLOTS_SHOWN = 16 };

static void add_slot(struct page *page, const struct slot_coverage *slot)
{
    char small[32] = "?", huge[32] = "?", bytes[32];
    if (slot->sizes_known) {
        pages_bytes_print(small, sizeof(small), slot->small_bytes);
        pages_bytes_print(huge, sizeof(huge), slot->huge_bytes);
    }
    pages_bytes_print(bytes, sizeof(bytes), slot->slot->bytes);
    text_printf(page->out, "  %12s %12s  %-10s", small, slot->sizes_known && !slot->huge_bytes ? "none" : huge, bytes);
    page_printf(page, PAGE_FAINT, "  %llx at %llx", (unsigned long long)slot->slot->guest_addr,
                (unsigned long long)slot->slot->host_addr);
    if (slot->slot->read_only)
        page_add(page, PAGE_PLAIN, "  ROM");
    if (slot->slot->is_private)
        page_add(page, PAGE_PLAIN, "  private memory");
    if (memory_slot_is_kvms(slot->slot))
        page_add(page, PAGE_PLAIN, "  KVM's own");
    if (slot->slot->logged)
        page_add(page, PAGE_WARNING, "  writes logged");
    if (slot->slot->bytes >= HUGE_PAGE_BYTES && !slot->blocks_bytes)
        page_add(page, PAGE_WARNING, slot->is_skewed ? "  skewed: no 2 MiB can be mapped" : "  holds no whole 2 MiB");
    text_add(page->out, "\n");
}

static int by_bytes(const void *a, const void *b)
{
    const struct slot_coverage *left = *(const struct slot_coverage *const *)a,
                               *right = *(const struct slot_coverage *const *)b;
    if (left->slot->bytes != right->slot->bytes)
        return left->slot->bytes < right->slot->bytes ? 1 : -1;
    return (left->slot->guest_addr > right->slot->guest_addr) - (left->slot->guest_addr < right->slot->guest_addr);
}

static void add_slots(struct page *page, const struct guest_report *report)
{
    const struct guest_slots *slots = report->slots;
    if (!slots) {
        pages_sentence(page, "memory slots not known: ", PAGE_WARNING, report->slots_why_not);
        return;
    }
    scoped_free const struct slot_coverage **order = memory_alloc((slots->count + 1) * sizeof(*order));
    for (size_t at = 0; at < slots->count; at++)
        order[at] = &slots->items[at];
    qsort(order, slots->count, sizeof(*order), by_bytes);
    page_add(page, PAGE_FAINT,
             "  memory slots, as KVM knows them (largest first)\n         small         huge  of          guest "
             "address at the monitor's\n");
    for (size_t at = 0; at < slots->count && at < SLOTS_SHOWN; at++)
        add_slot(page, order[at]);
    if (slots->count > SLOTS_SHOWN)
        text_printf(page->out, "  and %zu smaller ones (--json has all)\n", slots->count - SLOTS_SHOWN);
}

static void add_swapped(struct page *page, uint64_t bytes)
{
    char amount[48];
    if (!bytes)
        return;
    pages_bytes_print(amount, sizeof(amount), bytes);
    pages_sentence(page, "swapped out: ", PAGE_WARNING, amount);
}

static void add_backing(struct page *page, const struct guest_report *report)
{
    bool headed = false;
    const struct page_coverage *coverage = report->coverage;
    if (!coverage) {
        pages_sentence(page, "backing not measured: ", PAGE_WARNING, report->why_not);
        return;
    }
    for (size_t at = 0; at < coverage->mapping_count; at++)
        if (guest_memory_is(&coverage->mappings[at], report->slots)) {
            if (!headed)
                page_printf(page, PAGE_FAINT, "  %s (%s)\n         small         huge\n",
                            report->guest.has_private ? "its shared part alone is backed by" : "backed by",
                            report->slots ? "mappings of the monitor in which slots lie"
                                          : "the monitor's large writable mappings, taken as guest memory");
            headed = true;
            pages_mapping_rows(page, &coverage->mappings[at],
                               !report->no_why && coverage->mappings[at].sizes.base >= HUGE_PAGE_BYTES);
            add_swapped(page, coverage->mappings[at].sizes.swapped);
        }
    if (!headed)
        pages_sentence(page, "backing: ", PAGE_WARNING,
                       report->slots ? "no mapping of the monitor lies behind a slot"
                                     : "no mapping of the monitor looks like guest memory (16 MiB and more, writable)");
}

/* What a walk takes, by both page sizes; the host's column in force is marked. 1 GiB only where the host has such. */
static void add_walks(struct page *page, const struct guest_pages *guest)
{
    static const char *const names[] = {"4 KiB", "2 MiB", "1 GiB"};
    double share = guest_pages_huge_share(guest);
    bool gigantic = guest->pages_1g.known && guest->pages_1g.value > 0;
    bool most_gigantic = gigantic && (guest->pages_1g.value << 9) > guest->pages_2m.value;
    int columns = gigantic ? 3 : 2, here = share < 0 ? -1 : share < 0.5 ? 0 : most_gigantic ? 2 : 1;
    if (guest->shadow) {
        page_add(
            page, PAGE_FAINT,
            "  a page walk takes 4 references for an entry of 4 KiB, 3 for one of 2 MiB (one table, kept by KVM)\n");
        return;
    }
    page_add(page, PAGE_FAINT, "  references of a page walk     ");
    for (int column = 0; column < columns; column++)
        page_printf(page, PAGE_FAINT, "    host %s", names[column]);
    page_add(page, PAGE_FAINT, "   (< is this guest)\n");
    for (int row = 0; row < 2; row++) {
        text_printf(page->out, "    guest on %s pages          ", names[row]);
        for (int column = 0; column < columns; column++)
            text_printf(page->out, "%12d%s", page_walk_references(4 - row, 4 - column), column == here ? " <" : "  ");
        text_add(page->out, "\n");
    }
}

static void add_guest(struct page *page, const struct guest_report *report)
{
    char title[160];
    const struct guest_pages *guest = &report->guest;
    snprintf(title, sizeof(title),
             guest->is_emulated ? "GUEST OF %s (process %d)" : "GUEST OF %s (process %d, machine %d-%d)",
             report->monitor, guest->machine.pid, guest->machine.creator, guest->machine.fd);
    page_heading(page, title);
    text_add(page->out, "  ");
    page_paragraph(page, verdicts[guest->verdict].meaning, 2, 2, verdicts[guest->verdict].sentence);
    if (verdicts[guest->verdict].remedy)
        pages_sentence(page, "remedy: ", PAGE_GOOD, verdicts[guest->verdict].remedy);
    if (guest->machine.is_guess)
        pages_sentence(page, "note: ", PAGE_WARNING,
                       "the thread that made it has ended and other monitors run: that it is this process's is a guess "
                       "by process numbers");
    if (guest->has_private)
        pages_sentence(page, "note: ", PAGE_WARNING,
                       "it has private memory (guest_memfd): its size on the host is known from KVM's levels only");
    if (!guest->is_emulated) {
        add_levels(page, guest);
        add_set(page, report);
        add_slots(page, report);
    }
    add_backing(page, report);
    if (!guest->is_emulated)
        add_walks(page, guest);
}

/* ---- what larger pages return ---- */

bool guest_report_gains(const struct guest_report *report)
{
    switch (report->guest.verdict) {
    case GUEST_PAGES_BACKING_SMALL:
    case GUEST_PAGES_SKEWED:
    case GUEST_PAGES_LOGGED:
    case GUEST_PAGES_SPLIT:
    case GUEST_PAGES_SPLIT_BY_NX:
    case GUEST_PAGES_PRIVATE:
    case GUEST_PAGES_BACKING_UNKNOWN:
        return true;
    default:
        return false;
    }
}

static const char *gain_words(const struct nested_walk *walk, const struct interval *times, const char *whose,
                              char *out, size_t size)
{
    if (times->low > 1)
        snprintf(out, size,
                 "a guest on %s pages whose every load misses the TLB would run %.2f times as fast [%.2f .. %.2f]",
                 whose, times->mid, times->low, times->high);
    else
        snprintf(out, size, "for a guest on %s pages %u rounds can't tell the two apart: %.2f to %.2f times as fast",
                 whose, walk->rounds, times->low, times->high);
    return out;
}

static void add_returns(struct page *page, const struct nested_walk *walk)
{
    char words[200];
    page_heading(page, "WHAT HUGE PAGES ON THIS HOST WOULD RETURN");
    if (walk->why_not) {
        pages_sentence(page, "not measured, because: ", PAGE_WARNING, walk->why_not);
    } else {
        static const char *const names[] = {"4 KiB", "2 MiB"};
        text_printf(page->out, "  measured with a guest of plumb's own: a load at random in %llu pages\n",
                    (unsigned long long)walk->pages);
        page_add(page, PAGE_FAINT, "                                       host 4 KiB   host 2 MiB\n");
        for (int guest = 0; guest < NESTED_WALK_SIZES; guest++)
            text_printf(page->out, "    guest on %s pages              %7.1f ns   %7.1f ns\n", names[guest],
                        walk->ns[guest][NESTED_WALK_SMALL].mid, walk->ns[guest][NESTED_WALK_HUGE].mid);
        text_printf(page->out, "    side by side, where no load misses the TLB: %.1f ns\n", walk->dense_ns.mid);
        pages_sentence(page, "at most: ", PAGE_GOOD, gain_words(walk, &walk->times, "4 KiB", words, sizeof(words)));
        pages_sentence(page, "at most: ", PAGE_GOOD,
                       gain_words(walk, &walk->times_huge, "2 MiB", words, sizeof(words)));
    }
    pages_sentence(page, "of it:   ", PAGE_PLAIN,
                   "as much as its programs' loads miss the TLB, which the host can't see: a program whose data fits "
                   "the TLB gains nothing. Inside the guest, "
                   "plumb diagnose says what a program waits for page walks, and plumb doctor --guest which pages "
                   "stand behind it");
}

void guest_pages_text(struct page *page, const struct guest_report *reports, size_t count,
                      const struct nested_walk *walk)
{
    if (!count)
        page_paragraph(page, PAGE_PLAIN, 0, 0,
                       "no guest runs here: KVM has no machine, and no process is named like a monitor");
    for (size_t at = 0; at < count; at++)
        add_guest(page, &reports[at]);
    if (walk)
        add_returns(page, walk);
}

static void write_number(struct json_writer *json, const char *key, const struct fact_number *fact)
{
    if (fact->known)
        json_i64(json, key, fact->value);
    else
        json_null(json, key);
}

static void write_backing(struct json_writer *json, const struct guest_report *report)
{
    json_array_open(json, "backing");
    for (size_t at = 0; report->coverage && at < report->coverage->mapping_count; at++) {
        const struct mapping_coverage *mapping = &report->coverage->mappings[at];
        if (!guest_memory_is(mapping, report->slots))
            continue;
        json_object_open(json, NULL);
        json_string(json, "path", mapping->area->path);
        json_string(json, "backing", page_backing_name(mapping->small.backing));
        json_u64(json, "small_bytes", mapping->sizes.base);
        json_u64(json, "huge_bytes", mapping->sizes.huge + mapping->sizes.gigantic);
        json_string(json, "cause", small_page_words_of(&mapping->small)->id);
        json_string(json, "remedy", small_page_words_of(&mapping->small)->remedy);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_hexadecimal(struct json_writer *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%llx", (unsigned long long)value);
    json_string(json, key, text);
}

static void write_size(struct json_writer *json, const char *key, bool known, uint64_t bytes)
{
    if (known)
        json_u64(json, key, bytes);
    else
        json_null(json, key);
}

static void write_slots(struct json_writer *json, const struct guest_slots *slots)
{
    if (!slots) {
        json_null(json, "slots");
        return;
    }
    json_array_open(json, "slots");
    for (size_t at = 0; at < slots->count; at++) {
        const struct slot_coverage *slot = &slots->items[at];
        json_object_open(json, NULL);
        json_i64(json, "id", slot->slot->id);
        write_hexadecimal(json, "guest_address", slot->slot->guest_addr);
        write_hexadecimal(json, "monitor_address", slot->slot->host_addr);
        json_u64(json, "bytes", slot->slot->bytes);
        write_size(json, "small_bytes", slot->sizes_known, slot->small_bytes);
        write_size(json, "huge_bytes", slot->sizes_known, slot->huge_bytes);
        json_u64(json, "whole_blocks_bytes", slot->blocks_bytes);
        json_bool(json, "skewed", slot->is_skewed);
        json_bool(json, "logged", slot->slot->logged);
        json_bool(json, "read_only", slot->slot->read_only);
        json_bool(json, "private", slot->slot->is_private);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_guest(struct json_writer *json, const struct guest_report *report)
{
    const struct guest_pages *guest = &report->guest;
    json_object_open(json, NULL);
    json_i64(json, "pid", guest->machine.pid);
    json_string(json, "monitor", report->monitor);
    json_bool(json, "pid_is_guess", guest->machine.is_guess);
    if (guest->is_emulated) {
        json_null(json, "creator");
        json_null(json, "fd");
    } else {
        json_i64(json, "creator", guest->machine.creator);
        json_i64(json, "fd", guest->machine.fd);
    }
    json_string(json, "verdict", verdicts[guest->verdict].id);
    json_string(json, "sentence", verdicts[guest->verdict].sentence);
    json_string(json, "remedy", verdicts[guest->verdict].remedy);
    write_number(json, "pages_4k", &guest->pages_4k);
    write_number(json, "pages_2m", &guest->pages_2m);
    write_number(json, "pages_1g", &guest->pages_1g);
    write_number(json, "nx_splits", &guest->splits_by_nx);
    if (report->set_seconds > 0) {
        json_double(json, "set_seconds", report->set_seconds);
        write_number(json, "set_4k", &report->set[0]);
        write_number(json, "set_2m", &report->set[1]);
        write_number(json, "set_1g", &report->set[2]);
        json_string(json, "set_why_not", report->set[0].known ? NULL : report->set[0].why);
    }
    json_bool(json, "shadow", guest->shadow);
    json_bool(json, "private", guest->has_private);
    write_slots(json, report->slots);
    json_string(json, "slots_why_not", report->slots ? NULL : report->slots_why_not);
    json_string(json, "backing_why_not", report->coverage ? NULL : report->why_not);
    write_backing(json, report);
    json_object_close(json);
}

static void write_returns(struct json_writer *json, const struct nested_walk *walk)
{
    json_object_open(json, "returns");
    json_string(json, "not_measured", walk->why_not);
    if (!walk->why_not) {
        json_u64(json, "pages", walk->pages);
        json_u64(json, "rounds", walk->rounds);
        json_interval(json, "dense_ns", walk->dense_ns);
        json_interval(json, "small_on_small_ns", walk->ns[NESTED_WALK_SMALL][NESTED_WALK_SMALL]);
        json_interval(json, "small_on_huge_ns", walk->ns[NESTED_WALK_SMALL][NESTED_WALK_HUGE]);
        json_interval(json, "huge_on_small_ns", walk->ns[NESTED_WALK_HUGE][NESTED_WALK_SMALL]);
        json_interval(json, "huge_on_huge_ns", walk->ns[NESTED_WALK_HUGE][NESTED_WALK_HUGE]);
        json_interval(json, "times_small", walk->times);
        json_interval(json, "times_huge", walk->times_huge);
    }
    json_object_close(json);
}

void guest_pages_json(struct text *out, const struct guest_report *reports, size_t count,
                      const struct nested_walk *walk)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    json_array_open(&json, "guests");
    for (size_t at = 0; at < count; at++)
        write_guest(&json, &reports[at]);
    json_array_close(&json);
    json_array_open(&json, "page_walk_references");
    for (int guest_levels = 4; guest_levels >= 3; guest_levels--)
        for (int host_levels = 4; host_levels >= 2; host_levels--) {
            json_object_open(&json, NULL);
            json_u64(&json, "guest_page_bytes", guest_levels == 4 ? 4096 : 2 << 20);
            json_u64(&json, "host_page_bytes", host_levels == 4 ? 4096 : host_levels == 3 ? 2 << 20 : 1 << 30);
            json_u64(&json, "references", (uint64_t)page_walk_references(guest_levels, host_levels));
            json_object_close(&json);
        }
    json_array_close(&json);
    if (walk)
        write_returns(&json, walk);
    json_object_close(&json);
}
