/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) of a file, which identifies it. */
#ifndef OF_BASE_SHA256_H
#define OF_BASE_SHA256_H

#include "base/context.h"

/* 64 hexadecimal digits and a closing zero. */
enum { OF_SHA256_TEXT = 65 };

/* The SHA-256 and size of a file; "" where it cannot be read again (a pipe, or it was removed).
 * Fails where the context's call is cancelled. */
onefold_status of_sha256_file(of_context *context, const char *path, char text[OF_SHA256_TEXT],
                              uint64_t *bytes);

#endif
