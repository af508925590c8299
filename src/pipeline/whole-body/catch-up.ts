// A body that was asked for again, from its first byte to the moment when it goes on where the last one broke: the
// same bytes are skipped, other bytes are read until they can be joined by their sound.

import { AppError } from '../../base/app-error.ts';
import { type BodyPrint, createBodyPrint } from './body-print.ts';
import type { BodyReading } from './body-reading.ts';
import { createFreshReading, type RelayedSpeech, refuseJunk } from './relayed-speech.ts';
import { framesBeyond } from './splice-takes.ts';

export type Passed = 'exact' | 'aligned' | 'agreed';

export type CatchUp = {
  /** Throws what `RelayedSpeech.push` throws, and `upstream_broken` when the two takes cannot be joined. */
  push(chunk: Uint8Array): void;
  /** The body has ended; joins what there is. Throws as `push`. */
  finish(): void;
  /** How the break has been passed: `agreed` when both takes are whole and say so. Undefined while it has not. */
  passed(): Passed | undefined;
  /** It is another take, and fits nowhere: a further one would be another again. */
  isUnlike(): boolean;
  /** Of the body so far, heard or skipped, ms. */
  audioMs(): number;
};

/** Two takes of one text differ by no more, unless one of them breaks off. */
const MOST_DIFFERENCE = 0.1;

/** Both came to a clean end, and at the same length: neither was cut, so the one that was relayed is left as it is. */
const areAsLong = (fresh: BodyReading, old: BodyReading): boolean =>
  Math.abs(fresh.frames() / old.frames() - 1) <= MOST_DIFFERENCE;

/** `old`: whether the body before was cut, or came to an end that is in doubt. */
export function createCatchUp(
  relayed: RelayedSpeech,
  old: 'broken' | 'ended',
  onPassed: (how: Passed) => void,
): CatchUp {
  const fresh = createFreshReading();
  const print: BodyPrint = createBodyPrint();
  const check = relayed.print().check();
  const broke = relayed.reading();
  let state: 'comparing' | 'joining' | 'unlike' | Passed = 'comparing';

  const pass = (how: Passed) => {
    state = how;
    onPassed(how);
  };
  const join = () => {
    if (relayed.changeTake(fresh, print) === 'changed') return pass('aligned');
    state = 'unlike';
    throw new AppError('upstream_broken', 'The audio broke off, and the second try sounded otherwise.');
  };

  return {
    push(chunk) {
      if (state === 'exact' || state === 'aligned') return relayed.push(chunk);
      print.push(chunk);
      fresh.push(chunk);
      const known = state === 'comparing' ? check.push(chunk) : 'different';
      if (known === 'different') {
        state = 'joining';
        refuseJunk(fresh);
        if (fresh.frames() >= broke.frames() + framesBeyond(broke)) join();
      } else if (check.isWhole()) {
        pass('exact');
        relayed.goOn(print, chunk.subarray(known));
      }
    },
    finish() {
      if (state === 'joining') {
        fresh.flush();
        if (old === 'ended' && areAsLong(fresh, broke)) pass('agreed');
        else join();
      }
      if (state === 'exact' || state === 'aligned') relayed.finish();
    },
    passed: () => (state === 'comparing' || state === 'joining' || state === 'unlike' ? undefined : state),
    isUnlike: () => state === 'unlike',
    audioMs: () => (state === 'exact' ? relayed.audioMs() : fresh.audioMs()),
  };
}
