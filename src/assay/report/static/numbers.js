// Numbers as assay prints them.

/** A number with so many digits. A tie goes to the even digit, as in Python; `toFixed` rounds it up. */
export function fixed(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const half = 2 ** (digits + 1);
  // Only a multiple of 1/half that is not one of 2/half lies in the middle between two numbers of so many digits.
  const isTie = Number.isInteger(value * half) && !Number.isInteger((value * half) / 2);
  let shown = value.toFixed(digits);
  if (isTie && Number(shown.at(-1)) % 2) {
    const step = (value < 0 ? 1 : -1) * 10 ** -digits;
    shown = (Number(shown) + step).toFixed(digits);
  }
  return Number(shown) === 0 ? shown.replace("-", "") : shown.replace("-", "−");
}

/** A difference with its sign. */
export function signed(value, digits = 4) {
  const shown = fixed(value, digits);
  return value > 0 && Number.isFinite(value) && Number(shown) !== 0 ? `+${shown}` : shown;
}

/** A p-value; one that would be rounded to 0 as a bound. */
export function pValue(value) {
  return value === null ? "–" : value < 0.00005 ? "< 0.0001" : fixed(value);
}

/** A whole number with separators. */
export function whole(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A grade without trailing zeros. */
export function grade(value) {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

/** A number with its noun. */
export function count(number, singular, plural = `${singular}s`) {
  return `${whole(number)} ${number === 1 ? singular : plural}`;
}
