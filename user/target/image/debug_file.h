/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug files: what was split off an executable when it was stripped, named by its build-id or by a link in it.
 * Distributions have them as packages (erlang-base-dbgsym), which install them below /usr/lib/debug.
 */
#ifndef ERLBPF_TARGET_IMAGE_DEBUG_FILE_H
#define ERLBPF_TARGET_IMAGE_DEBUG_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The one of this machine for that build-id, and its size; below ERLBPF_DEBUG_FILES instead of /usr/lib/debug if that
 * is set, then in the cache of debuginfod-find(1) of who runs us. It says where functions begin, and a probe elsewhere
 * kills: so only root or who runs us may have written it, and none is taken from the root of a container. A descriptor,
 * or -1.
 */
int debug_file_open(const unsigned char *id, size_t id_size, uint64_t *size);

/*
 * The same for a file without a build-id, whose section .gnu_debuglink has a name and a checksum: only below the folder
 * of debug files, where the file has the same folder.
 */
struct debug_link {
	char name[128]; /* hostile */
	uint32_t checksum;
};

int debug_file_open_linked(int fd, const struct debug_link *link, uint64_t *size);

#endif
