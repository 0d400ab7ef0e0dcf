#include "report/glyph.h"

#include "text/unicode.h"
#include "text/utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct Range {
    uint32_t first, last;
} Range;

/* Unicode's East_Asian_Width W and F, as blocks. */
static const Range wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x17000, 0x18CFF},
    {0x1B000, 0x1B2FF}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

static bool is_wide(uint32_t code_point)
{
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        if (code_point >= wide[i].first && code_point <= wide[i].last)
            return true;
    }
    return false;
}

typedef struct Piece {
    int length;  /* bytes */
    int columns; /* on the terminal */
    bool plain;  /* can be printed as it is */
} Piece;

static Piece next_piece(const char *glyph)
{
    uint32_t code_point;
    int length = utf8_decode((const unsigned char *)glyph, strlen(glyph), &code_point);
    if (length == 0 || code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0))
        return (Piece){.length = length > 0 ? length : 1, .columns = 1, .plain = false};
    int columns = unicode_is_mark(code_point) ? 0 : is_wide(code_point) ? 2 : 1;
    return (Piece){.length = length, .columns = columns, .plain = true};
}

int glyph_columns(const char *glyph)
{
    int columns = 0;
    while (*glyph != '\0') {
        Piece piece = next_piece(glyph);
        columns += piece.columns;
        glyph += piece.length;
    }
    return columns;
}

void glyph_print(FILE *out, const char *glyph, int columns)
{
    int used = glyph_columns(glyph);
    if (used > columns) {
        fprintf(out, "\u2026%*s", columns - 1, "");
        return;
    }
    while (*glyph != '\0') {
        Piece piece = next_piece(glyph);
        if (piece.plain)
            fwrite(glyph, 1, (size_t)piece.length, out);
        else
            fputc('?', out);
        glyph += piece.length;
    }
    fprintf(out, "%*s", columns - used, "");
}
