/* test_struct_header.c - Tests arrays whose length is stored in front of them,
 * in the same allocation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>

/* [header] */
struct header {
    size_t length, capacity;
};

struct path {
    double *points; /* a struct header, then the points */
};

static struct header *header_of(double *points)
{
    return (struct header *)(void *)points - 1;
}

static size_t count_points(const void *object)
{
    const struct path *path = object;
    return path->points ? header_of(path->points)->length : 0;
}

static void *make_points(size_t count, size_t size)
{
    struct header *header = calloc(1, sizeof *header + count * size);
    if (!header)
        return NULL;
    header->length = header->capacity = count;
    return header + 1;
}

static const varve_field path_fields[] = {
    VARVE_FIELD_POINTER_BY(
        struct path, points, count_points, .room = make_points),
    VARVE_FIELDS_END,
};
/* [/header] */

static void push(struct path *path, double point)
{
    size_t count = count_points(path);
    struct header *header = path->points ? header_of(path->points) : NULL;
    if (!header || count == header->capacity) {
        header = realloc(
            header, sizeof *header + (2 * count + 1) * sizeof point);
        header->capacity = 2 * count + 1;
        path->points = (double *)(void *)(header + 1);
    }
    path->points[count] = point;
    header->length = count + 1;
}

static void free_path(struct path *path)
{
    if (path->points)
        free(header_of(path->points));
    path->points = NULL;
}

static varve_graph *add(struct path *path, const varve_field *fields)
{
    varve_graph *graph = story_graph();
    varve_add_struct(varve_graph_root(graph), "path", fields, path);
    return graph;
}

static void write_path(int count)
{
    struct path path = { NULL };
    varve_graph *graph = add(&path, path_fields);
    for (int i = 0; i < count; i++)
        push(&path, i + 1);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    free_path(&path);
}

/* Each save reads the count and the pointer. */
TEST(struct_header, is_followed_as_the_array_grows)
{
    struct path path = { NULL };
    varve_graph *graph = add(&path, path_fields);
    for (int i = 0; i < 40; i++) {
        push(&path, i);
        story_write(varve_graph_root(graph), "f");
        path.points[i] = -1;
        varve_restoration_free(
            story_read(varve_graph_root(graph), "f", NULL));
        cr_assert_eq(path.points[i], i);
    }
    varve_graph_free(graph);
    free_path(&path);
}

TEST(struct_header, is_set_when_the_array_is_allocated)
{
    struct path path = { NULL };
    write_path(3);
    varve_graph *graph = add(&path, path_fields);
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    cr_assert_eq(count_points(&path), 3);
    cr_assert_eq(path.points[2], 3);
    push(&path, 4);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    free_path(&path);
    write_path(0);
    graph = add(&path, path_fields);
    varve_restoration_free(story_read(varve_graph_root(graph), "f", NULL));
    cr_assert_null(path.points);
    varve_graph_free(graph);
}

TEST(struct_header, of_another_length_is_a_mismatch)
{
    struct path path = { NULL };
    varve_error error;
    write_path(3);
    push(&path, 9);
    varve_graph *graph = add(&path, path_fields);
    story_refused(
        varve_graph_root(graph), "f", NULL, VARVE_MISMATCH, &error);
    cr_assert_eq(path.points[0], 9);
    varve_graph_free(graph);
    free_path(&path);
}

/* An allocation function that does not set the header, or fails. */
static void *forget_length(size_t count, size_t size)
{
    double *points = make_points(count, size);
    header_of(points)->length = 0;
    return points;
}

static void *no_points(size_t count, size_t size)
{
    (void)count;
    (void)size;
    return NULL;
}

TEST(struct_header, must_be_set_by_the_allocation_callback)
{
    static const varve_field forgetful[] = {
        VARVE_FIELD_POINTER_BY(
            struct path, points, count_points, .room = forget_length),
        VARVE_FIELDS_END,
    };
    static const varve_field poor[] = {
        VARVE_FIELD_POINTER_BY(
            struct path, points, count_points, .room = no_points),
        VARVE_FIELDS_END,
    };
    struct path path = { NULL };
    varve_error error;
    write_path(3);
    varve_graph *graph = add(&path, forgetful);
    story_refused(
        varve_graph_root(graph), "f", NULL, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "path/points"), "%s", error.message);
    varve_graph_free(graph);
    free_path(&path);
    graph = add(&path, poor);
    varve_restoration_free(
        varve_read(varve_graph_root(graph), test_path("f"), NULL, &error));
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_NO_MEMORY);
    cr_assert(story_says(&error, "path: out of memory: room for 3 of points"),
        "%s", error.message);
    cr_assert_null(path.points);
    varve_graph_free(graph);
}
