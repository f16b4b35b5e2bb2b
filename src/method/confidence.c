/* SPDX-License-Identifier: Apache-2.0 */
/* The margin of a label, scaled to [0, 1]. */
#include "method/confidence.h"

#include <math.h>

double of_confidence(const double *scores, size_t clusters)
{
    double best = -INFINITY, second = -INFINITY, largest = 0, square = 0;
    for (size_t c = 0; c < clusters; c++) {
        double s = scores[c];
        if (s > best) {
            second = best;
            best = s;
        } else if (s > second) {
            second = s;
        }
        largest = fabs(s) > largest ? fabs(s) : largest;
    }
    if (!(largest > 0))
        return 0;
    if (clusters == 1)
        return 1;
    for (size_t c = 0; c < clusters; c++) /* scaled: no square may vanish or overflow */
        square += scores[c] / largest * (scores[c] / largest);
    double margin = (best / largest - second / largest) / sqrt(square);
    return margin < 1 ? margin : 1;
}

size_t of_first_largest(const double *scores, size_t clusters)
{
    size_t best = 0;
    for (size_t c = 1; c < clusters; c++)
        best = scores[c] > scores[best] ? c : best;
    return best;
}
