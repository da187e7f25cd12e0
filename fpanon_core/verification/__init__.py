"""Does a release keep its promises? Checked anew, by code that shares nothing with its makers."""
