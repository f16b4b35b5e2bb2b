/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by the steps of FIPS 180-4, section 6.2. It is one page; libraries that have it are large
 * or have a licence of their own. */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static void work_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], a[8];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; t++)
        w[t] = w[t - 16] + w[t - 7] + (turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3) +
               (turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10);
    memcpy(a, state, sizeof a);
    for (int t = 0; t < 64; t++) {
        uint32_t one = a[7] + (turn(a[4], 6) ^ turn(a[4], 11) ^ turn(a[4], 25)) +
                       ((a[4] & a[5]) ^ (~a[4] & a[6])) + constants[t] + w[t];
        uint32_t two = (turn(a[0], 2) ^ turn(a[0], 13) ^ turn(a[0], 22)) +
                       ((a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]));
        memmove(a + 1, a, 7 * sizeof *a);
        a[4] += one;
        a[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += a[i];
}

/* Pads the last `count` bytes of a message of `length` bytes to whole blocks of 64, which end with
 * the length in bits. Returns the new count. */
static size_t pad(unsigned char *block, size_t count, uint64_t length)
{
    for (block[count++] = 0x80; count % 64 != 56;)
        block[count++] = 0;
    for (int shift = 56; shift >= 0; shift -= 8)
        block[count++] = (unsigned char)(length * 8 >> shift);
    return count;
}

onefold_status of_sha256_file(of_context *context, const char *path, char text[OF_SHA256_TEXT],
                              uint64_t *bytes)
{
    enum { AT_ONCE = 1 << 13, LONGEST_END = 2 * 64 };
    unsigned char block[AT_ONCE + LONGEST_END];
    uint32_t state[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    struct stat about;
    onefold_status status = ONEFOLD_OK;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    *text = '\0';
    if (!file)
        return ONEFOLD_OK;
    *bytes = 0;
    for (size_t got = AT_ONCE; status == ONEFOLD_OK && got == AT_ONCE;) {
        got = fread(block, 1, AT_ONCE, file);
        *bytes += got;
        size_t count = got < AT_ONCE ? pad(block, got, *bytes) : got;
        for (size_t at = 0; at < count; at += 64)
            work_block(state, block + at);
        status = of_context_check(context);
    }
    for (int i = 0; i < 8 && !ferror(file); i++)
        snprintf(text + 8 * i, 9, "%08x", state[i]);
    fclose(file);
    return status;
}
