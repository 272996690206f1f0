/* tensor.hpp - views of what C++ programs keep their values in: numbers,
 * arrays, vectors, spans, matrices.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TENSOR_HPP
#define VARVE_TENSOR_HPP

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
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

template <class T, class = void> inline constexpr bool is_by_rows = false;
template <class T>
inline constexpr bool is_by_rows<T, std::void_t<decltype(T::IsRowMajor)>> =
    T::IsRowMajor;

template <class T, class = void> inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool
    is_vector<T, std::void_t<decltype(T::IsVectorAtCompileTime)>> =
        T::IsVectorAtCompileTime;

/* Whether there are no gaps between its rows or columns. */
template <class T, class = void> struct gaps {
    static bool are_in(T &) noexcept
    {
        return false;
    }
};
template <class T>
struct gaps<T, std::void_t<decltype(std::declval<T &>().outerStride())>> {
    static bool are_in(T &m) noexcept
    {
        return m.innerStride() != 1 ||
               (!is_vector<T> &&
                   m.outerStride() != (is_by_rows<T> ? m.cols() : m.rows()));
    }
};

/* Whether it only refers to its values, as a span does: then itself may go. */
template <class T, class = void> inline constexpr bool is_reference = false;
template <class T>
inline constexpr bool is_reference<T, std::void_t<data_of<const T>>> =
    !std::is_const_v<data_of<const T>> && layout<data_of<const T>>::value;

template <class T> inline constexpr bool is_bits = false;
template <class A> inline constexpr bool is_bits<std::vector<bool, A>> = true;

/* Says why something cannot be viewed before the compiler does. */
template <class T>
inline constexpr bool is_given =
    (std::is_lvalue_reference_v<T> ||
        is_reference<std::remove_reference_t<
            T>>)&&(!std::is_const_v<std::remove_reference_t<T>> ||
                   is_reference<std::remove_reference_t<
                       T>>)&&!is_bits<std::remove_reference_t<T>>;

template <class T> constexpr void check_given() noexcept
{
    using V = std::remove_reference_t<T>;
    static_assert(std::is_lvalue_reference_v<T> || is_reference<V>,
        "this would be gone before it is saved: give it a name");
    static_assert(!std::is_const_v<V> || is_reference<V>,
        "a restoration writes into it: it must not be const");
    static_assert(!is_bits<V>,
        "the elements of a std::vector<bool> have no addresses: use "
        "std::vector<std::uint8_t>");
}

template <class T>
inline constexpr bool is_viewed =
    layout<T>::value || is_contiguous<T> || is_matrix<T>;

template <class T> varve_tensor view_of_matrix(T &m) noexcept
{
    shape s;
    if constexpr (is_vector<T>)
        s = shape(m.size());
    else if constexpr (is_by_rows<T>)
        s = shape(m.rows(), m.cols());
    else
        s = shape(m.cols(), m.rows());
    layout<data_of<T>>::append_to(s);
    return varve_view(gaps<T>::are_in(m) ? nullptr : m.data(),
        element<typename layout<data_of<T>>::type>::dtype, s);
}

} /* namespace detail */

/* --- Views -------------------------------------------------------------- */

/* A view of the values of an object, which stay where they are: of a number, an
 * array, or a container that has them side by side (data() and size()). What
 * its elements are arrays of gives it more dimensions: std::vector of
 * std::array<float, 3> is float32[n,3].
 *
 * A matrix (data(), rows() and cols()) is viewed as it lies in memory: one by
 * rows is of shape [rows,cols], one by columns, which is what Eigen makes if
 * nothing is said, of shape [cols,rows]; of a vector only its size counts. A
 * part of a matrix, with gaps between its rows or columns, has no such view:
 * VARVE_MISUSE when it is added. */
template <class T> varve_tensor view_of(T &object) noexcept
{
    static_assert(detail::is_viewed<T>,
        "not a number, an array, or a container of them in memory that may be "
        "written to");
    if constexpr (detail::is_matrix<T>) {
        return detail::view_of_matrix(object);
    } else if constexpr (detail::is_contiguous<T>) {
        using values = detail::layout<detail::data_of<T>>;
        shape s(object.size());
        values::append_to(s);
        return varve_view(
            object.data(), element<typename values::type>::dtype, s);
    } else {
        shape s;
        detail::layout<T>::append_to(s);
        return varve_view(std::addressof(object),
            element<typename detail::layout<T>::type>::dtype, s);
    }
}

/* The same values in another shape, of as many elements: of any other it is a
 * view of no memory, which is VARVE_MISUSE when it is added. */
template <class T> varve_tensor view_of(T &object, const shape &s) noexcept
{
    const varve_tensor flat = view_of(object);
    const varve_tensor view = varve_view(flat.data, flat.dtype, s);
    const bool fits = s.rank <= VARVE_MAX_RANK &&
                      varve_tensor_count(&view) == varve_tensor_count(&flat);
    return fits ? view : varve_view(nullptr, flat.dtype, s);
}

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

/* Those of a tensor, if they are T; none otherwise. */
template <class T> values<T> values_of(const varve_tensor *tensor) noexcept
{
    if (!tensor || tensor->dtype != element<T>::dtype || !tensor->data)
        return {};
    return { static_cast<T *>(tensor->data),
        static_cast<std::size_t>(varve_tensor_count(tensor)) };
}

} /* namespace varve */

#endif
