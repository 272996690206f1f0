/* test_hdf5_in.c - Tests opening HDF5 files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_in.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf5_sample.h"

#define BID(path, text) probe_of(&vv_hdf5_format, path, text, sizeof(text) - 1)
#define LOCAL "PK\3\4\24\0\0\0\0\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0"

TEST(hdf5_in, recognizes_magic_bytes_and_names)
{
    cr_assert_eq(BID("a", HDF5_MARK "\0"), VV_PROBE_SURE);
    cr_assert_eq(
        BID("a", "MATLAB 7.3 MAT-file, Platform: GLNXA64"), VV_PROBE_SURE);
    cr_assert_eq(BID("a", LOCAL "\x0d\0\0\0metadata.json{}"), VV_PROBE_SURE);
    cr_assert_eq(BID("a.keras", LOCAL "\1\0\0\0a"), VV_PROBE_SURE);
    cr_assert_eq(BID("a.keras", "<html>"), VV_PROBE_NAME);
    cr_assert_eq(BID("a.h5", ""), VV_PROBE_NAME);
    cr_assert_eq(BID("a.hdf5", "x"), VV_PROBE_NAME);
    cr_assert_eq(BID("a", "\x89HDF\r\n\x1a"), VV_PROBE_NONE);
    cr_assert_eq(BID("a.mat", "MATLAB 5.0 MAT-file"), VV_PROBE_NONE);
    cr_assert_eq(BID("a.npz", LOCAL "\5\0\0\0a.npy"), VV_PROBE_NONE);
}

TEST(hdf5_in, is_refused_with_the_option)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct vv_buffer bytes = read_sample("hdf5_types.h5");
    w.context.no_hdf5 = true;
    cr_assert_null(open_bytes(&w, "a.h5", &bytes, &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    cr_assert_str_eq(error.message, "a.h5: reading HDF5 files is disabled by "
                                    "`foreign.no_hdf5`");
    vv_buffer_clear(&bytes);
    world_free(&w);
}

#ifdef VV_HAVE_HDF5

TEST(hdf5_in, is_refused_by_each_kind_of_read)
{
    const char *path = FOREIGN_DIRECTORY "/hdf5_types.h5";
    const varve_read_options read = { .foreign.no_hdf5 = true };
    varve_error error = { 0 };
    use_module();
    cr_assert_null(varve_reader_open_with(
        path, &(varve_reader_options){ .foreign.no_hdf5 = true }, &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    varve_graph *graph = varve_graph_new(NULL);
    error.status = VARVE_OK;
    cr_assert_null(varve_read(varve_graph_root(graph), path, &read, &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    varve_graph_free(graph);
    error.status = VARVE_OK;
    cr_assert_null(varve_graph_from_part(path, &read, NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
}

/* Creates a link to a golden file in the directory of the test. */
static void link_sample(const char *name, const char *to)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FOREIGN_DIRECTORY, name);
    cr_assert_eq(symlink(path, test_path(to)), 0);
}

TEST(hdf5_in, is_not_in_lists_of_checkpoints_if_refused)
{
    varve_error error = { 0 };
    varve_checkpoint_info found;
    use_module();
    link_sample("hdf5_types.h5", "ckpt-3.varve");
    cr_assert_null(varve_reader_open(test_path("ckpt-3.varve"), NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    cr_assert(strstr(error.message, "the file is a Keras or HDF5 file"), "%s",
        error.message);
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    cr_assert_null(varve_restore(root, test_path("ckpt"), NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    varve_manager *manager =
        varve_manager_new(root, test_path("."), NULL, &error);
    cr_assert(manager, "%s", error.message);
    cr_assert(varve_manager_at(manager, 0, &found));
    cr_assert(found.is_damaged);
    varve_manager_free(manager);
    varve_graph_free(graph);
}

TEST(hdf5_in, is_not_found_in_a_directory_with_the_varve_suffix)
{
    varve_error error = { 0 };
    use_module();
    cr_assert_eq(mkdir(test_path("ckpt-3.varve"), 0777), 0);
    link_sample("hdf5_types.h5", "ckpt-3.varve/model.safetensors");
    cr_assert_null(varve_reader_open(test_path("ckpt-3.varve"), NULL, &error));
    cr_assert_eq(error.status, VARVE_IS_DIRECTORY);
}

TEST(hdf5_in, is_refused_by_every_call_once_disabled)
{
    const char *path = FOREIGN_DIRECTORY "/hdf5_types.h5";
    varve_error error = { 0 };
    use_module();
    varve_reader *open = varve_reader_open(path, NULL, &error);
    cr_assert(open, "%s", error.message);
    varve_forbid_hdf5();
    cr_assert_null(varve_reader_open(path, NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    cr_assert(strstr(error.message, "varve_forbid_hdf5"), "%s", error.message);
    cr_assert_null(varve_graph_from(path, NULL, &error));
    cr_assert_null(varve_reader_salvage(path, NULL, &error));
    varve_graph *graph = varve_graph_new(NULL);
    cr_assert_null(varve_read(varve_graph_root(graph), path, NULL, &error));
    const varve_write_options write = { .format = VARVE_FORMAT_HDF5 };
    cr_assert_ok(
        varve_write(varve_graph_root(graph), test_path("a.h5"), &write, &error),
        error);
    varve_graph_free(graph);
    varve_reader_free(open);
}

TEST(hdf5_in, reads_files_of_h5py_and_keras)
{
    static const char *const files[] = { "hdf5_types.h5", "hdf5_latest.h5",
        "hdf5_block.mat", "hdf5_model.keras", "hdf5_model.weights.h5",
        "hdf5_model.h5", "hdf5_keras2.h5" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct hdf5_sample s = open_sample(files[i]);
        cr_assert_not(varve_reader_has_checksums(s.reader));
        close_sample(&s);
    }
}

TEST(hdf5_in, leaks_nothing_without_memory)
{
    static const char *const files[] = { "hdf5_types.h5", "hdf5_model.keras",
        "hdf5_keras2.h5" };
    use_module();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct vv_buffer bytes = read_sample(files[i]);
        check_without_memory(files[i], &bytes);
        vv_buffer_clear(&bytes);
    }
}

TEST(hdf5_in, reports_errors_of_libhdf5_in_one_line)
{
    struct vv_buffer bytes = read_sample("hdf5_types.h5");
    use_module();
    bytes.size = 3000;
    check_refused("a.h5", &bytes, VARVE_TRUNCATED, "truncated file");
    bytes.size = 9;
    check_refused("a.h5", &bytes, VARVE_TRUNCATED, "expected 16 bytes at");
    bytes.size = 0;
    vv_buffer_add_string(&bytes, "<html>");
    check_refused("a.h5", &bytes, VARVE_NOT_A_CHECKPOINT, "a web page");
    vv_buffer_clear(&bytes);
}

#ifndef __SANITIZE_ADDRESS__ /* libhdf5 leaks memory after damage */

/* A file without texts; libhdf5 crashes on damaged heaps of texts
 * (SECURITY.md). */
TEST(hdf5_in, reports_damaged_bytes)
{
    struct vv_buffer bytes = read_sample("hdf5_block.mat");
    use_module();
    for (size_t i = 0; i < bytes.size; i += 3) {
        struct world w = world_new();
        varve_error error = { 0 };
        bytes.data[i] ^= 0x5a;
        varve_reader *reader = open_bytes(&w, "a.h5", &bytes, &error);
        bytes.data[i] ^= 0x5a;
        cr_assert(reader || error.status, "%zu", i);
        cr_assert_null(strchr(error.message, '\n'));
        varve_reader_free(reader);
        world_free(&w);
    }
    vv_buffer_clear(&bytes);
}

#endif
#endif
