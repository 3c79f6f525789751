/* A variable with the name of a value of the kernel's enum could be meant, too. */

int PIDTYPE_PID;
BEGIN { x = (enum pid_type)0; trace(x == PIDTYPE_PID); }
