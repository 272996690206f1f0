/* test_hdf5_source_hdf5_load.c - Tests loading the HDF5 module.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_source.h"

#include "hdf5_sample.h"

#ifdef VV_HAVE_HDF5

TEST(hdf5_load, returns_the_calls_of_the_module)
{
    const struct vv_hdf5_calls *calls, *again;
    varve_error error = { 0 };
    struct vv_context context = test_context(NULL);
    use_module();
    cr_assert_ok(vv_hdf5_load(&context, "a.h5", &calls, &error), error);
    cr_assert_eq(calls->version, (unsigned)VV_HDF5_VERSION);
    cr_assert_ok(vv_hdf5_load(&context, "a.h5", &again, &error), error);
    cr_assert_eq(calls, again);
}

TEST(hdf5_load, reports_the_directories_searched)
{
    const struct vv_hdf5_calls *calls;
    varve_error error = { 0 };
    struct vv_context context = test_context(NULL);
    setenv("VARVE_MODULES", "/nowhere", 1);
    cr_assert_eq(vv_hdf5_load(&context, "a.h5", &calls, &error),
        VARVE_TOO_NEW);
    cr_assert(strstr(error.message,
        "a.h5: HDF5 files need the module varve-hdf5"), "%s", error.message);
    cr_assert(strstr(error.message, "/nowhere/varve-hdf5.so"));
}

/* libhdf5 is not loaded before an HDF5 file is opened. */
TEST(hdf5_load, is_not_needed_for_other_files)
{
    varve_error error = { 0 };
    char line[512];
    bool is_there = false;
    varve_reader *reader =
        varve_reader_open(FOREIGN_DIRECTORY "/onnx_model.onnx", NULL, &error);
    cr_assert(reader, "%s", error.message);
    varve_reader_free(reader);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        is_there |= strstr(line, "libhdf5") != NULL;
    if (maps)
        fclose(maps);
    cr_assert_not(is_there);
}

#else

TEST(hdf5_load, reports_how_to_build_it)
{
    const struct vv_hdf5_calls *calls;
    varve_error error = { 0 };
    struct vv_context context = test_context(NULL);
    cr_assert_eq(vv_hdf5_load(&context, "a.h5", &calls, &error),
        VARVE_TOO_NEW);
    cr_assert(strstr(error.message, "found an HDF5 file (Keras, h5py"));
    cr_assert(strstr(error.message, "-Dhdf5=enabled"));
}

#endif
