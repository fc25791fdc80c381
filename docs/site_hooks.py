"""For mkdocs: pages link to files of the repository, as readers of a checkout want it.

Of these, some are on the site too, wherever they lie. What is not is named there without a link.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
# Pages of the site as well; other files are copied as they are.
OUTSIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "glsl/README.md", "examples/*.py")
# DirectML's long names may be broken at their underscores.
NAMES = re.compile(r"<td>[A-Z0-9_, ]+</td>")
LINK = re.compile(r"\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    docs = Path(config.docs_dir)
    folder = Path(page.file.abs_src_path).parent
    pages = {(docs / file.src_uri).resolve() for file in files}
    outside = {
        Path(file.abs_src_path).resolve(): file.src_uri for file in files if file.generated_by
    }

    def link(found: re.Match[str]) -> str:
        text, path, anchor = found.groups(default="")
        target = (folder / path).resolve()
        uri = outside.get(target)
        if target in pages:
            uri = target.relative_to(docs).as_posix()
        if uri is None:  # What is not there at all stays for mkdocs to find.
            return text if target.is_relative_to(ROOT) and target.exists() else found[0]
        return f"[{text}]({os.path.relpath(uri, Path(page.file.src_uri).parent)}{anchor})"

    # Sessions, so that prompts and answers are told from what is typed: site.css.
    return LINK.sub(link, markdown).replace("```python\n>>> ", "```pycon\n>>> ")


def on_page_content(html: str, **_: Any) -> str:
    return NAMES.sub(lambda found: found[0].replace("_", "_<wbr>"), html)
