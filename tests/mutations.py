"""Random changes of the bytes of a file."""


def mutated(content, choice):
    """The content after one to three changes of bytes: other, inserted, deleted, swapped, copied elsewhere, cut."""
    made = bytearray(content)
    for _ in range(choice.choice([1, 1, 1, 2, 3])):
        place, other = choice.randrange(len(made)), choice.randrange(len(made))
        size = choice.choice([1, 1, 2, 8, 64])
        kind = choice.randrange(8)
        if kind == 0:
            made[place] = choice.randrange(256)
        elif kind == 1:
            made[place] ^= 1 << choice.randrange(8)
        elif kind == 2:
            made[place] = choice.choice(b'0123456789.eE+-,:"[]{}\\ ntu')
        elif kind == 3:
            made[place:place] = choice.randbytes(size)
        elif kind == 4:
            made[place:place] = bytes(choice.choices(b"0123456789", k=size))
        elif kind == 5:
            del made[place : place + size]
        elif kind == 6:
            made[place], made[other] = made[other], made[place]
        else:
            made[place:place] = made[other : other + size]
        made = made or bytearray(b" ")
    return bytes(made)
