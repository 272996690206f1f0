/* placement.c - Computes placements of variables from names and sizes.
 *
 * Round-robin and load-based placement follow TensorFlow
 * (python/training/device_setter.py and
 * contrib/training/python/training/device_setter.py), partitions its
 * python/ops/partitioned_variables.py. Placement by path uses rendezvous
 * hashing: it selects the server with the highest hash of the path and the
 * server's name. Adding or removing a server does not change the hashes of the
 * others.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/placement.h>

#include <string.h>

#include "bytes.h"
#include "checksum.h"

enum { BYTES_OF_A_STRING = 16 };

uint32_t varve_place_round_robin(uint64_t number, uint32_t servers)
{
    return servers ? (uint32_t)(number % servers) : 0;
}

uint32_t varve_place_by_load(uint64_t *loads, uint32_t servers, uint64_t load)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < servers; i++)
        if (loads[i] < loads[least])
            least = i;
    if (servers)
        loads[least] = loads[least] <= UINT64_MAX - load ? loads[least] + load
                                                         : UINT64_MAX;
    return least;
}

/* Hashes two numbers in the same byte order on every machine. */
static uint64_t hash_of_pair(uint64_t first, uint64_t second)
{
    unsigned char bytes[16];
    vv_store64(bytes, first);
    vv_store64(bytes + 8, second);
    return vv_hash_of(bytes, sizeof bytes);
}

uint32_t varve_place_by_path(
    const char *path, const char *const *names, uint32_t servers)
{
    uint32_t best = 0;
    uint64_t highest = 0;
    uint64_t of_path = vv_hash_of(path, strlen(path));
    for (uint32_t i = 0; i < servers; i++) {
        uint64_t of_server = names ? vv_hash_of(names[i], strlen(names[i])) : i;
        uint64_t number = hash_of_pair(of_path, of_server);
        if (i == 0 || number > highest) {
            best = i;
            highest = number;
        }
    }
    return best;
}

/* --- Parts --------------------------------------------------------------- */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Multiplies, and returns at most UINT64_MAX. */
static uint64_t placement_multiply(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Returns the number of rows, or 1 if there is no such dimension. */
static uint64_t placement_row_count(
    const varve_tensor *value, uint32_t dimension)
{
    return dimension < value->rank ? value->shape[dimension] : 1;
}

/* Returns the size of one row of a dimension, or of the whole value if there is
 * no such dimension. */
static uint64_t row_size(const varve_tensor *value, uint32_t dimension)
{
    uint64_t size = value->dtype == VARVE_STRING
                        ? BYTES_OF_A_STRING
                        : varve_dtype_size(value->dtype);
    for (uint32_t i = 0; i < value->rank; i++)
        if (i != dimension)
            size = placement_multiply(size, value->shape[i]);
    return size;
}

/* Limits a number of parts to between 1 and the number of rows. */
static uint64_t limit(uint64_t parts, uint64_t rows, uint64_t most_parts)
{
    parts = least_of(parts, rows);
    if (most_parts)
        parts = least_of(parts, most_parts);
    return parts ? parts : 1;
}

uint64_t varve_parts_at_most(const varve_tensor *value, uint32_t dimension,
    uint64_t most_bytes, uint64_t most_parts)
{
    uint64_t rows = placement_row_count(value, dimension);
    uint64_t size = row_size(value, dimension);
    uint64_t rows_of_part = size ? most_bytes / size : rows;
    return limit(
        divide_up(rows, rows_of_part ? rows_of_part : 1), rows, most_parts);
}

uint64_t varve_parts_at_least(const varve_tensor *value, uint32_t dimension,
    uint64_t least_bytes, uint64_t most_parts)
{
    uint64_t rows = placement_row_count(value, dimension);
    uint64_t size = placement_multiply(rows, row_size(value, dimension));
    return limit(
        divide_up(size, least_bytes ? least_bytes : 1), rows, most_parts);
}

varve_box varve_part_at(const varve_tensor *value, uint32_t dimension,
    uint64_t parts, uint64_t number)
{
    varve_box box = { 0 };
    for (uint32_t i = 0; i < value->rank; i++)
        box.extents[i] = value->shape[i];
    if (dimension >= value->rank)
        return box;
    uint64_t rows = value->shape[dimension];
    if (number >= parts) {
        box.start[dimension] = rows;
        box.extents[dimension] = 0;
        return box;
    }
    uint64_t more = rows % parts;
    box.start[dimension] = rows / parts * number + least_of(number, more);
    box.extents[dimension] = rows / parts + (number < more);
    return box;
}
