/* SPDX-License-Identifier: BSD-2-Clause */
/* user-trace: contract between its BPF program and tools/user-trace.c. */
#ifndef ERLBPF_BPF_USER_TRACE_H
#define ERLBPF_BPF_USER_TRACE_H

#include <linux/types.h>

#define USER_TRACE_NUMBERS 4
#define USER_TRACE_STRINGS 4

/* Texts of a record: the tag, then the strings. */
#define USER_TRACE_TEXTS (1 + USER_TRACE_STRINGS)

/*
 * Room for each text: MESSAGE_BUFSIZ of erl_nif.c and a terminator, up to a multiple of 8. Few markers need it, so
 * records in which every text is short have less.
 */
#define USER_TRACE_MOST 1025
#define USER_TRACE_LONG 1032
#define USER_TRACE_SHORT 64

/* The head of a record; USER_TRACE_TEXTS times the room for a text follow. */
struct user_trace_event {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 id;      /* of the process; 0: the probe does not tell */
	__u64 name;    /* of it, as an id */
	__s64 numbers[USER_TRACE_NUMBERS];
	__s32 lengths[USER_TRACE_TEXTS]; /* with the terminator; 0: no such text; negative: unreadable */
	__u32 os_id;
	__u32 probe;
	__u32 room; /* USER_TRACE_LONG or USER_TRACE_SHORT */
	__u32 has_numbers;
};

#endif
