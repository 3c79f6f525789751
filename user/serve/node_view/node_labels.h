/* SPDX-License-Identifier: BSD-2-Clause */
/* Labels of a node's series: its name, OTP release, and pod. Pods are cached. */
#ifndef ERLBPF_SERVE_NODE_VIEW_NODE_LABELS_H
#define ERLBPF_SERVE_NODE_VIEW_NODE_LABELS_H

#include "serve/metrics/metrics.h"
#include "target/pod.h"
#include "target/target.h"

struct node_labels;

/* `pod_logs`: directory where the kubelet keeps logs. NULL: no memory. */
struct node_labels *node_labels_new(const char *pod_logs);
void node_labels_free(struct node_labels *cache);

/* The node's pod, valid until the next call. Searched for again while it is only partly known. */
const struct pod *node_labels_pod(struct node_labels *cache, const struct target *target);

/* Fills `labels` (METRICS_LABELS) and returns how many there are. Texts are valid until the next call. */
size_t node_labels_fill(struct node_labels *cache, const struct target *target, struct metric_label *labels);

#endif
