"""Data: words that are no answer to an anagram by themselves, as the rules OURS-v2 read an answer.

It knows two lists of lower-case words; it must never know an item or a response.
"""

from __future__ import annotations

_SMALL = """
a about above absolutely actually after ah all alright also although an anagram and another answer any anything are
as at be because been before being below between but by called can certain certainly clue correct could course d def
did different do does doesn don done down each either english error etc even every false final finally first
following for formed found from given gladly had happy has have he hello hence her here hi hint his hmm how however
i if impossible in into is isn it its json just known less let lets letter letters like likely ll m made may maybe
me mean meaning means might more most must my n't neither next no none nope nor not nothing now null obviously of oh
ok okay on one ones only oops or original other our out perhaps please possible print probably python quite re
really rearrange rearranged result right s said same second see shall she should since so solution solved some
something sorry spelled step still such sure surely t term than thank thanks that the their them then there
therefore these they this those thus to too true two unclear unknown unscramble unscrambled unsure up us used using
ve very wait was we welcome well were what when where which who why will with word words would wrong yes yet you
your
"""

_OF_PUZZLES = """
able added adding again against already always am among anyone around arrange arranged arrangement asked back
beginning belongs book came cannot careless clear combination combine come comes common complete confuse consonant
consonants contain contains continue correctly crossword describe dictionary difficult dropped during easy ending
exact exactly examination example exercise expected fill find finding form forming forms gap gave get gives giving
goes going good got great guess help hidden idea information instead itself jumble jumbled kind know language last
leading least leave leaves left length line list listed little long look looking looks lot make makes making many
matter meant mixed move name need needs never nine number object offer often once order over page part people piece
place printer problem proper provide put puzzle q question rainy read reads ready reason reply request response
restore return reverse rhymes scramble scrambled sense sentence set several short shuffle shuffled shuffling similar
simple single somebody someone sorted sound sounds spell spelling spells squares start starting starts stick stuck
sunday take taken tell test thing things think thought three time together total tried trying turn turns type unable
under understand until use usual usually valid vocabulary vowel vowels want watch ways while whole within without
work works world write writing written
"""

# Never put forward as an answer, unless one of them is a right one and stands alone.
NO_ANSWER = frozenset(_SMALL.split())
# With the words of explanations, of refusals and of puzzles: a right one among them must be stated.
ORDINARY = NO_ANSWER.union(_OF_PUZZLES.split())
