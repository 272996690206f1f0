/* grid_view.hpp - Views arrays of several dimensions, and expressions whose
 * elements have addresses.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_GRID_VIEW_HPP
#define VARVE_GRID_VIEW_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <varve/grid.hpp>
#include <varve/layout.hpp>
#include <varve/strided.hpp>

namespace varve
{

namespace detail
{

template <class T>
using first_of =
    std::remove_pointer_t<decltype(grid<T>::first(std::declval<T &>()))>;

/* True for a type with a varve::grid whose elements are writable. */
template <class T, class = void> inline constexpr bool is_grid = false;
template <class T>
inline constexpr bool is_grid<T, std::void_t<first_of<T>>> =
    layout<first_of<T>>::value;

template <class T> strided_view view_of_grid(T &g) noexcept
{
    using element_type = typename layout<first_of<T>>::type;
    shape s;
    std::int64_t strides[VARVE_MAX_RANK] = {};
    const std::size_t rank = grid<T>::rank(g);
    for (std::size_t i = 0; i < rank; i++) {
        if (i < VARVE_MAX_RANK)
            strides[i] =
                grid<T>::stride(g, i) * std::int64_t(sizeof(first_of<T>));
        s.append(grid<T>::extent(g, i));
    }
    auto step = std::int64_t(sizeof(element_type));
    const std::uint32_t outside = s.rank;
    layout<first_of<T>>::append_to(s);
    for (std::uint32_t i = s.rank; i-- > outside && s.rank <= VARVE_MAX_RANK;) {
        strides[i] = step;
        step *= std::int64_t(s.extents[i]);
    }
    const varve_dtype dtype = element<element_type>::dtype;
    const varve_tensor view = varve_view(grid<T>::first(g), dtype, s);
    if (!view.data && s.rank <= VARVE_MAX_RANK && varve_tensor_count(&view) > 0)
        return strided_view(invalid_view(dtype, s,
            "the array has no memory, or a step that is not a multiple of the "
            "element size"));
    return { view, strides };
}

/* --- Expressions ---------------------------------------------------------- */

/* True for expressions of Eigen that have no data(), such as a reversed column.
 * Their elements have addresses but no known strides. */
template <class T, class = void> inline constexpr bool is_expression = false;
template <class T>
inline constexpr bool is_expression<T,
    std::enable_if_t<
        std::is_lvalue_reference_v<decltype(std::declval<T &>().coeffRef(
            0, 0))> &&
        std::is_integral_v<decltype(std::declval<T &>().rows())> &&
        std::is_integral_v<decltype(std::declval<T &>().cols())>>> =
    layout<std::remove_reference_t<decltype(std::declval<T &>().coeffRef(
        0, 0))>>::value;

/* Compares the address of every element. If they are not evenly spaced, the
 * view is invalid, and adding it records VARVE_MISUSE. */
template <class T> strided_view view_of_expression(T &m) noexcept
{
    using thing = std::remove_reference_t<decltype(m.coeffRef(0, 0))>;
    const auto rows = m.rows(), columns = m.cols();
    const shape s = is_vector<T> ? shape(rows * columns) : shape(rows, columns);
    const varve_dtype dtype = element<typename layout<thing>::type>::dtype;
    if (rows == 0 || columns == 0)
        return strided_view(varve_view(nullptr, dtype, s));
    thing *const first = std::addressof(m.coeffRef(0, 0));
    const std::ptrdiff_t down =
        rows > 1 ? std::addressof(m.coeffRef(1, 0)) - first : 0;
    const std::ptrdiff_t along =
        columns > 1 ? std::addressof(m.coeffRef(0, 1)) - first : 0;
    for (std::ptrdiff_t i = 0; i < rows; i++)
        for (std::ptrdiff_t k = 0; k < columns; k++)
            if (std::addressof(m.coeffRef(i, k)) !=
                first + (i * down + k * along))
                return strided_view(invalid_view(
                    dtype, s, "the elements are not evenly spaced"));
    const auto size = std::int64_t(sizeof(thing));
    std::int64_t strides[] = { down * size, along * size };
    if (is_vector<T> && rows == 1)
        strides[0] = strides[1];
    return { varve_view(first, dtype, s), strides };
}

} /* namespace detail */

} /* namespace varve */

#endif
