/* value_bytes.c - Copies values in and out, by their strides or by functions of
 * the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value_bytes.h"

#include <string.h>

#include "failure.h"
#include "graph.h"
#include "memory_table.h"
#include "strided.h"
#include "try.h"
#include "variable.h"

static varve_status value_bytes_check_call(const varve_node *node,
    varve_status status, const char *way, varve_error *error)
{
    char path[256];
    if (!status)
        return VARVE_OK;
    return vv_fail(error, vv_status_of_callback(status),
        "%s: copying its value %s failed with %s",
        vv_node_text(node, path, sizeof path), way, varve_status_name(status));
}

static size_t range_size(size_t left)
{
    return left < VV_RANGE_SIZE ? left : VV_RANGE_SIZE;
}

static varve_status far_out(const varve_node *node, uint64_t offset,
    unsigned char *bytes, size_t size, varve_error *error)
{
    const varve_memory *m = node->variable->tensor.memory;
    for (size_t at = 0, part; at < size; at += part) {
        part = range_size(size - at);
        VV_TRY(value_bytes_check_call(node,
            m->copy_out(m->self, offset + at, bytes + at, part), "out", error));
    }
    return VARVE_OK;
}

static varve_status far_in(const varve_node *node, uint64_t offset,
    const unsigned char *bytes, size_t size, varve_error *error)
{
    const varve_memory *m = node->variable->tensor.memory;
    for (size_t at = 0, part; at < size; at += part) {
        part = range_size(size - at);
        VV_TRY(value_bytes_check_call(node,
            m->copy_in(m->self, offset + at, bytes + at, part), "in", error));
    }
    return VARVE_OK;
}

varve_status vv_value_out(const varve_node *node, uint64_t offset, void *bytes,
    size_t size, varve_error *error)
{
    const varve_tensor *tensor = &node->variable->tensor;
    if (vv_is_far(tensor))
        return far_out(node, offset, bytes, size, error);
    if (vv_needs_copy_in(tensor))
        vv_strided_out(tensor, offset, bytes, size);
    else if (size > 0)
        memcpy(bytes, (const unsigned char *)tensor->data + offset, size);
    return VARVE_OK;
}

varve_status vv_value_in(const varve_node *node, uint64_t offset,
    const void *bytes, size_t size, varve_error *error)
{
    const varve_tensor *tensor = &node->variable->tensor;
    if (vv_is_far(tensor))
        return far_in(node, offset, bytes, size, error);
    if (vv_needs_copy_in(tensor))
        vv_strided_in(tensor, offset, bytes, size);
    else if (size > 0)
        memcpy((unsigned char *)tensor->data + offset, bytes, size);
    return VARVE_OK;
}
