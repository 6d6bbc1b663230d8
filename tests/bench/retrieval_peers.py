"""What other rankings make of the same questions: the FTS5 query that most SQLite memories use, rank_bm25, bm25s.

Each gets the turns as they stand, one store a conversation, and ten places; one that is not installed is left out."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

import retrieval_talks as talks

Texts = list[str]
Ask = Callable[[str], list[int]]


def measure(path: str) -> dict[str, dict[str, float]]:
    peers = {"FTS5 unicode61, OR": plain, "FTS5 porter, OR": porter, "rank_bm25 Okapi": rank_bm25, "bm25s": bm25s}
    rows: dict[str, list[talks.Row]] = {}
    for number, talk in enumerate(talks.load(path)):
        texts, places = [], {}
        for _, _, turns in talks.sessions(talk):
            for turn in turns:
                places[number, turn["dia_id"]] = ("", len(texts))
                texts.append(f"{turn['speaker']}: {talks.text_of(turn)}")
        asked = talks.questions(number, talk, places)
        for name, peer in peers.items():
            try:
                ask = peer(texts)
            except ImportError:
                continue
            for question, answers in asked:
                got = [("", place) for place in ask(question)[: talks.K]]
                first = next((1 / (at + 1) for at, place in enumerate(got) if place in answers), 0.0)
                five, ten = (len(set(got[:k]) & answers) / len(answers) for k in (5, 10))
                rows.setdefault(name, []).append((five, ten, first))
    return {name: talks.mean(found) for name, found in rows.items()}


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _fts(texts: Texts, tokenizer: str) -> Ask:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"create virtual table turn using fts5(said, tokenize='{tokenizer}')")
    connection.executemany("insert into turn (rowid, said) values (?, ?)", enumerate(texts, 1))

    def ask(question: str) -> list[int]:
        match = " OR ".join(f'"{word}"' for word in _words(question))
        query = "select rowid from turn where turn match ? order by rank limit ?"
        return [row[0] - 1 for row in connection.execute(query, (match, talks.K))]

    return ask


def plain(texts: Texts) -> Ask:
    return _fts(texts, "unicode61")


def porter(texts: Texts) -> Ask:
    return _fts(texts, "porter unicode61")


def rank_bm25(texts: Texts) -> Ask:
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([_words(text) for text in texts])

    def ask(question: str) -> list[int]:
        scores = index.get_scores(_words(question))
        return sorted(range(len(texts)), key=lambda at: -scores[at])[: talks.K]

    return ask


def bm25s(texts: Texts) -> Ask:
    import bm25s as peer

    index = peer.BM25()
    index.index(peer.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def ask(question: str) -> list[int]:
        words = peer.tokenize([question], stopwords="en", show_progress=False)
        found, _ = index.retrieve(words, k=min(talks.K, len(texts)), show_progress=False)
        return [int(place) for place in found[0]]

    return ask
