// The two ways in which chan_websocket writes its control messages: lines of plain text (its first, deprecated and still
// the default) and JSON (`f(json)`). Which one a channel speaks shows in the first byte that it sends.

import { parseJsonObject, textOf } from './json-message.ts';

export type ControlSyntax = 'plain' | 'json';

export type ChannelEvent = {
  readonly name: string;
  /** Undefined for what is not there, or is not text or a number. */
  field(name: string): string | undefined;
  /** A variable of the channel; only JSON tells them. */
  variable(name: string): string | undefined;
};

export const syntaxOf = (message: string): ControlSyntax => (message.startsWith('{') ? 'json' : 'plain');

const scalarOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : textOf(value);

function readJson(message: string): ChannelEvent | undefined {
  const object = parseJsonObject(message);
  const name = textOf(object?.event);
  if (object === undefined || name === undefined) return undefined;
  const variables = object.channel_variables;
  return {
    name,
    field: (field) => (Object.hasOwn(object, field) ? scalarOf(object[field]) : undefined),
    variable(variable) {
      if (typeof variables !== 'object' || variables === null || !Object.hasOwn(variables, variable))
        return undefined;
      return scalarOf((variables as Record<string, unknown>)[variable]);
    },
  };
}

/** `NAME key:value key:value`; what follows a mark's event is its id, with or without a key. */
function readPlain(message: string): ChannelEvent | undefined {
  const [name = '', ...words] = message.trim().split(/\s+/);
  if (!/^[A-Z_]{1,64}$/.test(name)) return undefined;
  const fields = new Map<string, string>();
  for (const word of words) {
    const end = word.indexOf(':');
    if (end > 0) fields.set(word.slice(0, end), word.slice(end + 1));
    else fields.set('correlation_id', word);
  }
  return { name, field: (field) => textOf(fields.get(field)), variable: () => undefined };
}

/** Undefined for what is no event of the syntax. */
export const readEvent = (syntax: ControlSyntax, message: string): ChannelEvent | undefined =>
  syntax === 'json' ? readJson(message) : readPlain(message);

/** A command as chan_websocket takes it; it drops those of more than 128 bytes. */
export function writeCommand(syntax: ControlSyntax, command: string, id?: string): string {
  if (syntax === 'plain') return id === undefined ? command : `${command} ${id}`;
  return JSON.stringify({ command, ...(id !== undefined && { correlation_id: id }) });
}
