"""What functions give, bit for bit, stored from one device to be compared with others.

`python -m tests.stored_bits write` stores it anew, `compare` compares a device with what is stored,
and `explain` says where results that another device gave differ from those of this one.
"""
