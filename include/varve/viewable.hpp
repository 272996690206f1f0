/* viewable.hpp - Rejects values that cannot be viewed, with messages that name
 * the reason.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VIEWABLE_HPP
#define VARVE_VIEWABLE_HPP

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/element.hpp>
#include <varve/layout.hpp>
#include <varve/odd.hpp>
#include <varve/tensor.h>

namespace varve
{

namespace detail
{

/* True for types that refer to their values, such as spans. Such an object may
 * be temporary. */
template <class T, class = void> inline constexpr bool is_reference = false;
template <class T>
inline constexpr bool is_reference<T, std::void_t<data_of<const T>>> =
    !std::is_const_v<data_of<const T>> && layout<data_of<const T>>::value;

template <class T>
inline constexpr bool is_view =
    is_reference<T> || std::is_base_of_v<varve_tensor, T>;

template <class T>
inline constexpr bool is_lasting =
    std::is_lvalue_reference_v<T> || is_view<std::remove_reference_t<T>>;

template <class T>
inline constexpr bool is_writable =
    !std::is_const_v<std::remove_reference_t<T>> ||
    is_view<std::remove_reference_t<T>>;

/* True if an object that is added to a graph is not temporary and is writable.
 * Otherwise check_given reports the error. */
template <class T>
inline constexpr bool is_given = is_lasting<T> &&is_writable<T>;

template <class T> constexpr void check_given() noexcept
{
    static_assert(is_lasting<T>,
        "temporary object: its memory may be freed before it is saved; add "
        "a named object");
    static_assert(!is_lasting<T> || is_writable<T>,
        "const object: a restoration writes into it, so it must not be "
        "const");
}

template <class T> inline constexpr bool is_bits = false;
template <class A> inline constexpr bool is_bits<std::vector<bool, A>> = true;

/* The element of an array or container; the type itself if it is neither. */
template <class T, class = void> struct inside {
    using type = std::remove_const_t<T>;
};
template <class T, std::size_t N> struct inside<T[N]> : inside<T> {
};
template <> struct inside<std::string> {
    using type = std::string;
};
template <class T>
struct inside<T, std::void_t<typename T::value_type>>
    : inside<typename T::value_type> {
};

template <class T, class = void>
inline constexpr bool is_pointer = std::is_pointer_v<T>;
template <class T>
inline constexpr bool is_pointer<T, std::void_t<typename T::element_type,
                                        decltype(std::declval<T &>().get())>> =
    true;

template <class T, class = void> inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool
    is_optional<T, std::void_t<decltype(std::declval<T &>().has_value()),
                       decltype(std::declval<T &>().reset())>> = true;

template <class T, class = void> inline constexpr bool is_of_const = false;
template <class T>
inline constexpr bool is_of_const<T, std::void_t<data_of<T>>> =
    std::is_const_v<data_of<T>>;

/* Reports a type that cannot be viewed with a static_assert. */
template <class T> constexpr bool check_viewable() noexcept
{
    using E = typename inside<T>::type;
    if constexpr (is_odd<T>)
        check_odd<T>();
    else if constexpr (is_bits<T>)
        static_assert(never<T>,
            "the elements of a std::vector<bool> have no addresses: use "
            "std::vector<std::uint8_t>");
    else if constexpr (is_matrix<T>)
        static_assert(is_ordered<T>,
            "the storage order of this matrix is unknown: add a static "
            "constexpr bool IsRowMajor to its type");
    else if constexpr (is_uncertain<T>)
        static_assert(never<T>,
            "the elements of this container may not be contiguous: use "
            "varve::strided, or specialize varve::is_contiguous or "
            "varve::grid");
    else if constexpr (is_character<E>)
        static_assert(never<T>,
            "characters may be text or numbers: use std::string, or "
            "std::int8_t or std::uint8_t");
    else if constexpr (is_pointer<E>)
        static_assert(never<T>,
            "the number of elements behind a pointer is unknown: add the "
            "object that it points to, or a varve::values or std::span of "
            "the elements");
    else if constexpr (is_optional<T> || is_optional<E>)
        static_assert(never<T>,
            "a std::optional may be empty: use a std::vector with up to one "
            "element");
    else if constexpr (is_of_const<T>)
        static_assert(never<T>,
            "const elements: a restoration writes into them, so they must "
            "not be const");
    else
        return true;
    return false;
}

} /* namespace detail */

} /* namespace varve */

#endif
