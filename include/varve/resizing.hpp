/* resizing.hpp - Defines varve::node::add_resizable: vectors that a restoration
 * resizes.
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
#include <varve/followed.hpp>
#include <varve/node.hpp>
#include <varve/resizing.h>
#include <varve/tensor.hpp>

namespace varve
{

template <class V> node node::add_resizable(text name, V &vector) const
{
    if constexpr (detail::is_resizable<V>) {
        const varve_resizing calls = { detail::rooms<V>::make,
            detail::rooms<V>::settle };
        void *kept = keeper_->keep(detail::rooms<V>{ &vector });
        return detail::follow(of(varve_add_resizable(node_, name.get(),
                                  view_of(vector), &calls, kept)),
            vector);
    } else {
        static_assert(detail::never<V>,
            "add_resizable takes a std::vector of numbers or a similar "
            "container");
        return {};
    }
}

} /* namespace varve */

#endif
