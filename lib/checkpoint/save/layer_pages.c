/* layer_pages.c - Compares the page digests of a chunk with those of the base,
 * and writes the pages that differ.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_pages.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layer_base.h"
#include "layer_columns.h"
#include "try.h"

static const struct vv_index *layer_pages_index_of(
    const struct vv_layer_pages *p)
{
    return &p->base->file.parsed.index;
}

varve_status vv_layer_pages_begin(struct vv_layer_pages *p,
    struct vv_save_plan *save_plan, const struct vv_layer_base *base,
    struct vv_layer_out *out, varve_error *error)
{
    struct vv_index_columns *c = &save_plan->columns.index;
    *p = (struct vv_layer_pages){
        .save_plan = save_plan, .base = base, .out = out
    };
    c->paged_chunks.size = c->page_digests.size = 0;
    vv_buffer_init(&p->sums, c->page_digests.allocator);
    if (!base->is_there || layer_pages_index_of(p)->paged_count == 0)
        return VARVE_OK;
    p->is_column = vv_buffer_extend(&p->sums,
        (size_t)layer_pages_index_of(p)->paged_count * VV_PAGE_SUMS_SIZE);
    return p->is_column ? VARVE_OK
                        : vv_fail_memory(error, "checksums of pages");
}

void vv_layer_pages_end(struct vv_layer_pages *p)
{
    if (!p->save_plan)
        return;
    const varve_allocator *a = &p->save_plan->context.allocator;
    vv_buffer_clear(&p->sums);
    vv_release(a, p->older, p->older ? VV_CHUNK_SIZE : 0);
}

bool vv_layer_pages_find(const struct vv_layer_pages *p, uint64_t before,
    struct vv_known_pages *known)
{
    known->sums = vv_page_sums_find(layer_pages_index_of(p), before);
    if (known->sums)
        known->now = p->sums.data +
                     (known->sums - layer_pages_index_of(p)->page_digests);
    return known->sums != NULL;
}

/* --- Columns -------------------------------------------------------------- */

/* Returns the size of the page digests that were added so far, in bytes. */
static size_t added(const struct vv_layer_pages *p)
{
    return p->save_plan->columns.index.paged_chunks.size / sizeof(uint64_t) *
           VV_PAGE_SUMS_SIZE;
}

/* Adds the page digests of a chunk. In most saves the chunks with page digests
 * are the same as in the base. So the column is built in place, in `sums`, as
 * long as no other chunk comes in between. `older` points to the digests of the
 * base; NULL: it has none. */
static void add_sums(struct vv_layer_pages *p, uint64_t chunk,
    const uint8_t *older, const uint8_t *sums)
{
    struct vv_index_columns *c = &p->save_plan->columns.index;
    size_t at = added(p);
    bool is_next =
        p->is_column && older == layer_pages_index_of(p)->page_digests + at;
    vv_buffer_add64(&c->paged_chunks, chunk);
    if (is_next) {
        memmove(p->sums.data + at, sums, VV_PAGE_SUMS_SIZE);
        return;
    }
    if (p->is_column)
        vv_buffer_add(&c->page_digests, p->sums.data, at);
    p->is_column = false;
    vv_buffer_add(&c->page_digests, sums, VV_PAGE_SUMS_SIZE);
}

void vv_layer_pages_finish(struct vv_layer_pages *p)
{
    if (!p->is_column)
        return;
    p->sums.size = added(p);
    vv_buffer_swap(&p->sums, &p->save_plan->columns.index.page_digests);
}

static void set_digest(const struct vv_layer_pages *p, uint64_t chunk,
    const struct vv_digest *digest)
{
    memcpy(p->save_plan->columns.index.digests.data + chunk * VV_DIGEST_SIZE,
        digest->bytes, sizeof digest->bytes);
}

/* --- Writing -------------------------------------------------------------- */

varve_status vv_layer_pages_keep(struct vv_layer_pages *p,
    const struct vv_layer_chunk *chunk, const uint8_t *bytes,
    varve_error *error)
{
    const uint8_t *sums =
        vv_page_sums_find(layer_pages_index_of(p), chunk->before);
    if (sums)
        add_sums(p, chunk->number, sums, sums);
    return vv_layer_out_old(
        p->out, chunk->offset, bytes, chunk->size, chunk->planes, error);
}

/* The pages of a chunk that are the same in the base. */
struct sameness {
    bool is_same[VV_CHUNK_PAGES];
    size_t others;
};

static void note_page(struct sameness *s, size_t page, bool is_same)
{
    s->is_same[page] = is_same;
    s->others += !is_same;
}

static void compare_sums(struct sameness *s, const struct vv_layer_chunk *chunk,
    const struct vv_known_pages *known)
{
    for (size_t i = 0; i < vv_page_count(chunk->size); i++)
        note_page(s, i,
            memcmp(known->sums + i * VV_DIGEST_SIZE,
                known->now + i * VV_DIGEST_SIZE, VV_DIGEST_SIZE) == 0);
}

static void layer_pages_compare_bytes(struct sameness *s,
    const struct vv_layer_chunk *chunk, const uint8_t *older,
    const uint8_t *bytes)
{
    for (size_t i = 0; i < vv_page_count(chunk->size); i++) {
        size_t at = i * VV_PAGE_ALIGNMENT;
        size_t left = (size_t)chunk->size - at;
        size_t size = left < VV_PAGE_ALIGNMENT ? left : VV_PAGE_ALIGNMENT;
        note_page(s, i, memcmp(older + at, bytes + at, size) == 0);
    }
}

static varve_status write_runs(const struct vv_layer_pages *p,
    const struct vv_layer_chunk *chunk, const struct sameness *s,
    const uint8_t *bytes, varve_error *error)
{
    for (size_t i = 0, end; i < vv_page_count(chunk->size); i = end) {
        bool is_old = s->is_same[i];
        end = i + 1;
        while (end < vv_page_count(chunk->size) && s->is_same[end] == is_old)
            end++;
        uint64_t at = (uint64_t)i * VV_PAGE_ALIGNMENT;
        uint64_t behind = (uint64_t)end * VV_PAGE_ALIGNMENT;
        uint64_t size = (behind < chunk->size ? behind : chunk->size) - at;
        if (is_old)
            VV_TRY(vv_layer_out_old(
                p->out, chunk->offset + at, bytes + at, size, 0, error));
        else
            VV_TRY(vv_layer_out_new(p->out, bytes + at, size, 0, error));
    }
    return VARVE_OK;
}

static varve_status write_whole(const struct vv_layer_pages *p,
    const struct vv_layer_chunk *chunk, const uint8_t *bytes,
    varve_error *error)
{
    return vv_layer_out_new(p->out, bytes, chunk->size, chunk->planes, error);
}

/* Compares the bytes of a chunk that has no page digests in the base. Computes
 * page digests unless it is written as a whole. */
static varve_status layer_pages_compare(struct vv_layer_pages *p,
    const struct vv_layer_chunk *chunk, const uint8_t *bytes,
    varve_error *error)
{
    uint8_t now[VV_PAGE_SUMS_SIZE];
    struct sameness s = { .others = 0 };
    size_t size = (size_t)chunk->size;
    if (!p->older)
        p->older = vv_allocate(&p->save_plan->context.allocator, VV_CHUNK_SIZE);
    if (!p->older)
        return vv_fail_memory(error, "a chunk of the base checkpoint");
    if (vv_opened_read(&p->base->file, chunk->offset, p->older, size, NULL))
        return write_whole(p, chunk, bytes, error);
    layer_pages_compare_bytes(&s, chunk, p->older, bytes);
    if (vv_is_mostly_new(s.others, chunk->size))
        return write_whole(p, chunk, bytes, error);
    if (size == VV_CHUNK_SIZE) {
        vv_page_sums_make(bytes, size, now);
        struct vv_digest digest = vv_page_sums_digest(now);
        set_digest(p, chunk->number, &digest);
        add_sums(p, chunk->number, NULL, now);
    }
    return write_runs(p, chunk, &s, bytes, error);
}

varve_status vv_layer_pages_write(struct vv_layer_pages *p,
    const struct vv_layer_chunk *chunk, const uint8_t *bytes,
    varve_error *error)
{
    struct vv_known_pages known;
    struct sameness s = { .others = 0 };
    if (!vv_layer_pages_find(p, chunk->before, &known))
        return layer_pages_compare(p, chunk, bytes, error);
    compare_sums(&s, chunk, &known);
    if (vv_is_mostly_new(s.others, chunk->size)) {
        struct vv_digest digest = vv_digest_of(bytes, (size_t)chunk->size);
        set_digest(p, chunk->number, &digest);
        return write_whole(p, chunk, bytes, error);
    }
    add_sums(p, chunk->number, known.sums, known.now);
    return write_runs(p, chunk, &s, bytes, error);
}
