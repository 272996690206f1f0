/* test_library_random.c - Tests generators of the C library as states.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "libc_random.h"

static varve_status read_from(varve_graph *graph, const char *path,
    varve_error *error)
{
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, NULL, error);
    varve_restoration_free(r);
    return r ? VARVE_OK : error->status;
}

TEST(library_random, continues_where_it_was_saved)
{
    const char *path = test_path("random.varve");
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_error error = { 0 };
    bool has_random = vv_libc_random_form(VV_LIBC_RANDOM) != NULL;
    srandom(5);
    srand48(5);
    long first = random();
    srandom(5);
    varve_node *node =
        varve_add_libc_random(root, "drand48", VARVE_LIBC_DRAND48);
    cr_assert(varve_has_tag(node, VARVE_TAG_RANDOM));
    if (has_random)
        varve_add_libc_random(root, "random", VARVE_LIBC_RANDOM);
    cr_assert_eq(random(), first, "adding it changes nothing");
    cr_assert_ok(varve_write(root, path, NULL, &error), error);
    long numbers[] = { random(), lrand48() };
    srandom(6);
    srand48(6);
    cr_assert_ok(read_from(graph, path, &error), error);
    if (has_random)
        cr_assert_eq(random(), numbers[0]);
    cr_assert_eq(lrand48(), numbers[1]);
    varve_graph_free(graph);
}

static varve_status put_words(void *self, varve_sink *sink)
{
    varve_put(sink, self, strlen(self));
    return VARVE_OK;
}

static varve_status take_nothing(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

/* States of another library, truncated, with too many words, with half a word,
 * and empty. */
TEST(library_random, refuses_invalid_states)
{
    static char *const states[] = { "musl....abcd", "drand48", "drand48",
        "drand48?12345678", "" };
    static const varve_state_callbacks callbacks = { put_words, take_nothing };
    const char *path = test_path("other.varve");
    varve_error error = { 0 };
    srand48(9);
    long wanted = lrand48();
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        varve_graph *other = varve_graph_new(NULL);
        varve_add_state(varve_graph_root(other), "g", &callbacks, states[i]);
        cr_assert_ok(varve_write(
            varve_graph_root(other), path, NULL, &error), error);
        varve_graph_free(other);
        varve_graph *graph = varve_graph_new(NULL);
        varve_add_libc_random(
            varve_graph_root(graph), "g", VARVE_LIBC_DRAND48);
        srand48(9);
        cr_assert_eq(
            read_from(graph, path, &error), VARVE_CALLBACK, "%s", states[i]);
        cr_assert_eq(lrand48(), wanted);
        varve_graph_free(graph);
    }
}

TEST(library_random, is_an_error_if_not_supported)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_error error = { 0 };
    varve_node *node =
        varve_add_libc_random(root, "g", (varve_libc_generator)3);
    cr_assert_eq(varve_node_kind(node), VARVE_NIL);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
    cr_assert(
        strstr(error.message, "no generator number 3"), "%s", error.message);
    (void)varve_graph_clear_error(graph, &error);
    varve_add_libc_random(root, "rand", VARVE_LIBC_RAND);
    bool has_rand = vv_libc_random_form(VV_LIBC_RAND) != NULL;
    cr_assert_eq(varve_graph_check(graph, &error),
        has_rand ? VARVE_OK : VARVE_TOO_NEW);
    cr_assert(has_rand || strstr(error.message, "rand"));
    varve_graph_free(graph);
    cr_assert_not_null(varve_add_libc_random(NULL, "g", VARVE_LIBC_DRAND48));
}
