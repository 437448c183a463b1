"""What goes over the network, as those who attack write it: each protocol a second time, and none of it by the code that is attacked."""
