/* hdf5_write.c - Writes files that all versions since HDF5 1.8 can read,
 * without time stamps: equal graphs give equal bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_write.h"

#include <stdlib.h>
#include <string.h>

#include "hdf5_driver.h"
#include "hdf5_type.h"

enum { ALIGNMENT = 64 }; /* of values, so that they can be read in place */

/* --- Objects -------------------------------------------------------------- */

static bool find_address(hid_t id, uint64_t *object)
{
    H5O_info_t info;
    if (H5Oget_info2(id, &info, H5O_INFO_BASIC) < 0)
        return false;
    *object = info.addr;
    return true;
}

bool vv_hdf5_create(struct vv_hdf5_file *f, uint64_t *root)
{
    hid_t plist = -1;
    bool is_done = vv_hdf5_use_driver(f) &&
                   H5Pset_alignment(f->access, ALIGNMENT, ALIGNMENT) >= 0;
    if (is_done)
        plist = H5Pcreate(H5P_FILE_CREATE);
    is_done = plist > 0 && H5Pset_obj_track_times(plist, false) >= 0;
    if (is_done)
        f->file = H5Fcreate("varve", H5F_ACC_TRUNC, plist, f->access);
    vv_hdf5_drop(plist);
    return is_done && f->file > 0 && find_address(f->file, root);
}

bool vv_hdf5_add_group(
    struct vv_hdf5_file *f, const struct vv_hdf5_name *at, uint64_t *object)
{
    hid_t parent = H5Oopen_by_addr(f->file, at->parent);
    hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = -1;
    if (parent > 0 && plist > 0 && H5Pset_obj_track_times(plist, false) >= 0)
        group = H5Gcreate2(parent, at->name, H5P_DEFAULT, plist, H5P_DEFAULT);
    bool is_done = group > 0 && find_address(group, object);
    vv_hdf5_drop(group);
    vv_hdf5_drop(plist);
    vv_hdf5_drop(parent);
    return is_done;
}

bool vv_hdf5_add_link(
    struct vv_hdf5_file *f, const struct vv_hdf5_name *at, uint64_t object)
{
    hid_t parent = H5Oopen_by_addr(f->file, at->parent);
    hid_t id = parent > 0 ? H5Oopen_by_addr(f->file, object) : -1;
    bool is_done =
        id > 0 && H5Olink(id, parent, at->name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    vv_hdf5_drop(id);
    vv_hdf5_drop(parent);
    return is_done;
}

/* --- Datasets ------------------------------------------------------------- */

static hid_t make_space(const struct vv_hdf5_new *what)
{
    hsize_t extents[VV_HDF5_MOST_RANK];
    if (what->is_null)
        return H5Screate(H5S_NULL);
    if (what->rank == 0)
        return H5Screate(H5S_SCALAR);
    for (uint32_t i = 0; i < what->rank; i++)
        extents[i] = what->extents[i];
    return H5Screate_simple((int)what->rank, extents, NULL);
}

/* Returns the properties of a contiguous dataset that is allocated immediately.
 * Strings are written by libhdf5 and need fill values. */
static hid_t make_plist(bool is_text)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (plist > 0 &&
        (H5Pset_obj_track_times(plist, false) < 0 ||
            H5Pset_layout(plist, H5D_CONTIGUOUS) < 0 ||
            H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY) < 0 ||
            H5Pset_fill_time(plist,
                is_text ? H5D_FILL_TIME_IFSET : H5D_FILL_TIME_NEVER) < 0)) {
        vv_hdf5_drop(plist);
        return -1;
    }
    return plist;
}

static bool write_attribute(
    hid_t object, const char *name, hid_t type, hid_t memory, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = space > 0 ? H5Acreate2(object, name, type, space, H5P_DEFAULT,
                               H5P_DEFAULT)
                         : -1;
    bool is_done = id > 0 && H5Awrite(id, memory, value) >= 0;
    vv_hdf5_drop(id);
    vv_hdf5_drop(space);
    return is_done;
}

static bool write_text(hid_t object, const char *name, const char *text)
{
    hid_t type = vv_hdf5_file_type(VARVE_STRING);
    bool is_done = type > 0 && write_attribute(object, name, type, type, &text);
    vv_hdf5_drop(type);
    return is_done;
}

/* The caller writes the bytes of the dataset. Sets the size of the file to
 * include them. */
static bool finish_dataset(struct vv_hdf5_file *f, hid_t set,
    const struct vv_hdf5_new *what, uint64_t *object, uint64_t *offset)
{
    const char *name = what->type ? NULL : vv_hdf5_byte_name(what->dtype);
    haddr_t at = what->dtype == VARVE_STRING ? HADDR_UNDEF : H5Dget_offset(set);
    *offset = at == HADDR_UNDEF ? 0 : at;
    if (at != HADDR_UNDEF && at + H5Dget_storage_size(set) > f->bytes.size)
        f->bytes.size = at + H5Dget_storage_size(set);
    return find_address(set, object) &&
           (!name || write_text(set, "dtype", name));
}

/* The type that a dataset had in the file that was read, or one of ours. */
static hid_t make_type(const struct vv_hdf5_new *what)
{
    if (!what->type)
        return vv_hdf5_file_type(what->dtype);
#if H5_VERSION_GE(2, 0, 0)
    return H5Tdecode2(what->type, what->type_size);
#else
    return H5Tdecode(what->type);
#endif
}

bool vv_hdf5_add_dataset(struct vv_hdf5_file *f, const struct vv_hdf5_name *at,
    const struct vv_hdf5_new *what, uint64_t *object, uint64_t *offset)
{
    hid_t parent = H5Oopen_by_addr(f->file, at->parent);
    hid_t type = make_type(what);
    hid_t space = make_space(what), set = -1;
    hid_t plist = make_plist(what->dtype == VARVE_STRING);
    if (parent > 0 && type > 0 && space > 0 && plist > 0)
        set = H5Dcreate2(
            parent, at->name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    bool is_done = set > 0 && finish_dataset(f, set, what, object, offset);
    vv_hdf5_drop(set);
    vv_hdf5_drop(plist);
    vv_hdf5_drop(space);
    vv_hdf5_drop(type);
    vv_hdf5_drop(parent);
    return is_done;
}

/* Returns terminated copies, which libhdf5 requires. */
static char **copy_texts(const varve_string *texts, size_t count)
{
    char **all = calloc(count, sizeof *all);
    for (size_t i = 0; i < count && all; i++) {
        all[i] = malloc((size_t)texts[i].size + 1);
        if (!all[i])
            break;
        if (texts[i].size > 0)
            memcpy(all[i], texts[i].data, (size_t)texts[i].size);
        all[i][texts[i].size] = 0;
    }
    return all;
}

static void free_texts(char **all, size_t count)
{
    for (size_t i = 0; i < count && all; i++)
        free(all[i]);
    free(all);
}

bool vv_hdf5_write_texts(struct vv_hdf5_file *f, uint64_t object,
    const varve_string *texts, size_t count)
{
    hid_t set = H5Oopen_by_addr(f->file, object);
    hid_t memory = vv_hdf5_varying_type();
    hvl_t *all = calloc(count, sizeof *all);
    bool is_done = false;
    for (size_t i = 0; i < count && all; i++)
        all[i] =
            (hvl_t){ (size_t)texts[i].size, (void *)(uintptr_t)texts[i].data };
    if (!all)
        vv_hdf5_fail(f, VARVE_NO_MEMORY, "out of memory: texts");
    else
        is_done =
            set > 0 && memory > 0 &&
            H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    free(all);
    vv_hdf5_drop(memory);
    vv_hdf5_drop(set);
    return is_done;
}

/* --- Attributes ----------------------------------------------------------- */

static bool write_number(hid_t object, const struct vv_hdf5_attribute *a)
{
    switch (a->kind) {
    case VV_HDF5_INTEGER:
        return write_attribute(
            object, a->name, H5T_STD_I64LE, H5T_NATIVE_INT64, a->numbers);
    case VV_HDF5_NATURAL:
        return write_attribute(
            object, a->name, H5T_STD_U64LE, H5T_NATIVE_UINT64, a->numbers);
    case VV_HDF5_REAL: break;
    }
    return write_attribute(
        object, a->name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, a->numbers);
}

bool vv_hdf5_add_attribute(
    struct vv_hdf5_file *f, uint64_t object, const struct vv_hdf5_attribute *a)
{
    hid_t id = H5Oopen_by_addr(f->file, object);
    char **copy = a->texts ? copy_texts(a->texts, 1) : NULL;
    bool is_done = id > 0;
    if (a->texts && (!copy || !copy[0]))
        is_done = vv_hdf5_fail(f, VARVE_NO_MEMORY, "out of memory: texts");
    if (is_done)
        is_done =
            a->texts ? write_text(id, a->name, copy[0]) : write_number(id, a);
    free_texts(copy, 1);
    vv_hdf5_drop(id);
    return is_done;
}
