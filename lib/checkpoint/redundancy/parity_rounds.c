/* parity_rounds.c - Implements the rounds: sending, receiving and computing
 * parts of blocks and files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "parity_rounds.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "comm_collectives.h"
#include "failure.h"
#include "file.h"
#include "redundancy_group.h"
#include "try.h"

/* --- Beginning and ending ------------------------------------------------- */

static const varve_allocator *parity_rounds_allocator_of(
    const struct vv_parity_rounds *r)
{
    return &r->redundancy->context->allocator;
}

varve_status vv_rounds_begin(struct vv_parity_rounds *r, varve_error *error)
{
    size_t size = r->redundancy->round_size;
    r->status = VARVE_OK;
    r->all = vv_allocate_array(parity_rounds_allocator_of(r), 3, size);
    if (!r->all)
        return vv_fail_memory(error, "redundancy data");
    r->in = r->all;
    r->out = r->in + size;
    r->cell = r->out + size;
    return VARVE_OK;
}

void vv_rounds_end(struct vv_parity_rounds *r)
{
    vv_release(parity_rounds_allocator_of(r), r->all,
        r->all ? 3 * r->redundancy->round_size : 0);
    r->all = NULL;
}

void vv_rounds_fail(
    struct vv_parity_rounds *r, varve_status status, const varve_error *error)
{
    if (!status || r->status)
        return;
    r->status = status;
    r->error = *error;
}

void vv_rounds_agree(
    struct vv_parity_rounds *r, varve_status talk, const varve_error *error)
{
    varve_error all = { 0 };
    vv_rounds_fail(r, talk, error);
    if (talk)
        return;
    if (r->status)
        all = r->error;
    varve_status status = vv_agree(r->redundancy->comm, r->status, &all);
    if (!status)
        return;
    r->status = status;
    r->error = all;
    r->is_agreed = true;
}

varve_status vv_rounds_outcome(struct vv_parity_rounds *r, varve_error *error)
{
    if (r->status && error)
        *error = r->error;
    return r->is_agreed || r->status == VARVE_DISCONNECTED
               ? r->status
               : vv_agree(r->redundancy->comm, r->status, error);
}

/* --- Reading -------------------------------------------------------------- */

/* Reads `size` bytes of an open file. Bytes at or after `end`, and bytes that
 * cannot be read, are set to zero. */
static void parity_rounds_read_some(struct vv_parity_rounds *r, int file,
    const char *path, const uint64_t offset_and_end[2], size_t size,
    unsigned char *bytes)
{
    uint64_t offset = offset_and_end[0], end = offset_and_end[1];
    uint64_t left = offset < end ? end - offset : 0;
    size_t there = left < size ? (size_t)left : size;
    varve_error error = { 0 };
    varve_status status = r->status;
    if (!status && there > 0)
        status = vv_file_read(
            r->redundancy->context, file, path, bytes, there, offset, &error);
    vv_rounds_fail(r, status, &error);
    if (r->status)
        there = 0;
    memset(bytes + there, 0, size - there);
}

static void parity_rounds_read_file(struct vv_parity_rounds *r, uint64_t offset,
    size_t size, unsigned char *bytes)
{
    const struct vv_parity_table *t = r->table;
    const uint64_t range[] = { offset, t->files[t->group.index].size };
    parity_rounds_read_some(r, r->file, r->own->path, range, size, bytes);
}

static void parity_rounds_read_block(struct vv_parity_rounds *r,
    uint64_t offset, size_t size, unsigned char *bytes)
{
    uint64_t head = vv_parity_head_size(r->table);
    const uint64_t range[] = { head + offset,
        head + vv_block_size(r->table, r->table->group.index) };
    parity_rounds_read_some(r, r->block, r->own->parity, range, size, bytes);
}

/* Reads a part of this rank's cell of a column. */
static void read_cell(struct vv_parity_rounds *r, uint32_t column,
    uint64_t offset, size_t size, unsigned char *bytes)
{
    const struct vv_redundancy_group *g = &r->table->group;
    uint32_t segment = (column + 2 * g->count - g->index - 1) % g->count;
    if (column == g->index)
        parity_rounds_read_block(r, offset, size, bytes);
    else
        parity_rounds_read_file(
            r, segment * vv_segment_size(r->table) + offset, size, bytes);
}

static void add_xor(unsigned char *restrict to,
    const unsigned char *restrict bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] ^= bytes[i];
}

/* --- Writing -------------------------------------------------------------- */

void vv_sink_begin(struct vv_parity_rounds *r, struct vv_parity_sink *sink,
    const char *path, uint64_t begin, uint64_t most)
{
    varve_error error = { 0 };
    const struct vv_redundancy *of = r->redundancy;
    *sink = (struct vv_parity_sink){
        .path = path,
        .begin = begin,
        .most = most,
    };
    if (r->status)
        return;
    sink->digester = vv_digester_new(parity_rounds_allocator_of(r));
    varve_status status =
        sink->digester ? VARVE_OK : vv_fail_memory(&error, "a digest");
    if (!status)
        status = vv_publish_begin(&sink->publication, of->context, path,
            of->no_sync ? VV_PUBLISH_NO_SYNC : 0, &error);
    sink->is_open = !status;
    vv_rounds_fail(r, status, &error);
    if (status)
        vv_digester_free(parity_rounds_allocator_of(r), sink->digester);
}

/* Appends bytes to the file. */
static void parity_rounds_take(struct vv_parity_rounds *r,
    struct vv_parity_sink *sink, const unsigned char *bytes, size_t size)
{
    varve_error error = { 0 };
    if (!sink->is_open || r->status)
        return;
    if (size > sink->most - sink->size)
        size = (size_t)(sink->most - sink->size);
    vv_digester_add(sink->digester, bytes, size);
    varve_status status =
        vv_file_write(r->redundancy->context, sink->publication.file,
            sink->path, bytes, size, sink->begin + sink->size, &error);
    sink->size += size;
    vv_rounds_fail(r, status, &error);
}

static void end_sink(
    struct vv_parity_rounds *r, struct vv_parity_sink *sink, varve_error *error)
{
    varve_status status = vv_publish_end(&sink->publication, r->status, error);
    vv_rounds_fail(r, status, error);
    vv_digester_free(parity_rounds_allocator_of(r), sink->digester);
    sink->is_open = false;
}

void vv_sink_end_file(struct vv_parity_rounds *r, struct vv_parity_sink *sink)
{
    const struct vv_parity_table *t = r->table;
    const struct vv_member_file *as = &t->files[t->group.index];
    varve_error error = { 0 };
    if (!sink->is_open)
        return;
    struct vv_digest digest = vv_digester_end(sink->digester);
    bool is_same =
        sink->size == as->size && vv_digest_equal(&digest, &as->digest);
    if (!r->status && !is_same)
        vv_rounds_fail(r,
            vv_fail(&error, VARVE_CORRUPT,
                "%s: the rebuilt file has another checksum than the original",
                sink->path),
            &error);
    end_sink(r, sink, &error);
}

void vv_sink_end_block(struct vv_parity_rounds *r, struct vv_parity_sink *sink)
{
    struct vv_buffer head;
    varve_error error = { 0 };
    if (!sink->is_open)
        return;
    struct vv_digest digest = vv_digester_end(sink->digester);
    vv_buffer_init(&head, parity_rounds_allocator_of(r));
    vv_parity_add_head(&head, r->table, &digest);
    varve_status status = r->status;
    if (!status && head.failed)
        status = vv_fail_memory(&error, "a parity file");
    if (!status)
        status = vv_file_write(r->redundancy->context, sink->publication.file,
            sink->path, head.data, head.size, 0, &error);
    vv_rounds_fail(r, status, &error);
    vv_buffer_clear(&head);
    end_sink(r, sink, &error);
}

/* --- Rounds ------------------------------------------------------------- */

/* Part_count returns the number of rounds for `size` bytes; part_size returns
 * the bytes of one of them. */
static uint64_t part_count(const struct vv_parity_rounds *r, uint64_t size)
{
    uint64_t unit = r->redundancy->round_size;
    return size / unit + (size % unit > 0);
}

static size_t part_size(
    const struct vv_parity_rounds *r, uint64_t size, uint64_t part)
{
    uint64_t unit = r->redundancy->round_size, left = size - part * unit;
    return (size_t)(left < unit ? left : unit);
}

/* Sets *count to the largest number of rounds of any group. */
static varve_status count_rounds(
    const struct vv_parity_rounds *r, uint64_t *count, varve_error *error)
{
    if (!r->is_needed)
        *count = 0;
    return vv_comm_allreduce_max(r->redundancy->comm, count, error);
}

static varve_status parity_rounds_pass(
    struct vv_parity_rounds *r, varve_shift *shift, varve_error *error)
{
    shift->out = r->out;
    shift->in = r->in;
    return vv_pass(
        r->redundancy->comm, parity_rounds_allocator_of(r), shift, error);
}

/* Receives from the previous member and sends to the next one. */
static varve_shift shift_on(const struct vv_parity_rounds *r)
{
    const struct vv_redundancy_group *g = &r->table->group;
    return (varve_shift){
        .to = g->ranks[vv_member_after(g, g->index)],
        .from = g->ranks[vv_member_before(g, g->index)],
    };
}

static void parity_rounds_swap(struct vv_parity_rounds *r)
{
    unsigned char *bytes = r->in;
    r->in = r->out;
    r->out = bytes;
}

/* XORs the received bytes with this rank's cell of a column, and makes the
 * result the next bytes to send. */
static void parity_rounds_add_own(
    struct vv_parity_rounds *r, uint32_t column, uint64_t offset, size_t size)
{
    read_cell(r, column, offset, size, r->cell);
    add_xor(r->in, r->cell, size);
    parity_rounds_swap(r);
}

/* Each part of a block is the XOR of all other cells of a column. The sum
 * starts at the next member and goes around the group. In consecutive turns a
 * rank receives the column of the second member before it, then that of the
 * third, and finally its own. */
varve_status vv_rounds_make_blocks(struct vv_parity_rounds *r,
    struct vv_parity_sink *block, varve_error *error)
{
    const struct vv_redundancy_group *g = &r->table->group;
    uint64_t segment = vv_segment_size(r->table), unit = g->count - 1;
    uint64_t own = r->is_needed ? part_count(r, segment) * unit : 0;
    uint64_t rounds = own;
    VV_TRY(count_rounds(r, &rounds, error));
    for (uint64_t i = 0; i < rounds; i++) {
        varve_shift shift = shift_on(r);
        uint32_t turn = (uint32_t)(i % unit);
        uint64_t part = i / unit, at = part * r->redundancy->round_size;
        size_t size = i < own ? part_size(r, segment, part) : 0;
        if (turn == 0 && size > 0)
            read_cell(r, vv_member_before(g, g->index), at, size, r->out);
        shift.out_size = shift.in_size = size;
        VV_TRY(parity_rounds_pass(r, &shift, error));
        if (size > 0 && turn + 1 == unit)
            parity_rounds_take(r, block, r->in, size);
        else if (size > 0)
            parity_rounds_add_own(
                r, (g->index + 2 * g->count - 2 - turn) % g->count, at, size);
    }
    return VARVE_OK;
}

/* The part of the lost file, or of its block, that a round computes. */
struct item {
    uint32_t column;
    uint64_t at; /* in the segment */
    size_t size; /* 0: nothing */
};

/* Returns the item of a round. The columns are in the order of the segments of
 * the lost file, and the column of its block is last. So the file is written
 * from its beginning. */
static struct item item_at(const struct vv_parity_rounds *r, uint32_t lost,
    uint64_t round, uint64_t behind)
{
    const struct vv_redundancy_group *g = &r->table->group;
    uint64_t segment = vv_segment_size(r->table);
    uint64_t parts = part_count(r, segment), i = round - behind;
    if (!r->is_needed || round < behind || i >= parts * g->count)
        return (struct item){ 0 };
    return (struct item){
        .column = (uint32_t)((lost + 1 + i / parts) % g->count),
        .at = i % parts * r->redundancy->round_size,
        .size = part_size(r, segment, i % parts),
    };
}

/* The sums start at the member after the lost one and go around to it. */
varve_status vv_rounds_make_file(struct vv_parity_rounds *r, uint32_t lost,
    struct vv_parity_sink *file, struct vv_parity_sink *block,
    varve_error *error)
{
    const struct vv_redundancy_group *g = &r->table->group;
    uint32_t place = (g->index + 2 * g->count - lost - 1) % g->count;
    bool is_lost = place + 1 == g->count;
    uint64_t rounds =
        part_count(r, vv_segment_size(r->table)) * g->count + g->count - 2;
    VV_TRY(count_rounds(r, &rounds, error));
    for (uint64_t i = 0; i < rounds; i++) {
        varve_shift shift = shift_on(r);
        struct item out = { 0 }, in = { 0 };
        if (!is_lost)
            out = item_at(r, lost, i, place);
        if (place > 0)
            in = item_at(r, lost, i, place - 1);
        if (place == 0 && out.size > 0)
            read_cell(r, out.column, out.at, out.size, r->out);
        shift.out_size = out.size;
        shift.in_size = in.size;
        VV_TRY(parity_rounds_pass(r, &shift, error));
        if (in.size > 0 && is_lost)
            parity_rounds_take(
                r, in.column == lost ? block : file, r->in, in.size);
        else if (in.size > 0)
            parity_rounds_add_own(r, in.column, in.at, in.size);
    }
    return VARVE_OK;
}

/* --- Copying -------------------------------------------------------------- */

static bool has_bit(uint64_t bits, uint32_t index)
{
    return bits >> index & 1;
}

/* Sends and receives files in rounds; `out_and_in` are the sizes in both
 * directions. */
static varve_status parity_rounds_copy(struct vv_parity_rounds *r, bool is_back,
    const uint64_t out_and_in[2], struct vv_parity_sink *sink,
    varve_error *error)
{
    uint64_t out = out_and_in[0], in = out_and_in[1];
    uint64_t rounds = part_count(r, out > in ? out : in);
    VV_TRY(count_rounds(r, &rounds, error));
    for (uint64_t i = 0; i < rounds; i++) {
        varve_shift shift = shift_on(r);
        if (is_back)
            shift = (varve_shift){ .to = shift.from, .from = shift.to };
        uint64_t at = i * r->redundancy->round_size;
        shift.out_size = at < out ? part_size(r, out, i) : 0;
        shift.in_size = at < in ? part_size(r, in, i) : 0;
        (is_back ? parity_rounds_read_block : parity_rounds_read_file)(
            r, at, shift.out_size, r->out);
        VV_TRY(parity_rounds_pass(r, &shift, error));
        parity_rounds_take(r, sink, r->in, shift.in_size);
    }
    return VARVE_OK;
}

varve_status vv_rounds_copy_on(struct vv_parity_rounds *r, uint64_t whose,
    struct vv_parity_sink *block, varve_error *error)
{
    const struct vv_redundancy_group *g = &r->table->group;
    bool sends = r->is_needed && has_bit(whose, vv_member_after(g, g->index));
    bool gets = r->is_needed && has_bit(whose, g->index);
    const uint64_t sizes[] = {
        sends ? r->table->files[g->index].size : 0,
        gets ? vv_block_size(r->table, g->index) : 0,
    };
    return parity_rounds_copy(r, false, sizes, block, error);
}

varve_status vv_rounds_copy_back(struct vv_parity_rounds *r, uint64_t whose,
    struct vv_parity_sink *file, varve_error *error)
{
    const struct vv_redundancy_group *g = &r->table->group;
    bool sends = r->is_needed && has_bit(whose, vv_member_before(g, g->index));
    bool gets = r->is_needed && has_bit(whose, g->index);
    const uint64_t sizes[] = {
        sends ? vv_block_size(r->table, g->index) : 0,
        gets ? r->table->files[g->index].size : 0,
    };
    return parity_rounds_copy(r, true, sizes, file, error);
}
