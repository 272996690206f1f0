/* random.hpp - Provides streams of random numbers in C++. The comments in
 * random.h apply to the calls of the same name.
 *
 *     varve::random_stream dropout;
 *     root.add_random("dropout", dropout);
 *     double x = dropout.unit();
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RANDOM_HPP
#define VARVE_RANDOM_HPP

#include <cstddef>
#include <cstdint>

#include <varve/fields.hpp>
#include <varve/keeper.hpp>
#include <varve/node.hpp>
#include <varve/random.h>

/* With these fields node::add accepts a stream that the program has seeded, and
 * a stream may be a member of a struct or an element of a container. Unlike
 * varve_add_seeded_random this does not set VARVE_TAG_RANDOM. */
constexpr auto varve_fields(const varve_random *)
{
    return varve::fields(varve::field("key", &varve_random::key),
        varve::field("position", &varve_random::position));
}

namespace varve
{

/* A stream that is a uniform random bit generator, for std::shuffle and other
 * functions of the standard library. Some distributions of the standard
 * library, such as std::normal_distribution, have state that is not saved. The
 * functions of this class have no such state. */
class random_stream : public varve_random
{
public:
    using result_type = std::uint64_t;

    /* The key is 0 until the stream is added or seeded. */
    random_stream() noexcept : varve_random()
    {
    }
    random_stream(const varve_random &c) noexcept : varve_random(c)
    {
    }
    random_stream(std::uint64_t seed, text path) noexcept : varve_random()
    {
        varve_random_seed(this, seed, path.get());
    }
    static constexpr result_type min() noexcept
    {
        return 0;
    }
    static constexpr result_type max() noexcept
    {
        return UINT64_MAX;
    }
    result_type operator()() noexcept
    {
        return varve_random_u64(this);
    }
    double unit() noexcept
    {
        return varve_random_unit(this);
    }
    double uniform(double low, double high) noexcept
    {
        return varve_random_uniform(this, low, high);
    }
    double normal(double mean, double deviation) noexcept
    {
        return varve_random_normal(this, mean, deviation);
    }
    double truncated_normal(double mean, double deviation) noexcept
    {
        return varve_random_truncated_normal(this, mean, deviation);
    }
    std::uint64_t below(std::uint64_t limit) noexcept
    {
        return varve_random_below(this, limit);
    }
    void skip(std::uint64_t words) noexcept
    {
        varve_random_skip(this, words);
    }
    random_stream split(text name) const noexcept
    {
        return varve_random_split(this, name.get());
    }
    friend constexpr auto varve_fields(const random_stream *)
    {
        return ::varve_fields(static_cast<const varve_random *>(nullptr));
    }
};

inline node node::add_random(
    text name, varve_random &stream, std::uint64_t seed) const
{
    return of(varve_add_random(node_, name.get(), &stream, seed));
}

inline node node::add_seeded_random(text name, varve_random &stream) const
{
    return of(varve_add_seeded_random(node_, name.get(), &stream));
}

inline node node::add_libc_random(text name, varve_libc_generator which) const
{
    return of(varve_add_libc_random(node_, name.get(), which));
}

} /* namespace varve */

#endif
