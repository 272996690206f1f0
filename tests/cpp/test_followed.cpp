/* test_followed.cpp - Tests containers that move, grow and shrink after they
 * were added: every call uses their current content.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <utility>
#include <valarray>

namespace
{

struct particle {
    double x = 0;
    std::valarray<float> mu = std::valarray<float>(2);
    std::vector<std::int32_t> ids;
    std::string name;

    friend constexpr auto varve_fields(const particle *)
    {
        return varve::fields(VARVE_FIELDS(particle, x, mu, ids, name));
    }
};

particle make_particle(int i)
{
    particle p;
    p.x = i;
    p.mu[1] = static_cast<float>(i);
    p.ids.assign(static_cast<std::size_t>(i % 5), i);
    p.name = "a name that is too long for a string's own room " +
             std::to_string(i);
    return p;
}

bool is_particle(const particle &p, int i)
{
    const particle wanted = make_particle(i);
    return p.x == wanted.x && p.mu[1] == wanted.mu[1] && p.ids == wanted.ids &&
           p.name == wanted.name;
}

/* One container of each kind. */
struct world {
    std::vector<double> history;
    std::vector<particle> swarm;
    std::map<std::string, particle> named;
    std::deque<std::int64_t> queue;
    std::list<std::string> lines;
    std::vector<std::vector<float>> rows;
    particle one;

    friend constexpr auto varve_fields(const world *)
    {
        return varve::fields(varve::field("swarm", &world::swarm),
            varve::field("named", &world::named),
            varve::field("queue", &world::queue),
            varve::field("lines", &world::lines),
            varve::field("rows", &world::rows),
            varve::field("one", &world::one));
    }
};

void grow(world &w, int n)
{
    for (int i = 0; i < n; i++) {
        w.history.push_back(i);
        w.swarm.push_back(make_particle(i));
        w.named.emplace("key " + std::to_string(i), make_particle(i));
        w.queue.push_back(i);
        w.lines.push_back(make_particle(i).name);
        w.rows.emplace_back(static_cast<std::size_t>(i % 3), float(i));
    }
    particle other = make_particle(n);
    w.one = std::move(other);
}

bool is_as_grown(const world &w, int n)
{
    bool is = w.history.size() == std::size_t(n) &&
              w.swarm.size() == std::size_t(n) &&
              w.named.size() == std::size_t(n) &&
              w.queue.size() == std::size_t(n) &&
              w.lines.size() == std::size_t(n) &&
              w.rows.size() == std::size_t(n) && is_particle(w.one, n);
    auto line = w.lines.begin();
    for (int i = 0; is && i < n; i++, ++line) {
        const auto at = static_cast<std::size_t>(i);
        const auto named = w.named.find("key " + std::to_string(i));
        is = w.history[at] == i && is_particle(w.swarm[at], i) &&
             named != w.named.end() && is_particle(named->second, i) &&
             w.queue[at] == i && *line == make_particle(i).name &&
             w.rows[at] == std::vector<float>(std::size_t(i % 3), float(i));
    }
    return is;
}

void describe(const varve::node &root, world &w)
{
    root.add_resizable("history", w.history);
    root.add("world", w);
}

void restore(world &w, const char *name)
{
    varve::graph graph;
    describe(graph.root(), w);
    w.one = make_particle(1000); /* moved; has the restored length */
    w.one.ids.assign(2, 0);
    GOOD(NEED(varve::read(graph.root(), place(name))).assert_consumed());
}

} /* namespace */

TEST(grown_containers_are_saved_completely)
{
    world w, filled;
    varve::graph graph;
    describe(graph.root(), w);
    grow(w, 17);
    GOOD(varve::write(graph.root(), place("grown")));
    restore(filled, "grown"); /* was empty */
    CHECK(is_as_grown(filled, 17));
    auto moved = std::move(w.swarm);
    w.swarm = { make_particle(3) };
    w.named.erase("key 4");
    w.named.erase("key 16");
    w.lines.pop_front();
    w.rows.clear();
    w.history.resize(2);
    GOOD(varve::write(graph.root(), place("shrunk")));
    auto reader = NEED(varve::reader::open(place("shrunk")));
    CHECK(reader.find("world/swarm")->edge_count == 1);
    CHECK(reader.find("world/named")->edge_count == 15);
    CHECK(reader.find("world/lines")->edge_count == 16);
    CHECK(reader.find("world/rows")->edge_count == 0);
    CHECK(reader.find("history")->value.shape[0] == 2);
    std::vector<float> mu(2);
    GOOD(reader.read("world/swarm/0/mu", mu));
    CHECK(mu[1] == 3);
}

TEST(moved_containers_are_restored_in_place)
{
    std::vector<float> flat = { 1, 2, 3, 4, 5, 6 }, momentum(6, 7);
    std::vector<std::string> words = { "one", "two" };
    std::int32_t fixed[] = { 1 };
    std::vector<std::int32_t> sizes = { 4, 5 };
    varve::graph graph;
    const varve::node node = graph.root().add("flat", flat, { 2, 3 });
    graph.root().add_slot(node, "momentum", momentum);
    graph.root().add("words", words);
    graph.root().add("fixed", fixed);
    graph.root().add_fixed("sizes", sizes);
    GOOD(varve::write(graph.root(), place("moved")));
    auto move = [](auto &v) {
        auto other = v;
        v = std::move(other);
        for (auto &each : v)
            each = {};
    };
    move(flat);
    move(momentum);
    move(words);
    sizes = std::vector<std::int32_t>(sizes);
    GOOD(NEED(varve::read(graph.root(), place("moved"))).assert_consumed());
    CHECK(flat[5] == 6 && momentum[5] == 7 && words[1] == "two");
    flat.resize(9); /* does not match the shape */
    CHECK(!varve::write(graph.root(), place("bad")));
    flat.resize(6);
    GOOD(varve::write(graph.root(), place("good")));
    auto snapshot = NEED(varve::snapshot::take(graph.root()));
    move(flat);
    GOOD(snapshot.restore());
    CHECK(flat[5] == 6);
}

TEST(shorter_containers_are_extended_by_a_restore)
{
    std::vector<std::string> words = { "a", "b", "c" }, fewer = { "x" };
    varve::graph graph, other;
    graph.root().add("words", words);
    other.root().add("words", fewer);
    GOOD(varve::write(graph.root(), place("words")));
    GOOD(NEED(varve::read(other.root(), place("words"))).assert_consumed());
    CHECK(fewer == words);
}

namespace
{

struct tree {
    double value = 0;
    std::vector<tree> kids;
    std::map<std::string, double> notes;
    std::vector<float> weights;

    friend constexpr auto varve_fields(const tree *)
    {
        return varve::fields(
            VARVE_FIELDS(tree, value, kids, notes, weights));
    }
};

} /* namespace */

TEST(an_element_that_replaces_another_is_not_restored)
{
    const std::string path = place("kids.varve");
    tree saved;
    saved.kids.resize(1);
    saved.kids[0].kids.resize(1);
    saved.kids[0].kids[0].value = 3;
    saved.kids[0].notes["a"] = 4;
    saved.kids[0].weights = { 1, 2 };
    std::map<std::string, tree> named = { { "x", saved } };
    {
        varve::graph graph;
        graph.root().add("tree", saved);
        graph.root().add("named", named);
        GOOD(varve::write(graph.root(), path));
    }
    varve::graph graph;
    tree top;
    named.clear();
    graph.root().add("tree", top);
    graph.root().add("named", named);
    const auto open = NEED(varve::read(graph.root(), path));
    CHECK(top.kids[0].kids[0].value == 3 && named["x"].kids.size() == 1);
    top.kids.clear();
    named.clear();
    GOOD(varve::write(graph.root(), place("none.varve")));
    top.kids.resize(1);
    top.kids[0].value = 7;
    named["x"].value = 8;
    GOOD(varve::write(graph.root(), place("other.varve")));
    CHECK(top.kids[0].value == 7 && top.kids[0].kids.empty());
    CHECK(top.kids[0].notes.empty() && top.kids[0].weights.empty());
    CHECK(named["x"].value == 8 && named["x"].kids.empty());
    CHECK(named["x"].notes.empty());
}
