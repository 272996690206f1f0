/* test_members.cpp - Tests structs of C style: pointers with element counts,
 * and maps with numeric keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <unordered_map>

namespace
{

struct mesh {
    double *heights = nullptr;
    float (*corners)[3] = nullptr;
    int count = 0;
    unsigned corner_count = 0;

    friend constexpr auto varve_fields(const mesh *)
    {
        return varve::fields(
            varve::field("heights", &mesh::heights, &mesh::count),
            varve::field("corners", &mesh::corners, &mesh::corner_count),
            varve::field("count", &mesh::count));
    }
};

struct meshes {
    std::vector<mesh> all;
    mesh one;

    friend constexpr auto varve_fields(const meshes *)
    {
        return varve::fields(VARVE_FIELDS(meshes, all, one));
    }
};

void restore_members(const varve::graph &graph, const char *name)
{
    GOOD(NEED(varve::read(graph.root(), place(name))).assert_consumed());
}

} /* namespace */

TEST(pointers_of_a_struct_are_read_again_at_each_save)
{
    double few[3] = { 1, 2, 3 }, many[5] = { 1, 2, 3, 4, 5 };
    float corners[2][3] = { { 0, 1, 2 }, { 3, 4, 5 } };
    mesh m;
    varve::graph graph;
    graph.root().add("mesh", m);
    GOOD(varve::write(graph.root(), place("no mesh")));
    m.heights = few;
    m.count = 3;
    m.corners = corners;
    m.corner_count = 2;
    GOOD(varve::write(graph.root(), place("mesh")));
    m.heights = many;
    m.count = 5;
    GOOD(varve::write(graph.root(), place("larger mesh")));
    auto reader = NEED(varve::reader::open(place("mesh")));
    CHECK(reader.find("mesh/heights")->value.shape[0] == 3);
    CHECK(reader.find("mesh/corners")->value.shape[1] == 3);
    double found[5] = {};
    m.heights = found;
    corners[1][2] = 0;
    restore_members(graph, "larger mesh");
    CHECK(found[4] == 5 && corners[1][2] == 5);
    CHECK(m.heights == found && m.count == 5);
}

TEST(a_file_cannot_extend_an_array_beyond_its_memory)
{
    double heights[3] = { 1, 2, 3 };
    std::vector<double> longer(5), as_long(3);
    std::int32_t count = 5;
    mesh m;
    m.heights = heights;
    m.count = 3;
    varve::graph graph, other;
    graph.root().add("mesh", m);
    const varve::node object = other.root().add_object("mesh");
    std::vector<std::array<float, 3>> none;
    object.add("corners", none);
    object.add("count", count);
    const varve::node same = object.add("heights", as_long);
    GOOD(varve::write(other.root(), place("lying mesh")));
    CHECK(!varve::read(graph.root(), place("lying mesh")));
    CHECK(m.count == 3);
    same.rebind(longer);
    GOOD(varve::write(other.root(), place("longer mesh")));
    CHECK(!varve::read(graph.root(), place("longer mesh")));
    CHECK(m.count == 3 && heights[2] == 3);
}

TEST(null_pointers_of_structs_are_not_saved)
{
    double heights[3] = { 1, 2, 3 };
    meshes m;
    m.all.resize(2);
    m.all[1].heights = heights;
    m.all[1].count = 3;
    varve::graph graph;
    graph.root().add("meshes", m);
    GOOD(varve::write(graph.root(), place("meshes")));
    auto says = [&](std::initializer_list<const char *> words) {
        const auto written = varve::write(graph.root(), place("no meshes"));
        CHECK(!written);
        for (const char *word : words)
            CHECK(std::strstr(written.error().message, word));
    };
    m.all[1].count = -1;
    says({ "meshes/all/1/heights", "-1", "number of elements" });
    m.all[1].count = 3;
    m.one.count = 3;
    says({ "meshes/one/heights", "float64[3]", "NULL", "count to 0" });
    varve::graph other;
    m.all[1].count = -2;
    other.root().add("meshes", m);
    const auto checked = other.check();
    CHECK(!checked && std::strstr(checked.error().message, "heights"));
    CHECK(std::strstr(checked.error().message, "-2"));
    m.all[1].count = 3;
    varve::graph another;
    another.root().add("meshes", m);
    const auto written = varve::write(another.root(), place("no meshes"));
    CHECK(!written && std::strstr(written.error().message, "meshes/one"));
    CHECK(std::strstr(written.error().message, "heights"));
    CHECK(std::strstr(written.error().message, "float64[3]"));
    CHECK(std::strstr(written.error().message, "count to 0"));
    m.one.count = 0;
    GOOD(varve::write(graph.root(), place("meshes")));
    heights[2] = 0;
    restore_members(graph, "meshes");
    CHECK(heights[2] == 3);
}

TEST(maps_with_integer_keys_have_the_keys_as_names)
{
    std::map<int, double> by_int = { { -7, 1.5 }, { 12, 2.5 } }, no_ints;
    std::unordered_map<std::uint64_t, std::string> by_id, no_ids;
    std::map<std::uint8_t, std::vector<float>> by_byte, no_bytes;
    by_id[UINT64_MAX] = "last";
    by_byte[200] = { 1, 2 };
    varve::graph graph, other;
    graph.root().add("ints", by_int);
    graph.root().add("ids", by_id);
    graph.root().add("bytes", by_byte);
    other.root().add("ints", no_ints);
    other.root().add("ids", no_ids);
    other.root().add("bytes", no_bytes);
    GOOD(varve::write(graph.root(), place("by int")));
    auto reader = NEED(varve::reader::open(place("by int")));
    CHECK(reader.find("ints/-7") && reader.find("bytes/200"));
    CHECK(reader.find("ids/18446744073709551615"));
    restore_members(other, "by int");
    CHECK(no_ints == by_int && no_ids == by_id && no_bytes == by_byte);
    by_int.erase(-7);
    by_int[3] = 4;
    GOOD(varve::write(graph.root(), place("by int")));
    restore_members(graph, "by int");
    no_ints.clear();
    restore_members(other, "by int");
    CHECK(no_ints == by_int);
}

TEST(names_that_are_not_integers_are_reported)
{
    for (const char *name :
        { "07", "+7", "7 ", "x", "-0", "256", "-1", "0x1", "1e2" }) {
        std::map<std::uint8_t, double> by_byte;
        double value = 3;
        varve::graph graph, other;
        graph.root().add("map", by_byte);
        other.root().add_dict("map").add(name, value);
        GOOD(varve::write(other.root(), place("odd keys")));
        const auto read = varve::read(graph.root(), place("odd keys"));
        CHECK(!read || !(*read).assert_consumed());
        CHECK(by_byte.empty());
    }
}
