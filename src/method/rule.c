/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that labels new samples: columns x from projections, confidence, distance, centres. */
#include "method/rule.h"

#include <math.h>
#include <string.h>

double of_missing_scale_view(size_t present, size_t samples)
{
    return sqrt((double)present / (double)samples);
}

double of_missing_scale_sample(const uint8_t *has, size_t views)
{
    size_t count = 0;
    for (size_t i = 0; i < views; i++)
        count += has[i] != 0;
    return sqrt((double)views / (double)count);
}

double of_rule_confidence(const of_rule *rule, double margin)
{
    size_t last = rule->knots - 1, i = 1;
    const double *x = rule->margin, *y = rule->share;
    if (!rule->knots || !isfinite(margin))
        return margin;
    if (!last || margin <= x[0])
        return y[0];
    while (i < last && margin > x[i])
        i++;
    if (margin >= x[i])
        return y[i];
    return y[i - 1] + (y[i] - y[i - 1]) * (margin - x[i - 1]) / (x[i] - x[i - 1]);
}

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
    for (size_t c = 0; c < clusters; c++) /* scaled, so that no square overflows or vanishes */
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

void of_rule_finish(of_rule *rule)
{
    rule->rows = 0;
    for (size_t s = 0; s < rule->sources; s++) {
        rule->source[s].first = rule->rows;
        rule->rows += rule->source[s].projection->rank;
    }
}

onefold_status of_rule_plain(of_arena *arena, size_t views, const of_projection *const *projections,
                             of_rule *rule)
{
    of_rule_part *part;
    uint32_t *place;
    OF_TRY(OF_NEW(arena, &rule->source, views, 1));
    OF_TRY(OF_NEW(arena, &part, views, 1));
    OF_TRY(OF_NEW_THERE(arena, &place, views, 2));
    memset(place, 0, 2 * views * sizeof *place);
    for (size_t i = 0; i < views; i++) {
        const of_projection *p = projections[i];
        place[i] = (uint32_t)i;
        rule->source[i] = (of_rule_source){.view = i, .projection = p};
        part[i] = (of_rule_part){.join = OF_JOIN_ONE,
                                 .known = p->samples,
                                 .rank = p->rank,
                                 .value = p->value,
                                 .terms = 1,
                                 .source = place + i,
                                 .row = place + views};
    }
    rule->sources = rule->parts = views;
    rule->part = part;
    of_rule_finish(rule);
    return ONEFOLD_OK;
}

static double kept_of(const of_rule_block *block, size_t source, size_t j)
{
    return block->kept[source * block->width + j];
}

/* Whether the sample has term t: ties in a graph, or the view of a kernel. */
static int has_term(const of_rule *rule, const of_rule_block *block, const of_rule_part *part,
                    size_t t, size_t j)
{
    double kept = kept_of(block, part->source[t], j);
    if (rule->source[part->source[t]].projection->form == OF_PROJECT_TIES)
        return kept >= 0;
    return kept != OF_KEPT_ABSENT;
}

/* The sum of the weights of the terms that the sample has. */
static double sum_weights(const of_rule *rule, const of_rule_block *block, const of_rule_part *part,
                          size_t j)
{
    double sum = 0;
    for (size_t t = 0; t < part->terms; t++)
        sum += has_term(rule, block, part, t, j) ? of_rule_weight(part, t) : 0;
    return sum;
}

/* The divisor of a weighted sum over terms whose weights add up to `sum`. */
static double divisor_of(const of_rule_part *part, double sum)
{
    return part->join == OF_JOIN_KERNELS   ? sqrt(sum)
           : part->join == OF_JOIN_COLUMNS ? of_join_least(sum, part->terms)
                                           : sum;
}

/* The factor of the rows of term t. */
static double factor_of(const of_rule_part *part, size_t t, double sum)
{
    if (part->join == OF_JOIN_ONE || !(sum > 0))
        return 1;
    return of_rule_weight(part, t) / divisor_of(part, sum);
}

/* Whether the sample is in the partition: always in a joint one, as in training. */
static int has_part(const of_rule_part *part, double sum)
{
    return part->join != OF_JOIN_ONE || sum > 0;
}

/* x (dims, after its constant) += factor * the term's rows. */
static void add_term(const of_rule *rule, const of_rule_block *block, size_t j,
                     const of_rule_part *part, size_t t, double factor, double *x)
{
    const double *h =
        block->h + j * rule->rows + rule->source[part->source[t]].first + part->row[t];
    x += rule->constant != 0;
    for (size_t r = 0; r < part->rank; r++)
        x[r] += factor * h[r];
}

void of_rule_stack(const of_rule *rule, const of_rule_block *block, size_t j, double *x)
{
    memset(x, 0, rule->parts * rule->dims * sizeof *x);
    for (size_t b = 0; b < rule->parts; b++, x += rule->dims) {
        const of_rule_part *part = &rule->part[b];
        double sum = sum_weights(rule, block, part, j);
        if (rule->constant && has_part(part, sum))
            x[0] = 1 / sqrt((double)part->known);
        for (size_t t = 0; t < part->terms; t++)
            add_term(rule, block, j, part, t, factor_of(part, t, sum), x);
    }
}

void of_rule_term(const of_rule *rule, const of_rule_block *block, size_t j, size_t b, size_t t,
                  double *x)
{
    const of_rule_part *part = &rule->part[b];
    double sum = sum_weights(rule, block, part, j), first = 1 / sqrt((double)part->known);
    memset(x, 0, rule->dims * sizeof *x);
    if (rule->constant && sum > 0 && has_term(rule, block, part, t, j))
        x[0] = first * of_rule_weight(part, t) / sum;
    else if (rule->constant && !(sum > 0) && has_part(part, sum))
        x[0] = first / (double)part->terms;
    add_term(rule, block, j, part, t, factor_of(part, t, sum), x);
}

/* The sample's squared length in the partition's feature space. In a joint graph, the ties of a
 * view count by its weight. */
static double squared_length(const of_rule *rule, const of_rule_block *block,
                             const of_rule_part *part, size_t j, double sum, size_t samples)
{
    double length = 0, all = 0;
    if (part->join == OF_JOIN_ONE)
        return kept_of(block, part->source[0], j);
    for (size_t t = 0; t < part->terms; t++) {
        double kept = kept_of(block, part->source[t], j);
        all += of_rule_weight(part, t);
        if (!has_term(rule, block, part, t, j))
            continue;
        if (part->join == OF_JOIN_TIES)
            kept += 1 / (double)rule->source[part->source[t]].projection->samples;
        length += of_rule_weight(part, t) * fmax(kept, 0);
    }
    if (part->join == OF_JOIN_TIES)
        return length * all / (sum * sum) - 1 / (double)samples;
    return length / (divisor_of(part, sum) * divisor_of(part, sum));
}

/* The share of the squared length in partition b. */
static double share_of(const of_rule *rule, const of_rule_block *block, size_t b, size_t j,
                       size_t samples, const double *x)
{
    const of_rule_part *part = &rule->part[b];
    double sum = sum_weights(rule, block, part, j), kept = 0,
           length = squared_length(rule, block, part, j, sum, samples);
    x += b * rule->dims + (rule->constant != 0);
    for (size_t r = 0; r < part->rank; r++)
        kept += part->value[r] * x[r] * x[r];
    return length > 0 ? fmin(kept / length, 1) : 1;
}

double of_rule_distance(const of_rule *rule, const of_rule_block *block, size_t j, size_t samples,
                        const double *x)
{
    double left = 0, all = 0;
    for (size_t b = 0; b < rule->parts; b++) {
        double weight = rule->beta[b] * rule->beta[b];
        const of_rule_part *part = &rule->part[b];
        int any = 0;
        for (size_t t = 0; t < part->terms; t++)
            any |= kept_of(block, part->source[t], j) >= 0;
        if (!any)
            continue;
        left += weight * (1 - share_of(rule, block, b, j, samples, x));
        all += weight;
    }
    return all > 0 ? sqrt(left / all) : 1;
}

/* A constant that is added to all scores, so that the mean score of the other clusters at a centre
 * is 0, as it is for C'h of the solver: confidence depends on the level of scores. */
static double common_score(size_t rows, size_t clusters, const double *centre)
{
    double sum = 0;
    for (size_t c = 0; c < clusters; c++)
        for (size_t d = 0; d < clusters; d++)
            for (size_t r = 0; d != c && r < rows; r++) {
                double own = centre[r + c * rows], gap = own - centre[r + d * rows];
                sum += (gap * gap - own * own) / 2;
            }
    return clusters > 1 ? sum / (double)(clusters * (clusters - 1)) : 0;
}

/* The nearest centre is the largest of z'centre - |centre|^2 / 2, which is linear in x. */
void of_rule_centres(size_t rows, size_t rank, size_t clusters, size_t known, const double *value,
                     const double *centre, size_t k, double *C)
{
    double root = sqrt((double)known), common = common_score(rows, clusters, centre);
    memset(C, 0, k * clusters * sizeof *C);
    for (size_t c = 0; c < clusters; c++) {
        double *own = C + c * k;
        own[0] = root * common;
        for (size_t r = 0; r < rows; r++) {
            double m = centre[r + c * rows];
            own[0] -= root * m * m / 2;
            own[r + 1] = r < rank ? sqrt(value[r]) * m : 0;
        }
    }
}
