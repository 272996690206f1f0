/* test_memory_table.c - Tests descriptions of memory that is not contiguous.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "memory_table.h"
#include "support/views.h"

struct particle {
    double x, y;
    int32_t kind;
};

static struct particle p[5];

#define XS varve_strided(&p[0].x, VARVE_STRIDES(sizeof *p), 5)

TEST(memory_table, is_a_copy_with_its_strides)
{
    varve_graph *graph = new_graph();
    int64_t strides[] = { sizeof *p };
    const varve_memory memory = { .strides = strides };
    varve_node *x = varve_add_variable(varve_graph_root(graph), "x",
        varve_view_in(&memory, &p[0].x, VARVE_FLOAT64, VARVE_SHAPE(5)));
    strides[0] = 1;
    const varve_tensor *value = varve_value(x);
    cr_assert_neq(value->memory, &memory);
    cr_assert_eq(value->memory->strides[0], (int64_t)sizeof *p);
    cr_assert_eq(varve_data(x), &p[0].x);
    free_good(graph);
}

TEST(memory_table, is_supported_for_detached_variables_slices_and_slots)
{
    const uint64_t start[] = { 10 };
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *slice =
        varve_add_slice(root, "slice", XS, VARVE_SHAPE(20), start);
    varve_node *slot = varve_add_slot(root, slice, "slot", XS);
    varve_node *other = varve_add_detached_variable(graph, XS);
    varve_node *like = varve_add_slot_like(root, slice, "like", NULL, NULL);
    cr_assert(varve_value(slice)->memory && varve_value(slot)->memory);
    cr_assert(varve_value(other)->memory);
    /* library-owned memory is contiguous */
    cr_assert_null(varve_value(like)->memory);
    cr_assert_not_null(varve_data(like));
    varve_track(root, "other", other);
    varve_remove(slice);
    free_good(graph);
}

TEST(memory_table, is_freed_with_its_variable_and_replaced_by_rebind)
{
    double plain[5] = { 1, 2, 3, 4, 5 };
    varve_graph *graph = new_graph();
    varve_node *x = varve_add_variable(varve_graph_root(graph), "x", XS);
    long blocks = test_block_count();
    varve_rebind(x, *varve_value(x)); /* the same view, from the graph itself */
    cr_assert_eq(varve_value(x)->memory->strides[0], (int64_t)sizeof *p);
    cr_assert_eq(test_block_count(), blocks);
    varve_rebind(x, varve_array(plain, 5));
    cr_assert_null(varve_value(x)->memory);
    cr_assert_eq(test_block_count(), blocks - 1);
    varve_rebind(x, XS);
    cr_assert_not_null(varve_value(x)->memory);
    free_good(graph);
}

/* --- Errors --------------------------------------------------------------- */

static varve_status nothing_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    (void)self, (void)offset, (void)bytes, (void)size;
    return VARVE_OK;
}

static varve_status nothing_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    (void)self, (void)offset, (void)bytes, (void)size;
    return VARVE_OK;
}

static void refuse(varve_tensor view, varve_status status, const char *words)
{
    for (int way = 0; way < 2; way++) {
        varve_error error = { 0 };
        varve_graph *graph = new_graph();
        varve_node *root = varve_graph_root(graph);
        double room[5];
        if (way == 0)
            cr_assert(vv_is_nil(varve_add_variable(root, "x", view)));
        else if (view.dtype == VARVE_FLOAT64)
            varve_rebind(
                varve_add_variable(root, "x", varve_array(room, 5)), view);
        else
            vv_graph_error(graph, status, "%s", words);
        cr_assert_eq(varve_graph_check(graph, &error), status);
        cr_assert(strstr(error.message, words), "%s", error.message);
        free_bad(graph, status);
    }
}

TEST(memory_table, that_is_invalid_is_an_error)
{
    const varve_memory both = { .copy_out = nothing_out,
        .copy_in = nothing_in };
    const varve_memory none = { .copy_out = nothing_out };
    const varve_memory later = { .copy_out = nothing_out,
        .copy_in = nothing_in, .reserved = { (void *)p } };
    varve_string text[2] = { { "a", 1 }, { "b", 1 } };
    double room[5];
    const varve_shape five = VARVE_SHAPE(5);
    refuse(varve_strided(room, VARVE_STRIDES(7), 5), VARVE_BAD_SHAPE,
        "let elements overlap");
    refuse(varve_strided((double *)NULL, VARVE_STRIDES(8), 5), VARVE_MISUSE,
        "allocate the elements");
    refuse(varve_far(&none, VARVE_FLOAT64, five), VARVE_MISUSE,
        "`copy_out` and `copy_in` must be set");
    refuse(varve_view_in(&both, room, VARVE_FLOAT64, five), VARVE_MISUSE,
        "data == NULL");
    refuse(varve_far(&later, VARVE_FLOAT64, five), VARVE_TOO_NEW,
        "varve_memory");
    refuse(varve_strided(text, VARVE_STRIDES(16), 2), VARVE_MISUSE,
        "strings cannot");
}

/* --- Device memory -------------------------------------------------------- */

TEST(memory_table, of_access_functions_cannot_be_library_owned)
{
    struct view v;
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    view_make_far(&v, VARVE_FLOAT64, VARVE_SHAPE(5));
    varve_node *x = varve_add_variable(root, "x", v.tensor);
    varve_add_object(root, "x");
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_DUPLICATE);
    cr_assert_null(varve_data(x));
    free_good(graph);
    view_free(&v);
}

TEST(memory_table, reports_failed_allocations)
{
    for (long i = 0;; i++) {
        varve_error error = { 0 };
        varve_graph *graph = new_graph();
        double plain[5] = { 0 };
        varve_node *root = varve_graph_root(graph);
        varve_node *y = varve_add_variable(root, "y", varve_array(plain, 5));
        test_fail_allocation(i, false);
        varve_add_variable(root, "x", XS);
        varve_rebind(y, XS);
        varve_status status = varve_graph_check(graph, &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert_eq(status == VARVE_OK, varve_find(root, "x") != NULL &&
                                             varve_value(y)->memory != NULL);
        varve_graph_free(graph);
        if (!status) {
            cr_assert_geq(i, 2);
            break;
        }
    }
}
