/* point_locale.h -- numbers with a decimal point, whatever the program's locale is.
 *
 * Between enter and leave, printf and strtod of the calling thread work in the "C" locale. Pairs may nest. */
#ifndef SOLILOQUY_BASE_POINT_LOCALE_H
#define SOLILOQUY_BASE_POINT_LOCALE_H

#include <locale.h>

typedef struct PointLocale {
    locale_t point;    /* owned; (locale_t)0 when the system has none to give, and then nothing changed */
    locale_t previous;
} PointLocale;

PointLocale point_locale_enter(void);
void point_locale_leave(PointLocale locale);

#endif
