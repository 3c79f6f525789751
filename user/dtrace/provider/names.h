/* SPDX-License-Identifier: BSD-2-Clause */
/* What a probe is called where it is printed: its id and its four names. */
#ifndef ERLBPF_DTRACE_PROVIDER_NAMES_H
#define ERLBPF_DTRACE_PROVIDER_NAMES_H

struct probe_names {
	unsigned int id;
	const char *provider, *module, *function, *name;
};

#endif
