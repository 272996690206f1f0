/* snapshot.hpp - Keeps copies of the values in memory, in C++. The comments in
 * snapshot.h apply to the calls of the same name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_SNAPSHOT_HPP
#define VARVE_SNAPSHOT_HPP

#include <cstddef>
#include <type_traits>

#include <varve/checkpoint.hpp>
#include <varve/error.hpp>
#include <varve/node.hpp>
#include <varve/snapshot.h>

namespace varve
{

struct snapshot_options : varve_snapshot_options {
    snapshot_options() noexcept : varve_snapshot_options()
    {
    }
    snapshot_options(const varve_snapshot_options &c) noexcept
        : varve_snapshot_options(c)
    {
    }
};

class snapshot
{
public:
    static result<snapshot> take(
        const node &root, const snapshot_options &o = snapshot_options())
    {
        return detail::made<snapshot>(varve_snapshot_new_with, root.get(), &o);
    }
    explicit snapshot(varve_snapshot *c) noexcept : snapshot_(c)
    {
    }
    varve_snapshot *get() const noexcept
    {
        return snapshot_.get();
    }
    result<void> retake() const
    {
        return detail::tried(varve_snapshot_retake, get());
    }
    result<void> restore() const
    {
        return detail::tried(varve_snapshot_restore, get());
    }
    /* Calls `visit` with each varve_difference between the snapshot and the
     * current values. */
    template <class F> result<void> diff(F &&visit) const
    {
        return compare(nullptr, visit);
    }
    template <class F> result<void> diff(const snapshot &other, F &&visit) const
    {
        return compare(other.get(), visit);
    }
    result<void> write(
        text path, const write_options &o = write_options()) const
    {
        return detail::tried(varve_snapshot_write, get(), path.get(), &o);
    }
    result<void> read(text path, const read_options &o = read_options()) const
    {
        return detail::tried(varve_snapshot_read, get(), path.get(), &o);
    }

private:
    template <class F>
    result<void> compare(varve_snapshot *other, F &visit) const
    {
        return detail::tried(varve_snapshot_diff, get(), other,
            detail::borrowed<F, const varve_difference *>,
            static_cast<void *>(&visit));
    }

    detail::handle<varve_snapshot, varve_snapshot_free> snapshot_;
};

/* The most recent snapshots, in a ring buffer. */
class ring
{
public:
    static result<ring> make(const node &root, std::size_t count,
        const snapshot_options &o = snapshot_options())
    {
        return detail::made<ring>(varve_ring_new, root.get(), count, &o);
    }
    explicit ring(varve_ring *c) noexcept : ring_(c)
    {
    }
    varve_ring *get() const noexcept
    {
        return ring_.get();
    }
    result<void> push() const
    {
        return detail::tried(varve_ring_push, get());
    }
    result<void> rollback(std::size_t back = 0) const
    {
        return detail::tried(varve_ring_rollback, get(), back);
    }
    std::size_t size() const
    {
        return varve_ring_count(get());
    }

private:
    detail::handle<varve_ring, varve_ring_free> ring_;
};

} /* namespace varve */

#endif
