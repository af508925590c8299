// The log of a gateway under test, as what its lines say.

export type LogLine = { readonly level: string; readonly event: string; readonly [field: string]: unknown };

const linesOf = (logLines: readonly string[]): readonly LogLine[] =>
  logLines.map((line) => JSON.parse(line) as LogLine);

/** The lines of `event` with these fields. */
export const linesWith = (
  logLines: readonly string[],
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): readonly LogLine[] =>
  linesOf(logLines).filter(
    (line) => line.event === event && Object.entries(fields).every(([name, value]) => line[name] === value),
  );
