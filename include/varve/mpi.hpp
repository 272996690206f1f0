/* mpi.hpp - a communicator over MPI in C++. As mpi.h, it is there where Varve
 * was built with MPI, and needs libvarve-mpi.
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
    /* By all processes of the group, after MPI_Init; and goes at all of them,
     * before MPI_Finalize. */
    static result<mpi_comm> make(MPI_Comm group)
    {
        return detail::made<mpi_comm>(varve_mpi_comm_new, group);
    }
    explicit mpi_comm(varve_comm *c) noexcept : comm_(c)
    {
    }
    /* Of use as long as this is there. */
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
