/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug files: the symbols that were split off an executable when it was stripped. They are found by build-id or by the
 * link in the executable. Distributions install them below /usr/lib/debug (erlang-base-dbgsym).
 */
#ifndef ERLBPF_TARGET_IMAGE_DEBUG_FILE_H
#define ERLBPF_TARGET_IMAGE_DEBUG_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Opens the debug file for a build-id. Searches ERLBPF_DEBUG_FILES if set, else /usr/lib/debug, then the user's cache
 * of debuginfod-find(1); never the root of a container. Only files that root or the user alone can write are accepted:
 * a probe at a wrong address kills the VM. Returns a descriptor or -1; sets *size.
 */
int debug_file_open(const unsigned char *id, size_t id_size, uint64_t *size);

/*
 * For a file without a build-id: opens the debug file named by section .gnu_debuglink if its checksum is right.
 * Searches only the corresponding folder below that of debug files.
 */
struct debug_link {
	char name[128]; /* hostile */
	uint32_t checksum;
};

int debug_file_open_linked(int fd, const struct debug_link *link, uint64_t *size);

#endif
