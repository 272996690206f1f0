/* fixed_value.c - Records checksums of fixed values, and compares them.
 *
 * Only varve_tag records values. Members of structs that contain counts have
 * the tag too (vv_tag), but the program may change them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixed_value.h"

#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "checksum.h"
#include "convert.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "memory_table.h"
#include "node.h"
#include "state.h"
#include "tag.h"
#include "try.h"
#include "value_bytes.h"
#include "variable.h"

/* The size of the pieces that are hashed. So a checksum does not depend on
 * whether the value is contiguous or copied out first. */
enum { PIECE_SIZE = 1 << 16 };

struct fixed_value {
    struct vv_attachment attachment;
    uint64_t sum;
    bool is_known;
};

static const struct vv_attachment_kind kind = {
    .size = sizeof(struct fixed_value),
};

/* --- Checksums ------------------------------------------------------------ */

static uint64_t fixed_value_add_bytes(
    uint64_t sum, const void *bytes, size_t size)
{
    const uint64_t both[2] = { sum, vv_hash_of(bytes, size) };
    return vv_hash_of(both, sizeof both);
}

static uint64_t fixed_value_add_strings(
    uint64_t sum, const varve_tensor *tensor)
{
    const varve_string *strings = tensor->data;
    uint64_t count = varve_tensor_count(tensor);
    for (uint64_t i = 0; i < count; i++)
        sum = fixed_value_add_bytes(sum, strings[i].size ? strings[i].data : "",
            (size_t)strings[i].size);
    return sum;
}

static size_t piece_of(uint64_t left)
{
    return left < PIECE_SIZE ? (size_t)left : PIECE_SIZE;
}

static varve_status add_copied(
    const varve_node *node, uint64_t *sum, varve_error *error)
{
    const varve_allocator *a = &node->graph->context.allocator;
    uint64_t size = varve_tensor_size(&node->variable->tensor);
    size_t room = piece_of(size);
    varve_status status = VARVE_OK;
    void *piece = vv_allocate(a, room);
    if (!piece)
        return vv_fail_memory(error, "the checksum of a fixed value");
    for (uint64_t at = 0; at < size && !status; at += room) {
        size_t part = piece_of(size - at);
        status = vv_value_out(node, at, piece, part, error);
        if (!status)
            *sum = fixed_value_add_bytes(*sum, piece, part);
    }
    vv_release(a, piece, room);
    return status;
}

/* Includes the shape: equal bytes with another shape are a different value. */
static varve_status sum_variable(
    const varve_node *node, uint64_t *sum, varve_error *error)
{
    const varve_tensor *tensor = &node->variable->tensor;
    uint64_t size = varve_tensor_size(tensor);
    *sum = fixed_value_add_bytes(
        tensor->dtype, tensor->shape, tensor->rank * sizeof *tensor->shape);
    if (size == 0)
        return VARVE_OK;
    if (vv_needs_copy_in(tensor))
        return add_copied(node, sum, error);
    if (tensor->dtype == VARVE_STRING) {
        *sum = fixed_value_add_strings(*sum, tensor);
        return VARVE_OK;
    }
    const unsigned char *bytes = tensor->data;
    for (uint64_t at = 0; at < size; at += PIECE_SIZE)
        *sum = fixed_value_add_bytes(*sum, bytes + at, piece_of(size - at));
    return VARVE_OK;
}

/* --- Recording ------------------------------------------------------------ */

/* Returns true if a value can be recorded now. Library-owned memory has no
 * value before it is initialized or restored, and functions of the program are
 * called only by saves and restorations. */
static bool fixed_value_has_value(const varve_node *node)
{
    const struct vv_variable *variable = node->variable;
    if (vv_variable_is_null(variable) || vv_is_far(&variable->tensor))
        return false;
    return !vv_variable_is_owned(variable) ||
           node->value_state == VARVE_INITIALIZED ||
           node->value_state == VARVE_RESTORED;
}

static varve_status sum_state(
    varve_node *node, uint64_t *sum, varve_error *error)
{
    struct vv_buffer bytes;
    vv_buffer_init(&bytes, &node->graph->context.allocator);
    varve_status status = vv_state_save(node, "a fixed state", &bytes, error);
    *sum = fixed_value_add_bytes(
        0, bytes.data ? bytes.data : (const void *)"", bytes.size);
    vv_buffer_clear(&bytes);
    return status;
}

/* Records the value. If memory runs out, the next check records it. */
static void record(varve_node *node, struct fixed_value *fixed)
{
    const struct vv_node_state *state = vv_state_of(node);
    fixed->is_known = false;
    if (node->variable && fixed_value_has_value(node))
        fixed->is_known = !sum_variable(node, &fixed->sum, NULL);
    else if (state && state->is_plain)
        fixed->is_known = !sum_state(node, &fixed->sum, NULL);
}

void vv_fixed_value_record(varve_node *node)
{
    struct fixed_value *fixed = vv_attachment_find(node, &kind);
    if (fixed)
        record(node, fixed);
}

void vv_fixed_value_record_at(const varve_node *parent, const void *memory)
{
    const struct vv_edge *edge = vv_first_edge(parent);
    for (; edge; edge = vv_next_edge(edge)) {
        varve_node *node = edge->public.node;
        if (node->variable && node->variable->tensor.data == memory)
            vv_fixed_value_record(node);
    }
}

void varve_tag(varve_node *node, const char *tag)
{
    node = vv_or_nil(node);
    bool is_fixed = !vv_is_nil(node) && tag &&
                    strcmp(tag, VARVE_TAG_FIXED) == 0 &&
                    (node->variable || vv_state_of(node));
    struct fixed_value *fixed =
        is_fixed ? vv_attachment_make(node, &kind) : NULL;
    if (is_fixed && !fixed) {
        vv_graph_memory_error(node->graph);
        return;
    }
    vv_tag(node, tag);
    if (fixed && !varve_has_tag(node, tag))
        vv_attachment_drop(node, &kind);
    else if (fixed)
        record(node, fixed);
}

void varve_untag(varve_node *node, const char *tag)
{
    node = vv_or_nil(node);
    vv_untag(node, tag);
    if (tag && strcmp(tag, VARVE_TAG_FIXED) == 0)
        vv_attachment_drop(node, &kind);
}

/* --- Comparing ------------------------------------------------------------ */

/* The checksum does not contain the previous value, so the message cannot
 * either. */
static varve_status fixed_value_fail(const varve_node *node, varve_error *error)
{
    char path[256], found[VV_ELEMENT_TEXT_SIZE] = "another one";
    const varve_tensor *tensor =
        node->variable ? &node->variable->tensor : NULL;
    if (tensor && varve_tensor_count(tensor) == 1 && !vv_needs_copy_in(tensor))
        vv_element_text(tensor->dtype, tensor->data, found);
    return vv_fail(error, VARVE_MISUSE,
        "%s: a fixed value has changed since it was recorded, found %s: rebind "
        "memory that has moved or was freed (varve_rebind, "
        "varve_rebind_struct); if the program changed the value, record it "
        "again with varve_tag(node, VARVE_TAG_FIXED)",
        vv_node_text(node, path, sizeof path), found);
}

varve_status vv_fixed_value_check(
    varve_node *node, const void *bytes, size_t size, varve_error *error)
{
    struct fixed_value *fixed = vv_attachment_find(node, &kind);
    uint64_t sum;
    if (!fixed)
        return VARVE_OK;
    if (node->variable)
        VV_TRY(sum_variable(node, &sum, error));
    else
        sum = fixed_value_add_bytes(0, bytes && size ? bytes : "", size);
    if (fixed->is_known)
        return sum == fixed->sum ? VARVE_OK : fixed_value_fail(node, error);
    fixed->sum = sum;
    fixed->is_known = true;
    return VARVE_OK;
}
