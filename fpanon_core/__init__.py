"""fpanon: which form of a mobility data set may be released, and what each form costs."""
