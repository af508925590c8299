// Parses untrusted text as JSON, without an exception for invalid text.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined for what is not JSON; else the value, which may be `null`. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** An object with fields: neither null nor an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
