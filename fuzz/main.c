/* SPDX-License-Identifier: Apache-2.0 */
/* What libFuzzer calls; CMake builds it once for each target, with FUZZ_TARGET its function. */
#include "fuzz/targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    return FUZZ_TARGET(bytes, size);
}
