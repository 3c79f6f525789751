/* A struct for each sort of call keeps what is known of them. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=8 status=none" */

struct calls {
	uint64_t began;
	uint64_t number;
	size_t largest;
};

struct calls of[string];

syscall::write:entry,
syscall::read:entry
/pid == $target && arg0 < 2/
{
	of[probefunc].began = timestamp;
	of[probefunc].number++;
	of[probefunc].largest = of[probefunc].largest > arg2 ? of[probefunc].largest : arg2;
}

END
{
	printf("%s %d %d %d\n", "read", of["read"].number, of["read"].largest, of["read"].began > 0);
	printf("%s %d %d\n", "write", of["write"].number, of["write"].largest);
}
