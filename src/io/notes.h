/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every sentence by which readers note what they assume, change or leave out. of_reading_note and
 * of_file_note take no others, and tests/house/assumptions.sh finds each sentence in the expected
 * output of some test.
 */
#ifndef OF_IO_NOTES_H
#define OF_IO_NOTES_H

/* ---- of a table, after its path (of_file_note) -------------------------------------------- */

#define OF_NOTE_NUMBERS "read as numbers: %s"
#define OF_NOTE_CATEGORIES "categories, each as 0 and 1 with the weight of one column: %s"
#define OF_NOTE_UNSEEN                                                                             \
    "column %s has %zu word%s that the model does not know, such as \"%.40s\": 0 in all its "      \
    "columns"
#define OF_NOTE_LEFT "left out: %s"
#define OF_NOTE_UNITS "line %zu is taken for units"
#define OF_NOTE_ABOVE "line %zu stands above the header, and is left out"
#define OF_NOTE_LETTERS "the text is not UTF-8, and is read as Windows-1252"
#define OF_NOTE_TWICE "two columns are called %s"
#define OF_NOTE_IDS "column %s is taken for the ids of the samples: %s"
#define OF_NOTE_MARKS                                                                              \
    "taken for numbers, though they may stand for missing values: %s (write NA for these)"
#define OF_NOTE_TOTALS                                                                             \
    "row \"%s\" is taken for a sample like the others; remove it if it is a total"
#define OF_NOTE_IDS_MAYBE                                                                          \
    "column %s is taken for a feature; if it holds ids, as all its whole numbers differ, name it " \
    "so"

#define OF_NOTE_DATES                                                                              \
    "%zu name%s like %s: a spreadsheet may have made dates of the names of genes (MARCH1, SEPT2)"
#define OF_NOTE_WORD                                                                               \
    "column %s is a word like the others, as the table is counts, most of them zero"

#define OF_NOTE_OF_TABLE "%s: %s" /* the path, and one of these */

/* ---- of the data set (of_reading_note) ------------------------------------------------------- */

#define OF_NOTE_MATCHED "samples are matched by id: %zu, of which %zu are in every file"
#define OF_NOTE_NO_IDS "%s has no ids: its samples are taken in the order of those of %s"
#define OF_NOTE_LABEL_ORDER "%s has no ids: its labels are taken in the order of %s"
#define OF_NOTE_NO_TRUTH "%s is not used as truth: %zu of the %zu samples have none"
#define OF_NOTE_TRUTH "column %s of %s is %s, by its name, and is not a feature"
#define OF_NOTE_TRUTH_FILE "%s is taken for the true labels, and is not a view"
#define OF_NOTE_METADATA "%s is about the samples and is not a view: %s%s"
#define OF_NOTE_GROUPED                                                                            \
    "%s: columns that are one category each, by their names, with the weight of one column: %s"
#define OF_NOTE_SAME "%s: ignored, as %s holds the same"
#define OF_NOTE_SIDE "samples are the %s of %s: %s"
#define OF_BY_LENGTH "all views have as many, and their rows differ"

#endif
