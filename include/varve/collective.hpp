/* collective.hpp - Saves and restores one checkpoint from many processes in
 * C++. The comments in comm.h, processes.h and collective.h apply to the calls
 * of the same name. For MPI see varve/mpi.hpp.
 *
 *     root.add_slice("temperature", mine, { 4096, 512 }, { first, 0 });
 *     auto written = varve::write_all(comm, root, "run/heat");
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_COLLECTIVE_HPP
#define VARVE_COLLECTIVE_HPP

#include <cstddef>
#include <cstdint>

#include <varve/checkpoint.hpp>
#include <varve/error.hpp>
#include <varve/node.hpp>
#include <varve/processes.h>
#include <varve/restoration.hpp>
#include <varve/collective.h>

namespace varve
{

/* --- Communicators ------------------------------------------------------ */

/* A borrowed reference to a communicator, the argument of all collective
 * calls. */
class comm
{
public:
    comm(const varve_comm *c) noexcept : comm_(c)
    {
    }
    const varve_comm *get() const noexcept
    {
        return comm_;
    }
    std::uint32_t rank() const noexcept
    {
        return comm_->rank;
    }
    std::uint32_t size() const noexcept
    {
        return comm_->size;
    }
    /* Collective: returns true if `wanted` is true on any rank. */
    bool any(bool wanted) const
    {
        return varve_any(comm_, wanted);
    }
    /* Collective: returns on all ranks the error of the lowest rank that
     * failed. */
    template <class T> result<void> agree(const result<T> &own) const
    {
        varve::error why = own.error();
        const varve_status status = varve_agree(comm_, own.status(), &why);
        if (status != VARVE_OK)
            return detail::failed(why, status);
        return result<void>();
    }

private:
    const varve_comm *comm_;
};

/* Ranks of a program that forks: create the object before fork(), then call
 * join() in each process. */
class processes
{
public:
    static result<processes> make(std::uint32_t size)
    {
        return detail::made<processes>(varve_processes_new, size, nullptr);
    }
    explicit processes(varve_processes *c) noexcept : processes_(c)
    {
    }
    varve_processes *get() const noexcept
    {
        return processes_.get();
    }
    /* The communicator is valid as long as this object exists. */
    result<comm> join(std::uint32_t rank) const
    {
        varve::error why;
        const varve_comm *c = varve_processes_join(get(), rank, &why);
        if (!c)
            return detail::failed(why, VARVE_NO_MEMORY);
        return comm(c);
    }

private:
    detail::handle<varve_processes, varve_processes_free> processes_;
};

namespace detail
{

/* The C table of functions that call the member functions of an object. */
template <class C> struct comm_calls {
    static C &of(void *self) noexcept
    {
        return *static_cast<C *>(self);
    }
    static varve_status status_of(varve_status status) noexcept
    {
        return status == VARVE_OK || status == VARVE_NO_MEMORY ||
                       status == VARVE_TIMEOUT
                   ? status
                   : VARVE_DISCONNECTED;
    }
    static varve_status agree(void *self, std::uint64_t *value) noexcept
    {
        auto call = [&] { return of(self).agree(*value); };
        return status_of(guarded(call));
    }
    static varve_status gather(
        void *self, const void *bytes, std::size_t size, void *all) noexcept
    {
        auto call = [&] { return of(self).gather(bytes, size, all); };
        return status_of(guarded(call));
    }
    static varve_status gather_varied(void *self, const void *bytes,
        std::size_t size, void *all, const std::uint64_t *sizes) noexcept
    {
        auto call = [&] {
            return of(self).gather_varied(bytes, size, all, sizes);
        };
        return status_of(guarded(call));
    }
    static varve_status broadcast(
        void *self, void *bytes, std::size_t size) noexcept
    {
        auto call = [&] { return of(self).broadcast(bytes, size); };
        return status_of(guarded(call));
    }
    static varve_status barrier(void *self) noexcept
    {
        auto call = [&] { return of(self).barrier(); };
        return status_of(guarded(call));
    }
};

} /* namespace detail */

/* Returns a communicator that calls an object of the program. The object has
 * the functions agree(uint64_t &), gather, gather_varied, broadcast and
 * barrier, with the arguments of those in varve_comm. They return void, bool,
 * varve_status or result<void>. An exception becomes VARVE_DISCONNECTED. The
 * object is borrowed. */
template <class C>
varve_comm comm_over(
    C &object, std::uint32_t rank, std::uint32_t size, std::uint32_t node = 0)
{
    using calls = detail::comm_calls<C>;
    varve_comm table = {};
    table.rank = rank;
    table.size = size;
    table.node = node;
    table.self = &object;
    table.agree = calls::agree;
    table.gather = calls::gather;
    table.gather_varied = calls::gather_varied;
    table.broadcast = calls::broadcast;
    table.barrier = calls::barrier;
    return table;
}

/* --- Collective calls ---------------------------------------------------- */

inline result<void> write_all(comm all, const node &root, text path,
    const write_options &o = write_options())
{
    return detail::tried(
        varve_write_all, all.get(), root.get(), path.get(), &o);
}

/* Returns the number of the file. */
inline result<std::uint64_t> save_all(comm all, const node &root, text prefix,
    const write_options &o = write_options())
{
    auto saved =
        detail::tried(varve_save_all, all.get(), root.get(), prefix.get(), &o);
    if (!saved)
        return saved.error();
    return varve_save_counter(root.get());
}

/* The asynchronous forms of write_all and save_all. If one rank cannot begin,
 * the call fails on all ranks. */
inline result<job> write_all_async(comm all, const node &root, text path,
    const write_options &o = write_options())
{
    return detail::made<job>(
        varve_write_all_async, all.get(), root.get(), path.get(), &o);
}

inline result<job> save_all_async(comm all, const node &root, text prefix,
    const write_options &o = write_options())
{
    return detail::made<job>(
        varve_save_all_async, all.get(), root.get(), prefix.get(), &o);
}

inline result<restoration> read_all(comm all, const node &root, text path,
    const read_options &o = read_options())
{
    return detail::made<restoration>(
        varve_read_all, all.get(), root.get(), path.get(), &o);
}

inline result<restoration> restore_all(comm all, const node &root, text path,
    const read_options &o = read_options())
{
    return detail::made<restoration>(
        varve_restore_all, all.get(), root.get(), path.get(), &o);
}

} /* namespace varve */

#endif
