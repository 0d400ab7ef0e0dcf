#include "storage/checksum.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t hash_start = 0xcbf29ce484222325u, hash_prime = 0x100000001b3u;

/* A string with its closing NUL, so that two strings in a row cannot trade letters. */
static uint64_t add_string(uint64_t hash, const char *text)
{
    for (const char *c = text;; c++) {
        hash = (hash ^ (unsigned char)*c) * hash_prime;
        if (*c == '\0')
            return hash;
    }
}

/* Values are whole words of four bytes in every type that is read. */
static uint64_t add_values(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *place = data;
    for (size_t i = 0; i + sizeof(uint32_t) <= bytes; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, place + i, sizeof word);
        hash = (hash ^ word) * hash_prime;
    }
    return hash;
}

void checksum_text(const SafetensorsMetadata *metadata, int metadata_count, const SafetensorsTensor *tensors,
                   int tensor_count, char text[CHECKSUM_LENGTH])
{
    uint64_t hash = hash_start;
    for (int i = 0; i < metadata_count; i++)
        if (strcmp(metadata[i].key, CHECKSUM_KEY) != 0)
            hash = add_string(add_string(hash, metadata[i].key), metadata[i].value);
    for (int i = 0; i < tensor_count; i++) {
        hash = add_string(hash, tensors[i].name);
        for (int d = 0; d < tensors[i].rank; d++)
            hash = (hash ^ tensors[i].shape[d]) * hash_prime;
        hash = add_values(hash, tensors[i].data, tensors[i].bytes);
    }
    snprintf(text, CHECKSUM_LENGTH, "%016" PRIx64, hash);
}
