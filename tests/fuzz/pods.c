// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any text as a control group, the name of a directory of logs and that of a link to a log. What comes of it are names
 * as Kubernetes has them, and ids of digits: they become labels of series, and parts of paths.
 */
#include "fuzz.h"
#include "target/pod.h"
#include "target/selector.h"

static void check_name(const char *name, size_t size, const char *allowed)
{
	size_t length = strnlen(name, size);

	must(length < size, "a name ends");
	must(strspn(name, allowed) == length, "a name is of the letters that names are made of");
	must(!length || (!strchr("-.", name[0]) && !strchr("-.", name[length - 1])),
	     "a name begins and ends with a letter");
}

static void check_pod(const struct pod *pod)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	static const char with_dots[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
	static const char digits[] = "0123456789abcdef-";

	check_name(pod->name, sizeof(pod->name), with_dots);
	check_name(pod->namespace, sizeof(pod->namespace), letters);
	check_name(pod->container, sizeof(pod->container), letters);
	must(strspn(pod->uid, digits) == strlen(pod->uid), "a uid is of digits and dashes");
	must(!*pod->uid || strlen(pod->uid) == 36 || strlen(pod->uid) == 32, "a uid has the length of one");
	must(strspn(pod->container_id, digits) == strlen(pod->container_id), "an id is of digits");
	must(!*pod->container_id || strlen(pod->container_id) == CONTAINER_ID_SIZE - 1, "an id has the length of one");
}

/* What is refused leaves nothing behind. */
static void check_part(bool (*parse)(const char *text, struct pod *pod), const char *text)
{
	static const struct pod nothing;
	struct pod pod = {};

	if (!parse(text, &pod))
		must(!memcmp(&pod, &nothing, sizeof(pod)), "what is refused leaves nothing behind");
	check_pod(&pod);
	pod_is_partial(&pod);
}

static void fuzz(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), id[CONTAINER_ID_SIZE];
	struct pod pod = {};

	container_id(text, id);
	must(!*id || strlen(id) == CONTAINER_ID_SIZE - 1, "an id has the length of one");
	must(!*id || strstr(text, id), "an id is in the text");
	must(pod_parse_cgroup(text, &pod) == (pod.uid[0] || pod.container_id[0]), "something was found if it says so");
	check_pod(&pod);
	check_part(pod_parse_directory, text);
	check_part(pod_parse_link, text);
	must(!selector_is_in_cgroup("/shop", text) || strstr(text, "/shop"), "a group is in the text");
	must(!selector_is_in_cgroup("/sys/fs/cgroup/pids/shop", text) || strstr(text, "shop"),
	     "so it is in its hierarchy");
	must(!selector_is_in_cgroup("shop*", text) || strstr(text, "shop"), "so is a part of it");
	selector_is_node("rabbit@*", text);
	selector_is_exe("/usr/*", text);
	selector_is_pod("*/*", &pod);
	selector_is_container("*", &pod);
	free(text);
}
