/* hdf5_type.c - Converts between element types by class, size and bit layout.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_type.h"

#include <stdio.h>
#include <string.h>

/* --- Reals ---------------------------------------------------------------- */

struct form {
    varve_dtype dtype;
    size_t size, sign, exponent, exponent_size, mantissa_size, bias;
};

static const struct form forms[] = {
    { VARVE_FLOAT32, 4, 31, 23, 8, 23, 127 },
    { VARVE_FLOAT64, 8, 63, 52, 11, 52, 1023 },
    { VARVE_FLOAT16, 2, 15, 10, 5, 10, 15 },
    { VARVE_BFLOAT16, 2, 15, 7, 8, 7, 127 },
    { VARVE_FLOAT8_E4M3FN, 1, 7, 3, 4, 3, 7 },
    { VARVE_FLOAT8_E5M2, 1, 7, 2, 5, 2, 15 },
};

static bool hdf5_type_is_little(hid_t type)
{
    return H5Tget_size(type) == 1 || H5Tget_order(type) == H5T_ORDER_LE;
}

static bool has_order(hid_t type)
{
    H5T_order_t order = H5Tget_order(type);
    return H5Tget_size(type) == 1 || order == H5T_ORDER_LE ||
           order == H5T_ORDER_BE;
}

static void look_at_real(hid_t type, struct vv_hdf5_type *what)
{
    struct form f = { .size = H5Tget_size(type) };
    size_t mantissa = 1;
    snprintf(what->name, sizeof what->name, "float%zu", 8 * f.size);
    if (H5Tget_fields(type, &f.sign, &f.exponent, &f.exponent_size, &mantissa,
            &f.mantissa_size) < 0)
        return;
    f.bias = H5Tget_ebias(type);
    if (mantissa != 0 || !has_order(type) || H5Tget_offset(type) != 0 ||
        H5Tget_norm(type) != H5T_NORM_IMPLIED)
        return;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        f.dtype = forms[i].dtype;
        if (memcmp(&f, &forms[i], sizeof f) == 0) {
            what->dtype = f.dtype;
            what->is_plain = hdf5_type_is_little(type);
        }
    }
}

/* --- Integers ------------------------------------------------------------- */

static void look_at_integer(hid_t type, struct vv_hdf5_type *what)
{
    static const varve_dtype plain[] = { VARVE_UINT8, VARVE_UINT16,
        VARVE_UINT32, VARVE_UINT64, VARVE_INT8, VARVE_INT16, VARVE_INT32,
        VARVE_INT64 };
    size_t size = H5Tget_size(type), power = 0;
    snprintf(what->name, sizeof what->name, "integer%zu", 8 * size);
    while (power < 4 && (size_t)1 << power < size)
        power++;
    if (power == 4 || !has_order(type))
        return;
    what->dtype = plain[power + (H5Tget_sign(type) == H5T_SGN_2 ? 4 : 0)];
    what->is_plain = size == (size_t)1 << power && hdf5_type_is_little(type) &&
                     H5Tget_precision(type) == 8 * size &&
                     H5Tget_offset(type) == 0;
}

/* Returns true for the bool of h5py: an enumeration of FALSE and TRUE in one
 * byte. */
static bool is_bool(hid_t type)
{
    signed char values[2] = { -1, -1 };
    return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 &&
           H5Tenum_valueof(type, "FALSE", &values[0]) >= 0 &&
           H5Tenum_valueof(type, "TRUE", &values[1]) >= 0 && values[0] == 0 &&
           values[1] == 1;
}

static void look_at_enum(hid_t type, struct vv_hdf5_type *what)
{
    hid_t super = H5Tget_super(type);
    if (super > 0)
        look_at_integer(super, what);
    if (what->dtype && is_bool(type))
        what->dtype = VARVE_BOOL;
    vv_hdf5_drop(super);
}

/* --- Others --------------------------------------------------------------- */

/* Returns true if the names of the two members are those of a complex number in
 * h5py or MATLAB. */
static bool are_parts(const char *first, const char *second)
{
    return (strcmp(first, "r") == 0 && strcmp(second, "i") == 0) ||
           (strcmp(first, "real") == 0 && strcmp(second, "imag") == 0);
}

static bool has_parts(hid_t type)
{
    char *first = H5Tget_member_name(type, 0);
    char *second = H5Tget_member_name(type, 1);
    bool has = first && second && are_parts(first, second);
    H5free_memory(first);
    H5free_memory(second);
    return has;
}

/* Recognizes two consecutive reals. */
static void look_at_compound(hid_t type, struct vv_hdf5_type *what)
{
    struct vv_hdf5_type parts[2] = { { .dtype = 0 }, { .dtype = 0 } };
    snprintf(what->name, sizeof what->name, "compound");
    if (H5Tget_nmembers(type) != 2 || !has_parts(type))
        return;
    for (unsigned i = 0; i < 2; i++) {
        hid_t part = H5Tget_member_type(type, i);
        if (part > 0 && H5Tget_class(part) == H5T_FLOAT)
            look_at_real(part, &parts[i]);
        vv_hdf5_drop(part);
    }
    size_t half = parts[0].dtype == VARVE_FLOAT32   ? 4
                  : parts[0].dtype == VARVE_FLOAT64 ? 8
                                                    : 0;
    if (half == 0 || parts[1].dtype != parts[0].dtype ||
        H5Tget_size(type) != 2 * half || H5Tget_member_offset(type, 0) != 0 ||
        H5Tget_member_offset(type, 1) != half)
        return;
    what->dtype = half == 4 ? VARVE_COMPLEX64 : VARVE_COMPLEX128;
    what->is_plain = parts[0].is_plain && parts[1].is_plain;
}

static const char *class_name(H5T_class_t class)
{
    switch (class) {
    case H5T_TIME: return "time";
    case H5T_BITFIELD: return "bitfield";
    case H5T_OPAQUE: return "opaque";
    case H5T_REFERENCE: return "reference";
    case H5T_VLEN: return "vlen";
    case H5T_ARRAY: return "array";
    case H5T_STRING: return "string";
    default: return "type";
    }
}

/* Returns true if the type is, or has a member that is, a string of variable
 * size. Types nested deeper than `levels` are assumed to have one. */
static bool has_varying(hid_t type, int levels)
{
    H5T_class_t class = H5Tget_class(type);
    bool has = levels == 0 || H5Tis_variable_str(type) != 0;
    int members = class == H5T_COMPOUND ? H5Tget_nmembers(type)
                  : class == H5T_ARRAY  ? 1
                                        : 0;
    for (int i = 0; i < members && !has; i++) {
        hid_t part = class == H5T_ARRAY ? H5Tget_super(type)
                                        : H5Tget_member_type(type, (unsigned)i);
        has = part <= 0 || has_varying(part, levels - 1);
        vv_hdf5_drop(part);
    }
    return has;
}

/* Returns true if the stored bytes represent the complete value, without
 * references to other places. */
static bool hdf5_type_is_whole(hid_t type)
{
    enum { MOST_LEVELS = 8 };
    return H5Tdetect_class(type, H5T_VLEN) == 0 &&
           H5Tdetect_class(type, H5T_REFERENCE) == 0 &&
           !has_varying(type, MOST_LEVELS);
}

static void look_at_element(hid_t type, struct vv_hdf5_type *what)
{
    H5T_class_t class = H5Tget_class(type);
    snprintf(what->name, sizeof what->name, "%s", class_name(class));
    what->size = H5Tget_size(type);
    if (class == H5T_INTEGER)
        look_at_integer(type, what);
    else if (class == H5T_FLOAT)
        look_at_real(type, what);
    else if (class == H5T_ENUM)
        look_at_enum(type, what);
    else if (class == H5T_COMPOUND)
        look_at_compound(type, what);
    else if (class == H5T_STRING)
        what->dtype = VARVE_STRING;
    what->has_bytes =
        !what->dtype && what->size > 0 && hdf5_type_is_whole(type);
}

/* Appends the extents of an array type to those of the object. */
static bool hdf5_type_add_extents(hid_t type, struct vv_hdf5_object *object)
{
    hsize_t extents[VV_HDF5_MOST_RANK];
    int rank = H5Tget_array_ndims(type);
    if (rank < 0 || (uint32_t)rank > VV_HDF5_MOST_RANK - object->rank ||
        H5Tget_array_dims2(type, extents) < 0)
        return false;
    for (int i = 0; i < rank; i++)
        object->extents[object->rank++] = extents[i];
    return true;
}

bool vv_hdf5_look_at_type(hid_t type, struct vv_hdf5_object *object)
{
    enum { MOST_LEVELS = 8 };
    hid_t inner = H5Tcopy(type);
    uint32_t rank = object->rank;
    bool is_good = inner > 0;
    for (int i = 0;
         i < MOST_LEVELS && is_good && H5Tget_class(inner) == H5T_ARRAY &&
         hdf5_type_add_extents(inner, object);
         i++) {
        hid_t super = H5Tget_super(inner);
        vv_hdf5_drop(inner);
        inner = super;
        is_good = inner > 0;
    }
    if (is_good)
        look_at_element(inner, &object->type);
    /* For arrays of types that Varve does not have, the element is the whole
     * array. */
    if (is_good && object->rank != rank &&
        (!object->type.dtype || object->type.dtype == VARVE_STRING)) {
        object->rank = rank;
        object->type.size = H5Tget_size(type);
        object->type.has_bytes = hdf5_type_is_whole(type);
        if (object->type.dtype)
            snprintf(object->type.name, sizeof object->type.name, "array");
        object->type.dtype = (varve_dtype)0;
    }
    vv_hdf5_drop(inner);
    return is_good;
}

/* --- Types in memory ------------------------------------------------------ */

static hid_t complex_type(
    varve_dtype dtype, const char *first, const char *second)
{
    size_t half = dtype == VARVE_COMPLEX64 ? 4 : 8;
    hid_t part = half == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    hid_t type = H5Tcreate(H5T_COMPOUND, 2 * half);
    if (type > 0 && (H5Tinsert(type, first, 0, part) < 0 ||
                        H5Tinsert(type, second, half, part) < 0)) {
        vv_hdf5_drop(type);
        return -1;
    }
    return type;
}

/* Members are matched by name: uses the names in the file, or those of h5py. */
static hid_t complex_like(hid_t type, varve_dtype dtype)
{
    if (H5Tget_class(type) != H5T_COMPOUND)
        return complex_type(dtype, "r", "i");
    char *first = H5Tget_member_name(type, 0);
    char *second = H5Tget_member_name(type, 1);
    hid_t made =
        first && second ? complex_type(dtype, first, second) : (hid_t)-1;
    H5free_memory(first);
    H5free_memory(second);
    return made;
}

/* Returns the same type in little-endian byte order. */
static hid_t real_type(hid_t type)
{
    hid_t copy = H5Tcopy(type);
    if (copy > 0 && H5Tset_order(copy, H5T_ORDER_LE) < 0) {
        vv_hdf5_drop(copy);
        return -1;
    }
    return copy;
}

static hid_t element_type(hid_t type, const struct vv_hdf5_type *what)
{
    switch (what->dtype) {
    case VARVE_BOOL: return H5Tcopy(H5T_STD_I8LE);
    case VARVE_INT8: return H5Tcopy(H5T_STD_I8LE);
    case VARVE_INT16: return H5Tcopy(H5T_STD_I16LE);
    case VARVE_INT32: return H5Tcopy(H5T_STD_I32LE);
    case VARVE_INT64: return H5Tcopy(H5T_STD_I64LE);
    case VARVE_UINT8: return H5Tcopy(H5T_STD_U8LE);
    case VARVE_UINT16: return H5Tcopy(H5T_STD_U16LE);
    case VARVE_UINT32: return H5Tcopy(H5T_STD_U32LE);
    case VARVE_UINT64: return H5Tcopy(H5T_STD_U64LE);
    case VARVE_COMPLEX64:
    case VARVE_COMPLEX128: return complex_like(type, what->dtype);
    default:
        return H5Tget_class(type) == H5T_FLOAT ? real_type(type)
                                               : H5Tcopy(type);
    }
}

hid_t vv_hdf5_memory_type(hid_t type, const struct vv_hdf5_type *what)
{
    hsize_t extents[VV_HDF5_MOST_RANK];
    if (!what->dtype)
        return H5Tcopy(type);
    if (H5Tget_class(type) != H5T_ARRAY)
        return element_type(type, what);
    int rank = H5Tget_array_dims2(type, extents);
    hid_t super = H5Tget_super(type);
    /* The recursion is not deeper than in vv_hdf5_look_at_type. */
    hid_t inner = super > 0 ? vv_hdf5_memory_type(super, what) : -1;
    hid_t made = rank > 0 && inner > 0
                     ? H5Tarray_create2(inner, (unsigned)rank, extents)
                     : -1;
    vv_hdf5_drop(inner);
    vv_hdf5_drop(super);
    return made;
}

hid_t vv_hdf5_varying_type(void)
{
    return H5Tvlen_create(H5T_NATIVE_UCHAR);
}

size_t vv_hdf5_text_size(const char *text, size_t size, H5T_str_t padding)
{
    if (padding == H5T_STR_NULLTERM)
        return strnlen(text, size);
    char last = padding == H5T_STR_SPACEPAD ? ' ' : 0;
    while (size > 0 && text[size - 1] == last)
        size--;
    return size;
}

/* --- Types in written files ----------------------------------------------- */

/* h5py reads opaque types only if the tag is empty. */
static hid_t bytes_type(size_t size)
{
    hid_t type = H5Tcreate(H5T_OPAQUE, size);
    if (type > 0 && H5Tset_tag(type, "") < 0) {
        vv_hdf5_drop(type);
        return -1;
    }
    return type;
}

static hid_t bool_type(void)
{
    const signed char no = 0, yes = 1;
    hid_t type = H5Tenum_create(H5T_STD_I8LE);
    if (type > 0 && (H5Tenum_insert(type, "FALSE", &no) < 0 ||
                        H5Tenum_insert(type, "TRUE", &yes) < 0)) {
        vv_hdf5_drop(type);
        return -1;
    }
    return type;
}

/* IEEE binary16, derived from binary32. */
static hid_t half_type(void)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    if (type > 0 &&
        (H5Tset_fields(type, 15, 10, 5, 0, 10) < 0 ||
            H5Tset_size(type, 2) < 0 || H5Tset_ebias(type, 15) < 0)) {
        vv_hdf5_drop(type);
        return -1;
    }
    return type;
}

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type > 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 ||
                        H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        vv_hdf5_drop(type);
        return -1;
    }
    return type;
}

hid_t vv_hdf5_file_type(varve_dtype dtype)
{
    struct vv_hdf5_type what = { .dtype = dtype };
    if (!dtype)
        return bytes_type(1);
    switch (dtype) {
    case VARVE_BOOL: return bool_type();
    case VARVE_FLOAT16: return half_type();
    case VARVE_FLOAT32: return H5Tcopy(H5T_IEEE_F32LE);
    case VARVE_FLOAT64: return H5Tcopy(H5T_IEEE_F64LE);
    case VARVE_STRING: return text_type();
    case VARVE_BFLOAT16: return bytes_type(2);
    case VARVE_FLOAT8_E4M3FN:
    case VARVE_FLOAT8_E5M2: return bytes_type(1);
    default: return element_type(H5T_STD_U8LE, &what);
    }
}

const char *vv_hdf5_byte_name(varve_dtype dtype)
{
    if (!dtype)
        return VV_HDF5_STATE_NAME;
    switch (dtype) {
    case VARVE_BFLOAT16: return "bfloat16";
    case VARVE_FLOAT8_E4M3FN: return "float8_e4m3fn";
    case VARVE_FLOAT8_E5M2: return "float8_e5m2";
    default: return NULL;
    }
}
