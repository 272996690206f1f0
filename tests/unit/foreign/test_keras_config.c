/* test_keras_config.c - Tests parsing the configuration of Keras models.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "keras_config.h"

#include <time.h>

#include "hdf5_sample.h"

/* A config.json and its parsed form. */
struct parsed {
    struct world world;
    struct vv_foreign *foreign;
    struct vv_hdf5_source source;
    struct vv_zip_entry entry;
    struct vv_keras_config config;
};

static void parse(struct parsed *p, const char *text)
{
    varve_error error = { 0 };
    struct vv_buffer bytes = new_bytes();
    *p = (struct parsed){ .world = world_new() };
    vv_buffer_add_string(&bytes, text);
    p->foreign = world_foreign(&p->world, "a.keras", &bytes);
    p->entry.size = bytes.size;
    p->source.foreign = p->foreign;
    p->source.config = &p->entry;
    vv_arena_init(&p->source.names, test_allocator());
    cr_assert_ok(vv_keras_config_read(&p->config, &p->source, &error), error);
    vv_buffer_clear(&bytes);
}

static void end(struct parsed *p)
{
    vv_keras_config_clear(&p->config);
    vv_arena_clear(&p->source.names);
    vv_foreign_free(p->foreign);
    world_free(&p->world);
}

#define LAYER(class, name)                                                     \
    "{\"module\":\"keras.layers\",\"class_name\":\"" class                     \
    "\",\"config\":{\"name\":\"" name "\"},\"registered_name\":null}"
#define MODEL(layers)                                                          \
    "{\"class_name\":\"Functional\",\"config\":{\"name\":\"m\",\"layers\":["   \
    layers "]}}"

static void check(const struct parsed *p, size_t i, const char *path,
    const char *name, const char *class)
{
    const struct vv_keras_layer *layer = vv_keras_layer_at(&p->config, i);
    cr_assert_lt(i, vv_keras_layer_count(&p->config));
    cr_assert_str_eq(layer->path, path);
    cr_assert_str_eq(layer->name, name);
    cr_assert_str_eq(layer->class, class);
    cr_assert_eq(vv_keras_layer_find(&p->config, path), layer);
}

TEST(keras_config, counts_layers_by_their_classes)
{
    struct parsed p;
    parse(&p, MODEL(LAYER("Dense", "a") "," LAYER("Dense", "b") ","
        LAYER("BatchNormalization", "c") "," LAYER("Conv2DTranspose", "d") ","
        LAYER("LSTMCell", "e") "," LAYER("MultiHeadAttention", "f") ","
        LAYER("Dense", "g\\u00e9")));
    check(&p, 0, "layers/dense", "a", "Dense");
    check(&p, 1, "layers/dense_1", "b", "Dense");
    check(&p, 2, "layers/batch_normalization", "c", "BatchNormalization");
    check(&p, 3, "layers/conv2d_transpose", "d", "Conv2DTranspose");
    check(&p, 4, "layers/lstm_cell", "e", "LSTMCell");
    check(&p, 5, "layers/multi_head_attention", "f", "MultiHeadAttention");
    check(&p, 6, "layers/dense_2", "g\xc3\xa9", "Dense");
    cr_assert_eq(vv_keras_layer_count(&p.config), 7);
    cr_assert_null(vv_keras_layer_find(&p.config, "layers/dense_3"));
    end(&p);
}

TEST(keras_config, enters_models_and_restarts_the_count)
{
    struct parsed p;
    parse(&p, MODEL(LAYER("Dense", "a") ","
        "{\"module\":\"keras\",\"class_name\":\"Sequential\",\"config\":"
        "{\"name\":\"s\",\"trainable\":false,\"layers\":["
        LAYER("Dense", "b") "," LAYER("Dense", "c") "]}},"
        LAYER("Dense", "d")));
    check(&p, 0, "layers/dense", "a", "Dense");
    check(&p, 1, "layers/sequential", "s", "");
    check(&p, 2, "layers/sequential/layers/dense", "b", "Dense");
    check(&p, 3, "layers/sequential/layers/dense_1", "c", "Dense");
    check(&p, 4, "layers/dense_1", "d", "Dense");
    cr_assert(vv_keras_layer_at(&p.config, 1)->has_layers);
    cr_assert(vv_keras_layer_at(&p.config, 2)->is_frozen);
    cr_assert_not(vv_keras_layer_at(&p.config, 4)->is_frozen);
    end(&p);
}

/* The maximum number of layers, each looked up a hundred times. */
TEST(keras_config, finds_a_layer_in_constant_time)
{
    enum { LAYERS = 8192, ROUNDS = 100 };
    struct parsed p;
    struct vv_buffer text = new_bytes();
    vv_buffer_add_string(&text, LAYER("Dense", "a"));
    for (int i = 1; i < LAYERS; i++)
        vv_buffer_add_string(&text, "," LAYER("Dense", "a"));
    struct vv_buffer model = new_bytes();
    vv_buffer_add_string(&model, "{\"config\":{\"layers\":[");
    vv_buffer_add_string(&model, vv_buffer_string(&text));
    vv_buffer_add_string(&model, "]}}");
    parse(&p, vv_buffer_string(&model));
    cr_assert_eq(vv_keras_layer_count(&p.config), LAYERS);
    clock_t begin = clock();
    for (size_t i = 0; i < (size_t)LAYERS * ROUNDS; i++) {
        const struct vv_keras_layer *layer =
            vv_keras_layer_at(&p.config, i % LAYERS);
        cr_assert(vv_keras_layer_find(&p.config, layer->path) == layer);
    }
    cr_assert_lt(clock() - begin, 5 * CLOCKS_PER_SEC);
    vv_buffer_clear(&text);
    vv_buffer_clear(&model);
    end(&p);
}

TEST(keras_config, recognizes_only_classes_of_keras)
{
    struct parsed p;
    parse(&p, MODEL(
        "{\"module\":\"keras.layers\",\"class_name\":\"Dense\",\"config\":"
        "{\"name\":\"a\"},\"registered_name\":\"mine>Dense\"},"
        "{\"module\":\"mine\",\"class_name\":\"Dense\",\"config\":"
        "{\"name\":\"b\"}},"
        "{\"module\":\"keras.src.ops.numpy\",\"class_name\":\"Add\","
        "\"config\":{\"name\":\"o\"}}," LAYER("Add", "c")));
    check(&p, 0, "layers/dense", "a", "");
    check(&p, 1, "layers/dense_1", "b", "");
    check(&p, 2, "layers/add", "c", "Add");
    end(&p);
}

TEST(keras_config, finds_no_layers_in_other_texts)
{
    static const char *const texts[] = { "", "[]", "{", "{\"config\":1}",
        "{\"config\":{\"layers\":7}}", "{\"config\":{\"layers\":[1,[],{}]}}",
        MODEL("{\"class_name\":5,\"config\":{\"name\":\"x\"}}"),
        MODEL("{\"config\":{\"name\":\"x\"},\"class_name\":\"Late\"}"),
        MODEL(LAYER("Dense", "a")) "\0", "{\"config\":{\"layers\":[{" };
    struct parsed p;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        parse(&p, texts[i]);
        cr_assert_eq(vv_keras_layer_count(&p.config), i == 8, "%zu", i);
        end(&p);
    }
}

TEST(keras_config, limits_the_nesting_depth)
{
    struct parsed p;
    struct vv_buffer deep = new_bytes();
    for (int i = 0; i < 20000; i++)
        vv_buffer_add_string(&deep, "{\"class_name\":\"M\",\"config\":"
                                    "{\"layers\":[");
    parse(&p, vv_buffer_string(&deep));
    cr_assert_eq(vv_keras_layer_count(&p.config), 0);
    end(&p);
    deep.size = 0;
    vv_buffer_add_string(&deep, "{\"config\":{\"layers\":[");
    for (int i = 0; i < 9000; i++)
        vv_buffer_add_string(&deep, LAYER("Dense", "a") ",");
    vv_buffer_add_string(&deep, "{}]}}");
    parse(&p, vv_buffer_string(&deep));
    cr_assert_eq(vv_keras_layer_count(&p.config), 0);
    end(&p);
    vv_buffer_clear(&deep);
}
