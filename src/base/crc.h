/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of models. */
#ifndef OF_BASE_CRC_H
#define OF_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of zlib and PNG of bytes after others, whose checksum is `crc` (0: none). */
uint32_t of_crc32(uint32_t crc, const void *bytes, size_t size);

#endif
