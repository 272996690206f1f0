/* manager_metadata.c - Collects the metadata of a manager's checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_metadata.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "lineage.h"

enum { OWN_METADATA = 6 }; /* manager, step, time, metric, run, parent */

static void manager_metadata_add(struct vv_manager_metadata *metadata,
    const varve_metadata *more, size_t count)
{
    if (count)
        memcpy(metadata->all + metadata->count, more, count * sizeof *more);
    metadata->count += count;
}

static void manager_metadata_add_own(struct vv_manager_metadata *metadata,
    const varve_manager *m, const struct vv_manager_order *order)
{
    varve_metadata *own = metadata->all + metadata->count;
    *own++ = (varve_metadata){ .name = VV_MANAGER_KEY,
        .kind = VARVE_METADATA_STRING,
        .string = m->listing.prefix };
    *own++ = (varve_metadata){ .name = VV_STEP_KEY,
        .kind = VARVE_METADATA_INTEGER,
        .integer = order->step };
    if (m->options.keep_every_seconds || m->options.record_time)
        *own++ = (varve_metadata){ .name = VV_TIME_KEY,
            .kind = VARVE_METADATA_INTEGER,
            .integer = order->time };
    if (order->has_metric)
        *own++ = (varve_metadata){ .name = m->listing.metric,
            .kind = VARVE_METADATA_REAL,
            .real = order->metric };
    *own++ = (varve_metadata){
        .name = VV_RUN_KEY, .kind = VARVE_METADATA_STRING, .string = m->run
    };
    if (*m->parent)
        *own++ = (varve_metadata){ .name = VV_PARENT_KEY,
            .kind = VARVE_METADATA_STRING,
            .string = m->parent };
    metadata->count = (size_t)(own - metadata->all);
}

varve_status vv_manager_metadata_collect(const varve_manager *m,
    const struct vv_manager_order *order, const varve_write_options *write,
    const varve_manager_save_options *options,
    struct vv_manager_metadata *metadata, varve_error *error)
{
    metadata->count = 0;
    metadata->most =
        write->metadata_count + options->metadata_count + OWN_METADATA;
    metadata->all = vv_allocate_array(
        &m->context.allocator, metadata->most, sizeof *metadata->all);
    if (!metadata->all)
        return vv_fail_memory(error, "metadata");
    manager_metadata_add(metadata, write->metadata, write->metadata_count);
    manager_metadata_add(metadata, options->metadata, options->metadata_count);
    manager_metadata_add_own(metadata, m, order);
    return VARVE_OK;
}

void vv_manager_metadata_clear(
    const varve_manager *m, struct vv_manager_metadata *metadata)
{
    if (metadata->all)
        vv_release(&m->context.allocator, metadata->all,
            metadata->most * sizeof *metadata->all);
    metadata->all = NULL;
}
