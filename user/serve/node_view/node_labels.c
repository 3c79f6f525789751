// SPDX-License-Identifier: BSD-2-Clause
#include "serve/node_view/node_labels.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"

#define MOST_NODES 512
#define RETRY_NS (2 * NS_PER_S) /* the kubelet writes the names of a pod after its start */
#define MOST_TRIES 24

struct labelled_node {
	pid_t pid;
	uint64_t start_time;
	struct pod pod;
	char otp[16];
	uint64_t tried_ns;
	unsigned int tries;
};

struct node_labels {
	const char *pod_logs;
	size_t count;
	struct labelled_node nodes[MOST_NODES];
};

struct node_labels *node_labels_new(const char *pod_logs)
{
	struct node_labels *cache = calloc(1, sizeof(*cache));

	if (cache)
		cache->pod_logs = pod_logs;
	return cache;
}

void node_labels_free(struct node_labels *cache)
{
	free(cache);
}

static void find_pod(const struct node_labels *cache, struct labelled_node *node)
{
	struct pod found;

	node->tried_ns = duration_now();
	node->tries++;
	pod_find(node->pid, &pod_files_by_reader, cache->pod_logs, &found);
	/* A process that cannot be read for now is still in its pod. */
	if (found.uid[0] || found.container_id[0] || node->tries == 1)
		node->pod = found;
}

static struct labelled_node *add(struct node_labels *cache, const struct target *target)
{
	struct labelled_node *node;

	if (cache->count == MOST_NODES)
		cache->count = 0;
	node = &cache->nodes[cache->count++];
	*node = (struct labelled_node){ .pid = target->pid, .start_time = target->start_time };
	find_pod(cache, node);
	return node;
}

static struct labelled_node *find(struct node_labels *cache, const struct target *target)
{
	struct labelled_node *found = NULL;

	for (size_t i = 0; !found && i < cache->count; i++) {
		if (cache->nodes[i].pid == target->pid && cache->nodes[i].start_time == target->start_time)
			found = &cache->nodes[i];
	}
	if (!found)
		return add(cache, target);
	/* The pod of an ended node stays as it was last known. */
	if (pod_is_partial(&found->pod) && found->tries < MOST_TRIES && duration_now() - found->tried_ns > RETRY_NS &&
	    target_is_alive(target))
		find_pod(cache, found);
	return found;
}

const struct pod *node_labels_pod(struct node_labels *cache, const struct target *target)
{
	return &find(cache, target)->pod;
}

size_t node_labels_fill(struct node_labels *cache, const struct target *target, struct metric_label *labels)
{
	struct labelled_node *node = find(cache, target);
	size_t count = 0;

	snprintf(node->otp, sizeof(node->otp), "%d", target->vm->otp);
	labels[count++] = (struct metric_label){ "node", target->node };
	labels[count++] = (struct metric_label){ "otp", node->otp };
	labels[count++] = (struct metric_label){ "namespace", node->pod.namespace };
	labels[count++] = (struct metric_label){ "pod", node->pod.name };
	labels[count++] = (struct metric_label){ "container", node->pod.container };
	return count;
}
