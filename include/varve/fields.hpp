/* fields.hpp - Defines the fields of a struct, and checks which types can be
 * added.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_FIELDS_HPP
#define VARVE_FIELDS_HPP

#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <varve/field_list.h>
#include <varve/tensor.hpp>

namespace varve
{

/* --- Structs ------------------------------------------------------------ */

/* A member of a struct and the name of its edge. */
template <class S, class M> struct field_of {
    const char *name;
    M S::*member;
    const char *older = nullptr;
    const char *label = nullptr;

    /* Sets the name that the field has in older files. */
    constexpr field_of was(const char *older_name) const
    {
        return { name, member, older_name, label };
    }
    /* Sets a tag, such as VARVE_TAG_LATER: older files may lack the field,
     * which then keeps its default. */
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

/* An array behind a pointer, the member that is its number of elements, and the
 * name of its edge. */
template <class S, class E, class N> struct pointer_field_of {
    const char *name;
    E *S::*member;
    N S::*count;
    const char *older = nullptr;
    const char *label = nullptr;

    constexpr pointer_field_of was(const char *older_name) const
    {
        return { name, member, count, older_name, label };
    }
    constexpr pointer_field_of tagged(const char *tag) const
    {
        return { name, member, count, older, tag };
    }
};

/* field("mean", &adam::mean, &adam::count) is VARVE_FIELD_POINTER of C
 * (struct.h). Each save and restoration reads the pointer and the count again.
 * It fails if the count is negative, or if the pointer is NULL and the count is
 * not 0. If the count is a field too, it is fixed, so that no file can make it
 * larger than the array. */
template <class S, class E, class N>
constexpr pointer_field_of<S, E, N> field(
    const char *name, E *S::*member, N S::*count)
{
    return { name, member, count };
}

/* VARVE_FIELDS(adam, step, rate, mean) lists 1 to 32 fields for varve::fields.
 * Each has the name of its member. */
#define VARVE_FIELDS(type, ...) VARVE_EACH_(VARVE_FIELD_OF_, type, __VA_ARGS__)
#define VARVE_FIELD_OF_(type, member) ::varve::field(#member, &type::member)

/* The name of a field that only older files have. */
struct gone_field {
    const char *name;
};

constexpr gone_field gone(const char *name)
{
    return { name };
}

/* Returns the fields of a struct. Define varve_fields in the namespace of the
 * struct:
 *
 *     struct adam {
 *         std::int64_t step;
 *         std::vector<float> mean;
 *     };
 *     constexpr auto varve_fields(const adam *)
 *     {
 *         return varve::fields(varve::field("step", &adam::step),
 *             varve::field("mean", &adam::mean).was("m"));
 *     }
 *
 * A friend function inside the struct can list private members too. The struct
 * becomes an object, and its fields become edges. A field has any type that
 * node::add accepts, including structs and containers of structs. */
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

/* Overload resolution selects this function if a struct has no varve_fields of
 * its own but those of its base. It takes the struct itself instead of the
 * base. (The other declarations make it the last choice if the program has a
 * template.) */
namespace inherited
{
struct none {
};
template <class T, class... Rest> none varve_fields(const T *, Rest...);
template <class T>
using found = decltype(varve_fields(static_cast<const T *>(nullptr)));
} /* namespace inherited */

template <class T>
inline constexpr bool inherits_fields =
    std::is_same_v<inherited::found<T>, inherited::none>;

/* --- Types that can be added --------------------------------------------- */

/* Returns true if a T can be added. Otherwise a static_assert names the part of
 * it that cannot be added, in one error. `Seen` lists the types that contain
 * it. */
template <class T, class... Seen> constexpr bool check_addable();

template <class Seen, class F> struct check_field;
template <class... Seen, class S, class M>
struct check_field<std::tuple<Seen...>, field_of<S, M>> {
    static constexpr bool is_good()
    {
        return check_addable<M, Seen...>();
    }
};
template <class Seen, class S, class E, class N>
struct check_field<Seen, pointer_field_of<S, E, N>> {
    static constexpr bool is_good()
    {
        constexpr bool points = layout<E>::value;
        constexpr bool counts =
            std::is_integral_v<N> && !std::is_same_v<N, bool>;
        static_assert(points,
            "unsupported pointer field: it must point to numbers or to "
            "arrays of numbers");
        static_assert(counts,
            "unsupported count of a pointer field: it must be an "
            "integer");
        return points && counts;
    }
};
template <class Seen> struct check_field<Seen, gone_field> {
    static constexpr bool is_good()
    {
        return true;
    }
};

template <class Seen, class... F>
constexpr bool check_fields(const std::tuple<F...> *)
{
    return (check_field<Seen, F>::is_good() && ...);
}

template <class T, class... Seen> constexpr bool check_addable()
{
    if constexpr (is_one_of<T, Seen..., std::string>) {
        return true;
    } else if constexpr (!is_given<T &>) {
        check_given<T &>();
        return false;
    } else if constexpr (is_viewed<T>) {
        return true;
    } else if constexpr (has_fields<T>) {
        static_assert(!inherits_fields<T>,
            "this struct has only the varve_fields of its base, which omit "
            "its own members: define varve_fields for it");
        using fields = decltype(varve_fields(static_cast<const T *>(nullptr)));
        if constexpr (inherits_fields<T>)
            return false;
        else
            return check_fields<std::tuple<Seen..., T>>(
                static_cast<const fields *>(nullptr));
    } else if constexpr (is_odd<T>) {
        check_odd<T>();
        return false;
    } else if constexpr (is_map<T>) {
        return check_addable<typename T::mapped_type, Seen..., T>();
    } else if constexpr (is_range<T> && !is_bits<T> && !is_uncertain<T>) {
        using element = decltype(*std::begin(std::declval<T &>()));
        static_assert(std::is_lvalue_reference_v<element>,
            "the iterators of this range return temporary elements: add the "
            "data that they are made from");
        if constexpr (std::is_lvalue_reference_v<element>)
            return check_addable<std::remove_reference_t<element>, Seen...,
                T>();
        else
            return false;
    } else {
        if constexpr (check_viewable<T>())
            static_assert(never<T>,
                "unsupported type: it must be a number, a std::string, a "
                "struct with varve_fields, or a range of these; define "
                "varve_fields for your own class, and save a class of "
                "another library, such as std::mt19937_64, with add_state");
        return false;
    }
}

} /* namespace detail */

} /* namespace varve */

#endif
