/* hdf5_driver.c - Implements a virtual file driver that reads, writes and
 * determines the end of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_driver.h"

#include <stdlib.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct stream {
    H5FD_t public;             /* must be the first member */
    struct vv_hdf5_file *file; /* NULL if the file has been closed */
    haddr_t end;               /* end of the allocated range */
    struct stream *next;
};

static struct stream *streams; /* all open streams */

static H5FD_t *open_stream(
    const char *name, unsigned flags, hid_t access, haddr_t most)
{
    struct vv_hdf5_file *const *file = H5Pget_driver_info(access);
    struct stream *s = file ? calloc(1, sizeof *s) : NULL;
    (void)name;
    (void)flags;
    (void)most;
    if (!s)
        return NULL;
    s->file = *file;
    s->next = streams;
    streams = s;
    return &s->public;
}

static herr_t close_stream(H5FD_t *stream)
{
    for (struct stream **at = &streams; *at; at = &(*at)->next) {
        if (&(*at)->public != stream)
            continue;
        *at = (*at)->next;
        break;
    }
    free(stream);
    return 0;
}

static int hdf5_driver_compare(const H5FD_t *a, const H5FD_t *b)
{
    return (a > b) - (a < b);
}

static herr_t query(const H5FD_t *stream, unsigned long *flags)
{
    (void)stream;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t allocated(const H5FD_t *stream, H5FD_mem_t type)
{
    (void)type;
    return ((const struct stream *)stream)->end;
}

static herr_t hdf5_driver_allocate(H5FD_t *stream, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((struct stream *)stream)->end = end;
    return 0;
}

static haddr_t hdf5_driver_size_of(const H5FD_t *stream, H5FD_mem_t type)
{
    (void)type;
    const struct vv_hdf5_file *f = ((const struct stream *)stream)->file;
    return f ? f->bytes.size : 0;
}

/* Limits the bytes read for metadata, because the metadata of a file can
 * contain cycles. */
static bool may_list(struct vv_hdf5_file *f, size_t size)
{
    if (!f->is_listing || f->bytes.write)
        return true;
    f->listed += size;
    return f->listed <= f->bytes.listing ||
           vv_hdf5_fail(f, VARVE_LIMIT,
               "the metadata of the file has more than %llu bytes",
               (unsigned long long)f->bytes.listing);
}

static herr_t read_stream(H5FD_t *stream, H5FD_mem_t type, hid_t transfer,
    haddr_t at, size_t size, void *bytes)
{
    struct vv_hdf5_file *f = ((struct stream *)stream)->file;
    (void)type;
    (void)transfer;
    if (!f)
        return -1;
    if (at > f->bytes.size || size > f->bytes.size - at) {
        vv_hdf5_fail(f, VARVE_TRUNCATED,
            "expected %zu bytes at offset %llu, but the file ends at %llu",
            size, (unsigned long long)at, (unsigned long long)f->bytes.size);
        return -1;
    }
    return may_list(f, size) &&
                   f->bytes.read(f->bytes.user, at, bytes, size, &f->reason)
               ? 0
               : -1;
}

static herr_t write_stream(H5FD_t *stream, H5FD_mem_t type, hid_t transfer,
    haddr_t at, size_t size, const void *bytes)
{
    struct vv_hdf5_file *f = ((struct stream *)stream)->file;
    (void)type;
    (void)transfer;
    if (!f || !f->bytes.write)
        return -1;
    if (f->broken.status ||
        !f->bytes.write(f->bytes.user, at, bytes, size, &f->broken))
        return 0;
    if (at + size > f->bytes.size)
        f->bytes.size = at + size;
    return 0;
}

/* Extends the file to its allocated size. */
static herr_t hdf5_driver_extend(
    H5FD_t *stream, hid_t transfer, hbool_t is_closing)
{
    struct stream *s = (struct stream *)stream;
    struct vv_hdf5_file *f = s->file;
    (void)is_closing;
    if (!f || !f->bytes.write || s->end <= f->bytes.size)
        return 0;
    return write_stream(stream, H5FD_MEM_DEFAULT, transfer, s->end - 1, 1, "");
}

static const H5FD_class_t class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)400, /* in the range of values for unregistered
                                         drivers */
#endif
    .name = "varve",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(struct vv_hdf5_file *),
    .open = open_stream,
    .close = close_stream,
    .cmp = hdf5_driver_compare,
    .query = query,
    .get_eoa = allocated,
    .set_eoa = hdf5_driver_allocate,
    .get_eof = hdf5_driver_size_of,
    .read = read_stream,
    .write = write_stream,
    .truncate = hdf5_driver_extend,
    .fl_map = H5FD_FLMAP_SINGLE,
};

bool vv_hdf5_use_driver(struct vv_hdf5_file *f)
{
    f->driver = H5FDregister(&class);
    f->access = H5Pcreate(H5P_FILE_ACCESS);
    return f->driver > 0 && f->access > 0 &&
           H5Pset_driver(f->access, f->driver, &f) >= 0 &&
           H5Pset_fclose_degree(f->access, H5F_CLOSE_STRONG) >= 0;
}

void vv_hdf5_leave_driver(struct vv_hdf5_file *f)
{
    for (struct stream *s = streams; s; s = s->next) {
        if (s->file == f)
            s->file = NULL;
    }
}
