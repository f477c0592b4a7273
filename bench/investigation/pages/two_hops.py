near = pages[given["page"]].links
FINAL(len({far for one in near for far in pages[one].links} - near - {given["page"]}))
