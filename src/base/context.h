/* SPDX-License-Identifier: Apache-2.0 */
/* The context of every call: hooks, number of threads, and the count of memory. */
#ifndef OF_BASE_CONTEXT_H
#define OF_BASE_CONTEXT_H

#include "base/status.h"

#include <stdatomic.h>

typedef onefold_context of_context;
typedef struct of_call_state of_call_state;

/* The transport between the processes of a context (base/comm.h); src/comm fills it in. */
typedef struct of_comm {
    int rank, size;     /* size 0 or 1: this process is alone */
    int here;           /* its number among the ranks of this machine */
    int ranks_here;     /* ranks of this machine */
    size_t split_above; /* problems of more samples than this are split (base/comm.h) */
    void *user;
    /* Every rank gets bytes start[r] .. start[r + 1] - 1 of `all` from rank r. */
    onefold_status (*gather)(void *user, void *all, const size_t *start);
    /* Rank 0 alone gets them; the `bytes` of another rank are its own only. */
    onefold_status (*collect)(void *user, void *bytes, const size_t *start);
    /* The worst status of all ranks, and the lowest rank that has it. */
    onefold_status (*meet)(void *user, onefold_status mine, onefold_status *worst, int *rank);
    void (*leave)(void *user); /* when the context ends */
    int one_thread;            /* only the thread that joined may exchange */
    int ended;                 /* a rank has failed: no rank waits for another any more */
    int ended_by;              /* the rank that failed */
} of_comm;

struct onefold_context {
    onefold_hooks hooks;
    int threads;         /* >= 1 */
    size_t memory_limit; /* 0: none */
    size_t chunk;        /* see of_context_chunk; 0 but in tests */
    atomic_size_t bytes; /* held now */
    atomic_size_t peak;  /* the most held at once */
    /* Not NULL: this context counts the bytes that the other one would take (base/memory.h). */
    struct onefold_context *counted_for;
    struct of_block *spare; /* released blocks of a context that counts */
    size_t mapped;          /* its blocks that are mapped, spare ones included */
    /* For tests: the allocation that brings this to zero fails; negative: none does. */
    atomic_long allocations_until_failure;
    atomic_long lapack_until_failure; /* the same for calls of LAPACK, which fail with code 1 */
    const char *fence_program;        /* for tests: another program behind the fence (io/fence.h) */
    atomic_size_t pieces;             /* for tests: pieces of teams' work done so far */
    atomic_size_t plans;              /* for tests: fits whose memory was counted so far */
    of_comm comm;
    struct of_device_use *device; /* the GPU to work on (base/device.h); NULL: none */
    /* Rewrites the progress of work that is a part of a longer one. Returns 0 where it is not to be
     * reported. NULL: progress is reported unchanged. */
    int (*change_progress)(void *user, onefold_progress *progress);
    void *progress_user;
    struct of_run_files *run_files; /* inputs, and outputs not yet in place (io/atomic_file.h) */
    void (*run_files_end)(struct of_run_files *run_files);
    onefold_context_info info; /* the last result of onefold_context_describe */
    of_call_state *call;       /* the running call, where there are hooks (of_call) */
};

/* The given context, or the process-wide default one for NULL. */
OF_PRIVATE of_context *of_context_or_default(of_context *context);

/* Bytes to read, add up or hold at once: `usual`, or a test's choice. No bit of a result may depend
 * on it. */
size_t of_context_chunk(const of_context *context, size_t usual);

/* ONEFOLD_INTERRUPTED, with its sentence, once the cancel hook asks to stop. Cheap; any thread. */
OF_PRIVATE onefold_status of_context_check(of_context *context);

/* The same, but calls the hook first; inside a public call of_context_check only uses the hook's
 * last answer. Not from inside a piece. */
OF_PRIVATE onefold_status of_context_check_now(of_context *context);

/*
 * A public call that may take long. Where the caller has hooks, a thread of our own does the work.
 * The calling thread waits: it calls `cancel` 40 times a second and repeats the last progress ten
 * times a second, whatever the work is doing. So hooks are called on the calling thread only.
 * Without hooks, or where no thread can be started, the calling thread does the work itself.
 */
typedef onefold_status (*of_call_work)(of_context *context, void *arguments);

/* Runs `work` with BLAS on one thread. Its status and its error are those of the calling thread.
 * `stage` is the stage of progress until the work reports one. Nested calls just run `work`. */
OF_PRIVATE onefold_status of_call(of_context *context, const char *stage, of_call_work work,
                                  void *arguments);

/* Reports progress. Only from the thread that does the work of a call, not from inside a piece. */
OF_PRIVATE void of_context_progress(of_context *context, const char *stage, double done,
                                    double total, const char *detail);

/* A line for the log hook. */
void of_context_log(of_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Seconds, for reports only: nothing numerical may depend on them. */
OF_PRIVATE double of_clock_seconds(void);

#endif
