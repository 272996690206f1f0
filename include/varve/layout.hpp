/* layout.hpp - what C++ programs keep their numbers in, and what cannot be
 * viewed, in words.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_LAYOUT_HPP
#define VARVE_LAYOUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/element.hpp>
#include <varve/tensor.h>

namespace varve
{

/* --- What lies side by side --------------------------------------------- */

namespace detail
{

/* Whether a T is nothing but elements, one or arrays of them, and which. */
template <class T, class = void> struct layout : std::false_type {
};

template <class T>
struct layout<T, std::void_t<decltype(element<T>::dtype)>> : std::true_type {
    using type = T;
    static void append_to(shape &) noexcept
    {
    }
};

template <class T, std::size_t N, bool = layout<T>::value>
struct layout_of_array : std::false_type {
};

template <class T, std::size_t N>
struct layout_of_array<T, N, true> : std::true_type {
    using type = typename layout<T>::type;
    static void append_to(shape &s) noexcept
    {
        s.append(N);
        layout<T>::append_to(s);
    }
};

template <class T, std::size_t N> struct layout<T[N]> : layout_of_array<T, N> {
};

template <class T, std::size_t N>
struct layout<std::array<T, N>> : layout_of_array<T, N> {
    static_assert(N == 0 || sizeof(std::array<T, N>) == N * sizeof(T));
};

/* Where a container has its values, if they may be written to. */
template <class T>
using data_of = std::remove_pointer_t<decltype(std::declval<T &>().data())>;

template <class T, class = void> inline constexpr bool is_contiguous = false;
template <class T>
inline constexpr bool is_contiguous<T,
    std::void_t<data_of<T>, decltype(std::declval<T &>().size())>> =
    layout<data_of<T>>::value;

/* As those of Eigen. */
template <class T, class = void> inline constexpr bool is_matrix = false;
template <class T>
inline constexpr bool
    is_matrix<T, std::void_t<data_of<T>, decltype(std::declval<T &>().rows()),
                     decltype(std::declval<T &>().cols())>> =
        layout<data_of<T>>::value;

/* Whether it says in which order it has them. */
template <class T, class = void> inline constexpr bool is_ordered = false;
template <class T>
inline constexpr bool is_ordered<T, std::void_t<decltype(T::IsRowMajor)>> =
    true;

template <class T, class = void> inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<T,
    std::void_t<decltype(T::IsVectorAtCompileTime)>> =
    static_cast<bool>(T::IsVectorAtCompileTime);

template <class T>
inline constexpr bool is_viewed =
    is_matrix<T> ? is_ordered<T> : layout<T>::value || is_contiguous<T>;

/* --- What cannot be viewed ---------------------------------------------- */

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
inline constexpr bool
    is_pointer<T, std::void_t<typename T::element_type,
                      decltype(std::declval<T &>().operator->())>> = true;

template <class T, class = void> inline constexpr bool is_of_const = false;
template <class T>
inline constexpr bool is_of_const<T, std::void_t<data_of<T>>> =
    std::is_const_v<data_of<T>>;

/* Says which of the things it is that have no place in a graph; of all others
 * nothing. */
template <class T> constexpr bool check_viewable() noexcept
{
    using E = typename inside<T>::type;
    if constexpr (is_bits<T>)
        static_assert(never<T>,
            "the elements of a std::vector<bool> have no addresses: use "
            "std::vector<std::uint8_t>");
    else if constexpr (is_matrix<T>)
        static_assert(is_ordered<T>,
            "a matrix that does not say whether it lies by rows: it needs a "
            "static constexpr bool IsRowMajor");
    else if constexpr (is_character<E>)
        static_assert(never<T>,
            "characters may be text or numbers: use std::string, or "
            "std::int8_t or std::uint8_t");
    else if constexpr (is_pointer<E>)
        static_assert(never<T>,
            "a pointer does not say to how many elements: add what it points "
            "to, or varve::values or a std::span of it");
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
