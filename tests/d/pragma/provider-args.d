/* @options: -q */
#pragma D attributes Private/Private/Unknown provider dtrace args
BEGIN { printf("here"); exit(0); }
