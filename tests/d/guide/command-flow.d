/* -F shows entries and returns as a tree. */
/* @options: -F -c "dd if=/dev/zero of=/dev/null bs=10 count=1 status=none" */

syscall::write:entry
/pid == $target && arg0 == 1/
{
}

syscall::write:return
/pid == $target/
{
}
