/* graph.hpp - Owns a graph in C++.
 *
 *     varve::graph graph;
 *     varve::node model = graph.root().add_object("model");
 *     model.add("kernel", kernel, { 784, 10 });
 *
 * A graph owns its nodes and keeps the functions that are given to them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_GRAPH_HPP
#define VARVE_GRAPH_HPP

#include <cstdint>
#include <memory>
#include <utility>

#include <varve/add.hpp>
#include <varve/error.hpp>
#include <varve/graph.h>
#include <varve/keeper.hpp>
#include <varve/node.hpp>
#include <varve/random.h>
#include <varve/structure.h>

namespace varve
{

class graph
{
public:
    explicit graph(const varve_allocator *allocator = nullptr)
        : graph(varve_graph_new(allocator))
    {
    }
    /* Takes ownership of a graph of the C interface. */
    explicit graph(varve_graph *made)
        : keeper_(new detail::keeper), graph_(made)
    {
    }
    graph(graph &&) noexcept = default;
    graph &operator=(graph &&other) noexcept
    {
        std::swap(keeper_, other.keeper_);
        std::swap(graph_, other.graph_);
        return *this;
    }
    varve_graph *get() const noexcept
    {
        return graph_.get();
    }
    node root() const noexcept
    {
        return of(varve_graph_root(graph_.get()));
    }
    /* Returns a node that the C interface has made in this graph. */
    node of(varve_node *c) const noexcept
    {
        return { c, keeper_.get() };
    }
    node add_detached() const
    {
        return of(varve_add_detached(graph_.get()));
    }
    /* Returns the first error that was recorded while the graph was built. */
    result<void> check() const
    {
        return detail::tried(
            varve_graph_check, static_cast<const varve_graph *>(get()));
    }
    result<void> clear_error() const
    {
        return detail::tried(varve_graph_clear_error, get());
    }
    void set_seed(std::uint64_t seed) const
    {
        varve_set_seed(get(), seed);
    }
    void defer_initializers(bool defer) const
    {
        varve_defer_initializers(get(), defer);
    }

private:
    std::unique_ptr<detail::keeper> keeper_; /* freed after the graph */
    detail::handle<varve_graph, varve_graph_free> graph_;
};

/* The edges of a node, in the order in which they were added. */
struct edge {
    const char *name;
    node child;
};

class edges
{
public:
    class iterator
    {
    public:
        iterator(const varve_edge *at, detail::keeper *keeper) noexcept
            : at_(at), keeper_(keeper)
        {
        }
        edge operator*() const noexcept
        {
            return { at_->name, { at_->node, keeper_ } };
        }
        iterator &operator++() noexcept
        {
            at_ = varve_edge_next(at_);
            return *this;
        }
        bool operator!=(const iterator &other) const noexcept
        {
            return at_ != other.at_;
        }

    private:
        const varve_edge *at_;
        detail::keeper *keeper_;
    };

    edges(varve_node *parent, detail::keeper *keeper) noexcept
        : parent_(parent), keeper_(keeper)
    {
    }
    iterator begin() const noexcept
    {
        return { varve_edge_first(parent_), keeper_ };
    }
    iterator end() const noexcept
    {
        return { nullptr, keeper_ };
    }

private:
    varve_node *parent_;
    detail::keeper *keeper_;
};

inline edges node::children() const noexcept
{
    return { node_, keeper_ };
}

/* Returns a graph with all values of a file in memory that the graph owns
 * (structure.h). */
inline result<graph> graph_from(text path)
{
    return detail::made<graph>(varve_graph_from, path.get(), nullptr);
}

} /* namespace varve */

#endif
