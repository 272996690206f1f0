/* structs.c - P17: Measures the cost of reading the pointers and counts of
 * structs again in each call, compared with the same nodes without structs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "rows.h"

enum { ROOM = 4 };

struct body {
    int count;
    float *at;
};

struct bodies {
    size_t count;
    struct body *all;
};

static const varve_field body_fields[] = {
    VARVE_FIELD(struct body, count),
    VARVE_FIELD_POINTER(struct body, at, count),
    VARVE_FIELDS_END,
};

static const varve_field bodies_fields[] = {
    VARVE_FIELD_STRUCTS_AT(struct bodies, all, body_fields, count),
    VARVE_FIELDS_END,
};

static varve_graph *by_table(struct bodies *b)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_add_struct(varve_graph_root(graph), "bodies", bodies_fields, b);
    return graph;
}

static varve_graph *by_calls(const struct bodies *b)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *list = varve_add_list(
        varve_add_object(varve_graph_root(graph), "bodies"), "all");
    for (size_t i = 0; i < b->count; i++) {
        struct body *body = &b->all[i];
        varve_node *node = varve_add_object(list, VARVE_APPEND);
        varve_add_fixed_variable(node, "count", varve_scalar(&body->count));
        varve_add_variable(node, "at", varve_array(body->at, ROOM));
    }
    return graph;
}

static void race_two(const struct wishes *wishes, struct job jobs[2],
    double (*run)(void *job), const char *what)
{
    struct contender contenders[] = {
        { .name = "structs, checked", .run = run, .user = &jobs[0] },
        { .name = "the same nodes without", .run = run, .user = &jobs[1] },
    };
    race(contenders, 2, wishes->rounds);
    report(&(struct row){ .id = "P17",
        .what = what,
        .ours = &contenders[0],
        .raw = &contenders[1],
        .least_ratio = 0.8 });
}

void bench_structs(const struct wishes *wishes)
{
    char paths[2][PATH_SIZE];
    if (!is_wanted(wishes, "P17"))
        return;
    struct bodies b = { .count = wishes->nodes / 4 };
    float *room = calloc(b.count * ROOM, sizeof *room);
    b.all = calloc(b.count, sizeof *b.all);
    for (size_t i = 0; i < b.count; i++)
        b.all[i] = (struct body){ ROOM, &room[i * ROOM] };
    struct job jobs[2] = { { .graph = by_table(&b) },
        { .graph = by_calls(&b) } };
    jobs[0].path = scratch(wishes, "structs", paths[0]);
    jobs[1].path = scratch(wishes, "nodes", paths[1]);
    for (int i = 0; i < 2; i++)
        jobs[i].save.no_sync = true;
    race_two(wishes, jobs, run_save, "save of structs");
    race_two(wishes, jobs, run_restore, "restore of structs");
    for (int i = 0; i < 2; i++) {
        remove(jobs[i].path);
        varve_graph_free(jobs[i].graph);
    }
    free(b.all);
    free(room);
}
