/* grid.hpp - Describes multi-dimensional arrays of other libraries by their own
 * extents and strides. It includes no headers of these libraries.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_GRID_HPP
#define VARVE_GRID_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include <varve/tensor.h>

namespace varve
{

/* The layout of a T with several dimensions: the number of dimensions, the
 * extent of each, the stride of each in elements, and the address of the
 * element whose indices are all 0. Specialize it for arrays of your own:
 *
 *     template <> struct varve::grid<pond> {
 *         static std::size_t rank(pond &) { return 2; }
 *         static std::size_t extent(pond &p, std::size_t i) { ... }
 *         static std::ptrdiff_t stride(pond &p, std::size_t i) { ... }
 *         static double *first(pond &p) { return p.cells; }
 *     };
 *
 * There are specializations for std::mdspan and types with the same members,
 * and for the arrays and views of Kokkos, Boost.MultiArray, xtensor, Armadillo
 * and OpenCV (cv::Mat_). */
template <class T, class = void> struct grid {
};

namespace detail
{

/* origin() is the address of the element with all indices 0, even if such
 * indices are out of range. */
template <class T, class = void> inline constexpr bool is_of_boost = false;
template <class T>
inline constexpr bool
    is_of_boost<T, std::void_t<decltype(std::declval<T &>().num_dimensions()),
                       decltype(std::declval<T &>().index_bases()[0]),
                       decltype(std::declval<T &>().strides()[0]),
                       decltype(std::declval<T &>().shape()[0]),
                       decltype(std::declval<T &>().origin())>> = true;

/* data() is the address of the whole buffer, data_offset() the index of the
 * first element in it. */
template <class T, class = void> inline constexpr bool is_of_xtensor = false;
template <class T>
inline constexpr bool
    is_of_xtensor<T, std::void_t<decltype(std::declval<T &>().dimension()),
                         decltype(std::declval<T &>().data_offset()),
                         decltype(std::declval<T &>().strides()[0]),
                         decltype(std::declval<T &>().shape()[0]),
                         decltype(std::declval<T &>().data())>> = true;

template <class T, class = void> inline constexpr bool is_of_armadillo = false;
template <class T>
inline constexpr bool
    is_of_armadillo<T, std::void_t<decltype(std::declval<T &>().memptr()),
                           decltype(std::declval<T &>().n_rows),
                           decltype(std::declval<T &>().n_cols),
                           decltype(std::declval<T &>().n_elem)>> = true;

template <class T, class = void> inline constexpr bool is_of_opencv = false;
template <class T>
inline constexpr bool is_of_opencv<T,
    std::void_t<typename T::value_type, decltype(std::declval<T &>().dims),
        decltype(std::declval<T &>().step[0]),
        decltype(std::declval<T &>().size[0]),
        decltype(std::declval<T &>().data)>> = true;

/* True for a Cube of Armadillo, which is recognized by its slices. */
template <class T, class = void> inline constexpr bool is_cube = false;
template <class T>
inline constexpr bool
    is_cube<T, std::void_t<decltype(std::declval<T &>().n_slices)>> = true;

template <class T> constexpr std::size_t rank_of_armadillo() noexcept
{
    if constexpr (is_cube<T>)
        return 3;
    else
        return T::is_col || T::is_row ? 1 : 2;
}

} /* namespace detail */

namespace detail
{

/* For types whose extents and strides are returned by functions of the
 * dimension. */
template <class T> struct grid_by_calls {
    static std::size_t extent(T &g, std::size_t i)
    {
        return static_cast<std::size_t>(g.extent(i));
    }
    static std::ptrdiff_t stride(T &g, std::size_t i)
    {
        return static_cast<std::ptrdiff_t>(g.stride(i));
    }
};

/* For types whose extents and strides are sequences. */
template <class T> struct grid_by_lists {
    static std::size_t extent(T &g, std::size_t i)
    {
        return static_cast<std::size_t>(g.shape()[i]);
    }
    static std::ptrdiff_t stride(T &g, std::size_t i)
    {
        return static_cast<std::ptrdiff_t>(g.strides()[i]);
    }
};

template <class T, class = void> inline constexpr bool has_calls = false;
template <class T>
inline constexpr bool has_calls<T,
    std::enable_if_t<
        std::is_integral_v<decltype(std::declval<T &>().stride(0))> &&
        std::is_integral_v<decltype(std::declval<T &>().extent(0))>>> = true;

} /* namespace detail */

/* std::mdspan, unless its accessor returns no pointer. */
template <class T>
struct grid<T,
    std::enable_if_t<
        detail::has_calls<T> &&
        std::is_pointer_v<decltype(std::declval<T &>().data_handle())>>>
    : detail::grid_by_calls<T> {
    static std::size_t rank(T &)
    {
        return T::rank();
    }
    static auto first(T &g)
    {
        return g.data_handle();
    }
};

/* Kokkos::View. */
template <class T>
struct grid<T,
    std::enable_if_t<detail::has_calls<T> &&
                     std::is_pointer_v<decltype(std::declval<T &>().data())> &&
                     (std::size_t(T::rank) <= VARVE_MAX_RANK)>>
    : detail::grid_by_calls<T> {
    static std::size_t rank(T &)
    {
        return std::size_t(T::rank);
    }
    static auto first(T &g)
    {
        return g.data();
    }
};

/* boost::multi_array, its references and its views. */
template <class T>
struct grid<T, std::enable_if_t<detail::is_of_boost<T>>>
    : detail::grid_by_lists<T> {
    static std::size_t rank(T &g)
    {
        return g.num_dimensions();
    }
    static auto first(T &g)
    {
        auto *at = g.origin();
        for (std::size_t i = 0; i < rank(g); i++)
            at += g.index_bases()[i] * g.strides()[i];
        return at;
    }
};

/* xt::xarray, xt::xtensor and their views. */
template <class T>
struct grid<T, std::enable_if_t<detail::is_of_xtensor<T>>>
    : detail::grid_by_lists<T> {
    static std::size_t rank(T &g)
    {
        return g.dimension();
    }
    static auto first(T &g)
    {
        return g.data() + g.data_offset();
    }
};

/* arma::Mat, Col, Row and Cube, which are column-major. */
template <class T>
struct grid<T, std::enable_if_t<detail::is_of_armadillo<T>>> {
    static std::size_t rank(T &)
    {
        return detail::rank_of_armadillo<T>();
    }
    static std::size_t extent(T &g, std::size_t i)
    {
        const auto face = static_cast<std::size_t>(g.n_rows * g.n_cols);
        if (rank(g) == 1)
            return static_cast<std::size_t>(g.n_elem);
        return i == 0   ? static_cast<std::size_t>(g.n_rows)
               : i == 1 ? static_cast<std::size_t>(g.n_cols)
               : face   ? static_cast<std::size_t>(g.n_elem) / face
                        : 0;
    }
    static std::ptrdiff_t stride(T &g, std::size_t i)
    {
        const auto rows = static_cast<std::ptrdiff_t>(g.n_rows);
        const auto columns = static_cast<std::ptrdiff_t>(g.n_cols);
        return i == 0 ? 1 : i == 1 ? rows : rows * columns;
    }
    static auto first(T &g)
    {
        return g.memptr();
    }
};

/* cv::Mat_ of a number, whose steps are in bytes. If a step is not a multiple
 * of the element size, first() returns NULL, and adding the array records
 * VARVE_MISUSE. */
template <class T> struct grid<T, std::enable_if_t<detail::is_of_opencv<T>>> {
    using element_type = typename T::value_type;
    static std::size_t rank(T &g)
    {
        return static_cast<std::size_t>(g.dims);
    }
    static std::size_t extent(T &g, std::size_t i)
    {
        return static_cast<std::size_t>(g.size[static_cast<int>(i)]);
    }
    static std::ptrdiff_t stride(T &g, std::size_t i)
    {
        return static_cast<std::ptrdiff_t>(
            g.step[static_cast<int>(i)] / sizeof(element_type));
    }
    static element_type *first(T &g)
    {
        for (int i = 0; i < g.dims; i++)
            if (g.size[i] > 1 && g.step[i] % sizeof(element_type) != 0)
                return nullptr;
        return static_cast<element_type *>(static_cast<void *>(g.data));
    }
};

} /* namespace varve */

#endif
