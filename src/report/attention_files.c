#include "report/attention_files.h"

#include "base/file.h"
#include "base/json.h"
#include "base/version.h"
#include "report/attention_picture.h"
#include "report/attention_table.h"
#include "storage/npy.h"
#include "storage/png.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char **attention_glyphs(const AttentionMap *map, Ids ids, const Vocabulary *vocabulary)
{
    size_t V = (size_t)vocabulary->size, n = (size_t)map->n, cells, bytes;
    if (__builtin_mul_overflow(map->windows, n, &cells) || __builtin_mul_overflow(cells, sizeof(char *), &bytes))
        return NULL;
    const char **glyphs = malloc(bytes + V * SYMBOL_NAME_LENGTH);
    if (glyphs == NULL)
        return NULL;
    char *names = (char *)(glyphs + cells); /* [V, SYMBOL_NAME_LENGTH] */
    for (int id = 0; id < vocabulary->size; id++)
        vocabulary_glyph(vocabulary, id, names + (size_t)id * SYMBOL_NAME_LENGTH);
    for (size_t w = 0; w < map->windows; w++)
        for (size_t i = 0; i < n; i++)
            glyphs[w * n + i] = names + (size_t)ids_at(ids, map->starts[w] + i) * SYMBOL_NAME_LENGTH;
    return glyphs;
}

static void write_character(FILE *out, const Vocabulary *vocabulary, int id)
{
    char text[SYMBOL_NAME_LENGTH];
    if (vocabulary->bytes && vocabulary->symbols[id] >= 0x80) {
        vocabulary_glyph(vocabulary, id, text);
        json_write_string(out, text, strlen(text));
    } else {
        json_write_string(out, text, (size_t)vocabulary_text(vocabulary, id, text));
    }
}

static void write_characters(FILE *out, const AttentionMap *map, const AttentionOrigin *origin)
{
    fputs(" \"characters\": [", out);
    for (size_t w = 0; w < map->windows; w++) {
        fputs(w > 0 ? ",\n  [" : "\n  [", out);
        for (int i = 0; i < map->n; i++) {
            fputs(i > 0 ? ", " : "", out);
            write_character(out, origin->vocabulary, ids_at(origin->ids, map->starts[w] + (size_t)i));
        }
        fputc(']', out);
    }
    fputs("\n ],\n \"starts\": [", out);
    for (size_t w = 0; w < map->windows; w++)
        fprintf(out, "%s%zu", w > 0 ? ", " : "", map->starts[w]);
    fputs("],\n", out);
}

static void write_origin(FILE *out, const AttentionOrigin *origin)
{
    fputs(" \"text\": {\"name\": ", out);
    json_write_string(out, origin->text, strlen(origin->text));
    fprintf(out, ", \"first\": %" PRIu64 "},\n", origin->first);
    fputs(" \"model\": {", out);
    model_config_write(out, origin->config, origin->vocabulary->bytes);
    fprintf(out, ", \"step\": %" PRId64 ", \"data\": ", origin->step);
    json_write_string(out, origin->data, strlen(origin->data));
    fprintf(out, ", \"data_hash\": \"%016" PRIx64 "\"},\n", origin->data_hash);
    fprintf(out, " \"version\": \"%s\"\n", SOLILOQUY_VERSION);
}

static void write_json(FILE *out, const AttentionMap *map, const AttentionOrigin *origin)
{
    fprintf(out, "{\n \"axes\": [\"query\", \"key\"],\n \"shape\": [%zu, %d, %d],\n", map->windows, map->n, map->n);
    write_characters(out, map, origin);
    write_origin(out, origin);
    fputs("}\n", out);
}

static bool write_table(const char *path, const AttentionMap *map, const AttentionOrigin *origin, Error *error)
{
    const char **glyphs = attention_glyphs(map, origin->ids, origin->vocabulary);
    AtomicFile file;
    if (glyphs == NULL)
        return error_set(error, "cannot write %s: no memory for its labels", path);
    bool opened = atomic_file_open(&file, path, error);
    if (opened)
        attention_table_write(map->weights, map->windows, map->n, glyphs, file.stream);
    free(glyphs);
    return opened && atomic_file_commit(&file, error);
}

static bool write_description(const char *path, const AttentionMap *map, const AttentionOrigin *origin, Error *error)
{
    AtomicFile file;
    if (!atomic_file_open(&file, path, error))
        return false;
    write_json(file.stream, map, origin);
    return atomic_file_commit(&file, error);
}

static bool write_picture(const char *path, const AttentionMap *map, const AttentionOrigin *origin, Error *error)
{
    static const PngText notes[] = {
        {"Title", "attention"},
        {"Description", "row = query (reads), column = key (is read); darker is more"},
        {"Software", "soliloquy " SOLILOQUY_VERSION},
    };
    AttentionPicture picture;
    bool causal = origin->config->mask == MASK_CAUSAL;
    if (!attention_picture_draw(map->weights, map->windows, map->n, causal, &picture, error))
        return false;
    PngImage image = {.width = (size_t)picture.width, .height = (size_t)picture.height, .kind = PNG_PALETTE,
                      .pixels = picture.pixels, .palette = picture.palette, .palette_size = PICTURE_COLORS};
    bool written = png_write(path, &image, notes, (int)(sizeof notes / sizeof notes[0]), error);
    attention_picture_close(&picture);
    return written;
}

static bool write_array(const char *path, const AttentionMap *map, const AttentionOrigin *origin, Error *error)
{
    (void)origin;
    const size_t shape[] = {map->windows, (size_t)map->n, (size_t)map->n};
    return npy_write(path, map->weights, 3, shape, error);
}

bool attention_files_write(const char *directory, unsigned files, const AttentionMap *map,
                           const AttentionOrigin *origin, Error *error)
{
    static const struct {
        unsigned when;
        const char *name;
        bool (*write)(const char *, const AttentionMap *, const AttentionOrigin *, Error *);
    } kinds[] = {
        {ATTENTION_NPY, "attention.npy", write_array},
        {ATTENTION_JSON | ATTENTION_NPY, "attention.json", write_description},
        {ATTENTION_CSV, "attention.csv", write_table},
        {ATTENTION_PNG, "attention.png", write_picture},
    };
    if (!directory_create(directory, error))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if ((files & kinds[i].when) == 0)
            continue;
        char *path = path_join(directory, kinds[i].name);
        bool written = path != NULL ? kinds[i].write(path, map, origin, error)
                                    : error_set(error, "no memory for the path of %s", kinds[i].name);
        free(path);
        if (!written)
            return false;
    }
    return true;
}
