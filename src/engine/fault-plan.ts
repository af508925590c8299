// The port through which an engine is made to misbehave on purpose (docs/engine.md). What the faults are is no part of
// the engine: `voxgate engine` gives it a plan, and a gateway's own engine has none.

import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { SpeechJob } from './speech-stream.ts';

/** A whole answer in place of speech. */
export type Instead = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
};

/** One object for each key, by which a fault counts. */
export type FaultyCaller = {
  /** Tells one key from another, in every run: 32 bits of its digest. */
  readonly keyNumber: number;
};

/** What a fault may change of a job. */
export type FaultyManner = Pick<SpeechJob, 'seed' | 'speed' | 'replaced'>;

export type FaultyCall = {
  /** The names of the faults that meet it, in the order in which they were given. */
  readonly met: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** What to answer in place of speech. */
  readonly instead: Instead | undefined;
  /** Before `instead` is answered; rejects when the caller goes first. */
  untilInstead(): Promise<void>;
  /** The connection is reset in place of an answer. */
  readonly isCutOff: boolean;
  changeManner(manner: FaultyManner): FaultyManner;
  /** `bytesPerSecond`: of the format that the body is in. */
  bendBody(body: Readable, bytesPerSecond: number): Readable;
  /** Whether all bytes of the body are sent, and no others. */
  readonly bytes: 'all' | 'others';
};

export type FaultPlan = {
  /** Once for each speech request whose credentials are good. */
  begin(caller: FaultyCaller, response: ServerResponse): FaultyCall;
};

const UNCHANGED: FaultyCall = {
  met: [],
  headers: {},
  instead: undefined,
  untilInstead: async () => {},
  isCutOff: false,
  changeManner: (manner) => manner,
  bendBody: (body) => body,
  bytes: 'all',
};

export const NO_FAULTS: FaultPlan = { begin: () => UNCHANGED };
