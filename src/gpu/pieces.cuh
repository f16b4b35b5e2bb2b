/* SPDX-License-Identifier: Apache-2.0 */
/* All samples of a stack piece by piece, and what is read off one sample's scores. */
#ifndef OF_GPU_PIECES_CUH
#define OF_GPU_PIECES_CUH

#include "gpu/device.cuh"

/* method/confidence.c; the q scores lie TILE apart. */
__device__ inline double confidence_of(const double *own, size_t q)
{
    double best = -INFINITY, second = -INFINITY, largest = 0, square = 0;
    for (size_t c = 0; c < q; c++) {
        double s = own[c * TILE];
        second = s > best ? best : s > second ? s : second;
        best = s > best ? s : best;
        largest = fabs(s) > largest ? fabs(s) : largest;
    }
    for (size_t c = 0; largest > 0 && c < q; c++)
        square += own[c * TILE] / largest * (own[c * TILE] / largest);
    double margin = (best / largest - second / largest) / sqrt(square);
    return !(largest > 0) ? 0 : q == 1 ? 1 : margin < 1 ? margin : 1;
}

/* Tiles from `tile` on. */
static inline Blocked from_tile(const of_device_stack *X, size_t tile)
{
    Blocked part = blocked(X);
    part.data = (const char *)X->data +
                tile * TILE * X->rows * (X->doubles ? sizeof(double) : sizeof(float));
    return part;
}

/* The pieces in which all samples are worked. */
struct Piece {
    size_t tile, tiles, first, count;
};
static inline int next_piece(const of_device_stack *X, size_t most, Piece *piece)
{
    piece->tile += piece->tiles;
    piece->first = piece->tile * TILE;
    if (piece->first >= X->samples)
        return 0;
    size_t left = tiles_of(X->samples) - piece->tile, samples = X->samples - piece->first;
    piece->tiles = left < most ? left : most;
    piece->count = samples < piece->tiles * TILE ? samples : piece->tiles * TILE;
    return 1;
}

#endif
