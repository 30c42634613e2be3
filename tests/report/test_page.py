"""The page in a browser: it opens without complaints or requests, and its controls work."""

from __future__ import annotations

import pytest

from tests.explain.test_dates import MODEL as DATES
from tests.explain.test_dates import X, Y
from tests.report.browser import browser
from tests.report.subjects import reported

KINDS = ["binary", "classes", "numbers"]
ALL_KINDS = [*KINDS, "dates"]


@pytest.fixture(scope="module")
def chrome():
    with browser() as own:
        yield own


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for kind in KINDS:
        reported(kind).save(folder / f"{kind}.html")
    DATES.report(folder / "dates.html", X, Y)
    return folder


@pytest.mark.parametrize("width", [390, 800, 1400])
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_it_opens_without_complaints_requests_or_a_sideways_scroll(chrome, pages, kind, width):
    chrome.open(pages / f"{kind}.html", width)
    assert chrome.complaints() == []
    assert chrome.requests() == []
    inside, outside = chrome.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert inside <= outside
    empty = chrome.run(
        "return [...document.querySelectorAll('figure')].filter(own =>"
        " own.querySelector('.drawing').childElementCount === 0 ||"
        " own.getBoundingClientRect().height < 60).map(own => own.dataset.kind)"
    )
    assert empty == []


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_no_text_of_a_figure_is_cut_off_or_lies_on_another(chrome, pages, kind):
    for width in (390, 1400):
        chrome.open(pages / f"{kind}.html", width)
        cut = chrome.run("""
            const right = document.documentElement.clientWidth;
            return [...document.querySelectorAll('svg text')].filter(own => {
              const box = own.getBoundingClientRect();
              return box.width && (box.left < -1 || box.right > right + 1);
            }).map(own => own.textContent)""")
        assert cut == []
        crowded = chrome.run("""
            const found = [];
            for (const svg of document.querySelectorAll('svg')) {
              const boxes = [...svg.querySelectorAll('text')]
                .map(own => [own.textContent, own.getBoundingClientRect()]);
              boxes.forEach(([a, one], i) => boxes.slice(i + 1).forEach(([b, two]) => {
                if (one.left < two.right - 1 && two.left < one.right - 1 &&
                    one.top < two.bottom - 3 && two.top < one.bottom - 3) found.push([a, b]);
              }));
            }
            return found""")
        assert crowded == []


def test_light_and_dark_follow_the_system_and_the_button(chrome, pages):
    background = "return getComputedStyle(document.body).backgroundColor"

    def prefers(theme):
        features = [{"name": "prefers-color-scheme", "value": theme}]
        chrome.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    prefers("light")
    chrome.open(pages / "binary.html")
    light = chrome.run(background)
    prefers("dark")
    dark = chrome.run(background)
    assert light != dark
    chrome.click("#theme")
    assert chrome.run(background) == light
    chrome.click("#theme")
    assert chrome.run(background) == dark
    prefers("light")
    assert chrome.run(background) == dark  # the button decides


def test_text_can_be_read_in_light_and_dark(chrome, pages):
    """Contrast of at least 4.5, as WCAG asks of small text."""
    chrome.open(pages / "binary.html")
    for _ in range(2):
        poor = chrome.run("""
            const canvas = document.createElement('canvas').getContext('2d', {
              willReadFrequently: true });
            const light = (colour) => {
              canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
              return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255)
                .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
            };
            const style = getComputedStyle(document.documentElement);
            const probe = document.createElement('i'); document.body.append(probe);
            const value = (name) => { probe.style.color = `var(--${name})`;
              return light(getComputedStyle(probe).color); };
            const found = [];
            for (const name of ['text', 'muted', 'second', 'good', 'warning', 'bad', 'accent']) {
              for (const under of ['card', 'page']) {
                const [a, b] = [value(name), value(under)].sort((x, y) => y - x);
                if ((a + 0.05) / (b + 0.05) < 4.5) found.push([name, under, (a + .05) / (b + .05)]);
              }
            }
            probe.remove();
            return found""")
        assert poor == []
        chrome.click("#theme")


def test_the_threshold_moves_matrix_metrics_cost_and_curves(chrome, pages):
    chrome.open(pages / "binary.html")
    box = 'figure[data-kind="threshold"]'
    point = "return document.querySelector('figure[data-kind=roc] .here-point').getAttribute('cx')"
    before = chrome.text(f"{box} .confusion"), chrome.text(f"{box} .facts"), chrome.run(point)
    chrome.write(f"{box} input[type=range]", 30, "input")
    after = chrome.text(f"{box} .confusion"), chrome.text(f"{box} .facts"), chrome.run(point)
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert "0.150" in chrome.text(f"{box} .controls")
    facts = chrome.text(f"{box} .facts")
    chrome.write(f"{box} input[type=number]", 10, "input")
    assert chrome.text(f"{box} .facts") != facts
    chrome.click(f"{box} button")
    assert float(chrome.run(f"return document.querySelector('{box} input').value")) > 100


def test_a_class_is_chosen_for_all_figures_about_classes(chrome, pages):
    chrome.open(pages / "classes.html")
    matrix = chrome.text(".confusion")
    chrome.choose('figure[data-kind="roc"] select', 2)
    assert chrome.text(".confusion") != matrix
    lists = chrome.run(
        "return [...document.querySelectorAll('#decisions select')].map(l => l.value)"
    )
    assert set(lists) == {"2"}
    swarm = "return document.querySelector('figure[data-kind=beeswarm] .dots').getAttribute('d')"
    before = chrome.run(swarm)
    chrome.choose('figure[data-kind="beeswarm"] select', 1)
    assert chrome.run(swarm) != before
    assert chrome.complaints() == []


def test_rows_can_be_picked_and_searched(chrome, pages):
    chrome.open(pages / "numbers.html")
    box = 'figure[data-kind="waterfall"]'
    shown = [chrome.text(f"{box} p")]
    for number in (1, 3, 4, 6):  # best is the first button; typical, random; next
        chrome.click(f"{box} .controls button:nth-of-type({number})")
        shown.append(chrome.text(f"{box} p"))
    assert len(set(shown)) == len(shown)
    chrome.write(f"{box} input", 7, "change")
    assert chrome.text(f"{box} p").startswith("Row 7:")
    chrome.write(f"{box} input", 99999, "change")
    assert "there are rows 0 to 299" in chrome.text(f"{box} .controls")
    assert chrome.text(f"{box} p").startswith("Row 7:")


def test_dependence_shows_any_column_and_interactions_lead_to_it(chrome, pages):
    chrome.open(pages / "binary.html")
    box = 'figure[data-kind="dependence"]'
    axis = f"return [...document.querySelectorAll('{box} svg text')].map(t => t.textContent).join()"
    n_columns = len(reported("binary").document.data["columns"])
    seen = set()
    for column in range(n_columns):
        chrome.choose(f"{box} select", column)
        seen.add(chrome.run(axis))
    assert len(seen) == n_columns
    chrome.click('figure[data-kind="interactions"] button')
    first = reported("binary").document.data["pairs"][0]
    lists = chrome.run(f"return [...document.querySelectorAll('{box} select')].map(l => +l.value)")
    assert lists == [first[0], first[1] + 1]
    assert chrome.complaints() == []


def test_groups_are_sorted_by_the_chosen_metric(chrome, pages):
    chrome.open(pages / "binary.html")
    box = 'figure[data-kind="subgroups"]'
    before = chrome.text(f"{box} .rows")
    chrome.choose(f"{box} select", 2)
    assert chrome.text(f"{box} .rows") != before
    chrome.choose(f"{box} label:nth-of-type(2) select", 1)
    labels = chrome.run(
        f"return [...document.querySelectorAll('{box} .label')].map(l => l.innerText)"
    )
    assert len({label.split()[0] for label in labels}) == 1


def test_trees_are_turned_over_and_leaves_chosen(chrome, pages):
    chrome.open(pages / "binary.html")
    box = 'figure[data-kind="trees"]'
    first = chrome.text(f"{box} .question")
    chrome.write(f"{box} input[type=number]", 17, "change")
    assert chrome.text(f"{box} .drawing") != first
    answers = f"return [...document.querySelectorAll('{box} .answer')].map(a => a.innerText).join()"
    chrome.write(f"{box} input[type=range]", 0, "input")
    assert set(chrome.run(answers).split(",")) == {"no"}
    last = chrome.run(f"return document.querySelector('{box} input[type=range]').max")
    chrome.write(f"{box} input[type=range]", float(last), "input")
    assert set(chrome.run(answers).split(",")) == {"yes"}


def test_everything_that_can_be_changed_can_be_reached_by_the_keyboard(chrome, pages):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    chrome.open(pages / "binary.html")
    wanted = chrome.run(
        "return [...document.querySelectorAll('button, input, select, summary, nav a')]"
        ".filter(own => own.offsetParent !== null).length"
    )
    chrome.run("window.reached = new Set(); document.addEventListener('focusin',"
               " event => window.reached.add(event.target))")  # fmt: skip
    body = chrome.chrome.find_element(By.TAG_NAME, "body")
    for _ in range(wanted + 40):
        body.send_keys(Keys.TAB)
        body = chrome.chrome.switch_to.active_element
    reached = chrome.run(
        "return [...document.querySelectorAll('button, input, select, summary, nav a')]"
        ".filter(own => own.offsetParent !== null && window.reached.has(own)).length"
    )
    assert reached == wanted
    unnamed = chrome.run(
        "return [...document.querySelectorAll('button, input, select')].filter(own =>"
        " !own.innerText && !own.labels?.length && !own.ariaLabel).length"
    )
    assert unnamed == 0


def test_printing_leaves_controls_out_and_opens_what_is_closed(chrome, pages):
    chrome.open(pages / "binary.html")
    chrome.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert chrome.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
    chrome.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    made = chrome.chrome.execute_cdp_cmd("Page.printToPDF", {})
    assert len(made["data"]) > 50_000
    assert chrome.run("return [...document.querySelectorAll('details')].every(own => own.open)")
