/* SPDX-License-Identifier: Apache-2.0 */
/* New samples that have been projected into a stack: labels, how sure they are, and how far the
 * samples are from what the model knows. */
#include "gpu/pieces.cuh"

#include <cstring>

/* What is told of the parts, on the GPU. */
struct Parts {
    size_t count, k, q;
    const double *value, *weight; /* k x count; count */
    int32_t largest;
};

/* The first of the largest scores; the largest cluster where all are 0. */
__device__ inline int32_t choose_label(const double *own, size_t q, int32_t largest)
{
    size_t best = 0;
    int zero = 1;
    for (size_t c = 0; c < q; c++) {
        zero &= own[c * TILE] == 0;
        best = own[c * TILE] > own[best * TILE] ? c : best;
    }
    return zero ? largest : (int32_t)best;
}

/* method/rule.c, of_rule_distance: a part of which all rows are 0 says nothing. */
template <typename T> __device__ double distance_of(const Parts &parts, const T *x)
{
    double left = 0, all = 0;
    for (size_t b = 0; b < parts.count; b++) {
        double kept = 0;
        int says = 0;
        for (size_t r = 0; r < parts.k; r++) {
            double h = (double)x[(b * parts.k + r) * TILE];
            says |= h != 0;
            kept += parts.value[b * parts.k + r] * h * h;
        }
        if (!says)
            continue;
        left += parts.weight[b] * (1 - (kept < 1 ? kept : 1));
        all += parts.weight[b];
    }
    return all > 0 ? sqrt(left / all) : 1;
}

template <typename T>
__global__ void decide(Parts parts, const double *score, const T *x, size_t count, int32_t *labels,
                       double *confidence, double *distance)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    const double *own = score + (size_t)blockIdx.x * parts.q * TILE + threadIdx.x;
    if (j >= count)
        return;
    labels[j] = choose_label(own, parts.q, parts.largest);
    if (confidence)
        confidence[j] = confidence_of(own, parts.q);
    if (distance)
        distance[j] =
            distance_of(parts, x + (size_t)blockIdx.x * parts.count * parts.k * TILE + threadIdx.x);
}

/* Where the results of all samples lie on the GPU. */
struct Results {
    int32_t *labels;
    double *confidence, *distance;
};

static int decide_piece(of_device_stack *X, const Piece &p, const Parts &parts, const double *fused,
                        const Results &to)
{
    of_device *device = X->device;
    double *score, *confidence = to.confidence ? to.confidence + p.first : NULL,
                   *distance = to.distance ? to.distance + p.first : NULL;
    Blocked part = p.part;
    GPU_TRY(room(device, ROOM_SCORES, p.tiles * TILE * parts.q, &score));
    GPU_TRY(of_gpu_multiply(device, part, p.tiles, fused, parts.q, score));
    if (X->doubles) {
        auto kernel = decide<double>;
        OF_LAUNCH(kernel, (unsigned)p.tiles, TILE, 0, device->stream, parts, score,
                  (const double *)part.data, p.count, to.labels + p.first, confidence, distance);
    } else {
        auto kernel = decide<float>;
        OF_LAUNCH(kernel, (unsigned)p.tiles, TILE, 0, device->stream, parts, score,
                  (const float *)part.data, p.count, to.labels + p.first, confidence, distance);
    }
    LAUNCHED("decide");
    return OF_DEVICE_OK;
}

int of_gpu_predict(of_device_stack *X, const of_device_predict *task)
{
    of_device *device = X->device;
    GPU_CALL(device);
    size_t q = task->clusters, rows = X->rows, n = X->samples;
    std::vector<double> told(task->fused, task->fused + q * rows);
    told.insert(told.end(), task->value, task->value + rows);
    told.insert(told.end(), task->weight, task->weight + task->parts);
    double *there;
    Results to = {NULL, NULL, NULL};
    GPU_TRY(of_gpu_matrix(device, told.data(), told.size(), &there));
    GPU_TRY(room(device, ROOM_LABELS, n, &to.labels));
    if (task->confidence)
        GPU_TRY(room(device, ROOM_DISTANCE, n, &to.confidence));
    if (task->distance)
        GPU_TRY(room(device, ROOM_ONES, n, &to.distance));
    Parts parts = {task->parts,      rows / task->parts,     q,
                   there + q * rows, there + (q + 1) * rows, (int32_t)task->largest};
    size_t most = of_gpu_piece_tiles(device, q);
    Piece p;
    GPU_TRY(first_piece(X, most, &p));
    for (;;) {
        GPU_TRY(next_piece(&p));
        if (!p.tiles)
            break;
        GPU_TRY(decide_piece(X, p, parts, there, to));
    }
    GPU_TRY(of_gpu_fetch(device, task->labels, to.labels, n * sizeof *task->labels));
    if (task->confidence)
        GPU_TRY(of_gpu_fetch(device, task->confidence, to.confidence, n * sizeof(double)));
    if (task->distance)
        GPU_TRY(of_gpu_fetch(device, task->distance, to.distance, n * sizeof(double)));
    return OF_DEVICE_OK;
}
