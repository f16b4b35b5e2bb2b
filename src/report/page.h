/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a report page: the page that web/report builds, with data between its head and its
 * script. It appears whole or not at all. What is put in is inert: text between script elements of
 * types that no browser runs, held to that by a Content-Security-Policy.
 */
#ifndef OF_REPORT_PAGE_H
#define OF_REPORT_PAGE_H

#include "io/atomic_file.h"

typedef struct of_page {
    of_context *context;
    of_arena arena;
    of_atomic_file file;
    const char *rest; /* of the page, after the data */
    size_t rest_size;
} of_page;

/* A variable that abandons its file when the scope is left. */
#define OF_PAGE(name)                                                                              \
    __attribute__((cleanup(of_page_abandon))) of_page name = {.file = {.descriptor = -1}}

/* Opens the file and writes the head. */
onefold_status of_page_open(of_page *page, of_context *context, const char *path);

/* JSON text as the element `summary`; '<', '>' and '&' in it are written as \u003c, ... */
onefold_status of_page_summary(of_page *page, const char *json, size_t size);

/* Bytes as the element `block-NAME`: deflated, in base64. */
onefold_status of_page_block(of_page *page, const char *name, const void *bytes, size_t size);

/* How many bytes a block takes, about, before it is in base64. */
onefold_status of_page_deflated(of_page *page, const void *bytes, size_t size, size_t *packed_size);

/* Writes the rest and puts the file in its place. */
onefold_status of_page_close(of_page *page);

void of_page_abandon(of_page *page);

#endif
