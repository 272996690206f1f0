/* checkpoint.hpp - Writes, reads, saves and restores checkpoints in C++, with
 * dry runs and asynchronous saves.
 *
 *     auto found = varve::restore(root, "run/ckpt");
 *     if (!found && found.status() != VARVE_NOT_FOUND)
 *         std::cerr << found.error().message << '\n';
 *
 * The comments in checkpoint.h and job.h apply to the calls of the same name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_CHECKPOINT_HPP
#define VARVE_CHECKPOINT_HPP

#include <cstdint>
#include <type_traits>

#include <varve/checkpoint.h>
#include <varve/error.hpp>
#include <varve/job.h>
#include <varve/node.hpp>
#include <varve/restoration.hpp>

namespace varve
{

/* --- Options ------------------------------------------------------------ */

namespace detail
{

/* Calls a progress function of the program. The call is canceled if the
 * function returns false or throws. A function that returns void continues. */
template <class F>
int progress(
    void *user, std::uint64_t done, std::uint64_t total, const char *what)
{
    return guarded(*static_cast<F *>(user), done, total, what) != VARVE_OK;
}

template <class F> void loss(void *user, const char *path, const char *what)
{
    (void)guarded(*static_cast<F *>(user), path, what);
}

/* Members that are common to read and write options. Functions are borrowed:
 * they must remain valid during the call, or as long as the job or the manager
 * exists. */
template <class C, class Self> struct options : C {
    options() noexcept : C()
    {
    }
    options(const C &c) noexcept : C(c)
    {
    }
    template <class F> Self &on_progress(F &function) noexcept
    {
        C::progress = detail::progress<F>;
        C::progress_user = &function;
        return static_cast<Self &>(*this);
    }
};

} /* namespace detail */

/* The options of the C interface, initialized with zero. In C++20 the C structs
 * can be used with designated initializers: varve_write_options{ .no_sync =
 * true }. */
struct write_options : detail::options<varve_write_options, write_options> {
    using options::options;
    template <class F> write_options &on_loss(F &function) noexcept
    {
        foreign.loss = detail::loss<F>;
        foreign.loss_user = &function;
        return *this;
    }
};

struct read_options : detail::options<varve_read_options, read_options> {
    using options::options;
    template <class F> read_options &on_loss(F &function) noexcept
    {
        salvage.loss = detail::loss<F>;
        salvage.loss_user = &function;
        return *this;
    }
};

/* Returns a number, a bool or a string as metadata of a file. Names and strings
 * are borrowed. */
template <class T> varve_metadata metadata(const char *name, const T &value)
{
    varve_metadata m = {};
    m.name = name;
    if constexpr (std::is_same_v<T, bool>) {
        m.kind = VARVE_METADATA_BOOLEAN;
        m.integer = value;
    } else if constexpr (std::is_integral_v<T>) {
        m.kind = VARVE_METADATA_INTEGER;
        m.integer = static_cast<std::int64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        m.kind = VARVE_METADATA_REAL;
        m.real = static_cast<double>(value);
    } else {
        m.kind = VARVE_METADATA_STRING;
        m.string = value;
    }
    return m;
}

/* --- Files with an exact path -------------------------------------------- */

inline result<void> write(
    const node &root, text path, const write_options &o = write_options())
{
    return detail::tried(varve_write, root.get(), path.get(), &o);
}

inline result<restoration> read(
    const node &root, text path, const read_options &o = read_options())
{
    return detail::made<restoration>(varve_read, root.get(), path.get(), &o);
}

inline result<restoration> dry_run(
    const node &root, text path, const read_options &o = read_options())
{
    return detail::made<restoration>(varve_dry_run, root.get(), path.get(), &o);
}

/* --- Numbered files ------------------------------------------------------- */

/* Returns the number of the file. */
inline result<std::uint64_t> save(
    const node &root, text prefix, const write_options &o = write_options())
{
    auto saved = detail::tried(varve_save, root.get(), prefix.get(), &o);
    if (!saved)
        return saved.error();
    return varve_save_counter(root.get());
}

inline result<restoration> restore(
    const node &root, text path, const read_options &o = read_options())
{
    return detail::made<restoration>(varve_restore, root.get(), path.get(), &o);
}

/* --- Asynchronous saves --------------------------------------------------- */

/* An asynchronous save. The destructor waits until it has finished. */
class job
{
public:
    explicit job(varve_job *c) noexcept : job_(c)
    {
    }
    varve_job *get() const noexcept
    {
        return job_.get();
    }
    bool is_done() const
    {
        return varve_job_is_done(get());
    }
    result<void> wait() const
    {
        return detail::tried(varve_job_wait, get());
    }
    result<void> wait_staged() const
    {
        return detail::tried(varve_job_wait_staged, get());
    }
    void cancel() const
    {
        varve_job_cancel(get());
    }
    /* NULL until the save has finished, and if it failed. */
    const char *path() const
    {
        return varve_job_path(get());
    }

private:
    detail::handle<varve_job, varve_job_free> job_;
};

inline result<job> write_async(
    const node &root, text path, const write_options &o = write_options())
{
    return detail::made<job>(varve_write_async, root.get(), path.get(), &o);
}

inline result<job> save_async(
    const node &root, text prefix, const write_options &o = write_options())
{
    return detail::made<job>(varve_save_async, root.get(), prefix.get(), &o);
}

} /* namespace varve */

#endif
