/* test_grids.cpp - Tests multi-dimensional arrays of other libraries: whole,
 * slices and transposed. Exactly their elements are saved and restored.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <cstddef>
#include <numeric>

/* (The warning of Boost 1.74 comes from its header, inlined.) */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#ifdef TEST_BOOST
#include <boost/multi_array.hpp>
#endif
#ifdef TEST_XTENSOR
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif
#if defined(TEST_ARMADILLO) && defined(__cpp_exceptions)
#define HAS_ARMADILLO
#include <armadillo>
#endif
#if defined(TEST_OPENCV) && defined(__cpp_exceptions)
#define HAS_OPENCV
#include <opencv2/core.hpp>
#endif
#ifdef TEST_EIGEN
#include <Eigen/Core>
#endif

using doubles = std::vector<double>;

/* Returns the saved values in row-major order. */
template <class T> static doubles saved_grid(T &grid)
{
    const std::string path = place("grid");
    varve::graph graph;
    graph.root().add("grid", grid);
    GOOD(varve::write(graph.root(), path));
    auto reader = NEED(varve::reader::open(path));
    const varve_tensor view = varve::view_of(grid);
    doubles values(static_cast<std::size_t>(varve_tensor_count(&view)));
    GOOD(reader.read("grid", values));
    return values;
}

/* Restores values given in row-major order. */
template <class T> static void restore_grid(T &grid, doubles values)
{
    const std::string path = place("numbers");
    const varve_tensor view = varve::view_of(grid);
    {
        varve::shape shape;
        for (std::uint32_t i = 0; i < view.rank; i++)
            shape.append(view.shape[i]);
        varve::graph graph;
        graph.root().add("grid", values, shape);
        GOOD(varve::write(graph.root(), path));
    }
    varve::graph graph;
    graph.root().add("grid", grid);
    const auto found = varve::read(graph.root(), path);
    GOOD(found);
}

/* --- Stand-ins: what libraries say of themselves, over 12 numbers ----------
 */

struct block {
    double cells[12];
    block()
    {
        std::iota(cells, cells + 12, 0.0);
    }
};

/* An array like std::mdspan. */
struct span_of_two {
    double *at;
    std::size_t extents[2];
    std::ptrdiff_t strides[2];
    static constexpr std::size_t rank() noexcept
    {
        return 2;
    }
    std::size_t extent(std::size_t i) const
    {
        return extents[i];
    }
    std::ptrdiff_t stride(std::size_t i) const
    {
        return strides[i];
    }
    double *data_handle() const
    {
        return at;
    }
    std::size_t size() const
    {
        return extents[0] * extents[1];
    }
};

/* An array like Kokkos::View, with data(). */
struct device_view {
    static constexpr unsigned rank = 2;
    double *at;
    std::size_t extents[2];
    std::size_t strides[2];
    std::size_t extent(std::size_t i) const
    {
        return extents[i];
    }
    std::size_t stride(std::size_t i) const
    {
        return strides[i];
    }
    double *data() const
    {
        return at;
    }
    std::size_t size() const
    {
        return extents[0] * extents[1];
    }
};

/* A matrix like cv::Mat_<double>: steps in bytes, members that are not
 * functions. */
struct picture {
    using value_type = double;
    int dims;
    int size[2];
    std::size_t step[2];
    unsigned char *data;
};

/* An array type of the program. */
struct pond {
    double *cells;
};

template <> struct varve::grid<pond> {
    static std::size_t rank(pond &)
    {
        return 2;
    }
    static std::size_t extent(pond &, std::size_t i)
    {
        return i == 0 ? 3 : 4;
    }
    static std::ptrdiff_t stride(pond &, std::size_t i)
    {
        return i == 0 ? 4 : 1;
    }
    static double *first(pond &f)
    {
        return f.cells;
    }
};

TEST(a_multidimensional_span_is_saved_with_its_strides)
{
    block b;
    span_of_two whole{ b.cells, { 3, 4 }, { 4, 1 } };
    CHECK(text_of(whole) == "float64[3,4]");
    CHECK(
        (saved_grid(whole) == doubles{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }));
    span_of_two turned{ b.cells, { 4, 3 }, { 1, 4 } };
    CHECK((
        saved_grid(turned) == doubles{ 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 }));
    span_of_two back{ b.cells + 11, { 2, 2 }, { -4, -2 } };
    CHECK((saved_grid(back) == doubles{ 11, 9, 7, 5 }));
    restore_grid(back, { 1, 2, 3, 4 });
    CHECK(b.cells[11] == 1 && b.cells[9] == 2 && b.cells[7] == 3 &&
          b.cells[5] == 4 && b.cells[10] == 10 && b.cells[6] == 6);
    span_of_two none{ nullptr, { 0, 4 }, { 4, 1 } };
    CHECK(saved_grid(none).empty());
}

TEST(a_view_like_kokkos_is_saved_with_its_strides)
{
    block b;
    device_view left{ b.cells, { 3, 2 }, { 1, 3 } };
    CHECK((saved_grid(left) == doubles{ 0, 3, 1, 4, 2, 5 }));
    restore_grid(left, { 20, 21, 22, 23, 24, 25 });
    CHECK(b.cells[0] == 20 && b.cells[3] == 21 && b.cells[5] == 25);
}

TEST(a_matrix_like_opencv_is_saved_without_padding)
{
    block b;
    picture part{ 2, { 3, 2 }, { 4 * sizeof(double), sizeof(double) },
        reinterpret_cast<unsigned char *>(b.cells + 1) };
    CHECK(text_of(part) == "float64[3,2]");
    CHECK((saved_grid(part) == doubles{ 1, 2, 5, 6, 9, 10 }));
    restore_grid(part, { 31, 32, 35, 36, 39, 40 });
    CHECK(b.cells[0] == 0 && b.cells[1] == 31 && b.cells[10] == 40);
}

/* Row steps are not a multiple of the element size. */
TEST(a_matrix_like_opencv_with_invalid_steps_is_refused)
{
    block b;
    picture odd{ 2, { 3, 2 }, { 3 * sizeof(double) + 4, sizeof(double) },
        reinterpret_cast<unsigned char *>(b.cells) };
    varve::graph graph;
    graph.root().add("odd", odd);
    MISUSE(graph.check(), "a step that is not a multiple of the element size");
    picture broken{ 2, { 3, 2 }, { 4 * sizeof(double), sizeof(double) + 4 },
        reinterpret_cast<unsigned char *>(b.cells) };
    varve::graph other;
    other.root().add("broken", broken);
    CHECK(other.check().status() == VARVE_MISUSE);
    odd.size[0] = 1; /* then the step is not used */
    CHECK((saved_grid(odd) == doubles{ 0, 1 }));
}

TEST(an_array_of_the_program_can_declare_its_strides)
{
    block b;
    pond f{ b.cells };
    CHECK(text_of(f) == "float64[3,4]");
    CHECK(saved_grid(f).back() == 11);
}

/* Has data() and size(), but no iterators to confirm them. */
struct pool {
    double cells[3] = { 1, 2, 3 };
    double *data()
    {
        return cells;
    }
    std::size_t size() const
    {
        return 3;
    }
};

/* Reports a wrong size. */
struct liar : pool {
};

/* [contiguous] */
template <> inline constexpr bool varve::is_contiguous<pool> = true;
/* [/contiguous] */

TEST(a_container_of_the_program_can_be_declared_contiguous)
{
    pool p;
    CHECK(text_of(p) == "float64[3]");
    CHECK((saved_grid(p) == doubles{ 1, 2, 3 }));
    static_assert(!varve::is_contiguous<liar>);
    static_assert(varve::is_contiguous<std::vector<float>>);
    static_assert(varve::is_contiguous<std::vector<bool>> == false);
}

/* Has iterators like a vector, over other elements than data(). */
struct every_other {
    std::vector<double> all{ 0, 1, 2, 3, 4, 5 };
    double *data()
    {
        return all.data();
    }
    std::size_t size() const
    {
        return 3;
    }
    std::vector<double>::iterator begin()
    {
        return all.begin() + 3;
    }
};

TEST(a_container_that_is_not_contiguous_is_refused)
{
    every_other e;
    varve::graph graph;
    graph.root().add("e", e);
    MISUSE(graph.check(), "the elements are not contiguous");
}

/* --- Real ones -------------------------------------------------------------
 */

#ifdef TEST_BOOST
TEST(boost_multi_arrays_are_restored)
{
    /* [boost] */
    boost::multi_array<double, 2> grid(boost::extents[3][4]);
    auto part = grid[boost::indices[boost::multi_array_types::index_range(
        0, 3, 2)][boost::multi_array_types::index_range(1, 3)]];
    /* [/boost] */
    std::iota(grid.data(), grid.data() + 12, 0.0);
    CHECK(text_of(grid) == "float64[3,4]");
    CHECK(
        (saved_grid(grid) == doubles{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }));
    CHECK((saved_grid(part) == doubles{ 1, 2, 9, 10 }));
    auto column =
        grid[boost::indices[boost::multi_array_types::index_range()][2]];
    CHECK((saved_grid(column) == doubles{ 2, 6, 10 }));
    restore_grid(column, { 22, 26, 30 });
    CHECK(grid[0][2] == 22 && grid[2][2] == 30 && grid[0][1] == 1);
    boost::multi_array<double, 2> turned(
        boost::extents[2][3], boost::fortran_storage_order());
    std::iota(turned.data(), turned.data() + 6, 0.0);
    CHECK((saved_grid(turned) == doubles{ 0, 2, 4, 1, 3, 5 }));
    boost::multi_array<double, 1> from_five(
        boost::extents[boost::multi_array_types::extent_range(5, 8)]);
    std::iota(from_five.data(), from_five.data() + 3, 7.0);
    CHECK((saved_grid(from_five) == doubles{ 7, 8, 9 }));
    auto back = from_five[boost::indices[boost::multi_array_types::index_range(
        7, 4, -1)]];
    CHECK((saved_grid(back) == doubles{ 9, 8, 7 }));
}
#endif

#ifdef TEST_XTENSOR
TEST(xtensor_arrays_are_restored)
{
    xt::xarray<double> grid = { { 0, 1, 2, 3 }, { 4, 5, 6, 7 },
        { 8, 9, 10, 11 } };
    CHECK(text_of(grid) == "float64[3,4]");
    CHECK(saved_grid(grid).back() == 11);
    auto column = xt::view(grid, xt::all(), 1);
    CHECK(text_of(column) == "float64[3]");
    CHECK((saved_grid(column) == doubles{ 1, 5, 9 }));
    restore_grid(column, { 21, 25, 29 });
    CHECK(grid(0, 1) == 21 && grid(2, 1) == 29 && grid(0, 2) == 2);
    auto part = xt::view(grid, xt::range(1, 3), xt::range(0, 4, 2));
    CHECK((saved_grid(part) == doubles{ 4, 6, 8, 10 }));
    xt::xtensor<double, 2, xt::layout_type::column_major> turned = {
        { 0, 1, 2 }, { 3, 4, 5 }
    };
    CHECK((saved_grid(turned) == doubles{ 0, 1, 2, 3, 4, 5 }));
}
#endif

#ifdef HAS_OPENCV
TEST(opencv_matrices_are_restored)
{
    cv::Mat_<double> grid(3, 4);
    for (int i = 0; i < 12; i++)
        grid(i / 4, i % 4) = i;
    CHECK(text_of(grid) == "float64[3,4]");
    CHECK((saved_grid(grid) ==
        doubles{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }));
    cv::Mat_<double> part = grid(cv::Rect(1, 0, 2, 3));
    CHECK(text_of(part) == "float64[3,2]");
    CHECK((saved_grid(part) == doubles{ 1, 2, 5, 6, 9, 10 }));
    restore_grid(part, { 31, 32, 35, 36, 39, 40 });
    CHECK(grid(0, 0) == 0 && grid(0, 1) == 31 && grid(2, 2) == 40);
    cv::Mat_<double> column = grid.col(3);
    CHECK((saved_grid(column) == doubles{ 3, 7, 11 }));
    restore_grid(column, { 53, 57, 61 });
    CHECK(grid(1, 3) == 57 && grid(1, 2) == 36);
    cv::Mat_<double> turned = grid.t();
    CHECK(text_of(turned) == "float64[4,3]");
    CHECK(saved_grid(turned)[3] == 31);
    const int extents[] = { 2, 2, 3 };
    cv::Mat_<float> box(3, extents, 1.5f);
    CHECK(text_of(box) == "float32[2,2,3]");
}
#endif

#ifdef HAS_ARMADILLO
TEST(armadillo_matrices_are_restored)
{
    arma::mat grid(2, 3);
    for (arma::uword i = 0; i < 6; i++)
        grid(i / 3, i % 3) = double(i);
    CHECK(text_of(grid) == "float64[2,3]");
    CHECK((saved_grid(grid) == doubles{ 0, 1, 2, 3, 4, 5 }));
    restore_grid(grid, { 10, 11, 12, 13, 14, 15 });
    CHECK(grid(0, 1) == 11 && grid(1, 0) == 13);
    arma::vec column = { 1, 2, 3 };
    CHECK(text_of(column) == "float64[3]");
    CHECK((saved_grid(column) == doubles{ 1, 2, 3 }));
    arma::rowvec row = { 4, 5 };
    CHECK((saved_grid(row) == doubles{ 4, 5 }));
    arma::cube box(2, 2, 2);
    for (arma::uword i = 0; i < 8; i++)
        box(i / 4, i / 2 % 2, i % 2) = double(i);
    CHECK(text_of(box) == "float64[2,2,2]");
    CHECK((saved_grid(box) == doubles{ 0, 1, 2, 3, 4, 5, 6, 7 }));
}
#endif

#ifdef TEST_EIGEN
TEST(eigen_expressions_without_data_are_restored)
{
    Eigen::MatrixXd grid(3, 4);
    for (int i = 0; i < 12; i++)
        grid(i / 4, i % 4) = i;
    auto back = grid.col(1).reverse();
    CHECK(text_of(back) == "float64[3]");
    CHECK((saved_grid(back) == doubles{ 9, 5, 1 }));
    restore_grid(back, { 90, 50, 10 });
    CHECK(grid(0, 1) == 10 && grid(2, 1) == 90 && grid(0, 0) == 0);
    auto both = grid.reverse();
    CHECK(text_of(both) == "float64[3,4]");
    CHECK(saved_grid(both).front() == 11);
    auto turned = grid.transpose();
    CHECK(text_of(turned) == "float64[4,3]");
#if EIGEN_VERSION_AT_LEAST(3, 3, 90)
    auto flat = grid.reshaped();
    CHECK(saved_grid(flat).size() == 12);
    /* An expression whose elements have no regular strides. */
    auto block = grid.block(0, 0, 2, 2);
    auto uneven = block.reshaped();
    varve::graph graph;
    graph.root().add("uneven", uneven);
    MISUSE(graph.check(), "the elements are not evenly spaced");
#endif
}
#endif
