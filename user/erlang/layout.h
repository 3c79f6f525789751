/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What bpf/profile.bpf.c has to know of a node: where its code is, what its processes and its schedulers are made of.
 * All of it is read from outside.
 */
#ifndef ERLBPF_ERLANG_LAYOUT_H
#define ERLBPF_ERLANG_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "load/load.h"
#include "profile.h"
#include "target/target.h"

struct layout_thread {
	uint32_t tid;
	struct sample_thread thread;
};

struct layout {
	struct sample_node node;
	struct layout_thread *threads; /* those that run processes; none if the release is not known */
	size_t thread_count;
};

/* The caller frees the layout, also after a failure. 0 or -errno. */
int layout_read(const struct target *target, uint16_t number, struct layout *layout);

/* Sample this process alone (an id of bpf/erl.h). 0; -ESRCH if the node has no such process. */
int layout_only(const struct target *target, uint64_t process, struct layout *layout);
void layout_free(struct layout *layout);

/* Tell the programs of a loader of the node: its map profile_nodes has it by its pid. 0 or -errno. */
int layout_publish(const struct layout *layout, const struct target *target, const struct loader *loader);

/* The same of its threads, if the programs ask which thread runs what: the map profile_threads. */
int layout_publish_threads(const struct layout *layout, const struct loader *loader);

/* They forget it, and those of its threads: there is room for SAMPLE_NODES, and numbers come again. */
void layout_forget(const struct layout *layout, pid_t pid, const struct loader *loader);

/*
 * The ranges, sorted and with those merged that lie next to each other; if there are more than `room`, with those of
 * the smallest gaps, too. Returns how many are left.
 */
size_t layout_merge(struct sample_range *ranges, size_t count, size_t room);

#endif
