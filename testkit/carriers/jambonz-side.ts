// The side of jambonz, which is FreeSWITCH's mod_audio_fork: it takes a sample of 0xFFFF for a mark of its own, plays nothing
// of a message that is too short for its buffer, and keeps 30 marks.

import type { LegAudio } from '../../src/legs/leg.ts';
import type { CarrierOrder, CarrierSide } from './carrier-side.ts';
import { fault, hasFields, is, isText, readStrictMessage } from './strict-message.ts';

const MIN_SAMPLES = 640;
const MAX_MARKS = 30;
const MARKER = -1;

function mediaProblem(bytes: Uint8Array): string | undefined {
  if (bytes.length < 2 * MIN_SAMPLES) return `${bytes.length} bytes wait in the buffer unplayed`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 1 < bytes.length; at += 2)
    if (view.getInt16(at, true) === MARKER) return 'a sample that counts as a mark';
  return undefined;
}

export function createJambonzSide({ sampleRate }: LegAudio): CarrierSide {
  let marks = 0;
  const keepMark = (name: string): CarrierOrder => {
    if (marks === MAX_MARKS) return fault('a mark that is dropped, as 30 are kept');
    marks += 1;
    return { kind: 'mark', name };
  };
  return {
    open: ({ callId, token }) => [
      JSON.stringify({
        callSid: callId,
        direction: 'inbound',
        from: '+15083084809',
        to: '+15083728299',
        callId: 'd8a2a4e4-0000-123c-0000-02a5d0b0a1f3',
        sipStatus: 200,
        callStatus: 'in-progress',
        sampleRate,
        mixType: 'mono',
        ...(token !== undefined && { token }),
      }),
    ],
    inbound: (bytes) => bytes,
    mark(name, fate) {
      marks -= 1;
      const event = fate === 'played' ? 'playout' : 'cleared';
      return [JSON.stringify({ type: 'mark', data: { name, event } })];
    },
    digit: (digit) => [JSON.stringify({ event: 'dtmf', dtmf: digit, duration: '1600' })],
    end: () => [],
    read(frame) {
      if (typeof frame !== 'string') {
        const problem = mediaProblem(frame);
        return problem === undefined ? { kind: 'media', bytes: frame } : fault(problem);
      }
      return readStrictMessage(frame, [
        {
          fits: hasFields({ type: is('mark'), data: hasFields({ name: isText }) }),
          order: ({ data }) => keepMark(data.name),
        },
        { fits: hasFields({ type: is('killAudio') }), order: () => ({ kind: 'clear' }) },
        { fits: hasFields({ type: is('disconnect') }), order: () => ({ kind: 'hang-up' }) },
      ]);
    },
  };
}
