/* test_training.cpp - Tests random streams, data positions, and rank-local
 * state.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <list>
#include <numeric>

namespace
{

/* A communicator for processes that run one after the other and never exchange
 * data. */
struct lone_process {
    void agree(std::uint64_t &)
    {
    }
    void gather(const void *, std::size_t, void *)
    {
    }
    void gather_varied(
        const void *, std::size_t, void *, const std::uint64_t *)
    {
    }
    void broadcast(void *, std::size_t)
    {
    }
    void barrier()
    {
    }
};

struct atom {
    std::int64_t id = 0;
    std::array<float, 3> position = {};
    std::string note; /* not saved: keeps its value */

    friend constexpr auto varve_fields(const atom *)
    {
        return varve::fields(VARVE_FIELDS(atom, id, position));
    }
};

struct noise {
    varve::random_stream left, right;
    std::vector<varve::random_stream> workers;
    double level = 0;

    friend constexpr auto varve_fields(const noise *)
    {
        return varve::fields(VARVE_FIELDS(noise, left, right, workers, level));
    }
};

void resume_all(const varve::graph &graph, const std::string &path)
{
    GOOD(NEED(varve::read(graph.root(), path)).assert_consumed());
}

} /* namespace */

/* --- Random numbers ------------------------------------------------------- */

TEST(random_streams_continue_after_a_resume)
{
    varve::random_stream dropout, shuffle(42, "shuffle");
    varve::graph graph;
    graph.set_seed(7);
    graph.root().add_random("dropout", dropout);
    graph.root().add_seeded_random("shuffle", shuffle);
    std::vector<int> order(100);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), shuffle);
    CHECK(dropout.key[0] != 0 && shuffle.position > 0);
    varve_random c;
    varve_random_seed(&c, 42, "shuffle");
    CHECK(c.key[0] == shuffle.key[0] && c.key[1] == shuffle.key[1]);
    dropout.skip(5);
    GOOD(varve::write(graph.root(), place("streams")));
    const double unit = dropout.unit(), normal = dropout.normal(1, 2);
    const std::uint64_t word = shuffle(), below = shuffle.below(10);
    CHECK(below < 10);
    resume_all(graph, place("streams"));
    CHECK(dropout.unit() == unit && dropout.normal(1, 2) == normal);
    CHECK(shuffle() == word && shuffle.below(10) == below);
    CHECK(dropout.split("a").key[0] != dropout.split("b").key[0]);
    CHECK(dropout.uniform(2, 3) >= 2 && dropout.truncated_normal(0, 1) < 3);
}

TEST(random_streams_can_be_members_of_structs)
{
    noise n, other;
    n.left = varve::random_stream(1, "");
    for (const char *name : { "0", "1", "2" })
        n.workers.push_back(n.left.split(name));
    varve::graph graph, empty;
    graph.root().add("noise", n);
    empty.root().add("noise", other);
    n.left.skip(3);
    n.workers[2].skip(8);
    GOOD(varve::write(graph.root(), place("noise")));
    resume_all(empty, place("noise"));
    CHECK(other.left() == n.left() && other.workers.size() == 3);
    CHECK(other.workers[2]() == n.workers[2]());
}

TEST(an_added_stream_matches_a_seeded_one)
{
    varve_random stream, found = {};
    varve_random_seed(&stream, 3, "x");
    varve::graph graph, other;
    graph.root().add("stream", stream);
    other.root().add_seeded_random("stream", found);
    GOOD(varve::write(graph.root(), place("plain stream")));
    resume_all(other, place("plain stream"));
    CHECK(varve_random_u64(&found) == varve_random_u64(&stream));
}

TEST(generators_of_the_c_library_are_added)
{
    varve::graph graph;
    graph.root().add_libc_random("drand48", VARVE_LIBC_DRAND48);
    srand48(5);
    GOOD(varve::write(graph.root(), place("drand48")));
    const long drawn = lrand48();
    resume_all(graph, place("drand48"));
    CHECK(lrand48() == drawn);
}

/* --- Data ----------------------------------------------------------------- */

TEST(records_continue_after_a_resume)
{
    std::vector<std::int32_t> samples(10);
    std::iota(samples.begin(), samples.end(), 0);
    varve::records_options options;
    options.shuffle = true;
    options.batch = 4;
    options.epochs = 2;
    auto records = NEED(varve::records::open_array(
        samples.data(), samples.size(), options));
    varve::graph graph;
    graph.root().add_records("data", records);
    GOOD(records.next());
    GOOD(varve::write(graph.root(), place("records")));
    std::vector<std::uint64_t> first, second;
    auto drain = [&](std::vector<std::uint64_t> &all) {
        auto batch = NEED(records.next());
        for (; !batch.is_end(); batch = NEED(records.next()))
            for (const varve_record &record : batch)
                all.push_back(record.index);
    };
    drain(first);
    CHECK(first.size() == 16 && records.count() == 10);
    resume_all(graph, place("records"));
    CHECK(records.epoch() == 0 && records.consumed() == 4);
    GOOD(records.check());
    drain(second);
    CHECK(first == second);
    records.rewind(1);
    CHECK(records.epoch() == 1 && NEED(records.take(7)).size() == 7);
}

TEST(records_can_be_read_from_files)
{
    const std::string path = place("lines");
    std::FILE *file = std::fopen(path.c_str(), "w");
    CHECK(file && std::fputs("one\ntwo\n", file) >= 0);
    CHECK(std::fclose(file) == 0);
    auto lines = NEED(varve::records::open_lines(path));
    auto fixed = NEED(varve::records::open_fixed(path, 0, 4));
    auto files = NEED(varve::records::open_files({ path, path }));
    CHECK(lines.count() == 2 && fixed.count() == 2 && files.count() == 2);
    const auto batch = NEED(lines.next());
    CHECK(std::memcmp(batch.begin()->data, "one", 3) == 0);
    CHECK(varve::records::open_tfrecords(path).status() != VARVE_OK);
    CHECK(varve::records::open_lines(place("no lines")).status() != VARVE_OK);
    varve_source none = {};
    none.name = "none";
    CHECK(varve::records::open(none).status() != VARVE_OK);
}

/* --- Many processes ------------------------------------------------------- */

TEST(rank_local_values_are_reduced)
{
    int steps = 3;
    varve::graph graph, other;
    graph.root().add_rank_local("worker", nullptr).add("steps", steps);
    GOOD(varve::write(graph.root(), place("private")));
    lone_process all;
    const varve_comm two = varve::comm_over(all, 1, 2);
    int found = 0;
    varve::rank_local_options options;
    const varve::node mine = other.root().add_rank_local("worker", &two,
        options,
        [&](varve::node, const varve::reader &saved, const char *path,
            std::size_t count) {
            const auto at = std::string(path) + "/0/steps";
            return count == 1 ? saved.read(at, found)
                              : varve::error(VARVE_MISMATCH, "too many");
        });
    mine.add("steps", steps);
    GOOD(varve::read(other.root(), place("private")));
    CHECK(found == 3);
    varve::graph failing, dropping;
    failing.root().add_rank_local("worker", &two, options,
        [](varve::node, const varve::reader &, const char *, std::size_t) {
            return varve::result<void>(
                varve::error(VARVE_MISMATCH, "these are not mine"));
        });
    const auto failed = varve::read(failing.root(), place("private"));
    CHECK(std::strstr(failed.error().message, "these are not mine"));
    options.drop = true;
    dropping.root().add_rank_local("worker", &two, options).add("steps", steps);
    GOOD(varve::read(dropping.root(), place("private")));
}

template <class C> static void migrate(const char *name)
{
    C atoms, mine;
    for (int i = 0; i < 10; i++) {
        atom a;
        a.id = i;
        a.position[2] = static_cast<float>(i);
        a.note = "a note that is too long for a string's own room";
        atoms.push_back(a);
    }
    varve::graph graph, other, same;
    auto owner = [](const atom &a) { return a.id % 2; };
    graph.root().add_migrating("atoms", nullptr, atoms);
    GOOD(varve::write(graph.root(), place(name)));
    lone_process all;
    const varve_comm two = varve::comm_over(all, 1, 2);
    other.root().add_migrating("atoms", &two, mine, owner);
    mine.resize(3);
    GOOD(varve::read(other.root(), place(name)));
    CHECK(mine.size() == 5 && mine.back().id == 9);
    CHECK(mine.front().position[2] == 1 && mine.front().note.empty());
    same.root().add_migrating("atoms", nullptr, mine);
    GOOD(varve::read(same.root(), place(name)));
    CHECK(mine.size() == 10);
}

TEST(structs_move_between_processes)
{
    migrate<std::vector<atom>>("atoms in a vector");
    migrate<std::deque<atom>>("atoms in a deque");
    migrate<std::list<atom>>("atoms in a list");
}

TEST(a_failed_owner_callback_gives_no_rank)
{
    std::vector<atom> atoms(2);
    varve::graph graph;
    graph.root().add_migrating("atoms", nullptr, atoms,
        [](const atom &) -> int {
#ifdef __cpp_exceptions
            throw 3;
#else
            return -1;
#endif
        });
    CHECK(varve::write(graph.root(), place("no atoms")).status() ==
          VARVE_MISUSE);
}
