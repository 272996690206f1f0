/* test_unreadable_format.c - Tests the recognition of files in unsupported
 * formats.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "arrays.h"
#include "crc.h"
#include "readers.h"
#include "unreadable_format.h"

struct sample {
    const char *path;
    const char *bytes;
    size_t size;
    const char *what; /* NULL: not recognized */
};

#define SAMPLE(path, bytes, what)                                              \
    {                                                                          \
        path, bytes, sizeof bytes - 1, what                                    \
    }

/* The first bytes of files as written by their programs. */
static struct sample samples[] = {
    SAMPLE("a.pth",
        "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M",
        NULL),
    SAMPLE("a.pkl", "\x80\x04\x95\x0b\0\0\0\0\0\0\0}", "a pickle"),
    SAMPLE("a.joblib", "\x80\x03}q\0.", "a pickle"),
    SAMPLE("a.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3", "a gzip file: unpack it"),
    SAMPLE("a.zst", "\x28\xb5\x2f\xfd\x04", "a zstd file"),
    SAMPLE("a.xz",
        "\xfd"
        "7zXZ\0\0\4",
        "an xz file"),
    SAMPLE("a.bz2", "BZh91AY&SY", "a bzip2 file"),
    SAMPLE("a.lz4", "\x04\x22\x4d\x18\x64", "an lz4 file"),
    SAMPLE("a.7z", "7z\xbc\xaf\x27\x1c\0\4", "a 7z archive"),
    SAMPLE("a.mat", "MATLAB 5.0 MAT-file, Platform", "version 5"),
    SAMPLE("a.nc", "CDF\1\0\0\0\0", "a NetCDF file"),
    SAMPLE("a.nc", "CDF\5\0\0\0\0", "a NetCDF file"),
    SAMPLE("a.tflite", "\x1c\0\0\0TFL3\x14\0", "a TensorFlow Lite model"),
    SAMPLE("a.parquet", "PAR1\x15\4", "a Parquet table"),
    SAMPLE("a.arrow", "ARROW1\0\0", "an Arrow table"),
    SAMPLE("a.bin", "tjgg\3\0\0\0", "a GGML file"),
    SAMPLE("a.onnx", "\x08\x07\x12\x07pytorch", NULL),
    SAMPLE("d/saved_model.pb", "\x08\x01\x12\x9c", "the graph of a SavedModel"),
    SAMPLE("ckpt-1.meta", "\x0a\x9c\x01", "open the .index file"),
    SAMPLE("frozen.pb", "\x0a\x2f\x0a", "a TensorFlow graph"),
    SAMPLE("manifest.ocdbt", "\x0c\xdb", "Orbax"),
    SAMPLE("flax_model.msgpack.index.json", "{}", "open the files"),
    SAMPLE("a.weights.json",
        "{\"metadata\":{},\"weight_map\":{\"x\":[\"a.weights.h5\"]}}",
        "the index of Keras weights"),
    SAMPLE("_METADATA", "{\"tree_metadata\": {", "Orbax"),
    SAMPLE(".zgroup", "{\"zarr_format\":2}", "a zarr group"),
    SAMPLE("a.mat", "\0\0\0\0\3\0\0\0\1", "version 4"),
    SAMPLE("zarr.json", "{\"zarr_format\":3}", "zarr"),
    SAMPLE("a.tfrecord",
        "\x03\0\0\0\0\0\0\0\x6d\x40\xae\x84"
        "abc....",
        NULL), /* another checksum */
    SAMPLE("a.html", "\n<!DOCTYPE html><html>", "a web page"),
    SAMPLE("a.html", "<HTML>", "a web page"),
    SAMPLE("a.xml", "<?xml version=\"1.0\"?><Error>", "an XML text"),
    SAMPLE("a.txt", "hello, world", NULL),
    SAMPLE("a.pb", "hello, world", NULL),
    SAMPLE("a.bin", "\x80", NULL),
    SAMPLE("a.bin", "\x80\x02\0\0\0\0\0\0", NULL), /* a size of 640 */
    SAMPLE("a.bin", "", NULL),
};

static void check_named(
    struct world *w, const char *path, const char *what, varve_error *error)
{
    varve_status status = vv_unreadable_format_file(&w->context, path, error);
    cr_assert_eq(status, what ? VARVE_NOT_A_CHECKPOINT : VARVE_OK, "%s: %s",
        path, what ? what : error->message);
    if (!what)
        return;
    cr_assert(strstr(error->message, what), "%s", error->message);
    cr_assert_eq(strncmp(error->message, path, strlen(path)), 0);
    cr_assert(strstr(error->message, ": expected a checkpoint, found "));
}

TEST(unreadable_format, is_recognized_by_first_bytes_and_name)
{
    struct world w = world_new();
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        varve_error error = { 0 };
        memory_put(w.memory, s->path, s->bytes, s->size);
        check_named(&w, s->path, s->what, &error);
    }
    world_free(&w);
}

/* Readers must report every recognized format, and none otherwise. */
TEST(unreadable_format, is_reported_by_readers)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        struct vv_buffer b = new_bytes();
        vv_buffer_add(&b, s->bytes, s->size);
        if (s->what)
            check_refused(s->path, &b, VARVE_NOT_A_CHECKPOINT, s->what);
        vv_buffer_clear(&b);
    }
}

TEST(unreadable_format, may_be_a_tar_archive_or_records)
{
    struct world w = world_new();
    unsigned char bytes[600] = { 'm', '.', 'b', 'i', 'n' };
    varve_error error = { 0 };
    memcpy(bytes + 257, "ustar", 5);
    memory_put(w.memory, "a.tar", bytes, sizeof bytes);
    check_named(&w, "a.tar", "a tar archive", &error);
    memory_put(w.memory, "a.tar", bytes, 261);
    check_named(&w, "a.tar", NULL, &error);
    memset(bytes, 0, sizeof bytes);
    bytes[0] = 3;
    vv_store32(bytes + 8, vv_crc32c_mask(vv_crc32c(0, bytes, 8)));
    memory_put(w.memory, "a.tfrecord", bytes, 19);
    check_named(&w, "a.tfrecord", "a TFRecord", &error);
    memory_put(w.memory, "a.tfrecord", bytes, 15);
    check_named(&w, "a.tfrecord", NULL, &error);
    world_free(&w);
}

static struct vv_buffer archive_of(const char *const *names)
{
    struct archive a = archive_new();
    for (; *names; names++)
        archive_add(
            &a, (struct entry){ .name = *names, .bytes = "x", .size = 1 });
    archive_end(&a);
    vv_buffer_clear(&a.directory);
    return a.file;
}

#define NAMES(...)                                                             \
    (const char *const[])                                                      \
    {                                                                          \
        __VA_ARGS__, NULL                                                      \
    }

static void check_archive(
    const char *path, const char *const *names, const char *what)
{
    struct vv_buffer b = archive_of(names);
    check_refused(path, &b, VARVE_NOT_A_CHECKPOINT, what);
    vv_buffer_clear(&b);
}

TEST(unreadable_format, is_recognized_by_the_content_of_its_archive)
{
    check_archive("a.pt", NAMES("m/data.pkl", "m/constants.pkl"),
        "a.pt: expected a checkpoint, found a TorchScript program: load it "
        "with torch.jit.load, and save its state_dict() with "
        "safetensors.torch.save_file");
    check_archive("a.npz", NAMES("m/constants.pkl"), "TorchScript");
    check_archive("a.safetensors", NAMES("constants.pkl"), "TorchScript");
    check_archive(
        "a.pt2", NAMES("m/archive_format", "m/data/w/0"), "torch.export");
    check_archive("a.zip", NAMES("zarr.json", "a/zarr.json", "a/c/0"),
        "a zarr store in an archive: read it with the package zarr");
    check_archive("a.zip", NAMES("metadata.pkl"), "of the form NAME.npy");
    check_archive("a.zip", NAMES("xdata.pkl"), "of the form NAME.npy");
}

/* A truncated archive: its directory is missing, and the first entry is
 * complete. */
TEST(unreadable_format, is_recognized_by_a_truncated_archive)
{
    struct vv_buffer b = archive_of(NAMES("m/constants.pkl", "m/data/0"));
    b.size = 60;
    check_refused("a.pt", &b, VARVE_NOT_A_CHECKPOINT, "TorchScript");
    vv_buffer_clear(&b);
}

TEST(unreadable_format, may_be_a_shard_named_by_an_index)
{
    static const char index[] =
        "{\"weight_map\":{\"w\":\"m-00001-of-00001.safetensors\"}}";
    struct vv_buffer b = archive_of(NAMES("m/constants.pkl"));
    struct world w = world_new();
    varve_error error = { 0 };
    memory_put(w.memory, "m-00001-of-00001.safetensors", b.data, b.size);
    memory_put(w.memory, "m.safetensors.index.json", index, sizeof index - 1);
    cr_assert_null(
        vv_reader_open_in(&w.context, "m.safetensors.index.json", &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    cr_assert(
        strstr(error.message, "m-00001-of-00001.safetensors: "
                              "expected a checkpoint, found a TorchScript"),
        "%s", error.message);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(unreadable_format, may_be_a_directory)
{
    static const char *const cases[][2] = {
        { "manifest.ocdbt", "an Orbax checkpoint" },
        { "_METADATA", "an Orbax checkpoint" },
        { ".zarray", "a zarr array" },
        { "flax_model.msgpack.index.json", "a Flax model in several files" },
        { "saved_model.pb", "a SavedModel without variables" },
        { "shard-00001-model-00001-of-00001.safetensors", "combine them" },
        { "zero_to_fp32.py", "DeepSpeed" },
        { "other", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w = world_new();
        varve_error error = { 0 };
        char path[64];
        snprintf(path, sizeof path, "d/%s", cases[i][0]);
        memory_put(w.memory, path, "x", 1);
        cr_assert_null(vv_reader_open_in(&w.context, "d", &error));
        cr_assert_eq(error.status,
            cases[i][1] ? VARVE_NOT_A_CHECKPOINT : VARVE_IS_DIRECTORY, "%s",
            error.message);
        cr_assert(strstr(error.message,
                      cases[i][1] ? cases[i][1] : "contains no checkpoint"),
            "%s", error.message);
        world_free(&w);
    }
}

TEST(unreadable_format, is_not_recognized_if_unreadable)
{
    struct world w = world_new();
    varve_error error = { 0 };
    check_named(&w, "none", NULL, &error);
    cr_assert_eq(
        vv_unreadable_format_directory(&w.context, "none", &error), VARVE_OK);
    world_free(&w);
}

TEST(unreadable_format, reports_failed_allocations_for_archives_and_directories)
{
    struct vv_buffer b = archive_of(NAMES("archive/constants.pkl"));
    struct world w = world_new();
    varve_status status = VARVE_NO_MEMORY;
    memory_put(w.memory, "d/_METADATA", b.data, b.size);
    for (long n = 0; status == VARVE_NO_MEMORY; n++) {
        test_fail_allocation(n, false);
        status = vv_unreadable_format_file(&w.context, "d/_METADATA", NULL);
        test_fail_allocation(-1, false);
        cr_assert(n < 10);
    }
    cr_assert_eq(status, VARVE_NOT_A_CHECKPOINT);
    status = VARVE_NO_MEMORY;
    for (long n = 0; status == VARVE_NO_MEMORY; n++) {
        test_fail_allocation(n, false);
        status = vv_unreadable_format_directory(&w.context, "d", NULL);
        test_fail_allocation(-1, false);
        cr_assert(n < 10);
    }
    cr_assert_eq(status, VARVE_NOT_A_CHECKPOINT);
    vv_buffer_clear(&b);
    world_free(&w);
}
