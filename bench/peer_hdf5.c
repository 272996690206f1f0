/* peer_hdf5.c - Saves and restores with HDF5's C library and its defaults:
 * contiguous data sets without checksums.
 *
 * SPDX-License-Identifier: MIT
 */
#include "peer_hdf5.h"

#ifdef HAVE_HDF5
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

#include "measure.h"
#include "raw.h"

static size_t size_of_each(const struct hdf5 *hdf5)
{
    return hdf5->size / hdf5->count / sizeof(float) * sizeof(float);
}

static const char *name_of(size_t i, char name[32])
{
    snprintf(name, 32, "weight%zu", i);
    return name;
}

static void write_set(
    hid_t file, hid_t space, const char *name, const void *bytes)
{
    hid_t set = H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT,
        H5P_DEFAULT, H5P_DEFAULT);
    must_system(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    bytes) >= 0,
        "HDF5");
    H5Dclose(set);
}

bool hdf5_is_there(void)
{
    return true;
}

double hdf5_save(void *user)
{
    const struct hdf5 *hdf5 = user;
    size_t each = size_of_each(hdf5);
    hsize_t extent = each / sizeof(float);
    char name[32];
    unlink(hdf5->path);
    double begin = now();
    hid_t file = H5Fcreate(hdf5->path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &extent, NULL);
    for (size_t i = 0; i < hdf5->count; i++)
        write_set(file, space, name_of(i, name), hdf5->bytes + i * each);
    H5Sclose(space);
    must_system(H5Fclose(file) >= 0, "HDF5");
    if (!hdf5->no_sync)
        sync_path(hdf5->path);
    return now() - begin;
}

double hdf5_restore(void *user)
{
    const struct hdf5 *hdf5 = user;
    size_t each = size_of_each(hdf5);
    char name[32];
    double begin = now();
    hid_t file = H5Fopen(hdf5->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (size_t i = 0; i < hdf5->count; i++) {
        hid_t set = H5Dopen2(file, name_of(i, name), H5P_DEFAULT);
        must_system(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL,
                        H5P_DEFAULT, hdf5->bytes + i * each) >= 0,
            "HDF5");
        H5Dclose(set);
    }
    H5Fclose(file);
    return now() - begin;
}
#else
bool hdf5_is_there(void)
{
    return false;
}

double hdf5_save(void *user)
{
    (void)user;
    return 0;
}

double hdf5_restore(void *user)
{
    (void)user;
    return 0;
}
#endif
