/* rebind.c - Binds a variable to other memory of the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/variable.h>

#include "graph.h"
#include "memory_table.h"
#include "refresh.h"
#include "shape.h"
#include "slice.h"
#include "variable.h"

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
