/* look.c - Measures the cost of checking, at each save, whether the memory of
 * the variables has moved: pointers and counts are read again, and the memory
 * of all values is compared for overlap.
 *
 *     look DIRECTORY [ROUNDS [COUNT...]]
 *
 * Saves COUNT variables of one float each (100, 10000 and 1000000) with
 * `no_sync`, preferably to a file in memory (/dev/shm). Alternates between
 * these graphs with equal nodes and names:
 *
 *     plain     variables with memory that does not move
 *     table     structs of a table, each with a pointer and its count
 *     pointer   variables that follow a pointer and a count (varve_array_at)
 *     resizable the same, and a restore may reallocate them
 *     refresh   variables with a callback that binds them (varve_set_refresh)
 *
 * Prints nanoseconds of processor time per variable for the whole save and for
 * the part that exceeds the plain graph, and the share of that part. To count
 * the instructions of one save and of the checks in it (vv_structs_look,
 * vv_overlap_check):
 *
 *     valgrind --tool=callgrind --toggle-collect=varve_write \
 *         look /dev/shm 1 10000
 *     callgrind_annotate --inclusive=yes callgrind.out.*
 *
 * VARVE_LOOK=plain, or another of these names, selects a single graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <varve/varve.h>

#include "measure.h"

struct body {
    float *at;
    uint32_t count;
};

struct bodies {
    size_t count;
    struct body *all;
    float *room;
    varve_node *list;
};

static const varve_field body_fields[] = {
    VARVE_FIELD_POINTER(struct body, at, count),
    VARVE_FIELDS_END,
};

static const varve_field bodies_fields[] = {
    VARVE_FIELD_STRUCTS_AT(struct bodies, all, body_fields, count),
    VARVE_FIELDS_END,
};

/* --- Graphs of the same nodes --------------------------------------------- */

static varve_status make(
    void *user, varve_node *node, const varve_tensor *coming, void **room)
{
    (void)user;
    (void)node;
    (void)coming;
    (void)room;
    return VARVE_NO_MEMORY; /* never called: nothing is restored */
}

static void settle(void *user, varve_node *node, void *room, bool is_taken)
{
    (void)user;
    (void)node;
    (void)room;
    (void)is_taken;
}

static varve_status bind(void *user, varve_node *node)
{
    struct body *body = user;
    const varve_tensor *now = varve_value(node);
    if (now->data != body->at || now->shape[0] != body->count)
        varve_rebind(node, varve_array(body->at, body->count));
    return VARVE_OK;
}

static void add_plain(varve_node *node, struct body *body)
{
    varve_add_variable(node, "at", varve_array(body->at, body->count));
}

static void add_pointer(varve_node *node, struct body *body)
{
    varve_add_variable(node, "at", varve_array_at(&body->at, &body->count));
}

static void add_resizable(varve_node *node, struct body *body)
{
    static const varve_resizing calls = { make, settle };
    varve_set_resizing(
        varve_add_variable(node, "at", varve_array_at(&body->at, &body->count)),
        &calls, body);
}

static void add_refresh(varve_node *node, struct body *body)
{
    varve_set_refresh(
        varve_add_variable(node, "at", varve_array(body->at, body->count)),
        bind, body);
}

static varve_graph *by_table(struct bodies *b)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_add_struct(varve_graph_root(graph), "bodies", bodies_fields, b);
    return graph;
}

static varve_graph *by_calls(
    struct bodies *b, void (*add)(varve_node *node, struct body *body))
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *list = varve_add_list(
        varve_add_object(varve_graph_root(graph), "bodies"), "all");
    for (size_t i = 0; i < b->count; i++)
        add(varve_add_object(list, VARVE_APPEND), &b->all[i]);
    return graph;
}

/* --- Saves ---------------------------------------------------------------- */

struct saved {
    const char *name;
    varve_graph *graph;
    char path[PATH_SIZE];
};

enum { MOST_KINDS = 5 };

/* Returns processor time of this thread in seconds. The saves are small enough
 * to use no other thread, and processor time depends less on other programs
 * than wall-clock time. */
static double used(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double save(void *user)
{
    const struct saved *s = user;
    const varve_write_options options = { .no_sync = true };
    varve_error error;
    double begun = used();
    varve_status status =
        varve_write(varve_graph_root(s->graph), s->path, &options, &error);
    double seconds = used() - begun;
    if (status) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    return seconds;
}

static varve_graph *make_graph(struct bodies *b, const char *name)
{
    static const struct {
        const char *name;
        void (*add)(varve_node *node, struct body *body);
    } ways[] = { { "plain", add_plain }, { "pointer", add_pointer },
        { "resizable", add_resizable }, { "refresh", add_refresh } };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, name) == 0)
            return by_calls(b, ways[i].add);
    return by_table(b);
}

static void report_all(
    const struct contender *contenders, size_t count, size_t variables)
{
    double each = 1e9 / (double)variables;
    double plain = least(&contenders[0]);
    for (size_t i = 0; i < count; i++) {
        double all = least(&contenders[i]);
        printf("%8zu  %-10s  %8.1f ns  %8.1f ns more  %5.1f %%\n", variables,
            contenders[i].name, all * each, (all - plain) * each,
            100 * (all - plain) / all);
    }
}

static void bench(const char *directory, unsigned rounds, size_t variables)
{
    static const char *const names[MOST_KINDS] = { "plain", "table", "pointer",
        "resizable", "refresh" };
    const char *only = getenv("VARVE_LOOK");
    struct bodies b = { .count = variables };
    struct saved saved[MOST_KINDS];
    struct contender contenders[MOST_KINDS] = { { .name = NULL } };
    size_t count = 0;
    b.room = calloc(variables, sizeof *b.room);
    b.all = calloc(variables, sizeof *b.all);
    for (size_t i = 0; i < variables; i++)
        b.all[i] = (struct body){ &b.room[i], 1 };
    for (size_t i = 0; i < MOST_KINDS; i++) {
        if (only && strcmp(only, names[i]) != 0)
            continue;
        struct saved *s = &saved[count];
        s->name = names[i];
        s->graph = make_graph(&b, names[i]);
        snprintf(s->path, sizeof s->path, "%s/look.%s", directory, names[i]);
        contenders[count++] =
            (struct contender){ .name = names[i], .run = save, .user = s };
    }
    race(contenders, count, rounds);
    report_all(contenders, count, variables);
    for (size_t i = 0; i < count; i++) {
        remove(saved[i].path);
        varve_graph_free(saved[i].graph);
    }
    free(b.room);
    free(b.all);
}

int main(int argc, char **argv)
{
    static const size_t usual[] = { 100, 10000, 1000000 };
    if (argc < 2) {
        fprintf(stderr, "usage: look DIRECTORY [ROUNDS [COUNT...]]\n");
        return 2;
    }
    long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 9;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "look: expected 1 to %d rounds\n", (int)MOST_ROUNDS);
        return 2;
    }
    for (int i = 3; i < argc; i++)
        bench(argv[1], (unsigned)rounds, strtoul(argv[i], NULL, 10));
    for (size_t i = 0; argc < 4 && i < 3; i++)
        bench(argv[1], (unsigned)rounds, usual[i]);
    return 0;
}
