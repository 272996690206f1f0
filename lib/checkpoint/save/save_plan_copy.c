/* save_plan_copy.c - Copies the data of a save plan, except what the previous
 * checkpoint already contains.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_plan_copy.h"

#include <string.h>

#include "allocator.h"
#include "data_in.h"
#include "failure.h"
#include "index_find.h"
#include "layer_base.h"
#include "layer_columns.h"
#include "layout.h"
#include "poison.h"
#include "try.h"
#include "worker.h"

/* --- Data that need not be copied ----------------------------------------- */

/* Finds the data that an asynchronous save need not copy, as its base already
 * contains it.
 *
 * This is determined twice: before the copy and before the data is written.
 * Both results are the same if the base and its moment are the same. */

struct vv_elided {
    struct vv_index index; /* index of the save plan */
    struct vv_layer_base base;
    struct vv_layer_known known;
};

/* --- Finding reusable data ------------------------------------------------ */

static varve_status copy_elision_find(struct vv_elided *s,
    const struct vv_save_plan *save_plan, const char *base, const char *path,
    varve_error *error)
{
    VV_TRY(vv_save_plan_index(save_plan, &s->index, error));
    VV_TRY(vv_layer_base_open(
        &s->base, &save_plan->context, base, path, &s->index, error));
    s->known = vv_layer_known_of(&save_plan->unchanged, &s->index, &s->base);
    return VARVE_OK;
}

varve_status vv_save_plan_find_reusable(struct vv_save_plan *save_plan,
    const char *base, const char *path, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    if (!save_plan->unchanged.past || save_plan->options.increment.verify_clean)
        return VARVE_OK;
    save_plan->reused = vv_allocate_zeroed(a, sizeof *save_plan->reused);
    if (!save_plan->reused)
        return vv_fail_memory(error, "the checkpoint before");
    varve_status status =
        copy_elision_find(save_plan->reused, save_plan, base, path, error);
    if (status || !save_plan->reused->known.is_known)
        vv_save_plan_end_reuse(save_plan);
    return status;
}

void vv_save_plan_end_reuse(struct vv_save_plan *save_plan)
{
    vv_layer_base_close(&save_plan->reused->base);
    vv_release(&save_plan->context.allocator, save_plan->reused,
        sizeof *save_plan->reused);
    save_plan->reused = NULL;
}

/* --- What must be copied -------------------------------------------------- */

/* Returns true if the base has page digests of a chunk and most of its pages
 * are unchanged. All bytes of any other chunk are read when it is written. */
static bool has_few_changes(
    const struct vv_elided *s, uint32_t value, uint64_t chunk, bool *is_changed)
{
    size_t count = 0;
    if (!vv_layer_base_pairs(&s->base, &s->index, value) ||
        !vv_page_sums_find(&s->base.file.parsed.index,
            vv_layer_base_chunk(&s->base, value, chunk)))
        return false;
    vv_layer_known_mark(&s->known, value, chunk, is_changed);
    for (size_t i = 0; i < VV_CHUNK_PAGES; i++)
        count += is_changed[i];
    return !vv_is_mostly_new(count, VV_CHUNK_SIZE);
}

/* Calls `take` once for each run of pages that are all changed or all
 * unchanged. */
static varve_status each_of_pages(const struct vv_save_plan *save_plan,
    struct vv_elided_part part, const bool *is_changed, vv_take_part *take,
    void *user, varve_error *error)
{
    uint64_t chunk = part.begin;
    for (size_t i = 0, end; i < VV_CHUNK_PAGES; i = end) {
        end = i + 1;
        while (end < VV_CHUNK_PAGES && is_changed[end] == is_changed[i])
            end++;
        part.begin = chunk + i * VV_PAGE_ALIGNMENT;
        part.end = chunk + end * VV_PAGE_ALIGNMENT;
        part.is_reused = !is_changed[i];
        VV_TRY(take(save_plan, &part, user, error));
    }
    return VARVE_OK;
}

varve_status vv_save_plan_each_part(const struct vv_save_plan *save_plan,
    uint32_t value, vv_take_part *take, void *user, varve_error *error)
{
    const struct vv_elided *s = save_plan->reused;
    bool is_changed[VV_CHUNK_PAGES];
    struct vv_elided_part part = { .value = value };
    uint64_t size = vv_at64(save_plan->columns.index.value_sizes.data, value);
    for (; part.begin < size; part.begin = part.end) {
        uint64_t left = size - part.begin, chunk = part.begin / VV_CHUNK_SIZE;
        part.end = part.begin + (left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE);
        part.is_reused = vv_layer_known_digest(&s->known, value, chunk);
        if (!part.is_reused && has_few_changes(s, value, chunk, is_changed))
            VV_TRY(
                each_of_pages(save_plan, part, is_changed, take, user, error));
        else
            VV_TRY(take(save_plan, &part, user, error));
    }
    return VARVE_OK;
}

/* --- Data that was not copied --------------------------------------------- */

static varve_status each_reused(const struct vv_save_plan *save_plan,
    vv_take_part *take, void *user, varve_error *error)
{
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        if (save_plan->copies[i])
            VV_TRY(vv_save_plan_each_part(save_plan, i, take, user, error));
    }
    return VARVE_OK;
}

static uint8_t *copy_elision_place_of(
    const struct vv_save_plan *save_plan, const struct vv_elided_part *part)
{
    return (uint8_t *)save_plan->copies[part->value] + part->begin;
}

#ifdef VV_HAS_ASAN
static varve_status poison(const struct vv_save_plan *save_plan,
    const struct vv_elided_part *part, void *user, varve_error *error)
{
    (void)user, (void)error;
    if (part->is_reused)
        __asan_poison_memory_region(copy_elision_place_of(save_plan, part),
            (size_t)(part->end - part->begin));
    return VARVE_OK;
}

void vv_save_plan_poison(const struct vv_save_plan *save_plan)
{
    if (save_plan->reused)
        (void)each_reused(save_plan, poison, NULL, NULL);
}
#endif

/* The chunk of the base that was read last. */
struct refilling {
    const struct vv_elided *reused;
    uint8_t *bytes;
    uint32_t value;
    uint64_t chunk; /* VV_NONE: no chunk of this value */
};

static varve_status copy_elision_read_chunk(
    struct refilling *r, uint32_t value, uint64_t chunk, varve_error *error)
{
    const struct vv_opened *file = &r->reused->base.file;
    uint64_t offset;
    size_t size;
    if (r->value == value && r->chunk == chunk)
        return VARVE_OK;
    vv_opened_chunk(file, value, chunk, &offset, &size);
    VV_TRY(vv_opened_read(file, offset, r->bytes, size, error));
    VV_TRY(vv_opened_check(file, value, chunk, r->bytes, NULL, error));
    r->value = value;
    r->chunk = chunk;
    return VARVE_OK;
}

/* Fills in a part that was not copied from the base. A part is within one
 * chunk. */
static varve_status copy_elision_refill(const struct vv_save_plan *save_plan,
    const struct vv_elided_part *part, void *user, varve_error *error)
{
    struct refilling *r = user;
    size_t size = (size_t)(part->end - part->begin);
    if (!part->is_reused)
        return VARVE_OK;
    VV_TRY(copy_elision_read_chunk(
        r, part->value, part->begin / VV_CHUNK_SIZE, error));
    __asan_unpoison_memory_region(copy_elision_place_of(save_plan, part), size);
    memcpy(copy_elision_place_of(save_plan, part),
        r->bytes + part->begin % VV_CHUNK_SIZE, size);
    return VARVE_OK;
}

static bool is_found(
    const struct vv_elided *s, const struct vv_layer_known *known)
{
    return known->is_known &&
           vv_digest_equal(&vv_data_in_place(&known->base->file)->digest,
               &vv_data_in_place(&s->base.file)->digest);
}

varve_status vv_save_plan_fill_reused(struct vv_save_plan *save_plan,
    const struct vv_layer_known *known, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    struct refilling r = { .reused = save_plan->reused, .value = VV_NONE };
    if (is_found(save_plan->reused, known))
        return VARVE_OK;
    r.bytes = vv_allocate(a, VV_CHUNK_SIZE);
    if (!r.bytes)
        return vv_fail_memory(error, "a chunk of the base checkpoint");
    varve_status status =
        each_reused(save_plan, copy_elision_refill, &r, error);
    vv_release(a, r.bytes, VV_CHUNK_SIZE);
    if (!status)
        vv_save_plan_end_reuse(save_plan);
    return status;
}

/* --- Copies --------------------------------------------------------------- */

/* Copies the data of a save plan: small values at once, large values later on
 * all processors. */

enum {
    ALIGNMENT = 64,
    SMALL = 1024, /* values up to this size are copied at once: the library
                     itself changes counters, random streams and positions in
                     data */
};

/* --- Values ------------------------------------------------------------- */

static uint64_t save_plan_copy_size_of(
    const struct vv_save_plan *save_plan, size_t value)
{
    return vv_at64(save_plan->columns.index.value_sizes.data, value);
}

/* The bytes of states already belong to the save plan. */
static bool save_plan_copy_is_state(
    const struct vv_save_plan *save_plan, size_t value)
{
    const struct vv_index_columns *c = &save_plan->columns.index;
    return c->node_kinds.data[vv_at32(c->value_nodes.data, value)] ==
           VARVE_STATE;
}

static bool save_plan_copy_is_copied(
    const struct vv_save_plan *save_plan, size_t value)
{
    return save_plan->values[value] &&
           !save_plan_copy_is_state(save_plan, value);
}

static uint64_t place_behind(const struct vv_save_plan *save_plan, size_t value)
{
    return save_plan_copy_is_copied(save_plan, value)
               ? vv_align_up(
                     save_plan_copy_size_of(save_plan, value), ALIGNMENT)
               : 0;
}

size_t vv_save_plan_copy_size(const struct vv_save_plan *save_plan)
{
    uint64_t size = 0;
    for (size_t i = 0; i < save_plan->value_count; i++)
        size += place_behind(save_plan, i);
    return (size_t)size;
}

bool vv_save_plan_is_large(const struct vv_save_plan *save_plan, size_t value)
{
    return save_plan_copy_is_copied(save_plan, value) &&
           save_plan_copy_size_of(save_plan, value) > SMALL &&
           !vv_save_plan_encodes(save_plan, value) &&
           !vv_save_plan_copies_in(save_plan, value);
}

/* Copies a value at once. Values that are read through functions are copied on
 * the thread of the graph, whatever their size, as a failure can be reported
 * there. */
static varve_status copy_now(struct vv_save_plan *save_plan, size_t value,
    struct vv_buffer *scratch, varve_error *error)
{
    const varve_node *node = vv_save_plan_copies_in(save_plan, value);
    size_t size = (size_t)save_plan_copy_size_of(save_plan, value);
    if (node)
        return vv_save_plan_copy_out(
            node, 0, save_plan->copies[value], size, error);
    const void *bytes = vv_save_plan_bytes(save_plan, (uint32_t)value, scratch);
    if (!bytes)
        return vv_fail_memory(error, "a copy of the values");
    memcpy(save_plan->copies[value], bytes, size);
    return VARVE_OK;
}

static varve_status copy_small(
    struct vv_save_plan *save_plan, void *block, varve_error *error)
{
    struct vv_buffer scratch;
    unsigned char *at = block;
    varve_status status = VARVE_OK;
    vv_buffer_init(&scratch, &save_plan->context.allocator);
    for (size_t i = 0; i < save_plan->value_count && !status; i++) {
        if (!save_plan_copy_is_copied(save_plan, i))
            continue;
        save_plan->copies[i] = at;
        at += place_behind(save_plan, i);
        if (!vv_save_plan_is_large(save_plan, i))
            status = copy_now(save_plan, i, &scratch, error);
    }
    vv_buffer_clear(&scratch);
    return status;
}

/* Adds a range to the pieces to copy. Joins it with the previous range if they
 * are adjacent. */
static void add_piece(struct vv_save_plan *save_plan, uint32_t value,
    uint64_t begin, uint64_t end)
{
    size_t count = save_plan->copied.size / sizeof(struct vv_piece);
    struct vv_piece *last =
        count > 0
            ? (struct vv_piece *)(void *)save_plan->copied.data + count - 1
            : NULL;
    struct vv_piece piece = {
        .to = (unsigned char *)save_plan->copies[value] + begin,
        .from = (const unsigned char *)save_plan->values[value] + begin,
        .size = (size_t)(end - begin),
    };
    if (last)
        piece.at = last->at + last->size;
    if (last && begin > 0 && (unsigned char *)last->to + last->size == piece.to)
        last->size += piece.size;
    else
        vv_buffer_add(&save_plan->copied, &piece, sizeof piece);
}

static varve_status save_plan_copy_take_part(
    const struct vv_save_plan *save_plan, const struct vv_elided_part *part,
    void *user, varve_error *error)
{
    (void)save_plan, (void)error;
    if (!part->is_reused)
        add_piece(user, part->value, part->begin, part->end);
    return VARVE_OK;
}

static void add_needed(struct vv_save_plan *save_plan, uint32_t value)
{
    uint64_t begin = 0, end = save_plan_copy_size_of(save_plan, value);
    if (save_plan->needed)
        save_plan->needed(save_plan->needed_user, value, &begin, &end);
    if (begin < end)
        add_piece(save_plan, value, begin, end);
}

static varve_status find_pieces(
    struct vv_save_plan *save_plan, varve_error *error)
{
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        if (!vv_save_plan_is_large(save_plan, i))
            continue;
        if (save_plan->reused)
            VV_TRY(vv_save_plan_each_part(
                save_plan, i, save_plan_copy_take_part, save_plan, error));
        else
            add_needed(save_plan, i);
    }
    return save_plan->copied.failed
               ? vv_fail_memory(error, "a copy of the values")
               : VARVE_OK;
}

static struct vv_piece save_plan_copy_piece(const void *user, size_t i)
{
    const struct vv_save_plan *save_plan = user;
    return ((const struct vv_piece *)(const void *)save_plan->copied.data)[i];
}

void vv_save_plan_copy(struct vv_save_plan *save_plan)
{
    struct vv_pieces pieces = {
        .count = save_plan->copied.size / sizeof(struct vv_piece),
        .piece = save_plan_copy_piece,
        .user = save_plan,
    };
    if (pieces.count > 0) {
        const struct vv_piece last =
            save_plan_copy_piece(save_plan, pieces.count - 1);
        pieces.size = last.at + last.size;
    }
    vv_copy_pieces(&save_plan->context, &pieces);
    vv_save_plan_poison(save_plan);
    for (size_t i = 0; i < save_plan->value_count; i++) {
        if (save_plan_copy_is_copied(save_plan, i))
            save_plan->values[i] = save_plan->copies[i];
    }
    save_plan->is_encoded = true;
}

/* --- Strings of the options, and format-specific data --------------------- */

/* Copies bytes to reserved space, so that the addresses of earlier copies stay
 * valid. */
static const void *save_plan_copy_keep(
    struct vv_buffer *texts, const void *bytes, size_t size)
{
    void *copy = texts->data + texts->size;
    vv_buffer_add(texts, bytes, size);
    return copy;
}

static const char *keep_text(struct vv_buffer *texts, const char *text)
{
    return text ? save_plan_copy_keep(texts, text, strlen(text) + 1) : NULL;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static size_t borrowed_size(const struct vv_save_plan *save_plan)
{
    const varve_write_options *o = &save_plan->options;
    size_t size = text_size(o->increment.base);
    for (size_t i = 0; i < o->metadata_count; i++)
        size += text_size(o->metadata[i].name) +
                (o->metadata[i].kind == VARVE_METADATA_STRING
                        ? text_size(o->metadata[i].string)
                        : 0);
    for (size_t i = 0; save_plan->kept && i < save_plan->node_count; i++)
        size += save_plan->kept[i].size;
    return size;
}

static void save_plan_copy_keep_metadata(struct vv_save_plan *save_plan)
{
    /* The sorted array belongs to the save plan. */
    varve_metadata *m = (varve_metadata *)save_plan->options.metadata;
    for (size_t i = 0; i < save_plan->options.metadata_count; i++) {
        m[i].name = keep_text(&save_plan->texts, m[i].name);
        m[i].string = m[i].kind == VARVE_METADATA_STRING
                          ? keep_text(&save_plan->texts, m[i].string)
                          : NULL;
    }
}

static void keep_kept(struct vv_save_plan *save_plan)
{
    for (size_t i = 0; save_plan->kept && i < save_plan->node_count; i++) {
        struct vv_save_plan_kept *k = &save_plan->kept[i];
        if (k->size)
            k->bytes =
                save_plan_copy_keep(&save_plan->texts, k->bytes, k->size);
    }
}

/* --- All ---------------------------------------------------------------- */

varve_status vv_save_plan_detach(
    struct vv_save_plan *save_plan, void *block, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    size_t size = borrowed_size(save_plan);
    vv_buffer_init(&save_plan->texts, a);
    vv_buffer_reserve(&save_plan->texts, size);
    size_t table = save_plan->value_count * sizeof *save_plan->copies;
    save_plan->copies = vv_allocate_zeroed(a, table);
    vv_buffer_init(&save_plan->copied, a);
    bool has_room =
        (!size || save_plan->texts.data) && (!table || save_plan->copies);
    varve_status status = has_room
                              ? copy_small(save_plan, block, error)
                              : vv_fail_memory(error, "a copy of the values");
    if (!status)
        status = find_pieces(save_plan, error);
    if (status) {
        vv_buffer_clear(&save_plan->copied);
        vv_buffer_clear(&save_plan->texts);
        vv_release(a, save_plan->copies, table);
        save_plan->copies = NULL;
        return status;
    }
    save_plan->options.increment.base =
        keep_text(&save_plan->texts, save_plan->options.increment.base);
    save_plan_copy_keep_metadata(save_plan);
    keep_kept(save_plan);
    vv_save_plan_settle_carried(save_plan);
    return VARVE_OK;
}
