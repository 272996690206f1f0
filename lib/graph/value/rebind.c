/* rebind.c - Changes the memory or the element type of a variable.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/variable.h>

#include "allocator.h"
#include "convert.h"
#include "failure.h"
#include "fixed_value.h"
#include "graph.h"
#include "memory_table.h"
#include "refresh.h"
#include "slice.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"

/* --- Memory --------------------------------------------------------------- */

/* Binds a variable to other memory of the program. */

/* Returns true if the type matches and, for a slice, the shape. */
static bool may_be_over(const varve_node *node, const varve_tensor *view)
{
    const varve_tensor *now = &node->variable->tensor;
    return vv_tensor_is_valid(view) && now->dtype == view->dtype &&
           (view->data || view->memory || varve_tensor_size(view) == 0) &&
           (vv_shape_equal(now, view) || !varve_slice_of(node));
}

/* Records VARVE_MISMATCH with a description of what the program must change. */
static void refuse_view(const varve_node *node, const varve_tensor *view)
{
    char text[256], tensor[VARVE_TENSOR_TEXT_SIZE];
    const char *where = vv_node_text(node, text, sizeof text);
    bool is_of_rows = view->rank == VV_RANK_OF_OTHER_ROWS;
    for (unsigned i = 0; !is_of_rows && i < view->rank && i < VARVE_MAX_RANK;
         i++) {
        if (view->shape[i] <= INT64_MAX)
            continue;
        vv_graph_error(node->graph, VARVE_MISMATCH,
            "%s: extent -%llu is negative (extent %u of %u): set the count to "
            "the number of elements",
            where, 0 - (unsigned long long)view->shape[i], i + 1,
            (unsigned)view->rank);
        return;
    }
    bool is_null = vv_tensor_is_valid(view) && !view->data && !view->memory &&
                   varve_tensor_size(view) > 0;
    const varve_tensor *wanted = is_null ? view : &node->variable->tensor;
    const char *found = "another view";
    if (is_null)
        found = "NULL: allocate the elements, or set their "
                "count to 0";
    else if (is_of_rows)
        found = "extents that are not those of the array";
    vv_graph_error(node->graph, VARVE_MISMATCH,
        "%s: the memory must be %s, found %s", where,
        varve_tensor_text(wanted, tensor), found);
}

/* Rebinds a variable. It follows the pointer of the new view, if that has one,
 * instead of its own. */
static void rebind(varve_node *node, const varve_tensor *view)
{
    varve_memory strides;
    if (!vv_refresh_follow(node, view)) {
        vv_graph_memory_error(node->graph);
        return;
    }
    varve_tensor now =
        vv_is_followed(view) ? vv_refresh_view(view, &strides) : *view;
    vv_variable_rebind(node, &now);
}

void varve_rebind(varve_node *node, varve_tensor view)
{
    node = vv_or_nil(node);
    char text[256];
    if (vv_is_nil(node)) {
        vv_graph_note_lost(node->graph, "varve_rebind", NULL);
        return;
    }
    if (!node->variable || vv_variable_is_owned(node->variable)) {
        vv_graph_error(node->graph, VARVE_MISUSE,
            "%s: not a variable over memory of the program",
            vv_node_text(node, text, sizeof text));
        return;
    }
    if (!may_be_over(node, &view)) {
        refuse_view(node, &view);
        return;
    }
    node->is_elsewhere = true;
    if (vv_memory_check(&view, node, "memory"))
        rebind(node, &view);
}

/* --- Type ----------------------------------------------------------------- */

/* Converts a variable to another element type. */

static varve_status retype_check(
    const varve_node *node, const varve_tensor *wanted, varve_error *error)
{
    char text[256];
    char now[VARVE_TENSOR_TEXT_SIZE];
    const char *where = vv_node_text(node, text, sizeof text);
    if (!node->variable || !vv_variable_is_owned(node->variable))
        return vv_fail(
            error, VARVE_MISUSE, "%s: not a library-owned variable", where);
    if (node->graph->held >= VV_HOLDS_NODES)
        return vv_fail(error, VARVE_MISUSE,
            "%s: cannot change the type during a callback of the library",
            where);
    if (!vv_tensor_is_valid(wanted) || !vv_slice_may_be(node, wanted->dtype) ||
        !vv_convert_is_possible(node->variable->tensor.dtype, wanted->dtype))
        return vv_fail(error, VARVE_MISMATCH, "%s: cannot convert %s to %s",
            where, varve_tensor_text(&node->variable->tensor, now),
            varve_dtype_name(wanted->dtype));
    return VARVE_OK;
}

/* Converts the value into new memory. A variable without memory gets it later.
 */
static varve_status retype_convert(varve_node *node, varve_tensor *wanted,
    uint64_t *inexact, varve_error *error)
{
    const varve_tensor *now = &node->variable->tensor;
    const varve_allocator *a = &node->graph->context.allocator;
    size_t size = (size_t)varve_tensor_size(wanted);
    if (!now->data)
        return VARVE_OK;
    wanted->data = vv_allocate_value(a, size);
    if (!wanted->data)
        return vv_fail_memory(error, "the value of a variable");
    *inexact = vv_convert(wanted->dtype, wanted->data, now->dtype, now->data,
        varve_tensor_count(now));
    return VARVE_OK;
}

varve_status varve_retype(
    varve_node *node, varve_dtype dtype, uint64_t *inexact, varve_error *error)
{
    uint64_t lost = 0;
    if (!node || vv_is_nil(node))
        return vv_fail(error, VARVE_MISUSE, "node is NULL");
    varve_tensor wanted = { .dtype = dtype };
    if (node->variable) {
        wanted = vv_tensor_copy(&node->variable->tensor);
        wanted.dtype = dtype;
        wanted.data = NULL;
    }
    VV_TRY(retype_check(node, &wanted, error));
    if (dtype != node->variable->tensor.dtype) {
        VV_TRY(retype_convert(node, &wanted, &lost, error));
        vv_variable_borrow(node, NULL, NULL); /* frees the previous memory */
        node->variable->tensor.dtype = dtype;
        node->variable->tensor.data = wanted.data;
        vv_fixed_value_record(node);
    }
    if (inexact)
        *inexact = lost;
    return VARVE_OK;
}
