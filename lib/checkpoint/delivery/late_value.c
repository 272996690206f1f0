/* late_value.c - Reads, verifies and copies a single small value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "late_value.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "delivery_state.h"
#include "fixed.h"
#include "layout.h"
#include "memory_table.h"
#include "piece_table.h"
#include "reading.h"
#include "at_risk.h"
#include "touch.h"
#include "try.h"

static size_t late_value_size_of(const struct vv_delivery *d, uint32_t value)
{
    uint64_t size = vv_at64(vv_index_of(d->pairing)->value_sizes, value);
    return size <= VV_LEAST_AHEAD ? (size_t)size : VV_LEAST_AHEAD + 1;
}

/* Returns true if the options need nothing that only a transfer does. */
static bool is_plain_read(const struct vv_delivery *d)
{
    return !d->options->salvage.on && !d->options->progress && !d->consent &&
           !d->leaves_from && vv_opened_has_digests(d->file);
}

bool vv_is_late_value(const struct vv_delivery *d, const struct vv_pair *job)
{
    const varve_node *node = job->node;
    size_t size = late_value_size_of(d, job->file);
    if (VV_BIG_ENDIAN || !node->variable || !size || size > VV_LEAST_AHEAD ||
        !is_plain_read(d))
        return false;
    const varve_tensor *tensor = &node->variable->tensor;
    return tensor->dtype != VARVE_STRING && !vv_needs_copy_in(tensor) &&
           vv_is_alike(d->pairing, node, job->file) && !vv_is_fixed(node) &&
           !vv_variable_is_null(node->variable) &&
           !vv_brings_shape(d, node, job->file) &&
           vv_piece_count(vv_index_of(d->pairing), job->file) <= 1;
}

static varve_status late_value_find_bytes(struct vv_delivery *d,
    const struct vv_pair *job, const unsigned char **bytes, varve_error *error)
{
    const struct vv_index *index = vv_index_of(d->pairing);
    VV_TRY(vv_readahead_take(&d->readahead, d->file,
        vv_at64(index->value_offsets, job->file),
        late_value_size_of(d, job->file), bytes, error));
    varve_status status = vv_check_piece(
        d, job->node, job->file, 0, *bytes, d->options->no_verify, error);
    if (status)
        vv_readahead_forget(&d->readahead);
    return status;
}

/* Returns the memory of a variable, allocating it if needed, or NULL if out of
 * memory. */
static void *find_memory(const varve_node *node, size_t size)
{
    const struct vv_variable *variable = node->variable;
    if (!variable->tensor.data && vv_variable_is_owned(variable))
        return vv_allocate_value(&node->graph->context.allocator, size);
    return variable->tensor.data;
}

varve_status vv_bring_late_value(
    struct vv_delivery *d, const struct vv_pair *job, varve_error *error)
{
    const unsigned char *bytes;
    varve_node *node = job->node;
    size_t size = late_value_size_of(d, job->file);
    if (!vv_reserve_at_risk(node->graph))
        return vv_fail_memory(error, "a restoration");
    vv_graph_values_change(node->graph);
    vv_will_touch(node);
    VV_TRY(d->read_failure = late_value_find_bytes(d, job, &bytes, error));
    void *memory = find_memory(node, size);
    if (!memory)
        return vv_fail_memory(error, "the value of a variable");
    memcpy(memory, bytes, size);
    node->variable->tensor.data = memory;
    node->value_state = VARVE_RESTORED;
    vv_put_at_risk(node->graph, d->pairing->number);
    vv_note_delivered(d, node, job->file);
    return VARVE_OK;
}
