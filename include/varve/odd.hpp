/* odd.hpp - types of the standard library that cannot be saved, and what to use
 * in their place.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ODD_HPP
#define VARVE_ODD_HPP

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <varve/keys.hpp>

namespace varve
{

namespace detail
{

/* The types are recognized by their members, because their headers are not
 * included. */
template <class T, class = void> inline constexpr bool has_keys = false;
template <class T>
inline constexpr bool has_keys<T,
    std::void_t<typename T::key_type, decltype(std::declval<T &>().begin())>> =
    true;

template <class T, class = void> inline constexpr bool has_mapped = false;
template <class T>
inline constexpr bool has_mapped<T, std::void_t<typename T::mapped_type>> =
    has_keys<T>;

template <class T, class = void> inline constexpr bool is_weak = false;
template <class T>
inline constexpr bool is_weak<T, std::void_t<typename T::element_type,
                                     decltype(std::declval<T &>().lock())>> =
    true;

template <class T, class = void> inline constexpr bool is_referring = false;
template <class T>
inline constexpr bool is_referring<T,
    std::void_t<typename T::type, decltype(std::declval<T &>().get())>> = true;

template <class T, class = void> inline constexpr bool is_variant = false;
template <class T>
inline constexpr bool is_variant<T,
    std::void_t<decltype(std::declval<T &>().valueless_by_exception())>> = true;

template <class T, class = void> inline constexpr bool has_value_type = false;
template <class T>
inline constexpr bool has_value_type<T, std::void_t<typename T::value_type>> =
    true;

template <class T, class = void> inline constexpr bool is_any = false;
template <class T>
inline constexpr bool
    is_any<T, std::void_t<decltype(std::declval<T &>().has_value()),
                  decltype(std::declval<T &>().reset())>> = !has_value_type<T>;

template <class T> inline constexpr bool is_tuple = false;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class... A> inline constexpr bool is_tuple<std::tuple<A...>> = true;

template <class T, class = void> inline constexpr bool is_bitset = false;
template <class T>
inline constexpr bool
    is_bitset<T, std::void_t<decltype(std::declval<T &>().to_ullong()),
                     decltype(std::declval<T &>().test(0))>> = true;

template <class T, class = void> inline constexpr bool is_time = false;
template <class T>
inline constexpr bool
    is_time<T, std::void_t<typename T::rep, typename T::period>> = true;

template <class T, class = void> inline constexpr bool is_adaptor = false;
template <class T>
inline constexpr bool is_adaptor<T,
    std::void_t<typename T::container_type, decltype(std::declval<T &>().pop()),
        decltype(std::declval<T &>().empty())>> = true;

template <class T, class = void> inline constexpr bool is_path = false;
template <class T>
inline constexpr bool is_path<T, std::void_t<decltype(T::preferred_separator),
                                     decltype(std::declval<T &>().string())>> =
    true;

/* --- Messages ------------------------------------------------------------- */

/* Whether check_odd has a message for T. */
template <class T>
inline constexpr bool is_odd =
    (has_keys<T> && !is_map<T>) || is_weak<T> || is_referring<T> ||
    is_variant<T> || is_any<T> || is_tuple<T> || is_bitset<T> || is_time<T> ||
    is_adaptor<T> || is_path<T> || std::is_same_v<T, long double>;

template <class T> constexpr void check_odd() noexcept
{
    if constexpr (has_mapped<T> && is_by_key<T>)
        static_assert(
            never<T>, "the keys of a map are std::string or integers");
    else if constexpr (has_mapped<T>)
        static_assert(never<T>,
            "several elements may have one key: use a map of std::vector");
    else if constexpr (has_keys<T>)
        static_assert(never<T>,
            "a restoration cannot write into the elements of a set: use a "
            "std::vector of them");
    else if constexpr (is_weak<T>)
        static_assert(never<T>,
            "a std::weak_ptr may point to nothing: add what it points to");
    else if constexpr (is_referring<T>)
        static_assert(
            never<T>, "a reference may change: add what it refers to");
    else if constexpr (is_variant<T>)
        static_assert(never<T>,
            "a std::variant holds one of several types: use a struct with a "
            "member for each, and a number that says which it is");
    else if constexpr (is_any<T>)
        static_assert(
            never<T>, "a std::any may hold any type: add what is in it");
    else if constexpr (is_tuple<T>)
        static_assert(never<T>,
            "a std::pair or std::tuple has no names for its members: use a "
            "struct with varve_fields");
    else if constexpr (is_bitset<T>)
        static_assert(never<T>,
            "the elements of a std::bitset have no addresses: use "
            "std::array<bool, N>");
    else if constexpr (is_time<T>)
        static_assert(never<T>,
            "the unit of a std::chrono type would not be in the file: use a "
            "number, of a unit that its name tells");
    else if constexpr (is_adaptor<T>)
        static_assert(never<T>,
            "a queue or stack does not show its elements: use the container "
            "that it adapts");
    else if constexpr (is_path<T>)
        static_assert(
            never<T>, "a path is no text of one encoding: use std::string");
    else
        static_assert(
            never<T>, "a long double differs between machines: use double");
}

} /* namespace detail */

} /* namespace varve */

#endif
