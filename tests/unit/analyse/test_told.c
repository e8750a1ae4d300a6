/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/told/told.h"
#include "analyse/told/told_base.h"
#include "analyse/told/told_share.h"
#include "base/vec.h"

#include <math.h>

static const struct told_context no_context;

static struct told told_from(const char *text, struct arena *arena)
{
    const struct statement said = {"said by a person", text};
    const struct statements all = {&said, 1};
    struct told told;
    told_of(&told, &all, NULL, arena);
    return told;
}

/* What stands between lines of backticks is a tool's, and the fence belongs to no sentence. */
Test(told, a_fence_belongs_to_no_sentence)
{
    struct view text = view_of("```\n\n```sh\nThe hot loop takes 96 KiB of code.\n```\n");
    struct view sentence = told_sentence(&text);
    cr_expect(view_equal(sentence, "The hot loop takes 96 KiB of code."), "%.*s", (int)sentence.length, sentence.text);
    cr_expect_eq(told_sentence(&text).length, 0);
}

Test(told, trials_and_how_they_came_out)
{
    static const struct {
        const char *text;
        size_t count;
        enum treatment treatment;
        enum outcome outcome;
        bool on_host, on_guest;
    } cases[] = {
        {"With nohz_full there is still a gap.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"tried: huge pages (host): stayed", 1, TREATMENT_PAGES, OUTCOME_STAYED, true, false},
        {"tried: THP (host, guest): gone", 1, TREATMENT_PAGES, OUTCOME_GONE, true, true},
        {"tried: nohz_full: gone, then it stayed", 0, 0, 0, false, false}, /* which? */
        {"With huge pages it is still fast.", 0, 0, 0, false, false},
        {"The kernel is the same with THP.", 0, 0, 0, false, false},
        {"Huge pages on the host made no difference.", 1, TREATMENT_PAGES, OUTCOME_STAYED, true, false},
        {"With THP in the guest, the gap is gone!", 1, TREATMENT_PAGES, OUTCOME_GONE, false, true},
        {"thp on host and guest: fine", 0, 0, 0, false, false},
        {"With huge pages and nohz_full the gap is gone.", 0, 0, 0, false, false}, /* which of them? */
        {"We use huge pages. The gap is gone.", 0, 0, 0, false, false},            /* two sentences */
        {"Without AVX-512 there is no change.", 1, TREATMENT_NARROW, OUTCOME_STAYED, false, false},
        {"Enabling huge pages in host and guest closed the gap.", 1, TREATMENT_PAGES, OUTCOME_GONE, true, true},
        {"Huge pages in the guest did not help.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, true},
        {"With nohz_full the gap shrank to 5 %.", 1, TREATMENT_TICK, OUTCOME_SHRANK, false, false},
        {"Turning off the timer tick (nohz_full) brought both to the same speed.", 1, TREATMENT_TICK, OUTCOME_GONE,
         false, false},
        {"With nohz_full there were few exits, but the slowdown is unchanged.", 1, TREATMENT_TICK, OUTCOME_STAYED,
         false, false},
        {"Transparent hugepages in the guest alone didn't help.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, true},
        {"With 2M pages twice as fast as before.", 1, TREATMENT_PAGES, OUTCOME_FASTER, false, false},
        {"tried: THP (host): shrank", 1, TREATMENT_PAGES, OUTCOME_SHRANK, true, false},
        {"With THP the gap is smaller, but there is still a gap.", 0, 0, 0, false, false}, /* which? */
        {"With the guest's memory on hugetlbfs on the host only, it is as fast as the ordinary VM.", 1, TREATMENT_PAGES,
         OUTCOME_GONE, true, false},
        {"With THP it is not as fast as the plain VM.", 0, 0, 0, false, false},
        {"With THP in the guest it is almost as fast as the plain VM.", 1, TREATMENT_PAGES, OUTCOME_SHRANK, false,
         true},
        {"With THP it is as fast as before.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, false},
        {"With nohz_full the exits fell by half and so did the gap.", 1, TREATMENT_TICK, OUTCOME_SHRANK, false, false},
        {"With nohz_full the exits fell by half, but the gap didn't.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"With nohz_full the exits vanished, and with them the gap.", 1, TREATMENT_TICK, OUTCOME_GONE, false, false},
        {"With nohz_full the exits vanished while the slowdown persisted.", 1, TREATMENT_TICK, OUTCOME_STAYED, false,
         false},
        {"Huge pages on both sides: **no measurable\ndifference**.", 1, TREATMENT_PAGES, OUTCOME_STAYED, true, true},
        {"nohz_full on the host: within noise.", 1, TREATMENT_TICK, OUTCOME_STAYED, true, false},
        {"With THP there is no difference between the two guests.", 1, TREATMENT_PAGES, OUTCOME_GONE, false, false},
        {"THP made no difference between the two guests.", 0, 0, 0, false, false}, /* of what with what? */
        {"With THP off in the guest there is still a gap.", 0, 0, 0, false, false},
        {"Without huge pages the slowdown remained.", 0, 0, 0, false, false},
        {"Enabling THP should close the gap: no slowdown is expected.", 0, 0, 0, false, false},
        {"Is there still a gap with THP?", 0, 0, 0, false, false},
        {"Huge pages in the guest didn\xe2\x80\x99t help.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, true},
        {"With huge pages it runs 30 % faster.", 1, TREATMENT_PAGES, OUTCOME_FASTER, false, false},
        {"With huge pages the plain one is still 30 % faster.", 0, 0, 0, false, false},
        {"With AVX-512 disabled the runtime is unchanged.", 1, TREATMENT_NARROW, OUTCOME_STAYED, false, false},
        {"We then booted both with nohz_full. It made no difference.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"We then booted both with nohz_full. The weather made no difference.", 0, 0, 0, false, false},
        {"We saw no benefit from nohz_full.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"With no huge pages there is still a gap.", 0, 0, 0, false, false},
        {"With nohz_full on the host the exits dropped, yet throughput didn't move.", 1, TREATMENT_TICK, OUTCOME_STAYED,
         true, false},
        {"Huge pages on the host made the two indistinguishable.", 1, TREATMENT_PAGES, OUTCOME_GONE, true, false},
        {"The gap vanished once both kernels had transparent_hugepage=always.", 1, TREATMENT_PAGES, OUTCOME_GONE, false,
         false},
        {"With nohz_full the slowdown was not affected.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"THP did not close the gap.", 0, 0, 0, false, false}, /* it may have made it smaller */
        {"Pinned the threads with taskset: no change.", 1, TREATMENT_PINNING, OUTCOME_STAYED, false, false},
        {"With isolcpus=2-7 nohz_full=2-7 it made no difference.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"With GOGC=400 the time fell from 26 s to 17.2 s.", 1, TREATMENT_HEAP, OUTCOME_FASTER, false, false},
        {"GOGC from 100 to 400 brought it from 26 s to 17.2 s.", 1, TREATMENT_HEAP, OUTCOME_FASTER, false, false},
        {"With -Xmx16g instead of -Xmx8g the time fell from 26 s to 17.2 s.", 1, TREATMENT_HEAP, OUTCOME_FASTER, false,
         false},
        {"With GOGC=50 the time fell from 26 s to 17.2 s.", 0, 0, 0, false, false}, /* it collects more often */
        {"With -Xmx4g instead of -Xmx8g the time fell from 26 s to 17.2 s.", 0, 0, 0, false, false},
        {"With GOGC=400 and kernel 6.9 the time fell from 26 s to 17.2 s.", 0, 0, 0, false, false},
        {"Without GOGC=400 the time fell from 26 s to 17.2 s.", 0, 0, 0, false, false},
        {"With GOGC=400 the time should fall from 26 s to 17.2 s.", 0, 0, 0, false, false},
        {"Replaced it by a 64 KiB buffer: went from 9.31 s to 0.88 s.", 1, TREATMENT_BUFFER, OUTCOME_FASTER, false,
         false},
        {"Replaced the 4 MB buffer by a 64 KiB buffer: went from 9.31 s to 0.88 s.", 0, 0, 0, false, false},
        {"With a smaller 64 KiB buffer it went from 9.31 s to 0.88 s.", 0, 0, 0, false, false},
        {"After capping the unroll factor at 8 the loop has 900 bytes, and the time fell from 0.91 s to 0.70 s.", 1,
         TREATMENT_LESS_UNROLLING, OUTCOME_FASTER, false, false},
        {"With -fno-unroll-loops it went from 0.91 s to 0.70 s.", 1, TREATMENT_LESS_UNROLLING, OUTCOME_FASTER, false,
         false},
        {"With the unroll factor raised from 2 to 8 it went from 0.91 s to 0.70 s.", 0, 0, 0, false, false},
        {"Unrolling by 8 took it from 0.91 s to 0.70 s.", 0, 0, 0, false, false},
        {"We resized the VM to 16 GiB: the time fell from 9.31 s to 0.88 s.", 1, TREATMENT_MORE_MEMORY, OUTCOME_FASTER,
         false, false},
        {"We resized the VM to 16 GiB disk: the time fell from 9.31 s to 0.88 s.", 0, 0, 0, false, false},
        {"We resized the VM to 16 GiB and 8 vCPUs: the time fell from 9.31 s to 0.88 s.", 0, 0, 0, false, false},
        {"We resized the VM to 8 vCPUs: the time fell from 9.31 s to 0.88 s.", 0, 0, 0, false, false},
        {"Turned off SMT in the BIOS. The gap was gone.", 1, TREATMENT_NO_SMT, OUTCOME_GONE, false, false},
        {"With SMT off the gap was gone.", 1, TREATMENT_NO_SMT, OUTCOME_GONE, false, false},
        {"With SMT on the gap was gone.", 0, 0, 0, false, false},
        {"Software prefetching did nothing.", 1, TREATMENT_PREFETCH, OUTCOME_STAYED, false, false},
        {"Disabling the hardware prefetchers did nothing.", 1, TREATMENT_NO_HARDWARE_PREFETCH, OUTCOME_STAYED, false,
         false},
        {"`mitigations=off` brought it from 3.08 s down to 2.4 s.", 1, TREATMENT_NO_MITIGATIONS, OUTCOME_FASTER, false,
         false},
        {"tcmalloc instead of glibc's malloc: within noise.", 1, TREATMENT_ALLOCATOR, OUTCOME_STAYED, false, false},
        {"When the CPU limit was removed (cpu.max = max), throughput rose from 1200 req/s to 3150 req/s.", 1,
         TREATMENT_NO_QUOTA, OUTCOME_FASTER, false, false},
        {"numactl --cpunodebind=1 --membind=1 took it from 41.2 s to 27.9 s.", 1, TREATMENT_LOCAL_MEMORY,
         OUTCOME_FASTER, false, false},
        {"We pinned all vCPUs: no effect whatsoever.", 1, TREATMENT_VCPU_PINNING, OUTCOME_STAYED, false, false},
        {"Removing the CPU limit did not change anything.", 1, TREATMENT_NO_QUOTA, OUTCOME_STAYED, false, false},
        {"THP in the guest, host unchanged: still 1.58x slower.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, true},
        {"With smtp off the mail went from 4.2 s to 3.1 s.", 0, 0, 0, false, false},
        {"Using pinned memory the copy went from 9 ms to 4 ms.", 0, 0, 0, false, false},
        {"Enabling huge pages brought down dTLB misses from 12 % to 1 %, but the run time stayed the same.", 1,
         TREATMENT_PAGES, OUTCOME_STAYED, false, false},
        {"Raising the power limit did not change anything.", 1, TREATMENT_POWER, OUTCOME_STAYED, false, false},
        {"With a power cap of 125 W it is 20 % slower.", 0, 0, 0, false, false}, /* that is how it was */
        {"We increased the number of huge pages: no change.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, false},
        {"Interleaved over both nodes it is as fast as the old machine.", 1, TREATMENT_INTERLEAVE, OUTCOME_GONE, false,
         false},
        {"tried: fewer threads: gone", 1, TREATMENT_FEWER_THREADS, OUTCOME_GONE, false, false},
        {"tried: MALLOC_TRIM_THRESHOLD_=-1: gone", 1, TREATMENT_KEPT_MEMORY, OUTCOME_GONE, false, false},
        {"tried: CPU limit removed: gone", 1, TREATMENT_NO_QUOTA, OUTCOME_GONE, false, false},
        {"Hyper Threading off: no change.", 1, TREATMENT_NO_SMT, OUTCOME_STAYED, false, false},
        {"With huge pages off there is no change.", 0, 0, 0, false, false},
        {"vCPU pinning: nothing.", 1, TREATMENT_VCPU_PINNING, OUTCOME_STAYED, false, false},
        {"Huge pages via hugetlbfs recovered 12 % of the 18 % gap.", 1, TREATMENT_PAGES, OUTCOME_SHRANK, false, false},
        {"Huge pages should recover 12 % of the 18 % gap.", 0, 0, 0, false, false},
        {"With huge pages it took 3.1 s, and with small ones 4.2 s on the other machine.", 0, 0, 0, false, false},
        {"Without transparent huge pages on the host it takes 71.9 ms, with them 50.3 ms.", 1, TREATMENT_PAGES,
         OUTCOME_FASTER, true, false},
        {"12.3 s with SMT on, 9.1 s with SMT off", 1, TREATMENT_NO_SMT, OUTCOME_FASTER, false, false},
        {"Dropping huge pages again lost 23 %.", 1, TREATMENT_PAGES, OUTCOME_FASTER, false, false},
        {"The guest without huge pages is 30 % slower than bare metal.", 0, 0, 0, false,
         false}, /* of two things compared neither is a trial */
        {"Without THP it went from 4.2 s to 3.1 s.", 0, 0, 0, false, false},
        {"Dropping huge pages cost nothing.", 0, 0, 0, false, false},
        {"The counters struct is padded now and the slowdown is gone.", 1, TREATMENT_PADDING, OUTCOME_GONE, false,
         false},
        {"THP was turned on for the host's guest_memfd as well (guest THP off again): the gap fell from 40 % to 2 %.",
         1, TREATMENT_PAGES, OUTCOME_SHRANK, true, false},
        {"With huge pages on the host behind the guest the gap was gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, true,
         false},
        {"With huge pages on the host the gap between the two guests was gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, true,
         false},
        {"With huge pages on the host the guest is as fast as the plain one.", 1, TREATMENT_PAGES, OUTCOME_GONE, true,
         false},
        {"With huge pages on the host the SNP guest reaches it and the gap is gone.", 1, TREATMENT_PAGES, OUTCOME_GONE,
         true, false},
        {"With huge pages on the host, guest performance became the same.", 1, TREATMENT_PAGES, OUTCOME_GONE, true,
         false},
        {"With huge pages on the host the guest did as well as the plain one, the gap was gone.", 1, TREATMENT_PAGES,
         OUTCOME_GONE, true, false},
        {"With huge pages on the host the job in the guest showed no gap any more.", 1, TREATMENT_PAGES, OUTCOME_GONE,
         true, false},
        {"With huge pages in the guest it is as fast as on the host.", 1, TREATMENT_PAGES, OUTCOME_GONE, false, true},
        {"With huge pages on the host and in the guest the gap was gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, true,
         true},
        {"With huge pages on the host and in the guest as well the gap was gone.", 1, TREATMENT_PAGES, OUTCOME_GONE,
         true, true},
        {"Huge pages on host, guest: the gap was gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, true, true},
        {"2M pages for guest and host: no change.", 1, TREATMENT_PAGES, OUTCOME_STAYED, true, true},
        {"Booted guest with transparent_hugepage=always and used hugetlbfs behind it on the host: no change.", 1,
         TREATMENT_PAGES, OUTCOME_STAYED, true, true},
        {"The guest reached it with huge pages on the host, the gap is gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, true,
         false},
        {"The guest's memory on huge pages on the host made no difference.", 1, TREATMENT_PAGES, OUTCOME_STAYED, true,
         false},
        {"Guest THP on: the gap was gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, false, true},
        {"Huge pages in the guest made no difference.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, true},
        {"Huge pages on the host, guest left alone: no change.", 1, TREATMENT_PAGES, OUTCOME_STAYED, true, false},
        {"Huge pages in the guest (not on the host): no change.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, true},
        {"Huge pages on host and guest were enabled, and the gap was gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, true,
         true},
        {"nohz_full was deployed on the host. After that the performance of both guests was the same.", 1,
         TREATMENT_TICK, OUTCOME_GONE, true, false},
        {"nohz_full was deployed. After that the performance was the same.", 0, 0, 0, false, false}, /* as what? */
        {"We turned on THP in the guest only. The TDX VM was still 39 % slower.", 1, TREATMENT_PAGES, OUTCOME_STAYED,
         false, true},
        {"It was fast yesterday.", 0, 0, 0, false, false},
        {"Remapping .text to 2 MB pages made no difference.", 1, TREATMENT_CODE_PAGES, OUTCOME_STAYED, false, false},
        {"With huge pages the iTLB misses vanished, and the gap is gone.", 1, TREATMENT_CODE_PAGES, OUTCOME_GONE, false,
         false},
        {"With the heap and the text segment on huge pages the gap is gone.", 0, 0, 0, false, false}, /* whose? */
        {"`cpupower frequency-set -g performance`: no change.", 1, TREATMENT_GOVERNOR, OUTCOME_STAYED, false, false},
        {"With the governor set to performance the gap was gone.", 1, TREATMENT_GOVERNOR, OUTCOME_GONE, false, false},
        {"With the powersave governor the gap was gone.", 0, 0, 0, false, false},
        {"echo never > /sys/kernel/mm/transparent_hugepage/enabled closed the gap.", 1, TREATMENT_NO_HUGE_PAGES,
         OUTCOME_GONE, false, false},
        {"We set transparent_hugepage/enabled to always. The gap is gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, false,
         false},
        {"smt/control said on. We set it to off and the gap was gone.", 1, TREATMENT_NO_SMT, OUTCOME_GONE, false,
         false},
        {"smt/control says off, and there is still a gap.", 0, 0, 0, false, false}, /* that is how it is */
        {"After the limit was removed the gap was gone.", 1, TREATMENT_NO_LIMIT, OUTCOME_GONE, false, false},
        {"After the memory limit was removed the gap was gone.", 0, 0, 0, false, false},
        {"Disabled HT in the BIOS, no effect.", 1, TREATMENT_NO_SMT, OUTCOME_STAYED, false, false},
        {"Tried mitigations=off. Nothing.", 1, TREATMENT_NO_MITIGATIONS, OUTCOME_STAYED, false, false},
        {"With membind it is still 44 min.", 1, TREATMENT_LOCAL_MEMORY, OUTCOME_STAYED, false, false},
        {"With membind it still takes 2 s more.", 0, 0, 0, false, false},
        {"With THP the gap was gone here, but on the other one it stayed.", 0, 0, 0, false, false},
        {"With huge pages it is as fast as on the other machine.", 1, TREATMENT_PAGES, OUTCOME_GONE, false, false},
        {"On the other machine huge pages closed the gap.", 0, 0, 0, false, false},
        {"perf says that with huge pages the gap is gone.", 1, TREATMENT_PAGES, OUTCOME_GONE, false, false},
        {"Tom says that with huge pages the gap is gone.", 0, 0, 0, false, false},
        {"With nohz_full we can see no change.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"nohz_full can close the gap.", 0, 0, 0, false, false},
        {"Try nohz_full: no change.", 0, 0, 0, false, false},
        {"Try 1, nohz_full: no change.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"Upgraded to Debian 13 with nohz_full, and the gap is gone.", 0, 0, 0, false, false},
        {"The gap vanished once we moved to huge pages.", 1, TREATMENT_PAGES, OUTCOME_GONE, false, false},
        {"With huge pages the old and the new kernel are equally fast.", 1, TREATMENT_PAGES, OUTCOME_GONE, false,
         false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena;
        arena_init(&arena);
        struct told told = told_from(cases[at].text, &arena);
        cr_assert_eq(told.trial_count, cases[at].count, "%s", cases[at].text);
        if (told.trial_count) {
            cr_expect_eq(told.trials[0].treatment, cases[at].treatment, "%s", cases[at].text);
            cr_expect_eq(told.trials[0].outcome, cases[at].outcome, "%s", cases[at].text);
            cr_expect(told.trials[0].on_host == cases[at].on_host && told.trials[0].on_guest == cases[at].on_guest, "%s", cases[at].text);
            cr_expect_str_eq(told.trials[0].sentence, cases[at].text);
        }
        arena_done(&arena);
    }
}

Test(told, a_trial_says_how_much_of_the_gap_it_left)
{
    struct arena arena;
    arena_init(&arena);
    struct told told = told_from("With THP there is still a gap of 30 %. Without AVX-512 there is no change.", &arena);
    cr_assert_eq(told.trial_count, 2);
    cr_assert(told.trials[0].number.known);
    cr_expect_float_eq(told.trials[0].number.high, 0.3, 1e-9);
    cr_expect_not(told.trials[1].number.known);
    arena_done(&arena);
}

Test(told, trials_stand_one_a_line)
{
    struct arena arena;
    arena_init(&arena);
    struct told told = told_from("What I did\ntried: huge pages (host): stayed\ntried: nohz_full: gone\nand went home.", &arena);
    cr_assert_eq(told.trial_count, 2);
    cr_expect_eq(told.trials[0].treatment, TREATMENT_PAGES);
    cr_expect_eq(told.trials[0].outcome, OUTCOME_STAYED);
    cr_expect_eq(told.trials[1].treatment, TREATMENT_TICK);
    cr_expect_eq(told.trials[1].outcome, OUTCOME_GONE);
    cr_expect_str_eq(told.trials[1].sentence, "tried: nohz_full: gone");
    arena_done(&arena);
}

Test(told, gaps_loops_and_functions)
{
    struct arena arena;
    arena_init(&arena);
    struct told told = told_from("# A heading\nIt is **20 % ~ 150%** lower than there. The hot loop is only ~1.5 KiB. Look at run_ref(), not at int f() { return 0; }", &arena);
    cr_assert(told.gap.known);
    cr_expect_float_eq(told.gap.low, 1 - 1 / 1.2, 1e-9);
    cr_expect_float_eq(told.gap.high, 1 - 1 / 2.5, 1e-9, "no throughput is 150 %% lower: it takes so much longer");
    cr_expect_float_eq(told.loop_bytes, 1536, 1e-9);
    told = told_from("It is in run_ref() and in main().", &arena);
    cr_assert_eq(told.function_count, 2);
    cr_expect_str_eq(told.functions[0], "run_ref");
    told = told_from("A loop of 1024 turns. 30 % slower.", &arena);
    cr_expect_eq(told.loop_bytes, 0);
    cr_expect_float_eq(told.gap.high, 0.3, 1e-9);
    arena_done(&arena);
}

Test(told, gaps_in_other_words)
{
    static const struct {
        const char *text;
        double low, high;
    } cases[] = {{"It is 1.4x slower in the guest.", 1 - 1 / 1.4, 1 - 1 / 1.4},
                 {"It is 2 times slower there.", 0.5, 0.5},
                 {"It takes twice as long as on the plain one.", 0.5, 0.5},
                 {"The run takes 25 % longer.", 0.2, 0.2},
                 {"The check takes 20 to 40 % longer in the guest.", 1 - 1 / 1.2, 1 - 1 / 1.4},
                 {"The check takes 20-40 % longer in the guest.", 1 - 1 / 1.2, 1 - 1 / 1.4},
                 {"The check takes between 20 and 40% more time in the guest.", 1 - 1 / 1.2, 1 - 1 / 1.4},
                 {"The check is 20 to 40 % slower in the guest.", 1 - 1 / 1.2, 0.4},
                 {"With 16 threads and 40 % longer than there.", 1 - 1 / 1.4, 1 - 1 / 1.4},
                 {"It ran on 2026-11 and takes 40 % longer.", 1 - 1 / 1.4, 1 - 1 / 1.4},
                 {"It is 90 % slower.", 1 - 1 / 1.9, 0.9},
                 {"It is 90 % to 125 % slower.", 1 - 1 / 1.9, 1 - 1 / 2.25}, /* what is told of 125 % is of the time, and so is the rest of the range */
                 {"The plain guest is 25 % faster than this one.", 0.2, 0.25}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena;
        arena_init(&arena);
        struct told told = told_from(cases[at].text, &arena);
        cr_assert(told.gap.known, "%s", cases[at].text);
        cr_expect_float_eq(told.gap.low, cases[at].low, 1e-9, "%s", cases[at].text);
        cr_expect_float_eq(told.gap.high, cases[at].high, 1e-9, "%s", cases[at].text);
        arena_done(&arena);
    }
}

Test(told, what_sounds_like_a_trial_and_was_not_taken_says_why)
{
    cr_expect_not_null(told_why_unread(view_of("THP made no difference between the two guests."), &no_context));
    cr_expect_not_null(told_why_unread(view_of("With THP and nohz_full the gap is gone."), &no_context));
    cr_expect_not_null(told_why_unread(view_of("Enabling THP should bring no change."), &no_context));
    cr_expect_not_null(told_why_unread(view_of("With THP the speed is another matter."), &no_context), "of speed, in words that aren't known");
    cr_expect_not_null(told_why_unread(view_of("Time: 120 s (one node), 95 s (with huge pages)."), &no_context), "two times, and which was first isn't said");
    cr_expect_null(told_why_unread(view_of("With THP the gap is gone."), &no_context), "it was taken");

    cr_expect_not_null(told_why_unread(view_of("With THP the faults took 0.3 s."), &no_context), "a number that is passed over is said");
    cr_expect_null(told_why_unread(view_of("We use huge pages."), &no_context), "it tells of no trial");
    cr_expect_not_null(told_why_unread(view_of("We switched on huge pages."), &no_context), "and nothing of what came of it");
    cr_expect_null(told_why_unread(view_of("The lab has huge pages enabled."), &no_context), "that is how it is");
    cr_expect_not_null(told_why_unread(view_of("With huge pages the boot takes 3.1 s instead of 4.2 s."), &no_context), "another activity");
    cr_expect_not_null(told_why_unread(view_of("The limit was lifted, and the gap is gone."), &no_context), "which limit?");
    const struct told_context quota = {.has_quota = true};
    cr_expect_null(told_why_unread(view_of("The limit was lifted, and the gap is gone."), &quota));
    const struct told_context states = told_context_in(view_of("The build takes 212 s on bare metal and 301 s in the VM."));
    cr_expect_not_null(told_why_unread(view_of("Exits are down, build time 299 s."), &states), "of which change isn't told");
    cr_expect_null(told_why_unread(view_of("Exits are down, and a fault takes 2 us."), &states), "of something else");
}

/* Two states and, further on, what a change came to beside them. */
Test(told, one_time_beside_two_that_were_told)
{
    static const struct {
        const char *text;
        size_t count;
        enum outcome outcome;
        double low, high; /* of the time, where a part came back */
    } cases[] = {
        {"On bare metal the batch takes 41.0 s, in the SEV guest 52.7 s. After `echo always > transparent_hugepage/enabled` in the guest it went down to 43.1 s.", 1, OUTCOME_SHRANK,
         1 - 43.15 / 52.65, 1 - 43.05 / 52.75},
        {"41.0 s native, 52.7 s in the VM. With huge pages: 41.2 s.", 1, OUTCOME_GONE, 0, 0},
        {"41.0 s native, 52.7 s in the VM. With nohz_full it takes 52.5 s.", 1, OUTCOME_STAYED, 0, 0},
        {"The old instance makes 1200 req/s, the new one 800 req/s. With huge pages it is 1000 req/s.", 1, OUTCOME_SHRANK, 1 - 800.5 / 999.5, 1 - 799.5 / 1000.5},
        {"41.0 s native, 52.7 s in the VM. With huge pages the faults took 0.3 s.", 0, 0, 0, 0}, /* of something else */
        {"41.0 s native, 52.7 s in the VM. With huge pages it made no difference: 43.0 s.", 0, 0, 0, 0}, /* words and numbers differ */
        {"41.0 s native, 52.7 s in the VM. We hope for 43 s with huge pages.", 0, 0, 0, 0},
        {"Parsing takes 41.0 s and writing 52.7 s. With huge pages it takes 43.0 s.", 0, 0, 0, 0}, /* no two states of one thing */
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena;
        arena_init(&arena);
        struct told told = told_from(cases[at].text, &arena);
        cr_assert_eq(told.trial_count, cases[at].count, "%s", cases[at].text);
        if (told.trial_count) {
            struct told_trial *trial = &told.trials[0];
            cr_expect_eq(trial->outcome, cases[at].outcome, "%s", cases[at].text);
            cr_expect_eq(trial->returned.share.known, cases[at].high > 0, "%s", cases[at].text);
            cr_expect(told.gap.known && told.gap.high < 0.4, "%s", cases[at].text);
            cr_expect(cases[at].high <= 0 || (fabs(trial->returned.share.low - cases[at].low) < 2e-3 && fabs(trial->returned.share.high - cases[at].high) < 2e-3), "%s", cases[at].text);
        }
        arena_done(&arena);
    }
}

/* What may be equal, as exact as it was told, is no gap; the next two that are apart are. */
Test(told, states_that_are_not_apart_are_none)
{
    static const char *const first[] = {"It takes 41 s with the old kernel, and 41.2 s with the new one.", "It takes 41.0 s with the old kernel, and 41.0 s with the new one."};
    static const char then[] = "It takes 41.0 s on bare metal, 52.7 s in the guest. With huge pages it is 43.1 s.";
    for (size_t at = 0; at < array_count(first); at++) {
        struct arena arena;
        arena_init(&arena);
        struct told told = told_from(arena_printf(&arena, "%s %s", first[at], then), &arena);
        cr_expect_float_eq(told.states.slow, 52.7, 1e-9, "%s", first[at]);
        cr_expect_float_eq(told.gap.mid, 1 - 41.0 / 52.7, 1e-9);
        cr_assert_eq(told.trial_count, 1);
        cr_expect_eq(told.trials[0].outcome, OUTCOME_SHRANK);
        struct told_states same = told_states_in(view_of(arena_printf(&arena, "%s %s", first[at], then)));
        cr_expect_float_eq(same.slow, told.states.slow, 1e-9, "imported as it is analysed");
        told = told_from(first[at], &arena);
        cr_expect(told.states.slow <= 0 && !told.gap.known, "%s", first[at]);
        arena_done(&arena);
    }
}

Test(told, sentences_end_where_people_end_them)
{
    static const struct {
        const char *text, *first;
    } cases[] = {
        {"The VM got it, i.e. the host has it. Then more.", "The VM got it, i.e. the host has it."},
        {"3.1 s vs. 4.2 s. Then more.", "3.1 s vs. 4.2 s."},
        {"ana: limit gone\n[10:41] tom: fine", "ana: limit gone"},
        {"ana: limit gone\n10:41 tom: fine", "ana: limit gone"},
        {"it went\n10 times", "it went\n10 times"},
        {"That is all, etc. Then more.", "That is all, etc."},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct view text = view_of(cases[at].text), sentence = told_sentence(&text);
        cr_expect(view_equal(sentence, cases[at].first), "%.*s", (int)sentence.length, sentence.text);
    }
}

/* It grew slower: these are the states, whatever they are called. */
Test(told, a_time_that_grew_tells_two_states)
{
    const struct told_states grew = told_states_in(view_of("The job went from 31 min to 44 min after the move."));
    cr_expect_float_eq(grew.slow, 2640, 1e-9);
    cr_expect_float_eq(grew.fast, 1860, 1e-9);
    cr_expect(!(told_states_in(view_of("The job went from 44 min to 31 min after the move.")).slow > 0), "that may be a change's doing");
    cr_expect(!(told_states_in(view_of("It would go from 31 min to 44 min after the move.")).slow > 0));
}

Test(told, nothing_is_read_behind_the_end)
{
    static const char text[] = "41 s native, 52 s in the VM, and with THP it is 43 s. x is 20% ~ 30% lower than y. With nohz_full there is still a gap: the loop is ~100 bytes, see f_ref(). cat smt/control said on. Set it to off: still 52 s. According to us it can be up to 3x.";
    for (size_t length = 0; length <= sizeof(text) - 1; length++) {
        struct edge edge = edge_copy(text, length);
        struct view rest = {(char *)edge.bytes, length}, sentence;
        const struct told_context states = told_context_in(rest);
        while ((sentence = told_passage(&rest, &states)).length) {
            (void)told_is_useful(sentence, &states);
            (void)told_why_unread(sentence, &states);
        }
        edge_free(&edge);
    }
}

Test(told, what_a_change_returned)
{
    static const struct {
        const char *text;
        double low, high; /* of the time; 0, 0: nothing is told */
    } cases[] = {
        {"With huge pages it dropped from 4.2 s to 3.1 s.", 1 - 3.15 / 4.15, 1 - 3.05 / 4.25},
        {"The time dropped to 3.1 s from 4.2 s with huge pages.", 1 - 3.15 / 4.15, 1 - 3.05 / 4.25},
        {"With huge pages 3.1 s instead of 4.2 s.", 1 - 3.15 / 4.15, 1 - 3.05 / 4.25},
        {"Huge pages: 4.2 -> 3.1 s", 1 - 3.15 / 4.15, 1 - 3.05 / 4.25},
        {"Huge pages: 4.2 s \xe2\x86\x92 3100 ms", 1 - 3.1005 / 4.15, 1 - 3.0995 / 4.25},
        {"Huge pages: 4,2 s before, 3,1 s after.", 1 - 3.15 / 4.15, 1 - 3.05 / 4.25},
        {"Before huge pages it was 4.2 s, now it is 3.1 s.", 1 - 3.15 / 4.15, 1 - 3.05 / 4.25},
        {"With huge pages from 1200 req/s to 3150 req/s.", 1 - 1200.5 / 3149.5, 1 - 1199.5 / 3150.5},
        {"With huge pages from 4.2 s to 3150 req/s.", 0, 0},
        {"With huge pages it rose from 3.1 s to 4.2 s.", 0, 0},
        {"With huge pages the first took 4.2 s, the second 3.1 s.", 0, 0},
        {"With huge pages 4.2 s, 3.1 s, and 2.9 s.", 0, 0},
        {"Huge pages recovered 12 % of the 18 % gap.", 0.12 / 1.18, 0.12},
        {"Huge pages recovered 60 % of the 18 % gap.", 0.6 * 0.18 / 1.18, 0.6 * 0.18},
        {"Huge pages recovered 12 %.", 0, 0.12},
        {"Software prefetching gained 1 %.", 0.01 / 1.01, 0.01},
        {"Throughput improved by 40% with jemalloc.", 0.4 / 1.4, 0.4 / 1.4},
        {"jemalloc cut the run time by 40 %.", 0.4, 0.4},
        {"jemalloc cut the page faults by 40 % and the time is another matter.", 0, 0},
        {"Disabling SMT made it 12 % slower.", 0, 0},
        {"Without huge pages it took 3.1 s, with huge pages 4.0.", 0, 0},
        {"Without huge pages it took 4.0 s, with them 3.1.", 1 - 3.15 / 3.95, 1 - 3.05 / 4.05},
        {"Without huge pages it took 4.0 s on Linux 6.1.", 0, 0},
        {"1.83 s (baseline), 1.52 s (THP)", 1 - 1.525 / 1.825, 1 - 1.515 / 1.835},
        {"1.83 s (baseline, 1.52 s (THP)", 0, 0}, /* the first bracket isn't closed before the second amount */
        {"THP: 1.83 s (baseline), 1.52 s (THP)", 1 - 1.525 / 1.825, 1 - 1.515 / 1.835},
        {"Baseline 1.83 s, with THP 1.52 s (default settings)", 0,
         0}, /* the label behind and the one ahead contradict one another */
        {"Time: 120 s (small pages), 95 s (huge pages).", 1 - 95.5 / 119.5, 1 - 94.5 / 120.5},
        {"taskset -c 0-7: 5.2 s (before), 3.9 s (after).", 1 - 3.95 / 5.15, 1 - 3.85 / 5.25},
        {"mitigations=off: 5.2 s before, 3.9 s after.", 1 - 3.95 / 5.15, 1 - 3.85 / 5.25},
        {"3.1 s with huge pages, 4.2 s without.", 1 - 3.15 / 4.15, 1 - 3.05 / 4.25},
        {"THP off: 4.2 s. THP on: 3.1 s.", 1 - 3.15 / 4.15, 1 - 3.05 / 4.25},
        {"numactl --membind=0: 31.2 s; default: 44.0 s", 1 - 31.25 / 43.95, 1 - 31.15 / 44.05},
        {"44 s by default, 31 s with numactl --membind=0.", 1 - 31.5 / 43.5, 1 - 30.5 / 44.5},
        {"10.4 s with glibc malloc, 8.1 s with jemalloc", 1 - 8.15 / 10.35, 1 - 8.05 / 10.45},
        {"With THP on the old kernel 3.1 s, on the new kernel without THP 4.2 s.", 0, 0}, /* two things changed */
        {"With huge pages the host takes 3.1 s, without them the guest takes 4.2 s.", 0, 0},
        {"THP off: 4.2 s on the host. THP on: 3.1 s in the guest.", 0, 0},
        {"THP off: 4.2 s. jemalloc: 3.1 s.", 0, 0},
        {"With -mprefer-vector-width=256 7.62 s, without it 8.41 s.", 1 - 7.625 / 8.405, 1 - 7.615 / 8.415},
        {"Without AVX-512 dispatch it took 1.83 s, with it 1.97.", 1 - 1.835 / 1.965, 1 - 1.825 / 1.975},
        {"No THP: 4.2 s before, 3.1 s after.", 0, 0},
        {"With THP 4.2 s, with jemalloc 3.1 s.", 0, 0},
        {"With huge_pages=on we get 57k tps instead of 44k.", 1 - 44.5 / 56.5, 1 - 43.5 / 57.5},
        {"Without membind we measured 1.2 M ops/s, with it 1.7 M ops/s.", 1 - 1.25 / 1.65, 1 - 1.15 / 1.75},
        {"Dropping huge pages again lost 23 %.", 0.23 / 1.23, 0.23},
        {"After dropping huge pages it rose from 3.1 s to 4.0 s.", 1 - 3.15 / 3.95, 1 - 3.05 / 4.05},
        {"Before dropping huge pages it took 3.1 s, after that 4.0 s.", 1 - 3.15 / 3.95, 1 - 3.05 / 4.05},
        {"Dropping huge pages gained 12 %.", 0, 0},
        {"With huge pages it went from 19 min 40 s to 14 min 30 s.", 1 - 870.5 / 1179.5, 1 - 869.5 / 1180.5},
        {"With THP it is 2 % slower, before it was 40 % slower.", 0.38 / 1.4, 1 - 0.6 / 0.98},
        {"With huge pages the gap fell from 31 % to 9 %.", 0.22 / 1.31, 1 - 0.69 / 0.91},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena;
        arena_init(&arena);
        struct told told = told_from(cases[at].text, &arena);
        struct interval returned = {0};
        if (told.trial_count)
            returned = told.trials[0].outcome == OUTCOME_SHRANK ? told.trials[0].returned.share : told.trials[0].number;
        cr_expect_float_eq(returned.known ? returned.low : 0, cases[at].low, 1e-9, "%s: %g", cases[at].text, returned.low);
        cr_expect_float_eq(returned.known ? returned.high : 0, cases[at].high, 1e-9, "%s: %g", cases[at].text, returned.high);
        arena_done(&arena);
    }
}

Test(told, what_a_change_made_slower_is_no_gap_that_was_there)
{
    struct arena arena;
    arena_init(&arena);
    cr_expect(!told_from("Disabling SMT made it 12 % slower.", &arena).gap.known);
    cr_expect(told_from("It is 12 % slower.", &arena).gap.known);
    arena_done(&arena);
}

Test(told, a_part_of_a_gap_that_another_sentence_tells)
{
    struct arena arena;
    arena_init(&arena);
    struct told told = told_from("It is 18 % slower. Huge pages gave back two thirds of the gap. With nohz_full it recovered 10 % of it.", &arena);
    cr_assert_eq(told.trial_count, 2);
    cr_expect_float_eq(told.trials[0].returned.of_gap.low, 2.0 / 3, 1e-9);
    cr_expect_float_eq(told.trials[1].returned.of_gap.low, 0.1, 1e-9);
    cr_expect(told.gap.known && !told.trials[1].returned.share.known);
    arena_done(&arena);
}

Test(told, shares_of_functions)
{
    static const struct {
        const char *text;
        size_t count;
        const char *first;
        double percent;
    } cases[] = {
        {"71 % in build_postings(), 12 % in sort_terms().", 2, "build_postings", 71},
        {"It spends ~62% of its time in `match_rules()`.", 1, "match_rules", 62},
        {"62 percent of the samples are in ns::match()", 1, "ns::match", 62},
        {"match_rules() takes 62 % of the CPU time.", 1, "match_rules", 62},
        {"Most is match_rules() (62 %).", 1, "match_rules", 62},
        {"match_rules() takes 62 % of the misses.", 0, "", 0},
        {"Branch misses: 40 % of all in match_rules().", 0, "", 0},
        {"30 % of the L3 misses are in walk_tree().", 0, "", 0},
        {"match_rules() is 12 % slower now.", 0, "", 0},
        {"It should spend 62 % in match_rules().", 0, "", 0},
        {"162 % in match_rules().", 0, "", 0},
        {"62 %. In match_rules() there is a loop.", 0, "", 0},
        {"62 in match_rules(), 5 % elsewhere", 0, "", 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct edge edge = edge_copy(cases[at].text, strlen(cases[at].text));
        struct told_share shares[TOLD_SHARES_MOST];
        size_t count = told_shares_in((struct view){(char *)edge.bytes, strlen(cases[at].text)}, shares);
        cr_expect_eq(count, cases[at].count, "%s: %zu", cases[at].text, count);
        if (count && cases[at].count) {
            cr_expect(view_equal(shares[0].function, cases[at].first), "%s", cases[at].text);
            cr_expect_float_eq(shares[0].percent, cases[at].percent, 1e-9, "%s", cases[at].text);
        }
        edge_free(&edge);
    }
}

/* What a sentence tells is compared with what had its label before; of a rate with all of its unit that are near. */
Test(told, what_was_told_before)
{
    static const struct {
        const char *before, *text;
        double gain; /* -1: it isn't compared */
    } cases[] = {
        {"1 thread: 2.0 s for 4 M rows 16 threads: 4.0 s for 4 M rows", "Padded. 16 threads: 1.0 s for 4 M rows.",
         0.75},
        {"1 thread: 2.0 s for 4 M rows 16 threads: 4.0 s for 4 M rows", "Padded. 16 threads: 1.0 s for 1 M rows.", -1},
        {"1 thread: 2.0 s 16 threads: 4.0 s", "Padded. 6 threads: 1.0 s", -1},
        {"The parser takes 4.0 s.", "and so the parser takes 3.0 s", 0.25},
        {"The parser takes 4.0 s.", "and so the fast parser takes 3.0 s", -1},
        {"It takes 4.0 s.", "it takes 3.0 s", -1},
        {"Per step, 8 ranks: 4.0 s", "Pinned. Per step, 8 ranks: 3.0 s", 0.25},
        {"Per step, 8 ranks: 4.0 s", "Pinned. Per sweep, 8 ranks: 3.0 s", -1},
        {"It does 50k req/s, 52k requests/s at best.", "It does 104k req/s.", 0.51},
        {"It does 50k req/s, and 200k requests/s at best.", "It does 104k req/s.", -1},
        {"It does 50k req/s.", "- 64 shards: 100k", 0.5},
        {"It does 50k req/s.", "64 shards of 100k rows", -1},
        {"It moves 5 GB/s.", "It moves 10 GB/s.", -1},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct plain_sentence before, plain;
        struct told_bases bases = {.count = 0};
        struct interval gain = {0};
        uint32_t used = 0;
        plain_sentence_of(&before, view_of(cases[at].before));
        plain_sentence_of(&plain, view_of(cases[at].text));
        told_bases_note(&bases, before.text);
        bool told = told_base_gain(plain.text, &bases, true, &gain, &used);
        cr_expect_eq(told, cases[at].gain >= 0, "%s / %s", cases[at].before, cases[at].text);
        if (told)
            cr_expect_float_eq(gain.mid, cases[at].gain, 0.01, "%s: %g", cases[at].text, gain.mid);
        told_bases_close(&bases);
        cr_expect_not(told_base_gain(plain.text, &bases, true, &gain, &used), "another section");
    }
}
