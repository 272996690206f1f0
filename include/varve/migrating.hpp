/* migrating.hpp - Saves structs that move between processes, in C++. The
 * comments in migrating.h apply to the calls of the same name.
 *
 *     root.add_migrating("atoms", comm, atoms,
 *         [&](const atom &a) { return grid.rank_of(a.position); });
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MIGRATING_HPP
#define VARVE_MIGRATING_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/flat.hpp>
#include <varve/error.hpp>
#include <varve/fields.hpp>
#include <varve/keeper.hpp>
#include <varve/migrating.h>
#include <varve/node.hpp>
#include <varve/collective.hpp>

namespace varve
{

namespace detail
{

/* --- Fields --------------------------------------------------------------- */

/* Returns the field of a C table that corresponds to a C++ field. C tables
 * support only the tags VARVE_TAG_LATER and VARVE_TAG_FIXED, and up to three
 * dimensions. Other fields get a kind that varve_add_migrating rejects. */
template <class One, class S, class M>
varve_field field_of_table(const field_of<S, M> &f, One &one)
{
    varve_field made = {};
    shape s;
    layout<M>::append_to(s);
    made.kind = VARVE_FIELD_IS_VALUE;
    made.name = f.name;
    made.older_names = f.older;
    made.is_later = f.label && std::strcmp(f.label, VARVE_TAG_LATER) == 0;
    made.is_fixed = f.label && std::strcmp(f.label, VARVE_TAG_FIXED) == 0;
    const bool is_labelled = f.label && !made.is_later && !made.is_fixed;
    if (is_labelled || s.rank > std::size(made.extents))
        made.kind = VARVE_FIELD_IS_TEXT;
    made.offset = static_cast<std::size_t>(
        reinterpret_cast<const char *>(std::addressof(one.*f.member)) -
        reinterpret_cast<const char *>(std::addressof(one)));
    made.size = sizeof(M);
    made.struct_size = sizeof(One);
    made.dtype = element<typename layout<M>::type>::dtype;
    made.element_size = varve_dtype_size(made.dtype);
    made.rank = s.rank;
    for (std::uint32_t i = 0; i < s.rank && i < std::size(made.extents); i++)
        made.extents[i].at = static_cast<std::size_t>(s.extents[i]);
    return made;
}
template <class One> varve_field field_of_table(const gone_field &f, One &)
{
    varve_field made = {};
    made.kind = VARVE_FIELD_IS_GONE;
    made.name = f.name;
    return made;
}

/* --- Migrating structs ---------------------------------------------------- */

template <class C, class Owner> struct migrants {
    using one = typename C::value_type;
    C *things;
    Owner owner;
    std::vector<varve_field> fields = {};

    varve_migrating table()
    {
        one example{};
        auto add = [&](const auto &...f) {
            (fields.push_back(field_of_table(f, example)), ...);
        };
        std::apply(add, varve_fields(static_cast<const one *>(nullptr)));
        fields.emplace_back();
        varve_migrating made = {};
        made.fields = fields.data();
        made.size = sizeof(one);
        made.count = count;
        made.get = get;
        made.clear = clear;
        if constexpr (!std::is_same_v<Owner, std::nullptr_t>)
            made.owner = owner_of;
        made.put = put;
        made.user = this;
        return made;
    }

private:
    static migrants &of(void *user) noexcept
    {
        return *static_cast<migrants *>(user);
    }
    /* Copies only the fields. The struct may have other members. */
    void copy(void *to, const void *from) const noexcept
    {
        for (const varve_field &f : fields)
            if (f.size > 0)
                std::memcpy(static_cast<char *>(to) + f.offset,
                    static_cast<const char *>(from) + f.offset, f.size);
    }
    static std::size_t count(void *user) noexcept
    {
        return of(user).things->size();
    }
    static void get(void *user, void *structs) noexcept
    {
        auto *to = static_cast<char *>(structs);
        for (const one &thing : *of(user).things) {
            of(user).copy(to, std::addressof(thing));
            to += sizeof(one);
        }
    }
    static void clear(void *user) noexcept
    {
        of(user).things->clear();
    }
    /* Returns UINT32_MAX, which is not a valid rank, if the function throws. */
    static std::uint32_t owner_of(void *user, const void *bytes) noexcept
    {
        std::uint32_t rank = UINT32_MAX;
        auto ask = [&] {
            one thing{};
            of(user).copy(std::addressof(thing), bytes);
            rank = static_cast<std::uint32_t>(
                of(user).owner(static_cast<const one &>(thing)));
        };
        return guarded(ask) == VARVE_OK ? rank : UINT32_MAX;
    }
    static varve_status put(void *user, const void *bytes) noexcept
    {
        auto put = [&] {
            one thing{};
            of(user).copy(std::addressof(thing), bytes);
            of(user).things->push_back(std::move(thing));
        };
        return guarded(put);
    }
};

template <class F> inline constexpr bool may_field_migrate = false;
template <class S, class M>
inline constexpr bool may_field_migrate<field_of<S, M>> = has_numbers<M>();
template <> inline constexpr bool may_field_migrate<gone_field> = true;

template <class... F> constexpr bool may_all_migrate(const std::tuple<F...> *)
{
    return (may_field_migrate<F> && ...);
}

template <class T> constexpr bool check_migrating()
{
    static_assert(has_fields<T>,
        "add_migrating takes a container of structs with varve_fields");
    if constexpr (has_fields<T>) {
        constexpr bool may =
            may_all_migrate(static_cast<const decltype(varve_fields(
                    static_cast<const T *>(nullptr))) *>(nullptr));
        static_assert(may,
            "unsupported field of a migrating struct: it must be a number, "
            "or an array of numbers in the struct");
        static_assert(std::is_default_constructible_v<T>,
            "a migrating struct must be default-constructible");
        return may && std::is_default_constructible_v<T>;
    }
    return false;
}

} /* namespace detail */

template <class C, class Owner>
node node::add_migrating(
    text name, const comm &all, C &things, Owner &&owner) const
{
    using one = typename C::value_type;
    using kept = detail::migrants<C, std::decay_t<Owner>>;
    if constexpr (detail::check_migrating<one>()) {
        kept *own =
            keeper_->keep(kept{ &things, std::forward<Owner>(owner), {} });
        const varve_migrating table = own->table();
        return of(varve_add_migrating(node_, name.get(), all.get(), &table));
    }
    return {};
}

template <class C>
node node::add_migrating(text name, const comm &all, C &things) const
{
    return add_migrating(name, all, things, nullptr);
}

} /* namespace varve */

#endif
