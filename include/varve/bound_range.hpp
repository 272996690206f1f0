/* bound_range.hpp - Makes and updates the nodes of maps and lists, whose
 * elements are added, removed and moved.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_BOUND_RANGE_HPP
#define VARVE_BOUND_RANGE_HPP

#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/bound.hpp>
#include <varve/bound_columns.hpp>

namespace varve
{

namespace detail
{

/* --- Maps */

template <class T>
struct bound<T, std::enable_if_t<is_map<T> && !has_fields<T>>> : bound_base {
    using key = typename T::key_type;
    using value = typename T::mapped_type;
    T *map = nullptr;
    std::map<key, std::unique_ptr<bound<value>>> each = {};

    varve_node *add(varve_node *parent, const char *name, T &thing)
    {
        varve_node *at = varve_add_dict(parent, name);
        look(at, thing);
        if constexpr (std::is_default_constructible_v<value>)
            varve_set_on_demand(at, make, this);
        return at;
    }
    void look(varve_node *at, T &thing)
    {
        map = &thing;
        for (auto i = each.begin(); i != each.end();) {
            const auto &name = name_of_key(i->first);
            varve_node *child = varve_find(at, name.c_str());
            const bool is_gone = thing.find(i->first) == thing.end();
            if (is_gone && child)
                varve_remove(child);
            i = is_gone ? each.erase(i) : std::next(i);
        }
        for (auto &entry : thing)
            look_at_entry(at, entry.first, entry.second);
    }

private:
    void look_at_entry(varve_node *at, const key &k, value &thing)
    {
        const auto &name = name_of_key(k);
        auto &own = each[k];
        if (own) {
            if (varve_node *child = varve_find(at, name.c_str()))
                own->look(child, thing);
            return;
        }
        own = std::make_unique<bound<value>>();
        own->kept = kept;
        own->grows = grows;
        own->add(at, name.c_str(), thing);
    }
    static void make(void *user, varve_node *at, const varve_offer *offer)
    {
        bound &self = *static_cast<bound *>(user);
        auto make = [&] {
            key k = {};
            if (!find_key(offer->name, k))
                return;
            const bool grew = std::exchange(self.grows, true);
            self.look_at_entry(at, k, (*self.map)[k]);
            self.grows = grew;
        };
        (void)guarded(make);
    }
};

/* --- Lists */

template <class T>
using element_of =
    std::remove_reference_t<decltype(*std::begin(std::declval<T &>()))>;

/* True if emplace_back() without arguments can add an element: the element is
 * default-constructible, and a std::vector can move its elements to larger
 * memory. */
template <class T, class = void> inline constexpr bool grows_by_one = false;
template <class T>
inline constexpr bool grows_by_one<T,
    std::void_t<decltype(std::declval<T &>().emplace_back())>> =
    std::is_default_constructible_v<element_of<T>> &&
    (std::is_move_constructible_v<element_of<T>> || !is_std<T>);

template <class T>
struct bound<T, std::enable_if_t<is_range<T> && !is_viewed<T> &&
                                 !has_fields<T> && !is_map<T> && !is_table<T> &&
                                 !std::is_same_v<T, std::string>>>
    : bound_base {
    using value = element_of<T>;
    T *range = nullptr;
    std::vector<std::unique_ptr<bound<value>>> each = {};

    varve_node *add(varve_node *parent, const char *name, T &thing)
    {
        varve_node *at = varve_add_list(parent, name);
        look(at, thing);
        if constexpr (grows_by_one<T>)
            varve_set_on_demand(at, make, this);
        return at;
    }
    /* Updates the children. If the program itself has added or removed children
     * of the list, this function adds and removes none. */
    void look(varve_node *at, T &thing)
    {
        std::size_t index = 0;
        const bool is_own = varve_edge_count(at) == each.size();
        range = &thing;
        for (auto &element : thing) {
            if (index == each.size()) {
                if (!is_own)
                    return;
                append(at, element);
            } else if (varve_node *child = varve_list_at(at, index)) {
                each[index]->look(child, element);
            }
            index++;
        }
        while (is_own && each.size() > index) {
            varve_remove(varve_list_at(at, each.size() - 1));
            each.pop_back();
        }
    }

private:
    void append(varve_node *at, value &element)
    {
        each.push_back(std::make_unique<bound<value>>());
        each.back()->kept = kept;
        each.back()->grows = grows;
        each.back()->add(at, static_cast<const char *>(nullptr), element);
    }
    static void make(void *user, varve_node *at, const varve_offer *)
    {
        bound &self = *static_cast<bound *>(user);
        if constexpr (grows_by_one<T>) {
            auto make = [&] {
                const bool grew = std::exchange(self.grows, true);
                const void *first = address_of(*self.range);
                self.range->emplace_back();
                if (first == address_of(*self.range) && first)
                    self.append(at, self.range->back());
                else
                    self.look(at, *self.range);
                self.grows = grew;
            };
            (void)guarded(make);
        }
    }
    static const void *address_of(T &thing)
    {
        auto first = std::begin(thing);
        return first == std::end(thing) ? nullptr : std::addressof(*first);
    }
};

/* Returns false if a T must be checked even though it has not moved. */
template <class T> constexpr bool is_still();

template <class S, class M>
constexpr bool is_still_field(const field_of<S, M> *)
{
    return is_still<M>();
}
template <class S, class E, class N>
constexpr bool is_still_field(const pointer_field_of<S, E, N> *)
{
    return false;
}
constexpr bool is_still_field(const gone_field *)
{
    return true;
}
template <class... F> constexpr bool are_still(const std::tuple<F...> *)
{
    return (is_still_field(static_cast<const F *>(nullptr)) && ...);
}
template <class T> constexpr bool is_still()
{
    if constexpr (layout<T>::value || std::is_same_v<T, std::string>)
        return true;
    else if constexpr (is_viewed<T>)
        return !is_moving<T>();
    else if constexpr (has_fields<T>)
        return are_still(static_cast<const decltype(varve_fields(
                static_cast<const T *>(nullptr))) *>(nullptr));
    else
        return false;
}

/* Adds an object that must not move. Its elements may move. */
template <class T>
node add_bound(const node &parent, const char *name, T &thing)
{
    bound<T> *own = parent.keeper()->keep(bound<T>());
    own->kept = parent.keeper();
    const node at = { own->add(parent.get(), name, thing), parent.keeper() };
    if constexpr (!is_still<T>())
        set_refresh(
            at, [own, &thing](varve_node *me) { own->look(me, thing); });
    return at;
}

} /* namespace detail */

} /* namespace varve */

#endif
