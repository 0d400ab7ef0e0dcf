#include "lab/banking77.h"

#include "base/file.h"
#include "lab/csv.h"
#include "lab/numpy_random.h"
#include "lab/words.h"

#include <stdlib.h>
#include <string.h>

enum { SPLIT_SEED = 42, SPECIAL_WORDS = 2, FILE_LIMIT = 1 << 26 };

/* One row of a file. */
typedef struct Query {
    const char *text, *intent; /* borrow */
    int line;
} Query;

typedef struct QueryFile {
    char *path;     /* owned */
    char *text;     /* owned: what the queries lie in */
    Query *queries; /* owned */
    int count;
} QueryFile;

static void query_file_close(QueryFile *file)
{
    free(file->path);
    free(file->text);
    free(file->queries);
    *file = (QueryFile){0};
}

static bool check_query(const QueryFile *file, const Query *query, Error *error)
{
    const char *rest = query->text, *word;
    const uint32_t unknown = words_unknown(query->text);
    if (unknown != 0)
        return error_set(error, "%s, line %d: U+%04lX is no character of Banking77's queries; fetch the file anew",
                         file->path, query->line, (unsigned long)unknown);
    if (words_next(&rest, &word) == 0)
        return error_set(error, "%s, line %d: the query has no words; fetch the file anew", file->path, query->line);
    return true;
}

/* The rows behind the header, which holds the two fields' names. */
static bool read_queries(QueryFile *file, Csv *csv, Error *error)
{
    char *fields[2];
    int room = 0;
    if (csv_ended(csv))
        return error_set(error, "%s is empty; fetch it anew", file->path);
    if (!csv_row(csv, fields, 2, error))
        return false;
    if (strcmp(fields[0], "text") != 0 || strcmp(fields[1], "category") != 0)
        return error_set(error, "%s, line 1: the header is not \"text,category\"; fetch the file anew", file->path);
    while (!csv_ended(csv)) {
        if (file->count == room) {
            room = room == 0 ? 4096 : 2 * room;
            Query *larger = realloc(file->queries, (size_t)room * sizeof *larger);
            if (larger == NULL)
                return error_set(error, "no memory for the %d queries of %s", room, file->path);
            file->queries = larger;
        }
        if (!csv_row(csv, fields, 2, error))
            return false;
        Query *query = &file->queries[file->count++];
        *query = (Query){fields[0], fields[1], csv->row_line};
        if (!check_query(file, query, error))
            return false;
    }
    return true;
}

static bool query_file_open(QueryFile *file, const char *folder, const char *name, Error *error)
{
    size_t size;
    Csv csv;
    *file = (QueryFile){.path = path_join(folder, name)};
    if (file->path == NULL)
        return error_set(error, "no memory to read %s/%s", folder, name);
    bool done = file_read(file->path, FILE_LIMIT, (unsigned char **)&file->text, &size, error);
    if (!done) {
        const Error reason = *error;
        error_set(error, "%.800s; scripts/fetch_banking77.sh fetches Banking77", reason.message);
    }
    done = done && csv_open(&csv, file->path, file->text, size, error) && read_queries(file, &csv, error);
    if (!done)
        query_file_close(file);
    return done;
}

/* --- names ------------------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool name_intents(Banking77 *b, const QueryFile *file, Error *error)
{
    b->intent_names = malloc((size_t)file->count * sizeof *b->intent_names);
    if (b->intent_names == NULL)
        return error_set(error, "no memory for the intents of %s", file->path);
    for (int i = 0; i < file->count; i++)
        b->intent_names[i] = file->queries[i].intent;
    qsort(b->intent_names, (size_t)file->count, sizeof *b->intent_names, compare_names);
    for (int i = 0; i < file->count; i++)
        if (i == 0 || strcmp(b->intent_names[i], b->intent_names[b->intents - 1]) != 0)
            b->intent_names[b->intents++] = b->intent_names[i];
    return true;
}

static bool count_words(Banking77 *b, const QueryFile *file, const int64_t *which, int count, Error *error)
{
    const char *word, *rest;
    int32_t most = 0;
    for (int i = 0; i < count; i++)
        for (rest = file->queries[which[i]].text; words_next(&rest, &word) > 0;)
            most++;
    if (!word_table_open(&b->words, most, error))
        return false;
    for (int i = 0, length; i < count; i++)
        for (rest = file->queries[which[i]].text; (length = words_next(&rest, &word)) > 0;)
            word_table_add(&b->words, word, length);
    word_table_rank(&b->words);
    b->vocabulary_size = SPECIAL_WORDS + b->words.count;
    return true;
}

static int32_t id_of(const Banking77 *b, const char *word, int length)
{
    const int32_t rank = word_table_find(&b->words, word, length);
    return rank < 0 ? BANKING77_UNKNOWN : rank + SPECIAL_WORDS;
}

int32_t banking77_word(const Banking77 *b, const char *word)
{
    return strcmp(word, "<pad>") == 0 ? BANKING77_PAD : id_of(b, word, (int)strlen(word));
}

int banking77_encode(const Banking77 *b, const char *text, int32_t ids[BANKING77_LONGEST])
{
    const char *word;
    int count = 0;
    for (int length; count < BANKING77_LONGEST && (length = words_next(&text, &word)) > 0; count++)
        ids[count] = id_of(b, word, length);
    for (int i = count; i < BANKING77_LONGEST; i++)
        ids[i] = BANKING77_PAD;
    return count;
}

/* --- lists ------------------------------------------------------------------------------------------ */

static void queries_close(Banking77Queries *queries)
{
    free(queries->ids);
    free(queries->lengths);
    free(queries->labels);
    *queries = (Banking77Queries){0};
}

/* The queries which[0..count) of the file, or with NULL its first `count`. */
static bool queries_open(Banking77Queries *queries, const Banking77 *b, const QueryFile *file, const int64_t *which,
                         int count, Error *error)
{
    const size_t room = (size_t)count + 1; /* a list may be empty */
    *queries = (Banking77Queries){.count = count, .ids = malloc(room * sizeof *queries->ids),
                                  .lengths = malloc(room * sizeof *queries->lengths),
                                  .labels = malloc(room * sizeof *queries->labels)};
    if (queries->ids == NULL || queries->lengths == NULL || queries->labels == NULL)
        return error_set(error, "no memory for the queries of %s", file->path);
    for (int i = 0; i < count; i++) {
        const Query *query = &file->queries[which != NULL ? which[i] : i];
        const char **name = bsearch(&query->intent, b->intent_names, (size_t)b->intents, sizeof *name, compare_names);
        if (name == NULL)
            return error_set(error, "%s, line %d: no query of train.csv has this intent; fetch both files anew",
                             file->path, query->line);
        queries->labels[i] = (int32_t)(name - b->intent_names);
        queries->lengths[i] = banking77_encode(b, query->text, queries->ids[i]);
    }
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool open_training(Banking77 *b, const QueryFile *file, Error *error)
{
    const int count = file->count, rest = count - BANKING77_VALIDATION;
    if (rest < 1)
        return error_set(error, "%s has %d queries, of which the validation set alone takes %d; fetch it anew",
                         file->path, count, BANKING77_VALIDATION);
    int64_t *order = malloc((size_t)count * sizeof *order);
    if (order == NULL)
        return error_set(error, "no memory for the split of %s", file->path);
    numpy_legacy_permutation(SPLIT_SEED, order, count);
    int64_t *training = order + BANKING77_VALIDATION;
    qsort(training, (size_t)rest, sizeof *training, compare_places);
    const bool done = name_intents(b, file, error) && count_words(b, file, training, rest, error) &&
                      queries_open(&b->training, b, file, training, rest, error) &&
                      queries_open(&b->validation, b, file, order, BANKING77_VALIDATION, error);
    free(order);
    return done;
}

bool banking77_open(Banking77 *b, const char *folder, Error *error)
{
    QueryFile training = {0}, test = {0};
    *b = (Banking77){0};
    const bool done = query_file_open(&training, folder, "train.csv", error) &&
                      query_file_open(&test, folder, "test.csv", error) && open_training(b, &training, error) &&
                      queries_open(&b->test, b, &test, NULL, test.count, error);
    b->text = training.text; /* words and names lie in it */
    training.text = NULL;
    query_file_close(&training);
    query_file_close(&test);
    if (!done)
        banking77_close(b);
    return done;
}

void banking77_close(Banking77 *b)
{
    queries_close(&b->training);
    queries_close(&b->validation);
    queries_close(&b->test);
    word_table_close(&b->words);
    free(b->intent_names);
    free(b->text);
    *b = (Banking77){0};
}
