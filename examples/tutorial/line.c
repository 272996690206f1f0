/* line.c - Fits a line to points, one batch after the other. The program may be
 * killed at any time: docs/tutorial/resume.md.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <varve/varve.h>

enum { STEPS = 600, POINTS = 1000 };

struct line {
    float slope, intercept;
    int64_t step;
    varve_random noise;
    varve_records *points;
};

/* A step draws random numbers, takes the next batch, and changes the
 * weights. */
static varve_status take_step(struct line *l, varve_error *error)
{
    varve_batch batch;
    varve_status status = varve_records_next(l->points, &batch, error);
    for (size_t i = 0; !status && i < batch.count; i++) {
        float point[2];
        memcpy(point, batch.records[i].data, sizeof point);
        float x = point[0] + (float)varve_random_normal(&l->noise, 0, 0.05);
        float miss = l->slope * x + l->intercept - point[1];
        l->slope -= 0.01f * miss * x;
        l->intercept -= 0.01f * miss;
    }
    l->step++;
    nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    return status;
}

/* [state] */
/* Adds everything that the next step depends on. */
static void name_state(struct line *l, varve_node *root)
{
    varve_add_variable(root, "slope", varve_scalar(&l->slope));
    varve_add_variable(root, "intercept", varve_scalar(&l->intercept));
    varve_add_variable(root, "step", varve_scalar(&l->step));
    varve_add_random(root, "noise", &l->noise, 0);
    varve_add_records(root, "points", l->points);
}
/* [/state] */

/* [run] */
static varve_status run(
    struct line *l, varve_manager *manager, varve_error *error)
{
    varve_status status = varve_manager_resume(manager, error);
    if (!status && varve_manager_restoration(manager))
        status =
            varve_assert_consumed(varve_manager_restoration(manager), error);
    printf("from step %d\n", (int)l->step);
    fflush(stdout);
    while (!status && l->step < STEPS) {
        status = take_step(l, error);
        if (!status)
            status = varve_manager_save(manager, l->step, error);
    }
    return status;
}
/* [/run] */

int main(int argc, char **argv)
{
    float points[POINTS][2];
    for (int i = 0; i < POINTS; i++) {
        points[i][0] = (float)i / POINTS;
        points[i][1] = 3 * points[i][0] + 1;
    }
    varve_error error = { .status = VARVE_OK };
    varve_records_options shuffled = { .shuffle = true, .seed = 1, .batch = 8 };
    varve_manager_options options = { .interval_steps = 50, .keep_last = 3 };
    struct line line = { .points = varve_records_open_array(points, POINTS,
                             sizeof points[0], &shuffled, &error) };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    if (line.points)
        name_state(&line, root);
    varve_manager *manager =
        varve_manager_new(root, argc > 1 ? argv[1] : "run", &options, &error);
    if (!line.points || !manager || run(&line, manager, &error))
        fprintf(stderr, "%s\n", error.message);
    else
        printf("step %d: y = %.2f x + %.2f\n", (int)line.step,
            (double)line.slope, (double)line.intercept);
    varve_manager_free(manager);
    varve_graph_free(graph);
    varve_records_free(line.points);
    return error.status ? 1 : 0;
}
