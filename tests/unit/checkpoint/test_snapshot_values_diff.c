/* test_snapshot_values_diff.c - Tests the differences between snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct {
    varve_graph *graph;
    varve_node *root;
    float x[4];
    int8_t i[2];
    float complex_numbers[4]; /* two */
    varve_string texts[2];
    char state[8];
    char seen[512]; /* log of the visits */
} p;

static varve_status save(void *self, varve_sink *sink)
{
    varve_put(sink, self, strlen(self));
    return VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    memcpy(self, bytes, size);
    ((char *)self)[size] = 0;
    return VARVE_OK;
}

static void begin(void)
{
    static const varve_state_callbacks callbacks = { save, load };
    memset(&p, 0, sizeof p);
    p.graph = varve_graph_new(test_allocator());
    p.root = varve_graph_root(p.graph);
    varve_add_variable(p.root, "x", varve_array(p.x, 4));
    varve_add_variable(p.root, "i", varve_array(p.i, 2));
    varve_add_variable(p.root, "c",
        varve_view(p.complex_numbers, VARVE_COMPLEX64, VARVE_SHAPE(2)));
    varve_add_variable(p.root, "t", varve_array(p.texts, 2));
    strcpy(p.state, "abc");
    varve_add_state(p.root, "s", &callbacks, p.state);
}

static varve_status visit(void *user, const varve_difference *d)
{
    (void)user;
    size_t used = strlen(p.seen);
    snprintf(p.seen + used, sizeof p.seen - used, "%s:%d@%d/%g ", d->path,
        (int)d->count, (int)d->first, d->largest);
    return VARVE_OK;
}

static const char *diff(varve_snapshot *a, varve_snapshot *b)
{
    varve_error error;
    p.seen[0] = 0;
    cr_assert_ok(varve_snapshot_diff(a, b, visit, NULL, &error), error);
    return p.seen;
}

static void change(void)
{
    p.x[1] = 3;
    p.x[3] = -5;
    p.i[0] = -128;
    p.complex_numbers[3] = 7;
    p.texts[1] = (varve_string){ "text", 4 };
    strcpy(p.state, "abd!");
}

static const char all[] = "c:1@1/7 i:1@0/128 s:2@2/0 t:1@1/0 x:2@1/5 ";

TEST(snapshot_diff, lists_changed_values)
{
    varve_error error;
    begin();
    varve_snapshot *a = varve_snapshot_new(p.root, &error);
    cr_assert_str_eq(diff(a, NULL), "");
    change();
    cr_assert_str_eq(diff(a, NULL), all);
    varve_snapshot *b = varve_snapshot_new(p.root, &error);
    cr_assert_str_eq(diff(a, b), all);
    cr_assert_str_eq(diff(b, a), all);
    cr_assert_str_eq(diff(b, NULL), "");
    cr_assert_ok(varve_snapshot_restore(a, &error), error);
    cr_assert_str_eq(diff(a, NULL), "");
    cr_assert_str_eq(diff(b, NULL), all);
    varve_snapshot_free(a);
    varve_snapshot_free(b);
    varve_graph_free(p.graph);
}

TEST(snapshot_diff, compares_bits)
{
    varve_error error;
    begin();
    p.x[0] = NAN;
    varve_snapshot *a = varve_snapshot_new(p.root, &error);
    cr_assert_str_eq(diff(a, NULL), "", "a NaN is the same as itself");
    p.x[1] = -0.0f;
    cr_assert_str_eq(diff(a, NULL), "x:1@1/0 ");
    p.x[0] = 0;
    cr_assert_str_eq(diff(a, NULL), "x:2@0/inf ");
    varve_snapshot_free(a);
    varve_graph_free(p.graph);
}

TEST(snapshot_diff, skips_values_of_only_one_snapshot)
{
    varve_error error;
    begin();
    varve_snapshot *a = varve_snapshot_new(p.root, &error);
    change();
    varve_snapshot *b = varve_snapshot_new_with(
        p.root, &(varve_snapshot_options){ .except = "x|s" }, &error);
    cr_assert_str_eq(diff(a, b), "c:1@1/7 i:1@0/128 t:1@1/0 ");
    cr_assert_str_eq(diff(b, a), "c:1@1/7 i:1@0/128 t:1@1/0 ");
    varve_snapshot_free(a);
    varve_snapshot_free(b);
    varve_graph_free(p.graph);
}

static varve_status stop(void *user, const varve_difference *d)
{
    (void)d;
    ++*(int *)user;
    return VARVE_CANCELLED;
}

TEST(snapshot_diff, ends_when_the_visitor_returns_an_error)
{
    varve_error error;
    int calls = 0;
    begin();
    varve_snapshot *a = varve_snapshot_new(p.root, &error);
    change();
    cr_assert_eq(varve_snapshot_diff(a, NULL, stop, &calls, &error),
        VARVE_CANCELLED);
    cr_assert_eq(calls, 1);
    varve_graph *second = varve_graph_new(test_allocator());
    varve_snapshot *b = varve_snapshot_new(varve_graph_root(second), &error);
    cr_assert_eq(
        varve_snapshot_diff(a, b, stop, &calls, &error), VARVE_MISUSE);
    cr_assert_eq(
        varve_snapshot_diff(NULL, a, stop, &calls, &error), VARVE_MISUSE);
    varve_snapshot_free(b);
    varve_graph_free(second);
    varve_snapshot_free(a);
    varve_graph_free(p.graph);
}

TEST(snapshot_diff, fails_and_leaks_nothing_without_memory)
{
    varve_error error;
    begin();
    varve_snapshot *a = varve_snapshot_new(p.root, &error);
    varve_snapshot *b = varve_snapshot_new(p.root, &error);
    change();
    for (int i = 0; i < 2; i++)
        for (long n = 0;; n++) {
            p.seen[0] = 0;
            test_fail_allocation(n, false);
            varve_status status = varve_snapshot_diff(
                a, i ? b : NULL, visit, NULL, &error);
            test_fail_allocation(-1, false);
            if (!status)
                break;
            cr_assert(status == VARVE_NO_MEMORY || status == VARVE_CALLBACK);
        }
    varve_snapshot_free(a);
    varve_snapshot_free(b);
    varve_graph_free(p.graph);
}
