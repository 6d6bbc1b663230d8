"""Turns one run of Markdown text into HTML: emphasis, code, links, footnote marks, pictures put into the page.

Everything that is no Markdown is escaped, so that no tag and no script of the source survives."""

from __future__ import annotations

import base64
import html
import os
import re

PICTURES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp", ".svg": "svg+xml"}
LARGEST_PICTURE = 10_000_000  # bytes; a page that carries more is slow to open everywhere
SAFE_LINK = re.compile(r"(?:https?:|mailto:|tel:|#|[^:]*$|[^:]*[/?#])", re.IGNORECASE)
SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
INLINE = re.compile(
    r"""(?P<ticks>(?<!`)`+(?!`))(?P<code>.+?)(?<!`)(?P=ticks)(?!`)
    |\\(?P<escaped>[!-/:-@\[-`{-~])
    |(?P<picture>!?)\[(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]
        (?:\(\s*<?(?P<url>[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+["'](?P<title>[^"']*)["'])?\s*\)
           |\[(?P<ref>[^\]]*)\])?
    |<(?P<auto>(?:https?://|mailto:)[^\s<>]+)>
    |(?P<bare>https?://[^\s<>()\[\]"']*[\w/=#&%-])
    |\*\*(?=\S)(?P<strong>[^*]*(?:\*(?!\*)[^*]*)*?(?:\*[^*]+\*[^*]*)*)(?<=\S)\*\*
    |\*(?=[^\s*])(?P<em>[^*]+)(?<=\S)\*
    |(?<!\w)__(?=\S)(?P<strong2>[^\n]+?)(?<=\S)__(?!\w)
    |(?<!\w)_(?=[^\s_])(?P<em2>[^_]+)(?<=\S)_(?!\w)
    |~~(?=\S)(?P<gone>[^~]+)(?<=\S)~~
    |(?P<comment><!--.*?-->)
    |(?P<hard>(?:\ \ +|\\)\n)""",
    re.VERBOSE | re.DOTALL,
)


class Inline:
    """What one document's runs of text share: link targets, footnotes in their order, where pictures are, warnings."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.warnings: list[str] = []
        self.targets: dict[str, str] = {}
        self.notes: dict[str, str] = {}
        self.noted: list[str] = []

    def html(self, text: str) -> str:
        """The HTML of a run of text; what is no Markdown is escaped, so no tag of the source survives."""
        made, done = [], 0
        for found in INLINE.finditer(text):
            made += [html.escape(text[done : found.start()], quote=False), self._marked(found)]
            done = found.end()
        return "".join(made) + html.escape(text[done:], quote=False)

    def _marked(self, found: re.Match[str]) -> str:
        part = found.groupdict()
        if part["code"] is not None:
            said = part["code"].replace("\n", " ")
            said = said[1:-1] if said.strip() and said[0] == said[-1] == " " else said
            return f"<code>{html.escape(said, quote=False)}</code>"
        for name, tag in (("strong", "strong"), ("strong2", "strong"), ("em", "em"), ("em2", "em"), ("gone", "del")):
            if part[name]:
                return f"<{tag}>{self.html(part[name])}</{tag}>"
        if part["label"] is not None:
            return self._linked(part, found[0])
        if part["auto"] or part["bare"]:
            url = html.escape(part["auto"] or part["bare"])
            return f'<a href="{url}">{url.replace("mailto:", "")}</a>'
        if part["escaped"]:
            return html.escape(part["escaped"])
        return "<br>\n" if part["hard"] else ""

    def _linked(self, part: dict[str, str | None], whole: str) -> str:
        label = part["label"] or ""
        if label.startswith("^") and label[1:] in self.notes:
            if label[1:] not in self.noted:
                self.noted.append(label[1:])
            number = self.noted.index(label[1:]) + 1
            return f'<sup><a id="ref-{number}" href="#note-{number}">{number}</a></sup>'
        url = part["url"] if part["url"] is not None else self.targets.get((part["ref"] or label).lower())
        if url is None:
            return html.escape(whole[:1], quote=False) + self.html(whole[1:])
        title = f' title="{html.escape(part["title"])}"' if part["title"] else ""
        if part["picture"]:
            source = self._picture(url)
            return (
                f'<img src="{html.escape(source)}" alt="{html.escape(label)}"{title}>'
                if source
                else f"[{html.escape(label)}]"
            )
        if not SAFE_LINK.match(url):
            self.warnings.append(f"a link to {url[:60]} was left out: only web, mail and local addresses are kept")
            return self.html(label)
        return f'<a href="{html.escape(url)}"{title}>{self.html(label)}</a>'

    def _picture(self, url: str) -> str:
        if SCHEME.match(url) or url.startswith("data:"):
            if not url.startswith("data:image/"):
                self.warnings.append(f"the picture {url[:80]} is not in the page: save it beside the text first")
            return url
        path = os.path.join(self.folder, url.replace("%20", " "))
        kind = PICTURES.get(os.path.splitext(path)[1].lower())
        try:
            if kind is None or os.path.getsize(path) > LARGEST_PICTURE:
                reason = f"only {', '.join(PICTURES)} up to {LARGEST_PICTURE // 1_000_000} MB are taken in"
                self.warnings.append(f"the picture {url} is left out: {reason}")
                return ""
            with open(path, "rb") as file:
                return f"data:image/{kind};base64,{base64.b64encode(file.read()).decode('ascii')}"
        except OSError:
            self.warnings.append(f"there is no picture {url} in {self.folder or 'this folder'}")
            return ""
