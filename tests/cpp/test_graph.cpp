/* test_graph.cpp - Tests which nodes are created for C++ objects, and object
 * lifetimes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <filesystem>
#include <list>
#include <map>
#include <memory>

struct layer {
    std::vector<float> kernel;
    float bias[2];
};

constexpr auto varve_fields(const layer *)
{
    return varve::fields(varve::field("kernel", &layer::kernel),
        varve::field("bias", &layer::bias).tagged(VARVE_TAG_TRAINABLE));
}

/* [struct] */
class adam
{
public:
    std::int64_t step = 0;
    std::vector<float> mean = { 0, 0, 0 };
    std::vector<layer> layers;

    friend constexpr auto varve_fields(const adam *)
    {
        return varve::fields(varve::field("step", &adam::step),
            varve::field("mean", &adam::mean).was("m"),
            varve::field("layers", &adam::layers),
            varve::field("name", &adam::name_),
            varve::field("rate", &adam::rate_).tagged(VARVE_TAG_LATER),
            varve::gone("momentum"));
    }

private:
    std::string name_ = "adam";
    double rate_ = 0.001;
};
/* [/struct] */

static adam example()
{
    adam a;
    a.step = 7;
    a.mean = { 1, 2, 3 };
    a.layers = { { { 4, 5 }, { 6, 7 } }, { { 8 }, { 9, 10 } } };
    return a;
}

TEST(a_struct_is_an_object_with_its_fields)
{
    varve::graph graph;
    adam a = example();
    const varve::node node = graph.root().add("adam", a);
    GOOD(graph.check());
    CHECK(node.size() == 5);
    CHECK(node.find("step").values_as<std::int64_t>()[0] == 7);
    CHECK(node.find("layers/1/kernel").values_as<float>()[0] == 8);
    CHECK(node.find("layers").kind() == VARVE_LIST);
    CHECK(node.find("name").kind() == VARVE_STATE);
    CHECK(node.find("layers/0/bias").has_tag(VARVE_TAG_TRAINABLE));
    CHECK(!node.find("nowhere"));
}

TEST(a_struct_is_restored)
{
    const std::string path = place("adam.varve");
    adam a = example();
    {
        varve::graph graph;
        graph.root().add("adam", a);
        GOOD(varve::write(graph.root(), path));
    }
    adam b = example();
    b.step = 0;
    b.mean = { 0, 0, 0 };
    b.layers[1].bias[1] = 0;
    varve::graph graph;
    graph.root().add("adam", b);
    auto found = NEED(varve::read(graph.root(), path));
    GOOD(found.assert_consumed());
    CHECK(b.step == 7 && b.mean == a.mean && b.layers[1].bias[1] == 10);
}

TEST(fields_can_be_added_removed_and_renamed)
{
    const std::string path = place("older.varve");
    std::vector<float> m = { 4, 5, 6 }, first = m;
    {
        varve::graph graph;
        const varve::node old = graph.root().add_object("adam");
        std::int64_t step = 1;
        std::string name = "adam";
        old.add("m", m);
        old.add("step", step);
        old.add_list("layers");
        old.add("name", name);
        old.add_object("momentum").add("first", first);
        GOOD(varve::write(graph.root(), path));
    }
    adam before, after;
    varve::graph graph, later;
    graph.root().add("adam", before);
    GOOD(NEED(varve::read(graph.root(), path)).assert_consumed());
    CHECK(before.mean == m && before.step == 1);
    auto found = NEED(varve::read(later.root(), path));
    later.root().add("adam", after);
    GOOD(found.assert_consumed());
    CHECK(after.mean == m && after.step == 1);
}

TEST(a_fixed_value_must_equal_the_saved_one)
{
    varve::graph graph;
    std::array<int, 2> extents = { 64, 32 };
    graph.root().add_fixed("extents", extents);
    GOOD(varve::write(graph.root(), place("fixed.varve")));
    GOOD(varve::read(graph.root(), place("fixed")));
    extents[1] = 33;
    CHECK(varve::read(graph.root(), place("fixed")).status() == VARVE_MISMATCH);
    CHECK(extents[1] == 33);
    CHECK(varve::write(graph.root(), place("fixed")).status() == VARVE_MISUSE);
    graph.root().find("extents").tag(VARVE_TAG_FIXED);
    GOOD(varve::write(graph.root(), place("fixed")));
}

TEST(a_fixed_container_may_move_but_not_change)
{
    varve::graph graph;
    std::vector<int> extents = { 64, 32 };
    graph.root().add_fixed("extents", extents);
    extents.reserve(1000);
    GOOD(varve::write(graph.root(), place("moved.varve")));
    extents[0] = 63;
    CHECK(varve::write(graph.root(), place("moved.varve")).status() ==
          VARVE_MISUSE);
    extents[0] = 64;
    extents.push_back(1);
    CHECK(varve::write(graph.root(), place("moved.varve")).status() ==
          VARVE_MISUSE);
}

TEST(strings_of_any_length_are_restored)
{
    const std::string path = place("strings.varve");
    std::string name = "a name that is longer than any short one", none;
    std::vector<std::string> words = { "one", std::string("t\0o", 3) };
    varve::graph graph;
    graph.root().add("name", name);
    graph.root().add("none", none);
    graph.root().add("words", words);
    GOOD(varve::write(graph.root(), path));
    name = "another";
    none = "something";
    words[1].clear();
    auto found = NEED(varve::read(graph.root(), path));
    GOOD(found.assert_consumed());
    CHECK(name == "a name that is longer than any short one");
    CHECK(none.empty() && words[1] == std::string("t\0o", 3));
    auto snapshot = NEED(varve::snapshot::take(graph.root()));
    name += name;
    GOOD(snapshot.restore());
    CHECK(name == "a name that is longer than any short one");
}

TEST(maps_are_dicts_and_ranges_are_lists)
{
    varve::graph graph;
    std::map<std::string, std::vector<float>> parts = { { "a", { 1 } },
        { "b", { 2, 3 } } };
    std::list<std::array<int, 2>> pairs(3);
    std::vector<std::vector<double>> ragged = { { 1 }, {}, { 2, 3 } };
    const varve::node dict = graph.root().add("parts", parts);
    graph.root().add("pairs", pairs);
    graph.root().add("ragged", ragged);
    GOOD(graph.check());
    CHECK(dict.kind() == VARVE_DICT && dict.find("b").value()->shape[0] == 2);
    CHECK(graph.root().find("pairs").at(2).value()->shape[0] == 2);
    CHECK(graph.root().find("ragged/2").values_as<double>()[1] == 3);
    std::string names;
    for (auto [name, child] : graph.root().children())
        names += std::string(name) + (child.kind() == VARVE_LIST ? "+" : "-");
    CHECK(names == "parts-pairs+ragged+");
}

TEST(a_vector_that_grew_is_rebound)
{
    varve::graph graph;
    std::vector<float> values = { 1, 2, 3 };
    const varve::node node = graph.root().add("values", values);
    std::vector<float> moved = values;
    moved[0] = 10;
    /* [rebind] */
    node.rebind(moved);
    /* [/rebind] */
    GOOD(graph.check());
    CHECK(node.values_as<float>().data() == moved.data());
}

TEST(a_vector_is_resized_to_the_restored_length)
{
    using points = std::vector<std::array<float, 2>>;
    points saved = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, none;
    {
        varve::graph graph;
        graph.root().add("points", saved);
        GOOD(varve::write(graph.root(), place("three.varve")));
    }
    {
        varve::graph graph;
        graph.root().add("points", none);
        GOOD(varve::write(graph.root(), place("empty.varve")));
    }
    points mine = { { 7, 8 } };
    varve::graph graph;
    /* [resizable] */
    const varve::node node = graph.root().add_resizable("points", mine);
    /* [/resizable] */
    GOOD(varve::read(graph.root(), place("three")));
    CHECK(mine == saved && node.value()->shape[0] == 3);
    CHECK(node.values_as<float>().data() == mine[0].data());
    GOOD(varve::read(graph.root(), place("empty")));
    CHECK(mine.empty());
    mine = saved;
    node.rebind(mine);
    GOOD(varve::write(graph.root(), place("again.varve")));
    mine[1][0] = 0;
    GOOD(varve::read(graph.root(), place("again")));
    CHECK(mine == saved);
}

TEST(a_vector_is_unchanged_after_a_mismatch)
{
    std::vector<float> flat(6, 1.0f), same = flat;
    std::int64_t step = 1;
    {
        varve::graph graph;
        graph.root().add("flat", flat, { 2, 3 });
        graph.root().add("other", same);
        graph.root().add("step", step);
        GOOD(varve::write(graph.root(), place("flat.varve")));
    }
    std::vector<float> flat_here(2), other(2);
    double wrong = 0;
    varve::graph graph, second;
    graph.root().add_resizable("flat", flat_here);
    CHECK(varve::read(graph.root(), place("flat")).status() == VARVE_CALLBACK);
    CHECK(flat_here.size() == 2);
    const float *before = other.data();
    second.root().add_resizable("other", other);
    second.root().add("step", wrong);
    CHECK(varve::read(second.root(), place("flat")).status() ==
        VARVE_MISMATCH);
    CHECK(other.size() == 2 && other.data() == before);
}

TEST(a_vector_is_unchanged_if_another_value_fails)
{
    bool is_good = true;
    const auto save = [](varve::sink) {};
    const auto load = [&](std::string_view) { return is_good; };
    std::vector<float> values(6, 1.0f);
    varve::graph graph;
    const varve::node node = graph.root().add_resizable("values", values);
    graph.root().add_state("state", save, load);
    GOOD(varve::write(graph.root(), place("with.varve")));
    values = { 7, 8 };
    node.rebind(values);
    is_good = false;
    CHECK(varve::read(graph.root(), place("with")).status() == VARVE_CALLBACK);
    CHECK(values == std::vector<float>({ 7, 8 }));
    CHECK(node.values_as<float>().data() == values.data());
    is_good = true;
    GOOD(varve::read(graph.root(), place("with")));
    CHECK(values.size() == 6);
}

TEST(slots_belong_to_pairs)
{
    varve::graph graph;
    std::vector<float> kernel(3), mean(3, 5.0f);
    const varve::node variable = graph.root().add("kernel", kernel);
    const varve::node owner = graph.root().add_object("adam");
    owner.add_slot(variable, "m", mean);
    owner.add_slot_like(variable, "v");
    GOOD(graph.check());
    CHECK(owner.find_slot(variable, "m").values_as<float>()[0] == 5);
    CHECK(owner.find_slot(variable, "v").values_as<float>()[2] == 0);
}

TEST(a_moved_graph_keeps_its_callbacks)
{
    auto told = std::make_shared<int>(0);
    {
        varve::graph first;
        first.root().add_state(
            "counter", [told](varve::sink) { ++*told; },
            [](std::string_view) {});
        varve::graph moved = std::move(first);
        varve::graph second;
        second.root().add_object("other");
        second = std::move(moved);
        CHECK(told.use_count() == 2);
        GOOD(varve::write(second.root(), place("kept.varve")));
        CHECK(*told == 1);
    }
    CHECK(told.use_count() == 1);
}

TEST(a_graph_is_created_from_a_file)
{
    const std::filesystem::path path = place("made.varve");
    {
        varve::graph graph;
        std::array<int, 3> values = { 1, 2, 3 };
        graph.root().add("values", values);
        GOOD(varve::write(graph.root(), path));
    }
    auto graph = NEED(varve::graph_from(path));
    CHECK(graph.root().find("values").values_as<int>()[2] == 3);
}
