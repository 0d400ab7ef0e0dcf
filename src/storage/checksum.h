/* checksum.h -- whether a checkpoint is, byte for byte, what was written.
 *
 * FNV-1a, 64 bits, over the metadata's keys and strings and the tensors' names, shapes and values, in the file's order.
 * Each step is a bijection of the state, so that a change within one byte or one value is always seen. It guards
 * against damage, not against intent. */
#ifndef SOLILOQUY_STORAGE_CHECKSUM_H
#define SOLILOQUY_STORAGE_CHECKSUM_H

#include "storage/safetensors.h"

#include <stdint.h>

enum { CHECKSUM_LENGTH = 17 }; /* 16 hexadecimal digits and a NUL */

#define CHECKSUM_KEY "checksum" /* its own metadata key, left out of the sum */

void checksum_text(const SafetensorsMetadata *metadata, int metadata_count, const SafetensorsTensor *tensors,
                   int tensor_count, char text[CHECKSUM_LENGTH]);

#endif
