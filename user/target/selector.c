// SPDX-License-Identifier: BSD-2-Clause
#include "target/selector.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "target/reader/procfs.h"

#define CGROUPS "/sys/fs/cgroup" /* mount point: a pattern below it means a group */
#define DELETED " (deleted)"
#define ID_DIGITS 4   /* minimum length of a container id; a shorter text is a name */
#define MOST_PARTS 64 /* components of a group's path that are compared: a container may have made thousands */

bool target_selector_is_set(const struct target_selector *s)
{
	return s->node || s->pod || s->container || s->cgroup || s->comm || s->exe || s->user;
}

const char *target_selector_text(const struct target_selector *s, char text[SELECTOR_TEXT])
{
	const struct {
		const char *before, *value;
	} parts[] = {
		{ "named", s->node },
		{ "in the pod", s->pod },
		{ "in the container", s->container },
		{ "in the control group", s->cgroup },
		{ "with the process name", s->comm },
		{ "of the executable", s->exe },
		{ "of the user", s->user },
	};
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && used < SELECTOR_TEXT; i++) {
		if (parts[i].value)
			used += (size_t)snprintf(text + used, SELECTOR_TEXT - used, " %s %s", parts[i].before,
						 parts[i].value);
	}
	return text;
}

/* The parts. */

bool selector_is_node(const char *wanted, const char *node)
{
	char name[256];

	if (strchr(wanted, '@'))
		return !fnmatch(wanted, node, 0);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(node, "@"), node);
	return name[0] && !fnmatch(wanted, name, 0);
}

/* Is `path` the group or below it? `wanted` has no trailing slash. */
static bool is_group(const char *wanted, char *path)
{
	if (!fnmatch(wanted, path, 0))
		return true;
	for (char *end = strrchr(path, '/'); end && end > path; end = strrchr(path, '/')) {
		*end = '\0';
		if (!fnmatch(wanted, path, 0))
			return true;
	}
	return false;
}

/* A pattern without a leading slash may match at any component. */
static bool is_path(const char *wanted, const char *path)
{
	char from[PATH_MAX];

	if (*wanted == '/') {
		snprintf(from, sizeof(from), "%s", path);
		return is_group(wanted, from);
	}
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		snprintf(from, sizeof(from), "%s", at + 1);
		if (is_group(wanted, from))
			return true;
	}
	return false;
}

/*
 * Matches `wanted` as a path below the mount point. Version 1 is mounted there once for each set of controllers (which
 * may be called "name=systemd"), and version 2 as "unified" beside it.
 */
static bool is_mounted(const char *wanted, const char *controllers, const char *path)
{
	size_t length = strcspn(wanted + 1, "/");
	const char *below = wanted + 1 + length;

	if (is_path(wanted, path))
		return true;
	if (!strncmp(controllers, "name=", strlen("name=")))
		controllers += strlen("name=");
	if (!*controllers)
		controllers = "unified";
	return length && strlen(controllers) == length && !strncmp(wanted + 1, controllers, length) && *below &&
	       is_path(below, path);
}

static void cut(char *path)
{
	for (size_t i = 0; path && i < MOST_PARTS; i++)
		path = strchr(path + 1, '/');
	if (path)
		*path = '\0';
}

/* "4:cpu,cpuacct:/a/b" */
static bool is_in_hierarchy(const char *wanted, bool is_mount, char *line)
{
	char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return false;
	*path++ = '\0';
	if (*path)
		cut(path);
	return is_mount ? is_mounted(wanted, controllers + 1, path) : is_path(wanted, path);
}

bool selector_is_in_cgroup(const char *wanted, const char *text)
{
	bool is_mount = !strncmp(wanted, CGROUPS "/", strlen(CGROUPS "/"));
	_cleanup_free_ char *copy = strdup(text);
	char group[PATH_MAX], *rest = copy, *line;
	size_t length = (size_t)snprintf(group, sizeof(group), "%s", wanted + (is_mount ? strlen(CGROUPS) : 0));

	if (!copy || !length || length >= sizeof(group))
		return false;
	if (length > 1 && group[length - 1] == '/')
		group[length - 1] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (is_in_hierarchy(group, is_mount, line))
			return true;
	}
	return false;
}

bool selector_is_exe(const char *wanted, const char *exe)
{
	size_t length = strlen(exe), tail = strlen(DELETED);
	char path[sizeof(((struct target *)NULL)->exe)];
	const char *slash;

	/* An update has replaced the file. */
	if (length > tail && !strcmp(exe + length - tail, DELETED))
		length -= tail;
	snprintf(path, sizeof(path), "%.*s", (int)length, exe);
	slash = strchr(wanted, '/') ? NULL : strrchr(path, '/');
	return !fnmatch(wanted, slash ? slash + 1 : path, 0);
}

bool selector_is_pod(const char *wanted, const struct pod *pod)
{
	char full[sizeof(pod->namespace) + sizeof(pod->name) + 1];

	snprintf(full, sizeof(full), "%s/%s", pod->namespace, pod->name);
	return pod->name[0] && !fnmatch(wanted, strchr(wanted, '/') ? full : pod->name, 0);
}

bool selector_is_container(const char *wanted, const struct pod *pod)
{
	size_t digits = strspn(wanted, "0123456789abcdef");

	if (digits >= ID_DIGITS && !wanted[digits] && !strncmp(pod->container_id, wanted, digits))
		return true;
	return pod->container[0] && !fnmatch(wanted, pod->container, 0);
}

/* Selection. */

static enum selected by_pod(const struct target_selector *s, const struct target *target)
{
	struct pod pod;

	pod_find(target->pid, &pod_files_by_reader, s->pod_logs ? s->pod_logs : POD_LOGS, &pod);
	if ((!s->pod || selector_is_pod(s->pod, &pod)) && (!s->container || selector_is_container(s->container, &pod)))
		return SELECTED;
	return pod_is_partial(&pod) ? SELECTED_NOT_YET : SELECTED_NOT;
}

static enum selected by_cgroup(const char *wanted, const struct target *target)
{
	_cleanup_free_ char *text = procfs_read(target->pid, "cgroup", NULL);

	return text && selector_is_in_cgroup(wanted, text) ? SELECTED : SELECTED_NOT_YET;
}

static bool is_comm(const char *wanted, pid_t pid)
{
	_cleanup_free_ char *comm = procfs_read(pid, "comm", NULL);

	if (!comm)
		return false;
	comm[strcspn(comm, "\n")] = '\0';
	return !fnmatch(wanted, comm, 0);
}

/* The effective user: the second number of "Uid:" in /proc/PID/status. */
static bool is_users(uid_t uid, pid_t pid)
{
	_cleanup_free_ char *status = procfs_read(pid, "status", NULL);
	const char *line = status ? strstr(status, "\nUid:") : NULL;
	unsigned int effective;

	return line && sscanf(line, "\nUid: %*u %u", &effective) == 1 && effective == uid;
}

uint64_t selector_pid_namespace(pid_t pid)
{
	char path[64];
	struct stat file;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	return stat(path, &file) ? 0 : file.st_ino;
}

/* A node that has just started has no name yet, or an incomplete one. */
static enum selected by_node(const char *wanted, const struct target *target)
{
	if (selector_is_node(wanted, target->node))
		return SELECTED;
	return strchr(target->node, '@') ? SELECTED_NOT : SELECTED_NOT_YET;
}

static enum selected worse(enum selected a, enum selected b)
{
	return a < b ? a : b;
}

/* The cheapest criteria come first. */
enum selected target_selected(const struct target_selector *s, const struct target *target)
{
	enum selected selected = SELECTED;

	if (s->pid_namespace && selector_pid_namespace(target->pid) != s->pid_namespace)
		return SELECTED_NOT;
	if (s->exe && !selector_is_exe(s->exe, target->exe))
		return SELECTED_NOT;
	if (s->node)
		selected = by_node(s->node, target);
	if (selected != SELECTED_NOT && s->user && !is_users(s->uid, target->pid))
		selected = SELECTED_NOT_YET;
	if (selected != SELECTED_NOT && s->comm && !is_comm(s->comm, target->pid))
		selected = SELECTED_NOT_YET;
	if (selected != SELECTED_NOT && s->cgroup)
		selected = worse(selected, by_cgroup(s->cgroup, target));
	if (selected != SELECTED_NOT && (s->pod || s->container))
		selected = worse(selected, by_pod(s, target));
	return selected;
}

void target_list_select(struct target_list *list, const struct target_selector *selector)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (target_selected(selector, list->targets[i]) == SELECTED)
			list->targets[kept++] = list->targets[i];
		else
			target_free(list->targets[i]);
	}
	list->count = kept;
}

/* Copies. */

#define TEXTS 8

static void texts_of(struct target_selector *s, const char **texts[TEXTS])
{
	const char **const all[TEXTS] = { &s->node, &s->pod, &s->container, &s->cgroup,
					  &s->comm, &s->exe, &s->user,	    &s->pod_logs };

	memcpy(texts, all, sizeof(all));
}

int target_selector_copy(struct target_selector *to, const struct target_selector *from)
{
	const char **texts[TEXTS];
	int err = 0;

	*to = *from;
	texts_of(to, texts);
	for (int i = 0; i < TEXTS; i++) {
		bool is_set = *texts[i];

		*texts[i] = is_set ? strdup(*texts[i]) : NULL;
		if (is_set && !*texts[i])
			err = -ENOMEM;
	}
	if (err)
		target_selector_free(to);
	return err;
}

void target_selector_free(struct target_selector *copy)
{
	const char **texts[TEXTS];

	texts_of(copy, texts);
	for (int i = 0; i < TEXTS; i++)
		free((char *)*texts[i]);
	*copy = (struct target_selector){};
}
