/* tensor.hpp - Makes views of the values of C++ programs: numbers, arrays,
 * vectors, spans and matrices.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TENSOR_HPP
#define VARVE_TENSOR_HPP

#include <cstddef>
#include <cstdio>
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

/* A std::valarray is contiguous but has no data(). */
template <class T> inline constexpr bool is_valarray = false;
template <class E>
inline constexpr bool is_valarray<std::valarray<E>> = layout<E>::value;

template <class T>
inline constexpr bool is_viewed = is_grid<T> || is_valarray<T> ||
                                  (is_matrix<T> ? is_ordered<T>
                                                : layout<T>::value ||
                                                      is_contiguous<T> ||
                                                      is_expression<T>);

/* True if the first and the last element have the addresses that data() and
 * size() imply. */
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
        const varve_dtype dtype = element<typename values::type>::dtype;
        return is_in_order(object)
                   ? varve_view(object.data(), dtype, s)
                   : invalid_view(dtype, s, "the elements are not contiguous");
    } else {
        layout<T>::append_to(s);
        return varve_view(std::addressof(object),
            element<typename layout<T>::type>::dtype, s);
    }
}

} /* namespace detail */

/* Returns a view of the values of an object. Nothing is copied.
 *
 * A number, an array, or a contiguous container (data(), size() and
 * varve::is_contiguous) is a varve_tensor. Elements that are arrays add
 * dimensions: a std::vector of std::array<float, 3> is float32[n,3].
 *
 * A matrix (data(), rows(), cols() and IsRowMajor, as in Eigen) is a
 * strided_view of shape [rows,cols], a vector (IsVectorAtCompileTime) one of
 * shape [n]. It may be row-major or column-major, with the strides of
 * innerStride() and outerStride(). Arrays of more dimensions (varve::grid) and
 * expressions of Eigen whose elements have addresses are strided_views too. A
 * view is returned unchanged. */
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
                "unsupported type of values: it must be a number, an array, "
                "or a container of them in writable memory");
        return varve_tensor{};
    }
}

namespace detail
{

/* Returns an invalid view because `flat` has another number of elements than
 * the shape. */
inline varve_tensor other_count(
    const varve_tensor &flat, const varve_tensor &view, const shape &s) noexcept
{
    static thread_local char reason[VARVE_TENSOR_TEXT_SIZE + 128];
    char text[VARVE_TENSOR_TEXT_SIZE];
    std::snprintf(reason, sizeof reason,
        "the number of elements of the object, %llu, differs from that of %s, "
        "%llu",
        static_cast<unsigned long long>(varve_tensor_count(&flat)),
        varve_tensor_text(&view, text),
        static_cast<unsigned long long>(varve_tensor_count(&view)));
    return invalid_view(flat.dtype, s, reason);
}

} /* namespace detail */

/* The same values in a different shape with as many elements. If the number of
 * elements differs, or the values are not row-major, the view is invalid, and
 * adding it records VARVE_MISUSE. */
template <class T> varve_tensor view_of(T &object, const shape &s) noexcept
{
    const auto flat = view_of(object);
    const varve_tensor view = varve_view(flat.data, flat.dtype, s);
    if (s.rank > VARVE_MAX_RANK)
        return view;
    if (detail::is_invalid(flat))
        return detail::invalid_view(flat.dtype, s, flat.memory->invalid);
    if (varve_tensor_count(&view) != varve_tensor_count(&flat))
        return detail::other_count(flat, view, s);
    return flat.memory ? detail::invalid_view(flat.dtype, s,
                             "only row-major values can have another shape")
                       : view;
}

namespace detail
{

/* Returns the view of an object that will be added to a graph. */
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

/* The values of a variable. This class replaces std::span in C++17, and
 * converts to std::span. */
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

/* The values of a tensor if their type is T and they are row-major; otherwise
 * empty. */
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
