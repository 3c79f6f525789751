// SPDX-License-Identifier: BSD-2-Clause
/*
 * The control group has the ids of pod and container. Only root writes it, and a group that a container adds comes
 * after its own part. The names of the kubelet's log directories map these ids to names. Where neither exists (an agent
 * without a mount of /var/log, another engine), ask the container itself: it can lie only about itself, and only with a
 * valid name.
 */
#include "target/pod.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define CGROUP_SIZE (16 << 10)
#define ENVIRON_SIZE (128 << 10) /* ARG_MAX of most systems */
#define MOST_ENTRIES 100000	 /* of a log directory */
#define SERVICE_ACCOUNT "root/var/run/secrets/kubernetes.io/serviceaccount/"

static const char hex[] = "0123456789abcdef";

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

/* Names. */

/*
 * RFC 1123 as Kubernetes applies it: lower-case letters, digits, '-' and, in pod names, '.'; it begins and ends with a
 * letter or digit.
 */
static bool is_name(const char *text, size_t length, size_t size, bool with_dots)
{
	static const char middle[] = "-.";

	if (!length || length >= size || strchr(middle, text[0]) || strchr(middle, text[length - 1]))
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && !(with_dots && c == '.'))
			return false;
	}
	return true;
}

static bool take_name(const char *text, size_t length, char *name, size_t size, bool with_dots)
{
	if (!is_name(text, length, size, with_dots))
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return true;
}

#define UID_SIZE 36
#define HASH_SIZE 32

/*
 * The length of the uid at the start of the text: groups of 8-4-4-4-12 digits, or 32 digits for a static pod. 0: none.
 */
static size_t uid_length(const char *text)
{
	size_t digits = strspn(text, hex), at = 0;
	static const size_t groups[] = { 8, 4, 4, 4, 12 };

	if (digits == HASH_SIZE)
		return HASH_SIZE;
	for (size_t i = 0; i < 5; i++) {
		digits = strspn(text + at, hex);
		if (digits != groups[i])
			return 0;
		at += digits;
		/* The systemd driver writes '_', because a dash separates nested slices. */
		if (i < 4 && text[at] != '-' && text[at] != '_')
			return 0;
		at += i < 4;
	}
	return at;
}

static void take_uid(const char *text, size_t length, char uid[UID_SIZE + 1])
{
	for (size_t i = 0; i < length; i++)
		uid[i] = text[i] == '_' ? '-' : text[i];
	uid[length] = '\0';
}

/* The control group. */

/*
 * Finds "/pod<uid>/" or "-pod<uid>.slice". The first one in a line is the kubelet's; groups that a container makes come
 * later. *end is after it. NULL: none.
 */
static const char *find_pod(const char *line, const char **end)
{
	for (const char *at = line; (at = strstr(at, "pod")); at += 3) {
		size_t length = uid_length(at + 3);

		if (!length || at == line || !strchr("/-", at[-1]) || !strchr("/.:\n", at[3 + length]))
			continue;
		*end = at + 3 + length;
		return at + 3;
	}
	return NULL;
}

/* The first run of 64 digits; container_id() returns the last. */
static void first_id(const char *text, char id[CONTAINER_ID_SIZE])
{
	id[0] = '\0';
	while (*text && !id[0]) {
		size_t n = strcspn(text, "/:");
		char part[256];

		snprintf(part, sizeof(part), "%.*s", (int)(n < 255 ? n : 0), text);
		container_id(part, id);
		text += n + (text[n] != '\0');
	}
}

static bool parse_line(const char *line, struct pod *pod)
{
	const char *end = NULL, *uid = find_pod(line, &end);
	char id[CONTAINER_ID_SIZE];

	if (!uid)
		return false;
	first_id(end, id);
	if (pod->uid[0] && !id[0])
		return false;
	take_uid(uid, (size_t)(end - uid), pod->uid);
	memcpy(pod->container_id, id, sizeof(id));
	return id[0];
}

bool pod_parse_cgroup(const char *text, struct pod *pod)
{
	_cleanup_free_ char *copy = strdup(text);
	char *rest = copy, *line;

	pod->uid[0] = pod->container_id[0] = '\0';
	/* One line per hierarchy. Some hierarchies may not know the pod. */
	while ((line = strsep(&rest, "\n"))) {
		if (parse_line(line, pod))
			return true;
	}
	/* Not in a pod, or seen from within its own group ("0::/../cri-containerd-..."). */
	if (!pod->uid[0])
		container_id(text, pod->container_id);
	return pod->uid[0] || pod->container_id[0];
}

/*
 * The names of logs. No reader is needed: kubelet and container engine write them as root, a pod can write there only
 * if it mounts the machine's /var/log, and we read names and no log.
 */

bool pod_parse_directory(const char *text, struct pod *pod)
{
	const char *name = strchr(text, '_'), *uid = name ? strchr(name + 1, '_') : NULL;
	struct pod parsed = *pod;
	size_t length = uid ? uid_length(uid + 1) : 0;

	if (!length || uid[1 + length] ||
	    !take_name(text, (size_t)(name - text), parsed.namespace, sizeof(parsed.namespace), false) ||
	    !take_name(name + 1, (size_t)(uid - name - 1), parsed.name, sizeof(parsed.name), true))
		return false;
	take_uid(uid + 1, length, parsed.uid);
	*pod = parsed;
	return true;
}

bool pod_parse_link(const char *text, struct pod *pod)
{
	const char *namespace = strchr(text, '_'), *container = namespace ? strchr(namespace + 1, '_') : NULL;
	const char *id = container ? strrchr(container, '-') : NULL;
	struct pod parsed = *pod;

	if (!id || strspn(id + 1, hex) != CONTAINER_ID_SIZE - 1 || strcmp(id + CONTAINER_ID_SIZE, ".log") ||
	    !take_name(text, (size_t)(namespace - text), parsed.name, sizeof(parsed.name), true) ||
	    !take_name(namespace + 1, (size_t)(container - namespace - 1), parsed.namespace, sizeof(parsed.namespace),
		       false) ||
	    !take_name(container + 1, (size_t)(id - container - 1), parsed.container, sizeof(parsed.container), false))
		return false;
	memcpy(parsed.container_id, id + 1, CONTAINER_ID_SIZE - 1);
	*pod = parsed;
	return true;
}

/* Calls `take` with each entry's name until it returns true. Returns whether it did. */
static bool each_entry(const char *path, bool (*take)(struct pod *pod, const char *path, const char *name),
		       struct pod *pod)
{
	_cleanup_dir_ DIR *dir = opendir(path);
	struct dirent *entry;

	for (size_t i = 0; dir && i < MOST_ENTRIES && (entry = readdir(dir)); i++) {
		if (take(pod, path, entry->d_name))
			return true;
	}
	return false;
}

/*
 * The link's target is ".../pods/<namespace>_<name>_<uid>/<container>/0.log", which has the uid if the group had none.
 */
static void take_linked(struct pod *pod, const char *path, const char *name)
{
	char link[PATH_MAX], to[PATH_MAX], *part;
	struct pod linked = {};
	ssize_t length;

	if (snprintf(link, sizeof(link), "%s/%s", path, name) >= (int)sizeof(link))
		return;
	length = readlink(link, to, sizeof(to) - 1);
	to[length > 0 ? length : 0] = '\0';
	part = strstr(to, "/pods/");
	if (!part)
		return;
	part += strlen("/pods/");
	part[strcspn(part, "/")] = '\0';
	if (pod_parse_directory(part, &linked) && !strcmp(linked.name, pod->name) &&
	    !strcmp(linked.namespace, pod->namespace))
		memcpy(pod->uid, linked.uid, sizeof(pod->uid));
}

static bool take_link(struct pod *pod, const char *path, const char *name)
{
	struct pod parsed = *pod;

	if (!pod_parse_link(name, &parsed) || strcmp(parsed.container_id, pod->container_id))
		return false;
	*pod = parsed;
	if (!pod->uid[0])
		take_linked(pod, path, name);
	return true;
}

static bool take_directory(struct pod *pod, const char *path, const char *name)
{
	struct pod parsed = *pod;

	(void)path;
	if (!pod_parse_directory(name, &parsed) || strcmp(parsed.uid, pod->uid))
		return false;
	*pod = parsed;
	return true;
}

/* A pod's directory has one entry per container. With several, ours is unknown. */
static bool take_container(struct pod *pod, const char *path, const char *name)
{
	char found[sizeof(pod->container)];

	(void)path;
	if (!take_name(name, strlen(name), found, sizeof(found), false))
		return false;
	if (pod->container[0]) {
		pod->container[0] = '\0';
		return true;
	}
	memcpy(pod->container, found, sizeof(found));
	return false;
}

static void ask_logs(const char *logs, struct pod *pod)
{
	char path[PATH_MAX];

	if (pod->container_id[0]) {
		snprintf(path, sizeof(path), "%s/containers", logs);
		if (each_entry(path, take_link, pod))
			return;
	}
	snprintf(path, sizeof(path), "%s/pods", logs);
	if (!pod->uid[0] || !each_entry(path, take_directory, pod))
		return;
	snprintf(path, sizeof(path), "%s/pods/%s_%s_%s", logs, pod->namespace, pod->name, pod->uid);
	each_entry(path, take_container, pod);
}

/* The container itself and its processes, read by a reader, which may hang. */

struct asked {
	pid_t pid;
	const struct pod_files *files;
};

const struct pod_files pod_files_by_reader = { reader_file, reader_identify };

/* Reads at most size - 1 bytes and terminates them. The length; 0 on errors. */
static size_t read_text(const struct asked *asked, const char *name, char *text, size_t size)
{
	ssize_t n = asked->files->read(asked->pid, name, 0, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static void ask_service_account(const struct asked *asked, struct pod *pod)
{
	char text[sizeof(pod->namespace) + 1];
	size_t length = read_text(asked, SERVICE_ACCOUNT "namespace", text, sizeof(text));

	if (length && text[length - 1] == '\n')
		length--;
	take_name(text, length, pod->namespace, sizeof(pod->namespace), false);
}

/* With hostNetwork, HOSTNAME is that of the machine. */
static bool has_own_hostname(const struct asked *asked)
{
	struct reader_identity its, host;

	if (asked->files->identify(asked->pid, "ns/uts", &its))
		return false;
	return asked->files->identify(1, "ns/uts", &host) || !reader_is_same(&its, &host);
}

static void ask_environment(const struct asked *asked, struct pod *pod)
{
	static const char variable[] = "HOSTNAME=";
	_cleanup_free_ char *text = malloc(ENVIRON_SIZE);
	ssize_t size = text ? asked->files->read(asked->pid, "environ", 0, text, ENVIRON_SIZE - 1) : -ENOMEM;

	pod->is_denied = size == -EACCES || size == -EPERM;
	if (size <= 0)
		return;
	text[size] = '\0';
	for (size_t at = 0; at < (size_t)size; at += strlen(text + at) + 1) {
		const char *value = text + at + strlen(variable);

		if (strncmp(text + at, variable, strlen(variable)))
			continue;
		take_name(value, strlen(value), pod->name, sizeof(pod->name), true);
		return;
	}
}

static void ask_group(const struct asked *asked, struct pod *pod)
{
	_cleanup_free_ char *text = malloc(CGROUP_SIZE);

	if (text && read_text(asked, "cgroup", text, CGROUP_SIZE))
		pod_parse_cgroup(text, pod);
}

bool pod_is_partial(const struct pod *pod)
{
	return (pod->uid[0] || pod->container_id[0]) && (!pod->name[0] || !pod->container[0]);
}

void pod_find(pid_t pid, const struct pod_files *files, const char *logs, struct pod *pod)
{
	const struct asked asked = { pid, files };

	memset(pod, 0, sizeof(*pod));
	ask_group(&asked, pod);
	if (!pod->uid[0] && !pod->container_id[0])
		return;
	ask_logs(logs, pod);
	/* Only a pod has a service account. A docker container also has a HOSTNAME, which says nothing about a pod. */
	if (!pod->namespace[0])
		ask_service_account(&asked, pod);
	if (!pod->name[0] && (pod->uid[0] || pod->namespace[0]) && has_own_hostname(&asked))
		ask_environment(&asked, pod);
}
