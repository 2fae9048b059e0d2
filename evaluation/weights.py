# SPDX-License-Identifier: GPL-3.0-or-later
"""Every weight of the evaluation: data only, in the syntax of Python.

A pair is (midgame, endgame), in centipawns; the two are mixed by the pieces left on the board. Boards are drawn from White's
side with rank 8 on top, one for the midgame and one for the endgame, and hold for Black mirrored. Lists "by rank" begin with the
owner's first rank. To try other values, print this file with `coachwhip weights`, change it, and hand it over with `--weights` or
the option WeightsFile.
"""

# --- Material ---

# pawn, knight, bishop, rook, queen
MATERIAL = [ ( 79, 121),  (326, 378),  (345, 388),  (432, 617), (946, 1117)]
# both a light-squared and a dark-squared bishop
BISHOP_PAIR = ( 29,  53)

# --- Piece-square tables: what a piece gains by standing on a square, beside its material ---

PAWN_SQUARES_MG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 21,  26,  30,  35,  35,  30,  26,  21],
    [  8,  10,  20,  28,  28,  20,  11,   8],
    [ -1,   2,   7,  19,  21,   9,   2,  -1],
    [ -7,  -6,   6,  13,  14,   5,  -4,  -7],
    [-11,  -6,  -2,  -1,  -1,  -2,  -5, -12],
    [ -9,  -2,  -4,  -9,  -8,  -4,  -1, -11],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
PAWN_SQUARES_EG = [
    [ 0,  0,  0,  0,  0,  0,  0,  0],
    [26, 26, 25, 24, 24, 25, 26, 26],
    [18, 16, 14, 13, 13, 15, 16, 18],
    [ 9,  6,  3,  1,  1,  4,  7,  9],
    [ 1,  0, -3, -7, -8, -3,  0,  1],
    [-2,  0, -2, -4, -4, -2, -1, -2],
    [ 2,  2,  3,  1,  2,  3,  3,  2],
    [ 0,  0,  0,  0,  0,  0,  0,  0],
]
KNIGHT_SQUARES_MG = [
    [-90, -47, -35, -23, -23, -35, -47, -89],
    [-27, -15,  -3,   9,   9,  -3, -15, -27],
    [ -7,   5,  17,  29,  29,  17,   6,  -7],
    [  5,  17,  28,  29,  28,  28,  18,   5],
    [  4,  16,  26,  25,  25,  27,  17,   6],
    [-15,  -5,   5,  15,  15,   5,  -4, -14],
    [-26, -15,  -6,   0,   1,  -7, -16, -26],
    [-83, -40, -32, -23, -23, -32, -41, -83],
]
KNIGHT_SQUARES_EG = [
    [-55, -29, -19,  -9,  -9, -19, -29, -55],
    [-29, -19,  -9,   1,   1,  -9, -19, -29],
    [-19,  -9,   1,  10,  10,   1,  -9, -19],
    [-10,   0,  10,  19,  18,  10,   0, -10],
    [-10,   0,  10,  17,  17,  10,   0, -10],
    [-20, -10,  -1,   9,   9,  -1, -10, -20],
    [-30, -20, -11,  -1,  -2, -11, -20, -30],
    [-55, -30, -21, -11, -11, -21, -30, -55],
]
BISHOP_SQUARES_MG = [
    [-16, -12,  -8,  -4,  -4,  -8, -12, -16],
    [ -4,   0,   3,   7,   7,   4,   0,  -4],
    [  0,   4,   8,  11,  12,   8,   5,   1],
    [  4,   8,  12,  15,  16,  13,   9,   4],
    [  5,   9,  13,  15,  15,  14,   9,   5],
    [  2,   5,   7,  11,  11,   6,   6,   2],
    [ -3,   5,   4,   1,   1,   3,   8,  -2],
    [-15, -12,  -5,  -7,  -8,  -9, -12, -16],
]
BISHOP_SQUARES_EG = [
    [-11,  -7,  -3,   0,   0,  -4,  -7, -11],
    [ -7,  -3,   1,   4,   4,   1,  -3,  -7],
    [ -3,   1,   5,   8,   8,   5,   1,  -3],
    [  1,   5,   8,  12,  12,   9,   5,   1],
    [  0,   4,   8,  11,  11,   8,   5,   0],
    [ -4,   0,   3,   7,   7,   3,   0,  -4],
    [ -8,  -5,  -1,   3,   2,  -1,  -6,  -8],
    [-12,  -8,  -4,  -1,  -1,  -4,  -8, -12],
]
ROOK_SQUARES_MG = [
    [ -9,  -4,   1,   6,   6,   1,  -4,  -9],
    [  1,   6,  11,  16,  16,  11,   6,   1],
    [ -9,  -3,   2,   7,   7,   2,  -3,  -8],
    [ -9,  -3,   2,   7,   7,   2,  -3,  -8],
    [ -9,  -4,   1,   6,   6,   1,  -4,  -9],
    [-15,  -9,  -4,   1,   1,  -4,  -9, -15],
    [-19, -12,  -7,  -1,  -1,  -7, -11, -19],
    [-21, -10,  -6,   0,  -1,  -6,  -9, -19],
]
ROOK_SQUARES_EG = [
    [ 5,  5,  5,  5,  5,  5,  5,  5],
    [11, 11, 11, 10, 10, 11, 11, 11],
    [ 5,  6,  6,  5,  5,  6,  6,  6],
    [ 5,  6,  6,  5,  5,  6,  6,  5],
    [ 5,  5,  5,  5,  5,  5,  5,  5],
    [-4, -4, -4, -4, -4, -4, -4, -4],
    [-6, -6, -6, -6, -6, -6, -5, -6],
    [-8, -6, -7, -8, -9, -7, -6, -7],
]
QUEEN_SQUARES_MG = [
    [-9, -7, -9, -7, -7, -9, -7, -9],
    [-1,  0, -1,  1,  1, -1,  1,  0],
    [ 1,  3,  1,  3,  3,  1,  3,  2],
    [ 4,  5,  2,  4,  4,  3,  6,  5],
    [ 2,  4,  5,  7,  7,  6,  5,  3],
    [ 0,  1,  3,  5,  5,  3,  3,  0],
    [-3, -1,  2,  2,  2,  1, -1, -2],
    [-5, -4, -4, -4, -3, -4, -4, -5],
]
QUEEN_SQUARES_EG = [
    [-24, -15,  -7,   1,   1,  -7, -15, -23],
    [-15,  -7,   1,   9,   9,   1,  -7, -15],
    [ -7,   1,   9,  17,  17,   9,   1,  -7],
    [  1,   9,  16,  24,  24,  17,   9,   1],
    [  0,   8,  16,  24,  24,  16,   9,   1],
    [ -8,   0,   8,  15,  15,   8,   0,  -8],
    [-16,  -9,  -1,   6,   7,  -1,  -9, -16],
    [-25, -17, -10,  -3,  -2, -10, -17, -25],
]
KING_SQUARES_MG = [
    [ -68,  -66,  -90, -108, -108,  -94,  -64,  -66],
    [ -63,  -61,  -85, -103, -103,  -89,  -59,  -61],
    [ -58,  -56,  -80,  -98,  -98,  -84,  -54,  -56],
    [ -48,  -46,  -70,  -88,  -88,  -74,  -44,  -46],
    [ -33,  -31,  -55,  -73,  -73,  -59,  -29,  -31],
    [ -12,  -10,  -34,  -53,  -53,  -38,   -8,  -10],
    [   5,   16,   -7,  -26,  -26,  -13,   17,    8],
    [  21,   33,   12,   -9,   -9,    1,   29,   21],
]
KING_SQUARES_EG = [
    [-49, -35, -21,  -7,  -7, -21, -35, -49],
    [-35, -21,  -6,   7,   8,  -6, -21, -35],
    [-15,   0,  14,  28,  28,  14,   0, -15],
    [ -1,  13,  27,  40,  41,  27,  13,  -1],
    [ -2,  12,  26,  40,  40,  27,  12,  -2],
    [-23,  -8,   6,  20,  21,   7,  -8, -22],
    [-37, -23,  -9,   5,   4,  -9, -22, -38],
    [-53, -38, -24, -11, -13, -27, -40, -56],
]

# --- Mobility: by the number of squares a piece attacks, less those attacked by enemy pawns, the own king's square,
# --- and own pawns that are blocked or on the second or third rank ---

KNIGHT_MOBILITY = [(-38, -58), (-20, -34), (-13, -20), ( -8, -10), ( -3,  -2), (  2,   6), (  8,  12), ( 12,  15), ( 16,  17)]
BISHOP_MOBILITY = [
    (-37, -54), (-14, -27), ( -4, -14), (  5,  -3), ( 12,   6), ( 18,  14), ( 22,  22),
    ( 26,  28), ( 30,  33), ( 35,  37), ( 39,  42), ( 44,  45), ( 49,  49), ( 54,  53),
]
ROOK_MOBILITY = [
    (-34, -67), (-19, -29), (-11, -11), ( -6,   4), ( -3,  17),
    ( -1,  29), (  2,  38), (  6,  47), ( 10,  54), ( 14,  60),
    ( 17,  66), ( 21,  72), ( 24,  76), ( 28,  82), ( 31,  87),
]
QUEEN_MOBILITY = [
    (-26, -50), (-15, -24), (-10, -12), ( -6,  -2), ( -1,   6), (  3,  13), (  6,  20),
    (  9,  26), ( 12,  32), ( 14,  37), ( 18,  44), ( 20,  49), ( 23,  54), ( 24,  59),
    ( 25,  63), ( 26,  67), ( 28,  71), ( 30,  74), ( 31,  78), ( 33,  82), ( 35,  85),
    ( 37,  88), ( 40,  92), ( 42,  95), ( 44,  99), ( 47, 102), ( 48, 106), ( 50, 110),
]

# --- Pawn structure ---

# a pawn with another one of its side ahead on the file
PAWN_DOUBLED = (-13, -13)
# no pawn of its side on the files beside it; with an enemy pawn ahead on its file, without
PAWN_ISOLATED = [(  1,  -9), ( -8, -17)]
# all neighbours are further ahead and it cannot advance safely; with an enemy pawn ahead on its file, without
PAWN_BACKWARD = [( -5,  -9), (-16, -10)]
# a pawn of its side beside it, by rank
PAWN_PHALANX = [(  0,   0), (  5,  -4), (  8,   0), (  9,  11), ( 17,  28), ( 45,  53), ( 70,  83), (  0,   0)]
# per pawn that defends it, by rank
PAWN_SUPPORTED = [(  0,   0), (  0,   0), ( 10,   6), (  6,   2), ( 17,  19), ( 29,  44), ( 61,  64), (  0,   0)]
# not passed, but with a free file and enough neighbours to help it past the enemy's, by rank
PAWN_CANDIDATE = [(  0,   0), (  2,  -4), ( -6,  -1), (  0,  13), (  4,  28), ( 31,  50), (  0,   0), (  0,   0)]
# no enemy pawn can stop or take it and no own pawn is in its way, by rank
PASSED_PAWN = [(  0,   0), (-11,  11), (-17,  11), ( -6,  20), ( 20,  47), ( 47,  93), (100, 168), (  0,   0)]

# --- Passed pawns and the pieces ---

# by the distance of the own king to the square ahead of the pawn; counts once on the fourth rank, twice on the fifth and so on
PASSED_OWN_KING = [(  5,  42), (  3,  35), (  1,  22), ( -2,  10), ( -4,   1), ( -6,  -2), ( -6,  -4), ( -5,  -2)]
# the same for the enemy's king
PASSED_ENEMY_KING = [( -9, -12), ( -5, -10), ( -3,   1), ( -2,  13), ( -1,  23), (  1,  29), (  2,  33), (  4,  34)]
# an enemy piece stands right ahead of it, by rank
PASSED_BLOCKED = [(  0,   0), ( -3,  -5), ( -3,  -5), ( -1, -10), (  0, -22), ( -6, -41), (-28, -78), (  0,   0)]
# the square ahead is empty and not attacked, by rank
PASSED_SAFE_STEP = [(  0,   0), ( -5,   6), ( -4,   4), (  0,   9), ( -1,  12), ( 13,  30), ( 28,  47), (  0,   0)]
# the whole way ahead is empty and not attacked, by rank
PASSED_FREE_PATH = [(  0,   0), (  1,   7), ( -1,   4), ( -2,  10), (  5,  20), ( 22,  47), ( 43,  72), (  0,   0)]
# the square ahead is empty and defended, by rank
PASSED_DEFENDED_STEP = [(  0,   0), (  0,   3), (  1,  11), (  5,  10), (  7,  14), ( 15,  25), ( 31,  40), (  0,   0)]
# a rook or queen behind it on the file: its own, the enemy's
PASSED_ROOK_BEHIND = [(  5,  18), (-12, -32)]
# the enemy has only pawns left and his king cannot catch it
PASSED_UNSTOPPABLE = ( -2, 326)

# --- Knights and bishops ---

# on the fourth to sixth rank where no enemy pawn can ever attack it; not defended by a pawn, defended
KNIGHT_OUTPOST = [( 14,   7), ( 25,  17)]
BISHOP_OUTPOST = [(  6,   5), ( 28,  15)]
# a pawn of either side stands right ahead of the piece
MINOR_BEHIND_PAWN = (  9,  15)
# per king move between the piece and its king
KNIGHT_KING_DISTANCE = ( -5,   1)
BISHOP_KING_DISTANCE = ( -2,  -1)
# per pawn of its own on squares of the bishop's colour
BISHOP_OWN_PAWNS = ( -9,  -5)
# only pawns can hide both centre squares of a long diagonal from it, and none does
BISHOP_LONG_DIAGONAL = (  7,  -1)

# --- Rooks ---

# no pawn on its file; no pawn of its own side
ROOK_OPEN_FILE = ( 32,   4)
ROOK_HALF_OPEN_FILE = ( 15,   2)
# on the seventh rank, with the enemy king on the eighth or enemy pawns on the seventh
ROOK_SEVENTH = (  2,  15)

# --- King ---

# per castling right
CASTLING_RIGHT = ( 24,  -1)
# for the king's file and those beside it: the rank of the nearest own pawn not behind the king, 0 if there is none;
# one row for each distance of the file from the edge of the board (a and h, b and g, c and f, d and e)
SHELTER = [
    [(-17,   9), ( 20, -19), ( 32, -13), ( 12,  -3), (  6,   3), (  5,   3), ( -4,   4), (  0,   0)],
    [(-32,   5), ( 35,  -1), ( 16,  -6), ( -5,   3), (-14,   7), (-12,   4), (-15,   9), (  0,   0)],
    [( -7,  -5), ( 24,   4), ( -5,  -2), (  3,  -2), ( -5,  -1), (  5,  -1), ( -8,   6), (  0,   0)],
    [(-17,   3), (  4,  -1), (  0,   2), ( -9,   2), ( -8,  -8), (-18,  -6), (-24,   2), (  0,   0)],
]
# the same for the nearest enemy pawn
STORM = [
    [(-13,   1), (-26,   1), (-55,   0), (-53,  -5), (-16,  -1), ( -5,   1), ( -9,  -1), (  0,   0)],
    [(-13,   6), (  3,   4), (-58,   6), (-36,   9), (-21,   2), ( -2,   7), (  0,  -3), (  0,   0)],
    [( -2,   5), ( -2,   3), (-49,  -2), (-43,  11), (  0,   8), ( -3,   1), (  8,  -5), (  0,   0)],
    [(-12,   2), ( -2,  -3), (-42,   6), (-30,   1), ( -5,  -2), (  5,  -2), ( -9,  -2), (  0,   0)],
]
# instead of the above, where a pawn of the king's side blocks that enemy pawn; by rank
STORM_BLOCKED = [(  0,   0), (  0,   0), (-29, -21), ( -6,  -4), (  1, -13), (  8,  -2), (  9,   4), (  0,   0)]

# --- King attack: danger units add up to a level, DANGER_STEP units each; the level gives the attacker a weight ---

# per piece that attacks the ring around the king: knight, bishop, rook, queen
DANGER_ATTACKER = [29, 18, 16, 15]
# per attack on a square next to the king
DANGER_RING = 13
# per square of the ring that we attack and only king or queen defend
DANGER_WEAK = 21
# per square from which a piece can safely give check, two at most: knight, bishop, rook, queen
DANGER_CHECK = [58, 31, 57, 55]
# per file at the king without a pawn of its side in front
DANGER_HOLE = 13
# per piece pinned to the king
DANGER_PINNED = 12
# a knight guards the king's ring
DANGER_GUARD = -11
# the attacker has no queen
DANGER_QUEENLESS = -105
# what every attack starts from
DANGER_BASE = -13
# what an attack of each level is worth to the attacker
KING_DANGER = [
    (  2,   0), (  2,   0), (  3,   2), (  5,   4), (  7,   5), ( 11,   7), ( 14,  10), ( 19,  11),
    ( 24,  13), ( 30,  14), ( 36,  16), ( 42,  18), ( 49,  20), ( 57,  21), ( 65,  22), ( 73,  24),
    ( 83,  26), ( 92,  27), (103,  29), (113,  30), (124,  32), (136,  34), (149,  35), (162,  37),
    (174,  38), (189,  40), (203,  42), (219,  43), (235,  45), (251,  46), (268,  48), (285,  50),
    (303,  51), (321,  53), (341,  54), (360,  56), (381,  58), (402,  59), (423,  61), (445,  62),
    (468,  64), (480,  66), (492,  67), (504,  69), (516,  70), (528,  72), (540,  74), (551,  75),
]

# --- Threats against enemy pieces; lists by victim: pawn, knight, bishop, rook, queen ---

# by a pawn that is not itself lost
THREAT_BY_PAWN = [(  0,   0), ( 61,  35), ( 56,  44), ( 73,  39), ( 65,  38)]
# by a knight or bishop; pawns only if weakly defended
THREAT_BY_MINOR = [(  3,  17), ( 27,  26), ( 38,  28), ( 48,  40), ( 49,  51)]
# by a rook; pieces under a queen only if weakly defended
THREAT_BY_ROOK = [(  7,  23), ( 22,  29), ( 29,  26), (  2,  18), ( 50,  27)]
# the king attacks something weakly defended
THREAT_BY_KING = ( 15,  40)
# per piece or pawn attacked and not defended, or a piece attacked more than once and not by enough defenders
THREAT_HANGING = ( 13,  25)
# per piece that a safe pawn push would attack
THREAT_BY_PUSH = ( 12,  14)
# per square the enemy attacks and defends weakly, attacked by us
RESTRICTED = (  3,  -3)

# --- Centre, space, tempo ---

# per square of d4, e4, d5, e5 attacked
CENTRE_CONTROL = ( -1,   0)
# per square on the four middle files and the second to fourth rank without own pawns and enemy pawn attacks
SPACE = (  2,  -3)
# the side to move
TEMPO = ( 27,  21)

# --- The side whose enemy has nothing but the king ---

# by the distance of that king from the edge
LONE_KING_EDGE = [(  0,  60), (  0,  35), (  0,  15), (  0,   0)]
# by the distance between the kings
LONE_KING_DISTANCE = [(  0,   0), (  0,  50), (  0,  50), (  0,  38), (  0,  26), (  0,  16), (  0,   8), (  0,   0)]
# bishop and knight: by the distance of that king from the nearer corner of the bishop's colour
LONE_KING_CORNER = [(  0, 160), (  0, 130), (  0, 105), (  0,  80), (  0,  55), (  0,  30), (  0,  10), (  0,   0)]

# --- Scale of the endgame half of the score, in 1/128 (128: all of it, 0: a draw) ---

# by the number of pawns of the stronger side
SCALE_PAWNS = [ 52,  99, 123, 128, 128, 128, 128, 128, 128]
# bishops of opposite colours and otherwise only pawns, by the number of pawns of the stronger side
SCALE_OPPOSITE_BISHOPS = [ 8, 18, 32, 52, 55, 65, 65, 72, 76]
# bishops of opposite colours with other pieces
SCALE_OPPOSITE_BISHOPS_PIECES = 115
# one rook each, pawns on one wing only, and at most one pawn more
SCALE_ROOK_ENDING = 73
# no pawns and less than a rook
SCALE_LONE_MINOR = 0
# no pawns and at most a minor piece more, against a minor piece or less; against more
SCALE_MINOR_UP = 9
SCALE_MINOR_UP_HEAVY = 9
# two knights against a bare king
SCALE_TWO_KNIGHTS = 0
# otherwise against a bare king
SCALE_BARE_KING = 128
# pawns on a rook's file, no piece but bishops that cannot cover the promotion square, and the king in that corner
SCALE_WRONG_CORNER = 0
