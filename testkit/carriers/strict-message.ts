// JSON messages checked against a carrier's documents: these fields, all of them and no others.

import { parseJson } from '../../src/base/json.ts';
import type { CarrierOrder } from './carrier-side.ts';

export type Check = (value: unknown) => boolean;

export const fault = (what: string): CarrierOrder => ({ kind: 'fault', what });

export const isText: Check = (value) => typeof value === 'string' && value !== '';
export const isBase64: Check = (value) =>
  typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
export const is =
  (wanted: unknown): Check =>
  (value) =>
    value === wanted;
export const hasFields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const given = Object.entries(value);
    return (
      given.length === Object.keys(checks).length &&
      given.every(([name, each]) => Object.hasOwn(checks, name) && checks[name]!(each))
    );
  };

/** What a message means that fits; `message` has been checked. */
export type StrictMessage = {
  readonly fits: Check;
  // biome-ignore lint/suspicious/noExplicitAny: its shape has been checked by `fits`.
  order(message: any): CarrierOrder;
};

export function readStrictMessage(text: string, messages: readonly StrictMessage[]): CarrierOrder {
  const json = parseJson(text);
  if (json === undefined) return fault('a text frame is not JSON');
  const message = json.value;
  const known = messages.find(({ fits }) => fits(message));
  if (known !== undefined) return known.order(message);
  return fault(`not a message of the documents: fields ${Object.keys(Object(message)).join(', ')}`);
}

/** Media in base64 whose bytes have to fit as well; `problem` says what is wrong with them. */
export function mediaOrder(
  payload: string,
  problem: (bytes: Buffer) => string | undefined = () => undefined,
): CarrierOrder {
  const bytes = Buffer.from(payload, 'base64');
  const wrong = problem(bytes);
  return wrong === undefined ? { kind: 'media', bytes } : fault(wrong);
}
