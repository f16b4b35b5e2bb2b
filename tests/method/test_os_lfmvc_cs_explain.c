/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of each view, confidence and parts, against plain sums. */
#include "method/os_lfmvc_cs.h"

#include "method/rule.h"
#include "support/check.h"

static void labels_and_confidence_equal_a_literal_restatement(void **state)
{
    (void)state;
    enum { N = 700, P = 3, K = 4, MU = 3 };
    static double X[P * K * N], W[K * P * K], C[K * MU], beta[P] = {0.6, 0, 0.8}, confidence[N],
                                                         parts[N * P];
    static int32_t own[N * P], labels[N];
    check_random(8, 0, P * K, N, X);
    check_random(8, 1, K, P * K, W);
    check_random(8, 2, K, MU, C);
    for (size_t r = 0; r < K; r++)
        X[5 * P * K + K + r] = 0; /* sample 5 lacks view 1 */
    for (size_t j = 0; j < N; j++)
        labels[j] = (int32_t)(j % MU);
    of_stack stack = of_stack_double(X, P * K, N);
    of_cs_problem problem = {.X = &stack, .p = P, .k = K, .m = K, .mu = MU};
    of_cs_result result = {.W = W, .beta = beta, .C = C, .labels = labels};
    CHECK_OK(of_cs_explain(of_context_or_default(NULL), &problem, &result, own, confidence, parts));
    for (size_t j = 0; j < N; j++) {
        double sum[MU] = {0};
        for (size_t i = 0; i < P; i++) {
            double score[MU] = {0};
            size_t best = 0;
            for (size_t c = 0; c < MU; c++) {
                for (size_t a = 0; a < K; a++)
                    for (size_t b = 0; b < K; b++)
                        score[c] +=
                            C[a + c * K] * W[a + (i * K + b) * K] * X[j * P * K + i * K + b];
                sum[c] += beta[i] * score[c];
                best = score[c] > score[best] ? c : best;
            }
            CHECK_CLOSE(parts[j * P + i], beta[i] * score[j % MU], 0, 1e-12);
            int absent = j == 5 && i == 1;
            assert_int_equal(own[i * N + j], absent ? OF_CS_NO_LABEL : (int32_t)best);
        }
        CHECK_CLOSE(confidence[j], of_confidence(sum, MU), 0, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_and_confidence_equal_a_literal_restatement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
