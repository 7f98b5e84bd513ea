"""Two flagships three apart, in notation: who fires kills, who surrenders lives."""

#: A fires at B, whose hull is to be filled in: of 4 or less it dies.
DUEL = """game conflit-stellaire
seat A hull 20
seat B hull {hull}
A a1 twin-laser @0,150 0deg
A a-e1 energy-cell @100,150 0deg
distance A B 3
turn A
A fire a1 at B spend 2
"""
SURRENDER = """game conflit-stellaire
seat A hull 20
seat B hull 20
A a-e1 energy-cell @100,150 0deg
distance A B 3
turn B
B surrender A
"""
