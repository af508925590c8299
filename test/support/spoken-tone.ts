// What the tests of a phone call say and hear: a tone, its bytes at the far side, one short turn.

import { atOnce } from './memory-upstream.ts';
import type { PhoneCall } from './phone-call.ts';
import { toneMp3 } from './tone-speech.ts';

export const HZ = 500;

/** Answers each request with a tone of so long. */
export const speech = (ms: number) => atOnce(() => toneMp3(HZ, ms));

export const heardBytes = ({ carrier }: PhoneCall) =>
  Buffer.concat(carrier.playout.heard.map(({ bytes }) => bytes));

export const speak = ({ live }: PhoneCall, turn: string) =>
  live.send({ type: 'speak', turn, text: 'One two three four five.' });
