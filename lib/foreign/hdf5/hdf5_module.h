/* hdf5_module.h - Defines the interface of the module varve-hdf5: a table of
 * functions that use libhdf5, the only symbol that the module exports.
 *
 * The module opens no files by name: it reads and writes bytes through
 * functions of the library. Objects are identified by their address in the
 * file, so that an object with several names is recognized. Only one call runs
 * at a time, in any thread, because libhdf5 may not be thread-safe. Callbacks
 * must not call the module, and a process that was forked while another thread
 * was in a call cannot use it: VARVE_MISUSE.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_MODULE_H
#define VV_HDF5_MODULE_H

#include <stdbool.h>

#include <varve/error.h>
#include <varve/tensor.h>

#define VV_HDF5_SYMBOL "vv_hdf5_calls"

enum { VV_HDF5_VERSION = 3, VV_HDF5_MOST_RANK = 32, VV_HDF5_TEXT_SIZE = 160 };

/* A file: a range of bytes. The functions set the error on failure. */
struct vv_hdf5_bytes {
    /* to fill in */
    void *user;
    uint64_t size;
    uint64_t listing; /* for a file that is read: limit on the bytes read for
                         metadata */
    bool (*read)(void *user, uint64_t offset, void *bytes, size_t size,
        varve_error *error);
    bool (*write)(void *user, uint64_t offset, const void *bytes, size_t size,
        varve_error *error); /* NULL if the file is only read */
};

enum vv_hdf5_link_kind {
    VV_HDF5_HARD,
    VV_HDF5_SOFT,     /* `target` is a path in the file */
    VV_HDF5_EXTERNAL, /* `target` is the name of another file */
    VV_HDF5_FOREIGN   /* user-defined */
};

struct vv_hdf5_link {
    /* to fill in */
    enum vv_hdf5_link_kind kind;
    const char *name;
    uint64_t object; /* target of a hard link */
    const char *target;
};

enum vv_hdf5_object_kind {
    VV_HDF5_GROUP,
    VV_HDF5_DATASET,
    VV_HDF5_NAMED_TYPE,
    VV_HDF5_UNKNOWN
};

/* The element type of a dataset. */
struct vv_hdf5_type {
    /* to fill in */
    varve_dtype dtype; /* 0 if Varve does not have the type */
    bool is_plain;     /* stored as in a Varve file */
    bool has_bytes;    /* if Varve does not have the type: the bytes alone
                          represent the value */
    uint64_t size;     /* of an element in the file */
    char name[32];     /* if Varve does not have the type: "compound" */
};

struct vv_hdf5_object {
    /* to fill in */
    enum vv_hdf5_object_kind kind;
    struct vv_hdf5_type type; /* this and the fields below: for datasets only */
    uint32_t rank;
    uint64_t extents[VV_HDF5_MOST_RANK];
    bool is_null;      /* has no elements, only a type */
    bool is_elsewhere; /* stored in other files, which are not read; `what`
                          describes them */
    bool is_piled;     /* one filter is applied twice */
    bool is_stored;    /* contiguous, at `offset` */
    uint64_t offset;
    uint64_t storage; /* bytes used in the file */
    uint64_t chunk;   /* size of a chunk; 0: not chunked */
    char what[VV_HDF5_TEXT_SIZE];
};

enum vv_hdf5_number { VV_HDF5_INTEGER, VV_HDF5_NATURAL, VV_HDF5_REAL };

/* An attribute: strings or numbers. */
struct vv_hdf5_attribute {
    /* to fill in */
    const char *name;
    bool is_scalar;
    size_t count;
    const varve_string *texts; /* NULL if it contains numbers */
    enum vv_hdf5_number kind;
    const void *numbers; /* int64_t, uint64_t or double */
};

typedef bool vv_hdf5_each_link(void *user, const struct vv_hdf5_link *link);

/* Callbacks for the attributes of an object. Attributes for which `wants`
 * returns false are not read. */
struct vv_hdf5_attribute_visitor {
    /* to fill in */
    bool (*wants)(void *user, const char *name);
    bool (*each)(void *user, const struct vv_hdf5_attribute *attribute);
    /* Called for a wanted attribute that contains neither strings nor numbers,
     * has too many elements or cannot be read. */
    bool (*left_out)(void *user, const char *name);
    void *user;
};

typedef bool vv_hdf5_each_string(void *user, const char *bytes, size_t size);

/* Parent and name of a new object. */
struct vv_hdf5_name {
    /* to fill in */
    uint64_t parent;
    const char *name;
};

/* A dataset to create. */
struct vv_hdf5_new {
    /* to fill in */
    varve_dtype dtype; /* 0: the bytes of a state */
    uint32_t rank;
    bool is_null; /* has no elements */
    uint64_t extents[VV_HDF5_MOST_RANK];
    const unsigned char *type; /* of encode_type; NULL: `dtype` counts */
    size_t type_size;
};

struct vv_hdf5_file;

/* The functions of the module. On failure the error message does not contain
 * the name of the file. The status is VARVE_CANCELLED if a callback returned
 * false. */
struct vv_hdf5_calls {
    /* to read */
    unsigned version; /* VV_HDF5_VERSION */
    /* Opens a file, or creates one if `write` is set. */
    varve_status (*open)(const struct vv_hdf5_bytes *bytes,
        struct vv_hdf5_file **file, uint64_t *root, varve_error *error);
    /* Closes a file; flushes it if it was written. Accepts NULL. */
    varve_status (*close)(struct vv_hdf5_file *file, varve_error *error);

    varve_status (*describe)(struct vv_hdf5_file *file, uint64_t object,
        struct vv_hdf5_object *what, varve_error *error);
    /* Calls `each` for the links of a group, sorted by name. */
    varve_status (*links)(struct vv_hdf5_file *file, uint64_t object,
        vv_hdf5_each_link *each, void *user, varve_error *error);
    /* Calls the visitor for the attributes of an object that contain strings or
     * numbers. Those with many elements are left out. */
    varve_status (*attributes)(struct vv_hdf5_file *file, uint64_t object,
        const struct vv_hdf5_attribute_visitor *visitor, varve_error *error);
    /* Reads all elements in row-major order, as in a Varve file, or as stored
     * if Varve does not have the type. */
    varve_status (*read)(struct vv_hdf5_file *file, uint64_t object,
        void *bytes, size_t size, varve_error *error);
    /* Reads all strings. Returns VARVE_LIMIT if their total size exceeds
     * `most`. */
    varve_status (*strings)(struct vv_hdf5_file *file, uint64_t object,
        uint64_t most, vv_hdf5_each_string *each, void *user,
        varve_error *error);

    /* Encodes the type of a dataset. *size is the room, and is set to the
     * number of bytes, or to 0 if there is not enough room. */
    varve_status (*encode_type)(struct vv_hdf5_file *file, uint64_t object,
        unsigned char *bytes, size_t *size, varve_error *error);

    /* Adds a group. Returns VARVE_DUPLICATE if the parent has a child of this
     * name. */
    varve_status (*add_group)(struct vv_hdf5_file *file,
        const struct vv_hdf5_name *at, uint64_t *object, varve_error *error);
    /* Adds a dataset. The caller must write its bytes, as in a Varve file, at
     * *offset. *offset is 0 for strings and for datasets without elements. */
    varve_status (*add_dataset)(struct vv_hdf5_file *file,
        const struct vv_hdf5_name *at, const struct vv_hdf5_new *what,
        uint64_t *object, uint64_t *offset, varve_error *error);
    /* Adds another name of an object. */
    varve_status (*add_link)(struct vv_hdf5_file *file,
        const struct vv_hdf5_name *at, uint64_t object, varve_error *error);
    /* Writes all strings of a dataset. */
    varve_status (*write_texts)(struct vv_hdf5_file *file, uint64_t object,
        const varve_string *texts, size_t count, varve_error *error);
    /* Adds an attribute that is a single string or number. */
    varve_status (*add_attribute)(struct vv_hdf5_file *file, uint64_t object,
        const struct vv_hdf5_attribute *attribute, varve_error *error);
};

#endif
