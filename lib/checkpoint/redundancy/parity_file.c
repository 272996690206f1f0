/* parity_file.c - Reads and writes the header of a parity file: numbers at
 * fixed offsets, and a digest of them at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "parity_file.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "file.h"
#include "try.h"

enum {
    VERSION = 1,
    DIGEST = sizeof(struct vv_digest),
    /* The offsets of the numbers. */
    AT_VERSION = 8,
    AT_RANK = 12,
    AT_BLOCK = 16,
    AT_SCHEME = 32,
    AT_GROUP_SIZE = 36,
    AT_SIZE = 40,
    AT_COUNT = 44,
    AT_NUMBER = 48,
    AT_SET = 56,
    AT_MEMBERS = AT_SET + DIGEST,
    MEMBER = 4 + 4 + 8 + DIGEST,
};

static const char magic[8] = { '\x89', 'V', 'P', 'A', 'R', '\r', '\n', '\0' };

static uint64_t head_size_of(uint64_t members, uint64_t ranks)
{
    return AT_MEMBERS + members * MEMBER + 4 * ranks + DIGEST;
}

uint64_t vv_parity_head_size(const struct vv_parity_table *table)
{
    return head_size_of(table->group.count, table->size);
}

uint64_t vv_segment_size(const struct vv_parity_table *table)
{
    uint64_t most = 0, parts = table->group.count - 1;
    for (uint32_t i = 0; i < table->group.count; i++)
        if (table->files[i].size > most)
            most = table->files[i].size;
    return most / parts + (most % parts > 0);
}

uint64_t vv_block_size(const struct vv_parity_table *table, uint32_t index)
{
    uint32_t count = table->group.count;
    return table->scheme == VARVE_XOR
               ? vv_segment_size(table)
               : table->files[(index + count - 1) % count].size;
}

void vv_parity_add_head(struct vv_buffer *head, const struct vv_parity_table *t,
    const struct vv_digest *block)
{
    size_t begin = head->size;
    vv_buffer_add(head, magic, sizeof magic);
    vv_buffer_add32(head, VERSION);
    vv_buffer_add32(head, t->rank);
    vv_buffer_add(head, block->bytes, DIGEST);
    vv_buffer_add32(head, t->scheme);
    vv_buffer_add32(head, t->group_size);
    vv_buffer_add32(head, t->size);
    vv_buffer_add32(head, t->group.count);
    vv_buffer_add64(head, t->number);
    vv_buffer_add(head, t->set.bytes, DIGEST);
    for (uint32_t i = 0; i < t->group.count; i++) {
        vv_buffer_add32(head, t->group.ranks[i]);
        vv_buffer_add32(head, 0);
        vv_buffer_add64(head, t->files[i].size);
        vv_buffer_add(head, t->files[i].digest.bytes, DIGEST);
    }
    for (uint32_t i = 0; i < t->size; i++)
        vv_buffer_add32(head, t->domains[i]);
    if (head->failed)
        return;
    const struct vv_digest all =
        vv_digest_of(head->data + begin, head->size - begin);
    vv_buffer_add(head, all.bytes, DIGEST);
}

/* --- Reading ------------------------------------------------------------ */

static varve_status fail_corrupt(
    const struct vv_redundant_file *file, const char *what, varve_error *error)
{
    return vv_fail(error, VARVE_CORRUPT,
        "%s: the parity file is damaged: it has %s", file->parity, what);
}

/* Checks the fixed part of the header. */
static varve_status check_begin(const unsigned char *begin,
    const struct vv_redundancy *r, const struct vv_redundant_file *file,
    varve_error *error)
{
    if (memcmp(begin, magic, sizeof magic) != 0)
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT, "%s: not a parity file",
            file->parity);
    uint32_t version = vv_load32(begin + AT_VERSION);
    if (version > VERSION)
        return vv_fail(error, VARVE_TOO_NEW,
            "%s: this build reads parity files up to version %d, found version "
            "%" PRIu32,
            file->parity, VERSION, version);
    uint32_t size = vv_load32(begin + AT_SIZE);
    uint32_t count = vv_load32(begin + AT_COUNT);
    if (version < 1 || count < 2 || count > VV_MOST_MEMBERS || size < count)
        return fail_corrupt(file, "invalid numbers", error);
    if (size != r->comm->size)
        return vv_fail(error, VARVE_MISMATCH,
            "%s: saved by %" PRIu32 " ranks, but this job has %" PRIu32,
            file->parity, size, r->comm->size);
    return VARVE_OK;
}

static varve_status parity_file_read_head(struct vv_parity_in *in,
    const struct vv_redundancy *r, const struct vv_redundant_file *file,
    uint64_t size, struct vv_buffer *head, varve_error *error)
{
    unsigned char begin[AT_MEMBERS];
    if (size < sizeof begin)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: not a parity file: it has only %" PRIu64 " bytes",
            file->parity, size);
    VV_TRY(vv_file_read(
        r->context, in->file, file->parity, begin, sizeof begin, 0, error));
    VV_TRY(check_begin(begin, r, file, error));
    in->head_size =
        head_size_of(vv_load32(begin + AT_COUNT), vv_load32(begin + AT_SIZE));
    if (size < in->head_size)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: truncated: expected at least %" PRIu64
            " bytes, found %" PRIu64,
            file->parity, in->head_size, size);
    if (!vv_buffer_extend(head, (size_t)in->head_size))
        return vv_fail_memory(error, "a parity file");
    return vv_file_read(
        r->context, in->file, file->parity, head->data, head->size, 0, error);
}

static varve_status parity_file_check_sum(const struct vv_buffer *head,
    const struct vv_redundant_file *file, varve_error *error)
{
    size_t summed = head->size - DIGEST;
    struct vv_digest all = vv_digest_of(head->data, summed);
    return memcmp(all.bytes, head->data + summed, DIGEST) == 0
               ? VARVE_OK
               : fail_corrupt(file, "a header with a wrong checksum", error);
}

/* Takes the table from the header. The group of a rank is computed from the
 * domains. */
static varve_status take_table(struct vv_parity_in *in,
    const struct vv_redundancy *r, const struct vv_redundant_file *file,
    const unsigned char *head, varve_error *error)
{
    struct vv_parity_table *t = &in->table;
    uint32_t count = vv_load32(head + AT_COUNT);
    const unsigned char *domains = head + AT_MEMBERS + count * MEMBER;
    t->rank = vv_load32(head + AT_RANK);
    memcpy(in->block.bytes, head + AT_BLOCK, DIGEST);
    t->scheme = vv_load32(head + AT_SCHEME);
    t->group_size = vv_load32(head + AT_GROUP_SIZE);
    t->size = vv_load32(head + AT_SIZE);
    t->number = vv_load64(head + AT_NUMBER);
    memcpy(t->set.bytes, head + AT_SET, DIGEST);
    if ((t->scheme != VARVE_XOR && t->scheme != VARVE_PARTNER) ||
        t->group_size < 2 || t->group_size > VV_LARGEST_GROUP)
        return fail_corrupt(file, "an unknown scheme", error);
    for (uint32_t i = 0; i < t->size; i++) {
        uint32_t domain = vv_load32(domains + 4 * i);
        vv_buffer_add(&in->domains, &domain, sizeof domain);
    }
    if (in->domains.failed)
        return vv_fail_memory(error, "a parity file");
    t->domains = (const uint32_t *)in->domains.data;
    if (t->rank != r->comm->rank || t->number != file->number)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: expected number %" PRIu64 " of rank %" PRIu32
            ", found number %" PRIu64 " of rank %" PRIu32,
            file->parity, file->number, r->comm->rank, t->number, t->rank);
    const uint32_t rank_and_size[] = { t->rank, t->size };
    varve_status status = vv_redundancy_group_of(&t->group, t->domains,
        rank_and_size, t->group_size, &r->context->allocator, error);
    if (status == VARVE_NO_MEMORY)
        return status;
    return !status && count == t->group.count
               ? VARVE_OK
               : fail_corrupt(file, "another group of ranks", error);
}

/* Limits the sizes, so that the total size of a set is less than 2^62 bytes. */
static varve_status parity_file_take_members(struct vv_parity_in *in,
    const struct vv_redundant_file *file, const unsigned char *head,
    varve_error *error)
{
    struct vv_parity_table *t = &in->table;
    for (uint32_t i = 0; i < t->group.count; i++) {
        const unsigned char *member = head + AT_MEMBERS + i * MEMBER;
        t->files[i].size = vv_load64(member + 8);
        memcpy(t->files[i].digest.bytes, member + 16, DIGEST);
        if (vv_load32(member) != t->group.ranks[i] ||
            t->files[i].size > UINT64_MAX / 4 / VV_MOST_MEMBERS)
            return fail_corrupt(file, "invalid members", error);
    }
    return VARVE_OK;
}

static varve_status parity_file_read_all(struct vv_parity_in *in,
    const struct vv_redundancy *r, const struct vv_redundant_file *file,
    uint64_t size, varve_error *error)
{
    struct vv_buffer head;
    vv_buffer_init(&head, &r->context->allocator);
    varve_status status;
    if (!(status = parity_file_read_head(in, r, file, size, &head, error)) &&
        !(status = parity_file_check_sum(&head, file, error)) &&
        !(status = take_table(in, r, file, head.data, error)))
        status = parity_file_take_members(in, file, head.data, error);
    vv_buffer_clear(&head);
    if (status)
        return status;
    uint64_t whole =
        in->head_size + vv_block_size(&in->table, in->table.group.index);
    return size == whole ? VARVE_OK
                         : fail_corrupt(file, "a block of another size", error);
}

varve_status vv_parity_open(struct vv_parity_in *in,
    const struct vv_redundancy *r, const struct vv_redundant_file *file,
    varve_error *error)
{
    uint64_t size;
    *in = (struct vv_parity_in){ .file = -1 };
    vv_buffer_init(&in->domains, &r->context->allocator);
    VV_TRY(vv_file_open(r->context, file->parity, &in->file, &size, error));
    varve_status status = parity_file_read_all(in, r, file, size, error);
    if (status)
        vv_parity_close(in, r);
    return status;
}

void vv_parity_close(struct vv_parity_in *in, const struct vv_redundancy *r)
{
    vv_file_close(r->context, in->file);
    in->file = -1;
    vv_buffer_clear(&in->domains);
}
