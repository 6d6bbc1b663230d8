"""How well PAL finds what it remembers, on labelled sets: `make bench`.

Every figure is made by PAL's own modules on the whole haystack: conversations go in through `pal memory import`, are
indexed, searched and recalled as a user's are. Pool size and k stand beside each. It measures; it neither passes nor
fails. LoCoMo and PrecisionMemBench are read from $PAL_SHARED, or the folder `shared` beside the checkout.

    --peers   the same questions asked of plain FTS5, rank_bm25 and bm25s, where they are installed
    --scale   a hundred thousand memories: the time of a question, of one more, of a rebuild"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "src"), os.path.dirname(os.path.abspath(__file__))]
import retrieval_beliefs as beliefs  # noqa: E402  these are beside this file
import retrieval_claims as claims  # noqa: E402
import retrieval_notes as notes  # noqa: E402
import retrieval_talks as talks  # noqa: E402


def measure(options: argparse.Namespace) -> dict[str, dict]:
    shared = os.path.join(os.environ.get("PAL_SHARED") or os.path.join(os.path.dirname(ROOT), "shared"), "data")
    locomo = os.path.join(shared, "locomo", "locomo10.json")
    now = time.time()
    found: dict[str, dict] = {}
    with tempfile.TemporaryDirectory(prefix="pal-bench-") as place:
        if os.path.isfile(locomo):
            found["locomo"], found["offtopic"] = talks.measure(locomo, place, now)
            found["padding"] = claims.measure(locomo, place, now)
        if os.path.isdir(os.path.join(shared, "precisionmembench")):
            found["precisionmembench"] = beliefs.measure(os.path.join(shared, "precisionmembench"), place)
        found["coding"] = notes.measure(place, now)
        if options.peers and os.path.isfile(locomo):
            import retrieval_peers as peers

            found["peers"] = peers.measure(locomo)
        if options.scale:
            import retrieval_scale as scale

            found["scale"] = scale.measure(place, now)
    return found


def show(found: dict[str, dict]) -> None:
    if "locomo" in found:
        row = found["locomo"]
        print(f"LoCoMo, turns as memories, {row['per_store']['all']['questions']} questions, k = {row['k']}")
        print(f"{'':<34}{'R@5':>7}{'R@10':>7}{'MRR':>8}{'questions':>11}")
        for name, pool in (("per_store", "a store a conversation"), ("one_store", "all in one store")):
            size = row[f"pool_{name}"]
            for part in ("all", "tuned", "held_out"):
                one = row[name][part]
                label = f"{pool} ({size})" if part == "all" else f"  {part.replace('_', ' ')}"
                print(f"{label:<34}{one['r5']:>7}{one['r10']:>7}{one['mrr']:>8}{one['questions']:>11}")
        for name, one in found.get("peers", {}).items():
            print(f"{name:<34}{one['r5']:>7}{one['r10']:>7}{one['mrr']:>8}{one['questions']:>11}")
        off, pad = found["offtopic"], found["padding"]
        print(f"\nInjection, pool {off['pool']}, at most {off['k']}: an answer is among it")
        print(
            f"for {off['hit5']} % of questions (held out {off['hit5_held_out']} %); {off['injected']} items for each of"
        )
        print(f"{off['chores']} chores that have none, {off['silent']} of them get nothing. Other floors:")
        for one in off["curve"]:
            print(f"  covers {one['floor']:.2f}: hit@5 {one['hit5']:>5} %, {one['injected']:.2f} items off topic")
        print(f"\nNovelty, pool {pad['pool']}, {pad['samples']} each: {pad['restated_known']} % of restatements")
        print(f"recognised; known: {pad['novel_known']} % of novel claims, {pad['padded_known']} % of padded ones")
    if "precisionmembench" in found:
        row = found["precisionmembench"]
        print(f"\nPrecisionMemBench, pool {row['pool']}, k = {row['k']}: {row['passed']} of {row['cases']} passed,")
        print(f"mean precision {row['precision']}, mean recall {row['recall']}, {row['p50_ms']} ms a case")
        for name, faults in row["failed"]:
            print(f"  {name}: {', '.join(faults)}")
    row = found["coding"]
    print(f"\nCoding memories, pool {row['pool']}, k = {row['k']}")
    for split in ("dev", "test"):
        one = row[split]
        print(
            f"  {split:<5} hit@1 {one['hit1']} %, R@5 {one['r5']} %, MRR {one['mrr']}, before its hard negatives",
            end=" ",
        )
        print(f"{one['before_hard_negatives']} %, {one['questions']} questions")
    if "scale" in found:
        print("\nScale: " + ", ".join(f"{name} {value}" for name, value in found["scale"].items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--peers", action="store_true", help="ask other rankings the same questions")
    parser.add_argument("--scale", action="store_true", help="measure a hundred thousand memories")
    options = parser.parse_args()
    began = time.perf_counter()
    found = measure(options)
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)
        print(f"\n{time.perf_counter() - began:.0f} s on Python {sys.version.split()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
