/* run.hpp - Combines a graph, a manager and a training loop in C++. The
 * comments in run.h apply to the calls of the same name.
 *
 *     varve::run run;
 *     run.root().add("weights", weights);
 *     run.open("checkpoints", options);
 *     std::int64_t step = run.resumed_step();
 *     while (step < 100 && run.should_continue()) {
 *         train();
 *         run.step(++step);
 *     }
 *     bool was_stopped = step < 100 && run.was_stopped();
 *     auto ended = run.end();
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RUN_HPP
#define VARVE_RUN_HPP

#include <cstdint>
#include <memory>
#include <utility>

#include <varve/error.hpp>
#include <varve/keeper.hpp>
#include <varve/manager.hpp>
#include <varve/node.hpp>
#include <varve/run.h>

namespace varve
{

struct run_options : varve_run_options {
    run_options() noexcept : varve_run_options()
    {
    }
    run_options(const varve_run_options &c) noexcept : varve_run_options(c)
    {
    }
    /* The same as in manager_options. */
    template <class F> run_options &on_initialize(F &function) noexcept
    {
        manager.initialize = detail::start<F>;
        manager.initialize_user = &function;
        return *this;
    }
};

/* If a run is destroyed without end(), for example by an exception in the
 * middle of a step, nothing is saved (varve_run_free). */
class run
{
public:
    explicit run(const varve_allocator *allocator = nullptr)
        : keeper_(new detail::keeper), run_(varve_run_new(allocator))
    {
    }
    run(run &&) noexcept = default;
    run &operator=(run &&other) noexcept
    {
        std::swap(keeper_, other.keeper_);
        std::swap(run_, other.run_);
        return *this;
    }
    varve_run *get() const noexcept
    {
        return run_.get();
    }
    node root() const noexcept
    {
        return { varve_run_root(get()), keeper_.get() };
    }
    /* NULL until the run is open. */
    varve_manager *manager() const noexcept
    {
        return varve_run_manager(get());
    }
    void open(text directory, const run_options &o = run_options()) const
    {
        varve_run_open(get(), directory.get(), &o);
    }
    bool is_resumed() const noexcept
    {
        return varve_run_is_resumed(get());
    }
    /* The step that was resumed; 0 if none was. */
    std::int64_t resumed_step() const noexcept
    {
        return varve_run_resumed_step(get());
    }
    /* True if the run was asked to stop. Call it before end(). */
    bool was_stopped() const noexcept
    {
        return varve_run_was_stopped(get());
    }
    /* Makes the checks that the first step after a resume would make. Call it
     * when the graph is complete. Returns false if a check fails or the run has
     * failed before. */
    bool check_resume() const
    {
        return varve_run_check_resume(get());
    }
    bool should_continue() const
    {
        return varve_run_should_continue(get());
    }
    void step(std::int64_t number,
        const manager_save_options &o = manager_save_options()) const
    {
        varve_run_step_with(get(), number, &o);
    }
    /* May be called from a signal handler and from any thread. */
    void stop() const noexcept
    {
        varve_run_stop(get());
    }
    /* NULL if there is no warning. */
    const char *warning() const
    {
        return varve_run_warning(get());
    }
    /* Waits for storage levels for up to `drain_seconds`. No other member may
     * be called afterwards. */
    result<void> end()
    {
        return detail::tried(varve_run_end, run_.release());
    }

private:
    std::unique_ptr<detail::keeper> keeper_; /* freed after the run */
    detail::handle<varve_run, varve_run_free> run_;
};

} /* namespace varve */

#endif
