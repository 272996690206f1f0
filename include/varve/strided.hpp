/* strided.hpp - Views strided elements and matrices.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_STRIDED_HPP
#define VARVE_STRIDED_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <type_traits>

#include <varve/layout.hpp>
#include <varve/memory.h>

namespace varve
{

namespace detail
{

/* Returns a view without memory. Adding it records VARVE_MISUSE with the
 * reason, which must stay valid. The view is valid until the next call in this
 * thread. */
inline varve_tensor invalid_view(
    varve_dtype dtype, const varve_shape &s, const char *reason) noexcept
{
    static thread_local varve_memory memory = {};
    memory.invalid = reason;
    varve_tensor view = varve_view(nullptr, dtype, s);
    view.memory = &memory;
    return view;
}

inline bool is_invalid(const varve_tensor &view) noexcept
{
    return view.memory && view.memory->invalid;
}

} /* namespace detail */

/* A varve_tensor that contains its strides. It points to its own strides and
 * must not be sliced to a varve_tensor that outlives it. (A graph copies the
 * view with its strides.) If the strides are those of row-major memory, the
 * view is contiguous. */
class strided_view : public varve_tensor
{
public:
    /* One stride in bytes for each dimension (memory.h). */
    strided_view(const varve_tensor &view, const std::int64_t *strides) noexcept
        : varve_tensor(view)
    {
        for (std::uint32_t i = 0; i < rank && i < VARVE_MAX_RANK; i++)
            strides_[i] = strides[i];
        reach();
    }
    /* A view of row-major memory, or an invalid view. */
    explicit strided_view(const varve_tensor &view) noexcept
        : varve_tensor(view)
    {
        auto step = static_cast<std::int64_t>(varve_dtype_size(dtype));
        for (std::uint32_t i = rank; rank <= VARVE_MAX_RANK && i-- > 0;) {
            strides_[i] = step;
            step *= static_cast<std::int64_t>(shape[i]);
        }
        reach();
    }
    strided_view(const strided_view &other) noexcept
        : strided_view(other, other.strides_)
    {
    }
    strided_view &operator=(const strided_view &other) noexcept
    {
        static_cast<varve_tensor &>(*this) = other;
        for (std::uint32_t i = 0; i < VARVE_MAX_RANK; i++)
            strides_[i] = other.strides_[i];
        reach();
        return *this;
    }
    const std::int64_t *strides() const noexcept
    {
        return strides_;
    }

private:
    void reach() noexcept
    {
        memory_.strides = strides_;
        if (!detail::is_invalid(*this))
            memory = is_row_major() ? nullptr : &memory_;
    }
    bool is_row_major() const noexcept
    {
        auto wanted = static_cast<std::int64_t>(varve_dtype_size(dtype));
        bool is = rank <= VARVE_MAX_RANK;
        for (std::uint32_t i = rank; is && i-- > 0;) {
            is = shape[i] <= 1 || strides_[i] == wanted;
            wanted *= static_cast<std::int64_t>(shape[i]);
        }
        return is;
    }

    std::int64_t strides_[VARVE_MAX_RANK] = {};
    varve_memory memory_ = {};
};

/* varve::strided(&p[0].x, { sizeof *p }, { count }) views the member x of an
 * array of structs, as varve_strided in C. If the number of strides differs
 * from the number of dimensions, the view is invalid, and adding it records
 * VARVE_MISUSE. */
template <class T>
strided_view strided(T *first, std::initializer_list<std::int64_t> strides,
    const shape &s) noexcept
{
    auto *data = const_cast<std::remove_const_t<T> *>(first);
    if (s.rank != strides.size() || s.rank > VARVE_MAX_RANK)
        return strided_view(detail::invalid_view(dtype_of<T>(), s,
            "the number of strides differs from the number of dimensions"));
    return { varve_view(data, dtype_of<T>(), s), strides.begin() };
}

namespace detail
{

/* Strides in elements. For a row-major matrix `inner` is the stride within a
 * row and `outer` the stride between rows; for a column-major matrix, the same
 * for columns. */
struct matrix_steps {
    std::int64_t inner;
    std::int64_t outer;
};

template <class T, class = void> struct steps_of {
    static matrix_steps in(T &m) noexcept
    {
        return { 1, std::int64_t(T::IsRowMajor ? m.cols() : m.rows()) };
    }
};
template <class T>
struct steps_of<T, std::void_t<decltype(std::declval<T &>().outerStride()),
                       decltype(std::declval<T &>().innerStride())>> {
    static matrix_steps in(T &m) noexcept
    {
        return { std::int64_t(m.innerStride()), std::int64_t(m.outerStride()) };
    }
};

/* A view of objects with these strides. The objects are elements or arrays of
 * elements, which are contiguous. */
template <class Thing>
strided_view view_of_things(
    Thing *data, shape s, std::initializer_list<std::int64_t> strides) noexcept
{
    using element_type = typename layout<Thing>::type;
    std::int64_t each[VARVE_MAX_RANK] = {};
    auto step = std::int64_t(sizeof(element_type));
    const std::uint32_t outside = s.rank;
    layout<Thing>::append_to(s);
    for (std::uint32_t i = s.rank; i-- > outside && s.rank <= VARVE_MAX_RANK;) {
        each[i] = step;
        step *= std::int64_t(s.extents[i]);
    }
    for (std::uint32_t i = 0; i < outside; i++)
        each[i] = strides.begin()[i] * std::int64_t(sizeof(Thing));
    return { varve_view(data, element<element_type>::dtype, s), each };
}

template <class T> strided_view view_of_matrix(T &m) noexcept
{
    const matrix_steps steps = steps_of<T>::in(m);
    if constexpr (is_vector<T>)
        return view_of_things(m.data(), shape(m.size()), { steps.inner });
    else if constexpr (static_cast<bool>(T::IsRowMajor))
        return view_of_things(
            m.data(), shape(m.rows(), m.cols()), { steps.outer, steps.inner });
    else
        return view_of_things(
            m.data(), shape(m.rows(), m.cols()), { steps.inner, steps.outer });
}

} /* namespace detail */

} /* namespace varve */

#endif
