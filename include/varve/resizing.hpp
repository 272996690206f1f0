/* resizing.hpp - vectors that become as long as what is restored: the body of
 * varve::node::add_resizable.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RESIZING_HPP
#define VARVE_RESIZING_HPP

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/error.hpp>
#include <varve/node.hpp>
#include <varve/resizing.h>
#include <varve/tensor.hpp>

namespace varve
{

namespace detail
{

/* A vector, and those that are read into meanwhile: to move one does not move
 * its elements. */
template <class V> struct rooms {
    V *vector;
    std::vector<V> made = {};

    static varve_status make(
        void *user, varve_node *, const varve_tensor *coming, void **room)
    {
        rooms &self = *static_cast<rooms *>(user);
        auto make = [&] {
            V fresh(static_cast<std::size_t>(
                coming->rank > 0 ? coming->shape[0] : 0));
            if (!has_shape(view_of(fresh), *coming))
                return false;
            self.made.push_back(std::move(fresh));
            *room = self.made.back().data();
            return true;
        };
        return guarded(make);
    }

    static void settle(void *user, varve_node *, void *room, bool is_taken)
    {
        rooms &self = *static_cast<rooms *>(user);
        for (std::size_t i = 0; i < self.made.size(); i++)
            if (self.made[i].data() == room) {
                if (is_taken)
                    std::swap(*self.vector, self.made[i]);
                std::swap(self.made[i], self.made.back());
                self.made.pop_back();
                return;
            }
    }

    static bool has_shape(const varve_tensor &one, const varve_tensor &other)
    {
        bool same = one.rank == other.rank;
        for (std::uint32_t i = 0; same && i < one.rank; i++)
            same = one.shape[i] == other.shape[i];
        return same;
    }
};

} /* namespace detail */

template <class V> node node::add_resizable(text name, V &vector) const
{
    if constexpr (is_contiguous<V> && !detail::is_matrix<V> &&
                  std::is_constructible_v<V, std::size_t>) {
        const varve_resizing calls = { detail::rooms<V>::make,
            detail::rooms<V>::settle };
        void *kept = keeper_->keep(detail::rooms<V>{ &vector });
        return of(varve_add_resizable(
            node_, name.get(), view_of(vector), &calls, kept));
    } else {
        static_assert(
            detail::never<V>, "not a std::vector of numbers, nor like one");
        return {};
    }
}

} /* namespace varve */

#endif
