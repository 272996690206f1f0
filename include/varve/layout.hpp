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
#include <iterator>
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

/* Whether it has data() and size() of elements. */
template <class T, class = void> inline constexpr bool has_data = false;
template <class T>
inline constexpr bool
    has_data<T, std::void_t<data_of<T>, decltype(std::declval<T &>().size())>> =
        layout<data_of<T>>::value;

template <class T, class U>
inline constexpr bool is_iterator_of_std =
    std::is_same_v<T, typename std::vector<U>::iterator> ||
    std::is_same_v<T, typename std::vector<U>::const_iterator>;

/* Whether iterators go from each element to the one behind it: pointers do, and
 * those of std::vector; of others C++20 says it. */
template <class I, class E, class = void>
inline constexpr bool goes_on =
    std::is_same_v<I, E *> || std::is_same_v<I, const E *>;
template <class I, class E>
inline constexpr bool
    goes_on<I, E, std::enable_if_t<std::is_class_v<I> && !is_one_of<E, bool>>> =
#ifdef __cpp_lib_concepts
        std::contiguous_iterator<I> ||
#endif
        is_iterator_of_std<I, std::remove_const_t<E>>;

template <class T> inline constexpr bool is_std = false;
template <class E, class A>
inline constexpr bool is_std<std::vector<E, A>> = true;
template <class E, std::size_t N>
inline constexpr bool is_std<std::array<E, N>> = true;

template <class T, class = void> inline constexpr bool has_run = is_std<T>;
template <class T>
inline constexpr bool has_run<T,
    std::void_t<decltype(std::declval<T &>().begin())>> =
    is_std<T> ||
    goes_on<std::decay_t<decltype(std::declval<T &>().begin())>, data_of<T>>;

} /* namespace detail */

/* Whether the elements of a container are size() of them, one behind the other
 * from data() on. Its iterators tell: pointers, those of std::vector, and in
 * C++20 all that are contiguous. A program says it of a container of its own
 * whose iterators do not:
 *     template <> inline constexpr bool varve::is_contiguous<pool> = true; */
template <class T, class = void> inline constexpr bool is_contiguous = false;
template <class T>
inline constexpr bool is_contiguous<T, std::enable_if_t<detail::has_data<T>>> =
    detail::has_run<T>;

namespace detail
{

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

/* It may be what it says, or every other element of something. */
template <class T>
inline constexpr bool is_uncertain = has_data<T> && !is_contiguous<T>;

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
