/* format.h -- numbers and words as a person reads them, with a point in any locale. */
#ifndef SOLILOQUY_CLI_FORMAT_H
#define SOLILOQUY_CLI_FORMAT_H

#include <stdint.h>

enum { FORMAT_LENGTH = 32, QUOTED_LENGTH = 64 };

/* 1,115,394 */
void format_count(int64_t number, char text[FORMAT_LENGTH]);

/* `decimals` (0 to 9) digits after the point; "nan", "inf" and "-inf" for what is no number, and nine significant
 * digits with an exponent from 1e15 on. */
void format_decimal(double number, int decimals, char text[FORMAT_LENGTH]);

/* Three significant digits with k, M, G or T: 842, 12.3 k, 1.62 M; "?" for what is negative or not finite. */
void format_rate(double rate, char text[FORMAT_LENGTH]);

/* 0.4 s, 12 s, 3 min 20 s, 2 h 5 min, 3 d 4 h; "?" for what is negative or not finite. */
void format_duration(double seconds, char text[FORMAT_LENGTH]);

/* Powers of 1000: 1 byte, 512 bytes, 1.2 kB, 1.2 MB. */
void format_bytes(uint64_t bytes, char text[FORMAT_LENGTH]);

/* A word of the command line for a one-line message: 'word', with control characters and malformed UTF-8 as
 * \xNN, cut with ... where it is long. */
void format_quoted(const char *word, char text[QUOTED_LENGTH]);

#endif
