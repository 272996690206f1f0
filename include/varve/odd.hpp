/* odd.hpp - Rejects types of the standard library that cannot be saved, with
 * messages that name an alternative.
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

/* True if check_odd has a message for T. */
template <class T>
inline constexpr bool is_odd =
    (has_keys<T> && !is_map<T>) || is_weak<T> || is_referring<T> ||
    is_variant<T> || is_any<T> || is_tuple<T> || is_bitset<T> || is_time<T> ||
    is_adaptor<T> || is_path<T> || std::is_same_v<T, long double>;

template <class T> constexpr void check_odd() noexcept
{
    if constexpr (has_mapped<T> && is_by_key<T>)
        static_assert(never<T>,
            "unsupported key type of a map: use std::string or an "
            "integer");
    else if constexpr (has_mapped<T>)
        static_assert(never<T>,
            "a multimap may have several elements with the same key: use a "
            "map of std::vector");
    else if constexpr (has_keys<T>)
        static_assert(never<T>,
            "the elements of a set are const and cannot be restored: use a "
            "std::vector");
    else if constexpr (is_weak<T>)
        static_assert(never<T>,
            "a std::weak_ptr may be empty: add the object that it points to");
    else if constexpr (is_referring<T>)
        static_assert(never<T>,
            "a std::reference_wrapper may be rebound: add the object "
            "that it refers to");
    else if constexpr (is_variant<T>)
        static_assert(never<T>,
            "a std::variant holds one of several types: use a struct with a "
            "member for each type and a number that selects one of them");
    else if constexpr (is_any<T>)
        static_assert(never<T>,
            "a std::any may hold any type: add the object that it "
            "contains");
    else if constexpr (is_tuple<T>)
        static_assert(never<T>,
            "the members of a std::pair or std::tuple have no names: use a "
            "struct with varve_fields");
    else if constexpr (is_bitset<T>)
        static_assert(never<T>,
            "the elements of a std::bitset have no addresses: use "
            "std::array<bool, N>");
    else if constexpr (is_time<T>)
        static_assert(never<T>,
            "the unit of a std::chrono type is not saved: use a number "
            "whose name includes the unit");
    else if constexpr (is_adaptor<T>)
        static_assert(never<T>,
            "a queue or stack gives no access to its elements: use the "
            "container that it adapts");
    else if constexpr (is_path<T>)
        static_assert(never<T>,
            "the encoding of a std::filesystem::path depends on the "
            "system: use std::string");
    else
        static_assert(never<T>,
            "the format of long double differs between machines: use "
            "double");
}

} /* namespace detail */

} /* namespace varve */

#endif
