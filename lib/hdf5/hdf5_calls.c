/* hdf5_calls.c - Defines the table of calls. Each call holds the lock of
 * hdf5_file.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "hdf5_driver.h"
#include "hdf5_file.h"
#include "hdf5_lzf.h"
#include "hdf5_object.h"
#include "hdf5_value.h"
#include "hdf5_write.h"

/* --- Files ---------------------------------------------------------------- */

static bool hdf5_calls_open_source(struct vv_hdf5_file *f, uint64_t *root)
{
    H5O_info_t info;
    if (!vv_hdf5_use_driver(f))
        return false;
    vv_hdf5_use_lzf();
    f->file = H5Fopen("varve", H5F_ACC_RDONLY, f->access);
    if (f->file <= 0 || H5Oget_info2(f->file, &info, H5O_INFO_BASIC) < 0)
        return false;
    *root = info.addr;
    return true;
}

static bool close_all(struct vv_hdf5_file *f)
{
    vv_hdf5_drop(f->opened);
    bool is_done = f->file <= 0 || H5Fclose(f->file) >= 0;
    vv_hdf5_leave_driver(f);
    vv_hdf5_drop(f->access);
    vv_hdf5_drop(f->driver);
    return is_done;
}

static varve_status hdf5_calls_end_file(
    struct vv_hdf5_file *f, varve_error *error)
{
    struct vv_hdf5_turn turn;
    if (!f)
        return VARVE_OK;
    varve_status status = VARVE_MISUSE;
    if (vv_hdf5_begin(&turn, f, error))
        status = vv_hdf5_end(&turn, close_all(f), error);
    else
        vv_hdf5_leave_driver(f); /* objects that libhdf5 has not closed stay
                                    open */
    free(f);
    return status;
}

static varve_status hdf5_calls_open_file(const struct vv_hdf5_bytes *bytes,
    struct vv_hdf5_file **file, uint64_t *root, varve_error *error)
{
    bool is_new = bytes->write != NULL;
    struct vv_hdf5_turn turn;
    struct vv_hdf5_file *f = calloc(1, sizeof *f);
    if (!f) {
        error->status = VARVE_NO_MEMORY;
        strcpy(error->message, "out of memory: an HDF5 file");
        return VARVE_NO_MEMORY;
    }
    f->bytes = *bytes;
    if (!vv_hdf5_begin(&turn, f, error)) {
        free(f);
        return VARVE_MISUSE;
    }
    bool is_done =
        is_new ? vv_hdf5_create(f, root) : hdf5_calls_open_source(f, root);
    varve_status status = vv_hdf5_end(&turn, is_done, error);
    if (status)
        hdf5_calls_end_file(f, &(varve_error){ VARVE_OK, 0, "" });
    *file = status ? NULL : f;
    return status;
}

/* --- Other calls ---------------------------------------------------------- */

#define TURN(call)                                                             \
    struct vv_hdf5_turn turn;                                                  \
    if (!vv_hdf5_begin(&turn, file, error))                                    \
        return VARVE_MISUSE;                                                   \
    bool is_done = (call);                                                     \
    return vv_hdf5_end(&turn, is_done, error)

static varve_status hdf5_calls_describe(struct vv_hdf5_file *file,
    uint64_t object, struct vv_hdf5_object *what, varve_error *error)
{
    TURN(vv_hdf5_describe(file, object, what));
}

static varve_status hdf5_calls_encode_type(struct vv_hdf5_file *file,
    uint64_t object, unsigned char *bytes, size_t *size, varve_error *error)
{
    TURN(vv_hdf5_encode_type(file, object, bytes, size));
}

static varve_status links(struct vv_hdf5_file *file, uint64_t object,
    vv_hdf5_each_link *each, void *user, varve_error *error)
{
    TURN(vv_hdf5_list(file, object, each, user));
}

static varve_status attributes(struct vv_hdf5_file *file, uint64_t object,
    const struct vv_hdf5_attribute_visitor *visitor, varve_error *error)
{
    TURN(vv_hdf5_list_attributes(file, object, visitor));
}

static varve_status hdf5_calls_read_value(struct vv_hdf5_file *file,
    uint64_t object, void *bytes, size_t size, varve_error *error)
{
    TURN(vv_hdf5_read_value(file, object, bytes, size));
}

static varve_status hdf5_calls_read_strings(struct vv_hdf5_file *file,
    uint64_t object, uint64_t most, vv_hdf5_each_string *each, void *user,
    varve_error *error)
{
    TURN(vv_hdf5_read_strings(file, object, most, each, user));
}

static varve_status hdf5_calls_add_group(struct vv_hdf5_file *file,
    const struct vv_hdf5_name *at, uint64_t *object, varve_error *error)
{
    TURN(vv_hdf5_add_group(file, at, object));
}

static varve_status hdf5_calls_add_dataset(struct vv_hdf5_file *file,
    const struct vv_hdf5_name *at, const struct vv_hdf5_new *what,
    uint64_t *object, uint64_t *offset, varve_error *error)
{
    TURN(vv_hdf5_add_dataset(file, at, what, object, offset));
}

static varve_status add_link(struct vv_hdf5_file *file,
    const struct vv_hdf5_name *at, uint64_t object, varve_error *error)
{
    TURN(vv_hdf5_add_link(file, at, object));
}

static varve_status hdf5_calls_write_texts(struct vv_hdf5_file *file,
    uint64_t object, const varve_string *texts, size_t count,
    varve_error *error)
{
    TURN(vv_hdf5_write_texts(file, object, texts, count));
}

static varve_status hdf5_calls_add_attribute(struct vv_hdf5_file *file,
    uint64_t object, const struct vv_hdf5_attribute *attribute,
    varve_error *error)
{
    TURN(vv_hdf5_add_attribute(file, object, attribute));
}

extern const struct vv_hdf5_calls vv_hdf5_calls;

const struct vv_hdf5_calls vv_hdf5_calls = {
    .version = VV_HDF5_VERSION,
    .open = hdf5_calls_open_file,
    .close = hdf5_calls_end_file,
    .describe = hdf5_calls_describe,
    .encode_type = hdf5_calls_encode_type,
    .links = links,
    .attributes = attributes,
    .read = hdf5_calls_read_value,
    .strings = hdf5_calls_read_strings,
    .add_group = hdf5_calls_add_group,
    .add_dataset = hdf5_calls_add_dataset,
    .add_link = add_link,
    .write_texts = hdf5_calls_write_texts,
    .add_attribute = hdf5_calls_add_attribute,
};
