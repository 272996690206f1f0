/* test_matrices.cpp - Tests strided elements: row-major and column-major
 * matrices like those of Eigen, blocks of them, and members of structs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <array>
#include <cstddef>
#include <numeric>

#if __has_include(<Eigen/Core>) && defined(TEST_EIGEN)
#include <Eigen/Core>
#define HAS_EIGEN
#endif

/* A matrix like Eigen::Map, over external memory. */
template <bool by_rows, class T = float, bool is_vector = false> struct matrix {
    static constexpr bool IsRowMajor = by_rows;
    static constexpr bool IsVectorAtCompileTime = is_vector;
    T *values;
    long height, width;
    long inner = 1;
    long outer = by_rows ? width : height;

    T *data()
    {
        return values;
    }
    long rows() const
    {
        return height;
    }
    long cols() const
    {
        return width;
    }
    long size() const
    {
        return height * width;
    }
    long innerStride() const
    {
        return inner;
    }
    long outerStride() const
    {
        return outer;
    }
};

/* A matrix without strides: contiguous. */
struct dense {
    static constexpr bool IsRowMajor = false;
    float values[6];
    float *data()
    {
        return values;
    }
    long rows() const
    {
        return 2;
    }
    long cols() const
    {
        return 3;
    }
};

using numbers = std::vector<float>;

static numbers counted(std::size_t count)
{
    numbers values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

/* Returns the saved values in row-major order. */
template <class T> static numbers saved(T &&thing)
{
    varve::graph graph;
    graph.root().add("m", thing);
    GOOD(varve::write(graph.root(), place("m.varve")));
    auto reader = NEED(varve::reader::open(place("m")));
    CHECK(reader.left_out().empty());
    numbers found(varve_tensor_count(&reader.find("m")->value));
    GOOD(reader.read("m", found));
    return found;
}

/* Restores the last saved values. */
template <class T> static void restore(T &&thing)
{
    varve::graph graph;
    graph.root().add("m", thing);
    GOOD(NEED(varve::read(graph.root(), place("m"))).assert_consumed());
}

TEST(a_matrix_has_its_rows_and_columns_as_shape)
{
    numbers v(6);
    matrix<true> by_rows{ v.data(), 2, 3 };
    matrix<false> by_columns{ v.data(), 2, 3 };
    matrix<false, float, true> vector{ v.data(), 6, 1 };
    matrix<true, std::array<double, 4>> of_arrays{ nullptr, 2, 3 };
    dense plain{};
    CHECK(text_of(by_rows) == "float32[2,3]");
    CHECK(text_of(by_columns) == "float32[2,3]");
    CHECK(text_of(plain) == "float32[2,3]");
    CHECK(text_of(vector) == "float32[6]");
    CHECK(text_of(of_arrays) == "float64[2,3,4]");
}

TEST(a_row_major_matrix_is_a_plain_view)
{
    numbers v(6);
    matrix<true> by_rows{ v.data(), 2, 3 };
    matrix<false> by_columns{ v.data(), 2, 3 }, one_column{ v.data(), 6, 1 };
    CHECK(!varve::view_of(by_rows).memory);
    CHECK(!varve::view_of(one_column).memory);
    CHECK(varve::view_of(by_columns).memory);
    CHECK(varve::view_of(by_columns).data == v.data());
}

TEST(a_column_major_matrix_is_saved_row_by_row)
{
    numbers v = { 0, 3, 1, 4, 2, 5 };
    CHECK(saved(matrix<false>{ v.data(), 2, 3 }) == counted(6));
    numbers other(6, -1.0f), rows(6);
    restore(matrix<false>{ other.data(), 2, 3 });
    CHECK(other == v);
    restore(matrix<true>{ rows.data(), 2, 3 });
    CHECK(rows == counted(6));
    dense plain{};
    restore(plain);
    CHECK(plain.values[1] == 3);
}

/* Saves the inner 2 x 3 elements of a 4 x 5 matrix by columns, and of every
 * second row. */
TEST(a_block_is_gathered_and_scattered)
{
    numbers v = counted(20);
    matrix<false> block{ &v[5], 2, 3, 1, 4 };
    CHECK(saved(block) == numbers({ 5, 9, 13, 6, 10, 14 }));
    numbers other(20, -1.0f);
    restore(matrix<false>{ &other[5], 2, 3, 1, 4 });
    for (std::size_t i = 0; i < 20; i++) {
        const bool is_inside = i >= 5 && i < 15 && (i % 4 == 1 || i % 4 == 2);
        CHECK(other[i] == (is_inside ? v[i] : -1));
    }
    CHECK(saved(matrix<false>{ v.data(), 2, 5, 2, 4 }) ==
          numbers({ 0, 4, 8, 12, 16, 2, 6, 10, 14, 18 }));
    CHECK(saved(matrix<true>{ &v[19], 2, 2, -2, -10 }) ==
          numbers({ 19, 17, 9, 7 }));
}

TEST(a_row_of_a_column_major_matrix_is_a_vector)
{
    numbers v = counted(12);
    CHECK(saved(matrix<true, float, true>{ &v[1], 1, 4, 3, 12 }) ==
          numbers({ 1, 4, 7, 10 }));
    restore(matrix<true, float, true>{ v.data(), 1, 4, 2, 8 });
    CHECK(v[2] == 4 && v[3] == 3 && v[6] == 10);
}

TEST(elements_that_are_arrays_keep_their_layout)
{
    std::array<float, 2> v[4] = { { 0, 1 }, { 4, 5 }, { 2, 3 }, { 6, 7 } };
    CHECK(saved(matrix<false, std::array<float, 2>>{ v, 2, 2 }) == counted(8));
}

TEST(an_empty_matrix_is_saved)
{
    CHECK(saved(matrix<false>{ nullptr, 0, 3 }).empty());
    CHECK(saved(matrix<false>{ nullptr, 3, 0 }).empty());
    restore(matrix<true>{ nullptr, 3, 0 });
}

TEST(overlapping_strides_are_refused)
{
    varve::graph graph;
    numbers v(6);
    matrix<true> lying{ v.data(), 2, 3, 1, 2 };
    matrix<true> broadcast{ v.data(), 2, 3, 0, 3 };
    graph.root().add("lying", lying);
    CHECK(graph.check().status() == VARVE_BAD_SHAPE);
    varve::graph another;
    another.root().add("broadcast", broadcast);
    CHECK(another.check().status() == VARVE_BAD_SHAPE);
}

TEST(only_row_major_matrices_can_be_reshaped)
{
    varve::graph graph;
    numbers v(6);
    matrix<true> by_rows{ v.data(), 2, 3 };
    matrix<false> by_columns{ v.data(), 2, 3 };
    graph.root().add("by rows", by_rows, { 3, 2 });
    GOOD(graph.check());
    graph.root().add("by columns", by_columns, { 3, 2 });
    MISUSE(graph.check(), "\"by columns\": only row-major values");
}

TEST(strided_values_are_not_a_span)
{
    varve::graph graph;
    numbers v(6);
    matrix<false> by_columns{ v.data(), 2, 3 };
    const varve::node node = graph.root().add("m", by_columns);
    CHECK(node.values_as<float>().size() == 0);
}

TEST(a_copied_view_keeps_its_strides)
{
    struct particle {
        double x;
        float mass;
    };
    particle p[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    auto view = varve::strided(&p[0].mass, { sizeof p[0] }, { 3 });
    auto other = varve::strided(&p[0].mass, { 4 }, { 1 });
    {
        const auto moved = varve::strided(&p[2].mass,
            { -static_cast<std::int64_t>(sizeof p[0]) }, { 3 });
        other = moved;
    }
    auto copy = view;
    view = varve::strided(&p[0].mass, { 2 * sizeof p[0] }, { 2 });
    CHECK(saved(copy) == numbers({ 2, 4, 6 }));
    CHECK(saved(view) == numbers({ 2, 6 }));
    CHECK(saved(other) == numbers({ 6, 4, 2 }));
    varve::graph graph;
    const varve::node node = graph.root().add_fixed("mass", copy);
    node.rebind(varve::strided(&p[0].mass, { sizeof p[0] }, { 2 }));
    GOOD(graph.check());
    CHECK(node.value()->shape[0] == 2);
    graph.root().add("short", varve::strided(&p[0].mass, { 8, 8 }, { 2 }));
    MISUSE(graph.check(), "\"short\": the number of strides differs");
}

TEST(a_slot_may_be_strided)
{
    varve::graph graph;
    numbers kernel(6), v = { 0, 3, 1, 4, 2, 5 };
    matrix<false> momentum{ v.data(), 2, 3 };
    const varve::node variable = graph.root().add("kernel", kernel, { 2, 3 });
    const varve::node adam = graph.root().add_object("adam");
    adam.add_slot(variable, "m", momentum);
    GOOD(varve::write(graph.root(), place("slot.varve")));
    v.assign(6, 0.0f);
    GOOD(varve::read(graph.root(), place("slot")));
    CHECK(v == numbers({ 0, 3, 1, 4, 2, 5 }));
}

TEST(a_reader_fills_strided_views)
{
    numbers v = counted(6), into(8, -1.0f);
    saved(matrix<true>{ v.data(), 2, 3 });
    auto reader = NEED(varve::reader::open(place("m")));
    matrix<false> wide{ into.data(), 2, 3, 1, 3 };
    GOOD(reader.read("m", wide));
    CHECK(into == numbers({ 0, 3, -1, 1, 4, -1, 2, 5 }));
    GOOD(reader.read("m", varve::strided(&into[1], { 4 }, { 6 })));
    CHECK(into[0] == 0 && into[1] == 0 && into[6] == 5);
    MISUSE(reader.read("m", varve::strided(into.data(), { 4, 4 }, { 6 })),
        "the number of strides differs");
}

TEST(snapshots_save_and_restore_strided_values)
{
    numbers v = counted(8);
    matrix<false> part{ v.data(), 2, 2, 1, 3 };
    varve::graph graph;
    graph.root().add("m", part);
    auto snapshot = NEED(varve::snapshot::take(graph.root()));
    v.assign(8, -1.0f);
    GOOD(snapshot.restore());
    CHECK(v == numbers({ 0, 1, -1, 3, 4, -1, -1, -1 }));
}

#ifdef HAS_EIGEN
TEST(eigen_matrices_are_restored)
{
    Eigen::MatrixXf weights(2, 3); /* column-major */
    Eigen::Matrix<float, 2, 2, Eigen::RowMajor> rotation;
    Eigen::VectorXf bias(4);
    Eigen::MatrixXf field(4, 5);
    auto inside = field.block(1, 1, 2, 3);
    auto row = field.row(3);
    weights << 0, 1, 2, 3, 4, 5;
    rotation << 0, 1, 2, 3;
    bias << 0, 1, 2, 3;
    field.setConstant(-1);
    inside << 0, 1, 2, 3, 4, 5;
    row << 0, 1, 2, 3, 4;
    CHECK(saved(weights) == counted(6) && text_of(weights) == "float32[2,3]");
    CHECK(saved(rotation) == counted(4));
    CHECK(saved(bias) == counted(4) && text_of(bias) == "float32[4]");
    CHECK(saved(row) == counted(5) && text_of(row) == "float32[5]");
    CHECK(saved(inside) == counted(6));
    inside.setZero();
    weights.setZero();
    restore(inside);
    restore(weights);
    CHECK(field(1, 2) == 1 && field(2, 1) == 3 && field(0, 0) == -1);
    CHECK(weights(0, 2) == 2 && weights(1, 0) == 3);
}

TEST(eigen_maps_use_their_own_memory)
{
    numbers v = counted(12);
    using step = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    Eigen::Map<Eigen::MatrixXf, 0, step> map(v.data(), 2, 2, step(6, 2));
    Eigen::MatrixXf by_columns(2, 3);
    by_columns << 0, 2, 4, 1, 3, 5;
    auto turned = by_columns.transpose();
    Eigen::Ref<Eigen::MatrixXf> reference(by_columns);
    CHECK(saved(map) == numbers({ 0, 6, 2, 8 }));
    v.assign(12, -1.0f);
    restore(map);
    CHECK(v[6] == 6 && v[8] == 8 && v[1] == -1);
    CHECK(saved(turned) == counted(6) && !varve::view_of(turned).memory);
    CHECK(saved(reference) == numbers({ 0, 2, 4, 1, 3, 5 }));
}

TEST(eigen_matrices_of_other_types_are_saved)
{
    Eigen::Array<std::complex<double>, 2, 2> of_complex;
    Eigen::Matrix<std::int64_t, 3, 2> of_integers;
    std::vector<Eigen::Matrix3d> several(2);
    CHECK(text_of(of_complex) == "complex128[2,2]");
    CHECK(text_of(of_integers) == "int64[3,2]");
    varve::graph graph;
    CHECK(graph.root().add("several", several).kind() == VARVE_LIST);
    GOOD(graph.check());
}
#endif
