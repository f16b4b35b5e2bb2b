/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32: that of zlib, which is several times as fast, where the library is built with zlib. */
#include "base/crc.h"

#ifdef ONEFOLD_ENGINE_ONLY

/* The polynomial 0xedb88320 bit by bit, for each half of a byte. */
static const uint32_t half[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t of_crc32(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        crc = half[crc & 15] ^ (crc >> 4);
        crc = half[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

#else

#include <zlib.h>

uint32_t of_crc32(uint32_t crc, const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc, bytes, size);
}

#endif
