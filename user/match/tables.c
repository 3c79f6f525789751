// SPDX-License-Identifier: BSD-2-Clause
/* The tables of probes/fingerprints/, one file per release, as they are: the list of them is made from the folder. */
#include "match/reference.h"

#include "base/embed.h"

#define FINGERPRINT(release)                                                                                           \
	EMBED("fingerprints_" #release, "probes/fingerprints/" #release ".table");                                     \
	extern const unsigned char fingerprints_##release[];                                                           \
	extern const size_t fingerprints_##release##_size;
#include "fingerprints.inc"
#undef FINGERPRINT

const void *reference_table(int release, size_t *size)
{
	const void *found = NULL;

#define FINGERPRINT(its)                                                                                               \
	if (its <= release) {                                                                                          \
		found = fingerprints_##its;                                                                            \
		*size = fingerprints_##its##_size;                                                                     \
	}
#include "fingerprints.inc"
	return found;
}
