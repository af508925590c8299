// A second body for the same request, from its first byte to the moment when it continues where the last one broke: identical
// bytes are skipped; different ones are read until both synthesis runs can be joined by their sound.

import type { BodyType } from '../../audio/bodies/body-type.ts';
import { AppError } from '../../base/app-error.ts';
import { type BodyFingerprint, createBodyFingerprint } from './body-fingerprint.ts';
import { type BodyReading, createFreshReading } from './body-reading.ts';
import { type RelayedSpeech, refuseJunk } from './relayed-speech.ts';
import { framesBeyond } from './splice-runs.ts';

export type Passed = 'exact' | 'aligned' | 'agreed';

export type CatchUp = {
  begin(type: BodyType): void;
  /** Throws what `RelayedSpeech.push` throws, and `upstream_broken` when the two runs cannot be joined. */
  push(chunk: Uint8Array): void;
  /** The body has ended; joins with what there is. Throws as `push`. */
  finish(): void;
  /** How the break was passed; `agreed`: both runs came to a clean end at the same length. Undefined: not yet passed. */
  passed(): Passed | undefined;
  /** It is a different synthesis run that cannot be joined; a further one would be different again. */
  isUnlike(): boolean;
  /** Of the body so far, heard or skipped, ms. */
  audioMs(): number;
};

/** The lengths of two synthesis runs of one text differ by no more than this share, unless one of them is cut. */
const MAX_DIFFERENCE = 0.1;

/** Both came to a clean end at the same length: neither was cut, so the relayed one stays as it is. */
const areAsLong = (fresh: BodyReading, old: BodyReading): boolean =>
  Math.abs(fresh.frames() / old.frames() - 1) <= MAX_DIFFERENCE;

/** `old`: whether the body before was cut, or ended cleanly and is in doubt. */
export function createCatchUp(
  relayed: RelayedSpeech,
  old: 'broken' | 'ended',
  onPassed: (how: Passed) => void,
): CatchUp {
  const fresh = createFreshReading();
  const fingerprint: BodyFingerprint = createBodyFingerprint();
  const check = relayed.fingerprint().check();
  const broke = relayed.reading();
  let state: 'comparing' | 'joining' | 'unlike' | Passed = 'comparing';

  const pass = (how: Passed) => {
    state = how;
    onPassed(how);
  };
  const join = () => {
    if (relayed.changeRun(fresh, fingerprint) === 'changed') return pass('aligned');
    state = 'unlike';
    throw new AppError(
      'upstream_broken',
      'The audio broke off, and a second attempt could not be joined to it.',
    );
  };

  return {
    begin: (type) => fresh.begin(type),
    push(chunk) {
      if (state === 'exact' || state === 'aligned') return relayed.push(chunk);
      fingerprint.push(chunk);
      fresh.push(chunk);
      const known = state === 'comparing' ? check.push(chunk) : 'different';
      if (known === 'different') {
        state = 'joining';
        refuseJunk(fresh);
        if (fresh.frames() >= broke.frames() + framesBeyond(broke)) join();
      } else if (check.isWhole()) {
        pass('exact');
        relayed.goOn(fingerprint, chunk.subarray(known));
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
