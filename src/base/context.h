/* SPDX-License-Identifier: Apache-2.0 */
/* What every call is given: hooks, number of threads, and the account of memory. */
#ifndef OF_BASE_CONTEXT_H
#define OF_BASE_CONTEXT_H

#include "base/status.h"

#include <stdatomic.h>

typedef onefold_context of_context;
typedef struct of_call_state of_call_state;

/* How the processes of a context talk (base/comm.h); src/comm fills it in. */
typedef struct of_comm {
    int rank, size;     /* size 0 or 1: this process is alone */
    int here;           /* its number among the ranks of this machine, */
    int ranks_here;     /* and how many these are */
    size_t split_above; /* problems of more samples than this are split (base/comm.h) */
    void *user;
    /* Rank r's bytes start[r] .. start[r + 1] - 1 of `all` to every rank; its own are there. */
    onefold_status (*gather)(void *user, void *all, const size_t *start);
    /* The same to rank 0 alone: the `bytes` of the others are their own. */
    onefold_status (*collect)(void *user, void *bytes, const size_t *start);
    /* The worst status that any rank brings, and the lowest rank that brings it. */
    onefold_status (*meet)(void *user, onefold_status mine, onefold_status *worst, int *rank);
    void (*leave)(void *user); /* when the context ends */
    int one_thread;            /* only the thread that joined may talk */
    int ended;                 /* a rank has failed: nobody waits for anybody any more */
    int ended_by;              /* which one it was */
} of_comm;

struct onefold_context {
    onefold_hooks hooks;
    int threads;         /* >= 1 */
    size_t memory_limit; /* 0: none */
    size_t chunk;        /* see of_context_chunk; 0 but in tests */
    atomic_size_t bytes; /* held now */
    atomic_size_t peak;  /* the most held at once */
    /* Bytes are counted, for what this one would take, and no number is touched (base/memory.h). */
    struct onefold_context *counted_for;
    struct of_block *spare; /* blocks of a counting run that were released */
    /* Tests make the allocation fail that brings this to zero; negative: never. */
    atomic_long allocations_until_failure;
    int unfenced; /* files that a child process would read are read in this one; for tests */
    atomic_long lapack_until_failure; /* the same of calls of LAPACK, which then say code 1 */
    atomic_size_t pieces;             /* of teams' work that were worked for it, for tests */
    of_comm comm;
    struct of_device_use *device; /* the GPU to work on (base/device.h); NULL: none */
    /* Rewrites what is said of progress where the work is a part of a longer one; 0: says nothing.
     * NULL: it is passed on as it is. */
    int (*change_progress)(void *user, onefold_progress *progress);
    void *progress_user;
    struct of_run_files *run_files; /* read with it, and outputs that wait (io/atomic_file.h) */
    void (*run_files_end)(struct of_run_files *run_files);
    onefold_context_info info; /* what the caller was shown last */
    of_call_state *call;       /* the one at work for it, where there are hooks (of_call) */
};

/* The given context, or the process-wide default one for NULL. */
of_context *of_context_or_default(of_context *context);

/* Bytes to read, add up or hold at once, where that is free to choose and no bit of a result
 * depends on it: the usual ones, or what a test has set to show that none does. */
size_t of_context_chunk(const of_context *context, size_t usual);

/* ONEFOLD_INTERRUPTED, with its sentence, once the cancel hook asks to stop. Cheap; any thread. */
onefold_status of_context_check(of_context *context);

/* The same, and the hook is asked before it returns, where inside a public call it is else asked
 * every so often. Not from inside a piece. */
onefold_status of_context_check_now(of_context *context);

/*
 * A public call that may take long. Where the caller has hooks, a thread of our own does the work,
 * and the calling thread waits for it: it asks `cancel` 40 times a second and repeats the last
 * progress ten times a second, whatever the work is in the middle of. Hooks are thus called on the
 * calling thread only. Without hooks, or where no thread can be started, the calling thread works
 * itself and asks and tells as it goes.
 */
typedef onefold_status (*of_call_work)(of_context *context, void *arguments);

/* Runs `work`, with BLAS on one thread, and returns its status; its error is that of the calling
 * thread. `stage` is what progress speaks of until the work says more. Inside another call it is
 * only a function call. */
onefold_status of_call(of_context *context, const char *stage, of_call_work work, void *arguments);

/* Says how far the work has come. Only from the thread that does the work of a call, not from
 * inside a piece of a team's. */
void of_context_progress(of_context *context, const char *stage, double done, double total,
                         const char *detail);

/* A line for the log hook. */
void of_context_log(of_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Seconds, for reports only: nothing numerical may depend on them. */
double of_clock_seconds(void);

#endif
