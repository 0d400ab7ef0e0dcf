#include "cli/format.h"

#include "base/point_locale.h"
#include "text/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void format_count(int64_t number, char text[FORMAT_LENGTH])
{
    char digits[FORMAT_LENGTH];
    /* Negated while unsigned, because the magnitude of INT64_MIN has no signed form. */
    uint64_t magnitude = number < 0 ? -(uint64_t)number : (uint64_t)number;
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude);
    if (number < 0)
        *text++ = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *text++ = ',';
        *text++ = digits[i];
    }
    *text = '\0';
}

void format_decimal(double number, int decimals, char text[FORMAT_LENGTH])
{
    if (isnan(number)) {
        snprintf(text, FORMAT_LENGTH, "nan"); /* printf would show the sign of a NaN */
        return;
    }
    PointLocale locale = point_locale_enter();
    if (fabs(number) < 1e15)
        snprintf(text, FORMAT_LENGTH, "%.*f", decimals, number);
    else
        snprintf(text, FORMAT_LENGTH, "%.9g", number);
    point_locale_leave(locale);
}

/* Three significant digits of a number in [0, 999.5). */
static void format_three_digits(double number, char text[FORMAT_LENGTH])
{
    int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
    format_decimal(number, decimals, text);
}

void format_rate(double rate, char text[FORMAT_LENGTH])
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    if (!(rate >= 0) || isinf(rate)) {
        snprintf(text, FORMAT_LENGTH, "?");
        return;
    }
    int unit = 0;
    while (rate >= 999.5 && unit < 4) {
        rate /= 1000;
        unit++;
    }
    char digits[FORMAT_LENGTH];
    format_three_digits(rate, digits);
    snprintf(text, FORMAT_LENGTH, "%.28s%s", digits, units[unit]);
}

void format_duration(double seconds, char text[FORMAT_LENGTH])
{
    if (!(seconds >= 0 && seconds < 1e15)) {
        snprintf(text, FORMAT_LENGTH, "?");
        return;
    }
    if (seconds < 9.95) {
        char digits[FORMAT_LENGTH];
        format_decimal(seconds, 1, digits);
        snprintf(text, FORMAT_LENGTH, "%.28s s", digits);
        return;
    }
    long long whole = llround(seconds);
    if (whole < 60)
        snprintf(text, FORMAT_LENGTH, "%lld s", whole);
    else if (whole < 3600)
        snprintf(text, FORMAT_LENGTH, "%lld min %lld s", whole / 60, whole % 60);
    else if (whole < 86400)
        snprintf(text, FORMAT_LENGTH, "%lld h %lld min", whole / 3600, whole % 3600 / 60);
    else
        snprintf(text, FORMAT_LENGTH, "%lld d %lld h", whole / 86400, whole % 86400 / 3600);
}

void format_bytes(uint64_t bytes, char text[FORMAT_LENGTH])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) {
        snprintf(text, FORMAT_LENGTH, "%d byte%s", (int)bytes, bytes == 1 ? "" : "s");
        return;
    }
    double amount = (double)bytes / 1000;
    int unit = 0;
    while (amount >= 999.95) {
        amount /= 1000;
        unit++;
    }
    char digits[FORMAT_LENGTH];
    format_decimal(amount, 1, digits);
    snprintf(text, FORMAT_LENGTH, "%.28s %s", digits, units[unit]);
}

void format_quoted(const char *word, char text[QUOTED_LENGTH])
{
    enum { LONGEST_PIECE = 4, ENDING = 5 }; /* \xNN or four bytes of UTF-8; ...' and the NUL */
    size_t left = strlen(word), used = 0;
    text[used++] = '\'';
    while (left > 0 && used + LONGEST_PIECE + ENDING <= QUOTED_LENGTH) {
        uint32_t code_point;
        int length = utf8_decode((const unsigned char *)word, left, &code_point);
        bool plain = length > 0 && code_point >= 0x20 && !(code_point >= 0x7F && code_point < 0xA0);
        if (plain) {
            memcpy(text + used, word, (size_t)length);
            used += (size_t)length;
        } else {
            length = 1;
            snprintf(text + used, LONGEST_PIECE + 1, "\\x%02X", (unsigned char)*word);
            used += LONGEST_PIECE;
        }
        word += length;
        left -= (size_t)length;
    }
    snprintf(text + used, ENDING, "%s'", left > 0 ? "..." : "");
}
