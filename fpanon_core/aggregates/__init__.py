"""Tables of everybody over a stated frame, how they are protected, and attacks on them."""
