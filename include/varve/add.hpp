/* add.hpp - what a node may be given, and what becomes of it: the body of
 * varve::node::add.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ADD_HPP
#define VARVE_ADD_HPP

#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>

#include <varve/node.hpp>

namespace varve
{

/* --- Structs ------------------------------------------------------------ */

/* A member of a struct, and the name of its edge. */
template <class S, class M> struct field_of {
    const char *name;
    M S::*member;
    const char *older = nullptr;
    const char *label = nullptr;

    /* The name that older files have for it. */
    constexpr field_of was(const char *older_name) const
    {
        return { name, member, older_name, label };
    }
    /* Such as VARVE_TAG_LATER: older files lack it, it keeps its default. */
    constexpr field_of tagged(const char *tag) const
    {
        return { name, member, older, tag };
    }
};

template <class S, class M>
constexpr field_of<S, M> field(const char *name, M S::*member)
{
    return { name, member };
}

/* The name of a field that only older files have. */
struct gone_field {
    const char *name;
};

constexpr gone_field gone(const char *name)
{
    return { name };
}

/* The fields of a struct, given by a function that is found beside it:
 *     struct adam {
 *         std::int64_t step;
 *         std::vector<float> mean;
 *     };
 *     constexpr auto varve_fields(const adam *)
 *     {
 *         return varve::fields(varve::field("step", &adam::step),
 *             varve::field("mean", &adam::mean).was("m"));
 *     }
 * As a friend inside the struct it reaches private members too. A struct is an
 * object then, its fields are the edges, whatever node::add takes; also of
 * structs in structs, and in lists. */
template <class... F> constexpr std::tuple<F...> fields(F... each)
{
    return { each... };
}

namespace detail
{

template <class T, class = void> inline constexpr bool has_fields = false;
template <class T>
inline constexpr bool has_fields<T,
    std::void_t<decltype(varve_fields(static_cast<const T *>(nullptr)))>> =
    true;

template <class T, class = void> inline constexpr bool is_range = false;
template <class T>
inline constexpr bool
    is_range<T, std::void_t<decltype(*std::begin(std::declval<T &>())),
                    decltype(std::end(std::declval<T &>()))>> = true;

template <class T, class = void> inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<T, std::void_t<typename T::mapped_type>> =
    std::is_same_v<typename T::key_type, std::string>;

/* A std::string is a state: its bytes are taken when they are saved, and given
 * back whatever their number. */
inline varve_status put_string(void *self, varve_sink *to)
{
    const std::string &s = *static_cast<const std::string *>(self);
    varve_put(to, s.data(), s.size());
    return VARVE_OK;
}

inline varve_status take_string(void *self, const void *bytes, std::size_t size)
{
    auto take = [&] {
        static_cast<std::string *>(self)->assign(
            static_cast<const char *>(bytes), size);
    };
    return guarded(take);
}

inline node add_string(const node &parent, const char *name, std::string &s)
{
    const varve_state_callbacks callbacks = { put_string, take_string };
    return { varve_add_state(parent.get(), name, &callbacks, &s),
        parent.keeper() };
}

template <class S, class M, class T>
void add_field(const node &object, const field_of<S, M> &f, T &value)
{
    const node child = object.add(f.name, value.*f.member);
    if (f.label)
        child.tag(f.label);
    if (f.older)
        child.alias(f.older);
}

template <class T> void add_field(const node &object, const gone_field &f, T &)
{
    object.retire(f.name);
}

template <class T> node add_struct(const node &parent, const char *name, T &s)
{
    const node object = parent.add_object(name);
    std::apply([&](const auto &...each) { (add_field(object, each, s), ...); },
        varve_fields(static_cast<const T *>(nullptr)));
    return object;
}

template <class T> node add_map(const node &parent, const char *name, T &map)
{
    const node dict = parent.add_dict(name);
    for (auto &entry : map)
        dict.add(entry.first, entry.second);
    return dict;
}

template <class T>
node add_range(const node &parent, const char *name, T &range)
{
    const node list = parent.add_list(name);
    for (auto &&each : range)
        list.append(each);
    return list;
}

} /* namespace detail */

template <class T> node node::add(text name, T &&value) const
{
    using V = std::remove_reference_t<T>;
    if constexpr (std::is_base_of_v<varve_tensor, V>) {
        return of(varve_add_variable(node_, name.get(), value));
    } else if constexpr (!detail::is_given<T>) {
        detail::check_given<T>();
        return {};
    } else if constexpr (std::is_same_v<V, std::string>) {
        return detail::add_string(*this, name.get(), value);
    } else if constexpr (detail::is_viewed<V>) {
        return of(varve_add_variable(node_, name.get(), view_of(value)));
    } else if constexpr (detail::has_fields<V>) {
        return detail::add_struct(*this, name.get(), value);
    } else if constexpr (detail::is_map<V>) {
        return detail::add_map(*this, name.get(), value);
    } else if constexpr (detail::is_range<V> && !detail::is_bits<V> &&
                         !detail::is_uncertain<V>) {
        return detail::add_range(*this, name.get(), value);
    } else {
        if constexpr (detail::check_viewable<V>())
            static_assert(detail::never<T>,
                "neither numbers, nor a std::string, nor a struct with "
                "varve_fields, nor a range of these");
        return {};
    }
}

template <class T>
node node::add_slot(const node &variable, text name, T &&value) const
{
    using V = std::remove_reference_t<T>;
    if constexpr (std::is_base_of_v<varve_tensor, V>)
        return of(varve_add_slot(node_, variable.node_, name.get(), value));
    else
        return of(varve_add_slot(node_, variable.node_, name.get(),
            detail::view_of_given(std::forward<T>(value))));
}

namespace detail
{

/* A shape that nothing fits, where a slice starts in other dimensions. */
inline varve_shape same_rank(varve_shape whole, const shape &start) noexcept
{
    if (start.rank != whole.rank)
        whole.rank = VARVE_MAX_RANK + 1;
    return whole;
}

} /* namespace detail */

template <class T>
node node::add_slice(
    text name, T &&value, const shape &whole, const shape &start) const
{
    const auto view = detail::view_of_given(std::forward<T>(value));
    return of(varve_add_slice(node_, name.get(), view,
        detail::same_rank(whole, start), start.extents));
}

} /* namespace varve */

#endif
