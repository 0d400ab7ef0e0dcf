/* comma_locale.h -- a locale whose decimal separator is a comma, compiled for the test where none is installed. */
#ifndef SOLILOQUY_TESTS_COMMA_LOCALE_H
#define SOLILOQUY_TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets it for the program; false where the machine can give none. The caller sets "C" again. */
static inline bool comma_locale_set(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "soliloquy_comma"};
    const char *directory = getenv("TEST_DIRECTORY");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (i == 3) {
            char command[1024];
            if (directory == NULL || setenv("LOCPATH", directory, 1) != 0)
                return false;
            snprintf(command, sizeof command, "localedef -i de_DE -f ISO-8859-1 '%s/%s' >/dev/null 2>&1", directory,
                     names[i]);
            if (system(command) != 0)
                return false;
        }
        if (setlocale(LC_ALL, names[i]) != NULL)
            return localeconv()->decimal_point[0] == ',';
    }
    return false;
}

#endif
