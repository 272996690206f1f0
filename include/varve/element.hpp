/* element.hpp - Defines element types and shapes in C++.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ELEMENT_HPP
#define VARVE_ELEMENT_HPP

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <varve/tensor.h>

namespace varve
{

/* --- Elements ----------------------------------------------------------- */

/* The element type of a T. Specialize it for types of your own:
 *
 *     template <> struct varve::element<half> {
 *         static constexpr varve_dtype dtype = VARVE_FLOAT16;
 *     };
 *
 * Character types have no element type because they may be text or numbers. */
template <class T, class = void> struct element {
};

namespace detail
{

template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

template <class> inline constexpr bool never = false;

template <class T>
inline constexpr bool is_character =
    is_one_of<T, char, wchar_t, char16_t, char32_t
#ifdef __cpp_char8_t
        ,
        char8_t
#endif
        >;

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && sizeof(T) <= 8 &&
                                  !is_character<T>;

template <class T> constexpr varve_dtype dtype_of_number()
{
    constexpr int log = sizeof(T) == 1   ? 0
                        : sizeof(T) == 2 ? 1
                        : sizeof(T) == 4 ? 2
                                         : 3;
    if constexpr (std::is_same_v<T, bool>)
        return VARVE_BOOL;
    else if constexpr (std::is_floating_point_v<T>)
        return log == 2 ? VARVE_FLOAT32 : VARVE_FLOAT64;
    else
        return static_cast<varve_dtype>(
            (std::is_signed_v<T> ? VARVE_INT8 : VARVE_UINT8) + log);
}

} /* namespace detail */

template <class T>
struct element<T,
    std::enable_if_t<detail::is_number<T> && !std::is_const_v<T>>> {
    static constexpr varve_dtype dtype = detail::dtype_of_number<T>();
};

/* An enumeration, including std::byte, is saved as its underlying integer. */
template <class T>
struct element<T, std::enable_if_t<std::is_enum_v<T> && !std::is_const_v<T>>>
    : element<std::underlying_type_t<T>> {
};

template <> struct element<std::complex<float>> {
    static constexpr varve_dtype dtype = VARVE_COMPLEX64;
};

template <> struct element<std::complex<double>> {
    static constexpr varve_dtype dtype = VARVE_COMPLEX128;
};

template <> struct element<varve_string> {
    static constexpr varve_dtype dtype = VARVE_STRING;
};

namespace detail
{

template <class T, class = void> inline constexpr bool is_element = false;
template <class T>
inline constexpr bool is_element<T, std::void_t<decltype(element<T>::dtype)>> =
    true;

} /* namespace detail */

/* The element type of a T; a compile-time error if it has none. */
template <class T> constexpr varve_dtype dtype_of() noexcept
{
    static_assert(!std::is_const_v<T>,
        "const element type: a restoration writes into the elements, so "
        "they must not be const");
    static_assert(std::is_const_v<T> || detail::is_element<T>,
        "unsupported element type: use a number or a type with a "
        "specialization of varve::element");
    if constexpr (detail::is_element<T>)
        return element<T>::dtype;
    else
        return VARVE_UINT8;
}

/* An atomic is saved as its number if it has the same size and is lock-free. As
 * for all values, no thread may change it while a call saves or restores it. */
template <class T>
struct element<std::atomic<T>,
    std::enable_if_t<detail::is_element<T> &&
                     sizeof(std::atomic<T>) == sizeof(T) &&
                     std::atomic<T>::is_always_lock_free>> : element<T> {
};

/* --- Shapes ------------------------------------------------------------- */

/* shape(784, 10), or { 784, 10 } as an argument of type shape; shape() is that
 * of a scalar. */
class shape : public varve_shape
{
public:
    shape() noexcept : varve_shape()
    {
    }
    template <class... I,
        class = std::enable_if_t<(sizeof...(I) > 0) &&
                                 (std::is_integral_v<I> && ...)>>
    shape(I... sizes) noexcept : varve_shape()
    {
        (append(static_cast<std::uint64_t>(sizes)), ...);
    }
    /* Extents beyond VARVE_MAX_RANK are counted but not stored; calls that use
     * such a shape reject it. */
    void append(std::uint64_t size) noexcept
    {
        if (rank < VARVE_MAX_RANK)
            extents[rank] = size;
        rank++;
    }
};

} /* namespace varve */

#endif
