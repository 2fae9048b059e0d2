# SPDX-License-Identifier: GPL-3.0-or-later
"""Every weight of the evaluation: data only, in the syntax of Python.

A pair is (midgame, endgame), in centipawns; the two are mixed by the pieces left on the board. Boards are drawn from White's
side with rank 8 on top, one for the midgame and one for the endgame, and hold for Black mirrored. Lists "by rank" begin with the
owner's first rank. To try other values, print this file with `coachwhip weights`, change it, and hand it over with `--weights` or
the option WeightsFile.

Where the values come from: set by hand, then fitted by logistic regression (Texel's tuning, with Adam and a Gaussian prior
around the hand-set values). Data: quiet positions, 368,743 from TCEC games, 93,372 from human games and 379,752 from games of
coachwhip against itself at 2,500 to 3,000 nodes a move; the last tenth of each file is for validation (84,189 in all), 757,678
are for the fit. One of the own positions weighs as much as 15 of the others. Targets: for own games 0.4 result and 0.6 search
score, for TCEC half result and half the score in the game record, for human games the result. The scale was fitted first and
kept: 154 centipawns mean a winning expectation of 1 / (1 + 1/e). Log loss on validation, unweighted, before and after: 0.5335
and 0.5238 against the targets; against results 0.3698 and 0.3627 for own games, 0.6547 and 0.6399 for TCEC, 0.6223 and 0.6137
for human games. TCEC positions of one game can stand on both sides of the split.
"""

# --- Material ---

# pawn, knight, bishop, rook, queen
MATERIAL = [ ( 84, 124),  (323, 393),  (337, 397),  (434, 623), (957, 1125)]
# both a light-squared and a dark-squared bishop
BISHOP_PAIR = ( 27,  57)

# --- Piece-square tables: what a piece gains by standing on a square, beside its material ---

PAWN_SQUARES_MG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 21,  26,  31,  35,  35,  31,  26,  21],
    [  9,  11,  20,  28,  28,  20,  11,   9],
    [  1,   4,   7,  19,  20,   9,   4,   0],
    [ -3,  -3,   6,  11,  13,   5,  -3,  -4],
    [-12,  -7,  -2,  -3,  -1,  -2,  -6, -14],
    [-10,  -2,  -4,  -7,  -6,  -3,   0, -10],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
PAWN_SQUARES_EG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 26,  27,  24,  23,  23,  24,  26,  26],
    [ 19,  16,  14,  12,  12,  13,  16,  19],
    [ 12,   7,   2,  -3,  -1,   2,   7,  10],
    [  4,   3,  -3, -10, -10,  -3,   2,   2],
    [  0,   1,  -3,  -5,  -5,  -2,   0,   0],
    [  3,   4,   1,   0,   2,   4,   4,   3],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
KNIGHT_SQUARES_MG = [
    [-90, -47, -35, -23, -23, -35, -47, -89],
    [-26, -15,  -2,  10,  10,  -2, -15, -26],
    [ -7,   6,  17,  28,  28,  17,   6,  -6],
    [  5,  17,  27,  28,  26,  27,  18,   5],
    [  5,  16,  25,  21,  23,  26,  17,   6],
    [-14,  -5,   2,  12,  12,   3,  -4, -13],
    [-25, -14,  -7,  -1,  -3,  -8, -14, -25],
    [-81, -36, -32, -24, -23, -31, -37, -81],
]
KNIGHT_SQUARES_EG = [
    [-55, -29, -19,  -9,  -9, -19, -29, -54],
    [-29, -19,  -9,   1,   1,  -9, -19, -29],
    [-19,  -9,   1,  10,  10,   1,  -9, -19],
    [ -9,   0,   9,  18,  17,  10,   0, -10],
    [ -9,   0,  10,  16,  16,  10,   1,  -9],
    [-19, -10,  -2,   8,   8,  -1,  -9, -19],
    [-30, -20, -10,   0,  -1, -10, -20, -30],
    [-55, -30, -21, -10, -10, -20, -30, -55],
]
BISHOP_SQUARES_MG = [
    [-18, -13,  -9,  -5,  -5,  -9, -13, -18],
    [ -5,  -2,   2,   6,   6,   2,  -2,  -5],
    [ -1,   3,   7,  10,  10,   8,   4,   0],
    [  3,   7,  13,  14,  14,  12,   7,   3],
    [  5,   9,  14,  16,  16,  15,  10,   5],
    [  5,   7,   7,  10,   9,   5,   8,   5],
    [  1,   7,   3,   1,   1,   2,  10,   2],
    [-12, -10,  -5,  -8,  -9, -12, -11, -12],
]
BISHOP_SQUARES_EG = [
    [-11,  -6,  -3,   1,   1,  -3,  -7, -11],
    [ -7,  -2,   1,   5,   5,   1,  -2,  -7],
    [ -2,   2,   5,   8,   7,   6,   2,  -2],
    [  0,   4,   9,  10,  10,   9,   5,   1],
    [  0,   3,   8,  11,  11,   8,   4,   0],
    [ -5,  -1,   3,   7,   7,   2,  -1,  -4],
    [ -9,  -6,  -1,   3,   3,  -2,  -6,  -9],
    [-12,  -8,  -3,   0,   0,  -4,  -8, -12],
]
ROOK_SQUARES_MG = [
    [ -8,  -4,   1,   5,   5,   1,  -4,  -8],
    [  1,   7,  11,  15,  15,  11,   7,   1],
    [ -8,  -2,   2,   7,   7,   2,  -2,  -8],
    [ -8,  -2,   2,   6,   6,   2,  -2,  -8],
    [ -9,  -4,   1,   4,   4,   0,  -4,  -9],
    [-14,  -9,  -4,   0,   0,  -4,  -8, -14],
    [-19, -12,  -7,  -3,  -3,  -7, -11, -18],
    [-19,  -8,  -7,  -3,  -2,  -7,  -7, -15],
]
ROOK_SQUARES_EG = [
    [  5,   5,   5,   4,   4,   5,   5,   5],
    [ 10,  11,  10,   9,   9,  10,  11,  10],
    [  5,   6,   6,   5,   5,   6,   6,   5],
    [  6,   7,   7,   5,   5,   7,   6,   6],
    [  5,   6,   6,   5,   4,   6,   6,   5],
    [ -3,  -3,  -3,  -5,  -5,  -3,  -3,  -4],
    [ -6,  -5,  -5,  -7,  -8,  -5,  -5,  -6],
    [ -6,  -4,  -6,  -9, -10,  -6,  -4,  -6],
]
QUEEN_SQUARES_MG = [
    [-9, -7, -8, -6, -6, -8, -6, -8],
    [ 0,  1,  0,  1,  1,  0,  2,  1],
    [ 2,  4,  1,  3,  3,  2,  4,  2],
    [ 5,  5,  2,  2,  3,  2,  5,  6],
    [ 3,  4,  3,  4,  4,  4,  5,  4],
    [ 1,  3,  3,  2,  2,  3,  4,  1],
    [-1,  1,  2,  0,  0,  0,  1, -1],
    [-4, -4, -6, -6, -6, -6, -4, -4],
]
QUEEN_SQUARES_EG = [
    [-23, -15,  -7,   1,   1,  -7, -15, -23],
    [-15,  -7,   1,   9,   9,   2,  -7, -15],
    [ -7,   1,   9,  17,  17,   9,   1,  -7],
    [  1,   9,  17,  24,  24,  17,   9,   2],
    [  0,   8,  16,  23,  23,  16,   9,   1],
    [ -8,   0,   8,  15,  15,   8,   1,  -8],
    [-16,  -9,  -1,   6,   6,  -2,  -9, -16],
    [-25, -18, -11,  -5,  -4, -11, -18, -25],
]
KING_SQUARES_MG = [
    [ -68,  -66,  -90, -108, -108,  -94,  -64,  -66],
    [ -63,  -61,  -85, -103, -102,  -88,  -59,  -61],
    [ -58,  -56,  -80,  -98,  -98,  -84,  -54,  -56],
    [ -48,  -46,  -70,  -88,  -88,  -74,  -44,  -46],
    [ -33,  -31,  -55,  -73,  -73,  -59,  -29,  -31],
    [ -12,  -11,  -34,  -52,  -52,  -38,   -8,   -9],
    [   6,   15,   -7,  -26,  -27,  -14,   18,   11],
    [  23,   33,   13,  -10,  -11,   -1,   27,   23],
]
KING_SQUARES_EG = [
    [-49, -35, -20,  -6,  -7, -21, -35, -49],
    [-35, -20,  -6,   8,   8,  -6, -20, -35],
    [-15,   0,  14,  27,  27,  14,   0, -15],
    [ -2,  12,  26,  39,  39,  27,  13,  -3],
    [ -4,  10,  26,  39,  39,  27,  12,  -4],
    [-23,  -8,   6,  22,  22,   9,  -7, -23],
    [-36, -23,  -8,   7,   6,  -7, -21, -37],
    [-52, -39, -25, -11, -14, -28, -39, -57],
]

# --- Mobility: by the number of squares a piece attacks, less those attacked by enemy pawns, the own king's square,
# --- and own pawns that are blocked or on the second or third rank ---

KNIGHT_MOBILITY = [(-33, -54), (-18, -32), (-13, -19), ( -8,  -9), ( -4,  -1), (  1,   6), (  6,  11), (  9,  13), ( 12,  13)]
BISHOP_MOBILITY = [
    (-27, -50), ( -9, -23), ( -1, -11), (  5,   0), ( 10,   9), ( 14,  17), ( 18,  25),
    ( 21,  30), ( 26,  34), ( 30,  37), ( 36,  39), ( 41,  41), ( 48,  42), ( 53,  44),
]
ROOK_MOBILITY = [
    (-25, -66), (-12, -27), ( -5,  -9), ( -2,   7), ( -1,  19),
    ( -1,  30), (  1,  40), (  4,  48), (  7,  55), ( 10,  61),
    ( 12,  66), ( 16,  71), ( 20,  74), ( 25,  78), ( 30,  79),
]
QUEEN_MOBILITY = [
    (-24, -49), (-13, -23), ( -7, -12), ( -3,  -3), (  2,   5), (  6,  12), (  9,  19),
    ( 12,  25), ( 14,  31), ( 16,  37), ( 18,  44), ( 19,  51), ( 22,  56), ( 23,  61),
    ( 23,  65), ( 24,  70), ( 26,  73), ( 28,  76), ( 30,  79), ( 32,  82), ( 33,  85),
    ( 36,  87), ( 38,  90), ( 41,  93), ( 43,  97), ( 46, 101), ( 47, 105), ( 50, 108),
]

# --- Pawn structure ---

# a pawn with another one of its side ahead on the file
PAWN_DOUBLED = (-11, -14)
# no pawn of its side on the files beside it; with an enemy pawn ahead on its file, without
PAWN_ISOLATED = [( -2,  -8), ( -6, -13)]
# all neighbours are further ahead and it cannot advance safely; with an enemy pawn ahead on its file, without
PAWN_BACKWARD = [( -4,  -6), (-13,  -7)]
# a pawn of its side beside it, by rank
PAWN_PHALANX = [(  0,   0), (  5,  -2), (  7,   2), (  9,  11), ( 17,  30), ( 45,  51), ( 71,  84), (  0,   0)]
# per pawn that defends it, by rank
PAWN_SUPPORTED = [(  0,   0), (  0,   0), ( 12,   3), (  8,  -2), ( 18,  12), ( 31,  43), ( 62,  62), (  0,   0)]
# not passed, but with a free file and enough neighbours to help it past the enemy's, by rank
PAWN_CANDIDATE = [(  0,   0), (  6,  -6), ( -4,  -6), (  0,  14), (  4,  29), ( 31,  51), (  0,   0), (  0,   0)]
# no enemy pawn can stop or take it and no own pawn is in its way, by rank
PASSED_PAWN = [(  0,   0), (-13,  10), (-15,   8), ( -4,  19), ( 19,  47), ( 47,  92), (100, 167), (  0,   0)]
# not defended by a pawn and with no enemy pawn ahead, while the enemy has a rook or queen
PAWN_EXPOSED = (  1, -19)

# --- Passed pawns and the pieces ---

# by the distance of the own king to the square ahead of the pawn; counts once on the fourth rank, twice on the fifth and so on
PASSED_OWN_KING = [(  6,  43), (  4,  35), (  1,  21), ( -2,   9), ( -5,   1), ( -6,  -2), ( -6,  -4), ( -5,  -3)]
# the same for the enemy's king
PASSED_ENEMY_KING = [(-10, -13), ( -5, -12), ( -2,  -1), ( -2,  12), ( -1,  22), (  0,  29), (  2,  34), (  4,  36)]
# an enemy piece stands right ahead of it, by rank
PASSED_BLOCKED = [(  0,   0), ( -2,  -6), ( -7,  -6), ( -1, -11), (  2, -19), ( -8, -35), (-30, -76), (  0,   0)]
# the square ahead is empty and not attacked, by rank
PASSED_SAFE_STEP = [(  0,   0), (  1,   7), ( -3,   3), ( -1,   8), ( -2,  14), ( 17,  33), ( 28,  53), (  0,   0)]
# the whole way ahead is empty and not attacked, by rank
PASSED_FREE_PATH = [(  0,   0), (  0,  10), ( -3,   6), ( -4,  11), (  3,  23), ( 23,  48), ( 43,  78), (  0,   0)]
# the square ahead is empty and defended, by rank
PASSED_DEFENDED_STEP = [(  0,   0), (  0,   6), (  2,  13), (  6,  13), ( 10,  14), ( 13,  27), ( 35,  49), (  0,   0)]
# a rook or queen behind it on the file: its own, the enemy's
PASSED_ROOK_BEHIND = [(  9,  21), (-11, -30)]
# the enemy has only pawns left and his king cannot catch it
PASSED_UNSTOPPABLE = ( -3, 305)

# --- Knights and bishops ---

# on the fourth to sixth rank where no enemy pawn can ever attack it; not defended by a pawn, defended
KNIGHT_OUTPOST = [(  9,   0), ( 25,  15)]
BISHOP_OUTPOST = [(  5,   1), ( 28,  13)]
# some knight can go to an outpost that a pawn defends
KNIGHT_NEAR_OUTPOST = ( 12,   8)
# a pawn of either side stands right ahead of the piece
MINOR_BEHIND_PAWN = (  8,  16)
# per knight and own pawn beyond five; negative with fewer
KNIGHT_OWN_PAWNS = (  1,   5)
# per king move between the piece and its king
KNIGHT_KING_DISTANCE = ( -5,   0)
BISHOP_KING_DISTANCE = ( -2,  -2)
# per pawn of its own on squares of the bishop's colour
BISHOP_OWN_PAWNS = ( -7,  -4)
# only pawns can hide both centre squares of a long diagonal from it, and none does
BISHOP_LONG_DIAGONAL = (  8,  -1)

# --- Rooks and queens ---

# no pawn on its file; no pawn of its own side
ROOK_OPEN_FILE = ( 27,   3)
ROOK_HALF_OPEN_FILE = ( 15,   1)
# per rook and own pawn beyond five; negative with fewer
ROOK_OWN_PAWNS = ( -8,   7)
# hardly a square to go to, between its own king, which cannot castle any more, and the edge
ROOK_SHUT_IN = (-29, -16)
# on the seventh rank, with the enemy king on the eighth or enemy pawns on the seventh
ROOK_SEVENTH = (  0,  11)
# per enemy rook or bishop that would attack the queen if one piece moved away
QUEEN_EXPOSED = (-15,   1)

# --- King ---

# per castling right
CASTLING_RIGHT = ( 20,  -9)
# no pawn on its file
KING_OPEN_FILE = (-24,  -4)
# no pawn within two files of it
KING_PAWNLESS_FLANK = ( -8, -42)
# per square on the enemy's five ranks near his king's file that is attacked, and again if attacked twice
FLANK_ATTACK = (  2,   0)
# per square on the own five ranks near the king's file that is attacked by its own side
FLANK_DEFENCE = (  2,  -2)
# for the king's file and those beside it: the rank of the nearest own pawn not behind the king, 0 if there is none;
# one row for each distance of the file from the edge of the board (a and h, b and g, c and f, d and e)
SHELTER = [
    [(-17,   9), ( 22, -19), ( 31, -14), ( 13,  -4), (  2,  -1), (  4,   1), ( -2,   9), (  0,   0)],
    [(-28,   6), ( 39,  -2), ( 18,  -3), ( -7,   4), (-11,   5), (-13,   1), (-17,   9), (  0,   0)],
    [( -7,   0), ( 24,   9), ( -3,   0), (  4,  -6), ( -8,  -1), (  2,  -6), ( -7,   5), (  0,   0)],
    [(-16,   0), ( -2,  -1), ( -3,  -1), (-13,   4), ( -8,  -6), (-14,  -2), (-24,   4), (  0,   0)],
]
# the same for the nearest enemy pawn
STORM = [
    [(-16,   3), (-20,  10), (-48,   6), (-52,  -6), (-13,  -1), ( -9,  -3), (-13,  -4), (  0,   0)],
    [(-13,   6), (  2,   2), (-55,  15), (-34,  11), (-18,  -3), ( -3,   5), ( -8,  -3), (  0,   0)],
    [( -4,   7), ( -5,   4), (-49,   1), (-39,   8), (  2,  -1), ( -4,   1), (  8, -10), (  0,   0)],
    [( -9,   4), ( -1,  -3), (-40,  13), (-29,   1), ( -7,  -2), (  3,  -3), ( -8,   3), (  0,   0)],
]
# instead of the above, where a pawn of the king's side blocks that enemy pawn; by rank
STORM_BLOCKED = [(  0,   0), (  0,   0), (-32, -23), ( -7,  -6), (  2, -14), (  7,  -5), (  8,   5), (  0,   0)]

# --- King attack: danger units add up to a level, DANGER_STEP units each; the level gives the attacker a weight ---

# per piece that attacks the ring around the king: knight, bishop, rook, queen
DANGER_ATTACKER = [29, 16, 16, 14]
# per attack on a square next to the king
DANGER_RING = 12
# per square of the ring that we attack and only king or queen defend
DANGER_WEAK = 18
# per square from which a piece can safely give check, two at most: knight, bishop, rook, queen
DANGER_CHECK = [58, 33, 60, 57]
# per file at the king without a pawn of its side in front
DANGER_HOLE = 11
# per piece pinned to the king
DANGER_PINNED = 11
# a knight guards the king's ring
DANGER_GUARD = -12
# the attacker has no queen
DANGER_QUEENLESS = -105
# what every attack starts from
DANGER_BASE = -14
# what an attack of each level is worth to the attacker
KING_DANGER = [
    (  0,   0), (  0,   0), (  0,   1), (  2,   3), (  5,   5), (  9,   7), ( 12,  10), ( 17,  11),
    ( 22,  13), ( 28,  14), ( 35,  16), ( 41,  18), ( 49,  19), ( 57,  21), ( 65,  22), ( 73,  24),
    ( 84,  26), ( 93,  27), (104,  29), (114,  30), (125,  32), (137,  34), (150,  35), (162,  37),
    (175,  38), (190,  40), (203,  42), (219,  42), (235,  44), (250,  45), (267,  47), (285,  49),
    (303,  50), (321,  52), (341,  53), (360,  55), (381,  57), (402,  58), (423,  60), (445,  61),
    (468,  63), (480,  66), (492,  67), (504,  69), (515,  70), (527,  72), (539,  74), (551,  74),
]

# --- Threats against enemy pieces; lists by victim: pawn, knight, bishop, rook, queen ---

# by a pawn that is not itself lost
THREAT_BY_PAWN = [(  0,   0), ( 64,  39), ( 57,  45), ( 71,  39), ( 62,  37)]
# by a knight or bishop; pawns only if weakly defended
THREAT_BY_MINOR = [(  3,  18), ( 24,  33), ( 39,  31), ( 51,  37), ( 51,  49)]
# by a rook; pieces under a queen only if weakly defended
THREAT_BY_ROOK = [(  5,  21), ( 20,  28), ( 29,  24), (  2,  19), ( 48,  28)]
# the king attacks something weakly defended
THREAT_BY_KING = ( 12,  39)
# per piece or pawn attacked and not defended, or a piece attacked more than once and not by enough defenders
THREAT_HANGING = ( 13,  26)
# per piece that a safe pawn push would attack
THREAT_BY_PUSH = ( 14,  15)
# per safe square from which a bishop or rook could attack the queen
THREAT_ON_QUEEN = ( 15,  -3)
# per square the enemy attacks and defends weakly, attacked by us
RESTRICTED = (  4,  -3)

# --- Centre, space, tempo ---

# per square of d4, e4, d5, e5 attacked
CENTRE_CONTROL = ( -4,   0)
# per square on the four middle files and the second to fourth rank without own pawns and enemy pawn attacks
SPACE = (  0,  -3)
# the side to move
TEMPO = ( 26,  20)

# --- The side whose enemy has nothing but the king ---

# by the distance of that king from the edge
LONE_KING_EDGE = [(  0,  60), (  0,  35), (  0,  15), (  0,   0)]
# by the distance between the kings
LONE_KING_DISTANCE = [(  0,   0), (  0, 100), (  0, 100), (  0,  75), (  0,  50), (  0,  30), (  0,  15), (  0,   0)]
# bishop and knight, instead of the edge: by that king's steps along files and ranks to the nearer corner of the bishop's colour
LONE_KING_CORNER = [(  0, 420), (  0, 360), (  0, 300), (  0, 240), (  0, 180), (  0, 120), (  0,  60), (  0,   0)]
# instead of all that, king and one pawn where they win: by the pawn's rank
LONE_KING_PAWN = [(  0,   0), (  0, 200), (  0, 210), (  0, 225), (  0, 245), (  0, 270), (  0, 300), (  0,   0)]

# --- Scale of the endgame half of the score, in 1/128 (128: all of it, 0: a draw) ---

# by the number of pawns of the stronger side
SCALE_PAWNS = [ 51,  99, 126, 128, 128, 128, 128, 128, 128]
# bishops of opposite colours and otherwise only pawns, by the number of pawns of the stronger side
SCALE_OPPOSITE_BISHOPS = [ 8, 12, 30, 43, 58, 70, 70, 72, 76]
# bishops of opposite colours with other pieces
SCALE_OPPOSITE_BISHOPS_PIECES = 113
# one rook each, pawns on one wing only, and at most one pawn more
SCALE_ROOK_ENDING = 70
# the last pawn, with a rook against a rook, where the defending king stands ahead on its file or next to that
SCALE_ROOK_AND_PAWN = 60
# with a bishop against at most a minor piece, where that king stands ahead on its file and the bishop cannot attack it
SCALE_BISHOP_AND_PAWN = 4
# with nothing else, where it does not win
SCALE_DRAWN_PAWN = 0
# a rook against a pawn: by how many moves the rook's king comes too late
SCALE_ROOK_AGAINST_PAWN = [128, 122,  80,  28,   6,   0]
# a queen, its king far off, against a pawn on the seventh and its king: on the files where that can draw
SCALE_QUEEN_AGAINST_PAWN = 24
# no pawns and less than a rook
SCALE_LONE_MINOR = 0
# no pawns and at most a minor piece more, against a minor piece or less; against more
SCALE_MINOR_UP = 4
SCALE_MINOR_UP_HEAVY = 2
# two knights against a bare king
SCALE_TWO_KNIGHTS = 0
# otherwise against a bare king
SCALE_BARE_KING = 128
# pawns on a rook's file, no piece but bishops that cannot cover the promotion square, and the king in that corner
SCALE_WRONG_CORNER = 0

# --- Scale of the whole score, in 1/128 ---

# by the plies without a capture or pawn move, in tens; not against a bare king
RULE50_FADE = [128, 128, 128, 128, 125, 120, 112, 100,  84,  64,  40]
