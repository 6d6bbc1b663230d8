"""Praise and clear displeasure without a number, told apart by whole phrases.

The rating reader calls it. It knows only what it is sure of: a prompt counts when every part of it is a known phrase,
so an instruction, a report, a question or a quotation that merely contains such words never does."""

from __future__ import annotations

from pal.memory.spoken import phrases, vocabulary

PRAISED = 8
DISPLEASED = 3

_MOST_WORDS = 8
_MOST_PRAISING_WORDS = 6
_LONGEST = 120  # characters; eight words never need more

# Signs of code, quotation, questions, lists and commands.
_FOREIGN = frozenset('?`"“”„«»<>{}[]()=/\\:;#$|*_@~^%&+0123456789')
_CLAUSE_ENDS = frozenset(".,!…—–\n\r")
_SMILES = (":)", ":-)", ":D", ":(", ":-(", ";)", "<3")

_PRAISING_WORDS = vocabulary(
    "excellent amazing brilliant fantastic wonderful incredible awesome perfect great nice superb outstanding "
    "stellar phenomenal remarkable terrific splendid beautiful flawless impressive thanks"
)
_PRAISING_PHRASES = phrases(
    "great job, good job, nice job, great work, good work, nice work, excellent work, amazing work, well "
    "done, love it, i love it, love this, i love this, nailed it, you nailed it, looks great, looks good, "
    "looks perfect, rock solid, that works, works great, works perfectly, works like a charm, thank you, "
    "exactly what i wanted, exactly what i needed, just what i wanted, just what i needed, exactly right, "
    "youre the best, you are the best, good stuff, great stuff, lgtm, much better"
)
_PRAISING_LEADS = vocabulary(
    "thats this that is its it so very really absolutely just simply truly totally wow oh haha yay whoa"
)
_PRAISING_TAILS = phrases("so much, a lot, very much, indeed")

_SIGHS = vocabulary("no nope nah ugh argh oh wow well but sorry seriously man dude damn god again hmm")
_TAILS = vocabulary("again now man dude seriously completely totally honestly really")
_ADVERBS = vocabulary(
    "still just completely totally so really all plain simply absolutely utterly very even now also clearly "
    "obviously again a an such complete total absolute fucking damn pretty way too"
)
_PRONOUNS = vocabulary("this that it everything")
_CONTRACTED = vocabulary("thats its")
_WORKS = vocabulary("answer output result response reply solution")
_MY_WORKS = _WORKS | vocabulary("code work plan fix change patch summary")
_COPULAS = vocabulary("is was looks seems")

_ALONE = vocabulary(
    "wrong terrible awful horrible useless garbage rubbish trash nonsense unacceptable pathetic disappointing "
    "ridiculous worthless dreadful horrendous atrocious abysmal bullshit crap wtf"
)
_JUDGEMENTS = _ALONE | phrases(
    "incorrect, broken, bad, worse, worse than before, stupid, shit, mess, disaster, waste of time, unusable, hopeless"
)
_DENIALS = phrases(
    "what i asked, what i asked for, what i wanted, what i want, what i meant, what i said, what i need, what "
    "i needed, what i requested, what we agreed, right, correct, working, fixed, good, good enough, helpful, "
    "acceptable, even close"
)
_FAILINGS = phrases(
    "doesnt work, does not work, didnt work, did not work, makes no sense, doesnt make sense, doesnt make any "
    "sense, sucks, isnt working, isnt fixed, wasnt fixed"
)
_BROKEN_THINGS = phrases(
    "it, this, that, everything, it all, all of it, the build, the code, the tests, the app, my code, my "
    "build, my app, my project, my tests"
)
_IGNORED_THINGS = phrases(
    "me, it, my instructions, my instruction, the instructions, my request, my question, what i said, what i "
    "asked, everything i said"
)
_NEGLECTED = phrases(
    "listen, do it, do what i asked, do what i said, do what i wanted, do anything, read it, even try, even "
    "read it, follow my instructions, follow the instructions, answer my question, fix it, fix anything, "
    "understand, understand me"
)
_DISPLEASED_PHRASES = phrases(
    "i hate this, i hate it, im disappointed, i am disappointed, im frustrated, i am frustrated, what a mess, "
    "what a disaster, what a waste of time, what the fuck, what the hell, are you kidding me, i already told "
    "you, i already told you that, i told you already, not even close, way off, you made it worse, you messed "
    "up, you messed it up, you messed everything up, you ruined it, you ruined everything, you misunderstood, "
    "you misunderstood me, you got it wrong, you are wrong, youre wrong, youre not listening, you are not "
    "listening, you never listen, you keep ignoring me, you keep breaking it, you keep breaking things, fuck, "
    "fuck this, screw this, epic fail"
)


def verdict(text: str) -> int:
    """8 for praise, 3 for clear displeasure, 0 for anything else."""
    clauses = _clauses(text)
    if not clauses:
        return 0
    count = sum(len(clause) for clause in clauses)
    if count <= _MOST_PRAISING_WORDS and all(_praises(clause) for clause in clauses):
        return PRAISED
    if count > _MOST_WORDS:
        return 0
    telling = [clause for clause in clauses if not all(word in _SIGHS for word in clause)]
    return DISPLEASED if telling and all(_displeases(clause) for clause in telling) else 0


def _clauses(text: str) -> list[list[str]]:
    """The lower-case words of each part of a short plain text, without apostrophes; nothing for any other text."""
    if len(text) > _LONGEST:
        return []
    text = text.strip()
    for smile in _SMILES:
        if text.endswith(smile):
            text = text[: -len(smile)].rstrip()
    if not text or text[0] in "!.-," or "\n\n" in text or not _FOREIGN.isdisjoint(text):
        return []
    clauses: list[list[str]] = [[]]
    word = ""
    for letter in text.lower() + ".":
        if letter in "'’‘ʼ":
            continue
        if letter.isalnum():
            word += letter
            continue
        if letter == "\0":
            return []
        if word:
            clauses[-1].append(word)
            word = ""
        if letter in _CLAUSE_ENDS and clauses[-1]:
            clauses.append([])
    return clauses[:-1] if not clauses[-1] else clauses


def _praises(words: list[str]) -> bool:
    begin, end = 0, len(words)
    while begin < end and words[begin] in _PRAISING_LEADS and " ".join(words[begin:end]) not in _PRAISING_PHRASES:
        begin += 1
    if end - begin > 2 and " ".join(words[end - 2 : end]) in _PRAISING_TAILS:
        end -= 2
    if begin == end:
        return False
    while begin < end:
        for length in (4, 3, 2, 1):
            part = " ".join(words[begin : begin + length])
            if begin + length <= end and (part in _PRAISING_PHRASES or part in _PRAISING_WORDS):
                begin += length
                break
        else:
            return False
    return True


def _displeases(words: list[str]) -> bool:
    while words and words[0] in _SIGHS:
        words = words[1:]
    repeated = False
    if words[-2:] == ["right", "now"]:
        return False
    while len(words) > 1 and words[-1] in _TAILS:
        repeated = repeated or words[-1] == "again"
        words = words[:-1]
    if not words:
        return False
    if " ".join(words) in _DISPLEASED_PHRASES:
        return True
    if words[0] in ("you", "youve"):
        return _accuses(words[1:])
    rest, subject = _after_subject(words)
    adverbs = 0
    while adverbs < len(rest) and rest[adverbs] in _ADVERBS:
        repeated = repeated or rest[adverbs] == "still"
        adverbs += 1
    said = " ".join(rest[adverbs:])
    if subject == "was":
        return said in _ALONE or _denies(said)  # "it was broken" may be a report
    if subject in _COPULAS:
        return said in _JUDGEMENTS or _denies(said) or (repeated and said == "failing")
    if subject == "bare":
        return said in _FAILINGS or (said.startswith("isnt ") and said[5:] in _DENIALS)
    if said in _ALONE or said in ("waste of time", "worse than before") or _denies(said):
        return True
    if adverbs and said in ("bad", "worse", "mess", "disaster"):
        return True
    return repeated and (said == "failing" or said in _JUDGEMENTS or said in _FAILINGS)


def _denies(said: str) -> bool:
    return said.startswith("not ") and said[4:] in _DENIALS


def _after_subject(words: list[str]) -> tuple[list[str], str]:
    """What is said after "this is" (gives "is"), after "this" (gives "bare"), or of nothing named ("")."""
    if words[0] in _CONTRACTED:
        return words[1:], "is"
    if words[0] in _PRONOUNS:
        rest = words[1:]
    elif len(words) > 1 and (
        (words[0] == "your" and words[1] in _MY_WORKS) or (words[0] == "the" and words[1] in _WORKS)
    ):
        rest = words[2:]
    else:
        return words, ""
    if rest and rest[0] in _COPULAS:
        return rest[1:], rest[0]
    return rest, "bare"


def _accuses(words: list[str]) -> bool:
    """What stands after "you" in a complaint: broke it, ignored me, didn't listen."""
    while words and words[0] in _ADVERBS:
        words = words[1:]
    said = " ".join(words[1:])
    if words[:1] == ["broke"] or words[:1] == ["broken"]:
        return said in _BROKEN_THINGS
    if words[:1] == ["ignored"]:
        return said in _IGNORED_THINGS
    if words[:1] == ["didnt"]:
        return said in _NEGLECTED
    return words[:2] == ["did", "not"] and " ".join(words[2:]) in _NEGLECTED
