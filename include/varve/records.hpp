/* records.hpp - Reads the records of a data source in C++. The comments in
 * records.h apply to the calls of the same name.
 *
 *     auto records = varve::records::open_lines("train.txt", options);
 *     root.add_records("data", *records);
 *     for (auto batch = records->next(); batch && !batch->is_end();
 *          batch = records->next())
 *         for (const varve_record &record : *batch)
 *             train(record.data, record.size);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RECORDS_HPP
#define VARVE_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <varve/checkpoint.hpp>
#include <varve/error.hpp>
#include <varve/keeper.hpp>
#include <varve/node.hpp>
#include <varve/records.h>

namespace varve
{

/* Zero is the safe default of all members. */
struct records_options
    : detail::options<varve_records_options, records_options> {
    using options::options;
};

/* A batch is valid until the next call for these records. */
struct batch : varve_batch {
    batch(const varve_batch &c) noexcept : varve_batch(c)
    {
    }
    /* True at the end of the data; the batch is then empty. */
    bool is_end() const noexcept
    {
        return count == 0;
    }
    std::size_t size() const noexcept
    {
        return count;
    }
    const varve_record *begin() const noexcept
    {
        return records;
    }
    const varve_record *end() const noexcept
    {
        return count > 0 ? records + count : records;
    }
};

/* Must outlive each graph that contains its position. */
class records
{
public:
    static result<records> open_lines(
        text path, const records_options &o = records_options())
    {
        return detail::made<records>(varve_records_open_lines, path.get(), &o);
    }
    static result<records> open_fixed(text path, std::uint64_t header_size,
        std::uint64_t record_size, const records_options &o = records_options())
    {
        return detail::made<records>(
            varve_records_open_fixed, path.get(), header_size, record_size, &o);
    }
    static result<records> open_tfrecords(
        text path, const records_options &o = records_options())
    {
        return detail::made<records>(
            varve_records_open_tfrecords, path.get(), &o);
    }
    static result<records> open_files(const std::vector<std::string> &paths,
        const records_options &o = records_options())
    {
        std::vector<const char *> c;
        for (const std::string &path : paths)
            c.push_back(path.c_str());
        return detail::made<records>(
            varve_records_open_files, c.data(), c.size(), &o);
    }
    /* Each element of the array is a record. The array is borrowed. */
    template <class T>
    static result<records> open_array(const T *elements, std::size_t count,
        const records_options &o = records_options())
    {
        static_assert(std::is_trivially_copyable_v<T>,
            "unsupported element type of open_array: it must be trivially "
            "copyable");
        return detail::made<records>(varve_records_open_array,
            static_cast<const void *>(elements),
            static_cast<std::uint64_t>(count), sizeof(T), &o);
    }
    static result<records> open(const varve_source &source,
        const records_options &o = records_options())
    {
        return detail::made<records>(varve_records_open, &source, &o);
    }
    explicit records(varve_records *c) noexcept : records_(c)
    {
    }
    varve_records *get() const noexcept
    {
        return records_.get();
    }
    result<batch> next() const
    {
        varve_batch found = {};
        return given(detail::tried(varve_records_next, get(), &found), found);
    }
    /* The next batch, with up to `count` records. */
    result<batch> take(std::size_t count) const
    {
        varve_batch found = {};
        return given(
            detail::tried(varve_records_take, get(), count, &found), found);
    }
    std::uint64_t count() const noexcept
    {
        return varve_records_count(get());
    }
    std::uint64_t epoch() const noexcept
    {
        return varve_records_epoch(get());
    }
    std::uint64_t consumed() const noexcept
    {
        return varve_records_consumed(get());
    }
    result<void> check() const
    {
        return detail::tried(
            varve_records_check, static_cast<const varve_records *>(get()));
    }
    void rewind(std::uint64_t epoch) const noexcept
    {
        varve_records_rewind(get(), epoch);
    }

private:
    static result<batch> given(
        const result<void> &tried, const varve_batch &found)
    {
        if (!tried)
            return tried.error();
        return batch(found);
    }

    detail::handle<varve_records, varve_records_free> records_;
};

inline node node::add_records(text name, const records &source) const
{
    return of(varve_add_records(node_, name.get(), source.get()));
}

} /* namespace varve */

#endif
