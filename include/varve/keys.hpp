/* keys.hpp - Defines which types of maps can be saved, and the names of their
 * keys in a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_KEYS_HPP
#define VARVE_KEYS_HPP

#include <charconv>
#include <cstring>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include <varve/element.hpp>

namespace varve
{

namespace detail
{

/* The types that may be the key of a map. */
template <class K>
inline constexpr bool is_key = std::is_same_v<K, std::string> ||
                               (is_number<K> && std::is_integral_v<K> &&
                                   !std::is_same_v<K, bool>);

/* True if each key occurs once. Multimaps have no operator[]. */
template <class T, class = void> inline constexpr bool is_by_key = false;
template <class T>
inline constexpr bool is_by_key<T,
    std::void_t<typename T::mapped_type,
        decltype(std::declval<T &>()[std::declval<typename T::key_type>()])>> =
    true;

template <class T, class = void> inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<T, std::enable_if_t<is_by_key<T>>> =
    is_key<typename T::key_type>;

/* Returns the name of a key. An integer is written in decimal, as by
 * std::to_string. find_key accepts no other form of an integer. */
inline const std::string &name_of_key(const std::string &key)
{
    return key;
}
template <class K> std::string name_of_key(K key)
{
    return std::to_string(key);
}
inline bool find_key(const char *name, std::string &key)
{
    key = name;
    return true;
}
template <class K> bool find_key(const char *name, K &key)
{
    const char *end = name + std::strlen(name);
    const auto read = std::from_chars(name, end, key);
    return read.ec == std::errc() && read.ptr == end &&
           name_of_key(key) == name;
}

} /* namespace detail */

} /* namespace varve */

#endif
