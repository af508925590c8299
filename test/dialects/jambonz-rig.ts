// jambonz's codec by itself: what it asks a session for and what it says, and the messages of jambonz.

import { jambonzDialect } from '../../src/dialects/jambonz-dialect.ts';
import type { ServerEvent } from '../../src/dialects/native-events.ts';
import { type ClientCommand, clientMessageSchemas } from '../../src/dialects/native-messages.ts';
import { READY } from '../support/session-events.ts';

export const PATH = '/jambonz/tts';
export const enter = (query = '', path = PATH) =>
  jambonzDialect.enter({ path, query: new URLSearchParams(query), headers: {}, protocols: [] });
export const presetOf = (query: string) => enter(query)!.preset();

/** A codec without a session: what it asks for and says. */
export function openCodec(query = '', ready: ServerEvent = READY) {
  const commands: ClientCommand[] = [];
  const sent: (string | Uint8Array)[] = [];
  const closes: number[] = [];
  const codec = enter(query)!.open({
    newId: () => 'x'.repeat(22),
    carryOut(command) {
      clientMessageSchemas[command.type].parse(command);
      commands.push(command);
    },
    send: (message) => void sent.push(message),
    close: (code) => void closes.push(code),
  });
  codec.event(ready);
  const receive = (...messages: object[]) => {
    for (const message of messages) codec.receive(JSON.stringify(message));
  };
  return { codec, commands, sent, closes, receive };
}
export const stream = (text: string) => ({ type: 'stream', text });
export const FLUSH = { type: 'flush' };
export const CLEAR = { type: 'clear' };
