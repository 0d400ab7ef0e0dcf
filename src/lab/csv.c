#include "lab/csv.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool csv_open(Csv *csv, const char *directory, const char *name, Error *error)
{
    *csv = (Csv){0};
    if (!directory_create(directory, error))
        return false;
    char *path = path_join(directory, name);
    if (path == NULL)
        return error_set(error, "no memory for the path of %s", name);
    bool opened = atomic_file_open(&csv->file, path, error);
    free(path);
    return opened;
}

static void begin_field(Csv *csv)
{
    if (csv->begun)
        fputc(',', csv->file.stream);
    csv->begun = true;
}

void csv_text(Csv *csv, const char *text)
{
    begin_field(csv);
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, csv->file.stream);
        return;
    }
    fputc('"', csv->file.stream);
    for (; *text != '\0'; text++)
        fputs(*text == '"' ? "\"\"" : (char[2]){*text, '\0'}, csv->file.stream);
    fputc('"', csv->file.stream);
}

void csv_number(Csv *csv, double number)
{
    begin_field(csv);
    if (isfinite(number))
        json_write_double(csv->file.stream, number);
    else
        fputs(isnan(number) ? "nan" : number > 0 ? "inf" : "-inf", csv->file.stream);
}

void csv_end_line(Csv *csv)
{
    fputc('\n', csv->file.stream);
    csv->begun = false;
}

bool csv_commit(Csv *csv, Error *error)
{
    return atomic_file_commit(&csv->file, error);
}

void csv_abandon(Csv *csv)
{
    atomic_file_abandon(&csv->file);
}
