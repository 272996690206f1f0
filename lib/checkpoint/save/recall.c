/* recall.c - Finds the digests of chunks that are unchanged since a save of
 * this process computed them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "recall.h"

#include <string.h>

#include "failure.h"
#include "layout.h"
#include "saved_path.h"
#include "try.h"

/* --- Finding digests ------------------------------------------------------ */

static const uint8_t *recall_find(
    const struct vv_save_plan *save_plan, const struct vv_known_chunk *c)
{
    const struct vv_known_digests *known = save_plan->unchanged.known;
    const uint8_t *sizes = save_plan->columns.index.value_sizes.data;
    uint64_t at = c->chunk * VV_CHUNK_SIZE;
    uint64_t left = known ? vv_at64(sizes, c->value) - at : 0;
    const struct vv_span span = { .value = c->value,
        .at = at,
        .size = left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE };
    if (!known || !vv_is_unchanged(&save_plan->unchanged, &span, known->moment))
        return NULL;
    return known->digests + c->number * VV_DIGEST_SIZE;
}

bool vv_is_recalled(
    const struct vv_save_plan *save_plan, const struct vv_known_chunk *c)
{
    return recall_find(save_plan, c) != NULL;
}

static const uint8_t *known_before(
    const void *user, uint32_t value, uint64_t chunk, uint64_t number)
{
    return recall_find(user, &(struct vv_known_chunk){ value, chunk, number });
}

/* Page digests are part of an index, which only rank 0 has. */
static bool has_no_pages(const void *user, uint32_t value, uint64_t chunk,
    struct vv_known_pages *pages)
{
    (void)user, (void)value, (void)chunk, (void)pages;
    return false;
}

varve_status vv_recall_digests(struct vv_save_plan *save_plan,
    vv_wants_digests *wants, const void *user, varve_error *error)
{
    struct vv_known known = {
        .digest = known_before,
        .pages = has_no_pages,
        .user = save_plan,
        .is_verified = save_plan->options.increment.verify_clean,
        .other = VV_NONE,
    };
    vv_unchanged_take(
        &save_plan->unchanged, save_plan->columns.index.value_sizes.data);
    VV_TRY(vv_save_plan_digest_some(save_plan, &known, wants, user, error));
    return known.other == VV_NONE ? VARVE_OK
                                  : vv_fail_untouched(save_plan, known.other,
                                        "the save before", error);
}

/* --- After the save ------------------------------------------------------- */

varve_status vv_recall_check(const struct vv_save_plan *save_plan,
    const struct vv_known_chunk *c, const void *bytes, size_t size,
    varve_error *error)
{
    const struct vv_digest digest = vv_digest_of(bytes, size);
    const uint8_t *expected =
        save_plan->columns.index.digests.data + c->number * VV_DIGEST_SIZE;
    return memcmp(digest.bytes, expected, VV_DIGEST_SIZE) == 0
               ? VARVE_OK
               : vv_fail_untouched(
                     save_plan, c->value, "the save before", error);
}

void vv_recall_keep(struct vv_save_plan *save_plan)
{
    struct vv_index index;
    if (save_plan->unchanged.past &&
        !vv_save_plan_index(save_plan, &index, NULL))
        vv_unchanged_keep(&save_plan->unchanged, &index);
}

void vv_recall_drop(struct vv_save_plan *save_plan)
{
    vv_unchanged_drop(&save_plan->unchanged);
}

varve_status vv_fail_untouched(const struct vv_save_plan *save_plan,
    uint32_t value, const char *where, varve_error *error)
{
    struct vv_index index;
    struct vv_saved_paths paths;
    struct vv_buffer path;
    VV_TRY(vv_save_plan_index(save_plan, &index, error));
    VV_TRY(vv_saved_paths_begin(
        &paths, &save_plan->context.allocator, &index, 0, error));
    vv_buffer_init(&path, &save_plan->context.allocator);
    vv_saved_path(&paths, vv_at32(index.value_nodes, value), &path);
    vv_saved_paths_end(&paths);
    varve_status status = vv_fail(error, VARVE_MISUSE,
        "%s: the value differs from that in %s, but was not marked dirty",
        vv_buffer_string(&path), where);
    vv_buffer_clear(&path);
    return status;
}
