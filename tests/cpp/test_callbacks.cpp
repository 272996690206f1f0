/* test_callbacks.cpp - Tests callbacks of the program: they get the promised
 * arguments, and their exceptions do not pass through C.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>

TEST(a_state_is_saved_by_functions)
{
    varve::graph graph;
    std::mt19937 random(42);
    random.discard(1000);
    graph.root().add_state(
        "random",
        [&](varve::sink bytes) {
            std::ostringstream text;
            text << random;
            bytes.put(text.str());
        },
        [&](std::string_view bytes) {
            std::istringstream text{ std::string(bytes) };
            std::mt19937 restored;
            if (!(text >> restored))
                return false;
            random = restored;
            return true;
        });
    GOOD(varve::write(graph.root(), place("random.varve")));
    const std::mt19937 before = random;
    random.discard(17);
    GOOD(varve::read(graph.root(), place("random")));
    CHECK(random == before);
}

TEST(a_failed_state_fails_the_call)
{
    varve::graph graph;
    std::string bytes = "good";
    varve_status status = VARVE_OK;
    graph.root().add_state(
        "state", [&](varve::sink to) { to.put(bytes); },
        [&](std::string_view) { return status; });
    GOOD(varve::write(graph.root(), place("failed.varve")));
    GOOD(varve::read(graph.root(), place("failed")));
    status = VARVE_IO;
    const auto failed = varve::read(graph.root(), place("failed"));
    CHECK(failed.status() == VARVE_CALLBACK);
    status = VARVE_NO_MEMORY;
    CHECK(varve::read(graph.root(), place("failed")).status() ==
        VARVE_NO_MEMORY);
}

static std::string content(const std::string &path)
{
    std::ifstream in(path);
    return { std::istreambuf_iterator<char>(in), {} };
}

TEST(an_output_is_truncated_to_its_saved_length)
{
    for (const auto mode : { std::ios::app, std::ios::out }) {
        const std::string path = place("loss.csv");
        std::remove(path.c_str());
        varve::graph graph;
        std::ofstream log(path, mode);
        graph.root().add_output("log", log, path);
        log << "one\n";
        GOOD(varve::write(graph.root(), place("output.varve")));
        log << "two\n";
        GOOD(varve::read(graph.root(), place("output")));
        log << "2\n" << std::flush;
        CHECK(content(path) == "one\n2\n");
        log.setstate(std::ios::badbit);
        CHECK(varve::write(graph.root(), place("output.varve")).status() ==
            VARVE_CALLBACK);
    }
}

TEST(an_output_is_a_c_stream_or_a_descriptor)
{
    const std::string path = place("trace");
    varve::graph graph;
    std::FILE *file = std::fopen(path.c_str(), "w");
    graph.root().add_output("file", file);
    graph.root().add_output("descriptor", fileno(file));
    std::fputs("one\n", file);
    std::fflush(file);
    GOOD(varve::write(graph.root(), place("trace.varve")));
    std::fputs("two\n", file);
    GOOD(varve::read(graph.root(), place("trace.varve")));
    std::fclose(file);
    CHECK(content(path) == "one\n");
    const varve::node none = graph.root().add_output("none", -1);
    CHECK(!none && !graph.check());
}

TEST(an_output_without_a_file_is_an_error)
{
    varve::graph graph;
    std::ofstream log;
    graph.root().add_output("log", log, place("nowhere/loss.csv"));
    CHECK(graph.check().status() == VARVE_NOT_FOUND);
}

TEST(initializers_set_values_missing_in_the_file)
{
    varve::graph graph;
    const varve::node made = graph.root().add_allocated<float>(
        "kernel", { 2, 2 }, [n = 1.5f](varve::values<float> values) mutable {
            for (float &value : values)
                value = n++;
        });
    const varve::node zeros = graph.root().add_allocated<int>("zeros", 3);
    GOOD(graph.check());
    CHECK(made.values_as<float>()[3] == 4.5f);
    CHECK(zeros.values_as<int>().size() == 3 && zeros.values_as<int>()[2] == 0);
    std::vector<double> mine(2), sums(1);
    const varve::node sum = graph.root().add("sum", sums);
    const varve::node first = graph.root().add("mine", mine);
    first.set_initializer([](const varve_tensor &tensor) {
        for (double &each : varve::values_of<double>(&tensor))
            each = 2;
    });
    sum.set_initializer([&](const varve_tensor &) {
           sums[0] = mine[0] + mine[1];
       }).initialize_after(first);
    CHECK(graph.root().require_ready().status() == VARVE_UNMATCHED);
    GOOD(graph.root().initialize());
    CHECK(sums[0] == 4);
    GOOD(graph.root().require_ready());
}

TEST(children_are_created_on_demand)
{
    std::vector<std::vector<float>> three = { { 1 }, { 2, 3 }, { 4 } };
    {
        varve::graph graph;
        graph.root().add("list", three);
        GOOD(varve::write(graph.root(), place("demand.varve")));
    }
    varve::graph graph;
    std::vector<std::unique_ptr<std::vector<float>>> made;
    graph.root().add_list("list").set_on_demand(
        [&](varve::node list, const varve_offer &offer) {
            made.push_back(
                std::make_unique<std::vector<float>>(offer.value->shape[0]));
            list.append(*made.back());
        });
    auto found = NEED(varve::read(graph.root(), place("demand")));
    GOOD(found.assert_consumed());
    CHECK(made.size() == 3 && (*made[1])[1] == 3);
}

TEST(nodes_are_visited)
{
    varve::graph graph;
    float a = 1, b = 2;
    graph.root().add("a", a).tag(VARVE_TAG_TRAINABLE);
    graph.root().add("b", b);
    varve::select trainable;
    trainable.tag = VARVE_TAG_TRAINABLE;
    std::string paths;
    GOOD(graph.root().each(trainable, [&](varve::node node, const char *path) {
        node.values_as<float>()[0] = 5;
        paths += path;
    }));
    CHECK(paths == "a" && a == 5 && b == 2);
    auto stop = [](varve::node, const char *) { return VARVE_CANCELLED; };
    const auto ended = graph.root().each({}, stop);
    CHECK(ended.status() == VARVE_CANCELLED);
}

TEST(progress_is_reported_and_may_cancel)
{
    varve::graph graph;
    std::vector<double> values(1 << 18);
    graph.root().add("values", values);
    std::uint64_t last = 0;
    auto tell = [&](std::uint64_t done, std::uint64_t, const char *) {
        last = done;
    };
    auto refuse = [](std::uint64_t, std::uint64_t, const char *) {
        return false;
    };
    GOOD(varve::write(graph.root(), place("told.varve"),
        varve::write_options().on_progress(tell)));
    CHECK(last >= values.size() * sizeof(double));
    const auto cancelled = varve::write(graph.root(), place("not.varve"),
        varve::write_options().on_progress(refuse));
    CHECK(cancelled.status() == VARVE_CANCELLED);
}

#ifdef __cpp_exceptions

/* Selects the exception to throw, or none. */
static int to_throw;

static void may_throw()
{
    if (to_throw == 1)
        throw std::bad_alloc();
    if (to_throw == 2)
        throw std::runtime_error("of the program");
    if (to_throw == 3)
        throw 3;
}

TEST(an_exception_of_a_state_is_a_status)
{
    varve::graph graph;
    graph.root().add_state(
        "state", [](varve::sink) { may_throw(); },
        [](std::string_view) { may_throw(); });
    to_throw = 0;
    const std::string path = place("state.varve");
    GOOD(varve::write(graph.root(), path));
    const varve_status expected[] = { VARVE_OK, VARVE_NO_MEMORY,
        VARVE_CALLBACK, VARVE_CALLBACK };
    for (to_throw = 1; to_throw <= 3; to_throw++) {
        CHECK(varve::write(graph.root(), path).status() ==
            expected[to_throw]);
        CHECK(varve::read(graph.root(), path).status() == expected[to_throw]);
    }
    to_throw = 0;
    GOOD(varve::read(graph.root(), path));
}

TEST(an_exception_of_an_initializer_is_an_error)
{
    to_throw = 2;
    varve::graph graph;
    graph.root().add_allocated<float>(
        "made", 3, [](varve::values<float>) { may_throw(); });
    CHECK(graph.check().status() == VARVE_CALLBACK);
    to_throw = 0;
}

TEST(exceptions_of_other_callbacks_fail_the_call)
{
    varve::graph graph;
    std::vector<float> values(3);
    graph.root().add("values", values);
    to_throw = 2;
    const auto visit = [](varve::node, const char *) { may_throw(); };
    CHECK(graph.root().each({}, visit).status() == VARVE_CALLBACK);
    auto tell = [](std::uint64_t, std::uint64_t, const char *) {
        may_throw();
    };
    CHECK(varve::write(graph.root(), place("thrown.varve"),
              varve::write_options().on_progress(tell))
              .status() == VARVE_CANCELLED);
    auto before = NEED(varve::snapshot::take(graph.root()));
    values[0] = 1;
    CHECK(before.diff([](const varve_difference &) { may_throw(); })
              .status() == VARVE_CALLBACK);
    auto start = [] { may_throw(); };
    auto manager = NEED(varve::manager::open(graph.root(), place("empty_run"),
        varve::manager_options().on_initialize(start)));
    CHECK(manager.resume().status() == VARVE_CALLBACK);
    to_throw = 0;
}

#endif
