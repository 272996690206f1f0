/* bound.hpp - Keeps the node of a number, string or struct up to date with the
 * object, which may move in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_BOUND_HPP
#define VARVE_BOUND_HPP

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <varve/fields.hpp>
#include <varve/followed.hpp>

namespace varve
{

namespace detail
{

/* --- Objects and their nodes --------------------------------------------- */

/* The data that belongs to the node of a T. `add` makes the node. `look`
 * updates the node if the object has moved. `grows` is set if the object was
 * created for a saved value. A restoration then resizes the object to the
 * length in the file. */
template <class T, class = void> struct bound;

struct bound_base {
    keeper *kept = nullptr;
    bool grows = false;
};

/* Numbers, and containers of them. */
template <class T>
struct bound<T, std::enable_if_t<is_viewed<T>>> : bound_base {
    std::shared_ptr<void> room = {};

    varve_node *add(varve_node *parent, const char *name, T &thing)
    {
        varve_node *at = varve_add_variable(parent, name, view_of(thing));
        if constexpr (is_resizable<T>)
            if (grows) {
                const varve_resizing calls = { rooms<T>::make,
                    rooms<T>::settle };
                auto own = std::make_shared<rooms<T>>();
                own->vector = &thing;
                varve_set_resizing(at, &calls, own.get());
                room = own;
            }
        return at;
    }
    void look(varve_node *at, T &thing)
    {
        if constexpr (is_resizable<T>)
            if (room)
                static_cast<rooms<T> *>(room.get())->vector = &thing;
        look_at_view(at, view_of(thing));
    }
};

/* A std::string is a state: a save copies its bytes, and a restoration assigns
 * bytes of any length. */
template <> struct bound<std::string> : bound_base {
    std::string *text = nullptr;

    static varve_status put(void *self, varve_sink *to)
    {
        const std::string &s = *static_cast<bound *>(self)->text;
        varve_put(to, s.data(), s.size());
        return VARVE_OK;
    }
    static varve_status take(void *self, const void *bytes, std::size_t size)
    {
        auto take = [&] {
            static_cast<bound *>(self)->text->assign(
                static_cast<const char *>(bytes), size);
        };
        return guarded(take);
    }
    varve_node *add(varve_node *parent, const char *name, std::string &thing)
    {
        const varve_state_callbacks callbacks = { put, take };
        text = &thing;
        return varve_add_state(parent, name, &callbacks, this);
    }
    void look(varve_node *, std::string &thing)
    {
        text = &thing;
    }
};

/* --- Structs */

template <class F> struct bound_field;

template <class S, class M> struct bound_field<field_of<S, M>> {
    bound<M> inside = {};

    template <class T>
    void add(
        bound_base &of, varve_node *object, const field_of<S, M> &f, T &thing)
    {
        inside.kept = of.kept;
        inside.grows = of.grows;
        varve_node *child = inside.add(object, f.name, thing.*f.member);
        if (f.label)
            varve_tag(child, f.label);
        if (f.older)
            varve_alias(child, f.older);
    }
    template <class T>
    void look(varve_node *object, const field_of<S, M> &f, T &thing)
    {
        if (varve_node *child = varve_find(object, f.name))
            inside.look(child, thing.*f.member);
    }
};

template <class S, class E, class N>
struct bound_field<pointer_field_of<S, E, N>> {
    using field = pointer_field_of<S, E, N>;

    /* A negative count becomes an extent that is too large and is rejected. */
    template <class T> static varve_tensor view(const field &f, T &thing)
    {
        shape s(static_cast<std::uint64_t>(thing.*f.count));
        layout<E>::append_to(s);
        return varve_view(
            thing.*f.member, element<typename layout<E>::type>::dtype, s);
    }
    template <class T>
    void add(bound_base &, varve_node *object, const field &f, T &thing)
    {
        varve_node *child = varve_add_variable(object, f.name, view(f, thing));
        if (f.label)
            varve_tag(child, f.label);
        if (f.older)
            varve_alias(child, f.older);
    }
    template <class T> void look(varve_node *object, const field &f, T &thing)
    {
        if (varve_node *child = varve_find(object, f.name))
            look_at_view(child, view(f, thing));
    }
};

/* If a member is the count of an array, tags its node as fixed. */
template <class F, class G>
void fix_if_counts(varve_node *, const F &, const G &)
{
}
template <class S, class E, class N>
void fix_if_counts(varve_node *object, const pointer_field_of<S, E, N> &f,
    const field_of<S, N> &other)
{
    if (other.member == f.count)
        if (varve_node *child = varve_find(object, other.name))
            varve_tag(child, VARVE_TAG_FIXED);
}

template <> struct bound_field<gone_field> {
    template <class T>
    void add(bound_base &, varve_node *object, const gone_field &f, T &)
    {
        varve_retire(object, f.name);
    }
    template <class T> void look(varve_node *, const gone_field &, T &)
    {
    }
};

template <class Tuple> struct bound_fields;
template <class... F> struct bound_fields<std::tuple<F...>> {
    std::tuple<bound_field<F>...> each = {};

    template <class T, std::size_t... I>
    void add(bound_base &of, varve_node *object, const std::tuple<F...> &fields,
        T &thing, std::index_sequence<I...>)
    {
        (std::get<I>(each).add(of, object, std::get<I>(fields), thing), ...);
        fix_counts(object, fields);
    }
    template <class T, std::size_t... I>
    void look(varve_node *object, const std::tuple<F...> &fields, T &thing,
        std::index_sequence<I...>)
    {
        (std::get<I>(each).look(object, std::get<I>(fields), thing), ...);
        fix_counts(object, fields);
    }

private:
    static void fix_counts(varve_node *object, const std::tuple<F...> &fields)
    {
        auto fix_count_of = [&](const auto &f) {
            auto fix = [&](const auto &...other) {
                (fix_if_counts(object, f, other), ...);
            };
            std::apply(fix, fields);
        };
        auto fix_all = [&](const auto &...f) { (fix_count_of(f), ...); };
        std::apply(fix_all, fields);
    }
};

template <class T>
struct bound<T, std::enable_if_t<has_fields<T> && !is_viewed<T> &&
                                 !std::is_same_v<T, std::string>>>
    : bound_base {
    using fields = decltype(varve_fields(static_cast<const T *>(nullptr)));
    using all = std::make_index_sequence<std::tuple_size_v<fields>>;
    bound_fields<fields> inside = {};

    varve_node *add(varve_node *parent, const char *name, T &thing)
    {
        varve_node *at = varve_add_object(parent, name);
        inside.add(*this, at, varve_fields(static_cast<const T *>(nullptr)),
            thing, all());
        return at;
    }
    void look(varve_node *at, T &thing)
    {
        inside.look(
            at, varve_fields(static_cast<const T *>(nullptr)), thing, all());
    }
};

} /* namespace detail */

} /* namespace varve */

#endif
