/* test_mpi.cpp - Tests the MPI communicator in C++.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include <varve/mpi.hpp>
#include <varve/varve.hpp>

static constexpr std::size_t ROWS = 11;

static void need(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "test_mpi.cpp: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void save_and_restore(const varve::comm &all, const std::string &path)
{
    const std::size_t first = ROWS * all.rank() / all.size();
    std::vector<double> mine(ROWS * (all.rank() + 1) / all.size() - first);
    for (std::size_t i = 0; i < mine.size(); i++)
        mine[i] = static_cast<double>(first + i);
    varve::graph graph;
    graph.root().add_slice("rows", mine, { ROWS }, { first });
    auto written = varve::write_all(all, graph.root(), path);
    need(static_cast<bool>(written), written.error().message);
    const std::vector<double> saved = mine;
    mine.assign(mine.size(), -1);
    auto found = varve::read_all(all, graph.root(), path);
    need(static_cast<bool>(found), found.error().message);
    const auto consumed = all.agree(found->assert_consumed());
    need(static_cast<bool>(consumed), consumed.error().message);
    need(mine == saved, "the restored values differ");
}

int main(int argc, char **argv)
{
    const auto early = varve::mpi_comm::make(MPI_COMM_WORLD);
    need(early.status() == VARVE_MISUSE, "a communicator before MPI_Init");
    MPI_Init(&argc, &argv);
    char folder[512];
    int rank;
    const char *place = std::getenv("TMPDIR");
    std::snprintf(folder, sizeof folder, "%s/varve-mpi-XXXXXX",
        place && *place ? place : "/tmp");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    need(rank > 0 || mkdtemp(folder), "a folder");
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    {
        auto comm = varve::mpi_comm::make(MPI_COMM_WORLD);
        need(static_cast<bool>(comm), comm.error().message);
        save_and_restore(*comm, std::string(folder) + "/all.varve");
    }
    const std::string away = std::string("rm -r ") + folder;
    need(rank > 0 || std::system(away.c_str()) == 0, "removing the folder");
    MPI_Finalize();
    return 0;
}
