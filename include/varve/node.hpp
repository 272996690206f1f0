/* node.hpp - Adds values to a graph in C++. A varve::node is a pointer that is
 * passed by value and is valid as long as its graph exists. The comments in
 * graph.h, variable.h and collection.h apply to the calls of the same name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_NODE_HPP
#define VARVE_NODE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

#include <varve/collection.h>
#include <varve/error.hpp>
#include <varve/graph.h>
#include <varve/keeper.hpp>
#include <varve/output.h>
#include <varve/random.h>
#include <varve/refresh.h>
#include <varve/slice.h>
#include <varve/tensor.hpp>
#include <varve/variable.h>

namespace varve
{

class comm;
class edges;
class node;
class records;
struct rank_local_options;

namespace detail
{

/* Updates the view of a container at each save and restoration
 * (followed.hpp). */
template <class T, class... S>
node follow(const node &at, T &value, const S &...s);

} /* namespace detail */

/* Selects nodes that match all members that are set. If all are zero, every
 * node is selected. */
struct select : varve_select {
    select() noexcept : varve_select()
    {
    }
};

class node
{
public:
    node() noexcept = default;
    node(varve_node *c, detail::keeper *keeper) noexcept
        : node_(c), keeper_(keeper)
    {
    }
    /* The pointer for calls of the C interface. */
    varve_node *get() const noexcept
    {
        return node_;
    }
    detail::keeper *keeper() const noexcept
    {
        return keeper_;
    }
    /* False if find() found no node, or if the node could not be added. */
    explicit operator bool() const noexcept
    {
        return kind() != VARVE_NIL;
    }
    bool operator==(const node &other) const noexcept
    {
        return node_ == other.node_;
    }
    bool operator!=(const node &other) const noexcept
    {
        return node_ != other.node_;
    }

    /* --- Adding (add.hpp) --- */

    /* Adds an object of the program:
     *
     * - a variable for a number, and for all types that view_of accepts;
     * - a state for a std::string;
     * - an object for a struct with varve_fields (fields.hpp);
     * - a dict for a map with keys of std::string or integers;
     * - a list for any other range of such types.
     *
     * The object must stay at its address as long as the node is in the graph.
     * The elements of a container may move, and their number may change: each
     * call that saves or restores values, makes a dry run or takes a snapshot
     * first updates the nodes (varve_set_refresh). If the file has elements
     * that a list or map lacks, a restoration adds them. */
    template <class T> node add(text name, T &&value) const;
    /* Adds the values in a different shape, for containers that have one
     * dimension. */
    template <class T> node add(text name, T &&value, const shape &s) const
    {
        return followed<T>(
            add(name, detail::view_of_given(std::forward<T>(value), s)), value,
            s);
    }
    /* Adds values that must equal those of a file when they are restored, and
     * must not change between saves (varve_add_fixed_variable). */
    template <class T> node add_fixed(text name, T &value) const
    {
        return followed<T &>(
            of(varve_add_fixed_variable(node_, name.get(), view_of(value))),
            value);
    }
    node add_fixed(text name, const varve_tensor &view) const
    {
        return of(varve_add_fixed_variable(node_, name.get(), view));
    }
    /* Adds a std::vector that a restoration resizes to the length in the
     * file. */
    template <class V> node add_resizable(text name, V &vector) const;
    /* Adds a part of a sharded value of shape `whole`. The part begins at the
     * indices `start` (slice.h). */
    template <class T>
    node add_slice(
        text name, T &&value, const shape &whole, const shape &start) const;
    /* The place of the part in the sharded value; NULL if the node is not such
     * a part. */
    const varve_slice *slice() const noexcept
    {
        return varve_slice_of(node_);
    }
    /* Adds an element at the end of a list. */
    template <class T> node append(T &&value) const
    {
        return add(text(nullptr), std::forward<T>(value));
    }
    node add_object(text name) const
    {
        return of(varve_add_object(node_, name.get()));
    }
    node add_list(text name) const
    {
        return of(varve_add_list(node_, name.get()));
    }
    node add_dict(text name) const
    {
        return of(varve_add_dict(node_, name.get()));
    }
    /* Adds values that belong to this node and to a variable. */
    template <class T>
    node add_slot(const node &variable, text name, T &&value) const;
    node add_slot_like(const node &variable, text name) const
    {
        return of(varve_add_slot_like(
            node_, variable.node_, name.get(), nullptr, nullptr));
    }
    node find_slot(const node &variable, text name) const
    {
        return of(varve_find_slot(node_, variable.node_, name.get()));
    }
    /* Adds a variable whose memory the library allocates. If no restoration has
     * a value for it, its elements are zero, or `make` sets them through the
     * varve::values<T> that it is called with. */
    template <class T> node add_allocated(text name, const shape &s) const
    {
        return of(varve_add_allocated_variable(
            node_, name.get(), dtype_of<T>(), s, nullptr, nullptr));
    }
    template <class T, class F>
    node add_allocated(text name, const shape &s, F &&make) const
    {
        void *kept = keeper_->keep(std::forward<F>(make));
        return of(varve_add_allocated_variable(node_, name.get(), dtype_of<T>(),
            s, detail::make_values<T, std::decay_t<F>>, kept));
    }
    /* Adds opaque bytes with a custom serializer. `save` is called with a
     * varve::sink, `load` with a std::string_view of the bytes. */
    template <class Save, class Load>
    node add_state(text name, Save &&save, Load &&load) const
    {
        using callbacks = detail::state<std::decay_t<Save>, std::decay_t<Load>>;
        const varve_state_callbacks table = { callbacks::put, callbacks::take };
        void *kept = keeper_->keep(
            callbacks{ std::forward<Save>(save), std::forward<Load>(load) });
        return of(varve_add_state(node_, name.get(), &table, kept));
    }

    /* Adds a file that the program appends to (output.h): a FILE *, a file
     * descriptor, or a C++ stream such as std::ofstream with the path by which
     * it was opened. It must stay open as long as the node exists. */
    node add_output(text name, std::FILE *file) const
    {
        return of(varve_add_output(node_, name.get(), file));
    }
    node add_output(text name, int descriptor) const
    {
        return of(varve_add_output_descriptor(node_, name.get(), descriptor));
    }
    template <class Stream>
    node add_output(text name, Stream &stream, text path) const
    {
        using output = detail::stream_output<Stream>;
        static const varve_output_callbacks table = { output::flush,
            output::seek };
        return of(varve_add_output_path(
            node_, name.get(), path.get(), &table, &stream));
    }

    /* Add a stream of random numbers (random.hpp). add_random seeds it from the
     * seed of the graph; add_seeded_random keeps the seed of the program.
     * add_libc_random adds a generator of the C library. */
    node add_random(
        text name, varve_random &stream, std::uint64_t seed = 0) const;
    node add_seeded_random(text name, varve_random &stream) const;
    node add_libc_random(text name, varve_libc_generator which) const;
    /* Adds the position in a data source (records.hpp). */
    node add_records(text name, const records &source) const;

    /* --- Rank-local and migrating values --- */

    /* Returns the rank-local node of this process. The graph keeps `fold`. Its
     * arguments are those of varve_merge: the node, a varve::reader of the
     * file, a path, and the number of processes that made the save. */
    node add_rank_local(text name, const comm &all) const;
    node add_rank_local(
        text name, const comm &all, const rank_local_options &o) const;
    template <class F>
    node add_rank_local(text name, const comm &all, const rank_local_options &o,
        F &&fold) const;
    /* Adds the structs in a std::vector, std::deque or std::list. Their type
     * has varve_fields and is default-constructible. A restoration distributes
     * them: `owner` returns the rank that a struct belongs to, and must return
     * the same rank at each process. Without `owner` the rank is that of
     * the process that saved the struct, modulo the number of processes. Fields
     * that a file lacks are zero. */
    template <class C>
    node add_migrating(text name, const comm &all, C &things) const;
    template <class C, class Owner>
    node add_migrating(
        text name, const comm &all, C &things, Owner &&owner) const;

    /* --- Edges --- */

    node track(text name, const node &child) const
    {
        return of(varve_track(node_, name.get(), child.node_));
    }
    node replace(text name, const node &child) const
    {
        return of(varve_replace(node_, name.get(), child.node_));
    }
    void untrack(text name) const
    {
        varve_untrack(node_, name.get());
    }
    /* The node must not be used afterwards. */
    void remove() const
    {
        varve_remove(node_);
    }
    /* Returns the node at a path; "" is this node. */
    node find(text path) const
    {
        return of(varve_find_path(node_, path.get()));
    }
    /* Returns an element of a list. */
    node at(std::size_t index) const
    {
        return of(varve_list_at(node_, index));
    }
    std::size_t size() const noexcept
    {
        return varve_edge_count(node_);
    }
    /* for (auto [name, child] : node.children()) */
    edges children() const noexcept;

    /* --- The value --- */

    varve_kind kind() const noexcept
    {
        return varve_node_kind(node_);
    }
    /* Type, shape and memory; NULL if the node is not a variable. */
    const varve_tensor *value() const noexcept
    {
        return varve_value(node_);
    }
    /* The elements; empty if their type is not T. */
    template <class T> values<T> values_as() const noexcept
    {
        return values_of<T>(value());
    }
    varve_variable_state state() const noexcept
    {
        return varve_state_of(node_);
    }
    /* Binds the variable to the memory of another object. */
    template <class T> void rebind(T &moved) const
    {
        varve_rebind(node_, view_of(moved));
        varve_set_refresh(node_, nullptr, nullptr);
        followed<T &>(*this, moved);
    }
    void rebind(const varve_tensor &view) const
    {
        varve_rebind(node_, view);
        varve_set_refresh(node_, nullptr, nullptr);
    }
    template <class T> void rebind(T &moved, const shape &s) const
    {
        varve_rebind(node_, view_of(moved, s));
        varve_set_refresh(node_, nullptr, nullptr);
        followed<T &>(*this, moved, s);
    }
    void mark_dirty() const
    {
        varve_mark_dirty(node_);
    }

    /* Mark some rows, or a box, of the value as changed. */
    result<void> mark_rows_dirty(uint64_t first, uint64_t count) const
    {
        return detail::tried(varve_mark_rows_dirty, node_, first, count);
    }
    result<void> mark_box_dirty(const varve_box &box) const
    {
        return detail::tried(varve_mark_box_dirty, node_, &box);
    }

    /* --- Tags and names --- */

    node tag(text name) const
    {
        varve_tag(node_, name.get());
        return *this;
    }
    bool has_tag(text name) const
    {
        return varve_has_tag(node_, name.get());
    }
    /* Adds an older name, by which files may contain the node. */
    node alias(text name) const
    {
        varve_alias(node_, name.get());
        return *this;
    }
    /* Declares a name that older files have here and the program no longer
     * has. */
    node retire(text name) const
    {
        varve_retire(node_, name.get());
        return *this;
    }
    node set_global_name(text name) const
    {
        varve_set_global_name(node_, name.get());
        return *this;
    }

    /* --- Functions of the program --- */

    /* `make` is called with the varve_tensor if the variable is not
     * restored. */
    template <class F> node set_initializer(F &&make) const
    {
        varve_set_initializer(node_, detail::make_tensor<std::decay_t<F>>,
            keeper_->keep(std::forward<F>(make)));
        return *this;
    }
    node initialize_after(const node &other) const
    {
        varve_initialize_after(node_, other.node_);
        return *this;
    }
    result<void> initialize(const select &which = select()) const
    {
        return detail::tried(varve_initialize, node_, &which);
    }
    result<void> require_ready(const select &which = select()) const
    {
        return detail::tried(varve_require_ready, node_, &which);
    }
    /* `make` is called with this node and the varve_offer, to add children that
     * a file has and the program lacks. */
    template <class F> node set_on_demand(F &&make) const
    {
        using maker = detail::maker<std::decay_t<F>, node>;
        void *kept = keeper_->keep(maker{ std::forward<F>(make), keeper_ });
        varve_set_on_demand(node_, maker::make, kept);
        return *this;
    }
    /* Calls `visit` with each selected node and its path. */
    template <class F> result<void> each(const select &which, F &&visit) const
    {
        using visitor = detail::visitor<std::remove_reference_t<F>, node>;
        visitor v = { &visit, keeper_ };
        return detail::tried(varve_each, node_, &which, visitor::visit, &v);
    }

private:
    node of(varve_node *other) const noexcept
    {
        return { other, keeper_ };
    }
    /* A temporary object is a view. Its memory is not updated. */
    template <class T, class V, class... S>
    static node followed(const node &at, V &value, const S &...s)
    {
        if constexpr (std::is_lvalue_reference_v<T> && detail::is_given<T>)
            return detail::follow(at, value, s...);
        else
            return at;
    }

    varve_node *node_ = nullptr;
    detail::keeper *keeper_ = nullptr;
};

} /* namespace varve */

#endif
