/* hdf5_object.c - Lists and describes objects. Other files are never opened:
 * links to them and data in them are only named.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5_type.h"

/* --- Datasets ------------------------------------------------------------- */

static bool has_text(hid_t object, const char *name, char *text, size_t size)
{
    bool has = false;
    if (H5Aexists(object, name) <= 0)
        return false;
    hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = id > 0 ? H5Aget_type(id) : -1;
    hid_t space = id > 0 ? H5Aget_space(id) : -1;
    if (type > 0 && space > 0 && H5Tget_class(type) == H5T_STRING &&
        H5Sget_simple_extent_npoints(space) == 1) {
        memset(text, 0, size);
        if (H5Tis_variable_str(type) > 0) {
            char *found = NULL;
            has = H5Aread(id, type, &found) >= 0 && found;
            if (has)
                snprintf(text, size, "%s", found);
            H5free_memory(found);
        } else {
            has = H5Tget_size(type) < size && H5Aread(id, type, text) >= 0;
        }
    }
    vv_hdf5_drop(space);
    vv_hdf5_drop(type);
    vv_hdf5_drop(id);
    return has;
}

/* Keras stores types that h5py does not have as opaque bytes with the name in
 * an attribute. Varve does the same, also for states. */
static void hdf5_object_look_at_name(hid_t set, struct vv_hdf5_type *type)
{
    static const struct {
        const char *name;
        size_t size;
        varve_dtype dtype;
    } names[] = {
        { "bfloat16", 2, VARVE_BFLOAT16 },
        { "float8_e4m3fn", 1, VARVE_FLOAT8_E4M3FN },
        { "float8_e5m2", 1, VARVE_FLOAT8_E5M2 },
    };
    char text[32];
    if (strcmp(type->name, "opaque") != 0 ||
        !has_text(set, "dtype", text, sizeof text))
        return;
    if (type->size == 1 && strcmp(text, VV_HDF5_STATE_NAME) == 0)
        snprintf(type->name, sizeof type->name, "state");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (type->size == names[i].size && strcmp(text, names[i].name) == 0) {
            type->dtype = names[i].dtype;
            type->is_plain = true;
        }
    }
}

static bool look_at_space(hid_t set, struct vv_hdf5_object *o)
{
    hsize_t extents[VV_HDF5_MOST_RANK];
    hid_t space = H5Dget_space(set);
    H5S_class_t class =
        space > 0 ? H5Sget_simple_extent_type(space) : H5S_NO_CLASS;
    int rank = class == H5S_SIMPLE
                   ? H5Sget_simple_extent_dims(space, extents, NULL)
                   : 0;
    vv_hdf5_drop(space);
    if (class == H5S_NO_CLASS || rank < 0)
        return false;
    o->is_null = class == H5S_NULL;
    o->rank = (uint32_t)rank;
    for (int i = 0; i < rank; i++)
        o->extents[i] = extents[i];
    return true;
}

/* Returns true if a filter occurs twice. Decompressing twice can expand a few
 * bytes enormously. */
static bool is_piled(hid_t plist, int filters)
{
    H5Z_filter_t before[H5Z_MAX_NFILTERS];
    for (int i = 0; i < filters; i++) {
        unsigned flags, config;
        size_t none = 0;
        before[i] = H5Pget_filter2(
            plist, (unsigned)i, &flags, &none, NULL, 0, NULL, &config);
        for (int k = 0; k < i; k++) {
            if (before[k] == before[i])
                return true;
        }
    }
    return false;
}

/* Returns the size of a chunk. */
static uint64_t chunk_of(hid_t plist, uint64_t element)
{
    hsize_t extents[VV_HDF5_MOST_RANK];
    uint64_t size = element;
    int rank = H5Pget_chunk(plist, VV_HDF5_MOST_RANK, extents);
    for (int i = 0; i < rank; i++) {
        if (__builtin_mul_overflow(size, extents[i], &size))
            return UINT64_MAX;
    }
    return size;
}

static void look_at_layout(
    hid_t set, hid_t plist, size_t element, struct vv_hdf5_object *o)
{
    H5D_layout_t layout = H5Pget_layout(plist);
    int filters = H5Pget_nfilters(plist);
    o->storage = H5Dget_storage_size(set);
    o->is_piled =
        filters < 0 || filters > H5Z_MAX_NFILTERS || is_piled(plist, filters);
    if (layout == H5D_CHUNKED)
        o->chunk = chunk_of(plist, element);
    if (layout == H5D_CONTIGUOUS && filters == 0) {
        haddr_t offset = H5Dget_offset(set);
        o->is_stored = offset != HADDR_UNDEF;
        o->offset = offset;
    }
}

/* Returns true if the data is in another file, and sets `what`. */
static bool is_elsewhere(hid_t plist, struct vv_hdf5_object *o)
{
    H5D_layout_t layout = H5Pget_layout(plist);
    if (layout == H5D_VIRTUAL)
        snprintf(o->what, sizeof o->what, "virtual");
    else if (H5Pget_external_count(plist) > 0 &&
             H5Pget_external(plist, 0, sizeof o->what, o->what, NULL, NULL) < 0)
        snprintf(o->what, sizeof o->what, "external");
    o->is_elsewhere = layout == H5D_VIRTUAL || H5Pget_external_count(plist) > 0;
    o->what[sizeof o->what - 1] = 0;
    return o->is_elsewhere;
}

static bool look_at_dataset(hid_t set, struct vv_hdf5_object *o)
{
    hid_t plist = H5Dget_create_plist(set);
    hid_t type = H5Dget_type(set);
    bool is_done = plist > 0 && type > 0;
    if (is_done && !is_elsewhere(plist, o)) {
        is_done = look_at_space(set, o) && vv_hdf5_look_at_type(type, o);
        hdf5_object_look_at_name(set, &o->type);
        look_at_layout(set, plist, H5Tget_size(type), o);
    }
    vv_hdf5_drop(type);
    vv_hdf5_drop(plist);
    return is_done;
}

bool vv_hdf5_describe(
    struct vv_hdf5_file *f, uint64_t object, struct vv_hdf5_object *o)
{
    hid_t id = vv_hdf5_open_object(f, object);
    bool is_done = id > 0;
    *o = (struct vv_hdf5_object){ .kind = VV_HDF5_UNKNOWN };
    switch (is_done ? H5Iget_type(id) : H5I_BADID) {
    case H5I_GROUP: o->kind = VV_HDF5_GROUP; break;
    case H5I_DATATYPE: o->kind = VV_HDF5_NAMED_TYPE; break;
    case H5I_DATASET:
        o->kind = VV_HDF5_DATASET;
        is_done = look_at_dataset(id, o);
        break;
    default: break;
    }
    return is_done;
}

/* A type with a name in the file becomes one without. */
bool vv_hdf5_encode_type(
    struct vv_hdf5_file *f, uint64_t object, unsigned char *bytes, size_t *size)
{
    size_t needed = 0;
    hid_t set = H5Oopen_by_addr(f->file, object);
    hid_t type = set > 0 ? H5Dget_type(set) : -1;
    hid_t copy = type > 0 ? H5Tcopy(type) : -1;
    bool is_done = copy > 0 && H5Tencode(copy, NULL, &needed) >= 0;
    if (is_done && needed <= *size)
        is_done = H5Tencode(copy, bytes, &needed) >= 0;
    *size = needed <= *size ? needed : 0;
    vv_hdf5_drop(copy);
    vv_hdf5_drop(type);
    vv_hdf5_drop(set);
    return is_done;
}

/* --- Links ---------------------------------------------------------------- */

struct listing {
    struct vv_hdf5_file *file;
    vv_hdf5_each_link *each;
    void *user;
};

static bool hdf5_object_hand_over(
    struct listing *l, const struct vv_hdf5_link *link)
{
    bool goes_on = l->each(l->user, link);
    l->file->is_cancelled |= !goes_on;
    return goes_on;
}

/* Reports a soft link with its path, or an external link with the name of its
 * file. */
static bool find_target(hid_t group, const char *name, size_t size,
    struct listing *l, struct vv_hdf5_link *link)
{
    const char *file = NULL, *path;
    char *value = malloc(size + 1);
    bool is_done =
        value && H5Lget_val(group, name, value, size, H5P_DEFAULT) >= 0;
    if (is_done) {
        value[size] = 0;
        link->target = value;
        if (link->kind == VV_HDF5_EXTERNAL &&
            H5Lunpack_elink_val(value, size, NULL, &file, &path) >= 0)
            link->target = file;
        is_done = hdf5_object_hand_over(l, link);
    }
    free(value);
    return is_done;
}

static herr_t hdf5_object_take_link(
    hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct listing *l = user;
    struct vv_hdf5_link link = { .name = name, .target = "" };
    bool is_done;
    if (info->type == H5L_TYPE_HARD) {
        link.object = info->u.address;
        is_done = hdf5_object_hand_over(l, &link);
    } else {
        link.kind = info->type == H5L_TYPE_SOFT       ? VV_HDF5_SOFT
                    : info->type == H5L_TYPE_EXTERNAL ? VV_HDF5_EXTERNAL
                                                      : VV_HDF5_FOREIGN;
        is_done = link.kind == VV_HDF5_FOREIGN
                      ? hdf5_object_hand_over(l, &link)
                      : find_target(group, name, info->u.val_size, l, &link);
    }
    return is_done ? 0 : -1;
}

bool vv_hdf5_list(struct vv_hdf5_file *f, uint64_t object,
    vv_hdf5_each_link *each, void *user)
{
    struct listing l = { f, each, user };
    hsize_t at = 0;
    hid_t id = vv_hdf5_open_object(f, object);
    return id > 0 && H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, &at,
                         hdf5_object_take_link, &l) >= 0;
}

/* --- Attributes ----------------------------------------------------------- */

enum { MOST_ELEMENTS = 1024, MOST_BYTES = 16 << 20 };

struct emission {
    struct vv_hdf5_file *file;
    const struct vv_hdf5_attribute_visitor *visitor;
    bool is_listed; /* for the current attribute */
};

static bool hdf5_object_emit(
    struct emission *t, const struct vv_hdf5_attribute *a)
{
    bool goes_on = t->visitor->each(t->visitor->user, a);
    t->is_listed = true;
    t->file->is_cancelled |= !goes_on;
    return goes_on;
}

static bool hdf5_object_emit_numbers(
    hid_t id, hid_t type, struct vv_hdf5_attribute *a, struct emission *t)
{
    int64_t few[16];
    bool is_real = H5Tget_class(type) == H5T_FLOAT;
    bool has_sign = is_real || H5Tget_sign(type) == H5T_SGN_2;
    hid_t memory = is_real    ? H5T_NATIVE_DOUBLE
                   : has_sign ? H5T_NATIVE_INT64
                              : H5T_NATIVE_UINT64;
    if (a->count > sizeof few / sizeof *few || H5Tget_size(type) > 8)
        return true;
    a->kind = is_real    ? VV_HDF5_REAL
              : has_sign ? VV_HDF5_INTEGER
                         : VV_HDF5_NATURAL;
    a->numbers = few;
    return H5Aread(id, memory, few) < 0 || hdf5_object_emit(t, a);
}

/* Reports an attribute that contains strings. `room` has space for all
 * elements, as H5Aread needs it. */
static bool emit_texts(hid_t id, hid_t type, struct vv_hdf5_attribute *a,
    void *room, struct emission *t)
{
    bool is_varying = H5Tis_variable_str(type) > 0;
    size_t size = H5Tget_size(type);
    hid_t memory = is_varying ? vv_hdf5_varying_type() : H5Tcopy(type);
    H5T_str_t padding = is_varying ? H5T_STR_NULLPAD : H5Tget_strpad(type);
    varve_string *texts = calloc(a->count, sizeof *texts);
    bool is_done = true,
         is_read = texts && memory > 0 && H5Aread(id, memory, room) >= 0;
    for (size_t i = 0; i < a->count && is_read; i++) {
        hvl_t text = { size, (char *)room + i * size };
        if (is_varying)
            text = ((hvl_t *)room)[i];
        texts[i].data = text.len > 0 ? text.p : "";
        texts[i].size = vv_hdf5_text_size(texts[i].data, text.len, padding);
    }
    a->texts = texts;
    if (is_read)
        is_done = hdf5_object_emit(t, a);
    for (size_t i = 0; i < a->count && is_read && is_varying; i++)
        H5free_memory(((hvl_t *)room)[i].p);
    vv_hdf5_drop(memory);
    free(texts);
    return is_done;
}

static bool emit_attribute(
    hid_t id, hid_t type, struct vv_hdf5_attribute *a, struct emission *t)
{
    H5T_class_t class = H5Tget_class(type);
    size_t size =
        H5Tis_variable_str(type) > 0 ? sizeof(hvl_t) : H5Tget_size(type);
    if (class == H5T_INTEGER || class == H5T_FLOAT)
        return hdf5_object_emit_numbers(id, type, a, t);
    if (class != H5T_STRING || size == 0 || size > MOST_BYTES / a->count)
        return true;
    void *room = calloc(a->count, size);
    bool is_done = room && emit_texts(id, type, a, room, t);
    free(room);
    return is_done;
}

static bool emit_left_out(struct emission *t, const char *name)
{
    bool goes_on = t->visitor->left_out(t->visitor->user, name);
    t->file->is_cancelled |= !goes_on;
    return goes_on;
}

/* An attribute that cannot be read is left out, because it is not a value. */
static herr_t take_attribute(
    hid_t object, const char *name, const H5A_info_t *info, void *user)
{
    struct emission *t = user;
    const struct vv_hdf5_attribute_visitor *visitor = t->visitor;
    struct vv_hdf5_attribute a = { .name = name };
    if (!visitor->wants(visitor->user, name))
        return 0;
    hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = id > 0 ? H5Aget_type(id) : -1;
    hid_t space = id > 0 ? H5Aget_space(id) : -1;
    hssize_t count = space > 0 ? H5Sget_simple_extent_npoints(space) : 0;
    bool goes_on = true;
    t->is_listed = false;
    (void)info;
    a.is_scalar = H5Sget_simple_extent_ndims(space) == 0;
    a.count = (size_t)count;
    if (type > 0 && count > 0 && count <= MOST_ELEMENTS)
        goes_on = emit_attribute(id, type, &a, t);
    if (goes_on && !t->is_listed)
        goes_on = emit_left_out(t, name);
    vv_hdf5_drop(space);
    vv_hdf5_drop(type);
    vv_hdf5_drop(id);
    return goes_on ? 0 : -1;
}

bool vv_hdf5_list_attributes(struct vv_hdf5_file *f, uint64_t object,
    const struct vv_hdf5_attribute_visitor *visitor)
{
    struct emission t = { f, visitor, false };
    hsize_t at = 0;
    hid_t id = vv_hdf5_open_object(f, object);
    return id > 0 && H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_INC, &at,
                         take_attribute, &t) >= 0;
}
