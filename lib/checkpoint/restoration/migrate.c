/* migrate.c - A merge callback that reads the columns of the part of each
 * process, a few thousand rows at a time, and gives each struct to its owner.
 *
 * SPDX-License-Identifier: MIT
 */
#include "migrate.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "edge.h"
#include "failure.h"
#include "field.h"
#include "graph.h"
#include "index.h"
#include "migrating.h"
#include "name.h"
#include "pairing.h"
#include "private.h"
#include "try.h"
#include "typed_memory.h"

/* The number of bytes of structs, and of one of their columns, that are read at
 * once. A single larger struct is also read. */
enum { PIECE_SIZE = 8 << 20 };

/* The part that one process has saved. */
struct part {
    const struct vv_migrating *m;
    varve_reader *reader;
    struct vv_buffer path; /* path of the part */
    uint64_t count;
    uint32_t *columns; /* by field: a node of the file, or VV_NONE */
    size_t rows;       /* capacity of `structs` and `column`: */
    char *structs;
    char *column;
};

static varve_status migrate_refuse(
    struct part *p, const char *why, varve_error *error)
{
    return vv_fail(
        error, VARVE_MISMATCH, "%s: %s", vv_buffer_string(&p->path), why);
}

static varve_status refuse_field(
    struct part *p, const char *name, const char *why, varve_error *error)
{
    return vv_fail(error, VARVE_MISMATCH, "%s/%s: %s",
        vv_buffer_string(&p->path), name, why);
}

/* --- Which column is of which field --------------------------------------- */

static size_t field_named(const varve_field *fields, const char *name)
{
    size_t i = 0;
    while (fields[i].kind && !vv_field_is_called(&fields[i], name))
        i++;
    return i;
}

/* Checks that a value of the file has the type and shape of `count` values of a
 * field. */
static varve_status check_column(struct part *p, const varve_field *f,
    const varve_saved_node *node, varve_error *error)
{
    char text[2][VARVE_TENSOR_TEXT_SIZE];
    varve_tensor one = vv_field_view(f, p->structs), wanted = one;
    const varve_tensor *found = &node->value;
    if (p->count == UINT64_MAX && found->rank)
        p->count = found->shape[0];
    wanted.rank = one.rank + 1;
    wanted.shape[0] = p->count;
    memcpy(wanted.shape + 1, one.shape, one.rank * sizeof *one.shape);
    if (found->dtype == wanted.dtype && found->rank == wanted.rank &&
        memcmp(found->shape, wanted.shape,
            wanted.rank * sizeof *wanted.shape) == 0)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISMATCH, "%s/%s: expected %s, found %s",
        vv_buffer_string(&p->path), vv_field_name(f),
        varve_tensor_text(&wanted, text[0]), varve_tensor_text(found, text[1]));
}

static varve_status note_column(struct part *p, const char *name,
    const varve_saved_node *node, varve_error *error)
{
    const varve_field *fields = p->m->of.fields;
    size_t i = field_named(fields, name);
    if (!node->has_value || fields[i].kind == VARVE_FIELD_IS_GONE)
        return VARVE_OK;
    if (!fields[i].kind)
        return refuse_field(p, name,
            "the table has no such field (VARVE_FIELD_GONE is for fields that "
            "only files have)",
            error);
    p->columns[i] = node->id;
    return check_column(p, &fields[i], node, error);
}

static varve_status find_columns(struct part *p, varve_error *error)
{
    varve_saved_node part, node;
    const char *name;
    uint32_t child;
    const varve_field *f = p->m->of.fields;
    const char *path = vv_buffer_string(&p->path);
    if (p->path.failed)
        return vv_fail_memory(error, "the path of redistributable structs");
    if (!varve_reader_find(p->reader, path, &part))
        return migrate_refuse(p, "it is not the part of a rank", error);
    for (size_t i = 0; f[i].kind; i++)
        p->columns[i] = VV_NONE;
    p->count = UINT64_MAX;
    for (size_t i = 0; i < part.edge_count; i++)
        if (varve_reader_edge_at(p->reader, part.id, i, &name, &child) &&
            varve_reader_node_at(p->reader, child, &node))
            VV_TRY(note_column(p, name, &node, error));
    for (size_t i = 0; f[i].kind; i++)
        if (p->columns[i] == VV_NONE && f[i].kind == VARVE_FIELD_IS_VALUE &&
            !f[i].is_later)
            return refuse_field(
                p, vv_field_name(&f[i]), "the value is missing", error);
    return VARVE_OK;
}

/* --- Reading -------------------------------------------------------------- */

/* Reads one field of `count` structs from `first` on. */
static varve_status migrate_read_column(struct part *p, const varve_field *f,
    uint32_t node, uint64_t first, size_t count, varve_error *error)
{
    varve_tensor one = vv_field_view(f, p->structs);
    size_t size = (size_t)varve_tensor_size(&one);
    varve_box box = { .start = { first }, .extents = { count } };
    memcpy(box.extents + 1, one.shape, one.rank * sizeof *one.shape);
    VV_TRY(varve_reader_read_box(
        p->reader, node, &box, p->column, count * size, error));
    for (size_t i = 0; i < count; i++)
        vv_dtype_swap_copy(f->dtype, p->structs + i * p->m->of.size + f->offset,
            p->column + i * size, varve_tensor_count(&one));
    return VARVE_OK;
}

static varve_status migrate_put(
    struct part *p, uint64_t first, size_t i, varve_error *error)
{
    const varve_migrating *of = &p->m->of;
    const char *one = p->structs + i * of->size;
    uint32_t owner = of->owner ? of->owner(of->user, one) : p->m->rank;
    if (owner >= p->m->size)
        return vv_fail(error, VARVE_MISMATCH,
            "%s: %" PRIu64 ": the owner must be below %" PRIu32
            ", found %" PRIu32,
            vv_buffer_string(&p->path), first + i, p->m->size, owner);
    varve_status status =
        owner == p->m->rank ? of->put(of->user, one) : VARVE_OK;
    return status ? vv_fail(error, status,
                        "%s: %" PRIu64 ": the `put` callback returned %s",
                        vv_buffer_string(&p->path), first + i,
                        varve_status_name(status))
                  : VARVE_OK;
}

static varve_status migrate_read_part(struct part *p, varve_error *error)
{
    const varve_field *f = p->m->of.fields;
    VV_TRY(find_columns(p, error));
    for (uint64_t first = 0; first < p->count; first += p->rows) {
        size_t count = p->rows;
        if (count > p->count - first)
            count = (size_t)(p->count - first);
        memset(p->structs, 0, count * p->m->of.size);
        for (size_t i = 0; f[i].kind; i++)
            if (p->columns[i] != VV_NONE)
                VV_TRY(migrate_read_column(
                    p, &f[i], p->columns[i], first, count, error));
        for (size_t i = 0; i < count; i++)
            VV_TRY(migrate_put(p, first, i, error));
    }
    return VARVE_OK;
}

static varve_status migrate_read_parts(
    struct part *p, const char *path, size_t count, varve_error *error)
{
    const varve_migrating *of = &p->m->of;
    of->clear(of->user);
    for (size_t i = 0; i < count; i++) {
        char number[24];
        size_t size = vv_decimal(i, number);
        if (!of->owner && i % p->m->size != p->m->rank)
            continue;
        vv_buffer_add_string(vv_emptied(&p->path), path);
        vv_buffer_add_string(&p->path, "/");
        vv_buffer_add(&p->path, number, size);
        VV_TRY(migrate_read_part(p, error));
    }
    return VARVE_OK;
}

varve_status vv_migrate(void *user, varve_node *mine, varve_reader *saved,
    const char *path, size_t count, varve_error *error)
{
    const varve_allocator *a = &mine->graph->context.allocator;
    const struct vv_migrating *m = vv_migrating_of(mine);
    struct part p = { .m = m, .reader = saved };
    size_t fields = 0;
    (void)user;
    if (!m) /* the program has removed it */
        return VARVE_OK;
    while (m->of.fields[fields].kind)
        fields++;
    p.rows = m->of.size < PIECE_SIZE ? PIECE_SIZE / m->of.size : 1;
    size_t size = p.rows * m->of.size;
    size_t columns_size = fields * sizeof *p.columns;
    vv_buffer_init(&p.path, a);
    p.structs = vv_allocate(a, size);
    p.column = vv_allocate(a, size);
    p.columns = vv_allocate(a, columns_size);
    varve_status status =
        p.structs && p.column && p.columns
            ? migrate_read_parts(&p, path, count, error)
            : vv_fail_memory(error, "redistributable structs");
    vv_release(a, p.structs, size);
    vv_release(a, p.column, size);
    vv_release(a, p.columns, columns_size);
    vv_buffer_clear(&p.path);
    return status;
}

/* --- Adding --------------------------------------------------------------- */

varve_node *varve_add_migrating(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_migrating *migrating)
{
    const varve_rank_local_options options = { .merge = vv_migrate,
        .always = true };
    parent = vv_or_nil(parent);
    varve_graph *graph = parent->graph;
    if (!migrating) {
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: the options of redistributable structs are NULL",
            name ? name : "list element");
        return &graph->nil;
    }
    varve_node *mine = vv_private_new(parent, name, comm, &options);
    if (vv_is_nil(mine))
        return mine;
    /* The node is complete before it is attached, because its pending values
     * arrive at once. */
    varve_node *all = vv_first_in(mine)->parent;
    if (vv_migrating_begin(mine, name, migrating, vv_private_of(all)))
        return vv_private_attach(parent, name, mine);
    varve_remove(all);
    return &graph->nil;
}
