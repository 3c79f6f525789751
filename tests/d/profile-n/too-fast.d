/* 5000 times a second is the most. */

profile-5001 { exit(0); }
