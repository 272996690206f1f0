/* add.hpp - Defines varve::node::add, which adds C++ objects of many types to a
 * graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ADD_HPP
#define VARVE_ADD_HPP

#include <string>
#include <type_traits>

#include <varve/bound_range.hpp>
#include <varve/fields.hpp>
#include <varve/followed.hpp>
#include <varve/node.hpp>

namespace varve
{

template <class T> node node::add(text name, T &&value) const
{
    using V = std::remove_reference_t<T>;
    if constexpr (std::is_base_of_v<varve_tensor, V>) {
        return of(varve_add_variable(node_, name.get(), value));
    } else if constexpr (!detail::is_given<T>) {
        detail::check_given<T>();
        return {};
    } else if constexpr (detail::is_viewed<V>) {
        return detail::follow(
            of(varve_add_variable(node_, name.get(), view_of(value))), value);
    } else {
        if constexpr (detail::check_addable<V>())
            return detail::add_bound(*this, name.get(), value);
        return {};
    }
}

template <class T>
node node::add_slot(const node &variable, text name, T &&value) const
{
    using V = std::remove_reference_t<T>;
    if constexpr (std::is_base_of_v<varve_tensor, V>)
        return of(varve_add_slot(node_, variable.node_, name.get(), value));
    else
        return followed<T>(of(varve_add_slot(node_, variable.node_, name.get(),
                               detail::view_of_given(std::forward<T>(value)))),
            value);
}

namespace detail
{

/* Returns `whole`, or an invalid shape if `start` has a different number of
 * dimensions. */
inline varve_shape same_rank(varve_shape whole, const shape &start) noexcept
{
    if (start.rank != whole.rank)
        whole.rank = VARVE_MAX_RANK + 1;
    return whole;
}

} /* namespace detail */

template <class T>
node node::add_slice(
    text name, T &&value, const shape &whole, const shape &start) const
{
    const auto view = detail::view_of_given(std::forward<T>(value));
    return followed<T>(of(varve_add_slice(node_, name.get(), view,
                           detail::same_rank(whole, start), start.extents)),
        value);
}

} /* namespace varve */

#endif
