/* reader.hpp - Opens a checkpoint without a graph and reads values from it, in
 * C++. The comments in reader.h apply to the calls of the same name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_READER_HPP
#define VARVE_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/checkpoint.hpp>
#include <varve/error.hpp>
#include <varve/keeper.hpp>
#include <varve/reader.h>
#include <varve/tensor.hpp>

namespace varve
{

namespace detail
{

/* Converts values from the little-endian order of files to that of the host. */
inline void to_host_order(const varve_tensor &view) noexcept
{
    const std::uint16_t one = 1;
    if (*reinterpret_cast<const unsigned char *>(&one) == 1)
        return;
    const bool is_complex =
        view.dtype == VARVE_COMPLEX64 || view.dtype == VARVE_COMPLEX128;
    const std::size_t width =
        varve_dtype_size(view.dtype) / (is_complex ? 2 : 1);
    auto *bytes = static_cast<unsigned char *>(view.data);
    auto *const end = bytes + varve_tensor_size(&view);
    for (; bytes != end; bytes += width)
        std::reverse(bytes, bytes + width);
}

/* Copies a row-major value to the elements of a strided view. */
inline void put_apart(const strided_view &view, const unsigned char *bytes)
{
    const std::size_t size = varve_dtype_size(view.dtype);
    const std::uint64_t count = varve_tensor_count(&view);
    for (std::uint64_t i = 0; i < count; i++, bytes += size) {
        auto *to = static_cast<unsigned char *>(view.data);
        std::uint64_t index = i;
        for (std::uint32_t k = view.rank; k-- > 0; index /= view.shape[k])
            to += std::int64_t(index % view.shape[k]) * view.strides()[k];
        std::memcpy(to, bytes, size);
    }
}

inline varve::error misfit(
    const char *path, const varve_tensor &saved, const varve_tensor &wanted)
{
    char found[VARVE_TENSOR_TEXT_SIZE];
    char expected[VARVE_TENSOR_TEXT_SIZE];
    char line[2 * VARVE_TENSOR_TEXT_SIZE + 512];
    std::snprintf(line, sizeof line, "%.400s: expected %s, found %s", path,
        varve_tensor_text(&wanted, expected), varve_tensor_text(&saved, found));
    return varve::error(VARVE_MISMATCH, line);
}

inline varve::error no_value(const char *path)
{
    char line[512];
    std::snprintf(line, sizeof line,
        "%.400s: the file has no value with this path", path);
    return varve::error(VARVE_NOT_FOUND, line);
}

} /* namespace detail */

class reader
{
public:
    static result<reader> open(text path)
    {
        return detail::made<reader>(varve_reader_open, path.get(), nullptr);
    }
    explicit reader(varve_reader *c) noexcept : reader_(c)
    {
    }
    varve_reader *get() const noexcept
    {
        return reader_.get();
    }
    /* Returns the C reader, which the caller must free. */
    varve_reader *release() noexcept
    {
        return reader_.release();
    }
    std::uint64_t counter() const
    {
        return varve_reader_counter(get());
    }
    std::size_t size() const
    {
        return varve_reader_node_count(get());
    }
    std::optional<varve_saved_node> at(std::size_t id) const
    {
        varve_saved_node node = {};
        if (!varve_reader_node_at(get(), id, &node))
            return std::nullopt;
        return node;
    }
    std::optional<varve_saved_node> find(text path) const
    {
        varve_saved_node node = {};
        if (!varve_reader_find(get(), path.get(), &node))
            return std::nullopt;
        return node;
    }
    /* The path and description of each part of an external file that is neither
     * a node, a value nor metadata (varve_reader_left_out_at). */
    std::vector<std::pair<std::string, std::string>> left_out() const
    {
        std::vector<std::pair<std::string, std::string>> found;
        const char *path = nullptr, *what = nullptr;
        while (varve_reader_left_out_at(get(), found.size(), &path, &what))
            found.emplace_back(path, what);
        return found;
    }
    /* Reads a value into memory of the program. The type and the number of
     * elements must be equal: otherwise the call fails with VARVE_MISMATCH, or
     * with VARVE_NOT_FOUND if there is no such value. The call does not resize
     * a vector: resize it first to the number of elements in the file
     * (varve_tensor_count). A matrix is filled in row-major order. */
    template <class T> result<void> read(text path, T &&into) const
    {
        const auto view = detail::view_of_given(std::forward<T>(into));
        const auto node = find(path);
        if (!node || !node->has_value)
            return detail::no_value(path.get());
        if (node->value.dtype != view.dtype ||
            varve_tensor_count(&node->value) != varve_tensor_count(&view))
            return detail::misfit(path.get(), node->value, view);
        if (!view.data && varve_tensor_count(&view) > 0)
            return varve::error(
                VARVE_MISUSE, detail::is_invalid(view)
                                  ? view.memory->invalid
                                  : "expected memory to read into, found none");
        return read_into(node->id, view);
    }
    /* Calls `visit` with each varve_saved_node that has a value, and with its
     * bytes as they are in the file. */
    template <class F> result<void> each(F &&visit, unsigned threads = 0) const
    {
        using function = std::remove_reference_t<F>;
        return detail::tried(varve_reader_each, get(), on_value<function>,
            static_cast<void *>(&visit), threads);
    }
    result<void> verify() const
    {
        return detail::tried(varve_reader_verify, get(), nullptr);
    }

private:
    result<void> read_into(std::size_t id, const varve_tensor &view) const
    {
        auto read = detail::tried(varve_reader_read, get(), id, view.data,
            static_cast<std::size_t>(varve_tensor_size(&view)));
        if (read)
            detail::to_host_order(view);
        return read;
    }
    result<void> read_into(std::size_t id, const strided_view &view) const
    {
        const varve_tensor &where = view;
        if (!view.memory)
            return read_into(id, where);
        std::vector<unsigned char> bytes(
            static_cast<std::size_t>(varve_tensor_size(&view)));
        const varve_tensor flat = varve_view(
            bytes.data(), view.dtype, shape(varve_tensor_count(&view)));
        auto read = read_into(id, flat);
        if (read)
            detail::put_apart(view, bytes.data());
        return read;
    }
    template <class F>
    static varve_status on_value(void *user, const varve_saved_node *node,
        const void *bytes, varve_error *)
    {
        return detail::guarded(*static_cast<F *>(user), *node, bytes);
    }

    detail::handle<varve_reader, varve_reader_free> reader_;
};

} /* namespace varve */

#endif
