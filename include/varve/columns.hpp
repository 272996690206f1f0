/* columns.hpp - Restores the elements of vectors of structs that are saved as
 * one array per member.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_COLUMNS_HPP
#define VARVE_COLUMNS_HPP

#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/flat.hpp>
#include <varve/followed.hpp>
#include <varve/resizing.h>
#include <varve/strided.hpp>

namespace varve
{

namespace detail
{

/* --- Restoring rows ------------------------------------------------------- */

/* The state that the columns of a vector share. */
template <class V> struct rows {
    using value = typename V::value_type;
    V *vector = nullptr;
    std::optional<V> fresh = {}; /* has the new length; replaces *vector */
    std::size_t coming = 0;      /* rows of the file, while rooms > 0 */
    std::size_t rooms = 0;       /* columns that are being restored */
    bool is_placed = false;      /* a column was restored since the last look */
    bool is_torn = false;        /* then another was rejected for its length */
    std::size_t reads = 0;       /* counts restorations that had columns */

    /* Binds the columns to the present elements. */
    std::function<void()> bind = {};

    /* The elements of a file that has a node for each element, until they are
     * moved to *vector. A deque, because adding elements must not move the
     * others. */
    std::deque<value> read = {};

    /* A restoration restores each column once. If a column is restored a second
     * time, a new restoration has begun, and earlier rejected columns no longer
     * matter. */
    void begin_read(std::size_t last)
    {
        if (last < reads || rooms > 0)
            return;
        reads++;
        is_torn = false;
    }
    /* Rejects a column with a different number of rows than the other columns
     * of the restoration, even if the columns are restored at different times
     * or a rejected column is tried again. */
    bool prepare(std::size_t count)
    {
        if ((rooms > 0 && count != coming) ||
            ((is_placed || is_torn) && count != vector->size())) {
            is_torn |= is_placed;
            return false;
        }
        if (rooms == 0 && count != vector->size()) {
            fresh.emplace(made_like(*vector, count));
            if constexpr (!std::is_nothrow_move_assignable_v<value>)
                for (std::size_t i = 0; i < count && i < vector->size(); i++)
                    (*fresh)[i] = std::as_const((*vector)[i]);
        }
        coming = count;
        rooms++;
        return true;
    }
    /* Gives the vector its new length. If the file lacks the column of a
     * member, existing elements keep the value of that member. If a callback of
     * the program has changed the length since prepare(), the vector is resized
     * in place.
     */
    void place() noexcept
    {
        is_placed = true;
        if (vector->size() == coming)
            return;
        if (!fresh) {
            vector->resize(coming);
            return;
        }
        if constexpr (std::is_nothrow_move_assignable_v<value>)
            for (std::size_t i = 0; i < coming && i < vector->size(); i++)
                (*fresh)[i] = std::move((*vector)[i]);
        std::swap(*vector, *fresh);
        fresh.reset();
    }
    void leave() noexcept
    {
        if (--rooms > 0)
            return;
        fresh.reset();
        if (is_placed)
            bind();
    }
};

/* A member of the elements of a vector. */
template <class V> struct member {
    rows<V> *of = nullptr;
    std::function<void *(typename V::value_type &)> at = {};
    varve_dtype dtype = VARVE_UINT8;
    shape inner = {};     /* of one element */
    std::size_t size = 0; /* of one element, in bytes */

    /* True if the extents of the value from dimension `first` on equal those of
     * `inner`. */
    bool ends(const varve_tensor &coming, std::uint32_t first) const
    {
        bool is = coming.rank == inner.rank + first;
        for (std::uint32_t i = 0; is && i < inner.rank; i++)
            is = coming.shape[first + i] == inner.extents[i];
        return is;
    }
};

/* One member of all elements: an array. */
template <class V> struct column : member<V> {
    std::vector<unsigned char> room = {};
    bool is_excused = false; /* may be absent: the file has another form */
    std::size_t read = 0;    /* the restoration that restored it */

    /* The memory of its node until the node is in the graph; as large as the
     * largest element. */
    alignas(std::max_align_t) unsigned char unplaced[16] = {};

    strided_view view() const
    {
        V &vector = *this->of->vector;
        shape s(vector.size());
        std::int64_t steps[VARVE_MAX_RANK] = {};
        auto step = static_cast<std::int64_t>(varve_dtype_size(this->dtype));
        for (std::uint32_t i = 0; i < this->inner.rank; i++)
            s.append(this->inner.extents[i]);
        for (std::uint32_t i = s.rank; i-- > 1 && s.rank <= VARVE_MAX_RANK;) {
            steps[i] = step;
            step *= static_cast<std::int64_t>(s.extents[i]);
        }
        steps[0] = static_cast<std::int64_t>(sizeof(vector[0]));
        return { varve_view(vector.empty() ? nullptr : this->at(vector.front()),
                     this->dtype, s),
            steps };
    }
    static varve_status make(
        void *user, varve_node *, const varve_tensor *coming, void **data)
    {
        column &self = *static_cast<column *>(user);
        auto make = [&] {
            if (!self.ends(*coming, 1))
                return VARVE_MISMATCH;
            const auto count = static_cast<std::size_t>(coming->shape[0]);
            std::vector<unsigned char> bytes(count * self.size);
            self.of->begin_read(self.read);
            if (!self.of->prepare(count))
                return VARVE_MISMATCH;
            self.room = std::move(bytes);
            *data = self.room.data();
            return VARVE_OK;
        };
        return guarded(make);
    }
    static void settle(void *user, varve_node *, void *, bool is_taken) noexcept
    {
        column &self = *static_cast<column *>(user);
        if (is_taken) {
            self.of->place();
            self.read = self.of->reads;
            const unsigned char *from = self.room.data();
            for (auto &one : *self.of->vector) {
                std::memcpy(self.at(one), from, self.size);
                from += self.size;
            }
        }
        self.room = {};
        self.of->leave();
    }
};

/* One member of one element, for files of older versions, which have a node for
 * each element. */
template <class V> struct cell : member<V> {
    std::size_t index = 0;

    static varve_status make(
        void *user, varve_node *, const varve_tensor *coming, void **data)
    {
        cell &self = *static_cast<cell *>(user);
        auto make = [&] {
            if (!self.ends(*coming, 0) ||
                !self.of->prepare(self.of->read.size()))
                return VARVE_MISMATCH;
            *data = self.at(self.of->read[self.index]);
            return VARVE_OK;
        };
        return guarded(make);
    }
    static void settle(
        void *user, varve_node *, void *data, bool is_taken) noexcept
    {
        cell &self = *static_cast<cell *>(user);
        if (is_taken) {
            self.of->place();
            std::memcpy(
                self.at((*self.of->vector)[self.index]), data, self.size);
        }
        self.of->leave();
    }
};

} /* namespace detail */

} /* namespace varve */

#endif
