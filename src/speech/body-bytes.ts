// The length of a body of speech, sent after it in a trailer field (RFC 9110, 6.5): a client that has read as many bytes has all of
// it, and one that has read fewer knows that some are missing, however properly the connection was closed. Our own engine sends
// it; any service may.

export const BODY_BYTES_FIELD = 'X-Voxgate-Body-Bytes';

const FIELD = BODY_BYTES_FIELD.toLowerCase();

type FieldValue = string | readonly string[] | undefined;

const names = (value: FieldValue): string[] =>
  [value ?? []]
    .flat()
    .flatMap((list) => list.split(',').map((name) => name.split(';')[0]!.trim().toLowerCase()));

/** `te`: the request's field of that name (RFC 9110, 10.1.4); a client that does not ask for trailers gets none. */
export const takesTrailers = (te: FieldValue): boolean => names(te).includes('trailers');

/** `trailer`: the header field of that name, which lists what fields will come behind the body. */
export const announcesBodyBytes = (trailer: FieldValue): boolean =>
  [trailer ?? []]
    .flat()
    .some((names) => names.split(',').some((name) => name.trim().toLowerCase() === FIELD));

/** From the trailer fields, by their names in small letters; undefined when it is not there or no number of bytes. */
export function readBodyBytes(fields: Readonly<Record<string, FieldValue>> | null): number | undefined {
  const value = [fields?.[FIELD] ?? []].flat();
  return value.length === 1 && /^\d{1,15}$/.test(value[0]!) ? Number(value[0]) : undefined;
}
