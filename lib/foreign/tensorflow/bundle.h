/* bundle.h - Defines the numbers of TensorFlow: those of the fields of its
 * messages, and those of its element types.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_H
#define VV_BUNDLE_H

#include <stdint.h>

#include <varve/tensor.h>

/* --- Messages ------------------------------------------------------------- */

/* Defines the field numbers of the protobuf messages in a TensorFlow
 * checkpoint, and reserved names (tensor_bundle.proto,
 * trackable_object_graph.proto). */

enum { VV_BUNDLE_VERSION = 1 };

enum vv_bundle_endianness {
    VV_BUNDLE_LITTLE_ENDIAN = 0,
    VV_BUNDLE_BIG_ENDIAN = 1,
};

/* BundleHeaderProto, under the empty key. */
enum vv_header_field {
    VV_HEADER_SHARD_COUNT = 1,
    VV_HEADER_ENDIANNESS = 2,
    VV_HEADER_VERSION = 3,
};

/* VersionDef. */
enum vv_version_field {
    VV_VERSION_PRODUCER = 1,
    VV_VERSION_MIN_CONSUMER = 2,
    VV_VERSION_BAD_CONSUMERS = 3,
};

/* BundleEntryProto, under every other key. */
enum vv_entry_field {
    VV_ENTRY_DTYPE = 1,
    VV_ENTRY_SHAPE = 2,
    VV_ENTRY_SHARD = 3,
    VV_ENTRY_OFFSET = 4,
    VV_ENTRY_SIZE = 5,
    VV_ENTRY_SUM = 6,
    VV_ENTRY_SLICES = 7,
};

/* TensorShapeProto and its Dim. */
enum vv_shape_field { VV_SHAPE_DIM = 2, VV_SHAPE_UNKNOWN_RANK = 3 };
enum vv_dim_field { VV_DIM_SIZE = 1, VV_DIM_NAME = 2 };

/* TensorSliceProto and its Extent. */
enum vv_slice_field { VV_SLICE_EXTENT = 1 };
enum vv_extent_field { VV_EXTENT_START = 1, VV_EXTENT_LENGTH = 2 };

/* TrackableObjectGraph */
enum vv_objects_field { VV_OBJECTS_NODE = 1 };

/* TrackableObject, a node of it */
enum vv_object_field {
    VV_OBJECT_CHILD = 1,
    VV_OBJECT_ATTRIBUTE = 2,
    VV_OBJECT_SLOT = 3,
    VV_OBJECT_SAVER = 4,
    VV_OBJECT_HAS_VALUES = 5,
};

/* ObjectReference, SerializedTensor, SlotVariableReference, RegisteredSaver,
 * BoolValue. */
enum vv_child_field { VV_CHILD_NODE = 1, VV_CHILD_NAME = 2 };
enum vv_attribute_field {
    VV_ATTRIBUTE_NAME = 1,
    VV_ATTRIBUTE_FULL_NAME = 2,
    VV_ATTRIBUTE_KEY = 3,
};
enum vv_slot_field {
    VV_SLOT_VARIABLE = 1,
    VV_SLOT_NAME = 2,
    VV_SLOT_NODE = 3,
};
enum vv_saver_field { VV_SAVER_NAME = 1, VV_SAVER_OBJECT = 2 };
enum vv_bool_field { VV_BOOL_VALUE = 1 };

/* The key of the object graph, and the separators in other keys. */
#define VV_BUNDLE_GRAPH_KEY "_CHECKPOINTABLE_OBJECT_GRAPH"
#define VV_BUNDLE_ATTRIBUTES ".ATTRIBUTES"
#define VV_BUNDLE_SLOT ".OPTIMIZER_SLOT"

/* The attributes of variables and of states. */
#define VV_BUNDLE_VARIABLE "VARIABLE_VALUE"
#define VV_BUNDLE_STATE "py_state"

/* The tag of a variable whose type and value are not in the file. */
#define VV_BUNDLE_UNTYPED_TAG "tensorflow:untyped"

/* The number of the variant type. */
enum { VV_BUNDLE_VARIANT = 21 };

/* The edge from node 0 to the save counter, and the key of the counter. */
#define VV_BUNDLE_COUNTER "save_counter"
#define VV_BUNDLE_COUNTER_KEY                                                  \
    VV_BUNDLE_COUNTER "/" VV_BUNDLE_ATTRIBUTES "/" VV_BUNDLE_VARIABLE

/* --- Element types -------------------------------------------------------- */

/* Maps element types to their numbers in TensorFlow (types.proto). */

/* Returns TensorFlow's number of a type. Every type has one. */
uint32_t vv_bundle_dtype_number(varve_dtype dtype);

/* Returns the type with a number, or 0 if it is not supported. Quantized types
 * are returned as integers. The number of a reference type (100 more) is
 * replaced by that of the type it refers to. */
varve_dtype vv_bundle_dtype(uint64_t number);

/* Returns the number of the type that a reference type refers to, and any other
 * number unchanged. */
uint64_t vv_bundle_dtype_referred(uint64_t number);

/* Returns a name such as "float32" or "variant", or NULL for an unknown number.
 */
const char *vv_bundle_dtype_name(uint64_t number);

#endif
