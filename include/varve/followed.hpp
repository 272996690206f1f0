/* followed.hpp - Updates the views of containers that move or grow
 * (varve_set_refresh). Each save, restoration, dry run and snapshot does this
 * first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_FOLLOWED_HPP
#define VARVE_FOLLOWED_HPP

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/node.hpp>
#include <varve/refresh.h>
#include <varve/resizing.h>

namespace varve
{

namespace detail
{

/* --- Views --------------------------------------------------------------- */

/* True for parts of other objects, such as blocks and maps of Eigen. They
 * cannot be found again after the other object has moved. */
template <class T, class = void> inline constexpr bool is_part = false;
template <class T>
inline constexpr bool is_part<T, std::void_t<typename T::PlainObject>> =
    !std::is_same_v<std::remove_cv_t<T>, typename T::PlainObject>;

/* True if the elements can move, or their number can change, while the object
 * itself stays at its address. */
template <class T> constexpr bool is_moving()
{
    if constexpr (is_view<T> || is_part<T>)
        return false;
    else
        return is_viewed<T> && !layout<T>::value;
}

inline bool is_same_view(const varve_tensor &a, const varve_tensor &b) noexcept
{
    bool same = a.data == b.data && a.rank == b.rank &&
                !a.memory == !b.memory && a.rank <= VARVE_MAX_RANK;
    for (std::uint32_t i = 0; same && i < a.rank; i++)
        same = a.shape[i] == b.shape[i] &&
               (!a.memory || (a.memory->strides && b.memory->strides &&
                                 a.memory->strides[i] == b.memory->strides[i]));
    return same;
}

/* Rebinds the node unless the program has bound it to other memory. */
inline void look_at_view(varve_node *at, const varve_tensor &view) noexcept
{
    const varve_tensor *was = varve_value(at);
    if (was && was->dtype == view.dtype && !is_same_view(*was, view))
        varve_rebind(at, view);
}

template <class F> varve_status refresh_by(void *user, varve_node *at)
{
    return guarded(*static_cast<F *>(user), at);
}

template <class F> void set_refresh(const node &at, F &&look)
{
    if (at)
        varve_set_refresh(at.get(), refresh_by<std::decay_t<F>>,
            at.keeper()->keep(std::forward<F>(look)));
}

/* Adds a variable for a container, with an optional shape. */
template <class T, class... S>
node follow(const node &at, T &value, const S &...s)
{
    if constexpr (is_moving<T>())
        set_refresh(at, [&value, s...](varve_node *me) {
            look_at_view(me, view_of(value, s...));
        });
    return at;
}

/* --- Memory for restored values ------------------------------------------ */

/* Returns a container of `count` elements with the allocator of `one`, so that
 * both can be swapped. */
template <class V, class = void>
inline constexpr bool is_made_with_allocator = false;
template <class V>
inline constexpr bool is_made_with_allocator<V,
    std::void_t<decltype(V(
        std::size_t(), std::declval<const V &>().get_allocator()))>> = true;

template <class V> V made_like(const V &one, std::size_t count)
{
    if constexpr (is_made_with_allocator<V>)
        return V(count, one.get_allocator());
    else
        return V(count);
}

/* A vector, and the vectors that a restoration fills before they replace it.
 * Moving a vector does not move its elements. */
template <class V> struct rooms {
    V *vector;
    std::vector<V> made = {};

    static varve_status make(
        void *user, varve_node *, const varve_tensor *coming, void **room)
    {
        rooms &self = *static_cast<rooms *>(user);
        auto make = [&] {
            V fresh = made_like(
                *self.vector, static_cast<std::size_t>(
                                  coming->rank > 0 ? coming->shape[0] : 0));
            if (!has_shape(view_of(fresh), *coming))
                return false;
            self.made.push_back(std::move(fresh));
            *room = self.made.back().data();
            return true;
        };
        return guarded(make);
    }

    static void settle(void *user, varve_node *, void *room, bool is_taken)
    {
        rooms &self = *static_cast<rooms *>(user);
        for (std::size_t i = 0; i < self.made.size(); i++)
            if (self.made[i].data() == room) {
                if (is_taken)
                    std::swap(*self.vector, self.made[i]);
                std::swap(self.made[i], self.made.back());
                self.made.pop_back();
                return;
            }
    }

    static bool has_shape(const varve_tensor &one, const varve_tensor &other)
    {
        bool same = one.rank == other.rank;
        for (std::uint32_t i = 0; same && i < one.rank; i++)
            same = one.shape[i] == other.shape[i];
        return same;
    }
};

template <class V>
inline constexpr bool is_resizable =
    is_contiguous<V> && !is_matrix<V> && !is_valarray<V> &&
    std::is_constructible_v<V, std::size_t>;

} /* namespace detail */

} /* namespace varve */

#endif
