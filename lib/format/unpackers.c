/* unpackers.c - Exchanges pointers atomically, and never dereferences those of
 * others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unpackers.h"

struct vv_unpacker *vv_unpackers_take(
    struct vv_unpackers *unpackers, const struct vv_context *context)
{
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++) {
        struct vv_unpacker *found = atomic_exchange(&unpackers->idle[i], NULL);
        if (found)
            return found;
    }
    return vv_unpacker_new(context);
}

void vv_unpackers_give(
    struct vv_unpackers *unpackers, struct vv_unpacker *unpacker)
{
    for (unsigned i = 0; i < VV_MAX_WORKERS && unpacker; i++)
        unpacker = atomic_exchange(&unpackers->idle[i], unpacker);
    vv_unpacker_free(unpacker);
}

void vv_unpackers_clear(struct vv_unpackers *unpackers)
{
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
        vv_unpacker_free(atomic_exchange(&unpackers->idle[i], NULL));
}
