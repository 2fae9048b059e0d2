# SPDX-License-Identifier: GPL-3.0-or-later
"""Every weight of the evaluation: data only, in the syntax of Python.

A pair is (midgame, endgame), in centipawns; the two are mixed by the pieces left on the board. Boards are drawn from White's
side with rank 8 on top, one for the midgame and one for the endgame, and hold for Black mirrored. Lists "by rank" begin with the
owner's first rank. To try other values, print this file with `coachwhip weights`, change it, and hand it over with `--weights` or
the option WeightsFile.
"""

# --- Material ---

# pawn, knight, bishop, rook, queen
MATERIAL = [ ( 68, 117),  (327, 467),  (352, 481),  (415, 761), (919, 1377)]
# both a light-squared and a dark-squared bishop
BISHOP_PAIR = ( 32,  62)

# --- Piece-square tables: what a piece gains by standing on a square, beside its material ---

PAWN_SQUARES_MG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 21,  26,  31,  36,  36,  32,  26,  21],
    [ 10,  12,  20,  28,  29,  22,  13,  10],
    [  3,   2,   5,  17,  19,   8,   3,   5],
    [ -5,  -6,   0,   3,   8,   1,  -3,  -4],
    [-17, -12, -11,  -9, -10,  -8, -11, -18],
    [ -8,  -4,  -5, -13, -12,  -5,  -3, -11],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
PAWN_SQUARES_EG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 28,  27,  25,  24,  25,  25,  27,  28],
    [ 21,  18,  15,  12,  13,  16,  19,  22],
    [ 14,   8,   3,  -1,   0,   4,   8,  13],
    [  2,   1,  -5, -12, -10,  -3,   1,   2],
    [ -5,  -2,  -3,  -7,  -7,  -4,  -4,  -5],
    [  0,   2,   4,   0,   1,   4,   1,  -1],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
KNIGHT_SQUARES_MG = [
    [-89, -46, -34, -22, -22, -34, -46, -89],
    [-25, -13,  -1,  11,  11,  -1, -13, -25],
    [ -6,   7,  17,  30,  30,  18,   7,  -5],
    [  5,  15,  28,  29,  27,  29,  18,   6],
    [  6,  16,  25,  22,  22,  27,  18,   8],
    [-17,  -7,   1,  12,  13,   1,  -2, -14],
    [-26, -16,  -9,  -4,  -3,  -8, -15, -25],
    [-83, -40, -33, -23, -23, -33, -41, -83],
]
KNIGHT_SQUARES_EG = [
    [-54, -28, -18,  -8,  -8, -18, -28, -54],
    [-28, -18,  -8,   3,   3,  -8, -18, -28],
    [-18,  -8,   2,  12,  12,   2,  -8, -18],
    [ -9,   1,  11,  19,  19,  11,   1,  -9],
    [-10,   0,   9,  17,  18,   9,   0,  -9],
    [-21, -11,  -3,   9,   9,  -3, -11, -20],
    [-31, -21, -13,  -3,  -3, -12, -21, -30],
    [-56, -32, -22, -12, -12, -22, -31, -56],
]
BISHOP_SQUARES_MG = [
    [-16, -12,  -8,  -4,  -4,  -8, -12, -16],
    [ -3,   0,   4,   8,   9,   5,   0,  -4],
    [  1,   4,   7,  11,  12,   8,   5,   2],
    [  4,   7,  11,  12,  13,  12,  10,   4],
    [  6,   9,  11,  12,  11,  12,   9,   7],
    [  4,   9,   4,   9,   8,   4,   8,   5],
    [ -3,   1,   8,  -1,  -3,   4,   5,  -3],
    [-13,  -8,   1,  -5,  -6,  -5, -10, -14],
]
BISHOP_SQUARES_EG = [
    [-11,  -7,  -3,   1,   1,  -3,  -7, -11],
    [ -6,  -2,   2,   6,   5,   2,  -2,  -7],
    [ -2,   2,   5,   8,   9,   5,   2,  -2],
    [  0,   5,   9,  12,  11,   9,   5,   0],
    [  0,   4,   9,  12,  11,   8,   4,   0],
    [ -3,   0,   2,   8,   8,   2,   0,  -3],
    [ -9,  -7,  -1,   3,   3,  -2,  -7,  -9],
    [-13,  -9,  -4,   0,   0,  -4,  -9, -13],
]
ROOK_SQUARES_MG = [
    [ -8,  -3,   2,   7,   7,   2,  -3,  -8],
    [  3,   7,  12,  17,  17,  12,   8,   3],
    [ -5,   0,   4,  10,  10,   5,   0,  -5],
    [ -5,   0,   5,  11,  11,   5,   0,  -5],
    [ -8,  -2,   2,   7,   8,   2,  -2,  -8],
    [-16,  -9,  -5,   0,   1,  -4,  -7, -14],
    [-24, -15, -11,  -7,  -6,  -9, -14, -23],
    [-30, -17, -14, -10, -11, -12, -14, -28],
]
ROOK_SQUARES_EG = [
    [  6,   6,   6,   5,   6,   6,   6,   6],
    [ 13,  13,  12,  11,  11,  12,  13,  13],
    [  8,   9,   8,   7,   7,   8,   8,   8],
    [  9,   8,   9,   8,   8,   8,   8,   9],
    [  7,   6,   6,   6,   6,   6,   6,   7],
    [ -4,  -4,  -5,  -6,  -6,  -4,  -4,  -4],
    [ -8,  -8,  -8, -11, -11,  -8,  -7,  -7],
    [ -9,  -9, -11, -17, -18, -12,  -9,  -9],
]
QUEEN_SQUARES_MG = [
    [-10,  -8, -10,  -8,  -8, -10,  -8, -10],
    [ -1,  -1,  -2,   0,   0,  -2,   0,  -1],
    [  2,   3,   1,   2,   2,   1,   3,   3],
    [  6,   6,   3,   3,   3,   3,   7,   7],
    [  3,   5,   5,   4,   5,   6,   8,   6],
    [  0,   0,   4,   4,   4,   4,   3,   2],
    [ -3,  -1,   0,   4,   4,  -2,  -2,  -3],
    [ -4,  -3,  -4,  -4,  -3,  -6,  -4,  -5],
]
QUEEN_SQUARES_EG = [
    [-24, -15,  -7,   0,   0,  -7, -15, -23],
    [-15,  -7,   1,   9,   9,   1,  -7, -14],
    [ -6,   2,   9,  17,  17,  10,   2,  -6],
    [  2,  10,  17,  25,  25,  18,  10,   2],
    [  1,   9,  16,  24,  23,  16,   9,   2],
    [ -8,   0,   7,  14,  14,   7,   0,  -7],
    [-17,  -9,  -3,   6,   5,  -3, -10, -17],
    [-25, -18, -10,  -3,  -3, -11, -18, -25],
]
KING_SQUARES_MG = [
    [ -68,  -66,  -90, -108, -108,  -94,  -64,  -66],
    [ -63,  -61,  -85, -103, -103,  -89,  -59,  -61],
    [ -58,  -56,  -80,  -98,  -98,  -83,  -54,  -55],
    [ -47,  -46,  -69,  -88,  -88,  -74,  -43,  -45],
    [ -32,  -30,  -54,  -72,  -73,  -58,  -28,  -30],
    [ -11,  -10,  -34,  -52,  -52,  -39,   -8,   -8],
    [   7,   16,   -7,  -26,  -27,  -15,   16,   12],
    [  21,   34,   15,  -11,  -11,   -5,   20,   19],
]
KING_SQUARES_EG = [
    [-50, -35, -21,  -7,  -7, -21, -35, -50],
    [-35, -21,  -7,   7,   7,  -7, -21, -35],
    [-15,  -1,  13,  27,  27,  13,  -1, -15],
    [ -1,  13,  27,  41,  41,  27,  13,  -1],
    [ -1,  13,  27,  41,  41,  27,  12,  -2],
    [-21,  -7,   7,  21,  21,   7,  -8, -22],
    [-36, -22,  -9,   4,   5,  -9, -23, -38],
    [-52, -37, -22, -11, -13, -28, -42, -59],
]

# --- Mobility: by the number of squares a piece attacks, less those attacked by enemy pawns, the own king's square,
# --- and own pawns that are blocked or on the second or third rank ---

KNIGHT_MOBILITY = [(-41, -61), (-23, -36), (-15, -22), ( -8, -10), ( -2,   0), (  3,   8), (  9,  15), ( 14,  19), ( 20,  22)]
BISHOP_MOBILITY = [
    (-38, -63), (-14, -32), ( -2, -17), (  7,  -3), ( 13,   9), ( 20,  18), ( 24,  26),
    ( 28,  32), ( 31,  36), ( 35,  40), ( 40,  44), ( 44,  48), ( 50,  51), ( 55,  54),
]
ROOK_MOBILITY = [
    (-41, -74), (-24, -34), (-14, -14), ( -8,   3), ( -5,  17),
    ( -3,  30), ( -1,  39), (  4,  48), ( 10,  56), ( 15,  62),
    ( 18,  69), ( 22,  75), ( 25,  80), ( 29,  86), ( 32,  90),
]
QUEEN_MOBILITY = [
    (-27, -50), (-15, -25), (-10, -13), ( -6,  -3), ( -1,   5), (  3,  12), (  6,  19),
    ( 10,  26), ( 14,  33), ( 17,  39), ( 20,  45), ( 22,  51), ( 23,  55), ( 23,  61),
    ( 23,  64), ( 24,  69), ( 26,  72), ( 28,  76), ( 30,  79), ( 32,  82), ( 33,  85),
    ( 36,  88), ( 39,  91), ( 41,  94), ( 44,  98), ( 46, 102), ( 48, 106), ( 50, 109),
]

# --- Pawn structure ---

# a pawn with another one of its side ahead on the file
PAWN_DOUBLED = (-13, -13)
# no pawn of its side on the files beside it; with an enemy pawn ahead on its file, without
PAWN_ISOLATED = [(  5,  -8), ( -7, -13)]
# all neighbours are further ahead and it cannot advance safely; with an enemy pawn ahead on its file, without
PAWN_BACKWARD = [( -6, -12), (-20, -15)]
# a pawn of its side beside it, by rank
PAWN_PHALANX = [(  0,   0), (  5,  -2), ( 11,   5), ( 13,  12), ( 21,  32), ( 47,  52), ( 70,  80), (  0,   0)]
# per pawn that defends it, by rank
PAWN_SUPPORTED = [(  0,   0), (  0,   0), ( 16,  13), ( 12,   7), ( 20,  24), ( 40,  45), ( 63,  62), (  0,   0)]
# not passed, but with a free file and enough neighbours to help it past the enemy's, by rank
PAWN_CANDIDATE = [(  0,   0), ( -3,  -4), (-10,   2), ( -5,  11), ( -2,  31), ( 30,  52), (  0,   0), (  0,   0)]
# no enemy pawn can stop or take it and no own pawn is in its way, by rank
PASSED_PAWN = [(  0,   0), (-21,  19), (-25,   9), (-11,  19), ( 10,  48), ( 52,  91), (104, 168), (  0,   0)]

# --- Passed pawns and the pieces ---

# by the distance of the own king to the square ahead of the pawn; counts once on the fourth rank, twice on the fifth and so on
PASSED_OWN_KING = [(  5,  37), (  3,  32), (  1,  23), ( -2,  12), ( -4,   3), ( -5,  -1), ( -5,  -3), ( -5,  -3)]
# the same for the enemy's king
PASSED_ENEMY_KING = [(-18,  -8), ( -9,  -7), ( -3,   2), ( -1,  11), (  1,  19), (  4,  26), (  7,  31), (  9,  33)]
# an enemy piece stands right ahead of it, by rank
PASSED_BLOCKED = [(  0,   0), ( -4,  -3), ( -2,  -7), (  5,  -6), (  2, -20), ( -4, -38), (-24, -70), (  0,   0)]
# the square ahead is empty and not attacked, by rank
PASSED_SAFE_STEP = [(  0,   0), ( -1,   8), ( -1,  10), (  0,   8), (  5,  11), (  9,  17), ( 28,  45), (  0,   0)]
# the whole way ahead is empty and not attacked, by rank
PASSED_FREE_PATH = [(  0,   0), (  1,   4), (  0,   4), (  2,  11), (  9,  17), ( 18,  36), ( 43,  70), (  0,   0)]
# the square ahead is empty and defended, by rank
PASSED_DEFENDED_STEP = [(  0,   0), (  5,  11), (  4,   7), (  9,  11), ( 15,  22), ( 20,  28), ( 29,  37), (  0,   0)]
# a rook or queen behind it on the file: its own, the enemy's
PASSED_ROOK_BEHIND = [(  7,  26), (-13, -29)]
# the enemy has only pawns left and his king cannot catch it
PASSED_UNSTOPPABLE = ( -2, 325)

# --- Knights and bishops ---

# on the fourth to sixth rank where no enemy pawn can ever attack it; not defended by a pawn, defended
KNIGHT_OUTPOST = [( 21,  13), ( 28,  19)]
BISHOP_OUTPOST = [( 16,   4), ( 30,  19)]
# a pawn of either side stands right ahead of the piece
MINOR_BEHIND_PAWN = ( 12,  21)
# per king move between the piece and its king
KNIGHT_KING_DISTANCE = ( -6,   3)
BISHOP_KING_DISTANCE = ( -1,  -1)
# per pawn of its own on squares of the bishop's colour
BISHOP_OWN_PAWNS = (-11,  -6)
# only pawns can hide both centre squares of a long diagonal from it, and none does
BISHOP_LONG_DIAGONAL = (  8,   0)

# --- Rooks ---

# no pawn on its file; no pawn of its own side
ROOK_OPEN_FILE = ( 26,  12)
ROOK_HALF_OPEN_FILE = ( 16,  -2)
# on the seventh rank, with the enemy king on the eighth or enemy pawns on the seventh
ROOK_SEVENTH = ( -4,  13)

# --- King ---

# per castling right
CASTLING_RIGHT = ( 30,  -2)
# for the king's file and those beside it: the rank of the nearest own pawn not behind the king, 0 if there is none;
# one row for each distance of the file from the edge of the board (a and h, b and g, c and f, d and e)
SHELTER = [
    [(-20,   6), ( 16, -26), ( 27, -17), ( 15,  -6), ( 10,   6), (  6,  15), ( -3,   4), (  0,   0)],
    [(-33,   3), ( 36,   0), ( 10,  -7), ( -4,   1), ( -6,   5), (-14,   6), (-14,   0), (  0,   0)],
    [(-13,  -2), ( 24,   4), ( -7,  -4), (  1,  -5), (-14,  -5), ( 20,   8), ( -5,   4), (  0,   0)],
    [(-15,  10), ( -8,  -3), (  5,   2), (-11,   8), ( -7,  -2), (-13,  -8), (-21,   2), (  0,   0)],
]
# the same for the nearest enemy pawn
STORM = [
    [(-23,  11), (-17,   2), (-49,  -3), (-62,  -7), (-26,   2), ( -4,   2), ( -9,  -4), (  0,   0)],
    [(-14,  17), (  3,   0), (-53,   0), (-29,  12), (-25,   2), (  8,   6), (  9,  -4), (  0,   0)],
    [( 10,  10), ( -4,   4), (-58,  -4), (-48,  13), ( 10,   2), (  6,   5), ( 18,  -7), (  0,   0)],
    [(-12,   4), ( -5,  -3), (-47,   5), (-28,   0), (-12,  -7), (  8,  -2), (-14,   0), (  0,   0)],
]
# instead of the above, where a pawn of the king's side blocks that enemy pawn; by rank
STORM_BLOCKED = [(  0,   0), (  0,   0), (-38, -40), (-15,  -9), ( -5,  -6), (  9,   0), ( 16,  14), (  0,   0)]

# --- King attack: danger units add up to a level, DANGER_STEP units each; the level gives the attacker a weight ---

# per piece that attacks the ring around the king: knight, bishop, rook, queen
DANGER_ATTACKER = [36, 22, 20, 14]
# per attack on a square next to the king
DANGER_RING = 16
# per square of the ring that we attack and only king or queen defend
DANGER_WEAK = 21
# per square from which a piece can safely give check, two at most: knight, bishop, rook, queen
DANGER_CHECK = [56, 29, 54, 47]
# per file at the king without a pawn of its side in front
DANGER_HOLE = 17
# per piece pinned to the king
DANGER_PINNED = 12
# a knight guards the king's ring
DANGER_GUARD = -11
# the attacker has no queen
DANGER_QUEENLESS = -103
# what every attack starts from
DANGER_BASE = -8
# what an attack of each level is worth to the attacker
KING_DANGER = [
    (  7,   0), (  7,   1), (  7,   2), (  7,   4), (  8,   5), ( 12,   8), ( 15,  10), ( 19,  11),
    ( 24,  13), ( 30,  15), ( 36,  17), ( 43,  19), ( 50,  20), ( 58,  22), ( 66,  23), ( 74,  25),
    ( 84,  27), ( 92,  28), (103,  30), (114,  31), (125,  33), (137,  35), (150,  35), (162,  37),
    (175,  38), (190,  40), (204,  42), (220,  43), (236,  45), (251,  46), (268,  48), (286,  50),
    (304,  51), (322,  53), (342,  54), (360,  56), (381,  58), (402,  59), (423,  61), (445,  62),
    (468,  64), (480,  66), (492,  67), (504,  69), (516,  70), (528,  72), (540,  74), (552,  75),
]

# --- Threats against enemy pieces; lists by victim: pawn, knight, bishop, rook, queen ---

# by a pawn that is not itself lost
THREAT_BY_PAWN = [(  0,   0), ( 52,  33), ( 48,  43), ( 74,  41), ( 60,  37)]
# by a knight or bishop; pawns only if weakly defended
THREAT_BY_MINOR = [(  2,  20), ( 29,  31), ( 36,  24), ( 41,  42), ( 41,  51)]
# by a rook; pieces under a queen only if weakly defended
THREAT_BY_ROOK = [(  2,  29), ( 26,  28), ( 33,  26), (  1,  19), ( 52,  26)]
# the king attacks something weakly defended
THREAT_BY_KING = ( 15,  42)
# per piece or pawn attacked and not defended, or a piece attacked more than once and not by enough defenders
THREAT_HANGING = (  4,  20)
# per piece that a safe pawn push would attack
THREAT_BY_PUSH = ( 13,  15)
# per square the enemy attacks and defends weakly, attacked by us
RESTRICTED = (  5,  -4)

# --- Centre, space, tempo ---

# per square of d4, e4, d5, e5 attacked
CENTRE_CONTROL = ( -3,   2)
# per square on the four middle files and the second to fourth rank without own pawns and enemy pawn attacks
SPACE = (  8,  -6)
# the side to move
TEMPO = ( 29,  23)

# --- The side whose enemy has nothing but the king ---

# by the distance of that king from the edge
LONE_KING_EDGE = [(  0,  60), (  0,  35), (  0,  15), (  0,   0)]
# by the distance between the kings
LONE_KING_DISTANCE = [(  0,   0), (  0,  50), (  0,  50), (  0,  38), (  0,  26), (  0,  16), (  0,   8), (  0,   0)]
# bishop and knight: by the distance of that king from the nearer corner of the bishop's colour
LONE_KING_CORNER = [(  0, 160), (  0, 130), (  0, 105), (  0,  80), (  0,  55), (  0,  30), (  0,  10), (  0,   0)]

# --- Scale of the endgame half of the score, in 1/128 (128: all of it, 0: a draw) ---

# by the number of pawns of the stronger side
SCALE_PAWNS = [ 55, 101, 120, 128, 128, 128, 128, 128, 128]
# bishops of opposite colours and otherwise only pawns, by the number of pawns of the stronger side
SCALE_OPPOSITE_BISHOPS = [ 8, 24, 32, 38, 44, 58, 67, 74, 76]
# bishops of opposite colours with other pieces
SCALE_OPPOSITE_BISHOPS_PIECES = 128
# one rook each, pawns on one wing only, and at most one pawn more
SCALE_ROOK_ENDING = 62
# no pawns and less than a rook
SCALE_LONE_MINOR = 0
# no pawns and at most a minor piece more, against a minor piece or less; against more
SCALE_MINOR_UP = 11
SCALE_MINOR_UP_HEAVY = 22
# two knights against a bare king
SCALE_TWO_KNIGHTS = 0
# pawns on a rook's file, no piece but bishops that cannot cover the promotion square, and the king in that corner
SCALE_WRONG_CORNER = 0
