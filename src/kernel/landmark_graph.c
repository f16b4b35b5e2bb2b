/* SPDX-License-Identifier: Apache-2.0 */
/* Landmarks of dense or sparse features, distances to them, and the ties of every sample. */
#include "kernel/landmark_graph.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/kmeans.h"
#include "linalg/simd.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define OF_WHOLE __attribute__((target("avx512f,avx512vnni"))) /* has integer products */
#endif

/* Landmarks come from at most twenty drawn samples each, by few steps of k-means: they are to cover
 * the samples, not to cluster them. */
enum { SAMPLES_EACH = 20, STEPS = 2, AT_ONCE = 64, TILE = 512 << 10 };

/* A search of dense landmarks takes STRIP samples at a time. A step of its products has LANES
 * samples and TOGETHER landmarks. It finds the least of each of up to BLOCKS blocks of landmarks,
 * and lists LISTED landmarks at a time. Up to FEW numbers are sorted without branches, for BESIDE
 * samples at once. */
enum { STRIP = 64, LANES = 16, TOGETHER = 8, BLOCKS = 64, LISTED = 64, FEW = 16, BESIDE = 8 };

/*
 * Landmarks of sparse features: a few steps of spherical k-means from drawn samples. Centres are
 * kept as lists of the landmarks that have each column, so the products of a sample with all of
 * them cost only the entries that they have in common.
 */

static int rising(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

typedef struct assign_task {
    const of_sparse *rows, *lists;
    size_t count;
    double *product; /* per worker: count */
    uint32_t *label;
} assign_task;

/* The centre of the largest product, the first among equals. */
static onefold_status assign_some(void *opaque, size_t piece)
{
    assign_task *task = opaque;
    const of_sparse *rows = task->rows;
    double *product = task->product + of_team_worker() * task->count;
    size_t end = of_size_least((piece + 1) * AT_ONCE, rows->rows);
    for (size_t j = piece * AT_ONCE; j < end; j++) {
        size_t best = 0;
        memset(product, 0, task->count * sizeof *product);
        of_sparse_gram_row(rows, task->lists, j, product);
        for (size_t l = 1; l < task->count; l++)
            best = product[l] > product[best] ? l : best;
        task->label[j] = (uint32_t)best;
    }
    return ONEFOLD_OK;
}

/* The mean direction of rows, of length 1, with entries in rising order. Returns their number.
 * `spread` (columns) is zero before and after. */
static size_t mean_row(const of_sparse *rows, const uint32_t *member, size_t members,
                       double *spread, uint32_t *index, double *value)
{
    size_t listed = 0, entries = 0;
    double square = 0;
    for (size_t i = 0; i < members; i++)
        for (size_t e = rows->start[member[i]]; e < rows->start[member[i] + 1]; e++) {
            if (spread[rows->index[e]] == 0) /* a new column, or one whose sum is 0 by now */
                index[listed++] = rows->index[e];
            spread[rows->index[e]] += rows->value[e];
        }
    qsort(index, listed, sizeof *index, rising);
    for (size_t i = 0; i < listed; i++)
        if (i == 0 || index[i] != index[entries - 1])
            index[entries++] = index[i];
    for (size_t e = 0; e < entries; e++)
        square += spread[index[e]] * spread[index[e]];
    for (size_t e = 0; e < entries; e++) {
        value[e] = square > 0 ? spread[index[e]] / sqrt(square) : 0;
        spread[index[e]] = 0;
    }
    return entries;
}

/* New centres from labels; one without samples does not move. */
static onefold_status move_centres(of_context *context, of_arena *arena, const of_sparse *rows,
                                   const uint32_t *label, const of_sparse *old, of_sparse *centres)
{
    OF_SCRATCH(scratch, context);
    size_t count = old->rows, most = of_sparse_entries(rows) + of_sparse_entries(old), *from;
    uint32_t *member;
    double *spread;
    of_entries to;
    OF_TRY(OF_NEW_ZERO(&scratch, &from, count + 2, 1));
    OF_TRY(OF_NEW(&scratch, &member, rows->rows, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &spread, rows->columns, 1));
    OF_TRY(of_sparse_make(arena, count, rows->columns, most, centres, &to));
    if (of_counts(context)) /* the entries of all samples, where every centre has samples */
        to.start[count] = of_sparse_entries(rows);
    OF_COUNTED(context);
    /* samples sorted by centre */
    for (size_t j = 0; j < rows->rows; j++)
        from[label[j] + 2]++;
    for (size_t l = 0; l < count; l++)
        from[l + 2] += from[l + 1];
    for (size_t j = 0; j < rows->rows; j++)
        member[from[label[j] + 1]++] = (uint32_t)j;
    to.start[0] = 0;
    for (size_t l = 0; l < count; l++) {
        size_t at = to.start[l], members = from[l + 1] - from[l], own;
        if (members) {
            own = mean_row(rows, member + from[l], members, spread, to.index + at, to.value + at);
        } else {
            own = old->start[l + 1] - old->start[l];
            memcpy(to.index + at, old->index + old->start[l], own * sizeof *to.index);
            memcpy(to.value + at, old->value + old->start[l], own * sizeof *to.value);
        }
        to.start[l + 1] = at + own;
    }
    return ONEFOLD_OK;
}

/* Refines `centres` by steps of k-means on `rows`. */
static onefold_status refine(of_context *context, of_arena *arena, const of_sparse *rows,
                             of_sparse *centres)
{
    OF_SCRATCH(scratch, context);
    assign_task task = {.rows = rows, .count = centres->rows};
    OF_TRY(OF_NEW(&scratch, &task.product, (size_t)of_team_size(context), task.count));
    OF_TRY(OF_NEW(&scratch, &task.label, rows->rows, 1));
    for (int step = 0; step < STEPS; step++) {
        OF_SCRATCH(lists_room, context);
        of_sparse lists, moved;
        OF_TRY(of_sparse_transpose(&lists_room, centres, &lists));
        task.lists = &lists;
        OF_TRY(of_team_run(context, (rows->rows + AT_ONCE - 1) / AT_ONCE, assign_some, &task));
        OF_TRY(move_centres(context, arena, rows, task.label, centres, &moved));
        *centres = moved;
    }
    return ONEFOLD_OK;
}

size_t of_landmark_draw(of_random *random, size_t n, size_t count, size_t i)
{
    size_t first = of_part_start(n, count, i);
    return first + of_random_below(random, of_part_start(n, count, i + 1) - first);
}

/* The same, from a stream of its own for each i. */
static size_t draw(uint64_t seed, size_t n, size_t count, size_t i)
{
    of_random random = of_random_make(seed, OF_PURPOSE_LANDMARKS, ((uint64_t)2 << 40) + i);
    return of_landmark_draw(&random, n, count, i);
}

/* The number of samples from which k-means chooses `count` landmarks. */
static size_t drawn_count(size_t n, size_t count)
{
    return count < n / SAMPLES_EACH ? SAMPLES_EACH * count : n;
}

/* The landmarks of sparse features. */
static onefold_status landmark_set_sparse(of_context *context, of_arena *arena,
                                          const of_sparse *features, size_t wanted, uint64_t seed,
                                          of_landmark_set *set)
{
    OF_SCRATCH(scratch, context);
    size_t *sample, *row, n = 0; /* sample: the n samples with entries */
    of_sparse rows, centres;
    OF_TRY(OF_NEW_THERE(&scratch, &sample, features->rows, 1));
    for (size_t j = 0; j < features->rows; j++)
        if (features->start[j + 1] > features->start[j])
            sample[n++] = j;
    size_t count = of_landmark_count(n, wanted), drawn = drawn_count(n, count);
    OF_TRY(OF_NEW_THERE(&scratch, &row, drawn, 1));
    for (size_t i = 0; i < count; i++)
        row[i] = sample[draw(seed, n, count, i)];
    OF_TRY(of_sparse_take_rows(&scratch, features, row, count, &centres));
    if (count < n) {
        for (size_t i = 0; i < drawn; i++)
            row[i] = sample[draw(seed, n, drawn, i)];
        OF_TRY(of_sparse_take_rows(&scratch, features, row, drawn, &rows));
        OF_TRY(refine(context, &scratch, &rows, &centres));
    }
    set->count = count;
    return of_sparse_transpose(arena, &centres, &set->lists);
}

of_landmark_points of_landmark_points_of(const of_kernel *kernel)
{
    return (of_landmark_points){kernel->view->samples, of_kernel_columns(kernel), kernel,
                                of_share_whole(NULL, 0)};
}

size_t of_landmark_count(size_t samples, size_t wanted)
{
    return of_size_least(wanted ? wanted : OF_LANDMARKS_STANDARD, samples);
}

/* Features of samples first .. first+count-1, columns x count packed; `tile` has tile_rows each. */
static void load(const of_landmark_points *points, size_t first, size_t count, double *tile)
{
    if (points->kernel) {
        of_kernel_tile(points->kernel, first, count, tile);
        return;
    }
    for (size_t j = 0; j < count; j++)
        memcpy(tile + j * points->columns, of_share_at(points->at, first + j),
               points->columns * sizeof *tile);
}

static size_t tile_rows(const of_landmark_points *points)
{
    return points->kernel ? of_kernel_tile_rows(points->kernel) : points->columns;
}

typedef struct load_task {
    const of_landmark_points *points;
    const size_t *place;
    size_t count;
    of_range own;
    double *x, *tile; /* tile: per worker */
} load_task;

static onefold_status load_some(void *opaque, size_t piece)
{
    const load_task *task = opaque;
    size_t d = task->points->columns, end = of_size_least((piece + 1) * AT_ONCE, task->count);
    double *tile = task->tile + of_team_worker() * tile_rows(task->points);
    for (size_t i = piece * AT_ONCE; i < end; i++) {
        if (task->place[i] < task->own.first || task->place[i] >= task->own.end)
            continue;
        load(task->points, task->place[i], 1, tile);
        memcpy(task->x + i * d, tile, d * sizeof *task->x);
    }
    return ONEFOLD_OK;
}

onefold_status of_landmark_load(of_context *context, const of_landmark_points *points,
                                const size_t *place, size_t count, double *x)
{
    OF_SCRATCH(scratch, context);
    size_t n = points->samples;
    load_task task = {points, place, count, of_comm_own(context, n), x, NULL};
    OF_TRY(OF_NEW(&scratch, &task.tile, (size_t)of_team_size(context), tile_rows(points)));
    OF_COUNTED(context);
    OF_TRY(of_team_run(context, (count + AT_ONCE - 1) / AT_ONCE, load_some, &task));
    return of_comm_gather_chosen(context, x, points->columns * sizeof *x, n, place, count);
}

/* Every sample, or the centres of a short k-means on some. */
static onefold_status place(of_context *context, const of_landmark_points *points, size_t count,
                            uint64_t seed, double *at)
{
    OF_SCRATCH(scratch, context);
    size_t n = points->samples, d = points->columns, samples = drawn_count(n, count), *drawn;
    double *x = at;
    int32_t *labels;
    if (count < n)
        OF_TRY(OF_NEW(&scratch, &x, d, samples));
    OF_TRY(OF_NEW_THERE(&scratch, &drawn, samples, 1));
    for (size_t i = 0; i < samples; i++)
        drawn[i] = draw(seed, n, samples, i);
    OF_TRY(of_landmark_load(context, points, drawn, samples, x));
    of_arena_release(&scratch, drawn);
    if (count == n)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &labels, samples, 1));
    of_kmeans_options options = {.clusters = count,
                                 .replicates = 1,
                                 .max_iterations = of_kmeans_spread(STEPS, d, samples),
                                 .start = OF_KMEANS_SAMPLES,
                                 .single = 1,
                                 .seed = seed,
                                 .index = (uint64_t)1 << 41};
    return of_kmeans(context, &options, d, samples, x, d, labels, at, NULL);
}

onefold_status of_landmark_set_make(of_context *context, of_arena *arena,
                                    const of_landmark_points *points, size_t count,
                                    size_t neighbours, uint64_t seed, of_landmark_set *set)
{
    double *at;
    *set = (of_landmark_set){
        .columns = points->columns,
        .neighbours = neighbours ? neighbours : OF_NEIGHBOURS_STANDARD,
    };
    if (points->kernel && points->kernel->features.start) {
        OF_TRY(landmark_set_sparse(context, arena, &points->kernel->features, count, seed, set));
    } else {
        set->count = of_landmark_count(points->samples, count);
        OF_TRY(OF_NEW(arena, &at, set->columns, set->count));
        OF_TRY(place(context, points, set->count, seed, at));
        set->at = at;
    }
    if (set->neighbours > set->count)
        set->neighbours = set->count;
    return of_landmark_set_finish(arena, set);
}

void of_landmark_distances_sparse(const of_landmark_set *set, size_t entries, const uint32_t *index,
                                  const double *value, double *distance)
{
    double own = 0;
    for (size_t i = 0; i < set->count; i++)
        distance[i] = 0;
    for (size_t e = 0; e < entries; e++) {
        own += value[e] * value[e];
        for (size_t i = set->lists.start[index[e]]; i < set->lists.start[index[e] + 1]; i++)
            distance[set->lists.index[i]] -= 2 * value[e] * set->lists.value[i];
    }
    for (size_t i = 0; i < set->count; i++)
        distance[i] += own + set->square[i];
}

void of_landmark_find(size_t count, size_t wanted, const double *distance, uint32_t *index,
                      double *nearest)
{
    size_t have = 0;
    for (size_t i = 0; i < count; i++) {
        if (have == wanted && !(distance[i] < nearest[have - 1]))
            continue;
        size_t at = have < wanted ? have++ : have - 1;
        for (; at > 0 && distance[i] < nearest[at - 1]; at--) {
            nearest[at] = nearest[at - 1];
            index[at] = index[at - 1];
        }
        nearest[at] = distance[i];
        index[at] = (uint32_t)i;
    }
}

/* Numbers of BESIDE samples in a vector, and their bits. */
typedef double beside __attribute__((vector_size(BESIDE * sizeof(double)), may_alias));
typedef int64_t beside_bits __attribute__((vector_size(BESIDE * sizeof(double)), may_alias));

/* Moves the `wanted` least of `count` keys of each sample to the front, in rising order, equals in
 * the order they were in, and the numbers `with` them. */
OF_SIMD static void order_beside(size_t count, size_t wanted, beside_bits *key, beside_bits *with)
{
    for (size_t c = 1; c < count; c++) {
        beside_bits next = key[c], own = with[c], less = {0};
        for (size_t i = 0; i < wanted && i < c; i++) {
            less |= (beside)next < (beside)key[i]; /* once less, all later keys are swapped */
            beside_bits keys = (next ^ key[i]) & less, others = (own ^ with[i]) & less;
            key[i] ^= keys;
            with[i] ^= others;
            next ^= keys;
            own ^= others;
        }
        key[c] = next;
        with[c] = own;
    }
}

/* Copies r indices and values of each sample out of vectors, one sample after the other. */
static void unpack(size_t samples, size_t r, const beside *number, const beside *value,
                   uint32_t *index, double *to)
{
    for (size_t j = 0; j < samples; j++)
        for (size_t i = 0; i < r; i++) {
            *index++ = (uint32_t)number[i][j];
            *to++ = value[i][j];
        }
}

/* Sorts the ties of up to BESIDE samples by index. */
static void sort_ties(size_t samples, size_t r, uint32_t *index, double *weight)
{
    beside number[FEW] = {0}, own[FEW] = {0};
    for (size_t j = 0; j < samples; j++)
        for (size_t i = 0; i < r; i++) {
            number[i][j] = index[j * r + i];
            own[i][j] = weight[j * r + i];
        }
    order_beside(r, r, (beside_bits *)number, (beside_bits *)own);
    unpack(samples, r, number, own, index, weight);
}

/* Sorts the many ties of one sample. */
static void sort_many(size_t r, uint32_t *index, double *weight)
{
    for (size_t i = 1; i < r; i++)
        for (size_t j = i; j > 0 && index[j - 1] > index[j]; j--) {
            uint32_t n = index[j];
            double w = weight[j];
            index[j] = index[j - 1];
            weight[j] = weight[j - 1];
            index[j - 1] = n;
            weight[j - 1] = w;
        }
}

OF_SIMD void of_landmark_weigh(size_t samples, size_t r, uint32_t *index, double *weight)
{
    for (size_t j = 0; j < samples; j++) {
        double *own = weight + j * r, far = r && own[r - 1] > 0 ? own[r - 1] : 0;
        for (size_t i = 0; i < r; i++)
            own[i] = far > 0 ? -2 * ((own[i] > 0 ? own[i] : 0) / far) : 0;
    }
    of_exp(samples * r, weight);
    for (size_t j = 0; j < samples; j++) {
        double *own = weight + j * r, sum = 0;
        for (size_t i = 0; i < r; i++)
            sum += own[i];
        for (size_t i = 0; i < r; i++)
            own[i] /= sum;
        if (r > FEW)
            sort_many(r, index + j * r, own);
    }
    for (size_t j = 0; r <= FEW && j < samples; j += BESIDE)
        sort_ties(of_size_least(samples - j, BESIDE), r, index + j * r, weight + j * r);
}

/*
 * The nearest landmarks of dense features: products in low precision select candidates, whose
 * distances are computed in double. The products are in single precision, or of 16-bit integers
 * where the processor has instructions for them, which take half the time.
 */

static int has_whole_products(void)
{
#ifdef OF_WHOLE
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
#else
    return 0;
#endif
}

/* The largest integer on both sides for which a product of d columns fits 32 bits. */
static double largest_whole(size_t d)
{
    return floor(fmin(sqrt((double)INT32_MAX / (double)d), INT16_MAX));
}

#ifdef OF_WHOLE
/* sum += column * z, of pairs of 16-bit integers. In assembly, as GCC copies every sum first. */
#define ADD_PRODUCT(sum, column, z) __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(column), "v"(z))

/* |z|^2 - 2 x'z of samples x and landmarks z, and the least of each block. x and z have pairs of
 * columns in 32 bits, of LANES samples or TOGETHER landmarks in a vector. `factor` is -2 times both
 * steps. */
OF_WHOLE static void multiply_whole(size_t pairs, size_t l, size_t size, size_t count,
                                    const float *square, const uint32_t *z, const uint32_t *x,
                                    const float *factor, float *product, float *block)
{
    for (size_t first = 0; first < l; first += TOGETHER, z += TOGETHER * pairs)
        for (size_t j = 0; j < count; j += 2 * LANES) {
            const uint32_t *left = x + j * pairs, *right = left + LANES * pairs;
            __m512i sum[2 * TOGETHER];
            for (size_t i = 0; i < 2 * TOGETHER; i++)
                sum[i] = _mm512_setzero_si512();
            for (size_t k = 0; k < pairs; k++) {
                __m512i a = _mm512_loadu_si512(left + k * LANES),
                        b = _mm512_loadu_si512(right + k * LANES);
                for (size_t i = 0; i < TOGETHER; i++) {
                    __m512i own = _mm512_set1_epi32((int)z[k * TOGETHER + i]);
                    ADD_PRODUCT(sum[2 * i], a, own);
                    ADD_PRODUCT(sum[2 * i + 1], b, own);
                }
            }
            float *to = product + first * STRIP + j, *most = block + first / size * STRIP + j;
            __m512 scale[2] = {_mm512_loadu_ps(factor + j), _mm512_loadu_ps(factor + j + LANES)},
                   least[2] = {_mm512_set1_ps(INFINITY), _mm512_set1_ps(INFINITY)};
            if (first % size)
                for (size_t i = 0; i < 2; i++)
                    least[i] = _mm512_loadu_ps(most + i * LANES);
            for (size_t i = 0; i < 2 * TOGETHER; i++) {
                __m512 value =
                    _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sum[i]), scale[i % 2]),
                                  _mm512_set1_ps(square[first + i / 2]));
                _mm512_storeu_ps(to + i / 2 * STRIP + i % 2 * LANES, value);
                least[i % 2] = _mm512_min_ps(value, least[i % 2]);
            }
            for (size_t i = 0; i < 2; i++)
                _mm512_storeu_ps(most + i * LANES, least[i]);
        }
}

/* The landmarks up to each sample's bound: the first found[j] of row j of `place` (l x STRIP). */
OF_WHOLE static void list_whole(size_t l, const float *product, const float *bound, size_t *found,
                                uint32_t *place)
{
    uint64_t near[LISTED]; /* of landmarks near any sample: a bit for each sample */
    size_t number[LISTED];
    for (size_t first = 0; first < l; first += LISTED) {
        size_t some = 0;
        for (size_t i = first; i < l && i < first + LISTED; i++) {
            uint64_t bits = 0;
            for (size_t j = 0; j < STRIP; j += LANES)
                bits |= (uint64_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(product + i * STRIP + j),
                                                     _mm512_loadu_ps(bound + j), _CMP_LE_OQ)
                        << j;
            near[some] = bits;
            number[some] = i;
            some += bits != 0;
        }
        for (size_t k = 0; k < some; k++)
            for (uint64_t bits = near[k]; bits; bits &= bits - 1) {
                size_t j = (size_t)__builtin_ctzll(bits);
                place[j * l + found[j]++] = (uint32_t)number[k];
            }
    }
}
#endif

/* The largest modulus. The bits of moduli compare as integers. */
OF_SIMD static double largest_modulus(size_t d, const double *x)
{
    union {
        double modulus;
        int64_t bits;
    } own, most = {0};
    for (size_t i = 0; i < d; i++) {
        own.modulus = fabs(x[i]);
        most.bits = own.bits > most.bits ? own.bits : most.bits;
    }
    return most.modulus;
}

/* Rounds point j, x (d), to integers, and stores its pairs of columns beside those of `lanes`
 * points. Returns the squared length of the integers. */
OF_SIMD static int make_whole(size_t d, size_t j, const double *x, double per_step, size_t lanes,
                              uint32_t *whole)
{
    const double round = 0x1.8p52; /* adding it leaves the nearest integer */
    size_t pairs = (d + 1) / 2;
    uint32_t *to = whole + j / lanes * lanes * pairs + j % lanes;
    int square = 0;
    for (size_t first = 0; first < d; first += AT_ONCE) {
        int16_t number[AT_ONCE] = {0};
        size_t some = of_size_least(d - first, AT_ONCE);
        for (size_t i = 0; i < some; i++)
            number[i] = (int16_t)(x[first + i] * per_step + round - round);
        for (size_t i = 0; i < some; i += 2, to += lanes)
            memcpy(to, number + i, sizeof *to);
        for (size_t i = 0; i < some; i++)
            square += number[i] * number[i];
    }
    return square;
}

/* The least of each block of landmarks. */
OF_SIMD static void find_block_least(size_t l, size_t size, const float *restrict product,
                                     float *restrict block)
{
    for (size_t first = 0; first < l; first += size, block += STRIP) {
        memcpy(block, product + first * STRIP, STRIP * sizeof *block);
        for (size_t i = first + 1; i < l && i < first + size; i++)
            for (size_t j = 0; j < STRIP; j++) {
                float value = product[i * STRIP + j];
                block[j] = value < block[j] ? value : block[j];
            }
    }
}

/* multiply_whole in single precision; samples x and landmarks z are columns. */
static void multiply_single(size_t d, size_t l, size_t size, size_t count, const float *square,
                            const float *z, const float *x, float *product, float *block)
{
    for (size_t i = 0; i < l; i++)
        for (size_t j = 0; j < STRIP; j++)
            product[i * STRIP + j] = square[i];
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)count, (int)l, (int)d, -2, x, (int)d,
                z, (int)d, 1, product, STRIP);
    find_block_least(l, size, product, block);
}

/* The r least of each sample's blocks, in rising order. */
OF_SIMD static void find_least(size_t blocks, size_t r, const float *restrict block,
                               float *restrict least)
{
    for (size_t i = 0; i < r * STRIP; i++)
        least[i] = INFINITY;
    for (size_t b = 0; b < blocks; b++) {
        float next[STRIP];
        memcpy(next, block + b * STRIP, sizeof next);
        for (size_t s = 0; s < r; s++)
            for (size_t j = 0; j < STRIP; j++) {
                float value = next[j], there = least[s * STRIP + j];
                least[s * STRIP + j] = value < there ? value : there;
                next[j] = value < there ? there : value;
            }
    }
}

/* The landmarks up to a sample's bound. Returns their number. */
static size_t list_near(size_t l, size_t size, const float *product, const float *block,
                        float bound, uint32_t *place)
{
    uint32_t near[BLOCKS];
    size_t blocks = 0, found = 0;
    for (size_t first = 0; first < l; first += size, block += STRIP) {
        near[blocks] = (uint32_t)first;
        blocks += *block <= bound;
    }
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = near[b]; i < l && i < near[b] + size; i++) {
            place[found] = (uint32_t)i;
            found += product[i * STRIP] <= bound;
        }
    return found;
}

/* Squared distances of x to some landmarks, and the landmarks, into the lanes of one sample. */
OF_SIMD static void measure_near(size_t d, const double *x, const double *at, size_t count,
                                 const uint32_t *place, double *distance, double *number)
{
    for (size_t i = 0; i < count; i++) {
        distance[i * BESIDE] = of_squared_distance(d, x, at + place[i] * d);
        number[i * BESIDE] = place[i];
    }
}

onefold_status of_landmark_set_finish(of_arena *arena, of_landmark_set *set)
{
    size_t d = set->columns, l = set->count;
    const of_sparse *lists = &set->lists;
    double *square, most = 0;
    float *narrow = NULL;
    OF_TRY(OF_NEW_ZERO(arena, &square, l, 1));
    if (set->at)
        OF_TRY(OF_NEW(arena, &narrow, l + TOGETHER, d + 2));
    set->square = square;
    set->narrow = narrow;
    set->room = 8 + (set->at ? ((d + 1 + 2 * l + TOGETHER + 2 * BLOCKS) * STRIP + 1) / 2 : l);
    OF_COUNTED(arena->context);
    for (size_t e = 0; lists->start && e < lists->start[lists->rows]; e++)
        square[lists->index[e]] += lists->value[e] * lists->value[e];
    for (size_t i = 0; set->at && i < l; i++) {
        const double *z = set->at + i * d;
        square[i] = cblas_ddot((int)d, z, 1, z, 1);
        narrow[i] = (float)square[i];
        set->farthest = fmax(set->farthest, sqrt(square[i]));
        most = fmax(most, largest_modulus(d, z));
    }
    for (size_t i = l; set->at && i < l + TOGETHER; i++)
        narrow[i] = INFINITY; /* padding */
    if (set->at && !set->single && has_whole_products() && most > 0 && isfinite(most)) {
        set->step = most / largest_whole(d);
        set->lost = set->step * sqrt((double)d) / 2;
        for (size_t i = 0; i < l; i++)
            make_whole(d, i, set->at + i * d, 1 / set->step, TOGETHER,
                       (uint32_t *)(narrow + l + TOGETHER));
    } else if (set->at) {
        for (size_t i = 0; i < l * d; i++)
            narrow[l + TOGETHER + i] = (float)set->at[i];
    }
    return ONEFOLD_OK;
}

/* Up to STRIP samples of a search. */
typedef struct strip {
    size_t count, size;  /* samples, and landmarks of a block */
    float *narrow;       /* columns x count as floats, or integers */
    float *product;      /* STRIP x landmarks: |z|^2 - 2 x'z */
    float *block;        /* STRIP x BLOCKS: the least of each */
    float *least;        /* STRIP x BLOCKS: the r least of these */
    size_t found[STRIP]; /* the number of candidates */
    float factor[STRIP]; /* -2 times the steps of integers */
    double off[STRIP];   /* the largest error of a product */
} strip;

/* Products of samples x, and bounds on their rounding errors. */
static void multiply(const of_landmark_set *set, const double *x, strip *s)
{
    size_t d = set->columns, l = set->count;
    const float *square = set->narrow, *z = square + l + TOGETHER;
    double far = set->farthest, whole = largest_whole(d), root = sqrt((double)d);
    memset(s->factor, 0, sizeof s->factor);
    memset(s->off, 0, sizeof s->off);
    for (size_t j = 0; j < s->count; j++) {
        const double *own = x + j * d;
        double most = largest_modulus(d, own), length = root * most; /* an upper bound */
        if (set->step > 0 && isfinite(length)) {
            double step = most > DBL_MIN * INT16_MAX ? most / whole : 0,
                   lost = step > 0 ? step * root / 2 : length;
            length = lost + step * sqrt(make_whole(d, j, own, step > 0 ? 1 / step : 0, LANES,
                                                   (uint32_t *)s->narrow));
            s->factor[j] = (float)(-2 * step * set->step);
            s->off[j] = 2 * (lost * far + (length + lost) * set->lost);
        }
        s->off[j] += (double)(d + 8) * FLT_EPSILON * far * (2 * length + far);
    }
#ifdef OF_WHOLE
    if (set->step > 0) {
        multiply_whole((d + 1) / 2, l, s->size, s->count, square, (const uint32_t *)z,
                       (const uint32_t *)s->narrow, s->factor, s->product, s->block);
        return;
    }
#endif
    for (size_t i = 0; i < d * s->count; i++)
        s->narrow[i] = (float)x[i];
    multiply_single(d, l, s->size, s->count, square, z, s->narrow, s->product, s->block);
}

/* The candidates for the r nearest landmarks of each sample, in rows of `place` (l x STRIP). */
static void list_strip(const of_landmark_set *set, size_t r, strip *s, uint32_t *place)
{
    size_t l = set->count;
    float bound[STRIP];
    if (r <= BLOCKS)
        find_least((l + s->size - 1) / s->size, r, s->block, s->least);
    for (size_t j = 0; j < STRIP; j++) {
        /* the r-th least of the blocks' minima is an upper bound of the r-th least of all */
        double most = r <= BLOCKS && j < s->count
                          ? (double)s->least[(r - 1) * STRIP + j] + 2 * s->off[j]
                          : INFINITY;
        bound[j] = most < FLT_MAX ? (float)most : -INFINITY;
        s->found[j] = 0;
    }
#ifdef OF_WHOLE
    if (set->step > 0)
        list_whole(l, s->product, bound, s->found, place);
#endif
    for (size_t j = 0; j < s->count; j++, place += l) {
        if (!(set->step > 0))
            s->found[j] = list_near(l, s->size, s->product + j, s->block + j, bound[j], place);
        if (s->found[j] >= r)
            continue;
        /* numbers beyond single precision: all landmarks are candidates */
        for (s->found[j] = 0; s->found[j] < l; s->found[j]++)
            place[s->found[j]] = (uint32_t)s->found[j];
    }
}

/* The r nearest landmarks of samples first .. first+BESIDE-1 of the strip, from their candidates.
 * Overwrites the products. */
static void find_beside(const of_landmark_set *set, size_t r, const strip *s, size_t first,
                        const double *x, const uint32_t *place, uint32_t *index, double *nearest)
{
    size_t d = set->columns, l = set->count, count = of_size_least(s->count - first, BESIDE),
           most = 0;
    beside *distance = (beside *)s->product, *number = distance + l;
    for (size_t j = first; j < first + count; j++)
        most = s->found[j] > most ? s->found[j] : most;
    for (size_t i = 0; i < most; i++)
        distance[i] = (beside){0} + INFINITY;
    for (size_t j = 0; j < count; j++)
        measure_near(d, x + j * d, set->at, s->found[first + j], place + j * l,
                     (double *)distance + j, (double *)number + j);
    order_beside(most, r, (beside_bits *)distance, (beside_bits *)number);
    unpack(count, r, number, distance, index, nearest);
}

void of_landmark_nearest(const of_landmark_set *set, size_t r, size_t samples, const double *x,
                         double *room, uint32_t *index, double *nearest)
{
    size_t d = set->columns, l = set->count,
           blocks = set->step > 0 && 4 * r <= BLOCKS ? BLOCKS / 2 : BLOCKS,
           size = (l + blocks * TOGETHER - 1) / (blocks * TOGETHER) * TOGETHER;
    strip s = {.size = size, .block = (float *)(((uintptr_t)room + 63) / 64 * 64)};
    s.least = s.block + BLOCKS * STRIP;
    s.product = s.least + BLOCKS * STRIP;
    s.narrow = s.product + (l + TOGETHER) * STRIP;
    uint32_t *place = (uint32_t *)(s.narrow + (d + 1) * STRIP);
    for (size_t first = 0; first < samples; first += STRIP, x += d * STRIP) {
        s.count = of_size_least(samples - first, STRIP);
        multiply(set, x, &s);
        list_strip(set, r, &s, place);
        for (size_t j = 0; j < s.count; j += BESIDE)
            find_beside(set, r, &s, j, x + j * d, place + j * l, index + (first + j) * r,
                        nearest + (first + j) * r);
    }
}

/* ---- the ties of all samples ----------------------------------------------------------------- */

/* The arrays of a graph. */
typedef struct tie_list {
    size_t neighbours, *start;
    uint32_t *index;
    double *weight;
} tie_list;

typedef struct tie_task {
    const of_landmark_points *points;
    const of_landmark_set *set;
    of_tiles tiles;
    size_t rows, room_size;
    double *tile, *room; /* per worker: features, and room for the search */
    tie_list list[2];    /* the wider graph last */
    size_t lists;
} tie_task;

/* The ties of samples j .. j+count-1 in every list, from the nearest landmarks in the widest. */
static void weigh_lists(const tie_task *task, size_t j, size_t count)
{
    const tie_list *narrow = &task->list[0], *widest = &task->list[task->lists - 1];
    size_t few = narrow->neighbours, many = widest->neighbours;
    uint32_t *index = widest->index + widest->start[j], *to = narrow->index + narrow->start[j];
    double *weight = widest->weight + widest->start[j], *own = narrow->weight + narrow->start[j];
    for (size_t i = 0; narrow != widest && i < count; i++) {
        memcpy(to + i * few, index + i * many, few * sizeof *index);
        memcpy(own + i * few, weight + i * many, few * sizeof *weight);
    }
    if (narrow != widest)
        of_landmark_weigh(count, few, to, own);
    of_landmark_weigh(count, many, index, weight);
}

static onefold_status tie_tile(void *opaque, size_t number)
{
    size_t worker = of_team_worker();
    tie_task *task = opaque;
    const of_landmark_set *set = task->set;
    size_t first = of_tiles_first(&task->tiles, number),
           count = of_tiles_length(&task->tiles, number);
    const tie_list *widest = &task->list[task->lists - 1];
    const of_sparse *sparse = set->at ? NULL : &task->points->kernel->features;
    double *room = task->room + worker * task->room_size,
           *x = task->tile + worker * task->rows * task->tiles.width;
    if (!sparse && count) {
        load(task->points, first, count, x);
        of_landmark_nearest(set, widest->neighbours, count, x, room,
                            widest->index + widest->start[first],
                            widest->weight + widest->start[first]);
        weigh_lists(task, first, count);
    }
    for (size_t j = first; sparse && j < first + count; j++) {
        if (sparse->start[j + 1] == sparse->start[j])
            continue;
        of_landmark_distances_sparse(set, sparse->start[j + 1] - sparse->start[j],
                                     sparse->index + sparse->start[j],
                                     sparse->value + sparse->start[j], room);
        of_landmark_find(set->count, widest->neighbours, room, widest->index + widest->start[j],
                         widest->weight + widest->start[j]);
        weigh_lists(task, j, 1);
    }
    return ONEFOLD_OK;
}

static onefold_status begin_list(of_arena *arena, const of_landmark_points *points,
                                 const of_landmark_set *set, size_t neighbours, tie_list *list)
{
    const of_sparse *sparse = set->at ? NULL : &points->kernel->features;
    size_t n = points->samples, r = of_size_least(neighbours, set->count);
    list->neighbours = r;
    OF_TRY(OF_NEW_THERE(arena, &list->start, n + 1, 1));
    list->start[0] = 0;
    for (size_t j = 0; j < n; j++)
        list->start[j + 1] =
            list->start[j] + (sparse && sparse->start[j + 1] == sparse->start[j] ? 0 : r);
    OF_TRY(OF_NEW(arena, &list->index, list->start[n], 1));
    return OF_NEW(arena, &list->weight, list->start[n], 1);
}

onefold_status of_landmark_graph_make(of_context *context, of_arena *arena,
                                      const of_landmark_points *points, const of_landmark_set *set,
                                      size_t wide, of_sparse *graph, of_sparse *wider)
{
    OF_SCRATCH(scratch, context);
    size_t n = points->samples, workers = (size_t)of_team_size(context);
    of_sparse *made[] = {graph, wider};
    tie_task task = {.points = points,
                     .set = set,
                     .rows = set->at ? tile_rows(points) : 0,
                     .room_size = set->room,
                     .lists = wider ? 2 : 1};
    OF_TRY(begin_list(arena, points, set, set->neighbours, &task.list[0]));
    if (wider)
        OF_TRY(begin_list(arena, points, set, wide, &task.list[1]));
    task.tiles = of_tiles_make(n, set->count / 2 + task.rows, TILE);
    OF_TRY(OF_NEW(&scratch, &task.room, workers, task.room_size));
    OF_TRY(OF_NEW(&scratch, &task.tile, workers * task.rows, task.tiles.width));
    OF_TRY(of_tiles_run(context, &task.tiles, tie_tile, &task));
    for (size_t i = 0; i < task.lists; i++) {
        const tie_list *list = &task.list[i];
        OF_TRY(
            of_tiles_gather(context, &task.tiles, list->start, sizeof *list->index, list->index));
        OF_TRY(
            of_tiles_gather(context, &task.tiles, list->start, sizeof *list->weight, list->weight));
        *made[i] = (of_sparse){n, set->count, list->start, list->index, list->weight};
    }
    return ONEFOLD_OK;
}
