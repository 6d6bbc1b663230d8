"""How much a stem tells: little when many texts hold it, much when few do.

In a small store every word is rare, so the counts of a store are mixed with how common a word is in texts about
programs; the more is remembered, the less that counts. Search, similarity and the prompt's gate share these numbers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

COVERAGE = 0.35  # the share of what a prompt says that a memory must hold to be put before an agent
FEWEST = 2  # stems of a prompt that it must hold at least
_MIXED = 1000
_RARE = 0.0005  # the share of texts that hold a stem not listed here
# Stems by the share of paragraphs that hold them, counted over the documentation of Python's standard library.
_COMMON = {
    0.07: """
    argument call class default error file function list method name none object on option return set string
    true type us valu
    """,
    0.03: """
    add allow app arg attribut base branch bug build button byte case chang charact check clean client code
    command commit contain content context creat current data defin deploi directori encod end event exampl
    except explain fals first fix format gener get given header help id implement import improv input instal
    instanc issu json kei know let like line look mai make match merg messag mode modul move must need new
    number open otherwis output page pars pass path pleas process project provid pull push python rais read
    refactor releas remov renam repo result review run self server session show sourc specifi start test text
    thing think time tool try two updat user version wai want why work write
    """,
    0.014: """
    accept address alwai anoth archiv avail block buffer close compil complet connect convert copi count decod
    delet dictionari differ dir doc document either element empti everi execut exist exit fail field filenam
    find flag follow form found handl handler http ignor includ index indic info inform initi instead int integ
    interfac intern item keyword last level load local log manag map md mean model never next node non normal
    note oper order os packag paramet parent parser part pattern per point posit possibl print prompt py replac
    repres request requir respons rfc rule search second see seen send sequenc singl size skill specif standard
    state stop store str stream subclass support sy system take thread token tree turn valid variabl whether
    window without
    """,
    0.007: """
    abstract access accord activ actual ad addit alreadi api append appli applic ascii ask assert associ assum
    automat back binari bit bodi bound built cach callabl callback cancel cannot child clear cli codec column
    comment common compar compat comput config configur construct constructor control convers cooki correspond
    custom date debug decim depend describ descript descriptor detail determin directli displai distribut doesn
    don done drop els environ eof equal equival even exactli expect extend extens failur final float folder
    frame full futur give global group helper here hold home host identifi insert interpret invalid invok io
    itself just keep left length librari limit link locat lock logger long loop main mark member mime miss mock
    modifi multipl namespac necessari neg network newlin noth occur omit operand origin overrid pair param
    perform place plain plan platform port post pre prefix present produc program protocol queri queue quot rang
    raw re real reason receiv record recurs refer regist rel report represent resourc right root round runtim
    screen script section select separ sever share shell signal similar simpl sinc skip socket sort space spec
    special stack statu stderr stdout step style suppli symbol tabl tag target task termin three timeout top
    traceback txt underli unix unknown unless url valueerror via wait warn while width within word wrap wrapper
    written yield zero
    """,
}
_shares: dict[str, float] = {}


def idf(docs: int, df: int, term: str = "") -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)), with the general counts mixed in for a small N."""
    from math import log

    mixed = _MIXED - docs
    if mixed > 0:
        if not _shares:
            for share, words in _COMMON.items():
                _shares.update(dict.fromkeys(words.split(), share))
        docs, held = _MIXED, df + mixed * _shares.get(term, _RARE)
    else:
        held = df
    return log(1 + (docs - held + 0.5) / (held + 0.5)) if held < docs else 0.01


def coverage(query: Sequence[str], telling: Mapping[str, float], held: Collection[str]) -> float:
    """The share of what the query's stems tell that `held` has of them; 0.0 for an empty query."""
    whole = sum([telling[term] for term in query])
    return sum([telling[term] for term in query if term in held]) / whole if whole else 0.0


def coverage_known(query: Sequence[str], telling: Mapping[str, float], held: Collection[str]) -> bool:
    """Whether a document that held all the known stems would cover enough of the query."""
    return len(held) >= FEWEST and coverage(query, telling, held) >= COVERAGE
