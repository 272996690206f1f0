/* torch_tensor.c - Parses the arguments of the functions that create tensors,
 * without calling them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_tensor.h"

#include "typed_memory.h"

/* --- Element types -------------------------------------------------------- */

struct known {
    varve_dtype dtype;
    const char *storage; /* NULL: the type has no storage class */
    const char *name;
};

static const struct known known[] = {
    { VARVE_FLOAT32, "FloatStorage", "float32" },
    { VARVE_FLOAT64, "DoubleStorage", "float64" },
    { VARVE_FLOAT16, "HalfStorage", "float16" },
    { VARVE_BFLOAT16, "BFloat16Storage", "bfloat16" },
    { VARVE_INT64, "LongStorage", "int64" },
    { VARVE_INT32, "IntStorage", "int32" },
    { VARVE_INT16, "ShortStorage", "int16" },
    { VARVE_INT8, "CharStorage", "int8" },
    { VARVE_UINT8, "ByteStorage", "uint8" },
    { VARVE_BOOL, "BoolStorage", "bool" },
    { VARVE_COMPLEX64, "ComplexFloatStorage", "complex64" },
    { VARVE_COMPLEX128, "ComplexDoubleStorage", "complex128" },
    { VARVE_UINT8, "UntypedStorage", NULL },
    { VARVE_UINT16, NULL, "uint16" },
    { VARVE_UINT32, NULL, "uint32" },
    { VARVE_UINT64, NULL, "uint64" },
    { VARVE_FLOAT8_E4M3FN, NULL, "float8_e4m3fn" },
    { VARVE_FLOAT8_E5M2, NULL, "float8_e5m2" },
};

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "add the new element type to the table if PyTorch has it");

/* Returns the entry of a type that has a name. */
static const struct known *of(varve_dtype dtype)
{
    size_t k = 0;
    while (known[k].dtype != dtype || !known[k].name)
        k++;
    return &known[k];
}

const char *vv_torch_storage_of(varve_dtype dtype)
{
    return of(dtype)->storage;
}

const char *vv_torch_name_of_type(varve_dtype dtype)
{
    return of(dtype)->name;
}

varve_dtype vv_torch_type(const struct vv_pickle *p, uint32_t item)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    if (i->kind != VV_PICKLE_GLOBAL)
        return (varve_dtype)0;
    bool is_of_torch = vv_pickle_is_text(p, i->a, "torch");
    if (!is_of_torch && !vv_pickle_is_text(p, i->a, "torch.storage"))
        return (varve_dtype)0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if ((known[k].storage &&
                vv_pickle_is_text(p, i->b, known[k].storage)) ||
            (is_of_torch && known[k].name &&
                vv_pickle_is_text(p, i->b, known[k].name)))
            return known[k].dtype;
    }
    return (varve_dtype)0;
}

/* --- Tensors -------------------------------------------------------------- */

enum {
    STORAGE, /* indices of the arguments */
    OFFSET,
    SHAPE,
    STRIDES,
    MOST_SIGNS = 8, /* maximum number of keys that are read */
    MOST_WRAPS = 8, /* maximum nesting of a parameter or subclass */
};

struct looking {
    const struct vv_pickle *p;
    struct vv_torch_tensor *t;
    uint32_t function;
    uint32_t arguments;
    uint32_t state; /* of the outermost call */
};

/* --- Sizes ---------------------------------------------------------------- */

bool vv_torch_size_of(
    const struct vv_pickle *p, uint32_t number, uint64_t *size)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    if (item->kind != VV_PICKLE_INTEGER || vv_pickle_integer(item) < 0)
        return false;
    *size = (uint64_t)vv_pickle_integer(item);
    return true;
}

bool vv_torch_sizes(const struct vv_pickle *p, uint32_t number,
    uint64_t sizes[VARVE_MAX_RANK], uint32_t *count)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    if (item->kind == VV_PICKLE_CALL &&
        vv_pickle_is_global(p, item->a, "torch", "Size"))
        item = vv_pickle_item(p, vv_pickle_nth(p, item->b, 0));
    if (item->kind != VV_PICKLE_TUPLE && item->kind != VV_PICKLE_LIST)
        return false;
    *count = 0;
    for (uint32_t at = item->first; at && *count <= VARVE_MAX_RANK;
         at = vv_pickle_link(p, at).next) {
        uint64_t size;
        if (!vv_torch_size_of(p, vv_pickle_link(p, at).item, &size))
            return false;
        if (*count < VARVE_MAX_RANK)
            sizes[*count] = size;
        ++*count;
    }
    return true;
}

/* --- Arguments ------------------------------------------------------------ */

static uint32_t argument(const struct looking *l, unsigned index)
{
    return vv_pickle_nth(l->p, l->arguments, index);
}

static enum vv_torch_kind broken(const struct looking *l, const char *expected)
{
    l->t->expected = expected;
    return VV_TORCH_BROKEN;
}

static enum vv_torch_kind alien(const struct looking *l, uint32_t name)
{
    bool is_named = vv_pickle_item(l->p, name)->kind == VV_PICKLE_GLOBAL;
    l->t->name = is_named ? name : l->function;
    return VV_TORCH_ALIEN;
}

/* Reads {'conj': True, 'neg': True}; other keys are ignored. */
static void take_signs(const struct looking *l, unsigned index)
{
    const struct vv_pickle_item *dict =
        vv_pickle_item(l->p, argument(l, index));
    uint32_t at = dict->kind == VV_PICKLE_DICT ? dict->first : 0;
    for (int i = 0; at && i < MOST_SIGNS; i++) {
        struct vv_pickle_link key = vv_pickle_link(l->p, at);
        struct vv_pickle_link value = vv_pickle_link(l->p, key.next);
        bool is_set = value.item == VV_PICKLE_THE_TRUE;
        if (vv_pickle_is_text(l->p, key.item, "conj"))
            l->t->conjugated = is_set;
        if (vv_pickle_is_text(l->p, key.item, "neg"))
            l->t->negated = is_set;
        at = value.next;
    }
}

/* Reads ('storage', class, key, location, count [, view]). The location is
 * ignored. Views occur only before torch 0.4. */
static enum vv_torch_kind take_storage(const struct looking *l)
{
    struct vv_torch_tensor *t = l->t;
    const struct vv_pickle_item *item =
        vv_pickle_item(l->p, argument(l, STORAGE));
    if (item->kind != VV_PICKLE_OUTSIDE ||
        !vv_pickle_is_text(l->p, vv_pickle_nth(l->p, item->a, 0), "storage"))
        return broken(l, "storage");
    uint32_t class = vv_pickle_nth(l->p, item->a, 1);
    t->of = vv_torch_type(l->p, class);
    t->part = item->b;
    t->key = vv_pickle_nth(l->p, item->a, 2);
    if (vv_pickle_item(l->p, t->key)->kind != VV_PICKLE_TEXT ||
        !vv_torch_size_of(l->p, vv_pickle_nth(l->p, item->a, 4), &t->count))
        return broken(l, "storage with a key and a count");
    t->has_storage = true;
    if (vv_pickle_nth(l->p, item->a, 5) != VV_PICKLE_THE_NONE)
        return alien(l, VV_PICKLE_THE_NONE); /* a view of another storage */
    return t->of ? VV_TORCH_TENSOR : alien(l, class);
}

static enum vv_torch_kind torch_tensor_take_shape(
    const struct looking *l, unsigned index)
{
    uint32_t rank = 0;
    if (!vv_torch_sizes(l->p, argument(l, index), l->t->type.shape, &rank))
        return broken(l, "shape of integers");
    if (rank > VARVE_MAX_RANK)
        return alien(l, VV_PICKLE_THE_NONE);
    l->t->type.rank = rank;
    return VV_TORCH_TENSOR;
}

/* --- Calls ---------------------------------------------------------------- */

/* (storage, offset, shape, strides) */
static enum vv_torch_kind torch_tensor_take_parts(const struct looking *l)
{
    uint32_t strides = 0;
    enum vv_torch_kind kind = take_storage(l);
    if (kind == VV_TORCH_TENSOR)
        kind = torch_tensor_take_shape(l, SHAPE);
    if (kind != VV_TORCH_TENSOR)
        return kind;
    if (!vv_torch_size_of(l->p, argument(l, OFFSET), &l->t->offset))
        return broken(l, "offset");
    if (!vv_torch_sizes(l->p, argument(l, STRIDES), l->t->strides, &strides) ||
        strides != l->t->type.rank)
        return broken(l, "stride for each dimension");
    l->t->type.dtype = l->t->of;
    return VV_TORCH_TENSOR;
}

/* (..., requires_grad, hooks [, metadata]) */
static enum vv_torch_kind take_v2(const struct looking *l)
{
    take_signs(l, 6);
    return torch_tensor_take_parts(l);
}

static enum vv_torch_kind torch_tensor_take_type(
    const struct looking *l, unsigned index)
{
    l->t->type.dtype = vv_torch_type(l->p, argument(l, index));
    return l->t->type.dtype ? VV_TORCH_TENSOR : alien(l, argument(l, index));
}

/* (..., requires_grad, hooks, dtype [, metadata]), over a storage of bytes */
static enum vv_torch_kind take_v3(const struct looking *l)
{
    take_signs(l, 7);
    enum vv_torch_kind kind = torch_tensor_take_parts(l);
    return kind == VV_TORCH_TENSOR ? torch_tensor_take_type(l, 6) : kind;
}

/* (dtype, shape, strides, requires_grad): a tensor on the meta device */
static enum vv_torch_kind take_meta(const struct looking *l)
{
    enum vv_torch_kind kind = torch_tensor_take_type(l, 0);
    return kind == VV_TORCH_TENSOR ? torch_tensor_take_shape(l, 1) : kind;
}

/* Other functions: the tensor is identified by the function's name. */
static enum vv_torch_kind take_alien(const struct looking *l)
{
    return alien(l, VV_PICKLE_THE_NONE);
}

struct maker {
    const char *name;
    enum vv_torch_kind (*take)(const struct looking *l);
};

static const struct maker makers[] = {
    { "_rebuild_tensor_v2", take_v2 },
    { "_rebuild_tensor_v3", take_v3 },
    { "_rebuild_tensor", torch_tensor_take_parts },
    { "_rebuild_meta_tensor_no_storage", take_meta },
    { "_rebuild_sparse_tensor", take_alien },
    { "_rebuild_sparse_csr_tensor", take_alien },
    { "_rebuild_nested_tensor", take_alien },
    { "_rebuild_qtensor", take_alien },
    { "_rebuild_mkldnn_tensor", take_alien },
    { "_rebuild_wrapper_subclass", take_alien },
};

static const struct maker *maker_of(
    const struct vv_pickle *p, uint32_t function)
{
    const struct vv_pickle_item *f = vv_pickle_item(p, function);
    if (f->kind != VV_PICKLE_GLOBAL ||
        !vv_pickle_is_text(p, f->a, "torch._utils"))
        return NULL;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (vv_pickle_is_text(p, f->b, makers[i].name))
            return &makers[i];
    }
    return NULL;
}

static bool makes_parameter(const struct looking *l)
{
    return vv_pickle_is_global(
               l->p, l->function, "torch._utils", "_rebuild_parameter") ||
           vv_pickle_is_global(l->p, l->function, "torch._utils",
               "_rebuild_parameter_with_state");
}

/* Parameters and variables before torch 0.4 are objects: (tensor), or a state
 * (tensor, gradient, hooks, requires_grad, volatile). */
static bool go_into_variable(struct looking *l)
{
    bool is_parameter = vv_pickle_is_global(
        l->p, l->function, "torch.nn.parameter", "Parameter");
    if (!is_parameter && !vv_pickle_is_global(l->p, l->function,
                             "torch.autograd.variable", "Variable"))
        return false;
    uint32_t tensor = argument(l, 0);
    if (!tensor && vv_pickle_nth(l->p, l->state, 4))
        tensor = vv_pickle_nth(l->p, l->state, 0);
    const struct vv_pickle_item *call = vv_pickle_item(l->p, tensor);
    if (call->kind != VV_PICKLE_CALL)
        return false;
    l->t->is_parameter |= is_parameter;
    l->function = call->a;
    l->arguments = call->b;
    l->state = VV_PICKLE_THE_NONE;
    return true;
}

/* Replaces a parameter (tensor, ...) or a subclass (function, class, arguments,
 * state) by the call that creates its tensor. Returns false for other calls. */
static bool go_in(struct looking *l)
{
    if (go_into_variable(l))
        return true;
    if (makes_parameter(l)) {
        const struct vv_pickle_item *call =
            vv_pickle_item(l->p, argument(l, 0));
        if (call->kind != VV_PICKLE_CALL)
            return false;
        l->t->is_parameter = true;
        l->function = call->a;
        l->arguments = call->b;
        return true;
    }
    if (!vv_pickle_is_global(
            l->p, l->function, "torch._tensor", "_rebuild_from_type_v2"))
        return false;
    l->function = argument(l, 0);
    l->arguments = argument(l, 2);
    return true;
}

enum vv_torch_kind vv_torch_tensor(
    const struct vv_pickle *p, uint32_t item, struct vv_torch_tensor *t)
{
    const struct vv_pickle_item *call = vv_pickle_item(p, item);
    *t = (struct vv_torch_tensor){ 0 };
    if (call->kind != VV_PICKLE_CALL)
        return VV_TORCH_OTHER;
    struct looking l = { .p = p,
        .t = t,
        .function = call->a,
        .arguments = call->b,
        .state = call->state };
    for (int i = 0; i < MOST_WRAPS && go_in(&l); i++)
        continue;
    const struct maker *maker = maker_of(p, l.function);
    return maker ? maker->take(&l) : VV_TORCH_OTHER;
}

/* --- Layout --------------------------------------------------------------- */

bool vv_torch_size(const struct vv_torch_tensor *t, uint64_t *size)
{
    uint64_t count;
    return vv_shape_count(t->type.rank, t->type.shape, &count) &&
           vv_size_of(count, vv_dtype_file_size(t->type.dtype), size);
}

bool vv_torch_extent(const struct vv_torch_tensor *t, uint64_t *extent)
{
    uint64_t highest = t->offset, far;
    *extent = 0;
    for (uint32_t i = 0; i < t->type.rank; i++) {
        if (t->type.shape[i] == 0)
            return true;
    }
    for (uint32_t i = 0; i < t->type.rank; i++) {
        if (!vv_size_of(t->type.shape[i] - 1, t->strides[i], &far) ||
            __builtin_add_overflow(highest, far, &highest))
            return false;
    }
    return !__builtin_add_overflow(highest, (uint64_t)1, extent);
}

uint64_t vv_torch_run(const struct vv_torch_tensor *t, uint32_t *outer)
{
    uint64_t run = 1;
    uint32_t i = t->type.rank;
    while (i > 0 && (t->type.shape[i - 1] == 1 || t->strides[i - 1] == run))
        run *= t->type.shape[--i];
    *outer = i;
    return run;
}
