/* viewable.hpp - what cannot be viewed, in words.
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

/* Whether it only refers to its values, as a span does: then itself may go. */
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

/* Whether a thing that is given to be kept will be there, and may be written
 * to; else it is said why, before the compiler says more. */
template <class T>
inline constexpr bool is_given = is_lasting<T> &&is_writable<T>;

template <class T> constexpr void check_given() noexcept
{
    static_assert(
        is_lasting<T>, "this would be gone before it is saved: give it a name");
    static_assert(!is_lasting<T> || is_writable<T>,
        "a restoration writes into it: it must not be const");
}

template <class T> inline constexpr bool is_bits = false;
template <class A> inline constexpr bool is_bits<std::vector<bool, A>> = true;

/* The element of an array or container, itself if it is none. */
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

/* Says which of the things it is that have no place in a graph; of all others
 * nothing. */
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
            "a matrix that does not say whether it lies by rows: it needs a "
            "static constexpr bool IsRowMajor");
    else if constexpr (is_uncertain<T>)
        static_assert(never<T>,
            "its elements are not known to lie one behind the other: view them "
            "by varve::strided, or say it by varve::is_contiguous or "
            "varve::grid");
    else if constexpr (is_character<E>)
        static_assert(never<T>,
            "characters may be text or numbers: use std::string, or "
            "std::int8_t or std::uint8_t");
    else if constexpr (is_pointer<E>)
        static_assert(never<T>,
            "a pointer does not say to how many elements: add what it points "
            "to, or varve::values or a std::span of it");
    else if constexpr (is_optional<T> || is_optional<E>)
        static_assert(never<T>,
            "a std::optional may hold no value: use a std::vector, of none or "
            "of one");
    else if constexpr (is_of_const<T>)
        static_assert(never<T>,
            "a restoration writes into its elements: they must not be const");
    else
        return true;
    return false;
}

} /* namespace detail */

} /* namespace varve */

#endif
