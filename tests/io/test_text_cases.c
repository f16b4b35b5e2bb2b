/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of small text files and their result: which line is a header, which column has ids, which
 * file has labels, and why a file is refused. */
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <string.h>

enum { FILES = 4, ROOM = 2000 };

typedef struct text_case {
    const char
        *files[FILES][2]; /* name, what is in it; a name that starts with * is not read as data */
    onefold_read_options options;
    const char *want; /* see describe_read(); of a failure its sentence */
    const char *note; /* a part of one of the notes; NULL: not looked at */
} text_case;

static int has_note(const onefold_dataset *data, const char *note)
{
    for (size_t i = 0; i < onefold_dataset_describe(data)->notes; i++)
        if (strstr(onefold_dataset_describe(data)->note[i], note))
            return 1;
    return 0;
}

/* The result of a case, without the folder in it. */
static void read_case(void **state, const text_case *of, char *text)
{
    const char *paths[FILES];
    size_t asked = 0;
    onefold_dataset *data = NULL;
    char folder[200];
    snprintf(folder, sizeof folder, "%s", folder_path(state, ""));
    for (size_t f = 0; f < FILES && of->files[f][0]; f++) {
        const char *name = of->files[f][0], *path = folder_path(state, name + (*name == '*'));
        made_file(path, of->files[f][1]);
        if (*name != '*')
            paths[asked++] = path;
    }
    onefold_read_options options = of->options;
    options.struct_size = sizeof options;
    if (options.truth && strstr(options.truth, "."))
        options.truth = folder_path(state, options.truth);
    if (options.present)
        options.present = folder_path(state, options.present);
    if (onefold_dataset_read(&data, NULL, paths, asked, &options) == ONEFOLD_OK) {
        describe_read(data, text, ROOM);
        if (of->note && !has_note(data, of->note))
            fail_msg("%s: no note says: %s", text, of->note);
    } else {
        const char *said = onefold_last_error();
        snprintf(text, ROOM, "%s",
                 said + (strncmp(said, folder, strlen(folder)) ? 0 : strlen(folder)));
    }
    onefold_dataset_free(data);
}

static void run(void **state, const text_case *cases, size_t count)
{
    size_t wrong = 0;
    for (size_t c = 0; c < count; c++) {
        char text[ROOM] = "";
        read_case(state, &cases[c], text);
        if (strcmp(text, cases[c].want) != 0 && ++wrong)
            print_error("case %zu is: %s\n  and not: %s\n", c, text, cases[c].want);
        for (size_t f = 0; f < FILES && cases[c].files[f][0]; f++)
            remove(folder_path(state, cases[c].files[f][0] + (cases[c].files[f][0][0] == '*')));
    }
    assert_int_equal(wrong, 0);
}
#define RUN(state, cases) run(state, cases, sizeof cases / sizeof *cases)

static void headers_and_separators(void **state)
{
    static const text_case cases[] = {
        {{{"a.csv", "\"a \"\"x\"\"\",1,2\n\"b\",3,4\n\"c\",5,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6; ids a \"x\" b c"},
        {{{"a.csv", "1,\"2\n3,4\n"}}, {0}, "dense 1 2, 3 4"},
        {{{"a.csv", "\"a\"\"\",1\nb,2\n\"c\"\"\n"}},
         {0},
         "a.csv: line 3 has 1 cell, where the first has 2"},
        {{{"a.txt", "  1  2 \n 3 4\n5   6\n"}}, {0}, "dense 1 2, 3 4, 5 6"},
        {{{"a.txt", "1 2   \n3 4  \n   \n5 6"}}, {0}, "dense 1 2, 3 4, 5 6"},
        {{{"a.csv", "title\n1,2\n3,4\n5,6\n"}}, {0}, "dense 2, 4, 6 of title; ids 1 3 5"},
        {{{"a.csv", "1,2\n3,4,5\n6,7,8\n"}},
         {.header = ONEFOLD_HEADER_YES},
         "dense 4 5, 7 8 of 1 2; ids 3 6"},
        {{{"a.csv", "1,2\n3,4,5\n6,7,8\n"}},
         {0},
         "a.csv: line 2 has 3 cells, where the first has 2"},
        {{{"a.csv", "1,2\na,3,4\nb,5,6\n"}}, {0}, "dense 3 4, 5 6 of 1 2; ids a b"},
        {{{"a.csv", "g,h\na,3,4\nb,5,6\n"}}, {0}, "dense 3 4, 5 6 of g h; ids a b"},
        {{{"a.csv", "g,h\na,b,c\nd,e,f\n"}},
         {0},
         "a.csv: line 2 has 3 cells, where the first has 2"},
        {{{"a.csv", ",g,h\na,1,2\nb,3,4\n"}}, {0}, "dense 1 2, 3 4 of g h; ids a b"},
        {{{"a.csv", "\"\"\n1\n2\n"}}, {0}, "dense 1, 2 of "},
        {{{"a.csv", "1,2\n3,4\n5,6\n"}}, {.header = ONEFOLD_HEADER_YES}, "dense 3 4, 5 6 of 1 2"},
        {{{"a.csv", "g,h\n3,4\n5,6\n"}},
         {.header = ONEFOLD_HEADER_NO},
         "a.csv: line 1, column 1 holds \"g\", which is not a number"},
        {{{"a.csv", "1,2\n3,4\n5,6\n"}, {"y.csv", "label\nred\nblue\nred\n"}},
         {0},
         "dense 1 2, 3 4, 5 6; truth red blue red"},
        {{{"a.csv", "1,2\n3,4\n5,6\n"}, {"y.csv", "class\nlabel\nclass\n"}},
         {0},
         "dense 1 2, 3 4, 5 6; truth class label class"},
        {{{"a.csv", "id,kind,x,y\na,red,1,2\nb,red,3,4\nc,blue,5,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6 of x y; ids a b c"},
        {{{"a.csv", "1,2\n3,4\n"}, {"labels.csv", "id,kind\na,red\nb,blue\n"}},
         {0},
         "labels.csv: nothing in it can be a view: all of it is words"},
        {{{"a.csv", "\xff\xfe"
                    "1,2\n"}},
         {0},
         "a.csv: the text is in UTF-16"},
        {{{"a.csv", "\xfe\xff"
                    "1,2\n"}},
         {0},
         "a.csv: the text is in UTF-16"},
        {{{"a.csv", "\xff"
                    "1,2\n3,4\n5,6\n"}},
         {0},
         "a.csv: line 1, column 1 holds \"\xc3\xbf"
         "1\", which is not a number"},
        {{{"a.csv", "\xfe"
                    "1,2\n3,4\n5,6\n"}},
         {0},
         "a.csv: line 1, column 1 holds \"\xc3\xbe"
         "1\", which is not a number"},
        {{{"a.csv", "7"}}, {0}, "dense 7"},
        {{{"a.csv", "\xef\xbb\xbf"
                    "1,2\n3,4\n5,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6"},
        {{{"a.csv", "1,2\n3,4\n5,this is a cell that has more than forty letters\n"}},
         {0},
         "a.csv: line 3, column 2 holds \"this is a cell that has more than forty \", "
         "which is not a number"},
        {{{"a.csv", "1,2\n3,4\n5,few\n"}},
         {0},
         "a.csv: line 3, column 2 holds \"few\", which is not a number"},
        {{{"a.csv", "1;2\n3;4\n5;6\n"}}, {0}, "dense 1 2, 3 4, 5 6"},
        {{{"a.csv", "1,5;2,5\n3;4\n5;6,25\n"}}, {0}, "dense 1.5 2.5, 3 4, 5 6.25"},
        {{{"a.tsv", "1\t2\n3\t\n5\t6\n"}}, {.impute = ONEFOLD_IMPUTE_MEAN}, "dense 1 2, 3 4, 5 6"},
        {{{"a.tsv", "x\ty\n3\t\n5\t6\n"}},
         {.impute = ONEFOLD_IMPUTE_MEAN},
         "dense 3 6, 5 6 of x y"},
        {{{"a.tsv", "x\ty\n3\t4\n5\t\n"}},
         {.impute = ONEFOLD_IMPUTE_MEAN},
         "dense 3 4, 5 4 of x y"},
        {{{"a.tsv", "1\t2\t\n3\t4\t\n5\t6\t\n"}}, {0}, "dense 1 2, 3 4, 5 6"},
        {{{"a.tsv", "1\t2\t\n3\t4\n5\t6\n"}},
         {0},
         "a.tsv: line 2 has 2 cells, where the first has 3"},
        {{{"a.tsv", "1\t\n"}}, {0}, "dense 1"},
        {{{"a.csv", "g,h\n"}}, {0}, "a.csv: nothing in it can be a view: all of it is words"},
        {{{"a.csv", "g\n"}}, {0}, "a.csv: nothing in it can be a view: a is text"},
        {{{"a.csv", "\n\n"}}, {0}, "a.csv: there are only blanks and comments in the file"},
    };
    RUN(state, cases);
}

static void columns_of_ids(void **state)
{
    static const text_case cases[] = {
        {{{"a.csv", "id,x,y\na,1,2\nb,3,4\nc,5,6\n"}},
         {.ids = "1"},
         "dense 1 2, 3 4, 5 6 of x y; ids a b c"},
        {{{"a.csv", "id,x,y\na,1,2\nb,3,4\nc,5,6\n"}}, {.ids = "0"}, "no file has a column 0"},
        {{{"a.csv", "id,x,y\na,1,2\nb,3,4\nc,5,6\n"}}, {.ids = "4"}, "no file has a column 4"},
        {{{"a.csv", "id,x,y\na,1,2\nb,3,4\nc,5,6\n"}}, {.ids = "2x"}, "no file has a column 2x"},
        {{{"a.csv", "id,x,y\na,1,2\nb,3,4\nc,5,6\n"}},
         {.ids = "x"},
         "dense 2, 4, 6 of y; ids 1 3 5"},
        {{{"a.csv", "id,x,y\na,1,2\nb,3,4\nc,5,6\n"}},
         {.ids = "none"},
         "dense 1 2, 3 4, 5 6 of x y; ids a b c"},
        {{{"a.csv", "id,x,y\na,1,2\n,3,4\nc,5,6\n"}},
         {.ids = "id"},
         "a.csv: column \"id\" has no id in line 3"},
        {{{"a.csv", "id,x,y\na,1,2\na,3,4\nc,5,6\n"}},
         {.ids = "id"},
         "a.csv: column \"id\" has the id \"a\" twice, in lines 2 and 3"},
        {{{"a.csv", "id,x,y\na,1,2\na,3,4\nc,5,6\n"}},
         {0},
         "a.csv: column \"id\" has the id \"a\" twice, in lines 2 and 3"},
        {{{"a.csv", "id,x,y\na,1,2\n,3,4\nc,5,6\n"}},
         {0},
         "a.csv: column \"id\" has no id in line 3"},
        {{{"a.csv", "id,x,y\n1,1,2\n2,3,4\n3,5,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6 of x y; ids 1 2 3"},
        {{{"a.csv", "id,x,y\n0,1,2\n1,3,4\n2,5,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6 of x y; ids 0 1 2"},
        {{{"a.csv", "id,x,y\n5,1,2\n6,3,4\n7,5,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6 of x y; ids 5 6 7"},
        {{{"a.csv", "id,x,y\n5,1,2\n5,3,4\n7,5,6\n"}},
         {0},
         "a.csv: column \"id\" has the id \"5\" twice, in lines 2 and 3"},
        {{{"a.csv", "sample_id,x,y\n5,1,2\n,3,4\n7,5,6\n"}},
         {.impute = ONEFOLD_IMPUTE_MEAN},
         "a.csv: column \"sample_id\" has no id in line 3"},
        {{{"a.csv", "x,paid,y\n5,1,2\n6,3,4\n7,5,6\n"}},
         {0},
         "dense 5 1 2, 6 3 4, 7 5 6 of x paid y"},
        {{{"a.csv",
           "\"\",\"sample\",\"g\",\"h\"\n\"1\",\"a\",3,1\n\"2\",\"b\",4,1\n\"3\",\"c\",5,2\n"}},
         {0},
         "dense 3 1, 4 1, 5 2 of g h; ids a b c"},
        {{{"a.csv",
           "\"\",\"kind\",\"g\",\"h\"\n\"1\",\"a\",3,1\n\"2\",\"b\",4,1\n\"3\",\"a\",5,2\n"}},
         {0},
         "dense 3 1, 4 1, 5 2 of g h; ids 1 2 3"},
        {{{"a.csv",
           "\"\",\"sample\",\"g\",\"h\"\n\"1\",\"a\",3,1\n\"3\",\"b\",4,1\n\"4\",\"c\",5,2\n"}},
         {0},
         "dense 3 1, 4 1, 5 2 of g h; ids 1 3 4"},
        {{{"a.csv", "name,x,y\n1-Mar,1,2\n1-Sep,3,4\nc,5,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6 of x y; ids 1-Mar 1-Sep c"},
        {{{"a.csv", "name,x,y\na,1,2\nb,1e,4\nc,5,6\n"}},
         {0},
         "a.csv: line 3, column \"x\" holds \"1e\", which is not a number"},
        {{{"a.csv", "name,x,y\na,1e+,2\nb,1e2,4\nc,5,6\n"}},
         {0},
         "a.csv: line 2, column \"x\" holds \"1e+\", which is not a number"},
        {{{"a.csv", "name,x,y\na,1e-2,2\nb,1e+2,4\nc,5e2x,6\n"}},
         {0},
         "a.csv: line 4, column \"x\" holds \"5e2x\", which is not a number"},
        {{{"a.csv", "name,class,y\na,1,2\nb,2,4\nc,3,6\n"}},
         {0},
         "dense 1 2, 2 4, 3 6 of class y; ids a b c"},
        {{{"a.csv", "name,class,x,y\na,1,2,2\nb,1,4,2\nc,2,6,2\n"}},
         {0},
         "dense 2, 4, 6 of x; ids a b c; truth 1 1 2"},
        {{{"a.csv", "kind,x,y\na,1,2\n3,3,4\nNA,5,6\n"}},
         {0},
         "a.csv: line 2, column \"kind\" holds \"a\", which is not a number"},
        {{{"a.csv", "x,kind,y\n1,a,2\n3,NA,4\n5,b,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6 of x y; ids a NA b"},
        {{{"a.csv", "x,kind,y\n1,a,2\n3,7,4\n5,b,6\n"}},
         {0},
         "dense 1 2, 3 4, 5 6 of x y; ids a 7 b",
         "column kind is taken for the ids of the samples"},
    };
    RUN(state, cases);
}

static void files_beside_each_other(void **state)
{
#define AB "id,x,z\na,1,2\nb,2,3\nc,3,4\n"
#define PLAIN "1,2\n3,4\n5,6\n"
    static const text_case cases[] = {
        {{{"a.csv", AB}, {"b.csv", "id,u,v\nc,6,1\na,4,2\nb,5,3\n"}},
         {0},
         "dense 1 2, 2 3, 3 4 of x z; dense 4 2, 5 3, 6 1 of u v; ids a b c"},
        {{{"a.csv", AB}, {"b.csv", "id,u,v\nx,6,1\ny,4,2\nz,5,3\n"}},
         {0},
         "dense 1 2 3, 2 3 4, - of a b c; dense 6 1, 5 3, 4 2 of u v; ids x z y"},
        {{{"a.csv", AB}, {"b.csv", "id,u,v\nc,6,1\na,4,2\n"}},
         {0},
         "dense 1 2, 2 3, 3 4 of x z; dense 4 2, -, 6 1 of u v; ids a b c"},
        {{{"a.csv", AB}, {"b.csv", "4,1\n5,2\n6,3\n"}},
         {0},
         "dense 1 2, 2 3, 3 4 of x z; dense 4 1, 5 2, 6 3; ids a b c"},
        {{{"a.csv", AB}, {"b.csv", "4,5,1\n6,7,2\n8,9,1\n1,2,1\n"}},
         {0},
         "dense 1 2, 2 3, 3 4 of x z; dense 4 6 8 1, 5 7 9 2, 1 2 1 1; ids a b c"},
        {{{"a.csv", AB}, {"b.csv", "4,5,1,2\n6,7,2,2\n8,9,1,2\n1,2,1,2\n"}},
         {0},
         "the views have different numbers of samples: a is 3 x 2 and b is 4 x 4"},
        {{{"a.csv", AB}, {"b.csv", "4,5,1,2\n6,7,2,2\n8,9,1,2\n1,2,1,2\n"}},
         {.match = ONEFOLD_MATCH_ORDER},
         "the views have different numbers of samples: a is 3 x 2 and b is 4 x 4"},
        {{{"a.csv", AB}, {"b.csv", "id,u,v\nx,6,1\ny,4,2\nz,5,3\n"}},
         {.match = ONEFOLD_MATCH_ORDER},
         "dense 1 2, 2 3, 3 4 of x z; dense 6 1, 4 2, 5 3 of u v; ids a b c",
         "samples are rows"},
        {{{"a.csv", AB},
          {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"},
          {"y.csv", "id,label\nc,1\na,2\nb,1\n"}},
         {0},
         "dense 1 2, 2 3, 3 4 of x z; dense 6 3, 4 1, 5 2 of u v; ids a b c; truth 2 1 1"},
        {{{"a.csv", AB},
          {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"},
          {"y.csv", "id,label\nc,1\na,2\nx,1\n"}},
         {0},
         "dense 1 2, 2 3, 3 4 of x z; dense 6 3, 4 1, 5 2 of u v; ids a b c",
         "label is not used as truth: 1 of the 3 samples have none"},
        {{{"a.csv", AB},
          {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"},
          {"*y.csv", "id,label\nc,1\na,2\nx,1\n"}},
         {.truth = "y.csv"},
         "label has no label for 1 of the 3 samples, b first"},
        {{{"a.csv", AB},
          {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"},
          {"y.csv", "id,label\np,1\nq,2\nr,1\n"}},
         {0},
         "dense 1 2, 2 3, 3 4 of x z; dense 6 3, 4 1, 5 2 of u v; ids a b c"},
        {{{"a.csv", AB}, {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"}, {"*y.txt", "1\n2\n1\n2\n"}},
         {.truth = "y.txt"},
         "y has 4 labels, and no side of all the views is that long (a is 3 x 2)"},
        {{{"a.csv", AB}, {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"}, {"*y.txt", "1\n2\n1\n2\n"}},
         {.truth = "y.txt", .no_truth = 1},
         "dense 1 2, 2 3, 3 4 of x z; dense 6 3, 4 1, 5 2 of u v; ids a b c"},
        {{{"a.csv", AB}, {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"}, {"*y.txt", "1\n2\n1\n"}},
         {.truth = "y.txt"},
         "dense 1 2, 2 3, 3 4 of x z; dense 6 3, 4 1, 5 2 of u v; ids a b c; truth 1 2 1",
         "y has no ids: its labels are taken in the order of a"},
        {{{"a.csv", AB}, {"k.csv", ",b,a,c\nb,1,.5,.2\na,.5,1,.3\nc,.2,.3,1\n"}},
         {0},
         "dense 1 2, 2 3, 3 4 of x z; kernel 1 0.5 0.3, 0.5 1 0.2, 0.3 0.2 1; ids a b c"},
        {{{"a.csv", AB}, {"k.csv", "id,p,q,r\nb,1,.5,.2\na,.5,1,.3\nc,.2,.3,1\n"}},
         {0},
         "k is a kernel whose samples are in another order, and only one of its sides has ids"},
        {{{"a.csv", ",a,b,c\ng,1,2,3\nh,4,5,6\n"}, {"b.csv", ",c,a,b\nu,1,2,3\nv,4,5,7\n"}},
         {0},
         "dense 1 4, 2 5, 3 6 of g h; dense 2 5, 3 7, 1 4 of u v; ids a b c"},
        {{{"a.csv", ",a,b,c\ng,1,2,3\nh,4,5,6\n"}, {"b.csv", ",c,a,b\nu,1,2,3\nv,4,5,7\n"}},
         {.samples_are = ONEFOLD_SIDE_COLUMNS},
         "dense 1 4, 2 5, 3 6 of g h; dense 2 5, 3 7, 1 4 of u v; ids a b c"},
        {{{"a.csv", ",a,b,c\ng,1,2,3\nh,4,5,6\n"}, {"b.csv", ",c,a,b\nu,1,2,3\nv,4,5,7\n"}},
         {.samples_are = ONEFOLD_SIDE_ROWS},
         "dense 1 2 3, 4 5 6 of a b c; dense 1 2 3, 4 5 7 of c a b; ids g h"},
        {{{"a.csv", AB}, {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"}},
         {.samples_are = ONEFOLD_SIDE_COLUMNS},
         "dense 1 2 3, 2 3 4 of a b c; dense 4 5 6, 1 2 3 of b c a; ids x z"},
        {{{"a.csv", ",a,b,c\na,1,2,3\nb,4,5,6\nc,7,8,9\n"},
          {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"}},
         {0},
         "dense 1 2 3, 4 5 6, 7 8 9 of a b c; dense 6 3, 4 1, 5 2 of u v; ids a b c"},
        {{{"a.csv", PLAIN}, {"b.csv", "1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,6\n"}},
         {0},
         "the views have different numbers of samples: a is 3 x 2 and b is 4 x 5"},
        {{{"a.csv", PLAIN}, {"b.csv", "4,5\n6,7\n"}, {"c.csv", "1,2,3\n4,5,6\n"}},
         {0},
         "dense 1 3 5, 2 4 6; dense 4 5, 6 7; dense 1 2 3, 4 5 6"},
        {{{"a.csv", ",p,q\ng,1,2\nh,3,4\ni,5,6\n"}, {"b.csv", "4,5\n6,7\n"}},
         {0},
         "dense 1 3 5, 2 4 6 of g h i; dense 4 6, 5 7; ids p q"},
        {{{"x.csv", PLAIN}, {"genes.csv", "g\nh\n"}}, {0}, "dense 1 2, 3 4, 5 6 of g h"},
        {{{"x.csv", PLAIN}, {"genes.csv", "1,g\n2,h\n"}}, {0}, "dense 1 2, 3 4, 5 6 of g h"},
        {{{"x.csv", PLAIN}, {"genes.tsv", "e1\tg\ne2\th\n"}},
         {0},
         "genes.tsv: nothing in it can be a view: all of it is words"},
        {{{"x.csv", PLAIN}, {"samples.txt", "a\nb\nc\n"}}, {0}, "dense 1 2, 3 4, 5 6; ids a b c"},
        {{{"x.csv", PLAIN}, {"x.samples.txt", "a\nb\nc\n"}}, {0}, "dense 1 2, 3 4, 5 6; ids a b c"},
        {{{"x.csv", PLAIN}, {"x.samples.txt", "a\nb\nc\nd\n"}},
         {0},
         "x.samples.txt: nothing in it can be a view: x.samples is text"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"features.txt", "g\nh\n"}},
         {0},
         "features.txt: nothing in it can be a view: features is text"},
        {{{"x.csv", PLAIN}, {"z.csv", "7\n9\n2\n"}, {"features.txt", "g\nh\n"}},
         {0},
         "dense 1 2, 3 4, 5 6 of g h; dense 7, 9, 2"},
        {{{"x.csv", PLAIN}, {"*y.csv", "id,kind,size\na,1,2.5\nb,2,1.5\nc,1,0.5\n"}},
         {.truth = "y.csv:kind"},
         "dense 1 2, 3 4, 5 6; truth 1 2 1"},
        {{{"x.csv", PLAIN}, {"*y.csv", "id,kind,size\na,1,2.5\nb,2,1.5\nc,1,0.5\n"}},
         {.truth = "y.csv:size"},
         "y.csv: size holds no labels"},
        {{{"x.csv", PLAIN}, {"*y.csv", "id,kind,size\na,1,2.5\nb,2,1.5\nc,1,0.5\n"}},
         {.truth = "y.csv:nix"},
         "y.csv has no column or variable nix"},
        {{{"x.csv", PLAIN}, {"*y.csv", "id,kind,size\na,1,2.5\nb,2,1.5\nc,1,0.5\n"}},
         {.truth = "y.csv:"},
         "y.csv:: there is no such file"},
        {{{"x.csv", PLAIN}}, {.truth = ":kind"}, "there is no variable and no file named :kind"},
        {{{"x.csv", PLAIN}}, {.truth = "nix.csv:kind"}, "nix.csv:kind: there is no such file"},
        {{{"x.csv", PLAIN}, {"*y.csv", "p,q\n1,2\n2,2\n1,3\n"}},
         {.truth = "y.csv"},
         "y.csv: there are no labels in it"},
        {{{"x.csv", PLAIN}, {"*y.csv", "p,q\n1.5,2.5\n2,2\n1,3\n"}},
         {.truth = "y.csv"},
         "y.csv: there are no labels in it"},
        {{{"x.csv", "g,h,kind\n1,2,1\n3,4,2\n5,6,1\n"}},
         {.truth = "kind"},
         "dense 1 2, 3 4, 5 6 of g h; truth 1 2 1"},
        {{{"x.csv", "g,h,kind\n1,2,1\n3,4,2\n5,6,1\n"}},
         {.truth = "x.csv:kind"},
         "dense 1 2, 3 4, 5 6 of g h; truth 1 2 1"},
        {{{"x.csv", "g,h,kind\n1,2,1\n3,4,2\n5,6,1\n"}},
         {.truth = "x.csv:nix"},
         "x.csv has no column or variable nix"},
        {{{".hidden", PLAIN}}, {0}, ".hidden: the format of the file is not known"},
        {{{".csv.gz", PLAIN}}, {0}, ".csv.gz: the format of the file is not known"},
        {{{".gz", PLAIN}}, {0}, ".gz: the format of the file is not known"},
        {{{"x.ods", PLAIN}}, {0}, "x.ods: this is a workbook of a spreadsheet"},
        {{{"x.dat", "\xd0\xcf\x11\xe0 and so on"}},
         {0},
         "x.dat: this is a workbook of a spreadsheet"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"*p.csv", "1,1\n0,1\n1,0\n"}},
         {.present = "p.csv"},
         "dense 1 2, -, 5 6; dense 7 8, 9 1, -"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"*p.csv", "1,0,1\n1,1,0\n"}},
         {.present = "p.csv"},
         "dense 1 2, -, 5 6; dense 7 8, 9 1, -"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"*p.csv", "1,2\n0,1\n1,0\n"}},
         {.present = "p.csv"},
         "p.csv: there is no table of zeros and ones in it"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"*p.csv", "1,1\n0,1\n"}},
         {.present = "p.csv"},
         "p is 2 x 2, where there are 3 samples and 2 views"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"*p.csv", "1,1,1\n0,1,0\n1,0,0\n"}},
         {.present = "p.csv"},
         "p is 3 x 3, where there are 3 samples and 2 views"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"present.csv", "1,1\n0,1\n1,0\n"}},
         {0},
         "dense 1 2, -, 5 6; dense 7 8, 9 1, -"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"missing.csv", "0,0\n1,0\n0,1\n"}},
         {0},
         "dense 1 2, -, 5 6; dense 7 8, 9 1, -"},
        {{{"x.csv", PLAIN}, {"z.csv", "7,8\n9,1\n2,2\n"}, {"present.csv", "1,1\n0,1\n1,0\n1,1\n"}},
         {0},
         "dense 1 2, 3 4, 5 6; dense 7 8, 9 1, 2 2"},
        {{{"a.csv", AB},
          {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"},
          {"*p.csv", "id,a,b\nb,1,0\nc,1,1\na,0,1\n"}},
         {.present = "p.csv"},
         "dense -, 2 3, 3 4 of x z; dense 6 3, -, 5 2 of u v; ids a b c"},
        {{{"a.csv", AB},
          {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"},
          {"*p.csv", "id,a,b\n1,1,0\n2,1,1\n3,0,1\n"}},
         {.present = "p.csv"},
         "dense 1 2, 2 3, - of x z; dense -, 4 1, 5 2 of u v; ids a b c"},
        {{{"a.csv", AB},
          {"b.csv", "id,u,v\nb,4,1\nc,5,2\na,6,3\n"},
          {"*p.csv", "id,a,b\nb,1,0\nc,1,1\n"}},
         {.present = "p.csv"},
         "p has no row for 1 of the 3 samples"},
        {{{"x.csv", PLAIN},
          {"z.csv", "7,8\n9,1\n2,2\n"},
          {"w.csv", "1,8\n2,1\n3,2\n"},
          {"*p.csv", "1,1,0\n0,1,1\n1,0,1\n"}},
         {.present = "p.csv", .views = "x,w"},
         "dense 1 2, -, 5 6; dense -, 2 1, 3 2"},
    };
    RUN(state, cases);
}

static void matrix_market(void **state)
{
#define HEAD "%%MatrixMarket matrix "
    static const text_case cases[] = {
        {{{"a.mtx", HEAD "coordinate real general\n% a comment\n3 2 2\n1 1 5\n3 2 7\n"}},
         {0},
         "sparse 5 0, 0 0, 0 7"},
        {{{"a.mtx", HEAD "coordinate double general\n3 2 1\n1 1 5"}}, {0}, "sparse 5 0, 0 0, 0 0"},
        {{{"a.mtx", HEAD "coordinate integer symmetric\n2 2 1\n2 1 5\n"}}, {0}, "sparse 0 5, 5 0"},
        {{{"a.mtx", HEAD "coordinate pattern general\n3 2 1\n1 1\n"}}, {0}, "sparse 1 0, 0 0, 0 0"},
        {{{"a.mtx", HEAD "array pattern general\n3 2\n1 1\n"}},
         {0},
         "a.mtx: a matrix that is array pattern general is not read"},
        {{{"a.mtx", HEAD "coordinate real hermitian\n2 2 1\n1 1 5\n"}},
         {0},
         "a.mtx: a matrix that is coordinate real hermitian is not read"},
        {{{"a.mtx", HEAD "coordinate complex general\n2 2 1\n1 1 5\n"}},
         {0},
         "a.mtx: a matrix that is coordinate complex general is not read"},
        {{{"a.mtx", HEAD "list real general\n2 2 1\n1 1 5\n"}},
         {0},
         "a.mtx: a matrix that is list real general is not read"},
        {{{"a.mtx", HEAD "array real general\n0 2\n"}}, {0}, "a.mtx: the matrix is empty: 0 x 2"},
        {{{"a.mtx", HEAD "array real general\n2 0\n"}}, {0}, "a.mtx: the matrix is empty: 2 x 0"},
        {{{"a.mtx", HEAD "coordinate real general\n5000000000 2 1\n1 1 1\n"}},
         {0},
         "a.mtx: the matrix has 5000000000 x 2 entries, which is too many"},
        {{{"a.mtx", HEAD "coordinate real general\n2 5000000000 1\n1 1 1\n"}},
         {0},
         "a.mtx: the matrix has 2 x 5000000000 entries, which is too many"},
        {{{"a.mtx", HEAD "coordinate real general\n3 2 2\n1 1 5\n"}},
         {0},
         "a.mtx: the file is truncated: 2 entries are declared, and 1 are present (line 4)"},
        {{{"a.mtx",
           HEAD "coordinate real general\n3 2 1\n1 1 a_word_that_has_more_than_thirty_letters\n"}},
         {0},
         "a.mtx: line 3 holds \"a_word_that_has_more_than_thir\" where a number should be"},
        {{{"a.mtx", HEAD "coordinate real general\n3 2 1\n1 1 word"}},
         {0},
         "a.mtx: line 3 holds \"word\" where a number should be"},
        {{{"a.mtx", HEAD "coordinate real general\n3 2 1\n1 1 % 5\n"}},
         {0},
         "a.mtx: line 3 holds \"%\" where a number should be"},
        {{{"a.mtx", HEAD "coordinate real general\r\n% c\r\n3\t2\t1\r\n1 1 5\r\n"}},
         {0},
         "sparse 5 0, 0 0, 0 0"},
        {{{"a.mtx", HEAD "coordinate real general\n% no end"}},
         {0},
         "a.mtx: line 2 does not say the size of the matrix"},
        {{{"matrix.mtx", HEAD "coordinate real general\n3 2 2\n1 1 5\n3 2 7\n"},
          {"*barcodes.tsv", "a\nb"},
          {"*features.tsv", "e1\tg\r\ne2\th\r\ne3\ti\r\n"}},
         {0},
         "sparse 5 0 0, 0 0 7 of g h i; ids a b"},
        {{{"matrix.mtx", HEAD "coordinate real general\n3 2 2\n1 1 5\n3 2 7\n"},
          {"*barcodes.tsv", "a\nb\nc\n"},
          {"*features.tsv", "e1\ne2\n"}},
         {0},
         "sparse 5 0, 0 0, 0 7 of e1 e2; ids a b c"},
        {{{"matrix.mtx", HEAD "coordinate real general\n3 2 2\n1 1 5\n3 2 7\n"},
          {"*barcodes.tsv", "a\n"},
          {"*features.tsv", "e1\n\ne3\n"}},
         {0},
         "sparse 5 0 0, 0 0 7 of e1  e3"},
        {{{"matrix.mtx", HEAD "coordinate real general\n3 2 2\n1 1 5\n3 2 7\n"},
          {"*barcodes.tsv", "a\nb\n"},
          {"*features.tsv", "e1\tg\ne2\tg\ne3\ti\n"}},
         {0},
         "sparse 5 0 0, 0 0 7 of e1 e2 e3; ids a b"},
        {{{"matrix.mtx", HEAD "coordinate real general\n3 2 2\n1 1 5\n3 2 7\n"},
          {"*barcodes.tsv", "a\nb\n"},
          {"*features.tsv", "e1\ne2\n"}},
         {0},
         "sparse 5 0, 0 0, 0 7 of a b"},
        {{{"matrix.mtx", HEAD "coordinate real general\n3 2 2\n1 1 5\n3 2 7\n"},
          {"*barcodes.tsv", "a\nb\nc\n"},
          {"*features.tsv", "e1\ne2\ne3\n"}},
         {0},
         "sparse 5 0, 0 0, 0 7; ids a b c"},
    };
    RUN(state, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(headers_and_separators, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(columns_of_ids, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(files_beside_each_other, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(matrix_market, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
