/* test_views.cpp - Tests the type, shape and memory of views of C++ objects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <cstddef>
#include <list>
#ifdef __cpp_lib_span
#include <span>
#endif

template <class T> static std::string scalar()
{
    T value{};
    CHECK(varve::view_of(value).data == &value);
    return text_of(value);
}

TEST(numbers_are_scalars)
{
    CHECK(scalar<bool>() == "bool[]");
    CHECK(scalar<signed char>() == "int8[]");
    CHECK(scalar<short>() == "int16[]");
    CHECK(scalar<int>() == "int32[]");
    CHECK(scalar<long long>() == "int64[]");
    CHECK(scalar<unsigned char>() == "uint8[]");
    CHECK(scalar<unsigned short>() == "uint16[]");
    CHECK(scalar<unsigned>() == "uint32[]");
    CHECK(scalar<unsigned long long>() == "uint64[]");
    CHECK(scalar<long>() == (sizeof(long) == 8 ? "int64[]" : "int32[]"));
    CHECK(scalar<float>() == "float32[]");
    CHECK(scalar<double>() == "float64[]");
    CHECK(scalar<std::complex<float>>() == "complex64[]");
    CHECK(scalar<std::complex<double>>() == "complex128[]");
    CHECK(scalar<varve_string>() == "string[]");
}

enum class colour : std::uint16_t { red };

TEST(enumerations_are_their_integers)
{
    CHECK(scalar<colour>() == "uint16[]");
    CHECK(scalar<std::byte>() == "uint8[]");
}

struct half {
    std::uint16_t bits;
};

template <> struct varve::element<half> {
    static constexpr varve_dtype dtype = VARVE_FLOAT16;
};

/* Also in C++17, which has no contiguous_iterator concept. */
TEST(a_basic_string_of_numbers_is_an_array)
{
    std::basic_string<unsigned> codes(3, 7u);
    CHECK(text_of(codes) == "uint32[3]");
    CHECK(varve::view_of(codes).data == codes.data());
    varve::graph graph;
    const varve::node node = graph.root().add("codes", codes);
    GOOD(graph.check());
    CHECK(node.kind() == VARVE_VARIABLE && node.values_as<unsigned>()[2] == 7);
}

TEST(a_program_names_the_types_of_its_own_elements)
{
    std::vector<half> weights(3);
    CHECK(text_of(weights) == "float16[3]");
}

TEST(arrays_have_the_shape_that_they_are_declared_with)
{
    float plain[2][3];
    std::array<std::array<double, 4>, 5> nested;
    std::array<int[2], 3> mixed;
    CHECK(text_of(plain) == "float32[2,3]");
    CHECK(text_of(nested) == "float64[5,4]");
    CHECK(text_of(mixed) == "int32[3,2]");
    CHECK(varve::view_of(nested).data == nested.data());
}

TEST(containers_count_their_elements_first)
{
    std::vector<float> flat(7);
    std::vector<std::array<float, 3>> points(5);
    std::vector<int> none;
    CHECK(text_of(flat) == "float32[7]");
    CHECK(varve::view_of(flat).data == flat.data());
    CHECK(text_of(points) == "float32[5,3]");
    CHECK(text_of(none) == "int32[0]");
#ifdef __cpp_lib_span
    std::span<float> part = std::span(flat).subspan(2, 3);
    CHECK(text_of(part) == "float32[3]");
    CHECK(varve::view_of(part).data == &flat[2]);
#endif
}

TEST(a_container_may_be_given_another_shape)
{
    varve::graph graph;
    std::vector<float> kernel(6);
    const int rows = 2, columns = 3;
    const varve::node node =
        graph.root().add("kernel", kernel, { rows, columns });
    GOOD(graph.check());
    CHECK(node.value()->rank == 2 && node.value()->shape[1] == 3);
    CHECK(node.values_as<float>().data() == kernel.data());
    CHECK(node.values_as<float>().size() == 6);
    CHECK(node.values_as<double>().size() == 0);
}

TEST(another_shape_must_have_as_many_elements)
{
    std::vector<float> kernel(6);
    varve::graph graph;
    graph.root().add("wrong", kernel, { 2, 4 });
    MISUSE(graph.check(), "(root): \"wrong\": the number of elements of the "
                          "object, 6, differs from that of float32[2,4], 8");
    varve::graph empty;
    empty.root().add("empty", kernel, { 0, 4 });
    MISUSE(empty.check(), "object, 6, differs from that of float32[0,4], 0");
    varve::graph bound;
    const varve::node node = bound.root().add("kernel", kernel, { 2, 3 });
    GOOD(bound.check());
    node.rebind(kernel, { 3, 3 });
    MISUSE(bound.check(), "kernel: ");
    MISUSE(bound.check(), "object, 6, differs from that of float32[3,3], 9");
    varve::graph later;
    later.root().add("kernel", kernel, { 2, 3 });
    kernel.push_back(0);
    MISUSE(varve::write(later.root(), place("later.varve")),
        "object, 7, differs from that of float32[2,3], 6");
}

TEST(too_many_dimensions_are_refused)
{
    varve::graph graph;
    float deep[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1] = {};
    graph.root().add("deep", deep);
    CHECK(graph.check().status() == VARVE_BAD_SHAPE);
}
