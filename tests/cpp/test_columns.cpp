/* test_columns.cpp - Tests vectors of structs of numbers: one array per member,
 * resized to the length in the file, and files with a node per element.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#ifdef __has_include
#if __has_include(<memory_resource>)
#include <memory_resource>
#endif
#endif

namespace
{

struct spin {
    float up = 0, down = 0;

    friend constexpr auto varve_fields(const spin *)
    {
        return varve::fields(
            varve::field("up", &spin::up), varve::field("down", &spin::down));
    }
};

struct body {
    double mass = 1;
    std::array<float, 3> at = {};
    spin s = {};
    bool is_free = false;
    std::string note; /* not saved: keeps its value */

    friend constexpr auto varve_fields(const body *)
    {
        return varve::fields(varve::field("mass", &body::mass),
            varve::field("at", &body::at), varve::field("s", &body::s),
            varve::field("is_free", &body::is_free));
    }
};

body make_body(int i)
{
    const auto f = static_cast<float>(i);
    body p;
    p.mass = i;
    p.at = { f, f + 1, f + 2 };
    p.s.down = -f;
    p.is_free = i % 2 != 0;
    return p;
}

std::vector<body> make_bodies(int n)
{
    std::vector<body> all;
    for (int i = 0; i < n; i++)
        all.push_back(make_body(i));
    return all;
}

bool is_body(const body &p, int i)
{
    const body wanted = make_body(i);
    return p.mass == wanted.mass && p.at == wanted.at &&
           p.s.up == wanted.s.up && p.s.down == wanted.s.down &&
           p.is_free == wanted.is_free;
}

bool are_bodies(const std::vector<body> &all, int n)
{
    bool is = all.size() == static_cast<std::size_t>(n);
    for (int i = 0; is && i < n; i++)
        is = is_body(all[static_cast<std::size_t>(i)], i);
    return is;
}

/* Adds elements as older versions have saved them: a list of objects. */
void add_bodies(const varve::node &root, std::vector<body> &all)
{
    const varve::node list = root.add_list("swarm");
    for (body &p : all)
        list.append(p);
}

void write_list(const char *name, std::vector<body> all)
{
    varve::graph graph;
    add_bodies(graph.root(), all);
    GOOD(varve::write(graph.root(), place(name)));
}

/* A type whose copy constructor throws after `left` copies; it has no move. */
struct costly {
    static int left;
    double x = 0;

    costly() = default;
    costly(const costly &) = default;
    ~costly() = default;
    costly &operator=(const costly &other)
    {
#ifdef __cpp_exceptions
        if (left-- == 0)
            throw left;
#endif
        x = other.x;
        return *this;
    }
    friend constexpr auto varve_fields(const costly *)
    {
        return varve::fields(varve::field("x", &costly::x));
    }
};
int costly::left = 0;

/* A type of which a vector cannot grow. */
struct still {
    std::atomic<int> n = { 0 };

    friend constexpr auto varve_fields(const still *)
    {
        return varve::fields(varve::field("n", &still::n));
    }
};
struct given {
    double x;

    explicit given(double value) : x(value)
    {
    }
    friend constexpr auto varve_fields(const given *)
    {
        return varve::fields(varve::field("x", &given::x));
    }
};

/* Writes a file with these columns and no others. */
void write_columns(const char *name, std::size_t masses, std::size_t places)
{
    std::vector<double> mass(masses, 3);
    std::vector<std::array<float, 3>> at(places);
    varve::graph graph;
    const varve::node object = graph.root().add_object("swarm");
    object.add("mass", mass);
    if (places > 0)
        object.add("at", at);
    GOOD(varve::write(graph.root(), place(name)));
}

void restore_all(const varve::graph &graph, const char *name)
{
    GOOD(NEED(varve::read(graph.root(), place(name))).assert_consumed());
}

} /* namespace */

TEST(structs_of_numbers_are_saved_as_columns)
{
    std::vector<body> swarm, filled;
    varve::graph graph, other;
    graph.root().add("swarm", swarm);
    other.root().add("swarm", filled);
    swarm = make_bodies(1000);
    GOOD(varve::write(graph.root(), place("columns columns")));
    auto reader = NEED(varve::reader::open(place("columns columns")));
    CHECK(reader.find("swarm")->edge_count == 4);
    CHECK(reader.find("swarm/s")->edge_count == 2);
    CHECK(reader.find("swarm/mass")->value.shape[0] == 1000);
    CHECK(reader.find("swarm/at")->value.rank == 2);
    std::vector<std::array<float, 3>> at(1000);
    GOOD(reader.read("swarm/at", at));
    CHECK(at[999][2] == 1001);
    restore_all(other, "columns columns");
    CHECK(are_bodies(filled, 1000));
}

TEST(a_restore_sets_the_length_of_a_vector_of_structs)
{
    std::vector<body> swarm = make_bodies(5);
    varve::graph graph;
    graph.root().add("swarm", swarm);
    GOOD(varve::write(graph.root(), place("columns five")));
    for (int n : { 0, 1, 4, 5, 900 }) {
        swarm = std::vector<body>(static_cast<std::size_t>(n));
        if (n > 0)
            swarm[0].note = "a note that is too long for its own room";
        const body *was = swarm.data();
        restore_all(graph, "columns five");
        CHECK(are_bodies(swarm, 5));
        CHECK(n == 0 || swarm[0].note.size() > 16);
        CHECK((swarm.data() == was) == (n == 5));
        GOOD(varve::write(graph.root(), place("columns again")));
    }
    swarm.clear();
    GOOD(varve::write(graph.root(), place("no rows")));
    swarm = make_bodies(3);
    restore_all(graph, "no rows");
    CHECK(swarm.empty());
}

TEST(columns_of_different_lengths_are_refused)
{
    std::vector<body> swarm = make_bodies(3);
    std::vector<double> mass(5);
    std::vector<std::array<float, 3>> at(3);
    std::vector<std::array<float, 2>> flat(5);
    for (bool is_flat : { false, true }) {
        varve::graph graph, other;
        graph.root().add("swarm", swarm);
        const varve::node object = other.root().add_object("swarm");
        object.add("mass", mass);
        if (is_flat)
            object.add("at", flat);
        else
            object.add("at", at);
        GOOD(varve::write(other.root(), place("columns uneven")));
        const auto read = varve::read(graph.root(), place("columns uneven"));
        CHECK(!read || !(*read).assert_consumed());
        CHECK(is_flat || read.status() == VARVE_CALLBACK);
        CHECK(is_flat || are_bodies(swarm, 3));
    }
}

TEST(lists_of_structs_in_older_files_are_restored_to_columns)
{
    std::vector<body> swarm = make_bodies(2);
    varve::graph graph;
    graph.root().add("swarm", swarm);
    for (int n : { 1, 2, 12 }) {
        write_list("columns list", make_bodies(n));
        restore_all(graph, "columns list");
        CHECK(are_bodies(swarm, n));
        GOOD(varve::write(graph.root(), place("columns table")));
        auto reader = NEED(varve::reader::open(place("columns table")));
        CHECK(reader.find("swarm")->edge_count == 4);
        CHECK(reader.find("swarm/mass")->tag_count == 0);
    }
}

TEST(a_run_resumes_from_a_list_of_structs)
{
    std::vector<body> swarm, older = make_bodies(4);
    {
        varve::run run;
        add_bodies(run.root(), older);
        run.open(place("columns run"));
        run.step(1);
        GOOD(run.end());
    }
    varve::run run;
    run.root().add("swarm", swarm);
    run.open(place("columns run"));
    CHECK(run.resumed_step() == 1 && are_bodies(swarm, 4));
    run.step(2);
    GOOD(run.end());
}

TEST(columns_may_be_in_maps_and_vectors)
{
    std::map<std::string, std::vector<body>> named, other_named;
    std::vector<std::vector<spin>> rows(3), other_rows;
    varve::graph graph, other;
    graph.root().add("named", named);
    graph.root().add("rows", rows);
    other.root().add("named", other_named);
    other.root().add("rows", other_rows);
    named["a"] = make_bodies(4);
    named["b"] = make_bodies(0);
    rows[2].resize(5);
    rows[2][4].down = 3;
    GOOD(varve::write(graph.root(), place("columns anywhere")));
    restore_all(other, "columns anywhere");
    CHECK(are_bodies(other_named["a"], 4));
    CHECK(other_named.count("b") == 1 && other_named["b"].empty());
    CHECK(other_rows.size() == 3 && other_rows[2].size() == 5);
    CHECK(other_rows[2][4].down == 3);
    auto snapshot = NEED(varve::snapshot::take(graph.root()));
    /* in another place, with the same length */
    named["a"] = std::vector<body>(4);
    GOOD(snapshot.restore());
    CHECK(are_bodies(named["a"], 4));
}

TEST(always_resize_requires_a_resizable_vector)
{
    std::vector<float> values(3);
    varve::graph graph;
    const varve::node node = graph.root().add("values", values);
    varve_always_resize(node.get());
    CHECK(graph.check().status() == VARVE_MISUSE);
}

TEST(missing_members_keep_their_values_in_a_longer_vector)
{
    std::vector<body> swarm(2);
    swarm[1].s.up = 9;
    varve::graph graph;
    graph.root().add("swarm", swarm);
    write_columns("columns few", 5, 0);
    const auto read = NEED(varve::read(graph.root(), place("columns few")));
    CHECK(read.assert_consumed().status() == VARVE_UNMATCHED);
    CHECK(swarm.size() == 5 && swarm[1].s.up == 9 && swarm[4].mass == 3);
    const varve_tensor *up = graph.root().find("swarm/s/up").value();
    CHECK(up->data == &swarm[0].s.up && up->shape[0] == 5);
}

TEST(nodes_refer_to_the_vector_after_a_list_was_read)
{
    std::vector<body> swarm(2);
    varve::graph graph;
    graph.root().add("swarm", swarm);
    write_list("columns list", make_bodies(7));
    restore_all(graph, "columns list");
    const varve_tensor *mass = graph.root().find("swarm/mass").value();
    CHECK(mass->data == &swarm[0].mass && mass->shape[0] == 7);
}

TEST(a_column_added_later_has_the_length_of_the_others)
{
    std::vector<body> swarm(2);
    varve::graph graph;
    graph.root().add("swarm", swarm);
    const varve::node object = graph.root().find("swarm");
    const varve::node at = object.find("at");
    graph.root().track("aside", at);
    object.untrack("at");
    write_columns("columns uneven", 5, 3);
    const auto read = NEED(varve::read(graph.root(), place("columns uneven")));
    CHECK(swarm.size() == 5);
    object.track("at", at);
    CHECK(read.assert_consumed().status() != VARVE_OK);
    CHECK(swarm.size() == 5 && swarm[4].mass == 3);
}

TEST(a_vector_added_later_has_the_length_of_the_file)
{
    varve::graph old;
    auto saved = make_bodies(4);
    old.root().add("swarm", saved);
    GOOD(varve::write(old.root(), place("swarm")));
    for (int count : { 0, 2, 4, 6 }) {
        varve::graph graph;
        auto restoration = NEED(varve::read(graph.root(), place("swarm")));
        auto swarm = make_bodies(count);
        for (auto &one : swarm)
            one = body();
        graph.root().add("swarm", swarm);
        GOOD(restoration.assert_consumed());
        CHECK(swarm.size() == 4);
        for (int i = 0; i < 4; i++)
            CHECK(is_body(swarm[static_cast<std::size_t>(i)], i));
    }
}

/* A column that was rejected for its length is rejected again on a retry. */
TEST(a_retry_does_not_change_the_length_of_columns)
{
    std::vector<double> mass(3, 7);
    std::vector<std::uint8_t> is_free(5, 1);
    varve::graph old;
    auto table = old.root().add_object("swarm");
    table.add("mass", mass);
    table.add("is_free", is_free);
    GOOD(varve::write(old.root(), place("uneven_later")));
    for (int count : { 0, 3, 5 }) {
        varve::graph graph;
        auto restoration =
            NEED(varve::read(graph.root(), place("uneven_later")));
        auto swarm = make_bodies(count);
        graph.root().add("swarm", swarm);
        const auto length = swarm.size();
        for (int again = 0; again < 2; again++) {
            CHECK(!restoration.assert_consumed());
            (void)restoration.retry();
        }
        CHECK(swarm.size() == length);
    }
}

TEST(a_callback_may_change_the_length_of_a_vector_that_is_restored)
{
    std::vector<body> swarm = make_bodies(5);
    std::size_t meanwhile = 0;
    varve::graph graph;
    graph.root().add("swarm", swarm);
    graph.root().add_state(
        "state", [](varve::sink to) { to.put("x"); },
        [&](std::string_view) {
            swarm.resize(meanwhile);
            return true;
        });
    GOOD(varve::write(graph.root(), place("columns changed")));
    for (std::size_t before : { 0U, 5U, 7U })
        for (std::size_t now : { 0U, 3U, 5U, 9U }) {
            swarm = std::vector<body>(before);
            meanwhile = now;
            restore_all(graph, "columns changed");
            CHECK(are_bodies(swarm, 5));
        }
}

TEST(structs_whose_copies_fail_are_unchanged)
{
    std::vector<costly> all(4), others(3);
    all[0].x = 4;
    varve::graph graph, other;
    graph.root().add("all", all);
    other.root().add("all", others);
    GOOD(varve::write(graph.root(), place("columns costly")));
#ifdef __cpp_exceptions
    others[0].x = 7;
    costly::left = 2;
    const auto read = varve::read(other.root(), place("columns costly"));
    CHECK(read.status() == VARVE_CALLBACK);
    CHECK(others.size() == 3 && others[0].x == 7);
#endif
    costly::left = 3;
    restore_all(other, "columns costly");
    CHECK(others.size() == 4 && others[0].x == 4);
}

TEST(containers_of_elements_that_cannot_be_added_keep_their_length)
{
    std::vector<still> stills(2);
    std::list<still> listed(2), longer(1);
    std::vector<given> givens = { given(1), given(2) };
    varve::graph graph, other;
    graph.root().add("stills", stills);
    graph.root().add("listed", listed);
    graph.root().add("givens", givens);
    other.root().add("listed", longer);
    GOOD(varve::write(graph.root(), place("columns still")));
    listed.back().n = 3;
    givens[1].x = 0;
    restore_all(graph, "columns still");
    CHECK(listed.back().n == 0 && givens[1].x == 2);
    GOOD(varve::read(other.root(), place("columns still")));
    CHECK(longer.size() == 2);
}

#ifdef __cpp_lib_memory_resource
TEST(vectors_with_other_allocators_are_resized)
{
    std::pmr::monotonic_buffer_resource pool;
    std::pmr::vector<spin> spins(3, &pool);
    std::pmr::vector<float> numbers(3, &pool);
    varve::graph graph;
    graph.root().add("spins", spins);
    graph.root().add_resizable("numbers", numbers);
    spins[2].up = 2;
    numbers[2] = 2;
    GOOD(varve::write(graph.root(), place("columns pool")));
    spins.resize(1);
    numbers.resize(1);
    restore_all(graph, "columns pool");
    CHECK(spins.size() == 3 && spins[2].up == 2);
    CHECK(numbers.size() == 3 && numbers[2] == 2);
    CHECK(spins.get_allocator().resource() == &pool);
    CHECK(numbers.get_allocator().resource() == &pool);
}
#endif
