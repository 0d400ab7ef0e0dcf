#include "lab/table_file.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool table_file_open(TableFile *table, const char *directory, const char *name, Error *error)
{
    *table = (TableFile){0};
    if (!directory_create(directory, error))
        return false;
    char *path = path_join(directory, name);
    if (path == NULL)
        return error_set(error, "no memory for the path of %s", name);
    bool opened = atomic_file_open(&table->file, path, error);
    free(path);
    return opened;
}

static void begin_field(TableFile *table)
{
    if (table->begun)
        fputc(',', table->file.stream);
    table->begun = true;
}

void table_file_text(TableFile *table, const char *text)
{
    begin_field(table);
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, table->file.stream);
        return;
    }
    fputc('"', table->file.stream);
    for (; *text != '\0'; text++)
        fputs(*text == '"' ? "\"\"" : (char[2]){*text, '\0'}, table->file.stream);
    fputc('"', table->file.stream);
}

void table_file_number(TableFile *table, double number)
{
    begin_field(table);
    if (isfinite(number))
        json_write_double(table->file.stream, number);
    else
        fputs(isnan(number) ? "nan" : number > 0 ? "inf" : "-inf", table->file.stream);
}

void table_file_end_line(TableFile *table)
{
    fputc('\n', table->file.stream);
    table->begun = false;
}

bool table_file_commit(TableFile *table, Error *error)
{
    return atomic_file_commit(&table->file, error);
}

void table_file_abandon(TableFile *table)
{
    atomic_file_abandon(&table->file);
}
