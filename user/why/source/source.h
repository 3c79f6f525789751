/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A source observes one aspect of a node while it is watched, and fills its part of the signs at the end. node_watch.c
 * has the table of sources, sources.def, and calls them in that order.
 */
#ifndef ERLBPF_WHY_SOURCE_SOURCE_H
#define ERLBPF_WHY_SOURCE_SOURCE_H

#include <stddef.h>

#include "node/atoms/pids.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/source/signs.h"

struct host_cpu;
struct samples;
struct threads;
struct trends;

/* What all sources of a node share. */
struct why_node {
	const struct target *target;
	struct erl_pid_layout pids;
	struct schedulers *schedulers;
	struct processes *processes;
	const struct threads *threads; /* only during open() */
	struct host_cpu *cpu;
	struct samples *samples;
	struct trends *trends;
};

/* Each function may be NULL. The state is zeroed memory of that size. */
struct why_source {
	size_t size;
	int (*open)(void *state, struct why_node *node);    /* 0 or -errno */
	void (*sample)(void *state, struct why_node *node); /* every few milliseconds */
	void (*look)(void *state, struct why_node *node);   /* a few times per second */
	void (*read)(void *state, struct why_node *node);   /* after each reading of the process table */
	void (*finish)(void *state, struct why_node *node, struct signs *signs);
	void (*close)(void *state); /* frees what the state refers to; also after open() failed */
};

#endif
