/* SPDX-License-Identifier: Apache-2.0 */
/* All samples of a stack piece by piece, and what is read off one sample's scores. */
#ifndef OF_GPU_PIECES_CUH
#define OF_GPU_PIECES_CUH

#include "gpu/windows.cuh"

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

/* The pieces in which all samples are worked: windows, and parts of them. */
struct Piece {
    Windows windows;
    size_t most, done; /* tiles of a piece at the most; of the window before this piece */
    size_t tile, tiles, first, count;
    Blocked part; /* its tiles; tiles is 0 after the last */
};
static inline int first_piece(of_device_stack *X, size_t most, Piece *piece)
{
    *piece = Piece();
    piece->most = most;
    return of_gpu_windows(X, 1, &piece->windows);
}
static inline int next_piece(Piece *piece)
{
    Windows *w = &piece->windows;
    piece->done += piece->tiles;
    if (piece->done == w->tiles) {
        GPU_TRY(of_gpu_next_window(w));
        piece->done = 0;
    }
    size_t left = w->tiles - piece->done;
    piece->tile = w->tile + piece->done;
    piece->tiles = left < piece->most ? left : piece->most;
    piece->first = piece->tile * TILE;
    if (!piece->tiles)
        return OF_DEVICE_OK;
    size_t samples = w->X->samples - piece->first;
    piece->count = samples < piece->tiles * TILE ? samples : piece->tiles * TILE;
    piece->part = window_of(*w);
    piece->part.data = w->data + piece->done * tile_bytes(w->X);
    return OF_DEVICE_OK;
}

#endif
