/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads an ELF file into a flat image (image_flat.h). The file is hostile: whatever it says, the memory that is used
 * and the time that is taken are bounded, by the limits and not by the file.
 */
#ifndef ERLBPF_TARGET_IMAGE_IMAGE_BUILD_H
#define ERLBPF_TARGET_IMAGE_IMAGE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_limits {
	size_t symbols;	   /* that are kept */
	size_t name_bytes; /* of all of them */
};

/* A debug build of a BEAM has some 60,000 symbols with 2 MB of names. */
#define IMAGE_MAX_SYMBOLS (1u << 19)
#define IMAGE_MAX_NAMES (32u << 20)
#define IMAGE_NEEDED 8 /* names at most */

#define IMAGE_LACKS_NEEDED "it lacks the required symbols"

extern const struct image_limits image_limits_usual;

/* No flat image is larger. */
size_t image_most_bytes(const struct image_limits *limits);

/*
 * The image of the file behind `fd`, in memory that the caller owns. `needed`: names that must be among its symbols,
 * NULL at the end, or NULL; a file without them costs no memory. 0, -ENOEXEC with the reason in *why (a string
 * constant), or another -errno.
 */
int image_build(int fd, const struct image_limits *limits, const char *const *needed, void **flat, size_t *size,
		const char **why);

/*
 * Images of files whose functions were found by comparison, which takes a second: they are kept in /var/cache/erlbpf,
 * or in the folder ERLBPF_MATCHED, which only who runs us can write. Without such a folder nothing is kept. What is
 * kept is of one file in one version, by what the kernel says of it: a build-id may be anybody's.
 */

/* `key`: bytes that no other file has, nor another version of this one. The block is the caller's. */
bool image_cache_get(const void *key, size_t key_size, void **flat, size_t *size);

/* Of a file that was compared with others; of all else nothing is kept. It may fail: then it is not kept. */
void image_cache_put(const void *key, size_t key_size, const void *flat, size_t size);

#endif
