/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file and the variables in it. What is stored plainly in the bytes of the file, mapped or in
 * memory, needs no second copy; what is packed is unpacked into the arena of its variable.
 */
#ifndef OF_IO_FILE_H
#define OF_IO_FILE_H

#include "io/build.h"

/* Sentences on what was assumed, for a person. */
typedef struct of_notes {
    const char **text;
    size_t count;
} of_notes;
#define OF_NOTE(arena, notes, ...)                                                                 \
    of_sentence_add((arena), &(notes)->text, &(notes)->count, __VA_ARGS__)

/* The column of a table that has the ids of its rows. */
typedef struct of_table_id_column {
    size_t column; /* SIZE_MAX: none */
    size_t rows;
    const char *const *name;
    int by_name; /* the option `ids` names the column */
    int headed;  /* `ids` or a usual heading names it, or its words all differ */
} of_table_id_column;

typedef struct of_file {
    of_context *context;
    onefold_read_options options;
    const char *path;   /* as given */
    const char *inner;  /* the matrix in a folder of 10x Genomics, or NULL */
    const char *stem;   /* the name without folder and ending */
    const char *ending; /* in lower case without ".gz": "csv" */

    const unsigned char *bytes; /* the contents, decompressed if the file is a .gz */
    size_t size;
    of_owner *contents; /* of the bytes: the mapped file, or memory */
    int was_packed;     /* a .gz, or standard input */
    int single_cell;    /* .h5ad or .h5mu: every matrix at the top is a view with samples as rows */

    of_arena arena; /* of the names above and the lists below */
    of_top *top;
    size_t count, room;
    size_t decompressed; /* bytes of its compressed parts so far */
    size_t left_over;    /* bytes after the last variable */
    of_notes notes;

    /* a table of text */
    int encode; /* categories become numbers: 0 beside numbers, 1 always, -1 never */
    int has_header;
    const char *const *header; /* where options name columns, else NULL */
    size_t columns;            /* ids included; 0: not a table */
    of_table_id_column ids;
    int only_words;             /* it has columns of words, and none of numbers */
    int is_metadata;            /* its words are about the samples: it is no view */
    const size_t *metadata_row; /* the row of each sample, or SIZE_MAX; NULL: rows are in order */

    /* set when views are found */
    const of_variable *names; /* the file is this list of names; or NULL (find_views.c) */
    struct of_group *groups;  /* matrices that belong together, the likeliest first */
    size_t group_count;
} of_file;

/* Opens and reads a file of any format. With options NULL the file is only decompressed into
 * `bytes` and `size`. After an error nothing is open. Messages start with the path. */
OF_PRIVATE onefold_status of_file_read(of_file *file, of_context *context, const char *path,
                                       const onefold_read_options *options, int encode);

/* Whether a name stands for standard input: `-`, or the system's name for it. */
int of_is_standard_input(const char *path);

/* Adds a note on the file. */
#define of_file_note(file, ...) OF_NOTE(&(file)->arena, &(file)->notes, __VA_ARGS__)

/* Closes a file; what views hold stays. A zero-filled file is allowed. */
OF_PRIVATE void of_file_close(of_file *file);

/* For readers, before they allocate what a file claims to contain: whether `bytes` more of
 * decompressed or claimed data are allowed. */
onefold_status of_file_unpacks(of_file *file, size_t bytes);

/* For readers: appends a variable at the top, a matrix of one page with an empty store. The name is
 * copied. */
onefold_status of_file_add(of_file *file, of_top **top, const char *name);

/* The readers, one per format. */
onefold_status of_read_mat5(of_file *file);
onefold_status of_read_hdf(of_file *file, int matlab);
onefold_status of_read_npy(of_file *file);
onefold_status of_read_npz(of_file *file);
onefold_status of_read_text(of_file *file);
onefold_status of_read_mtx(of_file *file);

/* The line of row `row` of a table of text, from 1; 0 for other files. */
onefold_status of_read_text_line(of_file *file, size_t row, size_t *line);

/* Sets file->inner to the matrix in file->path, if that is a folder of 10x Genomics (mtx.c). */
onefold_status of_cells_folder_find(of_file *file);

/* ---- decompressing with zlib (file.c) ------------------------------------------------------- */

/* Decompresses at most `room` bytes of a stream, in zlib's format or raw; *got is their number. A
 * longer stream is no error. A shorter or damaged one is an error only where `whole`. */
onefold_status of_inflate(of_context *context, int raw, const unsigned char *packed, size_t size,
                          unsigned char *out, size_t room, int whole, size_t *got);

/* The most bytes that `size` compressed bytes can become. */
size_t of_inflate_most(size_t size);

/* ---- formats that another library reads (fence.c) ------------------------------------------- */

/* A process of its own reads such a file and sends its variables: MATLAB's of version 7.3, or
 * single cells. If the library crashes there, takes too long or allocates too much, that is an
 * error of the file. What it reads is not trusted. */
onefold_status of_fence_read(of_file *file, int matlab);

#endif
