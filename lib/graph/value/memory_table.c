/* memory_table.c - Checks and copies the description of memory that is not
 * contiguous.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory_table.h"

#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "graph.h"
#include "strided.h"
#include "try.h"

static bool memory_table_refuse(const varve_node *where, varve_status status,
    const char *name, const char *reason)
{
    char path[256];
    vv_graph_error(where->graph, status, "%s: \"%.200s\": %s",
        vv_node_text(where, path, sizeof path), name, reason);
    return false;
}

static bool refuse_null(
    const varve_tensor *view, const varve_node *where, const char *name)
{
    char text[VARVE_TENSOR_TEXT_SIZE], reason[VARVE_TENSOR_TEXT_SIZE + 192];
    snprintf(reason, sizeof reason,
        "the pointer for %s is NULL: allocate the elements, or set their count "
        "to 0",
        varve_tensor_text(view, text));
    return memory_table_refuse(where, VARVE_MISUSE, name, reason);
}

static bool check_strides(
    const varve_tensor *view, const varve_node *where, const char *name)
{
    if (!vv_strides_are_disjoint(view))
        return memory_table_refuse(where, VARVE_BAD_SHAPE, name,
            "the strides let elements overlap: each stride must exceed the "
            "span of the narrower dimensions");
    if (!view->data && varve_tensor_size(view) > 0 && !view->memory->pointer)
        return refuse_null(view, where, name);
    return true;
}

static bool check_pointer(
    const varve_tensor *view, const varve_node *where, const char *name)
{
    if (view->memory->copy_out || view->memory->copy_in)
        return memory_table_refuse(where, VARVE_MISUSE, name,
            "`pointer` excludes `copy_out` and `copy_in`");
    if (view->rank && !view->memory->extents)
        return memory_table_refuse(where, VARVE_MISUSE, name,
            "`extents` is NULL, and `pointer` is set");
    return true;
}

bool vv_memory_check(
    const varve_tensor *view, const varve_node *where, const char *name)
{
    const varve_memory *m = view->memory;
    if (!m && !view->data && varve_tensor_size(view) > 0)
        return refuse_null(view, where, name);
    if (!m)
        return true;
    if (VV_CHECK_ROOM(m->reserved, NULL))
        return memory_table_refuse(where, VARVE_TOO_NEW, name,
            "the reserved fields of varve_memory must be 0");
    if (m->invalid)
        return memory_table_refuse(where, VARVE_MISUSE, name, m->invalid);
    if (m->pointer && !m->strides)
        return check_pointer(view, where, name);
    if (view->dtype == VARVE_STRING)
        return memory_table_refuse(where, VARVE_MISUSE, name,
            "strings cannot have strides or access functions");
    if (m->strides)
        return check_strides(view, where, name);
    if (!m->copy_out || !m->copy_in)
        return memory_table_refuse(where, VARVE_MISUSE, name,
            "`copy_out` and `copy_in` must be set, or `strides`");
    if (view->data)
        return memory_table_refuse(where, VARVE_MISUSE, name,
            "views with access functions must have data == NULL");
    return true;
}

static size_t table_size(const varve_tensor *tensor)
{
    return sizeof(varve_memory) +
           (tensor->memory->strides ? tensor->rank * sizeof(int64_t) : 0);
}

bool vv_memory_keep(varve_tensor *to, const varve_tensor *view,
    const varve_allocator *allocator)
{
    const varve_memory *from = view->memory;
    to->memory = NULL;
    if (!from)
        return true;
    varve_memory *table = vv_allocate(allocator, table_size(view));
    if (!table)
        return false;
    *table = *from;
    if (from->strides) {
        int64_t *strides = (int64_t *)(void *)(table + 1);
        if (view->rank)
            memcpy(strides, from->strides, view->rank * sizeof *strides);
        *table = (varve_memory){ .strides = strides };
    }
    to->memory = table;
    return true;
}

void vv_memory_free(varve_tensor *tensor, const varve_allocator *allocator)
{
    if (tensor->memory)
        vv_release(allocator, (void *)tensor->memory, table_size(tensor));
    tensor->memory = NULL;
}
