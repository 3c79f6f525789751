/* strlen(), strjoin(), strchr(), strrchr(), strstr(), index(), rindex(), substr(), strtok(), lltostr(). */
/* @options: -q */

BEGIN
{
	s = "one,two,three";
	printf("%d %s\n", strlen(s), strjoin(s, "!"));
	printf("%s %s %s\n", strchr(s, ','), strrchr(s, ','), strstr(s, "wo"));
	printf("%d %d %s\n", index(s, "t"), rindex(s, "t"), substr(s, 4, 3));
	this->a = strtok(s, ",");
	this->b = strtok(NULL, ",");
	printf("%s %s %s\n", this->a, this->b, lltostr(-12));
	exit(0);
}
