/* test_million_nodes.c - Tests that time is proportional to the size of a large
 * graph, for any structure and any order of building.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Processor time, which does not depend on other processes. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Builds layers of 100 variables, or all below one node. */
static void build(varve_node *root, float *v, int count, bool flat)
{
    varve_node *at = root;
    char name[16];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%d", i);
        if (!flat && i % 100 == 0)
            at = varve_add_object(root, name);
        varve_add_variable(at, name, varve_scalar(&v[i]));
    }
}

/* Returns the seconds to build, write, read and report; asserts that all values
 * are restored. */
static double play(int count, bool flat, bool late)
{
    float *v = malloc(sizeof *v * (size_t)count);
    for (int i = 0; i < count; i++)
        v[i] = (float)i;
    double begin = now();
    varve_graph *graph = story_graph();
    build(varve_graph_root(graph), v, count, flat);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    for (int i = 0; i < count; i++)
        v[i] = -1;
    graph = story_graph();
    varve_restoration *r = NULL;
    if (late)
        r = story_read(varve_graph_root(graph), "f", NULL);
    build(varve_graph_root(graph), v, count, flat);
    if (!late)
        r = story_read(varve_graph_root(graph), "f", NULL);
    story_consumed(r);
    double seconds = now() - begin;
    for (int i = 0; i < count; i++)
        if (v[i] != (float)i)
            cr_assert_fail("%d is %g", i, (double)v[i]);
    varve_restoration_free(r);
    varve_graph_free(graph);
    free(v);
    return seconds;
}

TEST(million_nodes, are_saved_and_restored_within_a_minute)
{
    cr_assert_lt(play(1000000, false, false), 60);
}

/* Ten times as many nodes may take thirty times as long, but not a hundred
 * times. */
static void grow(int count, bool flat, bool late)
{
    double small = play(count, flat, late);
    double large = play(count * 10, flat, late);
    cr_assert_lt(large, 30 * small + 1, "%d: %g s, %d: %g s", count, small,
        count * 10, large);
}

TEST(million_nodes, take_time_proportional_to_their_number)
{
    grow(20000, false, false);
}

TEST(million_nodes, take_proportional_time_under_one_parent)
{
    grow(10000, true, false);
}

TEST(million_nodes, take_proportional_time_when_added_after_the_read)
{
    grow(2000, true, true);
    grow(2000, false, true);
}
