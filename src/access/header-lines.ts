// A request's headers, line by line. Node's own record joins some that are given twice and drops others silently;
// code that checks credentials or traces of a proxy must see them all.

/** Lines by lower-case name, in order; without a prototype, so that no name finds anything else. */
export type HeaderLines = Readonly<Record<string, readonly string[] | undefined>>;

/** `rawHeaders` as Node has them: name, value, name, value … */
export function headerLines(rawHeaders: readonly string[]): HeaderLines {
  const lines = Object.create(null) as Record<string, string[]>;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const given = lines[name];
    if (given === undefined) lines[name] = [rawHeaders[at + 1]!];
    else given.push(rawHeaders[at + 1]!);
  }
  return lines;
}

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** The id of the trace that the caller's request is part of (W3C Trace Context 3.2); undefined when it names none. */
export const traceIdOf = (headers: HeaderLines): string | undefined =>
  TRACE_PARENT.exec(headers.traceparent?.[0] ?? '')?.[1];
