/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing labels, matrices and data sets, in the format of the path's ending. Every file appears
 * whole or not at all. The same input gives the same bytes: no dates are written.
 */
#ifndef OF_IO_WRITE_H
#define OF_IO_WRITE_H

#include "base/context.h"
#include "io/label_file.h"

/* One label per sample: .npy (int32, 1-D), .csv and .txt (a label a line, no header), .mat
 * (variable `labels`, samples x 1). */
onefold_status of_write_labels(of_context *context, const char *path, const int32_t *labels,
                               size_t samples);

/* Refuses a path whose ending names no format for labels with what is known of their samples. */
onefold_status of_write_label_format(const char *path);

/* A matrix whose row i is values[i * ld .. i * ld + columns): .npy (float64), .csv and .txt (a row
 * a line, no header, digits that read back to the same number), .mat (variable `X`). An embedding
 * with a sample contiguous becomes a file with a row per sample. */
onefold_status of_write_matrix(of_context *context, const char *path, const double *values,
                               size_t rows, size_t columns, size_t ld);

#endif
