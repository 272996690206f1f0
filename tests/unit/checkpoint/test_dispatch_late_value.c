/* test_dispatch_late_value.c - Tests values that are read when a variable is
 * added after the read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <errno.h>

#include "support/faulty_system.h"

#include "at_risk.h"
#include "dispatch.h"
#include "variable.h"

enum { VALUES = 600, LARGEST = 5000 };

/* Sizes around the limit up to which values are read in advance. */
static size_t size_of(size_t i)
{
    static const size_t sizes[] = { 1, 4, 0, 63, 64, VV_LEAST_AHEAD, 700,
        VV_LEAST_AHEAD + 1, LARGEST, 8 };
    return sizes[i % 10];
}

static uint8_t byte_of(size_t i, size_t at)
{
    return (uint8_t)(i * 31 + at * 7 + 1);
}

static uint8_t memory[VALUES][LARGEST + 1];

/* Adds a variable; if `owned`, in library-owned memory. */
static varve_node *add(varve_node *root, size_t i, bool owned)
{
    char name[16];
    snprintf(name, sizeof name, "x%zu", i);
    varve_shape shape = VARVE_SHAPE(size_of(i));
    return owned ? varve_add_allocated_variable(
                       root, name, VARVE_UINT8, shape, NULL, NULL)
                 : varve_add_variable(root, name,
                       varve_view(memory[i], VARVE_UINT8, shape));
}

static void write_values(void)
{
    varve_node *root = new_root();
    for (size_t i = 0; i < VALUES; i++) {
        for (size_t at = 0; at < size_of(i); at++)
            memory[i][at] = byte_of(i, at);
        add(root, i, false);
    }
    write_root(root);
    free_root(root);
    memset(memory, 0, sizeof memory);
}

static void check_value(const varve_node *node, size_t i)
{
    const uint8_t *bytes = varve_data(node);
    cr_assert_eq(varve_state_of(node), VARVE_RESTORED, "value %zu", i);
    for (size_t at = 0; at < size_of(i); at++)
        cr_assert_eq(bytes[at], byte_of(i, at), "value %zu at %zu", i, at);
}

TEST(late_value, is_restored_in_any_order_of_calls)
{
    static const size_t steps[] = { 1, VALUES - 1, 7, 251 };
    begin_world();
    write_values();
    for (unsigned k = 0; k < 8; k++) {
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_restoration *r =
            read_root(root, &(varve_read_options){ .no_verify = k == 7 });
        for (size_t i = 0; i < VALUES; i++) {
            size_t at = i * steps[k % 4] % VALUES;
            check_value(add(root, at, k >= 4), at);
            cr_assert_eq(memory[at][size_of(at)], 0);
        }
        cr_assert_ok(varve_assert_consumed(r, &error), error);
        varve_restoration_free(r);
        free_root(root);
        memset(memory, 0, sizeof memory);
    }
    end_world();
}

/* Each restoration has its own file, and the older one of two is replaced. */
TEST(late_value, is_read_from_the_opened_file)
{
    float one = 1, two = 2, x = 0, y = 0;
    begin_world();
    varve_node *roots[2];
    varve_restoration *r[2];
    for (int i = 0; i < 2; i++) {
        varve_node *root = new_root();
        varve_add_variable(root, "x", varve_scalar(i ? &two : &one));
        varve_add_variable(root, "y", varve_scalar(COPY_AT(i ? &two : &one)));
        write_root(root);
        free_root(root);
        roots[i] = new_root();
        r[i] = read_root(roots[i], NULL);
        varve_add_variable(roots[i], "x", varve_scalar(&x));
        cr_assert_eq(x, (float)(i + 1));
    }
    for (int i = 0; i < 2; i++) {
        varve_add_variable(roots[i], "y", varve_scalar(&y));
        cr_assert_eq(y, (float)(i + 1));
        varve_restoration_free(r[i]);
        free_root(roots[i]);
    }
    end_world();
}

/* Other values of the same read are delivered. */
TEST(late_value, if_damaged_is_reported_and_restored_after_a_repair)
{
    uint8_t values[3][64], now[3][64] = { { 0 } };
    static const char *const names[] = { "a", "b", "c" };
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < 3; i++) {
        memset(values[i], 0xd1 + 2 * i, sizeof values[i]);
        varve_add_variable(root, names[i],
            varve_view(values[i], VARVE_UINT8, VARVE_SHAPE(64)));
    }
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    size_t size;
    uint8_t *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    uint8_t *place = bytes;
    while (memcmp(place, values[1], 64) != 0)
        place++;
    place[63] ^= 1;
    for (int i = 0; i < 3; i++)
        varve_add_variable(
            root, names[i], varve_view(now[i], VARVE_UINT8, VARVE_SHAPE(64)));
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), &error), VARVE_CORRUPT);
    cr_assert_not_null(strstr(error.message, "a.varve: b: bytes"), "%s",
        error.message);
    cr_assert_arr_eq(now[0], values[0], 64);
    cr_assert_eq(now[1][0], 0, "it holds what is not verified");
    cr_assert_arr_eq(now[2], values[2], 64);
    cr_assert_eq(varve_restoration_retry(r, &error), VARVE_CORRUPT);
    place[63] ^= 1;
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_arr_eq(now[1], values[1], 64);
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

static bool is_late(varve_restoration *r, varve_node *node)
{
    struct vv_pair job = { .node = node, .file = 0 };
    return vv_is_late_value(&r->delivery, &job);
}

TEST(late_value, is_only_a_small_value_with_matching_type)
{
    float x = 1;
    double wide = 0;
    float apart[2] = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .cast = VARVE_CAST_ANY });
    cr_assert(is_late(r, varve_add_variable(root, "same", varve_scalar(&x))));
    cr_assert_not(
        is_late(r, varve_add_variable(root, "wide", varve_scalar(&wide))));
    cr_assert_not(is_late(r, varve_add_variable(root, "row",
                                 varve_array(apart, 1))));
    cr_assert_not(is_late(
        r, varve_add_fixed_variable(root, "fixed", varve_scalar(&x))));
    cr_assert_not(is_late(r, root));
    r->delivery.options = &(varve_read_options){ .salvage.on = true };
    cr_assert_not(is_late(r, varve_find(root, "same")));
    r->delivery.options = &r->pairing.selection.options;
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* A later restoration has to preserve the value. */
TEST(late_value, is_at_risk_once_restored)
{
    begin_world();
    write_values();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    const varve_graph *graph = root->graph;
    cr_assert_not(vv_is_at_risk(graph, r->pairing.number + 1));
    check_value(add(root, 6, true), 6);
    cr_assert(vv_is_at_risk(graph, r->pairing.number + 1));
    cr_assert_not(vv_is_at_risk(graph, r->pairing.number));
    varve_restoration_free(r);
    free_root(root);
    memset(memory, 0, sizeof memory);
    end_world();
}

/* The variable is unchanged, and gets its value with the next try, which reads
 * no more than necessary and has memory. */
TEST(late_value, if_unreadable_is_restored_by_a_later_attempt)
{
    begin_world();
    write_values();
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    for (int owned = 0; owned < 2; owned++) {
        varve_node *root = new_root();
        varve_restoration *r = read_root(root, NULL);
        faulty_plan(faulty, &(struct faulty_plan){ .kinds = FAULTY_READ,
                                .error = EIO, .sticky = true });
        varve_node *node = add(root, 6, owned);
        cr_assert_eq(faulty_count(faulty), 1);
        cr_assert_eq(
            varve_graph_check(varve_node_graph(root), NULL), VARVE_IO);
        faulty_plan(faulty, NULL);
        varve_status status = VARVE_NO_MEMORY;
        for (long n = 0; status; n++) {
            varve_error error = { 0 };
            cr_assert_eq(((uint8_t *)varve_data(node))[0], 0);
            test_fail_allocation(n, false);
            status = varve_restoration_retry(r, &error);
            test_fail_allocation(-1, false);
            cr_assert(!status || status == VARVE_NO_MEMORY);
        }
        check_value(node, 6);
        good(root);
        varve_restoration_free(r);
        free_root(root);
        memset(memory, 0, sizeof memory);
    }
    faulty_free(faulty);
    end_world();
}
