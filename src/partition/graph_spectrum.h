/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spectrum of a landmark graph Z (samples x landmarks, rows that sum to 1, or are empty for
 * samples that the graph does not know). With d = Z'1 and Zs = Z diag(d)^(-1/2), the kernel is
 * K = Zs Zs' = Z diag(d)^-1 Z': a walk from sample to landmark and back. Its first eigenvector is
 * the constant, with eigenvalue 1, which is taken out; the next ones are the partition. They are
 * found on the landmarks' side, from Zs'Zs - u u' with u = sqrt(d / samples), so that the constant
 * is taken out exactly even where the graph falls apart and 1 is a multiple eigenvalue.
 */
#ifndef OF_PARTITION_GRAPH_SPECTRUM_H
#define OF_PARTITION_GRAPH_SPECTRUM_H

#include "kernel/kernel.h"
#include "linalg/sparse.h"

typedef struct of_graph_spectrum {
    size_t rank;          /* rows that are not zero */
    double residual;      /* largest ||G v - lambda v|| / lambda_1 on the landmarks' side */
    double *value;        /* rows: eigenvalues, descending, zero beyond the rank */
    const double *weight; /* rank x landmarks: a sample with ties z has h = weight z */
    const double *degree; /* landmarks: d */
} of_graph_spectrum;

/* H (rows x samples, leading dimension ldh) and the spectrum, whose arrays are from `arena`. Signs:
 * the entry of largest modulus of each row is positive. Where samples are split over processes,
 * each is given the whole graph, and has all of H. */
onefold_status of_graph_spectrum_make(of_context *context, of_arena *arena, const of_sparse *graph,
                                      size_t rows, double tolerance, double *H, size_t ldh,
                                      of_graph_spectrum *spectrum);

/* The graphs of several views side by side: a row is the weighted mean of the rows of those that
 * know the sample. Column numbers of graph i follow those of graph i - 1. */
onefold_status of_graph_join(of_arena *arena, size_t count, const of_sparse *graphs,
                             const double *weights, of_sparse *joint);

/* Scratch bytes of the spectrum of a graph with so many entries. */
size_t of_graph_spectrum_bytes(of_context *context, size_t samples, size_t landmarks,
                               size_t entries, size_t rows);

/* K - 11'/samples (samples x samples, leading dimension ldm); rows the graph does not know are 0.
 */
onefold_status of_graph_matrix(of_context *context, const of_sparse *graph, double *matrix,
                               size_t ldm);

#endif
