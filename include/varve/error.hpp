/* error.hpp - Returns errors in C++ as values; exceptions are optional.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ERROR_HPP
#define VARVE_ERROR_HPP

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <varve/error.h>

namespace varve
{

/* A varve_error that is initialized to no error. It owns no memory, and copying
 * or moving it never throws. */
class error : public varve_error
{
public:
    error() noexcept
    {
        set(VARVE_OK, 0, "");
    }
    explicit error(varve_status failed, const char *line) noexcept
    {
        set(failed, 0, line);
    }
    error(const error &other) noexcept : varve_error()
    {
        set(other.status, other.system_error, other.message);
    }
    error &operator=(const error &other) noexcept
    {
        if (this != &other)
            set(other.status, other.system_error, other.message);
        return *this;
    }

private:
    void set(varve_status code, int reason, const char *line) noexcept
    {
        status = code;
        system_error = reason;
        std::snprintf(message, sizeof message, "%s", line);
    }
};

#ifdef __cpp_exceptions

/* The exception that value_or_throw throws. */
class failure : public std::exception
{
public:
    explicit failure(const varve::error &why) noexcept : why_(why)
    {
    }
    const char *what() const noexcept override
    {
        return why_.message;
    }
    const varve::error &error() const noexcept
    {
        return why_;
    }

private:
    varve::error why_;
};

#endif

/* The result of a call: a T or an error. It converts to true if it has a T. If
 * the call failed, only status() and error() may be called. */
template <class T> class [[nodiscard]] result
{
public:
    result(T value) : value_(std::move(value))
    {
    }
    result(const varve::error &why) noexcept : why_(why)
    {
    }
    explicit operator bool() const noexcept
    {
        return value_.has_value();
    }
    varve_status status() const noexcept
    {
        return why_.status;
    }
    const varve::error &error() const noexcept
    {
        return why_;
    }
    T &operator*() noexcept
    {
        return *value_;
    }
    const T &operator*() const noexcept
    {
        return *value_;
    }
    T *operator->() noexcept
    {
        return &*value_;
    }
    const T *operator->() const noexcept
    {
        return &*value_;
    }
#ifdef __cpp_exceptions
    T value_or_throw()
    {
        if (!value_)
            throw failure(why_);
        return std::move(*value_);
    }
#endif

private:
    varve::error why_;
    std::optional<T> value_;
};

template <> class [[nodiscard]] result<void>
{
public:
    result() noexcept = default;
    result(const varve::error &why) noexcept : why_(why)
    {
    }
    explicit operator bool() const noexcept
    {
        return why_.status == VARVE_OK;
    }
    varve_status status() const noexcept
    {
        return why_.status;
    }
    const varve::error &error() const noexcept
    {
        return why_;
    }
#ifdef __cpp_exceptions
    void value_or_throw() const
    {
        if (why_.status != VARVE_OK)
            throw failure(why_);
    }
#endif

private:
    varve::error why_;
};

namespace detail
{

/* Replaces the hint of a failed resume, the last line, by one for C++. */
inline void use_own_hint(varve::error &why) noexcept
{
    static const char marker[] = "\nhint: map a renamed value ";
    char *last = std::strrchr(why.message, '\n');
    if (why.status != VARVE_UNMATCHED || !last ||
        std::strncmp(last, marker, sizeof marker - 1) != 0)
        return;
    std::snprintf(last,
        sizeof why.message - static_cast<std::size_t>(last - why.message),
        "%s%s", marker,
        "by node::alias, `was` of a field, or `rename` of "
        "varve::read_options; permit a difference by varve::gone, `expect` of "
        "varve::read_options or VARVE_TAG_LATER; "
        "permit all by `allow_partial` of varve::run_options (a manager: do "
        "not set `strict`)");
}

/* Returns `why`, or an error for `status` if the failed call has set none. */
inline varve::error failed(varve::error why, varve_status status)
{
    if (why.status == VARVE_OK)
        return varve::error(status, varve_status_name(status));
    use_own_hint(why);
    return why;
}

/* Calls a C function that returns a status. */
template <class... P, class... A>
result<void> tried(varve_status (*call)(P...), A... arguments)
{
    varve::error why;
    const varve_status status = call(arguments..., &why);
    if (status != VARVE_OK)
        return failed(why, status);
    return result<void>();
}

/* Calls a C function that returns a handle, and returns the object that owns
 * the handle. */
template <class Owner, class H, class... P, class... A>
result<Owner> made(H *(*call)(P...), A... arguments)
{
    varve::error why;
    H *handle = call(arguments..., &why);
    if (!handle)
        return failed(why, VARVE_NO_MEMORY);
    return Owner(handle);
}

template <auto End> struct ends {
    template <class H> void operator()(H *handle) const noexcept
    {
        End(handle);
    }
};

template <class H, auto End> using handle = std::unique_ptr<H, ends<End>>;

/* Calls a function of the program. No exception passes through C code. The
 * function may return void, a bool (false for failure), a varve_status or a
 * varve::result<void>. */
template <class F, class... A>
varve_status called(F &function, A &&...arguments)
{
    using R = std::invoke_result_t<F &, A...>;
    if constexpr (std::is_void_v<R>) {
        function(std::forward<A>(arguments)...);
        return VARVE_OK;
    } else if constexpr (std::is_same_v<R, bool>) {
        return function(std::forward<A>(arguments)...) ? VARVE_OK
                                                       : VARVE_CALLBACK;
    } else if constexpr (std::is_same_v<R, result<void>>) {
        return function(std::forward<A>(arguments)...).status();
    } else {
        static_assert(std::is_same_v<R, varve_status>,
            "a callback must return void, bool, varve_status or "
            "varve::result<void>");
        return function(std::forward<A>(arguments)...);
    }
}

template <class F, class... A>
varve_status guarded(F &function, A &&...arguments) noexcept
{
#ifdef __cpp_exceptions
    try {
        return called(function, std::forward<A>(arguments)...);
    } catch (const std::bad_alloc &) {
        return VARVE_NO_MEMORY;
    } catch (...) {
        return VARVE_CALLBACK;
    }
#else
    return called(function, std::forward<A>(arguments)...);
#endif
}

} /* namespace detail */

} /* namespace varve */

#endif
