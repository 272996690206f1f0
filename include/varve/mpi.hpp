/* mpi.hpp - Makes communicators over MPI in C++. Programs that include it must
 * link libvarve-mpi, which exists if Varve was built with MPI.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MPI_HPP
#define VARVE_MPI_HPP

#include <varve/mpi.h>
#include <varve/collective.hpp>

namespace varve
{

class mpi_comm
{
public:
    /* Collective over the group. Call it after MPI_Init, and destroy the object
     * on all ranks before MPI_Finalize. */
    static result<mpi_comm> make(MPI_Comm group)
    {
        return detail::made<mpi_comm>(varve_mpi_comm_new, group);
    }
    explicit mpi_comm(varve_comm *c) noexcept : comm_(c)
    {
    }
    /* The communicator is valid as long as this object exists. */
    operator comm() const noexcept
    {
        return comm(comm_.get());
    }
    const varve_comm *get() const noexcept
    {
        return comm_.get();
    }

private:
    detail::handle<varve_comm, varve_mpi_comm_free> comm_;
};

} /* namespace varve */

#endif
