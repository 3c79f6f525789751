/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads an ELF file into a flat image (image_flat.h). The file is hostile: limits bound memory and time, whatever the
 * file says.
 */
#ifndef ERLBPF_TARGET_IMAGE_IMAGE_BUILD_H
#define ERLBPF_TARGET_IMAGE_IMAGE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_limits {
	size_t symbols;	   /* in the image */
	size_t name_bytes; /* of all symbols */
};

/* A debug build of a BEAM has about 60,000 symbols with 2 MB of names. */
#define IMAGE_MAX_SYMBOLS (1u << 19)
#define IMAGE_MAX_NAMES (32u << 20)
#define IMAGE_NEEDED 8 /* names at most */

#define IMAGE_LACKS_NEEDED "it lacks the required symbols"

extern const struct image_limits image_limits_usual;

/* The maximum size of a flat image. */
size_t image_most_bytes(const struct image_limits *limits);

/*
 * Makes the image of the file behind `fd`, in memory that the caller owns. `needed`: NULL, or a NULL-terminated list of
 * symbols that the file must have; no image is allocated for a file without them. 0, -ENOEXEC with the reason in *why
 * (a string constant), or another -errno.
 */
int image_build(int fd, const struct image_limits *limits, const char *const *needed, void **flat, size_t *size,
		const char **why);

/*
 * The cache of images whose functions were found by comparison, which takes a second. It is in the folder
 * ERLBPF_MATCHED or /var/cache/erlbpf, which only the user may be able to write; without such a folder nothing is
 * cached. The key is what the kernel says about one version of a file, because a build-id can be forged.
 */

/* `key`: unique for a file and its version. The caller owns *flat. */
bool image_cache_get(const void *key, size_t key_size, void **flat, size_t *size);

/* Stores the image if its file was compared. Errors are ignored. */
void image_cache_put(const void *key, size_t key_size, const void *flat, size_t size);

#endif
