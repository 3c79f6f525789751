// SPDX-License-Identifier: BSD-2-Clause
#include "target/reader_protocol.h"

static inline void pause_a_little(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

bool reader_look(struct reader_spin *spin, const _Atomic uint32_t *number, uint32_t value, bool is_equal)
{
	int most = spin->looks ? spin->looks : READER_MAX_LOOKS;

	for (int i = 0; i < most; i++) {
		if ((atomic_load(number) == value) == is_equal) {
			spin->looks = most * 2 < READER_MAX_LOOKS ? most * 2 : READER_MAX_LOOKS;
			return true;
		}
		pause_a_little();
	}
	spin->looks = most / 2 > READER_MIN_LOOKS ? most / 2 : READER_MIN_LOOKS;
	return false;
}
