/* rank_local.hpp - Adds values that differ between processes (rank-local
 * values) in C++. The comments in rank_local.h apply to the calls of the same
 * name.
 *
 *     varve::node mine = root.add_rank_local("worker", comm);
 *     mine.add("steps", steps);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RANK_LOCAL_HPP
#define VARVE_RANK_LOCAL_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include <varve/error.hpp>
#include <varve/keeper.hpp>
#include <varve/node.hpp>
#include <varve/rank_local.h>
#include <varve/reader.hpp>
#include <varve/collective.hpp>

namespace varve
{

/* add_rank_local with a function sets `merge` and `merge_user`. */
struct rank_local_options : varve_rank_local_options {
    rank_local_options() noexcept : varve_rank_local_options()
    {
    }
};

namespace detail
{

/* The function that is called if the file was saved by a different number of
 * processes. */
template <class F> struct folder {
    F function;
    keeper *kept;

    static varve_status fold(void *user, varve_node *mine, varve_reader *saved,
        const char *path, std::size_t count, varve_error *error)
    {
        folder &self = *static_cast<folder *>(user);
        reader borrowed(saved);
        auto call = [&] {
            return self.tell(error, node(mine, self.kept),
                static_cast<const reader &>(borrowed), path, count);
        };
        const varve_status status = guarded(call);
        (void)borrowed.release();
        return status;
    }

private:
    /* Calls the function. If it returns a result, its message is copied to
     * `error`. */
    template <class... A> varve_status tell(varve_error *error, A &&...a)
    {
        using R = std::invoke_result_t<F &, A...>;
        if constexpr (std::is_same_v<R, result<void>>) {
            const result<void> told = function(std::forward<A>(a)...);
            if (!told && error)
                *error = told.error();
            return told.status();
        } else {
            return called(function, std::forward<A>(a)...);
        }
    }
};

} /* namespace detail */

inline node node::add_rank_local(text name, const comm &all) const
{
    return of(varve_add_rank_local(node_, name.get(), all.get(), nullptr));
}

inline node node::add_rank_local(
    text name, const comm &all, const rank_local_options &o) const
{
    return of(varve_add_rank_local(node_, name.get(), all.get(), &o));
}

template <class F>
node node::add_rank_local(
    text name, const comm &all, const rank_local_options &o, F &&fold) const
{
    using folder = detail::folder<std::decay_t<F>>;
    rank_local_options with = o;
    with.merge = folder::fold;
    with.merge_user = keeper_->keep(folder{ std::forward<F>(fold), keeper_ });
    return add_rank_local(name, all, with);
}

} /* namespace varve */

#endif
