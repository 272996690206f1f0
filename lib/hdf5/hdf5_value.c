/* hdf5_value.c - Reads numbers with one call, and strings with a limit on their
 * memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_value.h"

#include <stdlib.h>
#include <string.h>

#include "hdf5_lzf.h"
#include "hdf5_object.h"
#include "hdf5_type.h"

struct opened {
    hid_t set, type, memory;
    struct vv_hdf5_object object;
    uint64_t count; /* number of elements in their original type */
};

static void close_set(struct opened *o)
{
    vv_hdf5_drop(o->memory);
    vv_hdf5_drop(o->type);
    vv_hdf5_drop(o->set);
}

/* Fails with a specific message if a filter is missing, because the error of
 * libhdf5 does not name it. */
static void look_for_filters(struct vv_hdf5_file *f, hid_t set)
{
    vv_hdf5_note();
    hid_t plist = H5Dget_create_plist(set);
    int filters = plist > 0 ? H5Pget_nfilters(plist) : 0;
    for (int i = 0; i < filters; i++) {
        char name[80] = "";
        unsigned flags, config;
        size_t none = 0;
        H5Z_filter_t filter = H5Pget_filter2(plist, (unsigned)i, &flags, &none,
            NULL, sizeof name, name, &config);
        if (filter > 0 && H5Zfilter_avail(filter) <= 0)
            vv_hdf5_fail(f, VARVE_TOO_NEW,
                "libhdf5 has no filter \"%.*s\" (%d) here",
                (int)sizeof name - 1, name, (int)filter);
    }
    vv_hdf5_drop(plist);
}

/* The dataset was described before, but the file may have changed since. */
static bool open_set(struct vv_hdf5_file *f, uint64_t object, struct opened *o)
{
    *o = (struct opened){ .set = -1, .type = -1, .memory = -1, .count = 1 };
    if (!vv_hdf5_describe(f, object, &o->object))
        return false;
    if (o->object.kind != VV_HDF5_DATASET || o->object.is_elsewhere)
        return vv_hdf5_fail(f, VARVE_CORRUPT, "not a dataset");
    o->set = H5Oopen_by_addr(f->file, object);
    o->type = o->set > 0 ? H5Dget_type(o->set) : -1;
    o->memory =
        o->type > 0 ? vv_hdf5_memory_type(o->type, &o->object.type) : -1;
    for (uint32_t i = 0; i < o->object.rank; i++) {
        if (__builtin_mul_overflow(o->count, o->object.extents[i], &o->count))
            return vv_hdf5_fail(f, VARVE_CORRUPT, "the shape has changed");
    }
    return o->memory > 0;
}

/* Returns the size of a chunk in bytes, or SIZE_MAX if it is unknown. A dataset
 * that is not chunked has no filters. */
static size_t size_of_chunk(const struct opened *o)
{
    hsize_t extents[H5S_MAX_RANK];
    hid_t plist = H5Dget_create_plist(o->set);
    int rank = plist > 0 && H5Pget_layout(plist) == H5D_CHUNKED
                   ? H5Pget_chunk(plist, H5S_MAX_RANK, extents)
                   : 0;
    size_t size = plist > 0 && rank >= 0 ? H5Tget_size(o->type) : SIZE_MAX;
    for (int i = 0; i < rank; i++) {
        if (__builtin_mul_overflow(size, extents[i], &size))
            size = SIZE_MAX;
    }
    vv_hdf5_drop(plist);
    return size;
}

/* Reads all elements into `bytes`. */
static bool hdf5_value_read(
    const struct opened *o, hid_t memory, hid_t transfer, void *bytes)
{
    vv_hdf5_lzf_expect(size_of_chunk(o));
    herr_t result = H5Dread(o->set, memory, H5S_ALL, H5S_ALL, transfer, bytes);
    vv_hdf5_lzf_expect(0);
    return result >= 0;
}

static bool hdf5_value_read_all(struct opened *o, void *bytes, size_t size)
{
    hid_t space = H5Dget_space(o->set);
    hssize_t points = space > 0 ? H5Sget_simple_extent_npoints(space) : -1;
    uint64_t all;
    bool fits = points >= 0 &&
                !__builtin_mul_overflow(
                    (uint64_t)points, (uint64_t)H5Tget_size(o->memory), &all) &&
                all == size;
    vv_hdf5_drop(space);
    return fits && hdf5_value_read(o, o->memory, H5P_DEFAULT, bytes);
}

bool vv_hdf5_read_value(
    struct vv_hdf5_file *f, uint64_t object, void *bytes, size_t size)
{
    struct opened o;
    bool is_done = open_set(f, object, &o);
    f->is_listing = false;
    is_done = is_done && hdf5_value_read_all(&o, bytes, size);
    if (!is_done && o.set > 0)
        look_for_filters(f, o.set);
    close_set(&o);
    return is_done;
}

/* --- Strings -------------------------------------------------------------- */

struct block {
    struct block *next;
};

/* Memory that libhdf5 allocates for the strings of a dataset. */
struct scratch {
    struct vv_hdf5_file *file;
    struct block *blocks;
    uint64_t left;
};

static void *hdf5_value_take_scratch(size_t size, void *user)
{
    struct scratch *room = user;
    if (size > room->left) {
        vv_hdf5_fail(
            room->file, VARVE_LIMIT, "the strings are longer than the limit");
        return NULL;
    }
    struct block *block = malloc(sizeof *block + size);
    if (!block) {
        vv_hdf5_fail(room->file, VARVE_NO_MEMORY, "out of memory: texts");
        return NULL;
    }
    room->left -= size;
    block->next = room->blocks;
    room->blocks = block;
    return block + 1;
}

/* Does nothing: clear_scratch frees all blocks. */
static void give_scratch(void *memory, void *user)
{
    (void)memory;
    (void)user;
}

static void clear_scratch(struct scratch *room)
{
    while (room->blocks) {
        struct block *block = room->blocks;
        room->blocks = block->next;
        free(block);
    }
}

struct texts {
    struct vv_hdf5_file *file;
    vv_hdf5_each_string *each;
    void *user;
    bool is_varying;
    H5T_str_t padding;
    size_t size; /* of an element */
};

static bool hdf5_value_hand_over(
    const struct texts *t, const char *elements, uint64_t count)
{
    bool goes_on = true;
    for (uint64_t i = 0; i < count && goes_on; i++) {
        const char *text = elements + i * t->size;
        size_t size = t->size;
        if (t->is_varying) {
            hvl_t varying = ((const hvl_t *)(const void *)elements)[i];
            text = varying.len > 0 ? varying.p : "";
            size = varying.len;
        }
        size = vv_hdf5_text_size(text, size, t->padding);
        goes_on = t->each(t->user, text, size);
    }
    t->file->is_cancelled |= !goes_on;
    return goes_on;
}

static bool hdf5_value_read_texts(
    struct opened *o, struct scratch *room, const struct texts *t)
{
    uint64_t size;
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    char *elements = NULL;
    bool is_done =
        !__builtin_mul_overflow(o->count, (uint64_t)t->size, &size) &&
        size <= SIZE_MAX - sizeof(struct block) &&
        (elements = hdf5_value_take_scratch((size_t)size, room)) &&
        transfer > 0 &&
        H5Pset_vlen_mem_manager(
            transfer, hdf5_value_take_scratch, room, give_scratch, room) >= 0 &&
        hdf5_value_read(o, o->memory, transfer, elements) &&
        hdf5_value_hand_over(t, elements, o->count);
    vv_hdf5_drop(transfer);
    return is_done;
}

/* Some writers end strings of variable size with a NUL that is not part of
 * them. */
static void look_at_texts(struct opened *o, struct texts *t)
{
    t->is_varying = H5Tis_variable_str(o->type) > 0;
    t->padding = t->is_varying ? H5T_STR_NULLPAD : H5Tget_strpad(o->type);
    if (t->is_varying) {
        vv_hdf5_drop(o->memory);
        o->memory = vv_hdf5_varying_type();
    }
    t->size = t->is_varying ? sizeof(hvl_t) : H5Tget_size(o->type);
}

bool vv_hdf5_read_strings(struct vv_hdf5_file *f, uint64_t object,
    uint64_t most, vv_hdf5_each_string *each, void *user)
{
    struct opened o;
    struct scratch room = { .file = f, .left = most };
    struct texts t = { .file = f, .each = each, .user = user };
    bool is_done = open_set(f, object, &o);
    f->is_listing = false;
    if (is_done && o.object.type.dtype != VARVE_STRING)
        is_done = vv_hdf5_fail(f, VARVE_CORRUPT, "not a dataset of strings");
    if (is_done) {
        look_at_texts(&o, &t);
        is_done = o.memory > 0 &&
                  (o.count == 0 || hdf5_value_read_texts(&o, &room, &t));
        if (!is_done && !f->is_cancelled)
            look_for_filters(f, o.set);
    }
    clear_scratch(&room);
    close_set(&o);
    return is_done;
}
