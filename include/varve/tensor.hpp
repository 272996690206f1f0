/* tensor.hpp - views of what C++ programs keep their values in: numbers,
 * arrays, vectors, spans, matrices.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TENSOR_HPP
#define VARVE_TENSOR_HPP

#include <cstddef>
#include <memory>
#include <type_traits>
#include <valarray>

#include <varve/element.hpp>
#include <varve/grid_view.hpp>
#include <varve/layout.hpp>
#include <varve/strided.hpp>
#include <varve/tensor.h>
#include <varve/viewable.hpp>

namespace varve
{

namespace detail
{

/* It has its elements one behind the other, and no data(). */
template <class T> inline constexpr bool is_valarray = false;
template <class E>
inline constexpr bool is_valarray<std::valarray<E>> = layout<E>::value;

template <class T>
inline constexpr bool is_viewed = is_grid<T> || is_valarray<T> ||
                                  (is_matrix<T> ? is_ordered<T>
                                                : layout<T>::value ||
                                                      is_contiguous<T> ||
                                                      is_expression<T>);

/* The first and the last element are where data() and size() say it. */
template <class T> bool is_in_order(T &object) noexcept
{
    if constexpr (has_run<T>) {
        const auto last = object.size() > 0 ? object.size() - 1 : 0;
        return object.size() == 0 ||
               (std::addressof(*object.begin()) == object.data() &&
                   std::addressof(
                       object.begin()[static_cast<std::ptrdiff_t>(last)]) ==
                       object.data() + last);
    } else {
        return true;
    }
}

template <class T> varve_tensor view_of_plain(T &object) noexcept
{
    shape s;
    if constexpr (is_contiguous<T>) {
        using values = layout<data_of<T>>;
        s = shape(object.size());
        values::append_to(s);
        return varve_view(is_in_order(object) ? object.data() : nullptr,
            element<typename values::type>::dtype, s);
    } else {
        layout<T>::append_to(s);
        return varve_view(std::addressof(object),
            element<typename layout<T>::type>::dtype, s);
    }
}

} /* namespace detail */

/* A view of the values of an object, which stay where they are: a varve_tensor
 * of a number, an array, or a container that has them side by side (data() and
 * size(), and varve::is_contiguous). What its elements are arrays of gives it
 * more dimensions: std::vector of std::array<float, 3> is float32[n,3].
 *
 * Of a matrix (data(), rows(), cols() and IsRowMajor, as those of Eigen) it is
 * a strided_view of shape [rows,cols], of a vector (IsVectorAtCompileTime) of
 * shape [n]: by rows or by columns, and also with gaps between them, as
 * innerStride() and outerStride() say. Arrays of more dimensions (varve::grid)
 * and expressions of Eigen that have addresses are strided_views too. A view is
 * itself. */
template <class T> auto view_of(T &object) noexcept
{
    if constexpr (std::is_base_of_v<varve_tensor, T>) {
        return object;
    } else if constexpr (detail::is_valarray<T>) {
        shape s(object.size());
        using E = typename T::value_type;
        detail::layout<E>::append_to(s);
        return varve_view(object.size() ? std::addressof(object[0]) : nullptr,
            element<typename detail::layout<E>::type>::dtype, s);
    } else if constexpr (detail::is_grid<T>) {
        return detail::view_of_grid(object);
    } else if constexpr (detail::is_viewed<T> && detail::is_matrix<T>) {
        return detail::view_of_matrix(object);
    } else if constexpr (detail::is_expression<T> && !detail::is_matrix<T>) {
        return detail::view_of_expression(object);
    } else if constexpr (detail::is_viewed<T>) {
        return detail::view_of_plain(object);
    } else {
        if constexpr (detail::check_viewable<T>())
            static_assert(detail::never<T>,
                "not a number, an array, or a container of them in memory that "
                "may be written to");
        return varve_tensor{};
    }
}

/* The same values in another shape, of as many elements: of any other, and of
 * what does not lie row-major, it is a view of no memory, which is VARVE_MISUSE
 * when it is added. */
template <class T> varve_tensor view_of(T &object, const shape &s) noexcept
{
    const auto flat = view_of(object);
    const varve_tensor view = varve_view(flat.data, flat.dtype, s);
    const bool fits = !flat.memory && s.rank <= VARVE_MAX_RANK &&
                      varve_tensor_count(&view) == varve_tensor_count(&flat);
    return fits ? view : varve_view(nullptr, flat.dtype, s);
}

namespace detail
{

/* Of what is given to be kept. */
template <class T, class... S>
auto view_of_given(T &&object, const S &...s) noexcept
{
    if constexpr (is_given<T>) {
        return view_of(object, s...);
    } else {
        check_given<T>();
        return varve_tensor{};
    }
}

} /* namespace detail */

/* Values of a variable: what std::span is in C++20, which it becomes. */
template <class T> class values
{
public:
    values() noexcept = default;
    values(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    T *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    T *begin() const noexcept
    {
        return data_;
    }
    T *end() const noexcept
    {
        return size_ > 0 ? data_ + size_ : data_;
    }
    T &operator[](std::size_t index) const noexcept
    {
        return data_[index];
    }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/* Those of a tensor, if they are T and lie row-major; none otherwise. */
template <class T> values<T> values_of(const varve_tensor *tensor) noexcept
{
    if (!tensor || tensor->dtype != dtype_of<T>() || !tensor->data ||
        tensor->memory)
        return {};
    return { static_cast<T *>(tensor->data),
        static_cast<std::size_t>(varve_tensor_count(tensor)) };
}

} /* namespace varve */

#endif
