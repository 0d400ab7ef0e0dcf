#include "lab/csv.h"

#include "text/utf8.h"

bool csv_open(Csv *csv, const char *name, char *text, size_t size, Error *error)
{
    int line = 1, length;
    for (size_t i = 0; i < size; i += (size_t)length) {
        uint32_t code_point;
        length = utf8_decode((const unsigned char *)text + i, size - i, &code_point);
        if (length == 0 || code_point == 0)
            return error_set(error, "%s, line %d: byte 0x%02X is not UTF-8 text; fetch the file anew", name, line,
                             (unsigned)(unsigned char)text[i]);
        line += text[i] == '\n';
    }
    *csv = (Csv){.name = name, .at = text, .end = text + size, .line = 1};
    return true;
}

/* Moves the content of a quoted field, whose first quote is at csv->at, to *to. */
static bool read_quoted(Csv *csv, char **to, Error *error)
{
    const int line = csv->line;
    csv->at++;
    while (csv->at < csv->end) {
        const char c = *csv->at++;
        if (c == '"' && *csv->at != '"')
            return true;
        if (c == '"')
            csv->at++;
        csv->line += c == '\n';
        *(*to)++ = c;
    }
    return error_set(error, "%s, line %d: the quote that opens here is never closed; fetch the file anew", csv->name,
                     line);
}

/* Takes what follows a field: a comma, a line's end, or the text's. *last is false after a comma. */
static bool read_separator(Csv *csv, bool quoted, bool *last, Error *error)
{
    char *at = csv->at;
    *last = true;
    if (at == csv->end)
        return true;
    if (*at == '\r' && at[1] == '\n')
        at++;
    else if (*at == ',')
        *last = false;
    if (*at != ',' && *at != '\n')
        return error_set(error, "%s, line %d: %s; fetch the file anew", csv->name, csv->line,
                         quoted ? "a field goes on behind its closing quote" :
                         *at == '"' ? "a quote inside a field that is not quoted" : "a CR that no LF follows");
    csv->line += *at == '\n';
    csv->at = at + 1;
    return true;
}

static bool read_field(Csv *csv, char **field, bool *last, Error *error)
{
    const bool quoted = *csv->at == '"';
    char *to = *field = csv->at;
    if (quoted && !read_quoted(csv, &to, error))
        return false;
    while (!quoted && csv->at < csv->end && *csv->at != ',' && *csv->at != '"' && *csv->at != '\n' && *csv->at != '\r')
        to = ++csv->at;
    if (!read_separator(csv, quoted, last, error))
        return false;
    *to = '\0';
    return true;
}

bool csv_row(Csv *csv, char **fields, int count, Error *error)
{
    int found = 0;
    csv->row_line = csv->line;
    for (bool last = false; !last; found++) {
        char *field;
        if (!read_field(csv, &field, &last, error))
            return false;
        if (found < count)
            fields[found] = field;
    }
    if (found != count)
        return error_set(error, "%s, line %d: %d field%s instead of %d; fetch the file anew", csv->name, csv->row_line,
                         found, found == 1 ? "" : "s", count);
    return true;
}
