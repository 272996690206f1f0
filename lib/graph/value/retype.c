/* retype.c - Converts a variable to another element type.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/variable.h>

#include "allocator.h"
#include "convert.h"
#include "failure.h"
#include "fixed_value.h"
#include "graph.h"
#include "shape.h"
#include "slice.h"
#include "try.h"
#include "variable.h"

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
