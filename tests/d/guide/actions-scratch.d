/* alloca() and bcopy(); copyinto() into what was allocated. */
/* @options: -q -c "sh -c 'echo hi'" */

syscall::write:entry
/pid == $target && arg0 == 1/
{
	this->p = (char *)alloca(8);
	copyinto(arg1, arg2, this->p);
	this->p[0] = 'H';
	printf("%s", stringof(this->p));
}
