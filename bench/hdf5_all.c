/* hdf5_all.c - Contains the collective calls of HDF5 over MPI. The data set is
 * contiguous and not filled before it is written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_all.h"

#ifdef HAVE_HDF5_ALL
#include <hdf5.h>
#include <mpi.h>

#include <varve/mpi.h>

#include "measure.h"
#include "raw.h"

static varve_comm *comm;

bool hdf5_all_begin(uint32_t *size)
{
    int ranks;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *size = (uint32_t)ranks;
    return true;
}

const varve_comm *hdf5_all_comm(varve_error *error)
{
    comm = varve_mpi_comm_new(MPI_COMM_WORLD, error);
    return comm;
}

void hdf5_all_end(void)
{
    varve_mpi_comm_free(comm);
    MPI_Finalize();
}

static hid_t open_by_all(const char *path, bool is_new)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    hid_t file = is_new ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                        : H5Fopen(path, H5F_ACC_RDONLY, access);
    must_system(file >= 0, path);
    H5Pclose(access);
    return file;
}

static hid_t make_set(hid_t file, const struct hdf5_all *mine)
{
    const hsize_t extents[] = { mine->rows, mine->width };
    hid_t space = H5Screate_simple(2, extents, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    hid_t set = H5Dcreate2(
        file, "table", H5T_IEEE_F32LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

/* Writes or reads the rows of this rank. */
static void move_rows(hid_t set, const struct hdf5_all *mine, bool writes)
{
    const hsize_t start[] = { mine->first, 0 };
    const hsize_t count[] = { mine->count, mine->width };
    hid_t there = H5Dget_space(set);
    hid_t here = H5Screate_simple(2, count, NULL);
    hid_t all = H5Pcreate(H5P_DATASET_XFER);
    H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Pset_dxpl_mpio(all, H5FD_MPIO_COLLECTIVE);
    herr_t result =
        writes ? H5Dwrite(set, H5T_NATIVE_FLOAT, here, there, all, mine->bytes)
               : H5Dread(set, H5T_NATIVE_FLOAT, here, there, all, mine->bytes);
    must_system(result >= 0, mine->path);
    H5Pclose(all);
    H5Sclose(here);
    H5Sclose(there);
    H5Dclose(set);
}

void hdf5_all_save(const struct hdf5_all *mine)
{
    hid_t file = open_by_all(mine->path, true);
    move_rows(make_set(file, mine), mine, true);
    must_system(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, mine->path);
    must_system(H5Fclose(file) >= 0, mine->path);
    if (comm->rank == 0)
        sync_path(mine->path);
}

void hdf5_all_restore(const struct hdf5_all *mine)
{
    hid_t file = open_by_all(mine->path, false);
    move_rows(H5Dopen2(file, "table", H5P_DEFAULT), mine, false);
    must_system(H5Fclose(file) >= 0, mine->path);
}
#else
bool hdf5_all_begin(uint32_t *size)
{
    (void)size;
    return false;
}

const varve_comm *hdf5_all_comm(varve_error *error)
{
    (void)error;
    return NULL;
}

void hdf5_all_end(void)
{
}

void hdf5_all_save(const struct hdf5_all *mine)
{
    (void)mine;
}

void hdf5_all_restore(const struct hdf5_all *mine)
{
    (void)mine;
}
#endif
