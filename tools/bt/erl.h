/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the scripts read in the VM's memory. bpftrace 0.17 has no functions, but it puts in the text of a
 * macro without arguments. Such a text must not end in ';' or '}', and it must be shorter than what stands
 * before its first use, comments included: the room of what was read already is all that the scanner has.
 *
 * $2 is the address at which the VM is mapped; see `run`.
 * Source: erl_ptab.h and atom.h of OTP 25.2.3, 27.3.4.1 and 29.1.1; user/node/atoms/pids.c has the whole story.
 */

/*
 * The term of a process or a port is ($place << 4) plus a tag. In OTP 25 its low half holds what is printed.
 * In OTP 27 it holds a place in $table, which the masks of the table (at 216, 224 and 232, 64 bits each) and
 * two shifts turn into it: $data. In OTP 25 the masks have 32 bits, and at 220 is a shift, which is not 0.
 */
#define FIND_DATA                                                                                                      \
	$data = ($place & ~*(uint64 *)($table + 216)) |                                                                \
		($place >> *(uint32 *)($table + 240) & *(uint64 *)($table + 224)) |                                    \
		(($place & *(uint64 *)($table + 232)) << *(uint32 *)($table + 244));                                   \
	$shift = (uint64) * (uint32 *)($table + 220)

/* $number and $serial of the pid <0.number.serial> whose term is $process. */
#define DECODE_PID                                                                                                     \
	$place = $process >> 4;                                                                                        \
	$table = $2 + (uint64)uaddr("erts_proc");                                                                      \
	FIND_DATA;                                                                                                     \
	$number = $shift == 0 ? ($data & 0xfffffff) : ($place & 0x7fff);                                               \
	$serial = $shift == 0 ? ($data >> 28) : ($place >> 15 & 0x1fff)

/* $number of the port #Port<0.number> whose term is $port. */
#define DECODE_PORT                                                                                                    \
	$place = $port >> 4;                                                                                           \
	$table = $2 + (uint64)uaddr("erts_port");                                                                      \
	FIND_DATA;                                                                                                     \
	$number = $shift == 0 ? ($data) : ($place & 0xfffffff)

/* $atom of the term $term: entry n of the atom table is at [n / 1024][n % 1024]. */
#define FIND_ATOM                                                                                                      \
	$atoms = *(uint64 *)($2 + (uint64)uaddr("erts_atom_table") + 120);                                             \
	$atom = *(uint64 *)(*(uint64 *)($atoms + ($term >> 16) * 8) + ($term >> 6 & 1023) * 8);                        \
	$size = (uint64) * (uint16 *)($atom + 24);                                                                     \
	$bytes = *(uint64 *)($atom + 32);                                                                              \
	$bytes = *(uint16 *)($2 + (uint64)uaddr("etp_otp_release")) < 0x3832 ? $bytes                                  \
		 : $size > 64						     ? *(uint64 *)($bytes + 6)                 \
									     : $bytes + 14

/* The text of $atom, up to 63 bytes. From OTP 28 on it is a binary, a term, and not an address. */
#define ATOM_TEXT str($bytes, $size)

/* Module, name and arity of a function: the three words (ErtsCodeMFA) before its code, which is at $code. */
#define SAVE_MFA                                                                                                       \
	$term = *(uint64 *)($code - 24);                                                                               \
	FIND_ATOM;                                                                                                     \
	@module[tid] = ATOM_TEXT;                                                                                      \
	$term = *(uint64 *)($code - 16);                                                                               \
	FIND_ATOM;                                                                                                     \
	@function[tid] = ATOM_TEXT;                                                                                    \
	@arity[tid] = *(uint64 *)($code - 8)
