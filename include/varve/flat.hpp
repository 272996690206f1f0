/* flat.hpp - Selects the vectors of structs that are saved as one array per
 * member.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_FLAT_HPP
#define VARVE_FLAT_HPP

#include <tuple>
#include <type_traits>
#include <vector>

#include <varve/fields.hpp>

namespace varve
{

namespace detail
{

/* True if a member is a number, or an array of numbers inside the struct. */
template <class T> constexpr bool has_numbers()
{
    if constexpr (layout<T>::value)
        return !std::is_same_v<typename layout<T>::type, varve_string>;
    else
        return false;
}

/* True if a member consists of numbers, or is a struct of such members. */
template <class T> constexpr bool is_flat();

template <class S, class M> constexpr bool is_flat_field(const field_of<S, M> *)
{
    return is_flat<M>();
}
template <class S, class E, class N>
constexpr bool is_flat_field(const pointer_field_of<S, E, N> *)
{
    return false;
}
constexpr bool is_flat_field(const gone_field *)
{
    return true;
}
template <class... F> constexpr bool are_flat(const std::tuple<F...> *)
{
    constexpr bool has_columns = (!std::is_same_v<F, gone_field> || ...);
    return has_columns &&
           (is_flat_field(static_cast<const F *>(nullptr)) && ...);
}
template <class T> constexpr bool is_flat()
{
    if constexpr (layout<T>::value)
        return has_numbers<T>();
    else if constexpr (has_fields<T> && !is_viewed<T>)
        return are_flat(static_cast<const decltype(varve_fields(
                static_cast<const T *>(nullptr))) *>(nullptr));
    else
        return false;
}

template <class T> inline constexpr bool is_table = false;
template <class S, class A>
inline constexpr bool is_table<std::vector<S, A>> =
    has_fields<S> && !layout<S>::value && is_flat<S>() &&
    std::is_default_constructible_v<S> && std::is_move_constructible_v<S> &&
    (std::is_nothrow_move_assignable_v<S> || std::is_copy_assignable_v<S>);

} /* namespace detail */

} /* namespace varve */

#endif
