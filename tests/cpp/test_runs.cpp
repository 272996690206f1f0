/* test_runs.cpp - Tests varve::run in one and in several processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>

/* --- A run ---------------------------------------------------------------- */

struct sums {
    double sum = 0;
    std::int64_t step = 0;
};

static varve::result<void> go_on(
    const char *directory, sums &s, std::int64_t end, bool stops = false)
{
    varve::run run;
    run.root().add("sum", s.sum);
    run.root().add("step", s.step);
    varve::run_options options;
    options.manager.interval_steps = 10;
    options.manager.keep_last = 2;
    options.last_step = end; /* saved at the end */
    run.open(place(directory), options);
    while (run.should_continue()) {
        s.step++;
        s.sum += 1.0 / static_cast<double>(s.step);
        run.step(s.step);
        if (stops && s.step == 3)
            run.stop();
    }
    return run.end();
}

TEST(a_run_resumes_at_its_last_step)
{
    sums straight, first, second;
    GOOD(go_on("straight", straight, 25));
    GOOD(go_on("two", first, 13));
    GOOD(go_on("two", second, 25));
    CHECK(second.step == 25 && second.sum == straight.sum);
    sums stopped, after;
    GOOD(go_on("stopped", stopped, 25, true));
    CHECK(stopped.step == 3);
    GOOD(go_on("stopped", after, 3));
    CHECK(after.sum == stopped.sum);
}

TEST(a_run_saves_its_last_step_before_the_program_changes_it)
{
    sums s;
    varve::run_options options;
    options.manager.interval_steps = 10;
    options.last_step = 3;
    for (const double wanted : { 0.0, 3.0 }) {
        varve::run run;
        run.root().add("sum", s.sum = 0);
        run.open(place("changed"), options);
        CHECK(s.sum == wanted);
        while (run.should_continue())
            run.step(static_cast<std::int64_t>(s.sum += 1));
        s.sum = -1;
        GOOD(run.end());
    }
}

TEST(a_run_returns_the_first_failure_at_its_end)
{
    varve::run run;
    CHECK(!run.check_resume());
    CHECK(!run.should_continue());
    run.step(1);
    const auto ended = run.end();
    CHECK(ended.status() == VARVE_MISUSE);
    CHECK(std::strstr(ended.error().message, "varve_run_open"));
}

TEST(an_abandoned_run_saves_nothing_more)
{
    sums s;
    {
        varve::run run;
        run.root().add("step", s.step);
        run.open(place("left"));
        run.step(s.step = 1);
        varve::run_options rarely;
        rarely.manager.interval_steps = 100;
        varve::run other;
        other.root().add("step", s.step);
        other.open(place("left_early"), rarely);
        other.step(1);
        other = varve::run();
    }
    sums found;
    varve::run run;
    run.root().add("step", found.step);
    run.open(place("left"));
    CHECK(run.is_resumed() && found.step == 1 && run.manager());
    CHECK(run.resumed_step() == 1 && !run.was_stopped());
    run.stop();
    CHECK(run.was_stopped());
    GOOD(run.end());
    varve::run none;
    none.root().add("step", found.step);
    none.open(place("left_early"));
    CHECK(!none.is_resumed() && !none.warning());
    GOOD(none.end());
}

TEST(a_run_with_mismatched_names_saves_nothing)
{
    sums s;
    varve::run first;
    first.root().add("sum", s.sum);
    first.open(place("strict"));
    first.step(1);
    GOOD(first.end());
    for (const bool is_partial : { false, true }) {
        varve::run run;
        run.root().add("total", s.sum);
        run.root().add("sum", s.step);
        run.open(place("strict"));
        CHECK(run.end().status() == VARVE_MISMATCH);
        varve::run other;
        sums t;
        other.root().add("sum", t.sum);
        other.root().add("more", t.step);
        varve::run_options options;
        options.allow_partial = is_partial;
        other.open(place("strict"), options);
        other.step(2);
        const auto ended = other.end();
        CHECK(ended.status() == (is_partial ? VARVE_OK : VARVE_UNMATCHED));
        if (!is_partial) {
            const std::string message = ended.error().message;
            const auto hint = message.rfind("\nhint: ");
            CHECK(message.find("\n  more ") < hint);
            CHECK(message.find("node::alias", hint) != message.npos);
            CHECK(message.find("varve_alias") == message.npos);
        }
    }
}

TEST(a_run_initializes_variables_without_a_checkpoint)
{
    int calls = 0;
    auto initialize = [&] { calls++; };
    sums s;
    for (int i = 0; i < 2; i++) {
        varve::run run;
        run.root().add("step", s.step);
        varve::run_options options;
        run.open(place("fresh"), options.on_initialize(initialize));
        run.step(++s.step);
        GOOD(run.end());
    }
    CHECK(calls == 1 && s.step == 2);
}

TEST(a_run_waits_for_its_levels_at_its_end)
{
    const std::string level = place("run_level"), slow = place("slow_level");
    varve_level levels[1] = {};
    levels[0].directory = level.c_str();
    sums s;
    const auto save_one = [&](varve::run_options &options) {
        varve::run run;
        run.root().add("step", s.step);
        options.manager.levels = levels;
        options.manager.level_count = 1;
        run.open(place("run_with_levels"), options);
        run.step(++s.step);
        return run.end();
    };
    varve::run_options options;
    GOOD(save_one(options));
    varve::graph graph;
    std::int64_t step = 0;
    graph.root().add("step", step);
    NEED(varve::restore(graph.root(), level + "/ckpt"));
    CHECK(step == 1);
    levels[0].directory = slow.c_str();
    levels[0].bytes_per_second = 1;
    options.drain_seconds = 0.1;
    CHECK(save_one(options).status() == VARVE_TIMEOUT);
}

/* --- Numbers that threads share ------------------------------------------- */

struct counters {
    std::atomic<int> seen{ 0 };
    std::array<std::atomic<double>, 3> sums{};
    friend constexpr auto varve_fields(const counters *)
    {
        return varve::fields(varve::field("seen", &counters::seen),
            varve::field("sums", &counters::sums));
    }
};

TEST(an_atomic_is_saved_as_its_number)
{
    counters c;
    varve::graph graph;
    graph.root().add("counters", c);
    c.seen = 7;
    c.sums[2] = 2.5;
    GOOD(varve::write(graph.root(), place("atomic.varve")));
    CHECK(text_of(c.seen) == "int32[]" && text_of(c.sums) == "float64[3]");
    varve::graph plain;
    int seen = 0;
    std::array<double, 3> sums{};
    const varve::node node = plain.root().add_object("counters");
    node.add("seen", seen);
    node.add("sums", sums);
    GOOD(NEED(varve::read(plain.root(), place("atomic.varve")))
             .assert_consumed());
    CHECK(seen == 7 && sums[2] == 2.5);
    c.seen = 0;
    c.sums[2] = 0;
    GOOD(NEED(varve::read(graph.root(), place("atomic.varve")))
             .assert_consumed());
    CHECK(c.seen == 7 && c.sums[2] == 2.5);
}

/* --- Many processes ------------------------------------------------------- */

static constexpr std::size_t ROWS = 10;

/* Runs `work` in each of `size` processes; 0 if all succeeded. */
template <class F> static void with_processes(std::uint32_t size, F &&work)
{
    auto all = NEED(varve::processes::make(size));
    std::vector<pid_t> children;
    std::uint32_t rank = size - 1;
    for (; rank > 0; rank--) {
        const pid_t child = fork();
        if (child == 0)
            break;
        children.push_back(child);
    }
    {
        const varve::comm comm = NEED(all.join(rank));
        CHECK(comm.rank() == rank && comm.size() == size);
        work(comm);
    }
    if (rank > 0)
        std::_Exit(0);
    for (const pid_t child : children) {
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
}

static std::vector<std::array<float, 4>> rows_of(
    const varve::comm &comm, std::size_t &first)
{
    first = ROWS * comm.rank() / comm.size();
    return std::vector<std::array<float, 4>>(
        ROWS * (comm.rank() + 1) / comm.size() - first);
}

static void save_rows(const varve::comm &comm, const std::string &path)
{
    std::size_t first;
    auto mine = rows_of(comm, first);
    for (std::size_t i = 0; i < mine.size(); i++)
        for (std::size_t k = 0; k < 4; k++)
            mine[i][k] = static_cast<float>(4 * (first + i) + k);
    varve::graph graph;
    const varve::node root = graph.root();
    root.add_slice("rows", mine, { ROWS, 4 }, { first, 0 });
    const auto written = varve::write_all(comm, root, path);
    GOOD(written);
    CHECK(root.find("rows").slice()->start[0] == first);
    CHECK(!root.slice());
}

static void restore_rows(const varve::comm &comm, const std::string &path)
{
    std::size_t first;
    auto mine = rows_of(comm, first);
    varve::graph graph;
    graph.root().add_slice("rows", mine, { ROWS, 4 }, { first, 0 });
    auto found = NEED(varve::read_all(comm, graph.root(), path));
    GOOD(comm.agree(found.assert_consumed()));
    const auto end = static_cast<float>(4 * (first + mine.size()));
    CHECK(mine.empty() || mine.back()[3] + 1 == end);
}

TEST(many_processes_save_and_restore_one_checkpoint)
{
    const std::string path = place("together.varve");
    with_processes(3, [&](const varve::comm &c) { save_rows(c, path); });
    with_processes(2, [&](const varve::comm &c) { restore_rows(c, path); });
    std::vector<float> all(ROWS * 4);
    varve::graph graph;
    graph.root().add("rows", all, { ROWS, 4 });
    GOOD(NEED(varve::read(graph.root(), path)).assert_consumed());
    for (std::size_t i = 0; i < all.size(); i++)
        CHECK(all[i] == static_cast<float>(i));
}

TEST(many_processes_count_their_saves_and_agree)
{
    const std::string prefix = place("together/ckpt");
    with_processes(2, [&](const varve::comm &c) {
        std::int64_t step = 5;
        varve::graph graph;
        graph.root().add("step", step);
        CHECK(NEED(varve::save_all(c, graph.root(), prefix)) == 1);
        step = 0;
        auto found = NEED(varve::restore_all(c, graph.root(), prefix));
        CHECK(step == 5 && found.counter() == 1);
        CHECK(c.any(c.rank() == 1) && !c.any(false));
        const varve::result<void> own =
            c.rank() == 1 ? varve::result<void>(varve::error(
                                VARVE_CANCELLED, "had enough"))
                          : varve::result<void>();
        const auto all = c.agree(own);
        CHECK(all.status() == VARVE_CANCELLED);
        CHECK(std::strstr(all.error().message, "had enough"));
    });
}

/* If one process is asked to stop, all stop. */
TEST(many_processes_run_and_stop_together)
{
    const std::string directory = place("together_run");
    with_processes(2, [&](const varve::comm &c) {
        std::int64_t step = 0;
        varve::run run;
        varve::run_options options;
        options.manager.comm = c.get();
        run.root().add("step", step);
        run.open(directory, options);
        while (step < 10 && run.should_continue()) {
            if (++step == 4 && c.rank() == 1)
                run.stop();
            run.step(step);
        }
        GOOD(run.end());
        CHECK(step == 4);
    });
}

TEST(a_slice_starts_in_the_dimensions_of_its_value)
{
    std::vector<float> mine(4);
    varve::graph graph;
    const varve::node node =
        graph.root().add_slice("rows", mine, { 8 }, { 4, 0 });
    CHECK(!node && graph.check().status() == VARVE_BAD_SHAPE);
}

/* --- A communicator of the program's -------------------------------------- */

/* A communicator of one process that records its calls. */
struct alone {
    int calls = 0;
    bool fails = false;

    bool agree(std::uint64_t &)
    {
        calls++;
        return !fails;
    }
    void gather(const void *bytes, std::size_t size, void *all)
    {
        calls++;
        if (size)
            std::memcpy(all, bytes, size);
    }
    varve_status gather_varied(const void *bytes, std::size_t size, void *all,
        const std::uint64_t *)
    {
        gather(bytes, size, all);
        return VARVE_OK;
    }
    varve::result<void> broadcast(void *, std::size_t)
    {
        calls++;
        return {};
    }
    void barrier()
    {
        calls++;
    }
};

TEST(a_communicator_uses_the_functions_of_the_program)
{
    alone own;
    const varve_comm table = varve::comm_over(own, 0, 1);
    std::int64_t step = 3;
    varve::graph graph;
    graph.root().add("step", step);
    GOOD(varve::write_all(&table, graph.root(), place("own.varve")));
    CHECK(own.calls > 0);
    char byte = 1, other = 0;
    CHECK(table.gather(table.self, &byte, 1, &other) == VARVE_OK && other);
    CHECK(table.gather_varied(table.self, &byte, 0, &other, nullptr) ==
          VARVE_OK);
    CHECK(table.broadcast(table.self, &byte, 1) == VARVE_OK);
    CHECK(table.barrier(table.self) == VARVE_OK);
    own.fails = true;
    std::uint64_t value = 0;
    CHECK(table.agree(table.self, &value) == VARVE_DISCONNECTED);
}
