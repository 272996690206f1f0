/* unreadable_format.c - Recognizes formats by three tables: first bytes and
 * names of files, entries of zip archives, and names in directories.
 *
 * Nothing is parsed, and the result only affects an error message: a file is
 * examined here after no format could open it. Weak signatures, such as those
 * of protobuf files, count only together with the extension of the name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unreadable_format.h"

#include <stdbool.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "bytes.h"
#include "crc.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "name.h"
#include "magic_bytes.h"
#include "try.h"

#define TORCH_REMEDY                                                           \
    "load it with torch, and save its tensors with "                           \
    "safetensors.torch.save_file"
#define SHARDS_REMEDY                                                          \
    "open the files of the model one by one, or load the model with "          \
    "transformers and call save_pretrained with safe_serialization=True"
#define PICKLE_REMEDY                                                          \
    "a pickle is a program and is never run; load it where it was made, and "  \
    "save the values as npz or safetensors"
#define JAX_REMEDY                                                             \
    "restore it with orbax.checkpoint, and write the tree to a .msgpack file " \
    "with flax.serialization.msgpack_serialize"
#define ZARR_REMEDY                                                            \
    "read it with the package zarr, and save its arrays with numpy.savez"
#define NETCDF_REMEDY                                                          \
    "read it with scipy.io.netcdf_file, and save its arrays with numpy.savez"
#define MAT_REMEDY                                                             \
    "read it with scipy.io.loadmat, and save its arrays with numpy.savez"
#define ARRAYS_REMEDY                                                          \
    "read it with Python, and save its arrays with numpy.savez"
#define UNPACK "unpack it first"

enum { HEAD_SIZE = VV_TORCH_TAR_HEAD };

struct file_look {
    const char *path;
    unsigned char head[HEAD_SIZE]; /* zero-padded if the file is shorter */
    size_t head_size;
    uint64_t size;
};

struct mark {
    size_t offset;
    const char *bytes; /* NULL: `looks` decides, or the extension alone */
    size_t size;
    const char *ending; /* of the name; NULL: any */
    bool (*looks)(const struct file_look *look);
    const char *what;
    const char *remedy;
};

/* --- Formats recognized by functions -------------------------------------- */

static bool begins_with_word(const struct file_look *look, const char *word)
{
    size_t at = 0;
    while (at < look->head_size && memchr(" \t\r\n", look->head[at], 4))
        at++;
    for (; *word; word++, at++) {
        unsigned char c = at < look->head_size ? look->head[at] : 0;
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != *word)
            return false;
    }
    return true;
}

static bool is_web_page(const struct file_look *look)
{
    return begins_with_word(look, "<!doctype html") ||
           begins_with_word(look, "<html");
}

static bool is_xml(const struct file_look *look)
{
    return begins_with_word(look, "<?xml");
}

/* Matches the opcode PROTO followed by a nonzero opcode, because a safetensors
 * file with a header of 640 bytes begins with the same bytes. Old files of
 * torch.save and metadata of torch.distributed also begin so but can be
 * read. */
static bool is_pickle(const struct file_look *look)
{
    return look->head_size > 2 && look->head[0] == 0x80 && look->head[1] >= 2 &&
           look->head[1] <= 5 && look->head[2] != 0 &&
           !vv_torch_is_legacy(look->head, look->head_size) &&
           !vv_dcp_is_metadata(look->head, look->head_size);
}

/* The first files of torch.save are tar archives too, and are read. */
static bool is_tar(const struct file_look *look)
{
    enum { MAGIC_AT = 257, MAGIC_SIZE = 5 };
    return look->head_size >= MAGIC_AT + MAGIC_SIZE &&
           memcmp(look->head + MAGIC_AT, "ustar", MAGIC_SIZE) == 0 &&
           !vv_torch_is_tar(look->head, look->head_size);
}

static bool is_records(const struct file_look *look)
{
    return look->head_size >= 16 && vv_crc32c_mask(vv_crc32c(0, look->head,
                                        8)) == vv_load32(look->head + 8);
}

/* --- Files ---------------------------------------------------------------- */

#define AT(offset, bytes, what, remedy)                                        \
    {                                                                          \
        offset, bytes, sizeof bytes - 1, NULL, NULL, what, remedy              \
    }
#define CALLED(ending, bytes, what, remedy)                                    \
    {                                                                          \
        0, bytes, sizeof bytes - 1, ending, NULL, what, remedy                 \
    }
#define LOOKS(looks, what, remedy)                                             \
    {                                                                          \
        0, NULL, 0, NULL, looks, what, remedy                                  \
    }

/* The first match is used. */
static const struct mark marks[] = {
    LOOKS(is_tar, "a tar archive", UNPACK " with tar -xf"),
    AT(0, "\x1f\x8b\x08", "a gzip file", UNPACK " with gunzip"),
    AT(0, "\x28\xb5\x2f\xfd", "a zstd file", UNPACK " with unzstd"),
    AT(0,
        "\xfd"
        "7zXZ\0",
        "an xz file", UNPACK " with unxz"),
    AT(0, "BZh", "a bzip2 file", UNPACK " with bunzip2"),
    AT(0, "\x04\x22\x4d\x18", "an lz4 file", UNPACK " with unlz4"),
    AT(0, "7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK " with 7z x"),
    AT(0, "MATLAB 5.0", "a MATLAB MAT file, version 5", MAT_REMEDY),
    AT(0, "CDF\1", "a NetCDF file", NETCDF_REMEDY),
    AT(0, "CDF\2", "a NetCDF file", NETCDF_REMEDY),
    AT(0, "CDF\5", "a NetCDF file",
        "read it with the package netCDF4, and save its arrays with "
        "numpy.savez"),
    AT(4, "TFL3", "a TensorFlow Lite model",
        "it was made from a SavedModel or a Keras model: use their checkpoint"),
    AT(0, "PAR1", "a Parquet table", ARRAYS_REMEDY),
    AT(0, "ARROW1", "an Arrow table", ARRAYS_REMEDY),
    AT(0, "lmgg", "a GGML file, older than GGUF",
        "convert it to GGUF with llama.cpp"),
    AT(0, "tjgg", "a GGML file, older than GGUF",
        "convert it to GGUF with llama.cpp"),
    AT(0, "fmgg", "a GGML file, older than GGUF",
        "convert it to GGUF with llama.cpp"),
    CALLED("saved_model.pb", "\x08", "the graph of a SavedModel",
        "its values are in variables/ beside it: open the directory"),
    CALLED(".meta", "\x0a", "the graph of a TensorFlow checkpoint",
        "its values are in the .index and .data files beside it: open the "
        ".index file"),
    CALLED(".pb", "\x0a", "a TensorFlow graph",
        "its values are constants: load it with TensorFlow, and save them as a "
        "checkpoint"),
    CALLED(".ocdbt", "", "a part of an Orbax checkpoint", JAX_REMEDY),
    CALLED(".msgpack.index.json", "{",
        "the index of a Flax model in several files", SHARDS_REMEDY),
    CALLED(".weights.json", "{", "the index of Keras weights in HDF5 files",
        "open the files that it lists one by one, or load it with Keras and "
        "write a tf.train.Checkpoint"),
    CALLED("_METADATA", "{", "a part of an Orbax checkpoint", JAX_REMEDY),
    CALLED(".zarray", "{", "a part of a zarr array", ZARR_REMEDY),
    CALLED(".zgroup", "{", "a part of a zarr group", ZARR_REMEDY),
    CALLED("zarr.json", "{", "a part of a zarr array", ZARR_REMEDY),
    CALLED(".mat", "", "a MATLAB MAT file, version 4 or older", MAT_REMEDY),
    LOOKS(is_pickle, "a Python pickle", PICKLE_REMEDY),
    LOOKS(is_records, "a TFRecord or event file",
        "it contains records, not named values: read it with "
        "varve_records_open_tfrecords"),
    LOOKS(is_web_page, "a web page", "the download failed: download it again"),
    LOOKS(is_xml, "an XML text",
        "if it was downloaded, the server returned an error: download it "
        "again"),
};

static bool unreadable_format_fits(
    const struct mark *m, const struct file_look *look)
{
    if (m->looks)
        return m->looks(look);
    if (m->ending &&
        !vv_text_ends_in(look->path, strlen(look->path), m->ending))
        return false;
    return m->offset + m->size <= look->head_size &&
           memcmp(look->head + m->offset, m->bytes, m->size) == 0;
}

static varve_status unreadable_format_fail(
    const char *path, const char *what, const char *remedy, varve_error *error)
{
    return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
        "%s: expected a checkpoint, found %s: %s", path, what, remedy);
}

/* --- Zip archives --------------------------------------------------------- */

struct member {
    const char *name; /* in an archive: with or without a leading directory; in
                         a directory: the name of a file in it */
    const char *what;
    const char *remedy;
};

/* The first match is used. */
static const struct member entries[] = {
    { "constants.pkl", "a TorchScript program",
        "load it with torch.jit.load, and save its state_dict() with "
        "safetensors.torch.save_file" },
    { "serialized_exported_program.json", "a torch.export program",
        "load it with torch.export.load, and save its state_dict with "
        "safetensors.torch.save_file" },
    { "archive_format", "a torch.export program",
        "load it with torch.export.load, and save its state_dict with "
        "safetensors.torch.save_file" },
    { "MAR-INF/MANIFEST.json", "a TorchServe archive", UNPACK },
    { "zarr.json", "a zarr store in an archive", ZARR_REMEDY },
    { ".zgroup", "a zarr store in an archive", ZARR_REMEDY },
    { ".zarray", "a zarr store in an archive", ZARR_REMEDY },
};

enum {
    ENTRIES = sizeof entries / sizeof *entries,
    LOCAL_SIZE = 30,   /* of the header before the name of an entry */
    RECORD_SIZE = 46,  /* of the record before the name in the directory */
    TAIL_SIZE = 65536, /* enough for the whole directory of most archives */
};

/* Returns the index in `entries` that matches the name of an archive's entry,
 * or ENTRIES if there is none. */
static size_t unreadable_format_entry_of(const unsigned char *name, size_t size)
{
    for (size_t i = 0; i < ENTRIES; i++) {
        size_t known = strlen(entries[i].name);
        if (vv_text_ends_in((const char *)name, size, entries[i].name) &&
            (size == known || name[size - known - 1] == '/'))
            return i;
    }
    return ENTRIES;
}

static size_t unreadable_format_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Searches the name of the first entry, which is in the head, and those in the
 * part of the directory that is in the tail. */
static size_t unreadable_format_find_entry(
    const unsigned char *head, const unsigned char *tail, size_t tail_size)
{
    size_t size = (size_t)head[26] | (size_t)head[27] << 8;
    size_t found = ENTRIES;
    if (size <= HEAD_SIZE - LOCAL_SIZE)
        found = unreadable_format_entry_of(head + LOCAL_SIZE, size);
    for (size_t at = 0; at + RECORD_SIZE <= tail_size; at++) {
        const unsigned char *r = tail + at;
        if (memcmp(r, "PK\1\2", 4) != 0)
            continue;
        size = (size_t)r[28] | (size_t)r[29] << 8;
        if (size <= tail_size - at - RECORD_SIZE)
            found = unreadable_format_least(
                found, unreadable_format_entry_of(r + RECORD_SIZE, size));
    }
    return found;
}

static varve_status look_into_archive(const struct vv_context *context,
    int file, const struct file_look *look, varve_error *error)
{
    size_t size =
        look->size < TAIL_SIZE ? (size_t)look->size : (size_t)TAIL_SIZE;
    unsigned char *tail = vv_allocate(&context->allocator, size);
    if (!tail)
        return vv_fail_memory(error, "the end of an archive");
    varve_status status = vv_file_read(
        context, file, look->path, tail, size, look->size - size, NULL);
    size_t found =
        status ? ENTRIES : unreadable_format_find_entry(look->head, tail, size);
    vv_release(&context->allocator, tail, size);
    if (found == ENTRIES)
        return VARVE_OK;
    return unreadable_format_fail(
        look->path, entries[found].what, entries[found].remedy, error);
}

/* --- One file ------------------------------------------------------------- */

static varve_status unreadable_format_look_at(const struct vv_context *context,
    int file, struct file_look *look, varve_error *error)
{
    look->head_size =
        look->size < HEAD_SIZE ? (size_t)look->size : (size_t)HEAD_SIZE;
    if (vv_file_read(
            context, file, look->path, look->head, look->head_size, 0, NULL))
        return VARVE_OK;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (unreadable_format_fits(&marks[i], look))
            return unreadable_format_fail(
                look->path, marks[i].what, marks[i].remedy, error);
    }
    if (look->head_size > LOCAL_SIZE && memcmp(look->head, "PK\3\4", 4) == 0)
        return look_into_archive(context, file, look, error);
    return VARVE_OK;
}

varve_status vv_unreadable_format_file(
    const struct vv_context *context, const char *path, varve_error *error)
{
    struct file_look look = { .path = path };
    int file;
    if (vv_file_open(context, path, &file, &look.size, NULL))
        return VARVE_OK;
    varve_status status =
        unreadable_format_look_at(context, file, &look, error);
    vv_file_close(context, file);
    return status;
}

/* --- Directories ---------------------------------------------------------- */

static const struct member members[] = {
    { "manifest.ocdbt", "an Orbax checkpoint", JAX_REMEDY },
    { "_CHECKPOINT_METADATA", "an Orbax checkpoint", JAX_REMEDY },
    { "_METADATA", "an Orbax checkpoint", JAX_REMEDY },
    { ".zgroup", "a zarr group", ZARR_REMEDY },
    { ".zarray", "a zarr array", ZARR_REMEDY },
    { "zarr.json", "a zarr group or array", ZARR_REMEDY },
    { "saved_model.pb", "a SavedModel without variables",
        "it contains no values" },
    { "flax_model.msgpack.index.json", "a Flax model in several files",
        SHARDS_REMEDY },
    { "shard-00001-model-00001-of-00001.safetensors",
        "tensor shards written by HuggingFaceStorageWriter",
        "combine them with consolidate_safetensors_files of "
        "torch.distributed.checkpoint" },
    { "tf_model.h5", "a Keras model in HDF5", "open the file in it" },
    { "model_index.json", "a diffusers pipeline",
        "each of its directories is a checkpoint: open one of them" },
    { "latest_checkpointed_iteration.txt", "a Megatron checkpoint",
        TORCH_REMEDY },
    { "zero_to_fp32.py", "a DeepSpeed checkpoint",
        "run its zero_to_fp32.py with --safe_serialization" },
};

varve_status vv_unreadable_format_directory(
    const struct vv_context *context, const char *path, varve_error *error)
{
    struct vv_buffer at;
    varve_status status = VARVE_NOT_FOUND;
    size_t i = 0;
    vv_buffer_init(&at, &context->allocator);
    for (; i < sizeof members / sizeof *members && status == VARVE_NOT_FOUND;
         i++) {
        at.size = 0;
        vv_buffer_add_string(&at, path);
        vv_buffer_add8(&at, '/');
        vv_buffer_add_string(&at, members[i].name);
        vv_buffer_string(&at);
        status = at.failed
                     ? vv_fail_memory(error, "a path")
                     : vv_file_look(context, (const char *)at.data, NULL, NULL);
    }
    vv_buffer_clear(&at);
    if (status)
        return status == VARVE_NO_MEMORY ? status : VARVE_OK;
    return unreadable_format_fail(
        path, members[i - 1].what, members[i - 1].remedy, error);
}
