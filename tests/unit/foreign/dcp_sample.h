/* dcp_sample.h - Builds torch.distributed checkpoints: a metadata pickle and a
 * data file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_DCP_SAMPLE_H
#define UNIT_DCP_SAMPLE_H

#include <stdio.h>

#include "torch_sample.h"

#define DCP_MODULE "torch.distributed.checkpoint.metadata"
#define DCP_PATH "d/.metadata"
#define DCP_DATA "d/__0_0.distcp"

/* The open dicts of a metadata pickle. */
struct dcp {
    struct vv_buffer values, paths, parts;
    struct vv_buffer data; /* the content of DCP_DATA */
};

static inline struct dcp dcp_new(void)
{
    struct dcp d = { new_bytes(), new_bytes(), new_bytes(), new_bytes() };
    OP(&d.values, "}(");
    OP(&d.paths, "}(");
    OP(&d.parts, "}(");
    return d;
}

static inline void dcp_clear(struct dcp *d)
{
    vv_buffer_clear(&d->values);
    vv_buffer_clear(&d->paths);
    vv_buffer_clear(&d->parts);
    vv_buffer_clear(&d->data);
}

/* Begins an object with a state; "ub" ends it. */
static inline void put_object(
    struct vv_buffer *b, const char *module, const char *class)
{
    put_global(b, module, class);
    OP(b, ")\x81}(");
}

static inline void put_shape(
    struct vv_buffer *b, const int64_t *sizes, uint32_t rank)
{
    put_global(b, "torch", "Size");
    put_sizes(b, sizes, rank);
    OP(b, "\x85R");
}

/* Begins a tensor; its chunks follow. */
static inline void dcp_tensor(struct dcp *d, const char *name,
    const char *type, const int64_t *shape, uint32_t rank)
{
    struct vv_buffer *b = &d->values;
    put_text(b, name);
    put_object(b, DCP_MODULE, "TensorStorageMetadata");
    put_text(b, "properties");
    put_global(b, DCP_MODULE, "TensorProperties");
    OP(b, ")\x81(");
    put_global(b, "torch", type);
    OP(b, "tb");
    put_text(b, "size");
    put_shape(b, shape, rank);
    put_text(b, "chunks");
    OP(b, "](");
}

static inline void dcp_end_tensor(struct dcp *d)
{
    OP(&d->values, "eub");
}

static inline void dcp_chunk(struct dcp *d, const int64_t *starts,
    const int64_t *lengths, uint32_t rank)
{
    put_object(&d->values, DCP_MODULE, "ChunkStorageMetadata");
    put_text(&d->values, "offsets");
    put_shape(&d->values, starts, rank);
    put_text(&d->values, "sizes");
    put_shape(&d->values, lengths, rank);
    OP(&d->values, "ub");
}

static inline void dcp_object(struct dcp *d, const char *name)
{
    put_text(&d->values, name);
    put_object(&d->values, DCP_MODULE, "BytesStorageMetadata");
    OP(&d->values, "ub");
}

/* Adds the location of a part; without `starts`, of an object. */
static inline void dcp_part(struct dcp *d, const char *name,
    const int64_t *starts, uint32_t rank, const char *path, int64_t begin,
    int64_t size)
{
    struct vv_buffer *b = &d->parts;
    put_object(b, DCP_MODULE, "MetadataIndex");
    put_text(b, "fqn");
    put_text(b, name);
    put_text(b, "offset");
    if (starts)
        put_shape(b, starts, rank);
    else
        OP(b, "N");
    OP(b, "ub");
    put_object(b, "torch.distributed.checkpoint.filesystem", "_StorageInfo");
    put_text(b, "relative_path");
    put_text(b, path);
    put_text(b, "offset");
    put_integer(b, begin);
    put_text(b, "length");
    put_integer(b, size);
    OP(b, "ub");
}

/* Appends a torch.save file to the data, with its location. */
static inline void dcp_add(struct dcp *d, const char *name,
    const int64_t *starts, uint32_t rank, const struct vv_buffer *file)
{
    dcp_part(d, name, starts, rank, "__0_0.distcp", (int64_t)d->data.size,
        (int64_t)file->size);
    vv_buffer_add(&d->data, file->data, file->size);
}

/* Returns a file with a tensor of bytes, row-major or, if `turned`,
 * column-major. Each element is its index in a whole tensor of this shape. */
static inline struct vv_buffer dcp_box(const int64_t *shape,
    const int64_t *starts, const int64_t *lengths, uint32_t rank, bool turned)
{
    struct put t = { .class = "ByteStorage", .key = "0", .rank = rank,
        .count = 1 };
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t at = turned ? i : rank - 1 - i;
        t.shape[at] = lengths[at];
        t.strides[at] = t.count;
        t.count *= lengths[at];
    }
    unsigned char *bytes = malloc((size_t)t.count);
    for (int64_t i = 0; i < t.count; i++) {
        int64_t place = 0, where = 0, rest = i;
        int64_t coordinate[4];
        for (uint32_t k = rank; k-- > 0; rest /= lengths[k])
            coordinate[k] = rest % lengths[k];
        for (uint32_t k = 0; k < rank; k++) {
            place = place * shape[k] + starts[k] + coordinate[k];
            where += coordinate[k] * t.strides[k];
        }
        bytes[where] = (unsigned char)place;
    }
    struct vv_buffer pickle = new_bytes();
    struct archive a = archive_new();
    put_tensor(&pickle, &t);
    OP(&pickle, ".");
    archive_add(&a, (struct entry){ .name = "a/data.pkl",
        .bytes = pickle.data, .size = pickle.size });
    archive_add(&a, (struct entry){ .name = "a/data/0", .bytes = bytes,
        .size = (size_t)t.count });
    archive_end(&a);
    free(bytes);
    vv_buffer_clear(&a.directory);
    vv_buffer_clear(&pickle);
    return a.file;
}

/* Adds a piece of the current tensor to the metadata and the data. */
static inline void dcp_piece(struct dcp *d, const char *name,
    const int64_t *shape, const int64_t *starts, const int64_t *lengths,
    uint32_t rank)
{
    struct vv_buffer file = dcp_box(shape, starts, lengths, rank, false);
    dcp_chunk(d, starts, lengths, rank);
    dcp_add(d, name, starts, rank, &file);
    vv_buffer_clear(&file);
}

/* The same for an object, a file with this pickle. */
static inline void dcp_pickle(
    struct dcp *d, const char *name, const void *pickle, size_t size)
{
    struct vv_buffer b = new_bytes();
    vv_buffer_add(&b, pickle, size);
    struct vv_buffer file = new_torch(&b, NULL);
    dcp_object(d, name);
    dcp_add(d, name, NULL, 0, &file);
    vv_buffer_clear(&file);
    vv_buffer_clear(&b);
}

/* Adds the keys of a value in nested dicts: a text or, as "#3", an integer
 * each. */
static inline void dcp_path(
    struct dcp *d, const char *name, const char *const *keys)
{
    put_text(&d->paths, name);
    OP(&d->paths, "(");
    for (; *keys; keys++) {
        if (**keys == '#')
            put_integer(&d->paths, atoll(*keys + 1));
        else
            put_text(&d->paths, *keys);
    }
    OP(&d->paths, "t");
}

#define KEYS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* Returns the pickle of the metadata. */
static inline struct vv_buffer dcp_pickle_of(const struct dcp *d)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "\x80\2");
    put_object(&b, DCP_MODULE, "Metadata");
    put_text(&b, "state_dict_metadata");
    vv_buffer_add(&b, d->values.data, d->values.size);
    OP(&b, "u");
    put_text(&b, "planner_data");
    vv_buffer_add(&b, d->paths.data, d->paths.size);
    OP(&b, "u");
    put_text(&b, "storage_data");
    vv_buffer_add(&b, d->parts.data, d->parts.size);
    OP(&b, "uub.");
    return b;
}

/* Writes both files to a world. */
static inline void dcp_put(struct world *w, const struct dcp *d)
{
    struct vv_buffer b = dcp_pickle_of(d);
    memory_put(w->memory, DCP_PATH, b.data, b.size);
    memory_put(w->memory, DCP_DATA, d->data.data, d->data.size);
    vv_buffer_clear(&b);
}

/* Opens the checkpoint and frees the sample. */
static inline varve_reader *dcp_open(
    struct world *w, struct dcp *d, varve_error *error)
{
    dcp_put(w, d);
    dcp_clear(d);
    return vv_reader_open_in(&w->context, DCP_PATH, error);
}

/* Opens the checkpoint and asserts the error. */
static inline void dcp_refused(
    struct dcp *d, varve_status status, const char *says)
{
    struct world w = world_new();
    varve_error error = { 0 };
    cr_assert_null(dcp_open(&w, d, &error), "%s", says);
    cr_assert_eq(error.status, status, "%s: %s",
        varve_status_name(error.status), error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    world_free(&w);
}

#endif
