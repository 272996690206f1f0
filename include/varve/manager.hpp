/* manager.hpp - Manages numbered checkpoints, and savers by name, in C++. The
 * comments in manager.h and saver.h apply to the calls of the same name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MANAGER_HPP
#define VARVE_MANAGER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>

#include <varve/checkpoint.hpp>
#include <varve/error.hpp>
#include <varve/graph.hpp>
#include <varve/manager.h>
#include <varve/saver.h>

namespace varve
{

namespace detail
{

template <class F> varve_status start(void *user)
{
    return guarded(*static_cast<F *>(user));
}

} /* namespace detail */

/* --- Managers ----------------------------------------------------------- */

struct manager_options : varve_manager_options {
    manager_options() noexcept : varve_manager_options()
    {
    }
    manager_options(const varve_manager_options &c) noexcept
        : varve_manager_options(c)
    {
    }
    /* Called if there is no checkpoint to resume from. The function, like all
     * other objects that these options point to, is borrowed and must remain
     * valid as long as the manager exists. */
    template <class F> manager_options &on_initialize(F &function) noexcept
    {
        initialize = detail::start<F>;
        initialize_user = &function;
        return *this;
    }
};

struct manager_save_options : varve_manager_save_options {
    manager_save_options() noexcept : varve_manager_save_options()
    {
    }
    manager_save_options(const varve_manager_save_options &c) noexcept
        : varve_manager_save_options(c)
    {
    }
};

class manager
{
public:
    static result<manager> open(const node &root, text directory,
        const manager_options &o = manager_options())
    {
        return detail::made<manager>(
            varve_manager_new, root.get(), directory.get(), &o);
    }
    explicit manager(varve_manager *c) noexcept : manager_(c)
    {
    }
    varve_manager *get() const noexcept
    {
        return manager_.get();
    }
    /* Returns false if there is no checkpoint to resume from. */
    result<bool> resume() const
    {
        auto resumed = detail::tried(varve_manager_resume, get());
        if (!resumed)
            return resumed.error();
        return varve_manager_restoration(get()) != nullptr;
    }
    /* The restoration of the last resume, which the manager owns. NULL if
     * nothing was restored. */
    varve_restoration *restoration() const
    {
        return varve_manager_restoration(get());
    }
    result<void> assert_consumed() const
    {
        return detail::tried(varve_manager_assert_consumed, get());
    }
    result<void> finish_resume() const
    {
        return detail::tried(varve_manager_finish_resume, get());
    }
    /* Returns true if a save was due and has been made; with `async`, begun. */
    result<bool> save(std::int64_t step,
        const manager_save_options &o = manager_save_options()) const
    {
        const bool due = o.force || varve_manager_is_due(get(), step);
        auto saved = detail::tried(varve_manager_save_with, get(), step, &o);
        if (!saved)
            return saved.error();
        return due;
    }
    bool is_due(std::int64_t step) const
    {
        return varve_manager_is_due(get(), step);
    }
    result<void> wait() const
    {
        return detail::tried(varve_manager_wait, get());
    }
    result<void> drain(double seconds) const
    {
        return detail::tried(varve_manager_drain, get(), seconds);
    }
    std::optional<varve_level_state> level_at(std::size_t index) const
    {
        varve_level_state state = {};
        if (!varve_manager_level_at(get(), index, &state))
            return std::nullopt;
        return state;
    }
    /* May be called from a signal handler. */
    void request_save() const noexcept
    {
        varve_manager_request_save(get());
    }
    /* Paths, valid until the next call that reads the directory. NULL if there
     * is none. */
    const char *saved() const
    {
        return varve_manager_saved(get());
    }
    const char *latest() const
    {
        return varve_manager_latest(get());
    }
    const char *warning() const
    {
        return varve_manager_warning(get());
    }
    /* The identifier of this run. */
    const char *run() const
    {
        return varve_manager_run(get());
    }
    /* Lists the directory again. Use it with `read_only`, while another manager
     * saves there. */
    result<void> refresh() const
    {
        return detail::tried(varve_manager_refresh, get());
    }
    std::size_t size() const
    {
        return varve_manager_count(get());
    }
    std::optional<varve_checkpoint_info> at(std::size_t index) const
    {
        varve_checkpoint_info managed = {};
        if (!varve_manager_at(get(), index, &managed))
            return std::nullopt;
        return managed;
    }

private:
    detail::handle<varve_manager, varve_manager_free> manager_;
};

/* --- Savers ------------------------------------------------------------- */

struct saver_options : varve_saver_options {
    saver_options() noexcept : varve_saver_options()
    {
    }
    saver_options(const varve_saver_options &c) noexcept
        : varve_saver_options(c)
    {
    }
};

struct saver_save_options : varve_saver_save_options {
    saver_save_options() noexcept : varve_saver_save_options()
    {
    }
    explicit saver_save_options(std::uint64_t step_in_name) noexcept
        : varve_saver_save_options()
    {
        has_step = true;
        step = step_in_name;
    }
};

class saver
{
public:
    static result<saver> make(
        const graph &graph, const saver_options &o = saver_options())
    {
        return detail::made<saver>(varve_saver_new, graph.get(), &o);
    }
    explicit saver(varve_saver *c) noexcept : saver_(c)
    {
    }
    varve_saver *get() const noexcept
    {
        return saver_.get();
    }
    result<void> add(text name, const node &node) const
    {
        return detail::tried(varve_saver_add, get(), name.get(), node.get());
    }
    result<void> save(
        text prefix, const saver_save_options &o = saver_save_options()) const
    {
        return detail::tried(varve_saver_save, get(), prefix.get(), &o);
    }
    result<void> wait() const
    {
        return detail::tried(varve_saver_wait, get());
    }
    /* Returns an empty restoration (get() is NULL) if the map is empty. */
    result<restoration> restore(
        text path, const read_options &o = read_options()) const
    {
        varve_restoration *found = nullptr;
        auto restored =
            detail::tried(varve_saver_restore, get(), path.get(), &o, &found);
        if (!restored)
            return restored.error();
        return restoration(found);
    }
    const char *latest() const
    {
        return varve_saver_latest(get());
    }
    const char *warning() const
    {
        return varve_saver_warning(get());
    }

private:
    detail::handle<varve_saver, varve_saver_free> saver_;
};

} /* namespace varve */

#endif
