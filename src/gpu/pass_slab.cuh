/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass by tensor cores where its result fits the registers of one warp (at most 64 rows and 32
 * scores): each of a block's four warps has 32 samples of a tile to itself, a slab of shared memory
 * that is filled while the one before is worked, and needs no other warp. Scores stay in registers
 * between the two products: thread 4 g + t gets those of rows g, g + 8, ... of samples 8 t .. 8 t +
 * 7 from the first, and that is what the second wants of it, if step v of it takes samples 8 t + v
 * and 8 t + 4 + v. Sums are over 32 samples of four tiles, then added up over the warps, then in
 * double.
 */
#ifndef OF_GPU_PASS_SLAB_CUH
#define OF_GPU_PASS_SLAB_CUH

#include "gpu/async.cuh"
#include "gpu/pass_tensor.cuh"

/* Rows of 36 numbers: eight threads that load four numbers each meet at no bank, neither along
 * samples (the first product) nor along rows (the second). */
enum { SLAB = 32, SLAB_PITCH = SLAB + 4, SLAB_TILES = 4 };

/* Rows of X and scores, in tiles of 16 and of 8. */
template <int R, int C> struct Slabs {
    enum {
        STEPS = 2 * R,
        FLOATS = 16 * R * SLAB_PITCH,
        MATRIX = STEPS * (C / 2) * LEFT,  /* words of M, split */
        OWN = (R * C + WARPS - 1) / WARPS /* tiles of the result that a warp adds up */
    };
    static size_t bytes(size_t mu)
    {
        return (2 * WARPS * FLOATS + MATRIX + mu + 1) * sizeof(float);
    }
};

template <int R> __device__ inline void fetch_slab(const float *from, int rows, float *slab)
{
    int lane = threadIdx.x % 32;
    from += threadIdx.x / 32 * SLAB + lane % 8 * 4;
    slab += lane % 8 * 4;
#pragma unroll
    for (int i = 0; i < 4 * R; i++) {
        int row = i * 4 + lane / 8;
        if (row < rows)
            copy_four_async(slab + row * SLAB_PITCH, from + row * TILE);
    }
}

/* Rows beyond the last, which products run over. */
template <int R> __device__ inline void clear_rest(int rows, float *slab)
{
    for (int e = rows * SLAB_PITCH + threadIdx.x % 32; e < 16 * R * SLAB_PITCH; e += 32)
        slab[e] = 0;
}

/* z[u][v]: scores of tile u of 16 with samples v, 4 + v, 8 + v, ... */
template <int R, int C>
__device__ inline void score_slab(const uint32_t *ms, const float *slab, float z[C / 2][4][4])
{
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int u = 0; u < C / 2; u++)
#pragma unroll
        for (int v = 0; v < 4; v++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                z[u][v][e] = 0;
#pragma unroll
    for (int step = 0; step < 2 * R; step++) {
        const float *at = slab + (step * 8 + 2 * t) * SLAB_PITCH + 4 * g;
        Four<float> even = load_four(at), odd = load_four(at + SLAB_PITCH);
        Right b[4];
#pragma unroll
        for (int v = 0; v < 4; v++)
            b[v] = split_right(even.v[v], odd.v[v]);
#pragma unroll
        for (int u = 0; u < C / 2; u++)
            multiply_splits<4>(load_near(ms + (u * 2 * R + step) * LEFT + lane * 4), b, z[u]);
    }
}

/* What is known of a sample from some of its scores. */
struct Sight {
    float square, best;
    int label; /* and 256 where a score is not 0 */
};
__device__ inline Sight see(Sight a, Sight b)
{
    int other = b.best > a.best || (b.best == a.best && (b.label & 255) < (a.label & 255));
    return Sight{a.square + b.square, other ? b.best : a.best,
                 (other ? b.label : a.label) | ((a.label | b.label) & 256)};
}
/* Of two samples a thread keeps one, and hands what it knows of the other to its neighbour. */
__device__ inline Sight trade(Sight a, Sight b, int bit)
{
    int odd = threadIdx.x % 32 & bit;
    Sight kept = odd ? b : a, given = odd ? a : b;
    Sight got = {shuffle(given.square, bit), shuffle(given.best, bit), shuffle(given.label, bit)};
    return see(kept, got);
}

/* Scores of the warp's samples become s and the label's 1. Thread 4 g + t comes to know all of
 * sample 8 t + g, of which `before` is the label so far; returns its label. */
template <int C>
__device__ inline int settle_slab(const Task &task, float z[C / 2][4][4], int before, int largest)
{
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    Sight sight[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        sight[i] = Sight{0, -INFINITY, 255};
#pragma unroll
        for (int j = 0; j < C; j++) {
            float s = z[j / 2][i % 4][i / 4 + j % 2 * 2], own = j * 8 + g < task.m ? s : 0;
            int c = j * 8 + g - task.m, scored = c >= 0 && c < task.mu;
            sight[i].square += own * own;
            if (scored && s > sight[i].best) {
                sight[i].best = s;
                sight[i].label = c | (sight[i].label & 256);
            }
            sight[i].label |= scored && s != 0 ? 256 : 0;
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        sight[i] = trade(sight[2 * i], sight[2 * i + 1], 4);
#pragma unroll
    for (int i = 0; i < 2; i++)
        sight[i] = trade(sight[2 * i], sight[2 * i + 1], 8);
    sight[0] = trade(sight[0], sight[1], 16);
    int label = sight[0].label & 255, zero = !(sight[0].label & 256);
    label = task.keep_labels ? before : zero ? largest : label < task.mu ? label : 0;
    float scale = sight[0].square > 0 ? 1 / sqrtf(sight[0].square) : 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int its = of_lane(label, i * 4 + t);
        float by = of_lane(scale, i * 4 + t);
#pragma unroll
        for (int j = 0; j < C; j++) {
            float *s = &z[j / 2][i % 4][i / 4 + j % 2 * 2];
            *s = j * 8 + g < task.m ? *s * by : (float)(j * 8 + g == task.m + its);
        }
    }
    return label;
}

/* sum += x z' over the warp's samples. */
template <int R, int C>
__device__ inline void add_slab(const float *slab, const float z[C / 2][4][4], float sum[R][C][4])
{
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    Right b[4][C];
#pragma unroll
    for (int v = 0; v < 4; v++)
#pragma unroll
        for (int j = 0; j < C; j++)
            b[v][j] = split_right(z[j / 2][v][j % 2 * 2], z[j / 2][v][j % 2 * 2 + 1]);
#pragma unroll
    for (int i = 0; i < R; i++) {
        const float *at = slab + (i * 16 + g) * SLAB_PITCH + 8 * t, *below = at + 8 * SLAB_PITCH;
        Four<float> x0 = load_four(at), x1 = load_four(below), x2 = load_four(at + 4),
                    x3 = load_four(below + 4);
#pragma unroll
        for (int v = 0; v < 4; v++)
            multiply_splits<C>(split_left(x0.v[v], x1.v[v], x2.v[v], x3.v[v]), b[v], sum[i]);
    }
}

/* The four warps' sums, through the slabs that they have just worked, into the block's: warp w has
 * tiles w, w + 4, ... of it. Sums begin again at zero. */
template <int R, int C>
__device__ inline void gather_sums(float *slabs, float sum[R][C][4],
                                   double total[Slabs<R, C>::OWN][4])
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float *own = slabs + warp * Slabs<R, C>::FLOATS + lane * 4;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < R * C; i++) {
        float *s = sum[i / C][i % C];
        store_four(own + i * TILE, Four<float>{{s[0], s[1], s[2], s[3]}});
        s[0] = s[1] = s[2] = s[3] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Slabs<R, C>::OWN; i++) {
        int tile = warp + i * WARPS;
        if (tile >= R * C)
            break;
        Four<float> part[WARPS];
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            part[w] = load_four(slabs + w * Slabs<R, C>::FLOATS + tile * TILE + lane * 4);
#pragma unroll
        for (int e = 0; e < 4; e++)
            total[i][e] += (double)((part[0].v[e] + part[1].v[e]) + (part[2].v[e] + part[3].v[e]));
    }
    __syncthreads();
}

/* The block's sums into its chunk's. */
template <int R, int C>
__device__ inline void store_sums(const Task &task, const double total[Slabs<R, C>::OWN][4],
                                  double *out)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < Slabs<R, C>::OWN; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int tile = warp + i * WARPS, r = tile / C * 16 + lane / 4 + e / 2 * 8,
                c = tile % C * 8 + lane % 4 * 2 + e % 2;
            if (tile < R * C && r < (int)task.pk && c < task.q)
                out[r + c * task.pk] = total[i][e];
        }
}

/* Block (chunk, run), as `fused` (pass_fused.cuh). Two blocks a multiprocessor, and so many
 * registers: with more blocks, three slabs a warp or a loop over steps it is slower. */
template <int R, int C>
__global__ void __launch_bounds__(TENSOR_THREADS, 2)
    slab(Task task, const float *x, const uint32_t *split_M, const int *largest,
         int32_t *const *labels, double *partial, unsigned long long *counts)
{
    typedef Slabs<R, C> Z;
    OF_SHARED(float, slabs);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = (int)task.pk, since = 0;
    uint32_t *ms = (uint32_t *)(slabs + 2 * WARPS * Z::FLOATS);
    int *found = (int *)(ms + Z::MATRIX); /* mu + 1 */
    float *now = slabs, *next = slabs + WARPS * Z::FLOATS;
    size_t run = blockIdx.y, chunk = task.first + blockIdx.x, begin = chunk * task.chunk,
           end = begin + task.chunk < task.tiles ? begin + task.chunk : task.tiles;
    double total[Z::OWN][4] = {{0}};
    float sum[R][C][4] = {{{0}}};
    for (int e = threadIdx.x; e <= task.mu; e += TENSOR_THREADS)
        found[e] = 0;
    for (int e = threadIdx.x; e < Z::MATRIX; e += TENSOR_THREADS)
        ms[e] = split_M[run * Z::MATRIX + e];
    clear_rest<R>(rows, now + warp * Z::FLOATS);
    clear_rest<R>(rows, next + warp * Z::FLOATS);
    fetch_slab<R>(x + begin * task.pk * TILE, rows, now + warp * Z::FLOATS);
    commit_copies();
    int large = largest[run];
    __syncthreads();
    for (size_t tile = begin; tile < end; tile++) {
        float *own = now + warp * Z::FLOATS, z[C / 2][4][4];
        size_t j = tile * TILE + warp * SLAB + lane % 4 * 8 + lane / 4;
        int before = j < task.samples ? labels[run][j] : 0;
        wait_for_copies<0>();
        __syncwarp(); /* and all threads of the warp are done with the other slab */
        if (tile + 1 < end)
            fetch_slab<R>(x + (tile + 1) * task.pk * TILE, rows, next + warp * Z::FLOATS);
        commit_copies();
        score_slab<R, C>(ms, own, z);
        int label = settle_slab<C>(task, z, before, large);
        if (j < task.samples)
            count_label(task, label, before, &labels[run][j], found);
        add_slab<R, C>(own, z, sum);
        if (++since == SLAB_TILES || tile + 1 == end) {
            gather_sums<R, C>(now, sum, total);
            clear_rest<R>(rows, own);
            since = 0;
        }
        float *other = now;
        now = next;
        next = other;
    }
    wait_for_copies<0>();
    store_sums<R, C>(task, total, partial + (chunk * gridDim.y + run) * task.pk * task.q);
    __syncthreads();
    for (int e = threadIdx.x; e <= task.mu; e += TENSOR_THREADS)
        atomicAdd(&counts[run * (task.mu + 1) + e], (unsigned long long)found[e]);
}

#endif
