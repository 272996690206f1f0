/* bound_columns.hpp - Makes the nodes of vectors of structs that are saved as
 * one array per member.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_BOUND_COLUMNS_HPP
#define VARVE_BOUND_COLUMNS_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <varve/bound.hpp>
#include <varve/columns.hpp>

namespace varve
{

namespace detail
{

/* Calls `visit` for each field of a struct in a vector, with a function that
 * returns the member of an element. `object` is the node of the struct. */
template <class V, class M, class Get, class Visit>
void each_member(varve_node *object, Get get, Visit &visit);

template <class V, class S, class M, class Get, class Visit>
void visit_field(
    varve_node *object, const field_of<S, M> &f, Get get, Visit &visit)
{
    auto inner = [get, m = f.member](typename V::value_type &one) -> M & {
        return get(one).*m;
    };
    if constexpr (layout<M>::value)
        visit.template elements<M>(object, f, inner);
    else
        each_member<V, M>(visit.inside(object, f), inner, visit);
}
template <class V, class Get, class Visit>
void visit_field(varve_node *object, const gone_field &f, Get, Visit &visit)
{
    visit.gone(object, f);
}

template <class V, class M, class Get, class Visit>
void each_member(varve_node *object, Get get, Visit &visit)
{
    std::apply(
        [&](const auto &...f) { (visit_field<V>(object, f, get, visit), ...); },
        varve_fields(static_cast<const M *>(nullptr)));
}

/* Adds a node for each field: an array of the field in all elements (a column),
 * or, for files of older versions, the field of a single element (a cell). */
template <class V, class Made> struct adder {
    rows<V> *of;
    std::vector<std::unique_ptr<Made>> *all;

    template <class F> static varve_node *described(varve_node *at, const F &f)
    {
        if (f.label)
            varve_tag(at, f.label);
        if (f.older)
            varve_alias(at, f.older);
        return at;
    }
    template <class F> varve_node *inside(varve_node *object, const F &f)
    {
        return described(varve_add_object(object, f.name), f);
    }
    void gone(varve_node *object, const gone_field &f)
    {
        varve_retire(object, f.name);
    }
    template <class M, class F, class Get>
    void elements(varve_node *object, const F &f, Get get)
    {
        all->push_back(std::make_unique<Made>());
        Made &made = *all->back();
        made.of = of;
        made.at = [get](typename V::value_type &one) -> void * {
            return std::addressof(get(one));
        };
        made.dtype = element<typename layout<M>::type>::dtype;
        layout<M>::append_to(made.inner);
        made.size = sizeof(M);
        complete(made, object, f);
    }

private:
    template <class F>
    void complete(column<V> &made, varve_node *object, const F &f)
    {
        /* Until the node is in the graph, its view has a placeholder address
         * and a shape that matches no column. Memory for a pending value is
         * then allocated as in a restoration, for any length of the vector. */
        const varve_resizing calls = { column<V>::make, column<V>::settle };
        varve_node *at = varve_add_resizable(object, f.name,
            varve_view(made.unplaced, made.dtype, shape()), &calls, &made);
        varve_always_resize(at);
        look_at_view(described(at, f), made.view());
    }
    template <class F>
    void complete(cell<V> &made, varve_node *object, const F &f)
    {
        made.index = of->read.size() - 1;
        resize(made, described(varve_add_variable(object, f.name,
                                   varve_view(made.at(of->read.back()),
                                       made.dtype, made.inner)),
                         f));
    }
    static void resize(Made &made, varve_node *at)
    {
        const varve_resizing calls = { Made::make, Made::settle };
        varve_set_resizing(at, &calls, &made);
        varve_always_resize(at);
    }
};

/* The purpose of a pass. A pass visits the columns in the order in which they
 * were added. */
enum class visit {
    binds,   /* binds them to the present elements */
    looks,   /* the same, and makes expected columns required again */
    excuses, /* permits missing columns, as in files of older versions */
};

template <class V> struct looker {
    std::vector<std::unique_ptr<column<V>>> *all;
    visit why;
    std::size_t next = 0;

    template <class F> varve_node *inside(varve_node *object, const F &f)
    {
        return varve_find(object, f.name);
    }
    void gone(varve_node *, const gone_field &)
    {
    }
    template <class M, class F, class Get>
    void elements(varve_node *object, const F &f, Get)
    {
        if (next == all->size())
            return; /* the columns are being added */
        column<V> &own = *(*all)[next++];
        varve_node *at = varve_find(object, f.name);
        if (!at)
            return;
        if (why == visit::excuses && !varve_has_tag(at, VARVE_TAG_LATER)) {
            own.is_excused = true;
            varve_tag(at, VARVE_TAG_LATER);
        } else if (why == visit::looks && own.is_excused) {
            own.is_excused = false;
            varve_untag(at, VARVE_TAG_LATER);
        }
        if (why != visit::excuses)
            look_at_view(at, own.view());
    }
};

/* An object with one array per member. A restoration resizes the vector to the
 * length in the file. */
template <class V> struct bound<V, std::enable_if_t<is_table<V>>> : bound_base {
    using value = typename V::value_type;
    rows<V> common = {};
    std::vector<std::unique_ptr<column<V>>> columns = {};
    std::vector<std::unique_ptr<cell<V>>> cells = {};

    varve_node *add(varve_node *parent, const char *name, V &thing)
    {
        varve_node *at = varve_add_object(parent, name);
        adder<V, column<V>> adds = { &common, &columns };
        found(at, thing);
        each_member<V, value>(at, itself, adds);
        varve_set_on_demand(at, make, this);
        return at;
    }
    void look(varve_node *at, V &thing)
    {
        found(at, thing);
        forget(at);
        go_through(at, visit::looks);
    }

private:
    static value &itself(value &one)
    {
        return one;
    }
    void go_through(varve_node *at, visit why)
    {
        looker<V> goes = { &columns, why };
        each_member<V, value>(at, itself, goes);
    }
    void found(varve_node *at, V &thing)
    {
        common.vector = &thing;
        common.is_placed = false;
        common.bind = [this, at] { go_through(at, visit::binds); };
    }
    void forget(varve_node *at)
    {
        for (std::size_t i = 0; i < common.read.size(); i++)
            if (varve_node *one = varve_find(at, std::to_string(i).c_str()))
                varve_remove(one);
        cells.clear();
        common.read.clear();
    }
    /* Files of older versions have a node for each element. Their values are
     * restored into temporary nodes, which the next call of look() removes. The
     * columns may then be missing. */
    static void make(void *user, varve_node *at, const varve_offer *offer)
    {
        bound &self = *static_cast<bound *>(user);
        auto make = [&] {
            if (offer->name != std::to_string(self.common.read.size()))
                return;
            if (self.common.read.empty())
                self.go_through(at, visit::excuses);
            self.common.read.emplace_back();
            adder<V, cell<V>> adds = { &self.common, &self.cells };
            each_member<V, value>(
                varve_add_object(at, offer->name), itself, adds);
        };
        (void)guarded(make);
    }
};

} /* namespace detail */

} /* namespace varve */

#endif
