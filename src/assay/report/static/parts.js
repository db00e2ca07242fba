// The data inside the page: named parts, each JSON, compressed with gzip, in base64.

const kept = new Map();

/** The content of a part; it is unpacked when it is first asked for. */
export function part(name) {
  if (!kept.has(name)) kept.set(name, unpack(name));
  return kept.get(name);
}

async function unpack(name) {
  const script = document.getElementById(`part-${name}`);
  if (!script) throw new Error(`the page has no part ${name}`);
  const binary = atob(script.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) bytes[place] = binary.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** The scores of a stored result, one array per measure; a query without a value has NaN. */
export function scoresOf(stored) {
  const special = { inf: Infinity, "-inf": -Infinity };
  const number = (value) => (value === null ? NaN : typeof value === "string" ? special[value] : value);
  return Object.fromEntries(
    stored.measures.map((measure, place) => [measure.name, Float64Array.from(stored.queries, (row) => number(row[place + 1]))]),
  );
}
