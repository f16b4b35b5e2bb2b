/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers to bytes and back, little end first on any machine. One description of a format serves
 * for counting its bytes, for writing and for reading: every call either writes what it is given or
 * reads into it. What is read is never trusted: counts are held against limits and against the
 * bytes that are left before anything is allocated, and numbers must be finite.
 */
#ifndef OF_MODEL_CODEC_H
#define OF_MODEL_CODEC_H

#include "io/atomic_file.h"

typedef enum of_codec_kind { OF_CODEC_COUNT, OF_CODEC_WRITE, OF_CODEC_READ } of_codec_kind;

typedef struct of_codec {
    of_codec_kind kind;
    int format;           /* of what is read; 0: the newest */
    size_t at;            /* bytes counted, written or read so far */
    of_atomic_file *file; /* write; NULL: into `out` */
    unsigned char *out;
    uint32_t crc;               /* write: CRC-32 of all so far */
    const unsigned char *bytes; /* read */
    size_t size;
    of_arena *arena; /* read: of what is made */
} of_codec;

onefold_status of_code_bytes(of_codec *codec, void *bytes, size_t size);

/* A whole number of 4 or 8 bytes in least .. most; `what` names it in the sentence. */
onefold_status of_code_count(of_codec *codec, size_t *count, int size, size_t least, size_t most,
                             const char *what);
onefold_status of_code_u64(of_codec *codec, uint64_t *number);

/* A finite number of 8 bytes, IEEE 754. */
onefold_status of_code_real(of_codec *codec, double *number, const char *what);

/* Arrays: rows x columns finite numbers of 8 bytes; `count` whole numbers below `below`, of 4 bytes
 * or of 8. Read ones are from the arena. */
onefold_status of_code_reals(of_codec *codec, const double **array, size_t rows, size_t columns,
                             const char *what);
onefold_status of_code_columns(of_codec *codec, const uint32_t **array, size_t count, size_t below,
                               const char *what);
onefold_status of_code_starts(of_codec *codec, const size_t **array, size_t count,
                              const char *what);

/* A string: its length in 4 bytes, then its bytes. */
onefold_status of_code_text(of_codec *codec, const char **text, const char *what);

/* The sentence for a file that contradicts itself. */
onefold_status of_code_refuse(const char *what);

#endif
