/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file and the variables in it. Files are mapped, so that what is stored plainly needs no second
 * copy; what is packed is unpacked into the arena of its variable.
 */
#ifndef OF_IO_FILE_H
#define OF_IO_FILE_H

#include "io/build.h"

/* What a person should know of the reading, a sentence each. */
typedef struct of_notes {
    const char **text;
    size_t count;
} of_notes;
#define OF_NOTE(arena, notes, ...)                                                                 \
    of_sentence_add((arena), &(notes)->text, &(notes)->count, __VA_ARGS__)

/* The ids of a table's rows. */
typedef struct of_table_id_column {
    size_t column; /* SIZE_MAX: there are none */
    size_t rows;
    const char **name;
    int by_name; /* it is the column that was asked for */
    int headed;  /* or its heading is one that ids have, or its words all differ */
} of_table_id_column;

typedef struct of_file {
    of_context *context;
    onefold_read_options options; /* the columns, and for single cells the views, asked for */
    int encode; /* columns of categories become numbers: 0 beside others, 1 always, -1 never */
    of_notes notes;
    int headed; /* a table with a header */
    of_table_id_column ids;
    int only_words;            /* a table with columns of words, and none of numbers */
    int about;                 /* such a table is about the samples, and no view: */
    const size_t *about_from;  /* its row of each sample, SIZE_MAX: none; NULL: as they come */
    const char *const *header; /* of a table of which columns are asked for, or NULL */
    size_t columns;            /* that a table has, the ids included; 0: it is none */
    const char *path;          /* as given */
    const char *inner;         /* where that is a folder: the file in it; else NULL */
    const char *stem;          /* its name without folder and ending */
    const char *end;           /* its ending in lower case without ".gz": "csv" */

    const unsigned char *bytes; /* the contents, unpacked if the file is a .gz */
    size_t size;
    of_owner *contents; /* what these lie in: the mapped file, or memory */
    int cells; /* of single cells: every matrix at the top is a view, and its rows are samples */

    of_arena arena; /* the names above and the list below */
    of_top *top;
    size_t count, room;
    const of_variable *names; /* the list of names that it is, or NULL (find_views.c) */
    struct of_group *groups;  /* matrices in it that belong together, the likeliest first */
    size_t group_count;
    size_t unpacked;  /* bytes that its packed parts have become */
    size_t left_over; /* bytes after the last variable that belong to none */
} of_file;

/* Opens, maps and reads a file of any format; without options only opens and unpacks it: `bytes`
 * and `size` are its contents. On failure nothing is left open. Messages start with the path. */
onefold_status of_file_read(of_file *file, of_context *context, const char *path,
                            const onefold_read_options *options, int encode);

/* Whether a name stands for standard input: `-`, or the system's name for it. */
int of_is_standard_input(const char *path);

/* Adds to what is to be said of the file. */
#define of_file_note(file, ...) OF_NOTE(&(file)->arena, &(file)->notes, __VA_ARGS__)

/* Ends the file, and releases what no view holds. A zero-filled file is allowed. */
void of_file_close(of_file *file);

/* For the readers, before they allocate what the file says is in it: `bytes` more of packed or only
 * claimed data are allowed, or inflate_allowed's refusal. */
onefold_status of_file_unpacks(of_file *file, size_t bytes);

/* For the readers: one more variable at the top: a matrix of one page, with an empty store. Its
 * name is copied. */
onefold_status of_file_add(of_file *file, of_top **top, const char *name);

/* The readers, one per format, given a file that is mapped. */
onefold_status of_read_mat5(of_file *file);
onefold_status of_read_hdf(of_file *file, int matlab);
onefold_status of_read_npy(of_file *file);
onefold_status of_read_npz(of_file *file);
onefold_status of_read_text(of_file *file);

/* The line of a file that row `row` of its table is, from 1; 0 where it is no table of text. */
onefold_status of_read_text_line(of_file *file, size_t row, size_t *line);

onefold_status of_read_mtx(of_file *file);

/* A folder as 10x Genomics writes it (mtx.c): the matrix in it, file->inner, if `path` is
 * one; and names for the sides of a Matrix Market file from barcodes.tsv and features.tsv, or
 * genes.tsv, beside it, each perhaps .gz, where they are as long. */
onefold_status of_cells_folder_find(of_file *file);

/* ---- unpacking with zlib: sizes that a file claims are held against what it can hold (file.c) */

/* Unpacks at most `room` bytes of the stream, in zlib's frame or raw; `got` is how many there were.
 * A stream that goes on is no error, one that ends early or is damaged is only if it gives fewer
 * bytes than `room` and `whole` is set. */
onefold_status of_inflate(of_context *context, int raw, const unsigned char *packed, size_t size,
                          unsigned char *out, size_t room, int whole, size_t *got);

/* The most bytes that `size` packed ones can unpack to. */
size_t of_inflate_most(size_t size);

/* ---- formats whose library is not ours are read in a child process first: what crashes there,
 * takes too long or asks for too much memory is an error of the file here (fence.c) ---- */

typedef onefold_status (*of_fence_work)(of_file *file, void *user);

/* Has `work` add its variables to the file, once it could in a child process. It works in this
 * process alone where the system gives no child, where processes of an MPI job read together (their
 * libraries do not like it), and where context->unfenced says so. */
onefold_status of_fence_read(of_file *file, of_fence_work work, void *user);

#endif
