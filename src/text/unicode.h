/* unicode.h -- which code points cannot be shown alone.
 *
 * Ranges of the Unicode Character Database, general categories M (marks), and Cf, Cc, Zs, Zl, Zp, Co with the
 * default-ignorable and the noncharacter code points. Unassigned places inside a range count with it. */
#ifndef SOLILOQUY_TEXT_UNICODE_H
#define SOLILOQUY_TEXT_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

/* A mark that is drawn on the character before it. */
bool unicode_is_mark(uint32_t code_point);

/* Nothing, or nothing of its own, is drawn: controls, spaces, format characters, private use. */
bool unicode_is_invisible(uint32_t code_point);

#endif
