"""The pages in a real browser, driven by Playwright: python in_browser.py '{"url": …, "run": …}' prints what it saw.

It is run by the Python of `make peers`, which has Playwright, on Debian's Chromium, and imports nothing of the project.
With `shots` it writes a picture of every page at both widths; with `axe` it holds each page against axe-core.
"""

import json
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright  # type: ignore[import-not-found,unused-ignore]

WIDTHS = {"wide": 1440, "narrow": 390}
SCHEMES = ("light", "dark")
LABELS = "/label/"
GRAVE = ("serious", "critical")


class Watched:
    """A page that notes what the browser complains of, and what it asks elsewhere."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url.rstrip("/")
        self.flaws: list[str] = []
        page.on("console", lambda said: self._note(said.type == "error", f"console: {said.text}"))
        page.on("pageerror", lambda bad: self._note(True, f"script: {bad}"))
        page.on("request", lambda one: self._note(not one.url.startswith((self.url, "data:")), f"asked {one.url}"))

    def _note(self, flawed: bool, what: str) -> None:
        if flawed:
            self.flaws.append(f"{self.page.url.removeprefix(self.url)}: {what}")

    def open(self, path: str, status: int = 200) -> None:
        """Open a page, and wait until what it waits for is there."""
        found = self.page.goto(self.url + path)
        self._note(found is None or found.status != status, f"status {found and found.status}")
        self.page.wait_for_selector("[data-live]", state="detached", timeout=400_000)

    def check(self, axe: str) -> None:
        """Note what is laid out badly, or cannot be used by everybody."""
        width = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        self._note(width[0] > width[1], f"the page is {width[0]} wide in a window of {width[1]}")
        self._note("owned" in self.page.title(), "a script of an answer ran")
        if axe:
            self.page.evaluate(axe)
            found = self.page.evaluate("axe.run().then(told => told.violations)")
            for one in found:
                where = "; ".join(str(node["target"]) for node in one["nodes"][:3])
                self._note(one["impact"] in GRAVE, f"axe {one['id']}: {one['help']}: {where}")


def look(browser: Any, asked: dict[str, Any], paths: dict[str, str], axe: str) -> list[str]:
    """Look at pages at both widths, in both schemes, and return what is wrong."""
    flaws = []
    for scheme in SCHEMES:
        for word, width in WIDTHS.items():
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = Watched(context.new_page(), asked["url"])
            for name, path in paths.items():
                page.open(path)
                page.check(axe)
                if asked.get("shots"):
                    shot = Path(asked["shots"]) / f"{name}-{word}-{scheme}.png"
                    page.page.screenshot(path=shot, full_page=page.page.evaluate("document.body.scrollHeight") < 4000)
            flaws += page.flaws
            context.close()
    return flaws


def walk(browser: Any, asked: dict[str, Any]) -> list[str]:
    """Find, sort, drill down and compare by keyboard alone, and return what is wrong."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    watched = Watched(context.new_page(), asked["url"])
    page, flaws = watched.page, watched.flaws

    def want(true: object, what: str) -> None:
        if not true:
            flaws.append(f"{page.url}: {what}")

    watched.open(f"/runs/{asked['run']}/answers")
    page.keyboard.press("Tab")
    want(page.evaluate("document.activeElement.className") == "skip", "the first stop is not the link to the page")
    seen = set()
    for _ in range(25):
        page.keyboard.press("Tab")
        place = page.evaluate(
            "(() => { const one = document.activeElement, style = getComputedStyle(one);"
            " return [one.tagName + one.name + one.textContent.slice(0, 20),"
            " style.outlineStyle !== 'none' || style.boxShadow !== 'none']; })()"
        )
        want(place[1], f"{place[0]} does not show that it has the focus")
        seen.add(place[0])
    want(len(seen) > 15, f"only {len(seen)} places are reached by Tab")
    page.locator("h1").click()
    first = page.locator("tbody a").first.text_content()
    with page.expect_navigation():
        page.keyboard.press("j")
    want("after=" in page.url and page.locator("tbody a").first.text_content() != first, "j leads to no next page")
    with page.expect_navigation():
        page.keyboard.press("k")
    want(page.locator("tbody a").first.text_content() == first, "k leads to another page than the first")
    page.keyboard.press("/")
    want(page.evaluate("document.activeElement.name") == "q", "/ does not go to the search")
    page.keyboard.type("carry")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    want("q=carry" in page.url, "Enter does not search")
    with page.expect_navigation():
        page.select_option("#sort", "low")
    want("q=carry" in page.url and "sort=low" in page.url, "a filter forgets the words")
    page.locator("tbody a").first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    want("/answers/" in page.url and page.locator("pre.words").count() >= 3, "an answer is not shown whole")
    context.close()
    return flaws


def label(browser: Any, asked: dict[str, Any], axe: str) -> list[str]:
    """Label answers by keyboard in one window and by mouse in another, finish, and return what is wrong."""
    context = browser.new_context(viewport={"width": 390, "height": 900})
    one, two = (Watched(context.new_page(), asked["url"]) for _ in range(2))
    desk = f"/label/{asked['run']}/{asked['scorer']}"
    for each in (one, two):
        each.open(desk)
    with one.page.expect_navigation():
        one.page.keyboard.press("1")
    with two.page.expect_navigation():
        two.page.locator("button.label").nth(1).click()
    two.flaws = [flaw for flaw in two.flaws if "409" not in flaw]
    if "in another window" not in (two.page.text_content("main") or ""):
        two.flaws.append("a label of another window is replaced without a question")
    with two.page.expect_navigation():
        two.page.locator("button.label").nth(1).click()
    for _ in range(4):
        with one.page.expect_navigation():
            one.page.keyboard.press("1")
    one.check(axe)
    with one.page.expect_navigation():
        one.page.get_by_role("button", name="Finish").click()
    one.open(f"{desk}/agreement")
    told = one.page.text_content("main") or ""
    if "kappa" not in told or "5 answers" not in told:
        one.flaws.append(f"the agreement says {told[:200]}")
    one.check(axe)
    context.close()
    return [*one.flaws, *two.flaws]


def follow(browser: Any, asked: dict[str, Any]) -> list[str]:
    """Open the page of a run under way, watch its progress move without a reload until it is done, and say what lacks.

    The newest run is followed. Of the progress that was seen, each state is told once, in order.
    """
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    watched = Watched(context.new_page(), asked["url"])
    page, flaws = watched.page, watched.flaws
    page.goto(asked["url"])
    while not page.locator("td [data-live]").count():  # the run begins while this waits
        page.wait_for_timeout(500)
        page.reload()
    page.locator("tbody a.mono").first.click()
    page.wait_for_selector("main > [data-live] progress")
    seen: list[float] = page.evaluate(
        "new Promise(told => { const bar = document.querySelector('[data-live] progress'), seen = [bar.value];"
        " const watch = new MutationObserver(() => {"
        " if (bar.value !== seen.at(-1)) { seen.push(bar.value); if (seen.length > 3) { told(seen); } } });"
        " watch.observe(document.querySelector('[data-live]'), {subtree: true, childList: true, attributes: true}); })"
    )  # all in one document: a reload would end the promise, and this call with it
    if seen != sorted(seen) or len(set(seen)) < 4:
        flaws.append(f"{page.url}: the progress went {seen}")
    page.wait_for_selector("[data-live]", state="detached", timeout=300_000)
    page.wait_for_selector("h2", timeout=60_000)
    if "done" not in (page.locator("dl").first.text_content() or ""):
        flaws.append(f"{page.url}: the run ended, and its page does not say `done`")
    context.close()
    return flaws


def many(browser: Any, asked: dict[str, Any]) -> list[str]:
    """Walk through a run of very many answers: pages, filters, words, order, one answer; return what is wrong."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    watched = Watched(context.new_page(), asked["url"])
    page, flaws = watched.page, watched.flaws
    page.set_default_timeout(30_000)
    found: list[str] = []

    def answers() -> list[str]:
        return [str(one) for one in page.locator("tbody td.wide").all_text_contents()]

    def want(true: object, what: str) -> None:
        if not true:
            flaws.append(f"{page.url}: {what}")

    def counted(words: str) -> None:
        said = page.locator("main p[role=status]").first.text_content() or ""
        want(said.startswith(words), f"it counts {said[:60]!r}, and not {words!r}")

    watched.open(f"/runs/{asked['run']}/answers")
    counted(f"{asked['answers']:,} answers")
    found = answers()
    for _ in range(2):
        with page.expect_navigation():
            page.locator("a[rel=next]").click()
        want(len(answers()) == 50 and not set(answers()) & set(found), "a page shows answers of the page before")
        found = answers()
    for field, value in (("model", "m6"), ("template", "3"), ("side", "wrong")):
        with page.expect_navigation():
            page.select_option(f"#{field}", value)
    rows = page.locator("tbody tr").all_text_contents()
    want(len(rows) == 50 and all("m6" in row and "i" in row for row in rows), "a filter lets others pass")
    page.fill("#q", "carry column")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    want(answers() and all(name in page.url for name in ("model=m6", "template=3", "side=wrong")), "words lose filters")
    counted(f"{asked['with_words']:,} answers")
    with page.expect_navigation():
        page.select_option("#sort", "long")
    lengths = [len(one) for one in answers()]
    want(len(lengths) == 50, "an order loses answers")
    page.fill("#q", "colu* carr*")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    want(answers(), "beginnings of words find nothing")
    with page.expect_navigation():
        page.locator("tbody a").first.click()
    texts = " ".join(page.locator("pre.words").all_text_contents())
    want("carry" in texts and "column" in texts, "the answer that is opened lacks the words that were searched")
    with page.expect_navigation():
        page.locator("a[rel=next]").click()
    want(page.locator("pre.words").count() >= 3, "the next answer is not shown whole")
    watched.check("")
    context.close()
    return flaws


def pages(run: str) -> dict[str, str]:
    """Return the pages by name."""
    answers = f"/runs/{run}/answers"
    models = f"left={run}&left_model=good&right_model=poor"
    return {
        "runs": "/",
        "run": f"/runs/{run}",
        "output": f"/runs/{run}/outputs/scores",
        "answers": answers,
        "answers-filtered": f"{answers}?side=wrong&model=poor&q=carry&sort=long",
        "answer-long": f"{answers}/1",
        "answer-hostile": f"{answers}/2",
        "answer": f"{answers}/9",
        "compare-form": "/compare",
        "compare": f"/compare?{models}",
        "compare-item": f"/compare/item?{models}&right={run}&item=sum-000003&template=1&sample=0",
        "claims": "/claims",
        "attempts": "/attempts",
        "doctor": "/doctor",
    }


WALKS = {"follow": follow, "many": many}


def main() -> None:
    """Do what is asked, and print what is wrong as a list."""
    asked = json.loads(sys.argv[1])
    axe = Path(asked["axe"]).read_text() if asked.get("axe") else ""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=asked["chromium"], args=["--no-sandbox", "--disable-gpu"])
        if walk_of := WALKS.get(asked.get("walk", "")):
            flaws = walk_of(browser, asked)
        elif asked.get("scorer"):
            desk = f"/label/{asked['run']}/{asked['scorer']}"
            paths = {"label-runs": "/", "label-run": f"/label/{asked['run']}", "label-desk": desk}
            flaws = look(browser, asked, paths, axe)
            if asked["acts"]:  # what is labelled here is closed, and stays in the store
                flaws += label(browser, asked, axe)
                flaws += look(browser, asked, {"label-agreement": f"{desk}/agreement"}, axe)
        else:
            flaws = walk(browser, asked) + look(browser, asked, pages(asked["run"]), axe)
        browser.close()
    print(json.dumps(flaws))


if __name__ == "__main__":
    main()
