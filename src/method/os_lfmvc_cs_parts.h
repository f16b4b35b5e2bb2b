/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the OS-LFMVC-CS solver, as they see each other: the passes over the data, the steps
 * on small matrices, and the starts. Sections are those of docs/method.md.
 */
#ifndef OF_METHOD_OS_LFMVC_CS_PARTS_H
#define OF_METHOD_OS_LFMVC_CS_PARTS_H

#include "base/tiles.h"
#include "method/os_lfmvc_cs.h"

typedef struct of_cs_sizes {
    size_t n, p, k, m, mu;
    size_t pk; /* p * k: rows of X */
} of_cs_sizes;

/* Whether a start has its labels: no k-means. */
static inline int of_cs_has_labels(const of_cs_given *given)
{
    return given && (given->labels || given->labels_there);
}

/* ---- one run ------------------------------------------------------------------------------ */

/* What a run that leaps (os_lfmvc_cs_leap.c) keeps of the iteration before. */
typedef struct of_cs_last {
    double *W, *beta; /* k x pk, p: of the plain step, from which it leapt */
    double *XS, *XY;  /* pk x m, pk x mu: of the pass before */
    size_t moved;     /* samples that the pass before moved */
} of_cs_last;

/* A run and its room for small matrices. */
typedef struct of_cs_runner {
    of_cs_state now;
    of_cs_end end;
    of_cs_last last;              /* arrays NULL where options->stop is not ONEFOLD_STOP_SETTLED */
    const of_beta_bounds *bounds; /* on beta, or NULL */
    int leapt, went_back;
    size_t moved;    /* samples whose label the last pass changed */
    size_t slot;     /* which of the restarts it is */
    int labels_away; /* its labels are on a card, newer than now.labels */
    double *trace;   /* max_iterations */
    double *US, *UP; /* km x p: W_i XS_i and W_i XP_i, a view contiguous */
    double *TS, *TP; /* k x m: B XS and B XP */
    double *T;       /* pk x k: N B' */
    double *F, *G;   /* k x k */
    double *value;   /* k */
    double *M0, *M1; /* k x m */
    double *BXY;     /* k x mu */
    double *A;       /* p x p */
    double *f;       /* p */
} of_cs_runner;

/* Memory for a run. Labels and sizes are zero, the rest is not set. */
onefold_status of_cs_runner_make(of_arena *arena, const of_cs_sizes *sizes,
                                 const onefold_fit_options *options, of_cs_runner *run);

/* ---- steps on small matrices (section 3, os_lfmvc_cs_steps.c) ------------------------------ */

/* B = [beta_1 W_1, ..., beta_p W_p]. */
void of_cs_set_B(const of_cs_sizes *sizes, of_cs_state *now);

/* J = <B XS, B XP> + <C, B XY>, of whatever the state holds. */
double of_cs_objective(const of_cs_sizes *sizes, of_cs_runner *run);

/* One sweep of W_d = polar(G) over the views in `order` (NULL: 0 .. p-1), each with the newest
 * others. Leaves US and UP of the new W. `watch` may be NULL. */
onefold_status of_cs_step_W(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run,
                            onefold_variant variant, const size_t *order, const of_cs_watch *watch,
                            size_t iteration);

/* beta (section 4), from the US and UP that the W-step leaves; and B. */
onefold_status of_cs_step_beta(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run);

/* R and XP from XS: P = polar(H'H S') without P. N is pk x pk. */
onefold_status of_cs_step_P(of_context *context, const of_cs_sizes *sizes, const double *N,
                            of_cs_runner *run);

/* R and XP for a P that is made of the leading right singular vectors of H (section 5). */
onefold_status of_cs_first_P(of_context *context, const of_cs_sizes *sizes, const double *N,
                             of_cs_runner *run);

/* C = polar(B XY). */
onefold_status of_cs_step_C(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run);

/* ---- passes over the data (section 3, os_lfmvc_cs_pass.c) ---------------------------------- */

typedef enum of_cs_pass_kind {
    OF_CS_PASS_ASSIGN,     /* S and Y from R, C: the iteration's pass */
    OF_CS_PASS_KEEP_LABELS /* S from R; Y stays: the start's pass */
} of_cs_pass_kind;

/* Room for passes over X, and how it is cut. The cut and the order of the sums depend on the sizes
 * alone, and what a run gets does not depend on the runs that share its pass. */
typedef struct of_cs_pass {
    of_context *context;
    const of_stack *X;
    of_cs_sizes sizes;
    int nonneg;
    of_tiles tiles;
    size_t length; /* numbers in one sum: XS, XY, sizes, samples moved */
    size_t batch;  /* runs that share a pass */
    double *sums;  /* length x batch */
    double *room;  /* room_size per worker */
    size_t room_size;
    of_cs_pass_kind kind; /* of the pass under way, as the rest */
    of_cs_runner **runs;
    size_t run_count;
} of_cs_pass;

/* Room for passes by `workers` threads that serve at most `runs` runs. */
onefold_status of_cs_pass_make(of_context *context, of_arena *arena, const of_stack *X,
                               const of_cs_sizes *sizes, int nonneg, int workers, size_t runs,
                               of_cs_pass *pass);

/* Numbers of sums and partial sums that a pass for `runs` runs on `workers` threads keeps. */
size_t of_cs_pass_partial(const of_cs_sizes *sizes, size_t runs, size_t workers);

/* Numbers of room that a worker needs besides a tile of X. */
size_t of_cs_pass_room(const of_cs_sizes *sizes);

/* XS, XY, labels and sizes of each run, in one pass over X for every `batch` of them. */
onefold_status of_cs_pass_run(of_cs_pass *pass, of_cs_pass_kind kind, of_cs_runner **runs,
                              size_t count);

/* Labels of a run into now.labels, where the passes of a card keep them until they are asked for.
 */
onefold_status of_cs_pass_labels(const of_cs_pass *pass, of_cs_runner *run);

/* H = B X (k x n, leading dimension k), columns scaled to unit length when `unit`. */
onefold_status of_cs_embed(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                           const double *B, int unit, of_share H);

/* ---- starts (section 5, os_lfmvc_cs_start.c) ------------------------------------------------ */

/* The aligned start's labels for a restart: k-means on the unit columns of H (k x n). */
onefold_status of_cs_start_labels(of_context *context, const of_cs_sizes *sizes, const double *H,
                                  uint64_t seed, size_t restart, int32_t *labels);

/* Completes a start that has W, beta, B and labels: XY, C, and P and S at this H. */
onefold_status of_cs_start_complete(of_cs_pass *pass, const double *N, of_cs_runner **runs,
                                    size_t count);

/* The paper's start: W = I, random orthonormal P, random unit columns of S, random labels. */
onefold_status of_cs_start_paper(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                                 const onefold_fit_options *options, size_t restart,
                                 of_cs_runner *run);

/* ---- restarts (os_lfmvc_cs_restarts.c) ------------------------------------------------------ */

/* A problem under way: what the restarts share, and the restarts. */
typedef struct of_cs_solver {
    of_context *context;
    const of_cs_problem *problem;
    of_cs_sizes sizes;
    double *N;              /* pk x pk */
    const double *W, *beta; /* the aligned start's */
    const double *H;        /* k x n: its embedding, columns of unit length */
    const of_cs_given *given;
    const of_cs_watch *watch;
    of_cs_runner *runs; /* restarts */
    size_t restarts;
    int pieces;       /* whole restarts are the pieces of work */
    int spread;       /* and each process works some of them */
    of_cs_pass *pass; /* one, or one per worker when they are */
} of_cs_solver;

/* ---- longer steps, and the end of a run (os_lfmvc_cs_leap.c) --------------------------------- */

/* After the W- and beta-step of an iteration from 1 on: W and beta go on as far again as this
 * iteration has taken them, run->leapt then being set; what undoing it needs is kept. */
onefold_status of_cs_leap(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run,
                          size_t iteration);

/* Undoes the leap and the pass that followed, but for the labels, P and C, which the plain step
 * then makes again. */
void of_cs_leap_back(const of_cs_sizes *sizes, of_cs_runner *run);

/* Whether a run that has so many iterations behind it is done, by options->stop. */
int of_cs_has_settled(const of_cs_solver *s, const of_cs_runner *run, size_t iterations);

/* Iterations from + 1 .. to of `count` runs that share the passes of `pass`; a run that settles is
 * left as it is. The order of `live` may change (os_lfmvc_cs_iterate.c). */
onefold_status of_cs_iterate(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live, size_t count,
                             size_t from, size_t to);

/* Its parts for one run: W, beta, P and C; and after the pass, what has come of it. */
onefold_status of_cs_small_steps(of_cs_solver *s, of_cs_runner *run, size_t iteration);
void of_cs_look(const of_cs_solver *s, of_cs_runner *run, size_t iteration);

/* The same in two groups of runs where a card makes the passes: the small steps of one group beside
 * the pass of the other (os_lfmvc_cs_turns.c). Every run comes to the same bits. */
int of_cs_takes_turns(const of_cs_solver *s, size_t count);
onefold_status of_cs_iterate_in_turns(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live,
                                      size_t count, size_t from, size_t to);

/* Runs every restart from its start to its end. */
onefold_status of_cs_run_restarts(of_cs_solver *s, of_arena *scratch);

/* Whether whole restarts are the pieces of work, not tiles: where X has at most so many bytes. */
enum { OF_CS_SHARED_CACHE = 32 << 20 };
int of_cs_restarts_are_pieces(const of_cs_sizes *sizes, size_t restarts, size_t cache);

/* ---- restarts over processes (os_lfmvc_cs_spread.c) ------------------------------------------ */

/* Whether restarts are shared out: where all processes have the same problem, whole. */
int of_cs_spreads(of_context *context, size_t n, size_t restarts);

/* Which of `count` live runs are this process's, and what has come of all of them to all. */
of_range of_cs_spread_own(const of_cs_solver *s, size_t count);
onefold_status of_cs_spread_exchange(of_cs_solver *s, of_cs_runner **live, size_t count);

/* ---- large n (os_lfmvc_cs_large.c) ---------------------------------------------------------- */

/* Whether the starts compete on a sample first, and how large that is; by n alone. From where the
 * sample is half of n on: later, twice the samples would take less time. */
int of_cs_races(size_t n);
size_t of_cs_sample_size(size_t n);
size_t of_cs_sample_at(size_t n, size_t count, size_t i); /* sample i of the `count` */

/* The label of each of X's samples: the first largest entry of direction (mu x X's rows) times x.
 */
onefold_status of_cs_label(of_context *context, const of_stack *X, size_t mu,
                           const double *direction, int32_t *labels);

/* of_cs_solve where n is large. */
onefold_status of_cs_solve_large(of_context *context, of_arena *arena, const of_cs_problem *problem,
                                 of_cs_result *result);

#endif
