// SPDX-License-Identifier: BSD-2-Clause
#include "serve/pod.h"

#include <stdio.h>
#include <string.h>

#include "target/container.h"

void pod_find(pid_t pid, const char *root, struct pod *pod)
{
	char path[256], text[4096] = "";
	FILE *file;

	memset(pod, 0, sizeof(*pod));
	snprintf(path, sizeof(path), "%s/proc/%d/cgroup", root, pid);
	file = fopen(path, "re");
	if (!file)
		return;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	container_id(text, pod->container_id);
}
