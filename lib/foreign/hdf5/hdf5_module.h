/* hdf5_module.h - what the module varve-hdf5 gives: libhdf5 behind a table of
 * calls, the one symbol that it exports.
 *
 * It opens nothing by name: bytes come and go through functions of the library.
 * An object is known by where it lies in its file, so that what has several
 * names is one. One call runs at a time, whoever makes it: libhdf5 may not be
 * safe for threads. A function that is handed in may not call the module, nor
 * may a process that was forked while another thread was in it: VARVE_MISUSE.
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

/* A file: a range of bytes somewhere. The functions fill in the error. */
struct vv_hdf5_bytes {
    /* to fill in */
    void *user;
    uint64_t size;
    uint64_t listing; /* of a file that is read: so many bytes may be read to
                         find out what there is */
    bool (*read)(void *user, uint64_t offset, void *bytes, size_t size,
        varve_error *error);
    bool (*write)(void *user, uint64_t offset, const void *bytes, size_t size,
        varve_error *error); /* NULL: it is only read */
};

enum vv_hdf5_link_kind {
    VV_HDF5_HARD,
    VV_HDF5_SOFT,     /* `target` is a path in the file */
    VV_HDF5_EXTERNAL, /* `target` is the name of another file */
    VV_HDF5_FOREIGN   /* of a kind that a program made up */
};

struct vv_hdf5_link {
    /* to fill in */
    enum vv_hdf5_link_kind kind;
    const char *name;
    uint64_t object; /* where a hard one leads */
    const char *target;
};

enum vv_hdf5_object_kind {
    VV_HDF5_GROUP,
    VV_HDF5_DATASET,
    VV_HDF5_NAMED_TYPE,
    VV_HDF5_UNKNOWN
};

/* What a dataset holds. */
struct vv_hdf5_type {
    /* to fill in */
    varve_dtype dtype; /* 0: none of ours */
    bool is_plain;     /* its bytes are those of a file of ours */
    bool has_bytes;    /* and if it is none of ours, they say what it holds */
    uint64_t size;     /* of an element in the file */
    char name[32];     /* of one that is none of ours: "compound" */
};

struct vv_hdf5_object {
    /* to fill in */
    enum vv_hdf5_object_kind kind;
    struct vv_hdf5_type type; /* of a dataset, as all below */
    uint32_t rank;
    uint64_t extents[VV_HDF5_MOST_RANK];
    bool is_null;      /* a type without elements */
    bool is_elsewhere; /* in other files, which are not looked at: `what` */
    bool is_piled;     /* one filter is in it twice */
    bool is_stored;    /* in one piece, at `offset` */
    uint64_t offset;
    uint64_t storage; /* bytes that it takes in the file */
    uint64_t chunk;   /* bytes of a chunk; 0: it has none */
    char what[VV_HDF5_TEXT_SIZE];
};

enum vv_hdf5_number { VV_HDF5_INTEGER, VV_HDF5_NATURAL, VV_HDF5_REAL };

/* An attribute: texts or numbers. */
struct vv_hdf5_attribute {
    /* to fill in */
    const char *name;
    bool is_scalar;
    size_t count;
    const varve_string *texts; /* NULL: they are numbers */
    enum vv_hdf5_number kind;
    const void *numbers; /* int64_t, uint64_t or double */
};

typedef bool vv_hdf5_each_link(void *user, const struct vv_hdf5_link *link);

/* Callbacks for the attributes of an object. Attributes that `wants` refuses
 * are not read. */
struct vv_hdf5_attribute_visitor {
    /* to fill in */
    bool (*wants)(void *user, const char *name);
    bool (*each)(void *user, const struct vv_hdf5_attribute *attribute);
    /* One that is wanted, and is no text and no number, or too many, or that
     * cannot be read. */
    bool (*left_out)(void *user, const char *name);
    void *user;
};

typedef bool vv_hdf5_each_string(void *user, const char *bytes, size_t size);

/* Where something new is put. */
struct vv_hdf5_name {
    /* to fill in */
    uint64_t parent;
    const char *name;
};

/* A dataset that is made. */
struct vv_hdf5_new {
    /* to fill in */
    varve_dtype dtype; /* 0: bytes of a state */
    uint32_t rank;
    bool is_null; /* there are no elements */
    uint64_t extents[VV_HDF5_MOST_RANK];
    const unsigned char *type; /* of encode_type; NULL: `dtype` counts */
    size_t type_size;
};

struct vv_hdf5_file;

/* On failure a message without the file's name; VARVE_CANCELLED where a
 * function that was handed in gave false. */
struct vv_hdf5_calls {
    /* to read */
    unsigned version; /* VV_HDF5_VERSION */
    /* A new file, without bytes yet, where they can be written. */
    varve_status (*open)(const struct vv_hdf5_bytes *bytes,
        struct vv_hdf5_file **file, uint64_t *root, varve_error *error);
    /* Of a file that is written: all that is not written yet. Takes NULL. */
    varve_status (*close)(struct vv_hdf5_file *file, varve_error *error);

    varve_status (*describe)(struct vv_hdf5_file *file, uint64_t object,
        struct vv_hdf5_object *what, varve_error *error);
    /* Of a group, in the order of names. */
    varve_status (*links)(struct vv_hdf5_file *file, uint64_t object,
        vv_hdf5_each_link *each, void *user, varve_error *error);
    /* Those that are texts or numbers; of many elements none. */
    varve_status (*attributes)(struct vv_hdf5_file *file, uint64_t object,
        const struct vv_hdf5_attribute_visitor *told, varve_error *error);
    /* All elements, row-major, as they lie in a file of ours; of a type that
     * is none of ours as they lie in theirs. */
    varve_status (*read)(struct vv_hdf5_file *file, uint64_t object,
        void *bytes, size_t size, varve_error *error);
    /* All texts, which together may have so many bytes (VARVE_LIMIT). */
    varve_status (*strings)(struct vv_hdf5_file *file, uint64_t object,
        uint64_t most, vv_hdf5_each_string *each, void *user,
        varve_error *error);

    /* Encodes the type of a dataset. *size is the room, and is set to the
     * number of bytes, or to 0 if there is not enough room. */
    varve_status (*encode_type)(struct vv_hdf5_file *file, uint64_t object,
        unsigned char *bytes, size_t *size, varve_error *error);

    /* A new object below `at`; VARVE_DUPLICATE where it has that name. */
    varve_status (*add_group)(struct vv_hdf5_file *file,
        const struct vv_hdf5_name *at, uint64_t *object, varve_error *error);
    /* The bytes go to *offset, as those of a file of ours; they are whoever
     * asked's to write. Of texts, and where there are none, it is 0. */
    varve_status (*add_dataset)(struct vv_hdf5_file *file,
        const struct vv_hdf5_name *at, const struct vv_hdf5_new *what,
        uint64_t *object, uint64_t *offset, varve_error *error);
    /* One more name of an object. */
    varve_status (*add_link)(struct vv_hdf5_file *file,
        const struct vv_hdf5_name *at, uint64_t object, varve_error *error);
    /* All texts of a dataset. */
    varve_status (*write_texts)(struct vv_hdf5_file *file, uint64_t object,
        const varve_string *texts, size_t count, varve_error *error);
    /* One text, or one number. */
    varve_status (*add_attribute)(struct vv_hdf5_file *file, uint64_t object,
        const struct vv_hdf5_attribute *attribute, varve_error *error);
};

#endif
