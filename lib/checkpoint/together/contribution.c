/* contribution.c - Encodes and decodes contributions: three digests, a few
 * numbers, then rank-local subtrees and shards.
 *
 * SPDX-License-Identifier: MIT
 */
#include "contribution.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "try.h"

enum { HEAD_SIZE = 3 * VV_DIGEST_SIZE + 4 + 4 * 8, STRETCH_SIZE = 24 };

/* --- Digests -------------------------------------------------------------- */

static void add_digest(struct vv_buffer *bytes, struct vv_digest digest)
{
    vv_buffer_add(bytes, digest.bytes, sizeof digest.bytes);
}

static void contribution_add_metadata(
    struct vv_buffer *text, const varve_metadata *m)
{
    vv_buffer_add(text, m->name, strlen(m->name) + 1);
    vv_buffer_add8(text, (uint8_t)m->kind);
    if (m->kind == VARVE_METADATA_STRING)
        vv_buffer_add(text, m->string, strlen(m->string) + 1);
    else if (m->kind == VARVE_METADATA_REAL)
        vv_buffer_add(text, &m->real, sizeof m->real);
    else
        vv_buffer_add64(text, (uint64_t)m->integer);
}

/* Adds the digest of the arguments of the call that must be the same on all
 * ranks. */
static varve_status add_request(struct vv_buffer *bytes, const char *path,
    const struct vv_save_plan *save_plan, varve_error *error)
{
    const varve_write_options *o = &save_plan->options;
    struct vv_buffer text;
    vv_buffer_init(&text, bytes->allocator);
    vv_buffer_add(&text, path, strlen(path) + 1);
    vv_buffer_add8(&text, o->no_replace);
    vv_buffer_add8(&text, o->no_sync);
    vv_buffer_add32(&text, o->collective.files);
    vv_buffer_add8(&text, o->incremental);
    vv_buffer_add8(&text, o->increment.only_dirty);
    vv_buffer_add8(&text, o->increment.track);
    vv_buffer_add8(&text, o->increment.verify_clean);
    vv_buffer_add8(&text, (uint8_t)o->compress);
    vv_buffer_add64(&text, save_plan->counter);
    for (size_t i = 0; i < o->metadata_count; i++)
        contribution_add_metadata(&text, &o->metadata[i]);
    bool failed = text.failed;
    if (!failed)
        add_digest(bytes, vv_digest_of(text.data, text.size));
    vv_buffer_clear(&text);
    return failed ? vv_fail_memory(error, "data of a rank") : VARVE_OK;
}

/* Adds the positions of the rank-local nodes. */
static void add_privates(
    struct vv_digester *digester, const struct vv_save_plan *save_plan)
{
    size_t count;
    const struct vv_save_plan_private *all =
        vv_save_plan_privates(save_plan, &count);
    for (size_t i = 0; i < count; i++)
        vv_digester_add(digester, &all[i].place, sizeof all[i].place);
}

/* Adds the digest of all columns except the digests. Offsets and sizes are
 * those of whole values, as the sizes of shards differ between ranks. */
static varve_status add_structure(struct vv_buffer *bytes,
    const struct vv_save_plan *save_plan, const struct vv_share *share,
    varve_error *error)
{
    const struct vv_index_columns *c = &save_plan->columns.index;
    struct vv_digester *digester = vv_digester_new(bytes->allocator);
    if (!digester)
        return vv_fail_memory(error, "data of a rank");
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        const struct vv_buffer *column = &c->each[i];
        uint64_t size = column->size;
        if (column == &c->digests)
            continue;
        if (column == &c->value_offsets)
            column = &share->offsets;
        else if (column == &c->value_sizes)
            column = &share->sizes;
        vv_digester_add(digester, &size, sizeof size);
        vv_digester_add(digester, column->data, column->size);
    }
    add_privates(digester, save_plan);
    add_digest(bytes, vv_digester_end(digester));
    vv_digester_free(bytes->allocator, digester);
    return VARVE_OK;
}

/* --- Shards --------------------------------------------------------------- */

static void add_slice(struct vv_buffer *bytes,
    const struct vv_save_plan_slice *slice, uint64_t size, uint64_t offset,
    const uint8_t *digests)
{
    for (uint32_t k = 0; k < slice->rank; k++)
        vv_buffer_add64(bytes, slice->box.start[k]);
    for (uint32_t k = 0; k < slice->rank; k++)
        vv_buffer_add64(bytes, slice->box.extents[k]);
    vv_buffer_add64(bytes, size);
    vv_buffer_add64(bytes, offset);
    vv_buffer_add(
        bytes, digests, (size_t)vv_chunk_count(size) * VV_DIGEST_SIZE);
}

/* Adds the digest of the replicated values, and of the numbers of values that
 * are shards. */
static varve_status contribution_add_values(struct vv_buffer *bytes,
    const struct vv_save_plan *save_plan, varve_error *error)
{
    const struct vv_index_columns *c = &save_plan->columns.index;
    const uint8_t *digests = c->digests.data;
    size_t slices;
    const struct vv_save_plan_slice *slice =
        vv_save_plan_slices(save_plan, &slices);
    struct vv_digester *digester = vv_digester_new(bytes->allocator);
    if (!digester)
        return vv_fail_memory(error, "data of a rank");
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        uint64_t size = vv_at64(c->value_sizes.data, i);
        size_t count = (size_t)vv_chunk_count(size) * VV_DIGEST_SIZE;
        if (slices > 0 && slice->value == i) {
            slice++;
            slices--;
            vv_digester_add(digester, &i, sizeof i); /* the number is the
                                                        same on all ranks */
        } else {
            vv_digester_add(digester, digests, count);
        }
        digests += count;
    }
    add_digest(bytes, vv_digester_end(digester));
    vv_digester_free(bytes->allocator, digester);
    return VARVE_OK;
}

struct vv_slice_sender vv_slices_begin(
    const struct vv_save_plan *save_plan, const struct vv_share *share)
{
    size_t count;
    return (struct vv_slice_sender){ .save_plan = save_plan,
        .digests = save_plan->columns.index.digests.data,
        .slice = vv_save_plan_slices(save_plan, &count),
        .part = vv_parts(share, &count) };
}

void vv_slices_encode(
    struct vv_slice_sender *t, struct vv_buffer *bytes, size_t count)
{
    const struct vv_index_columns *c = &t->save_plan->columns.index;
    for (; count > 0; count--, t->slice++) {
        for (;; t->value++) {
            uint64_t size = vv_at64(c->value_sizes.data, t->value);
            const uint8_t *digests = t->digests;
            t->digests += vv_chunk_count(size) * VV_DIGEST_SIZE;
            if (t->value != t->slice->value)
                continue;
            while (t->part->value != t->value)
                t->part++; /* each shard has a part */
            add_slice(bytes, t->slice, size, t->part->offset, digests);
            t->value++;
            break;
        }
    }
}

static size_t count_stretches(const struct vv_share *share)
{
    return share->stretches.size / sizeof(struct vv_stretch);
}

static void add_stretches(struct vv_buffer *bytes, const struct vv_share *share)
{
    size_t count = count_stretches(share);
    const struct vv_stretch *all =
        (const struct vv_stretch *)(const void *)share->stretches.data;
    for (size_t i = 0; i < count; i++) {
        vv_buffer_add64(bytes, all[i].place);
        vv_buffer_add64(bytes, all[i].size);
        vv_buffer_add64(bytes, all[i].offset);
    }
}

/* --- Rank-local subtrees -------------------------------------------------- */

/* Each column is its number of elements, then the elements. */
static void add_private(
    struct vv_buffer *bytes, const struct vv_private_part *private)
{
    const struct vv_index index =
        vv_index_of_columns(&private->save_plan.columns.index);
    vv_buffer_add32(bytes, private->place);
    vv_buffer_add64(bytes, private->begin);
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        const struct vv_column *column = &vv_columns[i];
        uint64_t count = vv_column_count(column, &index);
        vv_buffer_add64(bytes, count);
        if (count > 0)
            vv_buffer_add(bytes, vv_column_bytes(column, &index),
                (size_t)count * column->element);
    }
}

static void add_all_private(
    struct vv_buffer *bytes, const struct vv_private_parts *privates)
{
    for (size_t i = 0; privates && i < privates->count; i++)
        add_private(bytes, &privates->all[i]);
}

/* --- All ------------------------------------------------------------------ */

static void contribution_add_bytes(
    struct vv_buffer *bytes, const struct vv_buffer *more)
{
    if (more->size > 0)
        vv_buffer_add(bytes, more->data, more->size);
}

/* Data that is collected first, as its size is sent before it. */
struct collected {
    struct vv_buffer chunks;
    struct vv_buffer privates;
    bool with_slices;
};

static varve_status contribution_add_all(struct vv_buffer *bytes,
    const varve_comm *comm, const char *path,
    const struct vv_save_plan *save_plan, const struct collected *collected,
    const struct vv_share *share, varve_error *error)
{
    VV_TRY(add_request(bytes, path, save_plan, error));
    VV_TRY(add_structure(bytes, save_plan, share, error));
    VV_TRY(contribution_add_values(bytes, save_plan, error));
    vv_buffer_add32(bytes, comm->node);
    vv_buffer_add64(bytes, share->size);
    vv_buffer_add64(bytes, count_stretches(share));
    vv_buffer_add64(bytes, collected->chunks.size / VV_CHUNK_MESSAGE_SIZE);
    vv_buffer_add64(bytes, collected->privates.size);
    add_stretches(bytes, share);
    contribution_add_bytes(bytes, &collected->chunks);
    contribution_add_bytes(bytes, &collected->privates);
    if (collected->with_slices) {
        size_t count;
        struct vv_slice_sender slices = vv_slices_begin(save_plan, share);
        vv_save_plan_slices(save_plan, &count);
        vv_slices_encode(&slices, bytes, count);
    }
    return bytes->failed ? vv_fail_memory(error, "data of a rank") : VARVE_OK;
}

varve_status vv_contribution_add(struct vv_buffer *bytes,
    const varve_comm *comm, const char *path,
    const struct vv_save_plan *save_plan, const struct vv_share *share,
    bool with_slices, varve_error *error)
{
    struct collected collected = { .with_slices = with_slices };
    vv_buffer_init(&collected.chunks, bytes->allocator);
    vv_buffer_init(&collected.privates, bytes->allocator);
    if (vv_writes_by_chunks(save_plan))
        vv_share_chunks_encode(&collected.chunks, share);
    add_all_private(&collected.privates, share->privates);
    varve_status status = collected.chunks.failed || collected.privates.failed
                              ? vv_fail_memory(error, "data of a rank")
                              : contribution_add_all(bytes, comm, path,
                                    save_plan, &collected, share, error);
    vv_buffer_clear(&collected.chunks);
    vv_buffer_clear(&collected.privates);
    return status;
}

struct vv_contribution vv_contribution_of(const uint8_t *bytes)
{
    const uint8_t *numbers = bytes + 3 * VV_DIGEST_SIZE;
    struct vv_contribution c = {
        .request = bytes,
        .structure = bytes + VV_DIGEST_SIZE,
        .values = bytes + 2 * VV_DIGEST_SIZE,
        .node = vv_load32(numbers),
        .size = vv_load64(numbers + 4),
        .stretch_count = (size_t)vv_load64(numbers + 12),
        .chunk_count = (size_t)vv_load64(numbers + 20),
        .stretches = bytes + HEAD_SIZE,
    };
    c.chunks = c.stretches + c.stretch_count * STRETCH_SIZE;
    c.privates = c.chunks + c.chunk_count * VV_CHUNK_MESSAGE_SIZE;
    c.slices = c.privates + vv_load64(numbers + 28);
    return c;
}

static uint64_t take64(const uint8_t **at)
{
    uint64_t number = vv_load64(*at);
    *at += sizeof number;
    return number;
}

struct vv_private_message vv_contribution_private(const uint8_t **at)
{
    struct vv_private_message message = { .place = vv_load32(*at) };
    *at += 4;
    message.begin = take64(at);
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        uint64_t count = take64(at);
        vv_column_set(&vv_columns[i], &message.index, *at, count);
        *at += count * vv_columns[i].element;
    }
    return message;
}

struct vv_slice_message vv_contribution_slice(
    const uint8_t *message, uint32_t rank)
{
    const uint8_t *behind = message + 16 * (size_t)rank;
    return (struct vv_slice_message){ .size = vv_load64(behind),
        .offset = vv_load64(behind + 8),
        .digests = behind + 16 };
}
