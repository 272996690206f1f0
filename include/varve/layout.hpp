/* layout.hpp - Defines which C++ types hold numbers in contiguous memory.
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

/* --- Contiguous elements ------------------------------------------------- */

namespace detail
{

/* True if a T consists only of elements: one element or arrays of them. `type`
 * is the element type. */
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

/* The type that data() of a container points to. */
template <class T>
using data_of = std::remove_pointer_t<decltype(std::declval<T &>().data())>;

/* True if a container has data() and size(), and its values are elements. */
template <class T, class = void> inline constexpr bool has_data = false;
template <class T>
inline constexpr bool
    has_data<T, std::void_t<data_of<T>, decltype(std::declval<T &>().size())>> =
        layout<data_of<T>>::value;

template <class T, class U>
inline constexpr bool is_iterator_of_std =
    std::is_same_v<T, typename std::vector<U>::iterator> ||
    std::is_same_v<T, typename std::vector<U>::const_iterator>;

#ifdef __cpp_lib_concepts
template <class I, class E> inline constexpr bool is_run_of = false;
template <std::contiguous_iterator I, class E>
inline constexpr bool is_run_of<I, E> = std::is_same_v<std::iter_value_t<I>, E>;
#endif

/* True for iterators of contiguous elements: pointers and those of std::vector;
 * with C++20 all contiguous iterators. */
template <class I, class E, class = void>
inline constexpr bool is_contiguous_iterator =
    std::is_same_v<I, E *> || std::is_same_v<I, const E *>;
template <class I, class E>
inline constexpr bool is_contiguous_iterator<I, E,
    std::enable_if_t<std::is_class_v<I> && !is_one_of<E, bool>>> =
#ifdef __cpp_lib_concepts
    is_run_of<I, std::remove_const_t<E>> ||
#endif
    is_iterator_of_std<I, std::remove_const_t<E>>;

template <class T> inline constexpr bool is_std = false;
template <class E, class A>
inline constexpr bool is_std<std::vector<E, A>> = true;
template <class E, std::size_t N>
inline constexpr bool is_std<std::array<E, N>> = true;

/* A std::basic_string<E> is contiguous. Its iterators are not examined: they
 * need std::char_traits<E>, which exists only for characters. */
template <class E, class C, class A>
inline constexpr bool is_std<std::basic_string<E, C, A>> = true;

template <class T, class = void> inline constexpr bool has_run = is_std<T>;
template <class T>
inline constexpr bool has_run<T,
    std::void_t<decltype(std::declval<T &>().begin())>> =
    is_std<T> ||
    is_contiguous_iterator<std::decay_t<decltype(std::declval<T &>().begin())>,
        data_of<T>>;

} /* namespace detail */

/* True if a container has size() contiguous elements that begin at data(). By
 * default this is true if its iterators are pointers, iterators of std::vector
 * or, with C++20, contiguous iterators. Specialize it for containers of your
 * own with other iterators:
 *
 *     template <> inline constexpr bool varve::is_contiguous<pool> = true; */
template <class T, class = void> inline constexpr bool is_contiguous = false;
template <class T>
inline constexpr bool is_contiguous<T, std::enable_if_t<detail::has_data<T>>> =
    detail::has_run<T>;

namespace detail
{

/* True for matrix types that have the members of Eigen's matrices. */
template <class T, class = void> inline constexpr bool is_matrix = false;
template <class T>
inline constexpr bool
    is_matrix<T, std::void_t<data_of<T>, decltype(std::declval<T &>().rows()),
                     decltype(std::declval<T &>().cols())>> =
        layout<data_of<T>>::value;

/* True if a matrix has IsRowMajor. */
template <class T, class = void> inline constexpr bool is_ordered = false;
template <class T>
inline constexpr bool is_ordered<T, std::void_t<decltype(T::IsRowMajor)>> =
    true;

template <class T, class = void> inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<T,
    std::void_t<decltype(T::IsVectorAtCompileTime)>> =
    static_cast<bool>(T::IsVectorAtCompileTime);

/* True if a type has the shape of a matrix but no known memory, such as the
 * subviews of Armadillo and the views of xtensor. */
template <class T, class = void> inline constexpr bool is_shaped = false;
template <class T>
inline constexpr bool is_shaped<T,
    std::enable_if_t<std::is_integral_v<
                         std::decay_t<decltype(std::declval<T &>().n_rows)>> &&
                     std::is_integral_v<
                         std::decay_t<decltype(std::declval<T &>().n_elem)>>>> =
    true;
template <class T>
inline constexpr bool is_shaped<T,
    std::enable_if_t<
        std::is_integral_v<decltype(std::declval<T &>().dimension())> &&
        std::is_integral_v<
            std::decay_t<decltype(std::declval<T &>().shape()[0])>>>> = true;

/* True if the elements may not be contiguous, although the type has data() and
 * size(). */
template <class T>
inline constexpr bool is_uncertain =
    (has_data<T> && !is_contiguous<T>) || is_shaped<T>;

} /* namespace detail */

} /* namespace varve */

#endif
