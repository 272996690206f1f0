/* restoration.hpp - Reports the results of a restoration in C++, and restores
 * pending values. The comments in restoration.h apply to the calls of the same
 * name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RESTORATION_HPP
#define VARVE_RESTORATION_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <varve/error.hpp>
#include <varve/keeper.hpp>
#include <varve/node.hpp>
#include <varve/restoration.h>

namespace varve
{

/* The findings at the time when the report was made. */
class report
{
public:
    explicit report(varve_report *c) noexcept : report_(c)
    {
    }
    varve_report *get() const noexcept
    {
        return report_.get();
    }
    std::size_t count(varve_finding_kind kind) const
    {
        return varve_report_count(get(), kind);
    }
    std::optional<varve_finding> at(
        varve_finding_kind kind, std::size_t index) const
    {
        varve_finding finding = {};
        if (!varve_report_at(get(), kind, index, &finding))
            return std::nullopt;
        return finding;
    }
    /* The report as text. */
    const char *text() const
    {
        return varve_report_text(get());
    }
    /* The report as JSON. */
    result<const char *> json() const
    {
        return detail::made<const char *>(varve_report_json, get());
    }

private:
    detail::handle<varve_report, varve_report_free> report_;
};

/* The result of a read. Pending values are restored as long as the object
 * exists. */
class restoration
{
public:
    explicit restoration(varve_restoration *c) noexcept : restoration_(c)
    {
    }
    varve_restoration *get() const noexcept
    {
        return restoration_.get();
    }
    const char *path() const
    {
        return varve_restoration_path(get());
    }
    std::uint64_t counter() const
    {
        return varve_restoration_counter(get());
    }
    /* The number of passes in which the restored values were read. */
    varve_passes passes() const
    {
        return varve_restoration_passes(get());
    }
    /* NULL if the file has no metadata of this name. */
    const varve_metadata *metadata(text name) const
    {
        return varve_restoration_metadata(get(), name.get());
    }
    std::size_t pending_count() const
    {
        return varve_pending_count(get());
    }
    /* Drops all pending values if no pattern is given. */
    result<void> drop_pending(text pattern = nullptr) const
    {
        return detail::tried(varve_drop_pending, get(), pattern.get());
    }
    result<void> retry() const
    {
        return detail::tried(varve_restoration_retry, get());
    }
    result<void> again(const node &node) const
    {
        return detail::tried(varve_restore_again, get(), node.get());
    }
    result<void> verify() const
    {
        return detail::tried(varve_restoration_verify, get());
    }
    result<void> assert_consumed() const
    {
        return detail::tried(varve_assert_consumed, get());
    }
    result<void> assert_existing_objects_matched() const
    {
        return detail::tried(varve_assert_existing_objects_matched, get());
    }
    result<void> assert_nontrivial_match() const
    {
        return detail::tried(varve_assert_nontrivial_match, get());
    }
    result<varve::report> report() const
    {
        return detail::made<varve::report>(varve_report_new, get());
    }
    /* Calls `visit` with each current varve_finding of a kind. */
    template <class F>
    result<void> each(varve_finding_kind kind, F &&visit) const
    {
        return detail::tried(varve_each_finding, get(), kind,
            detail::borrowed<std::remove_reference_t<F>, const varve_finding *>,
            static_cast<void *>(&visit));
    }

private:
    detail::handle<varve_restoration, varve_restoration_free> restoration_;
};

} /* namespace varve */

#endif
