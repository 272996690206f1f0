/* test_files.cpp - Tests saving and restoring files, and error messages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <type_traits>

/* Owning types can be moved but not copied. */
template <class... T>
static constexpr bool only_move =
    ((std::is_nothrow_move_constructible_v<T> &&
         std::is_move_assignable_v<T> && !std::is_copy_constructible_v<T> &&
         !std::is_copy_assignable_v<T>) &&
        ...);
static_assert(only_move<varve::graph, varve::restoration, varve::report,
    varve::snapshot, varve::ring, varve::manager, varve::saver, varve::reader,
    varve::job, varve::run, varve::processes>);
static_assert(std::is_trivially_copyable_v<varve::node>);

struct program {
    std::vector<float> kernel = { 1, 2, 3, 4, 5, 6 };
    std::int64_t step = 3;
    varve::graph graph;
    varve::node root = graph.root();

    program()
    {
        root.add("kernel", kernel, { 2, 3 });
        root.add("step", step);
    }
};

TEST(numbered_saves_are_restored)
{
    program p;
    const std::string prefix = place("numbered/ckpt");
    CHECK(varve::restore(p.root, prefix).status() == VARVE_NOT_FOUND);
    CHECK(NEED(varve::save(p.root, prefix)) == 1);
    p.step = 4;
    CHECK(NEED(varve::save(p.root, prefix)) == 2);
    p.step = 0;
    p.kernel.assign(6, 0);
    auto found = NEED(varve::restore(p.root, prefix));
    CHECK(p.step == 4 && p.kernel[5] == 6);
    CHECK(found.counter() == 2);
    CHECK(std::strstr(found.path(), "ckpt-2.varve"));
    GOOD(found.assert_existing_objects_matched());
}

TEST(an_error_is_a_value_with_the_message_of_the_library)
{
    program p;
    const auto none = varve::read(p.root, place("none"));
    CHECK(!none && none.status() == VARVE_NOT_FOUND);
    CHECK(std::strstr(none.error().message, "none"));
    const varve::error copy = none.error();
    CHECK(copy.status == VARVE_NOT_FOUND && copy.system_error != 0);
    CHECK(!std::strcmp(copy.message, none.error().message));
}

TEST(mismatches_are_reported)
{
    program p;
    GOOD(varve::write(p.root, place("told.varve")));
    varve::graph other;
    std::vector<float> kernel(6);
    double extra = 0;
    other.root().add("kernel", kernel, { 2, 3 });
    other.root().add("extra", extra);
    auto found = NEED(varve::read(other.root(), place("told")));
    CHECK(found.assert_consumed().status() == VARVE_UNMATCHED);
    CHECK(found.pending_count() == 1);
    auto report = NEED(found.report());
    CHECK(report.count(VARVE_FINDING_MATCHED) == 1);
    CHECK(!std::strcmp(report.at(VARVE_FINDING_PENDING, 0)->file_path, "step"));
    CHECK(!report.at(VARVE_FINDING_PENDING, 1));
    CHECK(std::strstr(report.text(), "extra"));
    CHECK(std::strstr(NEED(report.json()), "\"file_path\":\"step\""));
    int count = 0;
    GOOD(found.each(VARVE_FINDING_MISSING,
        [&](const varve_finding &finding) {
            count += !std::strcmp(finding.program_path, "extra");
        }));
    CHECK(count == 1);
    std::int64_t step = 0;
    other.root().add("step", step);
    CHECK(step == 3 && found.pending_count() == 0);
}

TEST(a_dry_run_changes_nothing)
{
    program p;
    GOOD(varve::write(p.root, place("plan.varve")));
    p.step = 8;
    auto plan = NEED(varve::dry_run(p.root, place("plan")));
    CHECK(p.step == 8);
    CHECK(NEED(plan.report()).count(VARVE_FINDING_MATCHED) == 2);
}

TEST(options_equal_those_of_c)
{
    program p;
    const std::string path = place("options.varve");
    const varve_metadata kept[] = { varve::metadata("step", 17),
        varve::metadata("rate", 0.5), varve::metadata("best", true),
        varve::metadata("host", "here") };
    varve::write_options write;
    write.metadata = kept;
    write.metadata_count = 4;
    GOOD(varve::write(p.root, path, write));
    write.no_replace = true;
    CHECK(varve::write(p.root, path, write).status() == VARVE_EXISTS);
    varve::read_options read;
    read.only = "step";
    p.kernel[0] = 50;
    auto found = NEED(varve::read(p.root, path, read));
    CHECK(p.kernel[0] == 50);
    CHECK(found.metadata("step")->integer == 17);
    CHECK(found.metadata("rate")->kind == VARVE_METADATA_REAL);
    CHECK(found.metadata("best")->kind == VARVE_METADATA_BOOLEAN);
    CHECK(!std::strcmp(found.metadata("host")->string, "here"));
    CHECK(!found.metadata("none"));
}

/* Changes a byte of a value in a file. */
static void damage(const std::string &path, const void *value, std::size_t size)
{
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::string wanted(static_cast<const char *>(value), size);
    const auto at = bytes.find(wanted);
    CHECK(at != std::string::npos);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(bytes[at] + 1));
}

TEST(losses_are_reported)
{
    program p;
    std::string lost;
    auto note = [&](const char *path, const char *what) {
        lost = *path ? path : what;
    };
    const varve_metadata kept[] = { varve::metadata("host", "here") };
    varve::write_options write;
    write.metadata = kept;
    write.metadata_count = 1;
    write.format = VARVE_FORMAT_NPZ;
    GOOD(varve::write(p.root, place("lost.npz"), write.on_loss(note)));
    CHECK(lost == "metadata \"host\"");
    const std::string path = place("lost.varve");
    GOOD(varve::write(p.root, path));
    damage(path, p.kernel.data(), 6 * sizeof(float));
    varve::read_options read;
    read.salvage.on = true;
    auto found = NEED(varve::read(p.root, path, read.on_loss(note)));
    CHECK(lost == "kernel");
    CHECK(NEED(found.report()).count(VARVE_FINDING_DAMAGED) == 1);
}

TEST(saves_can_be_asynchronous)
{
    program p;
    auto job = NEED(varve::write_async(p.root, place("behind.varve")));
    GOOD(job.wait_staged());
    p.step = 0;
    GOOD(job.wait());
    CHECK(job.is_done() && std::strstr(job.path(), "behind"));
    GOOD(varve::read(p.root, place("behind")));
    CHECK(p.step == 3);
    auto saved = NEED(varve::save_async(p.root, place("later")));
    GOOD(saved.wait());
}

TEST(a_move_is_accepted_or_rolled_back)
{
    program p;
    auto before = NEED(varve::snapshot::take(p.root));
    p.step = 99;
    int differ = 0;
    GOOD(before.diff([&](const varve_difference &) { differ++; }));
    CHECK(differ == 1);
    GOOD(before.restore());
    CHECK(p.step == 3);
    auto ring = NEED(varve::ring::make(p.root, 2));
    GOOD(ring.push());
    p.step = 4;
    GOOD(ring.push());
    CHECK(ring.size() == 2);
    GOOD(ring.rollback(1));
    CHECK(p.step == 3);
    CHECK(ring.rollback(5).status() == VARVE_NOT_FOUND);
}

TEST(a_manager_resumes_from_its_save)
{
    program p;
    const std::string run = place("run");
    varve::manager_options options;
    options.keep_last = 2;
    options.interval_steps = 10;
    bool fresh = false;
    auto start = [&] { fresh = true; };
    options.on_initialize(start);
    {
        auto manager = NEED(varve::manager::open(p.root, run, options));
        CHECK(!NEED(manager.resume()) && fresh);
        CHECK(NEED(manager.save(10)));
        CHECK(!NEED(manager.save(15)));
        p.step = 20;
        CHECK(NEED(manager.save(20)));
        CHECK(manager.size() == 2 && manager.at(1)->step == 20);
    }
    p.step = 0;
    auto manager = NEED(varve::manager::open(p.root, run, options));
    CHECK(NEED(manager.resume()) && p.step == 20);
    CHECK(varve_restoration_counter(manager.restoration()) == 2);
}

TEST(a_manager_holds_its_lock_and_others_may_read)
{
    program p;
    const std::string directory = place("locked");
    varve::manager_options options;
    options.run = "first";
    {
        auto writer = NEED(varve::manager::open(p.root, directory, options));
        const auto second = varve::manager::open(p.root, directory);
        CHECK(second.status() == VARVE_EXISTS);
        CHECK(std::strstr(second.error().message, "run first"));
        varve::manager_options reading;
        reading.read_only = true;
        auto reader = NEED(varve::manager::open(p.root, directory, reading));
        CHECK(reader.resume().status() == VARVE_NOT_FOUND);
        CHECK(NEED(writer.save(1)));
        CHECK(reader.save(2).status() == VARVE_MISUSE && reader.size() == 0);
        GOOD(reader.refresh());
        CHECK(reader.at(0)->step == 1 && NEED(reader.resume()));
        CHECK(std::strcmp(reader.at(0)->run, "first") == 0);
        CHECK(reader.at(0)->identity == writer.at(0)->identity);
    }
    auto later = NEED(varve::manager::open(p.root, directory));
    const std::string before = later.run();
    CHECK(NEED(later.resume()) && before != later.run());
    CHECK(NEED(later.save(2)));
    CHECK(std::strcmp(later.at(1)->run, later.run()) == 0);
    CHECK(later.at(1)->parent == later.at(0)->identity);
}

TEST(a_manager_has_levels)
{
    program p;
    const std::string run = place("fast"), slow = place("slow");
    varve_level level = {};
    level.directory = slow.c_str();
    varve::manager_options options;
    options.levels = &level;
    options.level_count = 1;
    auto manager = NEED(varve::manager::open(p.root, run, options));
    p.step = 7;
    CHECK(NEED(manager.save(7)));
    GOOD(manager.drain(-1));
    CHECK(manager.level_at(0)->step == 7 && !manager.level_at(1));
    p.step = 0;
    options = varve::manager_options();
    options.read_only = true; /* the other manager also handles its tiers */
    auto other = NEED(varve::manager::open(p.root, slow, options));
    CHECK(NEED(other.resume()) && p.step == 7);
}

TEST(a_saver_saves_by_name)
{
    program p;
    auto saver = NEED(varve::saver::make(p.graph));
    GOOD(saver.add("dense/kernel", p.root.find("kernel")));
    GOOD(saver.save(place("named"), varve::saver_save_options(5)));
    CHECK(!saver.warning());
    p.kernel[1] = 0;
    GOOD(saver.restore(saver.latest()));
    CHECK(p.kernel[1] == 2);
    CHECK(saver.restore(place("none")).status() == VARVE_NOT_FOUND);
}

TEST(a_reader_needs_no_program)
{
    program p;
    GOOD(varve::write(p.root, place("read.varve")));
    auto reader = NEED(varve::reader::open(place("read")));
    const auto node = reader.find("kernel");
    CHECK(node && node->value.rank == 2);
    std::vector<float> kernel(varve_tensor_count(&node->value));
    GOOD(reader.read("kernel", kernel));
    CHECK(kernel == p.kernel);
    std::vector<double> wrong(6);
    const auto misfit = reader.read("kernel", wrong);
    CHECK(misfit.status() == VARVE_MISMATCH);
    CHECK(!std::strcmp(misfit.error().message,
        "kernel: expected float64[6], found float32[2,3]"));
    CHECK(reader.read("none", wrong).status() == VARVE_NOT_FOUND);
    int values = 0;
    GOOD(reader.each([&](const varve_saved_node &, const void *bytes) {
        values += bytes != nullptr;
    }));
    CHECK(values == 2);
    GOOD(reader.verify());
}

#ifdef __cpp_exceptions

TEST(exceptions_are_thrown_on_request)
{
    program p;
    varve::write(p.root, place("thrown.varve")).value_or_throw();
    varve::restoration found =
        varve::read(p.root, place("thrown")).value_or_throw();
    found.assert_consumed().value_or_throw();
    try {
        varve::read(p.root, place("none")).value_or_throw();
        CHECK(false);
    } catch (const varve::failure &failure) {
        CHECK(failure.error().status == VARVE_NOT_FOUND);
        CHECK(std::strstr(failure.what(), "none"));
    }
}

#endif
