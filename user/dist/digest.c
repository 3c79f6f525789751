// SPDX-License-Identifier: BSD-2-Clause
#include "dist/digest.h"

#include <inttypes.h>
#include <md5.h>
#include <stdio.h>
#include <string.h>

void digest_make(const char *cookie, uint32_t challenge, unsigned char digest[DIGEST_SIZE])
{
	char digits[16];
	MD5_CTX md5;

	snprintf(digits, sizeof(digits), "%" PRIu32, challenge);
	MD5Init(&md5);
	MD5Update(&md5, (const uint8_t *)cookie, strlen(cookie));
	MD5Update(&md5, (const uint8_t *)digits, strlen(digits));
	MD5Final(digest, &md5);
	explicit_bzero(&md5, sizeof(md5));
}
