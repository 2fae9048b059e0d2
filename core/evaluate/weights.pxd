# SPDX-License-Identifier: GPL-3.0-or-later
"""The names, shapes and order of the evaluation's weights, declared here only.

The loader, the tracer and the tuner read them through `layout.layout`. All fields are int32, so the flat list of weights has
the order of the fields. The values are in evaluation/weights.py. Ranks and squares are from the owner's view: rank index 0 is the
owner's first rank.
"""

from ..board.types cimport *

cdef struct TaperedWeights:  # an 8 by 8 array is a board, first index the rank
    # Material
    MgEg material[5]  # by piece type, PAWN to QUEEN
    MgEg bishop_pair
    # Piece-square tables
    MgEg pawn_squares[8][8]
    MgEg knight_squares[8][8]
    MgEg bishop_squares[8][8]
    MgEg rook_squares[8][8]
    MgEg queen_squares[8][8]
    MgEg king_squares[8][8]
    # Mobility, by the number of safe squares
    MgEg knight_mobility[9]
    MgEg bishop_mobility[14]
    MgEg rook_mobility[15]
    MgEg queen_mobility[28]
    # Pawn structure, cached by the pawn key; arrays by rank unless said otherwise
    MgEg pawn_doubled
    MgEg pawn_isolated[2]  # 1: no enemy pawn ahead on the file
    MgEg pawn_backward[2]  # 1: no enemy pawn ahead on the file
    MgEg pawn_phalanx[8]
    MgEg pawn_supported[8]
    MgEg pawn_candidate[8]
    MgEg passed_pawn[8]
    MgEg pawn_exposed  # not cached: no own pawn defends it, no enemy pawn ahead on the file, the enemy has a rook or queen
    # Passed pawns and the pieces; arrays by rank unless said otherwise
    MgEg passed_own_king[8]  # by distance of the king to the stop square; counted (rank - 2) times
    MgEg passed_enemy_king[8]  # the same for the enemy king
    MgEg passed_blocked[8]  # an enemy piece on the stop square
    MgEg passed_safe_step[8]  # stop square empty and not attacked
    MgEg passed_free_path[8]  # the whole way to promotion empty and not attacked
    MgEg passed_defended_step[8]  # stop square empty and attacked by us
    MgEg passed_rook_behind[2]  # rook or queen behind the pawn: 0 ours, 1 theirs
    MgEg passed_unstoppable  # the enemy has only pawns, and the enemy king is outside the square of the pawn
    # Minor pieces
    MgEg knight_outpost[2]  # 1: defended by a pawn
    MgEg bishop_outpost[2]
    MgEg knight_near_outpost  # some knight can go to a defended outpost
    MgEg minor_behind_pawn
    MgEg knight_own_pawns  # per own pawn more than USUAL_PAWNS
    MgEg knight_king_distance  # per square of distance to the own king
    MgEg bishop_king_distance
    MgEg bishop_own_pawns  # per own pawn on the bishop's colour
    MgEg bishop_long_diagonal  # on a long diagonal, and no pawn keeps it from both centre squares of that diagonal
    # Rooks and queens
    MgEg rook_own_pawns  # per own pawn more than USUAL_PAWNS
    MgEg rook_open_file
    MgEg rook_half_open_file
    MgEg rook_seventh  # with the enemy king on the eighth or enemy pawns on the seventh
    MgEg rook_shut_in  # low mobility, between the edge and its own king, which cannot castle
    MgEg queen_exposed  # per enemy rook or bishop that would attack the queen if the one piece between moved away
    # King
    MgEg castling_right  # per right left
    MgEg shelter[4][8]  # by distance of the file from the edge, rank of the nearest own pawn ahead (0: none)
    MgEg storm[4][8]  # by distance of the file from the edge, rank of the nearest enemy pawn ahead (0: none)
    MgEg storm_blocked[8]  # instead of `storm`, where an own pawn is right in front of that enemy pawn
    MgEg king_open_file  # no pawn on the king's file
    MgEg king_pawnless_flank  # no pawn within two files of the king
    MgEg flank_attack  # per attack (two a square at most) on the enemy's side of the board, near the king's file
    MgEg flank_defence  # per square attacked on the own side of the board, near the king's file
    MgEg king_danger[48]  # for the attacker, by danger level (see `danger_*` below)
    # Threats against enemy pieces; arrays by piece type of the victim, PAWN to QUEEN
    MgEg threat_by_pawn[5]
    MgEg threat_by_minor[5]
    MgEg threat_by_rook[5]
    MgEg threat_by_king
    MgEg threat_hanging
    MgEg threat_by_push  # per enemy piece that a safe pawn push would attack
    MgEg threat_on_queen  # per safe square from which a bishop or rook could attack the queen
    MgEg restricted  # per weakly defended square of the enemy that we attack too
    # Centre, space, tempo
    MgEg centre_control  # per square of d4, e4, d5, e5 attacked
    MgEg space  # per safe square behind the own centre
    MgEg tempo
    # The side whose enemy has nothing but the king
    MgEg lone_king_edge[4]  # by distance of that king from the edge
    MgEg lone_king_distance[8]  # by distance between the kings
    MgEg lone_king_corner[8]  # bishop and knight, instead of the edge: by steps to a corner of the bishop's colour
    MgEg lone_king_pawn[8]  # instead of the above, a single pawn that wins: by rank

cdef struct PlainWeights:  # plain integers
    # Danger units; their sum, divided by DANGER_STEP, is the level that indexes `king_danger`
    int32_t danger_attacker[4]  # per piece that attacks the king's ring, KNIGHT to QUEEN
    int32_t danger_ring  # per attack on a square next to the king
    int32_t danger_weak  # per ring square that is attacked and defended by king or queen at most
    int32_t danger_check[4]  # per square for a safe check, KNIGHT to QUEEN (at most 2 a type)
    int32_t danger_hole  # per file at the king without a pawn of its side ahead
    int32_t danger_pinned  # per pinned piece of the king
    int32_t danger_guard  # a knight of the defender guards the ring
    int32_t danger_queenless  # the attacker has no queen
    int32_t danger_base  # every attack
    # Factor of the endgame score, in 1/128 (FULL_SCALE): from material; in known endings (`scales_network`); and, last, of the
    # whole score in those known as drawn (`phase_with`)
    int32_t scale_pawns[9]  # by the number of pawns of the stronger side
    int32_t scale_opposite_bishops[9]  # bishops of opposite colours and pawns only; by pawns of the stronger side
    int32_t scale_opposite_bishops_pieces  # the same with other pieces on the board
    int32_t scale_rook_ending  # a rook each and at most one pawn more, all pawns on one wing
    int32_t scale_rook_and_pawn  # rook and pawn against rook, the defending king in front of the pawn
    int32_t scale_bishop_and_pawn  # and at most a minor piece against them, the defending king safe in front of the pawn
    int32_t scale_rook_against_pawn[6]  # by how much closer the pawn with its king is than the rook's king
    int32_t scale_minor_up  # no pawns, at most a minor piece more, against a minor piece or less
    int32_t scale_minor_up_heavy  # the same against more
    int32_t scale_bare_king  # against a bare king, where none of the above applies
    int32_t scale_drawn_pawn  # king and pawn against king, drawn by the bitbase
    int32_t scale_queen_against_pawn  # pawn on the seventh rank of a rook or bishop file, next to its king: stalemate
    int32_t scale_lone_minor  # no pawns and less than a rook cannot win
    int32_t scale_two_knights  # two knights against the bare king
    int32_t scale_wrong_corner  # rook pawns that bishops cannot promote, or that a bishop holds; the king reaches the corner
    # Factor of the whole score, in 1/128
    int32_t rule50_fade[11]  # by tenths of the plies that the fifty-move rule allows

cdef struct Weights:
    TaperedWeights tapered
    PlainWeights plain

cdef enum:
    FULL_PHASE = 24  # a minor piece counts 1
    ROOK_PHASE = 2
    QUEEN_PHASE = 4
    FULL_SCALE = 128
    FADE_STEP = 10  # plies of the fifty-move clock from one entry of `rule50_fade` to the next
    USUAL_PAWNS = 5  # with so many own pawns knights and rooks have just their material value
    SHUT_IN_MOBILITY = 3  # a rook with at most this mobility may be shut in
    DANGER_STEP = 8  # danger units of one level
    DANGER_LEVELS = 48

cdef inline int weight_count() noexcept nogil:
    return sizeof(Weights) // sizeof(int32_t)
