/* life.c - Runs a game of life on a torus that keeps the boards of its history
 * in an array behind a pointer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ports.h"

enum { HEIGHT = 24, WIDTH = 32 };

struct board {
    unsigned char cells[HEIGHT][WIDTH];
    int alive;
};

struct life {
    char rule[16];
    long generation;
    struct board now;
    struct board *history; /* every tenth */
    int history_count;
};

static struct life life;

static void begin(void)
{
    life = (struct life){ .rule = "B3/S23" };
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        life.now.cells[i / WIDTH][i % WIDTH] =
            ((unsigned)i * 2654435761u >> 7) % 3 == 0;
}

static int neighbours(const struct board *b, int y, int x)
{
    int count = -b->cells[y][x];
    for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++)
            count +=
                b->cells[(y + i + HEIGHT) % HEIGHT][(x + k + WIDTH) % WIDTH];
    return count;
}

static void keep(void)
{
    size_t size = sizeof *life.history * (size_t)(life.history_count + 1);
    life.history = realloc(life.history, size);
    if (!life.history)
        abort();
    life.history[life.history_count++] = life.now;
}

static void go_on(int steps)
{
    for (int s = 0; s < steps; s++) {
        struct board next = { .alive = 0 };
        for (int i = 0; i < HEIGHT * WIDTH; i++) {
            int y = i / WIDTH, x = i % WIDTH, n = neighbours(&life.now, y, x);
            next.cells[y][x] = n == 3 || (n == 2 && life.now.cells[y][x]);
            next.alive += next.cells[y][x];
        }
        life.now = next;
        if (++life.generation % 10 == 0)
            keep();
    }
}

static double sum(void)
{
    double sum = (double)life.generation + life.rule[1];
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        sum += i * life.now.cells[i / WIDTH][i % WIDTH];
    for (int i = 0; i < life.history_count; i++)
        sum += i * life.history[i].alive + life.history[i].cells[3][4];
    return sum;
}

static void end(void)
{
    free(life.history);
}

/* [calls] */
/* Adds the offered boards. The array grows to the length in the file, one board
 * for each offer. */
static void add_board(varve_node *parent, const char *name, struct board *b)
{
    varve_node *node = varve_add_object(parent, name);
    varve_add_variable(
        node, "cells", varve_array(&b->cells[0][0], HEIGHT, WIDTH));
    varve_add_variable(node, "alive", varve_scalar(&b->alive));
}

static void offer_history(
    void *user, varve_node *node, const varve_offer *offer)
{
    (void)user;
    if (strcmp(offer->name, "history") != 0 || offer->kind != VARVE_LIST)
        return;
    life.history = calloc((size_t)offer->count, sizeof *life.history);
    life.history_count = life.history ? (int)offer->count : 0;
    varve_node *list = varve_add_list(node, "history");
    for (int i = 0; i < life.history_count; i++)
        add_board(list, VARVE_APPEND, &life.history[i]);
}

static void by_calls(varve_node *root)
{
    varve_add_text(root, "rule", life.rule, sizeof life.rule);
    varve_add_variable(root, "generation", varve_scalar(&life.generation));
    add_board(root, "now", &life.now);
    varve_set_on_demand(root, offer_history, NULL);
    if (!life.history)
        return;
    varve_node *list = varve_add_list(root, "history");
    for (int i = 0; i < life.history_count; i++)
        add_board(list, VARVE_APPEND, &life.history[i]);
}
/* [/calls] */

/* [tables] */
static const varve_field board_fields[] = {
    VARVE_FIELD_ARRAY(struct board, cells),
    VARVE_FIELD(struct board, alive),
    VARVE_FIELDS_END,
};
static const varve_field life_fields[] = {
    VARVE_FIELD_TEXT(struct life, rule),
    VARVE_FIELD(struct life, generation),
    VARVE_FIELD_STRUCT(struct life, now, board_fields),
    VARVE_FIELD(struct life, history_count),
    VARVE_FIELD_STRUCTS_AT(
        struct life, history, board_fields, history_count, .room = calloc),
    VARVE_FIELDS_END,
};

static void by_tables(varve_node *root)
{
    varve_add_struct(root, "life", life_fields, &life);
}
/* [/tables] */

/* [run] */
static int live(const char *directory, long steps)
{
    varve_error error;
    varve_run *run = varve_run_new(NULL);
    by_tables(varve_run_root(run));
    varve_run_open(run, directory, &port_options);
    while (life.generation < steps && varve_run_should_continue(run)) {
        /* [/run] */
        port_may_die(life.generation);
        /* [run] */
        go_on(1);
        varve_run_step(run, life.generation);
    }
    if (varve_run_end(run, &error))
        return port_fail(directory, error.message);
    return 0;
}
/* [/run] */

int main(int argc, char **argv)
{
    const struct port life_port = { begin, go_on, sum, end, by_calls, by_tables,
        live };
    return port_main(&life_port, argc, argv);
}
