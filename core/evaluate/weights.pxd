# SPDX-License-Identifier: GPL-3.0-or-later
"""The declaration of the evaluation's weights: their names, shapes and order, once for everybody.

The loader, the tracer and the tuner read it through `evaluate.layout`. All of it is int32, so the packing order is the order of
the fields. Values live in evaluation/weights.py. Ranks and squares are always those of the owner's view: rank index 0 is his
first rank.
"""

from ..board.types cimport *

cdef struct TaperedWeights:  # (mg, eg) pairs; an 8 by 8 array is a board, first index the rank
    # Material
    Packed material[5]  # by piece type, PAWN to QUEEN
    Packed bishop_pair
    # Piece-square tables
    Packed pawn_squares[8][8]
    Packed knight_squares[8][8]
    Packed bishop_squares[8][8]
    Packed rook_squares[8][8]
    Packed queen_squares[8][8]
    Packed king_squares[8][8]
    # Mobility, by the number of safe squares
    Packed knight_mobility[9]
    Packed bishop_mobility[14]
    Packed rook_mobility[15]
    Packed queen_mobility[28]
    # Pawn structure, cached by the pawn key; arrays by rank unless said otherwise
    Packed pawn_doubled
    Packed pawn_isolated[2]  # 1: no enemy pawn ahead on the file
    Packed pawn_backward[2]  # 1: no enemy pawn ahead on the file
    Packed pawn_phalanx[8]
    Packed pawn_supported[8]
    Packed pawn_candidate[8]
    Packed passed_pawn[8]
    Packed pawn_exposed  # not cached: no pawn defends it, no enemy pawn ahead, and the enemy has a rook or queen
    # Passed pawns and the pieces; arrays by rank unless said otherwise
    Packed passed_own_king[8]  # by distance of the king to the stop square; counted (rank - 2) times
    Packed passed_enemy_king[8]  # likewise
    Packed passed_blocked[8]  # an enemy piece on the stop square
    Packed passed_safe_step[8]  # stop square empty and not attacked
    Packed passed_free_path[8]  # the whole way to promotion empty and not attacked
    Packed passed_defended_step[8]  # stop square empty and attacked by us
    Packed passed_rook_behind[2]  # rook or queen behind the pawn: 0 ours, 1 theirs
    Packed passed_unstoppable  # the enemy has only pawns and his king is outside the square
    # Minor pieces
    Packed knight_outpost[2]  # 1: defended by a pawn
    Packed bishop_outpost[2]
    Packed knight_near_outpost  # some knight can go to a defended outpost
    Packed minor_behind_pawn
    Packed knight_own_pawns  # per own pawn more than USUAL_PAWNS
    Packed knight_king_distance  # per square of distance to the own king
    Packed bishop_king_distance
    Packed bishop_own_pawns  # per own pawn on the bishop's colour
    Packed bishop_long_diagonal  # sees both centre squares of a long diagonal
    # Rooks and queens
    Packed rook_own_pawns  # per own pawn more than USUAL_PAWNS
    Packed rook_open_file
    Packed rook_half_open_file
    Packed rook_seventh  # with the enemy king on the eighth or enemy pawns on the seventh
    Packed rook_shut_in  # hardly mobile between its own king, which cannot castle, and the edge
    Packed queen_exposed  # one piece stands between it and an enemy rook or bishop that would attack it
    # King
    Packed castling_right  # per right left
    Packed shelter[4][8]  # by distance of the file from the edge, rank of the nearest own pawn ahead (0: none)
    Packed storm[4][8]  # by distance of the file from the edge, rank of the nearest enemy pawn ahead (0: none)
    Packed storm_blocked[8]  # instead of `storm`, where an own pawn stands right in front of that enemy pawn
    Packed king_open_file  # no pawn on the king's file
    Packed king_pawnless_flank  # no pawn within two files of the king
    Packed flank_attack  # per attack (two a square at most) on the enemy's side of the board, near the king's file
    Packed flank_defence  # per square attacked on the own side of the board, near the king's file
    Packed king_danger[48]  # for the attacker, by danger level (see `danger_*` below)
    # Threats against enemy pieces; arrays by piece type of the victim, PAWN to QUEEN
    Packed threat_by_pawn[5]
    Packed threat_by_minor[5]
    Packed threat_by_rook[5]
    Packed threat_by_king
    Packed threat_hanging
    Packed threat_by_push  # a safe pawn push would attack a piece
    Packed threat_on_queen  # per safe square from which a bishop or rook could attack the queen
    Packed restricted  # per weakly defended square of the enemy that we attack too
    # Centre, space, tempo
    Packed centre_control  # per square of d4, e4, d5, e5 attacked
    Packed space  # per safe square behind the own centre
    Packed tempo
    # The side whose enemy has nothing but the king
    Packed lone_king_edge[4]  # by distance of that king from the edge
    Packed lone_king_distance[8]  # by distance between the kings
    Packed lone_king_corner[8]  # bishop and knight, instead of the edge: by steps to a corner of the bishop's colour
    Packed lone_king_pawn[8]  # instead of the above, a single pawn that wins: by rank

cdef struct PlainWeights:  # plain integers
    # Danger units; their sum, divided by DANGER_STEP, is the level that indexes `king_danger`
    int32_t danger_attacker[4]  # per piece that attacks the king's ring, KNIGHT to QUEEN
    int32_t danger_ring  # per attack on a square next to the king
    int32_t danger_weak  # per ring square that is attacked and defended by king or queen at most
    int32_t danger_check[4]  # per square for a safe check, KNIGHT to QUEEN (at most 2 a type)
    int32_t danger_hole  # per file at the king without an own pawn ahead
    int32_t danger_pinned  # per pinned piece of the king
    int32_t danger_guard  # a knight of the king's side guards the ring
    int32_t danger_queenless  # the attacker has no queen
    int32_t danger_base
    # Scale of the endgame score, in 1/128
    int32_t scale_pawns[9]  # by the number of pawns of the stronger side
    int32_t scale_opposite_bishops[9]  # bishops of opposite colours and pawns only; by pawns of the stronger side
    int32_t scale_opposite_bishops_pieces  # the same with other pieces on the board
    int32_t scale_rook_ending  # a rook each and at most one pawn more, all pawns on one wing
    int32_t scale_rook_and_pawn  # rook and pawn against rook, the defending king in front of the pawn
    int32_t scale_bishop_and_pawn  # and at most a minor piece against them, the defending king safe in front of the pawn
    int32_t scale_drawn_pawn  # king and pawn against king, drawn
    int32_t scale_rook_against_pawn[6]  # by how much closer the pawn with its king is than the rook's king
    int32_t scale_queen_against_pawn  # which draws by stalemate or from the rook's file
    int32_t scale_lone_minor  # no pawns and less than a rook cannot win
    int32_t scale_minor_up  # no pawns, at most a minor piece more, against a minor piece or less
    int32_t scale_minor_up_heavy  # the same against more
    int32_t scale_two_knights  # two knights against the bare king
    int32_t scale_bare_king  # against a bare king, where none of the above holds
    int32_t scale_wrong_corner  # rook pawns, no bishop of the promotion square's colour, king in the corner
    # Scale of the whole score, in 1/128
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
    USUAL_PAWNS = 5  # where knights and rooks are worth their plain value
    SHUT_IN_MOBILITY = 3
    DANGER_STEP = 8  # danger units of one level
    DANGER_LEVELS = 48

cdef inline int weight_count() noexcept nogil:
    return sizeof(Weights) // sizeof(int32_t)
