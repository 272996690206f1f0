/* inflated.c - Manages the state that reads, and the states that are kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "inflated.h"

#include <inttypes.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "try.h"

enum { WINDOW_SIZE = 1 << 16 };

/* A decompression state and its position. */
struct place {
    struct vv_inflater *inflater; /* NULL: none */
    uint64_t in;                  /* offset in the file */
    uint64_t out;                 /* offset in the decompressed content */
    bool is_end;
};

struct vv_inflated {
    struct vv_context context;
    int file;
    const char *path;
    uint64_t packed_size;
    enum vv_deflation deflation;
    struct place now;
    struct place kept[VV_INFLATED_STATES]; /* ordered by position */
    size_t kept_count;
    uint64_t step; /* smallest distance between two of them */
    uint64_t window_at;
    size_t window_size;
    unsigned char window[WINDOW_SIZE];  /* buffer for the file */
    unsigned char skipped[WINDOW_SIZE]; /* buffer for skipped content */
};

struct vv_inflated *vv_inflated_new(const struct vv_context *context, int file,
    const char *path, uint64_t packed_size, enum vv_deflation deflation)
{
    struct vv_inflated *f = vv_allocate_zeroed(&context->allocator, sizeof *f);
    if (!f)
        return NULL;
    f->context = *context;
    f->file = file;
    f->path = path;
    f->packed_size = packed_size;
    f->deflation = deflation;
    f->step = VV_INFLATED_STEP;
    return f;
}

static void inflated_drop(struct vv_inflated *f, struct place *place)
{
    vv_inflater_free(&f->context.allocator, place->inflater);
    *place = (struct place){ .inflater = NULL };
}

void vv_inflated_free(struct vv_inflated *f)
{
    if (!f)
        return;
    const varve_allocator a = f->context.allocator;
    for (size_t i = 0; i < f->kept_count; i++)
        inflated_drop(f, &f->kept[i]);
    inflated_drop(f, &f->now);
    vv_release(&a, f, sizeof *f);
}

uint64_t vv_inflated_packed(const struct vv_inflated *f)
{
    return f->now.in;
}

size_t vv_inflated_kept(const struct vv_inflated *f)
{
    return f->kept_count;
}

/* --- Inflating ------------------------------------------------------------ */

static const char *inflated_name_of(const struct vv_inflated *f)
{
    return f->deflation == VV_GZIP ? "GZIP" : "ZLIB";
}

static varve_status inflated_fail(const struct vv_inflated *f,
    varve_status status, const char *found, varve_error *error)
{
    return vv_fail(error, status,
        "%s: byte %" PRIu64 " of the file: invalid %s data: %s", f->path,
        f->now.in, inflated_name_of(f), found);
}

/* Sets *in to the next bytes of the file; none at its end. */
static varve_status inflated_look(struct vv_inflated *f,
    const unsigned char **in, size_t *in_size, varve_error *error)
{
    uint64_t at = f->now.in;
    uint64_t left = f->packed_size - at;
    if (left > 0 &&
        (at < f->window_at || at - f->window_at >= f->window_size)) {
        size_t size = left < WINDOW_SIZE ? (size_t)left : WINDOW_SIZE;
        f->window_size = 0;
        VV_TRY(vv_file_read(
            &f->context, f->file, f->path, f->window, size, at, error));
        f->window_at = at;
        f->window_size = size;
    }
    *in = f->window + (left > 0 ? at - f->window_at : 0);
    *in_size = left > 0 ? f->window_size - (size_t)(at - f->window_at) : 0;
    return VARVE_OK;
}

/* Handles the end of a stream; in gzip another one can follow. */
static varve_status end_stream(struct vv_inflated *f, varve_error *error)
{
    if (f->now.in == f->packed_size)
        f->now.is_end = true;
    else if (f->deflation == VV_GZIP)
        vv_inflater_begin_again(f->now.inflater);
    else
        return inflated_fail(
            f, VARVE_CORRUPT, "more bytes after its end", error);
    return VARVE_OK;
}

/* Decompresses at most *size bytes, which must be above 0, and sets *size to
 * their number. It can be 0 at the end of a stream. */
static varve_status inflated_inflate_some(struct vv_inflated *f,
    unsigned char *bytes, size_t *size, varve_error *error)
{
    const unsigned char *in, *from;
    size_t in_size, room = *size;
    unsigned char *out = bytes;
    VV_TRY(inflated_look(f, &in, &in_size, error));
    from = in;
    enum vv_inflation result =
        vv_inflate(f->now.inflater, &in, &in_size, &out, &room);
    bool has_moved = in > from || out > bytes;
    *size = (size_t)(out - bytes);
    f->now.in += (uint64_t)(in - from);
    f->now.out += *size;
    if (result == VV_INFLATION_NO_MEMORY)
        return vv_fail_memory(error, "inflating a file of records");
    if (result == VV_INFLATION_BAD)
        return inflated_fail(f, VARVE_CORRUPT, "corrupt bytes", error);
    if (result == VV_INFLATION_END)
        return end_stream(f, error);
    if (!has_moved)
        return inflated_fail(f, VARVE_TRUNCATED, "the end of the file", error);
    return VARVE_OK;
}

/* --- States that are kept ------------------------------------------------- */

/* Drops every second state. */
static void thin_out(struct vv_inflated *f)
{
    size_t left = 0;
    for (size_t i = 0; i < f->kept_count; i++) {
        if (i % 2)
            f->kept[left++] = f->kept[i];
        else
            inflated_drop(f, &f->kept[i]);
    }
    f->kept_count = left;
    f->step *= 2;
}

static uint64_t last_kept(const struct vv_inflated *f)
{
    return f->kept_count ? f->kept[f->kept_count - 1].out : 0;
}

/* Keeps a copy of the current state. Without memory for it, later reads are
 * slower. */
static void inflated_keep(struct vv_inflated *f)
{
    if (f->now.is_end || f->now.out < last_kept(f) + f->step)
        return;
    if (f->kept_count == VV_INFLATED_STATES)
        thin_out(f);
    if (f->now.out < last_kept(f) + f->step)
        return;
    struct place place = f->now;
    place.inflater = vv_inflater_copy(&f->context.allocator, f->now.inflater);
    if (place.inflater)
        f->kept[f->kept_count++] = place;
}

/* Returns the last state that is not after a position, or NULL for the
 * beginning. */
static const struct place *inflated_find(
    const struct vv_inflated *f, uint64_t at)
{
    const struct place *best = NULL;
    for (size_t i = 0; i < f->kept_count && f->kept[i].out <= at; i++)
        best = &f->kept[i];
    return best;
}

/* Moves to the state from which the position is reached with the least work. */
static varve_status jump(struct vv_inflated *f, uint64_t at, varve_error *error)
{
    const struct varve_allocator *a = &f->context.allocator;
    const struct place *from = inflated_find(f, at);
    if (f->now.inflater && f->now.out <= at &&
        (!from || from->out <= f->now.out))
        return VARVE_OK;
    struct place place = from ? *from : (struct place){ .inflater = NULL };
    place.inflater = from ? vv_inflater_copy(a, from->inflater)
                          : vv_inflater_new(a, f->deflation);
    if (!place.inflater)
        return vv_fail_memory(error, "inflating a file of records");
    inflated_drop(f, &f->now);
    f->now = place;
    return VARVE_OK;
}

/* --- Reading -------------------------------------------------------------- */

static varve_status inflated_advance(struct vv_inflated *f, uint64_t at,
    void *bytes, size_t size, size_t *got, varve_error *error)
{
    VV_TRY(jump(f, at, error));
    *got = 0;
    while (!f->now.is_end && *got < size) {
        bool skips = f->now.out < at;
        uint64_t left = at - f->now.out;
        size_t some = !skips               ? size - *got
                      : left < WINDOW_SIZE ? (size_t)left
                                           : WINDOW_SIZE;
        unsigned char *to = skips ? f->skipped : (unsigned char *)bytes + *got;
        VV_TRY(inflated_inflate_some(f, to, &some, error));
        *got += skips ? 0 : some;
        inflated_keep(f);
    }
    return VARVE_OK;
}

varve_status vv_inflated_read(struct vv_inflated *f, uint64_t at, void *bytes,
    size_t size, size_t *got, varve_error *error)
{
    varve_status status = inflated_advance(f, at, bytes, size, got, error);
    if (status)
        inflated_drop(f, &f->now); /* the position is unknown now */
    return status;
}
