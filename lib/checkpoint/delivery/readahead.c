/* readahead.c - Keeps one window of the data, which moves with the reads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "readahead.h"

#include <assert.h>

#include "failure.h"
#include "layout.h"

void vv_readahead_init(struct vv_readahead *l, const varve_allocator *allocator)
{
    vv_buffer_init(&l->bytes, allocator);
    l->begin = 0;
    l->is_narrow = false;
}

void vv_readahead_end(struct vv_readahead *l)
{
    vv_buffer_clear(&l->bytes);
}

void vv_readahead_forget(struct vv_readahead *l)
{
    l->bytes.size = 0;
}

static bool readahead_has(
    const struct vv_readahead *l, uint64_t offset, size_t size)
{
    return offset >= l->begin && size <= l->bytes.size &&
           offset - l->begin <= l->bytes.size - size;
}

/* Return true if a range follows the window, or precedes it, closely. */
static bool readahead_is_behind(const struct vv_readahead *l, uint64_t offset)
{
    return offset >= l->begin && offset - l->begin < 2 * l->bytes.size;
}

static bool readahead_is_before(const struct vv_readahead *l, uint64_t offset)
{
    return offset < l->begin && l->begin - offset <= l->bytes.size;
}

/* Returns how much to read, at least `size`. */
static size_t size_ahead(
    const struct vv_readahead *l, uint64_t offset, size_t size)
{
    bool is_near =
        readahead_is_behind(l, offset) || readahead_is_before(l, offset);
    size_t wanted = is_near ? 2 * l->bytes.size : VV_LEAST_AHEAD;
    if (wanted < VV_LEAST_AHEAD)
        wanted = VV_LEAST_AHEAD;
    if (wanted > VV_MOST_AHEAD)
        wanted = VV_MOST_AHEAD;
    return wanted > size ? wanted : size;
}

/* Sets *begin and returns the size of the read. It excludes the header and ends
 * with the data. */
static size_t readahead_choose(const struct vv_readahead *l,
    const struct vv_opened *file, uint64_t offset, size_t size, uint64_t *begin)
{
    size_t wanted = size_ahead(l, offset, size);
    uint64_t first = offset < VV_HEADER_SIZE ? offset : VV_HEADER_SIZE;
    uint64_t end = offset + size;
    *begin = offset;
    if (readahead_is_before(l, offset)) {
        *begin = end - first > wanted ? end - wanted : first;
        return (size_t)(end - *begin);
    }
    if (file->data_end < end)
        return size;
    uint64_t rest = file->data_end - offset;
    return rest < wanted ? (size_t)rest : wanted;
}

static varve_status readahead_read_range(struct vv_readahead *l,
    const struct vv_opened *file, uint64_t begin, size_t size,
    varve_error *error)
{
    if (!vv_buffer_extend(vv_emptied(&l->bytes), size))
        return vv_fail_memory(error, "a buffer for reading");
    l->begin = begin;
    return vv_opened_read(file, begin, l->bytes.data, size, error);
}

/* Reads the range and what follows. Damage outside the requested range is
 * ignored by a second read. After a failed system call the next read is not
 * extended. */
static varve_status readahead_read_ahead(struct vv_readahead *l,
    const struct vv_opened *file, uint64_t offset, size_t size,
    varve_error *error)
{
    uint64_t begin = offset;
    size_t wanted =
        l->is_narrow ? size : readahead_choose(l, file, offset, size, &begin);
    varve_error reason = { 0 };
    varve_status status = readahead_read_range(l, file, begin, wanted, &reason);
    l->is_narrow = status && status != VARVE_CORRUPT;
    if (status == VARVE_CORRUPT)
        status = readahead_read_range(l, file, offset, size, &reason);
    if (!status)
        return VARVE_OK;
    vv_readahead_forget(l);
    if (error)
        *error = reason;
    return status;
}

varve_status vv_readahead_take(struct vv_readahead *l,
    const struct vv_opened *file, uint64_t offset, size_t size,
    const unsigned char **found, varve_error *error)
{
    varve_status status = VARVE_OK;
    assert(size && size <= VV_LEAST_AHEAD);
    if (!readahead_has(l, offset, size))
        status = readahead_read_ahead(l, file, offset, size, error);
    if (!status)
        *found = l->bytes.data + (offset - l->begin);
    return status;
}
