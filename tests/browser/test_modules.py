"""Our own modules, one by one in a real browser: numbers as Python writes them, and the order of rows."""

import base64
import random

from assay.report.page import static

CALL = """async ([source, name, values]) => {
  const module = await import(`data:text/javascript;base64,${source}`);
  return values.map((value) => module[name](...value));
}"""


def call(browser, module, name, values):
    """What a function of a module returns for each list of arguments."""
    page = browser.new_page()
    source = base64.b64encode(static(module).encode()).decode()
    found = page.evaluate(CALL, [source, name, values])
    page.close()
    return [each.replace("−", "-") if isinstance(each, str) else each for each in found]


def plain(value, digits):
    """A number as Python rounds it, without the sign of a zero."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def test_numbers_are_rounded_as_in_python(browser):
    chance = random.Random(0)
    values = [chance.uniform(-1, 1) for _ in range(2_000)]
    # Exactly in the middle between two numbers of four digits: halves of 1/16.
    values += [number / 32 for number in range(-200, 201)]
    values += [0.0, -0.0, 1e-9, -1e-9, 0.99995, 123456.78905, 1 / 3, 2 / 3]
    for digits in (3, 4):
        found = call(browser, "numbers.js", "fixed", [[value, digits] for value in values])
        assert found == [plain(value, digits) for value in values]


def test_signs_and_p_values(browser):
    found = call(browser, "numbers.js", "signed", [[0.25], [-0.25], [0], [0.00001], [-0.00001]])
    assert found == ["+0.2500", "-0.2500", "0.0000", "0.0000", "0.0000"]
    assert call(browser, "numbers.js", "pValue", [[0.00004], [0.00005], [0.03125]]) == ["< 0.0001", "0.0001", "0.0312"]
    assert call(browser, "numbers.js", "whole", [[0], [999], [1000], [1234567]]) == ["0", "999", "1,000", "1,234,567"]
    assert call(browser, "numbers.js", "grade", [[2.0], [0.5], [1 / 3], [-1]]) == ["2", "0.5", "0.333333", "-1"]
    assert call(browser, "numbers.js", "count", [[1, "pair"], [2, "query", "queries"]]) == ["1 pair", "2 queries"]
