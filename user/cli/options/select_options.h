/* SPDX-License-Identifier: BSD-2-Clause */
/* The options by which nodes are selected: the same rows in the tables of all command lines. */
#ifndef ERLBPF_CLI_OPTIONS_SELECT_OPTIONS_H
#define ERLBPF_CLI_OPTIONS_SELECT_OPTIONS_H

#include <stddef.h>
#include <sys/types.h>

#include "target/selector.h"

/* Of -p: the numbers in the text, behind `*count` others. NULL, or what is wrong with it. */
const char *select_take_pids(pid_t *pids, size_t *count, const char *text);

/* Of -c: the words of the text, which live as long as the process. NULL, or what is wrong with it. */
const char *select_take_command(char ***command, const char *text);

/* Of --user, whose value is `text`: NULL, or what is wrong with it. */
const char *select_take_user(struct target_selector *selector, const char *text);

/* `take_user` is the handler of a table's own; `data` and `member` are where its struct target_selector is. */
#define SELECT_ROWS(takes, data, member, take_user_)                                                                   \
	{ .name = "node",                                                                                              \
	  .argument = "NAME",                                                                                          \
	  .needs = takes,                                                                                              \
	  .help = "only nodes of this name, such as 'shop-*'",                                                         \
	  .manual = "Only nodes of this name. _rabbit_ means _rabbit@_ any host. \\*, ? and [...] are wildcards, as\n" \
		    "in file names: _'shop-\\*'_ matches every node whose name starts with it, on any host.\n"         \
		    "\n"                                                                                               \
		    "This option and the following ones can be combined: a node must match all of them.",              \
	  .kind = OPTION_TEXT,                                                                                         \
	  .to = offsetof(data, member.node) },                                                                         \
		{ .name = "pod",                                                                                       \
		  .argument = "NAME",                                                                                  \
		  .needs = takes,                                                                                      \
		  .help = "only nodes in this pod of Kubernetes: NAME or NAMESPACE/NAME",                              \
		  .manual = "Only nodes in the pods of this name, or _NAMESPACE_/_NAME_. Wildcards as in *--node*.",   \
		  .kind = OPTION_TEXT,                                                                                 \
		  .to = offsetof(data, member.pod) },                                                                  \
		{ .name = "container",                                                                                 \
		  .argument = "ID",                                                                                    \
		  .needs = takes,                                                                                      \
		  .help = "only nodes in this container: the beginning of its id, or its name in its pod",             \
		  .manual = "Only nodes in this container: the beginning of its id (at least four digits), as "        \
			    "container\n"                                                                              \
			    "engines show it, or the name that it has in its pod. Wildcards as in *--node*.",          \
		  .kind = OPTION_TEXT,                                                                                 \
		  .to = offsetof(data, member.container) },                                                            \
		{ .name = "cgroup",                                                                                    \
		  .argument = "PATH",                                                                                  \
		  .needs = takes,                                                                                      \
		  .help = "only nodes in this control group or below it, such as rabbitmq-server.service",             \
		  .manual =                                                                                            \
			  "Only nodes in this control group, or in one below it: its path, with or without\n"          \
			  "_/sys/fs/cgroup_. What does not begin with a slash may begin at any part of the path, as\n" \
			  "_rabbitmq-server.service_ does. Wildcards as in *--node*.",                                 \
		  .kind = OPTION_TEXT,                                                                                 \
		  .to = offsetof(data, member.cgroup),                                                                 \
		  .offer = OFFER_FOLDERS },                                                                            \
		{ .name = "comm",                                                                                      \
		  .argument = "NAME",                                                                                  \
		  .needs = takes,                                                                                      \
		  .help = "only processes of this name, such as beam.smp",                                             \
		  .manual = "Only processes that ps(1) shows under this name, such as _beam.smp_. Wildcards as in "    \
			    "*--node*.",                                                                               \
		  .kind = OPTION_TEXT,                                                                                 \
		  .to = offsetof(data, member.comm) },                                                                 \
		{ .name = "exe",                                                                                       \
		  .argument = "PATH",                                                                                  \
		  .needs = takes,                                                                                      \
		  .help = "only processes of this executable, such as '/opt/shop/*'",                                  \
		  .manual = "Only processes whose executable has this path; in a container, its path there. Without "  \
			    "a slash,\n"                                                                               \
			    "the last part of the path. Wildcards as in *--node*.",                                    \
		  .kind = OPTION_TEXT,                                                                                 \
		  .to = offsetof(data, member.exe),                                                                    \
		  .offer = OFFER_FILES },                                                                              \
		{ .name = "user",                                                                                      \
		  .argument = "USER",                                                                                  \
		  .needs = takes,                                                                                      \
		  .help = "only processes of this user: name or number",                                               \
		  .manual = "Only processes that this user runs: a name of this machine, or a number.",                \
		  .kind = OPTION_CALL,                                                                                 \
		  .take = take_user_ },                                                                                \
	{                                                                                                              \
		.name = "pod-logs", .argument = "DIR", .needs = takes,                                                 \
		.help = "read names of pods from the kubelet's logs there (default: " POD_LOGS ")",                    \
		.manual = "Log directory of the kubelet. The names of pods are read from the file names there. "       \
			  "Default:\n"                                                                                 \
			  "_" POD_LOGS "_.",                                                                           \
		.kind = OPTION_TEXT, .to = offsetof(data, member.pod_logs), .offer = OFFER_FOLDERS                     \
	}

#endif
