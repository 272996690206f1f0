/* difference.c - Finds the first difference between the graphs or values of
 * ranks.
 *
 * If digests differ, each rank sends a text with a line for each node or value,
 * and rank 0 compares these texts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "difference.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "layout.h"
#include "saved_path.h"
#include "try.h"

enum kind { NOTHING, REQUEST, STRUCTURE, VALUES };
enum { MOST_RANKS = 8 }; /* number of ranks in a message */

static enum kind difference_find_kind(const struct vv_merge *merge)
{
    const uint8_t *at = merge->all->bytes.data;
    const struct vv_contribution mine = vv_contribution_of(at);
    enum kind kind = NOTHING;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const struct vv_contribution theirs = vv_contribution_of(at);
        if (memcmp(mine.request, theirs.request, VV_DIGEST_SIZE) != 0)
            return REQUEST;
        if (memcmp(mine.structure, theirs.structure, VV_DIGEST_SIZE) != 0)
            kind = STRUCTURE;
        else if (memcmp(mine.values, theirs.values, VV_DIGEST_SIZE) != 0 &&
                 kind == NOTHING)
            kind = VALUES;
        at += merge->all->sizes[i];
    }
    return kind;
}

/* --- Lines: a path, a NUL, a description, a NUL --------------------------- */

static void difference_add_tensor(struct vv_buffer *lines,
    const struct vv_index *index, uint32_t value, size_t extents)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    varve_tensor tensor = { .dtype = (varve_dtype)index->value_dtypes[value],
        .rank = index->value_ranks[value] };
    for (uint32_t k = 0; k < tensor.rank; k++)
        tensor.shape[k] = vv_at64(index->value_extents, extents + k);
    vv_buffer_add_string(lines, varve_tensor_text(&tensor, text));
    if (!vv_index_is_saved(index, value))
        vv_buffer_add_string(lines, " without a value");
}

/* Adds the size for values whose type and shape do not determine it. */
static void difference_add_size(
    struct vv_buffer *lines, const struct vv_index *index, uint32_t value)
{
    vv_buffer_add_string(lines, " of ");
    uint64_t size = vv_at64(index->value_sizes, value);
    vv_buffer_add_decimal(lines, size);
    vv_buffer_add_string(lines, size == 1 ? " byte" : " bytes");
}

static void difference_add_nodes(struct vv_buffer *lines,
    const struct vv_save_plan *save_plan, const struct vv_index *index,
    struct vv_saved_paths *paths, struct vv_buffer *path)
{
    uint32_t value = 0;
    size_t extents = 0;
    size_t privates;
    const struct vv_save_plan_private *private =
        vv_save_plan_privates(save_plan, &privates);
    for (uint32_t i = 0; i < index->node_count; i++) {
        vv_saved_path(paths, i, path);
        vv_buffer_add_string(lines, vv_buffer_string(path));
        vv_buffer_add8(lines, '\0');
        bool has_value = value < index->value_count &&
                         vv_at32(index->value_nodes, value) == i;
        bool is_state = vv_index_kind(index, i) == VARVE_STATE;
        if (has_value && vv_index_kind(index, i) == VARVE_VARIABLE)
            difference_add_tensor(lines, index, value, extents);
        else if (privates > 0 && private->place == i)
            vv_buffer_add_string(lines, "a private object");
        else
            vv_buffer_add_string(lines, vv_kind_text(vv_index_kind(index, i)));
        if (has_value &&
            (is_state || index->value_dtypes[value] == VARVE_STRING))
            difference_add_size(lines, index, value);
        if (privates > 0 && private->place == i) {
            private++;
            privates--;
        }
        if (has_value)
            extents += index->value_ranks[value++];
        vv_buffer_add8(lines, '\0');
    }
}

static void difference_add_values(struct vv_buffer *lines,
    const struct vv_save_plan *save_plan, const struct vv_index *index,
    struct vv_saved_paths *paths, struct vv_buffer *path)
{
    const uint8_t *digests = index->digests;
    size_t slices;
    const struct vv_save_plan_slice *slice =
        vv_save_plan_slices(save_plan, &slices);
    for (uint32_t i = 0; i < index->value_count; i++) {
        char text[33];
        size_t size = (size_t)vv_chunk_count(vv_at64(index->value_sizes, i)) *
                      VV_DIGEST_SIZE;
        const struct vv_digest digest = vv_digest_of(digests, size);
        digests += size;
        if (slices > 0 && slice->value == i) {
            slice++;
            slices--;
            continue;
        }
        vv_saved_path(paths, vv_at32(index->value_nodes, i), path);
        vv_buffer_add_string(lines, vv_buffer_string(path));
        vv_buffer_add8(lines, '\0');
        vv_digest_text(&digest, text);
        vv_buffer_add_string(lines, text);
        vv_buffer_add8(lines, '\0');
    }
}

static varve_status difference_describe(struct vv_buffer *lines,
    const struct vv_merge *merge, enum kind kind, varve_error *error)
{
    struct vv_saved_paths paths;
    struct vv_buffer path;
    struct vv_index index;
    const varve_allocator *a = &merge->save_plan->context.allocator;
    if (kind == REQUEST) {
        vv_buffer_add_string(lines, merge->path);
        vv_buffer_add(lines, "\0options", 9);
        return VARVE_OK;
    }
    VV_TRY(vv_save_plan_index(merge->save_plan, &index, error));
    VV_TRY(vv_saved_paths_begin(&paths, a, &index, 0, error));
    vv_buffer_init(&path, a);
    if (kind == STRUCTURE)
        difference_add_nodes(lines, merge->save_plan, &index, &paths, &path);
    else
        difference_add_values(lines, merge->save_plan, &index, &paths, &path);
    lines->failed |= path.failed;
    vv_saved_paths_end(&paths);
    vv_buffer_clear(&path);
    return VARVE_OK;
}

/* --- The first difference ------------------------------------------------- */

struct line {
    const char *path; /* NULL: end of the text */
    const char *what;
};

static struct line difference_take_line(const char **at, const char *end)
{
    struct line line = { NULL, "nothing" };
    if (*at < end) {
        line.path = *at;
        line.what = *at + strlen(*at) + 1;
        *at = line.what + strlen(line.what) + 1;
    }
    return line;
}

static bool difference_is_same(const struct line *a, const struct line *b)
{
    return !a->path || !b->path
               ? a->path == b->path
               : strcmp(a->path, b->path) == 0 && strcmp(a->what, b->what) == 0;
}

/* Finds the first line that differs, and sets *mine and *theirs to it. Returns
 * false if there is none. */
static bool difference_find_other(const char *one, const char *one_end,
    const char *two, const char *two_end, struct line *mine,
    struct line *theirs)
{
    do {
        *mine = difference_take_line(&one, one_end);
        *theirs = difference_take_line(&two, two_end);
    } while (mine->path && difference_is_same(mine, theirs));
    return !difference_is_same(mine, theirs);
}

static varve_status fail_line(const char *path, enum kind kind,
    const struct line *mine, const struct line *theirs, const char *ranks,
    varve_error *error)
{
    bool has_both = mine->path && theirs->path;
    if (kind == REQUEST)
        return vv_fail(error, VARVE_MISUSE,
            "%s: the path, options or metadata differ from those of rank 0 "
            "(%s) at rank %s",
            path, has_both ? theirs->path : "", ranks);
    if (has_both && kind == VALUES)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: a replicated variable differs from that of rank 0 at rank "
            "%s",
            path, mine->path, ranks);
    if (has_both && strcmp(mine->path, theirs->path) == 0)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: rank 0 has %s, found %s at rank %s", path, mine->path,
            mine->what, theirs->what, ranks);
    return vv_fail(error, VARVE_MISUSE,
        "%s: the graphs differ: rank 0 has %s, found %s at rank %s", path,
        mine->path ? mine->path : "no more nodes",
        theirs->path ? theirs->path : "no more nodes", ranks);
}

/* Fails with the ranks that differ from rank 0, and the first differing line of
 * the first of them. */
static varve_status find_difference(const struct vv_merge *merge,
    enum kind kind, const struct vv_gathered *all, varve_error *error)
{
    struct vv_buffer ranks;
    struct line mine = { 0 }, theirs = { 0 }, one, other;
    const char *first = (const char *)all->bytes.data;
    const char *at = first;
    unsigned count = 0;
    vv_buffer_init(&ranks, all->bytes.allocator);
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const char *end = at + all->sizes[i];
        bool differs = difference_find_other(
            first, first + all->sizes[0], at, end, &one, &other);
        at = end;
        if (!differs)
            continue;
        if (count == 0) {
            mine = one;
            theirs = other;
        }
        if (count < MOST_RANKS) {
            vv_buffer_add_string(&ranks, count ? ", " : "");
            vv_buffer_add_decimal(&ranks, i);
        }
        count++;
    }
    if (count > MOST_RANKS)
        vv_buffer_add_string(&ranks, " and more");
    varve_status status =
        count > 0
            ? fail_line(merge->path, kind, &mine, &theirs,
                  vv_buffer_string(&ranks), error)
            : vv_fail(error, VARVE_MISUSE, "%s: %s differ between ranks",
                  merge->path,
                  kind == REQUEST ? "the same options and metadata"
                                  : "the same edges, slots, tags and names");
    vv_buffer_clear(&ranks);
    return status;
}

varve_status vv_compare_all(const varve_comm *comm,
    const struct vv_merge *merge, bool *has_same_request, varve_error *error)
{
    uint64_t kind = comm->rank == 0 ? difference_find_kind(merge) : NOTHING;
    struct vv_gathered all;
    struct vv_buffer lines;
    VV_TRY(vv_comm_bcast_u64(comm, &kind, error));
    *has_same_request = kind != REQUEST;
    if (kind == NOTHING)
        return VARVE_OK;
    vv_buffer_init(&lines, &merge->save_plan->context.allocator);
    varve_status status =
        difference_describe(&lines, merge, (enum kind)kind, error);
    status = vv_comm_gatherv(comm, status, &lines, &all, error);
    vv_buffer_clear(&lines);
    if (status)
        return status;
    if (comm->rank == 0)
        status = find_difference(merge, (enum kind)kind, &all, error);
    vv_gathered_clear(&all);
    return vv_agree(comm, status, error);
}
