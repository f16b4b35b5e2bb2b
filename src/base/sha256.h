/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4): which file it was that was read. */
#ifndef OF_BASE_SHA256_H
#define OF_BASE_SHA256_H

#include "base/context.h"

typedef struct of_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} of_sha256;

of_sha256 of_sha256_start(void);
void of_sha256_add(of_sha256 *hash, const void *bytes, size_t size);

/* Ends it: 64 hexadecimal digits and a closing zero. */
enum { OF_SHA256_TEXT = 65 };
void of_sha256_text(of_sha256 *hash, char text[OF_SHA256_TEXT]);

/* That of a file, and how many bytes it has; "" where it is none, or cannot be read again (a pipe,
 * one that is gone). Fails where the context's call is cancelled. */
onefold_status of_sha256_file(of_context *context, const char *path, char text[OF_SHA256_TEXT],
                              uint64_t *bytes);

#endif
