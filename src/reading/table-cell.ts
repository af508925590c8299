// A cell of a table with the name of its column, as it is said. A name may end in a unit in parentheses, which whoever reads
// aloud would pass over: the unit goes to the value, "height (m)", "55" → "height", "55 m".

export type TableCell = { readonly name: string; readonly value: string };

/** The name is at most a line; what is in the parentheses is a word or two. */
const LAST_PARENTHESIS = /^(.*\S)\s*[([]([^()[\]]{1,40})[)\]]$/u;
/** `m`, `km²`, `km/h`, `°C`, `%`, `€`, `µg/m³`, `mm Hg`, `kWh`. */
const UNIT =
  /^(?:[%‰°€$£¥]|°\s?[CFK]|[µμ]?\p{L}{1,4}[²³]?(?:\s?[/·^]\s?\d{0,4}\s?[µμ]?\p{L}{1,4}[²³]?|\s\p{Lu}\p{Ll}?)?)$/u;
const FIGURE = /^[-−+±~≈]?\s?\d[\d\s.,'’]*$/u;

/** Linear. Nothing of either is left out. */
export function withUnit(name: string, value: string): TableCell {
  const [, bare, inside] = name.length > 200 ? [] : (LAST_PARENTHESIS.exec(name) ?? []);
  if (bare === undefined || inside === undefined) return { name, value };
  const unit = inside.trim().replace(/^in\s+(?=\S)/i, '');
  if (!UNIT.test(unit)) return { name: `${bare}, ${inside.trim()}`, value };
  if (!FIGURE.test(value)) return { name: bare, value };
  return { name: bare, value: `${value}${unit === '°' ? '' : ' '}${unit}` };
}
