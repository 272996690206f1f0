/* mapping.c - Maps pages of a file. A mapping can outlive its restoration.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mapping.h"

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "system.h"
#include "variable.h"

struct mapping {
    struct vv_borrowed base;
    struct vv_context context;
    size_t before; /* bytes between the start of the first page and the value */
    size_t size;   /* including those */
};

static void mapping_release(struct vv_borrowed *base, void *data)
{
    struct mapping *mapping = (struct mapping *)base;
    struct vv_context context = mapping->context;
    context.system->unmap(context.system->state,
        (unsigned char *)data - mapping->before, mapping->size);
    vv_release(&context.allocator, mapping, sizeof *mapping);
}

varve_status vv_mapping_new(const struct vv_context *context,
    const struct vv_range *range, void **owner, void **data, varve_error *error)
{
    /* A mapping must begin at a page, but the range may begin anywhere. */
    size_t before = (size_t)(range->offset % VV_PAGE_ALIGNMENT);
    struct mapping *mapping = vv_allocate(&context->allocator, sizeof *mapping);
    void *address;
    if (!mapping)
        return vv_fail_memory(error, "a mapping");
    *mapping = (struct mapping){
        .base = { .release = mapping_release },
        .context = *context,
        .before = before,
        .size = before + range->size,
    };
    int result = context->system->map(context->system->state, range->file,
        range->offset - before, mapping->size, &address);
    if (result < 0) {
        vv_release(&context->allocator, mapping, sizeof *mapping);
        return vv_fail_system(error, -result, "map", range->path);
    }
    *owner = &mapping->base;
    *data = (unsigned char *)address + before;
    return VARVE_OK;
}

void vv_mapping_free(void *owner, void *data)
{
    if (owner)
        mapping_release(owner, data);
}
