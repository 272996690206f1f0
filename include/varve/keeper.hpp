/* keeper.hpp - Stores the C++ functions that a graph calls through C function
 * pointers, and defines the type of arguments that are names or paths. No
 * exception passes through C code: std::bad_alloc becomes VARVE_NO_MEMORY, any
 * other exception VARVE_CALLBACK.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_KEEPER_HPP
#define VARVE_KEEPER_HPP

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <varve/error.hpp>
#include <varve/tensor.hpp>
#include <varve/variable.h>

namespace varve
{

/* A name or path as an argument: a literal, or an object with c_str(), such as
 * std::string or std::filesystem::path. */
class text
{
public:
    text(const char *c) noexcept : c_(c)
    {
    }
    template <class S,
        class = std::enable_if_t<std::is_convertible_v<
            decltype(std::declval<const S &>().c_str()), const char *>>>
    text(const S &s) noexcept : c_(s.c_str())
    {
    }
    const char *get() const noexcept
    {
        return c_;
    }

private:
    const char *c_;
};

/* Receives the bytes of a state. */
class sink
{
public:
    explicit sink(varve_sink *c) noexcept : c_(c)
    {
    }
    void put(const void *bytes, std::size_t size) const noexcept
    {
        varve_put(c_, bytes, size);
    }
    void put(std::string_view bytes) const noexcept
    {
        put(bytes.data(), bytes.size());
    }

private:
    varve_sink *c_;
};

namespace detail
{

/* Keeps functions at fixed addresses until the graph is freed. */
class keeper
{
public:
    template <class T> std::decay_t<T> *keep(T &&value)
    {
        auto kept = std::make_shared<std::decay_t<T>>(std::forward<T>(value));
        kept_.push_back(kept);
        return kept.get();
    }

private:
    std::vector<std::shared_ptr<void>> kept_;
};

template <class T, class F>
varve_status make_values(const varve_tensor *tensor, void *user)
{
    return guarded(*static_cast<F *>(user), values_of<T>(tensor));
}

template <class F>
varve_status make_tensor(const varve_tensor *tensor, void *user)
{
    return guarded(*static_cast<F *>(user), *tensor);
}

template <class Save, class Load> struct state {
    Save save;
    Load load;

    static varve_status put(void *self, varve_sink *to)
    {
        return guarded(static_cast<state *>(self)->save, sink(to));
    }
    static varve_status take(void *self, const void *bytes, std::size_t size)
    {
        return guarded(static_cast<state *>(self)->load,
            std::string_view(static_cast<const char *>(bytes), size));
    }
};

/* The callbacks of an output for a std::ostream. */
template <class Stream> struct stream_output {
    static varve_status flush(void *self)
    {
        auto all = [self] {
            return static_cast<Stream *>(self)->flush().good();
        };
        return guarded(all);
    }
    static varve_status seek(void *self, uint64_t)
    {
        auto all = [self] {
            auto &stream = *static_cast<Stream *>(self);
            return stream.seekp(0, Stream::end).good();
        };
        return guarded(all);
    }
};

template <class F, class Node> struct maker {
    F function;
    keeper *kept;

    static void make(void *user, varve_node *at, const varve_offer *offer)
    {
        maker &self = *static_cast<maker *>(user);
        (void)guarded(self.function, Node(at, self.kept), *offer);
    }
};

template <class F, class Node> struct visitor {
    F *function;
    keeper *kept;

    static varve_status visit(void *user, varve_node *at, const char *path)
    {
        visitor &self = *static_cast<visitor *>(user);
        return guarded(*self.function, Node(at, self.kept), path);
    }
};

/* Calls a function that is borrowed for the duration of a call. */
template <class F, class... A> varve_status borrowed(void *user, A... arguments)
{
    return guarded(*static_cast<F *>(user), *arguments...);
}

} /* namespace detail */

} /* namespace varve */

#endif
