# SPDX-License-Identifier: GPL-3.0-or-later
"""Every weight of the evaluation: data only, in the syntax of Python.

A pair is (midgame, endgame), in centipawns; the fewer pieces are left on the board, the more the endgame value counts. A board
is drawn from White's side with rank 8 on top, one for the midgame and one for the endgame; Black uses it mirrored. A list "by
rank" begins with the owner's first rank. To try other values, print this file with `coachwhip weights`, change it, and load it
with `--weights` or the option WeightsFile. A file may hold some of the entries: the others are the shipped ones.

Where the values come from:
fitted by `coachwhip tune` on 2026-11-21 at commit 4e6421933746, starting from the weights.py of that commit.
Command: coachwhip tune own.bin tcec-quiet-labeled.epd.xz=0.2 --output tuned.py --epochs 30 --patience 4 --seed 3 --date
  2026-11-21
White's expected points are 1 / (1 + exp(-(score + edge) / scale)); both were fitted to each file before the weights. Targets:
  0.5 times what c8, where it is there, expects, and the rest the game's result.
1459 numbers fitted, 1149 changed, by 5 epochs; the start counts as 2000 positions, a neighbour in a table as 2000; seed 3.
Loss (cross-entropy) before and after, all files: training 0.394340 and 0.392485, validation 0.392413 and 0.391174.
- own.bin, 17059314 bytes, sha256 71a83c9977dcf5af42d315462d9103871f72dd63e9425a316f2502dec56548dc: 601981 positions of weight
  1; 538391 for training, 63590 for validation, none with the same games; scale of the evaluation 116.2 centipawns, of c8 113.7,
  edge -3.5. Validation loss 0.363540 and 0.362292, against results alone 0.369225 and 0.366288.
- tcec-quiet-labeled.epd.xz, 5441916 bytes, sha256 61b09418dbde6be0af182101d63d94fa491c2f3d7e8a182da14aa0afd85f512b: 368743
  positions of weight 0.2; 331950 for training, 36793 for validation, none with the same pawns; scale of the evaluation 206.3
  centipawns, of c8 110.1, edge 34.8. Validation loss 0.641917 and 0.640766, against results alone 0.636747 and 0.635164.
"""

# --- Material ---

# pawn, knight, bishop, rook, queen
MATERIAL = [ ( 65, 126),  (327, 419),  (342, 419),  (427, 656), (961, 1159)]
# both a light-squared and a dark-squared bishop
BISHOP_PAIR = ( 23,  65)

# --- Piece-square tables: the value of a square for the piece on it, added to the piece's material value ---

PAWN_SQUARES_MG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 21,  27,  34,  35,  37,  32,  27,  20],
    [ 10,   8,  21,  28,  30,  22,  15,  11],
    [  3,   0,   6,  18,  19,  10,   9,   3],
    [ -4,  -8,  -1,   7,   7,   5,  -3,  -6],
    [ -7, -11,  -8,  -8,  -6,  -2,  -6, -19],
    [ -7,  -3,  -8,  -2,  -5,  -3,   6, -14],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
PAWN_SQUARES_EG = [
    [  0,   0,   0,   0,   0,   0,   0,   0],
    [ 25,  32,  28,  21,  23,  23,  23,  19],
    [ 26,  17,  16,  11,  13,  10,  16,  15],
    [ 20,   8,  -2,  -9,  -6,   0,   9,   8],
    [ 11,   6,  -4, -10, -17,  -5,   1,   2],
    [  2,   5,  -2,  -9,  -6,  -1,  -1,   0],
    [  7,   7,   2,  -4,   8,   3,   1,   7],
    [  0,   0,   0,   0,   0,   0,   0,   0],
]
KNIGHT_SQUARES_MG = [
    [-91, -45, -34, -22, -23, -35, -46, -86],
    [-24, -12,   2,  12,  13,   0, -15, -24],
    [ -8,   8,  13,  27,  30,  20,   6,  -5],
    [  4,  20,  24,  28,  22,  27,  12,   8],
    [  6,  14,  21,  18,  18,  28,  17,   5],
    [-17,  -8,  -4,  10,  12,   2,  -3,  -9],
    [-24, -13, -10,  -6,  -6,  -8, -14, -29],
    [-78, -29, -32, -23, -25, -29, -33, -82],
]
KNIGHT_SQUARES_EG = [
    [-55, -26, -16,  -7,  -8, -17, -28, -52],
    [-28, -18,  -6,   3,   2,  -8, -17, -27],
    [-17, -10,   0,  15,  15,   3,  -8, -19],
    [ -7,  -1,   8,  18,  16,   9,   1,  -9],
    [-10,  -1,  11,  16,  18,   8,   1,  -8],
    [-21, -13,  -6,   6,   7,  -5, -11, -19],
    [-31, -22, -13,  -3,  -2,  -9, -21, -32],
    [-56, -30, -23, -10, -10, -16, -29, -57],
]
BISHOP_SQUARES_MG = [
    [-15, -13,  -8,  -8,  -6,  -8, -13, -20],
    [ -4,  -3,   0,   5,   6,   2,  -4,  -6],
    [  0,   2,   2,   8,   6,   4,   6,   2],
    [  5,   9,  13,  13,   7,  14,   9,   5],
    [  7,  12,  11,  12,  12,  13,  11,   7],
    [ 16,  11,   5,   9,   7,   0,   7,  11],
    [ 11,   7,   9,   0,  -2,  -5,   9,   4],
    [ -3,  -7,  -5,  -9,  -9, -18, -13, -15],
]
BISHOP_SQUARES_EG = [
    [-10,  -4,   0,   0,   1,   0,  -6, -11],
    [ -4,   0,   3,   6,   7,   1,  -2,  -6],
    [  0,   4,   6,   8,   6,   3,   4,   1],
    [  2,   7,   7,  10,   7,  10,   4,  -1],
    [ -1,   1,   7,   5,  11,   9,   7,   1],
    [ -9,  -3,   3,   8,  11,   1,  -1,  -5],
    [-11, -10,  -4,   5,   2,  -2,  -6, -11],
    [-13,  -9,  -2,   3,   0,   0,  -6, -12],
]
ROOK_SQUARES_MG = [
    [ -9,  -4,  -1,   3,   3,   0,  -5,  -8],
    [ -2,   6,   8,  14,  14,  11,   6,   1],
    [ -8,   0,   6,  10,   7,   3,   1,  -4],
    [ -5,  -1,   3,   8,   6,   6,   0,  -6],
    [-11,  -2,   0,   1,   1,   2,  -2,  -9],
    [-17,  -9,  -8,  -1,  -3,   1,  -2, -11],
    [-24, -14,  -7,  -5,  -7,  -4,  -8, -16],
    [-24, -14,  -5,  -6,  -3,  -6,  -8, -14],
]
ROOK_SQUARES_EG = [
    [  2,   7,   3,   3,   2,   7,   8,   7],
    [ 12,  12,   6,   5,   6,   8,  13,   9],
    [ 10,  10,  12,   8,   5,   6,   8,   7],
    [ 17,  13,  12,   6,   5,  10,   8,   9],
    [ 10,  11,   9,   3,   0,   7,   6,   5],
    [  3,   1,  -1,  -5,  -6,  -3,  -3,  -6],
    [ -3,  -2,  -3, -11, -15,  -8,  -8,  -8],
    [ -1,  -2,  -3, -13, -16, -10,  -8, -10],
]
QUEEN_SQUARES_MG = [
    [ -8,  -9,  -8,  -6,  -4,  -7,  -3,  -3],
    [ -1,  -1,   1,   1,   4,   3,   5,   6],
    [  1,   5,   2,   2,   4,   6,   8,   4],
    [  4,   3,   3,   2,   4,   4,  10,  11],
    [  5,   2,   2,   1,  -1,   2,   4,   9],
    [  4,   3,  -2,  -2,  -2,   3,   2,   2],
    [ -2,  -2,   1,  -4,   1,   0,   0,  -4],
    [ -3,  -9,  -8,  -7, -10, -12, -10,  -7],
]
QUEEN_SQUARES_EG = [
    [-20, -15,  -6,   1,   2,  -6, -13, -20],
    [-14,  -6,   3,  10,  11,   3,  -4, -11],
    [ -5,   3,  11,  18,  18,  11,   2,  -4],
    [  3,  10,  18,  25,  25,  18,  11,   4],
    [ -1,   9,  18,  23,  23,  15,  10,   3],
    [ -6,   1,   9,  14,  15,   8,   1,  -7],
    [-16, -10,  -3,   3,   2,  -5, -10, -17],
    [-26, -18, -10,  -6,  -7, -15, -22, -26],
]
KING_SQUARES_MG = [
    [ -68,  -66,  -89, -107, -107,  -93,  -63,  -67],
    [ -62,  -61,  -84, -102, -102,  -87,  -59,  -61],
    [ -58,  -56,  -79,  -98,  -98,  -84,  -53,  -56],
    [ -47,  -45,  -70,  -88,  -89,  -73,  -43,  -47],
    [ -34,  -32,  -53,  -72,  -74,  -59,  -28,  -33],
    [ -12,  -11,  -33,  -50,  -50,  -36,   -6,   -7],
    [   6,   12,  -13,  -24,  -26,  -18,   21,   17],
    [  17,   31,   14,  -12,  -15,   -8,   24,   24],
]
KING_SQUARES_EG = [
    [-48, -32, -19,  -5,  -7, -19, -36, -53],
    [-34, -15,  -2,  10,   9,  -2, -17, -36],
    [-13,   2,  17,  31,  32,  17,   3, -14],
    [ -2,  12,  27,  41,  44,  30,  14,  -4],
    [ -8,   8,  26,  34,  36,  30,  12,  -6],
    [-24,  -8,   7,  23,  23,  13,  -4, -23],
    [-38, -21, -13,   4,   6,  -5, -22, -36],
    [-58, -43, -34, -16, -16, -34, -40, -64],
]

# --- Mobility: by the number of squares a piece attacks. Squares that enemy pawns attack, the own king's square, and own pawns
# --- that are blocked or on the second or third rank are not counted ---

KNIGHT_MOBILITY = [(-21, -47), (-22, -32), (-14, -16), ( -8,  -7), ( -4,   3), ( -1,  13), (  7,  12), ( 10,  12), (  9,  13)]
BISHOP_MOBILITY = [
    (-19, -38), ( -9, -23), (  2, -13), ( 10,   5), ( 15,  14), ( 14,  22), ( 18,  30),
    ( 21,  31), ( 25,  35), ( 28,  39), ( 33,  40), ( 35,  38), ( 42,  35), ( 50,  42),
]
ROOK_MOBILITY = [
    (-23, -66), (-11, -27), (  2,  -1), ( -2,  15), (  0,  23),
    ( -1,  36), (  3,  45), (  2,  52), (  7,  58), (  9,  62),
    ( 10,  70), ( 14,  71), ( 18,  74), ( 20,  74), ( 23,  77),
]
QUEEN_MOBILITY = [
    (-22, -47), ( -8, -21), ( -4,  -9), (  0,  -2), (  6,   5), (  6,  12), (  8,  18),
    ( 15,  29), ( 16,  33), ( 18,  41), ( 18,  48), ( 20,  55), ( 25,  65), ( 23,  66),
    ( 18,  69), ( 22,  74), ( 27,  78), ( 26,  78), ( 30,  83), ( 31,  84), ( 34,  86),
    ( 35,  85), ( 35,  86), ( 37,  87), ( 39,  92), ( 44,  98), ( 45, 102), ( 48, 106),
]

# --- Pawn structure ---

# another own pawn is ahead on its file
PAWN_DOUBLED = ( -5, -16)
# no own pawn is on the adjacent files; two values: with an enemy pawn ahead on its file, and without
PAWN_ISOLATED = [( -2,  -9), ( -2, -13)]
# all own pawns on the adjacent files are further ahead, and it cannot advance safely; the same two values
PAWN_BACKWARD = [( -3,  -9), (-10, -11)]
# an own pawn is next to it, by rank
PAWN_PHALANX = [(  0,   0), (  5,  -4), (  9,   0), ( 10,  10), ( 18,  29), ( 42,  52), ( 70,  86), (  0,   0)]
# per own pawn that defends it, by rank
PAWN_SUPPORTED = [(  0,   0), (  0,   0), ( 13,   2), ( 12,  -1), ( 19,  12), ( 36,  39), ( 66,  60), (  0,   0)]
# no pawn is ahead on its file, and as many own pawns can support it as enemy pawns can stop it, by rank
PAWN_CANDIDATE = [(  0,   0), (  3,   1), ( -1,  -3), (  0,  15), (  2,  29), ( 30,  50), (  0,   0), (  0,   0)]
# no enemy pawn can block or capture it on its way, and no own pawn is ahead on its file, by rank
PASSED_PAWN = [(  0,   0), (-11,  13), (-18,  12), ( -6,  30), ( 16,  53), ( 46,  92), (103, 163), (  0,   0)]
# no pawn defends it, no enemy pawn is ahead on its file, and the enemy has a rook or queen
PAWN_EXPOSED = ( -3, -21)

# --- Passed pawns and the pieces ---

# by the distance of the own king to the square in front of the pawn; counts once on the fourth rank, twice on the fifth, ...
PASSED_OWN_KING = [(  3,  39), (  7,  38), (  1,  19), ( -2,  11), ( -9,   0), ( -4,  -6), ( -4,  -5), ( -6,  -3)]
# the same for the enemy king
PASSED_ENEMY_KING = [(-17, -13), ( -5, -16), (  7,  -9), ( -3,  13), ( -2,  26), ( -2,  33), (  5,  34), (  4,  37)]
# an enemy piece is on the square in front of it, by rank
PASSED_BLOCKED = [(  0,   0), ( -2,  -7), ( -5,  -4), (  6,  -6), (  4, -17), ( -3, -32), (-25, -70), (  0,   0)]
# the square in front is empty and not attacked, by rank
PASSED_SAFE_STEP = [(  0,   0), (  5,   8), ( -3,   3), ( -2,   7), ( -1,  19), ( 15,  37), ( 28,  60), (  0,   0)]
# all squares to promotion are empty and not attacked, by rank
PASSED_FREE_PATH = [(  0,   0), ( -4,  10), (-10,   8), (-10,  12), (  0,  22), ( 19,  50), ( 44,  84), (  0,   0)]
# the square in front is empty and defended, by rank
PASSED_DEFENDED_STEP = [(  0,   0), ( -1,  11), (  2,  10), (  7,  17), ( 11,  18), ( 12,  33), ( 38,  57), (  0,   0)]
# a rook or queen is behind it on the file; two values: an own one, an enemy one
PASSED_ROOK_BEHIND = [(  5,  18), ( -9, -29)]
# the enemy has only pawns and a king that cannot catch it
PASSED_UNSTOPPABLE = ( -4, 292)

# --- Knights and bishops ---

# on the fourth to sixth rank, where no enemy pawn can ever attack it; two values: not defended by a pawn, defended
KNIGHT_OUTPOST = [(  9,  -3), ( 24,  10)]
BISHOP_OUTPOST = [(  4,   0), ( 23,  16)]
# a knight can move to an outpost that a pawn defends
KNIGHT_NEAR_OUTPOST = ( 15,  10)
# a pawn of either side is on the square in front of the piece
MINOR_BEHIND_PAWN = (  5,  18)
# per knight and own pawn more than five; counts negative for fewer than five
KNIGHT_OWN_PAWNS = (  4,   2)
# per king move from the own king to the piece
KNIGHT_KING_DISTANCE = ( -4,  -1)
BISHOP_KING_DISTANCE = ( -4,  -1)
# per own pawn on a square of the bishop's colour
BISHOP_OWN_PAWNS = ( -5,  -4)
# it stands on a long diagonal and no pawn is between it and the two centre squares there; pieces in between do not matter
BISHOP_LONG_DIAGONAL = (  9,   3)

# --- Rooks and queens ---

# no pawn is on its file
ROOK_OPEN_FILE = ( 23,   7)
# no own pawn is on its file, but an enemy pawn
ROOK_HALF_OPEN_FILE = ( 14,  -2)
# per rook and own pawn more than five; counts negative for fewer than five
ROOK_OWN_PAWNS = ( -3,   2)
# it has very few moves and stands, with an own pawn on its file, between the edge and its king, which cannot castle
ROOK_SHUT_IN = (-39, -13)
# on the seventh rank, and the enemy king is on the eighth or an enemy pawn on the seventh
ROOK_SEVENTH = (-11,  10)
# per enemy rook or bishop that attacks the queen if the one piece between them moves away
QUEEN_EXPOSED = (-15,   8)

# --- King ---

# per castling right
CASTLING_RIGHT = ( 24, -11)
# no pawn on its file
KING_OPEN_FILE = (-27,  -9)
# no pawn within two files of it
KING_PAWNLESS_FLANK = ( -7, -59)
# per square near the enemy king's file, on the enemy's five ranks, that is attacked; counts double if attacked twice
FLANK_ATTACK = (  2,   1)
# per square near the own king's file, on the own five ranks, that its own side attacks
FLANK_DEFENCE = (  3,  -2)
# on the king's file and the adjacent ones: by the rank of the nearest own pawn that is not behind the king, 0 if there is none;
# a row for each distance of the file from the edge of the board (a and h, b and g, c and f, d and e)
SHELTER = [
    [(-14,   5), ( 26, -19), ( 33, -11), ( 13,  -4), ( -3,   0), (  4,   2), ( -2,   7), (  0,   0)],
    [(-26,   8), ( 37,  -7), ( 21,  -5), ( -8,   0), (-12,   4), (-13,   2), (-18,  11), (  0,   0)],
    [(-10,  -2), ( 25,  12), ( -1,   2), (  1,  -4), ( -9,  -3), (  3, -10), ( -5,   5), (  0,   0)],
    [(-16,  -1), ( -1,  -1), ( -2,  -2), (-12,   5), ( -9,  -5), (-19,  -1), (-23,   5), (  0,   0)],
]
# the same for the nearest enemy pawn
STORM = [
    [(-16,  -3), (-17,  11), (-43,  11), (-46,  -1), (-17,  -4), (-12,  -2), (-13,  -5), (  0,   0)],
    [(-14,   8), (  2,   7), (-55,  21), (-32,  12), (-12,   0), ( -1,   1), (-10,  -1), (  0,   0)],
    [( -6,   0), ( -8,  -2), (-48,   3), (-34,  11), (  1,  -2), (  0,  -1), (  1,  -9), (  0,   0)],
    [(-12,   6), ( -4,  -3), (-40,  10), (-26,  -1), (-11,  -1), ( -1,  -2), ( -3,   5), (  0,   0)],
]
# instead of STORM if an own pawn blocks that enemy pawn, by rank
STORM_BLOCKED = [(  0,   0), (  0,   0), (-36, -24), ( -9,  -7), (  0, -11), (  8, -10), ( 10,   0), (  0,   0)]

# --- King attack: the danger units are added up; DANGER_STEP units make one level, and KING_DANGER has a value for each level ---

# per piece that attacks the squares around the enemy king: knight, bishop, rook, queen
DANGER_ATTACKER = [30, 20, 25, 17]
# per attack on a square next to the king
DANGER_RING = 11
# per square around the king that the attacker attacks and that nothing, or only the king or queen, defends
DANGER_WEAK = 15
# per square on which a piece can safely give check, at most two squares each: knight, bishop, rook, queen
DANGER_CHECK = [51, 35, 53, 51]
# per file near the king without a pawn of the king's side in front of it
DANGER_HOLE = 9
# per piece pinned to the king
DANGER_PINNED = 0
# a knight of the king's side defends a square around the king
DANGER_GUARD = -10
# the attacker has no queen
DANGER_QUEENLESS = -117
# once for every attack
DANGER_BASE = -16
# the value of an attack for the attacker, by level
KING_DANGER = [
    (  3,  -2), (  3,   1), (  2,   4), ( -2,   2), (  3,   8), ( 10,  11), (  9,  12), ( 11,  12),
    ( 19,  14), ( 25,  17), ( 33,  20), ( 39,  18), ( 50,  21), ( 56,  22), ( 68,  24), ( 75,  25),
    ( 86,  26), ( 93,  25), (104,  27), (112,  27), (125,  33), (137,  35), (149,  33), (162,  37),
    (178,  39), (194,  42), (205,  42), (221,  43), (236,  44), (250,  45), (265,  45), (284,  47),
    (302,  47), (322,  51), (342,  53), (361,  55), (383,  57), (402,  58), (423,  60), (444,  60),
    (466,  61), (479,  66), (493,  67), (504,  70), (515,  71), (526,  72), (538,  73), (551,  74),
]

# --- Threats against enemy pieces; lists by victim: pawn, knight, bishop, rook, queen ---

# by a pawn that is defended or not attacked
THREAT_BY_PAWN = [(  0,   0), ( 63,  39), ( 60,  47), ( 64,  38), ( 56,  36)]
# by a knight or bishop; pawns count only if weakly defended
THREAT_BY_MINOR = [(  2,  16), ( 24,  31), ( 41,  28), ( 54,  27), ( 45,  46)]
# by a rook; all but queens count only if weakly defended
THREAT_BY_ROOK = [(  5,  21), ( 24,  23), ( 27,  26), ( -5,  22), ( 52,  24)]
# the king attacks something weakly defended
THREAT_BY_KING = ( 13,  33)
# per piece or pawn attacked and not defended, or a piece attacked more than once and not by enough defenders
THREAT_HANGING = ( 10,  25)
# per piece that a pawn can attack by a safe advance
THREAT_BY_PUSH = ( 13,  13)
# per safe square from which a bishop or rook can attack the queen
THREAT_ON_QUEEN = ( 14,  -9)
# per square that the enemy attacks but defends weakly, and that the own side attacks too
RESTRICTED = (  4,  -1)

# --- Centre, space, tempo ---

# per attacked square of d4, e4, d5, e5
CENTRE_CONTROL = ( -4,   1)
# per square on the files c to f and the second to fourth rank that has no own pawn and is not attacked by enemy pawns
SPACE = (  0,  -5)
# for the side to move
TEMPO = ( 24,  18)

# --- Bare king: for the side whose enemy has only the king ---

# by the distance of the bare king from the edge
LONE_KING_EDGE = [(  0,  60), (  0,  35), (  0,  15), (  0,   0)]
# by the distance between the kings
LONE_KING_DISTANCE = [(  0,   0), (  0, 100), (  0, 100), (  0,  75), (  0,  50), (  0,  30), (  0,  15), (  0,   0)]
# with bishop and knight, instead of LONE_KING_EDGE: by the bare king's steps along ranks and files to the nearer corner of the
# bishop's colour
LONE_KING_CORNER = [(  0, 420), (  0, 360), (  0, 300), (  0, 240), (  0, 180), (  0, 120), (  0,  60), (  0,   0)]
# instead of these three, with king and one pawn in a won position: by the pawn's rank
LONE_KING_PAWN = [(  0,   0), (  0, 200), (  0, 210), (  0, 225), (  0, 245), (  0, 270), (  0, 300), (  0,   0)]

# --- Scale of the endgame value of the score, in 1/128 (128: unchanged, 0: a draw) ---

# by the number of pawns of the stronger side
SCALE_PAWNS = [ 37,  84, 121, 128, 128, 128, 128, 128, 128]
# bishops of opposite colours and only pawns besides, by the number of pawns of the stronger side
SCALE_OPPOSITE_BISHOPS = [ 8,  7, 27, 48, 58, 73, 68, 74, 76]
# bishops of opposite colours with other pieces
SCALE_OPPOSITE_BISHOPS_PIECES = 109
# one rook each, all pawns on one wing, and at most one pawn more for the stronger side
SCALE_ROOK_ENDING = 72
# rook and pawn against rook, with the defending king in front of the pawn, on its file or next to it
SCALE_ROOK_AND_PAWN = 34
# bishop and pawn against at most a minor piece, with the defending king in front of the pawn on its file, on a square of the
# other colour than the bishop's
SCALE_BISHOP_AND_PAWN = 22
# king and pawn against king, where it is a draw
SCALE_DRAWN_PAWN = 0
# rook against pawn, by how many moves the king of the rook's side is too late
SCALE_ROOK_AGAINST_PAWN = [128, 122,  80,  28,   6,   0]
# queen against a pawn on the seventh rank that its king supports, on a file where that can draw, with the queen's king far away
SCALE_QUEEN_AGAINST_PAWN = 8
# no pawns and less than a rook
SCALE_LONE_MINOR = 0
# no pawns and at most a minor piece more; the enemy has a minor piece or less
SCALE_MINOR_UP = 0
# the same; the enemy has more than a minor piece
SCALE_MINOR_UP_HEAVY = 0
# two knights against a bare king
SCALE_TWO_KNIGHTS = 0
# anything else against a bare king
SCALE_BARE_KING = 128
# all pawns on one rook's file, no piece but bishops that cannot attack the promotion square, and the defending king reaches that
# corner in time; also a rook and such a pawn on the sixth rank against a bishop that attacks the square ahead of it
SCALE_WRONG_CORNER = 0

# --- Scale of the whole score, in 1/128 ---

# by tens of plies without a capture or pawn move; not applied against a bare king
RULE50_FADE = [128, 128, 128, 128, 125, 120, 112, 100,  84,  64,  40]

# --- Network ---

# the file of a network that is added to all of the above or takes its place, as the file says: one of evaluation/networks, or a
# path from this file's folder; "": none
NETWORK = "residual-512-7.cwnet"
