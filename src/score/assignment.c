/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assignment problem by shortest augmenting paths (Hungarian method with Dijkstra's search, as
 * in Jonker and Volgenant 1987) over the table's non-zero cells, in integers. A row may also stay
 * alone at no gain. With prices u on rows and v on columns,
 *
 *     slack(i, j) = -count(i, j) - u_i - v_j >= 0,  and 0 where i is matched to j,
 *
 * holds throughout, so the matching is the best one of the rows matched so far. Memory is in
 * proportion to the cells, and tables that fall apart into blocks are searched block by block.
 */
#include "score/assignment.h"

#include <string.h>

typedef struct node {
    int64_t distance;
    size_t column;
} node;

typedef struct search {
    const of_contingency *table;
    int64_t *u, *v;                    /* prices */
    int64_t *row_match, *column_match; /* or OF_UNMATCHED */
    int64_t *distance;                 /* of each column in the present search */
    size_t *from;                      /* row by which a column is reached */
    size_t *seen, *settled;            /* searches in which a column was reached, and settled */
    node *heap;                        /* columns reached, nearest first; outdated ones too */
    size_t heap_size;
    size_t *tree; /* settled columns of the present search, in order */
    size_t tree_size;
} search;

/* Nearer first, then the lower column: the answer must not depend on how the heap lies. */
static int before(node a, node b)
{
    return a.distance != b.distance ? a.distance < b.distance : a.column < b.column;
}

static void heap_push(search *s, node reached)
{
    size_t at = s->heap_size++;
    for (; at > 0 && before(reached, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = reached;
}

static node heap_pop(search *s)
{
    node top = s->heap[0], last = s->heap[--s->heap_size];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->heap_size; at = child) {
        if (child + 1 < s->heap_size && before(s->heap[child + 1], s->heap[child]))
            child++;
        if (!before(s->heap[child], last))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return top;
}

/* Reaches the columns next to `row`, which is itself `distance` away, in search number `round`. */
static void scan_row(search *s, size_t row, int64_t distance, size_t round)
{
    const of_contingency *table = s->table;
    for (size_t e = table->start[row]; e < table->start[row + 1]; e++) {
        size_t column = table->column[e];
        int64_t slack = -(int64_t)table->count[e] - s->u[row] - s->v[column];
        if (s->settled[column] == round ||
            (s->seen[column] == round && s->distance[column] <= distance + slack))
            continue;
        s->seen[column] = round;
        s->distance[column] = distance + slack;
        s->from[column] = row;
        heap_push(s, (node){distance + slack, column});
    }
}

/* Prices move so that every slack on the path found is 0 and none becomes negative. */
static void reprice(search *s, size_t root, int64_t length)
{
    s->u[root] += length;
    for (size_t i = 0; i < s->tree_size; i++) {
        size_t column = s->tree[i];
        s->v[column] -= length - s->distance[column];
        s->u[s->column_match[column]] += length - s->distance[column];
    }
}

/* Turns the path that ends in `row`, which has given up its column, back to the root. */
static void turn_over(search *s, size_t root, size_t row, int64_t column)
{
    while (row != root) {
        int64_t given_up = s->row_match[row];
        s->row_match[row] = column;
        if (column != OF_UNMATCHED)
            s->column_match[column] = (int64_t)row;
        column = given_up;
        row = s->from[column];
    }
    s->row_match[root] = column;
    if (column != OF_UNMATCHED)
        s->column_match[column] = (int64_t)root;
}

/* Finds `root` a column: a free one, or one whose row finds another or stays alone. */
static void match_row(search *s, size_t root, size_t round)
{
    /* Staying alone costs row i -u_i: its slack with a column of its own at price 0. */
    size_t alone = root, row = root;
    int64_t distance = 0, alone_distance = -s->u[root];
    s->heap_size = 0;
    s->tree_size = 0;
    for (;;) {
        if (distance - s->u[row] < alone_distance) {
            alone_distance = distance - s->u[row];
            alone = row;
        }
        scan_row(s, row, distance, round);
        while (s->heap_size > 0 && s->settled[s->heap[0].column] == round)
            heap_pop(s);
        if (s->heap_size == 0 || s->heap[0].distance >= alone_distance) {
            reprice(s, root, alone_distance);
            turn_over(s, root, alone, OF_UNMATCHED);
            return;
        }
        node nearest = heap_pop(s);
        if (s->column_match[nearest.column] == OF_UNMATCHED) {
            reprice(s, root, nearest.distance);
            turn_over(s, root, s->from[nearest.column], (int64_t)nearest.column);
            return;
        }
        s->settled[nearest.column] = round;
        s->tree[s->tree_size++] = nearest.column;
        distance = nearest.distance;
        row = (size_t)s->column_match[nearest.column];
    }
}

static onefold_status make_search(of_arena *arena, search *s, const of_contingency *table)
{
    size_t cells = table->start[table->rows];
    memset(s, 0, sizeof *s);
    s->table = table;
    OF_TRY(OF_NEW(arena, &s->u, table->rows, 1));
    OF_TRY(OF_NEW(arena, &s->row_match, table->rows, 1));
    OF_TRY(OF_NEW_ZERO(arena, &s->v, table->columns, 1));
    OF_TRY(OF_NEW(arena, &s->column_match, table->columns, 1));
    OF_TRY(OF_NEW(arena, &s->distance, table->columns, 1));
    OF_TRY(OF_NEW(arena, &s->from, table->columns, 1));
    OF_TRY(OF_NEW_ZERO(arena, &s->seen, table->columns, 1));
    OF_TRY(OF_NEW_ZERO(arena, &s->settled, table->columns, 1));
    OF_TRY(OF_NEW(arena, &s->heap, cells, 1));
    OF_TRY(OF_NEW(arena, &s->tree, table->columns, 1));
    for (size_t i = 0; i < table->rows; i++) {
        int64_t most = 0;
        for (size_t e = table->start[i]; e < table->start[i + 1]; e++)
            most = (int64_t)table->count[e] > most ? (int64_t)table->count[e] : most;
        s->u[i] = -most;
        s->row_match[i] = OF_UNMATCHED;
    }
    for (size_t j = 0; j < table->columns; j++)
        s->column_match[j] = OF_UNMATCHED;
    return ONEFOLD_OK;
}

onefold_status of_assignment(of_context *context, const of_contingency *table, size_t *total,
                             int64_t *match)
{
    OF_SCRATCH(scratch, context);
    search s;
    size_t sum = 0;
    OF_TRY(make_search(&scratch, &s, table));
    for (size_t i = 0; i < table->rows; i++) {
        OF_TRY(of_context_check(scratch.context));
        match_row(&s, i, i + 1);
    }
    for (size_t i = 0; i < table->rows; i++)
        for (size_t e = table->start[i]; e < table->start[i + 1]; e++)
            if (s.row_match[i] == (int64_t)table->column[e])
                sum += table->count[e];
    if (match)
        memcpy(match, s.row_match, table->rows * sizeof *match);
    *total = sum;
    return ONEFOLD_OK;
}
