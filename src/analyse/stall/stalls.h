/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions hold the time, which of their instructions held it up, and which memory were those after?
 *
 * A timer sample lands one instruction behind the one that stalled, where the skid self-test says so: then the stalled
 * instruction is told from the one that got the sample (a jump's target: the jump), and the address of its memory
 * operand comes from the sampled registers. Without that, samples stay where they fell and no cause is inferred from
 * them. Does not support: gathers' addresses, operands relative to FS or GS.
 */
#ifndef PLUMB_ANALYSE_STALL_STALLS_H
#define PLUMB_ANALYSE_STALL_STALLS_H

#include "analyse/code/loop_chain.h"
#include "analyse/memory/working_set.h"
#include "base/error.h"
#include "statistics/interval.h"
#include "symbol/code_bundle.h"
#include "symbol/disassembly.h"
#include "system/memory/process_pages.h"

struct loaded_value; /* analyse/code/register_past.h */

struct stall_row { /* one instruction */
    uint32_t function;
    uint64_t shown_addr;
    const char *text;
    const char *path; /* source; NULL: unknown */
    uint32_t line;
    const char *inlined; /* whose body it is, when inlined */
    enum instruction_class class; /* of what it computes, when it computes with floating-point numbers it loads */
    bool is_load, is_store;
    bool is_stack;       /* its memory operand is in the stack frame */
    bool is_scalar_fp, is_fp;
    uint16_t vector_bits;
    /* its turn of the loop waits for the turn before, by registers, longer than for anything else */
    bool is_chained;
    bool is_addressed;   /* so through its address: it loads from where its last result says */
    const char *chase;   /* not NULL: it reads what this load, a link of a chain of loads in its loop, points to */
    bool is_divide_chained; /* a division that needs its own last result, or what leads from one to the next */
    bool is_dependent;   /* loads into the register that it addresses by: a pointer chase */
    uint64_t samples;
};

#define STALL_CALLERS_MOST 3
struct stall_caller { /* of a function, by unwound stacks */
    const char *name, *dso; /* dso: last part of its path */
    const char *path;       /* where it calls, most often; NULL: unknown */
    uint32_t line;
    uint64_t stacks;
};

struct stall_function {
    const char *name, *dso; /* dso: last part of its path */
    const char *dso_path;
    const char *producer;   /* of the compiler; NULL: unknown */
    bool is_kernel, has_code;
    uint64_t samples, attributed;
    uint64_t stack_samples; /* attributed to loads and stores of the stack frame */
    double frame_density;   /* share of its instructions that access a variable in the stack frame; 0: no code */
    double reload_density;  /* share that loads such a variable right behind its being stored */
    bool has_frame;         /* keeps a frame pointer */
    bool keeps_values;      /* from turn to turn of a loop, in registers */
    uint32_t table_cases;   /* entries that only a jump through a register or table leads to */
    uint64_t table_samples; /* attributed to such a jump or to those entries */
    struct interval share;  /* of all samples */
    uint64_t stacks;        /* samples in it whose stack was copied, and unwound beyond it */
    uint64_t own_stacks;    /* of these: called by what isn't installed code */
    struct stall_caller callers[STALL_CALLERS_MOST]; /* most stacks first */
    uint32_t caller_count;
    /* of an installed function, behind its callers: the nearest of the program's own, else the nearest with a name */
    struct stall_caller owners[STALL_CALLERS_MOST];
    uint32_t owner_count;
    struct stall_row *rows; /* most samples first */
    size_t row_count;
};

enum { /* of an instruction */
    MARK_LANDING = 1,    /* behind a conditional branch, or where a jump leads: what a wrong guess is seen at */
    MARK_CHAINED = 2,    /* computes what it needs itself in the next turn, and that is the longest part of the turn */
    MARK_NARROW = 8,     /* in a loop that computes with single or 128-bit floating-point numbers */
    MARK_ADDRESSED = 4,  /* loads from where its own last result says */
    MARK_LOOP = 64,      /* the last row of a loop whose rows are marked */
    MARK_FOLLOWS = 16,   /* reads through the pointer of such a load */
    /* overwrites its own address with what it loads, which is data: it is addressed anew before its next time */
    MARK_STRAY = 128,
    MARK_TABLE = 32,     /* a jump through a register or table, or what only such a jump leads to */
    MARK_ELSEWHERE = 256,    /* control comes from elsewhere than the row before, or may */
    MARK_DIVIDED = 512,      /* needs what a division of its loop computes */
    /* a division that needs its own last result, and what leads from one to the next: turns wait for one another */
    MARK_DIVIDE_CHAIN = 1024,
    MARK_POLLS = 2048, /* of a loop that waits for memory which only others write (analyse/code/polling_loop) */
};

struct stall_code { /* a function's instructions and what was met at each; count 0: its code is not known */
    struct instruction *items;
    uint64_t *hits;          /* stalled here */
    uint64_t *sampled;       /* where the samples fell */
    uint32_t *met;           /* … those too of which it isn't known what stalled; NULL: not counted */
    uint16_t *marks;         /* MARK_… */
    struct loop_rows *loops; /* the smallest around each; first is UINT32_MAX: none */
    uint32_t *chases;        /* the load that a MARK_FOLLOWS row goes behind */
    uint32_t *lost, *ahead;  /* stalled here, address overwritten; sampled here, address known */
    struct loaded_value *loaded; /* what loads left in their registers, by row */
    /* samples at its first instruction, where calls lead: what stalled isn't known, and they are in no row */
    uint64_t entry_hits;
    size_t count;
    bool has_frame;          /* keeps a frame pointer */
    bool tried, marked;
};

struct stall_address { /* that a stalled access went to */
    uint64_t time_ns, addr;
    uint32_t function, instruction, thread, pid;
    bool is_ahead; /* of the access to come: where it went, not that it waited */
    bool is_landing;
    bool on_base_page, on_huge_page; /* neither: not known */
};

struct stall_sample { /* one whose instruction is known, user code only */
    uint32_t sample;   /* index in the recording */
    uint32_t function, sampled, stalled; /* rows of its code */
    bool is_again;     /* of the second timer: counted nowhere else */
};

struct stall_size { /* of what an access goes over, as the estimate of the bottleneck has it */
    bool is_known;  /* else the group's own set says it */
    struct set_size lines, pages;
};

struct stall_group { /* what a function waits for in one mapping */
    uint32_t function;
    struct stall_row row; /* its hottest instruction */
    const char *area;     /* "[heap]", path, "anonymous" */
    uint64_t area_bytes, area_resident_bytes;
    bool area_known, advised_huge, advised_never; /* MADV_HUGEPAGE, MADV_NOHUGEPAGE */
    bool is_anonymous, is_heap, is_stack, is_shared; /* is_shared: tmpfs, memfd, SysV, shared anonymous */
    uint64_t samples, load_samples, store_samples, dependent_samples;
    uint64_t narrow_samples; /* at loads and stores of one number or of 128 bits */
    uint64_t base_hits, huge_hits, unknown_hits;
    struct interval share;      /* of all samples */
    struct interval base_share; /* of the group's addresses whose page size is known */
    struct working_set set;
    struct stall_size said; /* what sentences say */
    uint32_t element_bytes;
    /* whose place a wrongly guessed branch shows at, too: behind a compare and its branch */
    uint64_t landing_samples;
    bool in_order; /* its loop goes on line by line: what lies ahead is fetched ahead */
    /* walking one line takes the program at least so long, by addresses and times; 0: not known */
    double order_line_ns;
    uint32_t work_instructions; /* from one such access to the next, by the loop around it; 0: no loop was found */
};

struct stall_skid { /* where timer samples land here */
    bool one_behind;      /* the instruction that stalled */
    bool exact;           /* on it, with the registers that it left: precise sampling */
    bool restarts_behind; /* the first instruction behind a wrong guess; else on it */
};

struct stalls {
    const char *event;          /* what was sampled by: "cycles:pp"; NULL: nothing was */
    uint64_t sample_count, user_samples, kernel_samples;
    double cpu_s;               /* that the samples stand for; 0: the event doesn't count time */
    /* what stalled is known: the instruction before the sample (the skid test holds), or … */
    bool attributed;
    bool exact;                 /* … the sampled one itself */
    /* behind a wrong guess samples land on the second instruction of the right way, else on the first */
    bool restarts_behind;
    uint64_t attributed_samples;
    uint64_t blind_samples;     /* user code whose instruction could not be told */
    uint64_t unnamed_samples;   /* user code that no symbol names */
    uint64_t class_samples[INSTRUCTION_CLASS_COUNT]; /* user code */
    uint64_t memory_samples;    /* stalled on a load or store outside the stack frame */
    uint64_t stack_samples;
    uint64_t scalar_fp_samples, vector_samples[3]; /* 128, 256, 512 bits: arithmetic and moves alike */
    uint64_t arithmetic_samples; /* floating-point arithmetic, of any width */
    /* at branches, jumps, calls and returns, or where a wrong guess would show: right behind one, or at a target */
    uint64_t guess_samples;
    uint64_t load_samples;       /* at whatever reads memory, the stack too */
    uint64_t narrow_loop_samples; /* in loops that compute with single or 128-bit floating-point numbers */
    /* samples with a copied stack at a function's first two instructions whose call is known */
    uint64_t entry_stacks;
    /* of these: called through a register or table, whose target a processor has to guess */
    uint64_t entry_lookups;
    bool has_wide_code;          /* 512-bit instructions stand in a function that ran, sampled or not */
    uint64_t met_lines, double_lines; /* distinct code lines of user samples, and those that two samples met */
    double line_pairs;           /* pairs of user samples that met in one code line */
    /* code lines that one sample met: what they weigh in all lies in code not met at all */
    uint64_t single_lines;
    uint64_t chained_samples;    /* at rows that is_chained but not is_addressed */
    uint64_t addressed_samples;  /* at rows that is_addressed or is_followed */
    uint64_t divided_samples;    /* at rows that is_divided, which aren't divisions themselves */
    uint64_t divide_chain_samples; /* at rows that is_divide_chained */
    uint64_t divide_chain_users;   /* of these: no divisions themselves */
    uint64_t shared_line_samples, shared_line_addresses; /* addresses in lines that several threads wrote or read */
    uint64_t apart_samples;      /* of these: at places of such a line that one thread alone was met at */
    uint64_t turns_samples;      /* of these: threads took turns at the line */
    /* of these: no wrong guess can be what was waited for */
    uint64_t contended_samples;
    uint64_t hot_code_lines;    /* distinct 64-byte code lines that hold 98 % of the user samples */
    uint64_t hot_addresses;     /* distinct sampled user addresses that hold 98 % */
    struct stall_function *functions; /* most samples first */
    size_t function_count;
    struct stall_code *codes;           /* beside functions */
    struct stall_address *addresses;    /* in the recording's order */
    size_t address_count;
    struct stall_sample *placed;        /* in the recording's order; none when stalls can't be told */
    size_t placed_count;
    struct stall_group *groups; /* most samples first */
    size_t group_count;
    const char *why_no_code;    /* NULL: there was a disassembler */
    const char *why_no_skid;    /* the self-test came to nothing, because; NULL: it has an answer */
};

/*
 * skid: the self-tests' answers. pages: maps taken of the processes, may be none.
 * Errors: none today beyond memory; what is missing is said in the result. Owner of everything: arena.
 */
void stalls_find(struct stalls *stalls, const struct recording *recording, const struct code_bundle *bundle,
                 const struct process_pages *pages, size_t pages_count, struct stall_skid skid, struct arena *arena);

/* Whether a sample counts as CPU time of the target (clock or cycles, not idle, not a context switch). */
bool stalls_counts_sample(const struct recording *recording, const struct sample *sample);

/* The size that sentences say of a group: of lines where it uses nearly all of its pages, else of pages. */
struct set_size stall_group_size(const struct stall_group *group, bool *ret_of_lines);

#endif
