/* SPDX-License-Identifier: BSD-2-Clause */
/* Durations: "250us", "1ms", "1.5s", "2m", "15h41m", "100" (in a default unit). */
#ifndef ERLBPF_BASE_DURATION_H
#define ERLBPF_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S 1000000000ULL

/* 0 and nanoseconds in *ns, or -EINVAL. A number without a unit is in units of `unit_ns`. */
int duration_parse(const char *text, uint64_t unit_ns, uint64_t *ns);

/* Units of D, in any case: "ns", "nsec", "us"... "day". False: no such unit. */
bool duration_d_unit(const char *name, uint64_t *ns);

/* With three digits, like "1.25ms"; from 100 seconds on in two units, like "15h41m". `buf` has at least 32 bytes. */
const char *duration_format(uint64_t ns, char *buf);

uint64_t duration_now(void); /* CLOCK_MONOTONIC of the machine in ns, as bpf_ktime_get_ns() returns it */

/* Converts a time of the machine to CLOCK_MONOTONIC of this process, which differs in a time namespace. */
uint64_t duration_to_clock(uint64_t ns);

/* The difference between nanoseconds since 1970 and duration_now(). */
uint64_t duration_wall_offset(void);

#endif
