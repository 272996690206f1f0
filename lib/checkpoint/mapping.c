/* mapping.c - a mapping that outlives the restoration which made it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mapping.h"

#include "allocator.h"
#include "failure.h"
#include "system.h"
#include "variable.h"

struct mapping {
    struct vv_borrowed base;
    struct vv_context context;
    size_t size;
};

static void release(struct vv_borrowed *base, void *data)
{
    struct mapping *mapping = (struct mapping *)base;
    struct vv_context context = mapping->context;
    context.system->unmap(context.system->state, data, mapping->size);
    vv_release(&context.allocator, mapping, sizeof *mapping);
}

varve_status vv_mapping_new(const struct vv_context *context,
    const struct vv_data_in *file, uint64_t offset, size_t size, void **owner,
    void **data, varve_error *error)
{
    struct mapping *mapping = vv_allocate(&context->allocator, sizeof *mapping);
    if (!mapping)
        return vv_fail_memory(error, "a mapping");
    *mapping = (struct mapping){
        .base = { .release = release },
        .context = *context,
        .size = size,
    };
    int result = context->system->map(
        context->system->state, file->file, offset, size, data);
    if (result < 0) {
        vv_release(&context->allocator, mapping, sizeof *mapping);
        return vv_fail_system(error, -result, "map", file->path);
    }
    *owner = &mapping->base;
    return VARVE_OK;
}

void vv_mapping_free(void *owner, void *data)
{
    if (owner)
        release(owner, data);
}
