// Text in the encodings that files have; Node itself writes only Unicode and Latin-1.

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** What each sequence of one or two bytes means, turned round. */
function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const table = new Map<string, readonly number[]>();
  const note = (...bytes: number[]) => {
    // As a stream: in one go Node 20 takes windows-1252 for Latin-1.
    const char = new TextDecoder(encoding).decode(Uint8Array.from(bytes), { stream: true });
    if ([...char].length === 1 && char !== '\ufffd' && !table.has(char)) table.set(char, bytes);
  };
  for (let byte = 0; byte < 256; byte++) note(byte);
  if (!/^(?:windows|iso-8859|koi8)/.test(encoding))
    for (let lead = 0x81; lead <= 0xfe; lead++)
      for (let trail = 0x40; trail <= 0xfe; trail++) note(lead, trail);
  tables.set(encoding, table);
  return table;
}

/** Throws for a character that the encoding has not. `utf-16le` and `utf-16be` begin with their mark. */
export function encodeText(text: string, encoding: string): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text);
  if (encoding === 'utf-16le') return new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
  if (encoding === 'utf-16be') return new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le').swap16());
  if (encoding === 'iso-8859-1') return new Uint8Array(Buffer.from(text, 'latin1'));
  const table = tableOf(encoding);
  return Uint8Array.from(
    [...text].flatMap((char) => {
      const bytes = table.get(char);
      if (bytes === undefined) throw new Error(`${encoding} has no U+${char.codePointAt(0)!.toString(16)}`);
      return bytes;
    }),
  );
}
