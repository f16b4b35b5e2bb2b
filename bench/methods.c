/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times the iterations of RMSC, FMR and LSGMC on a file (argument 1; threads: argument 2) at their
 * defaults, by part, against the same matrix products alone: those of the same shapes, as often, on
 * the same threads. Prints one JSON object.
 */
#include "base/context.h"
#include "base/random.h"
#include "data/dataset.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "model/fit.h"
#include "peers/common.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ITERATIONS = 600, MOST_VIEWS = 64 };

/* What is needed to do a run's products again. */
typedef struct run {
    size_t n, views, iterations;
    size_t rows[MOST_VIEWS];        /* of each view's features */
    size_t inner[MOST_VIEWS];       /* rank of each view's features */
    size_t before[MOST_ITERATIONS]; /* rank that the iteration began with */
    size_t after[MOST_ITERATIONS];  /* rank that it ended with */
    int rotated[MOST_ITERATIONS];   /* LSGMC: rotations were in use */
    size_t latent, width;           /* FMR */
    double start, steps;            /* seconds */
    double vectors; /* seconds of finding singular vectors; 0: not counted separately */
} run;

static double *room[3]; /* operands and result of any product below */

static void must(onefold_status status)
{
    if (status != ONEFOLD_OK) {
        fprintf(stderr, "bench_methods: %s\n", onefold_last_error());
        exit(1);
    }
}

static void product(of_context *context, char op, size_t rows, size_t columns, size_t inner)
{
    if (rows && columns && inner)
        must(of_team_gemm(context, op, 'N', rows, columns, inner, 1, room[0],
                          op == 'T' ? inner : rows, room[1], inner, 0, room[2], rows));
}

static void gram(of_context *context, size_t side, size_t inner)
{
    must(of_team_syrk(context, 'N', side, inner, 1, room[0], side, 0, room[2], side));
}

/* One of the two rotations: its image, its turn of Q and of QT. */
static void lsgmc_rotation(of_context *context, size_t n, size_t rank)
{
    product(context, 'N', n, rank, n);
    product(context, 'T', 2 * rank, n, n);
    product(context, 'N', n, n, 2 * rank);
    product(context, 'T', 2 * rank, rank, n);
    product(context, 'N', n, rank, 2 * rank);
}

static double lsgmc_products(of_context *context, const run *r)
{
    double began = of_clock_seconds();
    for (size_t t = 0; t < r->iterations; t++) {
        for (size_t v = 0; v < r->views; v++) {
            for (int side = 0; side < 2 && r->before[t]; side++)
                lsgmc_rotation(context, r->n, r->before[t]);
            product(context, 'N', r->n, r->n, r->before[t]); /* L C R' in the target */
            product(context, 'T', r->inner[v], r->n, r->n);
            product(context, 'N', r->n, r->n, r->inner[v]);
            for (int side = 0; side < 2 && r->rotated[t]; side++)
                product(context, 'N', r->n, r->n, r->n);
            product(context, 'N', r->n, 2 * r->after[t],
                    r->n); /* the core rotated, and taken off */
            product(context, 'N', r->n, r->n, r->after[t]);
        }
        gram(context, r->n, r->n);
        product(context, 'N', r->n, r->n, r->after[t]);
    }
    return of_clock_seconds() - began;
}

static double fmr_products(of_context *context, const run *r)
{
    double began = of_clock_seconds();
    size_t n = r->n, k = r->width;
    for (size_t t = 0; t < r->iterations; t++) {
        size_t rank = r->after[t];
        gram(context, k, n);
        if (rank) {
            gram(context, k, rank);
            product(context, 'N', k, n, k);
        }
        if (rank && k < n) {
            product(context, 'T', n, rank, k);
            product(context, 'T', k, rank, n);
            product(context, 'N', n, rank, k);
            product(context, 'T', r->before[t], rank, n);
            product(context, 'N', n, rank, r->before[t]);
        }
        product(context, 'T', k, n, r->latent);
        product(context, 'N', r->latent, n, k);
    }
    return of_clock_seconds() - began;
}

/* Thresholding alone: the Gram matrix, and what is left of the matrix from its vectors. */
static double rmsc_products(of_context *context, const run *r)
{
    double began = of_clock_seconds();
    for (size_t t = 0; t < r->iterations; t++) {
        size_t n = r->n, rank = r->after[t];
        int thin = 2 * rank <= n;
        gram(context, n, n);
        product(context, 'N', n, thin ? rank : n, thin ? n : rank);
        product(context, 'N', n, n, thin ? rank : n);
    }
    return of_clock_seconds() - began;
}

/* The singular vectors are found once more, of the P of each iteration at its own cut, to tell
 * their part of the time. */
static void run_rmsc(of_context *context, const of_dataset *dataset, run *r)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    of_fit_plan plan;
    double **kernel;
    OF_SCRATCH(scratch, context);
    options.method = "rmsc";
    options.clusters = dataset->class_count;
    double began = of_clock_seconds();
    must(of_fit_plan_make(context, &scratch, dataset, &options, &plan));
    must(of_kernels_load(context, &scratch, &plan.problem, OF_RAW, &kernel));
    for (size_t i = 0; i < r->views; i++)
        must(of_rmsc_transition(context, r->n, kernel[i]));
    of_rmsc state = {.now.context = context, /* and the method's defaults */
                     .samples = r->n,
                     .views = r->views,
                     .transition = kernel,
                     .lambda = 0.005,
                     .penalty = 1e-3,
                     .growth = 1.9,
                     .tolerance = 1e-6};
    must(of_rmsc_start(&scratch, &state));
    r->start = of_clock_seconds() - began;
    r->steps = 0;
    for (r->iterations = 0; !state.now.converged && r->iterations < 300; r->iterations++) {
        OF_SCRATCH(again, context);
        of_spectrum spectrum;
        double cut = 1 / state.penalty;
        began = of_clock_seconds();
        must(of_rmsc_step(&state));
        r->after[r->iterations] = state.rank;
        r->steps += of_clock_seconds() - began;
        began = of_clock_seconds();
        must(of_spectrum_above(context, &again, r->n, r->n, state.p, cut, 0, &spectrum));
        r->vectors += of_clock_seconds() - began;
    }
}

static void run_lsgmc(of_context *context, const of_dataset *dataset, run *r)
{
    of_lsgmc l = OF_LSGMC_INIT;
    double began = of_clock_seconds();
    must(of_lsgmc_start(&l, context, dataset));
    r->start = of_clock_seconds() - began;
    for (size_t v = 0; v < r->views; v++)
        r->inner[v] = l.views[v].features.rank;
    began = of_clock_seconds();
    while (!l.now.converged && l.now.iteration < 30) { /* the method's default */
        r->before[l.now.iteration] = l.spectrum.rank;
        r->rotated[l.now.iteration] = l.rotated;
        must(of_lsgmc_step(&l));
        r->after[l.now.iteration - 1] = l.spectrum.rank;
    }
    r->steps = of_clock_seconds() - began;
    r->iterations = l.now.iteration;
    of_lsgmc_end(&l);
}

static void run_fmr(of_context *context, const of_dataset *dataset, run *r)
{
    enum { LATENT = 200 };
    of_fmr f = OF_FMR_INIT;
    double *latent = malloc(LATENT * r->n * sizeof *latent);
    of_random random = of_random_make(0, OF_PURPOSE_FMR_START, 0);
    for (size_t i = 0; i < LATENT * r->n; i++)
        latent[i] = of_random_uniform(&random);
    double began = of_clock_seconds();
    must(of_fmr_start(&f, context, dataset, LATENT, latent));
    must(of_fmr_step(&f)); /* with the growth of the latent representation */
    r->start = of_clock_seconds() - began;
    r->latent = LATENT;
    r->width = f.width;
    began = of_clock_seconds();
    for (r->iterations = 0; !f.now.converged && f.now.iteration < 500; r->iterations++) {
        r->before[r->iterations] = f.rank;
        must(of_fmr_step(&f));
        r->after[r->iterations] = f.rank;
    }
    r->steps = of_clock_seconds() - began;
    of_fmr_end(&f);
    free(latent);
}

static void say(const char *name, const run *r, double products, int last)
{
    printf("\"%s\": {\"iterations\": %zu, \"start\": %.3f, \"steps\": %.3f, \"products\": %.3f, "
           "\"vectors\": %.3f, \"ratio\": %.3f}%s",
           name, r->iterations, r->start, r->steps, products, r->vectors, r->steps / products,
           last ? "}\n" : ", ");
}

int main(int count, char **arguments)
{
    onefold_context *context;
    onefold_dataset *dataset;
    if (count < 2) {
        fprintf(stderr, "usage: bench_methods FILE [THREADS]\n");
        return 2;
    }
    const char *path = arguments[1];
    must(onefold_context_create(&context, NULL));
    must(onefold_context_set_threads(context, count > 2 ? atoi(arguments[2]) : 0));
    must(onefold_dataset_read(&dataset, context, &path, 1, NULL));
    of_blas_enter();
    const of_dataset *set = &dataset->set;
    run r = {.n = set->samples, .views = set->view_count};
    if (r.views > MOST_VIEWS)
        return 2;
    for (size_t v = 0; v < r.views; v++)
        r.rows[v] = set->views[v].columns;
    for (int i = 0; i < 3; i++)
        room[i] = calloc(2 * r.n * r.n + 400 * r.n, sizeof(double));
    for (size_t i = 0; i < 2 * r.n * r.n; i++)
        room[0][i] = room[1][i] = 1 / (1 + (double)(i % 97));
    printf("{\"samples\": %zu, \"views\": %zu, ", r.n, r.views);
    run_rmsc(context, set, &r);
    say("rmsc", &r, rmsc_products(context, &r), 0);
    r.vectors = 0;
    run_lsgmc(context, set, &r);
    say("lsgmc", &r, lsgmc_products(context, &r), 0);
    run_fmr(context, set, &r);
    say("fmr", &r, fmr_products(context, &r), 1);
    for (int i = 0; i < 3; i++)
        free(room[i]);
    onefold_dataset_free(dataset);
    onefold_context_free(context);
    return 0;
}
