// The headers of an answer, as the HTTP client hands them out.

import type { Dispatcher } from 'undici';

export type AnswerHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

export const first = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

/**
 * Whether the connection stays open after the answer. Where it closes with the answer while reading is paused, undici 7 (7.30.2)
 * throws out of its socket's handlers, which would end the process: such an answer is never paused.
 */
export function staysOpen(headers: AnswerHeaders): boolean {
  const connection = first(headers.connection)?.toLowerCase() ?? '';
  if (connection.includes('close')) return false;
  const isChunked = first(headers['transfer-encoding'])?.toLowerCase().includes('chunked') ?? false;
  return isChunked || (connection.includes('keep-alive') && headers['content-length'] !== undefined);
}
