# SPDX-License-Identifier: GPL-3.0-or-later
"""Every weight of the evaluation: data only, in the syntax of Python.

A pair is (midgame, endgame), in centipawns; the fewer pieces are left on the board, the more the endgame
value counts. A board is drawn from White's side with rank 8 on top, one for the midgame and one for the
endgame; Black uses it mirrored. A list "by rank" begins with the owner's first rank. To try other values,
print this file with `coachwhip weights`, change it, and load it with `--weights` or the option WeightsFile. A
file may hold some of the entries: the others are the shipped ones.

Where the values come from:
fitted by `coachwhip tune` at commit 31c96fa10bee, starting from the weights.py of that commit.
Command: coachwhip tune a.vf b.vf --limit 1500000 --per-game 12 --wdl 0.4 --prior 50 --output own1.py --epochs
  30 --patience 3 --seed 5
1459 numbers fitted, 1286 changed, in 3 epochs.
Loss (cross-entropy) before and after, all files: training 0.483639 and 0.480909, validation 0.480957 and
  0.478351.
- a.vf, sha256 4301aa24992e0c2db89943f78142086fc426c120ff47cc3ed2e065e4d2ba6856: 1326623 positions of weight
  1; 1194485 for training, 132138 for validation, split by games; scale of the evaluation 128.7 centipawns, of
  c8 112.4, edge -1.6. Validation loss 0.481473 and 0.478738, against results alone 0.482697 and 0.479390.
- b.vf, sha256 7b3c075b9eee4a55b8fbe99445d0223e69daca430292fb8daf3b93346a889eee: 1326901 positions of weight
  1; 1195226 for training, 131675 for validation, split by games; scale of the evaluation 128.9 centipawns, of
  c8 112.4, edge -1.9. Validation loss 0.480439 and 0.477962, against results alone 0.482213 and 0.479278.
Both files are games of coachwhip against itself, 400 and 300 nodes a move, with the network residual-512-7.
"""

# --- Material ---

# pawn, knight, bishop, rook, queen
MATERIAL = [ ( 47, 126),  (335, 443),  (340, 429),  (412, 701), (920, 1318)]
# both a light-squared and a dark-squared bishop
BISHOP_PAIR = ( 31,  59)

# --- Piece-square tables: the value of a square for the piece on it, added to the piece's material value ---

PAWN_SQUARES_MG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 33,  34,  35,  40,  37,  28,  30,  20],
    [ 22,  16,  19,  23,  28,  19,  20,  20],
    [  9,  10,  10,  17,  18,  13,  15,  12],
    [ -5, -11,  -3,   8,  10,   5,  -3,  -8],
    [-16, -23, -15, -15, -10,  -9,  -4, -22],
    [-13,  -8, -11, -10, -10,  -5,  15, -10],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
PAWN_SQUARES_EG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 31,  32,  22,  22,  18,  19,  23,  21],
    [ 28,  21,   6,   1,   8,   8,  20,  23],
    [ 22,  10,  -3, -19, -18,   0,   8,  10],
    [ 13,   4, -12, -24, -24,  -7,   0,   3],
    [ 10,   4,  -8,  -6,  -2,  -2,  -4,   2],
    [ 19,  13,  11,  -1,  20,   6,   3,  11],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
KNIGHT_SQUARES_MG = [
    [-108,  -56,  -37,  -23,  -22,  -38,  -47,  -91],
    [ -27,  -14,    9,   14,   21,   13,   -7,  -15],
    [  -4,    5,    7,   21,   28,   25,   15,    5],
    [  18,   18,   18,   36,   20,   30,   17,   18],
    [  11,   12,   20,   17,   20,   25,   19,    3],
    [  -6,   -2,   -4,   -1,    2,   -5,    1,   -6],
    [ -14,  -11,  -18,  -11,  -13,  -12,  -12,  -18],
    [ -63,  -20,  -27,  -22,  -15,  -28,  -33,  -70],
]
KNIGHT_SQUARES_EG = [
    [-37,  -8,   3,  11,  11,  -3, -17, -48],
    [ -6,   4,  12,  21,  18,   5,  -1, -15],
    [  2,   5,  15,  25,  16,   5,   5, -11],
    [ 11,  14,  13,  22,  16,  13,   6,  -3],
    [ -1,   1,  15,  14,  19,   6,   2,  -4],
    [-19, -12,  -7,   2,   2, -15, -19, -23],
    [-29, -22, -19, -16, -17, -18, -23, -30],
    [-55, -36, -24, -16, -23, -22, -36, -57],
]
BISHOP_SQUARES_MG = [
    [ -9, -13, -17, -21, -20, -29, -25, -28],
    [ -1,   1,  -2,  -4,  -3,  -7, -15, -10],
    [  1,   0,  -9,   5,   4,   5,   7,  12],
    [  6,   6,   8,  12,   8,  16,   6,   3],
    [  7,  15,  11,  12,  11,  14,   9,   8],
    [ 24,  28,   9,   6,   7,   0,  16,  14],
    [ 24,  12,  13,  -6,  -5,   0,   9,   9],
    [ 10,   2,  -5, -14,  -7, -27, -15, -10],
]
BISHOP_SQUARES_EG = [
    [ 13,  17,  14,  11,   9,   4,  -1,  -3],
    [ 16,  15,  15,  14,  15,   9,   5,   3],
    [  8,  16,  10,  12,  14,  13,  15,  11],
    [ 10,  14,   9,  14,   6,  16,   8,   2],
    [  4,   6,  14,   5,   5,   6,   4,  -4],
    [ -5,   7,   7,  10,  17,  -5,  -7, -15],
    [ -8, -16,  -7,   1,   2,  -7, -24, -28],
    [-17, -11,  -5,  -2,  -1,  -3, -16, -23],
]
ROOK_SQUARES_MG = [
    [  4,   2,   2,   5,   7,   8,   4,   0],
    [  5,   7,  11,  15,  11,  19,  16,   9],
    [ -4,   3,   6,  10,   9,   9,  11,   7],
    [-13,  -5,  -1,   3,  -1,   8,   5,   6],
    [-23, -10, -10, -14,  -6,  -8,   4,  -4],
    [-28, -17, -20, -16,  -9,  -5,   2, -14],
    [-27, -18, -18, -16, -14,  -3,  -5, -17],
    [-23, -12, -14,  -9,  -3,  -8,  -3,  -9],
]
ROOK_SQUARES_EG = [
    [ 13,  14,  15,  12,   9,  19,  20,  17],
    [ 14,  15,  14,   8,   5,  12,  18,  12],
    [ 25,  20,  22,  11,   9,  11,  11,  12],
    [ 26,  22,  18,  10,   5,  12,   9,  12],
    [ 22,  25,  21,   4,   1,   6,   8,  -1],
    [  9,   9,  10,  -1,  -3,   1,  -7, -19],
    [  7,   3,   0,  -9, -14, -12, -17, -21],
    [  0,  -7,  -1, -12, -20,  -9, -13, -32],
]
QUEEN_SQUARES_MG = [
    [ -7,  -4,   0,  -6,   1,   1,   7,   6],
    [  0,   3,   8,  -1,   6,  12,  19,  20],
    [  4,  10,   3,   1,   4,  15,  14,  22],
    [  3,   2,   4,  -7,  -7,  10,  10,  11],
    [  1,  -3,  -5,  -5,  -6,   5,   6,  12],
    [ 10,   1,  -4,  -5,  -6,  -2,   7,  10],
    [ -3,  -2,  -1,  -4,  -1,  -3,   6,   2],
    [ -7, -14, -10, -10, -13, -19, -10,  -6],
]
QUEEN_SQUARES_EG = [
    [  0,   7,  18,  18,  26,  21,  17,  12],
    [  5,  16,  27,  29,  36,  27,  25,  19],
    [ 11,  24,  33,  38,  42,  34,  27,  22],
    [ 18,  30,  38,  42,  40,  37,  33,  23],
    [  9,  21,  32,  31,  35,  30,  22,  14],
    [  1,   8,  14,  15,  19,  12,   3,  -1],
    [-15, -11, -15, -13,  -9, -13, -13, -19],
    [-31, -24, -24, -34, -30, -31, -29, -32],
]
KING_SQUARES_MG = [
    [ -69,  -65,  -87, -106, -105,  -92,  -62,  -67],
    [ -62,  -59,  -82, -100, -100,  -86,  -59,  -62],
    [ -59,  -54,  -77,  -95,  -95,  -83,  -55,  -56],
    [ -48,  -46,  -70,  -89,  -90,  -77,  -46,  -51],
    [ -34,  -35,  -56,  -72,  -77,  -65,  -33,  -40],
    [ -12,  -16,  -38,  -55,  -55,  -45,  -12,   -6],
    [   8,    6,  -22,  -34,  -37,  -25,   17,   20],
    [  19,   33,   26,  -11,  -19,  -13,   27,   33],
]
KING_SQUARES_EG = [
    [-30,  -6,   5,  21,  20,   8,  -9, -30],
    [-14,  13,  23,  34,  36,  29,  12, -11],
    [  5,  25,  41,  51,  56,  45,  28,  10],
    [  7,  21,  39,  49,  53,  38,  27,   5],
    [ -4,   8,  27,  39,  38,  25,   9, -11],
    [-23,  -7,   6,  27,  21,   7,  -8, -29],
    [-39, -25, -16,   5,   1, -13, -25, -45],
    [-69, -50, -44, -30, -35, -47, -50, -82],
]

# --- Mobility: by the number of squares a piece attacks. Squares that enemy pawns attack, the own king's
# --- square, and own pawns that are blocked or on the second or third rank are not counted ---

KNIGHT_MOBILITY = [(-23, -41), (-28, -28), (-15,  -6), ( -8,   6), ( -3,  11), (  4,  19), (  8,  17), ( 14,  19), ( 14,  12)]
BISHOP_MOBILITY = [
    (-22, -25), ( -8, -17), (  5,  -7), (  8,  13), ( 13,  19), ( 18,  27), ( 19,  31),
    ( 23,  34), ( 25,  35), ( 27,  35), ( 28,  35), ( 37,  30), ( 40,  25), ( 48,  32),
]
ROOK_MOBILITY = [
    (-40, -62), (-12, -20), ( -1,   7), (  2,  27), (  2,  27),
    ( -1,  46), (  3,  48), (  2,  51), (  6,  59), (  7,  64),
    (  7,  70), ( 14,  72), ( 13,  75), ( 15,  78), (  9,  81),
]
QUEEN_MOBILITY = [
    (-15, -34), ( -6, -10), ( -6,  -1), (  9,   2), (  5,   6), ( 11,  17), ( 14,  21),
    ( 15,  41), ( 18,  43), ( 17,  59), ( 20,  71), ( 19,  80), ( 20,  90), ( 21,  90),
    ( 22,  94), ( 19, 103), ( 19, 104), ( 23, 101), ( 21, 100), ( 23,  98), ( 24,  96),
    ( 28,  88), ( 32,  88), ( 28,  83), ( 28,  85), ( 32,  89), ( 33,  92), ( 36,  95),
]

# --- Pawn structure ---

# another own pawn is ahead on its file
PAWN_DOUBLED = ( -6, -11)
# no own pawn is on the adjacent files; two values: with an enemy pawn ahead on its file, and without
PAWN_ISOLATED = [( -3,  -5), ( -5, -12)]
# all own pawns on the adjacent files are further ahead, and it cannot advance safely; the same two values
PAWN_BACKWARD = [(  1,  -8), ( -8, -12)]
# an own pawn is next to it, by rank
PAWN_PHALANX = [(  0,   0), (  6,  -3), ( 10,   3), ( 10,  10), ( 12,  31), ( 38,  57), ( 66,  90), (  0,   0)]
# per own pawn that defends it, by rank
PAWN_SUPPORTED = [(  0,   0), (  0,   0), ( 15,   8), ( 15,   7), ( 18,  14), ( 41,  48), ( 75,  75), (  0,   0)]
# no pawn is ahead on its file, and as many own pawns can support it as enemy pawns can stop it, by rank
PAWN_CANDIDATE = [(  0,   0), (  0,  -6), (  0,  -5), (  2,  18), (  1,  37), ( 12,  63), (  0,   0), (  0,   0)]
# no enemy pawn can block or capture it on its way, and no own pawn is ahead on its file, by rank
PASSED_PAWN = [(  0,   0), ( -5,  15), (-10,  16), (  7,  33), ( 24,  54), ( 38,  92), ( 99, 161), (  0,   0)]
# no pawn defends it, no enemy pawn is ahead on its file, and the enemy has a rook or queen
PAWN_EXPOSED = ( -5, -15)

# --- Passed pawns and the pieces ---

# by the distance of the own king to the square in front of the pawn; counts once on the fourth rank, twice on
# the fifth, ...
PASSED_OWN_KING = [( 13,  47), ( 16,  42), ( 10,  19), ( -3,   6), ( -7,  -2), ( -5,  -8), ( -3,  -9), (-11,  -1)]
# the same for the enemy king
PASSED_ENEMY_KING = [(-12, -12), ( -6, -11), (  6,  -7), ( -4,  11), ( -5,  27), ( -2,  33), (  4,  27), (  6,  27)]
# an enemy piece is on the square in front of it, by rank
PASSED_BLOCKED = [(  0,   0), ( -6,  -5), (-12,   3), (  2,  -2), ( -8, -11), ( -6, -31), (-35, -65), (  0,   0)]
# the square in front is empty and not attacked, by rank
PASSED_SAFE_STEP = [(  0,   0), (  2,  -2), ( -1,  -2), (  3,   4), (  3,  18), ( 19,  43), ( 36,  77), (  0,   0)]
# all squares to promotion are empty and not attacked, by rank
PASSED_FREE_PATH = [(  0,   0), (-49,  25), (-53,  22), (-48,  35), (-30,  47), (  1,  93), ( 35, 138), (  0,   0)]
# the square in front is empty and defended, by rank
PASSED_DEFENDED_STEP = [(  0,   0), (  0,  10), (  0,  12), ( 13,  12), ( 17,  12), ( 37,  38), ( 73,  72), (  0,   0)]
# a rook or queen is behind it on the file; two values: an own one, an enemy one
PASSED_ROOK_BEHIND = [(  4,  33), ( -7, -40)]
# the enemy has only pawns and a king that cannot catch it
PASSED_UNSTOPPABLE = (-47, 202)

# --- Knights and bishops ---

# on the fourth to sixth rank, where no enemy pawn can ever attack it; two values: not defended by a pawn,
# defended
KNIGHT_OUTPOST = [(  4,  -9), ( 26,   2)]
BISHOP_OUTPOST = [(  7,  -4), ( 30,   5)]
# a knight can move to an outpost that a pawn defends
KNIGHT_NEAR_OUTPOST = ( 18,  15)
# a pawn of either side is on the square in front of the piece
MINOR_BEHIND_PAWN = (  6,  11)
# per knight and own pawn more than five; counts negative for fewer than five
KNIGHT_OWN_PAWNS = (  8,   5)
# per king move from the own king to the piece
KNIGHT_KING_DISTANCE = ( -6,  -4)
BISHOP_KING_DISTANCE = ( -5,  -3)
# per own pawn on a square of the bishop's colour
BISHOP_OWN_PAWNS = ( -2,  -2)
# it stands on a long diagonal and no pawn is between it and the two centre squares there; pieces in between
# do not matter
BISHOP_LONG_DIAGONAL = ( 13,   6)

# --- Rooks and queens ---

# no pawn is on its file
ROOK_OPEN_FILE = ( 22,   9)
# no own pawn is on its file, but an enemy pawn
ROOK_HALF_OPEN_FILE = ( 16,  -3)
# per rook and own pawn more than five; counts negative for fewer than five
ROOK_OWN_PAWNS = (  4,  -5)
# it has very few moves and stands, with an own pawn on its file, between the edge and its king, which cannot
# castle
ROOK_SHUT_IN = (-40, -28)
# on the seventh rank, and the enemy king is on the eighth or an enemy pawn on the seventh
ROOK_SEVENTH = ( -6,  12)
# per enemy rook or bishop that attacks the queen if the one piece between them moves away
QUEEN_EXPOSED = (-21,   2)

# --- King ---

# per castling right
CASTLING_RIGHT = ( 28, -16)
# no pawn on its file
KING_OPEN_FILE = (-30,  -4)
# no pawn within two files of it
KING_PAWNLESS_FLANK = ( 26, -98)
# per square near the enemy king's file, on the enemy's five ranks, that is attacked; counts double if
# attacked twice
FLANK_ATTACK = (  2,   1)
# per square near the own king's file, on the own five ranks, that its own side attacks
FLANK_DEFENCE = (  3,  -1)
# on the king's file and the adjacent ones: by the rank of the nearest own pawn that is not behind the king, 0
# if there is none; a row for each distance of the file from the edge of the board (a and h, b and g, c and f,
# d and e)
SHELTER = [
    [(-13,   6), ( 31, -26), ( 34, -18), ( 10,  -3), (-14,   8), ( -6,  17), ( -9,  29), (  0,   0)],
    [(-15,  13), ( 42, -11), ( 30,  -9), ( -1,  11), (-14,  16), (-19,  15), (-29,  20), (  0,   0)],
    [(-15,  -1), ( 27,   7), (  1,   5), ( -1,  -2), ( -4,   4), (  6,  -4), (  2,  13), (  0,   0)],
    [(-20,  -4), ( -4,  -4), ( -7,  -7), (-16,   3), (-25,  -2), (-43,  -3), (-40,   8), (  0,   0)],
]
# the same for the nearest enemy pawn
STORM = [
    [(-27,  -3), (-13,  17), (-43,  19), (-54,  10), (-20,   3), (-22,   0), (-16,   0), (  0,   0)],
    [(-21,   0), (  1,  10), (-47,  26), (-23,  17), (-18,   6), ( -3,  -1), ( -7,  -3), (  0,   0)],
    [( -4,  -4), ( -2,   1), (-42,  10), (-19,  12), (  1,  -3), (  5,  -6), (  6, -11), (  0,   0)],
    [(-14,   9), (-14,   3), (-44,  19), (-26,   0), (-11,  -3), (  1,  -2), ( -5,   4), (  0,   0)],
]
# instead of STORM if an own pawn blocks that enemy pawn, by rank
STORM_BLOCKED = [(  0,   0), (  0,   0), (-32, -39), ( -5, -14), (  1, -16), ( 10, -22), (  3, -15), (  0,   0)]

# --- King attack: the danger units are added up; DANGER_STEP units make one level, and KING_DANGER has a
# --- value for each level ---

# per piece that attacks the squares around the enemy king: knight, bishop, rook, queen
DANGER_ATTACKER = [28, 16, 19, 11]
# per attack on a square next to the king
DANGER_RING = 13
# per square around the king that the attacker attacks and that nothing, or only the king or queen, defends
DANGER_WEAK = 15
# per square on which a piece can safely give check, at most two squares each: knight, bishop, rook, queen
DANGER_CHECK = [65, 38, 69, 59]
# per file near the king without a pawn of the king's side in front of it
DANGER_HOLE = 16
# per piece pinned to the king
DANGER_PINNED = -1
# a knight of the king's side defends a square around the king
DANGER_GUARD = -12
# the attacker has no queen
DANGER_QUEENLESS = -125
# once for every attack
DANGER_BASE = -17
# the value of an attack for the attacker, by level
KING_DANGER = [
    (  0, -11), ( -2,  -8), (  1,   0), (  3,  -1), (  5,   2), (  9,   3), (  6,   3), ( 11,  10),
    ( 17,   9), ( 28,  17), ( 31,  23), ( 36,  19), ( 47,  17), ( 55,  15), ( 67,  24), ( 81,  25),
    ( 85,  23), ( 94,  21), (108,  26), (117,  27), (127,  30), (140,  30), (155,  26), (164,  26),
    (182,  32), (199,  32), (208,  30), (226,  31), (244,  34), (256,  32), (272,  32), (292,  32),
    (311,  31), (329,  35), (342,  31), (355,  31), (371,  29), (387,  28), (406,  29), (421,  25),
    (439,  23), (449,  29), (465,  29), (477,  32), (487,  33), (497,  33), (507,  33), (517,  31),
]

# --- Threats against enemy pieces; lists by victim: pawn, knight, bishop, rook, queen ---

# by a pawn that is defended or not attacked
THREAT_BY_PAWN = [(  0,   0), ( 77,  45), ( 66,  64), ( 88,  28), ( 69, -10)]
# by a knight or bishop; pawns count only if weakly defended
THREAT_BY_MINOR = [(  3,  17), ( 21,  37), ( 39,  42), ( 64,  28), ( 66,  22)]
# by a rook; all but queens count only if weakly defended
THREAT_BY_ROOK = [(  7,  17), ( 26,  32), ( 36,  32), ( -6,  15), ( 87,  32)]
# the king attacks something weakly defended
THREAT_BY_KING = ( 22,  27)
# per piece or pawn attacked and not defended, or a piece attacked more than once and not by enough defenders
THREAT_HANGING = ( 16,  28)
# per piece that a pawn can attack by a safe advance
THREAT_BY_PUSH = ( 17,  17)
# per safe square from which a bishop or rook can attack the queen
THREAT_ON_QUEEN = ( 19, -17)
# per square that the enemy attacks but defends weakly, and that the own side attacks too
RESTRICTED = (  4,   1)

# --- Centre, space, tempo ---

# per attacked square of d4, e4, d5, e5
CENTRE_CONTROL = ( -2,   2)
# per square on the files c to f and the second to fourth rank that has no own pawn and is not attacked by
# enemy pawns
SPACE = ( -2,  -3)
# for the side to move
TEMPO = ( 20,  17)

# --- Bare king: for the side whose enemy has only the king ---

# by the distance of the bare king from the edge
LONE_KING_EDGE = [(  0,  60), (  0,  35), (  0,  15), (  0,   0)]
# by the distance between the kings
LONE_KING_DISTANCE = [(  0,   0), (  0, 100), (  0, 100), (  0,  75), (  0,  50), (  0,  30), (  0,  15), (  0,   0)]
# with bishop and knight, instead of LONE_KING_EDGE: by the bare king's steps along ranks and files to the
# nearer corner of the bishop's colour
LONE_KING_CORNER = [(  0, 420), (  0, 360), (  0, 300), (  0, 240), (  0, 180), (  0, 120), (  0,  60), (  0,   0)]
# instead of these three, with king and one pawn in a won position: by the pawn's rank
LONE_KING_PAWN = [(  0,   0), (  0, 200), (  0, 210), (  0, 225), (  0, 245), (  0, 270), (  0, 300), (  0,   0)]

# --- Scale of the endgame value of the score, in 1/128 (128: unchanged, 0: a draw) ---

# by the number of pawns of the stronger side
SCALE_PAWNS = [ 42,  77, 103, 115, 119, 128, 128, 128, 128]
# bishops of opposite colours and only pawns besides, by the number of pawns of the stronger side
SCALE_OPPOSITE_BISHOPS = [ 8, 13, 33, 50, 60, 68, 74, 89, 72]
# bishops of opposite colours with other pieces
SCALE_OPPOSITE_BISHOPS_PIECES = 107
# one rook each, all pawns on one wing, and at most one pawn more for the stronger side
SCALE_ROOK_ENDING = 66
# rook and pawn against rook, with the defending king in front of the pawn, on its file or next to it
SCALE_ROOK_AND_PAWN = 37
# bishop and pawn against at most a minor piece, with the defending king in front of the pawn on its file, on
# a square of the other colour than the bishop's
SCALE_BISHOP_AND_PAWN = 49
# king and pawn against king, where it is a draw
SCALE_DRAWN_PAWN = 0
# rook against pawn, by how many moves the king of the rook's side is too late
SCALE_ROOK_AGAINST_PAWN = [128, 122,  80,  28,   6,   0]
# queen against a pawn on the seventh rank that its king supports, on a file where that can draw, with the
# queen's king far away
SCALE_QUEEN_AGAINST_PAWN = 8
# no pawns and less than a rook
SCALE_LONE_MINOR = 0
# no pawns and at most a minor piece more; the enemy has a minor piece or less
SCALE_MINOR_UP = 7
# the same; the enemy has more than a minor piece
SCALE_MINOR_UP_HEAVY = 0
# two knights against a bare king
SCALE_TWO_KNIGHTS = 0
# anything else against a bare king
SCALE_BARE_KING = 128
# all pawns on one rook's file, no piece but bishops that cannot attack the promotion square, and the
# defending king reaches that corner in time; also a rook and such a pawn on the sixth rank against a bishop
# that attacks the square ahead of it
SCALE_WRONG_CORNER = 0

# --- Scale of the whole score, in 1/128 ---

# by tens of plies without a capture or pawn move; not applied against a bare king
RULE50_FADE = [128, 128, 128, 128, 125, 120, 112, 100,  84,  64,  40]

# --- Network ---

# the file of a network that is added to all of the above or takes its place, as the file says: one of
# evaluation/networks, or a path from this file's folder; "": none
NETWORK = "residual-512-10.cwnet"
