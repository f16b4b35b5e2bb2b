/* SPDX-License-Identifier: Apache-2.0 */
/* Archives for the targets: checksums of damaged ones repaired, and new ones made. */
#ifndef OF_FUZZ_ZIP_H
#define OF_FUZZ_ZIP_H

#include <stddef.h>
#include <stdint.h>

/* Sets the checksum of every entry that is stored and whole to what its bytes have, in both places,
 * so that what lies behind it is reached. */
void fuzz_zip_repair(uint8_t *bytes, size_t size);

/* An archive that grows: entries stored, then the list of them. */
typedef struct fuzz_zip {
    uint8_t bytes[1 << 16], list[1 << 12];
    size_t size, list_size;
    unsigned entries;
} fuzz_zip;

/* Adds an entry; leaves it out where there is no room. */
void fuzz_zip_add(fuzz_zip *zip, const char *name, const uint8_t *contents, size_t size);
void fuzz_zip_end(fuzz_zip *zip);

#endif
