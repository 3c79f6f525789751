// SPDX-License-Identifier: BSD-2-Clause
/* The tables of probes/fingerprints/, one file per release, as they are: the list of them is made from the folder. */
#include "match/reference.h"

#define FINGERPRINT(release)                                                                                           \
	__asm__(".pushsection .rodata\n"                                                                               \
		".balign 16\n"                                                                                         \
		"fingerprints_" #release ":\n"                                                                         \
		".incbin \"probes/fingerprints/" #release ".table\"\n"                                                 \
		"fingerprints_end_" #release ":\n"                                                                     \
		".byte 0\n"                                                                                            \
		".popsection\n");                                                                                      \
	extern const unsigned char fingerprints_##release[], fingerprints_end_##release[];
#include "fingerprints.inc"
#undef FINGERPRINT

const void *reference_table(int release, size_t *size)
{
	const void *found = NULL;

#define FINGERPRINT(its)                                                                                               \
	if (its <= release) {                                                                                          \
		found = fingerprints_##its;                                                                            \
		*size = (size_t)(fingerprints_end_##its - fingerprints_##its);                                         \
	}
#include "fingerprints.inc"
	return found;
}
