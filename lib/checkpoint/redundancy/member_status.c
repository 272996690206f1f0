/* member_status.c - Checks the files of this rank, and decides what the group
 * can rebuild.
 *
 * SPDX-License-Identifier: MIT
 */
#include "member_status.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "name.h"
#include "try.h"

/* --- The files of this rank ----------------------------------------------- */

static varve_status member_status_add_all(const struct vv_context *context,
    int file, const char *path, const uint64_t offset_and_size[2],
    struct vv_digester *digester, varve_error *error)
{
    unsigned char *bytes = vv_allocate(&context->allocator, VV_PASSED_AT_ONCE);
    varve_status status =
        bytes ? VARVE_OK : vv_fail_memory(error, "a part of a file");
    for (uint64_t at = 0; !status && at < offset_and_size[1];) {
        uint64_t left = offset_and_size[1] - at;
        size_t size =
            left < VV_PASSED_AT_ONCE ? (size_t)left : VV_PASSED_AT_ONCE;
        status = vv_file_read(
            context, file, path, bytes, size, offset_and_size[0] + at, error);
        if (!status)
            vv_digester_add(digester, bytes, size);
        at += size;
    }
    vv_release(&context->allocator, bytes, bytes ? VV_PASSED_AT_ONCE : 0);
    return status;
}

varve_status vv_digest_file(const struct vv_context *context, int file,
    const char *path, const uint64_t offset_and_size[2],
    struct vv_digest *digest, varve_error *error)
{
    struct vv_digester *digester = vv_digester_new(&context->allocator);
    if (!digester)
        return vv_fail_memory(error, "a digest");
    varve_status status = member_status_add_all(
        context, file, path, offset_and_size, digester, error);
    if (!status)
        *digest = vv_digester_end(digester);
    vv_digester_free(&context->allocator, digester);
    return status;
}

static varve_status member_status_look_at_file(struct vv_local_files *m,
    const struct vv_redundancy *r, const struct vv_redundant_file *own,
    varve_error *error)
{
    varve_status status =
        vv_file_open(r->context, own->path, &m->file, &m->is.size, error);
    if (status) {
        m->file = -1;
        return status;
    }
    const uint64_t range[] = { 0, m->is.size };
    status = vv_digest_file(
        r->context, m->file, own->path, range, &m->is.digest, error);
    if (status) {
        vv_file_close(r->context, m->file);
        m->file = -1;
    }
    return status;
}

static varve_status look_at_block(struct vv_local_files *m,
    const struct vv_redundancy *r, const struct vv_redundant_file *own,
    varve_error *error)
{
    const struct vv_parity_table *t = &m->parity.table;
    const uint64_t range[] = { m->parity.head_size,
        vv_block_size(t, t->group.index) };
    struct vv_digest is;
    VV_TRY(vv_digest_file(
        r->context, m->parity.file, own->parity, range, &is, error));
    m->has_block = vv_digest_equal(&is, &m->parity.block);
    return VARVE_OK;
}

/* Returns true if a file may be good although it cannot be read now. */
static bool is_unread(varve_status status)
{
    return status == VARVE_IO || status == VARVE_NO_PERMISSION;
}

varve_status vv_local_files_look(struct vv_local_files *m,
    const struct vv_redundancy *r, const struct vv_redundant_file *own,
    varve_error *error)
{
    *m = (struct vv_local_files){ .file = -1 };
    varve_status status = member_status_look_at_file(m, r, own, &m->reason);
    m->is_unread = is_unread(status);
    if (status != VARVE_NO_MEMORY) {
        m->reason = (varve_error){ 0 };
        status = vv_parity_open(&m->parity, r, own, &m->reason);
        m->has_table = !status;
        if (!status)
            status = look_at_block(m, r, own, &m->reason);
        m->is_unread |= is_unread(status);
    }
    if (status != VARVE_NO_MEMORY)
        return VARVE_OK;
    if (error)
        *error = m->reason;
    vv_local_files_close(m, r);
    return status;
}

void vv_local_files_close(
    struct vv_local_files *m, const struct vv_redundancy *r)
{
    vv_file_close(r->context, m->file);
    m->file = -1;
    if (m->has_table)
        vv_parity_close(&m->parity, r);
    m->has_table = false;
}

/* --- The files of the group ----------------------------------------------- */

static bool is_file(
    const struct vv_member_status *one, const struct vv_member_file *as)
{
    return one->has_file && one->is.size == as->size &&
           vv_digest_equal(&one->is.digest, &as->digest);
}

/* Returns what is lost if the table of the member `as` is right. */
static struct vv_repair member_status_find_lost(
    const struct vv_member_status *all, const struct vv_parity_table *t,
    const struct vv_member_status *as)
{
    struct vv_repair lost = { 0 };
    size_t size = t->group.count * sizeof *as->files;
    for (uint32_t i = 0; i < t->group.count; i++) {
        bool is_alike =
            all[i].has_table && memcmp(all[i].files, as->files, size) == 0;
        if (!is_file(&all[i], &as->files[i]))
            lost.files |= UINT64_C(1) << i;
        if (!is_alike || !all[i].has_block)
            lost.blocks |= UINT64_C(1) << i;
    }
    return lost;
}

/* XOR: at most one unknown in each column. PARTNER: at least one of the two
 * copies of each file. */
static bool can_repair(
    const struct vv_parity_table *t, const struct vv_repair *lost)
{
    uint32_t count = t->group.count;
    if (t->scheme == VARVE_XOR)
        return lost->files == 0 || ((lost->files & (lost->files - 1)) == 0 &&
                                       (lost->blocks & ~lost->files) == 0);
    for (uint32_t i = 0; i < count; i++)
        if (lost->files >> i & 1 && lost->blocks >> (i + 1) % count & 1)
            return false;
    return true;
}

static void add_ranks(
    struct vv_buffer *text, const struct vv_parity_table *t, uint64_t which)
{
    for (uint32_t i = 0; i < t->group.count; i++) {
        if (!(which >> i & 1))
            continue;
        uint32_t rank = t->group.ranks[i];
        vv_buffer_add_string(text, text->size ? ", " : "");
        vv_buffer_add_decimal(text, rank);
        vv_buffer_add_string(text, " (node ");
        vv_buffer_add_decimal(text, t->domains[rank]);
        vv_buffer_add_string(text, ")");
    }
}

static uint64_t find_unread(
    const struct vv_member_status *all, const struct vv_parity_table *t)
{
    uint64_t unread = 0;
    for (uint32_t i = 0; i < t->group.count; i++)
        if (all[i].is_unread)
            unread |= UINT64_C(1) << i;
    return unread;
}

/* Returns true if the set cannot be repaired even if all files that cannot be
 * read now are good. */
static bool is_lost_anyway(const struct vv_parity_table *t,
    const struct vv_repair *lost, uint64_t unread)
{
    const struct vv_repair rest = { .files = lost->files & ~unread,
        .blocks = lost->blocks & ~unread };
    return !can_repair(t, &rest);
}

/* Without memory the ranks are not listed. The message may be truncated. */
static varve_status fail_lost(const struct vv_parity_table *t,
    const struct vv_repair *lost, uint64_t unread, const char *path,
    const varve_allocator *allocator, varve_error *error)
{
    struct vv_buffer ranks;
    vv_buffer_init(&ranks, allocator);
    add_ranks(&ranks, t, unread ? unread : lost->files | lost->blocks);
    const char *text = ranks.failed ? "several" : vv_buffer_string(&ranks);
    varve_status status =
        unread ? vv_fail(error, VARVE_IO,
                     "%s: too few nodes of its group of %" PRIu32
                     " can read their files now; reading failed at ranks %s",
                     path, t->group.count, text)
               : vv_fail(error, VARVE_CORRUPT,
                     "%s: too many files are lost: %s of a group of %" PRIu32
                     " can be lost, but ranks %s have lost files",
                     path,
                     t->scheme == VARVE_XOR ? "at most one node"
                                            : "no two consecutive nodes",
                     t->group.count, text);
    vv_buffer_clear(&ranks);
    return status;
}

varve_status vv_decide_repair(const struct vv_member_status *all,
    struct vv_parity_table *t, struct vv_repair *repair,
    const struct vv_redundant_file *own, const varve_allocator *allocator,
    varve_error *error)
{
    struct vv_repair lost = { .files = UINT64_MAX, .blocks = UINT64_MAX };
    const uint64_t unread = find_unread(all, t);
    bool is_lost = unread == 0;
    for (uint32_t i = 0; i < t->group.count; i++) {
        if (!all[i].has_table)
            continue;
        lost = member_status_find_lost(all, t, &all[i]);
        if (!can_repair(t, &lost)) {
            is_lost |= is_lost_anyway(t, &lost, unread);
            continue;
        }
        memcpy(t->files, all[i].files, sizeof t->files);
        *repair = lost;
        return VARVE_OK;
    }
    return fail_lost(
        t, &lost, is_lost ? 0 : unread, own->path, allocator, error);
}
