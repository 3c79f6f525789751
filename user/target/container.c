// SPDX-License-Identifier: BSD-2-Clause
#include "target/container.h"

#include <string.h>

void container_id(const char *cgroup, char id[CONTAINER_ID_SIZE])
{
	id[0] = '\0';
	while (*cgroup) {
		size_t n = strspn(cgroup, "0123456789abcdef");

		if (n == CONTAINER_ID_SIZE - 1) {
			memcpy(id, cgroup, n);
			id[n] = '\0';
		}
		cgroup += n ? n : 1;
	}
}
